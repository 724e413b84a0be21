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
// out of the access. Records are counted where an index names them, elsewhere they are bytes. Lanes of which
// the first dwords alone lie inside are access->parts: several dwords are checked one by one, elements with a
// format and atomics are not (CDNA2 ISA guide, "Range checking", note 4). A fault if the records are swizzled.
void buffer_addresses(Wavefront *w, const Instruction *in, const Buffer *buffer, Access *access);

// How many dwords from the begin of one of access->parts on lie inside.
u64 buffer_words(const Buffer *buffer, const Access *access, int lane);

#endif
