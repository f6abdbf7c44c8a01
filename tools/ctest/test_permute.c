/* test_permute.c - statistics of relabellings against the definitions. */
#include "reference.h"

/* w' B row means with the weights, by definition: c_i of kg_permute.c. */
static void centre_of(const problem *p, double *centre) {
  long double s = 0, all = 0;
  for (size_t i = 0; i < p->n; i++) s += p->w[i];
  for (size_t i = 0; i < p->n; i++) {
    long double sum = 0;
    for (size_t j = 0; j < p->n; j++) sum += p->w[j] * p->B[i + j * p->n];
    centre[i] = (double)(sum / s);
    all += p->w[i] * sum;
  }
  for (size_t i = 0; i < p->n; i++) centre[i] -= (double)(all / (2 * s * s));
}

/* S = V(everything) cost less Q: sum_a V_a/s_a - V/s */
static double reference_between(const problem *p, const int *label) {
  long double s = 0, all = 0;
  for (size_t i = 0; i < p->n; i++) {
    s += p->w[i];
    for (size_t j = 0; j < p->n; j++) all += p->w[i] * p->w[j] * p->B[i + j * p->n];
  }
  return (double)(-reference_cost(p, label) - all / s);
}

static void between_is_S(void) {
  uint64_t rng = 81;
  FOR_ALL_STORES(store, rho) {
    size_t n = 300, k = 3, groups = 2, m = groups * KG_LANES;
    problem p = problem_make(&rng, store, rho, n, 3, k, 1);
    double *centre = NEW(double, n), *lanes = NEW(double, groups * n * KG_LANES);
    double *inverse = NEW(double, groups * k * KG_LANES), *out = NEW(double, m);
    double *value = NEW(double, kg_permute_doubles()), *form = NEW(double, m);
    double *C = NEW(double, m * k * k);
    int *label = NEW(int, n * m);
    double scale = 1 + reference_scale(&p) * (double)n;
    centre_of(&p, centre);
    for (size_t q = 0; q < m; q++) {
      size_t g = q / KG_LANES, lane = q % KG_LANES;
      random_labels(&rng, p.w, n, k, label + q * n);
      for (size_t i = 0; i < n; i++) lanes[(g * n + i) * KG_LANES + lane] = label[q * n + i];
      for (size_t a = 0; a < k; a++) {
        double one = (double)(1 / reference_s(&p, label + q * n, a));
        inverse[(g * k + a) * KG_LANES + lane] = one;
        C[(q * k + a) * k + a] = one;
      }
    }
    for (size_t i = 0; i < n; i += 77) {
      size_t to = i + 77 < n ? i + 77 : n;
      kg_permuted_between(&p.pairs, p.w, centre, lanes, inverse, k, groups, i, to, value,
                          out);
      kg_permuted_form(&p.pairs, p.w, centre, label, C, k, m, i, to, value, form);
    }
    for (size_t q = 0; q < m; q += 5) {
      double right = reference_between(&p, label + q * n);
      CHECK_NEAR(out[q] / scale, right / scale, 1e-12);
      CHECK_NEAR(form[q] / scale, right / scale, 1e-12);
    }
    free(centre), free(lanes), free(inverse), free(out), free(value), free(form), free(C);
    free(label);
    problem_free(&p);
  }
}

int main(void) {
  RUN(between_is_S);
  return DONE();
}
