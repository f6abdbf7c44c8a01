/* test_features.c - weighted k-means on explicit features against the same problem in
 * pair values: rho = d^2, so that every quantity has a second way to it. */
#include "reference.h"

typedef struct {
  kg_features f;
  double *z;
} embedded;

static embedded embedded_make(const problem *p, const int *label) {
  embedded e;
  size_t n = p->n, m = p->d;
  e.z = NEW(double, m * n);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < m; c++) e.z[c + i * m] = p->x[i + c * n];
  memset(&e.f, 0, sizeof e.f);
  e.f.z = e.z, e.f.w = p->w, e.f.m = m, e.f.n = n, e.f.k = p->k;
  e.f.label = NEW(int, n);
  e.f.mean = NEW(double, m * p->k);
  e.f.s = NEW(double, p->k);
  e.f.count = NEW(size_t, p->k);
  memcpy(e.f.label, label, n * sizeof(int));
  CHECK(kg_features_totals(&e.f) == KG_OK);
  return e;
}

static void embedded_free(embedded *e) {
  free(e->z), free(e->f.label), free(e->f.mean), free(e->f.s), free(e->f.count);
}

static const kg_semimetric squared = {KG_POWER, 2};

static void means_are_those_of_the_pairs(void) {
  uint64_t rng = 81;
  for (int a = 0; a < 10; a++) {
    problem p = problem_make(&rng, POINTS, squared, 25, 1 + (size_t)a % 5, 4, a % 2);
    embedded e = embedded_make(&p, p.label);
    for (size_t i = 0; i < p.n; i++) {
      size_t near = kg_features_nearest(&e.f, i);
      long double least = HUGE_VALL;
      for (size_t l = 0; l < p.k; l++) {
        long double d2 = reference_d2(&p, p.label, i, l);
        CHECK_NEAR(kg_features_d2(&e.f, i, l), (double)d2, 1e-12);
        least = fminl(least, d2);
      }
      CHECK(reference_d2(&p, p.label, i, near) <= least + 1e-12L);
    }
    CHECK_NEAR(kg_features_cost(&e.f), (double)reference_cost(&p, p.label), 1e-12);
    embedded_free(&e);
    problem_free(&p);
  }
}

static void descent_falls_and_ends_where_no_move_helps(void) {
  uint64_t rng = 82;
  for (int a = 0; a < 20; a++) {
    problem p = problem_make(&rng, POINTS, squared, 12 + ctest_below(&rng, 20), 3,
                             1 + ctest_below(&rng, 5), a % 2);
    embedded e = embedded_make(&p, p.label);
    long double W = reference_cost(&p, e.f.label);
    for (size_t made = 1, sweeps = 0; made > 0; sweeps++) {
      made = 0;
      for (size_t i = 0; i < p.n; i++) {
        size_t moved = kg_features_hartigan(&e.f, i, i + 1);
        long double now = reference_cost(&p, e.f.label);
        CHECK(moved ? now < W : now == W);
        CHECK(none_empty(&p, e.f.label));
        W = now, made += moved;
      }
      CHECK(sweeps < 200);
      if (sweeps > 200) break;
    }
    double updated = kg_features_cost(&e.f);
    CHECK(kg_features_totals(&e.f) == KG_OK);
    CHECK_NEAR(kg_features_cost(&e.f), updated, 1e-11);
    for (size_t i = 0; i < p.n; i++) {
      size_t j = (size_t)e.f.label[i];
      if (p.w[i] == 0) {
        CHECK(e.f.label[i] == p.label[i]);
        continue;
      }
      if (e.f.count[j] < 2) continue;
      for (size_t l = 0; l < p.k; l++) {
        e.f.label[i] = (int)l;
        CHECK(reference_cost(&p, e.f.label) >= W - 1e-9L);
      }
      e.f.label[i] = (int)j;
    }
    embedded_free(&e);
    problem_free(&p);
  }
}

/* The same draws choose the same centres as the semimetric d^2. */
static void starts_are_those_of_the_pairs(void) {
  uint64_t rng = 83;
  for (size_t candidates = 1; candidates <= 3; candidates++)
    for (int a = 0; a < 10; a++) {
      problem p = problem_make(&rng, POINTS, squared, 30, 3, 5, a % 2);
      embedded e = embedded_make(&p, p.label);
      double *nearest = NEW(double, p.n), *buffer = NEW(double, p.n), u[3];
      double *nearest_z = NEW(double, p.n);
      for (size_t l = 0; l < p.k; l++) {
        for (int b = 0; b < 3; b++) u[b] = ctest_uniform(&rng);
        kg_plusplus_step(&p.pairs, p.w, l, candidates, u, p.label, nearest, buffer);
        kg_features_plusplus(&e.f, l, candidates, u, nearest_z);
      }
      CHECK(memcmp(p.label, e.f.label, p.n * sizeof(int)) == 0);
      free(nearest), free(buffer), free(nearest_z);
      embedded_free(&e);
      problem_free(&p);
    }
}

int main(void) {
  RUN(means_are_those_of_the_pairs);
  RUN(descent_falls_and_ends_where_no_move_helps);
  RUN(starts_are_those_of_the_pairs);
  return DONE();
}
