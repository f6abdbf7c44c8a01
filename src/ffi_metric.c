/* ffi_metric.c - stores of points under metrics, of sparse rows and of categories. */
#include "ffi.h"
#include "kg_metric.h"
#include "kg_rows.h"
#include <math.h>

/* list(x, rho, p, n): x n x d */
kg_pairs ffi_metric_pairs(SEXP store) {
  kg_metric *m = (kg_metric *)R_alloc(1, sizeof(kg_metric));
  m->points = ffi_matrix(store, "x");
  m->p = ffi_number(ffi_need(store, "p"), 1, 1e300, "p");
  if (kg_semimetric_of(m->points.rho.family)->sum == KG_SUM_SQUARES)
    Rf_error("rho must be a metric");
  return kg_metric_pairs(m);
}

/* Compressed rows or columns: ascending indices below `most`. */
static const int *compressed(SEXP start_, SEXP index_, size_t n, size_t most) {
  const int *start = ffi_integers(start_, (R_xlen_t)n + 1, "start");
  const int *index = ffi_integers(index_, -1, "index");
  if (start[0] != 0 || start[n] != Rf_xlength(index_))
    Rf_error("start does not fit the entries");
  for (size_t i = 0; i < n; i++) {
    if (start[i] > start[i + 1])
      Rf_error("start must not decrease");
    for (int e = start[i]; e < start[i + 1]; e++)
      if (index[e] < 0 || (size_t)index[e] >= most ||
          (e > start[i] && index[e] <= index[e - 1]))
        Rf_error("indices must be ascending and in range");
  }
  return start;
}

static kg_rows rows_of(SEXP store) {
  kg_rows r;
  r.n = ffi_size(store);
  r.d = ffi_count(ffi_need(store, "d"), 1, 2147483647, "d");
  SEXP column = ffi_need(store, "column"), row = ffi_need(store, "row");
  if (Rf_xlength(column) != Rf_xlength(row))
    Rf_error("rows and columns must have the same entries");
  r.row_start = compressed(ffi_need(store, "row_start"), column, r.n, r.d);
  r.column_start = compressed(ffi_need(store, "column_start"), row, r.d, r.n);
  r.column = INTEGER_RO(column);
  r.row = INTEGER_RO(row);
  r.row_value =
      ffi_doubles(ffi_need(store, "row_value"), Rf_xlength(column), "row_value");
  r.column_value =
      ffi_doubles(ffi_need(store, "column_value"), Rf_xlength(row), "column_value");
  SEXP centre = ffi_field(store, "centre");
  r.centre = centre == R_NilValue ? NULL : ffi_doubles(centre, (R_xlen_t)r.n, "centre");
  r.rho = ffi_semimetric(ffi_need(store, "rho"));
  ffi_euclidean(r.rho);
  double *square = (double *)R_alloc(r.n, sizeof(double));
  kg_rows_squares(&r, square);
  r.square = square;
  return r;
}

kg_pairs ffi_rows_pairs(SEXP store) {
  kg_rows *r = (kg_rows *)R_alloc(1, sizeof(kg_rows));
  *r = rows_of(store);
  return kg_rows_pairs(r);
}
