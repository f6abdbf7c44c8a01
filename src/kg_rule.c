/* kg_rule.c - the part of the rule that the size term adds: a move changes
 *     Phi = (s d / 2) log W - sum_l s_l log(s_l / s)
 * in O(1), with two logarithms. */
#include "kg_rule.h"
#include "kg_check.h"
#include <math.h>

static double h(double u) {
  return u > 0 ? u * log(u) : 0;
}

double kg_rule_left(double s, double rest) {
  return h(rest) - h(s);
}

double kg_rule_phi(const kg_rule *rule, double left, double w, double s, double change) {
  KG_CHECK(rule->half > 0);
  double part =
      rule->W + change > rule->least ? change / rule->W : rule->least / rule->W - 1;
  return rule->half * log1p(part) - (left + h(s + w) - h(s));
}
