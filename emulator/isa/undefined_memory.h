// Uninitialised values in memory, for EMULATOR_SANITIZE=1: device memory (defined_memory.h), LDS and private memory, a bit for
// each byte.
//
// In: memory instructions with the places that they touch. Out: registers that are undefined where memory was, and the other
// way round; the launch ends where global memory would get what was computed from nothing.
#ifndef EMULATOR_UNDEFINED_MEMORY_H
#define EMULATOR_UNDEFINED_MEMORY_H

#include "shadow.h"

// Before an atomic update of these places: faults if nobody has written them.
void undefined_check_update(Wavefront *w, const Instruction *in, Places *at);

// Whether the kernel is one of rocPRIM, and so of hipCUB or rocThrust: those compute whole blocks beyond the end of their input, count
// in LDS what they then leave out, and store what no later one uses. There such values stay undefined where they go.
bool undefined_computes_unused(const Wavefront *w);

// Whether some byte of these places was not written yet.
bool undefined_place(const Wavefront *w, const Instruction *in, const Places *at);

// After a memory instruction that touched places in memory: registers from memory, or memory from them.
void undefined_transfer(Wavefront *w, const Instruction *in);

#endif
