/* test_belief.c - a sweep of belief propagation against the update written out, with a
 * message for every ordered pair of vertices. */
#include "reference.h"

enum { N = 12, K = 3, MOST = N * N };

typedef struct {
  double edge[N][N]; /* weight, 0 for none */
  int start[N + 1], row[MOST];
  double weight[MOST];
  size_t next[N], reverse[MOST];
  double message[MOST * K], marginal[N * K], group[K], field[K], log_belief[K], product[K];
  kg_belief g;
} graph;

static void graph_make(graph *a, uint64_t *rng, double density, int weighted, int prior) {
  memset(a, 0, sizeof *a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      if (ctest_uniform(rng) < density)
        a->edge[i][j] = a->edge[j][i] = weighted ? 0.2 + 2 * ctest_uniform(rng) : 1;
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
  }
  kg_belief g = {N, K, a->start, a->row, weighted ? a->weight : NULL, a->reverse, a->message,
                 a->marginal, a->group, a->field, a->log_belief, a->product, 6, 1.5, 0, 0, 0,
                 prior};
  a->g = g;
}

static void reverses_point_back(void) {
  uint64_t rng = 111;
  graph a;
  for (int t = 0; t < 10; t++) {
    graph_make(&a, &rng, 0.1 * t, 0, 0);
    CHECK(kg_belief_reverse(N, a.start, a.row, a.next, a.reverse) == 1);
    for (int i = 0; i < N; i++)
      for (int e = a.start[i]; e < a.start[i + 1]; e++) {
        int j = a.row[e], f = (int)a.reverse[e];
        CHECK(f >= a.start[j] && f < a.start[j + 1] && a.row[f] == i);
      }
  }
}

static void one_sided_patterns_are_refused(void) {
  int start[] = {0, 1, 1}, row[] = {1};
  size_t next[2], reverse[1];
  CHECK(kg_belief_reverse(2, start, row, next, reverse) == 0);
}

/* The update as it stands in the literature: L_i(q) = field_q + sum_j log(b^v + (a^v -
 * b^v) M_ji(q)), messages without the receiver's term. */
static void sweeps_are_as_defined(void) {
  uint64_t rng = 112;
  graph a;
  for (int t = 0; t < 24; t++) {
    static long double M[N][N][K], next_M[N][N][K];
    long double P[N][K], group[K] = {0}, field[K];
    graph_make(&a, &rng, t % 3 == 0 ? 0.1 : 0.4, t % 2, t % 4 >= 2);
    CHECK(kg_belief_reverse(N, a.start, a.row, a.next, a.reverse) == 1);
    kg_belief_begin(&a.g, 0, 5);
    kg_belief_begin(&a.g, 5, N);
    for (int i = 0; i < N; i++)
      for (int q = 0; q < K; q++) {
        P[i][q] = (long double)a.marginal[i * K + q];
        group[q] += P[i][q];
        for (int j = 0; j < N; j++) M[i][j][q] = P[i][q];
      }
    for (int sweep = 0; sweep < 3; sweep++) {
      long double in = (long double)a.g.inside, out = (long double)a.g.outside;
      long double edges = 0, edges_in = 0, change = 0;
      for (int q = 0; q < K; q++) {
        field[q] = -(in - out) / N * group[q];
        if (a.g.size_prior) field[q] += logl(group[q] / N);
      }
      memset(group, 0, sizeof group);
      for (int i = 0; i < N; i++) {
        long double sum = 0, was[K];
        memcpy(was, P[i], sizeof was);
        for (int q = 0; q < K; q++) {
          long double L = field[q];
          for (int j = 0; j < N; j++) {
            long double v = (long double)a.edge[i][j];
            if (v > 0) L += logl(powl(out, v) + (powl(in, v) - powl(out, v)) * M[j][i][q]);
          }
          sum += P[i][q] = expl(L);
        }
        for (int q = 0; q < K; q++) {
          P[i][q] /= sum;
          group[q] += P[i][q];
          change += fabsl(P[i][q] - was[q]);
        }
        for (int j = 0; j < N; j++) {
          long double v = (long double)a.edge[i][j], all = 0;
          if (v == 0) continue;
          for (int q = 0; q < K; q++)
            all += next_M[i][j][q] =
                P[i][q] / (powl(out, v) + (powl(in, v) - powl(out, v)) * M[j][i][q]);
          for (int q = 0; q < K; q++) next_M[i][j][q] /= all;
        }
      }
      memcpy(M, next_M, sizeof M);
      for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
          long double v = (long double)a.edge[i][j], z = 0;
          if (v == 0) continue;
          for (int q = 0; q < K; q++) z += M[i][j][q] * M[j][i][q];
          edges += v;
          edges_in += v * powl(in, v) * z / (powl(out, v) + (powl(in, v) - powl(out, v)) * z);
        }

      kg_belief_field(&a.g);
      kg_belief_marginals(&a.g, 0, 7);
      kg_belief_marginals(&a.g, 7, N);
      kg_belief_messages(&a.g, 0, 3);
      kg_belief_messages(&a.g, 3, N);
      for (int i = 0; i < N; i++)
        for (int q = 0; q < K; q++) {
          CHECK_NEAR(a.marginal[i * K + q], (double)P[i][q], 1e-11);
          for (int e = a.start[i]; e < a.start[i + 1]; e++)
            CHECK_NEAR(a.message[e * K + q], (double)M[a.row[e]][i][q], 1e-11);
        }
      for (int q = 0; q < K; q++) CHECK_NEAR(a.group[q], (double)group[q], 1e-11);
      CHECK_NEAR(a.g.edges, (double)edges, 1e-12);
      CHECK_NEAR(a.g.edges_in, (double)edges_in, 1e-11);
      CHECK_NEAR(a.g.change, (double)change, 1e-11);

      kg_belief_parameters(&a.g);
      long double squares = 0, total = 0;
      for (int q = 0; q < K; q++) squares += group[q] * group[q], total += group[q];
      CHECK_NEAR(a.g.inside, (double)fmaxl(0.01L, 2 * N * edges_in / squares), 1e-11);
      CHECK_NEAR(a.g.outside,
                 (double)fmaxl(0.01L, 2 * N * (edges - edges_in) / (total * total - squares)),
                 1e-11);
    }
  }
}

/* A vertex of high degree, heavy edges and a ratio of 1e6: a product of terms, and one
 * term alone, would overflow. */
static void strong_evidence_stays_finite(void) {
  enum { LEAVES = 400 };
  size_t n = LEAVES + 1, k = 2;
  int *start = NEW(int, n + 1), *row = NEW(int, 2 * LEAVES);
  size_t *next = NEW(size_t, n), *reverse = NEW(size_t, 2 * LEAVES);
  double *message = NEW(double, 4 * LEAVES), *marginal = NEW(double, 2 * n);
  double *small = NEW(double, 8), *weight = NEW(double, 2 * LEAVES);
  for (int i = 0; i < LEAVES; i++) row[i] = i + 1, row[LEAVES + i] = 0;
  for (int i = 0; i < LEAVES; i++) weight[i] = weight[LEAVES + i] = i % 2 ? 1 : 80;
  start[1] = LEAVES;
  for (size_t i = 1; i <= LEAVES; i++) start[i + 1] = start[i] + 1;
  for (size_t i = 0; i < n; i++)
    marginal[2 * i] = i % 3 ? 0.999 : 0.001, marginal[2 * i + 1] = 1 - marginal[2 * i];
  kg_belief g = {n, k, start, row, weight, reverse, message, marginal, small, small + 2,
                 small + 4, small + 6, 1e4, 0.01, 0, 0, 0, 0};
  CHECK(kg_belief_reverse(n, start, row, next, reverse) == 1);
  kg_belief_begin(&g, 0, n);
  for (int sweep = 0; sweep < 20; sweep++) {
    kg_belief_field(&g);
    kg_belief_marginals(&g, 0, n);
    kg_belief_messages(&g, 0, n);
    kg_belief_parameters(&g);
  }
  for (size_t i = 0; i < n; i++) {
    CHECK(marginal[2 * i] >= 0 && marginal[2 * i] <= 1);
    CHECK_NEAR(marginal[2 * i] + marginal[2 * i + 1], 1.0, 1e-12);
  }
  for (int e = 0; e < 4 * LEAVES; e++) CHECK(message[e] >= 0 && message[e] <= 1);
  CHECK(isfinite(g.inside) && isfinite(g.outside));
  free(start), free(row), free(next), free(reverse), free(message), free(marginal);
  free(small), free(weight);
}

int main(void) {
  RUN(reverses_point_back);
  RUN(one_sided_patterns_are_refused);
  RUN(sweeps_are_as_defined);
  RUN(strong_evidence_stays_finite);
  return DONE();
}
