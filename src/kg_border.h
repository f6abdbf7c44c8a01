/* kg_border.h - Ward's merges along the edges of a graph: of the pairs of clusters that share an
 * edge the one whose merge raises W least becomes one cluster. With s the weights, T the sums of
 * w_x w_y rho_xy over the pairs within a cluster and M those between two, a merge raises W by
 *     (M_ab - T_a s_b / s_a - T_b s_a / s_b) / (s_a + s_b).
 * M is kept for pairs that share an edge, and summed over units when they come to share one. */
#ifndef KG_BORDER_H
#define KG_BORDER_H

#include "kg_limit.h"
#include "kg_units.h"

typedef struct {
  kg_units *u;
  size_t edges, used, alive; /* edges: at most; used: of the units inside; alive: clusters */
  double *s, *T, *amount;  /* m, by cluster; a cluster has the number of its least unit */
  size_t *last, *member;   /* m: the units of a cluster as a list */
  size_t *head, *tail;     /* m: the half-edges of a cluster as a list */
  size_t *end, *next;      /* 2 edges: the cluster of a half-edge */
  double *M, *key;         /* edges */
  size_t *heap, *place, n; /* edges by key; place KG_NOBODY: not in the heap */
  size_t *at, *one, *other; /* m: workspace */
  double most;             /* clusters above this amount are merged last */
  const kg_links *apart;   /* NULL, or pairs of units whose clusters are merged last */
  size_t *owner;           /* m: the cluster of a unit, by way of others */
  const double *noise;     /* NULL, or factors of the rises, `n_noise` of them */
  size_t n_noise;
} kg_border;

void kg_border_lay(kg_border *b, kg_units *u, size_t edges, kg_room *room);
/* Every unit of `inside` (NULL: of all) is a cluster: those linked by units of one group[] are
 * merged first (NULL: none). amount: of the units, or NULL. */
void kg_border_begin(kg_border *b, const kg_links *links, const size_t *inside, size_t many,
                     const double *amount);
/* Merges the next pair a < b into a; returns 0 if no edge is left. rise: of W. */
int kg_border_merge(kg_border *b, size_t *one, size_t *other, double *rise);
/* Merges units of equal `group` that are linked. */
void kg_border_within(kg_border *b, const int *group);
/* label[i] of the units i: clusters from 0 in the order of their least unit; those of `inside`
 * alone. Returns the number of clusters. */
size_t kg_border_labels(kg_border *b, const size_t *inside, size_t many, int *label);

#endif
