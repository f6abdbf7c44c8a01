/* Landmark features and the method on them: features are those of the definition on every
 * path, bounds never make W rise, means are those of the labels, no cluster empty. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 40), m = 1 + take_below(&in, 12), rank = take_below(&in, m + 1);
  size_t k = 1 + take_below(&in, n < 5 ? n : 5), rows = kg_lowrank_rows(rank), positive = 0;
  enum kg_lowrank_path path = (enum kg_lowrank_path)take_below(&in, 4);
  double *values = NEW(double, n * m), *T = NEW(double, rows * rank);
  double *offset = NEW(double, rank), *rest = NEW(double, n), *w = NEW(double, n);
  double *work = NEW(double, (m + (rows > 8 ? rows : 8)) * KG_TILE);
  size_t width = kg_lowrank_width(rank);
  float *z = NEW(float, n * width);
  memset(T, 0, rows * rank * sizeof(double));
  for (size_t i = 0; i < n * m; i++) values[i] = take_number(&in, 1);
  for (size_t a = 0; a < rank; a++) {
    offset[a] = take_number(&in, 1);
    for (size_t c = 0; c <= a; c++) T[a * rank + c] = take_number(&in, 1) / 16;
  }
  for (size_t i = 0; i < n; i++) positive += (w[i] = take_weight(&in, 1)) > 0;
  for (size_t i = 0; i < n && positive < k; i++)
    if (w[i] == 0) w[i] = 1, positive++;
  kg_landmarks map = {m, rank, T, offset, 0.5, 2};
  kg_lowrank_features(&map, path, values, n, NULL, work, z, rest);
  for (size_t i = 0; i < n; i++) {
    double mean = 0;
    for (size_t a = 0; a < m; a++) mean += values[i + a * n] / (double)m;
    MUST(isfinite(rest[i]));
    for (size_t q = 0; q < width; q++) {
      double right = 0, size_of_sum = 1e-30;
      for (size_t c = 0; q < rank && c <= q; c++) {
        double term = T[q * rank + c] * (values[i + c * n] - mean - offset[c]);
        right += term;
        size_of_sum += fabs(T[q * rank + c]) * (fabs(values[i + c * n]) + fabs(mean) + fabs(offset[c]));
      }
      MUST(fabs(z[i * width + q] - right) <= 1e-6 * size_of_sum);
    }
  }

  kg_lowrank f;
  memset(&f, 0, sizeof f);
  f.z = z, f.w = w, f.width = width, f.n = n, f.k = k;
  f.label = NEW(int, n), f.mean = NEW(double, width * k), f.mean_float = NEW(float, width * k);
  f.norm2 = NEW(double, k), f.s = NEW(double, k), f.drift = NEW(double, k);
  f.path = NEW(double, k), f.count = NEW(size_t, k), f.dots = NEW(float, k);
  f.square = NEW(float, n), f.upper = NEW(float, n), f.lower = NEW(float, n);
  f.block = 16;
  size_t blocks = (n + f.block - 1) / f.block, made = 1;
  f.kept = NEW(double, blocks * k * width);
  memset(f.kept, 0, blocks * k * width * sizeof(double));
  for (size_t i = 0, given = 0; i < n; i++) {
    size_t l = take_below(&in, k);
    f.label[i] = (int)(w[i] > 0 && given < k ? given++ : l);
  }
  double before = HUGE_VAL, scale = 0;
  for (size_t sweep = 0; sweep < 100 && made > 0; sweep++) {
    double cost[5] = {0}, now = 0;
    /* sums from scratch on copies: the bounds must hold for the means as they run */
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++) {
        MUST(f.label[i] >= 0 && (size_t)f.label[i] < k);
        count += (size_t)f.label[i] == l && w[i] > 0;
      }
      MUST(count > 0);
    }
    if (sweep == 0) {
      kg_lowrank_sums(&f, 0, n / 2);
      kg_lowrank_sums(&f, n / 2, n);
      MUST(kg_lowrank_means(&f) == KG_OK);
      scale = f.scale;
    }
    kg_lowrank_cost(&f, 0, n, cost);
    for (size_t l = 0; l < k; l++) now += cost[l];
    MUST(now >= 0 && now <= before + 1e-9 * scale + 1e-290);
    before = now;
    made = 0;
    for (size_t b = 0; b < blocks; b++) {
      size_t end = (b + 1) * f.block < n ? (b + 1) * f.block : n, half = (b * f.block + end) / 2;
      kg_lowrank_begin(&f, b);
      made += kg_lowrank_visit(&f, path, b * f.block, half, sweep == 0);
      made += kg_lowrank_visit(&f, path, half, end, sweep == 0);
    }
  }
  MUST(made == 0);
  for (size_t i = 0; i < n; i++) MUST(kg_lowrank_nearest(&f, i) < k);
  return fuzz_end();
}
