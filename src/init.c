/* init.c - the table of routines that R may call. */
#include "ffi.h"
#include "kg_loops.h"
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arity)                                                               \
  { #name, (DL_FUNC)&name, arity }

static const R_CallMethodDef entries[] = {
    ENTRY(ffi_balance, 5),
    ENTRY(ffi_belief, 4),
    ENTRY(ffi_cholesky, 3),
    ENTRY(ffi_choose_loops, 1),
    ENTRY(ffi_choose_threads, 1),
    ENTRY(ffi_connected, 2),
    ENTRY(ffi_cross_sums, 4),
    ENTRY(ffi_cross_values, 2),
    ENTRY(ffi_descend, 4),
    ENTRY(ffi_dimension, 3),
    ENTRY(ffi_dip, 1),
    ENTRY(ffi_dispersion, 3),
    ENTRY(ffi_eigenvalues, 2),
    ENTRY(ffi_extend, 4),
    ENTRY(ffi_features_assign, 2),
    ENTRY(ffi_features_distances, 2),
    ENTRY(ffi_features_rho, 3),
    ENTRY(ffi_features_take, 3),
    ENTRY(ffi_from_distances, 2),
    ENTRY(ffi_group_sums, 3),
    ENTRY(ffi_impute, 6),
    ENTRY(ffi_swap_centroids, 5),
    ENTRY(ffi_cross_centroids, 5),
    ENTRY(ffi_landmark_values, 4),
    ENTRY(ffi_lowrank_convert, 3),
    ENTRY(ffi_lowrank_features, 3),
    ENTRY(ffi_lowrank_inverse, 3),
    ENTRY(ffi_lowrank_pass, 4),
    ENTRY(ffi_metric_cross, 2),
    ENTRY(ffi_nearest, 2),
    ENTRY(ffi_pair_values, 1),
    ENTRY(ffi_pairs_at, 3),
    ENTRY(ffi_permute, 5),
    ENTRY(ffi_plusplus, 4),
    ENTRY(ffi_product, 2),
    ENTRY(ffi_range, 1),
    ENTRY(ffi_runs, 3),
    ENTRY(ffi_runs_label, 2),
    ENTRY(ffi_semimetrics, 0),
    ENTRY(ffi_gram_scan, 2),
    ENTRY(ffi_split, 5),
    ENTRY(ffi_chebyshev, 6),
    {NULL, NULL, 0},
};

void attribute_visible R_init_kgroups(DllInfo *dll) {
  kg_choose_loops("auto");
  ffi_threads_init();
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
