/* kg_propose.h - proposals for a partition by centroids, each tried by sweeps: a centroid swap, or
 * a crossover with another partition. One that has not lowered W is undone.
 *
 *     if (kg_propose_swap(p, 0)) {
 *       while (kg_propose_sweep(p)) (poll for an interrupt);
 *       kept = kg_propose_end(p, NULL, 0);
 *     } */
#ifndef KG_PROPOSE_H
#define KG_PROPOSE_H

#include "kg_float.h"
#include "kg_start.h"

typedef struct {
  double give_up; /* falls of the last sweep, times the sweeps so far, that may be left to regain */
  double raised;  /* W when the proposal was made */
  double before;  /* W before the last sweep */
  size_t moves;   /* of the last sweep */
  int sweeps;
} kg_progress;

typedef struct {
  kg_float f;        /* the partition */
  kg_centroids kept; /* and that before the proposal */
  kg_progress progress;
  kg_uniforms draws; /* set by the caller */
  double *gain;      /* k: fall of W if a cluster becomes two; below 0: it cannot */
  double *estimate;  /* k: the same, 0 once a swap was made of it */
  double *removal;   /* k: rise of W if all points go to their second centroids */
  int *was;          /* n: labels when the gains were computed, -1 before */
  int *half;         /* n: halves of the cluster that was halved last */
  size_t *mine, *theirs; /* k: partners of another partition's clusters, and of its own */
  size_t *some, *differ; /* k: marks and numbers of clusters */
  double *room;      /* n + 2 k + 5 d */
} kg_proposals;

void kg_proposals_lay(kg_proposals *p, size_t n, size_t d, size_t k, kg_room *room);

/* After kg_float_list(): the values that swaps need. */
void kg_propose_gains(kg_proposals *p);
/* Swaps a random pair of clusters, or the pair of the largest estimated fall; 0 if there is none. */
int kg_propose_swap(kg_proposals *p, int improving);
/* Matches the clusters of another partition by mutual nearest centroids, one round a call: the
 * rounds are 0, 1, .. until it returns 0, the number of clusters without a partner. */
size_t kg_propose_match(kg_proposals *p, const kg_centroids *other, int round);
/* Takes a region of clusters from the partition that was matched; 0 if fewer than two differ. */
int kg_propose_cross(kg_proposals *p, const kg_centroids *other);

/* One sweep; 0 at the end, which comes early if the last sweep lowered W by too little. */
int kg_propose_sweep(kg_proposals *p);
/* 1 if W is lower, and not that of one of `many` others: the partition is listed. Else it is undone. */
int kg_propose_end(kg_proposals *p, const kg_centroids *others, size_t many);

#endif
