/* ffi_centroids.c - centroid swaps of a partition, and crossovers of several. */
#include "ffi.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_propose.h"
#include "kg_rule.h"
#include "kg_start.h"
#include <math.h>
#include <string.h>

enum {
  MOST = 1000,  /* sweeps: rounding must not lower W for ever */
  BROKEN = 3,   /* improving swaps in a row that may fail */
  PARTNERS = 10, /* of a partition in a crossover, */
  CROSSOVERS = 2 /* with each of them */
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

/* The proposals of a problem of features in double precision, at a local optimum near the labels. */
static kg_proposals *begin(SEXP problem, size_t k, const int *labels, SEXP control, SEXP uniforms) {
  const kg_input *input = ffi_input(problem);
  if (input->kind != &kg_double_features)
    Rf_error("features must be in double precision");
  const kg_features *from = (const kg_features *)input->values;
  double power = ffi_number(ffi_need(control, "power"), 0, 1, "power");
  const double *u = ffi_uniforms(uniforms);
  if (!(power > 0))
    Rf_error("power must be above 0");
  if (Rf_xlength(uniforms) == 0)
    Rf_error("there must be uniforms");
  for (size_t i = 0; i < input->n; i++)
    if (!(input->w[i] > 0))
      Rf_error("weights must be above 0");
  kg_proposals *p = (kg_proposals *)R_alloc(1, sizeof(kg_proposals));
  kg_room room = {NULL, 0};
  kg_proposals_lay(p, input->n, from->width, k, &room);
  room = ffi_room(&room);
  kg_proposals_lay(p, input->n, from->width, k, &room);
  p->draws.u = u;
  p->draws.n = (size_t)Rf_xlength(uniforms);
  ffi_labels(labels, input->n, k, p->f.now.label, "labels");
  kg_float_begin(&p->f, from->z, input->w, power);
  settle(p);
  return p;
}

static int attempt(kg_proposals *p, const kg_centroids *others, size_t many) {
  do
    R_CheckUserInterrupt();
  while (kg_propose_sweep(p));
  return kg_propose_end(p, others, many);
}

static int swap(kg_proposals *p, int improving) {
  R_CheckUserInterrupt();
  if (!kg_propose_swap(p, improving) || !attempt(p, NULL, 0))
    return 0;
  kg_propose_gains(p);
  return 1;
}

static SEXP labels_of(const kg_float *f) {
  SEXP out = Rf_allocVector(INTSXP, (R_xlen_t)f->of.n);
  for (size_t i = 0; i < f->of.n; i++)
    INTEGER(out)[i] = f->now.label[i] + 1;
  return out;
}

/* Swaps that improve by their estimate, until some in a row fail; then random ones, until `patience`
 * of them in a row fail or all have cost `work` products. */
SEXP ffi_swap_centroids(SEXP problem, SEXP k_, SEXP labels, SEXP control, SEXP uniforms) {
  static const char *const names[] = {"cluster", "W", "swaps", "kept", "spread"};
  size_t n = ffi_input(problem)->n, k = ffi_count(k_, 2, (double)n, "k"), swaps = 0, kept = 0;
  size_t patience = ffi_count(ffi_need(control, "patience"), 0, 1e9, "patience"), failures = 0;
  double work = ffi_number(ffi_need(control, "work"), 0, HUGE_VAL, "work"), spread = 0;
  kg_proposals *p =
      begin(problem, k, ffi_integers(labels, (R_xlen_t)n, "labels"), control, uniforms);
  if (patience > 0)
    kg_propose_gains(p);
  for (; patience > 0 && failures < BROKEN; swaps++) {
    int better = swap(p, 1);
    kept += (size_t)better;
    failures = better ? 0 : failures + 1;
  }
  for (failures = 0; failures < patience && p->f.work < work; swaps++) {
    int better = swap(p, 0);
    kept += (size_t)better;
    failures = better ? 0 : failures + 1;
  }
  settle(p);
  for (size_t l = 0; l < k; l++)
    spread += p->f.now.spread[l];
  SEXP out = PROTECT(ffi_list(5, names));
  SET_VECTOR_ELT(out, 0, labels_of(&p->f));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(p->f.now.W));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)swaps));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)kept));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal(spread));
  UNPROTECT(1);
  return out;
}

/* Partitions at local optima near columns of labels; p has the first of them. */
static kg_centroids *populate(kg_proposals *p, const int *labels, size_t many) {
  size_t n = p->f.of.n, d = p->f.of.d, k = p->f.k;
  kg_centroids *all = (kg_centroids *)R_alloc(many, sizeof(kg_centroids));
  kg_room room = {NULL, 0};
  for (int slice = 0; slice < 2; slice++) {
    for (size_t one = 0; one < many; one++)
      kg_centroids_lay(all + one, n, d, k, &room);
    if (slice == 0)
      room = ffi_room(&room);
  }
  for (size_t one = 0; one < many; one++) {
    if (one > 0) {
      ffi_labels(labels + one * n, n, k, p->f.now.label, "labels");
      kg_float_list(&p->f);
      settle(p);
    }
    kg_centroids_copy(all + one, &p->f.now, &p->f);
  }
  return all;
}

/* Crosses partition `one` with others of the population: the number of crossovers kept. failures: in
 * a row. */
static size_t cross(kg_proposals *p, kg_centroids *all, size_t many, size_t one, double work,
                    size_t *failures) {
  size_t kept = 0;
  kg_float_restore(&p->f, all + one);
  kg_float_list_members(&p->f);
  for (int partner = 0; partner < PARTNERS && p->f.work < work; partner++) {
    const kg_centroids *other = all + (one + 1 + kg_one_of(&p->draws, many - 1)) % many;
    for (int round = 0; kg_propose_match(p, other, round) > 0; round++)
      R_CheckUserInterrupt();
    for (int turn = 0; turn < CROSSOVERS; turn++) {
      *failures += 1;
      if (!kg_propose_cross(p, other) || !attempt(p, all, many))
        continue;
      kg_centroids_copy(all + one, &p->f.now, &p->f);
      kept++;
      *failures = 0;
    }
  }
  return kept;
}

/* Crossovers of partitions, a column of labels each, until `patience` of them in a row fail or all
 * have cost `work` products: the best partition, and W of each. */
SEXP ffi_cross_centroids(SEXP problem, SEXP k_, SEXP labels, SEXP control, SEXP uniforms) {
  static const char *const names[] = {"cluster", "W", "kept"};
  size_t n = ffi_input(problem)->n, k = ffi_count(k_, 2, (double)n, "k");
  size_t patience = ffi_count(ffi_need(control, "patience"), 0, 1e9, "patience");
  double work = ffi_number(ffi_need(control, "work"), 0, HUGE_VAL, "work");
  size_t many = (size_t)(Rf_xlength(labels) / (R_xlen_t)n), kept = 0, failures = 0, best = 0;
  if (many < 2)
    Rf_error("there must be two columns of labels or more");
  const int *from = ffi_integers(labels, (R_xlen_t)(n * many), "labels");
  kg_proposals *p = begin(problem, k, from, control, uniforms);
  kg_centroids *all = populate(p, from, many);
  while (failures < patience && p->f.work < work) {
    size_t one = kg_one_of(&p->draws, many), two = kg_one_of(&p->draws, many);
    kept += cross(p, all, many, kg_below(all[two].W, all[one].W) ? two : one, work, &failures);
  }
  SEXP out = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)many));
  double *W = REAL(VECTOR_ELT(out, 1));
  for (size_t one = 0; one < many; one++) {
    W[one] = all[one].W;
    if (kg_below(all[one].W, all[best].W))
      best = one;
  }
  kg_float_restore(&p->f, all + best);
  settle(p);
  W[best] = p->f.now.W;
  SET_VECTOR_ELT(out, 0, labels_of(&p->f));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)kept));
  UNPROTECT(1);
  return out;
}
