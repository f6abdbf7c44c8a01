/* kg_chebyshev.h - smallest eigenvalues of sparse symmetric matrices. */
#ifndef KG_CHEBYSHEV_H
#define KG_CHEBYSHEV_H

#include <stddef.h>

enum { KG_WIDE = 16 }; /* vectors of a block, whose values stand vertex by vertex */

typedef struct {
  size_t n;
  const int *start, *row;
  const double
      *value; /* or NULL: all entries are `every`; H = diag(diagonal) - entries */
  const double *diagonal;
  double every;
  int threads;
} kg_wide;

void kg_wide_step(const kg_wide *h, size_t from, size_t to, const float *x, float *y,
                  double scale, double shift, double keep);
void kg_wide_gram(const kg_wide *h, size_t from, size_t to, float *const *block, size_t b,
                  size_t p, double *S, double *G);
void kg_wide_rotate(size_t from, size_t to, float *const *block, size_t p, const float *C,
                    float *line); /* line: 32 p */
void kg_wide_residual(const kg_wide *h, size_t from, size_t to, const float *x,
                      const double *theta, double *square);
double kg_wide_bound(const kg_wide *h, size_t from, size_t to, const double *u,
                     double *out, double ratio);
void kg_wide_begin(size_t from, size_t to, size_t b, float *x);

#endif
