/* ffi_mixture.c - mixtures of t distributions: memory, polls, results. */
#include "ffi.h"
#include "kg_mixture.h"
#include <math.h>
#include <string.h>

/* Rows of one component between two polls. */
static size_t rows_of(const kg_mixture *m) {
  const double d = (double)m->d;
  return (ffi_piece(d * d + 16) / KG_MIXTURE_ROWS + 1) * KG_MIXTURE_ROWS;
}

/* Sizes, means and scatters from P and q; 0 if a component is lost. O(n k d^2) */
static int learn(kg_mixture *m, double least, int first) {
  const size_t step = rows_of(m);
  if (!kg_mixture_sizes(m, least))
    return 0;
  for (size_t l = 0; l < m->k; l++) {
    const size_t rows = kg_mixture_mean(m, l);
    FFI_PIECES (from, to, rows, step)
      kg_mixture_scatter(m, l, from, to);
  }
  return kg_mixture_shape(m, first);
}

/* P and q from sizes, means, scatters and nu. Returns the log likelihood, or -HUGE_VAL if
 * a scatter is not positive definite. O(n k d^2) */
static double assign(kg_mixture *m) {
  const size_t step = rows_of(m);
  double value = 0;
  for (size_t l = 0; l < m->k; l++) {
    const double log_det = kg_mixture_root(m, l);
    if (!(fabs(log_det) < HUGE_VAL))
      return -HUGE_VAL;
    FFI_PIECES (from, to, m->n, step)
      kg_mixture_distances(m, l, from, to);
    kg_mixture_density(m, l, log_det);
  }
  const size_t whole = ffi_piece(32 * (double)m->k) / KG_MIXTURE_ROWS + 1;
  FFI_PIECES (from, to, m->n, whole * KG_MIXTURE_ROWS)
    kg_mixture_probabilities(m, from, to, &value);
  return value;
}

/* points: list(y (n x d), w); n x k probabilities or the d x k means set k. */
static void read_points(kg_mixture *m, SEXP points, size_t k) {
  SEXP y = ffi_need(points, "y");
  if (!Rf_isMatrix(y) || Rf_nrows(y) < 1 || Rf_ncols(y) < 1)
    Rf_error("y must be a matrix");
  if (k < 1)
    Rf_error("there must be a component");
  const size_t n = (size_t)Rf_nrows(y), d = (size_t)Rf_ncols(y);
  FFI_LAY(kg_mixture_lay(m, n, d, k, &room));
  m->y = ffi_finite(y, -1, "y");
  m->w = ffi_weights(ffi_need(points, "w"), n);
  m->weight = 0;
  for (size_t i = 0; i < n; i++)
    m->weight += m->w[i];
}

static SEXP copy_of(const double *values, size_t rows, size_t columns) {
  SEXP out =
      Rf_allocMatrix(REALSXP, ffi_extent(rows, "rows"), ffi_extent(columns, "columns"));
  memcpy(REAL(out), values, rows * columns * sizeof(double));
  return out;
}

/* The steps of the EM algorithm; the log likelihood, -HUGE_VAL if a component is lost. */
static double run(kg_mixture *m, SEXP settings, int *steps) {
  const double least = ffi_number(ffi_need(settings, "least"), 0, 1e300, "least"),
               most = ffi_number(ffi_need(settings, "most_nu"), 1, 1e6, "most_nu"),
               tolerance = ffi_number(ffi_need(settings, "tolerance"), 0, 1, "tolerance");
  const int fixed = ffi_flag(settings, "fixed", 0);
  const int times = (int)ffi_count(ffi_need(settings, "times"), 1, 1e6, "times");
  double value = -HUGE_VAL, old = -HUGE_VAL;
  for (*steps = 1; *steps <= times; ++*steps) {
    if (!learn(m, least, *steps == 1))
      return -HUGE_VAL;
    value = assign(m);
    if (!(value > -HUGE_VAL))
      return value;
    if (*steps > 5 && fabs(value - old) < tolerance * (fabs(value) + m->weight))
      break;
    if (!fixed && *steps % 3 == 0)
      m->nu = kg_mixture_freedom(m, most);
    old = value;
  }
  return value;
}

/* points: list(y, w); P: n x k probabilities; settings: list(form, shrink, lambda, nu,
 * least, most_nu, tolerance, times, fixed). Returns list(P, value, nu, size, mean (d x
 * k), scatter (d^2 x k), steps); value -Inf if a component is lost. */
SEXP ffi_mixture(SEXP points, SEXP P, SEXP settings) {
  kg_mixture m;
  if (!Rf_isMatrix(P) || Rf_ncols(P) < 1)
    Rf_error("P must be a matrix");
  read_points(&m, points, (size_t)Rf_ncols(P));
  memcpy(m.P, ffi_finite(P, ffi_length((double)m.n * (double)m.k, "P"), "P"),
         m.n * m.k * sizeof(double));
  m.form = (enum kg_mixture_form)ffi_count(ffi_need(settings, "form"), 0, 2, "form");
  m.shrink = ffi_number(ffi_need(settings, "shrink"), 0, 1e6, "shrink");
  m.lambda = ffi_number(ffi_need(settings, "lambda"), 0, 1, "lambda");
  m.nu = ffi_number(ffi_need(settings, "nu"), 1, 1e6, "nu");
  m.equal = ffi_flag(settings, "equal", 0);
  for (size_t c = 0; c < m.n * m.k; c++)
    m.q[c] = (double)m.d;
  int steps = 0;
  const double value = run(&m, settings, &steps);
  static const char *const names[] = {"P",    "value",   "nu",   "size",
                                      "mean", "scatter", "steps"};
  SEXP out = PROTECT(ffi_list(7, names));
  SET_VECTOR_ELT(out, 0, copy_of(m.P, m.n, m.k));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(value));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(m.nu));
  SET_VECTOR_ELT(out, 3, copy_of(m.size, m.k, 1));
  SET_VECTOR_ELT(out, 4, copy_of(m.mean, m.d, m.k));
  SET_VECTOR_ELT(out, 5, copy_of(m.scatter, m.d * m.d, m.k));
  SET_VECTOR_ELT(out, 6, Rf_ScalarInteger(steps));
  UNPROTECT(1);
  return out;
}

/* components: list(size, mean, scatter, nu). Returns list(P, value) of other rows. */
SEXP ffi_mixture_assign(SEXP points, SEXP components) {
  kg_mixture m;
  SEXP size = ffi_need(components, "size");
  read_points(&m, points, (size_t)Rf_xlength(size));
  const double *s = ffi_finite(size, -1, "size");
  const double d = (double)m.d, k = (double)m.k;
  m.nu = ffi_number(ffi_need(components, "nu"), 1, 1e6, "nu");
  m.equal = 0;
  m.weight = 0;
  for (size_t l = 0; l < m.k; l++) {
    m.size[l] = s[l];
    m.weight += s[l];
  }
  memcpy(m.mean,
         ffi_finite(ffi_need(components, "mean"), ffi_length(d * k, "mean"), "mean"),
         m.d * m.k * sizeof(double));
  memcpy(m.scatter,
         ffi_finite(ffi_need(components, "scatter"), ffi_length(d * d * k, "scatter"),
                    "scatter"),
         m.d * m.d * m.k * sizeof(double));
  const double value = assign(&m);
  static const char *const names[] = {"P", "value"};
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, copy_of(m.P, m.n, m.k));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(value));
  UNPROTECT(1);
  return out;
}
