/* Cores, spanning tree and branches of small problems with ties: points in boxes and rows
 * of distances give the same tree, it spans, heights are at least the cores; the gaps are
 * an ultrametric, and the same for the rows in another order. */
#include "fuzz.h"

enum { MOST = 40 };

static int by_link(const void *a, const void *b) {
  const kg_link *one = (const kg_link *)a, *other = (const kg_link *)b;
  return kg_link_less(one, other) ? -1 : kg_link_less(other, one);
}

static size_t find(size_t *up, size_t i) {
  while (up[i] != i)
    i = up[i];
  return i;
}

/* Distinct points by boxes; links of height 0 to the first of equal ones. */
static size_t by_boxes(const double *x, size_t n, size_t d, const double *w,
                       double wanted, double *core, kg_link *links) {
  size_t *order = NEW(size_t, n), *space = NEW(size_t, n), m = 0, zeros;
  double *weight = NEW(double, n);
  kg_table table = {x, n, d};
  for (size_t i = 0; i < n; i++)
    if (w[i] > 0)
      order[m++] = i;
  for (size_t width = 1; width < m; width *= 2) {
    kg_merge_runs(order, space, m, width, kg_before_row, &table);
    memcpy(order, space, m * sizeof(size_t));
  }
  size_t distinct = kg_distinct_rows(&table, order, m, w, weight, links, &zeros);
  kg_leaves l;
  void *memory;
  LAY(memory, kg_leaves_lay(&l, distinct, d, &room));
  kg_leaves_begin(&l, &table, order);
  while (!kg_leaves_split(&l))
    continue;
  kg_leaves_fill(&l, weight, 0, l.n_leaves);
  kg_leaves_cores(&l, wanted, 0, l.n_leaves, 1, NEW(char, kg_leaves_workspace(&l)));
  for (size_t a = 0; a < l.n_leaves; a++)
    for (size_t j = 0; j < l.boxes.count[a]; j++)
      core[l.points.row[a * KG_LEAF + j]] = sqrt(l.points.core[a * KG_LEAF + j]);
  for (size_t a = 0; a < zeros; a++)
    core[links[a].b] = core[links[a].a];
  while (!kg_leaves_grow(&l, links + zeros, 1 + n / 2))
    continue;
  return zeros + distinct - 1;
}

static size_t same_distance(void *context, size_t i, double length, size_t *out) {
  return kg_prim_at((const kg_prim *)context, i, length, out);
}

/* Branches of the tree of points: v of all pairs; returns how many branches. */
static size_t gaps_of(kg_prim *prim, const kg_link *links, size_t many, kg_condense rule,
                      size_t steps, double *v) {
  size_t n = prim->n;
  kg_ties ties = {prim, same_distance, prim->core};
  kg_branches b;
  void *memory;
  LAY(memory, kg_branches_lay(&b, n, &room));
  kg_branches_begin(&b, prim->w, links, many, ties, rule);
  while (!kg_branches_grow(&b, steps))
    continue;
  size_t *number = NEW(size_t, n);
  kg_branches_end(&b, number);
  MUST(b.n_branches >= 1 && b.n_branches <= n && b.n_merges + 1 == b.n_branches);
  size_t m = b.n_branches;
  double *H = NEW(double, m *m);
  kg_branch_heights(&b, number, H);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++) {
      MUST(H[i + j * m] == H[j + i * m] &&
           (i == j ? H[i + j * m] == 0 : H[i + j * m] > 0));
      for (size_t a = 0; a < m; a++)
        MUST(H[i + j * m] <= fmax(H[i + a * m], H[a + j * m]));
    }
  for (size_t i = 0; i < n; i++) {
    MUST(prim->w[i] > 0 ? b.branch[i] < m : b.branch[i] == KG_NO_BRANCH);
    for (size_t j = 0; j < n; j++)
      v[i + j * n] =
          prim->w[i] > 0 && prim->w[j] > 0 ? H[b.branch[i] + b.branch[j] * m] : -1;
  }
  return m;
}

HARNESS(connected) {
  bytes in = {data, size};
  unsigned shape = take(&in);
  take_loops(&in);
  size_t n = 1 + take_below(&in, (shape & 0x21) == 0x21 ? 100 : 12), d = 1 + take_below(&in, 3),
         members = 0;
  double *x = NEW(double, n *d), *w = NEW(double, n);
  for (size_t i = 0; i < n * d; i++)
    x[i] = take(&in) % 16; /* squares without rounding */
  for (size_t i = 0; i < n; i++) {
    w[i] = shape & 2 ? 1 : take_weight(&in, 1);
    members += w[i] > 0;
  }
  if (members == 0)
    return fuzz_end();
  double wanted = (1 + take_below(&in, 80)) * (shape & 4 ? 1 : 0.1) * KG_NEARLY;
  kg_semimetric square = {KG_POWER, 2};
  kg_pairs pairs = kg_points(x, n, d, square);
  kg_prim prim;
  void *memory;
  LAY(memory, kg_prim_lay(&prim, n, &room));
  kg_prim_begin(&prim, &pairs, w, 1);
  kg_prim_cores(&prim, wanted, 0, n, NEW(double, 2 * n));
  kg_link *links = NEW(kg_link, n), *others = NEW(kg_link, n);
  while (!kg_prim_grow(&prim, links, 1 + n / 3))
    continue;
  double *core = NEW(double, n);
  size_t many = by_boxes(x, n, d, w, wanted, core, others);
  MUST(many == members - 1);
  qsort(links, many, sizeof(kg_link), by_link);
  qsort(others, many, sizeof(kg_link), by_link);
  for (size_t i = 0; i < n; i++)
    MUST(w[i] == 0 || core[i] == prim.core[i]);

  size_t *up = NEW(size_t, n);
  for (size_t i = 0; i < n; i++)
    up[i] = i;
  for (size_t a = 0; a < many; a++) {
    MUST(links[a].height == others[a].height && links[a].length == others[a].length);
    /* among equal points the edges of height 0 may be others */
    MUST(links[a].height == 0 ||
         (links[a].a == others[a].a && links[a].b == others[a].b));
    size_t one = find(up, links[a].a), other = find(up, links[a].b);
    MUST(one != other && links[a].a < links[a].b);
    MUST(links[a].height == 0 ||
         (links[a].height >= core[links[a].a] && links[a].height >= core[links[a].b]));
    up[one] = other;
  }

  kg_condense rule = {kg_snap(sqrt(take_below(&in, 30))),
                      (1 + take_below(&in, 20)) * (shape & 8 ? 1 : 0.25), wanted,
                      shape & 16 ? HUGE_VAL : 1 + take_below(&in, 8) / 2.0};
  double *v = NEW(double, n *n), *turned = NEW(double, n *n);
  size_t branches = gaps_of(&prim, links, many, rule, 1 + n / 3, v);
  /* the rows turned round and cut */
  size_t cut = take_below(&in, n);
  double *y = NEW(double, n *d), *u = NEW(double, n);
  for (size_t i = 0; i < n; i++) {
    size_t from = (2 * n - 1 - i + cut) % n;
    u[i] = w[from];
    for (size_t c = 0; c < d; c++)
      y[i + c * n] = x[from + c * n];
  }
  kg_pairs other = kg_points(y, n, d, square);
  kg_prim_begin(&prim, &other, u, 1);
  kg_prim_cores(&prim, wanted, 0, n, NEW(double, 2 * n));
  while (!kg_prim_grow(&prim, others, n))
    continue;
  qsort(others, many, sizeof(kg_link), by_link);
  int exact = shape & 2; /* sums of odd weights depend on their order */
  if (exact)
    MUST(gaps_of(&prim, others, many, rule, 1, turned) == branches);
  for (size_t i = 0; exact && i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double right = v[(2 * n - 1 - i + cut) % n + (2 * n - 1 - j + cut) % n * n];
      MUST(fabs(turned[i + j * n] - right) <= 1e-9 * fabs(right));
    }
  return fuzz_end();
}
