/* ffi_start.c - starting labels: k-means++, and from a partition of a sample. */
#include "ffi.h"
#include "kg_coordinates.h"
#include "kg_engine.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include "kg_start.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

/* n x m labels from 1: one k-means++ start a column; uniforms has k * candidates rows. */
SEXP ffi_plusplus(SEXP problem, SEXP k_, SEXP candidates_, SEXP uniforms) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k");
  size_t candidates = ffi_count(candidates_, 1, 1000, "candidates");
  const double *u = ffi_uniforms(uniforms);
  size_t each = (size_t)ffi_length((double)k * (double)candidates, "a start");
  size_t m = (size_t)Rf_xlength(uniforms) / each;
  if (m == 0 || m * each != (size_t)Rf_xlength(uniforms))
    Rf_error("uniforms must hold k * candidates values a start");
  if ((double)n * (double)m > 2147483647.0 * 16)
    Rf_error("too many starts");
  kg_plusplus p;
  memset(&p, 0, sizeof p);
  p.input = input;
  p.candidates = candidates;
  p.nearest = (double *)R_alloc(n, sizeof(double));
  p.row = (double *)R_alloc(n, sizeof(double));
  SEXP out = PROTECT(Rf_allocMatrix(INTSXP, (int)n, ffi_extent(m, "the starts")));
  memset(INTEGER(out), 0, n * m * sizeof(int));
  for (size_t a = 0; a < m; a++) {
    p.label = INTEGER(out) + a * n;
    for (size_t l = 0; l < k; l++) {
      kg_plusplus_begin(&p, l, u + (a * k + l) * candidates);
      do
        R_CheckUserInterrupt();
      while (!kg_plusplus_step(&p, 2 * FFI_VALUES));
    }
    for (size_t i = 0; i < n; i++)
      p.label[i]++;
  }
  UNPROTECT(1);
  return out;
}

/* The sums R of m points, rows[a] in the cluster group[a], as all points see them. */
static void sums_of_some(kg_state *state, const int *rows, const int *group, size_t m) {
  const kg_pairs *pairs = state->pairs;
  const kg_coordinates *points = kg_base_coordinates_of(pairs);
  const kg_gaps *gaps = kg_gaps_of(pairs);
  size_t n = state->e.n, k = state->e.k, done = 0;
  const double *w = state->e.w;
  memset(state->R, 0, n * k * sizeof(double));
  if (points)
    ffi_cross(points, points, w, rows, group, m, k, state->R);
  if (points && gaps) {
    double size = 2 * (double)gaps->m * (double)k;
    double *T = (double *)R_alloc((size_t)ffi_length(size, "the table"), sizeof(double));
    kg_gaps_table(gaps, w, rows, group, m, k, T);
    kg_gaps_add(gaps, T, k, n, 0, n, state->R);
  }
  double *value = (double *)R_alloc(points ? 1 : 4 * n, sizeof(double));
  for (size_t a = 0; !points && a < m; a += 4) {
    size_t many = m - a < 4 ? m - a : 4, point[4];
    for (size_t b = 0; b < many; b++)
      point[b] = (size_t)rows[a + b];
    if (done >= ffi_rows(pairs) || a == 0) {
      R_CheckUserInterrupt();
      done = 0;
    }
    done += many;
    kg_block(pairs, point, many, 0, n, value);
    for (size_t b = 0; b < many; b++)
      kg_chosen_loops->add(value + b * n, w[point[b]], n,
                           state->R + (size_t)group[a + b] * n);
  }
}

void ffi_extend_labels(kg_state *state, const int *rows, const int *group, size_t m,
                       int *label) {
  kg_engine *e = &state->e;
  size_t n = e->n, k = e->k;
  const double *w = e->w;
  memset(e->s, 0, k * sizeof(double));
  memset(e->V, 0, k * sizeof(double));
  memset(e->count, 0, k * sizeof(size_t));
  for (size_t a = 0; a < m; a++) {
    e->s[group[a]] += w[rows[a]];
    e->count[group[a]] += w[rows[a]] > 0;
  }
  sums_of_some(state, rows, group, m);
  for (size_t a = 0; a < m; a++)
    e->V[group[a]] += w[rows[a]] * state->R[(size_t)rows[a] + (size_t)group[a] * n];
  kg_derive(state);
  for (size_t from = 0, to; from < n; from = to) {
    double least[KG_BLOCK], best[KG_BLOCK];
    to = n - from < KG_BLOCK ? n : from + KG_BLOCK;
    if (from % (16 * KG_BLOCK) == 0)
      R_CheckUserInterrupt();
    for (size_t a = 0; a < to - from; a++)
      least[a] = HUGE_VAL, best[a] = 0;
    kg_nearest_means(state, k, from, to, least, best);
    for (size_t i = from; i < to; i++)
      label[i] = (int)best[i - from];
  }
  for (size_t a = 0; a < m; a++)
    if (w[rows[a]] > 0)
      label[rows[a]] = group[a];
}

/* Labels of all points from a partition of some of them (rows from 1): each to the
 * nearest of the means that the sample gives. */
SEXP ffi_extend(SEXP problem, SEXP k_, SEXP rows_, SEXP labels_) {
  kg_state *state = ffi_state_of(problem, k_);
  size_t n = state->e.n, k = state->e.k, m = (size_t)Rf_xlength(rows_);
  const int *rows = ffi_integers(rows_, -1, "rows");
  const int *label = ffi_integers(labels_, (R_xlen_t)m, "labels");
  int *row = (int *)R_alloc(m, sizeof(int)), *group = (int *)R_alloc(m, sizeof(int));
  for (size_t a = 0; a < m; a++) {
    if (rows[a] < 1 || (size_t)rows[a] > n || label[a] < 1 || (size_t)label[a] > k)
      Rf_error("rows or labels out of range");
    row[a] = rows[a] - 1;
    group[a] = label[a] - 1;
  }
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n));
  ffi_extend_labels(state, row, group, m, INTEGER(out));
  for (size_t i = 0; i < n; i++)
    INTEGER(out)[i]++;
  UNPROTECT(1);
  return out;
}
