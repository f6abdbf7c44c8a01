/* ffi_swap.c - searches on all points that go on from a descent: swaps of centres, borders that are
 * moved, and points that go on the way they went. */
#include "ffi_descent.h"
#include "kg_engine.h"
#include "kg_pairs.h"
#include "kg_part.h"
#include "kg_rule.h"
#include "kg_state.h"
#include <R_ext/Utils.h>
#include <math.h>
#include <string.h>

enum { SOME = 4096 }; /* points between two polls */

/* rho to x for all points. */
static void distances_from(const kg_input *input, size_t x, double *near) {
  double cost = input->kind->row_work(input) / (double)input->n;
  size_t some = (size_t)(FFI_WORK / cost) + 1;
  for (size_t at = 0; at < input->n; at += some) {
    if (at > 0)
      R_CheckUserInterrupt();
    input->kind->rho(input, x, at, input->n - at < some ? input->n : at + some,
                     near + at);
  }
}

typedef struct {
  size_t patience, again;
  int borders;
  double near;
} patience;

static patience patience_of(SEXP control) {
  patience p;
  p.patience = ffi_count(ffi_need(control, "patience"), 1, 1e9, "patience");
  p.again = ffi_count(ffi_need(control, "again"), 1, 1e9, "again");
  p.near = ffi_number(ffi_need(control, "near"), 0, 1, "near");
  SEXP borders = ffi_field(control, "borders");
  p.borders = borders != R_NilValue && ffi_count(borders, 0, 1, "borders") == 1;
  return p;
}

/* One proposal: labels of `now` with cluster c dissolved and a centre on a point far from
 * its mean. 0 if a cluster would be empty, -1 if every point lies on its mean. */
static int propose(kg_engine *now, const double *u, double *mass, double *near,
                   int *target, size_t *count) {
  size_t n = now->n, k = now->k, c = (size_t)(u[0] * (double)k), x;
  if (c >= k)
    c = k - 1;
  for (size_t at = 0; at < n;)
    at = kg_masses(now, mass, at, FFI_WORK);
  x = kg_draw_mass(mass, n, u[1]);
  if (x == n)
    return -1;
  distances_from(now->input, x, near);
  for (size_t at = 0; at < n;) {
    at = kg_swap_targets(now, c, x, near, target, count, at, FFI_WORK);
    R_CheckUserInterrupt();
  }
  for (size_t l = 0; l < k; l++)
    if (count[l] < (now->rule.half > 0 ? 2 : 1))
      return 0;
  return 1;
}

/* The second nearest mean of every point, -1 for none. */
static void second_means(kg_engine *now, int *second) {
  for (size_t at = 0; at < now->n; at += SOME) {
    R_CheckUserInterrupt();
    kg_second_means(now, at, now->n - at < SOME ? now->n : at + SOME, second);
  }
}

/* Another proposal: between the cluster of a point x and that of its second nearest mean
 * the border moves towards x, more often a little than all the way. 0 if nothing would be
 * left. */
static int shift_border(const kg_engine *now, const double *u, const int *second,
                        int *target) {
  size_t n = now->n, x = (size_t)(u[0] * (double)n);
  double (*d2)(const kg_engine *, size_t, size_t) = now->input->kind->d2;
  if (x >= n)
    x = n - 1;
  if (now->w[x] == 0 || second[x] < 0)
    return 0;
  size_t a = (size_t)now->label[x], l = (size_t)second[x], left = now->count[a];
  double far = u[1] * u[1] * (d2(now, x, l) - d2(now, x, a));
  for (size_t i = 0; i < n; i++) {
    if (i % 4096 == 4095)
      R_CheckUserInterrupt();
    target[i] = now->label[i];
    if ((size_t)target[i] != a || now->w[i] == 0)
      continue;
    if (second[i] == (int)l && d2(now, i, l) - d2(now, i, a) <= far) {
      target[i] = (int)l;
      left--;
    }
  }
  return left >= (now->rule.half > 0 ? 2 : 1);
}

/* A pair of engines: what is known to be best, and one to try on. */
typedef struct {
  kg_engine *now, *trial;
  ffi_descent *t;
  const ffi_settings *s;
  ffi_outcome last; /* of the descent that led to `now` */
  double gain;
  double *before,
      *begun; /* d2 where the descents to `now` and to `trial` began, or NULL */
} contest;

static void distances_to_means(const kg_engine *e, double *d2) {
  for (size_t at = 0; d2 && at < e->n; at += SOME) {
    R_CheckUserInterrupt();
    kg_distances(e, at, e->n - at < SOME ? e->n : at + SOME, d2);
  }
}

/* A descent from other labels: 1 if it ends lower, and then `trial` is what was. */
static int take_if_better(contest *of, const int *target) {
  kg_engine *now = of->now, *trial = of->trial;
  now->input->kind->copy(trial, now);
  ffi_apply(trial, target);
  if (of->s->fill)
    ffi_fill(trial);
  distances_to_means(trial, of->begun);
  ffi_descend_one(trial, of->t, of->s);
  of->gain = kg_objective(now) - kg_objective(trial);
  if (!ffi_better(now, kg_objective(trial), kg_objective(now)))
    return 0;
  double *before = of->before;
  of->now = trial;
  of->trial = now;
  of->last = of->t->o;
  of->before = of->begun;
  of->begun = before;
  return 1;
}

/* The clusters of `target` get the numbers of those of `label`: those that share most
 * first. */
static void match(const int *label, size_t n, size_t k, int *target) {
  const void *top = vmaxget();
  size_t *shared = (size_t *)R_alloc(k * k, sizeof(size_t));
  int *number = (int *)R_alloc(k, sizeof(int)), *taken = (int *)R_alloc(k, sizeof(int));
  memset(shared, 0, k * k * sizeof(size_t));
  for (size_t l = 0; l < k; l++)
    number[l] = taken[l] = -1;
  for (size_t i = 0; i < n; i++)
    shared[(size_t)target[i] * k + (size_t)label[i]]++;
  for (size_t done = 0; done < k; done++) {
    size_t best = k * k;
    for (size_t p = 0; p < k * k; p++)
      if (number[p / k] < 0 && taken[p % k] < 0 &&
          (best == k * k || shared[p] > shared[best]))
        best = p;
    number[best / k] = (int)(best % k);
    taken[best % k] = 1;
  }
  for (size_t i = 0; i < n; i++)
    target[i] = number[target[i]];
  vmaxset(top);
}

/* A descent ends short of where it is going: near the optimum single moves stop to pay
 * before all of them together do. So all points go on together, a part of the way they
 * have come since `before`, and descend again, as long as that lowers W. Returns how
 * often it did. */
static size_t overshoot(contest *of, int *target, size_t *count) {
  static const double parts[] = {0.25, 0.5};
  enum { PARTS = 2, MOST = 100 }; /* rounding must not claim falls for ever */
  size_t kept = 0;
  for (int part = 0; part < PARTS && kept < MOST; part++) {
    const kg_engine *now = of->now;
    int good = 1;
    memcpy(count, now->count, now->k * sizeof(size_t));
    for (size_t at = 0, end; at < now->n; at = end) {
      R_CheckUserInterrupt();
      end = now->n - at < SOME ? now->n : at + SOME;
      kg_overshoot(now, of->before, parts[part], at, end, target);
      for (size_t i = at; i < end; i++) {
        count[now->label[i]] -= now->w[i] > 0;
        count[target[i]] += now->w[i] > 0;
      }
    }
    for (size_t l = 0; l < now->k; l++)
      good = good && count[l] >= (now->rule.half > 0 ? 2 : 1);
    if (!good || !take_if_better(of, target))
      continue;
    distances_to_means(of->trial, of->before); /* where this descent ended before */
    part = -1;
    kept++;
  }
  return kept;
}

/* What a search on all points needs beside the contest. */
typedef struct {
  int *target, *second; /* n; second: the second nearest means, for borders */
  size_t *count;        /* k */
  double *mass, *near;  /* n, for swaps */
  size_t done, kept,
      failures; /* proposals, those that lowered W, those since then that did not */
} attempt;

static attempt new_attempt(size_t n, size_t k, const patience *p) {
  attempt a;
  memset(&a, 0, sizeof a);
  a.target = (int *)R_alloc(n, sizeof(int));
  a.count = (size_t *)R_alloc(k, sizeof(size_t));
  if (p->borders) {
    a.second = (int *)R_alloc(n, sizeof(int));
    return a;
  }
  a.mass = (double *)R_alloc(n, sizeof(double));
  a.near = (double *)R_alloc(n, sizeof(double));
  return a;
}

/* One proposal after the other: swaps, or moves of borders. */
static void go_through(contest *of, attempt *by, const patience *p, const double *u,
                       size_t most) {
  size_t returned = 0;
  int known = 0;
  by->failures = 0;
  for (; by->done < most && by->failures < p->patience && returned < p->again;
       by->done++) {
    R_CheckUserInterrupt();
    kg_engine *now = of->now;
    const double *draw = u + 2 * by->done;
    if (p->borders && !known)
      second_means(now, by->second);
    known = 1;
    int good = p->borders ? shift_border(now, draw, by->second, by->target)
                          : propose(now, draw, by->mass, by->near, by->target, by->count);
    if (good < 0)
      break;
    by->failures++;
    if (!good)
      continue;
    int better = take_if_better(of, by->target);
    returned += fabs(of->gain) <= p->near * fabs(kg_objective(now));
    if (better) {
      by->failures = returned = 0;
      known = 0;
      by->kept++;
    }
  }
}

/* ---- borders: the points near them ---- */

enum { PART = 8, SOME_NEAR = 1000, LEAST = 2000 }; /* an eighth of the points, or some */

/* Is it worth the while, and do sums that moves keep up stay good enough? */
static int has_near_points(const contest *of) {
  const kg_engine *e = of->now;
  return e->input->kind->sums && of->s->method == HARTIGAN &&
         e->rule.half == 0 && e->n >= LEAST && !((const kg_state *)e)->wide;
}

/* The points with the least gap between the own mean and the next one: row numbers,
 * ascending. */
static size_t near_points(kg_engine *e, int *second, size_t *rows) {
  const void *top = vmaxget();
  size_t n = e->n, most = n / PART > SOME_NEAR ? n / PART : SOME_NEAR, m = 0;
  double *gap = (double *)R_alloc(2 * n, sizeof(double)), *sorted = gap + n;
  second_means(e, second);
  kg_gaps_between((const kg_state *)e, second, gap);
  memcpy(sorted, gap, n * sizeof(double));
  rPsort(sorted, (int)n, (int)most);
  double bound = sorted[most];
  for (size_t i = 0; i < n; i++)
    if (kg_below(gap[i], bound))
      rows[m++] = i;
  vmaxset(top);
  return m;
}

static kg_engine *near_engine(const contest *of, kg_input *input, size_t k,
                              const size_t *rows) {
  kg_engine *e = ffi_new_engine(input, k, 1);
  kg_near_take((kg_state *)e, (const kg_state *)of->now, rows);
  return e;
}

/* Overshooting and borders among these points, the others at rest: what is tried costs a
 * part of what it would cost on all of them, and W is theirs. What comes of it goes to
 * all points, which descend from there. */
static void near_borders(contest *of, attempt *by, const patience *p, const double *u,
                         size_t most) {
  const void *top = vmaxget();
  size_t n = of->now->n, k = of->now->k, *rows = (size_t *)R_alloc(n, sizeof(size_t));
  size_t m = near_points(of->now, by->second, rows);
  if (m > 0) {
    kg_input *input = ffi_some(of->now->input, rows, m);
    kg_engine *now = near_engine(of, input, k, rows);
    kg_engine *trial = near_engine(of, input, k, rows);
    input->kind = &kg_near_sums;
    ffi_descent t = ffi_new_descent(now, of->s);
    double *before = (double *)R_alloc(2 * m * k, sizeof(double));
    contest some = {now, trial, &t, of->s, t.o, 0, before, before + m * k};
    for (size_t l = 0; l < k; l++)
      for (size_t r = 0; r < m; r++)
        before[r + l * m] = of->before[rows[r] + l * n];
    attempt there = new_attempt(m, k, p);
    there.kept = overshoot(&some, there.target, there.count);
    go_through(&some, &there, p, u, most);
    memcpy(by->target, of->now->label, n * sizeof(int));
    for (size_t r = 0; r < m; r++)
      by->target[rows[r]] = some.now->label[r];
    if (there.kept > 0 && take_if_better(of, by->target))
      by->kept += there.kept;
    by->done = there.done;
  }
  vmaxset(top);
}

/* Swap search from a given partition: two uniforms a swap; with `borders` borders are
 * moved instead of centres, after all of them have overshot. Further columns of labels
 * compete with the first before; `promises` in control, uniforms, are for trials on the best
 * of them (ffi_keep_promises). The search ends after `patience` failures in a row, or
 * when `again` swaps have led back to the same objective, give or take its part `near`.
 */
SEXP ffi_swap(SEXP problem, SEXP k_, SEXP labels, SEXP control, SEXP uniforms) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k");
  ffi_settings s = ffi_settings_of(control);
  patience p = patience_of(control);
  SEXP promises = ffi_field(control, "promises");
  const double *u = ffi_uniforms(uniforms);
  size_t swaps = (size_t)Rf_xlength(uniforms) / 2;
  R_xlen_t length = Rf_xlength(labels);
  const int *from = ffi_integers(labels, length, "labels");
  if (length == 0 || length % (R_xlen_t)n != 0)
    Rf_error("labels must have n rows");
  size_t m = (size_t)length / n, winner = 0;
  kg_engine *now = ffi_new_engine(input, k, s.threads);
  kg_engine *trial = ffi_new_engine(input, k, s.threads);
  ffi_descent t = ffi_new_descent(now, &s);
  contest of = {now, trial, &t, &s, t.o, 0, NULL, NULL};
  attempt by = new_attempt(n, k, &p);
  if (p.borders) {
    of.before = (double *)R_alloc(n * k, sizeof(double));
    of.begun = (double *)R_alloc(n * k, sizeof(double));
  }

  SEXP out = PROTECT(ffi_new_report(m));
  double *objective = REAL(VECTOR_ELT(out, OBJECTIVES));
  ffi_begin_labels(&now, from, 1, &s);
  distances_to_means(now, of.before);
  ffi_set_rule(trial, &s);
  ffi_descend_one(now, &t, &s);
  of.last = t.o;
  objective[0] = kg_objective(now);
  ffi_set_outcome(out, 0, now, &t.o);
  for (size_t a = 1; a < m; a++) {
    ffi_labels(from + a * n, n, k, by.target, "labels");
    match(of.now->label, n, k, by.target);
    if (take_if_better(&of, by.target))
      winner = a;
    kg_engine *rival = winner == a ? of.now : of.trial;
    objective[a] = kg_objective(rival);
    ffi_set_outcome(out, a, rival, &t.o);
  }
  if (k > 1 && promises != R_NilValue &&
      ffi_keep_promises(of.now, &t, &s, promises) > 0) {
    of.last = t.o;
    distances_to_means(of.now, of.before);
    by.kept++;
  }
  if (p.borders && k > 1 && has_near_points(&of)) {
    near_borders(&of, &by, &p, u, swaps);
  } else if (k > 1) {
    if (p.borders)
      by.kept = overshoot(&of, by.target, by.count);
    go_through(&of, &by, &p, u, swaps);
  }
  now = of.now;
  objective[winner] = kg_objective(now);
  ffi_set_outcome(out, winner, now, &of.last);
  ffi_settle(now, 1);
  ffi_report(out, now);
  SET_VECTOR_ELT(out, BEST, Rf_ScalarReal((double)winner + 1));
  SET_VECTOR_ELT(out, SWAPS, Rf_ScalarReal((double)by.done));
  SET_VECTOR_ELT(out, KEPT, Rf_ScalarReal((double)by.kept));
  UNPROTECT(1);
  return out;
}
