// Scalar loads in translated code.
//
// In: an instruction, where nothing is traced or sanitized. Out: straight code that loads by itself in the allocation that the
// instruction went to last, and else calls the interpreter's handler. A loop that stays in registers is left instead.
#ifndef EMULATOR_BLOCK_SCALAR_LOAD_H
#define EMULATOR_BLOCK_SCALAR_LOAD_H

#include "block_code.h"

bool code_can_load_scalar(const BlockCode *t, const Instruction *in);
void code_load_scalar(BlockCode *t, const Instruction *in);

#endif
