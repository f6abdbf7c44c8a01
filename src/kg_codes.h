/* kg_codes.h - points with categories: a mismatch adds a constant to the squared
 * distance.
 *
 * |x_i - x_j|^2 + sum_c apart_c 1{code_ic != code_jc}: one comparison a column, however
 * many categories it has. */
#ifndef KG_CODES_H
#define KG_CODES_H

#include "kg_pairs.h"

typedef struct {
  kg_pairs numbers;    /* the coordinates, with the semimetric rho_power(2) */
  const double *code;  /* n x q */
  const double *apart; /* q */
  size_t q;
  kg_semimetric rho;
} kg_codes;

/* The codes stay the caller's. */
kg_pairs kg_codes_pairs(const kg_codes *codes);

#endif
