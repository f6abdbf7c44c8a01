/* ffi_engine.c - engines in R's memory, and their sums from labels. */
#include "ffi.h"
#include "kg_coordinates.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_pairs.h"
#include "kg_sparse.h"
#include "kg_state.h"
#include "kg_tiles.h"
#include <string.h>

static double *doubles(double n, const char *name) {
  return (double *)R_alloc((size_t)ffi_length(n, name), sizeof(double));
}

static size_t width_of(const kg_input *input) {
  return ((const kg_features *)input->values)->width;
}

double ffi_engine_bytes(const kg_input *input, size_t k) {
  double n = (double)input->n, dk = (double)k;
  if (input->kind == &kg_pair_sums) return 8 * n * (dk + 2);
  if (input->kind == &kg_sparse_rows) return 12 * n + 60 * dk;
  return 8 * ((double)width_of(input) * dk * (2 + n / (double)kg_short_block(k)) + 2 * n);
}

static kg_engine *new_state(const kg_input *input, size_t k, int *label, int threads) {
  const kg_pairs *pairs = (const kg_pairs *)input->values;
  kg_state *state = (kg_state *)R_alloc(1, sizeof(kg_state));
  double *sums = doubles((double)kg_state_doubles(input->n, k), "n * k sums");
  size_t *counts = (size_t *)R_alloc(kg_state_counts(input->n, k), sizeof(size_t));
  /* one thread lets more moves wait */
  size_t alone = kg_state_workspace(pairs, 1), all = kg_state_workspace(pairs, threads);
  double *workspace = (double *)R_alloc(alone > all ? alone : all, sizeof(double));
  kg_state_init(state, input, k, label, sums, counts, threads, workspace);
  return &state->e;
}

static kg_engine *new_rows(const kg_input *input, size_t k, int *label) {
  kg_rows *rows = (kg_rows *)R_alloc(1, sizeof(kg_rows));
  kg_rows_init(rows, input, k, label,
               (double *)R_alloc(kg_rows_doubles(input->n, k), sizeof(double)),
               (size_t *)R_alloc(2 * k, sizeof(size_t)), (int *)R_alloc(k, sizeof(int)));
  return &rows->e;
}

static kg_engine *new_means(const kg_input *input, size_t k, int *label) {
  size_t width = width_of(input), n = input->n;
  size_t *count = (size_t *)R_alloc(k, sizeof(size_t));
  double *means = doubles((double)kg_means_doubles(width, k), "the means");
  if (input->kind == &kg_double_features) {
    kg_means *f = (kg_means *)R_alloc(1, sizeof(kg_means));
    kg_means_init(f, input, k, label, means, count);
    return &f->e;
  }
  kg_short *f = (kg_short *)R_alloc(1, sizeof(kg_short));
  kg_short_init(f, input, k, label,
                  (double *)R_alloc(kg_short_doubles(n, width, k), sizeof(double)),
                  (float *)R_alloc(kg_short_floats(n, width, k), sizeof(float)), count);
  return &f->m.e;
}

kg_engine *ffi_new_engine(const kg_input *input, size_t k, int threads) {
  int *label = (int *)R_alloc(input->n, sizeof(int));
  if (input->kind == &kg_pair_sums) return new_state(input, k, label, threads);
  if (input->kind == &kg_sparse_rows) return new_rows(input, k, label);
  return new_means(input, k, label);
}

void ffi_engine_again(kg_engine *e, const kg_input *input) {
  kg_state *state = (kg_state *)e;
  kg_state_init(state, input, e->k, e->label, state->R, e->count, state->threads, state->values);
}

void ffi_engines_apart(kg_engine **engines, size_t many, int apart, int threads) {
  int each = apart ? 1 : threads;
  for (size_t a = 0; a < many && engines[a]->input->kind == &kg_pair_sums; a++) {
    kg_state *state = (kg_state *)engines[a];
    kg_state_workspace_set(state, each, state->values);
  }
}

void ffi_engine_labels(kg_engine *e, const int *from, const char *name) {
  ffi_labels(from, e->n, e->k, e->label, name);
}

void ffi_totals(kg_engine *e) {
  for (size_t at = 0; at < e->n;) {
    R_CheckUserInterrupt();
    at = e->input->kind->totals(e, at, FFI_WORK);
  }
  if (e->status == KG_NOT_FINITE) Rf_error("sums of pair values are not finite");
}

static void first_pass_of_points(kg_state **states, size_t n_states) {
  const kg_coordinates *points = kg_base_coordinates_of(states[0]->pairs);
  size_t n = points->n, d = points->d, k = states[0]->e.k;
  int threads = states[0]->threads;
  kg_tiles t;
  const void *top = vmaxget();
  double *room = (double *)R_alloc(kg_tiles_doubles(points, k, n_states), sizeof(double));
  size_t *order = (size_t *)R_alloc(2 * n, sizeof(size_t));
  int *label = (int *)R_alloc(kg_tiles_labels(n, n_states), sizeof(int));
  const int *labels[16];
  for (size_t a = 0; a < n_states; a++) labels[a] = states[a]->e.label;
  kg_tiles_init(&t, points, k, n_states, room, order, label);
  kg_tiles_fill(&t, states[0]->e.w, labels);
  size_t shares = kg_tiles_shares(&t);
  if (!kg_tiles_together(&t)) {
    vmaxset(top);
    for (size_t a = 0; a < n_states; a++) first_pass_of_points(states + a, 1);
    return;
  }
  if (shares > 0) {
    double *share_w = (double *)R_alloc(KG_GROUP * shares, sizeof(double));
    int *ints = (int *)R_alloc(3 * shares, sizeof(int));
    size_t *sizes = (size_t *)R_alloc(kg_tiles_groups(&t), sizeof(size_t));
    kg_tiles_share(&t, share_w, ints, sizes);
  }
  double *workspace =
      (double *)R_alloc(kg_tiles_workspace(&t) * (size_t)threads, sizeof(double));
  /* all threads have something to do between two polls */
  double work = (double)KG_SIDE * KG_SIDE * (double)(d + 8 * n_states);
  size_t some = (1 + (size_t)(134217728.0 / work)) * (size_t)threads;
  for (size_t round = 0; round < kg_tiles_rounds(&t); round++) {
    size_t tasks = kg_tiles_tasks(&t, round);
    for (size_t from = 0; from < tasks; from += some) {
      R_CheckUserInterrupt();
      kg_tiles_part(&t, round, from, from + some < tasks ? from + some : tasks, threads,
                    workspace);
    }
  }
  for (size_t a = 0; a < n_states; a++) {
    R_CheckUserInterrupt();
    kg_tiles_read(&t, a, states[a]->R);
  }
  vmaxset(top);
}

/* What the gaps add to the sums of the base. */
static void add_gaps(kg_state *state) {
  const kg_gaps *gaps = kg_gaps_of(state->pairs);
  size_t n = state->e.n, k = state->e.k, step = 1 + 16777216 / k;
  const void *top = vmaxget();
  double *T = doubles(2 * (double)gaps->m * (double)k, "the table of branches");
  kg_gaps_table(gaps, state->e.w, NULL, state->e.label, n, k, T);
  for (size_t i = 0; i < n; i += step) {
    R_CheckUserInterrupt();
    kg_gaps_add(gaps, T, k, n, i, n - i < step ? n : i + step, state->R);
  }
  vmaxset(top);
}

/* Pair values are visited once for all engines; points go in tiles. */
static void first_pass(kg_engine **engines, size_t many) {
  kg_state *states[16] = {NULL};
  for (size_t a = 0; a < many; a++) states[a] = (kg_state *)engines[a];
  const kg_pairs *pairs = states[0]->pairs;
  size_t n = pairs->n, step = ffi_rows(pairs);
  const kg_coordinates *points = kg_base_coordinates_of(pairs);
  if (points) first_pass_of_points(states, many);
  for (size_t a = 0; a < many && points && kg_gaps_of(pairs); a++) add_gaps(states[a]);
  for (size_t i = 0; i < n && !points; i += step) {
    R_CheckUserInterrupt();
    kg_first_pass(states, many, i, n - i < step ? n : i + step, states[0]->row);
  }
  for (size_t a = 0; a < many; a++) kg_state_built(states[a]);
}

void ffi_begin(kg_engine **engines, size_t many) {
  const kg_kind *kind = engines[0]->input->kind;
  if (kind == &kg_pair_sums) {
    first_pass(engines, many);
  } else {
    for (size_t a = 0; a < many; a++)
      for (size_t at = 0; at < engines[a]->n;) {
        R_CheckUserInterrupt();
        at = kind->begin(engines[a], at, FFI_WORK / 16);
      }
  }
  for (size_t a = 0; a < many; a++) ffi_totals(engines[a]);
}

/* ---- what only pair values can answer ---- */

kg_state *ffi_state_of(SEXP problem, SEXP k_) {
  const kg_input *input = ffi_input(problem);
  if (input->kind != &kg_pair_sums) Rf_error("the store has no pair values");
  size_t k = ffi_count(k_, 1, (double)input->n, "k");
  return (kg_state *)ffi_new_engine(input, k, ffi_threads());
}

/* n x k: R_il, the sums of w_y B_iy over the clusters of a given partition */
SEXP ffi_group_sums(SEXP problem, SEXP k, SEXP labels) {
  kg_state *state = ffi_state_of(problem, k);
  size_t n = state->e.n, groups = state->e.k;
  kg_engine *e = &state->e;
  if ((double)n * (double)groups > 2147483647.0 * 1024) Rf_error("n * k is too large");
  ffi_engine_labels(e, ffi_integers(labels, (R_xlen_t)n, "labels"), "labels");
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)groups));
  ffi_begin(&e, 1);
  memcpy(REAL(out), state->R, n * groups * sizeof(double));
  UNPROTECT(1);
  return out;
}

/* Participation ratio of the clusters' spectra, 0 where the points do not tell. */
SEXP ffi_dimension(SEXP problem, SEXP k_, SEXP labels) {
  kg_state *state = ffi_state_of(problem, k_);
  size_t n = state->e.n, k = state->e.k, step = ffi_rows(state->pairs);
  kg_engine *e = &state->e;
  ffi_engine_labels(e, ffi_integers(labels, (R_xlen_t)n, "labels"), "labels");
  ffi_begin(&e, 1);
  for (size_t l = 0; l < k; l++)
    if (e->count[l] == 0)
      Rf_error("cluster %.0f has no point of positive weight", (double)l + 1);
  double *work = (double *)R_alloc(3 * k, sizeof(double));
  memset(work, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i += step) {
    R_CheckUserInterrupt();
    kg_dimension_rows(state, i, i + step < n ? i + step : n, work, state->row);
  }
  return Rf_ScalarReal(kg_dimension(state, work, work + k, work + 2 * k));
}
