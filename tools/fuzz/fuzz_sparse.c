/* Moves on a sparse symmetric matrix: they end, W never rises, V and s are those of the
 * labels, no cluster loses its last point. */
#include "fuzz.h"

enum { MOST = 16 };

static double Q_of(const double *B, const double *w, const int *label, size_t n, size_t k,
                   double *V, double *s) {
  double Q = 0;
  for (size_t l = 0; l < k; l++) {
    long double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
      if ((size_t)label[i] != l) continue;
      weight += w[i];
      for (size_t j = 0; j < n; j++)
        if ((size_t)label[j] == l) sum += (long double)w[i] * w[j] * B[i * n + j];
    }
    V[l] = (double)sum;
    s[l] = (double)weight;
    if (weight > 0) Q += (double)(sum / weight);
  }
  return Q;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, MOST), k = 1 + take_below(&in, n < 5 ? n : 5), entries = 0;
  double *B = NEW(double, n * n), *w = NEW(double, n), *diagonal = NEW(double, n);
  double V[5], s[5], largest = 0, total = 0;
  int *label = NEW(int, n);
  memset(B, 0, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    w[i] = take_weight(&in, 1);
    total += w[i];
    label[i] = (int)take_below(&in, k);
    B[i * n + i] = diagonal[i] = take_number(&in, 3);
    largest = fmax(largest, fabs(diagonal[i]));
  }
  for (size_t edge = 0; edge < 3 * n && in.left > 0 && n > 1; edge++) {
    size_t i = take_below(&in, n), j = take_below(&in, n);
    if (i == j) continue;
    if (B[i * n + j] == 0) entries += 2;
    double value = take_number(&in, 3);
    B[i * n + j] = B[j * n + i] = value == 0 ? 1 : value;
    largest = fmax(largest, fabs(B[i * n + j]));
  }
  int *start = NEW(int, n + 1), *row = NEW(int, entries);
  double *value = NEW(double, entries);
  start[0] = 0;
  for (size_t i = 0, e = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      if (j != i && B[i * n + j] != 0) row[e] = (int)j, value[e++] = B[i * n + j];
    start[i + 1] = (int)e;
  }
  kg_sparse b = {n, start, row, value, diagonal, w};
  kg_sparse_clusters c;
  memset(&c, 0, sizeof c);
  c.k = k;
  c.label = label;
  c.size = NEW(double, k), c.within = NEW(double, k), c.members = NEW(size_t, k);
  c.reach = NEW(double, k), c.touched = NEW(int, k), c.mark = NEW(size_t, k);
  double scale = largest * total, room = 1e-9 * scale + 1e-290;
  size_t members[5] = {0};
  int settled = 0;
  for (size_t i = 0; i < n; i++) members[label[i]] += w[i] > 0;
  double Q = Q_of(B, w, label, n, k, V, s);
  for (size_t sweep = 0; sweep < 100 && !settled; sweep++) {
    kg_sparse_totals_begin(&b, &c);
    kg_sparse_totals_add(&b, &c, 0, n / 2);
    kg_sparse_totals_add(&b, &c, n / 2, n);
    kg_sparse_bounds(&c);
    double now = Q_of(B, w, label, n, k, V, s);
    for (size_t l = 0; l < k; l++) {
      MUST(fabs(c.within[l] - V[l]) <= 1e-13 * scale * total + 1e-290);
      MUST(fabs(c.size[l] - s[l]) <= 1e-13 * total);
      size_t counted = 0;
      for (size_t i = 0; i < n; i++) counted += (size_t)label[i] == l && w[i] > 0;
      MUST(c.members[l] == counted);
      MUST(counted > 0 || members[l] == 0);
    }
    MUST(now >= Q - room);
    Q = now;
    double threshold = 1e-10 * kg_sparse_scale(&b, &c);
    MUST(isfinite(threshold));
    settled = kg_sparse_sweep(&b, &c, 0, n / 2, threshold) +
                  kg_sparse_sweep(&b, &c, n / 2, n, threshold) == 0;
  }
  MUST(settled);
  double *distance = NEW(double, n);
  kg_sparse_distances(&b, &c, 0, n, distance);
  for (size_t i = 0; i < n; i++) MUST(!isnan(distance[i]));
  for (size_t i = 0; i < n; i++) {
    int one = (int)i;
    if (w[i] == 0) kg_sparse_place(&b, &c, &one, 0, 1);
    MUST(label[i] >= 0 && (size_t)label[i] < k);
  }
  return fuzz_end();
}
