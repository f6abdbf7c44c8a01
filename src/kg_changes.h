/* kg_changes.h - the best division of a sequence into runs, for 1 to k of them at once. */
#ifndef KG_CHANGES_H
#define KG_CHANGES_H

#include "kg_room.h"

typedef struct {
  size_t n, k, least; /* observations, runs, observations of a run at least */
  double *sums;       /* n: the sum of rho over the pairs of the run from i so far */
  double *W;          /* n: W of the run from i */
  double *best;       /* (n + 1) x (k + 1): least W of the first j in l runs */
  int *start;         /* n x k, the caller's: first of the last of l + 1 runs of 0..j, from 1 */
} kg_changes;

/* Arrays, once n, k, least and start are set. */
void kg_changes_lay(kg_changes *c, kg_room *room);
void kg_changes_begin(kg_changes *c);
/* Appends observation j; B: its values B(j, i) for i < j. */
void kg_changes_append(kg_changes *c, size_t j, const double *B);

#endif
