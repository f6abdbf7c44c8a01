/* kg_features.h - the engines of explicit features: k-means in R^m, of spectral
 * embeddings in double precision and of landmarks in 16 bits a value. */
#ifndef KG_FEATURES_H
#define KG_FEATURES_H

#include <stdint.h>

#include "kg_engine.h"

/* Points are columns, so each is contiguous; z or q is NULL. */
typedef struct {
  const double *z; /* width x n */
  /* or whole numbers in units of the point's own, z_i = unit_i q_i, width a multiple of
   * 16: whatever the size of a point, its values are within 2^-16 of its largest.
   * Integers, so that they are the same on every processor. */
  const int16_t *q;
  const float *unit; /* n */
  size_t width, n;
} kg_features;

typedef struct {
  kg_engine e;
  const kg_features *from;
  double *mean; /* width x k */
} kg_means;

extern const kg_kind kg_double_features, kg_short_features;

/* ---- what both share: kg_features.c ---- */

void kg_means_lay(kg_means *f, const kg_input *input, size_t k, int *label,
                  kg_room *room);
/* Some points in double precision (kg_engine.h: some). */
kg_input *kg_means_some(const kg_input *whole, const size_t *rows, size_t m,
                        kg_room *room);
double kg_means_row_work(const kg_input *input);
const double *kg_means_of(const kg_engine *e, size_t *width);

double kg_means_d2(const kg_means *f, size_t i, size_t l);
double kg_means_norm2(const kg_features *from, size_t i); /* |z_i|^2 */
/* mean += w z_i */
void kg_means_add(const kg_features *from, size_t i, double w, double *mean);
void kg_means_coordinates(const kg_features *from, size_t i, double *z);
/* The exact candidate: O(k m); 1 if the move is to be made, which then is O(m). path: how
 * far (squared) the two means go. */
int kg_means_best(const kg_means *f, size_t i, kg_choice *choice);
void kg_means_move(kg_means *f, size_t i, const kg_choice *choice, double path[2]);
void kg_means_rho(const kg_input *input, size_t x, size_t from, size_t to, double *out);
size_t kg_means_begin(kg_engine *e, size_t from, double work);
size_t kg_means_totals(kg_engine *e, size_t from, double work);
size_t kg_means_relabel(kg_engine *e, const int *target, size_t from, double work);
double kg_means_own(const kg_engine *e, size_t i, size_t l);
void kg_means_nearest(kg_engine *e, size_t skip, size_t from, size_t to, double *least,
                      double *best);
size_t kg_means_report(kg_engine *e, long double *sums, size_t from, double work);

/* ---- 16 bits: kg_short.c. Bounds on distances let most points pass unseen
 * once the means have settled. ---- */

/* Of the block being evaluated: the largest drift, path and norm2, the least s. */
typedef struct {
  double drift, path, norm2, s;
} kg_short_bounds;

typedef struct {
  kg_means m;
  float *mean_float;             /* width x k: the means */
  float *dots;                   /* k: workspace */
  float *square, *upper, *lower; /* n each */
  double *norm2, *drift, *path;  /* k each */
  size_t block;                  /* points a block */
  double *kept;                  /* width x k for each block: means at its last pass */
  kg_short_bounds block_bounds;
  int known; /* do the bounds hold? */
  int squared; /* is `square` set? */
} kg_short;

size_t kg_short_block(size_t k);
void kg_short_lay(kg_short *f, const kg_input *input, size_t k, int *label,
                  kg_room *room);

/* Squared distance of two points of d coordinates: four sums, none of which waits for
 * another one. */
static inline double kg_squared(const double *a, const double *b, size_t d) {
#define SQUARE(at) ((a[at] - b[at]) * (a[at] - b[at]))
  double one = 0, two = 0, three = 0, four = 0;
  size_t c = 0;
  for (; c + 4 <= d; c += 4) {
    one += SQUARE(c);
    two += SQUARE(c + 1);
    three += SQUARE(c + 2);
    four += SQUARE(c + 3);
  }
  if (c + 2 <= d) {
    one += SQUARE(c);
    two += SQUARE(c + 1);
    c += 2;
  }
  if (c < d)
    three += SQUARE(c);
#undef SQUARE
  return (one + three) + (two + four);
}

/* Their inner product, in the same way. */
static inline double kg_inner(const double *a, const double *b, size_t d) {
  double one = 0, two = 0, three = 0, four = 0;
  size_t c = 0;
  for (; c + 4 <= d; c += 4) {
    one += a[c] * b[c];
    two += a[c + 1] * b[c + 1];
    three += a[c + 2] * b[c + 2];
    four += a[c + 3] * b[c + 3];
  }
  for (; c < d; c++)
    one += a[c] * b[c];
  return (one + two) + (three + four);
}

#endif
