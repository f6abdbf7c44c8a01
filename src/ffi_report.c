/* ffi_report.c - local searches from many starts, the best of them, and the report of a
 * fit. */
#include "ffi_descent.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_rule.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

/* ---- starts ---- */

static void count_members(const kg_engine *e, size_t *count) {
  memset(count, 0, e->k * sizeof(size_t));
  for (size_t i = 0; i < e->n; i++)
    count[e->label[i]] += e->w[i] > 0;
}

static int any_empty(const kg_engine *e) {
  for (size_t l = 0; l < e->k; l++)
    if (e->count[l] == 0)
      return 1;
  return 0;
}

/* A start may leave clusters without a point of positive weight: each gets the point that
 * costs most where it is, as long as there are points to spare. */
static void fill_empty(kg_engine *e) {
  if (!any_empty(e))
    return;
  const void *top = vmaxget();
  int *target = (int *)R_alloc(e->n, sizeof(int));
  double *cost = (double *)R_alloc(e->n, sizeof(double));
  size_t *count = (size_t *)R_alloc(e->k, sizeof(size_t));
  memcpy(target, e->label, e->n * sizeof(int));
  count_members(e, count);
  for (size_t at = 0; at < e->n;) {
    R_CheckUserInterrupt();
    at = kg_target_costs(e, target, cost, at, FFI_WORK);
  }
  while (kg_refill(e, target, count, cost))
    R_CheckUserInterrupt();
  ffi_apply(e, target);
  e->moves = 0;
  vmaxset(top);
}

void ffi_begin_labels(kg_engine **engines, const int *labels, size_t many,
                      const ffi_settings *s) {
  for (size_t a = 0; a < many; a++) {
    ffi_engine_labels(engines[a], labels + a * engines[a]->n, "starts");
    if (s->in_order)
      ffi_in_order(engines[a]->label, engines[a]->n, engines[a]->k);
    memset(&engines[a]->rule, 0, sizeof engines[a]->rule);
  }
  ffi_begin(engines, many);
  for (size_t a = 0; a < many; a++) {
    engines[a]->moves = 0;
    if (s->fill)
      fill_empty(engines[a]);
  }
}

/* ---- the report ---- */

static const char *const report_names[] = {
    "cluster", "cost",      "V",    "s",    "total", "objectives", "iterations", "moves",
    "last",    "converged", "rose", "fall", "best",  "means",      "labels",     "spent"};

static void set_doubles(SEXP out, int at, const double *from, size_t n) {
  SEXP into = Rf_allocVector(REALSXP, (R_xlen_t)n);
  SET_VECTOR_ELT(out, at, into);
  memcpy(REAL(into), from, n * sizeof(double));
}

/* The sums of the labels as they are: R kept up to date by moves agrees with R from
 * scratch to 1e-12, which many moves or weights that lie far apart need. A fit computes
 * its W from the labels (partition() in R/engine.R). */
void ffi_settle(kg_engine *e, int again) {
  size_t n = e->n, k = e->k, moves = e->moves;
  int wide = kg_weights_wide(e->w, n);
  if (again && !e->input->kind->cheap && moves > 0 &&
      (moves > 64 * n || wide))
    ffi_begin(&e, 1);
  e->moves = moves;
  for (size_t at = 0; at < n;) {
    R_CheckUserInterrupt();
    at = kg_place(e, at, FFI_WORK);
  }
  long double *sums = R_allocLD(k + 1);
  memset(sums, 0, (k + 1) * sizeof(long double));
  for (size_t at = 0; at < n;) {
    R_CheckUserInterrupt();
    at = e->input->kind->report(e, sums, at, FFI_WORK);
  }
}

void ffi_report(SEXP out, const kg_engine *e) {
  size_t n = e->n, k = e->k;
  SEXP cluster = Rf_allocVector(INTSXP, (R_xlen_t)n);
  SET_VECTOR_ELT(out, CLUSTER, cluster);
  for (size_t i = 0; i < n; i++)
    INTEGER(cluster)[i] = e->label[i] + 1;
  set_doubles(out, COST, e->cost, k);
  set_doubles(out, V_, e->V, k);
  set_doubles(out, S_, e->s, k);
  SET_VECTOR_ELT(out, TOTAL, Rf_ScalarReal(e->total));
  const kg_kind *kind = e->input->kind;
  if (!kind->means)
    return;
  size_t width;
  const double *mean = kind->means(e, &width);
  SEXP means = Rf_allocMatrix(REALSXP, (int)width, (int)k);
  SET_VECTOR_ELT(out, MEANS, means);
  memcpy(REAL(means), mean, width * k * sizeof(double));
}

void ffi_set_outcome(SEXP out, size_t a, const kg_engine *e, const ffi_outcome *o) {
  REAL(VECTOR_ELT(out, ITERATIONS))[a] = (double)o->iterations;
  REAL(VECTOR_ELT(out, MOVES))[a] = (double)(e->moves - o->undone);
  REAL(VECTOR_ELT(out, LAST))[a] = (double)o->last;
  LOGICAL(VECTOR_ELT(out, CONVERGED))[a] = o->converged;
  LOGICAL(VECTOR_ELT(out, ROSE))[a] = o->rose;
  REAL(VECTOR_ELT(out, FALL))[a] = o->fall;
}

SEXP ffi_new_report(size_t m) {
  SEXP out = PROTECT(ffi_list(SPENT + 1, report_names));
  for (int a = OBJECTIVES; a <= FALL; a++) {
    int yes = a == CONVERGED || a == ROSE;
    SET_VECTOR_ELT(out, a, Rf_allocVector(yes ? LGLSXP : REALSXP, (R_xlen_t)m));
  }
  UNPROTECT(1);
  return out;
}

/* Labels of every start. */
static void set_labels(SEXP out, size_t a, const kg_engine *e) {
  int *label = INTEGER(VECTOR_ELT(out, LABELS)) + a * e->n;
  for (size_t i = 0; i < e->n; i++)
    label[i] = e->label[i] + 1;
}

/* Local searches side by side, and the best so far. */
typedef struct {
  const kg_input *input;
  size_t k, many, winner;   /* winner: the number of the best start */
  kg_engine *best;          /* NULL before the first local search is over */
  kg_engine *engines[FFI_ABREAST]; /* `many` of them */
  ffi_descent t[FFI_ABREAST];
  ffi_outcome last; /* of the best */
  double spent;     /* evaluations, or work */
} batches;

/* Engines for m starts: as many as fit 64 MB. */
static void new_batches(batches *b, const kg_input *input, size_t k, size_t m,
                        const ffi_settings *s) {
  double fit = 67108864.0 / ffi_engine_bytes(input, k);
  memset(b, 0, sizeof *b);
  b->input = input;
  b->k = k;
  b->many = m < FFI_ABREAST ? m : FFI_ABREAST;
  if (fit < (double)b->many)
    b->many = fit < 1 ? 1 : (size_t)fit;
  if (!input->kind->sums && s->threads == 1)
    b->many = 1; /* nothing to share */
  for (size_t a = 0; a < b->many; a++) {
    b->engines[a] = ffi_new_engine(input, k, s->threads);
    b->t[a] = ffi_new_descent(b->engines[a], s);
  }
}

/* The result of start `at` by engine a of m, which changes places with the best if it is
 * better. */
static void take_result(batches *b, size_t a, size_t at, size_t m, SEXP out,
                        const ffi_settings *s) {
  kg_engine *e = b->engines[a], *before = b->best;
  double *objective = REAL(VECTOR_ELT(out, OBJECTIVES));
  objective[at] = e->rule.W;
  ffi_set_outcome(out, at, e, &b->t[a].o);
  b->spent += ffi_work_of(e);
  if (b->input->kind->sums)
    b->spent += (double)e->n * (double)e->n / 2; /* the first pass */
  else
    e->work = 0;
  if (VECTOR_ELT(out, LABELS) != R_NilValue)
    set_labels(out, at, e);
  if (before && !ffi_better(before, objective[at], objective[b->winner]))
    return;
  if (!before && m > 1)
    before = ffi_new_engine(b->input, b->k, s->threads);
  b->best = e;
  b->engines[a] = before;
  b->winner = at;
  b->last = b->t[a].o;
}

/* Descends from every column of `starts` (n x m labels from 1); the first passes of a
 * batch are one. The fit of the least objective, and for every start its W (or Phi),
 * iterations and so on; `each`: also its labels, which are then the result: the
 * sums are as the moves have left them. If there are uniforms split-merge moves improve
 * the best; with `each` labels and W of the starts are those before. spent: evaluations
 * of the semimetric, or work of that cost. */
SEXP ffi_descend(SEXP problem, SEXP k_, SEXP starts, SEXP control) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k");
  ffi_settings s = ffi_settings_of(control);
  int each = ffi_flag(control, "each", 0);
  R_xlen_t length = Rf_xlength(starts);
  const int *labels = ffi_integers(starts, length, "starts");
  if (length == 0 || length % (R_xlen_t)n != 0)
    Rf_error("starts must have n rows");
  size_t m = (size_t)length / n;
  batches b;
  new_batches(&b, input, k, m, &s);
  SEXP out = PROTECT(ffi_new_report(m));
  if (each)
    SET_VECTOR_ELT(
        out, LABELS,
        Rf_allocMatrix(INTSXP, ffi_extent(n, "the labels"), ffi_extent(m, "the starts")));
  for (size_t first = 0; first < m; first += b.many) {
    size_t many = m - first < b.many ? m - first : b.many;
    ffi_begin_labels(b.engines, labels + first * n, many, &s);
    ffi_descend_many(b.engines, b.t, many, &s);
    for (size_t a = 0; a < many; a++)
      take_result(&b, a, first + a, m, out, &s);
  }
  if (ffi_field(control, "uniforms") != R_NilValue) {
    b.t[0].o = b.last;
    b.spent += ffi_split_merge(b.best, b.t, &s, control);
    if (!each)
      REAL(VECTOR_ELT(out, OBJECTIVES))[b.winner] = b.best->rule.W;
    ffi_set_outcome(out, b.winner, b.best, &b.t[0].o);
  }
  if (!input->kind->sums) /* work of one evaluation */
    b.spent *= (double)n / input->kind->row_work(input);
  SET_VECTOR_ELT(out, SPENT, Rf_ScalarReal(b.spent));
  ffi_settle(b.best, !each);
  ffi_report(out, b.best);
  SET_VECTOR_ELT(out, BEST, Rf_ScalarReal((double)b.winner + 1));
  UNPROTECT(1);
  return out;
}
