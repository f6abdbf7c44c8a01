/* kg_start.h - draws, and starting points: k-means++. */
#ifndef KG_START_H
#define KG_START_H

#include "kg_engine.h"

/* The point at fraction u of the total of w (l = 0), of w * nearest, or, where all other
 * points lie on a centre, of the points of positive weight that are no centre. n if there
 * is none. mass: n values. */
size_t kg_draw(const double *w, const double *nearest, size_t n, size_t l, double u,
               double *mass);

/* Uniforms that are taken over and over, turned round the unit circle by another part
 * every time that they begin again, or what is drawn by them would come back in a circle.
 */
typedef struct {
  const double *u;
  size_t n, at;
  double turned;
} kg_uniforms;

double kg_uniform(kg_uniforms *draws);
size_t kg_one_of(kg_uniforms *draws, size_t many); /* 0 .. many - 1 */

/* k-means++, a piece of work at a time: fill in all but the last four, call kg_plusplus
 * until it returns 1, for one centre after the other. */
typedef struct {
  const kg_input *input;
  size_t candidates;      /* draws a centre, the best of which stays: greedy if above 1 */
  const double *uniforms; /* one a candidate, of the centre l */
  int *label;             /* n: the nearest centre */
  double *nearest;        /* n: rho to it, -Inf for centres */
  double *row;            /* n: workspace */
  size_t l;               /* the centre, 0, 1, .. */
  size_t at, candidate, best, x;
  double least, potential;
  int chosen;
} kg_plusplus;

void kg_plusplus_begin(kg_plusplus *p, size_t l, const double *uniforms);
int kg_plusplus_step(kg_plusplus *p, size_t points);

#endif
