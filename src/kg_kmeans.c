/* kg_kmeans.c - partitions by means of coordinates: moves, and sweeps that pass over the
 * points which may move.
 *
 * A search on pairwise dissimilarities pays a row of them for every move. If rho is a power of the
 * distance, W of a cluster of weight s whose squared distances from the mean add up to v
 * is near a multiple of s (v/s)^power, power = alpha/2: exactly for alpha = 2, and for
 * less the better the more dimensions there are. Here a move costs O(d), so that
 * thousands of attempts cost what dozens do there. Which points may move is found in single
 * precision, by products that are the same on every processor; whether one does is found
 * by its squared distances in double precision.
 *
 * In a local search most points stay where they are, and most means hardly move. The gain that a point
 * would have to gain, when it was evaluated, is kept, and how far means have gone since;
 * it is evaluated again when that may be enough. The part of a way that counts is what a point is
 * likely to see of it, so sweeps may pass over one that would move: in the end a sweep
 * over all points states whether a partition is at a local optimum (kg_kmeans_sure). */
#include "kg_kmeans.h"
#include "kg_features.h"
#include "kg_loops.h"
#include <math.h>
#include <string.h>

enum {
  PROCESS = 50,  /* products that take as long as a pass without them, */
  SEARCH = 40,   /* to search for others, */
  SCAN = 15,   /* to see whether a point is open, */
  GATHER = 3   /* to gather a coordinate */
};

static const double far = 0.1; /* of the typical distance: such means all points check */
static const double share =
    0.8; /* of a way, over sqrt(d): what points mostly see of it */
static const double heavy = 1.5; /* of the mean weight: single precision does not determine it */
static const double few =
    6; /* points: single precision does not determine it of such a cluster */
static const double nearly_all = 0.7; /* of the points: none are gathered */
static const double enough = 150;     /* products a point: less are not worth a scan */

/* ---- memory ---- */

static size_t padded(size_t n) {
  return (n + KG_NEAREST - 1) / KG_NEAREST * KG_NEAREST;
}

/* Values of a point that are gathered: its coordinates, |z|^2, and zeros up to a multiple of
 * four. */
static size_t row_length(size_t d) {
  return (d + 4) / 4 * 4;
}

size_t kg_clusters_doubles(size_t d, size_t k) {
  return (d + 4) * k;
}

size_t kg_kmeans_doubles(size_t n, size_t d, size_t k) {
  return 2 * kg_clusters_doubles(d, k) + d * k + 3 * k + n + 2 * k + 5 * d;
}

size_t kg_kmeans_floats(size_t n, size_t d, size_t k) {
  size_t length = row_length(d);
  return 4 * n + 3 * padded(n) * length + 3 * k * (d + 2) + 7 * k + n * length;
}

size_t kg_kmeans_sizes(size_t n, size_t k) {
  return 2 * k + n + k + 1 + 4 * k + 3 * (n + 2 * k);
}

size_t kg_kmeans_ints(size_t n) {
  return 5 * n;
}

void kg_clusters_init(kg_clusters *c, size_t n, size_t d, size_t k, int *label,
                      double *doubles, float *floats, size_t *sizes, int *ints) {
  c->label = label;
  c->second = ints;
  c->own = floats;
  c->other = floats + n;
  c->mean = doubles;
  c->s = c->mean + d * k;
  c->spread = c->s + k;
  c->drift = c->spread + k;
  c->within = c->drift + k;
  c->count = sizes;
}

static float root(float x) {
  return x > 0 ? sqrtf(x) : 0;
}

static const double *point(const kg_kmeans *q, size_t i) {
  return q->z + i * q->d;
}

/* The cost that a cluster of weight s and sum of squares v about its mean costs. */
double kg_kmeans_cost(const kg_kmeans *q, double s, double v) {
  if (!(v > 0))
    return 0;
  if (q->power == 1)
    return v;
  return q->power == 0.5 ? sqrt(s * v) : s * pow(v / s, q->power);
}

/* The amount that leaving l saves a point of mean weight, by what coming to it costs, which is slope
 * times the squared distance and base: a straight line, too. The error of both where
 * they do not touch, bend bounds, but for points that are most of the within-cluster sum of squares. A cluster
 * of little weight leaves it open. */
static void set_leaving(kg_kmeans *q, size_t l, double slope, double base) {
  double s = q->now.s[l], w = q->weight, v = q->now.spread[l];
  int single = q->now.count[l] < 2;
  q->more[l] = single ? 0 : 1;
  q->base[l] = single ? 0 : KG_FAR;
  q->usual[l] = q->bend[l] = 0;
  if (single || !(s > few * w) || !(slope > 0))
    return;
  double saves = s / (s - w), at = v / s, from = 0, less = v - w * saves * at;
  if (q->power < 1 && less > 0) {
    double after = kg_kmeans_cost(q, s - w, less);
    double usual = (kg_kmeans_cost(q, s, v) - after) / w;
    saves *= q->power * after / less;
    from = usual - saves * at;
    q->usual[l] = (float)usual;
    q->bend[l] = (float)(2 * (1 - q->power) / q->power * w / (s * usual));
  }
  q->more[l] = (float)(saves / slope);
  q->base[l] = (float)(from - saves / slope * base);
}

/* The amount that coming to l costs a point of mean weight, by its squared distance from the mean: a
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
    double after = kg_kmeans_cost(q, s + w, more);
    base = (after - kg_kmeans_cost(q, s, v)) / w;
    slope *= q->power * after / more;
    base -= slope * near;
  }
  for (size_t c = 0; c < d; c++) {
    row[c] = q->now.count[l] > 0 ? (float)(-2 * slope * mean[c]) : 0;
    norm2 += mean[c] * mean[c];
  }
  row[d] = q->now.count[l] > 0 ? (float)slope : 0;
  row[d + 1] = q->now.count[l] > 0 ? (float)(slope * norm2 + base) : KG_FAR;
  q->level[l] = root((float)(slope * q->typical + base));
  set_leaving(q, l, slope, base);
}

static void set_rows(kg_kmeans *q) {
  for (size_t row = 0; row < q->view->k; row++)
    set_row(q, q->view->cluster[row]);
}

/* Drift is measured from here. */
static void set_anchors(kg_kmeans *q) {
  memcpy(q->anchor, q->now.mean, q->d * q->k * sizeof(double));
  memcpy(q->was_level, q->level, q->k * sizeof(float));
}

void kg_kmeans_add_up(kg_kmeans *q) {
  q->now.W = 0;
  for (size_t l = 0; l < q->k; l++)
    q->now.W += kg_kmeans_cost(q, q->now.s[l], q->now.spread[l]);
}

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

/* Of the members of l. */
static void find_mean(kg_kmeans *q, size_t l) {
  const size_t *member = q->member + q->first[l];
  size_t m = q->first[l + 1] - q->first[l], d = q->d;
  double *mean = q->now.mean + l * d, s = 0, spread = 0;
  memset(mean, 0, d * sizeof(double));
  for (size_t r = 0; r < m; r++) {
    const double *z = point(q, member[r]), w = q->w[member[r]];
    s += w;
    for (size_t c = 0; c < d; c++)
      mean[c] += w * z[c];
  }
  for (size_t c = 0; c < d && m > 0; c++)
    mean[c] /= s;
  for (size_t r = 0; r < m; r++)
    spread += q->w[member[r]] * kg_squared(point(q, member[r]), mean, d);
  q->now.count[l] = m;
  q->now.s[l] = s;
  q->now.spread[l] = spread;
}

static void use_means(kg_kmeans *q) {
  double total = 0;
  for (size_t l = 0; l < q->k; l++)
    total += q->now.spread[l];
  q->typical = total / q->total;
  kg_kmeans_add_up(q);
  q->now.dispersion = q->now.W;
  set_rows(q);
  set_anchors(q);
}

static void open_all(kg_kmeans *q) {
  for (size_t i = 0; i < q->n; i++) {
    q->now.own[i] = KG_FAR;
    q->now.other[i] = 0;
  }
}

void kg_kmeans_set(kg_kmeans *q) {
  kg_kmeans_list(q);
  memset(q->now.second, 0, q->n * sizeof(int));
  open_all(q);
  memset(q->now.drift, 0, q->k * sizeof(double));
  q->now.farthest = 0;
}

void kg_kmeans_init(kg_kmeans *q, const double *z, const double *w, size_t n, size_t d,
                    size_t k, double power, int *label, double *doubles, float *floats,
                    size_t *sizes, int *ints, const double *uniforms, size_t n_uniforms) {
  memset(q, 0, sizeof *q);
  q->n = n, q->d = d, q->k = k;
  q->power = power;
  q->z = z, q->w = w;
  size_t each = kg_clusters_doubles(d, k);
  kg_clusters_init(&q->now, n, d, k, label, doubles, floats, sizes, ints);
  kg_clusters_init(&q->kept, n, d, k, ints + n, doubles + each, floats + 2 * n, sizes + k,
                   ints + 2 * n);
  q->was = ints + 3 * n;
  q->half = q->was + n;
  q->anchor = doubles + 2 * each;
  q->gain = q->anchor + d * k;
  q->estimate = q->gain + k;
  q->removal = q->estimate + k;
  q->room = q->removal + k;
  floats += 4 * n;
  q->level = floats;
  q->was_level = floats + k;
  q->more = floats + 2 * k;
  q->base = floats + 3 * k;
  q->usual = floats + 4 * k;
  q->bend = floats + 5 * k;
  q->reach = floats + 6 * k;
  q->single = floats + 7 * k;
  floats = q->single + n * row_length(d);
  q->member = sizes + 2 * k;
  q->first = q->member + n;
  q->mine = q->first + k + 1;
  q->theirs = q->mine + k;
  q->some = q->theirs + k;
  q->differ = q->some + k;
  sizes = q->differ + k;
  kg_view *views[] = {&q->all, &q->near, &q->open};
  for (int v = 0; v < 3; v++) {
    views[v]->x = floats;
    views[v]->table = floats + padded(n) * row_length(d);
    views[v]->point = sizes;
    views[v]->cluster = sizes + n;
    views[v]->row = sizes + n + k;
    floats = views[v]->table + k * (d + 2);
    sizes += n + 2 * k;
  }
  q->draws.u = uniforms;
  q->draws.n = n_uniforms;
  kg_view *all = q->view = &q->all;
  all->n = n, all->k = k, all->stride = padded(n);
  for (int v = 0; v < 3; v++)
    memset(views[v]->x, 0, all->stride * row_length(d) * sizeof(float));
  for (size_t i = 0; i < n; i++) {
    float *single = q->single + i * row_length(d);
    double norm2 = 0;
    memset(single, 0, row_length(d) * sizeof(float));
    for (size_t c = 0; c < d; c++) {
      single[c] = (float)point(q, i)[c];
      norm2 += point(q, i)[c] * point(q, i)[c];
    }
    single[d] = (float)norm2;
    for (size_t c = 0; c <= d; c++)
      all->x[c * all->stride + i] = single[c];
    all->point[i] = i;
    q->total += w[i];
    q->was[i] = -1;
  }
  q->weight = q->total / (double)n;
  for (size_t i = 0; i < n; i++)
    q->uneven |= w[i] > heavy * q->weight;
  for (size_t l = 0; l < k; l++)
    all->row[l] = all->cluster[l] = l;
  kg_kmeans_set(q);
}

/* ---- moves ---- */

/* The amount that the cluster of point i gains without it, and what l loses with it, by how much
 * their sums of squares change. */
static double less_spread(const kg_kmeans *q, size_t i) {
  size_t l = (size_t)q->now.label[i];
  double w = q->w[i], s = q->now.s[l];
  return q->now.count[l] < 2
             ? q->now.spread[l]
             : w * (s / (s - w)) * kg_squared(point(q, i), q->now.mean + l * q->d, q->d);
}

static double more_spread(const kg_kmeans *q, size_t i, size_t l) {
  double w = q->w[i], s = q->now.s[l];
  return q->now.count[l] == 0
             ? 0
             : w * (s / (s + w)) * kg_squared(point(q, i), q->now.mean + l * q->d, q->d);
}

static double leaves(const kg_kmeans *q, size_t i, double less) {
  size_t l = (size_t)q->now.label[i];
  double w = q->w[i], s = q->now.s[l], v = q->now.spread[l];
  if (q->now.count[l] < 2)
    return 0;
  return q->power == 1 ? less
                       : kg_kmeans_cost(q, s, v) - kg_kmeans_cost(q, s - w, v - less);
}

static double comes(const kg_kmeans *q, size_t i, size_t l, double more) {
  double w = q->w[i], s = q->now.s[l], v = q->now.spread[l];
  if (q->now.count[l] == 0)
    return 0;
  return q->power == 1 ? more
                       : kg_kmeans_cost(q, s + w, v + more) - kg_kmeans_cost(q, s, v);
}

double kg_kmeans_comes(const kg_kmeans *q, size_t i, size_t l) {
  return comes(q, i, l, more_spread(q, i, l));
}

static void move(kg_kmeans *q, size_t i, size_t l, double less, double more) {
  kg_clusters *now = &q->now;
  size_t j = (size_t)now->label[i], d = q->d;
  const double *z = point(q, i), w = q->w[i];
  double *from = now->mean + j * d, *into = now->mean + l * d;
  double out = now->count[j] > 1 ? w / (now->s[j] - w) : 0;
  double in = now->count[l] > 0 ? w / (now->s[l] + w) : 1;
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
}

/* Point i, which may move to l as single precision sees it, where coming costs a value of root `least`: 1 if it
 * does. If not, how far it is from that bounds when it is evaluated next. */
static int process(kg_kmeans *q, size_t i, size_t l, float least) {
  kg_clusters *now = &q->now;
  size_t j = (size_t)now->label[i];
  double less = less_spread(q, i), more = more_spread(q, i, l);
  double change = comes(q, i, l, more) - leaves(q, i, less);
  if (!(change < -1e-12 * fmax(now->W, 0))) {
    float slack = least > 0 ? (float)(change / q->w[i]) / (2 * least) : 0;
    now->own[i] = least * 0.999999f - slack - (float)now->drift[j];
    return 0;
  }
  move(q, i, l, less, more);
  now->W += change;
  now->own[i] = KG_FAR;
  set_row(q, j);
  set_row(q, l);
  return 1;
}

/* Points that loops take at once. */
static size_t whole(size_t width) {
  return (width + 31) / 32 * 32;
}

/* Coordinates of the points of a view, a row each: some points at a time, which stay in
 * the cache. */
static void gather(kg_kmeans *q, kg_view *view) {
  size_t length = row_length(q->d), stride = view->stride = padded(view->n);
  const float *from[KG_TURNED];
  for (size_t at = 0; at < view->n; at += KG_TURNED) {
    for (size_t r = 0; r < KG_TURNED; r++)
      from[r] = q->single + (at + r < view->n ? view->point[at + r] * length : 0);
    kg_chosen_loops->turn(from, length, view->x + at, stride);
  }
  q->work += GATHER * (double)view->n * (double)(q->d + 1);
}

/* Means that came nearer to points of a view than the nearest did. */
void kg_kmeans_scan_means(kg_kmeans *q, kg_view *points, const float *table, size_t k,
                        const size_t *row) {
  float least[KG_NEAREST];
  if (points->stride == 0)
    gather(q, points);
  for (size_t l = 0; l < q->k; l++)
    q->reach[l] = row && row[l] < q->k ? KG_FAR : (float)q->now.farthest;
  for (size_t from = 0; from < points->n; from += KG_NEAREST) {
    size_t width = points->n - from < KG_NEAREST ? points->n - from : KG_NEAREST;
    kg_chosen_loops->nearest_root(points->x + from, points->stride, q->d + 1, table, k,
                                  whole(width), least);
    if (points == &q->all) {
      kg_chosen_loops->lower(least, q->now.label + from, q->reach, width,
                             q->now.other + from);
      continue;
    }
    for (size_t r = 0; r < width; r++) {
      size_t i = points->point[from + r];
      q->now.other[i] = fminf(q->now.other[i], least[r] + q->reach[q->now.label[i]]);
    }
  }
  q->work += (double)points->n * ((double)k * (double)(q->d + 4) + SEARCH);
}

/* The points that drift leaves open since the last sweep: means that went far are evaluated by all
 * points in view, the others count as having gone as far as the farthest of them. Of few
 * clusters all are open: a pass over them costs less than finding which. */
static void find_open(kg_kmeans *q) {
  kg_view *view = q->view;
  kg_clusters *now = &q->now;
  size_t d = q->d, k = view->k, went_far = 0;
  q->bounds = q->k > KG_FEW_MEANS && (double)k * (double)(d + 4) > enough;
  q->open.n = view->n;
  if (!q->bounds)
    return;
  /* how fast the root of what coming costs grows with the distance, where that is typical
   */
  double unit = q->power * pow(q->typical, (q->power - 1) / 2);
  double part = share / sqrt((double)d) * unit;
  double most = far * unit * sqrt(q->typical), farthest = 0;
  for (size_t row = 0; row < k; row++) {
    size_t l = view->cluster[row];
    double way = kg_squared(now->mean + l * d, q->anchor + l * d, d);
    double step = part * sqrt(way) + fabs(q->level[l] - q->was_level[l]);
    now->drift[l] += step;
    memcpy(q->anchor + l * d, now->mean + l * d, d * sizeof(double));
    q->was_level[l] = q->level[l];
    if (step > most)
      memcpy(q->open.table + went_far++ * (d + 2), view->table + row * (d + 2),
             (d + 2) * sizeof(float));
    else
      farthest = fmax(farthest, step);
  }
  now->farthest += farthest;
  if (2 * went_far > k)
    return;
  if (went_far > 0)
    kg_kmeans_scan_means(q, view, q->open.table, went_far, NULL);
  for (size_t l = 0; l < q->k; l++)
    q->reach[l] = (float)(now->drift[l] + now->farthest);
  size_t many = 0, *open = q->open.point;
  if (view == &q->all)
    many = kg_chosen_loops->reached(now->own, now->other, now->label, q->reach, q->n, open);
  for (size_t r = 0; view == &q->near && r < view->n; r++) {
    size_t i = view->point[r];
    open[many] = i;
    many += now->own[i] + q->reach[now->label[i]] >= now->other[i];
  }
  q->open.n = many;
  q->work += SCAN * (double)view->n;
}

/* Labels of some points, and the rows of the table that their clusters have; those of a
 * pass over all points lie side by side. */
static void read_labels(const kg_kmeans *q, const size_t *point, size_t width, int all,
                        int *label, float *row) {
  const size_t *row_of = q->view->row;
  memset(label, 0, KG_NEAREST * sizeof(int));
  for (size_t r = 0; r < width && !all; r++)
    label[r] = q->now.label[point[r]];
  if (all)
    memcpy(label, q->now.label + point[0], width * sizeof(int));
  for (size_t r = 0; r < KG_NEAREST && !all; r++)
    row[r] = (float)(int)row_of[label[r]];
  for (size_t r = 0; r < KG_NEAREST && all; r++)
    row[r] = (float)label[r];
}

/* Their results. */
static void keep_scanned(kg_kmeans *q, const size_t *point, size_t width, int all,
                      const kg_scanned *scanned) {
  kg_clusters *now = &q->now;
  const size_t *cluster = q->view->cluster;
  for (size_t r = 0; r < width && all; r++)
    now->second[point[0] + r] = (int)scanned->row[r];
  for (size_t r = 0; r < width && !all; r++)
    now->second[point[r]] = (int)cluster[(int)scanned->row[r]];
  for (size_t r = 0; r < width && q->bounds; r++) {
    now->own[point[r]] = scanned->own[r];
    now->other[point[r]] = scanned->other[r];
  }
}

/* Some points of a view whose two nearest means were found: how many moved. */
static size_t process_some(kg_kmeans *q, const size_t *point, size_t width, int all,
                         const kg_nearest *near) {
  const kg_view *view = q->view;
  const kg_leaving of = {q->more, q->base, q->usual, q->power < 1 ? q->bend : NULL,
                         q->bounds ? q->reach : NULL, (float)q->now.farthest};
  int label[KG_NEAREST];
  float row[KG_NEAREST];
  kg_scanned scanned;
  size_t moves = 0;
  read_labels(q, point, width, all, label, row);
  unsigned long long may = kg_chosen_loops->scan_means(near, label, row, &of, width, &scanned);
  keep_scanned(q, point, width, all, &scanned);
  for (size_t r = 0; r < width && q->uneven; r++)
    may |= (unsigned long long)(q->w[point[r]] > heavy * q->weight) << r;
  if (width < KG_NEAREST)
    may &= (1ULL << width) - 1;
  for (; may && view->k > 1; may &= may - 1) {
    size_t r = (size_t)__builtin_ctzll(may), l = view->cluster[(size_t)scanned.row[r]];
    moves += (size_t)process(q, point[r], l, q->bounds ? scanned.other[r] - of.farthest : 0);
  }
  return moves;
}

size_t kg_kmeans_sweep(kg_kmeans *q) {
  size_t moves = 0;
  kg_view *view = q->view;
  find_open(q);
  if ((double)q->open.n < nearly_all * (double)view->n) {
    view = &q->open;
    view->stride = 0;
  }
  if (view->stride == 0)
    gather(q, view);
  for (size_t l = 0; l < q->k; l++)
    q->reach[l] = (float)q->now.drift[l];
  kg_nearest near;
  for (size_t r = 0; r < view->n; r += KG_NEAREST) {
    size_t width = view->n - r < KG_NEAREST ? view->n - r : KG_NEAREST;
    kg_chosen_loops->two_nearest(view->x + r, view->stride, q->d + 1, q->view->table,
                                 q->view->k, whole(width), &near);
    moves += process_some(q, view->point + r, width, view == &q->all, &near);
  }
  q->work += (double)view->n * ((double)q->view->k * (double)(q->d + 4) + PROCESS);
  q->sure = moves == 0 && q->open.n == q->n;
  return moves;
}

int kg_kmeans_sure(kg_kmeans *q) {
  if (!q->sure)
    open_all(q);
  return q->sure;
}

/* ---- partitions ---- */

void kg_kmeans_list(kg_kmeans *q) {
  list_members(q);
  for (size_t l = 0; l < q->k; l++)
    find_mean(q, l);
  use_means(q);
}

void kg_kmeans_list_changed(kg_kmeans *q) {
  kg_clusters *now = &q->now;
  const kg_clusters *kept = &q->kept;
  size_t d = q->d;
  list_members(q);
  memset(q->some, 0, q->k * sizeof(size_t));
  for (size_t i = 0; i < q->n; i++)
    if (now->label[i] != kept->label[i])
      q->some[now->label[i]] = q->some[kept->label[i]] = 1;
  for (size_t l = 0; l < q->k; l++) {
    if (q->some[l]) {
      find_mean(q, l);
      continue;
    }
    memcpy(now->mean + l * d, kept->mean + l * d, d * sizeof(double));
    now->s[l] = kept->s[l];
    now->spread[l] = kept->spread[l];
  }
  use_means(q);
}

void kg_clusters_copy(kg_clusters *into, const kg_clusters *from, const kg_kmeans *q) {
  memcpy(into->label, from->label, q->n * sizeof(int));
  memcpy(into->second, from->second, q->n * sizeof(int));
  memcpy(into->own, from->own, q->n * sizeof(float));
  memcpy(into->other, from->other, q->n * sizeof(float));
  memcpy(into->mean, from->mean, q->d * q->k * sizeof(double));
  memcpy(into->s, from->s, q->k * sizeof(double));
  memcpy(into->spread, from->spread, q->k * sizeof(double));
  memcpy(into->drift, from->drift, q->k * sizeof(double));
  memcpy(into->within, from->within, q->k * sizeof(double));
  memcpy(into->count, from->count, q->k * sizeof(size_t));
  into->farthest = from->farthest;
  into->W = from->W;
  into->dispersion = from->dispersion;
}

void kg_kmeans_restore(kg_kmeans *q, const kg_clusters *from) {
  kg_clusters_copy(&q->now, from, q);
  q->view = &q->all;
  set_rows(q);
  set_anchors(q);
}

void kg_kmeans_take(kg_kmeans *q, const kg_clusters *from) {
  kg_kmeans_restore(q, from);
  list_members(q);
}

void kg_kmeans_see(kg_kmeans *q, int all) {
  q->near.stride = 0;
  q->view = all ? &q->all : &q->near;
  set_rows(q);
}

void kg_kmeans_send(kg_kmeans *q, size_t i, size_t l) {
  if ((size_t)q->now.label[i] == l)
    return;
  move(q, i, l, less_spread(q, i), more_spread(q, i, l));
  q->now.own[i] = KG_FAR;
}
