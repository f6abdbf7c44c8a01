/* kg_belief.c - belief propagation for the sparse stochastic block model.
 *
 * Every vertex i keeps a marginal P_i over k groups, every edge a message M_{j->i} each
 * way. With a/n and b/n the edge probabilities inside and across groups,
 *     L_i(q) = -(a - b)/n sum_u P_u(q) + sum_{j ~ i} log(b + (a - b) M_{j->i}(q)),
 *     P_i ~ exp(L_i),    M_{i->j} ~ exp(L_i - the term of j).
 * An edge of weight v counts as v edges between its ends (Poisson model): a and b enter
 * its term as a^v and b^v. The terms below are divided by b^v, which changes no marginal.
 *
 * A sweep is simultaneous: all L from the old messages, then all messages. The message
 * i->j is P_i over the term of j, so the two messages of an edge are replaced together
 * and one copy of them is enough. Cost O(k m) a sweep, memory O(k (n + m)).
 */
#include "kg.h"
#include <math.h>

#define FLOOR     0.01 /* a and b stay above it */
#define LOG_RATIO 27.  /* |log| of the term ratio stays below it: 16 terms fit a double  \
                        */
#define BATCH 16

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
  for (size_t i = from; i < to; i++) {
    for (size_t q = 0; q < k; q++)
      g->group[q] += g->marginal[i * k + q];
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
      const double *sender = g->marginal + (size_t)g->row[e] * k;
      double *message = g->message + (size_t)e * k;
      for (size_t q = 0; q < k; q++)
        message[q] = sender[q];
    }
  }
}

/* Opens a sweep: the field of the non-edges, and of the sizes if asked for. */
void kg_belief_field(kg_belief *g) {
  const double n = (double)g->n;
  for (size_t q = 0; q < g->k; q++) {
    g->field[q] = -(g->inside - g->outside) / n * g->group[q];
    if (g->size_prior)
      g->field[q] += log(fmax(g->group[q], 1e-10) / n);
    g->group[q] = 0;
  }
  g->change = 0;
  g->edges = 0;
  g->edges_in = 0;
}

/* (a / b)^v - 1 for the entry e. */
static double term_slope(const kg_belief *g, int e, double log_ratio) {
  const double power = g->weight ? g->weight[e] * log_ratio : log_ratio;
  return expm1(fmax(-LOG_RATIO, fmin(LOG_RATIO, power)));
}

/* P_i for the vertices from..to - 1 from the messages that reach them. The terms are
 * multiplied in batches that cannot overflow, so a logarithm serves many edges. */
void kg_belief_marginals(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  double *log_belief = g->log_belief;
  double *product = g->product;
  const double log_ratio = log(g->inside / g->outside);
  const double slope_one = expm1(fmax(-LOG_RATIO, fmin(LOG_RATIO, log_ratio)));
  for (size_t i = from; i < to; i++) {
    double *marginal = g->marginal + i * k;
    for (size_t q = 0; q < k; q++)
      log_belief[q] = g->field[q];
    for (int e = g->start[i]; e < g->start[i + 1];) {
      const int end = g->start[i + 1] - e > BATCH ? e + BATCH : g->start[i + 1];
      for (size_t q = 0; q < k; q++)
        product[q] = 1;
      for (; e < end; e++) {
        const double slope = g->weight ? term_slope(g, e, log_ratio) : slope_one;
        const double *message = g->message + (size_t)e * k;
        for (size_t q = 0; q < k; q++)
          product[q] *= 1 + slope * message[q];
      }
      for (size_t q = 0; q < k; q++)
        log_belief[q] += log(product[q]);
    }
    double largest = log_belief[0];
    for (size_t q = 1; q < k; q++) {
      if (log_belief[q] > largest)
        largest = log_belief[q];
    }
    double sum = 0;
    for (size_t q = 0; q < k; q++) {
      log_belief[q] = exp(log_belief[q] - largest);
      sum += log_belief[q];
    }
    for (size_t q = 0; q < k; q++) {
      const double p = log_belief[q] / sum;
      g->change += fabs(p - marginal[q]);
      marginal[q] = p;
      g->group[q] += p;
    }
  }
}

/* message <- marginal over the term of the message that came the other way. */
static void answer(size_t k, double slope, const double *marginal, const double *came,
                   double *message) {
  double sum = 0;
  for (size_t q = 0; q < k; q++) {
    message[q] = marginal[q] / (1 + slope * came[q]);
    sum += message[q];
  }
  for (size_t q = 0; q < k; q++)
    message[q] /= sum;
}

/* Replaces both messages of the edges whose first vertex is in from..to - 1 and adds up
 * how much of each edge lies inside a group: a z / (b + (a - b) z), z = sum_q M_ij M_ji.
 */
void kg_belief_messages(kg_belief *g, size_t from, size_t to) {
  const size_t k = g->k;
  const double log_ratio = log(g->inside / g->outside);
  for (size_t i = from; i < to; i++) {
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
      const size_t j = (size_t)g->row[e];
      if (j <= i)
        continue;
      const double slope = term_slope(g, e, log_ratio);
      const double v = g->weight ? g->weight[e] : 1;
      double *into_i = g->message + (size_t)e * k;
      double *into_j = g->message + g->reverse[e] * k;
      answer(k, slope, g->marginal + i * k, into_i, g->product);
      answer(k, slope, g->marginal + j * k, into_j, into_i);
      double same = 0;
      for (size_t q = 0; q < k; q++) {
        into_j[q] = g->product[q];
        same += into_i[q] * into_j[q];
      }
      g->edges += v;
      g->edges_in += v * (1 + slope) * same / (1 + slope * same);
    }
  }
}

/* a and b that the beliefs themselves suggest. */
void kg_belief_parameters(kg_belief *g) {
  const double n = (double)g->n;
  double total = 0, squares = 0;
  for (size_t q = 0; q < g->k; q++) {
    total += g->group[q];
    squares += g->group[q] * g->group[q];
  }
  const double across = total * total - squares;
  g->inside = fmax(FLOOR, 2 * n * g->edges_in / squares);
  if (across > 0)
    g->outside = fmax(FLOOR, 2 * n * (g->edges - g->edges_in) / across);
}
