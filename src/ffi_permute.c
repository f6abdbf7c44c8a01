/* ffi_permute.c - a statistic of every column of a matrix of labels. */
#include "ffi.h"
#include "kg_pairs.h"
#include "kg_permute.h"
#include <string.h>

/* labels: n x m from 1. One value a column: S (statistic 0), or `original` (1). */
SEXP ffi_permute(SEXP problem, SEXP centre, SEXP labels, SEXP k, SEXP statistic) {
  kg_pairs pairs = ffi_pairs(problem);
  size_t n = pairs.n;
  R_xlen_t length = Rf_xlength(labels);
  const int *from = ffi_integers(labels, length, "labels");
  if (length == 0 || length % (R_xlen_t)n != 0)
    Rf_error("labels must have n rows");
  kg_permute p = {.pairs = &pairs,
                  .w = ffi_problem_weights(problem, n),
                  .centre = ffi_doubles(centre, (R_xlen_t)n, "centre"),
                  .k = ffi_count(k, 1, (double)n, "k"),
                  .m = (size_t)length / n,
                  .original = (int)ffi_count(statistic, 0, 1, "statistic")};
  FFI_LAY(kg_permute_lay(&p, &room));
  int *label = (int *)R_alloc(n, sizeof(int));
  for (size_t q = 0; q < p.m; q++) {
    R_CheckUserInterrupt();
    ffi_labels(from + q * n, n, p.k, label, "labels");
    kg_permute_set(&p, q, label);
  }
  FFI_PIECES(i, to, n, ffi_rows(&pairs) / (p.m + 1) + 1)
    kg_permute_rows(&p, i, to);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)p.m));
  memcpy(REAL(out), p.out, p.m * sizeof(double));
  UNPROTECT(1);
  return out;
}
