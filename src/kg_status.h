/* kg_status.h - what a kernel has to say. Part of kg.h, whose conventions hold here. */
#ifndef KG_STATUS_H
#define KG_STATUS_H

#include <stddef.h>

enum kg_status {
  KG_OK = 0,
  KG_NOT_FINITE /* a pair value or a sum of them is not finite */
};

#endif
