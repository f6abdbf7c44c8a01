/* kg_coordinates.h - points and a semimetric of their Euclidean distances: what vector
 * code can work on from coordinates to sums. */
#ifndef KG_COORDINATES_H
#define KG_COORDINATES_H

#include "kg_semimetric.h"

typedef struct {
  const double *x; /* n x d */
  size_t n, d;
  kg_semimetric rho;
} kg_coordinates;

/* The coordinates of point i to place r of four interleaved rows y (4 d values, all of
 * them set by r = 0), and out[r * (to - from) + j - from] = B of these four and point j
 * in [from, to). */
void kg_point_gather(const kg_coordinates *points, size_t i, double *y, size_t r);
void kg_points_strip(const kg_coordinates *points, const double *y, size_t from,
                     size_t to, double *out);

/* Is there vector code that keeps pairwise dissimilarities in registers? */
int kg_in_registers(const kg_coordinates *points);

/* out[j] = B(y, x_j) for a new point y of d coordinates, j in [0, n). */
void kg_point_row(const kg_coordinates *points, const double *y, size_t stride,
                  double *out);

#endif
