/* kg_pair_engine.c - the engine of pairwise dissimilarities: the table of its functions,
 * on the sums of kg_state.c and the sweep of kg_hartigan.c. */
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_pairs.h"
#include "kg_rule.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

static kg_engine *lay(const kg_input *input, size_t k, int *label, int threads,
                      kg_room *room) {
  kg_state *state = KG_TAKE(room, 1, kg_state), laid;
  kg_state_lay(&laid, input, k, label, threads, room);
  if (!state)
    return NULL;
  *state = laid;
  return &state->e;
}

/* An input of some points, with the pairs that its values are. */
typedef struct {
  kg_input input;
  kg_pairs pairs;
  kg_some some;
} part;

static kg_input *some(const kg_input *whole, const size_t *rows, size_t m,
                      kg_room *room) {
  KG_CHECK(m <= whole->n);
  const kg_pairs *pairs = (const kg_pairs *)whole->values;
  part *p = KG_TAKE(room, 1, part);
  double *w = KG_TAKE(room, m, double);
  kg_pairs copied = *pairs;
  if (pairs->store->copy)
    copied = pairs->store->copy(pairs, rows, m, room);
  if (!p)
    return NULL;
  for (size_t r = 0; r < m; r++)
    w[r] = whole->w[rows[r]];
  p->some.of = pairs;
  p->some.rows = rows;
  p->pairs = pairs->store->copy ? copied : kg_pairs_some(&p->some, m);
  p->input.kind = whole->kind;
  p->input.n = m;
  p->input.w = w;
  p->input.values = &p->pairs;
  return &p->input;
}

static double row_work(const kg_input *input) {
  return (double)input->n * ((const kg_pairs *)input->values)->cost;
}

static kg_state *sums(kg_engine *e) {
  return (kg_state *)e;
}

static void set_threads(kg_engine *e, int threads) {
  kg_state_threads((kg_state *)e, threads);
}

static void rho(const kg_input *input, size_t x, size_t from, size_t to, double *out) {
  KG_CHECK(x < input->n && from <= to && to <= input->n);
  const kg_pairs *pairs = (const kg_pairs *)input->values;
  const double *row = kg_row_held(pairs, x);
  if (!row)
    kg_block(pairs, &x, 1, from, to, out);
  for (size_t i = from; i < to; i++)
    out[i - from] = -2 * (row ? row[i] : out[i - from]);
}

static size_t sweep(kg_engine *e, size_t from, double work) {
  return kg_hartigan_sweep((kg_state *)e, from, work);
}

static size_t relabel(kg_engine *e, const int *target, size_t from, double work) {
  kg_state *state = (kg_state *)e;
  double rows = work / kg_state_row_cost(state);
  size_t before = e->moves;
  size_t to = kg_relabel(state, target, from,
                         rows < 1              ? 1
                         : rows > (double)e->n ? e->n
                                               : (size_t)rows);
  e->work += (double)(e->moves - before) * kg_state_row_cost(state) + (double)(to - from);
  return to;
}

/* Recomputes columns that are worn, after the totals. Weights far apart need no more: a
 * column loses digits only if it has lost nearly all its weight or dispersion. */
static enum kg_repaired repair(kg_engine *e, int all, double work) {
  kg_state *state = (kg_state *)e;
  if (all && state->wear.at == 0)
    for (size_t l = 0; l < e->k; l++)
      if (state->wear.touched[l] && kg_state_worn(state, l))
        state->wear.stale[l] = 1;
  return kg_state_repair(state, work);
}

static double d2(const kg_engine *e, size_t i, size_t l) {
  return kg_d2((const kg_state *)e, i, l);
}

static void move(kg_engine *e, size_t i, size_t l) {
  kg_state *state = (kg_state *)e;
  size_t own = (size_t)e->label[i];
  if (e->w[i] > 0) {
    kg_move_totals(state, i, l);
    kg_moves_add(state, i, own, l, 0);
    kg_moves_finish(state);
    e->work += kg_state_row_cost(state);
  }
  e->label[i] = (int)l;
}

static void among(const kg_input *input, size_t x, const size_t *rows, size_t many,
                  double *out) {
  kg_among((const kg_pairs *)input->values, x, rows, many, out);
  for (size_t r = 0; r < many; r++)
    out[r] *= -2;
}

static void nearest(kg_engine *e, size_t skip, size_t from, size_t to, double *least,
                    double *best) {
  kg_nearest_means((kg_state *)e, skip, from, to, least, best);
}

/* sums: V_l, then the sum over all pairs. */
static size_t report(kg_engine *e, long double *sums, size_t from, double work) {
  KG_CHECK(from < e->n);
  const kg_state *state = (const kg_state *)e;
  size_t n = e->n, k = e->k, some = (size_t)(work / (double)k) + 1;
  size_t to = n - from < some ? n : from + some;
  for (size_t l = 0; l < k; l++) {
    const double *R = state->R + l * n;
    long double all = sums[k], own = sums[l]; /* in registers */
    for (size_t i = from; i < to; i++) {
      if (e->w[i] == 0)
        continue;
      all += e->w[i] * R[i];
      if ((size_t)e->label[i] == l)
        own += e->w[i] * R[i];
    }
    sums[k] = all;
    sums[l] = own;
  }
  if (to < n)
    return to;
  double s = 0;
  for (size_t l = 0; l < k; l++) {
    e->cost[l] = e->count[l] > 0 ? (double)(-sums[l] / e->s[l]) : 0;
    e->V[l] = (double)sums[l];
    s += e->s[l];
  }
  e->total = (double)(-sums[k] / s);
  return n;
}

const kg_kind kg_pair_sums = {.lay = lay,
                              .some = some,
                              .row_work = row_work,
                              .rho = rho,
                              .totals = kg_state_totals,
                              .sweep = sweep,
                              .relabel = relabel,
                              .repair = repair,
                              .d2 = d2,
                              .move = move,
                              .among = among,
                              .nearest = nearest,
                              .report = report,
                              .sums = sums,
                              .set_threads = set_threads};
