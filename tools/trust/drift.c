/* drift.c - how far R, V, s and W of a state drift from the definitions over a million moves
 * in one process, random ones and accepted ones of Hartigan's sweeps in turn. Run by tools/builds.sh drift. */
#include "../ctest/reference.h"

typedef struct {
  double R, V, s, W;
} drift;

static drift drift_of(const problem *p, const kg_state *state) {
  drift out = {0, 0, 0, 0};
  double scale = reference_scale(p), total = 0;
  for (size_t i = 0; i < p->n; i++) total += p->w[i];
  for (size_t l = 0; l < p->k; l++) {
    for (size_t i = 0; i < p->n; i++) {
      long double off = state->R[i + l * p->n] - reference_R(p, state->e.label, i, l);
      out.R = fmax(out.R, fabs((double)off) / (scale * total));
    }
    long double off_V = state->e.V[l] - reference_V(p, state->e.label, l);
    long double off_s = state->e.s[l] - reference_s(p, state->e.label, l);
    out.V = fmax(out.V, fabs((double)off_V) / (scale * total * total));
    out.s = fmax(out.s, fabs((double)off_s) / total);
  }
  long double W = reference_cost(p, state->e.label);
  long double now = 0; /* from V and s as they are */
  for (size_t l = 0; l < p->k; l++) now -= (long double)state->e.V[l] / state->e.s[l];
  out.W = (double)(fabsl(now - W) / fabsl(W));
  return out;
}

static void sweeps(kg_state *state) {
  for (int sweep = 0; sweep < 100; sweep++) {
    size_t before = state->e.moves, from = 0;
    while (from < state->e.n) from = sweep_some(state, from, (double)state->e.n);
    if (state->e.moves == before) break;
  }
}

int main(int argc, char **argv) {
  size_t moves = argc > 1 ? (size_t)strtod(argv[1], NULL) : 1000000;
  const char *names[] = {"points", "dist", "matrix"};
  const enum store stores[] = {POINTS, PACKED, DENSE};
  const kg_semimetric rhos[] = {{KG_POWER, 1.0}, {KG_POWER, 2.0}, {KG_GAUSSIAN, 1.3}};
  const char *rho_names[] = {"power 1", "power 2", "Gaussian"};
  printf("%-8s %-9s %10s %9s %9s %9s %9s %9s\n", "store", "rho", "moves", "accepted", "R", "V",
         "s", "W");
  double worst = 0;
  for (size_t a = 0; a < 3; a++)
    for (size_t b = 0; b < 3; b++) {
      uint64_t rng = 1 + a + 3 * b;
      problem p = problem_make(&rng, stores[a], rhos[b], 200, 3, 8, 0);
      for (size_t i = 0; i < p.n; i++) p.w[i] = 0.1 + ctest_uniform(&rng);
      fit f = fit_make(&p, p.label);
      size_t accepted = 0;
      while (f.state.e.moves < moves) {
        for (int made = 0; made < 60;) {
          size_t i = ctest_below(&rng, p.n), l = ctest_below(&rng, p.k);
          size_t j = (size_t)f.label[i];
          if (j == l || f.state.e.count[j] < 2) continue;
          move_now(&f.state, i, l);
          made++;
        }
        size_t before = f.state.e.moves;
        sweeps(&f.state);
        accepted += f.state.e.moves - before;
      }
      drift d = drift_of(&p, &f.state);
      printf("%-8s %-9s %10zu %9zu %9.1e %9.1e %9.1e %9.1e\n", names[a], rho_names[b],
             f.state.e.moves, accepted, d.R, d.V, d.s, d.W);
      worst = fmax(worst, fmax(fmax(d.R, d.V), fmax(d.s, d.W)));
      fit_free(&f);
      problem_free(&p);
    }
  printf("largest: %.1e (R, V, s relative to their scale, W relative)\n", worst);
  return worst > 1e-9;
}
