/* test_split.c - attempts that split one cluster and remove another: the change of W is
 * that of the labels by definition, halves gain what they estimate, and labels that have no
 * part in a attempt stay; for points, distances, a matrix of B, a Gram matrix, sparse rows and
 * explicit features, weighted. */
#include "ctest.h"
#include "kernels.h"

enum { N = 60, D = 2, K = 7, PAIRS = 4, STORES = 6 };

typedef struct {
  double x[N * D], distance[N * (N - 1) / 2], B[N * N], G[N * N], half[N], w[N];
  double z[D * N], value[N * (N - 1)], diagonal[N];
  int start[N + 1], row[N * (N - 1)];
  int label[N];
} data;

/* An engine of any kind and what it works on. */
typedef struct {
  kg_input input;
  kg_pairs pairs;
  kg_sparse matrix;
  kg_features features;
  kg_state state;
  kg_sparse_state rows;
  kg_means means;
  void *memory;
} any;

static void make(data *z, uint64_t *rng, int duplicates) {
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < D; c++) z->x[i + c * N] = 4 * (double)((i + c) % K) / K + ctest_normal(rng);
    if (duplicates && i % 3 == 1)
      for (int c = 0; c < D; c++) z->x[i + c * N] = z->x[i - 1 + c * N];
    z->w[i] = i % 11 == 3 ? 0 : 0.25 * (double)(1 + ctest_below(rng, 4));
    z->label[i] = i < 2 * K ? i % K : (int)ctest_below(rng, K);
  }
  for (int l = 0; l < K; l++) z->w[l] = 1;
  size_t at = 0;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      double sum = 0, dot = 0;
      for (int c = 0; c < D; c++) {
        double t = z->x[i + c * N] - z->x[j + c * N];
        sum += t * t;
        dot += z->x[i + c * N] * z->x[j + c * N];
      }
      z->B[i + j * N] = -sqrt(sum) / 2;
      z->G[i + j * N] = dot;
      if (i == j) z->half[i] = dot / 2;
      if (i > j) z->distance[at++] = sqrt(sum);
    }
  for (int j = 0, many = 0; j < N; j++) {
    z->start[j] = many;
    z->diagonal[j] = z->G[j + j * N];
    for (int c = 0; c < D; c++) z->z[c + j * D] = z->x[j + c * N];
    for (int i = 0; i < N; i++)
      if (i != j) z->row[many] = i, z->value[many++] = z->G[i + j * N];
    z->start[j + 1] = many;
  }
}

/* W of some labels by definition; gram: rho is the squared distance. */
static long double objective(const data *z, int gram, const int *label, int only, int two) {
  long double W = 0;
  for (int l = 0; l < K; l++) {
    long double V = 0, s = 0;
    if (only >= 0 && l != only && l != two) continue;
    for (int i = 0; i < N; i++) {
      if (label[i] != l) continue;
      s += z->w[i];
      for (int j = 0; j < N; j++) {
        if (label[j] != l) continue;
        long double d = z->B[i + j * N];
        V += (long double)z->w[i] * z->w[j] * (gram ? -2 * d * d : d);
      }
    }
    if (s > 0) W -= V / s;
  }
  return W;
}

static kg_pairs pairs_of(const data *z, int store) {
  kg_semimetric rho = {KG_POWER, 1};
  if (store == 0) return kg_points(z->x, N, D, rho);
  if (store == 1) return kg_packed(z->distance, N, rho);
  return store == 2 ? kg_dense(z->B, NULL, N) : kg_dense(z->G, z->half, N);
}

static kg_engine *engine_of(any *a, data *z, int store) {
  kg_input input = {NULL, N, z->w, NULL};
  kg_state *one = &a->state;
  a->input = input;
  if (store < PAIRS) {
    a->pairs = pairs_of(z, store);
    a->input.kind = &kg_pair_sums;
    a->input.values = &a->pairs;
    LAY(a->memory, kg_state_lay(one, &a->input, K, z->label, 1, &room));
    kg_first_pass(&one, 1, 0, N, one->row);
    kg_state_built(one);
    return &one->e;
  }
  if (store == PAIRS) {
    kg_sparse matrix = {N, z->start, z->row, z->value, z->diagonal};
    a->matrix = matrix;
    a->input.kind = &kg_sparse_rows;
    a->input.values = &a->matrix;
    LAY(a->memory, kg_sparse_lay(&a->rows, &a->input, K, z->label, &room));
    return &a->rows.e;
  }
  memset(&a->features, 0, sizeof a->features);
  a->features.z = z->z;
  a->features.width = D;
  a->features.n = N;
  a->input.kind = &kg_double_features;
  a->input.values = &a->features;
  LAY(a->memory, kg_means_lay(&a->means, &a->input, K, z->label, &room));
  kg_means_begin(&a->means.e, 0, HUGE_VAL);
  return &a->means.e;
}

static void attempts(int duplicates, int improving) {
  uint64_t rng = 5;
  size_t made = 0;
  for (int round = 0; round < 8; round++) {
    for (int store = 0; store < STORES; store++) {
      data *z = ctest_alloc(1, sizeof *z);
      make(z, &rng, duplicates);
      any *whole = ctest_alloc(1, sizeof *whole);
      kg_engine *e = engine_of(whole, z, store);
      const kg_input *input = &whole->input;
      CHECK(input->kind->totals(e, 0, HUGE_VAL) == N && e->status == KG_OK);

      kg_split s;
      kg_attempt t;
      double uniforms[5];
      size_t a, c;
      int after[N], halves[N];
      void *memory;
      for (int u = 0; u < 5; u++) uniforms[u] = ctest_uniform(&rng);
      LAY(memory, (kg_split_lay(&s, input, K, &room), kg_attempt_lay(&t, input, K, &room)));
      s.draws.u = uniforms, s.draws.n = 5;
      s.e = e;
      s.improving = improving;
      kg_split_scan(&s, 1);
      int many = 0;
      for (; kg_split_next(&s, &a); many++) HALVE(&s, &t, a);
      kg_split_partners(&s);
      CHECK(many == K);
      int gram = store >= 3;
      long double W = objective(z, gram, z->label, -1, 0);
      for (size_t l = 0; l < K; l++) {
        if (!kg_split_can(&s, l)) continue;
        /* the second half in the place of another cluster */
        int other = l == 0 ? 1 : 0;
        for (int i = 0; i < N; i++) {
          halves[i] = z->label[i] == (int)l ? (int)l : K;
          if (z->label[i] == (int)l && z->w[i] > 0 && s.halves.half[i]) halves[i] = other;
        }
        long double gain = objective(z, gram, z->label, (int)l, (int)l) -
                           objective(z, gram, halves, (int)l, other);
        CHECK_NEAR((double)gain, s.halves.gain[l], 1e-10);
      }
      size_t a1 = K, c1 = K;
      int any_pair = kg_split_best(&s, &a1, &c1);
      size_t ahead_a[4], ahead_c[4], ahead = kg_split_ahead(&s, 4, ahead_a, ahead_c);
      CHECK((ahead > 0) == any_pair && kg_split_best(&s, &a, &c) == any_pair);
      for (int pair = 0; pair < K * K && kg_split_best(&s, &a, &c); pair++) {
        CHECK(a != c && a < K && c < K && !s.pairs.tried[a + c * K]);
        CHECK(!improving || s.halves.gain[a] > s.removal[c]);
        /* what is evaluated ahead is what comes if all fail */
        if ((size_t)pair < ahead) CHECK(a == ahead_a[pair] && c == ahead_c[pair]);
        kg_split_begin(&s, &t, a, c);
        while (!kg_split_go(&t, pair % 3 ? HUGE_VAL : 1))
          ;
        kg_split_failed(&s, a, c);
        if (t.change == HUGE_VAL) continue;
        kg_split_labels(&s, &t, after);
        int full[K] = {0};
        for (int i = 0; i < N; i++) {
          CHECK(after[i] >= 0 && after[i] < K);
          if (z->w[i] > 0) full[after[i]]++;
          size_t inside = 0;
          for (size_t b = 0; b < t.n_of; b++) inside += t.of[b] == (size_t)z->label[i];
          if (!inside || z->w[i] == 0) CHECK(after[i] == z->label[i]);
        }
        for (int l = 0; l < K; l++) CHECK(full[l] > 0);
        CHECK_NEAR((double)(objective(z, gram, after, -1, 0) - W), t.change, 1e-9);
        made++;
      }
      memset(s.pairs.tried, 0, K * K);
      kg_split_partners(&s);
      CHECK(kg_split_best(&s, &a, &c) == any_pair && (!any_pair || (a == a1 && c == c1)));
      /* labels that a attempt has led to: only clusters that have changed are halved again, and
       * attempts from there are exact too */
      int before[N], changed = 0;
      memcpy(before, z->label, sizeof before);
      for (int pair = 0; pair < 8 && kg_split_best(&s, &a, &c); pair++) {
        kg_split_begin(&s, &t, a, c);
        while (!kg_split_go(&t, HUGE_VAL))
          ;
        if (t.change == HUGE_VAL) {
          kg_split_failed(&s, a, c);
          continue;
        }
        kg_split_labels(&s, &t, after);
        for (size_t at = 0; at < N;) at = input->kind->relabel(e, after, at, 100);
        CHECK(memcmp(after, z->label, sizeof after) == 0);
        if (input->kind->begin && store >= PAIRS)
          for (size_t at = 0; at < N;) at = input->kind->begin(e, at, HUGE_VAL);
        CHECK(input->kind->totals(e, 0, HUGE_VAL) == N && e->status == KG_OK);
        W = objective(z, gram, z->label, -1, 0);
        kg_split_scan(&s, 0);
        for (changed = 0; kg_split_next(&s, &a); changed++) HALVE(&s, &t, a);
        kg_split_partners(&s);
        for (int i = 0; i < N; i++)
          if (z->w[i] > 0 && z->label[i] != s.halves.was[i]) CHECK(s.halves.half[i] == 0);
      }
      CHECK(changed < K || memcmp(before, z->label, sizeof before) != 0);
      for (int pair = 0; pair < 4 && kg_split_best(&s, &a, &c); pair++) {
        kg_split_begin(&s, &t, a, c);
        while (!kg_split_go(&t, 1))
          ;
        kg_split_failed(&s, a, c);
        if (t.change == HUGE_VAL) continue;
        kg_split_labels(&s, &t, after);
        CHECK_NEAR((double)(objective(z, gram, after, -1, 0) - W), t.change, 1e-9);
      }
      free(memory), free(whole->memory), free(whole), free(z);
    }
  }
  CHECK(made > (improving ? 100 : 500));
}

static void changes_are_exact(void) {
  kg_choose_loops("auto");
  attempts(0, 0);
}

static void estimates_are_exact(void) {
  attempts(0, 1);
  attempts(1, 1);
}

static void duplicates(void) {
  attempts(1, 0);
}

/* A cluster of more than `most` points is estimated from a sample of them by Ward's criterion, and halved again it is
 * halved as without a limit; of pairwise dissimilarities it cannot be split. */
static void samples_estimate_large_clusters(void) {
  uint64_t rng = 11;
  for (int store = 0; store < STORES; store++) {
    data *z = ctest_alloc(1, sizeof *z);
    make(z, &rng, 0);
    any *whole = ctest_alloc(1, sizeof *whole);
    kg_engine *e = engine_of(whole, z, store);
    const kg_input *input = &whole->input;
    CHECK(input->kind->totals(e, 0, HUGE_VAL) == N && e->status == KG_OK);
    kg_split all, some;
    kg_attempt t;
    double uniforms[5];
    size_t a, large = 0;
    void *memory;
    for (int u = 0; u < 5; u++) uniforms[u] = ctest_uniform(&rng);
    LAY(memory, (kg_split_lay(&all, input, K, &room), kg_split_lay(&some, input, K, &room),
                 kg_attempt_lay(&t, input, K, &room)));
    kg_split *both[] = {&all, &some};
    some.halves.most = 5;
    for (int one = 0; one < 2; one++) {
      both[one]->draws.u = uniforms, both[one]->draws.n = 5;
      both[one]->e = e;
      kg_split_scan(both[one], 1);
      while (kg_split_next(both[one], &a)) HALVE(both[one], &t, a);
    }
    for (size_t l = 0; l < K; l++) {
      const size_t many = some.first[l + 1] - some.first[l];
      if (many <= 5) {
        CHECK_NEAR(all.halves.gain[l], some.halves.gain[l], 0);
        continue;
      }
      large++;
      if (input->kind->sums) {
        CHECK(!kg_split_can(&some, l));
        continue;
      }
      CHECK(some.halves.sampled[l] == 1 && kg_split_can(&some, l));
      const double gain = some.halves.gain[l];
      HALVE(&some, &t, l);
      CHECK(some.halves.sampled[l] == 0 && some.halves.gain[l] == gain && gain > 0);
      for (size_t q = some.first[l]; q < some.first[l + 1]; q++)
        CHECK(some.halves.half[some.member[q]] == all.halves.half[some.member[q]]);
    }
    CHECK(large > 0);
    free(memory), free(whole->memory), free(whole), free(z);
  }
}

/* Uniforms that begin again are others, and uniforms. */
static void uniforms_do_not_come_back(void) {
  double u[2] = {0.9, 0.1}, seen[20];
  kg_split s;
  memset(&s, 0, sizeof s);
  s.draws.u = u;
  s.draws.n = 2;
  for (int at = 0; at < 20; at++) {
    seen[at] = kg_uniform(&s.draws);
    CHECK(seen[at] >= 0 && seen[at] < 1);
    for (int before = 0; before < at; before++) CHECK(fabs(seen[at] - seen[before]) > 1e-3);
  }
  CHECK(seen[0] == u[0] && seen[1] == u[1]);
}

int main(void) {
  RUN(changes_are_exact);
  RUN(estimates_are_exact);
  RUN(samples_estimate_large_clusters);
  RUN(duplicates);
  RUN(uniforms_do_not_come_back);
  return DONE();
}
