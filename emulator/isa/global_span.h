// What translated code leaves of global memory: spans of loads whose lanes lie in no usual way, and loads and stores that go to an
// allocation to which the instruction did not go before.
//
// In: of a load, addresses of 16 lanes from `first` on, of which some are on; of a store, the wave. Out: the data; where the instruction
// went, for the code to go on by itself. Nobody wants to know what it does to caches.
#ifndef EMULATOR_GLOBAL_SPAN_H
#define EMULATOR_GLOBAL_SPAN_H

#include "lanes.h"

// Where the thread keeps what the load went to last.
static inline size_t span_range_place(const Instruction *in) {
  return offsetof(HostThread, spans_met) + sizeof(SpanRange) * (in->id % SPANS_MET);
}

// Loads so many bytes of each lane, 1, 2, 4, 8, 12 or 16, into rows of dwords, or, if `form` says so, of pairs. A lane that
// must not load gets 0; the fault is kept: instructions before it may yet have one in lanes behind it. Leaves in `address`
// where lanes went instead that are off.
void global_load_span(Wavefront *w, const Instruction *in, u64 *address, u8 *row, u32 first,
                      u32 bytes_and_form);
enum { SPAN_HAS_SIGN = 32, SPAN_OF_PAIRS = 64 }; // a sign: of one or two bytes

// An instruction by its handler; few: of waves that have so few lanes on it is kept where it went.
void global_access_any(Wavefront *w, const Instruction *in);
void global_access_few(Wavefront *w, const Instruction *in);
enum { GLOBAL_FEW = 6 }; // of more lanes the handler is as fast (measured)

// Ends the launch with the fault that was kept.
_Noreturn void global_fault(Wavefront *w);

#endif
