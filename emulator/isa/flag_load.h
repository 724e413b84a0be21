// Which loads wait for a flag, or begin a loop of compare-and-swap, for EMULATOR_SANITIZE=1. Atomic loads and stores (__hip_atomic_load) are
// plain ones in machine code. But a loop that comes to its end by what such a load gives, and changes nothing
// itself, would be an endless one if the load were plain: the compiler would load once, before it.
// A sum by compare-and-swap, as atomicMax() of floats is one, first loads what may be there: what others do to it
// meanwhile only makes the first try fail.
//
// In: a load that meets what another wave has done. Out: whether it must be an atomic one, or has a fence behind it.
#ifndef EMULATOR_FLAG_LOAD_H
#define EMULATOR_FLAG_LOAD_H

#include "program.h"

typedef enum { LOAD_GOES_ON, LOAD_WAITS, LOAD_GUESSES } LoadRole;

// Of an atomic that brings the old value back, too.
LoadRole flag_load_role(Program *program, const Instruction *load);

// True of the load in a loop that waits for a flag, and of one of the same place before it.
bool flag_load(Program *program, const Instruction *load);

bool compares_and_swaps(const Instruction *in);

// True of a compare-and-swap in a loop that makes the new value of the old one, which goes nowhere else: an atomic sum, say, of
// floats. A lock is taken with the same value each time.
bool flag_load_sums(Program *program, const Instruction *swap);

#endif
