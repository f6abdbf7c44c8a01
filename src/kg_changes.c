/* kg_changes.c - dynamic programming over the last run. The run from i to j has
 * W = sum rho / (j - i + 1), its sum that of the run to j - 1 and the values of rho to
 * observation j. O(n^2 k) in all. */
#include "kg_changes.h"
#include "kg_check.h"
#include <math.h>
#include <string.h>

void kg_changes_lay(kg_changes *c, kg_room *room) {
  c->sums = KG_TAKE(room, c->n, double);
  c->W = KG_TAKE(room, c->n, double);
  c->best = KG_TAKE2(room, c->n + 1, c->k + 1, double);
}

void kg_changes_begin(kg_changes *c) {
  const size_t n = c->n;
  KG_CHECK(c->least > 0 && c->k > 0 && c->k * c->least <= n);
  memset(c->sums, 0, n * sizeof(double));
  c->best[0] = 0;
  for (size_t i = 1; i <= n; i++)
    c->best[i] = INFINITY;
}

void kg_changes_append(kg_changes *c, size_t j, const double *B) {
  const size_t n = c->n;
  KG_CHECK(j < n);
  double sum = 0;
  for (size_t i = j; i-- > 0;) {
    sum -= 2 * B[i];
    c->sums[i] += sum;
  }
  for (size_t l = 0; l < c->k; l++)
    c->start[l * n + j] = 0;
  if (j + 1 < c->least)
    return;
  const size_t firsts = j + 2 - c->least; /* possible starts of the last run */
  for (size_t i = 0; i < firsts; i++)
    c->W[i] = c->sums[i] / (double)(j - i + 1);
  for (size_t l = 1; l <= c->k && l * c->least <= j + 1; l++) {
    const double *before = c->best + (l - 1) * (n + 1);
    double lowest = INFINITY;
    size_t at = 0;
    for (size_t i = (l - 1) * c->least; i < firsts; i++)
      if (before[i] + c->W[i] < lowest) {
        lowest = before[i] + c->W[i];
        at = i;
      }
    c->best[l * (n + 1) + j + 1] = lowest;
    c->start[(l - 1) * n + j] = (int)at + 1;
  }
}
