/* kg_loops.c - the choice between the inner loops of the instruction sets.
 *
 * Chosen once, when the package is loaded: AVX-512, else AVX2 with FMA, else plain C.
 * Other processors and compilers have plain C alone. */
#include "kg_loops.h"
#include <string.h>

const kg_loops *kg_chosen_loops = &kg_loops_base;

/* The loops of that name if this processor has the instructions, else NULL; "auto" gives
 * the fastest. */
static const kg_loops *find(const char *name) {
  int any = strcmp(name, "auto") == 0;
#ifdef KG_X86
  __builtin_cpu_init();
  if ((any || strcmp(name, "avx512") == 0) && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma"))
    return &kg_loops_avx512;
  if ((any || strcmp(name, "avx2") == 0) && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return &kg_loops_avx2;
#endif
  return any || strcmp(name, "base") == 0 ? &kg_loops_base : NULL;
}

int kg_choose_loops(const char *name) {
  const kg_loops *found = find(name);
  if (!found)
    return 0;
  kg_chosen_loops = found;
  return 1;
}
