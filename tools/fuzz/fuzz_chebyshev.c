/* Products of a sparse matrix with blocks of vectors, their sums and rotations: against
 * dense sums in double, in any pieces; the bound is above every row sum of |H| u / u, and
 * the filter stays finite. */
#include "fuzz.h"

enum { MOST_N = 40, W = KG_WIDE, P = 2 * W };

/* H x of the whole block, once: sums in double and how large they could have been. */
static void dense_times(size_t n, double h[MOST_N][MOST_N], const float *x,
                        double sum[MOST_N][W], double size[MOST_N][W]) {
  for (size_t i = 0; i < n; i++) {
    for (size_t t = 0; t < W; t++) sum[i][t] = size[i][t] = 0;
    for (size_t j = 0; j < n; j++) {
      if (h[i][j] == 0)
        continue;
      for (size_t t = 0; t < W; t++) {
        sum[i][t] += h[i][j] * (double)x[j * W + t];
        size[i][t] += fabs(h[i][j] * (double)x[j * W + t]);
      }
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  const size_t n = 1 + take_below(&in, MOST_N), cut = take_below(&in, n + 1);
  const unsigned flags = take(&in);
  const int weighted = flags & 1;
  const double every = 0.1 + 4 * take_uniform(&in);
  static double h[MOST_N][MOST_N];
  memset(h, 0, sizeof h);
  for (size_t a = 0; a < 3 * n && in.left > 0; a++) {
    const size_t i = take_below(&in, n), j = take_below(&in, n);
    const double value = weighted ? take_weight(&in, 0) : every;
    if (i != j && value < 1e6)
      h[i][j] = h[j][i] = -value;
  }
  int *start = NEW(int, n + 1), *row = NEW(int, n *n);
  double *value = NEW(double, n *n), *diagonal = NEW(double, n);
  size_t entries = 0;
  start[0] = 0;
  for (size_t j = 0; j < n; j++) {
    h[j][j] = diagonal[j] = 8 * take_uniform(&in) - 2;
    for (size_t i = 0; i < n; i++) {
      if (i == j || h[i][j] == 0)
        continue;
      row[entries] = (int)i;
      value[entries++] = -h[i][j];
    }
    start[j + 1] = (int)entries;
  }
  const kg_wide wide = {
      n, start, row, weighted ? value : NULL, diagonal, every, 1 + (int)(flags >> 7)};
  float *block[2] = {NEW(float, n *W), NEW(float, n *W)}, *y = NEW(float, n *W),
        *whole = NEW(float, n *W);
  for (size_t b = 0; b < 2; b++) {
    kg_wide_begin(0, cut, b, block[b]);
    kg_wide_begin(cut, n, b, block[b]);
    for (size_t i = 0; i < n * W; i++)
      MUST(fabsf(block[b][i]) <= 1);
  }
  const double scale = take_uniform(&in), shift = 2 * take_uniform(&in) - 1,
               keep = take_uniform(&in);
  memcpy(y, block[1], n * W * sizeof(float));
  memcpy(whole, block[1], n * W * sizeof(float));
  kg_wide_step(&wide, 0, cut, block[0], y, scale, shift, keep);
  kg_wide_step(&wide, cut, n, block[0], y, scale, shift, keep);
  kg_wide_step(&wide, 0, n, block[0], whole, scale, shift, keep);
  MUST(memcmp(y, whole, n * W * sizeof(float)) == 0);
  static double right[2][MOST_N][W], wide_as[2][MOST_N][W];
  for (size_t b = 0; b < 2; b++)
    dense_times(n, h, block[b], right[b], wide_as[b]);
  for (size_t i = 0; i < n; i++) {
    for (size_t t = 0; t < W; t++) {
      double want = scale * right[0][i][t];
      want += shift * (double)block[0][i * W + t] + keep * (double)block[1][i * W + t];
      MUST(fabs((double)y[i * W + t] - want) <= 1e-5 * (scale * wide_as[0][i][t] + 3));
    }
  }
  /* the bound, at the ones */
  double *u = NEW(double, n), *next = NEW(double, n), bound, most = 0;
  for (size_t i = 0; i < n; i++)
    u[i] = 1;
  bound = kg_wide_bound(&wide, 0, cut, u, next, 0);
  bound = kg_wide_bound(&wide, cut, n, u, next, bound);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
      sum += fabs(h[i][j]);
    if (sum > most)
      most = sum;
  }
  MUST(bound >= most * (1 - 1e-12) && isfinite(bound));
  /* sums of both blocks, in pieces */
  double *S = NEW(double, P *P), *G = NEW(double, P *P);
  memset(S, 0, P * P * sizeof(double));
  memset(G, 0, P * P * sizeof(double));
  for (size_t b = 0; b < 2; b++) {
    kg_wide_gram(&wide, 0, cut, block, b, P, S, G);
    kg_wide_gram(&wide, cut, n, block, b, P, S, G);
  }
  for (size_t a = 0; a < P; a += 1 + take_below(&in, 7)) {
    for (size_t c = a / W * W; c < P; c += 1 + take_below(&in, 7)) {
      double s = 0, g = 0, s_size = 1, g_size = 1;
      for (size_t i = 0; i < n; i++) {
        const double left = (double)block[a / W][i * W + a % W];
        s += left * (double)block[c / W][i * W + c % W];
        g += left * right[c / W][i][c % W];
        s_size += fabs(left);
        g_size += fabs(left) * wide_as[c / W][i][c % W];
      }
      MUST(fabs(S[a + c * P] - s) <= 1e-5 * s_size &&
           fabs(G[a + c * P] - g) <= 1e-5 * g_size);
    }
  }
  /* a rotation that exchanges the blocks */
  float *C = NEW(float, P *P), *line = NEW(float, 32 * P), *old = NEW(float, n *W);
  for (size_t a = 0; a < P * P; a++)
    C[a] = 0;
  for (size_t a = 0; a < P; a++)
    C[a * P + (a + W) % P] = 1;
  memcpy(old, block[0], n * W * sizeof(float));
  kg_wide_rotate(0, cut, block, P, C, line);
  kg_wide_rotate(cut, n, block, P, C, line);
  MUST(memcmp(block[1], old, n * W * sizeof(float)) == 0);
  /* what the filter leaves inside its interval never grows */
  kg_filter f;
  const double low = take_uniform(&in), high = low + 0.1 + 8 * take_uniform(&in),
               smallest = -3 * take_uniform(&in);
  kg_filter_begin(&f, smallest, low, high);
  const double at = low + (high - low) * take_uniform(&in);
  double before = 1, now = f.scale * at + f.shift;
  for (int degree = 1; degree < 16; degree++) {
    MUST(isfinite(now) && fabs(now) <= 1 + 1e-9);
    kg_filter_next(&f);
    const double then = (f.scale * at + f.shift) * now + f.keep * before;
    before = now;
    now = then;
  }
  return fuzz_end();
}
