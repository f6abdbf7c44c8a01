/* Weighted k-means on explicit features: starts, means, moves; then swaps and crossovers. W never rises, means
 * are those of the labels, no cluster is left empty. */
#include "fuzz.h"

/* Swaps and crossovers of the points that have weight: those that are kept lower W, the others leave all as it was. */
static void swap(bytes *in, const double *z, const double *w, const int *label, size_t n, size_t d, size_t k) {
  double *x = NEW(double, n * d), *v = NEW(double, n), u[5], largest = 0;
  int *now = NEW(int, n), *before = NEW(int, n), *any = NEW(int, n);
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    if (w[i] == 0) continue;
    memcpy(x + m * d, z + i * d, d * sizeof(double));
    v[m] = w[i], now[m] = label[i], m++;
  }
  for (size_t i = 0; i < m * d; i++) largest = fmax(largest, fabs(x[i]));
  for (size_t i = 0; i < m * d && largest > 0; i++) x[i] /= largest;
  for (int i = 0; i < 5; i++) u[i] = take_uniform(in);
  /* with more than 15 clusters swaps are tried on those around them */
  if (m > 20 && take_below(in, 2)) {
    k = 16 + take_below(in, m - 20);
    for (size_t i = 0; i < m; i++) now[i] = (int)(i % k);
  }
  const double powers[] = {1, 0.5, 0.75, 0.05};
  double power = powers[take_below(in, 4)];
  kg_proposals q;
  void *memory;
  LAY(memory, kg_proposals_lay(&q, m, d, k, &room));
  q.draws.u = u, q.draws.n = 5;
  memcpy(q.f.now.label, now, m * sizeof(int));
  now = q.f.now.label;
  kg_float_begin(&q.f, x, v, power);
  for (int sweep = 0; sweep < 100 && kg_float_sweep(&q.f) > 0; sweep++) continue;
  kg_float_list(&q.f);
  kg_propose_gains(&q);
  /* every other swap is a crossover with a partition of no meaning */
  double *mean = NEW(double, d * k), *s = NEW(double, k);
  memset(mean, 0, d * k * sizeof(double));
  memset(s, 0, k * sizeof(double));
  size_t shift = take_below(in, m);
  for (size_t i = 0; i < m; i++) {
    any[i] = (int)((i + shift) % m % k);
    s[any[i]] += v[i];
    for (size_t c = 0; c < d; c++) mean[(size_t)any[i] * d + c] += v[i] * x[i * d + c];
  }
  for (size_t c = 0; c < d * k; c++) mean[c] /= s[c / d];
  kg_centroids other = {.label = any, .mean = mean};
  for (int swaps = 0; swaps < 8; swaps++) {
    double W = q.f.now.W;
    memcpy(before, now, m * sizeof(int));
    for (int round = 0; swaps % 2 && kg_propose_match(&q, &other, round) > 0; round++) MUST(round < 30);
    if (!(swaps % 2 ? kg_propose_cross(&q, &other) : kg_propose_swap(&q, swaps % 4 == 0))) continue;
    while (kg_propose_sweep(&q)) continue;
    if (kg_propose_end(&q, NULL, 0)) {
      MUST(q.f.now.W <= W && q.f.now.W >= 0);
      kg_propose_gains(&q);
    } else
      MUST(q.f.now.W == W && memcmp(before, now, m * sizeof(int)) == 0);
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < m; i++) count += (size_t)now[i] == l;
      MUST(count > 0 && count == q.f.now.count[l]);
    }
  }
}

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
  kg_features from = {z, NULL, NULL, m, n};
  const kg_input *input = fuzz_input(&kg_double_features, n, w, &from);
  kg_means f;
  void *memory;
  LAY(memory, kg_means_lay(&f, input, k, NULL, &room));
  kg_engine *e = &f.e;
  memset(e->label, 0, n * sizeof(int));
  kg_plusplus plus;
  memset(&plus, 0, sizeof plus);
  plus.input = input, plus.candidates = candidates, plus.label = e->label;
  plus.nearest = nearest, plus.row = NEW(double, n);
  for (size_t l = 0; l < k; l++) {
    for (size_t a = 0; a < candidates; a++) u[a] = take_uniform(&in);
    kg_plusplus_begin(&plus, l, u);
    while (!kg_plusplus_step(&plus, 1 + n / 2)) continue;
  }
  double scale = total * (double)m * largest * largest + 1e-290, cost = HUGE_VAL;
  double work = 1 + (double)take_below(&in, 90);
  int settled = 0;
  for (size_t sweep = 0; sweep < 200 && !settled; sweep++) {
    fuzz_totals(e, work);
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++) {
        MUST(e->label[i] >= 0 && (size_t)e->label[i] < k);
        count += (size_t)e->label[i] == l && w[i] > 0;
      }
      MUST(count > 0 && e->count[l] == count);
      for (size_t c = 0; c < m; c++) {
        long double sum = 0, s = 0;
        for (size_t i = 0; i < n; i++)
          if ((size_t)e->label[i] == l) sum += (long double)w[i] * z[i * m + c], s += w[i];
        MUST(fabs((double)(sum / s) - f.mean[l * m + c]) <= 1e-12 * largest);
      }
    }
    double now = kg_objective(e);
    MUST(now >= 0 && now <= cost + 1e-11 * scale);
    cost = now;
    size_t before = e->moves;
    for (size_t at = 0, next; at < n; at = next) {
      next = kg_double_features.sweep(e, at, work);
      MUST(next > at && next <= n);
    }
    settled = e->moves == before;
  }
  MUST(settled);
  for (size_t i = 0; i < n; i++) {
    double near = HUGE_VAL, best = 0;
    kg_double_features.nearest(e, k, i, i + 1, &near, &best);
    MUST(best >= 0 && best < (double)k && near >= 0);
  }
  if (k > 1) swap(&in, z, w, e->label, n, m, k);
  return fuzz_end();
}
