// A loop of one block that only computes and loads stays in the host's registers from round to round, all lanes of the wave
// at once. The wave's registers are stored where it ends.
//
// A load that goes elsewhere than it mostly did, or a number that wraps in some lanes, leaves it: then the wave is as it
// was where the round began, and the block's other code does that round. So such a loop must not store anything.
#ifndef EMULATOR_REGISTER_LOOP_H
#define EMULATOR_REGISTER_LOOP_H

#include "block_code.h"

// Whether the block, which leads to itself, may become one: it has no more instructions than fit.
bool register_loop_fits(const BlockCode *t, const Instruction *first, uint32_t count);

// Between these two each instruction of a round is written, with t->straight alone. `enter` is where other blocks
// lead to, `other` where the block's other code begins. False if the host has no memory.
bool register_loop_begin(BlockCode *t, const Instruction *first, uint32_t count,
                         LLVMBasicBlockRef enter, AddressRegisters *address_registers);
void register_loop_end(BlockCode *t, const Instruction *first, const Instruction *last,
                       LLVMBasicBlockRef other);

#endif
