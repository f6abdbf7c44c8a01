/* test_sparse.c - Hartigan's moves on sparse matrices: the same moves as the dense
 * kernels make on the same matrix, and the definitions. */
#include "reference.h"

typedef struct {
  problem dense; /* the same matrix, every entry of it */
  kg_sparse b;
  kg_sparse_clusters c;
  int *start, *row;
  double *value, *diagonal;
} sparse_problem;

static sparse_problem sparse_make(uint64_t *rng, size_t n, size_t k, double density,
                                  int zero_weights) {
  sparse_problem s;
  memset(&s, 0, sizeof s);
  kg_semimetric given = {KG_GIVEN, 0};
  s.dense = problem_make(rng, GRAM, given, n, 1, k, zero_weights);
  double *G = s.dense.dense;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      if (ctest_uniform(rng) > density) G[i + j * n] = G[j + i * n] = 0;
  for (size_t i = 0; i < n * n; i++) s.dense.B[i] = (long double)G[i];
  s.start = NEW(int, n + 1);
  s.row = NEW(int, n * n);
  s.value = NEW(double, n * n);
  s.diagonal = NEW(double, n);
  int at = 0;
  for (size_t j = 0; j < n; j++) {
    s.start[j] = at;
    s.diagonal[j] = G[j + j * n];
    for (size_t i = 0; i < n; i++) {
      if (i == j || G[i + j * n] == 0) continue;
      s.row[at] = (int)i;
      s.value[at++] = G[i + j * n];
    }
  }
  s.start[n] = at;
  kg_sparse b = {n, s.start, s.row, s.value, s.diagonal, s.dense.w};
  s.b = b;
  s.c.k = k;
  s.c.label = NEW(int, n);
  s.c.size = NEW(double, k);
  s.c.within = NEW(double, k);
  s.c.members = NEW(size_t, k);
  s.c.reach = NEW(double, k);
  s.c.touched = NEW(int, k);
  s.c.mark = NEW(size_t, k);
  memcpy(s.c.label, s.dense.label, n * sizeof(int));
  return s;
}

static void sparse_free(sparse_problem *s) {
  problem_free(&s->dense);
  free(s->start), free(s->row), free(s->value), free(s->diagonal), free(s->c.label);
  free(s->c.size), free(s->c.within), free(s->c.members), free(s->c.reach);
  free(s->c.touched), free(s->c.mark);
}

static void totals(sparse_problem *s) {
  kg_sparse_totals_begin(&s->b, &s->c);
  for (size_t i = 0; i < s->b.n; i += 4)
    kg_sparse_totals_add(&s->b, &s->c, i, i + 4 < s->b.n ? i + 4 : s->b.n);
  kg_sparse_bounds(&s->c);
}

static double size_of(const sparse_problem *s) {
  double total = 0;
  for (size_t i = 0; i < s->b.n; i++) total += s->b.weight[i];
  return 1 + reference_scale(&s->dense) * total * total;
}

static void check_totals(const sparse_problem *s, double tolerance) {
  double scale = size_of(s);
  for (size_t l = 0; l < s->c.k; l++) {
    size_t count = 0;
    for (size_t i = 0; i < s->b.n; i++)
      count += (size_t)s->c.label[i] == l && s->b.weight[i] > 0;
    CHECK(s->c.members[l] == count);
    CHECK_NEAR(s->c.size[l], (double)reference_s(&s->dense, s->c.label, l), 1e-12);
    CHECK_NEAR((s->c.within[l] - (double)reference_V(&s->dense, s->c.label, l)) / scale, 0.0,
               tolerance);
  }
}

static const double densities[] = {0.0, 0.05, 0.3, 1.0};

static void totals_are_as_defined(void) {
  uint64_t rng = 101;
  for (int a = 0; a < 40; a++) {
    sparse_problem s = sparse_make(&rng, 5 + ctest_below(&rng, 30), 1 + (size_t)a % 5,
                                   densities[a % 4], a % 2);
    totals(&s);
    check_totals(&s, 1e-13);
    long double scale = 0;
    for (size_t i = 0; i < s.b.n; i++)
      scale += (long double)s.b.weight[i] * fabsl((long double)s.diagonal[i]);
    for (size_t l = 0; l < s.c.k; l++)
      scale += fabsl(reference_V(&s.dense, s.c.label, l)) / reference_s(&s.dense, s.c.label, l);
    CHECK_NEAR(kg_sparse_scale(&s.b, &s.c), (double)(scale / (long double)s.b.n), 1e-12);
    sparse_free(&s);
  }
}

/* Point by point the same moves as the dense kernels, at every density. */
static void moves_are_those_of_the_dense_kernels(void) {
  uint64_t rng = 102;
  size_t moved = 0;
  for (int a = 0; a < 200; a++) {
    size_t n = 8 + ctest_below(&rng, 40), k = 2 + ctest_below(&rng, n / 4);
    sparse_problem s = sparse_make(&rng, n, k, densities[a % 4], a % 3 == 0);
    fit f = fit_make(&s.dense, s.dense.label);
    totals(&s);
    double threshold = f.state.tolerance;
    for (int sweep = 0; sweep < 100; sweep++) {
      size_t before = f.state.moves, made = 0;
      for (size_t i = 0; i < n; i++) {
        size_t best;
        double change = kg_best_move(&f.state, i, &best);
        int clear = fabs(change + threshold) > 1e-9 * size_of(&s);
        size_t was = f.state.moves;
        if (change < -threshold) kg_move(&f.state, i, best);
        size_t one = kg_sparse_sweep(&s.b, &s.c, i, i + 1, threshold);
        if (clear) CHECK(one == f.state.moves - was);
        if (!CHECK(s.c.label[i] == f.label[i])) goto end;
        made += one;
      }
      moved += made;
      CHECK(made == f.state.moves - before);
      check_totals(&s, 1e-11);
      CHECK(none_empty(&s.dense, s.c.label));
      kg_sparse_bounds(&s.c);
      if (made == 0) break;
    }
  end:
    fit_free(&f);
    sparse_free(&s);
  }
  CHECK(moved > 200);
}

/* The bound that spares looking at all clusters must never hide the best one. */
static void no_move_is_overlooked(void) {
  uint64_t rng = 103;
  for (int a = 0; a < 60; a++) {
    size_t n = 8 + ctest_below(&rng, 20), k = 2 + ctest_below(&rng, 6);
    sparse_problem s = sparse_make(&rng, n, k, densities[a % 4], a % 3 == 0);
    for (size_t i = 0; i < n; i++)
      if (a % 2) s.diagonal[i] = s.dense.dense[i + i * n] = 0;
    for (size_t i = 0; i < n && a % 2; i++) s.dense.B[i + i * n] = 0;
    totals(&s);
    long double W = reference_cost(&s.dense, s.c.label);
    for (int sweep = 0; sweep < 200; sweep++) {
      size_t made = kg_sparse_sweep(&s.b, &s.c, 0, n, 1e-9);
      long double now = reference_cost(&s.dense, s.c.label);
      CHECK(made ? now < W : now == W);
      W = now;
      if (made == 0) break;
      kg_sparse_bounds(&s.c);
    }
    for (size_t i = 0; i < n; i++) {
      int home = s.c.label[i];
      if (s.b.weight[i] == 0 || s.c.members[home] < 2) continue;
      for (size_t l = 0; l < k; l++) {
        s.c.label[i] = (int)l;
        CHECK(reference_cost(&s.dense, s.c.label) > W - 1e-8L);
      }
      s.c.label[i] = home;
    }
    sparse_free(&s);
  }
}

static void places_and_distances_are_as_defined(void) {
  uint64_t rng = 104;
  for (int a = 0; a < 30; a++) {
    size_t n = 25, k = 4;
    sparse_problem s = sparse_make(&rng, n, k, densities[a % 4], 1);
    double *distance = NEW(double, n);
    int *points = NEW(int, n);
    size_t many = 0;
    totals(&s);
    kg_sparse_distances(&s.b, &s.c, 0, n, distance);
    for (size_t i = 0; i < n; i++) {
      CHECK_NEAR(distance[i],
                 (double)reference_d2(&s.dense, s.dense.label, i, (size_t)s.c.label[i]), 1e-11);
      if (s.b.weight[i] == 0) points[many++] = (int)i;
    }
    kg_sparse_place(&s.b, &s.c, points, 0, many / 2);
    kg_sparse_place(&s.b, &s.c, points, many / 2, many);
    for (size_t i = 0; i < n; i++) {
      if (s.b.weight[i] > 0) {
        CHECK(s.c.label[i] == s.dense.label[i]);
        continue;
      }
      long double here = reference_d2(&s.dense, s.dense.label, i, (size_t)s.c.label[i]);
      for (size_t l = 0; l < k; l++)
        CHECK(here <= reference_d2(&s.dense, s.dense.label, i, l) + 1e-11L);
    }
    free(distance), free(points);
    sparse_free(&s);
  }
}

int main(void) {
  RUN(totals_are_as_defined);
  RUN(moves_are_those_of_the_dense_kernels);
  RUN(no_move_is_overlooked);
  RUN(places_and_distances_are_as_defined);
  return DONE();
}
