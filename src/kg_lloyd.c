/* kg_lloyd.c - Lloyd's method in the feature space (Algorithm 1, kernel k-means).
 *
 * The means stay fixed during a pass. The diagonal term that Algorithm 1 of the paper
 * loses (lines 12-13) is kept, since R is exact. */
#include "kg.h"
#include <math.h>
#include <string.h>

/* The point of positive weight that costs most where it is going, among clusters that
 * keep another point; n if there is none. */
static size_t costliest(const kg_state *state, const int *target, const size_t *count) {
  size_t worst = state->n;
  double most = 0;
  for (size_t i = 0; i < state->n; i++) {
    size_t l = (size_t)target[i];
    if (state->w[i] == 0 || count[l] < 2 || state->count[l] == 0) continue;
    double cost = state->w[i] * kg_d2(state, i, l);
    if (worst == state->n || cost > most) {
      worst = i;
      most = cost;
    }
  }
  return worst;
}

size_t kg_lloyd_targets(const kg_state *state, int *target, size_t *count) {
  size_t n = state->n, k = state->k, changed = 0;
  memset(count, 0, k * sizeof(size_t));
  for (size_t from = 0, to; from < n; from = to) {
    double least[KG_BLOCK], nearest[KG_BLOCK];
    to = n - from < KG_BLOCK ? n : from + KG_BLOCK;
    for (size_t a = 0; a < to - from; a++) least[a] = HUGE_VAL, nearest[a] = 0;
    kg_nearest_means(state, k, from, to, least, nearest);
    for (size_t i = from; i < to; i++) {
      target[i] = state->label[i];
      if (state->w[i] == 0) continue;
      size_t best = (size_t)nearest[i - from];
      double here = kg_d2(state, i, (size_t)state->label[i]);
      if (kg_d2(state, i, best) < here - state->tolerance / state->w[i])
        target[i] = (int)best;
      count[target[i]]++;
    }
  }
  for (size_t l = 0; l < k; l++) {
    if (count[l] > 0) continue;
    size_t i = costliest(state, target, count);
    if (i == n) continue;
    count[target[i]]--;
    target[i] = (int)l;
    count[l] = 1;
  }
  for (size_t i = 0; i < n; i++) changed += target[i] != state->label[i];
  return changed;
}
