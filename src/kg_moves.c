/* kg_moves.c - the list of moves that are not in R everywhere yet.
 *
 * A move changes two columns of R by a row of B, O(n d). It goes to a list; a stretch
 * of points takes from it what it has not seen when one of them is evaluated next, many
 * moves at a time, so that its coordinates and its part of R stay in cache, and all
 * stretches do at the end. Every element of R receives the changes in the order of the
 * moves. */
#include "kg_check.h"
#include "kg_coordinates.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include "kg_state.h"
#include "kg_threads.h"
#include <string.h>

/* The moves q .. q + 3 of the list, as far as the stretch has not seen them. */
static kg_moves four_moves(const kg_state *state, const kg_coordinates *points, size_t q,
                           size_t seen, size_t from) {
  kg_moves moves;
  moves.y = state->waiting.moved + q * points->d;
  for (size_t r = 0; r < 4; r++) {
    int new = q + r >= seen &&q + r < state->waiting.n;
    moves.weight[r] = new ? state->e.w[state->waiting.point[q + r]] : 0;
    moves.from[r] =
        state->R + (new ? state->waiting.source[q + r] : 0) * state->e.n + from;
    moves.into[r] =
        state->R + (new ? state->waiting.target[q + r] : 0) * state->e.n + from;
  }
  return moves;
}

/* The part of the gaps in the moves from `seen` on. Many moves between few clusters are
 * first summed by branch, then added by one table lookup per point and cluster. */
static void catch_up_gaps(kg_state *state, const kg_gaps *gaps, size_t seen, size_t from,
                          size_t width) {
  enum { FEW = 32, BRANCHES = 256 };
  size_t n = state->e.n, m = gaps->m, met[FEW], n_met = 0;
  double weight[BRANCHES], change[BRANCHES];
  int few = m <= BRANCHES;
  for (size_t r = seen; few && r < state->waiting.n; r++) {
    size_t ends[2] = {state->waiting.source[r], state->waiting.target[r]};
    for (size_t a = 0; few && a < 2; a++) {
      size_t at = 0;
      while (at < n_met && met[at] != ends[a])
        at++;
      few = at < FEW;
      if (few && at == n_met)
        met[n_met++] = ends[a];
    }
  }
  if (!few || n_met > state->waiting.n - seen) {
    for (size_t r = seen; r < state->waiting.n; r++)
      kg_gaps_transfer(gaps, state->waiting.point[r], state->e.w[state->waiting.point[r]],
                       from, width, state->R + state->waiting.source[r] * n + from,
                       state->R + state->waiting.target[r] * n + from);
    return;
  }
  for (size_t a = 0; a < n_met; a++) {
    double *R = state->R + met[a] * n + from;
    const int *branch = gaps->branch + from;
    memset(weight, 0, m * sizeof(double));
    memset(change, 0, m * sizeof(double));
    for (size_t r = seen; r < state->waiting.n; r++) {
      size_t i = state->waiting.point[r];
      if (state->waiting.source[r] == met[a])
        weight[gaps->branch[i]] += state->e.w[i];
      if (state->waiting.target[r] == met[a])
        weight[gaps->branch[i]] -= state->e.w[i];
    }
    for (size_t b = 0; b < m; b++)
      if (weight[b] != 0)
        kg_chosen_loops->add(gaps->H + b * m, 0.5 * weight[b], m, change);
    for (size_t j = 0; j < width; j++)
      R[j] += change[branch[j]];
  }
}

/* Moves that wait, to the columns of a stretch. Points go four at a time. */
void kg_moves_catch_up(kg_state *state, size_t stretch, double *value) {
  KG_CHECK(stretch * KG_STRETCH < state->e.n);
  KG_CHECK(state->waiting.seen[stretch] <= state->waiting.n);
  const kg_pairs *pairs = state->pairs;
  const kg_coordinates *points = kg_base_coordinates_of(pairs);
  const kg_gaps *gaps = kg_gaps_of(pairs);
  const kg_loops *loops = kg_chosen_loops;
  size_t n = state->e.n, from = stretch * KG_STRETCH, seen = state->waiting.seen[stretch];
  size_t width = n - from < KG_STRETCH ? n - from : KG_STRETCH;
  for (size_t q = seen / 4 * 4; points && q < state->waiting.n; q += 4) {
    kg_moves moves = four_moves(state, points, q, seen, from);
    size_t done = loops->moves4 ? loops->moves4(points, &moves, from, width) : 0;
    size_t left = width - done;
    if (left > 0)
      kg_points_strip(points, moves.y, from + done, from + width, value);
    for (size_t r = 0; left > 0 && r < 4; r++)
      loops->transfer(value + r * left, moves.weight[r], left, moves.from[r] + done,
                      moves.into[r] + done);
  }
  if (points && gaps)
    catch_up_gaps(state, gaps, seen, from, width);
  for (size_t r = seen; !points && r < state->waiting.n; r++) {
    const double *row = kg_row_held(pairs, state->waiting.point[r]);
    if (!row)
      kg_block(pairs, state->waiting.point + r, 1, from, from + width, value);
    loops->transfer(row ? row + from : value, state->e.w[state->waiting.point[r]], width,
                    state->R + state->waiting.source[r] * n + from,
                    state->R + state->waiting.target[r] * n + from);
  }
  state->waiting.seen[stretch] = state->waiting.n;
}

/* All stretches catch up, and the list is empty. Threads have to wait for each other,
 * which takes longer than few moves of few points, much longer where others use the
 * processors. */
void kg_moves_finish(kg_state *state) {
  size_t stretches = (state->e.n + KG_STRETCH - 1) / KG_STRETCH;
  int apart = state->threads > 1 &&
              (double)state->waiting.n * kg_state_row_cost(state) > KG_TEAM_MOVES;
  if (state->waiting.n == 0)
    return;
  if (!apart) /* even a team of one thread would cost more than few moves */
    for (size_t b = 0; b < stretches; b++)
      kg_moves_catch_up(state, b, state->values);
  else {
#ifdef _OPENMP
#pragma omp parallel for num_threads(state->threads) schedule(static)
#endif
    for (size_t b = 0; b < stretches; b++)
      kg_moves_catch_up(state, b,
                        state->values + 4 * KG_STRETCH * (size_t)kg_thread_number());
  }
  memset(state->waiting.seen, 0, stretches * sizeof(size_t));
  state->waiting.n = 0;
}

void kg_moves_add(kg_state *state, size_t i, size_t j, size_t l, int its_own) {
  KG_CHECK(i < state->e.n && j < state->e.k && l < state->e.k);
  KG_CHECK(state->waiting.n < state->waiting.most);
  const kg_pairs *pairs = state->pairs;
  const kg_coordinates *points = kg_base_coordinates_of(pairs);
  const kg_loops *loops = kg_chosen_loops;
  size_t n = state->e.n, stretch = i / KG_STRETCH, from = stretch * KG_STRETCH;
  size_t width = n - from < KG_STRETCH ? n - from : KG_STRETCH, at = state->waiting.n;
  double w = state->e.w[i], *leave = state->R + j * n, *enter = state->R + l * n;
  const double *row = kg_row_held(pairs, i);
  state->wear.touched[j] = state->wear.touched[l] = 1;
  state->bounds.clock++;
  state->bounds.changed[j] = state->bounds.changed[l] = state->bounds.clock;
  if (kg_reads_rows(pairs) && state->threads == 1) { /* nothing is gained by waiting */
    loops->transfer(row ? row : kg_row(pairs, i, state->row), w, n, leave, enter);
    return;
  }
  state->waiting.point[at] = i;
  state->waiting.source[at] = j;
  state->waiting.target[at] = l;
  if (points)
    kg_point_gather(points, i, state->waiting.moved + at / 4 * 4 * points->d, at % 4);
  state->waiting.n++;
  if (its_own) {
    if (!row)
      kg_block(pairs, &i, 1, from, from + width, state->values);
    loops->transfer(row ? row + from : state->values, w, width, leave + from,
                    enter + from);
    state->waiting.seen[stretch] = state->waiting.n;
  }
  if (state->waiting.n == state->waiting.most)
    kg_moves_finish(state);
}

size_t kg_relabel(kg_state *state, const int *target, size_t from, size_t budget) {
  KG_CHECK(from <= state->e.n);
  size_t n = state->e.n, done = 0, i = from;
  for (; i < n && done < budget; i++) {
    size_t j = (size_t)state->e.label[i], l = (size_t)target[i];
    if (j == l)
      continue;
    state->e.label[i] = target[i];
    state->e.moves++;
    if (state->e.w[i] == 0)
      continue; /* it counts for nothing in R */
    kg_moves_add(state, i, j, l, 0);
    done++;
  }
  kg_moves_finish(state);
  return i;
}
