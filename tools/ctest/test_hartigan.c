/* test_hartigan.c - Hartigan's method: the predicted change is the real one, W falls with
 * every move, no cluster empties, and at the end no single move helps. */
#include "reference.h"

/* W after point i goes to l, less W now; by definition. */
static long double real_change(const problem *p, int *label, size_t i, size_t l) {
  long double before = reference_cost(p, label), after;
  int home = label[i];
  label[i] = (int)l;
  after = reference_cost(p, label);
  label[i] = home;
  return after - before;
}

static double cost_scale(const problem *p) {
  double total = 0;
  for (size_t i = 0; i < p->n; i++) total += p->w[i];
  return 1 + reference_scale(p) * total;
}

static size_t companions(const problem *p, const int *label, size_t i) {
  size_t count = 0;
  for (size_t y = 0; y < p->n; y++) count += y != i && label[y] == label[i] && p->w[y] > 0;
  return count;
}

static void predicted_changes_are_real(void) {
  uint64_t rng = 31;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 14, 3, 4, 1);
    fit f = fit_make(&p, p.label);
    double scale = cost_scale(&p);
    for (size_t i = 0; i < p.n; i++) {
      kg_choice choice;
      int made = kg_best_move(&f.state, i, &choice);
      size_t best = choice.best;
      if (p.w[i] == 0 || companions(&p, p.label, i) == 0) {
        CHECK(!made && best == (size_t)-1);
        continue;
      }
      double change = choice.least - choice.gone;
      CHECK(best != (size_t)p.label[i]);
      long double least = HUGE_VALL;
      for (size_t l = 0; l < p.k; l++)
        if (l != (size_t)p.label[i]) least = fminl(least, real_change(&p, f.label, i, l));
      CHECK_NEAR((change - (double)least) / scale, 0.0, 1e-12);
      CHECK_NEAR((change - (double)real_change(&p, f.label, i, best)) / scale, 0.0, 1e-12);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

/* One move at a time; returns how many were made. */
static size_t descend(const problem *p, fit *f) {
  size_t sweeps = 0, moves = 0, budget = 20000;
  long double W = reference_cost(p, f->label);
  double scale = cost_scale(p);
  for (;;) {
    size_t before = f->state.e.moves, at = 0;
    while (at < p->n) {
      size_t was = f->state.e.moves;
      at = sweep_some(&f->state, at, 1);
      if (f->state.e.moves == was) continue;
      CHECK(f->state.e.moves == was + 1);
      long double now = reference_cost(p, f->label);
      CHECK(now < W + 1e-12L * scale);
      W = now;
      if (!CHECK(none_empty(p, f->label))) return moves;
      if (!CHECK(++moves < budget)) return moves;
    }
    CHECK(kg_totals(&f->state) == KG_OK);
    if (!CHECK(++sweeps < 1000)) return moves;
    if (f->state.e.moves == before) return moves;
  }
}

static void descent_falls_and_ends_where_no_move_helps(void) {
  uint64_t rng = 32;
  FOR_ALL_STORES(store, rho) {
    for (int a = 0; a < 3; a++) {
      size_t n = 6 + ctest_below(&rng, 20), k = 1 + ctest_below(&rng, 5);
      problem p = problem_make(&rng, store, rho, n, 2, k, a > 0);
      fit f = fit_make(&p, p.label);
      descend(&p, &f);
      check_state(&p, &f.state, 1e-11);
      double scale = cost_scale(&p);
      long double least = 0;
      for (size_t i = 0; i < n; i++) {
        if (p.w[i] == 0) {
          CHECK(f.label[i] == p.label[i]);
          continue;
        }
        if (companions(&p, f.label, i) == 0) continue;
        for (size_t l = 0; l < k; l++)
          if (l != (size_t)f.label[i]) least = fminl(least, real_change(&p, f.label, i, l));
      }
      CHECK(least > -(long double)f.state.e.rule.tolerance - 1e-12L * scale);
      fit_free(&f);
      problem_free(&p);
    }
  }
}

/* However the sweep is cut into pieces, the moves are the same. */
static void budgets_do_not_matter(void) {
  uint64_t rng = 33;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 40, 3, 4, 1);
    int *ends[3];
    double budgets[3] = {1, 3, 1e9};
    size_t moves[3];
    for (int a = 0; a < 3; a++) {
      fit f = fit_make(&p, p.label);
      for (size_t was = 1, now = 0; was != now;) {
        was = f.state.e.moves;
        for (size_t at = 0; at < p.n;) at = sweep_some(&f.state, at, budgets[a]);
        now = f.state.e.moves;
      }
      ends[a] = NEW(int, p.n);
      memcpy(ends[a], f.label, p.n * sizeof(int));
      moves[a] = f.state.e.moves;
      fit_free(&f);
    }
    for (int a = 1; a < 3; a++) {
      CHECK(memcmp(ends[0], ends[a], p.n * sizeof(int)) == 0);
      CHECK(moves[0] == moves[a]);
    }
    for (int a = 0; a < 3; a++) free(ends[a]);
    problem_free(&p);
  }
}

/* A sweep of many candidates returns now and then, for the caller to scan up; the moves are
 * the same. */
static void long_sweeps_come_in_parts(void) {
  enum { N = 9000, K = 8000 }; /* above 2^26 candidates */
  uint64_t rng = 39;
  kg_semimetric rho = {KG_POWER, 2};
  double *x = NEW(double, N), *w = NEW(double, N);
  double *buffer = NEW(double, N);
  size_t calls = 0;
  void *memory;
  int *label = NEW(int, N);
  kg_pairs pairs = kg_points(x, N, 1, rho);
  for (size_t i = 0; i < N; i++) {
    x[i] = (double)(i % K) + 0.1 * ctest_uniform(&rng);
    w[i] = 1, label[i] = (int)(i % K);
  }
  kg_state state;
  kg_input input = {&kg_pair_sums, N, w, &pairs};
  LAY(memory, kg_state_lay(&state, &input, K, label, 1, &room));
  first_pass(&state, 0, N, buffer);
  kg_state_built(&state);
  CHECK(kg_totals(&state) == KG_OK);
  for (size_t at = 0, before = 0; at < N; before = at, calls++) {
    at = kg_hartigan_sweep(&state, at, 268435456.0);
    if (!CHECK(at > before)) break;
  }
  CHECK(calls > 1);
  CHECK(state.e.moves == 0); /* every point is with its like */
  free(x), free(w), free(buffer), free(label), free(memory);
}

/* All partitions of 7 points: the best of the local searches from all of them is the best of
 * them all, and none ends below it. */
static void exhaustive_starts_find_the_best(void) {
  uint64_t rng = 34;
  FOR_ALL_STORES(store, rho) {
    enum { N = 7, K = 3 };
    problem p = problem_make(&rng, store, rho, N, 2, K, 0);
    long double best = HUGE_VALL, reached = HUGE_VALL;
    int label[N];
    for (int code = 0; code < 2187; code++) { /* 3^7 */
      for (int i = 0, rest = code; i < N; i++, rest /= K) label[i] = rest % K;
      if (!none_empty(&p, label)) continue;
      best = fminl(best, reference_cost(&p, label));
      if (code % 13) continue;
      fit f = fit_make(&p, label);
      for (size_t was = 1, now = 0; was != now;) {
        was = f.state.e.moves;
        sweep_all(&f.state);
        now = f.state.e.moves;
      }
      reached = fminl(reached, reference_cost(&p, f.label));
      fit_free(&f);
    }
    CHECK_NEAR((double)reached, (double)best, 1e-9);
    problem_free(&p);
  }
}

/* As many clusters as points, all points equal, one cluster. */
static void edges(void) {
  uint64_t rng = 35;
  kg_semimetric rho = {KG_POWER, 1};
  for (size_t n = 1; n <= 6; n++)
    for (size_t k = 1; k <= n; k++)
      for (int equal = 0; equal < 2; equal++) {
        problem p = problem_make(&rng, POINTS, rho, n, 2, k, 0);
        if (equal) {
          for (size_t i = 0; i < n * p.d; i++) p.x[i] = 3;
          memset(p.B, 0, n * n * sizeof(long double));
        }
        fit f = fit_make(&p, p.label);
        size_t moves = descend(&p, &f);
        if (k == 1 || k == n || equal) CHECK(moves == 0);
        CHECK(none_empty(&p, f.label));
        fit_free(&f);
        problem_free(&p);
      }
}

/* Whom the screen passes over has no better cluster, however the partition has changed since the last time. */
static void no_move_escapes_the_screen(void) {
  uint64_t rng = 36;
  size_t passed = 0;
  FOR_ALL_STORES(store, rho) {
    size_t n = 1 + ctest_below(&rng, 2 * KG_BLOCK), k = 1 + ctest_below(&rng, n < 12 ? n : 12);
    problem p = problem_make(&rng, store, rho, n, 3, k, 1);
    fit f = fit_make(&p, p.label);
    for (int change = 0; change < 12; change++) {
      for (size_t block = 0; block * KG_BLOCK < n; block++) {
        unsigned long long scan = kg_screen(&f.state, block);
        for (size_t i = block * KG_BLOCK; i < n && i < (block + 1) * KG_BLOCK; i++) {
          kg_choice choice;
          int may = (int)(scan >> (i - block * KG_BLOCK) & 1);
          if (kg_best_move(&f.state, i, &choice)) CHECK(may);
          if (p.w[i] == 0) CHECK(!may);
          passed += !may;
        }
        if (change % 3 == 1) break; /* the other block is screened after two changes */
      }
      if (change % 4 == 3)
        kg_hartigan_sweep(&f.state, 0, 5 * kg_state_row_cost(&f.state));
      size_t i = ctest_below(&rng, n), l = ctest_below(&rng, k);
      if (p.w[i] > 0 && f.state.e.count[f.state.e.label[i]] > 1 && l != (size_t)f.state.e.label[i])
        f.state.e.input->kind->move(&f.state.e, i, l);
    }
    fit_free(&f);
    problem_free(&p);
  }
  CHECK(passed > 1000);
}

/* Moves that waited are in R of every stretch, whatever the pieces and the threads. */
static void waiting_moves_arrive(void) {
  uint64_t rng = 37;
  FOR_ALL_STORES(store, rho) {
    size_t n = KG_STRETCH + 1 + ctest_below(&rng, 40);
    problem p = problem_make(&rng, store, rho, n, 2, 3, 1);
    int *target = NEW(int, n);
    random_labels(&rng, p.w, n, p.k, target);
    for (int threads = 1; threads < 3; threads++) {
      fit f = fit_make(&p, p.label);
      kg_state_threads(&f.state, threads);
      for (size_t at = 0; at < n;) at = kg_relabel(&f.state, target, at, 100);
      CHECK(memcmp(f.label, target, n * sizeof(int)) == 0);
      CHECK(f.state.waiting.n == 0);
      CHECK(kg_totals(&f.state) == KG_OK);
      check_state(&p, &f.state, 1e-12);
      fit_free(&f);
    }
    free(target);
    problem_free(&p);
  }
}

/* One weight far below the others adds no work: no column of R is recomputed for it. */
static void light_points_cost_no_columns(void) {
  uint64_t rng = 41;
  for (enum store store = POINTS; store <= GRAM; store++) {
    kg_semimetric rho = {KG_POWER, 1};
    problem p = problem_make(&rng, store, rho, 60, 2, 2, 0);
    p.w[7] = 1e-9;
    for (size_t i = 0; i < p.n; i++) p.label[i] = (int)(i % 2);
    fit f = fit_make(&p, p.label);
    sweep_all(&f.state);
    CHECK(f.state.e.moves > 0 && kg_totals(&f.state) == KG_OK);
    CHECK(kg_pair_sums.repair(&f.state.e, 1, HUGE_VAL) == KG_REPAIR_NOTHING);
    check_state(&p, &f.state, 1e-12);
    fit_free(&f);
    problem_free(&p);
  }
}

/* A heavy point leaves light ones behind: what stays in the sums is theirs, not rounding. */
static void light_remains_are_rebuilt(void) {
  uint64_t rng = 38;
  for (enum store store = POINTS; store < GRAM; store++) {
    kg_semimetric rho = {KG_POWER, 1};
    problem p = problem_make(&rng, store, rho, 40, 1, 2, 0);
    for (size_t i = 0; i < p.n; i++) p.x[i] += i > 0 && i < 20 ? 0 : 100;
    for (size_t i = 0, at = 0; i < p.n; i++) {
      p.w[i] = i == 0 ? 1e8 : 1;
      p.label[i] = i >= 20;
      for (size_t j = 0; j < p.n; j++) {
        long double d = fabsl((long double)p.x[i] - (long double)p.x[j]);
        p.B[i + j * p.n] = -d / 2;
        if (store == DENSE) p.dense[i + j * p.n] = (double)(-d / 2);
        if (store == PACKED && j > i) p.packed[at++] = (double)d;
      }
    }
    fit f = fit_make(&p, p.label);
    for (size_t at = 0; at < p.n;) at = sweep_some(&f.state, at, 1);
    CHECK(f.label[0] == 1 && f.state.e.moves == 1);
    CHECK_NEAR(f.state.e.s[0], 19, 1e-14);
    CHECK_NEAR(f.state.e.V[0], (double)reference_V(&p, f.label, 0), 1e-13);
    for (size_t i = 0; i < p.n; i++)
      CHECK_NEAR(f.state.R[i], (double)reference_R(&p, f.label, i, 0), 1e-13);
    fit_free(&f);
    problem_free(&p);
  }
}

/* Equal points end in clusters of nothing but equal points, whose sums are 0 but for what
 * others have left in them: the local search ends, and the sums are 0. */
static void equal_points_come_to_rest(void) {
  uint64_t rng = 40;
  enum { N = 9, K = 4, PLACES = 3 };
  for (int round = 0; round < 600; round++) {
    double x[N], w[N], place[PLACES];
    int label[N];
    kg_semimetric rho = {KG_POWER, round % 2 ? 1 : 0.5};
    for (size_t a = 0; a < PLACES; a++) place[a] = ctest_uniform(&rng);
    for (size_t i = 0; i < N; i++) {
      x[i] = place[ctest_below(&rng, PLACES)];
      w[i] = round % 3 ? 1 : 1 + ctest_uniform(&rng);
    }
    random_labels(&rng, w, N, K, label);
    problem p = {0};
    p.n = N, p.k = K, p.w = w;
    p.pairs = kg_points(x, N, 1, rho);
    fit f = fit_make(&p, label);
    size_t sweeps = 0, before = 1;
    while (before != f.state.e.moves && ++sweeps < 100) {
      before = f.state.e.moves;
      sweep_all(&f.state);
      CHECK(kg_totals(&f.state) == KG_OK);
      while (kg_pair_sums.repair(&f.state.e, 1, 1) == 0) continue;
      CHECK(kg_totals(&f.state) == KG_OK);
    }
    CHECK(sweeps < 100);
    for (size_t l = 0; l < K; l++) {
      int equal = 1;
      double first = NAN;
      for (size_t i = 0; i < N; i++) {
        if ((size_t)f.label[i] != l) continue;
        if (isnan(first)) first = x[i];
        equal = equal && x[i] == first;
      }
      if (equal) CHECK(f.state.e.V[l] == 0);
    }
    fit_free(&f);
  }
}

int main(void) {
  RUN(equal_points_come_to_rest);
  RUN(no_move_escapes_the_screen);
  RUN(waiting_moves_arrive);
  RUN(light_points_cost_no_columns);
  RUN(light_remains_are_rebuilt);
  RUN(long_sweeps_come_in_parts);
  RUN(predicted_changes_are_real);
  RUN(descent_falls_and_ends_where_no_move_helps);
  RUN(budgets_do_not_matter);
  RUN(exhaustive_starts_find_the_best);
  RUN(edges);
  return DONE();
}
