/* kg_split.c - a better partition by attempts inside a few clusters: one is split, another
 * one removed.
 *
 * Local optima of W are of one kind mostly: two means where one would do, and one where
 * two are needed. For every cluster its best halves are found from its points alone
 * (2-means, k-means++ seeds), and W falls by gain; removing a cluster costs no more
 * than its points pay at the second nearest means, or than merging it with the cluster
 * that gets most of them,
 *     s_c s_l / (s_c + s_l) |mu_c - mu_l|^2   (Ward).
 * A pair that estimates much is tried inside the two clusters and those beside them: their
 * columns of R are copied, and the change of W is exact, since no other cluster has part
 * in it. A attempt costs O(m) a move for m points instead of O(n). */
#include "kg_split.h"
#include "kg_engine.h"
#include "kg_part.h"
#include "kg_rule.h"
#include "kg_sparse.h"
#include "kg_start.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 20, TRIES = 3, ONE_BY_ONE = 30 };

/* ---- memory ---- */

void kg_split_lay(kg_split *s, const kg_input *input, size_t k, size_t most, kg_room *room) {
  size_t n = input->n;
  memset(s, 0, sizeof *s);
  s->n = n;
  s->k = k;
  /* a sample of sparse rows has no information on the entries between the others */
  s->most = input->kind->shift ? n : most;
  s->gain = KG_TAKE(room, k, double);
  s->removal = KG_TAKE(room, k, double);
  s->score = KG_TAKE(room, k, double);
  s->tally = KG_TAKE(room, k, double);
  s->member = KG_TAKE(room, n, size_t);
  s->first = KG_TAKE(room, k + 1, size_t);
  s->second = KG_TAKE(room, n, int);
  s->half = KG_TAKE(room, n, int);
  s->was = KG_TAKE(room, n, int);
  s->partner = KG_TAKE(room, k, int);
  s->changed = KG_TAKE(room, k, int);
  s->tried = KG_TAKE2(room, k, k, unsigned char);
}

void kg_attempt_lay(kg_attempt *t, const kg_input *input, size_t k, kg_room *room) {
  size_t n = input->n;
  memset(t, 0, sizeof *t);
  t->tally = KG_TAKE(room, k, double);
  t->room = KG_TAKE(room, 2 * n, double);
  t->target = KG_TAKE(room, n, int);
  kg_part_lay(&t->local, input, room);
}

size_t kg_split_known(const kg_split *s) {
  size_t n = s->n, k = s->k;
  return 3 * k * sizeof(double) + (n + k + 1) * sizeof(size_t) +
         (3 * n + k) * sizeof(int) + k * k;
}

void kg_split_keep(kg_split *s, unsigned char *bytes, int back) {
  size_t n = s->n, k = s->k;
  struct {
    void *at;
    size_t size;
  } known[] = {{s->gain, k * sizeof(double)},     {s->removal, k * sizeof(double)},
               {s->score, k * sizeof(double)},    {s->member, n * sizeof(size_t)},
               {s->first, (k + 1) * sizeof(size_t)}, {s->second, n * sizeof(int)},
               {s->half, n * sizeof(int)},        {s->was, n * sizeof(int)},
               {s->partner, k * sizeof(int)},     {s->tried, k * k}};
  for (size_t a = 0; a < sizeof known / sizeof *known; a++) {
    memcpy(back ? known[a].at : bytes, back ? bytes : known[a].at, known[a].size);
    bytes += known[a].size;
  }
}

/* ---- halves ---- */

int kg_split_can(const kg_split *s, size_t a) {
  return s->gain[a] > -HUGE_VAL;
}

/* The cost that moves have cost since `before` of them and `work`: pairwise dissimilarities, or work. */
static void count_work(kg_attempt *t, size_t before, double work) {
  const kg_engine *e = t->local.e;
  t->values += e->input->kind->sums
                   ? (double)(e->moves - before) * (double)t->local.m
                   : e->work - work;
}

/* Two seeds: the better of a few far points, by k-means++. Labels of all points of the
 * part; 0 if all lie on the first. row, nearest: m values each. */
static int seed(kg_part *local, const double *u, double *row, double *nearest) {
  const kg_input *input = local->e->input;
  size_t m = local->m, best = m, x;
  double least = HUGE_VAL;
  x = kg_draw(local->e->w, nearest, m, 0, u[0]);
  input->kind->rho(input, x, 0, m, nearest);
  for (int t = 0; t < TRIES; t++) {
    double potential = 0;
    double total = 0, sum = 0;
    size_t y = m;
    for (size_t r = 0; r < m; r++)
      total += nearest[r] > 0 ? local->e->w[r] * nearest[r] : 0;
    if (!(total > 0))
      return 0;
    for (size_t r = 0; r < m; r++) {
      if (!(nearest[r] > 0))
        continue;
      sum += local->e->w[r] * nearest[r];
      y = r;
      if (sum > u[1 + t] * total)
        break;
    }
    input->kind->rho(input, y, 0, m, row);
    for (size_t r = 0; r < m; r++)
      potential += local->e->w[r] * (row[r] < nearest[r] ? row[r] : nearest[r]);
    if (best == m || kg_below(potential, least)) {
      least = potential;
      best = y;
    }
  }
  input->kind->rho(input, best, 0, m, row);
  for (size_t r = 0; r < m; r++)
    local->label[r] = kg_below(row[r], nearest[r]);
  local->label[best] = 1;
  local->label[x] = 0;
  return best != x;
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

/* Halves fit the points that they were found from better than others, the more so the
 * more dimensions there are. So the other points state what is gained: g_i = d2(i, mu_1) -
 * d2(i, mu_0), mu the means of some points, is below 0 in the second half, and for the
 * means m of the others by halves
 *     <m_0 - m_1, mu_0 - mu_1> = (mean of g in the first - mean of g in the second) / 2,
 * which over |mu_0 - mu_1| is at most |m_0 - m_1|. Halves at random gain what one point is
 * from its mean. */
static double fair_gain(const kg_split *s, const kg_part *some, size_t a,
                        const double *g) {
  const kg_engine *e = s->e;
  const size_t *member = s->member + s->first[a];
  size_t n_a = s->first[a + 1] - s->first[a], next = 0;
  double sum[2] = {0, 0}, weight[2] = {0, 0}, far = apart(some->e);
  for (size_t r = 0; r < n_a; r++) {
    size_t i = member[r];
    if (next < some->m && some->rows[next] == i) {
      next++;
      continue;
    }
    sum[s->half[i]] += e->w[i] * g[r];
    weight[s->half[i]] += e->w[i];
  }
  const double *s_of = some->e->s;
  if (!(weight[0] > 0 && weight[1] > 0)) /* what there is of a half is in the sample */
    return s_of[0] / (s_of[0] + s_of[1]) * s_of[1] * far;
  double along = (sum[0] / weight[0] - sum[1] / weight[1]) / 2;
  double first = (s_of[0] + weight[0]) / e->s[a], second = (s_of[1] + weight[1]) / e->s[a];
  double one = e->s[a] / (double)n_a * (some->e->cost[0] + some->e->cost[1]) /
               (s_of[0] + s_of[1]);
  return far > 0 ? e->s[a] * first * second * along * (along / far) + one : 0;
}

/* 2-means of some points of cluster a. */
static void halve_some(kg_split *s, kg_attempt *t, size_t a, const double *u) {
  kg_part *local = &t->local;
  size_t n_a = s->first[a + 1] - s->first[a], m = n_a < s->most ? n_a : s->most;
  const size_t *member = s->member + s->first[a];
  /* evenly spaced, whatever the order of the data */
  for (size_t r = 0; r < m; r++)
    local->rows[r] =
        member[n_a > m ? (size_t)(((double)r + u[0]) * (double)n_a / (double)m) : r];
  kg_part_of(local, s->e, m, 2);
  kg_engine *two = local->e;
  if (two->input->kind->sums)
    t->values += (double)m * (double)(m + 2 * TRIES + 4) / 2;
  if (!seed(local, u + 1, t->room, t->room + m))
    return;
  if (!kg_part_begin(local))
    return;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    size_t before = two->moves;
    double work = two->work;
    kg_part_sweep(local);
    count_work(t, before, work);
    if (two->moves == before)
      break;
  }
  if (!kg_part_totals(local))
    return;
  if (m < n_a) { /* the others by the nearest of the two means */
    kg_part_nearer(local, s->e, member, n_a, s->half, t->room);
    t->values += (double)m * (double)n_a;
    s->gain[a] = fair_gain(s, local, a, t->room);
  } else {
    s->gain[a] = two->s[0] / s->e->s[a] * two->s[1] * apart(two);
  }
  for (size_t r = 0; r < m; r++)
    s->half[local->rows[r]] = local->label[r];
}

/* The point of a that is farthest from its mean, of those with 0 in `seen`. */
static size_t farthest(const kg_split *s, size_t a, const double *seen) {
  const kg_engine *e = s->e;
  const size_t *member = s->member + s->first[a];
  size_t n_a = s->first[a + 1] - s->first[a], far = n_a;
  double most = -HUGE_VAL;
  for (size_t r = 0; r < n_a; r++) {
    double d2 = seen[r] ? -HUGE_VAL : e->input->kind->d2(e, member[r], a);
    if (kg_below(-d2, -most)) {
      most = d2;
      far = r;
    }
  }
  return far;
}

/* Of a few points far from all others of a cluster a sample may have none. Those nearer to
 * the farthest point than to the mean are cut off where that gains more than halves: if
 * they are many, the sample has them. The gain is exact. */
static void cut_off(kg_split *s, kg_attempt *t, size_t a) {
  const kg_engine *e = s->e;
  kg_part *few = &t->local;
  const size_t *member = s->member + s->first[a];
  size_t n_a = s->first[a + 1] - s->first[a];
  double *seen = t->room, *row = seen + s->n;
  /* a row of all points at once takes less time than that of many of them one by one */
  int whole = (double)n_a * ONE_BY_ONE > (double)s->n;
  memset(seen, 0, n_a * sizeof(double));
  for (int cut = 0; cut < TRIES; cut++) {
    size_t far = farthest(s, a, seen), m = 0;
    double sum = 0, rho;
    if (far == n_a)
      return;
    if (whole)
      e->input->kind->rho(e->input, member[far], 0, s->n, row);
    for (size_t r = 0; r < n_a; r++) {
      double d2 = e->input->kind->d2(e, member[r], a);
      if (whole)
        rho = row[member[r]];
      else
        e->input->kind->rho(e->input, member[far], member[r], member[r] + 1, &rho);
      if (r != far && !kg_below(rho, d2))
        continue;
      seen[r] = 1;
      sum += e->w[member[r]] * d2;
      few->label[m] = 0;
      few->rows[m++] = member[r];
    }
    t->values += (double)n_a;
    if (m > s->most || 2 * m > n_a)
      continue;
    kg_part_of(few, e, m, 1);
    if (!kg_part_begin(few))
      return;
    t->values += (double)m * (double)m / 2;
    double gain = e->s[a] / (e->s[a] - few->e->s[0]) * (sum - few->e->cost[0]);
    if (!kg_below(s->gain[a], gain))
      continue;
    s->gain[a] = gain;
    for (size_t r = 0; r < n_a; r++)
      s->half[member[r]] = 0;
    for (size_t r = 0; r < m; r++)
      s->half[few->rows[r]] = 1;
  }
}

void kg_split_halve(kg_split *s, kg_attempt *t, size_t a, const double *u) {
  t->values = 0;
  s->gain[a] = -HUGE_VAL;
  if (s->first[a + 1] - s->first[a] < 2)
    return;
  halve_some(s, t, a, u);
  if (kg_split_can(s, a) && s->improving)
    cut_off(s, t, a);
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

void kg_split_scan(kg_split *s, int all) {
  const kg_engine *e = s->e;
  double *lost = s->tally;
  memset(lost, 0, s->k * sizeof(double));
  kg_list_members(s->e->label, s->e->w, s->n, s->k, s->first, s->member);
  for (size_t i = 0; i < s->n && !all; i++) {
    if (e->w[i] == 0 || s->was[i] == e->label[i])
      continue;
    lost[s->was[i]] += 1;
    lost[e->label[i]] += 1;
    s->half[i] = 0; /* until its cluster is halved again */
  }
  for (size_t l = 0; l < s->k; l++)
    s->changed[l] = all || lost[l] > 0.05 * (double)e->count[l];
  if (all)
    memset(s->half, 0, s->n * sizeof(int));
  kg_second_means(s->e, 0, s->n, s->second);
  for (size_t c = 0; c < s->k; c++)
    s->removal[c] = removal(s, c);
}

/* Merging c into l costs what merging l into c does, so two scores may be one number but
 * for rounding, which must not choose between them. */
static int above(const kg_split *s, double score, double other) {
  return score > other + s->e->rule.tolerance;
}

/* The best partner of a cluster c that is removed. The points that c leaves to a may be part of what
 * a gains, which is no estimate. */
static void set_partner(kg_split *s, size_t c) {
  double shared = s->improving ? 0 : 0.8, count = (double)(s->first[c + 1] - s->first[c]);
  receivers(s, c, s->tally);
  s->partner[c] = -1;
  s->score[c] = -HUGE_VAL;
  for (size_t a = 0; a < s->k; a++) {
    if (a == c || !kg_split_can(s, a) || s->tried[a + c * s->k])
      continue;
    double score = s->gain[a] - s->removal[c] * (1 - shared * s->tally[a] / count);
    if (above(s, score, s->score[c])) {
      s->score[c] = score;
      s->partner[c] = (int)a;
    }
  }
}

int kg_split_next(kg_split *s, size_t *a, double *u) {
  const kg_engine *e = s->e;
  size_t l = 0;
  while (l < s->k && !s->changed[l])
    l++;
  if (l == s->k)
    return 0;
  size_t many = s->first[l + 1] - s->first[l];
  *a = l;
  s->changed[l] = 0;
  for (size_t q = s->first[l]; q < s->first[l + 1]; q++)
    s->was[s->member[q]] = e->label[s->member[q]];
  for (size_t c = 0; c < s->k; c++)
    s->tried[l + c * s->k] = s->tried[c + l * s->k] = 0;
  if (many < 2)
    return 1;
  u[0] = many > s->most ? kg_uniform(&s->draws) : 0;
  for (int draw = 1; draw < KG_DRAWS; draw++)
    u[draw] = kg_uniform(&s->draws);
  return 1;
}

void kg_split_partners(kg_split *s) {
  for (size_t c = 0; c < s->k; c++)
    set_partner(s, c);
}

int kg_split_best(const kg_split *s, size_t *a, size_t *c) {
  size_t best = s->k;
  for (size_t l = 0; l < s->k; l++)
    if (s->partner[l] >= 0 && (best == s->k || above(s, s->score[l], s->score[best])))
      best = l;
  if (best == s->k || (s->improving && !above(s, s->score[best], 0)))
    return 0;
  *c = best;
  *a = (size_t)s->partner[best];
  return 1;
}

void kg_split_failed(kg_split *s, size_t a, size_t c) {
  s->tried[a + c * s->k] = 1;
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
    s->tried[a[pair] + c[pair] * s->k] = 0;
  for (size_t pair = 0; pair < many && many > 1; pair++)
    set_partner(s, c[pair]);
  return many;
}

/* ---- an attempt ---- */

enum { RELABEL, SWEEP, DONE };

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
  kg_part_of(local, s->e, m, t->n_of);
  kg_part_take(local, s->e, t->of);
  const kg_engine *e = local->e;
  t->before = e->rule.W;
  /* the lesser half goes */
  for (size_t r = 0; r < n_a; r++)
    ones += s->half[local->rows[r]] == 1;
  int leaves = 2 * ones <= n_a;
  for (size_t r = 0; r < m; r++) {
    double least = HUGE_VAL, best = local->label[r];
    if (local->label[r] == 0 && s->half[local->rows[r]] == leaves)
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
    t->phase = kg_part_totals(&t->local) && none_empty(e) ? SWEEP : DONE;
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
  if (kg_part_totals(&t->local))
    t->change = e->rule.W - t->before;
  return 1;
}

void kg_split_labels(const kg_split *s, const kg_attempt *t, int *label) {
  memcpy(label, s->e->label, s->n * sizeof(int));
  for (size_t r = 0; r < t->local.m; r++)
    label[t->local.rows[r]] = (int)t->of[t->local.label[r]];
}
