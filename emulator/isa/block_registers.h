// Which registers a block reads and writes, for launches with EMULATOR_SANITIZE=1.
//
// In: its instructions. Out: lists. A register that is written before it is read is not read. Whether what a
// load brings is defined shows only when the block runs, so a block ends before it touches that.
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
  uint32_t count;
  uint16_t number[ALL_VGPRS];
} RegisterList;

// A register that holds what is undefined where one of others was, when the block began.
enum { MOST_CARRIED = 64, MOST_CARRIED_FROM = 4 * MOST_CARRIED };
typedef struct {
  uint16_t to;           // VGPR; from ALL_VGPRS on an SGPR with bits for lanes, of which it has
  uint8_t half;          // the first 32 or the others
  bool computed;         // or else copied
  uint16_t first, count; // in carried_from
} Carried;

typedef struct {
  bool memory; // some instruction touches it
  bool scc_read, scc_defined;
  RegisterList vgpr_read, vgpr_defined, sgpr_read, sgpr_defined; // by arithmetic
  // All that it touches, and what it has waited for before, of what was under way when it began; of
  // SGPRs those that it touches before it has waited for all scalar loads.
  RegisterList vgpr_touched, sgpr_touched;
  Waits after[ALL_VGPRS];
  uint32_t carried_count, carried_from_count;
  Carried carried[MOST_CARRIED];
  uint16_t carried_from[MOST_CARRIED_FROM];
} BlockRegisters;

// The operands that a result may depend on: all but the destination, which comes last where that is
// read, too. Returns how many.
int operands_read(const Instruction *in, const Operand **operand);

// Whether both of its registers are results.
bool swaps_registers(const Instruction *in);

// Whether it is s_waitcnt, and for what.
bool waits_of(const Instruction *in, Waits *waits);

// How many results it issues to either counter.
Waits results_of(const Instruction *in);

// Whether what it issued to vmcnt, or to lgkmcnt, may come back before what was issued earlier, and after what comes later.
bool comes_in_any_order(const Instruction *in, bool vm);

// The wait for both.
Waits waits_of_both(Waits a, Waits b);

// The VGPRs or SGPRs of operands, as a set.
typedef struct {
  bool vgpr[ALL_VGPRS], sgpr[SGPR_COUNT];
} Registers;
void registers_add(Registers *registers, const Operand *operand);
bool registers_name_some(const Registers *registers, const Operand *operand);

// Whether it is v_div_fmas.
bool divides(const Instruction *in);

// The lane mask that a branch or v_div_fmas looks at, which no operand names.
const Operand *condition_of(const Instruction *in);

// Of scalar instructions and branches.
bool reads_scc(const Instruction *in);
bool writes_scc(const Instruction *in);

// Loads, stores and atomics of any memory; those that bring something through vmcnt.
bool touches_memory(const Instruction *in);
bool uses_vm(const Instruction *in);

// Whether all that it depends on, besides memory, is what its operands name, in the lanes that are on; of a
// branch, SCC or VCC. So it is for instructions that wait.
bool block_registers_tell_all(const Instruction *in);

// How many of these instructions come before one that touches what another one loads.
uint32_t block_registers_reach(const Instruction *first, uint32_t count);

// NULL if the host has no memory.
BlockRegisters *block_registers_of(const Instruction *first, uint32_t count);

#endif
