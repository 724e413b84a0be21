// Whether the atomics of a launch may come in any order, so that workgroups may run side by side.
//
// In: the kernel's code and its filled argument segment. Out: true only if it is certain that memory
// ends up the same whatever the order of workgroups: atomics return nothing, they are integer
// operations that commute with each other, and nothing else of the kernel touches their allocations.
#ifndef EMULATOR_COMMUTING_H
#define EMULATOR_COMMUTING_H

#include "program.h"

bool atomics_commute(Program *program, const Kernel *kernel, const void *arguments);

#endif
