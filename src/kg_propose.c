/* kg_propose.c - centroid swaps (Franti 2018), tried on the clusters around them first if
 * there are many. */
#include "kg_propose.h"
#include "kg_check.h"
#include "kg_features.h"
#include "kg_rule.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
  FEW = 10,      /* up to so many clusters sweeps always go over all */
  PAIRS = 8,     /* of which the best is swapped; half of them for few clusters */
  HALVINGS = 10, /* sweeps of 2-means */
  RECEIVERS = 5, /* clusters around each of the two */
  MOST = 1000,   /* sweeps: rounding must not lower W for ever */
  COPY = 25      /* products that take as long as copying a point */
};
/* falls of the last sweep, times the sweeps so far, that may be left to regain */
static const double give_up = 10;
static const double hopeless =
    0.2; /* of the removal: halves that gain less are not tried */

void kg_proposals_lay(kg_proposals *p, size_t n, size_t d, size_t k, kg_room *room) {
  memset(p, 0, sizeof *p);
  kg_float_lay(&p->f, n, d, k, k > FEW, room);
  kg_centroids_lay(&p->kept, n, d, k, room);
  p->gain = KG_TAKE(room, k, double);
  p->removal = KG_TAKE(room, k, double);
  p->was = KG_TAKE(room, n, int);
  p->half = KG_TAKE(room, n, int);
  p->room = KG_TAKE(room, n + 2 * k + 5 * d, double);
  for (size_t i = 0; p->was && i < n; i++)
    p->was[i] = -1;
}

/* ---- sweeps of a proposal ---- */

static void keep(kg_proposals *p) {
  const kg_float *f = &p->f;
  kg_centroids_copy(&p->kept, &f->now, f);
  p->f.work +=
      COPY * ((double)f->of.n + 2 * (double)f->k * (double)(f->of.d + RECEIVERS));
  p->f.near.k = p->f.near.n = 0;
  for (size_t l = 0; l < f->k; l++)
    p->f.near.row[l] = f->k;
}

static void add(kg_proposals *p, size_t l) {
  kg_view *view = &p->f.near;
  if (view->row[l] < p->f.k)
    return;
  view->row[l] = view->k;
  view->cluster[view->k++] = l;
}

/* Adds cluster l to the view, and those that are the second choice of most of its points.
 */
static void add_around(kg_proposals *p, size_t l) {
  const kg_float *f = &p->f;
  double *tally = p->room;
  add(p, l);
  memset(tally, 0, f->k * sizeof(double));
  for (size_t r = f->first[l]; r < f->first[l + 1]; r++)
    tally[f->now.second[f->member[r]]]++;
  for (int one = 0; one < RECEIVERS; one++) {
    size_t most = 0;
    for (size_t c = 1; c < f->k; c++)
      if (tally[c] > tally[most])
        most = c;
    if (!(tally[most] > 0))
      return;
    tally[most] = 0;
    add(p, most);
  }
}

static void add_points(kg_float *f) {
  kg_view *view = &f->near;
  for (size_t one = 0; one < view->k; one++) {
    size_t l = view->cluster[one];
    for (size_t r = f->first[l]; r < f->first[l + 1]; r++)
      view->point[view->n++] = f->member[r];
  }
}

static void begin_sweeps(kg_proposals *p, int all) {
  kg_float_add_up(&p->f);
  kg_float_see(&p->f, all);
  p->progress = (kg_progress){p->f.now.W, HUGE_VAL, 1, 0};
}

static int hopes(const kg_proposals *p) {
  const kg_progress *t = &p->progress;
  double W = p->f.now.W;
  return t->moves > 0 && t->sweeps < MOST &&
         W - p->kept.W <= give_up * (t->sweeps + 1) * (t->before - W);
}

int kg_propose_sweep(kg_proposals *p) {
  kg_progress *t = &p->progress;
  double W = p->f.now.W;
  if (!hopes(p)) {
    /* from the view to all clusters, unless W has returned to its value or regained too
     * little */
    if (p->f.view == &p->f.all || fabs(W - p->kept.W) <= 1e-9 * p->kept.W ||
        W - p->kept.W > t->raised - W)
      return 0;
    kg_float_see(&p->f, 1);
    t->sweeps = 0;
  }
  t->before = W;
  t->moves = kg_float_sweep(&p->f);
  t->sweeps++;
  return 1;
}

int kg_propose_end(kg_proposals *p) {
  kg_float *f = &p->f;
  int lower = p->progress.moves == 0 && f->now.W - p->kept.W < -1e-10 * p->kept.W;
  for (size_t l = 0; l < f->k; l++)
    lower &= f->now.count[l] > 0;
  if (lower) {
    kg_float_list(f); /* sums kept by moves may be rounding */
    if (kg_below(f->now.W, p->kept.W))
      return 1;
  }
  kg_float_restore(f, &p->kept);
  if (lower)
    kg_float_list_members(f);
  return 0;
}

/* ---- swaps ---- */

/* One assignment of 2-means: the points beyond the middle of the way from the first mean
 * to the second. Returns the number of points that changed; sum, s, many: of the halves.
 */
static size_t assign_halves(kg_proposals *p, const size_t *member, size_t m,
                            const double *mean, double *sum, double s[2],
                            size_t many[2]) {
  size_t d = p->f.of.d, changed = 0;
  double *way = sum + 2 * d, middle = 0;
  memset(sum, 0, 2 * d * sizeof(double));
  s[0] = s[1] = 0;
  many[0] = many[1] = 0;
  for (size_t c = 0; c < d; c++) {
    way[c] = mean[d + c] - mean[c];
    middle += way[c] * (mean[d + c] + mean[c]) / 2;
  }
  for (size_t r = 0; r < m; r++) {
    const double *z = p->f.of.z + member[r] * d, w = p->f.of.w[member[r]];
    int half = kg_inner(z, way, d) > middle;
    changed += p->half[r] != half;
    p->half[r] = half;
    s[half] += w;
    many[half]++;
    for (size_t c = 0; c < d; c++)
      sum[(size_t)half * d + c] += w * z[c];
  }
  p->f.work += 8 * (double)m * (double)d;
  return changed;
}

/* 2-means of the members of a, from a random one and a distant one: the fall of W, below
 * 0 if there are no two. half[r] is the half of the r-th member. */
static double halve(kg_proposals *p, size_t a) {
  const kg_float *f = &p->f;
  size_t m = f->first[a + 1] - f->first[a], d = f->of.d, many[2] = {0}, changed = m;
  const size_t *member = f->member + f->first[a];
  const double *z = f->of.z, *w = f->of.w;
  double *near = p->room, *mean = near + f->of.n, *sum = mean + 2 * d, s[2] = {0};
  size_t x = m > 0 ? kg_one_of(&p->draws, m) : 0;
  double u = kg_uniform(&p->draws);
  for (size_t r = 0; r < m; r++)
    near[r] = w[member[r]] * kg_squared(z + member[r] * d, z + member[x] * d, d);
  size_t y = kg_draw_mass(near, m, u);
  if (y == m)
    return -1;
  memcpy(mean, z + member[x] * d, d * sizeof(double));
  memcpy(mean + d, z + member[y] * d, d * sizeof(double));
  for (size_t r = 0; r < m; r++)
    p->half[r] = -1;
  for (int turn = 0; turn < HALVINGS && changed > 0; turn++) {
    changed = assign_halves(p, member, m, mean, sum, s, many);
    if (many[0] == 0 || many[1] == 0)
      return -1;
    for (size_t c = 0; c < 2 * d; c++)
      mean[c] = sum[c] / s[c >= d];
  }
  return s[0] / (s[0] + s[1]) * s[1] * kg_squared(mean, mean + d, d);
}

void kg_propose_gains(kg_proposals *p) {
  KG_CHECK(p->f.first[p->f.k] == p->f.of.n);
  const kg_float *f = &p->f;
  for (size_t l = 0; l < f->k; l++) {
    size_t begin = f->first[l], end = f->first[l + 1], changed = 0;
    p->removal[l] = -f->now.spread[l];
    for (size_t r = begin; r < end; r++) {
      size_t i = f->member[r];
      p->removal[l] += kg_float_comes(f, i, (size_t)f->now.second[i]);
      changed += p->was[i] != (int)l;
    }
    if (20 * changed <= end - begin)
      continue;
    p->gain[l] = halve(p, l);
    for (size_t r = begin; r < end; r++)
      p->was[f->member[r]] = (int)l;
  }
}

/* The best of some random pairs: a is halved, c removed. 0 if its halves gain too little.
 */
static int draw_pair(kg_proposals *p, size_t *a, size_t *c) {
  double best = hopeless;
  size_t k = p->f.k;
  int pairs = k > FEW ? PAIRS : PAIRS / 2;
  for (int pair = 0; pair < pairs; pair++) {
    size_t split = kg_one_of(&p->draws, k), gone = kg_one_of(&p->draws, k);
    double score = p->gain[split] / fmax(p->removal[gone], DBL_MIN);
    if (split == gone || !(score > best))
      continue;
    best = score;
    *a = split;
    *c = gone;
  }
  return best > hopeless;
}

/* The pair of the largest estimated fall; 0 if there is none. A cluster is halved once:
 * its gain is computed again with those of the clusters that change. */
static int improving_pair(kg_proposals *p, size_t *a, size_t *c) {
  size_t k = p->f.k;
  double best = 0;
  for (size_t split = 0; split < k; split++)
    for (size_t gone = 0; gone < k; gone++)
      if (split != gone && kg_below(best, p->gain[split] - p->removal[gone])) {
        best = p->gain[split] - p->removal[gone];
        *a = split;
        *c = gone;
      }
  if (!(best > 0))
    return 0;
  p->gain[*a] = 0;
  for (size_t r = p->f.first[*a]; r < p->f.first[*a + 1]; r++)
    p->was[p->f.member[r]] = -1;
  return 1;
}

int kg_propose_swap(kg_proposals *p, int improving) {
  KG_CHECK(p->f.k >= 2 && p->f.first[p->f.k] == p->f.of.n);
  kg_float *f = &p->f;
  size_t k = f->k, a = k, c = k, ones = 0;
  if (!(improving ? improving_pair(p, &a, &c) : draw_pair(p, &a, &c)) || halve(p, a) < 0)
    return 0;
  keep(p);
  const size_t *member = f->member + f->first[a];
  size_t m = f->first[a + 1] - f->first[a];
  for (size_t r = f->first[c]; r < f->first[c + 1]; r++)
    kg_float_send(f, f->member[r], (size_t)f->now.second[f->member[r]]);
  for (size_t r = 0; r < m; r++)
    ones += p->half[r] == 1;
  for (size_t r = 0; r < m; r++) /* the lesser half moves */
    if (p->half[r] == (2 * ones <= m))
      kg_float_send(f, member[r], c);
  if (k > FEW) {
    add_around(p, a);
    add_around(p, c);
    add_points(f);
  }
  begin_sweeps(p, k <= FEW);
  return 1;
}
