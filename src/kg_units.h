/* kg_units.h - units of a constrained partition: single rows, or groups of rows that stay
 * together. A unit is a point of the feature space, the weighted mean of its rows: with W_u the
 * dispersion within it,
 *     d2_ul = sum_{i in u} w_i d2_il / w_u - W_u / w_u.
 * Rows of a unit of weight 0 count alike. */
#ifndef KG_UNITS_H
#define KG_UNITS_H

#include "kg_engine.h"

#define KG_NOBODY ((size_t)-1)

typedef struct {
  kg_engine *e;
  size_t m;
  const size_t *first, *row; /* m + 1, n: the rows of every unit; NULL: each row is one */
  double *w, *inner;         /* m: weights, and W_u / w_u */
  size_t *count;             /* m: rows of positive weight */
  int *label;                /* m: those of the search; the engine follows kg_units_move() */
  double *values;            /* n */
  double each;               /* the work of a distance of two rows, at least */
  /* Answers interrupts; `left` is the work until the next. NULL: nothing does. */
  void (*poll)(double *left, double work);
  double left;
} kg_units;

void kg_units_lay(kg_units *u, kg_engine *e, size_t m, kg_room *room);
/* Weights and dispersions of the units. */
void kg_units_begin(kg_units *u);
/* Labels from those of the engine, where the rows of a unit have one. */
void kg_units_read(kg_units *u);
void kg_units_poll(kg_units *u, double work);
double kg_units_d2(const kg_units *u, size_t i, size_t l);
/* The squared distance of two units. */
double kg_units_rho(const kg_units *u, size_t i, size_t j);
/* sum w_i w_j rho_ij over the units i of one list and j of another one. */
double kg_units_between(kg_units *u, const size_t *one, size_t n_one, const size_t *other,
                        size_t n_other);
/* Unit i to cluster l, with the sums of the engine. */
void kg_units_move(kg_units *u, size_t i, size_t l);

static inline size_t kg_unit_rows(const kg_units *u, size_t i) {
  return u->first ? u->first[i + 1] - u->first[i] : 1;
}

static inline size_t kg_unit_row(const kg_units *u, size_t i, size_t r) {
  return u->first ? u->row[u->first[i] + r] : i;
}

#endif
