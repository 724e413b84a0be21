// Which loads wait for a flag, for EMULATOR_SANITIZE=1. Atomic loads and stores (__hip_atomic_load) are
// plain ones in machine code. But a loop that comes to its end by what such a load gives, and changes nothing
// itself, would be an endless one if the load were plain: the compiler would load once, before it.
//
// In: a load that meets what another wave has done. Out: whether it must be an atomic one, or has a fence behind it.
#ifndef EMULATOR_FLAG_LOAD_H
#define EMULATOR_FLAG_LOAD_H

#include "program.h"

// True of the load in the loop, and of one of the same place before it.
bool flag_load(Program *program, const Instruction *load);

// Whether the kernel's own code has such a loop with a load of memory that other workgroups reach.
bool flag_load_of_others(Program *program, const Kernel *kernel);

#endif
