/* ffi_features.c - explicit features and given means: distances, the nearest mean, the
 * features themselves, centroid swaps. */
#include "ffi.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_kmeans.h"
#include "kg_rule.h"
#include "kg_start.h"
#include <math.h>
#include <string.h>

/* An engine that has nothing but its means; w may be left out. */
static kg_means means_of(SEXP problem, SEXP means, size_t *k) {
  kg_input *input = (kg_input *)R_alloc(1, sizeof(kg_input));
  const kg_features *from = ffi_features_of(problem);
  input->values = from;
  input->n = from->n;
  input->kind = from->q ? &kg_short_features : &kg_double_features;
  input->w = NULL;
  const double *mean = ffi_doubles(means, -1, "means");
  *k = (size_t)Rf_xlength(means) / from->width;
  if (*k < 1 || *k > 2147483647 || *k * from->width != (size_t)Rf_xlength(means))
    Rf_error("means must have a row a feature");
  kg_means f;
  kg_room room = {NULL, 0};
  kg_means_lay(&f, input, *k, NULL, &room);
  room = ffi_room(&room);
  kg_means_lay(&f, input, *k, NULL, &room);
  memcpy(f.mean, mean, *k * from->width * sizeof(double));
  for (size_t l = 0; l < *k; l++)
    f.e.count[l] = 1;
  return f;
}

static size_t piece_of(const kg_means *f, size_t each) {
  double points = 16777216.0 / ((double)f->from->width * (double)each);
  return points < 1 ? 1 : (size_t)points;
}

/* Squared distances to given means (width x k): n x k. */
SEXP ffi_features_distances(SEXP problem, SEXP means) {
  size_t k;
  kg_means f = means_of(problem, means, &k);
  size_t n = f.e.n, piece = piece_of(&f, k);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)k));
  for (size_t i = 0; i < n; i++) {
    if (i % piece == 0)
      R_CheckUserInterrupt();
    for (size_t l = 0; l < k; l++)
      REAL(out)[i + l * n] = kg_means_d2(&f, i, l);
  }
  UNPROTECT(1);
  return out;
}

/* Every point to the nearest of given means: labels, and for each cluster the sum of
 * w d2, the sum of w z (width x k) and the weight. */
SEXP ffi_features_assign(SEXP problem, SEXP means) {
  static const char *const names[] = {"cluster", "cost", "sums", "s"};
  size_t k;
  kg_means f = means_of(problem, means, &k);
  size_t n = f.e.n, width = f.from->width, piece = piece_of(&f, k);
  const double *w = ffi_problem_weights(problem, n);
  SEXP out = PROTECT(ffi_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)k));
  SET_VECTOR_ELT(out, 2, Rf_allocMatrix(REALSXP, (int)width, (int)k));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)k));
  int *cluster = INTEGER(VECTOR_ELT(out, 0));
  double *cost = REAL(VECTOR_ELT(out, 1)), *sums = REAL(VECTOR_ELT(out, 2));
  double *s = REAL(VECTOR_ELT(out, 3));
  memset(cost, 0, k * sizeof(double));
  memset(sums, 0, width * k * sizeof(double));
  memset(s, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    double least = HUGE_VAL, best = 0;
    if (i % piece == 0)
      R_CheckUserInterrupt();
    kg_means_nearest(&f.e, k, i, i + 1, &least, &best);
    size_t l = (size_t)best;
    cluster[i] = (int)l + 1;
    if (w[i] == 0)
      continue;
    cost[l] += w[i] * least;
    s[l] += w[i];
    kg_means_add(f.from, i, w[i], sums + l * width);
  }
  UNPROTECT(1);
  return out;
}

/* Rows that are numbers of points. */
static const int *rows_of(SEXP rows_, R_xlen_t length, const kg_features *f) {
  const int *rows = ffi_integers(rows_, length, "rows");
  size_t b = (size_t)Rf_xlength(rows_);
  if (b < 1 || b > 2147483647)
    Rf_error("there must be rows");
  for (size_t i = 0; i < b; i++)
    if (rows[i] < 1 || (size_t)rows[i] > f->n)
      Rf_error("rows must lie between 1 and n");
  return rows;
}

/* Squared distances of pairs of points: i and j are row numbers. */
SEXP ffi_features_rho(SEXP problem, SEXP i_, SEXP j_) {
  const kg_features *f = ffi_features_of(problem);
  const int *i = rows_of(i_, -1, f), *j = rows_of(j_, Rf_xlength(i_), f);
  R_xlen_t pairs = Rf_xlength(i_);
  double *a = (double *)R_alloc(2 * f->width, sizeof(double)), *b = a + f->width;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, pairs));
  for (R_xlen_t at = 0; at < pairs; at++) {
    if (at % 1024 == 0)
      R_CheckUserInterrupt();
    kg_means_coordinates(f, (size_t)i[at] - 1, a);
    kg_means_coordinates(f, (size_t)j[at] - 1, b);
    REAL(out)[at] = kg_squared(a, b, f->width);
  }
  UNPROTECT(1);
  return out;
}

/* The features of some points: doubles, width x rows, or as they are. */
SEXP ffi_features_take(SEXP problem, SEXP rows_, SEXP doubles_) {
  const kg_features *f = ffi_features_of(problem);
  int doubles = ffi_count(doubles_, 0, 1, "doubles") == 1;
  const int *rows = rows_of(rows_, -1, f);
  size_t b = (size_t)Rf_xlength(rows_), width = f->width;
  if (!f->q)
    doubles = 1;
  double bytes = ffi_features_bytes(width, b);
  SEXP out = PROTECT(doubles ? Rf_allocMatrix(REALSXP, (int)width, (int)b)
                             : Rf_allocVector(RAWSXP, ffi_length(bytes, "features")));
  for (size_t i = 0; i < b; i++) {
    if (i % 1024 == 0)
      R_CheckUserInterrupt();
    size_t row = (size_t)rows[i] - 1;
    if (doubles)
      kg_means_coordinates(f, row, REAL(out) + i * width);
    else
      memcpy(RAW(out) + 2 * i * width, f->q + row * width, 2 * width);
    if (!doubles)
      memcpy(RAW(out) + 2 * b * width + 4 * i, f->unit + row, 4);
  }
  UNPROTECT(1);
  return out;
}

enum {
  MOST = 1000, /* sweeps: rounding must not claim falls for ever */
  BROKEN = 3   /* estimates in a row */
};

/* Sweeps until nothing moves. */
static void rest(kg_kmeans *q) {
  for (int sweep = 0; sweep < MOST; sweep++) {
    R_CheckUserInterrupt();
    if (kg_kmeans_sweep(q) == 0 && kg_kmeans_sure(q))
      return;
  }
}

/* The local search after a swap or a crossover: 1 if nothing moves any more. */
static int descend(kg_kmeans *q) {
  size_t moves;
  do {
    double before = HUGE_VAL;
    moves = 1;
    for (int sweep = 1; sweep <= MOST && kg_kmeans_hopes(q, moves, before, sweep);
         sweep++) {
      R_CheckUserInterrupt();
      before = q->now.W;
      moves = kg_kmeans_sweep(q);
    }
  } while (kg_kmeans_widen(q));
  return moves == 0;
}

/* Features in double precision, weights above 0, room: all but labels. */
static void begin_kmeans(kg_kmeans *q, SEXP problem, size_t k, SEXP control,
                         SEXP uniforms, int *label) {
  const kg_input *input = ffi_input(problem);
  if (input->kind != &kg_double_features)
    Rf_error("features must be in double precision");
  const kg_features *from = (const kg_features *)input->values;
  size_t n = input->n, d = from->width;
  double power = ffi_number(ffi_need(control, "power"), 0, 1, "power");
  const double *u = ffi_uniforms(uniforms);
  if (Rf_xlength(uniforms) == 0)
    Rf_error("there must be uniforms");
  for (size_t i = 0; i < n; i++)
    if (!(input->w[i] > 0))
      Rf_error("weights must be above 0");
  ffi_length((double)(n + k) * (double)(d + 2), "the coordinates");
  double *doubles = (double *)R_alloc(kg_kmeans_doubles(n, d, k), sizeof(double));
  float *floats = (float *)R_alloc(kg_kmeans_floats(n, d, k), sizeof(float));
  size_t *sizes = (size_t *)R_alloc(kg_kmeans_sizes(n, k), sizeof(size_t));
  int *ints = (int *)R_alloc(kg_kmeans_ints(n), sizeof(int));
  kg_kmeans_init(q, from->z, input->w, n, d, k, power, label, doubles, floats, sizes,
                 ints, u, (size_t)Rf_xlength(uniforms));
}

/* A swap, and the local search after it: was it kept? */
static int swapped(kg_kmeans *q, int improving) {
  R_CheckUserInterrupt();
  if (!kg_kmeans_swap(q, improving) || !kg_kmeans_settle(q, descend(q)))
    return 0;
  kg_kmeans_gains(q);
  return 1;
}

/* Centroid swaps from given labels: those that estimate a lower W, until some in a row
 * have not kept it; then some at random, until as many in a row as control states have
 * failed, or all have cost `work` products. */
SEXP ffi_kmeans(SEXP problem, SEXP k_, SEXP labels, SEXP control, SEXP uniforms) {
  static const char *const names[] = {"cluster", "W", "swaps", "kept", "spread"};
  size_t n = ffi_input(problem)->n, k = ffi_count(k_, 2, (double)n, "k"), swaps = 0,
         kept = 0;
  size_t patience = ffi_count(ffi_need(control, "patience"), 0, 1e9, "patience");
  double work = ffi_number(ffi_need(control, "work"), 0, HUGE_VAL, "work"), spread = 0;
  SEXP out = PROTECT(ffi_list(5, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  int *label = INTEGER(VECTOR_ELT(out, 0));
  ffi_labels(ffi_integers(labels, (R_xlen_t)n, "labels"), n, k, label, "labels");
  kg_kmeans q;
  begin_kmeans(&q, problem, k, control, uniforms, label);
  rest(&q);
  kg_kmeans_list(&q);
  if (patience > 0)
    kg_kmeans_gains(&q);
  for (size_t broken = 0; patience > 0 && broken < BROKEN; swaps++) {
    int better = swapped(&q, 1);
    kept += (size_t)better;
    broken = better ? 0 : broken + 1;
  }
  for (size_t failures = 0; failures < patience && q.work < work; swaps++) {
    int better = swapped(&q, 0);
    kept += (size_t)better;
    failures = better ? 0 : failures + 1;
  }
  rest(&q);
  kg_kmeans_list(&q);
  for (size_t i = 0; i < n; i++)
    label[i]++;
  for (size_t l = 0; l < k; l++)
    spread += q.now.spread[l];
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(q.now.W));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)swaps));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)kept));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal(spread));
  UNPROTECT(1);
  return out;
}

/* Partitions that are crossed with one another, at a local optimum. */
typedef struct {
  kg_clusters *one;
  size_t many;
} population;

static population populate(const kg_kmeans *q, size_t many, const int *labels) {
  size_t n = q->n, d = q->d, k = q->k, each = kg_clusters_doubles(d, k);
  ffi_length((double)each * (double)many, "the means");
  population all = {(kg_clusters *)R_alloc(many, sizeof(kg_clusters)), many};
  double *doubles = (double *)R_alloc(each * many, sizeof(double));
  float *floats = (float *)R_alloc(2 * n * many, sizeof(float));
  size_t *sizes = (size_t *)R_alloc(k * many, sizeof(size_t));
  int *ints = (int *)R_alloc(2 * n * many, sizeof(int));
  for (size_t one = 0; one < many; one++) {
    int *label = ints + 2 * n * one;
    ffi_labels(labels + one * n, n, k, label, "labels");
    kg_clusters_init(&all.one[one], n, d, k, label, doubles + each * one,
                     floats + 2 * n * one, sizes + k * one, label + n);
  }
  return all;
}

/* The labels of another one that is already would make them poorer. */
static int is_there(const population *all, double W) {
  for (size_t one = 0; one < all->many; one++)
    if (fabs(all->one[one].W - W) <= 1e-7 * W)
      return 1;
  return 0;
}

enum {
  PARTNERS = 10,
  CROSSOVERS = 2
}; /* of a partition that is taken up; of a partner */

/* Crossovers of partitions, a column of labels each, until as many in a row as control
 * states have failed, or they have cost `work` products: the best, and W of each; by the
 * pairs within clusters, if control reports so and they are few beside that work, else by
 * their sums of squares. */
SEXP ffi_cross_means(SEXP problem, SEXP k_, SEXP labels, SEXP control, SEXP uniforms) {
  static const char *const names[] = {"cluster", "W", "tried", "kept"};
  size_t n = ffi_input(problem)->n, k = ffi_count(k_, 2, (double)n, "k"), tried = 0,
         kept = 0, failures = 0, best = 0;
  size_t patience = ffi_count(ffi_need(control, "patience"), 0, 1e9, "patience");
  double work = ffi_number(ffi_need(control, "work"), 0, HUGE_VAL, "work");
  size_t many = (size_t)(Rf_xlength(labels) / (R_xlen_t)n);
  if (many < 2)
    Rf_error("there must be two columns of labels or more");
  const int *from = ffi_integers(labels, (R_xlen_t)(n * many), "labels");
  SEXP out = PROTECT(ffi_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)many));
  int *label = INTEGER(VECTOR_ELT(out, 0));
  kg_kmeans q;
  ffi_labels(from, n, k, label, "labels");
  begin_kmeans(&q, problem, k, control, uniforms, label);
  if (ffi_count(ffi_need(control, "pairs"), 0, 1, "pairs") == 1)
    q.pairs = (double *)R_alloc(kg_kmeans_pairs_doubles(n, q.d), sizeof(double));
  population all = populate(&q, many, from);
  for (size_t one = 0; one < many; one++) {
    memcpy(label, all.one[one].label, n * sizeof(int));
    kg_kmeans_set(&q);
    rest(&q);
    kg_kmeans_list(&q);
    /* one large cluster may have more pairs than there is time for */
    if (one == 0 && (double)many * kg_kmeans_pairs_work(&q) > work / 4)
      q.pairs = NULL;
    kg_kmeans_disperse(&q);
    kg_clusters_copy(&all.one[one], &q.now, &q);
  }
  while (failures < patience && q.work < work) {
    size_t one = kg_one_of(&q.draws, many), two = kg_one_of(&q.draws, many);
    if (kg_below(all.one[two].dispersion, all.one[one].dispersion))
      one = two;
    kg_kmeans_take(&q, &all.one[one]);
    for (int partner = 0; partner < PARTNERS && q.work < work; partner++) {
      size_t with = (one + 1 + kg_one_of(&q.draws, many - 1)) % many;
      const kg_clusters *other = &all.one[with];
      for (int round = 0; kg_kmeans_meet(&q, other, round) > 0; round++)
        R_CheckUserInterrupt();
      for (int cross = 0; cross < CROSSOVERS; cross++) {
        tried++;
        failures++;
        if (!kg_kmeans_cross(&q, other))
          continue;
        int at_rest = descend(&q);
        if (!kg_kmeans_settle(&q, at_rest && !is_there(&all, q.now.W)))
          continue;
        kg_clusters_copy(&all.one[one], &q.now, &q);
        kept++;
        failures = 0;
      }
    }
  }
  for (size_t one = 0; one < many; one++) {
    REAL(VECTOR_ELT(out, 1))[one] = all.one[one].dispersion;
    if (kg_below(all.one[one].dispersion, all.one[best].dispersion))
      best = one;
  }
  kg_kmeans_restore(&q, &all.one[best]);
  if (!q.pairs) {
    rest(&q);
    kg_kmeans_list(&q);
    REAL(VECTOR_ELT(out, 1))[best] = q.now.W;
  }
  for (size_t i = 0; i < n; i++)
    label[i]++;
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)tried));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)kept));
  UNPROTECT(1);
  return out;
}
