/* kg_tiles.c - the first pass over points: R = B diag(w) Z in symmetric tiles.
 *
 * Points are sorted by cluster and cut into tiles of 256, each tile contiguous, so that a
 * tile of coordinates stays in cache and sums over a cluster are sums over a run. Every
 * unordered pair of tiles is one task; it adds to R of its two tiles only. The tasks of a
 * round of a tournament (each tile meets one other) are disjoint, so they may run at the
 * same time, and what is added to a tile comes in the order of the rounds: the result does
 * not depend on the number of threads. O(n^2 d / 2) time, n (d + k) doubles. */
#include "kg.h"
#include <string.h>

static size_t tiles_of(size_t n) {
  return (n + KG_SIDE - 1) / KG_SIDE;
}

size_t kg_tiles_doubles(size_t n, size_t d, size_t k) {
  return tiles_of(n) * KG_SIDE * (d + k + 1);
}

void kg_tiles_init(kg_tiles *t, const kg_pairs *points, size_t k, double *doubles,
                   size_t *order, int *label) {
  t->points = points;
  t->k = k;
  t->n_tiles = tiles_of(points->n);
  t->x = doubles;
  t->w = t->x + t->n_tiles * KG_SIDE * points->d;
  t->R = t->w + t->n_tiles * KG_SIDE;
  t->order = order;
  t->label = label;
}

void kg_tiles_fill(kg_tiles *t, const double *w, const int *label) {
  const kg_pairs *p = t->points;
  size_t n = p->n, d = p->d, padded = t->n_tiles * KG_SIDE, at = 0;
  /* a stable counting sort; `count` borrows the space of R */
  double *count = t->R;
  memset(count, 0, (t->k + 1) * sizeof(double));
  for (size_t i = 0; i < n; i++) count[label[i] + 1]++;
  for (size_t l = 0; l < t->k; l++) count[l + 1] += count[l];
  for (size_t i = 0; i < n; i++) t->order[(size_t)count[label[i]]++] = i;
  memset(t->R, 0, padded * t->k * sizeof(double));
  memset(t->x, 0, padded * d * sizeof(double));
  for (; at < n; at++) {
    size_t i = t->order[at];
    double *x = t->x + at / KG_SIDE * KG_SIDE * d + at % KG_SIDE;
    for (size_t c = 0; c < d; c++) x[c * KG_SIDE] = p->data[i + c * n];
    t->w[at] = w[i];
    t->label[at] = label[i];
  }
  for (; at < padded; at++) { /* padding weighs nothing */
    t->w[at] = 0;
    t->label[at] = t->label[n - 1];
  }
}

/* Pair values of four rows of tile a with all of tile b, then their part of R. */
static void strip(const kg_tiles *t, size_t a, size_t b, size_t row, double *value,
                  double *y) {
  const kg_loops *loops = kg_chosen_loops;
  size_t d = t->points->d, padded = t->n_tiles * KG_SIDE;
  size_t at = a * KG_SIDE + row, to = b * KG_SIDE;
  const double *x = t->x + a * KG_SIDE * d + row;
  const int *label = t->label + to;
  for (size_t c = 0; c < d; c++)
    for (size_t r = 0; r < 4; r++) y[4 * c + r] = x[c * KG_SIDE + r];
  loops->squares4(t->x + to * d, KG_SIDE, d, y, KG_SIDE, value, KG_SIDE);
  kg_from_squares(t->points->rho, value, 4 * KG_SIDE);
  for (size_t j = 0, end; j < KG_SIDE; j = end) {
    for (end = j + 1; end < KG_SIDE && label[end] == label[j];) end++;
    loops->sums4(value + j, KG_SIDE, t->w + to + j, end - j,
                 t->R + (size_t)label[j] * padded + at);
  }
  if (a == b) return; /* within a tile every row is summed by itself */
  if (t->label[at] == t->label[at + 3]) {
    loops->columns4(value, KG_SIDE, t->w + at, KG_SIDE,
                    t->R + (size_t)t->label[at] * padded + to);
    return;
  }
  for (size_t r = 0; r < 4; r++)
    loops->add(value + r * KG_SIDE, t->w[at + r], KG_SIDE,
               t->R + (size_t)t->label[at + r] * padded + to);
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

void kg_tiles_read(const kg_tiles *t, double *R) {
  size_t n = t->points->n, padded = t->n_tiles * KG_SIDE;
  for (size_t l = 0; l < t->k; l++)
    for (size_t at = 0; at < n; at++) R[t->order[at] + l * n] = t->R[at + l * padded];
}
