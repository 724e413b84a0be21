// Affine values in a loop that stays in registers: what instructions make of them (affine.h has which).
//
// In: an instruction that affine_find follows. Out: code for its result, once for the wave; and conditions. Those on
// distances between lanes are looked at before the loop, those on the base in each round: lanes of
// whose numbers some wrap at 32 bits and some do not have no such value.
#ifndef EMULATOR_AFFINE_VALUE_H
#define EMULATOR_AFFINE_VALUE_H

#include "block_code.h"

// Before the loop: begins it with these registers as affine values, if lanes lie so.
void affine_value_enter(BlockCode *t);

// Writes instruction i of the loop.
void affine_value_follow(BlockCode *t, uint32_t i);

// Makes rows of the affine values that another instruction names.
void affine_value_spread(BlockCode *t, const Instruction *in);

// Leaves the round unless no lane's number wraps.
void affine_value_wraps_not(BlockCode *t, const AffineValue *value);

#endif
