/* k-means++ on pairwise dissimilarities: labels in range, centres of positive weight,
 * every cluster with its centre. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  size_t candidates = 1 + take_below(&in, 4);
  double *u = NEW(double, candidates), *nearest = NEW(double, p.n), *buffer = NEW(double, p.n);
  int *label = NEW(int, p.n);
  memset(label, 0, p.n * sizeof(int));
  kg_plusplus plus;
  memset(&plus, 0, sizeof plus);
  plus.input = fuzz_input(&kg_pair_sums, p.n, p.w, &p.pairs);
  plus.candidates = candidates, plus.label = label, plus.nearest = nearest, plus.row = buffer;
  for (size_t l = 0; l < p.k; l++) {
    for (size_t a = 0; a < candidates; a++) u[a] = take_uniform(&in);
    kg_plusplus_begin(&plus, l, u);
    while (!kg_plusplus_step(&plus, 1 + p.n / 3)) continue;
    size_t centres = 0;
    for (size_t i = 0; i < p.n; i++) {
      MUST(!isnan(nearest[i]));
      MUST(label[i] >= 0 && (size_t)label[i] <= l);
      centres += nearest[i] == -HUGE_VAL;
      if (nearest[i] == -HUGE_VAL) MUST(p.w[i] > 0);
    }
    MUST(centres == l + 1);
  }
  labels_fine(&p, label);
  return fuzz_end();
}
