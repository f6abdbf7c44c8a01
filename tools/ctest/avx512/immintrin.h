/* immintrin.h - what kg_loops_avx512.c requires of AVX-512, in plain C lane by lane, for processors without it: found
 * before the compiler's header with -I (tools/builds.sh avx512). Each result is that of the instruction to the last
 * bit but for the estimate of 1 / sqrt, which is rounded to 14 bits here. */
#include_next <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define target(instructions) __target__("avx2,fma")
#define EMULATED             __attribute__((unused)) static inline
#define LANES(of)            (int)(sizeof(of) / sizeof((of)[0]))
#define EACH(of)             for (int i = 0; i < LANES(of); i++)

#define EMULATED_LOAD(name, vector)                                                                                  \
  EMULATED vector emulated_##name(const void *p) {                                                                   \
    vector out;                                                                                                      \
    memcpy(&out, p, sizeof out);                                                                                     \
    return out;                                                                                                      \
  }
#define EMULATED_SET(name, vector, number)                                                                           \
  EMULATED vector emulated_##name(number v) {                                                                        \
    vector out;                                                                                                      \
    EACH(out) out[i] = v;                                                                                            \
    return out;                                                                                                      \
  }
#define EMULATED_TWO(name, vector, value)                                                                            \
  EMULATED vector emulated_##name(vector a, vector b) {                                                              \
    vector out;                                                                                                      \
    EACH(out) out[i] = (value);                                                                                      \
    return out;                                                                                                      \
  }
#define EMULATED_THREE(name, vector, value)                                                                          \
  EMULATED vector emulated_##name(vector a, vector b, vector c) {                                                    \
    vector out;                                                                                                      \
    EACH(out) out[i] = (value);                                                                                      \
    return out;                                                                                                      \
  }
#define EMULATED_MASK(name, vector, condition)                                                                       \
  EMULATED unsigned emulated_##name(vector a, vector b) {                                                            \
    unsigned out = 0;                                                                                                \
    EACH(a) out |= (unsigned)(condition) << i;                                                                       \
    return out;                                                                                                      \
  }

typedef int emulated_int __attribute__((vector_size(64)));
typedef int emulated_half __attribute__((vector_size(32)));
typedef short emulated_short __attribute__((vector_size(32)));

EMULATED_LOAD(loadu_ps, __m512)
EMULATED_LOAD(loadu_si512, __m512i)
EMULATED_SET(set1_ps, __m512, float)
EMULATED_SET(set1_pd, __m512d, double)
EMULATED_TWO(mul_ps, __m512, a[i] * b[i])
EMULATED_TWO(mul_pd, __m512d, a[i] * b[i])
/* of a NaN, or of zeros of both signs, the second */
EMULATED_TWO(min_ps, __m512, a[i] < b[i] ? a[i] : b[i])
EMULATED_TWO(min_pd, __m512d, a[i] < b[i] ? a[i] : b[i])
EMULATED_TWO(max_ps, __m512, a[i] > b[i] ? a[i] : b[i])
EMULATED_TWO(max_pd, __m512d, a[i] > b[i] ? a[i] : b[i])
EMULATED_THREE(fmadd_ps, __m512, fmaf(a[i], b[i], c[i]))
EMULATED_THREE(fmadd_pd, __m512d, fma(a[i], b[i], c[i]))
EMULATED_THREE(fnmadd_pd, __m512d, fma(-a[i], b[i], c[i]))
EMULATED_MASK(less_ps, __m512, a[i] < b[i])
EMULATED_MASK(same_ps, __m512, a[i] == b[i])
EMULATED_MASK(ordered_pd, __m512d, a[i] == a[i] && b[i] == b[i])
EMULATED_MASK(same_int, emulated_int, a[i] == b[i])

EMULATED void emulated_store(void *p, __m512 v) { memcpy(p, &v, sizeof v); }

EMULATED __m512 emulated_blend_ps(unsigned mask, __m512 a, __m512 b) {
  EACH(a) a[i] = mask >> i & 1 ? b[i] : a[i];
  return a;
}

EMULATED __m512d emulated_blend_pd(unsigned mask, __m512d a, __m512d b) {
  EACH(a) a[i] = mask >> i & 1 ? b[i] : a[i];
  return a;
}

EMULATED __m512d emulated_mask_add_pd(__m512d from, unsigned mask, __m512d a, __m512d b) {
  EACH(a) from[i] = mask >> i & 1 ? a[i] + b[i] : from[i];
  return from;
}

EMULATED __m512d emulated_rsqrt14_pd(__m512d v) {
  EACH(v) {
    int exponent = 0;
    const double root = 1 / sqrt(v[i]), part = frexp(root, &exponent);
    v[i] = isfinite(root) ? ldexp(rint(ldexp(part, 14)), exponent - 14) : root;
  }
  return v;
}

EMULATED __m512d emulated_sqrt_pd(__m512d v) {
  EACH(v) v[i] = sqrt(v[i]);
  return v;
}

EMULATED unsigned emulated_signs(__m512i v) {
  unsigned out = 0;
  EACH(v) out |= (unsigned)(v[i] < 0) << i;
  return out;
}

/* in the order of the compiler's header: halves, fourths, .. */
EMULATED float emulated_sum_ps(__m512 v) {
  for (int half = LANES(v) / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++)
      v[i] += v[i + half];
  return v[0];
}

EMULATED __m512 emulated_gather(__m512i at, const float *table) {
  const emulated_int index = (emulated_int)at;
  __m512 out;
  EACH(out) out[i] = table[index[i]];
  return out;
}

EMULATED __m512 emulated_int_ps(__m512i v) {
  const emulated_int from = (emulated_int)v;
  __m512 out;
  EACH(out) out[i] = (float)from[i];
  return out;
}

EMULATED __m512d emulated_int_pd(__m256i v) {
  const emulated_half from = (emulated_half)v;
  __m512d out;
  EACH(out) out[i] = from[i];
  return out;
}

EMULATED __m512i emulated_short_int(__m256i v) {
  const emulated_short from = (emulated_short)v;
  emulated_int out;
  EACH(out) out[i] = from[i];
  return (__m512i)out;
}

#undef _mm512_cmp_pd_mask
#undef _mm512_cmp_ps_mask
#undef _mm512_i32gather_ps
#undef _mm512_mul_round_ps
#define EMULATED_OF_CMP_LT_OQ            emulated_less_ps
#define EMULATED_OF_CMP_EQ_OQ            emulated_same_ps
#define _mm512_cmp_ps_mask(a, b, how)    EMULATED_OF##how(a, b)
#define _mm512_cmp_pd_mask(a, b, how)    emulated_ordered_pd(a, b)
#define _mm512_cmpeq_epi32_mask(a, b)    emulated_same_int((emulated_int)(a), (emulated_int)(b))
#define _mm512_cvtepi16_epi32            emulated_short_int
#define _mm512_cvtepi32_pd               emulated_int_pd
#define _mm512_cvtepi32_ps               emulated_int_ps
#define _mm512_fmadd_pd                  emulated_fmadd_pd
#define _mm512_fmadd_ps                  emulated_fmadd_ps
#define _mm512_fnmadd_pd                 emulated_fnmadd_pd
#define _mm512_i32gather_ps(at, p, size) emulated_gather(at, p)
#define _mm512_loadu_ps                  emulated_loadu_ps
#define _mm512_loadu_si512               emulated_loadu_si512
#define _mm512_mask_add_pd               emulated_mask_add_pd
#define _mm512_mask_blend_pd             emulated_blend_pd
#define _mm512_mask_blend_ps             emulated_blend_ps
#define _mm512_max_pd                    emulated_max_pd
#define _mm512_max_ps                    emulated_max_ps
#define _mm512_min_pd                    emulated_min_pd
#define _mm512_min_ps                    emulated_min_ps
#define _mm512_movepi64_mask             emulated_signs
#define _mm512_mul_pd                    emulated_mul_pd
#define _mm512_mul_round_ps(a, b, how)   emulated_mul_ps(a, b)
#define _mm512_reduce_add_ps             emulated_sum_ps
#define _mm512_rsqrt14_pd                emulated_rsqrt14_pd
#define _mm512_set1_pd                   emulated_set1_pd
#define _mm512_set1_ps                   emulated_set1_ps
#define _mm512_setzero_pd()              emulated_set1_pd(0)
#define _mm512_sqrt_pd                   emulated_sqrt_pd
#define _mm512_storeu_pd(p, v)           emulated_store(p, (__m512)(v))
#define _mm512_storeu_ps                 emulated_store
