/* test_state.c - R, V, s of a fit: built, moved, rebuilt, read, against the definitions. */
#include "reference.h"

static void first_pass_is_as_defined(void) {
  uint64_t rng = 21;
  FOR_ALL_STORES(store, rho) {
    for (int zeros = 0; zeros < 2; zeros++) {
      problem p = problem_make(&rng, store, rho, 17, 3, 4, zeros);
      fit f = fit_make(&p, p.label);
      check_state(&p, &f.state, 1e-13);
      CHECK_NEAR(kg_objective(&f.state.e), (double)reference_cost(&p, p.label), 1e-12);
      fit_free(&f);
      problem_free(&p);
    }
  }
}

/* One pass for several states gives each what it would get alone. */
static void states_share_a_pass(void) {
  uint64_t rng = 22;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 19, 2, 3, 1);
    enum { MANY = 4 };
    fit fits[MANY];
    kg_state *states[MANY];
    for (int a = 0; a < MANY; a++) {
      random_labels(&rng, p.w, p.n, p.k, p.label);
      fits[a] = fit_alloc(&p, p.label);
      states[a] = &fits[a].state;
    }
    for (size_t i = 0; i < p.n; i += 7)
      kg_first_pass(states, MANY, i, i + 7 < p.n ? i + 7 : p.n, fits[0].buffer);
    for (int a = 0; a < MANY; a++) {
      kg_state_built(states[a]);
      CHECK(kg_totals(states[a]) == KG_OK);
      check_state(&p, states[a], 1e-13);
      fit_free(fits + a);
    }
    problem_free(&p);
  }
}

static void distances_to_means_are_as_defined(void) {
  uint64_t rng = 23;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 20, 3, 4, 1);
    fit f = fit_make(&p, p.label);
    double scale = 1 + reference_scale(&p);
    for (size_t i = 0; i < p.n; i++) {
      size_t nearest = 0;
      long double least = HUGE_VALL;
      for (size_t l = 0; l < p.k; l++) {
        long double d2 = reference_d2(&p, p.label, i, l);
        CHECK_NEAR((kg_d2(&f.state, i, l) - (double)d2) / scale, 0.0, 1e-12);
        if (d2 < least) least = d2, nearest = l;
      }
      double nearer = HUGE_VAL, best = 0;
      f.state.e.input->kind->nearest(&f.state.e, p.k, i, i + 1, &nearer, &best);
      size_t found = (size_t)best;
      /* the same cluster, or one that is as near but for rounding */
      CHECK(found == nearest ||
            fabsl(reference_d2(&p, p.label, i, found) - least) < 1e-12L * scale);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

/* Hundreds of random moves that leave no cluster empty, then the sums from scratch. */
static void moves_keep_the_sums(void) {
  uint64_t rng = 24;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 24, 3, 5, 1);
    fit f = fit_make(&p, p.label);
    size_t made = 0;
    for (int a = 0; a < 300; a++) {
      size_t i = ctest_below(&rng, p.n), l = ctest_below(&rng, p.k);
      size_t j = (size_t)f.label[i];
      if (p.w[i] == 0 || j == l || f.state.e.count[j] < 2) continue;
      move_now(&f.state, i, l);
      made++;
      CHECK((size_t)f.label[i] == l);
    }
    CHECK(f.state.e.moves == made && made > 50);
    check_state(&p, &f.state, 1e-11);
    fit_free(&f);
    problem_free(&p);
  }
}

/* A cluster that loses all but a 1e-14th of its weight: what is left must not be the
 * rounding of what went. */
static void light_remains_keep_their_digits(void) {
  uint64_t rng = 25;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 12, 3, 2, 0);
    for (size_t i = 0; i < p.n; i++) {
      p.w[i] = i < 4 ? 1e-14 * (1 + ctest_uniform(&rng)) : 1 + ctest_uniform(&rng);
      p.label[i] = i == p.n - 1;
    }
    fit f = fit_make(&p, p.label);
    for (size_t i = 4; i + 1 < p.n; i++) move_now(&f.state, i, 1);
    double scale = reference_scale(&p);
    long double s = reference_s(&p, f.label, 0), V = reference_V(&p, f.label, 0);
    CHECK(fabs(f.state.e.s[0] / (double)s - 1) < 1e-12);
    CHECK(fabs(f.state.e.V[0] - (double)V) <= 1e-12 * scale * (double)(s * s));
    for (size_t i = 0; i < p.n; i++) {
      long double R = reference_R(&p, f.label, i, 0);
      CHECK(fabs(f.state.R[i] - (double)R) <= 1e-12 * scale * (double)s);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

static void weightless_points_go_to_the_nearest_mean(void) {
  uint64_t rng = 26;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 30, 3, 4, 1);
    fit f = fit_make(&p, p.label);
    CHECK(kg_place(&f.state.e, 0, 1e9) == p.n);
    double scale = 1 + reference_scale(&p);
    for (size_t i = 0; i < p.n; i++) {
      if (p.w[i] > 0) {
        CHECK(f.label[i] == p.label[i]);
        continue;
      }
      long double here = reference_d2(&p, p.label, i, (size_t)f.label[i]);
      for (size_t l = 0; l < p.k; l++)
        CHECK(here <= reference_d2(&p, p.label, i, l) + 1e-12L * scale);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

/* Ties go to the lowest cluster: all points equal, all distances 0. */
static void ties_go_to_the_lowest(void) {
  double x[6] = {2, 2, 2, 2, 2, 2}, w[6] = {1, 1, 1, 0, 0, 0};
  int label[6] = {2, 1, 0, 2, 2, 1};
  kg_semimetric rho = {KG_POWER, 1};
  problem p;
  memset(&p, 0, sizeof p);
  p.n = 6, p.d = 1, p.k = 3, p.w = w;
  p.pairs = kg_points(x, 6, 1, rho);
  fit f = fit_make(&p, label);
  CHECK(kg_place(&f.state.e, 0, 1e9) == p.n);
  for (size_t i = 3; i < 6; i++) CHECK(f.label[i] == 0);
  fit_free(&f);
}

static void non_finite_values_are_reported(void) {
  uint64_t rng = 27;
  kg_semimetric rho = {KG_POWER, 2};
  problem p = problem_make(&rng, POINTS, rho, 10, 2, 2, 0);
  for (size_t i = 0; i < p.n * p.d; i++) p.x[i] *= 1e200;
  fit f = fit_alloc(&p, p.label);
  first_pass(&f.state, 0, p.n, f.buffer);
  kg_state_built(&f.state);
  CHECK(kg_totals(&f.state) == KG_NOT_FINITE);
  fit_free(&f);
  problem_free(&p);
}

/* All pieces of a step of the engine. */
static void whole_step(kg_engine *e, size_t (*step)(kg_engine *, size_t, double), double work) {
  for (size_t at = 0, next; at < e->n; at = next) {
    next = step(e, at, work);
    CHECK(next > at && next <= e->n);
    if (next <= at) return;
  }
}

/* The work that the driver requires of an engine, in pieces of any size: sums from labels, a copy that goes
 * on by itself, other labels, and the report of what the labels state. */
static void copies_go_on_alone_and_reports_are_as_defined(void) {
  uint64_t rng = 27;
  const kg_kind *kind = &kg_pair_sums;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 23, 2, 4, 1);
    double work = 1 + 200 * ctest_uniform(&rng), size = 1 + reference_scale(&p);
    int *other = NEW(int, p.n);
    long double sums[5] = {0}, all = 0, weight = 0;
    random_labels(&rng, p.w, p.n, p.k, other);
    fit f = fit_alloc(&p, p.label), g = fit_alloc(&p, other);
    kg_engine *e = &f.state.e;
    whole_step(e, kind->begin, work);
    whole_step(e, kind->totals, work);
    check_state(&p, &f.state, 1e-13);
    kind->copy(&g.state.e, e);
    for (size_t at = 0; at < p.n;) at = kind->relabel(e, other, at, work);
    whole_step(e, kind->totals, work);
    CHECK(memcmp(f.label, other, p.n * sizeof(int)) == 0);
    CHECK(memcmp(g.label, p.label, p.n * sizeof(int)) == 0);
    check_state(&p, &f.state, 1e-12);
    check_state(&p, &g.state, 1e-13);
    for (size_t l = 0; l < p.k; l++)
      CHECK_NEAR((kg_d2(&g.state, 0, l) - (double)reference_d2(&p, g.label, 0, l)) / size, 0.0, 1e-12);
    for (size_t at = 0; at < p.n;) {
      at = kind->report(e, sums, at, work);
      CHECK(at <= p.n);
    }
    for (size_t i = 0; i < p.n; i++) {
      weight += (long double)p.w[i];
      for (size_t j = 0; j < p.n; j++)
        all -= (long double)p.w[i] * (long double)p.w[j] * p.B[i + j * p.n];
    }
    CHECK_NEAR(e->total / size, (double)(all / weight) / size, 1e-11);
    for (size_t l = 0; l < p.k; l++) {
      long double V = reference_V(&p, other, l);
      CHECK_NEAR(e->V[l] / size, (double)V / size, 1e-11);
      CHECK_NEAR(e->cost[l] / size, (double)(-V / reference_s(&p, other, l)) / size, 1e-11);
    }
    free(other);
    fit_free(&f);
    fit_free(&g);
    problem_free(&p);
  }
}

/* Gaps between branches beside coordinates: many labels change at once, between few clusters
 * (by a table of branches), between more than the table has, and where branches are many. */
static void many_moves_at_once_reach_the_gaps(void) {
  uint64_t rng = 28;
  const size_t clusters[] = {2, 4, 40, 4}, branches[] = {3, 1, 5, 300};
  for (int a = 0; a < 24; a++) {
    kg_semimetric rho = all_semimetrics[a % 6];
    enum store store = a % 5 == 4 ? DENSE : POINTS;
    size_t k = clusters[a % 4], m = branches[a % 4], n = 150;
    problem p = problem_make(&rng, store, rho, n, 2, k, a % 2);
    double *H = NEW(double, m * m);
    int *branch = NEW(int, n), *other = NEW(int, n);
    for (size_t b = 0; b < m; b++)
      for (size_t c = 0; c <= b; c++) H[b * m + c] = H[c * m + b] = b == c ? 0 : 1 + ctest_uniform(&rng);
    for (size_t i = 0; i < n; i++) branch[i] = (int)ctest_below(&rng, m);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        p.B[i + j * n] -= (long double)H[(size_t)branch[i] * m + (size_t)branch[j]] / 2;
    kg_with_gaps both = {p.pairs, {branch, H, m}};
    p.pairs = kg_connect(&both);
    fit f = fit_make(&p, p.label);
    check_state(&p, &f.state, 1e-13);
    for (int round = 0; round < 4; round++) {
      random_labels(&rng, p.w, n, k, other);
      if (round % 2) /* few of them */
        for (size_t i = 3; i < n; i++) other[i] = f.label[i];
      if (!none_empty(&p, other)) continue;
      for (size_t at = 0; at < n;) at = kg_relabel(&f.state, other, at, round < 2 ? n : 7);
      CHECK(kg_totals(&f.state) == KG_OK);
      check_state(&p, &f.state, 1e-11);
    }
    for (int sweeps = 0; sweeps < 100 && sweep_all(&f.state); sweeps++) continue;
    CHECK(kg_totals(&f.state) == KG_OK);
    check_state(&p, &f.state, 1e-11);
    free(H), free(branch), free(other);
    fit_free(&f);
    problem_free(&p);
  }
}

int main(void) {
  RUN(first_pass_is_as_defined);
  RUN(states_share_a_pass);
  RUN(distances_to_means_are_as_defined);
  RUN(moves_keep_the_sums);
  RUN(light_remains_keep_their_digits);
  RUN(weightless_points_go_to_the_nearest_mean);
  RUN(ties_go_to_the_lowest);
  RUN(non_finite_values_are_reported);
  RUN(copies_go_on_alone_and_reports_are_as_defined);
  RUN(many_moves_at_once_reach_the_gaps);
  return DONE();
}
