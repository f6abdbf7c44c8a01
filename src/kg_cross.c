/* kg_cross.c - sums over the clusters of some points, as other points see them:
 * R_jl = sum_{y in C_l} w_y B(x_j, y). They extend the partition of a sample to all
 * points, and they predict. O(d) a pair.
 *
 * The points of the clusters are taken four at a time, all of one cluster. */
#include "kg_cross.h"
#include "kg_check.h"
#include "kg_coordinates.h"
#include "kg_loops.h"
#include "kg_state.h"
#include <string.h>

size_t kg_quads_most(size_t m, size_t k) {
  return m / 4 + k;
}

void kg_quads_fill(kg_quads *quads, const kg_coordinates *points, const double *w,
                   const int *rows, const int *label, size_t m, size_t k) {
  size_t d = points->d;
  quads->d = d;
  quads->n = 0;
  for (size_t l = 0; l < k; l++) {
    size_t r = 0;
    for (size_t a = 0; a < m; a++) {
      size_t i = rows ? (size_t)rows[a] : a;
      if ((size_t)label[a] != l || w[i] == 0)
        continue;
      size_t q = quads->n;
      if (r == 0)
        memset(quads->weight + 4 * q, 0, 4 * sizeof(double));
      quads->label[q] = (int)l;
      quads->weight[4 * q + r] = w[i];
      kg_point_gather(points, i, quads->y + 4 * d * q, r);
      r = (r + 1) % 4;
      if (r == 0)
        quads->n++;
    }
    if (r > 0)
      quads->n++;
  }
}

void kg_cross_sums(const kg_coordinates *points, const kg_quads *quads, size_t from,
                   size_t to, double *R, size_t ld) {
  KG_CHECK(from <= to && to <= points->n && quads->d == points->d);
  const kg_loops *loops = kg_chosen_loops;
  double value[4 * KG_STRETCH];
  for (size_t at = from, width; at < to; at += width) {
    width = to - at < KG_STRETCH ? to - at : KG_STRETCH;
    for (size_t q = 0; q < quads->n; q++) {
      const double *y = quads->y + 4 * quads->d * q, *weight = quads->weight + 4 * q;
      double *into = R + (size_t)quads->label[q] * ld + at;
      size_t done = loops->sum4 ? loops->sum4(points, y, weight, at, width, into) : 0;
      size_t left = width - done;
      if (left == 0)
        continue;
      kg_points_strip(points, y, at + done, at + width, value);
      loops->columns4(value, left, weight, left, into + done);
    }
  }
}
