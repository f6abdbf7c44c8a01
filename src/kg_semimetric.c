/* kg_semimetric.c - the table of semimetrics, and values from distances to -rho/2.
 *
 * Bounded semimetrics use expm1, so that small distances keep all their digits. */
#include "kg_semimetric.h"
#include "kg_loops.h"
#include <math.h>

static double power(double d, double a) {
  return -0.5 * pow(d, a);
}

static double power_square(double q, double a) {
  return -0.5 * pow(q, 0.5 * a);
}

static enum kg_shape power_shape(double a) {
  if (a == 1)
    return KG_ROOT;
  if (a == 2)
    return KG_SQUARE;
  if (a == 0.5)
    return KG_FOURTH_ROOT;
  return a == 1.5 ? KG_ROOT_CUBED : KG_SCALAR;
}

static double exponential(double d, double a) {
  return expm1(d * (-0.5 / a));
}

static enum kg_shape exponential_shape(double a) {
  (void)a;
  return KG_EXP_ROOT;
}

static double gaussian(double d, double a) {
  double u = d / a;
  return expm1(-0.5 * u * u);
}

static double gaussian_square(double q, double a) {
  return expm1(-0.5 * (q / a) / a); /* divided twice: a * a could underflow */
}

static enum kg_shape gaussian_shape(double a) {
  (void)a;
  return KG_EXP_SQUARE;
}

/* d of two unit vectors is at most 2, but for rounding. */
static double arc(double d, double a) {
  return -0.5 * pow(2 * asin(d < 2 ? 0.5 * d : 1), a);
}

static enum kg_shape given_shape(double a) {
  (void)a;
  return KG_ROOT;
}

/* In the order of kg_family. */
static const kg_semimetric_row table[KG_N_FAMILIES] = {
    {"power", power, power_square, power_shape, KG_SCALES_POWER, 1, KG_SUM_SQUARES},
    {"exponential", exponential, NULL, exponential_shape, KG_SCALES_WITH, 1,
     KG_SUM_SQUARES},
    {"gaussian", gaussian, gaussian_square, gaussian_shape, KG_SCALES_WITH, 1,
     KG_SUM_SQUARES},
    {"given", NULL, NULL, given_shape, KG_SCALES_LINEARLY, -1, KG_SUM_SQUARES},
    {"arc", arc, NULL, NULL, KG_NOT_SCALED, 1, KG_SUM_SQUARES},
    {"manhattan", power, NULL, power_shape, KG_SCALES_POWER, 1, KG_SUM_ABSOLUTE},
    {"maximum", power, NULL, power_shape, KG_SCALES_POWER, 0, KG_SUM_MAXIMUM},
    {"minkowski", power, NULL, power_shape, KG_SCALES_POWER, -1, KG_SUM_POWERS},
    {"canberra", power, NULL, power_shape, KG_NOT_SCALED, 1, KG_SUM_CANBERRA},
    {"hamming", power, NULL, power_shape, KG_NOT_SCALED, 1, KG_SUM_UNEQUAL},
    {"jaccard", power, NULL, power_shape, KG_NOT_SCALED, 1, KG_SUM_UNION},
};

const kg_semimetric_row *kg_semimetric_of(enum kg_family family) {
  return table + family;
}

enum kg_shape kg_shape_of(kg_semimetric rho) {
  const kg_semimetric_row *row = table + rho.family;
  return row->shape ? row->shape(rho.parameter) : KG_SCALAR;
}

/* The commonest without a call for every value. */
static void scalar_squares(kg_semimetric rho, double *value, size_t n) {
  const kg_semimetric_row *row = table + rho.family;
  double a = rho.parameter;
  switch (kg_shape_of(rho)) {
  case KG_ROOT:
    for (size_t i = 0; i < n; i++)
      value[i] = -0.5 * sqrt(value[i]);
    break;
  case KG_SQUARE:
    for (size_t i = 0; i < n; i++)
      value[i] *= -0.5;
    break;
  case KG_FOURTH_ROOT:
    for (size_t i = 0; i < n; i++)
      value[i] = -0.5 * sqrt(sqrt(value[i]));
    break;
  case KG_ROOT_CUBED:
    for (size_t i = 0; i < n; i++) {
      double d = sqrt(value[i]);
      value[i] = -0.5 * d * sqrt(d);
    }
    break;
  default:
    if (row->square)
      for (size_t i = 0; i < n; i++)
        value[i] = row->square(value[i], a);
    else
      for (size_t i = 0; i < n; i++)
        value[i] = row->value(sqrt(value[i]), a);
  }
}

static void scalar_distances(kg_semimetric rho, double *value, size_t n) {
  const kg_semimetric_row *row = table + rho.family;
  switch (kg_shape_of(rho)) {
  case KG_ROOT:
    for (size_t i = 0; i < n; i++)
      value[i] *= -0.5;
    break;
  case KG_SQUARE:
    for (size_t i = 0; i < n; i++)
      value[i] *= -0.5 * value[i];
    break;
  case KG_FOURTH_ROOT:
    for (size_t i = 0; i < n; i++)
      value[i] = -0.5 * sqrt(value[i]);
    break;
  default:
    for (size_t i = 0; i < n; i++)
      value[i] = row->value(value[i], rho.parameter);
  }
}

/* Vectors first, the rest one by one. */
void kg_from_squares(kg_semimetric rho, double *value, size_t n) {
  const kg_loops *loops = kg_chosen_loops;
  size_t done = loops->from_squares ? loops->from_squares(rho, value, n) : 0;
  scalar_squares(rho, value + done, n - done);
}

void kg_from_distances(kg_semimetric rho, double *value, size_t n) {
  const kg_loops *loops = kg_chosen_loops;
  size_t done = loops->from_distances ? loops->from_distances(rho, value, n) : 0;
  scalar_distances(rho, value + done, n - done);
}
