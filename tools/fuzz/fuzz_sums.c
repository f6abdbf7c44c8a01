/* fuzz_sums.c - sums over given groups, numbers on a line, and graphs. */
#include "fuzz.h"

/* Sums between groups, products B v, and sums as other points see them, against the
 * definitions. */

HARNESS(dispersion) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  size_t n = p.n, k = p.k, cut = take_below(&in, n + 1);
  double *M = NEW(double, 2 * k * k), *out = NEW(double, n);
  double *buffer = NEW(double, n), *bucket = NEW(double, k), room = 1e-12 * p.scale + 1e-290;
  memset(M, 0, 2 * k * k * sizeof(double));
  memset(out, 0, n * sizeof(double));
  for (size_t half = 0; half < 2; half++) {
    size_t from = half ? cut : 0, to = half ? n : cut;
    kg_dispersion_rows(&p.pairs, p.w, p.label, k, from, to, M, M + k * k, buffer, bucket);
    kg_product_rows(&p.pairs, p.w, from, to, out, buffer);
  }
  kg_dispersion_end(k, M, M + k * k);
  for (size_t a = 0; a < k; a++) {
    for (size_t b = 0; b < k; b++) {
      double right = 0;
      for (size_t i = 0; i < n; i++)
        if ((size_t)p.label[i] == a) right += p.w[i] * right_R(&p, p.label, i, b);
      double got = M[a + k * b];
      MUST(fabs(got - right) <= room * p.total);
      MUST(M[a + k * b] == M[b + k * a]);
    }
  }
  for (size_t i = 0; i < n; i++) {
    double right = 0;
    for (size_t l = 0; l < k; l++) right += right_R(&p, p.label, i, l);
    MUST(fabs(out[i] - right) <= room);
  }
  const kg_coordinates *points = kg_coordinates_of(&p.pairs);
  if (points) {
    size_t most = kg_quads_most(n, k);
    kg_quads quads = {0, p.d, NEW(double, 4 * p.d * most), NEW(double, 4 * most),
                      NEW(int, most)};
    double *R = NEW(double, n * k);
    memset(R, 0, n * k * sizeof(double));
    kg_quads_fill(&quads, points, p.w, NULL, p.label, n, k);
    MUST(quads.n <= most);
    kg_cross_sums(points, &quads, 0, cut, R, n);
    kg_cross_sums(points, &quads, cut, n, R, n);
    for (size_t i = 0; i < n; i++)
      for (size_t l = 0; l < k; l++)
        MUST(fabs(R[i + l * n] - right_R(&p, p.label, i, l)) <= room);
  }
  return fuzz_end();
}

/* Statistics of many relabellings against the definition, in pieces of any size. */

HARNESS(permute) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  size_t n = p.n, k = p.k, m = 1 + take_below(&in, 18), cut = take_below(&in, n + 1);
  double *centre = NEW(double, n), *one_over = NEW(double, m * k);
  int *label = NEW(int, n * m);
  for (size_t i = 0; i < n; i++) centre[i] = take_number(&in, 1);
  kg_permute both[2];
  for (int form = 0; form < 2; form++) {
    void *memory;
    both[form] = (kg_permute){.pairs = &p.pairs, .w = p.w, .centre = centre, .k = k, .m = m, .statistic = form ? KG_ORIGINAL : KG_BETWEEN};
    LAY(memory, kg_permute_lay(both + form, &room));
  }
  memset(one_over, 0, m * k * sizeof(double));
  for (size_t q = 0; q < m; q++) {
    for (size_t i = 0; i < n; i++) {
      label[q * n + i] = (int)take_below(&in, k);
      one_over[q * k + (size_t)label[q * n + i]] += p.w[i];
    }
    for (int form = 0; form < 2; form++) kg_permute_set(both + form, q, label + q * n, NULL);
    memset(both[1].form.C + q * k * k, 0, k * k * sizeof(double)); /* the same statistic as a form */
    for (size_t a = 0; a < k; a++) {
      double *s = one_over + q * k + a;
      *s = both[1].form.C[(q * k + a) * k + a] = *s > 0 ? 1 / *s : 0;
    }
  }
  for (int form = 0; form < 2; form++) {
    kg_permute_rows(both + form, 0, cut);
    kg_permute_rows(both + form, cut, n);
  }
  double largest = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      largest = fmax(largest, fabs(p.B[i + j * n]) + fabs(centre[i]) + fabs(centre[j]));
  for (size_t q = 0; q < m; q++) {
    long double right = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        if (label[q * n + i] != label[q * n + j]) continue;
        right += (long double)p.w[i] * p.w[j] * (p.B[i + j * n] - centre[i] - centre[j]) *
                 one_over[q * k + (size_t)label[q * n + i]];
      }
    double room = 1e-12 * largest * p.total + 1e-290;
    for (int form = 0; form < 2; form++)
      MUST(fabs(both[form].out[q] - (double)right) <= room);
  }
  return fuzz_end();
}

/* One dimension: the dynamic programme finds what brute force over all cuts finds, its W
 * are those of the runs, labels are in range. */

static double W_of(const double *value, const double *weight, size_t from, size_t to) {
  double s = 0;
  long double sum = 0;
  for (size_t i = from; i < to; i++) {
    s += weight[i];
    for (size_t j = from; j < i; j++)
      sum += (long double)weight[i] * weight[j] * (long double)(value[i] - value[j]);
  }
  return s > 0 ? (double)(sum / s) : 0;
}

/* Least W of [from, m) in k runs, by trying every cut. */
static double least_W(const double *value, const double *weight, size_t from, size_t m,
                      size_t k) {
  double least = HUGE_VAL;
  if (k == 1) return W_of(value, weight, from, m);
  for (size_t cut = from + 1; cut + k - 1 <= m; cut++)
    least = fmin(least, W_of(value, weight, from, cut) +
                            least_W(value, weight, cut, m, k - 1));
  return least;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

HARNESS(onedim) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 12), k = 1 + take_below(&in, 4), budget = 1 + take(&in);
  int weighted = take(&in) & 1, exponent, *label = NEW(int, n);
  double *x = NEW(double, n), *w = NEW(double, n), s;
  double *value = NEW(double, n), *weight = NEW(double, n);
  for (size_t i = 0; i < n; i++) x[i] = take_number(&in, 12), w[i] = take_weight(&in, 0);
  qsort(x, n, sizeof(double), by_value);
  size_t m = kg_runs_merge(x, weighted ? w : NULL, n, value, weight, &exponent);
  MUST(m >= 1 && m <= n);
  for (size_t i = 1; i < m; i++) MUST(value[i] > value[i - 1]);
  if (k > m) k = m;
  kg_runs runs = kg_runs_of(value, weight, m);
  double all = kg_run_dispersion(value, weight, 0, m, &s);
  MUST(fabs(all - W_of(value, weight, 0, m)) <= 1e-12 * all);

  double *W = NEW(double, m + 1), *before = NEW(double, m + 1);
  size_t start[5] = {0};
  unsigned *cut[5] = {NULL};
  kg_run_moments moments;
  void *sums;
  LAY(sums, kg_run_moments_lay(&moments, m, &room));
  kg_runs_moments(&runs, &moments);
  kg_runs_layer *layer = NEW(kg_runs_layer, 1);
  kg_runs_first(&runs, W);
  if (k == m) {
    for (size_t l = 0; l < m; l++) start[l] = l;
  } else if (k > 1) {
    size_t j = 1;
    for (; j + 1 < k; j++) {
      double *swap = before;
      before = W;
      W = swap;
      cut[j + 1] = NEW(unsigned, m);
      kg_runs_layer_begin(layer, &moments, m, j + 1, before, W, cut[j + 1]);
      while (kg_runs_layer_step(layer, budget)) {
      }
    }
    size_t end = kg_runs_last(&runs, W, j);
    MUST(end >= j && end < m);
    start[j] = end;
    for (size_t l = j; l > 1; l--) {
      end = cut[l][end];
      MUST(end >= l - 1 && end < start[l]);
      start[l - 1] = end;
    }
  }
  double found = 0;
  for (size_t l = 0; l < k; l++)
    found += kg_run_dispersion(value, weight, start[l], l + 1 < k ? start[l + 1] : m, &s);
  double least = least_W(value, weight, 0, m, k);
  MUST(found <= least + 1e-11 * least + 1e-24 * all);
  MUST(found >= least - 1e-11 * least - 1e-24 * all);

  double *bound = NEW(double, k);
  for (size_t l = 1; l < k; l++) bound[l - 1] = value[start[l]];
  kg_runs_label(x, n, bound, k - 1, NULL, label);
  for (size_t i = 0; i < n; i++) {
    MUST(label[i] >= 0 && (size_t)label[i] < k);
    if (i > 0) MUST(label[i] >= label[i - 1]);
    if (i > 0 && x[i] == x[i - 1]) MUST(label[i] == label[i - 1]);
  }
  return fuzz_end();
}

/* Belief propagation: patterns that are not symmetric are refused; else every column of
 * marginals and messages stays a distribution, and the rates stay positive and finite. */

HARNESS(belief) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 14), k = 1 + take_below(&in, 4), entries = 0;
  unsigned flags = take(&in);
  unsigned char edge[14][14] = {{0}};
  for (size_t a = 0; a < 2 * n && in.left > 0; a++) {
    size_t i = take_below(&in, n), j = take_below(&in, n);
    if (i != j) edge[i][j] = 1;
    if (i != j && !(flags & 8)) edge[j][i] = 1;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) entries += edge[i][j];
  int *start = NEW(int, n + 1), *row = NEW(int, entries), symmetric = 1;
  double *weight = NEW(double, entries);
  start[0] = 0;
  for (size_t i = 0, e = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      if (edge[i][j]) row[e++] = (int)j;
      if (edge[i][j] != edge[j][i]) symmetric = 0;
    }
    start[i + 1] = (int)e;
  }
  /* which parts the model has; norms and weights exclude each other */
  unsigned form = take(&in);
  const int weighted = flags & 1, normed = !weighted && (form & 2);
  enum { BINS = 3 };
  int *bin = NEW(int, n);
  double share[BINS] = {0}, *theta = NEW(double, n);
  for (size_t i = 0; i < n; i++) {
    theta[i] = take_weight(&in, 0);
    bin[i] = (int)take_below(&in, BINS);
    share[bin[i]] += 1 / (double)n;
  }
  kg_belief g;
  memset(&g, 0, sizeof g);
  g.n = n, g.k = k, g.graph.start = start, g.graph.row = row;
  g.graph.weight = weighted ? weight : NULL;
  g.graph.theta = form & 4 ? theta : NULL;
  g.model.bin = form & 8 ? bin : NULL, g.model.bins = form & 8 ? BINS : 0, g.model.share = share;
  g.model.learn_sizes = (flags & 2) != 0, g.model.normed = normed;
  g.model.inside = take_weight(&in, 0), g.model.outside = take_weight(&in, 0);
  g.marginal = NEW(double, n * k);
  void *memory;
  LAY(memory, kg_belief_lay(&g, &room));
  if (g.room > 2 * k)
    g.room = 2 * k;
  MUST(kg_belief_reverse(&g) == symmetric);
  if (!symmetric) return fuzz_end();
  for (size_t i = 0; i < n; i++)
    for (int e = start[i]; e < start[i + 1]; e++) {
      MUST((size_t)row[g.reverse[e]] == i && g.reverse[g.reverse[e]] == (size_t)e);
      if ((size_t)row[e] > i) weight[e] = weight[g.reverse[e]] = take_weight(&in, 1);
    }
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t q = 0; q < k; q++) sum += g.marginal[i * k + q] = take_uniform(&in);
    for (size_t q = 0; q < k; q++) g.marginal[i * k + q] /= sum;
  }
  kg_belief_begin(&g, 0, n / 2);
  kg_belief_begin(&g, n / 2, n);
  kg_belief_clear(&g);
  kg_belief_totals(&g, 0, n);
  kg_belief_shape(&g);
  for (size_t sweep = 0; sweep < 8; sweep++) {
    const int forward = sweep % 2 == 0;
    kg_belief_sweep(&g, forward ? 0 : n / 2, forward ? n / 2 : n, forward);
    kg_belief_sweep(&g, forward ? n / 2 : 0, forward ? n : n / 2, forward);
    MUST(isfinite(g.sums.change) && g.sums.change >= 0 && g.sums.change <= 2.0 * (double)n + 1e-9);
    kg_belief_clear(&g);
    kg_belief_totals(&g, 0, n);
    kg_belief_edges(&g, 0, n / 2);
    kg_belief_edges(&g, n / 2, n);
    if (flags & 4) kg_belief_rates(&g);
    kg_belief_shape(&g);
    MUST(g.model.inside > 0 && g.model.outside > 0 && isfinite(g.model.inside) && isfinite(g.model.outside));
    for (size_t column = 0; column < n + entries; column++) {
      const double *p = column < n ? g.marginal + column * k : g.message + (column - n) * k;
      double sum = 0;
      for (size_t q = 0; q < k; q++) {
        MUST(p[q] >= 0 && p[q] <= 1 + 1e-12);
        sum += p[q];
      }
      MUST(fabs(sum - 1) <= 1e-9);
    }
  }
  kg_belief_energy(&g, 0, n);
  MUST(isfinite(g.sums.energy));
  return fuzz_end();
}

/* Products of a sparse matrix with blocks of vectors, their sums and rotations: against
 * dense sums in double, in any pieces; the bound is above every row sum of |H| u / u. */

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

HARNESS(chebyshev) {
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
  return fuzz_end();
}
