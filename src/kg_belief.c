/* kg_belief.c - belief propagation for six stochastic block models.
 *
 * Every vertex i keeps a marginal P_i over k groups, every edge a message M_{j->i} each
 * way. Edges are Poisson with mean theta_i theta_j W_qs between vertices of groups q, s:
 *     L_i(q) = log g_q + X(bin of d_i, q) - theta_i h_q + sum_{j ~ i} log(T_ji(q)),  (1)
 *     T_ji(q) = sum_s W_qs M_{j->i}(s),    h_q = sum_s W_qs S_s,    S_s = sum_u theta_u
 * P_u(s), P_i ~ exp(L_i),    M_{i->j} ~ exp(L_i) / T_ji. (2) W is a inside groups and b
 * across, or rho_q rho_s (a or b) with rho_q = N_q / S_q, N_q = sum_u P_u(q), and then a
 * term costs O(k): T_ji(q) = rho_q b R (1 + (a / b - 1) rho_q M(q) / R),    R = sum_s
 * rho_s M(s);  (3) or W is any symmetric matrix, and it costs O(k^2). An edge of weight v
 * counts as v edges: a^v and b^v stand for a and b.
 *
 * A sweep goes vertex by vertex and each sees what the ones before it made of the field
 * and the messages. After it the parameters become what the beliefs suggest. With E_qs
 * the expected number of edges between groups (inside a group: both ways), W_qs = E_qs /
 * (S_q S_s);    a, b: the same, pooled inside and across;           (4) with rho, N
 * stands for S. The Bethe free energy, whose fixed points the messages are: F = -sum_i
 * log Z_i + sum_edges log Z_ij - (1/2) sum_qs W_qs S_q S_s,            (5) Z_i = sum_q
 * exp L_i(q),    Z_ij = sum_qs W_qs M_{i->j}(q) M_{j->i}(s).
 *
 * Below, T is divided by rho_q b R / n; R cancels between the vertices' and the edges'
 * terms of (5), d_i log rho_q is added to L_i, and the b / n comes to -log(b / n) for
 * each edge. Cost O(k m) a sweep, memory O(k (n + m)).
 */
#include "kg.h"
#include <math.h>
#include <string.h>

#define FLOOR     0.01 /* n a and n b stay above it */
#define LOG_RATIO 27.  /* |log| of a term stays below it: 16 terms fit a double */
#define BATCH     16
#define PRIOR     20. /* vertices that the pooled law of degrees counts for */

/* reverse[e] is the entry (j, i) of the entry e = (i, j). Rows must rise within columns.
 * next: n positions of workspace. Returns 0 if the pattern is not symmetric. */
int kg_belief_reverse(size_t n, const int *start, const int *row, size_t *next,
                      size_t *reverse) {
  for (size_t i = 0; i < n; i++)
    next[i] = (size_t)start[i];
  for (size_t i = 0; i < n; i++) {
    for (int e = start[i]; e < start[i + 1]; e++) {
      const size_t j = (size_t)row[e];
      const size_t f = next[j]++;
      if (f >= (size_t)start[j + 1] || (size_t)row[f] != i)
        return 0;
      reverse[e] = f;
    }
  }
  return 1;
}

/* Messages of the entries of columns from..to - 1 start as their sender's marginal. */
void kg_belief_begin(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  for (int e = g->start[from]; e < g->start[to]; e++)
    memcpy(g->message + (size_t)e * k, g->marginal + (size_t)g->row[e] * k,
           k * sizeof(double));
}

/* Before kg_belief_totals(). */
void kg_belief_clear(kg_belief *g) {
  memset(g->size, 0, g->k * sizeof(double));
  memset(g->mass, 0, g->k * sizeof(double));
  if (g->bin)
    memset(g->count, 0, g->bins * g->k * sizeof(double));
  if (g->full)
    memset(g->between, 0, g->k * g->k * sizeof(double));
  g->edges = 0;
  g->edges_in = 0;
  g->change = 0;
  g->energy = 0;
}

/* N, S and C of the vertices from..to - 1. */
void kg_belief_totals(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  for (size_t i = from; i < to; i++) {
    const double *marginal = g->marginal + i * k;
    const double theta = g->theta ? g->theta[i] : 1;
    double *count = g->bin ? g->count + (size_t)g->bin[i] * k : NULL;
    for (size_t q = 0; q < k; q++) {
      g->size[q] += marginal[q];
      g->mass[q] += theta * marginal[q];
      if (count)
        count[q] += marginal[q];
    }
  }
}

/* g, rho and X of the totals. */
void kg_belief_shape(kg_belief *g) {
  const size_t k = g->k;
  const double n = (double)g->n;
  for (size_t q = 0; q < k; q++) {
    g->log_size[q] = g->learn_sizes ? log(fmax(g->size[q], 1e-10) / n) : -log((double)k);
    const int there = g->normed && g->mass[q] > 1e-10 && g->size[q] > 1e-10;
    g->rho[q] = there ? g->size[q] / g->mass[q] : 1;
    g->log_rho[q] = log(g->rho[q]);
  }
  if (!g->bin)
    return;
  for (size_t b = 0; b < g->bins; b++) {
    const double p = g->share[b];
    for (size_t q = 0; q < k; q++) {
      g->law[b * k + q] =
          p > 0 ? log((g->count[b * k + q] + PRIOR * p) / (g->size[q] + PRIOR) / p) : 0;
    }
  }
}

/* h_q at the masses of this moment, times n. */
static void field(const kg_belief *g, double *h) {
  const size_t k = g->k;
  if (g->full) {
    for (size_t q = 0; q < k; q++) {
      h[q] = 0;
      for (size_t s = 0; s < k; s++)
        h[q] += g->rate[s * k + q] * g->mass[s];
    }
    return;
  }
  double all = 0;
  for (size_t q = 0; q < k; q++)
    all += g->rho[q] * g->mass[q];
  for (size_t q = 0; q < k; q++) {
    const double mine = g->rho[q] * g->mass[q];
    h[q] = g->rho[q] * (g->outside * (all - mine) + g->inside * mine);
  }
}

/* log(a / b), within bounds. */
static double log_ratio(const kg_belief *g) {
  return g->full ? 0 : log(g->inside / g->outside);
}

/* (a / b)^v - 1 for an edge of weight v. */
static double slope_at(double power) {
  return expm1(fmax(-LOG_RATIO, fmin(LOG_RATIO, power)));
}

/* The same for the entry e; `one` is that of weight 1. */
static double slope_of(const kg_belief *g, int e, double ratio, double one) {
  return g->weight ? slope_at(g->weight[e] * ratio) : one;
}

/* What a message says of the groups of its receiver, Eq. (3) without its factor. */
static void terms(const kg_belief *g, const double *message, double slope, double *out) {
  const size_t k = g->k;
  if (g->full) {
    for (size_t q = 0; q < k; q++) {
      double sum = 0;
      for (size_t s = 0; s < k; s++)
        sum += g->rate[q * k + s] * message[s];
      out[q] = sum;
    }
  } else if (g->normed) {
    double all = 0;
    for (size_t q = 0; q < k; q++)
      all += g->rho[q] * message[q];
    slope /= all;
    for (size_t q = 0; q < k; q++)
      out[q] = 1 + slope * g->rho[q] * message[q];
  } else {
    for (size_t q = 0; q < k; q++)
      out[q] = 1 + slope * message[q];
  }
}

/* L_i, Eq. (1). The terms are multiplied in batches that cannot overflow, so a logarithm
 * serves many edges. product, term: k each. */
static void log_beliefs(const kg_belief *g, size_t i, double ratio, double *L,
                        double *product, double *term) {
  const size_t k = g->k;
  const double one = slope_at(ratio);
  const double theta = (g->theta ? g->theta[i] : 1) / (double)g->n;
  const double degree = (double)(g->start[i + 1] - g->start[i]);
  field(g, L);
  for (size_t q = 0; q < k; q++) {
    L[q] = g->log_size[q] - theta * L[q] + degree * g->log_rho[q];
    if (g->bin)
      L[q] += g->law[(size_t)g->bin[i] * k + q];
  }
  for (int e = g->start[i]; e < g->start[i + 1];) {
    const int end = g->start[i + 1] - e > BATCH ? e + BATCH : g->start[i + 1];
    for (size_t q = 0; q < k; q++)
      product[q] = 1;
    for (; e < end; e++) {
      terms(g, g->message + (size_t)e * k, slope_of(g, e, ratio, one), term);
      for (size_t q = 0; q < k; q++)
        product[q] *= term[q];
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
static void visit(kg_belief *g, size_t i, double ratio) {
  const size_t k = g->k;
  double *L = g->work, *product = L + k, *term = product + k;
  double *marginal = g->marginal + i * k;
  const double theta = g->theta ? g->theta[i] : 1;
  const double one = slope_at(ratio);
  log_beliefs(g, i, ratio, L, product, term);
  normalise(L, k);
  for (size_t q = 0; q < k; q++) {
    const double change = L[q] - marginal[q];
    g->change += fabs(change);
    g->mass[q] = fmax(g->mass[q] + theta * change, 0);
    marginal[q] = L[q];
  }
  for (int e = g->start[i]; e < g->start[i + 1]; e++) {
    double *out = g->message + g->reverse[e] * k;
    double sum = 0;
    terms(g, g->message + (size_t)e * k, slope_of(g, e, ratio, one), term);
    for (size_t q = 0; q < k; q++) {
      out[q] = marginal[q] / (term[q] * g->rho[q]);
      sum += out[q];
    }
    for (size_t q = 0; q < k; q++)
      out[q] /= sum;
  }
}

/* Visits the vertices from..to - 1, upwards or downwards. */
void kg_belief_sweep(kg_belief *g, size_t from, size_t to, int forward) {
  const double ratio = log_ratio(g);
  for (size_t a = from; a < to; a++)
    visit(g, forward ? a : to - 1 - (a - from), ratio);
}

/* The ends of the edge e, whose messages are in and out: the sum over groups of rho_q^2
 * M_ij(q) M_ji(q) over R_ij R_ji. */
static double agreement(const kg_belief *g, const double *in, const double *out) {
  double same = 0, all_in = 0, all_out = 0;
  if (!g->normed) {
    for (size_t q = 0; q < g->k; q++)
      same += in[q] * out[q];
    return same;
  }
  for (size_t q = 0; q < g->k; q++) {
    const double left = g->rho[q] * in[q], right = g->rho[q] * out[q];
    all_in += left;
    all_out += right;
    same += left * right;
  }
  return same / (all_in * all_out);
}

/* Adds up how much of each edge, counted at its first vertex in from..to - 1, lies inside
 * a group: a z / (b + (a - b) z), z the agreement of its messages. */
void kg_belief_edges(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  const double ratio = log_ratio(g), one = slope_at(ratio);
  for (size_t i = from; i < to; i++) {
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
      if ((size_t)g->row[e] <= i)
        continue;
      const double *in = g->message + (size_t)e * k;
      const double *out = g->message + g->reverse[e] * k;
      const double v = g->weight ? g->weight[e] : 1;
      g->edges += v;
      if (!g->full) {
        const double slope = slope_of(g, e, ratio, one);
        const double same = agreement(g, in, out);
        g->edges_in += v * (1 + slope) * same / (1 + slope * same);
        continue;
      }
      double total = 0;
      terms(g, in, 0, g->work);
      for (size_t q = 0; q < k; q++)
        total += out[q] * g->work[q];
      for (size_t q = 0; q < k; q++) {
        for (size_t s = 0; s < k; s++) {
          const double part = out[q] * g->rate[q * k + s] * in[s] / total;
          g->between[q * k + s] += part;
          g->between[s * k + q] += part;
        }
      }
    }
  }
}

/* a and b, or W, that the beliefs themselves suggest, Eq. (4). */
void kg_belief_rates(kg_belief *g) {
  const size_t k = g->k;
  const double n = (double)g->n;
  const double *mass = g->normed ? g->size : g->mass;
  if (g->full) {
    for (size_t q = 0; q < k; q++) {
      for (size_t s = 0; s < k; s++) {
        const double pairs = mass[q] * mass[s];
        g->rate[q * k + s] =
            pairs > 1e-10 ? fmax(FLOOR, n * g->between[q * k + s] / pairs) : FLOOR;
      }
    }
    return;
  }
  double total = 0, squares = 0;
  for (size_t q = 0; q < k; q++) {
    total += mass[q];
    squares += mass[q] * mass[q];
  }
  const double across = total * total - squares;
  if (squares > 0)
    g->inside = fmax(FLOOR, 2 * n * g->edges_in / squares);
  if (k > 1 && across > 1e-9 * total * total)
    g->outside = fmax(FLOOR, 2 * n * (g->edges - g->edges_in) / across);
}

/* The terms of vertices and edges of (5), edges counted at their first vertex. */
void kg_belief_energy(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  const double ratio = log_ratio(g), one = slope_at(ratio);
  const double log_unit = log((g->full ? 1 : g->outside) / (double)g->n);
  double *L = g->work;
  for (size_t i = from; i < to; i++) {
    log_beliefs(g, i, ratio, L, L + k, L + 2 * k);
    g->energy -= normalise(L, k);
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
      if ((size_t)g->row[e] <= i)
        continue;
      const double *in = g->message + (size_t)e * k;
      const double *out = g->message + g->reverse[e] * k;
      double z = 0;
      if (g->full) {
        terms(g, in, 0, L);
        for (size_t q = 0; q < k; q++)
          z += out[q] * L[q];
      } else {
        z = 1 + slope_of(g, e, ratio, one) * agreement(g, in, out);
      }
      g->energy += log(z) - (g->weight ? g->weight[e] : 1) * log_unit;
    }
  }
}

/* F once all vertices have had their terms, without what the theta add. */
double kg_belief_free_energy(const kg_belief *g) {
  double all = 0;
  field(g, g->work);
  for (size_t q = 0; q < g->k; q++)
    all += g->mass[q] * g->work[q];
  return g->energy - all / (2 * (double)g->n);
}
