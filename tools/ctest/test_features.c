/* test_features.c - the engine of explicit features in double precision against the same
 * problem in pairwise dissimilarities: rho = d^2, so that every quantity has a second way to it. */
#include "reference.h"

typedef struct {
  kg_features z;
  kg_input input;
  kg_means f;
  double *values;
  void *memory;
  int *label;
} embedded;

static const kg_kind *const kind = &kg_double_features;

static void totals(kg_engine *e) {
  for (size_t at = 0; at < e->n;) at = kind->begin(e, at, 10);
  for (size_t at = 0; at < e->n;) at = kind->totals(e, at, 10);
  CHECK(e->status == KG_OK);
}

/* In memory of its own, since the engine points into it. */
static embedded *embedded_make(const problem *p, const int *label) {
  embedded *e = NEW(embedded, 1);
  size_t n = p->n, m = p->d;
  e->values = NEW(double, m * n);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < m; c++) e->values[c + i * m] = p->x[i + c * n];
  e->z.z = e->values, e->z.width = m, e->z.n = n;
  e->input.kind = kind, e->input.n = n, e->input.w = p->w, e->input.values = &e->z;
  e->label = NEW(int, n);
  memcpy(e->label, label, n * sizeof(int));
  LAY(e->memory, kg_means_lay(&e->f, &e->input, p->k, e->label, &room));
  totals(&e->f.e);
  return e;
}

static void embedded_free(embedded *e) {
  free(e->values), free(e->label), free(e->memory), free(e);
}

static const kg_semimetric squared = {KG_POWER, 2};

static void means_are_those_of_the_pairs(void) {
  uint64_t rng = 81;
  for (int a = 0; a < 10; a++) {
    problem p = problem_make(&rng, POINTS, squared, 25, 1 + (size_t)a % 5, 4, a % 2);
    embedded *e = embedded_make(&p, p.label);
    for (size_t i = 0; i < p.n; i++) {
      double near = HUGE_VAL, best = 0;
      long double least = HUGE_VALL;
      kind->nearest(&e->f.e, p.k, i, i + 1, &near, &best);
      for (size_t l = 0; l < p.k; l++) {
        long double d2 = reference_d2(&p, p.label, i, l);
        CHECK_NEAR(kind->d2(&e->f.e, i, l), (double)d2, 1e-12);
        least = fminl(least, d2);
      }
      CHECK(reference_d2(&p, p.label, i, (size_t)best) <= least + 1e-12L);
    }
    CHECK_NEAR(e->f.e.rule.W, (double)reference_cost(&p, p.label), 1e-12);
    /* W + S is the dispersion of all as one cluster, V belongs to the Gram matrix of z */
    long double sums[5] = {0}, all = 0, s = 0;
    kind->report(&e->f.e, sums, 0, 1);
    for (size_t i = 0; i < p.n; i++) {
      s += (long double)p.w[i];
      for (size_t j = 0; j < p.n; j++)
        all -= (long double)p.w[i] * (long double)p.w[j] * p.B[i + j * p.n];
    }
    CHECK_NEAR(e->f.e.total, (double)(all / s), 1e-12);
    embedded_free(e);
    problem_free(&p);
  }
}

static void descent_falls_and_ends_where_no_move_helps(void) {
  uint64_t rng = 82;
  for (int a = 0; a < 20; a++) {
    problem p = problem_make(&rng, POINTS, squared, 12 + ctest_below(&rng, 20), 3,
                             1 + ctest_below(&rng, 5), a % 2);
    embedded *f = embedded_make(&p, p.label);
    kg_engine *e = &f->f.e;
    long double W = reference_cost(&p, e->label);
    for (size_t made = 1, sweeps = 0; made > 0; sweeps++) {
      size_t before = e->moves;
      for (size_t i = 0; i < p.n;) {
        size_t was = e->moves;
        i = kind->sweep(e, i, 1);
        long double now = reference_cost(&p, e->label);
        CHECK(e->moves > was ? now < W : now == W);
        CHECK(none_empty(&p, e->label));
        W = now;
      }
      made = e->moves - before;
      CHECK(sweeps < 200);
      if (sweeps > 200) break;
    }
    CHECK_NEAR(e->rule.W, (double)W, 1e-11); /* kept up by the moves */
    totals(e);
    CHECK_NEAR(e->rule.W, (double)W, 1e-12);
    for (size_t i = 0; i < p.n; i++) {
      size_t j = (size_t)e->label[i];
      if (p.w[i] == 0) {
        CHECK(e->label[i] == p.label[i]);
        continue;
      }
      if (e->count[j] < 2) continue;
      for (size_t l = 0; l < p.k; l++) {
        e->label[i] = (int)l;
        CHECK(reference_cost(&p, e->label) >= W - 1e-9L);
      }
      e->label[i] = (int)j;
    }
    embedded_free(f);
    problem_free(&p);
  }
}

/* The same draws choose the same centres as the semimetric d^2. */
static void starts_are_those_of_the_pairs(void) {
  uint64_t rng = 83;
  for (size_t candidates = 1; candidates <= 3; candidates++)
    for (int a = 0; a < 10; a++) {
      problem p = problem_make(&rng, POINTS, squared, 30, 3, 5, a % 2);
      embedded *e = embedded_make(&p, p.label);
      kg_input pairs = {&kg_pair_sums, p.n, p.w, &p.pairs};
      const kg_input *inputs[2] = {&pairs, &e->input};
      int *labels[2] = {p.label, e->label};
      double *nearest = NEW(double, p.n), *row = NEW(double, p.n), u[15];
      for (int b = 0; b < 15; b++) u[b] = ctest_uniform(&rng);
      for (int b = 0; b < 2; b++) {
        kg_plusplus plus;
        memset(&plus, 0, sizeof plus);
        plus.input = inputs[b], plus.candidates = candidates, plus.label = labels[b];
        plus.nearest = nearest, plus.row = row;
        for (size_t l = 0; l < p.k; l++) {
          kg_plusplus_begin(&plus, l, u + l * candidates);
          while (!kg_plusplus_step(&plus, 7)) continue;
        }
      }
      CHECK(memcmp(p.label, e->label, p.n * sizeof(int)) == 0);
      free(nearest), free(row);
      embedded_free(e);
      problem_free(&p);
    }
}

/* The means of labels, d x k. */
static void means_of_labels(const double *z, const double *w, const int *label, size_t n, size_t d, size_t k,
                            double *mean) {
  for (size_t l = 0; l < k; l++) {
    double s = 0;
    for (size_t c = 0; c < d; c++) mean[l * d + c] = 0;
    for (size_t i = 0; i < n; i++) {
      if ((size_t)label[i] != l) continue;
      s += w[i];
      for (size_t c = 0; c < d; c++) mean[l * d + c] += w[i] * z[i * d + c];
    }
    for (size_t c = 0; c < d; c++) mean[l * d + c] /= s;
  }
}

static void descend_to_rest(kg_float *f) {
  while (kg_float_sweep(f) > 0) continue;
  kg_float_list(f);
}

static kg_proposals *proposals_make(void **memory, const double *z, const double *w, size_t n, size_t d, size_t k,
                                    const int *label) {
  static const double u[] = {0.31, 0.77, 0.13, 0.58, 0.92, 0.04, 0.66};
  kg_proposals *p = NEW(kg_proposals, 1);
  LAY(*memory, kg_proposals_lay(p, n, d, k, &room));
  p->draws.u = u, p->draws.n = 7;
  memcpy(p->f.now.label, label, n * sizeof(int));
  kg_float_begin(&p->f, z, w);
  descend_to_rest(&p->f);
  kg_propose_gains(p);
  return p;
}

/* Proposals that swept the clusters around them, and that went on to all. */
typedef struct {
  int near, wide;
} attempts;

static int attempt(kg_proposals *p, attempts *went) {
  int near = p->f.view == &p->f.near;
  while (kg_propose_sweep(p)) continue;
  went->near += near;
  went->wide += near && p->f.view == &p->f.all;
  return kg_propose_end(p);
}

/* Moves that lower W by more than the linearised cost may hide, from means and sums of squares. */
static size_t moves_left(const kg_float *f) {
  size_t left = 0, d = f->of.d;
  const kg_centroids *now = &f->now;
  for (size_t i = 0; i < f->of.n; i++) {
    size_t j = (size_t)now->label[i];
    double w = f->of.w[i], best = 0;
    const double *z = f->of.z + i * d;
    if (now->count[j] < 2) continue;
    for (size_t l = 0; l < f->k; l++) {
      if (l == j) continue;
      double s = now->s[j], t = now->s[l];
      double less = now->spread[j] - w * s / (s - w) * kg_squared(z, now->mean + j * d, d);
      double more = now->spread[l] + w * t / (t + w) * kg_squared(z, now->mean + l * d, d);
      double change = less + more - now->spread[j] - now->spread[l];
      if (change < best) best = change;
    }
    left += best < -1e-3 * now->W / (double)f->of.n;
  }
  return left;
}

/* W of the labels from the definition: the sum of squares; no cluster is empty. */
static double W_of_labels(const kg_float *f) {
  size_t n = f->of.n, d = f->of.d;
  double *mean = NEW(double, d * f->k), sum = 0;
  means_of_labels(f->of.z, f->of.w, f->now.label, n, d, f->k, mean);
  for (size_t l = 0; l < f->k; l++) {
    double s = 0, v = 0;
    for (size_t i = 0; i < n; i++) {
      if ((size_t)f->now.label[i] != l) continue;
      s += f->of.w[i];
      v += f->of.w[i] * kg_squared(f->of.z + i * d, mean + l * d, d);
    }
    CHECK(s > 0);
    sum += v;
  }
  free(mean);
  return sum;
}

/* Centroid swaps, with few clusters and with so many that a proposal is tried on those around it: W is that of the labels, none is empty, proposals that are undone leave all as it was, and W never
 * rises. */
static void swaps_lower_W(void) {
  uint64_t rng = 83;
  int all = 0;
  attempts went = {0, 0};
  for (int a = 0; a < 24; a++) {
    size_t clusters = a % 3 == 0 ? 20 + (size_t)a : 3 + (size_t)a % 5;
    problem p = problem_make(&rng, POINTS, squared, 190, 1 + (size_t)a % 4, clusters, a % 2);
    embedded *e = embedded_make(&p, p.label);
    size_t n = p.n;
    double *w = NEW(double, n);
    int *label = NEW(int, n), *before = NEW(int, n);
    for (size_t i = 0; i < n; i++) {
      w[i] = p.w[i] > 0 ? p.w[i] : 1;
      label[i] = (int)(i % p.k);
    }
    void *memory;
    kg_proposals *q = proposals_make(&memory, e->values, w, n, p.d, p.k, label);
    for (int turn = 0; turn < 40; turn++) {
      double W = q->f.now.W;
      memcpy(before, q->f.now.label, n * sizeof(int));
      if (!kg_propose_swap(q, turn % 3 == 0)) continue;
      all++;
      int kept = attempt(q, &went);
      if (kept) kg_propose_gains(q);
      CHECK(kept ? q->f.now.W < W : q->f.now.W == W && memcmp(before, q->f.now.label, n * sizeof(int)) == 0);
      CHECK_NEAR(q->f.now.W, W_of_labels(&q->f), 1e-9);
    }
    free(q), free(memory), free(w), free(label), free(before);
    embedded_free(e);
    problem_free(&p);
  }
  CHECK(all > 300);
  CHECK(went.near > 50 && went.wide > 0);
}

/* No move is left at the end of sweeps: after a local search from labels that carry no information, and after swaps. */
static void sweeps_end_where_no_move_is_left(void) {
  uint64_t rng = 89;
  int kept = 0;
  attempts went = {0, 0};
  for (int a = 0; a < 6; a++) {
    problem p = problem_make(&rng, POINTS, squared, 900, 5, 18, 0);
    embedded *e = embedded_make(&p, p.label);
    double *w = NEW(double, p.n);
    int *label = NEW(int, p.n);
    void *memory;
    for (size_t i = 0; i < p.n; i++) w[i] = 1, label[i] = (int)(i % p.k);
    kg_proposals *q = proposals_make(&memory, e->values, w, p.n, p.d, p.k, label);
    CHECK(moves_left(&q->f) == 0);
    for (int turn = 0; turn < 30; turn++) {
      if (!kg_propose_swap(q, turn < 3) || !attempt(q, &went)) continue;
      kept++;
      kg_propose_gains(q);
    }
    descend_to_rest(&q->f);
    CHECK(moves_left(&q->f) == 0);
    free(q), free(memory), free(w), free(label);
    embedded_free(e);
    problem_free(&p);
  }
  CHECK(kept > 10);
}

/* Clusters apart, of which the start takes two as one and halves another, here and there: swaps that estimate a lower W
 * find all of them, and then estimate nothing more. */
static void estimates_find_distant_clusters(void) {
  enum { N = 600, D = 2, K = 30, WRONG = 5 };
  for (int a = 0; a < 3; a++) {
    uint64_t rng = 97 + (uint64_t)a;
    double z[N * D], w[N];
    int label[N];
    void *memory;
    for (size_t i = 0; i < N; i++) {
      size_t l = i % K, other = l;
      z[D * i] = (10 * (double)(l % 6) + ctest_uniform(&rng)) / 64;
      z[D * i + 1] = (10 * (double)(l / 6) + ctest_uniform(&rng)) / 64;
      w[i] = 1;
      if (l >= K - WRONG) other = l - 2 * WRONG; /* with another one */
      if (l < WRONG && i >= N / 2) other = K - WRONG + l;
      label[i] = (int)other;
    }
    kg_proposals *q = proposals_make(&memory, z, w, N, D, K, label);
    attempts went = {0, 0};
    size_t kept = 0, wrong = 0;
    for (int broken = 0; broken < 3 && kg_propose_swap(q, 1); broken++) {
      if (!attempt(q, &went)) continue;
      kept++;
      broken = -1;
      kg_propose_gains(q);
    }
    CHECK(kept >= 3);
    CHECK(!kg_propose_swap(q, 1));
    for (size_t i = K; i < N; i++) wrong += q->f.now.label[i] != q->f.now.label[i % K];
    CHECK(wrong == 0);
    free(q), free(memory);
  }
}

/* Loops over points and means: the same to the last bit for every instruction set, and as defined. Widths that fill no
 * vector, means that come twice and values below 0 among them. */
static void loops_of_means_are_the_same(void) {
  enum { D = 5, STRIDE = 128, K = 9 };
  const char *const sets[] = {"base", "avx2", "avx512"};
  uint64_t rng = 101;
  for (int a = 0; a < 20; a++) {
    float x[D * STRIDE], table[K * (D + 1)];
    size_t k = 1 + ctest_below(&rng, K);
    for (int i = 0; i < D * STRIDE; i++) x[i] = (float)ctest_uniform(&rng) - 0.5f;
    for (int i = 0; i < K * (D + 1); i++) table[i] = (float)ctest_uniform(&rng) - (a % 2 ? 0.2f : 0.5f);
    for (int c = 0; c <= D; c++) table[2 * (D + 1) + c] = table[c];
    kg_nearest plain;
    for (size_t set = 0; set < 3; set++) {
      kg_nearest near;
      if (!kg_choose_loops(sets[set])) continue;
      kg_chosen_loops->two_nearest(x, STRIDE, D, table, k, KG_NEAREST, &near);
      for (size_t j = 0; j < KG_NEAREST; j++) {
        double value[K], next = KG_FAR;
        size_t first = 0;
        for (size_t l = 0; l < k; l++) {
          value[l] = table[l * (D + 1) + D];
          for (size_t c = 0; c < D; c++) value[l] += (double)table[l * (D + 1) + c] * x[c * STRIDE + j];
          if (value[l] < value[first]) first = l;
        }
        for (size_t l = 0; l < k; l++)
          if (l != first) next = fmin(next, value[l]);
        CHECK_NEAR(near.least[j], value[first], 1e-6);
        CHECK(near.next[j] == next || fabs(near.next[j] - next) < 1e-6);
        CHECK_NEAR(value[(size_t)near.first[j]], value[first], 1e-6);
        CHECK(k == 1 || fabs(value[(size_t)near.second[j]] - next) < 1e-6);
      }
      if (set == 0) plain = near;
      CHECK(memcmp(&plain, &near, sizeof near) == 0);
    }
  }
  CHECK(kg_choose_loops("auto"));
}

/* Results of passes over points, as defined and the same to the last bit for every instruction set: points in a cluster
 * that is the nearest, the second or neither of them, clusters that no point leaves, values below 0. */
static void scans_of_means_are_the_same(void) {
  enum { K = 7 };
  const char *const sets[] = {"base", "avx2", "avx512"};
  uint64_t rng = 103;
  for (int a = 0; a < 40; a++) {
    kg_nearest near;
    float plain[KG_NEAREST], row[KG_NEAREST];
    float more[K], base[K], at[KG_NEAREST];
    int label[KG_NEAREST];
    size_t width = a % 2 ? KG_NEAREST : 1 + ctest_below(&rng, KG_NEAREST);
    unsigned long long first = 0, all = width < KG_NEAREST ? (1ULL << width) - 1 : ~0ULL;
    for (size_t l = 0; l < K; l++) {
      more[l] = l == 3 ? 0 : 1 + (float)ctest_uniform(&rng);
      base[l] = l == 3 ? KG_FAR : (float)ctest_uniform(&rng) - 0.7f;
    }
    for (size_t j = 0; j < KG_NEAREST; j++) {
      label[j] = (int)ctest_below(&rng, K);
      at[j] = (float)(K - 1 - label[j]);
      near.first[j] = (float)ctest_below(&rng, K);
      near.second[j] = (float)(((int)near.first[j] + 1 + (int)ctest_below(&rng, K - 1)) % K);
      near.least[j] = (float)ctest_uniform(&rng) - 0.2f;
      near.next[j] = near.least[j] + (float)ctest_uniform(&rng);
    }
    const kg_leaving of = {more, base};
    for (size_t set = 0; set < 3; set++) {
      if (!kg_choose_loops(sets[set])) continue;
      unsigned long long may = kg_chosen_loops->scan_means(&near, label, at, &of, width, row) & all;
      for (size_t j = 0; j < width; j++) {
        int l = label[j], own_first = near.first[j] == at[j], own_second = near.second[j] == at[j];
        double least = own_first ? near.next[j] : near.least[j];
        double own = own_first ? near.least[j] : own_second ? near.next[j] : KG_FAR;
        if (own < KG_FAR) own = own * more[l] + base[l];
        CHECK(row[j] == (own_first ? near.second[j] : near.first[j]));
        if (fabs(own - least) > 1e-4) CHECK((int)(may >> j & 1) == (own > least));
      }
      if (set == 0) memcpy(plain, row, sizeof row), first = may;
      CHECK(may == first && memcmp(plain, row, width * sizeof(float)) == 0);
    }
  }
  CHECK(kg_choose_loops("auto"));
}

int main(void) {
  RUN(means_are_those_of_the_pairs);
  RUN(descent_falls_and_ends_where_no_move_helps);
  RUN(starts_are_those_of_the_pairs);
  RUN(swaps_lower_W);
  RUN(sweeps_end_where_no_move_is_left);
  RUN(estimates_find_distant_clusters);
  RUN(loops_of_means_are_the_same);
  RUN(scans_of_means_are_the_same); /* the last: it chooses other loops */
  return DONE();
}
