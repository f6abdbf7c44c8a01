/* kg_kmeans.c - k-means of coordinates by swaps: one cluster is dissolved, another one
 * halved, and all points descend; what led to no lower W is undone.
 *
 * A search on pair values pays a row of them for every move. Where rho is a power of the
 * distance good partitions of k-means are near good ones of k-groups, and here a move
 * costs O(d), so that thousands of swaps cost what dozens do there. Which points may move
 * is told in single precision, by products that are the same on every processor; whether
 * one does is told by its squared distances in double precision. A descent is given up
 * where its last sweep lowered W by less than a quarter of what is left to regain. */
#include "kg.h"
#include <math.h>
#include <string.h>

enum { PAIRS = 4, HALVINGS = 10, GIVE_UP = 4 };

/* ---- memory ---- */

static size_t padded(size_t n) {
  return (n + KG_NEAREST - 1) / KG_NEAREST * KG_NEAREST;
}

size_t kg_kmeans_doubles(size_t n, size_t d, size_t k) {
  return 2 * (d * k + k) + 2 * k + n + 4 * d;
}

size_t kg_kmeans_floats(size_t n, size_t d, size_t k) {
  return padded(n) * (d + 1) + k * (d + 2);
}

size_t kg_kmeans_sizes(size_t n, size_t k) {
  return 2 * k + n + k + 1;
}

size_t kg_kmeans_ints(size_t n) {
  return 5 * n;
}

static const double *point(const kg_kmeans *q, size_t i) {
  return q->z + i * q->d;
}

static double squared(const double *a, const double *b, size_t d) {
  double sum = 0;
  for (size_t c = 0; c < d; c++)
    sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/* What coming to l costs, s/(s + w) (|z|^2 - 2 z.mean + |mean|^2), as a row of the table.
 */
static void set_row(kg_kmeans *q, size_t l) {
  size_t d = q->d;
  float *row = q->table + l * (d + 2);
  const double *mean = q->now.mean + l * d;
  double s = q->now.s[l], factor = s / (s + q->weight), norm2 = 0;
  for (size_t c = 0; c < d; c++) {
    row[c] = q->now.count[l] > 0 ? (float)(-2 * factor * mean[c]) : 0;
    norm2 += mean[c] * mean[c];
  }
  row[d] = q->now.count[l] > 0 ? (float)factor : 0;
  row[d + 1] = q->now.count[l] > 0 ? (float)(factor * norm2) : KG_FAR;
}

/* Means and W from scratch. */
static void set_means(kg_kmeans *q) {
  kg_clusters *now = &q->now;
  size_t d = q->d;
  memset(now->mean, 0, d * q->k * sizeof(double));
  memset(now->s, 0, q->k * sizeof(double));
  memset(now->count, 0, q->k * sizeof(size_t));
  for (size_t i = 0; i < q->n; i++) {
    size_t l = (size_t)now->label[i];
    now->s[l] += q->w[i];
    now->count[l]++;
    for (size_t c = 0; c < d; c++)
      now->mean[l * d + c] += q->w[i] * point(q, i)[c];
  }
  for (size_t l = 0; l < q->k; l++) {
    for (size_t c = 0; c < d && now->count[l] > 0; c++)
      now->mean[l * d + c] /= now->s[l];
    set_row(q, l);
  }
  now->W = 0;
  for (size_t i = 0; i < q->n; i++)
    now->W += q->w[i] * squared(point(q, i), now->mean + (size_t)now->label[i] * d, d);
}

void kg_kmeans_init(kg_kmeans *q, const double *z, const double *w, size_t n, size_t d,
                    size_t k, int *label, double *doubles, float *floats, size_t *sizes,
                    int *ints, const double *uniforms, size_t n_uniforms) {
  memset(q, 0, sizeof *q);
  q->n = n, q->d = d, q->k = k;
  q->z = z, q->w = w;
  q->stride = padded(n);
  q->now.label = label;
  q->now.mean = doubles;
  q->kept.mean = q->now.mean + d * k;
  q->now.s = q->kept.mean + d * k;
  q->kept.s = q->now.s + k;
  q->gain = q->kept.s + k;
  q->removal = q->gain + k;
  q->room = q->removal + k;
  q->x = floats;
  q->table = q->x + q->stride * (d + 1);
  q->now.count = sizes;
  q->kept.count = sizes + k;
  q->member = q->kept.count + k;
  q->first = q->member + n;
  q->kept.label = ints;
  q->second = ints + n;
  q->seen = q->second + n;
  q->was = q->seen + n;
  q->half = q->was + n;
  q->draws.u = uniforms;
  q->draws.n = n_uniforms;
  memset(q->x, 0, q->stride * (d + 1) * sizeof(float));
  for (size_t i = 0; i < n; i++) {
    double norm2 = 0;
    for (size_t c = 0; c < d; c++) {
      q->x[c * q->stride + i] = (float)point(q, i)[c];
      norm2 += point(q, i)[c] * point(q, i)[c];
    }
    q->x[d * q->stride + i] = (float)norm2;
    q->weight += w[i] / (double)n;
    q->second[i] = 0;
    q->was[i] = -1;
  }
  set_means(q);
}

static size_t one_of(kg_kmeans *q, size_t many) {
  size_t one = (size_t)(kg_uniform(&q->draws) * (double)many);
  return one < many ? one : many - 1;
}

/* ---- moves ---- */

/* What the cluster of point i gains without it, and what l loses with it. */
static double leaves(const kg_kmeans *q, size_t i) {
  size_t l = (size_t)q->now.label[i];
  double w = q->w[i], s = q->now.s[l];
  if (q->now.count[l] < 2)
    return 0;
  return w * (s / (s - w)) * squared(point(q, i), q->now.mean + l * q->d, q->d);
}

static double comes(const kg_kmeans *q, size_t i, size_t l) {
  double w = q->w[i], s = q->now.s[l];
  if (q->now.count[l] == 0)
    return 0;
  return w * (s / (s + w)) * squared(point(q, i), q->now.mean + l * q->d, q->d);
}

static void move(kg_kmeans *q, size_t i, size_t l, double change) {
  kg_clusters *now = &q->now;
  size_t j = (size_t)now->label[i], d = q->d;
  const double *z = point(q, i), w = q->w[i];
  double *from = now->mean + j * d, *into = now->mean + l * d;
  double out = now->count[j] > 1 ? w / (now->s[j] - w) : 0;
  double in = now->count[l] > 0 ? w / (now->s[l] + w) : 1;
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
  size_t j = (size_t)q->now.label[i], first = (size_t)near->first[p];
  size_t second = (size_t)near->second[p], l = first == j ? second : first;
  double least = first == j ? near->next[p] : near->least[p];
  double own = first == j ? near->least[p] : second == j ? near->next[p] : KG_FAR;
  double s = q->now.s[j], w = q->weight;
  q->seen[i] = (int)l;
  /* from what coming costs to what leaving gains, and a margin for single precision */
  if (q->now.count[j] < 2 || l == j ||
      (s > w && least > own * ((s + w) / (s - w)) * 1.00001))
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
  size_t moves = 0, n = q->n;
  for (size_t from = 0; from < n; from += KG_NEAREST) {
    size_t width = n - from < KG_NEAREST ? n - from : KG_NEAREST;
    kg_nearest near;
    kg_chosen_loops->two_nearest(q->x + from, q->stride, q->d + 1, q->table, q->k,
                                 (width + 31) / 32 * 32, &near);
    for (size_t p = 0; p < width; p++)
      moves += (size_t)visit(q, from + p, &near, p);
  }
  q->work += (double)n * (double)q->k * (double)(q->d + 4);
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
  size_t x = m > 0 ? one_of(q, m) : 0;
  double u = kg_uniform(&q->draws);
  for (size_t r = 0; r < m; r++)
    near[r] = q->w[member[r]] * squared(point(q, member[r]), point(q, member[x]), d);
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
      int half = squared(z, mean + d, d) < squared(z, mean, d);
      changed += q->half[r] != half;
      q->half[r] = half;
      s[half] += w;
      for (size_t c = 0; c < d; c++)
        sum[(size_t)half * d + c] += w * z[c];
    }
    if (!(s[0] > 0 && s[1] > 0))
      return -1;
    for (size_t c = 0; c < 2 * d; c++)
      mean[c] = sum[c] / s[c >= d];
  }
  return s[0] / (s[0] + s[1]) * s[1] * squared(mean, mean + d, d);
}

void kg_kmeans_look(kg_kmeans *q) {
  int *second = q->second;
  set_means(q);
  q->second = q->seen;
  q->seen = second;
  list_members(q);
  for (size_t l = 0; l < q->k; l++) {
    size_t begin = q->first[l], end = q->first[l + 1], changed = 0;
    q->removal[l] = 0;
    for (size_t r = begin; r < end; r++) {
      size_t i = q->member[r];
      const double *mean = q->now.mean + l * q->d;
      q->removal[l] +=
          comes(q, i, (size_t)q->second[i]) - q->w[i] * squared(point(q, i), mean, q->d);
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
  memcpy(into->count, from->count, q->k * sizeof(size_t));
  into->W = from->W;
}

/* Whatever it costs. */
static void send(kg_kmeans *q, size_t i, size_t l) {
  if ((size_t)q->now.label[i] != l)
    move(q, i, l, comes(q, i, l) - leaves(q, i));
}

int kg_kmeans_swap(kg_kmeans *q) {
  size_t k = q->k, a = k, c = k, ones = 0;
  double best = -HUGE_VAL;
  for (int pair = 0; pair < PAIRS; pair++) {
    size_t split = one_of(q, k), gone = one_of(q, k);
    double score = q->gain[split] - q->removal[gone];
    if (split == gone || q->gain[split] < 0 || !(score > best))
      continue;
    best = score;
    a = split;
    c = gone;
  }
  if (a == k || halve(q, a) < 0)
    return 0;
  copy(&q->kept, &q->now, q);
  const size_t *member = q->member + q->first[a];
  size_t m = q->first[a + 1] - q->first[a];
  for (size_t r = q->first[c]; r < q->first[c + 1]; r++)
    send(q, q->member[r], (size_t)q->second[q->member[r]]);
  for (size_t r = 0; r < m; r++)
    ones += q->half[r] == 1;
  /* the lesser half goes */
  for (size_t r = 0; r < m; r++)
    if (q->half[r] == (2 * ones <= m))
      send(q, member[r], c);
  for (size_t l = 0; l < k; l++)
    set_row(q, l);
  return 1;
}

int kg_kmeans_hopes(const kg_kmeans *q, size_t moves, double before) {
  return moves > 0 && q->now.W - q->kept.W <= GIVE_UP * (before - q->now.W);
}

int kg_kmeans_settle(kg_kmeans *q, int at_rest) {
  int empty = 0;
  for (size_t l = 0; l < q->k; l++)
    empty |= q->now.count[l] == 0;
  if (at_rest && !empty && q->now.W < q->kept.W * (1 - 1e-10)) {
    set_means(q); /* what moves have added up to may be rounding */
    if (q->now.W < q->kept.W) {
      kg_kmeans_look(q);
      return 1;
    }
  }
  copy(&q->now, &q->kept, q);
  for (size_t l = 0; l < q->k; l++)
    set_row(q, l);
  return 0;
}
