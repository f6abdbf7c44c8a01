/* kg_dimension.c - the effective dimension of clusters: the participation ratio of the
 * spectra of their centred Gram matrices, by the weights of the clusters.
 * O(n^2) pairwise dissimilarities, one row at a time. */
#include "kg_check.h"
#include "kg_pairs.h"
#include "kg_state.h"
#include <string.h>

void kg_dimension_rows(const kg_state *state, size_t from, size_t to, double *square,
                       double *buffer) {
  KG_CHECK(from <= to && to <= state->e.n);
  const kg_pairs *pairs = state->pairs;
  size_t n = state->e.n;
  for (size_t i = from; i < to; i++) {
    size_t l = (size_t)state->e.label[i];
    double s = state->e.s[l], sum = 0;
    const double *R = state->R + l * n;
    if (state->e.w[i] == 0 || state->e.count[l] < 5)
      continue;
    kg_block(pairs, &i, 1, i, n, buffer);
    double shift = state->e.V[l] / s / s - R[i] / s;
    for (size_t j = i + 1; j < n; j++) {
      if ((size_t)state->e.label[j] != l)
        continue;
      double K = buffer[j - i] - R[j] / s + shift;
      sum += state->e.w[j] * K * K;
    }
    square[l] += 2 * state->e.w[i] * sum;
  }
}

double kg_dimension(const kg_state *state, const double *square, double *trace,
                    double *weight2) {
  double above = 0, below = 0;
  memset(trace, 0, state->e.k * sizeof(double));
  memset(weight2, 0, state->e.k * sizeof(double));
  for (size_t i = 0; i < state->e.n; i++) {
    size_t l = (size_t)state->e.label[i];
    double w = state->e.w[i];
    if (w == 0 || state->e.count[l] < 5)
      continue;
    trace[l] += w * kg_d2(state, i, l);
    weight2[l] += w * w;
  }
  for (size_t l = 0; l < state->e.k; l++) {
    double s = state->e.s[l];
    if (state->e.count[l] < 5)
      continue;
    double t1 = trace[l] / (s - weight2[l] / s);
    double t2 = square[l] / (s * s - weight2[l]);
    above += s * t1 * t1;
    below += s * t2;
  }
  return below > 0 ? above / below : 0;
}
