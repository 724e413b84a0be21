// Loads from global memory in translated code.
//
// In: an instruction, where nobody wants to know what it does to caches. Out: code in the loop over spans that loads by
// itself where lanes lie as they mostly did when they were met, or each by itself (block_gather.h), in the allocation that the
// instruction went to last; any other span is left to global_span.h. A fault waits for the end of the loop: it is the first by instruction, then by lane.
#ifndef EMULATOR_BLOCK_GLOBAL_H
#define EMULATOR_BLOCK_GLOBAL_H

#include "block_code.h"

bool code_can_load_global(const BlockCode *t, const Instruction *in);

// Opens the loop; t->loads_global is true until it closes.
void code_load_global(BlockCode *t, const Instruction *in);

// Of how many VGPRs its address is; 0 of any other instruction.
int code_global_address_registers(const Instruction *in);

// Whether those that are on, where some are off, lie as 64 do that follow each other, unless they mostly lay otherwise.
bool code_some_mostly_follow(const Instruction *in);

// Behind the loop: ends the launch if a load in it had a fault.
void code_raise_late_fault(BlockCode *t);

#endif
