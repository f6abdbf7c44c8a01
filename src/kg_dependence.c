/* kg_dependence.c - changes by dynamic programming over cells of adjacent rows,
 * autoregressions by Levinson's recursion, their order by BIC. Means of runs take the
 * long-run variance over their length from each autocovariance, which is given back. */
#include "kg_dependence.h"
#include "kg_check.h"
#include <math.h>
#include <string.h>

/* Partial autocorrelations up to this. */
static const double most = 0.98;
/* The least variance of innovations, of that of the column: runs may be constant. */
static const double least_share = 1e-24;

void kg_dependence_lay(kg_dependence *t, kg_room *room) {
  const size_t ends = t->cells + 1;
  t->W = KG_TAKE2(room, ends, ends, double);
  t->best = KG_TAKE2(room, t->changes + 1, ends, double);
  t->from = KG_TAKE2(room, t->changes + 1, ends, size_t);
  t->sums = KG_TAKE2(room, t->n + 1, t->d, double);
  t->rest = KG_TAKE(room, t->n, double);
  t->start = KG_TAKE(room, t->changes + 2, size_t);
  t->phi = KG_TAKE2(room, KG_ORDER, t->d, double);
}

/* W of the rows from end i to end j, at i + j * (cells + 1); infinite if they are too
 * few. whole: of cells + 1 values. */
static void set_W(const double *between, size_t stride, const size_t *end, size_t cells,
                  size_t least, double *W, double *whole) {
  const size_t ends = cells + 1;
  memset(W, 0, ends * ends * sizeof(double));
  for (size_t j = 0; j < cells; j++) {
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
      sum += between[i + j * stride];
      W[i + 1 + (j + 1) * ends] = W[i + 1 + j * ends] + sum;
    }
  }
  for (size_t j = 0; j < ends; j++)
    whole[j] = W[j + j * ends];
  for (size_t j = 0; j < ends; j++)
    for (size_t i = 0; i < ends; i++) {
      double *one = W + i + j * ends;
      const int fits = i < j && end[j] - end[i] >= least;
      *one =
          fits ? (2 * *one - whole[i] - whole[j]) / (double)(end[j] - end[i]) : HUGE_VAL;
    }
}

void kg_run_falls(const double *between, size_t stride, const size_t *end, size_t cells,
                  size_t least, double *room, double *fall) {
  const size_t ends = cells + 1, last = cells * ends;
  double *W = room, *whole = room + ends * ends;
  set_W(between, stride, end, cells, least, W, whole);
  const double rows = (double)(end[cells] - end[0]), all = -whole[cells] / rows;
  double one = all, two;
  for (size_t i = 1; i < cells; i++)
    one = fmin(one, W[i * ends] + W[i + last]);
  two = one;
  for (size_t j = 1; j < cells; j++)
    for (size_t i = 1; i < j; i++)
      two = fmin(two, W[i * ends] + W[i + j * ends] + W[j + last]);
  const int varies = all > 0 && isfinite(all);
  fall[0] = varies ? (all - one) / all * rows : 0;
  fall[1] = varies ? (all - two) / all * rows : 0;
}

size_t kg_dependence_begin(kg_dependence *t) {
  const size_t ends = t->cells + 1;
  KG_CHECK(t->cells > 0 && t->least > 0 && t->end[t->cells] == t->n);
  set_W(t->between, t->cells, t->end, t->cells, t->least, t->W, t->best);
  for (size_t j = 0; j < ends; j++)
    t->best[j] = t->W[j * ends];
  for (size_t c = 0; c < t->d; c++) {
    double *sum = t->sums + c * (t->n + 1);
    sum[0] = 0;
    for (size_t i = 0; i < t->n; i++)
      sum[i + 1] = sum[i] + t->x[i + c * t->n];
  }
  for (size_t m = 1; m <= t->changes; m++) {
    const double *before = t->best + (m - 1) * ends;
    for (size_t j = 0; j < ends; j++) {
      double lowest = HUGE_VAL;
      size_t at = 0;
      for (size_t i = 0; i < j; i++)
        if (before[i] + t->W[i + j * ends] < lowest) {
          lowest = before[i] + t->W[i + j * ends];
          at = i;
        }
      t->best[m * ends + j] = lowest;
      t->from[m * ends + j] = at;
    }
    if (t->best[m * ends + t->cells] == HUGE_VAL)
      return m - 1;
  }
  return t->changes;
}

/* The fall of the sum of squares by a change at row `at` between two others. */
static double fall(const kg_dependence *t, size_t before, size_t at, size_t after) {
  double value = 0;
  for (size_t c = 0; c < t->d; c++) {
    const double *sum = t->sums + c * (t->n + 1);
    const double left = sum[at] - sum[before], right = sum[after] - sum[at];
    value += left * left / (double)(at - before) + right * right / (double)(after - at);
  }
  return value;
}

/* Each change is moved by up to `width`: one row on the wrong side of a large shift would
 * be two large innovations. */
static void settle(kg_dependence *t, size_t m) {
  for (size_t i = 1; i <= m; i++) {
    const size_t before = t->start[i - 1], after = t->start[i + 1], now = t->start[i];
    double largest = -HUGE_VAL;
    size_t low = now > t->width ? now - t->width : 0, high = now + t->width;
    low = low > before + t->least ? low : before + t->least;
    high = high + t->least < after ? high : after - t->least;
    for (size_t at = low; at <= high; at++) {
      const double value = fall(t, before, at, after);
      if (value > largest) {
        largest = value;
        t->start[i] = at;
      }
    }
  }
}

/* Deviations of column c from the means of m + 1 runs, and their autocovariances within
 * these. Returns the largest deviation. */
static double deviations(kg_dependence *t, size_t c, size_t m, double *gamma) {
  const double *sum = t->sums + c * (t->n + 1), *x = t->x + c * t->n;
  double largest = 0;
  for (size_t r = 0; r <= m; r++) {
    const size_t from = t->start[r], to = t->start[r + 1];
    const double mean = (sum[to] - sum[from]) / (double)(to - from);
    for (size_t i = from; i < to; i++) {
      t->rest[i] = x[i] - mean;
      largest = fmax(largest, fabs(t->rest[i]));
    }
  }
  for (size_t h = 0; h <= KG_ORDER; h++) {
    double total = 0, count = 0;
    for (size_t r = 0; r <= m; r++)
      for (size_t i = t->start[r]; i + h < t->start[r + 1]; i++) {
        total += t->rest[i] * t->rest[i + h];
        count++;
      }
    gamma[h] = total / (count > 1 ? count : 1);
  }
  return largest;
}

/* The variance of column c about its mean. */
static double variance(const kg_dependence *t, size_t c) {
  const double *x = t->x + c * t->n, mean = t->sums[c * (t->n + 1) + t->n] / (double)t->n;
  double squares = 0;
  for (size_t i = 0; i < t->n; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  return squares / (double)t->n;
}

static double bounded(double partial) {
  return fmax(-most, fmin(most, partial));
}

/* Are all roots of 1 - sum_h phi_h z^h beyond 1.01? Levinson's recursion backwards. */
static int is_steady(const double *phi, size_t order) {
  double a[KG_ORDER], b[KG_ORDER];
  for (size_t h = 0; h < order; h++)
    a[h] = phi[h] * pow(1.01, (double)h + 1);
  for (size_t p = order; p-- > 0;) {
    const double partial = a[p];
    if (!(fabs(partial) < 1))
      return 0;
    for (size_t h = 0; h < p; h++)
      b[h] = (a[h] + partial * a[p - 1 - h]) / (1 - partial * partial);
    memcpy(a, b, p * sizeof(double));
  }
  return 1;
}

/* The order and the coefficients, zero beyond the order. */
static size_t coefficients(const double *raw, size_t runs, size_t n, double *phi) {
  double gamma[KG_ORDER + 1], a[KG_ORDER] = {0}, b[KG_ORDER] = {0}, lowest = HUGE_VAL;
  size_t order = 0;
  memcpy(gamma, raw, sizeof gamma);
  for (int again = 0; again < 2; again++) {
    const double one = bounded(gamma[1] / gamma[0]);
    const double more =
        gamma[0] * (1 - one * one) / (1 - one) / (1 - one) * (double)runs / (double)n;
    for (size_t h = 0; h <= KG_ORDER; h++)
      gamma[h] = raw[h] + more;
  }
  double v = gamma[0];
  for (size_t p = 1; p <= KG_ORDER; p++) {
    double partial = gamma[p];
    for (size_t h = 1; h < p; h++)
      partial -= a[h - 1] * gamma[p - h];
    partial = bounded(partial / v);
    for (size_t h = 0; h + 1 < p; h++)
      b[h] = a[h] - partial * a[p - 2 - h];
    memcpy(a, b, (p - 1) * sizeof(double));
    a[p - 1] = partial;
    v *= 1 - partial * partial;
    const double value = (double)n * log(v) + (double)p * log((double)n);
    if (value < lowest) {
      lowest = value;
      order = p;
      memcpy(phi, a, p * sizeof(double));
    }
  }
  for (size_t h = 0; h < order; h++)
    phi[h] *= 1 + 2 / (double)n;
  while (!is_steady(phi, order))
    for (size_t h = 0; h < order; h++)
      phi[h] *= 0.98;
  return order;
}

double kg_dependence_try(kg_dependence *t, size_t m) {
  const size_t n = t->n, ends = t->cells + 1;
  KG_CHECK(m <= t->changes && n > KG_ORDER);
  double value = t->price * (double)m * (double)(t->d + 1) * log((double)n);
  t->start[0] = 0;
  t->start[m + 1] = n;
  for (size_t l = m, place = t->cells; l > 0; l--) {
    place = t->from[l * ends + place];
    t->start[l] = t->end[place];
  }
  settle(t, m);
  for (size_t c = 0; c < t->d; c++) {
    double gamma[KG_ORDER + 1], *phi = t->phi + c * KG_ORDER, squares = 0;
    const double whole = variance(t, c), largest = deviations(t, c, m, gamma);
    const int varies = gamma[0] > 1e-12 * largest * largest;
    memset(phi, 0, KG_ORDER * sizeof(double));
    if (!(whole > 0))
      continue;
    const size_t order = varies ? coefficients(gamma, m + 1, n, phi) : 0;
    for (size_t i = KG_ORDER; varies && i < n; i++) {
      double e = t->rest[i];
      for (size_t h = 0; h < order; h++)
        e -= phi[h] * t->rest[i - 1 - h];
      squares += e * e;
    }
    const double v = fmax(squares / (double)(n - KG_ORDER), least_share * whole);
    value += (double)n * log(v) + (double)order * log((double)n);
  }
  return value;
}
