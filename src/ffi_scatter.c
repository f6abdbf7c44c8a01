/* ffi_scatter.c - scatters for a learned metric: memory, polls, results. */
#include "ffi.h"
#include "kg_scatter.h"
#include <math.h>
#include <string.h>

/* n x d finite coordinates `x` and n weights `w` of a list. */
static const double *rows_of(SEXP points, size_t *n, size_t *d, const double **w) {
  SEXP x = ffi_need(points, "x");
  if (!Rf_isMatrix(x) || Rf_nrows(x) < 1 || Rf_ncols(x) < 1)
    Rf_error("x must be a matrix");
  *n = (size_t)Rf_nrows(x);
  *d = (size_t)Rf_ncols(x);
  *w = ffi_weights(ffi_need(points, "w"), *n);
  return ffi_finite(x, -1, "x");
}

/* The rows of cluster l, about the first of them, near the data; returns their weight. */
static double take_cluster(kg_cluster_rows *rows, const double *x, const double *w,
                           const int *label, size_t n, int l) {
  double s = 0;
  rows->m = 0;
  for (size_t i = 0; i < n; i++)
    if (label[i] == l && w[i] > 0) {
      for (size_t c = 0; c < rows->d; c++)
        rows->x[rows->m + c * rows->stride] = x[i + c * n];
      rows->w[rows->m++] = w[i];
      s += w[i];
    }
  for (size_t c = 0; c < rows->d; c++) {
    double *column = rows->x + c * rows->stride;
    const double centre = rows->m > 0 ? column[0] : 0;
    for (size_t i = 0; i < rows->m; i++)
      column[i] -= centre;
  }
  return s;
}

/* points: list(x, w, rho, least); cluster: 1..k. Returns sum_l 1/s_l sum_{x, y in C_l}
 * w_x w_y (x - y)(x - y)' u, d x d, u the slope of rho at the squared distance, or at
 * `least` if that is larger. */
SEXP ffi_pair_scatter(SEXP points, SEXP cluster, SEXP k_) {
  size_t n, d;
  const double *w, *x = rows_of(points, &n, &d, &w);
  const size_t k = ffi_count(k_, 1, (double)n, "k");
  kg_cluster_rows rows;
  rows.rho = ffi_semimetric(ffi_need(points, "rho"));
  rows.least = ffi_number(ffi_need(points, "least"), 1e-300, 1e300, "least");
  if (rows.rho.family > KG_GAUSSIAN)
    Rf_error("rho must be concave in the squared Euclidean distance");
  int *label = (int *)R_alloc(n, sizeof(int));
  ffi_labels(ffi_integers(cluster, (R_xlen_t)n, "cluster"), n, k, label, "cluster");
  FFI_LAY(kg_cluster_rows_lay(&rows, n, d, &room));
  double *half = (double *)R_alloc(d * d, sizeof(double)), left = 0;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)d, (int)d));
  double *S = REAL(out);
  memset(S, 0, d * d * sizeof(double));
  for (size_t l = 0; l < k; l++) {
    const double s = take_cluster(&rows, x, w, label, n, (int)l);
    if (rows.m < 2)
      continue;
    memset(half, 0, d * d * sizeof(double));
    kg_pair_scatter_begin(&rows);
    for (size_t i = 0; i < rows.m; i++) {
      ffi_poll(&left, (double)i * (2 * (double)d + 8));
      kg_pair_scatter(&rows, i, i + 1);
    }
    kg_pair_scatter_end(&rows, half);
    for (size_t a = 0; a < d; a++)
      for (size_t b = 0; b < d; b++)
        S[a + b * d] += (half[a + b * d] + half[b + a * d]) / s;
  }
  UNPROTECT(1);
  return out;
}

/* points: list(x, w), coordinates of which the identity is the total covariance; starts:
 * list(M (d x d x m), uniforms (k x m), power (m)); settings: list(lambda, power,
 * passes). Each run ends with three passes of the power of the settings. Returns
 * list(label (n x m, from 1), objective (m, Inf if a cluster was lost)). */
SEXP ffi_learn_means(SEXP points, SEXP k_, SEXP starts, SEXP settings) {
  size_t n, d;
  kg_learner l;
  const double *w, *x = rows_of(points, &n, &d, &w);
  const size_t k = ffi_count(k_, 1, (double)n, "k");
  SEXP powers = ffi_need(starts, "power");
  const R_xlen_t m = Rf_xlength(powers);
  const double *power = ffi_finite(powers, m, "power");
  for (R_xlen_t a = 0; a < m; a++)
    if (!(power[a] > 0 && power[a] <= 2))
      Rf_error("power must lie above 0 and not above 2");
  const double *M = ffi_finite(ffi_need(starts, "M"),
                               ffi_length((double)m * (double)d * (double)d, "M"), "M");
  const double *uniform =
      ffi_finite(ffi_need(starts, "uniforms"),
                 ffi_length((double)m * (double)k, "uniforms"), "uniforms");
  const double final_power = ffi_number(ffi_need(settings, "power"), 1e-3, 2, "power");
  const size_t passes = ffi_count(ffi_need(settings, "passes"), 1, 1e6, "passes");
  FFI_LAY(kg_learner_lay(&l, n, d, k, &room));
  l.x = x;
  l.w = w;
  l.lambda = ffi_number(ffi_need(settings, "lambda"), 0, 1, "lambda");

  static const char *const names[] = {"label", "objective"};
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(INTSXP, (int)n, ffi_extent((size_t)m, "starts")));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, m));
  int *label = INTEGER(VECTOR_ELT(out, 0));
  double *objective = REAL(VECTOR_ELT(out, 1)), left = 0;
  const double each = (double)n * (double)d * ((double)d + 2 * (double)k);
  for (R_xlen_t a = 0; a < m; a++) {
    memcpy(l.M, M + (size_t)a * d * d, d * d * sizeof(double));
    memset(l.label, 0, n * sizeof(int));
    l.power = power[a];
    double value = kg_learner_start(&l, uniform + (size_t)a * k) ? 0 : HUGE_VAL,
           old = HUGE_VAL;
    for (size_t pass = 0; pass < passes && value < HUGE_VAL; pass++) {
      ffi_poll(&left, each);
      value = kg_learner_pass(&l, pass > 1);
      if (pass > 3 && !(value < old * (1 - 1e-4)))
        break;
      old = value;
    }
    l.power = final_power;
    for (int pass = 0; pass < 3 && value < HUGE_VAL; pass++) {
      ffi_poll(&left, each);
      value = kg_learner_pass(&l, 1);
    }
    objective[a] = value;
    for (size_t i = 0; i < n; i++)
      label[i + (size_t)a * n] = l.label[i] + 1;
  }
  UNPROTECT(1);
  return out;
}
