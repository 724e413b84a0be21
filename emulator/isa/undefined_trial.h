// Which bits of a result depend on undefined bits of the operands, for EMULATOR_SANITIZE=1: the instruction runs several
// times, with those bits filled in different ways. Bits of the result that never change do not depend on them.
//
// In: an instruction of registers that reads something undefined. Out: its results, and their undefined bits; the launch
// ends if they are lanes that are on.
#ifndef EMULATOR_UNDEFINED_TRIAL_H
#define EMULATOR_UNDEFINED_TRIAL_H

#include "wavefront.h"

void undefined_try(Wavefront *w, const Instruction *in);

#endif
