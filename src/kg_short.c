/* kg_short.c - the engine of features of 16 bits (landmarks): Hartigan's method
 * with bounds on distances, so that most points pass unseen once the means have settled.
 * A candidate that is seen costs O(k m) in single precision; what that cannot determine
 * goes to the exact candidate of kg_features.c. */
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_loops.h"
#include "kg_rule.h"
#include <math.h>
#include <string.h>

/* Single precision errs by less than this share of |z|^2 + |mean|^2: 2^-24 times the terms
 * that are summed, with room. */
static const double rounding = 4e-6;

size_t kg_short_block(size_t k) {
  /* the means remembered for each block take an eighth of the features at most */
  return 16 * k > 4096 ? 16 * k : 4096;
}

static size_t blocks_of(size_t n, size_t k) {
  return (n + kg_short_block(k) - 1) / kg_short_block(k);
}

void kg_short_lay(kg_short *f, const kg_input *input, size_t k, int *label,
                  kg_room *room) {
  KG_CHECK(((const kg_features *)input->values)->width % 16 == 0);
  size_t n = input->n, width = ((const kg_features *)input->values)->width;
  memset(f, 0, sizeof *f);
  kg_means_lay(&f->m, input, k, label, room);
  f->norm2 = KG_TAKE(room, k, double);
  f->drift = KG_TAKE(room, k, double);
  f->path = KG_TAKE(room, k, double);
  f->block = kg_short_block(k);
  f->kept = KG_TAKE2(room, blocks_of(n, k) * k, width, double);
  f->mean_float = KG_TAKE2(room, width, k, float);
  f->dots = KG_TAKE(room, k, float);
  f->square = KG_TAKE(room, n, float);
  f->upper = KG_TAKE(room, n, float);
  f->lower = KG_TAKE(room, n, float);
  if (room->base)
    memset(f->kept, 0, blocks_of(n, k) * k * width * sizeof(double));
}

static kg_engine *lay(const kg_input *input, size_t k, int *label, int threads,
                      kg_room *room) {
  kg_short *f = KG_TAKE(room, 1, kg_short), laid;
  (void)threads;
  kg_short_lay(&laid, input, k, label, room);
  if (!f)
    return NULL;
  *f = laid;
  return &f->m.e;
}

static void refresh_mean(kg_short *f, size_t l) {
  size_t width = f->m.from->width;
  double norm2 = 0;
  for (size_t q = 0; q < width; q++) {
    double value = f->m.mean[l * width + q];
    f->mean_float[l * width + q] = (float)value;
    norm2 += value * value;
  }
  f->norm2[l] = norm2;
}

/* How far each mean went since the last pass to this block; remembers where it is. */
static void drift_since(kg_short *f, double *kept) {
  size_t width = f->m.from->width;
  f->block_bounds.drift = 0;
  for (size_t l = 0; l < f->m.e.k; l++) {
    double sum = 0;
    for (size_t q = 0; q < width; q++) {
      double now = f->m.mean[l * width + q], t = now - kept[l * width + q];
      sum += t * t;
      kept[l * width + q] = now;
    }
    f->drift[l] = sqrt(sum);
    f->path[l] = 0;
    if (f->drift[l] > f->block_bounds.drift)
      f->block_bounds.drift = f->drift[l];
  }
}

static void begin_block(kg_short *f, size_t block) {
  size_t k = f->m.e.k;
  drift_since(f, f->kept + block * k * f->m.from->width);
  f->block_bounds.norm2 = 0;
  f->block_bounds.s = HUGE_VAL;
  f->block_bounds.path = 0;
  for (size_t l = 0; l < k; l++) {
    if (f->norm2[l] > f->block_bounds.norm2)
      f->block_bounds.norm2 = f->norm2[l];
    if (f->m.e.s[l] < f->block_bounds.s)
      f->block_bounds.s = f->m.e.s[l];
  }
}

static void move(kg_short *f, size_t i, const kg_choice *choice) {
  size_t j = (size_t)f->m.e.label[i], both[2] = {j, choice->best};
  double path[2];
  kg_means_move(&f->m, i, choice, path);
  f->lower[i] = 0; /* seen again at the next pass */
  f->upper[i] = HUGE_VALF;
  if (f->m.e.s[j] < f->block_bounds.s)
    f->block_bounds.s = f->m.e.s[j];
  for (int a = 0; a < 2; a++) {
    size_t l = both[a];
    f->path[l] += sqrt(path[a]);
    refresh_mean(f, l);
    if (f->path[l] > f->block_bounds.path)
      f->block_bounds.path = f->path[l];
    if (f->norm2[l] > f->block_bounds.norm2)
      f->block_bounds.norm2 = f->norm2[l];
  }
}

/* A point stays without reading its features while
 *     upper^2 s_j / (s_j - w) <= lower^2 s_l / (s_l + w) for all l,
 * upper and lower bounds of its distances to its own and to the nearest other mean. Both
 * hold for the means at the start of the last pass to the block; since then means went
 * by `drift`, and within this pass by at most `path`. */
static void process(kg_short *f, size_t i) {
  const kg_engine *e = &f->m.e;
  size_t k = e->k, j = (size_t)e->label[i], width = f->m.from->width;
  double w = e->w[i], rest = e->s[j] - w;
  kg_choice choice;
  if (f->known) {
    f->upper[i] = (float)((f->upper[i] + f->drift[j]) * (1 + 1e-6));
    f->lower[i] = (float)((f->lower[i] - f->block_bounds.drift) * (1 - 1e-6));
    double u = f->upper[i] + f->path[j], v = f->lower[i] - f->block_bounds.path;
    if (v > 0 &&
        u * u * e->s[j] * (f->block_bounds.s + w) < v * v * f->block_bounds.s * rest)
      return;
  }
  if (!kg_may_leave(w, e->s[j], e->count[j])) {
    f->lower[i] = 0;
    f->upper[i] = HUGE_VALF;
    return;
  }
  kg_chosen_loops->short_dots(f->m.from->q + i * width, f->mean_float, width, k, f->dots);
  double two = 2.0 * f->m.from->unit[i];
  double own = f->square[i] - two * f->dots[j] + f->norm2[j];
  double gone = own * (e->s[j] / rest), come = HUGE_VAL, other = HUGE_VAL;
  for (size_t l = 0; l < k; l++) {
    if (l == j)
      continue;
    double d2 = f->square[i] - two * f->dots[l] + f->norm2[l];
    double cost = d2 * (e->s[l] / (e->s[l] + w));
    if (d2 < other)
      other = d2;
    if (cost < come)
      come = cost;
  }
  double slack = rounding * (f->square[i] + f->block_bounds.norm2);
  if (come < gone + slack && kg_means_best(&f->m, i, &choice)) {
    move(f, i, &choice);
    return;
  }
  f->upper[i] = (float)(sqrt(own + slack > 0 ? own + slack : 0) + f->path[j]);
  double least = other - slack > 0 ? sqrt(other - slack) - f->block_bounds.path : 0;
  f->lower[i] = (float)(least > 0 ? least : 0);
}

static size_t sweep(kg_engine *e, size_t from, double work) {
  kg_short *f = (kg_short *)e;
  double each = (double)f->m.from->width * (double)e->k, spent = 0;
  size_t i = from;
  for (; i < e->n && spent < work; i++) {
    if (i % f->block == 0)
      begin_block(f, i / f->block);
    spent += 0.25 * each; /* bounds let most points pass */
    process(f, i);
  }
  e->work += spent;
  if (i == e->n)
    f->known = 1;
  return i;
}

static size_t begin(kg_engine *e, size_t from, double work) {
  kg_short *f = (kg_short *)e;
  size_t to = kg_means_begin(e, from, work);
  f->known = 0;
  for (size_t i = from; i < to && !f->squared; i++)
    f->square[i] = (float)kg_means_norm2(f->m.from, i);
  f->squared |= to == e->n;
  for (size_t l = 0; to == e->n && l < e->k; l++)
    refresh_mean(f, l);
  return to;
}

static void move_alone(kg_engine *e, size_t i, size_t l) {
  kg_choice choice = {e->w[i], 0, 0, 0, l};
  if (e->w[i] > 0)
    move((kg_short *)e, i, &choice);
  e->label[i] = (int)l;
  e->work += (double)((kg_short *)e)->m.from->width;
}

/* As kg_means_nearest; the exact distance is computed only of means that may be nearest in
 * single precision. */
static void nearest(kg_engine *e, size_t skip, size_t from, size_t to, double *least,
                    double *best) {
  kg_short *f = (kg_short *)e;
  const size_t k = e->k, width = f->m.from->width;
  double longest = 0;
  for (size_t l = 0; l < k; l++)
    longest = f->norm2[l] > longest ? f->norm2[l] : longest;
  for (size_t i = from; i < to; i++) {
    const double two = 2.0 * f->m.from->unit[i];
    const double slack = rounding * (f->square[i] + longest);
    double most = least[i - from];
    kg_chosen_loops->short_dots(f->m.from->q + i * width, f->mean_float, width, k, f->dots);
    for (size_t l = 0; l < k; l++) {
      const double d2 = f->square[i] - two * f->dots[l] + f->norm2[l];
      if (e->count[l] > 0 && l != skip && d2 + slack < most)
        most = d2 + slack;
    }
    for (size_t l = 0; l < k; l++) {
      const double d2 = f->square[i] - two * f->dots[l] + f->norm2[l];
      if (e->count[l] == 0 || l == skip || d2 - slack > most)
        continue;
      const double exact = kg_means_d2(&f->m, i, l);
      if (kg_below(exact, least[i - from])) {
        least[i - from] = exact;
        best[i - from] = (double)l;
      }
    }
  }
}

const kg_kind kg_short_features = {.cheap = 1,
                                   .steady = 1,
                                   .lay = lay,
                                   .some = kg_means_some,
                                   .row_work = kg_means_row_work,
                                   .rho = kg_means_rho,
                                   .begin = begin,
                                   .totals = kg_means_totals,
                                   .sweep = sweep,
                                   .relabel = kg_means_relabel,
                                   .d2 = kg_means_own,
                                   .move = move_alone,
                                   .nearest = nearest,
                                   .report = kg_means_report,
                                   .means = kg_means_of};
