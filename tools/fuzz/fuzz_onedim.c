/* One dimension: the dynamic programme finds what brute force over all cuts finds, its W
 * are those of the runs, labels are in range. */
#include "fuzz.h"

static double W_of(const double *value, const double *weight, size_t from, size_t to) {
  double s = 0;
  long double sum = 0;
  for (size_t i = from; i < to; i++) {
    s += weight[i];
    for (size_t j = from; j < i; j++)
      sum += (long double)weight[i] * weight[j] * (long double)(value[i] - value[j]);
  }
  return s > 0 ? (double)(sum / s) : 0;
}

/* Least W of [from, m) in k runs, by trying every cut. */
static double least_W(const double *value, const double *weight, size_t from, size_t m,
                      size_t k) {
  double least = HUGE_VAL;
  if (k == 1) return W_of(value, weight, from, m);
  for (size_t cut = from + 1; cut + k - 1 <= m; cut++)
    least = fmin(least, W_of(value, weight, from, cut) +
                            least_W(value, weight, cut, m, k - 1));
  return least;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 12), k = 1 + take_below(&in, 4), budget = 1 + take(&in);
  int weighted = take(&in) & 1, exponent, *label = NEW(int, n);
  double *x = NEW(double, n), *w = NEW(double, n), s;
  double *value = NEW(double, n), *weight = NEW(double, n);
  for (size_t i = 0; i < n; i++) x[i] = take_number(&in, 12), w[i] = take_weight(&in, 0);
  qsort(x, n, sizeof(double), by_value);
  size_t m = kg_runs_merge(x, weighted ? w : NULL, n, value, weight, &exponent);
  MUST(m >= 1 && m <= n);
  for (size_t i = 1; i < m; i++) MUST(value[i] > value[i - 1]);
  if (k > m) k = m;
  kg_runs runs = kg_runs_of(value, weight, m);
  double all = kg_run_dispersion(value, weight, 0, m, &s);
  MUST(fabs(all - W_of(value, weight, 0, m)) <= 1e-12 * all);

  double *W = NEW(double, m + 1), *before = NEW(double, m + 1);
  size_t start[5] = {0};
  unsigned *cut[5] = {NULL};
  double *sums = NEW(double, 6 * (m + 1));
  kg_run_moments moments = kg_runs_moments(&runs, sums);
  kg_runs_layer *layer = NEW(kg_runs_layer, 1);
  kg_runs_first(&runs, W);
  if (k == m) {
    for (size_t l = 0; l < m; l++) start[l] = l;
  } else if (k > 1) {
    size_t j = 1;
    for (; j + 1 < k; j++) {
      double *swap = before;
      before = W;
      W = swap;
      cut[j + 1] = NEW(unsigned, m);
      kg_runs_layer_begin(layer, &moments, m, j + 1, before, W, cut[j + 1]);
      while (kg_runs_layer_step(layer, budget)) {
      }
    }
    size_t end = kg_runs_last(&runs, W, j);
    MUST(end >= j && end < m);
    start[j] = end;
    for (size_t l = j; l > 1; l--) {
      end = cut[l][end];
      MUST(end >= l - 1 && end < start[l]);
      start[l - 1] = end;
    }
  }
  double found = 0;
  for (size_t l = 0; l < k; l++)
    found += kg_run_dispersion(value, weight, start[l], l + 1 < k ? start[l + 1] : m, &s);
  double least = least_W(value, weight, 0, m, k);
  MUST(found <= least + 1e-11 * least + 1e-24 * all);
  MUST(found >= least - 1e-11 * least - 1e-24 * all);

  double *bound = NEW(double, k);
  for (size_t l = 1; l < k; l++) bound[l - 1] = value[start[l]];
  kg_runs_label(x, n, bound, k - 1, NULL, label);
  for (size_t i = 0; i < n; i++) {
    MUST(label[i] >= 0 && (size_t)label[i] < k);
    if (i > 0) MUST(label[i] >= label[i - 1]);
    if (i > 0 && x[i] == x[i - 1]) MUST(label[i] == label[i - 1]);
  }
  return fuzz_end();
}
