/* ffi.h - what the shims between R and the kernels share. */
#ifndef KG_FFI_H
#define KG_FFI_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "kg_coordinates.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_pairs.h"
#include "kg_room.h"
#include "kg_semimetric.h"
#include "kg_state.h"

/* Work between two polls for interrupts, in the units of kg_engine.h: about a tenth of a
 * second. All threads share it. */
#define FFI_WORK 134217728.0

/* Subtracts `work` from *left. Polls for an interrupt if nothing is left, or at the first
 * call, if *left is 0; FFI_WORK is left then. */
void ffi_poll(double *left, double work);
/* Rows [from, to) of n, `step` at a time, with a poll before each piece. */
#define FFI_PIECES(from, to, n, step)                                                    \
  for (size_t from = 0, to = 0; ffi_next(&from, &to, n, step);)
int ffi_next(size_t *from, size_t *to, size_t n, size_t step);
/* Items of `each` units of work that are an eighth of FFI_WORK, at least one. */
size_t ffi_piece(double each);
/* Values read or written between two polls; a multiple of all widths of vectors. */
enum { FFI_VALUES = 1048576 };
/* R's memory for an arena that was counted (kg_room.h). */
kg_room ffi_room(const kg_room *counted);
/* `call`, which uses `room`, counts an arena and then slices it. */
#define FFI_LAY(call)                                                                    \
  do {                                                                                   \
    kg_room room = {NULL, 0};                                                            \
    call;                                                                                \
    room = ffi_room(&room);                                                              \
    call;                                                                                \
  } while (0)

/* ---- checks of arguments: an R error if the argument is not what the name states -----
 */

const double *ffi_doubles(SEXP x, R_xlen_t length,
                          const char *name); /* length < 0: any */
const double *ffi_finite(SEXP x, R_xlen_t length, const char *name);
const int *ffi_integers(SEXP x, R_xlen_t length, const char *name);
double ffi_number(SEXP x, double min, double max, const char *name);
size_t ffi_count(SEXP x, double min, double max, const char *name);
int ffi_logical(SEXP x, const char *name);   /* TRUE or FALSE */
const double *ffi_weights(SEXP w, size_t n); /* n of them, finite and not negative */
const double *ffi_uniforms(SEXP uniforms);   /* any number of them, in [0, 1] */
/* A length that is a product: an R error where no vector of R is as long. */
R_xlen_t ffi_length(double wanted, const char *name);
int ffi_extent(size_t wanted, const char *name); /* of a matrix */
void ffi_labels(const int *from, size_t n, size_t k, int *into, const char *name);
/* Labels from 0 in the order of their first appearance: searches must not depend on the
 * numbers of the clusters. */
void ffi_in_order(int *label, size_t n, size_t k);
SEXP ffi_list(int n, const char *const *names); /* protect the result */
/* The field of a named list; R's NULL if there is none, ffi_need: an R error. */
SEXP ffi_field(SEXP list, const char *name);
SEXP ffi_need(SEXP list, const char *name);

/* A field that is 0 or 1; `otherwise` if there is none. */
int ffi_flag(SEXP list, const char *name, int otherwise);
kg_semimetric ffi_semimetric(SEXP rho);
void ffi_euclidean(kg_semimetric rho); /* an R error for other metrics */
size_t ffi_size(SEXP store);           /* its field n */
/* The n x d matrix `name` of a store, and its semimetric. */
kg_coordinates ffi_matrix(SEXP store, const char *name);

/* ---- problems: ffi_problem.c --------------------------------------------------------
 * A problem is a named list with `store` and `w`; the row of the table of
 * stores with the class of the store reads it. Nothing is copied. */

/* The pairwise dissimilarities of a problem or a store; an R error if it has none. */
kg_pairs ffi_pairs(SEXP problem);
kg_pairs ffi_metric_pairs(SEXP store); /* ffi_metric.c */
kg_pairs ffi_rows_pairs(SEXP store);
const double *ffi_problem_weights(SEXP problem, size_t n);
/* A problem of any store, in R's memory. */
const kg_input *ffi_input(SEXP problem);
const kg_features *ffi_features_of(SEXP problem);
/* Of n points in 16 bits a value, and a unit each behind. */
double ffi_features_bytes(size_t width, size_t n);
/* Checks compressed columns without a diagonal; n comes from the length of start. */
size_t ffi_check_columns(SEXP start, SEXP row);

enum { FFI_ABREAST = 16 }; /* engines that have one first pass, at most */

/* ---- engines in R's memory: ffi_engine.c --------------------------------------------
 */

double ffi_engine_bytes(const kg_input *input, size_t k);
kg_engine *ffi_new_engine(const kg_input *input, size_t k, int threads);
/* Sums and totals from the labels, several engines at once; an R error if not finite. */
void ffi_begin(kg_engine **engines, size_t many);
void ffi_totals(kg_engine *e);
/* All labels from those of m of the points, group[a] of rows[a], by the nearest mean. The
 * sums of the state are lost. ffi_start.c */
void ffi_extend_labels(kg_state *state, const int *rows, const int *group, size_t m,
                       int *label);
/* Each of the engines for one thread alone (1) or for all threads in turn (0). */
void ffi_engines_apart(kg_engine **engines, size_t many, int apart, int threads);
/* A copy of the labels, checked, from 1 to from 0. */
void ffi_engine_labels(kg_engine *e, const int *from, const char *name);
kg_state *ffi_state_of(SEXP problem,
                       SEXP k); /* an R error for what has no pairwise dissimilarities */

/* Rows of pairs between two polls: ffi_piece() of a whole row. */
size_t ffi_rows(const kg_pairs *pairs);

/* R (columns->n x k) += the sums over the clusters of m of the points as the columns see
 * them: points rows[a], or all if rows is NULL, with labels from 0. */
void ffi_cross(const kg_coordinates *columns, const kg_coordinates *points,
               const double *w, const int *rows, const int *label, size_t m, size_t k,
               double *R);

/* Eigenvalues of a finite symmetric matrix in ascending order and, unless NULL, their
 * vectors (n x n), with polls. ffi_dense.c */
void ffi_symmetric(const double *A, size_t n, double *values, double *vectors);

/* Threads for parallel loops: what R requested last, 1 in a forked child. */
int ffi_threads(void);
int ffi_threads_of(int requested);
void ffi_threads_init(void);

/* ---- entries: what R may call, and the number of arguments of each -------------------
 * problem: a named list; a store will do if no weights are needed. */

/* clang-format off */
#define FFI_ENTRIES(ENTRY) \
  ENTRY(ffi_belief, 4) ENTRY(ffi_border, 2) ENTRY(ffi_changes, 3) \
  ENTRY(ffi_chebyshev, 6) ENTRY(ffi_cholesky, 3) ENTRY(ffi_choose_loops, 1) \
  ENTRY(ffi_choose_threads, 1) ENTRY(ffi_connected, 2) ENTRY(ffi_constrained, 5) \
  ENTRY(ffi_cross_sums, 4) \
  ENTRY(ffi_cross_values, 2) ENTRY(ffi_dependence, 4) ENTRY(ffi_descend, 4) \
  ENTRY(ffi_dimension, 3) ENTRY(ffi_dip, 1) ENTRY(ffi_dispersion, 3) \
  ENTRY(ffi_eigen, 3) ENTRY(ffi_extend, 4) ENTRY(ffi_falls, 4) ENTRY(ffi_features_assign, 2) \
  ENTRY(ffi_features_distances, 2) ENTRY(ffi_features_rho, 3) \
  ENTRY(ffi_features_take, 3) ENTRY(ffi_from_distances, 2) ENTRY(ffi_gram_scan, 2) \
  ENTRY(ffi_group_sums, 3) ENTRY(ffi_impute, 6) ENTRY(ffi_landmark_values, 4) \
  ENTRY(ffi_learn_means, 4) ENTRY(ffi_line, 5) ENTRY(ffi_lowrank_convert, 3) \
  ENTRY(ffi_lowrank_features, 3) ENTRY(ffi_lowrank_inverse, 3) \
  ENTRY(ffi_mixture, 3) ENTRY(ffi_mixture_assign, 2) \
  ENTRY(ffi_nearest, 2) ENTRY(ffi_pair_values, 1) \
  ENTRY(ffi_pairs_at, 3) ENTRY(ffi_permute, 6) ENTRY(ffi_plusplus, 4) \
  ENTRY(ffi_possible, 2) ENTRY(ffi_product, 2) ENTRY(ffi_range, 1) ENTRY(ffi_runs, 3) \
  ENTRY(ffi_runs_label, 2) ENTRY(ffi_scatter_steps, 5) \
  ENTRY(ffi_semimetrics, 0) ENTRY(ffi_swap_centroids, 5) \
  ENTRY(ffi_view, 3) ENTRY(ffi_ward, 3)
/* clang-format on */

#define FFI_0                    void
#define FFI_1                    SEXP
#define FFI_2                    SEXP, SEXP
#define FFI_3                    FFI_2, SEXP
#define FFI_4                    FFI_3, SEXP
#define FFI_5                    FFI_4, SEXP
#define FFI_6                    FFI_5, SEXP
#define FFI_DECLARE(name, arity) SEXP name(FFI_##arity);
FFI_ENTRIES(FFI_DECLARE)

#endif
