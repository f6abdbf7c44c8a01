/* kg_landmarks.c - landmark (Nystroem) features.
 *
 * With landmarks z_1..z_m and c_a(x) = B(x, z_a) centred on the landmarks' mean,
 * phi(x) = L^-1 c(x) for the Cholesky factor L of the landmarks' own centred matrix. Its
 * inner products are those of the feature space projected on the landmarks' span, so W of
 * the features is never above W itself. Making them costs O(m^2) a point, once.
 *
 * Of many points they are kept in 16 bits, 2 m bytes a point: their error, 1e-5 of the
 * largest value of the point, lies far below that of the approximation. Sums and every
 * decision about a move are in double. */
#include "kg_landmarks.h"
#include "kg_check.h"
#include "kg_loops.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

size_t kg_landmarks_width(size_t rank) {
  return rank == 0 ? 16 : (rank + 15) / 16 * 16;
}

size_t kg_landmarks_rows(size_t rank) {
  return (rank + 7) / 8 * 8;
}

void kg_landmarks_inverse_row(const double *L, size_t n, size_t i, size_t from, size_t to,
                              double *inverse) {
  KG_CHECK(i < n && from <= to);
  double *restrict row = inverse + i * n;
  for (size_t j = 0; from == 0 && j < n; j++)
    row[j] = j == i ? 1 : 0;
  for (size_t c = from; c < to && c < i; c++) {
    const double *restrict before = inverse + c * n;
    double a = L[i * n + c];
    for (size_t j = 0; j <= c; j++)
      row[j] -= a * before[j];
  }
  for (size_t j = 0; to > i && j <= i; j++)
    row[j] /= L[i * n + i];
}

/* ---- features of a block of points ---- */

/* KG_TILE points from column-major values (b x m), landmark by landmark. */
static void load_tile(const double *values, size_t b, size_t at, size_t m, double *tile) {
  size_t some = b - at < KG_TILE ? b - at : KG_TILE;
  for (size_t a = 0; a < m; a++) {
    memcpy(tile + a * KG_TILE, values + a * b + at, some * sizeof(double));
    for (size_t p = some; p < KG_TILE; p++)
      tile[a * KG_TILE + p] = 0;
  }
}

/* All points of the tile side by side, so that the loops over them become vectors. */
void kg_landmarks_pack(const double *tile, size_t m, size_t some, size_t width,
                       int16_t *q, float *unit) {
  KG_CHECK(some <= KG_TILE && m <= width && width % 16 == 0);
  const double nearest = 0x1.8p52; /* added and taken away it leaves whole numbers */
  double largest[KG_TILE] = {0}, odd[KG_TILE] = {0}, inverse[KG_TILE];
  for (size_t c = 0; c < m; c++)
    for (size_t p = 0; p < KG_TILE; p++) {
      double size = fabs(tile[c * KG_TILE + p]);
      odd[p] += size - size;
      largest[p] = size > largest[p] ? size : largest[p];
    }
  for (size_t p = 0; p < KG_TILE; p++) {
    int fits = odd[p] == 0 && largest[p] / 32767 <= FLT_MAX;
    float one = fits ? (float)(largest[p] / 32767) : NAN;
    inverse[p] = fits && one > 0 ? 1 / (double)one : 0;
    if (p < some)
      unit[p] = one;
  }
  for (size_t c = 0; c < m; c++) {
    double rounded[KG_TILE];
    for (size_t p = 0; p < KG_TILE; p++) {
      /* a denormal unit is rounded by much: the largest values would leave 16 bits */
      double whole = (tile[c * KG_TILE + p] * inverse[p] + nearest) - nearest;
      whole = whole > 32767 ? 32767 : whole;
      rounded[p] = whole < -32767 ? -32767 : whole;
    }
    for (size_t p = 0; p < some; p++)
      q[p * width + c] = inverse[p] > 0 ? (int16_t)rounded[p] : 0;
  }
  for (size_t p = 0; p < some; p++)
    for (size_t c = m; c < width; c++)
      q[p * width + c] = 0;
}

/* Far from all landmarks, beside their own distances, the values differ by rounding
 * alone, and L^-1 makes of it features longer than phi(x) itself: they are cut to its
 * length. */
static void shorten(double *features, size_t rank, size_t p, double whole,
                    double *norm2) {
  if (norm2[p] <= whole * (1 + 1e-6) || norm2[p] == 0 || !isfinite(whole))
    return;
  double factor = whole > 0 && norm2[p] <= DBL_MAX ? sqrt(whole / norm2[p]) : 0;
  for (size_t c = 0; c < rank; c++) {
    double *value = features + c * KG_TILE + p;
    *value = factor > 0 ? factor * *value : 0;
  }
  norm2[p] = factor > 0 ? whole : 0;
}

void kg_landmarks_features(const kg_landmarks *map, const double *values, size_t b,
                           const double *self, double *work, double *z, int16_t *q,
                           float *unit, double *rest) {
  KG_CHECK(map->rank <= map->m && (z != NULL) != (q != NULL));
  size_t m = map->m, rank = map->rank, width = kg_landmarks_width(rank);
  size_t rows = kg_landmarks_rows(rank);
  double *tile = work, *out = work + m * KG_TILE;
  for (size_t at = 0; at < b; at += KG_TILE) {
    size_t some = b - at < KG_TILE ? b - at : KG_TILE;
    double mean[KG_TILE] = {0};
    load_tile(values, b, at, m, tile);
    for (size_t a = 0; a < m; a++)
      for (size_t p = 0; p < KG_TILE; p++)
        mean[p] += tile[a * KG_TILE + p];
    for (size_t p = 0; p < KG_TILE; p++)
      mean[p] /= (double)m;
    for (size_t a = 0; a < rank; a++)
      for (size_t p = 0; p < KG_TILE; p++)
        tile[a * KG_TILE + p] -= mean[p] + map->offset[a];
    kg_chosen_loops->product(map->T, rows, rank, 1, tile, out);
    double norm2[KG_TILE] = {0};
    for (size_t c = 0; c < rank; c++)
      for (size_t p = 0; p < KG_TILE; p++)
        norm2[p] += out[c * KG_TILE + p] * out[c * KG_TILE + p];
    for (size_t p = 0; p < some; p++) {
      double whole = ((self ? self[at + p] : 0) - 2 * mean[p] + map->grand) / map->unit;
      if (map->bounded)
        shorten(out, rank, p, whole, norm2);
      rest[at + p] = whole - norm2[p];
    }
    if (!z)
      kg_landmarks_pack(out, rank, some, width, q + at * width, unit + at);
    for (size_t p = 0; z && p < some; p++)
      for (size_t c = 0; c < width; c++)
        z[(at + p) * width + c] = c < rank ? out[c * KG_TILE + p] : 0;
  }
}
