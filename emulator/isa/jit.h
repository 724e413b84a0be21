// Machine code for this host at run time, by LLVM.
//
// In: an LLVM module of jit_context() with one function. Out: its address, good until jit_free. Not
// thread-safe: translator.c serialises all calls but jit_free, which comes when nothing runs.
#ifndef EMULATOR_JIT_H
#define EMULATOR_JIT_H

#include <llvm-c/Core.h>
#include <stdbool.h>

// Starts LLVM for this host on the first call. False if that is impossible: nothing can be compiled.
bool jit_start(void);
LLVMContextRef jit_context(void);

typedef struct {
  void *address; // NULL: the function could not be compiled
  void *owner;   // its memory
} JitCode;

// How: quickly, or in three times as long for code that is by a seventh faster.
typedef enum { JIT_QUICK, JIT_BEST, JIT_LEVELS } JitLevel;

// Takes the module.
JitCode jit_compile(LLVMModuleRef module, const char *function, JitLevel level);
void jit_free(JitCode code);

#endif
