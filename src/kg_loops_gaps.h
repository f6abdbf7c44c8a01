/* kg_loops_gaps.h - the inner loops of gaps and trees (kg_connected.c): masks of width <=
 * KG_MASK lanes, a bit each, and distances to boxes. A part of kg_loops_body.h, whose
 * macros it uses. Arrays are filled up to a multiple of KG_MASK, so no loop has a
 * remainder: bits from `width` on are those of whatever fills them. */

/* value <= bound */
KG_TARGET static unsigned long long KG_(below)(const double *value, double bound,
                                               size_t width) {
  const V most = SPLAT(bound);
  unsigned long long mask = 0;
  for (size_t j = 0; j < width; j += KG_W)
    mask |= KG_BITS(LOAD(value + j) <= most) << j;
  return mask;
}

/* max(value, core, own) <= key, a margin added to the values */
KG_TARGET static unsigned long long KG_(within)(const double *value, const double *core,
                                                double own, const double *key,
                                                size_t width) {
  const V floor = SPLAT(own), margin = SPLAT(KG_NEARLY_ONE);
  unsigned long long mask = 0;
  for (size_t j = 0; j < width; j += KG_W) {
    V at = LOAD(key + j);
    mask |=
        KG_BITS((LOAD(value + j) * margin <= at) & (LOAD(core + j) <= at) & (floor <= at))
        << j;
  }
  return mask;
}

/* The square of what lies beyond [low, high] in one coordinate. */
KG_TARGET static inline V KG_(beyond)(V low, V high, V at) {
  V under = low - at, over = at - high, zero = SPLAT(0.0);
  V t = KG_SELECT(under > over, under, over);
  t = KG_SELECT(t > zero, t, zero);
  return t * t;
}

/* least[j] = min(least[j], max(own, core[j], the squared distance of y to box j, less a
 * margin)); returns the least of the values best[j] that are below least[j]. */
KG_TARGET static double KG_(boxes)(const double *low, const double *high, size_t stride,
                                   size_t d, const double *y, double own,
                                   const double *core, const double *best,
                                   double *least) {
  const V floor = SPLAT(own), margin = SPLAT(KG_NEARLY_ONE);
  V all = SPLAT(HUGE_VAL);
  for (size_t j = 0; j < stride; j += KG_W) {
    V sum = SPLAT(0.0), near = LOAD(core + j), now = LOAD(least + j), b = LOAD(best + j);
    for (size_t c = 0; c < d; c++)
      sum += KG_(beyond)(LOAD(low + c * stride + j), LOAD(high + c * stride + j),
                         SPLAT(y[c]));
    near = KG_SELECT(near > floor, near, floor);
    V value = sum * margin;
    value = KG_SELECT(value > near, value, near);
    value = KG_SELECT(value < now, value, now);
    STORE(least + j, value);
    all = KG_SELECT((b < value) & (b < all), b, all);
  }
  double lane[KG_W], out = HUGE_VAL;
  STORE(lane, all);
  for (size_t a = 0; a < KG_W; a++)
    out = lane[a] < out ? lane[a] : out;
  return out;
}

/* Which of the points, coordinate c of point j at x[c * stride + j], are no farther
 * than the square `bound` from the box low..high (a step apart), a margin added? */
KG_TARGET static unsigned long long KG_(near_box)(const double *x, size_t stride,
                                                  size_t d, const double *low,
                                                  const double *high, size_t step,
                                                  double bound, size_t width) {
  const V most = SPLAT(bound), margin = SPLAT(KG_NEARLY_ONE);
  unsigned long long mask = 0;
  for (size_t j = 0; j < width; j += KG_W) {
    V sum = SPLAT(0.0);
    for (size_t c = 0; c < d; c++)
      sum += KG_(beyond)(SPLAT(low[c * step]), SPLAT(high[c * step]),
                         LOAD(x + c * stride + j));
    mask |= KG_BITS(sum * margin <= most) << j;
  }
  return mask;
}
