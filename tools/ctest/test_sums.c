/* test_sums.c - sums over given groups, Gram matrices, permutations, conditional means. */
#include "reference.h"

/* Sums over clusters as other points see them, against the definition. */

static void sums_are_as_defined(void) {
  const char *const sets[] = {"base", "avx2", "avx512"};
  uint64_t rng = 71;
  for (size_t set = 0; set < 3; set++) {
    if (!kg_choose_loops(sets[set])) continue;
    for (size_t a = 0; a < N_SEMIMETRICS - 1; a++) { /* points have a semimetric */
      size_t n = 1 + ctest_below(&rng, 150), k = 1 + ctest_below(&rng, n < 6 ? n : 6);
      size_t d = 1 + ctest_below(&rng, 6), m = 1 + ctest_below(&rng, n);
      problem p = problem_make(&rng, POINTS, all_semimetrics[a], n, d, k, n > 20);
      int *rows = NEW(int, n), *label = NEW(int, n);
      for (size_t i = 0; i < n; i++) rows[i] = (int)i;
      for (size_t i = 0; i < m; i++) { /* some of the points, in any order */
        size_t other = i + ctest_below(&rng, n - i);
        int kept = rows[i];
        rows[i] = rows[other];
        rows[other] = kept;
      }
      int all = a % 3 == 0;
      if (all) m = n;
      for (size_t i = 0; i < m; i++) label[i] = p.label[all ? (int)i : rows[i]];
      kg_quads quads;
      size_t most = kg_quads_most(m, k);
      quads.y = NEW(double, 4 * d * most);
      quads.weight = NEW(double, 4 * most);
      quads.label = NEW(int, most);
      kg_quads_fill(&quads, kg_coordinates_of(&p.pairs), p.w, all ? NULL : rows, label, m, k);
      CHECK(quads.n <= most);
      double *R = NEW(double, n * k), scale = reference_scale(&p) * (double)m + 1;
      for (size_t i = 0; i < n * k; i++) R[i] = 0;
      size_t half = n / 2; /* pieces that are no blocks */
      kg_cross_sums(kg_coordinates_of(&p.pairs), &quads, 0, half, R, n);
      kg_cross_sums(kg_coordinates_of(&p.pairs), &quads, half, n, R, n);
      for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < k; l++) {
          long double sum = 0;
          for (size_t b = 0; b < m; b++) {
            size_t y = all ? b : (size_t)rows[b];
            if ((size_t)label[b] == l) sum += (long double)p.w[y] * p.B[i + y * n];
          }
          CHECK_NEAR((R[i + l * n] - (double)sum) / scale, 0.0, 1e-13);
        }
      free(quads.y), free(quads.weight), free(quads.label);
      free(R), free(rows), free(label);
      problem_free(&p);
    }
  }
  CHECK(kg_choose_loops("auto"));
}

/* The sums M of a given partition, and products B v. */

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
      kg_dispersion_end(k, M, M_low);
      long double W = 0;
      for (size_t a = 0; a < k; a++) {
        for (size_t b = 0; b < k; b++) {
          long double sum = 0;
          for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
              if ((size_t)p.label[i] == a && (size_t)p.label[j] == b)
                sum += (long double)p.w[i] * (long double)p.w[j] * p.B[i + j * n];
          double got = M[a + b * k];
          CHECK(fabs(got - (double)sum) <= 1e-13 * scale * 1e3);
          if (store != GRAM) CHECK(fabs(got - (double)sum) <= 1e-12 * fabs((double)sum));
          CHECK(M[a + b * k] == M[b + a * k]);
        }
        W -= (long double)M[a + a * k] / reference_s(&p, p.label, a);
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
  kg_dispersion_end(1, &M, &M_low);
  /* among 1000 zeros and 1000 ones: 1e6 pairs at distance 1 */
  long double rest = 1000000.0L, first = 0;
  for (size_t i = 1; i < n; i++) first += (long double)x[0] - (long double)x[i];
  CHECK(fabs(M / -(double)(first + rest) - 1) < 1e-15);
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

/* The check of a matrix that is declared a Gram matrix, against a slow
 * one. */

static kg_gram_scan scan_in_pieces(const double *G, size_t n, size_t piece) {
  kg_gram_scan scan = kg_gram_begin();
  for (size_t from = 0; from < n; from += piece)
    kg_gram_columns(G, n, from, n - from < piece ? n : from + piece, &scan);
  return scan;
}

static void the_scan_is_that_of_two_loops(void) {
  uint64_t rng = 71;
  size_t sizes[] = {1, 2, 63, 64, 65, 129, 200};
  for (size_t s = 0; s < 7; s++) {
    size_t n = sizes[s];
    double *G = NEW(double, n *n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++)
        G[i + j * n] = G[j + i * n] = ctest_uniform(&rng) - 0.5;
    for (int corrupted = 0; corrupted < 2; corrupted++) {
      if (corrupted)
        for (int a = 0; a < 9; a++)
          G[(size_t)(ctest_uniform(&rng) * (double)(n * n))] += 1;
      double largest = 0, gap = 0;
      size_t row = 0, column = 0;
      for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
          double one = fabs(G[i + j * n] - G[j + i * n]);
          if (fabs(G[i + j * n]) > largest)
            largest = fabs(G[i + j * n]);
          if (i > j && one > gap)
            gap = one, row = i, column = j;
        }
      for (size_t piece = 1; piece <= n; piece += 31) {
        kg_gram_scan scan = scan_in_pieces(G, n, piece);
        CHECK(scan.finite && scan.largest == largest && scan.gap == gap);
        CHECK(scan.gap_row == row && scan.gap_column == column);
      }
    }
    size_t at = (size_t)(ctest_uniform(&rng) * (double)(n * n));
    G[at] = NAN;
    kg_gram_scan scan = scan_in_pieces(G, n, 10);
    CHECK(!scan.finite && scan.odd_row == at % n && scan.odd_column == at / n);
    free(G);
  }
}

/* The statistics of many relabellings in one pass, each against the
 * definition for its own labels. */

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
  size_t n = p->n, k = p->k;
  int *label = NEW(int, n * m);
  double *centre = NEW(double, n), total = 0, scale;
  void *memory[2];
  kg_permute both[2];
  centre_of(p, centre);
  for (size_t i = 0; i < n; i++) total += p->w[i];
  scale = 1 + reference_scale(p) * total;
  for (int form = 0; form < 2; form++) {
    both[form] = (kg_permute){.pairs = &p->pairs, .w = p->w, .centre = centre, .k = k, .m = m, .statistic = form ? KG_ORIGINAL : KG_BETWEEN};
    LAY(memory[form], kg_permute_lay(both + form, &room));
  }
  double *C = both[1].form.C;
  for (size_t q = 0; q < m; q++) {
    random_labels(rng, p->w, n, k, label + q * n);
    for (int form = 0; form < 2; form++) kg_permute_set(both + form, q, label + q * n, NULL);
    for (size_t a = 0; a < k; a++) /* any form */
      for (size_t b = 0; b <= a && q % 2; b++)
        C[q * k * k + a + b * k] = C[q * k * k + b + a * k] = ctest_normal(rng);
  }
  for (size_t i = 0; i < n; i += step)
    for (int form = 0; form < 2; form++)
      kg_permute_rows(both + form, i, i + step < n ? i + step : n);
  for (size_t q = 0; q < m; q++) {
    double S = (double)reference_between(p, label + q * n);
    double F = (double)reference_form(p, centre, label + q * n, C + q * k * k);
    CHECK_NEAR((both[0].out[q] - S) / scale, 0.0, 1e-12);
    CHECK_NEAR((both[1].out[q] - F) / (scale * total), 0.0, 1e-12);
  }
  free(label), free(centre), free(memory[0]), free(memory[1]);
}

/* The same if every relabelling has its own weights, about any centre. */
static void compare_weights(problem *p, uint64_t *rng, size_t m, size_t step) {
  size_t n = p->n, k = p->k;
  int *label = NEW(int, n * m);
  double *centre = NEW(double, n), *w = NEW(double, n * m), *C = NEW(double, k * k), s[16];
  void *memory[4];
  kg_permute all[4];
  for (size_t i = 0; i < n; i++) centre[i] = ctest_normal(rng);
  for (int which = 0; which < 4; which++) {
    all[which] = (kg_permute){.pairs = &p->pairs, .centre = centre, .k = k, .m = m, .own_weights = 1,
                              .statistic = (enum kg_statistic)which};
    LAY(memory[which], kg_permute_lay(all + which, &room));
  }
  for (size_t q = 0; q < m; q++) {
    for (size_t i = 0; i < n; i++) w[q * n + i] = (double)ctest_below(rng, 5) / 3;
    random_labels(rng, w + q * n, n, k, label + q * n);
    for (int which = 0; which < 4; which++) kg_permute_set(all + which, q, label + q * n, w + q * n);
  }
  for (size_t i = 0; i < n; i += step)
    for (int which = 0; which < 4; which++)
      kg_permute_rows(all + which, i, i + step < n ? i + step : n);
  for (size_t q = 0; q < m; q++) {
    double total = 0, scale = 1 + reference_scale(p);
    for (size_t a = 0; a < k; a++) s[a] = 0;
    for (size_t i = 0; i < n; i++) s[label[q * n + i]] += w[q * n + i];
    for (size_t a = 0; a < k; a++) total += s[a];
    p->w = w + q * n;
    for (int which = 0; which < 4; which++) {
      for (size_t a = 0; a < k * k; a++) {
        double one = a % (k + 1) == 0 && s[a / k] > 0 ? 1 / s[a / k] : 0;
        C[a] = which == KG_TOTAL ? 1 : which == KG_SQUARED ? one * one : one - 1 / total;
      }
      for (size_t a = 0; which == KG_ORIGINAL && a < k; a++)
        for (size_t b = 0; b < k; b++) {
          if (b == 0) C[a + a * k] = 0;
          if (a == b || s[a] == 0 || s[b] == 0) continue;
          C[a + b * k] = -2 / (s[a] + s[b]);
        }
      for (size_t a = 0; which == KG_ORIGINAL && a < k; a++)
        for (size_t b = 0; b < k; b++) {
          if (a == b) continue;
          if (s[a] == 0 || s[b] == 0) C[a + b * k] = 0;
          else C[a + a * k] += 2 * s[b] / (s[a] * (s[a] + s[b]));
        }
      double right = (double)reference_form(p, centre, label + q * n, C);
      CHECK_NEAR((all[which].out[q] - right) / (scale * (1 + total) * (1 + total)), 0.0, 1e-12);
    }
  }
  for (int which = 0; which < 4; which++) free(memory[which]);
  free(label), free(centre), free(w), free(C);
}

static void every_relabelling_gets_its_statistic(void) {
  uint64_t rng = 91;
  FOR_ALL_STORES(store, rho) {
    for (size_t m = 1; m <= 33; m += 16) {
      problem p = problem_make(&rng, store, rho, 23, 3, 1 + m % 4, m > 1);
      compare(&p, &rng, m, m == 1 ? 23 : 7);
      double *w = p.w;
      compare_weights(&p, &rng, m, m == 1 ? 23 : 7);
      p.w = w;
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

/* Conditional means and covariances against elimination in long double.
 */

enum { D = 6, N = 40 };

/* Solves the m x m system a b = b for several right sides (columns of b). */
static void eliminate(long double *a, long double *b, size_t m, size_t sides) {
  for (size_t p = 0; p < m; p++) {
    for (size_t i = 0; i < m; i++) {
      if (i == p)
        continue;
      long double f = a[i * m + p] / a[p * m + p];
      for (size_t j = 0; j < m; j++)
        a[i * m + j] -= f * a[p * m + j];
      for (size_t j = 0; j < sides; j++)
        b[i * sides + j] -= f * b[p * sides + j];
    }
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < sides; j++)
      b[i * sides + j] /= a[i * m + i];
}

static void against_elimination(void) {
  uint64_t state = 5;
  const double ridge = 1e-3;
  double root[D * D], sigma[D * D], precision[D * D], mean[D];
  for (size_t i = 0; i < D * D; i++)
    root[i] = ctest_uniform(&state) - 0.5;
  long double a[D * D], b[D * D];
  for (size_t i = 0; i < D; i++) {
    mean[i] = ctest_uniform(&state);
    for (size_t j = 0; j < D; j++) {
      sigma[i * D + j] = i == j ? 0.1 : 0;
      for (size_t t = 0; t < D; t++)
        sigma[i * D + j] += root[i * D + t] * root[j * D + t];
      a[i * D + j] = (long double)sigma[i * D + j] + (i == j ? (long double)ridge : 0);
      b[i * D + j] = i == j;
    }
  }
  eliminate(a, b, D, D);
  for (size_t i = 0; i < D * D; i++)
    precision[i] = (double)b[i];

  double x[N * D], filled[N * D], w[N], extra[D * D] = {0};
  long double right[D * D] = {0};
  int rows[N];
  for (size_t i = 0; i < N; i++) {
    rows[i] = (int)i;
    w[i] = ctest_uniform(&state);
    for (size_t j = 0; j < D; j++) {
      /* patterns that repeat, none missing and all missing among them */
      int gone = i < 10 ? j < 2 : i < 14 ? 0 : i < 16 ? 1 : ctest_uniform(&state) < 0.4;
      x[j * N + i] = gone ? NAN : ctest_uniform(&state);
    }
  }
  memcpy(filled, x, sizeof x);
  kg_normal normal = {D, mean, precision, ridge};
  kg_impute_work work;
  void *memory;
  LAY(memory, kg_impute_lay(&work, D, &room));
  CHECK(kg_impute(&normal, filled, N, rows, 0, 7, w, extra, &work));
  CHECK(kg_impute(&normal, filled, N, rows, 7, N, w, extra, &work));
  kg_impute_flush(&normal, extra, &work);

  for (size_t i = 0; i < N; i++) {
    size_t o[D] = {0}, m[D] = {0}, n_o = 0, n_m = 0;
    for (size_t j = 0; j < D; j++) {
      if (isnan(x[j * N + i]))
        m[n_m++] = j;
      else
        o[n_o++] = j;
    }
    /* columns: x_o - mu_o, then Sigma_om */
    size_t sides = n_m + 1;
    long double A[D * D], B[D * (D + 1)];
    for (size_t p = 0; p < n_o; p++) {
      for (size_t q = 0; q < n_o; q++)
        A[p * n_o + q] =
            (long double)sigma[o[p] * D + o[q]] + (p == q ? (long double)ridge : 0);
      B[p * sides] = (long double)x[o[p] * N + i] - (long double)mean[o[p]];
      for (size_t q = 0; q < n_m; q++)
        B[p * sides + 1 + q] = (long double)sigma[o[p] * D + m[q]];
    }
    eliminate(A, B, n_o, sides);
    for (size_t p = 0; p < n_m; p++) {
      for (size_t q = 0; q <= n_m; q++) {
        long double sum =
            q == 0 ? (long double)mean[m[p]] : (long double)sigma[m[p] * D + m[q - 1]];
        for (size_t t = 0; t < n_o; t++) {
          long double term = (long double)sigma[m[p] * D + o[t]] * B[t * sides + q];
          sum += q == 0 ? term : -term;
        }
        if (q == 0)
          CHECK_NEAR(filled[m[p] * N + i], (double)sum, 1e-10);
        else
          right[m[p] * D + m[q - 1]] += (long double)w[i] * sum;
      }
    }
    for (size_t p = 0; p < n_o; p++)
      CHECK(filled[o[p] * N + i] == x[o[p] * N + i]);
  }
  for (size_t i = 0; i < D * D; i++)
    CHECK_NEAR(extra[i], (double)right[i], 1e-10);

  /* any order and any pieces: the same bits */
  double again[N * D];
  memcpy(again, x, sizeof x);
  for (int i = N - 1; i >= 0; i--) {
    work.m = D + 1;
    CHECK(kg_impute(&normal, again, N, &i, 0, 1, NULL, NULL, &work));
  }
  CHECK(memcmp(again, filled, sizeof again) == 0);
  free(memory);
}

static void not_positive_definite(void) {
  double precision[4] = {1, 2, 2, 1}, mean[2] = {0, 0}, x[2] = {NAN, NAN};
  int row = 0;
  kg_normal normal = {2, mean, precision, 0};
  kg_impute_work work;
  void *memory;
  LAY(memory, kg_impute_lay(&work, 2, &room));
  CHECK(!kg_impute(&normal, x, 1, &row, 0, 1, NULL, NULL, &work));
  free(memory);
}

/* Bounds, known values, and the dip of reflected and scaled samples. */
static void the_dip_has_its_bounds(void) {
  uint64_t rng = 5;
  double x[200], turned[200];
  size_t work[400];
  for (int repetition = 0; repetition < 200; repetition++) {
    size_t n = 1 + ctest_below(&rng, 200);
    double at = 0;
    for (size_t i = 0; i < n; i++) { /* ties among them, and a wide gap */
      at += (double)ctest_below(&rng, 4) + (i == n / 2 ? 50 : 0);
      x[i] = at;
      turned[n - 1 - i] = -4 * at;
    }
    double dip = kg_dip(x, n, work);
    CHECK(dip >= 0.5 / (double)n && dip <= 0.25 + 0.5 / (double)n);
    CHECK_NEAR(kg_dip(turned, n, work), dip, 1e-12);
  }
  for (size_t i = 0; i < 100; i++)
    x[i] = (double)i;
  CHECK_NEAR(kg_dip(x, 100, work), 0.005, 1e-12);
  for (size_t i = 0; i < 100; i++)
    x[i] = (double)i * 1e-6 + (i < 50 ? 0 : 1);
  CHECK(kg_dip(x, 100, work) > 0.24);
}

/* Groups of points on a line against all pairs, for any codes and weights; an empty group has W = s = 0. */

static void groups_on_a_line_are_as_defined(void) {
  uint64_t rng = 17;
  for (int draw = 0; draw < 60; draw++) {
    enum { N = 40, CODES = 5, K = 4 };
    double x[N], weight[CODES], W[K], s[K], moment[K], at = draw % 2 ? 1e6 : -3;
    int order[N], code[N], label[CODES];
    for (size_t a = 0; a < CODES; a++) {
      label[a] = (int)ctest_below(&rng, K - 1);
      weight[a] = 0.1 + ctest_uniform(&rng);
    }
    for (size_t i = 0; i < N; i++) {
      x[i] = at += (double)ctest_below(&rng, 3) * ctest_uniform(&rng);
      order[i] = (int)(i * 7 % N);
      code[i] = (int)ctest_below(&rng, CODES);
    }
    const double *w = draw % 3 ? weight : NULL;
    kg_line(x, order, N, code, label, w, K, W, s, moment);
    for (size_t l = 0; l < K; l++) {
      long double sum = 0, mass = 0;
      for (size_t i = 0; i < N; i++) {
        const int a = code[order[i]];
        if ((size_t)label[a] != l) continue;
        mass += w ? w[a] : 1;
        for (size_t j = 0; j < i; j++) {
          const int b = code[order[j]];
          if ((size_t)label[b] == l) sum += (long double)(w ? w[a] * w[b] : 1) * (x[i] - x[j]);
        }
      }
      CHECK_NEAR(s[l], (double)mass, 1e-13);
      CHECK(fabs(W[l] - (mass > 0 ? (double)(sum / mass) : 0)) <= 1e-13 * (1 + fabs(x[N - 1])) * N);
    }
    CHECK(W[K - 1] == 0 && s[K - 1] == 0);
  }
}

int main(void) {
  RUN(groups_on_a_line_are_as_defined);
  RUN(the_dip_has_its_bounds);
  RUN(sums_are_as_defined);
  RUN(sums_over_pairs_are_as_defined);
  RUN(small_terms_survive_large_ones);
  RUN(products_are_as_defined);
  RUN(the_scan_is_that_of_two_loops);
  RUN(every_relabelling_gets_its_statistic);
  RUN(tiles_join_without_a_seam);
  RUN(against_elimination);
  RUN(not_positive_definite);
  return DONE();
}
