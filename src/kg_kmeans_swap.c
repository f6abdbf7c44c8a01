/* kg_kmeans_swap.c - centroid swaps: one cluster is removed, another one halved, and
 * points descend; what led to no lower W is undone. A swap is tried on the clusters
 * around it first, and a local search is given up where its last sweep lowered W by too little
 * of what is left to regain. Crossovers descend in the same way (kg_crossover.c). */
#include "kg_kmeans.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_rule.h"
#include "kg_start.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
  PAIRS = 8,     /* of which the best is tried; half of them where clusters are few */
  HALVINGS = 10, /* sweeps of 2-means */
  RECEIVERS = 5, /* clusters around each of the two */
  GIVE_UP = 10,  /* last falls, times the sweeps so far, that may be left to regain */
  COPY = 25      /* products that take as long as to keep a point */
};

/* Share of what removing a cluster costs: halves that save less are not tried. */
static const double hopeless = 0.2;
/* Part of a cluster's share of W by which sums of squares may be wrong about a crossover. */
static const double unsure = 5e-3;

/* ---- views ---- */

void kg_kmeans_keep(kg_kmeans *q) {
  kg_clusters_copy(&q->kept, &q->now, q);
  q->work += COPY * ((double)q->n + 2 * (double)q->k * (double)(q->d + RECEIVERS));
}

static void show(kg_view *view, size_t l) {
  view->row[l] = view->k;
  view->cluster[view->k++] = l;
}

void kg_kmeans_show_none(kg_kmeans *q) {
  q->near.k = q->near.n = 0;
  for (size_t l = 0; l < q->k; l++)
    q->near.row[l] = q->k;
}

void kg_kmeans_show_around(kg_kmeans *q, size_t l) {
  kg_view *view = &q->near;
  double *tally = q->room;
  if (view->row[l] == q->k)
    show(view, l);
  memset(tally, 0, q->k * sizeof(double));
  for (size_t r = q->first[l]; r < q->first[l + 1]; r++)
    tally[q->now.second[q->member[r]]]++;
  for (int one = 0; one < RECEIVERS; one++) {
    size_t most = 0;
    for (size_t c = 1; c < q->k; c++)
      if (tally[c] > tally[most])
        most = c;
    if (!(tally[most] > 0))
      return;
    tally[most] = 0;
    if (view->row[most] == q->k)
      show(view, most);
  }
}

void kg_kmeans_show_points(kg_kmeans *q) {
  kg_view *view = &q->near;
  for (size_t one = 0; one < view->k; one++) {
    size_t l = view->cluster[one];
    for (size_t r = q->first[l]; r < q->first[l + 1]; r++)
      view->point[view->n++] = q->member[r];
  }
}

/* ---- swaps ---- */

/* 2-means of the members of a, from one at random and one far from it, a few times over:
 * how much W falls, below 0 if there are no two. half[r] states which half. */
static double halve(kg_kmeans *q, size_t a) {
  size_t m = q->first[a + 1] - q->first[a], d = q->d, changed = m;
  const size_t *member = q->member + q->first[a];
  double *mean = q->room + q->n, *sum = mean + 2 * d, *near = q->room, s[2] = {0};
  size_t many[2] = {0}, x = m > 0 ? kg_one_of(&q->draws, m) : 0;
  double u = kg_uniform(&q->draws);
  for (size_t r = 0; r < m; r++)
    near[r] = q->w[member[r]] * kg_squared(q->z + member[r] * d, q->z + member[x] * d, d);
  size_t y = kg_draw_mass(near, m, u);
  if (y == m)
    return -1;
  memcpy(mean, q->z + member[x] * d, d * sizeof(double));
  memcpy(mean + d, q->z + member[y] * d, d * sizeof(double));
  memset(sum, 0, 2 * d * sizeof(double));
  for (size_t r = 0; r < m; r++)
    q->half[r] = -1;
  for (int turn = 0; turn < HALVINGS && changed > 0; turn++) {
    changed = 0;
    /* nearer to the second mean: beyond the middle of the way from the first */
    double *way = sum + 2 * d, middle = 0;
    for (size_t c = 0; c < d; c++) {
      way[c] = mean[d + c] - mean[c];
      middle += way[c] * (mean[d + c] + mean[c]) / 2;
    }
    for (size_t r = 0; r < m; r++) {
      const double *z = q->z + member[r] * d, w = q->w[member[r]];
      int half = kg_inner(z, way, d) > middle, was = q->half[r];
      if (half == was)
        continue;
      changed++;
      q->half[r] = half;
      s[half] += w;
      many[half]++;
      if (was >= 0) {
        s[was] -= w;
        many[was]--;
      }
      for (size_t c = 0; c < d; c++) {
        sum[(size_t)half * d + c] += w * z[c];
        if (was >= 0)
          sum[(size_t)was * d + c] -= w * z[c];
      }
    }
    q->work += 8 * (double)m * (double)d;
    if (many[0] == 0 || many[1] == 0)
      return -1;
    for (size_t c = 0; c < 2 * d; c++)
      mean[c] = sum[c] / s[c >= d];
  }
  double between = s[0] / (s[0] + s[1]) * s[1] * kg_squared(mean, mean + d, d),
         v[2] = {0};
  if (q->power == 1)
    return between;
  for (size_t r = 0; r < m; r++)
    v[q->half[r]] += q->w[member[r]] *
                     kg_squared(q->z + member[r] * d, mean + (size_t)q->half[r] * d, d);
  return kg_kmeans_cost(q, s[0] + s[1], v[0] + v[1] + between) -
         kg_kmeans_cost(q, s[0], v[0]) - kg_kmeans_cost(q, s[1], v[1]);
}

void kg_kmeans_gains(kg_kmeans *q) {
  for (size_t l = 0; l < q->k; l++) {
    size_t begin = q->first[l], end = q->first[l + 1], changed = 0;
    q->removal[l] = -kg_kmeans_cost(q, q->now.s[l], q->now.spread[l]);
    for (size_t r = begin; r < end; r++) {
      size_t i = q->member[r];
      size_t to = (size_t)q->now.second[i];
      q->removal[l] += kg_kmeans_comes(q, i, to);
      changed += q->was[i] != (int)l;
    }
    if (20 * changed <= end - begin)
      continue;
    q->gain[l] = q->estimate[l] = halve(q, l);
    for (size_t r = begin; r < end; r++)
      q->was[q->member[r]] = (int)l;
  }
}

void kg_kmeans_raised(kg_kmeans *q, double give_up, int all) {
  kg_kmeans_add_up(q);
  q->raised = q->now.W;
  q->give_up = give_up;
  kg_kmeans_see(q, all);
}

/* The best of some pairs at random: what to halve and what to remove. 0 if none will
 * do: where halves save little of what removing costs at first hardly a swap comes to a
 * lower W. */
static int draw_pair(kg_kmeans *q, size_t *a, size_t *c) {
  double best = hopeless;
  int pairs = q->k > KG_FEW_MEANS ? PAIRS : PAIRS / 2;
  for (int pair = 0; pair < pairs; pair++) {
    size_t split = kg_one_of(&q->draws, q->k), gone = kg_one_of(&q->draws, q->k);
    double score = q->gain[split] / fmax(q->removal[gone], DBL_MIN);
    if (split == gone || !(score > best))
      continue;
    best = score;
    *a = split;
    *c = gone;
  }
  return best > hopeless;
}

/* The best of all pairs, which repairs at once what no way through neighbours does: a mean
 * too many in one place and one too few in another. 0 if W would rise. The cluster that is halved is
 * not chosen again before gains are found again. */
static int improving_pair(kg_kmeans *q, size_t *a, size_t *c) {
  size_t most = 0, least = 0;
  double best = 0;
  for (size_t l = 1; l < q->k; l++) {
    most = kg_below(q->estimate[most], q->estimate[l]) ? l : most;
    least = kg_below(q->removal[l], q->removal[least]) ? l : least;
  }
  for (size_t l = 0; l < q->k; l++) {
    double with_most = q->estimate[most] - q->removal[l];
    double with_least = q->estimate[l] - q->removal[least];
    if (l != most && kg_below(best, with_most)) {
      best = with_most;
      *a = most;
      *c = l;
    }
    if (l != least && kg_below(best, with_least)) {
      best = with_least;
      *a = l;
      *c = least;
    }
  }
  if (!(best > 0))
    return 0;
  q->estimate[*a] = 0;
  /* what is left of it has other halves */
  for (size_t r = q->first[*a]; r < q->first[*a + 1]; r++)
    q->was[q->member[r]] = -1;
  return 1;
}

int kg_kmeans_swap(kg_kmeans *q, int improving) {
  size_t k = q->k, a = k, c = k, ones = 0;
  if (!(improving ? improving_pair(q, &a, &c) : draw_pair(q, &a, &c)) || halve(q, a) < 0)
    return 0;
  kg_kmeans_keep(q);
  const size_t *member = q->member + q->first[a];
  size_t m = q->first[a + 1] - q->first[a];
  for (size_t r = q->first[c]; r < q->first[c + 1]; r++)
    kg_kmeans_send(q, q->member[r], (size_t)q->now.second[q->member[r]]);
  for (size_t r = 0; r < m; r++)
    ones += q->half[r] == 1;
  /* the lesser half goes */
  for (size_t r = 0; r < m; r++)
    if (q->half[r] == (2 * ones <= m))
      kg_kmeans_send(q, member[r], c);
  if (k > KG_FEW_MEANS) {
    kg_kmeans_show_none(q);
    kg_kmeans_show_around(q, a);
    kg_kmeans_show_around(q, c);
    kg_kmeans_show_points(q);
  }
  kg_kmeans_raised(q, GIVE_UP, k <= KG_FEW_MEANS);
  return 1;
}

/* How much W has risen; by sums of squares it may seem to have where by pairs it has not. */
static double rise(const kg_kmeans *q) {
  return q->now.W - q->kept.W * (1 + (q->pairs ? unsure / (double)q->k : 0));
}

int kg_kmeans_hopes(const kg_kmeans *q, size_t moves, double before, int sweeps) {
  return moves > 0 && rise(q) <= q->give_up * sweeps * (before - q->now.W);
}

int kg_kmeans_widen(kg_kmeans *q) {
  /* what came back to where it was goes nowhere */
  if (q->view == &q->all || fabs(q->now.W - q->kept.W) <= 1e-9 * q->kept.W ||
      rise(q) > q->raised - q->now.W)
    return 0;
  /* to what others see of those in view, and these of the others, which have not gone far
   * since */
  float gone = (float)(q->now.farthest - q->kept.farthest);
  for (size_t r = 0; r < q->near.n; r++) {
    size_t i = q->near.point[r];
    q->now.other[i] = fminf(q->now.other[i] - gone, q->kept.other[i]);
  }
  for (size_t i = 0; i < q->n; i++)
    q->now.other[i] += gone;
  kg_kmeans_scan_means(q, &q->all, q->near.table, q->near.k, q->near.row);
  kg_kmeans_see(q, 1);
  return 1;
}

int kg_kmeans_settle(kg_kmeans *q, int at_rest) {
  int empty = 0;
  q->view = &q->all;
  for (size_t l = 0; l < q->k; l++)
    empty |= q->now.count[l] == 0;
  if (!at_rest || empty || !(rise(q) < -1e-10 * q->kept.W)) {
    kg_kmeans_restore(q, &q->kept);
    return 0;
  }
  kg_kmeans_list_changed(q); /* what moves have added up to may be rounding */
  kg_kmeans_disperse_changed(q);
  if (kg_below(q->now.dispersion, q->kept.dispersion))
    return 1;
  kg_kmeans_take(q, &q->kept);
  return 0;
}
