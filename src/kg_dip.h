/* kg_dip.h - dip statistic of a sample. */
#ifndef KG_DIP_H
#define KG_DIP_H

#include <stddef.h>

/* Return the dip of the ascending x[0..n): the least sup |F_n - F| over unimodal F
 * (Hartigan and Hartigan 1985). `work` holds 2 n numbers. O(n) a step of the modal
 * interval. */
double kg_dip(const double *x, size_t n, size_t *work);

#endif
