/* kg_kmeans.h - partitions by means of coordinates, where a move costs O(d) and a pass over
 * points single precision; swaps and crossovers. */
#ifndef KG_KMEANS_H
#define KG_KMEANS_H

#include "kg_features.h"
#include "kg_start.h"

/* Up to so many clusters sweeps always go over all. */
enum { KG_FEW_MEANS = 10 };

/* A partition, and what sweeps know of it. Point i stays where it is as long as
 * own + drift of its cluster + farthest < other: own is the root of what leaving would
 * save, other that of what coming elsewhere would cost, when it was evaluated last; drift
 * and farthest are how far the own and the other means have gone, in total. */
typedef struct {
  int *label;     /* n */
  int *second;    /* n: the nearest cluster but the own, when last evaluated */
  float *own;     /* n */
  float *other;   /* n */
  double *mean;   /* d x k */
  double *s;      /* k */
  double *spread; /* k: squared distances from the mean, with their weights */
  double *drift;  /* k */
  double *within; /* k: W of each by its pairs, where these are requested */
  size_t *count;  /* k */
  double farthest;
  double W;          /* sum of s (squares/s)^power */
  double dispersion; /* W by pairs where these are requested, else the same */
} kg_clusters;

/* The points and clusters that sweeps go over. */
typedef struct {
  size_t n, k, stride;
  float *x;        /* coordinates and |z|^2, a row each, stride a row; 0: to be gathered */
  float *table;    /* for two_nearest: a row a cluster */
  size_t *point;   /* n: which */
  size_t *cluster; /* k: which */
  size_t *row;     /* the row of each cluster there is, their number if it has none */
} kg_view;

/* All arrays are the caller's (kg_kmeans_init lays them out). Weights are above 0. */
typedef struct {
  size_t n, d, k;
  const double *z, *w; /* z: d x n */
  float *single;       /* a row a point: d coordinates, |z|^2, zeros up to a multiple of four */
  double power;        /* above 0, 1 at most */
  double total, weight; /* the sum of w, and its mean */
  double typical;      /* squared distance from the mean */
  kg_clusters now, kept;
  kg_view all, near, open, *view; /* open: the points of a view that are evaluated */
  double *anchor;                 /* d x k: where the ways of means were measured last */
  float *level;       /* k: root of what coming from a typical distance costs, */
  float *was_level;   /* k: and what it was then */
  float *more, *base; /* k: leaving saves that many times what coming costs, and base */
  float *usual;       /* k: that at the typical distance of the cluster, */
  float *bend; /* k: and what it may be more elsewhere, of it and of the difference */
  float *reach;       /* k: drift and farthest; in a sweep drift; or what is added when they search */
  int *was;           /* n: labels when the gains were found */
  size_t *member, *first; /* n; k + 1: where those of a cluster begin */
  double *gain;    /* k: how much W falls if a cluster becomes two; below 0: never */
  double *estimate; /* k: the same, 0 once a swap was made of it */
  double *removal; /* k: how much it rises if all points leave for the second */
  size_t *mine, *theirs; /* k: partners of another partition's clusters, and of its own */
  size_t *some, *differ; /* k: flags and numbers of clusters */
  double give_up; /* last falls, times the sweeps so far, that may be left to regain */
  double raised;  /* W when a swap was made */
  double *pairs;  /* kg_kmeans_pairs_doubles(n, d), NULL: sums of squares determine all of W */
  double *room;   /* n + 2 k + 5 d */
  int *half;      /* n: of the cluster that was halved last */
  kg_uniforms draws;
  int uneven;  /* some weights are so large that single precision does not determine it */
  int bounds;  /* own and other are kept up to date */
  int sure;    /* the last sweep saw all points and moved none */
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

/* Room for a partition, of which label is the caller's, and a copy of one. */
size_t kg_clusters_doubles(size_t d, size_t k);
void kg_clusters_init(kg_clusters *c, size_t n, size_t d, size_t k, int *label,
                      double *doubles, float *floats, size_t *sizes, int *ints);
void kg_clusters_copy(kg_clusters *into, const kg_clusters *from, const kg_kmeans *q);

/* Means and W from scratch, for the labels at now.label, of which nothing else is known;
 * W from sums of squares; another partition, or what there was. */
void kg_kmeans_set(kg_kmeans *q);
void kg_kmeans_add_up(kg_kmeans *q);
void kg_kmeans_restore(kg_kmeans *q, const kg_clusters *from);
/* One pass to every point in view that may move, Hartigan's moves: how many were made.
 */
size_t kg_kmeans_sweep(kg_kmeans *q);
/* Has the last sweep evaluated all points, and moved none? If not, the next one does: in
 * the end, as sweeps on the way may pass over one that would move. */
int kg_kmeans_sure(kg_kmeans *q);
/* Of a partition at a local optimum: means from scratch, members; the same where all but the clusters
 * that changed are as they were kept; and another one, that was at a local optimum. */
void kg_kmeans_list(kg_kmeans *q);
void kg_kmeans_list_changed(kg_kmeans *q);
void kg_kmeans_take(kg_kmeans *q, const kg_clusters *from);

/* dispersion by pairs of a partition that was listed, if they are requested: again, or from what
 * was kept of one that has changed since. */
size_t kg_kmeans_pairs_doubles(size_t n, size_t d);
double kg_kmeans_pairs_work(const kg_kmeans *q); /* of all of them, in products */
void kg_kmeans_disperse(kg_kmeans *q);
void kg_kmeans_disperse_changed(kg_kmeans *q);

/* Values that swaps need of a partition that was listed. A swap, of a pair of clusters
 * at random or of the one that estimates most; 0 if there was none to try. Sweeps follow,
 * as long as kg_kmeans_hopes of the number of moves of the last; of many clusters over
 * those around the two; and, if kg_kmeans_widen reports so, over all. Then the dispersion
 * decides: 1 if it is lower, and listed, 0 if all is as before. */
void kg_kmeans_gains(kg_kmeans *q);
int kg_kmeans_swap(kg_kmeans *q, int improving);
int kg_kmeans_hopes(const kg_kmeans *q, size_t moves, double before, int sweeps);
int kg_kmeans_widen(kg_kmeans *q);
int kg_kmeans_settle(kg_kmeans *q, int at_rest);

/* Which clusters of another partition are the same but for a few points: means by who is
 * nearest to whom. Rounds 0, 1, .. are called for until it returns 0: how many have no
 * partner yet. */
size_t kg_kmeans_meet(kg_kmeans *q, const kg_clusters *other, int round);
/* A crossover with the partition met last: in some region, clusters that differ become
 * what they are there. 0 if there are fewer than two. The rest is as for a swap. */
int kg_kmeans_cross(kg_kmeans *q, const kg_clusters *other);

/* For both: keeps what there is; sends a point to a cluster, whatever it costs; shows
 * none, cluster l and those that are the second choice of most of its points, the points
 * of those shown; and, when all are sent, W is found and sweeps go over these or all. */
void kg_kmeans_keep(kg_kmeans *q);
void kg_kmeans_send(kg_kmeans *q, size_t i, size_t l);
void kg_kmeans_show_none(kg_kmeans *q);
void kg_kmeans_show_around(kg_kmeans *q, size_t l);
void kg_kmeans_show_points(kg_kmeans *q);
void kg_kmeans_raised(kg_kmeans *q, double give_up, int all);

/* The cost that a cluster of weight s and sum of squares v costs; what l loses with point i. Sweeps go
 * over those shown or all. The points of a view check k clusters in a table that may
 * have come near: all of them, or, if row is given, those in clusters without one. */
double kg_kmeans_cost(const kg_kmeans *q, double s, double v);
double kg_kmeans_comes(const kg_kmeans *q, size_t i, size_t l);
void kg_kmeans_see(kg_kmeans *q, int all);
void kg_kmeans_scan_means(kg_kmeans *q, kg_view *points, const float *table, size_t k,
                        const size_t *row);

#endif
