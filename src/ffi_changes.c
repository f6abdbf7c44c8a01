/* ffi_changes.c - the best divisions of a sequence into runs. */
#include "ffi.h"
#include "kg_changes.h"
#include "kg_pairs.h"

enum { ROWS = 8 }; /* of a block of values */

/* list(W, start): the least W of 1..k runs of at least `least` observations each, and n x k
 * the first observation of the last run of the first j. */
SEXP ffi_changes(SEXP problem, SEXP k_, SEXP least_) {
  static const char *const names[] = {"W", "start"};
  kg_pairs pairs = ffi_pairs(problem);
  const size_t n = pairs.n;
  kg_changes c = {.n = n, .k = ffi_count(k_, 1, (double)n, "k")};
  c.least = ffi_count(least_, 1, (double)(n / c.k), "least");
  ffi_length((double)n * (double)c.k, "starts of runs");
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)c.k));
  SET_VECTOR_ELT(out, 1, Rf_allocMatrix(INTSXP, (int)n, (int)c.k));
  c.start = INTEGER(VECTOR_ELT(out, 1));
  FFI_LAY(kg_changes_lay(&c, &room));
  double *block = (double *)R_alloc(ROWS * n, sizeof(double)), left = 0;
  kg_changes_begin(&c);
  for (size_t from = 0; from < n; from += ROWS) {
    size_t rows[ROWS], many = n - from < ROWS ? n - from : ROWS, to = from + many;
    for (size_t r = 0; r < many; r++)
      rows[r] = from + r;
    ffi_poll(&left, (double)(many * to) * (pairs.cost + (double)c.k));
    kg_block(&pairs, rows, many, 0, to, block);
    for (size_t r = 0; r < many; r++)
      kg_changes_append(&c, from + r, block + r * to);
  }
  for (size_t l = 0; l < c.k; l++)
    REAL(VECTOR_ELT(out, 0))[l] = c.best[(l + 1) * (n + 1) + n];
  UNPROTECT(1);
  return out;
}
