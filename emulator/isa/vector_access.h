// Addresses of memory instructions: what they may touch, and what the address units count.
//
// In: 64 lane addresses under EXEC. Out: permission (or a fault), and the profile of the
// instruction.
#ifndef EMULATOR_VECTOR_ACCESS_H
#define EMULATOR_VECTOR_ACCESS_H

#include "lanes.h"

typedef struct {
  u64 address[LANES];
  u64 lanes;       // which of them are accessed
  u32 bytes;       // accessed by each lane
  bool contiguous; // all 64 lanes, each right behind the one before
  bool scratch;    // private memory
} Access;

// Checks that all active lanes lie inside live allocations, or raises the fault that names the
// first one that does not.
void access_check(Wavefront *w, const Access *access, MemoryAction action);

// Counts steps, tag look-ups and requests of an instruction that passed access_check, and tells the
// memory model which lines it touches.
void access_count(Wavefront *w, const Access *access, MemoryAction action);

// The same check for one scalar access (SMEM).
void scalar_access_check(Wavefront *w, u64 address, u32 bytes);

#endif
