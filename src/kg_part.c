/* kg_part.c - some of the points of an engine as an engine of their own.
 *
 * W is a sum over clusters, so what happens among the points of some clusters changes W
 * by what it changes in the engine of these points alone. Pair values bring the columns
 * of R along; means and sparse rows are summed up anew, which is cheap. */
#include "kg_part.h"
#include "kg_coordinates.h"
#include "kg_cross.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include "kg_rule.h"
#include "kg_sparse.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

enum { VECTOR = 16 }; /* columns that loops take at once */

static int has_pairs(const kg_input *input) {
  return input->kind == &kg_pair_sums || input->kind == &kg_near_sums;
}

static int is_sparse(const kg_input *input) {
  return input->kind == &kg_sparse_rows;
}

static const kg_features *features_of(const kg_input *input) {
  return (const kg_features *)input->values;
}

static size_t dimension(const kg_pairs *pairs) {
  const kg_coordinates *points = kg_coordinates_of(pairs);
  return points ? points->d : 0;
}

static size_t entries(const kg_input *input) {
  const kg_sparse *b = (const kg_sparse *)input->values;
  return (size_t)b->start[b->n];
}

/* ---- memory ---- */

static size_t quads_most(void) {
  return kg_quads_most(KG_STRETCH, KG_PART_MOST);
}

size_t kg_part_doubles(const kg_input *input) {
  const kg_pairs *pairs = (const kg_pairs *)input->values;
  size_t n = input->n, k = KG_PART_MOST;
  if (has_pairs(input))
    return n + (n + VECTOR) * dimension(pairs) + kg_state_doubles(n, k) +
           kg_state_workspace(pairs, 1) + 4 * quads_most() * (dimension(pairs) + 1);
  if (is_sparse(input))
    return 2 * n + kg_rows_doubles(n, k) + entries(input);
  size_t width = features_of(input)->width;
  return n + n * width + kg_means_doubles(width, k);
}

size_t kg_part_sizes(const kg_input *input) {
  size_t n = input->n, k = KG_PART_MOST;
  return n + (has_pairs(input) ? kg_state_counts(n, k) : 2 * k);
}

size_t kg_part_ints(const kg_input *input) {
  size_t n = input->n;
  return is_sparse(input) ? 3 * n + 1 + entries(input) + KG_PART_MOST : n + quads_most();
}

void kg_part_init(kg_part *part, const kg_input *input, double *doubles, size_t *sizes,
                  int *ints) {
  size_t n = input->n;
  memset(part, 0, sizeof *part);
  part->rows = sizes;
  part->counts = sizes + n;
  part->label = ints;
  part->w = doubles;
  part->x = doubles + n;
  if (has_pairs(input)) {
    const kg_pairs *pairs = (const kg_pairs *)input->values;
    part->quads.weight = part->x + (n + VECTOR) * dimension(pairs);
    part->quads.y = part->quads.weight + 4 * quads_most();
    part->quads.label = ints + n;
    part->workspace = part->quads.y + 4 * quads_most() * dimension(pairs);
    part->doubles = part->workspace + kg_state_workspace(pairs, 1);
  } else if (is_sparse(input)) {
    part->value = part->x + n;
    part->doubles = part->value + entries(input);
    part->place = ints + n;
    part->start = part->place + n;
    part->touched = part->start + n + 1;
    part->row = part->touched + KG_PART_MOST;
    memset(part->place, 0, n * sizeof(int));
  } else {
    part->doubles = part->x + n * features_of(input)->width;
  }
}

/* ---- the engine ---- */

static void take_pairs(kg_part *part, const kg_pairs *of) {
  const kg_coordinates *points = kg_coordinates_of(of);
  part->some.of = of;
  part->some.rows = part->rows;
  part->pairs = points ? kg_points_some(points, part->rows, part->m, part->x)
                       : kg_pairs_some(&part->some, part->m);
  part->input.values = &part->pairs;
  kg_state_init(&part->state, &part->input, part->k, part->label, part->doubles,
                part->counts, 1, part->workspace);
  part->e = &part->state.e;
}

static void take_features(kg_part *part, const kg_features *of) {
  for (size_t r = 0; r < part->m; r++)
    kg_means_coordinates(of, part->rows[r], part->x + r * of->width);
  part->features.z = part->x;
  part->features.q = NULL;
  part->features.width = of->width;
  part->features.n = part->m;
  part->input.kind = &kg_double_features;
  part->input.values = &part->features;
  kg_means_init(&part->means, &part->input, part->k, part->label, part->doubles,
                part->counts);
  part->e = &part->means.e;
}

/* The rows and columns of these points: the order of the entries is that of the whole. */
static void take_sparse(kg_part *part, const kg_sparse *of, const double *diagonal) {
  int many = 0;
  for (size_t r = 0; r < part->m; r++)
    part->place[part->rows[r]] = (int)r + 1;
  for (size_t r = 0; r < part->m; r++) {
    size_t i = part->rows[r];
    part->start[r] = many;
    part->x[r] = diagonal[i];
    for (int at = of->start[i]; at < of->start[i + 1]; at++) {
      int place = part->place[of->row[at]];
      if (place == 0)
        continue;
      part->row[many] = place - 1;
      part->value[many++] = of->value[at];
    }
  }
  part->start[part->m] = many;
  for (size_t r = 0; r < part->m; r++)
    part->place[part->rows[r]] = 0;
  part->matrix.n = part->m;
  part->matrix.start = part->start;
  part->matrix.row = part->row;
  part->matrix.value = part->value;
  part->matrix.diagonal = part->x;
  part->input.values = &part->matrix;
  kg_rows_init(&part->sparse, &part->input, part->k, part->label, part->doubles,
               part->counts, part->touched);
  part->e = &part->sparse.e;
}

void kg_part_of(kg_part *part, const kg_engine *whole, size_t m, size_t k) {
  const void *values = whole->input->values;
  part->m = m;
  part->k = k;
  for (size_t r = 0; r < m; r++)
    part->w[r] = whole->w[part->rows[r]];
  part->input.kind = whole->input->kind;
  part->input.n = m;
  part->input.w = part->w;
  if (has_pairs(whole->input))
    take_pairs(part, (const kg_pairs *)values);
  else if (is_sparse(whole->input))
    take_sparse(part, (const kg_sparse *)values, ((const kg_rows *)whole)->diagonal);
  else
    take_features(part, (const kg_features *)values);
  part->e->rule.s = whole->rule.s;
}

int kg_part_totals(kg_part *part) {
  kg_engine *e = part->e;
  const kg_kind *kind = e->input->kind;
  if (kind->cheap)
    kind->begin(e, 0, HUGE_VAL);
  kind->totals(e, 0, HUGE_VAL);
  return e->status == KG_OK;
}

/* R of some columns += sums over the clusters of the part, all of them points. */
static void sum_over_clusters(kg_part *part, const kg_coordinates *columns, size_t many,
                              double *R, size_t ld) {
  kg_coordinates rows = part->pairs.points;
  for (size_t at = 0; at < part->m; at += KG_STRETCH) {
    size_t some = part->m - at < KG_STRETCH ? part->m - at : KG_STRETCH;
    rows.x = part->x + at;
    kg_quads_fill(&part->quads, &rows, part->w + at, NULL, part->label + at, some, part->k);
    kg_cross_sums(columns, &part->quads, 0, many, R, ld);
  }
}

/* Twice the pairs in registers take less time than every pair once. */
static void begin_pairs(kg_part *part) {
  kg_state *state = &part->state;
  const kg_coordinates *points = kg_coordinates_of(&part->pairs);
  if (points && kg_in_registers(points)) {
    memset(state->R, 0, part->m * part->k * sizeof(double));
    sum_over_clusters(part, points, part->m, state->R, part->m);
  } else {
    kg_first_pass(&state, 1, 0, part->m, state->row);
  }
  kg_state_built(state);
}

int kg_part_begin(kg_part *part) {
  if (has_pairs(&part->input))
    begin_pairs(part);
  return kg_part_totals(part);
}

int kg_part_take(kg_part *part, const kg_engine *whole, const size_t *of) {
  for (size_t b = 0; has_pairs(&part->input) && b < part->k; b++) {
    const double *R = ((const kg_state *)whole)->R + of[b] * whole->n;
    double *into = part->state.R + b * part->m;
    for (size_t r = 0; r < part->m; r++)
      into[r] = R[part->rows[r]];
  }
  if (has_pairs(&part->input))
    kg_state_built(&part->state);
  return kg_part_totals(part);
}

void kg_part_sweep(kg_part *part) {
  kg_engine *e = part->e;
  for (size_t at = 0; at < e->n;)
    at = e->input->kind->sweep(e, at, HUGE_VAL);
}

/* ---- other points ---- */

/* R of other points, a stretch of them at a time. */
static void other_sums(kg_part *part, const kg_pairs *pairs, const size_t *others,
                       size_t many, double *R) {
  const kg_coordinates *points = kg_coordinates_of(pairs);
  double value[KG_STRETCH];
  memset(R, 0, 2 * KG_STRETCH * sizeof(double));
  if (points) {
    /* beside the coordinates of the part there is room for those of n - m points; as many
     * as fill vectors */
    size_t whole = (many + VECTOR - 1) / VECTOR * VECTOR;
    double *x = part->x + part->m * points->d;
    kg_coordinates columns = {x, whole, points->d, points->rho};
    for (size_t c = 0; c < points->d; c++)
      for (size_t j = 0; j < whole; j++)
        x[j + c * whole] = j < many ? points->x[others[j] + c * points->n] : 0;
    sum_over_clusters(part, &columns, whole, R, KG_STRETCH);
    return;
  }
  for (size_t r = 0; r < part->m; r++) {
    pairs->store->among(pairs, part->rows[r], others, many, value);
    kg_chosen_loops->add(value, part->w[r], many,
                         R + (size_t)part->label[r] * KG_STRETCH);
  }
}

static void nearer_by_pairs(kg_part *part, const kg_pairs *pairs, const size_t *points,
                            size_t many, int *half, double *more) {
  const kg_state *two = &part->state;
  double R[2 * KG_STRETCH];
  size_t left = pairs->n - part->m, most = left < KG_STRETCH ? left : KG_STRETCH;
  for (size_t from = 0; from < many; from += most) {
    size_t width = many - from < most ? many - from : most;
    other_sums(part, pairs, points + from, width, R);
    for (size_t j = 0; j < width; j++) {
      double first = two->share[0] - two->twice[0] * R[j],
             second = two->share[1] - two->twice[1] * R[j + KG_STRETCH];
      half[points[from + j]] = kg_below(second, first);
      more[from + j] = second - first;
    }
  }
}

void kg_part_nearer(kg_part *part, const kg_engine *whole, const size_t *points,
                    size_t many, int *half, double *more) {
  if (has_pairs(whole->input)) {
    nearer_by_pairs(part, (const kg_pairs *)whole->input->values, points, many, half,
                    more);
    return;
  }
  /* means are points of the same space; a part of sparse rows is never less than a
   * cluster */
  kg_means of = part->means;
  of.from = features_of(whole->input);
  for (size_t r = 0; r < many; r++) {
    double first = kg_means_d2(&of, points[r], 0), second = kg_means_d2(&of, points[r], 1);
    half[points[r]] = kg_below(second, first);
    more[r] = second - first;
  }
}

/* The own cluster is out of the way while the others are compared. */
static void second_by_pairs(kg_state *state, size_t from, size_t to, int *second) {
  double least[KG_BLOCK], best[KG_BLOCK], own[KG_BLOCK], *R = state->R + from;
  const int *label = state->e.label + from;
  size_t n = state->e.n, width = to - from;
  for (size_t j = 0; j < width; j++) {
    own[j] = R[j + (size_t)label[j] * n];
    R[j + (size_t)label[j] * n] = -HUGE_VAL;
    least[j] = HUGE_VAL, best[j] = -1;
  }
  kg_nearest_means(state, state->e.k, from, to, least, best);
  for (size_t j = 0; j < width; j++) {
    R[j + (size_t)label[j] * n] = own[j];
    second[from + j] = (int)best[j];
  }
}

void kg_second_means(kg_engine *e, size_t from, size_t to, int *second) {
  for (size_t at = from; at < to; at += KG_BLOCK) {
    size_t end = to - at < KG_BLOCK ? to : at + KG_BLOCK;
    if (has_pairs(e->input)) {
      second_by_pairs((kg_state *)e, at, end, second);
      continue;
    }
    for (size_t i = at; i < end; i++) {
      double least = HUGE_VAL, best = -1;
      e->input->kind->nearest(e, (size_t)e->label[i], i, i + 1, &least, &best);
      second[i] = (int)best;
    }
  }
}

/* To one mean. */
static void column_of(const kg_engine *e, size_t l, size_t from, size_t to, double *d2) {
  if (has_pairs(e->input)) {
    const kg_state *state = (const kg_state *)e;
    const double *R = state->R + l * e->n, share = state->share[l],
                 twice = state->twice[l];
    for (size_t i = from; i < to; i++)
      d2[i - from] = share - twice * R[i];
    return;
  }
  for (size_t i = from; i < to; i++)
    d2[i - from] = e->input->kind->d2(e, i, l);
}

void kg_distances(const kg_engine *e, size_t from, size_t to, double *d2) {
  for (size_t l = 0; l < e->k; l++) {
    if (e->count[l] > 0)
      column_of(e, l, from, to, d2 + l * e->n + from);
    else
      memset(d2 + l * e->n + from, 0, (to - from) * sizeof(double));
  }
}

void kg_overshoot(const kg_engine *e, const double *before, double by, size_t from,
                  size_t to, int *target) {
  for (size_t at = from; at < to; at += KG_BLOCK) {
    double d2[KG_BLOCK], least[KG_BLOCK], best[KG_BLOCK];
    size_t width = to - at < KG_BLOCK ? to - at : KG_BLOCK;
    for (size_t j = 0; j < width; j++)
      least[j] = HUGE_VAL, best[j] = e->label[at + j];
    for (size_t l = 0; l < e->k; l++) {
      const double *was = before + l * e->n + at;
      if (e->count[l] == 0)
        continue;
      column_of(e, l, at, at + width, d2);
      for (size_t j = 0; j < width; j++) {
        double beyond = d2[j] + by * (d2[j] - was[j]);
        int less = kg_below(beyond, least[j]);
        least[j] = less ? beyond : least[j];
        best[j] = less ? (double)l : best[j];
      }
    }
    for (size_t j = 0; j < width; j++)
      target[at + j] = e->w[at + j] > 0 ? (int)best[j] : e->label[at + j];
  }
}
