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
/* Items of `each` units of work that are an eighth of FFI_WORK, at least one. */
size_t ffi_piece(double each);
/* R's memory for an arena that was counted (kg_room.h). */
kg_room ffi_room(const kg_room *counted);

/* ---- checks of arguments: an R error if the argument is not what the name states ----- */

const double *ffi_doubles(SEXP x, R_xlen_t length,
                          const char *name); /* length < 0: any */
const double *ffi_finite(SEXP x, R_xlen_t length, const char *name);
const int *ffi_integers(SEXP x, R_xlen_t length, const char *name);
double ffi_number(SEXP x, double min, double max, const char *name);
size_t ffi_count(SEXP x, double min, double max, const char *name);
const double *ffi_weights(SEXP w, size_t n); /* n of them, finite and not negative */
const double *ffi_uniforms(SEXP uniforms);   /* any number of them, in [0, 1] */
/* A length that is a product: an R error where no vector of R is as long. */
R_xlen_t ffi_length(double wanted, const char *name);
int ffi_extent(size_t wanted, const char *name); /* of a matrix */
void ffi_labels(const int *from, size_t n, size_t k, int *into, const char *name);
SEXP ffi_list(int n, const char *const *names); /* protect the result */
/* The field of a named list; R's NULL if there is none, ffi_need: an R error. */
SEXP ffi_field(SEXP list, const char *name);
SEXP ffi_need(SEXP list, const char *name);

/* A field that is 0 or 1; `otherwise` if there is none. */
int ffi_flag(SEXP list, const char *name, int otherwise);
kg_semimetric ffi_semimetric(SEXP rho);

/* ---- problems: ffi_problem.c --------------------------------------------------------
 * A problem is a named list with `store` and `w`; the class of the store states which row
 * of the table of stores reads it. Nothing is copied. */

/* The pairwise dissimilarities of a problem or a store; an R error if it has none. */
kg_pairs ffi_pairs(SEXP problem);
kg_pairs ffi_metric_pairs(SEXP store); /* ffi_metric.c */
kg_pairs ffi_rows_pairs(SEXP store);
kg_pairs ffi_codes_pairs(SEXP store);
const double *ffi_problem_weights(SEXP problem, size_t n);
/* A problem of any store, in R's memory. */
const kg_input *ffi_input(SEXP problem);
const kg_features *ffi_features_of(SEXP problem);
/* Of n points in 16 bits a value, and a unit each behind. */
double ffi_features_bytes(size_t width, size_t n);
/* Checks compressed columns without a diagonal; n comes from the length of start. */
size_t ffi_check_columns(SEXP start, SEXP row);

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

/* Threads for parallel loops: what R requested last, 1 in a forked child. */
int ffi_threads(void);
int ffi_threads_of(int requested);
void ffi_threads_init(void);

/* ---- entries ------------------------------------------------------------------------
 * problem: a named list; a store will do where no weights are requested. */

SEXP ffi_semimetrics(void);
SEXP ffi_choose_loops(SEXP name);
SEXP ffi_choose_threads(SEXP threads);
SEXP ffi_range(SEXP x);
SEXP ffi_gram_scan(SEXP G, SEXP n);
SEXP ffi_from_distances(SEXP distances, SEXP rho);

SEXP ffi_pair_values(SEXP problem);
SEXP ffi_metric_cross(SEXP store, SEXP y);
SEXP ffi_pairs_at(SEXP store, SEXP i, SEXP j);
SEXP ffi_cross_values(SEXP problem, SEXP newdata);
SEXP ffi_cross_sums(SEXP problem, SEXP newdata, SEXP labels, SEXP k);
SEXP ffi_product(SEXP problem, SEXP v);
SEXP ffi_dispersion(SEXP problem, SEXP labels, SEXP k);
SEXP ffi_permute(SEXP problem, SEXP centre, SEXP labels, SEXP k, SEXP statistic);
SEXP ffi_group_sums(SEXP problem, SEXP k, SEXP labels);
SEXP ffi_dimension(SEXP problem, SEXP k, SEXP labels);
SEXP ffi_dip(SEXP x);
SEXP ffi_connected(SEXP problem, SEXP rule);
SEXP ffi_nearest(SEXP problem, SEXP newdata);

SEXP ffi_plusplus(SEXP problem, SEXP k, SEXP candidates, SEXP uniforms);
SEXP ffi_extend(SEXP problem, SEXP k, SEXP rows, SEXP labels);
SEXP ffi_balance(SEXP problem, SEXP k, SEXP starts, SEXP limits, SEXP control);
SEXP ffi_descend(SEXP problem, SEXP k, SEXP starts, SEXP control);
SEXP ffi_split(SEXP problem, SEXP k, SEXP starts, SEXP control, SEXP uniforms);

SEXP ffi_landmark_values(SEXP problem, SEXP landmarks, SEXP from, SEXP to);
SEXP ffi_cholesky(SEXP A, SEXP n, SEXP least);
SEXP ffi_eigenvalues(SEXP A, SEXP n);
SEXP ffi_lowrank_inverse(SEXP R, SEXP n, SEXP scale);
SEXP ffi_lowrank_features(SEXP problem, SEXP landmarks, SEXP map);
SEXP ffi_lowrank_convert(SEXP values, SEXP self, SEXP map);
SEXP ffi_lowrank_pass(SEXP values, SEXP w, SEXP U, SEXP h);
SEXP ffi_features_distances(SEXP problem, SEXP means);
SEXP ffi_features_assign(SEXP problem, SEXP means);
SEXP ffi_features_take(SEXP problem, SEXP rows, SEXP doubles);
SEXP ffi_features_rho(SEXP problem, SEXP i, SEXP j);
SEXP ffi_swap_centroids(SEXP problem, SEXP k, SEXP labels, SEXP control, SEXP uniforms);
SEXP ffi_cross_centroids(SEXP problem, SEXP k, SEXP labels, SEXP control, SEXP uniforms);

SEXP ffi_belief(SEXP graph, SEXP marginals, SEXP model, SEXP control);

SEXP ffi_chebyshev(SEXP matrix, SEXP k, SEXP block, SEXP tolerance, SEXP cycles,
                   SEXP counting);

SEXP ffi_impute(SEXP x, SEXP rows, SEXP mean, SEXP precision, SEXP ridge, SEXP w);

/* One dimension (ffi_onedim.c). */
SEXP ffi_runs(SEXP x, SEXP w, SEXP ks);
SEXP ffi_runs_label(SEXP x, SEXP bounds);

#endif
