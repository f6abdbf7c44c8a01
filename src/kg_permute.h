/* kg_permute.h - statistics of many relabellings. */
#ifndef KG_PERMUTE_H
#define KG_PERMUTE_H

#include "kg_loops.h"
#include "kg_pairs.h"


/* Statistics as sums over pairs: of M_aa / s_a (S), of a form C_ab M_ab (the statistic of
 * 2004), of M_aa / s_a^2, of all M_ab. */
enum kg_statistic { KG_BETWEEN, KG_ORIGINAL, KG_SQUARED, KG_TOTAL };

/* KG_LANES relabellings side by side: (g n + i) KG_LANES + lane of label, (g k + a)
 * KG_LANES + lane of inverse, g KG_LANES + lane of constant. */
typedef struct {
  size_t groups;
  int *label;
  double *inverse;  /* the factor of pairs within a cluster, 0 for one without weight */
  double *constant; /* of own weights: the factor of all pairs */
} kg_permute_lanes;

/* One relabelling after the other. */
typedef struct {
  int *label; /* n each */
  double *C;  /* k x k each, symmetric */
} kg_permute_form;

typedef struct {
  const kg_pairs *pairs;
  const double *w, *centre; /* n */
  size_t k, m;              /* clusters, relabellings */
  enum kg_statistic statistic;
  int own_weights; /* every relabelling has its weights, and `w` is not read */
  kg_permute_lanes lanes;
  kg_permute_form form; /* of KG_ORIGINAL, in place of lanes */
  double *weight;       /* of own weights, as labels */
  double *s, *value;    /* k; a tile */
  double *out;          /* the statistics, in whole lanes */
} kg_permute;

/* Arrays, once the fields above them are set. */
void kg_permute_lay(kg_permute *p, kg_room *room);
/* Relabelling q, with its weights if it has its own; before it, of the first, nothing is
 * added up. */
void kg_permute_set(kg_permute *p, size_t q, const int *label, const double *w);
/* Adds to `out` what rows [from, to) contribute. */
void kg_permute_rows(kg_permute *p, size_t from, size_t to);

#endif
