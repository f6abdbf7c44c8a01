/* ffi_pairs.c - pair values and sums of them for given points and partitions. */
#include "ffi.h"
#include <string.h>

enum { SQUARE = 32 };

static double *zeros(size_t n) {
  double *out = (double *)R_alloc(n, sizeof(double));
  memset(out, 0, n * sizeof(double));
  return out;
}

/* list(M, t): sums of w_x w_y B_xy between the groups (k x k) and of w_x B_xx */
SEXP ffi_dispersion(SEXP store, SEXP w, SEXP label, SEXP k_) {
  static const char *const names[] = {"M", "t"};
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k"), step = ffi_piece(&pairs);
  const double *weight = ffi_weights(w, n);
  int *group = (int *)R_alloc(n, sizeof(int));
  ffi_labels(ffi_integers(label, (R_xlen_t)n, "label"), n, k, group, "label");
  ffi_length((double)k * (double)k + (double)k, "sums between the groups");
  double *low = zeros(k * k + k), *buffer = zeros(n), *bucket = zeros(k);
  SEXP out = PROTECT(ffi_list(2, names));
  SEXP M = Rf_allocMatrix(REALSXP, (int)k, (int)k);
  SET_VECTOR_ELT(out, 0, M);
  SEXP t = Rf_allocVector(REALSXP, (R_xlen_t)k);
  SET_VECTOR_ELT(out, 1, t);
  memset(REAL(M), 0, k * k * sizeof(double));
  memset(REAL(t), 0, k * sizeof(double));
  for (size_t i = 0; i < n; i += step) {
    R_CheckUserInterrupt();
    kg_dispersion_rows(&pairs, weight, group, k, i, i + step < n ? i + step : n, REAL(M),
                       low, REAL(t), low + k * k, buffer, bucket);
  }
  for (size_t a = 0; a < k * k; a++) REAL(M)[a] += low[a];
  for (size_t a = 0; a < k; a++) REAL(t)[a] += low[k * k + a];
  UNPROTECT(1);
  return out;
}

/* B v */
SEXP ffi_product(SEXP store, SEXP v) {
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, step = ffi_piece(&pairs);
  const double *value = ffi_doubles(v, (R_xlen_t)n, "v");
  double *buffer = zeros(n);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
  memset(REAL(out), 0, n * sizeof(double));
  for (size_t i = 0; i < n; i += step) {
    R_CheckUserInterrupt();
    kg_product_rows(&pairs, value, i, i + step < n ? i + step : n, REAL(out), buffer);
  }
  UNPROTECT(1);
  return out;
}

void ffi_cross(const kg_pairs *columns, const kg_pairs *points, const double *w,
               const int *rows, const int *label, size_t m, size_t k, double *R) {
  size_t most = kg_quads_most(m, k), n = columns->n, step;
  kg_quads quads;
  quads.y = (double *)R_alloc(4 * points->d * most, sizeof(double));
  quads.weight = (double *)R_alloc(4 * most, sizeof(double));
  quads.label = (int *)R_alloc(most, sizeof(int));
  kg_quads_fill(&quads, points, w, rows, label, m, k);
  step = (ffi_piece(points) * n / (4 * quads.n + 1) / KG_STRETCH + 1) * KG_STRETCH;
  for (size_t i = 0; i < n; i += step) {
    R_CheckUserInterrupt();
    kg_cross_sums(columns, &quads, i, i + step < n ? i + step : n, R, n);
  }
}

static const double *new_points(SEXP newdata, const kg_pairs *pairs, size_t *m) {
  if (pairs->d < 1) Rf_error("new points need a store of points");
  const double *y = ffi_doubles(newdata, -1, "newdata");
  R_xlen_t length = Rf_xlength(newdata);
  if (length % (R_xlen_t)pairs->d != 0) Rf_error("newdata must have d columns");
  *m = (size_t)length / pairs->d;
  return y;
}

/* m x k: sums over the groups of w_y B(new, y) */
SEXP ffi_cross_sums(SEXP store, SEXP newdata, SEXP w, SEXP label, SEXP k_) {
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k"), m;
  const double *y = new_points(newdata, &pairs, &m);
  const double *weight = ffi_weights(w, n);
  int *group = (int *)R_alloc(n, sizeof(int));
  ffi_labels(ffi_integers(label, (R_xlen_t)n, "label"), n, k, group, "label");
  if ((double)m * (double)k > 2147483647.0) Rf_error("newdata has too many rows");
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)m, (int)k));
  memset(REAL(out), 0, m * k * sizeof(double));
  kg_pairs columns = kg_points(y, m, pairs.d, pairs.rho);
  ffi_cross(&columns, &pairs, weight, NULL, group, n, k, REAL(out));
  UNPROTECT(1);
  return out;
}

/* m x n: B(new, y) itself */
SEXP ffi_cross_values(SEXP store, SEXP newdata) {
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, m, step = ffi_piece(&pairs);
  const double *y = new_points(newdata, &pairs, &m);
  double *row = zeros(n);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, ffi_extent(m, "the values"), (int)n));
  for (size_t i = 0; i < m; i++) {
    if (i % step == 0) R_CheckUserInterrupt();
    kg_point_row(&pairs, y + i, m, row);
    for (size_t j = 0; j < n; j++) REAL(out)[i + j * m] = row[j];
  }
  UNPROTECT(1);
  return out;
}

/* n x n: B itself */
SEXP ffi_pair_values(SEXP store) {
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, step = ffi_piece(&pairs);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)n));
  double *B = REAL(out);
  double *value = zeros(4 * n);
  for (size_t i = 0; i < n; i += 4) {
    size_t rows[4] = {i, i + 1, i + 2, i + 3}, many = n - i < 4 ? n - i : 4;
    if (i % step < 4) R_CheckUserInterrupt();
    pairs.block(&pairs, rows, many, i, n, value);
    for (size_t r = 0; r < many; r++)
      memcpy(B + (i + r) * n + i, value + r * (n - i), (n - i) * sizeof(double));
  }
  for (size_t i = 0; i < n; i++) B[i * n + i] = pairs.self(&pairs, i);
  /* the other triangle, in squares that stay in cache */
  for (size_t a = 0; a < n; a += SQUARE) {
    R_CheckUserInterrupt();
    for (size_t b = 0; b <= a; b += SQUARE)
      for (size_t i = a; i < n && i < a + SQUARE; i++)
        for (size_t j = b; j < i && j < b + SQUARE; j++) B[i * n + j] = B[j * n + i];
  }
  UNPROTECT(1);
  return out;
}
