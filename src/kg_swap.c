/* kg_swap.c - one step of swap search: a cluster is dissolved and a point becomes a new
 * centre; every point goes to the nearest mean. O(n k). */
#include "kg.h"
#include <math.h>
#include <string.h>

int kg_swap_targets(const kg_state *state, size_t c, size_t x, const double *row,
                    int *target, size_t *count) {
  size_t n = state->n, k = state->k;
  double self = state->self[x];
  memset(count, 0, k * sizeof(size_t));
  for (size_t i = 0; i < n; i++) {
    target[i] = state->label[i];
    if (state->w[i] == 0) continue;
    size_t best = c;
    double least = state->self[i] + self - 2 * row[i];
    for (size_t l = 0; l < k; l++) {
      if (l == c) continue;
      double d2 = kg_d2(state, i, l);
      if (d2 < least) {
        least = d2;
        best = l;
      }
    }
    if (i == x) best = c;
    target[i] = (int)best;
    count[best]++;
  }
  for (size_t l = 0; l < k; l++)
    if (count[l] == 0) return 0;
  return 1;
}
