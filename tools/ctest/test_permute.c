/* test_permute.c - the statistics of many relabellings in one pass, each against the
 * definition for its own labels. */
#include "reference.h"

/* c = B w / s - (w' B w) / (2 s^2), so that every row of b has weighted sum 0. */
static void centre_of(const problem *p, double *centre) {
  long double s = 0, all = 0;
  for (size_t i = 0; i < p->n; i++) s += (long double)p->w[i];
  for (size_t i = 0; i < p->n; i++) {
    long double sum = 0;
    for (size_t j = 0; j < p->n; j++) sum += p->B[i + j * p->n] * (long double)p->w[j];
    all += sum * (long double)p->w[i];
    centre[i] = (double)(sum / s);
  }
  for (size_t i = 0; i < p->n; i++) centre[i] -= (double)(all / (2 * s * s));
}

/* total - W, which is S of Eq. (16) by (18). */
static long double reference_between(const problem *p, const int *label) {
  long double s = 0, all = 0;
  for (size_t i = 0; i < p->n; i++) {
    s += (long double)p->w[i];
    for (size_t j = 0; j < p->n; j++)
      all += (long double)p->w[i] * (long double)p->w[j] * p->B[i + j * p->n];
  }
  return -reference_cost(p, label) - all / s;
}

static long double reference_form(const problem *p, const double *centre, const int *label,
                                  const double *C) {
  long double sum = 0;
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < p->n; j++) {
      long double b = p->B[i + j * p->n] - (long double)centre[i] - (long double)centre[j];
      sum += (long double)p->w[i] * (long double)p->w[j] * b *
             (long double)C[(size_t)label[i] + (size_t)label[j] * p->k];
    }
  return sum;
}

/* m relabellings, rows in pieces of `step`. Sizes on both sides of the tiles. */
static void compare(const problem *p, uint64_t *rng, size_t m, size_t step) {
  size_t n = p->n, k = p->k, groups = (m + KG_LANES - 1) / KG_LANES;
  int *label = NEW(int, n * m);
  double *centre = NEW(double, n), *value = NEW(double, kg_permute_doubles());
  double *lanes = NEW(double, groups * n * KG_LANES);
  double *inverse = NEW(double, groups * k * KG_LANES);
  double *between = NEW(double, groups * KG_LANES), *form = NEW(double, m);
  double *C = NEW(double, m * k * k);
  double total = 0, scale;
  centre_of(p, centre);
  for (size_t i = 0; i < n; i++) total += p->w[i];
  scale = 1 + reference_scale(p) * total;
  for (size_t q = 0; q < m; q++) {
    random_labels(rng, p->w, n, k, label + q * n);
    for (size_t i = 0; i < n; i++)
      lanes[(q / KG_LANES * n + i) * KG_LANES + q % KG_LANES] = label[q * n + i];
    for (size_t a = 0; a < k; a++) {
      long double s = reference_s(p, label + q * n, a);
      inverse[(q / KG_LANES * k + a) * KG_LANES + q % KG_LANES] = s > 0 ? (double)(1 / s) : 0;
      for (size_t b = 0; b <= a; b++)
        C[q * k * k + a + b * k] = C[q * k * k + b + a * k] = ctest_normal(rng);
    }
  }
  for (size_t i = 0; i < n; i += step) {
    size_t to = i + step < n ? i + step : n;
    kg_permuted_between(&p->pairs, p->w, centre, lanes, inverse, k, groups, i, to, value,
                        between);
    kg_permuted_form(&p->pairs, p->w, centre, label, C, k, m, i, to, value, form);
  }
  for (size_t q = 0; q < m; q++) {
    double S = (double)reference_between(p, label + q * n);
    double F = (double)reference_form(p, centre, label + q * n, C + q * k * k);
    CHECK_NEAR((between[q] - S) / scale, 0.0, 1e-12);
    CHECK_NEAR((form[q] - F) / (scale * total), 0.0, 1e-12);
  }
  free(label), free(centre), free(value), free(lanes), free(inverse), free(between);
  free(form), free(C);
}

static void every_relabelling_gets_its_statistic(void) {
  uint64_t rng = 91;
  FOR_ALL_STORES(store, rho) {
    for (size_t m = 1; m <= 33; m += 16) {
      problem p = problem_make(&rng, store, rho, 23, 3, 1 + m % 4, m > 1);
      compare(&p, &rng, m, m == 1 ? 23 : 7);
      problem_free(&p);
    }
  }
}

static void tiles_join_without_a_seam(void) {
  uint64_t rng = 92;
  kg_semimetric rho = {KG_POWER, 1};
  size_t sizes[] = {1, 31, 32, 33, 64, 256, 257, 290};
  for (enum store store = POINTS; store < GRAM; store++)
    for (size_t a = 0; a < 8; a++) {
      problem p = problem_make(&rng, store, rho, sizes[a], 2, sizes[a] < 3 ? 1 : 3, 0);
      compare(&p, &rng, 3, 50);
      problem_free(&p);
    }
}

int main(void) {
  RUN(every_relabelling_gets_its_statistic);
  RUN(tiles_join_without_a_seam);
  return DONE();
}
