/* kg_rule.h - what a move of a point from one cluster to another gains, and when the gain
 * is real.
 *
 * Hartigan's inequality, Eq. (50), for any symmetric B: moving x_i from j to l changes W
 * by w s_l/(s_l + w) d2_il - w s_j/(s_j - w) d2_ij.
 *
 * Every engine calls kg_may_leave, kg_leave, kg_consider for each other cluster,
 * then kg_accept. */
#ifndef KG_RULE_H
#define KG_RULE_H

#include "kg_check.h"
#include <math.h>
#include <stddef.h>

/* The digits that sums of many terms may lose in rounding, relative to the largest of
 * what is subtracted: some 64 units in the last place. */
#define KG_ROUNDING 1.5e-14

/* Part of the dispersion of a point that a move has to gain. */
#define KG_TOLERANCE 1e-10

/* Relative difference below which two values count as equal. */
#define KG_EQUAL 1e-10

/* Part of a cluster's weight: a point that would leave less behind stays. */
#define KG_REMAINDER 1e-12

/* Part of the largest weight or dispersion of a cluster: sums are recomputed below it. */
#define KG_WORN 1e-3

/* Ratio of weights that are far apart. */
#define KG_WIDE_WEIGHTS 1e6

/* Less by more than rounding. Points on a lattice are as far from one mean as from
 * another one, and rounding, which differs between machines, must not choose between
 * them. Infinite values are compared as they are. */
static inline int kg_below(double value, double other) {
  return value + KG_EQUAL * fabs(value) < other;
}

typedef struct {
  double tolerance; /* W has to fall by more */
  double W;         /* kept up to date by the moves */
} kg_rule;

/* A point that is about to leave, and the best cluster for it so far. */
typedef struct {
  double w, gone;
  double least;  /* what coming costs, which is minimised */
  double change; /* of W, set by kg_accept */
  size_t best;
} kg_choice;

/* A point of weight 0 takes no part, and the last points of a cluster stay: a count
 * determines, since s - w need not come out as 0. If nearly all of the cluster's weight
 * is the point's own, what it leaves is w (s - w)/s times a squared distance: below the
 * tolerance, and d2 is all rounding. */
static inline int kg_may_leave(double w, double s, size_t count) {
  return w > 0 && count >= 2 && s - w > KG_REMAINDER * s;
}

/* s, d2: of the point's own cluster. */
static inline kg_choice kg_leave(double w, double s, double d2) {
  KG_CHECK(w > 0 && s > w);
  kg_choice c = {w, w * (s / (s - w)) * d2, HUGE_VAL, 0, (size_t)-1};
  return c;
}

/* 1 if even entering a cluster at cost 0 would gain less than the tolerance. Needs d2 >=
 * 0. */
static inline int kg_hopeless(const kg_rule *rule, const kg_choice *c) {
  return !(c->gone > rule->tolerance);
}

/* The quantity that is minimised over the other clusters l. */
static inline double kg_value(const kg_choice *c, double s, double d2) {
  KG_CHECK(s > 0);
  return c->w * (s / (s + c->w)) * d2;
}

/* Another cluster l with weight, in increasing order: ties go to the lowest l. */
static inline void kg_consider(kg_choice *c, size_t l, double s, double d2) {
  double value = kg_value(c, s, d2);
  if (kg_below(value, c->least)) { /* two assignments: compiled without a branch */
    c->least = value;
    c->best = l;
  }
}

/* The same in any order. */
static inline void kg_consider_any(kg_choice *c, size_t l, double s, double d2) {
  double value = kg_value(c, s, d2);
  if (kg_below(value, c->least) || (l < c->best && !kg_below(c->least, value))) {
    c->least = value;
    c->best = l;
  }
}

/* 0 if kg_accept would reject the move to c->best. */
static inline int kg_tempting(const kg_rule *rule, const kg_choice *c) {
  if (c->best == (size_t)-1)
    return 0;
  double change = c->least - c->gone;
  return change < 0 && change < -rule->tolerance;
}

/* Is the gain more than rounding? s and terms of the own cluster and of the best one;
 * terms are the sum of the absolute values that d2 is made of. d2: to the best one. */
static inline int kg_accept(const kg_rule *rule, kg_choice *c, double s_own,
                            double terms_own, double s_new, double terms_new, double d2) {
  double w = c->w, come = w * (s_new / (s_new + w)) * d2;
  double slack = KG_ROUNDING * (w * (s_own / (s_own - w)) * terms_own +
                                w * (s_new / (s_new + w)) * terms_new);
  c->change = come - c->gone;
  if (!kg_tempting(rule, c))
    return 0;
  return c->least - c->gone < -(rule->tolerance + slack);
}

/* After totals from scratch: cost_l are the within dispersions of the k clusters, W their
 * sum. The scale is the mean over points of the clusters' absolute dispersions: it needs
 * no centre, an offset of the data leaves it alone, and it is never negative. */
static inline void kg_rule_totals(kg_rule *rule, const double *cost, size_t k, size_t n) {
  double scale = 0;
  rule->W = 0;
  for (size_t l = 0; l < k; l++) {
    scale += fabs(cost[l]);
    rule->W += cost[l];
  }
  rule->tolerance = KG_TOLERANCE * scale / (double)n;
}

#endif
