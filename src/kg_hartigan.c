/* kg_hartigan.c - Hartigan's method in the feature space (Algorithm 2, kernel k-groups).
 *
 * A candidate costs O(k), an accepted move one row of B. Every move lowers W by more
 * than the tolerance, so the method ends for any symmetric B.
 *
 * Points are visited in blocks. While a block is visited, a move corrects R within the
 * block alone; the rows it adds elsewhere wait until the block is done and are then
 * applied together, strip by strip of columns. Every element of R receives the same
 * changes in the same order as with one move at a time, so the moves are the same. */
#include "kg.h"
#include <math.h>

double kg_best_move(const kg_state *state, size_t i, size_t *best) {
  size_t k = state->k, n = state->n, j = (size_t)state->label[i];
  double w = state->w[i], self = state->self[i];
  double rest = state->s[j] - w;
  *best = j;
  if (w == 0 || state->count[j] < 2 || k < 2) return 0;
  /* What leaves: w s_j/(s_j - w) d2_ij. Where nearly all of the cluster's weight is the
   * point's own, this is w (s_j - w)/s_j times a squared distance: below the tolerance,
   * and d2_ij is all rounding. The point stays. */
  if (!(rest > 1e-12 * state->s[j])) return 0;
  double gone = w * (state->s[j] / rest) * kg_d2(state, i, j);
  double least = HUGE_VAL;
  for (size_t l = 0; l < k; l++) {
    if (l == j) continue;
    double s = state->s[l];
    double d2 = self - 2 * state->R[i + l * n] / s + state->V[l] / s / s;
    double come = w * (s / (s + w)) * d2;
    if (come < least) {
      least = come;
      *best = l;
    }
  }
  return least - gone;
}

/* May any of the points [from, to) have a better cluster? Looks at all candidates at once
 * and never says no to a move that kg_best_move makes. */
static void screen(const kg_state *state, size_t from, size_t to, unsigned char *look) {
  size_t n = state->n, width = to - from;
  double own[KG_BLOCK], least[KG_BLOCK];
  double margin = -0.5 * state->tolerance;
  for (size_t a = 0; a < width; a++) {
    size_t i = from + a, j = (size_t)state->label[i];
    double w = state->w[i], rest = state->s[j] - w;
    look[a] = w > 0 && state->count[j] > 1 && rest > 0;
    /* what leaves, over w, less the part of d2 that all clusters share */
    own[a] = look[a] ? state->s[j] / rest * kg_d2(state, i, j) : 0;
    least[a] = HUGE_VAL;
  }
  for (size_t l = 0; l < state->k; l++) {
    const double *R = state->R + from + l * n;
    double s = state->s[l], share = state->V[l] / s / s, twice = 2 / s;
    const double *w = state->w + from, *self = state->self + from;
    for (size_t a = 0; a < width; a++) {
      double come = s / (s + w[a]) * (self[a] + share - twice * R[a]);
      /* the own cluster is not told apart here: its come is below its own leaving, so it
       * is taken out */
      if ((size_t)state->label[from + a] == l) come = HUGE_VAL;
      least[a] = come < least[a] ? come : least[a];
    }
  }
  for (size_t a = 0; a < width; a++)
    if (look[a]) look[a] = state->w[from + a] * (least[a] - own[a]) < margin;
}

/* Waiting rows to the columns [from, to). */
static void apply_strip(const kg_state *state, size_t from, size_t to, double *value) {
  const kg_pairs *pairs = state->pairs;
  const kg_loops *loops = kg_chosen_loops;
  size_t n = state->n, width = to - from;
  for (size_t r = 0; r < state->n_waiting; r += 4) {
    size_t many = state->n_waiting - r < 4 ? state->n_waiting - r : 4;
    int in_place = pairs->view(pairs, state->waiting[r]) != NULL;
    if (!in_place) pairs->block(pairs, state->waiting + r, many, from, to, value);
    for (size_t a = 0; a < many; a++) {
      size_t i = state->waiting[r + a];
      const double *row = in_place ? pairs->view(pairs, i) + from : value + a * width;
      loops->transfer(row, state->w[i], width,
                      state->R + state->source[r + a] * n + from,
                      state->R + (size_t)state->label[i] * n + from);
    }
  }
}

/* Waiting rows to all columns but those of the block [a, b), which has them already. */
static void apply_waiting(kg_state *state, size_t a, size_t b) {
  size_t strips = (state->n + KG_STRIP - 1) / KG_STRIP;
  if (state->n_waiting == 0) return;
#ifdef _OPENMP
#pragma omp parallel for num_threads(state->threads) if (state->threads > 1)             \
    schedule(static)
#endif
  for (size_t t = 0; t < strips; t++) {
    double *value = state->strips + 4 * KG_STRIP * (size_t)kg_thread_number();
    size_t from = t * KG_STRIP;
    size_t to = from + KG_STRIP < state->n ? from + KG_STRIP : state->n;
    if (from < a) apply_strip(state, from, to < a ? to : a, value);
    if (to > b) apply_strip(state, from > b ? from : b, to, value);
  }
  state->n_waiting = 0;
}

/* Point i of the block [a, b) to cluster l. */
static void move(kg_state *state, size_t i, size_t l, size_t a, size_t b) {
  const kg_pairs *pairs = state->pairs;
  size_t n = state->n, j = (size_t)state->label[i];
  const double *row = pairs->view(pairs, i);
  kg_move_totals(state, i, l);
  if (row)
    row += a;
  else {
    pairs->block(pairs, &i, 1, a, b, state->row);
    row = state->row;
  }
  kg_chosen_loops->transfer(row, state->w[i], b - a, state->R + j * n + a,
                            state->R + l * n + a);
  state->waiting[state->n_waiting] = i;
  state->source[state->n_waiting++] = j;
  if (state->s[j] < 1e-6 * state->peak[j]) {
    apply_waiting(state, a, b);
    kg_rebuild(state, j);
  }
}

size_t kg_hartigan_sweep(kg_state *state, size_t from, size_t budget) {
  unsigned char look[KG_BLOCK];
  size_t n = state->n, before = state->moves, best;
  size_t block = budget < KG_BLOCK ? budget : KG_BLOCK;
  for (size_t a = from, b; a < n; a = b) {
    size_t moves = state->moves;
    b = n - a < block ? n : a + block;
    screen(state, a, b, look);
    for (size_t i = a; i < b; i++) {
      /* once something moved, what the screen saw no longer holds */
      if (!look[i - a] && state->moves == moves) continue;
      double change = kg_best_move(state, i, &best);
      if (change < 0 && change < -state->tolerance && best != (size_t)state->label[i])
        move(state, i, best, a, b);
    }
    apply_waiting(state, a, b);
    if (state->moves - before >= budget) return b;
  }
  return n;
}
