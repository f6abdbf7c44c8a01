/* kg_dense.c - products and factors of small dense matrices, by columns. */
#include "kg_dense.h"
#include "kg_loops.h"
#include <math.h>
#include <string.h>

/* Four columns at a time; the last four overlap those before. */
void kg_products(const double *x, size_t stride, size_t d, const double *a, size_t n,
                 double *out) {
  for (size_t c = 0; d < 4 && c < d; c++) {
    out[c] = 0;
    for (size_t i = 0; i < n; i++)
      out[c] += a[i] * x[i + c * stride];
  }
  for (size_t c = 0; d >= 4 && c < d; c += 4) {
    const size_t at = c + 4 <= d ? c : d - 4;
    memset(out + at, 0, 4 * sizeof(double));
    kg_chosen_loops->sums4(x + at * stride, stride, a, n, out + at);
  }
}

void kg_combine(const double *x, size_t stride, size_t d, const double *a, size_t step,
                size_t n, double *out) {
  size_t c = 0;
  for (; c + 4 <= d; c += 4) {
    const double four[4] = {a[c * step], a[(c + 1) * step], a[(c + 2) * step],
                            a[(c + 3) * step]};
    kg_chosen_loops->columns4(x + c * stride, stride, four, n, out);
  }
  for (; c < d; c++)
    kg_chosen_loops->add(x + c * stride, a[c * step], n, out);
}

double kg_cholesky(double *A, size_t d) {
  double log_det = 0;
  for (size_t j = 0; j < d; j++)
    for (size_t i = j; i < d; i++) {
      double t = A[i + j * d];
      for (size_t c = 0; c < j; c++)
        t -= A[i + c * d] * A[j + c * d];
      if (i == j && !(t > 0 && t < HUGE_VAL))
        return NAN;
      A[i + j * d] = i == j ? sqrt(t) : t / A[j + j * d];
      log_det += i == j ? log(t) : 0;
    }
  return log_det;
}
