// Addresses of memory instructions: what they may touch.
//
// In: 64 lane addresses under EXEC. Out: permission, or a fault.
#ifndef EMULATOR_VECTOR_ACCESS_H
#define EMULATOR_VECTOR_ACCESS_H

#include "spans.h"

// High words of generic addresses, see scalar_special_u64.
enum { SHARED_APERTURE = 0x10000, PRIVATE_APERTURE = 0x20000 };

typedef struct Access {
  u64 address[LANES]; // unless access_spread has them still to fill in
  Spans spans;        // if they are regular
  const u32 *offset; // of active lanes from `base`, without sign; NULL: addresses have no such form
  u64 base;
  u32 block;          // the low bits in which these offsets differ, at most
  AddressRange range; // that they lie in, if not all bits may differ
  u32 place[LANES] __attribute__((aligned(64))); // offsets that no register has
  u64 lanes;                                     // which of them are accessed
  u64 parts;  // which others are by their first dwords, see buffer.h
  u64 copied; // which of them have the addresses of copies, see private_bytes.h
  u32 bytes;  // accessed by each lane
  bool regular;
  bool scratch; // private memory
  bool shared;  // perhaps with the host program or other processes, which may update it meanwhile
} Access;

// Addresses of eight lanes, as many as a vector of the host has, and all ones for those of them that are
// active.
enum { EIGHTH = 8 };
typedef u64 Eighth __attribute__((vector_size(8 * EIGHTH)));
typedef u64 EighthInMemory __attribute__((vector_size(8 * EIGHTH), aligned(8), may_alias));

static inline void eighth_of(const Access *access, int lane, Eighth *address, Eighth *active) {
  const Eighth bits = {1, 2, 4, 8, 16, 32, 64, 128};
  *address = *(const EighthInMemory *)&access->address[lane];
  *active = (Eighth)((((Eighth){0} + (access->lanes >> lane)) & bits) != 0);
}

// The allocation that [begin, end) lies in, if it was seen to be live lately, or NULL.
static inline const AddressRange *access_seen(const HostThread *thread, u64 begin, u64 end) {
  for (int i = 0; i < RANGE_CACHE; i++)
    if (begin >= thread->ranges[i].begin && end <= thread->ranges[i].end)
      return begin < end ? &thread->ranges[i] : NULL; // not at the end of all addresses
  return NULL;
}

// The live allocation that these bytes lie in, or NULL.
const AddressRange *access_range(HostThread *thread, u64 address, u32 bytes);

// Whether it was seen lately by an instruction, which mostly goes to the allocation that it went to last.
static inline bool access_seen_by(HostThread *thread, const Instruction *in, u64 begin, u64 end) {
  SpanRange *met = &thread->spans_met[in->id % SPANS_MET];
  if (begin - met->begin < met->bytes && end - met->begin <= met->bytes)
    return true;
  const AddressRange *seen = access_seen(thread, begin, end);
  if (seen)
    *met = (SpanRange){seen->begin, seen->end - seen->begin};
  return seen;
}

// Whether lanes that far apart load windows that slide by one or two dwords: elements and their neighbours, at once.
static inline bool lanes_slide(u64 apart, u64 lanes, u32 bytes) {
  return (apart == 4 * lanes && bytes > 4) || (apart == 8 * lanes && bytes == 16);
}

// Fills in the addresses of lanes that are regular or lie behind a base.
void access_spread(Access *access);

// Whether active lanes behind a base are seen at once to lie in one live allocation, none with a bit of
// `misaligned`. If not, nothing is told. high: NULL, or the upper halves of their addresses, which must be alike.
bool access_behind_base(Wavefront *w, Access *access, const u32 *high, u32 misaligned);

// Whether all 64 places of regular lanes lie in one live allocation, so that inactive ones may be
// read, too. With HSA_XNACK=1 they might lie behind the end of the host's.
bool access_whole_row(Wavefront *w, const Access *access);

// Checks that all active lanes lie inside live allocations, or raises the fault that names the
// first one that does not. What a device does not notice, because its pages reach further than the
// allocation, is only told, unless EMULATOR_SANITIZE=1.
void access_check(Wavefront *w, Access *access, MemoryAction action);

// The same of one lane, but where there is a fault: false then.
bool access_tolerated(Wavefront *w, int lane, u64 address, u32 bytes, MemoryAction action);

// That fault.
_Noreturn void access_refuse(Wavefront *w, int lane, u64 address, u32 bytes, MemoryAction action);

// Of memory that the launch may access and that is not there (missing_memory.h).
void access_note_missing(const Wavefront *w, u64 address);

// The same for one scalar access (SMEM). The compiler widens loads beyond a variable's end:
// one that begins inside may end behind it.
void scalar_access_check(Wavefront *w, u64 address, u32 bytes);

// The same for LDS that a workgroup asked for, less than what it gets in whole granules. Returns
// the byte to access: of loads of what no workgroup has, the first of the zeroes behind its LDS.
// So many bytes of zeroes lie there: translated code loads them with the last lane's data.
enum { LDS_BEHIND = WINDOW };
u32 lds_access_check(Wavefront *w, int lane, u64 byte, u32 bytes, MemoryAction action);

// Forgets which allocations were seen to be live: some may have been freed.
void access_forget(HostThread *thread);

#endif
