/* kg_part.h - some of the points of an engine as an engine of their own, for every kind. */
#ifndef KG_PART_H
#define KG_PART_H

#include "kg_sums.h"
#include "kg_engine.h"
#include "kg_room.h"

enum { KG_PART_MOST = 11 }; /* clusters of a part */

/* The caller fills rows and label. */
typedef struct kg_part {
  kg_engine *e; /* of the last part, */
  size_t m, k;  /* its points and clusters */
  size_t *rows; /* numbers of its points */
  int *label;
  char *memory; /* its input and engine */
  /* If there are coordinates: */
  kg_quads quads;  /* KG_STRETCH points of the part at a time */
  double *columns; /* KG_STRETCH other points */
} kg_part;

/* For parts of at most n points and KG_PART_MOST clusters. */
void kg_part_lay(kg_part *part, const kg_input *input, kg_room *room);

/* The engine of the first m rows, with k clusters and the rule's weight s. Labels and
 * sums are to come: */
void kg_part_of(kg_part *part, const kg_engine *whole, size_t m, size_t k);
/* sums and totals from the labels; 0 if they are not finite, */
int kg_part_begin(kg_part *part);
/* the same where cluster b of the part is of[b] of the whole, with all its points, */
int kg_part_take(kg_part *part, const kg_engine *whole, const size_t *of);
/* totals, and what is cheap of the sums, from scratch; one pass to every point. */
int kg_part_totals(kg_part *part);
void kg_part_sweep(kg_part *part);

/* half[i] = 0 or 1 for `many` points i: the nearer of the two means of the part; `more`, in
 * the order of the points: how much more d2 is to the second of them. */
void kg_part_nearer(kg_part *part, const kg_engine *whole, const size_t *points,
                    size_t many, int *half, double *more);

/* The nearest mean but the own for the points [from, to) of an engine, -1 if there is
 * none. */
void kg_second_means(kg_engine *e, size_t from, size_t to, int *second);

#endif
