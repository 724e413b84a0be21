// Operands of vector instructions as rows of 64 lanes, and the way back to registers under EXEC.
//
// In: an Operand. Out: a pointer to 64 low words, followed by 64 high words where the type has 64
// bits; the table's expressions read and write single lanes of such rows through get_TYPE and
// put_TYPE, in loops that the compiler vectorises.
#ifndef EMULATOR_LANES_H
#define EMULATOR_LANES_H

#include "wavefront.h"

#include <math.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef int16_t i16;
typedef _Float16 f16;
typedef uint32_t u32;
typedef int32_t i32;
typedef float f32;
typedef uint64_t u64;
typedef int64_t i64;
typedef double f64;

enum { ROW_REGISTERS = 4 }; // the widest vector memory access

typedef struct {
  u32 word[ROW_REGISTERS * LANES]
      __attribute__((aligned(64))); // 64 lanes of the first register, then of the next
} Row;

#define FOR_LANES for (int lane = 0; lane < LANES; lane++)

// The lanes of a mask, from the lowest on: what few of them do takes no time for the others.
#define FOR_LANES_OF(mask)                                                                         \
  for (u64 left = (mask); left; left &= left - 1)                                                  \
    for (int lane = __builtin_ctzll(left), once = 1; once; once = 0)

// Whether so few that one after the other takes less than all 64 side by side. Never a step of the
// address unit, 16 lanes.
static inline bool few_lanes(u64 mask) { return __builtin_popcountll(mask) < 12; }

static inline f32 f32_of(u32 bits) {
  f32 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline u32 bits_of_f32(f32 value) {
  u32 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline f64 f64_of(u64 bits) {
  f64 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline u64 bits_of_f64(f64 value) {
  u64 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline f16 f16_of(u16 bits) {
  f16 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline u16 bits_of_f16(f16 value) {
  u16 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline u32 get_u32(const u32 *row, int lane) { return row[lane]; }
static inline i32 get_i32(const u32 *row, int lane) { return (i32)row[lane]; }
static inline f32 get_f32(const u32 *row, int lane) { return f32_of(row[lane]); }
static inline u16 get_u16(const u32 *row, int lane) { return (u16)row[lane]; }
static inline i16 get_i16(const u32 *row, int lane) { return (i16)row[lane]; }
static inline f16 get_f16(const u32 *row, int lane) { return f16_of((u16)row[lane]); }
static inline u64 get_u64(const u32 *row, int lane) {
  return row[lane] | (u64)row[lane + LANES] << 32;
}
static inline i64 get_i64(const u32 *row, int lane) { return (i64)get_u64(row, lane); }
static inline f64 get_f64(const u32 *row, int lane) { return f64_of(get_u64(row, lane)); }

static inline void put_u32(Row *row, int lane, u32 value) { row->word[lane] = value; }
static inline void put_i32(Row *row, int lane, i32 value) { row->word[lane] = (u32)value; }
static inline void put_f32(Row *row, int lane, f32 value) { row->word[lane] = bits_of_f32(value); }
static inline void put_u16(Row *row, int lane, u16 value) {
  row->word[lane] = value;
} // gfx9 clears the upper half
static inline void put_i16(Row *row, int lane, i16 value) { row->word[lane] = (u16)value; }
static inline void put_f16(Row *row, int lane, f16 value) { row->word[lane] = bits_of_f16(value); }
static inline void put_u64(Row *row, int lane, u64 value) {
  row->word[lane] = (u32)value;
  row->word[lane + LANES] = (u32)(value >> 32);
}
static inline void put_i64(Row *row, int lane, i64 value) { put_u64(row, lane, (u64)value); }
static inline void put_f64(Row *row, int lane, f64 value) {
  put_u64(row, lane, bits_of_f64(value));
}

// 32-bit registers that hold a value of the type.
static inline int type_registers(Type type) { return type >= TYPE_u64 ? 2 : 1; }

// Slow path of source: broadcasts scalars; applies SDWA selection, DPP, abs, neg, sext. Returns
// scratch->word.
const u32 *source_prepared(Wavefront *w, const Instruction *in, const Operand *operand, Type type,
                           Row *scratch);

// The 64 lanes of a source operand.
static inline const u32 *source(Wavefront *w, const Instruction *in, const Operand *operand,
                                Type type, Row *scratch) {
  if (__builtin_expect(operand->kind == OPERAND_VGPR, 1))
    return w->vgpr[operand->index];
  return source_prepared(w, in, operand, type, scratch);
}

// Makes exec_lanes stand for EXEC.
void expand_exec_anew(Wavefront *w);

// All ones for each lane whose bit is set, zeros for the others.
void expand_lanes(u64 lanes, u32 *row);

static inline void expand_exec(Wavefront *w) {
  if (w->expanded_exec != w->exec)
    expand_exec_anew(w);
}

// Slow path of commit: clamp, omod, SDWA destination, DPP row and bank masks.
void commit_modified(Wavefront *w, const Instruction *in, Type type, Row *result);

// Writes 1 to ROW_REGISTERS registers of result to consecutive VGPRs under EXEC.
void commit_registers(Wavefront *w, const Operand *destination, int registers, const Row *result);

// Writes a result of the type to the instruction's destination.
static inline void commit(Wavefront *w, const Instruction *in, Type type, Row *result) {
  if (__builtin_expect(!in->plain, 0)) {
    commit_modified(w, in, type, result);
    return;
  }
  if (__builtin_expect(w->exec == ~0ull, 1))
    memcpy(w->vgpr[in->d.index], result->word, (size_t)type_registers(type) * sizeof w->vgpr[0]);
  else
    commit_registers(w, &in->d, type_registers(type), result);
}

// 64 truth values, one byte each, from and to a lane mask.
static inline u64 mask_of_bytes(const uint8_t *truth) {
  u64 mask = 0;
  for (int i = 0; i < 8; i++) {
    u64 eight;
    memcpy(&eight, truth + 8 * i, 8);
    mask |= (eight * 0x0102040810204080ull >> 56)
            << (8 * i); // gathers the low bits of 8 bytes into one byte
  }
  return mask;
}
static inline void bytes_of_mask(u64 mask, uint8_t *truth) {
  for (int i = 0; i < 8; i++) {
    u64 spread = ((mask >> (8 * i) & 0xff) * 0x0101010101010101ull) & 0x8040201008040201ull;
    spread = (spread + 0x00406070787c7e7full) >> 7 &
             0x0101010101010101ull; // byte k of spread holds bit k
    memcpy(truth + 8 * i, &spread, 8);
  }
}

// Scalar operands: of SALU, SMEM and lane masks.
u32 scalar_special(const Wavefront *w, uint16_t which);
static inline u32 scalar_u32(const Wavefront *w, const Operand *operand) {
  if (operand->kind == OPERAND_SGPR)
    return w->sgpr[operand->index];
  if (operand->kind == OPERAND_CONSTANT)
    return (u32)operand->value;
  return scalar_special(w, operand->index);
}
u64 scalar_special_u64(const Wavefront *w, uint16_t which);
static inline u64 scalar_u64(const Wavefront *w, const Operand *operand) {
  if (operand->kind == OPERAND_SGPR)
    return w->sgpr[operand->index] | (u64)w->sgpr[operand->index + 1] << 32;
  if (operand->kind == OPERAND_CONSTANT)
    return operand->value;
  return scalar_special_u64(w, operand->index);
}
static inline i32 scalar_i32(const Wavefront *w, const Operand *operand) {
  return (i32)scalar_u32(w, operand);
}
static inline i64 scalar_i64(const Wavefront *w, const Operand *operand) {
  return (i64)scalar_u64(w, operand);
}
static inline void set_scalar_u32(Wavefront *w, const Operand *operand, u32 value) {
  w->sgpr[operand->index] = value;
}
static inline void set_scalar_u64(Wavefront *w, const Operand *operand, u64 value) {
  memcpy(&w->sgpr[operand->index], &value, sizeof value); // which the host loads back at once
}
static inline void set_scalar_i32(Wavefront *w, const Operand *operand, i32 value) {
  set_scalar_u32(w, operand, (u32)value);
}
static inline void set_scalar_i64(Wavefront *w, const Operand *operand, i64 value) {
  set_scalar_u64(w, operand, (u64)value);
}

#endif
