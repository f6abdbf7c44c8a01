/* kg_loops_avx2.c - the inner loops for AVX2 with FMA. */
#include "kg_loops.h"

#ifdef KG_X86
#include <immintrin.h>

#define KG_W          4
#define KG_TARGET     __attribute__((target("avx2,fma")))
#define KG_(name)     name##_avx2
#define KG_NAME       "avx2"
#define F             __m256
#define F_LANES       8
#define F_LOAD        _mm256_loadu_ps
#define F_STORE       _mm256_storeu_ps
#define F_PLAIN       KG_UNFUSED __attribute__((target("avx2")))
#define F_TIMES(a, b) ((a) * (b))
#define F_SHORTS(p)                                                                      \
  _mm256_cvtepi32_ps(                                                                    \
      _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#define F_SPREAD             _mm256_set1_ps
#define F_FMA                _mm256_fmadd_ps
#define F_MIN                _mm256_min_ps
#define F_MAX                _mm256_max_ps
#define F_MASK               __m256
#define F_LESS(a, b)         _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define F_SAME(a, b)         _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define F_SELECT(mask, a, b) _mm256_blendv_ps(b, a, mask)
#define F_BITS(mask)         ((unsigned)_mm256_movemask_ps(mask))
#define F_ALL                0xffu
#define F_AT(table, p)                                                                   \
  _mm256_i32gather_ps(table, _mm256_loadu_si256((const __m256i *)(const void *)(p)), 4)
#define F_SUM sum_of_eight
KG_TARGET static float sum_of_eight(__m256 x) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}
#define KG_SQRT(v)     ((V_avx2)_mm256_sqrt_pd((__m256d)(v)))
#define KG_ROOT_BESIDE KG_SQRT
#define KG_FMA(a, b, c)                                                                  \
  ((V_avx2)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
/* labels as doubles, and a bit for every lane that is true */
#define KG_LABELS(p)                                                                     \
  ((V_avx2)_mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#define KG_BITS(m) ((unsigned long long)_mm256_movemask_pd((__m256d)(m)))
#define KG_SHORTS(p)                                                                     \
  ((V_avx2)_mm256_cvtepi32_pd(                                                           \
      _mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
#define KG_MIN(a, b) ((V_avx2)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#define KG_MAX(a, b) ((V_avx2)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
/* Masks of eight labels, each twice, choose the values: lanes 0, 1, 4, 5 and 2, 3, 6, 7. */
#define EACH_LANE(at, home, a, b)                                                        \
  do {                                                                                   \
    __m256i same = _mm256_cmpeq_epi32(                                                   \
        _mm256_loadu_si256((const __m256i *)(const void *)(at)), home);                  \
    a = _mm256_add_pd(a, (__m256d)_mm256_and_si256(_mm256_unpacklo_epi32(same, same), value)); \
    b = _mm256_add_pd(b, (__m256d)_mm256_and_si256(_mm256_unpackhi_epi32(same, same), value)); \
  } while (0)
KG_TARGET static void same_label_avx2(const int *own, const int *lane, const double *v,
                                      size_t m, double *acc) {
  const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)own);
  const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(own + 8));
  __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
  for (size_t j = 0; j < m; j++, lane += KG_LANES) {
    const __m256i value = (__m256i)_mm256_set1_pd(v[j]);
    EACH_LANE(lane, low, a, b);
    EACH_LANE(lane + 8, high, c, d);
  }
  _mm256_storeu_pd(acc, _mm256_permute2f128_pd(a, b, 0x20));
  _mm256_storeu_pd(acc + 4, _mm256_permute2f128_pd(a, b, 0x31));
  _mm256_storeu_pd(acc + 8, _mm256_permute2f128_pd(c, d, 0x20));
  _mm256_storeu_pd(acc + 12, _mm256_permute2f128_pd(c, d, 0x31));
}
#include "kg_loops_body.h"

#endif
