/* test_landmarks.c - landmark features and the method on them against the definitions. */
#include "reference.h"

typedef struct {
  size_t n, m, rank, width;
  double *values, *T, *offset, *w;
  kg_landmarks map;
  double *phi; /* n x rank, from the definition */
  double *z; /* the features, and their 16 bits */
  int16_t *q;
  float *unit;
} landmarks;

/* Sets that the processor lacks are the baseline. */
static void use(size_t set) {
  static const char *const sets[] = {"auto", "base", "avx2", "avx512"};
  if (!kg_choose_loops(sets[set])) kg_choose_loops("base");
}

/* Any lower triangle, offsets and values: the kernel is linear in them. */
static landmarks landmarks_make(uint64_t *rng, size_t n, size_t m, size_t rank) {
  landmarks a;
  size_t rows = kg_landmarks_rows(rank);
  memset(&a, 0, sizeof a);
  a.n = n, a.m = m, a.rank = rank, a.width = kg_landmarks_width(rank);
  a.values = NEW(double, n * m);
  a.T = NEW(double, rows * rank + 1);
  a.offset = NEW(double, rank + 1);
  a.w = NEW(double, n);
  a.phi = NEW(double, n * rank + 1);
  a.z = NEW(double, n * a.width);
  a.q = NEW(int16_t, n * a.width);
  a.unit = NEW(float, n);
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
  kg_landmarks map = {m, rank, a.T, a.offset, 0.25, 4, 0};
  a.map = map;
  return a;
}

/* One point in 16 bits. */
static float pack(const double *z, size_t m, size_t width, int16_t *q) {
  double *tile = NEW(double, m * KG_TILE);
  float unit;
  for (size_t c = 0; c < m * KG_TILE; c++) tile[c] = c % KG_TILE == 0 ? z[c / KG_TILE] : 0;
  kg_landmarks_pack(tile, m, 1, width, q, &unit);
  free(tile);
  return unit;
}

static void landmarks_free(landmarks *a) {
  free(a->values), free(a->T), free(a->offset), free(a->w), free(a->phi), free(a->z);
  free(a->q), free(a->unit);
}

static void features_are_those_of_the_definition(void) {
  uint64_t rng = 71;
  size_t ranks[] = {0, 1, 7, 8, 9, 16, 17, 30};
  for (size_t r = 0; r < 8; r++)
    for (size_t p = 0; p < 4; p++) {
      size_t rank = ranks[r], m = rank + 1 + ctest_below(&rng, 3);
      size_t n = 1 + ctest_below(&rng, 40);
      landmarks a = landmarks_make(&rng, n, m, rank);
      double *work = NEW(double, (m + kg_landmarks_rows(rank)) * KG_TILE);
      double *rest = NEW(double, n), *self = NEW(double, n);
      for (size_t i = 0; i < n; i++) self[i] = ctest_uniform(&rng);
      use(p);
      kg_landmarks_features(&a.map, a.values, n, p % 2 ? self : NULL, work, a.z, NULL, NULL,
                          rest);
      kg_landmarks_features(&a.map, a.values, n, p % 2 ? self : NULL, work, NULL, a.q, a.unit,
                          rest);
      for (size_t i = 0; i < n; i++) {
        double mean = 0, norm2 = 0;
        for (size_t c = 0; c < m; c++) mean += a.values[i + c * n] / (double)m;
        for (size_t q = 0; q < a.width; q++) {
          double phi = q < rank ? a.phi[i * rank + q] : 0;
          CHECK_NEAR(a.z[i * a.width + q], phi, 1e-12);
          CHECK(fabs((double)a.unit[i] * a.q[i * a.width + q] - phi) <= 0.50001 * a.unit[i]);
          norm2 += phi * phi;
        }
        CHECK_NEAR(rest[i], ((p % 2 ? self[i] : 0) - 2 * mean + 0.25) / 4 - norm2, 1e-12);
      }
      free(work), free(rest), free(self);
      landmarks_free(&a);
    }
}

/* With a bound no features are longer than the point itself; those within it stay as they are. */
static void bounded_features_are_not_longer_than_the_point(void) {
  uint64_t rng = 73;
  for (size_t t = 0; t < 40; t++) {
    size_t rank = 1 + ctest_below(&rng, 20), m = rank + 1, n = 1 + ctest_below(&rng, 40);
    landmarks a = landmarks_make(&rng, n, m, rank);
    double *work = NEW(double, (m + kg_landmarks_rows(rank)) * KG_TILE);
    double *rest = NEW(double, n), *free_rest = NEW(double, n), *self = NEW(double, n);
    double *z = NEW(double, n * a.width);
    for (size_t i = 0; i < n; i++)
      self[i] = (ctest_uniform(&rng) - 0.2) * (t % 3 == 0 ? 1e-3 : 50);
    kg_landmarks_features(&a.map, a.values, n, self, work, z, NULL, NULL, free_rest);
    a.map.bounded = 1;
    if (t % 5 == 0) a.T[0] = 1e200;
    kg_landmarks_features(&a.map, a.values, n, self, work, a.z, NULL, NULL, rest);
    for (size_t i = 0; i < n; i++) {
      double mean = 0, norm2 = 0;
      for (size_t c = 0; c < m; c++) mean += a.values[i + c * n] / (double)m;
      for (size_t q = 0; q < a.width; q++) norm2 += pow(a.z[i * a.width + q], 2);
      double whole = (self[i] - 2 * mean + 0.25) / 4;
      CHECK(isfinite(norm2) && isfinite(rest[i]));
      CHECK(norm2 <= (whole > 0 ? whole : 0) * (1 + 1.1e-6));
      if (t % 5 == 0 || free_rest[i] < 0) continue;
      CHECK(rest[i] == free_rest[i]);
      CHECK(memcmp(z + i * a.width, a.z + i * a.width, a.width * sizeof(double)) == 0);
    }
    free(work), free(rest), free(free_rest), free(self), free(z);
    landmarks_free(&a);
  }
}

/* Whatever the size of a point: the ends of the range, 0, and what is no number. */
static void packing_keeps_its_values(void) {
  const double sizes[] = {1, 1e-30, 1e30, 1e38, 1e43, 1e-300, 0};
  double z[5], odd[] = {1, NAN, 2, INFINITY, -1};
  int16_t q[16];
  for (size_t s = 0; s < 7; s++) {
    for (int c = 0; c < 5; c++) z[c] = sizes[s] * (c - 2.3);
    float unit = pack(z, 5, 16, q);
    if (sizes[s] == 1e43) {
      CHECK(isnan(unit)); /* a unit has to fit single precision */
      continue;
    }
    for (int c = 0; c < 5; c++) CHECK(fabs((double)unit * q[c] - z[c]) <= 0.50001 * unit + 1e-38);
    for (int c = 5; c < 16; c++) CHECK(q[c] == 0);
  }
  for (size_t c = 0; c < 5; c++) {
    float unit = pack(odd + c, 1, 16, q);
    CHECK(isnan(unit) == !isfinite(odd[c]));
    CHECK(q[0] == (isfinite(odd[c]) ? odd[c] < 0 ? -32767 : 32767 : 0));
  }
  CHECK(isnan(pack(odd, 5, 16, q)));
}

static void inverse_times_factor_is_one(void) {
  uint64_t rng = 72;
  size_t n = 23;
  double *L = NEW(double, n * n), *inverse = NEW(double, n * n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      L[i * n + j] = j > i ? 0 : ctest_uniform(&rng) - 0.5 + (i == j ? 3 : 0);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c <= i; c += 5) /* in parts */
      kg_landmarks_inverse_row(L, n, i, c, i + 1 - c < 5 ? i + 1 : c + 5, inverse);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t c = 0; c < n; c++) sum += inverse[i * n + c] * L[c * n + j];
      CHECK_NEAR(sum, i == j, 1e-12);
    }
  free(L), free(inverse);
}

/* ---- the engine ---- */

typedef struct {
  kg_features z;
  int16_t *q;
  float *unit;
  kg_input input;
  kg_short f;
  int *label;
  void *memory;
} moves;

static const kg_kind *const kind = &kg_short_features;

/* In memory of its own, since the engine points into it; z becomes what 16 bits hold. */
static moves *moves_make(double *z, const double *w, size_t width, size_t n, size_t k) {
  moves *a = NEW(moves, 1);
  a->q = NEW(int16_t, n * width);
  a->unit = NEW(float, n);
  for (size_t i = 0; i < n; i++) {
    a->unit[i] = pack(z + i * width, width, width, a->q + i * width);
    for (size_t c = 0; c < width; c++)
      z[i * width + c] = (double)a->unit[i] * a->q[i * width + c];
  }
  a->z.q = a->q, a->z.unit = a->unit, a->z.width = width, a->z.n = n;
  a->input.kind = kind, a->input.n = n, a->input.w = w, a->input.values = &a->z;
  a->label = NEW(int, n);
  LAY(a->memory, kg_short_lay(&a->f, &a->input, k, a->label, &room));
  return a;
}

static void moves_free(moves *a) {
  free(a->label), free(a->memory);
  free(a->q), free(a->unit), free(a);
}

/* W from scratch. */
static double cost_of(moves *a) {
  kg_engine *e = &a->f.m.e;
  for (size_t at = 0; at < e->n;) at = kind->begin(e, at, 100);
  for (size_t at = 0; at < e->n;) at = kind->totals(e, at, 100);
  CHECK(e->status == KG_OK);
  return e->rule.W;
}

/* Bounds are carried through many passes; at the end, and in spite of the points passed
 * over, no single move lowers W. */
static void descent_ends_where_no_move_helps(void) {
  uint64_t rng = 74;
  for (int a = 0; a < 12; a++) {
    size_t n = 60 + ctest_below(&rng, 60), k = 2 + ctest_below(&rng, 5), width = 16;
    double *z = NEW(double, n *width);
    double *w = NEW(double, n);
    for (size_t i = 0; i < n; i++) {
      w[i] = a % 2 ? (double)ctest_below(&rng, 4) : 1;
      for (size_t q = 0; q < width; q++)
        z[i * width + q] = q < 3 ? ctest_uniform(&rng) * 4 : 0;
    }
    use((size_t)a % 4);
    moves *f = moves_make(z, w, width, n, k);
    kg_engine *e = &f->f.m.e;
    for (size_t i = 0; i < n; i++) f->label[i] = (int)(i % k);
    for (size_t l = 0; l < k; l++) w[l] = 1;
    double before = cost_of(f);
    size_t made = 1, sweep = 0;
    for (; made > 0 && sweep < 200; sweep++) {
      size_t was = e->moves;
      for (size_t at = 0; at < n;) at = kind->sweep(e, at, 100);
      made = e->moves - was;
      for (size_t l = 0; l < k; l++) CHECK(e->count[l] > 0);
    }
    CHECK(sweep < 200);
    double end = cost_of(f);
    CHECK(end <= before);
    for (size_t i = 0; i < n; i++) {
      int own = f->label[i];
      if (w[i] == 0 || e->count[own] < 2) continue;
      for (size_t l = 0; l < k; l++) {
        f->label[i] = (int)l;
        CHECK(cost_of(f) >= end * (1 - 1e-9));
      }
      f->label[i] = own;
      cost_of(f);
    }
    moves_free(f);
    free(z), free(w);
  }
}

/* A copy has no bounds and finds the same moves without them. */
static void copies_go_on_alone(void) {
  uint64_t rng = 77;
  size_t n = 80, k = 4, width = 16;
  for (size_t set = 0; set < 4; set++) {
    double *z = NEW(double, n *width);
    double *w = NEW(double, n);
    for (size_t i = 0; i < n; i++) {
      w[i] = 1 + (double)ctest_below(&rng, 3);
      for (size_t q = 0; q < width; q++)
        z[i * width + q] = q < 3 ? ctest_uniform(&rng) * 4 : 0;
    }
    use(set);
    moves *f = moves_make(z, w, width, n, k), *g = moves_make(z, w, width, n, k);
    kg_engine *e = &f->f.m.e, *copy = &g->f.m.e;
    for (size_t i = 0; i < n; i++) f->label[i] = (int)(i % k), g->label[i] = 0;
    cost_of(f);
    for (size_t at = 0; at < n;) at = kind->sweep(e, at, 100);
    memcpy(g->label, f->label, n * sizeof(int));
    cost_of(g);
    double W = cost_of(f);
    for (size_t made = 1; made > 0;) {
      size_t was = copy->moves;
      for (size_t at = 0; at < n;) at = kind->sweep(copy, at, 100);
      made = copy->moves - was;
    }
    CHECK_NEAR(cost_of(f), W, 0);
    CHECK(cost_of(g) <= W);
    for (size_t i = 0; i < n; i++) {
      kg_choice choice;
      CHECK(!kg_means_best(&g->f.m, i, &choice));
    }
    moves_free(f);
    moves_free(g);
    free(z), free(w);
  }
}

/* Several blocks: means go far between two passes of one. */
static void blocks_carry_their_bounds(void) {
  uint64_t rng = 76;
  size_t n = 9000, k = 4, width = 16;
  double *z = NEW(double, n *width);
  double *w = NEW(double, n);
  for (size_t i = 0; i < n; i++) {
    w[i] = 1;
    for (size_t q = 0; q < width; q++)
      z[i * width + q] = q < 2 ? ctest_normal(&rng) + (double)(i % 3) : 0;
  }
  use(0);
  moves *f = moves_make(z, w, width, n, k);
  kg_engine *e = &f->f.m.e;
  CHECK(n > 2 * f->f.block);
  for (size_t i = 0; i < n; i++) f->label[i] = (int)(i % k);
  cost_of(f);
  for (size_t was = 1, sweep = 0; was != e->moves && sweep < 300; sweep++) {
    was = e->moves;
    for (size_t at = 0; at < n;) at = kind->sweep(e, at, 1e5);
  }
  cost_of(f);
  for (size_t i = 0; i < n; i++) {
    kg_choice choice;
    CHECK(!kg_means_best(&f->f.m, i, &choice));
  }
  moves_free(f);
  free(z), free(w);
}

static void nearest_mean_is_the_nearest(void) {
  uint64_t rng = 75;
  size_t n = 50, k = 6, width = 32;
  double *z = NEW(double, n *width);
  double *w = NEW(double, n), *near = NEW(double, n);
  for (size_t i = 0; i < n; i++) w[i] = 1 + (double)ctest_below(&rng, 3);
  for (size_t i = 0; i < n * width; i++) z[i] = ctest_uniform(&rng);
  moves *f = moves_make(z, w, width, n, k);
  kg_engine *e = &f->f.m.e;
  for (size_t i = 0; i < n; i++) f->label[i] = (int)(i % k);
  cost_of(f);
  for (size_t i = 0; i < n; i++) {
    double least = HUGE_VAL, found = HUGE_VAL, best = 0;
    for (size_t l = 0; l < k; l++) {
      double d2 = 0, s = 0;
      for (size_t q = 0; q < width; q++) {
        double mean = s = 0;
        for (size_t j = l; j < n; j += k) mean += w[j] * z[j * width + q], s += w[j];
        d2 += (z[i * width + q] - mean / s) * (z[i * width + q] - mean / s);
      }
      CHECK_NEAR(kind->d2(e, i, l), d2, 1e-12);
      least = fmin(least, d2);
    }
    kind->nearest(e, k, i, i + 1, &found, &best);
    CHECK_NEAR(found, least, 1e-12);
    kind->rho(&f->input, i, 0, n, near);
    for (size_t j = 0; j < n; j++) {
      double d2 = 0;
      for (size_t q = 0; q < width; q++) {
        double t = z[i * width + q] - z[j * width + q];
        d2 += t * t;
      }
      CHECK_NEAR(near[j], d2, 1e-12);
    }
  }
  moves_free(f);
  free(z), free(w), free(near);
}

int main(void) {
  RUN(nearest_mean_is_the_nearest);
  RUN(features_are_those_of_the_definition);
  RUN(bounded_features_are_not_longer_than_the_point);
  RUN(packing_keeps_its_values);
  RUN(inverse_times_factor_is_one);
  RUN(descent_ends_where_no_move_helps);
  RUN(copies_go_on_alone);
  RUN(blocks_carry_their_bounds);
  return DONE();
}
