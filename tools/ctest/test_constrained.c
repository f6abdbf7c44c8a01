/* test_constrained.c - connected clusters by definition, the rises of merges along edges, and
 * searches under rules that end where no allowed move or exchange lowers W. */
#include "reference.h"

/* A connected graph: a path and some chords, each pair once. */
static size_t random_edges(uint64_t *rng, size_t m, int *pairs, size_t most) {
  size_t many = 0;
  int *a = NEW(int, most), *b = NEW(int, most);
  for (size_t i = 1; i < m; i++) a[many] = (int)ctest_below(rng, i), b[many++] = (int)i;
  for (size_t t = 0; t < m && many < most; t++) {
    int x = (int)ctest_below(rng, m), y = (int)ctest_below(rng, m), new = x < y;
    for (size_t e = 0; e < many; e++) new &= !(a[e] == x && b[e] == y);
    if (new) a[many] = x, b[many++] = y;
  }
  for (size_t e = 0; e < many; e++) pairs[e] = a[e], pairs[e + many] = b[e];
  free(a), free(b);
  return many;
}

/* Is cluster l connected, by spreading from its first member? */
static int connected(const int *pairs, size_t many, size_t m, const int *label, int l) {
  int *met = NEW(int, m), all = 1, first = 1;
  memset(met, 0, m * sizeof(int));
  for (size_t i = 0; i < m && first; i++)
    if (label[i] == l) met[i] = 1, first = 0;
  for (size_t round = 0; round < m; round++)
    for (size_t e = 0; e < many; e++) {
      int x = pairs[e], y = pairs[e + many];
      if (label[x] == l && label[y] == l && (met[x] || met[y])) met[x] = met[y] = 1;
    }
  for (size_t i = 0; i < m; i++) all &= label[i] != l || met[i];
  free(met);
  return all;
}

static void parts_are_those_of_the_graph(void) {
  uint64_t rng = 5;
  for (int t = 0; t < 400; t++) {
    size_t m = 2 + ctest_below(&rng, 12), most = 3 * m;
    int *pairs = NEW(int, 2 * most), *label = NEW(int, m), *after = NEW(int, m);
    size_t many = random_edges(&rng, m, pairs, most), *start = NEW(size_t, m + 1);
    size_t *near = NEW(size_t, 2 * many);
    kg_links_from(pairs, many, m, start, near);
    kg_parts parts;
    void *memory;
    LAY(memory, kg_parts_lay(&parts, m, &room));
    kg_limit rule = kg_contiguous;
    rule.m = m, rule.k = 2, rule.label = label, rule.parts = &parts;
    rule.links.start = start, rule.links.near = near;
    for (size_t i = 0; i < m; i++) label[i] = (int)ctest_below(&rng, 2);
    if (connected(pairs, many, m, label, 0)) {
      for (size_t out = 0; out < m; out++) {
        if (label[out] != 0) continue;
        memcpy(after, label, m * sizeof(int));
        after[out] = 1;
        CHECK((rule.rise(&rule, 0, out, KG_NOBODY) == 0) == connected(pairs, many, m, after, 0));
        for (size_t in = 0; in < m; in++) {
          if (label[in] == 0) continue;
          after[in] = 0;
          CHECK((rule.rise(&rule, 0, out, in) == 0) == connected(pairs, many, m, after, 0));
          after[in] = 1;
        }
      }
    }
    free(pairs), free(label), free(after), free(start), free(near), free(memory);
  }
}

static void apply(kg_engine *e, const int *target) {
  for (size_t at = 0; at < e->n;) at = e->input->kind->relabel(e, target, at, HUGE_VAL);
  for (size_t at = 0; at < e->n;) at = e->input->kind->totals(e, at, HUGE_VAL);
}

static void merges_rise_as_w_does(void) {
  uint64_t rng = 11;
  FOR_ALL_STORES(store, rho) {
    size_t n = 6 + ctest_below(&rng, 10), most = 3 * n, one, other, chosen[2] = {0, 0};
    problem p = problem_make(&rng, store, rho, n, 2, 2, 0);
    fit f = fit_make(&p, p.label);
    int *pairs = NEW(int, 2 * most), *label = NEW(int, n);
    size_t many = random_edges(&rng, n, pairs, most), *start = NEW(size_t, n + 1);
    size_t *near = NEW(size_t, 2 * many);
    kg_links_from(pairs, many, n, start, near);
    kg_links links = {start, near};
    kg_units u;
    kg_border b;
    void *units, *memory;
    memset(&u, 0, sizeof u);
    LAY(units, kg_units_lay(&u, &f.state.e, n, &room));
    kg_units_begin(&u);
    LAY(memory, kg_border_lay(&b, &u, many, &room));
    kg_border_begin(&b, &links, NULL, n, NULL);
    long double W = 0;
    double rise, scale = 1 + reference_scale(&p) * (double)n;
    while (kg_border_merge(&b, &one, &other, &rise)) {
      size_t k = kg_border_labels(&b, NULL, n, label), kept = p.k;
      CHECK(one < other && k == b.alive);
      p.k = k;
      long double now = reference_cost(&p, label);
      p.k = kept;
      CHECK_NEAR(((double)(now - W) - rise) / scale, 0.0, 1e-11);
      for (size_t l = 0; l < k; l++) CHECK(connected(pairs, many, n, label, (int)l));
      W = now;
      chosen[0]++;
    }
    CHECK(chosen[0] == n - 1);
    free(pairs), free(label), free(start), free(near), free(units), free(memory);
    fit_free(&f);
    problem_free(&p);
  }
}

/* No allowed move and no exchange lowers W: sums of amounts, pairs apart. */
static void searches_end_at_optima(void) {
  uint64_t rng = 71;
  double uniforms[3] = {0.2, 0.5, 0.8};
  FOR_ALL_STORES(store, rho) {
    size_t k = 2 + ctest_below(&rng, 3), n = k + 8 + ctest_below(&rng, 8);
    problem p = problem_make(&rng, store, rho, n, 3, k, 0);
    fit f = fit_make(&p, p.label);
    double *amount = NEW(double, n), *sum = NEW(double, k), scale = 1 + reference_scale(&p) * (double)n;
    for (size_t i = 0; i < n; i++) amount[i] = 1 + (double)ctest_below(&rng, 2);
    kg_units u;
    kg_constrained c;
    void *units, *memory;
    memset(&u, 0, sizeof u), memset(&c, 0, sizeof c);
    LAY(units, kg_units_lay(&u, &f.state.e, n, &room));
    LAY(memory, kg_constrained_lay(&c, &u, 0, &room));
    kg_limit rule = kg_amounts;
    rule.m = n, rule.k = k, rule.label = u.label, rule.amount = amount, rule.sum = sum;
    rule.least = 1, rule.most = 2.0 * (double)n / (double)k + 2;
    c.rule[c.rules++] = &rule;
    c.exchanges = 1, c.apply = apply, c.uniforms = uniforms, c.n_uniforms = 3;
    kg_units_begin(&u);
    kg_units_read(&u);
    kg_constrained_fill(&c);
    int converged = 0;
    if (kg_constrained_repair(&c)) {
      kg_constrained_apply(&c);
      kg_constrained_improve(&c, 500, &converged);
      CHECK(converged && kg_constrained_total(&c) == 0);
      long double W = reference_cost(&p, u.label);
      double slack = f.state.e.rule.tolerance + 1e-11 * scale;
      for (size_t i = 0; i < n && store != GRAM; i++)
        for (size_t j = 0; j < n; j++) {
          int a = u.label[i], b = u.label[j];
          if (a == b || rule.rise(&rule, (size_t)a, i, j) > 0 || rule.rise(&rule, (size_t)b, j, i) > 0)
            continue;
          u.label[i] = b, u.label[j] = a;
          CHECK(reference_cost(&p, u.label) > W - slack);
          u.label[i] = a, u.label[j] = b;
        }
    }
    free(amount), free(sum), free(units), free(memory);
    fit_free(&f);
    problem_free(&p);
  }
}

int main(void) {
  RUN(parts_are_those_of_the_graph);
  RUN(merges_rise_as_w_does);
  RUN(searches_end_at_optima);
  return DONE();
}
