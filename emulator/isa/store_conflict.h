// Stores of different workgroups to one place, for EMULATOR_SANITIZE=1: which value stays is up to the
// order in which the workgroups run. Told only where it is certain: whole dwords, different values, a kernel
// without atomics, calls or barriers across the grid, so that nothing can order its workgroups.
#ifndef EMULATOR_STORE_CONFLICT_H
#define EMULATOR_STORE_CONFLICT_H

#include "shadow.h"

// Before a launch. ordered: its workgroups may know of each other.
void store_conflict_begin(bool ordered);

// After a store to global memory.
void store_conflict_note(Wavefront *w, const Instruction *in);

#endif
