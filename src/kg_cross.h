/* kg_cross.h - sums over clusters as other points see them. */
#ifndef KG_CROSS_H
#define KG_CROSS_H

#include <stddef.h>

#include "kg_coordinates.h"

typedef struct {
  size_t n, d;
  double *y;      /* 4 d coordinates each, interleaved */
  double *weight; /* 4 each; 0 where a cluster had no point left */
  int *label;     /* one each */
} kg_quads;

size_t kg_quads_most(size_t m, size_t k); /* how many there may be */
/* m points, rows[a] or, if rows is NULL, a, with labels below k; quads->y, weight and
 * label have room for kg_quads_most(m, k). */
void kg_quads_fill(kg_quads *quads, const kg_coordinates *points, const double *w,
                   const int *rows, const int *label, size_t m, size_t k);
/* R[j + l ld] += the sum over cluster l, for the points [from, to). */
void kg_cross_sums(const kg_coordinates *points, const kg_quads *quads, size_t from,
                   size_t to, double *R, size_t ld);

#endif
