/* kg_loops_features.h - the inner loops of explicit features. kg_loops_body.h includes
 * this file for each vector width. Beside its macros it uses
 *
 *   F, F_LANES    a vector of floats, with F_LOAD F_STORE F_SPREAD F_FMA F_SUM F_MIN F_MAX
 *   F_SHORTS      loads values of 16 bits
 *   F_TIMES       a product that no sum after it is fused with, in functions that are
 *                 F_PLAIN, which is their target
 *   F_MASK        of lanes, with F_LESS F_SAME F_SELECT F_BITS
 *   F_AT          looks up labels in a table */

/* Rows [from, from + 4) of the product for two vectors of points. The sums have names, as
 * gcc leaves arrays of them in memory. */
KG_TARGET static void KG_(four_rows)(const double *A, size_t lda, size_t used,
                                     const double *tile, double *out) {
  V s0 = SPLAT(0.0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  const double *b = A + lda, *c = b + lda, *d = c + lda;
  for (size_t q = 0; q < used; q++, tile += KG_TILE) {
    V x = LOAD(tile), y = LOAD(tile + KG_W);
    V u = SPLAT(A[q]), v = SPLAT(b[q]);
    s0 = KG_FMA(u, x, s0);
    t0 = KG_FMA(u, y, t0);
    s1 = KG_FMA(v, x, s1);
    t1 = KG_FMA(v, y, t1);
    u = SPLAT(c[q]);
    v = SPLAT(d[q]);
    s2 = KG_FMA(u, x, s2);
    t2 = KG_FMA(u, y, t2);
    s3 = KG_FMA(v, x, s3);
    t3 = KG_FMA(v, y, t3);
  }
  STORE(out, s0);
  STORE(out + KG_W, t0);
  STORE(out + KG_TILE, s1);
  STORE(out + KG_TILE + KG_W, t1);
  STORE(out + 2 * KG_TILE, s2);
  STORE(out + 2 * KG_TILE + KG_W, t2);
  STORE(out + 3 * KG_TILE, s3);
  STORE(out + 3 * KG_TILE + KG_W, t3);
}

KG_TARGET static void KG_(product)(const double *A, size_t rows, size_t lda, int lower,
                                   const double *tile, double *out) {
  for (size_t q = 0; q < rows; q += 4) {
    size_t used = lower && q + 4 < lda ? q + 4 : lda;
    for (size_t h = 0; h < KG_TILE; h += 2 * KG_W)
      KG_(four_rows)(A + q * lda, lda, used, tile + h, out + q * KG_TILE + h);
  }
}

/* out[l] = q . mean_l in single precision, over `width` values, a multiple of 16. */
KG_TARGET static void KG_(short_dots)(const int16_t *z, const float *mean, size_t width,
                                      size_t k, float *out) {
  size_t l = 0;
  for (; l + 4 <= k; l += 4) {
    const float *a = mean + l * width, *b = a + width, *c = b + width, *d = c + width;
    F sa = F_SPREAD(0), sb = F_SPREAD(0), sc = F_SPREAD(0), sd = F_SPREAD(0);
    for (size_t q = 0; q < width; q += F_LANES) {
      F x = F_SHORTS(z + q);
      sa = F_FMA(x, F_LOAD(a + q), sa);
      sb = F_FMA(x, F_LOAD(b + q), sb);
      sc = F_FMA(x, F_LOAD(c + q), sc);
      sd = F_FMA(x, F_LOAD(d + q), sd);
    }
    out[l] = F_SUM(sa);
    out[l + 1] = F_SUM(sb);
    out[l + 2] = F_SUM(sc);
    out[l + 3] = F_SUM(sd);
  }
  for (; l < k; l++) {
    const float *a = mean + l * width;
    F sum = F_SPREAD(0);
    for (size_t q = 0; q < width; q += F_LANES)
      sum = F_FMA(F_SHORTS(z + q), F_LOAD(a + q), sum);
    out[l] = F_SUM(sum);
  }
}

/* If value < least of the two least they move up: values and numbers of means. */
#define LESS(value, number, least, next, first, second)                                  \
  do {                                                                                   \
    F_MASK less = F_LESS(value, least);                                                  \
    F other = F_MAX(value, least), its = F_SELECT(less, first, number);                  \
    least = F_MIN(value, least);                                                         \
    first = F_SELECT(less, number, first);                                               \
    less = F_LESS(other, next);                                                          \
    next = F_MIN(other, next);                                                           \
    second = F_SELECT(less, its, second);                                                \
  } while (0)

/* Two means and two vectors of points at a time. Products are rounded before they are
 * added up, so that every instruction set gives the same. */
F_PLAIN static void KG_(two_nearest)(const float *x, size_t stride, size_t rows,
                                     const float *table, size_t k, size_t width,
                                     kg_nearest *out) {
  KG_UNFUSE
  const size_t ld = rows + 1;
  for (size_t j = 0; j < width; j += 2 * F_LANES) {
    const F zero = F_SPREAD(0), far = F_SPREAD(KG_FAR);
    F a = far, a2 = far, an = zero, am = zero, b = far, b2 = far, bn = zero, bm = zero;
    for (size_t l = 0; l < k; l += 2) {
      const float *t = table + l * ld, *u = l + 1 < k ? t + ld : t, *p = x + j;
      F s = F_SPREAD(t[rows]), v = s, q = F_SPREAD(u[rows]), r = q;
      for (size_t c = 0; c < rows; c++, p += stride) {
        const F y = F_LOAD(p), z = F_LOAD(p + F_LANES);
        const F m = F_SPREAD(t[c]), n = F_SPREAD(u[c]);
        s += F_TIMES(y, m);
        v += F_TIMES(z, m);
        q += F_TIMES(y, n);
        r += F_TIMES(z, n);
      }
      const F here = F_SPREAD((float)l), next = F_SPREAD((float)(l + 1));
      LESS(s, here, a, a2, an, am);
      LESS(v, here, b, b2, bn, bm);
      if (l + 1 == k)
        break;
      LESS(q, next, a, a2, an, am);
      LESS(r, next, b, b2, bn, bm);
    }
    F_STORE(out->least + j, a);
    F_STORE(out->least + j + F_LANES, b);
    F_STORE(out->next + j, a2);
    F_STORE(out->next + j + F_LANES, b2);
    F_STORE(out->first + j, an);
    F_STORE(out->first + j + F_LANES, bn);
    F_STORE(out->second + j, am);
    F_STORE(out->second + j + F_LANES, bm);
  }
}

/* Vectors that begin before `width`, with arrays that hold KG_NEAREST. */
F_PLAIN static unsigned long long KG_(scan_means)(const kg_nearest *near,
                                                  const int *label, const float *at,
                                                  const kg_leaving *of, size_t width,
                                                  float *row) {
  KG_UNFUSE
  const F far = F_SPREAD(KG_FAR), one = F_SPREAD(1.00001f);
  unsigned long long may = 0;
  for (size_t j = 0; j < width; j += F_LANES) {
    const F here = F_LOAD(at + j), first = F_LOAD(near->first + j);
    const F second = F_LOAD(near->second + j);
    F least = F_LOAD(near->least + j), next = F_LOAD(near->next + j);
    F_MASK in_first = F_SAME(first, here), in_second = F_SAME(second, here);
    F own = F_SELECT(in_first, least, F_SELECT(in_second, next, far));
    least = F_SELECT(in_first, next, least);
    F_STORE(row + j, F_SELECT(in_first, second, first));
    F saved = F_TIMES(own, F_AT(of->more, label + j)) + F_AT(of->base, label + j);
    own = F_SELECT(F_LESS(own, far), saved, own);
    own = F_TIMES(own, one);
    may |= (unsigned long long)(~F_BITS(F_LESS(own, least)) & F_ALL) << j;
  }
  return may;
}
