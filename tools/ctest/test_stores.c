/* test_stores.c - metrics, sparse rows and categories against their definitions. */
#include "reference.h"

/* Blocks, among and copies of a store give -rho/2 of the pairs. */
static void check_store(const kg_pairs *pairs, const double *rho) {
  const size_t n = pairs->n, rows[3] = {0, n / 2, n - 1}, from = n / 4, to = n - n / 5;
  double *out = NEW(double, 3 * n);
  size_t *columns = NEW(size_t, n);
  pairs->store->block(pairs, rows, 3, from, to, out);
  for (size_t r = 0; r < 3; r++)
    for (size_t j = from; j < to; j++)
      CHECK_NEAR(out[r * (to - from) + j - from], -0.5 * rho[rows[r] + j * n], 1e-12);
  for (size_t a = 0; a < n; a++)
    columns[a] = n - 1 - a;
  kg_among(pairs, 1, columns, n, out);
  for (size_t a = 0; a < n; a++)
    CHECK_NEAR(out[a], -0.5 * rho[1 + columns[a] * n], 1e-12);
  if (pairs->store->copy) {
    kg_room room = {NULL, 0};
    kg_pairs some = pairs->store->copy(pairs, rows, 3, &room);
    void *memory = TEST_ROOM(room.bytes);
    room = kg_room_at(memory);
    some = pairs->store->copy(pairs, rows, 3, &room);
    CHECK(some.n == 3);
    const size_t first = 0;
    some.store->block(&some, &first, 1, 0, 3, out);
    for (size_t r = 0; r < 3; r++)
      CHECK_NEAR(out[r], -0.5 * rho[rows[0] + rows[r] * n], 1e-12);
    free(memory);
  }
  free(out), free(columns);
}

static double slow_metric(enum kg_sum sum, double p, const double *x, const double *y, size_t d) {
  double total = 0, largest = 0, either = 0;
  for (size_t c = 0; c < d; c++) {
    double t = fabs(x[c] - y[c]), size = fabs(x[c]) + fabs(y[c]);
    total += sum == KG_SUM_CANBERRA   ? (size > 0 ? t / size : 0)
             : sum == KG_SUM_UNEQUAL  ? (t > 0)
             : sum == KG_SUM_UNION    ? (t > 0)
             : sum == KG_SUM_POWERS   ? pow(t, p)
                                      : t;
    largest = fmax(largest, t);
    either += x[c] != 0 || y[c] != 0;
  }
  return sum == KG_SUM_MAXIMUM  ? largest
         : sum == KG_SUM_POWERS ? pow(total, 1 / p)
         : sum == KG_SUM_UNION  ? (either > 0 ? total / either : 0)
                                : total;
}

static void metrics_are_as_defined(void) {
  uint64_t rng = 61;
  for (int f = 0; f < KG_N_FAMILIES; f++) {
    enum kg_sum sum = kg_semimetric_of((enum kg_family)f)->sum;
    if (sum == KG_SUM_SQUARES)
      continue;
    const size_t n = 530, d = 5, stored = d + (sum == KG_SUM_UNION); /* two strips */
    double *x = NEW(double, n *stored), *rho = NEW(double, n *n), own[2][5];
    for (size_t i = 0; i < n; i++)
      for (size_t c = 0; c < d; c++) {
        double value = sum == KG_SUM_UNION ? (double)ctest_below(&rng, 2) : (double)ctest_below(&rng, 4) - 1;
        x[i + c * n] = value;
        if (sum == KG_SUM_UNION)
          x[i + d * n] += value;
      }
    kg_metric m = {{x, n, stored, {(enum kg_family)f, 1}}, 3};
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        for (size_t c = 0; c < d; c++)
          own[0][c] = x[i + c * n], own[1][c] = x[j + c * n];
        rho[i + j * n] = slow_metric(sum, m.p, own[0], own[1], d);
      }
    kg_pairs pairs = kg_metric_pairs(&m);
    check_store(&pairs, rho);
    double *row = NEW(double, n);
    pairs.store->cross(&pairs, x + 7, n, row);
    for (size_t j = 0; j < n; j++)
      CHECK_NEAR(row[j], -0.5 * rho[7 + j * n], 1e-12);
    free(x), free(rho), free(row);
  }
}

/* Sparse rows of a random table, with centres or without. */
static void rows_are_as_defined(void) {
  uint64_t rng = 62;
  for (int run = 0; run < 6; run++) {
    const size_t n = 40, d = 9;
    double x[40 * 9] = {0}, value[2][360], square[40], centre[40];
    int start[2][41] = {{0}}, index[2][360];
    for (size_t a = 0; a < n * d; a++)
      x[a] = ctest_below(&rng, 3) ? 0 : (double)ctest_below(&rng, 9) - 4;
    for (int by = 0; by < 2; by++) { /* by rows, then by columns */
      int at = 0;
      for (size_t i = 0; i < (by ? d : n); i++) {
        for (size_t j = 0; j < (by ? n : d); j++) {
          double v = by ? x[j + i * n] : x[i + j * n];
          if (v == 0)
            continue;
          value[by][at] = v;
          index[by][at++] = (int)j;
        }
        start[by][i + 1] = at;
      }
    }
    for (size_t i = 0; i < n; i++)
      centre[i] = (double)ctest_below(&rng, 5) / 8;
    kg_rows rows = {n, d, start[0], index[0], value[0], start[1], index[1], value[1], square,
                    run % 2 ? centre : NULL, {KG_POWER, 1 + run % 3 / 2.0}};
    kg_rows_squares(&rows, square);
    double *rho = NEW(double, n *n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        double sum = run % 2 ? -(centre[i] - centre[j]) * (centre[i] - centre[j]) : 0;
        for (size_t c = 0; c < d; c++)
          sum += (x[i + c * n] - x[j + c * n]) * (x[i + c * n] - x[j + c * n]);
        rho[i + j * n] = pow(sum > 1e-12 ? sum : 0, rows.rho.parameter / 2);
      }
    kg_pairs pairs = kg_rows_pairs(&rows);
    check_store(&pairs, rho);
    free(rho);
  }
}

int main(void) {
  RUN(metrics_are_as_defined);
  RUN(rows_are_as_defined);
  return DONE();
}
