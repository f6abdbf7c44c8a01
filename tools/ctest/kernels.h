/* kernels.h - all headers of the kernels, for tests and fuzz harnesses. */
#ifndef KG_CTEST_KERNELS_H
#define KG_CTEST_KERNELS_H

#include "kg_belief.h"
#include "kg_changes.h"
#include "kg_chebyshev.h"
#include "kg_check.h"
#include "kg_border.h"
#include "kg_connected.h"
#include "kg_constrained.h"
#include "kg_coordinates.h"
#include "kg_dense.h"
#include "kg_dependence.h"
#include "kg_dip.h"
#include "kg_engine.h"
#include "kg_features.h"
#include "kg_float.h"
#include "kg_impute.h"
#include "kg_landmarks.h"
#include "kg_limit.h"
#include "kg_line.h"
#include "kg_loops.h"
#include "kg_metric.h"
#include "kg_onedim.h"
#include "kg_pairs.h"
#include "kg_permute.h"
#include "kg_propose.h"
#include "kg_room.h"
#include "kg_rows.h"
#include "kg_rule.h"
#include "kg_scatter.h"
#include "kg_semimetric.h"
#include "kg_sparse.h"
#include "kg_split.h"
#include "kg_start.h"
#include "kg_state.h"
#include "kg_sums.h"
#include "kg_threads.h"
#include "kg_tiles.h"
#include "kg_units.h"

/* Halves a cluster in small pieces. */
#define HALVE(s, t, a)                                                                   \
  do {                                                                                   \
    kg_halve_begin(s, t, a);                                                             \
    while (!kg_halve_go(s, t, 100)) {                                                    \
    }                                                                                    \
  } while (0)

/* Counts an arena with `call`, which uses `room`, and slices it: of memory from
 * TEST_ROOM(bytes), filled with rubbish so that nothing may be read before it is written. */
#define LAY(memory, call)                                                                \
  do {                                                                                   \
    kg_room room = {NULL, 0};                                                            \
    call;                                                                                \
    (memory) = TEST_ROOM(room.bytes);                                                    \
    memset((memory), 0x7e, room.bytes);                                                  \
    room = kg_room_at(memory);                                                           \
    call;                                                                                \
  } while (0)

/* All totals of a state at once. */
static inline enum kg_status kg_totals(kg_state *state) {
  kg_state_totals(&state->e, 0, HUGE_VAL);
  return state->e.status;
}

#endif
