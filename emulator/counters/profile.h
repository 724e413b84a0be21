// From what each static instruction did to rocprof's counters.
#ifndef EMULATOR_PROFILE_H
#define EMULATOR_PROFILE_H

#include "counters.h"
#include "wavefront.h"

// Adds one host thread's profiles, by Instruction.id, to another's.
void profile_add(InstructionProfile *sum, const InstructionProfile *part, size_t instructions);
void profile_add_memory(MemoryProfile *sum, const MemoryProfile *part, size_t instructions);

// Adds the counters that follow from a profile of a program.
void profile_count(const Program *program, const InstructionProfile *profile, Counters *counters);

#endif
