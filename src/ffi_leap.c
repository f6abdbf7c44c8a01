/* ffi_leap.c - descents from labels that say nothing, as random ones.
 *
 * From such a start nearly every point moves, and each move costs a row of pair values:
 * the first two sweeps cost more than all that follows. So the first visits go to a part
 * of the points, some n^(2/3) of them, where a row is short. If most of these move at
 * once they descend among themselves, all points go to the nearest of the means they then
 * have, which half of them tell as well, and the sums of all points are built from there:
 * one pass, as from the start itself, and n^(5/3) pair values more. Ordinary sweeps
 * follow.
 *
 * W is never above that of the start, whose pairs within clusters, a k-th of a pass, say
 * what it is: where the leap ended higher the descent begins at the start. */
#include "ffi.h"
#include "kg_coordinates.h"
#include "kg_engine.h"
#include "kg_pairs.h"
#include "kg_state.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 100 }; /* of a part, at most */

/* W of the labels as they are, from the pairs within clusters alone: one cluster after the
 * other in the memory that the largest needs. */
static double within(const kg_engine *e, int threads) {
  size_t n = e->n, k = e->k, at = 0;
  size_t *first = (size_t *)R_alloc(k + 1, sizeof(size_t));
  size_t *member = (size_t *)R_alloc(n, sizeof(size_t));
  double W = 0;
  memset(first, 0, (k + 1) * sizeof(size_t));
  for (size_t i = 0; i < n; i++)
    first[e->label[i] + 1] += e->w[i] > 0;
  for (size_t l = 0; l < k; l++) {
    first[l + 1] += first[l];
  }
  for (size_t i = 0; i < n; i++)
    if (e->w[i] > 0)
      member[first[e->label[i]]++] = i;
  const void *top = vmaxget();
  for (size_t l = 0; l < k; at = first[l++]) { /* now where the cluster ends */
    if (first[l] - at < 2)
      continue;
    kg_input *points = ffi_some(e->input, member + at, first[l] - at);
    kg_engine *one = ffi_new_engine(points, 1, threads);
    memset(one->label, 0, points->n * sizeof(int));
    ffi_begin(&one, 1);
    W += one->cost[0];
    vmaxset(top);
  }
  return W;
}

/* The part: as many points as a start is usually told by, spread evenly over the order of
 * the data but by no period of it. They are ascending; 0 if there are too few points for
 * a part to pay. */
static size_t choose(size_t n, size_t k, size_t *rows) {
  const double golden = 0.6180339887498949;
  size_t m = (size_t)ceil(2.5 * pow((double)n, 2.0 / 3)), found = 0;
  if (m < 25 * k)
    m = 25 * k;
  if (m > n / 4)
    return 0;
  unsigned char *chosen = (unsigned char *)R_alloc(n, 1);
  memset(chosen, 0, n);
  for (size_t a = 0; a < m; a++) {
    double turn = ((double)a + 0.5) * golden;
    chosen[(size_t)((turn - floor(turn)) * (double)n)] = 1;
  }
  for (size_t i = 0; i < n; i++)
    if (chosen[i])
      rows[found++] = i;
  return found;
}

/* Has the part weight enough, and every cluster two of its points? */
static int represents(const kg_engine *e, const kg_engine *some) {
  double weight = 0;
  for (size_t l = 0; l < some->k; l++) {
    if (some->count[l] < 2)
      return 0;
    weight += some->s[l];
  }
  return weight / e->rule.s > 0.5 * (double)some->n / (double)e->n;
}

/* Sweeps over the part: 0 if less than three fifths of it move in the first one. As many
 * move from random labels of three clusters or more; from labels that say something it is
 * half of them at most. */
static int descends(kg_engine *some) {
  for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
    size_t before = some->moves;
    for (size_t at = 0; at < some->n;) {
      R_CheckUserInterrupt();
      at = some->input->kind->sweep(some, at, FFI_WORK);
    }
    size_t moved = some->moves - before;
    if (sweep == 0 && (double)moved < 0.6 * (double)some->n)
      return 0;
    if (moved == 0)
      break;
  }
  return 1;
}

/* All points to the nearest of the means that every other point of a cluster of the part
 * tells, and the part where it is. */
static void extend(kg_engine *e, const size_t *rows, const kg_engine *some) {
  size_t m = some->n, many = 0;
  int *row = (int *)R_alloc(2 * m, sizeof(int)), *group = row + m;
  int *odd = (int *)R_alloc(e->k, sizeof(int));
  memset(odd, 0, e->k * sizeof(int));
  for (size_t r = 0; r < m; r++) {
    size_t l = (size_t)some->label[r];
    if (some->w[r] > 0)
      odd[l] = !odd[l];
    if (!odd[l])
      continue;
    row[many] = (int)rows[r];
    group[many++] = some->label[r];
  }
  ffi_extend_labels((kg_state *)e, row, group, many, e->label);
  for (size_t r = 0; r < m; r++)
    if (some->w[r] > 0)
      e->label[rows[r]] = some->label[r];
}

/* Other labels for an engine whose labels say nothing: 0 if they do. */
static int leap(kg_engine *e, int threads) {
  const void *top = vmaxget();
  size_t n = e->n, k = e->k, *rows = (size_t *)R_alloc(n, sizeof(size_t));
  size_t m = choose(n, k, rows);
  int leaps = 0;
  if (m > 0) {
    kg_engine *some = ffi_new_engine(ffi_some(e->input, rows, m), k, threads);
    for (size_t r = 0; r < m; r++)
      some->label[r] = e->label[rows[r]];
    memset(&some->rule, 0, sizeof some->rule);
    ffi_begin(&some, 1);
    leaps = represents(e, some) && descends(some);
    if (leaps)
      extend(e, rows, some);
  }
  vmaxset(top);
  return leaps;
}

void ffi_begin_leaping(kg_engine **engines, size_t many, int threads) {
  const void *top = vmaxget();
  int *start[16] = {NULL};
  for (size_t a = 0; a < many; a++) {
    size_t size = engines[a]->n * sizeof(int);
    int *labels = (int *)R_alloc(engines[a]->n, sizeof(int));
    memcpy(labels, engines[a]->label, size);
    if (leap(engines[a], threads))
      start[a] = labels;
  }
  ffi_begin(engines, many);
  for (size_t a = 0; a < many; a++) {
    if (!start[a])
      continue;
    kg_engine *e = engines[a];
    double now = e->rule.W;
    int *ahead = (int *)R_alloc(e->n, sizeof(int));
    memcpy(ahead, e->label, e->n * sizeof(int));
    memcpy(e->label, start[a], e->n * sizeof(int));
    if (now <= within(e, threads))
      memcpy(e->label, ahead, e->n * sizeof(int));
    else
      ffi_begin(&e, 1);
  }
  vmaxset(top);
}
