/* ffi_inertia.c - eigenvalues of a sparse symmetric matrix below a number, from R. */
#include "ffi.h"
#include "kg_inertia.h"

#include <R_ext/Lapack.h>
#include <math.h>
#include <string.h>

#ifndef FCONE
#define FCONE
#endif

#define PIECE 4194304. /* entries of fronts between two polls */

/* Negative eigenvalues of a dense symmetric matrix (lower triangle, overwritten), by the
 * blocks of its Bunch-Kaufman factorisation; -1 if they cannot be found. */
static double dense_negative(double *a, int n) {
  if (n == 0)
    return 0;
  int *pivot = (int *)R_alloc((size_t)n, sizeof(int));
  int most = -1, info = 0;
  double wanted;
  F77_CALL(dsytrf)("L", &n, a, &n, pivot, &wanted, &most, &info FCONE);
  most = info == 0 && wanted > n ? (int)wanted : n;
  double *work = (double *)R_alloc((size_t)most, sizeof(double));
  F77_CALL(dsytrf)("L", &n, a, &n, pivot, work, &most, &info FCONE);
  if (info < 0)
    return -1;
  double negative = 0;
  for (size_t i = 0; i < (size_t)n; i++) {
    const double here = a[i + i * (size_t)n];
    if (!R_FINITE(here))
      return -1;
    if (pivot[i] > 0) {
      negative += here < 0;
      continue;
    }
    const double aside = a[i + 1 + i * (size_t)n];
    const double below = a[i + 1 + (i + 1) * (size_t)n];
    const double determinant = here * below - aside * aside;
    negative += determinant < 0 ? 1 : here + below < 0 ? 2 : 0;
    i++;
  }
  return negative;
}

/* matrix: start, row: compressed columns, both triangles, no diagonal. value: their entries, or
 * one number that all have. H = diag(diagonal) - entries. Returns c(count of eigenvalues
 * of H below shift, entries worked on); the count is NA if the budget of entries ended.
 */
SEXP ffi_inertia(SEXP matrix, SEXP shift, SEXP budget, SEXP tiny) {
  kg_inertia g;
  memset(&g, 0, sizeof g);
  SEXP start = ffi_need(matrix, "start"), row = ffi_need(matrix, "row");
  SEXP value = ffi_need(matrix, "value"), diagonal = ffi_need(matrix, "diagonal");
  g.n = ffi_check_columns(start, row);
  const size_t entries = (size_t)XLENGTH(row);
  g.start = INTEGER_RO(start);
  g.given_row = INTEGER_RO(row);
  g.diagonal = ffi_finite(diagonal, (R_xlen_t)g.n, "diagonal");
  const int same = XLENGTH(value) == 1 && entries != 1;
  const double *given = ffi_finite(value, same ? 1 : (R_xlen_t)entries, "value");
  g.value = same ? NULL : given;
  g.every = same ? given[0] : 0;
  g.most_dense = 1500;
  g.budget = ffi_number(budget, 0, 1e15, "budget");
  g.tiny = ffi_number(tiny, 0, 1e300, "tiny");
  const double at = ffi_number(shift, -1e300, 1e300, "shift");
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(out)[0] = NA_REAL;
  REAL(out)[1] = 0;
  if (2. * (double)g.n + (double)entries > 2147483647.) { /* positions are ints */
    UNPROTECT(1);
    return out;
  }
  /* a front and those it takes up, and what other fronts have left */
  const double most = fmin(8e6, (double)g.n * (double)g.n) + 4 * (double)g.n;
  const size_t room = (size_t)most;
  int *integers = (int *)R_alloc(kg_inertia_integers(g.n, entries), sizeof(int));
  const size_t n_doubles = kg_inertia_doubles(g.n, entries, !same);
  double *doubles = (double *)R_alloc(n_doubles, sizeof(double));
  size_t *positions = (size_t *)R_alloc(g.n, sizeof(size_t));
  double *values = (double *)R_alloc(room, sizeof(double));
  kg_inertia_begin(&g, at, integers, doubles, positions, values, room);
  R_CheckUserInterrupt();
  while (kg_inertia_step(&g, PIECE))
    R_CheckUserInterrupt();
  REAL(out)[1] = g.work;
  if (g.state == KG_INERTIA_DENSE) {
    double *rest = (double *)R_alloc(g.left * g.left + 1, sizeof(double));
    kg_inertia_rest(&g, rest);
    R_CheckUserInterrupt();
    const double more = dense_negative(rest, (int)g.left);
    if (more >= 0)
      REAL(out)[0] = (double)g.negative + more;
  }
  UNPROTECT(1);
  return out;
}
