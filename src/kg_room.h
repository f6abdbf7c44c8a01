/* kg_room.h - an arena: one function per struct counts and slices its arrays.
 *
 *     void kg_x_lay(kg_x *x, size_t n, size_t k, kg_room *room) {
 *       x->sums = KG_TAKE2(room, n, k, double);
 *       x->count = KG_TAKE(room, k, size_t);
 *     }
 *     kg_room room = {0};            (counts: every slice is NULL)
 *     kg_x_lay(&x, n, k, &room);
 *     room = kg_room_at(memory);     (room.bytes bytes, from the caller)
 *     kg_x_lay(&x, n, k, &room);     (slices)
 *
 * Builds with KG_CHECKS put a fence behind each slice. AddressSanitizer reports an access
 * to a fence. */
#ifndef KG_ROOM_H
#define KG_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "kg_check.h"

enum {
  KG_ALIGN = 64, /* bytes; a cache line, and the widest vector */
#ifdef KG_CHECKS
  KG_FENCE = 64
#else
  KG_FENCE = 0
#endif
};

/* ASan is announced by a macro (gcc) or by a feature (clang). */
#if defined(KG_CHECKS) && defined(__SANITIZE_ADDRESS__)
#define KG_POISONS
#elif defined(KG_CHECKS) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KG_POISONS
#endif
#endif
#ifdef KG_POISONS
#include <sanitizer/asan_interface.h>
#define KG_POISON(at, bytes)   __asan_poison_memory_region(at, bytes)
#define KG_UNPOISON(at, bytes) __asan_unpoison_memory_region(at, bytes)
#else
#define KG_POISON(at, bytes)   ((void)(at))
#define KG_UNPOISON(at, bytes) ((void)(at))
#endif

typedef struct {
  char *base;   /* NULL: only counts */
  size_t bytes; /* taken so far; KG_TOO_LARGE if that overflows */
} kg_room;

#define KG_TOO_LARGE ((size_t)-1)

/* Memory of the counted bytes, from any allocator: the counted bytes include the padding
 * that aligns it. */
static inline kg_room kg_room_at(void *memory) {
  size_t off = (uintptr_t)memory % KG_ALIGN;
  kg_room room = {(char *)memory + (off > 0 ? KG_ALIGN - off : 0), 0};
  return room;
}

static inline void *kg_room_take(kg_room *room, size_t rows, size_t columns,
                                 size_t size) {
  const size_t most = (size_t)-1 / 4;
  if (room->bytes == 0)
    room->bytes = room->base ? 0 : KG_ALIGN; /* the padding */
  size_t begin = room->bytes, bytes;
  if (begin > most || (columns > 0 && rows > most / size / columns)) {
    room->bytes = KG_TOO_LARGE;
    return NULL;
  }
  bytes = (rows * columns * size + KG_FENCE + KG_ALIGN - 1) / KG_ALIGN * KG_ALIGN;
  room->bytes = begin + bytes;
  if (!room->base)
    return NULL;
  KG_UNPOISON(room->base + begin, bytes);
  KG_POISON(room->base + begin + rows * columns * size, bytes - rows * columns * size);
  return room->base + begin;
}

#define KG_TAKE(room, many, type) ((type *)kg_room_take(room, many, 1, sizeof(type)))
#define KG_TAKE2(room, rows, columns, type)                                              \
  ((type *)kg_room_take(room, rows, columns, sizeof(type)))

#endif
