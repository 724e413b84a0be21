// The line of the program that an instruction came from, for sentences.
//
// In: an instruction that a kernel has come to. Out: "FILE:LINE"; "FILE:LINE or near it" with the line of what stands before it in the
// code, where the compiler names none, or one in HIP's own headers; that one, if nothing before it has another.
#ifndef EMULATOR_SOURCE_LINE_H
#define EMULATOR_SOURCE_LINE_H

#include "program.h"

// False, and "an unknown line (MNEMONIC)", without line tables, and where no line is near.
bool source_line(const Program *program, const Kernel *kernel, const Instruction *in, char *text,
                 size_t size);

#endif
