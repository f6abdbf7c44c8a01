/* kg_metric.c - pairwise dissimilarities of points under metrics that sum over
 * coordinates. */
#include "kg_metric.h"
#include "kg_check.h"
#include "kg_loops.h"
#include <math.h>

/* Columns of a strip: their sums stay in the first-level cache. */
static enum kg_sum sum_of(const kg_metric *m) {
  return kg_semimetric_of(m->points.rho.family)->sum;
}

/* The number of unequal entries over the size of the union, 0 if both are empty. */
static void share_of_union(const kg_coordinates *x, const double *y, size_t step,
                           size_t from, size_t width, double *out) {
  const double *size = x->x + from + (x->d - 1) * x->n, own = y[(x->d - 1) * step];
  for (size_t j = 0; j < width; j++) {
    double both = 0.5 * (size[j] + own + out[j]);
    out[j] = both > 0 ? out[j] / both : 0;
  }
}

static void strip_of(const kg_metric *m, const double *y, size_t step, size_t from,
                     size_t width, double *out) {
  const kg_coordinates *x = &m->points;
  enum kg_sum sum = sum_of(m);
  size_t d = x->d - (sum == KG_SUM_UNION);
  kg_semimetric rho = x->rho;
  kg_chosen_loops->sums1(sum, m->p, x->x + from, x->n, d, y, step, width, out);
  if (sum == KG_SUM_UNION)
    share_of_union(x, y, step, from, width, out);
  if (sum == KG_SUM_POWERS) {
    rho.family = KG_POWER;
    rho.parameter /= m->p;
  }
  kg_from_distances(rho, out, width);
}

/* out[j - from] = B(y, x_j) for j in [from, to); coordinate c of y lies at y[c * step].
 */
static void metric_row(const kg_metric *metric, const double *y, size_t step, size_t from,
                       size_t to, double *out) {
  KG_CHECK(from <= to && to <= metric->points.n);
  for (size_t at = from; at < to; at += KG_STRIP) {
    size_t width = to - at < KG_STRIP ? to - at : KG_STRIP;
    strip_of(metric, y, step, at, width, out + (at - from));
  }
}

static void metric_block(const kg_pairs *pairs, const size_t *rows, size_t n_rows,
                         size_t from, size_t to, double *out) {
  const kg_metric *m = (const kg_metric *)pairs->context;
  for (size_t r = 0; r < n_rows; r++)
    metric_row(m, m->points.x + rows[r], m->points.n, from, to, out + r * (to - from));
}

static void metric_cross(const kg_pairs *pairs, const double *y, size_t stride,
                         double *out) {
  metric_row((const kg_metric *)pairs->context, y, stride, 0, pairs->n, out);
}

static kg_pairs metric_copy(const kg_pairs *pairs, const size_t *rows, size_t m,
                            kg_room *room) {
  const kg_metric *from = (const kg_metric *)pairs->context;
  const kg_coordinates *p = &from->points;
  kg_metric *some = KG_TAKE(room, 1, kg_metric), copied = *from;
  copied.points.x = kg_copy_rows(p->x, p->n, p->d, rows, m, room);
  copied.points.n = m;
  if (!some)
    return *pairs;
  *some = copied;
  return kg_metric_pairs(some);
}

static const kg_store metric_store = {
    .block = metric_block, .cross = metric_cross, .copy = metric_copy};

kg_pairs kg_metric_pairs(const kg_metric *metric) {
  KG_CHECK(metric->points.n > 0);
  enum kg_sum sum = sum_of(metric);
  const kg_coordinates *x = &metric->points;
  double each = sum == KG_SUM_POWERS     ? (metric->p <= KG_MOST_PRODUCTS ? 4 : 20)
                : sum == KG_SUM_CANBERRA ? 4
                                         : 1;
  kg_pairs p = {
      &metric_store, x->n,  each * (double)x->d + 4, {NULL, x->n, x->d, x->rho}, NULL,
      NULL,          metric};
  return p;
}
