// Which registers of a loop hold affine values: the address of a row of a matrix, say, where each lane is one element behind the
// lane before it. Such a value is one number for the whole wave, and what is computed of it is computed once.
//
// In: the instructions of a loop of one block. Out: where affine values are worth following. affine_value.h computes them.
#ifndef EMULATOR_AFFINE_H
#define EMULATOR_AFFINE_H

#include "instruction.h"

enum { LONGEST_LOOP = 160, ALL_ROWS = 512 };

// What an instruction makes of its operands, all of them affine.
typedef enum {
  AFFINE_NONE,
  AFFINE_MOVE,       // a
  AFFINE_ADD,        // a + b
  AFFINE_ADD_CARRY,  // a + b, and whether it is more than 32 bits have
  AFFINE_ADD_BOTH,   // the same with what was carried before
  AFFINE_ADD_THREE,  // a + b + c
  AFFINE_SHIFT,      // b << a
  AFFINE_SHIFT_ADD,  // (a << b) + c
  AFFINE_ADD_SHIFT,  // (a + b) << c
  AFFINE_SHIFT_PAIR, // b << a, 64 bits
  AFFINE_SIGN,       // b >> 31: all bits of the high half of b as 64 bits
} AffineOperation;
AffineOperation affine_operation(const Instruction *in);

typedef struct {
  const Instruction *in[LONGEST_LOOP];
  uint32_t count;
  bool follow[LONGEST_LOOP]; // whether the result is needed as an affine value, and can be one
  bool enters[ALL_ROWS];     // VGPRs that must be affine where each round begins
} AffineLoop;

// Of how many VGPRs, from operand a on, the address of a load is; 0: it is none.
typedef int AddressRegisters(const Instruction *in);

// The loop must have its instructions, and gets the rest.
void affine_find(AffineLoop *loop, AddressRegisters *address_registers);

#endif
