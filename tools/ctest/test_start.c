/* test_start.c - k-means++ in the semimetric: draws in proportion, labels and nearest
 * centres as defined, centres distinct while there are points left. */
#include "reference.h"

static long double rho_of(const problem *p, size_t i, size_t j) {
  return p->B[i + i * p->n] + p->B[j + j * p->n] - 2 * p->B[i + j * p->n];
}

/* One centre, in pieces of four points. */
static void step(const kg_pairs *pairs, const double *w, size_t l, size_t candidates,
                 const double *u, int *label, double *nearest, double *buffer) {
  kg_input input = {&kg_pair_sums, pairs->n, w, pairs};
  kg_plusplus p;
  memset(&p, 0, sizeof p);
  p.input = &input, p.candidates = candidates;
  p.label = label, p.nearest = nearest, p.row = buffer;
  kg_plusplus_begin(&p, l, u);
  while (!kg_plusplus_step(&p, 4)) continue;
}

/* The point at fraction u of the running total, by definition. */
static size_t reference_draw(const double *mass, size_t n, double u) {
  long double total = 0, sum = 0;
  for (size_t i = 0; i < n; i++) total += (long double)mass[i];
  for (size_t i = 0; i < n; i++) {
    sum += (long double)mass[i];
    if (mass[i] > 0 && sum > (long double)u * total) return i;
  }
  return n;
}

static void draws_are_in_proportion(void) {
  enum { N = 6 };
  double w[N] = {0, 2, 1, 0, 4, 3}, nearest[N] = {1, 0.5, 2, 7, -HUGE_VAL, 0};
  double mass[N], room[N];
  for (double u = 0.005; u < 1; u += 0.01) {
    CHECK(kg_draw(w, nearest, N, 0, u, room) == reference_draw(w, N, u));
    for (int i = 0; i < N; i++) mass[i] = nearest[i] > 0 ? w[i] * nearest[i] : 0;
    CHECK(kg_draw(w, nearest, N, 1, u, room) == reference_draw(mass, N, u));
  }
}

/* All points lie on centres: those of positive weight that are none take turns. */
static void draws_without_distance(void) {
  enum { N = 5 };
  double w[N] = {1, 0, 9, 1, 1}, nearest[N] = {-HUGE_VAL, 0, 0, 0, 0}, room[N];
  CHECK(kg_draw(w, nearest, N, 1, 0.1, room) == 2);
  CHECK(kg_draw(w, nearest, N, 1, 0.5, room) == 3);
  CHECK(kg_draw(w, nearest, N, 1, 0.9, room) == 4);
  for (int i = 0; i < N; i++) nearest[i] = -HUGE_VAL;
  CHECK(kg_draw(w, nearest, N, 1, 0.5, room) == N);
}

static void extreme_uniforms_stay_inside(void) {
  enum { N = 4 };
  double w[N] = {0, 0.1, 0.2, 0}, nearest[N] = {1, 0.3, 0.3, 1};
  double tiny = 1e-300, most = 1 - 1.0 / 9007199254740992.0, room[N];
  CHECK(kg_draw(w, nearest, N, 0, tiny, room) == 1);
  CHECK(kg_draw(w, nearest, N, 0, most, room) == 2);
  CHECK(kg_draw(w, nearest, N, 1, tiny, room) == 1);
  CHECK(kg_draw(w, nearest, N, 1, most, room) == 2);
}

static void labels_are_those_of_the_nearest_centre(void) {
  uint64_t rng = 61;
  FOR_ALL_STORES(store, rho) {
    if (store == GRAM) continue;
    for (size_t candidates = 1; candidates <= 4; candidates += 3) {
      size_t n = 25, k = 5;
      problem p = problem_make(&rng, store, rho, n, 3, k, candidates == 1);
      double *nearest = NEW(double, n), *buffer = NEW(double, n), u[4];
      size_t centre[5];
      double scale = 1 + reference_scale(&p);
      for (size_t i = 0; i < n; i++) nearest[i] = 1e300, p.label[i] = -1;
      for (size_t l = 0; l < k; l++) {
        for (size_t a = 0; a < candidates; a++) u[a] = ctest_uniform(&rng);
        step(&p.pairs, p.w, l, candidates, u, p.label, nearest, buffer);
        centre[l] = n;
        for (size_t i = 0; i < n; i++) {
          if ((size_t)p.label[i] != l || nearest[i] != -HUGE_VAL) continue;
          CHECK(centre[l] == n);
          centre[l] = i;
        }
        if (!CHECK(centre[l] < n)) break;
        CHECK(p.w[centre[l]] > 0);
        for (size_t i = 0; i < n; i++) {
          long double least = HUGE_VALL;
          for (size_t c = 0; c <= l; c++) least = fminl(least, rho_of(&p, i, centre[c]));
          /* a later centre has to be nearer by more than rounding, see kg_below() */
          long double slack = 1e-12L * scale + 1.01e-10L * fabsl(least);
          CHECK(fabsl(rho_of(&p, i, centre[p.label[i]]) - least) < slack);
          if (nearest[i] > -HUGE_VAL)
            CHECK_NEAR((nearest[i] - (double)least) / slack, 0.0, 1.0);
        }
      }
      CHECK(none_empty(&p, p.label));
      free(nearest), free(buffer);
      problem_free(&p);
    }
  }
}

/* Of several candidates the one that leaves the least potential is taken. */
static void greedy_takes_the_best_candidate(void) {
  uint64_t rng = 62;
  kg_semimetric rho = {KG_POWER, 1};
  for (int a = 0; a < 50; a++) {
    size_t n = 20;
    problem p = problem_make(&rng, POINTS, rho, n, 2, 2, 0);
    double *nearest = NEW(double, n), *buffer = NEW(double, n), *before = NEW(double, n);
    double u[6];
    for (int b = 0; b < 6; b++) u[b] = ctest_uniform(&rng);
    step(&p.pairs, p.w, 0, 6, u, p.label, nearest, buffer);
    memcpy(before, nearest, n * sizeof(double));
    for (int b = 0; b < 6; b++) u[b] = ctest_uniform(&rng);
    long double least = HUGE_VALL, made = 0;
    for (int b = 0; b < 6; b++) {
      size_t x = kg_draw(p.w, before, n, 1, u[b], buffer);
      long double potential = 0;
      for (size_t i = 0; i < n; i++) {
        long double d = before[i] > 0 ? fminl((long double)before[i], rho_of(&p, i, x)) : 0;
        potential += (long double)p.w[i] * d;
      }
      least = fminl(least, potential);
    }
    step(&p.pairs, p.w, 1, 6, u, p.label, nearest, buffer);
    for (size_t i = 0; i < n; i++)
      if (nearest[i] > 0) made += (long double)p.w[i] * (long double)nearest[i];
    CHECK_NEAR((double)made, (double)least, 1e-12);
    free(nearest), free(buffer), free(before);
    problem_free(&p);
  }
}

/* Fewer distinct points than centres: still a label and a centre each. */
static void equal_points_give_distinct_centres(void) {
  size_t n = 6, k = 6;
  double x[6] = {1, 1, 1, 1, 2, 2}, w[6] = {1, 1, 1, 1, 1, 1}, nearest[6], buffer[6];
  int label[6], seen[6] = {0};
  uint64_t rng = 63;
  kg_semimetric rho = {KG_POWER, 0.5};
  kg_pairs pairs = kg_points(x, n, 1, rho);
  for (size_t l = 0; l < k; l++) {
    double u = ctest_uniform(&rng);
    step(&pairs, w, l, 1, &u, label, nearest, buffer);
  }
  for (size_t i = 0; i < n; i++) seen[label[i]]++;
  for (size_t l = 0; l < k; l++) CHECK(seen[l] == 1);
}

/* A draw falls on a point of mass, in proportion to it. */
static void masses_are_drawn_in_proportion(void) {
  enum { N = 20, DRAWS = 5000 };
  uint64_t rng = 93;
  double mass[N], hits[N] = {0}, total = 0;
  for (size_t i = 0; i < N; i++) {
    mass[i] = i % 4 == 0 ? 0 : ctest_uniform(&rng);
    total += mass[i];
  }
  for (int u = 0; u < DRAWS; u++) {
    size_t i = kg_draw_mass(mass, N, (u + 0.5) / DRAWS);
    CHECK(i < N);
    if (i < N) hits[i]++;
  }
  for (size_t i = 0; i < N; i++) CHECK(fabs(hits[i] - DRAWS * mass[i] / total) <= 1.01);
  CHECK(mass[kg_draw_mass(mass, N, 1)] > 0);
  memset(mass, 0, sizeof mass);
  CHECK(kg_draw_mass(mass, N, 0.5) == N); /* nothing to draw from */
}

int main(void) {
  RUN(draws_are_in_proportion);
  RUN(draws_without_distance);
  RUN(extreme_uniforms_stay_inside);
  RUN(labels_are_those_of_the_nearest_centre);
  RUN(greedy_takes_the_best_candidate);
  RUN(equal_points_give_distinct_centres);
  RUN(masses_are_drawn_in_proportion);
  return DONE();
}
