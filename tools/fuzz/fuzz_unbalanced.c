/* Hartigan's method with the size term: Phi never rises, labels in range, every cluster
 * keeps its points, the sums are right, the dimension is finite. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  double dimension = 0.25 + take(&in) / 4.0;
  size_t budget = 1 + take_below(&in, 9);
  kg_state state = fuzz_state(&p, p.label);
  kg_unbalanced u;
  fuzz_build(&p, &state);
  kg_pair_up(&state);
  MUST(kg_totals(&state) == KG_OK);
  labels_fine(&p, state.label);
  kg_unbalanced_start(&u, &state, dimension);
  double phi = kg_unbalanced_phi(&u);
  int settled = 0;
  for (size_t sweep = 0; sweep < 30 && !settled; sweep++) {
    size_t before = state.moves;
    for (size_t at = 0; at < p.n;) {
      size_t next = kg_unbalanced_sweep(&u, at, budget);
      MUST(next > at && next <= p.n);
      at = next;
    }
    MUST(kg_totals(&state) == KG_OK);
    kg_unbalanced_totals(&u);
    labels_fine(&p, state.label);
    double now = kg_unbalanced_phi(&u);
    MUST(!isnan(now));
    if (isfinite(phi)) MUST(now <= phi + 1e-6 * (fabs(phi) + u.s + u.half));
    phi = now;
    settled = state.moves == before;
  }
  state_right(&p, &state, 1e-10);
  double *work = NEW(double, 3 * p.k);
  memset(work, 0, p.k * sizeof(double));
  kg_dimension_rows(&state, 0, p.n, work, state.row);
  double found = kg_dimension(&state, work, work + p.k, work + 2 * p.k);
  MUST(!isnan(found) && found >= 0);
  kg_unbalanced_place(&u);
  labels_fine(&p, state.label);
  return fuzz_end();
}
