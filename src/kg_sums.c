/* kg_sums.c - sums over given groups. */
#include "kg_sums.h"
#include "kg_check.h"
#include "kg_loops.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

/* Sums over the pairs of a given partition, and products B v.
 *
 * O(n^2 d / 2) for points with O(n) memory; every unordered pair is evaluated once. Sums
 * over clusters are compensated (Neumaier), so W and S keep their digits for any n. */

void kg_add_compensated(double *sum, double *low, double value) {
  double t = *sum + value;
  if (fabs(*sum) >= fabs(value))
    *low += (*sum - t) + value;
  else
    *low += (value - t) + *sum;
  *sum = t;
}

/* B(i, j) for j > i, in place if the store holds rows. */
static const double *later(const kg_pairs *pairs, size_t i, double *buffer) {
  const double *row = kg_row_held(pairs, i);
  if (row)
    return row + i + 1;
  kg_block(pairs, &i, 1, i + 1, pairs->n, buffer);
  return buffer;
}

void kg_dispersion_rows(const kg_pairs *pairs, const double *w, const int *label,
                        size_t k, size_t from, size_t to, double *M, double *M_low,
                        double *buffer, double *bucket) {
  KG_CHECK(from <= to && to <= pairs->n);
  size_t n = pairs->n;
  for (size_t i = from; i < to; i++) {
    if (w[i] == 0)
      continue;
    size_t a = (size_t)label[i];
    const double *row = later(pairs, i, buffer);
    for (size_t b = 0; b < k; b++)
      bucket[b] = 0;
    for (size_t j = i + 1; j < n; j++)
      bucket[label[j]] += w[j] * row[j - i - 1];
    for (size_t b = 0; b < k; b++)
      kg_add_compensated(M + b + a * k, M_low + b + a * k, w[i] * bucket[b]);
  }
}

void kg_dispersion_end(size_t k, double *M, const double *M_low) {
  for (size_t a = 0; a < k * k; a++)
    M[a] += M_low[a];
  for (size_t a = 0; a < k; a++)
    for (size_t b = 0; b <= a; b++)
      M[a + b * k] = M[b + a * k] = M[a + b * k] + M[b + a * k];
}

void kg_product_rows(const kg_pairs *pairs, const double *v, size_t from, size_t to,
                     double *out, double *buffer) {
  KG_CHECK(from <= to && to <= pairs->n);
  size_t n = pairs->n;
  for (size_t i = from; i < to; i++) {
    const double *row = later(pairs, i, buffer);
    double sum = 0, vi = v[i];
    for (size_t j = i + 1; j < n; j++) {
      sum += row[j - i - 1] * v[j];
      out[j] += row[j - i - 1] * vi;
    }
    out[i] += sum;
  }
}

/* Sums over the clusters of some points, as other points see them:
 * R_jl = sum_{y in C_l} w_y B(x_j, y). They extend the partition of a sample to all
 * points, and they predict. O(d) a pair.
 *
 * The points of the clusters are taken four at a time, all of one cluster. */

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

/* One pass over a square matrix that copies nothing: O(n^2), in tiles, so that
 * a row is read a cache line at a time. */

enum { TILE = 64 };

kg_gram_scan kg_gram_begin(void) {
  kg_gram_scan scan = {0, 0, 0, 0, 1, 0, 0};
  return scan;
}

static void scan_column(const double *column, size_t n, size_t j, kg_gram_scan *scan) {
  double largest = scan->largest, odd = 0;
  for (size_t i = 0; i < n; i++) {
    double size = fabs(column[i]);
    largest = size > largest ? size : largest;
    odd += column[i] - column[i]; /* NaN from the first value that is not finite on */
  }
  scan->largest = largest;
  if (odd == 0)
    return;
  for (size_t i = 0; i < n; i++) {
    if (isfinite(column[i]))
      continue;
    scan->finite = 0;
    scan->odd_row = i;
    scan->odd_column = j;
    return;
  }
}

/* Ties go to the first by columns, whatever the tiles. */
static void compare(const double *G, size_t n, size_t i, size_t j, kg_gram_scan *scan) {
  double gap = fabs(G[i + j * n] - G[j + i * n]);
  if (!(gap > 0) || gap < scan->gap)
    return;
  if (gap == scan->gap &&
      (scan->gap_column < j || (scan->gap_column == j && scan->gap_row < i)))
    return;
  scan->gap = gap;
  scan->gap_row = i;
  scan->gap_column = j;
}

void kg_gram_columns(const double *G, size_t n, size_t from, size_t to,
                     kg_gram_scan *scan) {
  KG_CHECK(from <= to && to <= n);
  for (size_t j = from; j < to && scan->finite; j++)
    scan_column(G + j * n, n, j, scan);
  if (!scan->finite)
    return;
  for (size_t first = from; first < to; first += TILE) {
    size_t last = to - first < TILE ? to : first + TILE;
    for (size_t top = first; top < n; top += TILE) {
      size_t bottom = n - top < TILE ? n : top + TILE;
      for (size_t j = first; j < last; j++)
        for (size_t i = top > j ? top : j + 1; i < bottom; i++)
          compare(G, n, i, j, scan);
    }
  }
}
