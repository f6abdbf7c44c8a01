/* kg_loops_features.h - the two inner loops of landmark features. kg_loops.c includes
 * this file once for each instruction set, with these macros set:
 *
 *   D, D_LANES    vector of doubles            F, F_LANES  vector of floats
 *   D_LOAD D_STORE D_ZERO D_SPREAD D_FMA       the same with F_, F_SUM, and F_SHORTS
 *                                              that loads values of 16 bits
 */

/* Rows [from, from + 4) of the product for two vectors of points. The sums have names, as
 * gcc leaves arrays of them in memory. */
KG_TARGET static void KG_(four_rows)(const double *A, size_t lda, size_t used,
                                     const double *tile, double *out) {
  D s0 = D_ZERO(), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  const double *b = A + lda, *c = b + lda, *d = c + lda;
  for (size_t q = 0; q < used; q++, tile += KG_TILE) {
    D x = D_LOAD(tile), y = D_LOAD(tile + D_LANES);
    D u = D_SPREAD(A[q]), v = D_SPREAD(b[q]);
    s0 = D_FMA(u, x, s0);
    t0 = D_FMA(u, y, t0);
    s1 = D_FMA(v, x, s1);
    t1 = D_FMA(v, y, t1);
    u = D_SPREAD(c[q]);
    v = D_SPREAD(d[q]);
    s2 = D_FMA(u, x, s2);
    t2 = D_FMA(u, y, t2);
    s3 = D_FMA(v, x, s3);
    t3 = D_FMA(v, y, t3);
  }
  D_STORE(out, s0);
  D_STORE(out + D_LANES, t0);
  D_STORE(out + KG_TILE, s1);
  D_STORE(out + KG_TILE + D_LANES, t1);
  D_STORE(out + 2 * KG_TILE, s2);
  D_STORE(out + 2 * KG_TILE + D_LANES, t2);
  D_STORE(out + 3 * KG_TILE, s3);
  D_STORE(out + 3 * KG_TILE + D_LANES, t3);
}

KG_TARGET static void KG_(product)(const double *A, size_t rows, size_t lda,
                                        int lower, const double *tile, double *out) {
  for (size_t q = 0; q < rows; q += 4) {
    size_t used = lower && q + 4 < lda ? q + 4 : lda;
    for (size_t h = 0; h < KG_TILE; h += 2 * D_LANES)
      KG_(four_rows)(A + q * lda, lda, used, tile + h, out + q * KG_TILE + h);
  }
}

/* out[l] = q . mean_l in single precision, over `width` values, a multiple of 16. */
KG_TARGET static void KG_(short_dots)(const int16_t *z, const float *mean, size_t width,
                                      size_t k, float *out) {
  size_t l = 0;
  for (; l + 4 <= k; l += 4) {
    const float *a = mean + l * width, *b = a + width, *c = b + width, *d = c + width;
    F sa = F_ZERO(), sb = F_ZERO(), sc = F_ZERO(), sd = F_ZERO();
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
    F sum = F_ZERO();
    for (size_t q = 0; q < width; q += F_LANES)
      sum = F_FMA(F_SHORTS(z + q), F_LOAD(a + q), sum);
    out[l] = F_SUM(sum);
  }
}
