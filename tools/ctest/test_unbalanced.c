/* test_unbalanced.c - the size term: the predicted change of Phi is the real one, Phi falls
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

static void moves_are_real_and_help(void) {
  uint64_t rng = 91;
  FOR_ALL_STORES(store, rho) {
    if (store == GRAM || !negative_type(rho)) continue; /* W > 0 */
    problem p = problem_make(&rng, store, rho, 24, 3, 3, 1);
    const double d = 5;
    fit f = fit_make(&p, p.label);
    kg_unbalanced u;
    kg_pair_up(&f.state);
    CHECK(kg_totals(&f.state) == KG_OK);
    kg_unbalanced_start(&u, &f.state, d);
    double s = u.s;
    CHECK_NEAR(kg_unbalanced_phi(&u) / s, (double)reference_phi(&p, f.label, d) / s, 1e-11);
    long double phi = reference_phi(&p, f.label, d);
    for (int sweep = 0; sweep < 100; sweep++) {
      size_t was = f.state.moves;
      for (size_t at = 0; at < p.n;) {
        size_t before = f.state.moves;
        at = kg_unbalanced_sweep(&u, at, 1);
        if (f.state.moves == before) continue;
        long double now = reference_phi(&p, f.label, d);
        CHECK(now < phi);
        phi = now;
        for (size_t i = 0; i < p.n; i++)
          if (p.w[i] > 0) CHECK(companions(&p, f.label, i) >= 1);
      }
      CHECK(kg_totals(&f.state) == KG_OK);
      kg_unbalanced_totals(&u);
      if (f.state.moves == was) break;
    }
    for (size_t i = 0; i < p.n; i++) {
      size_t best;
      double fall, change = kg_unbalanced_move(&u, i, &best, &fall);
      if (p.w[i] == 0 || companions(&p, f.label, i) < 2) {
        CHECK(change == 0 && best == (size_t)f.label[i]);
        continue;
      }
      long double least = HUGE_VALL;
      for (size_t l = 0; l < p.k; l++)
        if (l != (size_t)f.label[i])
          least = fminl(least, real_change(&p, f.label, i, l, d));
      CHECK_NEAR(change / s, (double)least / s, 1e-10);
      CHECK(least > -1e-9 * s);
    }
    kg_unbalanced_place(&u);
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
  kg_unbalanced u;
  kg_unbalanced_start(&u, &f.state, 4);
  CHECK(kg_unbalanced_sweep(&u, 0, (size_t)-1) == p.n);
  CHECK(f.state.moves == 0);
  fit_free(&f);
  problem_free(&p);
}

/* Every cluster of one point gets the nearest that may leave. */
static void pairs_are_made(void) {
  uint64_t rng = 93;
  FOR_ALL_STORES(store, rho) {
    if (store == GRAM) continue;
    problem p = problem_make(&rng, store, rho, 20, 2, 4, 0);
    for (size_t i = 0; i < p.n; i++) p.label[i] = i < 3 ? (int)i : 3;
    fit f = fit_make(&p, p.label);
    kg_pair_up(&f.state);
    for (size_t l = 0; l < p.k; l++) CHECK(f.state.count[l] >= 2);
    check_state(&p, &f.state, 1e-12);
    size_t joined = p.n, nearest = p.n;
    for (size_t i = 3; i < p.n; i++) {
      if (f.label[i] == 0) joined = i;
      if (nearest == p.n || p.B[i * p.n] > p.B[nearest * p.n]) nearest = i;
    }
    if (CHECK(joined < p.n)) CHECK(fabsl(p.B[joined * p.n] - p.B[nearest * p.n]) < 1e-12L);
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
  return DONE();
}
