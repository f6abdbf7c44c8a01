/* test_changes.c - the best divisions into runs against all divisions, and the runs that their
 * starts give attain them. */
#include "ctest.h"
#include "kernels.h"

enum { N = 9, K = 4 };

/* Least W of observations from `first` on in k runs of at least `least`, by recursion. */
static double best_of_all(const double *B, size_t first, size_t k, size_t least) {
  double best = INFINITY;
  for (size_t end = first + least; end <= N; end++) {
    double sum = 0, rest;
    if (k == 1 && end < N) continue;
    for (size_t i = first; i < end; i++)
      for (size_t j = first; j < i; j++) sum -= 2 * B[i * N + j];
    rest = k == 1 ? 0 : best_of_all(B, end, k - 1, least);
    best = fmin(best, sum / (double)(end - first) + rest);
  }
  return best;
}

static double W_of(const double *B, size_t first, size_t last) {
  double sum = 0;
  for (size_t i = first; i <= last; i++)
    for (size_t j = first; j < i; j++) sum -= 2 * B[i * N + j];
  return sum / (double)(last - first + 1);
}

static void runs_are_the_best(void) {
  uint64_t rng = 1;
  for (int draw = 0; draw < 40; draw++) {
    double x[N], B[N * N];
    int start[N * K];
    size_t least = 1 + ctest_below(&rng, 3);
    kg_changes c = {.n = N, .k = N / least < K ? N / least : K, .least = least, .start = start};
    for (int i = 0; i < N; i++) x[i] = draw % 4 ? ctest_normal(&rng) : (double)ctest_below(&rng, 2);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) B[i * N + j] = -fabs(x[i] - x[j]) / 2;
    void *memory;
    LAY(memory, kg_changes_lay(&c, &room));
    kg_changes_begin(&c);
    for (size_t j = 0; j < N; j++) kg_changes_append(&c, j, B + j * N);
    for (size_t k = 1; k <= c.k; k++) {
      double W = c.best[k * (N + 1) + N], sum = 0;
      CHECK_NEAR(W, best_of_all(B, 0, k, least), 1e-13);
      size_t last = N - 1;
      for (size_t l = k; l-- > 0;) {
        size_t first = (size_t)start[l * N + last] - 1;
        CHECK(start[l * N + last] >= 1 && last + 1 - first >= least);
        sum += W_of(B, first, last);
        last = first - 1;
      }
      CHECK(last == (size_t)-1);
      CHECK_NEAR(W, sum, 1e-13);
    }
    free(memory);
  }
}

int main(void) {
  RUN(runs_are_the_best);
  return DONE();
}
