/* kg_dip.c - dip statistic of a sample (Hartigan and Hartigan 1985, section 3).
 *
 * F_n jumps from i to i + 1 (in units 1/n) at x[i]. A unimodal F with a mode in
 * x[low..high] is convex below it and concave above it. The hulls below and above the
 * points (x[i], i) bound F; the gap between F_n and a hull is that of the points plus the
 * jump of 1. */
#include "kg_dip.h"

#include "kg_check.h"

/* Height at x[j] of the chord from (x[a], a) to (x[b], b). */
static double chord(const double *x, size_t a, size_t b, size_t j) {
  double run = x[b] - x[a];
  return run > 0 ? (double)a + (double)(b - a) * (x[j] - x[a]) / run : (double)a;
}

/* Write the vertices of the convex hull of (x[i], i), i = low..high, that lie below (side
 * 1) or above (side -1) the points, ascending. Return their number. */
static size_t hull(const double *x, size_t low, size_t high, int side, size_t *vertex) {
  size_t m = 0;
  for (size_t i = low; i <= high; i++) {
    while (m > 1) {
      size_t a = vertex[m - 2], b = vertex[m - 1];
      double turn = (x[b] - x[a]) * (double)(i - b) - (x[i] - x[b]) * (double)(b - a);
      if (side * turn > 0)
        break;
      m--;
    }
    vertex[m++] = i;
  }
  return m;
}

/* The largest distance between the points low..high and the chords of a hull on that
 * side. */
static double deviation(const double *x, const size_t *vertex, size_t low, size_t high,
                        int side) {
  double most = 0;
  for (size_t v = 0, j = low; j <= high; j++) {
    while (vertex[v + 1] < j)
      v++;
    double gap = side * ((double)j - chord(x, vertex[v], vertex[v + 1], j));
    if (gap > most)
      most = gap;
  }
  return most;
}

typedef struct {
  double gap;       /* largest distance between the hulls */
  size_t low, high; /* the vertices around the place where it is attained */
} widest;

/* The largest distance between the hulls, at the vertices of both. */
static widest between_hulls(const double *x, const size_t *below, size_t n_below,
                            const size_t *above, size_t n_above) {
  widest out = {0, below[0], above[n_above - 1]};
  for (size_t v = 0, u = 0; v < n_below; v++) {
    while (u + 1 < n_above && above[u + 1] < below[v])
      u++;
    if (u + 1 == n_above)
      break;
    double gap = chord(x, above[u], above[u + 1], below[v]) - (double)below[v];
    if (gap > out.gap)
      out = (widest){gap, below[v], above[u + 1]};
  }
  for (size_t u = 0, v = 0; u < n_above; u++) {
    while (v + 1 < n_below && below[v + 1] <= above[u])
      v++;
    if (v + 1 == n_below)
      break;
    double gap = (double)above[u] - chord(x, below[v], below[v + 1], above[u]);
    if (gap > out.gap)
      out = (widest){gap, below[v], above[u]};
  }
  return out;
}

double kg_dip(const double *x, size_t n, size_t *work) {
  size_t *below = work, *above = work + n;
  size_t low = 0, high = n - 1;
  double dip = 1; /* in units 1/(2n): F_n jumps */
  KG_CHECK(n > 0 && x[0] <= x[n - 1]);
  while (low < high) {
    size_t n_below = hull(x, low, high, 1, below),
           n_above = hull(x, low, high, -1, above);
    widest w = between_hulls(x, below, n_below, above, n_above);
    if (w.gap + 1 <= dip)
      break;
    double left = w.low > low ? deviation(x, below, low, w.low, 1) : 0;
    double right = w.high < high ? deviation(x, above, w.high, high, -1) : 0;
    if (left + 1 > dip)
      dip = left + 1;
    if (right + 1 > dip)
      dip = right + 1;
    if (w.low == low && w.high == high)
      break;
    low = w.low;
    high = w.high;
  }
  return dip / (2 * (double)n);
}
