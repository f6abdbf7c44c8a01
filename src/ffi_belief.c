/* ffi_belief.c - belief propagation on a graph, called from R. */
#include "ffi.h"

#define PIECE 4194304. /* message values between two polls */

static size_t piece_end(const kg_belief *g, size_t from) {
  double work = 0;
  size_t to = from;
  while (to < g->n && work < PIECE) {
    work += (1. + g->start[to + 1] - g->start[to]) * (double)g->k;
    to++;
  }
  return to;
}

typedef void (*step)(kg_belief *, size_t, size_t);

static void run(kg_belief *g, step work) {
  for (size_t from = 0; from < g->n;) {
    const size_t to = piece_end(g, from);
    work(g, from, to);
    from = to;
    R_CheckUserInterrupt();
  }
}

static double *doubles(size_t n) {
  return (double *)R_alloc(n ? n : 1, sizeof(double));
}

static int flag(SEXP x, const char *name) {
  if (TYPEOF(x) != LGLSXP || XLENGTH(x) != 1 || LOGICAL_RO(x)[0] == NA_LOGICAL)
    Rf_error("%s must be TRUE or FALSE", name);
  return LOGICAL_RO(x)[0];
}

/* graph: start, row: adjacency matrix in compressed columns, both triangles, no diagonal;
 * weight: of its entries, or none. control: sweeps, learn, size_prior, tolerance. marginals: k x n, columns sum to 1. rates: c(a, b).
 * learn: whether the sweeps replace a and b. Stops once the marginals change by no more
 * than tolerance per vertex in a sweep.
 * Returns list(marginals, rates, sweeps, change). */
SEXP ffi_belief(SEXP graph, SEXP marginals, SEXP rates, SEXP control) {
  kg_belief g;
  SEXP start = ffi_need(graph, "start"), row = ffi_need(graph, "row");
  SEXP weight = ffi_field(graph, "weight"), sweeps = ffi_need(control, "sweeps");
  SEXP learn = ffi_need(control, "learn"), size_prior = ffi_need(control, "size_prior");
  SEXP tolerance = ffi_need(control, "tolerance");
  g.n = ffi_check_columns(start, row);
  const R_xlen_t entries = XLENGTH(row);
  g.weight = Rf_isNull(weight) ? NULL : ffi_doubles(weight, entries, "weight");
  for (R_xlen_t e = 0; g.weight && e < entries; e++) {
    if (!R_FINITE(g.weight[e]) || g.weight[e] < 0)
      Rf_error("weight must be finite and not negative");
  }
  const double *given = ffi_doubles(marginals, -1, "marginals");
  if (XLENGTH(marginals) < (R_xlen_t)g.n || XLENGTH(marginals) % (R_xlen_t)g.n)
    Rf_error("marginals must have a column for every vertex");
  for (R_xlen_t e = 0; e < XLENGTH(marginals); e++) {
    if (!(given[e] >= 0 && given[e] <= 1 + 1e-9)) /* what one is after rounding */
      Rf_error("marginals must lie between 0 and 1");
  }
  const double *rate = ffi_doubles(rates, 2, "rates");
  for (int e = 0; e < 2; e++) {
    if (!R_FINITE(rate[e]) || !(rate[e] > 0))
      Rf_error("rates must be positive");
  }
  const int most = (int)ffi_count(sweeps, 0, 1e9, "sweeps");
  const int learning = flag(learn, "learn");
  const double enough = ffi_number(tolerance, 0, 1, "tolerance");
  g.k = (size_t)(XLENGTH(marginals) / (R_xlen_t)g.n);
  g.start = INTEGER_RO(start);
  g.row = INTEGER_RO(row);
  g.size_prior = flag(size_prior, "size_prior");
  g.inside = rate[0];
  g.outside = rate[1];

  SEXP marginal = PROTECT(Rf_duplicate(marginals));
  g.marginal = REAL(marginal);
  size_t *reverse = (size_t *)R_alloc(entries ? (size_t)entries : 1, sizeof(size_t));
  size_t *next = (size_t *)R_alloc(g.n, sizeof(size_t));
  if (!kg_belief_reverse(g.n, g.start, g.row, next, reverse))
    Rf_error("the pattern must be symmetric with rising rows");
  g.reverse = reverse;
  g.message = doubles((size_t)entries * g.k);
  g.group = doubles(g.k);
  g.field = doubles(g.k);
  g.log_belief = doubles(g.k);
  g.product = doubles(g.k);
  g.change = 0;
  for (size_t q = 0; q < g.k; q++)
    g.group[q] = 0;
  run(&g, kg_belief_begin);

  int done = 0;
  for (; done < most; done++) {
    kg_belief_field(&g);
    run(&g, kg_belief_marginals);
    run(&g, kg_belief_messages);
    if (learning)
      kg_belief_parameters(&g);
    if (g.change <= enough * (double)g.n) {
      done++;
      break;
    }
  }

  const char *names[] = {"marginals", "rates", "sweeps", "change", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, marginal);
  SEXP final = Rf_allocVector(REALSXP, 2);
  SET_VECTOR_ELT(out, 1, final);
  REAL(final)[0] = g.inside;
  REAL(final)[1] = g.outside;
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger(done));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(g.change / (double)g.n));
  UNPROTECT(2);
  return out;
}
