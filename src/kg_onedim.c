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
 * from the others still gets its W right.
 *
 * Ties never need splitting while there are at least k distinct values: W of two
 * neighbouring runs is concave in how many of the tied values go left. So equal values
 * are merged first.
 */
#include "kg.h"

#include <math.h>

/* Scales by powers of two, which round nothing, keep all sums below about 1. */
static int exponent_of(double x) {
  int exponent = 0;
  frexp(x, &exponent);
  if (exponent > 1000) return 1000;
  return exponent < -1000 ? -1000 : exponent;
}

size_t kg_runs_merge(const double *x, const double *w, size_t n, double *value,
                     double *weight, int *weight_exponent) {
  double largest = 1;
  if (w) {
    largest = 0;
    for (size_t i = 0; i < n; i++)
      if (w[i] > largest) largest = w[i];
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

/* Prefix sums up to value i: P of w, M of w x, A of w x (2 P - w), x from the middle. */
void kg_runs_moments(const kg_runs *runs, kg_run_moments *moments) {
  double middle = runs->value[runs->m / 2] * runs->scale;
  twofold P = {0, 0}, M = {0, 0}, A = {0, 0};
  for (size_t i = 0;; i++) {
    kg_run_moments here = {P.high, P.low, M.high, M.low, A.high, A.low};
    moments[i] = here;
    if (i == runs->m) return;
    twofold w = {runs->weight[i], 0};
    twofold x = sum_exact(runs->value[i] * runs->scale, -middle);
    twofold before = P;
    P = add(P, w);
    x = multiply(x, w);
    M = add(M, x);
    A = add(A, multiply(x, add(before, P)));
  }
}

/* W of the values from..to-1, weighted Eq. (67): (dA - (P_from + P_to) dM) / dP. */
static inline double run_W(const kg_run_moments *from, const kg_run_moments *to) {
  double s = (to->P - from->P) + (to->P_low - from->P_low);
  twofold sum = sum_exact(to->P, from->P);
  twofold dM = sum_exact(to->M, -from->M), dA = sum_exact(to->A, -from->A);
  sum.low += to->P_low + from->P_low;
  dM.low += to->M_low - from->M_low;
  dA.low += to->A_low - from->A_low;
  twofold product = product_exact(sum.high, dM.high);
  product.low += sum.high * dM.low + sum.low * dM.high;
  twofold out = sum_exact(dA.high, -product.high);
  double W = out.high + (out.low + (dA.low - product.low));
  return W > 0 && s > 0 ? W / s : 0;
}

/* ---- divide and conquer ------------------------------------------------------------ */

void kg_runs_layer_begin(kg_runs_layer *layer, const kg_run_moments *moments, size_t m,
                         size_t j, const double *before, double *W, unsigned *cut) {
  layer->moments = moments;
  layer->j = j;
  layer->before = before;
  layer->W = W;
  layer->cut = cut;
  layer->depth = 1;
  /* the first i values in j runs, j <= i < m, the first j - 1 runs holding `cut` values */
  layer->todo[0] = (kg_runs_task){j, m - 1, j - 1, m - 2};
}

int kg_runs_layer_step(kg_runs_layer *layer, size_t budget) {
  size_t work = 0;
  while (layer->depth > 0) {
    if (work >= budget) return 1;
    kg_runs_task task = layer->todo[--layer->depth];
    if (task.first > task.last) continue;
    size_t i = task.first + (task.last - task.first) / 2;
    size_t high = task.high < i - 1 ? task.high : i - 1;
    const kg_run_moments *end = layer->moments + i;
    size_t best = task.low;
    double least = HUGE_VAL;
    for (size_t c = task.low; c <= high; c++) {
      double W = layer->before[c] + run_W(layer->moments + c, end);
      if (W < least) {
        least = W;
        best = c;
      }
    }
    work += high - task.low + 1;
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
  kg_runs run = kg_runs_of(value + from, weight + from, to - from);
  twofold s = {0, 0}, left = {0, 0}, sum = {0, 0};
  for (size_t i = 0; i < run.m; i++) gather(&s, run.weight[i]);
  *run_weight = s.high + s.low;
  if (!(s.high > 0)) return 0;
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
