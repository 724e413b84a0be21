// Accesses to LDS that need not be looked at yet, for EMULATOR_SANITIZE=1. Between two barriers the waves of
// most kernels touch each a part of LDS of its own, or only read. As long as that is so nothing can race, and
// it is enough to remember who touched what from where to where. lds_race.c looks at all of it, in its order, when
// that is not so any more.
//
// In: accesses of dwords by lanes that lie at one distance. Out: whether one may wait; those that wait.
#ifndef EMULATOR_LDS_LOG_H
#define EMULATOR_LDS_LOG_H

#include "shadow.h"

// Adds the accesses of an instruction under way. False, and nothing is done, where one is otherwise, or
// meets what another wave has changed, or would change.
bool lds_log_add(Wavefront *w, const Instruction *in);

#endif
