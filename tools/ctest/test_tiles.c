/* The first pass in tiles, and the inner loops of every instruction set of this machine. */
#include "reference.h"

static const char *const sets[] = {"base", "avx2", "avx512"};

static void tiles_are_as_defined(void) {
  uint64_t rng = 31;
  const size_t lengths[] = {1,  5,  16, 17, 65, 67, 33, 70, KG_SIDE - 1, KG_SIDE, KG_SIDE + 1,
                            2 * KG_SIDE + 9};
  enum { N_RHOS = 8 };
  const kg_semimetric rhos[N_RHOS] = {{KG_POWER, 1},         {KG_GAUSSIAN, 1.3},
                                      {KG_POWER, 0.7},       {KG_POWER, 2},
                                      {KG_POWER, 0.5},       {KG_POWER, 1.5},
                                      {KG_EXPONENTIAL, 0.7}, {KG_EXPONENTIAL, 5}};
  for (size_t set = 0; set < 3; set++) {
    if (!kg_choose_loops(sets[set])) continue;
    for (size_t a = 0; a < sizeof lengths / sizeof lengths[0]; a++) {
      size_t n = lengths[a], k = n < 3 ? n : 3;
      problem p = problem_make(&rng, POINTS, rhos[a % N_RHOS], n, 1 + a, k, n > 20);
      for (size_t i = 0; i < n && a % 2; i++) p.w[i] = 2.5; /* one unit: sums without products */
      fit f = fit_alloc(&p, p.label);
      kg_tiles t;
      /* a second state whose labels have nothing to do with the first's */
      problem q = p;
      q.label = NEW(int, n);
      for (size_t i = 0; i < n; i++) q.label[i] = (int)(i < k ? i : ctest_below(&rng, k));
      fit g = fit_alloc(&q, q.label);
      const int *labels[2] = {f.label, g.label};
      void *memory, *more;
      LAY(memory, kg_tiles_lay(&t, kg_coordinates_of(&p.pairs), k, 2, &room));
      kg_tiles_fill(&t, p.w, labels);
      size_t shares = kg_tiles_shares(&t);
      LAY(more, kg_tiles_share_lay(&t, &room));
      CHECK((shares > 0) == (set > 0 && a % N_RHOS != 2));
      kg_tiles_share(&t);
      double *workspace = NEW(double, kg_tiles_workspace(&t));
      for (size_t round = 0; round < kg_tiles_rounds(&t); round++) {
        size_t tasks = kg_tiles_tasks(&t, round);
        if (round % 2) kg_tiles_round(&t, round, 1, workspace);
        for (size_t from = 0; from < tasks && !(round % 2); from++)
          kg_tiles_part(&t, round, from, from + 1, 1, workspace);
      }
      kg_tiles_read(&t, 0, f.state.R);
      kg_tiles_read(&t, 1, g.state.R);
      kg_state_built(&g.state);
      if (a > 0) { /* with one point the second state may leave a cluster empty */
        CHECK(kg_totals(&g.state) == KG_OK);
        check_state(&q, &g.state, 1e-13);
      }
      fit_free(&g);
      free(q.label);
      kg_state_built(&f.state);
      CHECK(kg_totals(&f.state) == KG_OK);
      check_state(&p, &f.state, 1e-13);
      free(memory), free(more), free(workspace);
      fit_free(&f);
      problem_free(&p);
    }
  }
  CHECK(kg_choose_loops("auto"));
}

/* Two partitions that cut across each other make many small shares; then a pass each is
 * cheaper, unless the pairwise dissimilarities are dear. */
static void partitions_share_a_pass_where_it_pays(void) {
  uint64_t rng = 33;
  kg_semimetric rho = {KG_POWER, 1};
  const size_t n = 600, k = 16, dims[] = {3, 3, 60};
  for (size_t a = 0; a < 3; a++) {
    problem p = problem_make(&rng, POINTS, rho, n, dims[a], k, 0);
    fit f = fit_alloc(&p, p.label), g = fit_alloc(&p, p.label);
    if (a > 0) random_labels(&rng, p.w, n, k, g.label);
    const int *labels[2] = {f.label, g.label};
    kg_tiles t;
    void *memory;
    LAY(memory, kg_tiles_lay(&t, kg_coordinates_of(&p.pairs), k, 2, &room));
    kg_tiles_fill(&t, p.w, labels);
    CHECK(kg_tiles_together(&t) == 1); /* before anything is known of shares */
    if (kg_tiles_shares(&t) > 0) CHECK(kg_tiles_together(&t) == (a != 1));
    free(memory);
    fit_free(&f), fit_free(&g);
    problem_free(&p);
  }
}

/* Every width, so that all tails are met; values against long double. */
static void loops_are_as_defined(void) {
  uint64_t rng = 32;
  for (size_t set = 0; set < 3; set++) {
    if (!kg_choose_loops(sets[set])) continue;
    CHECK(strcmp(kg_chosen_loops->name, sets[set]) == 0);
    for (size_t a = 0; a < N_SEMIMETRICS; a++) {
      kg_semimetric rho = all_semimetrics[a];
      for (size_t n = 1; n <= 35; n++) {
        double *value = NEW(double, n), *square = NEW(double, n);
        long double *right = NEW(long double, n);
        for (size_t i = 0; i < n; i++) {
          double d = i % 7 == 3 ? 0 : ctest_uniform(&rng) * (i % 5 == 0 ? 1e-7 : 4);
          value[i] = d;
          square[i] = d * d;
          right[i] = -reference_rho(rho, (long double)d) / 2;
        }
        kg_from_distances(rho, value, n);
        kg_from_squares(rho, square, n);
        for (size_t i = 0; i < n; i++) {
          long double allowed = 1e-14L * fabsl(right[i]);
          CHECK(fabsl(value[i] - right[i]) <= allowed);
          CHECK(fabsl(square[i] - right[i]) <= allowed);
        }
        free(value), free(square), free(right);
      }
    }
  }
  CHECK(!kg_choose_loops("mmx"));
  CHECK(kg_choose_loops("auto"));
}

int main(void) {
  RUN(tiles_are_as_defined);
  RUN(partitions_share_a_pass_where_it_pays);
  RUN(loops_are_as_defined);
  return DONE();
}
