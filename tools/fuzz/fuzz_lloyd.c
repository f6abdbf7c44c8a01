/* Lloyd's method: targets in range, no cluster empty, sums right after relabelling; W does
 * not rise where the semimetric is of negative type. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  size_t budget = 1 + take_below(&in, 9);
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  int *target = NEW(int, p.n);
  size_t *count = NEW(size_t, p.k);
  double cost = right_cost(&p, state.e.label), room = 1e-9 * p.scale + 1e-290;
  for (size_t pass = 0; pass < 20; pass++) {
    size_t changed = 0, filled = 0;
    for (size_t at = 0; at < p.n;) at = kg_targets(&state.e, target, count, at, 1);
    fuzz_refill(&state.e, target, count);
    for (size_t i = 0; i < p.n; i++) changed += target[i] != state.e.label[i];
    for (size_t l = 0; l < p.k; l++) filled += count[l] > 0;
    MUST(filled == p.k);
    labels_fine(&p, target);
    if (changed == 0) break;
    for (size_t i = 0; i < p.n;) i = kg_relabel(&state, target, i, budget);
    MUST(memcmp(target, state.e.label, p.n * sizeof(int)) == 0);
    MUST(kg_totals(&state) == KG_OK);
    state_right(&p, &state, 1e-10);
    double now = right_cost(&p, state.e.label);
    if (p.negative_type) MUST(now <= cost + room);
    cost = now;
  }
  return fuzz_end();
}
