/* kg_mixture.h - mixtures of multivariate t distributions with one number of degrees of
 * freedom, by the EM algorithm (Peel and McLachlan 2000). */
#ifndef KG_MIXTURE_H
#define KG_MIXTURE_H

#include "kg_room.h"

/* One scatter for all components; one shape with a volume each; a scatter each. */
enum kg_mixture_form { KG_MIXTURE_COMMON, KG_MIXTURE_VOLUMES, KG_MIXTURE_OWN };

typedef struct {
  const double *y, *w; /* n x d, n */
  size_t n, d, k;
  enum kg_mixture_form form;
  double shrink; /* rows, per column, of the common shape in a scatter and a volume */
  double lambda; /* share of the identity in the common scatter */
  double nu, weight;
  int equal;       /* do all components have the same size? */
  double *P;       /* n x k: probabilities */
  double *q;       /* n x k: squared Mahalanobis distances */
  double *size;    /* k: weights of the components */
  double *volume;  /* k: relative to the common scatter */
  double *mean;    /* d x k */
  double *scatter; /* d x d x k */
  double *own;     /* d x d x k: weighted scatters, before shrinkage */
  double *common;  /* d x d */
  double *root;    /* d x d: inverse of a Cholesky factor */
  double *z;       /* n x d: rows about a mean, or in the metric of a component */
  double *g, *one; /* n */
  size_t *row;     /* n: those that count in a component */
  double *sum;     /* d */
} kg_mixture;

/* Counts and then slices the workspace; y, w, weight and the settings are the caller's.
 */
void kg_mixture_lay(kg_mixture *m, size_t n, size_t d, size_t k, kg_room *room);
/* Sizes, means and scatters from P and q (q = d at the start: all rows have weight 1);
 * `first`: at the first step. Returns 0 if a component has less than `least` or no
 * positive definite scatter. O(n k d^2) */
int kg_mixture_learn(kg_mixture *m, double least, int first);
/* P and q from sizes, means, scatters and nu. Returns the log likelihood, or -HUGE_VAL if
 * a scatter is not positive definite. O(n k d^2) */
double kg_mixture_assign(kg_mixture *m);
/* nu in [1, most] of the score equation, from P and q. */
double kg_mixture_freedom(const kg_mixture *m, double most);
#endif
