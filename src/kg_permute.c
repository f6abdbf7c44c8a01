/* kg_permute.c - statistics of many relabellings of the same points, in one pass over
 * the pairs.
 *
 * The pairwise dissimilarities are centred with the weights, b_ij = B_ij - c_i - c_j with
 * c = B w / s - (w' B w)/(2 s^2), so that every row has weighted sum 0. Then
 *     S = sum_a M_aa / s_a,     M_ab = sum_{x in a, y in b} w_x w_y b_xy,
 * Eq. (16) without the subtraction total - W, which would cost S its digits. If weights
 * differ between relabellings, any centre will do, and S is sum_a M_aa / s_a less the sum
 * of all M_ab over s: both are added up pair by pair. A pairwise
 * dissimilarity is computed once for all the relabellings of a call: O(n^2 (d + m) / 2)
 * for m of them, whatever k, with labels side by side so that one instruction serves
 * several. */
#include "kg_permute.h"
#include "kg_check.h"
#include "kg_pairs.h"
#include <string.h>

enum { LANES = KG_LANES, ROWS = 32, COLUMNS = 256 };

void kg_permute_lay(kg_permute *p, kg_room *room) {
  const size_t n = p->pairs->n, forms = p->statistic == KG_ORIGINAL ? p->m : 0;
  p->lanes.groups = (p->m + LANES - 1) / LANES;
  const size_t lanes = forms ? 0 : p->lanes.groups * LANES;
  p->lanes.label = KG_TAKE2(room, lanes, n, int);
  p->lanes.inverse = KG_TAKE2(room, lanes, p->k, double);
  p->weight = KG_TAKE2(room, p->own_weights ? lanes + forms : 0, n, double);
  p->lanes.constant = KG_TAKE(room, p->own_weights ? lanes : 0, double);
  p->form.label = KG_TAKE2(room, forms, n, int);
  p->form.C = KG_TAKE2(room, forms * p->k, p->k, double);
  p->s = KG_TAKE(room, p->k, double);
  p->value = KG_TAKE(room, ROWS * COLUMNS, double);
  p->out = KG_TAKE(room, p->lanes.groups * LANES, double);
}

/* sum_{a<b} s_a s_b/(s_a + s_b) E_ab as a form in M: 2 s_b/(s_a (s_a + s_b)) summed over
 * b on the diagonal, -2/(s_a + s_b) off it. */
static void original_form(const double *s, size_t k, double *C) {
  memset(C, 0, k * k * sizeof(double));
  for (size_t a = 0; a < k; a++)
    for (size_t b = 0; b < k; b++) {
      if (a == b || s[a] == 0 || s[b] == 0)
        continue;
      C[a * k + b] = -2 / (s[a] + s[b]);
      C[a * k + a] += 2 * (s[b] / (s[a] + s[b])) / s[a];
    }
}

/* The factors of M_aa and of all M_ab in the statistic of relabelling q. */
static void set_factors(kg_permute *p, size_t q) {
  const size_t k = p->k, g = q / LANES, lane = q % LANES;
  double total = 0;
  for (size_t a = 0; a < k; a++) {
    double one = p->s[a] > 0 ? 1 / p->s[a] : 0;
    total += p->s[a];
    if (p->statistic == KG_SQUARED)
      one *= one;
    p->lanes.inverse[(g * k + a) * LANES + lane] = p->statistic == KG_TOTAL ? 0 : one;
  }
  if (p->own_weights)
    p->lanes.constant[q] =
        p->statistic == KG_BETWEEN && total > 0 ? -1 / total : p->statistic == KG_TOTAL;
}

void kg_permute_set(kg_permute *p, size_t q, const int *label, const double *w) {
  const size_t n = p->pairs->n, k = p->k, g = q / LANES, lane = q % LANES;
  KG_CHECK(q < p->m && (p->own_weights || p->statistic != KG_TOTAL));
  if (!p->own_weights)
    w = p->w;
  p->out[q] = 0;
  memset(p->s, 0, k * sizeof(double));
  for (size_t i = 0; i < n; i++)
    p->s[label[i]] += w[i];
  if (p->statistic == KG_ORIGINAL) {
    memcpy(p->form.label + q * n, label, n * sizeof(int));
    if (p->own_weights)
      memcpy(p->weight + q * n, w, n * sizeof(double));
    original_form(p->s, k, p->form.C + q * k * k);
    return;
  }
  for (size_t i = 0; i < n; i++)
    p->lanes.label[(g * n + i) * LANES + lane] = label[i];
  for (size_t i = 0; p->own_weights && i < n; i++)
    p->weight[(g * n + i) * LANES + lane] = w[i];
  set_factors(p, q);
  for (size_t rest = q + 1; q + 1 == p->m && rest % LANES > 0; rest++) {
    p->out[rest] = 0; /* lanes without a relabelling count for nothing */
    for (size_t i = 0; i < n; i++)
      p->lanes.label[(g * n + i) * LANES + rest % LANES] = 0;
    for (size_t a = 0; a < k; a++)
      p->lanes.inverse[(g * k + a) * LANES + rest % LANES] = 0;
    for (size_t i = 0; p->own_weights && i < n; i++)
      p->weight[(g * n + i) * LANES + rest % LANES] = 0;
    if (p->own_weights)
      p->lanes.constant[rest] = 0;
  }
}

/* value[r][j] = w_j b(from + r, a + j) for a tile, without w_j if weights are each one's
 * own; zero weights leave zeros. */
static void centred_tile(const kg_permute *p, size_t from, size_t n_rows, size_t a,
                         size_t b) {
  size_t rows[ROWS], width = b - a;
  for (size_t r = 0; r < ROWS; r++)
    rows[r] = from + r;
  kg_block(p->pairs, rows, n_rows, a, b, p->value);
  for (size_t r = 0; r < n_rows; r++) {
    double *v = p->value + r * width, ci = p->centre[from + r];
    for (size_t j = 0; j < width; j++)
      v[j] = (p->own_weights ? 1 : p->w[a + j]) * (v[j] - ci - p->centre[a + j]);
  }
}

/* acc[p] = sum of w_j v_j over the points of the label that is `own`, all[p] of all
 * points. */
static void own_weight_sums(const int *own, const int *lane, const double *weight,
                            const double *v, size_t m, double *acc, double *all) {
  double sum[LANES], total[LANES];
  int home[LANES];
  for (size_t p = 0; p < LANES; p++)
    sum[p] = total[p] = 0;
  memcpy(home, own, sizeof home);
  for (size_t j = 0; j < m; j++) {
    const int *label = lane + j * LANES;
    const double *w = weight + j * LANES, value = v[j];
#ifdef _OPENMP
#pragma omp simd
#endif
    for (size_t p = 0; p < LANES; p++) {
      double one = value * w[p];
      total[p] += one;
      sum[p] += label[p] == home[p] ? one : 0.0;
    }
  }
  memcpy(acc, sum, sizeof sum);
  memcpy(all, total, sizeof total);
}

/* The weight of i in relabelling `lane` of group g; a form has a group for each. */
static double weight_of(const kg_permute *p, size_t g, size_t i, size_t lane) {
  if (!p->own_weights)
    return p->w[i];
  const size_t at = g * p->pairs->n + i;
  return p->statistic == KG_ORIGINAL ? p->weight[at] : p->weight[at * LANES + lane];
}

/* The pair of i with itself, of every relabelling. */
static void add_own(kg_permute *p, size_t i) {
  const size_t n = p->pairs->n, k = p->k;
  const double own = -2 * p->centre[i];
  for (size_t q = 0; p->statistic == KG_ORIGINAL && q < p->m; q++) {
    size_t a = (size_t)p->form.label[q * n + i];
    double w = weight_of(p, q, i, 0);
    p->out[q] += w * w * own * p->form.C[(q * k + a) * k + a];
  }
  for (size_t g = 0; p->statistic != KG_ORIGINAL && g < p->lanes.groups; g++)
    for (size_t lane = 0; lane < LANES; lane++) {
      size_t a = (size_t)p->lanes.label[(g * n + i) * LANES + lane];
      double w = weight_of(p, g, i, lane),
             factor = p->lanes.inverse[(g * k + a) * LANES + lane];
      if (p->own_weights)
        factor += p->lanes.constant[g * LANES + lane];
      p->out[g * LANES + lane] += w * w * own * factor;
    }
}

/* The pairs of i and the points [first, b), values v, for KG_LANES relabellings. */
static void add_between(kg_permute *p, size_t g, size_t i, size_t first, size_t b,
                        const double *v) {
  const size_t n = p->pairs->n;
  const int *lane = p->lanes.label + g * n * LANES;
  double acc[LANES], all[LANES] = {0};
  if (p->own_weights)
    own_weight_sums(lane + i * LANES, lane + first * LANES,
                    p->weight + (g * n + first) * LANES, v, b - first, acc, all);
  else
    kg_chosen_loops->same_label(lane + i * LANES, lane + first * LANES, v, b - first, acc);
  for (size_t q = 0; q < LANES; q++) {
    size_t l = (size_t)lane[i * LANES + q];
    double sum = acc[q] * p->lanes.inverse[(g * p->k + l) * LANES + q];
    if (p->own_weights)
      sum += all[q] * p->lanes.constant[g * LANES + q];
    p->out[g * LANES + q] += 2 * weight_of(p, g, i, q) * sum;
  }
}

/* The same for a form. */
static void add_form(kg_permute *p, size_t q, size_t i, size_t first, size_t b,
                     const double *v) {
  const size_t n = p->pairs->n;
  const int *group = p->form.label + q * n;
  const double *row = p->form.C + (q * p->k + (size_t)group[i]) * p->k;
  const double *w = p->own_weights ? p->weight + q * n : NULL;
  double sum = 0;
  for (size_t j = first; j < b; j++)
    sum += v[j - first] * (w ? w[j] : 1) * row[group[j]];
  p->out[q] += 2 * weight_of(p, q, i, 0) * sum;
}

void kg_permute_rows(kg_permute *p, size_t from, size_t to) {
  const size_t n = p->pairs->n,
               many = p->statistic == KG_ORIGINAL ? p->m : p->lanes.groups;
  KG_CHECK(from <= to && to <= n);
  for (size_t i0 = from; i0 < to; i0 += ROWS) {
    size_t n_rows = to - i0 < ROWS ? to - i0 : ROWS;
    for (size_t r = 0; r < n_rows; r++)
      add_own(p, i0 + r);
    for (size_t a = i0; a < n; a += COLUMNS) {
      size_t b = n - a < COLUMNS ? n : a + COLUMNS;
      centred_tile(p, i0, n_rows, a, b);
      for (size_t q = 0; q < many; q++)
        for (size_t r = 0; r < n_rows; r++) {
          size_t i = i0 + r, first = i + 1 > a ? i + 1 : a;
          const double *v = p->value + r * (b - a) + (first - a);
          if (first >= b || (!p->own_weights && p->w[i] == 0))
            continue;
          if (p->statistic == KG_ORIGINAL)
            add_form(p, q, i, first, b, v);
          else
            add_between(p, q, i, first, b, v);
        }
    }
  }
}
