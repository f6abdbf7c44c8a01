/* Pairwise dissimilarities, the first pass, and Hartigan's method: sums are those of the labels, W
 * never rises, no cluster is left empty, and at the end no single move would lower W. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  double budget = 1 + (double)take_below(&in, 9);
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  state_right(&p, &state, 1e-12);
  double cost = right_cost(&p, state.e.label), room = 1e-11 * p.scale + 1e-290;
  MUST(fabs(kg_objective(&state.e) - cost) <= room);
  int converged = 0;
  for (size_t sweep = 0; sweep < 200 && !converged; sweep++) {
    size_t before = state.e.moves, at = 0;
    while (at < p.n) {
      size_t next = kg_hartigan_sweep(&state, at, budget * kg_state_row_cost(&state));
      MUST(next >= at && next <= p.n);
      at = next;
    }
    MUST(kg_totals(&state) == KG_OK);
    for (int done = 0; done == 0;) done = kg_pair_sums.repair(&state.e, 1, budget);
    MUST(kg_totals(&state) == KG_OK);
    converged = state.e.moves == before;
    labels_fine(&p, state.e.label);
    double now = right_cost(&p, state.e.label);
    MUST(now <= cost + (converged ? room : 0.5 * room));
    cost = now;
  }
  MUST(converged);
  state_right(&p, &state, 1e-10);
  for (size_t i = 0; i < p.n; i++) {
    kg_choice choice;
    MUST(!kg_best_move(&state, i, &choice));
    if (choice.best == (size_t)-1) continue;
    MUST(choice.best < p.k && !isnan(choice.least - choice.gone));
  }
  for (size_t at = 0; at < p.n;) at = kg_place(&state.e, at, budget);
  labels_fine(&p, state.e.label);
  return fuzz_end();
}
