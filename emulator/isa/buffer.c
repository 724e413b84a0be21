// Buffers: see buffer.h. Descriptor (CDNA2 ISA guide, "Buffer resource"): base 47:0, stride 61:48,
// swizzle 63, records 95:64, add thread id 119.
#include "buffer.h"

#include "lanes.h"

Buffer buffer_of(const Wavefront *w, const Instruction *in) {
  const u32 *word = &w->sgpr[in->b.index];
  return (Buffer){.base = word[0] | (u64)(word[1] & 0xffff) << 32,
                  .stride = word[1] >> 16 & 0x3fff,
                  .records = word[2],
                  .swizzled = word[1] >> 31,
                  .add_lane = word[3] >> 23 & 1};
}

void buffer_addresses(Wavefront *w, const Instruction *in, const Buffer *buffer, Access *access) {
  if (buffer->swizzled)
    wavefront_fault(
        w, FAULT_GAP, -1,
        "a buffer with swizzled records; the emulator knows those of private memory alone");
  const u64 scalar = in->e.kind == OPERAND_NONE ? 0 : scalar_u32(w, &in->e);
  const u32 *index = w->vgpr[in->a.index], *offset = in->idxen ? index + LANES : index;
  access->lanes = w->exec;
  FOR_LANES {
    u64 inside = (u64)in->offset + (in->offen ? offset[lane] : 0);
    u64 record = (in->idxen ? index[lane] : 0) + (buffer->add_lane ? (u64)lane : 0);
    bool outside = buffer->stride ? record >= buffer->records
                                  : inside + scalar + access->bytes > buffer->records;
    access->address[lane] = buffer->base + scalar + inside + record * buffer->stride;
    if (outside)
      access->lanes &= ~(1ull << lane);
  }
}
