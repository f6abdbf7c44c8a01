/* kg_hartigan.c - Hartigan's method in the feature space (Algorithm 2, kernel k-groups).
 *
 * A candidate costs O(k), an accepted move one row of B. Every move lowers W by more
 * than the tolerance, so the method ends for any symmetric B. */
#include "kg.h"
#include <math.h>

double kg_best_move(const kg_state *state, size_t i, size_t *best) {
  size_t k = state->k, n = state->n, j = (size_t)state->label[i];
  double w = state->w[i], self = state->pairs->self(state->pairs, i);
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

size_t kg_hartigan_sweep(kg_state *state, size_t from, size_t budget) {
  size_t made = 0, best;
  for (size_t i = from; i < state->n; i++) {
    double change = kg_best_move(state, i, &best);
    if (change < 0 && change < -state->tolerance && best != (size_t)state->label[i]) {
      kg_move(state, i, best);
      if (++made == budget) return i + 1;
    }
  }
  return state->n;
}
