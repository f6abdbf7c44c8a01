/* kg_belief.c - belief propagation for six stochastic block models.
 *
 * Between vertices i and j of groups q and s there are Poisson many edges, y_ij(q, s) =
 * theta_i theta_j W_qs in the mean; the graph determines whether there are any. Every
 * vertex i keeps a marginal P_i over k groups, every edge a message M_{j->i} each way:
 *     L_i(q) = log g_q + X(bin of d_i, q) - h_i(q) + sum_{j ~ i} log T_ji(q),        (1)
 *     T_ji(q) = sum_s (1 - exp(-y_ij(q, s))) M_{j->i}(s),
 *     h_i(q) = sum_{u not i, not ~ i} sum_s y_iu(q, s) P_u(s),
 *     P_i ~ exp(L_i),    M_{i->j} ~ exp(L_i) / T_ji.                                 (2)
 * W is a inside groups and b across, or rho_q rho_s (a or b) with rho_q = N_q / S_q,
 * N_q = sum_u P_u(q), S_q = sum_u theta_u P_u(q). With phi(y) =
 * (1 - exp(-y)) / y, R = sum_s rho_s M(s), a term is y(q, s) phi(y(q, s)) in the mean:
 *     T(q) = theta_i theta_j rho_q b R t(q),                                         (3)
 *     t(q) = sum_s phi(y(q, s)) W_qs M(s) / (rho_q b R),
 * near 1 + (a / b - 1) rho_q M(q) / R where edges are sparse. phi is what keeps hubs,
 * whose every second pair is joined, from being distinguished for lack of double edges.
 *
 * An edge of weight v counts as v observed edges: y^v exp(-y) stands for 1 - exp(-y),
 * (a / b)^v for a / b, phi(y) is exp(-y).
 *
 * A sweep updates one vertex after the other, by the messages and the field that the
 * vertices before it left. Then the parameters are estimated from the beliefs: an
 * observed edge counts y / (1 - exp(-y)) edges in the mean. With E_qs their expected
 * number between groups (inside a group: both ways), W_qs = E_qs / (S_q S_s - O_qs), O_qs
 * = sum_i theta_i^2 P_i(q) P_i(s),       (4) a, b: the same, pooled inside and across;
 * with rho, theta_i rho_q stands for theta_i. The free energy, whose fixed points the
 * messages are: F = -sum_i (log Z_i + sum_q P_i(q) h_i(q) / 2) + sum_edges log Z_ij, (5)
 *     Z_i = sum_q exp L_i(q),    Z_ij = sum_q M_{i->j}(q) T_ji(q).
 *
 * Below, T is divided by theta_i theta_j rho_q b R / n; R cancels between the vertices'
 * and the edges' terms of (5), d_i log rho_q is added to L_i, and the b / n comes to
 * -log(b / n) for each edge. Cost O(k m) a sweep, memory O(k (n + m)).
 */
#include "kg_belief.h"
#include <math.h>
#include <string.h>

#define FLOOR     0.01 /* n a and n b stay above it */
#define LOG_RATIO 27.  /* |log(a / b)| of an edge stays below it */
#define BATCH     8    /* so many terms of exp(+-67) fit a double */
#define PRIOR     20.  /* vertices that the pooled degree distribution counts for */
#define TINY      .05  /* below it phi is a series: 3e-12 */
#define TERMS     6
#define MOST      40.   /* -log phi stays below it */
#define LARGEST   2e17  /* exp(MOST) */
#define ROOM      65536 /* values of terms that are kept: half a megabyte */

void kg_belief_lay(kg_belief *g, kg_room *room) {
  const size_t k = g->k, entries = (size_t)g->graph.start[g->n];
  double **const vectors[] = {&g->sums.size, &g->sums.mass, &g->model.log_size,
                              &g->model.rho, &g->model.log_rho};
  KG_CHECK(!(g->model.normed && g->graph.weight));
  g->reverse = KG_TAKE(room, entries, size_t);
  g->next = KG_TAKE(room, g->n, size_t);
  g->message = KG_TAKE2(room, entries, k, double);
  for (size_t a = 0; a < sizeof vectors / sizeof *vectors; a++)
    *vectors[a] = KG_TAKE(room, k, double);
  g->model.law = KG_TAKE2(room, g->model.bins, k, double);
  g->sums.count = KG_TAKE2(room, g->model.bins, k, double);
  g->work = KG_TAKE2(room, 4, k, double);
  g->unit = 1 / (double)g->n;
  g->room = 0;
  for (size_t i = 0; i < g->n; i++) {
    const size_t values = (size_t)(g->graph.start[i + 1] - g->graph.start[i]) * k;
    g->room = values > g->room ? values : g->room;
  }
  g->room = g->room < ROOM ? g->room : ROOM;
  g->kept = KG_TAKE(room, g->room, double);
}

/* reverse[e] is the entry (j, i) of the entry e = (i, j). Rows must rise within columns.
 * Returns 0 if the pattern is not symmetric. */
int kg_belief_reverse(kg_belief *g) {
  for (size_t i = 0; i < g->n; i++)
    g->next[i] = (size_t)g->graph.start[i];
  for (size_t i = 0; i < g->n; i++) {
    for (int e = g->graph.start[i]; e < g->graph.start[i + 1]; e++) {
      const size_t j = (size_t)g->graph.row[e];
      const size_t f = g->next[j]++;
      if (f >= (size_t)g->graph.start[j + 1] || (size_t)g->graph.row[f] != i)
        return 0;
      g->reverse[e] = f;
    }
  }
  return 1;
}

/* Messages of the entries of columns from..to - 1 start as their sender's marginal. */
void kg_belief_begin(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  for (int e = g->graph.start[from]; e < g->graph.start[to]; e++)
    memcpy(g->message + (size_t)e * k, g->marginal + (size_t)g->graph.row[e] * k,
           k * sizeof(double));
}

/* Before kg_belief_totals(). */
void kg_belief_clear(kg_belief *g) {
  memset(g->sums.size, 0, g->k * sizeof(double));
  memset(g->sums.mass, 0, g->k * sizeof(double));
  if (g->model.bin)
    memset(g->sums.count, 0, g->model.bins * g->k * sizeof(double));
  g->sums.edges_in = g->sums.edges_out = 0;
  g->sums.own_in = g->sums.own_all = 0;
  g->sums.change = 0;
  g->sums.energy = 0;
}

/* N, S and C of the vertices from..to - 1. */
void kg_belief_totals(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  for (size_t i = from; i < to; i++) {
    const double *marginal = g->marginal + i * k;
    const double theta = g->graph.theta ? g->graph.theta[i] : 1;
    double *count = g->model.bin ? g->sums.count + (size_t)g->model.bin[i] * k : NULL;
    for (size_t q = 0; q < k; q++) {
      g->sums.size[q] += marginal[q];
      g->sums.mass[q] += theta * marginal[q];
      if (count)
        count[q] += marginal[q];
    }
  }
}

/* g, rho and X of the totals. */
void kg_belief_shape(kg_belief *g) {
  const size_t k = g->k;
  const double n = (double)g->n;
  g->model.rho_top = 0;
  for (size_t q = 0; q < k; q++) {
    g->model.log_size[q] =
        g->model.learn_sizes ? log(fmax(g->sums.size[q], 1e-10) / n) : -log((double)k);
    const int there =
        g->model.normed && g->sums.mass[q] > 1e-10 && g->sums.size[q] > 1e-10;
    g->model.rho[q] = there ? g->sums.size[q] / g->sums.mass[q] : 1;
    g->model.log_rho[q] = log(g->model.rho[q]);
    g->model.rho_top = fmax(g->model.rho_top, g->model.rho[q]);
  }
  if (!g->model.bin)
    return;
  for (size_t b = 0; b < g->model.bins; b++) {
    const double p = g->model.share[b];
    for (size_t q = 0; q < k; q++) {
      g->model.law[b * k + q] = p > 0 ? log((g->sums.count[b * k + q] + PRIOR * p) /
                                            (g->sums.size[q] + PRIOR) / p)
                                      : 0;
    }
  }
}

static inline double theta_of(const kg_belief *g, size_t i) {
  return g->graph.theta ? g->graph.theta[i] : 1;
}

/* h_i, Eq. (1), of the masses of this moment. left: k. */
static void field(const kg_belief *g, size_t i, double *left, double *h) {
  const size_t k = g->k;
  const double theta = theta_of(g, i), unit = theta / (double)g->n;
  for (size_t q = 0; q < k; q++)
    left[q] = g->sums.mass[q] - theta * g->marginal[i * k + q];
  for (int e = g->graph.start[i]; e < g->graph.start[i + 1]; e++) {
    const double other = theta_of(g, (size_t)g->graph.row[e]);
    const double *marginal = g->marginal + (size_t)g->graph.row[e] * k;
    for (size_t q = 0; q < k; q++)
      left[q] -= other * marginal[q];
  }
  double all = 0;
  for (size_t q = 0; q < k; q++) {
    left[q] = fmax(left[q], 0); /* rounding may leave less than nothing */
    all += g->model.rho[q] * left[q];
  }
  for (size_t q = 0; q < k; q++) {
    const double mine = g->model.rho[q] * left[q];
    h[q] = unit * g->model.rho[q] *
           (g->model.outside * (all - mine) + g->model.inside * mine);
  }
}

/* (1 - exp(-y)) / y = sum over p of (-y)^p / (p + 1)!, y below TINY. With s, the sum of
 * s[p] times that. */
static inline double short_series(const double *s, double y) {
  return s[0] + y * (s[1] * (-1. / 2) +
                     y * (s[2] * (1. / 6) +
                          y * (s[3] * (-1. / 24) +
                               y * (s[4] * (1. / 120) + y * s[5] * (-1. / 720)))));
}

/* phi of Eq. (3). The difference from 1 loses a digit at TINY, less above it. */
static inline double phi(const kg_belief *g, double y) {
  static const double ones[TERMS] = {1, 1, 1, 1, 1, 1};
  if (g->graph.weight)
    return exp(-fmin(y, MOST));
  if (y < TINY)
    return short_series(ones, y);
  return (1 - exp(-y)) / fmin(y, LARGEST);
}

/* theta_i theta_j / n of the entry e in column i. */
static inline double pair_unit(const kg_belief *g, size_t i, int e) {
  return theta_of(g, i) * theta_of(g, (size_t)g->graph.row[e]) * g->unit;
}

/* log(a / b). */
static double log_ratio(const kg_belief *g) {
  return log(g->model.inside / g->model.outside);
}

/* a / b for an edge of weight v, within bounds. */
static double ratio_at(double power) {
  return exp(fmax(-LOG_RATIO, fmin(LOG_RATIO, power)));
}

/* The same for the entry e; `one` is that of weight 1. */
static double ratio_of(const kg_belief *g, int e, double ratio, double one) {
  return g->graph.weight ? ratio_at(g->graph.weight[e] * ratio) : one;
}

/* The same where norms stand beside theta. The sum over s of rho_s phi(y rho_s) M(s) is,
 * where no mean across is large, one of the sums of rho_s^p M(s). */
static void normed_terms(const kg_belief *g, const double *message, double y,
                         double ratio, double *out) {
  const double a = y * g->model.inside, b = y * g->model.outside, *rho = g->model.rho;
  double sums[TERMS] = {0};
  const int sparse = b * g->model.rho_top * g->model.rho_top < TINY;
  for (size_t s = 0; s < g->k; s++) {
    const double r = rho[s], r2 = r * r, M = r * message[s], M2 = M * r2;
    sums[0] += M;
    sums[1] += M * r;
    sums[2] += M2;
    sums[3] += M2 * r;
    sums[4] += M2 * r2;
    sums[5] += M2 * r2 * r;
  }
  const double whole = 1 / sums[0];
  for (size_t q = 0; q < g->k; q++) {
    const double mine = rho[q] * message[q], square = rho[q] * rho[q];
    double all = 0;
    if (sparse) {
      all = short_series(sums, b * rho[q]);
    } else {
      for (size_t s = 0; s < g->k; s++)
        all += rho[s] * phi(g, b * rho[q] * rho[s]) * message[s];
    }
    const double other = fmax(all - mine * phi(g, b * square), 0);
    out[q] = (other + ratio * mine * phi(g, a * square)) * whole;
  }
}

/* t of Eq. (3): the factors of the groups of i by the message of the entry e in column i.
 * ratio: a / b of the edge. */
static void terms(const kg_belief *g, size_t i, int e, double ratio, double *out) {
  const size_t k = g->k;
  const double *message = g->message + (size_t)e * k;
  const double y = pair_unit(g, i, e);
  if (g->model.normed) {
    normed_terms(g, message, y, ratio, out);
  } else {
    const double inside = ratio * phi(g, y * g->model.inside),
                 outside = phi(g, y * g->model.outside);
    for (size_t q = 0; q < k; q++)
      out[q] = outside * (1 - message[q]) + inside * message[q];
  }
}

/* Is there room to keep the terms of all edges of i? */
static int has_room(const kg_belief *g, size_t i) {
  return (size_t)(g->graph.start[i + 1] - g->graph.start[i]) * g->k <= g->room;
}

/* L_i, Eq. (1). The terms are multiplied in batches that cannot overflow, so a logarithm
 * serves many edges. h, product, term: k each; where the terms of all edges of i have
 * room, they are kept. */
static void log_beliefs(const kg_belief *g, size_t i, double ratio, double *L, double *h,
                        double *product, double *term) {
  const size_t k = g->k;
  const double one = ratio_at(ratio);
  const double degree = (double)(g->graph.start[i + 1] - g->graph.start[i]);
  double *kept = has_room(g, i) ? g->kept : NULL;
  field(g, i, product, h);
  for (size_t q = 0; q < k; q++) {
    L[q] = g->model.log_size[q] - h[q] + degree * g->model.log_rho[q];
    if (g->model.bin)
      L[q] += g->model.law[(size_t)g->model.bin[i] * k + q];
  }
  for (int e = g->graph.start[i]; e < g->graph.start[i + 1];) {
    const int end = g->graph.start[i + 1] - e > BATCH ? e + BATCH : g->graph.start[i + 1];
    for (size_t q = 0; q < k; q++)
      product[q] = 1;
    for (; e < end; e++) {
      double *here = kept ? kept + (size_t)(e - g->graph.start[i]) * k : term;
      terms(g, i, e, ratio_of(g, e, ratio, one), here);
      for (size_t q = 0; q < k; q++)
        product[q] *= here[q];
    }
    for (size_t q = 0; q < k; q++)
      L[q] += log(product[q]);
  }
}

/* L becomes exp(L) over its sum, and the logarithm of the sum comes back. */
static double normalise(double *L, size_t k) {
  double largest = L[0], sum = 0;
  for (size_t q = 1; q < k; q++) {
    if (L[q] > largest)
      largest = L[q];
  }
  for (size_t q = 0; q < k; q++) {
    L[q] = exp(L[q] - largest);
    sum += L[q];
  }
  for (size_t q = 0; q < k; q++)
    L[q] /= sum;
  /* the largest alone adds 1 */
  return largest + log(sum > 1 ? sum : 1);
}

/* Vertex i: its marginal, what that does to the masses, and its messages. */
static void process(kg_belief *g, size_t i, double ratio) {
  const size_t k = g->k;
  double *L = g->work, *part = L + 2 * k;
  double *marginal = g->marginal + i * k;
  const double theta = theta_of(g, i), one = ratio_at(ratio);
  const int kept = has_room(g, i);
  log_beliefs(g, i, ratio, L, L + 2 * k, L + 3 * k, L + k);
  normalise(L, k);
  for (size_t q = 0; q < k; q++) {
    const double change = L[q] - marginal[q];
    g->sums.change += fabs(change);
    g->sums.mass[q] = fmax(g->sums.mass[q] + theta * change, 0);
    marginal[q] = L[q];
    part[q] = L[q] / g->model.rho[q];
  }
  for (int e = g->graph.start[i]; e < g->graph.start[i + 1]; e++) {
    double *out = g->message + g->reverse[e] * k, sum = 0;
    const double *term = kept ? g->kept + (size_t)(e - g->graph.start[i]) * k : L + k;
    if (!kept)
      terms(g, i, e, ratio_of(g, e, ratio, one), L + k);
    for (size_t q = 0; q < k; q++) {
      out[q] = part[q] / term[q];
      sum += out[q];
    }
    const double share = 1 / sum;
    for (size_t q = 0; q < k; q++)
      out[q] *= share;
  }
}

/* Processes the vertices from..to - 1, upwards or downwards. */
void kg_belief_sweep(kg_belief *g, size_t from, size_t to, int forward) {
  const double ratio = log_ratio(g);
  for (size_t a = from; a < to; a++)
    process(g, forward ? a : to - 1 - (a - from), ratio);
}

/* Z_ij of the entry e in column i, its factor taken out; the terms are left in g->work.
 */
static double edge_sum(kg_belief *g, size_t i, int e, double ratio) {
  const double *out = g->message + g->reverse[e] * g->k;
  double sum = 0, all = 0;
  terms(g, i, e, ratio, g->work);
  for (size_t q = 0; q < g->k; q++) {
    sum += out[q] * g->model.rho[q] * g->work[q];
    all += out[q] * g->model.rho[q];
  }
  return sum / all;
}

/* The sum over groups of rho_q^2 M_ij(q) M_ji(q) over R_ij R_ji. */
static double agreement(const kg_belief *g, const double *in, const double *out) {
  double same = 0, all_in = 0, all_out = 0;
  for (size_t q = 0; q < g->k; q++) {
    const double left = g->model.rho[q] * in[q], right = g->model.rho[q] * out[q];
    all_in += left;
    all_out += right;
    same += left * right;
  }
  return fmin(same / (all_in * all_out), 1);
}

/* Adds the pairs of i with itself, which are no pairs, to O of Eq. (4). */
static void count_own(kg_belief *g, size_t i) {
  const size_t k = g->k;
  const double *marginal = g->marginal + i * k;
  const double theta = theta_of(g, i);
  double all = 0;
  for (size_t q = 0; q < k; q++) {
    const double mine = theta * g->model.rho[q] * marginal[q];
    g->sums.own_in += mine * mine;
    all += mine;
  }
  g->sums.own_all += all * all;
}

/* Adds up how many edges, each counted at its first vertex in from..to - 1, lie inside
 * groups and across. Behind an edge that is seen are y / (1 - exp(-y)) edges
 * in the mean: Z_ij's part of two groups without its phi, over Z_ij. */
void kg_belief_edges(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  const double ratio = log_ratio(g), one = ratio_at(ratio);
  for (size_t i = from; i < to; i++) {
    count_own(g, i);
    for (int e = g->graph.start[i]; e < g->graph.start[i + 1]; e++) {
      if ((size_t)g->graph.row[e] <= i)
        continue;
      const double *in = g->message + (size_t)e * k;
      const double *out = g->message + g->reverse[e] * k;
      const double inner = ratio_of(g, e, ratio, one), total = edge_sum(g, i, e, inner);
      const double same = agreement(g, in, out);
      double inside = inner * same / total, outside = (1 - same) / total;
      if (g->graph.weight) { /* seen, all of them */
        const double y = pair_unit(g, i, e);
        inside *= g->graph.weight[e] * phi(g, y * g->model.inside);
        outside *= g->graph.weight[e] * phi(g, y * g->model.outside);
      }
      g->sums.edges_in += inside;
      g->sums.edges_out += outside;
    }
  }
}

/* The rate becomes the value, and its change is kept in mind. */
static void set_rate(kg_belief *g, double *rate, double value) {
  value = fmax(FLOOR, value);
  g->model.drift = fmax(g->model.drift, fabs(log(value / *rate)));
  *rate = value;
}

/* a and b that the beliefs themselves suggest, Eq. (4). */
void kg_belief_rates(kg_belief *g) {
  const size_t k = g->k;
  const double n = (double)g->n;
  const double *mass = g->model.normed ? g->sums.size : g->sums.mass;
  double total = 0, squares = 0;
  g->model.drift = 0;
  for (size_t q = 0; q < k; q++) {
    total += mass[q];
    squares += mass[q] * mass[q];
  }
  const double inside = squares - g->sums.own_in;
  const double outside = total * total - squares - (g->sums.own_all - g->sums.own_in);
  if (inside > 1e-9 * total * total)
    set_rate(g, &g->model.inside, 2 * n * g->sums.edges_in / inside);
  if (k > 1 && outside > 1e-9 * total * total)
    set_rate(g, &g->model.outside, 2 * n * g->sums.edges_out / outside);
}

/* Adds the terms of vertices and edges to F, Eq. (5), edges counted at their first
 * vertex; without what the theta add. */
void kg_belief_energy(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  const double ratio = log_ratio(g), one = ratio_at(ratio);
  const double log_unit = log(g->model.outside / (double)g->n);
  double *L = g->work, *h = L + 2 * k;
  for (size_t i = from; i < to; i++) {
    log_beliefs(g, i, ratio, L, h, L + 3 * k, L + k);
    g->sums.energy -= normalise(L, k);
    for (size_t q = 0; q < k; q++)
      g->sums.energy -= g->marginal[i * k + q] * h[q] / 2;
    for (int e = g->graph.start[i]; e < g->graph.start[i + 1]; e++) {
      if ((size_t)g->graph.row[e] <= i)
        continue;
      const double v = g->graph.weight ? g->graph.weight[e] : 1;
      g->sums.energy += log(edge_sum(g, i, e, ratio_of(g, e, ratio, one))) - v * log_unit;
    }
  }
}
