/* test_inertia.c - counts of eigenvalues by elimination, against Jacobi's method. */
#include "ctest.h"
#include "kernels.h"

/* A symmetric pattern of n vertices: dense n x n values, 0 where there is no edge. */
typedef struct {
  size_t n, entries;
  double *full; /* H */
  int *start, *row;
  double *value, *diagonal;
} graph;

static graph compress(size_t n, double *full) {
  graph g = {n, 0, full, NEW(int, n + 1), NEW(int, n * n), NEW(double, n * n), NEW(double, n)};
  for (size_t j = 0; j < n; j++) {
    g.diagonal[j] = full[j + j * n];
    for (size_t i = 0; i < n; i++) {
      if (i != j && full[i + j * n] != 0) {
        g.row[g.entries] = (int)i;
        g.value[g.entries++] = -full[i + j * n];
      }
    }
    g.start[j + 1] = (int)g.entries;
  }
  return g;
}

static void drop(graph g) {
  free(g.full);
  free(g.start);
  free(g.row);
  free(g.value);
  free(g.diagonal);
}

/* Eigenvalues of a symmetric matrix by Jacobi's rotations; a is overwritten. */
static void jacobi(double *a, size_t n, double *values) {
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0;
    for (size_t p = 0; p < n; p++) {
      for (size_t q = p + 1; q < n; q++) {
        double apq = a[p + q * n];
        off += apq * apq;
        if (fabs(apq) < 1e-300) continue;
        double theta = (a[q + q * n] - a[p + p * n]) / (2 * apq);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (size_t i = 0; i < n; i++) {
          double x = a[i + p * n], y = a[i + q * n];
          a[i + p * n] = c * x - s * y;
          a[i + q * n] = s * x + c * y;
        }
        for (size_t i = 0; i < n; i++) {
          double x = a[p + i * n], y = a[q + i * n];
          a[p + i * n] = c * x - s * y;
          a[q + i * n] = s * x + c * y;
        }
      }
    }
    if (off < 1e-24) break;
  }
  for (size_t i = 0; i < n; i++) values[i] = a[i + i * n];
}

static size_t below(const double *values, size_t n, double shift) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) count += values[i] < shift;
  return count;
}

/* By elimination, the dense rest by Jacobi's method too; -1 if the budget ended. */
static int counted(graph g, int weighted, double shift, size_t most_dense, double budget,
                   size_t room) {
  kg_inertia h = {0};
  h.n = g.n;
  h.start = g.start;
  h.given_row = g.row;
  h.value = weighted ? g.value : NULL;
  h.every = weighted || g.entries == 0 ? 0 : g.value[0];
  h.diagonal = g.diagonal;
  h.most_dense = most_dense;
  h.budget = budget;
  h.tiny = 1e-12;
  int *integers = NEW(int, kg_inertia_integers(g.n, g.entries));
  double *doubles = NEW(double, kg_inertia_doubles(g.n, g.entries, weighted));
  size_t *positions = NEW(size_t, g.n);
  double *values = NEW(double, room);
  kg_inertia_begin(&h, shift, integers, doubles, positions, values, room);
  while (kg_inertia_step(&h, 50)) {
  }
  int found = -1;
  if (h.state == KG_INERTIA_DENSE) {
    double *rest = NEW(double, h.left * h.left + 1), *own = NEW(double, h.left + 1);
    kg_inertia_rest(&h, rest);
    for (size_t i = 0; i < h.left; i++)
      for (size_t j = i + 1; j < h.left; j++) rest[i + j * h.left] = rest[j + i * h.left];
    jacobi(rest, h.left, own);
    found = (int)(h.negative + below(own, h.left, 0));
    free(rest);
    free(own);
  }
  free(integers);
  free(doubles);
  free(positions);
  free(values);
  return found;
}

static graph draw(size_t n, double density, int weighted, int hubs, uint64_t *state) {
  double *full = NEW(double, n * n);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < j; i++) {
      double chance = (int)i < hubs ? 0.9 : density;
      if (ctest_uniform(state) < chance) {
        double value = weighted ? 2 * ctest_uniform(state) - 1.2 : -1.7;
        full[i + j * n] = full[j + i * n] = value;
      }
    }
  }
  for (size_t i = 0; i < n; i++) full[i + i * n] = 1.5 + 2 * ctest_uniform(state);
  return compress(n, full);
}

static void counts_are_those_of_the_eigenvalues(void) {
  uint64_t state = 1;
  for (int round = 0; round < 120; round++) {
    int weighted = round % 2, hubs = round % 5 == 4 ? 2 : 0;
    size_t n = 1 + (size_t)(ctest_uniform(&state) * 90);
    if (hubs) n = 150; /* more neighbours than a vertex may have that is no hub */
    graph g = draw(n, ctest_uniform(&state) * ctest_uniform(&state) * 0.3, weighted, hubs, &state);
    double *copy = NEW(double, n * n), *values = NEW(double, n);
    memcpy(copy, g.full, n * n * sizeof(double));
    jacobi(copy, n, values);
    for (int s = 0; s < 3; s++) {
      double shift = s == 0 ? 0 : 6 * ctest_uniform(&state) - 2;
      int expected = (int)below(values, n, shift);
      /* few dense rows and all of them; room to spare and gaps that must be closed */
      CHECK(counted(g, weighted, shift, n, 1e12, 4 * n * n + 10) == expected);
      CHECK(counted(g, weighted, shift, n / 4 + 8, 1e12, n * n + 10) == expected ||
            counted(g, weighted, shift, n / 4 + 8, 1e12, n * n + 10) == -1);
    }
    drop(g);
    free(copy);
    free(values);
  }
}

/* A path and a star are eliminated whole: nothing is left, nothing fills up. */
static void trees_leave_nothing(void) {
  for (int star = 0; star < 2; star++) {
    size_t n = 40;
    double *full = NEW(double, n * n);
    for (size_t i = 1; i < n; i++) {
      size_t j = star ? 0 : i - 1;
      full[i + j * n] = full[j + i * n] = -1.2;
    }
    for (size_t i = 0; i < n; i++) full[i + i * n] = star && i == 0 ? 30 : 2.1;
    graph g = compress(n, full);
    double *copy = NEW(double, n * n), *values = NEW(double, n);
    memcpy(copy, g.full, n * n * sizeof(double));
    jacobi(copy, n, values);
    CHECK(counted(g, 0, 0, n, 1e12, 4 * n) == (int)below(values, n, 0));
    drop(g);
    free(copy);
    free(values);
  }
}

/* Zero on the diagonal: every first pivot is 0, and waits for the dense rest. */
static void pivots_of_zero_wait(void) {
  for (size_t n = 2; n < 30; n++) {
    double *full = NEW(double, n * n);
    for (size_t i = 0; i < n; i++) {
      size_t j = (i + 1) % n;
      if (i != j) full[i + j * n] = full[j + i * n] = -1;
    }
    graph g = compress(n, full);
    double *copy = NEW(double, n * n), *values = NEW(double, n);
    memcpy(copy, g.full, n * n * sizeof(double));
    jacobi(copy, n, values);
    for (double shift = -1.9371; shift < 2; shift += 0.4142)
      CHECK(counted(g, 0, shift, n, 1e12, 4 * n * n) == (int)below(values, n, shift));
    CHECK(counted(g, 0, 1e-9, n, 1e12, 4 * n * n) == (int)below(values, n, 1e-9));
    drop(g);
    free(copy);
    free(values);
  }
}

static void a_budget_ends_it(void) {
  uint64_t state = 3;
  graph g = draw(80, 0.2, 1, 0, &state);
  CHECK(counted(g, 1, 0, 5, 100, 40000) == -1);
  CHECK(counted(g, 1, 0, 5, 1e12, 30) == -1);
  drop(g);
}

int main(void) {
  RUN(counts_are_those_of_the_eigenvalues);
  RUN(trees_leave_nothing);
  RUN(pivots_of_zero_wait);
  RUN(a_budget_ends_it);
  return DONE();
}
