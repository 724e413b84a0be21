// What translated code leaves of a load from LDS: spans whose lanes lie in no usual way, or outside, and what the banks
// wait for them.
//
// In: places in LDS, bytes, of 16 lanes from `first` on, as the instruction forms them; some lanes are on, all where anybody
// counts. Out: their data, faults and notices, counts in the thread's profile. Nobody wants a trace.
#ifndef EMULATOR_LDS_SPAN_H
#define EMULATOR_LDS_SPAN_H

#include "lanes.h"

// Loads `words` dwords, 1, 2 or 4, of each lane: rows of single dwords, or of pairs. Leaves in `place` where lanes went
// instead if they lie outside or are off. Counts what the banks wait unless it takes the other 16 lanes to know.
void lds_load_span(Wavefront *w, const Instruction *in, u32 *place, u8 *row, u32 first, u32 words);

// Counts what the banks wait for a dword of each of 32 lanes.
void lds_count_pass(Wavefront *w, const Instruction *in, const u32 *place);

#endif
