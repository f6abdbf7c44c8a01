/* ffi_view.c - coordinates for centroid swaps: centred, scaled, far points drawn in. */
#include "ffi.h"
#include <R_ext/Utils.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
  SAMPLE = 1000, /* points of which medians are taken */
  SOME = 16      /* points that stay in the cache */
};
static const double most = 1000; /* median deviations from the median */

/* The median; x is reordered. */
static double median(double *x, size_t m) {
  size_t low = (m - 1) / 2;
  Rf_rPsort(x, (int)m, (int)low);
  double below = x[low];
  if (m % 2 == 0)
    Rf_rPsort(x, (int)m, (int)low + 1);
  return (below + x[m / 2]) / 2;
}

/* The points listed of features or coordinates, as columns. */
static void take(const kg_input *input, const int *rows, size_t m, size_t d, double *z) {
  const kg_coordinates *points =
      input->kind->sums ? kg_coordinates_of((const kg_pairs *)input->values) : NULL;
  for (size_t r = 0; r < m && !points; r++)
    kg_means_coordinates((const kg_features *)input->values, (size_t)rows[r] - 1,
                         z + r * d);
  for (size_t at = 0; at < m && points; at += SOME)
    for (size_t c = 0; c < d; c++)
      for (size_t r = at; r < m && r < at + SOME; r++)
        z[r * d + c] = points->x[c * points->n + (size_t)rows[r] - 1];
}

/* Subtracts the medians of up to SAMPLE points. Then limits deviations, so that single
 * precision resolves the others. room: SAMPLE + 2 d values. */
static void limit_far(double *z, size_t m, size_t d, double *room) {
  size_t some = m < SAMPLE ? m : SAMPLE;
  double step = some > 1 ? (double)(m - 1) / (double)(some - 1) : 0;
  double *middle = room + SAMPLE, *limit = middle + d;
  for (size_t c = 0; c < d; c++) {
    for (size_t a = 0; a < some; a++)
      room[a] = z[(size_t)nearbyint((double)a * step) * d + c];
    middle[c] = median(room, some);
    for (size_t a = 0; a < some; a++)
      room[a] = fabs(room[a] - middle[c]);
    limit[c] = most * median(room, some);
  }
  for (size_t i = 0; i < m; i++)
    for (size_t c = 0; c < d; c++) {
      double far = z[i * d + c] - middle[c];
      z[i * d + c] = limit[c] > 0 && fabs(far) > limit[c] ? copysign(limit[c], far) : far;
    }
}

static double norm(const double *z, size_t d) {
  double norm2 = 0;
  for (size_t c = 0; c < d; c++)
    norm2 += z[c] * z[c];
  return sqrt(norm2);
}

/* A norm above `far` times the median one becomes the geometric mean of both. x: m
 * values of workspace. */
static void draw_in(double *z, size_t m, size_t d, double far, double *x) {
  for (size_t i = 0; i < m; i++)
    x[i] = norm(z + i * d, d);
  double limit = far * median(x, m);
  for (size_t i = 0; i < m && limit > 0; i++) {
    double by = norm(z + i * d, d);
    for (size_t c = 0; c < d && by > limit; c++)
      z[i * d + c] *= sqrt(limit / by);
  }
}

/* Mean 0 and largest absolute value 1. mean: d values of workspace. */
static void centre(double *z, size_t m, size_t d, double *mean) {
  double largest = DBL_MIN;
  memset(mean, 0, d * sizeof(double));
  for (size_t i = 0; i < m; i++)
    for (size_t c = 0; c < d; c++)
      mean[c] += z[i * d + c] / (double)m;
  for (size_t i = 0; i < m; i++)
    for (size_t c = 0; c < d; c++) {
      z[i * d + c] -= mean[c];
      largest = fmax(largest, fabs(z[i * d + c]));
    }
  for (size_t i = 0; i < m * d; i++)
    z[i] /= largest;
}

/* z, width x rows, and the sum of w |z|^2; far: the factor of draw_in(), 0: none. NULL if
 * coordinates are not finite. */
SEXP ffi_view(SEXP problem, SEXP rows_, SEXP far_) {
  static const char *const names[] = {"z", "total"};
  const kg_input *input = ffi_input(problem);
  const kg_pairs *pairs = input->kind->sums ? (const kg_pairs *)input->values : NULL;
  if (pairs ? !kg_coordinates_of(pairs) : !input->kind->means)
    Rf_error("the store must have coordinates");
  size_t d = pairs ? kg_coordinates_of(pairs)->d
                   : ((const kg_features *)input->values)->width;
  const int *rows = ffi_integers(rows_, -1, "rows");
  size_t m = (size_t)Rf_xlength(rows_);
  double far = ffi_number(far_, 0, 1e300, "far"), total = 0;
  ffi_extent(m, "rows");
  for (size_t r = 0; r < m; r++)
    if (rows[r] < 1 || (size_t)rows[r] > input->n)
      Rf_error("rows must lie between 1 and n");
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, (int)d, (int)m));
  double *z = REAL(VECTOR_ELT(out, 0));
  double *room = (double *)R_alloc(m + 2 * d + SAMPLE, sizeof(double));
  take(input, rows, m, d, z);
  for (size_t i = 0; i < m * d; i++)
    if (!R_FINITE(z[i])) {
      UNPROTECT(1);
      return R_NilValue;
    }
  R_CheckUserInterrupt();
  limit_far(z, m, d, room);
  R_CheckUserInterrupt();
  if (far > 0)
    draw_in(z, m, d, far, room);
  centre(z, m, d, room);
  for (size_t r = 0; r < m; r++)
    total += input->w[rows[r] - 1] * pow(norm(z + r * d, d), 2);
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(total));
  UNPROTECT(1);
  return out;
}
