/* How long a call of R goes without a check for an interrupt: R_CheckUserInterrupt() is taken over by
 * LD_PRELOAD, and the longest time between two checks is kept, of the processor and of the clock.
 * A call that has had `limit` seconds is interrupted. tools/trust/interrupt.R compiles and reads it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <time.h>

static double worst_cpu, worst_clock, last_cpu, last_clock, begun, limit;
static int scans, depth;
static void *stack[40];

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void scan(void)
{
  double cpu = now(CLOCK_THREAD_CPUTIME_ID), clock = now(CLOCK_MONOTONIC);
  if (cpu - last_cpu > worst_cpu) {
    worst_cpu = cpu - last_cpu;
    if (worst_cpu > 0.1)
      depth = backtrace(stack, 40);
  }
  if (clock - last_clock > worst_clock)
    worst_clock = clock - last_clock;
  last_cpu = cpu;
  last_clock = clock;
  scans++;
}

void polls_begin(double *seconds)
{
  limit = *seconds;
  last_cpu = begun = now(CLOCK_THREAD_CPUTIME_ID);
  last_clock = now(CLOCK_MONOTONIC);
  worst_cpu = worst_clock = 0;
  scans = depth = 0;
}

void polls_end(double *out)
{
  scan();
  limit = 0;
  out[0] = worst_cpu;
  out[1] = worst_clock;
  out[2] = last_cpu - begun;
  out[3] = scans;
}

/* the first routine of the package that stood above the check which ended the longest time */
void polls_where(char **out)
{
  char **names = backtrace_symbols(stack, depth);
  static char line[1000];
  line[0] = 0;
  for (int i = 2; i < depth && names && strlen(line) < 600; i++)
    if (strstr(names[i], "kgroups.so")) {
      const char *at = strchr(names[i], '(');
      strncat(line, at ? at : names[i], 60);
    }
  out[0] = line;
}

void R_CheckUserInterrupt(void)
{
  static void (*real)(void);
  static int *pending;
  if (!real) {
    real = (void (*)(void)) dlsym(RTLD_NEXT, "R_CheckUserInterrupt");
    pending = (int *) dlsym(RTLD_NEXT, "R_interrupts_pending");
  }
  scan();
  if (limit > 0 && pending && last_cpu - begun > limit) {
    *pending = 1;
    limit = 0;
  }
  real();
}
