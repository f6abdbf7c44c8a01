/* kg_dispersion.h - sums over the pairs of a given partition, and products B v. */
#ifndef KG_DISPERSION_H
#define KG_DISPERSION_H

#include <stddef.h>

#include "kg_pairs.h"

/* Rows [from, to) of the sums M_ab = sum_{x in a, y in b} w_x w_y B_xy (k x k), added to
 * what M holds. M_low carries the rounding errors (compensated sums): add it at the end.
 * Each unordered pair is evaluated once. buffer: n values; bucket: k values. */
void kg_dispersion_rows(const kg_pairs *pairs, const double *w, const int *label,
                        size_t k, size_t from, size_t to, double *M, double *M_low,
                        double *buffer, double *bucket);

/* out[i] += sum_j B_ij v_j over the unordered pairs with smaller index in [from, to). */
void kg_product_rows(const kg_pairs *pairs, const double *v, size_t from, size_t to,
                     double *out, double *buffer);

#endif
