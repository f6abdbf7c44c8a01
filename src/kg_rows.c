/* kg_rows.c - pairwise dissimilarities of sparse rows. */
#include "kg_rows.h"
#include "kg_check.h"
#include <string.h>

/* A squared distance below this share of the squared norms is rounding. */
#define NOTHING 4e-15

void kg_rows_squares(const kg_rows *rows, double *square) {
  for (size_t i = 0; i < rows->n; i++) {
    double sum = 0;
    for (int e = rows->row_start[i]; e < rows->row_start[i + 1]; e++)
      sum += rows->row_value[e] * rows->row_value[e];
    square[i] = rows->centre ? sum - rows->centre[i] * rows->centre[i] : sum;
  }
}

/* The first entry of a column in row `from` or later. */
static int first_entry(const kg_rows *rows, int c, size_t from) {
  int low = rows->column_start[c], high = rows->column_start[c + 1];
  while (from > 0 && low < high) {
    int middle = low + (high - low) / 2;
    if ((size_t)rows->row[middle] < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* out[j - from] = <x_i, x_j> */
static void products(const kg_rows *rows, size_t i, size_t from, size_t to, double *out) {
  KG_CHECK(i < rows->n && from <= to && to <= rows->n);
  memset(out, 0, (to - from) * sizeof(double));
  for (int e = rows->row_start[i]; e < rows->row_start[i + 1]; e++) {
    const int c = rows->column[e], last = rows->column_start[c + 1];
    const double v = rows->row_value[e];
    for (int f = first_entry(rows, c, from); f < last && (size_t)rows->row[f] < to; f++)
      out[(size_t)rows->row[f] - from] += v * rows->column_value[f];
  }
}

static double square_of(const kg_rows *rows, size_t i, size_t j, double product) {
  double both = rows->square[i] + rows->square[j];
  if (rows->centre)
    product -= rows->centre[i] * rows->centre[j];
  double q = both - 2 * product;
  return i == j || q < NOTHING * both ? 0 : q;
}

static void rows_block(const kg_pairs *pairs, const size_t *which, size_t n_rows,
                       size_t from, size_t to, double *out) {
  const kg_rows *rows = (const kg_rows *)pairs->context;
  for (size_t r = 0; r < n_rows; r++) {
    double *value = out + r * (to - from);
    products(rows, which[r], from, to, value);
    for (size_t j = from; j < to; j++)
      value[j - from] = square_of(rows, which[r], j, value[j - from]);
    kg_from_squares(rows->rho, value, to - from);
  }
}

/* Values at columns are computed together while they lie within SPAN of the first. */
enum { SPAN = 512 };

static void rows_among(const kg_pairs *pairs, size_t i, const size_t *columns, size_t many,
                       double *out) {
  const kg_rows *rows = (const kg_rows *)pairs->context;
  double product[SPAN];
  for (size_t a = 0, b; a < many; a = b) {
    size_t from = columns[a], to = rows->n - from < SPAN ? rows->n : from + SPAN;
    for (b = a + 1; b < many && columns[b] >= from && columns[b] < to;)
      b++;
    if (b == a + 1)
      to = from + 1;
    products(rows, i, from, to, product);
    for (size_t c = a; c < b; c++)
      out[c] = square_of(rows, i, columns[c], product[columns[c] - from]);
  }
  kg_from_squares(rows->rho, out, many);
}

static const kg_store rows_store = {.block = rows_block, .among = rows_among};

kg_pairs kg_rows_pairs(const kg_rows *rows) {
  KG_CHECK(rows->n > 0 && rows->row_start[0] == 0);
  double work = 0, n = (double)rows->n;
  for (size_t c = 0; c < rows->d; c++) {
    double entries = rows->column_start[c + 1] - rows->column_start[c];
    work += entries * entries;
  }
  kg_pairs p = {
      &rows_store, rows->n, 4 + work / (n * n), {NULL, rows->n, 0, rows->rho}, NULL,
      NULL,        rows};
  return p;
}
