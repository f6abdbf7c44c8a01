/* kg_sparse.h - the engine of sparse symmetric matrices. */
#ifndef KG_SPARSE_H
#define KG_SPARSE_H

#include "kg_engine.h"

/* B in compressed columns, both triangles, the diagonal apart. */
typedef struct {
  size_t n;
  const int *start;       /* n + 1 positions, the first one 0 */
  const int *row;         /* rows of the entries off the diagonal */
  const double *value;    /* their values */
  const double *diagonal; /* n */
} kg_sparse;

/* A partition of the rows and what the moves need of it. */
typedef struct {
  kg_engine e;
  const kg_sparse *b;
  double *diagonal; /* n: that of b, or that and the shift */
  double shift;     /* what is added to it is shift / w_i; 0 if nothing is */
  double *D;        /* k: s_l times the within dispersion */
  double *peak;     /* k: the largest s_l since V_l was computed */
  double *reach;    /* k: the row R_i. of the point evaluated; workspace of the totals */
  int *touched;     /* k: the clusters that have an entry in that row; the same */
  size_t *mark;     /* k: the stamp of the row that set reach */
  size_t stamp;
  double norm_min; /* no V_l / s_l^2 is below this */
  double size_min; /* no s_l is below this, */
  double size_max; /* none above that */
} kg_sparse_state;

extern const kg_kind kg_sparse_rows;

void kg_sparse_lay(kg_sparse_state *c, const kg_input *input, size_t k, int *label,
                   kg_room *room);

#endif
