/* test_mixture.c - one step of the EM algorithm of t mixtures against its definition; the log likelihood does not fall. */
#include "kg_mixture.h"
#include "reference.h"

enum { N = 41, D = 3, K = 2 };

static double *new_mixture(kg_mixture *m, uint64_t *rng, double *y, double *w) {
  void *memory;
  LAY(memory, kg_mixture_lay(m, N, D, K, &room));
  m->weight = 0;
  for (size_t i = 0; i < N; i++) {
    w[i] = i % 7 > 0;
    m->weight += w[i];
    for (size_t c = 0; c < D; c++)
      y[i + c * N] = ctest_uniform(rng) + (c == 0) * 2 * (double)(i % 2);
    for (size_t l = 0; l < K; l++) {
      m->P[i + l * N] = i % 2 == l ? 0.9 : 0.1;
      m->q[i + l * N] = D;
    }
  }
  m->y = y;
  m->w = w;
  m->nu = 6;
  m->lambda = 0;
  m->shrink = 0;
  m->equal = 0;
  return memory;
}

static int learn(kg_mixture *m, double least, int first) {
  if (!kg_mixture_sizes(m, least)) return 0;
  for (size_t l = 0; l < m->k; l++) kg_mixture_scatter(m, l, 0, kg_mixture_mean(m, l));
  return kg_mixture_shape(m, first);
}

static double assign(kg_mixture *m) {
  double value = 0;
  for (size_t l = 0; l < m->k; l++) {
    const double log_det = kg_mixture_root(m, l);
    kg_mixture_distances(m, l, 0, m->n);
    kg_mixture_density(m, l, log_det);
  }
  kg_mixture_probabilities(m, 0, m->n, &value);
  return value;
}

static void means_and_scatters_are_weighted_moments(void) {
  uint64_t rng = 61;
  double y[N * D], w[N], P[N * K];
  kg_mixture m;
  m.form = KG_MIXTURE_OWN;
  void *memory = new_mixture(&m, &rng, y, w);
  memcpy(P, m.P, sizeof P);
  CHECK(learn(&m, 1, 1));
  for (size_t l = 0; l < K; l++) {
    double s = 0, mean[D] = {0};
    for (size_t i = 0; i < N; i++) {
      s += w[i] * P[i + l * N];
      for (size_t c = 0; c < D; c++)
        mean[c] += w[i] * P[i + l * N] * y[i + c * N];
    }
    CHECK_NEAR(m.size[l], s, 1e-12 * s);
    for (size_t a = 0; a < D; a++) {
      CHECK_NEAR(m.mean[a + l * D], mean[a] / s, 1e-12);
      for (size_t b = 0; b < D; b++) {
        double sum = 0;
        for (size_t i = 0; i < N; i++)
          sum += w[i] * P[i + l * N] * (y[i + a * N] - mean[a] / s) * (y[i + b * N] - mean[b] / s);
        CHECK_NEAR(m.scatter[a + (b + l * D) * D], sum / s, 1e-5);
      }
    }
  }
  free(memory);
}

static void the_likelihood_does_not_fall(void) {
  uint64_t rng = 62;
  double y[N * D], w[N];
  for (int form = 0; form < 3; form++) {
    kg_mixture m;
    m.form = (enum kg_mixture_form)form;
    void *memory = new_mixture(&m, &rng, y, w);
    double old = -HUGE_VAL;
    for (int step = 0; step < 15; step++) {
      CHECK(learn(&m, 1, step == 0));
      const double now = assign(&m);
      if (form != 1)
        CHECK(now >= old - 1e-3);
      old = now;
      for (size_t i = 0; i < N; i++)
        CHECK_NEAR(m.P[i] + m.P[i + N], 1, 1e-12);
    }
    const double nu = kg_mixture_freedom(&m, 200);
    CHECK(nu >= 1 && nu <= 200);
    CHECK(!learn(&m, N, 0));
    free(memory);
  }
}

int main(void) {
  RUN(means_and_scatters_are_weighted_moments);
  RUN(the_likelihood_does_not_fall);
  return DONE();
}
