// How the active lanes of an LDS instruction lie to each other, wherever they lie in LDS: the clocks
// that the banks take, how far the lanes reach, which spans move as blocks. An instruction mostly
// comes with a pattern that was met before, so each host thread keeps the latest.
//
// In: byte addresses of 64 lanes, and by how much all of them move. Out: LdsPattern. Banks take turns
// dword by dword, so lanes that all move by the same number of dwords meet in their banks as before.
#ifndef EMULATOR_LDS_PATTERN_H
#define EMULATOR_LDS_PATTERN_H

#include "spans.h"

struct LdsPattern {
  u64 lanes;           // active; 0: nothing is kept here
  u32 words;           // dwords that each lane accesses, at least one
  u32 phase;           // of the first active lane in its dword, bytes
  u32 distance[LANES]; // of active lanes from the first of them, modulo 2^32
  u32 lowest, reach;   // the lowest of these, and how far the highest is from it
  u32 stride;          // from lane to lane of whole spans, bytes
  u32 whole;           // a bit for each span: all its lanes are active, and at that distance
  u32 clocks;          // that the banks take; 0: nobody wanted to know
  uint8_t met;         // LANES_*, of which only the last is for lanes that wait or are off
};

// Clocks that the banks take for any addresses; and the same, found faster if lanes are few.
u32 lds_clocks(Wavefront *w, u64 lanes, const u32 *byte, u32 move, u32 words);
u32 lds_clocks_of_few(Wavefront *w, u64 lanes, const u32 *byte, u32 move, u32 words);

// Finds out how the active lanes lie, and keeps that.
void lds_pattern_learn(Wavefront *w, const u32 *byte, u32 move, u32 words, LdsPattern *kept);

enum { LDS_PATTERN_BITS = 8 };
// Room for 2^LDS_PATTERN_BITS patterns, none of them known; NULL: the host has no memory.
LdsPattern *lds_patterns_new(void);

// Where the pattern of these lanes is kept, if it is.
static inline LdsPattern *lds_pattern_place(const Wavefront *w, const u32 *byte, u32 move,
                                            u32 words) {
  const int first = __builtin_ctzll(w->exec), last = LANES - 1 - __builtin_clzll(w->exec);
  const u32 reach = byte[last] - byte[first],
            next = w->exec >> first & 2 ? byte[first + 1] - byte[first] : 0;
  const u64 key = w->exec * 0x9e3779b97f4a7c15ull ^
                  ((u64)reach << 32 | next) * 0xd1342543de82ef95ull ^
                  ((byte[first] + move) % 4 << 3 | words);
  return &w->thread->lds_patterns[key * 0x9e3779b97f4a7c15ull >> (64 - LDS_PATTERN_BITS)];
}

static inline bool lds_pattern_fits(Wavefront *w, const u32 *byte, u32 move, u32 words,
                                    const LdsPattern *kept) {
  const u32 first = byte[__builtin_ctzll(w->exec)];
  if (kept->lanes != w->exec || kept->words != words || kept->phase != (first + move) % 4)
    return false;
  // One lane at a time, for compilers to make vectors of the host's own width.
  u32 apart = 0;
  if (w->exec == ~0ull) {
    FOR_LANES
    apart |= (byte[lane] - first) ^ kept->distance[lane];
  } else {
    expand_exec(w);
    FOR_LANES
    apart |= ((byte[lane] - first) ^ kept->distance[lane]) & w->exec_lanes[lane];
  }
  return !apart;
}

// Of the active lanes; NULL: there are none, or no room to keep it.
static inline const LdsPattern *lds_pattern_of(Wavefront *w, const u32 *byte, u32 move, u32 words) {
  if (!w->thread->lds_patterns)
    w->thread->lds_patterns = lds_patterns_new();
  if (!w->thread->lds_patterns || !w->exec)
    return NULL;
  LdsPattern *kept = lds_pattern_place(w, byte, move, words);
  if (!lds_pattern_fits(w, byte, move, words, kept) || (!kept->clocks && traffic_wanted(w)))
    lds_pattern_learn(w, byte, move, words, kept);
  return kept;
}

#endif
