/* Statistics of many relabellings against the definition, in pieces of any size. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  fuzz_problem p = take_problem(&in, 80, 1);
  size_t n = p.n, k = p.k, m = 1 + take_below(&in, 18), cut = take_below(&in, n + 1);
  size_t groups = (m + KG_LANES - 1) / KG_LANES;
  double *centre = NEW(double, n), *value = NEW(double, kg_permute_doubles());
  double *lanes = NEW(double, groups * n * KG_LANES);
  double *inverse = NEW(double, groups * k * KG_LANES), *C = NEW(double, m * k * k);
  double *between = NEW(double, groups * KG_LANES), *form = NEW(double, m), s[6];
  int *label = NEW(int, n * m);
  memset(lanes, 0, groups * n * KG_LANES * sizeof(double));
  memset(inverse, 0, groups * k * KG_LANES * sizeof(double));
  memset(between, 0, groups * KG_LANES * sizeof(double));
  memset(form, 0, m * sizeof(double));
  memset(C, 0, m * k * k * sizeof(double));
  for (size_t i = 0; i < n; i++) centre[i] = take_number(&in, 1);
  for (size_t q = 0; q < m; q++) {
    memset(s, 0, sizeof s);
    for (size_t i = 0; i < n; i++) {
      size_t l = take_below(&in, k);
      label[q * n + i] = (int)l;
      s[l] += p.w[i];
      lanes[(q / KG_LANES * n + i) * KG_LANES + q % KG_LANES] = (double)l;
    }
    for (size_t a = 0; a < k; a++) {
      double one_over = s[a] > 0 ? 1 / s[a] : 0;
      inverse[(q / KG_LANES * k + a) * KG_LANES + q % KG_LANES] = one_over;
      C[(q * k + a) * k + a] = one_over; /* the same statistic as a form */
    }
  }
  for (size_t half = 0; half < 2; half++) {
    size_t from = half ? cut : 0, to = half ? n : cut;
    kg_permuted_between(&p.pairs, p.w, centre, lanes, inverse, k, groups, from, to, value, between);
    kg_permuted_form(&p.pairs, p.w, centre, label, C, k, m, from, to, value, form);
  }
  double largest = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      largest = fmax(largest, fabs(p.B[i + j * n]) + fabs(centre[i]) + fabs(centre[j]));
  for (size_t q = 0; q < m; q++) {
    long double right = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        if (label[q * n + i] != label[q * n + j]) continue;
        double one_over = C[(q * k + (size_t)label[q * n + i]) * k + (size_t)label[q * n + i]];
        right += (long double)p.w[i] * p.w[j] * (p.B[i + j * n] - centre[i] - centre[j]) * one_over;
      }
    double room = 1e-12 * largest * p.total + 1e-290;
    MUST(fabs(between[q] - (double)right) <= room);
    MUST(fabs(form[q] - (double)right) <= room);
  }
  return fuzz_end();
}
