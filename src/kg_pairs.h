/* kg_pairs.h - the values of B = -rho/2 for all pairs of observations, however they are
 * stored.
 *
 * A store is a table of functions and what they work on. Operations that a store can do
 * beside single blocks of values are read by name (kg_reads_rows, kg_row_held,
 * kg_coordinates_of) and never guessed. A new kind of input is one more table. */
#ifndef KG_PAIRS_H
#define KG_PAIRS_H

#include "kg_coordinates.h"
#include "kg_room.h"

typedef struct kg_pairs kg_pairs;

/* Terms that values may have beside those of a base: B = base - H[branch_i, branch_j] /
 * 2, H an m x m ultrametric. One row of numbers a branch instead of one an observation,
 * so that the base can be summed by itself. */
typedef struct {
  const int *branch; /* n, from 0 */
  const double *H;
  size_t m;
} kg_gaps;

typedef struct {
  /* out[r * (to - from) + j - from] = B(rows[r], j) for j in [from, to); 0 where the two
   * are the same observation */
  void (*block)(const kg_pairs *pairs, const size_t *rows, size_t n_rows, size_t from,
                size_t to, double *out);
  /* row i where it lies in memory; NULL: rows are not held */
  const double *(*row)(const kg_pairs *pairs, size_t i);
  int whole_rows; /* is a whole row as quick as half of one, being read from memory? */
  /* NULL: there are no coordinates, or B, but for its gaps, is no function of distances
   */
  const kg_coordinates *(*coordinates)(const kg_pairs *pairs);
  /* NULL: there are none */
  const kg_gaps *(*gaps)(const kg_pairs *pairs);
  /* out[j] = B(i, columns[j]); NULL: kg_among() takes blocks of one */
  void (*among)(const kg_pairs *pairs, size_t i, const size_t *columns, size_t many,
                double *out);
  /* out[j] = B(y, x_j) for a new point y, coordinate c at y[c * stride]; NULL: there are
   * no coordinates (their number is points.d) */
  void (*cross)(const kg_pairs *pairs, const double *y, size_t stride, double *out);
  /* the pairs of m observations, copied to the room, or counted; NULL: kg_pairs_some */
  kg_pairs (*copy)(const kg_pairs *pairs, const size_t *rows, size_t m, kg_room *room);
} kg_store;

enum { KG_STRIP = 512 }; /* values of a row that stay in cache */

struct kg_pairs {
  const kg_store *store;
  size_t n;
  double cost;           /* of one value, in operations, roughly */
  kg_coordinates points; /* the store of points; rho for the packed one too */
  const double *values;  /* packed, dense */
  const double *half;    /* dense: half the diagonal of a Gram matrix */
  const void *context;   /* of other stores */
};

/* x: n x d points. */
kg_pairs kg_points(const double *x, size_t n, size_t d, kg_semimetric rho);
/* The lower triangle of distances by columns, as in R's dist. */
kg_pairs kg_packed(const double *distances, size_t n, kg_semimetric rho);
/* An n x n matrix of B itself (half = NULL; its diagonal is 0), or a Gram matrix G with
 * half = diag(G)/2: B_ij = G_ij - half_i - half_j, Eq. (8). An offset of the data that G
 * comes from cancels in every value. */
kg_pairs kg_dense(const double *values, const double *half, size_t n);

/* Another store with gaps; both are kept by who keeps the result. */
typedef struct {
  kg_pairs base;
  kg_gaps gaps;
} kg_with_gaps;
kg_pairs kg_connect(const kg_with_gaps *both);

/* T[b + l m], l < k: what the sums R of branch b in cluster l have of the gaps: -1/2
 * sum_a H[b, a] M[a, l], M the weights of branch a in cluster l of `many` observations,
 * rows[a] or all. T: 2 m k values. */
void kg_gaps_table(const kg_gaps *gaps, const double *w, const int *rows,
                   const int *label, size_t many, size_t k, double *T);
/* R[i + l n] += T[branch of i, l] for i in [from, to). */
void kg_gaps_add(const kg_gaps *gaps, const double *T, size_t k, size_t n, size_t from,
                 size_t to, double *R);
/* Observation i changes its cluster: from the columns `leave` to `enter`, both at the
 * observation `from`. */
void kg_gaps_transfer(const kg_gaps *gaps, size_t i, double w, size_t from, size_t width,
                      double *leave, double *enter);

/* Distances as they came, whatever the semimetric? */
int kg_is_packed(const kg_pairs *pairs);

static inline int kg_reads_rows(const kg_pairs *pairs) {
  return pairs->store->whole_rows;
}

static inline const double *kg_row_held(const kg_pairs *pairs, size_t i) {
  return pairs->store->row ? pairs->store->row(pairs, i) : NULL;
}

static inline const kg_gaps *kg_gaps_of(const kg_pairs *pairs) {
  return pairs->store->gaps ? pairs->store->gaps(pairs) : NULL;
}

/* Coordinates of the base store, without gaps; NULL if the store has none. */
static inline const kg_coordinates *kg_base_coordinates_of(const kg_pairs *pairs) {
  return pairs->store->coordinates ? pairs->store->coordinates(pairs) : NULL;
}

/* Coordinates that determine B; NULL if there are gaps or none. */
static inline const kg_coordinates *kg_coordinates_of(const kg_pairs *pairs) {
  return kg_gaps_of(pairs) ? NULL : kg_base_coordinates_of(pairs);
}

static inline void kg_block(const kg_pairs *pairs, const size_t *rows, size_t n_rows,
                            size_t from, size_t to, double *out) {
  pairs->store->block(pairs, rows, n_rows, from, to, out);
}

/* out[j] = B(i, columns[j]) */
void kg_among(const kg_pairs *pairs, size_t i, const size_t *columns, size_t many,
              double *out);

/* Some of the observations as pairwise dissimilarities of their own: m rows of `of`,
 * which stay the caller's, as `of` does. Stores that can be copied are faster so. */
typedef struct {
  const kg_pairs *of;
  const size_t *rows;
} kg_some;

kg_pairs kg_pairs_some(const kg_some *some, size_t m);
/* m rows of the n x d values x, in the room; NULL if it counts. */
double *kg_copy_rows(const double *x, size_t n, size_t d, const size_t *rows, size_t m,
                     kg_room *room);

/* Row i of B: in place if the store holds it, else written to buffer (n values). */
const double *kg_row(const kg_pairs *pairs, size_t i, double *buffer);

#endif
