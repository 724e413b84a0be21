// Which registers a block of register instructions reads and writes, for launches with
// EMULATOR_SANITIZE=1.
//
// In: its instructions. Out: lists. A register that is written before it is read is not read.
#ifndef EMULATOR_BLOCK_REGISTERS_H
#define EMULATOR_BLOCK_REGISTERS_H

#include "instruction.h"

enum { ALL_VGPRS = 2 * AGPR_BASE, READ_OPERANDS = 5 };

// How many results s_waitcnt lets be under way still: of vector memory, and of LDS and scalar loads.
typedef struct {
  uint32_t vm, lgkm;
} Waits;
enum { NO_WAIT = INT32_MAX };

typedef struct {
  bool scc_read, scc_written;
  bool sgpr_read[SGPR_COUNT], sgpr_written[SGPR_COUNT];
  uint32_t sgprs, reads, writes; // how many SGPRs of either kind and VGPRs there are below
  uint16_t sgpr[SGPR_COUNT], read[ALL_VGPRS], written[ALL_VGPRS];
  // What was waited for before each of these was first touched, and in all.
  Waits sgpr_after[SGPR_COUNT], read_after[ALL_VGPRS], written_after[ALL_VGPRS], waits;
} BlockRegisters;

// The operands that a result may depend on: all but the destination, which comes last where that is
// read, too. Returns how many.
int operands_read(const Instruction *in, const Operand **operand);

// Whether it is s_waitcnt, and for what.
bool waits_of(const Instruction *in, Waits *waits);

// Of scalar instructions.
bool reads_scc(const Instruction *in);
bool writes_scc(const Instruction *in);

// Whether a result is defined if all operands are, in the lanes that are on, and nothing but registers
// is touched; or whether it waits for some.
bool block_registers_tell_all(const Instruction *in);

// NULL if the host has no memory.
BlockRegisters *block_registers_of(const Instruction *first, uint32_t count);

#endif
