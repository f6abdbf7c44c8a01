/* ffi_solve.c - the one way into the solvers: descents and swaps. */
#include "ffi.h"
#include <math.h>
#include <string.h>

enum { HARTIGAN, LLOYD };

typedef struct {
  kg_pairs pairs;
  const double *w;
  double *self, *workspace;
  size_t n, k, iter_max;
  int method, threads; /* as many until the end, whatever is asked for meanwhile */
} problem;

static problem problem_of(SEXP store, SEXP w, SEXP k, SEXP method, SEXP iter_max) {
  problem p;
  p.pairs = ffi_store(store);
  p.n = p.pairs.n;
  p.w = ffi_weights(w, p.n);
  p.k = ffi_count(k, 1, (double)p.n, "k");
  p.method = (int)ffi_count(method, HARTIGAN, LLOYD, "method");
  p.iter_max = ffi_count(iter_max, 0, 2147483647, "iter_max");
  p.self = ffi_self(&p.pairs);
  p.threads = ffi_threads();
  p.workspace = ffi_workspace(&p.pairs, p.threads);
  return p;
}

static kg_state new_state(const problem *p) {
  return ffi_new_state(&p->pairs, p->w, p->self, p->workspace, p->threads, p->k);
}

typedef struct {
  size_t iterations;
  int converged, rose;
  double fall; /* how much the last sweep raised Q, relative to the scale */
} outcome;

/* Labels to `target`, each change one row of B. */
static void apply(kg_state *state, const int *target) {
  size_t piece = 16 * ffi_piece(state->pairs);
  for (size_t i = 0; i < state->n;) {
    i = kg_relabel(state, target, i, piece);
    R_CheckUserInterrupt();
  }
  ffi_totals(state);
}

/* A descent that goes on in pieces; no R in it, so that threads may take one each. */
typedef struct {
  outcome o;
  size_t at, before; /* the next point, and the moves before the sweep */
  double Q;
  int done;
  enum kg_status status;
} descent;

static void advance(kg_state *state, descent *t, size_t iter_max, size_t budget) {
  if (t->o.iterations >= iter_max) t->done = 1;
  if (t->done) return;
  if (t->at == 0) {
    t->before = state->moves;
    t->Q = kg_objective(state);
  }
  t->at = kg_hartigan_sweep(state, t->at, budget);
  if (t->at < state->n) return;
  t->at = 0;
  t->o.iterations++;
  t->status = kg_totals(state);
  t->o.fall = kg_objective(state) - t->Q;
  t->o.converged = state->moves == t->before;
  t->done = t->o.converged || t->status != KG_OK;
}

static void check_finite(enum kg_status status) {
  if (status == KG_NOT_FINITE) Rf_error("sums of pair values are not finite");
}

static outcome descend_hartigan(kg_state *state, size_t iter_max) {
  descent t = {{0, 0, 0, 0}, 0, 0, 0, 0, KG_OK};
  while (!t.done) {
    advance(state, &t, iter_max, 16 * ffi_piece(state->pairs));
    R_CheckUserInterrupt();
  }
  check_finite(t.status);
  return t.o;
}

/* Several descents side by side, each by one thread. */
static void descend_together(const problem *p, kg_state *states, outcome *outcomes,
                             size_t many) {
  descent t[16];
  int threads = p->threads;
  size_t left = many, budget = 16 * ffi_piece(&p->pairs);
  const void *top = vmaxget();
  for (size_t a = 0; a < many; a++) {
    memset(t + a, 0, sizeof(descent));
    double *own = (double *)R_alloc(kg_state_workspace(&p->pairs, 1), sizeof(double));
    kg_state_workspace_set(states + a, 1, own);
  }
  while (left > 0) {
    left = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : left)
#endif
    for (size_t a = 0; a < many; a++) {
      advance(states + a, t + a, p->iter_max, budget);
      left += !t[a].done;
    }
    R_CheckUserInterrupt();
  }
  for (size_t a = 0; a < many; a++) {
    kg_state_workspace_set(states + a, threads, p->workspace);
    check_finite(t[a].status);
    outcomes[a] = t[a].o;
  }
  vmaxset(top);
}

static outcome descend_lloyd(kg_state *state, size_t iter_max, int *target, int *previous,
                             size_t *count) {
  outcome o = {0, 0, 0, 0};
  double Q = kg_objective(state);
  while (o.iterations < iter_max) {
    R_CheckUserInterrupt();
    size_t changed = kg_lloyd_targets(state, target, count);
    o.iterations++;
    if (changed == 0) {
      o.converged = 1;
      break;
    }
    memcpy(previous, state->label, state->n * sizeof(int));
    apply(state, target);
    double now = kg_objective(state);
    o.fall = now - Q;
    if (now < Q - state->tolerance * (double)state->n) {
      o.rose = 1;
      apply(state, previous);
      break;
    }
    Q = now;
  }
  return o;
}

static outcome descend(const problem *p, kg_state *state, int *target, int *previous,
                       size_t *count) {
  if (p->method == HARTIGAN) return descend_hartigan(state, p->iter_max);
  return descend_lloyd(state, p->iter_max, target, previous, count);
}

/* Every one of the k clusters needs a point of positive weight to start from. */
static void check_filled(const kg_state *state) {
  for (size_t l = 0; l < state->k; l++)
    if (state->count[l] == 0)
      Rf_error("cluster %.0f starts without a point of positive weight", (double)l + 1);
}

/* What the fit reports: labels from 1, and the sums they give. Small problems get R
 * anew; for larger ones R kept up to date by moves agrees to 1e-12. */
static SEXP report(kg_state *state) {
  static const char *const names[] = {"cluster", "V", "s", "cost", "all"};
  enum { SMALL = 2048 };
  size_t n = state->n, k = state->k;
  if (state->moves > 0 && (n <= SMALL || state->moves > 64 * n)) ffi_build(state, 1);
  kg_place_weightless(state);
  SEXP out = PROTECT(ffi_list(5, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  for (int a = 1; a < 4; a++)
    SET_VECTOR_ELT(out, a, Rf_allocVector(REALSXP, (R_xlen_t)k));
  double *cost = REAL(VECTOR_ELT(out, 3));
  long double all = 0;
  memcpy(REAL(VECTOR_ELT(out, 1)), state->V, k * sizeof(double));
  memcpy(REAL(VECTOR_ELT(out, 2)), state->s, k * sizeof(double));
  for (size_t l = 0; l < k; l++) {
    long double diagonal = 0, V = 0;
    R_CheckUserInterrupt();
    for (size_t i = 0; i < n; i++) {
      if (state->w[i] == 0) continue;
      all += state->w[i] * state->R[i + l * n];
      if ((size_t)state->label[i] != l) continue;
      diagonal += state->w[i] * state->self[i];
      V += state->w[i] * state->R[i + l * n];
    }
    cost[l] = (double)(diagonal - V / state->s[l]);
  }
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal((double)all));
  int *cluster = INTEGER(VECTOR_ELT(out, 0));
  for (size_t i = 0; i < n; i++) cluster[i] = state->label[i] + 1;
  UNPROTECT(1);
  return out;
}

/* n x k: R_il, the sums of w_y B_iy over the clusters of a given partition */
SEXP ffi_group_sums(SEXP store, SEXP w, SEXP label, SEXP k) {
  SEXP zero = PROTECT(Rf_ScalarReal(0));
  problem p = problem_of(store, w, k, zero, zero);
  if ((double)p.n * (double)p.k > 2147483647.0 * 1024) Rf_error("n * k is too large");
  kg_state state = new_state(&p);
  ffi_labels(ffi_integers(label, (R_xlen_t)p.n, "label"), p.n, p.k, state.label, "label");
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)p.n, (int)p.k));
  ffi_build(&state, 1);
  memcpy(REAL(out), state.R, p.n * p.k * sizeof(double));
  UNPROTECT(2);
  return out;
}

/* Descends from every column of `starts` (n x m labels from 1); the first passes of as
 * many states as fit 64 MB are one. Returns the fit of largest Q, ties to the first. */
SEXP ffi_solve(SEXP store, SEXP w, SEXP k, SEXP starts, SEXP method, SEXP iter_max) {
  static const char *const names[] = {"fit",  "Q",    "iterations", "moves",
                                      "converged", "rose", "fall", "best"};
  problem p = problem_of(store, w, k, method, iter_max);
  size_t n = p.n;
  R_xlen_t length = Rf_xlength(starts);
  const int *start = ffi_integers(starts, length, "starts");
  if (length == 0 || length % (R_xlen_t)n != 0) Rf_error("starts must have n rows");
  size_t m = (size_t)length / n;
  double bytes = 8.0 * (double)kg_state_doubles(n, p.k);
  size_t batch = bytes * (double)m < 67108864.0 ? m : (size_t)(67108864.0 / bytes);
  if (batch < 1) batch = 1;
  if (batch > 16) batch = 16;

  kg_state states[16], best = new_state(&p);
  for (size_t a = 0; a < batch && a < 16; a++) states[a] = new_state(&p);
  int *target = (int *)R_alloc(n, sizeof(int)), *previous = (int *)R_alloc(n, sizeof(int));
  size_t *count = (size_t *)R_alloc(p.k, sizeof(size_t));

  SEXP out = PROTECT(ffi_list(8, names));
  for (int a = 1; a < 7; a++)
    SET_VECTOR_ELT(out, a, Rf_allocVector(REALSXP, (R_xlen_t)m));
  double *Q = REAL(VECTOR_ELT(out, 1));
  size_t winner = m;
  for (size_t first = 0; first < m; first += batch) {
    size_t many = m - first < batch ? m - first : batch;
    for (size_t a = 0; a < many; a++)
      ffi_labels(start + (first + a) * n, n, p.k, states[a].label, "starts");
    ffi_build(states, many);
    for (size_t a = 0; a < many; a++) {
      states[a].moves = 0;
      check_filled(states + a);
    }
    outcome outcomes[16];
    int together = many > 1 && p.method == HARTIGAN && p.threads > 1;
    if (together) descend_together(&p, states, outcomes, many);
    for (size_t a = 0; a < many; a++) {
      size_t at = first + a;
      outcome o = together ? outcomes[a] : descend(&p, states + a, target, previous, count);
      Q[at] = kg_objective(states + a);
      REAL(VECTOR_ELT(out, 2))[at] = (double)o.iterations;
      REAL(VECTOR_ELT(out, 3))[at] = (double)states[a].moves;
      REAL(VECTOR_ELT(out, 4))[at] = o.converged;
      REAL(VECTOR_ELT(out, 5))[at] = o.rose;
      REAL(VECTOR_ELT(out, 6))[at] = o.fall;
      /* ties by rounding alone go to the earliest start */
      if (winner == m ||
          Q[at] > Q[winner] + 1e-3 * best.tolerance) {
        kg_state kept = best;
        best = states[a];
        states[a] = kept;
        winner = at;
      }
    }
  }
  SET_VECTOR_ELT(out, 0, report(&best));
  SET_VECTOR_ELT(out, 7, Rf_ScalarReal((double)winner + 1));
  UNPROTECT(1);
  return out;
}

static void copy_state(kg_state *into, const kg_state *from) {
  memcpy(into->label, from->label, from->n * sizeof(int));
  memcpy(into->R, from->R, kg_state_doubles(from->n, from->k) * sizeof(double));
  memcpy(into->count, from->count, from->k * sizeof(size_t));
  into->tolerance = from->tolerance;
  into->moves = from->moves;
  into->n_waiting = 0;
}

/* x with probability ~ w_x d2 to its own mean, at fraction u of the total */
static size_t draw_far(const kg_state *state, double *mass, double u) {
  double total = 0, sum = 0;
  size_t last = state->n;
  for (size_t i = 0; i < state->n; i++) {
    double d2 = state->w[i] > 0 ? kg_d2(state, i, (size_t)state->label[i]) : 0;
    mass[i] = d2 > 0 ? state->w[i] * d2 : 0;
    total += mass[i];
  }
  for (size_t i = 0; i < state->n; i++) {
    if (mass[i] == 0) continue;
    sum += mass[i];
    last = i;
    if (sum > u * total) break;
  }
  return last;
}

/* Swap search from a given partition: two uniforms a swap. The search ends after
 * `patience` failures in a row, or when `again` swaps have led back to the same W, give
 * or take its part `near`. */
SEXP ffi_swap(SEXP store, SEXP w, SEXP k, SEXP label, SEXP method, SEXP iter_max,
              SEXP uniforms, SEXP patience_, SEXP again_, SEXP near_) {
  static const char *const names[] = {"fit",   "Q",         "swaps", "kept", "iterations",
                                      "moves", "converged", "rose",  "fall"};
  problem p = problem_of(store, w, k, method, iter_max);
  size_t n = p.n, swaps = (size_t)Rf_xlength(uniforms) / 2, kept = 0, failures = 0, done;
  const double *u = ffi_uniforms(uniforms);
  size_t patience = ffi_count(patience_, 1, 1e9, "patience"), returned = 0;
  size_t again = ffi_count(again_, 1, 1e9, "again");
  double near = ffi_number(near_, 0, 1, "near"), base = 0;
  kg_state now = new_state(&p), trial = new_state(&p);
  int *target = (int *)R_alloc(n, sizeof(int)), *previous = (int *)R_alloc(n, sizeof(int));
  size_t *count = (size_t *)R_alloc(p.k, sizeof(size_t));
  double *mass = (double *)R_alloc(n, sizeof(double));
  double *row = (double *)R_alloc(n, sizeof(double));
  outcome last;

  ffi_labels(ffi_integers(label, (R_xlen_t)n, "label"), n, p.k, now.label, "label");
  for (size_t i = 0; i < n; i++) base += p.w[i] * p.self[i];
  ffi_build(&now, 1);
  check_filled(&now);
  now.moves = 0;
  last = descend(&p, &now, target, previous, count);
  for (done = 0; done < swaps && failures < patience && returned < again && p.k > 1; done++) {
    R_CheckUserInterrupt();
    size_t c = (size_t)(u[2 * done] * (double)p.k);
    size_t x = draw_far(&now, mass, u[2 * done + 1]);
    if (c >= p.k) c = p.k - 1;
    if (x == n) break; /* every point lies on its mean */
    failures++;
    if (!kg_swap_targets(&now, c, x, kg_row(&p.pairs, x, row), target, count)) continue;
    copy_state(&trial, &now);
    apply(&trial, target);
    outcome o = descend(&p, &trial, target, previous, count);
    double gain = kg_objective(&trial) - kg_objective(&now);
    returned += fabs(gain) <= near * fabs(base - kg_objective(&now));
    if (gain > now.tolerance) {
      kg_state swapped = now;
      now = trial;
      trial = swapped;
      last = o;
      failures = returned = 0;
      kept++;
    }
  }
  SEXP out = PROTECT(ffi_list(9, names));
  double moves = (double)now.moves;
  SET_VECTOR_ELT(out, 0, report(&now));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(kg_objective(&now)));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)done));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)kept));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal((double)last.iterations));
  SET_VECTOR_ELT(out, 5, Rf_ScalarReal(moves));
  SET_VECTOR_ELT(out, 6, Rf_ScalarLogical(last.converged));
  SET_VECTOR_ELT(out, 7, Rf_ScalarLogical(last.rose));
  SET_VECTOR_ELT(out, 8, Rf_ScalarReal(last.fall));
  UNPROTECT(1);
  return out;
}
