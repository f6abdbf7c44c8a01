/* ffi_engine.c - engines in R's memory, and their sums from labels. */
#include "ffi.h"
#include "kg_check.h"
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

/* Bytes of an engine. */
double ffi_engine_bytes(const kg_input *input, size_t k) {
  kg_room room = {NULL, 0};
  input->kind->lay(input, k, NULL, 1, &room);
  return (double)room.bytes;
}

kg_engine *ffi_new_engine(const kg_input *input, size_t k, int threads) {
  kg_room room = {NULL, 0};
  input->kind->lay(input, k, NULL, threads, &room);
  room = ffi_room(&room);
  /* The engine keeps slices of the memory, not the address of room. */
  /* cppcheck-suppress returnDanglingLifetime */
  return input->kind->lay(input, k, NULL, threads, &room);
}

void ffi_engines_apart(kg_engine **engines, size_t many, int apart, int threads) {
  for (size_t a = 0; a < many; a++)
    if (engines[a]->input->kind->set_threads)
      engines[a]->input->kind->set_threads(engines[a], apart ? 1 : threads);
}

void ffi_engine_labels(kg_engine *e, const int *from, const char *name) {
  ffi_labels(from, e->n, e->k, e->label, name);
}

void ffi_totals(kg_engine *e) {
  for (size_t at = 0; at < e->n;) {
    R_CheckUserInterrupt();
    at = e->input->kind->totals(e, at, FFI_WORK);
  }
  if (e->status == KG_NOT_FINITE)
    Rf_error("sums of pairwise dissimilarities are not finite");
}

static void pass_in_tiles(kg_state **states, size_t n_states) {
  size_t k = states[0]->e.k;
  int threads = states[0]->threads;
  kg_tiles t;
  const void *top = vmaxget();
  const int *labels[FFI_ABREAST];
  for (size_t a = 0; a < n_states; a++)
    labels[a] = states[a]->e.label;
  FFI_LAY(kg_tiles_lay(&t, states[0]->pairs, k, n_states, &room));
  kg_tiles_fill(&t, states[0]->e.w, labels);
  if (!kg_tiles_together(&t)) {
    vmaxset(top);
    for (size_t a = 0; a < n_states; a++)
      pass_in_tiles(states + a, 1);
    return;
  }
  double *workspace =
      (double *)R_alloc(kg_tiles_workspace(&t) * (size_t)threads, sizeof(double));
  /* all threads have something to do between two polls */
  size_t some = (1 + (size_t)(FFI_WORK / kg_tiles_task_work(&t))) * (size_t)threads;
  for (size_t round = 0; round < kg_tiles_rounds(&t); round++) {
    size_t tasks = kg_tiles_tasks(&t, round);
    for (size_t from = 0; from < tasks; from += some) {
      R_CheckUserInterrupt();
      kg_tiles_part(&t, round, from, from + some < tasks ? from + some : tasks, threads,
                    workspace);
    }
  }
  for (size_t a = 0; a < n_states; a++)
    FFI_PIECES (from, to, k, FFI_VALUES / t.n + 1)
      kg_tiles_read(&t, a, from, to, states[a]->R);
  vmaxset(top);
}

/* Values that the gaps add to the sums of the base. */
static void add_gaps(kg_state *state) {
  const kg_gaps *gaps = kg_gaps_of(state->pairs);
  size_t n = state->e.n, k = state->e.k, step = ffi_piece((double)k);
  const void *top = vmaxget();
  double *T = doubles(2 * (double)gaps->m * (double)k, "the table of branches");
  kg_gaps_table(gaps, state->e.w, NULL, state->e.label, n, k, T);
  for (size_t i = 0; i < n; i += step) {
    R_CheckUserInterrupt();
    kg_gaps_add(gaps, T, k, n, i, n - i < step ? n : i + step, state->R);
  }
  vmaxset(top);
}

/* Pairwise dissimilarities are evaluated once for all engines, in tiles if they can be. */
static void first_pass(kg_engine **engines, size_t many) {
  kg_state *states[FFI_ABREAST] = {NULL};
  KG_CHECK(many <= FFI_ABREAST);
  for (size_t a = 0; a < many; a++)
    states[a] = engines[a]->input->kind->sums(engines[a]);
  const kg_pairs *pairs = states[0]->pairs;
  size_t n = pairs->n, step = ffi_rows(pairs);
  const int tiles = kg_tiles_take(pairs);
  if (tiles)
    pass_in_tiles(states, many);
  for (size_t a = 0; a < many && tiles && kg_gaps_of(pairs); a++)
    add_gaps(states[a]);
  for (size_t i = 0; i < n && !tiles; i += step) {
    R_CheckUserInterrupt();
    kg_first_pass(states, many, i, n - i < step ? n : i + step, states[0]->row);
  }
  for (size_t a = 0; a < many; a++)
    kg_state_built(states[a]);
}

void ffi_begin(kg_engine **engines, size_t many) {
  const kg_kind *kind = engines[0]->input->kind;
  if (kind->sums) {
    first_pass(engines, many);
  } else {
    for (size_t a = 0; a < many; a++)
      for (size_t at = 0; at < engines[a]->n;) {
        R_CheckUserInterrupt();
        at = kind->begin(engines[a], at, FFI_WORK / 16);
      }
  }
  for (size_t a = 0; a < many; a++)
    ffi_totals(engines[a]);
}

/* ---- what only pairwise dissimilarities can answer ---- */

kg_state *ffi_state_of(SEXP problem, SEXP k_) {
  const kg_input *input = ffi_input(problem);
  if (!input->kind->sums)
    Rf_error("the store has no pairwise dissimilarities");
  size_t k = ffi_count(k_, 1, (double)input->n, "k");
  return (kg_state *)ffi_new_engine(input, k, ffi_threads());
}

/* n x k: R_il, the sums of w_y B_iy over the clusters of a given partition */
SEXP ffi_group_sums(SEXP problem, SEXP k, SEXP labels) {
  kg_state *state = ffi_state_of(problem, k);
  size_t n = state->e.n, groups = state->e.k;
  kg_engine *e = &state->e;
  if ((double)n * (double)groups > 2147483647.0 * 1024)
    Rf_error("n * k is too large");
  ffi_engine_labels(e, ffi_integers(labels, (R_xlen_t)n, "labels"), "labels");
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)groups));
  ffi_begin(&e, 1);
  memcpy(REAL(out), state->R, n * groups * sizeof(double));
  UNPROTECT(1);
  return out;
}

/* Participation ratio of the clusters' spectra, 0 if the points do not determine it. */
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
