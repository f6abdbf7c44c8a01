/* kg_crossover.c - crossovers of partitions by means: some clusters of one become what
 * they are in another, and points descend; what led to no lower W is undone.
 *
 * Partitions that swaps have led to share most of their clusters and differ in a few
 * regions, each of them better in some. Crossovers bring what is best of several
 * together. Small regions do it: large ones make partitions alike before they are good.
 *
 * The spread of clusters does not see their shape: it is wrong about which of two such
 * partitions is the better one by as much as is left to gain. The pairs within the
 * clusters that a crossover has changed cost less than its sweeps do, and tell. */
#include "kg.h"
#include <math.h>
#include <string.h>

enum {
  ROUNDS = 20, /* in which partners find each other */
  GIVE_UP = 1  /* see kg_kmeans.c: less, as there are many other crossovers to try */
};
static const double equal = 1e-2;  /* of a point's spread: means as near are the same */
static const double largest = 0.2; /* region, of the clusters */
static const double nearly_all = 0.8; /* of the points: sweeps go over all */

/* Mutual nearest means are partners, then those among the rest; what does not find one so
 * in some rounds differs in any case. */
size_t kg_kmeans_meet(kg_kmeans *q, const kg_clusters *other, int round) {
  size_t k = q->k, d = q->d, left = 0, next = 0, *mine = q->mine, *theirs = q->theirs;
  size_t *near = q->some, *back = q->differ;
  double *least = q->room, *least_back = q->room + k;
  for (size_t l = 0; l < k; l++) {
    if (round == 0)
      mine[l] = theirs[l] = k;
    least[l] = least_back[l] = HUGE_VAL;
  }
  for (size_t a = 0; a < k; a++)
    for (size_t b = 0; theirs[a] == k && round < ROUNDS && b < k; b++) {
      if (mine[b] < k)
        continue;
      double gap = kg_squared(q->now.mean + a * d, other->mean + b * d, d);
      if (gap < least[a]) {
        least[a] = gap;
        near[a] = b;
      }
      if (gap < least_back[b]) {
        least_back[b] = gap;
        back[b] = a;
      }
    }
  for (size_t a = 0; a < k; a++) {
    if (theirs[a] < k)
      continue;
    left++;
    while (round == ROUNDS && mine[next] < k)
      next++;
    if (round < ROUNDS && back[near[a]] != a)
      continue;
    theirs[a] = round < ROUNDS ? near[a] : next;
    mine[theirs[a]] = a;
    left--;
  }
  q->work += 2 * (double)k * (double)k * (double)d / (round + 1);
  return left;
}

/* Marks clusters that differ, one at random and those nearest to it: 0 if fewer than two
 * differ. */
static int choose_region(kg_kmeans *q, const kg_clusters *other) {
  size_t k = q->k, d = q->d, many = 0, *differ = q->differ;
  double *far = q->room;
  for (size_t l = 0; l < k; l++) {
    q->some[l] = 0;
    if (kg_squared(q->now.mean + l * d, other->mean + q->theirs[l] * d, d) >
        equal * q->typical)
      differ[many++] = l;
  }
  if (many < 2)
    return 0;
  size_t centre = differ[kg_one_of(&q->draws, many)],
         most = (size_t)(largest * (double)k);
  if (most > many - 1)
    most = many - 1;
  size_t size = 1 + kg_one_of(&q->draws, most > 0 ? most : 1);
  for (size_t r = 0; r < many; r++)
    far[r] = kg_squared(q->now.mean + centre * d, q->now.mean + differ[r] * d, d);
  for (; size > 0; size--) {
    size_t next = 0;
    for (size_t r = 1; r < many; r++)
      if (far[r] < far[next])
        next = r;
    q->some[differ[next]] = 1;
    far[next] = HUGE_VAL;
  }
  return 1;
}

int kg_kmeans_cross(kg_kmeans *q, const kg_clusters *other) {
  size_t k = q->k;
  if (!choose_region(q, other))
    return 0;
  kg_kmeans_keep(q);
  kg_kmeans_show_none(q);
  for (size_t l = 0; l < k; l++)
    if (q->some[l])
      kg_kmeans_show_around(q, l);
  kg_kmeans_show_points(q);
  const kg_view *view = &q->near;
  for (size_t r = 0; r < view->n; r++) {
    size_t i = view->point[r], from = (size_t)q->now.label[i];
    size_t to = q->mine[other->label[i]];
    if ((q->some[from] || q->some[to]) && view->row[to] < k)
      kg_kmeans_send(q, i, to);
  }
  kg_kmeans_raised(q, GIVE_UP,
                   k <= KG_FEW_MEANS || (double)view->n > nearly_all * (double)q->n);
  return 1;
}

/* ---- W by pairs ---- */

size_t kg_kmeans_pairs_doubles(size_t n, size_t d) {
  return n * (d + 5) + 4 * d;
}

/* In products, by whether there are vector instructions for it. */
static double cost_of_pair(const kg_kmeans *q) {
  kg_semimetric rho = {KG_POWER, 2 * q->power};
  return kg_shape_of(rho) == KG_SCALAR ? 300 : 16;
}

double kg_kmeans_pairs_work(const kg_kmeans *q) {
  double pairs = 0;
  for (size_t l = 0; l < q->k; l++)
    pairs += (double)q->now.count[l] * (double)q->now.count[l] / 2;
  return pairs * cost_of_pair(q);
}

/* As kg_dispersion_rows, whose compensated sums, a row at a time, would make crossovers
 * take a third longer. */
static double within(kg_kmeans *q, size_t l) {
  const size_t *member = q->member + q->first[l];
  size_t m = q->first[l + 1] - q->first[l], d = q->d;
  double *x = q->pairs, *w = x + q->n * d, *b = w + q->n, *y = b + 4 * q->n, sum = 0;
  kg_coordinates points = {x, m, d, {KG_POWER, 2 * q->power}};
  for (size_t r = 0; r < m; r++) {
    w[r] = q->w[member[r]];
    for (size_t c = 0; c < d; c++)
      x[r + c * m] = q->z[member[r] * d + c];
  }
  for (size_t a = 0; a < m; a += 4) {
    size_t rows = m - a < 4 ? m - a : 4, width = m - a;
    double part[4], among = 0;
    for (size_t r = 0; r < rows; r++)
      kg_point_gather(&points, a + r, y, r);
    kg_points_strip(&points, y, a, m, b);
    memset(part, 0, sizeof part);
    kg_chosen_loops->sums4(b, width, w + a, width, part);
    for (size_t r = 0; r < rows; r++) {
      sum += w[a + r] * part[r];
      for (size_t c = 0; c < rows; c++)
        among += w[a + r] * w[a + c] * b[r * width + c];
    }
    sum -= among / 2; /* pairs of the four came twice */
  }
  q->work += cost_of_pair(q) * (double)m * (double)m / 2;
  return -2 * sum / q->now.s[l];
}

void kg_kmeans_disperse(kg_kmeans *q, int all) {
  kg_clusters *now = &q->now;
  if (!q->pairs)
    return;
  for (size_t l = 0; l < q->k; l++)
    q->some[l] = (size_t)all;
  for (size_t i = 0; i < q->n && !all; i++)
    if (now->label[i] != q->kept.label[i])
      q->some[now->label[i]] = q->some[q->kept.label[i]] = 1;
  now->dispersion = 0;
  for (size_t l = 0; l < q->k; l++) {
    if (q->some[l])
      now->within[l] = within(q, l);
    now->dispersion += now->within[l];
  }
}
