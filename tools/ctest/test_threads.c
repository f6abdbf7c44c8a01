/* test_threads.c - how many threads there may be. */
#include "ctest.h"
#include "kernels.h"

static void never_fewer_than_one_nor_within_another_team(void) {
  CHECK(kg_threads_allowed(1) == 1);
  CHECK(kg_threads_allowed(0) == 1);
  CHECK(kg_threads_allowed(-5) == 1);
  CHECK(kg_threads_allowed(2) <= 2);
  CHECK(kg_thread_number() == 0);
#ifdef _OPENMP
  int inside[2] = {0, 0};
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2; i++) inside[i] = kg_threads_allowed(4);
  CHECK(inside[0] == 1 && inside[1] == 1);
#endif
}

int main(void) {
  RUN(never_fewer_than_one_nor_within_another_team);
  return DONE();
}
