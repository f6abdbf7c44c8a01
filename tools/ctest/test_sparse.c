/* test_sparse.c - the engine of sparse matrices against the definitions on the same matrix
 * with every entry of it. */
#include "reference.h"

typedef struct {
  problem dense; /* the same matrix, every entry of it; pairs are not used */
  kg_sparse b;
  kg_input input;
  kg_sparse_state c;
  int *start, *row, *label;
  double *value, *diagonal;
  void *memory;
} sparse_problem;

/* In memory of its own, since the engine points into it. */
static sparse_problem *sparse_make(uint64_t *rng, size_t n, size_t k, double density,
                                   int zero_weights, double diagonal) {
  sparse_problem *s = NEW(sparse_problem, 1);
  kg_semimetric given = {KG_GIVEN, 0};
  s->dense = problem_make(rng, GRAM, given, n, 1, k, zero_weights);
  double *G = s->dense.dense;
  for (size_t i = 0; i < n; i++) {
    G[i + i * n] *= diagonal;
    for (size_t j = 0; j < i; j++)
      if (ctest_uniform(rng) > density) G[i + j * n] = G[j + i * n] = 0;
  }
  for (size_t i = 0; i < n * n; i++) s->dense.B[i] = (long double)G[i];
  s->start = NEW(int, n + 1);
  s->row = NEW(int, n * n);
  s->value = NEW(double, n * n);
  s->diagonal = NEW(double, n);
  int at = 0;
  for (size_t j = 0; j < n; j++) {
    s->start[j] = at;
    s->diagonal[j] = G[j + j * n];
    for (size_t i = 0; i < n; i++) {
      if (i == j || G[i + j * n] == 0) continue;
      s->row[at] = (int)i;
      s->value[at++] = G[i + j * n];
    }
  }
  s->start[n] = at;
  kg_sparse b = {n, s->start, s->row, s->value, s->diagonal};
  s->b = b;
  kg_input input = {&kg_sparse_rows, n, s->dense.w, &s->b};
  s->input = input;
  s->label = NEW(int, n);
  memcpy(s->label, s->dense.label, n * sizeof(int));
  LAY(s->memory, kg_sparse_lay(&s->c, &s->input, k, s->label, &room));
  return s;
}

static void sparse_free(sparse_problem *s) {
  problem_free(&s->dense);
  free(s->start), free(s->row), free(s->value), free(s->diagonal), free(s->label);
  free(s->memory), free(s);
}

static void totals(sparse_problem *s) {
  kg_engine *e = &s->c.e;
  for (size_t at = 0; at < e->n;) at = kg_sparse_rows.begin(e, at, 1);
  for (size_t at = 0; at < e->n;) at = kg_sparse_rows.totals(e, at, 1);
  CHECK(e->status == KG_OK);
}

/* All of a sweep; how many moves it made. */
static size_t sweep(kg_engine *e) {
  size_t before = e->moves;
  for (size_t at = 0; at < e->n;) at = kg_sparse_rows.sweep(e, at, 1);
  return e->moves - before;
}

/* W by definition, the diagonal and all. */
static long double right_W(const sparse_problem *s, const int *label) {
  long double base = 0;
  for (size_t i = 0; i < s->b.n; i++)
    base += (long double)s->dense.w[i] * (long double)s->diagonal[i];
  return base + reference_cost(&s->dense, label);
}

static double size_of(const sparse_problem *s) {
  double total = 0;
  for (size_t i = 0; i < s->b.n; i++) total += s->dense.w[i];
  return 1 + reference_scale(&s->dense) * total * total;
}

static void check_totals(const sparse_problem *s, double tolerance) {
  double scale = size_of(s);
  const kg_engine *e = &s->c.e;
  for (size_t l = 0; l < e->k; l++) {
    size_t count = 0;
    for (size_t i = 0; i < e->n; i++)
      count += (size_t)e->label[i] == l && e->w[i] > 0;
    CHECK(e->count[l] == count);
    CHECK_NEAR(e->s[l], (double)reference_s(&s->dense, e->label, l), 1e-12);
    CHECK_NEAR((e->V[l] - (double)reference_V(&s->dense, e->label, l)) / scale, 0.0,
               tolerance);
  }
  CHECK_NEAR((e->rule.W - (double)right_W(s, e->label)) / scale, 0.0, tolerance);
}

static const double densities[] = {0.0, 0.05, 0.3, 1.0};

static void totals_are_as_defined(void) {
  uint64_t rng = 101;
  for (int a = 0; a < 40; a++) {
    sparse_problem *s = sparse_make(&rng, 5 + ctest_below(&rng, 30), 1 + (size_t)a % 5,
                                    densities[a % 4], a % 2, 1);
    kg_engine *e = &s->c.e;
    totals(s);
    check_totals(s, 1e-13);
    long double scale = 0, all = 0, base = 0, weight = 0;
    for (size_t l = 0; l < e->k; l++) {
      long double D = 0;
      for (size_t i = 0; i < e->n; i++)
        if ((size_t)e->label[i] == l) D += (long double)e->w[i] * (long double)s->diagonal[i];
      long double W = D - reference_V(&s->dense, e->label, l) / reference_s(&s->dense, e->label, l);
      CHECK_NEAR(e->cost[l], (double)W, 1e-12);
      scale += fabsl(W);
      base += D;
    }
    CHECK_NEAR(e->rule.tolerance * 1e10, (double)(scale / (long double)e->n), 1e-12);
    long double *sums = NEW(long double, e->k + 1);
    for (size_t at = 0; at < e->n;) at = kg_sparse_rows.report(e, sums, at, 1);
    check_totals(s, 1e-13);
    for (size_t i = 0; i < e->n; i++) {
      weight += (long double)e->w[i];
      for (size_t j = 0; j < e->n; j++)
        all += (long double)e->w[i] * (long double)e->w[j] * s->dense.B[i + j * e->n];
    }
    CHECK_NEAR(e->total, (double)(base - all / weight), 1e-12);
    free(sums);
    sparse_free(s);
  }
}

/* One point after the other: what moves is the best single move by definition. */
static void moves_are_those_of_the_definition(void) {
  uint64_t rng = 102;
  size_t moved = 0;
  for (int a = 0; a < 120; a++) {
    size_t n = 8 + ctest_below(&rng, 20), k = 2 + ctest_below(&rng, n / 4);
    sparse_problem *s = sparse_make(&rng, n, k, densities[a % 4], a % 3 == 0, a % 2 ? 0 : 1);
    kg_engine *e = &s->c.e;
    totals(s);
    double scale = size_of(s);
    for (int round = 0; round < 30; round++) {
      size_t before = e->moves;
      for (size_t i = 0, next; i < n; i = next) {
        int own = e->label[i];
        size_t was = e->moves;
        long double here = right_W(s, e->label), least = 0;
        int allowed = e->w[i] > 0 && e->count[own] > 1, best = own;
        for (size_t l = 0; l < k && allowed; l++) {
          e->label[i] = (int)l;
          long double change = right_W(s, e->label) - here;
          if (change < least) least = change, best = (int)l;
        }
        e->label[i] = own;
        next = kg_sparse_rows.sweep(e, i, 1e-9);
        CHECK(next == i + 1);
        if (fabsl(least) > 1e-9L * scale) {
          CHECK((e->moves > was) == (best != own));
          CHECK(fabsl(right_W(s, e->label) - here - least) < 1e-11L * scale);
        }
      }
      moved += e->moves - before;
      check_totals(s, 1e-11);
      CHECK(none_empty(&s->dense, e->label));
      if (e->moves == before) break;
    }
    sparse_free(s);
  }
  CHECK(moved > 200);
}

/* The bound that spares evaluation of all clusters must never hide the best one; with the size
 * term there is none. */
static void no_move_is_overlooked(void) {
  uint64_t rng = 103;
  for (int a = 0; a < 60; a++) {
    size_t n = 8 + ctest_below(&rng, 20), k = 2 + ctest_below(&rng, 6);
    sparse_problem *s = sparse_make(&rng, n, k, densities[a % 4], a % 3 == 0, a % 2 ? 0 : 1);
    kg_engine *e = &s->c.e;
    totals(s);
    long double W = right_W(s, e->label);
    for (int round = 0; round < 200; round++) {
      size_t made = sweep(e);
      long double now = right_W(s, e->label);
      CHECK(made ? now < W : now == W);
      W = now;
      totals(s);
      if (made == 0) break;
    }
    for (size_t i = 0; i < n; i++) {
      int home = e->label[i];
      if (e->w[i] == 0 || e->count[home] < 2) continue;
      for (size_t l = 0; l < k; l++) {
        e->label[i] = (int)l;
        CHECK(right_W(s, e->label) > W - 1e-8L);
      }
      e->label[i] = home;
    }
    sparse_free(s);
  }
}

static void distances_and_nearest_means_are_as_defined(void) {
  uint64_t rng = 104;
  for (int a = 0; a < 30; a++) {
    size_t n = 25, k = 4;
    sparse_problem *s = sparse_make(&rng, n, k, densities[a % 4], 1, 1);
    kg_engine *e = &s->c.e;
    double near[25];
    totals(s);
    for (size_t i = 0; i < n; i++) {
      double least = HUGE_VAL, best = 0;
      long double right = HUGE_VALL;
      for (size_t l = 0; l < k; l++) {
        long double d2 = reference_d2(&s->dense, e->label, i, l);
        CHECK_NEAR(kg_sparse_rows.d2(e, i, l), (double)d2, 1e-11);
        right = fminl(right, d2);
      }
      kg_sparse_rows.nearest(e, k, i, i + 1, &least, &best);
      CHECK_NEAR(least, (double)right, 1e-11);
      kg_sparse_rows.rho(&s->input, i, 0, 11, near);
      kg_sparse_rows.rho(&s->input, i, 11, n, near + 11);
      for (size_t j = 0; j < n; j++) {
        long double rho = i == j ? 0
                                 : s->dense.B[i + i * n] + s->dense.B[j + j * n] -
                                       2 * s->dense.B[i + j * n];
        CHECK_NEAR(near[j], (double)rho, 1e-12);
      }
    }
    for (size_t at = 0; at < n;) at = kg_place(e, at, 1);
    for (size_t i = 0; i < n; i++) {
      if (e->w[i] > 0) {
        CHECK(e->label[i] == s->dense.label[i]);
        continue;
      }
      long double here = reference_d2(&s->dense, s->dense.label, i, (size_t)e->label[i]);
      for (size_t l = 0; l < k; l++)
        CHECK(here <= reference_d2(&s->dense, s->dense.label, i, l) + 1e-11L);
    }
    sparse_free(s);
  }
}

/* The shift raises W of every partition by the same, and then Lloyd's method cannot raise
 * it; taken away, all is as before. */
static void the_shift_is_a_constant(void) {
  uint64_t rng = 105;
  for (int a = 0; a < 40; a++) {
    size_t n = 20, k = 3;
    sparse_problem *s = sparse_make(&rng, n, k, densities[1 + a % 3], a % 2, 1);
    kg_engine *e = &s->c.e;
    int *target = NEW(int, n);
    double *cost = NEW(double, n);
    size_t *count = NEW(size_t, k);
    totals(s);
    double W = e->rule.W, positive = 0;
    for (size_t i = 0; i < n; i++) positive += e->w[i] > 0;
    kg_sparse_rows.shift(e, 1);
    totals(s);
    CHECK_NEAR(e->rule.W, W + s->c.shift * (positive - (double)k), 1e-11);
    double before = e->rule.W;
    for (int pass = 0; pass < 50; pass++) {
      for (size_t at = 0; at < n;) at = kg_targets(e, target, count, at, 1);
      for (size_t at = 0; at < n;) at = kg_target_costs(e, target, cost, at, 1);
      while (kg_refill(e, target, count, cost)) continue;
      CHECK(none_empty(&s->dense, target));
      for (size_t at = 0; at < n;) at = kg_sparse_rows.relabel(e, target, at, 1);
      totals(s);
      CHECK(e->rule.W <= before + 1e-11 * size_of(s));
      before = e->rule.W;
    }
    kg_sparse_rows.shift(e, 0);
    totals(s);
    check_totals(s, 1e-12);
    free(target), free(cost), free(count);
    sparse_free(s);
  }
}

/* A point that has nearly all weight of its cluster leaves: V of what stays behind is in
 * proportion to what stays, not to what has gone. */
static void heavy_points_leave_no_rounding_behind(void) {
  uint64_t rng = 106;
  size_t left = 0;
  for (int a = 0; a < 60; a++) {
    size_t n = 24, k = 3;
    sparse_problem *s = sparse_make(&rng, n, k, densities[1 + a % 3], 0, 1);
    kg_engine *e = &s->c.e;
    for (size_t i = 0; i < n; i += 6) s->dense.w[i] *= 1e8;
    totals(s);
    for (size_t i = 0, next; i < n; i = next) {
      size_t own = (size_t)e->label[i];
      double weight = e->s[own];
      next = kg_sparse_rows.sweep(e, i, 1e-9);
      if ((size_t)e->label[i] == own || e->s[own] > 1e-3 * weight) continue;
      double rest = (double)reference_s(&s->dense, e->label, own);
      left++;
      CHECK_NEAR(e->s[own] / rest, 1.0, 1e-12);
      CHECK_NEAR((e->V[own] - (double)reference_V(&s->dense, e->label, own)) / (rest * rest),
                 0.0, 1e-12);
    }
    sparse_free(s);
  }
  CHECK(left > 20);
}

int main(void) {
  RUN(totals_are_as_defined);
  RUN(moves_are_those_of_the_definition);
  RUN(no_move_is_overlooked);
  RUN(distances_and_nearest_means_are_as_defined);
  RUN(the_shift_is_a_constant);
  RUN(heavy_points_leave_no_rounding_behind);
  return DONE();
}
