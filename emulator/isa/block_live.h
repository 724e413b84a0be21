// Vector registers that somebody may still read behind a block: what nobody reads need not be stored.
//
// In: decoded instructions. Out: a set that lacks only registers that each way from there overwrites in all lanes
// that are on now, or never reads until the wave ends.
#ifndef EMULATOR_BLOCK_LIVE_H
#define EMULATOR_BLOCK_LIVE_H

#include "block_registers.h"

// Whether the operands name all registers that it reads.
bool names_sources(const Instruction *in);

// Whether it overwrites its destination and does not look at it before, in the lanes that are on.
typedef bool Overwrites(const Instruction *in);

typedef struct {
  bool vgpr[ALL_VGPRS];
} LiveRegisters;

// At an instruction, and behind a block of `count` instructions. What is not yet decoded, or not
// known, might read all; so it is where ways are too many.
LiveRegisters live_at(const Instruction *in, Overwrites *overwrites);
LiveRegisters live_behind(const Instruction *first, uint32_t count, Overwrites *overwrites);

#endif
