/* ffi_lowrank.c - landmark features: values against the landmarks, features, passes. */
#include "ffi.h"
#include <string.h>

/* Points taken between two polls for interrupts: their values, b x m doubles, stay in
 * the second-level cache. */
static size_t block_of(size_t m) {
  size_t b = 131072 / m / KG_TILE * KG_TILE;
  return b < KG_TILE ? KG_TILE : b;
}

static enum kg_lowrank_path path_of(SEXP path) {
  return (enum kg_lowrank_path)ffi_count(path, 0, KG_PATH_AVX512, "path");
}

/* ---- values of B against the landmarks: rows of the store, or points of their own ---- */

typedef struct {
  kg_pairs pairs;
  size_t m;
  size_t *rows;       /* landmarks that are rows of the store */
  const double *z;    /* or their coordinates, m x d */
  double *both;       /* then: landmarks and a block of points as one store */
} source;

static source source_of(SEXP store, SEXP landmarks) {
  source s = {ffi_store(store), 0, NULL, NULL, NULL};
  R_xlen_t length = Rf_xlength(landmarks);
  size_t d = s.pairs.d;
  if (length < 1 || length > 2147483647) Rf_error("there must be landmarks");
  if (TYPEOF(landmarks) == INTSXP) {
    const int *row = INTEGER_RO(landmarks);
    s.m = (size_t)length;
    s.rows = (size_t *)R_alloc(s.m, sizeof(size_t));
    for (size_t a = 0; a < s.m; a++) {
      if (row[a] < 1 || (size_t)row[a] > s.pairs.n) Rf_error("landmarks must be rows");
      s.rows[a] = (size_t)row[a] - 1;
    }
    return s;
  }
  s.z = ffi_doubles(landmarks, -1, "landmarks");
  if (d < 1 || length % (R_xlen_t)d != 0) Rf_error("landmarks must be points of d columns");
  s.m = (size_t)length / d;
  s.rows = (size_t *)R_alloc(s.m, sizeof(size_t));
  for (size_t a = 0; a < s.m; a++) s.rows[a] = a;
  return s;
}

/* Room for blocks of b points. */
static void source_room(source *s, size_t b) {
  if (s->z) s->both = (double *)R_alloc((s->m + b) * s->pairs.d, sizeof(double));
}

/* A store in which the landmarks are the rows s->rows, and the points from..to - 1 those
 * from *at on. */
static kg_pairs source_block(const source *s, size_t from, size_t to, size_t *at) {
  size_t m = s->m, b = to - from, n = m + b;
  *at = s->z ? m : from;
  if (!s->z) return s->pairs;
  for (size_t c = 0; c < s->pairs.d; c++) {
    memcpy(s->both + c * n, s->z + c * m, m * sizeof(double));
    memcpy(s->both + c * n + m, s->pairs.data + c * s->pairs.n + from, b * sizeof(double));
  }
  return kg_points(s->both, n, s->pairs.d, s->pairs.rho);
}

static void source_values(const source *s, size_t from, size_t to, double *values) {
  size_t at;
  kg_pairs pairs = source_block(s, from, to, &at);
  pairs.block(&pairs, s->rows, s->m, at, at + (to - from), values);
}

/* R: upper triangle, R'R = A, by columns, which is L by rows. L^-1 by rows, with rows of
 * zeros behind, as the kernels read it. */
SEXP ffi_lowrank_inverse(SEXP R, SEXP n_, SEXP scale_) {
  size_t n = ffi_count(n_, 0, 46340, "n"), rows = kg_lowrank_rows(n);
  double scale = ffi_number(scale_, 0, 1e308, "scale");
  const double *L = ffi_doubles(R, (R_xlen_t)(n * n), "R");
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(rows * n)));
  double *inverse = REAL(out);
  memset(inverse, 0, rows * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    R_CheckUserInterrupt();
    kg_lowrank_inverse_row(L, n, i, inverse);
  }
  for (size_t c = 0; c < n * n; c++) inverse[c] *= scale;
  UNPROTECT(1);
  return out;
}

/* Rows from..to (from 1) of the store against the landmarks: a matrix. */
SEXP ffi_landmark_values(SEXP store, SEXP landmarks, SEXP from_, SEXP to_) {
  size_t from = ffi_count(from_, 1, 2147483647, "from");
  size_t to = ffi_count(to_, (double)from, 2147483647, "to");
  source s = source_of(store, landmarks);
  if (to > s.pairs.n) Rf_error("to must not be above n");
  size_t many = to - from + 1, at;
  source_room(&s, many);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)many, (int)s.m));
  kg_pairs pairs = source_block(&s, from - 1, to, &at);
  for (size_t a = 0; a < s.m; a += 4) { /* as many as a store takes together */
    R_CheckUserInterrupt();
    pairs.block(&pairs, s.rows + a, s.m - a < 4 ? s.m - a : 4, at, at + many,
                REAL(out) + a * many);
  }
  UNPROTECT(1);
  return out;
}

/* ---- features ---- */

static kg_landmarks map_of(SEXP T, SEXP offset, SEXP constants, size_t m) {
  const double *c = ffi_doubles(constants, 2, "constants");
  kg_landmarks map = {m, (size_t)Rf_xlength(offset), NULL, NULL, c[0], c[1]};
  if (map.rank > m) Rf_error("the rank must not be above the number of landmarks");
  map.offset = ffi_doubles(offset, -1, "offset");
  map.T = ffi_doubles(T, (R_xlen_t)(kg_lowrank_rows(map.rank) * map.rank), "T");
  return map;
}

static SEXP raw_features(size_t rank, size_t n) {
  double bytes = 4.0 * (double)kg_lowrank_width(rank) * (double)n;
  return Rf_allocVector(RAWSXP, ffi_length(bytes, "the features"));
}

static SEXP features_list(size_t rank, size_t n) {
  static const char *const names[] = {"z", "rest"};
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, raw_features(rank, n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)n));
  UNPROTECT(1);
  return out;
}

static double *work_for(const kg_landmarks *map) {
  size_t size = (map->m + kg_lowrank_rows(map->rank)) * KG_TILE;
  return (double *)R_alloc(size, sizeof(double));
}

/* Features of all points of a store, single precision in a raw vector. */
SEXP ffi_lowrank_features(SEXP store, SEXP landmarks, SEXP T, SEXP offset,
                          SEXP constants, SEXP path_) {
  enum kg_lowrank_path path = path_of(path_);
  kg_landmarks map;
  source s = source_of(store, landmarks);
  size_t n = s.pairs.n, m = s.m, b = block_of(m);
  if (b > n) b = n;
  map = map_of(T, offset, constants, m);
  source_room(&s, b);
  double *values = (double *)R_alloc(b * m, sizeof(double)), *work = work_for(&map);
  SEXP out = PROTECT(features_list(map.rank, n));
  float *z = (float *)(void *)RAW(VECTOR_ELT(out, 0));
  double *rest = REAL(VECTOR_ELT(out, 1)), *self = (double *)R_alloc(b, sizeof(double));
  for (size_t at = 0; at < n; at += b) {
    size_t to = at + b < n ? at + b : n;
    R_CheckUserInterrupt();
    source_values(&s, at, to, values);
    for (size_t i = at; i < to; i++) self[i - at] = s.pairs.self(&s.pairs, i);
    kg_lowrank_features(&map, path, values, to - at, self, work,
                        z + at * kg_lowrank_width(map.rank), rest + at);
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
SEXP ffi_lowrank_convert(SEXP values_, SEXP self_, SEXP m_, SEXP T, SEXP offset,
                          SEXP constants, SEXP path_) {
  enum kg_lowrank_path path = path_of(path_);
  size_t m = ffi_count(m_, 1, 2147483647, "m");
  const double *values = ffi_doubles(values_, -1, "values");
  size_t b = (size_t)Rf_xlength(values_) / m;
  if (b < 1 || b * m != (size_t)Rf_xlength(values_)) Rf_error("values must be b x m");
  kg_landmarks map = map_of(T, offset, constants, m);
  double *work = work_for(&map);
  const double *self =
      self_ == R_NilValue ? NULL : ffi_doubles(self_, (R_xlen_t)b, "self");
  size_t piece = block_of(m) < b ? block_of(m) : b, width = kg_lowrank_width(map.rank);
  double *some = (double *)R_alloc(piece * m, sizeof(double));
  SEXP out = PROTECT(features_list(map.rank, b));
  float *z = (float *)(void *)RAW(VECTOR_ELT(out, 0));
  double *rest = REAL(VECTOR_ELT(out, 1));
  for (size_t at = 0; at < b; at += piece) {
    size_t to = b - at < piece ? b : at + piece;
    R_CheckUserInterrupt();
    take_rows(values, b, m, at, to, some);
    kg_lowrank_features(&map, path, some, to - at, self ? self + at : NULL, work,
                        z + at * width, rest + at);
  }
  UNPROTECT(1);
  return out;
}

/* values: b x m. U: m x rows by columns. Returns labels, sums (m x k), s, least. */
SEXP ffi_lowrank_pass(SEXP values_, SEXP w_, SEXP U_, SEXP h_, SEXP path_) {
  static const char *const names[] = {"cluster", "sums", "s", "least"};
  enum kg_lowrank_path path = path_of(path_);
  R_xlen_t b = Rf_xlength(w_), k = Rf_xlength(h_);
  const double *w = ffi_weights(w_, (size_t)b), *h = ffi_doubles(h_, k, "h");
  const double *values = ffi_doubles(values_, -1, "values");
  if (b < 1 || k < 1 || k > 2147483647 || b > 2147483647 || Rf_xlength(values_) < b ||
      Rf_xlength(values_) % b != 0)
    Rf_error("values must have a row a point");
  size_t m = (size_t)(Rf_xlength(values_) / b), rows = kg_lowrank_rows((size_t)k);
  const double *U = ffi_doubles(U_, ffi_length((double)rows * (double)m, "U"), "U");
  double *work = (double *)R_alloc((m + rows) * KG_TILE, sizeof(double));
  size_t n = (size_t)b, piece = block_of(m) < n ? block_of(m) : n;
  double *some = (double *)R_alloc(piece * m, sizeof(double));
  SEXP out = PROTECT(ffi_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, b));
  SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, ffi_extent(m, "the sums"), (int)k));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(REALSXP, k));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(0));
  int *label = INTEGER(VECTOR_ELT(out, 0));
  double *sums = REAL(VECTOR_ELT(out, 1)), *s = REAL(VECTOR_ELT(out, 2));
  memset(sums, 0, m * (size_t)k * sizeof(double));
  memset(s, 0, (size_t)k * sizeof(double));
  for (size_t at = 0; at < n; at += piece) {
    size_t to = n - at < piece ? n : at + piece;
    R_CheckUserInterrupt();
    take_rows(values, n, m, at, to, some);
    kg_lowrank_pass(m, path, some, to - at, w + at, U, h, (size_t)k, work, label + at, sums,
                    s, REAL(VECTOR_ELT(out, 3)));
  }
  for (R_xlen_t i = 0; i < b; i++) label[i]++;
  UNPROTECT(1);
  return out;
}

/* ---- clustering of features ---- */

/* `for_moves`: with all that Hartigan's method needs. */
static kg_lowrank fit_of(SEXP z, SEXP w, size_t n, size_t k, int for_moves) {
  kg_lowrank f;
  memset(&f, 0, sizeof f);
  if (TYPEOF(z) != RAWSXP) Rf_error("features must be a raw vector");
  size_t bytes = (size_t)Rf_xlength(z);
  if (n < 1 || bytes % (64 * n) != 0 || bytes == 0)
    Rf_error("features must hold a multiple of 16 floats a point");
  f.z = (const float *)(const void *)RAW_RO(z);
  f.w = w == R_NilValue ? NULL : REAL_RO(w);
  f.width = (size_t)ffi_extent(bytes / 4 / n, "features");
  f.n = n;
  f.k = k;
  ffi_length((double)f.width * (double)k, "the means");
  f.label = (int *)R_alloc(n, sizeof(int));
  f.mean = (double *)R_alloc(f.width * k, sizeof(double));
  f.mean_float = (float *)R_alloc(f.width * k, sizeof(float));
  f.norm2 = (double *)R_alloc(k, sizeof(double));
  f.s = (double *)R_alloc(k, sizeof(double));
  f.count = (size_t *)R_alloc(k, sizeof(size_t));
  if (!for_moves) return f;
  f.drift = (double *)R_alloc(k, sizeof(double));
  f.path = (double *)R_alloc(k, sizeof(double));
  f.dots = (float *)R_alloc(k, sizeof(float));
  f.square = (float *)R_alloc(n, sizeof(float));
  f.upper = (float *)R_alloc(n, sizeof(float));
  f.lower = (float *)R_alloc(n, sizeof(float));
  /* the means remembered for each block take an eighth of the features at most */
  f.block = 16 * k > 4096 ? 16 * k : 4096;
  size_t blocks = (n + f.block - 1) / f.block, kept = blocks * k * f.width;
  f.kept = (double *)R_alloc(kept, sizeof(double));
  memset(f.kept, 0, kept * sizeof(double));
  return f;
}

/* Points whose work is about 2^24 products. */
static size_t piece_of(const kg_lowrank *f, size_t each) {
  size_t points = 16777216 / (f->width * each);
  return points < 1 ? 1 : points;
}

static void means_from_labels(kg_lowrank *f) {
  size_t piece = piece_of(f, 1);
  for (size_t at = 0; at < f->n; at += piece) {
    R_CheckUserInterrupt();
    kg_lowrank_sums(f, at, at + piece < f->n ? at + piece : f->n);
  }
  if (kg_lowrank_means(f) == KG_NOT_FINITE) Rf_error("features are not finite");
}

/* Hartigan's method from given labels (from 1): labels, means (width x k), within
 * dispersions, weights, iterations, moves, converged, the total, moves of the last sweep. */
SEXP ffi_lowrank_fit(SEXP z, SEXP w_, SEXP k_, SEXP start, SEXP iter_max_, SEXP path_) {
  static const char *const names[] = {"cluster", "means", "cost",      "s",
                                      "iterations", "moves", "converged", "total", "last"};
  enum kg_lowrank_path path = path_of(path_);
  R_xlen_t length = Rf_xlength(w_);
  if (length < 1 || length > 2147483647) Rf_error("w must have a weight a point");
  ffi_weights(w_, (size_t)length);
  size_t n = (size_t)length, k = ffi_count(k_, 1, (double)n, "k");
  size_t iter_max = ffi_count(iter_max_, 0, 2147483647, "iter_max"), sweep = 0;
  const int *labels = ffi_integers(start, length, "start");
  kg_lowrank f = fit_of(z, w_, n, k, 1);
  ffi_labels(labels, n, k, f.label, "start");
  means_from_labels(&f);
  for (size_t l = 0; l < k; l++)
    if (f.count[l] == 0) Rf_error("a cluster starts without a point");
  size_t blocks = (n + f.block - 1) / f.block, made = 0;
  size_t piece = piece_of(&f, k);
  int converged = k == 1;
  while (!converged && sweep < iter_max) {
    made = 0;
    for (size_t block = 0; block < blocks; block++) {
      size_t end = (block + 1) * f.block < n ? (block + 1) * f.block : n;
      kg_lowrank_begin(&f, block);
      for (size_t at = block * f.block; at < end; at += piece) {
        R_CheckUserInterrupt();
        size_t to = at + piece < end ? at + piece : end;
        made += kg_lowrank_visit(&f, path, at, to, sweep == 0);
      }
    }
    sweep++;
    converged = made == 0;
  }
  means_from_labels(&f);
  SEXP out = PROTECT(ffi_list(9, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, length));
  SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, (int)f.width, (int)k));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(REALSXP, (R_xlen_t)k));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)k));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal((double)sweep));
  SET_VECTOR_ELT(out, 5, Rf_ScalarReal((double)f.moves));
  SET_VECTOR_ELT(out, 6, Rf_ScalarLogical(converged));
  memcpy(REAL(VECTOR_ELT(out, 1)), f.mean, f.width * k * sizeof(double));
  memcpy(REAL(VECTOR_ELT(out, 3)), f.s, k * sizeof(double));
  double *cost = REAL(VECTOR_ELT(out, 2)), all = 0, total = 0;
  memset(cost, 0, k * sizeof(double));
  piece = piece_of(&f, 1);
  for (size_t at = 0; at < n; at += piece) {
    R_CheckUserInterrupt();
    kg_lowrank_cost(&f, at, at + piece < n ? at + piece : n, cost);
  }
  int *cluster = INTEGER(VECTOR_ELT(out, 0));
  for (size_t i = 0, each = piece_of(&f, k); i < n; i++) {
    if (i % each == 0) R_CheckUserInterrupt();
    cluster[i] = 1 + (f.w[i] > 0 ? f.label[i] : (int)kg_lowrank_nearest(&f, i));
  }
  /* total = within + between, the means' own scatter */
  for (size_t l = 0; l < k; l++) all += f.s[l], total += cost[l];
  for (size_t q = 0; q < f.width; q++) {
    double centre = 0;
    for (size_t l = 0; l < k; l++) centre += f.s[l] / all * f.mean[l * f.width + q];
    for (size_t l = 0; l < k; l++) {
      double t = f.mean[l * f.width + q] - centre;
      total += f.s[l] * t * t;
    }
  }
  SET_VECTOR_ELT(out, 7, Rf_ScalarReal(total));
  SET_VECTOR_ELT(out, 8, Rf_ScalarReal((double)made));
  UNPROTECT(1);
  return out;
}

static kg_lowrank means_of(SEXP z, SEXP w, size_t n, SEXP means, size_t k) {
  kg_lowrank f = fit_of(z, w, n, k, 0);
  const double *mean = ffi_doubles(means, (R_xlen_t)(f.width * k), "means");
  memcpy(f.mean, mean, f.width * k * sizeof(double));
  for (size_t l = 0; l < k; l++) f.count[l] = 1;
  return f;
}

/* Squared distances to given means (width x k): n x k. */
SEXP ffi_lowrank_distances(SEXP z, SEXP n_, SEXP means, SEXP k_) {
  size_t n = ffi_count(n_, 1, 2147483647, "n"), k = ffi_count(k_, 1, 2147483647, "k");
  kg_lowrank f = means_of(z, R_NilValue, n, means, k);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)k));
  size_t piece = piece_of(&f, k);
  for (size_t i = 0; i < n; i++) {
    if (i % piece == 0) R_CheckUserInterrupt();
    for (size_t l = 0; l < k; l++) REAL(out)[i + l * n] = kg_lowrank_d2(&f, i, l);
  }
  UNPROTECT(1);
  return out;
}

/* Every point to the nearest of given means: labels, and for each cluster the sum of
 * w d2, the sum of w z (width x k) and the weight. */
SEXP ffi_lowrank_assign(SEXP z, SEXP w_, SEXP means, SEXP k_) {
  static const char *const names[] = {"cluster", "cost", "sums", "s"};
  R_xlen_t length = Rf_xlength(w_);
  if (length < 1 || length > 2147483647) Rf_error("w must have a weight a point");
  ffi_weights(w_, (size_t)length);
  size_t n = (size_t)length, k = ffi_count(k_, 1, 2147483647, "k");
  kg_lowrank f = means_of(z, w_, n, means, k);
  SEXP out = PROTECT(ffi_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, length));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)k));
  SET_VECTOR_ELT(out, 2, Rf_allocMatrix(REALSXP, (int)f.width, (int)k));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)k));
  int *cluster = INTEGER(VECTOR_ELT(out, 0));
  double *cost = REAL(VECTOR_ELT(out, 1));
  memset(cost, 0, k * sizeof(double));
  size_t piece = piece_of(&f, k);
  for (size_t i = 0; i < n; i++) {
    if (i % piece == 0) R_CheckUserInterrupt();
    f.label[i] = (int)kg_lowrank_nearest(&f, i);
    cluster[i] = f.label[i] + 1;
    kg_lowrank_cost(&f, i, i + 1, cost);
  }
  piece = piece_of(&f, 1);
  for (size_t at = 0; at < n; at += piece) {
    R_CheckUserInterrupt();
    kg_lowrank_sums(&f, at, at + piece < n ? at + piece : n);
  }
  memcpy(REAL(VECTOR_ELT(out, 2)), f.mean, f.width * k * sizeof(double));
  memcpy(REAL(VECTOR_ELT(out, 3)), f.s, k * sizeof(double));
  UNPROTECT(1);
  return out;
}

/* The features of some points: doubles, width x rows, or a raw vector of the same kind. */
SEXP ffi_lowrank_take(SEXP z, SEXP n_, SEXP rows_, SEXP doubles_) {
  size_t n = ffi_count(n_, 1, 2147483647, "n");
  int doubles = ffi_count(doubles_, 0, 1, "doubles") == 1;
  const int *rows = ffi_integers(rows_, -1, "rows");
  size_t b = (size_t)Rf_xlength(rows_);
  if (TYPEOF(z) != RAWSXP || Rf_xlength(z) == 0 || (size_t)Rf_xlength(z) % (64 * n) != 0)
    Rf_error("features must hold a multiple of 16 floats a point");
  size_t width = (size_t)ffi_extent((size_t)Rf_xlength(z) / 4 / n, "features");
  const float *from = (const float *)(const void *)RAW_RO(z);
  if (b < 1 || b > 2147483647) Rf_error("there must be rows");
  for (size_t i = 0; i < b; i++)
    if (rows[i] < 1 || (size_t)rows[i] > n) Rf_error("rows must lie between 1 and n");
  double bytes = 4.0 * (double)width * (double)b;
  SEXP out = PROTECT(doubles ? Rf_allocMatrix(REALSXP, (int)width, (int)b)
                             : Rf_allocVector(RAWSXP, ffi_length(bytes, "features")));
  for (size_t i = 0; i < b; i++) {
    if (i % 1024 == 0) R_CheckUserInterrupt();
    const float *point = from + ((size_t)rows[i] - 1) * width;
    if (doubles)
      for (size_t q = 0; q < width; q++) REAL(out)[i * width + q] = point[q];
    else
      memcpy(RAW(out) + 4 * i * width, point, 4 * width);
  }
  UNPROTECT(1);
  return out;
}
