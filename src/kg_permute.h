/* kg_permute.h - statistics of many relabellings. */
#ifndef KG_PERMUTE_H
#define KG_PERMUTE_H

#include "kg_pairs.h"

#define KG_LANES 16

typedef struct {
  const kg_pairs *pairs;
  const double *w, *centre; /* n */
  size_t k, m;              /* clusters, relabellings */
  int original;             /* the statistic: S, or any form sum_ab C_ab M_ab */
  /* S: KG_LANES relabellings side by side, 1/s_a or 0 for a cluster without weight */
  size_t groups;
  double *lanes, *inverse; /* (g n + i) KG_LANES + lane, (g k + a) KG_LANES + lane */
  int *label;              /* the form: n a relabelling */
  double *C;               /* k x k a relabelling, symmetric */
  double *s, *value;       /* k; a tile */
  double *out;             /* the statistics, in whole lanes */
} kg_permute;

/* Arrays, once the fields above them are set. */
void kg_permute_lay(kg_permute *p, kg_room *room);
/* Relabelling q; before it, of the first, nothing is added up. */
void kg_permute_set(kg_permute *p, size_t q, const int *label);
/* Adds to `out` what rows [from, to) contribute. */
void kg_permute_rows(kg_permute *p, size_t from, size_t to);

#endif
