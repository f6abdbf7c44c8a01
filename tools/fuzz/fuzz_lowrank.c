/* Landmark features and the method on them: features are those of the definition with every
 * set of loops, bounds never make W rise, means are those of the labels, no cluster empty. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 40), m = 1 + take_below(&in, 12), rank = take_below(&in, m + 1);
  size_t k = 1 + take_below(&in, n < 5 ? n : 5), rows = kg_landmarks_rows(rank), positive = 0;
  take_loops(&in);
  double *values = NEW(double, n * m), *T = NEW(double, rows * rank);
  double *offset = NEW(double, rank), *rest = NEW(double, n), *w = NEW(double, n);
  double *work = NEW(double, (m + (rows > 8 ? rows : 8)) * KG_TILE);
  size_t width = kg_landmarks_width(rank);
  double *z = NEW(double, n * width);
  int16_t *short_z = NEW(int16_t, n * width);
  float *unit = NEW(float, n);
  memset(T, 0, rows * rank * sizeof(double));
  for (size_t i = 0; i < n * m; i++) values[i] = take_number(&in, 1);
  for (size_t a = 0; a < rank; a++) {
    offset[a] = take_number(&in, 1);
    for (size_t c = 0; c <= a; c++) T[a * rank + c] = take_number(&in, 1) / 16;
  }
  for (size_t i = 0; i < n; i++) positive += (w[i] = take_weight(&in, 1)) > 0;
  for (size_t i = 0; i < n && positive < k; i++)
    if (w[i] == 0) w[i] = 1, positive++;
  kg_landmarks map = {m, rank, T, offset, 0.5, 2, 0};
  kg_landmarks_features(&map, values, n, NULL, work, z, NULL, NULL, rest);
  kg_landmarks_features(&map, values, n, NULL, work, NULL, short_z, unit, rest);
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
      MUST(fabs(z[i * width + q] - right) <= 1e-12 * size_of_sum);
      MUST(fabs((double)unit[i] * short_z[i * width + q] - z[i * width + q]) <=
           0.50001 * (double)unit[i] + 1e-38);
    }
  }

  kg_features from = {NULL, short_z, unit, width, n};
  kg_short f;
  const kg_input *input = fuzz_input(&kg_short_features, n, w, &from);
  void *memory;
  LAY(memory, kg_short_lay(&f, input, k, NULL, &room));
  kg_engine *e = &f.m.e;
  for (size_t i = 0, given = 0; i < n; i++) {
    size_t l = take_below(&in, k);
    e->label[i] = (int)(w[i] > 0 && given < k ? given++ : l);
  }
  double before = HUGE_VAL, scale = 0, piece = 1 + 4 * (double)take_below(&in, 90);
  memset(&e->rule, 0, sizeof e->rule);
  fuzz_totals(e, piece);
  for (size_t i = 0; i < n; i++) scale += w[i] * kg_means_norm2(&from, i);
  for (size_t sweep = 0, settled = 0; !settled; sweep++) {
    MUST(sweep < 100);
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++) {
        MUST(e->label[i] >= 0 && (size_t)e->label[i] < k);
        count += (size_t)e->label[i] == l && w[i] > 0;
      }
      MUST(count > 0 && count == e->count[l]);
    }
    /* of the means as they run: the bounds must hold for these */
    double now = 0;
    for (size_t i = 0; i < n; i++)
      if (w[i] > 0) now += w[i] * kg_short_features.d2(e, i, (size_t)e->label[i]);
    MUST(now >= 0 && now <= before + 1e-9 * scale + 1e-290);
    before = now;
    size_t was = e->moves;
    for (size_t at = 0, next; at < n; at = next) {
      next = kg_short_features.sweep(e, at, piece);
      MUST(next > at && next <= n);
    }
    settled = e->moves == was;
  }
  fuzz_totals(e, piece);
  MUST(fabs(kg_objective(e) - before) <= 1e-9 * scale + 1e-290);
  for (size_t i = 0; i < n; i++) {
    double near = HUGE_VAL, best = 0;
    kg_short_features.nearest(e, k, i, i + 1, &near, &best);
    MUST(best >= 0 && best < (double)k);
  }
  return fuzz_end();
}
