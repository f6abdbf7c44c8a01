/* kg_threads.c - what the kernels need of OpenMP; without it there is one thread. */
#include "kg_threads.h"
#ifdef _OPENMP
#include <omp.h>
#endif

int kg_thread_number(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

int kg_threads_allowed(int requested) {
#ifdef _OPENMP
  int limit = omp_get_thread_limit();
  if (requested > limit)
    requested = limit;
  if (omp_in_parallel())
    requested = 1;
#else
  requested = 1;
#endif
  return requested < 1 ? 1 : requested;
}
