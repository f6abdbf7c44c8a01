/* test_powers.c - values from squares and distances to -rho/2, against long double. */
#include "reference.h"

/* Relative to the value, or to the least subnormal number; rho itself may overflow. */
static int close_to(double value, long double wanted, double tolerance) {
  if (isinf((double)(2 * wanted * (1 - (long double)tolerance))))
    return value == -HUGE_VAL;
  if (isinf(value))
    return isinf((double)(2 * wanted * (1 + (long double)tolerance)));
  return fabsl((long double)value - wanted) <= (long double)tolerance * fabsl(wanted) + 0x1p-1073L;
}

static long double of_distance(kg_semimetric rho, long double d) {
  const long double a = rho.parameter;
  switch (rho.family) {
  case KG_EXPONENTIAL:
    return expm1l(-0.5L * d / a);
  case KG_GAUSSIAN:
    return expm1l(-0.5L * (d / a) * (d / a));
  default:
    return -0.5L * powl(d, a);
  }
}

/* Values of every size, and those at which loops do something else. */
static size_t fill(uint64_t *rng, double *value, size_t n, double low, double high) {
  static const double odd[] = {0, 1, 0x1p-1074, 0x1.8p-1073, 0x1p-1022, 0x0.fffffffffffffp-1022,
                               0x1.fffffffffffffp1023, HUGE_VAL, 0x1.6a09e667f3bcdp0, 0x1.6a09e667f3bccp0,
                               0x1.fffffffffffffp-1, 0x1.0000000000001p0, 2, 0.5, 4, 3};
  for (size_t i = 0; i < n; i++)
    value[i] = exp2(low + (high - low) * ctest_uniform(rng));
  for (size_t i = 0; i < 16 && low < -1000; i++)
    value[ctest_below(rng, n)] = odd[i];
  return n;
}

static void powers_are_those_of_long_double(void) {
  static const double power[] = {1e-3, 0.1, 0.5, 0.7, 1, 1.3, 1.5, 1.9, 1.9999, 2, 0.333333333333333314829616256247};
  uint64_t rng = 71;
  enum { N = 1003 };
  double value[N], from[N];
  for (size_t a = 0; a < sizeof power / sizeof *power; a++) {
    for (int range = 0; range < 3; range++) {
      kg_semimetric rho = {range == 2 ? KG_MANHATTAN : KG_POWER, power[a]};
      for (int squares = 0; squares < 2; squares++) {
        fill(&rng, from, N, range == 0 ? -1074 : range == 1 ? -1 : -20, range == 0 ? 1024 : range == 1 ? 1 : 20);
        memcpy(value, from, sizeof value);
        if (squares)
          kg_from_squares(rho, value, N);
        else
          kg_from_distances(rho, value, N);
        for (size_t i = 0; i < N; i++)
          CHECK(close_to(value[i], of_distance(rho, squares ? sqrtl((long double)from[i]) : from[i]), 1e-15));
      }
    }
  }
}

/* The same bits beside values of any size, and in the last columns of vectors. */
static void powers_do_not_depend_on_their_neighbours(void) {
  uint64_t rng = 73;
  enum { N = 64 };
  double from[N], all[N], some[N];
  for (int turn = 0; turn < 60; turn++) {
    kg_semimetric rho = {KG_POWER, 0.05 * (turn + 1)};
    fill(&rng, from, N, -3, 3);
    memcpy(all, from, sizeof from);
    kg_from_squares(rho, all, N);
    size_t odd = ctest_below(&rng, N);
    memcpy(some, from, sizeof from);
    some[odd] = turn % 3 == 0 ? 0 : turn % 3 == 1 ? NAN : 0x1p-1074;
    kg_from_squares(rho, some, N);
    for (size_t i = 0; i < N; i++)
      CHECK(i == odd || some[i] == all[i]);
  }
}

static void missing_values_stay_missing(void) {
  static const enum kg_family family[] = {KG_POWER, KG_MANHATTAN, KG_MINKOWSKI};
  for (size_t f = 0; f < 3; f++)
    for (int a = 1; a < 20; a++) {
      kg_semimetric rho = {family[f], 0.1 * a};
      double value[] = {1, 2, NAN, 3, 4, 5, 6, 7, NAN};
      kg_from_distances(rho, value, 9);
      for (size_t i = 0; i < 9; i++)
        CHECK(isnan(value[i]) == (i == 2 || i == 8));
    }
}

static void bounded_values_are_those_of_long_double(void) {
  uint64_t rng = 72;
  enum { N = 1003 };
  double value[N], from[N];
  for (int family = KG_EXPONENTIAL; family <= KG_GAUSSIAN; family++)
    for (int squares = 0; squares < 2; squares++) {
      kg_semimetric rho = {(enum kg_family)family, 0.7};
      fill(&rng, from, N, -60, 8);
      memcpy(value, from, sizeof value);
      if (squares)
        kg_from_squares(rho, value, N);
      else
        kg_from_distances(rho, value, N);
      for (size_t i = 0; i < N; i++)
        CHECK(close_to(value[i], of_distance(rho, squares ? sqrtl((long double)from[i]) : from[i]), 2e-15));
    }
}

/* Logarithms of normal numbers and exponentials of numbers up to 0; the rest of a vector is not touched. */
static void logs_and_exps_are_those_of_long_double(void) {
  uint64_t rng = 73;
  enum { N = 1003 };
  double from[N], value[N];
  for (size_t i = 0; i < N; i++)
    from[i] = exp2(-1000 + 2000 * ctest_uniform(&rng));
  from[5] = HUGE_VAL;
  memcpy(value, from, sizeof value);
  kg_chosen_loops->logs(value, N - 3);
  for (size_t i = 0; i < N - 3; i++)
    CHECK(i == 5 ? isinf(value[i]) : fabsl((long double)value[i] - logl(from[i])) <= 1e-15L * fabsl(logl(from[i])) + 1e-15L);
  CHECK(memcmp(value + N - 3, from + N - 3, 3 * sizeof *value) == 0);
  for (size_t i = 0; i < N; i++)
    from[i] = -800 * ctest_uniform(&rng) * ctest_uniform(&rng);
  from[7] = 0;
  from[8] = -HUGE_VAL;
  memcpy(value, from, sizeof value);
  kg_chosen_loops->exps(value, N);
  for (size_t i = 0; i < N; i++)
    CHECK(from[i] < -700 ? value[i] <= exp(-700) : fabsl((long double)value[i] / expl(from[i]) - 1) <= 1e-14L);
}

int main(void) {
  RUN(powers_are_those_of_long_double);
  RUN(powers_do_not_depend_on_their_neighbours);
  RUN(missing_values_stay_missing);
  RUN(bounded_values_are_those_of_long_double);
  RUN(logs_and_exps_are_those_of_long_double);
  return DONE();
}
