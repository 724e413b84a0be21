// Races in LDS, for EMULATOR_SANITIZE=1: two waves of a workgroup touch one byte, one of them
// changes it, and nothing orders them. Barriers do, and atomics: who updates a dword atomically hands on what came
// before, and who gets the old value back of the same dword knows it.
//
// Volatile accesses do the same. They come by generic addresses, which the compiler leaves to them; their loads have glc
// set, others by such addresses have not.
//
// Atomic loads that wait for a flag are known by their loop (flag_load.h). Other atomic loads and stores look like
// plain ones, and the sentence says so.
//
// Lanes of one wave are in order on this hardware and never race. A store of the value that is there counts as a load of it.
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
