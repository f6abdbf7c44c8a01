/* kg_pairs.c - the stores of pairwise dissimilarities.
 *
 * Points are kept as they come and pairwise dissimilarities are computed when needed, O(d)
 * each; nothing of size n^2 is made. A packed triangle of distances and a dense matrix
 * are read in place. B = -rho/2 for each of them, so B_ii = 0. */
#include "kg_pairs.h"
#include "kg_check.h"
#include "kg_coordinates.h"
#include "kg_loops.h"
#include "kg_semimetric.h"
#include <string.h>

/* Columns are taken in strips, so that squares are still in the first-level cache when
 * they become pairwise dissimilarities. */
/* ---- points ---- */

static void squares(const kg_coordinates *p, const double *y, size_t step, size_t from,
                    size_t to, double *out) {
  kg_chosen_loops->sums1(KG_SUM_SQUARES, 0, p->x + from, p->n, p->d, y, step, to - from,
                         out);
}

/* Four rows at a time, their coordinates interleaved: strips of some columns, which stay
 * in cache. */
static void points_block(const kg_pairs *pairs, const size_t *rows, size_t n_rows,
                         size_t from, size_t to, double *out) {
  KG_CHECK(from <= to && to <= pairs->n);
  enum { COLUMNS = 256 };
  const kg_coordinates *p = &pairs->points;
  size_t n = p->n, width = to - from, r = 0;
  double y[4 * COLUMNS];
  for (; r + 4 <= n_rows; r += 4) {
    double *value = out + r * width;
    for (size_t first = 0, d; first < p->d; first += d) {
      const double *x = p->x + first * n;
      d = p->d - first < COLUMNS ? p->d - first : COLUMNS;
      for (size_t c = 0; c < d; c++)
        for (size_t a = 0; a < 4; a++)
          y[4 * c + a] = x[rows[r + a] + c * n];
      for (size_t at = 0; at < width; at += KG_STRIP)
        kg_chosen_loops->squares4(x + from + at, n, d, y,
                                  width - at < KG_STRIP ? width - at : KG_STRIP, value + at,
                                  width, first > 0);
    }
    kg_from_squares(p->rho, value, 4 * width);
  }
  for (; r < n_rows; r++) {
    for (size_t at = 0; at < width; at += KG_STRIP) {
      size_t strip = width - at < KG_STRIP ? width - at : KG_STRIP;
      double *value = out + r * width + at;
      squares(p, p->x + rows[r], n, from + at, from + at + strip, value);
      kg_from_squares(p->rho, value, strip);
    }
  }
}

static const kg_coordinates *points_coordinates(const kg_pairs *pairs) {
  return &pairs->points;
}

/* Few columns, for points whose coordinates do not determine B. */
static void points_among(const kg_pairs *p, size_t i, const size_t *columns, size_t many,
                         double *out) {
  const kg_coordinates *c = &p->points;
  for (size_t a = 0; a < many; a++) {
    double q = 0;
    for (size_t e = 0; e < c->d; e++) {
      double t = c->x[i + e * c->n] - c->x[columns[a] + e * c->n];
      q += t * t;
    }
    out[a] = q;
  }
  kg_from_squares(c->rho, out, many);
}

double *kg_copy_rows(const double *x, size_t n, size_t d, const size_t *rows, size_t m,
                     kg_room *room) {
  double *some = KG_TAKE2(room, m, d, double);
  for (size_t c = 0; some && c < d; c++)
    for (size_t a = 0; a < m; a++)
      some[a + c * m] = x[rows[a] + c * n];
  return some;
}

static kg_pairs points_copy(const kg_pairs *pairs, const size_t *rows, size_t m,
                            kg_room *room) {
  const kg_coordinates *p = &pairs->points;
  return kg_points(kg_copy_rows(p->x, p->n, p->d, rows, m, room), m, p->d, p->rho);
}

static void points_cross(const kg_pairs *pairs, const double *y, size_t stride,
                         double *out) {
  kg_point_row(&pairs->points, y, stride, out);
}

static const kg_store points_store = {.block = points_block,
                                      .coordinates = points_coordinates,
                                      .among = points_among,
                                      .cross = points_cross,
                                      .copy = points_copy};

kg_pairs kg_points(const double *x, size_t n, size_t d, kg_semimetric rho) {
  kg_pairs p = {&points_store, n, (double)d + 4, {x, n, d, rho}, NULL, NULL, NULL};
  return p;
}

void kg_point_row(const kg_coordinates *p, const double *y, size_t stride, double *out) {
  squares(p, y, stride, 0, p->n, out);
  kg_from_squares(p->rho, out, p->n);
}

int kg_in_registers(const kg_coordinates *p) {
  enum kg_shape shape = kg_shape_of(p->rho);
  return kg_chosen_loops->strip && shape != KG_SCALAR && shape != KG_POWERED;
}

void kg_point_gather(const kg_coordinates *p, size_t i, double *y, size_t r) {
  for (size_t c = 0; c < p->d; c++) {
    double at = p->x[i + c * p->n];
    if (r == 0)
      y[4 * c + 1] = y[4 * c + 2] = y[4 * c + 3] = at;
    y[4 * c + r] = at;
  }
}

void kg_points_strip(const kg_coordinates *p, const double *y, size_t from, size_t to,
                     double *out) {
  size_t width = to - from;
  kg_chosen_loops->squares4(p->x + from, p->n, p->d, y, width, out, width, 0);
  for (size_t r = 0; r < 4; r++)
    kg_from_squares(p->rho, out + r * width, width);
}

/* ---- packed lower triangle, column by column: (i, j), i > j, lies at
 *      n j - j (j + 1) / 2 + i - j - 1 ---- */

static void packed_block(const kg_pairs *p, const size_t *rows, size_t n_rows,
                         size_t from, size_t to, double *out) {
  KG_CHECK(from <= to && to <= p->n);
  size_t n = p->n, width = to - from;
  for (size_t r = 0; r < n_rows; r++) {
    size_t i = rows[r];
    double *value = out + r * width;
    size_t j = from;
    for (; j < to && j < i; j++)
      value[j - from] = p->values[n * j - j * (j + 1) / 2 + i - j - 1];
    if (j == i && j < to) {
      value[j - from] = 0;
      j++;
    }
    if (j < to)
      memcpy(value + (j - from), p->values + (n * i - i * (i + 1) / 2 + j - i - 1),
             (to - j) * sizeof(double));
    kg_from_distances(p->points.rho, value, width);
  }
}

static void packed_among(const kg_pairs *p, size_t i, const size_t *columns, size_t many,
                         double *out) {
  size_t n = p->n;
  for (size_t a = 0; a < many; a++) {
    size_t j = columns[a], low = i < j ? i : j, high = i < j ? j : i;
    out[a] = i == j ? 0 : p->values[n * low - low * (low + 1) / 2 + high - low - 1];
  }
  kg_from_distances(p->points.rho, out, many);
}

static const kg_store packed_store = {.block = packed_block, .among = packed_among};

kg_pairs kg_packed(const double *distances, size_t n, kg_semimetric rho) {
  kg_pairs p = {&packed_store, n, 4, {NULL, n, 0, rho}, distances, NULL, NULL};
  return p;
}

int kg_is_packed(const kg_pairs *pairs) {
  return pairs->store == &packed_store;
}

/* ---- dense; symmetric, so that column i is row i ---- */

static const double *dense_row(const kg_pairs *p, size_t i) {
  return p->values + i * p->n;
}

static void dense_block(const kg_pairs *p, const size_t *rows, size_t n_rows, size_t from,
                        size_t to, double *out) {
  for (size_t r = 0; r < n_rows; r++)
    memcpy(out + r * (to - from), dense_row(p, rows[r]) + from,
           (to - from) * sizeof(double));
}

static void dense_among(const kg_pairs *p, size_t i, const size_t *columns, size_t many,
                        double *out) {
  const double *row = dense_row(p, i);
  for (size_t a = 0; a < many; a++)
    out[a] = row[columns[a]];
}

static const kg_store dense_store = {
    .block = dense_block, .row = dense_row, .whole_rows = 1, .among = dense_among};

static void gram_block(const kg_pairs *p, const size_t *rows, size_t n_rows, size_t from,
                       size_t to, double *out) {
  KG_CHECK(from <= to && to <= p->n);
  size_t width = to - from;
  for (size_t r = 0; r < n_rows; r++) {
    size_t i = rows[r];
    double *value = out + r * width;
    /* the halves are added first: then B_ij and B_ji are the same number */
    kg_chosen_loops->less_halves(dense_row(p, i) + from, p->half + from, p->half[i],
                                 width, value);
    if (i >= from && i < to)
      value[i - from] = 0;
  }
}

static void gram_among(const kg_pairs *p, size_t i, const size_t *columns, size_t many,
                       double *out) {
  const double *G = dense_row(p, i);
  for (size_t a = 0; a < many; a++) {
    size_t j = columns[a];
    out[a] = i == j ? 0 : G[j] - (p->half[i] + p->half[j]);
  }
}

static const kg_store gram_store = {
    .block = gram_block, .whole_rows = 1, .among = gram_among};

kg_pairs kg_dense(const double *values, const double *half, size_t n) {
  kg_semimetric given = {KG_GIVEN, 0};
  kg_pairs p = {
      half ? &gram_store : &dense_store, n, 4, {NULL, n, 0, given}, values, half, NULL};
  return p;
}

/* ---- any of them, with gaps between branches ---- */

static void connected_block(const kg_pairs *pairs, const size_t *rows, size_t n_rows,
                            size_t from, size_t to, double *out) {
  const kg_with_gaps *both = (const kg_with_gaps *)pairs->context;
  const int *branch = both->gaps.branch + from;
  size_t width = to - from, m = both->gaps.m;
  kg_block(&both->base, rows, n_rows, from, to, out);
  for (size_t r = 0; r < n_rows; r++) {
    const double *h = both->gaps.H + (size_t)both->gaps.branch[rows[r]] * m;
    double *value = out + r * width;
    for (size_t j = 0; j < width; j++)
      value[j] -= 0.5 * h[branch[j]];
  }
}

static const kg_coordinates *connected_coordinates(const kg_pairs *pairs) {
  return kg_coordinates_of(&((const kg_with_gaps *)pairs->context)->base);
}

static const kg_gaps *connected_gaps(const kg_pairs *pairs) {
  return &((const kg_with_gaps *)pairs->context)->gaps;
}

static void connected_among(const kg_pairs *pairs, size_t i, const size_t *columns,
                            size_t many, double *out) {
  const kg_with_gaps *both = (const kg_with_gaps *)pairs->context;
  const int *branch = both->gaps.branch;
  const double *h = both->gaps.H + (size_t)branch[i] * both->gaps.m;
  kg_among(&both->base, i, columns, many, out);
  for (size_t a = 0; a < many; a++)
    out[a] -= 0.5 * h[branch[columns[a]]];
}

static const kg_store connected_store = {.block = connected_block,
                                         .coordinates = connected_coordinates,
                                         .gaps = connected_gaps,
                                         .among = connected_among};

kg_pairs kg_connect(const kg_with_gaps *both) {
  kg_pairs p = both->base;
  p.store = &connected_store;
  p.cost += 2;
  p.context = both;
  return p;
}

void kg_gaps_table(const kg_gaps *gaps, const double *w, const int *rows,
                   const int *label, size_t many, size_t k, double *T) {
  size_t m = gaps->m;
  double *M = T + m * k;
  memset(T, 0, 2 * m * k * sizeof(double));
  for (size_t a = 0; a < many; a++) {
    size_t i = rows ? (size_t)rows[a] : a;
    M[(size_t)gaps->branch[i] + (size_t)label[a] * m] += w[i];
  }
  for (size_t l = 0; l < k; l++)
    for (size_t a = 0; a < m; a++)
      if (M[a + l * m] > 0)
        kg_chosen_loops->add(gaps->H + a * m, -0.5 * M[a + l * m], m, T + l * m);
}

void kg_gaps_add(const kg_gaps *gaps, const double *T, size_t k, size_t n, size_t from,
                 size_t to, double *R) {
  for (size_t l = 0; l < k; l++)
    for (size_t i = from; i < to; i++)
      R[i + l * n] += T[(size_t)gaps->branch[i] + l * gaps->m];
}

void kg_gaps_transfer(const kg_gaps *gaps, size_t i, double w, size_t from, size_t width,
                      double *leave, double *enter) {
  KG_CHECK(gaps->branch[i] >= 0 && (size_t)gaps->branch[i] < gaps->m);
  const double *h = gaps->H + (size_t)gaps->branch[i] * gaps->m;
  const int *branch = gaps->branch + from;
  for (size_t j = 0; j < width; j++) {
    double change = 0.5 * w * h[branch[j]]; /* B has it with a minus */
    leave[j] += change;
    enter[j] -= change;
  }
}

const double *kg_row(const kg_pairs *pairs, size_t i, double *buffer) {
  const double *row = kg_row_held(pairs, i);
  if (row)
    return row;
  kg_block(pairs, &i, 1, 0, pairs->n, buffer);
  return buffer;
}

void kg_among(const kg_pairs *pairs, size_t i, const size_t *columns, size_t many,
              double *out) {
  if (pairs->store->among) {
    pairs->store->among(pairs, i, columns, many, out);
    return;
  }
  for (size_t a = 0; a < many; a++)
    kg_block(pairs, &i, 1, columns[a], columns[a] + 1, out + a);
}

/* ---- some of the observations ---- */

static void some_block(const kg_pairs *pairs, const size_t *rows, size_t n_rows,
                       size_t from, size_t to, double *out) {
  const kg_some *some = (const kg_some *)pairs->context;
  const kg_pairs *of = some->of;
  for (size_t r = 0; r < n_rows; r++)
    kg_among(of, some->rows[rows[r]], some->rows + from, to - from,
             out + r * (to - from));
}

static const kg_store some_store = {.block = some_block};

kg_pairs kg_pairs_some(const kg_some *some, size_t m) {
  kg_semimetric given = {KG_GIVEN, 0};
  kg_pairs p = {&some_store, m, some->of->cost, {NULL, m, 0, given}, NULL, NULL, some};
  return p;
}
