// The address unit (TA) and the tags of the vector L1 (TCP): which lines a memory instruction of 64 lanes
// touches, in how many steps, and how long that takes where nothing misses.
//
// In: the lanes' addresses. Out: lines, steps, look-ups, clocks. Rules: docs/memory-model.md.
#ifndef EMULATOR_ADDRESS_UNIT_H
#define EMULATOR_ADDRESS_UNIT_H

#include "vector_access.h"

enum { QUAD = 4, COALESCED = 16 }; // lanes that one step of the address unit takes

// Of the L1's tags and of its data; bytes of a word of these.
enum { TAG_BANKS = 4, DATA_BANKS = 8, WORD = 8 };

// 64 B lines of one wave instruction, in the order of its lanes.
typedef struct {
  u64 number[2 * LANES];
  u64 bytes[2 * LANES]; // which bytes of the line are accessed, a bit each
  u8 lookups[2 * LANES];
  int count;
} Lines;

// What one instruction does to them.
typedef struct {
  Lines lines;
  u64 steps, lookups, clocks;
} AddressSteps;

// Whether these lanes are all accessed and lie side by side, or all at one address.
static inline bool side_by_side(const Access *access, int begin, int width) {
  u64 lanes = ((1ull << width) - 1) << begin, first = access->address[begin],
      stride = access->address[begin + 1] - first;
  if ((access->lanes & lanes) != lanes || (stride != 0 && stride != access->bytes))
    return false;
  for (int i = 2; i < width; i++)
    if (access->address[begin + i] != first + (u64)i * stride)
      return false;
  return true;
}

// Accesses of up to 4 B coalesce over 16 lanes, wider ones over quads.
static inline int step_width(const Access *access, int lane) {
  bool coalesced =
      access->bytes <= 4 && lane % COALESCED == 0 && side_by_side(access, lane, COALESCED);
  return coalesced ? COALESCED : QUAD;
}

// Of an instruction with active lanes, whose addresses are filled in. Clocks only if `timed`: they take
// longest to work out.
void address_unit_steps(const Access *access, MemoryAction action, bool timed, AddressSteps *to);

#endif
