// Loads in translated code whose lanes lie in no way at all, or of which some are off: each lane's data from an address of its own.
//
// In: a span's addresses, and which lanes are on. Out: their data, by the host's instruction that gathers; what lanes get that
// are off is undefined.
#ifndef EMULATOR_BLOCK_GATHER_H
#define EMULATOR_BLOCK_GATHER_H

#include "block_rows.h"

// Whether the host has the instruction, and moves what a lane loads of so many bytes as one: 16 bytes that another workgroup
// changes meanwhile it would not. `alone`: nobody changes them.
bool gather_possible(unsigned bytes, bool alone);

// The data of lanes that load 1, 2, 4, 8 or 16 bytes. has_sign: of one or two bytes, of which the dword is loaded
// that has them: no page ends in it.
Rows gather_rows(const BlockCode *t, LLVMValueRef address, unsigned bytes, bool has_sign);

// The same of lanes that load 1, 2, 4 or 8 bytes from offsets of 32 bits behind a place, one after the other: on any host.
LLVMValueRef gather_in_turn(const BlockCode *t, LLVMValueRef base, LLVMValueRef offset,
                            unsigned bytes, bool has_sign);

// Each lane's value where the lane is on, or what the register had.
LLVMValueRef gather_active(BlockCode *t, int index, unsigned bits, LLVMValueRef value);

// Whether something is so of all lanes that are on.
LLVMValueRef gather_all(const BlockCode *t, LLVMValueRef truth);

#endif
