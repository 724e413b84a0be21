// The instruction table: one row for each mnemonic, in parts of which each execute_PART.c defines
// one, with the functions that its rows name.
//
// In: a mnemonic. Out: its row.
#ifndef EMULATOR_INSTRUCTION_TABLE_H
#define EMULATOR_INSTRUCTION_TABLE_H

#include "instruction.h"

// NULL if the emulator does not know the mnemonic.
const InstructionInfo *instruction_find(const char *mnemonic);
// All rows, for tests and documentation.
size_t instruction_count(void);
const InstructionInfo *instruction_at(size_t i);

#define INSTRUCTION_TABLES(X)                                                                      \
  X(scalar)  /* SALU, branches, messages, SMEM */                                                  \
  X(vector)  /* VALU arithmetic and moves */                                                       \
  X(compare) /* v_cmp, v_cmpx, v_cmp_class */                                                      \
  X(packed)  /* VOP3P: two results in one instruction, dot products, mixed precision */            \
  X(lane)    /* readlane, writelane, mbcnt, DS permutes */                                         \
  X(memory)  /* GLOBAL, FLAT, BUFFER */                                                            \
  X(typed)   /* BUFFER and TBUFFER with a format */                                                \
  X(image)   /* IMAGE */                                                                           \
  X(lds)     /* DS */                                                                              \
  X(matrix)  /* MFMA */

#define X(PART)                                                                                    \
  extern const InstructionInfo PART##_instructions[];                                              \
  extern const size_t PART##_instruction_count;
INSTRUCTION_TABLES(X)
#undef X

#endif
