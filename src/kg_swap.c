/* kg_swap.c - one step of swap search: a cluster is dissolved and a point becomes a new
 * centre; every point goes to the nearest mean. O(n k). */
#include "kg.h"
#include <math.h>
#include <string.h>

int kg_swap_targets(const kg_state *state, size_t c, size_t x, const double *row,
                    int *target, size_t *count) {
  size_t n = state->n, k = state->k;
  double self = state->self[x];
  double least[KG_BLOCK], best[KG_BLOCK];
  memset(count, 0, k * sizeof(size_t));
  for (size_t from = 0, to; from < n; from = to) {
    to = n - from < KG_BLOCK ? n : from + KG_BLOCK;
    for (size_t i = from; i < to; i++) {
      least[i - from] = state->self[i] + self - 2 * row[i];
      best[i - from] = (double)c;
    }
    kg_nearest_means(state, c, from, to, least, best);
    for (size_t i = from; i < to; i++) {
      target[i] = state->label[i];
      if (state->w[i] == 0) continue;
      target[i] = i == x ? (int)c : (int)best[i - from];
      count[target[i]]++;
    }
  }
  for (size_t l = 0; l < k; l++)
    if (count[l] == 0) return 0;
  return 1;
}
