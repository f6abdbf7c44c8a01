/* ffi_ward.c - Ward's tree of observations or of clusters of them. */
#include "ffi.h"
#include "kg_engine.h"
#include "kg_ward.h"
#include <math.h>
#include <string.h>

/* The rises of all pairs of observations: s_a s_b / (s_a + s_b) rho(a, b). */
static void rises_of_problem(kg_ward *t, const kg_input *input) {
  double left = 0;
  for (size_t b = 0; b + 1 < t->m; b++) {
    double *rise = t->rise + kg_ward_place(t->m, b, b + 1);
    ffi_poll(&left, input->kind->row_work(input));
    input->kind->rho(input, b, b + 1, t->m, rise);
    for (size_t a = b + 1; a < t->m; a++)
      rise[a - b - 1] *= t->s[b] / (t->s[a] + t->s[b]) * t->s[a];
  }
}

/* of: a problem with weights above 0, each observation a leaf, or the rises of m leaves as
 * a dist; s: the weights of the leaves. Rises that are small beside their mean and `self`
 * are rounding. Returns list(a, b, height): the leaves by which the two clusters of each
 * merge are named, the lesser of which names the new one. */
SEXP ffi_ward(SEXP of, SEXP s, SEXP self) {
  size_t m = (size_t)Rf_xlength(s);
  const double *weight = ffi_weights(s, m), own = ffi_number(self, 0, HUGE_VAL, "self");
  for (size_t l = 0; l < m; l++)
    if (!(weight[l] > 0))
      Rf_error("s must be above 0");
  if (m < 2 || m > 2147483647)
    Rf_error("there must be 2 to 2^31 - 1 leaves");
  const R_xlen_t pairs = ffi_length((double)m * ((double)m - 1) / 2, "the tree");
  const kg_input *input = TYPEOF(of) == VECSXP ? ffi_input(of) : NULL;
  const double *given = input ? NULL : ffi_doubles(of, pairs, "rises");
  if (input && input->n != m)
    Rf_error("every observation must have a weight");
  kg_ward t;
  FFI_LAY(kg_ward_lay(&t, m, &room));
  memcpy(t.s, weight, m * sizeof(double));
  if (input)
    rises_of_problem(&t, input);
  else
    memcpy(t.rise, given, (size_t)pairs * sizeof(double));
  double size = 0;
  for (R_xlen_t p = 0; p < pairs; p++)
    size += fabs(t.rise[p]);
  if (!R_FINITE(size))
    Rf_error("sums of pairwise dissimilarities are not finite");
  R_CheckUserInterrupt();
  size = 1e-14 * (size / (double)m + own);
  for (R_xlen_t p = 0; p < pairs; p++)
    if (fabs(t.rise[p]) <= size)
      t.rise[p] = 0;
  kg_ward_begin(&t);
  do
    R_CheckUserInterrupt();
  while (!kg_ward_go(&t, FFI_WORK / 16));

  static const char *const names[] = {"a", "b", "height"};
  SEXP out = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)m - 1));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, (R_xlen_t)m - 1));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(REALSXP, (R_xlen_t)m - 1));
  for (size_t q = 0; q + 1 < m; q++) {
    INTEGER(VECTOR_ELT(out, 0))[q] = (int)t.a[q] + 1;
    INTEGER(VECTOR_ELT(out, 1))[q] = (int)t.b[q] + 1;
  }
  memcpy(REAL(VECTOR_ELT(out, 2)), t.height, (m - 1) * sizeof(double));
  UNPROTECT(1);
  return out;
}
