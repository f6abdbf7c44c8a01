/* kg_hartigan.c - Hartigan's method in the feature space (Algorithm 2, kernel k-groups)
 * on pairwise dissimilarities.
 *
 * A candidate costs O(k), an accepted move one row of B. Every move lowers the objective
 * by more than the tolerance and the rounding, so the method ends for any symmetric B.
 *
 * Points are evaluated in blocks, after these have caught up with the moves made since
 * their last pass (kg_moves.c). Every element of R receives the same changes in the same
 * order as with one move at a time, so the moves are the same. */
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_loops.h"
#include "kg_rule.h"
#include "kg_state.h"
#include <math.h>

/* The absolute values that d2_il is the sum of. */
static double terms(const kg_state *state, size_t i, size_t l) {
  double s = state->e.s[l];
  return 2 * fabs(state->R[i + l * state->e.n]) / s + fabs(state->e.V[l]) / s / s;
}

int kg_best_move(const kg_state *state, size_t i, kg_choice *choice) {
  KG_CHECK(i < state->e.n);
  const kg_engine *e = &state->e;
  const kg_rule *rule = &e->rule;
  size_t j = (size_t)e->label[i], l;
  if (!kg_may_leave(e->w[i], e->s[j], e->count[j])) {
    choice->best = (size_t)-1;
    return 0;
  }
  *choice = kg_leave(e->w[i], e->s[j], kg_d2(state, i, j));
  for (l = 0; l < e->k; l++)
    if (l != j && e->count[l] > 0)
      kg_consider(choice, l, e->s[l], kg_d2(state, i, l));
  if (!kg_tempting(rule, choice))
    return 0;
  l = choice->best;
  return kg_accept(rule, choice, e->s[j], terms(state, i, j), e->s[l], terms(state, i, l),
                   kg_d2(state, i, l));
}

/* Point i to cluster l; its block has caught up. */
static void move(kg_state *state, size_t i, const kg_choice *choice) {
  size_t j = (size_t)state->e.label[i], l = choice->best;
  kg_move_totals(state, i, l);
  state->e.rule.W += choice->change;
  kg_moves_add(state, i, j, l, 1);
  if (kg_state_worn(state, j)) {
    kg_moves_finish(state);
    state->wear.stale[j] = 1;
  }
}

unsigned long long kg_screen(kg_state *state, size_t block) {
  const size_t n = state->e.n, k = state->e.k, from = block * KG_BLOCK;
  const size_t width = n - from < KG_BLOCK ? n - from : KG_BLOCK;
  kg_bounds *bounds = &state->bounds;
  size_t many = 0;
  for (size_t l = 0; l < k; l++)
    if (bounds->changed[l] > bounds->seen[block])
      bounds->column[many++] = l;
  if (2 * many > k) { /* bounds from scratch are sharper */
    for (many = 0; many < k; many++)
      bounds->column[many] = many;
    for (size_t j = 0; j < width; j++)
      bounds->least[from + j] = HUGE_VAL;
  }
  bounds->seen[block] = bounds->clock;
  return kg_chosen_loops->screen(state, from, width, bounds->column, many);
}

/* The points of a block from `first` on that may move. */
static unsigned long long screen(kg_state *state, size_t first, size_t end) {
  const size_t block = first / KG_BLOCK;
  return first < end ? kg_screen(state, block) >> (first - block * KG_BLOCK) : 0;
}

/* Makes the move of point i, which the screen has not excluded. If there is none, its bound
 * is the least cost, less what kg_below() ignores. */
static int move_best(kg_state *state, size_t i) {
  kg_choice choice;
  if (kg_best_move(state, i, &choice)) {
    move(state, i, &choice);
    return 1;
  }
  if (choice.best != (size_t)-1)
    state->bounds.least[i] = (choice.least - 2 * KG_EQUAL * fabs(choice.least)) / choice.w;
  return 0;
}

size_t kg_hartigan_sweep(kg_state *state, size_t from, double work) {
  KG_CHECK(from < state->e.n);
  KG_CHECK(state->waiting.n == 0);
  size_t n = state->e.n, before = state->e.moves, at = from;
  double row = kg_state_row_cost(state), moves = work / row;
  double scans = work / (double)state->e.k / 4;
  size_t some = scans < 1 ? 1 : scans > 1e15 ? (size_t)1e15 : (size_t)scans;
  size_t last = n - from < some ? n : from + some;
  size_t budget = moves < 1 ? 1 : moves > 1e15 ? (size_t)1e15 : (size_t)moves;
  if (kg_state_repair(state, work) == KG_REPAIR_MORE)
    return from;
  while (at < last && state->e.moves - before < budget) {
    size_t block = at / KG_BLOCK, first = at;
    size_t end = n - block * KG_BLOCK < KG_BLOCK ? n : (block + 1) * KG_BLOCK;
    kg_moves_catch_up(state, at / KG_STRETCH, state->values);
    unsigned long long scan = screen(state, first, end);
    for (; scan != 0 && at < end && state->e.moves - before < budget; at++) {
      size_t j = (size_t)state->e.label[at];
      if (!(scan >> (at - first) & 1) || !move_best(state, at))
        continue;
      first = at + 1;             /* what the screen saw no longer holds */
      if (state->wear.stale[j]) { /* goes on once the column is again */
        state->e.work += (double)(state->e.moves - before) * row;
        /* a sweep does not end with sums that are there in part */
        if (kg_state_repair(state, work) == KG_REPAIR_MORE)
          return at + 1 < n ? at + 1 : at;
      }
      scan = screen(state, first, end);
    }
    if (scan == 0)
      at = end;
  }
  kg_moves_finish(state);
  state->e.work +=
      (double)(state->e.moves - before) * row +
      (double)(at - from) * (double)state->e.k;
  return at;
}
