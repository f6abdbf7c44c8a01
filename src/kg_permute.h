/* kg_permute.h - statistics of many relabellings. */
#ifndef KG_PERMUTE_H
#define KG_PERMUTE_H

#include <stddef.h>

#include "kg_pairs.h"

#define KG_LANES 16

size_t kg_permute_doubles(void); /* doubles of workspace in `value` below */

/* Adds to out[g * KG_LANES + p] what rows [from, to) contribute to S under relabelling p
 * of group g. lanes[(g n + i) KG_LANES + p]: label of point i, as a double;
 * inverse[(g k + a) KG_LANES + p]: 1/s_a, 0 for a group without weight. */
void kg_permuted_between(const kg_pairs *pairs, const double *w, const double *centre,
                         const double *lanes, const double *inverse, size_t k,
                         size_t groups, size_t from, size_t to, double *value,
                         double *out);

/* The same for any form sum_ab C_ab M_ab, C symmetric: label[p n + i], C of relabelling p
 * at coefficient + p k^2. */
void kg_permuted_form(const kg_pairs *pairs, const double *w, const double *centre,
                      const int *label, const double *coefficient, size_t k, size_t m,
                      size_t from, size_t to, double *value, double *out);

#endif
