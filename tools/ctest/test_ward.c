/* test_ward.c - Ward's tree against the merge of the least of all rises, one by one. */
#include "ctest.h"
#include "kg_ward.h"

static void *new_ward(kg_ward *t, size_t m) {
  kg_room room = {NULL, 0};
  kg_ward_lay(t, m, &room);
  void *memory = TEST_ROOM(room.bytes);
  room = kg_room_at(memory);
  kg_ward_lay(t, m, &room);
  return memory;
}

/* Rises of points on a line, of which the W of unions are definite, or of anything. */
static void fill(kg_ward *t, double *square, uint64_t *rng, int any, int ties) {
  size_t m = t->m;
  double x[64];
  for (size_t l = 0; l < m; l++) {
    x[l] = ties ? (double)ctest_below(rng, 4) : ctest_normal(rng);
    t->s[l] = ties ? 1 : 0.1 + ctest_uniform(rng);
  }
  for (size_t b = 0; b < m; b++)
    for (size_t a = b + 1; a < m; a++) {
      double rho = any ? ctest_normal(rng) : (x[a] - x[b]) * (x[a] - x[b]);
      double rise = t->s[a] * t->s[b] / (t->s[a] + t->s[b]) * rho;
      t->rise[kg_ward_place(m, b, a)] = square[a + b * m] = square[b + a * m] = rise;
    }
}

static void slow(double *rise, double *s, size_t m, double *height) {
  int gone[64] = {0};
  for (size_t step = 0; step + 1 < m; step++) {
    size_t a = m, b = m;
    for (size_t i = 0; i < m; i++)
      for (size_t j = i + 1; j < m; j++)
        if (!gone[i] && !gone[j] && (a == m || rise[i + j * m] < rise[a + b * m]))
          a = i, b = j;
    height[step] = rise[a + b * m];
    for (size_t y = 0; y < m; y++)
      if (!gone[y] && y != a && y != b)
        rise[a + y * m] = rise[y + a * m] =
            ((s[a] + s[y]) * rise[a + y * m] + (s[b] + s[y]) * rise[b + y * m] -
             s[y] * rise[a + b * m]) / (s[a] + s[b] + s[y]);
    s[a] += s[b];
    gone[b] = 1;
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void chains_find_the_merges_of_the_least_rises(void) {
  uint64_t rng = 5;
  for (size_t m = 2; m < 64; m += 1 + m / 9)
    for (int form = 0; form < 3; form++) {
      kg_ward t;
      void *memory = new_ward(&t, m);
      double square[64 * 64], s[64], height[64], total = 0, theirs = 0;
      fill(&t, square, &rng, form == 1, form == 2);
      memcpy(s, t.s, m * sizeof(double));
      kg_ward_begin(&t);
      while (!kg_ward_go(&t, 1)) /* in the smallest pieces */
        ;
      slow(square, s, m, height);
      CHECK(t.merged == m - 1 && t.alive == 1);
      for (size_t q = 0; q + 1 < m; q++)
        CHECK(t.a[q] < t.b[q]);
      qsort(t.height, m - 1, sizeof(double), ascending);
      for (size_t q = 0; q + 1 < m; q++) {
        total += t.height[q];
        theirs += height[q];
        if (form == 0) /* ties merge in any order; negative rises need not be monotone */
          CHECK_NEAR(t.height[q], height[q], 1e-12);
      }
      if (form != 1)
        CHECK_NEAR(total, theirs, 1e-11); /* W of one cluster */
      free(memory);
    }
}

int main(void) {
  RUN(chains_find_the_merges_of_the_least_rises);
  return DONE();
}
