/* kg_threads.h - what the kernels need of OpenMP. */
#ifndef KG_THREADS_H
#define KG_THREADS_H

/* Work (kg_engine.h) below which a team of threads does not pay. The members of a team
 * wait for each other: microseconds on idle processors, milliseconds on busy ones. */
#define KG_TEAM_WORK 8e6

int kg_thread_number(void);
int kg_threads_allowed(int asked);

#endif
