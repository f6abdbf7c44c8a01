/* kg_scatter.c - scatters for a learned metric. */
#include "kg_scatter.h"
#include "kg_check.h"
#include "kg_dense.h"
#include "kg_loops.h"
#include "kg_start.h"
#include <math.h>
#include <string.h>

double kg_slope(kg_semimetric rho, double q) {
  const double a = rho.parameter;
  switch (rho.family) {
  case KG_EXPONENTIAL: {
    const double d = sqrt(q);
    return exp(-0.5 * d / a) / d;
  }
  case KG_GAUSSIAN:
    return exp(-0.5 * (q / a) / a);
  default:
    return a == 1 ? 1 / sqrt(q) : a == 2 ? 1 : pow(q, 0.5 * a - 1);
  }
}

void kg_cluster_rows_lay(kg_cluster_rows *rows, size_t stride, size_t d, kg_room *room) {
  rows->stride = stride;
  rows->d = d;
  rows->x = KG_TAKE2(room, stride, d, double);
  rows->wx = KG_TAKE2(room, stride, d + 1, double);
  rows->pull = KG_TAKE2(room, d + 1, stride, double);
  rows->w = KG_TAKE(room, stride, double);
  rows->degree = KG_TAKE(room, stride, double);
  rows->squares = KG_TAKE(room, stride, double);
  rows->slope = KG_TAKE(room, stride > d ? stride : d, double);
}

void kg_pair_scatter_begin(kg_cluster_rows *rows) {
  KG_CHECK(rows->m <= rows->stride && rows->least > 0);
  memset(rows->degree, 0, rows->m * sizeof(double));
  for (size_t c = 0; c < rows->d; c++)
    for (size_t i = 0; i < rows->m; i++)
      rows->wx[i + c * rows->stride] = rows->w[i] * rows->x[i + c * rows->stride];
  memcpy(rows->wx + rows->d * rows->stride, rows->w, rows->m * sizeof(double));
}

/* Slopes at n squared distances q; of a power q^(a/2 - 1), from the values -q^(a/2) / 2.
 */
static void slopes(kg_semimetric rho, const double *q, size_t n, double *slope) {
  if (rho.family != KG_POWER) {
    for (size_t j = 0; j < n; j++)
      slope[j] = kg_slope(rho, q[j]);
    return;
  }
  memcpy(slope, q, n * sizeof(double));
  kg_from_squares(rho, slope, n);
#pragma omp simd
  for (size_t j = 0; j < n; j++)
    slope[j] = -2 * slope[j] / q[j];
}

void kg_row_squares(const kg_cluster_rows *rows, size_t i, double *q) {
  kg_chosen_loops->sums1(KG_SUM_SQUARES, 0, rows->x, rows->stride, rows->d, rows->x + i,
                         rows->stride, i, q);
}

void kg_pair_scatter(kg_cluster_rows *rows, size_t from, size_t to) {
  KG_CHECK(from <= to && to <= rows->m);
  double *q = rows->squares, *slope = rows->slope;
  const double least = rows->least, most = rows->most;
  for (size_t i = from; i < to; i++) {
    kg_row_squares(rows, i, q);
    if (most > 0) {
#pragma omp simd
      for (size_t j = 0; j < i; j++)
        slope[j] = q[j] > least && q[j] <= most ? 1 : 0;
    } else {
#pragma omp simd
      for (size_t j = 0; j < i; j++)
        q[j] = q[j] > least ? q[j] : least;
      slopes(rows->rho, q, i, slope);
    }
    kg_chosen_loops->add(rows->slope, rows->w[i], i, rows->degree);
    /* the weights are the last column */
    double *pull = rows->pull + i * (rows->d + 1);
    kg_products(rows->wx, rows->stride, rows->d + 1, rows->slope, i, pull);
    rows->degree[i] += pull[rows->d];
  }
}

/* Over pairs x before y the sum of w_x w_y u (x x' + y y' - x y' - y x'). */
void kg_pair_scatter_end(kg_cluster_rows *rows, double *S) {
  const size_t d = rows->d;
  double *column = rows->squares, *sum = rows->slope;
  for (size_t c = 0; c < d; c++) {
    const double *x = rows->x + c * rows->stride;
    for (size_t i = 0; i < rows->m; i++)
      column[i] = rows->degree[i] * x[i] - 2 * rows->pull[c + i * (d + 1)];
    kg_products(rows->wx, rows->stride, d, column, rows->m, sum);
    for (size_t b = 0; b < d; b++)
      S[b + c * d] += sum[b];
  }
}

void kg_learner_lay(kg_learner *l, size_t n, size_t d, size_t k, kg_room *room) {
  KG_CHECK(k > 0 && k <= n);
  l->n = n;
  l->d = d;
  l->k = k;
  l->M = KG_TAKE2(room, d, d, double);
  l->root = KG_TAKE2(room, d, d, double);
  l->y = KG_TAKE2(room, n, d, double);
  l->q = KG_TAKE2(room, n, k, double);
  l->u = KG_TAKE(room, n, double);
  l->mean = KG_TAKE2(room, k, d, double);
  l->s = KG_TAKE(room, k, double);
  l->sum = KG_TAKE(room, d, double);
  l->label = KG_TAKE(room, n, int);
}

/* root = the Cholesky factor of M, scaled to determinant 1; y = x in the metric. */
static int change_metric(kg_learner *l) {
  const size_t d = l->d, n = l->n;
  double *A = l->root;
  memcpy(A, l->M, d * d * sizeof(double));
  const double log_det = kg_cholesky(A, d);
  if (isnan(log_det))
    return 0;
  const double scale = exp(-0.5 * log_det / (double)d);
  for (size_t c = 0; c < d * d; c++)
    A[c] *= scale;
  for (size_t c = 0; c < d; c++) {
    double *y = l->y + c * n;
    memcpy(y, l->x + c * n, n * sizeof(double));
    for (size_t b = 0; b < c; b++)
      kg_chosen_loops->add(l->y + b * n, -A[c + b * d], n, y);
    for (size_t i = 0; i < n; i++)
      y[i] /= A[c + c * d];
  }
  return 1;
}

static double powered(const kg_learner *l, double q) {
  return l->power == 2 ? q : l->power == 1 ? sqrt(q) : pow(q, 0.5 * l->power);
}

static void squares_to(const kg_learner *l, size_t g, double *q) {
  kg_chosen_loops->sums1(KG_SUM_SQUARES, 0, l->y, l->n, l->d, l->mean + g, l->k, l->n, q);
}

/* The nearest means, and the weights of rows for the next means: |x - mean|^(power - 2).
 */
static double assign(kg_learner *l) {
  const size_t n = l->n, k = l->k;
  double objective = 0, squares = 0, weight = 0;
  for (size_t g = 0; g < k; g++)
    squares_to(l, g, l->q + g * n);
  for (size_t i = 0; i < n; i++) {
    double least = l->q[i];
    l->label[i] = 0;
    for (size_t g = 1; g < k; g++) {
      const double q = l->q[i + g * n];
      l->label[i] = q < least ? (int)g : l->label[i];
      least = q < least ? q : least;
    }
    l->u[i] = least;
    objective += l->w[i] * powered(l, l->u[i]);
    squares += l->w[i] * l->u[i];
    weight += l->w[i];
  }
  const double least = 1e-3 * squares / weight;
  for (size_t i = 0; i < n; i++) {
    const double q = l->u[i] > least ? l->u[i] : least;
    l->u[i] = l->w[i] * (l->power == 2 || !(q > 0) ? 1
                         : l->power == 1           ? 1 / sqrt(q)
                                                   : pow(q, 0.5 * l->power - 1));
  }
  return objective;
}

/* Means of the coordinates z by the weights u; 0 if a cluster is empty. */
static int means_of(kg_learner *l, const double *z) {
  const size_t n = l->n, k = l->k;
  memset(l->q, 0, n * k * sizeof(double));
  memset(l->s, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    l->q[i + (size_t)l->label[i] * n] = l->u[i];
    l->s[l->label[i]] += l->u[i];
  }
  for (size_t g = 0; g < k; g++) {
    if (!(l->s[g] > 0))
      return 0;
    kg_products(z, n, l->d, l->q + g * n, n, l->sum);
    for (size_t c = 0; c < l->d; c++)
      l->mean[g + c * k] = l->sum[c] / l->s[g];
  }
  return 1;
}

/* M = the scatter about the means, shrunk towards the identity. */
static int scatter(kg_learner *l) {
  const size_t n = l->n, d = l->d;
  if (!means_of(l, l->x))
    return 0;
  for (size_t c = 0; c < d; c++)
    for (size_t i = 0; i < n; i++)
      l->y[i + c * n] = l->x[i + c * n] - l->mean[(size_t)l->label[i] + c * l->k];
  double trace = 0;
  for (size_t c = 0; c < d; c++) {
    for (size_t i = 0; i < n; i++)
      l->q[i] = l->u[i] * l->y[i + c * n];
    kg_products(l->y, n, c + 1, l->q, n, l->sum);
    for (size_t b = 0; b <= c; b++)
      l->M[b + c * d] = l->M[c + b * d] = l->sum[b];
    trace += l->M[c + c * d];
  }
  if (!(trace > 0))
    return 0;
  for (size_t c = 0; c < d * d; c++)
    l->M[c] *= (1 - l->lambda) * (double)d / trace;
  for (size_t c = 0; c < d; c++)
    l->M[c + c * d] += l->lambda;
  return 1;
}

int kg_learner_start(kg_learner *l, const double *uniform) {
  const size_t n = l->n, d = l->d;
  double *nearest = l->u, *q = l->q;
  if (!change_metric(l))
    return 0;
  for (size_t g = 0; g < l->k; g++) {
    const size_t drawn = kg_draw(l->w, nearest, n, g, uniform[g], q);
    for (size_t c = 0; c < d; c++)
      l->mean[g + c * l->k] = l->y[(drawn < n ? drawn : 0) + c * n];
    squares_to(l, g, q);
    for (size_t i = 0; i < n; i++) {
      const double value = powered(l, q[i]);
      nearest[i] = g == 0 || value < nearest[i] ? value : nearest[i];
    }
  }
  assign(l);
  return 1;
}

double kg_learner_pass(kg_learner *l, int learn) {
  KG_CHECK(l->power > 0 && l->power <= 2 && l->lambda >= 0 && l->lambda <= 1);
  if (learn && (!scatter(l) || !change_metric(l)))
    return HUGE_VAL;
  return means_of(l, l->y) ? assign(l) : HUGE_VAL;
}
