/* ffi_balance.c - local searches by moves and exchanges within limits on the sizes. */
#include "ffi_descent.h"
#include "kg_balance.h"
#include <math.h>
#include <string.h>

/* Labels within the limits from those of the engine. */
static void restore(kg_engine *e, kg_balance *b, int *target) {
  for (size_t at = 0; at < e->n;) {
    R_CheckUserInterrupt();
    at = kg_balance_regrets(b, at, FFI_WORK / 8);
  }
  kg_balance_assign(b, target);
  ffi_apply(e, target);
}

/* Rounds until none lowers W, or `most` of them. */
static ffi_outcome improve(kg_engine *e, kg_balance *b, size_t most, int *target) {
  ffi_outcome o;
  const void *top = vmaxget();
  int *before = (int *)R_alloc(e->n, sizeof(int));
  memset(&o, 0, sizeof o);
  kg_balance_begin(b);
  while (!o.converged && o.iterations < most) {
    double was = e->rule.W;
    for (size_t a = 0; a < e->k;) {
      R_CheckUserInterrupt();
      a = kg_balance_scan(b, a, FFI_WORK / 8);
    }
    o.iterations++;
    o.last = kg_balance_choose(b, target);
    o.converged = o.last == 0;
    if (o.converged)
      break;
    memcpy(before, e->label, e->n * sizeof(int));
    ffi_apply(e, target);
    o.fall = was - e->rule.W;
    if (!ffi_better(e, e->rule.W, was)) { /* the gain was rounding */
      ffi_apply(e, before);
      o.undone += 2 * o.last;
      o.converged = 1;
    }
  }
  vmaxset(top);
  return o;
}

/* From every column of `starts` (n x m labels from 1): the labels are put within the
 * limits and improved. The report of ffi_descend(). */
SEXP ffi_balance(SEXP problem, SEXP k_, SEXP starts, SEXP limits, SEXP control) {
  const kg_input *input = ffi_input(problem);
  size_t n = input->n, k = ffi_count(k_, 1, (double)n, "k"), best = 0;
  ffi_settings s = ffi_settings_of(control);
  R_xlen_t length = Rf_xlength(starts);
  const int *labels = ffi_integers(starts, length, "starts");
  const double *range = ffi_finite(limits, 2, "limits");
  if (length == 0 || length % (R_xlen_t)n != 0)
    Rf_error("starts must have n rows");
  for (size_t i = 0; i < n; i++)
    if (!(input->w[i] == input->w[0] && input->w[i] > 0))
      Rf_error("weights must be equal");
  if (!(range[0] >= 1 && range[0] <= range[1] && range[0] * (double)k <= (double)n &&
        range[1] * (double)k >= (double)n))
    Rf_error("limits must be feasible");
  size_t m = (size_t)length / n;
  int *target = (int *)R_alloc(n, sizeof(int)), *kept = (int *)R_alloc(n, sizeof(int));
  kg_engine *e = ffi_new_engine(input, k, s.threads);
  kg_balance b;
  FFI_LAY(kg_balance_lay(&b, e, &room));
  b.least = (size_t)range[0];
  b.most = range[1] < (double)n ? (size_t)range[1] : n;
  SEXP out = PROTECT(ffi_new_report(m));
  double *objective = REAL(VECTOR_ELT(out, OBJECTIVES));
  for (size_t a = 0; a < m; a++) {
    ffi_begin_labels(&e, labels + a * n, 1, &s);
    if (!kg_balance_holds(&b))
      restore(e, &b, target);
    ffi_outcome o = improve(e, &b, s.iter_max, target);
    objective[a] = e->rule.W;
    ffi_set_outcome(out, a, e, &o);
    if (a > 0 && !ffi_better(e, objective[a], objective[best]))
      continue;
    best = a;
    memcpy(kept, e->label, n * sizeof(int));
  }
  if (best < m - 1)
    ffi_apply(e, kept);
  ffi_settle(e, 1);
  ffi_report(out, e);
  SET_VECTOR_ELT(out, BEST, Rf_ScalarReal((double)best + 1));
  UNPROTECT(1);
  return out;
}
