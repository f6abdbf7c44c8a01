/* ffi_permute.c - a statistic of every column of a matrix of labels and weights. */
#include "ffi.h"
#include "kg_pairs.h"
#include "kg_permute.h"
#include <string.h>

/* codes: n x m from 1, each of one label and weight. label: of every code from 1; weight:
 * of every code, or NULL for the weights of the problem. One value a column. */
SEXP ffi_permute(SEXP problem, SEXP centre, SEXP codes, SEXP label, SEXP weight,
                 SEXP statistic) {
  kg_pairs pairs = ffi_pairs(problem);
  size_t n = pairs.n, number = (size_t)Rf_xlength(label);
  R_xlen_t length = Rf_xlength(codes);
  const int *from = ffi_integers(codes, length, "codes");
  if (length == 0 || length % (R_xlen_t)n != 0)
    Rf_error("codes must have n rows");
  const int *names = ffi_integers(label, (R_xlen_t)number, "label");
  kg_permute p = {.pairs = &pairs,
                  .w = ffi_problem_weights(problem, n),
                  .centre = ffi_doubles(centre, (R_xlen_t)n, "centre"),
                  .k = 1,
                  .m = (size_t)length / n,
                  .own_weights = weight != R_NilValue,
                  .statistic =
                      (enum kg_statistic)ffi_count(statistic, 0, 3, "statistic")};
  const double *w = p.own_weights ? ffi_weights(weight, number) : NULL;
  if (!w && p.statistic == KG_TOTAL)
    Rf_error("the total depends on weights");
  int *group = (int *)R_alloc(number + 1, sizeof(int));
  ffi_labels(names, number, number, group, "label");
  for (size_t c = 0; c < number; c++)
    if ((size_t)names[c] > p.k)
      p.k = (size_t)names[c];
  FFI_LAY(kg_permute_lay(&p, &room));
  int *code = (int *)R_alloc(n, sizeof(int)), *own = (int *)R_alloc(n, sizeof(int));
  double *own_w = (double *)R_alloc(n, sizeof(double));
  for (size_t q = 0; q < p.m; q++) {
    R_CheckUserInterrupt();
    ffi_labels(from + q * n, n, number, code, "codes");
    for (size_t i = 0; i < n; i++) {
      own[i] = group[code[i]];
      if (w)
        own_w[i] = w[code[i]];
    }
    kg_permute_set(&p, q, own, own_w);
  }
  FFI_PIECES (i, to, n, ffi_rows(&pairs) / (p.m + 1) + 1)
    kg_permute_rows(&p, i, to);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)p.m));
  memcpy(REAL(out), p.out, p.m * sizeof(double));
  UNPROTECT(1);
  return out;
}
