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
  kg_sparse b = {n, start, row, value, diagonal};
  kg_sparse_state c;
  const kg_input *input = fuzz_input(&kg_sparse_rows, n, w, &b);
  void *memory;
  LAY(memory, kg_sparse_lay(&c, input, k, label, &room));
  kg_engine *e = &c.e;
  double scale = largest * total, room = 1e-9 * scale + 1e-290, work = 1 + (double)(size % 7);
  memset(&e->rule, 0, sizeof e->rule);
  if (size % 5 == 0) e->rule.half = e->rule.s = total; /* the size term, d = 2 */
  size_t members[5] = {0};
  int settled = 0;
  for (size_t i = 0; i < n; i++) members[label[i]] += w[i] > 0;
  double Q = Q_of(B, w, label, n, k, V, s), phi = HUGE_VAL;
  for (size_t sweep = 0; sweep < 100 && !settled; sweep++) {
    fuzz_totals(e, work);
    double now = Q_of(B, w, label, n, k, V, s);
    for (size_t l = 0; l < k; l++) {
      MUST(fabs(e->V[l] - V[l]) <= 1e-13 * scale * total + 1e-290);
      MUST(fabs(e->s[l] - s[l]) <= 1e-13 * total);
      size_t counted = 0;
      for (size_t i = 0; i < n; i++) counted += (size_t)label[i] == l && w[i] > 0;
      MUST(e->count[l] == counted);
      MUST(counted > 0 || members[l] == 0);
    }
    if (e->rule.half == 0) MUST(now >= Q - room);
    if (e->rule.half > 0 && e->rule.W > e->rule.least) {
      MUST(kg_objective(e) <= phi + 1e-6 * (fabs(phi) + 2 * total));
      phi = kg_objective(e);
    }
    Q = now;
    MUST(isfinite(e->rule.tolerance));
    size_t before = e->moves;
    for (size_t at = 0, next; at < n; at = next) {
      next = kg_sparse_rows.sweep(e, at, work);
      MUST(next > at && next <= n);
    }
    settled = e->moves == before;
  }
  MUST(settled);
  fuzz_totals(e, work);
  for (size_t i = 0; i < n; i++) MUST(!isnan(kg_sparse_rows.d2(e, i, (size_t)label[i])) || s[label[i]] == 0);
  for (size_t at = 0; at < n;) at = kg_place(e, at, work);
  for (size_t i = 0; i < n; i++) MUST(label[i] >= 0 && (size_t)label[i] < k);
  /* with the shift Lloyd's targets never raise W */
  double was = HUGE_VAL;
  int *target = NEW(int, n);
  size_t *count = NEW(size_t, k);
  memset(&e->rule, 0, sizeof e->rule);
  kg_sparse_rows.shift(e, 1);
  for (size_t pass = 0; pass < 5; pass++) {
    fuzz_totals(e, work);
    MUST(kg_objective(e) <= was + 1e-9 * (scale + c.shift * (double)n) + 1e-290);
    was = kg_objective(e);
    for (size_t at = 0; at < n;) at = kg_targets(e, target, count, at, work);
    for (size_t i = 0; i < n; i++) MUST(target[i] >= 0 && (size_t)target[i] < k);
    for (size_t at = 0; at < n;) at = kg_sparse_rows.relabel(e, target, at, work);
  }
  return fuzz_end();
}
