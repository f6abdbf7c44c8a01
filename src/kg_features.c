/* kg_features.c - weighted k-means in R^m by Hartigan's moves, O(k m) a candidate and
 * O(m) a move. The feature-space method for data that come with explicit features. */
#include "kg.h"
#include <math.h>
#include <string.h>

static double squared_distance(const double *a, const double *b, size_t m) {
  double sum = 0;
  for (size_t c = 0; c < m; c++) {
    double t = a[c] - b[c];
    sum += t * t;
  }
  return sum;
}

double kg_features_d2(const kg_features *f, size_t i, size_t l) {
  return squared_distance(f->z + i * f->m, f->mean + l * f->m, f->m);
}

void kg_features_plusplus(const kg_features *f, size_t l, size_t candidates,
                          const double *uniforms, double *nearest) {
  size_t n = f->n, m = f->m, best = n;
  double least = HUGE_VAL;
  for (size_t a = 0; a < candidates && (l > 0 || a == 0); a++) {
    size_t x = kg_draw(f->w, nearest, n, l, uniforms[a]);
    double potential = 0;
    if (x == n) return;
    if (candidates == 1 || l == 0) {
      best = x;
      break;
    }
    for (size_t i = 0; i < n; i++) {
      double d2 = nearest[i];
      if (d2 <= 0 || f->w[i] == 0) continue;
      double to = squared_distance(f->z + i * m, f->z + x * m, m);
      potential += f->w[i] * (to < d2 ? to : d2);
    }
    if (potential < least || best == n) {
      least = potential;
      best = x;
    }
  }
  for (size_t i = 0; i < n; i++) {
    double to = squared_distance(f->z + i * m, f->z + best * m, m);
    if (l == 0 || to < nearest[i]) {
      nearest[i] = to;
      f->label[i] = (int)l;
    }
  }
  nearest[best] = -HUGE_VAL;
  f->label[best] = (int)l;
}

enum kg_status kg_features_totals(kg_features *f) {
  size_t m = f->m, k = f->k;
  double scale = 0;
  memset(f->mean, 0, m * k * sizeof(double));
  memset(f->s, 0, k * sizeof(double));
  memset(f->count, 0, k * sizeof(size_t));
  for (size_t i = 0; i < f->n; i++) {
    size_t l = (size_t)f->label[i];
    double w = f->w[i], norm2 = 0;
    if (w == 0) continue;
    f->s[l] += w;
    f->count[l]++;
    for (size_t c = 0; c < m; c++) {
      double z = f->z[i * m + c];
      f->mean[l * m + c] += w * z;
      norm2 += z * z;
    }
    scale += w * norm2;
  }
  for (size_t l = 0; l < k; l++)
    for (size_t c = 0; c < m && f->count[l] > 0; c++) f->mean[l * m + c] /= f->s[l];
  f->tolerance = 1e-10 * scale / (double)f->n;
  return isfinite(scale) ? KG_OK : KG_NOT_FINITE;
}

size_t kg_features_nearest(const kg_features *f, size_t i) {
  size_t best = 0;
  double least = HUGE_VAL;
  for (size_t l = 0; l < f->k; l++) {
    if (f->count[l] == 0) continue;
    double d2 = kg_features_d2(f, i, l);
    if (d2 < least) {
      least = d2;
      best = l;
    }
  }
  return best;
}

size_t kg_features_hartigan(kg_features *f, size_t from, size_t to) {
  size_t m = f->m, k = f->k, made = 0;
  for (size_t i = from; i < to; i++) {
    size_t j = (size_t)f->label[i], best = j;
    double w = f->w[i], rest = f->s[j] - w, least = HUGE_VAL;
    if (w == 0 || f->count[j] < 2 || !(rest > 1e-12 * f->s[j])) continue;
    double gone = w * (f->s[j] / rest) * kg_features_d2(f, i, j);
    if (!(gone > f->tolerance)) continue;
    for (size_t l = 0; l < k; l++) {
      if (l == j) continue;
      double come = w * (f->s[l] / (f->s[l] + w)) * kg_features_d2(f, i, l);
      if (come < least) {
        least = come;
        best = l;
      }
    }
    if (!(least - gone < -f->tolerance)) continue;
    const double *z = f->z + i * m;
    double *a = f->mean + j * m, *b = f->mean + best * m;
    double out = w / rest, in = w / (f->s[best] + w);
    for (size_t c = 0; c < m; c++) {
      a[c] -= out * (z[c] - a[c]);
      b[c] += in * (z[c] - b[c]);
    }
    f->s[j] = rest;
    f->s[best] += w;
    f->count[j]--;
    f->count[best]++;
    f->label[i] = (int)best;
    made++;
  }
  f->moves += made;
  return made;
}

double kg_features_cost(const kg_features *f) {
  double sum = 0;
  for (size_t i = 0; i < f->n; i++)
    if (f->w[i] > 0) sum += f->w[i] * kg_features_d2(f, i, (size_t)f->label[i]);
  return sum;
}
