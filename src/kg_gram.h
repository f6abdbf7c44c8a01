/* kg_gram.h - is a square matrix a Gram matrix: finite and symmetric? */
#ifndef KG_GRAM_H
#define KG_GRAM_H
#include <stddef.h>

/* The structure found so far; begin with kg_gram_begin(). Places are counted from 0. */
typedef struct {
  double largest;             /* of the absolute values */
  double gap;                 /* the largest |G_ij - G_ji| */
  size_t gap_row, gap_column; /* where it is, below the diagonal */
  int finite;                 /* 0 once an entry is not */
  size_t odd_row, odd_column; /* the first that is not, by columns */
} kg_gram_scan;

kg_gram_scan kg_gram_begin(void);

/* Scans the columns from `from` to before `to` and at the rows that mirror them. */
void kg_gram_columns(const double *G, size_t n, size_t from, size_t to,
                     kg_gram_scan *scan);

#endif
