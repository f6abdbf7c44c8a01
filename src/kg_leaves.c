/* kg_leaves.c - cores and the spanning tree of distinct points.
 *
 * Points lie in boxes of at most 64, halved at the median of the widest coordinate. A
 * core evaluates the boxes that its nearest so far do not rule out. Prim's algorithm puts
 * points into the tree one by one; a box that may not hold the next one, as the distances
 * of boxes state, waits, and takes in what came in the meantime when it is its turn, less
 * what is farther than all that it has. The tree is that of kg_prim_grow(), edge by edge.
 *
 * O(n^2 d) time at most; with few coordinates O(n^2 / 64). O(n d) memory. */
#include "kg_check.h"
#include "kg_connected.h"
#include "kg_loops.h"
#include "kg_threads.h"
#include <math.h>
#include <string.h>

KG_STATIC(a_leaf_fills_a_mask, (int)KG_LEAF == (int)KG_MASK);

/* ---- the boxes ---- */

static size_t filled(size_t n) {
  return (n + KG_LEAF - 1) / KG_LEAF * KG_LEAF;
}

void kg_leaves_lay(kg_leaves *l, size_t n, size_t d, kg_room *room) {
  const size_t places = filled(n), leaves = filled(places / KG_LEAF);
  l->n = n;
  l->d = d;
  l->n_leaves = places / KG_LEAF;
  l->stride = leaves;
  l->points.x = KG_TAKE2(room, places, d, double);
  l->points.weight = KG_TAKE(room, places, double);
  l->points.core = KG_TAKE(room, places, double);
  l->points.key = KG_TAKE(room, places, double);
  l->points.length = KG_TAKE(room, places, double);
  l->boxes.low = KG_TAKE2(room, leaves, d, double);
  l->boxes.high = KG_TAKE2(room, leaves, d, double);
  l->boxes.best = KG_TAKE(room, leaves, double);
  l->boxes.pending = KG_TAKE(room, leaves, double);
  l->boxes.nearest = KG_TAKE(room, leaves, double);
  l->boxes.most = KG_TAKE(room, leaves, double);
  l->tree.x = KG_TAKE(room, n * d + KG_LEAF, double);
  l->tree.core = KG_TAKE(room, n, double);
  l->tree.at = KG_TAKE(room, d, double);
  l->points.row = KG_TAKE(room, places, size_t);
  l->points.from = KG_TAKE(room, places, size_t);
  l->boxes.count = KG_TAKE(room, leaves, size_t);
  l->boxes.seen = KG_TAKE(room, leaves, size_t);
  l->boxes.choice = KG_TAKE(room, leaves, size_t);
  l->tree.row = KG_TAKE(room, n, size_t);
}

/* Unused places have weight 0, and finite coordinates; unused leaves have no points. */
void kg_leaves_begin(kg_leaves *l, const kg_table *table, size_t *order) {
  const size_t places = l->n_leaves * KG_LEAF;
  KG_CHECK(l->n <= table->n && l->d == table->d);
  memset(l->points.x, 0, places * l->d * sizeof(double));
  memset(l->points.weight, 0, places * sizeof(double));
  memset(l->boxes.low, 0, l->stride * l->d * sizeof(double));
  memset(l->boxes.high, 0, l->stride * l->d * sizeof(double));
  for (size_t a = l->n_leaves; a < l->stride; a++) {
    l->boxes.count[a] = 0;
    l->boxes.nearest[a] = 0;
    l->boxes.best[a] = l->boxes.pending[a] = HUGE_VAL;
  }
  l->table = *table;
  l->order = order;
  l->tree.joined = l->tree.last_leaf = 0;
  l->halving.part[0] = 0;
  l->halving.end[0] = l->n_leaves;
  l->halving.depth = 1;
}

/* Leaf a begins at this place of the order. */
static size_t start_of(const kg_leaves *l, size_t a) {
  return (size_t)((double)a / (double)l->n_leaves * (double)l->n + 0.5);
}

/* [from, to) of the order such that those before `middle` are no greater in coordinate c
 * than those from there on. */
static void halve(const kg_leaves *l, size_t c, size_t from, size_t to, size_t middle) {
  const double *x = l->table.x + c * l->table.n;
  unsigned long long random = 88172645463325252u;
  while (to - from > 1) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    double pivot = x[l->order[from + (size_t)(random % (to - from))]];
    size_t i = from, j = to - 1;
    for (;;) {
      while (x[l->order[i]] < pivot)
        i++;
      while (x[l->order[j]] > pivot)
        j--;
      if (i >= j)
        break;
      size_t kept = l->order[i];
      l->order[i++] = l->order[j];
      l->order[j--] = kept;
      if (i > j)
        break;
    }
    /* [from, j) no greater, [i, to) no less, between them the pivot */
    if (i == j)
      i++;
    else
      j++;
    if (middle < j)
      to = j;
    else if (middle >= i)
      from = i;
    else
      return;
  }
}

int kg_leaves_split(kg_leaves *l) {
  while (l->halving.depth > 0 &&
         l->halving.end[l->halving.depth - 1] - l->halving.part[l->halving.depth - 1] < 2)
    l->halving.depth--;
  if (l->halving.depth == 0)
    return 1;
  size_t *a = l->halving.part + l->halving.depth - 1,
         *b = l->halving.end + l->halving.depth - 1, middle = (*a + *b) / 2;
  size_t from = start_of(l, *a), to = start_of(l, *b), widest = 0;
  double width = -1;
  for (size_t c = 0; c < l->d; c++) {
    const double *x = l->table.x + c * l->table.n;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = from; i < to; i++) {
      double at = x[l->order[i]];
      if (at < low)
        low = at;
      if (at > high)
        high = at;
    }
    if (high - low > width) {
      width = high - low;
      widest = c;
    }
  }
  halve(l, widest, from, to, start_of(l, middle));
  a[1] = middle;
  b[1] = *b;
  *b = middle;
  l->halving.depth++;
  return 0;
}

void kg_leaves_fill(kg_leaves *l, const double *weight, size_t from, size_t to) {
  size_t d = l->d;
  for (size_t a = from; a < to; a++) {
    size_t first = start_of(l, a), count = start_of(l, a + 1) - first;
    double *x = l->points.x + a * d * KG_LEAF;
    l->boxes.count[a] = count;
    l->boxes.seen[a] = l->boxes.choice[a] = 0;
    l->boxes.best[a] = l->boxes.most[a] = l->boxes.pending[a] = HUGE_VAL;
    for (size_t j = 0; j < KG_LEAF; j++) {
      size_t place = a * KG_LEAF + j;
      l->points.key[place] = j < count ? HUGE_VAL : -HUGE_VAL;
      l->points.length[place] = HUGE_VAL;
      l->points.core[place] = HUGE_VAL;
      l->points.from[place] = l->points.row[place] = 0;
      if (j >= count)
        continue;
      l->points.row[place] = l->order[first + j];
      l->points.weight[place] = weight[l->points.row[place]];
      for (size_t c = 0; c < d; c++)
        x[c * KG_LEAF + j] = l->table.x[l->points.row[place] + c * l->table.n];
    }
    for (size_t c = 0; c < d; c++) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (size_t j = 0; j < count; j++) {
        double at = x[c * KG_LEAF + j];
        if (at < low)
          low = at;
        if (at > high)
          high = at;
      }
      l->boxes.low[c * l->stride + a] = low;
      l->boxes.high[c * l->stride + a] = high;
    }
  }
}

/* Lanes are evaluated in full vectors, whatever lies in the last ones. */
static size_t lanes(size_t count) {
  return (count + 31) / 32 * 32;
}

/* ---- cores ---- */

size_t kg_leaves_workspace(const kg_leaves *l) {
  const size_t places = l->n_leaves * KG_LEAF, block = 4 * KG_LEAF + 4 * l->d;
  return KG_LEAF * sizeof(kg_near) + (block + 2 * places) * sizeof(double);
}

static double between_boxes(const kg_leaves *l, size_t a, size_t b) {
  double sum = 0;
  for (size_t c = 0; c < l->d; c++) {
    const double *low = l->boxes.low + c * l->stride,
                 *high = l->boxes.high + c * l->stride;
    double under = low[a] - high[b], over = low[b] - high[a];
    double t = under > over ? under : over;
    if (t > 0)
      sum += t * t;
  }
  return sum * KG_NEARLY_ONE;
}

static double farthest_core(const kg_near *near, size_t count) {
  double most = 0;
  for (size_t j = 0; j < count; j++)
    if (near[j].core > most)
      most = near[j].core;
  return most;
}

/* Bounds by box b of the cores of the points of box a. Returns the largest known. */
static double meet_box(const kg_leaves *l, size_t a, size_t b, double wanted, double most,
                       kg_near *near, double *value, double *y) {
  const kg_loops *loops = kg_chosen_loops;
  size_t d = l->d, width = l->boxes.count[b];
  const double *x = l->points.x + a * d * KG_LEAF, *other = l->points.x + b * d * KG_LEAF;
  unsigned long long close =
      loops->near_box(x, KG_LEAF, d, l->boxes.low + b, l->boxes.high + b, l->stride, most,
                      l->boxes.count[a]);
  int news = 0;
  for (size_t i = 0; i < l->boxes.count[a]; i += 4) {
    if ((close >> i & 15) == 0)
      continue;
    for (size_t c = 0; c < d; c++)
      memcpy(y + 4 * c, x + c * KG_LEAF + i, 4 * sizeof(double));
    loops->squares4(other, KG_LEAF, d, y, lanes(width), value, KG_LEAF, 0);
    for (size_t r = 0; r < 4 && i + r < l->boxes.count[a]; r++) {
      kg_near *mine = near + i + r;
      const double *v = value + r * KG_LEAF;
      unsigned long long scan =
          loops->below(v, mine->core, width) & kg_first_lanes(width);
      news |= scan != 0;
      for (size_t j = 0; scan; j++, scan >>= 1)
        if (scan & 1)
          kg_near_add(mine, v[j], l->points.weight[b * KG_LEAF + j], wanted);
    }
  }
  return news ? farthest_core(near, l->boxes.count[a]) : most;
}

/* The core of a place by the distances to all places, when the nearest are not enough. */
static double far_core(const kg_leaves *l, size_t place, double wanted, double *space) {
  const size_t d = l->d, places = l->n_leaves * KG_LEAF;
  const double *y = l->points.x + place / KG_LEAF * d * KG_LEAF + place % KG_LEAF;
  for (size_t a = 0; a < l->n_leaves; a++)
    kg_chosen_loops->sums1(KG_SUM_SQUARES, 0, l->points.x + a * d * KG_LEAF, KG_LEAF, d, y,
                           KG_LEAF, KG_LEAF, space + a * KG_LEAF);
  memcpy(space + places, l->points.weight,
         places * sizeof(double)); /* 0 where there is none */
  return kg_weighted_least(space, space + places, places, wanted);
}

static void cores_of(kg_leaves *l, size_t a, double wanted, char *workspace) {
  kg_near *near = (kg_near *)(void *)workspace;
  double *value = (double *)(void *)(workspace + KG_LEAF * sizeof(kg_near));
  double *y = value + 4 * KG_LEAF, most = HUGE_VAL;
  for (size_t j = 0; j < KG_LEAF; j++)
    kg_near_start(near + j);
  /* its own box, those beside it, then the rest */
  most = meet_box(l, a, a, wanted, most, near, value, y);
  if (a > 0)
    most = meet_box(l, a, a - 1, wanted, most, near, value, y);
  if (a + 1 < l->n_leaves)
    most = meet_box(l, a, a + 1, wanted, most, near, value, y);
  for (size_t b = 0; b < l->n_leaves; b++)
    if ((b + 1 < a || b > a + 1) && between_boxes(l, a, b) <= most)
      most = meet_box(l, a, b, wanted, most, near, value, y);
  for (size_t j = 0; j < l->boxes.count[a]; j++) {
    const size_t place = a * KG_LEAF + j;
    int known = near[j].count >= 0 && near[j].core < HUGE_VAL;
    l->points.core[place] =
        kg_snap_square(known ? near[j].core : far_core(l, place, wanted, y + 4 * l->d));
  }
}

void kg_leaves_cores(kg_leaves *l, double wanted, size_t from, size_t to, int threads,
                     void *workspace) {
  size_t size = kg_leaves_workspace(l);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 4)
#endif
  for (size_t a = from; a < to; a++)
    cores_of(l, a, wanted, (char *)workspace + size * (size_t)kg_thread_number());
  (void)threads;
}

/* ---- the tree ---- */

static kg_link link_of(const kg_leaves *l, size_t place) {
  size_t i = l->points.row[place], j = l->points.from[place];
  kg_link link = {l->points.key[place], l->points.length[place], i < j ? i : j,
                  i < j ? j : i};
  return link;
}

/* Values that a box keeps of its points outside the tree: the lowest edge, the highest,
 * the least core. */
static void scan_over(kg_leaves *l, size_t a) {
  size_t first = a * KG_LEAF;
  double most = -HUGE_VAL, nearest = HUGE_VAL;
  kg_link best = {HUGE_VAL, HUGE_VAL, 0, 0};
  l->boxes.best[a] = HUGE_VAL;
  l->boxes.choice[a] = 0; /* where all keys are infinite */
  for (size_t j = 0; j < l->boxes.count[a]; j++) {
    double key = l->points.key[first + j];
    if (key > most)
      most = key;
    if (l->points.core[first + j] < nearest)
      nearest = l->points.core[first + j];
    if (key > best.height || key == HUGE_VAL)
      continue;
    kg_link link = link_of(l, first + j);
    if (!kg_link_less(&link, &best))
      continue;
    best = link;
    l->boxes.best[a] = key;
    l->boxes.choice[a] = j;
  }
  l->boxes.most[a] = most;
  l->boxes.nearest[a] = nearest;
}

/* Edges from point t of the tree to the points of box a, where they are lower. */
static int scan_from(kg_leaves *l, size_t a, size_t t) {
  const kg_loops *loops = kg_chosen_loops;
  double value[KG_LEAF], own = l->tree.core[t];
  size_t first = a * KG_LEAF, row = l->tree.row[t];
  double *key = l->points.key + first, *length = l->points.length + first,
         *core = l->points.core + first;
  int lower = 0;
  loops->sums1(KG_SUM_SQUARES, 0, l->points.x + first * l->d, KG_LEAF, l->d, l->tree.x + t,
               l->n, lanes(l->boxes.count[a]), value);
  unsigned long long scan = loops->within(value, core, own, key, l->boxes.count[a]);
  for (size_t j = 0; scan; j++, scan >>= 1) {
    if (!(scan & 1))
      continue;
    double height = own > core[j] ? own : core[j], d2 = kg_snap_square(value[j]);
    if (d2 > height)
      height = d2;
    if (height > key[j] ||
        (height == key[j] &&
         (d2 > length[j] || (d2 == length[j] && row > l->points.from[first + j]))))
      continue;
    key[j] = height;
    length[j] = d2;
    l->points.from[first + j] = row;
    lower = 1;
  }
  return lower;
}

/* Box a takes in what came since it was last evaluated, the latest first. Returns how
 * much was done. */
static size_t catch_up(kg_leaves *l, size_t a) {
  size_t to = l->tree.joined, work = 1;
  l->boxes.pending[a] = HUGE_VAL;
  while (to > l->boxes.seen[a]) {
    size_t from = to - l->boxes.seen[a] < KG_LEAF ? l->boxes.seen[a] : to - KG_LEAF;
    int lower = 0;
    if (l->boxes.most[a] == HUGE_VAL)
      from = to - 1; /* one alone rules out many of the rest */
    unsigned long long close =
        kg_chosen_loops->near_box(l->tree.x + from, l->n, l->d, l->boxes.low + a,
                                  l->boxes.high + a, l->stride, l->boxes.most[a],
                                  to - from) &
        kg_first_lanes(to - from);
    for (size_t t = from; close; t++, close >>= 1) {
      if (!(close & 1) || l->tree.core[t] > l->boxes.most[a])
        continue;
      lower |= scan_from(l, a, t);
      work++;
    }
    if (lower)
      scan_over(l, a);
    to = from;
    work++;
  }
  l->boxes.seen[a] = l->tree.joined;
  return work;
}

static void enter(kg_leaves *l, size_t a, size_t j) {
  size_t place = a * KG_LEAF + j, last = --l->boxes.count[a], end = a * KG_LEAF + last;
  size_t t = l->tree.joined++;
  double *x = l->points.x + a * l->d * KG_LEAF;
  for (size_t c = 0; c < l->d; c++) {
    l->tree.x[c * l->n + t] = l->tree.at[c] = x[c * KG_LEAF + j];
    x[c * KG_LEAF + j] = x[c * KG_LEAF + last];
  }
  l->tree.core[t] = l->points.core[place];
  l->tree.row[t] = l->points.row[place];
  l->points.core[place] = l->points.core[end];
  l->points.key[place] = l->points.key[end];
  l->points.length[place] = l->points.length[end];
  l->points.row[place] = l->points.row[end];
  l->points.from[place] = l->points.from[end];
  l->points.key[end] = -HUGE_VAL;
  l->tree.last_leaf = a;
  scan_over(l, a);
  if (last == 0)
    l->boxes.pending[a] = HUGE_VAL;
}

/* Catches up where the next point may be, and finds it: the leaf. */
static size_t next_leaf(kg_leaves *l, size_t *work) {
  const kg_loops *loops = kg_chosen_loops;
  size_t n = l->n_leaves, home = l->tree.last_leaf, out = n, n_chunks = l->stride / 64;
  double least = loops->boxes(l->boxes.low, l->boxes.high, l->stride, l->d, l->tree.at,
                              l->tree.core[l->tree.joined - 1], l->boxes.nearest,
                              l->boxes.best, l->boxes.pending);
  *work += n_chunks;
  if (l->boxes.count[home] > 0 && l->boxes.pending[home] <= least) {
    *work += catch_up(l, home);
    if (l->boxes.best[home] < least)
      least = l->boxes.best[home];
  }
  for (size_t b = 0; b < n_chunks; b++) { /* from its neighbours on */
    size_t chunk = (home / 64 + b) % n_chunks, first = chunk * 64;
    unsigned long long scan = loops->below(l->boxes.pending + first, least, KG_LEAF);
    for (size_t a = first; scan; a++, scan >>= 1) {
      if (!(scan & 1) || l->boxes.count[a] == 0 || l->boxes.pending[a] > least)
        continue;
      *work += catch_up(l, a);
      if (l->boxes.best[a] < least)
        least = l->boxes.best[a];
    }
  }
  kg_link next = {HUGE_VAL, HUGE_VAL, 0, 0};
  for (size_t first = 0; first < n; first += 64) {
    unsigned long long scan = loops->below(l->boxes.best + first, least, KG_LEAF);
    for (size_t a = first; scan; a++, scan >>= 1) {
      if (!(scan & 1) || l->boxes.count[a] == 0)
        continue;
      kg_link link = link_of(l, a * KG_LEAF + l->boxes.choice[a]);
      if (out < n && !kg_link_less(&link, &next))
        continue;
      next = link;
      out = a;
    }
  }
  return out;
}

int kg_leaves_grow(kg_leaves *l, kg_link *links, size_t steps) {
  size_t work = 0;
  KG_CHECK(steps > 0);
  if (l->n == 0)
    return 1;
  if (l->tree.joined == 0) {
    for (size_t a = 0; a < l->n_leaves; a++)
      scan_over(l, a);
    enter(l, 0, 0);
  }
  while (l->tree.joined < l->n && work < steps) {
    size_t a = next_leaf(l, &work), j = l->boxes.choice[a];
    kg_link link = link_of(l, a * KG_LEAF + j);
    link.height = sqrt(link.height);
    link.length = sqrt(link.length);
    links[l->tree.joined - 1] = link;
    enter(l, a, j);
  }
  return l->tree.joined == l->n;
}

/* ---- who lies at a distance ---- */

size_t kg_leaves_at(const kg_leaves *l, size_t row, double length, size_t *out) {
  const double *y = l->table.x + row, room = 1e-9;
  double inner = length * length * (1 - room), outer = length * length * (1 + room);
  double value[KG_LEAF];
  size_t many = 0;
  for (size_t a = 0; a < l->n_leaves; a++) {
    double nearest = 0, farthest = 0;
    for (size_t c = 0; c < l->d; c++) {
      double under = l->boxes.low[c * l->stride + a] - y[c * l->table.n];
      double over = y[c * l->table.n] - l->boxes.high[c * l->stride + a];
      double beyond = under > over ? under : over, far = under < over ? -under : -over;
      nearest += beyond > 0 ? beyond * beyond : 0;
      farthest += far * far;
    }
    if (nearest > outer || farthest < inner)
      continue;
    kg_chosen_loops->sums1(KG_SUM_SQUARES, 0, l->points.x + a * l->d * KG_LEAF, KG_LEAF,
                           l->d, y, l->table.n, lanes(l->boxes.count[a]), value);
    for (size_t j = 0; j < l->boxes.count[a]; j++)
      if (value[j] >= inner && value[j] <= outer && kg_snap(sqrt(value[j])) == length)
        out[many++] = l->points.row[a * KG_LEAF + j];
  }
  return many;
}
