/* kg_features.c - the engine of explicit features: weighted k-means in R^m by Hartigan's
 * moves, O(k m) a candidate and O(m) a move. A partition is kept as the means of its
 * clusters; features of 16 bits (kg_short.c) share all but the passes. */
#include "kg_features.h"
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_loops.h"
#include "kg_rule.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static size_t piece_end(size_t n, size_t from, double each, double work) {
  double points = work / each;
  size_t some = points < 1 ? 1 : points > (double)n ? n : (size_t)points;
  return n - from < some ? n : from + some;
}

void kg_means_lay(kg_means *f, const kg_input *input, size_t k, int *label,
                  kg_room *room) {
  KG_CHECK(((const kg_features *)input->values)->n == input->n);
  KG_CHECK(!((const kg_features *)input->values)->z !=
           !((const kg_features *)input->values)->q);
  memset(f, 0, sizeof *f);
  kg_engine_lay(&f->e, input, k, label, room);
  f->from = (const kg_features *)input->values;
  f->mean = KG_TAKE2(room, f->from->width, k, double);
}

double kg_means_d2(const kg_means *f, size_t i, size_t l) {
  size_t m = f->from->width;
  const double *mean = f->mean + l * m;
  if (f->from->z)
    return kg_squared(f->from->z + i * m, mean, m);
  return kg_chosen_loops->short_d2(f->from->q + i * m, f->from->unit[i], mean, m);
}

void kg_means_coordinates(const kg_features *from, size_t i, double *z) {
  size_t m = from->width;
  if (from->z)
    memcpy(z, from->z + i * m, m * sizeof(double));
  else
    kg_chosen_loops->short_values(from->q + i * m, from->unit[i], m, z);
}

double kg_means_norm2(const kg_features *from, size_t i) {
  size_t m = from->width;
  double norm2 = 0;
  if (from->q) {
    for (size_t c = 0; c < m; c++)
      norm2 += (double)from->q[i * m + c] * (double)from->q[i * m + c];
    return (double)from->unit[i] * (double)from->unit[i] * norm2;
  }
  for (size_t c = 0; c < m; c++)
    norm2 += from->z[i * m + c] * from->z[i * m + c];
  return norm2;
}

/* The sum that d2 is the sum of: an offset of the data is in z and in the mean. */
static double terms(const kg_means *f, size_t i, double d2) {
  return d2 + 2 * sqrt(d2 * kg_means_norm2(f->from, i));
}

int kg_means_best(const kg_means *f, size_t i, kg_choice *choice) {
  const kg_engine *e = &f->e;
  size_t j = (size_t)e->label[i], l;
  if (!kg_may_leave(e->w[i], e->s[j], e->count[j]))
    return 0;
  double own = kg_means_d2(f, i, j);
  *choice = kg_leave(e->w[i], e->s[j], own);
  if (kg_hopeless(&e->rule, choice))
    return 0;
  size_t m = f->from->width;
  const double *mean = f->mean;
  const kg_rule *rule = &e->rule;
  kg_choice c = *choice; /* so that it stays in registers */
  if (f->from->z) {
    const double *z = f->from->z + i * m;
    for (l = 0; l < e->k; l++, mean += m)
      if (l != j && e->count[l] > 0)
        kg_consider(&c, l, e->s[l], kg_squared(z, mean, m));
  } else {
    const int16_t *q = f->from->q + i * m;
    const double unit = f->from->unit[i];
    for (l = 0; l < e->k; l++, mean += m)
      if (l != j && e->count[l] > 0)
        kg_consider(&c, l, e->s[l], kg_chosen_loops->short_d2(q, unit, mean, m));
  }
  *choice = c;
  if (!kg_tempting(&e->rule, choice))
    return 0;
  l = choice->best;
  double d2 = kg_means_d2(f, i, l);
  return kg_accept(rule, choice, e->s[j], terms(f, i, own), e->s[l], terms(f, i, d2), d2);
}

void kg_means_move(kg_means *f, size_t i, const kg_choice *choice, double path[2]) {
  KG_CHECK(choice->best < f->e.k && (size_t)f->e.label[i] != choice->best);
  KG_CHECK(f->e.s[f->e.label[i]] > f->e.w[i]);
  size_t m = f->from->width, j = (size_t)f->e.label[i], l = choice->best;
  double w = f->e.w[i], *a = f->mean + j * m, *b = f->mean + l * m;
  double out = w / (f->e.s[j] - w), in = w / (f->e.s[l] + w);
  path[0] = path[1] = 0;
  for (size_t c = 0; c < m; c++) {
    double z = f->from->z ? f->from->z[i * m + c]
                          : (double)f->from->unit[i] * f->from->q[i * m + c];
    double da = out * (z - a[c]), db = in * (z - b[c]);
    a[c] -= da;
    b[c] += db;
    path[0] += da * da;
    path[1] += db * db;
  }
  f->e.s[j] -= w;
  f->e.s[l] += w;
  f->e.count[j]--;
  f->e.count[l]++;
  f->e.label[i] = (int)l;
  f->e.moves++;
  f->e.rule.W += choice->change;
}

/* ---- as an engine ---- */

static kg_engine *lay(const kg_input *input, size_t k, int *label, int threads,
                      kg_room *room) {
  kg_means *f = KG_TAKE(room, 1, kg_means), laid;
  (void)threads;
  kg_means_lay(&laid, input, k, label, room);
  if (!f)
    return NULL;
  *f = laid;
  return &f->e;
}

kg_input *kg_means_some(const kg_input *whole, const size_t *rows, size_t m,
                        kg_room *room) {
  const kg_features *of = (const kg_features *)whole->values;
  kg_input *input = KG_TAKE(room, 1, kg_input);
  kg_features *features = KG_TAKE(room, 1, kg_features);
  double *w = KG_TAKE(room, m, double), *z = KG_TAKE2(room, of->width, m, double);
  if (!input)
    return NULL;
  for (size_t r = 0; r < m; r++) {
    w[r] = whole->w[rows[r]];
    kg_means_coordinates(of, rows[r], z + r * of->width);
  }
  *features = (kg_features){z, NULL, NULL, of->width, m};
  *input = (kg_input){&kg_double_features, m, w, features};
  return input;
}

double kg_means_row_work(const kg_input *input) {
  return (double)input->n * 64;
}

const double *kg_means_of(const kg_engine *e, size_t *width) {
  const kg_means *f = (const kg_means *)e;
  *width = f->from->width;
  return f->mean;
}

void kg_means_rho(const kg_input *input, size_t x, size_t from, size_t to, double *out) {
  const kg_features *z = (const kg_features *)input->values;
  size_t m = z->width;
  for (size_t i = from; i < to; i++) {
    double sum = 0;
    if (z->z) {
      sum = kg_squared(z->z + i * m, z->z + x * m, m);
    } else {
      const int16_t *a = z->q + i * m, *b = z->q + x * m;
      const double at = z->unit[i], to = z->unit[x];
      for (size_t c = 0; c < m; c++) {
        double t = at * a[c] - to * b[c];
        sum += t * t;
      }
    }
    out[i - from] = sum;
  }
}

void kg_means_add(const kg_features *from, size_t i, double w, double *mean) {
  size_t m = from->width;
  if (from->q) {
    kg_chosen_loops->short_add(from->q + i * m, w * (double)from->unit[i], m, mean);
    return;
  }
  for (size_t c = 0; c < m; c++)
    mean[c] += w * from->z[i * m + c];
}

size_t kg_means_begin(kg_engine *e, size_t from, double work) {
  kg_means *f = (kg_means *)e;
  size_t m = f->from->width, k = e->k, to = piece_end(e->n, from, (double)m, work);
  if (from == 0) {
    memset(f->mean, 0, m * k * sizeof(double));
    memset(e->s, 0, k * sizeof(double));
    memset(e->count, 0, k * sizeof(size_t));
  }
  for (size_t i = from; i < to; i++) {
    size_t l = (size_t)e->label[i];
    double w = e->w[i], *mean = f->mean + l * m;
    if (w == 0)
      continue;
    e->s[l] += w;
    e->count[l]++;
    kg_means_add(f->from, i, w, mean);
  }
  e->work += (double)(to - from) * (double)m;
  for (size_t l = 0; to == e->n && l < k; l++)
    for (size_t c = 0; c < m && e->count[l] > 0; c++)
      f->mean[l * m + c] /= e->s[l];
  return to;
}

size_t kg_means_totals(kg_engine *e, size_t from, double work) {
  KG_CHECK(from <= e->n);
  kg_means *f = (kg_means *)e;
  size_t m = f->from->width, k = e->k, to = piece_end(e->n, from, (double)m, work);
  if (from == 0)
    memset(e->cost, 0, k * sizeof(double));
  for (size_t i = from; i < to; i++) {
    size_t l = (size_t)e->label[i];
    if (e->w[i] > 0)
      e->cost[l] += e->w[i] * kg_means_d2(f, i, l);
  }
  e->work += (double)(to - from) * (double)m;
  if (to < e->n)
    return to;
  kg_rule_totals(&e->rule, e->cost, k, e->n);
  e->status = isfinite(e->rule.tolerance) ? KG_OK : KG_NOT_FINITE;
  return to;
}

static size_t sweep(kg_engine *e, size_t from, double work) {
  kg_means *f = (kg_means *)e;
  double each = (double)f->from->width * (double)e->k, path[2];
  size_t to = piece_end(e->n, from, each, work);
  for (size_t i = from; i < to; i++) {
    kg_choice choice;
    if (kg_means_best(f, i, &choice))
      kg_means_move(f, i, &choice, path);
  }
  e->work += (double)(to - from) * each;
  return to;
}

size_t kg_means_relabel(kg_engine *e, const int *target, size_t from, double work) {
  size_t to = piece_end(e->n, from, 1, work);
  for (size_t i = from; i < to; i++) {
    e->moves += e->label[i] != target[i];
    e->label[i] = target[i];
  }
  e->work += (double)(to - from);
  return to;
}

double kg_means_own(const kg_engine *e, size_t i, size_t l) {
  return kg_means_d2((const kg_means *)e, i, l);
}

void kg_means_nearest(kg_engine *e, size_t skip, size_t from, size_t to, double *least,
                      double *best) {
  for (size_t i = from; i < to; i++)
    for (size_t l = 0; l < e->k; l++) {
      if (e->count[l] == 0 || l == skip)
        continue;
      double d2 = kg_means_d2((const kg_means *)e, i, l);
      if (kg_below(d2, least[i - from])) {
        least[i - from] = d2;
        best[i - from] = (double)l;
      }
    }
}

static void move(kg_engine *e, size_t i, size_t l) {
  kg_choice choice = {e->w[i], 0, 0, 0, l};
  double path[2];
  if (e->w[i] > 0)
    kg_means_move((kg_means *)e, i, &choice, path);
  e->label[i] = (int)l;
  e->work += (double)((kg_means *)e)->from->width;
}

/* The dispersions are those of the totals; total = within + between, the means' own
 * scatter about their mean. */
size_t kg_means_report(kg_engine *e, long double *sums, size_t from, double work) {
  kg_means *f = (kg_means *)e;
  size_t m = f->from->width, k = e->k;
  double s = 0;
  (void)sums, (void)from, (void)work;
  e->total = 0;
  for (size_t l = 0; l < k; l++) {
    s += e->s[l];
    e->total += e->cost[l];
    e->V[l] = 0;
  }
  for (size_t c = 0; c < m; c++) {
    double centre = 0;
    for (size_t l = 0; l < k; l++)
      centre += e->s[l] / s * f->mean[l * m + c];
    for (size_t l = 0; l < k; l++) {
      double mean = f->mean[l * m + c], t = mean - centre;
      e->total += e->s[l] * t * t;
      e->V[l] += e->s[l] * e->s[l] * mean * mean;
    }
  }
  return e->n;
}

static const double *points(const kg_input *input, size_t *width) {
  const kg_features *from = (const kg_features *)input->values;
  *width = from->width;
  return from->z;
}

const kg_kind kg_double_features = {.cheap = 1,
                                    .steady = 1,
                                    .lay = lay,
                                    .some = kg_means_some,
                                    .row_work = kg_means_row_work,
                                    .rho = kg_means_rho,
                                    .begin = kg_means_begin,
                                    .totals = kg_means_totals,
                                    .sweep = sweep,
                                    .relabel = kg_means_relabel,
                                    .d2 = kg_means_own,
                                    .move = move,
                                    .nearest = kg_means_nearest,
                                    .report = kg_means_report,
                                    .means = kg_means_of,
                                    .points = points};
