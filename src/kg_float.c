/* kg_float.c - partitions by centroids, with sweeps in single precision.
 *
 * The objective is the sum of squares within clusters. Single precision determines the
 * points that may move, by products that are the same on every processor; double precision
 * determines whether they do. */
#include "kg_float.h"
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_loops.h"
#include <math.h>
#include <string.h>

enum {
  PROCESS = 50, /* products that take as long as the rest of a point's turn, */
  GATHER = 3    /* and as gathering a coordinate */
};

static const double heavy = 1.5; /* times the mean weight: checked in double precision */
static const double few = 6;     /* points: clusters so small are, too */

/* ---- memory ---- */

static size_t padded(size_t n) {
  return (n + KG_NEAREST - 1) / KG_NEAREST * KG_NEAREST;
}

void kg_centroids_lay(kg_centroids *c, size_t n, size_t d, size_t k, kg_room *room) {
  memset(c, 0, sizeof *c);
  c->label = KG_TAKE(room, n, int);
  c->second = KG_TAKE(room, n, int);
  c->mean = KG_TAKE2(room, d, k, double);
  c->s = KG_TAKE(room, k, double);
  c->spread = KG_TAKE(room, k, double);
  c->count = KG_TAKE(room, k, size_t);
}

static void lay_view(kg_view *view, size_t n, size_t d, size_t k, kg_room *room) {
  view->x = KG_TAKE2(room, padded(n), d + 1, float);
  view->table = KG_TAKE2(room, k, d + 2, float);
  view->point = KG_TAKE(room, n, size_t);
  view->cluster = KG_TAKE(room, k, size_t);
  view->row = KG_TAKE(room, k, size_t);
}

void kg_float_lay(kg_float *f, size_t n, size_t d, size_t k, int near, kg_room *room) {
  memset(f, 0, sizeof *f);
  f->of.n = n;
  f->of.d = d;
  f->k = k;
  f->of.norm2 = KG_TAKE(room, n, float);
  kg_centroids_lay(&f->now, n, d, k, room);
  lay_view(&f->all, n, d, k, room);
  lay_view(&f->near, near ? n : 0, d, k, room);
  f->leaving = KG_TAKE2(room, 2, k, float);
  f->member = KG_TAKE(room, n, size_t);
  f->first = KG_TAKE(room, k + 1, size_t);
}

static const double *point(const kg_float *f, size_t i) {
  return f->of.z + i * f->of.d;
}

void kg_float_begin(kg_float *f, const double *z, const double *w) {
  size_t n = f->of.n;
  f->of.z = z;
  f->of.w = w;
  f->view = &f->all;
  f->all.n = n;
  f->all.k = f->k;
  memset(f->now.second, 0, n * sizeof(int));
  for (size_t i = 0; i < n; i++) {
    KG_CHECK(w[i] > 0);
    f->of.norm2[i] = (float)kg_inner(point(f, i), point(f, i), f->of.d);
    f->all.point[i] = i;
    f->of.total += w[i];
  }
  for (size_t l = 0; l < f->k; l++)
    f->all.row[l] = f->all.cluster[l] = l;
  kg_float_list(f);
}

void kg_centroids_copy(kg_centroids *into, const kg_centroids *from, const kg_float *f) {
  size_t n = f->of.n, k = f->k;
  memcpy(into->label, from->label, n * sizeof(int));
  memcpy(into->second, from->second, n * sizeof(int));
  memcpy(into->mean, from->mean, f->of.d * k * sizeof(double));
  memcpy(into->s, from->s, k * sizeof(double));
  memcpy(into->spread, from->spread, k * sizeof(double));
  memcpy(into->count, from->count, k * sizeof(size_t));
  into->W = from->W;
}

/* ---- costs ---- */

/* The saving of a point of mean weight that leaves l, as a multiple of the cost of
 * entering it (kg_leaving). */
static void set_leaving(kg_float *f, size_t l, double slope) {
  double s = f->now.s[l], w = f->of.total / (double)f->of.n;
  int single = f->now.count[l] < 2, checked = !(s > few * w);
  float *more = f->leaving + l, *base = more + f->k;
  *more = single || checked ? (float)!single : (float)(s / (s - w) / slope);
  *base = !single && checked ? KG_FAR : 0;
}

/* The cost of a point of mean weight that enters l, as a row of the table. */
static void set_row(kg_float *f, size_t l) {
  size_t d = f->of.d;
  if (f->view->row[l] == f->k)
    return;
  float *row = f->view->table + f->view->row[l] * (d + 2);
  const double *mean = f->now.mean + l * d;
  double s = f->now.s[l], slope = s / (s + f->of.total / (double)f->of.n), norm2 = 0;
  int used = f->now.count[l] > 0;
  for (size_t c = 0; c < d; c++) {
    row[c] = used ? (float)(-2 * slope * mean[c]) : 0;
    norm2 += mean[c] * mean[c];
  }
  row[d] = used ? (float)slope : 0;
  row[d + 1] = used ? (float)(slope * norm2) : KG_FAR;
  set_leaving(f, l, slope);
}

void kg_float_see(kg_float *f, int all) {
  f->view = all ? &f->all : &f->near;
  f->near.stride = 0; /* other points */
  for (size_t row = 0; row < f->view->k; row++)
    set_row(f, f->view->cluster[row]);
}

void kg_float_add_up(kg_float *f) {
  f->now.W = 0;
  for (size_t l = 0; l < f->k; l++)
    f->now.W += f->now.spread[l];
}

/* ---- partitions ---- */

void kg_float_list_members(kg_float *f) {
  kg_list_members(f->now.label, NULL, f->of.n, f->k, f->first, f->member);
}

static void find_mean(kg_float *f, size_t l) {
  const size_t *member = f->member + f->first[l];
  size_t m = f->first[l + 1] - f->first[l], d = f->of.d;
  double *mean = f->now.mean + l * d, s = 0, spread = 0;
  memset(mean, 0, d * sizeof(double));
  for (size_t r = 0; r < m; r++) {
    const double *z = point(f, member[r]), w = f->of.w[member[r]];
    s += w;
    for (size_t c = 0; c < d; c++)
      mean[c] += w * z[c];
  }
  for (size_t c = 0; c < d && m > 0; c++)
    mean[c] /= s;
  for (size_t r = 0; r < m; r++)
    spread += f->of.w[member[r]] * kg_squared(point(f, member[r]), mean, d);
  f->now.count[l] = m;
  f->now.s[l] = s;
  f->now.spread[l] = spread;
}

void kg_float_list(kg_float *f) {
  kg_float_list_members(f);
  for (size_t l = 0; l < f->k; l++)
    find_mean(f, l);
  kg_float_add_up(f);
  kg_float_see(f, 1);
}

void kg_float_restore(kg_float *f, const kg_centroids *from) {
  kg_centroids_copy(&f->now, from, f);
  kg_float_see(f, 1);
}

/* ---- moves ---- */

/* The changes of the sums of squares: of the cluster of point i without it, and of l with
 * it. */
static double less_spread(const kg_float *f, size_t i) {
  size_t l = (size_t)f->now.label[i];
  double w = f->of.w[i], s = f->now.s[l];
  if (f->now.count[l] < 2)
    return 0;
  return w * (s / (s - w)) * kg_squared(point(f, i), f->now.mean + l * f->of.d, f->of.d);
}

double kg_float_comes(const kg_float *f, size_t i, size_t l) {
  double w = f->of.w[i], s = f->now.s[l];
  if (f->now.count[l] == 0)
    return 0;
  return w * (s / (s + w)) * kg_squared(point(f, i), f->now.mean + l * f->of.d, f->of.d);
}

static void move(kg_float *f, size_t i, size_t l, double less, double more) {
  kg_centroids *now = &f->now;
  size_t j = (size_t)now->label[i], d = f->of.d;
  const double *z = point(f, i), w = f->of.w[i];
  double *from = now->mean + j * d, *into = now->mean + l * d;
  int emptied = now->count[j] < 2, filled = now->count[l] == 0;
  double out = emptied ? 0 : w / (now->s[j] - w), in = filled ? 1 : w / (now->s[l] + w);
  now->spread[j] = emptied ? 0 : fmax(now->spread[j] - less, 0);
  now->spread[l] = filled ? 0 : now->spread[l] + more;
  for (size_t c = 0; c < d; c++) {
    from[c] -= out * (z[c] - from[c]);
    into[c] += in * (z[c] - into[c]);
  }
  now->s[j] = emptied ? 0 : now->s[j] - w;
  now->s[l] = filled ? w : now->s[l] + w;
  now->count[j]--;
  now->count[l]++;
  now->label[i] = (int)l;
}

void kg_float_send(kg_float *f, size_t i, size_t l) {
  KG_CHECK(i < f->of.n && l < f->k);
  if ((size_t)f->now.label[i] != l)
    move(f, i, l, less_spread(f, i), kg_float_comes(f, i, l));
}

/* Point i moves to l if that lowers W: 1 if it does. */
static int try_move(kg_float *f, size_t i, size_t l) {
  size_t j = (size_t)f->now.label[i];
  double less = less_spread(f, i), more = kg_float_comes(f, i, l), change = more - less;
  if (!(change < -1e-12 * fmax(f->now.W, 0)))
    return 0;
  move(f, i, l, less, more);
  f->now.W += change;
  set_row(f, j);
  set_row(f, l);
  return 1;
}

/* ---- sweeps ---- */

/* Coordinates of the points of a view as columns, the first one again beyond the last;
 * some points at a time stay in the cache. */
static void gather(kg_float *f, kg_view *view) {
  enum { SOME = 16 };
  size_t d = f->of.d;
  view->stride = padded(view->n);
  for (size_t at = 0; at < view->stride; at += SOME)
    for (size_t c = 0; c <= d; c++)
      for (size_t r = at; r < at + SOME; r++) {
        size_t i = view->point[r < view->n ? r : 0];
        view->x[c * view->stride + r] = c < d ? (float)point(f, i)[c] : f->of.norm2[i];
      }
  f->work += GATHER * (double)view->n * (double)(d + 1);
}

/* Points of the view whose two nearest centroids were found; returns the number of moves.
 */
static size_t process(kg_float *f, const size_t *points, size_t width,
                      const kg_nearest *near) {
  const kg_view *view = f->view;
  const float *more = f->leaving;
  const double heaviest = heavy * f->of.total / (double)f->of.n;
  const kg_leaving of = {.more = more, .base = more + f->k};
  int label[KG_NEAREST] = {0};
  float row[KG_NEAREST] = {0}, other[KG_NEAREST];
  size_t moves = 0;
  for (size_t r = 0; r < width; r++) {
    label[r] = f->now.label[points[r]];
    row[r] = (float)view->row[label[r]];
  }
  unsigned long long may =
      kg_chosen_loops->scan_means(near, label, row, &of, width, other);
  for (size_t r = 0; r < width; r++) {
    size_t i = points[r], l = view->cluster[(size_t)other[r]];
    int open = (int)(may >> r & 1) || f->of.w[i] > heaviest;
    f->now.second[i] = (int)l;
    moves += (size_t)(open && view->k > 1 && try_move(f, i, l));
  }
  return moves;
}

size_t kg_float_sweep(kg_float *f) {
  size_t moves = 0;
  kg_view *view = f->view;
  kg_nearest near;
  if (view->stride == 0)
    gather(f, view);
  for (size_t r = 0; r < view->n; r += KG_NEAREST) {
    size_t width = view->n - r < KG_NEAREST ? view->n - r : KG_NEAREST;
    kg_chosen_loops->two_nearest(view->x + r, view->stride, f->of.d + 1, view->table,
                                 view->k, (width + 31) / 32 * 32, &near);
    moves += process(f, view->point + r, width, &near);
  }
  f->work += (double)view->n * ((double)view->k * (double)(f->of.d + 4) + PROCESS);
  return moves;
}
