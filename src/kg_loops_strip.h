/* kg_loops_strip.h - four points meet many others, in registers from the coordinates to
 * the sums: four rows of a tile in the first pass, four moved points in a sweep, four
 * points of a cluster. Included by kg_loops_body.h for each vector width; what a share is
 * stands at kg_tiles in kg_tiles.h.
 *
 * First pass: KG_GROUP columns at a time (two vectors): squares, the semimetric, then for
 * each partition the four row sums over each share, and the sums of the columns over the
 * cluster of the rows. Row sums wait in `sums`, 4 vectors a slot, until the tile is done.
 */

/* Half of the plain roots by the instruction where others are computed: it has a unit of
 * its own, which works beside the products. */
#define BESIDE(v) (shape == KG_ROOT ? KG_ROOT_BESIDE(v) : SHAPE(v))
#define SHAPE(v)  KG_(shape)(shape, a_rho, v)
#define EACH_VALUE                                                                       \
  a0 = SHAPE(a0), b0 = BESIDE(b0), a1 = SHAPE(a1), b1 = BESIDE(b1);                      \
  a2 = SHAPE(a2), b2 = BESIDE(b2), a3 = SHAPE(a3), b3 = BESIDE(b3)
#define TO_SUM(r, a, b)                                                                  \
  STORE(sum + (r)*KG_W, KG_FMA(u, a, KG_FMA(v, b, LOAD(sum + (r)*KG_W))))
#define WHOLE_TO_SUM(r, a, b) STORE(sum + (r)*KG_W, LOAD(sum + (r)*KG_W) + (a + b))
#define TO_COLUMN(l, w, a, b)                                                            \
  do {                                                                                   \
    double *into = R + (size_t)(l)*padded;                                               \
    STORE(into, KG_FMA(w, a, LOAD(into)));                                               \
    STORE(into + KG_W, KG_FMA(w, b, LOAD(into + KG_W)));                                 \
  } while (0)

KG_TARGET static inline __attribute__((always_inline)) void
KG_(strip_of)(const kg_tiles *t, enum kg_shape shape, size_t a, size_t b, size_t row,
              double *sums) {
  const size_t d = t->points->d, padded = t->padded, groups = KG_SIDE / KG_GROUP;
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
  const int equal =
      t->w[at] == t->w[at + 1] && t->w[at] == t->w[at + 2] && t->w[at] == t->w[at + 3];
  const size_t all = t->padded / KG_GROUP + 1; /* in share_from, a state */
  for (size_t i = 0; i < t->n_states * t->shares.n_slots * 4 * KG_W; i += KG_W)
    STORE(sums + i, SPLAT(0.0));
  for (size_t g = a == b ? own : 0; g < end; g++) {
    for (size_t h = 0; h < KG_GROUP; h += 2 * KG_W) {
      const double *p = x + g * KG_GROUP * d + h, *q = y;
      V a0 = SPLAT(0.0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
      EACH_COORDINATE(KG_GROUP, KG_GROUP);
      EACH_VALUE;
      for (size_t state = 0; state < t->n_states; state++) {
        const size_t *from = t->shares.from + state * all + b * groups + g;
        for (size_t share = from[0]; share < from[1]; share++) {
          const double *w = t->shares.w + share * KG_GROUP + h;
          double *sum =
              sums +
              (state * t->shares.n_slots + (size_t)t->shares.slot[share]) * 4 * KG_W;
          if (t->shares.whole[share]) {
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
        if (g == own)
          continue;
        const int *l = t->label + state * padded + at;
        double *R = t->R + state * padded * t->k + to + g * KG_GROUP + h;
        if (l[0] != l[1] || l[0] != l[2] || l[0] != l[3]) {
          TO_COLUMN(l[0], w0, a0, b0);
          TO_COLUMN(l[1], w1, a1, b1);
          TO_COLUMN(l[2], w2, a2, b2);
          TO_COLUMN(l[3], w3, a3, b3);
          continue;
        }
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
      }
    }
  }
  for (size_t state = 0; state < t->n_states; state++) {
    const size_t *from = t->shares.tile_from + state * (t->n_tiles + 1) + b;
    for (size_t slot = 0; slot < from[1] - from[0]; slot++) {
      const double *sum = sums + (state * t->shares.n_slots + slot) * 4 * KG_W;
      double *R = t->R +
                  (state * t->k + (size_t)t->shares.tile_label[from[0] + slot]) * padded +
                  at;
      for (size_t r = 0; r < 4; r++)
        R[r] += unit * KG_(lanes)(LOAD(sum + r * KG_W));
    }
  }
}

/* Four moved points and a block of columns: row r leaves `from[r]` for `into[r]`. */
#define TO_BOTH(r, a, b)                                                                 \
  do {                                                                                   \
    V w = SPLAT(moves->weight[r] * factor), u = w * a, v = w * b;                        \
    double *from = moves->from[r] + j, *into = moves->into[r] + j;                       \
    STORE(from, LOAD(from) - u);                                                         \
    STORE(from + KG_W, LOAD(from + KG_W) - v);                                           \
    STORE(into, LOAD(into) + u);                                                         \
    STORE(into + KG_W, LOAD(into + KG_W) + v);                                           \
  } while (0)

KG_TARGET static inline __attribute__((always_inline)) size_t
KG_(moves_of)(const kg_coordinates *points, enum kg_shape shape, const kg_moves *moves,
              size_t from, size_t width) {
  const size_t d = points->d, n = points->n;
  const double a_rho = points->rho.parameter, factor = shape < KG_EXP_ROOT ? -0.5 : 1;
  size_t j = 0;
  for (; j + 2 * KG_W <= width; j += 2 * KG_W) {
    const double *p = points->x + from + j, *q = moves->y;
    V a0 = SPLAT(0.0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    EACH_COORDINATE(n, 4);
    EACH_VALUE;
    TO_BOTH(0, a0, b0);
    TO_BOTH(1, a1, b1);
    TO_BOTH(2, a2, b2);
    TO_BOTH(3, a3, b3);
  }
  return j;
}

KG_TARGET static inline __attribute__((always_inline)) size_t
KG_(sum_of)(const kg_coordinates *points, enum kg_shape shape, const double *y,
            const double *weight, size_t from, size_t width, double *into) {
  const size_t d = points->d, n = points->n;
  const double a_rho = points->rho.parameter, factor = shape < KG_EXP_ROOT ? -0.5 : 1;
  const V w0 = SPLAT(factor * weight[0]), w1 = SPLAT(factor * weight[1]);
  const V w2 = SPLAT(factor * weight[2]), w3 = SPLAT(factor * weight[3]);
  size_t j = 0;
  for (; j + 2 * KG_W <= width; j += 2 * KG_W) {
    const double *p = points->x + from + j, *q = y;
    V a0 = SPLAT(0.0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    EACH_COORDINATE(n, 4);
    EACH_VALUE;
    V u = KG_FMA(w0, a0, w1 * a1) + KG_FMA(w2, a2, w3 * a3);
    V v = KG_FMA(w0, b0, w1 * b1) + KG_FMA(w2, b2, w3 * b3);
    STORE(into + j, LOAD(into + j) + u);
    STORE(into + j + KG_W, LOAD(into + j + KG_W) + v);
  }
  return j;
}

/* One copy of the loop for each shape. */
#define EACH_SHAPE(of, action)                                                           \
  switch (of) {                                                                          \
  case KG_ROOT:                                                                          \
    action(KG_ROOT);                                                                     \
  case KG_SQUARE:                                                                        \
    action(KG_SQUARE);                                                                   \
  case KG_FOURTH_ROOT:                                                                   \
    action(KG_FOURTH_ROOT);                                                              \
  case KG_ROOT_CUBED:                                                                    \
    action(KG_ROOT_CUBED);                                                               \
  case KG_EXP_ROOT:                                                                      \
    action(KG_EXP_ROOT);                                                                 \
  case KG_EXP_SQUARE:                                                                    \
    action(KG_EXP_SQUARE);                                                               \
  default:                                                                               \
    break;                                                                               \
  }

KG_TARGET static void KG_(strip)(const kg_tiles *t, size_t a, size_t b, size_t row,
                                 double *sums) {
#define STRIP(shape)                                                                     \
  KG_(strip_of)(t, shape, a, b, row, sums);                                              \
  break
  EACH_SHAPE(kg_shape_of(t->points->rho), STRIP)
#undef STRIP
}

KG_TARGET static size_t KG_(moves4)(const kg_coordinates *points, const kg_moves *moves,
                                    size_t from, size_t width) {
#define MOVES(shape) return KG_(moves_of)(points, shape, moves, from, width)
  EACH_SHAPE(kg_shape_of(points->rho), MOVES)
#undef MOVES
  return 0;
}

KG_TARGET static size_t KG_(sum4)(const kg_coordinates *points, const double *y,
                                  const double *weight, size_t from, size_t width,
                                  double *into) {
#define SUM(shape) return KG_(sum_of)(points, shape, y, weight, from, width, into)
  EACH_SHAPE(kg_shape_of(points->rho), SUM)
#undef SUM
  return 0;
}
