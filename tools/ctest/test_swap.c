/* test_swap.c - a proposed swap: every point of positive weight at the nearest of the
 * means that stay and the new centre; refused when a cluster would be empty. And all
 * points on the way they went: least distance beyond the present one. */
#include "reference.h"

static void proposals_are_as_defined(void) {
  uint64_t rng = 71;
  size_t accepted = 0, refused = 0;
  FOR_ALL_STORES(store, rho) {
    for (int a = 0; a < 6; a++) {
      problem p = problem_make(&rng, store, rho, 22, 2, 4, 1);
      fit f = fit_make(&p, p.label);
      int *target = NEW(int, p.n);
      size_t *count = NEW(size_t, p.k);
      double scale = 1 + reference_scale(&p);
      size_t c = ctest_below(&rng, p.k), x;
      do x = ctest_below(&rng, p.n);
      while (p.w[x] == 0);
      int ok = 1;
      f.input->kind->rho(f.input, x, 0, p.n, f.buffer);
      for (size_t at = 0; at < p.n;)
        at = kg_swap_targets(&f.state.e, c, x, f.buffer, target, count, at, 1);
      for (size_t l = 0; l < p.k; l++) ok = ok && count[l] > 0;
      for (size_t i = 0; i < p.n; i++) {
        CHECK(f.label[i] == p.label[i]);
        if (p.w[i] == 0) {
          CHECK(target[i] == p.label[i]);
          continue;
        }
        if (i == x) {
          CHECK((size_t)target[i] == c);
          continue;
        }
        long double least = HUGE_VALL, there = 0;
        for (size_t l = 0; l < p.k; l++) {
          long double to = l == c ? p.B[i + i * p.n] + p.B[x + x * p.n] - 2 * p.B[i + x * p.n]
                                  : reference_d2(&p, p.label, i, l);
          least = fminl(least, to);
          if ((size_t)target[i] == l) there = to;
        }
        CHECK(there <= least + 1e-12L * scale);
      }
      CHECK(ok == none_empty(&p, target));
      accepted += ok != 0, refused += ok == 0;
      free(target), free(count);
      fit_free(&f);
      problem_free(&p);
    }
  }
  CHECK(accepted > 50 && refused > 0);
}

static void points_go_on_the_way_they_went(void) {
  uint64_t rng = 72;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 150, 2, 4, 1);
    fit f = fit_make(&p, p.label);
    double *d2 = NEW(double, p.n * p.k), *before = NEW(double, p.n * p.k);
    int *target = NEW(int, p.n);
    double scale = 1 + reference_scale(&p), by = 0.5;
    for (size_t at = 0; at < p.n; at += 40) {
      size_t end = at + 40 < p.n ? at + 40 : p.n;
      kg_distances(&f.state.e, at, end, d2);
    }
    for (size_t i = 0; i < p.n; i++)
      for (size_t l = 0; l < p.k; l++) {
        long double gap = reference_d2(&p, p.label, i, l) - reference_d2(&p, p.label, i, 0);
        CHECK(fabsl(d2[i + l * p.n] - d2[i] - gap) <= 1e-11L * scale);
        before[i + l * p.n] = d2[i + l * p.n] + scale * (ctest_uniform(&rng) - 0.5);
      }
    kg_overshoot(&f.state.e, before, by, 0, 90, target);
    kg_overshoot(&f.state.e, before, by, 90, p.n, target);
    size_t moved = 0;
    for (size_t i = 0; i < p.n; i++) {
      double least = HUGE_VAL;
      for (size_t l = 0; l < p.k; l++)
        least = fmin(least, d2[i + l * p.n] + by * (d2[i + l * p.n] - before[i + l * p.n]));
      size_t there = i + (size_t)target[i] * p.n;
      if (p.w[i] == 0)
        CHECK(target[i] == p.label[i]);
      else
        CHECK(d2[there] + by * (d2[there] - before[there]) <= least + 1e-12 * scale);
      moved += target[i] != p.label[i];
    }
    CHECK(moved > 0);
    free(d2), free(before), free(target);
    fit_free(&f);
    problem_free(&p);
  }
}

int main(void) {
  RUN(proposals_are_as_defined);
  RUN(points_go_on_the_way_they_went);
  return DONE();
}
