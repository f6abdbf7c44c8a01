/* Belief propagation: patterns that are not symmetric are refused; else every column of
 * marginals and messages stays a distribution, and the rates stay positive and finite. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 14), k = 1 + take_below(&in, 4), entries = 0;
  unsigned flags = take(&in);
  unsigned char edge[14][14] = {{0}};
  for (size_t a = 0; a < 2 * n && in.left > 0; a++) {
    size_t i = take_below(&in, n), j = take_below(&in, n);
    if (i != j) edge[i][j] = 1;
    if (i != j && !(flags & 8)) edge[j][i] = 1;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) entries += edge[i][j];
  int *start = NEW(int, n + 1), *row = NEW(int, entries), symmetric = 1;
  double *weight = NEW(double, entries);
  start[0] = 0;
  for (size_t i = 0, e = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      if (edge[i][j]) row[e++] = (int)j;
      if (edge[i][j] != edge[j][i]) symmetric = 0;
    }
    start[i + 1] = (int)e;
  }
  size_t *reverse = NEW(size_t, entries), *next = NEW(size_t, n);
  MUST(kg_belief_reverse(n, start, row, next, reverse) == symmetric);
  if (!symmetric) return fuzz_end();
  for (size_t i = 0; i < n; i++)
    for (int e = start[i]; e < start[i + 1]; e++) {
      MUST((size_t)row[reverse[e]] == i && reverse[reverse[e]] == (size_t)e);
      if ((size_t)row[e] > i) weight[e] = weight[reverse[e]] = take_weight(&in, 1);
    }
  /* which parts the model has; norms, a matrix of rates and weights exclude each other */
  unsigned form = take(&in);
  const int weighted = flags & 1, full = !weighted && (form & 1), normed = !weighted && !full && (form & 2);
  enum { BINS = 3 };
  int *bin = NEW(int, n);
  double share[BINS] = {0}, *theta = NEW(double, n);
  for (size_t i = 0; i < n; i++) {
    theta[i] = take_weight(&in, 0);
    bin[i] = (int)take_below(&in, BINS);
    share[bin[i]] += 1 / (double)n;
  }
  kg_belief g;
  memset(&g, 0, sizeof g);
  g.n = n, g.k = k, g.start = start, g.row = row, g.reverse = reverse;
  g.weight = weighted ? weight : NULL;
  g.theta = form & 4 ? theta : NULL;
  g.bin = form & 8 ? bin : NULL, g.bins = BINS, g.share = share;
  g.learn_sizes = (flags & 2) != 0, g.normed = normed, g.full = full;
  g.inside = take_weight(&in, 0), g.outside = take_weight(&in, 0);
  g.marginal = NEW(double, n * k), g.message = NEW(double, entries * k);
  g.size = NEW(double, k), g.mass = NEW(double, k), g.log_size = NEW(double, k);
  g.rho = NEW(double, k), g.log_rho = NEW(double, k), g.work = NEW(double, 4 * k);
  g.room = 2 * k, g.kept = NEW(double, 2 * k);
  g.law = NEW(double, BINS * k), g.count = NEW(double, BINS * k);
  g.rate = NEW(double, k * k), g.between = NEW(double, k * k), g.own = NEW(double, k * k);
  for (size_t q = 0; q < k; q++)
    for (size_t s = 0; s <= q; s++) g.rate[q * k + s] = g.rate[s * k + q] = take_weight(&in, 0);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t q = 0; q < k; q++) sum += g.marginal[i * k + q] = take_uniform(&in);
    for (size_t q = 0; q < k; q++) g.marginal[i * k + q] /= sum;
  }
  kg_belief_begin(&g, 0, n / 2);
  kg_belief_begin(&g, n / 2, n);
  kg_belief_clear(&g);
  kg_belief_totals(&g, 0, n);
  kg_belief_shape(&g);
  for (size_t sweep = 0; sweep < 8; sweep++) {
    const int forward = sweep % 2 == 0;
    kg_belief_sweep(&g, forward ? 0 : n / 2, forward ? n / 2 : n, forward);
    kg_belief_sweep(&g, forward ? n / 2 : 0, forward ? n : n / 2, forward);
    MUST(isfinite(g.change) && g.change >= 0 && g.change <= 2.0 * (double)n + 1e-9);
    kg_belief_clear(&g);
    kg_belief_totals(&g, 0, n);
    kg_belief_edges(&g, 0, n / 2);
    kg_belief_edges(&g, n / 2, n);
    if (flags & 4) kg_belief_rates(&g);
    kg_belief_shape(&g);
    MUST(g.inside > 0 && g.outside > 0 && isfinite(g.inside) && isfinite(g.outside));
    for (size_t q = 0; full && q < k * k; q++) MUST(g.rate[q] > 0 && isfinite(g.rate[q]));
    for (size_t column = 0; column < n + entries; column++) {
      const double *p = column < n ? g.marginal + column * k : g.message + (column - n) * k;
      double sum = 0;
      for (size_t q = 0; q < k; q++) {
        MUST(p[q] >= 0 && p[q] <= 1 + 1e-12);
        sum += p[q];
      }
      MUST(fabs(sum - 1) <= 1e-9);
    }
  }
  kg_belief_energy(&g, 0, n);
  MUST(isfinite(g.energy));
  return fuzz_end();
}
