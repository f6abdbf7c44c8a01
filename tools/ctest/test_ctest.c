/* test_ctest.c - the numbers that the other tests draw are what they claim to be. */
#include "ctest.h"

static void uniforms_are_uniform(void) {
  uint64_t state = 1;
  size_t n = 100000;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    double u = ctest_uniform(&state);
    if (!(u > 0 && u < 1)) CHECK(!"a uniform outside (0, 1)");
    sum += u;
    squares += u * u;
  }
  CHECK_NEAR(sum / (double)n, 0.5, 0.01);
  CHECK_NEAR(squares / (double)n, 1.0 / 3.0, 0.01);
}

static void normals_are_normal(void) {
  uint64_t state = 2;
  size_t n = 100000;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    double z = ctest_normal(&state);
    sum += z;
    squares += z * z;
  }
  CHECK_NEAR(sum / (double)n, 0.0, 0.02);
  CHECK_NEAR(squares / (double)n, 1.0, 0.02);
}

static void indices_stay_below(void) {
  uint64_t state = 3;
  int seen[7] = {0};
  for (int i = 0; i < 1000; i++) seen[ctest_below(&state, 7)]++;
  for (int i = 0; i < 7; i++) CHECK(seen[i] > 0);
}

int main(void) {
  RUN(uniforms_are_uniform);
  RUN(normals_are_normal);
  RUN(indices_stay_below);
  return DONE();
}
