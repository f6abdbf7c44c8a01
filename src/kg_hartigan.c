/* kg_hartigan.c - Hartigan's method in the feature space (Algorithm 2, kernel k-groups).
 *
 * A candidate costs O(k), an accepted move one row of B. Every move lowers W by more
 * than the tolerance, so the method ends for any symmetric B.
 *
 * Points are visited in blocks, which catch up with the moves made since their last visit
 * (kg_moves.c). Every element of R receives the same changes in the same order as with one
 * move at a time, so the moves are the same. */
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
  size_t n = state->n, k = state->k, width = to - from;
  double label[KG_BLOCK], own[KG_BLOCK], least[KG_BLOCK], s_own[KG_BLOCK], heaviest = 0;
  double margin = -0.5 * state->tolerance;
  for (size_t a = 0; a < width; a++) {
    label[a] = (double)state->label[from + a];
    least[a] = HUGE_VAL;
    own[a] = 0;
    if (state->w[from + a] > heaviest) heaviest = state->w[from + a];
  }
  for (size_t l = 0; l < k; l++) {
    double s = state->s[l];
    if (state->count[l] == 0) continue;
    kg_chosen_loops->screen(state->R + from + l * n, state->self + from, label, (double)l,
                            2 / s, state->V[l] / s / s, s / (s + heaviest), width, own,
                            least);
  }
  for (size_t a = 0; a < width; a++) s_own[a] = state->s[state->label[from + a]];
  for (size_t a = 0; a < width; a++) {
    double w = state->w[from + a], rest = s_own[a] - w;
    /* written so that rest <= 0 gives no; a count below 2 leaves rest at 0 or rounding */
    look[a] = w > 0 && rest > 0 && w * (least[a] - s_own[a] / rest * own[a]) < margin;
  }
}

/* Point i to cluster l; its block has caught up. */
static void move(kg_state *state, size_t i, size_t l) {
  size_t j = (size_t)state->label[i];
  kg_move_totals(state, i, l);
  kg_moves_add(state, i, j, l, 1);
  if (state->s[j] < 1e-6 * state->peak[j]) {
    kg_moves_finish(state);
    kg_rebuild(state, j);
  }
}

size_t kg_hartigan_sweep(kg_state *state, size_t from, size_t budget) {
  unsigned char look[KG_BLOCK];
  size_t n = state->n, before = state->moves, best, at = from;
  while (at < n && state->moves - before < budget) {
    size_t block = at / KG_BLOCK, first = at;
    size_t end = n - block * KG_BLOCK < KG_BLOCK ? n : (block + 1) * KG_BLOCK;
    kg_moves_catch_up(state, block, state->values);
    screen(state, first, end, look);
    for (; at < end && state->moves - before < budget; at++) {
      if (!look[at - first]) continue;
      double change = kg_best_move(state, at, &best);
      if (change < 0 && change < -state->tolerance && best != (size_t)state->label[at]) {
        move(state, at, best);
        first = at + 1; /* what the screen saw no longer holds */
        if (first < end) screen(state, first, end, look);
      }
    }
  }
  kg_moves_finish(state);
  return at;
}
