/* kg_kmeans_pairs.c - W itself of a partition by means, from the pair values within its
 * clusters.
 *
 * In few dimensions the spread of clusters tells W less and less, as it does not see
 * their shape. The pairs within the clusters that a crossover has changed are few beside
 * what its sweeps cost, and tell which partition is the better one. */
#include "kg.h"
#include <string.h>

enum { PAIR = 16 }; /* products that take as long as a pair value */

size_t kg_kmeans_pairs_doubles(size_t n, size_t d) {
  return n * (d + 5) + 4 * d;
}

static double within(kg_kmeans *q, size_t l) {
  const size_t *member = q->member + q->first[l];
  size_t m = q->first[l + 1] - q->first[l], d = q->d;
  double *x = q->pairs, *w = x + q->n * d, *b = w + q->n, *y = b + 4 * q->n, sum = 0;
  kg_coordinates points = {x, m, d, {KG_POWER, 2 * q->power}};
  for (size_t r = 0; r < m; r++) {
    w[r] = q->w[member[r]];
    for (size_t c = 0; c < d; c++)
      x[r + c * m] = q->z[member[r] * d + c];
  }
  for (size_t a = 0; a < m; a += 4) {
    size_t rows = m - a < 4 ? m - a : 4, width = m - a;
    double part[4], among = 0;
    for (size_t r = 0; r < rows; r++)
      kg_point_gather(&points, a + r, y, r);
    kg_points_strip(&points, y, a, m, b);
    memset(part, 0, sizeof part);
    kg_chosen_loops->sums4(b, width, w + a, width, part);
    for (size_t r = 0; r < rows; r++) {
      sum += w[a + r] * part[r];
      for (size_t c = 0; c < rows; c++)
        among += w[a + r] * w[a + c] * b[r * width + c];
    }
    sum -= among / 2; /* pairs of the four came twice */
  }
  q->work += PAIR * (double)m * (double)m / 2;
  return -2 * sum / q->now.s[l];
}

void kg_kmeans_disperse(kg_kmeans *q, int all) {
  kg_clusters *now = &q->now;
  if (!q->pairs)
    return;
  for (size_t l = 0; l < q->k; l++)
    q->some[l] = (size_t)all;
  for (size_t i = 0; i < q->n && !all; i++)
    if (now->label[i] != q->kept.label[i])
      q->some[now->label[i]] = q->some[q->kept.label[i]] = 1;
  now->dispersion = 0;
  for (size_t l = 0; l < q->k; l++) {
    if (q->some[l])
      now->within[l] = within(q, l);
    now->dispersion += now->within[l];
  }
}
