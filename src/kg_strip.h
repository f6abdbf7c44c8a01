/* kg_strip.h - the innermost loop of the first pass: four rows of a tile meet another tile,
 * in registers from the coordinates to the sums. Included by kg_loops.h for each vector
 * width; what a share is stands at kg_tiles in kg.h.
 *
 * KG_GROUP columns at a time (two vectors): squares, the semimetric, then for each
 * partition the four row sums over each share, and the sums of the columns over the
 * cluster of the rows. Row sums wait in `sums`, 4 vectors a slot, until the tile is done. */

#define COORDINATE                                                                       \
  do {                                                                                   \
    V u = LOAD(p), v = LOAD(p + KG_W), y0 = SPLAT(q[0]), y1 = SPLAT(q[1]);               \
    V y2 = SPLAT(q[2]), y3 = SPLAT(q[3]);                                                \
    V s0 = u - y0, s1 = u - y1, s2 = u - y2, s3 = u - y3;                                \
    V t0 = v - y0, t1 = v - y1, t2 = v - y2, t3 = v - y3;                                \
    a0 = KG_FMA(s0, s0, a0), a1 = KG_FMA(s1, s1, a1);                                    \
    a2 = KG_FMA(s2, s2, a2), a3 = KG_FMA(s3, s3, a3);                                    \
    b0 = KG_FMA(t0, t0, b0), b1 = KG_FMA(t1, t1, b1);                                    \
    b2 = KG_FMA(t2, t2, b2), b3 = KG_FMA(t3, t3, b3);                                    \
    p += KG_GROUP, q += KG_GROUP;                                                        \
  } while (0)
#define EACH_VALUE(f)                                                                    \
  a0 = f(a0), a1 = f(a1), a2 = f(a2), a3 = f(a3);                                        \
  b0 = f(b0), b1 = f(b1), b2 = f(b2), b3 = f(b3)
#define SHAPE(v) KG_(shape)(shape, a_rho, v)
#define TO_SUM(r, a, b)                                                                  \
  STORE(sum + (r) * KG_W, KG_FMA(u, a, KG_FMA(v, b, LOAD(sum + (r) * KG_W))))
#define WHOLE_TO_SUM(r, a, b) STORE(sum + (r) * KG_W, LOAD(sum + (r) * KG_W) + (a + b))
#define TO_COLUMN(l, w, a, b)                                                            \
  do {                                                                                   \
    double *into = R + (size_t)(l) * padded;                                             \
    STORE(into, KG_FMA(w, a, LOAD(into)));                                               \
    STORE(into + KG_W, KG_FMA(w, b, LOAD(into + KG_W)));                                 \
  } while (0)

KG_TARGET static inline double KG_(total)(const double *v) {
#if KG_W == 8
  return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
#else
  return (v[0] + v[1]) + (v[2] + v[3]);
#endif
}

KG_TARGET static inline __attribute__((always_inline)) void
KG_(strip_of)(const kg_tiles *t, enum kg_shape shape, size_t a, size_t b, size_t row,
              double *sums) {
  const size_t d = t->points->d, padded = t->n_tiles * KG_SIDE, groups = KG_SIDE / KG_GROUP;
  const size_t at = a * KG_SIDE + row, to = b * KG_SIDE, left = t->points->n - to;
  const size_t end = left < KG_SIDE ? (left + KG_GROUP - 1) / KG_GROUP : groups;
  const double *x = t->x + to * d;
  const double *y = t->x + (at - row % KG_GROUP) * d + row % KG_GROUP;
  const double a_rho = t->points->rho.parameter;
  const V w0 = SPLAT(t->factor * t->w[at]), w1 = SPLAT(t->factor * t->w[at + 1]);
  const V w2 = SPLAT(t->factor * t->w[at + 2]), w3 = SPLAT(t->factor * t->w[at + 3]);
  /* within a tile the groups before the rows' own have met them, and the own group does
   * without columns, since each of its rows meets all of it */
  const size_t own = a == b ? row / KG_GROUP : groups;
  const double unit = t->factor * t->unit;
  const int equal = t->w[at] == t->w[at + 1] && t->w[at] == t->w[at + 2] &&
                    t->w[at] == t->w[at + 3];
  for (size_t i = 0; i < t->n_states * t->n_slots * 4 * KG_W; i += KG_W)
    STORE(sums + i, SPLAT(0.0));
  for (size_t g = a == b ? own : 0; g < end; g++) {
    for (size_t h = 0; h < KG_GROUP; h += 2 * KG_W) {
      const double *p = x + g * KG_GROUP * d + h, *q = y;
      V a0 = SPLAT(0.0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
      size_t c = 0;
      for (; c + 2 <= d; c += 2) {
        COORDINATE;
        COORDINATE;
      }
      if (c < d) COORDINATE;
      EACH_VALUE(SHAPE);
      for (size_t state = 0; state < t->n_states; state++) {
        const size_t *from = t->share_from + state * (t->n_tiles * groups + 1) +
                             b * groups + g;
        for (size_t share = from[0]; share < from[1]; share++) {
          const double *w = t->share_w + share * KG_GROUP + h;
          double *sum = sums + (state * t->n_slots + (size_t)t->share_slot[share]) * 4 * KG_W;
          if (t->share_whole[share]) {
            WHOLE_TO_SUM(0, a0, b0);
            WHOLE_TO_SUM(1, a1, b1);
            WHOLE_TO_SUM(2, a2, b2);
            WHOLE_TO_SUM(3, a3, b3);
            continue;
          }
          V u = LOAD(w), v = LOAD(w + KG_W);
          TO_SUM(0, a0, b0);
          TO_SUM(1, a1, b1);
          TO_SUM(2, a2, b2);
          TO_SUM(3, a3, b3);
        }
        if (g == own) continue;
        const int *l = t->label + state * padded + at;
        double *R = t->R + state * padded * t->k + to + g * KG_GROUP + h;
        if (l[0] == l[1] && l[0] == l[2] && l[0] == l[3]) {
          double *into = R + (size_t)l[0] * padded;
          if (equal) {
            STORE(into, KG_FMA(w0, (a0 + a1) + (a2 + a3), LOAD(into)));
            STORE(into + KG_W, KG_FMA(w0, (b0 + b1) + (b2 + b3), LOAD(into + KG_W)));
            continue;
          }
          V u = KG_FMA(w0, a0, w1 * a1), v = KG_FMA(w0, b0, w1 * b1);
          u += KG_FMA(w2, a2, w3 * a3), v += KG_FMA(w2, b2, w3 * b3);
          STORE(into, LOAD(into) + u);
          STORE(into + KG_W, LOAD(into + KG_W) + v);
        } else {
          TO_COLUMN(l[0], w0, a0, b0);
          TO_COLUMN(l[1], w1, a1, b1);
          TO_COLUMN(l[2], w2, a2, b2);
          TO_COLUMN(l[3], w3, a3, b3);
        }
      }
    }
  }
  for (size_t state = 0; state < t->n_states; state++) {
    const size_t *from = t->tile_from + state * (t->n_tiles + 1) + b;
    for (size_t slot = 0; slot < from[1] - from[0]; slot++) {
      const double *sum = sums + (state * t->n_slots + slot) * 4 * KG_W;
      double *R = t->R + (state * t->k + (size_t)t->tile_label[from[0] + slot]) * padded + at;
      for (size_t r = 0; r < 4; r++) R[r] += unit * KG_(total)(sum + r * KG_W);
    }
  }
}

KG_TARGET static void KG_(strip)(const kg_tiles *t, size_t a, size_t b, size_t row,
                                 double *sums) {
#define STRIP_CASE(shape)                                                                \
  case shape:                                                                            \
    KG_(strip_of)(t, shape, a, b, row, sums);                                            \
    break
  switch (kg_shape_of(t->points->rho)) {
    STRIP_CASE(KG_ROOT);
    STRIP_CASE(KG_SQUARE);
    STRIP_CASE(KG_FOURTH_ROOT);
    STRIP_CASE(KG_ROOT_CUBED);
    STRIP_CASE(KG_EXP_ROOT);
    STRIP_CASE(KG_EXP_SQUARE);
    STRIP_CASE(KG_EXP_LOCAL);
  case KG_SCALAR:
    break;
  }
#undef STRIP_CASE
}

#undef COORDINATE
#undef EACH_VALUE
#undef SHAPE
#undef TO_SUM
#undef WHOLE_TO_SUM
#undef TO_COLUMN
