/* kg_graph.h - sparse matrices and belief propagation.
 * Part of kg.h, whose conventions hold here. */
#ifndef KG_GRAPH_H
#define KG_GRAPH_H

#include <stddef.h>

/* ---- sparse symmetric matrices: kg_sparse.c ---------------------------------------- */

/* B in compressed columns, both triangles, the diagonal apart. */
typedef struct {
  size_t n;
  const int *start;       /* n + 1 positions, the first one 0 */
  const int *row;         /* rows of the entries off the diagonal */
  const double *value;    /* their values */
  const double *diagonal; /* n */
  const double *weight;   /* n, not negative */
} kg_sparse;

/* A partition of the rows and what the moves need of it. */
typedef struct {
  size_t k;
  int *label;      /* n, from 0 */
  double *size;    /* s_l */
  double *within;  /* V_l */
  size_t *members; /* points of positive weight */
  double *reach;   /* k, the row R_i. of the point looked at */
  int *touched;    /* k, the clusters that have an entry in that row */
  size_t *mark;    /* k, the stamp of the row that set reach */
  size_t stamp;
  double norm_min; /* no V_l / s_l^2 is below this */
  double size_min; /* no s_l is below this, */
  double size_max; /* none above that */
} kg_sparse_clusters;

void kg_sparse_totals_begin(const kg_sparse *b, kg_sparse_clusters *c);
void kg_sparse_totals_add(const kg_sparse *b, kg_sparse_clusters *c, size_t from,
                          size_t to);
void kg_sparse_bounds(kg_sparse_clusters *c);
double kg_sparse_scale(const kg_sparse *b, const kg_sparse_clusters *c);
size_t kg_sparse_sweep(const kg_sparse *b, kg_sparse_clusters *c, size_t from, size_t to,
                       double threshold);
void kg_sparse_place(const kg_sparse *b, kg_sparse_clusters *c, const int *points,
                     size_t from, size_t to);
void kg_sparse_distances(const kg_sparse *b, kg_sparse_clusters *c, size_t from,
                         size_t to, double *distance);

/* ---- belief propagation on graphs: kg_belief.c ------------------------------------- */

typedef struct {
  size_t n, k;
  const int *start;      /* n + 1, columns of the adjacency matrix, rows in order */
  const int *row;        /* neighbours */
  const double *weight;  /* weights of the entries, or NULL for all 1 */
  const size_t *reverse; /* position of the entry (j, i) for the entry (i, j) */
  const double *theta;   /* what a vertex counts for, mean 1, or NULL for all 1 */
  const int *bin;        /* bin of each vertex's degree, or NULL: no law of degrees */
  size_t bins;
  int learn_sizes; /* are the g_q learnt? */
  int normed;      /* does rho_q = N_q / S_q stand beside theta? Not with weights. */
  int full;        /* is W a k x k matrix? Not with weights or normed. */

  double *message;        /* k per entry: of entry e in column i, what row[e] tells i */
  double *marginal;       /* k per vertex */
  double inside, outside; /* n a and n b: two rates */
  double *rate;           /* k x k, n W where it is full */
  double *size, *mass;    /* k each, N_q = sum P and S_q = sum theta P */
  double *log_size;       /* k, log g_q */
  double *rho, *log_rho;  /* k each, 1 and 0 unless normed */
  double *law;            /* k per bin, X(b, q) */
  double *count;          /* k per bin, C_bq */
  const double *share;    /* per bin, p_b */
  double *work;           /* 4 k */

  double edges, edges_in; /* weight of all edges, expected weight inside groups */
  double *between;        /* k x k, expected edges from q to s where W is full */
  double change;          /* sum of |change| of the marginals in the sweep */
  double energy;          /* the terms of vertices and edges met so far */
} kg_belief;

int kg_belief_reverse(size_t n, const int *start, const int *row, size_t *next,
                      size_t *reverse);
void kg_belief_begin(kg_belief *g, size_t from, size_t to);
void kg_belief_clear(kg_belief *g);
void kg_belief_totals(kg_belief *g, size_t from, size_t to);
void kg_belief_shape(kg_belief *g);
void kg_belief_sweep(kg_belief *g, size_t from, size_t to, int forward);
void kg_belief_edges(kg_belief *g, size_t from, size_t to);
void kg_belief_rates(kg_belief *g);
void kg_belief_energy(kg_belief *g, size_t from, size_t to);
double kg_belief_free_energy(const kg_belief *g);

#endif
