/* Hartigan's method with the size term: Phi never rises, labels in range, every cluster
 * keeps its points, the sums are right, the dimension is finite. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  double dimension = 0.25 + take(&in) / 4.0;
  double budget = 1 + (double)take_below(&in, 9);
  size_t *count = NEW(size_t, p.k);
  double *near = NEW(double, p.n);
  const kg_input *input = fuzz_input(&kg_pair_sums, p.n, p.w, &p.pairs);
  for (size_t l = 0; l < p.k;) l = kg_pair_up(input, p.label, count, p.k, l, near);
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  labels_fine(&p, state.e.label);
  state.e.rule.s = p.total;
  state.e.rule.half = p.total * dimension / 2;
  double phi = kg_objective(&state.e), room = 1e-6 * (fabs(phi) + p.total + p.total * dimension);
  /* the logarithm of what is all rounding beside the pairwise dissimilarities means nothing */
  const double least = 1e-13 * p.scale;
  if (state.e.rule.W < least) phi = HUGE_VAL;
  int settled = 0;
  for (size_t sweep = 0; sweep < 30 && !settled; sweep++) {
    size_t before = state.e.moves;
    for (size_t at = 0; at < p.n;) {
      size_t next = kg_hartigan_sweep(&state, at, budget * kg_state_row_cost(&state));
      MUST(next >= at && next <= p.n);
      at = next;
    }
    MUST(kg_totals(&state) == KG_OK);
    labels_fine(&p, state.e.label);
    double now = kg_objective(&state.e);
    MUST(!isnan(now));
    if (isfinite(phi) && state.e.rule.W >= least) MUST(now <= phi + room);
    phi = state.e.rule.W < least ? HUGE_VAL : now;
    settled = state.e.moves == before;
  }
  state_right(&p, &state, 1e-10);
  double *work = NEW(double, 3 * p.k);
  memset(work, 0, p.k * sizeof(double));
  kg_dimension_rows(&state, 0, p.n, work, state.row);
  double found = kg_dimension(&state, work, work + p.k, work + 2 * p.k);
  MUST(!isnan(found) && found >= 0);
  for (size_t at = 0; at < p.n;) at = kg_place(&state.e, at, budget);
  labels_fine(&p, state.e.label);
  return fuzz_end();
}
