/* kg_border.c - Ward's merges along the edges of a graph, with a heap of the edges. */
#include "kg_border.h"
#include "kg_check.h"
#include <math.h>
#include <string.h>

/* Merges above the limit come after all others, the smallest first. */
#define KG_ABOVE 1e250

void kg_border_lay(kg_border *b, kg_units *u, size_t edges, kg_room *room) {
  memset(b, 0, sizeof *b);
  size_t m = u->m;
  b->u = u;
  b->edges = edges;
  b->most = HUGE_VAL;
  b->s = KG_TAKE(room, m, double);
  b->T = KG_TAKE(room, m, double);
  b->amount = KG_TAKE(room, m, double);
  b->last = KG_TAKE(room, m, size_t);
  b->member = KG_TAKE(room, m, size_t);
  b->head = KG_TAKE(room, m, size_t);
  b->tail = KG_TAKE(room, m, size_t);
  b->end = KG_TAKE(room, 2 * edges, size_t);
  b->next = KG_TAKE(room, 2 * edges, size_t);
  b->M = KG_TAKE(room, edges, double);
  b->key = KG_TAKE(room, edges, double);
  b->heap = KG_TAKE(room, edges, size_t);
  b->place = KG_TAKE(room, edges, size_t);
  b->at = KG_TAKE(room, m, size_t);
  b->one = KG_TAKE(room, m, size_t);
  b->other = KG_TAKE(room, m, size_t);
  b->owner = KG_TAKE(room, m, size_t);
}

/* ---- the heap: least key first, equal keys in the order of the edges ---- */

static int before(const kg_border *b, size_t e, size_t f) {
  return b->key[e] < b->key[f] || (e < f && b->key[e] == b->key[f]);
}

static void put(kg_border *b, size_t at, size_t e) {
  b->heap[at] = e;
  b->place[e] = at;
}

static void rise_in_heap(kg_border *b, size_t at) {
  size_t e = b->heap[at];
  while (at > 0 && before(b, e, b->heap[(at - 1) / 2])) {
    put(b, at, b->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  put(b, at, e);
}

static void sink_in_heap(kg_border *b, size_t at) {
  size_t e = b->heap[at], child;
  while ((child = 2 * at + 1) < b->n) {
    if (child + 1 < b->n && before(b, b->heap[child + 1], b->heap[child]))
      child++;
    if (!before(b, b->heap[child], e))
      break;
    put(b, at, b->heap[child]);
    at = child;
  }
  put(b, at, e);
}

static void drop(kg_border *b, size_t e) {
  size_t at = b->place[e];
  if (at == KG_NOBODY)
    return;
  size_t moved = b->heap[--b->n];
  b->place[e] = KG_NOBODY;
  if (moved == e)
    return;
  put(b, at, moved);
  rise_in_heap(b, at);
  sink_in_heap(b, b->place[moved]);
}

/* ---- clusters ---- */

static double rise_of(const kg_border *b, size_t e) {
  size_t x = b->end[2 * e], y = b->end[2 * e + 1];
  double s = b->s[x], t = b->s[y];
  if (!(s > 0 && t > 0))
    return 0;
  return (b->M[e] - b->T[x] * (t / s) - b->T[y] * (s / t)) / (s + t);
}

/* Clusters without weight join others first. */
static void set_key(kg_border *b, size_t e) {
  size_t x = b->end[2 * e], y = b->end[2 * e + 1];
  double amount = b->amount[x] + b->amount[y];
  b->key[e] = fmax(rise_of(b, e), 0);
  if (b->noise)
    b->key[e] *= b->noise[e % b->n_noise];
  if (!(b->s[x] > 0 && b->s[y] > 0))
    b->key[e] = -1;
  else if (amount > b->most)
    b->key[e] = KG_ABOVE * (amount / b->most);
}

static size_t list_members(const kg_border *b, size_t x, size_t *out) {
  size_t many = 0;
  for (size_t i = x; i != KG_NOBODY; i = b->member[i])
    out[many++] = i;
  return many;
}

static double between(kg_border *b, size_t x, size_t y) {
  size_t n_one = list_members(b, x, b->one), n_other = list_members(b, y, b->other);
  return n_one < n_other ? kg_units_between(b->u, b->one, n_one, b->other, n_other)
                         : kg_units_between(b->u, b->other, n_other, b->one, n_one);
}

static void add_half(kg_border *b, size_t h, size_t x) {
  b->end[h] = x;
  b->next[h] = KG_NOBODY;
  if (b->head[x] == KG_NOBODY)
    b->head[x] = h;
  else
    b->next[b->tail[x]] = h;
  b->tail[x] = h;
}

void kg_border_begin(kg_border *b, const kg_links *links, const size_t *inside, size_t many,
                     const double *amount) {
  kg_units *u = b->u;
  size_t *chosen = b->at, e = 0;
  memset(chosen, 0, u->m * sizeof(size_t));
  for (size_t a = 0; a < many; a++) {
    size_t i = inside ? inside[a] : a;
    chosen[i] = 1;
    b->s[i] = u->w[i];
    b->T[i] = u->w[i] * u->w[i] * u->inner[i];
    b->amount[i] = amount ? amount[i] : 0;
    b->last[i] = b->owner[i] = i;
    b->member[i] = b->head[i] = b->tail[i] = KG_NOBODY;
  }
  for (size_t a = 0; a < many; a++) {
    size_t i = inside ? inside[a] : a;
    for (size_t c = links->start[i]; c < links->start[i + 1]; c++) {
      size_t j = links->near[c];
      if (j <= i || !chosen[j])
        continue;
      KG_CHECK(e < b->edges);
      add_half(b, 2 * e, i);
      add_half(b, 2 * e + 1, j);
      b->M[e] = u->w[i] * u->w[j] * (kg_units_rho(u, i, j) + u->inner[i] + u->inner[j]);
      b->place[e++] = KG_NOBODY;
      kg_units_poll(u, 16 + u->each);
    }
  }
  b->alive = many;
  b->used = e;
  for (b->n = 0; b->n < e; b->n++) {
    set_key(b, b->n);
    put(b, b->n, b->n);
    rise_in_heap(b, b->n);
  }
}

/* The edges of x: those that are left, with the sums to `lost` where `lost` has no edge to the
 * same cluster. b->at[y]: the edge of `lost` to y. */
static void take_edges(kg_border *b, size_t x, size_t lost) {
  for (size_t h = b->head[lost]; h != KG_NOBODY; h = b->next[h])
    if (b->place[h / 2] != KG_NOBODY)
      b->at[b->end[h ^ 1]] = h;
  size_t h = b->head[x], after;
  b->head[x] = KG_NOBODY;
  for (; h != KG_NOBODY; h = after) {
    size_t y = b->end[h ^ 1], other;
    after = b->next[h];
    if (b->place[h / 2] == KG_NOBODY)
      continue;
    other = b->at[y];
    if (other != KG_NOBODY) {
      b->M[h / 2] += b->M[other / 2];
      drop(b, other / 2);
      b->at[y] = KG_NOBODY;
    } else {
      b->M[h / 2] += between(b, lost, y);
    }
    add_half(b, h, x);
  }
  for (h = b->head[lost]; h != KG_NOBODY; h = after) {
    size_t y = b->end[h ^ 1];
    after = b->next[h];
    if (b->place[h / 2] == KG_NOBODY)
      continue;
    b->at[y] = KG_NOBODY;
    b->M[h / 2] += between(b, x, y);
    add_half(b, h, x);
  }
}

/* Clusters x and y, which edge e links, become the lesser of the two. */
static void merge(kg_border *b, size_t e) {
  size_t x = b->end[2 * e], y = b->end[2 * e + 1];
  if (y < x) {
    size_t t = x;
    x = y;
    y = t;
  }
  double M = b->M[e];
  drop(b, e);
  take_edges(b, x, y);
  b->s[x] += b->s[y];
  b->T[x] += b->T[y] + M;
  b->amount[x] += b->amount[y];
  b->member[b->last[x]] = y;
  b->last[x] = b->last[y];
  b->s[y] = -1;
  b->owner[y] = x;
  b->alive--;
  for (size_t h = b->head[x]; h != KG_NOBODY; h = b->next[h]) {
    size_t at = b->place[h / 2];
    set_key(b, h / 2);
    rise_in_heap(b, at);
    sink_in_heap(b, b->place[h / 2]);
    kg_units_poll(b->u, 32);
  }
}

static void clear_places(kg_border *b) {
  for (size_t i = 0; i < b->u->m; i++)
    b->at[i] = KG_NOBODY;
}

static size_t owner_of(kg_border *b, size_t i) {
  while (b->owner[i] != i)
    i = b->owner[i] = b->owner[b->owner[i]];
  return i;
}

/* Must a unit of cluster x be apart from one of y? */
static int are_apart(kg_border *b, size_t x, size_t y) {
  for (size_t i = x; i != KG_NOBODY; i = b->member[i]) {
    size_t from = b->apart->start[i], to = b->apart->start[i + 1];
    kg_units_poll(b->u, 2 + 8 * (double)(to - from));
    for (size_t a = from; a < to; a++)
      if (owner_of(b, b->apart->near[a]) == y)
        return 1;
  }
  return 0;
}

/* Edges between clusters that must be apart come after all others. */
static void put_off(kg_border *b) {
  size_t e = b->heap[0];
  while (b->key[e] < KG_ABOVE && are_apart(b, b->end[2 * e], b->end[2 * e + 1])) {
    b->key[e] = KG_ABOVE;
    sink_in_heap(b, 0);
    e = b->heap[0];
  }
}

int kg_border_merge(kg_border *b, size_t *one, size_t *other, double *rise) {
  if (b->n == 0)
    return 0;
  if (b->at[0] != KG_NOBODY)
    clear_places(b);
  if (b->apart)
    put_off(b);
  size_t e = b->heap[0], x = b->end[2 * e], y = b->end[2 * e + 1];
  *one = x < y ? x : y;
  *other = x < y ? y : x;
  *rise = rise_of(b, e);
  merge(b, e);
  return 1;
}

void kg_border_within(kg_border *b, const int *group) {
  clear_places(b);
  for (size_t e = 0; e < b->used; e++)
    if (b->place[e] != KG_NOBODY && group[b->end[2 * e]] == group[b->end[2 * e + 1]])
      merge(b, e);
}

size_t kg_border_labels(kg_border *b, const size_t *inside, size_t many, int *label) {
  size_t clusters = 0;
  for (size_t a = 0; a < many; a++) {
    size_t x = inside ? inside[a] : a;
    if (b->s[x] < 0)
      continue;
    for (size_t i = x; i != KG_NOBODY; i = b->member[i])
      label[i] = (int)clusters;
    clusters++;
  }
  return clusters;
}
