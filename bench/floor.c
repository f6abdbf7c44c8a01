/* floor.c - the yardstick of the bench: the time of one bare pass over the n (n - 1) / 2
 * Euclidean distances of n points in d dimensions, added up and not stored, on one thread.
 *
 *   cc -O3 -march=native -o floor floor.c -lm && ./floor n d [repeats [single]]
 *
 * prints the least of some repeats in seconds of CPU time, and the sum. Coordinates lie column by
 * column; a tile of 4 points against two vectors stays in registers. With AVX-512 the root is
 * the estimate of 1/sqrt with two Newton steps, with AVX2 the instruction, which runs beside
 * the products; otherwise all is left to the compiler. `single`: the same in single precision, the
 * root by the instruction; sums over 16 distances in single precision, then in double. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

enum { ROWS = 4, WIDTH = 16 };

static double seconds(void) {
  struct timespec t;
  /* CPU time: other work on the machine does not count */
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* x: d columns of `stride` values, `stride` a multiple of WIDTH; columns j0 .. j0 + 15
 * against the points i .. i + 3; distances are added to sum[WIDTH]. */
#ifdef __AVX512F__
static __m512d root(__m512d q) {
  const __m512d half = _mm512_set1_pd(0.5), three = _mm512_set1_pd(1.5);
  __m512d r = _mm512_maskz_rsqrt14_pd(_mm512_cmp_pd_mask(q, _mm512_setzero_pd(), _CMP_GT_OQ), q);
  __m512d h = _mm512_mul_pd(half, q);
  r = _mm512_mul_pd(r, _mm512_fnmadd_pd(_mm512_mul_pd(h, r), r, three));
  r = _mm512_mul_pd(r, _mm512_fnmadd_pd(_mm512_mul_pd(h, r), r, three));
  return _mm512_mul_pd(q, r);
}

static void tile(const double *x, size_t stride, size_t d, size_t i, size_t j0, double *sum) {
  __m512d q[ROWS][2], s0 = _mm512_loadu_pd(sum), s1 = _mm512_loadu_pd(sum + 8);
  for (int r = 0; r < ROWS; r++) q[r][0] = q[r][1] = _mm512_setzero_pd();
  for (size_t c = 0; c < d; c++) {
    const double *column = x + c * stride;
    __m512d a = _mm512_loadu_pd(column + j0), b = _mm512_loadu_pd(column + j0 + 8);
    for (int r = 0; r < ROWS; r++) {
      __m512d y = _mm512_set1_pd(column[i + (size_t)r]);
      __m512d t0 = _mm512_sub_pd(a, y), t1 = _mm512_sub_pd(b, y);
      q[r][0] = _mm512_fmadd_pd(t0, t0, q[r][0]);
      q[r][1] = _mm512_fmadd_pd(t1, t1, q[r][1]);
    }
  }
  for (int r = 0; r < ROWS; r++) {
    s0 = _mm512_add_pd(s0, root(q[r][0]));
    s1 = _mm512_add_pd(s1, root(q[r][1]));
  }
  _mm512_storeu_pd(sum, s0);
  _mm512_storeu_pd(sum + 8, s1);
}
#elif defined(__AVX2__) && defined(__FMA__)
static void half_tile(const double *x, size_t stride, size_t d, size_t i, size_t j0, double *sum) {
  __m256d q[ROWS][2], s0 = _mm256_loadu_pd(sum), s1 = _mm256_loadu_pd(sum + 4);
  for (int r = 0; r < ROWS; r++) q[r][0] = q[r][1] = _mm256_setzero_pd();
  for (size_t c = 0; c < d; c++) {
    const double *column = x + c * stride;
    __m256d a = _mm256_loadu_pd(column + j0), b = _mm256_loadu_pd(column + j0 + 4);
    for (int r = 0; r < ROWS; r++) {
      __m256d y = _mm256_set1_pd(column[i + (size_t)r]);
      __m256d t0 = _mm256_sub_pd(a, y), t1 = _mm256_sub_pd(b, y);
      q[r][0] = _mm256_fmadd_pd(t0, t0, q[r][0]);
      q[r][1] = _mm256_fmadd_pd(t1, t1, q[r][1]);
    }
  }
  for (int r = 0; r < ROWS; r++) {
    s0 = _mm256_add_pd(s0, _mm256_sqrt_pd(q[r][0]));
    s1 = _mm256_add_pd(s1, _mm256_sqrt_pd(q[r][1]));
  }
  _mm256_storeu_pd(sum, s0);
  _mm256_storeu_pd(sum + 4, s1);
}

static void tile(const double *x, size_t stride, size_t d, size_t i, size_t j0, double *sum) {
  half_tile(x, stride, d, i, j0, sum);
  half_tile(x, stride, d, i, j0 + 8, sum + 8);
}
#else
static void tile(const double *x, size_t stride, size_t d, size_t i, size_t j0, double *sum) {
  double q[ROWS][WIDTH] = {{0}};
  for (size_t c = 0; c < d; c++) {
    const double *column = x + c * stride;
    for (int r = 0; r < ROWS; r++)
      for (int j = 0; j < WIDTH; j++) {
        double t = column[j0 + (size_t)j] - column[i + (size_t)r];
        q[r][j] += t * t;
      }
  }
  for (int r = 0; r < ROWS; r++)
    for (int j = 0; j < WIDTH; j++) sum[j] += sqrt(q[r][j]);
}
#endif

/* Tiles on the diagonal are done in full: 12 of 16 columns too many in n / 4 of them. */
static double pass(const double *x, size_t stride, size_t n, size_t d) {
  double sum[WIDTH] = {0}, total = 0;
  for (size_t i = 0; i + ROWS <= n; i += ROWS)
    for (size_t j = i / WIDTH * WIDTH; j < n; j += WIDTH) tile(x, stride, d, i, j, sum);
  for (int j = 0; j < WIDTH; j++) total += sum[j];
  return total;
}

/* 32 columns against 4 points. */
static double tile_single(const float *x, size_t stride, size_t d, size_t i, size_t j0) {
  double sum = 0;
#ifdef __AVX512F__
  __m512 q[ROWS][2];
  for (int r = 0; r < ROWS; r++) q[r][0] = q[r][1] = _mm512_setzero_ps();
  for (size_t c = 0; c < d; c++) {
    const float *column = x + c * stride;
    __m512 a = _mm512_loadu_ps(column + j0), b = _mm512_loadu_ps(column + j0 + 16);
    for (int r = 0; r < ROWS; r++) {
      __m512 y = _mm512_set1_ps(column[i + (size_t)r]);
      __m512 t0 = _mm512_sub_ps(a, y), t1 = _mm512_sub_ps(b, y);
      q[r][0] = _mm512_fmadd_ps(t0, t0, q[r][0]);
      q[r][1] = _mm512_fmadd_ps(t1, t1, q[r][1]);
    }
  }
  __m512 s = _mm512_setzero_ps();
  for (int r = 0; r < ROWS; r++)
    s = _mm512_add_ps(s, _mm512_add_ps(_mm512_sqrt_ps(q[r][0]), _mm512_sqrt_ps(q[r][1])));
  sum = _mm512_reduce_add_pd(_mm512_add_pd(
      _mm512_cvtps_pd(_mm512_castps512_ps256(s)),
      _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(s), 1)))));
#else
  float q[ROWS][2 * WIDTH] = {{0}};
  for (size_t c = 0; c < d; c++)
    for (int r = 0; r < ROWS; r++)
      for (int j = 0; j < 2 * WIDTH; j++) {
        float t = x[c * stride + j0 + (size_t)j] - x[c * stride + i + (size_t)r];
        q[r][j] += t * t;
      }
  for (int r = 0; r < ROWS; r++)
    for (int j = 0; j < 2 * WIDTH; j++) sum += sqrtf(q[r][j]);
#endif
  return sum;
}

static double pass_single(const float *x, size_t stride, size_t n, size_t d) {
  double total = 0;
  for (size_t i = 0; i + ROWS <= n; i += ROWS)
    for (size_t j = i / (2 * WIDTH) * (2 * WIDTH); j < n; j += 2 * WIDTH)
      total += tile_single(x, stride, d, i, j);
  return total;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: floor n d [repeats [single]]\n");
    return 2;
  }
  size_t n = (size_t)atol(argv[1]), d = (size_t)atol(argv[2]);
  int repeats = argc > 3 ? atoi(argv[3]) : 5;
  size_t stride = (n + 2 * WIDTH - 1) / (2 * WIDTH) * (2 * WIDTH);
  double *x = calloc(stride * d, sizeof(double)), least = HUGE_VAL, total = 0;
  float *y = calloc(stride * d, sizeof(float));
  uint64_t state = 88172645463325252u;
  if (!x || !y) return 1;
  for (size_t c = 0; c < d; c++)
    for (size_t j = 0; j < n; j++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      x[c * stride + j] = (double)(state >> 11) / 9007199254740992.0;
      y[c * stride + j] = (float)x[c * stride + j];
    }
  for (int a = 0; a < repeats; a++) {
    double start = seconds();
    total += argc > 4 ? pass_single(y, stride, n, d) : pass(x, stride, n, d);
    double taken = seconds() - start;
    if (taken < least) least = taken;
  }
  printf("%.6f %.6g\n", least, total);
  free(x), free(y);
  return 0;
}
