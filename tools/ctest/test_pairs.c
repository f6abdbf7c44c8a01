/* test_pairs.c - every store hands out B = -rho/2 as defined. */
#include "reference.h"

static void check_block(const problem *p, double tolerance) {
  size_t n = p->n;
  double worst = 0;
  size_t rows[3] = {0, n / 2, n - 1};
  size_t cuts[4] = {0, n / 3, n / 2 + 1, n};
  for (int a = 0; a < 3; a++) {
    size_t from = cuts[a], to = cuts[a + 1], width = to - from;
    double *out = NEW(double, 3 * width);
    for (size_t i = 0; i < 3 * width; i++) out[i] = NAN;
    kg_block(&p->pairs, rows, 3, from, to, out);
    for (size_t r = 0; r < 3; r++)
      for (size_t j = from; j < to; j++) {
        double off = fabs(out[r * width + j - from] - (double)p->B[rows[r] + j * n]);
        if (!(off <= worst)) worst = isnan(off) ? HUGE_VAL : off;
      }
    free(out);
  }
  /* relative to 1 at least: the sine passes through 0 */
  CHECK_NEAR(worst / (1 + reference_scale(p)), 0.0, tolerance);
}

static void blocks_are_as_defined(void) {
  uint64_t rng = 11;
  size_t sizes[] = {1, 2, 3, 7, 40};
  FOR_ALL_STORES(store, rho) {
    for (size_t a = 0; a < 5; a++)
      for (size_t d = 1; d <= 9; d += 2) {
        problem p = problem_make(&rng, store, rho, sizes[a], d, 1, 0);
        check_block(&p, 1e-13);
        problem_free(&p);
      }
  }
}

/* Longer than the strips in which columns are taken. */
static void long_rows_are_as_defined(void) {
  uint64_t rng = 12;
  kg_semimetric rho = {KG_POWER, 1};
  for (enum store store = POINTS; store < GRAM; store++) {
    problem p = problem_make(&rng, store, rho, 1100, 6, 2, 0);
    check_block(&p, 1e-13);
    problem_free(&p);
  }
}

static void rows_and_diagonals_agree_with_blocks(void) {
  uint64_t rng = 13;
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, 23, 4, 2, 0);
    double scale = reference_scale(&p), worst = 0;
    double *buffer = NEW(double, p.n);
    for (size_t i = 0; i < p.n; i++) {
      const double *row = kg_row(&p.pairs, i, buffer);
      const double *held = kg_row_held(&p.pairs, i);
      CHECK(held == NULL ? row == buffer : row == held);
      CHECK((held != NULL) == (store == DENSE) && (held != NULL) == (p.pairs.store->row != NULL));
      CHECK(kg_reads_rows(&p.pairs) == (store == DENSE || store == GRAM));
      CHECK((kg_coordinates_of(&p.pairs) != NULL) == (store == POINTS));
      for (size_t j = 0; j < p.n; j++)
        worst = fmax(worst, fabs(row[j] - (double)p.B[i + j * p.n]));
      CHECK(kg_row(&p.pairs, i, buffer)[i] == 0);
    }
    CHECK_NEAR(worst / scale, 0.0, 1e-13);
    free(buffer);
    problem_free(&p);
  }
}

/* Equal points are at exactly 0, in every semimetric: B has no rounding there. */
static void equal_points_are_at_zero(void) {
  uint64_t rng = 14;
  for (size_t a = 0; a < N_SEMIMETRICS; a++) {
    problem p = problem_make(&rng, POINTS, all_semimetrics[a], 20, 5, 1, 0);
    double *buffer = NEW(double, p.n);
    for (size_t i = 0; i < p.n; i++) {
      const double *row = kg_row(&p.pairs, i, buffer);
      for (size_t j = 0; j < p.n; j++)
        if (p.B[i + j * p.n] == 0) CHECK(row[j] == 0);
    }
    free(buffer);
    problem_free(&p);
  }
}

/* An offset of the data that a Gram matrix comes from is in no value; half of the last bit
 * of the offset's square is all that is lost. */
static void offsets_cancel_in_a_gram_matrix(void) {
  enum { N = 12 };
  uint64_t rng = 16;
  double G[N * N], half[N], x[N], value[N];
  for (size_t i = 0; i < N; i++) x[i] = 1e6 + floor(16 * ctest_normal(&rng)) / 16;
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) G[i + j * N] = x[i] * x[j];
  for (size_t i = 0; i < N; i++) half[i] = G[i + i * N] / 2;
  kg_pairs pairs = kg_dense(G, half, N);
  for (size_t i = 0; i < N; i++) {
    kg_block(&pairs, &i, 1, 0, N, value);
    for (size_t j = 0; j < N; j++)
      CHECK(fabs(value[j] + (x[i] - x[j]) * (x[i] - x[j]) / 2) < 1e-3);
  }
}

static void new_points_have_rows_too(void) {
  uint64_t rng = 15;
  for (size_t a = 0; a < N_SEMIMETRICS; a++) {
    size_t n = 31, d = 5, m = 3;
    problem p = problem_make(&rng, POINTS, all_semimetrics[a], n, d, 1, 0);
    double *y = NEW(double, m * d), *both = NEW(double, (n + 1) * d), *out = NEW(double, n);
    for (size_t i = 0; i < m * d; i++) y[i] = ctest_normal(&rng);
    for (size_t r = 0; r < m; r++) {
      for (size_t c = 0; c < d; c++) {
        memcpy(both + c * (n + 1), p.x + c * n, n * sizeof(double));
        both[n + c * (n + 1)] = y[r + c * m];
      }
      kg_point_row(kg_coordinates_of(&p.pairs), y + r, m, out);
      for (size_t j = 0; j < n; j++) {
        long double rho = reference_rho(all_semimetrics[a],
                                        reference_distance(both, n + 1, d, n, j));
        CHECK_NEAR(out[j], (double)(-rho / 2), 1e-13);
      }
    }
    free(y), free(both), free(out);
    problem_free(&p);
  }
}

/* The same values from distances and from their squares. */
static void squares_and_distances_agree(void) {
  double d[] = {0, 1e-300, 1e-160, 1e-8, 0.5, 1, 3.7, 40, 1e3, 1e8, 1e150};
  size_t n = sizeof d / sizeof d[0];
  for (size_t a = 0; a < N_SEMIMETRICS; a++) {
    kg_semimetric rho = all_semimetrics[a];
    for (size_t i = 0; i < n; i++) {
      double from_d = d[i], from_d2 = d[i] * d[i];
      long double expected = -reference_rho(rho, (long double)d[i]) / 2;
      if (fabsl(expected) > 1e300L) continue;
      kg_from_distances(rho, &from_d, 1);
      kg_from_squares(rho, &from_d2, 1);
      double size = (double)fabsl(expected);
      CHECK(fabs(from_d - (double)expected) <= 1e-13 * size + 1e-320);
      if (d[i] == 0 || (d[i] > 1e-150 && d[i] < 1e150))
        CHECK(fabs(from_d2 - (double)expected) <= 1e-13 * size + 1e-320);
    }
  }
}

/* Some columns of a row are those of the whole row, whatever the store, with gaps and without;
 * sums of the gaps by a table are those of the values. */
static void some_columns_and_gaps_agree_with_blocks(void) {
  uint64_t rng = 15;
  enum { N = 30, M = 3, K = 2 };
  int branch[N], label[N];
  const double H[M * M] = {0, 2, 5, 2, 0, 5, 5, 5, 0};
  size_t columns[4] = {3, 0, 29, 7};
  for (int i = 0; i < N; i++) {
    branch[i] = i % M;
    label[i] = i % 7 < 3;
  }
  FOR_ALL_STORES(store, rho) {
    problem p = problem_make(&rng, store, rho, N, 3, 1, 0);
    kg_with_gaps both = {p.pairs, {branch, H, M}};
    kg_pairs connected = kg_connect(&both);
    const kg_pairs *kinds[2] = {&p.pairs, &connected};
    double row[N], some[4], worst = 0;
    for (int kind = 0; kind < 2; kind++) {
      for (size_t i = 0; i < N; i++) {
        kg_block(kinds[kind], &i, 1, 0, N, row);
        kg_among(kinds[kind], i, columns, 4, some);
        for (int c = 0; c < 4; c++) worst = fmax(worst, fabs(some[c] - row[columns[c]]));
        for (size_t j = 0; kind == 1 && j < N; j++) {
          double B = (double)p.B[i + j * N] - (i == j ? 0 : 0.5 * H[branch[i] * M + branch[j]]);
          worst = fmax(worst, fabs(row[j] - B));
        }
      }
    }
    CHECK_NEAR(worst / (1 + reference_scale(&p)), 0.0, 1e-12);
    CHECK(kg_gaps_of(&p.pairs) == NULL && kg_gaps_of(&connected) == &both.gaps);
    CHECK(kg_coordinates_of(&connected) == NULL);

    double T[2 * M * K], R[N * K] = {0}, enter[N] = {0}, leave[N] = {0};
    kg_gaps_table(&both.gaps, p.w, NULL, label, N, K, T);
    kg_gaps_add(&both.gaps, T, K, N, 0, N, R);
    kg_gaps_transfer(&both.gaps, 4, p.w[4], 0, N, leave, enter);
    for (int i = 0; i < N; i++) {
      double sum[K] = {0}, one = 0.5 * p.w[4] * H[branch[4] * M + branch[i]];
      for (int j = 0; j < N; j++) sum[label[j]] -= 0.5 * p.w[j] * H[branch[i] * M + branch[j]];
      for (int l = 0; l < K; l++) CHECK_NEAR(R[i + l * N], sum[l], 1e-10);
      CHECK_NEAR(leave[i], one, 1e-12);
      CHECK_NEAR(enter[i], -one, 1e-12);
    }
    problem_free(&p);
  }
}

int main(void) {
  RUN(some_columns_and_gaps_agree_with_blocks);
  RUN(blocks_are_as_defined);
  RUN(long_rows_are_as_defined);
  RUN(rows_and_diagonals_agree_with_blocks);
  RUN(equal_points_are_at_zero);
  RUN(offsets_cancel_in_a_gram_matrix);
  RUN(new_points_have_rows_too);
  RUN(squares_and_distances_agree);
  return DONE();
}
