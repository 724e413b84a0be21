// Memory of caches and queues: zero, and its begin that of a cache line of the host.
#ifndef EMULATOR_MODEL_ZEROED_H
#define EMULATOR_MODEL_ZEROED_H

#include <stdlib.h>
#include <string.h>

// To be freed; NULL if the host has no memory.
static inline void *zeroed(size_t bytes) {
  enum { HOST_LINE = 64 };
  bytes = (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE;
  void *memory = aligned_alloc(HOST_LINE, bytes);
  return memory ? memset(memory, 0, bytes) : NULL;
}

#endif
