/* ffi_pairs.c - pairwise dissimilarities and sums of them for given points and
 * partitions, and the check of a matrix that is declared a Gram matrix. */
#include "ffi.h"
#include "kg_coordinates.h"
#include "kg_features.h"
#include "kg_pairs.h"
#include "kg_semimetric.h"
#include "kg_state.h"
#include "kg_sums.h"
#include "kg_tiles.h"
#include <string.h>

enum { SQUARE = 32 };

static double *zeros(size_t n) {
  double *out = (double *)R_alloc(n, sizeof(double));
  memset(out, 0, n * sizeof(double));
  return out;
}

/* M_ab = the sum over group a of w_x R_xb, from the sums R of a first pass; M = M'. */
static void sums_of_state(kg_state *state, double *M, double *low) {
  size_t n = state->e.n, k = state->e.k;
  kg_engine *e = &state->e;
  ffi_begin(&e, 1);
  for (size_t b = 0; b < k; b++)
    for (size_t i = 0; i < n; i++)
      kg_add_compensated(M + (size_t)e->label[i] + b * k, low + (size_t)e->label[i] + b * k,
                         e->w[i] * state->R[i + b * n]);
  for (size_t a = 0; a < k * k; a++)
    M[a] += low[a];
  for (size_t a = 0; a < k; a++)
    for (size_t b = 0; b < a; b++)
      M[a + b * k] = M[b + a * k] = (M[a + b * k] + M[b + a * k]) / 2;
}

/* k x k: sums of w_x w_y B_xy between the groups; row by row if the sums of all points
 * would leave the cache. */
SEXP ffi_dispersion(SEXP problem, SEXP labels, SEXP k_) {
  const double most = 33554432;
  kg_pairs pairs = ffi_pairs(problem);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k"), step = ffi_rows(&pairs);
  const double *w = ffi_problem_weights(problem, n);
  const int *group = ffi_integers(labels, (R_xlen_t)n, "labels");
  ffi_length((double)k * (double)k, "sums between the groups");
  double *low = zeros(k * k);
  SEXP M = PROTECT(Rf_allocMatrix(REALSXP, (int)k, (int)k));
  memset(REAL(M), 0, k * k * sizeof(double));
  if ((double)n * (double)k <= most && kg_tiles_take(&pairs)) {
    kg_state *state = ffi_state_of(problem, k_);
    ffi_engine_labels(&state->e, group, "labels");
    sums_of_state(state, REAL(M), low);
    UNPROTECT(1);
    return M;
  }
  double *buffer = zeros(n), *bucket = zeros(k);
  int *label = (int *)R_alloc(n, sizeof(int));
  ffi_labels(group, n, k, label, "labels");
  FFI_PIECES (from, to, n, step)
    kg_dispersion_rows(&pairs, w, label, k, from, to, REAL(M), low, buffer, bucket);
  kg_dispersion_end(k, REAL(M), low);
  for (size_t a = 0; a < k * k; a++) {
    if (!R_FINITE(REAL(M)[a]))
      Rf_error("sums of pairwise dissimilarities are not finite");
  }
  UNPROTECT(1);
  return M;
}

/* B v */
SEXP ffi_product(SEXP problem, SEXP v) {
  kg_pairs pairs = ffi_pairs(problem);
  size_t n = pairs.n, step = ffi_rows(&pairs);
  const double *value = ffi_doubles(v, (R_xlen_t)n, "v");
  double *buffer = zeros(n);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
  memset(REAL(out), 0, n * sizeof(double));
  FFI_PIECES (from, to, n, step)
    kg_product_rows(&pairs, value, from, to, REAL(out), buffer);
  UNPROTECT(1);
  return out;
}

void ffi_cross(const kg_coordinates *columns, const kg_coordinates *points,
               const double *w, const int *rows, const int *label, size_t m, size_t k,
               double *R) {
  size_t most = kg_quads_most(m, k), n = columns->n, step;
  kg_quads quads;
  quads.y = (double *)R_alloc(4 * points->d * most, sizeof(double));
  quads.weight = (double *)R_alloc(4 * most, sizeof(double));
  quads.label = (int *)R_alloc(most, sizeof(int));
  kg_quads_fill(&quads, points, w, rows, label, m, k);
  step = ffi_piece((double)(points->d + 4) * (double)(4 * quads.n + 1));
  step = (step / KG_STRETCH + 1) * KG_STRETCH;
  const int team = ffi_threads();
  FFI_PIECES (from, to, n, step * (size_t)team) {
    const int strips = (int)((to - from + KG_STRETCH - 1) / KG_STRETCH);
#ifdef _OPENMP
#pragma omp parallel for num_threads(team) if (team > 1 && strips > 1) schedule(dynamic)
#endif
    for (int strip = 0; strip < strips; strip++) {
      const size_t at = from + (size_t)strip * KG_STRETCH;
      kg_cross_sums(columns, &quads, at, to - at < KG_STRETCH ? to : at + KG_STRETCH, R, n);
    }
  }
}

/* m new points of d coordinates. */
static const double *new_points(SEXP newdata, size_t d, size_t *m) {
  const double *y = ffi_doubles(newdata, -1, "newdata");
  R_xlen_t length = Rf_xlength(newdata);
  if (d == 0)
    Rf_error("new points need a store of points");
  if (length % (R_xlen_t)d != 0)
    Rf_error("newdata must have d columns");
  *m = (size_t)length / d;
  return y;
}

/* m x k: sums over the groups of w_y B(new, y) */
SEXP ffi_cross_sums(SEXP problem, SEXP newdata, SEXP labels, SEXP k_) {
  kg_pairs pairs = ffi_pairs(problem);
  const kg_coordinates *points = kg_coordinates_of(&pairs);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k"), m;
  const double *y = new_points(newdata, points ? points->d : 0, &m);
  const double *w = ffi_problem_weights(problem, n);
  int *group = (int *)R_alloc(n, sizeof(int));
  ffi_labels(ffi_integers(labels, (R_xlen_t)n, "labels"), n, k, group, "labels");
  if ((double)m * (double)k > 2147483647.0)
    Rf_error("newdata has too many rows");
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)m, (int)k));
  memset(REAL(out), 0, m * k * sizeof(double));
  kg_coordinates columns = {y, m, points->d, points->rho};
  ffi_cross(&columns, points, w, NULL, group, n, k, REAL(out));
  UNPROTECT(1);
  return out;
}

/* m x n: B(new, y) itself */
SEXP ffi_cross_values(SEXP problem, SEXP newdata) {
  kg_pairs pairs = ffi_pairs(problem);
  size_t n = pairs.n, m;
  const double *y = new_points(newdata, pairs.store->cross ? pairs.points.d : 0, &m);
  double *row = zeros(n), left = 0;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, ffi_extent(m, "the values"), (int)n));
  for (size_t i = 0; i < m; i++) {
    ffi_poll(&left, (double)n * pairs.cost);
    pairs.store->cross(&pairs, y + i, m, row);
    for (size_t j = 0; j < n; j++)
      REAL(out)[i + j * m] = row[j];
  }
  UNPROTECT(1);
  return out;
}

/* n x n: B itself */
SEXP ffi_pair_values(SEXP problem) {
  kg_pairs pairs = ffi_pairs(problem);
  size_t n = pairs.n;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)n));
  double *B = REAL(out), *value = zeros(4 * n), left = 0;
  for (size_t i = 0; i < n; i += 4) {
    size_t rows[4] = {i, i + 1, i + 2, i + 3}, many = n - i < 4 ? n - i : 4;
    ffi_poll(&left, 4 * (double)n * pairs.cost);
    kg_block(&pairs, rows, many, i, n, value);
    for (size_t r = 0; r < many; r++)
      memcpy(B + (i + r) * n + i, value + r * (n - i), (n - i) * sizeof(double));
  }
  for (size_t i = 0; i < n; i++)
    B[i * n + i] = 0;
  /* the other triangle, in squares that stay in cache */
  for (size_t a = 0; a < n; a += SQUARE) {
    R_CheckUserInterrupt();
    for (size_t b = 0; b <= a; b += SQUARE)
      for (size_t i = a; i < n && i < a + SQUARE; i++)
        for (size_t j = b; j < i && j < b + SQUARE; j++)
          B[i * n + j] = B[j * n + i];
  }
  UNPROTECT(1);
  return out;
}

/* ---- Gram matrices ---- */

/* c(largest |G|, largest |G_ij - G_ji|, i, j, row and column of the first entry that is
 * not finite), places from 1, 0 for none. */
SEXP ffi_gram_scan(SEXP G, SEXP n) {
  size_t size = ffi_count(n, 1, 2147483647, "n");
  const double *value = ffi_doubles(G, ffi_length((double)size * (double)size, "G"), "G");
  const size_t columns = ffi_piece(4 * (double)size);
  kg_gram_scan scan = kg_gram_begin();
  FFI_PIECES (from, to, size, columns < 64 ? 64 : columns)
    kg_gram_columns(value, size, from, to, &scan);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 6));
  double *to = REAL(out);
  to[0] = scan.largest;
  to[1] = scan.gap;
  to[2] = scan.gap > 0 ? (double)scan.gap_row + 1 : 0;
  to[3] = scan.gap > 0 ? (double)scan.gap_column + 1 : 0;
  to[4] = scan.finite ? 0 : (double)scan.odd_row + 1;
  to[5] = scan.finite ? 0 : (double)scan.odd_column + 1;
  UNPROTECT(1);
  return out;
}

/* rho of distances */
SEXP ffi_from_distances(SEXP distances, SEXP rho) {
  R_xlen_t n = Rf_xlength(distances);
  const double *from = ffi_doubles(distances, n, "distances");
  kg_semimetric semimetric = ffi_semimetric(rho);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
  FFI_PIECES (at, to, (size_t)n, FFI_VALUES) {
    memcpy(REAL(out) + at, from + at, (to - at) * sizeof(double));
    kg_from_distances(semimetric, REAL(out) + at, to - at);
  }
  UNPROTECT(1);
  return out;
}

/* B at pairs of rows of any store, i and j from 1. */
SEXP ffi_pairs_at(SEXP store, SEXP i_, SEXP j_) {
  kg_pairs pairs = ffi_pairs(store);
  R_xlen_t many = Rf_xlength(i_);
  const int *i = ffi_integers(i_, many, "i"), *j = ffi_integers(j_, many, "j");
  SEXP out = PROTECT(Rf_allocVector(REALSXP, many));
  double left = 0;
  for (R_xlen_t a = 0; a < many; a++) {
    if (i[a] < 1 || (size_t)i[a] > pairs.n || j[a] < 1 || (size_t)j[a] > pairs.n)
      Rf_error("rows are out of range");
    size_t column = (size_t)j[a] - 1;
    ffi_poll(&left, pairs.cost);
    kg_among(&pairs, (size_t)i[a] - 1, &column, 1, REAL(out) + a);
  }
  UNPROTECT(1);
  return out;
}
