/* test_gram.c - the check of a matrix that is declared a Gram matrix, against a slow
 * one. */
#include "../../src/kg_gram.h"
#include "reference.h"

static kg_gram_scan scan_in_pieces(const double *G, size_t n, size_t piece) {
  kg_gram_scan scan = kg_gram_begin();
  for (size_t from = 0; from < n; from += piece)
    kg_gram_columns(G, n, from, n - from < piece ? n : from + piece, &scan);
  return scan;
}

static void the_scan_is_that_of_two_loops(void) {
  uint64_t rng = 71;
  size_t sizes[] = {1, 2, 63, 64, 65, 129, 200};
  for (size_t s = 0; s < 7; s++) {
    size_t n = sizes[s];
    double *G = NEW(double, n *n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++)
        G[i + j * n] = G[j + i * n] = ctest_uniform(&rng) - 0.5;
    for (int corrupted = 0; corrupted < 2; corrupted++) {
      if (corrupted)
        for (int a = 0; a < 9; a++)
          G[(size_t)(ctest_uniform(&rng) * (double)(n * n))] += 1;
      double largest = 0, gap = 0;
      size_t row = 0, column = 0;
      for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
          double one = fabs(G[i + j * n] - G[j + i * n]);
          if (fabs(G[i + j * n]) > largest)
            largest = fabs(G[i + j * n]);
          if (i > j && one > gap)
            gap = one, row = i, column = j;
        }
      for (size_t piece = 1; piece <= n; piece += 31) {
        kg_gram_scan scan = scan_in_pieces(G, n, piece);
        CHECK(scan.finite && scan.largest == largest && scan.gap == gap);
        CHECK(scan.gap_row == row && scan.gap_column == column);
      }
    }
    size_t at = (size_t)(ctest_uniform(&rng) * (double)(n * n));
    G[at] = NAN;
    kg_gram_scan scan = scan_in_pieces(G, n, 10);
    CHECK(!scan.finite && scan.odd_row == at % n && scan.odd_column == at / n);
    free(G);
  }
}

int main(void) {
  RUN(the_scan_is_that_of_two_loops);
  return DONE();
}
