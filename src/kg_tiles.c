/* kg_tiles.c - the first pass over points, and over pairs that are copied as points are:
 * R = B diag(w) Z in symmetric tiles.
 *
 * Points are sorted by cluster and cut into tiles of KG_SIDE, each tile contiguous, so
 * that a tile of coordinates stays in cache and sums over a cluster are sums over a run.
 * Every unordered pair of tiles is one task; it adds to R of its two tiles only. The
 * tasks of a round of a tournament (each tile meets one other) are disjoint, so they may
 * run at the same time, and what is added to a tile comes in the order of the rounds: the
 * result does not depend on the number of threads. O(n^2 d / 2) time, n (d + k) doubles.
 *
 * Several partitions share the pairwise dissimilarities: points are then sorted by the
 * labels of the first, within these by those of the second, and so on, so that each has
 * long runs. */
#include "kg_tiles.h"
#include "kg_check.h"
#include "kg_coordinates.h"
#include "kg_loops.h"
#include "kg_semimetric.h"
#include "kg_state.h"
#include "kg_threads.h"
#include <string.h>

static size_t tiles_of(size_t n) {
  return (n + KG_SIDE - 1) / KG_SIDE;
}

int kg_tiles_take(const kg_pairs *pairs) {
  return kg_base_coordinates_of(pairs) || pairs->store->copy;
}

void kg_tiles_lay(kg_tiles *t, const kg_pairs *pairs, size_t k, size_t n_states,
                  kg_room *room) {
  const kg_coordinates *points = kg_base_coordinates_of(pairs);
  const int registers = points && kg_in_registers(points);
  /* whole tiles; whole groups in registers, which meet no others */
  const size_t unit = registers ? KG_GROUP : KG_SIDE, n = pairs->n;
  const size_t padded = (n + unit - 1) / unit * unit, n_tiles = tiles_of(n);
  kg_room own = {NULL, 0};
  const size_t groups = registers ? padded / KG_GROUP : 0;
  const size_t most = n_states * groups * (k < KG_GROUP ? k : KG_GROUP);
  KG_CHECK(n_states >= 1 && k >= 1);
  KG_CHECK(kg_tiles_take(pairs));
  if (!points)
    pairs->store->copy(pairs, NULL, n, &own);
  t->pairs = pairs;
  t->points = points;
  t->n = n;
  t->d = points ? points->d : 0;
  t->k = k;
  t->n_states = n_states;
  t->n_tiles = n_tiles;
  t->padded = padded;
  t->registers = registers;
  t->shares.n = t->shares.n_slots = 0;
  t->x = KG_TAKE2(room, padded, t->d, double);
  t->copy = KG_TAKE(room, own.bytes, char);
  t->w = KG_TAKE(room, padded, double);
  t->R = KG_TAKE2(room, padded, k * n_states, double);
  t->order = KG_TAKE2(room, 2, n, size_t);
  t->label = KG_TAKE2(room, n_tiles * KG_SIDE, n_states, int);
  t->shares.w = KG_TAKE2(room, KG_GROUP, most, double);
  t->shares.slot = KG_TAKE(room, most, int);
  t->shares.whole = KG_TAKE(room, most, int);
  t->shares.tile_label = KG_TAKE(room, most, int);
  t->shares.from = KG_TAKE2(room, n_states, groups + 1, size_t);
  t->shares.tile_from = KG_TAKE2(room, n_states, n_tiles + 1, size_t);
}

/* A stable counting sort of `order` by label; `count`: k + 1 values, `next`: n. */
static void sort_by(const int *label, size_t n, size_t k, size_t *order, double *count,
                    size_t *next) {
  memset(count, 0, (k + 1) * sizeof(double));
  for (size_t i = 0; i < n; i++)
    count[label[i] + 1]++;
  for (size_t l = 0; l < k; l++)
    count[l + 1] += count[l];
  for (size_t i = 0; i < n; i++)
    next[(size_t)count[label[order[i]]]++] = order[i];
  memcpy(order, next, n * sizeof(size_t));
}

/* Does the share hold all of a group, every weight a unit? Then sums need no products. */
static int is_whole(const kg_tiles *t, size_t share) {
  for (size_t j = 0; j < KG_GROUP; j++)
    if (t->shares.w[share * KG_GROUP + j] != 1)
      return 0;
  return 1;
}

/* The shares of a state, after those of the states before it. */
static void fill_shares(kg_tiles *t, size_t state) {
  const size_t groups = t->padded / KG_GROUP, absent = (size_t)-1;
  const int *label = t->label + state * t->padded;
  size_t *share_from = t->shares.from + state * (groups + 1);
  size_t *begin = t->shares.tile_from + state * (t->n_tiles + 1);
  size_t shares = t->shares.n, numbered = state > 0 ? begin[-1] : 0;
  size_t *slot = t->order + t->n; /* the number of a cluster in the tile */
  for (size_t l = 0; l < t->k; l++)
    slot[l] = absent;
  *begin = numbered;
  for (size_t g = 0; g < groups; g++) {
    size_t first = share_from[g] = shares;
    if (g > 0 && g % (KG_SIDE / KG_GROUP) == 0) { /* the next tile numbers again */
      for (size_t a = *begin++; a < numbered; a++)
        slot[t->shares.tile_label[a]] = absent;
      *begin = numbered;
    }
    for (size_t j = g * KG_GROUP; j < (g + 1) * KG_GROUP; j++) {
      size_t l = (size_t)label[j], found = first;
      if (slot[l] == absent) {
        slot[l] = numbered - *begin;
        t->shares.tile_label[numbered++] = label[j];
      }
      while (found < shares && t->shares.slot[found] != (int)slot[l])
        found++;
      if (found == shares) {
        t->shares.slot[shares++] = (int)slot[l];
        memset(t->shares.w + found * KG_GROUP, 0, KG_GROUP * sizeof(double));
      }
      t->shares.w[found * KG_GROUP + j % KG_GROUP] = t->w[j] / t->unit;
    }
    for (size_t share = first; share < shares; share++)
      t->shares.whole[share] = is_whole(t, share);
    if (numbered - *begin > t->shares.n_slots)
      t->shares.n_slots = numbered - *begin;
  }
  share_from[groups] = t->shares.n = shares;
  begin[1] = numbered;
}

void kg_tiles_fill(kg_tiles *t, const double *w, const int *const *labels) {
  const kg_coordinates *p = t->points;
  size_t n = t->n, d = t->d, padded = t->padded, at = 0;
  for (size_t i = 0; i < n; i++)
    t->order[i] = i;
  for (size_t a = t->n_states; a-- > 0;) /* the space of R is still free */
    sort_by(labels[a], n, t->k, t->order, t->R, t->order + n);
  memset(t->R, 0, padded * t->k * t->n_states * sizeof(double));
  size_t whole = n / KG_GROUP * KG_GROUP; /* groups without padding */
  memset(t->x + whole * d, 0, (padded - whole) * d * sizeof(double));
  for (; at < n; at++) {
    size_t i = t->order[at];
    double *x = t->x + at / KG_GROUP * KG_GROUP * d + at % KG_GROUP;
    for (size_t c = 0; c < d; c++)
      x[c * KG_GROUP] = p->x[i + c * n];
    t->w[at] = w[i];
    for (size_t a = 0; a < t->n_states; a++)
      t->label[a * padded + at] = labels[a][i];
  }
  for (; at < padded; at++) { /* padding weighs nothing */
    t->w[at] = 0;
    for (size_t a = 0; a < t->n_states; a++)
      t->label[a * padded + at] = t->label[a * padded + n - 1];
  }
  if (p) {
    t->factor = kg_shape_of(p->rho) < KG_EXP_ROOT ? -0.5 : 1;
  } else {
    kg_room room = kg_room_at(t->copy);
    t->sorted = t->pairs->store->copy(t->pairs, t->order, n, &room);
  }
  t->unit = w[0] > 0 ? w[0] : 1;
  for (size_t i = 0; i < n; i++)
    if (w[i] != t->unit)
      t->unit = 1;
  for (size_t a = 0; t->registers && a < t->n_states; a++)
    fill_shares(t, a);
}

int kg_tiles_together(const kg_tiles *t) {
  /* cycles for four rows and a group, as measured */
  double values = 4.0 * ((double)t->d + 8), states = (double)t->n_states;
  double shares = (double)t->shares.n / (double)(t->padded / KG_GROUP);
  return t->n_states == 1 || !t->registers ||
         values + 11 * shares + 20 * states < states * (values + 14);
}

/* The part that the pairwise dissimilarities of four rows (from `at`) with `width` points
 * of one tile (from `to`) add to R; value: a row every `width`. */
static void add_strip(const kg_tiles *t, const int *label, double *R, size_t at,
                      size_t to, size_t width, int same_tile, const double *value) {
  const kg_loops *loops = kg_chosen_loops;
  size_t padded = t->padded;
  const int *column = label + to;
  for (size_t j = 0, end; j < width; j = end) {
    for (end = j + 1; end < width && column[end] == column[j];)
      end++;
    loops->sums4(value + j, width, t->w + to + j, end - j,
                 R + (size_t)column[j] * padded + at);
  }
  if (same_tile)
    return; /* within a tile every row is summed by itself */
  if (label[at] == label[at + 1] && label[at] == label[at + 2] &&
      label[at] == label[at + 3]) {
    loops->columns4(value, width, t->w + at, width,
                    R + (size_t)label[at] * padded + to);
    return;
  }
  for (size_t r = 0; r < 4; r++)
    loops->add(value + r * width, t->w[at + r], width,
               R + (size_t)label[at + r] * padded + to);
}

/* Values of four rows of tile a with all of tile b, from coordinates. */
static void strip_of_points(const kg_tiles *t, size_t a, size_t b, size_t row,
                            double *value, double *y) {
  size_t d = t->d;
  const double *x = t->x + (a * KG_SIDE + row / KG_GROUP * KG_GROUP) * d + row % KG_GROUP;
  for (size_t c = 0; c < d; c++)
    for (size_t r = 0; r < 4; r++)
      y[4 * c + r] = x[c * KG_GROUP + r];
  for (size_t j = 0; j < KG_SIDE; j += KG_GROUP)
    kg_chosen_loops->squares4(t->x + (b * KG_SIDE + j) * d, KG_GROUP, d, y, KG_GROUP,
                              value + j, KG_SIDE, 0);
  kg_from_squares(t->points->rho, value, 4 * KG_SIDE);
}

/* The same from the pairs, as far as there are rows and columns; returns the width. */
static size_t strip_of_pairs(const kg_tiles *t, size_t a, size_t b, size_t row,
                             double *value) {
  size_t at = a * KG_SIDE + row, from = b * KG_SIDE, rows[4] = {at, at + 1, at + 2, at + 3};
  size_t many = t->n - at < 4 ? t->n - at : 4;
  size_t width = t->n - from < KG_SIDE ? t->n - from : KG_SIDE;
  kg_block(&t->sorted, rows, many, from, from + width, value);
  memset(value + many * width, 0, (4 - many) * width * sizeof(double));
  return width;
}

static void strip(const kg_tiles *t, size_t a, size_t b, size_t row, double *value,
                  double *y) {
  size_t width = KG_SIDE;
  if (t->points)
    strip_of_points(t, a, b, row, value, y);
  else
    width = strip_of_pairs(t, a, b, row, value);
  for (size_t state = 0; state < t->n_states; state++)
    add_strip(t, t->label + state * t->padded, t->R + state * t->padded * t->k,
              a * KG_SIDE + row, b * KG_SIDE, width, a == b, value);
}

static void pair_of_tiles(const kg_tiles *t, size_t a, size_t b, double *workspace) {
  double *y = workspace + 4 * KG_SIDE;
  for (size_t row = 0; row < KG_SIDE && a * KG_SIDE + row < t->n; row += 4)
    if (t->registers)
      kg_chosen_loops->strip(t, a, b, row, workspace);
    else
      strip(t, a, b, row, workspace, y);
}

size_t kg_tiles_rounds(const kg_tiles *t) {
  size_t even = t->n_tiles + t->n_tiles % 2;
  return even; /* even - 1 rounds of pairs, one of tiles with themselves */
}

size_t kg_tiles_workspace(const kg_tiles *t) {
  return t->registers ? t->n_states * t->shares.n_slots * 4 * 8
                      : 4 * (KG_SIDE + t->d);
}

/* The last round is that of the tiles with themselves. */
static int is_last(const kg_tiles *t, size_t round) {
  return round + 1 == kg_tiles_rounds(t);
}

size_t kg_tiles_tasks(const kg_tiles *t, size_t round) {
  return is_last(t, round) ? t->n_tiles : kg_tiles_rounds(t) / 2;
}

double kg_tiles_task_work(const kg_tiles *t) {
  double each = t->points ? (double)t->d : t->pairs->cost;
  return (double)KG_SIDE * KG_SIDE * (each + 8 * (double)t->n_states);
}

/* The circle method: one tile stays, the others go round it. */
void kg_tiles_part(const kg_tiles *t, size_t round, size_t from, size_t to, int threads,
                   double *workspace) {
  KG_CHECK(from <= to && to <= kg_tiles_tasks(t, round));
  size_t size = kg_tiles_workspace(t), circle = kg_tiles_rounds(t) - 1;
  int self = is_last(t, round);
  int team = threads > 1 && (double)(to - from) * kg_tiles_task_work(t) > KG_TEAM_WORK;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) if (team) schedule(static)
#endif
  for (size_t i = from; i < to; i++) {
    size_t a = i, b = i;
    if (!self) {
      a = (round + i) % circle;
      b = i == 0 ? circle : (round + circle - i) % circle;
    }
    if (a >= t->n_tiles || b >= t->n_tiles)
      continue;
    pair_of_tiles(t, a < b ? a : b, a < b ? b : a,
                  workspace + size * (size_t)kg_thread_number());
  }
  (void)team;
}

void kg_tiles_read(const kg_tiles *t, size_t state, size_t from, size_t to, double *R) {
  KG_CHECK(state < t->n_states && from <= to && to <= t->k);
  size_t n = t->n, padded = t->padded;
  const double *sorted = t->R + state * padded * t->k;
  for (size_t l = from; l < to; l++)
    for (size_t at = 0; at < n; at++)
      R[t->order[at] + l * n] = sorted[at + l * padded];
}
