// Uninitialised values on their way through registers, for EMULATOR_SANITIZE=1.
//
// As valgrind's memcheck has it, to copy or to compute with an undefined value is no fault; to use it
// is. A use is: an address, the condition of a branch, a lane switched on or off, an atomic update of
// what nobody wrote, or a store to global memory of what arithmetic made of it (nothing behind that
// store would see it: the host cannot be watched). A value that is copied as it is stays undefined where it goes.
//
// Which bits of a result are undefined is found by trying: the instruction runs with the undefined
// bits of its operands as zeros, as ones and otherwise. Bits that never change do not depend on them. So
// there is no rule for each instruction, and what is masked, selected away or multiplied out is defined.
#ifndef EMULATOR_UNDEFINED_H
#define EMULATOR_UNDEFINED_H

#include "shadow.h"

// Executes an instruction that has to do with registers alone.
void undefined_compute(Wavefront *w, const Instruction *in);

// Before a memory instruction or a branch: faults if an address or a condition is undefined.
void undefined_check_use(Wavefront *w, const Instruction *in);

#endif
