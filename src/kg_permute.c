/* kg_permute.c - statistics of many relabellings of the same points, in one pass over
 * the pairs.
 *
 * The pairwise dissimilarities are centred with the weights, b_ij = B_ij - c_i - c_j with
 * c = B w / s - (w' B w)/(2 s^2), so that every row has weighted sum 0. Then
 *     S = sum_a M_aa / s_a,     M_ab = sum_{x in a, y in b} w_x w_y b_xy,
 * Eq. (16) without the subtraction total - W, which would cost S its digits. A pairwise
 * dissimilarity is computed once for all the relabellings of a call: O(n^2 (d + m) / 2)
 * for m of them, whatever k, with labels side by side so that one instruction serves
 * several. */
#include "kg_permute.h"
#include "kg_check.h"
#include "kg_pairs.h"
#include <string.h>

enum { LANES = KG_LANES, ROWS = 32, COLUMNS = 256 };

size_t kg_permute_doubles(void) {
  return ROWS * COLUMNS;
}

/* value[r][j] = w_j b(from + r, a + j) for a tile; zero weights leave zeros. */
static void centred_tile(const kg_pairs *pairs, const double *w, const double *centre,
                         size_t from, size_t n_rows, size_t a, size_t b, double *value) {
  size_t rows[ROWS], width = b - a;
  for (size_t r = 0; r < ROWS; r++)
    rows[r] = from + r;
  kg_block(pairs, rows, n_rows, a, b, value);
  for (size_t r = 0; r < n_rows; r++) {
    double *v = value + r * width, ci = centre[from + r];
    for (size_t j = 0; j < width; j++)
      v[j] = w[a + j] * (v[j] - ci - centre[a + j]);
  }
}

/* acc[p] = sum of v_j over the points of [0, m) whose label is that of `own` */
static void same_label(const double *own, const double *lane, const double *v, size_t m,
                       double *acc) {
  double sum[LANES], home[LANES];
  for (size_t p = 0; p < LANES; p++)
    sum[p] = 0;
  memcpy(home, own, sizeof home);
  for (size_t j = 0; j < m; j++) {
    const double *label = lane + j * LANES;
    double value = v[j];
#ifdef _OPENMP
#pragma omp simd
#endif
    for (size_t p = 0; p < LANES; p++)
      sum[p] += label[p] == home[p] ? value : 0.0;
  }
  memcpy(acc, sum, sizeof sum);
}

void kg_permuted_between(const kg_pairs *pairs, const double *w, const double *centre,
                         const double *lanes, const double *inverse, size_t k,
                         size_t groups, size_t from, size_t to, double *value,
                         double *out) {
  KG_CHECK(from <= to && to <= pairs->n);
  size_t n = pairs->n;
  for (size_t i0 = from; i0 < to; i0 += ROWS) {
    size_t n_rows = to - i0 < ROWS ? to - i0 : ROWS;
    for (size_t r = 0; r < n_rows; r++) {
      size_t i = i0 + r;
      double own = w[i] * w[i] * (-2 * centre[i]);
      for (size_t g = 0; g < groups; g++)
        for (size_t p = 0; p < LANES; p++) {
          size_t a = (size_t)lanes[(g * n + i) * LANES + p];
          out[g * LANES + p] += own * inverse[(g * k + a) * LANES + p];
        }
    }
    for (size_t a = i0; a < n; a += COLUMNS) {
      size_t b = n - a < COLUMNS ? n : a + COLUMNS, width = b - a;
      centred_tile(pairs, w, centre, i0, n_rows, a, b, value);
      for (size_t g = 0; g < groups; g++) {
        const double *lane = lanes + g * n * LANES;
        for (size_t r = 0; r < n_rows; r++) {
          size_t i = i0 + r, first = i + 1 > a ? i + 1 : a;
          double acc[LANES];
          if (first >= b || w[i] == 0)
            continue;
          same_label(lane + i * LANES, lane + first * LANES,
                     value + r * width + (first - a), b - first, acc);
          for (size_t p = 0; p < LANES; p++) {
            size_t l = (size_t)lane[i * LANES + p];
            out[g * LANES + p] += 2 * w[i] * acc[p] * inverse[(g * k + l) * LANES + p];
          }
        }
      }
    }
  }
}

void kg_permuted_form(const kg_pairs *pairs, const double *w, const double *centre,
                      const int *label, const double *coefficient, size_t k, size_t m,
                      size_t from, size_t to, double *value, double *out) {
  KG_CHECK(from <= to && to <= pairs->n);
  size_t n = pairs->n;
  for (size_t i0 = from; i0 < to; i0 += ROWS) {
    size_t n_rows = to - i0 < ROWS ? to - i0 : ROWS;
    for (size_t r = 0; r < n_rows; r++) {
      size_t i = i0 + r;
      double own = w[i] * w[i] * (-2 * centre[i]);
      for (size_t p = 0; p < m; p++) {
        size_t a = (size_t)label[p * n + i];
        out[p] += own * coefficient[(p * k + a) * k + a];
      }
    }
    for (size_t a = i0; a < n; a += COLUMNS) {
      size_t b = n - a < COLUMNS ? n : a + COLUMNS, width = b - a;
      centred_tile(pairs, w, centre, i0, n_rows, a, b, value);
      for (size_t p = 0; p < m; p++) {
        const int *group = label + p * n;
        for (size_t r = 0; r < n_rows; r++) {
          size_t i = i0 + r, first = i + 1 > a ? i + 1 : a;
          const double *v = value + r * width;
          const double *row = coefficient + (p * k + (size_t)group[i]) * k;
          double sum = 0;
          for (size_t j = first; j < b; j++)
            sum += v[j - a] * row[group[j]];
          out[p] += 2 * w[i] * sum;
        }
      }
    }
  }
}
