/* ffi_constrained.c - partitions under rules: amounts within limits, units apart, contiguous
 * clusters, and Ward's tree along the edges of a graph. */
#include "ffi_descent.h"
#include "kg_constrained.h"
#include <math.h>
#include <string.h>

/* Arguments from R: groups of rows, amounts, pairs of units. */
typedef struct {
  size_t m, n_apart, n_edges;
  const int *group;     /* n, from 1, or NULL */
  const double *amount; /* m, or NULL */
  double least, most;
  int *apart, *edges; /* pairs from 0, or NULL */
  const double *uniforms;
  size_t n_uniforms;
  double work;
} given;

/* A matrix of two columns: pairs of different units, no pair twice. */
static int *read_pairs(SEXP pairs, size_t m, size_t *many, const char *name) {
  *many = 0;
  if (pairs == R_NilValue)
    return NULL;
  const R_xlen_t length = Rf_xlength(pairs);
  const int *from = ffi_integers(pairs, length, name);
  int *out = (int *)R_alloc((size_t)length + 1, sizeof(int));
  if (length % 2 != 0)
    Rf_error("%s must have two columns", name);
  *many = (size_t)length / 2;
  ffi_labels(from, (size_t)length, m, out, name);
  for (size_t a = 0; a < *many; a++)
    if (out[a] == out[a + *many])
      Rf_error("%s must be of different units", name);
  return out;
}

static given read_rules(SEXP rules, size_t n) {
  given g;
  memset(&g, 0, sizeof g);
  SEXP group = ffi_field(rules, "group"), amount = ffi_field(rules, "amount");
  g.m = n;
  if (group != R_NilValue) {
    g.group = ffi_integers(group, (R_xlen_t)n, "group");
    g.m = ffi_count(ffi_need(rules, "m"), 1, (double)n, "m");
    for (size_t i = 0; i < n; i++)
      if (g.group[i] < 1 || (size_t)g.group[i] > g.m)
        Rf_error("group must lie between 1 and m");
  }
  if (amount != R_NilValue) {
    g.amount = ffi_finite(amount, (R_xlen_t)g.m, "amount");
    const double *limits = ffi_doubles(ffi_need(rules, "limits"), 2, "limits");
    g.least = limits[0];
    g.most = limits[1];
    if (!(g.least <= g.most))
      Rf_error("limits must ascend");
  }
  g.apart = read_pairs(ffi_field(rules, "apart"), g.m, &g.n_apart, "apart");
  g.edges = read_pairs(ffi_field(rules, "contiguous"), g.m, &g.n_edges, "contiguous");
  SEXP uniforms = ffi_need(rules, "uniforms");
  g.uniforms = ffi_uniforms(uniforms);
  g.n_uniforms = (size_t)Rf_xlength(uniforms);
  if (g.n_uniforms == 0)
    Rf_error("uniforms must not be empty");
  g.work = ffi_number(ffi_need(rules, "work"), 0, HUGE_VAL, "work");
  return g;
}

static kg_links links_of(const int *pairs, size_t many, size_t m) {
  size_t *start = (size_t *)R_alloc(m + 1, sizeof(size_t));
  size_t *near = (size_t *)R_alloc(2 * many + 1, sizeof(size_t));
  size_t *seen = (size_t *)R_alloc(m, sizeof(size_t));
  kg_links_from(pairs, many, m, start, near);
  memset(seen, 0, m * sizeof(size_t));
  for (size_t i = 0; i < m; i++)
    for (size_t a = start[i]; a < start[i + 1]; a++) {
      if (seen[near[a]] == i + 1)
        Rf_error("no pair may come twice");
      seen[near[a]] = i + 1;
    }
  return (kg_links){start, near};
}

/* The rows of every unit. */
static void read_groups(kg_units *u, const given *g) {
  size_t n = u->e->n, *first = NULL, *row = NULL;
  if (!g->group)
    return;
  int *from = (int *)R_alloc(n, sizeof(int));
  first = (size_t *)R_alloc(g->m + 1, sizeof(size_t));
  row = (size_t *)R_alloc(n, sizeof(size_t));
  for (size_t i = 0; i < n; i++)
    from[i] = g->group[i] - 1;
  kg_list_members(from, NULL, n, g->m, first, row);
  for (size_t i = 0; i < g->m; i++)
    if (first[i] == first[i + 1])
      Rf_error("every unit must have a row");
  u->first = first;
  u->row = row;
}

static kg_limit *new_rule(kg_constrained *c, const kg_limit *kind) {
  kg_limit *rule = (kg_limit *)R_alloc(1, sizeof(kg_limit));
  *rule = *kind;
  rule->m = c->u->m;
  rule->k = c->u->e->k;
  rule->label = c->u->label;
  c->rule[c->rules++] = rule;
  return rule;
}

static kg_limit *new_amounts(kg_constrained *c, const double *amount, double least,
                             double most) {
  kg_limit *rule = new_rule(c, &kg_amounts);
  rule->amount = amount;
  rule->sum = (double *)R_alloc(rule->k, sizeof(double));
  rule->least = least;
  rule->most = most;
  return rule;
}

/* The rules; every cluster has a unit of positive weight. */
static void make_rules(kg_constrained *c, const given *g) {
  size_t m = g->m;
  double *filled = (double *)R_alloc(m, sizeof(double));
  for (size_t i = 0; i < m; i++)
    filled[i] = c->u->w[i] > 0;
  new_amounts(c, filled, 1, HUGE_VAL);
  if (g->amount)
    c->amounts = new_amounts(c, g->amount, g->least, g->most);
  if (g->apart) {
    c->apart = new_rule(c, &kg_apart);
    c->apart->links = links_of(g->apart, g->n_apart, m);
  }
  if (g->edges) {
    c->contiguous = new_rule(c, &kg_contiguous);
    c->contiguous->links = links_of(g->edges, g->n_edges, m);
    c->contiguous->parts = (kg_parts *)R_alloc(1, sizeof(kg_parts));
    FFI_LAY(kg_parts_lay(c->contiguous->parts, m, &room));
    c->border = (kg_border *)R_alloc(1, sizeof(kg_border));
    FFI_LAY(kg_border_lay(c->border, c->u, g->n_edges, &room));
  }
  c->uniforms = g->uniforms;
  c->n_uniforms = g->n_uniforms;
}

/* From a column of labels, 0 for Ward's merges: labels that satisfy the rules, and the engine with
 * them. 0 if none are found. */
static int begin_one(kg_engine *e, kg_constrained *c, const int *labels, size_t start,
                     const ffi_settings *s) {
  kg_units *u = c->u;
  const void *top = vmaxget();
  int *from = (int *)R_alloc(e->n, sizeof(int)), labelled = labels[0] > 0;
  memcpy(from, labels, e->n * sizeof(int));
  for (size_t i = 0; c->contiguous && labelled && i < u->m; i++)
    u->label[i] = labels[kg_unit_row(u, i, 0)];
  if (c->contiguous) {
    if (!kg_constrained_merge(c, labelled, start > 0 && !labelled))
      Rf_error("the graph has more parts than k");
    for (size_t i = 0; i < u->m; i++)
      for (size_t r = 0; r < kg_unit_rows(u, i); r++)
        from[kg_unit_row(u, i, r)] = u->label[i] + 1;
  }
  ffi_begin_labels(&e, from, 1, s);
  kg_units_read(u);
  int held = kg_constrained_satisfy(c);
  vmaxset(top);
  return held;
}

/* The best of the starts so far, by violation, then by W. */
typedef struct {
  int *label;
  double violation, W;
  size_t at;
} best_start;

static void report(SEXP out, kg_engine *e, kg_constrained *c, const best_start *best) {
  kg_units *u = c->u;
  memcpy(u->label, best->label, u->m * sizeof(int));
  if (best->violation == 0) {
    kg_constrained_apply(c);
    ffi_settle(e, 1);
  }
  /* rows without weight stay where the rules require them, and labels without a
   * partition as found */
  for (size_t i = 0; i < u->m; i++)
    for (size_t r = 0; r < kg_unit_rows(u, i); r++)
      e->label[kg_unit_row(u, i, r)] = u->label[i];
  ffi_report(out, e);
  SET_VECTOR_ELT(out, BEST, Rf_ScalarReal((double)best->at + 1));
}

/* From every column of `starts` (n x m labels from 1; the first is 0: Ward's merges along the
 * edges): labels that satisfy the rules, improved. The report of ffi_descend(); the objective of a
 * start that led to no such labels is Inf. */
SEXP ffi_constrained(SEXP problem, SEXP k_, SEXP starts, SEXP rules, SEXP control) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k");
  ffi_settings s = ffi_settings_of(control);
  R_xlen_t length = Rf_xlength(starts);
  const int *labels = ffi_integers(starts, length, "starts");
  if (length == 0 || length % (R_xlen_t)n != 0)
    Rf_error("starts must have n rows");
  given g = read_rules(rules, n);
  s.fill = 0; /* a rule has it that no cluster is empty */
  kg_engine *e = ffi_new_engine(input, k, s.threads);
  kg_units u;
  kg_constrained c;
  memset(&u, 0, sizeof u);
  memset(&c, 0, sizeof c);
  FFI_LAY(kg_units_lay(&u, e, g.m, &room));
  FFI_LAY(kg_constrained_lay(&c, &u, g.edges != NULL, &room));
  u.poll = ffi_poll;
  c.apply = ffi_apply;
  read_groups(&u, &g);
  kg_units_begin(&u);
  make_rules(&c, &g);
  size_t m = (size_t)length / n;
  best_start best = {(int *)R_alloc(g.m, sizeof(int)), HUGE_VAL, HUGE_VAL, 0};
  SEXP out = PROTECT(ffi_new_report(m));
  for (size_t a = 0; a < m; a++) {
    if (labels[a * n] == 0 && !c.contiguous)
      Rf_error("starts must be labels");
    int held = begin_one(e, &c, labels + a * n, a, &s);
    ffi_outcome o;
    memset(&o, 0, sizeof o);
    if (held) {
      o.iterations = kg_constrained_improve(&c, s.iter_max, &o.converged);
      kg_constrained_apply(&c);
      if (c.contiguous && s.iter_max > 0)
        kg_constrained_regroup(&c, s.iter_max, g.work / (double)m);
    }
    double violation = kg_constrained_total(&c);
    REAL(VECTOR_ELT(out, OBJECTIVES))[a] = held ? e->rule.W : HUGE_VAL;
    ffi_set_outcome(out, a, e, &o);
    int better = violation < best.violation ||
                 (violation == best.violation && ffi_better(e, e->rule.W, best.W));
    if (a > 0 && !better)
      continue;
    best.violation = violation;
    best.W = e->rule.W;
    best.at = a;
    memcpy(best.label, u.label, g.m * sizeof(int));
  }
  report(out, e, &c, &best);
  UNPROTECT(1);
  return out;
}

/* All merges along the edges, pairs of observations: list(a, b, rise), the clusters by their least
 * observation, of which the lesser names the new one. */
SEXP ffi_border(SEXP problem, SEXP pairs) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, many, at = 0, a, b;
  int *edges = read_pairs(pairs, n, &many, "pairs");
  kg_links links = links_of(edges, many, n);
  kg_engine e;
  kg_units u;
  kg_border border;
  double rise;
  memset(&e, 0, sizeof e);
  memset(&u, 0, sizeof u);
  e.input = input;
  e.w = input->w;
  e.n = n;
  FFI_LAY(kg_units_lay(&u, &e, n, &room));
  u.poll = ffi_poll;
  kg_units_begin(&u);
  FFI_LAY(kg_border_lay(&border, &u, many, &room));
  static const char *const names[] = {"a", "b", "rise"};
  SEXP out = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n - 1));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, (R_xlen_t)n - 1));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(REALSXP, (R_xlen_t)n - 1));
  kg_border_begin(&border, &links, NULL, n, NULL);
  while (kg_border_merge(&border, &a, &b, &rise)) {
    INTEGER(VECTOR_ELT(out, 0))[at] = (int)a + 1;
    INTEGER(VECTOR_ELT(out, 1))[at] = (int)b + 1;
    REAL(VECTOR_ELT(out, 2))[at++] = rise;
  }
  if (at + 1 < n)
    Rf_error("the graph is not connected");
  UNPROTECT(1);
  return out;
}
