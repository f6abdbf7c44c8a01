/* kg_constrained.c - moves and exchanges of units between clusters under rules. */
#include "kg_constrained.h"
#include "kg_check.h"
#include <math.h>
#include <string.h>

void kg_constrained_lay(kg_constrained *c, kg_units *u, int contiguous, kg_room *room) {
  size_t m = u->m, k = u->e->k;
  c->u = u;
  c->target = KG_TAKE(room, u->e->n, int);
  c->kept = KG_TAKE(room, m, int);
  c->to = KG_TAKE(room, k, size_t);
  c->mark = KG_TAKE(room, k, size_t);
  c->begin = KG_TAKE(room, k + 1, size_t);
  c->member = KG_TAKE(room, m, size_t);
  c->candidate = KG_TAKE(room, m, kg_candidate);
  c->ranked = KG_TAKE(room, m, kg_ranked);
  c->changed = KG_TAKE(room, k, size_t);
  c->tried = KG_TAKE2(room, k, k / 2 + 1, size_t);
  c->tabu = KG_TAKE(room, m, size_t);
  c->block = KG_TAKE(room, KG_BRANCH + 1, size_t);
  c->part = KG_TAKE(room, m, int);
  c->rise = KG_TAKE2(room, contiguous ? k : 1, k, double);
  c->proposal = KG_TAKE(room, 2 * k, kg_proposal);
}

/* ---- the rules ---- */

void kg_constrained_begin(kg_constrained *c) {
  size_t k = c->u->e->k;
  memset(c->tried, 0, k * (k - 1) / 2 * sizeof(size_t));
  memset(c->mark, 0, k * sizeof(size_t));
  c->stamp = 0;
  c->clock = 1;
  for (size_t l = 0; l < k; l++)
    c->changed[l] = 1;
  for (size_t r = 0; r < c->rules; r++)
    if (c->rule[r]->begin)
      c->rule[r]->begin(c->rule[r]);
}

double kg_constrained_total(const kg_constrained *c) {
  double total = 0;
  for (size_t r = 0; r < c->rules; r++)
    total += c->rule[r]->total(c->rule[r]);
  return total;
}

void kg_constrained_made(kg_constrained *c, size_t i, size_t from, size_t to) {
  for (size_t r = 0; r < c->rules; r++)
    if (c->rule[r]->made)
      c->rule[r]->made(c->rule[r], i, from, to);
}

/* The rise of the violation of cluster l, but for that of contiguous clusters. */
static double light_rise(kg_constrained *c, size_t l, size_t out, size_t in) {
  double rise = 0;
  for (size_t r = 0; r < c->rules; r++)
    if (c->rule[r] != c->contiguous)
      rise += c->rule[r]->rise(c->rule[r], l, out, in);
  return rise;
}

double kg_constrained_rise(kg_constrained *c, size_t l, size_t out, size_t in) {
  if (c->contiguous && c->contiguous->rise(c->contiguous, l, out, in) > 0)
    return HUGE_VAL;
  return light_rise(c, l, out, in);
}

static void move(kg_constrained *c, size_t i, size_t l) {
  size_t own = (size_t)c->u->label[i];
  kg_units_move(c->u, i, l);
  kg_constrained_made(c, i, own, l);
  c->changed[own] = c->changed[l] = ++c->clock;
}

/* Clusters other than its own that unit i may join: those of its neighbours, or all. */
size_t kg_constrained_targets(kg_constrained *c, size_t i) {
  size_t own = (size_t)c->u->label[i], many = 0;
  if (!c->contiguous) {
    for (size_t l = 0; l < c->u->e->k; l++)
      if (l != own)
        c->to[many++] = l;
    return many;
  }
  const kg_links *links = &c->contiguous->links;
  c->stamp++;
  for (size_t a = links->start[i]; a < links->start[i + 1]; a++) {
    size_t l = (size_t)c->u->label[links->near[a]];
    if (l == own || c->mark[l] == c->stamp)
      continue;
    c->mark[l] = c->stamp;
    c->to[many++] = l;
  }
  return many;
}

/* ---- moves ---- */

/* The saving of a point of weight w at d2 from the mean of its cluster that leaves it;
 * below 0 if it must stay. */
static double leaving(const kg_engine *e, size_t l, double w, double d2) {
  double s = e->s[l];
  return s - w > KG_REMAINDER * s ? w * (s / (s - w)) * d2 : -1;
}

static double joining(const kg_engine *e, size_t l, double w, double d2) {
  return w * (e->s[l] / (e->s[l] + w)) * d2;
}

/* Unit i by itself: 1 if it has moved. lambda: HUGE_VAL if no violation may rise. */
static int move_unit(kg_constrained *c, size_t i, size_t many, double lambda) {
  const kg_units *u = c->u;
  const kg_engine *e = u->e;
  size_t own = (size_t)u->label[i], best = e->k;
  int hard = !(lambda < HUGE_VAL);
  double w = u->w[i], gone = w > 0 ? leaving(e, own, w, kg_units_d2(u, i, own)) : 0;
  double least = -e->rule.tolerance, left = light_rise(c, own, i, KG_NOBODY);
  if (gone < 0 || (hard && (gone <= e->rule.tolerance || left > 0)))
    return 0;
  for (size_t t = 0; t < many; t++) {
    size_t l = c->to[t];
    double change = (w > 0 ? joining(e, l, w, kg_units_d2(u, i, l)) : 0) - gone;
    if (hard && !(change < least))
      continue;
    double more = left + light_rise(c, l, KG_NOBODY, i);
    if (hard ? more > 0 : !((change += lambda * more) < least))
      continue;
    least = change;
    best = l;
  }
  if (best == e->k)
    return 0;
  move(c, i, best);
  return 1;
}

/* The sum of the rises if the block moves to cluster l, one unit after another; labels and rules
 * are those before. */
static double rise_of_block(kg_constrained *c, size_t n_block, size_t own, size_t l) {
  double more = 0;
  for (size_t a = 0; a < n_block; a++) {
    size_t i = c->block[a];
    more += light_rise(c, own, i, KG_NOBODY) + light_rise(c, l, KG_NOBODY, i);
    kg_constrained_made(c, i, own, l);
    c->u->label[i] = (int)l;
  }
  for (size_t a = n_block; a-- > 0;) {
    kg_constrained_made(c, c->block[a], l, own);
    c->u->label[c->block[a]] = (int)own;
  }
  return more;
}

/* Unit i with the parts of its cluster that it alone links to the rest. */
static int move_branch(kg_constrained *c, size_t i, size_t n_to, size_t n_branch,
                       double lambda) {
  kg_units *u = c->u;
  const kg_engine *e = u->e;
  size_t own = (size_t)u->label[i], n_block = n_branch + 1, best = e->k;
  int hard = !(lambda < HUGE_VAL);
  double w = 0, here = 0, inner = 0, least = -e->rule.tolerance;
  memcpy(c->block, c->contiguous->parts->branch, n_branch * sizeof(size_t));
  c->block[n_branch] = i;
  for (size_t a = 0; a < n_block; a++) {
    size_t x = c->block[a];
    inner += kg_units_between(u, &x, 1, c->block, a) + u->w[x] * u->w[x] * u->inner[x];
    kg_units_poll(u, 40 * (double)n_to * (double)kg_unit_rows(u, x));
    w += u->w[x];
    here += u->w[x] * (kg_units_d2(u, x, own) + u->inner[x]);
  }
  if (!(w > 0))
    return 0;
  inner /= w * w;
  double gone = leaving(e, own, w, here / w - inner);
  if (gone < 0)
    return 0;
  for (size_t t = 0; t < n_to; t++) {
    size_t l = c->to[t];
    double there = 0;
    for (size_t a = 0; a < n_block; a++)
      there += u->w[c->block[a]] * (kg_units_d2(u, c->block[a], l) + u->inner[c->block[a]]);
    kg_units_poll(u, 20 * (double)n_block);
    double change = joining(e, l, w, there / w - inner) - gone;
    if (hard && !(change < least))
      continue;
    double more = rise_of_block(c, n_block, own, l);
    if (hard ? more > 0 : !((change += lambda * more) < least))
      continue;
    least = change;
    best = l;
  }
  for (size_t a = 0; a < n_block && best < e->k; a++)
    move(c, c->block[a], best);
  return best < e->k;
}

/* One pass over the units; returns how often one moved, alone or with a branch. */
static size_t sweep(kg_constrained *c, double lambda) {
  kg_units *u = c->u;
  size_t moved = 0;
  for (size_t i = 0; i < u->m; i++) {
    size_t many = 0, n_to = kg_constrained_targets(c, i), own = (size_t)u->label[i];
    kg_units_poll(u, 32 + 16 * (double)n_to * (double)kg_unit_rows(u, i));
    if (n_to == 0 || (u->w[i] == 0 && !(lambda < HUGE_VAL)))
      continue;
    if (!c->contiguous ||
        kg_parts_connected(c->contiguous, own, i, KG_NOBODY, KG_BRANCH, &many))
      moved += move_unit(c, i, n_to, lambda);
    else if (many > 0)
      moved += move_branch(c, i, n_to, many, lambda);
    kg_units_poll(u, c->contiguous ? 32 * (double)c->contiguous->parts->met : 0);
  }
  return moved;
}

/* lambda starts where a violation of 1 weighs as one unit's share of W. */
void kg_constrained_press(kg_constrained *c) {
  enum { ROUNDS = 60 };
  const kg_engine *e = c->u->e;
  double lambda = 0.1 * fabs(e->rule.W) / (double)e->n + 1e3 * e->rule.tolerance;
  if (!(lambda > 0))
    lambda = 1;
  for (size_t round = 0; round < ROUNDS && kg_constrained_total(c) > 0; round++) {
    sweep(c, lambda);
    lambda *= 1.6;
  }
}

/* ---- exchanges ---- */

static int has_near(const kg_constrained *c, const kg_links *links, size_t i, size_t l) {
  for (size_t a = links->start[i]; a < links->start[i + 1]; a++)
    if (c->u->label[links->near[a]] == (int)l)
      return 1;
  return 0;
}

int kg_constrained_broken(const kg_constrained *c, size_t i) {
  return has_near(c, &c->apart->links, i, (size_t)c->u->label[i]);
}

/* Least and largest weight of a cluster's units. */
static void weights_of(const kg_constrained *c, size_t l, double range[2]) {
  range[0] = HUGE_VAL;
  range[1] = 0;
  for (size_t r = c->begin[l]; r < c->begin[l + 1]; r++) {
    double w = c->u->w[c->member[r]];
    range[0] = w < range[0] ? w : range[0];
    range[1] = w > range[1] ? w : range[1];
  }
}

/* Units of cluster `from` that may be exchanged with one of `into`. least: weights of the two
 * after an exchange, at least. */
static kg_candidate *candidates(const kg_constrained *c, size_t from, size_t into,
                                const double least[2], kg_candidate *at) {
  const kg_units *u = c->u;
  for (size_t r = c->begin[from]; r < c->begin[from + 1]; r++) {
    size_t i = c->member[r];
    if (c->contiguous && !has_near(c, &c->contiguous->links, i, into))
      continue;
    if (!c->amounts && !(c->apart && has_near(c, &c->apart->links, i, into)))
      continue;
    double w = u->w[i], here = kg_units_d2(u, i, from), there = kg_units_d2(u, i, into);
    double bound = -HUGE_VAL;
    if (least[0] > 0 && least[1] > 0)
      bound = w * (there - here) - 2 * w * w * (here / least[0] + there / least[1]);
    *at++ = (kg_candidate){i, w, here, there, bound};
  }
  return at;
}

/* The change of W by exchanging x of cluster a and y of b. */
static double exchange(const kg_constrained *c, size_t a, size_t b, const kg_candidate *x,
                       const kg_candidate *y) {
  const kg_engine *e = c->u->e;
  double p = x->w, q = y->w, s = e->s[a] - p + q, t = e->s[b] - q + p;
  if (!(s > KG_REMAINDER * e->s[a] && t > KG_REMAINDER * e->s[b]))
    return HUGE_VAL;
  double rho = kg_units_rho(c->u, x->at, y->at);
  double in_a = p * p * x->here + q * q * y->there - p * q * (x->here + y->there - rho);
  double in_b = q * q * y->here + p * p * x->there - p * q * (y->here + x->there - rho);
  return q * y->there - p * x->here - in_a / s + p * x->there - q * y->here - in_b / t;
}

typedef struct {
  double change;
  size_t one, other;
} found;

static void consider(kg_constrained *c, size_t a, size_t b, const kg_candidate *x,
                     const kg_candidate *y, found *best) {
  if (!(x->bound + y->bound < best->change))
    return;
  double change = exchange(c, a, b, x, y);
  kg_units_poll(c->u, c->u->each);
  if (!(change < best->change))
    return;
  if (light_rise(c, a, x->at, y->at) > 0 || light_rise(c, b, y->at, x->at) > 0)
    return;
  if (kg_constrained_rise(c, a, x->at, y->at) > 0 || kg_constrained_rise(c, b, y->at, x->at) > 0)
    return;
  *best = (found){change, x->at, y->at};
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

/* The best exchange of clusters a and b. The sum of two bounds is below the change. */
static found best_exchange(kg_constrained *c, size_t a, size_t b) {
  const kg_engine *e = c->u->e;
  found best = {-e->rule.tolerance, KG_NOBODY, KG_NOBODY};
  double in_a[2], in_b[2];
  weights_of(c, a, in_a);
  weights_of(c, b, in_b);
  const double least[2] = {e->s[a] - in_a[1] + in_b[0], e->s[b] - in_b[1] + in_a[0]};
  const double turned[2] = {least[1], least[0]};
  kg_candidate *x = c->candidate, *end = candidates(c, a, b, least, x), *y = end;
  kg_candidate *last = candidates(c, b, a, turned, y);
  kg_units_poll(c->u, 8 + 64 * (double)(last - x));
  if (x == end || y == last)
    return best;
  kg_candidate *first = least_bound(x, end), *second = least_bound(y, last);
  double x_bound = first->bound, y_bound = second->bound;
  consider(c, a, b, first, second, &best);
  end = below(x, end, best.change - y_bound);
  last = below(y, last, best.change - x_bound);
  for (; x < end; x++) {
    kg_units_poll(c->u, (double)(last - y));
    for (kg_candidate *at = y; at < last; at++)
      consider(c, a, b, x, at, &best);
  }
  return best;
}

/* A cluster is never empty in between. */
static void make_exchange(kg_constrained *c, const found *best) {
  size_t one = best->one, other = best->other;
  size_t a = (size_t)c->u->label[one], b = (size_t)c->u->label[other];
  if (c->u->e->count[a] == c->u->count[one]) {
    move(c, other, a);
    move(c, one, b);
  } else {
    move(c, one, b);
    move(c, other, a);
  }
}

static int may_exchange(const kg_constrained *c, size_t a, size_t b) {
  const kg_engine *e = c->u->e;
  return c->begin[a + 1] - c->begin[a] > 1 || c->begin[b + 1] - c->begin[b] > 1
             ? e->count[a] > 0 && e->count[b] > 0
             : 0;
}

/* All pairs of clusters of which one has changed; returns the number of exchanges. */
static size_t exchange_all(kg_constrained *c) {
  kg_units *u = c->u;
  size_t k = u->e->k, many = 0, pair = 0;
  kg_list_members(u->label, u->w, u->m, k, c->begin, c->member);
  for (size_t a = 0; a < k; a++) {
    kg_units_poll(u, 4 * (double)k);
    for (size_t b = a + 1; b < k; b++, pair++) {
      while ((c->changed[a] > c->tried[pair] || c->changed[b] > c->tried[pair]) &&
             may_exchange(c, a, b)) {
        c->tried[pair] = c->clock;
        found best = best_exchange(c, a, b);
        if (best.one == KG_NOBODY)
          break;
        make_exchange(c, &best);
        kg_list_members(u->label, u->w, u->m, k, c->begin, c->member);
        kg_units_poll(u, 8 * (double)u->m);
        many++;
      }
    }
  }
  return many;
}

/* Units of weight 0 to the nearest mean that breaks no rule; returns how many have moved. */
static size_t place_weightless(kg_constrained *c) {
  kg_units *u = c->u;
  size_t moved = 0;
  for (size_t i = 0; i < u->m; i++) {
    size_t many = u->w[i] == 0 ? kg_constrained_targets(c, i) : 0,
           own = (size_t)u->label[i], best = own;
    double least = many > 0 ? kg_units_d2(u, i, own) : 0;
    for (size_t t = 0; t < many; t++) {
      double d2 = kg_units_d2(u, i, c->to[t]);
      if (!kg_below(d2, least) || kg_constrained_rise(c, own, i, KG_NOBODY) > 0 ||
          kg_constrained_rise(c, c->to[t], KG_NOBODY, i) > 0)
        continue;
      least = d2;
      best = c->to[t];
    }
    if (best == own)
      continue;
    move(c, i, best);
    moved++;
  }
  return moved;
}

size_t kg_constrained_improve(kg_constrained *c, size_t most, int *converged) {
  size_t rounds = 0;
  for (*converged = 0; !*converged && rounds < most; rounds++) {
    if (sweep(c, HUGE_VAL) > 0 || ((c->amounts || c->apart) && exchange_all(c) > 0))
      continue;
    *converged = place_weightless(c) == 0;
  }
  return rounds;
}

void kg_constrained_apply(kg_constrained *c) {
  const kg_units *u = c->u;
  for (size_t i = 0; i < u->m; i++)
    for (size_t r = 0; r < kg_unit_rows(u, i); r++)
      c->target[kg_unit_row(u, i, r)] = u->label[i];
  c->apply(u->e, c->target);
}
