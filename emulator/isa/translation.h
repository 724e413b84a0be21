// Translation of a block to machine code of the host.
//
// In: the instructions of a block. Out: machine code that does to a wave what they would, one by
// one: registers, memory, trace, faults. What it leaves to the caller: the profile (counted by
// block), the number of issued instructions, the budget. Not thread-safe: translator.c serialises
// all calls.
#ifndef EMULATOR_TRANSLATION_H
#define EMULATOR_TRANSLATION_H

#include "block.h"

// `variant`: BLOCK_*. sanitized: for waves that have a shadow. Needs the functions of lane_function.h.
JitCode translation_of(const Instruction *first, uint32_t count, int variant, JitLevel level,
                       bool sanitized);

#endif
