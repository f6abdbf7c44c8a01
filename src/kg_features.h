/* kg_features.h - k-means on explicit features, of landmarks among others.
 * Part of kg.h, whose conventions hold here. */
#ifndef KG_FEATURES_H
#define KG_FEATURES_H

#include <stddef.h>

/* ---- explicit features: kg_features.c ----------------------------------------------
 * Weighted k-means in R^m: what spectral starts, graph embeddings and landmark features
 * end in. Points are columns of z (m x n), so each is contiguous. */

typedef struct {
  const double *z; /* m x n */
  const double *w; /* n */
  size_t m, n, k;
  int *label;    /* n */
  double *mean;  /* m x k */
  double *s;     /* k */
  size_t *count; /* k */
  double tolerance;
  size_t moves;
} kg_features;

/* As kg_plusplus_step, with squared Euclidean distances: O(n m) a candidate. */
void kg_features_plusplus(const kg_features *f, size_t l, size_t candidates,
                          const double *uniforms, double *nearest);
enum kg_status kg_features_totals(kg_features *f); /* means, s, count, tolerance */
double kg_features_d2(const kg_features *f, size_t i, size_t l);
size_t kg_features_nearest(const kg_features *f, size_t i);
size_t kg_features_hartigan(kg_features *f, size_t from, size_t to); /* moves made */
double kg_features_cost(const kg_features *f); /* sum_i w_i |z_i - mean|^2 */

/* ---- landmark features: kg_lowrank.c ----------------------------------------------- */

enum { KG_TILE = 16 }; /* points whose values are taken together */

/* Loops for an instruction set the processor has; KG_PATH_BEST is the widest. */
enum kg_lowrank_path { KG_PATH_BEST, KG_PATH_PLAIN, KG_PATH_AVX2, KG_PATH_AVX512 };

typedef struct {
  size_t m, rank;
  const double *T;      /* kg_lowrank_rows(rank) x rank by rows: L^-1, lower triangle */
  const double *offset; /* rank: mean of B(z_a, .) over the landmarks, less the mean of all */
  double grand, unit;   /* the mean of all; what features^2 are multiplied by in B's units */
} kg_landmarks;

/* Row i of L^-1, after those before it; L lower, both n x n by rows. O(i^2). */
void kg_lowrank_inverse_row(const double *L, size_t n, size_t i, double *inverse);

size_t kg_lowrank_width(size_t rank); /* floats a point: rank rounded up, zeros behind */
size_t kg_lowrank_rows(size_t rank);  /* rows of zeros included, rounded up */

/* Features of b points from values = B(x, z_a), b x m by columns, landmarks in the order
 * of the Cholesky factor; rest = what of |phi(x)|^2 the landmarks do not span, from self =
 * B(x, x), or NULL for 0. work: (m + kg_lowrank_rows(rank)) * KG_TILE doubles. */
void kg_lowrank_features(const kg_landmarks *map, enum kg_lowrank_path path,
                         const double *values, size_t b, const double *self, double *work,
                         float *z, double *rest);

/* Lloyd's pass over b points: label = least h_l - 2 sum_a U_la B(x, z_a); adds w B(x, .)
 * to its row of sums (k x m by rows), w to s and w times the least value to *least. U:
 * kg_lowrank_rows(k) x m by rows. work: (m + kg_lowrank_rows(k)) * KG_TILE. */
void kg_lowrank_pass(size_t m, enum kg_lowrank_path path, const double *values, size_t b,
                     const double *w, const double *U, const double *h, size_t k,
                     double *work, int *label, double *sums, double *s, double *least);

/* Hartigan's method on stored features. Bounds on distances let most points pass
 * unseen once the means have settled; a candidate that is seen costs O(k m). */
typedef struct {
  const float *z; /* width x n */
  const double *w;
  size_t width, n, k;
  int *label;
  double *mean;      /* width x k */
  float *mean_float; /* the same */
  double *norm2, *s, *drift, *path; /* k each */
  size_t *count;     /* k */
  float *dots;       /* k: workspace */
  float *square, *upper, *lower; /* n each */
  size_t block;      /* points a block */
  double *kept;      /* width x k for each block: means at its last visit */
  /* of the block being visited: the largest drift, path and norm2, the least s */
  double most, longest, largest, s_least;
  double scale, tolerance;
  size_t moves;
} kg_lowrank;

/* Sums of the rows [from, to), from = 0 first; then the means. */
void kg_lowrank_sums(kg_lowrank *f, size_t from, size_t to);
enum kg_status kg_lowrank_means(kg_lowrank *f);
/* Begins the visit of a block of points; then its points in pieces, in order. `first`:
 * bounds are not known yet. Returns the moves made. */
void kg_lowrank_begin(kg_lowrank *f, size_t block);
size_t kg_lowrank_visit(kg_lowrank *f, enum kg_lowrank_path path, size_t from, size_t to,
                        int first);
double kg_lowrank_d2(const kg_lowrank *f, size_t i, size_t l);
size_t kg_lowrank_nearest(const kg_lowrank *f, size_t i);
void kg_lowrank_cost(const kg_lowrank *f, size_t from, size_t to, double *cost);

#endif
