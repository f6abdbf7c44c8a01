/* kg.h - the kernels: structs, status codes, prototypes. Pure C99, no R.
 *
 * One objective serves every input (SPEC of the method: weighted kernel k-means).
 * With B = G for a Gram matrix and B = -rho/2 for a semimetric,
 *     R_il = sum_{y in C_l} w_y B_iy,   V_l = sum_{x in C_l} w_x R_xl,
 *     Q    = sum_l V_l / s_l            (maximised; Eq. (41) of the paper)
 * and the squared distance of x_i to the mean of C_l in the feature space is
 *     d2_il = B_ii - 2 R_il / s_l + V_l / s_l^2.
 *
 * Conventions: matrices are column-major; labels inside the kernels run from 0; the
 * caller owns all memory; a kernel does one bounded piece of work and returns, so the
 * caller can poll for interrupts between the pieces; random numbers come in as uniforms.
 */
#ifndef KG_H
#define KG_H

#include <stddef.h>

enum kg_status {
  KG_OK = 0,
  KG_NOT_FINITE, /* a pair value is not finite */
  KG_ROSE        /* Lloyd's method: the objective went the wrong way */
};

#endif
