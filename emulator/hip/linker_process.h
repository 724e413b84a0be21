// LLVM's linker and compiler, those that hipcc itself runs, as programs: bitcode becomes one code object.
//
// In: bitcode or LLVM assembly, bundles of bitcode for several devices, archives of such bundles. Out: the
// code object's file and what the programs said; what bitcode names.
#ifndef EMULATOR_LINKER_PROCESS_H
#define EMULATOR_LINKER_PROCESS_H

#include "compiler_process.h"

// The numbers are those of hiprtcJITInputType and hipJitInputType.
typedef enum {
  LINKER_BITCODE = 100,
  LINKER_BUNDLE = 101,
  LINKER_ARCHIVE = 102,
  LINKER_SPIRV = 103 // not served
} LinkerInputType;

typedef struct LinkerInput {
  struct LinkerInput *next;
  LinkerInputType type;
  Bytes bytes;
} LinkerInput;

// For a device of this name, as LLVM has it. Options are those of clang for code generation.
CompilerResult linker_run(const LinkerInput *inputs, const char *cpu, const char *const *options,
                          size_t option_count, Bytes *code, Bytes *log);

// The name that the variable's initial value in the bitcode is the address of; the caller frees it. NULL:
// there is none.
char *linker_pointed_to(const Bytes *assembly, const char *variable);
// Bitcode as LLVM assembly.
CompilerResult linker_disassemble(const Bytes *bitcode, const char *cpu, Bytes *assembly,
                                  Bytes *log);

#endif
