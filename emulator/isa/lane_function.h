// What rows of the instruction table compute, as LLVM instructions: read from the bitcode that was
// made of bitcode/*.c when the emulator was built.
//
// In: a row. Out: its function, of which copies go into translated code. Not thread-safe:
// translator.c serialises all calls.
#ifndef EMULATOR_LANE_FUNCTION_H
#define EMULATOR_LANE_FUNCTION_H

#include "instruction_table.h"

#include <llvm-c/Core.h>

enum { LANE_ARGUMENTS = 6 };

// Reads the bitcode into jit_context() on the first call; false if that is impossible.
bool lane_functions_start(void);

// The function of a row, NULL if it has none that can be copied: one run of instructions that loads
// its arguments, computes, and stores its results.
LLVMValueRef lane_function(const InstructionInfo *info);
LLVMValueRef lane_function_named(const char *mnemonic);

// An argument of a copy: the value that loads through it give, and the value that was stored.
typedef struct {
  LLVMValueRef in, out;
} LaneArgument;

// Copies what the function computes to where the builder stands.
void lane_function_copy(LLVMBuilderRef builder, LLVMValueRef function, LaneArgument *arguments);

// Truth values that were made bytes of, as they were before; NULL if that is not where they come
// from. LLVM would go through the bytes.
LLVMValueRef lane_truth(LLVMValueRef bytes);

#endif
