/* kg_crossover.c - crossovers of partitions by means: some clusters of one become what
 * they are in another, and points descend; what led to no lower W is undone.
 *
 * Partitions that swaps have led to share most of their clusters and differ in a few
 * regions, each of them better in some. Crossovers bring what is best of several
 * together. Small regions do it: large ones make partitions alike before they are good.
 *
 * The within-cluster sum of squares of clusters does not see their shape: it is wrong about which of two such
 * partitions is the better one by as much as is left to gain. The pairs within the
 * clusters that a crossover has changed cost less than its sweeps do, and determine. */
#include "kg_kmeans.h"
#include "kg_coordinates.h"
#include "kg_features.h"
#include "kg_loops.h"
#include "kg_semimetric.h"
#include "kg_start.h"
#include <math.h>
#include <string.h>

enum {
  ROUNDS = 20, /* in which partners find each other */
  GIVE_UP = 1, /* see kg_kmeans_swap.c: less, as there are many other crossovers to try */
  VECTOR = 16  /* columns that loops take at once */
};
static const double equal = 1e-2;  /* of a point's within-cluster sum of squares: means as near are the same */
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
  return (n + VECTOR) * (d + 5) + 4 * d;
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

/* Some points, and columns of zeros behind them, so that loops need not end early. */
typedef struct {
  kg_coordinates points;
  double *x, *w, *b, *y;
} some_points;

static some_points room_for(const kg_kmeans *q, size_t m) {
  some_points p;
  size_t stride = m + VECTOR;
  p.x = q->pairs;
  p.w = p.x + stride * q->d;
  p.b = p.w + stride;
  p.y = p.b + 4 * stride;
  p.points = (kg_coordinates){p.x, stride, q->d, {KG_POWER, 2 * q->power}};
  for (size_t c = 0; c < q->d; c++)
    memset(p.x + c * stride + m, 0, VECTOR * sizeof(double));
  return p;
}

static void put(const kg_kmeans *q, some_points *p, size_t at, size_t i) {
  p->w[at] = q->w[i];
  for (size_t c = 0; c < q->d; c++)
    p->x[at + c * p->points.n] = q->z[i * q->d + c];
}

static size_t whole(size_t width) {
  return (width + VECTOR - 1) / VECTOR * VECTOR;
}

/* B of four rows at most from a on, and the points in [begin, end): the sum with weights.
 * kg_dispersion_rows, whose compensated sums are a row at a time, takes longer. */
static double strip(kg_kmeans *q, const some_points *p, size_t a, size_t rows,
                    size_t begin, size_t end) {
  size_t ld = whole(end - begin);
  double part[4] = {0}, sum = 0;
  for (size_t r = 0; r < rows; r++)
    kg_point_gather(&p->points, a + r, p->y, r);
  kg_points_strip(&p->points, p->y, begin, begin + ld, p->b);
  kg_chosen_loops->sums4(p->b, ld, p->w + begin, end - begin, part);
  for (size_t r = 0; r < rows; r++)
    sum += p->w[a + r] * part[r];
  q->work += cost_of_pair(q) * (double)rows * (double)ld;
  return sum;
}

/* Over pairs of one in [from, to) and one in [begin, end). */
static double between(kg_kmeans *q, const some_points *p, size_t from, size_t to,
                      size_t begin, size_t end) {
  double sum = 0;
  for (size_t a = from; a < to && begin < end; a += 4)
    sum += strip(q, p, a, to - a < 4 ? to - a : 4, begin, end);
  return sum;
}

/* Over the pairs within the members of l. */
static double among(kg_kmeans *q, size_t l) {
  const size_t *member = q->member + q->first[l];
  size_t m = q->first[l + 1] - q->first[l];
  some_points p = room_for(q, m);
  double sum = 0;
  for (size_t r = 0; r < m; r++)
    put(q, &p, r, member[r]);
  for (size_t a = 0; a < m; a += 4) {
    size_t rows = m - a < 4 ? m - a : 4, ld = whole(m - a);
    double twice = 0; /* these four among themselves */
    sum += strip(q, &p, a, rows, a, m);
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < rows; c++)
        twice += p.w[a + r] * p.w[a + c] * p.b[r * ld + c];
    sum -= twice / 2;
  }
  return sum;
}

/* The same by the points that came and went, if they are few and what is left is much:
 * members that stayed, then those that came, then those that left. */
static double among_changed(kg_kmeans *q, size_t l, const int *next, size_t first_left) {
  const size_t *member = q->member + q->first[l];
  size_t m = q->first[l + 1] - q->first[l], stayed = 0, left = 0;
  for (size_t r = 0; r < m; r++)
    stayed += q->kept.label[member[r]] == (int)l;
  for (size_t i = first_left; i < q->n; i = (size_t)next[i])
    left++;
  size_t came = m - stayed;
  if (4 * (came + left) > m)
    return among(q, l);
  some_points p = room_for(q, m + left);
  size_t at[] = {0, stayed, m};
  for (size_t r = 0; r < m; r++)
    put(q, &p, at[q->kept.label[member[r]] != (int)l]++, member[r]);
  for (size_t i = first_left; i < q->n; i = (size_t)next[i])
    put(q, &p, at[2]++, i);
  double was = -q->kept.within[l] * q->kept.s[l] / 2;
  double sum = was + between(q, &p, stayed, m, 0, stayed) +
               between(q, &p, stayed, m, stayed, m) / 2 -
               between(q, &p, m, m + left, 0, stayed) -
               between(q, &p, m, m + left, m, m + left) / 2;
  /* a difference that is little beside what it is one of has lost its digits: points far
   * away that left a tight cluster */
  return sum < was / 2 ? sum : among(q, l);
}

static void add_within(kg_kmeans *q) {
  q->now.dispersion = 0;
  for (size_t l = 0; l < q->k; l++)
    q->now.dispersion += q->now.within[l];
}

void kg_kmeans_disperse(kg_kmeans *q) {
  if (!q->pairs)
    return;
  for (size_t l = 0; l < q->k; l++)
    q->now.within[l] = -2 * among(q, l) / q->now.s[l];
  add_within(q);
}

void kg_kmeans_disperse_changed(kg_kmeans *q) {
  const int *was = q->kept.label;
  int *next = q->half; /* those that left the same cluster */
  size_t *first_left = q->differ;
  if (!q->pairs)
    return;
  for (size_t l = 0; l < q->k; l++)
    first_left[l] = q->n;
  for (size_t i = q->n; i-- > 0;) {
    if (q->now.label[i] == was[i])
      continue;
    next[i] = (int)first_left[was[i]];
    first_left[was[i]] = i;
  }
  for (size_t l = 0; l < q->k; l++)
    if (q->some[l])
      q->now.within[l] = -2 * among_changed(q, l, next, first_left[l]) / q->now.s[l];
  add_within(q);
}
