/* Weighted k-means on explicit features: starts, means, moves. W never rises, means are
 * those of the labels, no cluster is left empty. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 40), m = 1 + take_below(&in, 4), positive = 0;
  size_t k = 1 + take_below(&in, n < 6 ? n : 6), candidates = 1 + take_below(&in, 3);
  double *z = NEW(double, n * m), *w = NEW(double, n), *nearest = NEW(double, n);
  double u[3], largest = 0, total = 0;
  for (size_t i = 0; i < n * m; i++) {
    z[i] = take_number(&in, 3);
    largest = fmax(largest, fabs(z[i]));
  }
  for (size_t i = 0; i < n; i++) positive += (w[i] = take_weight(&in, 1)) > 0;
  for (size_t i = 0; i < n && positive < k; i++)
    if (w[i] == 0) w[i] = 1, positive++;
  for (size_t i = 0; i < n; i++) total += w[i];
  kg_features f = {z, w, m, n, k, NEW(int, n), NEW(double, m * k), NEW(double, k),
                   NEW(size_t, k), 0, 0};
  memset(f.label, 0, n * sizeof(int));
  for (size_t l = 0; l < k; l++) {
    for (size_t a = 0; a < candidates; a++) u[a] = take_uniform(&in);
    kg_features_plusplus(&f, l, candidates, u, nearest);
  }
  double scale = total * (double)m * largest * largest + 1e-290, cost = HUGE_VAL;
  int settled = 0;
  for (size_t sweep = 0; sweep < 200 && !settled; sweep++) {
    MUST(kg_features_totals(&f) == KG_OK);
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++) {
        MUST(f.label[i] >= 0 && (size_t)f.label[i] < k);
        count += (size_t)f.label[i] == l && w[i] > 0;
      }
      MUST(count > 0 && f.count[l] == count);
      for (size_t c = 0; c < m; c++) {
        long double sum = 0, s = 0;
        for (size_t i = 0; i < n; i++)
          if ((size_t)f.label[i] == l) sum += (long double)w[i] * z[i * m + c], s += w[i];
        MUST(fabs((double)(sum / s) - f.mean[l * m + c]) <= 1e-12 * largest);
      }
    }
    double now = kg_features_cost(&f);
    MUST(now >= 0 && now <= cost + 1e-11 * scale);
    cost = now;
    settled = kg_features_hartigan(&f, 0, n / 2) + kg_features_hartigan(&f, n / 2, n) == 0;
  }
  MUST(settled);
  for (size_t i = 0; i < n; i++) MUST(kg_features_nearest(&f, i) < k);
  return fuzz_end();
}
