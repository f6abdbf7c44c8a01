/* kg_line.h - dispersions of the groups of points on a line. */
#ifndef KG_LINE_H
#define KG_LINE_H

#include <stddef.h>

/* W and the weight s of each of k groups of the ascending x[0..n), for rho = |x - y|. The
 * label, from 0, and the weight of point i are those of code[order[i]]; equal weights of
 * 1 if `weight` is NULL. `moment` is workspace for k numbers. O(n + k), Eq. (15): W_l =
 * sum_i w_i (x_i c_i - m_i) / s_l, with c_i and m_i the weight and the weighted sum of
 * the points of the group below i. */
void kg_line(const double *x, const int *order, size_t n, const int *code,
             const int *label, const double *weight, size_t k, double *W, double *s,
             double *moment);

#endif
