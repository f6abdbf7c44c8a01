/* kg_sums.h - sums over the pairs of given groups, sums over clusters as other points see
 * them, and the scan of a matrix that is declared a Gram matrix. */
#ifndef KG_SUMS_H
#define KG_SUMS_H

#include <stddef.h>

#include "kg_coordinates.h"
#include "kg_pairs.h"

/* ---- pairs of a partition ---- */

/* *sum + *low is the sum of all values (Neumaier). */
void kg_add_compensated(double *sum, double *low, double value);
/* Rows [from, to) of the sums M_ab = sum_{x in a, y in b} w_x w_y B_xy (k x k): each
 * unordered pair is evaluated once and added to M_ba, x the first of the two. M_low carries
 * the rounding errors (compensated sums). buffer: n values; bucket: k values. */
void kg_dispersion_rows(const kg_pairs *pairs, const double *w, const int *label,
                        size_t k, size_t from, size_t to, double *M, double *M_low,
                        double *buffer, double *bucket);
/* The sums from those of all rows: M + M' and the rounding errors; the diagonal twice. */
void kg_dispersion_end(size_t k, double *M, const double *M_low);

/* out[i] += sum_j B_ij v_j over the unordered pairs with smaller index in [from, to). */
void kg_product_rows(const kg_pairs *pairs, const double *v, size_t from, size_t to,
                     double *out, double *buffer);

/* ---- clusters as other points see them ---- */

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

/* ---- is a square matrix a Gram matrix: finite and symmetric? ---- */

/* The structure found so far; begin with kg_gram_begin(). Places are counted from 0. */
typedef struct {
  double largest;             /* of the absolute values */
  double gap;                 /* the largest |G_ij - G_ji| */
  size_t gap_row, gap_column; /* where it is, below the diagonal */
  int finite;                 /* 0 once an entry is not */
  size_t odd_row, odd_column; /* the first that is not, by columns */
} kg_gram_scan;

kg_gram_scan kg_gram_begin(void);

/* Scans the columns from `from` to before `to` and at the rows that mirror them. */
void kg_gram_columns(const double *G, size_t n, size_t from, size_t to,
                     kg_gram_scan *scan);

#endif
