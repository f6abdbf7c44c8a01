/* kg_state.c - the sums R, V, s of a partition on pairwise dissimilarities, and how a
 * move changes them.
 *
 * A move of a point costs one row of B: only two columns of R change, O(n). The first
 * pass passes every pair and serves several states (points have one of their own, in
 * kg_tiles.c). B_ii = 0, so the dispersion of a cluster is -V_l / s_l, Eq. (41). */
#include "kg_state.h"
#include "kg_check.h"
#include "kg_coordinates.h"
#include "kg_engine.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include "kg_rule.h"
#include <math.h>
#include <string.h>

KG_STATIC(blocks_are_masks, KG_BLOCK <= 64 && KG_STRETCH % KG_BLOCK == 0);

static size_t stretches_of(size_t n) {
  return (n + KG_STRETCH - 1) / KG_STRETCH;
}

static size_t dimension(const kg_pairs *pairs) {
  const kg_coordinates *points = kg_base_coordinates_of(pairs);
  return points ? points->d : 0;
}

/* Moves that may wait, a multiple of 4: with several threads few, as stretches catch up
 * side by side when the list is full; else so many that their coordinates stay in cache.
 */
static size_t waiting_of(const kg_pairs *pairs, int threads) {
  /* gaps are summed over what waits: as many whatever the threads, for the same sums */
  size_t most = threads > 1 && !kg_gaps_of(pairs) ? 64 : KG_WAITING, fit = 8192,
         d = dimension(pairs);
  if (d > 0)
    fit = fit / d / 4 * 4;
  if (fit < most)
    most = fit;
  return most < 4 ? 4 : most;
}

void kg_state_threads(kg_state *state, int threads) {
  KG_CHECK(threads >= 1);
  KG_CHECK(state->waiting.n == 0);
  state->threads = threads;
  state->waiting.most = waiting_of(state->pairs, threads);
}

static void lay_waiting(kg_waiting *waiting, const kg_pairs *pairs, int threads,
                        kg_room *room) {
  /* one thread may let more moves wait */
  size_t alone = waiting_of(pairs, 1), all = waiting_of(pairs, threads);
  waiting->point = KG_TAKE(room, KG_WAITING, size_t);
  waiting->source = KG_TAKE(room, KG_WAITING, size_t);
  waiting->target = KG_TAKE(room, KG_WAITING, size_t);
  waiting->seen = KG_TAKE(room, stretches_of(pairs->n), size_t);
  waiting->moved = KG_TAKE2(room, alone > all ? alone : all, dimension(pairs), double);
  if (room->base)
    memset(waiting->seen, 0, stretches_of(pairs->n) * sizeof(size_t));
}

void kg_state_lay(kg_state *state, const kg_input *input, size_t k, int *label,
                  int threads, kg_room *room) {
  KG_CHECK(((const kg_pairs *)input->values)->n == input->n);
  size_t n = input->n;
  memset(state, 0, sizeof *state);
  kg_engine_lay(&state->e, input, k, label, room);
  state->pairs = (const kg_pairs *)input->values;
  state->R = KG_TAKE2(room, n, k, double);
  state->wear.peak = KG_TAKE(room, k, double);
  state->wear.steep = KG_TAKE(room, k, double);
  state->twice = KG_TAKE(room, k, double);
  state->share = KG_TAKE(room, k, double);
  state->factor = KG_TAKE(room, k, double);
  state->wear.touched = KG_TAKE(room, k, size_t);
  state->wear.stale = KG_TAKE(room, k, size_t);
  state->row = KG_TAKE(room, n, double);
  state->values = KG_TAKE2(room, (size_t)threads, 4 * KG_STRETCH, double);
  state->bounds.least = KG_TAKE(room, n, double);
  state->bounds.seen = KG_TAKE(room, n / KG_BLOCK + 1, size_t);
  state->bounds.changed = KG_TAKE(room, k, size_t);
  state->bounds.column = KG_TAKE(room, k, size_t);
  lay_waiting(&state->waiting, state->pairs, threads, room);
  kg_state_threads(state, threads);
  if (!room->base)
    return;
  for (size_t i = 0; i < n; i++)
    if (input->w[i] > state->heaviest)
      state->heaviest = input->w[i];
  state->wide = kg_weights_wide(input->w, n);
  memset(state->e.count, 0, k * sizeof(size_t));
  memset(state->bounds.seen, 0, (n / KG_BLOCK + 1) * sizeof(size_t));
  kg_state_built(state);
}

/* bucket[label[j]] += w[j] row[j]. For few clusters in four buckets by turns, as sums
 * into one place wait for each other. */
static void add_by_label(const double *row, const double *w, const int *label, size_t n,
                         double *bucket, size_t k) {
  enum { FEW = 64 };
  double turn[4][FEW];
  size_t j = 0;
  if (k <= FEW) {
    for (size_t a = 0; a < 4; a++)
      memset(turn[a], 0, k * sizeof(double));
    for (; j + 4 <= n; j += 4)
      for (size_t a = 0; a < 4; a++)
        turn[a][label[j + a]] += w[j + a] * row[j + a];
    for (size_t l = 0; l < k; l++)
      bucket[l] += (turn[0][l] + turn[1][l]) + (turn[2][l] + turn[3][l]);
  }
  for (; j < n; j++)
    bucket[label[j]] += w[j] * row[j];
}

void kg_first_pass(kg_state *const *states, size_t n_states, size_t from, size_t to,
                   double *buffer) {
  KG_CHECK(from <= to && to <= states[0]->e.n);
  const kg_pairs *pairs = states[0]->pairs;
  const double *w = states[0]->e.w;
  size_t n = pairs->n;
  if (from == 0)
    for (size_t a = 0; a < n_states; a++)
      memset(states[a]->R, 0, n * states[a]->e.k * sizeof(double));
  for (size_t i = from; i < to; i++) {
    const double *row = buffer;
    if (kg_reads_rows(pairs)) { /* whole rows need no sums by label */
      const double *whole = w[i] > 0 ? kg_row(pairs, i, buffer) : NULL;
      for (size_t a = 0; a < n_states && w[i] > 0; a++)
        kg_chosen_loops->add(whole, w[i], n,
                             states[a]->R + (size_t)states[a]->e.label[i] * n);
      continue;
    }
    kg_block(pairs, &i, 1, i + 1, n, buffer);
    for (size_t a = 0; a < n_states; a++) {
      kg_state *state = states[a];
      const int *label = state->e.label;
      double *bucket = state->e.V; /* free until the totals */
      double *column = state->R + (size_t)label[i] * n;
      size_t k = state->e.k;
      memset(bucket, 0, k * sizeof(double));
      add_by_label(row, w + i + 1, label + i + 1, n - i - 1, bucket, k);
      if (w[i] > 0)
        kg_chosen_loops->add(row, w[i], n - i - 1, column + i + 1);
      for (size_t l = 0; l < k; l++)
        state->R[i + l * n] += bucket[l];
    }
  }
}

void kg_state_built(kg_state *state) {
  memset(state->wear.peak, 0, state->e.k * sizeof(double));
  memset(state->wear.steep, 0, state->e.k * sizeof(double));
  memset(state->wear.touched, 0, state->e.k * sizeof(size_t));
  memset(state->wear.stale, 0, state->e.k * sizeof(size_t));
  state->wear.at = 0;
  state->bounds.clock++;
  for (size_t l = 0; l < state->e.k; l++)
    state->bounds.changed[l] = state->bounds.clock;
}

/* The rest from s_l and V_l, and the largest that these have been. */
static void derive(kg_state *state, size_t l) {
  double s = state->e.s[l], V = fabs(state->e.V[l]);
  int empty = state->e.count[l] == 0;
  if (s > state->wear.peak[l])
    state->wear.peak[l] = s;
  if (V > state->wear.steep[l])
    state->wear.steep[l] = V;
  state->twice[l] = empty ? 0 : 2 / s;
  state->share[l] = empty ? HUGE_VAL : state->e.V[l] / s / s;
  state->factor[l] = empty ? 1 : s / (s + state->heaviest);
}

int kg_state_worn(const kg_state *state, size_t l) {
  return state->e.s[l] < KG_WORN * state->wear.peak[l] ||
         fabs(state->e.V[l]) < KG_WORN * state->wear.steep[l];
}

void kg_derive(kg_state *state) {
  for (size_t l = 0; l < state->e.k; l++)
    derive(state, l);
}

double kg_state_row_cost(const kg_state *state) {
  return (double)state->e.n * state->pairs->cost;
}

size_t kg_state_totals(kg_engine *e, size_t from, double work) {
  KG_CHECK(from <= e->n);
  KG_CHECK(((kg_state *)e)->waiting.n == 0);
  kg_state *state = (kg_state *)e;
  size_t n = e->n, k = e->k, to = (double)(n - from) < work ? n : from + (size_t)work + 1;
  if (to > n)
    to = n;
  if (from == 0) {
    memset(e->V, 0, k * sizeof(double));
    memset(e->s, 0, k * sizeof(double));
    memset(e->count, 0, k * sizeof(size_t));
  }
  for (size_t i = from; i < to; i++) {
    size_t l = (size_t)e->label[i];
    double w = e->w[i];
    if (w == 0)
      continue;
    e->s[l] += w;
    e->V[l] += w * state->R[i + l * n];
    e->count[l]++;
  }
  e->work += (double)(to - from);
  if (to < n)
    return to;
  for (size_t l = 0; l < k; l++) {
    e->cost[l] = e->count[l] > 0 ? -e->V[l] / e->s[l] : 0;
    derive(state, l);
  }
  kg_rule_totals(&e->rule, e->cost, k, n);
  e->status = isfinite(e->rule.tolerance) ? KG_OK : KG_NOT_FINITE;
  return n;
}

double kg_d2(const kg_state *state, size_t i, size_t l) {
  KG_CHECK(i < state->e.n && l < state->e.k);
  double s = state->e.s[l];
  return state->e.V[l] / s / s - 2 * state->R[i + l * state->e.n] / s;
}

void kg_nearest_means(const kg_state *state, size_t skip, size_t from, size_t to,
                      double *least, double *best) {
  KG_CHECK(from <= to && to <= state->e.n);
  for (size_t l = 0; l < state->e.k; l++) {
    const double *R = state->R + l * state->e.n;
    if (state->e.count[l] == 0 || l == skip)
      continue;
    kg_chosen_loops->nearer(R + from, state->share[l], state->twice[l], (double)l,
                            to - from, least, best);
  }
}

enum kg_repaired kg_state_repair(kg_state *state, double work) {
  size_t n = state->e.n, k = state->e.k;
  double row_cost = kg_state_row_cost(state);
  enum kg_repaired changed = KG_REPAIR_NOTHING;
  for (size_t l = 0; l < k; l++) {
    if (!state->wear.stale[l])
      continue;
    changed = KG_REPAIR_DONE;
    double *column = state->R + l * n, V = 0, s = 0;
    if (state->wear.at == 0)
      memset(column, 0, n * sizeof(double));
    work -= (double)n;
    for (size_t i = state->wear.at; i < n; i++) {
      if ((size_t)state->e.label[i] != l || state->e.w[i] == 0)
        continue;
      if (work < 0 && i > state->wear.at) {
        state->wear.at = i;
        return KG_REPAIR_MORE;
      }
      kg_chosen_loops->add(kg_row(state->pairs, i, state->row), state->e.w[i], n, column);
      work -= row_cost;
      state->e.work += row_cost;
    }
    for (size_t i = 0; i < n; i++) {
      if ((size_t)state->e.label[i] != l || state->e.w[i] == 0)
        continue;
      s += state->e.w[i];
      V += state->e.w[i] * column[i];
    }
    state->e.s[l] = s;
    state->e.V[l] = V;
    state->wear.peak[l] = state->wear.steep[l] = 0;
    state->wear.stale[l] = state->wear.touched[l] = state->wear.at = 0;
    state->bounds.changed[l] = ++state->bounds.clock;
    derive(state, l);
  }
  return changed;
}

void kg_move_totals(kg_state *state, size_t i, size_t l) {
  KG_CHECK(i < state->e.n && l < state->e.k);
  KG_CHECK((size_t)state->e.label[i] != l);
  KG_CHECK(state->e.count[state->e.label[i]] > 0);
  size_t n = state->e.n, j = (size_t)state->e.label[i];
  double w = state->e.w[i];
  state->e.V[j] -= 2 * w * state->R[i + j * n];
  state->e.V[l] += 2 * w * state->R[i + l * n];
  state->e.s[j] -= w;
  state->e.s[l] += w;
  state->e.count[j]--;
  state->e.count[l]++;
  state->e.label[i] = (int)l;
  state->e.moves++;
  derive(state, j);
  derive(state, l);
}
