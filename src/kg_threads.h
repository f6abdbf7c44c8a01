/* kg_threads.h - what the kernels need of OpenMP. */
#ifndef KG_THREADS_H
#define KG_THREADS_H

/* Work (kg_engine.h) below which a team of threads does not pay. The members of a team
 * wait for each other: microseconds on idle processors, milliseconds on busy ones. */
#define KG_TEAM_WORK 3e7
#define KG_TEAM_MOVES                                                                    \
  8e6 /* the same for moves that catch up, of which a pass has many                      \
       */

int kg_thread_number(void);
int kg_threads_allowed(int requested);

#endif
