/* kg_unbalanced.c - Hartigan's method for clusters of unequal sizes.
 *
 * W alone favours clusters of equal size. The profile classification likelihood of
 * clusters with one spherical variance in d dimensions adds what the sizes say:
 *     Phi = (s d / 2) log W - sum_l s_l log(s_l / s)           (minimised)
 * A move costs O(1) more than without: with dW as in kg_hartigan.c and h(u) = u log u,
 *     dPhi = (s d / 2) log(1 + dW / W) - [h(s_j - w) + h(s_l + w) - h(s_j) - h(s_l)].
 * Phi has no minimum where a cluster is a single point, so every cluster keeps two points
 * of positive weight. W must be positive, which indefinite pair values may break. */
#include "kg.h"
#include <math.h>
#include <string.h>

#define LOOKS ((size_t)1 << 22) /* candidates between two polls, two logarithms each */

static double h(double u) {
  return u > 0 ? u * log(u) : 0;
}

void kg_unbalanced_start(kg_unbalanced *u, kg_state *state, double dimension) {
  u->state = state;
  u->base = u->s = 0;
  for (size_t i = 0; i < state->n; i++) {
    u->base += state->w[i] * state->pairs->self(state->pairs, i);
    u->s += state->w[i];
  }
  u->half = u->s * dimension / 2;
  kg_unbalanced_totals(u);
}

void kg_unbalanced_totals(kg_unbalanced *u) {
  u->W = u->base - kg_objective(u->state);
  /* Below this W is rounding, and there is nothing left to gain. */
  u->least = 0.01 * u->state->tolerance * (double)u->state->n;
}

double kg_unbalanced_phi(const kg_unbalanced *u) {
  const kg_state *state = u->state;
  double sizes = 0;
  for (size_t l = 0; l < state->k; l++)
    if (state->s[l] > 0) sizes += state->s[l] * log(state->s[l] / u->s);
  return u->half * log(u->W > u->least ? u->W : u->least) - sizes;
}

double kg_unbalanced_move(const kg_unbalanced *u, size_t i, size_t *best, double *fall) {
  const kg_state *state = u->state;
  size_t j = (size_t)state->label[i];
  double w = state->w[i], rest = state->s[j] - w;
  *best = j;
  *fall = 0;
  if (w == 0 || state->count[j] < 3 || state->k < 2) return 0;
  if (!(rest > 1e-12 * state->s[j]) || !(u->W > u->least)) return 0;
  double gone = w * (state->s[j] / rest) * kg_d2(state, i, j);
  double left = h(rest) - h(state->s[j]), least = HUGE_VAL;
  for (size_t l = 0; l < state->k; l++) {
    if (l == j) continue;
    double s = state->s[l];
    double change = w * (s / (s + w)) * kg_d2(state, i, l) - gone;
    double now = u->W + change > u->least ? change / u->W : u->least / u->W - 1;
    double phi = u->half * log1p(now) - (left + h(s + w) - h(s));
    if (phi < least) {
      least = phi;
      *best = l;
      *fall = change;
    }
  }
  return least;
}

size_t kg_unbalanced_sweep(kg_unbalanced *u, size_t from, size_t budget) {
  kg_state *state = u->state;
  size_t made = 0, best;
  double change, tolerance = 1e-10 * u->s;
  size_t n = state->n, some = LOOKS / state->k + 1, last = n - from < some ? n : from + some;
  for (size_t i = from; i < last; i++) {
    double phi = kg_unbalanced_move(u, i, &best, &change);
    if (phi < -tolerance && best != (size_t)state->label[i]) {
      kg_move(state, i, best);
      u->W += change;
      if (++made == budget) return i + 1;
    }
  }
  return last;
}

void kg_unbalanced_place(const kg_unbalanced *u) {
  const kg_state *state = u->state;
  /* what a unit of log(s_l) is worth in squared distance */
  double exchange = u->W > u->least ? u->W / u->half : 0;
  for (size_t i = 0; i < state->n; i++) {
    double least = HUGE_VAL;
    if (state->w[i] > 0) continue;
    for (size_t l = 0; l < state->k; l++) {
      double cost = kg_d2(state, i, l) - exchange * log(state->s[l] / u->s);
      if (cost < least) {
        least = cost;
        state->label[i] = (int)l;
      }
    }
  }
}

void kg_pair_up(kg_state *state) {
  size_t n = state->n;
  for (size_t l = 0; l < state->k; l++) {
    size_t only = n, nearest = n;
    double most = -HUGE_VAL;
    if (state->count[l] != 1) continue;
    for (size_t i = 0; i < n && only == n; i++)
      if ((size_t)state->label[i] == l && state->w[i] > 0) only = i;
    const double *row = kg_row(state->pairs, only, state->row);
    for (size_t i = 0; i < n; i++) {
      /* the larger, the nearer to the only point */
      double value = 2 * row[i] - state->pairs->self(state->pairs, i);
      if (state->w[i] == 0 || state->count[state->label[i]] < 3) continue;
      if (value > most) {
        most = value;
        nearest = i;
      }
    }
    if (nearest < n) kg_move(state, nearest, l);
  }
}

void kg_dimension_rows(const kg_state *state, size_t from, size_t to, double *square,
                       double *buffer) {
  const kg_pairs *pairs = state->pairs;
  size_t n = state->n;
  for (size_t i = from; i < to; i++) {
    size_t l = (size_t)state->label[i];
    double s = state->s[l], sum = 0;
    const double *R = state->R + l * n;
    if (state->w[i] == 0 || state->count[l] < 5) continue;
    pairs->block(pairs, &i, 1, i, n, buffer);
    double shift = state->V[l] / s / s - R[i] / s;
    for (size_t j = i + 1; j < n; j++) {
      if ((size_t)state->label[j] != l) continue;
      double K = buffer[j - i] - R[j] / s + shift;
      sum += state->w[j] * K * K;
    }
    square[l] += 2 * state->w[i] * sum;
  }
}

double kg_dimension(const kg_state *state, const double *square, double *trace,
                    double *weight2) {
  double above = 0, below = 0;
  memset(trace, 0, state->k * sizeof(double));
  memset(weight2, 0, state->k * sizeof(double));
  for (size_t i = 0; i < state->n; i++) {
    size_t l = (size_t)state->label[i];
    double w = state->w[i];
    if (w == 0 || state->count[l] < 5) continue;
    trace[l] += w * kg_d2(state, i, l);
    weight2[l] += w * w;
  }
  for (size_t l = 0; l < state->k; l++) {
    double s = state->s[l];
    if (state->count[l] < 5) continue;
    double t1 = trace[l] / (s - weight2[l] / s);
    double t2 = square[l] / (s * s - weight2[l]);
    above += s * t1 * t1;
    below += s * t2;
  }
  return below > 0 ? above / below : 0;
}
