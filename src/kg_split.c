/* kg_split.c - a better partition by attempts inside a few clusters: one is split,
 * another one removed.
 *
 * Local optima of W are of one kind mostly: two means where one would do, and one where
 * two are needed. For every cluster its best halves are found from its points alone
 * (2-means, k-means++ seeds), and W falls by gain; removing a cluster costs no more
 * than its points pay at the second nearest means, or than merging it with the cluster
 * that gets most of them,
 *     s_c s_l / (s_c + s_l) |mu_c - mu_l|^2   (Ward).
 * A pair that estimates much is tried inside the two clusters and those beside them:
 * their columns of R are copied, and the change of W is exact, since no other cluster has
 * part in it. An attempt costs O(m) a move for m points instead of O(n). */
#include "kg_split.h"
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_rule.h"
#include "kg_sparse.h"
#include "kg_start.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

enum {
  SWEEPS = 20,   /* of an attempt, */
  HALVINGS = 2,  /* of 2-means, which need not converge */
  LARGEST = 8192 /* points that are halved. A larger cluster is estimated from so many; of
                    pairwise dissimilarities, at n = 1e5 a fifth of a pass, it is not split */
};

/* Of halves and of attempts. */
enum { SUMS, RELABEL, SWEEP, DONE };

/* ---- some of the points as an engine of their own ----
 *
 * W is a sum over clusters: a change among the points of some clusters changes W by as
 * much as it changes W of the engine of these points. */

static void part_lay(kg_part *part, const kg_input *input, kg_room *room) {
  kg_room own = {NULL, 0};
  input->kind->some(input, NULL, input->n, &own);
  input->kind->lay(input, KG_ATTEMPT, NULL, 1, &own);
  memset(part, 0, sizeof *part);
  part->rows = KG_TAKE(room, input->n, size_t);
  part->label = KG_TAKE(room, input->n, int);
  part->memory = KG_TAKE(room, own.bytes, char);
}

/* The engine of the first m rows, with k clusters; labels and sums are to come. */
static void part_of(kg_part *part, const kg_engine *whole, size_t m, size_t k) {
  kg_room room = kg_room_at(part->memory);
  const kg_input *input = whole->input->kind->some(whole->input, part->rows, m, &room);
  KG_CHECK(m <= whole->n && k <= KG_ATTEMPT);
  part->m = m;
  part->k = k;
  part->e = input->kind->lay(input, k, part->label, 1, &room);
}

/* Totals and sums that cost little, from scratch; 0 if they are not finite. */
static int part_totals(kg_part *part) {
  kg_engine *e = part->e;
  const kg_kind *kind = e->input->kind;
  if (kind->cheap)
    kind->begin(e, 0, HUGE_VAL);
  kind->totals(e, 0, HUGE_VAL);
  return e->status == KG_OK;
}

/* Sums from the labels, from row *go_on on; 1 once they are whole. */
static int part_sums(kg_part *part, size_t *go_on, double work) {
  const kg_kind *kind = part->e->input->kind;
  if (!kind->sums)
    return 1;
  kg_state *state = kind->sums(part->e);
  double rows = work / kind->row_work(part->e->input);
  size_t to = (double)(part->m - *go_on) <= rows ? part->m : *go_on + (size_t)rows + 1;
  to = to < part->m ? to : part->m;
  kg_first_pass(&state, 1, *go_on, to, state->row);
  *go_on = to;
  if (to == part->m)
    kg_state_built(state);
  return to == part->m;
}

/* Sums and totals if cluster b of the part is of[b] of the whole, with all its points. */
static int part_take(kg_part *part, const kg_engine *whole, const size_t *of) {
  if (part->e->input->kind->sums) {
    kg_state *state = part->e->input->kind->sums(part->e);
    for (size_t b = 0; b < part->k; b++) {
      const double *R = ((const kg_state *)whole)->R + of[b] * whole->n;
      double *into = state->R + b * part->m;
      for (size_t r = 0; r < part->m; r++)
        into[r] = R[part->rows[r]];
    }
    kg_state_built(state);
  }
  return part_totals(part);
}

/* ---- memory ---- */

void kg_split_lay(kg_split *s, const kg_input *input, size_t k, kg_room *room) {
  size_t n = input->n;
  memset(s, 0, sizeof *s);
  s->n = n;
  s->k = k;
  s->halves.gain = KG_TAKE(room, k, double);
  s->removal = KG_TAKE(room, k, double);
  s->pairs.score = KG_TAKE(room, k, double);
  s->tally = KG_TAKE(room, k, double);
  s->member = KG_TAKE(room, n, size_t);
  s->first = KG_TAKE(room, k + 1, size_t);
  s->second = KG_TAKE(room, n, int);
  s->halves.half = KG_TAKE(room, n, int);
  s->halves.was = KG_TAKE(room, n, int);
  s->pairs.partner = KG_TAKE(room, k, int);
  s->halves.changed = KG_TAKE(room, k, int);
  s->halves.sampled = KG_TAKE(room, k, int);
  s->halves.u = KG_TAKE2(room, KG_DRAWS, k, double);
  s->halves.most = LARGEST;
  s->pairs.tried = KG_TAKE2(room, k, k, unsigned char);
}

void kg_attempt_lay(kg_attempt *t, const kg_input *input, size_t k, kg_room *room) {
  size_t n = input->n;
  memset(t, 0, sizeof *t);
  t->tally = KG_TAKE(room, k, double);
  t->room = KG_TAKE(room, 2 * n, double);
  t->target = KG_TAKE(room, n, int);
  part_lay(&t->local, input, room);
}

/* ---- halves ---- */

int kg_split_can(const kg_split *s, size_t a) {
  return s->halves.gain[a] > -HUGE_VAL;
}

/* The cost of the moves since `before` of them and `work`: pairwise dissimilarities, or
 * work. */
static void count_work(kg_attempt *t, size_t before, double work) {
  const kg_engine *e = t->local.e;
  t->values += e->input->kind->sums ? (double)(e->moves - before) * (double)t->local.m
                                    : e->work - work;
}

/* Two seeds by greedy k-means++: labels of all points of the part; 0 if all lie on the
 * first. */
static int seed(kg_attempt *t, const double *u) {
  kg_part *local = &t->local;
  kg_plusplus p = {.input = local->e->input,
                   .candidates = KG_TRIES,
                   .label = local->label,
                   .nearest = t->room,
                   .row = t->room + local->m};
  size_t ones = 0;
  memset(local->label, 0, local->m * sizeof(int));
  for (size_t l = 0; l < 2; l++) {
    kg_plusplus_begin(&p, l, u + l);
    while (!kg_plusplus_step(&p, local->m))
      ;
  }
  for (size_t r = 0; r < local->m; r++)
    ones += local->label[r] == 1;
  return ones > 0;
}

/* |mu_0 - mu_1|^2 of a part of two: the mean d2 of the points of 0 to mu_1 is this and
 * that to their own mean. */
static double apart(const kg_engine *e) {
  double sum = 0;
  for (size_t i = 0; i < e->n; i++)
    if (e->label[i] == 0 && e->w[i] > 0)
      sum += e->w[i] * e->input->kind->d2(e, i, 1);
  return (sum - e->cost[0]) / e->s[0];
}

/* 2-means of the points of cluster a: the fall of W is that of Ward's criterion. */
void kg_halve_begin(kg_split *s, kg_attempt *t, size_t a) {
  KG_CHECK(a < s->k);
  kg_halves *halves = &s->halves;
  const size_t *member = s->member + s->first[a], all = s->first[a + 1] - s->first[a];
  size_t m = all;
  t->a = a;
  t->values = 0;
  t->phase = DONE;
  t->go_on = t->sweeps = t->moves = 0;
  if (halves->sampled[a]) {
    halves->sampled[a] = 0;
  } else {
    halves->gain[a] = -HUGE_VAL;
    if (m < 2 || (m > halves->most && s->e->input->kind->sums))
      return;
    halves->sampled[a] = m > halves->most;
    m = m > halves->most ? halves->most : m;
  }
  for (size_t r = 0; r < m; r++)
    t->local.rows[r] = member[r * all / m];
  part_of(&t->local, s->e, m, 2);
  if (s->e->input->kind->sums)
    t->values += (double)m * (double)(m + 2 * KG_TRIES + 4) / 2;
  if (seed(t, halves->u + a * KG_DRAWS))
    t->phase = SUMS;
}

/* The gain of a sample stands for that of the cluster, also once all points have halves:
 * the order of attempts does not depend on how many are begun. */
static void halved(kg_split *s, const kg_attempt *t) {
  const kg_engine *two = t->local.e;
  const double whole = s->e->s[t->a];
  const double share = s->halves.sampled[t->a] ? (two->s[0] + two->s[1]) / whole : 1;
  if (s->halves.gain[t->a] == -HUGE_VAL)
    s->halves.gain[t->a] = two->s[0] / whole * two->s[1] * apart(two) / (share * share);
  for (size_t r = 0; r < t->local.m; r++)
    s->halves.half[t->local.rows[r]] = t->local.label[r];
}

int kg_halve_go(kg_split *s, kg_attempt *t, double work) {
  kg_part *local = &t->local;
  kg_engine *two = local->e;
  if (t->phase == DONE)
    return 1;
  if (t->phase == SUMS) {
    if (!part_sums(local, &t->go_on, work))
      return 0;
    t->phase = part_totals(local) ? SWEEP : DONE;
    t->go_on = 0;
    t->moves = two->moves;
    return t->phase == DONE;
  }
  size_t before = two->moves;
  double done = two->work;
  t->go_on = two->input->kind->sweep(two, t->go_on, work);
  count_work(t, before, done);
  if (t->go_on < local->m)
    return 0;
  int more = two->moves > t->moves && ++t->sweeps < HALVINGS;
  t->go_on = 0;
  t->moves = two->moves;
  if (more)
    return 0;
  t->phase = DONE;
  if (part_totals(local))
    halved(s, t);
  return 1;
}

/* ---- the scan of all points ---- */

/* tally[l] = points of c whose second nearest mean is that of l. */
static void receivers(const kg_split *s, size_t c, double *tally) {
  memset(tally, 0, s->k * sizeof(double));
  for (size_t q = s->first[c]; q < s->first[c + 1]; q++)
    if (s->second[s->member[q]] >= 0)
      tally[s->second[s->member[q]]] += 1;
}

static size_t largest(const double *tally, size_t k) {
  size_t best = 0;
  for (size_t l = 1; l < k; l++)
    if (tally[l] > tally[best])
      best = l;
  return best;
}

/* The rise of W by at most without c. */
static double removal(kg_split *s, size_t c) {
  const kg_engine *e = s->e;
  double (*d2)(const kg_engine *, size_t, size_t) = e->input->kind->d2;
  double sum = 0, to_l = 0;
  receivers(s, c, s->tally);
  size_t l = largest(s->tally, s->k);
  for (size_t q = s->first[c]; q < s->first[c + 1]; q++) {
    size_t i = s->member[q], near = (size_t)s->second[i];
    if (s->second[i] < 0)
      return HUGE_VAL;
    double least = d2(e, i, near);
    sum += e->w[i] * least;
    to_l += e->w[i] * (near == l ? least : d2(e, i, l));
  }
  double ward = e->s[l] / (e->s[c] + e->s[l]) * (to_l - e->cost[c]);
  sum -= e->cost[c];
  return l != c && ward < sum ? ward : sum;
}

/* The nearest mean but the own, -1 if there is none. The sum of the own cluster is -Inf
 * for it. */
static void second_means(kg_split *s) {
  kg_engine *e = s->e;
  const kg_kind *kind = e->input->kind;
  double least[KG_BLOCK], best[KG_BLOCK], own[KG_BLOCK];
  double *R = kind->sums ? kind->sums(e)->R : NULL;
  size_t most = R ? KG_BLOCK : 1;
  for (size_t at = 0, end; at < s->n; at = end) {
    end = s->n - at < most ? s->n : at + most;
    for (size_t i = at; i < end; i++) {
      size_t place = i + (size_t)e->label[i] * s->n;
      least[i - at] = HUGE_VAL, best[i - at] = -1;
      if (R)
        own[i - at] = R[place], R[place] = -HUGE_VAL;
    }
    kind->nearest(e, R ? s->k : (size_t)e->label[at], at, end, least, best);
    for (size_t i = at; i < end; i++) {
      s->second[i] = (int)best[i - at];
      if (R)
        R[i + (size_t)e->label[i] * s->n] = own[i - at];
    }
  }
}

void kg_split_scan(kg_split *s, int all) {
  const kg_engine *e = s->e;
  double *lost = s->tally;
  memset(lost, 0, s->k * sizeof(double));
  kg_list_members(s->e->label, s->e->w, s->n, s->k, s->first, s->member);
  for (size_t i = 0; i < s->n && !all; i++) {
    if (e->w[i] == 0 || s->halves.was[i] == e->label[i])
      continue;
    lost[s->halves.was[i]] += 1;
    lost[e->label[i]] += 1;
    s->halves.half[i] = 0; /* until its cluster is halved again */
  }
  for (size_t l = 0; l < s->k; l++)
    s->halves.changed[l] = all || lost[l] > 0.05 * (double)e->count[l];
  if (all)
    memset(s->halves.half, 0, s->n * sizeof(int));
  second_means(s);
  for (size_t c = 0; c < s->k; c++)
    s->removal[c] = removal(s, c);
}

/* Merging c into l costs what merging l into c does, so two scores may be one number but
 * for rounding, which must not choose between them. */
static int above(const kg_split *s, double score, double other) {
  return score > other + s->e->rule.tolerance;
}

/* The best partner of a cluster c that is removed. Points that c leaves to a may be part
 * of what a gains, which is no estimate. */
static void set_partner(kg_split *s, size_t c) {
  double shared = s->improving ? 0 : 0.8, count = (double)(s->first[c + 1] - s->first[c]);
  receivers(s, c, s->tally);
  s->pairs.partner[c] = -1;
  s->pairs.score[c] = -HUGE_VAL;
  for (size_t a = 0; a < s->k; a++) {
    if (a == c || !kg_split_can(s, a) || s->pairs.tried[a + c * s->k])
      continue;
    double score = s->halves.gain[a] - s->removal[c] * (1 - shared * s->tally[a] / count);
    if (above(s, score, s->pairs.score[c])) {
      s->pairs.score[c] = score;
      s->pairs.partner[c] = (int)a;
    }
  }
}

int kg_split_next(kg_split *s, size_t *a) {
  const kg_engine *e = s->e;
  size_t l = 0;
  while (l < s->k && !s->halves.changed[l])
    l++;
  if (l == s->k)
    return 0;
  size_t many = s->first[l + 1] - s->first[l];
  *a = l;
  s->halves.changed[l] = s->halves.sampled[l] = 0;
  for (size_t q = s->first[l]; q < s->first[l + 1]; q++)
    s->halves.was[s->member[q]] = e->label[s->member[q]];
  for (size_t c = 0; c < s->k; c++)
    s->pairs.tried[l + c * s->k] = s->pairs.tried[c + l * s->k] = 0;
  if (many < 2)
    return 1;
  for (int draw = 0; draw < KG_DRAWS; draw++)
    s->halves.u[l * KG_DRAWS + (size_t)draw] = kg_uniform(&s->draws);
  return 1;
}

void kg_split_partners(kg_split *s) {
  for (size_t c = 0; c < s->k; c++)
    set_partner(s, c);
}

int kg_split_best(const kg_split *s, size_t *a, size_t *c) {
  size_t best = s->k;
  for (size_t l = 0; l < s->k; l++)
    if (s->pairs.partner[l] >= 0 &&
        (best == s->k || above(s, s->pairs.score[l], s->pairs.score[best])))
      best = l;
  if (best == s->k || (s->improving && !above(s, s->pairs.score[best], 0)))
    return 0;
  *c = best;
  *a = (size_t)s->pairs.partner[best];
  return 1;
}

void kg_split_failed(kg_split *s, size_t a, size_t c) {
  KG_CHECK(a < s->k && c < s->k && a != c);
  s->pairs.tried[a + c * s->k] = 1;
  set_partner(s, c);
}

size_t kg_split_ahead(kg_split *s, size_t most, size_t *a, size_t *c) {
  size_t many = 0;
  while (many < most && kg_split_best(s, a + many, c + many)) {
    many++;
    if (many < most)
      kg_split_failed(s, a[many - 1], c[many - 1]);
  }
  for (size_t pair = 0; pair < many && many > 1; pair++)
    s->pairs.tried[a[pair] + c[pair] * s->k] = 0;
  for (size_t pair = 0; pair < many && many > 1; pair++)
    set_partner(s, c[pair]);
  return many;
}

/* ---- an attempt ---- */

/* Clusters that get at least `least` of the points of l, the largest first. */
static void admit(const kg_split *s, kg_attempt *t, size_t l, size_t most, double least) {
  receivers(s, l, t->tally);
  for (size_t b = 0; b < t->n_of; b++)
    t->tally[t->of[b]] = 0;
  for (; most > 0; most--) {
    size_t best = largest(t->tally, s->k);
    if (t->tally[best] == 0 || t->tally[best] < least)
      return;
    t->tally[best] = 0;
    t->of[t->n_of++] = best;
  }
}

void kg_split_begin(const kg_split *s, kg_attempt *t, size_t a, size_t c) {
  KG_CHECK(a < s->k && c < s->k && a != c);
  kg_part *local = &t->local;
  size_t m = 0, n_a = s->first[a + 1] - s->first[a], ones = 0;
  t->a = a;
  t->c = c;
  t->of[0] = a;
  t->of[1] = c;
  t->n_of = 2;
  t->values = 0;
  admit(s, t, c, KG_RECEIVERS, 0.05 * (double)(s->first[c + 1] - s->first[c]));
  admit(s, t, a, KG_NEIGHBOURS, 0);
  for (size_t b = 0; b < t->n_of; b++)
    for (size_t q = s->first[t->of[b]]; q < s->first[t->of[b] + 1]; q++) {
      local->label[m] = (int)b;
      local->rows[m++] = s->member[q];
    }
  part_of(local, s->e, m, t->n_of);
  part_take(local, s->e, t->of);
  const kg_engine *e = local->e;
  t->before = e->rule.W;
  /* the lesser half goes */
  for (size_t r = 0; r < n_a; r++)
    ones += s->halves.half[local->rows[r]] == 1;
  int leaves = 2 * ones <= n_a;
  for (size_t r = 0; r < m; r++) {
    double least = HUGE_VAL, best = local->label[r];
    if (local->label[r] == 0 && s->halves.half[local->rows[r]] == leaves)
      best = 1;
    if (local->label[r] == 1)
      e->input->kind->nearest(local->e, 1, r, r + 1, &least, &best);
    t->target[r] = (int)best;
  }
  t->phase = ones == 0 || ones == n_a ? DONE : RELABEL;
  t->go_on = t->sweeps = 0;
  t->change = HUGE_VAL;
}

static int none_empty(const kg_engine *e) {
  for (size_t l = 0; l < e->k; l++)
    if (e->count[l] == 0)
      return 0;
  return 1;
}

int kg_split_go(kg_attempt *t, double work) {
  kg_engine *e = t->local.e;
  const kg_kind *kind = e->input->kind;
  size_t m = t->local.m, before = e->moves;
  double done = e->work;
  if (t->phase == DONE)
    return 1;
  if (t->phase == RELABEL) {
    t->go_on = kind->relabel(e, t->target, t->go_on, work);
    count_work(t, before, done);
    if (t->go_on < m)
      return 0;
    t->phase = part_totals(&t->local) && none_empty(e) ? SWEEP : DONE;
    t->go_on = 0;
    t->moves = e->moves;
    t->W = e->rule.W;
    return t->phase == DONE;
  }
  t->go_on = kind->sweep(e, t->go_on, work);
  count_work(t, before, done);
  if (t->go_on < m)
    return 0;
  double fall = t->W - e->rule.W, rise = e->rule.W - t->before;
  int more = e->moves > t->moves && ++t->sweeps < SWEEPS;
  t->go_on = 0;
  t->moves = e->moves;
  t->W = e->rule.W;
  /* the falls of the sweeps grow less and less */
  if (more && rise < 4 * fall)
    return 0;
  t->phase = DONE;
  if (part_totals(&t->local))
    t->change = e->rule.W - t->before;
  return 1;
}

void kg_split_labels(const kg_split *s, const kg_attempt *t, int *label) {
  memcpy(label, s->e->label, s->n * sizeof(int));
  for (size_t r = 0; r < t->local.m; r++)
    label[t->local.rows[r]] = (int)t->of[t->local.label[r]];
}
