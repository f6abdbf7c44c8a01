/* fuzz_sequences.c - groups on a line, runs of a sequence, the dip of a sample. */
#include "fuzz.h"

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double *take_sorted(bytes *in, size_t n, double most) {
  double *x = NEW(double, n);
  for (size_t i = 0; i < n; i++) x[i] = take_number(in, most);
  qsort(x, n, sizeof(double), ascending);
  return x;
}

/* W and s of groups of points on a line, against all pairs; codes in any order. */

HARNESS(line) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 40), codes = 1 + take_below(&in, 6), k = 1 + take_below(&in, 5);
  const int weighted = take(&in) & 1;
  double *x = take_sorted(&in, n, 6), *weight = NEW(double, codes);
  int *order = NEW(int, n), *code = NEW(int, n), *label = NEW(int, codes);
  for (size_t a = 0; a < codes; a++) label[a] = (int)take_below(&in, k), weight[a] = take_weight(&in, 0);
  for (size_t i = 0; i < n; i++) order[i] = (int)i;
  for (size_t i = 0; i < n; i++) {
    size_t other = i + take_below(&in, n - i);
    int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
    code[i] = (int)take_below(&in, codes);
  }
  double *W = NEW(double, k), *s = NEW(double, k), *moment = NEW(double, k);
  kg_line(x, order, n, code, label, weighted ? weight : NULL, k, W, s, moment);
  for (size_t l = 0; l < k; l++) {
    long double sum = 0, mass = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
      const int a = code[order[i]];
      if ((size_t)label[a] != l) continue;
      const long double w = weighted ? weight[a] : 1;
      mass += w;
      largest = fmaxl(largest, fabsl((long double)x[i]));
      for (size_t j = 0; j < i; j++) {
        const int b = code[order[j]];
        if ((size_t)label[b] == l) sum += w * (weighted ? weight[b] : 1) * ((long double)x[i] - x[j]);
      }
    }
    MUST(W[l] >= 0 && fabsl(s[l] - mass) <= 1e-13L * mass);
    MUST(fabsl(W[l] - (mass > 0 ? sum / mass : 0)) <= 1e-12L * largest * mass);
  }
  return fuzz_end();
}

/* The best divisions of a sequence against all divisions; starts attain them. */

static double run_W(const double *B, size_t n, size_t first, size_t end) {
  long double sum = 0;
  for (size_t i = first; i < end; i++)
    for (size_t j = first; j < i; j++) sum -= 2 * (long double)B[i * n + j];
  return (double)(sum / (long double)(end - first));
}

static double least_runs(const double *B, size_t n, size_t first, size_t k, size_t least) {
  double best = HUGE_VAL;
  if (k == 1) return n - first >= least ? run_W(B, n, first, n) : best;
  for (size_t end = first + least; end + least <= n; end++)
    best = fmin(best, run_W(B, n, first, end) + least_runs(B, n, end, k - 1, least));
  return best;
}

HARNESS(changes) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 11), least = 1 + take_below(&in, n < 4 ? n : 4);
  size_t k = 1 + take_below(&in, n / least < 4 ? n / least : 4);
  double *x = NEW(double, n), *B = NEW(double, n * n), largest = 0;
  for (size_t i = 0; i < n; i++) x[i] = take_number(&in, 6);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      B[i * n + j] = -fabs(x[i] - x[j]) / 2;
      largest = fmax(largest, fabs(B[i * n + j]));
    }
  kg_changes c = {.n = n, .k = k, .least = least, .start = NEW(int, n * k)};
  void *memory;
  LAY(memory, kg_changes_lay(&c, &room));
  kg_changes_begin(&c);
  for (size_t j = 0; j < n; j++) kg_changes_append(&c, j, B + j * n);
  const double slack = 1e-12 * largest * (double)(n * n) + 1e-290;
  for (size_t m = 1; m <= k; m++) {
    double W = c.best[m * (n + 1) + n], sum = 0;
    MUST(fabs(W - least_runs(B, n, 0, m, least)) <= slack);
    size_t end = n;
    for (size_t l = m; l-- > 0;) {
      const int start = c.start[l * n + end - 1];
      MUST(start >= 1 && (size_t)start + least <= end + 1);
      sum += run_W(B, n, (size_t)start - 1, end);
      end = (size_t)start - 1;
    }
    MUST(end == 0 && fabs(W - sum) <= slack);
  }
  return fuzz_end();
}

/* The dip is between 1/(2n) and 1/4; reflection keeps it, a power of two exactly. */

HARNESS(dip) {
  bytes in = {data, size};
  size_t n = 2 + take_below(&in, 60);
  double *x = take_sorted(&in, n, 3), *other = NEW(double, n);
  size_t *work = NEW(size_t, 2 * n);
  const double dip = kg_dip(x, n, work);
  MUST(dip >= 0.5 / (double)n && dip <= 0.25 + 1e-12);
  for (size_t i = 0; i < n; i++) other[i] = 4 * x[i];
  MUST(kg_dip(other, n, work) == dip);
  for (size_t i = 0; i < n; i++) other[i] = -x[n - 1 - i];
  MUST(fabs(kg_dip(other, n, work) - dip) <= 1e-9);
  return fuzz_end();
}
