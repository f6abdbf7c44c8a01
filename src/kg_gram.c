/* kg_gram.c - one look at a square matrix that copies nothing: O(n^2), in tiles, so that
 * a row is read a cache line at a time. */
#include "kg_gram.h"
#include "kg_check.h"
#include <math.h>

enum { TILE = 64 };

kg_gram_scan kg_gram_begin(void) {
  kg_gram_scan look = {0, 0, 0, 0, 1, 0, 0};
  return look;
}

static void look_at_column(const double *column, size_t n, size_t j, kg_gram_scan *look) {
  double largest = look->largest, odd = 0;
  for (size_t i = 0; i < n; i++) {
    double size = fabs(column[i]);
    largest = size > largest ? size : largest;
    odd += column[i] - column[i]; /* NaN from the first value that is not finite on */
  }
  look->largest = largest;
  if (odd == 0)
    return;
  for (size_t i = 0; i < n; i++) {
    if (isfinite(column[i]))
      continue;
    look->finite = 0;
    look->odd_row = i;
    look->odd_column = j;
    return;
  }
}

/* Ties go to the first by columns, whatever the tiles. */
static void compare(const double *G, size_t n, size_t i, size_t j, kg_gram_scan *look) {
  double gap = fabs(G[i + j * n] - G[j + i * n]);
  if (!(gap > 0) || gap < look->gap)
    return;
  if (gap == look->gap &&
      (look->gap_column < j || (look->gap_column == j && look->gap_row < i)))
    return;
  look->gap = gap;
  look->gap_row = i;
  look->gap_column = j;
}

void kg_gram_columns(const double *G, size_t n, size_t from, size_t to,
                     kg_gram_scan *look) {
  KG_CHECK(from <= to && to <= n);
  for (size_t j = from; j < to && look->finite; j++)
    look_at_column(G + j * n, n, j, look);
  if (!look->finite)
    return;
  for (size_t first = from; first < to; first += TILE) {
    size_t last = to - first < TILE ? to : first + TILE;
    for (size_t top = first; top < n; top += TILE) {
      size_t bottom = n - top < TILE ? n : top + TILE;
      for (size_t j = first; j < last; j++)
        for (size_t i = top > j ? top : j + 1; i < bottom; i++)
          compare(G, n, i, j, look);
    }
  }
}
