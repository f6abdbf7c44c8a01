/* test_state.c - sums of a partition, its first pass in tiles, the rule of a move, threads. */
#include "reference.h"

/* R, V, s of a fit: built, moved, rebuilt, read, against the definitions. */

static void first_pass_is_as_defined(void) {
  uint64_t rng = 21;
  FOR_ALL_STORES(store, rho) {
    for (int zeros = 0; zeros < 2; zeros++) {
      problem p = problem_make(&rng, store, rho, 17, 3, 4, zeros);
      fit f = fit_make(&p, p.label);
      check_state(&p, &f.state, 1e-13);
      CHECK_NEAR(f.state.e.rule.W, (double)reference_cost(&p, p.label), 1e-12);
      fit_free(&f);
      problem_free(&p);
    }
  }
}

/* One pass for several states gives each what it would get alone. */
static void states_share_a_pass(void) {
  uint64_t rng = 22;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 19, 2, 3, 1);
    enum { MANY = 4 };
    fit fits[MANY];
    kg_state *states[MANY];
    for (int a = 0; a < MANY; a++) {
      random_labels(&rng, p.w, p.n, p.k, p.label);
      fits[a] = fit_alloc(&p, p.label);
      states[a] = &fits[a].state;
    }
    for (size_t i = 0; i < p.n; i += 7)
      kg_first_pass(states, MANY, i, i + 7 < p.n ? i + 7 : p.n, fits[0].buffer);
    for (int a = 0; a < MANY; a++) {
      kg_state_built(states[a]);
      CHECK(kg_totals(states[a]) == KG_OK);
      check_state(&p, states[a], 1e-13);
      fit_free(fits + a);
    }
    problem_free(&p);
  }
}

static void distances_to_means_are_as_defined(void) {
  uint64_t rng = 23;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 20, 3, 4, 1);
    fit f = fit_make(&p, p.label);
    double scale = 1 + reference_scale(&p);
    for (size_t i = 0; i < p.n; i++) {
      size_t nearest = 0;
      long double least = HUGE_VALL;
      for (size_t l = 0; l < p.k; l++) {
        long double d2 = reference_d2(&p, p.label, i, l);
        CHECK_NEAR((kg_d2(&f.state, i, l) - (double)d2) / scale, 0.0, 1e-12);
        if (d2 < least) least = d2, nearest = l;
      }
      double nearer = HUGE_VAL, best = 0;
      f.state.e.input->kind->nearest(&f.state.e, p.k, i, i + 1, &nearer, &best);
      size_t found = (size_t)best;
      /* the same cluster, or one that is as near but for rounding */
      CHECK(found == nearest ||
            fabsl(reference_d2(&p, p.label, i, found) - least) < 1e-12L * scale);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

/* Hundreds of random moves that leave no cluster empty, then the sums from scratch. */
static void moves_keep_the_sums(void) {
  uint64_t rng = 24;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 24, 3, 5, 1);
    fit f = fit_make(&p, p.label);
    size_t made = 0;
    for (int a = 0; a < 300; a++) {
      size_t i = ctest_below(&rng, p.n), l = ctest_below(&rng, p.k);
      size_t j = (size_t)f.label[i];
      if (p.w[i] == 0 || j == l || f.state.e.count[j] < 2) continue;
      move_now(&f.state, i, l);
      made++;
      CHECK((size_t)f.label[i] == l);
    }
    CHECK(f.state.e.moves == made && made > 50);
    check_state(&p, &f.state, 1e-11);
    fit_free(&f);
    problem_free(&p);
  }
}

/* A cluster that loses all but a 1e-14th of its weight: what is left must not be the
 * rounding of what went. */
static void light_remains_keep_their_digits(void) {
  uint64_t rng = 25;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 12, 3, 2, 0);
    for (size_t i = 0; i < p.n; i++) {
      p.w[i] = i < 4 ? 1e-14 * (1 + ctest_uniform(&rng)) : 1 + ctest_uniform(&rng);
      p.label[i] = i == p.n - 1;
    }
    fit f = fit_make(&p, p.label);
    for (size_t i = 4; i + 1 < p.n; i++) move_now(&f.state, i, 1);
    double scale = reference_scale(&p);
    long double s = reference_s(&p, f.label, 0), V = reference_V(&p, f.label, 0);
    CHECK(fabs(f.state.e.s[0] / (double)s - 1) < 1e-12);
    CHECK(fabs(f.state.e.V[0] - (double)V) <= 1e-12 * scale * (double)(s * s));
    for (size_t i = 0; i < p.n; i++) {
      long double R = reference_R(&p, f.label, i, 0);
      CHECK(fabs(f.state.R[i] - (double)R) <= 1e-12 * scale * (double)s);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

static void weightless_points_go_to_the_nearest_mean(void) {
  uint64_t rng = 26;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 30, 3, 4, 1);
    fit f = fit_make(&p, p.label);
    CHECK(kg_place(&f.state.e, 0, 1e9) == p.n);
    double scale = 1 + reference_scale(&p);
    for (size_t i = 0; i < p.n; i++) {
      if (p.w[i] > 0) {
        CHECK(f.label[i] == p.label[i]);
        continue;
      }
      long double here = reference_d2(&p, p.label, i, (size_t)f.label[i]);
      for (size_t l = 0; l < p.k; l++)
        CHECK(here <= reference_d2(&p, p.label, i, l) + 1e-12L * scale);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

/* Ties go to the lowest cluster: all points equal, all distances 0. */
static void ties_go_to_the_lowest(void) {
  double x[6] = {2, 2, 2, 2, 2, 2}, w[6] = {1, 1, 1, 0, 0, 0};
  int label[6] = {2, 1, 0, 2, 2, 1};
  kg_semimetric rho = {KG_POWER, 1};
  problem p;
  memset(&p, 0, sizeof p);
  p.n = 6, p.d = 1, p.k = 3, p.w = w;
  p.pairs = kg_points(x, 6, 1, rho);
  fit f = fit_make(&p, label);
  CHECK(kg_place(&f.state.e, 0, 1e9) == p.n);
  for (size_t i = 3; i < 6; i++) CHECK(f.label[i] == 0);
  fit_free(&f);
}

static void non_finite_values_are_reported(void) {
  uint64_t rng = 27;
  kg_semimetric rho = {KG_POWER, 2};
  problem p = problem_make(&rng, POINTS, rho, 10, 2, 2, 0);
  for (size_t i = 0; i < p.n * p.d; i++) p.x[i] *= 1e200;
  fit f = fit_alloc(&p, p.label);
  first_pass(&f.state, 0, p.n, f.buffer);
  kg_state_built(&f.state);
  CHECK(kg_totals(&f.state) == KG_NOT_FINITE);
  fit_free(&f);
  problem_free(&p);
}

/* All pieces of a step of the engine. */
static void whole_step(kg_engine *e, size_t (*step)(kg_engine *, size_t, double), double work) {
  for (size_t at = 0, next; at < e->n; at = next) {
    next = step(e, at, work);
    CHECK(next > at && next <= e->n);
    if (next <= at) return;
  }
}

/* The work that the driver requires of an engine, in pieces of any size: sums from labels, a copy that goes
 * on by itself, other labels, and the report of what the labels state. */
static void copies_go_on_alone_and_reports_are_as_defined(void) {
  uint64_t rng = 27;
  const kg_kind *kind = &kg_pair_sums;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 23, 2, 4, 1);
    double work = 1 + 200 * ctest_uniform(&rng), size = 1 + reference_scale(&p);
    int *other = NEW(int, p.n);
    long double sums[5] = {0}, all = 0, weight = 0;
    random_labels(&rng, p.w, p.n, p.k, other);
    fit f = fit_alloc(&p, p.label);
    kg_engine *e = &f.state.e;
    kg_first_pass(&(kg_state *){&f.state}, 1, 0, p.n, f.state.row);
    kg_state_built(&f.state);
    whole_step(e, kind->totals, work);
    check_state(&p, &f.state, 1e-13);
    for (size_t at = 0; at < p.n;) at = kind->relabel(e, other, at, work);
    whole_step(e, kind->totals, work);
    CHECK(memcmp(f.label, other, p.n * sizeof(int)) == 0);
    check_state(&p, &f.state, 1e-12);
    for (size_t l = 0; l < p.k; l++)
      CHECK_NEAR((kg_d2(&f.state, 0, l) - (double)reference_d2(&p, f.label, 0, l)) / size, 0.0, 1e-12);
    for (size_t at = 0; at < p.n;) {
      at = kind->report(e, sums, at, work);
      CHECK(at <= p.n);
    }
    for (size_t i = 0; i < p.n; i++) {
      weight += (long double)p.w[i];
      for (size_t j = 0; j < p.n; j++)
        all -= (long double)p.w[i] * (long double)p.w[j] * p.B[i + j * p.n];
    }
    CHECK_NEAR(e->total / size, (double)(all / weight) / size, 1e-11);
    for (size_t l = 0; l < p.k; l++) {
      long double V = reference_V(&p, other, l);
      CHECK_NEAR(e->V[l] / size, (double)V / size, 1e-11);
      CHECK_NEAR(e->cost[l] / size, (double)(-V / reference_s(&p, other, l)) / size, 1e-11);
    }
    free(other);
    fit_free(&f);
    problem_free(&p);
  }
}

/* Gaps between branches beside coordinates: many labels change at once, between few clusters
 * (by a table of branches), between more than the table has, and where branches are many. */
static void many_moves_at_once_reach_the_gaps(void) {
  uint64_t rng = 28;
  const size_t clusters[] = {2, 4, 40, 4}, branches[] = {3, 1, 5, 300};
  for (int a = 0; a < 24; a++) {
    kg_semimetric rho = all_semimetrics[a % 6];
    enum store store = a % 5 == 4 ? DENSE : POINTS;
    size_t k = clusters[a % 4], m = branches[a % 4], n = 150;
    problem p = problem_make(&rng, store, rho, n, 2, k, a % 2);
    double *H = NEW(double, m * m);
    int *branch = NEW(int, n), *other = NEW(int, n);
    for (size_t b = 0; b < m; b++)
      for (size_t c = 0; c <= b; c++) H[b * m + c] = H[c * m + b] = b == c ? 0 : 1 + ctest_uniform(&rng);
    for (size_t i = 0; i < n; i++) branch[i] = (int)ctest_below(&rng, m);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        p.B[i + j * n] -= (long double)H[(size_t)branch[i] * m + (size_t)branch[j]] / 2;
    kg_with_gaps both = {p.pairs, {branch, H, m}};
    p.pairs = kg_connect(&both);
    fit f = fit_make(&p, p.label);
    check_state(&p, &f.state, 1e-13);
    for (int round = 0; round < 4; round++) {
      random_labels(&rng, p.w, n, k, other);
      if (round % 2) /* few of them */
        for (size_t i = 3; i < n; i++) other[i] = f.label[i];
      if (!none_empty(&p, other)) continue;
      for (size_t at = 0; at < n;) at = kg_relabel(&f.state, other, at, round < 2 ? n : 7);
      CHECK(kg_totals(&f.state) == KG_OK);
      check_state(&p, &f.state, 1e-11);
    }
    for (int sweeps = 0; sweeps < 100 && sweep_all(&f.state); sweeps++) continue;
    CHECK(kg_totals(&f.state) == KG_OK);
    check_state(&p, &f.state, 1e-11);
    free(H), free(branch), free(other);
    fit_free(&f);
    problem_free(&p);
  }
}

/* The first pass in tiles, and the inner loops of every instruction set of this machine. */

static const char *const sets[] = {"base", "avx2", "avx512"};

static void tiles_are_as_defined(void) {
  uint64_t rng = 31;
  const size_t lengths[] = {1,  5,  16, 17, 65, 67, 33, 70, KG_SIDE - 1, KG_SIDE, KG_SIDE + 1,
                            2 * KG_SIDE + 9};
  enum { N_RHOS = 8 };
  const kg_semimetric rhos[N_RHOS] = {{KG_POWER, 1},         {KG_GAUSSIAN, 1.3},
                                      {KG_POWER, 0.7},       {KG_POWER, 2},
                                      {KG_POWER, 0.5},       {KG_POWER, 1.5},
                                      {KG_EXPONENTIAL, 0.7}, {KG_EXPONENTIAL, 5}};
  for (size_t set = 0; set < 3; set++) {
    if (!kg_choose_loops(sets[set])) continue;
    for (size_t a = 0; a < sizeof lengths / sizeof lengths[0]; a++) {
      size_t n = lengths[a], k = n < 3 ? n : 3;
      problem p = problem_make(&rng, POINTS, rhos[a % N_RHOS], n, 1 + a, k, n > 20);
      for (size_t i = 0; i < n && a % 2; i++) p.w[i] = 2.5; /* one unit: sums without products */
      fit f = fit_alloc(&p, p.label);
      kg_tiles t;
      /* a second state whose labels have nothing to do with the first's */
      problem q = p;
      q.label = NEW(int, n);
      for (size_t i = 0; i < n; i++) q.label[i] = (int)(i < k ? i : ctest_below(&rng, k));
      fit g = fit_alloc(&q, q.label);
      const int *labels[2] = {f.label, g.label};
      void *memory;
      LAY(memory, kg_tiles_lay(&t, &p.pairs, k, 2, &room));
      kg_tiles_fill(&t, p.w, labels);
      CHECK((t.shares.n > 0) == (set > 0 && a % N_RHOS != 2));
      double *workspace = NEW(double, kg_tiles_workspace(&t));
      for (size_t round = 0; round < kg_tiles_rounds(&t); round++) {
        size_t tasks = kg_tiles_tasks(&t, round);
        if (round % 2) kg_tiles_part(&t, round, 0, tasks, 1, workspace);
        for (size_t from = 0; from < tasks && !(round % 2); from++)
          kg_tiles_part(&t, round, from, from + 1, 1, workspace);
      }
      kg_tiles_read(&t, 0, 0, t.k, f.state.R);
      kg_tiles_read(&t, 1, 0, t.k, g.state.R);
      kg_state_built(&g.state);
      if (a > 0) { /* with one point the second state may leave a cluster empty */
        CHECK(kg_totals(&g.state) == KG_OK);
        check_state(&q, &g.state, 1e-13);
      }
      fit_free(&g);
      free(q.label);
      kg_state_built(&f.state);
      CHECK(kg_totals(&f.state) == KG_OK);
      check_state(&p, &f.state, 1e-13);
      free(memory), free(workspace);
      fit_free(&f);
      problem_free(&p);
    }
  }
  CHECK(kg_choose_loops("auto"));
}

/* Tiles of pairs that are copied as sorted, against the pass by rows. */
static void tiles_of_copied_pairs_are_sums_by_rows(void) {
  uint64_t rng = 34;
  const size_t lengths[] = {1, 3, 6, KG_SIDE - 1, KG_SIDE + 2, 2 * KG_SIDE + 9};
  const enum kg_family families[] = {KG_MANHATTAN, KG_MINKOWSKI, KG_MAXIMUM};
  const kg_semimetric rho = {KG_POWER, 1};
  for (size_t a = 0; a < 6; a++) {
    const size_t n = lengths[a], d = 3, k = n < 4 ? 1 : 4;
    problem p = problem_make(&rng, POINTS, rho, n, d, k, n > 3);
    kg_metric metric = {{p.x, n, d, {families[a % 3], 1.3}}, a % 2 ? 3 : 2.5};
    p.pairs = kg_metric_pairs(&metric);
    fit f = fit_alloc(&p, p.label), g = fit_alloc(&p, p.label);
    kg_state *state = &g.state;
    double *buffer = NEW(double, n);
    kg_first_pass(&state, 1, 0, n, buffer);
    const int *labels[1] = {f.label};
    kg_tiles t;
    void *memory;
    CHECK(kg_tiles_take(&p.pairs));
    LAY(memory, kg_tiles_lay(&t, &p.pairs, k, 1, &room));
    kg_tiles_fill(&t, p.w, labels);
    double *workspace = NEW(double, kg_tiles_workspace(&t));
    for (size_t round = 0; round < kg_tiles_rounds(&t); round++)
      kg_tiles_part(&t, round, 0, kg_tiles_tasks(&t, round), 1, workspace);
    kg_tiles_read(&t, 0, 0, t.k, f.state.R);
    for (size_t i = 0; i < n * k; i++) CHECK_NEAR(f.state.R[i], g.state.R[i], 1e-12);
    free(memory), free(workspace), free(buffer);
    fit_free(&f), fit_free(&g);
    problem_free(&p);
  }
}

/* Two partitions that cut across each other make many small shares; then a pass each is
 * cheaper, unless the pairwise dissimilarities are dear. */
static void partitions_share_a_pass_where_it_pays(void) {
  uint64_t rng = 33;
  kg_semimetric rho = {KG_POWER, 1};
  const size_t n = 600, k = 16, dims[] = {3, 3, 60};
  for (size_t a = 0; a < 3; a++) {
    problem p = problem_make(&rng, POINTS, rho, n, dims[a], k, 0);
    fit f = fit_alloc(&p, p.label), g = fit_alloc(&p, p.label);
    if (a > 0) random_labels(&rng, p.w, n, k, g.label);
    const int *labels[2] = {f.label, g.label};
    kg_tiles t;
    void *memory;
    LAY(memory, kg_tiles_lay(&t, &p.pairs, k, 2, &room));
    kg_tiles_fill(&t, p.w, labels);
    CHECK(kg_tiles_together(&t) == (a != 1 || !t.registers));
    free(memory);
    fit_free(&f), fit_free(&g);
    problem_free(&p);
  }
}

/* Every width, so that all tails are met; values against long double. */
static void loops_are_as_defined(void) {
  uint64_t rng = 32;
  for (size_t set = 0; set < 3; set++) {
    if (!kg_choose_loops(sets[set])) continue;
    CHECK(strcmp(kg_chosen_loops->name, sets[set]) == 0);
    for (size_t a = 0; a < N_SEMIMETRICS; a++) {
      kg_semimetric rho = all_semimetrics[a];
      for (size_t n = 1; n <= 35; n++) {
        double *value = NEW(double, n), *square = NEW(double, n);
        long double *right = NEW(long double, n);
        for (size_t i = 0; i < n; i++) {
          double d = i % 7 == 3 ? 0 : ctest_uniform(&rng) * (i % 5 == 0 ? 1e-7 : 4);
          value[i] = d;
          square[i] = d * d;
          right[i] = -reference_rho(rho, (long double)d) / 2;
        }
        kg_from_distances(rho, value, n);
        kg_from_squares(rho, square, n);
        for (size_t i = 0; i < n; i++) {
          long double allowed = 1e-14L * fabsl(right[i]);
          CHECK(fabsl(value[i] - right[i]) <= allowed);
          CHECK(fabsl(square[i] - right[i]) <= allowed);
        }
        free(value), free(square), free(right);
      }
    }
  }
  CHECK(!kg_choose_loops("mmx"));
  CHECK(kg_choose_loops("auto"));
}

/* The rule: the predicted change of W is the real one, W falls with every move, no cluster is
 * emptied, and at the end no single move helps. */

static size_t companions(const problem *p, const int *label, size_t i) {
  size_t count = 0;
  for (size_t y = 0; y < p->n; y++) count += y != i && label[y] == label[i] && p->w[y] > 0;
  return count;
}

static long double real_change(const problem *p, int *label, size_t i, size_t l) {
  long double before = reference_cost(p, label), after;
  int home = label[i];
  label[i] = (int)l;
  after = reference_cost(p, label);
  label[i] = home;
  return after - before;
}

static void moves_are_real_and_help(void) {
  uint64_t rng = 91;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 24, 3, 3, 1);
    fit f = fit_make(&p, p.label);
    kg_engine *e = &f.state.e;
    long double W = reference_cost(&p, f.label), scale = fabsl(W);
    for (int sweep = 0; sweep < 100; sweep++) {
      size_t was = e->moves;
      for (size_t at = 0; at < p.n;) {
        size_t before = e->moves;
        at = sweep_some(&f.state, at, 1);
        if (e->moves == before) continue;
        long double now = reference_cost(&p, f.label);
        CHECK(now < W);
        W = now;
        CHECK_NEAR((e->rule.W - (double)W) / (double)scale, 0, 1e-9); /* kept up to date by the moves */
      }
      CHECK(none_empty(&p, f.label));
      CHECK(kg_totals(&f.state) == KG_OK);
      if (e->moves == was) break;
    }
    for (size_t i = 0; i < p.n; i++) {
      kg_choice choice;
      int made = kg_best_move(&f.state, i, &choice);
      CHECK(!made);
      if (p.w[i] == 0 || companions(&p, f.label, i) < 1) {
        CHECK(choice.best == (size_t)-1);
        continue;
      }
      long double least = HUGE_VALL;
      for (size_t l = 0; l < p.k; l++)
        if (l != (size_t)f.label[i]) least = fminl(least, real_change(&p, f.label, i, l));
      CHECK_NEAR((choice.least - choice.gone - (double)least) / (double)scale, 0, 1e-10);
      CHECK(least > -1e-9L * scale);
    }
    for (size_t at = 0; at < p.n;) at = kg_place(e, at, 1);
    CHECK(none_empty(&p, f.label));
    fit_free(&f);
    problem_free(&p);
  }
}

/* Weights up to 1e15 apart: a move that is made lowers W by definition, and no local search ends
 * above its start. */
static void rounding_makes_no_move(void) {
  uint64_t rng = 95;
  kg_semimetric rho = {KG_POWER, 1};
  for (int a = 0; a < 60; a++) {
    problem p = problem_make(&rng, a % 2 ? POINTS : PACKED, rho, 30, 2, 4, 0);
    for (size_t i = 0; i < p.n; i++) p.w[i] = pow(10, -15 * ctest_uniform(&rng));
    fit f = fit_make(&p, p.label);
    long double W = reference_cost(&p, f.label);
    for (int sweep = 0; sweep < 100; sweep++) {
      size_t was = f.state.e.moves;
      for (size_t at = 0; at < p.n;) {
        size_t before = f.state.e.moves;
        at = sweep_some(&f.state, at, 1);
        if (f.state.e.moves == before) continue;
        long double now = reference_cost(&p, f.label);
        CHECK(now <= W * (1 + 1e-15L));
        W = now;
      }
      if (!CHECK(sweep < 99) || f.state.e.moves == was) break;
      for (int done = 0; done == 0;) done = kg_pair_sums.repair(&f.state.e, 1, 1e9);
      CHECK(kg_totals(&f.state) == KG_OK);
      CHECK_NEAR(f.state.e.rule.W / (double)W, 1, 1e-12);
    }
    fit_free(&f);
    problem_free(&p);
  }
}

/* sum_l s_l t1_l^2 / sum_l s_l t2_l, t1 and t2 from the centred matrix of each cluster that
 * has five points. */
static void dimension_is_as_defined(void) {
  uint64_t rng = 94;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 33, 3, 3, 1);
    for (size_t i = 0; i < p.n; i++) p.label[i] = i < 3 ? 2 : (int)(i % 2);
    for (size_t i = 0; i < 13; i++) p.w[i] = 1 + (double)i / 8;
    fit f = fit_make(&p, p.label);
    double square[3] = {0, 0, 0}, trace[3], weight2[3];
    for (size_t from = 0; from < p.n; from += 7)
      kg_dimension_rows(&f.state, from, from + 7 < p.n ? from + 7 : p.n, square, f.buffer);
    long double above = 0, below = 0;
    for (size_t l = 0; l < 2; l++) { /* the third has too few points */
      long double s = reference_s(&p, p.label, l), V = reference_V(&p, p.label, l);
      long double t1 = 0, t2 = 0, w2 = 0;
      for (size_t i = 0; i < p.n; i++)
        for (size_t j = 0; j < p.n && (size_t)p.label[i] == l; j++) {
          if ((size_t)p.label[j] != l) continue;
          long double K = p.B[i + j * p.n] - reference_R(&p, p.label, i, l) / s -
                          reference_R(&p, p.label, j, l) / s + V / s / s;
          long double w = (long double)p.w[i] * (long double)p.w[j];
          if (i == j) w2 += w, t1 += (long double)p.w[i] * K;
          else t2 += w * K * K;
        }
      t1 /= s - w2 / s, t2 /= s * s - w2;
      above += s * t1 * t1, below += s * t2;
    }
    CHECK_NEAR(kg_dimension(&f.state, square, trace, weight2), (double)(above / below), 1e-9);
    fit_free(&f);
    problem_free(&p);
  }
}

/* How many threads there may be. */

static void never_fewer_than_one_nor_within_another_team(void) {
  CHECK(kg_threads_allowed(1) == 1);
  CHECK(kg_threads_allowed(0) == 1);
  CHECK(kg_threads_allowed(-5) == 1);
  CHECK(kg_threads_allowed(2) <= 2);
  CHECK(kg_thread_number() == 0);
#ifdef _OPENMP
  int inside[2] = {0, 0};
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2; i++) inside[i] = kg_threads_allowed(4);
  CHECK(inside[0] == 1 && inside[1] == 1);
#endif
}

int main(void) {
  RUN(first_pass_is_as_defined);
  RUN(states_share_a_pass);
  RUN(distances_to_means_are_as_defined);
  RUN(moves_keep_the_sums);
  RUN(light_remains_keep_their_digits);
  RUN(weightless_points_go_to_the_nearest_mean);
  RUN(ties_go_to_the_lowest);
  RUN(non_finite_values_are_reported);
  RUN(copies_go_on_alone_and_reports_are_as_defined);
  RUN(many_moves_at_once_reach_the_gaps);
  RUN(tiles_are_as_defined);
  RUN(tiles_of_copied_pairs_are_sums_by_rows);
  RUN(partitions_share_a_pass_where_it_pays);
  RUN(loops_are_as_defined);
  RUN(dimension_is_as_defined);
  RUN(moves_are_real_and_help);
  RUN(rounding_makes_no_move);
  RUN(never_fewer_than_one_nor_within_another_team);
  return DONE();
}
