/* test_impute.c - conditional means and covariances against elimination in long double.
 */
#include "ctest.h"
#include "kg_impute.h"

enum { D = 6, N = 40 };

/* Solves the m x m system a b = b for several right sides (columns of b). */
static void eliminate(long double *a, long double *b, size_t m, size_t sides) {
  for (size_t p = 0; p < m; p++) {
    for (size_t i = 0; i < m; i++) {
      if (i == p)
        continue;
      long double f = a[i * m + p] / a[p * m + p];
      for (size_t j = 0; j < m; j++)
        a[i * m + j] -= f * a[p * m + j];
      for (size_t j = 0; j < sides; j++)
        b[i * sides + j] -= f * b[p * sides + j];
    }
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < sides; j++)
      b[i * sides + j] /= a[i * m + i];
}

static void against_elimination(void) {
  uint64_t state = 5;
  const double ridge = 1e-3;
  double root[D * D], sigma[D * D], precision[D * D], mean[D];
  for (size_t i = 0; i < D * D; i++)
    root[i] = ctest_uniform(&state) - 0.5;
  long double a[D * D], b[D * D];
  for (size_t i = 0; i < D; i++) {
    mean[i] = ctest_uniform(&state);
    for (size_t j = 0; j < D; j++) {
      sigma[i * D + j] = i == j ? 0.1 : 0;
      for (size_t t = 0; t < D; t++)
        sigma[i * D + j] += root[i * D + t] * root[j * D + t];
      a[i * D + j] = (long double)sigma[i * D + j] + (i == j ? (long double)ridge : 0);
      b[i * D + j] = i == j;
    }
  }
  eliminate(a, b, D, D);
  for (size_t i = 0; i < D * D; i++)
    precision[i] = (double)b[i];

  double x[N * D], filled[N * D], w[N], extra[D * D] = {0};
  long double right[D * D] = {0};
  int rows[N];
  for (size_t i = 0; i < N; i++) {
    rows[i] = (int)i;
    w[i] = ctest_uniform(&state);
    for (size_t j = 0; j < D; j++) {
      /* patterns that repeat, none missing and all missing among them */
      int gone = i < 10 ? j < 2 : i < 14 ? 0 : i < 16 ? 1 : ctest_uniform(&state) < 0.4;
      x[j * N + i] = gone ? NAN : ctest_uniform(&state);
    }
  }
  memcpy(filled, x, sizeof x);
  kg_normal normal = {D, mean, precision, ridge};
  double *room = NEW(double, kg_impute_doubles(D));
  size_t missing[D] = {0};
  kg_impute_work work = {D + 1, missing, room, room + D * D, room + D * D + D, 0};
  CHECK(kg_impute(&normal, filled, N, rows, 0, 7, w, extra, &work));
  CHECK(kg_impute(&normal, filled, N, rows, 7, N, w, extra, &work));
  kg_impute_flush(&normal, extra, &work);

  for (size_t i = 0; i < N; i++) {
    size_t o[D] = {0}, m[D] = {0}, n_o = 0, n_m = 0;
    for (size_t j = 0; j < D; j++) {
      if (isnan(x[j * N + i]))
        m[n_m++] = j;
      else
        o[n_o++] = j;
    }
    /* columns: x_o - mu_o, then Sigma_om */
    size_t sides = n_m + 1;
    long double A[D * D], B[D * (D + 1)];
    for (size_t p = 0; p < n_o; p++) {
      for (size_t q = 0; q < n_o; q++)
        A[p * n_o + q] =
            (long double)sigma[o[p] * D + o[q]] + (p == q ? (long double)ridge : 0);
      B[p * sides] = (long double)x[o[p] * N + i] - (long double)mean[o[p]];
      for (size_t q = 0; q < n_m; q++)
        B[p * sides + 1 + q] = (long double)sigma[o[p] * D + m[q]];
    }
    eliminate(A, B, n_o, sides);
    for (size_t p = 0; p < n_m; p++) {
      for (size_t q = 0; q <= n_m; q++) {
        long double sum =
            q == 0 ? (long double)mean[m[p]] : (long double)sigma[m[p] * D + m[q - 1]];
        for (size_t t = 0; t < n_o; t++) {
          long double term = (long double)sigma[m[p] * D + o[t]] * B[t * sides + q];
          sum += q == 0 ? term : -term;
        }
        if (q == 0)
          CHECK_NEAR(filled[m[p] * N + i], (double)sum, 1e-10);
        else
          right[m[p] * D + m[q - 1]] += (long double)w[i] * sum;
      }
    }
    for (size_t p = 0; p < n_o; p++)
      CHECK(filled[o[p] * N + i] == x[o[p] * N + i]);
  }
  for (size_t i = 0; i < D * D; i++)
    CHECK_NEAR(extra[i], (double)right[i], 1e-10);

  /* any order and any pieces: the same bits */
  double again[N * D];
  memcpy(again, x, sizeof x);
  for (int i = N - 1; i >= 0; i--) {
    work.m = D + 1;
    CHECK(kg_impute(&normal, again, N, &i, 0, 1, NULL, NULL, &work));
  }
  CHECK(memcmp(again, filled, sizeof again) == 0);
  free(room);
}

static void not_positive_definite(void) {
  double precision[4] = {1, 2, 2, 1}, mean[2] = {0, 0}, x[2] = {NAN, NAN}, room[8];
  size_t missing[2];
  int row = 0;
  kg_normal normal = {2, mean, precision, 0};
  kg_impute_work work = {3, missing, room, room + 4, room + 6, 0};
  CHECK(!kg_impute(&normal, x, 1, &row, 0, 1, NULL, NULL, &work));
}

int main(void) {
  RUN(against_elimination);
  RUN(not_positive_definite);
  return DONE();
}
