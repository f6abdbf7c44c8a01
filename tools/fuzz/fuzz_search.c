/* fuzz_search.c - starts and split-merge moves. */
#include "fuzz.h"

/* k-means++ on pairwise dissimilarities: labels in range, centres of positive weight,
 * every cluster with its centre. */

HARNESS(start) {
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

/* Attempts that split one cluster and remove another: labels in range, no cluster empty,
 * and the change of W that of the labels; coordinates that coincide, weights of 0 and
 * uniforms at both ends among them. */

enum { MOST = 40 };

static double objective(const kg_pairs *pairs, const double *w, const int *label, size_t k) {
  size_t n = pairs->n;
  double W = 0, row[MOST], V[8] = {0}, s[8] = {0};
  for (size_t i = 0; i < n; i++) {
    kg_block(pairs, &i, 1, 0, n, row);
    s[label[i]] += w[i];
    for (size_t j = 0; j < n; j++)
      if (label[i] == label[j]) V[label[i]] += w[i] * w[j] * row[j];
  }
  for (size_t l = 0; l < k; l++)
    if (s[l] > 0) W -= V[l] / s[l];
  return W;
}

static void *room(size_t many, size_t size) {
  void *out = calloc(many, size);
  MUST(out);
  return out;
}

HARNESS(split) {
  bytes in = {data, size};
  size_t k = 2 + take_below(&in, 6), n = 2 * k + take_below(&in, MOST - 2 * 7), a, c;
  double *x = room(2 * n, sizeof(double)), *w = room(n, sizeof(double)), u[3];
  int *label = room(n, sizeof(int)), *after = room(n, sizeof(int));
  kg_choose_loops("auto");
  for (size_t i = 0; i < 2 * n; i++) x[i] = (double)take_below(&in, 16) / 4;
  for (size_t i = 0; i < n; i++) {
    label[i] = (int)(i < k ? i : take_below(&in, k));
    w[i] = i < k ? 1 : (double)take_below(&in, 4) / 2;
  }
  for (int t = 0; t < 3; t++) u[t] = (double)take(&in) / 255;
  kg_semimetric rho = {KG_POWER, 1};
  kg_pairs pairs = kg_points(x, n, 2, rho);
  kg_input input = {&kg_pair_sums, n, w, &pairs};
  kg_state state, *one = &state;
  void *memory, *more;
  LAY(memory, kg_state_lay(&state, &input, k, label, 1, &room));
  kg_first_pass(&one, 1, 0, n, state.row);
  kg_state_built(&state);
  MUST(kg_totals(&state) == KG_OK);
  kg_split s;
  kg_attempt t;
  double W;
  LAY(more, (kg_split_lay(&s, &input, k, &room), kg_attempt_lay(&t, &input, k, &room)));
  s.draws.u = u, s.draws.n = 3;
  s.e = (kg_engine *)&state;
  kg_split_scan(&s, 1);
  while (kg_split_next(&s, &a))
    HALVE(&s, &t, a);
  kg_split_partners(&s);
  W = objective(&pairs, w, label, k);
  for (size_t pair = 0; pair < k * k && kg_split_best(&s, &a, &c); pair++) {
    size_t full[8] = {0};
    MUST(a < k && c < k && a != c);
    kg_split_begin(&s, &t, a, c);
    while (!kg_split_go(&t, pair & 2 ? 1 : HUGE_VAL))
      ;
    kg_split_failed(&s, a, c);
    if (t.change == HUGE_VAL) continue;
    kg_split_labels(&s, &t, after);
    for (size_t i = 0; i < n; i++) {
      MUST(after[i] >= 0 && (size_t)after[i] < k);
      full[after[i]] += w[i] > 0;
    }
    for (size_t l = 0; l < k; l++) MUST(full[l] > 0);
    MUST(fabs(objective(&pairs, w, after, k) - W - t.change) <= 1e-9 * (1 + fabs(W)));
  }
  free(x), free(w), free(label), free(after);
  return fuzz_end();
}

/* Hartigan's method: W never rises, labels in range, every cluster keeps its points, the sums
 * are right, the effective dimension is finite. */

HARNESS(unbalanced) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  double budget = 1 + (double)take_below(&in, 9);
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  labels_fine(&p, state.e.label);
  double W = state.e.rule.W, room = 1e-9 * (fabs(W) + p.scale);
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
    MUST(state.e.rule.W <= W + room);
    W = state.e.rule.W;
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
