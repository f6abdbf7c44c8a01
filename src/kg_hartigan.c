/* kg_hartigan.c - Hartigan's method in the feature space (Algorithm 2, kernel k-groups).
 *
 * A candidate costs O(k), an accepted move one row of B. Every move lowers W by more
 * than the tolerance, so the method ends for any symmetric B.
 *
 * Points are visited in blocks, after these have caught up with the moves made since their
 * last visit (kg_moves.c). Every element of R receives the same changes in the same order as with one
 * move at a time, so the moves are the same. */
#include "kg.h"
#include <math.h>

#define LOOKS ((size_t)1 << 26) /* candidates between two polls */

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
  size_t n = state->n, before = state->moves, best, at = from;
  size_t some = LOOKS / state->k + 1, last = n - from < some ? n : from + some;
  while (at < last && state->moves - before < budget) {
    size_t block = at / KG_BLOCK, first = at;
    size_t end = n - block * KG_BLOCK < KG_BLOCK ? n : (block + 1) * KG_BLOCK;
    kg_moves_catch_up(state, at / KG_STRETCH, state->values);
    unsigned long long look = kg_chosen_loops->screen(state, first, end - first);
    for (; look != 0 && at < end && state->moves - before < budget; at++) {
      if (!(look >> (at - first) & 1)) continue;
      double change = kg_best_move(state, at, &best);
      if (change < 0 && change < -state->tolerance && best != (size_t)state->label[at]) {
        move(state, at, best);
        first = at + 1; /* what the screen saw no longer holds */
        look = first < end ? kg_chosen_loops->screen(state, first, end - first) : 0;
      }
    }
    if (look == 0) at = end;
  }
  kg_moves_finish(state);
  return at;
}
