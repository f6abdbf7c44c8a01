/* kg_engine.h - a partition and its sums, for every kind of input.
 *
 * One objective serves every input: weighted kernel k-means. With B = -rho/2 for
 * pairwise dissimilarities (a Gram matrix gives rho by Eq. (8)) and B itself for a sparse
 * matrix,
 *     R_il = sum_{y in C_l} w_y B_iy,   V_l = sum_{x in C_l} w_x R_xl,
 *     Q    = sum_l V_l / s_l            (maximised; Eq. (41) of the paper)
 * and the squared distance of x_i to the mean of C_l in the feature space is
 *     d2_il = B_ii - 2 R_il / s_l + V_l / s_l^2.
 *
 * An engine is a partition with the sums that its kind keeps: R for pairwise
 * dissimilarities (kg_state.c), the clusters' totals for sparse rows (kg_sparse.c), means
 * for explicit features (kg_features.c, kg_short.c). The local searches, swaps, starts
 * and reports are written once, on the functions below.
 *
 * Whatever takes longer than a moment goes in pieces: a function takes the point to go on
 * from and the work it may do (about a nanosecond a unit; kg_engine.work counts it), and
 * returns where to go on, n when it is done. */
#ifndef KG_ENGINE_H
#define KG_ENGINE_H

#include "kg_room.h"
#include "kg_rule.h"

enum kg_status {
  KG_OK = 0,
  KG_NOT_FINITE /* a pairwise dissimilarity or a sum of them is not finite */
};

/* The result of repair(): more work is left; sums have changed and totals are due;
 * nothing was to be done. */
enum kg_repaired { KG_REPAIR_MORE = 0, KG_REPAIR_NOTHING = 1, KG_REPAIR_DONE = 2 };

typedef struct kg_engine kg_engine;
typedef struct kg_kind kg_kind;

/* Observations with weights. */
typedef struct {
  const kg_kind *kind;
  size_t n;
  const double *w;    /* n weights, >= 0 */
  const void *values; /* kg_pairs, kg_sparse or kg_features */
} kg_input;

struct kg_engine {
  const kg_input *input;
  const double *w;
  size_t n, k;
  int *label;    /* n, from 0 */
  double *s;     /* k: sum of the weights */
  double *V;     /* k: sum_{x in l} w_x R_xl */
  double *cost;  /* k: within dispersions, set by totals() and report() */
  size_t *count; /* k: points of positive weight */
  size_t moves;
  kg_rule rule;
  double total; /* W + S, set by report() */
  double work;
  enum kg_status status;
};

struct kg_state;

/* The operations of an engine. An operation that a kind lacks is NULL; callers test the
 * operation, never the kind. */
struct kg_kind {
  /* 1: the sums cost so little that begin() precedes all totals. */
  int cheap;
  /* 1: means are so exact that totals wait until the end of a local search. */
  int steady;
  /* Lays an engine out in the arena; returns NULL while the arena only counts. label: n
   * labels of the caller, or NULL to take them from the arena. */
  kg_engine *(*lay)(const kg_input *input, size_t k, int *label, int threads,
                    kg_room *room);
  /* Copies m of the points into an input of their own; returns NULL while the arena only
   * counts (m: the largest number of points; rows: NULL). */
  kg_input *(*some)(const kg_input *whole, const size_t *rows, size_t m, kg_room *room);
  /* Work of computing rho from one point to all. */
  double (*row_work)(const kg_input *input);
  /* out[i - from] = rho(x, i), the squared distance in the feature space. */
  void (*rho)(const kg_input *input, size_t x, size_t from, size_t to, double *out);
  /* The sums that follow from the labels. NULL with sums(): kg_first_pass() (kg_state.h). */
  size_t (*begin)(kg_engine *e, size_t from, double work);
  /* s, count, V, cost and the rule, from scratch (from the sums); status. */
  size_t (*totals)(kg_engine *e, size_t from, double work);
  /* One Hartigan pass over the points under the rule, Algorithm 2. */
  size_t (*sweep)(kg_engine *e, size_t from, double work);
  /* Changes labels and sums to those of target; the caller computes the totals. */
  size_t (*relabel)(kg_engine *e, const int *target, size_t from, double work);
  /* Recomputes sums that moves may have corrupted by rounding; all: every sum that moves
   * have changed. NULL: sums are always recomputed. */
  enum kg_repaired (*repair)(kg_engine *e, int all, double work);
  double (*d2)(const kg_engine *e, size_t i, size_t l);
  /* Point i to cluster l with all sums at once, for searches that choose moves themselves. */
  void (*move)(kg_engine *e, size_t i, size_t l);
  /* out[r] = rho(x, rows[r]). NULL: rho() one at a time. */
  void (*among)(const kg_input *input, size_t x, const size_t *rows, size_t many,
                double *out);
  /* Nearest means of the points [from, to), at most KG_BLOCK, among the clusters with
   * weight except `skip` (k: none), if nearer than least[]. */
  void (*nearest)(kg_engine *e, size_t skip, size_t from, size_t to, double *least,
                  double *best);
  /* Adds c/w_i to B_ii (on = 0: removes it), which raises W by c (n - k) for every
   * partition into k clusters, so that the matrix is positive semidefinite. NULL: B has
   * no diagonal. */
  void (*shift)(kg_engine *e, int on);
  /* cost, V, s and total of the labels; sums: k + 1 of them, 0 at first. */
  size_t (*report)(kg_engine *e, long double *sums, size_t from, double work);
  /* The sums R of pairwise dissimilarities. NULL: the engine keeps none. */
  struct kg_state *(*sums)(kg_engine *e);
  /* Another number of threads, at most that of lay(). NULL: always one thread. */
  void (*set_threads)(kg_engine *e, int threads);
  /* Means of the clusters, width x k. NULL: there are no coordinates. */
  const double *(*means)(const kg_engine *e, size_t *width);
  /* Points in double precision, width x n. NULL: there are none. */
  const double *(*points)(const kg_input *input, size_t *width);
};

enum { KG_BLOCK = 64 }; /* points whose distances are computed together */

/* ---- functions for every kind: kg_engine.c ------------------------------------------
 */

/* Sets the fields of an engine and takes its arrays; label: the caller's, or NULL. */
void kg_engine_lay(kg_engine *e, const kg_input *input, size_t k, int *label,
                   kg_room *room);

/* 1 if the largest weight exceeds the smallest positive one KG_WIDE_WEIGHTS times. */
int kg_weights_wide(const double *w, size_t n);

/* Lloyd's method, Algorithm 1: target[i] = nearest mean for points of positive weight;
 * ties, give or take the tolerance, keep the label. count: k values. */
size_t kg_targets(kg_engine *e, int *target, size_t *count, size_t from, double work);
/* Gives clusters without a point of positive weight under target the points that cost
 * most where they are going, one call a cluster; 0 when none is left. cost: n values, as
 * set by kg_target_costs. */
size_t kg_target_costs(const kg_engine *e, const int *target, double *cost, size_t from,
                       double work);
int kg_refill(const kg_engine *e, int *target, size_t *count, double *cost);

/* Points of weight 0 to the nearest mean. */
size_t kg_place(kg_engine *e, size_t from, double work);

/* The points by cluster, each in their order: those of l are member[first[l]..first[l +
 * 1]). first: k + 1 values. Points of weight 0 are left out; w NULL: none is. */
void kg_list_members(const int *label, const double *w, size_t n, size_t k, size_t *first,
                     size_t *member);

/* The point at fraction u of the sum of n masses; n if all are 0. */
size_t kg_draw_mass(const double *mass, size_t n, double u);

#endif
