// Loads from LDS that translated code leaves: see lds_span.h.
#include "lds_span.h"

#include "lds_pattern.h"
#include "vector_access.h"

static void count(Wavefront *w, const Instruction *in, const u32 *place, u32 lanes, u32 words) {
  if (!traffic_wanted(w))
    return;
  const u32 usual = LANES / lds_lanes_at_once(words);
  u32 byte[LANES];
  memcpy(byte, place, lanes * sizeof *place);
  const u32 waits = lds_clocks(w, (1ull << lanes) - 1, byte, 0, words) - usual;
  w->thread->profile[in->id].lds_clocks += waits;
  w->thread->profile[in->id].lds_conflicts += waits;
}

void lds_load_span(Wavefront *w, const Instruction *in, u32 *place, u8 *row, u32 first, u32 words) {
  const u32 bytes = 4 * words, size = words > 1 ? 8 : 4;
  w->in = in;
  for (u32 lane = 0; lane < SPAN; lane++) {
    place[lane] = lds_access_check(w, (int)(first + lane), place[lane], bytes, MEMORY_LOAD);
    for (u32 part = 0; part < bytes; part += size)
      memcpy(row + part * SPAN + lane * size, w->group->lds + place[lane] + part, size);
  }
  if (words > 1)
    count(w, in, place, SPAN, words);
}

void lds_count_pass(Wavefront *w, const Instruction *in, const u32 *place) {
  count(w, in, place, 2 * SPAN, 1);
}
