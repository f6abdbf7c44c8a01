/* kg_lowrank.c - landmark (Nystroem) features, and Hartigan's method on them.
 *
 * With landmarks z_1..z_m and c_a(x) = B(x, z_a) centred on the landmarks' mean,
 * phi(x) = L^-1 c(x) for the Cholesky factor L of the landmarks' own centred matrix. Its
 * inner products are those of the feature space projected on the landmarks' span, so W of
 * the features is never above W itself. Making them costs O(m^2) a point, once.
 *
 * They are kept in single precision, 4 m bytes a point: their error, 1e-7, lies far below
 * that of the approximation. Sums and every decision about a move are in double. */
#include "kg.h"
#include <math.h>
#include <string.h>

#if (defined(__x86_64__) || defined(__amd64__)) && defined(__GNUC__)
#include <immintrin.h>

#define SUFFIX(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define D __m512d
#define D_LANES 8
#define D_LOAD _mm512_loadu_pd
#define D_STORE _mm512_storeu_pd
#define D_ZERO _mm512_setzero_pd
#define D_SPREAD _mm512_set1_pd
#define D_FMA _mm512_fmadd_pd
#define F __m512
#define F_LANES 16
#define F_LOAD _mm512_loadu_ps
#define F_ZERO _mm512_setzero_ps
#define F_FMA _mm512_fmadd_ps
#define F_SUM _mm512_reduce_add_ps
#include "kg_lowrank_loops.h"
#undef SUFFIX
#undef TARGET
#undef D
#undef D_LANES
#undef D_LOAD
#undef D_STORE
#undef D_ZERO
#undef D_SPREAD
#undef D_FMA
#undef F
#undef F_LANES
#undef F_LOAD
#undef F_ZERO
#undef F_FMA
#undef F_SUM

#define SUFFIX(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define D __m256d
#define D_LANES 4
#define D_LOAD _mm256_loadu_pd
#define D_STORE _mm256_storeu_pd
#define D_ZERO _mm256_setzero_pd
#define D_SPREAD _mm256_set1_pd
#define D_FMA _mm256_fmadd_pd
#define F __m256
#define F_LANES 8
#define F_LOAD _mm256_loadu_ps
#define F_ZERO _mm256_setzero_ps
#define F_FMA _mm256_fmadd_ps
#define F_SUM sum_of_eight
TARGET static float sum_of_eight(__m256 x) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}
#include "kg_lowrank_loops.h"
#undef SUFFIX
#undef TARGET
#undef D
#undef D_LANES
#undef D_LOAD
#undef D_STORE
#undef D_ZERO
#undef D_SPREAD
#undef D_FMA
#undef F
#undef F_LANES
#undef F_LOAD
#undef F_ZERO
#undef F_FMA
#undef F_SUM
#define HAS_VECTORS 1
#else
#define HAS_VECTORS 0
#endif

/* ---- the baseline, plain C ---- */

static void tile_product_plain(const double *A, size_t rows, size_t lda, int lower,
                               const double *tile, double *out) {
  for (size_t q = 0; q < rows; q++) {
    double sum[KG_TILE] = {0};
    size_t used = lower && q + 1 < lda ? q + 1 : lda;
    for (size_t c = 0; c < used; c++) {
      double a = A[q * lda + c];
      for (size_t p = 0; p < KG_TILE; p++) sum[p] += a * tile[c * KG_TILE + p];
    }
    memcpy(out + q * KG_TILE, sum, sizeof sum);
  }
}

static void float_dots_plain(const float *z, const float *mean, size_t width, size_t k,
                             float *out) {
  for (size_t l = 0; l < k; l++) {
    float sum[16] = {0}, total = 0;
    for (size_t q = 0; q < width; q += 16)
      for (size_t v = 0; v < 16; v++) sum[v] += z[q + v] * mean[l * width + q + v];
    for (size_t v = 0; v < 16; v++) total += sum[v];
    out[l] = total;
  }
}

typedef struct {
  void (*product)(const double *, size_t, size_t, int, const double *, double *);
  void (*dots)(const float *, const float *, size_t, size_t, float *);
} loops;

static loops loops_for(enum kg_lowrank_path path) {
  loops plain = {tile_product_plain, float_dots_plain};
#if HAS_VECTORS
  loops avx2 = {tile_product_avx2, float_dots_avx2};
  loops avx512 = {tile_product_avx512, float_dots_avx512};
  int has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  int has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (path != KG_PATH_PLAIN && path != KG_PATH_AVX2 && has_avx512) return avx512;
  if (path != KG_PATH_PLAIN && has_avx2) return avx2;
#else
  (void)path;
#endif
  return plain;
}

size_t kg_lowrank_width(size_t rank) {
  return rank == 0 ? 16 : (rank + 15) / 16 * 16;
}

size_t kg_lowrank_rows(size_t rank) {
  return (rank + 7) / 8 * 8;
}

void kg_lowrank_inverse_row(const double *L, size_t n, size_t i, double *inverse) {
  double *restrict row = inverse + i * n;
  for (size_t j = 0; j < n; j++) row[j] = j == i ? 1 : 0;
  for (size_t c = 0; c < i; c++) {
    const double *restrict before = inverse + c * n;
    double a = L[i * n + c];
    for (size_t j = 0; j <= c; j++) row[j] -= a * before[j];
  }
  for (size_t j = 0; j <= i; j++) row[j] /= L[i * n + i];
}

/* ---- features of a block of points ---- */

/* KG_TILE points from column-major values (b x m), landmark by landmark. */
static void load_tile(const double *values, size_t b, size_t at, size_t m, double *tile) {
  size_t some = b - at < KG_TILE ? b - at : KG_TILE;
  for (size_t a = 0; a < m; a++) {
    memcpy(tile + a * KG_TILE, values + a * b + at, some * sizeof(double));
    for (size_t p = some; p < KG_TILE; p++) tile[a * KG_TILE + p] = 0;
  }
}

void kg_lowrank_features(const kg_landmarks *map, enum kg_lowrank_path path,
                         const double *values, size_t b, const double *self, double *work,
                         float *z, double *rest) {
  size_t m = map->m, rank = map->rank, width = kg_lowrank_width(rank);
  size_t rows = kg_lowrank_rows(rank);
  double *tile = work, *out = work + m * KG_TILE;
  loops run = loops_for(path);
  for (size_t at = 0; at < b; at += KG_TILE) {
    size_t some = b - at < KG_TILE ? b - at : KG_TILE;
    double mean[KG_TILE] = {0};
    load_tile(values, b, at, m, tile);
    for (size_t a = 0; a < m; a++)
      for (size_t p = 0; p < KG_TILE; p++) mean[p] += tile[a * KG_TILE + p];
    for (size_t p = 0; p < KG_TILE; p++) mean[p] /= (double)m;
    for (size_t a = 0; a < rank; a++)
      for (size_t p = 0; p < KG_TILE; p++)
        tile[a * KG_TILE + p] -= mean[p] + map->offset[a];
    run.product(map->T, rows, rank, 1, tile, out);
    for (size_t p = 0; p < some; p++) {
      float *to = z + (at + p) * width;
      double norm2 = 0;
      for (size_t q = 0; q < rank; q++) {
        double value = out[q * KG_TILE + p];
        to[q] = (float)value;
        norm2 += value * value;
      }
      rest[at + p] =
          ((self ? self[at + p] : 0) - 2 * mean[p] + map->grand) / map->unit - norm2;
      for (size_t q = rank; q < width; q++) to[q] = 0;
    }
  }
}

/* ---- one pass of Lloyd's method over a block, without features ---- */

void kg_lowrank_pass(size_t m, enum kg_lowrank_path path, const double *values, size_t b,
                     const double *w, const double *U, const double *h, size_t k,
                     double *work, int *label, double *sums, double *s, double *least) {
  double *tile = work, *score = work + m * KG_TILE;
  size_t rows = kg_lowrank_rows(k);
  loops run = loops_for(path);
  for (size_t at = 0; at < b; at += KG_TILE) {
    size_t some = b - at < KG_TILE ? b - at : KG_TILE;
    load_tile(values, b, at, m, tile);
    run.product(U, rows, m, 0, tile, score);
    for (size_t p = 0; p < some; p++) {
      size_t best = 0;
      double cost = HUGE_VAL, weight = w[at + p];
      for (size_t l = 0; l < k; l++) {
        double now = h[l] - 2 * score[l * KG_TILE + p];
        if (now < cost) cost = now, best = l;
      }
      label[at + p] = (int)best;
      if (weight == 0) continue;
      double *sum = sums + best * m;
      for (size_t a = 0; a < m; a++) sum[a] += weight * tile[a * KG_TILE + p];
      s[best] += weight;
      *least += weight * cost;
    }
  }
}

/* ---- Hartigan's method on stored features ---- */

static double exact_d2(const kg_lowrank *f, const float *z, size_t l) {
  return kg_chosen_loops->float_d2(z, f->mean + l * f->width, f->width);
}

static void refresh_mean(kg_lowrank *f, size_t l) {
  double norm2 = 0;
  for (size_t q = 0; q < f->width; q++) {
    double value = f->mean[l * f->width + q];
    f->mean_float[l * f->width + q] = (float)value;
    norm2 += value * value;
  }
  f->norm2[l] = norm2;
}

void kg_lowrank_sums(kg_lowrank *f, size_t from, size_t to) {
  if (from == 0) {
    memset(f->mean, 0, f->k * f->width * sizeof(double));
    memset(f->s, 0, f->k * sizeof(double));
    memset(f->count, 0, f->k * sizeof(size_t));
    f->scale = 0;
  }
  for (size_t i = from; i < to; i++) {
    size_t l = (size_t)f->label[i];
    const float *z = f->z + i * f->width;
    double w = f->w[i], norm2;
    if (w == 0) continue;
    norm2 = kg_chosen_loops->float_add(z, w, f->width, f->mean + l * f->width);
    if (f->square) {
      f->square[i] = (float)norm2;
      f->scale += w * norm2;
    }
    f->s[l] += w;
    f->count[l]++;
  }
}

enum kg_status kg_lowrank_means(kg_lowrank *f) {
  double check = f->scale;
  for (size_t l = 0; l < f->k; l++) {
    for (size_t q = 0; q < f->width && f->count[l] > 0; q++)
      f->mean[l * f->width + q] /= f->s[l];
    refresh_mean(f, l);
    check += f->norm2[l];
  }
  f->tolerance = 1e-10 * f->scale / (double)f->n;
  return isfinite(check) ? KG_OK : KG_NOT_FINITE;
}

static void move_point(kg_lowrank *f, const float *z, double w, size_t from, size_t into) {
  double *a = f->mean + from * f->width, *b = f->mean + into * f->width;
  double out = w / (f->s[from] - w), in = w / (f->s[into] + w);
  double path_a = 0, path_b = 0;
  for (size_t q = 0; q < f->width; q++) {
    double da = out * (z[q] - a[q]), db = in * (z[q] - b[q]);
    a[q] -= da;
    b[q] += db;
    path_a += da * da;
    path_b += db * db;
  }
  f->path[from] += sqrt(path_a);
  f->path[into] += sqrt(path_b);
  f->s[from] -= w;
  f->s[into] += w;
  f->count[from]--;
  f->count[into]++;
  refresh_mean(f, from);
  refresh_mean(f, into);
}

/* The exact candidate, as in kg_features.c. */
static int try_move(kg_lowrank *f, size_t i, const float *z) {
  size_t j = (size_t)f->label[i], best = j;
  double w = f->w[i], least = HUGE_VAL;
  double gone = w * (f->s[j] / (f->s[j] - w)) * exact_d2(f, z, j);
  for (size_t l = 0; l < f->k; l++) {
    if (l == j) continue;
    double come = w * (f->s[l] / (f->s[l] + w)) * exact_d2(f, z, l);
    if (come < least) least = come, best = l;
  }
  if (best == j || !(least - gone < -f->tolerance)) return 0;
  f->label[i] = (int)best;
  move_point(f, z, w, j, best);
  return 1;
}

/* How far each mean went since the last visit to this block; remembers where it is. */
static void drift_since(kg_lowrank *f, double *kept) {
  f->most = 0;
  for (size_t l = 0; l < f->k; l++) {
    double sum = 0;
    for (size_t q = 0; q < f->width; q++) {
      double now = f->mean[l * f->width + q], t = now - kept[l * f->width + q];
      sum += t * t;
      kept[l * f->width + q] = now;
    }
    f->drift[l] = sqrt(sum);
    f->path[l] = 0;
    if (f->drift[l] > f->most) f->most = f->drift[l];
  }
}

void kg_lowrank_begin(kg_lowrank *f, size_t block) {
  drift_since(f, f->kept + block * f->k * f->width);
  f->largest = 0;
  f->s_least = HUGE_VAL;
  f->longest = 0;
  for (size_t l = 0; l < f->k; l++) {
    if (f->norm2[l] > f->largest) f->largest = f->norm2[l];
    if (f->s[l] < f->s_least) f->s_least = f->s[l];
  }
}

/* A point stays without a look at its features while
 *     upper^2 s_j / (s_j - w) <= lower^2 s_l / (s_l + w) for all l,
 * upper and lower bounds of its distances to its own and to the nearest other mean. Both
 * hold for the means at the start of the last visit to the block; since then means went
 * by `drift`, and within this visit by at most `path`. */
size_t kg_lowrank_visit(kg_lowrank *f, enum kg_lowrank_path path, size_t from, size_t to,
                        int first) {
  size_t k = f->k, made = 0;
  loops run = loops_for(path);
  for (size_t i = from; i < to; i++) {
    size_t j = (size_t)f->label[i];
    double w = f->w[i], rest = f->s[j] - w;
    const float *z = f->z + i * f->width;
    if (!first) {
      f->upper[i] = (float)((f->upper[i] + f->drift[j]) * (1 + 1e-6));
      f->lower[i] = (float)((f->lower[i] - f->most) * (1 - 1e-6));
      double u = f->upper[i] + f->path[j], v = f->lower[i] - f->longest;
      if (v > 0 && u * u * f->s[j] * (f->s_least + w) < v * v * f->s_least * rest) continue;
    }
    if (w == 0 || f->count[j] < 2 || !(rest > 1e-12 * f->s[j])) {
      f->lower[i] = 0;
      continue;
    }
    run.dots(z, f->mean_float, f->width, k, f->dots);
    double own = f->square[i] - 2.0 * f->dots[j] + f->norm2[j];
    double gone = own * (f->s[j] / rest), come = HUGE_VAL, other = HUGE_VAL;
    for (size_t l = 0; l < k; l++) {
      if (l == j) continue;
      double d2 = f->square[i] - 2.0 * f->dots[l] + f->norm2[l];
      double cost = d2 * (f->s[l] / (f->s[l] + w));
      if (d2 < other) other = d2;
      if (cost < come) come = cost;
    }
    /* what single precision can hide: 2^-24 times the terms summed, with room */
    double slack = 4e-6 * (f->square[i] + f->largest);
    if (come < gone + slack && try_move(f, i, z)) {
      made++;
      f->lower[i] = 0; /* seen again at the next visit */
      if (f->s[j] < f->s_least) f->s_least = f->s[j];
      size_t l = (size_t)f->label[i];
      if (f->path[j] > f->longest) f->longest = f->path[j];
      if (f->path[l] > f->longest) f->longest = f->path[l];
      if (f->norm2[j] > f->largest) f->largest = f->norm2[j];
      if (f->norm2[l] > f->largest) f->largest = f->norm2[l];
      f->upper[i] = HUGE_VALF;
      continue;
    }
    f->upper[i] = (float)(sqrt(own + slack > 0 ? own + slack : 0) + f->path[j]);
    double least = other - slack > 0 ? sqrt(other - slack) - f->longest : 0;
    f->lower[i] = (float)(least > 0 ? least : 0);
  }
  f->moves += made;
  return made;
}

double kg_lowrank_d2(const kg_lowrank *f, size_t i, size_t l) {
  return exact_d2(f, f->z + i * f->width, l);
}

size_t kg_lowrank_nearest(const kg_lowrank *f, size_t i) {
  size_t best = 0;
  double least = HUGE_VAL;
  for (size_t l = 0; l < f->k; l++) {
    if (f->count[l] == 0) continue;
    double d2 = exact_d2(f, f->z + i * f->width, l);
    if (d2 < least) least = d2, best = l;
  }
  return best;
}

void kg_lowrank_cost(const kg_lowrank *f, size_t from, size_t to, double *cost) {
  for (size_t i = from; i < to; i++)
    if (f->w[i] > 0)
      cost[f->label[i]] += f->w[i] * exact_d2(f, f->z + i * f->width, (size_t)f->label[i]);
}
