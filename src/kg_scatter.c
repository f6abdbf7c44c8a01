/* kg_scatter.c - scatters for a learned metric. */
#include "kg_scatter.h"
#include "kg_check.h"
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

/* Four sums at a time: the order is fixed, and they run side by side. */
static double product(const double *a, const double *b, size_t n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = 0;
  for (; i + 3 < n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++)
    s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

/* The sum over ordered pairs of u (x - y)(x - y)' is 2 sum of u x (x - y)', as u is symmetric. */
void kg_pair_scatter(const kg_cluster_rows *rows, size_t from, size_t to, double *buffer, double *S) {
  KG_CHECK(from <= to && to <= rows->m && rows->least > 0);
  const size_t m = rows->m, d = rows->d;
  const int root = rows->rho.family == KG_POWER && rows->rho.parameter == 1;
  for (size_t i = from; i < to; i++) {
    memset(buffer, 0, m * sizeof(double));
    for (size_t c = 0; c < d; c++) {
      const double *x = rows->x + c * rows->stride, own = x[i];
      for (size_t j = 0; j < m; j++)
        buffer[j] += (own - x[j]) * (own - x[j]);
    }
    double sum = 0;
    for (size_t j = 0; j < m; j++) {
      const double q = buffer[j] > rows->least ? buffer[j] : rows->least;
      buffer[j] = rows->w[j] * (root ? 1 / sqrt(q) : kg_slope(rows->rho, q));
    }
    buffer[i] = 0; /* a row and itself: nothing, but for rounding */
    for (size_t j = 0; j < m; j++)
      sum += buffer[j];
    for (size_t c = 0; c < d; c++) {
      const double *x = rows->x + c * rows->stride;
      const double pull = rows->w[i] * (sum * x[i] - product(buffer, x, m));
      for (size_t b = 0; b < d; b++)
        S[b + c * d] += rows->x[i + b * rows->stride] * pull;
    }
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
  l->label = KG_TAKE(room, n, int);
}

/* root = the Cholesky factor of M, scaled to determinant 1; y = x in the metric. */
static int change_metric(kg_learner *l) {
  const size_t d = l->d, n = l->n;
  double *A = l->root, log_root = 0;
  memcpy(A, l->M, d * d * sizeof(double));
  for (size_t j = 0; j < d; j++) {
    for (size_t i = j; i < d; i++) {
      double t = A[i + j * d];
      for (size_t c = 0; c < j; c++)
        t -= A[i + c * d] * A[j + c * d];
      if (i == j && !(t > 0)) return 0;
      A[i + j * d] = i == j ? sqrt(t) : t / A[j + j * d];
    }
    log_root += log(A[j + j * d]);
  }
  const double scale = exp(-log_root / (double)d);
  for (size_t c = 0; c < d * d; c++)
    A[c] *= scale;
  for (size_t c = 0; c < d; c++) {
    double *y = l->y + c * n;
    memcpy(y, l->x + c * n, n * sizeof(double));
    for (size_t b = 0; b < c; b++) {
      const double f = A[c + b * d], *z = l->y + b * n;
      for (size_t i = 0; i < n; i++)
        y[i] -= f * z[i];
    }
    for (size_t i = 0; i < n; i++)
      y[i] /= A[c + c * d];
  }
  return 1;
}

static double powered(const kg_learner *l, double q) {
  return l->power == 2 ? q : l->power == 1 ? sqrt(q) : pow(q, 0.5 * l->power);
}

static void squares_to(const kg_learner *l, size_t g, double *q) {
  memset(q, 0, l->n * sizeof(double));
  for (size_t c = 0; c < l->d; c++) {
    const double *y = l->y + c * l->n, m = l->mean[g + c * l->k];
    for (size_t i = 0; i < l->n; i++)
      q[i] += (y[i] - m) * (y[i] - m);
  }
}

/* The nearest means, and the weights of rows for the next means: |x - mean|^(power - 2). */
static double assign(kg_learner *l) {
  const size_t n = l->n, k = l->k;
  double objective = 0, squares = 0, weight = 0;
  for (size_t g = 0; g < k; g++)
    squares_to(l, g, l->q + g * n);
  for (size_t i = 0; i < n; i++) {
    size_t best = 0;
    for (size_t g = 1; g < k; g++)
      if (l->q[i + g * n] < l->q[i + best * n]) best = g;
    l->label[i] = (int)best;
    l->u[i] = l->q[i + best * n];
    objective += l->w[i] * powered(l, l->u[i]);
    squares += l->w[i] * l->u[i];
    weight += l->w[i];
  }
  const double least = 1e-3 * squares / weight;
  for (size_t i = 0; i < n; i++) {
    const double q = l->u[i] > least ? l->u[i] : least;
    l->u[i] = l->w[i] * (l->power == 2 || !(q > 0) ? 1 : l->power == 1 ? 1 / sqrt(q) : pow(q, 0.5 * l->power - 1));
  }
  return objective;
}

/* Means of the coordinates z by the weights u; 0 if a cluster is empty. */
static int means_of(kg_learner *l, const double *z) {
  const size_t n = l->n, k = l->k;
  memset(l->mean, 0, k * l->d * sizeof(double));
  memset(l->s, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i++)
    l->s[l->label[i]] += l->u[i];
  for (size_t c = 0; c < l->d; c++)
    for (size_t i = 0; i < n; i++)
      l->mean[(size_t)l->label[i] + c * k] += l->u[i] * z[i + c * n];
  for (size_t g = 0; g < k; g++) {
    if (!(l->s[g] > 0)) return 0;
    for (size_t c = 0; c < l->d; c++)
      l->mean[g + c * k] /= l->s[g];
  }
  return 1;
}

/* M = the scatter about the means, shrunk towards the identity. */
static int scatter(kg_learner *l) {
  const size_t n = l->n, d = l->d;
  if (!means_of(l, l->x)) return 0;
  for (size_t c = 0; c < d; c++)
    for (size_t i = 0; i < n; i++)
      l->y[i + c * n] = l->x[i + c * n] - l->mean[(size_t)l->label[i] + c * l->k];
  double trace = 0;
  for (size_t c = 0; c < d; c++) {
    for (size_t i = 0; i < n; i++)
      l->q[i] = l->u[i] * l->y[i + c * n];
    for (size_t b = 0; b <= c; b++)
      l->M[b + c * d] = l->M[c + b * d] = product(l->q, l->y + b * n, n);
    trace += l->M[c + c * d];
  }
  if (!(trace > 0)) return 0;
  for (size_t c = 0; c < d * d; c++)
    l->M[c] *= (1 - l->lambda) * (double)d / trace;
  for (size_t c = 0; c < d; c++)
    l->M[c + c * d] += l->lambda;
  return 1;
}

int kg_learner_start(kg_learner *l, const double *uniform) {
  const size_t n = l->n, d = l->d;
  double *nearest = l->u, *q = l->q;
  if (!change_metric(l)) return 0;
  for (size_t i = 0; i < n; i++)
    nearest[i] = 1;
  for (size_t g = 0; g < l->k; g++) {
    double total = 0;
    for (size_t i = 0; i < n; i++)
      total += l->w[i] * nearest[i];
    size_t pick = 0;
    double left = uniform[g] * total;
    for (size_t i = 0; i < n; i++)
      if (l->w[i] * nearest[i] > 0) {
        pick = i;
        left -= l->w[i] * nearest[i];
        if (left < 0) break;
      }
    for (size_t c = 0; c < d; c++)
      l->mean[g + c * l->k] = l->y[pick + c * n];
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
  if (learn && (!scatter(l) || !change_metric(l))) return HUGE_VAL;
  return means_of(l, l->y) ? assign(l) : HUGE_VAL;
}
