/* kg_loops_body.h - the inner loops, written once and compiled per instruction set.
 *
 * kg_loops_base.c, kg_loops_avx2.c and kg_loops_avx512.c include this file with
 *     KG_W        doubles in a vector: 8, 4, or 1 for plain C
 *     KG_TARGET   the function attribute that allows the instructions
 *     KG_(name)   the name with the suffix of the set
 *     KG_SQRT(v)  square roots of a vector
 *     KG_FMA(a, b, c)   a * b + c
 *     KG_MIN, KG_MAX    of two vectors
 * Loads are unaligned. A remainder that does not fill a vector is done by scalar code. */

#include "kg_check.h"
#include "kg_rule.h"
#include "kg_semimetric.h"
#include "kg_state.h"
#include "kg_tiles.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

KG_STATIC(KG_(groups_are_vectors),
          KG_GROUP % (2 * KG_W) == 0 && KG_LANES == 16);

#if KG_W > 1
#define VECTORS_ONLY(name) KG_(name)
typedef double KG_(V) __attribute__((vector_size(8 * KG_W), aligned(8), may_alias));
typedef long long KG_(I) __attribute__((vector_size(8 * KG_W), aligned(8), may_alias));
typedef unsigned long long KG_(U) __attribute__((vector_size(8 * KG_W)));
#define V           KG_(V)
#define I           KG_(I)
#define LOAD(p)     (*(const V *)(p))
#define STORE(p, v) (*(V *)(p) = (v))
/* x - 0 keeps -0, so this is x in every lane */
#define SPLAT(x)              ((x) - (V){0})
#define KG_SELECT(mask, a, b) ((V)(((I)(a) & (mask)) | ((I)(b) & ~(mask))))
#else
#define VECTORS_ONLY(name)    NULL
#define V                     double
#define LOAD(p)               (*(p))
#define STORE(p, v)           (*(p) = (v))
#define SPLAT(x)              (x)
#define KG_SELECT(mask, a, b) ((mask) ? (a) : (b))
#define KG_BITS(m)            ((unsigned long long)(m))
#endif

/* The sum of the lanes. */
KG_TARGET static inline double KG_(lanes)(V v) {
#if KG_W == 8
  return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
#elif KG_W == 4
  return (v[0] + v[1]) + (v[2] + v[3]);
#else
  return v;
#endif
}

/* Squared distances of two vectors of points, coordinate by coordinate from p on, to four
 * rows from q on: a0..a3 and b0..b3. One row after the other, so that all fits into the
 * 16 registers of AVX2, and two coordinates a turn: else gcc moves registers about. */
#define COORDINATE(p_step, q_step)                                                       \
  do {                                                                                   \
    V u = LOAD(p), v = LOAD(p + KG_W), y, s, t;                                          \
    y = SPLAT(q[0]), s = u - y, t = v - y, a0 = KG_FMA(s, s, a0), b0 = KG_FMA(t, t, b0); \
    y = SPLAT(q[1]), s = u - y, t = v - y, a1 = KG_FMA(s, s, a1), b1 = KG_FMA(t, t, b1); \
    y = SPLAT(q[2]), s = u - y, t = v - y, a2 = KG_FMA(s, s, a2), b2 = KG_FMA(t, t, b2); \
    y = SPLAT(q[3]), s = u - y, t = v - y, a3 = KG_FMA(s, s, a3), b3 = KG_FMA(t, t, b3); \
    p += p_step, q += q_step;                                                            \
  } while (0)
#define EACH_COORDINATE(p_step, q_step)                                                  \
  do {                                                                                   \
    size_t c = 0;                                                                        \
    for (; c + 2 <= d; c += 2) {                                                         \
      COORDINATE(p_step, q_step);                                                        \
      COORDINATE(p_step, q_step);                                                        \
    }                                                                                    \
    if (c < d)                                                                           \
      COORDINATE(p_step, q_step);                                                        \
  } while (0)

/* out[r * ld + j] = squared distance of point j in [0, width) to row r = 0..3; added to
 * what is there if these are `further` coordinates. Coordinate c of point j lies at
 * x[c * stride + j], of row r at y[4 * c + r]. */
KG_TARGET static void KG_(squares4)(const double *x, size_t stride, size_t d,
                                    const double *y, size_t width, double *out, size_t ld,
                                    int further) {
  size_t j = 0;
  for (; j + 2 * KG_W <= width; j += 2 * KG_W) {
    V a0 = SPLAT(0.0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    const double *p = x + j, *q = y;
    if (further) {
      a0 = LOAD(out + j);
      b0 = LOAD(out + j + KG_W);
      a1 = LOAD(out + ld + j);
      b1 = LOAD(out + ld + j + KG_W);
      a2 = LOAD(out + 2 * ld + j);
      b2 = LOAD(out + 2 * ld + j + KG_W);
      a3 = LOAD(out + 3 * ld + j);
      b3 = LOAD(out + 3 * ld + j + KG_W);
    }
    EACH_COORDINATE(stride, 4);
    STORE(out + j, a0);
    STORE(out + j + KG_W, b0);
    STORE(out + ld + j, a1);
    STORE(out + ld + j + KG_W, b1);
    STORE(out + 2 * ld + j, a2);
    STORE(out + 2 * ld + j + KG_W, b2);
    STORE(out + 3 * ld + j, a3);
    STORE(out + 3 * ld + j + KG_W, b3);
  }
  for (; j < width; j++) {
    for (size_t r = 0; r < 4; r++) {
      double sum = further ? out[r * ld + j] : 0;
      for (size_t c = 0; c < d; c++) {
        double t = x[c * stride + j] - y[4 * c + r];
        sum += t * t;
      }
      out[r * ld + j] = sum;
    }
  }
}

#if KG_W > 1
/* expm1(t) for t <= 0: t = m ln 2 + r, |r| <= ln 2 / 2, then 2^m (expm1(r) + 1) - 1, where
 * 2^m comes from the low bits of m + 1.5 * 2^52 + 1023, which hold the biased exponent.
 * expm1(r) = r + r^2 q(r), q the best polynomial of degree 9, to 2e-17 of it. */
KG_TARGET static inline V KG_(expm1_series)(V r) {
  V r2 = r * r, r4 = r2 * r2;
  V a = KG_FMA(r, SPLAT(0x1.5555555555558p-3), SPLAT(0x1.0000000000001p-1));
  V b = KG_FMA(r, SPLAT(0x1.111111110f7eep-7), SPLAT(0x1.5555555553d4fp-5));
  V c = KG_FMA(r, SPLAT(0x1.a01a01b016384p-13), SPLAT(0x1.6c16c17893b37p-10));
  V d = KG_FMA(r, SPLAT(0x1.71ddf6979e248p-19), SPLAT(0x1.a019b8eec7db9p-16));
  V e = KG_FMA(r, SPLAT(0x1.af636016ad090p-26), SPLAT(0x1.2891a967c5643p-22));
  d = KG_FMA(r2, d, c);
  return KG_FMA(r2, KG_FMA(r4, KG_FMA(r4, e, d), KG_FMA(r2, b, a)), r);
}

KG_TARGET static inline V KG_(expm1_r)(V t, V *scale) {
  const V magic = SPLAT(0x1.8p52 + 1023);
  V shifted = KG_FMA(t, SPLAT(0x1.71547652b82fep0), magic);
  V m = shifted - magic;
  V r = KG_FMA(m, SPLAT(-0x1.62e42fefa39efp-1), t);
  r = KG_FMA(m, SPLAT(-0x1.abc9e3b39803fp-56), r);
  *scale = (V)((I)shifted << 52);
  return KG_(expm1_series)(r);
}

/* beyond -50 expm1 is -1, exp is taken for 0 beyond -700, below 1e-304: no lane needs
 * more */
KG_TARGET static inline V KG_(expm1)(V t) {
  V scale, low = SPLAT(-50.0);
  I far = t < low;
  t = (V)(((I)low & far) | ((I)t & ~far));
  V p = KG_(expm1_r)(t, &scale);
  return KG_FMA(scale, p, scale - 1.0);
}

/* The exponent of a power, times 2 / ln 2 in two parts, and the values of which the power
 * and they themselves are normal numbers. */
typedef struct {
  double exponent, twice, rest, least, most;
} KG_(power);

KG_TARGET static inline KG_(power) KG_(power_of)(double a) {
  const double twice = a * 0x1.71547652b82fep+1;
  KG_(power) out = {a, twice, fma(a, 0x1.71547652b82fep+1, -twice) + a * 0x1.777d0ffda0d24p-55,
                    fmax(0x1p-1022, exp2(-1020 / a)),
                    fmin(0x1.fffffffffffffp1023, exp2(1020 / a))};
  return out;
}

/* a log2(x), and `more` that is missing from it, for a normal x > 0: x = 2^e m with m
 * about 1, log2 m = 2 atanh(s) / ln 2 for s = (m - 1) / (m + 1), its leading term and the
 * product with a in two parts each. The polynomial: (atanh(s) / s - 1) / s^2 to 1.6e-16. */
KG_TARGET static inline __attribute__((always_inline)) V KG_(times_log)(
    V x, V bias, const KG_(power) *a, V *more) {
  const V one = SPLAT(1.0), twice = SPLAT(a->twice), exponent = SPLAT(a->exponent);
  /* m in [1/2, 1), or [1, sqrt 2) where that is nearer 1 */
  V e = (V)((I)((KG_(U))x >> 52) | (I)SPLAT(0x1p52)) - bias;
  V m = (V)(((I)x & ((I){0} + 0xfffffffffffffLL)) | (I)SPLAT(0.5));
  const I low = m < SPLAT(0x1.6a09e667f3bcdp-1);
  m += (V)((I)m & low);
  e -= (V)((I)one & low);
  V f = m - one, g = m + one, over = one / g, s = f * over, s2 = s * s, s4 = s2 * s2;
  V short_of = KG_FMA(-s, g, f) - s * (m - (g - one));
  V p = KG_FMA(SPLAT(0x1.2b5fc0bb361a0p-4), s2, SPLAT(0x1.39fdb917b1695p-4));
  p = KG_FMA(p, s4, KG_FMA(SPLAT(0x1.7462ba29cfb0dp-4), s2, SPLAT(0x1.c71c62d035fc0p-4)));
  p = KG_FMA(p, s4, KG_FMA(SPLAT(0x1.2492492e03ec5p-3), s2, SPLAT(0x1.9999999995223p-3)));
  p = KG_FMA(p, s2, SPLAT(0x1.5555555555558p-2));
  V rest = KG_FMA(s * s2, p, short_of * over), lead = s * twice, whole = e * exponent;
  *more = KG_FMA(s, twice, -lead) + KG_FMA(rest, twice, s * SPLAT(a->rest));
  *more += KG_FMA(e, exponent, -whole);
  V sum = whole + lead;
  *more += lead - (sum - whole);
  return sum;
}

/* 2^(sum + more - shifted), of which the low bits of `shifted` hold the exponent left. */
KG_TARGET static inline __attribute__((always_inline)) V KG_(two_to)(V sum, V more, V magic,
                                                                     V *shifted) {
  *shifted = sum + magic;
  V r = ((sum - (*shifted - magic)) + more) * SPLAT(0x1.62e42fefa39efp-1);
  return KG_(expm1_series)(r) + SPLAT(1.0);
}

/* v^a for any v >= 0, a > 0, to 1e-15 of it wherever it is not subnormal; 0, infinite and
 * missing values stay what they are. The scale comes in two factors, each in range. */
KG_TARGET static __attribute__((noinline)) V KG_(raise_any)(V v, const KG_(power) *a) {
  const V most = SPLAT(0x1.fffffffffffffp1023), bias = SPLAT(0x1p52 + 1022);
  const I small = v < SPLAT(0x1p-1022); /* subnormal values, times 2^54 */
  V more, shifted;
  V sum = KG_(times_log)(KG_SELECT(small, v * SPLAT(0x1p54), v),
                         KG_SELECT(small, bias + SPLAT(54.0), bias), a, &more);
  sum = KG_MAX(KG_MIN(sum, SPLAT(1100.0)), SPLAT(-1100.0));
  V p = KG_(two_to)(sum, more, SPLAT(0x1.8p52 + 2046), &shifted);
  KG_(U) half = ((KG_(U))shifted << 51) & (KG_(U))SPLAT(-HUGE_VAL);
  V out = p * (V)half * (V)(((KG_(U))shifted << 52) - half);
  out = KG_SELECT(v == SPLAT(0.0), v, out);
  return KG_SELECT(v <= most, out, v);
}

KG_TARGET static inline __attribute__((always_inline)) V KG_(raise)(V v,
                                                                    const KG_(power) *a) {
  V more, shifted, sum = KG_(times_log)(v, SPLAT(0x1p52 + 1022), a, &more);
  V p = KG_(two_to)(sum, more, SPLAT(0x1.8p52 + 1023), &shifted);
  return p * (V)((I)shifted << 52);
}

/* Two vectors side by side, since each is one long chain; the same bits as one by one. */
KG_TARGET static inline __attribute__((always_inline)) void KG_(raise_two)(
    V *u, V *v, const KG_(power) *a) {
  const V least = SPLAT(a->least), most = SPLAT(a->most);
  if (!KG_BITS(~((*u >= least) & (*u <= most) & (*v >= least) & (*v <= most)))) {
    *u = KG_(raise)(*u, a);
    *v = KG_(raise)(*v, a);
  } else {
    *u = KG_(raise_any)(*u, a);
    *v = KG_(raise_any)(*v, a);
  }
}

/* The function of kg_shape for a vector; KG_EXP_*: -rho/2 itself, the others need another
 * factor -1/2. */
KG_TARGET static inline __attribute__((always_inline)) V KG_(shape)(enum kg_shape shape,
                                                                    double a, V q) {
  V root;
  switch (shape) {
  case KG_ROOT:
    return KG_SQRT(q);
  case KG_FOURTH_ROOT:
    return KG_SQRT(KG_SQRT(q));
  case KG_ROOT_CUBED:
    root = KG_SQRT(q);
    return root * KG_SQRT(root);
  case KG_EXP_ROOT:
    return KG_(expm1)(KG_SQRT(q) * SPLAT(-0.5 / a));
  case KG_EXP_SQUARE:
    return KG_(expm1)(SPLAT(-0.5) * (q / SPLAT(a)) / SPLAT(a));
  case KG_POWER_TWO:
    return q * q;
  case KG_TIMES_ROOT:
    return q * KG_SQRT(q);
  case KG_EXP_DISTANCE:
    return KG_(expm1)(q * SPLAT(-0.5 / a));
  case KG_EXP_POWER_TWO:
    root = q / SPLAT(a);
    return KG_(expm1)(SPLAT(-0.5) * root * root);
  default:
    return q;
  }
}

#define EACH_VECTOR(of, factor)                                                          \
  case of:                                                                               \
    for (; i + KG_W <= n; i += KG_W)                                                     \
      STORE(value + i, factor KG_(shape)(of, a, LOAD(value + i)));                       \
    break

KG_TARGET static size_t KG_(from_values)(enum kg_shape shape, double a, double *value,
                                         size_t n) {
  const V half = SPLAT(-0.5);
  const KG_(power) power = KG_(power_of)(a);
  size_t i = 0;
  switch (shape) {
    EACH_VECTOR(KG_ROOT, half *);
    EACH_VECTOR(KG_SQUARE, half *);
    EACH_VECTOR(KG_FOURTH_ROOT, half *);
    EACH_VECTOR(KG_ROOT_CUBED, half *);
    EACH_VECTOR(KG_POWER_TWO, half *);
    EACH_VECTOR(KG_TIMES_ROOT, half *);
    EACH_VECTOR(KG_EXP_ROOT, );
    EACH_VECTOR(KG_EXP_SQUARE, );
    EACH_VECTOR(KG_EXP_DISTANCE, );
    EACH_VECTOR(KG_EXP_POWER_TWO, );
  case KG_POWERED:
    for (; i + 2 * KG_W <= n; i += 2 * KG_W) {
      V u = LOAD(value + i), v = LOAD(value + i + KG_W);
      KG_(raise_two)(&u, &v, &power);
      STORE(value + i, half * u);
      STORE(value + i + KG_W, half * v);
    }
    for (; i + KG_W <= n; i += KG_W)
      STORE(value + i, half * KG_(raise_any)(LOAD(value + i), &power));
    break;
  case KG_SCALAR:
    break;
  }
  return i;
}
#undef EACH_VECTOR
#endif

KG_TARGET static void KG_(logs)(double *value, size_t n) {
  size_t i = 0;
#if KG_W > 1
  const KG_(power) natural = KG_(power_of)(0x1.62e42fefa39efp-1);
  for (; i + KG_W <= n; i += KG_W) {
    V more, v = LOAD(value + i);
    V sum = KG_(times_log)(v, SPLAT(0x1p52 + 1022), &natural, &more);
    STORE(value + i, KG_SELECT(v <= SPLAT(0x1.fffffffffffffp1023), sum + more, v));
  }
#endif
  for (; i < n; i++)
    value[i] = log(value[i]);
}

KG_TARGET static void KG_(exps)(double *value, size_t n) {
  size_t i = 0;
#if KG_W > 1
  for (; i + KG_W <= n; i += KG_W) {
    V scale, t = LOAD(value + i);
    const I far = t < SPLAT(-700.0);
    V p = KG_(expm1_r)(KG_SELECT(far, SPLAT(-700.0), t), &scale);
    STORE(value + i, KG_SELECT(far, SPLAT(0.0), KG_FMA(scale, p, scale)));
  }
#endif
  for (; i < n; i++)
    value[i] = exp(value[i]);
}

/* sum[r] += sum_j w_j b[r * ld + j] for four rows. */
KG_TARGET static void KG_(sums4)(const double *b, size_t ld, const double *w,
                                 size_t width, double *sum) {
  V s0 = SPLAT(0.0), s1 = s0, s2 = s0, s3 = s0;
  size_t j = 0;
  double t0, t1, t2, t3;
  for (; j + KG_W <= width; j += KG_W) {
    V u = LOAD(w + j);
    s0 = KG_FMA(u, LOAD(b + j), s0);
    s1 = KG_FMA(u, LOAD(b + ld + j), s1);
    s2 = KG_FMA(u, LOAD(b + 2 * ld + j), s2);
    s3 = KG_FMA(u, LOAD(b + 3 * ld + j), s3);
  }
  t0 = KG_(lanes)(s0), t1 = KG_(lanes)(s1), t2 = KG_(lanes)(s2), t3 = KG_(lanes)(s3);
  for (; j < width; j++) {
    t0 += w[j] * b[j];
    t1 += w[j] * b[ld + j];
    t2 += w[j] * b[2 * ld + j];
    t3 += w[j] * b[3 * ld + j];
  }
  sum[0] += t0;
  sum[1] += t1;
  sum[2] += t2;
  sum[3] += t3;
}

/* into[j] += sum_r weight[r] b[r * ld + j] for four rows. */
KG_TARGET static void KG_(columns4)(const double *b, size_t ld, const double *weight,
                                    size_t width, double *into) {
  V w0 = SPLAT(weight[0]), w1 = SPLAT(weight[1]);
  V w2 = SPLAT(weight[2]), w3 = SPLAT(weight[3]);
  size_t j = 0;
  for (; j + KG_W <= width; j += KG_W) {
    V t = KG_FMA(w0, LOAD(b + j), w1 * LOAD(b + ld + j));
    V u = KG_FMA(w2, LOAD(b + 2 * ld + j), w3 * LOAD(b + 3 * ld + j));
    STORE(into + j, LOAD(into + j) + (t + u));
  }
  for (; j < width; j++)
    into[j] += (weight[0] * b[j] + weight[1] * b[ld + j]) +
               (weight[2] * b[2 * ld + j] + weight[3] * b[3 * ld + j]);
}

/* into[j] += weight * b[j] */
KG_TARGET static void KG_(add)(const double *b, double weight, size_t width,
                               double *into) {
  V w = SPLAT(weight);
  size_t j = 0;
  for (; j + KG_W <= width; j += KG_W)
    STORE(into + j, KG_FMA(w, LOAD(b + j), LOAD(into + j)));
  for (; j < width; j++)
    into[j] += weight * b[j];
}

/* out[j] = g[j] - (own + half[j]) */
KG_TARGET static void KG_(less_halves)(const double *g, const double *half, double own,
                                       size_t width, double *out) {
  V o = SPLAT(own);
  size_t j = 0;
  for (; j + KG_W <= width; j += KG_W)
    STORE(out + j, LOAD(g + j) - (o + LOAD(half + j)));
  for (; j < width; j++)
    out[j] = g[j] - (own + half[j]);
}

/* from[j] -= weight * b[j], into[j] += weight * b[j]: a point changes its cluster. */
KG_TARGET static void KG_(transfer)(const double *b, double weight, size_t width,
                                    double *from, double *into) {
  V w = SPLAT(weight);
  size_t j = 0;
  for (; j + KG_W <= width; j += KG_W) {
    V change = w * LOAD(b + j);
    STORE(from + j, LOAD(from + j) - change);
    STORE(into + j, LOAD(into + j) + change);
  }
  for (; j < width; j++) {
    double change = weight * b[j];
    from[j] -= change;
    into[j] += change;
  }
}

/* Which of `width` <= 64 points may have a better cluster? Bit j reports so for point j.
 * The amount that coming to l costs is at least factor_l d2, or d2 itself where that is
 * negative. */
KG_TARGET static unsigned long long KG_(screen)(const kg_state *state, size_t from,
                                                size_t width, const size_t *column,
                                                size_t many) {
  const size_t n = state->e.n;
  const double *w = state->e.w + from;
  const int *label = state->e.label + from;
  const double margin = -0.5 * state->e.rule.tolerance;
  double *least = state->bounds.least + from;
  unsigned long long scan = 0;
  size_t j = 0;
#if KG_W > 1
  for (; j + 2 * KG_W <= width; j += 2 * KG_W) {
    V least0 = LOAD(least + j), least1 = LOAD(least + j + KG_W);
    const V label0 = KG_LABELS(label + j), label1 = KG_LABELS(label + j + KG_W);
    for (size_t q = 0; q < many; q++) {
      const size_t l = column[q];
      const double *R = state->R + l * n + from + j;
      const V twice = SPLAT(-state->twice[l]), share = SPLAT(state->share[l]);
      const V factor = SPLAT(state->factor[l]), here = SPLAT((double)l);
      V d0 = KG_FMA(twice, LOAD(R), share), come0 = factor * d0;
      V d1 = KG_FMA(twice, LOAD(R + KG_W), share), come1 = factor * d1;
      come0 = KG_SELECT(d0 < come0, d0, come0);
      come1 = KG_SELECT(d1 < come1, d1, come1);
      least0 = KG_SELECT((come0 < least0) & (label0 != here), come0, least0);
      least1 = KG_SELECT((come1 < least1) & (label1 != here), come1, least1);
    }
    STORE(least + j, least0);
    STORE(least + j + KG_W, least1);
  }
#endif
  for (; j < width; j++)
    for (size_t q = 0; q < many; q++) {
      const size_t l = column[q];
      double d2 = state->share[l] - state->twice[l] * state->R[from + j + l * n];
      double come = state->factor[l] * d2;
      if (d2 < come)
        come = d2;
      if (l != (size_t)label[j] && come < least[j])
        least[j] = come;
    }
  for (j = 0; j < width; j++) {
    const size_t l = (size_t)label[j];
    const double own = state->share[l] - state->twice[l] * state->R[from + j + l * n];
    const double s = state->e.s[l], rest = s - w[j];
    if (w[j] > 0 && rest > 0 && w[j] * (least[j] - s / rest * own) < margin)
      scan |= 1ULL << j;
  }
  return scan;
}

KG_TARGET static void KG_(nearer)(const double *R, double share, double twice,
                                  double number, size_t width, double *least,
                                  double *best) {
  const V s = SPLAT(share), minus = SPLAT(-twice), here = SPLAT(number);
  size_t j = 0;
#if KG_W > 1
  const I magnitude = ~(I)SPLAT(-0.0);
  for (; j + KG_W <= width; j += KG_W) {
    V d2 = KG_FMA(minus, LOAD(R + j), s), before = LOAD(least + j);
    V above = KG_FMA(SPLAT(KG_EQUAL), (V)((I)d2 & magnitude), d2);
    I less = above < before;
    STORE(least + j, KG_SELECT(less, d2, before));
    STORE(best + j, KG_SELECT(less, here, LOAD(best + j)));
  }
#endif
  for (; j < width; j++) {
    double d2 = share - twice * R[j];
    if (!kg_below(d2, least[j]))
      continue;
    least[j] = d2;
    best[j] = number;
  }
  (void)s, (void)minus, (void)here;
}

/* |z - mean|^2 of features of 16 bits, z = unit q; width is a multiple of 16. */
KG_TARGET static double KG_(short_d2)(const int16_t *q, double unit, const double *mean,
                                      size_t width) {
  const V u = SPLAT(unit);
  V sum = SPLAT(0.0), more = sum;
  for (size_t c = 0; c + 2 * KG_W <= width; c += 2 * KG_W) {
    V s = KG_FMA(u, KG_SHORTS(q + c), -LOAD(mean + c));
    V t = KG_FMA(u, KG_SHORTS(q + c + KG_W), -LOAD(mean + c + KG_W));
    sum = KG_FMA(s, s, sum);
    more = KG_FMA(t, t, more);
  }
  return KG_(lanes)(sum + more);
}

KG_TARGET static void KG_(short_add)(const int16_t *q, double factor, size_t width,
                                     double *into) {
  const V f = SPLAT(factor);
  for (size_t c = 0; c < width; c += KG_W)
    STORE(into + c, KG_FMA(f, KG_SHORTS(q + c), LOAD(into + c)));
}

KG_TARGET static void KG_(short_values)(const int16_t *q, double factor, size_t width,
                                        double *out) {
  const V f = SPLAT(factor);
  for (size_t c = 0; c < width; c += KG_W)
    STORE(out + c, f * KG_SHORTS(q + c));
}

#include "kg_loops_gaps.h"
#include "kg_loops_metric.h"
#if KG_W > 1
#include "kg_loops_features.h"
#include "kg_loops_strip.h"
#endif

const kg_loops KG_(kg_loops) = {KG_NAME,
                                KG_(squares4),
                                KG_(sums1),
                                VECTORS_ONLY(from_values),
                                KG_(logs),
                                KG_(exps),
                                KG_(sums4),
                                KG_(columns4),
                                KG_(add),
                                KG_(less_halves),
                                KG_(transfer),
                                KG_(screen),
                                KG_(nearer),
                                KG_(same_label),
                                KG_(short_d2),
                                KG_(short_add),
                                KG_(short_values),
                                KG_(product),
                                KG_(short_dots),
                                KG_(two_nearest),
                                KG_(scan_means),
                                VECTORS_ONLY(moves4),
                                VECTORS_ONLY(sum4),
                                VECTORS_ONLY(strip),
                                KG_(below),
                                KG_(within),
                                KG_(boxes),
                                KG_(near_box)};
