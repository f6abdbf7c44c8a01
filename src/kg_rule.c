/* kg_rule.c - the size term's part of the rule: a move changes
 *     Phi = (s d / 2) log W - sum_l s_l log(s_l / s). O(1), two logarithms. */
#include "kg.h"

static double h(double u) {
  return u > 0 ? u * log(u) : 0;
}

double kg_rule_left(double s, double rest) {
  return h(rest) - h(s);
}

void kg_consider_sized(const kg_rule *rule, kg_choice *c, size_t l, double s, double come) {
  double change = come - c->gone;
  double part =
      rule->W + change > rule->least ? change / rule->W : rule->least / rule->W - 1;
  double phi = rule->half * log1p(part) - (c->left + h(s + c->w) - h(s));
  if (phi < c->least || (phi == c->least && l < c->best)) {
    c->least = phi;
    c->best = l;
    c->change = change;
  }
}
