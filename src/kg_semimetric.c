/* kg_semimetric.c - the table of semimetrics, and values from distances to -rho/2.
 *
 * Bounded semimetrics use expm1, so that small distances keep all their digits. */
#include "kg_semimetric.h"
#include "kg_check.h"
#include "kg_loops.h"
#include <math.h>

static double power(double d, double a) {
  return -0.5 * pow(d, a);
}

static double power_square(double q, double a) {
  return -0.5 * pow(q, 0.5 * a);
}

static double exponential(double d, double a) {
  return expm1(d * (-0.5 / a));
}

static double gaussian(double d, double a) {
  double u = d / a;
  return expm1(-0.5 * u * u);
}

static double gaussian_square(double q, double a) {
  return expm1(-0.5 * (q / a) / a); /* divided twice: a * a could underflow */
}

/* d of two unit vectors is at most 2, but for rounding. */
static double arc(double d, double a) {
  return -0.5 * pow(2 * asin(d < 2 ? 0.5 * d : 1), a);
}

/* In the order of kg_family. */
static const kg_semimetric_row table[KG_N_FAMILIES] = {
    {"power", power, power_square, KG_SQUARE, KG_SCALES_POWER, 1, KG_SUM_SQUARES},
    {"exponential", exponential, NULL, KG_EXP_ROOT, KG_SCALES_WITH, 1, KG_SUM_SQUARES},
    {"gaussian", gaussian, gaussian_square, KG_EXP_SQUARE, KG_SCALES_WITH, 1,
     KG_SUM_SQUARES},
    {"given", NULL, NULL, KG_ROOT, KG_SCALES_LINEARLY, -1, KG_SUM_SQUARES},
    {"arc", arc, NULL, KG_SCALAR, KG_NOT_SCALED, 1, KG_SUM_SQUARES},
    {"manhattan", power, NULL, KG_SQUARE, KG_SCALES_POWER, 1, KG_SUM_ABSOLUTE},
    {"maximum", power, NULL, KG_SQUARE, KG_SCALES_POWER, 0, KG_SUM_MAXIMUM},
    {"minkowski", power, NULL, KG_SQUARE, KG_SCALES_POWER, -1, KG_SUM_POWERS},
    {"canberra", power, NULL, KG_SQUARE, KG_NOT_SCALED, 1, KG_SUM_CANBERRA},
    {"hamming", power, NULL, KG_SQUARE, KG_NOT_SCALED, 1, KG_SUM_UNEQUAL},
    {"jaccard", power, NULL, KG_SQUARE, KG_NOT_SCALED, 1, KG_SUM_UNION},
};

const kg_semimetric_row *kg_semimetric_of(enum kg_family family) {
  KG_CHECK(family < KG_N_FAMILIES);
  return table + family;
}

enum kg_shape kg_shape_of(kg_semimetric rho) {
  const double a = rho.parameter;
  const enum kg_shape shape = table[rho.family].shape;
  if (shape != KG_SQUARE || a == 2)
    return shape;
  return a == 1     ? KG_ROOT
         : a == 0.5 ? KG_FOURTH_ROOT
         : a == 1.5 ? KG_ROOT_CUBED
                    : KG_POWERED;
}

/* The same semimetric as a function of distances. */
static enum kg_shape of_distances(enum kg_shape of_squares) {
  static const enum kg_shape shape[] = {[KG_ROOT] = KG_SQUARE,
                                        [KG_SQUARE] = KG_POWER_TWO,
                                        [KG_FOURTH_ROOT] = KG_ROOT,
                                        [KG_ROOT_CUBED] = KG_TIMES_ROOT,
                                        [KG_POWERED] = KG_POWERED,
                                        [KG_EXP_ROOT] = KG_EXP_DISTANCE,
                                        [KG_EXP_SQUARE] = KG_EXP_POWER_TWO};
  return shape[of_squares]; /* KG_SCALAR for the angle */
}

#define EACH(expression)                                                                 \
  for (size_t i = 0; i < n; i++) {                                                       \
    const double v = value[i];                                                           \
    value[i] = (expression);                                                             \
  }                                                                                      \
  break

/* Vectors first, the rest one by one; the commonest without a call for every value. */
static void from_values(kg_semimetric rho, enum kg_shape shape, int squares,
                        double *value, size_t n) {
  const kg_semimetric_row *row = table + rho.family;
  const double a = rho.parameter;
  size_t done = 0;
  if (kg_chosen_loops->from_values)
    done = kg_chosen_loops->from_values(
        shape, shape == KG_POWERED && squares ? 0.5 * a : a, value, n);
  value += done;
  n -= done;
  switch (shape) {
  case KG_ROOT:
    EACH(-0.5 * sqrt(v));
  case KG_SQUARE:
    EACH(-0.5 * v);
  case KG_FOURTH_ROOT:
    EACH(-0.5 * sqrt(sqrt(v)));
  case KG_ROOT_CUBED:
    EACH(-0.5 * sqrt(v) * sqrt(sqrt(v)));
  case KG_POWER_TWO:
    EACH(-0.5 * v * v);
  case KG_TIMES_ROOT:
    EACH(-0.5 * v * sqrt(v));
  default:
    if (squares && row->square) {
      EACH(row->square(v, a));
    }
    EACH(row->value(squares ? sqrt(v) : v, a));
  }
}

void kg_from_squares(kg_semimetric rho, double *value, size_t n) {
  from_values(rho, kg_shape_of(rho), 1, value, n);
}

void kg_from_distances(kg_semimetric rho, double *value, size_t n) {
  from_values(rho, of_distances(kg_shape_of(rho)), 0, value, n);
}
