/* kg_gram.c - one pass over a square matrix that copies nothing: O(n^2), in tiles, so that
 * a row is read a cache line at a time. */
#include "kg_gram.h"
#include "kg_check.h"
#include <math.h>

enum { TILE = 64 };

kg_gram_scan kg_gram_begin(void) {
  kg_gram_scan scan = {0, 0, 0, 0, 1, 0, 0};
  return scan;
}

static void scan_column(const double *column, size_t n, size_t j, kg_gram_scan *scan) {
  double largest = scan->largest, odd = 0;
  for (size_t i = 0; i < n; i++) {
    double size = fabs(column[i]);
    largest = size > largest ? size : largest;
    odd += column[i] - column[i]; /* NaN from the first value that is not finite on */
  }
  scan->largest = largest;
  if (odd == 0)
    return;
  for (size_t i = 0; i < n; i++) {
    if (isfinite(column[i]))
      continue;
    scan->finite = 0;
    scan->odd_row = i;
    scan->odd_column = j;
    return;
  }
}

/* Ties go to the first by columns, whatever the tiles. */
static void compare(const double *G, size_t n, size_t i, size_t j, kg_gram_scan *scan) {
  double gap = fabs(G[i + j * n] - G[j + i * n]);
  if (!(gap > 0) || gap < scan->gap)
    return;
  if (gap == scan->gap &&
      (scan->gap_column < j || (scan->gap_column == j && scan->gap_row < i)))
    return;
  scan->gap = gap;
  scan->gap_row = i;
  scan->gap_column = j;
}

void kg_gram_columns(const double *G, size_t n, size_t from, size_t to,
                     kg_gram_scan *scan) {
  KG_CHECK(from <= to && to <= n);
  for (size_t j = from; j < to && scan->finite; j++)
    scan_column(G + j * n, n, j, scan);
  if (!scan->finite)
    return;
  for (size_t first = from; first < to; first += TILE) {
    size_t last = to - first < TILE ? to : first + TILE;
    for (size_t top = first; top < n; top += TILE) {
      size_t bottom = n - top < TILE ? n : top + TILE;
      for (size_t j = first; j < last; j++)
        for (size_t i = top > j ? top : j + 1; i < bottom; i++)
          compare(G, n, i, j, scan);
    }
  }
}
