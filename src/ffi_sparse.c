/* ffi_sparse.c - Hartigan's moves on a sparse symmetric matrix, called from R. */
#include "ffi.h"
#include <float.h>

#define PIECE 4194304. /* entries and clusters looked at between two polls */

/* Compressed columns without a diagonal; n comes from the length of start. */
size_t ffi_check_columns(SEXP start, SEXP row) {
  const int *p = ffi_integers(start, -1, "start");
  const int *r = ffi_integers(row, -1, "row");
  if (XLENGTH(start) < 2)
    Rf_error("start is too short");
  const R_xlen_t n = XLENGTH(start) - 1;
  if (p[0] != 0 || p[n] != XLENGTH(row))
    Rf_error("start does not fit row");
  for (R_xlen_t i = 0; i < n; i++) {
    if (p[i] > p[i + 1])
      Rf_error("start must not fall");
  }
  for (R_xlen_t i = 0; i < n; i++) {
    for (int e = p[i]; e < p[i + 1]; e++) {
      if (r[e] < 0 || r[e] >= n || r[e] == i)
        Rf_error("row is out of range");
    }
  }
  return (size_t)n;
}

static const double *finite_doubles(SEXP x, R_xlen_t length, double min,
                                    const char *name) {
  const double *v = ffi_doubles(x, length, name);
  for (R_xlen_t i = 0; i < length; i++) {
    if (!R_FINITE(v[i]) || v[i] < min)
      Rf_error("%s must be finite%s", name, min < 0 ? "" : " and not negative");
  }
  return v;
}

static kg_sparse unpack(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight) {
  kg_sparse b;
  b.n = ffi_check_columns(start, row);
  b.start = INTEGER_RO(start);
  b.row = INTEGER_RO(row);
  b.value = finite_doubles(value, XLENGTH(row), -DBL_MAX, "value");
  b.diagonal = finite_doubles(diagonal, (R_xlen_t)b.n, -DBL_MAX, "diagonal");
  b.weight = finite_doubles(weight, (R_xlen_t)b.n, 0, "weight");
  return b;
}

/* A partition from labels 1..k; label receives them from 0. */
static kg_sparse_clusters open_clusters(const kg_sparse *b, SEXP labels, SEXP k,
                                        int *label) {
  kg_sparse_clusters c = {0};
  c.k = ffi_count(k, 1, (double)b->n, "k");
  ffi_labels(ffi_integers(labels, (R_xlen_t)b->n, "labels"), b->n, c.k, label, "labels");
  c.label = label;
  c.size = (double *)R_alloc(c.k, sizeof(double));
  c.within = (double *)R_alloc(c.k, sizeof(double));
  c.members = (size_t *)R_alloc(c.k, sizeof(size_t));
  c.reach = (double *)R_alloc(c.k, sizeof(double));
  c.touched = (int *)R_alloc(c.k, sizeof(int));
  c.mark = (size_t *)R_alloc(c.k, sizeof(size_t));
  return c;
}

/* The points after `from` that make up one bounded piece of work. */
static size_t piece_end(const kg_sparse *b, size_t from, double per_point) {
  double work = 0;
  size_t to = from;
  while (to < b->n && work < PIECE) {
    work += (double)(b->start[to + 1] - b->start[to]) + per_point;
    to++;
  }
  return to;
}

static void totals(const kg_sparse *b, kg_sparse_clusters *c) {
  kg_sparse_totals_begin(b, c);
  for (size_t from = 0; from < b->n;) {
    const size_t to = piece_end(b, from, 1);
    kg_sparse_totals_add(b, c, from, to);
    from = to;
    R_CheckUserInterrupt();
  }
  kg_sparse_bounds(c);
}

static SEXP doubles(const double *x, size_t n) {
  SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)n);
  for (size_t i = 0; i < n; i++)
    REAL(out)[i] = x[i];
  return out;
}

/* list(labels, moves, sweeps, converged): one descent from the labels given. */
SEXP ffi_sparse_descend(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                        SEXP labels, SEXP k, SEXP max_sweeps, SEXP tolerance) {
  const kg_sparse b = unpack(start, row, value, diagonal, weight);
  const int limit = (int)ffi_count(max_sweeps, 0, 1e9, "max_sweeps");
  const double share = ffi_number(tolerance, 0, 1, "tolerance");
  SEXP label = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)b.n));
  kg_sparse_clusters c = open_clusters(&b, labels, k, INTEGER(label));
  totals(&b, &c);

  double moves = 0;
  int sweeps = 0, converged = 0, fresh = 1;
  while (sweeps < limit && !converged) {
    const double threshold = share * kg_sparse_scale(&b, &c);
    size_t moved = 0;
    for (size_t from = 0; from < b.n;) {
      const size_t to = piece_end(&b, from, 1 + (double)c.k);
      moved += kg_sparse_sweep(&b, &c, from, to, threshold);
      from = to;
      R_CheckUserInterrupt();
    }
    sweeps++;
    moves += (double)moved;
    if (moved) {
      fresh = 0;
      kg_sparse_bounds(&c);
    } else if (fresh) {
      converged = 1;
    } else {
      /* Nothing moves by the running V: look once more with V from scratch. */
      totals(&b, &c);
      fresh = 1;
    }
  }
  const char *names[] = {"labels", "moves", "sweeps", "converged", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (size_t i = 0; i < b.n; i++)
    INTEGER(label)[i]++;
  SET_VECTOR_ELT(out, 0, label);
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(moves));
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger(sweeps));
  SET_VECTOR_ELT(out, 3, Rf_ScalarLogical(converged));
  UNPROTECT(2);
  return out;
}

/* list(size, within, members): s_l, V_l and the points of positive weight. */
SEXP ffi_sparse_totals(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                       SEXP labels, SEXP k) {
  const kg_sparse b = unpack(start, row, value, diagonal, weight);
  int *label = (int *)R_alloc(b.n, sizeof(int));
  kg_sparse_clusters c = open_clusters(&b, labels, k, label);
  totals(&b, &c);
  const char *names[] = {"size", "within", "members", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, doubles(c.size, c.k));
  SET_VECTOR_ELT(out, 1, doubles(c.within, c.k));
  SEXP members = Rf_allocVector(REALSXP, (R_xlen_t)c.k);
  SET_VECTOR_ELT(out, 2, members);
  for (size_t l = 0; l < c.k; l++)
    REAL(members)[l] = (double)c.members[l];
  UNPROTECT(1);
  return out;
}

/* The labels with the points listed (from 1, all of weight 0) placed. */
SEXP ffi_sparse_place(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                      SEXP labels, SEXP k, SEXP points) {
  const kg_sparse b = unpack(start, row, value, diagonal, weight);
  SEXP label = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)b.n));
  kg_sparse_clusters c = open_clusters(&b, labels, k, INTEGER(label));
  const int *point = ffi_integers(points, -1, "points");
  const size_t listed = (size_t)XLENGTH(points);
  int *which = (int *)R_alloc(listed ? listed : 1, sizeof(int));
  for (size_t t = 0; t < listed; t++) {
    const int i = point[t];
    if (i < 1 || (size_t)i > b.n || b.weight[i - 1] > 0)
      Rf_error("points must name points of weight 0");
    which[t] = i - 1;
  }
  totals(&b, &c);
  const size_t step = 1 + (size_t)(PIECE / (double)(c.k + 8));
  for (size_t from = 0; from < listed; from += step) {
    kg_sparse_place(&b, &c, which, from, from + step < listed ? from + step : listed);
    R_CheckUserInterrupt();
  }
  for (size_t i = 0; i < b.n; i++)
    INTEGER(label)[i]++;
  UNPROTECT(1);
  return label;
}

/* d2 of every point to the mean of its own cluster. */
SEXP ffi_sparse_distances(SEXP start, SEXP row, SEXP value, SEXP diagonal, SEXP weight,
                          SEXP labels, SEXP k) {
  const kg_sparse b = unpack(start, row, value, diagonal, weight);
  int *label = (int *)R_alloc(b.n, sizeof(int));
  kg_sparse_clusters c = open_clusters(&b, labels, k, label);
  totals(&b, &c);
  SEXP distance = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)b.n));
  for (size_t from = 0; from < b.n;) {
    const size_t to = piece_end(&b, from, 1);
    kg_sparse_distances(&b, &c, from, to, REAL(distance));
    from = to;
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return distance;
}
