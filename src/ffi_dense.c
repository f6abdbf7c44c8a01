/* ffi_dense.c - Cholesky factor, eigenvalues and eigenvectors of dense symmetric
 * matrices, in pieces: as one call LAPACK's routines would hold R for seconds without a
 * check for an interrupt.
 */
#include "ffi.h"

#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#include <math.h>
#include <string.h>

#ifndef FCONE
#define FCONE
#endif

enum { BLOCK = 64 };

/* Rows and columns j and p > j of the lower triangle change places. */
static void swap_pivot(double *a, size_t n, size_t j, size_t p) {
  double t;
#define SWAP(x, y) t = (x), (x) = (y), (y) = t
  for (size_t c = 0; c < j; c++)
    SWAP(a[j + c * n], a[p + c * n]);
  SWAP(a[j + j * n], a[p + p * n]);
  for (size_t c = j + 1; c < p; c++)
    SWAP(a[c + j * n], a[p + c * n]);
  for (size_t i = p + 1; i < n; i++)
    SWAP(a[i + j * n], a[i + p * n]);
#undef SWAP
}

/* a[to.., to..] -= L L' with the columns [from, to) of L. */
static void update_behind(double *a, size_t n, size_t from, size_t to) {
  const double minus = -1, one = 1;
  const int lda = (int)n, inner = (int)(to - from);
  for (size_t c = to; c < n; c += BLOCK) {
    const int rows = (int)(n - c), columns = n - c < BLOCK ? (int)(n - c) : BLOCK;
    R_CheckUserInterrupt();
    F77_CALL(dgemm)
    ("N", "T", &rows, &columns, &inner, &minus, a + c + from * n, &lda, a + c + from * n,
     &lda, &one, a + c + c * n, &lda FCONE FCONE);
  }
}

/* Columns [begin, end) of the factor, of which those before them in the block are
 * subtracted one by one; order: of the rows, which pivots change. d: n values of
 * workspace. Returns the number of columns up to the first pivot that is not above
 * `least`. */
static size_t factor_block(double *a, size_t n, size_t begin, size_t end, double least,
                           double *d, int *order) {
  for (size_t i = begin; i < n; i++)
    d[i] = a[i + i * n];
  for (size_t j = begin; j < end; j++) {
    R_CheckUserInterrupt();
    size_t p = j;
    for (size_t i = j + 1; i < n; i++)
      if (d[i] > d[p])
        p = i;
    if (!(d[p] > least))
      return j;
    if (p != j) {
      swap_pivot(a, n, j, p);
      double held = d[j];
      d[j] = d[p], d[p] = held;
      int row = order[j];
      order[j] = order[p], order[p] = row;
    }
    double *column = a + j * n, root = sqrt(d[j]);
    for (size_t c = begin; c < j; c++) {
      const double *before = a + c * n;
      double factor = before[j];
      for (size_t i = j + 1; i < n; i++)
        column[i] -= factor * before[i];
    }
    column[j] = root;
    for (size_t i = j + 1; i < n; i++) {
      column[i] /= root;
      d[i] -= column[i] * column[i];
    }
  }
  return end;
}

/* list(R, order): R upper triangular, r x r, with R'R the positive semidefinite matrix in
 * that order of its rows and columns as far as pivots are above `least`; their number r
 * is the rank. O(n^2 r), blocks of columns as in LAPACK's dpstrf: columns of a block take
 * the columns before them in the block one by one; what stands behind takes the whole
 * block at once, by panels. */
SEXP ffi_cholesky(SEXP A, SEXP n_, SEXP least_) {
  static const char *const names[] = {"R", "order"};
  size_t n = ffi_count(n_, 1, 46340, "n"), rank = n;
  double least = ffi_number(least_, 0, HUGE_VAL, "least");
  const double *from = ffi_doubles(A, (R_xlen_t)(n * n), "A");
  double *a = (double *)R_alloc(n * n, sizeof(double)),
         *d = (double *)R_alloc(n, sizeof(double));
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, (R_xlen_t)n));
  int *order = INTEGER(VECTOR_ELT(out, 1));
  for (size_t j = 0; j < n; j++) {
    if (j % 256 == 0)
      R_CheckUserInterrupt();
    memcpy(a + j * n, from + j * n, n * sizeof(double));
    order[j] = (int)j + 1;
  }
  for (size_t begin = 0; begin < rank; begin += BLOCK) {
    size_t end = n - begin < BLOCK ? n : begin + BLOCK;
    size_t done = factor_block(a, n, begin, end, least, d, order);
    if (done < end)
      rank = done;
    else
      update_behind(a, n, begin, end);
  }
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, (int)rank, (int)rank));
  double *R = REAL(VECTOR_ELT(out, 0));
  for (size_t i = 0; i < rank; i++) {
    if (i % 256 == 0)
      R_CheckUserInterrupt();
    for (size_t c = 0; c < rank; c++)
      R[c + i * rank] = c <= i ? a[i + c * n] : 0;
  }
  UNPROTECT(1);
  return out;
}

/* The largest |a|, below as above the diagonal. */
static double largest_entry(const double *a, size_t n) {
  double largest = 0;
  for (size_t j = 0; j < n; j++) {
    if (j % 256 == 0)
      R_CheckUserInterrupt();
    for (size_t i = 0; i < n; i++) {
      if (!R_FINITE(a[i + j * n]))
        Rf_error("A must be finite");
      largest = fmax(largest, fabs(a[i + j * n]));
    }
  }
  return largest;
}

/* The lower triangle becomes tridiagonal: O(n^3), a few columns at a time, as in LAPACK's
 * dsytrd; each of them is one product with what stands behind. */
static void tridiagonal(double *a, int n, double *diagonal, double *beside, double *tau) {
  const double minus = -1, one = 1;
  int few = (int)(2e8 / ((double)n * n)), info, begin = 0;
  few = few < 4 ? 4 : few > BLOCK / 2 ? BLOCK / 2 : few;
  double *reflected = (double *)R_alloc((size_t)n * (size_t)few, sizeof(double));
  for (; n - begin > BLOCK; begin += few) {
    double *corner = a + begin + (size_t)begin * (size_t)n;
    const int rows = n - begin, behind = rows - few;
    R_CheckUserInterrupt();
    F77_CALL(dlatrd)
    ("L", &rows, &few, corner, &n, beside + begin, tau + begin, reflected, &n FCONE);
    R_CheckUserInterrupt();
    F77_CALL(dsyr2k)
    ("L", "N", &behind, &few, &minus, corner + few, &n, reflected + few, &n, &one,
     corner + few + (size_t)few * (size_t)n, &n FCONE FCONE);
    for (int j = begin; j < begin + few; j++)
      diagonal[j] = a[j + (size_t)j * (size_t)n];
  }
  const int left = n - begin;
  F77_CALL(dsytd2)
  ("L", &left, a + begin + (size_t)begin * (size_t)n, &n, diagonal + begin,
   beside + begin, tau + begin, &info FCONE);
}

/* Eigenvectors of the tridiagonal matrix, in the columns of `vectors`, become those of
 * the matrix that it was made from: O(n^3), some columns at a time. */
static void reflect_back(const double *a, int n, const double *tau, double *vectors) {
  int many = (int)(4e7 / ((double)n * n)), info;
  many = many < 1 ? 1 : many > BLOCK ? BLOCK : many;
  int size = many * BLOCK;
  double *work = (double *)R_alloc((size_t)size, sizeof(double));
  for (int c = 0; c < n; c += many) {
    const int columns = n - c < many ? n - c : many;
    R_CheckUserInterrupt();
    F77_CALL(dormtr)
    ("L", "L", "N", &n, &columns, a, &n, tau, vectors + (size_t)c * (size_t)n, &n, work,
     &size, &info FCONE FCONE FCONE);
  }
}

/* Eigenvalues of a tridiagonal matrix in ascending order, which `values` becomes, and
 * their vectors unless NULL. */
static void solve_tridiagonal(int n, double *values, double *beside, double *vectors) {
  int info = 0;
  R_CheckUserInterrupt();
  if (!vectors) {
    F77_CALL(dsterf)(&n, values, beside, &info);
  } else {
    const double zero = 0;
    int found, none = 0, size = 20 * n, whole = 10 * n, *support, *iwork;
    double *diagonal = (double *)R_alloc((size_t)n, sizeof(double)), *work;
    memcpy(diagonal, values, (size_t)n * sizeof(double));
    work = (double *)R_alloc((size_t)size, sizeof(double));
    iwork = (int *)R_alloc((size_t)whole, sizeof(int));
    support = (int *)R_alloc(2 * (size_t)n, sizeof(int));
    F77_CALL(dstevr)
    ("V", "A", &n, diagonal, beside, (double *)&zero, (double *)&zero, &none, &none,
     (double *)&zero, &found, values, vectors, &n, support, work, &size, iwork, &whole,
     &info FCONE FCONE);
    info = info != 0 ? info : n - found;
  }
  if (info != 0)
    Rf_error("eigenvalues did not converge (%d)", info);
}

void ffi_symmetric(const double *from, size_t n, double *values, double *vectors) {
  const void *top = vmaxget();
  int exponent = 0;
  double *a = (double *)R_alloc(n * n, sizeof(double)),
         *beside = (double *)R_alloc(n, sizeof(double)),
         *tau = (double *)R_alloc(n, sizeof(double));
  frexp(largest_entry(from, n), &exponent);
  for (size_t j = 0; j < n; j++) {
    if (j % 256 == 0)
      R_CheckUserInterrupt();
    for (size_t i = 0; i < n; i++)
      a[i + j * n] = ldexp(from[i + j * n], -exponent);
  }
  tridiagonal(a, (int)n, values, beside, tau);
  solve_tridiagonal((int)n, values, beside, vectors);
  if (vectors)
    reflect_back(a, (int)n, tau, vectors);
  for (size_t i = 0; i < n; i++)
    values[i] = ldexp(values[i], exponent);
  vmaxset(top);
}

/* list(values, vectors) of a symmetric matrix: all eigenvalues in ascending order and, if
 * requested, their vectors. */
SEXP ffi_eigen(SEXP A, SEXP n_, SEXP vectors_) {
  static const char *const names[] = {"values", "vectors"};
  const size_t n = ffi_count(n_, 1, 46340, "n");
  const int with = ffi_count(vectors_, 0, 1, "vectors") > 0;
  const double *from = ffi_doubles(A, (R_xlen_t)(n * n), "A");
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)n));
  if (with)
    SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, (int)n, (int)n));
  ffi_symmetric(from, n, REAL(VECTOR_ELT(out, 0)),
                with ? REAL(VECTOR_ELT(out, 1)) : NULL);
  UNPROTECT(1);
  return out;
}
