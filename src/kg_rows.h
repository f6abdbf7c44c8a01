/* kg_rows.h - sparse rows as observations: pairwise dissimilarities by products of sparse
 * rows.
 *
 * |x_i - x_j|^2 = square_i + square_j - 2 (<x_i, x_j> - centre_i centre_j). A row of
 * products adds up the columns in which the row has entries, sum_c nnz_c operations. */
#ifndef KG_ROWS_H
#define KG_ROWS_H

#include "kg_pairs.h"

typedef struct {
  size_t n, d;
  const int *row_start, *column; /* entries by rows: n + 1, and the columns of each */
  const double *row_value;
  const int *column_start, *row; /* the same by columns: d + 1, rows ascending */
  const double *column_value;
  const double *square, *centre; /* n; centre NULL: 0 */
  kg_semimetric rho;
} kg_rows;

/* The rows stay the caller's. */
kg_pairs kg_rows_pairs(const kg_rows *rows);

/* square[i] = <x_i, x_i> less its centre, summed in the order of the products. */
void kg_rows_squares(const kg_rows *rows, double *square);

#endif
