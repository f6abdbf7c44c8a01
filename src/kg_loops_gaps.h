/* kg_loops_gaps.h - the inner loops of gaps and trees (kg_connected.c): masks of
 * width <= 64 lanes, a bit each, and distances to boxes. A part of kg_loops_body.h, whose
 * macros it uses. */

/* value <= bound */
KG_TARGET static unsigned long long KG_(below)(const double *value, double bound,
                                               size_t width) {
  unsigned long long mask = 0;
  size_t j = 0;
#if KG_W > 1
  const V most = SPLAT(bound);
  for (; j + KG_W <= width; j += KG_W)
    mask |= KG_BITS(LOAD(value + j) <= most) << j;
#endif
  for (; j < width; j++)
    mask |= (unsigned long long)(value[j] <= bound) << j;
  return mask;
}

/* max(value, core, own) <= key, a margin added to the values */
KG_TARGET static unsigned long long KG_(within)(const double *value, const double *core,
                                                double own, const double *key,
                                                size_t width) {
  unsigned long long mask = 0;
  size_t j = 0;
#if KG_W > 1
  const V floor = SPLAT(own), margin = SPLAT(KG_NEARLY_ONE);
  for (; j + KG_W <= width; j += KG_W) {
    V at = LOAD(key + j);
    mask |= KG_BITS((LOAD(value + j) * margin <= at) & (LOAD(core + j) <= at) & (floor <= at))
            << j;
  }
#endif
  for (; j < width; j++)
    mask |= (unsigned long long)(value[j] * (KG_NEARLY_ONE) <= key[j] && core[j] <= key[j] && own <= key[j])
            << j;
  return mask;
}

/* least[j] = min(least[j], max(own, core[j], the squared distance of y to box j, less a
 * margin)); returns the least of the values best[j] that are below least[j]. */
KG_TARGET static double KG_(boxes)(const double *low, const double *high, size_t stride,
                                   size_t d, const double *y, double own,
                                   const double *core, const double *best, size_t width,
                                   double *least) {
  double out = HUGE_VAL;
  size_t j = 0;
#if KG_W > 1
  const V zero = SPLAT(0.0), floor = SPLAT(own), margin = SPLAT(KG_NEARLY_ONE);
  V all = SPLAT(HUGE_VAL);
  for (; j + KG_W <= width; j += KG_W) {
    V sum = zero;
    for (size_t c = 0; c < d; c++) {
      V at = SPLAT(y[c]), under = LOAD(low + c * stride + j) - at;
      V over = at - LOAD(high + c * stride + j);
      V t = KG_SELECT(under > over, under, over);
      t = KG_SELECT(t > zero, t, zero);
      sum = KG_FMA(t, t, sum);
    }
    V value = sum * margin, near = LOAD(core + j), now = LOAD(least + j),
      b = LOAD(best + j);
    near = KG_SELECT(near > floor, near, floor);
    value = KG_SELECT(value > near, value, near);
    value = KG_SELECT(value < now, value, now);
    STORE(least + j, value);
    all = KG_SELECT((b < value) & (b < all), b, all);
  }
  for (size_t a = 0; a < KG_W; a++)
    if (all[a] < out)
      out = all[a];
#endif
  for (; j < width; j++) {
    double sum = 0;
    for (size_t c = 0; c < d; c++) {
      double under = low[c * stride + j] - y[c], over = y[c] - high[c * stride + j];
      double t = under > over ? under : over;
      if (t > 0)
        sum += t * t;
    }
    sum *= KG_NEARLY_ONE;
    if (sum < own)
      sum = own;
    if (sum < core[j])
      sum = core[j];
    if (sum < least[j])
      least[j] = sum;
    if (best[j] < least[j] && best[j] < out)
      out = best[j];
  }
  return out;
}

/* Which of width <= 64 points, coordinate c of point j at x[c * stride + j], are no
 * farther than the square `bound` from the box low..high (a step apart), a margin added?
 */
KG_TARGET static unsigned long long KG_(near_box)(const double *x, size_t stride,
                                                  size_t d, const double *low,
                                                  const double *high, size_t step,
                                                  double bound, size_t width) {
  unsigned long long mask = 0;
  size_t j = 0;
#if KG_W > 1
  const V zero = SPLAT(0.0), most = SPLAT(bound), margin = SPLAT(KG_NEARLY_ONE);
  for (; j + KG_W <= width; j += KG_W) {
    V sum = zero;
    for (size_t c = 0; c < d; c++) {
      V at = LOAD(x + c * stride + j), under = SPLAT(low[c * step]) - at;
      V over = at - SPLAT(high[c * step]);
      V t = KG_SELECT(under > over, under, over);
      t = KG_SELECT(t > zero, t, zero);
      sum = KG_FMA(t, t, sum);
    }
    mask |= KG_BITS(sum * margin <= most) << j;
  }
#endif
  for (; j < width; j++) {
    double sum = 0;
    for (size_t c = 0; c < d; c++) {
      double under = low[c * step] - x[c * stride + j];
      double over = x[c * stride + j] - high[c * step];
      double t = under > over ? under : over;
      if (t > 0)
        sum += t * t;
    }
    mask |= (unsigned long long)(sum * (KG_NEARLY_ONE) <= bound) << j;
  }
  return mask;
}
