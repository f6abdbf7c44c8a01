/* ffi_common.c - checks of arguments, fields of lists, memory and polls. */
#include "ffi.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include <math.h>
#include <string.h>

static void check_length(SEXP x, R_xlen_t length, const char *name) {
  if (length >= 0 && Rf_xlength(x) != length)
    Rf_error("%s must have length %.0f, not %.0f", name, (double)length,
             (double)Rf_xlength(x));
}

const double *ffi_doubles(SEXP x, R_xlen_t length, const char *name) {
  if (TYPEOF(x) != REALSXP)
    Rf_error("%s must be of type double", name);
  check_length(x, length, name);
  return REAL_RO(x);
}

const int *ffi_integers(SEXP x, R_xlen_t length, const char *name) {
  if (TYPEOF(x) != INTSXP)
    Rf_error("%s must be of type integer", name);
  check_length(x, length, name);
  return INTEGER_RO(x);
}

double ffi_number(SEXP x, double min, double max, const char *name) {
  double value = ffi_doubles(x, 1, name)[0];
  if (!(value >= min && value <= max))
    Rf_error("%s must lie between %g and %g", name, min, max);
  return value;
}

size_t ffi_count(SEXP x, double min, double max, const char *name) {
  double value = ffi_number(x, min, max, name);
  if (value != floor(value))
    Rf_error("%s must be a whole number", name);
  return (size_t)value;
}

/* Sums of weights and of their products with pairwise dissimilarities must not overflow.
 */
const double *ffi_weights(SEXP w, size_t n) {
  const double *weight = ffi_doubles(w, (R_xlen_t)n, "w");
  for (size_t i = 0; i < n; i++)
    if (!(weight[i] >= 0 && weight[i] <= 1e300))
      Rf_error("w must be finite and not negative");
  return weight;
}

const double *ffi_uniforms(SEXP uniforms) {
  const double *u = ffi_doubles(uniforms, -1, "uniforms");
  const R_xlen_t many = Rf_xlength(uniforms);
  for (R_xlen_t a = 0; a < many; a++)
    if (!(u[a] >= 0 && u[a] <= 1))
      Rf_error("uniforms must lie between 0 and 1");
  return u;
}

void ffi_labels(const int *from, size_t n, size_t k, int *into, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (from[i] < 1 || (size_t)from[i] > k)
      Rf_error("%s must lie between 1 and %.0f", name, (double)k);
    into[i] = from[i] - 1;
  }
}

void ffi_in_order(int *label, size_t n, size_t k) {
  const void *top = vmaxget();
  int *number = (int *)R_alloc(k, sizeof(int)), next = 0;
  for (size_t l = 0; l < k; l++)
    number[l] = -1;
  for (size_t i = 0; i < n; i++) {
    if (number[label[i]] < 0)
      number[label[i]] = next++;
    label[i] = number[label[i]];
  }
  vmaxset(top);
}

const double *ffi_finite(SEXP x, R_xlen_t length, const char *name) {
  const double *value = ffi_doubles(x, length, name);
  const R_xlen_t many = Rf_xlength(x);
  for (R_xlen_t i = 0; i < many; i++)
    if (!R_FINITE(value[i]))
      Rf_error("%s must be finite", name);
  return value;
}

int ffi_flag(SEXP list, const char *name, int otherwise) {
  SEXP value = ffi_field(list, name);
  return value == R_NilValue ? otherwise : (int)ffi_count(value, 0, 1, name);
}

int ffi_logical(SEXP x, const char *name) {
  if (TYPEOF(x) != LGLSXP || XLENGTH(x) != 1 || LOGICAL_RO(x)[0] == NA_LOGICAL)
    Rf_error("%s must be TRUE or FALSE", name);
  return LOGICAL_RO(x)[0];
}

SEXP ffi_list(int n, const char *const *names) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, n));
  SEXP tags = PROTECT(Rf_allocVector(STRSXP, n));
  for (int i = 0; i < n; i++)
    SET_STRING_ELT(tags, i, Rf_mkChar(names[i]));
  Rf_setAttrib(list, R_NamesSymbol, tags);
  UNPROTECT(2);
  return list;
}

SEXP ffi_field(SEXP list, const char *name) {
  SEXP names = TYPEOF(list) == VECSXP ? Rf_getAttrib(list, R_NamesSymbol) : R_NilValue;
  if (TYPEOF(names) != STRSXP)
    return R_NilValue;
  for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
      return VECTOR_ELT(list, i);
  return R_NilValue;
}

SEXP ffi_need(SEXP list, const char *name) {
  SEXP value = ffi_field(list, name);
  if (value == R_NilValue)
    Rf_error("a field is missing: %s", name);
  return value;
}

kg_semimetric ffi_semimetric(SEXP rho) {
  const double *value = ffi_doubles(rho, 2, "the semimetric");
  if (!(value[0] >= 0 && value[0] < KG_N_FAMILIES) || value[0] != floor(value[0]))
    Rf_error("the semimetric has an unknown family");
  kg_semimetric out = {(enum kg_family)(int)value[0], value[1]};
  return out;
}

/* labels and indices are ints */
size_t ffi_size(SEXP store) {
  return ffi_count(ffi_need(store, "n"), 1, 2147483647, "n");
}

kg_coordinates ffi_matrix(SEXP store, const char *name) {
  SEXP x = ffi_need(store, name);
  size_t n = ffi_size(store);
  R_xlen_t length = Rf_xlength(x);
  if (length < (R_xlen_t)n || length % (R_xlen_t)n != 0)
    Rf_error("%s must have n rows and at least one column", name);
  size_t d = (size_t)(length / (R_xlen_t)n);
  ffi_extent(d, name);
  kg_coordinates out = {ffi_doubles(x, length, name), n, d,
                        ffi_semimetric(ffi_need(store, "rho"))};
  return out;
}

void ffi_euclidean(kg_semimetric rho) {
  if (rho.family == KG_GIVEN || kg_semimetric_of(rho.family)->sum != KG_SUM_SQUARES)
    Rf_error("rho must be a function of the Euclidean distance");
}

/* list(name, scaling, negative_type): the table of semimetrics, so that R needs no second
 * one. scaling: what multiplying all distances by c does to rho ("none", "power": c^a,
 * "parameter": nothing if the parameter is multiplied too, "linear"). The code of a
 * family is its place, from 0. */
SEXP ffi_semimetrics(void) {
  static const char *const names[] = {"name", "scaling", "negative_type"};
  static const char *const scaling[] = {"none", "power", "parameter", "linear"};
  R_CheckUserInterrupt(); /* as every entry does */
  SEXP out = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(STRSXP, KG_N_FAMILIES));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(STRSXP, KG_N_FAMILIES));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(LGLSXP, KG_N_FAMILIES));
  for (int a = 0; a < KG_N_FAMILIES; a++) {
    const kg_semimetric_row *row = kg_semimetric_of((enum kg_family)a);
    SET_STRING_ELT(VECTOR_ELT(out, 0), a, Rf_mkChar(row->name));
    SET_STRING_ELT(VECTOR_ELT(out, 1), a, Rf_mkChar(scaling[row->scaling]));
    LOGICAL(VECTOR_ELT(out, 2))
    [a] = row->negative_type < 0 ? NA_LOGICAL : row->negative_type;
  }
  UNPROTECT(1);
  return out;
}

R_xlen_t ffi_length(double wanted, const char *name) {
  if (!(wanted <= (double)R_XLEN_T_MAX))
    Rf_error("%s would be too large", name);
  return (R_xlen_t)wanted;
}

int ffi_extent(size_t wanted, const char *name) {
  if (wanted > 2147483647)
    Rf_error("%s would have too many rows or columns", name);
  return (int)wanted;
}

void ffi_poll(double *left, double work) {
  *left -= work;
  if (*left > 0)
    return;
  R_CheckUserInterrupt();
  *left = FFI_WORK;
}

int ffi_next(size_t *from, size_t *to, size_t n, size_t step) {
  *from = *to;
  if (*from >= n)
    return 0;
  R_CheckUserInterrupt();
  *to = n - *from < step ? n : *from + step;
  return 1;
}

size_t ffi_piece(double each) {
  double many = FFI_WORK / 8 / (each > 1 ? each : 1);
  return many < 1 ? 1 : (size_t)many;
}

size_t ffi_rows(const kg_pairs *pairs) {
  return ffi_piece((double)pairs->n * pairs->cost);
}

kg_room ffi_room(const kg_room *counted) {
  if (counted->bytes == KG_TOO_LARGE)
    Rf_error("the workspace would be too large");
  return kg_room_at(R_alloc(counted->bytes + 1, 1));
}

typedef struct {
  double least, most, odd;
} range;

static inline void scan_value(range *r, double value) {
  r->odd += value - value; /* NaN from the first value that is not finite on */
  r->least = value < r->least ? value : r->least;
  r->most = value > r->most ? value : r->most;
}

/* c(smallest, largest, how many missing, how many infinite), in one pass that copies
 * nothing; missing values count for nothing in the first two, 0 if all are missing. Four
 * by turns, as each comparison waits for the one before: 7 ms for 12.5 million values
 * instead of 10. */
SEXP ffi_range(SEXP x) {
  const double *value = ffi_doubles(x, -1, "x");
  range all = {HUGE_VAL, -HUGE_VAL, 0};
  double missing = 0, infinite = 0;
  FFI_PIECES (from, to, (size_t)Rf_xlength(x), FFI_VALUES) {
    range turn[4] = {all, all, all, all};
    double odd = 0;
    size_t i = from;
    for (; i + 4 <= to; i += 4) {
      scan_value(&turn[0], value[i]);
      scan_value(&turn[1], value[i + 1]);
      scan_value(&turn[2], value[i + 2]);
      scan_value(&turn[3], value[i + 3]);
    }
    for (; i < to; i++)
      scan_value(&turn[0], value[i]);
    for (int a = 0; a < 4; a++) {
      odd += turn[a].odd;
      all.least = turn[a].least < all.least ? turn[a].least : all.least;
      all.most = turn[a].most > all.most ? turn[a].most : all.most;
    }
    for (i = from; odd != 0 && i < to; i++) {
      missing += ISNAN(value[i]);
      infinite += isinf(value[i]) != 0;
    }
  }
  if (all.least > all.most)
    all.least = all.most = 0;
  const double found[] = {all.least, all.most, missing, infinite};
  SEXP out = Rf_allocVector(REALSXP, 4);
  memcpy(REAL(out), found, sizeof found);
  return out;
}

/* The inner loops by name; NULL leaves them. Returns the name of those in use, or NULL if
 * this processor lacks them. */
SEXP ffi_choose_loops(SEXP name) {
  if (name != R_NilValue) {
    if (TYPEOF(name) != STRSXP || Rf_xlength(name) != 1 ||
        STRING_ELT(name, 0) == NA_STRING)
      Rf_error("name must be a string");
    if (!kg_choose_loops(CHAR(STRING_ELT(name, 0))))
      return R_NilValue;
  }
  return Rf_mkString(kg_chosen_loops->name);
}
