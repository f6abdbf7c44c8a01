/* ffi_features.c - weighted k-means on explicit features. */
#include "ffi.h"
#include <string.h>

/* Points visited between two polls for interrupts. */
static size_t piece_of(const kg_features *f) {
  double points = 16777216.0 / ((double)f->k * (double)f->m);
  return points < 1 ? 1 : (size_t)points;
}

static kg_features new_features(const double *z, const double *w, size_t m, size_t n,
                                size_t k) {
  kg_features f = {z, w, m, n, k, NULL, NULL, NULL, NULL, 0, 0};
  f.label = (int *)R_alloc(n, sizeof(int));
  f.mean = (double *)R_alloc(m * k, sizeof(double));
  f.s = (double *)R_alloc(k, sizeof(double));
  f.count = (size_t *)R_alloc(k, sizeof(size_t));
  return f;
}

static void totals(kg_features *f) {
  if (kg_features_totals(f) == KG_NOT_FINITE) Rf_error("features are not finite");
}

static int descend(kg_features *f, size_t iter_max, double *iterations) {
  size_t piece = piece_of(f);
  *iterations = 0;
  for (size_t sweep = 0; sweep < iter_max; sweep++) {
    size_t made = 0;
    for (size_t at = 0; at < f->n; at += piece) {
      R_CheckUserInterrupt();
      made += kg_features_hartigan(f, at, at + piece < f->n ? at + piece : f->n);
    }
    *iterations += 1;
    totals(f);
    if (made == 0) return 1;
  }
  return 0;
}

/* z: m x n. Starts: n x a labels from 1, or else NULL and uniforms of k * candidates
 * values a start. Returns the best: labels, means, cost of every start. */
SEXP ffi_features(SEXP z_, SEXP w_, SEXP k_, SEXP starts, SEXP candidates_, SEXP uniforms,
                  SEXP iter_max_) {
  static const char *const names[] = {"cluster",   "means", "W",    "objectives",
                                      "iterations", "best",  "converged"};
  R_xlen_t length = Rf_xlength(w_);
  const double *z = ffi_doubles(z_, -1, "z");
  if (length < 1 || length > 2147483647 || Rf_xlength(z_) < length ||
      Rf_xlength(z_) % length != 0)
    Rf_error("z must have one column of features a point");
  size_t n = (size_t)length, m = (size_t)(Rf_xlength(z_) / length);
  const double *w = ffi_weights(w_, n);
  size_t k = ffi_count(k_, 1, (double)n, "k");
  size_t iter_max = ffi_count(iter_max_, 0, 2147483647, "iter_max");
  size_t candidates = ffi_count(candidates_, 1, 1000, "candidates"), n_starts;
  const int *start = NULL;
  const double *u = NULL;
  if (starts == R_NilValue) {
    u = ffi_uniforms(uniforms);
    size_t each = (size_t)ffi_length((double)k * (double)candidates, "a start");
    n_starts = (size_t)Rf_xlength(uniforms) / each;
    if (n_starts * each != (size_t)Rf_xlength(uniforms))
      Rf_error("uniforms must hold k * candidates values a start");
  } else {
    if (uniforms != R_NilValue) Rf_error("uniforms are for starts that are not given");
    start = ffi_integers(starts, -1, "starts");
    n_starts = (size_t)Rf_xlength(starts) / n;
    if (n_starts * n != (size_t)Rf_xlength(starts)) Rf_error("starts must have n rows");
  }
  int width = ffi_extent(m, "the means");
  if (n_starts < 1) Rf_error("at least one start is needed");

  kg_features now = new_features(z, w, m, n, k), best = new_features(z, w, m, n, k);
  double *nearest = (double *)R_alloc(n, sizeof(double));
  SEXP out = PROTECT(ffi_list(7, names));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)n_starts));
  SET_VECTOR_ELT(out, 4, Rf_allocVector(REALSXP, (R_xlen_t)n_starts));
  double *cost = REAL(VECTOR_ELT(out, 3)), *iterations = REAL(VECTOR_ELT(out, 4));
  size_t winner = n_starts;
  int converged = 0;
  for (size_t a = 0; a < n_starts; a++) {
    if (start)
      ffi_labels(start + a * n, n, k, now.label, "starts");
    else {
      memset(now.label, 0, n * sizeof(int));
      for (size_t l = 0; l < k; l++) {
        R_CheckUserInterrupt();
        kg_features_plusplus(&now, l, candidates, u + (a * k + l) * candidates, nearest);
      }
    }
    totals(&now);
    for (size_t l = 0; l < k; l++)
      if (now.count[l] == 0) Rf_error("a cluster starts without a point");
    int done = descend(&now, iter_max, iterations + a);
    cost[a] = kg_features_cost(&now);
    if (winner == n_starts || cost[a] < cost[winner] - best.tolerance) {
      kg_features kept = best;
      best = now;
      now = kept;
      winner = a;
      converged = done;
    }
  }
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, width, (int)k));
  int *cluster = INTEGER(VECTOR_ELT(out, 0));
  for (size_t i = 0, piece = piece_of(&best); i < n; i++) {
    if (i % piece == 0) R_CheckUserInterrupt();
    cluster[i] = 1 + (w[i] > 0 ? best.label[i] : (int)kg_features_nearest(&best, i));
  }
  memcpy(REAL(VECTOR_ELT(out, 1)), best.mean, m * k * sizeof(double));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(cost[winner]));
  SET_VECTOR_ELT(out, 5, Rf_ScalarReal((double)winner + 1));
  SET_VECTOR_ELT(out, 6, Rf_ScalarLogical(converged));
  UNPROTECT(1);
  return out;
}
