/* ffi_threads.c - how many threads parallel loops may use.
 *
 * A team of threads does not survive a fork: OpenMP in the child of a process that has
 * used it waits for threads that are no more. So a forked child gets one thread, whether
 * the fork came after this library was loaded (the process id shows it) or before (on
 * Linux the address where the stack starts, drawn again by every exec, is then the
 * parent's). */
#include "ffi.h"
#include "kg_threads.h"
#include <stdio.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

static int threads_requested = 1;

#ifndef _WIN32
static pid_t process = 0;
static int forked = 0;

/* field 28 of /proc/PID/stat, 0 where it cannot be read. */
static unsigned long stack_start(long pid) {
  char path[64], text[2048];
  unsigned long start = 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  const char *at = strrchr(text, ')'); /* a name may hold blanks */
  for (int field = 2; at && field < 28; field++) {
    at = strchr(at + 1, ' ');
  }
  if (at)
    sscanf(at, " %lu", &start);
  return start;
}
#endif

void ffi_threads_init(void) {
#ifndef _WIN32
  unsigned long own = stack_start((long)getpid());
  process = getpid();
  forked = own > 0 && own == stack_start((long)getppid());
#endif
}

static int in_fork(void) {
#ifndef _WIN32
  return forked || getpid() != process;
#else
  return 0;
#endif
}

int ffi_threads_of(int requested) {
  return requested == 1 || in_fork() ? 1 : kg_threads_allowed(requested);
}

int ffi_threads(void) {
  return ffi_threads_of(threads_requested);
}

/* Returns the number that will be used. */
SEXP ffi_choose_threads(SEXP threads) {
  threads_requested = (int)ffi_count(threads, 1, 1024, "threads");
  return Rf_ScalarInteger(ffi_threads());
}
