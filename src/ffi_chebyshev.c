/* ffi_chebyshev.c - the smallest eigenvalues of a sparse symmetric matrix and their
 * vectors: memory, polls, when to stop. */
#include "ffi.h"
#include "kg_chebyshev.h"

#include <R_ext/Lapack.h>
#include <math.h>
#include <string.h>

#ifndef FCONE
#define FCONE
#endif

enum {
  W = KG_WIDE,
  GUARD = 4,       /* vectors beside those wanted, at least */
  DEGREE = 16,     /* of a filter, at most */
  BOUND_STEPS = 12 /* for the largest eigenvalue */
};
#define GROWTH 12.2 /* log of twice what a filter may grow by: single precision */

typedef struct {
  kg_wide h;
  double entries; /* of a row, in the mean */
  size_t p, blocks;
  float **block, *spare; /* n x KG_WIDE each */
  double *S, *G, *factor, *vectors, *theta, *square, *work;
  float *C, *line;
  int *integers;
} solver;

/* All rows in bounded pieces, `each` multiplications a row. */
#define EACH_PIECE(s, each) FFI_PIECES (from, to, (s)->h.n, ffi_piece(each))

static double largest_eigenvalue(const solver *s) {
  const size_t n = s->h.n;
  double *u = (double *)R_alloc(n, sizeof(double)), bound = HUGE_VAL;
  double *next = (double *)R_alloc(n, sizeof(double));
  for (size_t i = 0; i < n; i++)
    u[i] = 1;
  for (int step = 0; step < BOUND_STEPS; step++) {
    double ratio = 0, most = 0;
    EACH_PIECE (s, s->entries + 8)
      ratio = kg_wide_bound(&s->h, from, to, u, next, ratio);
    bound = fmin(bound, ratio);
    for (size_t i = 0; i < n; i++)
      most = fmax(most, next[i]);
    if (!(most > 0))
      return 1; /* all of H is 0 */
    /* positive to the last: what vanishes beside the largest is held at 1e-30 of it */
    for (size_t i = 0; i < n; i++)
      u[i] = fmax(next[i] / most, 1e-30);
  }
  return bound;
}

/* Rayleigh and Ritz: theta rising, the blocks turned into eigenvectors of unit length.
 * Returns 0 if the vectors do not span enough, or are not finite. */
static int ritz(solver *s) {
  const size_t p = s->p, bytes = p * p * sizeof(double);
  if (p > 32000) /* the workspace is counted in ints */
    Rf_error("too many vectors");
  int order = (int)p, type = 1, info = 1;
  int n_work = (int)(2 * p * p + 6 * p + 1), n_integers = (int)(5 * p + 3);
  memset(s->S, 0, bytes);
  memset(s->G, 0, bytes);
  for (size_t b = 0; b < s->blocks; b++)
    EACH_PIECE (s, W * s->entries + W * W * (double)(b + 1))
      kg_wide_gram(&s->h, from, to, s->block, b, p, s->S, s->G);
  double *unit = s->square; /* scales that make the vectors of length 1 */
  for (size_t a = 0; a < p; a++) {
    if (!(s->S[a + a * p] > 0) || !R_FINITE(s->G[a + a * p]))
      return 0;
    unit[a] = 1 / sqrt(s->S[a + a * p]);
  }
  for (size_t b = 0; b < p; b++) {
    for (size_t a = 0; a <= b; a++) {
      s->S[a + b * p] *= unit[a] * unit[b];
      s->G[a + b * p] *= unit[a] * unit[b];
    }
  }
  /* vectors that are nearly dependent need a ridge */
  for (double ridge = 0; info != 0 && ridge < 1e-2; ridge = fmax(10 * ridge, 1e-7)) {
    memcpy(s->vectors, s->G, bytes);
    memcpy(s->factor, s->S, bytes);
    for (size_t a = 0; a < p; a++)
      s->factor[a + a * p] += ridge;
    F77_CALL(dsygvd)
    (&type, "V", "U", &order, s->vectors, &order, s->factor, &order, s->theta, s->work,
     &n_work, s->integers, &n_integers, &info FCONE FCONE);
    R_CheckUserInterrupt();
  }
  if (info != 0)
    return 0;
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b < p; b++)
      s->C[a * p + b] = (float)(unit[a] * s->vectors[a + b * p]);
  EACH_PIECE (s, (double)(p * p) / 2)
    kg_wide_rotate(from, to, s->block, p, s->C, s->line);
  return 1;
}

static void residuals(solver *s, size_t columns) {
  memset(s->square, 0, s->p * sizeof(double));
  for (size_t b = 0; b * W < columns; b++)
    EACH_PIECE (s, W * s->entries + 2 * W)
      kg_wide_residual(&s->h, from, to, s->block[b], s->theta + b * W, s->square + b * W);
}

/* The polynomial of Chebyshev's recurrence, of H, times block b: each step makes y =
 * scale H x + shift x + keep y the polynomial of one degree more. */
static void filter(solver *s, size_t b, double smallest, double low, double high,
                   int degree) {
  const double half = (high - low) / 2, middle = (high + low) / 2;
  const double first = half / (smallest - middle);
  double sigma = first, scale = sigma / half, keep = 0;
  for (int step = 0; step < degree; step++) {
    EACH_PIECE (s, W * s->entries + 2 * W)
      kg_wide_step(&s->h, from, to, s->block[b], s->spare, scale, -middle * scale, keep);
    float *swap = s->block[b];
    s->block[b] = s->spare;
    s->spare = swap;
    const double next = 1 / (2 / first - sigma);
    scale = 2 * next / half;
    keep = -sigma * next;
    sigma = next;
  }
}

static double allowed(const double *tolerance, double high, double theta) {
  return fmax(tolerance[0] * high, tolerance[1] * fabs(theta));
}

static SEXP result(solver *s, size_t k, int converged, int cycles, double bound,
                   int counting) {
  const size_t n = s->h.n;
  const char *names[] = {"values", "residuals", "converged", "cycles",
                         "bound",  "vectors",   "block",     ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP values = SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)s->p));
  SEXP residual = SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)s->p));
  for (size_t a = 0; a < s->p; a++) {
    REAL(values)[a] = s->theta[a];
    REAL(residual)[a] = sqrt(s->square[a]);
  }
  SET_VECTOR_ELT(out, 2, Rf_ScalarLogical(converged));
  SET_VECTOR_ELT(out, 3, Rf_ScalarInteger(cycles));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal(bound));
  if (!counting) {
    SEXP vectors =
        SET_VECTOR_ELT(out, 5, Rf_allocMatrix(REALSXP, ffi_extent(n, "vectors"), (int)k));
    for (size_t l = 0; l < k; l++) {
      const float *x = s->block[l / W] + l % W;
      double *v = REAL(vectors) + l * n, sum = 0;
      for (size_t i = 0; i < n; i++) {
        v[i] = (double)x[i * W];
        sum += v[i] * v[i];
      }
      for (size_t i = 0; sum > 0 && i < n; i++)
        v[i] /= sqrt(sum);
      R_CheckUserInterrupt();
    }
    /* floats, in integers of their size */
    SEXP block = SET_VECTOR_ELT(out, 6, Rf_allocVector(INTSXP, (R_xlen_t)(n * s->p)));
    for (size_t b = 0; b < s->blocks; b++)
      memcpy(INTEGER(block) + b * n * W, s->block[b], n * W * sizeof(float));
  }
  UNPROTECT(1);
  return out;
}

/* H from list(start, row, value, diagonal): compressed columns, both triangles without
 * the diagonal; value: their entries, or one number that all have. H = diag(diagonal) -
 * entries. */
static kg_wide matrix_of(SEXP matrix) {
  kg_wide h;
  SEXP start = ffi_need(matrix, "start"), row = ffi_need(matrix, "row");
  SEXP value = ffi_need(matrix, "value"), diagonal = ffi_need(matrix, "diagonal");
  h.n = ffi_check_columns(start, row);
  const R_xlen_t entries = XLENGTH(row);
  h.start = INTEGER_RO(start);
  h.row = INTEGER_RO(row);
  h.diagonal = ffi_finite(diagonal, (R_xlen_t)h.n, "diagonal");
  const int same = XLENGTH(value) == 1 && entries != 1;
  const double *given = ffi_finite(value, same ? 1 : entries, "value");
  h.value = same ? NULL : given;
  h.every = same ? given[0] : 0;
  h.threads = ffi_threads();
  return h;
}

/* Memory for blocks of vectors; the vectors are those of `block`, or the first ones. */
static void solver_begin(solver *s, SEXP block) {
  const size_t n = s->h.n, p = s->p;
  s->block = (float **)R_alloc(s->blocks, sizeof(float *));
  for (size_t b = 0; b < s->blocks; b++) {
    s->block[b] = (float *)R_alloc(n * W, sizeof(float));
    if (Rf_isNull(block))
      kg_wide_begin(0, n, b, s->block[b]);
    else
      memcpy(s->block[b], INTEGER_RO(block) + b * n * W, n * W * sizeof(float));
    R_CheckUserInterrupt();
  }
  s->spare = (float *)R_alloc(n * W, sizeof(float));
  memset(s->spare, 0, n * W * sizeof(float));
  double *doubles = (double *)R_alloc(6 * p * p + 8 * p + 1, sizeof(double));
  s->S = doubles;
  s->G = s->S + p * p;
  s->factor = s->G + p * p;
  s->vectors = s->factor + p * p;
  s->theta = s->vectors + p * p;
  s->square = s->theta + p;
  s->work = s->square + p;
  s->integers = (int *)R_alloc(5 * p + 3, sizeof(int));
  s->C = (float *)R_alloc(p * p, sizeof(float));
  s->line = (float *)R_alloc(32 * p, sizeof(float));
}

/* When to stop. */
typedef struct {
  size_t wanted, below; /* values below 0 in the last cycle */
  double high;          /* bound of the largest eigenvalue */
  const double *tolerance;
  int counting;
} aim;

static int converged(aim *to, const solver *s) {
  size_t good = 0, below = 0;
  for (size_t a = 0; a < to->wanted; a++)
    good += sqrt(s->square[a]) <= allowed(to->tolerance, to->high, s->theta[a]);
  for (size_t a = 0; a < s->p; a++)
    below += s->theta[a] < 0;
  const int steady = below == to->below;
  to->below = below;
  if (!to->counting)
    return good == to->wanted;
  int known = steady && below + 1 < s->p;
  for (size_t a = 0; known && a <= below; a++)
    known =
        sqrt(s->square[a]) <= fmax(to->tolerance[0] * to->high, fabs(s->theta[a]) / 2);
  return known;
}

/* Filters the blocks that hold vectors beyond those wanted, or one that is not yet at a
 * third of its tolerance. */
static void improve(solver *s, const aim *to) {
  const double high = to->high, low = fmin(s->theta[s->p - 1], high / 2);
  const double reach = acosh(1 + 2 * fmax(low - s->theta[0], 1e-12) / (high - low));
  const int degree = (int)fmax(4, fmin(DEGREE, floor(GROWTH / reach)));
  for (size_t b = 0; b < s->blocks; b++) {
    int far = to->counting || (b + 1) * W > to->wanted;
    for (size_t a = b * W; a < (b + 1) * W && a < to->wanted; a++)
      far |= sqrt(s->square[a]) > allowed(to->tolerance, high, s->theta[a]) / 3;
    if (far)
      filter(s, b, s->theta[0], low, high, degree);
  }
}

/* matrix: see matrix_of(). k: how many are wanted. block: NULL, or that of a call before,
 * to go on from. tolerance: of |H x - theta x|, the larger of c(share of the largest
 * eigenvalue's bound, share of theta). counting: stop once as many values are below 0 as
 * in the cycle before, these and the next one known to within a half of themselves.
 * Returns list(values of all vectors kept, residuals, converged, cycles, bound of the
 * largest eigenvalue, vectors n x k, block). */
SEXP ffi_chebyshev(SEXP matrix, SEXP k, SEXP block, SEXP tolerance, SEXP cycles,
                   SEXP counting) {
  solver s;
  s.h = matrix_of(matrix);
  const size_t n = s.h.n;
  s.entries = (double)s.h.start[n] / (double)n;
  aim to = {ffi_count(k, 1, (double)n, "k"), (size_t)-1, 0, NULL, 0};
  s.blocks = (to.wanted + GUARD + W - 1) / W;
  s.p = s.blocks * W;
  if (s.p > n)
    Rf_error("k is too large for blocks of %d vectors", (int)W);
  to.tolerance = ffi_finite(tolerance, 2, "tolerance");
  const int most = (int)ffi_count(cycles, 1, 1e6, "cycles");
  to.counting = ffi_logical(counting, "counting");
  if (!Rf_isNull(block))
    ffi_integers(block, (R_xlen_t)(n * s.p), "block");
  solver_begin(&s, block);
  to.high = largest_eigenvalue(&s) * 1.0001;
  if (!R_FINITE(to.high))
    Rf_error("value and diagonal must be finite");
  for (size_t b = 0; Rf_isNull(block) && b < s.blocks; b++)
    filter(&s, b, -to.high / 4, 0, to.high, 6);
  int done = 0, cycle = 0;
  for (;;) {
    if (!ritz(&s)) {
      cycle = most;
      for (size_t a = 0; a < s.p; a++)
        s.theta[a] = s.square[a] = NA_REAL;
      break;
    }
    residuals(&s, to.counting ? s.p : to.wanted);
    cycle++;
    done = converged(&to, &s);
    if (done || cycle >= most || (to.counting && to.below + 1 >= s.p))
      break; /* the last: more vectors are needed */
    improve(&s, &to);
  }
  return result(&s, to.wanted, done, cycle, to.high, to.counting);
}
