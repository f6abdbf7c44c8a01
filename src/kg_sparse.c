/* kg_sparse.c - the engine of sparse symmetric matrices.
 *
 * The objective is Q = sum_l V_l / s_l, Eq. (41), and W = sum_i w_i B_ii - Q.
 * Only R_il of clusters that hold a neighbour of i differ from 0, so a point costs its
 * entries and the clusters they touch. A cluster without an entry still competes, with
 * d2_il = B_ii + V_l / s_l^2; a bound over all clusters determines when none of these can
 * be the best, and only else are all k evaluated. Memory: O(n + k) beside the matrix. */
#include "kg_sparse.h"
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_rule.h"
#include <math.h>
#include <string.h>

void kg_sparse_lay(kg_sparse_state *c, const kg_input *input, size_t k, int *label,
                   kg_room *room) {
  KG_CHECK(((const kg_sparse *)input->values)->n == input->n);
  KG_CHECK(((const kg_sparse *)input->values)->start[0] == 0);
  memset(c, 0, sizeof *c);
  kg_engine_lay(&c->e, input, k, label, room);
  c->b = (const kg_sparse *)input->values;
  c->diagonal = KG_TAKE(room, input->n, double);
  c->D = KG_TAKE(room, k, double);
  c->reach = KG_TAKE(room, k, double);
  c->peak = KG_TAKE(room, k, double);
  c->mark = KG_TAKE(room, k, size_t);
  c->touched = KG_TAKE(room, k, int);
  if (!room->base)
    return;
  memset(c->mark, 0, k * sizeof(size_t));
  memcpy(c->diagonal, c->b->diagonal, input->n * sizeof(double));
}

/* The points after `from` that make up the work. */
static size_t piece_end(const kg_sparse_state *c, size_t from, double each, double work) {
  size_t to = from;
  while (to < c->e.n && work > 0) {
    work -= (double)(c->b->start[to + 1] - c->b->start[to]) + each;
    to++;
  }
  return to;
}

static double d2_of(const kg_sparse_state *c, size_t i, size_t l, double reach) {
  double s = c->e.s[l];
  return c->diagonal[i] - 2 * reach / s + c->e.V[l] / s / s;
}

/* R_il */
static double reach_into(const kg_sparse_state *c, size_t i, size_t l) {
  const kg_sparse *b = c->b;
  double reach = (size_t)c->e.label[i] == l ? c->e.w[i] * c->diagonal[i] : 0;
  for (int e = b->start[i]; e < b->start[i + 1]; e++)
    if ((size_t)c->e.label[b->row[e]] == l)
      reach += c->e.w[b->row[e]] * b->value[e];
  return reach;
}

static void bounds_admit(kg_sparse_state *c, size_t l) {
  double s = c->e.s[l];
  if (!(s > 0))
    return;
  double norm = c->e.V[l] / s / s;
  if (norm < c->norm_min)
    c->norm_min = norm;
  if (s < c->size_min)
    c->size_min = s;
  if (s > c->size_max)
    c->size_max = s;
}

/* Tightens the bounds; between calls moves only widen them, so they always hold. */
static void bounds(kg_sparse_state *c) {
  c->norm_min = HUGE_VAL;
  c->size_min = HUGE_VAL;
  c->size_max = 0;
  for (size_t l = 0; l < c->e.k; l++)
    bounds_admit(c, l);
}

/* Computes the row R_i. for the clusters met among the neighbours of i, its own first.
 * Returns their number; of all others R_il = 0. */
static size_t gather(kg_sparse_state *c, size_t i) {
  KG_CHECK(i < c->e.n);
  const kg_sparse *b = c->b;
  size_t stamp = ++c->stamp, met = 1;
  int own = c->e.label[i];
  c->touched[0] = own;
  c->mark[own] = stamp;
  c->reach[own] = c->e.w[i] * c->diagonal[i];
  for (int e = b->start[i]; e < b->start[i + 1]; e++) {
    int y = b->row[e], l = c->e.label[y];
    if (c->mark[l] != stamp) {
      c->mark[l] = stamp;
      c->reach[l] = 0;
      c->touched[met++] = l;
    }
    c->reach[l] += c->e.w[y] * b->value[e];
  }
  return met;
}

static double reach_of(const kg_sparse_state *c, size_t l) {
  return c->mark[l] == c->stamp ? c->reach[l] : 0;
}

/* A lower bound of w s / (s + w) (B_ii + V_l / s_l^2) over all clusters. */
static double bound_untouched(const kg_sparse_state *c, double w, double diagonal) {
  double least = diagonal + c->norm_min;
  double s = least < 0 ? c->size_max : c->size_min;
  return w * (s / (s + w)) * least;
}

static void consider(const kg_sparse_state *c, kg_choice *choice, size_t i, size_t l) {
  if (c->e.count[l] > 0)
    kg_consider_any(choice, l, c->e.s[l], d2_of(c, i, l, reach_of(c, l)));
}

static double terms(const kg_sparse_state *c, size_t i, size_t l) {
  double s = c->e.s[l];
  return fabs(c->diagonal[i]) + 2 * fabs(reach_of(c, l)) / s + fabs(c->e.V[l]) / s / s;
}

static void move(kg_sparse_state *c, size_t i, const kg_choice *choice) {
  KG_CHECK(choice->best < c->e.k && (size_t)c->e.label[i] != choice->best);
  size_t own = (size_t)c->e.label[i], to = choice->best;
  double w = c->e.w[i], self = w * w * c->diagonal[i];
  c->e.V[own] += self - 2 * w * reach_of(c, own);
  c->e.V[to] += self + 2 * w * reach_of(c, to);
  c->e.s[own] -= w;
  c->e.s[to] += w;
  if (c->e.s[to] > c->peak[to])
    c->peak[to] = c->e.s[to];
  c->e.count[own]--;
  c->e.count[to]++;
  c->e.label[i] = (int)to;
  c->e.moves++;
  c->e.rule.W += choice->change;
  bounds_admit(c, own);
  bounds_admit(c, to);
}

/* V of a cluster that has lost nearly all of its largest weight holds rounding only.
 * O(entries). */
static void refresh(kg_sparse_state *c, size_t l) {
  double V = 0, s = 0;
  for (size_t i = 0; i < c->e.n; i++) {
    if ((size_t)c->e.label[i] != l || c->e.w[i] == 0)
      continue;
    s += c->e.w[i];
    V += c->e.w[i] * reach_into(c, i, l);
  }
  c->e.V[l] = V;
  c->e.s[l] = c->peak[l] = s;
  bounds_admit(c, l);
}

static void process(kg_sparse_state *c, size_t i) {
  const kg_rule *rule = &c->e.rule;
  size_t own = (size_t)c->e.label[i], met, to;
  double w = c->e.w[i], s = c->e.s[own];
  if (!kg_may_leave(w, s, c->e.count[own]))
    return;
  met = gather(c, i);
  kg_choice choice = kg_leave(w, s, d2_of(c, i, own, c->reach[own]));
  for (size_t t = 1; t < met; t++)
    consider(c, &choice, i, (size_t)c->touched[t]);
  double least = bound_untouched(c, w, c->diagonal[i]);
  if (met < c->e.k && !kg_below(choice.least, least) && least < choice.gone)
    for (size_t l = 0; l < c->e.k; l++)
      if (l != own)
        consider(c, &choice, i, l);
  if (!kg_tempting(rule, &choice))
    return;
  to = choice.best;
  if (!kg_accept(rule, &choice, s, terms(c, i, own), c->e.s[to], terms(c, i, to),
                 d2_of(c, i, to, reach_of(c, to))))
    return;
  move(c, i, &choice);
  if (c->e.s[own] < KG_WORN * c->peak[own])
    refresh(c, own);
}

/* ---- as an engine ---- */

static kg_engine *lay(const kg_input *input, size_t k, int *label, int threads,
                      kg_room *room) {
  kg_sparse_state *c = KG_TAKE(room, 1, kg_sparse_state), laid;
  (void)threads;
  kg_sparse_lay(&laid, input, k, label, room);
  if (!c)
    return NULL;
  *c = laid;
  return &c->e;
}

/* Rows and columns of some points; entries keep their order. */
static kg_input *some(const kg_input *whole, const size_t *rows, size_t m,
                      kg_room *room) {
  const kg_sparse *of = (const kg_sparse *)whole->values;
  size_t entries = (size_t)of->start[of->n];
  kg_input *input = KG_TAKE(room, 1, kg_input);
  kg_sparse *b = KG_TAKE(room, 1, kg_sparse);
  double *w = KG_TAKE(room, m, double), *diagonal = KG_TAKE(room, m, double);
  double *value = KG_TAKE(room, entries, double);
  int *start = KG_TAKE(room, m + 1, int), *row = KG_TAKE(room, entries, int), many = 0;
  int *place = KG_TAKE(room, of->n, int); /* 1 + that among rows, or 0 */
  if (!input)
    return NULL;
  memset(place, 0, of->n * sizeof(int));
  for (size_t r = 0; r < m; r++)
    place[rows[r]] = (int)r + 1;
  for (size_t r = 0; r < m; r++) {
    size_t i = rows[r];
    start[r] = many;
    w[r] = whole->w[i];
    diagonal[r] = of->diagonal[i];
    for (int at = of->start[i]; at < of->start[i + 1]; at++) {
      if (place[of->row[at]] == 0)
        continue;
      row[many] = place[of->row[at]] - 1;
      value[many++] = of->value[at];
    }
  }
  start[m] = many;
  *b = (kg_sparse){m, start, row, value, diagonal};
  *input = (kg_input){whole->kind, m, w, b};
  return input;
}

static double row_work(const kg_input *input) {
  return (double)input->n * 64;
}

static void rho(const kg_input *input, size_t x, size_t from, size_t to, double *out) {
  const kg_sparse *b = (const kg_sparse *)input->values;
  for (size_t i = from; i < to; i++)
    out[i - from] = b->diagonal[i] + b->diagonal[x];
  for (int e = b->start[x]; e < b->start[x + 1]; e++) {
    size_t i = (size_t)b->row[e];
    if (i >= from && i < to)
      out[i - from] -= 2 * b->value[e];
  }
  if (x >= from && x < to)
    out[x - from] = 0;
}

/* ---- dispersions ----
 *
 * s_l W_l = sum_{i in l} w_i [B_ii m_i + sum over the entries j of row i in l of w_j
 * (B_ii - B_ij)] with m_i the weight of the other members without an entry in row i.
 * Differences are taken entry by entry and the heaviest member is kept out of sums that
 * it would swallow, so that an offset of the data or weights many orders apart cost no
 * digits that the entries have. */

/* s, count, and of every cluster the heaviest member (c->touched) and the weight of the
 * others (c->reach). O(n). */
static void members(kg_sparse_state *c) {
  size_t k = c->e.k;
  for (size_t l = 0; l < k; l++) {
    c->touched[l] = -1;
    c->reach[l] = 0;
    c->e.count[l] = 0;
  }
  for (size_t i = 0; i < c->e.n; i++) {
    size_t l = (size_t)c->e.label[i];
    double w = c->e.w[i];
    if (!(w > 0))
      continue;
    c->e.count[l]++;
    if (c->touched[l] < 0 || w > c->e.w[c->touched[l]]) {
      if (c->touched[l] >= 0)
        c->reach[l] += c->e.w[c->touched[l]];
      c->touched[l] = (int)i;
    } else {
      c->reach[l] += w;
    }
  }
  for (size_t l = 0; l < k; l++)
    c->peak[l] = c->e.s[l] =
        c->touched[l] < 0 ? 0 : c->reach[l] + c->e.w[c->touched[l]];
}

/* The term of i above; everyone: as if all points were one cluster, whose heaviest is
 * `heavy` and the weight of whose others is `others`. */
static double dispersion_of(const kg_sparse_state *c, const double *diagonal, size_t i,
                            int everyone, int heavy, double others) {
  const kg_sparse *b = c->b;
  int own = c->e.label[i], met_heavy = (int)i == heavy;
  double light = met_heavy ? 0 : c->e.w[i], sum = 0;
  for (int at = b->start[i]; at < b->start[i + 1]; at++) {
    int j = b->row[at];
    double w = c->e.w[j];
    if (!(w > 0) || (!everyone && c->e.label[j] != own))
      continue;
    sum += w * (diagonal[i] - b->value[at]);
    if (j == heavy)
      met_heavy = 1;
    else
      light += w;
  }
  /* what is left of equal sums is rounding */
  double missing = others - light;
  if (missing < KG_ROUNDING * others)
    missing = 0;
  if (!met_heavy)
    missing += c->e.w[heavy];
  return c->e.w[i] * (diagonal[i] * missing + sum);
}

/* There are no sums but the totals. */
static size_t begin(kg_engine *e, size_t from, double work) {
  (void)from, (void)work;
  return e->n;
}

static size_t totals(kg_engine *e, size_t from, double work) {
  kg_sparse_state *c = (kg_sparse_state *)e;
  size_t k = e->k, to = piece_end(c, from, 1, work);
  if (from == 0) {
    members(c);
    memset(e->V, 0, k * sizeof(double));
    memset(c->D, 0, k * sizeof(double));
  }
  for (size_t i = from; i < to; i++) {
    size_t l = (size_t)e->label[i];
    double w = e->w[i];
    if (!(w > 0))
      continue;
    c->D[l] += dispersion_of(c, c->diagonal, i, 0, c->touched[l], c->reach[l]);
    e->V[l] += w * reach_into(c, i, l);
  }
  e->work += (double)(to - from) * 8;
  if (to < e->n)
    return to;
  for (size_t l = 0; l < k; l++)
    e->cost[l] = e->count[l] > 0 ? c->D[l] / e->s[l] : 0;
  bounds(c);
  kg_rule_totals(&e->rule, e->cost, k, e->n);
  e->status = isfinite(e->rule.tolerance) ? KG_OK : KG_NOT_FINITE;
  return to;
}

static size_t sweep(kg_engine *e, size_t from, double work) {
  kg_sparse_state *c = (kg_sparse_state *)e;
  size_t to = piece_end(c, from, 1 + (double)e->k, work / 8);
  if (from == 0)
    bounds(c);
  for (size_t i = from; i < to; i++)
    process(c, i);
  e->work += (double)(to - from) * (double)(8 + e->k);
  return to;
}

static size_t relabel(kg_engine *e, const int *target, size_t from, double work) {
  size_t to = piece_end((kg_sparse_state *)e, from, 1, work);
  for (size_t i = from; i < to; i++) {
    e->moves += e->label[i] != target[i];
    e->label[i] = target[i];
  }
  e->work += (double)(to - from);
  return to;
}

static double d2(const kg_engine *e, size_t i, size_t l) {
  const kg_sparse_state *c = (const kg_sparse_state *)e;
  return d2_of(c, i, l, reach_into(c, i, l));
}

static void move_alone(kg_engine *e, size_t i, size_t l) {
  kg_sparse_state *c = (kg_sparse_state *)e;
  size_t own = (size_t)e->label[i];
  kg_choice choice = {e->w[i], 0, 0, 0, l};
  if (e->w[i] > 0) {
    gather(c, i);
    move(c, i, &choice);
    if (e->s[own] < KG_WORN * c->peak[own])
      refresh(c, own);
  }
  e->label[i] = (int)l;
  e->work += (double)(8 + c->b->start[i + 1] - c->b->start[i]);
}

static void nearest(kg_engine *e, size_t skip, size_t from, size_t to, double *least,
                    double *best) {
  kg_sparse_state *c = (kg_sparse_state *)e;
  for (size_t i = from; i < to; i++) {
    gather(c, i);
    for (size_t l = 0; l < e->k; l++) {
      if (e->count[l] == 0 || l == skip)
        continue;
      double to_l = d2_of(c, i, l, reach_of(c, l));
      if (kg_below(to_l, least[i - from])) {
        least[i - from] = to_l;
        best[i - from] = (double)l;
      }
    }
  }
}

/* Gershgorin's circles of diag(w)^(1/2) B diag(w)^(1/2) bound the shift. */
static void shift(kg_engine *e, int on) {
  kg_sparse_state *c = (kg_sparse_state *)e;
  const kg_sparse *b = c->b;
  c->shift = 0;
  memcpy(c->diagonal, b->diagonal, e->n * sizeof(double));
  for (size_t i = 0; on && i < e->n; i++) {
    double circle = 0, w = e->w[i];
    if (w == 0)
      continue;
    for (int at = b->start[i]; at < b->start[i + 1]; at++)
      circle += sqrt(w) * sqrt(e->w[b->row[at]]) * fabs(b->value[at]);
    circle -= w * b->diagonal[i];
    if (circle > c->shift)
      c->shift = circle;
  }
  for (size_t i = 0; i < e->n && c->shift > 0; i++)
    if (e->w[i] > 0)
      c->diagonal[i] += c->shift / e->w[i];
}

/* sums: V_l, then s W of all points as one cluster. The diagonal is
 * that of the matrix. */
static size_t report(kg_engine *e, long double *sums, size_t from, double work) {
  kg_sparse_state *c = (kg_sparse_state *)e;
  const kg_sparse *b = c->b;
  size_t k = e->k, to = piece_end(c, from, 1, work);
  if (from == 0) {
    members(c);
    memset(c->D, 0, k * sizeof(double));
  }
  int heavy = -1;
  double others = 0;
  for (size_t l = 0; l < k; l++) {
    if (c->touched[l] < 0)
      continue;
    others += c->reach[l];
    int swap = heavy < 0 || e->w[c->touched[l]] > e->w[heavy];
    if (heavy >= 0)
      others += e->w[swap ? heavy : c->touched[l]];
    if (swap)
      heavy = c->touched[l];
  }
  for (size_t i = from; i < to; i++) {
    double w = e->w[i];
    size_t own = (size_t)e->label[i];
    if (!(w > 0))
      continue;
    c->D[own] += dispersion_of(c, b->diagonal, i, 0, c->touched[own], c->reach[own]);
    sums[k] += dispersion_of(c, b->diagonal, i, 1, heavy, others);
    sums[own] += w * w * b->diagonal[i];
    for (int at = b->start[i]; at < b->start[i + 1]; at++)
      if ((size_t)e->label[b->row[at]] == own)
        sums[own] += w * e->w[b->row[at]] * b->value[at];
  }
  if (to < e->n)
    return to;
  double s = 0;
  for (size_t l = 0; l < k; l++) {
    e->V[l] = (double)sums[l];
    e->cost[l] = e->count[l] > 0 ? c->D[l] / e->s[l] : 0;
    s += e->s[l];
  }
  e->total = s > 0 ? (double)(sums[k] / s) : 0;
  return to;
}

const kg_kind kg_sparse_rows = {.cheap = 1,
                                .steady = 1,
                                .lay = lay,
                                .some = some,
                                .row_work = row_work,
                                .rho = rho,
                                .begin = begin,
                                .totals = totals,
                                .sweep = sweep,
                                .relabel = relabel,
                                .d2 = d2,
                                .move = move_alone,
                                .nearest = nearest,
                                .shift = shift,
                                .report = report};
