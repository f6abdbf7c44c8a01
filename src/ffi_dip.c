/* ffi_dip.c - dip statistic of ascending numbers. */
#include "ffi.h"
#include "kg_dip.h"

SEXP ffi_dip(SEXP x_) {
  R_xlen_t n = Rf_xlength(x_);
  const double *x = ffi_finite(x_, n, "x");
  if (n < 1)
    Rf_error("x must have values");
  for (R_xlen_t i = 1; i < n; i++)
    if (!(x[i] >= x[i - 1]))
      Rf_error("x must be ascending");
  double left = 0;
  ffi_poll(&left, (double)n);
  size_t *work = (size_t *)R_alloc((size_t)n, 2 * sizeof(size_t));
  return Rf_ScalarReal(kg_dip(x, (size_t)n, work));
}
