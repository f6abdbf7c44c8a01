/* test_swap.c - a proposed swap: every point of positive weight at the nearest of the
 * means that stay and the new centre; refused when a cluster would be empty. All
 * points on the way they went: least distance beyond the present one. And some points that
 * move while the others are at rest: their sums are those of all. */
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

/* Masses are w d2 to the own mean; a draw falls on a point of mass, in proportion to it. */
static void draws_are_in_proportion_to_mass(void) {
  uint64_t rng = 93;
  FOR_ALL_STORES(store, rho) {
    if (store == GRAM || !negative_type(rho)) continue;
    problem p = problem_make(&rng, store, rho, 20, 2, 3, 1);
    fit f = fit_make(&p, p.label);
    double *mass = NEW(double, p.n), *hits = NEW(double, p.n), total = 0, size = 1 + reference_scale(&p);
    enum { DRAWS = 5000 };
    for (size_t at = 0; at < p.n;) at = kg_masses(&f.state.e, mass, at, 1);
    for (size_t i = 0; i < p.n; i++) {
      long double d2 = reference_d2(&p, p.label, i, (size_t)p.label[i]);
      CHECK_NEAR(mass[i] / size, (double)((long double)p.w[i] * d2) / size, 1e-12);
      total += mass[i];
      hits[i] = 0;
    }
    for (int u = 0; u < DRAWS; u++) {
      size_t i = kg_draw_mass(mass, p.n, (u + 0.5) / DRAWS);
      CHECK(i < p.n);
      if (i < p.n) hits[i]++;
    }
    for (size_t i = 0; i < p.n; i++) CHECK(fabs(hits[i] - DRAWS * mass[i] / total) <= 1.01);
    CHECK(mass[kg_draw_mass(mass, p.n, 1)] > 0);
    memset(mass, 0, p.n * sizeof(double));
    CHECK(kg_draw_mass(mass, p.n, 0.5) == p.n); /* nothing to draw from */
    free(mass), free(hits);
    fit_free(&f);
    problem_free(&p);
  }
}

/* Labels of all points where rows[i] has the label of point i of `some`. */
static void check_some(const problem *p, const kg_state *some, const size_t *rows,
                       int *label) {
  double scale = 1 + reference_scale(p), W = 0;
  for (size_t i = 0; i < some->e.n; i++) label[rows[i]] = some->e.label[i];
  for (size_t l = 0; l < p->k; l++) {
    CHECK_NEAR(some->e.s[l], (double)reference_s(p, label, l), 1e-12);
    W += some->e.cost[l];
    for (size_t i = 0; i < some->e.n && some->e.count[l] > 0; i++)
      CHECK(fabs(kg_d2(some, i, l) - (double)reference_d2(p, label, rows[i], l)) <= 1e-10 * scale);
  }
  CHECK_NEAR(W, (double)reference_cost(p, label), 1e-10);
  CHECK_NEAR(some->e.rule.W, W, 1e-10);
}

static void some_move_and_others_rest(void) {
  uint64_t rng = 73;
  size_t moved = 0;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 150, 2, 4, 1);
    fit f = fit_make(&p, p.label);
    int *second = NEW(int, p.n), *label = NEW(int, p.n), *target = NEW(int, p.n);
    double *gap = NEW(double, p.n);
    size_t *rows = NEW(size_t, p.n), m = 0;
    memcpy(label, p.label, p.n * sizeof(int));
    kg_second_means(&f.state.e, 0, p.n, second);
    kg_gaps_between(&f.state, second, gap);
    for (size_t i = 0; i < p.n; i++) {
      size_t own = (size_t)p.label[i], l = (size_t)second[i];
      if (p.w[i] == 0 || second[i] < 0)
        CHECK(gap[i] == HUGE_VAL);
      else
        CHECK_NEAR(gap[i], kg_d2(&f.state, i, l) - kg_d2(&f.state, i, own), 1e-9);
      if (ctest_uniform(&rng) < 0.4) rows[m++] = i;
    }
    /* the engine of these alone, with the sums of all */
    kg_some part = {&p.pairs, rows};
    kg_pairs pairs = kg_pairs_some(&part, m);
    problem few = p;
    few.n = m, few.pairs = pairs, few.w = NEW(double, m);
    for (size_t i = 0; i < m; i++) few.w[i] = p.w[rows[i]];
    fit some = fit_alloc(&few, p.label);
    some.input->kind = &kg_near_sums;
    kg_near_take(&some.state, &f.state, rows);
    kg_engine *e = &some.state.e;
    const kg_kind *kind = e->input->kind;
    CHECK(kind->totals(e, 0, HUGE_VAL) == m && e->status == KG_OK);
    check_some(&p, &some.state, rows, label);
    for (size_t i = 0; i < m; i++) {
      size_t own = (size_t)e->label[i];
      target[i] = (int)ctest_below(&rng, p.k);
      if (e->count[own] < 3) target[i] = (int)own;
    }
    for (size_t at = 0; at < m;) at = kind->relabel(e, target, at, 1);
    CHECK(kind->totals(e, 0, HUGE_VAL) == m);
    check_some(&p, &some.state, rows, label);
    double W = e->rule.W;
    for (size_t before = e->moves, sweeps = 0; sweeps < 50; before = e->moves, sweeps++) {
      for (size_t at = 0; at < m;) at = kind->sweep(e, at, 1000);
      if (e->moves == before) break;
    }
    CHECK(e->rule.W <= W);
    moved += e->rule.W < W;
    kind->totals(e, 0, HUGE_VAL);
    check_some(&p, &some.state, rows, label);
    fit_free(&some), fit_free(&f), free(few.w);
    free(second), free(label), free(target), free(gap), free(rows);
    problem_free(&p);
  }
  CHECK(moved > 5);
}

int main(void) {
  RUN(proposals_are_as_defined);
  RUN(points_go_on_the_way_they_went);
  RUN(draws_are_in_proportion_to_mass);
  RUN(some_move_and_others_rest);
  return DONE();
}
