/* kg_connected.h - gaps between observations: cores, the minimum spanning tree of the
 * mutual reachability heights, and the branches that its gaps leave.
 *
 * All distances are rounded by kg_snap() before they are compared, so that ties do not
 * depend on the form of the data. An observation of weight 0 takes no part. */
#ifndef KG_CONNECTED_H
#define KG_CONNECTED_H

#include "kg_pairs.h"
#include "kg_room.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Distances that differ by rounding are equal: the nearest number of 32 binary digits.
 * The map does not decrease, and kg_snap(kg_snap(d)) = kg_snap(d). */
static inline double kg_snap(double distance) {
  uint64_t bits;
  memcpy(&bits, &distance, sizeof bits);
  bits = (bits + (UINT64_C(1) << 19)) & ~((UINT64_C(1) << 20) - 1);
  memcpy(&distance, &bits, sizeof bits);
  return distance;
}

/* As kg_snap(), of squares: sqrt(s s) = s, so the distance is as it would be alone. */
static inline double kg_snap_square(double square) {
  double s = kg_snap(sqrt(square));
  return s * s;
}

/* The part that a sum of weights may lack of what it must reach: their
 * rounding. */
#define KG_NEARLY (1 - 1e-12)

/* An edge of the tree. */
typedef struct {
  double height; /* max(d, core_a, core_b), 0 where d = 0 */
  double length; /* d */
  size_t a, b;   /* rows, a < b */
} kg_link;

/* By height, then length, then a, then b: no two edges are equal, so the tree is unique.
 */
int kg_link_less(const kg_link *one, const kg_link *other);

/* One pass of a merge sort of indices: runs of `width` in `from` become runs of twice the
 * width in `to`. Stable. less(context, i, j): must i come before j? */
typedef int (*kg_before)(const void *context, size_t i, size_t j);
void kg_merge_runs(const size_t *from, size_t *to, size_t n, size_t width,
                   kg_before before, const void *context);
int kg_before_link(const void *links, size_t i, size_t j); /* of kg_link */

/* A matrix of points by rows: first coordinate, then second, .. */
typedef struct {
  const double *x;
  size_t n, d;
} kg_table;
int kg_before_row(const void *table, size_t i, size_t j);
/* Of m rows in order, the first of equal ones stay, with the weights of all of them; the
 * others get links of height 0 to them. Returns how many stay. */
size_t kg_distinct_rows(const kg_table *table, size_t *order, size_t m, const double *w,
                        double *weight, kg_link *links, size_t *n_links);

/* The first `count` lanes of a mask. */
static inline unsigned long long kg_first_lanes(size_t count) {
  return count < 64 ? (1ULL << count) - 1 : ~0ULL;
}

/* least r with the weight of {value <= r} at least `wanted`; the largest value of
 * positive weight if there is none. Rearranges both. O(n). */
double kg_weighted_least(double *value, double *weight, size_t n, double wanted);

/* A core on its way: the nearest so far, in order, no more than are needed. */
enum { KG_LEAF = 64, KG_KNOWN = 64 }; /* KG_LEAF: a mask (kg_loops.h) */
typedef struct {
  double value[KG_KNOWN], weight[KG_KNOWN];
  double core; /* what is known of it: Inf at first */
  int count;   /* -1 if KG_KNOWN were not enough */
} kg_near;
void kg_near_start(kg_near *near);
void kg_near_add(kg_near *near, double value, double weight, double wanted);

/* ---- any store: rows of pairwise dissimilarities, -2 B = d or d^2 --------------------
 */

typedef struct {
  const kg_pairs *pairs;
  const double *w; /* n */
  int squared;     /* are the dissimilarities squares of distances? */
  size_t n, joined, last, members;
  /* n each, filled up to whole masks: distances */
  double *core, *key, *length, *row;
  double *least; /* of every KG_LEAF */
  size_t *from;  /* n */
} kg_prim;

void kg_prim_lay(kg_prim *r, size_t n, kg_room *room);
void kg_prim_begin(kg_prim *r, const kg_pairs *pairs, const double *w, int squared);
/* core of the rows [from, to); space: 2 n */
void kg_prim_cores(kg_prim *r, double wanted, size_t from, size_t to, double *space);
/* Adds at most `steps` edges to links; returns whether the tree is complete. */
int kg_prim_grow(kg_prim *r, kg_link *links, size_t steps);
/* As kg_leaves_at(), of all rows but those of weight 0. */
size_t kg_prim_at(const kg_prim *r, size_t row, double length, size_t *out);

/* ---- distinct points in boxes: kg_leaves.c -------------------------------------------
 */

/* KG_LEAF places a leaf; coordinate c of place j at x[(leaf d + c) KG_LEAF + j]. */
typedef struct {
  double *x, *weight, *core, *key, *length;
  size_t *row, *from; /* rows of the table */
} kg_leaf_points;

/* A leaf each, `stride` of them; coordinate c of a box at low[c stride + leaf]. */
typedef struct {
  double *low, *high, *best, *pending, *nearest, *most;
  size_t *count, *seen, *choice;
} kg_leaf_boxes;

/* Points of the tree, in the order of their entry; coordinate c at x[c n + t]. */
typedef struct {
  double *x, *core, *at; /* at: d, the last one */
  size_t *row;
  size_t joined, last_leaf;
} kg_leaf_tree;

/* Ranges of leaves that are to be halved. */
typedef struct {
  size_t part[64], end[64], depth;
} kg_leaf_halving;

/* Squares of distances; the links have distances. */
typedef struct {
  size_t n, d, n_leaves, stride; /* stride: leaves, filled up to whole masks */
  kg_table table;                /* of which some rows are taken */
  size_t *order;                 /* n: rows of the table, leaf by leaf */
  kg_leaf_points points;
  kg_leaf_boxes boxes;
  kg_leaf_tree tree;
  kg_leaf_halving halving;
} kg_leaves;

void kg_leaves_lay(kg_leaves *l, size_t n, size_t d, kg_room *room);
/* order: n of the table's rows, distinct points; rearranged. */
void kg_leaves_begin(kg_leaves *l, const kg_table *table, size_t *order);
/* Halves a range of leaves; returns whether none is left. O(points of them d). */
int kg_leaves_split(kg_leaves *l);
/* Places, boxes; weight: by row of the table. */
void kg_leaves_fill(kg_leaves *l, const double *weight, size_t from, size_t to);

size_t kg_leaves_workspace(const kg_leaves *l); /* bytes a thread */
/* core of the leaves [from, to). O(n d) for a point that needs more than KG_KNOWN
 * neighbours. */
void kg_leaves_cores(kg_leaves *l, double wanted, size_t from, size_t to, int threads,
                     void *workspace);
/* As kg_prim_grow; `steps` bounds the work: an edge counts 1, a leaf evaluated as well.
 */
int kg_leaves_grow(kg_leaves *l, kg_link *links, size_t steps);
/* Rows of the boxes, filled again after the tree, whose distance from a row of the table
 * is `length` but for rounding; how many. */
size_t kg_leaves_at(const kg_leaves *l, size_t row, double length, size_t *out);

/* ---- branches: kg_branches.c ---- */

/* The distances that decide where a light component goes: all that lie at a distance. */
typedef struct {
  void *context;
  /* rows that lie at the distance `length`, or so, of row i and whether they are equally
   * far, in any order; how many. out: n values */
  size_t (*at)(void *context, size_t i, double length, size_t *out);
  const double *core; /* n */
} kg_ties;

typedef struct {
  double height; /* less the threshold, > 0 */
  size_t a, b;   /* branches, one of either side */
  double wa, wb; /* weights of the sides */
} kg_meeting;

typedef struct {
  double threshold;
  double least; /* weight of a heavy component */
  double small; /* least weight of a light one that may stand apart .. */
  double apart; /* .. if it is joined this many times above all that it meets */
} kg_condense;

/* Components: a forest, their members as a ring; by their top: the weight, the height of
 * links that are no merge, one of their branches, the number that gaps divide. n each. */
typedef struct {
  size_t *up, *next, *set, *many;
  double *weight, *own;
} kg_components;

typedef struct {
  size_t *row, n;
} kg_rows_list;

/* Links [at, to) of one height and length, and the components that they join. n each. */
typedef struct {
  size_t at, to;
  int asking; /* 0: not at all, 1: the light ones, 2: from those that have an answer */
  kg_rows_list touched, noted, queue;
  size_t reached; /* of the queue */
  size_t *group, *host, *count, *middle, *seen, *near;
  double *tallest;
} kg_branch_step;

/* Of each branch, n each. */
typedef struct {
  size_t *side; /* a forest of those without a gap between them */
  double *mass; /* its weight before the step */
  double *lift; /* if it stands apart: its height above the threshold as of a heavy one */
} kg_branch_sides;

typedef struct {
  size_t n, n_links;
  const double *w;
  const kg_link *links; /* in order */
  kg_ties ties;
  kg_condense rule;
  kg_components parts;
  kg_branch_step step;
  kg_branch_sides each;
  size_t *branch; /* of observations */
  size_t n_branches, n_merges;
  double height_sum; /* sum over the merges of height |A| |B| */
  kg_meeting *merges;
} kg_branches;

#define KG_NO_BRANCH ((size_t)-1)

void kg_branches_lay(kg_branches *b, size_t n, kg_room *room);
/* The caller keeps links and ties. */
void kg_branches_begin(kg_branches *b, const double *w, const kg_link *links,
                       size_t n_links, kg_ties ties, kg_condense rule);
/* `steps` links or so, a question counts n / 8; returns whether it is done. */
int kg_branches_grow(kg_branches *b, size_t steps);
/* Numbers the branches by their first observation: branch[i] from 0, or KG_NO_BRANCH
 * where w is 0; one branch where no component reached the least. number: n values. */
void kg_branches_end(kg_branches *b, size_t *number);
/* H, n_branches x n_branches: how far above the threshold two branches meet. An
 * ultrametric. number: n_branches values. */
void kg_branch_heights(const kg_branches *b, size_t *number, double *H);

#endif
