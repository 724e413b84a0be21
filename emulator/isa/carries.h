// Instructions that carry on what is undefined: a register of their result is so where one of a few others is, and they do nothing else
// with those. Compilers leave one half of packed products, or what stands above a 32-bit index, without a value, and nobody uses what
// comes of it. With EMULATOR_SANITIZE=1 neither needs trials, nor ends a block of machine code.
//
// In: an instruction. Out: what it carries, from where to where, and which operands have no part in that.
#ifndef EMULATOR_CARRIES_H
#define EMULATOR_CARRIES_H

#include "instruction.h"

enum { MOST_CARRIES = 2, MOST_SOURCES = 3, MOST_NEEDS = 3 };
typedef struct {
  uint16_t to, from[MOST_SOURCES]; // VGPRs
  uint8_t sources;
  bool copies;             // else it computes
  const Operand *lane_bit; // a carry out of 64 bits, in SGPRs, goes the same way; NULL: none
} Carry;

// How many there are; 0: of such an instruction all operands count.
int carries_of(const Instruction *in, Carry carry[MOST_CARRIES]);

// Of one that carries something, the operands that must be defined all the same. Returns how many.
int carries_need(const Instruction *in, Operand need[MOST_NEEDS]);

#endif
