/* test_gaps.c - trees of gaps, and numbers on a line. */
#include "reference.h"

/* Cores, spanning trees and branches against slow definitions. */

/* A small problem with ties: distances in D, by definition. */
typedef struct {
  size_t n;
  double *x, *D, *w;
  kg_pairs pairs;
} gaps;

static gaps gaps_make(uint64_t *rng, int points, size_t n, size_t d, int grid,
                      int weights) {
  gaps g;
  g.n = n;
  g.x = NEW(double, n *d);
  g.D = NEW(double, n *n);
  g.w = NEW(double, n);
  for (size_t i = 0; i < n * d; i++)
    g.x[i] = grid ? (double)ctest_below(rng, (size_t)grid)
                  : floor(4096 * ctest_normal(rng)) / 4096; /* squares without rounding */
  for (size_t i = 0; i < n; i++)
    g.w[i] = weights == 0   ? 1
             : weights == 1 ? (double)(1 + ctest_below(rng, 3))
                            : 0.1 + ctest_uniform(rng);
  if (weights == 3)
    for (size_t i = 0; i < n; i++)
      g.w[i] = ctest_below(rng, 4) ? g.w[i] : 0;
  kg_semimetric square = {KG_POWER, 2}, given = {KG_GIVEN, 0};
  if (points) {
    g.pairs = kg_points(g.x, n, d, square);
  } else {
    double *packed = NEW(double, n *(n - 1) / 2 + 1);
    size_t at = 0;
    for (size_t j = 0; j < n; j++)
      for (size_t i = j + 1; i < n; i++) {
        double sum = 0;
        for (size_t c = 0; c < d; c++)
          sum += fabs(g.x[i + c * n] - g.x[j + c * n]);
        packed[at++] = grid ? sum : ctest_uniform(rng);
      }
    free(g.x);
    g.x = packed;
    g.pairs = kg_packed(packed, n, given);
  }
  double *row = NEW(double, n);
  for (size_t i = 0; i < n; i++) {
    const double *B = kg_row(&g.pairs, i, row);
    for (size_t j = 0; j < n; j++)
      g.D[i + j * n] = i == j ? 0 : kg_snap(points ? sqrt(-2 * B[j]) : -2 * B[j]);
  }
  free(row);
  return g;
}

static void gaps_free(gaps *g) {
  free(g->x), free(g->D), free(g->w);
}

/* core by sorting all values */
static double slow_core(const gaps *g, size_t i, double wanted) {
  double core = HUGE_VAL, most = 0;
  for (size_t j = 0; j < g->n; j++) {
    double r = g->D[i + j * g->n], weight = 0;
    if (g->w[j] == 0)
      continue;
    if (r > most)
      most = r;
    for (size_t a = 0; a < g->n; a++)
      if (g->D[i + a * g->n] <= r)
        weight += g->w[a];
    if (weight >= wanted && r < core)
      core = r;
  }
  return core < HUGE_VAL ? core : most;
}

/* Kruskal over all pairs: the least edge between two components, n - 1 times. */
static size_t slow_tree(const gaps *g, const double *core, kg_link *links) {
  size_t n = g->n, many = 0, *part = NEW(size_t, n);
  for (size_t i = 0; i < n; i++)
    part[i] = i;
  for (;;) {
    kg_link best = {HUGE_VAL, HUGE_VAL, n, n};
    for (size_t i = 0; i < n; i++)
      for (size_t j = i + 1; j < n; j++) {
        double d = g->D[i + j * n], height = fmax(d, fmax(core[i], core[j]));
        if (part[i] == part[j] || g->w[i] == 0 || g->w[j] == 0)
          continue;
        kg_link link = {d == 0 ? 0 : height, d, i, j};
        if (kg_link_less(&link, &best))
          best = link;
      }
    if (best.a == n)
      break;
    links[many++] = best;
    size_t old = part[best.b], now = part[best.a];
    for (size_t i = 0; i < n; i++)
      if (part[i] == old)
        part[i] = now;
  }
  free(part);
  return many;
}

static int by_link(const void *a, const void *b) {
  const kg_link *one = (const kg_link *)a, *other = (const kg_link *)b;
  return kg_link_less(one, other) ? -1 : kg_link_less(other, one);
}

static int same_links(const kg_link *a, const kg_link *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i].height != b[i].height || a[i].length != b[i].length || a[i].a != b[i].a ||
        a[i].b != b[i].b)
      return 0;
  return 1;
}

/* Cores and tree of distinct points by boxes; returns the number of points. */
static size_t by_boxes(const gaps *g, size_t d, double wanted, double *core,
                       kg_link *links, size_t steps) {
  size_t n = g->n, *order = NEW(size_t, n), *space = NEW(size_t, n), m = 0, zeros;
  double *weight = NEW(double, n);
  kg_table table = {g->x, n, d};
  for (size_t i = 0; i < n; i++)
    if (g->w[i] > 0)
      order[m++] = i;
  for (size_t width = 1; width < m; width *= 2) {
    kg_merge_runs(order, space, m, width, kg_before_row, &table);
    memcpy(order, space, m * sizeof(size_t));
  }
  size_t many = kg_distinct_rows(&table, order, m, g->w, weight, links, &zeros);
  kg_leaves l;
  void *memory;
  LAY(memory, kg_leaves_lay(&l, many, d, &room));
  kg_leaves_begin(&l, &table, order);
  while (!kg_leaves_split(&l))
    continue;
  kg_leaves_fill(&l, weight, 0, l.n_leaves);
  char *workspace = NEW(char, 2 * kg_leaves_workspace(&l));
  kg_leaves_cores(&l, wanted, 0, l.n_leaves / 2, 1, workspace);
  kg_leaves_cores(&l, wanted, l.n_leaves / 2, l.n_leaves, 2, workspace);
  for (size_t a = 0; a < l.n_leaves; a++)
    for (size_t j = 0; j < l.boxes.count[a]; j++)
      core[l.points.row[a * KG_LEAF + j]] = sqrt(l.points.core[a * KG_LEAF + j]);
  while (!kg_leaves_grow(&l, links, steps))
    continue;
  free(order), free(space), free(weight), free(workspace), free(memory);
  return many;
}

static void trees_are_as_defined(void) {
  uint64_t rng = 91;
  for (size_t run = 0; run < 120; run++) {
    int points = run % 3 != 0, grid = run % 2 ? 2 + (int)ctest_below(&rng, 9) : 0;
    size_t n = 1 + ctest_below(&rng, run % 7 == 0 ? 200 : 40),
           d = 1 + ctest_below(&rng, 4);
    gaps g = gaps_make(&rng, points, n, d, grid, (int)(run % 4));
    double wanted = (run % 5 == 4 ? 40 : (double)(1 + run % 5)) * KG_NEARLY;
    double *core = NEW(double, n), *space = NEW(double, 2 * n), total = 0;
    for (size_t i = 0; i < n; i++)
      total += g.w[i];
    kg_link *right = NEW(kg_link, n), *links = NEW(kg_link, n);
    for (size_t i = 0; i < n; i++)
      core[i] = slow_core(&g, i, wanted);
    size_t many = slow_tree(&g, core, right);

    kg_prim r;
    void *memory;
    LAY(memory, kg_prim_lay(&r, n, &room));
    kg_prim_begin(&r, &g.pairs, g.w, points);
    kg_prim_cores(&r, wanted, 0, n / 2, space);
    kg_prim_cores(&r, wanted, n / 2, n, space);
    for (size_t i = 0; i < n; i++)
      CHECK(g.w[i] == 0 || r.core[i] == core[i]);
    while (!kg_prim_grow(&r, links, 1 + n / 3))
      continue;
    qsort(links, many, sizeof(kg_link), by_link);
    CHECK(same_links(links, right, many));

    if (points && total > 0) {
      double *boxed = NEW(double, n);
      size_t distinct = by_boxes(&g, d, wanted, boxed, links, 1 + n / 3), zeros = 0;
      while (zeros < many && right[zeros].height == 0)
        zeros++;
      CHECK(distinct + zeros == many + 1);
      qsort(links, distinct - 1, sizeof(kg_link), by_link);
      CHECK(same_links(links, right + zeros, distinct - 1));
      free(boxed);
    }
    free(memory), free(core), free(space), free(right), free(links);
    gaps_free(&g);
  }
}

/* Larger sets, many boxes: both ways give the same tree. */
static void boxes_agree_with_rows(void) {
  uint64_t rng = 17;
  for (size_t run = 0; run < 8; run++) {
    size_t n = 700 + ctest_below(&rng, 500), d = 1 + run;
    gaps g = gaps_make(&rng, 1, n, d, run % 2 ? 30 : 0, (int)(run % 4));
    double wanted = (double)(2 + run) * KG_NEARLY;
    kg_link *right = NEW(kg_link, n), *links = NEW(kg_link, n);
    double *core = NEW(double, n), *space = NEW(double, 2 * n);
    kg_prim r;
    void *memory;
    LAY(memory, kg_prim_lay(&r, n, &room));
    kg_prim_begin(&r, &g.pairs, g.w, 1);
    kg_prim_cores(&r, wanted, 0, n, space);
    while (!kg_prim_grow(&r, right, 100))
      continue;
    size_t many = r.members - 1, zeros = 0;
    qsort(right, many, sizeof(kg_link), by_link);
    while (zeros < many && right[zeros].height == 0)
      zeros++;
    size_t distinct = by_boxes(&g, d, wanted, core, links, 1000);
    qsort(links, distinct - 1, sizeof(kg_link), by_link);
    if (run % 2) { /* whole numbers: no rounding */
      CHECK(distinct + zeros == many + 1);
      CHECK(same_links(links, right + zeros, distinct - 1));
    } else {
      for (size_t i = 0; i + 1 < distinct; i++)
        CHECK_NEAR(links[i].height, right[zeros + i].height, 1e-14);
    }
    free(memory), free(right), free(links), free(core), free(space);
    gaps_free(&g);
  }
}

static void weighted_least_is_as_defined(void) {
  uint64_t rng = 5;
  for (size_t run = 0; run < 300; run++) {
    size_t n = 1 + ctest_below(&rng, 30);
    double value[30], weight[30], right = HUGE_VAL, most = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
      value[i] = (double)ctest_below(&rng, 8);
      weight[i] = (double)ctest_below(&rng, 3);
      total += weight[i];
      if (weight[i] > 0 && value[i] > most)
        most = value[i];
    }
    double wanted = (double)(1 + ctest_below(&rng, 40));
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t j = 0; j < n; j++)
        if (value[j] <= value[i])
          sum += weight[j];
      if (sum >= wanted && value[i] < right)
        right = value[i];
    }
    if (total < wanted)
      right = most;
    CHECK(kg_weighted_least(value, weight, n, wanted) == right);
  }
}

/* ---- branches ---- */

/* One level of the definition: links [from, to), of one height. Components are labels in
 * part; O(n^2) an edge. */
static void slow_level(const double *w, size_t n, const kg_link *links, size_t from,
                       size_t to, double q, double least, size_t *part, size_t *branch,
                       size_t *made, double *v) {
  size_t *now = NEW(size_t, n), *before = NEW(size_t, n);
  double h = from < to && links[from].height > q ? links[from].height - q : 0;
  memcpy(now, part, n * sizeof(size_t));
  memcpy(before, branch, n * sizeof(size_t));
  for (size_t e = from; e < to; e++) { /* light ones take the branch they are joined to */
    size_t one = now[links[e].a], other = now[links[e].b];
    size_t of_one = branch[links[e].a], of_other = branch[links[e].b];
    for (size_t i = 0; i < n; i++) {
      if (of_other == KG_NO_BRANCH && now[i] == other)
        branch[i] = of_one;
      if (of_one == KG_NO_BRANCH && now[i] == one)
        branch[i] = of_other;
    }
    for (size_t i = 0; i < n; i++)
      if (now[i] == other)
        now[i] = one;
  }
  for (size_t i = 0; i < n; i++) /* heavy ones meet */
    for (size_t j = 0; j < n; j++)
      if (before[i] != KG_NO_BRANCH && before[j] != KG_NO_BRANCH && part[i] != part[j] &&
          now[i] == now[j])
        v[before[i] + before[j] * n] = h;
  for (size_t i = 0; i < n; i++) { /* none heavy, heavy together */
    double weight = 0;
    for (size_t j = 0; j < n; j++)
      if (now[j] == now[i])
        weight += w[j];
    if (branch[i] != KG_NO_BRANCH || w[i] == 0 || weight < least * KG_NEARLY)
      continue;
    for (size_t j = 0; j < n; j++)
      if (now[j] == now[i])
        branch[j] = *made;
    ++*made;
  }
  memcpy(part, now, n * sizeof(size_t));
  free(now), free(before);
}

static size_t all_at(void *context, size_t i, double length, size_t *out) {
  const gaps *g = (const gaps *)context;
  size_t many = 0;
  for (size_t j = 0; j < g->n; j++)
    if (g->w[j] > 0 && kg_snap(g->D[i + j * g->n]) == length)
      out[many++] = j;
  return many;
}

/* Values of D stand for distances, their tree in order. */
static size_t gaps_tree(const gaps *g, double wanted, double *core, kg_link *links) {
  for (size_t i = 0; i < g->n; i++)
    core[i] = slow_core(g, i, wanted);
  size_t many = slow_tree(g, core, links);
  qsort(links, many, sizeof(kg_link), by_link);
  return many;
}

/* v of all pairs, -1 where a weight is 0; returns the number of branches. */
static size_t gaps_branches(gaps *g, double wanted, kg_condense rule, size_t steps,
                            double *v) {
  size_t n = g->n;
  double *core = NEW(double, n);
  kg_link *links = NEW(kg_link, n);
  size_t many = gaps_tree(g, wanted, core, links), *number = NEW(size_t, n);
  kg_ties ties = {g, all_at, core};
  kg_branches b;
  void *memory;
  LAY(memory, kg_branches_lay(&b, n, &room));
  rule.threshold = kg_snap(rule.threshold);
  kg_branches_begin(&b, g->w, links, many, ties, rule);
  while (!kg_branches_grow(&b, steps))
    continue;
  kg_branches_end(&b, number);
  CHECK(b.n_merges + 1 == b.n_branches);
  size_t m = b.n_branches;
  double *H = NEW(double, m *m);
  kg_branch_heights(&b, number, H);
  int ultrametric = 1;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++) {
      ultrametric &= i == j ? H[i + j * m] == 0 : H[i + j * m] > 0;
      for (size_t a = 0; a < m; a++)
        ultrametric &= H[i + j * m] <= fmax(H[i + a * m], H[a + j * m]);
    }
  CHECK(ultrametric);
  for (size_t i = 0; i < n; i++) {
    CHECK((b.branch[i] == KG_NO_BRANCH) == (g->w[i] == 0));
    for (size_t j = 0; j < n; j++)
      v[i + j * n] =
          g->w[i] == 0 || g->w[j] == 0 ? -1 : H[b.branch[i] + b.branch[j] * m];
  }
  free(core), free(links), free(number), free(memory), free(H);
  return m;
}

/* Without ties the tree alone determines it. */
static void branches_are_as_defined(void) {
  uint64_t rng = 23;
  size_t with_gaps = 0;
  for (size_t run = 0; run < 400; run++) {
    size_t n = 1 + ctest_below(&rng, 40), made = 0, to = 0;
    gaps g = gaps_make(&rng, run % 3 != 0, n, 1 + run % 3, 0, (int)(run % 4));
    double wanted = (double)(1 + run % 3) * KG_NEARLY, total = 0;
    double *core = NEW(double, n), *v = NEW(double, n *n);
    double *right = NEW(double, n *n);
    kg_link *links = NEW(kg_link, n);
    for (size_t i = 0; i < n; i++)
      total += g.w[i];
    if (total == 0)
      g.w[0] = 1;
    size_t many = gaps_tree(&g, wanted, core, links);
    kg_condense rule = {many ? links[ctest_below(&rng, many)].height / 2 : 0,
                        1 + 4 * ctest_uniform(&rng), wanted, HUGE_VAL};
    size_t *part = NEW(size_t, n), *branch = NEW(size_t, n);
    for (size_t i = 0; i < n; i++)
      part[i] = i, branch[i] = KG_NO_BRANCH;
    while (to < many && links[to].height == 0)
      to++;
    slow_level(g.w, n, links, 0, to, rule.threshold, rule.least, part, branch, &made,
               right);
    for (size_t at = to; at < many; at = to) {
      while (to < many && links[to].height == links[at].height)
        to++;
      slow_level(g.w, n, links, at, to, rule.threshold, rule.least, part, branch, &made,
                 right);
    }
    with_gaps += gaps_branches(&g, wanted, rule, 1 + n / 4, v) > 1;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        if (v[i + j * n] >= 0)
          CHECK_NEAR(v[i + j * n], made ? right[branch[i] + branch[j] * n] : 0, 1e-8);
    free(core), free(v), free(right), free(links), free(part), free(branch);
    gaps_free(&g);
  }
  CHECK(with_gaps > 100);
}

/* With ties nothing depends on the order of rows, nor on the size of a piece. */
static void rows_come_in_any_order(void) {
  uint64_t rng = 29;
  size_t with_gaps = 0;
  for (size_t run = 0; run < 400; run++) {
    size_t n = 1 + ctest_below(&rng, 60), *turn = NEW(size_t, n);
    gaps g = gaps_make(&rng, run % 3 != 0, n, 1 + run % 3, 3 + (int)(run % 7),
                       (int)(run % 4)), h = g;
    g.w[0] = 1;
    double *v = NEW(double, n *n), *turned = NEW(double, n *n);
    kg_condense rule = {ctest_uniform(&rng), 2 + (double)ctest_below(&rng, 5), 1,
                        1 + (double)ctest_below(&rng, 3)};
    h.w = NEW(double, n), h.D = NEW(double, n *n);
    for (size_t i = 0; i < n; i++) {
      size_t j = ctest_below(&rng, i + 1);
      turn[i] = i;
      turn[i] = turn[j], turn[j] = i;
    }
    for (size_t i = 0; i < n; i++) {
      h.w[i] = g.w[turn[i]];
      for (size_t j = 0; j < n; j++)
        h.D[i + j * n] = g.D[turn[i] + turn[j] * n];
    }
    with_gaps += gaps_branches(&g, 2 * KG_NEARLY, rule, 1000, v) > 1;
    gaps_branches(&h, 2 * KG_NEARLY, rule, 1, turned);
    int same = 1;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        same &= fabs(turned[i + j * n] - v[turn[i] + turn[j] * n]) < 1e-12;
    CHECK(same);
    free(turn), free(v), free(turned), free(h.w), free(h.D);
    gaps_free(&g);
  }
  CHECK(with_gaps > 100);
}

/* All at a distance, of boxes and of rows */
static void equally_far_ones_are_found(void) {
  uint64_t rng = 31;
  for (size_t run = 0; run < 20; run++) {
    size_t n = 150, d = 1 + run % 3, found[150];
    gaps g = gaps_make(&rng, 1, n, d, 12, 0);
    size_t *order = NEW(size_t, n), distinct = 0;
    double *weight = NEW(double, n);
    for (size_t i = 0; i < n; i++) {
      size_t j = 0;
      while (j < i && g.D[i + j * n] > 0)
        j++;
      weight[i] = 1;
      if (j == i)
        order[distinct++] = i;
    }
    kg_leaves l;
    kg_table table = {g.x, n, d};
    void *boxes, *memory;
    LAY(boxes, kg_leaves_lay(&l, distinct, d, &room));
    kg_leaves_begin(&l, &table, order);
    while (!kg_leaves_split(&l))
      continue;
    kg_leaves_fill(&l, weight, 0, l.n_leaves);
    kg_prim r;
    LAY(memory, kg_prim_lay(&r, n, &room));
    kg_prim_begin(&r, &g.pairs, g.w, 1);
    for (size_t i = 0; i < n; i++) {
      double length = g.D[i + ctest_below(&rng, n) * n];
      size_t right = 0, first = 0;
      for (size_t j = 0; j < n; j++)
        right += g.D[i + j * n] == length;
      CHECK(kg_prim_at(&r, i, length, found) == right);
      right = 0;
      for (size_t a = 0; a < distinct; a++)
        right += g.D[i + order[a] * n] == length;
      first = kg_leaves_at(&l, i, length, found);
      CHECK(first == right);
    }
    free(order), free(weight), free(boxes), free(memory);
    gaps_free(&g);
  }
}

/* Runs of sorted numbers: dispersion, layers and cuts against naive double
 * loops and slow dynamic programming in long double. */

/* W of the values from..to-1 by the definition: all pairs. */
static long double pairs_W(const double *value, const double *weight, size_t from,
                           size_t to) {
  long double sum = 0, s = 0;
  for (size_t i = from; i < to; i++) {
    s += (long double)weight[i];
    for (size_t j = from; j < to; j++)
      sum += (long double)weight[i] * (long double)weight[j] *
             fabsl((long double)value[i] - (long double)value[j]);
  }
  return sum / (2 * s);
}

typedef struct {
  size_t m;
  double *value, *weight;
} data;

/* Distinct values of several kinds: even, skewed, two far groups of fine structure. */
static data draw(size_t m, int kind, uint64_t *state) {
  data out = {m, NEW(double, m), NEW(double, m)};
  double at = kind == 1 ? -1e8 : 0;
  for (size_t i = 0; i < m; i++) {
    double step = ctest_uniform(state) + 0.01;
    if (kind == 2) step = step * step * step * 10;
    if (kind == 3) step = i == m / 2 ? 1e9 : step * 1e-3;
    at += step;
    out.value[i] = at;
    out.weight[i] = kind == 0 ? 1 : ctest_uniform(state) + 0.1;
  }
  return out;
}

static void drop(data it) {
  free(it.value);
  free(it.weight);
}

static void equal_values_are_merged(void) {
  double x[] = {-1, -1, 0, 2, 2, 2}, w[] = {1, 2, 4, 1, 1, 3};
  double value[6], weight[6];
  int exponent;
  CHECK(kg_runs_merge(x, w, 6, value, weight, &exponent) == 3);
  CHECK(value[0] == -1 && value[1] == 0 && value[2] == 2);
  CHECK(ldexp(weight[0], exponent) == 3 && ldexp(weight[1], exponent) == 4);
  CHECK(ldexp(weight[2], exponent) == 5);
  CHECK(kg_runs_merge(x, NULL, 6, value, weight, &exponent) == 3);
  CHECK(ldexp(weight[0], exponent) == 2 && ldexp(weight[2], exponent) == 3);
  CHECK(kg_runs_merge(x, NULL, 1, value, weight, &exponent) == 1);
}

static void one_run_is_its_pairs(void) {
  uint64_t state = 1;
  for (int kind = 0; kind < 4; kind++) {
    data it = draw(40, kind, &state);
    for (size_t from = 0; from < it.m; from += 7) {
      for (size_t to = from + 1; to <= it.m; to += 3) {
        double s, W = kg_run_dispersion(it.value, it.weight, from, to, &s);
        long double slow = pairs_W(it.value, it.weight, from, to);
        CHECK_NEAR(slow > 0 ? W / (double)slow : 1 + W, 1, 1e-13);
      }
    }
    drop(it);
  }
}

/* Least W in exactly 1..k runs: least[j - 1] for j runs, by trying all cuts. */
static void slow_table(data it, size_t k, long double *least) {
  size_t m = it.m;
  long double *best = NEW(long double, (k + 1) * (m + 1));
  for (size_t i = 1; i <= m; i++) best[(m + 1) + i] = pairs_W(it.value, it.weight, 0, i);
  for (size_t j = 2; j <= k; j++) {
    for (size_t i = j; i <= m; i++) {
      long double smallest = HUGE_VALL;
      for (size_t c = j - 1; c < i; c++) {
        long double W = best[(j - 1) * (m + 1) + c] + pairs_W(it.value, it.weight, c, i);
        if (W < smallest) smallest = W;
      }
      best[j * (m + 1) + i] = smallest;
    }
  }
  for (size_t j = 1; j <= k; j++) least[j - 1] = best[j * (m + 1) + m];
  free(best);
}

/* The table as the shim fills it, in pieces of `budget`; cuts traced back and priced. */
static double fast_W(data it, size_t k, size_t budget) {
  size_t m = it.m;
  kg_runs runs = kg_runs_of(it.value, it.weight, m);
  kg_run_moments moments;
  void *sums;
  LAY(sums, kg_run_moments_lay(&moments, m, &room));
  kg_runs_moments(&runs, &moments);
  double *W = NEW(double, m + 1), *before = NEW(double, m + 1);
  unsigned *cut = NEW(unsigned, (k + 1) * m);
  size_t *start = NEW(size_t, k + 1);
  kg_runs_layer layer;
  kg_runs_first(&runs, W);
  for (size_t j = 2; j < k; j++) {
    double *swap = before;
    before = W;
    W = swap;
    kg_runs_layer_begin(&layer, &moments, m, j, before, W, cut + j * m);
    while (kg_runs_layer_step(&layer, budget)) CHECK(layer.depth <= 130);
  }
  start[k] = m;
  start[k - 1] = kg_runs_last(&runs, W, k - 1);
  for (size_t l = k - 1; l > 1; l--) start[l - 1] = cut[l * m + start[l]];
  start[0] = 0;
  double sum = 0;
  for (size_t l = 0; l < k; l++) {
    CHECK(start[l] < start[l + 1]);
    double s;
    sum += kg_run_dispersion(it.value, it.weight, start[l], start[l + 1], &s);
  }
  free(sums);
  free(W);
  free(before);
  free(cut);
  free(start);
  return sum;
}

static void the_best_runs_are_found(void) {
  uint64_t state = 2;
  long double least[6];
  for (int kind = 0; kind < 4; kind++) {
    for (size_t m = 7; m <= 40; m += 11) {
      data it = draw(m, kind, &state);
      slow_table(it, 6, least);
      for (size_t k = 2; k <= 6; k++) {
        CHECK_NEAR(fast_W(it, k, 1000000) / (double)least[k - 1], 1, 1e-12);
        CHECK(fast_W(it, k, 1) == fast_W(it, k, 1000000));
      }
      drop(it);
    }
  }
}

/* The least W in k runs by trying all cuts, a run grown from its right end: O(k m^2). */
static double grown_table(data it, size_t k) {
  size_t m = it.m;
  long double *before = NEW(long double, m + 1), *W = NEW(long double, m + 1);
  for (size_t i = 0; i <= m; i++) W[i] = i == 0 ? 0 : HUGE_VALL;
  for (size_t j = 1; j <= k; j++) {
    long double *swap = before;
    before = W;
    W = swap;
    W[0] = HUGE_VALL;
    for (size_t i = 1; i <= m; i++) {
      long double s = 0, moment = 0, sum = 0;
      W[i] = HUGE_VALL;
      for (size_t c = i; c-- > 0;) {
        if (c + 1 < i) moment += ((long double)it.value[c + 1] - (long double)it.value[c]) * s;
        sum += (long double)it.weight[c] * moment;
        s += (long double)it.weight[c];
        if (before[c] + sum / s < W[i]) W[i] = before[c] + sum / s;
      }
    }
  }
  double least = (double)W[m];
  free(before);
  free(W);
  return least;
}

/* Long enough for stretches of cuts to be ruled out together. */
static void the_best_of_many_cuts_is_found(void) {
  uint64_t state = 4;
  for (int kind = 0; kind < 4; kind++) {
    for (size_t m = 700; m <= 1700; m += 1000) {
      data it = draw(m, kind, &state);
      if (kind == 1) { /* some weigh next to nothing */
        for (size_t i = 0; i < m; i += 3) it.weight[i] *= 1e-12;
      }
      for (size_t k = 3; k <= 5; k++)
        CHECK_NEAR(fast_W(it, k, 5000) / grown_table(it, k), 1, 1e-12);
      drop(it);
    }
  }
}

static void values_of_any_size_are_taken(void) {
  double value[] = {-1.7e308, 1e-300, 1.7e308}, weight[] = {1e-300, 1, 1};
  data it = {3, value, weight};
  CHECK(isfinite(fast_W(it, 2, 10)));
  double tiny[] = {1e-320, 2e-320, 5e-320}, one[] = {1, 1, 1};
  double s;
  CHECK(kg_run_dispersion(tiny, one, 0, 2, &s) == 0.5 * (2e-320 - 1e-320));
  CHECK(s == 2);
  double zero[] = {0, 0, 0};
  data weightless = {3, tiny, zero};
  CHECK(fast_W(weightless, 2, 10) == 0);
}

static void labels_count_the_bounds(void) {
  uint64_t state = 3;
  for (size_t n_bounds = 0; n_bounds < 12; n_bounds++) {
    double *bound = NEW(double, n_bounds);
    int *name = NEW(int, n_bounds + 1);
    for (size_t l = 0; l < n_bounds; l++) bound[l] = (double)l * 2;
    for (size_t l = 0; l <= n_bounds; l++) name[l] = (int)(100 - l);
    for (int round = 0; round < 60; round++) {
      double x = floor(ctest_uniform(&state) * 28) - 2;
      int label, named, count = 0;
      for (size_t l = 0; l < n_bounds; l++) count += bound[l] <= x;
      kg_runs_label(&x, 1, bound, n_bounds, NULL, &label);
      kg_runs_label(&x, 1, bound, n_bounds, name, &named);
      CHECK(label == count && named == 100 - count);
    }
    free(bound);
    free(name);
  }
}

int main(void) {
  RUN(weighted_least_is_as_defined);
  RUN(trees_are_as_defined);
  RUN(boxes_agree_with_rows);
  RUN(branches_are_as_defined);
  RUN(rows_come_in_any_order);
  RUN(equally_far_ones_are_found);
  RUN(equal_values_are_merged);
  RUN(one_run_is_its_pairs);
  RUN(the_best_runs_are_found);
  RUN(the_best_of_many_cuts_is_found);
  RUN(values_of_any_size_are_taken);
  RUN(labels_count_the_bounds);
  return DONE();
}
