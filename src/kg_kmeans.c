/* kg_kmeans.c - swaps of means of coordinates: one cluster is dissolved, another one
 * halved, and points descend; what led to no lower W is undone.
 *
 * A search on pair values pays a row of them for every move. Where rho is a power of the
 * distance, W of a cluster of weight s whose squared distances from the mean add up to v
 * is near a multiple of s (v/s)^power, power = alpha/2: exactly for alpha = 2, and for
 * less the better the more dimensions there are. Here a move costs O(d), so that
 * thousands of swaps cost what dozens do there. Which points may move is told in single
 * precision, by products that are the same on every processor; whether one does is told
 * by its squared distances in double precision. A swap is tried on the clusters around it
 * first, and a descent is given up where its last sweep lowered W by too little of what
 * is left to regain. */
#include "kg.h"
#include <math.h>
#include <string.h>

enum {
  PAIRS = 4,     /* of which the best is tried */
  HALVINGS = 10, /* sweeps of 2-means */
  RECEIVERS = 5, /* clusters around each of the two */
  GIVE_UP = 10,  /* last falls, times the sweeps so far, that may be left to regain */
  VISIT = 100,   /* products that take as long as a visit without them */
  COPY = 25      /* and as long as it takes to keep a point */
};

/* ---- memory ---- */

static size_t padded(size_t n) {
  return (n + KG_NEAREST - 1) / KG_NEAREST * KG_NEAREST;
}

size_t kg_kmeans_doubles(size_t n, size_t d, size_t k) {
  return 2 * (d * k + 2 * k) + 4 * k + n + 4 * d;
}

size_t kg_kmeans_floats(size_t n, size_t d, size_t k) {
  return 2 * (padded(n) * (d + 1) + k * (d + 2));
}

size_t kg_kmeans_sizes(size_t n, size_t k) {
  return 2 * k + n + k + 1 + 4 * k + 2 * (n + 2 * k);
}

size_t kg_kmeans_ints(size_t n) {
  return 5 * n;
}

static const double *point(const kg_kmeans *q, size_t i) {
  return q->z + i * q->d;
}

/* What a cluster of weight s and spread v about its mean costs. */
static double cost(const kg_kmeans *q, double s, double v) {
  if (!(v > 0))
    return 0;
  if (q->power == 1)
    return v;
  return q->power == 0.5 ? sqrt(s * v) : s * pow(v / s, q->power);
}

/* What coming to l costs a point of mean weight, by its squared distance from the mean: a
 * straight line, which touches what it is where points are that come; as a row of the
 * table. */
static void set_row(kg_kmeans *q, size_t l) {
  size_t d = q->d;
  if (q->view->row[l] == q->k)
    return;
  float *row = q->view->table + q->view->row[l] * (d + 2);
  const double *mean = q->now.mean + l * d;
  double s = q->now.s[l], w = q->weight, v = q->now.spread[l], norm2 = 0;
  double slope = s / (s + w), base = 0;
  double near = s > 0 ? v / s + q->typical * w / s : 0, more = v + w * slope * near;
  if (q->power < 1 && more > 0) {
    double after = cost(q, s + w, more);
    base = (after - cost(q, s, v)) / w;
    slope *= q->power * after / more;
    base -= slope * near;
  }
  for (size_t c = 0; c < d; c++) {
    row[c] = q->now.count[l] > 0 ? (float)(-2 * slope * mean[c]) : 0;
    norm2 += mean[c] * mean[c];
  }
  row[d] = q->now.count[l] > 0 ? (float)slope : 0;
  row[d + 1] = q->now.count[l] > 0 ? (float)(slope * norm2 + base) : KG_FAR;
}

static void set_rows(kg_kmeans *q) {
  for (size_t row = 0; row < q->view->k; row++)
    set_row(q, q->view->cluster[row]);
}

void kg_kmeans_set(kg_kmeans *q) {
  kg_clusters *now = &q->now;
  size_t d = q->d;
  double total = 0, all = 0;
  memset(now->mean, 0, d * q->k * sizeof(double));
  memset(now->s, 0, q->k * sizeof(double));
  memset(now->spread, 0, q->k * sizeof(double));
  memset(now->count, 0, q->k * sizeof(size_t));
  for (size_t i = 0; i < q->n; i++) {
    size_t l = (size_t)now->label[i];
    now->s[l] += q->w[i];
    now->count[l]++;
    for (size_t c = 0; c < d; c++)
      now->mean[l * d + c] += q->w[i] * point(q, i)[c];
  }
  for (size_t l = 0; l < q->k; l++)
    for (size_t c = 0; c < d && now->count[l] > 0; c++)
      now->mean[l * d + c] /= now->s[l];
  for (size_t i = 0; i < q->n; i++) {
    size_t l = (size_t)now->label[i];
    now->spread[l] += q->w[i] * kg_squared(point(q, i), now->mean + l * d, d);
    all += q->w[i];
  }
  now->W = 0;
  for (size_t l = 0; l < q->k; l++) {
    total += now->spread[l];
    now->W += cost(q, now->s[l], now->spread[l]);
  }
  q->typical = total / all;
  set_rows(q);
}

void kg_kmeans_init(kg_kmeans *q, const double *z, const double *w, size_t n, size_t d,
                    size_t k, double power, int *label, double *doubles, float *floats,
                    size_t *sizes, int *ints, const double *uniforms, size_t n_uniforms) {
  memset(q, 0, sizeof *q);
  q->n = n, q->d = d, q->k = k;
  q->power = power;
  q->z = z, q->w = w;
  q->now.label = label;
  q->now.mean = doubles;
  q->kept.mean = q->now.mean + d * k;
  q->now.s = q->kept.mean + d * k;
  q->kept.s = q->now.s + k;
  q->now.spread = q->kept.s + k;
  q->kept.spread = q->now.spread + k;
  q->gain = q->kept.spread + k;
  q->removal = q->gain + k;
  q->room = q->removal + k;
  q->now.count = sizes;
  q->kept.count = sizes + k;
  q->member = q->kept.count + k;
  q->first = q->member + n;
  kg_view *views[] = {&q->all, &q->near};
  q->mine = q->first + k + 1;
  q->theirs = q->mine + k;
  q->some = q->theirs + k;
  q->differ = q->some + k;
  sizes = q->differ + k;
  for (int v = 0; v < 2; v++) {
    views[v]->x = floats;
    views[v]->table = floats + padded(n) * (d + 1);
    views[v]->point = sizes;
    views[v]->cluster = sizes + n;
    views[v]->row = sizes + n + k;
    floats = views[v]->table + k * (d + 2);
    sizes += n + 2 * k;
  }
  q->kept.label = ints;
  q->second = ints + n;
  q->seen = q->second + n;
  q->was = q->seen + n;
  q->half = q->was + n;
  q->draws.u = uniforms;
  q->draws.n = n_uniforms;
  kg_view *all = q->view = &q->all;
  all->n = n, all->k = k, all->stride = padded(n);
  memset(all->x, 0, all->stride * (d + 1) * sizeof(float));
  memset(q->near.x, 0, all->stride * (d + 1) * sizeof(float));
  for (size_t i = 0; i < n; i++) {
    double norm2 = 0;
    for (size_t c = 0; c < d; c++) {
      all->x[c * all->stride + i] = (float)point(q, i)[c];
      norm2 += point(q, i)[c] * point(q, i)[c];
    }
    all->x[d * all->stride + i] = (float)norm2;
    all->point[i] = i;
    q->weight += w[i] / (double)n;
    q->second[i] = 0;
    q->was[i] = -1;
  }
  for (size_t l = 0; l < k; l++)
    all->row[l] = all->cluster[l] = l;
  kg_kmeans_set(q);
}

/* ---- moves ---- */

/* What the cluster of point i gains without it, and what l loses with it. */
static double leaves(const kg_kmeans *q, size_t i) {
  size_t l = (size_t)q->now.label[i];
  double w = q->w[i], s = q->now.s[l], v = q->now.spread[l];
  if (q->now.count[l] < 2)
    return 0;
  double less = w * (s / (s - w)) * kg_squared(point(q, i), q->now.mean + l * q->d, q->d);
  return q->power == 1 ? less : cost(q, s, v) - cost(q, s - w, v - less);
}

static double comes(const kg_kmeans *q, size_t i, size_t l) {
  double w = q->w[i], s = q->now.s[l], v = q->now.spread[l];
  if (q->now.count[l] == 0)
    return 0;
  double more = w * (s / (s + w)) * kg_squared(point(q, i), q->now.mean + l * q->d, q->d);
  return q->power == 1 ? more : cost(q, s + w, v + more) - cost(q, s, v);
}

static void move(kg_kmeans *q, size_t i, size_t l, double change) {
  kg_clusters *now = &q->now;
  size_t j = (size_t)now->label[i], d = q->d;
  const double *z = point(q, i), w = q->w[i];
  double *from = now->mean + j * d, *into = now->mean + l * d;
  double out = now->count[j] > 1 ? w / (now->s[j] - w) : 0;
  double in = now->count[l] > 0 ? w / (now->s[l] + w) : 1;
  double less = out * now->s[j] * kg_squared(z, from, d),
         more = in * now->s[l] * kg_squared(z, into, d);
  now->spread[j] = now->count[j] > 1 ? fmax(now->spread[j] - less, 0) : 0;
  now->spread[l] = now->count[l] > 0 ? now->spread[l] + more : 0;
  for (size_t c = 0; c < d; c++) {
    from[c] -= out * (z[c] - from[c]);
    into[c] += in * (z[c] - into[c]);
  }
  now->s[j] = now->count[j] > 1 ? now->s[j] - w : 0;
  now->s[l] = now->count[l] > 0 ? now->s[l] + w : w;
  now->count[j]--;
  now->count[l]++;
  now->label[i] = (int)l;
  now->W += change;
}

/* Point i, with the two nearest means as single precision sees them: 1 if it moves. */
static int visit(kg_kmeans *q, size_t i, const kg_nearest *near, size_t p) {
  const size_t *cluster = q->view->cluster;
  size_t j = (size_t)q->now.label[i], first = cluster[(size_t)near->first[p]];
  size_t second = cluster[(size_t)near->second[p]], l = first == j ? second : first;
  double least = first == j ? near->next[p] : near->least[p];
  double own = first == j ? near->least[p] : second == j ? near->next[p] : KG_FAR;
  double s = q->now.s[j], w = q->weight, more = (s + w) / (s - w);
  q->seen[i] = (int)l;
  /* from what coming costs to what leaving gains, and a margin for single precision */
  if (q->now.count[j] < 2 || l == j ||
      (s > w && least > own * (q->power < 1 ? more : 1) * more * 1.00001))
    return 0;
  double change = comes(q, i, l) - leaves(q, i);
  if (!(change < -1e-12 * fmax(q->now.W, 0)))
    return 0;
  move(q, i, l, change);
  set_row(q, j);
  set_row(q, l);
  return 1;
}

size_t kg_kmeans_sweep(kg_kmeans *q) {
  size_t moves = 0;
  const kg_view *view = q->view;
  for (size_t from = 0; from < view->n; from += KG_NEAREST) {
    size_t width = view->n - from < KG_NEAREST ? view->n - from : KG_NEAREST;
    kg_nearest near;
    kg_chosen_loops->two_nearest(view->x + from, view->stride, q->d + 1, view->table,
                                 view->k, (width + 31) / 32 * 32, &near);
    for (size_t p = 0; p < width; p++)
      moves += (size_t)visit(q, view->point[from + p], &near, p);
  }
  q->work += (double)view->n * ((double)view->k * (double)(q->d + 4) + VISIT);
  return moves;
}

/* ---- swaps ---- */

static void list_members(kg_kmeans *q) {
  size_t *first = q->first;
  memset(first, 0, (q->k + 1) * sizeof(size_t));
  for (size_t i = 0; i < q->n; i++)
    first[q->now.label[i] + 1]++;
  for (size_t l = 0; l < q->k; l++)
    first[l + 1] += first[l];
  for (size_t i = 0; i < q->n; i++)
    q->member[first[q->now.label[i]]++] = i;
  for (size_t l = q->k; l > 0; l--)
    first[l] = first[l - 1];
  first[0] = 0;
}

/* 2-means of the members of a, from one at random and one far from it, a few times over:
 * how much W falls, below 0 if there are no two. half[r] says which half. */
static double halve(kg_kmeans *q, size_t a) {
  size_t m = q->first[a + 1] - q->first[a], d = q->d, changed = m;
  const size_t *member = q->member + q->first[a];
  double *mean = q->room + q->n, *sum = mean + 2 * d, *near = q->room, s[2] = {0};
  size_t x = m > 0 ? kg_one_of(&q->draws, m) : 0;
  double u = kg_uniform(&q->draws);
  for (size_t r = 0; r < m; r++)
    near[r] = q->w[member[r]] * kg_squared(point(q, member[r]), point(q, member[x]), d);
  size_t y = kg_draw_mass(near, m, u);
  if (y == m)
    return -1;
  memcpy(mean, point(q, member[x]), d * sizeof(double));
  memcpy(mean + d, point(q, member[y]), d * sizeof(double));
  for (size_t r = 0; r < m; r++)
    q->half[r] = -1;
  for (int turn = 0; turn < HALVINGS && changed > 0; turn++) {
    memset(sum, 0, 2 * d * sizeof(double));
    s[0] = s[1] = 0;
    changed = 0;
    for (size_t r = 0; r < m; r++) {
      const double *z = point(q, member[r]), w = q->w[member[r]];
      int half = kg_squared(z, mean + d, d) < kg_squared(z, mean, d);
      changed += q->half[r] != half;
      q->half[r] = half;
      s[half] += w;
      for (size_t c = 0; c < d; c++)
        sum[(size_t)half * d + c] += w * z[c];
    }
    q->work += 8 * (double)m * (double)d;
    if (!(s[0] > 0 && s[1] > 0))
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
                     kg_squared(point(q, member[r]), mean + (size_t)q->half[r] * d, d);
  return cost(q, s[0] + s[1], v[0] + v[1] + between) - cost(q, s[0], v[0]) -
         cost(q, s[1], v[1]);
}

void kg_kmeans_list(kg_kmeans *q) {
  int *second = q->second;
  kg_kmeans_set(q);
  q->second = q->seen;
  q->seen = second;
  list_members(q);
}

void kg_kmeans_look(kg_kmeans *q) {
  kg_kmeans_list(q);
  for (size_t l = 0; l < q->k; l++) {
    size_t begin = q->first[l], end = q->first[l + 1], changed = 0;
    q->removal[l] = -cost(q, q->now.s[l], q->now.spread[l]);
    for (size_t r = begin; r < end; r++) {
      size_t i = q->member[r];
      q->removal[l] += comes(q, i, (size_t)q->second[i]);
      changed += q->was[i] != (int)l;
    }
    if (20 * changed <= end - begin)
      continue;
    q->gain[l] = halve(q, l);
    for (size_t r = begin; r < end; r++)
      q->was[q->member[r]] = (int)l;
  }
}

static void copy(kg_clusters *into, const kg_clusters *from, const kg_kmeans *q) {
  memcpy(into->label, from->label, q->n * sizeof(int));
  memcpy(into->mean, from->mean, q->d * q->k * sizeof(double));
  memcpy(into->s, from->s, q->k * sizeof(double));
  memcpy(into->spread, from->spread, q->k * sizeof(double));
  memcpy(into->count, from->count, q->k * sizeof(size_t));
  into->W = from->W;
}

void kg_kmeans_keep(kg_kmeans *q) {
  copy(&q->kept, &q->now, q);
  q->work += COPY * ((double)q->n + 2 * (double)q->k * (double)(q->d + RECEIVERS));
}

void kg_kmeans_send(kg_kmeans *q, size_t i, size_t l) {
  if ((size_t)q->now.label[i] != l)
    move(q, i, l, comes(q, i, l) - leaves(q, i));
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
    tally[q->second[q->member[r]]]++;
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

void kg_kmeans_view(kg_kmeans *q, int all) {
  kg_view *view = &q->near;
  if (!all) {
    view->stride = padded(view->n);
    for (size_t row = 0; row <= q->d; row++) {
      const float *from = q->all.x + row * q->all.stride;
      float *into = view->x + row * view->stride;
      for (size_t r = 0; r < view->n; r++)
        into[r] = from[view->point[r]];
    }
    q->work += 2 * (double)view->n * (double)(q->d + 1);
  }
  q->view = all ? &q->all : view;
  set_rows(q);
}

int kg_kmeans_swap(kg_kmeans *q) {
  size_t k = q->k, a = k, c = k, ones = 0;
  double best = -HUGE_VAL;
  for (int pair = 0; pair < PAIRS; pair++) {
    size_t split = kg_one_of(&q->draws, k), gone = kg_one_of(&q->draws, k);
    double score = q->gain[split] - q->removal[gone];
    if (split == gone || q->gain[split] < 0 || !(score > best))
      continue;
    best = score;
    a = split;
    c = gone;
  }
  if (a == k || halve(q, a) < 0)
    return 0;
  kg_kmeans_keep(q);
  const size_t *member = q->member + q->first[a];
  size_t m = q->first[a + 1] - q->first[a];
  for (size_t r = q->first[c]; r < q->first[c + 1]; r++)
    kg_kmeans_send(q, q->member[r], (size_t)q->second[q->member[r]]);
  for (size_t r = 0; r < m; r++)
    ones += q->half[r] == 1;
  /* the lesser half goes */
  for (size_t r = 0; r < m; r++)
    if (q->half[r] == (2 * ones <= m))
      kg_kmeans_send(q, member[r], c);
  q->raised = q->now.W;
  q->give_up = GIVE_UP;
  if (k > KG_FEW_MEANS) {
    kg_kmeans_show_none(q);
    kg_kmeans_show_around(q, a);
    kg_kmeans_show_around(q, c);
    kg_kmeans_show_points(q);
  }
  kg_kmeans_view(q, k <= KG_FEW_MEANS);
  return 1;
}

int kg_kmeans_hopes(const kg_kmeans *q, size_t moves, double before, int sweeps) {
  return moves > 0 && q->now.W - q->kept.W <= q->give_up * sweeps * (before - q->now.W);
}

int kg_kmeans_widen(kg_kmeans *q) {
  double rise = q->now.W - q->kept.W, fall = q->raised - q->now.W;
  /* what came back to where it was goes nowhere */
  if (q->view == &q->all || fabs(rise) <= 1e-9 * q->kept.W || rise > fall)
    return 0;
  kg_kmeans_view(q, 1);
  return 1;
}

int kg_kmeans_settle(kg_kmeans *q, int at_rest, int gains) {
  int empty = 0, wide = q->view == &q->all;
  q->view = &q->all;
  for (size_t l = 0; l < q->k; l++)
    empty |= q->now.count[l] == 0;
  if (at_rest && !empty && q->now.W < q->kept.W * (1 - 1e-10)) {
    kg_kmeans_set(q); /* what moves have added up to may be rounding */
    if (q->now.W < q->kept.W) {
      if (gains)
        kg_kmeans_look(q);
      else
        kg_kmeans_list(q);
      return 1;
    }
  }
  copy(&q->now, &q->kept, q);
  if (wide) /* else its rows are as they were */
    set_rows(q);
  return 0;
}
