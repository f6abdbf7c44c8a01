/* kg_loops_avx512.c - the inner loops for AVX-512. */
#include "kg_loops.h"

#ifdef KG_X86
#include <immintrin.h>

#define KG_W      8
#define KG_TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define KG_(name) name##_avx512
#define KG_NAME   "avx512"
#define F         __m512
#define F_LANES   16
#define F_LOAD    _mm512_loadu_ps
#define F_STORE   _mm512_storeu_ps
#define F_PLAIN   KG_TARGET
#define F_TIMES(a, b)                                                                    \
  _mm512_mul_round_ps(a, b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F_SHORTS(p)                                                                      \
  _mm512_cvtepi32_ps(                                                                    \
      _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(p))))
#define F_SPREAD             _mm512_set1_ps
#define F_FMA                _mm512_fmadd_ps
#define F_MIN                _mm512_min_ps
#define F_MAX                _mm512_max_ps
#define F_MASK               __mmask16
#define F_LESS(a, b)         _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define F_SAME(a, b)         _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define F_SELECT(mask, a, b) _mm512_mask_blend_ps(mask, b, a)
#define F_BITS(mask)         ((unsigned)(mask))
#define F_ALL                0xffffu
#define F_AT(table, p)       _mm512_i32gather_ps(_mm512_loadu_si512(p), table, 4)
#define F_SUM                _mm512_reduce_add_ps

/* With y the estimate of 1 / sqrt(v) to 14 bits, s = v y and e = 1 - s y, the root is
 * s (1 - e)^(-1/2) = s + s e (1/2 + 3 e/8 + 5 e^2/16 + ..), the rest below 2^-54: within
 * an ulp, and three times faster than the instruction for the root. Zero and infinity, for
 * which s is no number, stay what they are. */
KG_TARGET static inline __m512d root_avx512(__m512d v) {
  __m512d y = _mm512_rsqrt14_pd(v), s = _mm512_mul_pd(v, y);
  __mmask8 number = _mm512_cmp_pd_mask(s, s, _CMP_ORD_Q);
  __m512d e = _mm512_fnmadd_pd(s, y, _mm512_set1_pd(1));
  __m512d p = _mm512_fmadd_pd(e, _mm512_set1_pd(0.3125), _mm512_set1_pd(0.375));
  p = _mm512_fmadd_pd(p, e, _mm512_set1_pd(0.5));
  return _mm512_mask_blend_pd(number, v, _mm512_fmadd_pd(_mm512_mul_pd(s, e), p, s));
}

#define KG_SQRT(v)        ((V_avx512)root_avx512((__m512d)(v)))
#define KG_ROOT_BESIDE(v) ((V_avx512)_mm512_sqrt_pd((__m512d)(v)))
#define KG_FMA(a, b, c)                                                                  \
  ((V_avx512)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define KG_LABELS(p)                                                                     \
  ((V_avx512)_mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(const void *)(p))))
#define KG_BITS(m) ((unsigned long long)_mm512_movepi64_mask((__m512i)(m)))
#define KG_SHORTS(p)                                                                     \
  ((V_avx512)_mm512_cvtepi32_pd(                                                         \
      _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))))
#define KG_MIN(a, b) ((V_avx512)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
#define KG_MAX(a, b) ((V_avx512)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
KG_TARGET static void same_label_avx512(const int *own, const int *lane, const double *v,
                                        size_t m, double *acc) {
  const __m512i home = _mm512_loadu_si512(own);
  __m512d a = _mm512_setzero_pd(), b = a;
  for (size_t j = 0; j < m; j++, lane += KG_LANES) {
    const __m512d value = _mm512_set1_pd(v[j]);
    const __mmask16 same = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(lane), home);
    a = _mm512_mask_add_pd(a, (__mmask8)same, a, value);
    b = _mm512_mask_add_pd(b, (__mmask8)(same >> 8), b, value);
  }
  _mm512_storeu_pd(acc, a);
  _mm512_storeu_pd(acc + 8, b);
}
#include "kg_loops_body.h"

#endif
