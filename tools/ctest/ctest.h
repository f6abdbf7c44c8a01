/* ctest.h - a test driver in one header: each test_*.c includes it, calls CHECK in the
 * functions that main() hands to RUN, and returns DONE(). A failed check prints its place
 * and the rest goes on; the last line is "N passed, N failed". */
#ifndef KG_CTEST_H
#define KG_CTEST_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long ctest_passed, ctest_failed;
static const char *ctest_now = "";

/* A check within a loop counts once a function: lines that passed (1) or failed (2). */
#define CTEST_LINES 8192
static unsigned char ctest_seen[CTEST_LINES];

static inline int ctest_first(const char *file, int line, unsigned char bit) {
  unsigned char *seen = &ctest_seen[((size_t)line + 977 * strlen(file)) % CTEST_LINES];
  if (*seen & bit) return 0;
  *seen |= bit;
  return 1;
}

/* At most so many failures are printed. */
#define CTEST_SHOWN 20

static inline int ctest_check(int ok, const char *file, int line, const char *text) {
  static int shown;
  if (ok) {
    ctest_passed += ctest_first(file, line, 1);
  } else {
    ctest_failed += ctest_first(file, line, 2);
    if (++shown <= CTEST_SHOWN) {
      fprintf(stderr, "%s:%d: in %s: %s\n", file, line, ctest_now, text);
    }
  }
  return ok;
}

static inline int ctest_near(double a, double b, double tolerance, const char *file,
                             int line, const char *text) {
  double size = fmax(fmax(fabs(a), fabs(b)), 1.0);
  char message[400];
  snprintf(message, sizeof message, "%s: %.17g against %.17g", text, a, b);
  return ctest_check(fabs(a - b) <= tolerance * size, file, line, message);
}

#define CHECK(condition) ctest_check((condition) ? 1 : 0, __FILE__, __LINE__, #condition)

/* Equal within tolerance, relative to the larger of the two and 1. NaN is never near. */
#define CHECK_NEAR(a, b, tolerance)                                                      \
  ctest_near((a), (b), (tolerance), __FILE__, __LINE__, #a " near " #b)

/* Code that a header on top of this one does before every function. */
#ifndef CTEST_BEFORE
#define CTEST_BEFORE() ((void)0)
#endif

#define RUN(function)                                                                    \
  do {                                                                                   \
    ctest_now = #function;                                                               \
    memset(ctest_seen, 0, sizeof ctest_seen);                                            \
    CTEST_BEFORE();                                                                      \
    function();                                                                          \
  } while (0)

#define DONE()                                                                           \
  (printf("%ld passed, %ld failed\n", ctest_passed, ctest_failed), ctest_failed ? 1 : 0)

/* Deterministic numbers, the same on every machine (splitmix64). */
static inline double ctest_uniform(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static inline size_t ctest_below(uint64_t *state, size_t n) {
  size_t i = (size_t)(ctest_uniform(state) * (double)n);
  return i < n ? i : n - 1;
}

static inline double ctest_normal(uint64_t *state) {
  double u = ctest_uniform(state), v = ctest_uniform(state);
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* Memory of exactly the requested size, so that the sanitizer reports every step outside. */
static inline void *ctest_alloc(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  if (!p) {
    fprintf(stderr, "out of memory\n");
    exit(2);
  }
  return p;
}

#define NEW(type, count) ((type *)ctest_alloc((count), sizeof(type)))
#define TEST_ROOM(bytes) ctest_alloc((bytes), 1)

#endif
