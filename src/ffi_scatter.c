/* ffi_scatter.c - scatters for a learned metric: memory, polls, results. */
#include "ffi.h"
#include "kg_dense.h"
#include "kg_scatter.h"
#include <R_ext/Utils.h>
#include <math.h>
#include <string.h>

/* n x d finite coordinates `x` and n weights `w` of a list. */
static const double *rows_of(SEXP points, size_t *n, size_t *d, const double **w) {
  SEXP x = ffi_need(points, "x");
  if (!Rf_isMatrix(x) || Rf_nrows(x) < 1 || Rf_ncols(x) < 1)
    Rf_error("x must be a matrix");
  *n = (size_t)Rf_nrows(x);
  *d = (size_t)Rf_ncols(x);
  *w = ffi_weights(ffi_need(points, "w"), *n);
  return ffi_finite(x, -1, "x");
}

/* Steps of a scatter M = V diag(values) V' of m rows, by cluster: z (m x d) are the
 * coordinates that M is of, y those in the metric of M and r others. */
typedef struct {
  size_t m, d, r, k;
  const double *z, *w;
  size_t *start;                     /* k + 1 */
  double *weight, *y;                /* of each cluster; m x (d + r) */
  double *values, *V, *S, *half, *T; /* S and half: (d + r)^2, T: d x d */
  double *pair;                      /* squared distances of all pairs */
  double share, left;                /* share > 0: of the pairs, the closest */
} steps;

/* Return the number of rows of positive weight, the first `most` of each cluster in the
 * order given, and their numbers by cluster, ascending: those of cluster l from start[l]
 * on. */
static size_t take_rows(steps *s, SEXP order_, SEXP cluster_, const double *w, size_t n,
                        double most, int *row) {
  const size_t k = s->k;
  size_t *start = s->start = (size_t *)R_alloc(k + 1, sizeof(size_t));
  const int *order = ffi_integers(order_, (R_xlen_t)n, "order"),
            *cluster = ffi_integers(cluster_, (R_xlen_t)n, "cluster");
  char *taken = R_alloc(n, 1);
  memset(taken, 0, n);
  memset(start, 0, (k + 1) * sizeof(size_t));
  for (size_t a = 0; a < n; a++) {
    if (order[a] < 1 || (size_t)order[a] > n)
      Rf_error("order must be row numbers");
    const size_t i = (size_t)order[a] - 1;
    if (!(w[i] > 0) || taken[i])
      continue;
    if (cluster[i] < 1 || (size_t)cluster[i] > k)
      Rf_error("cluster must lie in 1..k");
    if ((double)start[cluster[i]] < most) {
      start[cluster[i]]++;
      taken[i] = 1;
    }
  }
  for (size_t l = 0; l < k; l++)
    start[l + 1] += start[l];
  size_t *next = (size_t *)R_alloc(k, sizeof(size_t));
  memcpy(next, start, k * sizeof(size_t));
  for (size_t i = 0; i < n; i++)
    if (taken[i])
      row[next[cluster[i] - 1]++] = (int)i;
  return start[k];
}

/* Columns of a matrix, of the rows taken. */
static double *some_rows(const double *x, size_t n, size_t d, const int *row, size_t m) {
  double *out = (double *)R_alloc(m * d + 1, sizeof(double));
  for (size_t c = 0; c < d; c++)
    for (size_t i = 0; i < m; i++)
      out[i + c * m] = x[(size_t)row[i] + c * n];
  return out;
}

/* The rows of cluster l in the metric, about the first of them, near the data. */
static void take_cluster(const steps *s, kg_cluster_rows *rows, size_t l) {
  rows->m = s->start[l + 1] - s->start[l];
  memcpy(rows->w, s->w + s->start[l], rows->m * sizeof(double));
  for (size_t c = 0; c < rows->d; c++) {
    const double *from = s->y + s->start[l] + c * s->m;
    for (size_t i = 0; i < rows->m; i++)
      rows->x[i + c * rows->stride] = from[i] - from[0];
  }
}

/* Return the least squared distance up to which this share of the weight of pairs lies,
 * of pairs of different rows; 0 if there are none. */
static double closest(steps *s, const kg_cluster_rows *rows) {
  const size_t m = rows->m;
  double *q = s->pair, farthest = 0, all = 0, sum = 0, same = rows->w[0];
  size_t many = 0;
  for (size_t i = 1; i < m; i++) {
    ffi_poll(&s->left, (double)i * (double)rows->d);
    kg_row_squares(rows, i, q + i * (i - 1) / 2);
    same = rows->w[i] == same ? same : 0;
  }
  for (size_t a = 0; a < m * (m - 1) / 2; a++)
    farthest = fmax(farthest, q[a]);
  int *pair = same > 0 ? NULL : (int *)R_alloc(m * (m - 1) / 2 + 1, sizeof(int));
  double *weight =
      same > 0 ? NULL : (double *)R_alloc(m * (m - 1) / 2 + 1, sizeof(double));
  for (size_t i = 1, a = 0; i < m; i++)
    for (size_t j = 0; j < i; j++, a++)
      if (q[a] > 1e-24 * farthest) {
        q[many] = q[a];
        if (pair) {
          pair[many] = (int)many;
          all += weight[many] = rows->w[i] * rows->w[j];
        }
        many++;
      }
  if (many == 0)
    return 0;
  if (!pair) {
    const double at = ceil(s->share * (double)many) - 1;
    rPsort(q, (int)many, at > 0 ? (int)at : 0);
    return q[at > 0 ? (size_t)at : 0];
  }
  rsort_with_index(q, pair, (int)many);
  size_t a = 0;
  for (sum = weight[pair[0]]; sum < s->share * all && a + 1 < many;)
    sum += weight[pair[++a]];
  return q[a];
}

/* y from M. */
static void change_metric(steps *s) {
  for (size_t c = 0; c < s->d; c++) {
    ffi_poll(&s->left, (double)s->m * (double)s->d);
    double *y = s->y + c * s->m, *v = s->T;
    for (size_t b = 0; b < s->d; b++)
      v[b] = s->V[b + c * s->d] / sqrt(s->values[c]);
    memset(y, 0, s->m * sizeof(double));
    kg_combine(s->z, s->m, s->d, v, 1, s->m, y);
  }
}

/* S = sum_l 1/s_l sum_{x, y in C_l} w_x w_y u (x - y)(x - y)' of the coordinates y.
 * Returns 0 without pairs. */
static int pair_scatter(steps *s, kg_cluster_rows *rows) {
  const size_t d = rows->d;
  double sum = 0, *half = s->half;
  for (size_t a = 0; a < s->m * d; a++)
    sum += s->y[a] * s->y[a];
  rows->least = fmax(1e-6 * sum / (double)s->m, 1e-200);
  memset(s->S, 0, d * d * sizeof(double));
  for (size_t l = 0; l < s->k; l++) {
    take_cluster(s, rows, l);
    if (rows->m < 2)
      continue;
    if (s->share > 0) {
      const void *top = vmaxget();
      rows->most = closest(s, rows);
      rows->least = 1e-24 * rows->most;
      vmaxset(top);
      if (!(rows->most > 0))
        return 0;
    }
    memset(half, 0, d * d * sizeof(double));
    kg_pair_scatter_begin(rows);
    for (size_t i = 0; i < rows->m; i++) {
      ffi_poll(&s->left, (double)i * (2 * (double)d + 8));
      kg_pair_scatter(rows, i, i + 1);
    }
    kg_pair_scatter_end(rows, half);
    for (size_t a = 0; a < d; a++)
      for (size_t b = 0; b < d; b++)
        s->S[a + b * d] += (half[a + b * d] + half[b + a * d]) / s->weight[l];
  }
  return 1;
}

/* M = V diag(sqrt(values)) S diag(sqrt(values)) V' without the other coordinates. */
static void in_old_units(steps *s, double *M) {
  const size_t d = s->d, all = d + s->r;
  for (size_t b = 0; b < d; b++) {
    ffi_poll(&s->left, 2 * (double)d * (double)d);
    memset(s->T + b * d, 0, d * sizeof(double));
    for (size_t a = 0; a < d; a++)
      s->S[a + b * all] *= sqrt(s->values[a]) * sqrt(s->values[b]);
    kg_combine(s->V, d, d, s->S + b * all, 1, d, s->T + b * d);
  }
  for (size_t b = 0; b < d; b++) {
    memset(M + b * d, 0, d * sizeof(double));
    kg_combine(s->T, d, d, s->V + b, d, d, M + b * d);
  }
}

/* The eigenvalues of M, shrunk towards the identity, from `least` times the largest on,
 * at determinant 1; M becomes the matrix of them. */
static void shrink(steps *s, double *M, double lambda, double least) {
  const size_t d = s->d;
  double *v = s->values, sum = 0, log_det = 0;
  ffi_symmetric(M, d, v, s->V);
  for (size_t c = 0; c < d; c++)
    sum += v[c];
  for (size_t c = 0; c < d; c++)
    v[c] = sum > 0 ? (1 - lambda) * v[c] * (double)d / sum + lambda : 1;
  for (size_t c = 0; c < d; c++) {
    v[c] = fmax(v[c], least * v[d - 1]);
    log_det += log(v[c]);
  }
  for (size_t c = 0; c < d; c++)
    v[c] /= exp(log_det / (double)d);
  for (size_t b = 0; b < d; b++) {
    ffi_poll(&s->left, (double)d * (double)d);
    for (size_t c = 0; c < d; c++)
      s->T[c] = v[c] * s->V[b + c * d];
    memset(M + b * d, 0, d * sizeof(double));
    kg_combine(s->V, d, d, s->T, 1, d, M + b * d);
  }
}

/* Memory, the weights of clusters, and the other coordinates. */
static void lay(steps *s, kg_cluster_rows *rows, const double *rest) {
  const size_t d = s->d, all = d + s->r;
  size_t longest = 1;
  s->weight = (double *)R_alloc(s->k, sizeof(double));
  for (size_t l = 0; l < s->k; l++) {
    const size_t from = s->start[l], to = s->start[l + 1];
    s->weight[l] = 0;
    for (size_t i = from; i < to; i++)
      s->weight[l] += s->w[i];
    longest = to - from > longest ? to - from : longest;
  }
  FFI_LAY(kg_cluster_rows_lay(rows, longest, all, &room));
  if (s->share > 0)
    s->pair = (double *)R_alloc(longest * longest / 2 + 1, sizeof(double));
  s->y = (double *)R_alloc(s->m * all + 1, sizeof(double));
  memcpy(s->y + s->m * d, rest, s->m * s->r * sizeof(double));
  s->values = (double *)R_alloc(d, sizeof(double));
  s->V = (double *)R_alloc(d * d, sizeof(double));
  s->T = (double *)R_alloc(d * d, sizeof(double));
  s->S = (double *)R_alloc(all * all, sizeof(double));
  s->half = (double *)R_alloc(all * all, sizeof(double));
}

static double largest_of(const double *x, const double *y, size_t n) {
  double out = 0;
  for (size_t a = 0; a < n; a++) {
    const double size = fabs(y ? x[a] - y[a] : x[a]);
    out = size > out || isnan(size) ? size : out;
  }
  return out;
}

/* points: list(x (n x d), rest (n x r), w, rho, order, most), of which the first `most`
 * rows of each cluster count, in this order; cluster: 1..k. settings: list(lambda, least,
 * steps, share). Returns M (d x d) after steps M <- sum_l 1/s_l sum_{x, y in C_l} w_x w_y
 * u (x - y)(x - y)', shrunk by lambda towards the identity, its eigenvalues from `least`
 * times the largest on, of determinant 1. u is the slope of rho at the squared distance
 * in the metric of M; if share is above 0, 1 for this share of the pairs of each cluster,
 * the closest, and 0 for others. */
SEXP ffi_scatter_steps(SEXP points, SEXP cluster, SEXP k_, SEXP M_, SEXP settings) {
  size_t n;
  steps s = {0};
  const double *w, *x = rows_of(points, &n, &s.d, &w);
  SEXP rest = ffi_need(points, "rest");
  if (!Rf_isMatrix(rest) || (size_t)Rf_nrows(rest) != n)
    Rf_error("rest must be a matrix with the rows of x");
  s.r = (size_t)Rf_ncols(rest);
  const double *others = ffi_finite(rest, -1, "rest");
  s.k = ffi_count(k_, 1, (double)n, "k");
  kg_cluster_rows rows = {0};
  rows.rho = ffi_semimetric(ffi_need(points, "rho"));
  if (rows.rho.family > KG_GAUSSIAN)
    Rf_error("rho must be concave in the squared Euclidean distance");
  const double lambda = ffi_number(ffi_need(settings, "lambda"), 0, 1, "lambda"),
               least = ffi_number(ffi_need(settings, "least"), 1e-300, 1, "least");
  const size_t many = ffi_count(ffi_need(settings, "steps"), 0, 1e6, "steps");
  s.share = ffi_number(ffi_need(settings, "share"), 0, 1, "share");
  const double most =
      ffi_number(ffi_need(points, "most"), 1, s.share > 0 ? 30000 : 1e300, "most");

  int *row = (int *)R_alloc(n, sizeof(int));
  s.m = take_rows(&s, ffi_need(points, "order"), cluster, w, n, most, row);
  s.w = some_rows(w, n, 1, row, s.m);
  s.z = some_rows(x, n, s.d, row, s.m);
  const size_t d = s.d;
  lay(&s, &rows, some_rows(others, n, s.r, row, s.m));
  double *old = (double *)R_alloc(d * d, sizeof(double));
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)d, (int)d));
  double *M = REAL(out);
  memcpy(M, ffi_finite(M_, (R_xlen_t)(d * d), "M"), d * d * sizeof(double));
  ffi_symmetric(M, d, s.values, s.V);
  if (!(s.values[0] > 0))
    Rf_error("M must be positive definite");
  for (size_t step = 0; step < many && s.m > 0; step++) {
    memcpy(old, M, d * d * sizeof(double));
    change_metric(&s);
    const int found = pair_scatter(&s, &rows);
    if (found)
      in_old_units(&s, M);
    if (!found || !R_FINITE(largest_of(M, NULL, d * d))) { /* weights of extreme range */
      memcpy(M, old, d * d * sizeof(double));
      break;
    }
    shrink(&s, M, lambda, least);
    if (largest_of(M, old, d * d) < 1e-10 * largest_of(M, NULL, d * d))
      break;
  }
  UNPROTECT(1);
  return out;
}

/* points: list(x, w), coordinates of which the identity is the total covariance; starts:
 * list(M (d x d x m), uniforms (k x m), power (m)); settings: list(lambda, power,
 * passes). Each run ends with three passes of the power of the settings. Returns
 * list(label (n x m, from 1), objective (m, Inf if a cluster was lost)). */
SEXP ffi_learn_means(SEXP points, SEXP k_, SEXP starts, SEXP settings) {
  size_t n, d;
  kg_learner l;
  const double *w, *x = rows_of(points, &n, &d, &w);
  const size_t k = ffi_count(k_, 1, (double)n, "k");
  SEXP powers = ffi_need(starts, "power");
  const R_xlen_t m = Rf_xlength(powers);
  const double *power = ffi_finite(powers, m, "power");
  for (R_xlen_t a = 0; a < m; a++)
    if (!(power[a] > 0 && power[a] <= 2))
      Rf_error("power must lie above 0 and not above 2");
  const double *M = ffi_finite(ffi_need(starts, "M"),
                               ffi_length((double)m * (double)d * (double)d, "M"), "M");
  const double *uniform =
      ffi_finite(ffi_need(starts, "uniforms"),
                 ffi_length((double)m * (double)k, "uniforms"), "uniforms");
  const double final_power = ffi_number(ffi_need(settings, "power"), 1e-3, 2, "power");
  const size_t passes = ffi_count(ffi_need(settings, "passes"), 1, 1e6, "passes");
  FFI_LAY(kg_learner_lay(&l, n, d, k, &room));
  l.x = x;
  l.w = w;
  l.lambda = ffi_number(ffi_need(settings, "lambda"), 0, 1, "lambda");

  static const char *const names[] = {"label", "objective"};
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(INTSXP, (int)n, ffi_extent((size_t)m, "starts")));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, m));
  int *label = INTEGER(VECTOR_ELT(out, 0));
  double *objective = REAL(VECTOR_ELT(out, 1)), left = 0;
  const double each = (double)n * (double)d * ((double)d + 2 * (double)k);
  for (R_xlen_t a = 0; a < m; a++) {
    memcpy(l.M, M + (size_t)a * d * d, d * d * sizeof(double));
    memset(l.label, 0, n * sizeof(int));
    l.power = power[a];
    double value = kg_learner_start(&l, uniform + (size_t)a * k) ? 0 : HUGE_VAL,
           old = HUGE_VAL;
    for (size_t pass = 0; pass < passes && value < HUGE_VAL; pass++) {
      ffi_poll(&left, each);
      value = kg_learner_pass(&l, pass > 1);
      if (pass > 3 && !(value < old * (1 - 1e-4)))
        break;
      old = value;
    }
    l.power = final_power;
    for (int pass = 0; pass < 3 && value < HUGE_VAL; pass++) {
      ffi_poll(&left, each);
      value = kg_learner_pass(&l, 1);
    }
    objective[a] = value;
    for (size_t i = 0; i < n; i++)
      label[i + (size_t)a * n] = l.label[i] + 1;
  }
  UNPROTECT(1);
  return out;
}
