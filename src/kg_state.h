/* kg_state.h - the engine of pairwise dissimilarities: the sums R, V, s and how moves
 * change them. */
#ifndef KG_STATE_H
#define KG_STATE_H

#include "kg_engine.h"
#include "kg_pairs.h"

enum {
  KG_STRETCH = 256, /* points that take waiting moves together, a multiple of KG_BLOCK */
  KG_WAITING = 256, /* moves that may wait until other blocks see them */
  KG_SIDE = 512,    /* points on a side of a tile of the first pass */
  KG_GROUP = 16     /* of these so many are met at a time */
};

/* Moves that R has not taken everywhere. Stretch b of the points has taken the first
 * seen[b] of them. */
typedef struct {
  size_t *point, *source,
      *target;    /* KG_WAITING: who moved, from which cluster to which */
  size_t n, most; /* moves in the list; a full list is emptied */
  size_t *seen;   /* one for each stretch */
  double *moved;  /* coordinates of the points, four interleaved */
} kg_waiting;

/* Columns of R that moves may have worn by rounding. */
typedef struct {
  double *peak, *steep; /* k: largest s and |V| since the column was built */
  size_t *touched;      /* k: 1 if moves have changed the column */
  size_t *stale;        /* k: 1 if the column has to be recomputed */
  size_t at;            /* row at which that goes on */
} kg_wear;

/* Bounds by which a sweep meets only the clusters that have changed. */
typedef struct {
  double *least;   /* n: entering another cluster costs no less for a unit of weight, unless
                      the cluster has changed since the block was screened */
  size_t *seen;    /* one for each block: the clock when it was screened */
  size_t *changed; /* k: the clock at the last change */
  size_t *column;  /* k: workspace */
  size_t clock;    /* changes so far */
} kg_bounds;

/* All values B_ii are 0. */
typedef struct kg_state {
  kg_engine e;
  const kg_pairs *pairs;
  double *R; /* n x k */
  kg_wear wear;
  double *twice, *share; /* k: 2/s, V/s^2 (Inf for a cluster without weight) */
  double *factor;        /* k: s / (s + heaviest) */
  double heaviest;       /* largest weight */
  int wide;              /* 1 if weights lie many orders apart */
  int threads;
  double *row;    /* n: workspace for a row of B */
  double *values; /* workspace: 4 * KG_STRETCH a thread */
  kg_waiting waiting;
  kg_bounds bounds;
} kg_state;

extern const kg_kind kg_pair_sums;

void kg_state_lay(kg_state *state, const kg_input *input, size_t k, int *label,
                  int threads, kg_room *room);
/* Another number of threads, at most that of kg_state_lay(); no move may wait. */
void kg_state_threads(kg_state *state, int threads);

/* First pass: R of several states at once, rows [from, to) against all later ones. Call
 * with from = 0 first: it sets R to 0. n doubles of workspace in `buffer`. */
void kg_first_pass(kg_state *const *states, size_t n_states, size_t from, size_t to,
                   double *buffer);
/* R was built: nothing in it is stale, and every cluster has changed. */
void kg_state_built(kg_state *state);

/* Computes s, count, V, cost and the rule from R (kg_engine.h: totals). */
size_t kg_state_totals(kg_engine *e, size_t from, double work);

/* Computes twice, share and factor; call it after setting s, V and count by hand. */
void kg_derive(kg_state *state);

double kg_d2(const kg_state *state, size_t i, size_t l); /* d2_il */
/* The nearest means for the points [from, to) and all clusters but `skip` (k: none),
 * where d2 is below what `least` holds; `best` are labels. */
void kg_nearest_means(const kg_state *state, size_t skip, size_t from, size_t to,
                      double *least, double *best);
/* Point i to cluster l: label, V, s and count, from R as it was. R itself is left. */
void kg_move_totals(kg_state *state, size_t i, size_t l);
/* 1 if cluster l has lost nearly all its weight or dispersion (KG_WORN): the rest of its
 * sums may be rounding. */
int kg_state_worn(const kg_state *state, size_t l);
/* Recomputes stale columns of R with their V and s, as many rows as the work allows. A
 * column becomes stale if it is worn. */
enum kg_repaired kg_state_repair(kg_state *state, double work);
double kg_state_row_cost(const kg_state *state);

/* ---- Hartigan's method, Algorithm 2: kg_hartigan.c --------------------------------- */

/* The best other cluster for point i under the rule; choice.best is (size_t)-1 if it must
 * stay. 1 if the move is to be made. */
int kg_best_move(const kg_state *state, size_t i, kg_choice *choice);
/* Points of a block that may have a better cluster, a bit each: every one that
 * kg_best_move moves is among them. The block has caught up. */
unsigned long long kg_screen(kg_state *state, size_t block);
size_t kg_hartigan_sweep(kg_state *state, size_t from, double work);

/* ---- moves that wait: kg_moves.c ----------------------------------------------------
 */

/* R for point i from cluster j to l; its own stretch at once if `its_own`. */
void kg_moves_add(kg_state *state, size_t i, size_t j, size_t l, int its_own);
/* Changes that a stretch, or every stretch, has not seen yet. value: 4 * KG_STRETCH. */
void kg_moves_catch_up(kg_state *state, size_t stretch, double *value);
void kg_moves_finish(kg_state *state);
/* Labels from `from` on to those of target, and R with them, until `budget` have changed;
 * returns where to go on. The totals are the caller's. */
size_t kg_relabel(kg_state *state, const int *target, size_t from, size_t budget);

/* ---- effective dimension: kg_dimension.c --------------------------------------------
 */

/* square[l] collects sum_{i != j} w_i w_j K_ij^2 over cluster l, K the centred Gram
 * matrix of the cluster, rows [from, to); kg_dimension() puts it together, 0 if the
 * points do not determine it. buffer: n values; trace, weight2: k values. */
void kg_dimension_rows(const kg_state *state, size_t from, size_t to, double *square,
                       double *buffer);
double kg_dimension(const kg_state *state, const double *square, double *trace,
                    double *weight2);

#endif
