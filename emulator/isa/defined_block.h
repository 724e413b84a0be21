// Blocks of machine code in a launch with EMULATOR_SANITIZE=1: a wave runs them where all that they read
// is defined and has come back. Anything else is interpreted, and looked at one by one.
//
// In: a wave with a shadow; the registers of a block. Out: whether it may run; then what it computes is
// defined.
#ifndef EMULATOR_DEFINED_BLOCK_H
#define EMULATOR_DEFINED_BLOCK_H

#include "block_registers.h"

// Before the block runs. False, and nothing is done, if it may not.
bool defined_block_enter(Wavefront *w, const BlockRegisters *registers);

#endif
