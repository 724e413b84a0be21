// Where a wave can still come to: the end of its kernel, an atomic.
//
// In: the code from an instruction on. Out: false only where it is certain that it cannot.
#ifndef EMULATOR_WAY_OUT_H
#define EMULATOR_WAY_OUT_H

#include "program.h"

// Whether some way leads from the instruction, which is one of the object's program, to an end of the wave,
// whatever registers and memory hold. A call, a jump by a register and what cannot be decoded count as
// one, as does a host without memory to look.
bool way_out(const CodeObject *object, const Instruction *from);

// The same to an atomic on global memory.
bool way_to_update(const CodeObject *object, const Instruction *from);

#endif
