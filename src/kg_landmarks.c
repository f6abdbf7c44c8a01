/* kg_landmarks.c - landmark (Nystroem) features.
 *
 * With landmarks z_1..z_m and c_a(x) = B(x, z_a) centred on the landmarks' mean,
 * phi(x) = L^-1 c(x) for the Cholesky factor L of the landmarks' own centred matrix. Its
 * inner products are those of the feature space projected on the landmarks' span, so W of
 * the features is never above W itself. Making them costs O(m^2) a point, once.
 *
 * They are kept in 16 bits, 2 m bytes a point: their error, 1e-5 of the largest value of the
 * point, lies far below that of the approximation. Sums and every decision about a move are
 * in double. */
#include "kg.h"
#include <math.h>
#include <string.h>

size_t kg_lowrank_width(size_t rank) {
  return rank == 0 ? 16 : (rank + 15) / 16 * 16;
}

size_t kg_lowrank_rows(size_t rank) {
  return (rank + 7) / 8 * 8;
}

void kg_lowrank_inverse_row(const double *L, size_t n, size_t i, size_t from, size_t to,
                            double *inverse) {
  double *restrict row = inverse + i * n;
  for (size_t j = 0; from == 0 && j < n; j++) row[j] = j == i ? 1 : 0;
  for (size_t c = from; c < to && c < i; c++) {
    const double *restrict before = inverse + c * n;
    double a = L[i * n + c];
    for (size_t j = 0; j <= c; j++) row[j] -= a * before[j];
  }
  for (size_t j = 0; to > i && j <= i; j++) row[j] /= L[i * n + i];
}

/* ---- features of a block of points ---- */

/* KG_TILE points from column-major values (b x m), landmark by landmark. */
static void load_tile(const double *values, size_t b, size_t at, size_t m, double *tile) {
  size_t some = b - at < KG_TILE ? b - at : KG_TILE;
  for (size_t a = 0; a < m; a++) {
    memcpy(tile + a * KG_TILE, values + a * b + at, some * sizeof(double));
    for (size_t p = some; p < KG_TILE; p++) tile[a * KG_TILE + p] = 0;
  }
}

void kg_lowrank_features(const kg_landmarks *map, const double *values, size_t b,
                         const double *self, double *work, int16_t *z, float *unit, double *rest) {
  size_t m = map->m, rank = map->rank, width = kg_lowrank_width(rank);
  size_t rows = kg_lowrank_rows(rank);
  double *tile = work, *out = work + m * KG_TILE;
  for (size_t at = 0; at < b; at += KG_TILE) {
    size_t some = b - at < KG_TILE ? b - at : KG_TILE;
    double mean[KG_TILE] = {0};
    load_tile(values, b, at, m, tile);
    for (size_t a = 0; a < m; a++)
      for (size_t p = 0; p < KG_TILE; p++) mean[p] += tile[a * KG_TILE + p];
    for (size_t p = 0; p < KG_TILE; p++) mean[p] /= (double)m;
    for (size_t a = 0; a < rank; a++)
      for (size_t p = 0; p < KG_TILE; p++)
        tile[a * KG_TILE + p] -= mean[p] + map->offset[a];
    kg_chosen_loops->product(map->T, rows, rank, 1, tile, out);
    for (size_t p = 0; p < some; p++) {
      double norm2 = 0;
      unit[at + p] = kg_features_pack(out + p, KG_TILE, rank, width, z + (at + p) * width);
      for (size_t q = 0; q < rank; q++)
        norm2 += out[q * KG_TILE + p] * out[q * KG_TILE + p];
      rest[at + p] =
          ((self ? self[at + p] : 0) - 2 * mean[p] + map->grand) / map->unit - norm2;
    }
  }
}

/* ---- one pass of Lloyd's method over a block, without features ---- */

void kg_lowrank_pass(size_t m, const double *values, size_t b,
                     const double *w, const double *U, const double *h, size_t k,
                     double *work, int *label, double *sums, double *s, double *least) {
  double *tile = work, *score = work + m * KG_TILE;
  size_t rows = kg_lowrank_rows(k);
  for (size_t at = 0; at < b; at += KG_TILE) {
    size_t some = b - at < KG_TILE ? b - at : KG_TILE;
    load_tile(values, b, at, m, tile);
    kg_chosen_loops->product(U, rows, m, 0, tile, score);
    for (size_t p = 0; p < some; p++) {
      size_t best = 0;
      double cost = HUGE_VAL, weight = w[at + p];
      for (size_t l = 0; l < k; l++) {
        double now = h[l] - 2 * score[l * KG_TILE + p];
        if (now < cost) cost = now, best = l;
      }
      label[at + p] = (int)best;
      if (weight == 0) continue;
      double *sum = sums + best * m;
      for (size_t a = 0; a < m; a++) sum[a] += weight * tile[a * KG_TILE + p];
      s[best] += weight;
      *least += weight * cost;
    }
  }
}
