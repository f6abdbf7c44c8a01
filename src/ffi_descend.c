/* ffi_descend.c - the one driver: descents from many starts, by Hartigan's or Lloyd's
 * method, with or without the size term, and swap search, for every kind of engine.
 *
 * A descent is a state machine that goes on in bounded pieces and calls nothing of R, so
 * that several may go side by side, each by one thread; between the rounds R is polled.
 *
 * The objective never ends above that of the start: after each sweep it is taken from
 * scratch, and where rounding made it rise the labels before the sweep come back. */
#include "ffi.h"
#include <math.h>
#include <string.h>

enum { HARTIGAN, LLOYD, MOST = 16 };

typedef struct {
  int method, threads; /* as many until the end, whatever is asked for meanwhile */
  int fill;            /* clusters without a point of positive weight, at the start */
  int leap;            /* may labels that say nothing be changed for others at the start? */
  size_t iter_max;
  double dimension; /* of the size term; 0 without */
} settings;

static settings settings_of(SEXP control) {
  settings s;
  s.method = (int)ffi_count(ffi_need(control, "method"), HARTIGAN, LLOYD, "method");
  s.iter_max = ffi_count(ffi_need(control, "iter_max"), 0, 2147483647, "iter_max");
  SEXP dimension = ffi_field(control, "dimension"), threads = ffi_field(control, "threads");
  SEXP fill = ffi_field(control, "fill");
  s.fill = fill == R_NilValue ? s.iter_max > 0 : ffi_count(fill, 0, 1, "fill") == 1;
  s.dimension = dimension == R_NilValue ? 0 : ffi_number(dimension, 0, 1e300, "dimension");
  if (s.dimension > 0 && s.method == LLOYD)
    Rf_error("the size term works with Hartigan's method");
  SEXP leap = ffi_field(control, "leap");
  s.leap = leap != R_NilValue && ffi_count(leap, 0, 1, "leap") == 1;
  s.threads = ffi_threads();
  if (threads != R_NilValue) {
    int asked = (int)ffi_count(threads, 1, 1024, "threads");
    s.threads = ffi_threads_of(asked);
  }
  return s;
}

/* ---- a descent in pieces ---- */

typedef struct {
  size_t iterations, last, undone; /* last: moves of the last sweep */
  int converged, rose;
  double fall; /* how much the last sweep lowered the objective */
} outcome;

enum phase { TOP, SWEEP, TARGETS, COSTS, RELABEL, SUMS, TOTALS, MEND, DECIDE, DONE };

typedef struct {
  outcome o;
  enum phase phase;
  size_t at, before; /* the next point, and the moves before the sweep */
  double was;        /* the objective before the sweep */
  int all_done;
  int undoing, resume; /* back to the labels before the sweep; what follows, TOP or DONE */
  int shifted, stuck;  /* Lloyd: the shift is on; without it W rises from these labels */
  int *previous, *target; /* n labels each; previous: before the sweep */
  size_t *count;                  /* k */
  double *cost;                   /* n */
} descent;

/* Room for a descent; the targets only where the method wants them. */
static descent new_descent(const kg_engine *e, const settings *s) {
  descent t;
  memset(&t, 0, sizeof t);
  t.previous = (int *)R_alloc(e->n, sizeof(int));
  if (s->method == LLOYD) {
    t.target = (int *)R_alloc(e->n, sizeof(int));
    t.count = (size_t *)R_alloc(e->k, sizeof(size_t));
    t.cost = (double *)R_alloc(e->n, sizeof(double));
  }
  return t;
}

static void keep(int *into, const kg_engine *e) {
  memcpy(into, e->label, e->n * sizeof(int));
}

static void start(descent *t) {
  memset(&t->o, 0, sizeof t->o);
  t->phase = TOP;
  t->at = 0;
  t->undoing = t->resume = t->all_done = t->shifted = t->stuck = 0;
}

/* To the labels before the sweep: the sums follow. */
static void go_back(descent *t, int resume) {
  t->undoing = 1;
  t->resume = resume;
  t->phase = RELABEL;
  t->at = 0;
}

/* Another diagonal: the totals follow, and the descent goes on. */
static void set_shift(kg_engine *e, descent *t, int on) {
  e->input->kind->shift(e, on);
  t->shifted = on;
  t->undoing = t->resume = 1;
  t->before = e->moves;
  t->phase = TOTALS;
  t->at = 0;
}

/* What comes after labels have changed. */
static void after_moves(const kg_engine *e, descent *t) {
  t->phase = e->input->kind->cheap ? SUMS : TOTALS;
  t->at = 0;
}

/* Do totals wait until the end of the descent? */
static int waits(const kg_engine *e, const settings *s) {
  return e->input->kind->steady && s->method == HARTIGAN;
}

static void top(kg_engine *e, descent *t, const settings *s) {
  t->at = 0;
  if (t->o.iterations >= s->iter_max) {
    t->phase = DONE;
    return;
  }
  if (!waits(e, s) || t->o.iterations == 0) {
    keep(t->previous, e);
    t->was = kg_objective(e);
  }
  t->before = e->moves;
  t->phase = s->method == HARTIGAN ? SWEEP : TARGETS;
}

static void swept(kg_engine *e, descent *t, const settings *s) {
  t->o.iterations++;
  t->o.last = e->moves - t->before;
  t->o.converged = t->o.last == 0;
  t->all_done = t->o.converged || t->o.iterations >= s->iter_max;
  if (waits(e, s) && !t->all_done) {
    t->phase = TOP;
    return;
  }
  after_moves(e, t);
}

/* Where the nearest means are, and refilled clusters: the next labels of Lloyd's method. */
static void aimed(kg_engine *e, descent *t) {
  size_t changed = 0;
  for (size_t i = 0; i < e->n; i++) changed += t->target[i] != e->label[i];
  t->o.iterations++;
  t->o.last = changed;
  t->at = 0;
  if (changed > 0) {
    t->phase = RELABEL;
  } else if (t->shifted && !t->stuck) {
    set_shift(e, t, 0);
  } else {
    t->phase = DONE;
    t->o.converged = 1;
  }
}

/* W rose. Lloyd's method promises that it does not where the matrix is positive
 * semidefinite: where it is not a shift makes it so, from the labels before the sweep on;
 * once they are at rest it is tried without again. With Hartigan's method this is rounding:
 * no move that is left is more. */
static void risen(kg_engine *e, descent *t, const settings *s) {
  const kg_kind *kind = e->input->kind;
  if (s->method == LLOYD && kind->shift && !t->shifted) {
    t->stuck = 1;
    t->o.iterations--;
    go_back(t, 1);
    return;
  }
  t->o.rose = s->method == LLOYD;
  t->o.converged = s->method == HARTIGAN;
  go_back(t, 0);
}

/* The totals of the new labels are there. */
static void decide(kg_engine *e, descent *t, const settings *s) {
  double now = kg_objective(e), margin = 0;
  t->phase = TOP;
  if (t->undoing) {
    t->undoing = 0;
    t->o.undone += e->moves - t->before;
    if (!t->resume)
      t->phase = DONE;
    else if (t->stuck && !t->shifted)
      set_shift(e, t, 1);
    return;
  }
  if (s->method == LLOYD) margin = e->rule.tolerance * (double)e->n;
  if (!(now <= t->was + margin)) {
    if (s->method == LLOYD) t->o.fall = t->was - now;
    risen(e, t, s);
    return;
  }
  t->o.fall = t->was - now;
  t->stuck = 0;
  if (s->method == HARTIGAN && t->all_done) t->phase = DONE;
}

/* One bounded step. */
static void step(kg_engine *e, descent *t, const settings *s, double work) {
  const kg_kind *kind = e->input->kind;
  int done;
  switch (t->phase) {
  case TOP:
    top(e, t, s);
    break;
  case SWEEP:
    t->at = kind->sweep(e, t->at, work);
    if (t->at >= e->n) swept(e, t, s);
    break;
  case TARGETS:
    t->at = kg_targets(e, t->target, t->count, t->at, work);
    if (t->at < e->n) break;
    t->phase = COSTS;
    t->at = 0;
    for (size_t l = 0; l < e->k; l++)
      if (t->count[l] == 0) t->at = e->n + 1; /* there is something to refill */
    if (t->at == 0)
      aimed(e, t);
    else
      t->at = 0;
    break;
  case COSTS:
    if (t->at < e->n) {
      t->at = kg_target_costs(e, t->target, t->cost, t->at, work);
    } else if (!kg_refill(e, t->target, t->count, t->cost)) {
      aimed(e, t);
    }
    break;
  case RELABEL:
    t->at = kind->relabel(e, t->undoing ? t->previous : t->target, t->at, work);
    if (t->at >= e->n) after_moves(e, t);
    break;
  case SUMS:
    t->at = kind->begin(e, t->at, work);
    if (t->at < e->n) break;
    t->phase = TOTALS;
    t->at = 0;
    break;
  case TOTALS:
    t->at = kind->totals(e, t->at, work);
    if (t->at < e->n) break;
    t->phase = e->status != KG_OK ? DONE : kind->mend ? MEND : DECIDE;
    break;
  case MEND:
    done = kind->mend(e, 1, work);
    if (done == 2) {
      t->phase = TOTALS;
      t->at = 0;
    } else if (done == 1) {
      t->phase = DECIDE;
    }
    break;
  case DECIDE:
    decide(e, t, s);
    break;
  case DONE:
    break;
  }
}

static void advance(kg_engine *e, descent *t, const settings *s, double work) {
  double until = e->work + work;
  while (t->phase != DONE && e->work < until) {
    step(e, t, s, until - e->work);
    e->work += 1000;
  }
}

/* Without the shift of Lloyd's method. */
static void finish(kg_engine *e, const descent *t) {
  if (t->shifted) {
    e->input->kind->shift(e, 0);
    ffi_totals(e);
  }
  if (e->status == KG_NOT_FINITE) Rf_error("sums of pair values are not finite");
}

static void descend_one(kg_engine *e, descent *t, const settings *s) {
  start(t);
  while (t->phase != DONE) {
    advance(e, t, s, FFI_WORK);
    R_CheckUserInterrupt();
  }
  finish(e, t);
}

/* Several descents side by side, each by one thread; they share the work between polls. */
static void descend_many(kg_engine **engines, descent *t, size_t many, const settings *s) {
  int threads = s->threads;
  size_t left = many;
  if (threads == 1 || many == 1) {
    for (size_t a = 0; a < many; a++) descend_one(engines[a], t + a, s);
    return;
  }
  ffi_engines_apart(engines, many, 1, threads);
  for (size_t a = 0; a < many; a++) start(t + a);
  while (left > 0) {
    size_t before = left;
    double rounds = ceil((double)before / threads);
    left = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : left)
#endif
    for (size_t a = 0; a < many; a++) {
      advance(engines[a], t + a, s, FFI_WORK / rounds);
      left += t[a].phase != DONE;
    }
    R_CheckUserInterrupt();
  }
  ffi_engines_apart(engines, many, 0, threads);
  for (size_t a = 0; a < many; a++) finish(engines[a], t + a);
}

/* ---- starts ---- */

static void count_members(const kg_engine *e, size_t *count) {
  memset(count, 0, e->k * sizeof(size_t));
  for (size_t i = 0; i < e->n; i++) count[e->label[i]] += e->w[i] > 0;
}

static int any_empty(const kg_engine *e) {
  for (size_t l = 0; l < e->k; l++)
    if (e->count[l] == 0) return 1;
  return 0;
}

/* Labels to `target`, with sums and totals. */
static void apply(kg_engine *e, const int *target) {
  const kg_kind *kind = e->input->kind;
  for (size_t at = 0; at < e->n;) {
    R_CheckUserInterrupt();
    at = kind->relabel(e, target, at, FFI_WORK);
  }
  for (size_t at = 0; kind->cheap && at < e->n;) {
    R_CheckUserInterrupt();
    at = kind->begin(e, at, FFI_WORK);
  }
  ffi_totals(e);
}

/* A start may leave clusters without a point of positive weight: each gets the point that
 * costs most where it is, as long as there are points to spare. */
static void fill(kg_engine *e) {
  if (!any_empty(e)) return;
  const void *top = vmaxget();
  int *target = (int *)R_alloc(e->n, sizeof(int));
  double *cost = (double *)R_alloc(e->n, sizeof(double));
  size_t *count = (size_t *)R_alloc(e->k, sizeof(size_t));
  keep(target, e);
  count_members(e, count);
  for (size_t at = 0; at < e->n;) {
    R_CheckUserInterrupt();
    at = kg_target_costs(e, target, cost, at, FFI_WORK);
  }
  while (kg_refill(e, target, count, cost)) R_CheckUserInterrupt();
  apply(e, target);
  e->moves = 0;
  vmaxset(top);
}

/* The size term wants two points of positive weight in every cluster. */
static void pair_up(kg_engine *e) {
  const void *top = vmaxget();
  size_t *count = (size_t *)R_alloc(e->k, sizeof(size_t));
  double *near = (double *)R_alloc(e->n, sizeof(double));
  for (size_t l = 0; l < e->k;) {
    R_CheckUserInterrupt();
    l = kg_pair_up(e->input, e->label, count, e->k, l, near);
  }
  vmaxset(top);
}

static void set_rule(kg_engine *e, const settings *s) {
  double all = 0;
  for (size_t i = 0; i < e->n; i++) all += e->w[i];
  memset(&e->rule, 0, sizeof e->rule);
  e->rule.s = all;
  e->rule.half = all * s->dimension / 2;
}

static void begin_many(kg_engine **engines, const int *labels, size_t many,
                       const settings *s) {
  for (size_t a = 0; a < many; a++) {
    ffi_engine_labels(engines[a], labels + a * engines[a]->n, "starts");
    set_rule(engines[a], s);
    if (s->dimension > 0) pair_up(engines[a]);
  }
  if (s->leap && engines[0]->input->kind == &kg_pair_sums && s->method == HARTIGAN &&
      s->dimension == 0 && s->iter_max > 0)
    ffi_begin_leaping(engines, many, s->threads);
  else
    ffi_begin(engines, many);
  for (size_t a = 0; a < many; a++) {
    engines[a]->moves = 0;
    if (s->fill) fill(engines[a]);
  }
}

/* ---- the report ---- */

enum { CLUSTER, COST, V_, S_, TOTAL, OBJECTIVES, ITERATIONS, MOVES, LAST, CONVERGED, ROSE,
       FALL, BEST, MEANS, SWAPS, KEPT };

static const char *const report_names[] = {
    "cluster", "cost",      "V",    "s",    "total", "objectives", "iterations", "moves",
    "last",    "converged", "rose", "fall", "best",  "means",      "swaps",      "kept"};

static void set_doubles(SEXP out, int at, const double *from, size_t n) {
  SEXP into = Rf_allocVector(REALSXP, (R_xlen_t)n);
  SET_VECTOR_ELT(out, at, into);
  memcpy(REAL(into), from, n * sizeof(double));
}

/* The sums of the labels as they are, from scratch: small problems, and those with weights
 * that lie far apart, get R anew; for larger ones R kept up to date by moves agrees to
 * 1e-12. */
static void settle(kg_engine *e) {
  enum { SMALL = 2048 };
  size_t n = e->n, k = e->k, moves = e->moves;
  int wide = kg_weights_wide(e->w, n);
  if (e->input->kind == &kg_pair_sums && moves > 0 &&
      (n <= SMALL || moves > 64 * n || wide))
    ffi_begin(&e, 1);
  e->moves = moves;
  for (size_t at = 0; at < n;) {
    R_CheckUserInterrupt();
    at = kg_place(e, at, FFI_WORK);
  }
  long double *sums = (long double *)R_alloc(k + 1, sizeof(long double));
  memset(sums, 0, (k + 1) * sizeof(long double));
  for (size_t at = 0; at < n;) {
    R_CheckUserInterrupt();
    at = e->input->kind->report(e, sums, at, FFI_WORK);
  }
}

static void report(SEXP out, const kg_engine *e) {
  size_t n = e->n, k = e->k;
  SEXP cluster = Rf_allocVector(INTSXP, (R_xlen_t)n);
  SET_VECTOR_ELT(out, CLUSTER, cluster);
  for (size_t i = 0; i < n; i++) INTEGER(cluster)[i] = e->label[i] + 1;
  set_doubles(out, COST, e->cost, k);
  set_doubles(out, V_, e->V, k);
  set_doubles(out, S_, e->s, k);
  SET_VECTOR_ELT(out, TOTAL, Rf_ScalarReal(e->total));
  const kg_kind *kind = e->input->kind;
  if (kind != &kg_double_features && kind != &kg_short_features) return;
  const kg_means *f = (const kg_means *)e;
  size_t width = f->from->width;
  SEXP means = Rf_allocMatrix(REALSXP, (int)width, (int)k);
  SET_VECTOR_ELT(out, MEANS, means);
  memcpy(REAL(means), f->mean, width * k * sizeof(double));
}

static void set_outcome(SEXP out, size_t a, const kg_engine *e, const outcome *o) {
  REAL(VECTOR_ELT(out, ITERATIONS))[a] = (double)o->iterations;
  REAL(VECTOR_ELT(out, MOVES))[a] = (double)(e->moves - o->undone);
  REAL(VECTOR_ELT(out, LAST))[a] = (double)o->last;
  LOGICAL(VECTOR_ELT(out, CONVERGED))[a] = o->converged;
  LOGICAL(VECTOR_ELT(out, ROSE))[a] = o->rose;
  REAL(VECTOR_ELT(out, FALL))[a] = o->fall;
}

static SEXP new_report(size_t m, int swaps) {
  SEXP out = PROTECT(ffi_list(swaps ? 16 : 14, report_names));
  for (int a = OBJECTIVES; a <= FALL; a++) {
    int yes = a == CONVERGED || a == ROSE;
    SET_VECTOR_ELT(out, a, Rf_allocVector(yes ? LGLSXP : REALSXP, (R_xlen_t)m));
  }
  UNPROTECT(1);
  return out;
}

/* Is a better than b by more than rounding? Ties go to the earlier start. */
static int better(const kg_engine *e, double a, double b) {
  double margin = e->rule.half > 0 ? KG_TOLERANCE * e->rule.s : 1e-3 * e->rule.tolerance;
  return a < b - margin;
}

/* Descends from every column of `starts` (n x m labels from 1); the first passes of as
 * many engines as fit 64 MB are one. The fit of the least objective, and for every start
 * its W (or Phi), iterations and so on. */
SEXP ffi_descend(SEXP problem, SEXP k_, SEXP starts, SEXP control) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k");
  settings s = settings_of(control);
  R_xlen_t length = Rf_xlength(starts);
  const int *labels = ffi_integers(starts, length, "starts");
  if (length == 0 || length % (R_xlen_t)n != 0) Rf_error("starts must have n rows");
  size_t m = (size_t)length / n, batch = m < MOST ? m : MOST, winner = m;
  double fit = 67108864.0 / ffi_engine_bytes(input, k);
  if (fit < (double)batch) batch = fit < 1 ? 1 : (size_t)fit;
  if (input->kind != &kg_pair_sums && s.threads == 1) batch = 1; /* nothing to share */

  kg_engine *best = ffi_new_engine(input, k, s.threads);
  kg_engine *engines[MOST] = {best}; /* the same until the first descent is over */
  descent t[MOST];
  for (size_t a = 0; a < batch; a++) {
    if (a > 0) engines[a] = ffi_new_engine(input, k, s.threads);
    t[a] = new_descent(engines[a], &s);
  }
  SEXP out = PROTECT(new_report(m, 0));
  double *objective = REAL(VECTOR_ELT(out, OBJECTIVES));
  for (size_t first = 0; first < m; first += batch) {
    size_t many = m - first < batch ? m - first : batch;
    begin_many(engines, labels + first * n, many, &s);
    descend_many(engines, t, many, &s);
    for (size_t a = 0; a < many; a++) {
      size_t at = first + a;
      objective[at] = kg_objective(engines[a]);
      set_outcome(out, at, engines[a], &t[a].o);
      if (winner < m && !better(best, objective[at], objective[winner])) continue;
      kg_engine *kept = best;
      if (winner == m && m > 1) kept = ffi_new_engine(input, k, s.threads);
      best = engines[a];
      engines[a] = kept;
      winner = at;
    }
  }
  settle(best);
  report(out, best);
  SET_VECTOR_ELT(out, BEST, Rf_ScalarReal((double)winner + 1));
  UNPROTECT(1);
  return out;
}

/* ---- swaps ---- */

/* rho to x for all points. */
static void distances_from(const kg_input *input, size_t x, double *near) {
  double cost = input->kind == &kg_pair_sums ? ((const kg_pairs *)input->values)->cost : 64;
  size_t some = (size_t)(FFI_WORK / cost) + 1;
  for (size_t at = 0; at < input->n; at += some) {
    if (at > 0) R_CheckUserInterrupt();
    input->kind->rho(input, x, at, input->n - at < some ? input->n : at + some, near + at);
  }
}

typedef struct {
  size_t patience, again;
  double near;
} patience;

static patience patience_of(SEXP control) {
  patience p;
  p.patience = ffi_count(ffi_need(control, "patience"), 1, 1e9, "patience");
  p.again = ffi_count(ffi_need(control, "again"), 1, 1e9, "again");
  p.near = ffi_number(ffi_need(control, "near"), 0, 1, "near");
  return p;
}

/* One proposal: labels of `now` with cluster c dissolved and a centre on a point far from
 * its mean. 0 if a cluster would be empty, -1 if every point lies on its mean. */
static int propose(kg_engine *now, const double *u, double *mass, double *near, int *target,
                   size_t *count) {
  size_t n = now->n, k = now->k, c = (size_t)(u[0] * (double)k), x;
  if (c >= k) c = k - 1;
  for (size_t at = 0; at < n;) at = kg_masses(now, mass, at, FFI_WORK);
  x = kg_draw_mass(mass, n, u[1]);
  if (x == n) return -1;
  distances_from(now->input, x, near);
  for (size_t at = 0; at < n;) {
    at = kg_swap_targets(now, c, x, near, target, count, at, FFI_WORK);
    R_CheckUserInterrupt();
  }
  for (size_t l = 0; l < k; l++)
    if (count[l] < (now->rule.half > 0 ? 2 : 1)) return 0;
  return 1;
}

/* Swap search from a given partition: two uniforms a swap. The search ends after
 * `patience` failures in a row, or when `again` swaps have led back to the same objective,
 * give or take its part `near`. */
SEXP ffi_swap(SEXP problem, SEXP k_, SEXP labels, SEXP control, SEXP uniforms) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k");
  settings s = settings_of(control);
  patience p = patience_of(control);
  const double *u = ffi_uniforms(uniforms);
  size_t swaps = (size_t)Rf_xlength(uniforms) / 2, kept = 0, failures = 0, returned = 0, done;
  const int *from = ffi_integers(labels, (R_xlen_t)n, "labels");
  kg_engine *now = ffi_new_engine(input, k, s.threads);
  kg_engine *trial = ffi_new_engine(input, k, s.threads);
  descent t = new_descent(now, &s);
  int *target = (int *)R_alloc(n, sizeof(int));
  size_t *count = (size_t *)R_alloc(k, sizeof(size_t));
  double *mass = (double *)R_alloc(n, sizeof(double));
  double *near = (double *)R_alloc(n, sizeof(double));

  SEXP out = PROTECT(new_report(1, 1));
  begin_many(&now, from, 1, &s);
  set_rule(trial, &s);
  descend_one(now, &t, &s);
  outcome last = t.o;
  for (done = 0; done < swaps && failures < p.patience && returned < p.again && k > 1;
       done++) {
    R_CheckUserInterrupt();
    int good = propose(now, u + 2 * done, mass, near, target, count);
    if (good < 0) break;
    failures++;
    if (!good) continue;
    input->kind->copy(trial, now);
    apply(trial, target);
    descend_one(trial, &t, &s);
    double gain = kg_objective(now) - kg_objective(trial);
    returned += fabs(gain) <= p.near * fabs(kg_objective(now));
    if (now->rule.half > 0 ? gain > KG_TOLERANCE * now->rule.s
                           : gain > now->rule.tolerance) {
      kg_engine *swapped = now;
      now = trial;
      trial = swapped;
      last = t.o;
      failures = returned = 0;
      kept++;
    }
  }
  REAL(VECTOR_ELT(out, OBJECTIVES))[0] = kg_objective(now);
  set_outcome(out, 0, now, &last);
  settle(now);
  report(out, now);
  SET_VECTOR_ELT(out, BEST, Rf_ScalarReal(1));
  SET_VECTOR_ELT(out, SWAPS, Rf_ScalarReal((double)done));
  SET_VECTOR_ELT(out, KEPT, Rf_ScalarReal((double)kept));
  UNPROTECT(1);
  return out;
}

/* ---- split and dissolve ---- */

typedef struct {
  size_t patience, rounds, again; /* failures in a row; rounds, and failures in each */
  double values;                  /* pair values that trials may cost */
} effort;

static kg_split *new_split(const kg_engine *e, size_t most, SEXP uniforms) {
  const kg_input *input = e->input;
  const kg_pairs *pairs = (const kg_pairs *)input->values;
  size_t n = e->n, k = e->k;
  kg_split *split = (kg_split *)R_alloc(1, sizeof(kg_split));
  double *doubles = (double *)R_alloc(kg_split_doubles(pairs, k), sizeof(double));
  size_t *sizes = (size_t *)R_alloc(kg_split_sizes(n, k), sizeof(size_t));
  int *ints = (int *)R_alloc(kg_split_ints(n, k), sizeof(int));
  unsigned char *tried = (unsigned char *)R_alloc(k, k);
  const double *u = ffi_uniforms(uniforms);
  kg_split_init(split, (kg_state *)e, most, doubles, sizes, ints, tried, u,
                (size_t)Rf_xlength(uniforms));
  return split;
}

static void look(kg_split *split, int all) {
  R_CheckUserInterrupt();
  if (all) memset(split->tried, 0, split->k * split->k);
  kg_split_look(split, all);
  while (kg_split_halve(split)) R_CheckUserInterrupt();
}

static void try_pair(kg_split *split, size_t a, size_t c, int bold) {
  kg_split_begin(split, a, c);
  do R_CheckUserInterrupt();
  while (!kg_split_go(split, bold, FFI_WORK));
}

static void take(kg_engine *e, descent *t, const settings *s, kg_split *split, int *target) {
  kg_split_labels(split, target);
  apply(e, target);
  descend_one(e, t, s);
  look(split, 0);
}

/* Trials until `patience` in a row have failed. */
static void improve(kg_engine *e, descent *t, const settings *s, kg_split *split,
                    size_t patience, double values, int *target) {
  size_t failures = 0, a, c;
  while (failures < patience && split->values < values && kg_split_best(split, &a, &c)) {
    double was = kg_objective(e);
    try_pair(split, a, c, 0);
    if (split->change < -e->rule.tolerance) {
      take(e, t, s, split, target);
      if (kg_objective(e) < was - 0.5 * e->rule.tolerance) {
        failures = 0;
        continue;
      }
    }
    failures++;
    kg_split_failed(split, a, c);
  }
}

/* A pair at random is split and dissolved whatever it costs, and trials follow: what led
 * to no lower W is undone. */
static int shake(kg_engine *e, descent *t, const settings *s, kg_split *split,
                 const effort *with, int *target) {
  size_t n = e->n, k = e->k, a = 0, c = 0;
  const void *top = vmaxget();
  int *kept = (int *)R_alloc(n, sizeof(int));
  double was = kg_objective(e);
  outcome last = t->o;
  keep(kept, e);
  for (int draw = 0; draw < 32; draw++) {
    a = (size_t)(kg_split_uniform(split) * (double)k);
    c = (size_t)(kg_split_uniform(split) * (double)k);
    if (a < k && c < k && a != c && kg_split_can(split, a)) break;
    a = c = k;
  }
  if (a == k) return 0;
  try_pair(split, a, c, 1);
  if (split->change < HUGE_VAL) {
    take(e, t, s, split, target);
    improve(e, t, s, split, with->again, with->values, target);
    if (!(kg_objective(e) < was - e->rule.tolerance)) {
      apply(e, kept);
      t->o = last;
      look(split, 0);
    }
  }
  vmaxset(top);
  return 1;
}

/* Descents from every column of `starts`, each followed by trials that split a cluster and
 * dissolve another one; the best of them goes on in rounds. The uniforms are taken over
 * and over. Pair values only, and W only. */
SEXP ffi_split(SEXP problem, SEXP k_, SEXP starts, SEXP control, SEXP uniforms) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k");
  settings s = settings_of(control);
  effort with;
  with.patience = ffi_count(ffi_need(control, "patience"), 0, 1e9, "patience");
  with.rounds = ffi_count(ffi_need(control, "rounds"), 0, 1e9, "rounds");
  with.again = ffi_count(ffi_need(control, "again"), 0, 1e9, "again");
  with.values = ffi_number(ffi_need(control, "values"), 0, HUGE_VAL, "values");
  size_t most = ffi_count(ffi_need(control, "halves"), 2, 1e9, "halves");
  R_xlen_t length = Rf_xlength(starts);
  const int *labels = ffi_integers(starts, length, "starts");
  if (length == 0 || length % (R_xlen_t)n != 0) Rf_error("starts must have n rows");
  if (Rf_xlength(uniforms) == 0) Rf_error("there must be uniforms");
  if (input->kind != &kg_pair_sums) Rf_error("the store has no pair values");
  if (s.dimension > 0) Rf_error("trials know W alone");
  size_t m = (size_t)length / n, winner = m;
  kg_engine *now = ffi_new_engine(input, k, s.threads);
  kg_engine *best = m > 1 ? ffi_new_engine(input, k, s.threads) : now;
  descent t = new_descent(now, &s);
  outcome last = t.o;
  kg_split *split = new_split(now, most, uniforms);
  int *target = (int *)R_alloc(n, sizeof(int));

  SEXP out = PROTECT(new_report(m, 0));
  double *objective = REAL(VECTOR_ELT(out, OBJECTIVES));
  for (size_t a = 0; a < m; a++) {
    begin_many(&now, labels + a * n, 1, &s);
    descend_one(now, &t, &s);
    split->state = (kg_state *)now;
    if (k > 1) {
      look(split, 1);
      improve(now, &t, &s, split, with.patience, with.values, target);
    }
    objective[a] = kg_objective(now);
    set_outcome(out, a, now, &t.o);
    if (winner < m && !better(best, objective[a], objective[winner])) continue;
    kg_engine *swapped = best;
    best = now;
    if (m > 1) now = swapped;
    winner = a;
    last = t.o;
  }
  if (k > 1 && with.rounds > 0) {
    t.o = last;
    if (winner + 1 < m) {
      split->state = (kg_state *)best;
      look(split, 1);
    }
    for (size_t round = 0; round < with.rounds && split->values < with.values; round++)
      if (!shake(best, &t, &s, split, &with, target)) break;
    objective[winner] = kg_objective(best);
    set_outcome(out, winner, best, &t.o);
  }
  settle(best);
  report(out, best);
  SET_VECTOR_ELT(out, BEST, Rf_ScalarReal((double)winner + 1));
  UNPROTECT(1);
  return out;
}
