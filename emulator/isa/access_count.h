// Counts of memory instructions: steps of the address unit, tag look-ups, requests to L2.
//
// In: an access that vector_access allowed. Out: the profile of the instruction, and for the memory
// model the lines that it touches. Footprints of accesses that come again are kept by host thread.
#ifndef EMULATOR_ACCESS_COUNT_H
#define EMULATOR_ACCESS_COUNT_H

#include "vector_access.h"

// Counts steps, tag look-ups and requests of an instruction that passed access_check, and tells the
// memory model which lines it touches. Nothing, where nobody wants to know (traffic_wanted).
void access_count(Wavefront *w, Access *access, MemoryAction action);

// Both for the common case: all active lanes lie side by side, lane 0 or where it would be at `begin`,
// and all 64 places in one allocation. False, and nothing is done, if that is not seen at once.
bool access_block(Wavefront *w, u64 begin, u32 bytes, MemoryAction action);

#endif
