/* kg_loops_metric.h - sums over coordinates: squared distances, and the metrics of
 * kg_metric.h, which agree for all instruction sets. Included by kg_loops_body.h. */

#if KG_W > 1
#define ABSOLUTE(v) ((V)((I)(v) & ~(I)SPLAT(-0.0)))
#else
#define ABSOLUTE(v) fabs(v)
#endif
#define ONE_IF(condition, a, b) ((condition) ? (a) : (b))
#define ONE(x)                  (x)
#define ONE_FMA(a, b, c)        ((a) * (b) + (c))

/* The sum a with the term of one coordinate, u and y. */
#define TERM(name, V, ABSOLUTE, IF, SPLAT, FMA)                                          \
  KG_TARGET static inline __attribute__((always_inline)) V name(enum kg_sum sum, V a,    \
                                                                V u, V y) {              \
    V t = ABSOLUTE(u - y), s;                                                            \
    switch (sum) {                                                                       \
    case KG_SUM_SQUARES:                                                                 \
      return FMA(u - y, u - y, a);                                                       \
    case KG_SUM_MAXIMUM:                                                                 \
      return IF(t > a, t, a);                                                            \
    case KG_SUM_UNEQUAL:                                                                 \
      return a + IF(u != y, SPLAT(1.0), SPLAT(0.0));                                     \
    case KG_SUM_CANBERRA:                                                                \
      s = ABSOLUTE(u) + ABSOLUTE(y);                                                     \
      return a + IF(s > SPLAT(0.0), t / s, SPLAT(0.0));                                  \
    default:                                                                             \
      return a + t;                                                                      \
    }                                                                                    \
  }
TERM(KG_(term), V, ABSOLUTE, KG_SELECT, SPLAT, KG_FMA)
#if KG_W > 1
TERM(KG_(term_of_one), double, fabs, ONE_IF, ONE, ONE_FMA)
#else
#define term_of_one_base term_base
#endif

KG_TARGET static inline __attribute__((always_inline)) void
KG_(sum_of_terms)(enum kg_sum sum, const double *x, size_t stride, size_t d,
                  const double *y, size_t step, size_t width, double *out) {
  size_t j = 0;
  for (; j + 4 * KG_W <= width; j += 4 * KG_W) {
    V a = SPLAT(0.0), b = a, e = a, f = a;
    const double *p = x + j;
    for (size_t c = 0; c < d; c++, p += stride) {
      V at = SPLAT(y[c * step]);
      a = KG_(term)(sum, a, LOAD(p), at);
      b = KG_(term)(sum, b, LOAD(p + KG_W), at);
      e = KG_(term)(sum, e, LOAD(p + 2 * KG_W), at);
      f = KG_(term)(sum, f, LOAD(p + 3 * KG_W), at);
    }
    STORE(out + j, a);
    STORE(out + j + KG_W, b);
    STORE(out + j + 2 * KG_W, e);
    STORE(out + j + 3 * KG_W, f);
  }
  for (; j < width; j++) {
    double a = 0;
    for (size_t c = 0; c < d; c++)
      a = KG_(term_of_one)(sum, a, x[c * stride + j], y[c * step]);
    out[j] = a;
  }
}

KG_TARGET static void KG_(sums1)(enum kg_sum sum, const double *x, size_t stride,
                                 size_t d, const double *y, size_t step, size_t width,
                                 double *out) {
  switch (sum) {
  case KG_SUM_SQUARES:
    KG_(sum_of_terms)(KG_SUM_SQUARES, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_MAXIMUM:
    KG_(sum_of_terms)(KG_SUM_MAXIMUM, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_UNEQUAL:
    KG_(sum_of_terms)(KG_SUM_UNEQUAL, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_CANBERRA:
    KG_(sum_of_terms)(KG_SUM_CANBERRA, x, stride, d, y, step, width, out);
    break;
  default:
    KG_(sum_of_terms)(KG_SUM_ABSOLUTE, x, stride, d, y, step, width, out);
  }
}

#undef TERM
