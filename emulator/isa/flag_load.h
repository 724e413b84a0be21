// Which loads wait for a flag, or begin a loop of compare-and-swap, for EMULATOR_SANITIZE=1. Atomic loads and stores (__hip_atomic_load) are
// plain ones in machine code. But a loop that comes to its end by what such a load gives, and changes nothing
// itself, would be an endless one if the load were plain: the compiler would load once, before it.
// A sum by compare-and-swap, as atomicMax() of floats is one, first loads what may be there: what others do to it
// meanwhile only makes the first try fail.
//
// In: a load that meets what another wave has done. Out: whether it must be an atomic one, or has a fence behind it.
#ifndef EMULATOR_FLAG_LOAD_H
#define EMULATOR_FLAG_LOAD_H

#include "wavefront.h"

typedef enum { LOAD_GOES_ON, LOAD_WAITS, LOAD_GUESSES } LoadRole;

// What a load is, or an atomic that brings the old value back. It waits if it stands in a loop that waits for a flag, or
// before it. address: what was in its first register of addresses; w: the wave, NULL if nobody knows both. Found out once.
LoadRole flag_load_role(const Wavefront *w, Program *program, const Instruction *load,
                        uint32_t address);

// Whether the load, or such an atomic, stands itself in a loop that waits for it.
bool flag_load_in_loop(Program *program, const Instruction *load);

bool compares_and_swaps(const Instruction *in);

// True of a compare-and-swap in a loop that goes on with what it brought, which goes nowhere else: an atomic sum, say, of
// floats. A lock is taken with the same values each time.
bool flag_load_sums(Program *program, const Instruction *swap);

// True of a load that begins such a sum: what it brings is what is compared first, before anything else of memory is accessed.
bool flag_load_begins_sum(Program *program, const Instruction *load);

#endif
