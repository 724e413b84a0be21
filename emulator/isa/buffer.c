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
  const bool counted =
      buffer->stride && (in->idxen || buffer->add_lane); // in records, not in bytes
  access->parts = 0;
  FOR_LANES {
    const u32 inside = (u32)in->offset + (in->offen ? offset[lane] : 0); // wraps
    const u64 record = (in->idxen ? index[lane] : 0) + (buffer->add_lane ? (u64)lane : 0);
    const u64 begin = inside + scalar, own = 1ull << lane;
    access->address[lane] = buffer->base + begin + record * buffer->stride;
    if (counted ? record >= buffer->records : begin + access->bytes > buffer->records)
      access->lanes &= ~own;
    if (!counted && begin + 4 <= buffer->records)
      access->parts |= own;
  }
  access->parts &= w->exec & ~access->lanes;
}

u64 buffer_words(const Buffer *buffer, const Access *access, int lane) {
  return (buffer->base + buffer->records - access->address[lane]) / 4;
}
