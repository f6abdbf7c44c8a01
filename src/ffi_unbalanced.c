/* ffi_unbalanced.c - descents with the size term, and the effective dimension. */
#include "ffi.h"
#include <string.h>

enum { MOST_STATES = 16 };

/* Sums of several states from their labels; every cluster then has a point of positive
 * weight. */
static void build(kg_state *states, size_t n_states) {
  ffi_build(states, n_states);
  for (size_t a = 0; a < n_states; a++)
    for (size_t l = 0; l < states[a].k; l++)
      if (states[a].count[l] == 0)
        Rf_error("cluster %.0f starts without a point of positive weight", (double)l + 1);
}

/* Participation ratio of the clusters' spectra, 0 where the points do not tell. */
SEXP ffi_dimension(SEXP store, SEXP w, SEXP k_, SEXP label) {
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k"), step = ffi_piece(&pairs);
  const double *weight = ffi_weights(w, n);
  int threads = ffi_threads();
  double *workspace = ffi_workspace(&pairs, threads);
  kg_state state = ffi_new_state(&pairs, weight, ffi_self(&pairs), workspace, threads, k);
  ffi_labels(ffi_integers(label, (R_xlen_t)n, "label"), n, k, state.label, "label");
  build(&state, 1);
  double *work = (double *)R_alloc(3 * k, sizeof(double));
  memset(work, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i += step) {
    R_CheckUserInterrupt();
    kg_dimension_rows(&state, i, i + step < n ? i + step : n, work, state.row);
  }
  return Rf_ScalarReal(kg_dimension(&state, work, work + k, work + 2 * k));
}

/* One descent of Phi a column of `starts` (n x m labels from 1). The labels of the least
 * Phi, ties to the first. */
SEXP ffi_unbalanced(SEXP store, SEXP w, SEXP k_, SEXP starts, SEXP dimension,
                    SEXP iter_max_) {
  static const char *const names[] = {"cluster", "phi",       "W",    "iterations",
                                      "moves",   "converged", "fall", "best"};
  kg_pairs pairs = ffi_store(store);
  size_t n = pairs.n, k = ffi_count(k_, 1, (double)n, "k"), piece = ffi_piece(&pairs);
  size_t iter_max = ffi_count(iter_max_, 0, 2147483647, "iter_max");
  double d = ffi_number(dimension, 1e-300, 1e300, "dimension");
  const double *weight = ffi_weights(w, n);
  R_xlen_t length = Rf_xlength(starts);
  const int *start = ffi_integers(starts, length, "starts");
  if (length == 0 || length % (R_xlen_t)n != 0) Rf_error("starts must have n rows");
  size_t m = (size_t)length / n;
  double bytes = 8.0 * (double)kg_state_doubles(n, k);
  size_t batch = bytes * (double)m < 67108864.0 ? m : (size_t)(67108864.0 / bytes);
  if (batch < 1) batch = 1;
  if (batch > MOST_STATES) batch = MOST_STATES;
  kg_state states[MOST_STATES];
  int threads = ffi_threads();
  double *self = ffi_self(&pairs), *workspace = ffi_workspace(&pairs, threads);
  for (size_t a = 0; a < batch; a++)
    states[a] = ffi_new_state(&pairs, weight, self, workspace, threads, k);

  SEXP out = PROTECT(ffi_list(8, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  for (int a = 1; a < 7; a++)
    SET_VECTOR_ELT(out, a, Rf_allocVector(REALSXP, (R_xlen_t)m));
  int *cluster = INTEGER(VECTOR_ELT(out, 0));
  double *phi = REAL(VECTOR_ELT(out, 1));
  size_t best = m;
  for (size_t first = 0; first < m; first += batch) {
    size_t many = m - first < batch ? m - first : batch;
    for (size_t a = 0; a < many; a++)
      ffi_labels(start + (first + a) * n, n, k, states[a].label, "starts");
    build(states, many);
    for (size_t a = 0; a < many; a++) {
      size_t at = first + a, iterations = 0;
      kg_state *state = states + a;
      kg_unbalanced u;
      int converged = 0;
      double fall = 0;
      state->moves = 0;
      kg_pair_up(state);
      ffi_totals(state);
      kg_unbalanced_start(&u, state, d);
      while (iterations < iter_max && !converged) {
        size_t before = state->moves, i = 0;
        double was = u.W;
        while (i < n) {
          i = kg_unbalanced_sweep(&u, i, piece);
          R_CheckUserInterrupt();
        }
        iterations++;
        ffi_totals(state);
        kg_unbalanced_totals(&u);
        fall = was - u.W;
        converged = state->moves == before;
      }
      phi[at] = kg_unbalanced_phi(&u);
      REAL(VECTOR_ELT(out, 2))[at] = u.W;
      REAL(VECTOR_ELT(out, 3))[at] = (double)iterations;
      REAL(VECTOR_ELT(out, 4))[at] = (double)state->moves;
      REAL(VECTOR_ELT(out, 5))[at] = converged;
      REAL(VECTOR_ELT(out, 6))[at] = fall;
      if (best == m || phi[at] < phi[best] - 1e-10 * u.s) {
        best = at;
        kg_unbalanced_place(&u);
        for (size_t i = 0; i < n; i++) cluster[i] = state->label[i] + 1;
      }
    }
  }
  SET_VECTOR_ELT(out, 7, Rf_ScalarReal((double)best + 1));
  UNPROTECT(1);
  return out;
}
