// Races in LDS, for EMULATOR_SANITIZE=1: two waves of a workgroup touch one dword, one of them
// changes it, and nothing orders them. Barriers do, and atomics: who updates something atomically has
// done what came before, and who gets the old value back knows it.
//
// Volatile accesses count as such: they are made to wait for each other. They are those that come by generic
// addresses, which the compiler leaves to them.
//
// Atomic loads that wait for a flag are known by their loop (flag_load.h). Other atomic loads and stores look like
// plain ones, and the sentence says so.
//
// Lanes of one wave are in order on this hardware and never race; nor does a store that changes nothing.
#ifndef EMULATOR_LDS_RACE_H
#define EMULATOR_LDS_RACE_H

#include "shadow.h"

// After an instruction that touched LDS, or updated something atomically.
void lds_race_note(Wavefront *w, const Instruction *in);

// After a load straight into LDS, which stores there.
void lds_race_note_brought(Wavefront *w, const Instruction *in);

// All waves of the workgroup have passed a barrier.
void lds_race_barrier(Workgroup *group);

#endif
