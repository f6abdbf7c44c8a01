/* kg_constrained.h - local search of a partition under rules (kg_limit.h).
 *
 * Moving unit i of weight p from cluster a to b changes W as in Eq. (50). Exchanging i of a and j
 * of b, of weight q, changes the dispersion of a by
 *     q D_ja - p D_ia - (p^2 D_ia + q^2 D_ja - p q (D_ia + D_ja - rho_ij)) / (s_a - p + q),
 * D the squared distances to its mean before, and that of b alike. */
#ifndef KG_CONSTRAINED_H
#define KG_CONSTRAINED_H

#include "kg_border.h"
#include "kg_limit.h"
#include "kg_units.h"

enum { KG_RULES = 4, KG_BRANCH = 256 };

/* A unit of a pair of clusters: its weight, distances to its own mean and the other one, and the
 * least that an exchange changes on its part. */
typedef struct {
  size_t at;
  double w, here, there, bound;
} kg_candidate;

/* A value and a number, to be sorted. */
typedef struct {
  double value;
  size_t at;
} kg_ranked;

/* Cluster `split` is divided, and clusters x and y are merged; x = k, k + 1: its parts. */
typedef struct {
  double change;
  size_t split, x, y;
} kg_proposal;

typedef struct {
  kg_units *u;
  kg_limit *rule[KG_RULES];
  size_t rules;
  /* NULL or among the rules. With amounts any two units are exchanged, else those apart from one of
   * the other cluster. */
  kg_limit *amounts, *apart, *contiguous;
  void (*apply)(kg_engine *e, const int *target); /* the labels of all rows, with totals */
  const double *uniforms;
  size_t n_uniforms, drawn;
  int *target, *kept;       /* n; m */
  size_t *to, *mark, stamp; /* k: clusters that a unit may join */
  size_t *begin, *member;   /* k + 1, m: the units of every cluster */
  kg_candidate *candidate;  /* m */
  kg_ranked *ranked;        /* m */
  size_t *changed, *tried, clock; /* k; k (k - 1)/2 */
  size_t *tabu;                   /* m */
  size_t *block;                  /* KG_BRANCH + 1 */
  int *part;                      /* m */
  /* of contiguous clusters alone: kg_regroup.c */
  kg_border *border;
  double *rise;         /* k^2: of W by merging two clusters */
  kg_proposal *proposal; /* 2 k */
} kg_constrained;

void kg_constrained_lay(kg_constrained *c, kg_units *u, int contiguous, kg_room *room);
/* Values of the rules from the labels of the units. */
void kg_constrained_begin(kg_constrained *c);
/* The sum of the violations. */
double kg_constrained_total(const kg_constrained *c);
/* The rise of the violation of cluster l if one unit leaves it and another one joins. */
double kg_constrained_rise(kg_constrained *c, size_t l, size_t out, size_t in);
/* After unit i has moved, to the values of the rules. */
void kg_constrained_made(kg_constrained *c, size_t i, size_t from, size_t to);
/* c->to: the clusters other than its own that unit i may join, those of its neighbours if
 * clusters are contiguous; returns their number. */
size_t kg_constrained_targets(kg_constrained *c, size_t i);

/* Is unit i in one cluster with one that it must be apart from? */
int kg_constrained_broken(const kg_constrained *c, size_t i);

/* ---- kg_repair.c ---- */

/* Contiguous clusters: labels of units by Ward's merges down to k clusters, from the linked units
 * of equal label first if `labelled`, with random factors if `noise`. 0: the graph has
 * more parts. */
int kg_constrained_merge(kg_constrained *c, int labelled, int noise);
/* From the labels of the units and of the engine, which are equal: to a partition that satisfies
 * the rules, the engine with it. 0: none was found, and the labels of the units are the nearest. */
int kg_constrained_satisfy(kg_constrained *c);
/* ---- kg_constrained.c ---- */

/* The labels of the units to the engine, with totals. */
void kg_constrained_apply(kg_constrained *c);
/* Moves that lower W + lambda violations, with lambda rising until none is left or none helps. */
void kg_constrained_press(kg_constrained *c);
/* Moves and exchanges that lower W and raise no violation, at most `most` rounds of them; returns
 * their number, with 1 in *converged if none is left. */
size_t kg_constrained_improve(kg_constrained *c, size_t most, int *converged);
/* ---- kg_regroup.c ---- */

/* Contiguous clusters: one is divided and two with a common edge are merged, followed by moves,
 * while that lowers W and costs no more than `work`. */
void kg_constrained_regroup(kg_constrained *c, size_t most, double work);

#endif
