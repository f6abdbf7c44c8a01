/* kg_semimetric.c - the built-in semimetrics, from distances to -rho/2.
 *
 * Bounded semimetrics use expm1, so that small distances keep all their digits. */
#include "kg.h"
#include <math.h>

static double localized(double d) {
  double t = d * exp(-0.25 * d); /* squared at the end: d^2 alone may overflow */
  return d > 1e4 ? 0 : -0.5 * t * t;
}

static double sine(double d, double theta) {
  return -0.5 * d * d * theta * sin(d / theta);
}

enum kg_shape kg_shape_of(kg_semimetric rho) {
  switch (rho.family) {
  case KG_POWER:
    if (rho.parameter == 1) return KG_ROOT;
    if (rho.parameter == 2) return KG_SQUARE;
    if (rho.parameter == 0.5) return KG_FOURTH_ROOT;
    return rho.parameter == 1.5 ? KG_ROOT_CUBED : KG_SCALAR;
  case KG_EXPONENTIAL:
    return KG_EXP_ROOT;
  case KG_GAUSSIAN:
    return KG_EXP_SQUARE;
  case KG_LOCALIZED:
    return KG_EXP_LOCAL;
  default:
    return KG_SCALAR;
  }
}

static void scalar_squares(kg_semimetric rho, double *value, size_t n) {
  double a = rho.parameter;
  switch (rho.family) {
  case KG_POWER:
    if (a == 2) {
      for (size_t i = 0; i < n; i++) value[i] *= -0.5;
    } else if (a == 1) {
      for (size_t i = 0; i < n; i++) value[i] = -0.5 * sqrt(value[i]);
    } else if (a == 0.5) {
      for (size_t i = 0; i < n; i++) value[i] = -0.5 * sqrt(sqrt(value[i]));
    } else if (a == 1.5) {
      for (size_t i = 0; i < n; i++) {
        double d = sqrt(value[i]);
        value[i] = -0.5 * d * sqrt(d);
      }
    } else {
      for (size_t i = 0; i < n; i++) value[i] = -0.5 * pow(value[i], 0.5 * a);
    }
    break;
  case KG_EXPONENTIAL:
    for (size_t i = 0; i < n; i++) value[i] = expm1(sqrt(value[i]) * (-0.5 / a));
    break;
  case KG_GAUSSIAN:
    /* divided twice: a * a could underflow */
    for (size_t i = 0; i < n; i++) value[i] = expm1(-0.5 * (value[i] / a) / a);
    break;
  case KG_LOCALIZED:
    for (size_t i = 0; i < n; i++) value[i] = localized(sqrt(value[i]));
    break;
  case KG_SINE:
    for (size_t i = 0; i < n; i++) value[i] = sine(sqrt(value[i]), a);
    break;
  case KG_GIVEN:
  case KG_N_FAMILIES:
    for (size_t i = 0; i < n; i++) value[i] = -0.5 * sqrt(value[i]);
    break;
  }
}

static void scalar_distances(kg_semimetric rho, double *value, size_t n) {
  double a = rho.parameter;
  switch (rho.family) {
  case KG_POWER:
    if (a == 1) {
      for (size_t i = 0; i < n; i++) value[i] *= -0.5;
    } else if (a == 2) {
      for (size_t i = 0; i < n; i++) value[i] *= -0.5 * value[i];
    } else if (a == 0.5) {
      for (size_t i = 0; i < n; i++) value[i] = -0.5 * sqrt(value[i]);
    } else {
      for (size_t i = 0; i < n; i++) value[i] = -0.5 * pow(value[i], a);
    }
    break;
  case KG_EXPONENTIAL:
    for (size_t i = 0; i < n; i++) value[i] = expm1(value[i] * (-0.5 / a));
    break;
  case KG_GAUSSIAN:
    for (size_t i = 0; i < n; i++) {
      double u = value[i] / a;
      value[i] = expm1(-0.5 * u * u);
    }
    break;
  case KG_LOCALIZED:
    for (size_t i = 0; i < n; i++) value[i] = localized(value[i]);
    break;
  case KG_SINE:
    for (size_t i = 0; i < n; i++) value[i] = sine(value[i], a);
    break;
  case KG_GIVEN:
  case KG_N_FAMILIES:
    for (size_t i = 0; i < n; i++) value[i] *= -0.5;
    break;
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
