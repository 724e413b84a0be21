// Which stores write back what the same wave has loaded from there and changed, for EMULATOR_SANITIZE=1: `c++`. Lanes that meet
// at one place then all found the same value, and all but one of their changes are lost.
//
// In: each load that is executed. Out: marks on the stores behind it.
#ifndef EMULATOR_LOST_UPDATE_H
#define EMULATOR_LOST_UPDATE_H

#include "wavefront.h"

// Looks once, in the code behind the load, before the wave executes it.
void lost_update_look(const Wavefront *w, const Instruction *load);

// Whether the store that a lane executes is such a one.
bool lost_update_by(const Wavefront *w, const Instruction *store, int lane);

#endif
