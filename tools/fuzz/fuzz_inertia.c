/* Counts by elimination: whatever the budget, the pieces and the room, a count that comes
 * back is that of the eigenvalues, found by plain elimination in the order of the rows in
 * long double; none leaves its workspace. If a pivot of the plain way is next to 0
 * nothing is reported of the count. */
#include "fuzz.h"

enum { MOST_N = 24 };

/* Pivots below 0 of H - shift, all of which have to be clear; -1 if one is not. */
static int plain_count(size_t n, double h[MOST_N][MOST_N], double shift) {
  long double a[MOST_N][MOST_N];
  int count = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      a[i][j] = (long double)h[i][j] - (i == j ? (long double)shift : 0);
  for (size_t p = 0; p < n; p++) {
    if (fabsl(a[p][p]) < 1e-3L)
      return -1;
    count += a[p][p] < 0;
    for (size_t i = p + 1; i < n; i++)
      for (size_t j = p + 1; j < n; j++)
        a[i][j] -= a[i][p] * a[p][j] / a[p][p];
  }
  return count;
}

/* The same of the dense rest, lower triangle by columns; pivots may be small: -1 then. */
static int rest_count(size_t n, const double *rest) {
  double h[MOST_N][MOST_N];
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++)
      h[i][j] = h[j][i] = rest[i + j * n];
  return plain_count(n, h, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  size_t n = 1 + take_below(&in, MOST_N), entries = 0;
  const unsigned flags = take(&in);
  const int weighted = flags & 1;
  const double every = 0.5 + take_uniform(&in), shift = 4 * take_uniform(&in) - 2;
  double h[MOST_N][MOST_N] = {{0}};
  for (size_t a = 0; a < 3 * n && in.left > 0; a++) {
    size_t i = take_below(&in, n), j = take_below(&in, n);
    if (i == j)
      continue;
    const double value = weighted ? 2 * take_uniform(&in) - 0.9 : every;
    h[i][j] = h[j][i] = -value;
  }
  int *start = NEW(int, n + 1), *row = NEW(int, n *n);
  double *value = NEW(double, n *n), *diagonal = NEW(double, n);
  start[0] = 0;
  for (size_t j = 0; j < n; j++) {
    h[j][j] = diagonal[j] = 4 * take_uniform(&in) - (flags & 2 ? 2 : 0);
    for (size_t i = 0; i < n; i++) {
      if (i == j || h[i][j] == 0)
        continue;
      row[entries] = (int)i;
      value[entries++] = -h[i][j];
    }
    start[j + 1] = (int)entries;
  }
  kg_inertia g;
  memset(&g, 0, sizeof g);
  g.n = n, g.start = start, g.given_row = row, g.diagonal = diagonal;
  g.value = weighted ? value : NULL, g.every = every;
  g.most_dense = flags & 4 ? n : take_below(&in, n + 1);
  g.budget = flags & 8 ? 1e12 : 20. * take(&in);
  g.tiny = 1e-12;
  const size_t room = flags & 16 ? 4 * n * n + 10 : 1 + take(&in);
  const double piece = 1 + take(&in);
  kg_inertia_begin(&g, shift, NEW(int, kg_inertia_integers(n, entries)),
                   NEW(double, kg_inertia_doubles(n, entries, weighted)), NEW(size_t, n),
                   NEW(double, room), room);
  size_t steps = 0;
  while (kg_inertia_step(&g, piece))
    MUST(++steps < 100000);
  MUST(g.negative <= n && g.left <= n);
  MUST(g.state == KG_INERTIA_DENSE || g.state == KG_INERTIA_OUT);
  if (g.state == KG_INERTIA_DENSE) {
    double *rest = NEW(double, g.left *g.left);
    kg_inertia_rest(&g, rest);
    const int want = plain_count(n, h, shift), more = rest_count(g.left, rest);
    if (want >= 0 && more >= 0)
      MUST((int)g.negative + more == want);
  }
  return fuzz_end();
}
