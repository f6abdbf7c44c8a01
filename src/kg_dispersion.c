/* kg_dispersion.c - sums over the pairs of a given partition, and products B v.
 *
 * O(n^2 d / 2) for points with O(n) memory; every unordered pair is evaluated once. Sums
 * over clusters are compensated (Neumaier), so W and S keep their digits for any n. */
#include "kg_dispersion.h"
#include "kg_check.h"
#include "kg_pairs.h"
#include <math.h>

static void add_compensated(double *sum, double *low, double value) {
  double t = *sum + value;
  if (fabs(*sum) >= fabs(value))
    *low += (*sum - t) + value;
  else
    *low += (value - t) + *sum;
  *sum = t;
}

void kg_dispersion_rows(const kg_pairs *pairs, const double *w, const int *label,
                        size_t k, size_t from, size_t to, double *M, double *M_low,
                        double *buffer, double *bucket) {
  KG_CHECK(from <= to && to <= pairs->n);
  size_t n = pairs->n;
  for (size_t i = from; i < to; i++) {
    if (w[i] == 0)
      continue;
    size_t a = (size_t)label[i];
    const double *view = kg_row_held(pairs, i);
    const double *row = buffer;
    if (view)
      row = view + i + 1;
    else
      kg_block(pairs, &i, 1, i + 1, n, buffer);
    for (size_t b = 0; b < k; b++)
      bucket[b] = 0;
    for (size_t j = i + 1; j < n; j++)
      bucket[label[j]] += w[j] * row[j - i - 1];
    for (size_t b = 0; b < k; b++) {
      add_compensated(M + a + b * k, M_low + a + b * k, w[i] * bucket[b]);
      add_compensated(M + b + a * k, M_low + b + a * k, w[i] * bucket[b]);
    }
  }
}

void kg_product_rows(const kg_pairs *pairs, const double *v, size_t from, size_t to,
                     double *out, double *buffer) {
  KG_CHECK(from <= to && to <= pairs->n);
  size_t n = pairs->n;
  for (size_t i = from; i < to; i++) {
    const double *view = kg_row_held(pairs, i);
    const double *row = buffer;
    double sum = 0, vi = v[i];
    if (view)
      row = view + i + 1;
    else
      kg_block(pairs, &i, 1, i + 1, n, buffer);
    for (size_t j = i + 1; j < n; j++) {
      sum += row[j - i - 1] * v[j];
      out[j] += row[j - i - 1] * vi;
    }
    out[i] += sum;
  }
}
