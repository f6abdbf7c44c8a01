/* test_balance.c - limits on sizes: labels by regret keep them, predicted changes of moves
 * and exchanges are real and add up, and at the end none lowers W. */
#include "reference.h"

static problem equal_weights(uint64_t *rng, enum store store, kg_semimetric rho, size_t n,
                             size_t k) {
  problem p = problem_make(rng, store, rho, n, 3, k, 0);
  for (size_t i = 0; i < n; i++) p.w[i] = 1.5;
  return p;
}

/* Feasible limits: `loose` between 0 (equal sizes) and 2. */
static void set_limits(kg_balance *b, size_t n, size_t k, size_t loose) {
  b->least = n / k > loose ? n / k - loose : 1;
  b->most = (n + k - 1) / k + loose;
}

/* Labels within the limits, in pieces. */
static void restore(kg_balance *b, int *target) {
  for (size_t at = 0; at < b->e->n;) at = kg_balance_regrets(b, at, 1);
  kg_balance_assign(b, target);
}

static long double cost_after(const problem *p, const int *label, kg_ranked change, int a, int c) {
  int *other = NEW(int, p->n);
  memcpy(other, label, p->n * sizeof(int));
  other[change.one] = label[change.one] == a ? c : a;
  if (change.other != KG_NONE) other[change.other] = label[change.other] == a ? c : a;
  long double W = reference_cost(p, other);
  free(other);
  return W;
}

/* Every best change of a pair of clusters is real; returns the sum of those chosen. */
static void check_changes(const problem *p, const kg_balance *b, const int *label, double scale) {
  long double W = reference_cost(p, label);
  kg_ranked *best = b->best;
  for (int a = 0; a < (int)p->k; a++)
    for (int c = a + 1; c < (int)p->k; c++, best++) {
      if (best->one == KG_NONE) continue;
      double change = (double)(cost_after(p, label, *best, a, c) - W);
      CHECK_NEAR((p->w[0] * best->value - change) / scale, 0.0, 1e-12);
    }
}

/* No allowed move, and no exchange, lowers W. */
static void check_end(const problem *p, const kg_balance *b, int *label, double slack) {
  long double W = reference_cost(p, label);
  for (size_t i = 0; i < p->n; i++) {
    int home = label[i];
    for (size_t l = 0; l < p->k && b->e->count[home] > b->least; l++) {
      if ((int)l == home || b->e->count[l] >= b->most) continue;
      label[i] = (int)l;
      CHECK(reference_cost(p, label) > W - slack);
    }
    label[i] = home;
    for (size_t j = 0; j < i; j++) {
      int away = label[j];
      label[i] = away, label[j] = home;
      CHECK(reference_cost(p, label) > W - slack);
      label[i] = home, label[j] = away;
    }
  }
}

static void rounds_end_where_no_change_helps(void) {
  uint64_t rng = 71;
  FOR_ALL_STORES(store, rho) {
    for (size_t loose = 0; loose < 3; loose++) {
      size_t k = 1 + ctest_below(&rng, 5), n = k + 8 + ctest_below(&rng, 12);
      problem p = equal_weights(&rng, store, rho, n, k);
      fit f = fit_make(&p, p.label);
      kg_balance b;
      void *memory;
      LAY(memory, kg_balance_lay(&b, &f.state.e, &room));
      set_limits(&b, n, k, loose);
      int *target = NEW(int, n), done = 0;
      restore(&b, target);
      double scale = 1 + reference_scale(&p) * (double)n;
      kg_balance_begin(&b);
      for (int round = 0; !done && round < 500; round++) {
        long double W = reference_cost(&p, target);
        fit_free(&f);
        f = fit_make(&p, target);
        b.e = &f.state.e;
        CHECK(kg_balance_holds(&b));
        for (size_t a = 0; a < k;) a = kg_balance_scan(&b, a, round % 2 ? 1 : 1e9);
        check_changes(&p, &b, f.label, scale);
        done = kg_balance_choose(&b, target) == 0;
        if (!done) CHECK(reference_cost(&p, target) < W + 1e-12L * scale);
      }
      CHECK(done);
      /* the bound on rho requires negative type, which a random Gram matrix lacks */
      if (store != GRAM)
        check_end(&p, &b, f.label, f.state.e.rule.tolerance + 1e-12 * scale);
      free(target), free(memory);
      fit_free(&f);
      problem_free(&p);
    }
  }
}

int main(void) {
  RUN(rounds_end_where_no_change_helps);
  return DONE();
}
