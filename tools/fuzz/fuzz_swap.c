/* A swap: the labels proposed are in range, the counts are theirs, none is empty if it is
 * said so; the state that follows them has the right sums. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  int *target = NEW(int, p.n);
  size_t *count = NEW(size_t, p.k);
  double *row = NEW(double, p.n);
  for (size_t swap = 0; swap < 3; swap++) {
    size_t c = take_below(&in, p.k), x = take_below(&in, p.n), counted[8] = {0};
    if (p.w[x] == 0) continue;
    int filled = 1;
    kg_pair_sums.rho(state.e.input, x, 0, p.n, row);
    for (size_t at = 0; at < p.n;)
      at = kg_swap_targets(&state.e, c, x, row, target, count, at, 1);
    for (size_t l = 0; l < p.k; l++) filled = filled && count[l] > 0;
    for (size_t i = 0; i < p.n; i++) {
      MUST(target[i] >= 0 && (size_t)target[i] < p.k);
      counted[target[i]] += p.w[i] > 0;
    }
    for (size_t l = 0; l < p.k; l++) MUST(counted[l] == count[l]);
    MUST((size_t)target[x] == c);
    if (!filled) continue;
    labels_fine(&p, target);
    for (size_t at = 0; at < p.n;) at = kg_relabel(&state, target, at, p.n);
    MUST(kg_totals(&state) == KG_OK);
    state_right(&p, &state, 1e-10);
  }
  return fuzz_end();
}
