/* kg_pairs.c - the stores of pair values.
 *
 * Points are kept as they come and pair values computed when asked for, O(d) each;
 * nothing of size n^2 is made. A packed triangle of distances and a dense matrix are
 * read in place. */
#include "kg.h"
#include <string.h>

/* Columns are taken in strips that stay in the first-level cache together with the
 * squares being summed. */
enum { STRIP = 512 };

/* ---- points ---- */

static void squares(const kg_pairs *p, const double *y, size_t stride, size_t from,
                    size_t to, double *out) {
  size_t n = p->n, d = p->d;
  for (size_t a = from; a < to; a += STRIP) {
    size_t width = to - a < STRIP ? to - a : STRIP;
    double *restrict sum = out + (a - from);
    size_t c = 0;
    memset(sum, 0, width * sizeof(double));
    for (; c + 4 <= d; c += 4) {
      const double *restrict x0 = p->data + c * n + a, *restrict x1 = x0 + n;
      const double *restrict x2 = x1 + n, *restrict x3 = x2 + n;
      double y0 = y[c * stride], y1 = y[(c + 1) * stride];
      double y2 = y[(c + 2) * stride], y3 = y[(c + 3) * stride];
#pragma omp simd
      for (size_t j = 0; j < width; j++) {
        double t0 = x0[j] - y0, t1 = x1[j] - y1, t2 = x2[j] - y2, t3 = x3[j] - y3;
        sum[j] += (t0 * t0 + t1 * t1) + (t2 * t2 + t3 * t3);
      }
    }
    for (; c < d; c++) {
      const double *restrict x0 = p->data + c * n + a;
      double y0 = y[c * stride];
#pragma omp simd
      for (size_t j = 0; j < width; j++) {
        double t0 = x0[j] - y0;
        sum[j] += t0 * t0;
      }
    }
  }
}

static void points_block(const kg_pairs *p, const size_t *rows, size_t n_rows, size_t from,
                         size_t to, double *out) {
  size_t width = to - from;
  for (size_t r = 0; r < n_rows; r++) {
    squares(p, p->data + rows[r], p->n, from, to, out + r * width);
    kg_from_squares(p->rho, out + r * width, width);
  }
}

static const double *no_view(const kg_pairs *p, size_t i) {
  (void)p, (void)i;
  return NULL;
}

static double zero_self(const kg_pairs *p, size_t i) {
  (void)p, (void)i;
  return 0;
}

kg_pairs kg_points(const double *x, size_t n, size_t d, kg_semimetric rho) {
  kg_pairs p = {n, points_block, no_view, zero_self, x, d, rho};
  return p;
}

void kg_point_row(const kg_pairs *p, const double *y, size_t stride, double *out) {
  squares(p, y, stride, 0, p->n, out);
  kg_from_squares(p->rho, out, p->n);
}

/* ---- packed lower triangle, column by column: (i, j), i > j, lies at
 *      n j - j (j + 1) / 2 + i - j - 1 ---- */

static void packed_block(const kg_pairs *p, const size_t *rows, size_t n_rows, size_t from,
                         size_t to, double *out) {
  size_t n = p->n, width = to - from;
  for (size_t r = 0; r < n_rows; r++) {
    size_t i = rows[r];
    double *value = out + r * width;
    size_t j = from;
    for (; j < to && j < i; j++)
      value[j - from] = p->data[n * j - j * (j + 1) / 2 + i - j - 1];
    if (j == i && j < to) {
      value[j - from] = 0;
      j++;
    }
    if (j < to)
      memcpy(value + (j - from), p->data + (n * i - i * (i + 1) / 2 + j - i - 1),
             (to - j) * sizeof(double));
    kg_from_distances(p->rho, value, width);
  }
}

kg_pairs kg_packed(const double *distances, size_t n, kg_semimetric rho) {
  kg_pairs p = {n, packed_block, no_view, zero_self, distances, 0, rho};
  return p;
}

/* ---- dense ---- */

static const double *dense_view(const kg_pairs *p, size_t i) {
  return p->data + i * p->n; /* symmetric: column i is row i */
}

static void dense_block(const kg_pairs *p, const size_t *rows, size_t n_rows, size_t from,
                        size_t to, double *out) {
  for (size_t r = 0; r < n_rows; r++)
    memcpy(out + r * (to - from), dense_view(p, rows[r]) + from,
           (to - from) * sizeof(double));
}

static double dense_self(const kg_pairs *p, size_t i) {
  return p->data[i * p->n + i];
}

kg_pairs kg_dense(const double *B, size_t n) {
  kg_semimetric given = {KG_GIVEN, 0};
  kg_pairs p = {n, dense_block, dense_view, dense_self, B, 0, given};
  return p;
}

const double *kg_row(const kg_pairs *pairs, size_t i, double *buffer) {
  const double *row = pairs->view(pairs, i);
  if (row) return row;
  pairs->block(pairs, &i, 1, 0, pairs->n, buffer);
  return buffer;
}
