/* kg_part.c - some of the points of an engine as an engine of their own.
 *
 * W is a sum over clusters, so what happens among the points of some clusters changes W
 * by what it changes in the engine of these points alone. Pairwise dissimilarities bring the columns
 * of R along; means and sparse rows are summed up again, which is cheap. */
#include "kg_part.h"
#include "kg_check.h"
#include "kg_coordinates.h"
#include "kg_sums.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include "kg_rule.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

enum { VECTOR = 16 }; /* columns that loops take at once */

static const kg_pairs *pairs_of(const kg_input *input) {
  return input->kind->sums ? (const kg_pairs *)input->values : NULL;
}

/* Coordinates that dissimilarities are functions of, or NULL. */
static const kg_coordinates *points_of(const kg_input *input) {
  const kg_pairs *pairs = pairs_of(input);
  return pairs ? kg_coordinates_of(pairs) : NULL;
}

/* ---- memory ---- */

void kg_part_lay(kg_part *part, const kg_input *input, kg_room *room) {
  const kg_coordinates *points = points_of(input);
  size_t quads = points ? kg_quads_most(KG_STRETCH, KG_PART_MOST) : 0;
  size_t d = points ? points->d : 0;
  kg_room own = {NULL, 0};
  input->kind->some(input, NULL, input->n, &own);
  input->kind->lay(input, KG_PART_MOST, NULL, 1, &own);
  memset(part, 0, sizeof *part);
  part->rows = KG_TAKE(room, input->n, size_t);
  part->label = KG_TAKE(room, input->n, int);
  part->memory = KG_TAKE(room, own.bytes, char);
  part->quads.weight = KG_TAKE2(room, 4, quads, double);
  part->quads.y = KG_TAKE2(room, 4 * d, quads, double);
  part->quads.label = KG_TAKE(room, quads, int);
  part->columns = KG_TAKE2(room, d, KG_STRETCH, double);
}

/* ---- the engine ---- */

void kg_part_of(kg_part *part, const kg_engine *whole, size_t m, size_t k) {
  kg_room room = kg_room_at(part->memory);
  const kg_input *input = whole->input->kind->some(whole->input, part->rows, m, &room);
  KG_CHECK(m <= whole->n && k <= KG_PART_MOST);
  part->m = m;
  part->k = k;
  part->e = input->kind->lay(input, k, part->label, 1, &room);
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
  const kg_coordinates *points = points_of(part->e->input);
  kg_coordinates rows = *points;
  for (size_t at = 0; at < part->m; at += KG_STRETCH) {
    size_t some = part->m - at < KG_STRETCH ? part->m - at : KG_STRETCH;
    rows.x = points->x + at;
    kg_quads_fill(&part->quads, &rows, part->e->w + at, NULL, part->label + at, some, part->k);
    kg_cross_sums(columns, &part->quads, 0, many, R, ld);
  }
}

/* Twice the pairs in registers take less time than every pair once. */
static void begin_pairs(kg_part *part, kg_state *state) {
  const kg_coordinates *points = points_of(part->e->input);
  if (points && kg_in_registers(points)) {
    memset(state->R, 0, part->m * part->k * sizeof(double));
    sum_over_clusters(part, points, part->m, state->R, part->m);
  } else {
    kg_first_pass(&state, 1, 0, part->m, state->row);
  }
  kg_state_built(state);
}

int kg_part_begin(kg_part *part) {
  if (part->e->input->kind->sums) begin_pairs(part, part->e->input->kind->sums(part->e));
  return kg_part_totals(part);
}

int kg_part_take(kg_part *part, const kg_engine *whole, const size_t *of) {
  if (part->e->input->kind->sums) {
    kg_state *state = part->e->input->kind->sums(part->e);
    for (size_t b = 0; b < part->k; b++) {
      const double *R = ((const kg_state *)whole)->R + of[b] * whole->n;
      double *into = state->R + b * part->m;
      for (size_t r = 0; r < part->m; r++) into[r] = R[part->rows[r]];
    }
    kg_state_built(state);
  }
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
    /* as many as fill vectors */
    size_t whole = (many + VECTOR - 1) / VECTOR * VECTOR;
    double *x = part->columns;
    kg_coordinates columns = {x, whole, points->d, points->rho};
    for (size_t c = 0; c < points->d; c++)
      for (size_t j = 0; j < whole; j++)
        x[j + c * whole] = j < many ? points->x[others[j] + c * points->n] : 0;
    sum_over_clusters(part, &columns, whole, R, KG_STRETCH);
    return;
  }
  for (size_t r = 0; r < part->m; r++) {
    kg_among(pairs, part->rows[r], others, many, value);
    kg_chosen_loops->add(value, part->e->w[r], many,
                         R + (size_t)part->label[r] * KG_STRETCH);
  }
}

static void nearer_by_pairs(kg_part *part, const kg_pairs *pairs, const size_t *points,
                            size_t many, int *half, double *more) {
  const kg_state *two = part->e->input->kind->sums(part->e);
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
  const kg_pairs *pairs = pairs_of(whole->input);
  if (pairs) {
    nearer_by_pairs(part, pairs, points, many, half, more);
    return;
  }
  /* means are points of the same space; a part of sparse rows is never less than a
   * cluster */
  kg_means of = *(const kg_means *)part->e;
  of.from = (const kg_features *)whole->input->values;
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
    if (e->input->kind->sums) {
      second_by_pairs(e->input->kind->sums(e), at, end, second);
      continue;
    }
    for (size_t i = at; i < end; i++) {
      double least = HUGE_VAL, best = -1;
      e->input->kind->nearest(e, (size_t)e->label[i], i, i + 1, &least, &best);
      second[i] = (int)best;
    }
  }
}
