/* kg_regroup.c - splits and merges of contiguous clusters. */
#include "kg_check.h"
#include "kg_constrained.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int in_order(const void *x, const void *y) {
  const kg_proposal *p = (const kg_proposal *)x, *q = (const kg_proposal *)y;
  if (p->change != q->change)
    return p->change < q->change ? -1 : 1;
  return (p->split > q->split) - (p->split < q->split);
}

/* c->rise[x + k y]: the rise of W by merging clusters x and y with a common edge, of which y may
 * be large; HUGE_VAL for others. */
static void merge_rises(kg_constrained *c) {
  kg_units *u = c->u;
  const kg_engine *e = u->e;
  size_t k = e->k;
  for (size_t p = 0; p < k * k; p++)
    c->rise[p] = HUGE_VAL;
  for (size_t i = 0; i < u->m; i++) {
    size_t many = kg_constrained_targets(c, i);
    for (size_t t = 0; t < many; t++)
      c->rise[(size_t)u->label[i] + k * c->to[t]] = 0;
  }
  for (size_t i = 0; i < u->m; i++) {
    size_t own = (size_t)u->label[i];
    for (size_t l = 0; l < k && u->w[i] > 0; l++)
      if (c->rise[own + k * l] < HUGE_VAL)
        c->rise[own + k * l] += u->w[i] * (kg_units_d2(u, i, l) + u->inner[i]);
    kg_units_poll(u, 2 * (double)k);
  }
  for (size_t x = 0; x < k; x++)
    for (size_t y = 0; y < k; y++)
      if (c->rise[x + k * y] < HUGE_VAL) {
        double d2 = (c->rise[x + k * y] - e->cost[x]) / e->s[x];
        c->rise[x + k * y] = e->s[x] * e->s[y] / (e->s[x] + e->s[y]) * fmax(d2, 0);
      }
}

/* Divides cluster a by Ward's merges within it: c->part of its units is 0 or 1. Returns what W
 * falls by, with the weights and dispersions of the parts; below 0 if it has one unit. */
static double divide(kg_constrained *c, size_t a, double s[2], double cost[2]) {
  kg_border *b = c->border;
  const size_t *inside = c->member + c->begin[a];
  size_t many = c->begin[a + 1] - c->begin[a], one, other, part = 0;
  double rise;
  if (many < 2)
    return -1;
  b->noise = NULL;
  b->most = HUGE_VAL;
  b->apart = NULL;
  kg_border_begin(b, &c->contiguous->links, inside, many, NULL);
  while (b->alive > 2)
    if (!kg_border_merge(b, &one, &other, &rise))
      return -1;
  kg_border_labels(b, inside, many, c->part);
  for (size_t r = 0; r < many; r++)
    if (b->s[inside[r]] >= 0) {
      s[part] = b->s[inside[r]];
      cost[part] = s[part] > 0 ? b->T[inside[r]] / s[part] : 0;
      part++;
    }
  if (!(s[0] > 0 && s[1] > 0) || !kg_border_merge(b, &one, &other, &rise))
    return -1;
  return rise;
}

/* The two best merges with the division of a, behind `at`. */
static kg_proposal *add(kg_proposal *first, kg_proposal *at, kg_proposal p) {
  if (at - first < 2) {
    *at = p;
    return at + 1;
  }
  kg_proposal *worse = first[0].change > first[1].change ? first : first + 1;
  if (p.change < worse->change)
    *worse = p;
  return at;
}

static kg_proposal *propose(kg_constrained *c, size_t a, kg_proposal *first) {
  kg_units *u = c->u;
  const kg_engine *e = u->e;
  size_t k = e->k;
  double s[2] = {0, 0}, cost[2] = {0, 0}, gain = divide(c, a, s, cost);
  kg_proposal *at = first;
  if (gain < 0)
    return at;
  for (size_t x = 0; x < k; x++)
    for (size_t y = x + 1; y < k; y++)
      if (x != a && y != a && c->rise[x + k * y] < HUGE_VAL)
        at = add(first, at, (kg_proposal){c->rise[x + k * y] - gain, a, x, y});
  for (size_t y = 0; y < k; y++) {
    double sum[2] = {0, 0};
    int near[2] = {0, 0};
    if (y == a || !(c->rise[a + k * y] < HUGE_VAL))
      continue;
    for (size_t r = c->begin[a]; r < c->begin[a + 1]; r++) {
      size_t i = c->member[r], part = (size_t)c->part[i], many = 0;
      sum[part] += u->w[i] * (kg_units_d2(u, i, y) + u->inner[i]);
      many = near[part] ? 0 : kg_constrained_targets(c, i);
      for (size_t t = 0; t < many; t++)
        near[part] |= c->to[t] == y;
      kg_units_poll(u, 8);
    }
    for (size_t part = 0; part < 2; part++)
      if (near[part]) {
        double d2 = fmax((sum[part] - cost[part]) / s[part], 0);
        double up = s[part] * e->s[y] / (s[part] + e->s[y]) * d2;
        at = add(first, at, (kg_proposal){up - gain, a, k + part, y});
      }
  }
  return at;
}

static void list_units(kg_constrained *c) {
  kg_list_members(c->u->label, NULL, c->u->m, c->u->e->k, c->begin, c->member);
}

/* Labels after a proposal. */
static int carry_out(kg_constrained *c, const kg_proposal *p) {
  kg_units *u = c->u;
  size_t k = u->e->k;
  double s[2], cost[2];
  list_units(c);
  if (divide(c, p->split, s, cost) < 0)
    return 0;
  for (size_t r = c->begin[p->split]; r < c->begin[p->split + 1]; r++) {
    size_t i = c->member[r];
    int part = c->part[i];
    if (p->x >= k ? part == (int)(p->x - k) : part == 1)
      u->label[i] = (int)p->y;
  }
  for (size_t r = c->begin[p->y]; r < c->begin[p->y + 1] && p->x < k; r++)
    u->label[c->member[r]] = (int)p->x;
  return 1;
}

/* 1 if the proposal, with the moves after it, lowers W. */
static int try_proposal(kg_constrained *c, const kg_proposal *p, size_t most) {
  kg_units *u = c->u;
  double W = u->e->rule.W;
  int converged;
  int *before = c->kept;
  memcpy(before, u->label, u->m * sizeof(int));
  if (!carry_out(c, p))
    return 0;
  kg_constrained_begin(c);
  kg_constrained_apply(c);
  if (kg_constrained_total(c) > 0)
    kg_constrained_press(c);
  if (kg_constrained_total(c) == 0) {
    kg_constrained_improve(c, most, &converged);
    kg_constrained_apply(c);
    if (u->e->rule.W < W - fmax(u->e->rule.tolerance, 1e-9 * fabs(W)))
      return 1;
  }
  memcpy(u->label, before, u->m * sizeof(int));
  kg_constrained_begin(c);
  kg_constrained_apply(c);
  return 0;
}

void kg_constrained_regroup(kg_constrained *c, size_t most, double work) {
  const kg_engine *e = c->u->e;
  size_t k = e->k;
  double until = e->work + work;
  for (int better = k > 1; better && e->work < until;) {
    kg_proposal *end = c->proposal;
    better = 0;
    list_units(c);
    merge_rises(c);
    for (size_t a = 0; a < k; a++)
      end = propose(c, a, end);
    qsort(c->proposal, (size_t)(end - c->proposal), sizeof(kg_proposal), in_order);
    for (kg_proposal *p = c->proposal; p < end && !better && e->work < until; p++)
      better = try_proposal(c, p, most);
  }
}
