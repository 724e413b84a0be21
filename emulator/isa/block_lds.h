// Loads from LDS in translated code, without a call where lanes lie as they mostly do: span by span side by side, all
// at one place, or, where nobody counts what banks wait, near to the first or the last (block_windows.h) or each by itself
// (block_gather.h), as lanes do of which others are off.
//
// In: an instruction of a block. Out: its registers as values of the loop over spans. Any
// other span is left to lds_span.h, which also counts what banks wait; where none can wait the machine code counts.
#ifndef EMULATOR_BLOCK_LDS_H
#define EMULATOR_BLOCK_LDS_H

#include "block_code.h"

// Whether the instruction is such a load. None is where a trace or the sanitizer wants to know of it.
bool code_can_load_lds(const BlockCode *t, const Instruction *in);

// Nothing in the loop stores to memory, so the order of spans and loads does not matter.
void code_load_lds(BlockCode *t, const Instruction *in);

// Makes t->lds known where straight code has come to.
void code_find_lds(BlockCode *t);

// Of how many VGPRs its address is; 0 of any other instruction.
int code_lds_address_registers(const Instruction *in);

#endif
