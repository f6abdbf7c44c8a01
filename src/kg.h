/* kg.h - the kernels: structs, status codes, prototypes. Pure C99, no R.
 *
 * One objective serves every input: weighted kernel k-means. With B = G for a Gram
 * matrix and B = -rho/2 for a semimetric,
 *     R_il = sum_{y in C_l} w_y B_iy,   V_l = sum_{x in C_l} w_x R_xl,
 *     Q    = sum_l V_l / s_l            (maximised; Eq. (41) of the paper)
 * and the squared distance of x_i to the mean of C_l in the feature space is
 *     d2_il = B_ii - 2 R_il / s_l + V_l / s_l^2.
 *
 * Conventions: matrices are column-major as in R; labels inside the kernels run from 0;
 * the caller owns all memory; a kernel does one bounded piece of work and returns, so
 * that the caller can poll for interrupts between the pieces; random numbers come in as
 * uniforms on (0, 1).
 */
#ifndef KG_H
#define KG_H

#include <stddef.h>

enum kg_status {
  KG_OK = 0,
  KG_NOT_FINITE /* a pair value or a sum of them is not finite */
};

/* ---- semimetrics: kg_semimetric.c ------------------------------------------------- */

enum kg_family {
  KG_POWER,       /* d^a                    Eq. (52) */
  KG_EXPONENTIAL, /* 2 - 2 exp(-d/(2 a))     Eq. (53) */
  KG_GAUSSIAN,    /* 2 - 2 exp(-d^2/(2 a^2)) Eq. (54) */
  KG_LOCALIZED,   /* d^2 exp(-d/2) */
  KG_SINE,        /* d^2 a sin(d/a) */
  KG_GIVEN,       /* the stored value is rho itself */
  KG_N_FAMILIES
};

typedef struct {
  enum kg_family family;
  double parameter; /* a above */
} kg_semimetric;

/* The semimetrics that vector code knows, as functions of the squared distance q. */
enum kg_shape {
  KG_SCALAR,      /* none of these: one value at a time */
  KG_ROOT,        /* sqrt(q) */
  KG_SQUARE,      /* q */
  KG_FOURTH_ROOT, /* q^(1/4) */
  KG_ROOT_CUBED,  /* q^(3/4) */
  KG_EXP_ROOT,    /* the exponential family */
  KG_EXP_SQUARE,  /* the Gaussian family */
  KG_EXP_LOCAL    /* the localized one */
};
enum kg_shape kg_shape_of(kg_semimetric rho);

/* In place: value[0..n) from squared Euclidean distances, or from distances, to -rho/2. */
void kg_from_squares(kg_semimetric rho, double *value, size_t n);
void kg_from_distances(kg_semimetric rho, double *value, size_t n);

/* ---- inner loops per instruction set: kg_loops.c, kg_loops.h ------------------------- */

struct kg_tiles;
struct kg_pairs;
struct kg_state;

/* Four points that change their cluster; those that count for nothing have weight 0. */
typedef struct {
  const double *y; /* coordinates, four interleaved */
  double weight[4];
  double *from[4], *into[4]; /* R of the clusters, at the first column of the block */
} kg_moves;

typedef struct {
  const char *name; /* "base", "avx2" or "avx512" */
  void (*squares4)(const double *x, size_t stride, size_t d, const double *y,
                   size_t width, double *out, size_t ld);
  void (*squares1)(const double *x, size_t stride, size_t d, const double *y, size_t step,
                   size_t width, double *out);
  size_t (*from_squares)(kg_semimetric rho, double *value, size_t n); /* may be NULL */
  size_t (*from_distances)(kg_semimetric rho, double *value, size_t n);
  void (*sums4)(const double *b, size_t ld, const double *w, size_t width, double *sum);
  void (*columns4)(const double *b, size_t ld, const double *weight, size_t width,
                   double *into);
  void (*add)(const double *b, double weight, size_t width, double *into);
  void (*transfer)(const double *b, double weight, size_t width, double *from,
                   double *into);
  /* May any of width <= 64 points have a better cluster? A bit each. Never says no to a
   * move that kg_best_move makes. */
  unsigned long long (*screen)(const struct kg_state *state, size_t from, size_t width);
  /* one candidate for the nearest mean: where self + share - twice R < least, least is
   * that and best is l */
  void (*nearer)(const double *R, const double *self, double l, double twice, double share,
                 size_t width, double *least, double *best);
  /* features in single precision, width a multiple of 16: |z - mean|^2; mean += w z and
   * |z|^2 */
  double (*float_d2)(const float *z, const double *mean, size_t width);
  double (*float_add)(const float *z, double w, size_t width, double *mean);
  /* four moves in the columns [from, from + width), as far as they fill vectors: returns
   * how many were done; may be NULL, and does none without vector code for rho */
  size_t (*moves4)(const struct kg_pairs *points, const kg_moves *moves, size_t from,
                   size_t width);
  /* into[j] += sum_r weight[r] B(row r, point from + j), with the same bounds */
  size_t (*sum4)(const struct kg_pairs *points, const double *y, const double *weight,
                 size_t from, size_t width, double *into);
  /* all that kg_tiles does with four rows and a tile, in registers; may be NULL */
  void (*strip)(const struct kg_tiles *t, size_t a, size_t b, size_t row, double *sums);
  /* kg_connected.c: which of width <= 64 values are <= bound; for which of them is
   * max(value, core, own) <= key; lower bounds to boxes; which points are near a box */
  unsigned long long (*below)(const double *value, double bound, size_t width);
  unsigned long long (*within)(const double *value, const double *core, double own,
                               const double *key, size_t width);
  double (*boxes)(const double *low, const double *high, size_t stride, size_t d,
                  const double *y, double own, const double *core, const double *best,
                  size_t width, double *least);
  unsigned long long (*near_box)(const double *x, size_t stride, size_t d, const double *low,
                                 const double *high, size_t step, double bound,
                                 size_t width);
} kg_loops;

extern const kg_loops *kg_chosen_loops;
int kg_choose_loops(const char *name); /* 0 if the processor lacks the instructions */

/* ---- pair values: kg_pairs.c -------------------------------------------------------
 * The one interface through which solvers see B. A new kind of input is one more set of
 * the three functions. */

typedef struct kg_pairs kg_pairs;
struct kg_pairs {
  size_t n;
  /* out[r * (to - from) + j - from] = B(rows[r], j) for j in [from, to) */
  void (*block)(const kg_pairs *self, const size_t *rows, size_t n_rows, size_t from,
                size_t to, double *out);
  /* row i where it lies in memory, or NULL if the store does not hold rows */
  const double *(*view)(const kg_pairs *self, size_t i);
  double (*self)(const kg_pairs *self, size_t i); /* B_ii */
  const double *data;
  size_t d; /* columns of a matrix of points */
  kg_semimetric rho;
};

/* x: n x d points; packed: lower triangle of distances by columns, as in R's dist;
 * dense: n x n matrix of B itself. */
kg_pairs kg_points(const double *x, size_t n, size_t d, kg_semimetric rho);
kg_pairs kg_packed(const double *distances, size_t n, kg_semimetric rho);
kg_pairs kg_dense(const double *B, size_t n);

/* Row i of B: in place if the store holds it, else written to buffer (n values). */
const double *kg_row(const kg_pairs *pairs, size_t i, double *buffer);

/* Points only: the coordinates of point i to place r of four interleaved rows y (4 d
 * values, all of them set by r = 0), and out[r * (to - from) + j - from] = B of these four
 * and point j in [from, to). */
void kg_point_gather(const kg_pairs *pairs, size_t i, double *y, size_t r);
void kg_points_strip(const kg_pairs *pairs, const double *y, size_t from, size_t to,
                     double *out);

/* out[j] = B(y, x_j) for a new point y of d coordinates, j in [0, n). Points only. */
void kg_point_row(const kg_pairs *pairs, const double *y, size_t stride, double *out);

/* ---- sums over clusters as other points see them: kg_cross.c ------------------------ */

typedef struct {
  size_t n, d;
  double *y;      /* 4 d coordinates each, interleaved */
  double *weight; /* 4 each; 0 where a cluster had no point left */
  int *label;     /* one each */
} kg_quads;

size_t kg_quads_most(size_t m, size_t k); /* how many there may be */
/* m points, rows[a] or, if rows is NULL, a, with labels below k; quads->y, weight and label
 * have room for kg_quads_most(m, k). */
void kg_quads_fill(kg_quads *quads, const kg_pairs *points, const double *w,
                   const int *rows, const int *label, size_t m, size_t k);
/* R[j + l ld] += the sum over cluster l, for the points [from, to). */
void kg_cross_sums(const kg_pairs *points, const kg_quads *quads, size_t from, size_t to,
                   double *R, size_t ld);

/* ---- dispersion of a given partition: kg_dispersion.c ------------------------------ */

/* Rows [from, to) of the sums M_ab = sum_{x in a, y in b} w_x w_y B_xy (k x k) and
 * t_a = sum_{x in a} w_x B_xx, added to what M and t hold. M_low and t_low carry the
 * rounding errors (compensated sums): add them at the end. Each unordered pair is
 * visited once. buffer: n values; bucket: k values. */
void kg_dispersion_rows(const kg_pairs *pairs, const double *w, const int *label, size_t k,
                        size_t from, size_t to, double *M, double *M_low, double *t,
                        double *t_low, double *buffer, double *bucket);

/* out[i] += sum_j B_ij v_j over the unordered pairs with smaller index in [from, to). */
void kg_product_rows(const kg_pairs *pairs, const double *v, size_t from, size_t to,
                     double *out, double *buffer);

/* ---- statistics of many relabellings: kg_permute.c --------------------------------- */

#define KG_LANES 16

size_t kg_permute_doubles(void); /* doubles of workspace in `value` below */

/* Adds to out[g * KG_LANES + p] what rows [from, to) contribute to S under relabelling p
 * of group g. lanes[(g n + i) KG_LANES + p]: label of point i, as a double;
 * inverse[(g k + a) KG_LANES + p]: 1/s_a, 0 for a group without weight. */
void kg_permuted_between(const kg_pairs *pairs, const double *w, const double *centre,
                         const double *lanes, const double *inverse, size_t k,
                         size_t groups, size_t from, size_t to, double *value,
                         double *out);

/* The same for any form sum_ab C_ab M_ab, C symmetric: label[p n + i], C of relabelling p
 * at coefficient + p k^2. */
void kg_permuted_form(const kg_pairs *pairs, const double *w, const double *centre,
                      const int *label, const double *coefficient, size_t k, size_t m,
                      size_t from, size_t to, double *value, double *out);

/* ---- the state of a fit: kg_state.c ------------------------------------------------ */

enum {
  KG_BLOCK = 64,    /* points that are looked at together */
  KG_STRETCH = 256, /* points that take waiting moves together, a multiple of KG_BLOCK */
  KG_WAITING = 256, /* moves that may wait until other blocks see them */
  KG_SIDE = 512,  /* points on a side of a tile of the first pass */
  KG_GROUP = 16   /* of these so many are met at a time */
};

typedef struct kg_state {
  const kg_pairs *pairs;
  const double *w;    /* n weights, >= 0 */
  const double *self; /* n: B_ii */
  size_t n, k;
  int *label;    /* n */
  double *R;     /* n x k */
  double *V;     /* k */
  double *s;     /* k: sum of the weights */
  double *peak;  /* k: largest s since the column of R was built */
  size_t *count; /* k: points of positive weight; never 0 once all k are filled */
  double *row;   /* n: workspace for a row of B */
  /* k each, from s and V: 2/s, V/s^2 (Inf for a cluster without weight), s/(s + the
   * largest weight) */
  double *twice, *share, *factor;
  double heaviest;
  double tolerance;
  size_t moves;
  int threads;
  /* moves that are not in R everywhere: the points, the clusters they left and went to;
   * a stretch has seen the first seen[stretch] of them */
  size_t waiting[KG_WAITING], source[KG_WAITING], target[KG_WAITING];
  size_t n_waiting, most_waiting;
  size_t *seen;
  double *values; /* workspace: 4 * KG_STRETCH a thread */
  double *moved;  /* coordinates of the points that wait, four interleaved */
} kg_state;

/* What a state needs beside its labels; kg_state_init lays it out. Several states may
 * share the workspace. */
size_t kg_state_doubles(size_t n, size_t k);
size_t kg_state_counts(size_t n, size_t k);
size_t kg_state_workspace(const kg_pairs *pairs, int threads);
void kg_state_init(kg_state *state, const kg_pairs *pairs, const double *w,
                   const double *self, size_t k, int *label, double *doubles,
                   size_t *counts, int threads, double *workspace);

/* Another number of threads, with the workspace for it; no move may wait. */
void kg_state_workspace_set(kg_state *state, int threads, double *workspace);

/* First pass: R of several states at once, rows [from, to) against all later ones. Call
 * with from = 0 first: it sets R to 0. block_rows * n doubles of workspace in `buffer`. */
void kg_first_pass(kg_state *states, size_t n_states, size_t from, size_t to,
                   double *buffer);

/* s, count, V, tolerance from the labels and R; KG_NOT_FINITE if any is not. */
enum kg_status kg_totals(kg_state *state);

/* twice, share, factor; needed only by who sets s, V and count alone. */
void kg_derive(kg_state *state);

double kg_d2(const kg_state *state, size_t i, size_t l); /* d2_il */
size_t kg_nearest(const kg_state *state, size_t i);      /* least d2, ties to lowest l */
/* The same for the points [from, to) and all clusters but `skip` (k: none), where d2 is
 * below what `least` holds; `best` are labels. */
void kg_nearest_means(const kg_state *state, size_t skip, size_t from, size_t to,
                      double *least, double *best);
double kg_objective(const kg_state *state);              /* Q from V and s */
/* Point i to cluster l: label, V, s and count, from R as it was. R itself is left. */
void kg_move_totals(kg_state *state, size_t i, size_t l);
void kg_move(kg_state *state, size_t i, size_t l); /* the same, and R at once */
/* Column l of R, V_l and s_l from scratch. Needed only where a cluster lost nearly all
 * its weight, so that what is left of the sums is rounding. */
void kg_rebuild(kg_state *state, size_t l);
void kg_place_weightless(kg_state *state); /* points of weight 0 to the nearest mean */

/* ---- moves that wait: kg_moves.c ---------------------------------------------------- */

/* R for point i from cluster j to l; its own stretch at once if `its_own`. */
void kg_moves_add(kg_state *state, size_t i, size_t j, size_t l, int its_own);
/* What a stretch, or every stretch, has not seen yet. value: 4 * KG_STRETCH. */
void kg_moves_catch_up(kg_state *state, size_t stretch, double *value);
void kg_moves_finish(kg_state *state);
/* Labels from `from` on to those of target, and R with them, until `budget` have changed;
 * returns where to go on. The totals are the caller's. */
size_t kg_relabel(kg_state *state, const int *target, size_t from, size_t budget);

/* ---- first pass over points: kg_tiles.c, kg_strip.h -------------------------------- */

typedef struct kg_tiles {
  const kg_pairs *points;
  size_t k, n_states, n_tiles;
  double *x, *w, *R; /* R: of one state after the other */
  size_t *order;     /* 2 n: the points as sorted, and space to sort */
  int *label;        /* labels of one state after the other, as sorted */
  /* A share is what a cluster has of a group of KG_GROUP points: their weights in units,
   * and 0 for the points of other clusters. Group g of state a has the shares from
   * share_from[a (groups + 1) + g] on; the clusters met in a tile are numbered, and
   * share_slot is such a number. For vector code alone. */
  double factor; /* from the function of kg_shape to -rho/2 */
  double unit;   /* the weight of all points if it is one, else 1 */
  size_t n_shares, n_slots;
  size_t *share_from; /* n_states (groups + 1) */
  size_t *tile_from;  /* n_states (tiles + 1), into tile_label */
  int *share_slot, *share_whole, *tile_label; /* n_shares each; whole: weights are all 1 */
  double *share_w;                            /* KG_GROUP n_shares */
} kg_tiles;

size_t kg_tiles_doubles(size_t n, size_t d, size_t k, size_t n_states);
size_t kg_tiles_labels(size_t n, size_t n_states); /* ints */
void kg_tiles_init(kg_tiles *t, const kg_pairs *points, size_t k, size_t n_states,
                   double *doubles, size_t *order, int *label);
void kg_tiles_fill(kg_tiles *t, const double *w, const kg_state *states); /* labels */
/* Then the shares: how many there are (0 without vector code), and their memory:
 * KG_GROUP n_shares doubles, 3 n_shares ints, kg_tiles_groups() sizes. */
size_t kg_tiles_shares(kg_tiles *t);
size_t kg_tiles_groups(const kg_tiles *t);
/* Do the partitions gain by a common pass? Not if their clusters cut across each other and
 * pair values are cheap. */
int kg_tiles_together(const kg_tiles *t);
void kg_tiles_share(kg_tiles *t, double *share_w, int *ints, size_t *sizes);
size_t kg_tiles_rounds(const kg_tiles *t);
size_t kg_tiles_workspace(const kg_tiles *t); /* doubles a thread */
void kg_tiles_round(const kg_tiles *t, size_t round, int threads, double *workspace);
/* The same in parts: tasks [from, to) of a round, which has so many. */
size_t kg_tiles_tasks(const kg_tiles *t, size_t round);
void kg_tiles_part(const kg_tiles *t, size_t round, size_t from, size_t to, int threads,
                   double *workspace);
void kg_tiles_read(const kg_tiles *t, size_t state, double *R); /* n x k, points in order */

/* ---- threads: kg_threads.c --------------------------------------------------------- */

int kg_thread_number(void);
int kg_threads_allowed(int asked);

/* ---- Hartigan's method, Algorithm 2: kg_hartigan.c --------------------------------- */

/* Change in W if point i leaves its cluster for the best other one, *best. 0 if it must
 * stay. Eq. (50) with the opposite sign, for any symmetric B. */
double kg_best_move(const kg_state *state, size_t i, size_t *best);

/* Visits points from `from` on until the end, until `budget` moves were made or some 2^26
 * candidates were looked at; returns where to go on. */
size_t kg_hartigan_sweep(kg_state *state, size_t from, size_t budget);

/* ---- clusters of unequal sizes: kg_unbalanced.c ------------------------------------ */

/* A state and what Phi = (s d/2) log W - sum_l s_l log(s_l/s) needs beside it. */
typedef struct {
  kg_state *state;
  double base;  /* sum_i w_i B_ii */
  double W;     /* base - Q */
  double s;     /* total weight */
  double half;  /* s d / 2 */
  double least; /* below this W counts as 0 */
} kg_unbalanced;

/* From a state with its totals; kg_unbalanced_totals() after every later kg_totals(). */
void kg_unbalanced_start(kg_unbalanced *u, kg_state *state, double dimension);
void kg_unbalanced_totals(kg_unbalanced *u);
double kg_unbalanced_phi(const kg_unbalanced *u);

/* Least change in Phi if point i leaves its cluster, for *best, and the change in W with
 * it. 0 if it must stay: a cluster keeps two points of positive weight. */
double kg_unbalanced_move(const kg_unbalanced *u, size_t i, size_t *best, double *fall);
/* As kg_hartigan_sweep, some 2^22 candidates at most. */
size_t kg_unbalanced_sweep(kg_unbalanced *u, size_t from, size_t budget);

/* Points of weight 0 to the cluster of least d2 - 2 W/(s d) log(s_l/s). */
void kg_unbalanced_place(const kg_unbalanced *u);

/* Gives every cluster of one point of positive weight the point nearest to it, out of a
 * cluster of at least three. */
void kg_pair_up(kg_state *state);

/* Effective dimension: square[l] collects sum_{i != j} w_i w_j K_ij^2 over cluster l, K
 * the centred Gram matrix of the cluster, rows [from, to); kg_dimension() puts it
 * together, 0 if the points do not tell. buffer: n values; trace, weight2: k values. */
void kg_dimension_rows(const kg_state *state, size_t from, size_t to, double *square,
                       double *buffer);
double kg_dimension(const kg_state *state, const double *square, double *trace,
                    double *weight2);

/* ---- Lloyd's method, Algorithm 1: kg_lloyd.c --------------------------------------- */

/* target[i] = nearest mean for points of positive weight (ties keep the label), then
 * refills clusters left empty. Returns how many points change. count: k values. */
size_t kg_lloyd_targets(const kg_state *state, int *target, size_t *count);

/* ---- starting points: kg_start.c --------------------------------------------------- */

/* The point at fraction u of the total of w (l = 0), of w * nearest, or, where all other
 * points lie on a centre, of the points of positive weight that are no centre. n if there
 * is none. */
size_t kg_draw(const double *w, const double *nearest, size_t n, size_t l, double u);

/* k-means++ in the semimetric, one centre a call, l = 0, 1, ..: the best of `candidates`
 * draws (greedy if above 1). Needs one uniform a candidate. nearest keeps rho to the
 * nearest centre between the calls, -Inf for centres; buffer: n values. */
void kg_plusplus_step(const kg_pairs *pairs, const double *w, size_t l, size_t candidates,
                      const double *uniforms, int *label, double *nearest,
                      double *buffer);

/* ---- swaps: kg_swap.c -------------------------------------------------------------- */

/* Proposes: dissolve cluster c, centre a new one on point x, every point to the nearest
 * mean. target[i] gets the labels; returns 0 if a cluster would be empty. row: B_x. */
int kg_swap_targets(const kg_state *state, size_t c, size_t x, const double *row,
                    int *target, size_t *count);

/* ---- the rest by concern ------------------------------------------------------------ */

#include "kg_connected.h"
#include "kg_features.h"
#include "kg_graph.h"
#include "kg_onedim.h"

#endif
