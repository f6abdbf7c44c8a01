/* kg_engine.c - what every kind of engine does in the same way: Lloyd's targets, clusters
 * refilled, points of weight 0 placed, swaps. O(k) a point beside the cost of the engine.
 */
#include "kg_engine.h"
#include "kg_check.h"
#include "kg_rule.h"
#include <math.h>
#include <string.h>

/* Points whose distances to all means fit the work, in whole blocks. */
static size_t end_of_piece(const kg_engine *e, size_t from, double work) {
  double blocks = work / ((double)KG_BLOCK * ((double)e->k + 8));
  size_t left = e->n - from;
  if (!(blocks < (double)(left / KG_BLOCK)))
    return e->n;
  return from + KG_BLOCK * (blocks < 1 ? 1 : (size_t)blocks);
}

void kg_engine_lay(kg_engine *e, const kg_input *input, size_t k, int *label,
                   kg_room *room) {
  KG_CHECK(k >= 1);
  memset(e, 0, sizeof *e);
  e->input = input;
  e->w = input->w;
  e->n = input->n;
  e->k = k;
  e->label = label ? label : KG_TAKE(room, input->n, int);
  e->s = KG_TAKE(room, k, double);
  e->V = KG_TAKE(room, k, double);
  e->cost = KG_TAKE(room, k, double);
  e->count = KG_TAKE(room, k, size_t);
}

int kg_weights_wide(const double *w, size_t n) {
  double heaviest = 0, lightest = HUGE_VAL;
  for (size_t i = 0; i < n; i++) {
    if (w[i] > heaviest)
      heaviest = w[i];
    if (w[i] > 0 && w[i] < lightest)
      lightest = w[i];
  }
  return heaviest > KG_WIDE_WEIGHTS * lightest;
}

size_t kg_targets(kg_engine *e, int *target, size_t *count, size_t from, double work) {
  KG_CHECK(from < e->n);
  size_t end = end_of_piece(e, from, work);
  if (from == 0)
    memset(count, 0, e->k * sizeof(size_t));
  for (size_t at = from, to; at < end; at = to) {
    double least[KG_BLOCK], nearest[KG_BLOCK];
    to = end - at < KG_BLOCK ? end : at + KG_BLOCK;
    for (size_t a = 0; a < to - at; a++)
      least[a] = HUGE_VAL, nearest[a] = 0;
    e->input->kind->nearest(e, e->k, at, to, least, nearest);
    for (size_t i = at; i < to; i++) {
      target[i] = e->label[i];
      if (e->w[i] == 0)
        continue;
      size_t best = (size_t)nearest[i - at], own = (size_t)e->label[i];
      if (best != own && e->input->kind->d2(e, i, best) <
                             e->input->kind->d2(e, i, own) - e->rule.tolerance / e->w[i])
        target[i] = (int)best;
      count[target[i]]++;
    }
  }
  e->work += (double)(end - from) * (double)(e->k + 8);
  return end;
}

size_t kg_target_costs(const kg_engine *e, const int *target, double *cost, size_t from,
                       double work) {
  size_t end = end_of_piece(e, from, work);
  for (size_t i = from; i < end; i++) {
    size_t l = (size_t)target[i];
    cost[i] = e->w[i] > 0 && e->count[l] > 0 ? e->w[i] * e->input->kind->d2(e, i, l)
                                             : -HUGE_VAL;
  }
  return end;
}

int kg_refill(const kg_engine *e, int *target, size_t *count, double *cost) {
  size_t l = 0, worst = e->n;
  while (l < e->k && count[l] > 0)
    l++;
  if (l == e->k)
    return 0;
  for (size_t i = 0; i < e->n; i++) {
    if (e->w[i] == 0 || count[target[i]] < 2)
      continue;
    if (worst == e->n || cost[i] > cost[worst])
      worst = i;
  }
  if (worst == e->n)
    return 0;
  count[target[worst]]--;
  target[worst] = (int)l;
  cost[worst] = -HUGE_VAL;
  count[l] = 1;
  return 1;
}

size_t kg_place(kg_engine *e, size_t from, double work) {
  KG_CHECK(from <= e->n);
  size_t i = from;
  for (; i < e->n && work > 0; i++) {
    double least = HUGE_VAL, best = 0;
    work -= 1;
    if (e->w[i] > 0)
      continue;
    work -= 4 * (double)e->k;
    e->input->kind->nearest(e, e->k, i, i + 1, &least, &best);
    e->label[i] = (int)best;
  }
  return i;
}

void kg_list_members(const int *label, const double *w, size_t n, size_t k, size_t *first,
                     size_t *member) {
  memset(first, 0, (k + 1) * sizeof(size_t));
  for (size_t i = 0; i < n; i++)
    if (!w || w[i] > 0)
      first[label[i] + 1]++;
  for (size_t l = 0; l < k; l++)
    first[l + 1] += first[l];
  for (size_t i = 0; i < n; i++)
    if (!w || w[i] > 0)
      member[first[label[i]]++] = i;
  for (size_t l = k; l > 0; l--) /* first[l] is now where l ends */
    first[l] = first[l - 1];
  first[0] = 0;
}

size_t kg_draw_mass(const double *mass, size_t n, double u) {
  double total = 0, sum = 0;
  size_t last = n;
  for (size_t i = 0; i < n; i++)
    total += mass[i];
  for (size_t i = 0; i < n; i++) {
    if (mass[i] == 0)
      continue;
    sum += mass[i];
    last = i;
    if (sum > u * total)
      break;
  }
  return last;
}
