/* kg_lowrank_loops.h - the two inner loops of landmark features. kg_lowrank.c includes
 * this file once for each instruction set, with these macros set:
 *
 *   SUFFIX(name)  the name of the variant      TARGET  function attribute
 *   D, D_LANES    vector of doubles            F, F_LANES  vector of floats
 *   D_LOAD D_STORE D_ZERO D_SPREAD D_FMA       the same with F_, and F_SUM
 *   D_ROWS        rows of the matrix taken together, so that all sums stay in registers
 */

enum { SUFFIX(per_tile) = KG_TILE / D_LANES };

/* Rows [from, from + D_ROWS) of the product for a tile of KG_TILE points. */
TARGET static void SUFFIX(rows_of_tile)(const double *A, size_t lda, size_t used,
                                        const double *tile, double *out) {
  D sum[D_ROWS][SUFFIX(per_tile)];
  for (int r = 0; r < D_ROWS; r++)
    for (int v = 0; v < SUFFIX(per_tile); v++) sum[r][v] = D_ZERO();
  for (size_t c = 0; c < used; c++) {
    D x[SUFFIX(per_tile)];
    for (int v = 0; v < SUFFIX(per_tile); v++)
      x[v] = D_LOAD(tile + c * KG_TILE + (size_t)v * D_LANES);
    for (int r = 0; r < D_ROWS; r++) {
      D a = D_SPREAD(A[(size_t)r * lda + c]);
      for (int v = 0; v < SUFFIX(per_tile); v++) sum[r][v] = D_FMA(a, x[v], sum[r][v]);
    }
  }
  for (int r = 0; r < D_ROWS; r++)
    for (int v = 0; v < SUFFIX(per_tile); v++)
      D_STORE(out + (size_t)r * KG_TILE + (size_t)v * D_LANES, sum[r][v]);
}

TARGET static void SUFFIX(tile_product)(const double *A, size_t rows, size_t lda,
                                        int lower, const double *tile, double *out) {
  for (size_t q = 0; q < rows; q += D_ROWS) {
    size_t used = lower && q + D_ROWS < lda ? q + D_ROWS : lda;
    SUFFIX(rows_of_tile)(A + q * lda, lda, used, tile, out + q * KG_TILE);
  }
}

/* out[l] = z . mean_l in single precision, over `width` floats, a multiple of 16. */
TARGET static void SUFFIX(float_dots)(const float *z, const float *mean, size_t width,
                                      size_t k, float *out) {
  size_t l = 0;
  for (; l + 4 <= k; l += 4) {
    const float *a = mean + l * width, *b = a + width, *c = b + width, *d = c + width;
    F sa = F_ZERO(), sb = F_ZERO(), sc = F_ZERO(), sd = F_ZERO();
    for (size_t q = 0; q < width; q += F_LANES) {
      F x = F_LOAD(z + q);
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
      sum = F_FMA(F_LOAD(z + q), F_LOAD(a + q), sum);
    out[l] = F_SUM(sum);
  }
}
