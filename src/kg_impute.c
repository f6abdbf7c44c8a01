/* kg_impute.c - missing coordinates by their conditional means under one normal model.
 *
 * With K = (Sigma + ridge I)^-1 the conditional mean of the missing coordinates m given
 * the observed o is
 *     mu_m - K_mm^-1 K_mo (x_o - mu_o)  =  mu_m + Sigma_mo (Sigma_oo + ridge I)^-1 (x_o -
 * mu_o) and the conditional covariance K_mm^-1 - ridge I: one factor of the size of what
 * is missing, which is mostly the smaller part. Rows of one pattern that follow each
 * other share the factor. Cost O(m d) a row, O(m^3) a pattern. */
#include "kg_impute.h"
#include "kg_check.h"
#include "kg_dense.h"
#include <math.h>

void kg_impute_lay(kg_impute_work *work, size_t d, kg_room *room) {
  work->m = d + 1;
  work->weight = 0;
  work->missing = KG_TAKE(room, d, size_t);
  work->factor = KG_TAKE2(room, d, d, double);
  work->centred = KG_TAKE(room, d, double);
  work->solution = KG_TAKE(room, d, double);
}

/* Solves L L' v = v in place. */
static void solve(const double *L, size_t m, double *v) {
  for (size_t i = 0; i < m; i++) {
    double sum = v[i];
    for (size_t t = 0; t < i; t++)
      sum -= L[i + t * m] * v[t];
    v[i] = sum / L[i + i * m];
  }
  for (size_t i = m; i-- > 0;) {
    double sum = v[i];
    for (size_t t = i + 1; t < m; t++)
      sum -= L[t + i * m] * v[t];
    v[i] = sum / L[i + i * m];
  }
}

/* Is the pattern of the row the one at hand? */
static int same_pattern(const double *row, size_t d, const kg_impute_work *work) {
  size_t m = 0;
  if (work->m > d)
    return 0;
  for (size_t j = 0; j < d; j++) {
    if (!isnan(row[j]))
      continue;
    if (m >= work->m || work->missing[m++] != j)
      return 0;
  }
  return m == work->m;
}

static void take_pattern(const double *row, size_t d, kg_impute_work *work) {
  work->m = 0;
  for (size_t j = 0; j < d; j++)
    if (isnan(row[j]))
      work->missing[work->m++] = j;
}

void kg_impute_flush(const kg_normal *normal, double *extra, kg_impute_work *work) {
  size_t d = normal->d, m = work->m;
  if (m <= d && work->weight > 0) {
    for (size_t b = 0; b < m; b++) {
      double *v = work->solution;
      for (size_t a = 0; a < m; a++)
        v[a] = a == b;
      solve(work->factor, m, v);
      v[b] -= normal->ridge;
      double *column = extra + work->missing[b] * d;
      for (size_t a = 0; a < m; a++)
        column[work->missing[a]] += work->weight * v[a];
    }
  }
  work->weight = 0;
}

int kg_impute(const kg_normal *normal, double *x, size_t n, const int *rows, size_t from,
              size_t to, const double *w, double *extra, kg_impute_work *work) {
  size_t d = normal->d;
  KG_CHECK(from <= to && (w != NULL) == (extra != NULL));
  const double *K = normal->precision;
  double *r = work->centred, *v = work->solution;
  for (size_t at = from; at < to; at++) {
    size_t i = (size_t)rows[at];
    for (size_t j = 0; j < d; j++)
      r[j] = x[j * n + i];
    if (!same_pattern(r, d, work)) {
      if (extra)
        kg_impute_flush(normal, extra, work);
      take_pattern(r, d, work);
      size_t m = work->m;
      for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
          work->factor[a + b * m] = K[work->missing[b] * d + work->missing[a]];
      if (isnan(kg_cholesky(work->factor, m)))
        return 0;
    }
    if (w)
      work->weight += w[i];
    size_t m = work->m;
    for (size_t j = 0; j < d; j++)
      r[j] = isnan(r[j]) ? 0 : r[j] - normal->mean[j];
    for (size_t a = 0; a < m; a++) {
      const double *column = K + work->missing[a] * d;
      double sum = 0;
      for (size_t j = 0; j < d; j++)
        sum += column[j] * r[j];
      v[a] = sum;
    }
    solve(work->factor, m, v);
    for (size_t a = 0; a < m; a++)
      x[work->missing[a] * n + i] = normal->mean[work->missing[a]] - v[a];
  }
  return 1;
}
