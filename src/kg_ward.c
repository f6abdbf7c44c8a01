/* kg_ward.c - Ward's tree by chains of nearest neighbours (Murtagh 1983): two clusters
 * that are each other's nearest merge, since no merge of others brings one of them nearer.
 * O(m^2) rises are read. */
#include "kg_ward.h"
#include "kg_check.h"
#include <math.h>
#include <string.h>

size_t kg_ward_place(size_t m, size_t b, size_t a) {
  KG_CHECK(b < a && a < m);
  return b * m - b * (b + 1) / 2 + a - b - 1;
}

static double *rise_of(const kg_ward *t, size_t x, size_t y) {
  return t->rise + (x < y ? kg_ward_place(t->m, x, y) : kg_ward_place(t->m, y, x));
}

void kg_ward_lay(kg_ward *t, size_t m, kg_room *room) {
  KG_CHECK(m >= 2);
  memset(t, 0, sizeof *t);
  t->m = m;
  t->rise = KG_TAKE2(room, m, (m - 1) / 2 + 1, double);
  t->s = KG_TAKE(room, m, double);
  t->top = KG_TAKE(room, m, double);
  t->height = KG_TAKE(room, m - 1, double);
  t->cluster = KG_TAKE(room, m, size_t);
  t->chain = KG_TAKE(room, m, size_t);
  t->a = KG_TAKE(room, m - 1, size_t);
  t->b = KG_TAKE(room, m - 1, size_t);
}

void kg_ward_begin(kg_ward *t) {
  t->alive = t->m;
  t->length = t->merged = 0;
  for (size_t l = 0; l < t->m; l++) {
    t->cluster[l] = l;
    t->top[l] = -HUGE_VAL;
  }
}

/* The nearest cluster of x, the lowest of several, but `last` if none is nearer. */
static size_t nearest(const kg_ward *t, size_t x, size_t last) {
  size_t best = last;
  double least = last < t->m ? *rise_of(t, x, last) : HUGE_VAL;
  for (size_t q = 0; q < t->alive; q++) {
    size_t y = t->cluster[q];
    if (y == x)
      continue;
    double rise = *rise_of(t, x, y);
    if (rise < least || best == t->m) {
      least = rise;
      best = y;
    }
  }
  return best;
}

/* The recurrence of Lance and Williams (1967) for the rises of W. */
static void merge(kg_ward *t, size_t a, size_t b) {
  double rise = *rise_of(t, a, b), s = t->s[a] + t->s[b];
  size_t left = 0;
  for (size_t q = 0; q < t->alive; q++) {
    size_t y = t->cluster[q];
    if (y == b)
      continue;
    t->cluster[left++] = y;
    if (y == a)
      continue;
    double *to = rise_of(t, a, y), own = t->s[y];
    *to = ((t->s[a] + own) * *to + (t->s[b] + own) * *rise_of(t, b, y) - own * rise) /
          (s + own);
  }
  t->alive = left;
  t->s[a] = s;
  /* no less than what it consists of, whatever the rounding */
  t->top[a] = fmax(rise, fmax(t->top[a], t->top[b]));
  t->a[t->merged] = a;
  t->b[t->merged] = b;
  t->height[t->merged++] = t->top[a];
}

int kg_ward_go(kg_ward *t, double work) {
  for (; t->alive > 1 && work > 0; work -= (double)t->alive) {
    if (t->length == 0)
      t->chain[t->length++] = t->cluster[0];
    size_t x = t->chain[t->length - 1];
    size_t last = t->length > 1 ? t->chain[t->length - 2] : t->m;
    size_t y = nearest(t, x, last);
    if (y == last) {
      t->length -= 2;
      merge(t, x < y ? x : y, x < y ? y : x);
    } else {
      t->chain[t->length++] = y;
    }
  }
  return t->alive == 1;
}
