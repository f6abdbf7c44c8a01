/* ffi_belief.c - belief propagation on a graph, called from R. */
#include "ffi.h"
#include "kg_belief.h"
#include <string.h>

#define PIECE      4194304. /* message values between two polls */
#define ROOM       65536    /* values of terms that are kept: half a megabyte */
#define RATES_REST 1e-6     /* of one group only the rate can change: it is waited for */

static size_t work_at(const kg_belief *g, size_t i) {
  return (1 + (size_t)(g->start[i + 1] - g->start[i])) * g->k * (g->full ? g->k : 1);
}

/* The end of a piece that begins at from, in the direction of the walk. */
static size_t piece_end(const kg_belief *g, size_t from, int forward) {
  double work = 0;
  size_t to = from;
  if (forward) {
    for (; to < g->n && work < PIECE; to++)
      work += (double)work_at(g, to);
  } else {
    for (; to > 0 && work < PIECE; to--)
      work += (double)work_at(g, to - 1);
  }
  return to;
}

typedef void (*step)(kg_belief *, size_t, size_t);

static void run(kg_belief *g, step work) {
  for (size_t from = 0; from < g->n;) {
    const size_t to = piece_end(g, from, 1);
    work(g, from, to);
    from = to;
    R_CheckUserInterrupt();
  }
}

static void sweep(kg_belief *g, int forward) {
  for (size_t at = forward ? 0 : g->n; forward ? at < g->n : at > 0;) {
    const size_t to = piece_end(g, at, forward);
    kg_belief_sweep(g, forward ? at : to, forward ? to : at, forward);
    at = to;
    R_CheckUserInterrupt();
  }
}

static double *doubles(size_t n) {
  return (double *)R_alloc(n ? n : 1, sizeof(double));
}

/* The element of a named list, R's NULL if there is none. */
static SEXP element(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  if (TYPEOF(list) != VECSXP || TYPEOF(names) != STRSXP)
    Rf_error("a named list is wanted");
  for (R_xlen_t a = 0; a < XLENGTH(list); a++) {
    if (!strcmp(CHAR(STRING_ELT(names, a)), name))
      return VECTOR_ELT(list, a);
  }
  return R_NilValue;
}

static int flag(SEXP list, const char *name) {
  SEXP x = element(list, name);
  if (TYPEOF(x) != LGLSXP || XLENGTH(x) != 1 || LOGICAL_RO(x)[0] == NA_LOGICAL)
    Rf_error("%s must be TRUE or FALSE", name);
  return LOGICAL_RO(x)[0];
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
  SEXP start = element(graph, "p"), row = element(graph, "i");
  g->n = ffi_check_columns(start, row);
  const R_xlen_t entries = XLENGTH(row);
  g->start = INTEGER_RO(start);
  g->row = INTEGER_RO(row);
  SEXP weight = element(graph, "weight");
  g->weight = Rf_isNull(weight) ? NULL : positive(weight, entries, 1, "weight");
  const double *given = ffi_doubles(marginals, -1, "marginals");
  if (XLENGTH(marginals) < (R_xlen_t)g->n || XLENGTH(marginals) % (R_xlen_t)g->n)
    Rf_error("marginals must have a column for every vertex");
  for (R_xlen_t e = 0; e < XLENGTH(marginals); e++) {
    if (!(given[e] >= 0 && given[e] <= 1 + 1e-9)) /* what one is after rounding */
      Rf_error("marginals must lie between 0 and 1");
  }
  g->k = (size_t)(XLENGTH(marginals) / (R_xlen_t)g->n);
  size_t *reverse = (size_t *)R_alloc(entries ? (size_t)entries : 1, sizeof(size_t));
  size_t *next = (size_t *)R_alloc(g->n, sizeof(size_t));
  if (!kg_belief_reverse(g->n, g->start, g->row, next, reverse))
    Rf_error("the pattern must be symmetric with rising rows");
  g->reverse = reverse;
  g->message = doubles((size_t)entries * g->k);
}

/* theta, the degree distribution, which parts are there, and the rates at the start. */
static void take_model(kg_belief *g, SEXP model) {
  const R_xlen_t n = (R_xlen_t)g->n;
  const size_t k = g->k;
  SEXP theta = element(model, "theta"), bin = element(model, "bin");
  SEXP share = element(model, "share"), rates = element(model, "rates");
  g->learn_sizes = flag(model, "learn_sizes");
  g->normed = flag(model, "normed");
  g->full = flag(model, "full");
  if ((g->normed && (g->full || g->weight)) || (g->full && g->weight))
    Rf_error("a full matrix, norms and weights exclude each other");
  g->theta = Rf_isNull(theta) ? NULL : positive(theta, n, 1, "theta");
  g->bin = NULL;
  g->bins = 0;
  g->share = NULL;
  if (!Rf_isNull(bin)) {
    g->share = positive(share, -1, 1, "share");
    g->bins = (size_t)XLENGTH(share);
    g->bin = ffi_integers(bin, n, "bin");
    for (R_xlen_t i = 0; i < n; i++) {
      if (g->bin[i] < 0 || (size_t)g->bin[i] >= g->bins)
        Rf_error("bin must lie below the number of shares");
    }
  }
  const double *rate = positive(rates, g->full ? (R_xlen_t)(k * k) : 2, 0, "rates");
  g->inside = g->full ? 1 : rate[0];
  g->outside = g->full ? 1 : rate[1];
  g->rate = g->full ? doubles(k * k) : NULL;
  g->between = g->full ? doubles(k * k) : NULL;
  g->own = g->full ? doubles(k * k) : NULL;
  if (g->full)
    memcpy(g->rate, rate, k * k * sizeof(double));
}

static void workspace(kg_belief *g) {
  const size_t k = g->k;
  double *room = doubles(9 * k);
  g->size = room;
  g->mass = room + k;
  g->log_size = room + 2 * k;
  g->rho = room + 3 * k;
  g->log_rho = room + 4 * k;
  g->work = room + 5 * k;
  size_t most = 0;
  for (size_t i = 0; i < g->n; i++) {
    const size_t values = (size_t)(g->start[i + 1] - g->start[i]) * k;
    most = values > most ? values : most;
  }
  g->room = most < ROOM ? most : ROOM;
  g->kept = doubles(g->room);
  g->law = g->bin ? doubles(g->bins * k) : NULL;
  g->count = g->bin ? doubles(g->bins * k) : NULL;
}

static SEXP answer(const kg_belief *g, SEXP marginal, int done, double change,
                   double energy) {
  const char *names[] = {"marginals", "rates", "sweeps", "change", "energy", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, marginal);
  const int k = (int)g->k;
  SEXP final = g->full ? Rf_allocMatrix(REALSXP, k, k) : Rf_allocVector(REALSXP, 2);
  SET_VECTOR_ELT(out, 1, final);
  if (g->full) {
    memcpy(REAL(final), g->rate, g->k * g->k * sizeof(double));
  } else {
    REAL(final)[0] = g->inside;
    REAL(final)[1] = g->outside;
  }
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger(done));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(change / (double)g->n));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal(energy));
  UNPROTECT(1);
  return out;
}

/* graph: list(p, i, weight or NULL), the adjacency matrix in compressed columns, both
 * triangles, no diagonal. marginals: k x n, columns sum to 1. model: list(theta, bin,
 * share, learn_sizes, normed, full, rates), rates n times a and b or n W. control:
 * list(sweeps, learn, tolerance): learn, whether the sweeps replace the rates; a run
 * stops once the marginals change by no more than tolerance per vertex in a sweep.
 * Returns list(marginals, rates, sweeps, change, energy), energy without what theta adds.
 */
SEXP ffi_belief(SEXP graph, SEXP marginals, SEXP model, SEXP control) {
  kg_belief g;
  take_graph(&g, graph, marginals);
  take_model(&g, model);
  workspace(&g);
  const int most = (int)ffi_count(element(control, "sweeps"), 0, 1e9, "sweeps");
  const int learn = flag(control, "learn");
  const double enough = ffi_number(element(control, "tolerance"), 0, 1, "tolerance");
  SEXP marginal = PROTECT(Rf_duplicate(marginals));
  g.marginal = REAL(marginal);

  run(&g, kg_belief_begin);
  kg_belief_clear(&g);
  run(&g, kg_belief_totals);
  kg_belief_shape(&g);
  double change = 0;
  int done = 0;
  g.drift = 0;
  while (done < most) {
    sweep(&g, done % 2 == 0);
    done++;
    change = g.change;
    kg_belief_clear(&g);
    run(&g, kg_belief_totals);
    if (learn) {
      run(&g, kg_belief_edges);
      kg_belief_rates(&g);
    }
    kg_belief_shape(&g);
    if (change <= enough * (double)g.n && (g.k > 1 || g.drift <= RATES_REST))
      break;
  }
  run(&g, kg_belief_energy);
  SEXP out = answer(&g, marginal, done, change, g.energy);
  UNPROTECT(1);
  return out;
}
