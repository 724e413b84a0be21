// What the rows of the scalar table use where C has no operator for it.
//
// In and out: plain C values. Meaning: CDNA2 ISA guide, entries of the instructions named.
#ifndef EMULATOR_SCALAR_MATH_H
#define EMULATOR_SCALAR_MATH_H

#include "lanes.h"

static inline u64 whole_quads(u64 mask) {
  u64 any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111111111111111ull;
  return any * 15;
}

static inline u64 quad_mask(u64 mask) {
  u64 quads = 0;
  for (int i = 0; i < 16; i++)
    quads |= (u64)((mask >> (4 * i) & 15) != 0) << i;
  return quads;
}

static inline u64 reverse_bits(u64 bits) {
  u64 reversed = 0;
  for (int i = 0; i < 64; i++)
    reversed |= (bits >> i & 1) << (63 - i);
  return reversed;
}

static inline u64 double_bits(u32 bits) {
  u64 doubled = 0;
  for (int i = 0; i < 32; i++)
    doubled |= (u64)(bits >> i & 1) * 3 << (2 * i);
  return doubled;
}

// Leading bits equal to the sign bit, -1 if all are.
static inline u32 sign_run(i64 value, int bits) {
  u64 different = (u64)(value < 0 ? ~value : value);
  return different ? (u32)(bits - (64 - __builtin_clzll(different))) : ~0u;
}

static inline u64 extract_unsigned(u64 value, u32 offset, u32 width, u32 bits) {
  u64 field = value >> offset;
  return width >= bits ? field : field & ((1ull << width) - 1);
}

static inline u64 extract_signed(u64 value, u32 offset, u32 width, u32 bits) {
  i64 whole = bits == 32 ? (i64)(i32)value : (i64)value;
  if (width == 0)
    return 0;
  i64 field = whole >> offset;
  return width >= bits - offset ? (u64)field
                                : (u64)((i64)((u64)field << (64 - width)) >> (64 - width));
}

#endif
