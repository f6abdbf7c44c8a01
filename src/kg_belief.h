/* kg_belief.h - belief propagation on graphs. */
#ifndef KG_BELIEF_H
#define KG_BELIEF_H

#include <stddef.h>

#include "kg_room.h"

/* The caller's: the adjacency matrix in compressed columns. */
typedef struct {
  const int *start;     /* n + 1, rows in order */
  const int *row;       /* neighbours */
  const double *weight; /* weights of the entries, or NULL for all 1 */
  const double *theta;  /* the factor of a vertex, mean 1, or NULL for all 1 */
} kg_belief_graph;

/* The caller's settings, the parameters of the first sweep, and those that sweeps
 * estimate. */
typedef struct {
  const int *bin; /* bin of each vertex's degree, or NULL: no degree distribution */
  size_t bins;
  const double *share; /* per bin, p_b */
  int learn_sizes;     /* are the g_q learnt? */
  int normed;          /* does rho_q = N_q / S_q stand beside theta? Not with weights. */
  double inside, outside; /* n a and n b: two rates */
  double *log_size;       /* k, log g_q */
  double *rho, *log_rho;  /* k each, 1 and 0 unless normed */
  double rho_top;         /* the largest rho */
  double *law;            /* k per bin, X(b, q) */
  double drift;           /* largest |change| of a rate's logarithm */
} kg_belief_model;

/* Sums over the vertices and edges of a sweep. */
typedef struct {
  double *size, *mass;        /* k each, N_q = sum P and S_q = sum theta P */
  double *count;              /* k per bin, C_bq */
  double edges_in, edges_out; /* expected edges inside groups and across */
  double own_in, own_all;     /* pairs of a vertex with itself: inside, all */
  double change;              /* sum of |change| of the marginals in the sweep */
  double energy;              /* the terms of vertices and edges met so far */
} kg_belief_sums;

typedef struct {
  size_t n, k;
  double unit; /* 1 / n */
  kg_belief_graph graph;
  kg_belief_model model;
  kg_belief_sums sums;
  double *marginal; /* k per vertex: of the start, then of the last sweep */
  double *message;  /* k per entry: of entry e in column i, what row[e] determines i */
  size_t *reverse, *next; /* position of the entry (j, i) for the entry (i, j); n */
  double *work;           /* 4 k */
  double *kept;           /* room, the terms of the edges of one vertex */
  size_t room;
} kg_belief;

/* Arrays, once the graph and the model are set. */
void kg_belief_lay(kg_belief *g, kg_room *room);
int kg_belief_reverse(kg_belief *g);
void kg_belief_begin(kg_belief *g, size_t from, size_t to);
void kg_belief_clear(kg_belief *g);
void kg_belief_totals(kg_belief *g, size_t from, size_t to);
void kg_belief_shape(kg_belief *g);
void kg_belief_sweep(kg_belief *g, size_t from, size_t to, int forward);
void kg_belief_edges(kg_belief *g, size_t from, size_t to);
void kg_belief_rates(kg_belief *g);
void kg_belief_energy(kg_belief *g, size_t from, size_t to);

#endif
