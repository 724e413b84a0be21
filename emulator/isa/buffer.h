// Buffers: where the lanes of a BUFFER instruction go by its descriptor.
//
// In: the descriptor in scalar registers; index and offset in vector registers. Out: addresses, and
// the lanes that are inside the buffer.
#ifndef EMULATOR_BUFFER_H
#define EMULATOR_BUFFER_H

#include "vector_access.h"

typedef struct {
  u64 base;
  u32 stride, records; // bytes; records, or bytes if there is no stride
  bool swizzled, add_lane;
} Buffer;

Buffer buffer_of(const Wavefront *w, const Instruction *in);

// access->bytes is given. What lies beyond the records reads as 0 and is not written: those lanes are left
// out of the access. A fault if the records are swizzled.
void buffer_addresses(Wavefront *w, const Instruction *in, const Buffer *buffer, Access *access);

#endif
