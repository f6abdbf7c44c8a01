/* test_onedim.c - runs of sorted numbers: dispersion, layers and cuts against naive double
 * loops and slow dynamic programming in long double. */
#include "ctest.h"
#include "kernels.h"

/* W of the values from..to-1 by the definition: all pairs. */
static long double pairs_W(const double *value, const double *weight, size_t from,
                           size_t to) {
  long double sum = 0, s = 0;
  for (size_t i = from; i < to; i++) {
    s += (long double)weight[i];
    for (size_t j = from; j < to; j++)
      sum += (long double)weight[i] * (long double)weight[j] *
             fabsl((long double)value[i] - (long double)value[j]);
  }
  return sum / (2 * s);
}

typedef struct {
  size_t m;
  double *value, *weight;
} data;

/* Distinct values of several kinds: even, skewed, two far groups of fine structure. */
static data draw(size_t m, int kind, uint64_t *state) {
  data out = {m, NEW(double, m), NEW(double, m)};
  double at = kind == 1 ? -1e8 : 0;
  for (size_t i = 0; i < m; i++) {
    double step = ctest_uniform(state) + 0.01;
    if (kind == 2) step = step * step * step * 10;
    if (kind == 3) step = i == m / 2 ? 1e9 : step * 1e-3;
    at += step;
    out.value[i] = at;
    out.weight[i] = kind == 0 ? 1 : ctest_uniform(state) + 0.1;
  }
  return out;
}

static void drop(data it) {
  free(it.value);
  free(it.weight);
}

static void equal_values_are_merged(void) {
  double x[] = {-1, -1, 0, 2, 2, 2}, w[] = {1, 2, 4, 1, 1, 3};
  double value[6], weight[6];
  int exponent;
  CHECK(kg_runs_merge(x, w, 6, value, weight, &exponent) == 3);
  CHECK(value[0] == -1 && value[1] == 0 && value[2] == 2);
  CHECK(ldexp(weight[0], exponent) == 3 && ldexp(weight[1], exponent) == 4);
  CHECK(ldexp(weight[2], exponent) == 5);
  CHECK(kg_runs_merge(x, NULL, 6, value, weight, &exponent) == 3);
  CHECK(ldexp(weight[0], exponent) == 2 && ldexp(weight[2], exponent) == 3);
  CHECK(kg_runs_merge(x, NULL, 1, value, weight, &exponent) == 1);
}

static void one_run_is_its_pairs(void) {
  uint64_t state = 1;
  for (int kind = 0; kind < 4; kind++) {
    data it = draw(40, kind, &state);
    for (size_t from = 0; from < it.m; from += 7) {
      for (size_t to = from + 1; to <= it.m; to += 3) {
        double s, W = kg_run_dispersion(it.value, it.weight, from, to, &s);
        long double slow = pairs_W(it.value, it.weight, from, to);
        CHECK_NEAR(slow > 0 ? W / (double)slow : 1 + W, 1, 1e-13);
      }
    }
    drop(it);
  }
}

/* Least W in exactly 1..k runs: least[j - 1] for j runs, by trying all cuts. */
static void slow_table(data it, size_t k, long double *least) {
  size_t m = it.m;
  long double *best = NEW(long double, (k + 1) * (m + 1));
  for (size_t i = 1; i <= m; i++) best[(m + 1) + i] = pairs_W(it.value, it.weight, 0, i);
  for (size_t j = 2; j <= k; j++) {
    for (size_t i = j; i <= m; i++) {
      long double smallest = HUGE_VALL;
      for (size_t c = j - 1; c < i; c++) {
        long double W = best[(j - 1) * (m + 1) + c] + pairs_W(it.value, it.weight, c, i);
        if (W < smallest) smallest = W;
      }
      best[j * (m + 1) + i] = smallest;
    }
  }
  for (size_t j = 1; j <= k; j++) least[j - 1] = best[j * (m + 1) + m];
  free(best);
}

/* The table as the shim fills it, in pieces of `budget`; cuts traced back and priced. */
static double fast_W(data it, size_t k, size_t budget) {
  size_t m = it.m;
  kg_runs runs = kg_runs_of(it.value, it.weight, m);
  double *sums = NEW(double, 6 * (m + 1));
  kg_run_moments moments = kg_runs_moments(&runs, sums);
  double *W = NEW(double, m + 1), *before = NEW(double, m + 1);
  unsigned *cut = NEW(unsigned, (k + 1) * m);
  size_t *start = NEW(size_t, k + 1);
  kg_runs_layer layer;
  kg_runs_first(&runs, W);
  for (size_t j = 2; j < k; j++) {
    double *swap = before;
    before = W;
    W = swap;
    kg_runs_layer_begin(&layer, &moments, m, j, before, W, cut + j * m);
    while (kg_runs_layer_step(&layer, budget)) CHECK(layer.depth <= 130);
  }
  start[k] = m;
  start[k - 1] = kg_runs_last(&runs, W, k - 1);
  for (size_t l = k - 1; l > 1; l--) start[l - 1] = cut[l * m + start[l]];
  start[0] = 0;
  double sum = 0;
  for (size_t l = 0; l < k; l++) {
    CHECK(start[l] < start[l + 1]);
    double s;
    sum += kg_run_dispersion(it.value, it.weight, start[l], start[l + 1], &s);
  }
  free(sums);
  free(W);
  free(before);
  free(cut);
  free(start);
  return sum;
}

static void the_best_runs_are_found(void) {
  uint64_t state = 2;
  long double least[6];
  for (int kind = 0; kind < 4; kind++) {
    for (size_t m = 7; m <= 40; m += 11) {
      data it = draw(m, kind, &state);
      slow_table(it, 6, least);
      for (size_t k = 2; k <= 6; k++) {
        CHECK_NEAR(fast_W(it, k, 1000000) / (double)least[k - 1], 1, 1e-12);
        CHECK(fast_W(it, k, 1) == fast_W(it, k, 1000000));
      }
      drop(it);
    }
  }
}

/* The least W in k runs by trying all cuts, a run grown from its right end: O(k m^2). */
static double grown_table(data it, size_t k) {
  size_t m = it.m;
  long double *before = NEW(long double, m + 1), *W = NEW(long double, m + 1);
  for (size_t i = 0; i <= m; i++) W[i] = i == 0 ? 0 : HUGE_VALL;
  for (size_t j = 1; j <= k; j++) {
    long double *swap = before;
    before = W;
    W = swap;
    W[0] = HUGE_VALL;
    for (size_t i = 1; i <= m; i++) {
      long double s = 0, moment = 0, sum = 0;
      W[i] = HUGE_VALL;
      for (size_t c = i; c-- > 0;) {
        if (c + 1 < i) moment += ((long double)it.value[c + 1] - (long double)it.value[c]) * s;
        sum += (long double)it.weight[c] * moment;
        s += (long double)it.weight[c];
        if (before[c] + sum / s < W[i]) W[i] = before[c] + sum / s;
      }
    }
  }
  double least = (double)W[m];
  free(before);
  free(W);
  return least;
}

/* Long enough for stretches of cuts to be ruled out together. */
static void the_best_of_many_cuts_is_found(void) {
  uint64_t state = 4;
  for (int kind = 0; kind < 4; kind++) {
    for (size_t m = 700; m <= 1700; m += 1000) {
      data it = draw(m, kind, &state);
      if (kind == 1) { /* some weigh next to nothing */
        for (size_t i = 0; i < m; i += 3) it.weight[i] *= 1e-12;
      }
      for (size_t k = 3; k <= 5; k++)
        CHECK_NEAR(fast_W(it, k, 5000) / grown_table(it, k), 1, 1e-12);
      drop(it);
    }
  }
}

static void values_of_any_size_are_taken(void) {
  double value[] = {-1.7e308, 1e-300, 1.7e308}, weight[] = {1e-300, 1, 1};
  data it = {3, value, weight};
  CHECK(isfinite(fast_W(it, 2, 10)));
  double tiny[] = {1e-320, 2e-320, 5e-320}, one[] = {1, 1, 1};
  double s;
  CHECK(kg_run_dispersion(tiny, one, 0, 2, &s) == 0.5 * (2e-320 - 1e-320));
  CHECK(s == 2);
  double zero[] = {0, 0, 0};
  data weightless = {3, tiny, zero};
  CHECK(fast_W(weightless, 2, 10) == 0);
}

static void labels_count_the_bounds(void) {
  uint64_t state = 3;
  for (size_t n_bounds = 0; n_bounds < 12; n_bounds++) {
    double *bound = NEW(double, n_bounds);
    int *name = NEW(int, n_bounds + 1);
    for (size_t l = 0; l < n_bounds; l++) bound[l] = (double)l * 2;
    for (size_t l = 0; l <= n_bounds; l++) name[l] = (int)(100 - l);
    for (int round = 0; round < 60; round++) {
      double x = floor(ctest_uniform(&state) * 28) - 2;
      int label, named, count = 0;
      for (size_t l = 0; l < n_bounds; l++) count += bound[l] <= x;
      kg_runs_label(&x, 1, bound, n_bounds, NULL, &label);
      kg_runs_label(&x, 1, bound, n_bounds, name, &named);
      CHECK(label == count && named == 100 - count);
    }
    free(bound);
    free(name);
  }
}

int main(void) {
  RUN(equal_values_are_merged);
  RUN(one_run_is_its_pairs);
  RUN(the_best_runs_are_found);
  RUN(the_best_of_many_cuts_is_found);
  RUN(values_of_any_size_are_taken);
  RUN(labels_count_the_bounds);
  return DONE();
}
