/* kg_balance.h - partitions whose clusters have from `least` to `most` observations.
 *
 * Observations have one weight w; n_a is the number in cluster a. Moving i from a to b
 * changes W by w n_b/(n_b + 1) d2_ib - w n_a/(n_a - 1) d2_ia, Eq. (50). Exchanging i of a
 * and j of b changes it by
 *     w (d2_ib - d2_ia + d2_ja - d2_jb - (1/n_a + 1/n_b) rho_ij).
 * Changes of disjoint pairs of clusters add up. So a round finds the best move or
 * exchange of every pair of clusters and applies those of disjoint pairs, best first. */
#ifndef KG_BALANCE_H
#define KG_BALANCE_H

#include "kg_engine.h"

/* A value and two numbers: what a pair of clusters changes by exchanging two points (or
 * moving one: the other is KG_NONE), or two clusters, or a point. */
typedef struct {
  double value;
  int one, other;
} kg_ranked;

enum { KG_NONE = -1 };

/* A point of a pair of clusters, its bound and its distance to the mean of the first. */
typedef struct {
  size_t at;
  double bound, distance;
} kg_candidate;

typedef struct {
  const kg_engine *e;
  size_t least, most;
  size_t *begin, *member;  /* k + 1, n: the members of every cluster */
  double *own;             /* n: d2 to the mean of the own cluster */
  kg_ranked *best;         /* k (k - 1)/2: of every pair of clusters */
  kg_ranked *sorted;       /* the larger of n and k (k - 1)/2 */
  kg_candidate *candidate; /* n */
  unsigned char *changed;  /* k: have the members changed since the last round? */
} kg_balance;

void kg_balance_lay(kg_balance *b, const kg_engine *e, kg_room *room);
/* 1 if every cluster has from `least` to `most` members. */
int kg_balance_holds(const kg_balance *b);
/* target: labels within the limits, near to the means of the engine. Points of the
 * largest regret (the distance to the second mean less that to the first) go first. The
 * limits must be feasible. Two calls: kg_balance_regrets in pieces, then this. */
size_t kg_balance_regrets(kg_balance *b, size_t from, double work);
void kg_balance_assign(kg_balance *b, int *target);
/* All clusters have changed. */
void kg_balance_begin(kg_balance *b);
/* The best change of all pairs of clusters, in pieces: from cluster a on; returns where
 * to go on, k when done. */
size_t kg_balance_scan(kg_balance *b, size_t a, double work);
/* target: the labels after the best changes of disjoint pairs; returns the number of
 * points that move. */
size_t kg_balance_choose(kg_balance *b, int *target);

#endif
