// Vector instructions in the machine code of a block: operands and results are values of a span of lanes, and what an
// instruction computes is a copy of its row's function.
//
// In: an instruction of a block whose loop over spans is open. Out: its VGPRs and lane masks as values of the span.
#ifndef EMULATOR_BLOCK_VECTOR_H
#define EMULATOR_BLOCK_VECTOR_H

#include "block_code.h"

// How the instruction is copied, for one span; NULL: it is not.
CodeSpan *code_vector_copy(const Instruction *in);
// Whether it needs what its destination holds before.
bool code_accumulates(const Instruction *in);
// A mask may be read where it was written, and written again, but not in part: false means that the loop must be closed first.
bool code_vector_masks_fit(const BlockCode *t, const Instruction *in);

#endif
