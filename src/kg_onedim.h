/* kg_onedim.h - the exact partition of numbers. */
#ifndef KG_ONEDIM_H
#define KG_ONEDIM_H

#include "kg_room.h"
#include <stddef.h>

/* ---- one dimension: kg_onedim.c ----------------------------------------------------
 * The best partition of numbers into k runs of the sorted data, rho(x, y) = |x - y|. */

/* Distinct values in increasing order with their weights. */
typedef struct {
  const double *value, *weight;
  size_t m;
  double scale; /* a power of two that brings the values below 1 */
} kg_runs;

/* Merges equal values of x (sorted); w: n weights > 0, or NULL for all 1. Returns how
 * many distinct values there are. weight[i] times 2^weight_exponent is the weight. */
size_t kg_runs_merge(const double *x, const double *w, size_t n, double *value,
                     double *weight, int *weight_exponent);
kg_runs kg_runs_of(const double *value, const double *weight, size_t m);

/* W[i] = dispersion of the first i values, 0 <= i <= m. One pass. */
void kg_runs_first(const kg_runs *runs, double *W);

/* Given before[i] = least W of the first i values in j runs, how many values these j runs
 * hold if one more run takes the rest, j < m. One pass. */
size_t kg_runs_last(const kg_runs *runs, const double *before, size_t j);

/* Prefix sums, m + 1 of each, an array for each so that a pass over the leading halves
 * reads nothing else. */
typedef struct {
  double *P, *M, *A, *P_low, *M_low, *A_low;
  double error; /* rounding of s W from the leading halves alone, at most */
} kg_run_moments;

void kg_run_moments_lay(kg_run_moments *at, size_t m, kg_room *room);
void kg_runs_moments(const kg_runs *runs, kg_run_moments *out);

/* The layer of j runs, 2 <= j < m: W[i] = least W of the first i values in j runs for
 * j <= i < m, cut[i] how many of them are in the first j - 1; before: the layer j - 1.
 * kg_runs_layer_step() evaluates about `budget` runs, returns 0 when done. */
typedef struct {
  size_t first, last, low, high;
} kg_runs_task;

typedef struct {
  const kg_run_moments *moments;
  const double *before;
  double *W;
  unsigned *cut;
  double rounding; /* of a sum of two costs, at most */
  size_t depth;
  kg_runs_task todo[130]; /* two for each halving of a size_t */
} kg_runs_layer;

void kg_runs_layer_begin(kg_runs_layer *layer, const kg_run_moments *moments, size_t m,
                         size_t j, const double *before, double *W, unsigned *cut);
int kg_runs_layer_step(kg_runs_layer *layer, size_t budget);

/* W of one run, the values from..to-1, to full accuracy, and its weight. */
double kg_run_dispersion(const double *value, const double *weight, size_t from,
                         size_t to, double *run_weight);

/* label[i] = name[number of bounds <= x[i]], or that number itself if name is NULL. */
void kg_runs_label(const double *x, size_t n, const double *bound, size_t n_bounds,
                   const int *name, int *label);

#endif
