// Results that have not come back yet, for EMULATOR_SANITIZE=1: on the device a load's registers have
// their old contents until s_waitcnt says that it is done; here it is done at once. Compilers write these waits; hand-written
// assembly forgets them.
//
// As the hardware counts: vector memory instructions come back in their order, LDS among themselves
// too; scalar loads, and by generic addresses all, in any order, so that beside them only a wait for 0 tells anything (ISA guide,
// 4.4; LLVM's SIInsertWaitcnts, counterOutOfOrder).
#ifndef EMULATOR_PENDING_H
#define EMULATOR_PENDING_H

#include "block_registers.h"
#include "shadow.h"

// Whether a load still has to write this VGPR after these waits, which are yet to come.
bool pending_vector(const Shadow *shadow, int r, Waits after);

// They have come.
void pending_wait(Shadow *shadow, Waits waits);

// Before any instruction: faults if it reads or overwrites a register that a load still has to write.
void pending_check(Wavefront *w, const Instruction *in);

// After it: what it issued, or waited for.
void pending_note(Wavefront *w, const Instruction *in);

#endif
