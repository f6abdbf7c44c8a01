/* ffi_centroids.c - centroid swaps of a partition. */
#include "ffi.h"
#include "kg_engine.h"
#include "kg_propose.h"
#include "kg_rule.h"
#include "kg_start.h"
#include <math.h>
#include <string.h>

enum {
  MOST = 1000, /* sweeps: rounding must not lower W for ever */
  BROKEN = 3   /* improving swaps in a row that may fail */
};

/* Sweeps until no point moves. */
static void settle(kg_proposals *p) {
  for (int sweep = 0; sweep < MOST; sweep++) {
    R_CheckUserInterrupt();
    if (kg_float_sweep(&p->f) == 0)
      break;
  }
  kg_float_list(&p->f);
}

/* The proposals of a problem of features in double precision, at a local optimum near
 * labels. */
static kg_proposals *begin(const kg_input *input, size_t k, const int *labels,
                           SEXP uniforms) {
  if (!input->kind->points)
    Rf_error("features must be in double precision");
  size_t width;
  const double *z = input->kind->points(input, &width);
  const double *u = ffi_uniforms(uniforms);
  if (Rf_xlength(uniforms) == 0)
    Rf_error("there must be uniforms");
  for (size_t i = 0; i < input->n; i++)
    if (!(input->w[i] > 0))
      Rf_error("weights must be above 0");
  kg_proposals *p = (kg_proposals *)R_alloc(1, sizeof(kg_proposals));
  FFI_LAY(kg_proposals_lay(p, input->n, width, k, &room));
  p->draws.u = u;
  p->draws.n = (size_t)Rf_xlength(uniforms);
  ffi_labels(labels, input->n, k, p->f.now.label, "labels");
  ffi_in_order(p->f.now.label, input->n, k);
  size_t *many = (size_t *)R_alloc(k, sizeof(size_t));
  memset(many, 0, k * sizeof(size_t));
  for (size_t i = 0; i < input->n; i++)
    many[p->f.now.label[i]]++;
  for (size_t l = 0; l < k; l++)
    if (many[l] == 0)
      Rf_error("cluster %.0f has no point", (double)l + 1);
  kg_float_begin(&p->f, z, input->w);
  settle(p);
  return p;
}

static int swap(kg_proposals *p, int improving) {
  R_CheckUserInterrupt();
  if (!kg_propose_swap(p, improving))
    return 0;
  do
    R_CheckUserInterrupt();
  while (kg_propose_sweep(p));
  if (!kg_propose_end(p))
    return 0;
  kg_propose_gains(p);
  return 1;
}

/* Swaps of the best pair until some in a row fail, then random ones until `patience` of
 * them in a row fail or all have cost `work` products. Returns the labels, the sum of
 * squares of each cluster and the products. */
SEXP ffi_swap_centroids(SEXP problem, SEXP k_, SEXP labels, SEXP control, SEXP uniforms) {
  static const char *const names[] = {"cluster", "cost", "work"};
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 2, (double)n, "k");
  size_t patience = ffi_count(ffi_need(control, "patience"), 0, 1e9, "patience"),
         failures = 0;
  double work = ffi_number(ffi_need(control, "work"), 0, HUGE_VAL, "work");
  kg_proposals *p =
      begin(input, k, ffi_integers(labels, (R_xlen_t)n, "labels"), uniforms);
  const kg_centroids *now = &p->f.now;
  for (int improving = 1; improving >= 0 && patience > 0; improving--) {
    kg_propose_gains(p);
    for (failures = 0; failures < (improving ? BROKEN : patience) && p->f.work < work;)
      failures = swap(p, improving) ? 0 : failures + 1;
  }
  settle(p);
  SEXP out = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  for (size_t i = 0; i < n; i++)
    INTEGER(VECTOR_ELT(out, 0))[i] = now->label[i] + 1;
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)k));
  memcpy(REAL(VECTOR_ELT(out, 1)), now->spread, k * sizeof(double));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(p->f.work));
  UNPROTECT(1);
  return out;
}
