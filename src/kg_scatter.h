/* kg_scatter.h - scatters for a metric that is learned with the partition: of the pairs
 * within clusters, and of rows about means, for short runs that start the search. */
#ifndef KG_SCATTER_H
#define KG_SCATTER_H

#include "kg_room.h"
#include "kg_semimetric.h"

/* The rows of one cluster: m of at most `stride`, coordinate c of row i at x[i + c *
 * stride]. */
typedef struct {
  size_t m, stride, d;
  kg_semimetric rho;
  double least;            /* squared distances below are set to it, above 0 */
  double most;             /* above 0: u is 1 up to here, 0 beyond and up to `least` */
  double *x, *w;           /* stride x d, stride: set by the caller */
  double *wx;              /* stride x (d + 1): w_x x, and w_x */
  double *pull;            /* (d + 1) x stride: sums over pairs, u w_y y and u w_y */
  double *degree;          /* stride: of u w_y */
  double *squares, *slope; /* stride, max(stride, d): of a row to those before it */
} kg_cluster_rows;

/* The derivative of rho with respect to the squared distance q > 0, up to a factor. */
double kg_slope(kg_semimetric rho, double q);

/* Counts and then slices the arrays of at most `stride` rows. */
void kg_cluster_rows_lay(kg_cluster_rows *rows, size_t stride, size_t d, kg_room *room);
/* Once m, rho, least, x and w are set. */
void kg_pair_scatter_begin(kg_cluster_rows *rows);
/* The squared distances of row i to those before it. */
void kg_row_squares(const kg_cluster_rows *rows, size_t i, double *q);
/* The pairs of rows [from, to) with the rows before them, all rows in turn. O(i d) for
 * row i. */
void kg_pair_scatter(kg_cluster_rows *rows, size_t from, size_t to);
/* S (d x d) += the sum over rows x and y of w_x w_y u (x - y)(x - y)' / 2, u =
 * kg_slope(), up to its skew part: S + S' is the scatter. O(m d^2) */
void kg_pair_scatter_end(kg_cluster_rows *rows, double *S);

/* Means in a metric of determinant 1 that is learned with them: sum_x w_x |x -
 * mean|_M^power is lowered by turns over labels, means and M. */
typedef struct {
  const double *x, *w; /* n x d */
  size_t n, d, k;
  double power, lambda; /* lambda: the share of the identity in M */
  double *M, *root;     /* d x d: the scatter, its Cholesky factor at determinant 1 */
  double *y, *q,
      *u; /* coordinates in the metric; squared distances to k means; weights of rows */
  double *mean, *s, *sum; /* sum: d */
  int *label;
} kg_learner;

/* Counts and then slices the workspace; x, w, power, lambda are the caller's. */
void kg_learner_lay(kg_learner *l, size_t n, size_t d, size_t k, kg_room *room);
/* k-means++ in the metric M, which is set by the caller, from k uniforms. Returns 0 if M
 * is singular. */
int kg_learner_start(kg_learner *l, const double *uniform);
/* One pass; learn: with a new M. Returns the objective before it; HUGE_VAL if a cluster
 * is empty or M is singular. */
double kg_learner_pass(kg_learner *l, int learn);

#endif
