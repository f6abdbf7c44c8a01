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

static void falls_are_the_largest_of_all_divisions(void) {
  uint64_t rng = 3;
  for (int draw = 0; draw < 40; draw++) {
    double B[N * N] = {0}, room[(N + 1) * (N + 2)], fall[2];
    size_t end[N + 1], least = 1 + ctest_below(&rng, 5), from = ctest_below(&rng, 3), m = N - from;
    for (size_t i = 0; i <= N; i++) end[i] = i;
    for (size_t i = 0; i < N && draw > 0; i++) /* the first has no variance */
      for (size_t j = 0; j < i; j++) B[i * N + j] = B[j * N + i] = -(double)ctest_below(&rng, 9) - 1;
    kg_run_falls(B + from * (N + 1), N, end + from, m, least, room, fall);
    const double whole = W_of(B, from, N - 1);
    const double one = fmin(whole, best_of_all(B, from, 2, least)), two = fmin(one, best_of_all(B, from, 3, least));
    CHECK_NEAR(fall[0], draw > 0 ? (whole - one) / whole * (double)m : 0, 1e-12);
    CHECK_NEAR(fall[1], draw > 0 ? (whole - two) / whole * (double)m : 0, 1e-12);
  }
}

/* Series of cells of one row each; W = sum of squares about means for B = -(x - y)^2 / 2. */
typedef struct {
  kg_dependence t;
  double *x, *between;
  size_t *end;
  void *memory;
} series;

static series series_make(double *x, size_t n, size_t d, size_t least) {
  series s = {.x = x, .between = NEW(double, n * n), .end = NEW(size_t, n + 1)};
  for (size_t i = 0; i <= n; i++) s.end[i] = i;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      s.between[i + j * n] = 0;
      for (size_t c = 0; c < d; c++)
        s.between[i + j * n] -= (x[i + c * n] - x[j + c * n]) * (x[i + c * n] - x[j + c * n]) / 2;
    }
  s.t = (kg_dependence){.n = n, .d = d, .cells = n, .changes = 3, .least = least, .width = 2, .price = 1,
                        .x = x, .between = s.between, .end = s.end};
  LAY(s.memory, kg_dependence_lay(&s.t, &room));
  return s;
}

static void series_free(series *s) {
  free(s->memory), free(s->x), free(s->between), free(s->end);
}

/* AR(1) with a level that shifts by `shift` in the middle. */
static double *autoregressive(uint64_t *rng, size_t n, double phi, double shift) {
  double *x = NEW(double, n), y = 0;
  for (size_t i = 0; i < n; i++) x[i] = (y = phi * y + ctest_normal(rng)) + (2 * i >= n ? shift : 0);
  return x;
}

static double squares(const double *x, size_t from, size_t to) {
  double mean = 0, sum = 0;
  for (size_t i = from; i < to; i++) mean += x[i] / (double)(to - from);
  for (size_t i = from; i < to; i++) sum += (x[i] - mean) * (x[i] - mean);
  return sum;
}

static void series_have_their_changes_and_coefficients(void) {
  uint64_t rng = 7;
  for (int draw = 0; draw < 12; draw++) {
    const size_t n = 300, least = 20;
    const double phi = draw % 2 ? 0.7 : -0.4;
    series s = series_make(autoregressive(&rng, n, phi, draw % 3 * 8), n, 1, least);
    CHECK(kg_dependence_begin(&s.t) == 3);
    const double plain = kg_dependence_try(&s.t, 0), value = kg_dependence_try(&s.t, 1);
    /* one change of least squares */
    size_t best = least;
    for (size_t at = least; at + least <= n; at++)
      if (squares(s.x, 0, at) + squares(s.x, at, n) < squares(s.x, 0, best) + squares(s.x, best, n)) best = at;
    CHECK(s.t.start[1] == best);
    if (draw % 3) CHECK(value < plain);
    CHECK(fabs(s.t.phi[0] - phi) < 0.25);
    kg_dependence_try(&s.t, 3);
    for (size_t r = 0; r <= 3; r++) CHECK(s.t.start[r + 1] >= s.t.start[r] + least);
    series_free(&s);
  }
}

static void coefficients_are_steady_and_constant_columns_have_none(void) {
  const size_t n = 40;
  double *x = NEW(double, 2 * n);
  for (size_t i = 0; i < n; i++) x[i] = (double)(i * i), x[i + n] = 3;
  series s = series_make(x, n, 2, 15);
  CHECK(kg_dependence_begin(&s.t) == 1); /* three runs of 15 do not fit */
  CHECK(isfinite(kg_dependence_try(&s.t, 0)));
  double y = 1, before = 1, sum = 0; /* the response to one innovation dies out */
  for (int i = 0; i < 4000; i++) {
    const double next = s.t.phi[0] * y + s.t.phi[1] * before + s.t.phi[2] * sum;
    sum = before, before = y, y = next;
  }
  CHECK(fabs(y) < 1e-3);
  CHECK(s.t.phi[3] == 0 && s.t.phi[4] == 0 && s.t.phi[5] == 0);
  series_free(&s);
}

int main(void) {
  RUN(runs_are_the_best);
  RUN(falls_are_the_largest_of_all_divisions);
  RUN(series_have_their_changes_and_coefficients);
  RUN(coefficients_are_steady_and_constant_columns_have_none);
  return DONE();
}
