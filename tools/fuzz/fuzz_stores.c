/* fuzz_stores.c - stores without plain coordinates, limits on sizes, scatters and the
 * dependence of a series, against their definitions. */
#include "fuzz.h"

/* ---- stores ---- */

static void same_pairs(const kg_pairs *pairs, const long double *rho, double scale, bytes *in) {
  const size_t n = pairs->n, from = take_below(in, n), to = from + 1 + take_below(in, n - from);
  const size_t rows[3] = {take_below(in, n), take_below(in, n), take_below(in, n)}, many = 1 + take_below(in, 3);
  double *out = NEW(double, 3 * n);
  size_t *columns = NEW(size_t, n);
  kg_block(pairs, rows, many, from, to, out);
  for (size_t r = 0; r < many; r++)
    for (size_t j = from; j < to; j++) {
      const long double right = rows[r] == j ? 0 : rho[rows[r] + j * n] / -2;
      MUST(fabsl(out[r * (to - from) + j - from] - right) <= 1e-12L * scale);
    }
  for (size_t a = 0; a < n; a++) columns[a] = take_below(in, n);
  kg_among(pairs, rows[0], columns, n, out);
  for (size_t a = 0; a < n; a++)
    MUST(columns[a] == rows[0] || fabsl(out[a] - rho[rows[0] + columns[a] * n] / -2) <= 1e-12L * scale);
}

static long double term(enum kg_sum sum, double p, double x, double y) {
  const long double t = fabsl((long double)x - y), size = fabsl((long double)x) + fabsl((long double)y);
  return sum == KG_SUM_CANBERRA                           ? (size > 0 ? t / size : 0)
         : sum == KG_SUM_UNEQUAL || sum == KG_SUM_UNION ? (t > 0)
         : sum == KG_SUM_POWERS                           ? powl(t, p)
                                                          : t;
}

HARNESS(metrics) {
  static const double exponents[] = {1, 1.5, 2, 3, 4, 7.25};
  bytes in = {data, size};
  take_loops(&in);
  kg_semimetric rho;
  do rho = (kg_semimetric){(enum kg_family)take_below(&in, KG_N_FAMILIES), 1};
  while (kg_semimetric_of(rho.family)->sum == KG_SUM_SQUARES && in.left > 0);
  const enum kg_sum sum = kg_semimetric_of(rho.family)->sum;
  if (sum == KG_SUM_SQUARES) return 0;
  const size_t n = 1 + take_below(&in, 20), d = 1 + take_below(&in, 5), stored = d + (sum == KG_SUM_UNION);
  const double p = exponents[take_below(&in, 6)], power = take(&in) & 1 ? 0.5 : 1;
  double *x = NEW(double, n * stored), scale = 0;
  long double *R = NEW(long double, n * n);
  for (size_t i = 0; i < n; i++) {
    if (sum == KG_SUM_UNION) x[i + d * n] = 0;
    for (size_t c = 0; c < d; c++) {
      x[i + c * n] = sum == KG_SUM_UNION ? (double)(take(&in) & 1) : take_number(&in, 3);
      if (sum == KG_SUM_UNION) x[i + d * n] += x[i + c * n];
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      long double total = 0, largest = 0, either = 0;
      for (size_t c = 0; c < d; c++) {
        const double a = x[i + c * n], b = x[j + c * n];
        total += term(sum, p, a, b);
        largest = fmaxl(largest, fabsl((long double)a - b));
        either += a != 0 || b != 0;
      }
      total = sum == KG_SUM_MAXIMUM  ? largest
              : sum == KG_SUM_POWERS ? powl(total, 1 / (long double)p)
              : sum == KG_SUM_UNION  ? (either > 0 ? total / either : 0)
                                     : total;
      R[i + j * n] = powl(total, power);
      scale = fmax(scale, (double)R[i + j * n]);
    }
  rho.parameter = power;
  kg_metric m = {{x, n, stored, rho}, p};
  kg_pairs pairs = kg_metric_pairs(&m);
  same_pairs(&pairs, R, scale + 1e-290, &in);
  return fuzz_end();
}

/* ---- scatters ---- */

HARNESS(scatter) {
  bytes in = {data, size};
  take_loops(&in);
  const size_t n = 1 + take_below(&in, 20), d = 1 + take_below(&in, 6), stride = n + take_below(&in, 4);
  kg_cluster_rows rows = {.m = n, .rho = take_semimetric(&in), .least = pow(10, -(double)take_below(&in, 8))};
  void *memory;
  LAY(memory, kg_cluster_rows_lay(&rows, stride, d, &room));
  for (size_t i = 0; i < n; i++) {
    rows.w[i] = take_weight(&in, 1);
    for (size_t c = 0; c < d; c++) rows.x[i + c * stride] = take_number(&in, 1);
  }
  double *S = NEW(double, d * d);
  for (size_t a = 0; a < d * d; a++) S[a] = 0;
  kg_pair_scatter_begin(&rows);
  for (size_t from = 0, to; from < n; from = to) {
    to = from + 1 + take_below(&in, n - from);
    kg_pair_scatter(&rows, from, to);
  }
  kg_pair_scatter_end(&rows, S);
  for (size_t a = 0; a < d; a++)
    for (size_t b = 0; b < d; b++) {
      long double sum = 0, of = 0;
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
          double q = 0;
          for (size_t c = 0; c < d; c++)
            q += (rows.x[i + c * stride] - rows.x[j + c * stride]) * (rows.x[i + c * stride] - rows.x[j + c * stride]);
          if (i == j) continue;
          const long double u = (long double)rows.w[i] * rows.w[j] * kg_slope(rows.rho, fmax(q, rows.least));
          const double *x = rows.x + i, *y = rows.x + j;
          sum += u * ((long double)x[a * stride] - y[a * stride]) * ((long double)x[b * stride] - y[b * stride]);
          of += u * (fabsl(x[a * stride]) + fabsl(y[a * stride])) * (fabsl(x[b * stride]) + fabsl(y[b * stride]));
        }
      MUST(fabsl(S[a + b * d] + S[b + a * d] - sum) <= 1e-11L * of + 1e-290L);
    }
  return fuzz_end();
}

HARNESS(learner) {
  bytes in = {data, size};
  take_loops(&in);
  const size_t n = 1 + take_below(&in, 20), d = 1 + take_below(&in, 5), k = 1 + take_below(&in, n < 5 ? n : 5);
  double *x = NEW(double, n * d), *w = NEW(double, n), *uniform = NEW(double, k);
  for (size_t i = 0; i < n * d; i++) x[i] = take_number(&in, 3);
  for (size_t i = 0; i < n; i++) w[i] = i == 0 ? 1 : take_weight(&in, 1);
  for (size_t l = 0; l < k; l++) uniform[l] = take_uniform(&in);
  kg_learner l;
  void *memory;
  LAY(memory, kg_learner_lay(&l, n, d, k, &room));
  l.x = x, l.w = w;
  l.power = take(&in) & 1 ? 2 : 0.25 + take_uniform(&in);
  l.lambda = take_uniform(&in);
  const int fixed = l.power == 2 && take(&in) & 1;
  for (size_t c = 0; c < d * d; c++) l.M[c] = c % (d + 1) == 0;
  MUST(kg_learner_start(&l, uniform));
  double old = HUGE_VAL;
  for (int pass = 0; pass < 6; pass++) {
    const double now = kg_learner_pass(&l, !fixed);
    for (size_t i = 0; i < n; i++) MUST(l.label[i] >= 0 && (size_t)l.label[i] < k);
    MUST(now >= 0);
    if (now == HUGE_VAL) break;
    /* means and labels by turns in one metric */
    if (fixed) MUST(now <= old * (1 + 1e-10) + 1e-290);
    old = now;
  }
  return fuzz_end();
}

/* ---- the dependence of a series ---- */

HARNESS(dependence) {
  bytes in = {data, size};
  const size_t n = KG_ORDER + 1 + take_below(&in, 30), d = 1 + take_below(&in, 2), least = 1 + take_below(&in, 6);
  double *x = NEW(double, n * d), *between;
  size_t *end = NEW(size_t, n + 1), cells = 0;
  for (size_t a = 0; a < n * d; a++) x[a] = take_number(&in, 3);
  for (end[0] = 0; end[cells] < n; cells++) {
    const size_t more = 1 + take_below(&in, 3);
    end[cells + 1] = n - end[cells] < more ? n : end[cells] + more;
  }
  between = NEW(double, cells * cells);
  for (size_t a = 0; a < cells; a++)
    for (size_t b = 0; b < cells; b++) {
      double sum = 0;
      for (size_t i = end[a]; i < end[a + 1]; i++)
        for (size_t j = end[b]; j < end[b + 1]; j++)
          for (size_t c = 0; c < d; c++) sum -= fabs(x[i + c * n] - x[j + c * n]) / 2;
      between[a + b * cells] = sum;
    }
  kg_dependence t = {.n = n, .d = d, .cells = cells, .changes = take_below(&in, 5), .least = least,
                     .width = take_below(&in, 3), .price = take_uniform(&in), .x = x, .between = between, .end = end};
  void *memory;
  LAY(memory, kg_dependence_lay(&t, &room));
  const size_t most = kg_dependence_begin(&t);
  MUST(most <= t.changes && (most == 0 || (most + 1) * least <= n));
  for (size_t m = 0; m <= most; m++) {
    MUST(!isnan(kg_dependence_try(&t, m)));
    MUST(t.start[0] == 0 && t.start[m + 1] == n);
    for (size_t r = 0; r <= m && m > 0; r++) MUST(t.start[r + 1] >= t.start[r] + least);
    for (size_t a = 0; a < KG_ORDER * d; a++) MUST(fabs(t.phi[a]) < 4);
  }
  return fuzz_end();
}
