/* test_connected.c - cores, spanning trees and branches against slow definitions. */
#include "reference.h"

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
  size_t n = g->n, *order = NEW(size_t, n), *space = NEW(size_t, n), m = 0, many;
  double *weight = NEW(double, n);
  kg_table table = {g->x, n, d};
  for (size_t i = 0; i < n; i++)
    if (g->w[i] > 0)
      order[m++] = i;
  for (size_t width = 1; width < m; width *= 2) {
    kg_merge_runs(order, space, m, width, kg_before_row, &table);
    memcpy(order, space, m * sizeof(size_t));
  }
  many = 0;
  for (size_t i = 0; i < m; i++) {
    if (many == 0 || kg_before_row(&table, order[many - 1], order[i]))
      order[many++] = order[i];
    weight[order[many - 1]] += g->w[order[i]];
  }
  kg_leaves l;
  void *memory;
  LAY(memory, kg_leaves_lay(&l, many, d, &room));
  kg_leaves_begin(&l, &table, order);
  size_t from[64], to[64], depth = 1;
  from[0] = 0, to[0] = l.n_leaves;
  while (depth > 0) {
    size_t a = from[--depth], b = to[depth];
    if (b - a < 2)
      continue;
    size_t middle = kg_leaves_split(&l, a, b);
    from[depth] = a, to[depth++] = middle;
    from[depth] = middle, to[depth++] = b;
  }
  kg_leaves_fill(&l, weight, 0, l.n_leaves);
  char *workspace = NEW(char, 2 * kg_leaves_workspace(d));
  kg_leaves_cores(&l, wanted, 0, l.n_leaves / 2, 1, workspace);
  kg_leaves_cores(&l, wanted, l.n_leaves / 2, l.n_leaves, 2, workspace);
  double *far = NEW(double, 2 * kg_leaves_places(&l));
  for (size_t a = 0; a < l.n_leaves; a++)
    for (size_t j = 0; j < l.count[a]; j++) {
      size_t place = a * KG_LEAF + j;
      if (l.core[place] < 0)
        l.core[place] = kg_leaves_far(&l, place, wanted, far);
      core[l.row[place]] = sqrt(l.core[place]);
    }
  while (!kg_leaves_grow(&l, links, steps))
    continue;
  free(order), free(space), free(weight), free(workspace), free(far), free(memory);
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

/* Without ties the tree alone states it. */
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
    if (l.n_leaves == 2)
      kg_leaves_split(&l, 0, 2);
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

int main(void) {
  RUN(weighted_least_is_as_defined);
  RUN(trees_are_as_defined);
  RUN(boxes_agree_with_rows);
  RUN(branches_are_as_defined);
  RUN(rows_come_in_any_order);
  RUN(equally_far_ones_are_found);
  return DONE();
}
