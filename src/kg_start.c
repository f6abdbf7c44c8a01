/* kg_start.c - k-means++ starts: rho is the squared distance of the feature space, so
 * the first centre is drawn with probability ~ w, each further one ~ w_x rho(x, nearest
 * centre). One row of B a candidate. */
#include "kg.h"
#include <math.h>

static double mass(const double *w, const double *nearest, size_t i) {
  return nearest[i] > 0 ? w[i] * nearest[i] : 0;
}

size_t kg_draw(const double *w, const double *nearest, size_t n, size_t l, double u) {
  double total = 0, sum = 0;
  size_t last = n;
  for (size_t i = 0; i < n; i++) total += l == 0 ? w[i] : mass(w, nearest, i);
  if (total > 0) {
    for (size_t i = 0; i < n; i++) {
      double m = l == 0 ? w[i] : mass(w, nearest, i);
      if (m == 0) continue;
      sum += m;
      last = i;
      if (sum > u * total) break;
    }
    return last;
  }
  for (size_t i = 0; i < n; i++) total += w[i] > 0 && nearest[i] > -HUGE_VAL;
  for (size_t i = 0; i < n; i++) {
    if (w[i] == 0 || nearest[i] == -HUGE_VAL) continue;
    sum += 1;
    last = i;
    if (sum > u * total) break;
  }
  return last;
}

void kg_plusplus_step(const kg_pairs *pairs, const double *w, size_t l, size_t candidates,
                      const double *uniforms, int *label, double *nearest,
                      double *buffer) {
  size_t n = pairs->n, best = n;
  double least = HUGE_VAL;
  const double *row;
  for (size_t a = 0; a < candidates && (l > 0 || a == 0); a++) {
    size_t x = kg_draw(w, nearest, n, l, uniforms[a]);
    double potential = 0, self;
    if (x == n) return; /* fewer points of positive weight than centres */
    if (candidates == 1 || l == 0) {
      best = x;
      break;
    }
    row = kg_row(pairs, x, buffer);
    self = pairs->self(pairs, x);
    for (size_t i = 0; i < n; i++) {
      double rho = pairs->self(pairs, i) + self - 2 * row[i];
      if (rho > nearest[i]) rho = nearest[i];
      if (rho > 0) potential += w[i] * rho;
    }
    if (potential < least || best == n) {
      least = potential;
      best = x;
    }
  }
  row = kg_row(pairs, best, buffer);
  double self = pairs->self(pairs, best);
  for (size_t i = 0; i < n; i++) {
    double rho = pairs->self(pairs, i) + self - 2 * row[i];
    if (l == 0 || rho < nearest[i]) {
      nearest[i] = rho;
      label[i] = (int)l;
    }
  }
  nearest[best] = -HUGE_VAL;
  label[best] = (int)l;
}
