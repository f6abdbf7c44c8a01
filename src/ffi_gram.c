/* ffi_gram.c - the look at a matrix that is said to be a Gram matrix. */
#include "ffi.h"
#include "kg_gram.h"

/* Values looked at between two polls. */
static const double PIECE_VALUES = 4194304.0;

/* c(largest |G|, largest |G_ij - G_ji|, i, j, row and column of the first entry that is
 * not finite), places from 1, 0 for none. */
SEXP ffi_gram_look(SEXP G, SEXP n) {
  size_t size = ffi_count(n, 1, 2147483647, "n");
  const double *value = ffi_doubles(G, ffi_length((double)size * (double)size, "G"), "G");
  double columns = PIECE_VALUES / (double)size;
  size_t piece = columns < 64 ? 64 : (size_t)columns;
  kg_gram_look look = kg_gram_look_begin();
  for (size_t from = 0; from < size && look.finite; from += piece) {
    R_CheckUserInterrupt();
    kg_gram_look_columns(value, size, from, size - from < piece ? size : from + piece,
                         &look);
  }
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 6));
  double *to = REAL(out);
  to[0] = look.largest;
  to[1] = look.gap;
  to[2] = look.gap > 0 ? (double)look.gap_row + 1 : 0;
  to[3] = look.gap > 0 ? (double)look.gap_column + 1 : 0;
  to[4] = look.finite ? 0 : (double)look.odd_row + 1;
  to[5] = look.finite ? 0 : (double)look.odd_column + 1;
  UNPROTECT(1);
  return out;
}
