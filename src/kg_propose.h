/* kg_propose.h - centroid swaps of a partition, each tried by sweeps. One that has not
 * lowered W is undone.
 *
 *     if (kg_propose_swap(p, 0)) {
 *       while (kg_propose_sweep(p)) (poll for an interrupt);
 *       kept = kg_propose_end(p);
 *     } */
#ifndef KG_PROPOSE_H
#define KG_PROPOSE_H

#include "kg_float.h"
#include "kg_start.h"

typedef struct {
  double raised; /* W when the proposal was made */
  double before; /* W before the last sweep */
  size_t moves;  /* of the last sweep */
  int sweeps;
} kg_progress;

typedef struct {
  kg_float f;        /* the partition */
  kg_centroids kept; /* and that before the proposal */
  kg_progress progress;
  kg_uniforms draws; /* set by the caller */
  double *gain;      /* k: fall of W if a cluster becomes two; below 0: it cannot */
  double *removal;   /* k: rise of W if all points go to their second centroids */
  int *was;          /* n: labels when the gains were computed, -1 before */
  int *half;         /* n: halves of the cluster that was halved last */
  double *room;      /* n + 2 k + 5 d */
} kg_proposals;

void kg_proposals_lay(kg_proposals *p, size_t n, size_t d, size_t k, kg_room *room);

/* After kg_float_list(): the values that swaps need. */
void kg_propose_gains(kg_proposals *p);
/* Swaps the best of some random pairs of clusters, or the best of all; 0 if no gain is
 * estimated. */
int kg_propose_swap(kg_proposals *p, int improving);
/* One sweep; 0 at the end, which comes early if the last sweep lowered W by too little.
 */
int kg_propose_sweep(kg_proposals *p);
/* 1 if W is lower: the partition is listed. Else it is undone. */
int kg_propose_end(kg_proposals *p);

#endif
