/* ffi_onedim.c - best partitions of sorted numbers into runs: memory, polling, results.
 */
#include "ffi.h"
#include "kg_onedim.h"
#include <math.h>

enum { DISTINCT, TOTAL, BOUNDS, WITHIN, WEIGHT, N_RESULTS };

/* Result number i: first values of the runs 2..k, W and weight of each run. */
static void describe_runs(const kg_runs *runs, const size_t *start, size_t k,
                          int exponent, SEXP out, R_xlen_t i) {
  SEXP bounds = Rf_allocVector(REALSXP, (R_xlen_t)k - 1);
  SET_VECTOR_ELT(VECTOR_ELT(out, BOUNDS), i, bounds);
  SEXP within = Rf_allocVector(REALSXP, (R_xlen_t)k);
  SET_VECTOR_ELT(VECTOR_ELT(out, WITHIN), i, within);
  SEXP weight = Rf_allocVector(REALSXP, (R_xlen_t)k);
  SET_VECTOR_ELT(VECTOR_ELT(out, WEIGHT), i, weight);
  for (size_t l = 0; l < k; l++) {
    size_t from = start[l], to = l + 1 < k ? start[l + 1] : runs->m;
    if (l > 0)
      REAL(bounds)[l - 1] = runs->value[from];
    double s;
    double W = kg_run_dispersion(runs->value, runs->weight, from, to, &s);
    REAL(within)[l] = ldexp(W, exponent);
    REAL(weight)[l] = ldexp(s, exponent);
  }
  R_CheckUserInterrupt();
}

/* How many layers of the table the ks call for: the largest k below m, less 1. */
static size_t layers_for(const int *k, R_xlen_t n_ks, size_t m) {
  size_t layers = 0;
  for (R_xlen_t i = 0; i < n_ks; i++)
    if ((size_t)k[i] < m)
      layers = (size_t)k[i] - 1;
  return layers;
}

/* Layers of the least W by numbers of runs, of which two are kept, and the cuts of all.
 */
typedef struct {
  const kg_runs *runs;
  kg_run_moments moments;
  kg_runs_layer layer;
  double *before, *W; /* m + 1: W is the layer of j runs */
  size_t j;
  unsigned **cut; /* m each */
} layers_of_runs;

static layers_of_runs *new_layers(const kg_runs *runs, size_t layers) {
  layers_of_runs *t = (layers_of_runs *)R_alloc(1, sizeof(layers_of_runs));
  t->runs = runs;
  t->j = 1;
  if (layers > 0) {
    t->W = (double *)R_alloc(runs->m + 1, sizeof(double));
    kg_runs_first(runs, t->W);
    R_CheckUserInterrupt();
  }
  if (layers > 1) {
    t->before = (double *)R_alloc(runs->m + 1, sizeof(double));
    t->cut = (unsigned **)R_alloc(layers + 1, sizeof(unsigned *));
    FFI_LAY(kg_run_moments_lay(&t->moments, runs->m, &room));
    kg_runs_moments(runs, &t->moments);
    R_CheckUserInterrupt();
  }
  return t;
}

/* The first values of the best k runs, 1 < k < m, k rising from call to call. */
static void best_runs(layers_of_runs *t, size_t k, size_t *start) {
  const size_t m = t->runs->m;
  for (; t->j + 1 < k; t->j++) {
    double *swap = t->before;
    t->before = t->W;
    t->W = swap;
    t->cut[t->j + 1] = (unsigned *)R_alloc(m, sizeof(unsigned));
    kg_runs_layer_begin(&t->layer, &t->moments, m, t->j + 1, t->before, t->W,
                        t->cut[t->j + 1]);
    while (kg_runs_layer_step(&t->layer, 2 * FFI_VALUES))
      R_CheckUserInterrupt();
  }
  size_t end = kg_runs_last(t->runs, t->W, t->j);
  start[t->j] = end;
  for (size_t l = t->j; l > 1; l--) {
    end = t->cut[l][end];
    start[l - 1] = end;
  }
}

/* x: sorted; w: NULL or their weights, not negative; ks: increasing numbers of runs. Returns
 * list(distinct values, W of all as one run, and for each k up to the number of distinct
 * values its bounds, W and weight of each run). */
SEXP ffi_runs(SEXP x, SEXP w, SEXP ks) {
  R_xlen_t n_ks = Rf_xlength(ks);
  size_t n = (size_t)Rf_xlength(x);
  if (n < 1 || n > 2147483647)
    Rf_error("x must have 1 to 2^31 - 1 values");
  const double *sorted = ffi_finite(x, (R_xlen_t)n, "x");
  const double *given = Rf_isNull(w) ? NULL : ffi_weights(w, n);
  for (size_t i = 1; i < n; i++)
    if (sorted[i] < sorted[i - 1])
      Rf_error("x must be ascending");
  const int *k = ffi_integers(ks, n_ks, "ks");
  for (R_xlen_t i = 0; i < n_ks; i++)
    if (k[i] < 1 || (size_t)k[i] > n || (i > 0 && k[i] <= k[i - 1]))
      Rf_error("ks must increase and lie between 1 and the number of values");

  double *value = (double *)R_alloc(n, sizeof(double));
  double *weight = (double *)R_alloc(n, sizeof(double));
  int exponent;
  size_t m = kg_runs_merge(sorted, given, n, value, weight, &exponent);
  kg_runs runs = kg_runs_of(value, weight, m);
  R_CheckUserInterrupt();

  static const char *const names[] = {"distinct", "total", "bounds", "within", "weight"};
  SEXP out = PROTECT(ffi_list(N_RESULTS, names));
  SET_VECTOR_ELT(out, DISTINCT, Rf_ScalarReal((double)m));
  double s, total = kg_run_dispersion(value, weight, 0, m, &s);
  SET_VECTOR_ELT(out, TOTAL, Rf_ScalarReal(ldexp(total, exponent)));
  for (int a = BOUNDS; a <= WEIGHT; a++)
    SET_VECTOR_ELT(out, a, Rf_allocVector(VECSXP, n_ks));
  R_CheckUserInterrupt();

  layers_of_runs *layers = new_layers(&runs, layers_for(k, n_ks, m));
  size_t *start = (size_t *)R_alloc(m, sizeof(size_t));
  start[0] = 0;
  for (R_xlen_t i = 0; i < n_ks && (size_t)k[i] <= m; i++) {
    size_t wanted = (size_t)k[i];
    if (wanted == m) {
      for (size_t l = 0; l < m; l++)
        start[l] = l;
    } else if (wanted > 1) {
      best_runs(layers, wanted, start);
    }
    describe_runs(&runs, start, wanted, exponent, out, i);
  }
  UNPROTECT(1);
  return out;
}

/* Cluster of each x, 1 more than the number of bounds it reaches, numbered again by first
 * appearance. Returns list(cluster, run): run[l] is the run that became cluster l. */
SEXP ffi_runs_label(SEXP x, SEXP bounds) {
  R_xlen_t n = Rf_xlength(x), n_bounds = Rf_xlength(bounds);
  const double *at = ffi_doubles(x, n, "x");
  const double *bound = ffi_doubles(bounds, n_bounds, "bounds");
  if (n_bounds >= n)
    Rf_error("there must be fewer bounds than values");
  if (n_bounds >= 2147483647)
    Rf_error("there must be fewer than 2^31 - 1 bounds");
  size_t k = (size_t)n_bounds + 1, seen = 0;
  static const char *const names[] = {"cluster", "run"};
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, (R_xlen_t)k));
  int *cluster = INTEGER(VECTOR_ELT(out, 0)), *run = INTEGER(VECTOR_ELT(out, 1));
  int *name = (int *)R_alloc(k, sizeof(int));
  for (size_t l = 0; l < k; l++)
    name[l] = 0;
  for (R_xlen_t i = 0; i < n && seen < k; i++) {
    int l;
    if (i % FFI_VALUES == 0)
      R_CheckUserInterrupt();
    kg_runs_label(at + i, 1, bound, k - 1, NULL, &l);
    if (name[l] == 0) {
      run[seen++] = l + 1;
      name[l] = (int)seen;
    }
  }
  if (seen < k)
    Rf_error("a run between two bounds is empty");
  for (R_xlen_t i = 0; i < n; i += FFI_VALUES) {
    R_CheckUserInterrupt();
    kg_runs_label(at + i, (size_t)(n - i < FFI_VALUES ? n - i : FFI_VALUES), bound, k - 1, name,
                  cluster + i);
  }
  UNPROTECT(1);
  return out;
}
