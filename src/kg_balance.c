/* kg_balance.c - moves and exchanges of observations between clusters of limited size. */
#include "kg_balance.h"
#include "kg_check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t pairs_of(size_t k) {
  return k * (k - 1) / 2;
}

static size_t pair_at(size_t k, size_t a, size_t b) {
  KG_CHECK(a < b && b < k);
  return a * (2 * k - a - 1) / 2 + b - a - 1;
}

void kg_balance_lay(kg_balance *b, const kg_engine *e, kg_room *room) {
  size_t n = e->n, k = e->k, pairs = pairs_of(k);
  b->e = e;
  b->begin = KG_TAKE(room, k + 1, size_t);
  b->member = KG_TAKE(room, n, size_t);
  b->own = KG_TAKE(room, n, double);
  b->best = KG_TAKE(room, pairs, kg_ranked);
  b->sorted = KG_TAKE(room, n > pairs ? n : pairs, kg_ranked);
  b->candidate = KG_TAKE(room, n, kg_candidate);
  b->changed = KG_TAKE(room, k, unsigned char);
}

static double d2(const kg_balance *b, size_t i, size_t l) {
  return b->e->input->kind->d2(b->e, i, l);
}

int kg_balance_holds(const kg_balance *b) {
  for (size_t l = 0; l < b->e->k; l++)
    if (b->e->count[l] < b->least || b->e->count[l] > b->most)
      return 0;
  return 1;
}

/* Least value first; equal values in the order of the numbers. */
static int in_order(const void *x, const void *y) {
  const kg_ranked *p = (const kg_ranked *)x, *q = (const kg_ranked *)y;
  if (p->value != q->value)
    return p->value < q->value ? -1 : 1;
  if (p->one != q->one)
    return p->one < q->one ? -1 : 1;
  return (p->other > q->other) - (p->other < q->other);
}

/* ---- labels within the limits, in the order of regret ---- */

size_t kg_balance_regrets(kg_balance *b, size_t from, double work) {
  size_t n = b->e->n, k = b->e->k, some = (size_t)(work / (double)k) + 1;
  size_t to = n - from < some ? n : from + some;
  for (size_t i = from; i < to; i++) {
    double first = HUGE_VAL, second = HUGE_VAL;
    for (size_t l = 0; l < k; l++) {
      double value = d2(b, i, l);
      if (value < first) {
        second = first;
        first = value;
      } else if (value < second) {
        second = value;
      }
    }
    kg_ranked regret = {k > 1 ? first - second : 0, (int)i, KG_NONE};
    b->sorted[i] = regret;
  }
  return to;
}

void kg_balance_assign(kg_balance *b, int *target) {
  size_t n = b->e->n, k = b->e->k, missing = k * b->least;
  size_t *count = b->begin;
  KG_CHECK(missing <= n && (b->most >= n || k * b->most >= n));
  qsort(b->sorted, n, sizeof(kg_ranked), in_order);
  memset(count, 0, k * sizeof(size_t));
  for (size_t r = 0; r < n; r++) {
    size_t i = (size_t)b->sorted[r].one, best = k;
    double nearest = HUGE_VAL;
    /* the points that are left must suffice for the clusters below the least size */
    int all = n - r > missing;
    for (size_t l = 0; l < k; l++) {
      if (count[l] >= b->most || (!all && count[l] >= b->least))
        continue;
      double value = d2(b, i, l);
      if (best == k || value < nearest) {
        nearest = value;
        best = l;
      }
    }
    KG_CHECK(best < k);
    missing -= count[best] < b->least;
    count[best]++;
    target[i] = (int)best;
  }
}

/* ---- moves and exchanges ---- */

void kg_balance_begin(kg_balance *b) {
  memset(b->changed, 1, b->e->k);
}

/* The points of cluster `from` with the bounds of exchanges with cluster `into`; `first`
 * is the one whose mean the bound is about. The best move of a single point joins `best`.
 */
static kg_candidate *candidates(const kg_balance *b, size_t from, size_t into,
                                size_t first, kg_candidate *at, kg_ranked *best) {
  double leave = (double)b->e->count[from], enter = (double)b->e->count[into];
  double share = 2 * (1 / leave + 1 / enter);
  int may = b->e->count[from] > b->least && b->e->count[into] < b->most && leave > 1;
  for (size_t r = b->begin[from]; r < b->begin[from + 1]; r++, at++) {
    size_t i = b->member[r];
    double there = d2(b, i, into), here = b->own[i];
    at->at = i;
    at->distance = first == from ? here : there;
    at->bound = there - here - share * at->distance;
    double change = enter / (enter + 1) * there - leave / (leave - 1) * here;
    if (may && change < best->value) {
      best->value = change;
      best->one = (int)i;
      best->other = KG_NONE;
    }
  }
  return at;
}

static kg_candidate *least_bound(kg_candidate *at, kg_candidate *end) {
  kg_candidate *least = at;
  for (; at < end; at++)
    if (at->bound < least->bound)
      least = at;
  return least;
}

/* The candidates whose bound is below `limit`, moved to the front. */
static kg_candidate *below(kg_candidate *at, kg_candidate *end, double limit) {
  kg_candidate *kept = at;
  for (; at < end; at++)
    if (at->bound < limit)
      *kept++ = *at;
  return kept;
}

/* Exchanges x and y if that is better than the best so far. rho <= 2 (d2_x + d2_y), the
 * distances to any one mean, so the sum of the bounds is below the change. */
static void consider(const kg_balance *b, double share, const kg_candidate *x,
                     const kg_candidate *y, kg_ranked *best) {
  double bound = x->bound + y->bound, rho;
  if (!(bound < best->value))
    return;
  b->e->input->kind->rho(b->e->input, x->at, y->at, y->at + 1, &rho);
  double change = bound + share * (2 * (x->distance + y->distance) - rho);
  if (change < best->value) {
    best->value = change;
    best->one = (int)x->at;
    best->other = (int)y->at;
  }
}

/* The best change of clusters a and c; returns the work. */
static double best_of_pair(const kg_balance *b, size_t a, size_t c) {
  const kg_engine *e = b->e;
  double share = 1 / (double)e->count[a] + 1 / (double)e->count[c];
  kg_ranked best = {-e->rule.tolerance / e->w[0], KG_NONE, KG_NONE};
  kg_candidate *x = b->candidate, *end = candidates(b, a, c, a, x, &best), *y = end;
  kg_candidate *last = candidates(b, c, a, a, y, &best);
  double work = (double)(last - x);
  if (x < end && y < last) {
    kg_candidate *x_least = least_bound(x, end), *y_least = least_bound(y, last);
    double x_bound = x_least->bound, y_bound = y_least->bound;
    consider(b, share, x_least, y_least, &best);
    end = below(x, end, best.value - y_bound);
    last = below(y, last, best.value - x_bound);
    work += (double)(end - x) * (double)(last - y);
    for (; x < end; x++)
      for (kg_candidate *at = y; at < last; at++)
        consider(b, share, x, at, &best);
  }
  b->best[pair_at(e->k, a, c)] = best;
  return work;
}

size_t kg_balance_scan(kg_balance *b, size_t a, double work) {
  size_t k = b->e->k;
  if (a == 0) {
    kg_list_members(b->e->label, NULL, b->e->n, k, b->begin, b->member);
    for (size_t i = 0; i < b->e->n; i++)
      b->own[i] = d2(b, i, (size_t)b->e->label[i]);
  }
  for (; a < k && work > 0; a++)
    for (size_t c = a + 1; c < k; c++)
      if (b->changed[a] || b->changed[c])
        work -= best_of_pair(b, a, c);
  return a;
}

size_t kg_balance_choose(kg_balance *b, int *target) {
  size_t n = b->e->n, k = b->e->k, many = 0, moved = 0;
  for (size_t a = 0; a < k; a++)
    for (size_t c = a + 1; c < k; c++) {
      const kg_ranked *best = b->best + pair_at(k, a, c);
      kg_ranked pair = {best->value, (int)a, (int)c};
      if (best->one != KG_NONE)
        b->sorted[many++] = pair;
    }
  qsort(b->sorted, many, sizeof(kg_ranked), in_order);
  memcpy(target, b->e->label, n * sizeof(int));
  memset(b->changed, 0, k);
  for (size_t r = 0; r < many; r++) {
    size_t a = (size_t)b->sorted[r].one, c = (size_t)b->sorted[r].other;
    if (b->changed[a] || b->changed[c])
      continue;
    const kg_ranked *best = b->best + pair_at(k, a, c);
    b->changed[a] = b->changed[c] = 1;
    target[best->one] = target[best->one] == (int)a ? (int)c : (int)a;
    moved++;
    if (best->other == KG_NONE)
      continue;
    target[best->other] = target[best->other] == (int)a ? (int)c : (int)a;
    moved++;
  }
  return moved;
}
