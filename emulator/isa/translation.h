// Translation of blocks to machine code of the host, when they have run so often that it pays.
//
// In: the instruction at which a wave goes on. Out: machine code that does to the wave what the
// instructions would, one by one: registers, memory, trace, faults. What it leaves to the caller:
// the profile (counted by block), the number of issued instructions, the budget.
#ifndef EMULATOR_TRANSLATION_H
#define EMULATOR_TRANSLATION_H

#include "block.h"
#include "wavefront.h"

// Notes how many instructions were interpreted from this one on, to which a wave had come otherwise
// than from the one before it.
void translation_interpreted(const Wavefront *w, const Instruction *in, uint64_t instructions);

// Translates what begins here for the wave as it is, if so much of it was interpreted that this pays.
void translation_worth(const Wavefront *w, const Instruction *in);

// The machine code of a block for the wave as it is, or NULL.
RunBlock *translation_find(const Wavefront *w, const Block *block);

#endif
