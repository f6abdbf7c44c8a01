/* kg_connected.c - gaps between observations: cores and the spanning tree from rows of
 * any store. Branches of its gaps: kg_branches.c.
 *
 * core_x is the least r with weight of {y: d(x, y) <= r} at least mu; the height of a
 * pair is max(d, core_x, core_y), 0 where d = 0 (mutual reachability, Campello, Moulavi,
 * Sander 2013). Prim's algorithm on rows: O(n^2) time, O(n) memory, nothing kept of the
 * rows. */
#include "kg_connected.h"
#include "kg_loops.h"
#include "kg_pairs.h"
#include <math.h>
#include <string.h>

/* ---- order ---- */

int kg_link_less(const kg_link *one, const kg_link *other) {
  if (one->height != other->height)
    return one->height < other->height;
  if (one->length != other->length)
    return one->length < other->length;
  if (one->a != other->a)
    return one->a < other->a;
  return one->b < other->b;
}

int kg_before_link(const void *links, size_t i, size_t j) {
  const kg_link *link = (const kg_link *)links;
  return kg_link_less(link + i, link + j);
}

int kg_before_row(const void *table, size_t i, size_t j) {
  const kg_table *t = (const kg_table *)table;
  for (size_t c = 0; c < t->d; c++) {
    double one = t->x[i + c * t->n], other = t->x[j + c * t->n];
    if (one != other)
      return one < other;
  }
  return 0;
}

size_t kg_distinct_rows(const kg_table *table, size_t *order, size_t m, const double *w,
                        double *weight, kg_link *links, size_t *n_links) {
  size_t distinct = 0;
  *n_links = 0;
  for (size_t a = 0; a < m; a++) {
    size_t i = order[a];
    if (distinct > 0 && !kg_before_row(table, order[distinct - 1], i)) {
      kg_link zero = {0, 0, order[distinct - 1], i};
      links[(*n_links)++] = zero;
      weight[zero.a] += w[i];
    } else {
      order[distinct++] = i;
      weight[i] = w[i];
    }
  }
  return distinct;
}

void kg_merge_runs(const size_t *from, size_t *to, size_t n, size_t width,
                   kg_before before, const void *context) {
  for (size_t at = 0; at < n;) {
    size_t i = at, middle = n - at < width ? n : at + width, j = middle;
    size_t end = n - middle < width ? n : middle + width;
    for (; at < end; at++) {
      int second = i == middle || (j < end && before(context, from[j], from[i]));
      to[at] = from[second ? j++ : i++];
    }
  }
}

static void swap(double *v, size_t i, size_t j) {
  double kept = v[i];
  v[i] = v[j];
  v[j] = kept;
}

double kg_weighted_least(double *value, double *weight, size_t n, double wanted) {
  KG_CHECK(wanted > 0);
  size_t from = 0, to = n;
  double below = 0, largest = 0;
  unsigned long long random = 88172645463325252u;
  while (from < to) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    double pivot = value[from + (size_t)(random % (to - from))], less = 0, equal = 0;
    size_t first = from, last = to; /* [from, first) less, [last, to) greater */
    for (size_t i = from; i < last;) {
      if (value[i] < pivot) {
        less += weight[i];
        swap(value, first, i);
        swap(weight, first++, i++);
      } else if (value[i] > pivot) {
        swap(value, --last, i);
        swap(weight, last, i);
      } else {
        equal += weight[i++];
      }
    }
    if (less > 0 && below + less >= wanted) {
      to = first;
      continue;
    }
    if (equal > 0)
      largest = pivot;
    if (equal > 0 && below + less + equal >= wanted)
      return pivot;
    if (equal == 0 && less > 0) /* the largest of positive weight so far lies below */
      for (size_t i = from; i < first; i++)
        if (weight[i] > 0 && value[i] > largest)
          largest = value[i];
    below += less + equal;
    from = last;
  }
  return largest;
}

void kg_near_start(kg_near *near) {
  near->count = 0;
  near->core = HUGE_VAL;
}

void kg_near_add(kg_near *near, double value, double weight, double wanted) {
  double sum = 0;
  int at = near->count;
  if (weight == 0 || value >= near->core || at < 0)
    return;
  if (at == KG_KNOWN) {
    near->count = -1;
    near->core = -1; /* nothing is nearer */
    return;
  }
  for (; at > 0 && near->value[at - 1] > value; at--) {
    near->value[at] = near->value[at - 1];
    near->weight[at] = near->weight[at - 1];
  }
  near->value[at] = value;
  near->weight[at] = weight;
  near->count++;
  for (at = 0; at < near->count; at++) {
    sum += near->weight[at];
    if (sum < wanted)
      continue;
    near->core = near->value[at];
    near->count = at + 1;
  }
}

/* ---- cores and tree from rows ---- */

static size_t chunks(size_t n) {
  return (n + KG_LEAF - 1) / KG_LEAF;
}

void kg_prim_lay(kg_prim *r, size_t n, kg_room *room) {
  const size_t filled = chunks(n) * KG_LEAF;
  r->n = n;
  r->core = KG_TAKE(room, filled, double);
  r->key = KG_TAKE(room, filled, double);
  r->length = KG_TAKE(room, filled, double);
  r->row = KG_TAKE(room, filled, double);
  r->least = KG_TAKE(room, chunks(n), double);
  r->from = KG_TAKE(room, n, size_t);
}

void kg_prim_begin(kg_prim *r, const kg_pairs *pairs, const double *w, int squared) {
  const size_t n = r->n;
  KG_CHECK(n == pairs->n);
  r->pairs = pairs;
  r->w = w;
  r->squared = squared;
  r->joined = r->members = 0;
  r->last = n;
  for (size_t i = 0; i < n; i++) {
    r->key[i] = w[i] > 0 ? HUGE_VAL : -HUGE_VAL;
    r->members += w[i] > 0;
    if (w[i] > 0 && r->last == n)
      r->last = i;
    r->core[i] = 0;
    r->from[i] = 0;
    r->length[i] = HUGE_VAL;
  }
  for (size_t i = n; i < chunks(n) * KG_LEAF; i++) {
    r->core[i] = 0;
    r->key[i] = -HUGE_VAL;
    r->row[i] = HUGE_VAL;
  }
  for (size_t c = 0; c < chunks(n); c++)
    r->least[c] = HUGE_VAL;
}

/* d of point i and every other */
static void distances(const kg_prim *r, size_t i, double *out) {
  const double *B = kg_row(r->pairs, i, out);
  for (size_t j = 0; j < r->n; j++)
    out[j] = B[j] < 0 ? -2 * B[j] : 0;
  for (size_t j = 0; r->squared && j < r->n; j++)
    out[j] = sqrt(out[j]);
  for (size_t j = 0; j < r->n; j++)
    out[j] = kg_snap(out[j]);
}

/* 0 if the few nearest do not determine it. */
static int core_of_few(kg_prim *r, size_t i, double wanted) {
  kg_near near;
  kg_near_start(&near);
  for (size_t at = 0; at < r->n; at += KG_LEAF) {
    unsigned long long scan = kg_chosen_loops->below(r->row + at, near.core, KG_LEAF);
    scan &= kg_first_lanes(r->n - at);
    for (size_t j = at; scan; j++, scan >>= 1)
      if (scan & 1)
        kg_near_add(&near, r->row[j], r->w[j], wanted);
    if (near.count < 0)
      return 0;
  }
  r->core[i] = near.core;
  return near.core < HUGE_VAL;
}

void kg_prim_cores(kg_prim *r, double wanted, size_t from, size_t to, double *space) {
  KG_CHECK(wanted > 0 && to <= r->n);
  for (size_t i = from; i < to; i++) {
    if (r->w[i] == 0)
      continue;
    distances(r, i, r->row);
    if (core_of_few(r, i, wanted))
      continue;
    memcpy(space, r->row, r->n * sizeof(double));
    memcpy(space + r->n, r->w, r->n * sizeof(double));
    r->core[i] = kg_weighted_least(space, space + r->n, r->n, wanted);
  }
}

static double height_of(double length, double one, double other) {
  if (length == 0)
    return 0;
  double core = one > other ? one : other;
  return length > core ? length : core;
}

static kg_link link_of(double height, double length, size_t i, size_t j) {
  kg_link link = {height, length, i < j ? i : j, i < j ? j : i};
  return link;
}

static void least_of_chunk(kg_prim *r, size_t chunk) {
  size_t from = chunk * KG_LEAF, to = r->n - from < KG_LEAF ? r->n : from + KG_LEAF;
  double least = HUGE_VAL;
  for (size_t j = from; j < to; j++)
    if (r->key[j] >= 0 && r->key[j] < least)
      least = r->key[j];
  r->least[chunk] = least;
}

/* Edges from the point that came last, where they are lower. */
static void scan_from(kg_prim *r, size_t x) {
  const kg_loops *loops = kg_chosen_loops;
  distances(r, x, r->row);
  for (size_t at = 0; at < r->n; at += KG_LEAF) {
    unsigned long long scan =
        loops->within(r->row + at, r->core + at, r->core[x], r->key + at, KG_LEAF) |
        loops->below(r->row + at, 0, KG_LEAF);
    if (scan == 0)
      continue;
    for (size_t j = at; scan; j++, scan >>= 1) {
      if (!(scan & 1) || r->key[j] < 0)
        continue;
      double d = r->row[j], height = height_of(d, r->core[x], r->core[j]);
      int lower = height < r->key[j] ||
                  (height == r->key[j] &&
                   (d < r->length[j] || (d == r->length[j] && x < r->from[j])));
      if (!lower)
        continue;
      r->key[j] = height;
      r->length[j] = d;
      r->from[j] = x;
    }
    least_of_chunk(r, at / KG_LEAF);
  }
}

int kg_prim_grow(kg_prim *r, kg_link *links, size_t steps) {
  KG_CHECK(steps > 0);
  if (r->members == 0)
    return 1;
  if (r->joined == 0) {
    r->joined = 1;
    r->key[r->last] = -HUGE_VAL;
  }
  for (; steps > 0 && r->joined < r->members; steps--) {
    double least = HUGE_VAL;
    kg_link next = {HUGE_VAL, HUGE_VAL, 0, 0};
    size_t into = r->n;
    scan_from(r, r->last);
    for (size_t c = 0; c < chunks(r->n); c++)
      if (r->least[c] < least)
        least = r->least[c];
    for (size_t c = 0; c < chunks(r->n); c++) {
      if (r->least[c] > least)
        continue;
      for (size_t j = c * KG_LEAF; j < r->n && j < (c + 1) * KG_LEAF; j++) {
        if (r->key[j] != least)
          continue;
        kg_link link = link_of(least, r->length[j], j, r->from[j]);
        if (into < r->n && !kg_link_less(&link, &next))
          continue;
        next = link;
        into = j;
      }
    }
    links[r->joined++ - 1] = next;
    r->key[into] = -HUGE_VAL;
    r->last = into;
    least_of_chunk(r, into / KG_LEAF);
  }
  return r->joined == r->members;
}

size_t kg_prim_at(const kg_prim *r, size_t row, double length, size_t *out) {
  size_t many = 0;
  distances(r, row, r->row);
  for (size_t j = 0; j < r->n; j++)
    if (r->w[j] > 0 && r->row[j] == length)
      out[many++] = j;
  return many;
}
