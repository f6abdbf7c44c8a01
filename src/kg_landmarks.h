/* kg_landmarks.h - features from values against landmarks. */
#ifndef KG_LANDMARKS_H
#define KG_LANDMARKS_H

#include <stddef.h>
#include <stdint.h>

#include "kg_loops.h"

typedef struct {
  size_t m, rank;
  const double *T; /* kg_landmarks_rows(rank) x rank by rows: L^-1, lower triangle */
  const double
      *offset; /* rank: mean of B(z_a, .) over the landmarks, less the mean of all */
  double grand,
      unit;    /* the mean of all; what features^2 are multiplied by in B's units */
  int bounded; /* is |phi(x)|^2 never below that of the features: negative type */
} kg_landmarks;

/* Row i of L^-1, after those before it; L lower, both n x n by rows. O(i^2), in parts:
 * the terms [from, to) of 0..i, in order. */
void kg_landmarks_inverse_row(const double *L, size_t n, size_t i, size_t from, size_t to,
                              double *inverse);

size_t
kg_landmarks_width(size_t rank);       /* values a point: rank rounded up, zeros behind */
size_t kg_landmarks_rows(size_t rank); /* rows of zeros included, rounded up */

/* 16 bits a value for `some` <= KG_TILE points, value c of point p at tile[c * KG_TILE +
 * p], c < m: `width` values a point at q, zeros behind; the unit is not a number if a
 * value is not finite. */
void kg_landmarks_pack(const double *tile, size_t m, size_t some, size_t width,
                       int16_t *q, float *unit);

/* Features (kg_features.h) of b points, doubles at z or, if that is NULL, of 16 bits at q
 * and unit, from values = B(x, z_a), b x m by columns, landmarks in the order of the
 * Cholesky factor; rest = what of |phi(x)|^2 the landmarks do not span, from self = B(x,
 * x), or NULL for 0. work: (m + kg_landmarks_rows(rank)) * KG_TILE doubles. */
void kg_landmarks_features(const kg_landmarks *map, const double *values, size_t b,
                           const double *self, double *work, double *z, int16_t *q,
                           float *unit, double *rest);

#endif
