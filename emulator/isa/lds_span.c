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

static bool all_inside(const Wavefront *w, const u32 *place, u32 bytes) {
  const u32 asked = w->thread->launch->lds_bytes, last = asked - bytes;
  u32 outside = asked < bytes;
  for (u32 lane = 0; lane < SPAN; lane++)
    outside |= place[lane] > last;
  return !outside;
}

static inline __attribute__((always_inline)) void load_lanes(const u8 *lds, const u32 *place,
                                                             u8 *row, u32 words) {
  const u32 size = words > 1 ? 8 : 4;
  for (u32 lane = 0; lane < SPAN; lane++)
    for (u32 part = 0; part < 4 * words; part += size)
      memcpy(row + part * SPAN + lane * size, lds + place[lane] + part, size);
}

// Lanes that are off go where the first does that is on.
static void send_along(u32 *place, u32 active) {
  const u32 first = place[__builtin_ctz(active)];
  for (u32 lane = 0; lane < SPAN; lane++)
    place[lane] = active >> lane & 1 ? place[lane] : first;
}

void lds_load_span(Wavefront *w, const Instruction *in, u32 *place, u8 *row, u32 first, u32 words) {
  const u32 active = (u32)(w->exec >> first) & ((1u << SPAN) - 1);
  w->in = in;
  send_along(place, active);
  if (!all_inside(w, place, 4 * words)) {
    for (u32 lane = 0; lane < SPAN; lane++)
      if (active >> lane & 1)
        place[lane] = lds_access_check(w, (int)(first + lane), place[lane], 4 * words, MEMORY_LOAD);
    send_along(place, active);
  }
  if (words == 1) // constants, so that no lane takes a loop
    load_lanes(w->group->lds, place, row, 1);
  else if (words == 2)
    load_lanes(w->group->lds, place, row, 2);
  else
    load_lanes(w->group->lds, place, row, 4);
  if (words > 1)
    count(w, in, place, SPAN, words);
}

void lds_count_pass(Wavefront *w, const Instruction *in, const u32 *place) {
  count(w, in, place, 2 * SPAN, 1);
}
