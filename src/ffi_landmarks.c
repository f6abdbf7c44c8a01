/* ffi_landmarks.c - landmark features: values against the landmarks, features, passes. */
#include "ffi.h"
#include "kg_coordinates.h"
#include "kg_landmarks.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Points taken between two polls for interrupts: their values, b x m doubles, stay in
 * the second-level cache. */
static size_t block_of(size_t m) {
  size_t b = 131072 / m / KG_TILE * KG_TILE;
  if (b > KG_TILE && b % 64 == 0)
    b -= KG_TILE; /* rows a page apart share a set of the cache */
  return b < KG_TILE ? KG_TILE : b;
}

/* ---- values of B against the landmarks: rows of the store, or points of their own ----
 */

typedef struct {
  kg_pairs pairs;
  size_t m;
  size_t *rows;    /* landmarks that are rows of the store */
  const double *z; /* or their coordinates, m x d */
  double *both;    /* then: landmarks and a block of points as one store */
} source;

static source source_of(SEXP problem, SEXP landmarks) {
  source s = {ffi_pairs(problem), 0, NULL, NULL, NULL};
  R_xlen_t length = Rf_xlength(landmarks);
  const kg_coordinates *points = kg_coordinates_of(&s.pairs);
  size_t d = points ? points->d : 0;
  if (length < 1 || length > 2147483647)
    Rf_error("there must be landmarks");
  if (TYPEOF(landmarks) == INTSXP) {
    const int *row = INTEGER_RO(landmarks);
    s.m = (size_t)length;
    s.rows = (size_t *)R_alloc(s.m, sizeof(size_t));
    for (size_t a = 0; a < s.m; a++) {
      if (row[a] < 1 || (size_t)row[a] > s.pairs.n)
        Rf_error("landmarks must be rows");
      s.rows[a] = (size_t)row[a] - 1;
    }
    return s;
  }
  s.z = ffi_doubles(landmarks, -1, "landmarks");
  if (d < 1 || length % (R_xlen_t)d != 0)
    Rf_error("landmarks must be points of d columns");
  s.m = (size_t)length / d;
  s.rows = (size_t *)R_alloc(s.m, sizeof(size_t));
  for (size_t a = 0; a < s.m; a++)
    s.rows[a] = a;
  return s;
}

/* Room for blocks of b points. */
static void source_room(source *s, size_t b) {
  if (!s->z)
    return;
  size_t d = kg_coordinates_of(&s->pairs)->d;
  s->both = (double *)R_alloc((s->m + b) * d, sizeof(double));
}

/* A store in which the landmarks are the rows s->rows, and the points from..to - 1 those
 * from *at on. */
static kg_pairs source_block(const source *s, size_t from, size_t to, size_t *at) {
  size_t m = s->m, b = to - from, n = m + b;
  *at = s->z ? m : from;
  if (!s->z)
    return s->pairs;
  const kg_coordinates *points = kg_coordinates_of(&s->pairs);
  for (size_t c = 0; c < points->d; c++) {
    memcpy(s->both + c * n, s->z + c * m, m * sizeof(double));
    memcpy(s->both + c * n + m, points->x + c * points->n + from, b * sizeof(double));
  }
  return kg_points(s->both, n, points->d, points->rho);
}

static void source_values(const source *s, size_t from, size_t to, double *values) {
  size_t at;
  kg_pairs pairs = source_block(s, from, to, &at);
  kg_block(&pairs, s->rows, s->m, at, at + (to - from), values);
}

/* R: upper triangle, R'R = A, by columns, which is L by rows. L^-1 by rows, with rows of
 * zeros behind, as the kernels read it. */
SEXP ffi_lowrank_inverse(SEXP R, SEXP n_, SEXP scale_) {
  enum { SOME = 4096 };
  size_t n = ffi_count(n_, 0, 46340, "n"), rows = kg_landmarks_rows(n);
  double scale = ffi_number(scale_, 0, 1e308, "scale");
  const double *L = ffi_doubles(R, (R_xlen_t)(n * n), "R");
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(rows * n)));
  double *inverse = REAL(out);
  memset(inverse, 0, rows * n * sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c <= i; c += SOME) {
      R_CheckUserInterrupt();
      kg_landmarks_inverse_row(L, n, i, c, i + 1 - c < SOME ? i + 1 : c + SOME, inverse);
    }
  for (size_t i = 0; i < n; i++) {
    if (i % 1024 == 0)
      R_CheckUserInterrupt();
    for (size_t c = 0; c < n; c++)
      inverse[i * n + c] *= scale;
  }
  UNPROTECT(1);
  return out;
}

/* Rows from..to (from 1) of the store against the landmarks: a matrix. */
SEXP ffi_landmark_values(SEXP problem, SEXP landmarks, SEXP from_, SEXP to_) {
  size_t from = ffi_count(from_, 1, 2147483647, "from");
  size_t to = ffi_count(to_, (double)from, 2147483647, "to");
  source s = source_of(problem, landmarks);
  if (to > s.pairs.n)
    Rf_error("to must not be above n");
  size_t many = to - from + 1, at;
  source_room(&s, many);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)many, (int)s.m));
  kg_pairs pairs = source_block(&s, from - 1, to, &at);
  for (size_t a = 0; a < s.m; a += 4) { /* as many as a store takes together */
    R_CheckUserInterrupt();
    kg_block(&pairs, s.rows + a, s.m - a < 4 ? s.m - a : 4, at, at + many,
             REAL(out) + a * many);
  }
  UNPROTECT(1);
  return out;
}

/* ---- features ---- */

static int is_bounded(SEXP map) {
  SEXP is = ffi_field(map, "bounded");
  return TYPEOF(is) == LGLSXP && Rf_xlength(is) == 1 && LOGICAL(is)[0] == 1;
}

/* list(m, T, offset, constants = c(grand mean, unit), short, bounded) */
static kg_landmarks map_of(SEXP map_) {
  const double *c = ffi_doubles(ffi_need(map_, "constants"), 2, "constants");
  SEXP offset = ffi_need(map_, "offset");
  size_t m = ffi_count(ffi_need(map_, "m"), 1, 2147483647, "m");
  kg_landmarks map = {
      m, (size_t)Rf_xlength(offset), NULL, NULL, c[0], c[1], is_bounded(map_)};
  if (map.rank > m)
    Rf_error("the rank must not be above the number of landmarks");
  map.offset = ffi_doubles(offset, -1, "offset");
  map.T = ffi_doubles(ffi_need(map_, "T"),
                      (R_xlen_t)(kg_landmarks_rows(map.rank) * map.rank), "T");
  return map;
}

/* Doubles where points are few, else 16 bits a value in a raw vector. */
static int is_short(SEXP map) {
  SEXP is = ffi_field(map, "short");
  return is == R_NilValue ||
         (TYPEOF(is) == LGLSXP && Rf_xlength(is) == 1 && LOGICAL(is)[0] == 1);
}

static SEXP raw_features(size_t rank, size_t n) {
  double bytes = ffi_features_bytes(kg_landmarks_width(rank), n);
  return Rf_allocVector(RAWSXP, ffi_length(bytes, "the features"));
}

static SEXP features_list(size_t rank, size_t n, int is) {
  static const char *const names[] = {"z", "rest"};
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0,
                 is ? raw_features(rank, n)
                    : Rf_allocMatrix(REALSXP, (int)kg_landmarks_width(rank),
                                     ffi_extent(n, "the features")));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)n));
  UNPROTECT(1);
  return out;
}

static double *work_for(const kg_landmarks *map) {
  size_t size = (map->m + kg_landmarks_rows(map->rank)) * KG_TILE;
  return (double *)R_alloc(size, sizeof(double));
}

/* Place of the features. */
typedef struct {
  double *z;
  int16_t *q;
  float *unit;
  size_t width;
} target;

static target target_of(SEXP z, size_t rank, size_t n) {
  target t = {NULL, NULL, NULL, kg_landmarks_width(rank)};
  if (TYPEOF(z) == REALSXP) {
    t.z = REAL(z);
    return t;
  }
  t.q = (int16_t *)(void *)RAW(z);
  t.unit = (float *)(void *)(t.q + n * t.width);
  return t;
}

static void make_features(const kg_landmarks *map, const double *values, size_t at,
                          size_t b, const double *self, double *work, const target *to,
                          double *rest) {
  size_t from = at * to->width;
  kg_landmarks_features(map, values, b, self ? self + at : NULL, work,
                        to->z ? to->z + from : NULL, to->q ? to->q + from : NULL,
                        to->unit ? to->unit + at : NULL, rest + at);
}

/* Features of all points of a store. */
SEXP ffi_lowrank_features(SEXP problem, SEXP landmarks, SEXP map_) {
  kg_landmarks map;
  source s = source_of(problem, landmarks);
  size_t n = s.pairs.n, m = s.m, b = block_of(m);
  if (b > n)
    b = n;
  map = map_of(map_);
  if (map.m != m)
    Rf_error("the map has another number of landmarks");
  source_room(&s, b);
  double *values = (double *)R_alloc(b * m, sizeof(double)), *work = work_for(&map);
  SEXP out = PROTECT(features_list(map.rank, n, is_short(map_)));
  target into = target_of(VECTOR_ELT(out, 0), map.rank, n);
  double *rest = REAL(VECTOR_ELT(out, 1));
  for (size_t at = 0; at < n; at += b) {
    size_t to = at + b < n ? at + b : n;
    R_CheckUserInterrupt();
    source_values(&s, at, to, values);
    make_features(&map, values, at, to - at, NULL, work, &into, rest);
  }
  UNPROTECT(1);
  return out;
}

/* The rows [from, to) of a matrix of b rows, to a matrix of their own. */
static void take_rows(const double *values, size_t b, size_t m, size_t from, size_t to,
                      double *into) {
  for (size_t a = 0; a < m; a++)
    memcpy(into + a * (to - from), values + a * b + from, (to - from) * sizeof(double));
}

/* Features from a matrix of values, b x m; self: B(x, x), or NULL where they are 0. */
SEXP ffi_lowrank_convert(SEXP values_, SEXP self_, SEXP map_) {
  kg_landmarks map = map_of(map_);
  size_t m = map.m;
  const double *values = ffi_doubles(values_, -1, "values");
  size_t b = (size_t)Rf_xlength(values_) / m;
  if (b < 1 || b * m != (size_t)Rf_xlength(values_))
    Rf_error("values must be b x m");
  double *work = work_for(&map);
  const double *self =
      self_ == R_NilValue ? NULL : ffi_doubles(self_, (R_xlen_t)b, "self");
  size_t piece = block_of(m) < b ? block_of(m) : b;
  double *some = (double *)R_alloc(piece * m, sizeof(double));
  SEXP out = PROTECT(features_list(map.rank, b, is_short(map_)));
  target into = target_of(VECTOR_ELT(out, 0), map.rank, b);
  double *rest = REAL(VECTOR_ELT(out, 1));
  for (size_t at = 0; at < b; at += piece) {
    size_t to = b - at < piece ? b : at + piece;
    R_CheckUserInterrupt();
    take_rows(values, b, m, at, to, some);
    make_features(&map, some, at, to - at, self, work, &into, rest);
  }
  UNPROTECT(1);
  return out;
}

/* ---- bounds on the distances to means (R/mean-bounds.R) ---- */

typedef struct {
  const double *y;  /* landmarks, four interleaved */
  const double *U;  /* kg_landmarks_rows(k) x m by rows: weights of the landmarks */
  const double *error, *own, *norm, *rounding; /* m x k; k each */
  size_t m, k;
} bound_map;

/* possible[i + l n]: may mean l be the nearest of point i in [at, at + some)?
 * work: (m + 3 + rows) * KG_TILE */
static void bound_tile(const kg_coordinates *p, const bound_map *b, size_t at, size_t some,
                       double *work, int *possible) {
  const size_t m = b->m, k = b->k, quads = (m + 3) / 4;
  double *tile = work, *score = work + 4 * quads * KG_TILE, most[KG_TILE], least[KG_TILE];
  double nearest[KG_TILE];
  if (some < KG_TILE)
    memset(tile, 0, 4 * quads * KG_TILE * sizeof(double));
  for (size_t q = 0; q < quads; q++)
    kg_chosen_loops->squares4(p->x + at, p->n, p->d, b->y + 4 * p->d * q, some,
                              tile + 4 * q * KG_TILE, KG_TILE, 0);
  kg_from_squares(p->rho, tile, 4 * quads * KG_TILE);
  kg_chosen_loops->product(b->U, kg_landmarks_rows(k), m, 0, tile, score);
  for (size_t c = 0; c < KG_TILE; c++)
    most[c] = -HUGE_VAL, nearest[c] = 0;
  for (size_t a = 0; a < m; a++) {
    const double *row = tile + a * KG_TILE, number = (double)a;
#pragma omp simd
    for (size_t c = 0; c < KG_TILE; c++) {
      nearest[c] = row[c] > most[c] ? number : nearest[c];
      most[c] = row[c] > most[c] ? row[c] : most[c];
    }
  }
  for (size_t c = 0; c < some; c++) {
    const size_t near = (size_t)nearest[c];
    const double gap = most[c] < 0 ? sqrt(-2 * most[c]) : 0;
    least[c] = HUGE_VAL;
    for (size_t l = 0; l < k; l++) {
      double *s = score + l * KG_TILE + c;
      const double d2 = b->own[l] - 2 * (*s + b->error[near + l * m]);
      const double apart = 2 * (gap * b->norm[l] + b->rounding[l]);
      *s = d2 - apart;
      if (d2 + apart < least[c])
        least[c] = d2 + apart;
    }
    for (size_t l = 0; l < k; l++)
      possible[at + c + l * p->n] = score[l * KG_TILE + c] <= least[c];
  }
}

/* store: new points; bounds: list(landmarks (m x d), U, error, own, norm, rounding).
 * Returns a logical matrix. */
SEXP ffi_possible(SEXP store, SEXP bounds) {
  kg_pairs pairs = ffi_pairs(store);
  const kg_coordinates *p = kg_coordinates_of(&pairs);
  if (!p)
    Rf_error("a store of points is needed");
  SEXP own = ffi_need(bounds, "own"), z = ffi_need(bounds, "landmarks");
  const size_t k = (size_t)Rf_xlength(own), m = (size_t)Rf_xlength(z) / p->d, quads = (m + 3) / 4;
  const double *x = ffi_doubles(z, (R_xlen_t)(m * p->d), "landmarks");
  if (m < 1 || k < 1)
    Rf_error("there must be landmarks and means");
  bound_map b;
  b.m = m;
  b.k = k;
  b.U = ffi_doubles(ffi_need(bounds, "U"), (R_xlen_t)(kg_landmarks_rows(k) * m), "U");
  b.error = ffi_doubles(ffi_need(bounds, "error"), (R_xlen_t)(m * k), "error");
  b.own = ffi_doubles(own, (R_xlen_t)k, "own");
  b.norm = ffi_doubles(ffi_need(bounds, "norm"), (R_xlen_t)k, "norm");
  b.rounding = ffi_doubles(ffi_need(bounds, "rounding"), (R_xlen_t)k, "rounding");
  const kg_coordinates marks = {x, m, p->d, p->rho};
  double *y = (double *)R_alloc(4 * p->d * quads, sizeof(double));
  for (size_t a = 0; a < m; a++)
    kg_point_gather(&marks, a, y + a / 4 * 4 * p->d, a % 4);
  b.y = y;
  double *work = (double *)R_alloc((4 * quads + kg_landmarks_rows(k)) * KG_TILE, sizeof(double));
  SEXP out = PROTECT(Rf_allocMatrix(LGLSXP, (int)p->n, (int)k));
  const size_t step = (ffi_piece((double)m * (double)(p->d + k + 4)) / KG_TILE + 1) * KG_TILE;
  FFI_PIECES (from, to, p->n, step)
    for (size_t at = from; at < to; at += KG_TILE)
      bound_tile(p, &b, at, to - at < KG_TILE ? to - at : KG_TILE, work, LOGICAL(out));
  UNPROTECT(1);
  return out;
}
