// The parts of the instruction table, one per execute_*.c.
#ifndef EMULATOR_EXECUTE_H
#define EMULATOR_EXECUTE_H

#include "instruction.h"

#define INSTRUCTION_TABLES(X)                                                                      \
  X(scalar)  /* SALU, branches, messages, SMEM */                                                  \
  X(vector)  /* VALU arithmetic and moves */                                                       \
  X(compare) /* v_cmp, v_cmpx, v_cmp_class */                                                      \
  X(packed)  /* VOP3P: two results in one instruction, dot products, mixed precision */            \
  X(lane)    /* readlane, writelane, mbcnt, DS permutes */                                         \
  X(memory)  /* GLOBAL, FLAT, BUFFER */                                                            \
  X(lds)     /* DS */                                                                              \
  X(matrix)  /* MFMA */

#define X(PART)                                                                                    \
  extern const InstructionInfo PART##_instructions[];                                              \
  extern const size_t PART##_instruction_count;
INSTRUCTION_TABLES(X)
#undef X

#endif
