/* kg_inertia.c - how many eigenvalues of a sparse symmetric matrix lie below a number.
 *
 * H - shift I = L D L' has as many negative eigenvalues as D negative entries
 * (Sylvester's law of inertia). Vertices are eliminated in the order of least approximate
 * degree (Amestoy, Davis and Duff 1996): those still there are joined by what is left of
 * the graph's edges, and by elements, the dense fronts that eliminated vertices have left
 * behind (Duff and Reid 1983). A front takes up the elements that met in its vertex, so
 * an entry is found by its place in a list, never searched.
 *
 * Work is counted in entries of fronts, and there is a budget of it: on graphs without
 * small separators the fronts fill up, and whoever calls must go another way. The part that is
 * left when the fronts are as large as the rest is one dense matrix.
 *
 * No vertex is eliminated on a pivot that is small beside its column, which bounds the
 * growth of rounding; it waits for the dense rest. So do vertices with very many
 * neighbours (hubs): their lists would be read over and over.
 */
#include "kg_inertia.h"
#include <math.h>
#include <string.h>

#define SMALL 0.01 /* a pivot is small below this share of its column's largest entry */

enum { ACTIVE, HUB, LATE, GONE }; /* what a vertex is */

static size_t triangle(size_t n) {
  return n * (n + 1) / 2;
}

size_t kg_inertia_integers(size_t n, size_t entries) {
  return 15 * n + 2 * entries + 2;
}

size_t kg_inertia_doubles(size_t n, size_t entries, int weighted) {
  return 2 * n + (weighted ? entries : 0);
}

static void bucket_add(kg_inertia *g, int i, int degree) {
  g->degree[i] = degree;
  g->before[i] = -1;
  g->after[i] = g->head[degree];
  if (g->after[i] >= 0)
    g->before[g->after[i]] = i;
  g->head[degree] = i;
  if (degree < g->least)
    g->least = degree;
}

static void bucket_drop(kg_inertia *g, int i) {
  if (g->before[i] >= 0)
    g->after[g->before[i]] = g->after[i];
  else
    g->head[g->degree[i]] = g->after[i];
  if (g->after[i] >= 0)
    g->before[g->after[i]] = g->before[i];
}

/* The workspace is laid out in what the caller gives: kg_inertia_integers() ints,
 * kg_inertia_doubles() doubles, n positions, and room for `most_values` entries of
 * fronts. */
void kg_inertia_begin(kg_inertia *g, double shift, int *integers, double *doubles,
                      size_t *positions, double *values, size_t most_values) {
  const size_t n = g->n, entries = (size_t)g->start[n];
  int **const part[] = {&g->degree, &g->head,     &g->before, &g->after, &g->kind,
                        &g->near,   &g->elements, &g->place,  &g->mark,  &g->list,
                        &g->length, &g->outside,  &g->order};
  for (size_t a = 0; a < sizeof part / sizeof *part; a++) {
    *part[a] = integers;
    integers += n;
  }
  g->row = integers;
  integers += entries;
  g->members = integers;
  g->most_members = 2 * n + entries;
  g->pivot = doubles;
  g->column = doubles + n;
  g->weight = NULL;
  if (g->value) {
    g->weight = doubles + 2 * n;
    memcpy(g->weight, g->value, entries * sizeof(double));
  }
  memcpy(g->row, g->given_row, entries * sizeof(int));
  g->from = positions;
  g->values = values;
  g->most_values = most_values;
  g->used_members = g->used_values = g->n_order = 0;
  g->left = n;
  g->negative = 0;
  g->stamp = 0;
  g->work = 0;
  g->least = 0;
  g->state = KG_INERTIA_GOING;
  const double many = fmax(50., 10. * sqrt((double)n));
  for (size_t i = 0; i < n; i++) {
    g->head[i] = -1;
    g->length[i] = -1;
    g->mark[i] = 0;
    g->place[i] = 0;
    g->outside[i] = 0;
    g->elements[i] = 0;
    g->near[i] = g->start[i + 1] - g->start[i];
    g->pivot[i] = g->diagonal[i] - shift;
    g->kind[i] = g->near[i] > many ? HUB : ACTIVE;
  }
  for (size_t i = n; i-- > 0;) {
    if (g->kind[i] == ACTIVE)
      bucket_add(g, (int)i, g->near[i]);
  }
  g->least = 0;
}

/* Elements that were taken up leave gaps: moves the others together. */
static void gather(kg_inertia *g) {
  size_t members = 0, values = 0, kept = 0;
  for (size_t a = 0; a < g->n_order; a++) {
    const int e = g->order[a];
    if (g->length[e] < 0)
      continue;
    const size_t length = (size_t)g->length[e];
    memmove(g->members + members, g->members + g->list[e], length * sizeof(int));
    memmove(g->values + values, g->values + g->from[e],
            triangle(length) * sizeof(double));
    g->list[e] = (int)members;
    g->from[e] = values;
    members += length;
    values += triangle(length);
    g->order[kept++] = e;
  }
  g->n_order = kept;
  g->used_members = members;
  g->used_values = values;
}

/* Adds the entries of element e, but for those of the vertex `skip`, to the front. */
static void take_up(kg_inertia *g, int e, int skip, double *front) {
  const int *member = g->members + g->list[e];
  const double *from = g->values + g->from[e];
  const int length = g->length[e];
  for (int a = 0; a < length; from += ++a) {
    if (member[a] == skip)
      continue;
    const size_t x = (size_t)g->place[member[a]];
    for (int b = 0; b <= a; b++) {
      if (member[b] == skip)
        continue;
      const size_t y = (size_t)g->place[member[b]];
      front[x >= y ? triangle(x) + y : triangle(y) + x] += from[b];
    }
  }
  g->length[e] = -1;
  g->work += (double)triangle((size_t)length);
}

/* The entries of the column of v outside the diagonal, and its pivot. */
static double column_of(kg_inertia *g, int v, const int *member, size_t d) {
  double pivot = g->pivot[v];
  for (size_t a = 0; a < d; a++) {
    g->place[member[a]] = (int)a;
    g->column[a] = 0;
  }
  const int first = g->start[v], end = g->start[v + 1];
  for (int e = first; e < first + g->near[v]; e++)
    g->column[g->place[g->row[e]]] -= g->weight ? g->weight[e] : g->every;
  for (int at = end - g->elements[v]; at < end; at++) {
    const int e = g->row[at];
    const int *list = g->members + g->list[e];
    const double *from = g->values + g->from[e];
    int t = 0;
    while (list[t] != v)
      t++;
    for (int b = 0; b < g->length[e]; b++) {
      if (b == t)
        pivot += from[triangle((size_t)t) + (size_t)t];
      else
        g->column[g->place[list[b]]] += from[b < t ? triangle((size_t)t) + (size_t)b
                                                   : triangle((size_t)b) + (size_t)t];
    }
    g->work += g->length[e];
  }
  return pivot;
}

/* The vertices that v is joined to, into g->members from used_members on. */
static size_t neighbours_of(kg_inertia *g, int v) {
  int *member = g->members + g->used_members;
  const int stamp = ++g->stamp, first = g->start[v], end = g->start[v + 1];
  size_t d = 0;
  g->mark[v] = stamp;
  for (int e = first; e < first + g->near[v]; e++) {
    g->mark[g->row[e]] = stamp;
    member[d++] = g->row[e];
  }
  for (int at = end - g->elements[v]; at < end; at++) {
    const int *list = g->members + g->list[g->row[at]];
    for (int b = 0; b < g->length[g->row[at]]; b++) {
      if (g->mark[list[b]] != stamp) {
        g->mark[list[b]] = stamp;
        member[d++] = list[b];
      }
    }
  }
  return d;
}

/* Edges of i to other members of the front of v go into the front and out of the list. */
static void edges_into(kg_inertia *g, int i, int v, double *front) {
  const int first = g->start[i];
  const size_t x = (size_t)g->place[i];
  int kept = 0;
  for (int e = first; e < first + g->near[i]; e++) {
    const int j = g->row[e];
    if (j == v)
      continue;
    if (g->mark[j] != g->stamp) {
      if (g->weight)
        g->weight[first + kept] = g->weight[e];
      g->row[first + kept++] = j;
    } else if (g->kind[j] == HUB || i < j) {
      const size_t y = (size_t)g->place[j];
      front[x >= y ? triangle(x) + y : triangle(y) + x] -=
          g->weight ? g->weight[e] : g->every;
    }
  }
  g->work += g->near[i];
  g->near[i] = kept;
}

/* Room for a front of d members; 0 if there is none. */
static int has_room(kg_inertia *g, size_t d) {
  if (g->used_members + d <= g->most_members &&
      g->used_values + triangle(d) <= g->most_values)
    return 1;
  gather(g);
  return g->used_members + d <= g->most_members &&
         g->used_values + triangle(d) <= g->most_values;
}

static void eliminate(kg_inertia *g, int v) {
  /* no front has more members than its lists have entries or than there are vertices */
  if (!has_room(g, g->left < (size_t)g->degree[v] + 1 ? g->left
                                                      : (size_t)g->degree[v] + 1)) {
    g->state = KG_INERTIA_OUT;
    return;
  }
  const size_t d = neighbours_of(g, v);
  int *member = g->members + g->used_members;
  const double pivot = column_of(g, v, member, d);
  double largest = 0;
  for (size_t a = 0; a < d; a++)
    largest = fmax(largest, fabs(g->column[a]));
  bucket_drop(g, v);
  if (!(fabs(pivot) > SMALL * largest && fabs(pivot) > g->tiny)) {
    g->kind[v] = LATE;
    g->work += (double)d;
    return;
  }
  g->kind[v] = GONE;
  g->left--;
  g->negative += pivot < 0;

  double *front = g->values + g->used_values;
  const size_t size = triangle(d);
  for (size_t a = 0; a < size; a++)
    front[a] = 0;
  const int end_v = g->start[v + 1];
  for (int at = end_v - g->elements[v]; at < end_v; at++)
    take_up(g, g->row[at], v, front);
  double *line = front;
  for (size_t a = 0; a < d; line += ++a) {
    const double share = g->column[a] / pivot;
    for (size_t b = 0; b <= a; b++)
      line[b] -= share * g->column[b];
  }
  g->work += (double)size;
  if (d == 0)
    return;
  g->list[v] = (int)g->used_members;
  g->from[v] = g->used_values;
  g->length[v] = (int)d;
  g->place[v] = 0;
  g->order[g->n_order++] = v;
  g->used_members += d;
  g->used_values += size;

  /* outside[e]: how many members of e are not in this front; place[e] of an element,
   * whose vertex is gone, determines when it was counted */
  for (size_t a = 0; a < d; a++) {
    const int i = member[a], end = g->start[i + 1];
    if (g->kind[i] == HUB)
      continue;
    for (int at = end - g->elements[i]; at < end; at++) {
      const int e = g->row[at];
      if (g->length[e] < 0)
        continue;
      if (g->place[e] != g->stamp) {
        g->place[e] = g->stamp;
        g->outside[e] = g->length[e];
      }
      g->outside[e]--;
    }
    g->work += g->elements[i];
  }
  for (size_t a = 0; a < d; a++) {
    const int i = member[a], end = g->start[i + 1];
    if (g->kind[i] == HUB)
      continue;
    edges_into(g, i, v, front);
    int kept = 0;
    double degree = (double)g->near[i] + (double)(d - 1);
    for (int at = end; at-- > end - g->elements[i];) {
      const int e = g->row[at];
      if (g->length[e] < 0)
        continue;
      if (g->outside[e] == 0) { /* all of it is in this front */
        take_up(g, e, -1, front);
        continue;
      }
      degree += g->outside[e];
      g->row[end - ++kept] = e;
    }
    g->row[end - ++kept] = v;
    g->elements[i] = kept;
    if (g->kind[i] == ACTIVE) {
      bucket_drop(g, i);
      bucket_add(g, i, (int)fmin(degree, (double)(g->left - 1)));
    }
  }
}

/* Goes on for about `work` entries; 0 once `state` states how it ended. */
int kg_inertia_step(kg_inertia *g, double work) {
  const double end = g->work + work;
  while (g->state == KG_INERTIA_GOING && g->work < end) {
    while ((size_t)g->least < g->n && g->head[g->least] < 0)
      g->least++;
    const int over = (size_t)g->least >= g->n;
    const int dense =
        over || (g->left <= g->most_dense && 3 * (size_t)g->least >= g->left);
    if (dense || g->work > g->budget) {
      g->state = g->left <= g->most_dense ? KG_INERTIA_DENSE : KG_INERTIA_OUT;
    } else {
      eliminate(g, g->head[g->least]);
      g->work += 10;
    }
  }
  return g->state == KG_INERTIA_GOING;
}

/* The part that is left, as a dense matrix of g->left rows: its lower triangle. */
void kg_inertia_rest(kg_inertia *g, double *rest) {
  const size_t m = g->left;
  size_t next = 0;
  for (size_t a = 0; a < m * m; a++)
    rest[a] = 0;
  for (size_t i = 0; i < g->n; i++) {
    if (g->kind[i] != GONE)
      g->place[i] = (int)next++;
  }
#define AT(x, y) rest[(x) >= (y) ? (x) + (y)*m : (y) + (x)*m]
  for (size_t i = 0; i < g->n; i++) {
    if (g->kind[i] == GONE)
      continue;
    const size_t x = (size_t)g->place[i];
    rest[x + x * m] += g->pivot[i];
    for (int e = g->start[i]; e < g->start[i] + g->near[i]; e++) {
      const int j = g->row[e];
      /* a hub's list is as it was: what joins it to others stands in theirs */
      if (g->kind[j] == GONE || (g->kind[i] == HUB && g->kind[j] != HUB))
        continue;
      if (g->kind[i] != HUB && g->kind[j] != HUB && (size_t)j < i)
        continue;
      if (g->kind[i] == HUB && (size_t)j < i)
        continue;
      const size_t y = (size_t)g->place[j];
      AT(x, y) -= g->weight ? g->weight[e] : g->every;
    }
  }
  for (size_t a = 0; a < g->n_order; a++) {
    const int e = g->order[a];
    if (g->length[e] < 0)
      continue;
    const int *member = g->members + g->list[e];
    const double *from = g->values + g->from[e];
    for (int b = 0; b < g->length[e]; from += ++b) {
      for (int c = 0; c <= b; c++) {
        const size_t x = (size_t)g->place[member[b]], y = (size_t)g->place[member[c]];
        AT(x, y) += from[c];
      }
    }
  }
#undef AT
}
