/* Sums between groups, products B v, and sums as other points see them, against the
 * definitions. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  size_t n = p.n, k = p.k, cut = take_below(&in, n + 1);
  double *M = NEW(double, 2 * k * k), *out = NEW(double, n);
  double *buffer = NEW(double, n), *bucket = NEW(double, k), room = 1e-12 * p.scale + 1e-290;
  memset(M, 0, 2 * k * k * sizeof(double));
  memset(out, 0, n * sizeof(double));
  for (size_t half = 0; half < 2; half++) {
    size_t from = half ? cut : 0, to = half ? n : cut;
    kg_dispersion_rows(&p.pairs, p.w, p.label, k, from, to, M, M + k * k, buffer, bucket);
    kg_product_rows(&p.pairs, p.w, from, to, out, buffer);
  }
  for (size_t a = 0; a < k; a++) {
    for (size_t b = 0; b < k; b++) {
      double right = 0;
      for (size_t i = 0; i < n; i++)
        if ((size_t)p.label[i] == a) right += p.w[i] * right_R(&p, p.label, i, b);
      double got = M[a + k * b] + M[k * k + a + k * b];
      MUST(fabs(got - right) <= room * p.total);
      MUST(M[a + k * b] == M[b + k * a]);
    }
  }
  for (size_t i = 0; i < n; i++) {
    double right = 0;
    for (size_t l = 0; l < k; l++) right += right_R(&p, p.label, i, l);
    MUST(fabs(out[i] - right) <= room);
  }
  const kg_coordinates *points = kg_coordinates_of(&p.pairs);
  if (points) {
    size_t most = kg_quads_most(n, k);
    kg_quads quads = {0, p.d, NEW(double, 4 * p.d * most), NEW(double, 4 * most),
                      NEW(int, most)};
    double *R = NEW(double, n * k);
    memset(R, 0, n * k * sizeof(double));
    kg_quads_fill(&quads, points, p.w, NULL, p.label, n, k);
    MUST(quads.n <= most);
    kg_cross_sums(points, &quads, 0, cut, R, n);
    kg_cross_sums(points, &quads, cut, n, R, n);
    for (size_t i = 0; i < n; i++)
      for (size_t l = 0; l < k; l++)
        MUST(fabs(R[i + l * n] - right_R(&p, p.label, i, l)) <= room);
  }
  return fuzz_end();
}
