/* ffi_permute.c - a statistic of every column of a matrix of labels. */
#include "ffi.h"
#include "kg_pairs.h"
#include "kg_permute.h"
#include <string.h>

enum { BETWEEN, ORIGINAL };

/* s_a of every relabelling: k a column */
static void weights_of(const int *label, const double *w, size_t n, size_t k, size_t m,
                       double *s) {
  memset(s, 0, k * m * sizeof(double));
  for (size_t p = 0; p < m; p++) {
    R_CheckUserInterrupt();
    for (size_t i = 0; i < n; i++)
      s[p * k + (size_t)label[p * n + i]] += w[i];
  }
}

/* sum_{a<b} s_a s_b/(s_a + s_b) E_ab as a form in M: 2 s_b/(s_a (s_a + s_b)) summed over
 * b on the diagonal, -2/(s_a + s_b) off it */
static void original_form(const double *s, size_t k, double *C) {
  memset(C, 0, k * k * sizeof(double));
  for (size_t a = 0; a < k; a++)
    for (size_t b = 0; b < k; b++) {
      if (a == b || s[a] == 0 || s[b] == 0)
        continue;
      C[a * k + b] = -2 / (s[a] + s[b]);
      C[a * k + a] += 2 * (s[b] / (s[a] + s[b])) / s[a];
    }
}

/* labels: n x m from 1. One value a column: S, or the statistic `original`. */
SEXP ffi_permute(SEXP problem, SEXP centre_, SEXP labels, SEXP k_, SEXP statistic) {
  kg_pairs pairs = ffi_pairs(problem);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k"), step = ffi_rows(&pairs);
  const double *w = ffi_problem_weights(problem, n);
  const double *centre = ffi_doubles(centre_, (R_xlen_t)n, "centre");
  size_t form = ffi_count(statistic, BETWEEN, ORIGINAL, "statistic");
  R_xlen_t length = Rf_xlength(labels);
  const int *from = ffi_integers(labels, length, "labels");
  if (length == 0 || length % (R_xlen_t)n != 0)
    Rf_error("labels must have n rows");
  size_t m = (size_t)length / n, groups = (m + KG_LANES - 1) / KG_LANES;
  step = step / (m + 1) + 1;
  int *label = (int *)R_alloc(n * m, sizeof(int));
  for (size_t p = 0; p < m; p++) {
    R_CheckUserInterrupt();
    ffi_labels(from + p * n, n, k, label + p * n, "labels");
  }
  double *s = (double *)R_alloc(k * m, sizeof(double));
  weights_of(label, w, n, k, m, s);
  double *value = (double *)R_alloc(kg_permute_doubles(), sizeof(double));
  double *sum = (double *)R_alloc(groups * KG_LANES, sizeof(double));
  memset(sum, 0, groups * KG_LANES * sizeof(double));

  if (form == BETWEEN) {
    double *lanes = (double *)R_alloc(groups * n * KG_LANES, sizeof(double));
    double *one_over = (double *)R_alloc(groups * k * KG_LANES, sizeof(double));
    memset(lanes, 0, groups * n * KG_LANES * sizeof(double));
    memset(one_over, 0, groups * k * KG_LANES * sizeof(double));
    for (size_t p = 0; p < m; p++) {
      size_t g = p / KG_LANES, lane = p % KG_LANES;
      R_CheckUserInterrupt();
      for (size_t i = 0; i < n; i++)
        lanes[(g * n + i) * KG_LANES + lane] = label[p * n + i];
      for (size_t a = 0; a < k; a++)
        one_over[(g * k + a) * KG_LANES + lane] = s[p * k + a] > 0 ? 1 / s[p * k + a] : 0;
    }
    FFI_PIECES(i, to, n, step)
      kg_permuted_between(&pairs, w, centre, lanes, one_over, k, groups, i, to, value, sum);
  } else {
    ffi_length((double)m * (double)k * (double)k, "the coefficients");
    double *C = (double *)R_alloc(m * k * k, sizeof(double));
    for (size_t p = 0; p < m; p++) {
      R_CheckUserInterrupt();
      original_form(s + p * k, k, C + p * k * k);
    }
    FFI_PIECES(i, to, n, step)
      kg_permuted_form(&pairs, w, centre, label, C, k, m, i, to, value, sum);
  }
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)m));
  memcpy(REAL(out), sum, m * sizeof(double));
  UNPROTECT(1);
  return out;
}
