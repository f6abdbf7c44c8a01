/* ffi_split.c - split-merge moves and perturbation of a partition. */
#include "ffi_descent.h"
#include "kg_engine.h"
#include "kg_split.h"
#include "kg_start.h"
#include "kg_threads.h"
#include <math.h>
#include <string.h>

/* Failed perturbations in a row that end the search although they cost less than `idle`:
 * those of few points cost so little that thousands would follow. */
#define IDLE_ROUNDS 300
/* Perturbations for each cluster, beside IDLE_ROUNDS, at most: rounding may claim gains
 * for ever. */
#define ROUNDS 100

typedef struct {
  /* failures in a row: of moves, of perturbations, and of moves in each of these */
  size_t patience, fails, again;
  double values, idle; /* evaluations that moves may cost, and those without gain */
} effort;

enum { ABREAST = 64 }; /* attempts, or clusters that are halved, side by side at most */

/* A partition and its attempts at split-merge moves. Several attempts run side by side,
 * each assuming that the earlier ones fail; an accepted one discards the rest, so results
 * do not depend on the number of threads. */
typedef struct {
  kg_split *known;
  kg_attempt *attempt;
  size_t many; /* attempts */
  double cost; /* work of a value that an attempt counts */
  double work; /* of the last attempt, or cluster that was halved */
} search;

/* Threads for so many attempts. */
static int team_of(const search *of, size_t many) {
  return many > 1 && (double)many * of->work > KG_TEAM_WORK ? (int)of->many : 1;
}

static search new_search(const kg_input *input, size_t k, int threads, SEXP uniforms) {
  search of;
  const double *u = ffi_uniforms(uniforms);
  of.many = threads < ABREAST ? (size_t)threads : ABREAST;
  of.known = (kg_split *)R_alloc(1, sizeof(kg_split));
  of.attempt = (kg_attempt *)R_alloc(of.many, sizeof(kg_attempt));
  kg_room room = {NULL, 0};
  for (int slice = 0; slice < 2; slice++) {
    kg_split_lay(of.known, input, k, &room);
    for (size_t t = 0; t < of.many; t++)
      kg_attempt_lay(of.attempt + t, input, k, &room);
    if (slice == 0)
      room = ffi_room(&room);
  }
  of.cost = input->kind->sums ? input->kind->row_work(input) / (double)input->n : 1;
  of.work = 0;
  of.known->draws.u = u;
  of.known->draws.n = (size_t)Rf_xlength(uniforms);
  return of;
}

/* Attempts side by side, no more than there are: clusters a are halved, or tried in pairs
 * with c. */
static void side_by_side(search *of, size_t many, const size_t *a, const size_t *c) {
  size_t left;
  int begun = 0;
  do {
    left = 0;
#ifdef _OPENMP
    int team = team_of(of, many);
#pragma omp parallel for num_threads(team) schedule(static, 1) reduction(+ : left) if (team > 1)
#endif
    for (size_t i = 0; i < many; i++) {
      kg_attempt *t = of->attempt + i;
      const double work = FFI_WORK / (double)many;
      if (!begun && c)
        kg_split_begin(of->known, t, a[i], c[i]);
      else if (!begun)
        kg_halve_begin(of->known, t, a[i]);
      left += c ? !kg_split_go(t, work) : !kg_halve_go(of->known, t, work);
    }
    begun = 1;
    R_CheckUserInterrupt();
  } while (left > 0);
  for (size_t i = 0; i < many; i++)
    of->work = of->attempt[i].values * of->cost;
}

/* Clusters that have changed are halved again, as many side by side as there are threads.
 */
static void halve(search *of) {
  kg_split *known = of->known;
  size_t many, a[ABREAST];
  do {
    for (many = 0; many < of->many && kg_split_next(known, a + many);)
      many++;
    side_by_side(of, many, a, NULL);
    for (size_t i = 0; i < many; i++)
      known->values += of->attempt[i].values;
  } while (many > 0);
  kg_split_partners(known);
}

/* Attempts for the pairs a, c, once all points of the clusters a have halves. These cost
 * no evaluations: how many attempts are begun depends on the threads. */
static void attempt_pairs(search *of, size_t many, const size_t *a, const size_t *c) {
  for (size_t i = 0; i < many; i++)
    if (of->known->halves.sampled[a[i]])
      side_by_side(of, 1, a + i, NULL);
  side_by_side(of, many, a, c);
}

static void scan(search *of, int all) {
  kg_split *known = of->known;
  R_CheckUserInterrupt();
  if (all)
    memset(known->pairs.tried, 0, known->k * known->k);
  kg_split_scan(known, all);
  halve(of);
}

/* Labels that an attempt has led to. */
static void take(kg_engine *e, ffi_descent *t, const ffi_settings *s, search *of,
                 const int *target) {
  double before = ffi_work_of(e);
  ffi_apply(e, target);
  ffi_descend_one(e, t, s);
  scan(of, 0);
  of->known->values += ffi_work_of(e) - before + (double)(e->n * e->k);
}

/* Back to labels that were known. */
static void undo(kg_engine *e, search *of, const int *label) {
  double before = ffi_work_of(e);
  ffi_apply(e, label);
  of->known->values += ffi_work_of(e) - before;
  scan(of, 0);
}

/* Attempts until `patience` in a row fail; returns how many lowered W. The estimated
 * change may be rounding if weights differ by many orders: an attempt that has not
 * lowered W is undone. */
static size_t improve(kg_engine *e, ffi_descent *t, const ffi_settings *s, search *of,
                      size_t patience, double values, int *target) {
  const void *top = vmaxget();
  int *before = (int *)R_alloc(e->n, sizeof(int));
  kg_split *known = of->known;
  size_t failures = 0, left = 20 * known->k + 100, kept = 0, a[ABREAST], c[ABREAST];
  size_t at = 0, many = 0; /* attempts evaluated ahead, and the next of them */
  while (failures < patience && known->values < values && left-- > 0) {
    if (at == many) {
      size_t most = patience - failures < of->many ? patience - failures : of->many;
      many = kg_split_ahead(known, most, a, c);
      at = 0;
      if (many == 0)
        break;
      attempt_pairs(of, many, a, c);
    }
    const kg_attempt *attempt = of->attempt + at++;
    known->values += attempt->values;
    if (attempt->change < -e->rule.tolerance) {
      double was = e->rule.W;
      ffi_outcome last = t->o;
      many = at; /* the others saw what is no more */
      kg_split_labels(known, attempt, target);
      memcpy(before, e->label, e->n * sizeof(int));
      take(e, t, s, of, target);
      if (ffi_better(e, e->rule.W, was)) {
        failures = 0;
        kept++;
        continue;
      }
      undo(e, of, before);
      t->o = last;
    }
    failures++;
    kg_split_failed(known, a[at - 1], c[at - 1]);
  }
  vmaxset(top);
  return kept;
}

/* A pair at random, of a cluster that can be split and another one. */
static int draw_pair(kg_split *known, size_t *a, size_t *c) {
  size_t k = known->k;
  for (int draw = 0; draw < 32; draw++) {
    *a = (size_t)(kg_uniform(&known->draws) * (double)k);
    *c = (size_t)(kg_uniform(&known->draws) * (double)k);
    if (*a < k && *c < k && *a != *c && kg_split_can(known, *a))
      return 1;
  }
  return 0;
}

/* Splits and merges the pair of least change of W among a few random ones, whatever that
 * is, and improves. The result is undone if W is not lower. Returns 0 if there is no
 * pair. */
static int perturb(kg_engine *e, ffi_descent *t, const ffi_settings *s, search *of,
                   const effort *with, int *kept, int *target) {
  enum { PAIRS = 4 };
  double was = e->rule.W, least = HUGE_VAL;
  ffi_outcome last = t->o;
  size_t a[PAIRS], c[PAIRS], many;
  memcpy(kept, e->label, e->n * sizeof(int));
  for (int pair = 0; pair < PAIRS; pair++)
    if (!draw_pair(of->known, a + pair, c + pair))
      return 0;
  for (size_t from = 0; from < PAIRS; from += many) {
    many = PAIRS - from < of->many ? PAIRS - from : of->many;
    attempt_pairs(of, many, a + from, c + from);
    for (size_t i = 0; i < many; i++) {
      const kg_attempt *attempt = of->attempt + i;
      of->known->values += attempt->values;
      /* pairs that lead back to where they came from cost nothing but rounding, which
         must not choose among them */
      if (!(attempt->change < least - e->rule.tolerance))
        continue;
      least = attempt->change;
      kg_split_labels(of->known, attempt, target);
    }
  }
  if (least == HUGE_VAL)
    return 1;
  take(e, t, s, of, target);
  improve(e, t, s, of, with->again, with->values, target);
  if (!ffi_better(e, e->rule.W, was)) {
    undo(e, of, kept);
    t->o = last;
  }
  return 1;
}

/* Perturbs until `fails` perturbations in a row fail and have cost `idle` evaluations.
 * Cheaper ones end after IDLE_ROUNDS failures, or `fails` if these are more. */
static void perturb_best(kg_engine *e, ffi_descent *t, const ffi_settings *s, search *of,
                         const effort *with, int *target) {
  kg_split *known = of->known;
  int *kept = (int *)R_alloc(e->n, sizeof(int));
  size_t failed = 0, left = ROUNDS * known->k + IDLE_ROUNDS;
  double since = known->values;
  while (known->values < with->values && left-- > 0) {
    double before = e->rule.W, spent = known->values;
    if (failed >= with->fails && (failed >= IDLE_ROUNDS || spent - since >= with->idle))
      break;
    if (!perturb(e, t, s, of, with, kept, target))
      break;
    failed++;
    if (ffi_better(e, e->rule.W, before)) {
      failed = 0;
      since = known->values;
    }
    if (known->values == spent)
      known->values += (double)e->n; /* a perturbation costs something */
  }
}

static effort effort_of(SEXP control) {
  effort with;
  with.patience = ffi_count(ffi_need(control, "patience"), 0, 1e9, "patience");
  with.fails = ffi_count(ffi_need(control, "fails"), 0, 1e9, "fails");
  with.again = ffi_count(ffi_need(control, "again"), 0, 1e9, "again");
  with.values = ffi_number(ffi_need(control, "values"), 0, HUGE_VAL, "values");
  with.idle = ffi_number(ffi_need(control, "idle"), 0, HUGE_VAL, "idle");
  return with;
}

double ffi_split_merge(kg_engine *e, ffi_descent *t, const ffi_settings *s,
                       SEXP control) {
  SEXP uniforms = ffi_need(control, "uniforms");
  effort with = effort_of(control);
  if (Rf_xlength(uniforms) == 0)
    Rf_error("there must be uniforms");
  if (e->k < 2)
    return 0;
  search of = new_search(e->input, e->k, s->threads, uniforms);
  int *target = (int *)R_alloc(e->n, sizeof(int));
  of.known->e = e;
  of.known->improving = ffi_flag(control, "improving", 0);
  scan(&of, 1);
  improve(e, t, s, &of, with.patience, with.values, target);
  if (with.fails > 0 || with.idle > 0)
    perturb_best(e, t, s, &of, &with, target);
  return of.known->values;
}
