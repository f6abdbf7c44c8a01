/* Pair values, the first pass, and Hartigan's method: sums are those of the labels, W
 * never rises, no cluster is left empty, and at the end no single move would lower W. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  size_t budget = 1 + take_below(&in, 9), best;
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  state_right(&p, &state, 1e-12);
  double cost = right_cost(&p, state.label), room = 1e-11 * p.scale + 1e-290;
  MUST(fabs(kg_objective(&state) + cost) <= room);
  int converged = 0;
  for (size_t sweep = 0; sweep < 200 && !converged; sweep++) {
    size_t before = state.moves, at = 0;
    while (at < p.n) {
      size_t next = kg_hartigan_sweep(&state, at, budget);
      MUST(next > at && next <= p.n);
      at = next;
    }
    MUST(kg_totals(&state) == KG_OK);
    converged = state.moves == before;
    labels_fine(&p, state.label);
    double now = right_cost(&p, state.label);
    MUST(now <= cost + (converged ? room : 0.5 * room));
    cost = now;
  }
  MUST(converged);
  state_right(&p, &state, 1e-10);
  for (size_t i = 0; i < p.n; i++) {
    double change = kg_best_move(&state, i, &best);
    MUST(best < p.k && !isnan(change));
    MUST(!(change < -state.tolerance - room));
  }
  kg_place_weightless(&state);
  labels_fine(&p, state.label);
  return fuzz_end();
}
