/* kg_inertia.h - counts of eigenvalues by elimination. */
#ifndef KG_INERTIA_H
#define KG_INERTIA_H

#include <stddef.h>

/* ---- eigenvalues below a number: kg_inertia.c ----------------------------------------
 */

enum kg_inertia_state {
  KG_INERTIA_GOING,
  KG_INERTIA_DENSE, /* done but for `left` rows, a dense matrix: kg_inertia_rest() */
  KG_INERTIA_OUT    /* over the budget, or out of room */
};

typedef struct {
  /* given: both triangles without the diagonal; value NULL: all entries are `every`, with
   * the sign turned (H = diag(diagonal) - entries) */
  size_t n;
  const int *start, *given_row;
  const double *value, *diagonal;
  double every;
  size_t most_dense; /* rows that may be left for a dense matrix */
  double budget;     /* entries of fronts that may be worked on */
  double tiny;       /* pivots up to this are 0 */
  /* what came of it */
  enum kg_inertia_state state;
  size_t negative; /* pivots below 0 so far */
  size_t left;     /* vertices that are still there */
  double work;
  /* workspace. A vertex's slot of `row` holds its `near` neighbours from the left and its
   * `elements` from the right. */
  int *row, *near, *elements, *kind, *degree, *head, *before, *after, *place, *mark;
  int *list, *length, *outside, *order, *members;
  size_t *from; /* where the values of an element begin */
  double *pivot, *column, *weight, *values;
  size_t n_order, used_members, most_members, used_values, most_values;
  int least, stamp;
} kg_inertia;

size_t kg_inertia_integers(size_t n, size_t entries);
size_t kg_inertia_doubles(size_t n, size_t entries, int weighted);
void kg_inertia_begin(kg_inertia *g, double shift, int *integers, double *doubles,
                      size_t *positions, double *values, size_t most_values);
int kg_inertia_step(kg_inertia *g, double work);
void kg_inertia_rest(kg_inertia *g, double *rest);

#endif
