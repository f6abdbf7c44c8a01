/* kg_belief.h - belief propagation on graphs.
 * Part of kg.h, whose conventions hold here. */
#ifndef KG_BELIEF_H
#define KG_BELIEF_H

#include <stddef.h>

typedef struct {
  size_t n, k;
  const int
      *start;     /* n + 1, columns of the adjacency matrix, rows in order, no diagonal */
  const int *row; /* neighbours */
  const double *weight;   /* weights of the entries, or NULL for all 1 */
  const size_t *reverse;  /* position of the entry (j, i) for the entry (i, j) */
  double *message;        /* k per entry: of entry e in column i, what row[e] tells i */
  double *marginal;       /* k per vertex */
  double *group;          /* k, sum of the marginals over vertices */
  double *field;          /* k, workspace */
  double *log_belief;     /* k, workspace */
  double *product;        /* k, workspace */
  double inside, outside; /* a, b: n times the edge probabilities inside and across */
  double edges,
      edges_in;  /* weight of all edges, expected weight of edges inside groups */
  double change; /* sum of |change| of the marginals in the sweep */
  int size_prior;
} kg_belief;

int kg_belief_reverse(size_t n, const int *start, const int *row, size_t *next,
                      size_t *reverse);
void kg_belief_begin(kg_belief *g, size_t from, size_t to);
void kg_belief_field(kg_belief *g);
void kg_belief_marginals(kg_belief *g, size_t from, size_t to);
void kg_belief_messages(kg_belief *g, size_t from, size_t to);
void kg_belief_parameters(kg_belief *g);

#endif
