// Translation of blocks to machine code of the host.
//
// In: the instructions of blocks that lead to each other. Out: machine code that does to a wave what they would, one by
// one: registers, memory, trace, faults. What it leaves to the caller: the profile (counted by
// block), the number of issued instructions, the budget. Not thread-safe: translator.c serialises
// all calls.
#ifndef EMULATOR_TRANSLATION_H
#define EMULATOR_TRANSLATION_H

#include "block.h"

// One function for all of these blocks, at most CODE_BLOCKS, each with its Block: it begins with the one
// that the wave comes to, goes from one to the next, and leaves where there is none, where the wave may issue no more
// (Wavefront.go_on_until), and where lanes make another variant fit. What it goes on with is
// in profile and number of issued instructions; the first is left to the caller.
// `variant`: BLOCK_*. sanitized: for waves that have a shadow. Needs the functions of lane_function.h.
JitCode translation_of(const Instruction *const *first, uint32_t blocks, int variant,
                       JitLevel level, bool sanitized);

#endif
