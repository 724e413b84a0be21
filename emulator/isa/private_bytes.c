// Private memory over the end of a dword: see private_bytes.h.
#include "private_bytes.h"

#include "bits.h"
#include "shadow.h"

enum { DWORD = 4 };

// Where a lane's byte lies that comes so far behind another: see scratch_offset.
static u8 *byte_behind(u64 address, u32 further) {
  const u64 place = address % DWORD, byte = place + further;
  return (u8 *)(address - place + byte / DWORD * DWORD * LANES + byte % DWORD);
}

static bool goes_over_end(const Wavefront *w, u64 address, u32 bytes) {
  return address % DWORD && address % DWORD + bytes > DWORD && wavefront_in_scratch(w, address);
}

u64 private_bytes_gather(Wavefront *w, Access *access, u64 lanes) {
  PrivateCopies *copies = &w->thread->private_copies;
  u64 low_bits = 0, over = 0;
  FOR_LANES low_bits |= access->address[lane];
  if (!(low_bits % DWORD) || access->bytes < 2)
    return 0;
  FOR_LANES_OF(lanes) {
    const u64 address = access->address[lane];
    if (!goes_over_end(w, address, access->bytes))
      continue;
    over |= 1ull << lane;
    copies->address[lane] = address;
    access->address[lane] = (u64)copies->bytes[lane];
    for (u32 i = 0; i < access->bytes; i++)
      copies->bytes[lane][i] = *byte_behind(address, i);
  }
  return over;
}

void private_bytes_scatter(Wavefront *w, const Access *access) {
  const PrivateCopies *copies = &w->thread->private_copies;
  FOR_LANES_OF(access->copied)
  for (u32 i = 0; i < access->bytes; i++) {
    u8 *byte = byte_behind(copies->address[lane], i);
    *byte = copies->bytes[lane][i];
    if (w->shadow)
      bits_set(w->shadow->scratch_written, (u64)(byte - w->scratch), 1);
  }
}
