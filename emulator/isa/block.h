// A block: instructions that are executed one after the other, vector ones under one EXEC, and the machine
// code they were translated to.
#ifndef EMULATOR_BLOCK_H
#define EMULATOR_BLOCK_H

#include "block_registers.h"
#include "instruction.h"
#include "jit.h"

#include <string.h>

typedef void RunBlock(Wavefront *w);

// Which machine code of a block: for any EXEC or only for one with all lanes, with a trace, without, or where nobody wants
// to know, either, what memory instructions cost.
enum {
  BLOCK_ANY_LANES = 0,
  BLOCK_ALL_LANES = 1,
  BLOCK_TRACED = 2,
  BLOCK_UNCOUNTED = 4,
  BLOCK_VARIANTS = 6
};

struct Block {
  uint32_t count;                // instructions; 0: not worth translation
  bool failed;                   // LLVM could not compile it
  RunBlock *run[BLOCK_VARIANTS]; // NULL until it is needed
  JitCode code[BLOCK_VARIANTS][JIT_LEVELS];
  uint64_t executed;         // instructions in machine code, about
  BlockRegisters *registers; // of a block for sanitized waves, else NULL
  struct CasLoop *adds; // cas_loop.h: of a loop that adds to floats by compare-and-swap, else NULL
};

// How many instructions a block that begins here would have, of those that were decoded. Needs the
// functions of lane_function.h. sanitized: for waves that have a shadow.
uint32_t block_length(const Instruction *first, bool sanitized);

// Whether what follows this instruction may be other code, or another wave's turn.
bool block_ends_with(const Instruction *in);

const Instruction *block_last(const Instruction *first, uint32_t count);

// How a branch decides. NULL: the instruction is none, or goes to an address in registers.
typedef struct {
  const char *mnemonic;
  enum { ALWAYS, ON_SCC, ON_VCC, ON_EXEC } condition;
  bool on_zero;
} Branch;
const Branch *branch_of(const Instruction *in);

// Where the wave goes on behind a block with this last instruction, as far as that is known: up to two places.
int block_leads_to(const Instruction *last, const Instruction *to[2]);

void block_free(Block *block);

static inline bool names_exec(const Operand *operand) {
  return operand->kind == OPERAND_SGPR && operand->index < SGPR_COUNT &&
         operand->index + operand->registers > SGPR_EXEC;
}

static inline bool begins_with(const Instruction *in, const char *prefix) {
  return strncmp(in->info->mnemonic, prefix, strlen(prefix)) == 0;
}

// Whether the lanes behind it may be others.
static inline bool changes_lanes(const Instruction *in) {
  return (in->info->unit == UNIT_SALU && strstr(in->info->mnemonic, "exec")) ||
         begins_with(in, "v_cmpx") || names_exec(&in->d) || names_exec(&in->m);
}

static inline bool is_barrier(const Instruction *in) { return begins_with(in, "s_barrier"); }

#endif
