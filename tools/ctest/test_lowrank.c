/* test_lowrank.c - landmark features and the method on them against the definitions. */
#include "reference.h"

typedef struct {
  size_t n, m, rank, width;
  double *values, *T, *offset, *w;
  kg_landmarks map;
  double *phi; /* n x rank, from the definition */
  float *z;
} landmarks;

static const enum kg_lowrank_path paths[] = {KG_PATH_BEST, KG_PATH_PLAIN, KG_PATH_AVX2,
                                             KG_PATH_AVX512};

/* Any lower triangle, offsets and values: the kernel is linear in them. */
static landmarks landmarks_make(uint64_t *rng, size_t n, size_t m, size_t rank) {
  landmarks a;
  size_t rows = kg_lowrank_rows(rank);
  memset(&a, 0, sizeof a);
  a.n = n, a.m = m, a.rank = rank, a.width = kg_lowrank_width(rank);
  a.values = NEW(double, n * m);
  a.T = NEW(double, rows * rank + 1);
  a.offset = NEW(double, rank + 1);
  a.w = NEW(double, n);
  a.phi = NEW(double, n * rank + 1);
  a.z = NEW(float, n * a.width);
  for (size_t i = 0; i < n * m; i++) a.values[i] = ctest_uniform(rng) - 1;
  for (size_t i = 0; i < rows * rank; i++) a.T[i] = 0;
  for (size_t q = 0; q < rank; q++) {
    a.offset[q] = ctest_uniform(rng);
    for (size_t c = 0; c <= q; c++) a.T[q * rank + c] = ctest_uniform(rng) - 0.5;
  }
  for (size_t i = 0; i < n; i++) {
    long double mean = 0;
    a.w[i] = (double)ctest_below(rng, 4);
    for (size_t c = 0; c < m; c++) mean += (long double)a.values[i + c * n];
    mean /= (long double)m;
    for (size_t q = 0; q < rank; q++) {
      long double sum = 0;
      for (size_t c = 0; c <= q; c++)
        sum += (long double)a.T[q * rank + c] *
               ((long double)a.values[i + c * n] - mean - (long double)a.offset[c]);
      a.phi[i * rank + q] = (double)sum;
    }
  }
  kg_landmarks map = {m, rank, a.T, a.offset, 0.25, 4};
  a.map = map;
  return a;
}

static void landmarks_free(landmarks *a) {
  free(a->values), free(a->T), free(a->offset), free(a->w), free(a->phi), free(a->z);
}

static void features_are_those_of_the_definition(void) {
  uint64_t rng = 71;
  size_t ranks[] = {0, 1, 7, 8, 9, 16, 17, 30};
  for (size_t r = 0; r < 8; r++)
    for (size_t p = 0; p < 4; p++) {
      size_t rank = ranks[r], m = rank + 1 + ctest_below(&rng, 3);
      size_t n = 1 + ctest_below(&rng, 40);
      landmarks a = landmarks_make(&rng, n, m, rank);
      double *work = NEW(double, (m + kg_lowrank_rows(rank)) * KG_TILE);
      double *rest = NEW(double, n), *self = NEW(double, n);
      for (size_t i = 0; i < n; i++) self[i] = ctest_uniform(&rng);
      kg_lowrank_features(&a.map, paths[p], a.values, n, p % 2 ? self : NULL, work, a.z,
                          rest);
      for (size_t i = 0; i < n; i++) {
        double mean = 0, norm2 = 0;
        for (size_t c = 0; c < m; c++) mean += a.values[i + c * n] / (double)m;
        for (size_t q = 0; q < a.width; q++) {
          double phi = q < rank ? a.phi[i * rank + q] : 0;
          CHECK_NEAR(a.z[i * a.width + q], phi, 1e-6);
          norm2 += phi * phi;
        }
        CHECK_NEAR(rest[i], ((p % 2 ? self[i] : 0) - 2 * mean + 0.25) / 4 - norm2, 1e-12);
      }
      free(work), free(rest), free(self);
      landmarks_free(&a);
    }
}

static void inverse_times_factor_is_one(void) {
  uint64_t rng = 72;
  size_t n = 23;
  double *L = NEW(double, n * n), *inverse = NEW(double, n * n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      L[i * n + j] = j > i ? 0 : ctest_uniform(&rng) - 0.5 + (i == j ? 3 : 0);
  for (size_t i = 0; i < n; i++) kg_lowrank_inverse_row(L, n, i, inverse);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t c = 0; c < n; c++) sum += inverse[i * n + c] * L[c * n + j];
      CHECK_NEAR(sum, i == j, 1e-12);
    }
  free(L), free(inverse);
}

static void pass_assigns_to_the_least(void) {
  uint64_t rng = 73;
  for (size_t p = 0; p < 4; p++)
    for (size_t k = 1; k < 12; k += 3) {
      size_t n = 37, m = 11, rows = kg_lowrank_rows(k);
      landmarks a = landmarks_make(&rng, n, m, 5);
      double *U = NEW(double, rows * m), *h = NEW(double, k), *s = NEW(double, k);
      double *work = NEW(double, (m + rows) * KG_TILE), *sums = NEW(double, k * m);
      double *check = NEW(double, k * m), least = 0, total = 0;
      int *label = NEW(int, n);
      for (size_t i = 0; i < rows * m; i++) U[i] = i < k * m ? ctest_uniform(&rng) : 0;
      for (size_t l = 0; l < k; l++) h[l] = ctest_uniform(&rng), s[l] = 0;
      memset(sums, 0, k * m * sizeof(double));
      memset(check, 0, k * m * sizeof(double));
      kg_lowrank_pass(m, paths[p], a.values, n, a.w, U, h, k, work, label, sums, s, &least);
      for (size_t i = 0; i < n; i++) {
        double best = HUGE_VAL;
        size_t at = 0;
        for (size_t l = 0; l < k; l++) {
          double cost = h[l];
          for (size_t c = 0; c < m; c++) cost -= 2 * U[l * m + c] * a.values[i + c * n];
          if (cost < best - 1e-12) best = cost, at = l;
        }
        CHECK(label[i] == (int)at);
        total += a.w[i] * best;
        for (size_t c = 0; c < m; c++) check[at * m + c] += a.w[i] * a.values[i + c * n];
      }
      CHECK_NEAR(least, total, 1e-10);
      for (size_t i = 0; i < k * m; i++) CHECK_NEAR(sums[i], check[i], 1e-10);
      free(U), free(h), free(s), free(work), free(sums), free(check), free(label);
      landmarks_free(&a);
    }
}

static kg_lowrank moves_make(const float *z, const double *w, size_t width, size_t n,
                           size_t k, size_t block) {
  kg_lowrank f;
  size_t blocks = (n + block - 1) / block;
  memset(&f, 0, sizeof f);
  f.z = z, f.w = w, f.width = width, f.n = n, f.k = k, f.block = block;
  f.label = NEW(int, n);
  f.mean = NEW(double, width * k);
  f.mean_float = NEW(float, width * k);
  f.norm2 = NEW(double, k), f.s = NEW(double, k);
  f.drift = NEW(double, k), f.path = NEW(double, k);
  f.count = NEW(size_t, k);
  f.dots = NEW(float, k);
  f.square = NEW(float, n), f.upper = NEW(float, n), f.lower = NEW(float, n);
  f.kept = NEW(double, blocks * k * width);
  memset(f.kept, 0, blocks * k * width * sizeof(double));
  return f;
}

static void moves_free(kg_lowrank *f) {
  free(f->label), free(f->mean), free(f->mean_float), free(f->norm2), free(f->s);
  free(f->drift), free(f->path), free(f->count), free(f->dots);
  free(f->square), free(f->upper), free(f->lower), free(f->kept);
}

static double cost_of(kg_lowrank *f) {
  double *cost = NEW(double, f->k), sum = 0;
  kg_lowrank_sums(f, 0, f->n);
  CHECK(kg_lowrank_means(f) == KG_OK);
  for (size_t l = 0; l < f->k; l++) cost[l] = 0;
  kg_lowrank_cost(f, 0, f->n, cost);
  for (size_t l = 0; l < f->k; l++) sum += cost[l];
  free(cost);
  return sum;
}

/* Small blocks, so that bounds are carried through many visits; at the end, and in spite
 * of the points passed over, no single move lowers the cost. */
static void descent_ends_where_no_move_helps(void) {
  uint64_t rng = 74;
  for (int a = 0; a < 12; a++) {
    size_t n = 60 + ctest_below(&rng, 60), k = 2 + ctest_below(&rng, 5), width = 16;
    float *z = NEW(float, n *width);
    double *w = NEW(double, n);
    for (size_t i = 0; i < n; i++) {
      w[i] = a % 2 ? (double)ctest_below(&rng, 4) : 1;
      for (size_t q = 0; q < width; q++)
        z[i * width + q] = q < 3 ? (float)(ctest_uniform(&rng) * 4) : 0;
    }
    kg_lowrank f = moves_make(z, w, width, n, k, 16);
    for (size_t i = 0; i < n; i++) f.label[i] = (int)(i % k);
    for (size_t l = 0; l < k; l++) w[l] = 1;
    double before = cost_of(&f);
    size_t made = 1, sweep = 0;
    for (; made > 0 && sweep < 200; sweep++) {
      made = 0;
      for (size_t b = 0; b * f.block < n; b++) {
        size_t end = (b + 1) * f.block < n ? (b + 1) * f.block : n;
        kg_lowrank_begin(&f, b);
        for (size_t i = b * f.block; i < end; i += 5)
          made += kg_lowrank_visit(&f, paths[a % 4], i, i + 5 < end ? i + 5 : end, sweep == 0);
      }
      for (size_t l = 0; l < k; l++) CHECK(f.count[l] > 0);
    }
    CHECK(sweep < 200);
    double end = cost_of(&f);
    CHECK(end <= before);
    for (size_t i = 0; i < n; i++) {
      int own = f.label[i];
      if (w[i] == 0 || f.count[own] < 2) continue;
      for (size_t l = 0; l < k; l++) {
        f.label[i] = (int)l;
        CHECK(cost_of(&f) >= end * (1 - 1e-9));
      }
      f.label[i] = own;
      cost_of(&f);
    }
    moves_free(&f);
    free(z), free(w);
  }
}

static void nearest_mean_is_the_nearest(void) {
  uint64_t rng = 75;
  size_t n = 50, k = 6, width = 32;
  float *z = NEW(float, n *width);
  double *w = NEW(double, n);
  for (size_t i = 0; i < n; i++) w[i] = 1 + (double)ctest_below(&rng, 3);
  for (size_t i = 0; i < n * width; i++) z[i] = (float)ctest_uniform(&rng);
  kg_lowrank f = moves_make(z, w, width, n, k, 16);
  for (size_t i = 0; i < n; i++) f.label[i] = (int)(i % k);
  cost_of(&f);
  for (size_t i = 0; i < n; i++) {
    double least = HUGE_VAL;
    for (size_t l = 0; l < k; l++) {
      double d2 = 0, s = 0;
      for (size_t q = 0; q < width; q++) {
        double mean = s = 0;
        for (size_t j = l; j < n; j += k) mean += w[j] * z[j * width + q], s += w[j];
        d2 += (z[i * width + q] - mean / s) * (z[i * width + q] - mean / s);
      }
      CHECK_NEAR(kg_lowrank_d2(&f, i, l), d2, 1e-12);
      least = fmin(least, d2);
    }
    CHECK_NEAR(kg_lowrank_d2(&f, i, kg_lowrank_nearest(&f, i)), least, 1e-12);
  }
  moves_free(&f);
  free(z), free(w);
}

int main(void) {
  RUN(nearest_mean_is_the_nearest);
  RUN(features_are_those_of_the_definition);
  RUN(inverse_times_factor_is_one);
  RUN(pass_assigns_to_the_least);
  RUN(descent_ends_where_no_move_helps);
  return DONE();
}
