/* test_lloyd.c - Lloyd's method: every point to the nearest mean, means fixed during the
 * pass, no cluster left empty, and W never rising where means exist. */
#include "reference.h"

typedef struct {
  int *target;
  size_t *count;
  double *cost;
} pass;

static pass pass_make(const problem *p) {
  pass a = {NEW(int, p->n), NEW(size_t, p->k), NEW(double, p->n)};
  memset(a.target, 0x5a, p->n * sizeof(int));
  memset(a.count, 0x5a, p->k * sizeof(size_t));
  return a;
}

static void pass_free(pass *a) {
  free(a->target), free(a->count), free(a->cost);
}

/* Targets in pieces, refilled where a cluster is empty; how many points change. */
static size_t targets(kg_engine *e, pass *a) {
  size_t changed = 0;
  for (size_t at = 0; at < e->n;) at = kg_targets(e, a->target, a->count, at, 1);
  for (size_t at = 0; at < e->n;) at = kg_target_costs(e, a->target, a->cost, at, 1);
  while (kg_refill(e, a->target, a->count, a->cost)) continue;
  for (size_t i = 0; i < e->n; i++) changed += a->target[i] != e->label[i];
  return changed;
}

static void targets_are_the_nearest_means(void) {
  uint64_t rng = 41;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 40, 2, 3, 1);
    fit f = fit_make(&p, p.label);
    pass a = pass_make(&p);
    double scale = 1 + reference_scale(&p);
    size_t changed = targets(&f.state.e, &a), differ = 0, off = 0;
    size_t singles = 0;
    for (size_t l = 0; l < p.k; l++) singles += a.count[l] == 1;
    for (size_t i = 0; i < p.n; i++) {
      differ += a.target[i] != p.label[i];
      CHECK(f.label[i] == p.label[i]); /* nothing moves yet */
      if (p.w[i] == 0) {
        CHECK(a.target[i] == p.label[i]);
        continue;
      }
      long double least = HUGE_VALL, there = reference_d2(&p, p.label, i, (size_t)a.target[i]);
      for (size_t l = 0; l < p.k; l++)
        least = fminl(least, reference_d2(&p, p.label, i, l));
      long double slack = (long double)(f.state.e.rule.tolerance / p.w[i] + 1e-12 * scale);
      off += there > least + slack;
    }
    CHECK(changed == differ);
    CHECK(off <= singles); /* only a point that refills an emptied cluster is elsewhere */
    for (size_t l = 0; l < p.k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < p.n; i++) count += (size_t)a.target[i] == l && p.w[i] > 0;
      CHECK(a.count[l] == count && count > 0);
    }
    pass_free(&a);
    fit_free(&f);
    problem_free(&p);
  }
}

/* Whole local searches, k up to half of n with many equal points: clusters do empty. */
static void descent_never_rises_nor_empties(void) {
  uint64_t rng = 42;
  FOR_ALL_STORES(store, rho) {
    for (int a = 0; a < 4; a++) {
      size_t n = 8 + ctest_below(&rng, 25), k = 1 + ctest_below(&rng, n / 2);
      problem p = problem_make(&rng, store, rho, n, 1 + ctest_below(&rng, 3), k, a % 2);
      fit f = fit_make(&p, p.label);
      pass t = pass_make(&p);
      double total = 0, scale;
      for (size_t i = 0; i < n; i++) total += p.w[i];
      scale = 1 + reference_scale(&p) * total;
      long double W = reference_cost(&p, f.label);
      for (int pass = 0; pass < 60; pass++) {
        if (targets(&f.state.e, &t) == 0) break;
        if (!CHECK(none_empty(&p, t.target))) break;
        for (size_t i = 0; i < n;) i = kg_relabel(&f.state, t.target, i, 1 + (size_t)pass);
        CHECK(kg_totals(&f.state) == KG_OK);
        check_state(&p, &f.state, 1e-11);
        long double now = reference_cost(&p, f.label);
        if (store != GRAM) CHECK(now <= W + 1e-12L * scale);
        W = now;
      }
      pass_free(&t);
      fit_free(&f);
      problem_free(&p);
    }
  }
}

/* At the end of Hartigan's method, Lloyd's has nothing to do. */
static void hartigan_ends_are_fixed_points(void) {
  uint64_t rng = 43;
  for (enum store store = POINTS; store < GRAM; store++)
    for (size_t s = 0; s < N_SEMIMETRICS; s++) {
      for (int a = 0; a < 4; a++) {
        problem p = problem_make(&rng, store, all_semimetrics[s], 30, 2, 4, a % 2);
        fit f = fit_make(&p, p.label);
        pass t = pass_make(&p);
        for (size_t was = 1, now = 0; was != now;) {
          was = f.state.e.moves;
          sweep_all(&f.state);
          now = f.state.e.moves;
        }
        CHECK(kg_totals(&f.state) == KG_OK);
        CHECK(targets(&f.state.e, &t) == 0);
        pass_free(&t);
        fit_free(&f);
        problem_free(&p);
      }
    }
}

/* Two means that fall together: the costliest point refills the emptied cluster. */
static void an_emptied_cluster_is_refilled(void) {
  double x[6] = {0, 0, 0, 0, 1, 10}, w[6] = {1, 1, 1, 1, 1, 1};
  int label[6] = {0, 0, 1, 1, 0, 1};
  kg_semimetric rho = {KG_POWER, 2};
  problem p;
  memset(&p, 0, sizeof p);
  p.n = 6, p.d = 1, p.k = 3, p.w = w;
  p.pairs = kg_points(x, 6, 1, rho);
  for (size_t k = 3; k <= 5; k++) {
    /* clusters 2.. hold one 0 each, so that equal means compete for the zeros */
    p.k = k;
    for (size_t l = 2; l < k; l++) label[l - 2] = (int)l;
    fit f = fit_make(&p, label);
    pass t = pass_make(&p);
    targets(&f.state.e, &t);
    CHECK(none_empty(&p, t.target));
    pass_free(&t);
    fit_free(&f);
  }
}

int main(void) {
  RUN(targets_are_the_nearest_means);
  RUN(descent_never_rises_nor_empties);
  RUN(hartigan_ends_are_fixed_points);
  RUN(an_emptied_cluster_is_refilled);
  return DONE();
}
