// How the machine code of a block is entered and left.
#ifndef EMULATOR_BLOCK_END_H
#define EMULATOR_BLOCK_END_H

#include "block_code.h"

// Begins a function of these blocks, each with its Block: goes to the one that the wave comes to.
void code_begin_blocks(BlockCode *t, const Instruction *const *first, uint32_t blocks);

// Ends a block whose registers are all in memory: goes on with the next if the function has it and the
// instruction loop would go on with it, too; else leaves.
void code_end_block(BlockCode *t, const Instruction *last);

#endif
