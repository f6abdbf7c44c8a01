/* kg_split.c - a better partition by trials inside a few clusters: one is split, another
 * one dissolved.
 *
 * Local optima of W are of one kind mostly: two means where one would do, and one where
 * two are needed. For every cluster its best halves are found from its points alone
 * (2-means, k-means++ seeds), and W falls by gain; dissolving a cluster costs no more
 * than its points pay at the second nearest means, or than merging it with the cluster
 * that gets most of them,
 *     s_c s_l / (s_c + s_l) |mu_c - mu_l|^2   (Ward).
 * A pair that promises much is tried inside the two clusters and those beside them: their
 * columns of R are copied, and the change of W is exact, since no other cluster has part
 * in it. A trial costs O(m) a move for m points instead of O(n). */
#include "kg.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 20, TRIES = 3 };

static size_t dimension(const kg_pairs *pairs) {
  const kg_coordinates *points = kg_coordinates_of(pairs);
  return points ? points->d : 0;
}

/* ---- memory ---- */

static size_t local_doubles(const kg_pairs *pairs) {
  size_t n = pairs->n;
  return n + n * dimension(pairs) + kg_state_doubles(n, KG_TRIAL) +
         kg_state_workspace(pairs, 1);
}

size_t kg_split_doubles(const kg_pairs *pairs, size_t k) {
  return 4 * k + local_doubles(pairs);
}

size_t kg_split_sizes(size_t n, size_t k) {
  return n + k + 1 + n + kg_state_counts(n, KG_TRIAL);
}

size_t kg_split_ints(size_t n, size_t k) {
  return 5 * n + 2 * k;
}

void kg_split_init(kg_split *s, kg_state *state, size_t most, double *doubles, size_t *sizes,
                   int *ints, unsigned char *tried, const double *uniforms,
                   size_t n_uniforms) {
  size_t n = state->e.n, k = state->e.k, d = dimension(state->pairs);
  kg_local *local = &s->local;
  memset(s, 0, sizeof *s);
  s->state = state;
  s->n = n;
  s->k = k;
  s->most = most;
  s->gain = doubles;
  s->removal = s->gain + k;
  s->score = s->removal + k;
  s->tally = s->score + k;
  local->w = s->tally + k;
  local->x = local->w + n;
  local->workspace = local->x + n * d;
  local->doubles = local->workspace + kg_state_workspace(state->pairs, 1);
  s->member = sizes;
  s->first = sizes + n;
  local->rows = s->first + k + 1;
  local->counts = local->rows + n;
  s->second = ints;
  s->half = s->second + n;
  s->was = s->half + n;
  local->label = s->was + n;
  s->target = local->label + n;
  s->partner = s->target + n;
  s->changed = s->partner + k;
  s->tried = tried;
  s->uniforms = uniforms;
  s->n_uniforms = n_uniforms;
}

double kg_split_uniform(kg_split *s) {
  if (s->at >= s->n_uniforms) s->at = 0;
  return s->uniforms[s->at++];
}

/* ---- some points as an engine ---- */

/* An engine of k clusters on the first m of local->rows; labels and sums are to come. */
static void local_engine(kg_split *s, size_t m, size_t k) {
  kg_local *local = &s->local;
  const kg_pairs *pairs = s->state->pairs;
  const kg_coordinates *points = kg_coordinates_of(pairs);
  local->m = m;
  local->k = k;
  local->some.of = pairs;
  local->some.rows = local->rows;
  local->pairs = points ? kg_points_some(points, local->rows, m, local->x)
                        : kg_pairs_some(&local->some, m);
  for (size_t r = 0; r < m; r++) local->w[r] = s->state->e.w[local->rows[r]];
  local->input.kind = s->state->e.input->kind;
  local->input.n = m;
  local->input.w = local->w;
  local->input.values = &local->pairs;
  kg_state_init(&local->state, &local->input, k, local->label, local->doubles,
                local->counts, 1, local->workspace);
  kg_state_built(&local->state);
  local->state.e.rule.s = s->state->e.rule.s;
}

/* ---- halves ---- */

int kg_split_can(const kg_split *s, size_t a) {
  return s->gain[a] > -HUGE_VAL;
}

/* Two seeds of the first m of the rows: the better of a few far points, by k-means++.
 * Labels of all m; 0 if all points lie on the first. row, nearest: m values each. */
static int seed(kg_split *s, size_t m, double *row, double *nearest) {
  kg_local *local = &s->local;
  const kg_pairs *pairs = &local->pairs;
  double u[KG_DRAWS], least = HUGE_VAL;
  size_t best = m, x;
  for (int t = 0; t < KG_DRAWS; t++) u[t] = kg_split_uniform(s);
  x = kg_draw(local->w, nearest, m, 0, u[0]);
  kg_block(pairs, &x, 1, 0, m, nearest);
  for (size_t r = 0; r < m; r++) nearest[r] *= -2;
  for (int t = 0; t < TRIES; t++) {
    double potential = 0;
    double total = 0, sum = 0;
    size_t y = m;
    for (size_t r = 0; r < m; r++) total += nearest[r] > 0 ? local->w[r] * nearest[r] : 0;
    if (!(total > 0)) return 0;
    for (size_t r = 0; r < m; r++) {
      if (!(nearest[r] > 0)) continue;
      sum += local->w[r] * nearest[r];
      y = r;
      if (sum > u[1 + t] * total) break;
    }
    kg_block(pairs, &y, 1, 0, m, row);
    for (size_t r = 0; r < m; r++) {
      double rho = -2 * row[r];
      potential += local->w[r] * (rho < nearest[r] ? rho : nearest[r]);
    }
    if (potential < least || best == m) {
      least = potential;
      best = y;
    }
  }
  kg_block(pairs, &best, 1, 0, m, row);
  for (size_t r = 0; r < m; r++) local->label[r] = -2 * row[r] < nearest[r];
  local->label[best] = 1;
  local->label[x] = 0;
  return best != x;
}

static void sweep_all(kg_state *state) {
  for (size_t at = 0; at < state->e.n;) at = kg_hartigan_sweep(state, at, HUGE_VAL);
}

/* The halves of n_a > m points by the nearest of the means of the two of local. */
static void extend(kg_split *s, const size_t *member, size_t n_a) {
  kg_local *local = &s->local;
  const kg_state *two = &local->state;
  const kg_pairs *pairs = s->state->pairs;
  const kg_coordinates *points = kg_coordinates_of(pairs);
  size_t m = local->m, d = dimension(pairs);
  /* beside the coordinates of the sample there is room for those of n - m points */
  size_t most = s->n - m < KG_STRETCH ? s->n - m : KG_STRETCH;
  for (size_t from = 0; from < n_a; from += most) {
    size_t width = n_a - from < most ? n_a - from : most;
    double sum[2][KG_STRETCH], value[KG_STRETCH];
    kg_some some = {pairs, member + from};
    kg_pairs piece = kg_pairs_some(&some, width);
    if (points) piece = kg_points_some(points, member + from, width, local->x + m * d);
    memset(sum, 0, sizeof sum);
    for (size_t r = 0; r < m; r++) {
      if (points)
        kg_point_row(&piece.points, points->x + local->rows[r], points->n, value);
      else
        pairs->store->among(pairs, local->rows[r], some.rows, width, value);
      kg_chosen_loops->add(value, local->w[r], width, sum[local->label[r]]);
    }
    for (size_t j = 0; j < width; j++)
      s->half[member[from + j]] = two->share[1] - two->twice[1] * sum[1][j] <
                                  two->share[0] - two->twice[0] * sum[0][j];
  }
  s->values += (double)m * (double)n_a;
}

/* 2-means of the points of cluster a alone. */
static void halve(kg_split *s, size_t a) {
  kg_local *local = &s->local;
  kg_state *two = &local->state;
  size_t n_a = s->first[a + 1] - s->first[a], m = n_a < s->most ? n_a : s->most;
  const size_t *member = s->member + s->first[a];
  double weight = 0, all = s->state->e.s[a];
  s->gain[a] = -HUGE_VAL;
  if (n_a < 2) return;
  /* evenly spaced, whatever the order of the data */
  double offset = n_a > m ? kg_split_uniform(s) : 0;
  for (size_t r = 0; r < m; r++)
    local->rows[r] = member[n_a > m ? (size_t)(((double)r + offset) * (double)n_a / (double)m)
                                    : r];
  local_engine(s, m, 2);
  s->values += (double)m * (double)(m + 2 * TRIES + 4) / 2;
  /* R is free until the sums are built */
  if (!seed(s, m, two->R, two->R + m)) return;
  kg_first_pass(&two, 1, 0, m, two->row);
  kg_state_built(two);
  if (kg_totals(two) != KG_OK) return;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    size_t before = two->e.moves;
    sweep_all(two);
    s->values += (double)(two->e.moves - before) * (double)m;
    if (two->e.moves == before) break;
  }
  if (kg_totals(two) != KG_OK) return;
  double V = 0;
  for (size_t r = 0; r < m; r++) {
    weight += local->w[r];
    V += local->w[r] * (two->R[r] + two->R[r + m]);
  }
  s->gain[a] = (-V / weight - two->e.cost[0] - two->e.cost[1]) * (all / weight);
  if (m == n_a) {
    for (size_t r = 0; r < m; r++) s->half[local->rows[r]] = local->label[r];
    return;
  }
  /* the others by the nearest of the two means: their sums over the sample */
  extend(s, member, n_a);
  for (size_t r = 0; r < m; r++) s->half[local->rows[r]] = local->label[r];
}

/* ---- the look at all points ---- */

/* The nearest mean but the own, for all points. */
static void second_means(kg_split *s) {
  const kg_state *state = s->state;
  const kg_engine *e = &state->e;
  for (size_t from = 0; from < s->n; from += KG_BLOCK) {
    size_t width = s->n - from < KG_BLOCK ? s->n - from : KG_BLOCK;
    double least[KG_BLOCK], best[KG_BLOCK];
    for (size_t j = 0; j < width; j++) least[j] = HUGE_VAL, best[j] = -1;
    for (size_t l = 0; l < s->k; l++) {
      const double *R = state->R + from + l * s->n;
      if (e->count[l] == 0) continue;
      for (size_t j = 0; j < width; j++) {
        double d2 = state->share[l] - state->twice[l] * R[j];
        int less = d2 < least[j] && (size_t)e->label[from + j] != l;
        least[j] = less ? d2 : least[j];
        best[j] = less ? (double)l : best[j];
      }
    }
    for (size_t j = 0; j < width; j++) s->second[from + j] = (int)best[j];
  }
}

static void list_members(kg_split *s) {
  const kg_engine *e = &s->state->e;
  size_t *first = s->first;
  memset(first, 0, (s->k + 1) * sizeof(size_t));
  for (size_t i = 0; i < s->n; i++)
    if (e->w[i] > 0) first[e->label[i] + 1]++;
  for (size_t l = 0; l < s->k; l++) first[l + 1] += first[l];
  for (size_t i = 0; i < s->n; i++)
    if (e->w[i] > 0) s->member[first[e->label[i]]++] = i;
  for (size_t l = s->k; l > 0; l--) first[l] = first[l - 1];
  first[0] = 0;
}

/* tally[l] = points of c whose second nearest mean is that of l. */
static void receivers(const kg_split *s, size_t c, double *tally) {
  memset(tally, 0, s->k * sizeof(double));
  for (size_t q = s->first[c]; q < s->first[c + 1]; q++)
    if (s->second[s->member[q]] >= 0) tally[s->second[s->member[q]]] += 1;
}

static size_t largest(const double *tally, size_t k) {
  size_t best = 0;
  for (size_t l = 1; l < k; l++)
    if (tally[l] > tally[best]) best = l;
  return best;
}

/* What W rises by at most without c. */
static double removal(kg_split *s, size_t c) {
  const kg_state *state = s->state;
  const kg_engine *e = &state->e;
  double sum = 0, M = 0;
  receivers(s, c, s->tally);
  size_t l = largest(s->tally, s->k);
  for (size_t q = s->first[c]; q < s->first[c + 1]; q++) {
    size_t i = s->member[q];
    if (s->second[i] < 0) return HUGE_VAL;
    sum += e->w[i] * (kg_d2(state, i, (size_t)s->second[i]) - kg_d2(state, i, c));
    M += e->w[i] * state->R[i + l * s->n];
  }
  if (l == c) return sum;
  double far = state->share[c] + state->share[l] - 2 * M / e->s[c] / e->s[l];
  double ward = e->s[c] / (e->s[c] + e->s[l]) * e->s[l] * far;
  return ward < sum ? ward : sum;
}

void kg_split_look(kg_split *s, int all) {
  const kg_engine *e = &s->state->e;
  double *lost = s->tally;
  memset(lost, 0, s->k * sizeof(double));
  list_members(s);
  for (size_t i = 0; i < s->n && !all; i++) {
    if (s->was[i] == e->label[i] || e->w[i] == 0) continue;
    lost[s->was[i]] += 1;
    lost[e->label[i]] += 1;
    s->half[i] = 0; /* until its cluster is halved anew */
  }
  for (size_t l = 0; l < s->k; l++)
    s->changed[l] = all || lost[l] > 0.05 * (double)e->count[l];
  if (all) memset(s->half, 0, s->n * sizeof(int));
  second_means(s);
  for (size_t c = 0; c < s->k; c++) s->removal[c] = removal(s, c);
}

/* The best partner of a cluster c that is dissolved. What c leaves to a is part of what
 * a gains. */
static void set_partner(kg_split *s, size_t c) {
  double count = (double)(s->first[c + 1] - s->first[c]);
  receivers(s, c, s->tally);
  s->partner[c] = -1;
  s->score[c] = -HUGE_VAL;
  for (size_t a = 0; a < s->k; a++) {
    if (a == c || !kg_split_can(s, a) || s->tried[a + c * s->k]) continue;
    double score = s->gain[a] - s->removal[c] * (1 - 0.8 * s->tally[a] / count);
    if (score > s->score[c]) {
      s->score[c] = score;
      s->partner[c] = (int)a;
    }
  }
}

int kg_split_halve(kg_split *s) {
  const kg_engine *e = &s->state->e;
  size_t l = 0;
  while (l < s->k && !s->changed[l]) l++;
  if (l < s->k) {
    s->changed[l] = 0;
    for (size_t q = s->first[l]; q < s->first[l + 1]; q++)
      s->was[s->member[q]] = e->label[s->member[q]];
    for (size_t c = 0; c < s->k; c++) s->tried[l + c * s->k] = s->tried[c + l * s->k] = 0;
    halve(s, l);
    return 1;
  }
  for (size_t c = 0; c < s->k; c++) set_partner(s, c);
  return 0;
}

int kg_split_best(const kg_split *s, size_t *a, size_t *c) {
  size_t best = s->k;
  for (size_t l = 0; l < s->k; l++)
    if (s->partner[l] >= 0 && (best == s->k || s->score[l] > s->score[best])) best = l;
  if (best == s->k) return 0;
  *c = best;
  *a = (size_t)s->partner[best];
  return 1;
}

void kg_split_failed(kg_split *s, size_t a, size_t c) {
  s->tried[a + c * s->k] = 1;
  set_partner(s, c);
}

/* ---- a trial ---- */

enum { RELABEL, SWEEP, DONE };

/* Clusters that get at least `least` of the points of l, the largest first. */
static void admit(kg_split *s, size_t l, size_t most, double least) {
  receivers(s, l, s->tally);
  for (size_t b = 0; b < s->n_of; b++) s->tally[s->of[b]] = 0;
  for (; most > 0; most--) {
    size_t best = largest(s->tally, s->k);
    if (s->tally[best] == 0 || s->tally[best] < least) return;
    s->tally[best] = 0;
    s->of[s->n_of++] = best;
  }
}

void kg_split_begin(kg_split *s, size_t a, size_t c) {
  kg_local *local = &s->local;
  kg_state *state = &local->state;
  const kg_state *whole = s->state;
  size_t m = 0, n = s->n, n_a = s->first[a + 1] - s->first[a], ones = 0;
  s->a = a;
  s->c = c;
  s->of[0] = a;
  s->of[1] = c;
  s->n_of = 2;
  admit(s, c, KG_RECEIVERS, 0.05 * (double)(s->first[c + 1] - s->first[c]));
  admit(s, a, KG_NEIGHBOURS, 0);
  for (size_t b = 0; b < s->n_of; b++)
    for (size_t q = s->first[s->of[b]]; q < s->first[s->of[b] + 1]; q++)
      local->rows[m++] = s->member[q];
  local_engine(s, m, s->n_of);
  for (size_t b = 0, r = 0; b < s->n_of; b++) {
    size_t many = s->first[s->of[b] + 1] - s->first[s->of[b]];
    for (size_t q = 0; q < many; q++) local->label[r++] = (int)b;
    const double *R = whole->R + s->of[b] * n;
    double *into = state->R + b * m;
    for (size_t q = 0; q < m; q++) into[q] = R[local->rows[q]];
  }
  kg_totals(state);
  s->before = state->e.rule.W;
  /* the lesser half goes */
  for (size_t r = 0; r < n_a; r++) ones += s->half[local->rows[r]] == 1;
  int leaves = 2 * ones <= n_a;
  for (size_t r = 0; r < m; r++) {
    s->target[r] = local->label[r];
    if (local->label[r] == 0 && s->half[local->rows[r]] == leaves) s->target[r] = 1;
    if (local->label[r] != 1) continue;
    double least = HUGE_VAL;
    for (size_t b = 0; b < s->n_of; b++) {
      if (b == 1) continue;
      double d2 = kg_d2(state, r, b);
      if (d2 < least) {
        least = d2;
        s->target[r] = (int)b;
      }
    }
  }
  s->phase = ones == 0 || ones == n_a ? DONE : RELABEL;
  s->go_on = s->sweeps = 0;
  s->change = HUGE_VAL;
}

static int none_empty(const kg_engine *e) {
  for (size_t l = 0; l < e->k; l++)
    if (e->count[l] == 0) return 0;
  return 1;
}

int kg_split_go(kg_split *s, int bold, double work) {
  kg_state *state = &s->local.state;
  kg_engine *e = &state->e;
  size_t m = s->local.m, before = e->moves;
  double rows = work / kg_state_row_cost(state);
  size_t budget = rows < 1 ? 1 : rows < (double)m ? (size_t)rows : m;
  if (s->phase == DONE) return 1;
  if (s->phase == RELABEL) {
    s->go_on = kg_relabel(state, s->target, s->go_on, budget);
    s->values += (double)(e->moves - before) * (double)m;
    if (s->go_on < m) return 0;
    s->phase = kg_totals(state) == KG_OK && none_empty(e) ? SWEEP : DONE;
    s->go_on = 0;
    s->moves = e->moves;
    s->W = e->rule.W;
    return s->phase == DONE;
  }
  s->go_on = kg_hartigan_sweep(state, s->go_on, work);
  s->values += (double)(e->moves - before) * (double)m;
  if (s->go_on < m) return 0;
  double fall = s->W - e->rule.W, rise = e->rule.W - s->before;
  int more = e->moves > s->moves && ++s->sweeps < SWEEPS;
  s->go_on = 0;
  s->moves = e->moves;
  s->W = e->rule.W;
  /* the falls of the sweeps grow less and less */
  if (more && (bold || rise < 4 * fall)) return 0;
  s->phase = DONE;
  if (kg_totals(state) == KG_OK) s->change = e->rule.W - s->before;
  return 1;
}

void kg_split_labels(const kg_split *s, int *label) {
  memcpy(label, s->state->e.label, s->n * sizeof(int));
  for (size_t r = 0; r < s->local.m; r++)
    label[s->local.rows[r]] = (int)s->of[s->local.label[r]];
}
