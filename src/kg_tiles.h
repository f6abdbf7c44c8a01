/* kg_tiles.h - the first pass over points and over what is copied as they are, in tiles.
 */
#ifndef KG_TILES_H
#define KG_TILES_H

#include <stddef.h>

#include "kg_room.h"
#include "kg_state.h"

/* For vector code alone. A share is a cluster and a group of KG_GROUP points with their
 * weights in units, 0 for the points of other clusters. Group g of a state has the shares
 * from from[g] on. Tile b numbers the clusters that it meets: tile_label from
 * tile_from[b] on; slot is such a number. */
typedef struct {
  size_t n;
  size_t n_slots;    /* the most that a tile numbers */
  size_t *from;      /* of every state: a group each, and the end */
  size_t *tile_from; /* of every state: a tile each, and the end */
  int *slot, *whole; /* whole: weights are all 1 */
  int *tile_label;
  double *w; /* KG_GROUP a share */
} kg_shares;

typedef struct kg_tiles {
  const kg_pairs *pairs;
  const kg_coordinates *points; /* NULL: the pairs are copied as sorted */
  kg_pairs sorted;
  char *copy;
  size_t n, d;
  size_t k, n_states, n_tiles,
      padded;        /* padded: so many points, with those of no weight */
  double *x, *w, *R; /* R: of one state after the other */
  size_t *order;     /* 2 n: the points as sorted, and space to sort */
  int *label;        /* labels of one state after the other, as sorted */
  int registers;     /* is there vector code? */
  double factor;     /* from the function of kg_shape to -rho/2 */
  double unit;       /* the weight of all points if it is one, else 1 */
  kg_shares shares;
} kg_tiles;

/* Points, or pairs of which a store copies some. */
int kg_tiles_take(const kg_pairs *pairs);
void kg_tiles_lay(kg_tiles *t, const kg_pairs *pairs, size_t k, size_t n_states,
                  kg_room *room);
void kg_tiles_fill(kg_tiles *t, const double *w, const int *const *labels);
/* Once they are filled: 0 if separate passes take less time, as the clusters of the
 * partitions cut across each other and pairwise dissimilarities are cheap. */
int kg_tiles_together(const kg_tiles *t);
size_t kg_tiles_workspace(const kg_tiles *t); /* doubles a thread, once they are filled */
/* Rounds, of which each has so many tasks; tasks [from, to) may run at the same time. */
size_t kg_tiles_rounds(const kg_tiles *t);
size_t kg_tiles_tasks(const kg_tiles *t, size_t round);
double kg_tiles_task_work(const kg_tiles *t);
void kg_tiles_part(const kg_tiles *t, size_t round, size_t from, size_t to, int threads,
                   double *workspace);
/* columns [from, to) of R, n x k, points in order */
void kg_tiles_read(const kg_tiles *t, size_t state, size_t from, size_t to, double *R);

#endif
