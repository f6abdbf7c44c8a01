/* ffi_line.c - dispersions of groups on a line for every column of a matrix of codes. */
#include "ffi.h"
#include "kg_line.h"

/* x: ascending. order: of each value its row of `codes`, from 1. codes: rows x m from 1,
 * each of one label and weight. label: of every code from 1; weight: of every code, or
 * NULL for 1. Returns 2k x m: W and the weight of each group. */
SEXP ffi_line(SEXP x_, SEXP order_, SEXP codes, SEXP label_, SEXP weight_) {
  R_xlen_t n = Rf_xlength(x_), number = Rf_xlength(label_);
  const double *x = ffi_finite(x_, n, "x");
  for (R_xlen_t i = 1; i < n; i++)
    if (!(x[i] >= x[i - 1]))
      Rf_error("x must be ascending");
  if (!Rf_isMatrix(codes))
    Rf_error("codes must be a matrix");
  size_t rows = (size_t)Rf_nrows(codes), m = (size_t)Rf_ncols(codes);
  const int *from = ffi_integers(codes, (R_xlen_t)(rows * m), "codes");
  int *order = (int *)R_alloc((size_t)n + 1, sizeof(int));
  ffi_labels(ffi_integers(order_, n, "order"), (size_t)n, rows, order, "order");
  int *label = (int *)R_alloc((size_t)number + 1, sizeof(int));
  ffi_labels(ffi_integers(label_, number, "label"), (size_t)number, (size_t)number, label,
             "label");
  const double *weight =
      weight_ == R_NilValue ? NULL : ffi_weights(weight_, (size_t)number);
  size_t k = 1;
  for (R_xlen_t c = 0; c < number; c++)
    if ((size_t)label[c] + 1 > k)
      k = (size_t)label[c] + 1;
  int *code = (int *)R_alloc(rows + 1, sizeof(int));
  double *moment = (double *)R_alloc(k, sizeof(double));
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)(2 * k), (int)m));
  double left = 0;
  for (size_t q = 0; q < m; q++) {
    ffi_poll(&left, (double)(n + 8));
    ffi_labels(from + q * rows, rows, (size_t)number, code, "codes");
    double *W = REAL(out) + 2 * k * q;
    kg_line(x, order, (size_t)n, code, label, weight, k, W, W + k, moment);
  }
  UNPROTECT(1);
  return out;
}
