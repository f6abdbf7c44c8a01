/* kg_loops_base.c - the inner loops in plain C, and the ends of loops in vectors. */
#include "kg_loops.h"
#include <math.h>
#include <string.h>

static void product_base(const double *A, size_t rows, size_t lda, int lower,
                         const double *tile, double *out) {
  for (size_t q = 0; q < rows; q++) {
    double sum[KG_TILE] = {0};
    size_t used = lower && q + 1 < lda ? q + 1 : lda;
    for (size_t c = 0; c < used; c++) {
      double a = A[q * lda + c];
      for (size_t p = 0; p < KG_TILE; p++)
        sum[p] += a * tile[c * KG_TILE + p];
    }
    memcpy(out + q * KG_TILE, sum, sizeof sum);
  }
}

static void short_dots_base(const int16_t *z, const float *mean, size_t width, size_t k,
                            float *out) {
  for (size_t l = 0; l < k; l++) {
    float sum[16] = {0}, total = 0;
    for (size_t q = 0; q < width; q += 16)
      for (size_t v = 0; v < 16; v++)
        sum[v] += (float)z[q + v] * mean[l * width + q + v];
    for (size_t v = 0; v < 16; v++)
      total += sum[v];
    out[l] = total;
  }
}

KG_UNFUSED static void two_nearest_base(const float *x, size_t stride, size_t rows,
                                     const float *table, size_t k, size_t width,
                                     kg_nearest *out) {
  KG_UNFUSE
  enum { LANES = 8 };
  for (size_t j = 0; j < width; j += LANES) {
    float least[LANES], next[LANES], first[LANES] = {0}, second[LANES] = {0};
    for (size_t q = 0; q < LANES; q++)
      least[q] = next[q] = KG_FAR;
    for (size_t l = 0; l < k; l++) {
      const float *t = table + l * (rows + 1);
      float sum[LANES], number = (float)l;
      for (size_t q = 0; q < LANES; q++)
        sum[q] = t[rows];
      for (size_t c = 0; c < rows; c++)
        for (size_t q = 0; q < LANES; q++)
          sum[q] += x[c * stride + j + q] * t[c];
      for (size_t q = 0; q < LANES; q++) {
        int less = sum[q] < least[q];
        float other = less ? least[q] : sum[q], its = less ? first[q] : number;
        least[q] = less ? sum[q] : least[q];
        first[q] = less ? number : first[q];
        less = other < next[q];
        next[q] = less ? other : next[q];
        second[q] = less ? its : second[q];
      }
    }
    memcpy(out->least + j, least, sizeof least);
    memcpy(out->next + j, next, sizeof next);
    memcpy(out->first + j, first, sizeof first);
    memcpy(out->second + j, second, sizeof second);
  }
}

KG_UNFUSED static unsigned long long scan_means_base(const kg_nearest *near,
                                                  const int *label, const float *at,
                                                  const kg_leaving *of, size_t width,
                                                  float *row) {
  KG_UNFUSE
  unsigned long long may = 0;
  for (size_t j = 0; j < width; j++) {
    int l = label[j], first = near->first[j] == at[j], second = near->second[j] == at[j];
    float least = first ? near->next[j] : near->least[j];
    float own = first ? near->least[j] : second ? near->next[j] : KG_FAR;
    if (own < KG_FAR) {
      own *= of->more[l];
      own += of->base[l];
    }
    row[j] = first ? near->second[j] : near->first[j];
    own *= 1.00001f;
    may |= (unsigned long long)!(own < least) << j;
  }
  return may;
}

static void same_label_base(const int *own, const int *lane, const double *v, size_t m,
                            double *acc) {
  double sum[KG_LANES] = {0};
  int home[KG_LANES];
  memcpy(home, own, sizeof home);
  for (size_t j = 0; j < m; j++, lane += KG_LANES) {
    const double value = v[j];
#ifdef _OPENMP
#pragma omp simd
#endif
    for (size_t p = 0; p < KG_LANES; p++)
      sum[p] += lane[p] == home[p] ? value : 0.0;
  }
  memcpy(acc, sum, sizeof sum);
}

#define KG_W 1
#define KG_TARGET
#define KG_(name)       name##_base
#define KG_NAME         "base"
#define KG_SQRT(v)      sqrt(v)
#define KG_FMA(a, b, c) ((a) * (b) + (c))
#define KG_SHORTS(p)    ((double)*(p))
#include "kg_loops_body.h"
