/* ffi_connected.c - gaps between observations: cores, spanning tree, branches. */
#include "ffi.h"
#include "kg_connected.h"
#include "kg_coordinates.h"
#include "kg_engine.h"
#include "kg_pairs.h"
#include "kg_semimetric.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
  STEPS_BETWEEN_POLLS = 65536, /* of edges and boxes */
  MOST_BRANCHES = 4096         /* the table of all pairs of more is not made */
};

/* ---- order ---- */

static size_t *sorted(size_t *order, size_t n, kg_before before, const void *context) {
  size_t *other = (size_t *)R_alloc(n, sizeof(size_t));
  for (size_t width = 1; width < n; width *= 2) {
    R_CheckUserInterrupt();
    kg_merge_runs(order, other, n, width, before, context);
    size_t *kept = order;
    order = other;
    other = kept;
  }
  return order;
}

/* ---- the tree, by boxes for points, by rows for the rest ---- */

typedef struct {
  double *core; /* n */
  kg_link *links;
  size_t n_links;
  kg_leaves *leaves; /* NULL: rows */
  kg_prim *rows;
} gaps;

/* kg_ties of either */
static size_t equally_far(void *context, size_t i, double length, size_t *out) {
  const gaps *g = (const gaps *)context;
  return g->leaves ? kg_leaves_at(g->leaves, i, length, out)
                   : kg_prim_at(g->rows, i, length, out);
}

/* Equal points are one of summed weight, and edges of height 0 to the first of them. */
static void gaps_of_points(const kg_coordinates *points, const double *w, double wanted,
                           gaps *out) {
  size_t n = points->n, m = 0, distinct;
  kg_table table = {points->x, n, points->d};
  size_t *order = (size_t *)R_alloc(n, sizeof(size_t));
  double *weight = (double *)R_alloc(n, sizeof(double));
  for (size_t i = 0; i < n; i++)
    if (w[i] > 0)
      order[m++] = i;
  order = sorted(order, m, kg_before_row, &table);
  distinct = kg_distinct_rows(&table, order, m, w, weight, out->links, &out->n_links);
  if (distinct == 0)
    return;
  kg_leaves *l = out->leaves = (kg_leaves *)R_alloc(1, sizeof(kg_leaves));
  FFI_LAY(kg_leaves_lay(l, distinct, points->d, &room));
  kg_leaves_begin(l, &table, order);
  while (!kg_leaves_split(l))
    R_CheckUserInterrupt();
  kg_leaves_fill(l, weight, 0, l->n_leaves);
  const int threads = ffi_threads();
  void *workspace = R_alloc(kg_leaves_workspace(l) * (size_t)threads, 1);
  const double work =
      (double)l->n * KG_LEAF * (double)(l->d + 4); /* of a leaf, at most */
  FFI_PIECES (from, to, l->n_leaves, (1 + (size_t)(FFI_WORK / work)) * (size_t)threads)
    kg_leaves_cores(l, wanted, from, to, threads, workspace);
  for (size_t a = 0; a < l->n_leaves; a++)
    for (size_t j = 0; j < l->boxes.count[a]; j++)
      out->core[l->points.row[a * KG_LEAF + j]] = sqrt(l->points.core[a * KG_LEAF + j]);
  for (size_t a = 0; a < out->n_links; a++)
    out->core[out->links[a].b] = out->core[out->links[a].a];
  do
    R_CheckUserInterrupt();
  while (!kg_leaves_grow(l, out->links + out->n_links, STEPS_BETWEEN_POLLS));
  out->n_links += distinct - 1;
  kg_leaves_fill(l, weight, 0, l->n_leaves);
}

static void gaps_of_rows(const kg_pairs *pairs, const double *w, int squared,
                         double wanted, gaps *out) {
  size_t n = pairs->n, step = ffi_rows(pairs);
  kg_prim *rows = out->rows = (kg_prim *)R_alloc(1, sizeof(kg_prim));
  double *space = (double *)R_alloc(2 * n, sizeof(double));
  FFI_LAY(kg_prim_lay(rows, n, &room));
  kg_prim_begin(rows, pairs, w, squared);
  FFI_PIECES (i, to, n, step)
    kg_prim_cores(rows, wanted, i, to, space);
  memcpy(out->core, rows->core, n * sizeof(double));
  do
    R_CheckUserInterrupt();
  while (!kg_prim_grow(rows, out->links, step));
  if (rows->members > 0)
    out->n_links = rows->members - 1;
}

/* Pairwise dissimilarities as distances, or as their squares: B is -d/2 or -d^2/2. Of
 * points the Euclidean distance, of kernel values that of the feature space. */
static kg_pairs distances_of(SEXP problem, int *squared) {
  const kg_semimetric square = {KG_POWER, 2}, given = {KG_GIVEN, 0};
  kg_pairs pairs = ffi_pairs(problem);
  const kg_coordinates *points = kg_coordinates_of(&pairs);
  *squared = 1;
  if (points)
    return kg_points(points->x, points->n, points->d, square);
  if (kg_gaps_of(&pairs))
    Rf_error("a store without gaps is requested");
  if (!kg_is_packed(&pairs))
    return pairs;
  *squared = 0;
  return kg_packed(pairs.values, pairs.n, given);
}

/* The nearest of the observations of positive weight, the first of equal ones. */
static size_t nearest(const double *value, const double *w, size_t n) {
  size_t out = n;
  double least = HUGE_VAL;
  for (size_t j = 0; j < n; j++)
    if (w[j] > 0 && (value[j] < least || out == n)) {
      least = value[j];
      out = j;
    }
  return out;
}

static void place_weightless(const kg_pairs *pairs, const double *w, int *branch) {
  size_t n = pairs->n;
  double *row = (double *)R_alloc(n, sizeof(double)), left = 0;
  for (size_t i = 0; i < n; i++) {
    if (w[i] > 0)
      continue;
    ffi_poll(&left, (double)n * pairs->cost);
    const double *B = kg_row(pairs, i, row);
    for (size_t j = 0; j < n; j++)
      row[j] = -B[j];
    branch[i] = branch[nearest(row, w, n)];
  }
}

/* ---- entries ---- */

static SEXP put_doubles(SEXP list, int at, size_t n) {
  SEXP value = Rf_allocVector(REALSXP, (R_xlen_t)n);
  SET_VECTOR_ELT(list, at, value);
  return value;
}

static SEXP merges_of(const kg_branches *b) {
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)b->n_merges, 5));
  for (size_t e = 0; e < b->n_merges; e++) {
    const kg_meeting *m = b->merges + e;
    double row[5] = {m->height, (double)m->a + 1, (double)m->b + 1, m->wa, m->wb};
    for (size_t c = 0; c < 5; c++)
      REAL(out)[e + c * b->n_merges] = row[c];
  }
  UNPROTECT(1);
  return out;
}

/* sum_ij w_i w_j B_ij, by the first pass of a fit with one cluster */
static double sum_of_pairs(SEXP problem) {
  kg_engine *e = ffi_new_engine(ffi_input(problem), 1, ffi_threads());
  memset(e->label, 0, e->n * sizeof(int));
  ffi_begin(&e, 1);
  return e->V[0];
}

static kg_link *in_order(const gaps *found, double *heights) {
  size_t n = found->n_links, *order = (size_t *)R_alloc(n + 1, sizeof(size_t));
  kg_link *links = (kg_link *)R_alloc(n + 1, sizeof(kg_link));
  for (size_t a = 0; a < n; a++)
    order[a] = a;
  order = sorted(order, n, kg_before_link, found->links);
  for (size_t a = 0; a < n; a++) {
    links[a] = found->links[order[a]];
    heights[a] = links[a].height;
    if (!R_FINITE(heights[a]))
      Rf_error("distances between neighbours are not finite");
  }
  return links;
}

/* the quantile `level` of the cores, by weight */
static double threshold_of(const double *core, const double *weight, size_t n,
                           double level, double total) {
  double *copy = (double *)R_alloc(2 * n, sizeof(double));
  memcpy(copy, core, n * sizeof(double));
  memcpy(copy + n, weight, n * sizeof(double));
  return kg_weighted_least(copy, copy + n, n, fmax(level * total * KG_NEARLY, DBL_MIN));
}

/* list(branch, H, threshold, core, heights, merges, height_sum, sum) in the units of the
 * store. rule = c(wanted, least, small, level, apart), the arguments of rho_connected().
 * H is NULL where there are too many branches. */
SEXP ffi_connected(SEXP problem, SEXP rule) {
  static const char *const names[] = {"branch",  "H",      "threshold",  "core",
                                      "heights", "merges", "height_sum", "sum"};
  gaps found;
  memset(&found, 0, sizeof found);
  int squared;
  kg_pairs pairs = distances_of(problem, &squared);
  const kg_coordinates *points = kg_coordinates_of(&pairs);
  size_t n = pairs.n;
  const double *weight = ffi_problem_weights(problem, n),
               *given = ffi_doubles(rule, 5, "rule");
  double wanted = given[0] * KG_NEARLY, total = 0;
  for (size_t i = 0; i < n; i++)
    total += weight[i];
  if (!(total > 0))
    Rf_error("w must have a positive value");
  if (!(given[0] > 0 && R_FINITE(given[0])))
    Rf_error("wanted must be finite and above 0");
  for (int i = 1; i < 5; i++)
    if (!(given[i] >= 0))
      Rf_error("rule must not be negative");

  SEXP out = PROTECT(ffi_list(8, names));
  SEXP branch = Rf_allocVector(INTSXP, (R_xlen_t)n);
  SET_VECTOR_ELT(out, 0, branch);
  double *core = found.core = REAL(put_doubles(out, 3, n));
  found.links = (kg_link *)R_alloc(n, sizeof(kg_link));
  memset(core, 0, n * sizeof(double));
  if (points)
    gaps_of_points(points, weight, wanted, &found);
  else
    gaps_of_rows(&pairs, weight, squared, wanted, &found);
  double *heights = REAL(put_doubles(out, 4, found.n_links));
  kg_link *links = in_order(&found, heights);
  kg_branches b;
  kg_ties ties = {&found, equally_far, core};
  kg_condense condense = {threshold_of(core, weight, n, given[3], total), given[1],
                          given[2], given[4]};
  for (size_t i = 0; i < n; i++)
    core[i] = weight[i] > 0 ? core[i] : NA_REAL;
  FFI_LAY(kg_branches_lay(&b, n, &room));
  kg_branches_begin(&b, weight, links, found.n_links, ties, condense);
  do
    R_CheckUserInterrupt();
  while (!kg_branches_grow(&b, STEPS_BETWEEN_POLLS));
  size_t *number = (size_t *)R_alloc(n, sizeof(size_t));
  kg_branches_end(&b, number);
  for (size_t i = 0; i < n; i++)
    INTEGER(branch)[i] = (int)(b.branch[i] + 1);
  place_weightless(&pairs, weight, INTEGER(branch));

  if (b.n_branches <= MOST_BRANCHES) {
    SEXP H = Rf_allocMatrix(REALSXP, (int)b.n_branches, (int)b.n_branches);
    SET_VECTOR_ELT(out, 1, H);
    kg_branch_heights(&b, number, REAL(H));
  }
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(condense.threshold));
  SET_VECTOR_ELT(out, 5, merges_of(&b));
  SET_VECTOR_ELT(out, 6, Rf_ScalarReal(b.height_sum));
  SET_VECTOR_ELT(out, 7, Rf_ScalarReal(sum_of_pairs(problem)));
  UNPROTECT(1);
  return out;
}

/* For each new point the nearest point of positive weight, from 1. */
SEXP ffi_nearest(SEXP problem, SEXP newdata) {
  int squared;
  kg_pairs pairs = distances_of(problem, &squared);
  const kg_coordinates *points = kg_coordinates_of(&pairs);
  if (!points)
    Rf_error("new points need a store of points");
  size_t n = points->n, d = points->d, step = ffi_rows(&pairs);
  const double *weight = ffi_problem_weights(problem, n);
  const double *y = ffi_doubles(newdata, -1, "newdata");
  if (Rf_xlength(newdata) % (R_xlen_t)d != 0)
    Rf_error("newdata must have d columns");
  size_t m = (size_t)Rf_xlength(newdata) / d;
  double *row = (double *)R_alloc(n, sizeof(double));
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)m));
  for (size_t i = 0; i < m; i++) {
    if (i % step == 0)
      R_CheckUserInterrupt();
    kg_point_row(points, y + i, m, row); /* -d^2/2 */
    for (size_t j = 0; j < n; j++)
      row[j] = -row[j];
    INTEGER(out)[i] = (int)nearest(row, weight, n) + 1;
  }
  UNPROTECT(1);
  return out;
}
