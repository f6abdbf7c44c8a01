/* kg_mixture.c - the EM algorithm of mixtures of t distributions. */
#include "kg_mixture.h"
#include "kg_check.h"
#include "kg_dense.h"
#include "kg_loops.h"
#include <math.h>
#include <string.h>

/* Rows whose probability, times the weight, is below count for nothing in a scatter. */
#define NEGLIGIBLE 1e-14
/* Share of the mean variance that is added to the diagonal of a common scatter. */
#define RIDGE 1e-6
/* The least volume before the shrinkage of its logarithm. */
#define LEAST_VOLUME 1e-8

void kg_mixture_lay(kg_mixture *m, size_t n, size_t d, size_t k, kg_room *room) {
  KG_CHECK(n > 0 && d > 0 && k > 0);
  m->n = n;
  m->d = d;
  m->k = k;
  m->P = KG_TAKE2(room, n, k, double);
  m->q = KG_TAKE2(room, n, k, double);
  m->size = KG_TAKE(room, k, double);
  m->volume = KG_TAKE(room, k, double);
  m->mean = KG_TAKE2(room, d, k, double);
  m->scatter = KG_TAKE2(room, d * d, k, double);
  m->own = KG_TAKE2(room, d * d, k, double);
  m->common = KG_TAKE2(room, d, d, double);
  m->root = KG_TAKE2(room, d, d, double);
  m->z = KG_TAKE2(room, n, d, double);
  m->g = KG_TAKE(room, n, double);
  m->one = KG_TAKE(room, n, double);
  m->row = KG_TAKE(room, n, size_t);
  m->sum = KG_TAKE(room, d, double);
}

/* root (lower) = the inverse of the Cholesky factor of A; returns log det A, or NAN if A
 * is not positive definite. O(d^3) */
static double inverse_root(const double *A, size_t d, double *root) {
  memcpy(root, A, d * d * sizeof(double));
  const double log_det = kg_cholesky(root, d);
  if (isnan(log_det))
    return log_det;
  for (size_t j = 0; j < d; j++) {
    root[j + j * d] = 1 / root[j + j * d];
    for (size_t i = j + 1; i < d; i++) {
      double t = 0;
      for (size_t c = j; c < i; c++)
        t -= root[i + c * d] * root[c + j * d];
      root[i + j * d] = t / root[i + i * d];
    }
  }
  return log_det;
}

/* The columns of rows about the mean, `count` of them: their products with weights g,
 * added to R. */
static void add_products(kg_mixture *m, const double *z, const double *g, size_t count,
                         double *R) {
  const size_t d = m->d, stride = m->n;
  for (size_t c = 0; c < d; c++) {
    const double *column = z + c * stride;
    const size_t columns = c + 1 < 4 && d >= 4 ? 4 : c + 1; /* four at a time */
#pragma omp simd
    for (size_t t = 0; t < count; t++)
      m->one[t] = g[t] * column[t];
    kg_products(z, stride, columns, m->one, count, m->sum);
    for (size_t b = 0; b <= c; b++)
      R[b + c * d] += m->sum[b];
  }
}

/* If most rows count, all are taken as they lie. */
size_t kg_mixture_mean(kg_mixture *m, size_t l) {
  const size_t n = m->n, d = m->d;
  const double *P = m->P + l * n, *q = m->q + l * n, more = m->nu + (double)d, nu = m->nu;
  double *mean = m->mean + l * d, *g = m->g, sum = 0;
  size_t count = 0;
  memset(m->own + l * d * d, 0, d * d * sizeof(double));
#pragma omp simd reduction(+ : sum, count)
  for (size_t i = 0; i < n; i++) {
    const double p = P[i] * more / (nu + q[i]);
    const int counts = (m->w[i] > 0) & (P[i] > NEGLIGIBLE) & (p > NEGLIGIBLE);
    g[i] = counts ? m->w[i] * p : 0;
    sum += g[i];
    count += (size_t)counts;
  }
  const int all = 2 * count > n;
  if (!all) {
    count = 0;
    for (size_t i = 0; i < n; i++) {
      m->row[count] = i;
      g[count] = g[i];
      count += g[i] > 0;
    }
    for (size_t c = 0; c < d; c++) {
      double *z = m->z + c * n;
      for (size_t t = 0; t < count; t++)
        z[t] = m->y[m->row[t] + c * n];
    }
  }
  m->from = all ? m->y : m->z;
  const size_t rows = all ? n : count;
  kg_products(m->from, n, d, g, rows, mean);
  for (size_t c = 0; c < d; c++)
    mean[c] /= sum;
  return rows;
}

void kg_mixture_scatter(kg_mixture *m, size_t l, size_t from, size_t to) {
  const size_t n = m->n, d = m->d;
  const double *mean = m->mean + l * d;
  KG_CHECK(from % KG_MIXTURE_ROWS == 0 && to <= n);
  for (size_t at = from, many; at < to; at += many) {
    many = to - at < KG_MIXTURE_ROWS ? to - at : KG_MIXTURE_ROWS;
    for (size_t c = 0; c < d; c++) {
      double *z = m->z + c * n;
#pragma omp simd
      for (size_t t = at; t < at + many; t++)
        z[t] = m->from[t + c * n] - mean[c];
    }
    add_products(m, m->z + at, m->g + at, many, m->own + l * d * d);
  }
}

/* The sums of component l become its scatter. */
static void own_scatter(kg_mixture *m, size_t l) {
  const size_t d = m->d;
  double *R = m->own + l * d * d;
  for (size_t c = 0; c < d; c++)
    for (size_t b = 0; b <= c; b++)
      R[b + c * d] = R[c + b * d] = R[b + c * d] / m->size[l];
}

/* common = the mean of the scatters divided by their volumes (NULL: 1), shrunk towards a
 * multiple of the identity. */
static void pool(kg_mixture *m, const double *volume) {
  const size_t d = m->d;
  double trace = 0;
  memset(m->common, 0, d * d * sizeof(double));
  for (size_t l = 0; l < m->k; l++) {
    const double share = m->size[l] / m->weight / (volume ? volume[l] : 1);
    for (size_t c = 0; c < d * d; c++)
      m->common[c] += share * m->own[c + l * d * d];
  }
  for (size_t c = 0; c < d; c++)
    trace += m->common[c + c * d];
  for (size_t c = 0; c < d * d; c++)
    m->common[c] *= 1 - m->lambda;
  for (size_t c = 0; c < d; c++)
    m->common[c + c * d] += (m->lambda + RIDGE) * trace / (double)d;
}

/* tr(common^-1 own_l) / d by the inverse root: sum_i (root own root')_ii. */
static double volume_of(const kg_mixture *m, size_t l) {
  const size_t d = m->d;
  const double *R = m->own + l * d * d, *A = m->root;
  double trace = 0;
  for (size_t i = 0; i < d; i++)
    for (size_t b = 0; b <= i; b++) {
      double t = 0;
      for (size_t c = 0; c <= i; c++)
        t += A[i + c * d] * R[c + b * d];
      trace += t * A[i + b * d];
    }
  return trace / (double)d;
}

int kg_mixture_sizes(kg_mixture *m, double least) {
  const size_t n = m->n;
  for (size_t l = 0; l < m->k; l++) {
    double s = 0;
    for (size_t i = 0; i < n; i++)
      s += m->w[i] * m->P[i + l * n];
    m->size[l] = s;
    if (!(s >= least && s > 0))
      return 0;
  }
  return 1;
}

int kg_mixture_shape(kg_mixture *m, int first) {
  const size_t d = m->d, k = m->k;
  for (size_t l = 0; l < k; l++)
    own_scatter(m, l);
  pool(m, NULL);
  for (size_t l = 0; l < k; l++)
    m->volume[l] = 1;
  if (m->form != KG_MIXTURE_COMMON) {
    if (!(inverse_root(m->common, d, m->root) < HUGE_VAL))
      return 0;
    for (size_t l = 0; l < k; l++) {
      const double v = volume_of(m, l);
      m->volume[l] = exp(log(v > LEAST_VOLUME ? v : LEAST_VOLUME) * m->size[l] /
                         (m->size[l] + m->shrink));
    }
    if (!first)
      pool(m, m->volume);
  }
  for (size_t l = 0; l < k; l++) {
    const double more = m->shrink * (double)d,
                 part = m->form == KG_MIXTURE_OWN ? m->size[l] / (m->size[l] + more) : 0;
    for (size_t c = 0; c < d * d; c++)
      m->scatter[c + l * d * d] =
          part * m->own[c + l * d * d] + (1 - part) * m->volume[l] * m->common[c];
  }
  return 1;
}

double kg_mixture_root(kg_mixture *m, size_t l) {
  return inverse_root(m->scatter + l * m->d * m->d, m->d, m->root);
}

void kg_mixture_distances(kg_mixture *m, size_t l, size_t from, size_t to) {
  const size_t n = m->n, d = m->d;
  const double *mean = m->mean + l * d;
  for (size_t many; from < to; from += many) {
    double *q = m->q + l * n + from;
    many = to - from < KG_MIXTURE_ROWS ? to - from : KG_MIXTURE_ROWS;
    memset(q, 0, many * sizeof(double));
    for (size_t c = 0; c < d; c++) {
      double middle = 0, *g = m->g;
      for (size_t b = 0; b <= c; b++)
        middle += m->root[c + b * d] * mean[b];
      for (size_t i = 0; i < many; i++)
        g[i] = -middle;
      kg_combine(m->y + from, n, c + 1, m->root + c, d, many, g);
#pragma omp simd
      for (size_t i = 0; i < many; i++)
        q[i] += g[i] * g[i];
    }
  }
}

void kg_mixture_density(kg_mixture *m, size_t l, double log_det) {
  const size_t n = m->n;
  const double d = (double)m->d, nu = m->nu, half = (nu + d) / 2;
  const double constant = lgamma(half) - lgamma(nu / 2) -
                          d / 2 * log(nu * 3.14159265358979323846) + half * log(nu);
  const double share = constant - log_det / 2 +
                       log(m->equal ? 1 / (double)m->k : m->size[l] / m->weight);
  const double *q = m->q + l * n;
  double *P = m->P + l * n;
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    P[i] = nu + q[i];
  kg_chosen_loops->logs(P, n);
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    P[i] = share - half * P[i];
}

void kg_mixture_probabilities(kg_mixture *m, size_t from, size_t to, double *value) {
  const size_t n = m->n, k = m->k;
  double *most = m->g, *sum = m->one;
  for (size_t many; from < to; from += many) {
    double *P = m->P + from;
    many = to - from < KG_MIXTURE_ROWS ? to - from : KG_MIXTURE_ROWS;
    memcpy(most, P, many * sizeof(double));
    memset(sum, 0, many * sizeof(double));
    for (size_t l = 1; l < k; l++)
#pragma omp simd
      for (size_t i = 0; i < many; i++)
        most[i] = P[i + l * n] > most[i] ? P[i + l * n] : most[i];
    for (size_t l = 0; l < k; l++) {
#pragma omp simd
      for (size_t i = 0; i < many; i++)
        P[i + l * n] -= most[i];
      kg_chosen_loops->exps(P + l * n, many);
#pragma omp simd
      for (size_t i = 0; i < many; i++)
        sum[i] += P[i + l * n];
    }
    for (size_t l = 0; l < k; l++)
#pragma omp simd
      for (size_t i = 0; i < many; i++)
        P[i + l * n] /= sum[i];
    kg_chosen_loops->logs(sum, many);
    for (size_t i = 0; i < many; i++)
      *value += m->w[from + i] * (most[i] + sum[i]);
  }
}

/* Psi(x), x > 0: the recurrence up to 8, then the asymptotic series. */
static double digamma(double x) {
  double value = 0;
  for (; x < 8; x++)
    value -= 1 / x;
  const double y = 1 / (x * x);
  return value + log(x) - 0.5 / x -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

/* The derivative of the log likelihood in nu, for the present probabilities and distances
 * (twice, a row). The weights u integrated out, it converges in fewer steps than with
 * those of the nu before (Liu and Rubin 1995). O(n k) */
static double score(const kg_mixture *m, double v) {
  const double d = (double)m->d;
  double mean = 0, u[KG_MIXTURE_ROWS], ratio[KG_MIXTURE_ROWS];
  for (size_t l = 0; l < m->k; l++)
    for (size_t from = 0, many; from < m->n; from += many) {
      const double *q = m->q + from + l * m->n, *P = m->P + from + l * m->n;
      many = m->n - from < KG_MIXTURE_ROWS ? m->n - from : KG_MIXTURE_ROWS;
#pragma omp simd
      for (size_t i = 0; i < many; i++)
        u[i] = ratio[i] = (v + d) / (v + q[i]);
      kg_chosen_loops->logs(u, many);
#pragma omp simd reduction(+ : mean)
      for (size_t i = 0; i < many; i++) {
        const double p = m->w[from + i] * P[i];
        mean += p > NEGLIGIBLE ? p * (u[i] - ratio[i]) : 0;
      }
    }
  return 1 + log(v / 2) - digamma(v / 2) + mean / m->weight + digamma((v + d) / 2) -
         log((v + d) / 2);
}

double kg_mixture_freedom(const kg_mixture *m, double most) {
  double low = 1, high = most;
  if (score(m, most) > 0)
    return most;
  if (score(m, 1) < 0)
    return 1;
  while (high - low > 1e-3 * low) {
    const double v = sqrt(low * high);
    *(score(m, v) > 0 ? &low : &high) = v;
  }
  return sqrt(low * high);
}
