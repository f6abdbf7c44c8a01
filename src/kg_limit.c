/* kg_limit.c - rules of a constrained partition: amounts, units apart, contiguous clusters. */
#include "kg_limit.h"
#include "kg_check.h"
#include "kg_units.h"
#include <math.h>
#include <string.h>

void kg_links_from(const int *pairs, size_t n_pairs, size_t m, size_t *start, size_t *near) {
  memset(start, 0, (m + 1) * sizeof(size_t));
  for (size_t a = 0; a < 2 * n_pairs; a++) {
    KG_CHECK(pairs[a] >= 0 && (size_t)pairs[a] < m);
    start[pairs[a] + 1]++;
  }
  for (size_t i = 0; i < m; i++)
    start[i + 1] += start[i];
  for (size_t a = 0; a < n_pairs; a++) {
    size_t x = (size_t)pairs[a], y = (size_t)pairs[a + n_pairs];
    near[start[x]++] = y;
    near[start[y]++] = x;
  }
  for (size_t i = m; i > 0; i--)
    start[i] = start[i - 1];
  start[0] = 0;
}

/* ---- amounts ---- */

static double violation(const kg_limit *c, double sum) {
  double off = sum > c->most ? sum - c->most : sum < c->least ? c->least - sum : 0;
  return off * off;
}

static double amounts_rise(kg_limit *c, size_t l, size_t out, size_t in) {
  double sum = c->sum[l];
  if (out != KG_NOBODY)
    sum -= c->amount[out];
  if (in != KG_NOBODY)
    sum += c->amount[in];
  return violation(c, sum) - violation(c, c->sum[l]);
}

static int amounts_may_join(const kg_limit *c, size_t l, size_t in) {
  return c->sum[l] + c->amount[in] <= c->most;
}

static double amounts_total(const kg_limit *c) {
  double total = 0;
  for (size_t l = 0; l < c->k; l++)
    total += violation(c, c->sum[l]);
  return total;
}

static void amounts_begin(kg_limit *c) {
  memset(c->sum, 0, c->k * sizeof(double));
  for (size_t i = 0; i < c->m; i++)
    if (c->label[i] >= 0)
      c->sum[c->label[i]] += c->amount[i];
}

static void amounts_made(kg_limit *c, size_t i, size_t from, size_t to) {
  c->sum[from] -= c->amount[i];
  c->sum[to] += c->amount[i];
}

const kg_limit kg_amounts = {.rise = amounts_rise,
                             .may_join = amounts_may_join,
                             .total = amounts_total,
                             .begin = amounts_begin,
                             .made = amounts_made};

/* ---- apart ---- */

static size_t met_in(const kg_limit *c, size_t i, size_t l, size_t except) {
  size_t met = 0;
  for (size_t a = c->links.start[i]; a < c->links.start[i + 1]; a++)
    met += c->label[c->links.near[a]] == (int)l && c->links.near[a] != except;
  return met;
}

static double apart_rise(kg_limit *c, size_t l, size_t out, size_t in) {
  double rise = 0;
  if (out != KG_NOBODY)
    rise -= (double)met_in(c, out, l, KG_NOBODY);
  if (in != KG_NOBODY)
    rise += (double)met_in(c, in, l, out);
  return rise;
}

static int apart_may_join(const kg_limit *c, size_t l, size_t in) {
  return met_in(c, in, l, KG_NOBODY) == 0;
}

static double apart_total(const kg_limit *c) {
  double total = 0;
  for (size_t i = 0; i < c->m; i++)
    if (c->label[i] >= 0)
      total += (double)met_in(c, i, (size_t)c->label[i], KG_NOBODY);
  return total / 2;
}

const kg_limit kg_apart = {
    .rise = apart_rise, .may_join = apart_may_join, .total = apart_total};

/* ---- contiguous ---- */

void kg_parts_lay(kg_parts *p, size_t m, kg_room *room) {
  memset(p, 0, sizeof *p);
  p->seen = KG_TAKE(room, m, size_t);
  p->source = KG_TAKE(room, m, size_t);
  p->next = KG_TAKE(room, m, size_t);
  p->root = KG_TAKE(room, m, size_t);
  p->head = KG_TAKE(room, m, size_t);
  p->tail = KG_TAKE(room, m, size_t);
  p->first = KG_TAKE(room, m, size_t);
  p->open = KG_TAKE(room, m, size_t);
  p->branch = KG_TAKE(room, m, size_t);
}

/* A cluster without one unit and with another one. */
typedef struct {
  const kg_limit *c;
  size_t l, out, in;
} changed;

static int is_inside(const changed *s, size_t x) {
  return x != s->out && (x == s->in || s->c->label[x] == (int)s->l);
}

static size_t root_of(kg_parts *p, size_t s) {
  while (p->root[s] != s)
    s = p->root[s] = p->root[p->root[s]];
  return s;
}

static void append(kg_parts *p, size_t s, size_t x) {
  p->seen[x] = p->stamp;
  p->source[x] = s;
  p->next[x] = KG_NOBODY;
  if (p->head[s] == KG_NOBODY)
    p->head[s] = x;
  else
    p->next[p->tail[s]] = x;
  p->tail[s] = x;
}

/* One search from each neighbour of the unit that leaves; returns their number. */
static size_t begin_searches(const changed *s, kg_parts *p) {
  const kg_links *links = &s->c->links;
  size_t many = 0;
  if (p->stamp == 0)
    memset(p->seen, 0, s->c->m * sizeof(size_t));
  p->stamp++;
  for (size_t a = links->start[s->out]; a < links->start[s->out + 1]; a++) {
    size_t x = links->near[a];
    if (!is_inside(s, x) || p->seen[x] == p->stamp)
      continue;
    p->root[many] = many;
    p->open[many] = 1;
    p->head[many] = KG_NOBODY;
    append(p, many, x);
    p->first[many++] = x;
  }
  return many;
}

/* One unit of search q meets its neighbours; returns the number of searches that it joins. */
static size_t expand(const changed *s, kg_parts *p, size_t q) {
  const kg_links *links = &s->c->links;
  size_t x = p->head[q], joined = 0;
  for (size_t a = links->start[x]; a < links->start[x + 1]; a++) {
    size_t y = links->near[a];
    if (!is_inside(s, y))
      continue;
    if (p->seen[y] != p->stamp) {
      append(p, q, y);
      continue;
    }
    size_t here = root_of(p, q), there = root_of(p, p->source[y]);
    if (here == there)
      continue;
    p->root[there] = here;
    p->open[here] += p->open[there];
    joined++;
  }
  p->head[q] = p->next[x];
  if (p->head[q] == KG_NOBODY)
    p->open[root_of(p, q)]--;
  return joined;
}

/* Lists what the searches that came to an end have met, all but the part of search `last`. */
static size_t list_branch(kg_parts *p, size_t searches, size_t last, size_t most) {
  size_t many = 0;
  for (size_t q = 0; q < searches; q++) {
    if (root_of(p, q) == last)
      continue;
    for (size_t x = p->first[q]; x != KG_NOBODY; x = p->next[x]) {
      if (many == most)
        return 0;
      p->branch[many++] = x;
    }
  }
  return many;
}

static int is_near(const changed *s) {
  const kg_links *links = &s->c->links;
  for (size_t a = links->start[s->in]; a < links->start[s->in + 1]; a++) {
    size_t x = links->near[a];
    if (x != s->out && s->c->label[x] == (int)s->l)
      return 1;
  }
  return 0;
}

int kg_parts_connected(const kg_limit *c, size_t l, size_t out, size_t in, size_t most,
                       size_t *many) {
  kg_parts *p = c->parts;
  changed s = {c, l, out, in};
  if (out == KG_NOBODY)
    return is_near(&s);
  size_t searches = begin_searches(&s, p), parts = searches, ended = 0;
  p->met = searches;
  if (in != KG_NOBODY && !is_near(&s))
    return searches == 0 || (searches == 1 && p->first[0] == in);
  while (parts > 1 && parts - ended > 1) {
    for (size_t q = 0; q < searches && parts > 1; q++)
      if (p->head[q] != KG_NOBODY) {
        parts -= expand(&s, p, q);
        p->met++;
      }
    ended = 0;
    for (size_t q = 0; q < searches; q++)
      ended += p->root[q] == q && p->open[q] == 0;
    if (parts > 1 && ended > 0 && (most == 0 || p->met > 4 * most + searches))
      break;
  }
  if (parts <= 1)
    return 1;
  if (most == 0)
    return 0;
  /* all parts but one came to an end, or the smaller ones are too large */
  *many = 0;
  if (parts - ended > 1)
    return 0;
  size_t last = KG_NOBODY;
  for (size_t q = 0; q < searches; q++)
    if (p->root[q] == q && (last == KG_NOBODY || p->open[q] > 0))
      last = q;
  *many = list_branch(p, searches, last, most);
  return 0;
}

static double contiguous_rise(kg_limit *c, size_t l, size_t out, size_t in) {
  return kg_parts_connected(c, l, out, in, 0, NULL) ? 0 : HUGE_VAL;
}

static double contiguous_total(const kg_limit *c) {
  (void)c;
  return 0;
}

const kg_limit kg_contiguous = {.rise = contiguous_rise, .total = contiguous_total};
