/* reference.h - random problems with every kind of store, and the definitions as naive
 * double loops in long double, against which the kernels are held. */
#ifndef KG_CTEST_REFERENCE_H
#define KG_CTEST_REFERENCE_H

#define CTEST_BEFORE() use_loops()
#include "ctest.h"
#include "kernels.h"

/* The loops that CTEST_LOOPS names, else the fastest. */
static inline void use_loops(void) {
  const char *name = getenv("CTEST_LOOPS");
  if (!kg_choose_loops(name ? name : "auto")) {
    fprintf(stderr, "CTEST_LOOPS=%s: this processor has no such instructions\n", name);
    exit(2);
  }
}

enum store { POINTS, PACKED, DENSE, GRAM, N_STORES };

typedef struct {
  size_t n, d, k;
  double *x;      /* n x d */
  double *packed; /* distances, lower triangle by columns */
  double *dense;  /* n x n */
  double *half;   /* of the diagonal of a Gram matrix */
  double *w;
  int *label;
  long double *B; /* by definition */
  kg_pairs pairs;
} problem;

/* The semimetrics that every test goes through: all families, all special-cased powers. */
static const kg_semimetric all_semimetrics[] = {
    {KG_POWER, 1.0},       {KG_POWER, 0.5},    {KG_POWER, 2.0},     {KG_POWER, 1.5},
    {KG_POWER, 0.3},       {KG_POWER, 1.7},    {KG_EXPONENTIAL, 1}, {KG_EXPONENTIAL, 0.4},
    {KG_GAUSSIAN, 1.3},    {KG_GAUSSIAN, 0.5}, {KG_GIVEN, 0},
};
#define N_SEMIMETRICS (sizeof all_semimetrics / sizeof all_semimetrics[0])

/* rho as a function of the distance, Eqs. (52) to (54). */
static inline long double reference_rho(kg_semimetric rho, long double d) {
  long double a = (long double)rho.parameter;
  switch (rho.family) {
  case KG_POWER:
    return d == 0 ? 0 : powl(d, a);
  case KG_EXPONENTIAL:
    return -2 * expm1l(-d / (2 * a));
  case KG_GAUSSIAN:
    return -2 * expm1l(-d * d / (2 * a * a));
  default:
    return d;
  }
}

static inline long double reference_distance(const double *x, size_t n, size_t d, size_t i,
                                             size_t j) {
  long double sum = 0;
  for (size_t c = 0; c < d; c++) {
    long double t = (long double)x[i + c * n] - (long double)x[j + c * n];
    sum += t * t;
  }
  return sqrtl(sum);
}

/* Random labels with a point of positive weight in every cluster. */
static inline void random_labels(uint64_t *rng, const double *w, size_t n, size_t k,
                                 int *label) {
  size_t given = 0, start = ctest_below(rng, n);
  for (size_t i = 0; i < n; i++) label[i] = (int)ctest_below(rng, k);
  for (size_t a = 0; a < n && given < k; a++) {
    size_t i = (start + a) % n;
    if (w[i] > 0) label[i] = (int)given++;
  }
}

/* Every fifth point is a copy of an earlier one, so that ties occur. zero_weights: about
 * a third of the weights are 0, never fewer than k left. */
static inline problem problem_make(uint64_t *rng, enum store store, kg_semimetric rho,
                                   size_t n, size_t d, size_t k, int zero_weights) {
  problem p;
  memset(&p, 0, sizeof p);
  p.n = n, p.d = d, p.k = k;
  p.w = NEW(double, n);
  p.label = NEW(int, n);
  p.B = NEW(long double, n * n);
  p.x = NEW(double, n * d);
  for (size_t i = 0; i < n * d; i++) p.x[i] = ctest_normal(rng);
  for (size_t i = 5; i < n; i += 5) {
    size_t from = ctest_below(rng, i);
    for (size_t c = 0; c < d; c++) p.x[i + c * n] = p.x[from + c * n];
  }
  int unit = ctest_uniform(rng) < 0.3;
  for (size_t i = 0; i < n; i++) p.w[i] = unit ? 1 : 0.1 + 3 * ctest_uniform(rng);
  if (zero_weights)
    for (size_t i = 0; i + k < n; i++)
      if (ctest_uniform(rng) < 0.35) p.w[i] = 0;

  if (store == GRAM) {
    p.dense = NEW(double, n * n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++)
        p.dense[i + j * n] = p.dense[j + i * n] = ctest_normal(rng);
    p.half = NEW(double, n);
    for (size_t i = 0; i < n; i++) p.half[i] = p.dense[i + i * n] / 2;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        p.B[i + j * n] = (long double)p.dense[i + j * n] -
                         ((long double)p.half[i] + (long double)p.half[j]);
    p.pairs = kg_dense(p.dense, p.half, n);
  } else {
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        p.B[i + j * n] = -reference_rho(rho, reference_distance(p.x, n, d, i, j)) / 2;
  }
  if (store == POINTS) p.pairs = kg_points(p.x, n, d, rho);
  if (store == PACKED) {
    p.packed = NEW(double, n * (n - 1) / 2);
    double *next = p.packed;
    for (size_t j = 0; j < n; j++)
      for (size_t i = j + 1; i < n; i++)
        *next++ = (double)reference_distance(p.x, n, d, i, j);
    p.pairs = kg_packed(p.packed, n, rho);
  }
  if (store == DENSE) {
    p.dense = NEW(double, n * n);
    for (size_t i = 0; i < n * n; i++) p.dense[i] = (double)p.B[i];
    p.pairs = kg_dense(p.dense, NULL, n);
  }
  random_labels(rng, p.w, n, k, p.label);
  return p;
}

static inline void problem_free(problem *p) {
  free(p->x), free(p->packed), free(p->dense), free(p->half), free(p->w);
  free(p->label), free(p->B);
}

/* ---- the definitions ---- */

static inline long double reference_R(const problem *p, const int *label, size_t i,
                                      size_t l) {
  long double sum = 0;
  for (size_t y = 0; y < p->n; y++)
    if ((size_t)label[y] == l) sum += (long double)p->w[y] * p->B[i + y * p->n];
  return sum;
}

static inline long double reference_V(const problem *p, const int *label, size_t l) {
  long double sum = 0;
  for (size_t x = 0; x < p->n; x++)
    if ((size_t)label[x] == l && p->w[x] > 0)
      sum += (long double)p->w[x] * reference_R(p, label, x, l);
  return sum;
}

static inline long double reference_s(const problem *p, const int *label, size_t l) {
  long double sum = 0;
  for (size_t x = 0; x < p->n; x++)
    if ((size_t)label[x] == l) sum += (long double)p->w[x];
  return sum;
}

/* W + constant: -Q, Eq. (41). */
static inline long double reference_cost(const problem *p, const int *label) {
  long double Q = 0;
  for (size_t l = 0; l < p->k; l++) {
    long double s = reference_s(p, label, l);
    if (s > 0) Q += reference_V(p, label, l) / s;
  }
  return -Q;
}

static inline long double reference_d2(const problem *p, const int *label, size_t i,
                                       size_t l) {
  long double s = reference_s(p, label, l);
  return p->B[i + i * p->n] - 2 * reference_R(p, label, i, l) / s +
         reference_V(p, label, l) / s / s;
}

/* Points of positive weight in each cluster: is none empty? */
static inline int none_empty(const problem *p, const int *label) {
  for (size_t l = 0; l < p->k; l++) {
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++) {
      if (label[i] < 0 || (size_t)label[i] >= p->k) return 0;
      count += (size_t)label[i] == l && p->w[i] > 0;
    }
    if (count == 0) return 0;
  }
  return 1;
}

/* How large the sums are that the kernels add up: what a tolerance is relative to. */
static inline double reference_scale(const problem *p) {
  long double scale = 0;
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < p->n; j++) {
      long double b = p->B[i + j * p->n];
      scale = fmaxl(scale, b < 0 ? -b : b);
    }
  return (double)scale;
}

/* ---- a state with all its memory, for up to two threads ---- */

typedef struct {
  kg_state state;
  kg_input *input;
  double *buffer;
  int *label;
  void *memory;
} fit;

static inline fit fit_alloc(const problem *p, const int *label) {
  fit f;
  f.label = NEW(int, p->n);
  f.buffer = NEW(double, p->n);
  f.input = NEW(kg_input, 1);
  f.input->kind = &kg_pair_sums, f.input->n = p->n, f.input->w = p->w;
  f.input->values = &p->pairs;
  for (size_t i = 0; i < p->n; i++) f.buffer[i] = 1e300;
  memcpy(f.label, label, p->n * sizeof(int));
  LAY(f.memory, kg_state_lay(&f.state, f.input, p->k, f.label, 2, &room));
  kg_state_threads(&f.state, 1);
  return f;
}

static inline void first_pass(kg_state *state, size_t from, size_t to, double *buffer) {
  kg_first_pass(&state, 1, from, to, buffer);
}

/* The first pass in pieces of any size, then the totals. */
static inline fit fit_make(const problem *p, const int *label) {
  fit f = fit_alloc(p, label);
  size_t step = p->n / 3 + 1;
  for (size_t from = 0; from < p->n; from += step)
    first_pass(&f.state, from, from + step < p->n ? from + step : p->n, f.buffer);
  kg_state_built(&f.state);
  CHECK(kg_totals(&f.state) == KG_OK);
  return f;
}

static inline void fit_free(fit *f) {
  free(f->memory), free(f->buffer), free(f->label), free(f->input);
}

/* A sweep of so many moves, and some points at least. */
static inline size_t sweep_some(kg_state *state, size_t at, double moves) {
  return kg_hartigan_sweep(state, at, moves * kg_state_row_cost(state));
}

/* All of a sweep; 1 if anything moved. */
static inline int sweep_all(kg_state *state) {
  size_t before = state->e.moves;
  for (size_t at = 0; at < state->e.n;) at = sweep_some(state, at, 1e6);
  return state->e.moves > before;
}

/* One move at once, as a sweep makes it, and what rounding corrupts again. */
static inline void move_now(kg_state *state, size_t i, size_t l) {
  size_t j = (size_t)state->e.label[i];
  kg_move_totals(state, i, l);
  kg_moves_add(state, i, j, l, 1);
  kg_moves_finish(state);
  if (kg_state_worn(state, j)) state->wear.stale[j] = 1;
  while (kg_state_repair(state, 1) == KG_REPAIR_MORE) continue;
}

/* R, V, s, count of a state against the definitions for its labels now. */
static inline void check_state(const problem *p, const kg_state *state, double tolerance) {
  double scale = reference_scale(p), total = 0, worst_R = 0, worst_V = 0, worst_s = 0;
  int counts = 1;
  for (size_t i = 0; i < p->n; i++) total += p->w[i];
  for (size_t l = 0; l < p->k; l++) {
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++) {
      double off = state->R[i + l * p->n] - (double)reference_R(p, state->e.label, i, l);
      worst_R = fmax(worst_R, fabs(off) / (scale * total + 1));
      if (isnan(off)) worst_R = HUGE_VAL;
      count += (size_t)state->e.label[i] == l && p->w[i] > 0;
    }
    double off_V = state->e.V[l] - (double)reference_V(p, state->e.label, l);
    double off_s = state->e.s[l] - (double)reference_s(p, state->e.label, l);
    worst_V = isnan(off_V) ? HUGE_VAL : fmax(worst_V, fabs(off_V) / (scale * total * total + 1));
    worst_s = isnan(off_s) ? HUGE_VAL : fmax(worst_s, fabs(off_s) / total);
    counts = counts && state->e.count[l] == count;
  }
  CHECK_NEAR(worst_R, 0.0, tolerance);
  CHECK_NEAR(worst_V, 0.0, tolerance);
  CHECK_NEAR(worst_s, 0.0, tolerance);
  CHECK(counts);
}

/* Calls body for every store and semimetric; GRAM and DENSE-as-given stand for all. */
#define FOR_ALL_STORES(store, rho)                                                       \
  for (enum store store = POINTS; store < N_STORES; store++)                             \
    for (size_t a_ = 0; a_ < (store == GRAM ? 1 : N_SEMIMETRICS); a_++)                  \
      for (kg_semimetric rho = all_semimetrics[a_], *once_ = &rho; once_; once_ = NULL)

#endif
