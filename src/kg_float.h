/* kg_float.h - partitions by centroids of coordinates, with sweeps in single precision. A
 * move costs O(d), a sweep O(n k d). */
#ifndef KG_FLOAT_H
#define KG_FLOAT_H

#include "kg_room.h"
#include <stddef.h>

/* A partition. */
typedef struct {
  int *label;     /* n */
  int *second;    /* n: the nearest cluster but the own at the last sweep */
  double *mean;   /* d x k */
  double *s;      /* k: weights */
  double *spread; /* k: within-cluster sums of squares */
  size_t *count;  /* k */
  double W;       /* the sum of these */
} kg_centroids;

/* The points: z is d x n with |z| <= 1, weights are positive. */
typedef struct {
  size_t n, d;
  const double *z, *w;
  float *norm2; /* |z|^2 of each point */
  double total; /* the sum of w */
} kg_cloud;

/* The points and clusters that sweeps process. */
typedef struct {
  size_t n, k, stride;
  float *x; /* coordinates and |z|^2 as columns of `stride` values; 0: not yet gathered */
  float *table;    /* for two_nearest (kg_loops.h): a row a cluster */
  size_t *point;   /* n: their numbers */
  size_t *cluster; /* k: the clusters of the rows */
  size_t *row;     /* the row of each cluster; their number if it has none */
} kg_view;

typedef struct {
  kg_cloud of;
  size_t k;
  kg_centroids now;
  kg_view all, near, *view;
  float *leaving; /* 2 x k: more and base of kg_leaving (kg_loops.h) */
  size_t *member; /* n: points by cluster, at the last list */
  size_t *first;  /* k + 1: the first member of each cluster */
  double work;    /* products so far */
} kg_float;

/* near: do sweeps go over other views than all? */
void kg_float_lay(kg_float *f, size_t n, size_t d, size_t k, int near, kg_room *room);
void kg_centroids_lay(kg_centroids *c, size_t n, size_t d, size_t k, kg_room *room);
/* Reads the points; the caller has written now.label, with a point in every cluster. */
void kg_float_begin(kg_float *f, const double *z, const double *w);
void kg_centroids_copy(kg_centroids *into, const kg_centroids *from, const kg_float *f);

/* Members, centroids and W of the labels, from scratch. */
void kg_float_list(kg_float *f);
void kg_float_list_members(kg_float *f);
/* Returns to a partition that was listed; the members are not. */
void kg_float_restore(kg_float *f, const kg_centroids *from);
/* Sweeps go over the view `near`, to which the caller has written, or over all. */
void kg_float_see(kg_float *f, int all);
/* One Hartigan pass over the view; returns the number of moves. */
size_t kg_float_sweep(kg_float *f);
/* Moves point i to cluster l, whatever that costs; kg_float_add_up() then computes W. */
void kg_float_send(kg_float *f, size_t i, size_t l);
void kg_float_add_up(kg_float *f);

/* The rise of the sum of squares of l with point i. */
double kg_float_comes(const kg_float *f, size_t i, size_t l);

#endif
