// Loops that only let time pass.
//
// In: the code around an instruction that reads the clock. Out: whether nothing but time can change what its loop does.
#ifndef EMULATOR_DELAY_LOOP_H
#define EMULATOR_DELAY_LOOP_H

#include "program.h"

// Whether the innermost loop around the instruction, with every way through it, touches neither memory nor LDS and calls
// nothing. False for what lies in no loop, or in one of more than some hundred instructions.
bool delay_loop(Program *program, const Instruction *in);

#endif
