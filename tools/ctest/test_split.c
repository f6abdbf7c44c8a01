/* test_split.c - trials that split one cluster and dissolve another: the change of W is
 * that of the labels by definition, halves gain what they promise, and labels that have no
 * part in a trial stay; for points, distances, a matrix of B and a Gram matrix, weighted. */
#include "ctest.h"
#include "kg.h"

enum { N = 60, D = 2, K = 7, STORES = 4 };

typedef struct {
  double x[N * D], distance[N * (N - 1) / 2], B[N * N], G[N * N], half[N], w[N];
  int label[N];
} data;

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

static void trials(size_t most, int duplicates) {
  uint64_t rng = 5;
  size_t made = 0;
  for (int round = 0; round < 8; round++) {
    for (int store = 0; store < STORES; store++) {
      data *z = ctest_alloc(1, sizeof *z);
      make(z, &rng, duplicates);
      kg_pairs pairs = pairs_of(z, store);
      kg_input input = {&kg_pair_sums, N, z->w, &pairs};
      kg_state state, *one = &state;
      double *doubles = ctest_alloc(kg_state_doubles(N, K), sizeof(double));
      size_t *counts = ctest_alloc(kg_state_counts(N, K), sizeof(size_t));
      double *work = ctest_alloc(kg_state_workspace(&pairs, 1), sizeof(double));
      kg_state_init(&state, &input, K, z->label, doubles, counts, 1, work);
      kg_first_pass(&one, 1, 0, N, state.row);
      kg_state_built(&state);
      CHECK(kg_totals(&state) == KG_OK);

      kg_split s;
      double uniforms[5], *sd = ctest_alloc(kg_split_doubles(&pairs, K), sizeof(double));
      size_t *ss = ctest_alloc(kg_split_sizes(N, K), sizeof(size_t)), a, c;
      int *si = ctest_alloc(kg_split_ints(N, K), sizeof(int)), after[N], halves[N];
      unsigned char *tried = ctest_alloc(K * K, 1);
      memset(tried, 0, K * K);
      for (int u = 0; u < 5; u++) uniforms[u] = ctest_uniform(&rng);
      kg_split_init(&s, &state, most, sd, ss, si, tried, uniforms, 5);
      kg_split_look(&s, 1);
      int many = 0;
      while (kg_split_halve(&s)) many++;
      CHECK(many == K);
      int gram = store == 3;
      long double W = objective(z, gram, z->label, -1, 0);
      for (size_t l = 0; l < K && most >= N; l++) {
        if (!kg_split_can(&s, l)) continue;
        /* the second half in the place of another cluster */
        int other = l == 0 ? 1 : 0;
        for (int i = 0; i < N; i++) {
          halves[i] = z->label[i] == (int)l ? (int)l : K;
          if (z->label[i] == (int)l && z->w[i] > 0 && s.half[i]) halves[i] = other;
        }
        long double gain = objective(z, gram, z->label, (int)l, (int)l) -
                           objective(z, gram, halves, (int)l, other);
        CHECK_NEAR((double)gain, s.gain[l], 1e-10);
      }
      for (int pair = 0; pair < K * K && kg_split_best(&s, &a, &c); pair++) {
        CHECK(a != c && a < K && c < K && !tried[a + c * K]);
        kg_split_begin(&s, a, c);
        while (!kg_split_go(&s, pair % 2, pair % 3 ? HUGE_VAL : 1))
          ;
        kg_split_failed(&s, a, c);
        if (s.change == HUGE_VAL) continue;
        kg_split_labels(&s, after);
        int full[K] = {0};
        for (int i = 0; i < N; i++) {
          CHECK(after[i] >= 0 && after[i] < K);
          if (z->w[i] > 0) full[after[i]]++;
          size_t inside = 0;
          for (size_t b = 0; b < s.n_of; b++) inside += s.of[b] == (size_t)z->label[i];
          if (!inside || z->w[i] == 0) CHECK(after[i] == z->label[i]);
        }
        for (int l = 0; l < K; l++) CHECK(full[l] > 0);
        CHECK_NEAR((double)(objective(z, gram, after, -1, 0) - W), s.change, 1e-9);
        made++;
      }
      free(tried), free(si), free(ss), free(sd), free(work), free(counts), free(doubles);
      free(z);
    }
  }
  CHECK(made > 500);
}

static void changes_are_exact(void) {
  kg_choose_loops("auto");
  trials(N, 0);
}

static void halves_from_some_points(void) {
  trials(4, 0);
}

static void duplicates(void) {
  trials(N, 1);
}

int main(void) {
  RUN(changes_are_exact);
  RUN(halves_from_some_points);
  RUN(duplicates);
  return DONE();
}
