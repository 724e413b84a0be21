// How the machine code of a block is entered and left.
#ifndef EMULATOR_BLOCK_END_H
#define EMULATOR_BLOCK_END_H

#include "block.h"
#include "block_code.h"

// Begins a function of these blocks, each with its Block: goes to the one that the wave comes to. `stays`: one that
// is entered as a loop that stays in registers, and has other code behind that.
typedef bool Stays(const BlockCode *t, const Instruction *first);
void code_begin_blocks(BlockCode *t, const Instruction *const *first, uint32_t blocks,
                       Stays *stays);

// Ends a block whose registers are all in memory: goes on with the next if the function has it and the
// instruction loop would go on with it, too; else leaves.
void code_end_block(BlockCode *t, const Instruction *last);

// Whether a branch jumps, as one bit.
LLVMValueRef code_branch_taken(BlockCode *t, const Branch *branch);

// A number in the profile of an instruction.
LLVMValueRef code_profile(const BlockCode *t, LLVMBuilderRef builder, const Instruction *in,
                          size_t offset);

#endif
