/* kg_onedim.c - the best partition of sorted numbers into k runs, rho(x, y) = |x - y|.
 *
 * The dispersion of a run is an integral over the gaps between neighbours,
 *     W(run) = 1/s sum_t gap_t L_t R_t,     L_t + R_t = s,
 * L_t and R_t being the weight of the run on either side of the gap: Eq. (67) and its
 * weighted form, summed by parts. All terms are >= 0, so nothing cancels. L R/(L + R)
 * increases in both and has mixed derivative 2 L R/(L + R)^3 >= 0, hence W obeys the
 * quadrangle inequality and the best last cut moves right with the end of the data.
 *
 * The first and the last run need one pass each, O(m) for m distinct values (Algorithm 3
 * tries all cuts at O(m^2)); runs in between are found by divide and conquer, O(m log m)
 * for each, with W of any run in O(1) from prefix sums. These do cancel, so they are kept
 * as unevaluated sums of two doubles (about 32 digits): a pair of close values far away
 * from the others still gets its W right. Most cuts are ruled out by less: whole
 * stretches of them by the costs at their ends, single ones by the leading halves of the
 * sums, whose rounding has a bound. So the cuts found are those of the full sums, to the
 * last one.
 *
 * Ties never need splitting while there are at least k distinct values: W of two
 * neighbouring runs is concave in how many of the tied values go left. So equal values
 * are merged first.
 */
#include "kg_onedim.h"
#include "kg_check.h"

#include <float.h>
#include <math.h>

/* Scales by powers of two, which round nothing, keep all sums below about 1. */
static int exponent_of(double x) {
  int exponent = 0;
  frexp(x, &exponent);
  if (exponent > 1000)
    return 1000;
  return exponent < -1000 ? -1000 : exponent;
}

size_t kg_runs_merge(const double *x, const double *w, size_t n, double *value,
                     double *weight, int *weight_exponent) {
  KG_CHECK(n >= 1);
  double largest = 1;
  if (w) {
    largest = 0;
    for (size_t i = 0; i < n; i++)
      if (w[i] > largest)
        largest = w[i];
  }
  *weight_exponent = exponent_of(largest) + exponent_of((double)n);
  double scale = ldexp(1.0, -*weight_exponent);
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    double one = w ? w[i] * scale : scale;
    if (m > 0 && x[i] == value[m - 1]) {
      weight[m - 1] += one;
    } else {
      value[m] = x[i];
      weight[m++] = one;
    }
  }
  return m;
}

kg_runs kg_runs_of(const double *value, const double *weight, size_t m) {
  KG_CHECK(m >= 1);
  double largest = fmax(fabs(value[0]), fabs(value[m - 1]));
  kg_runs runs = {value, weight, m, ldexp(1.0, -exponent_of(largest))};
  return runs;
}

static double gap(const kg_runs *runs, size_t i) { /* scaled, never overflows */
  return runs->value[i + 1] * runs->scale - runs->value[i] * runs->scale;
}

/* Adding value i on the right of a run adds w_i sum_t gap_t L_t to s W. */
void kg_runs_first(const kg_runs *runs, double *W) {
  double s = runs->weight[0], moment = 0, sum = 0;
  W[0] = 0;
  W[1] = 0;
  for (size_t i = 1; i < runs->m; i++) {
    moment += gap(runs, i - 1) * s;
    sum += runs->weight[i] * moment;
    s += runs->weight[i];
    W[i + 1] = s > 0 ? sum / s : 0;
  }
}

/* The same from the right end, adding what the runs before cost. */
size_t kg_runs_last(const kg_runs *runs, const double *before, size_t j) {
  KG_CHECK(1 <= j && j < runs->m);
  size_t m = runs->m, best = m - 1;
  double s = runs->weight[m - 1], moment = 0, sum = 0, least = before[m - 1];
  for (size_t i = m - 1; i-- > j;) {
    moment += gap(runs, i) * s;
    sum += runs->weight[i] * moment;
    s += runs->weight[i];
    double W = before[i] + (s > 0 ? sum / s : 0);
    if (W <= least) {
      least = W;
      best = i;
    }
  }
  return best;
}

/* ---- sums of two doubles ----------------------------------------------------------- */

typedef struct {
  double high, low;
} twofold;

static inline twofold sum_exact(double a, double b) {
  double s = a + b, t = s - a;
  twofold out = {s, (a - (s - t)) + (b - t)};
  return out;
}

static inline twofold product_exact(double a, double b) {
  double p = a * b;
#ifdef FP_FAST_FMA
  twofold out = {p, fma(a, b, -p)};
#else
  double a_split = 134217729.0 * a, b_split = 134217729.0 * b; /* 2^27 + 1 */
  double a_high = a_split - (a_split - a), b_high = b_split - (b_split - b);
  double a_low = a - a_high, b_low = b - b_high;
  twofold out = {p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) +
                        a_low * b_low};
#endif
  return out;
}

static inline twofold add(twofold a, twofold b) {
  twofold s = sum_exact(a.high, b.high);
  return sum_exact(s.high, s.low + (a.low + b.low));
}

static inline twofold multiply(twofold a, twofold b) {
  twofold p = product_exact(a.high, b.high);
  return sum_exact(p.high, p.low + (a.high * b.low + a.low * b.high));
}

void kg_run_moments_lay(kg_run_moments *at, size_t m, kg_room *room) {
  double **const sums[] = {&at->P, &at->M, &at->A, &at->P_low, &at->M_low, &at->A_low};
  for (size_t a = 0; a < sizeof sums / sizeof *sums; a++)
    *sums[a] = KG_TAKE(room, m + 1, double);
}

/* Prefix sums up to value i: P of w, M of w x, A of w x (2 P - w), x from the middle. */
void kg_runs_moments(const kg_runs *runs, kg_run_moments *out) {
  size_t m = runs->m;
  double middle = runs->value[m / 2] * runs->scale, largest_M = 0, largest_A = 0;
  twofold P = {0, 0}, M = {0, 0}, A = {0, 0};
  for (size_t i = 0;; i++) {
    out->P[i] = P.high;
    out->P_low[i] = P.low;
    out->M[i] = M.high;
    out->M_low[i] = M.low;
    out->A[i] = A.high;
    out->A_low[i] = A.low;
    if (fabs(M.high) > largest_M)
      largest_M = fabs(M.high);
    if (fabs(A.high) > largest_A)
      largest_A = fabs(A.high);
    if (i == m)
      break;
    twofold w = {runs->weight[i], 0};
    twofold x = sum_exact(runs->value[i] * runs->scale, -middle);
    twofold before = P;
    P = add(P, w);
    x = multiply(x, w);
    M = add(M, x);
    A = add(A, multiply(x, add(before, P)));
  }
  /* dA and dM are off by at most twice an ulp of the largest sums, their product with
   * P + P by the same share of what it is made of; 4 times that, to be on the safe side.
   */
  out->error = 32 * DBL_EPSILON * (largest_A + P.high * largest_M);
}

/* W of the values from..to-1, weighted Eq. (67): (dA - (P_from + P_to) dM) / dP. */
static inline double run_W(const kg_run_moments *at, size_t from, size_t to) {
  double s = (at->P[to] - at->P[from]) + (at->P_low[to] - at->P_low[from]);
  twofold sum = sum_exact(at->P[to], at->P[from]);
  twofold dM = sum_exact(at->M[to], -at->M[from]);
  twofold dA = sum_exact(at->A[to], -at->A[from]);
  sum.low += at->P_low[to] + at->P_low[from];
  dM.low += at->M_low[to] - at->M_low[from];
  dA.low += at->A_low[to] - at->A_low[from];
  twofold product = product_exact(sum.high, dM.high);
  product.low += sum.high * dM.low + sum.low * dM.high;
  twofold out = sum_exact(dA.high, -product.high);
  double W = out.high + (out.low + (dA.low - product.low));
  return W > 0 && s > 0 ? W / s : 0;
}

/* ---- divide and conquer ------------------------------------------------------------ */

enum {
  STRETCH = 256, /* cuts that the costs at their ends may rule out together */
  FEW = 4        /* cuts that are not worth a first pass */
};

void kg_runs_layer_begin(kg_runs_layer *layer, const kg_run_moments *moments, size_t m,
                         size_t j, const double *before, double *W, unsigned *cut) {
  KG_CHECK(2 <= j && j < m);
  layer->moments = moments;
  layer->before = before;
  layer->W = W;
  layer->cut = cut;
  /* no least W is above the last one of the layer before */
  layer->rounding = 16 * DBL_EPSILON * before[m - 1];
  layer->depth = 1;
  /* the first i values in j runs, j <= i < m, the first j - 1 runs holding `cut` values
   */
  layer->todo[0] = (kg_runs_task){j, m - 1, j - 1, m - 2};
}

/* The best of the cuts low..high for the first i values, with full sums. */
static inline void try_cuts(const kg_runs_layer *layer, size_t i, size_t low, size_t high,
                            double *least, size_t *best) {
  for (size_t c = low; c <= high; c++) {
    double W = layer->before[c] + run_W(layer->moments, c, i);
    if (W < *least || (W == *least && c < *best)) {
      *least = W;
      *best = c;
    }
  }
}

/* Bounds by the leading halves: W between these two (NaN: nothing is known). */
typedef struct {
  double low, high;
} between;

static inline between first_pass_at(const kg_run_moments *at, double rounding,
                                    const double *before, size_t c, double P, double M,
                                    double A) {
  double share = 1 / (P - at->P[c]);
  double W = ((A - at->A[c]) - (at->P[c] + P) * (M - at->M[c])) * share;
  /* s itself is off by 2 ulp of P, and W by as large a part of itself */
  double size = W > 0 ? W : 0;
  double error = (at->error + 8 * DBL_EPSILON * P * size) * share + rounding;
  between out = {before[c] + size - error, before[c] + size + error};
  return out;
}

/* The same cuts by a first pass at each, full sums for those that may be the best. Before
 * it, a pass over stretches: cost of the runs before rises with the cut and that of the
 * last run falls, so none in it is below the one at its left end plus the other at its
 * right. */
static size_t choose_cut(const kg_runs_layer *layer, size_t i, size_t low, size_t high,
                         double *least, size_t *best) {
  const kg_run_moments *at = layer->moments;
  const double *before = layer->before;
  double P = at->P[i], M = at->M[i], A = at->A[i], rounding = layer->rounding;
  double lowest[STRETCH];
  size_t work = 0;
  *least = HUGE_VAL;
  *best = low;
  if (high - low >= STRETCH) {
    size_t middle = low + (high - low) / 2;
    try_cuts(layer, i, middle, middle, least, best);
  }
  for (size_t from = low; from <= high; from += STRETCH) {
    size_t count = high - from < STRETCH ? high - from + 1 : STRETCH;
    if (*least < HUGE_VAL && count > FEW) {
      size_t last = from + count - 1;
      between end = first_pass_at(at, rounding, before, last, P, M, A);
      work++;
      if (end.low - (before[last] - before[from]) - rounding > *least)
        continue;
    }
    double bar = *least;
    for (size_t c = 0; c < count; c++) {
      between scan = first_pass_at(at, rounding, before, from + c, P, M, A);
      lowest[c] = scan.low;
      bar = scan.high < bar ? scan.high : bar;
    }
    for (size_t c = 0; c < count; c++)
      if (!(lowest[c] > bar))
        try_cuts(layer, i, from + c, from + c, least, best);
    work += count;
  }
  return work;
}

int kg_runs_layer_step(kg_runs_layer *layer, size_t budget) {
  KG_CHECK(layer->depth <= sizeof layer->todo / sizeof *layer->todo);
  size_t work = 0;
  while (layer->depth > 0) {
    if (work >= budget)
      return 1;
    kg_runs_task task = layer->todo[--layer->depth];
    if (task.first > task.last)
      continue;
    size_t i = task.first + (task.last - task.first) / 2;
    size_t high = task.high < i - 1 ? task.high : i - 1;
    size_t best = task.low;
    double least = HUGE_VAL;
    if (high - task.low < FEW) {
      try_cuts(layer, i, task.low, high, &least, &best);
      work += FEW;
    } else {
      work += choose_cut(layer, i, task.low, high, &least, &best);
    }
    layer->W[i] = least;
    layer->cut[i] = (unsigned)best;
    layer->todo[layer->depth++] = (kg_runs_task){i + 1, task.last, best, task.high};
    layer->todo[layer->depth++] = (kg_runs_task){task.first, i - 1, task.low, best};
  }
  return 0;
}

/* ---- what a partition amounts to --------------------------------------------------- */

/* Adds to a sum whose rounding errors gather in `low`: the chain from one addition to
 * the next stays as short as that of a plain sum. */
static inline void gather(twofold *sum, double x) {
  twofold s = sum_exact(sum->high, x);
  sum->high = s.high;
  sum->low += s.low;
}

/* W of the values from..to-1 of one run, by its own scale, gap by gap. */
double kg_run_dispersion(const double *value, const double *weight, size_t from,
                         size_t to, double *run_weight) {
  KG_CHECK(from < to);
  kg_runs run = kg_runs_of(value + from, weight + from, to - from);
  twofold s = {0, 0}, left = {0, 0}, sum = {0, 0};
  for (size_t i = 0; i < run.m; i++)
    gather(&s, run.weight[i]);
  *run_weight = s.high + s.low;
  if (!(s.high > 0))
    return 0;
  double share = 1 / (s.high + s.low);
  for (size_t i = 0; i + 1 < run.m; i++) {
    gather(&left, run.weight[i]);
    double right = (s.high - left.high) + (s.low - left.low);
    gather(&sum, gap(&run, i) * (left.high + left.low) * (right * share));
  }
  return (sum.high + sum.low) / run.scale;
}

/* label[i] = number of bounds that are <= x[i], through `name` if given. */
void kg_runs_label(const double *x, size_t n, const double *bound, size_t n_bounds,
                   const int *name, int *label) {
  for (size_t i = 0; i < n; i++) {
    size_t reached = 0, left = n_bounds;
    while (left > 0) { /* a product, not a branch that cannot be foreseen */
      size_t half = (left + 1) / 2;
      reached += half * (size_t)(bound[reached + half - 1] <= x[i]);
      left -= half;
    }
    label[i] = name ? name[reached] : (int)reached;
  }
}
