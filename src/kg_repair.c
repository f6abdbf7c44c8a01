/* kg_repair.c - partitions that satisfy the rules, near to the means of an engine. */
#include "kg_check.h"
#include "kg_constrained.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int in_order(const void *x, const void *y) {
  const kg_ranked *p = (const kg_ranked *)x, *q = (const kg_ranked *)y;
  if (p->value != q->value)
    return p->value < q->value ? -1 : 1;
  return (p->at > q->at) - (p->at < q->at);
}

static double uniform(kg_constrained *c) {
  double u = c->uniforms[c->drawn];
  c->drawn = (c->drawn + 1) % c->n_uniforms;
  return u;
}

/* ---- filling ---- */

/* The distance to the nearest mean less that to the second; heavy units first. */
static void rank_units(kg_constrained *c) {
  const kg_units *u = c->u;
  size_t k = u->e->k;
  for (size_t i = 0; i < u->m; i++) {
    double first = HUGE_VAL, second = HUGE_VAL;
    for (size_t l = 0; l < k; l++) {
      double value = kg_units_d2(u, i, l);
      second = value < first ? first : value < second ? value : second;
      first = value < first ? value : first;
    }
    c->ranked[i] = (kg_ranked){k > 1 ? u->w[i] * (first - second) : 0, i};
    kg_units_poll(c->u, 4 * (double)k);
  }
  qsort(c->ranked, u->m, sizeof(kg_ranked), in_order);
}

/* The rule whose clusters below the least need all that is left of the amounts, or NULL. */
static const kg_limit *needed(const kg_constrained *c, const double *left) {
  for (size_t r = 0; r < c->rules; r++) {
    const kg_limit *rule = c->rule[r];
    double missing = 0;
    for (size_t l = 0; rule->amount && l < rule->k; l++)
      missing += fmax(rule->least - rule->sum[l], 0);
    if (missing > 0 && left[r] <= missing)
      return rule;
  }
  return NULL;
}

/* Labels of units, in the order of regret, each to the nearest mean of the engine that it may join;
 * the engine keeps its own. */
static void fill(kg_constrained *c) {
  kg_units *u = c->u;
  size_t k = u->e->k;
  double left[KG_RULES] = {0};
  rank_units(c);
  for (size_t i = 0; i < u->m; i++) {
    u->label[i] = -1;
    for (size_t r = 0; r < c->rules; r++)
      left[r] += c->rule[r]->amount ? c->rule[r]->amount[i] : 0;
  }
  kg_constrained_begin(c);
  for (size_t a = 0; a < u->m; a++) {
    size_t i = c->ranked[a].at, best = 0;
    const kg_limit *need = needed(c, left);
    double least = HUGE_VAL;
    size_t fewest = (size_t)-1; /* rules broken */
    for (size_t l = 0; l < k; l++) {
      size_t broken = need && need->sum[l] >= need->least;
      for (size_t r = 0; r < c->rules; r++)
        broken += c->rule[r]->may_join && !c->rule[r]->may_join(c->rule[r], l, i);
      double d2 = kg_units_d2(u, i, l);
      if (broken > fewest || (broken == fewest && !(d2 < least)))
        continue;
      fewest = broken;
      least = d2;
      best = l;
    }
    u->label[i] = (int)best;
    for (size_t r = 0; r < c->rules; r++)
      if (c->rule[r]->amount) {
        c->rule[r]->sum[best] += c->rule[r]->amount[i];
        left[r] -= c->rule[r]->amount[i];
      }
    kg_units_poll(u, 8 * (double)k);
  }
}

/* ---- repair: moves with a tabu list (Hertz and de Werra 1987) ---- */

enum { OVER = 1, SHORT = 2 };

/* Mark the amounts of each cluster that break a limit; returns what is with any. */
static size_t mark_clusters(kg_constrained *c, size_t *wrong) {
  size_t any = 0;
  memset(wrong, 0, c->u->e->k * sizeof(size_t));
  for (size_t r = 0; r < c->rules; r++)
    for (size_t l = 0; c->rule[r]->amount && l < c->u->e->k; l++) {
      const kg_limit *rule = c->rule[r];
      wrong[l] |= rule->sum[l] > rule->most ? OVER : rule->sum[l] < rule->least ? SHORT : 0;
      any |= wrong[l];
    }
  return any;
}

typedef struct {
  double rise, cost;
  size_t i, to, open; /* open: units whose move may lower a violation */
} step;

/* The best move of unit i to `best`, if it is better and rises by less than `wanted`. */
static void consider_unit(kg_constrained *c, size_t i, int only_short, const size_t *wrong,
                          double wanted, step *best) {
  const kg_units *u = c->u;
  size_t own = (size_t)u->label[i], many = kg_constrained_targets(c, i);
  double left = HUGE_VAL, here = many > 0 ? kg_units_d2(u, i, own) : 0;
  for (size_t t = 0; t < many; t++) {
    size_t l = c->to[t];
    if (only_short && !(wrong[l] & SHORT))
      continue;
    if (left == HUGE_VAL) {
      left = kg_constrained_rise(c, own, i, KG_NOBODY);
      if (left == HUGE_VAL)
        return;
    }
    double more = left + kg_constrained_rise(c, l, KG_NOBODY, i);
    double cost = u->w[i] * (kg_units_d2(u, i, l) - here);
    if (more >= wanted || more > best->rise || (more == best->rise && cost >= best->cost))
      continue;
    best->rise = more;
    best->cost = cost;
    best->i = i;
    best->to = l;
  }
}

static step best_step(kg_constrained *c, size_t now, double wanted) {
  kg_units *u = c->u;
  size_t *wrong = c->begin, any = mark_clusters(c, wrong);
  step best = {HUGE_VAL, HUGE_VAL, KG_NOBODY, 0, 0};
  for (size_t i = 0; i < u->m; i++) {
    size_t own = (size_t)u->label[i];
    int to_blame = (wrong[own] & OVER) != 0;
    if (!to_blame && c->apart)
      to_blame = kg_constrained_broken(c, i);
    if (!to_blame && !(any & SHORT))
      continue;
    best.open++;
    consider_unit(c, i, !to_blame, wrong, c->tabu[i] > now ? wanted : HUGE_VAL, &best);
    kg_units_poll(u, 16 + 40 * (double)u->e->k * (double)kg_unit_rows(u, i));
  }
  return best;
}

/* Moves that lower the violations most, W least, from the means of the engine, which keeps its
 * labels; those of the units are the least violation's. */
static void repair(kg_constrained *c) {
  kg_units *u = c->u;
  size_t m = u->m, since = 0;
  double total = kg_constrained_total(c), least = total;
  size_t patience = 100 + 4 * m, dear = (size_t)(1e9 / ((double)m * (double)u->e->k));
  patience = patience < 100 + dear ? patience : 100 + dear;
  memset(c->tabu, 0, m * sizeof(size_t));
  memcpy(c->kept, u->label, m * sizeof(int));
  for (size_t now = 1; total > 0 && now - since < patience; now++) {
    step best = best_step(c, now, least - total);
    if (best.i == KG_NOBODY)
      continue;
    size_t own = (size_t)u->label[best.i];
    u->label[best.i] = (int)best.to;
    kg_constrained_made(c, best.i, own, best.to);
    c->tabu[best.i] = now + 2 + (size_t)(uniform(c) * (4 + 0.3 * (double)best.open));
    total += best.rise;
    if (total < least * (1 - 1e-9) || total < 1e-9) {
      total = kg_constrained_total(c);
      least = total < least ? total : least;
      since = now;
      memcpy(c->kept, u->label, m * sizeof(int));
    }
  }
  memcpy(u->label, c->kept, m * sizeof(int));
  kg_constrained_begin(c);
}

/* ---- starts ---- */

int kg_constrained_merge(kg_constrained *c, int labelled, int noise) {
  kg_border *b = c->border;
  kg_units *u = c->u;
  size_t one, other;
  double rise;
  b->noise = noise ? c->uniforms + c->drawn : NULL;
  b->n_noise = c->n_uniforms - c->drawn;
  c->drawn = noise ? (c->drawn + 257) % c->n_uniforms : c->drawn;
  b->most = c->amounts ? c->amounts->most : HUGE_VAL;
  b->apart = c->apart ? &c->apart->links : NULL;
  kg_border_begin(b, &c->contiguous->links, NULL, u->m, c->amounts ? c->amounts->amount : NULL);
  if (labelled)
    kg_border_within(b, u->label);
  while (b->alive > u->e->k)
    if (!kg_border_merge(b, &one, &other, &rise))
      return 0;
  return kg_border_labels(b, NULL, u->m, u->label) == u->e->k;
}

int kg_constrained_satisfy(kg_constrained *c) {
  int off = 0;
  kg_constrained_begin(c);
  if (kg_constrained_total(c) > 0 && c->contiguous) {
    kg_constrained_press(c);
    kg_constrained_apply(c);
  } else if (kg_constrained_total(c) > 0) {
    fill(c);
    off = 1;
  }
  if (kg_constrained_total(c) > 0) {
    repair(c);
    off = 1;
  }
  int held = kg_constrained_total(c) == 0;
  if (off && held)
    kg_constrained_apply(c);
  return held;
}
