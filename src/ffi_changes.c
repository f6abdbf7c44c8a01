/* ffi_changes.c - the best divisions of a sequence into runs, and its dependence. */
#include "ffi.h"
#include "kg_changes.h"
#include "kg_dependence.h"
#include "kg_pairs.h"
#include <math.h>
#include <string.h>

enum { ROWS = 8 }; /* of a block of values */

/* list(W, start): the least W of 1..k runs of at least `least` observations each, and n x
 * k the first observation of the last run of the first j. */
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

/* The ends of cells of so many rows: the first row of each, then n. */
static size_t *ends_of(SEXP size) {
  const size_t cells = (size_t)Rf_xlength(size);
  const double *rows = ffi_doubles(size, -1, "size");
  size_t *end = (size_t *)R_alloc(cells + 1, sizeof(size_t));
  end[0] = 0;
  for (size_t c = 0; c < cells; c++) {
    if (!(rows[c] >= 1 && rows[c] <= 2147483647 && rows[c] == floor(rows[c])))
      Rf_error("size must hold whole numbers from 1 on");
    end[c + 1] = end[c] + (size_t)rows[c];
  }
  return end;
}

/* cells: sums of B over pairs of cells; size: rows of each; first: of each run its first
 * cell. 2 x 2: the largest fall of W in a run by one change and by up to two, over the
 * W/m of the run, and the run. */
SEXP ffi_falls(SEXP cells, SEXP size, SEXP first, SEXP least_) {
  const size_t number = (size_t)Rf_xlength(size), runs = (size_t)Rf_xlength(first);
  const double *between = ffi_finite(cells, (R_xlen_t)(number * number), "cells");
  const int *from = ffi_integers(first, (R_xlen_t)runs, "first");
  const size_t *end = ends_of(size), least = ffi_count(least_, 1, 2147483647, "least");
  double *room = (double *)R_alloc((number + 1) * (number + 2), sizeof(double)), fall[2];
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, 2, 2));
  double *best = REAL(out);
  if (runs == 0)
    Rf_error("first must ascend from 1");
  R_CheckUserInterrupt();
  for (size_t r = 0; r < runs; r++) {
    const size_t at = (size_t)from[r] - 1,
                 to = r + 1 < runs ? (size_t)from[r + 1] - 1 : number;
    if (from[r] < 1 || at >= to || to > number)
      Rf_error("first must ascend from 1");
    kg_run_falls(between + at * (number + 1), number, end + at, to - at, least, room,
                 fall);
    for (int a = 0; a < 2; a++) {
      if (r > 0 && !(fall[a] > best[2 * a]))
        continue;
      best[2 * a] = fall[a];
      best[2 * a + 1] = (double)r + 1;
    }
  }
  UNPROTECT(1);
  return out;
}

/* x: n x d, a series; between: sums of B over pairs of cells of adjacent rows; size: rows
 * of each cell; settings: list(least, changes, width, price). Returns list(phi, changes)
 * of the least value. */
SEXP ffi_dependence(SEXP x, SEXP between, SEXP size, SEXP settings) {
  static const char *const names[] = {"phi", "changes"};
  if (!Rf_isMatrix(x) || Rf_nrows(x) <= KG_ORDER || Rf_ncols(x) < 1)
    Rf_error("x must be a matrix of more than %d rows", KG_ORDER);
  kg_dependence t = {.n = (size_t)Rf_nrows(x),
                     .d = (size_t)Rf_ncols(x),
                     .cells = (size_t)Rf_xlength(size)};
  const double n = (double)t.n;
  t.x = ffi_finite(x, -1, "x");
  t.between = ffi_finite(between, (R_xlen_t)(t.cells * t.cells), "between");
  t.least = ffi_count(ffi_need(settings, "least"), 1, n, "least");
  t.changes = ffi_count(ffi_need(settings, "changes"), 0, 1000, "changes");
  t.width = ffi_count(ffi_need(settings, "width"), 0, n, "width");
  t.price = ffi_number(ffi_need(settings, "price"), 0, 1e6, "price");
  t.end = ends_of(size);
  if (t.end[t.cells] != t.n)
    Rf_error("size must have the sum %.0f", n);
  FFI_LAY(kg_dependence_lay(&t, &room));
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, KG_ORDER, (int)t.d));
  R_CheckUserInterrupt();
  const size_t most = kg_dependence_begin(&t);
  double least = HUGE_VAL;
  for (size_t m = 0; m <= most; m++) {
    R_CheckUserInterrupt();
    const double value = kg_dependence_try(&t, m);
    if (m > 0 && !(value < least))
      continue;
    least = value;
    memcpy(REAL(VECTOR_ELT(out, 0)), t.phi, KG_ORDER * t.d * sizeof(double));
    SET_VECTOR_ELT(out, 1, Rf_ScalarInteger((int)m));
  }
  UNPROTECT(1);
  return out;
}
