// Counts of memory instructions: steps of the address unit, tag look-ups, requests to L2.
//
// In: an access that vector_access allowed. Out: the profile of the instruction, and for the memory
// model the lines that it touches. Footprints of accesses that come again are kept by host thread.
#ifndef EMULATOR_ACCESS_COUNT_H
#define EMULATOR_ACCESS_COUNT_H

#include "address_unit.h"
#include "settings.h"
#include "vector_access.h"

// Counts steps, tag look-ups and requests of an instruction that passed access_check, and tells the
// memory model which lines it touches.
void access_count(Wavefront *w, Access *access, MemoryAction action);

// The same of active lanes that lie side by side, lane 0 or where it would be at `begin`.
void access_count_block(Wavefront *w, u64 begin, u32 bytes, MemoryAction action);

// Checks and counts them in the common case: all 64 places lie in one allocation. False, and nothing is done, if
// that is not seen at once. All lanes count as step_contiguous counts them: a step that a line ends in looks up
// one more. Not for 12 B a lane, where both may end at one place.
static inline __attribute__((always_inline)) bool access_block(Wavefront *w, u64 begin, u32 bytes,
                                                               MemoryAction action) {
  const u64 end = begin + (u64)LANES * bytes;
  if (!access_seen(w->thread, begin, end) || (w->exec != ~0ull && settings()->xnack))
    return false;
  if (w->exec != ~0ull || !w->trace.off || w->thread->memory || (bytes & (bytes - 1))) {
    access_count_block(w, begin, bytes, action);
    return true;
  }
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  const u64 width = bytes > 4 ? QUAD : COALESCED, steps = LANES / width,
            lines = (end - 1) / DEVICE_L1_LINE - begin / DEVICE_L1_LINE + 1;
  profile->executed_active++;
  profile->global_bytes += LANES * bytes;
  profile->pixels += QUAD * steps;
  profile->tag_lookups += begin & (width * bytes - 1) ? steps + lines - 1 : steps;
  profile->l2_requests += action == MEMORY_STORE ? lines : 0;
  return true;
}

#endif
