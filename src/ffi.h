/* ffi.h - what the shims between R and the kernels share. */
#ifndef KG_FFI_H
#define KG_FFI_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "kg.h"

/* ---- checks of arguments: an R error if the argument is not what the name says ----- */

const double *ffi_doubles(SEXP x, R_xlen_t length, const char *name); /* length < 0: any */
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

/* list(kind, data, n, d, c(family, parameter)) -> the pair values; keeps no copy */
kg_pairs ffi_store(SEXP store);

/* The rows whose work amounts to about 2^24 pairs' coordinates: between two of these
 * pieces the shims poll for interrupts. */
size_t ffi_piece(const kg_pairs *pairs);

/* ffi_state.c: a state needs B_ii and a workspace that several states may share. */
double *ffi_self(const kg_pairs *pairs);
double *ffi_workspace(const kg_pairs *pairs, int threads);
kg_state ffi_new_state(const kg_pairs *pairs, const double *w, const double *self,
                       double *workspace, int threads, size_t k);
void ffi_totals(kg_state *state);                   /* an R error if not finite */
void ffi_build(kg_state *states, size_t n_states); /* R, V, s from the labels */

/* R (columns->n x k) += the sums over the clusters of m of the points as the columns see
 * them: points rows[a], or all if rows is NULL, with labels from 0. */
void ffi_cross(const kg_pairs *columns, const kg_pairs *points, const double *w,
               const int *rows, const int *label, size_t m, size_t k, double *R);

/* Threads for parallel loops: what R asked for last, 1 in a forked child. */
int ffi_threads(void);
void ffi_threads_init(void);

/* ---- entries ----------------------------------------------------------------------- */

SEXP ffi_dimension(SEXP store, SEXP w, SEXP k, SEXP label);
SEXP ffi_choose_loops(SEXP name);
SEXP ffi_choose_threads(SEXP threads);
SEXP ffi_dispersion(SEXP store, SEXP w, SEXP label, SEXP k);
SEXP ffi_product(SEXP store, SEXP v);
SEXP ffi_cross_sums(SEXP store, SEXP newdata, SEXP w, SEXP label, SEXP k);
SEXP ffi_cross_values(SEXP store, SEXP newdata);
SEXP ffi_pair_values(SEXP store);
SEXP ffi_range(SEXP x);
SEXP ffi_from_distances(SEXP distances, SEXP rho);
SEXP ffi_permute(SEXP store, SEXP w, SEXP centre, SEXP labels, SEXP k, SEXP statistic);
SEXP ffi_plusplus(SEXP store, SEXP w, SEXP k, SEXP candidates, SEXP uniforms);
SEXP ffi_group_sums(SEXP store, SEXP w, SEXP label, SEXP k);
SEXP ffi_solve(SEXP store, SEXP w, SEXP k, SEXP starts, SEXP method, SEXP iter_max);
SEXP ffi_unbalanced(SEXP store, SEXP w, SEXP k, SEXP starts, SEXP dimension,
                    SEXP iter_max);
SEXP ffi_swap(SEXP store, SEXP w, SEXP k, SEXP label, SEXP method, SEXP iter_max,
              SEXP uniforms, SEXP patience, SEXP again, SEXP near);
SEXP ffi_extend(SEXP store, SEXP w, SEXP k, SEXP rows, SEXP label);
SEXP ffi_features(SEXP z, SEXP w, SEXP k, SEXP starts, SEXP candidates, SEXP uniforms,
                  SEXP iter_max);

/* Gaps (ffi_connected.c). */
SEXP ffi_connected(SEXP store, SEXP w, SEXP wanted, SEXP level, SEXP least);
SEXP ffi_nearest(SEXP store, SEXP w, SEXP newdata);

/* Sparse matrices and graphs (ffi_sparse.c, ffi_belief.c). */
size_t ffi_check_columns(SEXP start, SEXP row);
SEXP ffi_sparse_descend(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                        SEXP labels, SEXP k, SEXP max_sweeps, SEXP tolerance);
SEXP ffi_sparse_totals(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                       SEXP labels, SEXP k);
SEXP ffi_sparse_place(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                      SEXP labels, SEXP k, SEXP points);
SEXP ffi_sparse_distances(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                          SEXP labels, SEXP k);
SEXP ffi_belief(SEXP start, SEXP row, SEXP weight, SEXP marginals, SEXP rates,
                SEXP sweeps, SEXP learn, SEXP size_prior, SEXP tolerance);

/* One dimension (ffi_onedim.c). */
SEXP ffi_runs(SEXP x, SEXP w, SEXP ks);
SEXP ffi_runs_label(SEXP x, SEXP bounds);
SEXP ffi_lowrank_inverse(SEXP R, SEXP n, SEXP scale);
SEXP ffi_landmark_values(SEXP store, SEXP landmarks, SEXP from, SEXP to);
SEXP ffi_lowrank_features(SEXP store, SEXP landmarks, SEXP T, SEXP offset, SEXP constants,
                          SEXP path);
SEXP ffi_lowrank_convert(SEXP values, SEXP self, SEXP m, SEXP T, SEXP offset,
                         SEXP constants, SEXP path);
SEXP ffi_lowrank_pass(SEXP values, SEXP w, SEXP U, SEXP h, SEXP path);
SEXP ffi_lowrank_fit(SEXP z, SEXP w, SEXP k, SEXP start, SEXP iter_max, SEXP path);
SEXP ffi_lowrank_distances(SEXP z, SEXP n, SEXP means, SEXP k);
SEXP ffi_lowrank_assign(SEXP z, SEXP w, SEXP means, SEXP k);
SEXP ffi_lowrank_take(SEXP z, SEXP n, SEXP rows, SEXP doubles);

#endif
