/* fuzz.h - what the harnesses share: a reader of the fuzzer's bytes, and checks that stop
 * the run. Each harness reads a small problem, runs
 * the kernels on it and holds the outcome against what must always be true. */
#ifndef KG_FUZZ_H
#define KG_FUZZ_H

#include "../ctest/kernels.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file has several harnesses; run.sh compiles it once for each, as FUZZ=fuzz_NAME. */
#define HARNESS(name) int fuzz_##name(const uint8_t *data, size_t size); int fuzz_##name(const uint8_t *data, size_t size)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int FUZZ(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return FUZZ(data, size);
}

#define MUST(condition)                                                                  \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
      __builtin_trap();                                                                  \
    }                                                                                    \
  } while (0)

/* ---- bytes; zeros once they have run out ---- */

typedef struct {
  const uint8_t *data;
  size_t left;
} bytes;

static inline unsigned take(bytes *in) {
  if (in->left == 0) return 0;
  in->left--;
  return *in->data++;
}

static inline size_t take_below(bytes *in, size_t n) {
  return take(in) % n;
}

static inline double take_uniform(bytes *in) {
  return (take(in) + 0.5) / 256;
}

/* A finite number: mostly small whole numbers and eighths, so that ties occur; sometimes
 * up to 10^most either way. */
static inline double take_number(bytes *in, double most) {
  int b = (int)take(in) - 128;
  unsigned kind = take(in);
  double value = kind & 1 ? b : b / 8.0;
  if (kind < 0xe0) return value;
  return value * pow(10, most * ((int)(kind & 0x1e) - 15) / 15.0);
}

/* A weight: 0 now and then, else of any size. */
static inline double take_weight(bytes *in, int zeros) {
  unsigned b = take(in);
  if (zeros && b < 48) return 0;
  if (b < 128) return 1;
  if (b < 224) return (b - 127) / 16.0;
  return pow(10, ((int)b - 240) / 4.0);
}

/* ---- memory of exactly the size requested, so that the sanitizer reports every step
 * outside; filled with rubbish, so that nothing may be read before it is written ---- */

static void *fuzz_memory[64];
static size_t fuzz_used;

static inline void *fuzz_new(size_t n, size_t size) {
  MUST(fuzz_used < 64);
  void *p = malloc(n * size ? n * size : 1);
  MUST(p != NULL);
  memset(p, 0xfe, n * size);
  return fuzz_memory[fuzz_used++] = p;
}

#define NEW(type, n) ((type *)fuzz_new((n), sizeof(type)))
#define TEST_ROOM(bytes) fuzz_new((bytes), 1)

static inline int fuzz_end(void) {
  while (fuzz_used > 0) free(fuzz_memory[--fuzz_used]);
  return 0;
}

/* Instruction sets by turns; those that the processor lacks are the baseline. */
static inline void take_loops(bytes *in) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  if (!kg_choose_loops(sets[take_below(in, 3)])) kg_choose_loops("base");
}

/* ---- problems ---- */

typedef struct {
  size_t n, d, k;
  kg_pairs pairs;
  double *w, *B;
  int *label;
  double scale; /* how large |B| and w can be in sums: sum w |B| sum w */
  double total;
  int negative_type; /* W >= 0 and Lloyd cannot go wrong */
  int tiles;         /* first pass in tiles: their workspace takes most of the time */
} fuzz_problem;

static inline kg_semimetric take_semimetric(bytes *in) {
  static const kg_semimetric all[] = {
      {KG_POWER, 1},         {KG_POWER, 2},      {KG_POWER, 0.5},  {KG_POWER, 1.5},
      {KG_POWER, 0.3},       {KG_POWER, 1.7},    {KG_GAUSSIAN, 1}, {KG_GAUSSIAN, 30},
      {KG_EXPONENTIAL, 0.5}, {KG_EXPONENTIAL, 20},
  };
  return all[take_below(in, sizeof all / sizeof all[0])];
}

/* A problem of at most 16 points, or `most` if the fuzzer chooses many, with a store of any kind; at least k points have a
 * positive weight, and every cluster has one of them. */
static inline fuzz_problem take_problem(bytes *in, size_t most, int zeros) {
  fuzz_problem p;
  unsigned shape = take(in), kind = shape & 3;
  memset(&p, 0, sizeof p);
  take_loops(in);
  kg_semimetric rho = take_semimetric(in);
  p.tiles = kind < 2 && shape >= 0xe0;
  p.n = 1 + take_below(in, shape & 32 ? most : 16);
  p.k = 1 + take_below(in, p.n < 6 ? p.n : 6);
  p.d = kind < 2 ? 1 + take_below(in, 5) : 0;
  p.w = NEW(double, p.n);
  p.label = NEW(int, p.n);
  p.B = NEW(double, p.n * p.n);
  p.negative_type = kind < 2;
  size_t positive = 0;
  for (size_t i = 0; i < p.n; i++) {
    p.w[i] = shape & 16 ? 1 : take_weight(in, zeros);
    positive += p.w[i] > 0;
  }
  for (size_t i = 0; i < p.n && positive < p.k; i++)
    if (p.w[i] == 0) p.w[i] = 1, positive++;
  for (size_t i = 0, given = 0; i < p.n; i++) {
    size_t l = take_below(in, p.k);
    p.label[i] = (int)(p.w[i] > 0 && given < p.k ? given++ : l);
  }
  if (kind < 2) {
    double *x = NEW(double, p.n * p.d);
    for (size_t i = 0; i < p.n * p.d; i++) x[i] = take_number(in, 3);
    p.pairs = kg_points(x, p.n, p.d, rho);
  } else if (kind == 2) {
    size_t pairs = p.n * (p.n - 1) / 2;
    double *x = NEW(double, pairs);
    if (shape & 8) rho.family = KG_GIVEN;
    for (size_t i = 0; i < pairs; i++) x[i] = fabs(take_number(in, 3));
    p.pairs = kg_packed(x, p.n, rho);
  } else {
    double *G = NEW(double, p.n * p.n);
    for (size_t i = 0; i < p.n; i++)
      for (size_t j = 0; j <= i; j++) G[i * p.n + j] = G[j * p.n + i] = take_number(in, 3);
    double *half = NEW(double, p.n);
    for (size_t i = 0; i < p.n; i++) half[i] = G[i * p.n + i] / 2;
    p.pairs = kg_dense(G, half, p.n);
  }
  double largest = 0;
  for (size_t i = 0; i < p.n; i++) {
    size_t rows[1] = {i};
    kg_block(&p.pairs, rows, 1, 0, p.n, p.B + i * p.n);
    MUST(p.B[i * p.n + i] == 0);
    p.total += p.w[i];
    for (size_t j = 0; j < p.n; j++) {
      MUST(isfinite(p.B[i * p.n + j]));
      largest = fmax(largest, fabs(p.B[i * p.n + j]));
    }
  }
  p.scale = largest * p.total;
  return p;
}

/* R_il by definition. */
static inline double right_R(const fuzz_problem *p, const int *label, size_t i, size_t l) {
  long double sum = 0;
  for (size_t y = 0; y < p->n; y++)
    if ((size_t)label[y] == l) sum += (long double)p->w[y] * p->B[i + y * p->n];
  return (double)sum;
}

/* -Q by definition: W but for a constant. */
static inline double right_cost(const fuzz_problem *p, const int *label) {
  long double Q = 0;
  for (size_t l = 0; l < p->k; l++) {
    long double V = 0, s = 0;
    for (size_t i = 0; i < p->n; i++) {
      if ((size_t)label[i] != l || p->w[i] == 0) continue;
      s += p->w[i];
      for (size_t y = 0; y < p->n; y++)
        if ((size_t)label[y] == l) V += (long double)p->w[i] * p->w[y] * p->B[i + y * p->n];
    }
    if (s > 0) Q += V / s;
  }
  return (double)-Q;
}

/* Labels in range, and a point of positive weight in every cluster. */
static inline void labels_fine(const fuzz_problem *p, const int *label) {
  size_t count[8] = {0};
  for (size_t i = 0; i < p->n; i++) {
    MUST(label[i] >= 0 && (size_t)label[i] < p->k);
    count[label[i]] += p->w[i] > 0;
  }
  for (size_t l = 0; l < p->k; l++) MUST(count[l] > 0);
}

/* ---- a state with its memory ---- */

static inline const kg_input *fuzz_input(const kg_kind *kind, size_t n, const double *w,
                                         const void *values) {
  kg_input *input = NEW(kg_input, 1);
  input->kind = kind, input->n = n, input->w = w, input->values = values;
  return input;
}

static inline kg_state fuzz_state(const fuzz_problem *p, const int *label) {
  kg_state state;
  int *own = NEW(int, p->n);
  memcpy(own, label, p->n * sizeof(int));
  const kg_input *input = fuzz_input(&kg_pair_sums, p->n, p->w, &p->pairs);
  void *memory;
  LAY(memory, kg_state_lay(&state, input, p->k, own, 1, &room));
  return state;
}

/* First pass by tiles or by rows. */
static inline void fuzz_build(const fuzz_problem *p, kg_state *state) {
  if (p->tiles) {
    kg_tiles t;
    void *memory;
    LAY(memory, kg_tiles_lay(&t, &p->pairs, p->k, 1, &room));
    const int *labels[1] = {state->e.label};
    kg_tiles_fill(&t, p->w, labels);
    double *workspace = NEW(double, kg_tiles_workspace(&t));
    for (size_t round = 0; round < kg_tiles_rounds(&t); round++)
      kg_tiles_part(&t, round, 0, kg_tiles_tasks(&t, round), 1, workspace);
    kg_tiles_read(&t, 0, 0, t.k, state->R);
  } else {
    size_t half = (p->n + 1) / 2;
    kg_first_pass(&state, 1, 0, half, state->row);
    kg_first_pass(&state, 1, half, p->n, state->row);
  }
  kg_state_built(state);
  MUST(kg_totals(state) == KG_OK);
}

/* All of begin() and totals(), in pieces of `work`. */
static inline void fuzz_totals(kg_engine *e, double work) {
  const kg_kind *kind = e->input->kind;
  for (size_t at = 0, next; at < e->n; at = next) {
    next = kind->begin(e, at, work);
    MUST(next > at && next <= e->n);
  }
  for (size_t at = 0, next; at < e->n; at = next) {
    next = kind->totals(e, at, work);
    MUST(next > at && next <= e->n);
  }
  MUST(e->status == KG_OK);
}

/* Every cluster that has lost its points gets one. */
static inline void fuzz_refill(kg_engine *e, int *target, size_t *count) {
  double *cost = NEW(double, e->n);
  for (size_t at = 0; at < e->n;) at = kg_target_costs(e, target, cost, at, 1);
  while (kg_refill(e, target, count, cost)) continue;
}

/* R, V, s, counts are those of the labels, within `tolerance` of the scale of the sums. */
static inline void state_right(const fuzz_problem *p, const kg_state *state,
                               double tolerance) {
  double room = tolerance * p->scale + 1e-290;
  for (size_t l = 0; l < p->k; l++) {
    size_t count = 0;
    double V = 0, s = 0;
    for (size_t i = 0; i < p->n; i++) {
      double R = right_R(p, state->e.label, i, l);
      MUST(fabs(state->R[i + l * p->n] - R) <= room);
      if ((size_t)state->e.label[i] != l || p->w[i] == 0) continue;
      count++;
      V += p->w[i] * R;
      s += p->w[i];
    }
    MUST(state->e.count[l] == count);
    MUST(fabs(state->e.s[l] - s) <= tolerance * p->total);
    MUST(fabs(state->e.V[l] - V) <= room * p->total);
  }
}

#endif
