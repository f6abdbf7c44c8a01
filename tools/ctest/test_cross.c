/* test_cross.c - sums over clusters as other points see them, against the definition. */
#include "reference.h"

static void sums_are_as_defined(void) {
  const char *const sets[] = {"base", "avx2", "avx512"};
  uint64_t rng = 71;
  for (size_t set = 0; set < 3; set++) {
    if (!kg_choose_loops(sets[set])) continue;
    for (size_t a = 0; a < N_SEMIMETRICS - 1; a++) { /* points have a semimetric */
      size_t n = 1 + ctest_below(&rng, 150), k = 1 + ctest_below(&rng, n < 6 ? n : 6);
      size_t d = 1 + ctest_below(&rng, 6), m = 1 + ctest_below(&rng, n);
      problem p = problem_make(&rng, POINTS, all_semimetrics[a], n, d, k, n > 20);
      int *rows = NEW(int, n), *label = NEW(int, n);
      for (size_t i = 0; i < n; i++) rows[i] = (int)i;
      for (size_t i = 0; i < m; i++) { /* some of the points, in any order */
        size_t other = i + ctest_below(&rng, n - i);
        int kept = rows[i];
        rows[i] = rows[other];
        rows[other] = kept;
      }
      int all = a % 3 == 0;
      if (all) m = n;
      for (size_t i = 0; i < m; i++) label[i] = p.label[all ? (int)i : rows[i]];
      kg_quads quads;
      size_t most = kg_quads_most(m, k);
      quads.y = NEW(double, 4 * d * most);
      quads.weight = NEW(double, 4 * most);
      quads.label = NEW(int, most);
      kg_quads_fill(&quads, kg_coordinates_of(&p.pairs), p.w, all ? NULL : rows, label, m, k);
      CHECK(quads.n <= most);
      double *R = NEW(double, n * k), scale = reference_scale(&p) * (double)m + 1;
      for (size_t i = 0; i < n * k; i++) R[i] = 0;
      size_t half = n / 2; /* pieces that are no blocks */
      kg_cross_sums(kg_coordinates_of(&p.pairs), &quads, 0, half, R, n);
      kg_cross_sums(kg_coordinates_of(&p.pairs), &quads, half, n, R, n);
      for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < k; l++) {
          long double sum = 0;
          for (size_t b = 0; b < m; b++) {
            size_t y = all ? b : (size_t)rows[b];
            if ((size_t)label[b] == l) sum += (long double)p.w[y] * p.B[i + y * n];
          }
          CHECK_NEAR((R[i + l * n] - (double)sum) / scale, 0.0, 1e-13);
        }
      free(quads.y), free(quads.weight), free(quads.label);
      free(R), free(rows), free(label);
      problem_free(&p);
    }
  }
  CHECK(kg_choose_loops("auto"));
}

int main(void) {
  RUN(sums_are_as_defined);
  return DONE();
}
