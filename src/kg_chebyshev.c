/* kg_chebyshev.c - the smallest eigenvalues of H = diag(diagonal) - entries by subspace
 * iteration with a filter: the pieces.
 *
 * A block is KG_WIDE vectors in single precision, the values of a vertex side by side: a
 * product reads a cache line for each entry of H and nothing else, not even the entry if
 * all are equal. The filter is a Chebyshev polynomial of H that stays below 1 in
 * [low, high] and grows fast below low, scaled to 1 at the smallest eigenvalue (Zhou,
 * Saad, Tiago and Chelikowsky 2006); Rayleigh and Ritz's method in between turns the
 * filtered vectors into eigenvectors. Sums over vertices are kept in doubles. */
#include "kg_chebyshev.h"
#include "kg_check.h"
#include <math.h>

#if defined(__GNUC__)
#define FETCH(x) __builtin_prefetch(x)
#else
#define FETCH(x) ((void)0)
#endif

enum { W = KG_WIDE, CHUNK = 32, AHEAD = 8 };

/* sum = row i of the entries times x */
static inline void entries_times(const kg_wide *h, size_t i, const float *x, float *sum) {
  for (int t = 0; t < W; t++)
    sum[t] = 0;
  const int end = h->start[i + 1], last = h->start[h->n] - 1;
  for (int e = h->start[i]; e < end; e++) {
    FETCH(x + (size_t)h->row[e + AHEAD < last ? e + AHEAD : last] * W);
    const float *from = x + (size_t)h->row[e] * W;
    if (h->value) {
      const float value = (float)h->value[e];
      for (int t = 0; t < W; t++)
        sum[t] += value * from[t];
    } else {
      for (int t = 0; t < W; t++)
        sum[t] += from[t];
    }
  }
  if (!h->value) {
    const float every = (float)h->every;
    for (int t = 0; t < W; t++)
      sum[t] *= every;
  }
}

/* y = scale H x + shift x + keep y for the rows from..to - 1, x and y n x KG_WIDE. */
void kg_wide_step(const kg_wide *h, size_t from, size_t to, const float *x, float *y,
                  double scale, double shift, double keep) {
  KG_CHECK(from <= to && to <= h->n && h->threads > 0);
  const float a = (float)scale, c = (float)keep;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 256)                                          \
    num_threads(h->threads) if (h->threads > 1)
#endif
  for (size_t i = from; i < to; i++) {
    float sum[W];
    entries_times(h, i, x, sum);
    const float b = (float)(scale * h->diagonal[i] + shift);
    const float *xi = x + i * W;
    float *yi = y + i * W;
    for (int t = 0; t < W; t++)
      yi[t] = b * xi[t] - a * sum[t] + c * yi[t];
  }
}

/* tile[s + t ld] += sum over rows of x[s] y[t]: single precision for CHUNK rows only. */
static void add_tile(const float *x, const float *y, size_t rows, double *tile,
                     size_t ld) {
  for (int s = 0; s < W; s++) {
    float sum[W] = {0};
    for (size_t i = 0; i < rows; i++) {
      const float a = x[i * W + (size_t)s];
      const float *b = y + i * W;
      for (int t = 0; t < W; t++)
        sum[t] += a * b[t];
    }
    for (int t = 0; t < W; t++)
      tile[(size_t)s + (size_t)t * ld] += (double)sum[t];
  }
}

/* S += X'X and G += X'HX for the rows from..to - 1: columns of block b, rows of the
 * blocks up to it. Both are p x p. */
void kg_wide_gram(const kg_wide *h, size_t from, size_t to, float *const *block, size_t b,
                  size_t p, double *S, double *G) {
  KG_CHECK(from <= to && to <= h->n && p % W == 0 && b < p / W);
  float product[CHUNK * W];
  const float *own = block[b];
  for (size_t i = from; i < to; i += CHUNK) {
    const size_t rows = to - i < CHUNK ? to - i : CHUNK;
    for (size_t r = 0; r < rows; r++) {
      float sum[W];
      entries_times(h, i + r, own, sum);
      const float d = (float)h->diagonal[i + r];
      for (int t = 0; t < W; t++)
        product[r * W + (size_t)t] = d * own[(i + r) * W + (size_t)t] - sum[t];
    }
    for (size_t a = 0; a <= b; a++) {
      const size_t at = a * W + b * W * p;
      add_tile(block[a] + i * W, own + i * W, rows, S + at, p);
      add_tile(block[a] + i * W, product, rows, G + at, p);
    }
  }
}

/* X <- X C for the rows from..to - 1; C[s p + t] in single precision, line: CHUNK p. */
void kg_wide_rotate(size_t from, size_t to, float *const *block, size_t p, const float *C,
                    float *line) {
  KG_CHECK(from <= to && p % W == 0);
  const size_t blocks = p / W;
  for (size_t i = from; i < to; i += CHUNK) {
    const size_t rows = to - i < CHUNK ? to - i : CHUNK;
    for (size_t b = 0; b < blocks; b++) {
      for (size_t r = 0; r < rows; r++) {
        float sum[W] = {0};
        for (size_t a = 0; a < blocks; a++) {
          const float *x = block[a] + (i + r) * W;
          for (int s = 0; s < W; s++) {
            const float value = x[s];
            const float *c = C + (a * W + (size_t)s) * p + b * W;
            for (int t = 0; t < W; t++)
              sum[t] += value * c[t];
          }
        }
        for (int t = 0; t < W; t++)
          line[(b * CHUNK + r) * W + (size_t)t] = sum[t];
      }
    }
    for (size_t b = 0; b < blocks; b++)
      for (size_t a = 0; a < rows * W; a++)
        block[b][i * W + a] = line[b * CHUNK * W + a];
  }
}

/* square[t] += |H x - theta x|^2 of each of the vectors of a block. */
void kg_wide_residual(const kg_wide *h, size_t from, size_t to, const float *x,
                      const double *theta, double *square) {
  KG_CHECK(from <= to && to <= h->n);
  for (size_t i = from; i < to; i++) {
    float sum[W];
    entries_times(h, i, x, sum);
    const float *own = x + i * W;
    for (int t = 0; t < W; t++) {
      const double d = (h->diagonal[i] - theta[t]) * (double)own[t] - (double)sum[t];
      square[t] += d * d;
    }
  }
}

/* For any u > 0 no eigenvalue is above the largest (|H| u)_i / u_i (Collatz and
 * Wielandt): out = |H| u for the rows from..to - 1, returns the largest of `ratio` and
 * theirs. */
double kg_wide_bound(const kg_wide *h, size_t from, size_t to, const double *u,
                     double *out, double ratio) {
  KG_CHECK(from <= to && to <= h->n);
  for (size_t i = from; i < to; i++) {
    double sum = 0;
    for (int e = h->start[i]; e < h->start[i + 1]; e++)
      sum += h->value ? fabs(h->value[e]) * u[h->row[e]] : u[h->row[e]];
    if (!h->value)
      sum *= fabs(h->every);
    out[i] = fabs(h->diagonal[i]) * u[i] + sum;
    if (out[i] > ratio * u[i])
      ratio = out[i] / u[i];
  }
  return ratio;
}

/* The block number b to begin with: numbers between -1 and 1 that hang on the place
 * alone. */
void kg_wide_begin(size_t from, size_t to, size_t b, float *x) {
  for (size_t i = from; i < to; i++) {
    for (int t = 0; t < W; t++) {
      unsigned long long z = ((unsigned long long)i * 1048583ULL + b) * W +
                             (unsigned long long)t + 0x9E3779B97F4A7C15ULL;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
      z ^= z >> 31;
      x[i * W + (size_t)t] = (float)((double)(z >> 40) / 8388608. - 1);
    }
  }
}
