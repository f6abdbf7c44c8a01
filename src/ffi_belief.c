/* ffi_belief.c - belief propagation on a graph, called from R. */
#include "ffi.h"
#include "kg_belief.h"
#include <string.h>

#define PIECE      4194304. /* message values between two polls */
#define RATES_REST 1e-6     /* of one group only the rate can change: it is waited for */

/* Vertices from `at` on, upwards or downwards, of one bounded piece. */
static size_t piece(const kg_belief *g, size_t at, int forward) {
  double left = PIECE, each = (double)g->k;
  size_t many = 0;
  for (; left > 0 && (forward ? at + many < g->n : many < at); many++) {
    const size_t i = forward ? at + many : at - many - 1;
    left -= each * (1 + (double)(g->graph.start[i + 1] - g->graph.start[i]));
  }
  R_CheckUserInterrupt();
  return many;
}

static void run(kg_belief *g, void (*work)(kg_belief *, size_t, size_t)) {
  for (size_t from = 0, many; from < g->n; from += many) {
    many = piece(g, from, 1);
    work(g, from, from + many);
  }
}

static void sweep(kg_belief *g, int forward) {
  for (size_t done = 0, many; done < g->n; done += many) {
    const size_t at = forward ? done : g->n - done;
    many = piece(g, at, forward);
    kg_belief_sweep(g, forward ? at : at - many, forward ? at + many : at, forward);
  }
}

static const double *positive(SEXP x, R_xlen_t length, int zero, const char *name) {
  const double *value = ffi_doubles(x, length, name);
  for (R_xlen_t e = 0; e < XLENGTH(x); e++) {
    if (!R_FINITE(value[e]) || !(zero ? value[e] >= 0 : value[e] > 0))
      Rf_error("%s must be finite and %s", name, zero ? "not negative" : "positive");
  }
  return value;
}

/* The graph and the beliefs that a run starts from. */
static void take_graph(kg_belief *g, SEXP graph, SEXP marginals) {
  SEXP start = ffi_need(graph, "p"), row = ffi_need(graph, "i");
  g->n = ffi_check_columns(start, row);
  const R_xlen_t entries = XLENGTH(row);
  g->graph.start = INTEGER_RO(start);
  g->graph.row = INTEGER_RO(row);
  SEXP weight = ffi_field(graph, "weight");
  g->graph.weight = Rf_isNull(weight) ? NULL : positive(weight, entries, 1, "weight");
  const double *given = ffi_doubles(marginals, -1, "marginals");
  if (XLENGTH(marginals) < (R_xlen_t)g->n || XLENGTH(marginals) % (R_xlen_t)g->n)
    Rf_error("marginals must have a column for every vertex");
  for (R_xlen_t e = 0; e < XLENGTH(marginals); e++) {
    if (!(given[e] >= 0 && given[e] <= 1 + 1e-9)) /* what one is after rounding */
      Rf_error("marginals must lie between 0 and 1");
  }
  g->k = (size_t)(XLENGTH(marginals) / (R_xlen_t)g->n);
  for (size_t i = 0; i < g->n; i++) {
    double sum = 0;
    for (size_t l = 0; l < g->k; l++)
      sum += given[i * g->k + l];
    if (!(fabs(sum - 1) < 1e-6))
      Rf_error("marginals of a vertex must sum to 1");
  }
}

/* theta, the degree distribution, which parts are there, memory, and the rates at the
 * start. */
static void take_model(kg_belief *g, SEXP model) {
  const R_xlen_t n = (R_xlen_t)g->n;
  SEXP theta = ffi_field(model, "theta"), bin = ffi_field(model, "bin");
  g->model.learn_sizes = ffi_logical(ffi_need(model, "learn_sizes"), "learn_sizes");
  g->model.normed = ffi_logical(ffi_need(model, "normed"), "normed");
  if (g->model.normed && g->graph.weight)
    Rf_error("norms and weights exclude each other");
  g->graph.theta = Rf_isNull(theta) ? NULL : positive(theta, n, 1, "theta");
  g->model.bin = NULL;
  g->model.bins = 0;
  g->model.share = NULL;
  if (!Rf_isNull(bin)) {
    SEXP share = ffi_need(model, "share");
    g->model.share = positive(share, -1, 1, "share");
    g->model.bins = (size_t)XLENGTH(share);
    g->model.bin = ffi_integers(bin, n, "bin");
    for (R_xlen_t i = 0; i < n; i++) {
      if (g->model.bin[i] < 0 || (size_t)g->model.bin[i] >= g->model.bins)
        Rf_error("bin must lie below the number of shares");
    }
  }
  const double *rate = positive(ffi_need(model, "rates"), 2, 0, "rates");
  FFI_LAY(kg_belief_lay(g, &room));
  g->model.inside = rate[0];
  g->model.outside = rate[1];
  if (!kg_belief_reverse(g))
    Rf_error("the pattern must be symmetric with rising rows");
}

static SEXP answer(const kg_belief *g, SEXP marginal, int done, double change) {
  const char *names[] = {"marginals", "rates", "sweeps", "change", "energy", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, marginal);
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, 2));
  double *rates = REAL(VECTOR_ELT(out, 1));
  rates[0] = g->model.inside;
  rates[1] = g->model.outside;
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger(done));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(change / (double)g->n));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal(g->sums.energy));
  UNPROTECT(1);
  return out;
}

/* graph: list(p, i, weight or NULL), the adjacency matrix in compressed columns, both
 * triangles, no diagonal. marginals: k x n, columns sum to 1. model: list(theta, bin,
 * share, learn_sizes, normed, rates), rates n times a and b. control:
 * list(sweeps, learn, tolerance): learn, whether the sweeps replace the rates; a run
 * stops once the marginals change by no more than tolerance per vertex in a sweep.
 * Returns list(marginals, rates, sweeps, change, energy), energy without what theta adds.
 */
SEXP ffi_belief(SEXP graph, SEXP marginals, SEXP model, SEXP control) {
  kg_belief g;
  take_graph(&g, graph, marginals);
  take_model(&g, model);
  const int most = (int)ffi_count(ffi_need(control, "sweeps"), 0, 1e9, "sweeps");
  const int learn = ffi_logical(ffi_need(control, "learn"), "learn");
  const double enough = ffi_number(ffi_need(control, "tolerance"), 0, 1, "tolerance");
  SEXP marginal = PROTECT(Rf_duplicate(marginals));
  g.marginal = REAL(marginal);

  run(&g, kg_belief_begin);
  kg_belief_clear(&g);
  run(&g, kg_belief_totals);
  kg_belief_shape(&g);
  double change = 0;
  int done = 0;
  g.model.drift = 0;
  while (done < most) {
    sweep(&g, done % 2 == 0);
    done++;
    change = g.sums.change;
    kg_belief_clear(&g);
    run(&g, kg_belief_totals);
    if (learn) {
      run(&g, kg_belief_edges);
      kg_belief_rates(&g);
    }
    kg_belief_shape(&g);
    if (change <= enough * (double)g.n && (g.k > 1 || g.model.drift <= RATES_REST))
      break;
  }
  run(&g, kg_belief_energy);
  SEXP out = answer(&g, marginal, done, change);
  UNPROTECT(1);
  return out;
}
