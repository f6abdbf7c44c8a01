/* test_chebyshev.c - products, filter and Rayleigh-Ritz sums of blocks of vectors against
 * dense sums in doubles. */
#include "ctest.h"
#include "kernels.h"

enum { N = 150, W = KG_WIDE };

typedef struct {
  int start[N + 1], row[N * N];
  double value[N * N], diagonal[N], full[N * N]; /* full: H */
  kg_wide h;
} graph;

static graph *draw(int weighted, uint64_t *state) {
  graph *g = NEW(graph, 1);
  for (size_t j = 0; j < N; j++) {
    for (size_t i = 0; i < j; i++) {
      if (ctest_uniform(state) < 0.05)
        g->full[i + j * N] = g->full[j + i * N] = weighted ? -0.5 - ctest_uniform(state) : -1.7;
    }
    g->full[j + j * N] = 3 * ctest_uniform(state);
  }
  int entries = 0;
  for (size_t j = 0; j < N; j++) {
    g->diagonal[j] = g->full[j + j * N];
    for (size_t i = 0; i < N; i++) {
      if (i != j && g->full[i + j * N] != 0) {
        g->row[entries] = (int)i;
        g->value[entries++] = -g->full[i + j * N];
      }
    }
    g->start[j + 1] = entries;
  }
  kg_wide h = {N, g->start, g->row, weighted ? g->value : NULL, g->diagonal, weighted ? 0 : 1.7, 1};
  g->h = h;
  return g;
}

static double H_times(const graph *g, size_t i, const float *x, size_t t) {
  double sum = 0;
  for (size_t j = 0; j < N; j++) sum += g->full[i + j * N] * (double)x[j * W + t];
  return sum;
}

static void a_step_is_a_product(void) {
  uint64_t state = 1;
  for (int weighted = 0; weighted < 2; weighted++) {
    graph *g = draw(weighted, &state);
    float *x = NEW(float, N * W), *y = NEW(float, N * W), *before = NEW(float, N * W);
    float *apart = NEW(float, N * W);
    kg_wide_begin(0, N, 0, x);
    kg_wide_begin(0, N, 1, y);
    memcpy(before, y, N * W * sizeof(float));
    memcpy(apart, y, N * W * sizeof(float));
    CHECK(x[0] != y[0] && fabsf(x[0]) <= 1);
    kg_wide_step(&g->h, 0, N, x, y, 0.3, -0.7, 0.9);
    for (size_t i = 0; i < N; i++)
      for (size_t t = 0; t < W; t++)
        CHECK_NEAR((double)y[i * W + t],
                   0.3 * H_times(g, i, x, t) - 0.7 * (double)x[i * W + t] +
                       0.9 * (double)before[i * W + t],
                   1e-5);
    /* in pieces and with two threads: the same to the last bit */
    g->h.threads = 2;
    for (size_t from = 0; from < N; from += 37)
      kg_wide_step(&g->h, from, from + 37 < N ? from + 37 : N, x, apart, 0.3, -0.7, 0.9);
    CHECK(memcmp(apart, y, N * W * sizeof(float)) == 0);
    free(x);
    free(y);
    free(before);
    free(apart);
    free(g);
  }
}

static void sums_are_those_of_the_definition(void) {
  uint64_t state = 2;
  graph *g = draw(1, &state);
  enum { P = 2 * W };
  float *block[2] = {NEW(float, N * W), NEW(float, N * W)};
  double *S = NEW(double, P * P), *G = NEW(double, P * P);
  for (size_t b = 0; b < 2; b++) kg_wide_begin(0, N, b, block[b]);
  for (size_t b = 0; b < 2; b++) {
    kg_wide_gram(&g->h, 0, 70, block, b, P, S, G);
    kg_wide_gram(&g->h, 70, N, block, b, P, S, G);
  }
  for (size_t a = 0; a < P; a++) {
    for (size_t c = a / W * W; c < P; c++) {
      double s = 0, h = 0;
      for (size_t i = 0; i < N; i++) {
        double x = (double)block[a / W][i * W + a % W];
        s += x * (double)block[c / W][i * W + c % W];
        h += x * H_times(g, i, block[c / W], c % W);
      }
      CHECK_NEAR(S[a + c * P], s, 1e-4);
      CHECK_NEAR(G[a + c * P], h, 1e-3);
    }
  }
  double theta[W], square[W] = {0};
  for (int t = 0; t < W; t++) theta[t] = t - 3;
  kg_wide_residual(&g->h, 0, N, block[1], theta, square);
  for (size_t t = 0; t < W; t++) {
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
      double d = H_times(g, i, block[1], t) - theta[t] * (double)block[1][i * W + t];
      sum += d * d;
    }
    CHECK_NEAR(square[t] / sum, 1, 1e-5);
  }
  float *C = NEW(float, P * P), *line = NEW(float, 32 * P), *old = NEW(float, 2 * N * W);
  for (size_t a = 0; a < P * P; a++) C[a] = (float)(ctest_uniform(&state) - 0.5);
  for (size_t b = 0; b < 2; b++) memcpy(old + b * N * W, block[b], N * W * sizeof(float));
  kg_wide_rotate(0, 33, block, P, C, line);
  kg_wide_rotate(33, N, block, P, C, line);
  for (size_t i = 0; i < N; i++) {
    for (size_t t = 0; t < P; t++) {
      double sum = 0;
      for (size_t a = 0; a < P; a++)
        sum += (double)old[a / W * N * W + i * W + a % W] * (double)C[a * P + t];
      CHECK_NEAR((double)block[t / W][i * W + t % W], sum, 1e-5);
    }
  }
  free(block[0]);
  free(block[1]);
  free(S);
  free(G);
  free(C);
  free(line);
  free(old);
  free(g);
}

/* The recurrence is T_m((x - middle) / half) / T_m at the smallest. */
static void the_filter_is_a_chebyshev_polynomial(void) {
  kg_filter f;
  for (double x = -3; x < 9; x += 0.37) {
    double before = 1, now, smallest = -2.5, low = 0.4, high = 8;
    kg_filter_begin(&f, smallest, low, high);
    now = f.scale * x + f.shift;
    for (int degree = 1; degree < 12; degree++) {
      double at = (x - f.middle) / f.half, to = (smallest - f.middle) / f.half;
      double T = fabs(at) <= 1 ? cos(degree * acos(at)) : cosh(degree * acosh(fabs(at)));
      if (at < -1 && degree % 2) T = -T;
      double scale = cosh(degree * acosh(fabs(to))) * (degree % 2 ? -1 : 1);
      CHECK_NEAR(now, T / scale, 1e-9);
      kg_filter_next(&f);
      double next = (f.scale * x + f.shift) * now + f.keep * before;
      before = now;
      now = next;
    }
  }
}

static void no_eigenvalue_is_above_the_bound(void) {
  uint64_t state = 5;
  graph *g = draw(1, &state);
  double u[N], next[N], bound = 0, length = 0, growth = 0;
  for (size_t i = 0; i < N; i++) u[i] = 1 + ctest_uniform(&state);
  bound = kg_wide_bound(&g->h, 0, 60, u, next, 0);
  bound = kg_wide_bound(&g->h, 60, N, u, next, bound);
  /* the power method on |H| ends below it */
  for (int step = 0; step < 200; step++) {
    length = 0;
    for (size_t i = 0; i < N; i++) {
      next[i] = 0;
      for (size_t j = 0; j < N; j++) next[i] += fabs(g->full[i + j * N]) * u[j];
      length += next[i] * next[i];
    }
    for (size_t i = 0; i < N; i++) u[i] = next[i] / sqrt(length);
    growth = sqrt(length);
  }
  CHECK(growth <= bound * (1 + 1e-12));
  CHECK(kg_wide_bound(&g->h, 0, N, u, next, 0) <= bound);
  free(g);
}

int main(void) {
  RUN(a_step_is_a_product);
  RUN(sums_are_those_of_the_definition);
  RUN(the_filter_is_a_chebyshev_polynomial);
  RUN(no_eigenvalue_is_above_the_bound);
  return DONE();
}
