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

/* The sum a with the term of one coordinate, u and y. Powers have loops of their own. */
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
    case KG_SUM_UNION:                                                                   \
      return a + IF(u != y, SPLAT(1.0), SPLAT(0.0));                                     \
    case KG_SUM_CANBERRA:                                                                \
      s = ABSOLUTE(u) + ABSOLUTE(y);                                                     \
      return a + IF(s > SPLAT(0.0), t / s, SPLAT(0.0));                                  \
    case KG_SUM_ABSOLUTE:                                                                \
    case KG_SUM_POWERS:                                                                  \
      return a + t;                                                                      \
    }                                                                                    \
    return a;                                                                            \
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

/* t^p for a whole p > 0, by products; a remainder has the same digits. */
#define WHOLE_POWER(name, V)                                                             \
  KG_TARGET static inline V name(V t, unsigned p) {                                      \
    V out = t;                                                                           \
    for (unsigned left = p - 1; left > 0; left /= 2) {                                   \
      if (left % 2 == 1)                                                                 \
        out *= t;                                                                        \
      t *= t;                                                                            \
    }                                                                                    \
    return out;                                                                          \
  }
#if KG_W > 1
WHOLE_POWER(KG_(whole_power), V)
#endif
WHOLE_POWER(KG_(whole_power_of_one), double)
#undef WHOLE_POWER

/* out[j] = sum of |x - y|^p, p a whole number up to KG_MOST_PRODUCTS or any if vectors
 * have powers; the rest of the columns one by one. */
KG_TARGET static void KG_(sum_powers)(double p, const double *x, size_t stride, size_t d,
                                      const double *y, size_t step, size_t width,
                                      double *out) {
  const unsigned whole = p <= KG_MOST_PRODUCTS && p == floor(p) ? (unsigned)p : 0;
  size_t j = 0;
#if KG_W > 1
  const KG_(power) power = KG_(power_of)(p);
  for (; j + 2 * KG_W <= width; j += 2 * KG_W) {
    V a = SPLAT(0.0), b = a;
    for (size_t c = 0; c < d; c++) {
      V at = SPLAT(y[c * step]);
      V s = ABSOLUTE(LOAD(x + c * stride + j) - at);
      V t = ABSOLUTE(LOAD(x + c * stride + j + KG_W) - at);
      if (whole)
        s = KG_(whole_power)(s, whole), t = KG_(whole_power)(t, whole);
      else
        KG_(raise_two)(&s, &t, &power);
      a += s;
      b += t;
    }
    STORE(out + j, a);
    STORE(out + j + KG_W, b);
  }
#endif
  for (; j < width; j++) {
    double sum = 0;
    for (size_t c = 0; c < d; c++) {
      double t = fabs(x[c * stride + j] - y[c * step]);
      sum += whole ? KG_(whole_power_of_one)(t, whole) : pow(t, p);
    }
    out[j] = sum;
  }
}

KG_TARGET static void KG_(sums1)(enum kg_sum sum, double p, const double *x,
                                 size_t stride, size_t d, const double *y, size_t step,
                                 size_t width, double *out) {
  switch (sum) {
  case KG_SUM_POWERS:
    KG_(sum_powers)(p, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_SQUARES:
    KG_(sum_of_terms)(KG_SUM_SQUARES, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_MAXIMUM:
    KG_(sum_of_terms)(KG_SUM_MAXIMUM, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_UNEQUAL:
  case KG_SUM_UNION:
    KG_(sum_of_terms)(KG_SUM_UNEQUAL, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_CANBERRA:
    KG_(sum_of_terms)(KG_SUM_CANBERRA, x, stride, d, y, step, width, out);
    break;
  case KG_SUM_ABSOLUTE:
    KG_(sum_of_terms)(KG_SUM_ABSOLUTE, x, stride, d, y, step, width, out);
    break;
  }
}

#undef TERM
