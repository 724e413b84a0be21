// The line of the program that an instruction came from, for sentences.
//
// In: an instruction of a wave's program. Out: "FILE:LINE"; "FILE:LINE or near it" with the line of what stands before it in the
// code, where the compiler names none, or one in HIP's own headers, as for __syncthreads().
#ifndef EMULATOR_SOURCE_LINE_H
#define EMULATOR_SOURCE_LINE_H

#include "wavefront.h"

// False, and "an unknown line (MNEMONIC)", without line tables, and where no line is near.
bool source_line(const Wavefront *w, const Instruction *in, char *text, size_t size);

#endif
