// Blocks of machine code in a launch with EMULATOR_SANITIZE=1: instructions of registers alone, which a
// wave runs as they are where all that they read is defined and has come back. Anything else is
// interpreted, and looked at one by one.
//
// In: a wave with a shadow; the registers of a block. Out: whether it may run, and what it defines.
#ifndef EMULATOR_DEFINED_BLOCK_H
#define EMULATOR_DEFINED_BLOCK_H

#include "block_registers.h"

bool defined_block_may_run(const Wavefront *w, const BlockRegisters *registers);
void defined_block_ran(Wavefront *w, const BlockRegisters *registers);

#endif
