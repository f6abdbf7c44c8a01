/* first-pass.c - the pass that builds the sums R of a partition, as the package does it:
 *
 *   cc -O2 -Isrc -o first-pass bench/first-pass.c src/kg_*.c -lm && ./first-pass n d k [repeats]
 *
 * from the top of the tree prints the least of some repeats in seconds of CPU time, copying
 * and sorting included, and Q. Uniform points, as in floor.c. */
#define _POSIX_C_SOURCE 199309L
#include "kg.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t bytes) {
  void *out = malloc(bytes + 1);
  if (!out) exit(1);
  return out;
}

static void pass(kg_state *state) {
  const kg_pairs *p = state->pairs;
  kg_tiles t;
  double *doubles = memory(sizeof(double) * kg_tiles_doubles(p->n, p->points.d, state->e.k, 1));
  size_t *order = memory(sizeof(size_t) * 2 * p->n);
  int *label = memory(sizeof(int) * kg_tiles_labels(p->n, 1));
  kg_tiles_init(&t, kg_coordinates_of(p), state->e.k, 1, doubles, order, label);
  const int *labels[1] = {state->e.label};
  kg_tiles_fill(&t, state->e.w, labels);
  size_t shares = kg_tiles_shares(&t), *sizes = memory(sizeof(size_t) * kg_tiles_groups(&t));
  double *share_w = memory(sizeof(double) * KG_GROUP * shares);
  int *ints = memory(sizeof(int) * 3 * shares);
  if (shares > 0) kg_tiles_share(&t, share_w, ints, sizes);
  double *workspace = memory(sizeof(double) * kg_tiles_workspace(&t));
  for (size_t round = 0; round < kg_tiles_rounds(&t); round++)
    kg_tiles_round(&t, round, 1, workspace);
  kg_tiles_read(&t, 0, state->R);
  free(doubles), free(order), free(label), free(sizes), free(share_w), free(ints);
  free(workspace);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: first-pass n d k [repeats]\n");
    return 2;
  }
  size_t n = (size_t)atol(argv[1]), d = (size_t)atol(argv[2]), k = (size_t)atol(argv[3]);
  int repeats = argc > 4 ? atoi(argv[4]) : 5;
  double *x = memory(sizeof(double) * n * d), *w = memory(sizeof(double) * n), least = 1e300;
  int *label = memory(sizeof(int) * n);
  uint64_t seed = 88172645463325252u;
  for (size_t i = 0; i < n * d; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    x[i] = (double)(seed >> 11) / 9007199254740992.0;
  }
  for (size_t i = 0; i < n; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    label[i] = (int)((seed >> 11) % k);
    w[i] = 1;
  }
  kg_choose_loops("auto");
  kg_semimetric rho = {KG_POWER, 1};
  kg_pairs pairs = kg_points(x, n, d, rho);
  kg_input input = {&kg_pair_sums, n, w, &pairs};
  kg_state state;
  kg_state_init(&state, &input, k, label,
                memory(sizeof(double) * kg_state_doubles(n, k)),
                memory(sizeof(size_t) * kg_state_counts(n, k)), 1,
                memory(sizeof(double) * kg_state_workspace(&pairs, 1)));
  for (int a = 0; a < repeats; a++) {
    double start = seconds();
    pass(&state);
    double taken = seconds() - start;
    if (taken < least) least = taken;
  }
  kg_state_built(&state);
  kg_totals(&state);
  printf("%.6f %.10g\n", least, -kg_objective(&state.e));
  return 0;
}
