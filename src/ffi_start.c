/* ffi_start.c - starting labels: k-means++, and from a partition of a sample. */
#include "ffi.h"
#include <math.h>
#include <string.h>

/* n x m labels from 1: one k-means++ start a column; uniforms has k * candidates rows. */
SEXP ffi_plusplus(SEXP store, SEXP w, SEXP k_, SEXP candidates_, SEXP uniforms) {
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k");
  size_t candidates = ffi_count(candidates_, 1, 1000, "candidates");
  const double *weight = ffi_weights(w, n), *u = ffi_uniforms(uniforms);
  size_t each = (size_t)ffi_length((double)k * (double)candidates, "a start");
  size_t m = (size_t)Rf_xlength(uniforms) / each;
  if (m == 0 || m * each != (size_t)Rf_xlength(uniforms))
    Rf_error("uniforms must hold k * candidates values a start");
  if ((double)n * (double)m > 2147483647.0 * 16) Rf_error("too many starts");
  double *nearest = (double *)R_alloc(n, sizeof(double));
  double *buffer = (double *)R_alloc(n, sizeof(double));
  SEXP out = PROTECT(Rf_allocMatrix(INTSXP, (int)n, ffi_extent(m, "the starts")));
  memset(INTEGER(out), 0, n * m * sizeof(int));
  for (size_t a = 0; a < m; a++) {
    int *label = INTEGER(out) + a * n;
    for (size_t l = 0; l < k; l++) {
      R_CheckUserInterrupt();
      kg_plusplus_step(&pairs, weight, l, candidates, u + (a * k + l) * candidates, label,
                       nearest, buffer);
    }
    for (size_t i = 0; i < n; i++) label[i]++;
  }
  UNPROTECT(1);
  return out;
}

/* Labels of all points from a partition of some of them (rows from 1): each to the
 * nearest of the means that the sample gives. */
SEXP ffi_extend(SEXP store, SEXP w, SEXP k, SEXP rows_, SEXP label_) {
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, groups = ffi_count(k, 1, (double)n, "k"), step = ffi_piece(&pairs);
  size_t m = (size_t)Rf_xlength(rows_);
  const int *rows = ffi_integers(rows_, -1, "rows");
  const int *label = ffi_integers(label_, (R_xlen_t)m, "label");
  const double *weight = ffi_weights(w, n);
  int threads = ffi_threads();
  double *workspace = ffi_workspace(&pairs, threads);
  kg_state state =
      ffi_new_state(&pairs, weight, ffi_self(&pairs), workspace, threads, groups);
  memset(state.R, 0, kg_state_doubles(n, groups) * sizeof(double));
  memset(state.count, 0, groups * sizeof(size_t));
  int *row = (int *)R_alloc(m, sizeof(int)), *group = (int *)R_alloc(m, sizeof(int));
  for (size_t a = 0; a < m; a++) {
    if (rows[a] < 1 || (size_t)rows[a] > n || label[a] < 1 || (size_t)label[a] > groups)
      Rf_error("rows or label out of range");
    size_t l = (size_t)label[a] - 1;
    state.s[l] += weight[rows[a] - 1];
    state.count[l] += weight[rows[a] - 1] > 0;
    row[a] = rows[a] - 1;
    group[a] = (int)l;
  }
  if (pairs.d > 0) ffi_cross(&pairs, &pairs, weight, row, group, m, groups, state.R);
  double *value = (double *)R_alloc(4 * n, sizeof(double));
  for (size_t a = 0; pairs.d == 0 && a < m; a += 4) {
    size_t many = m - a < 4 ? m - a : 4, point[4];
    if (a % step == 0) R_CheckUserInterrupt();
    for (size_t b = 0; b < many; b++) point[b] = (size_t)rows[a + b] - 1;
    pairs.block(&pairs, point, many, 0, n, value);
    for (size_t b = 0; b < many; b++)
      kg_chosen_loops->add(value + b * n, weight[point[b]], n,
                           state.R + (size_t)(label[a + b] - 1) * n);
  }
  for (size_t a = 0; a < m; a++) {
    size_t y = (size_t)rows[a] - 1, l = (size_t)label[a] - 1;
    state.V[l] += weight[y] * state.R[y + l * n];
  }
  kg_derive(&state);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n));
  for (size_t from = 0, to; from < n; from = to) {
    double least[KG_BLOCK], best[KG_BLOCK];
    to = n - from < KG_BLOCK ? n : from + KG_BLOCK;
    if (from % (16 * KG_BLOCK) == 0) R_CheckUserInterrupt();
    for (size_t a = 0; a < to - from; a++) least[a] = HUGE_VAL, best[a] = 0;
    kg_nearest_means(&state, groups, from, to, least, best);
    for (size_t i = from; i < to; i++) INTEGER(out)[i] = (int)best[i - from] + 1;
  }
  for (size_t a = 0; a < m; a++)
    if (weight[rows[a] - 1] > 0) INTEGER(out)[rows[a] - 1] = label[a];
  UNPROTECT(1);
  return out;
}
