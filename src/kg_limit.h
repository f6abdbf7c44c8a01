/* kg_limit.h - rules of a constrained partition. A rule measures by how much each cluster
 * violates it, 0 if it holds: a search that starts without violations makes the moves that do
 * not raise it, and a repair those that lower it.
 *
 *   amounts     the sum of the amounts (numbers, weights) of each cluster is within limits;
 *               violation: the square of what is missing or too much
 *   apart       neighbours in a graph are in different clusters; violation: the pairs that are not
 *   contiguous  every cluster is connected in a graph; it is never violated */
#ifndef KG_LIMIT_H
#define KG_LIMIT_H

#include "kg_room.h"
#include <stddef.h>

/* The neighbours of unit i are near[start[i]..start[i + 1]), each pair both ways. */
typedef struct {
  const size_t *start, *near;
} kg_links;

/* A search in a cluster from the neighbours of a unit that leaves it. */
typedef struct {
  size_t *seen, *source, *next; /* m: the search that met a unit last, from where, a queue */
  size_t *root, *head, *tail, *first, *open; /* of every source */
  size_t stamp, met; /* met: units of the last search */
  size_t *branch;    /* the units that are cut off */
} kg_parts;

typedef struct kg_limit kg_limit;
struct kg_limit {
  /* The rise of the violation of cluster l if `out` leaves it and `in` joins it; either may be
   * KG_NOBODY. HUGE_VAL: it must not be. */
  double (*rise)(kg_limit *c, size_t l, size_t out, size_t in);
  /* 0 if `in` would break the rule now, while clusters are filled. NULL: it never does. */
  int (*may_join)(const kg_limit *c, size_t l, size_t in);
  double (*total)(const kg_limit *c);
  /* The state from the labels, and after a unit has moved. NULL: there is none. */
  void (*begin)(kg_limit *c);
  void (*made)(kg_limit *c, size_t i, size_t from, size_t to);
  size_t m, k;
  const int *label; /* m; below 0: in no cluster yet */
  const double *amount;
  double *sum; /* k: amounts of the clusters */
  double least, most;
  kg_links links;
  kg_parts *parts;
};

/* Rules; the caller sets m, k, label and what they work on. */
extern const kg_limit kg_amounts, kg_apart, kg_contiguous;

void kg_parts_lay(kg_parts *p, size_t m, kg_room *room);
/* Is cluster l of contiguous clusters connected without `out` and with `in`? If it is not and
 * `most` > 0: p->branch lists all parts but the largest, `many` units, 0 if they are more than
 * `most`. */
int kg_parts_connected(const kg_limit *c, size_t l, size_t out, size_t in, size_t most,
                       size_t *many);

/* Links from pairs of units: start and near hold m + 1 and 2 n_pairs values. */
void kg_links_from(const int *pairs, size_t n_pairs, size_t m, size_t *start, size_t *near);

#endif
