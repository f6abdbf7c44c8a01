/* kg.h - the kernels, a header per concern. Pure C99, no R.
 *
 * One objective serves every input: weighted kernel k-means. With B = -rho/2 for
 * pair values (a Gram matrix gives rho by Eq. (8)) and B as it is for a sparse matrix,
 *     R_il = sum_{y in C_l} w_y B_iy,   V_l = sum_{x in C_l} w_x R_xl,
 *     Q    = sum_l V_l / s_l            (maximised; Eq. (41) of the paper)
 * and the squared distance of x_i to the mean of C_l in the feature space is
 *     d2_il = B_ii - 2 R_il / s_l + V_l / s_l^2.
 *
 * Conventions: matrices are column-major as in R; labels inside the kernels run from 0;
 * the caller owns all memory; a kernel does one bounded piece of work and returns, so
 * that the caller can poll for interrupts between the pieces; random numbers come in as
 * uniforms on (0, 1).
 */
#ifndef KG_H
#define KG_H


/* values of pairs of observations */
#include "kg_semimetric.h"
#include "kg_coordinates.h"
#include "kg_pairs.h"
#include "kg_loops.h"

/* engines, and what descends on them */
#include "kg_rule.h"
#include "kg_engine.h"
#include "kg_state.h"
#include "kg_tiles.h"
#include "kg_sparse.h"
#include "kg_features.h"
#include "kg_part.h"
#include "kg_split.h"
#include "kg_kmeans.h"
#include "kg_start.h"
#include "kg_threads.h"

/* the rest by concern */
#include "kg_belief.h"
#include "kg_connected.h"
#include "kg_cross.h"
#include "kg_dispersion.h"
#include "kg_landmarks.h"
#include "kg_chebyshev.h"
#include "kg_inertia.h"
#include "kg_onedim.h"
#include "kg_permute.h"

#endif
