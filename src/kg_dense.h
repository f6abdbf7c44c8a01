/* kg_dense.h - products and factors of small dense matrices, by columns. */
#ifndef KG_DENSE_H
#define KG_DENSE_H

#include <stddef.h>

/* out[c] = sum_i a_i x[i + c * stride], i < n, of d columns of x. */
void kg_products(const double *x, size_t stride, size_t d, const double *a, size_t n,
                 double *out);

/* out[i] += sum_c a[c * step] x[i + c * stride], i < n, of d columns of x. */
void kg_combine(const double *x, size_t stride, size_t d, const double *a, size_t step,
                size_t n, double *out);

/* The lower triangle of A (d x d) becomes its Cholesky factor. Returns log det A, NAN if
 * A is not positive definite. O(d^3) */
double kg_cholesky(double *A, size_t d);

#endif
