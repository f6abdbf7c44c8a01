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
