/* kg_line.c - dispersions of the groups of points on a line, in one pass. */
#include "kg_line.h"
#include <string.h>

void kg_line(const double *x, const int *order, size_t n, const int *code,
             const int *label, const double *weight, size_t k, double *W, double *s,
             double *moment) {
  memset(W, 0, k * sizeof(double));
  memset(s, 0, k * sizeof(double));
  memset(moment, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    const size_t at = (size_t)code[order[i]], l = (size_t)label[at];
    const double w = weight ? weight[at] : 1;
    W[l] += w * (x[i] * s[l] - moment[l]);
    s[l] += w;
    moment[l] += w * x[i];
  }
  for (size_t l = 0; l < k; l++)
    W[l] = s[l] > 0 && W[l] > 0 ? W[l] / s[l] : 0;
}
