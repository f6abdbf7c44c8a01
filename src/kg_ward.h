/* kg_ward.h - Ward's tree from the rises of W that merging two leaves costs. */
#ifndef KG_WARD_H
#define KG_WARD_H

#include "kg_room.h"

typedef struct {
  size_t m;     /* leaves, at least 2 */
  double *rise; /* of pairs a > b, place kg_ward_place(m, b, a): set by the caller */
  double *s;    /* weights, above 0: set by the caller */
  size_t alive; /* clusters left, by the least of their leaves in `cluster` */
  size_t *cluster, *chain, length;
  /* m - 1 merges, each after those below it: the least leaves, a < b, and the rise */
  size_t *a, *b, merged;
  double *height, *top; /* top: the rise that made a cluster */
} kg_ward;

size_t kg_ward_place(size_t m, size_t b, size_t a);
void kg_ward_lay(kg_ward *t, size_t m, kg_room *room);
void kg_ward_begin(kg_ward *t);
/* Merges until so many rises have been read; 1 once all leaves are one cluster. */
int kg_ward_go(kg_ward *t, double work);

#endif
