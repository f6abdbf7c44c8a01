/* ffi_descent.h - what local searches and the searches that go on from them share: the
 * settings, a local search in pieces (ffi_descent.c), starts and the report
 * (ffi_report.c).
 */
#ifndef KG_FFI_DESCENT_H
#define KG_FFI_DESCENT_H

#include "ffi.h"

enum { HARTIGAN, LLOYD };

typedef struct {
  int method, threads; /* fixed when the call starts */
  int fill;            /* clusters without a point of positive weight, at the start */
  int in_order;        /* starts are numbered by first appearance */
  size_t iter_max;
} ffi_settings;

typedef struct {
  size_t iterations, last, undone; /* last: moves of the last sweep */
  int converged, rose;
  double fall; /* how much the last sweep lowered the objective */
} ffi_outcome;

typedef struct {
  ffi_outcome o;
  int phase;
  size_t at, before; /* the next point, and the moves before the sweep */
  double was;        /* the objective of `previous` */
  double above;      /* the objective before the last sweep */
  int all_done;
  int undoing,
      resume;         /* back to the labels before the sweep; what follows, TOP or DONE */
  int shifted, stuck; /* Lloyd: the shift is on; without it W rises from these labels */
  int *previous, *target; /* n labels each; previous: to go back to */
  size_t *count;          /* k */
  double *cost;           /* n */
} ffi_descent;

ffi_settings ffi_settings_of(SEXP control);
/* Room for a local search; targets only if the method uses them. */
ffi_descent ffi_new_descent(const kg_engine *e, const ffi_settings *s);
void ffi_descend_one(kg_engine *e, ffi_descent *t, const ffi_settings *s);
/* Several local searches side by side, each by one thread. */
void ffi_descend_many(kg_engine **engines, ffi_descent *t, size_t many,
                      const ffi_settings *s);

/* Evaluations of the moves so far; without pairwise dissimilarities the work. */
double ffi_work_of(const kg_engine *e);
/* Split-merge moves of a partition at a local optimum, then perturbations. Returns the
 * evaluations that they have cost. The uniforms are used over and over. */
double ffi_split_merge(kg_engine *e, ffi_descent *t, const ffi_settings *s, SEXP control);

/* Columns of n labels from 1, with sums and totals. */
void ffi_begin_labels(kg_engine **engines, const int *labels, size_t many,
                      const ffi_settings *s);
/* Labels to `target`, with sums and totals. */
void ffi_apply(kg_engine *e, const int *target);

/* The fields of a report; those that an entry does not fill are NULL. */
enum {
  CLUSTER,
  COST,
  V_,
  S_,
  TOTAL,
  OBJECTIVES,
  ITERATIONS,
  MOVES,
  LAST,
  CONVERGED,
  ROSE,
  FALL,
  BEST,
  MEANS,
  LABELS,
  SPENT
};
SEXP ffi_new_report(size_t starts);
void ffi_set_outcome(SEXP out, size_t a, const kg_engine *e, const ffi_outcome *o);
/* The sums of the labels as they are; `again`: from scratch, where moves may have worn
 * them. Then the fit. */
void ffi_settle(kg_engine *e, int again);
void ffi_report(SEXP out, const kg_engine *e);
/* Is a better than b by more than rounding? Ties go to the earlier start. */
int ffi_better(const kg_engine *e, double a, double b);

#endif
