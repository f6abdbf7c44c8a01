/* kg_mixture.h - mixtures of multivariate t distributions with one number of degrees of
 * freedom, by the EM algorithm (Peel and McLachlan 2000). */
#ifndef KG_MIXTURE_H
#define KG_MIXTURE_H

#include "kg_room.h"

/* One scatter for all components; one shape with a volume each; a scatter each. */
enum kg_mixture_form { KG_MIXTURE_COMMON, KG_MIXTURE_VOLUMES, KG_MIXTURE_OWN };

enum { KG_MIXTURE_ROWS = 256 }; /* rows that stay in the nearest cache */

typedef struct {
  const double *y, *w; /* n x d, n */
  size_t n, d, k;
  enum kg_mixture_form form;
  double shrink; /* rows, per column, of the common shape in a scatter and a volume */
  double lambda; /* share of the identity in the common scatter */
  double nu, weight;
  int equal;          /* do all components have the same size? */
  double *P;          /* n x k: probabilities */
  double *q;          /* n x k: squared Mahalanobis distances */
  double *size;       /* k: weights of the components */
  double *volume;     /* k: relative to the common scatter */
  double *mean;       /* d x k */
  double *scatter;    /* d x d x k */
  double *own;        /* d x d x k: weighted scatters, before shrinkage */
  double *common;     /* d x d */
  double *root;       /* d x d: inverse of a Cholesky factor */
  double *z;          /* n x d: rows about a mean, or in the metric of a component */
  const double *from; /* y, or z with the rows that count in a component */
  double *g, *one;    /* n */
  size_t *row;        /* n: those that count in a component */
  double *sum;        /* d */
} kg_mixture;

/* Counts and then slices the workspace; y, w, weight and the settings are the caller's.
 */
void kg_mixture_lay(kg_mixture *m, size_t n, size_t d, size_t k, kg_room *room);
/* An M step: the sizes from P; of each component the mean, from P and q (q = d at the
 * start: all rows have weight 1), and the scatter about it; all scatters in the form of
 * the mixture. Pieces of rows start at multiples of KG_MIXTURE_ROWS. */
int kg_mixture_sizes(kg_mixture *m, double least); /* 0 if one is below `least` */
size_t kg_mixture_mean(kg_mixture *m, size_t l);   /* the rows that its scatter reads */
void kg_mixture_scatter(kg_mixture *m, size_t l, size_t from, size_t to);
/* 0 if there is no positive definite scatter; `first`: at the first step. */
int kg_mixture_shape(kg_mixture *m, int first);

/* An E step: of each component the logarithm of the determinant of its scatter (NAN or
 * infinite if that is not positive definite), q, and the logarithms of its densities;
 * then P of some rows, whose log likelihood is added to *value. */
double kg_mixture_root(kg_mixture *m, size_t l);
void kg_mixture_distances(kg_mixture *m, size_t l, size_t from, size_t to);
void kg_mixture_density(kg_mixture *m, size_t l, double log_det);
void kg_mixture_probabilities(kg_mixture *m, size_t from, size_t to, double *value);
/* nu in [1, most] of the score equation, from P and q. */
double kg_mixture_freedom(const kg_mixture *m, double most);
#endif
