/* ffi_descent.c - a local search from given labels, by Hartigan's or Lloyd's method,
 * for every kind of engine.
 *
 * It is a state machine that goes on in bounded pieces and calls nothing of R, so that
 * several may go side by side, each by one thread; between the rounds R is polled.
 *
 * The objective never ends above that of the start: after each sweep it is taken from
 * scratch, and where rounding made it rise the labels before the sweep come back. */
#include "ffi_descent.h"
#include "kg_engine.h"
#include "kg_threads.h"
#include <math.h>
#include <string.h>

ffi_settings ffi_settings_of(SEXP control) {
  ffi_settings s;
  s.method = (int)ffi_count(ffi_need(control, "method"), HARTIGAN, LLOYD, "method");
  s.iter_max = ffi_count(ffi_need(control, "iter_max"), 0, 2147483647, "iter_max");
  SEXP threads = ffi_field(control, "threads");
  s.fill = ffi_flag(control, "fill", s.iter_max > 0);
  s.in_order = ffi_field(control, "uniforms") != R_NilValue || ffi_flag(control, "each", 0);
  s.threads = ffi_threads();
  if (threads != R_NilValue) {
    int requested = (int)ffi_count(threads, 1, 1024, "threads");
    s.threads = ffi_threads_of(requested);
  }
  return s;
}

enum phase { TOP, SWEEP, TARGETS, COSTS, RELABEL, SUMS, TOTALS, REPAIR, DECIDE, DONE };

ffi_descent ffi_new_descent(const kg_engine *e, const ffi_settings *s) {
  ffi_descent t;
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

static void start(ffi_descent *t) {
  memset(&t->o, 0, sizeof t->o);
  t->phase = TOP;
  t->at = 0;
  t->undoing = t->resume = t->all_done = t->shifted = t->stuck = 0;
}

/* To the labels before the sweep: the sums follow. */
static void go_back(ffi_descent *t, int resume) {
  t->undoing = 1;
  t->resume = resume;
  t->phase = RELABEL;
  t->at = 0;
}

/* Another diagonal: the totals follow, and the local search goes on. */
static void set_shift(kg_engine *e, ffi_descent *t, int on) {
  e->input->kind->shift(e, on);
  t->shifted = on;
  t->undoing = t->resume = 1;
  t->before = e->moves;
  t->phase = TOTALS;
  t->at = 0;
}

/* The steps after labels have changed. */
static void after_moves(const kg_engine *e, ffi_descent *t) {
  t->phase = e->input->kind->cheap ? SUMS : TOTALS;
  t->at = 0;
}

/* Do totals wait until the end of the local search? */
static int waits(const kg_engine *e, const ffi_settings *s) {
  return e->input->kind->steady && s->method == HARTIGAN;
}

static void top(kg_engine *e, ffi_descent *t, const ffi_settings *s) {
  t->at = 0;
  if (t->o.iterations >= s->iter_max) {
    t->phase = DONE;
    return;
  }
  if (!waits(e, s) || t->o.iterations == 0) {
    keep(t->previous, e);
    t->was = e->rule.W;
  }
  t->before = e->moves;
  t->above = e->rule.W;
  t->phase = s->method == HARTIGAN ? SWEEP : TARGETS;
}

static void swept(kg_engine *e, ffi_descent *t, const ffi_settings *s) {
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

/* Places of the nearest means, and refilled clusters: the next labels of Lloyd's
 * method.
 */
static void aimed(kg_engine *e, ffi_descent *t) {
  size_t changed = 0;
  for (size_t i = 0; i < e->n; i++)
    changed += t->target[i] != e->label[i];
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

/* W rose. Lloyd's method guarantees that it does not where the matrix is positive
 * semidefinite: where it is not a shift makes it so, from the labels before the sweep on;
 * once they have converged it is tried without again. With Hartigan's method this is
 * rounding: no move that is left is more. */
static void risen(kg_engine *e, ffi_descent *t, const ffi_settings *s) {
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
static void decide(kg_engine *e, ffi_descent *t, const ffi_settings *s) {
  double now = e->rule.W, margin = 0;
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
  if (s->method == LLOYD)
    margin = e->rule.tolerance * (double)e->n;
  if (!(now <= t->was + margin)) {
    if (s->method == LLOYD)
      t->o.fall = t->above - now;
    risen(e, t, s);
    return;
  }
  t->o.fall = t->above - now;
  t->stuck = 0;
  if (s->method == HARTIGAN && t->all_done)
    t->phase = DONE;
}

/* Nearest means, and whether a cluster is to be refilled. */
static void find_targets(kg_engine *e, ffi_descent *t, double work) {
  int empty = 0;
  t->at = kg_targets(e, t->target, t->count, t->at, work);
  if (t->at < e->n)
    return;
  for (size_t l = 0; l < e->k; l++)
    empty |= t->count[l] == 0;
  t->phase = COSTS;
  t->at = 0;
  if (!empty)
    aimed(e, t);
}

/* The costs of all points, then one cluster refilled a step. */
static void refill(kg_engine *e, ffi_descent *t, double work) {
  if (t->at < e->n) {
    t->at = kg_target_costs(e, t->target, t->cost, t->at, work);
    return;
  }
  e->work += (double)e->n;
  if (!kg_refill(e, t->target, t->count, t->cost))
    aimed(e, t);
}

/* One bounded step. */
static void step(kg_engine *e, ffi_descent *t, const ffi_settings *s, double work) {
  const kg_kind *kind = e->input->kind;
  enum kg_repaired done;
  switch (t->phase) {
  case TOP:
    top(e, t, s);
    break;
  case SWEEP:
    t->at = kind->sweep(e, t->at, work);
    if (t->at >= e->n)
      swept(e, t, s);
    break;
  case TARGETS:
    find_targets(e, t, work);
    break;
  case COSTS:
    refill(e, t, work);
    break;
  case RELABEL:
    t->at = kind->relabel(e, t->undoing ? t->previous : t->target, t->at, work);
    if (t->at >= e->n)
      after_moves(e, t);
    break;
  case SUMS:
    t->at = kind->begin(e, t->at, work);
    if (t->at < e->n)
      break;
    t->phase = TOTALS;
    t->at = 0;
    break;
  case TOTALS:
    t->at = kind->totals(e, t->at, work);
    if (t->at < e->n)
      break;
    t->phase = e->status != KG_OK ? DONE : kind->repair ? REPAIR : DECIDE;
    break;
  case REPAIR:
    done = kind->repair(e, 1, work);
    if (done == KG_REPAIR_DONE) {
      t->phase = TOTALS;
      t->at = 0;
    } else if (done == KG_REPAIR_NOTHING) {
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

static void advance(kg_engine *e, ffi_descent *t, const ffi_settings *s, double work) {
  double until = e->work + work;
  while (t->phase != DONE && e->work < until) {
    step(e, t, s, until - e->work);
    e->work += 1000;
  }
}

/* Without the shift of Lloyd's method. */
static void finish(kg_engine *e, const ffi_descent *t) {
  if (t->shifted) {
    e->input->kind->shift(e, 0);
    ffi_totals(e);
  }
  if (e->status == KG_NOT_FINITE)
    Rf_error("sums of pairwise dissimilarities are not finite");
}

void ffi_descend_one(kg_engine *e, ffi_descent *t, const ffi_settings *s) {
  start(t);
  while (t->phase != DONE) {
    advance(e, t, s, FFI_WORK);
    R_CheckUserInterrupt();
  }
  finish(e, t);
}

/* They share the work between polls. */
void ffi_descend_many(kg_engine **engines, ffi_descent *t, size_t many,
                      const ffi_settings *s) {
  int threads = s->threads;
  size_t left = many;
  /* at least: a pass over all means, and a move of every eighth point */
  const kg_input *input = engines[0]->input;
  double work = (double)many * (double)input->n *
                ((double)engines[0]->k + input->kind->row_work(input) / 8);
  if (threads == 1 || many == 1 || work < KG_TEAM_WORK) {
    for (size_t a = 0; a < many; a++)
      ffi_descend_one(engines[a], t + a, s);
    return;
  }
  ffi_engines_apart(engines, many, 1, threads);
  for (size_t a = 0; a < many; a++)
    start(t + a);
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
  for (size_t a = 0; a < many; a++)
    finish(engines[a], t + a);
}

/* ---- what searches need of engines ---- */

void ffi_apply(kg_engine *e, const int *target) {
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
  /* labels are compared by W, so it must be theirs */
  for (enum kg_repaired done = KG_REPAIR_MORE; kind->repair && done == KG_REPAIR_MORE;) {
    R_CheckUserInterrupt();
    done = kind->repair(e, 1, FFI_WORK);
    if (done == KG_REPAIR_DONE)
      ffi_totals(e);
  }
}

int ffi_better(const kg_engine *e, double a, double b) {
  return a < b - fmax(e->rule.tolerance, 1e-12 * fabs(b));
}

double ffi_work_of(const kg_engine *e) {
  return e->input->kind->sums ? (double)e->moves * (double)e->n : e->work;
}
