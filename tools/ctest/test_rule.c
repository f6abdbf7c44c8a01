/* test_rule.c - the rule: the slack for rounding, and the size term, with which
 * the predicted change of Phi is the real one, Phi falls
 * with every move, clusters keep two points, and at the end no single move helps. */
#include "reference.h"

static long double reference_phi(const problem *p, const int *label, long double d) {
  long double base = 0, s = 0, sizes = 0, W;
  for (size_t i = 0; i < p->n; i++) {
    s += p->w[i];
    base += p->w[i] * p->B[i + i * p->n];
  }
  W = base + reference_cost(p, label);
  for (size_t l = 0; l < p->k; l++) {
    long double sl = reference_s(p, label, l);
    sizes += sl * logl(sl / s);
  }
  return s * d / 2 * logl(W) - sizes;
}

static size_t companions(const problem *p, const int *label, size_t i) {
  size_t count = 0;
  for (size_t y = 0; y < p->n; y++) count += y != i && label[y] == label[i] && p->w[y] > 0;
  return count;
}

static long double real_change(const problem *p, int *label, size_t i, size_t l,
                               long double d) {
  long double before = reference_phi(p, label, d), after;
  int home = label[i];
  label[i] = (int)l;
  after = reference_phi(p, label, d);
  label[i] = home;
  return after - before;
}

static void set_size_term(kg_state *state, double d) {
  state->e.rule.s = 0;
  for (size_t i = 0; i < state->e.n; i++) state->e.rule.s += state->e.w[i];
  state->e.rule.half = state->e.rule.s * d / 2;
}

static void pair_up(const problem *p, int *label) {
  kg_input input = {&kg_pair_sums, p->n, p->w, &p->pairs};
  size_t *count = NEW(size_t, p->k);
  double *near = NEW(double, p->n);
  for (size_t l = 0; l < p->k;) l = kg_pair_up(&input, label, count, p->k, l, near);
  free(count), free(near);
}

static void moves_are_real_and_help(void) {
  uint64_t rng = 91;
  FOR_ALL_STORES(store, rho) {
    if (store == GRAM || !negative_type(rho)) continue; /* W > 0 */
    problem p = problem_make(&rng, store, rho, 24, 3, 3, 1);
    const double d = 5;
    pair_up(&p, p.label);
    fit f = fit_make(&p, p.label);
    kg_engine *e = &f.state.e;
    set_size_term(&f.state, d);
    double s = e->rule.s;
    CHECK_NEAR(kg_objective(e) / s, (double)reference_phi(&p, f.label, d) / s, 1e-11);
    long double phi = reference_phi(&p, f.label, d);
    for (int sweep = 0; sweep < 100; sweep++) {
      size_t was = e->moves;
      for (size_t at = 0; at < p.n;) {
        size_t before = e->moves;
        at = sweep_some(&f.state, at, 1);
        if (e->moves == before) continue;
        long double now = reference_phi(&p, f.label, d);
        CHECK(now < phi);
        phi = now;
        for (size_t i = 0; i < p.n; i++)
          if (p.w[i] > 0) CHECK(companions(&p, f.label, i) >= 1);
        /* W is kept up to date by the moves */
        CHECK_NEAR(kg_objective(e) / s, (double)phi / s, 1e-9);
      }
      CHECK(kg_totals(&f.state) == KG_OK);
      if (e->moves == was) break;
    }
    for (size_t i = 0; i < p.n; i++) {
      kg_choice choice;
      int made = kg_best_move(&f.state, i, &choice);
      CHECK(!made);
      if (p.w[i] == 0 || companions(&p, f.label, i) < 2) {
        CHECK(choice.best == (size_t)-1);
        continue;
      }
      long double least = HUGE_VALL;
      for (size_t l = 0; l < p.k; l++)
        if (l != (size_t)f.label[i])
          least = fminl(least, real_change(&p, f.label, i, l, d));
      CHECK_NEAR(choice.least / s, (double)least / s, 1e-10);
      CHECK(least > -1e-9 * s);
    }
    for (size_t at = 0; at < p.n;) at = kg_place(e, at, 1);
    CHECK(none_empty(&p, f.label));
    fit_free(&f);
    problem_free(&p);
  }
}

/* All points equal, W = 0: no logarithm of 0, no move. */
static void nothing_to_gain(void) {
  uint64_t rng = 92;
  kg_semimetric rho = {KG_POWER, 1};
  problem p = problem_make(&rng, POINTS, rho, 9, 2, 3, 0);
  for (size_t i = 0; i < p.n * p.d; i++) p.x[i] = 3;
  fit f = fit_make(&p, p.label);
  set_size_term(&f.state, 4);
  CHECK(!sweep_all(&f.state));
  fit_free(&f);
  problem_free(&p);
}

/* Every cluster of one point gets the nearest that may leave. */
static void pairs_are_made(void) {
  uint64_t rng = 93;
  FOR_ALL_STORES(store, rho) {
    if (store == GRAM) continue;
    problem p = problem_make(&rng, store, rho, 20, 2, 4, 0);
    int *label = NEW(int, p.n);
    for (size_t i = 0; i < p.n; i++) label[i] = i < 3 ? (int)i : 3;
    pair_up(&p, label);
    for (size_t l = 0; l < p.k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < p.n; i++) count += (size_t)label[i] == l;
      CHECK(count >= 2);
    }
    size_t joined = p.n, nearest = p.n;
    for (size_t i = 3; i < p.n; i++) {
      if (label[i] == 0) joined = i;
      if (nearest == p.n || p.B[i * p.n] > p.B[nearest * p.n]) nearest = i;
    }
    if (CHECK(joined < p.n)) CHECK(fabsl(p.B[joined * p.n] - p.B[nearest * p.n]) < 1e-12L);
    free(label);
    problem_free(&p);
  }
}

/* Weights up to 1e15 apart: a move that is made lowers W by definition, and no local search ends
 * above its start. */
static void rounding_makes_no_move(void) {
  uint64_t rng = 95;
  kg_semimetric rho = {KG_POWER, 1};
  for (int a = 0; a < 60; a++) {
    problem p = problem_make(&rng, a % 2 ? POINTS : PACKED, rho, 30, 2, 4, 0);
    for (size_t i = 0; i < p.n; i++) p.w[i] = pow(10, -15 * ctest_uniform(&rng));
    fit f = fit_make(&p, p.label);
    long double W = reference_cost(&p, f.label);
    for (int sweep = 0; sweep < 100; sweep++) {
      size_t was = f.state.e.moves;
      for (size_t at = 0; at < p.n;) {
        size_t before = f.state.e.moves;
        at = sweep_some(&f.state, at, 1);
        if (f.state.e.moves == before) continue;
        long double now = reference_cost(&p, f.label);
        CHECK(now <= W * (1 + 1e-15L));
        W = now;
      }
      if (!CHECK(sweep < 99) || f.state.e.moves == was) break;
      for (int done = 0; done == 0;) done = kg_pair_sums.repair(&f.state.e, 1, 1e9);
      CHECK(kg_totals(&f.state) == KG_OK);
      CHECK_NEAR(kg_objective(&f.state.e) / (double)W, 1, 1e-12);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

/* sum_l s_l t1_l^2 / sum_l s_l t2_l, t1 and t2 from the centred matrix of each cluster that
 * has five points. */
static void dimension_is_as_defined(void) {
  uint64_t rng = 94;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 33, 3, 3, 1);
    for (size_t i = 0; i < p.n; i++) p.label[i] = i < 3 ? 2 : (int)(i % 2);
    for (size_t i = 0; i < 13; i++) p.w[i] = 1 + (double)i / 8;
    fit f = fit_make(&p, p.label);
    double square[3] = {0, 0, 0}, trace[3], weight2[3];
    for (size_t from = 0; from < p.n; from += 7)
      kg_dimension_rows(&f.state, from, from + 7 < p.n ? from + 7 : p.n, square, f.buffer);
    long double above = 0, below = 0;
    for (size_t l = 0; l < 2; l++) { /* the third has too few points */
      long double s = reference_s(&p, p.label, l), V = reference_V(&p, p.label, l);
      long double t1 = 0, t2 = 0, w2 = 0;
      for (size_t i = 0; i < p.n; i++)
        for (size_t j = 0; j < p.n && (size_t)p.label[i] == l; j++) {
          if ((size_t)p.label[j] != l) continue;
          long double K = p.B[i + j * p.n] - reference_R(&p, p.label, i, l) / s -
                          reference_R(&p, p.label, j, l) / s + V / s / s;
          long double w = (long double)p.w[i] * (long double)p.w[j];
          if (i == j) w2 += w, t1 += (long double)p.w[i] * K;
          else t2 += w * K * K;
        }
      t1 /= s - w2 / s, t2 /= s * s - w2;
      above += s * t1 * t1, below += s * t2;
    }
    CHECK_NEAR(kg_dimension(&f.state, square, trace, weight2), (double)(above / below), 1e-9);
    fit_free(&f);
    problem_free(&p);
  }
}

int main(void) {
  RUN(pairs_are_made);
  RUN(dimension_is_as_defined);
  RUN(moves_are_real_and_help);
  RUN(nothing_to_gain);
  RUN(rounding_makes_no_move);
  return DONE();
}
