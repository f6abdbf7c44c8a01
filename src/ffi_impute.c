/* ffi_impute.c - missing coordinates by their conditional means. */
#include "ffi.h"
#include "kg_impute.h"
#include <string.h>

/* x: n x d with NaN where a coordinate is missing; rows: those to fill, from 1, equal
 * patterns side by side; w: NULL, or n weights. Returns the filled matrix (its other rows
 * as they were) and, with weights, the weighted sum of conditional covariances. */
SEXP ffi_impute(SEXP x_, SEXP rows_, SEXP mean_, SEXP precision_, SEXP ridge_, SEXP w_) {
  static const char *const names[] = {"x", "extra"};
  R_xlen_t length = Rf_xlength(mean_);
  if (length < 1 || length > 32768)
    Rf_error("mean must hold from 1 to 32768 values");
  size_t d = (size_t)length;
  ffi_doubles(x_, -1, "x");
  if (Rf_xlength(x_) % length != 0 || Rf_xlength(x_) / length > 2147483647)
    Rf_error("x must have a column for each mean");
  size_t n = (size_t)(Rf_xlength(x_) / length);
  const int *rows = ffi_integers(rows_, -1, "rows");
  size_t n_rows = (size_t)Rf_xlength(rows_);
  kg_normal normal = {d, ffi_doubles(mean_, length, "mean"),
                      ffi_doubles(precision_, length * length, "precision"),
                      ffi_number(ridge_, 0, 1e300, "ridge")};
  const double *w = w_ == R_NilValue ? NULL : ffi_weights(w_, n);
  int *at = (int *)R_alloc(n_rows + 1, sizeof(int));
  for (size_t i = 0; i < n_rows; i++) {
    if (rows[i] == NA_INTEGER || rows[i] < 1 || (size_t)rows[i] > n)
      Rf_error("rows must lie between 1 and the rows of x");
    at[i] = rows[i] - 1;
  }

  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_duplicate(x_));
  double *x = REAL(VECTOR_ELT(out, 0)), *extra = NULL;
  if (w) {
    SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, (int)d, (int)d));
    extra = REAL(VECTOR_ELT(out, 1));
    memset(extra, 0, d * d * sizeof(double));
  }
  kg_impute_work work;
  FFI_LAY(kg_impute_lay(&work, d, &room));
  FFI_PIECES (from, to, n_rows, ffi_piece((double)d * (double)d * (1 + (double)d / 6)))
    if (!kg_impute(&normal, x, n, at, from, to, w, extra, &work))
      Rf_error("precision must be positive definite");
  if (extra)
    kg_impute_flush(&normal, extra, &work);
  UNPROTECT(1);
  return out;
}
