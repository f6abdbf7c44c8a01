/* test_graph.c - belief propagation and filtered blocks. */
#include "reference.h"

/* A sweep of belief propagation against the update written out, with a
 * message for every ordered pair of vertices and every W_qs. */

enum { N = 12, K = 3, MOST = N * N, BINS = 4 };

/* Which parts a model has. */
enum { THETA = 1, SIZES = 2, NORM = 4, LAW = 8, WEIGHTED = 16 };

static const int forms[] = {
    0, SIZES, THETA, THETA | SIZES, THETA | SIZES | NORM, THETA | SIZES | NORM | LAW,
    WEIGHTED, THETA | SIZES | WEIGHTED};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct {
  double edge[N][N]; /* weight, 0 for none */
  int start[N + 1], row[MOST], bin[N];
  double weight[MOST], theta[N], share[BINS];
  double marginal[N * K];
  void *memory;
  kg_belief g;
} graph;

static void graph_make(graph *a, uint64_t *rng, double density, int form) {
  memset(a, 0, sizeof *a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      if (ctest_uniform(rng) < density)
        a->edge[i][j] = a->edge[j][i] = form & WEIGHTED ? 0.2 + 2 * ctest_uniform(rng) : 1;
  int at = 0;
  for (int i = 0; i < N; i++) {
    a->start[i] = at;
    for (int j = 0; j < N; j++) {
      if (a->edge[i][j] == 0) continue;
      a->row[at] = j;
      a->weight[at++] = a->edge[i][j];
    }
  }
  a->start[N] = at;
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int q = 0; q < K; q++) sum += a->marginal[i * K + q] = 0.1 + ctest_uniform(rng);
    for (int q = 0; q < K; q++) a->marginal[i * K + q] /= sum;
    a->theta[i] = 0.3 + ctest_uniform(rng);
    a->bin[i] = i % BINS;
    a->share[a->bin[i]] += 1. / N;
  }
  a->g = (kg_belief){.n = N,
                     .k = K,
                     .marginal = a->marginal,
                     .graph = {.start = a->start,
                               .row = a->row,
                               .weight = form & WEIGHTED ? a->weight : NULL,
                               .theta = form & THETA ? a->theta : NULL},
                     .model = {.bin = form & LAW ? a->bin : NULL,
                               .bins = form & LAW ? BINS : 0,
                               .share = a->share,
                               .learn_sizes = (form & SIZES) != 0,
                               .normed = (form & NORM) != 0,
                               .inside = 6,
                               .outside = 1.5}};
  LAY(a->memory, kg_belief_lay(&a->g, &room));
  if (a->g.room > 3 * K)
    a->g.room = 3 * K; /* vertices of more than three edges do without */
  CHECK(kg_belief_reverse(&a->g) == 1);
}

static void reverses_point_back(void) {
  uint64_t rng = 111;
  graph a;
  for (int t = 0; t < 10; t++) {
    graph_make(&a, &rng, 0.1 * t, 0);
    for (int i = 0; i < N; i++)
      for (int e = a.start[i]; e < a.start[i + 1]; e++) {
        int j = a.row[e], f = (int)a.g.reverse[e];
        CHECK(f >= a.start[j] && f < a.start[j + 1] && a.row[f] == i);
      }
    free(a.memory);
  }
}

static void one_sided_patterns_are_refused(void) {
  int start[] = {0, 1, 1}, row[] = {1};
  size_t next[2], reverse[1];
  kg_belief g = {.n = 2, .graph = {.start = start, .row = row}, .next = next, .reverse = reverse};
  CHECK(kg_belief_reverse(&g) == 0);
}

/* The model written out: everything in long double, no factor taken out of any term. */
typedef struct {
  long double M[N][N][K], P[N][K], size[K], mass[K], g[K], rho[K], X[BINS][K], rate[K][K];
} slow;

static long double slow_theta(const graph *a, int i) {
  return a->g.graph.theta ? (long double)a->theta[i] : 1;
}

/* How many edges there are between i and j in the mean. */
static long double slow_y(const graph *a, const slow *s, int i, int j, int q, int r) {
  return slow_theta(a, i) * slow_theta(a, j) * s->rho[q] * s->rho[r] * s->rate[q][r] / N;
}

/* The chance of the edge that is seen. */
static long double slow_psi(const graph *a, const slow *s, int i, int j, int q, int r) {
  const long double y = slow_y(a, s, i, j, q, r);
  return a->g.graph.weight ? powl(y, (long double)a->edge[i][j]) * expl(-y) : -expm1l(-y);
}

static void slow_totals(const graph *a, slow *s) {
  long double C[BINS][K] = {{0}};
  for (int q = 0; q < K; q++) {
    s->size[q] = s->mass[q] = 0;
    for (int i = 0; i < N; i++) {
      s->size[q] += s->P[i][q];
      s->mass[q] += slow_theta(a, i) * s->P[i][q];
      C[a->bin[i]][q] += s->P[i][q];
    }
  }
  for (int q = 0; q < K; q++) {
    s->g[q] = a->g.model.learn_sizes ? s->size[q] / N : 1.L / K;
    s->rho[q] = a->g.model.normed ? s->size[q] / s->mass[q] : 1;
    for (int b = 0; b < BINS; b++) {
      const long double p = (long double)a->share[b];
      s->X[b][q] = a->g.model.bin ? logl((C[b][q] + 20 * p) / (s->size[q] + 20) / p) : 0;
    }
  }
}

static void slow_rates(const graph *a, slow *s) {
  for (int q = 0; q < K; q++)
    for (int r = 0; r < K; r++)
      s->rate[q][r] = (long double)(q == r ? a->g.model.inside : a->g.model.outside);
}

static void slow_begin(const graph *a, slow *s) {
  for (int i = 0; i < N; i++)
    for (int q = 0; q < K; q++) {
      s->P[i][q] = (long double)a->marginal[i * K + q];
      for (int j = 0; j < N; j++) s->M[i][j][q] = s->P[i][q];
    }
  slow_rates(a, s);
  slow_totals(a, s);
}

static long double slow_term(const graph *a, const slow *s, int j, int i, int q) {
  long double sum = 0;
  for (int r = 0; r < K; r++)
    sum += slow_psi(a, s, i, j, q, r) * s->M[j][i][r];
  return sum;
}

/* Messages of vertices that are not neighbours. */
static long double slow_h(const graph *a, const slow *s, int i, int q) {
  long double h = 0;
  for (int u = 0; u < N; u++)
    for (int r = 0; u != i && !(a->edge[i][u] > 0) && r < K; r++)
      h += slow_y(a, s, i, u, q, r) * s->P[u][r];
  return h;
}

static void slow_L(const graph *a, const slow *s, int i, long double *L) {
  for (int q = 0; q < K; q++) {
    L[q] = logl(s->g[q]) + s->X[a->bin[i]][q] - slow_h(a, s, i, q);
    for (int j = 0; j < N; j++)
      if (a->edge[i][j] > 0) L[q] += logl(slow_term(a, s, j, i, q));
  }
}

static long double slow_sweep(const graph *a, slow *s, int forward) {
  long double change = 0;
  for (int at = 0; at < N; at++) {
    const int i = forward ? at : N - 1 - at;
    long double L[K], sum = 0;
    slow_L(a, s, i, L);
    for (int q = 0; q < K; q++) sum += expl(L[q]);
    for (int q = 0; q < K; q++) {
      const long double p = expl(L[q]) / sum;
      change += fabsl(p - s->P[i][q]);
      s->mass[q] += slow_theta(a, i) * (p - s->P[i][q]);
      s->P[i][q] = p;
    }
    for (int j = 0; j < N; j++) {
      if (!(a->edge[i][j] > 0)) continue;
      sum = 0;
      for (int q = 0; q < K; q++)
        sum += s->M[i][j][q] = expl(L[q]) / slow_term(a, s, j, i, q);
      for (int q = 0; q < K; q++) s->M[i][j][q] /= sum;
    }
  }
  return change;
}

/* New rates from the messages and pairs, at the old parameters. */
static void slow_learn(const graph *a, slow *s) {
  long double E[K][K] = {{0}}, own[K][K] = {{0}};
  long double in = 0, all = 0, pairs_in = 0, pairs_all = 0;
  for (int i = 0; i < N; i++) {
    const long double theta = slow_theta(a, i);
    for (int q = 0; q < K; q++)
      for (int r = 0; r < K; r++)
        own[q][r] += theta * theta * s->rho[q] * s->P[i][q] * s->rho[r] * s->P[i][r];
    for (int j = 0; j < N; j++) {
      long double pair[K][K], sum = 0;
      if (!(a->edge[i][j] > 0)) continue;
      for (int q = 0; q < K; q++)
        for (int r = 0; r < K; r++)
          sum += pair[q][r] = slow_psi(a, s, i, j, q, r) * s->M[i][j][q] * s->M[j][i][r];
      for (int q = 0; q < K; q++)
        for (int r = 0; r < K; r++) {
          const long double behind = a->g.graph.weight
                                         ? (long double)a->edge[i][j]
                                         : slow_y(a, s, i, j, q, r) / slow_psi(a, s, i, j, q, r);
          E[q][r] += behind * pair[q][r] / sum;
        }
    }
  }
  slow_totals(a, s);
  const long double *mass = a->g.model.normed ? s->size : s->mass;
  for (int q = 0; q < K; q++)
    for (int r = 0; r < K; r++) {
      const long double pairs = mass[q] * mass[r] - own[q][r];
      in += q == r ? E[q][r] : 0;
      pairs_in += q == r ? pairs : 0;
      all += E[q][r];
      pairs_all += pairs;
    }
  for (int q = 0; q < K; q++)
    for (int r = 0; r < K; r++) {
      long double rate = q == r ? in / pairs_in : (all - in) / (pairs_all - pairs_in);
      s->rate[q][r] = fmaxl(0.01L, N * rate);
    }
}

/* Without what the theta add. */
static long double slow_energy(const graph *a, const slow *s) {
  long double F = 0;
  for (int i = 0; i < N; i++) {
    long double L[K], Z = 0;
    slow_L(a, s, i, L);
    for (int q = 0; q < K; q++) {
      Z += expl(L[q]);
      F -= s->P[i][q] * slow_h(a, s, i, q) / 2;
    }
    F -= logl(Z);
    for (int j = i + 1; j < N; j++) {
      long double pair = 0, v = (long double)a->edge[i][j];
      if (!(v > 0)) continue;
      for (int q = 0; q < K; q++)
        for (int r = 0; r < K; r++)
          pair += slow_psi(a, s, i, j, q, r) * s->M[i][j][q] * s->M[j][i][r];
      F += logl(pair) + v * logl(slow_theta(a, i) * slow_theta(a, j));
    }
  }
  return F;
}

static void sweeps_are_as_defined(void) {
  uint64_t rng = 112;
  static graph a;
  static slow s;
  for (int t = 0; t < 6 * FORMS; t++) {
    graph_make(&a, &rng, t % 3 == 0 ? 0.1 : 0.4, forms[t % FORMS]);
    slow_begin(&a, &s);
    kg_belief_begin(&a.g, 0, 5);
    kg_belief_begin(&a.g, 5, N);
    kg_belief_clear(&a.g);
    kg_belief_totals(&a.g, 0, 7);
    kg_belief_totals(&a.g, 7, N);
    kg_belief_shape(&a.g);
    for (int sweep = 0; sweep < 3; sweep++) {
      const int forward = sweep % 2 == 0;
      const long double change = slow_sweep(&a, &s, forward);
      /* in two pieces, in the direction of the walk */
      kg_belief_sweep(&a.g, forward ? 0 : 8, forward ? 8 : N, forward);
      kg_belief_sweep(&a.g, forward ? 8 : 0, forward ? N : 8, forward);
      CHECK_NEAR(a.g.sums.change, (double)change, 1e-10);
      for (int i = 0; i < N; i++)
        for (int q = 0; q < K; q++) {
          CHECK_NEAR(a.marginal[i * K + q], (double)s.P[i][q], 1e-10);
          for (int e = a.start[i]; e < a.start[i + 1]; e++)
            CHECK_NEAR(a.g.message[e * K + q], (double)s.M[a.row[e]][i][q], 1e-10);
        }
      slow_learn(&a, &s);
      kg_belief_clear(&a.g);
      kg_belief_totals(&a.g, 0, N);
      kg_belief_edges(&a.g, 0, 3);
      kg_belief_edges(&a.g, 3, N);
      kg_belief_rates(&a.g);
      kg_belief_shape(&a.g);
      for (int q = 0; q < K; q++) {
        CHECK_NEAR(a.g.sums.size[q], (double)s.size[q], 1e-10);
        CHECK_NEAR(a.g.sums.mass[q], (double)s.mass[q], 1e-10);
        CHECK_NEAR(a.g.model.rho[q], (double)s.rho[q], 1e-10);
        for (int r = 0; r < K; r++) {
          const double rate = q == r ? a.g.model.inside : a.g.model.outside;
          CHECK_NEAR(rate, (double)s.rate[q][r], 1e-9);
        }
      }
    }
    kg_belief_energy(&a.g, 0, 4);
    kg_belief_energy(&a.g, 4, N);
    CHECK_NEAR(a.g.sums.energy, (double)slow_energy(&a, &s), 1e-8);
    free(a.memory);
  }
}

/* A vertex of high degree, heavy edges and a ratio of 1e6: a product of terms, and one
 * term alone, would overflow. */
static void strong_messages_stay_finite(void) {
  enum { LEAVES = 400 };
  size_t n = LEAVES + 1, k = 2;
  int *start = NEW(int, n + 1), *row = NEW(int, 2 * LEAVES);
  double *marginal = NEW(double, 2 * n), *weight = NEW(double, 2 * LEAVES), *theta = NEW(double, n);
  for (int i = 0; i < LEAVES; i++) row[i] = i + 1, row[LEAVES + i] = 0;
  for (int i = 0; i < LEAVES; i++) weight[i] = weight[LEAVES + i] = i % 2 ? 1 : 80;
  start[0] = 0, start[1] = LEAVES;
  for (size_t i = 1; i <= LEAVES; i++) start[i + 1] = start[i] + 1;
  for (int form = 0; form < 3; form++) {
    for (size_t i = 0; i < n; i++) {
      marginal[2 * i] = i % 3 ? 0.999 : 0.001, marginal[2 * i + 1] = 1 - marginal[2 * i];
      theta[i] = i ? 0.5 : LEAVES / 2.;
    }
    kg_belief g = {.n = n,
                   .k = k,
                   .marginal = marginal,
                   .graph = {.start = start,
                             .row = row,
                             .weight = form == 0 ? weight : NULL,
                             .theta = form ? theta : NULL},
                   .model = {.learn_sizes = form > 0,
                             .normed = form == 2,
                             .inside = 1e4,
                             .outside = 0.01}};
    void *memory;
    LAY(memory, kg_belief_lay(&g, &room));
    g.room = 0;
    CHECK(kg_belief_reverse(&g) == 1);
    kg_belief_begin(&g, 0, n);
    kg_belief_clear(&g);
    kg_belief_totals(&g, 0, n);
    kg_belief_shape(&g);
    for (int sweep = 0; sweep < 20; sweep++) {
      kg_belief_sweep(&g, 0, n, sweep % 2 == 0);
      kg_belief_clear(&g);
      kg_belief_totals(&g, 0, n);
      kg_belief_edges(&g, 0, n);
      kg_belief_rates(&g);
      kg_belief_shape(&g);
    }
    for (size_t i = 0; i < n; i++) {
      CHECK(marginal[2 * i] >= 0 && marginal[2 * i] <= 1);
      CHECK_NEAR(marginal[2 * i] + marginal[2 * i + 1], 1.0, 1e-12);
    }
    for (int e = 0; e < 4 * LEAVES; e++) CHECK(g.message[e] >= 0 && g.message[e] <= 1);
    CHECK(isfinite(g.model.inside) && isfinite(g.model.outside));
    kg_belief_energy(&g, 0, n);
    CHECK(isfinite(g.sums.energy));
    free(memory);
  }
  free(start), free(row), free(marginal), free(weight), free(theta);
}

/* Products, filter and Rayleigh-Ritz sums of blocks of vectors against
 * dense sums in doubles. */

enum { ROWS = 150, W = KG_WIDE };

typedef struct {
  int start[ROWS + 1], row[ROWS * ROWS];
  double value[ROWS * ROWS], diagonal[ROWS], full[ROWS * ROWS]; /* full: H */
  kg_wide h;
} sparse_graph;

static sparse_graph *draw_graph(int weighted, uint64_t *state) {
  sparse_graph *g = NEW(sparse_graph, 1);
  for (size_t j = 0; j < ROWS; j++) {
    for (size_t i = 0; i < j; i++) {
      if (ctest_uniform(state) < 0.05)
        g->full[i + j * ROWS] = g->full[j + i * ROWS] = weighted ? -0.5 - ctest_uniform(state) : -1.7;
    }
    g->full[j + j * ROWS] = 3 * ctest_uniform(state);
  }
  int entries = 0;
  for (size_t j = 0; j < ROWS; j++) {
    g->diagonal[j] = g->full[j + j * ROWS];
    for (size_t i = 0; i < ROWS; i++) {
      if (i != j && g->full[i + j * ROWS] != 0) {
        g->row[entries] = (int)i;
        g->value[entries++] = -g->full[i + j * ROWS];
      }
    }
    g->start[j + 1] = entries;
  }
  kg_wide h = {ROWS, g->start, g->row, weighted ? g->value : NULL, g->diagonal, weighted ? 0 : 1.7, 1};
  g->h = h;
  return g;
}

static double H_times(const sparse_graph *g, size_t i, const float *x, size_t t) {
  double sum = 0;
  for (size_t j = 0; j < ROWS; j++) sum += g->full[i + j * ROWS] * (double)x[j * W + t];
  return sum;
}

static void a_step_is_a_product(void) {
  uint64_t state = 1;
  for (int weighted = 0; weighted < 2; weighted++) {
    sparse_graph *g = draw_graph(weighted, &state);
    float *x = NEW(float, ROWS * W), *y = NEW(float, ROWS * W), *before = NEW(float, ROWS * W);
    float *apart = NEW(float, ROWS * W);
    kg_wide_begin(0, ROWS, 0, x);
    kg_wide_begin(0, ROWS, 1, y);
    memcpy(before, y, ROWS * W * sizeof(float));
    memcpy(apart, y, ROWS * W * sizeof(float));
    CHECK(x[0] != y[0] && fabsf(x[0]) <= 1);
    kg_wide_step(&g->h, 0, ROWS, x, y, 0.3, -0.7, 0.9);
    for (size_t i = 0; i < ROWS; i++)
      for (size_t t = 0; t < W; t++)
        CHECK_NEAR((double)y[i * W + t],
                   0.3 * H_times(g, i, x, t) - 0.7 * (double)x[i * W + t] +
                       0.9 * (double)before[i * W + t],
                   1e-5);
    /* in pieces and with two threads: the same to the last bit */
    g->h.threads = 2;
    for (size_t from = 0; from < ROWS; from += 37)
      kg_wide_step(&g->h, from, from + 37 < ROWS ? from + 37 : ROWS, x, apart, 0.3, -0.7, 0.9);
    CHECK(memcmp(apart, y, ROWS * W * sizeof(float)) == 0);
    free(x);
    free(y);
    free(before);
    free(apart);
    free(g);
  }
}

static void sums_are_those_of_the_definition(void) {
  uint64_t state = 2;
  sparse_graph *g = draw_graph(1, &state);
  enum { P = 2 * W };
  float *block[2] = {NEW(float, ROWS * W), NEW(float, ROWS * W)};
  double *S = NEW(double, P * P), *G = NEW(double, P * P);
  for (size_t b = 0; b < 2; b++) kg_wide_begin(0, ROWS, b, block[b]);
  for (size_t b = 0; b < 2; b++) {
    kg_wide_gram(&g->h, 0, 70, block, b, P, S, G);
    kg_wide_gram(&g->h, 70, ROWS, block, b, P, S, G);
  }
  for (size_t a = 0; a < P; a++) {
    for (size_t c = a / W * W; c < P; c++) {
      double s = 0, h = 0;
      for (size_t i = 0; i < ROWS; i++) {
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
  kg_wide_residual(&g->h, 0, ROWS, block[1], theta, square);
  for (size_t t = 0; t < W; t++) {
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) {
      double d = H_times(g, i, block[1], t) - theta[t] * (double)block[1][i * W + t];
      sum += d * d;
    }
    CHECK_NEAR(square[t] / sum, 1, 1e-5);
  }
  float *C = NEW(float, P * P), *line = NEW(float, 32 * P), *old = NEW(float, 2 * ROWS * W);
  for (size_t a = 0; a < P * P; a++) C[a] = (float)(ctest_uniform(&state) - 0.5);
  for (size_t b = 0; b < 2; b++) memcpy(old + b * ROWS * W, block[b], ROWS * W * sizeof(float));
  kg_wide_rotate(0, 33, block, P, C, line);
  kg_wide_rotate(33, ROWS, block, P, C, line);
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t t = 0; t < P; t++) {
      double sum = 0;
      for (size_t a = 0; a < P; a++)
        sum += (double)old[a / W * ROWS * W + i * W + a % W] * (double)C[a * P + t];
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

static void no_eigenvalue_is_above_the_bound(void) {
  uint64_t state = 5;
  sparse_graph *g = draw_graph(1, &state);
  double u[ROWS], next[ROWS], bound = 0, length = 0, growth = 0;
  for (size_t i = 0; i < ROWS; i++) u[i] = 1 + ctest_uniform(&state);
  bound = kg_wide_bound(&g->h, 0, 60, u, next, 0);
  bound = kg_wide_bound(&g->h, 60, ROWS, u, next, bound);
  /* the power method on |H| ends below it */
  for (int step = 0; step < 200; step++) {
    length = 0;
    for (size_t i = 0; i < ROWS; i++) {
      next[i] = 0;
      for (size_t j = 0; j < ROWS; j++) next[i] += fabs(g->full[i + j * ROWS]) * u[j];
      length += next[i] * next[i];
    }
    for (size_t i = 0; i < ROWS; i++) u[i] = next[i] / sqrt(length);
    growth = sqrt(length);
  }
  CHECK(growth <= bound * (1 + 1e-12));
  CHECK(kg_wide_bound(&g->h, 0, ROWS, u, next, 0) <= bound);
  free(g);
}

int main(void) {
  RUN(reverses_point_back);
  RUN(one_sided_patterns_are_refused);
  RUN(sweeps_are_as_defined);
  RUN(strong_messages_stay_finite);
  RUN(a_step_is_a_product);
  RUN(sums_are_those_of_the_definition);
  RUN(no_eigenvalue_is_above_the_bound);
  return DONE();
}
