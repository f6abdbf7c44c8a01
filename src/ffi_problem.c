/* ffi_problem.c - a problem out of its named list. A new kind of store is one more row of
 * the table at the end. */
#include "ffi.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_pairs.h"
#include "kg_semimetric.h"
#include "kg_sparse.h"
#include "kg_state.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static kg_pairs points(SEXP store) {
  kg_coordinates x = ffi_matrix(store, "x");
  ffi_euclidean(x.rho);
  return kg_points(x.x, x.n, x.d, x.rho);
}

static kg_pairs packed(SEXP store) {
  size_t n = ffi_size(store);
  R_xlen_t length = ffi_length((double)n * (double)(n - 1) / 2, "values");
  return kg_packed(ffi_doubles(ffi_need(store, "values"), length, "values"), n,
                   ffi_semimetric(ffi_need(store, "rho")));
}

static kg_pairs dense(SEXP store) {
  size_t n = ffi_size(store);
  R_xlen_t length = ffi_length((double)n * (double)n, "values");
  const double *values = ffi_doubles(ffi_need(store, "values"), length, "values");
  SEXP half = ffi_field(store, "half");
  if (half != R_NilValue)
    return kg_dense(values, ffi_doubles(half, (R_xlen_t)n, "half"), n);
  for (size_t i = 0; i < n; i++)
    if (values[i * n + i] != 0)
      Rf_error("pairwise dissimilarities must be 0 on the diagonal");
  return kg_dense(values, NULL, n);
}

static kg_pairs connected(SEXP store);

size_t ffi_check_columns(SEXP start, SEXP row) {
  const int *p = ffi_integers(start, -1, "start");
  const int *r = ffi_integers(row, -1, "row");
  if (XLENGTH(start) < 2)
    Rf_error("start is too short");
  const R_xlen_t n = XLENGTH(start) - 1;
  if (p[0] != 0 || p[n] != XLENGTH(row))
    Rf_error("start does not fit row");
  for (R_xlen_t i = 0; i < n; i++)
    if (p[i] > p[i + 1])
      Rf_error("start must not fall");
  const void *top = vmaxget();
  int *seen =
      (int *)R_alloc((size_t)n, sizeof(int)); /* 1 + the last column with that row */
  memset(seen, 0, (size_t)n * sizeof(int));
  for (R_xlen_t i = 0; i < n; i++)
    for (int e = p[i]; e < p[i + 1]; e++) {
      if (r[e] < 0 || r[e] >= n || r[e] == i)
        Rf_error("row is out of range");
      if (seen[r[e]] == (int)i + 1)
        Rf_error("row must not repeat within a column");
      seen[r[e]] = (int)i + 1;
    }
  vmaxset(top);
  return (size_t)n;
}

static kg_sparse sparse(SEXP store) {
  SEXP start = ffi_need(store, "start"), row = ffi_need(store, "row");
  kg_sparse b;
  b.n = ffi_check_columns(start, row);
  b.start = INTEGER_RO(start);
  b.row = INTEGER_RO(row);
  b.value = ffi_finite(ffi_need(store, "value"), XLENGTH(row), "value");
  b.diagonal = ffi_finite(ffi_need(store, "diagonal"), (R_xlen_t)b.n, "diagonal");
  return b;
}

double ffi_features_bytes(size_t width, size_t n) {
  return (2 * (double)width + sizeof(float)) * (double)n;
}

/* z: doubles, width x n, or a raw vector: 16 bits a value, a multiple of 16 values a
 * point, then the points' units in single precision */
static kg_features features(SEXP store) {
  SEXP z = ffi_need(store, "z");
  kg_features f = {NULL, NULL, NULL, 0, ffi_size(store)};
  size_t length = (size_t)Rf_xlength(z);
  if (TYPEOF(z) == RAWSXP) {
    size_t each = length / f.n;
    if (length % f.n != 0 || each < 36 || (each - 4) % 32 != 0)
      Rf_error("features must hold a multiple of 16 values a point");
    f.width = (size_t)ffi_extent((each - 4) / 2, "features");
    f.q = (const int16_t *)(const void *)RAW_RO(z);
    f.unit = (const float *)(const void *)(RAW_RO(z) + 2 * f.width * f.n);
    return f;
  }
  f.z = ffi_doubles(z, -1, "z");
  if (length < f.n || length % f.n != 0)
    Rf_error("z must have one column of features a point");
  f.width = (size_t)ffi_extent(length / f.n, "features");
  return f;
}

/* ---- the table of stores ---- */

typedef struct {
  const char *class;
  kg_pairs (*pairs)(SEXP store); /* NULL: it has no pairwise dissimilarities of its own */
} store_row;

enum { N_BASES = 3, SPARSE = 4, FEATURES, METRIC, ROWS, N_STORES };

static const store_row stores[N_STORES] = {
    {"kgroups_points", points},
    {"kgroups_packed", packed},
    {"kgroups_dense", dense},
    {"kgroups_connected", connected},
    {"kgroups_sparse", NULL},
    {"kgroups_features", NULL},
    {"kgroups_metric", ffi_metric_pairs},
    {"kgroups_rows", ffi_rows_pairs},
};

/* base: one of the first stores; branch: from 1; H: a square matrix */
static kg_pairs connected(SEXP store) {
  SEXP base = ffi_need(store, "base"), branch = ffi_need(store, "branch");
  SEXP H = ffi_need(store, "H");
  kg_with_gaps *both = (kg_with_gaps *)R_alloc(1, sizeof(kg_with_gaps));
  int row = 0;
  while (row < N_BASES && !Rf_inherits(base, stores[row].class))
    row++;
  if (row == N_BASES)
    Rf_error("the base must be a store of pairwise dissimilarities");
  both->base = stores[row].pairs(base);
  size_t n = both->base.n, m = (size_t)Rf_nrows(H);
  int *own = (int *)R_alloc(n, sizeof(int));
  both->gaps.H = ffi_doubles(H, ffi_length((double)m * (double)m, "H"), "H");
  ffi_labels(ffi_integers(branch, (R_xlen_t)n, "branch"), n, m, own, "branch");
  both->gaps.branch = own;
  both->gaps.m = m;
  return kg_connect(both);
}

/* The store of a problem, or the store itself, and its row. */
static SEXP store_of(SEXP problem, int *row) {
  SEXP inside = ffi_field(problem, "store");
  SEXP store = inside == R_NilValue ? problem : inside;
  for (*row = N_STORES; TYPEOF(store) == VECSXP && (*row)-- > 0;)
    if (Rf_inherits(store, stores[*row].class)) /* the last first: codes are points too */
      return store;
  Rf_error("a problem must be a list with a store of a known class");
}

kg_pairs ffi_pairs(SEXP problem) {
  int row;
  SEXP store = store_of(problem, &row);
  if (!stores[row].pairs)
    Rf_error("this store has no pairwise dissimilarities");
  return stores[row].pairs(store);
}

const double *ffi_problem_weights(SEXP problem, size_t n) {
  return ffi_weights(ffi_need(problem, "w"), n);
}

const kg_features *ffi_features_of(SEXP problem) {
  int row;
  SEXP store = store_of(problem, &row);
  if (row != FEATURES)
    Rf_error("the store must hold features");
  kg_features *f = (kg_features *)R_alloc(1, sizeof(kg_features));
  *f = features(store);
  return f;
}

const kg_input *ffi_input(SEXP problem) {
  int row;
  SEXP store = store_of(problem, &row);
  kg_input *input = (kg_input *)R_alloc(1, sizeof(kg_input));
  if (stores[row].pairs) {
    kg_pairs *pairs = (kg_pairs *)R_alloc(1, sizeof(kg_pairs));
    *pairs = stores[row].pairs(store);
    input->values = pairs;
    input->n = pairs->n;
    input->kind = &kg_pair_sums;
  } else if (row == SPARSE) {
    kg_sparse *b = (kg_sparse *)R_alloc(1, sizeof(kg_sparse));
    *b = sparse(store);
    input->values = b;
    input->n = b->n;
    input->kind = &kg_sparse_rows;
  } else {
    const kg_features *f = ffi_features_of(store);
    input->values = f;
    input->n = f->n;
    input->kind = f->q ? &kg_short_features : &kg_double_features;
  }
  input->w = ffi_problem_weights(problem, input->n);
  return input;
}
