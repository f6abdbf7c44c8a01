/* kg_tiles.c - the first pass over points: R = B diag(w) Z in symmetric tiles.
 *
 * Points are sorted by cluster and cut into tiles of 256, each tile contiguous, so that a
 * tile of coordinates stays in cache and sums over a cluster are sums over a run. Every
 * unordered pair of tiles is one task; it adds to R of its two tiles only. The tasks of a
 * round of a tournament (each tile meets one other) are disjoint, so they may run at the
 * same time, and what is added to a tile comes in the order of the rounds: the result does
 * not depend on the number of threads. O(n^2 d / 2) time, n (d + k) doubles.
 *
 * Several partitions share the pair values: points are then sorted by the labels of the
 * first, within these by those of the second, and so on, so that each has long runs. */
#include "kg.h"
#include <string.h>

static size_t tiles_of(size_t n) {
  return (n + KG_SIDE - 1) / KG_SIDE;
}

size_t kg_tiles_doubles(size_t n, size_t d, size_t k, size_t n_states) {
  return tiles_of(n) * KG_SIDE * (d + k * n_states + 1);
}

size_t kg_tiles_labels(size_t n, size_t n_states) {
  return tiles_of(n) * KG_SIDE * n_states;
}

void kg_tiles_init(kg_tiles *t, const kg_pairs *points, size_t k, size_t n_states,
                   double *doubles, size_t *order, int *label) {
  t->points = points;
  t->k = k;
  t->n_states = n_states;
  t->n_tiles = tiles_of(points->n);
  t->x = doubles;
  t->w = t->x + t->n_tiles * KG_SIDE * points->d;
  t->R = t->w + t->n_tiles * KG_SIDE;
  t->order = order;
  t->label = label;
}

/* A stable counting sort of `order` by label; `count`: k + 1 values, `next`: n. */
static void sort_by(const int *label, size_t n, size_t k, size_t *order, double *count,
                    size_t *next) {
  memset(count, 0, (k + 1) * sizeof(double));
  for (size_t i = 0; i < n; i++) count[label[i] + 1]++;
  for (size_t l = 0; l < k; l++) count[l + 1] += count[l];
  for (size_t i = 0; i < n; i++) next[(size_t)count[label[order[i]]]++] = order[i];
  memcpy(order, next, n * sizeof(size_t));
}

void kg_tiles_fill(kg_tiles *t, const double *w, const kg_state *states) {
  const kg_pairs *p = t->points;
  size_t n = p->n, d = p->d, padded = t->n_tiles * KG_SIDE, at = 0;
  for (size_t i = 0; i < n; i++) t->order[i] = i;
  for (size_t a = t->n_states; a-- > 0;) /* the space of R is still free */
    sort_by(states[a].label, n, t->k, t->order, t->R, t->order + n);
  memset(t->R, 0, padded * t->k * t->n_states * sizeof(double));
  memset(t->x, 0, padded * d * sizeof(double));
  for (; at < n; at++) {
    size_t i = t->order[at];
    double *x = t->x + at / KG_SIDE * KG_SIDE * d + at % KG_SIDE;
    for (size_t c = 0; c < d; c++) x[c * KG_SIDE] = p->data[i + c * n];
    t->w[at] = w[i];
    for (size_t a = 0; a < t->n_states; a++)
      t->label[a * padded + at] = states[a].label[i];
  }
  for (; at < padded; at++) { /* padding weighs nothing */
    t->w[at] = 0;
    for (size_t a = 0; a < t->n_states; a++)
      t->label[a * padded + at] = t->label[a * padded + n - 1];
  }
}

/* What the pair values of four rows (from `at`) with one tile (from `to`) add to R. */
static void add_strip(const kg_tiles *t, const int *label, double *R, size_t at, size_t to,
                      int same_tile, const double *value) {
  const kg_loops *loops = kg_chosen_loops;
  size_t padded = t->n_tiles * KG_SIDE;
  const int *column = label + to;
  for (size_t j = 0, end; j < KG_SIDE; j = end) {
    for (end = j + 1; end < KG_SIDE && column[end] == column[j];) end++;
    loops->sums4(value + j, KG_SIDE, t->w + to + j, end - j,
                 R + (size_t)column[j] * padded + at);
  }
  if (same_tile) return; /* within a tile every row is summed by itself */
  if (label[at] == label[at + 1] && label[at] == label[at + 2] &&
      label[at] == label[at + 3]) {
    loops->columns4(value, KG_SIDE, t->w + at, KG_SIDE,
                    R + (size_t)label[at] * padded + to);
    return;
  }
  for (size_t r = 0; r < 4; r++)
    loops->add(value + r * KG_SIDE, t->w[at + r], KG_SIDE,
               R + (size_t)label[at + r] * padded + to);
}

/* Pair values of four rows of tile a with all of tile b, then their part of every R. */
static void strip(const kg_tiles *t, size_t a, size_t b, size_t row, double *value,
                  double *y) {
  size_t d = t->points->d, padded = t->n_tiles * KG_SIDE;
  const double *x = t->x + a * KG_SIDE * d + row;
  for (size_t c = 0; c < d; c++)
    for (size_t r = 0; r < 4; r++) y[4 * c + r] = x[c * KG_SIDE + r];
  kg_chosen_loops->squares4(t->x + b * KG_SIDE * d, KG_SIDE, d, y, KG_SIDE, value, KG_SIDE);
  kg_from_squares(t->points->rho, value, 4 * KG_SIDE);
  for (size_t state = 0; state < t->n_states; state++)
    add_strip(t, t->label + state * padded, t->R + state * padded * t->k,
              a * KG_SIDE + row, b * KG_SIDE, a == b, value);
}

static void pair_of_tiles(const kg_tiles *t, size_t a, size_t b, double *workspace) {
  double *y = workspace + 4 * KG_SIDE;
  for (size_t row = 0; row < KG_SIDE; row += 4) strip(t, a, b, row, workspace, y);
}

size_t kg_tiles_rounds(const kg_tiles *t) {
  size_t even = t->n_tiles + t->n_tiles % 2;
  return even; /* even - 1 rounds of pairs, one of tiles with themselves */
}

size_t kg_tiles_workspace(const kg_tiles *t) {
  return 4 * (KG_SIDE + t->points->d);
}

/* The circle method: one tile stays, the others go round it. */
void kg_tiles_round(const kg_tiles *t, size_t round, int threads, double *workspace) {
  size_t even = t->n_tiles + t->n_tiles % 2, size = kg_tiles_workspace(t);
  size_t self = round + 1 == even, tasks = self ? t->n_tiles : even / 2;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
#endif
  for (size_t i = 0; i < tasks; i++) {
    size_t circle = even - 1, a = i, b = i;
    if (!self) {
      a = (round + i) % circle;
      b = i == 0 ? circle : (round + circle - i) % circle;
    }
    if (a >= t->n_tiles || b >= t->n_tiles) continue;
    pair_of_tiles(t, a < b ? a : b, a < b ? b : a,
                  workspace + size * (size_t)kg_thread_number());
  }
  (void)threads;
}

void kg_tiles_read(const kg_tiles *t, size_t state, double *R) {
  size_t n = t->points->n, padded = t->n_tiles * KG_SIDE;
  const double *sorted = t->R + state * padded * t->k;
  for (size_t l = 0; l < t->k; l++)
    for (size_t at = 0; at < n; at++) R[t->order[at] + l * n] = sorted[at + l * padded];
}
