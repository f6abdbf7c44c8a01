/* ffi_features.c - explicit features and given means: distances, the nearest mean, the
 * features themselves. */
#include "ffi.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_rule.h"
#include <math.h>
#include <string.h>

/* An engine that has nothing but its means; w may be left out. */
static kg_means means_of(SEXP problem, SEXP means, size_t *k) {
  kg_input *input = (kg_input *)R_alloc(1, sizeof(kg_input));
  const kg_features *from = ffi_features_of(problem);
  input->values = from;
  input->n = from->n;
  input->kind = from->q ? &kg_short_features : &kg_double_features;
  input->w = NULL;
  const double *mean = ffi_doubles(means, -1, "means");
  *k = (size_t)Rf_xlength(means) / from->width;
  if (*k < 1 || *k > 2147483647 || *k * from->width != (size_t)Rf_xlength(means))
    Rf_error("means must have a row a feature");
  kg_means f;
  FFI_LAY(kg_means_lay(&f, input, *k, NULL, &room));
  memcpy(f.mean, mean, *k * from->width * sizeof(double));
  for (size_t l = 0; l < *k; l++)
    f.e.count[l] = 1;
  return f;
}

static size_t piece_of(const kg_means *f, size_t each) {
  return ffi_piece((double)f->from->width * (double)each);
}

/* Squared distances to given means (width x k): n x k. */
SEXP ffi_features_distances(SEXP problem, SEXP means) {
  size_t k;
  kg_means f = means_of(problem, means, &k);
  size_t n = f.e.n, piece = piece_of(&f, k);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)k));
  for (size_t i = 0; i < n; i++) {
    if (i % piece == 0)
      R_CheckUserInterrupt();
    for (size_t l = 0; l < k; l++)
      REAL(out)[i + l * n] = kg_means_d2(&f, i, l);
  }
  UNPROTECT(1);
  return out;
}

/* Every point to the nearest of given means: labels, and for each cluster the sum of
 * w d2, the sum of w z (width x k) and the weight. */
SEXP ffi_features_assign(SEXP problem, SEXP means) {
  static const char *const names[] = {"cluster", "cost", "sums", "s"};
  size_t k;
  kg_means f = means_of(problem, means, &k);
  size_t n = f.e.n, width = f.from->width, piece = piece_of(&f, k);
  const double *w = ffi_problem_weights(problem, n);
  SEXP out = PROTECT(ffi_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)k));
  SET_VECTOR_ELT(out, 2, Rf_allocMatrix(REALSXP, (int)width, (int)k));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)k));
  int *cluster = INTEGER(VECTOR_ELT(out, 0));
  double *cost = REAL(VECTOR_ELT(out, 1)), *sums = REAL(VECTOR_ELT(out, 2));
  double *s = REAL(VECTOR_ELT(out, 3));
  memset(cost, 0, k * sizeof(double));
  memset(sums, 0, width * k * sizeof(double));
  memset(s, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    double least = HUGE_VAL, best = 0;
    if (i % piece == 0)
      R_CheckUserInterrupt();
    kg_means_nearest(&f.e, k, i, i + 1, &least, &best);
    size_t l = (size_t)best;
    cluster[i] = (int)l + 1;
    if (w[i] == 0)
      continue;
    cost[l] += w[i] * least;
    s[l] += w[i];
    kg_means_add(f.from, i, w[i], sums + l * width);
  }
  UNPROTECT(1);
  return out;
}

/* Rows that are numbers of points. */
static const int *rows_of(SEXP rows_, R_xlen_t length, const kg_features *f) {
  const int *rows = ffi_integers(rows_, length, "rows");
  size_t b = (size_t)Rf_xlength(rows_);
  if (b < 1 || b > 2147483647)
    Rf_error("there must be rows");
  for (size_t i = 0; i < b; i++)
    if (rows[i] < 1 || (size_t)rows[i] > f->n)
      Rf_error("rows must lie between 1 and n");
  return rows;
}

/* Squared distances of pairs of points: i and j are row numbers. */
SEXP ffi_features_rho(SEXP problem, SEXP i_, SEXP j_) {
  const kg_features *f = ffi_features_of(problem);
  const int *i = rows_of(i_, -1, f), *j = rows_of(j_, Rf_xlength(i_), f);
  R_xlen_t pairs = Rf_xlength(i_);
  double *a = (double *)R_alloc(2 * f->width, sizeof(double)), *b = a + f->width;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, pairs));
  for (R_xlen_t at = 0; at < pairs; at++) {
    if (at % 1024 == 0)
      R_CheckUserInterrupt();
    kg_means_coordinates(f, (size_t)i[at] - 1, a);
    kg_means_coordinates(f, (size_t)j[at] - 1, b);
    REAL(out)[at] = kg_squared(a, b, f->width);
  }
  UNPROTECT(1);
  return out;
}

/* The features of some points: doubles, width x rows, or as they are. */
SEXP ffi_features_take(SEXP problem, SEXP rows_, SEXP doubles_) {
  const kg_features *f = ffi_features_of(problem);
  int doubles = ffi_count(doubles_, 0, 1, "doubles") == 1;
  const int *rows = rows_of(rows_, -1, f);
  size_t b = (size_t)Rf_xlength(rows_), width = f->width;
  if (!f->q)
    doubles = 1;
  double bytes = ffi_features_bytes(width, b);
  SEXP out = PROTECT(doubles ? Rf_allocMatrix(REALSXP, (int)width, (int)b)
                             : Rf_allocVector(RAWSXP, ffi_length(bytes, "features")));
  for (size_t i = 0; i < b; i++) {
    if (i % 1024 == 0)
      R_CheckUserInterrupt();
    size_t row = (size_t)rows[i] - 1;
    if (doubles)
      kg_means_coordinates(f, row, REAL(out) + i * width);
    else
      memcpy(RAW(out) + 2 * i * width, f->q + row * width, 2 * width);
    if (!doubles)
      memcpy(RAW(out) + 2 * b * width + 4 * i, f->unit + row, 4);
  }
  UNPROTECT(1);
  return out;
}
