/* kg_loops.h - the table of inner loops, one for each instruction set; the loops
 * themselves are kg_loops_body.h, kg_loops_gaps.h and kg_loops_strip.h. */
#ifndef KG_LOOPS_H
#define KG_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "kg_coordinates.h"

/* Squared distances and lower bounds of them are multiplied by it: kg_snap() moves a
 * square by less than 2^-31 of it. */
#define KG_NEARLY_ONE (1 - 1e-9)

struct kg_tiles;
struct kg_state;

/* Four points that change their cluster; those that count for nothing have weight 0. */
typedef struct {
  const double *y; /* coordinates, four interleaved */
  double weight[4];
  double *from[4], *into[4]; /* R of the clusters, at the first column of the block */
} kg_moves;

enum { KG_NEAREST = 64 }; /* points whose two nearest means are found together */
#define KG_FAR 3e38f

/* Of the two nearest means: values, and their numbers, 0 if there is none. */
typedef struct {
  float least[KG_NEAREST], next[KG_NEAREST], first[KG_NEAREST], second[KG_NEAREST];
} kg_nearest;

/* Leaving a cluster saves more * c + base, c the cost of entering it. */
typedef struct {
  const float *more, *base;
} kg_leaving;

/* Whole exponents up to which powers are products, within 1e-15 of them. */
#define KG_MOST_PRODUCTS 8

enum { KG_LANES = 16 }; /* relabellings side by side (kg_permute.h) */
enum { KG_MASK = 64 }; /* lanes of a mask */
enum { KG_TILE = 16 }; /* points whose values against landmarks are taken together */

typedef struct {
  const char *name; /* "base", "avx2" or "avx512" */
  void (*squares4)(const double *x, size_t stride, size_t d, const double *y,
                   size_t width, double *out, size_t ld, int further);
  /* out[j] = the sum of terms over the coordinates; of y coordinate c at y[c * step]; p:
   * the exponent of powers */
  void (*sums1)(enum kg_sum sum, double p, const double *x, size_t stride, size_t d,
                const double *y, size_t step, size_t width, double *out);
  /* in place from values to -rho/2; returns how many were done, whole vectors, 0 without
   * vector code for the shape; may be NULL */
  size_t (*from_values)(enum kg_shape shape, double a, double *value, size_t n);
  /* in place: the logarithms of normal numbers above 0, and what is infinite or missing as
   * it is; the exponentials of numbers <= 0,
   * 0 below exp(-700) */
  void (*logs)(double *value, size_t n);
  void (*exps)(double *value, size_t n);
  void (*sums4)(const double *b, size_t ld, const double *w, size_t width, double *sum);
  void (*columns4)(const double *b, size_t ld, const double *weight, size_t width,
                   double *into);
  void (*add)(const double *b, double weight, size_t width, double *into);
  /* values of B from a row of a Gram matrix and half of its diagonal */
  void (*less_halves)(const double *g, const double *half, double own, size_t width,
                      double *out);
  void (*transfer)(const double *b, double weight, size_t width, double *from,
                   double *into);
  /* Lowers the bounds of width <= 64 points to the costs of entering some clusters. A bit
   * for each point that may have a better cluster. */
  unsigned long long (*screen)(const struct kg_state *state, size_t from, size_t width,
                               const size_t *column, size_t many);
  /* Sets least and the number `best` of the mean if share - twice R[j] is below least[j] by
   * more than rounding. */
  void (*nearer)(const double *R, double share, double twice, double number, size_t width,
                 double *least, double *best);
  /* acc[p] = sum of v_j, j < m, where lane[j * KG_LANES + p] is own[p]; the same to the
   * last bit for every instruction set */
  void (*same_label)(const int *own, const int *lane, const double *v, size_t m,
                     double *acc);
  /* |z - mean|^2 of features of 16 bits, z = unit q, width a multiple of 16 */
  double (*short_d2)(const int16_t *q, double unit, const double *mean, size_t width);
  /* into[c] += factor q[c], or out[c] = factor q[c]; width is a multiple of 16 */
  void (*short_add)(const int16_t *q, double factor, size_t width, double *into);
  void (*short_values)(const int16_t *q, double factor, size_t width, double *out);
  /* out = A tile for KG_TILE points; A: rows (a multiple of 4) by lda, by rows, a lower
   * triangle if `lower` */
  void (*product)(const double *A, size_t rows, size_t lda, int lower, const double *tile,
                  double *out);
  /* out[l] = q . mean_l in single precision, width a multiple of 16 */
  void (*short_dots)(const int16_t *q, const float *mean, size_t width, size_t k,
                     float *out);
  /* The two least of A_l + sum_c B_lc x_c over k means: row l of the table is B_l1, ..,
   * A_l, coordinate c of point j lies at x[c * stride + j]. width <= KG_NEAREST, rounded
   * up to a multiple of 32. The same to the last bit for every instruction set. */
  void (*two_nearest)(const float *x, size_t stride, size_t rows, const float *table,
                      size_t k, size_t width, kg_nearest *out);
  /* Of points whose two nearest means were found, in clusters `label` with rows `at` of
   * the table: the row of the nearest other mean, and a bit for each point that may move.
   * The same to the last bit for every instruction set. */
  unsigned long long (*scan_means)(const kg_nearest *near, const int *label,
                                   const float *at, const kg_leaving *of, size_t width,
                                   float *row);
  /* four moves in the columns [from, from + width), as far as they fill vectors: returns
   * how many were done; may be NULL, and does none without vector code for rho */
  size_t (*moves4)(const kg_coordinates *points, const kg_moves *moves, size_t from,
                   size_t width);
  /* into[j] += sum_r weight[r] B(row r, point from + j), with the same bounds */
  size_t (*sum4)(const kg_coordinates *points, const double *y, const double *weight,
                 size_t from, size_t width, double *into);
  /* all that kg_tiles does with four rows and a tile, in registers; may be NULL */
  void (*strip)(const struct kg_tiles *t, size_t a, size_t b, size_t row, double *sums);
  /* kg_connected.c: which of width <= KG_MASK values are <= bound; for which of them is
   * max(value, core, own) <= key with a margin; lower bounds to boxes; which points are
   * near a box */
  unsigned long long (*below)(const double *value, double bound, size_t width);
  unsigned long long (*within)(const double *value, const double *core, double own,
                               const double *key, size_t width);
  double (*boxes)(const double *low, const double *high, size_t stride, size_t d,
                  const double *y, double own, const double *core, const double *best,
                  double *least);
  unsigned long long (*near_box)(const double *x, size_t stride, size_t d,
                                 const double *low, const double *high, size_t step,
                                 double bound, size_t width);
} kg_loops;

/* A function whose products are not fused with sums, whatever the processor that the
 * compiler options name: KG_UNFUSED before it, KG_UNFUSE as its first line. */
#if defined(__clang__)
#define KG_UNFUSED
#define KG_UNFUSE _Pragma("clang fp contract(off)")
#elif defined(__GNUC__)
#define KG_UNFUSED __attribute__((optimize("fp-contract=off")))
#define KG_UNFUSE
#else
#define KG_UNFUSED
#define KG_UNFUSE
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define KG_X86
extern const kg_loops kg_loops_avx2, kg_loops_avx512;
#endif
extern const kg_loops kg_loops_base;
extern const kg_loops *kg_chosen_loops;
int kg_choose_loops(const char *name); /* 0 if the processor lacks the instructions */

#endif
