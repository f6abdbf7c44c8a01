/* kg_start.c - k-means++ starts: rho is the squared distance of the feature space, so
 * the first centre is drawn with probability ~ w, each further one ~ w_x rho(x, nearest
 * centre). One row of rho a candidate, and one for the centre. */
#include "kg_start.h"
#include "kg_check.h"
#include "kg_engine.h"
#include "kg_rule.h"
#include <math.h>

double kg_uniform(kg_uniforms *draws) {
  KG_CHECK(draws->n > 0);
  if (draws->at >= draws->n) {
    draws->at = 0;
    draws->turned += 0.6180339887498949;
    draws->turned -= draws->turned >= 1;
  }
  double u = draws->u[draws->at++] + draws->turned;
  return u < 1 ? u : u - 1;
}

size_t kg_one_of(kg_uniforms *draws, size_t many) {
  KG_CHECK(many > 0);
  size_t one = (size_t)(kg_uniform(draws) * (double)many);
  return one < many ? one : many - 1;
}

size_t kg_draw(const double *w, const double *nearest, size_t n, size_t l, double u,
               double *mass) {
  for (size_t i = 0; i < n; i++)
    mass[i] = l == 0 ? w[i] : nearest[i] > 0 ? w[i] * nearest[i] : 0;
  size_t drawn = kg_draw_mass(mass, n, u);
  if (drawn < n)
    return drawn;
  for (size_t i = 0; i < n; i++)
    mass[i] = w[i] > 0 && (l == 0 || nearest[i] > -HUGE_VAL);
  return kg_draw_mass(mass, n, u);
}

void kg_plusplus_begin(kg_plusplus *p, size_t l, const double *uniforms) {
  KG_CHECK(p->candidates > 0 && l < p->input->n);
  p->l = l;
  p->uniforms = uniforms;
  p->at = p->candidate = 0;
  p->best = p->x = p->input->n;
  p->least = HUGE_VAL;
  p->potential = 0;
  p->chosen = 0;
}

/* Draws the candidates and keeps the best; a piece of one at a time. */
static int choose(kg_plusplus *p, size_t points) {
  const kg_input *input = p->input;
  size_t n = input->n, from = p->at, to;
  if (from == 0) {
    p->x = kg_draw(input->w, p->nearest, n, p->l, p->uniforms[p->candidate], p->row);
    if (p->x == n)
      return 1; /* fewer points of positive weight than centres */
    if (p->candidates == 1 || p->l == 0) {
      p->best = p->x;
      return 1;
    }
    p->potential = 0;
  }
  to = n - from < points ? n : from + points;
  input->kind->rho(input, p->x, from, to, p->row + from);
  for (size_t i = from; i < to; i++) {
    double rho = p->row[i];
    if (rho > p->nearest[i])
      rho = p->nearest[i];
    if (rho > 0)
      p->potential += input->w[i] * rho;
  }
  p->at = to;
  if (to < n)
    return 0;
  if (p->best == n || kg_below(p->potential, p->least)) {
    p->least = p->potential;
    p->best = p->x;
  }
  p->at = 0;
  return ++p->candidate == p->candidates;
}

int kg_plusplus_step(kg_plusplus *p, size_t points) {
  KG_CHECK(points > 0 && p->at < p->input->n);
  const kg_input *input = p->input;
  size_t n = input->n, from, to;
  if (!p->chosen) {
    if (!choose(p, points))
      return 0;
    if (p->best == n)
      return 1;
    p->chosen = 1;
    p->at = 0;
  }
  from = p->at;
  to = n - from < points ? n : from + points;
  input->kind->rho(input, p->best, from, to, p->row + from);
  for (size_t i = from; i < to; i++) {
    double rho = p->row[i];
    if (p->l == 0 || kg_below(rho, p->nearest[i])) {
      p->nearest[i] = rho;
      p->label[i] = (int)p->l;
    }
  }
  p->at = to;
  if (to < n)
    return 0;
  p->nearest[p->best] = -HUGE_VAL;
  p->label[p->best] = (int)p->l;
  return 1;
}
