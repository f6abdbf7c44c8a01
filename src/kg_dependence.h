/* kg_dependence.h - autoregressions of the columns of a series, chosen together with
 * changes of its level. */
#ifndef KG_DEPENDENCE_H
#define KG_DEPENDENCE_H

#include "kg_room.h"

enum { KG_ORDER = 3 }; /* of an autoregression, at most */

typedef struct {
  size_t n, d, cells, changes; /* changes: at most */
  size_t least, width;         /* rows of a run at least; that a change may move */
  double price;                /* of a change, times (d + 1) log n */
  const double *x;             /* n x d */
  const double *between;       /* cells x cells: sums of B, B_ii = 0 */
  const size_t *end;           /* cells + 1: the first row of each, then n */
  double *W;                   /* (cells + 1)^2: of the rows between two ends */
  double *best;                /* (changes + 1) x (cells + 1): least W up to an end */
  size_t *from;                /* the same: the end before */
  double *sums;                /* (n + 1) x d: of the rows before */
  double *rest;                /* n: deviations from means of runs */
  size_t *start;               /* changes + 2 */
  double *phi;                 /* KG_ORDER x d: of the last attempt */
} kg_dependence;

/* The largest falls of W by one change and by up to two at ends of the cells of a run, over
 * its W/m; 0 if that is not above 0. between: the sums of B of its cells, columns of
 * `stride`; room: (cells + 1)(cells + 2) values. O(cells^2) */
void kg_run_falls(const double *between, size_t stride, const size_t *end, size_t cells,
                  size_t least, double *room, double *fall);
/* Arrays, once n, d, cells and changes are set. */
void kg_dependence_lay(kg_dependence *t, kg_room *room);
/* Returns the most changes that leave `least` rows in each run. O(changes cells^2 + n d) */
size_t kg_dependence_begin(kg_dependence *t);
/* The best m changes at ends of cells, each moved to where the means have the least sum of
 * squares, and the autoregressions of the deviations, phi. Returns sum_j [n log v_j + p_j
 * log n] + price m (d + 1) log n, v_j the variance of the innovations. O((n + m width) d) */
double kg_dependence_try(kg_dependence *t, size_t m);

#endif
