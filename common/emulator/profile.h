// From what each static instruction did to rocprof's counters.
#ifndef EMULATOR_PROFILE_H
#define EMULATOR_PROFILE_H

#include "counters.h"
#include "wavefront.h"

// Adds the counters that follow from one host thread's profile of a program.
void profile_count(const Program *program, const InstructionProfile *profile, Counters *counters);

#endif
