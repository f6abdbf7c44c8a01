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

/* ---- eigenvalues below a number: kg_inertia.c ---------------------------------------- */

enum kg_inertia_state {
  KG_INERTIA_GOING,
  KG_INERTIA_DENSE, /* done but for `left` rows, a dense matrix: kg_inertia_rest() */
  KG_INERTIA_OUT    /* over the budget, or out of room */
};

typedef struct {
  /* given: both triangles without the diagonal; value NULL: all entries are `every`, with
   * the sign turned (H = diag(diagonal) - entries) */
  size_t n;
  const int *start, *given_row;
  const double *value, *diagonal;
  double every;
  size_t most_dense; /* rows that may be left for a dense matrix */
  double budget;     /* entries of fronts that may be worked on */
  double tiny;       /* pivots up to this are 0 */
  /* what came of it */
  enum kg_inertia_state state;
  size_t negative; /* pivots below 0 so far */
  size_t left;     /* vertices that are still there */
  double work;
  /* workspace. A vertex's slot of `row` holds its `near` neighbours from the left and its
   * `elements` from the right. */
  int *row, *near, *elements, *kind, *degree, *head, *before, *after, *place, *mark;
  int *list, *length, *outside, *order, *members;
  size_t *from; /* where the values of an element begin */
  double *pivot, *column, *weight, *values;
  size_t n_order, used_members, most_members, used_values, most_values;
  int least, stamp;
} kg_inertia;

size_t kg_inertia_integers(size_t n, size_t entries);
size_t kg_inertia_doubles(size_t n, size_t entries, int weighted);
void kg_inertia_begin(kg_inertia *g, double shift, int *integers, double *doubles,
                      size_t *positions, double *values, size_t most_values);
int kg_inertia_step(kg_inertia *g, double work);
void kg_inertia_rest(kg_inertia *g, double *rest);

/* ---- smallest eigenvalues by filtered blocks: kg_chebyshev.c ------------------------- */

enum { KG_WIDE = 16 }; /* vectors of a block, whose values stand vertex by vertex */

typedef struct {
  size_t n;
  const int *start, *row;
  const double *value; /* or NULL: all entries are `every`; H = diag(diagonal) - entries */
  const double *diagonal;
  double every;
  int threads;
} kg_wide;

/* Chebyshev's recurrence, scaled */
typedef struct {
  double half, middle, first, sigma;
  double scale, shift, keep; /* of the step to be done */
} kg_filter;

void kg_wide_step(const kg_wide *h, size_t from, size_t to, const float *x, float *y,
                  double scale, double shift, double keep);
void kg_wide_gram(const kg_wide *h, size_t from, size_t to, float *const *block, size_t b,
                  size_t p, double *S, double *G);
void kg_wide_rotate(size_t from, size_t to, float *const *block, size_t p, const float *C,
                    float *line); /* line: 32 p */
void kg_wide_residual(const kg_wide *h, size_t from, size_t to, const float *x,
                      const double *theta, double *square);
double kg_wide_bound(const kg_wide *h, size_t from, size_t to, const double *u, double *out,
                     double ratio);
void kg_wide_begin(size_t from, size_t to, size_t b, float *x);
void kg_filter_begin(kg_filter *f, double smallest, double low, double high);
void kg_filter_next(kg_filter *f);

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
