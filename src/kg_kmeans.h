/* kg_kmeans.h - swaps of means of coordinates, where a move costs O(d) and a look at
 * points single precision. Part of kg.h, whose conventions hold here. */
#ifndef KG_KMEANS_H
#define KG_KMEANS_H

#include "kg_features.h"
#include "kg_start.h"

/* Up to so many clusters sweeps always go over all. */
enum { KG_FEW_MEANS = 15 };

/* A partition, with what a round may have to bring back. */
typedef struct {
  int *label;     /* n */
  double *mean;   /* d x k */
  double *s;      /* k */
  double *spread; /* k: squared distances from the mean, with their weights */
  size_t *count;  /* k */
  double W;       /* sum of s (spread/s)^power */
} kg_clusters;

/* The points and clusters that sweeps go over. */
typedef struct {
  size_t n, k, stride;
  float *x;        /* coordinates and |z|^2, a row each, stride a row */
  float *table;    /* for two_nearest: a row a cluster */
  size_t *point;   /* n: which */
  size_t *cluster; /* k: which */
  size_t *row;     /* the row of each cluster there is, their number if it has none */
} kg_view;

/* All arrays are the caller's (kg_kmeans_init lays them out). Weights are above 0. */
typedef struct {
  size_t n, d, k;
  const double *z, *w; /* z: d x n */
  double power;        /* above 0, 1 at most */
  double weight;       /* the mean of w */
  double typical;      /* squared distance from the mean */
  kg_clusters now, kept;
  kg_view all, near, *view;
  int *second;            /* n: the nearest cluster but the own, at rest */
  int *seen;              /* n: the same during a descent */
  int *was;               /* n: labels when the gains were found */
  size_t *member, *first; /* n; k + 1: where those of a cluster begin */
  double *gain;    /* k: how much W falls if a cluster becomes two; below 0: never */
  double *removal; /* k: how much it rises if all points leave for the second */
  size_t *mine, *theirs; /* k: partners of another partition's clusters, and of its own */
  size_t *some, *differ; /* k: flags and numbers of clusters, in a crossover */
  double give_up; /* last falls, times the sweeps so far, that may be left to regain */
  double raised;  /* W when a swap was made */
  double *room;   /* n + 2 k + 4 d */
  int *half;      /* n: of the cluster that was halved last */
  kg_uniforms draws;
  double work; /* products so far */
} kg_kmeans;

size_t kg_kmeans_doubles(size_t n, size_t d, size_t k);
size_t kg_kmeans_floats(size_t n, size_t d, size_t k);
size_t kg_kmeans_sizes(size_t n, size_t k);
size_t kg_kmeans_ints(size_t n);
/* Labels from 0 at `label`, with a point in every cluster; they are the result, too. */
void kg_kmeans_init(kg_kmeans *q, const double *z, const double *w, size_t n, size_t d,
                    size_t k, double power, int *label, double *doubles, float *floats,
                    size_t *sizes, int *ints, const double *uniforms, size_t n_uniforms);

/* Means and W from scratch, for the labels at now.label. */
void kg_kmeans_set(kg_kmeans *q);
/* One visit to every point in view, Hartigan's moves: how many were made. */
size_t kg_kmeans_sweep(kg_kmeans *q);
/* Of a partition at rest: means from scratch, members; and what swaps have to know. */
void kg_kmeans_list(kg_kmeans *q);
void kg_kmeans_look(kg_kmeans *q);

/* A swap: a cluster is dissolved, another one halved; 0 if there was none to try. Sweeps
 * follow, as long as kg_kmeans_hopes of the number of moves of the last; of many clusters
 * over those around the two, and once more over all if kg_kmeans_widen says so. Then W
 * decides: 1 if it is lower, 0 if all is as before. `gains`: swaps follow. */
int kg_kmeans_swap(kg_kmeans *q);
int kg_kmeans_hopes(const kg_kmeans *q, size_t moves, double before, int sweeps);
int kg_kmeans_widen(kg_kmeans *q);
int kg_kmeans_settle(kg_kmeans *q, int at_rest, int gains);

/* Another partition of the same points, by its labels and means. */
typedef struct {
  const int *label;
  const double *mean; /* d x k */
} kg_other;

/* Which clusters are the same but for a few points: means by who is nearest to whom.
 * Rounds 0, 1, .. are called for until it returns 0: how many have no partner yet. */
size_t kg_kmeans_meet(kg_kmeans *q, const kg_other *other, int round);
/* A crossover with the partition met last: in some region, clusters that differ become
 * what they are there. 0 if there are fewer than two. What follows is as for a swap. */
int kg_kmeans_cross(kg_kmeans *q, const kg_other *other);

/* For both: keeps what there is; sends a point to a cluster, whatever it costs; shows
 * none, cluster l and those that are the second choice of most of its points, the points
 * of those shown; sweeps go over these or all. */
void kg_kmeans_keep(kg_kmeans *q);
void kg_kmeans_send(kg_kmeans *q, size_t i, size_t l);
void kg_kmeans_show_none(kg_kmeans *q);
void kg_kmeans_show_around(kg_kmeans *q, size_t l);
void kg_kmeans_show_points(kg_kmeans *q);
void kg_kmeans_view(kg_kmeans *q, int all);

#endif
