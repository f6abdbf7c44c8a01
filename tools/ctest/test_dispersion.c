/* test_dispersion.c - the sums M of a given partition, and products B v. */
#include "reference.h"

static void sums_over_pairs_are_as_defined(void) {
  uint64_t rng = 51;
  FOR_ALL_STORES(store, rho) {
    for (int zeros = 0; zeros < 2; zeros++) {
      size_t n = 21, k = 4;
      problem p = problem_make(&rng, store, rho, n, 3, k, zeros);
      double *M = NEW(double, k * k), *M_low = NEW(double, k * k);
      double *buffer = NEW(double, n), *bucket = NEW(double, k);
      double scale = 1 + reference_scale(&p);
      for (size_t from = 0; from < n; from += 5)
        kg_dispersion_rows(&p.pairs, p.w, p.label, k, from, from + 5 < n ? from + 5 : n, M,
                           M_low, buffer, bucket);
      long double W = 0;
      for (size_t a = 0; a < k; a++) {
        for (size_t b = 0; b < k; b++) {
          long double sum = 0;
          for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
              if ((size_t)p.label[i] == a && (size_t)p.label[j] == b)
                sum += (long double)p.w[i] * (long double)p.w[j] * p.B[i + j * n];
          double got = M[a + b * k] + M_low[a + b * k];
          CHECK(fabs(got - (double)sum) <= 1e-13 * scale * 1e3);
          if (store != GRAM) CHECK(fabs(got - (double)sum) <= 1e-12 * fabs((double)sum));
          CHECK_NEAR(M[a + b * k], M[b + a * k], 1e-13);
        }
        W -= (long double)(M[a + a * k] + M_low[a + a * k]) / reference_s(&p, p.label, a);
      }
      CHECK_NEAR((double)W, (double)reference_cost(&p, p.label), 1e-12);
      free(M), free(M_low), free(buffer), free(bucket);
      problem_free(&p);
    }
  }
}

/* One term of 1e16 and many of 1: a plain sum would lose the ones. */
static void small_terms_survive_large_ones(void) {
  size_t n = 2001;
  double x[2001], w[2001], M = 0, M_low = 0, bucket;
  double *buffer = NEW(double, n);
  int *label = NEW(int, n);
  kg_semimetric rho = {KG_POWER, 1};
  for (size_t i = 0; i < n; i++) x[i] = 0, w[i] = 1;
  x[0] = 1e16;
  for (size_t i = 1; i < n; i++) x[i] = (double)(i % 2);
  kg_pairs pairs = kg_points(x, n, 1, rho);
  kg_dispersion_rows(&pairs, w, label, 1, 0, n, &M, &M_low, buffer, &bucket);
  /* among 1000 zeros and 1000 ones: 1e6 pairs at distance 1 */
  long double rest = 1000000.0L, first = 0;
  for (size_t i = 1; i < n; i++) first += (long double)x[0] - (long double)x[i];
  CHECK(fabs((M + M_low) / -(double)(first + rest) - 1) < 1e-15);
  free(buffer), free(label);
}

static void products_are_as_defined(void) {
  uint64_t rng = 52;
  FOR_ALL_STORES(store, rho) {
    size_t n = 33;
    problem p = problem_make(&rng, store, rho, n, 3, 1, 0);
    double *v = NEW(double, n), *out = NEW(double, n), *buffer = NEW(double, n);
    for (size_t i = 0; i < n; i++) v[i] = ctest_normal(&rng);
    for (size_t from = 0; from < n; from += 10)
      kg_product_rows(&p.pairs, v, from, from + 10 < n ? from + 10 : n, out, buffer);
    double scale = 1 + reference_scale(&p);
    for (size_t i = 0; i < n; i++) {
      long double sum = 0;
      for (size_t j = 0; j < n; j++) sum += p.B[i + j * n] * (long double)v[j];
      CHECK_NEAR((out[i] - (double)sum) / scale, 0.0, 1e-12);
    }
    free(v), free(out), free(buffer);
    problem_free(&p);
  }
}

int main(void) {
  RUN(sums_over_pairs_are_as_defined);
  RUN(small_terms_survive_large_ones);
  RUN(products_are_as_defined);
  return DONE();
}
