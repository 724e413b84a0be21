// Stores of different workgroups to one place, stores where another one updates memory atomically, and loads from where
// another one stored, for EMULATOR_SANITIZE=1: which value stays, or is loaded, is up to the order in which the workgroups run.
// Told only where it is certain: whole dwords, values that change, a kernel without atomics that return a value, volatile
// loads, loops that wait for a flag (flag_load.h), calls or barriers across the grid, so that nothing can order its workgroups. A load is told, and
// the launch goes on: some programs look on purpose for a flag that any of them may have raised.
#ifndef EMULATOR_STORE_CONFLICT_H
#define EMULATOR_STORE_CONFLICT_H

#include "shadow.h"

// Before a launch. ordered: its workgroups may know of each other. More than 16 million are not looked at, and none where the host
// has no room for the records; the first time either is told.
void store_conflict_begin(const Launch *asked, bool ordered);

// Whether stores to global memory are compared in this launch.
bool store_conflict_watches(void);

// Before a store to these places.
void store_conflict_expect(const Wavefront *w, Places *at);

// After a store to global memory, a load from it, or an atomic there.
void store_conflict_note(Wavefront *w, const Instruction *in);

#endif
