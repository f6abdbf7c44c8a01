/* kg_check.h - contracts of the kernels. KG_CHECK(condition) stops the program if the
 * condition does not hold. tools/ctest and tools/fuzz define KG_CHECKS; the package does
 * not, and the condition is then not evaluated.
 *
 * Conventions of all kernels: pure C99, no R. Matrices are column-major as in R. Labels
 * run from 0. The caller owns all memory. A kernel does one bounded piece of work and
 * returns, so that the caller can poll for interrupts. Random numbers come in as uniforms
 * on [0, 1]. */
#ifndef KG_CHECK_H
#define KG_CHECK_H

#ifdef KG_CHECKS
#include <stdio.h>
#include <stdlib.h>

static inline void kg_check_failed(const char *file, int line, const char *condition) {
  fprintf(stderr, "%s:%d: contract violated: %s\n", file, line, condition);
  abort();
}

#define KG_CHECK(condition)                                                              \
  ((condition) ? (void)0 : kg_check_failed(__FILE__, __LINE__, #condition))
#else
#define KG_CHECK(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

/* Properties of constants, in a file that relies on them. */
#define KG_STATIC(name, condition) typedef char name[(condition) ? 1 : -1]

#endif
