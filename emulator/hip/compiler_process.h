// hipcc, run as a program, for code that is compiled while the program runs.
//
// In: source, headers, options. Out: the code object's file, or bitcode to be linked, and what the
// compiler said.
#ifndef EMULATOR_COMPILER_PROCESS_H
#define EMULATOR_COMPILER_PROCESS_H

#include "tool_process.h"

typedef struct {
  const char *name, *text;
} SourceFile;

typedef enum { COMPILER_DONE, COMPILER_REFUSED, COMPILER_MISSING } CompilerResult;
typedef enum { COMPILER_CODE, COMPILER_BITCODE } CompilerOutput;

// COMPILER_REFUSED: the source has errors, which the log names. COMPILER_MISSING: hipcc cannot be run
// or nothing can be written, which the log says.
CompilerResult compiler_run(const char *source, const SourceFile *headers, size_t header_count,
                            const char *const *options, size_t option_count, CompilerOutput output,
                            Bytes *code, Bytes *log);

// What hipcc calls the device's architecture: hipcc of ROCm 5 knows gfx942 by the name of its first step, gfx940, and newer ones do
// not know that.
const char *compiler_device(void);

const char *compiler_name(void); // to run

// With -### hipcc compiles nothing, but looks at its options and says what it would run. Its status, -1 if it cannot be run.
int compiler_look(const char *device, const char *folder, const char *said);

CompilerResult compiler_missing(Bytes *log); // says so

#endif
