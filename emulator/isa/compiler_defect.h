// Code that a defect of the compiler has made wrong. A GPU computes the same wrong results, and nothing else would say so.
//
// In: a kernel's machine code. Out: a note on stderr, once for each kernel or instruction that has such code.
//
// LLVM up to 15, which is in ROCm's hipcc up to 5.4 and in Debian's, keeps arrays of 2 to 8 bytes in registers. It stores an element
// that an index chooses under a mask of 16 bits, so that the one behind it is overwritten, too (SITargetLowering,
// lowerINSERT_VECTOR_ELT; LLVM 16 has the mask of the element).
//
// LLVM up to 17 divides 64-bit numbers that it knows to be below 2^32 by f32, which is right below 2^24 only
// (AMDGPUCodeGenPrepare::getDivNumBits; llvm-project pull request 80622). Whether numbers are greater only the wave knows: it
// is looked at until the code is hot.
#ifndef EMULATOR_COMPILER_DEFECT_H
#define EMULATOR_COMPILER_DEFECT_H

#include "program.h"

// Where in the kernel's own code an element of a byte is stored under a mask of two; NULL if nowhere. Divisions by f32 tell of
// too large numbers from now on.
const Instruction *compiler_defect_in(Program *program, const Kernel *kernel);

// Says so, once for each kernel.
void compiler_defect_tell(Program *program, const Kernel *kernel);

#endif
