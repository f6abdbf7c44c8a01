/* kg_threads.h - what the kernels need of OpenMP. */
#ifndef KG_THREADS_H
#define KG_THREADS_H

#include <stddef.h>

int kg_thread_number(void);
int kg_threads_allowed(int asked);

#endif
