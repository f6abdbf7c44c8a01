/* fuzz_engines.c - the engines: pair sums, sparse rows, features. */
#include "fuzz.h"

/* Pairwise dissimilarities, the first pass, and Hartigan's method: sums are those of the labels, W
 * never rises, no cluster is left empty, and at the end no single move would lower W. */

HARNESS(hartigan) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  double budget = 1 + (double)take_below(&in, 9);
  kg_state state = fuzz_state(&p, p.label);
  fuzz_build(&p, &state);
  state_right(&p, &state, 1e-12);
  double cost = right_cost(&p, state.e.label), room = 1e-11 * p.scale + 1e-290;
  MUST(fabs(state.e.rule.W - cost) <= room);
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

/* Lloyd's method: targets in range, no cluster empty, sums right after relabelling; W does
 * not rise where the semimetric is of negative type. */

HARNESS(lloyd) {
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

/* Moves on a sparse symmetric matrix: they end, W never rises, V and s are those of the
 * labels, no cluster loses its last point. */

enum { MOST = 16 };

static double Q_of(const double *B, const double *w, const int *label, size_t n, size_t k,
                   double *V, double *s) {
  double Q = 0;
  for (size_t l = 0; l < k; l++) {
    long double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
      if ((size_t)label[i] != l) continue;
      weight += w[i];
      for (size_t j = 0; j < n; j++)
        if ((size_t)label[j] == l) sum += (long double)w[i] * w[j] * B[i * n + j];
    }
    V[l] = (double)sum;
    s[l] = (double)weight;
    if (weight > 0) Q += (double)(sum / weight);
  }
  return Q;
}

HARNESS(sparse) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, MOST), k = 1 + take_below(&in, n < 5 ? n : 5), entries = 0;
  double *B = NEW(double, n * n), *w = NEW(double, n), *diagonal = NEW(double, n);
  double V[5], s[5], largest = 0, total = 0;
  int *label = NEW(int, n);
  memset(B, 0, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    w[i] = take_weight(&in, 1);
    total += w[i];
    label[i] = (int)take_below(&in, k);
    B[i * n + i] = diagonal[i] = take_number(&in, 3);
    largest = fmax(largest, fabs(diagonal[i]));
  }
  for (size_t edge = 0; edge < 3 * n && in.left > 0 && n > 1; edge++) {
    size_t i = take_below(&in, n), j = take_below(&in, n);
    if (i == j) continue;
    if (B[i * n + j] == 0) entries += 2;
    double value = take_number(&in, 3);
    B[i * n + j] = B[j * n + i] = value == 0 ? 1 : value;
    largest = fmax(largest, fabs(B[i * n + j]));
  }
  int *start = NEW(int, n + 1), *row = NEW(int, entries);
  double *value = NEW(double, entries);
  start[0] = 0;
  for (size_t i = 0, e = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      if (j != i && B[i * n + j] != 0) row[e] = (int)j, value[e++] = B[i * n + j];
    start[i + 1] = (int)e;
  }
  kg_sparse b = {n, start, row, value, diagonal};
  kg_sparse_state c;
  const kg_input *input = fuzz_input(&kg_sparse_rows, n, w, &b);
  void *memory;
  LAY(memory, kg_sparse_lay(&c, input, k, label, &room));
  kg_engine *e = &c.e;
  double scale = largest * total, room = 1e-9 * scale + 1e-290, work = 1 + (double)(size % 7);
  memset(&e->rule, 0, sizeof e->rule);
  size_t members[5] = {0};
  int settled = 0;
  for (size_t i = 0; i < n; i++) members[label[i]] += w[i] > 0;
  double Q = Q_of(B, w, label, n, k, V, s);
  for (size_t sweep = 0; sweep < 100 && !settled; sweep++) {
    fuzz_totals(e, work);
    double now = Q_of(B, w, label, n, k, V, s);
    for (size_t l = 0; l < k; l++) {
      MUST(fabs(e->V[l] - V[l]) <= 1e-13 * scale * total + 1e-290);
      MUST(fabs(e->s[l] - s[l]) <= 1e-13 * total);
      size_t counted = 0;
      for (size_t i = 0; i < n; i++) counted += (size_t)label[i] == l && w[i] > 0;
      MUST(e->count[l] == counted);
      MUST(counted > 0 || members[l] == 0);
    }
    MUST(now >= Q - room);
    Q = now;
    MUST(isfinite(e->rule.tolerance));
    size_t before = e->moves;
    for (size_t at = 0, next; at < n; at = next) {
      next = kg_sparse_rows.sweep(e, at, work);
      MUST(next > at && next <= n);
    }
    settled = e->moves == before;
  }
  MUST(settled);
  fuzz_totals(e, work);
  for (size_t i = 0; i < n; i++) MUST(!isnan(kg_sparse_rows.d2(e, i, (size_t)label[i])) || s[label[i]] == 0);
  for (size_t at = 0; at < n;) at = kg_place(e, at, work);
  for (size_t i = 0; i < n; i++) MUST(label[i] >= 0 && (size_t)label[i] < k);
  /* with the shift Lloyd's targets never raise W */
  double was = HUGE_VAL;
  int *target = NEW(int, n);
  size_t *count = NEW(size_t, k);
  memset(&e->rule, 0, sizeof e->rule);
  kg_sparse_rows.shift(e, 1);
  for (size_t pass = 0; pass < 5; pass++) {
    fuzz_totals(e, work);
    MUST(e->rule.W <= was + 1e-9 * (scale + c.shift * (double)n) + 1e-290);
    was = e->rule.W;
    for (size_t at = 0; at < n;) at = kg_targets(e, target, count, at, work);
    for (size_t i = 0; i < n; i++) MUST(target[i] >= 0 && (size_t)target[i] < k);
    for (size_t at = 0; at < n;) at = kg_sparse_rows.relabel(e, target, at, work);
  }
  return fuzz_end();
}

/* Weighted k-means on explicit features: starts, means, moves; then swaps and crossovers. W never rises, means
 * are those of the labels, no cluster is left empty. */

/* Swaps and crossovers of the points that have weight: those that are kept lower W, the others leave all as it was. */
static void swap(bytes *in, const double *z, const double *w, const int *label, size_t n, size_t d, size_t k) {
  double *x = NEW(double, n * d), *v = NEW(double, n), u[5], largest = 0;
  int *now = NEW(int, n), *before = NEW(int, n);
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    if (w[i] == 0) continue;
    memcpy(x + m * d, z + i * d, d * sizeof(double));
    v[m] = w[i], now[m] = label[i], m++;
  }
  for (size_t i = 0; i < m * d; i++) largest = fmax(largest, fabs(x[i]));
  for (size_t i = 0; i < m * d && largest > 0; i++) x[i] /= largest;
  for (int i = 0; i < 5; i++) u[i] = take_uniform(in);
  /* with more than 15 clusters swaps are tried on those around them */
  if (m > 20 && take_below(in, 2)) {
    k = 16 + take_below(in, m - 20);
    for (size_t i = 0; i < m; i++) now[i] = (int)(i % k);
  }
  kg_proposals q;
  void *memory;
  LAY(memory, kg_proposals_lay(&q, m, d, k, &room));
  q.draws.u = u, q.draws.n = 5;
  memcpy(q.f.now.label, now, m * sizeof(int));
  now = q.f.now.label;
  kg_float_begin(&q.f, x, v);
  for (int sweep = 0; sweep < 100 && kg_float_sweep(&q.f) > 0; sweep++) continue;
  kg_float_list(&q.f);
  kg_propose_gains(&q);
  for (int swaps = 0; swaps < 8; swaps++) {
    double W = q.f.now.W;
    memcpy(before, now, m * sizeof(int));
    if (!kg_propose_swap(&q, swaps % 4 == 0)) continue;
    while (kg_propose_sweep(&q)) continue;
    if (kg_propose_end(&q)) {
      MUST(q.f.now.W <= W && q.f.now.W >= 0);
      kg_propose_gains(&q);
    } else
      MUST(q.f.now.W == W && memcmp(before, now, m * sizeof(int)) == 0);
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < m; i++) count += (size_t)now[i] == l;
      MUST(count > 0 && count == q.f.now.count[l]);
    }
  }
}

HARNESS(features) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 40), m = 1 + take_below(&in, 4), positive = 0;
  size_t k = 1 + take_below(&in, n < 6 ? n : 6), candidates = 1 + take_below(&in, 3);
  double *z = NEW(double, n * m), *w = NEW(double, n), *nearest = NEW(double, n);
  double u[3], largest = 0, total = 0;
  for (size_t i = 0; i < n * m; i++) {
    z[i] = take_number(&in, 3);
    largest = fmax(largest, fabs(z[i]));
  }
  for (size_t i = 0; i < n; i++) positive += (w[i] = take_weight(&in, 1)) > 0;
  for (size_t i = 0; i < n && positive < k; i++)
    if (w[i] == 0) w[i] = 1, positive++;
  for (size_t i = 0; i < n; i++) total += w[i];
  kg_features from = {z, NULL, NULL, m, n};
  const kg_input *input = fuzz_input(&kg_double_features, n, w, &from);
  kg_means f;
  void *memory;
  LAY(memory, kg_means_lay(&f, input, k, NULL, &room));
  kg_engine *e = &f.e;
  memset(e->label, 0, n * sizeof(int));
  kg_plusplus plus;
  memset(&plus, 0, sizeof plus);
  plus.input = input, plus.candidates = candidates, plus.label = e->label;
  plus.nearest = nearest, plus.row = NEW(double, n);
  for (size_t l = 0; l < k; l++) {
    for (size_t a = 0; a < candidates; a++) u[a] = take_uniform(&in);
    kg_plusplus_begin(&plus, l, u);
    while (!kg_plusplus_step(&plus, 1 + n / 2)) continue;
  }
  double scale = total * (double)m * largest * largest + 1e-290, cost = HUGE_VAL;
  double work = 1 + (double)take_below(&in, 90);
  int settled = 0;
  for (size_t sweep = 0; sweep < 200 && !settled; sweep++) {
    fuzz_totals(e, work);
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++) {
        MUST(e->label[i] >= 0 && (size_t)e->label[i] < k);
        count += (size_t)e->label[i] == l && w[i] > 0;
      }
      MUST(count > 0 && e->count[l] == count);
      for (size_t c = 0; c < m; c++) {
        long double sum = 0, s = 0;
        for (size_t i = 0; i < n; i++)
          if ((size_t)e->label[i] == l) sum += (long double)w[i] * z[i * m + c], s += w[i];
        MUST(fabs((double)(sum / s) - f.mean[l * m + c]) <= 1e-12 * largest);
      }
    }
    double now = e->rule.W;
    MUST(now >= 0 && now <= cost + 1e-11 * scale);
    cost = now;
    size_t before = e->moves;
    for (size_t at = 0, next; at < n; at = next) {
      next = kg_double_features.sweep(e, at, work);
      MUST(next > at && next <= n);
    }
    settled = e->moves == before;
  }
  MUST(settled);
  for (size_t i = 0; i < n; i++) {
    double near = HUGE_VAL, best = 0;
    kg_double_features.nearest(e, k, i, i + 1, &near, &best);
    MUST(best >= 0 && best < (double)k && near >= 0);
  }
  if (k > 1) swap(&in, z, w, e->label, n, m, k);
  return fuzz_end();
}

/* Landmark features and the method on them: features are those of the definition with every
 * set of loops, bounds never make W rise, means are those of the labels, no cluster empty. */

HARNESS(lowrank) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, 40), m = 1 + take_below(&in, 12), rank = take_below(&in, m + 1);
  size_t k = 1 + take_below(&in, n < 5 ? n : 5), rows = kg_landmarks_rows(rank), positive = 0;
  take_loops(&in);
  double *values = NEW(double, n * m), *T = NEW(double, rows * rank);
  double *offset = NEW(double, rank), *rest = NEW(double, n), *w = NEW(double, n);
  double *work = NEW(double, (m + (rows > 8 ? rows : 8)) * KG_TILE);
  size_t width = kg_landmarks_width(rank);
  double *z = NEW(double, n * width);
  int16_t *short_z = NEW(int16_t, n * width);
  float *unit = NEW(float, n);
  memset(T, 0, rows * rank * sizeof(double));
  for (size_t i = 0; i < n * m; i++) values[i] = take_number(&in, 1);
  for (size_t a = 0; a < rank; a++) {
    offset[a] = take_number(&in, 1);
    for (size_t c = 0; c <= a; c++) T[a * rank + c] = take_number(&in, 1) / 16;
  }
  for (size_t i = 0; i < n; i++) positive += (w[i] = take_weight(&in, 1)) > 0;
  for (size_t i = 0; i < n && positive < k; i++)
    if (w[i] == 0) w[i] = 1, positive++;
  kg_landmarks map = {m, rank, T, offset, 0.5, 2, 0};
  kg_landmarks_features(&map, values, n, NULL, work, z, NULL, NULL, rest);
  kg_landmarks_features(&map, values, n, NULL, work, NULL, short_z, unit, rest);
  for (size_t i = 0; i < n; i++) {
    double mean = 0;
    for (size_t a = 0; a < m; a++) mean += values[i + a * n] / (double)m;
    MUST(isfinite(rest[i]));
    for (size_t q = 0; q < width; q++) {
      double right = 0, size_of_sum = 1e-30;
      for (size_t c = 0; q < rank && c <= q; c++) {
        double term = T[q * rank + c] * (values[i + c * n] - mean - offset[c]);
        right += term;
        size_of_sum += fabs(T[q * rank + c]) * (fabs(values[i + c * n]) + fabs(mean) + fabs(offset[c]));
      }
      MUST(fabs(z[i * width + q] - right) <= 1e-12 * size_of_sum);
      MUST(fabs((double)unit[i] * short_z[i * width + q] - z[i * width + q]) <=
           0.50001 * (double)unit[i] + 1e-38);
    }
  }

  kg_features from = {NULL, short_z, unit, width, n};
  kg_short f;
  const kg_input *input = fuzz_input(&kg_short_features, n, w, &from);
  void *memory;
  LAY(memory, kg_short_lay(&f, input, k, NULL, &room));
  kg_engine *e = &f.m.e;
  for (size_t i = 0, given = 0; i < n; i++) {
    size_t l = take_below(&in, k);
    e->label[i] = (int)(w[i] > 0 && given < k ? given++ : l);
  }
  double before = HUGE_VAL, scale = 0, piece = 1 + 4 * (double)take_below(&in, 90);
  memset(&e->rule, 0, sizeof e->rule);
  fuzz_totals(e, piece);
  for (size_t i = 0; i < n; i++) scale += w[i] * kg_means_norm2(&from, i);
  for (size_t sweep = 0, settled = 0; !settled; sweep++) {
    MUST(sweep < 100);
    for (size_t l = 0; l < k; l++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++) {
        MUST(e->label[i] >= 0 && (size_t)e->label[i] < k);
        count += (size_t)e->label[i] == l && w[i] > 0;
      }
      MUST(count > 0 && count == e->count[l]);
    }
    /* of the means as they run: the bounds must hold for these */
    double now = 0;
    for (size_t i = 0; i < n; i++)
      if (w[i] > 0) now += w[i] * kg_short_features.d2(e, i, (size_t)e->label[i]);
    MUST(now >= 0 && now <= before + 1e-9 * scale + 1e-290);
    before = now;
    size_t was = e->moves;
    for (size_t at = 0, next; at < n; at = next) {
      next = kg_short_features.sweep(e, at, piece);
      MUST(next > at && next <= n);
    }
    settled = e->moves == was;
  }
  fuzz_totals(e, piece);
  MUST(fabs(e->rule.W - before) <= 1e-9 * scale + 1e-290);
  for (size_t i = 0; i < n; i++) {
    double near = HUGE_VAL, best = 0;
    kg_short_features.nearest(e, k, i, i + 1, &near, &best);
    MUST(best >= 0 && best < (double)k);
  }
  return fuzz_end();
}
