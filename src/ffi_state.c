/* ffi_state.c - states of fits in R's memory, and their sums from labels. */
#include "ffi.h"
#include <string.h>

double *ffi_self(const kg_pairs *pairs) {
  double *self = (double *)R_alloc(pairs->n, sizeof(double));
  for (size_t i = 0; i < pairs->n; i++) self[i] = pairs->self(pairs, i);
  return self;
}

double *ffi_workspace(const kg_pairs *pairs, int threads) {
  return (double *)R_alloc(kg_state_workspace(pairs, threads), sizeof(double));
}

kg_state ffi_new_state(const kg_pairs *pairs, const double *w, const double *self,
                       double *workspace, int threads, size_t k) {
  kg_state state;
  ffi_length((double)pairs->n * (double)k + 6 * (double)k + (double)pairs->n, "n * k sums");
  double *doubles = (double *)R_alloc(kg_state_doubles(pairs->n, k), sizeof(double));
  size_t *counts = (size_t *)R_alloc(kg_state_counts(pairs->n, k), sizeof(size_t));
  int *label = (int *)R_alloc(pairs->n, sizeof(int));
  kg_state_init(&state, pairs, w, self, k, label, doubles, counts, threads, workspace);
  return state;
}

void ffi_totals(kg_state *state) {
  if (kg_totals(state) == KG_NOT_FINITE) Rf_error("sums of pair values are not finite");
}

static void build_from_points(kg_state *states, size_t n_states) {
  const kg_pairs *pairs = states[0].pairs;
  size_t n = pairs->n, k = states[0].k;
  kg_tiles t;
  const void *top = vmaxget();
  double *doubles = (double *)R_alloc(kg_tiles_doubles(n, pairs->d, k, n_states), sizeof(double));
  size_t *order = (size_t *)R_alloc(2 * n, sizeof(size_t));
  int *label = (int *)R_alloc(kg_tiles_labels(n, n_states), sizeof(int));
  kg_tiles_init(&t, pairs, k, n_states, doubles, order, label);
  kg_tiles_fill(&t, states[0].w, states);
  size_t shares = kg_tiles_shares(&t);
  if (!kg_tiles_together(&t)) {
    vmaxset(top);
    for (size_t a = 0; a < n_states; a++) build_from_points(states + a, 1);
    return;
  }
  if (shares > 0) {
    double *share_w = (double *)R_alloc(KG_GROUP * shares, sizeof(double));
    int *ints = (int *)R_alloc(3 * shares, sizeof(int));
    size_t *sizes = (size_t *)R_alloc(kg_tiles_groups(&t), sizeof(size_t));
    kg_tiles_share(&t, share_w, ints, sizes);
  }
  double *workspace =
      (double *)R_alloc(kg_tiles_workspace(&t) * (size_t)states[0].threads, sizeof(double));
  /* all threads have something to do between two polls */
  double work = (double)KG_SIDE * KG_SIDE * (double)(pairs->d + 8 * n_states);
  size_t some = (1 + (size_t)(134217728.0 / work)) * (size_t)states[0].threads;
  for (size_t round = 0; round < kg_tiles_rounds(&t); round++) {
    size_t tasks = kg_tiles_tasks(&t, round);
    for (size_t from = 0; from < tasks; from += some) {
      R_CheckUserInterrupt();
      kg_tiles_part(&t, round, from, from + some < tasks ? from + some : tasks,
                    states[0].threads, workspace);
    }
  }
  for (size_t a = 0; a < n_states; a++) kg_tiles_read(&t, a, states[a].R);
  vmaxset(top);
}

/* R, V, s of several states from their labels */
void ffi_build(kg_state *states, size_t n_states) {
  const kg_pairs *pairs = states[0].pairs;
  size_t n = pairs->n, step = ffi_piece(pairs);
  if (pairs->d > 0) {
    build_from_points(states, n_states);
  } else {
    for (size_t i = 0; i < n; i += step) {
      R_CheckUserInterrupt();
      kg_first_pass(states, n_states, i, i + step < n ? i + step : n, states[0].row);
    }
  }
  for (size_t a = 0; a < n_states; a++) {
    memset(states[a].peak, 0, states[a].k * sizeof(double));
    ffi_totals(states + a);
  }
}
