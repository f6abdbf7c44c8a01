/* fuzz_constrained.c - searches under rules: groups of rows, amounts, units apart, contiguous clusters. */
#include "fuzz.h"

static void apply(kg_engine *e, const int *target) {
  for (size_t at = 0; at < e->n;) at = e->input->kind->relabel(e, target, at, HUGE_VAL);
  for (size_t at = 0; at < e->n;) at = e->input->kind->totals(e, at, HUGE_VAL);
}

/* Distinct pairs of different units; `path`: units in a row are among them. */
static int *take_pairs(bytes *in, size_t m, int path, size_t *many) {
  size_t extra = take_below(in, m + 1), first = path ? m - 1 : 0, at = first;
  int *one = NEW(int, first + extra), *other = NEW(int, first + extra), *pairs;
  for (size_t i = 0; i < first; i++) one[i] = (int)i, other[i] = (int)i + 1;
  for (size_t t = 0; t < extra; t++) {
    int x = (int)take_below(in, m), y = (int)take_below(in, m), new = x < y;
    for (size_t e = 0; e < at; e++) new &= !(one[e] == x && other[e] == y);
    if (new) one[at] = x, other[at++] = y;
  }
  pairs = NEW(int, 2 * at);
  for (size_t e = 0; e < at; e++) pairs[e] = one[e], pairs[e + at] = other[e];
  *many = at;
  return pairs;
}

static kg_limit *add_rule(kg_constrained *c, const kg_limit *kind, const int *pairs, size_t many) {
  kg_limit *rule = NEW(kg_limit, 1);
  *rule = *kind;
  rule->m = c->u->m, rule->k = c->u->e->k, rule->label = c->u->label;
  rule->sum = NEW(double, rule->k);
  if (pairs) {
    size_t *start = NEW(size_t, rule->m + 1), *near = NEW(size_t, 2 * many);
    kg_links_from(pairs, many, rule->m, start, near);
    rule->links = (kg_links){start, near};
  }
  return c->rule[c->rules++] = rule;
}

static int connected(const int *pairs, size_t many, const int *label, size_t m, size_t k) {
  size_t *part = NEW(size_t, m), parts = 0;
  for (size_t i = 0; i < m; i++) part[i] = i;
  for (size_t round = 0; round < m; round++)
    for (size_t e = 0; e < many; e++) {
      size_t x = (size_t)pairs[e], y = (size_t)pairs[e + many];
      if (label[x] == label[y]) part[x] = part[y] = part[x] < part[y] ? part[x] : part[y];
    }
  for (size_t i = 0; i < m; i++) parts += part[i] == i;
  return parts == k;
}

/* The rules hold after each step, W is that of the labels and does not rise. */

HARNESS(constrained) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 24, 1);
  unsigned kinds = take(&in);
  size_t n = p.n, m = n, k = p.k, n_apart = 0, n_edges = 0;
  size_t *first = NEW(size_t, n + 1), *row = NEW(size_t, n);
  double *uniforms = NEW(double, 8), *filled = NEW(double, n), *amount = NEW(double, n), sum = 0;
  int *of_rows = NEW(int, n), *group = NEW(int, n), *apart = NULL, *edges = NULL, converged;
  if (kinds & 8) m = k + take_below(&in, n - k + 1);
  /* the first k units have weight, and row i is of unit i */
  for (size_t i = 0; i < n; i++) group[i] = (int)(i < m ? i : take_below(&in, m));
  double *w = NEW(double, n);
  for (size_t i = 0; i < n; i++) w[i] = i < k ? fmax(p.w[i], 0.25) : p.w[i];
  p.w = w, p.total = 0;
  for (size_t i = 0; i < n; i++) p.total += w[i], p.label[i] = group[i] % (int)k;
  double largest = 0;
  for (size_t a = 0; a < n * n; a++) largest = fmax(largest, fabs(p.B[a]));
  p.scale = largest * p.total;
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  kg_units u;
  kg_constrained c;
  kg_parts parts;
  kg_border border;
  void *memory;
  memset(&u, 0, sizeof u), memset(&c, 0, sizeof c);
  LAY(memory, kg_units_lay(&u, &state.e, m, &room));
  LAY(memory, kg_constrained_lay(&c, &u, (kinds & 4) != 0, &room));
  if (m < n) {
    kg_list_members(group, NULL, n, m, first, row);
    u.first = first, u.row = row;
  }
  kg_units_begin(&u);
  kg_units_read(&u);
  for (size_t i = 0; i < m; i++) {
    filled[i] = u.w[i] > 0;
    sum += amount[i] = filled[i] * (double)(1 + take_below(&in, 4));
  }
  kg_limit *rule = add_rule(&c, &kg_amounts, NULL, 0);
  rule->amount = filled, rule->least = 1, rule->most = HUGE_VAL;
  if (kinds & 1) {
    c.amounts = rule = add_rule(&c, &kg_amounts, NULL, 0);
    rule->amount = amount, rule->least = floor(sum / (double)k * take_uniform(&in));
    rule->most = ceil(sum / (double)k * (1 + take_uniform(&in)));
  }
  if (kinds & 2) apart = take_pairs(&in, m, 0, &n_apart), c.apart = add_rule(&c, &kg_apart, apart, n_apart);
  if (kinds & 4) {
    edges = take_pairs(&in, m, 1, &n_edges);
    c.contiguous = add_rule(&c, &kg_contiguous, edges, n_edges);
    LAY(memory, kg_parts_lay(&parts, m, &room));
    LAY(memory, kg_border_lay(&border, &u, n_edges, &room));
    c.contiguous->parts = &parts, c.border = &border;
  }
  for (size_t a = 0; a < 8; a++) uniforms[a] = take_uniform(&in);
  c.uniforms = uniforms, c.n_uniforms = 8, c.apply = apply;
  kg_constrained_begin(&c);
  if (c.contiguous) {
    MUST(kg_constrained_merge(&c, (kinds & 16) != 0, (kinds & 32) != 0));
    kg_constrained_begin(&c);
    kg_constrained_apply(&c);
  }
  double W = HUGE_VAL, room_of = 1e-9 * p.scale + 1e-290;
  for (int step = 0; step < 3; step++) {
    if (step == 0 && !kg_constrained_satisfy(&c)) break;
    if (step == 1) kg_constrained_improve(&c, 200, &converged);
    if (step == 1) kg_constrained_apply(&c);
    if (step == 2 && c.contiguous) kg_constrained_regroup(&c, 50, 1e7);
    MUST(kg_constrained_total(&c) == 0);
    for (size_t i = 0; i < m; i++) MUST(u.label[i] >= 0 && (size_t)u.label[i] < k);
    for (size_t i = 0; i < n; i++) of_rows[i] = u.label[group[i]];
    MUST(memcmp(of_rows, state.e.label, n * sizeof(int)) == 0);
    labels_fine(&p, of_rows);
    for (size_t a = 0; a < n_apart; a++) MUST(u.label[apart[a]] != u.label[apart[a + n_apart]]);
    if (edges) MUST(connected(edges, n_edges, u.label, m, k));
    double now = right_cost(&p, of_rows);
    MUST(now <= W + room_of);
    W = now;
  }
  return fuzz_end();
}
