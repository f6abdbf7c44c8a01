/* kg_tiles.h - the first pass over points, in tiles. */
#ifndef KG_TILES_H
#define KG_TILES_H

#include <stddef.h>

#include "kg_room.h"
#include "kg_state.h"

typedef struct kg_tiles {
  const kg_coordinates *points;
  size_t k, n_states, n_tiles,
      padded;        /* padded: so many points, with those of no weight */
  double *x, *w, *R; /* R: of one state after the other */
  size_t *order;     /* 2 n: the points as sorted, and space to sort */
  int *label;        /* labels of one state after the other, as sorted */
  /* A share is a cluster and a group of KG_GROUP points with their weights in units, 0
   * for the points of other clusters. Group g of state a has the shares from share_from[a
   * (groups + 1) + g] on; the clusters met in a tile are numbered, and share_slot is such
   * a number. For vector code alone. */
  double factor; /* from the function of kg_shape to -rho/2 */
  double unit;   /* the weight of all points if it is one, else 1 */
  size_t n_shares, n_slots;
  size_t *share_from; /* n_states (groups + 1) */
  size_t *tile_from;  /* n_states (tiles + 1), into tile_label */
  int *share_slot, *share_whole,
      *tile_label; /* n_shares each; whole: weights are all 1 */
  double *share_w; /* KG_GROUP n_shares */
} kg_tiles;

void kg_tiles_lay(kg_tiles *t, const kg_coordinates *points, size_t k, size_t n_states,
                  kg_room *room);
void kg_tiles_fill(kg_tiles *t, const double *w, const int *const *labels);
/* Counts the shares (0 without vector code); kg_tiles_share_lay() takes their arrays,
 * which kg_tiles_share() fills. */
size_t kg_tiles_shares(kg_tiles *t);
void kg_tiles_share_lay(kg_tiles *t, kg_room *room);
void kg_tiles_share(kg_tiles *t);
/* 0 if separate passes take less time: the clusters of the partitions cut across each
 * other and pairwise dissimilarities are cheap. */
int kg_tiles_together(const kg_tiles *t);
size_t kg_tiles_rounds(const kg_tiles *t);
size_t
kg_tiles_workspace(const kg_tiles *t); /* doubles a thread, when shares are known */
void kg_tiles_round(const kg_tiles *t, size_t round, int threads, double *workspace);
/* The same in parts: tasks [from, to) of a round, which has so many. */
size_t kg_tiles_tasks(const kg_tiles *t, size_t round);
double kg_tiles_task_work(const kg_tiles *t);
void kg_tiles_part(const kg_tiles *t, size_t round, size_t from, size_t to, int threads,
                   double *workspace);
void kg_tiles_read(const kg_tiles *t, size_t state,
                   double *R); /* n x k, points in order */

#endif
