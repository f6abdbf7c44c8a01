/* test_constrained.c - units, rules and merges along edges by definition, and searches under rules:
 * the sums of the engine are those of its labels, no allowed move or exchange lowers W, and the best
 * of some starts is the best of all partitions of small problems. */
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

/* The units that are cut off with `out`: without them the cluster is connected, and no edge leads
 * from them to it. */
static void check_branch(const kg_limit *rule, const int *pairs, size_t many, size_t out, const int *label) {
  size_t m = rule->m, cut = 0;
  if (kg_parts_connected(rule, 0, out, KG_NOBODY, m, &cut)) return;
  int *rest = NEW(int, m);
  memcpy(rest, label, m * sizeof(int));
  CHECK(cut > 0);
  for (size_t a = 0; a < cut; a++) rest[rule->parts->branch[a]] = 2;
  CHECK(connected(pairs, many, m, rest, 0));
  for (size_t e = 0; e < many; e++) {
    int x = rest[pairs[e]], y = rest[pairs[e + many]];
    CHECK(!(x + y == 2 && x != y));
  }
  kg_parts_connected(rule, 0, out, KG_NOBODY, 1, &cut);
  CHECK(cut <= 1);
  free(rest);
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
        check_branch(&rule, pairs, many, out, after);
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

/* ---- a problem in units, with rules ---- */

static void apply(kg_engine *e, const int *target) {
  for (size_t at = 0; at < e->n;) at = e->input->kind->relabel(e, target, at, HUGE_VAL);
  for (size_t at = 0; at < e->n;) at = e->input->kind->totals(e, at, HUGE_VAL);
}

static double polled;

static void poll(double *left, double work) {
  CHECK(work >= 0);
  polled += work;
  *left = 0;
}

enum { AMOUNTS = 1, APART = 2, CONTIGUOUS = 4, GROUPED = 8, WEIGHTLESS = 16, FLAT = 32 };

typedef struct {
  problem p;
  fit f;
  kg_units u;
  kg_constrained c;
  kg_border b;
  kg_parts parts;
  kg_limit rule[KG_RULES];
  size_t m, n_apart, n_edges, *first, *row, *start[2], *near[2];
  int *apart, *edges;
  double *filled, *amount, *sum[2], uniforms[64];
  void *memory[4];
} world;

static kg_limit *add_rule(world *w, const kg_limit *kind) {
  kg_limit *rule = w->rule + w->c.rules;
  *rule = *kind;
  rule->m = w->m, rule->k = w->p.k, rule->label = w->u.label;
  return w->c.rule[w->c.rules++] = rule;
}

static kg_limit *add_amounts(world *w, size_t at, const double *amount, double least, double most) {
  kg_limit *rule = add_rule(w, &kg_amounts);
  rule->amount = amount, rule->sum = w->sum[at] = NEW(double, w->p.k);
  rule->least = least, rule->most = most;
  return rule;
}

static void add_links(world *w, kg_limit *rule, size_t at, const int *pairs, size_t many) {
  w->start[at] = NEW(size_t, w->m + 1), w->near[at] = NEW(size_t, 2 * many);
  kg_links_from(pairs, many, w->m, w->start[at], w->near[at]);
  rule->links.start = w->start[at], rule->links.near = w->near[at];
}

/* Labels of the units to those of rows. */
static void to_rows(const world *w, const int *label, int *out) {
  for (size_t i = 0; i < w->m; i++)
    for (size_t r = 0; r < kg_unit_rows(&w->u, i); r++) out[kg_unit_row(&w->u, i, r)] = label[i];
}

static void world_make(world *w, uint64_t *rng, enum store store, kg_semimetric rho, size_t m, size_t k, int kinds) {
  size_t n = kinds & GROUPED ? m + 1 + ctest_below(rng, m) : m;
  memset(w, 0, sizeof *w);
  w->p = problem_make(rng, store, rho, n, 2, k, (kinds & WEIGHTLESS) != 0);
  w->m = m;
  if (kinds & FLAT) memset(w->p.x, 0, 2 * n * sizeof(double)), memset(w->p.B, 0, n * n * sizeof(long double));
  int *group = NEW(int, n), *label = NEW(int, n), *of_rows = NEW(int, n);
  for (size_t i = 0; i < n; i++) group[i] = (int)(i < m ? i : ctest_below(rng, m));
  for (size_t i = 0; i < m; i++) label[i] = (int)(i < k ? i : ctest_below(rng, k));
  for (size_t i = 0; i < k; i++) w->p.w[i] = fmax(w->p.w[i], 0.5);
  if (kinds & GROUPED) {
    w->first = NEW(size_t, m + 1), w->row = NEW(size_t, n);
    kg_list_members(group, NULL, n, m, w->first, w->row);
    w->u.first = w->first, w->u.row = w->row;
  }
  w->u.m = m;
  to_rows(w, label, of_rows);
  w->f = fit_make(&w->p, of_rows);
  LAY(w->memory[0], kg_units_lay(&w->u, &w->f.state.e, m, &room));
  w->u.poll = poll;
  kg_units_begin(&w->u);
  kg_units_read(&w->u);
  CHECK(memcmp(w->u.label, label, m * sizeof(int)) == 0);
  LAY(w->memory[1], kg_constrained_lay(&w->c, &w->u, (kinds & CONTIGUOUS) != 0, &room));
  w->c.apply = apply, w->c.uniforms = w->uniforms, w->c.n_uniforms = 64;
  for (size_t a = 0; a < 64; a++) w->uniforms[a] = ctest_uniform(rng);
  w->filled = NEW(double, m), w->amount = NEW(double, m);
  double sum = 0;
  for (size_t i = 0; i < m; i++) {
    w->filled[i] = w->u.w[i] > 0;
    sum += w->amount[i] = w->filled[i] * (1 + (double)ctest_below(rng, 3));
  }
  add_amounts(w, 0, w->filled, 1, HUGE_VAL);
  if (kinds & AMOUNTS)
    w->c.amounts = add_amounts(w, 1, w->amount, floor(0.6 * sum / (double)k), ceil(1.3 * sum / (double)k) + 1);
  if (kinds & APART) {
    w->apart = NEW(int, 2 * m), w->n_apart = 1 + ctest_below(rng, m / 2);
    for (size_t a = 0; a < w->n_apart; a++) {
      w->apart[a] = (int)a, w->apart[a + w->n_apart] = (int)(a + 1 + ctest_below(rng, m - a - 1));
    }
    w->c.apart = add_rule(w, &kg_apart);
    add_links(w, w->c.apart, 0, w->apart, w->n_apart);
  }
  if (kinds & CONTIGUOUS) {
    w->edges = NEW(int, 6 * m), w->n_edges = random_edges(rng, m, w->edges, 3 * m);
    w->c.contiguous = add_rule(w, &kg_contiguous);
    add_links(w, w->c.contiguous, 1, w->edges, w->n_edges);
    w->c.contiguous->parts = &w->parts, w->c.border = &w->b;
    LAY(w->memory[2], kg_parts_lay(&w->parts, m, &room));
    LAY(w->memory[3], kg_border_lay(&w->b, &w->u, w->n_edges, &room));
  }
  kg_constrained_begin(&w->c);
  free(group), free(label), free(of_rows);
}

static void world_free(world *w) {
  for (size_t a = 0; a < 4; a++) free(w->memory[a]);
  for (size_t a = 0; a < 2; a++) free(w->start[a]), free(w->near[a]), free(w->sum[a]);
  free(w->first), free(w->row), free(w->apart), free(w->edges), free(w->filled), free(w->amount);
  fit_free(&w->f);
  problem_free(&w->p);
}

/* ---- definitions ---- */

static double cost_of(const world *w, const int *label) {
  int *of_rows = NEW(int, w->p.n);
  to_rows(w, label, of_rows);
  double cost = (double)reference_cost(&w->p, of_rows);
  free(of_rows);
  return cost;
}

static double slack_of(const world *w) {
  return w->f.state.e.rule.tolerance + 1e-11 * (1 + reference_scale(&w->p) * (double)w->p.n);
}

/* The violation of one rule by cluster l, but for contiguous clusters. */
static double violation_of(const world *w, const kg_limit *rule, const int *label, int l) {
  double sum = 0, met = 0;
  for (size_t i = 0; i < w->m; i++) sum += rule->amount && label[i] == l ? rule->amount[i] : 0;
  for (size_t a = 0; a < w->n_apart; a++) met += label[w->apart[a]] == l && label[w->apart[a + w->n_apart]] == l;
  double off = fmax(fmax(rule->least - sum, sum - rule->most), 0);
  return rule->amount ? off * off : rule == w->c.apart ? met : 0;
}

static double total_of(const world *w, const int *label) {
  double total = 0;
  for (size_t r = 0; r < w->c.rules; r++)
    for (size_t l = 0; l < w->p.k; l++) total += violation_of(w, w->rule + r, label, (int)l);
  return total;
}

static int holds(const world *w, const int *label) {
  int all = total_of(w, label) == 0;
  for (size_t l = 0; l < w->p.k && w->edges && all; l++) all = connected(w->edges, w->n_edges, w->m, label, (int)l);
  return all;
}

/* ---- units ---- */

static double share_of(const world *w, size_t i, size_t row) {
  double sum = 0;
  for (size_t r = 0; r < kg_unit_rows(&w->u, i); r++) sum += w->p.w[kg_unit_row(&w->u, i, r)];
  return sum > 0 ? w->p.w[row] / sum : 1 / (double)kg_unit_rows(&w->u, i);
}

/* The mean of B over pairs of rows of two units. */
static double mean_B(const world *w, size_t i, size_t j) {
  double sum = 0;
  for (size_t r = 0; r < kg_unit_rows(&w->u, i); r++)
    for (size_t q = 0; q < kg_unit_rows(&w->u, j); q++) {
      size_t x = kg_unit_row(&w->u, i, r), y = kg_unit_row(&w->u, j, q);
      sum += share_of(w, i, x) * share_of(w, j, y) * (double)w->p.B[x + y * w->p.n];
    }
  return sum;
}

static void units_are_means_of_their_rows(void) {
  uint64_t rng = 21;
  FOR_ALL_STORES(store, rho) {
    world w;
    world_make(&w, &rng, store, rho, 6, 2, a_ % 2 ? GROUPED | WEIGHTLESS : GROUPED);
    double scale = 1 + reference_scale(&w.p), total = 0, all = 0;
    size_t one[3] = {0, 2, 4}, other[3] = {1, 3, 5};
    for (size_t i = 0; i < w.m; i++) {
      double weight = 0, diagonal = 0, nearest[2] = {0, 0};
      for (size_t r = 0; r < kg_unit_rows(&w.u, i); r++) {
        size_t x = kg_unit_row(&w.u, i, r);
        weight += w.p.w[x], diagonal += share_of(&w, i, x) * (double)w.p.B[x + x * w.p.n];
        for (size_t l = 0; l < 2; l++) nearest[l] += share_of(&w, i, x) * (double)reference_R(&w.p, w.f.label, x, l);
      }
      CHECK_NEAR(w.u.w[i], weight, 1e-12);
      CHECK_NEAR(w.u.inner[i] / scale, (diagonal - mean_B(&w, i, i)) / scale, 1e-10);
      for (size_t l = 0; l < 2; l++) {
        double s = (double)reference_s(&w.p, w.f.label, l), V = (double)reference_V(&w.p, w.f.label, l);
        CHECK_NEAR(kg_units_d2(&w.u, i, l) / scale, (mean_B(&w, i, i) - 2 * nearest[l] / s + V / s / s) / scale, 1e-10);
      }
      for (size_t j = 0; j < w.m && j != i; j++)
        CHECK_NEAR(kg_units_rho(&w.u, i, j) / scale,
                   (mean_B(&w, i, i) + mean_B(&w, j, j) - 2 * mean_B(&w, i, j)) / scale, 1e-10);
    }
    for (size_t a = 0; a < 3; a++)
      for (size_t b = 0; b < 3; b++)
        for (size_t r = 0; r < kg_unit_rows(&w.u, one[a]); r++)
          for (size_t q = 0; q < kg_unit_rows(&w.u, other[b]); q++) {
            size_t x = kg_unit_row(&w.u, one[a], r), y = kg_unit_row(&w.u, other[b], q), n = w.p.n;
            double pair = w.p.w[x] * w.p.w[y];
            total += pair * (double)(w.p.B[x + x * n] + w.p.B[y + y * n] - 2 * w.p.B[x + y * n]), all += pair;
          }
    CHECK_NEAR((kg_units_between(&w.u, one, 3, other, 3) - total) / (scale * (1 + all)), 0.0, 1e-11);
    world_free(&w);
  }
}

/* ---- rules ---- */

/* Every rise, whether units may join, and the totals, against the violations before and after. */
static void check_rules(world *w) {
  int *label = NEW(int, w->m);
  CHECK_NEAR(kg_constrained_total(&w->c), total_of(w, w->u.label), 1e-12);
  for (size_t r = 0; r < w->c.rules; r++) {
    kg_limit *rule = w->rule + r;
    for (size_t out = 0; out <= w->m && rule != w->c.contiguous; out++)
      for (size_t in = 0; in <= w->m; in++)
        for (int l = 0; l < (int)w->p.k; l++) {
          if ((out < w->m && w->u.label[out] != l) || (in < w->m && w->u.label[in] == l)) continue;
          memcpy(label, w->u.label, w->m * sizeof(int));
          if (out < w->m) label[out] = -1;
          if (in < w->m) label[in] = l;
          double before = violation_of(w, rule, w->u.label, l), after = violation_of(w, rule, label, l);
          CHECK_NEAR(rule->rise(rule, (size_t)l, out < w->m ? out : KG_NOBODY, in < w->m ? in : KG_NOBODY),
                     after - before, 1e-12);
          if (out == w->m && in < w->m && rule == w->c.apart)
            CHECK(rule->may_join(rule, (size_t)l, in) == (after == before));
          if (out == w->m && in < w->m && rule == w->c.amounts)
            CHECK(rule->may_join(rule, (size_t)l, in) == (rule->sum[l] + rule->amount[in] <= rule->most));
        }
  }
  for (size_t i = 0; i < w->m && w->c.apart; i++) {
    int broken = 0;
    for (size_t a = 0; a < w->n_apart; a++) {
      size_t x = (size_t)w->apart[a], y = (size_t)w->apart[a + w->n_apart];
      broken |= (x == i || y == i) && w->u.label[x] == w->u.label[y];
    }
    CHECK(kg_constrained_broken(&w->c, i) == broken);
  }
  free(label);
}

static void rules_are_their_definitions_after_moves(void) {
  uint64_t rng = 31;
  FOR_ALL_STORES(store, rho) {
    world w;
    world_make(&w, &rng, store, rho, 8, 3, AMOUNTS | APART | CONTIGUOUS | (a_ % 2 ? GROUPED : 0));
    check_rules(&w);
    for (int t = 0; t < 12; t++) {
      size_t i = ctest_below(&rng, w.m), l = ctest_below(&rng, 3), from = (size_t)w.u.label[i];
      if (l == from || w.f.state.e.count[from] == w.u.count[i]) continue;
      kg_units_move(&w.u, i, l);
      kg_constrained_made(&w.c, i, from, l);
    }
    check_rules(&w);
    check_state(&w.p, &w.f.state, 1e-10);
    world_free(&w);
  }
}

/* ---- searches ---- */

/* After a search: the rules hold, the engine has the labels of the units and their sums. */
static void check_held(world *w) {
  int *of_rows = NEW(int, w->p.n);
  to_rows(w, w->u.label, of_rows);
  CHECK(holds(w, w->u.label));
  CHECK(memcmp(of_rows, w->f.label, w->p.n * sizeof(int)) == 0);
  check_state(&w->p, &w->f.state, 1e-10);
  free(of_rows);
}

static int has_edge(const world *w, size_t i, int l) {
  for (size_t e = 0; e < w->n_edges; e++) {
    size_t x = (size_t)w->edges[e], y = (size_t)w->edges[e + w->n_edges];
    if ((x == i && w->u.label[y] == l) || (y == i && w->u.label[x] == l)) return 1;
  }
  return w->n_edges == 0;
}

/* No move and no exchange of two units with weight lowers W and leaves the rules satisfied. */
static void check_optimum(const world *w) {
  int *label = NEW(int, w->m);
  double W = cost_of(w, w->u.label), slack = slack_of(w);
  memcpy(label, w->u.label, w->m * sizeof(int));
  for (size_t i = 0; i < w->m; i++) {
    int own = label[i];
    for (int l = 0; l < (int)w->p.k; l++) {
      label[i] = l;
      if (l != own && holds(w, label)) CHECK(cost_of(w, label) > W - slack);
    }
    for (size_t j = 0; j < i && w->c.amounts; j++) {
      int other = label[j];
      if (other == own || w->u.w[i] == 0 || w->u.w[j] == 0 || !has_edge(w, i, other) || !has_edge(w, j, own)) continue;
      label[i] = other, label[j] = own;
      if (holds(w, label)) CHECK(cost_of(w, label) > W - slack);
      label[j] = other;
    }
    label[i] = own;
  }
  free(label);
}

/* From random labels, or from merges with random factors. */
static int search(world *w, uint64_t *rng, int start, int regroup) {
  int converged, *label = w->u.label;
  if (w->c.contiguous) {
    CHECK(kg_constrained_merge(&w->c, 0, start > 0));
  } else {
    for (size_t i = w->p.k; i < w->m; i++) label[i] = (int)ctest_below(rng, w->p.k);
    for (size_t i = 0; i < w->p.k; i++) label[i] = (int)i;
  }
  kg_constrained_begin(&w->c);
  kg_constrained_apply(&w->c);
  if (!kg_constrained_satisfy(&w->c)) {
    CHECK(kg_constrained_total(&w->c) > 0);
    return 0;
  }
  check_held(w);
  double W = w->f.state.e.rule.W;
  CHECK(kg_constrained_improve(&w->c, 1000, &converged) <= 1000 && converged);
  kg_constrained_apply(&w->c);
  CHECK(w->f.state.e.rule.W <= W + slack_of(w));
  check_held(w);
  if (w->c.contiguous && regroup) {
    W = w->f.state.e.rule.W;
    kg_constrained_regroup(&w->c, 1000, 1e9);
    check_held(w);
    CHECK(w->f.state.e.rule.W <= W + slack_of(w));
  }
  return 1;
}

/* The least cost of all partitions that satisfy the rules, HUGE_VAL if none does. */
static double least_of_all(const world *w) {
  int *label = NEW(int, w->m);
  double least = HUGE_VAL;
  for (size_t at = 0; at < w->m;) {
    if (holds(w, label)) least = fmin(least, cost_of(w, label));
    for (at = 0; at < w->m && ++label[at] == (int)w->p.k; at++) label[at] = 0;
  }
  free(label);
  return least;
}

static void the_best_start_is_the_best_partition(void) {
  uint64_t rng = 41;
  int kinds = 0, feasible = 0, refused = 0, above = 0;
  FOR_ALL_STORES(store, rho) {
    if (store == GRAM) continue;
    for (int t = 0; t < 3; t++, kinds = (kinds + 1) % 32) {
      world w;
      world_make(&w, &rng, store, rho, 6, 2 + ctest_below(&rng, 2), kinds);
      double least = least_of_all(&w), best = HUGE_VAL;
      for (int start = 0; start < 8; start++) {
        if (!search(&w, &rng, start, 1)) continue;
        check_optimum(&w);
        best = fmin(best, cost_of(&w, w.u.label));
      }
      CHECK(best >= least - slack_of(&w));
      feasible += least < HUGE_VAL;
      refused += least < HUGE_VAL && !(best < HUGE_VAL);
      above += best < HUGE_VAL && best > least + slack_of(&w);
      world_free(&w);
    }
  }
  CHECK(feasible > 50);
  CHECK(refused == 0);
  CHECK(20 * above <= feasible);
}

static void larger_problems_end_at_optima(void) {
  uint64_t rng = 51;
  for (int kinds = 0; kinds < 32; kinds++)
    for (int start = 0; start < 2; start++) {
      world w;
      world_make(&w, &rng, start ? POINTS : DENSE, all_semimetrics[0], 30, 4, kinds);
      int found = search(&w, &rng, start, 1);
      CHECK(found || (kinds & APART && kinds & CONTIGUOUS));
      if (found) {
        if (!(kinds & CONTIGUOUS)) check_optimum(&w);
        if (kinds & CONTIGUOUS) {
          CHECK(kg_constrained_merge(&w.c, 1, 0));
          CHECK(holds(&w, w.u.label));
        }
      }
      world_free(&w);
    }
  CHECK(polled > 0);
}

/* All distances are 0: violations alone guide the moves, and no unit is left without a cluster. */
static void equal_rows_satisfy_limits(void) {
  uint64_t rng = 61;
  for (int kinds = 0; kinds < 8; kinds++) {
    world w;
    world_make(&w, &rng, POINTS, all_semimetrics[0], 16, 3, kinds | FLAT);
    CHECK(search(&w, &rng, 0, 1));
    CHECK_NEAR(cost_of(&w, w.u.label), 0.0, 1e-12);
    world_free(&w);
  }
}

/* A graph of more parts than clusters, and one of as many. */
static void parts_bound_the_clusters(void) {
  uint64_t rng = 71;
  world w;
  world_make(&w, &rng, POINTS, all_semimetrics[0], 8, 3, CONTIGUOUS);
  free(w.start[1]), free(w.near[1]);
  int pairs[10] = {0, 2, 4, 6, 5, 1, 3, 5, 7, 6};
  w.n_edges = 5, memcpy(w.edges, pairs, sizeof pairs);
  add_links(&w, w.c.contiguous, 1, w.edges, 4);
  CHECK(!kg_constrained_merge(&w.c, 0, 0));
  free(w.start[1]), free(w.near[1]);
  for (size_t e = 0; e < 5; e++) w.edges[e] = pairs[e], w.edges[e + 5] = pairs[e + 5];
  add_links(&w, w.c.contiguous, 1, w.edges, 5);
  CHECK(search(&w, &rng, 0, 1));
  CHECK(w.u.label[4] == w.u.label[7] && w.u.label[0] != w.u.label[2]);
  world_free(&w);
}

/* Merges between clusters that must be apart come last. */
static void merges_keep_units_apart(void) {
  uint64_t rng = 81;
  for (int t = 0; t < 40; t++) {
    world w;
    world_make(&w, &rng, POINTS, all_semimetrics[0], 12, 4, APART | CONTIGUOUS);
    int before = 1, now;
    size_t one, other;
    double rise;
    w.b.apart = &w.c.apart->links;
    kg_border_begin(&w.b, &w.c.contiguous->links, NULL, w.m, NULL);
    while (kg_border_merge(&w.b, &one, &other, &rise)) {
      kg_border_labels(&w.b, NULL, w.m, w.u.label);
      now = 1;
      for (size_t a = 0; a < w.n_apart; a++) now &= w.u.label[w.apart[a]] != w.u.label[w.apart[a + w.n_apart]];
      if (before && !now) { /* every other pair of linked clusters must be apart as well */
        int joined = w.u.label[one];
        for (size_t e = 0; e < w.n_edges; e++) {
          int x = w.u.label[w.edges[e]], y = w.u.label[w.edges[e + w.n_edges]], apart = x == y || x == joined || y == joined;
          for (size_t a = 0; a < w.n_apart; a++) {
            int p = w.u.label[w.apart[a]], q = w.u.label[w.apart[a + w.n_apart]];
            apart |= (p == x && q == y) || (p == y && q == x);
          }
          CHECK(apart);
        }
      }
      before = now;
    }
    world_free(&w);
  }
}

int main(void) {
  RUN(parts_are_those_of_the_graph);
  RUN(merges_rise_as_w_does);
  RUN(merges_keep_units_apart);
  RUN(units_are_means_of_their_rows);
  RUN(rules_are_their_definitions_after_moves);
  RUN(the_best_start_is_the_best_partition);
  RUN(larger_problems_end_at_optima);
  RUN(equal_rows_satisfy_limits);
  RUN(parts_bound_the_clusters);
  return DONE();
}
