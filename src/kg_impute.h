/* kg_impute.h - missing coordinates by their conditional means under one normal model. */
#ifndef KG_IMPUTE_H
#define KG_IMPUTE_H

#include "kg_room.h"

/* Mean and K, the inverse of the covariance plus ridge times the identity (d x d). */
typedef struct {
  size_t d;
  const double *mean, *precision;
  double ridge;
} kg_normal;

/* Values that are kept between rows: the last pattern of missing cells and its factor. */
typedef struct {
  size_t m;         /* how many are missing in that pattern, d + 1 before the first row */
  size_t *missing;  /* d: which */
  double *factor;   /* d * d: the lower Cholesky factor of K_mm, m x m */
  double *centred;  /* d */
  double *solution; /* d */
  double weight;    /* of the rows of that pattern that `extra` still lacks */
} kg_impute_work;

void kg_impute_lay(kg_impute_work *work, size_t d, kg_room *room);

/* Fills the missing (NaN) coordinates of rows[from, to) of x (n x d, by columns). With
 * weights w, adds w times the conditional covariance to extra (d x d); the last pattern
 * is added by kg_impute_flush(). Returns 0 where K is not positive definite. */
int kg_impute(const kg_normal *normal, double *x, size_t n, const int *rows, size_t from,
              size_t to, const double *w, double *extra, kg_impute_work *work);
void kg_impute_flush(const kg_normal *normal, double *extra, kg_impute_work *work);

#endif
