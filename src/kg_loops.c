/* kg_loops.c - the inner loops for each instruction set, and the choice between them.
 *
 * Chosen once, at load: AVX-512, else AVX2 with FMA, else plain C. Other processors and
 * compilers have plain C alone. */
#include "kg_loops.h"
#include "kg_rule.h"
#include "kg_semimetric.h"
#include "kg_state.h"
#include "kg_tiles.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__)
#define KG_X86 1
#include <immintrin.h>
#endif

/* ---- plain C ---- */

static void product_base(const double *A, size_t rows, size_t lda, int lower,
                               const double *tile, double *out) {
  for (size_t q = 0; q < rows; q++) {
    double sum[KG_TILE] = {0};
    size_t used = lower && q + 1 < lda ? q + 1 : lda;
    for (size_t c = 0; c < used; c++) {
      double a = A[q * lda + c];
      for (size_t p = 0; p < KG_TILE; p++) sum[p] += a * tile[c * KG_TILE + p];
    }
    memcpy(out + q * KG_TILE, sum, sizeof sum);
  }
}

static void short_dots_base(const int16_t *z, const float *mean, size_t width, size_t k,
                             float *out) {
  for (size_t l = 0; l < k; l++) {
    float sum[16] = {0}, total = 0;
    for (size_t q = 0; q < width; q += 16)
      for (size_t v = 0; v < 16; v++) sum[v] += (float)z[q + v] * mean[l * width + q + v];
    for (size_t v = 0; v < 16; v++) total += sum[v];
    out[l] = total;
  }
}

static void turn_base(const float *const *from, size_t length, float *into, size_t stride) {
  for (size_t c = 0; c < length; c++)
    for (size_t r = 0; r < KG_TURNED; r++) into[c * stride + r] = from[r][c];
}

/* Compilers for processors that fuse products with sums do so unless they are told. */
#if defined(__clang__)
#define UNFUSED
#define UNFUSE _Pragma("clang fp contract(off)")
#elif defined(__GNUC__) && !defined(__x86_64__)
#define UNFUSED __attribute__((optimize("fp-contract=off")))
#define UNFUSE
#else
#define UNFUSED
#define UNFUSE
#endif

UNFUSED static void two_nearest_base(const float *x, size_t stride, size_t rows,
                                     const float *table, size_t k, size_t width,
                                     kg_nearest *out) {
  UNFUSE
  enum { LANES = 8 };
  for (size_t j = 0; j < width; j += LANES) {
    float least[LANES], next[LANES], first[LANES] = {0}, second[LANES] = {0};
    for (size_t q = 0; q < LANES; q++) least[q] = next[q] = KG_FAR;
    for (size_t l = 0; l < k; l++) {
      const float *t = table + l * (rows + 1);
      float sum[LANES], number = (float)l;
      for (size_t q = 0; q < LANES; q++) sum[q] = t[rows];
      for (size_t c = 0; c < rows; c++)
        for (size_t q = 0; q < LANES; q++) sum[q] += x[c * stride + j + q] * t[c];
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

UNFUSED static void nearest_root_base(const float *x, size_t stride, size_t rows,
                                      const float *table, size_t k, size_t width,
                                      float *out) {
  UNFUSE
  enum { LANES = 8 };
  for (size_t j = 0; j < width; j += LANES) {
    float least[LANES];
    for (size_t q = 0; q < LANES; q++) least[q] = KG_FAR;
    for (size_t l = 0; l < k; l++) {
      const float *t = table + l * (rows + 1);
      float sum[LANES];
      for (size_t q = 0; q < LANES; q++) sum[q] = t[rows];
      for (size_t c = 0; c < rows; c++)
        for (size_t q = 0; q < LANES; q++) sum[q] += x[c * stride + j + q] * t[c];
      for (size_t q = 0; q < LANES; q++) least[q] = sum[q] < least[q] ? sum[q] : least[q];
    }
    for (size_t q = 0; q < LANES; q++) out[j + q] = least[q] > 0 ? sqrtf(least[q]) : 0;
  }
}

UNFUSED static unsigned long long tell_base(const kg_nearest *near, const int *label,
                                            const float *at, const kg_leaving *of,
                                            size_t width, kg_told *out) {
  UNFUSE
  unsigned long long may = 0;
  for (size_t j = 0; j < width; j++) {
    int l = label[j], first = near->first[j] == at[j], second = near->second[j] == at[j];
    float least = first ? near->next[j] : near->least[j];
    float own = first ? near->least[j] : second ? near->next[j] : KG_FAR;
    if (own < KG_FAR) {
      own *= of->more[l];
      own += of->base[l];
    }
    out->row[j] = first ? near->second[j] : near->first[j];
    if (of->drift) {
      out->own[j] = (own > 0 ? sqrtf(own) : 0) - of->drift[l];
      out->other[j] = (least > 0 ? sqrtf(least) : 0) + of->farthest;
    }
    float off = of->bend ? of->bend[l] * fabsf(own - of->usual[l]) : 0;
    own *= 1.00001f + off;
    may |= (unsigned long long)!(own < least) << j;
  }
  return may;
}

static void lower_base(const float *least, const int *label, const float *more, size_t n,
                       float *other) {
  for (size_t j = 0; j < n; j++) {
    float value = least[j] + more[label[j]];
    other[j] = value < other[j] ? value : other[j];
  }
}

static size_t reached_from(size_t from, const float *own, const float *other,
                           const int *label, const float *reach, size_t n,
                           size_t *point) {
  size_t many = 0;
  for (size_t i = from; i < n; i++) {
    point[many] = i;
    many += own[i] + reach[label[i]] >= other[i];
  }
  return many;
}

static size_t reached_base(const float *own, const float *other, const int *label,
                           const float *reach, size_t n, size_t *point) {
  return reached_from(0, own, other, label, reach, n, point);
}

#define KG_W 1
#define KG_TARGET
#define KG_(name) name##_base
#define KG_NAME "base"
#define KG_SQRT(v) sqrt(v)
#define KG_FMA(a, b, c) ((a) * (b) + (c))
#define KG_SHORTS(p) ((double)*(p))
#define KG_FROM_SQUARES NULL
#define KG_FROM_DISTANCES NULL
#define KG_STRIP_LOOP NULL
#define KG_MOVES_LOOP NULL
#define KG_SUM_LOOP NULL
#include "kg_loops_body.h"
#undef KG_W
#undef KG_TARGET
#undef KG_
#undef KG_NAME
#undef KG_SQRT
#undef KG_FMA
#undef KG_SHORTS
#undef KG_FROM_SQUARES
#undef KG_FROM_DISTANCES
#undef KG_STRIP_LOOP
#undef KG_MOVES_LOOP
#undef KG_SUM_LOOP

#ifdef KG_X86

/* ---- AVX2 ---- */
#define KG_W 4
#define KG_TARGET __attribute__((target("avx2,fma")))
#define KG_(name) name##_avx2
#define KG_NAME "avx2"
#define D __m256d
#define D_LANES 4
#define D_LOAD _mm256_loadu_pd
#define D_STORE _mm256_storeu_pd
#define D_ZERO _mm256_setzero_pd
#define D_SPREAD _mm256_set1_pd
#define D_FMA _mm256_fmadd_pd
#define F __m256
#define F_LANES 8
#define F_LOAD _mm256_loadu_ps
#define F_STORE _mm256_storeu_ps
#define F_PLAIN __attribute__((target("avx2")))
#define F_TIMES(a, b) ((a) * (b))
#define F_SHORTS(p)                                                                      \
  _mm256_cvtepi32_ps(                                                                    \
      _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#define F_ZERO _mm256_setzero_ps
#define F_SPREAD _mm256_set1_ps
#define F_FMA _mm256_fmadd_ps
#define F_MIN _mm256_min_ps
#define F_MAX _mm256_max_ps
#define F_ROOT _mm256_sqrt_ps
#define F_MASK __m256
#define F_LESS(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define F_SAME(a, b) _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define F_SELECT(mask, a, b) _mm256_blendv_ps(b, a, mask)
#define F_BITS(mask) ((unsigned)_mm256_movemask_ps(mask))
#define F_ALL 0xffu
#define F_AT(table, p)                                                                   \
  _mm256_i32gather_ps(table, _mm256_loadu_si256((const __m256i *)(const void *)(p)), 4)
#define F_SUM sum_of_eight
KG_TARGET static float sum_of_eight(__m256 x) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}
#include "kg_loops_features.h"
#undef D
#undef D_LANES
#undef D_LOAD
#undef D_STORE
#undef D_ZERO
#undef D_SPREAD
#undef D_FMA
#undef F
#undef F_LANES
#undef F_LOAD
#undef F_STORE
#undef F_PLAIN
#undef F_TIMES
#undef F_SHORTS
#undef F_ZERO
#undef F_SPREAD
#undef F_FMA
#undef F_MIN
#undef F_MAX
#undef F_ROOT
#undef F_MASK
#undef F_LESS
#undef F_SAME
#undef F_SELECT
#undef F_BITS
#undef F_ALL
#undef F_AT
#undef F_SUM
#define KG_SQRT(v) ((V_avx2)_mm256_sqrt_pd((__m256d)(v)))
#define KG_ROOT_BESIDE KG_SQRT
#define KG_FMA(a, b, c)                                                                  \
  ((V_avx2)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
/* labels as doubles, and a bit for every lane that is true */
#define KG_LABELS(p) ((V_avx2)_mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#define KG_BITS(m) ((unsigned long long)_mm256_movemask_pd((__m256d)(m)))
#define KG_SHORTS(p)                                                                     \
  ((V_avx2)_mm256_cvtepi32_pd(                                                           \
      _mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
#define KG_FROM_SQUARES from_squares_avx2
#define KG_FROM_DISTANCES from_distances_avx2
#define KG_STRIP_LOOP strip_avx2
#define KG_MOVES_LOOP moves4_avx2
#define KG_SUM_LOOP sum4_avx2
#include "kg_loops_body.h"
#undef KG_W
#undef KG_TARGET
#undef KG_
#undef KG_NAME
#undef KG_SQRT
#undef KG_ROOT_BESIDE
#undef KG_FMA
#undef KG_LABELS
#undef KG_BITS
#undef KG_SHORTS
#undef KG_FROM_SQUARES
#undef KG_FROM_DISTANCES
#undef KG_STRIP_LOOP
#undef KG_MOVES_LOOP
#undef KG_SUM_LOOP

/* ---- AVX-512 ---- */
#define KG_W 8
#define KG_TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define KG_(name) name##_avx512
#define KG_NAME "avx512"
#define D __m512d
#define D_LANES 8
#define D_LOAD _mm512_loadu_pd
#define D_STORE _mm512_storeu_pd
#define D_ZERO _mm512_setzero_pd
#define D_SPREAD _mm512_set1_pd
#define D_FMA _mm512_fmadd_pd
#define F __m512
#define F_LANES 16
#define F_LOAD _mm512_loadu_ps
#define F_STORE _mm512_storeu_ps
#define F_PLAIN KG_TARGET
#define F_TIMES(a, b)                                                                    \
  _mm512_mul_round_ps(a, b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F_SHORTS(p)                                                                      \
  _mm512_cvtepi32_ps(                                                                    \
      _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(p))))
#define F_ZERO _mm512_setzero_ps
#define F_SPREAD _mm512_set1_ps
#define F_FMA _mm512_fmadd_ps
#define F_MIN _mm512_min_ps
#define F_MAX _mm512_max_ps
#define F_ROOT _mm512_sqrt_ps
#define F_MASK __mmask16
#define F_LESS(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define F_SAME(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define F_SELECT(mask, a, b) _mm512_mask_blend_ps(mask, b, a)
#define F_BITS(mask) ((unsigned)(mask))
#define F_ALL 0xffffu
#define F_AT(table, p) _mm512_i32gather_ps(_mm512_loadu_si512(p), table, 4)
#define F_SUM _mm512_reduce_add_ps
#include "kg_loops_features.h"
#undef D
#undef D_LANES
#undef D_LOAD
#undef D_STORE
#undef D_ZERO
#undef D_SPREAD
#undef D_FMA
#undef F
#undef F_LANES
#undef F_LOAD
#undef F_STORE
#undef F_PLAIN
#undef F_TIMES
#undef F_SHORTS
#undef F_ZERO
#undef F_SPREAD
#undef F_FMA
#undef F_MIN
#undef F_MAX
#undef F_ROOT
#undef F_MASK
#undef F_LESS
#undef F_SAME
#undef F_SELECT
#undef F_BITS
#undef F_ALL
#undef F_AT
#undef F_SUM

/* With y the estimate of 1 / sqrt(v) to 14 bits, s = v y and e = 1 - s y, the root is
 * s (1 - e)^(-1/2) = s + s e (1/2 + 3 e/8 + 5 e^2/16 + ..), the rest below 2^-54: within
 * an ulp, and three times faster than the instruction for the root. Zero stays zero; the
 * rest is positive and finite. */
KG_TARGET static inline __m512d root_avx512(__m512d v) {
  __mmask8 positive = _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_GT_OQ);
  __m512d y = _mm512_maskz_rsqrt14_pd(positive, v), s = _mm512_mul_pd(v, y);
  __m512d e = _mm512_fnmadd_pd(s, y, _mm512_set1_pd(1));
  __m512d p = _mm512_fmadd_pd(e, _mm512_set1_pd(0.3125), _mm512_set1_pd(0.375));
  p = _mm512_fmadd_pd(p, e, _mm512_set1_pd(0.5));
  return _mm512_fmadd_pd(_mm512_mul_pd(s, e), p, s);
}

#define KG_SQRT(v) ((V_avx512)root_avx512((__m512d)(v)))
#define KG_ROOT_BESIDE(v) ((V_avx512)_mm512_sqrt_pd((__m512d)(v)))
#define KG_FMA(a, b, c)                                                                  \
  ((V_avx512)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define KG_LABELS(p) ((V_avx512)_mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(const void *)(p))))
#define KG_BITS(m) ((unsigned long long)_mm512_movepi64_mask((__m512i)(m)))
#define KG_SHORTS(p)                                                                     \
  ((V_avx512)_mm512_cvtepi32_pd(                                                         \
      _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))))
#define KG_FROM_SQUARES from_squares_avx512
#define KG_FROM_DISTANCES from_distances_avx512
#define KG_STRIP_LOOP strip_avx512
#define KG_MOVES_LOOP moves4_avx512
#define KG_SUM_LOOP sum4_avx512
#include "kg_loops_body.h"
#undef KG_W
#undef KG_TARGET
#undef KG_
#undef KG_NAME
#undef KG_SQRT
#undef KG_ROOT_BESIDE
#undef KG_FMA
#undef KG_LABELS
#undef KG_BITS
#undef KG_SHORTS
#undef KG_FROM_SQUARES
#undef KG_FROM_DISTANCES
#undef KG_STRIP_LOOP
#undef KG_MOVES_LOOP
#undef KG_SUM_LOOP

#endif

const kg_loops *kg_chosen_loops = &loops_base;

/* The loops of that name if this processor has the instructions, else NULL; "auto" gives
 * the fastest. */
static const kg_loops *find(const char *name) {
  int any = strcmp(name, "auto") == 0;
#ifdef KG_X86
  __builtin_cpu_init();
  if ((any || strcmp(name, "avx512") == 0) && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma"))
    return &loops_avx512;
  if ((any || strcmp(name, "avx2") == 0) && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return &loops_avx2;
#endif
  return any || strcmp(name, "base") == 0 ? &loops_base : NULL;
}

int kg_choose_loops(const char *name) {
  const kg_loops *found = find(name);
  if (!found) return 0;
  kg_chosen_loops = found;
  return 1;
}
