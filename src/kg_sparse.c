/* kg_sparse.c - Hartigan's moves on a sparse symmetric matrix.
 *
 * The objective is Q = sum_l V_l / s_l (Eq. (41)); moving x_i from j to l changes W by
 *     w_i s_l / (s_l + w_i) d2_il - w_i s_j / (s_j - w_i) d2_ij     (minus Eq. (50)).
 * Only R_il of clusters that hold a neighbour of i differ from 0, so a point costs its
 * entries and the clusters they touch. A cluster without an entry still competes, with
 * d2_il = B_ii + V_l / s_l^2; a bound over all clusters tells when none of these can be
 * the best, and only else are all k looked at. Memory: O(n + k) beside the matrix.
 */
#include "kg.h"
#include <math.h>

void kg_sparse_totals_begin(const kg_sparse *b, kg_sparse_clusters *c) {
  for (size_t l = 0; l < c->k; l++) {
    c->size[l] = 0;
    c->within[l] = 0;
    c->members[l] = 0;
    c->mark[l] = 0;
  }
  c->stamp = 0;
  for (size_t i = 0; i < b->n; i++) {
    const size_t l = (size_t)c->label[i];
    c->size[l] += b->weight[i];
    c->members[l] += b->weight[i] > 0;
  }
}

/* Adds the share of the points from..to - 1 to V. */
void kg_sparse_totals_add(const kg_sparse *b, kg_sparse_clusters *c, size_t from,
                          size_t to) {
  for (size_t i = from; i < to; i++) {
    const double w = b->weight[i];
    if (!(w > 0))
      continue;
    const int own = c->label[i];
    double reach = w * b->diagonal[i];
    for (int e = b->start[i]; e < b->start[i + 1]; e++) {
      if (c->label[b->row[e]] == own)
        reach += b->weight[b->row[e]] * b->value[e];
    }
    c->within[own] += w * reach;
  }
}

static void bounds_admit(kg_sparse_clusters *c, size_t l) {
  const double s = c->size[l];
  if (!(s > 0))
    return;
  const double norm = c->within[l] / (s * s);
  if (norm < c->norm_min)
    c->norm_min = norm;
  if (s < c->size_min)
    c->size_min = s;
  if (s > c->size_max)
    c->size_max = s;
}

/* Tightens the bounds; between calls moves only widen them, so they always hold. */
void kg_sparse_bounds(kg_sparse_clusters *c) {
  c->norm_min = HUGE_VAL;
  c->size_min = HUGE_VAL;
  c->size_max = 0;
  for (size_t l = 0; l < c->k; l++)
    bounds_admit(c, l);
}

/* What a gain is measured against; unlike W it cannot be negative. */
double kg_sparse_scale(const kg_sparse *b, const kg_sparse_clusters *c) {
  double scale = 0;
  for (size_t i = 0; i < b->n; i++)
    scale += b->weight[i] * fabs(b->diagonal[i]);
  for (size_t l = 0; l < c->k; l++) {
    if (c->size[l] > 0)
      scale += fabs(c->within[l]) / c->size[l];
  }
  return b->n ? scale / (double)b->n : 0;
}

/* Computes the row R_i. for the clusters met among the neighbours of i, its own first.
 * Returns their number; of all others R_il = 0. */
static size_t gather(const kg_sparse *b, kg_sparse_clusters *c, size_t i) {
  const size_t stamp = ++c->stamp;
  const int own = c->label[i];
  size_t met = 1;
  c->touched[0] = own;
  c->mark[own] = stamp;
  c->reach[own] = b->weight[i] * b->diagonal[i];
  for (int e = b->start[i]; e < b->start[i + 1]; e++) {
    const int y = b->row[e];
    const int l = c->label[y];
    if (c->mark[l] != stamp) {
      c->mark[l] = stamp;
      c->reach[l] = 0;
      c->touched[met++] = l;
    }
    c->reach[l] += b->weight[y] * b->value[e];
  }
  return met;
}

static double reach_of(const kg_sparse_clusters *c, size_t l) {
  return c->mark[l] == c->stamp ? c->reach[l] : 0;
}

/* d2_il; a cluster without weight has no mean and is infinitely far. */
static double distance_to(const kg_sparse_clusters *c, size_t l, double diagonal,
                          double reach) {
  const double s = c->size[l];
  if (!(s > 0))
    return HUGE_VAL;
  return diagonal - 2 * reach / s + c->within[l] / (s * s);
}

/* A lower bound of w s / (s + w) (B_ii + V_l / s_l^2) over all clusters. */
static double bound_untouched(const kg_sparse_clusters *c, double w, double diagonal) {
  const double least = diagonal + c->norm_min;
  const double s = least < 0 ? c->size_max : c->size_min;
  return w * s / (s + w) * least;
}

static void consider(const kg_sparse_clusters *c, size_t l, double w, double diagonal,
                     double *best, size_t *to) {
  const double s = c->size[l];
  if (!(s > 0))
    return;
  const double cost = w * s / (s + w) * distance_to(c, l, diagonal, reach_of(c, l));
  if (cost < *best || (cost == *best && l < *to)) {
    *best = cost;
    *to = l;
  }
}

static void move(const kg_sparse *b, kg_sparse_clusters *c, size_t i, size_t to) {
  const size_t own = (size_t)c->label[i];
  const double w = b->weight[i];
  const double self = w * w * b->diagonal[i];
  c->within[own] += self - 2 * w * reach_of(c, own);
  c->within[to] += self + 2 * w * reach_of(c, to);
  c->size[own] -= w;
  c->size[to] += w;
  c->members[own]--;
  c->members[to]++;
  c->label[i] = (int)to;
  bounds_admit(c, own);
  bounds_admit(c, to);
}

/* Visits the points from..to - 1 in turn; returns the number of moves. A move must lower
 * W by more than threshold. Eq. (50). */
size_t kg_sparse_sweep(const kg_sparse *b, kg_sparse_clusters *c, size_t from, size_t to,
                       double threshold) {
  size_t moves = 0;
  for (size_t i = from; i < to; i++) {
    const double w = b->weight[i];
    const size_t own = (size_t)c->label[i];
    if (!(w > 0) || c->members[own] < 2)
      continue;
    const double diagonal = b->diagonal[i];
    const size_t met = gather(b, c, i);
    const double rest = c->size[own] - w;
    /* Weights many orders apart can round the rest of a cluster to 0. */
    if (!(rest > 0))
      continue;
    const double stay =
        w * c->size[own] / rest * distance_to(c, own, diagonal, c->reach[own]);
    double best = HUGE_VAL;
    size_t target = c->k;
    for (size_t t = 1; t < met; t++)
      consider(c, (size_t)c->touched[t], w, diagonal, &best, &target);
    const double least = bound_untouched(c, w, diagonal);
    if (met < c->k && least <= best && least < stay) {
      for (size_t l = 0; l < c->k; l++) {
        if (l != own)
          consider(c, l, w, diagonal, &best, &target);
      }
    }
    if (target < c->k && best - stay < 0 && best - stay < -threshold) {
      move(b, c, i, target);
      moves++;
    }
  }
  return moves;
}

/* Gives the listed points the cluster of smallest d2_il, ties to the lowest l. The
 * clusters stay as they are: the points listed must have weight 0. */
void kg_sparse_place(const kg_sparse *b, kg_sparse_clusters *c, const int *points,
                     size_t from, size_t to) {
  for (size_t t = from; t < to; t++) {
    const size_t i = (size_t)points[t];
    gather(b, c, i);
    double best = HUGE_VAL;
    size_t target = 0;
    for (size_t l = 0; l < c->k; l++) {
      const double d2 = distance_to(c, l, b->diagonal[i], reach_of(c, l));
      if (d2 < best) {
        best = d2;
        target = l;
      }
    }
    c->label[i] = (int)target;
  }
}

/* distance[i] = d2 of x_i to the mean of its own cluster. */
void kg_sparse_distances(const kg_sparse *b, kg_sparse_clusters *c, size_t from,
                         size_t to, double *distance) {
  for (size_t i = from; i < to; i++) {
    gather(b, c, i);
    const size_t own = (size_t)c->label[i];
    distance[i] = distance_to(c, own, b->diagonal[i], c->reach[own]);
  }
}
