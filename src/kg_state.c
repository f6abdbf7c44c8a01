/* kg_state.c - the sums R, V, s that a fit lives on, and how a move changes them.
 *
 * A move of a point costs one row of B: only two columns of R change, O(n). The first
 * pass visits every pair and serves several states (points have one of their own, in
 * kg_tiles.c). */
#include "kg.h"
#include <math.h>
#include <string.h>

size_t kg_state_doubles(size_t n, size_t k) {
  return n * k + 6 * k + n;
}

size_t kg_state_counts(size_t n, size_t k) {
  return k + (n + KG_STRETCH - 1) / KG_STRETCH;
}

/* Moves that may wait, a multiple of 4: with several threads few, as stretches catch up side
 * by side when the list is full; else so many that their coordinates stay in cache. */
static size_t waiting_of(const kg_pairs *pairs, int threads) {
  size_t most = threads > 1 ? 64 : KG_WAITING, fit = 8192;
  if (pairs->d > 0) fit = fit / pairs->d / 4 * 4;
  if (fit < most) most = fit;
  return most < 4 ? 4 : most;
}

size_t kg_state_workspace(const kg_pairs *pairs, int threads) {
  return (size_t)threads * 4 * KG_STRETCH + waiting_of(pairs, threads) * pairs->d;
}

void kg_state_workspace_set(kg_state *state, int threads, double *workspace) {
  state->threads = threads;
  state->most_waiting = waiting_of(state->pairs, threads);
  state->values = workspace;
  state->moved = workspace + (size_t)threads * 4 * KG_STRETCH;
}

void kg_state_init(kg_state *state, const kg_pairs *pairs, const double *w,
                   const double *self, size_t k, int *label, double *doubles,
                   size_t *counts, int threads, double *workspace) {
  size_t n = pairs->n;
  state->pairs = pairs;
  state->w = w;
  state->self = self;
  state->n = n;
  state->k = k;
  state->label = label;
  state->R = doubles;
  state->V = state->R + n * k;
  state->s = state->V + k;
  state->peak = state->s + k;
  state->twice = state->peak + k;
  state->share = state->twice + k;
  state->factor = state->share + k;
  state->row = state->factor + k;
  state->heaviest = 0;
  for (size_t i = 0; i < n; i++)
    if (w[i] > state->heaviest) state->heaviest = w[i];
  state->count = counts;
  state->tolerance = 0;
  state->moves = 0;
  state->n_waiting = 0;
  state->seen = counts + k;
  memset(state->seen, 0, (kg_state_counts(n, k) - k) * sizeof(size_t));
  kg_state_workspace_set(state, threads, workspace);
}

/* bucket[label[j]] += w[j] row[j]. For few clusters in four buckets by turns, as sums into
 * one place wait for each other. */
static void add_by_label(const double *row, const double *w, const int *label, size_t n,
                         double *bucket, size_t k) {
  enum { FEW = 64 };
  double turn[4][FEW];
  size_t j = 0;
  if (k <= FEW) {
    for (size_t a = 0; a < 4; a++) memset(turn[a], 0, k * sizeof(double));
    for (; j + 4 <= n; j += 4)
      for (size_t a = 0; a < 4; a++) turn[a][label[j + a]] += w[j + a] * row[j + a];
    for (size_t l = 0; l < k; l++)
      bucket[l] += (turn[0][l] + turn[1][l]) + (turn[2][l] + turn[3][l]);
  }
  for (; j < n; j++) bucket[label[j]] += w[j] * row[j];
}

void kg_first_pass(kg_state *states, size_t n_states, size_t from, size_t to,
                   double *buffer) {
  const kg_pairs *pairs = states[0].pairs;
  const double *w = states[0].w;
  size_t n = pairs->n;
  if (from == 0)
    for (size_t a = 0; a < n_states; a++)
      memset(states[a].R, 0, n * states[a].k * sizeof(double));
  for (size_t i = from; i < to; i++) {
    const double *view = pairs->view(pairs, i);
    const double *row = buffer;
    double self = pairs->self(pairs, i);
    if (view) { /* whole rows need no sums by label */
      for (size_t a = 0; a < n_states && w[i] > 0; a++)
        kg_chosen_loops->add(view, w[i], n, states[a].R + (size_t)states[a].label[i] * n);
      continue;
    }
    pairs->block(pairs, &i, 1, i + 1, n, buffer);
    for (size_t a = 0; a < n_states; a++) {
      kg_state *state = states + a;
      const int *label = state->label;
      double *bucket = state->V; /* free until kg_totals */
      double *column = state->R + (size_t)label[i] * n;
      double wi = w[i];
      memset(bucket, 0, state->k * sizeof(double));
      add_by_label(row, w + i + 1, label + i + 1, n - i - 1, bucket, state->k);
      if (wi > 0) {
        kg_chosen_loops->add(row, wi, n - i - 1, column + i + 1);
        column[i] += wi * self;
      }
      for (size_t l = 0; l < state->k; l++) state->R[i + l * n] += bucket[l];
    }
  }
}

/* What follows from s_l and V_l. */
static void derive(kg_state *state, size_t l) {
  double s = state->s[l];
  int empty = state->count[l] == 0;
  state->twice[l] = empty ? 0 : 2 / s;
  state->share[l] = empty ? HUGE_VAL : state->V[l] / s / s;
  state->factor[l] = empty ? 1 : s / (s + state->heaviest);
}

void kg_derive(kg_state *state) {
  for (size_t l = 0; l < state->k; l++) derive(state, l);
}

enum kg_status kg_totals(kg_state *state) {
  size_t n = state->n, k = state->k;
  double diagonal = 0, scale;
  memset(state->V, 0, k * sizeof(double));
  memset(state->s, 0, k * sizeof(double));
  memset(state->count, 0, k * sizeof(size_t));
  for (size_t i = 0; i < n; i++) {
    size_t l = (size_t)state->label[i];
    double w = state->w[i];
    if (w == 0) continue;
    state->s[l] += w;
    state->V[l] += w * state->R[i + l * n];
    state->count[l]++;
    diagonal += w * fabs(state->self[i]);
  }
  scale = diagonal;
  for (size_t l = 0; l < k; l++) {
    if (state->count[l] > 0) scale += fabs(state->V[l]) / state->s[l];
    if (state->s[l] > state->peak[l]) state->peak[l] = state->s[l];
    derive(state, l);
  }
  state->tolerance = 1e-10 * scale / (double)n;
  return isfinite(scale) ? KG_OK : KG_NOT_FINITE;
}

double kg_d2(const kg_state *state, size_t i, size_t l) {
  double s = state->s[l];
  return state->self[i] - 2 * state->R[i + l * state->n] / s +
         state->V[l] / s / s;
}

size_t kg_nearest(const kg_state *state, size_t i) {
  size_t best = 0;
  double least = HUGE_VAL;
  for (size_t l = 0; l < state->k; l++) {
    if (state->count[l] == 0) continue;
    double d2 = kg_d2(state, i, l);
    if (d2 < least) {
      least = d2;
      best = l;
    }
  }
  return best;
}

void kg_nearest_means(const kg_state *state, size_t skip, size_t from, size_t to,
                      double *least, double *best) {
  for (size_t l = 0; l < state->k; l++)
    if (state->count[l] > 0 && l != skip)
      kg_chosen_loops->nearer(state->R + from + l * state->n, state->self + from, (double)l,
                              state->twice[l], state->share[l], to - from, least, best);
}

double kg_objective(const kg_state *state) {
  double Q = 0;
  for (size_t l = 0; l < state->k; l++)
    if (state->count[l] > 0) Q += state->V[l] / state->s[l];
  return Q;
}

void kg_rebuild(kg_state *state, size_t l) {
  size_t n = state->n;
  double *column = state->R + l * n;
  memset(column, 0, n * sizeof(double));
  state->s[l] = 0;
  for (size_t i = 0; i < n; i++) {
    if ((size_t)state->label[i] != l || state->w[i] == 0) continue;
    const double *row = kg_row(state->pairs, i, state->row);
    state->s[l] += state->w[i];
    kg_chosen_loops->add(row, state->w[i], n, column);
  }
  state->V[l] = 0;
  for (size_t i = 0; i < n; i++)
    if ((size_t)state->label[i] == l) state->V[l] += state->w[i] * column[i];
  state->peak[l] = state->s[l];
  derive(state, l);
}

void kg_move_totals(kg_state *state, size_t i, size_t l) {
  size_t n = state->n, j = (size_t)state->label[i];
  double w = state->w[i], self = w * w * state->self[i];
  state->V[j] -= 2 * w * state->R[i + j * n] - self;
  state->V[l] += 2 * w * state->R[i + l * n] + self;
  state->s[j] -= w;
  state->s[l] += w;
  state->count[j]--;
  state->count[l]++;
  if (state->s[l] > state->peak[l]) state->peak[l] = state->s[l];
  state->label[i] = (int)l;
  state->moves++;
  derive(state, j);
  derive(state, l);
}

void kg_move(kg_state *state, size_t i, size_t l) {
  size_t n = state->n, j = (size_t)state->label[i];
  kg_move_totals(state, i, l);
  kg_chosen_loops->transfer(kg_row(state->pairs, i, state->row), state->w[i], n,
                            state->R + j * n, state->R + l * n);
  if (state->s[j] < 1e-6 * state->peak[j]) kg_rebuild(state, j);
}

void kg_place_weightless(kg_state *state) {
  for (size_t i = 0; i < state->n; i++)
    if (state->w[i] == 0) state->label[i] = (int)kg_nearest(state, i);
}
