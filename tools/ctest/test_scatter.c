/* test_scatter.c - the scatter of pairs against its definition, whatever the pieces; the objective of means in a learned
 * metric does not rise. */
#include "reference.h"

enum { N = 37, D = 6, K = 2 };

static void check_pairs(uint64_t *rng, kg_semimetric rho) {
  double x[N * D], w[N], S[D * D] = {0};
  for (size_t i = 0; i < N * D; i++)
    x[i] = ctest_uniform(rng);
  for (size_t i = 0; i < N; i++)
    w[i] = ctest_uniform(rng);
  kg_cluster_rows rows = {.m = N, .rho = rho, .least = 1e-6};
  void *memory;
  LAY(memory, kg_cluster_rows_lay(&rows, N, D, &room));
  memcpy(rows.x, x, sizeof x);
  memcpy(rows.w, w, sizeof w);
  kg_pair_scatter_begin(&rows);
  kg_pair_scatter(&rows, 0, 5);
  kg_pair_scatter(&rows, 5, N);
  kg_pair_scatter_end(&rows, S);
  free(memory);
  for (size_t a = 0; a < D; a++)
    for (size_t b = 0; b < D; b++) {
      double sum = 0;
      for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
          double q = 0;
          for (size_t c = 0; c < D; c++)
            q += (x[i + c * N] - x[j + c * N]) * (x[i + c * N] - x[j + c * N]);
          if (i != j)
            sum += w[i] * w[j] * kg_slope(rho, q > 1e-6 ? q : 1e-6) * (x[i + a * N] - x[j + a * N]) *
                   (x[i + b * N] - x[j + b * N]);
        }
      CHECK_NEAR(S[a + b * D] + S[b + a * D], sum, 1e-10 * (1 + fabs(sum)));
    }
}

static void check_learner(uint64_t *rng) {
  double x[N * D], w[N];
  const double uniforms[K] = {ctest_uniform(rng), ctest_uniform(rng)};
  for (size_t i = 0; i < N; i++) {
    w[i] = i > 0;
    for (size_t c = 0; c < D; c++)
      x[i + c * N] = ctest_uniform(rng) + (c == 0) * 3 * (double)(i % 2);
  }
  kg_learner l;
  kg_room room = {NULL, 0};
  kg_learner_lay(&l, N, D, K, &room);
  void *memory = malloc(room.bytes);
  room = kg_room_at(memory);
  kg_learner_lay(&l, N, D, K, &room);
  l.x = x;
  l.w = w;
  l.power = 2;
  l.lambda = 0;
  for (size_t c = 0; c < D * D; c++)
    l.M[c] = c % (D + 1) == 0;
  CHECK(kg_learner_start(&l, uniforms));
  double old = kg_learner_pass(&l, 0);
  for (int pass = 0; pass < 5 && old < HUGE_VAL; pass++) {
    const double now = kg_learner_pass(&l, 1);
    CHECK(now <= old * (1 + 1e-9) || now == HUGE_VAL);
    old = now;
  }
  free(memory);
}

static void scatters_are_their_definitions(void) {
  uint64_t rng = 49;
  const kg_semimetric each[] = {{KG_POWER, 1}, {KG_POWER, 2}, {KG_POWER, 0.7}, {KG_EXPONENTIAL, 0.5}, {KG_GAUSSIAN, 0.8}};
  for (size_t a = 0; a < 5; a++)
    check_pairs(&rng, each[a]);
}

static void means_in_a_learned_metric_do_not_rise(void) {
  uint64_t rng = 50;
  for (int run = 0; run < 20; run++)
    check_learner(&rng);
}

int main(void) {
  RUN(scatters_are_their_definitions);
  RUN(means_in_a_learned_metric_do_not_rise);
  return DONE();
}
