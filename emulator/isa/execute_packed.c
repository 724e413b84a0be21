// Packed arithmetic, mixed-precision multiply-adds and dot products. Rows in
// instructions_packed.def.
#include "instruction_table.h"
#include "vector_math.h"

static u16 saturate_u16(i64 value) {
  return value > UINT16_MAX ? UINT16_MAX : value < 0 ? 0 : (u16)value;
}

// ---- operands ----

static const u32 *packed_source(Wavefront *w, const Instruction *in, const Operand *operand,
                                Type part, Row *scratch) {
  Type whole = part == TYPE_f32 ? TYPE_u64 : TYPE_u32;
  if (operand->kind != OPERAND_CONSTANT)
    return source(w, in, operand, whole, scratch);
  Operand constant = {.kind = OPERAND_CONSTANT, .value = packed_constant(operand->value, part)};
  return source(w, in, &constant, whole, scratch);
}

// The low (half 0) or high (half 1) result's part of operand i, in the low bits of each lane. Only
// floats have signs to flip.
static const u32 *part_of(const Instruction *in, int i, int half, const u32 *operand, Type part,
                          Row *scratch) {
  bool high = (half ? in->op_sel_hi : in->op_sel) >> i & 1;
  bool negative = (half ? in->neg_hi : in->neg_lo) >> i & 1;
  if (part == TYPE_f32) {
    const u32 *from = high ? operand + LANES : operand;
    if (!negative)
      return from;
    FOR_LANES scratch->word[lane] = from[lane] ^ 0x80000000u;
    return scratch->word;
  }
  u32 shift = high ? 16 : 0, sign = negative && part == TYPE_f16 ? 0x8000 : 0;
  if (!shift && !sign)
    return operand;
  FOR_LANES scratch->word[lane] = operand[lane] >> shift ^ sign;
  return scratch->word;
}

// clamp of a float: to [0, 1], NaN to 0 as DX10_CLAMP is set.
static f32 clamp_unit(f32 value) { return value > 0.0f ? fminf(value, 1.0f) : 0.0f; }

static void clamp_part(Type part, Row *row) {
  if (part == TYPE_f32)
    FOR_LANES put_f32(row, lane, clamp_unit(get_f32(row->word, lane)));
  if (part == TYPE_f16)
    FOR_LANES put_f16(row, lane, (f16)clamp_unit((f32)get_f16(row->word, lane)));
}

// ---- packed arithmetic ----

// One result of each lane from one part of each operand.
typedef void Part(const u32 *a, const u32 *b, const u32 *c, Row *result);

static void packed(Wavefront *w, const Instruction *in, Type part, int sources,
                   const Operand *third, Part *function) {
  const Operand *operand[] = {&in->a, &in->b, third};
  Row whole[3], piece[3], half[2], result;
  const u32 *row[3], *at[3] = {0};
  for (int i = 0; i < sources; i++)
    row[i] = packed_source(w, in, operand[i], part, &whole[i]);
  for (int h = 0; h < 2; h++) {
    for (int i = 0; i < sources; i++)
      at[i] = part_of(in, i, h, row[i], part, &piece[i]);
    function(at[0], at[1], at[2], &half[h]);
    if (in->clamp)
      clamp_part(part, &half[h]);
  }
  if (part == TYPE_f32) {
    memcpy(result.word, half[0].word, sizeof w->vgpr[0]);
    memcpy(result.word + LANES, half[1].word, sizeof w->vgpr[0]);
  } else {
    FOR_LANES result.word[lane] = half[0].word[lane] | half[1].word[lane] << 16;
  }
  commit(w, in, part == TYPE_f32 ? TYPE_u64 : TYPE_u32, &result);
}

// The low result is a part of a, the high one a part of b, both picked by op_sel.
static void do_v_pk_mov_b32(Wavefront *w, const Instruction *in) {
  Row ra, rb, result;
  const u32 *a = packed_source(w, in, &in->a, TYPE_f32, &ra),
            *b = packed_source(w, in, &in->b, TYPE_f32, &rb);
  memcpy(result.word, in->op_sel & 1 ? a + LANES : a, sizeof w->vgpr[0]);
  memcpy(result.word + LANES, in->op_sel & 2 ? b + LANES : b, sizeof w->vgpr[0]);
  commit(w, in, TYPE_u64, &result);
}

// ---- mixed precision ----

typedef enum { MIX_F32, MIX_LOW_F16, MIX_HIGH_F16 } Mix;

// Operand i as f32: op_sel_hi says that it is f16, op_sel which half; then |x|, then -x.
static void mix_operand(Wavefront *w, const Instruction *in, const Operand *operand, int i,
                        f32 *value) {
  Row scratch;
  bool is_f16 = in->op_sel_hi >> i & 1;
  u32 shift = in->op_sel >> i & 1 ? 16 : 0;
  const u32 *row = is_f16 ? packed_source(w, in, operand, TYPE_f16, &scratch)
                          : source(w, in, operand, TYPE_u32, &scratch);
  FOR_LANES value[lane] = is_f16 ? (f32)f16_of((u16)(row[lane] >> shift)) : f32_of(row[lane]);
  if (operand->modifiers & MODIFIER_ABS)
    FOR_LANES value[lane] = fabsf(value[lane]);
  if (operand->modifiers & MODIFIER_NEG)
    FOR_LANES value[lane] = -value[lane];
}

static void mix(Wavefront *w, const Instruction *in, Mix kind) {
  f32 a[LANES], b[LANES], c[LANES];
  mix_operand(w, in, &in->a, 0, a);
  mix_operand(w, in, &in->b, 1, b);
  mix_operand(w, in, &in->c, 2, c);
  Row result;
  const u32 *old = w->vgpr[in->d.index];
  FOR_LANES {
    f32 value = __builtin_fmaf(a[lane], b[lane], c[lane]);
    value = in->clamp ? clamp_unit(value) : value;
    u32 bits = kind == MIX_F32 ? bits_of_f32(value) : bits_of_f16((f16)value);
    result.word[lane] = kind == MIX_F32       ? bits
                        : kind == MIX_LOW_F16 ? (old[lane] & 0xffff0000) | bits
                                              : (old[lane] & 0xffff) | bits << 16;
  }
  commit(w, in, TYPE_u32, &result);
}

// ---- dot products ----

// Element `index` of a register of elements of `bits` bits; halves are picked by op_sel and
// op_sel_hi.
static inline u32 shift_of(const Instruction *in, int i, int index, int bits) {
  if (bits == 16)
    return ((index ? in->op_sel_hi : in->op_sel) >> i & 1) ? 16 : 0;
  return (u32)(index * bits);
}
static inline i64 element_i64(u32 word, u32 shift, int bits) {
  return (i32)(word >> shift << (32 - bits)) >> (32 - bits);
}
static inline u64 element_u64(u32 word, u32 shift, int bits) {
  return word >> shift & ((1u << bits) - 1);
}
static inline i64 third_i64(u32 word) { return (i32)word; }
static inline u64 third_u64(u32 word) { return word; }
static inline i64 saturate_i64(i64 sum) { return saturate_i32(sum); }
static inline u64 saturate_u64(u64 sum) { return sum > UINT32_MAX ? UINT32_MAX : sum; }

// MI200 turns subnormal f16 operands and subnormal sums of a dot product into 0 (PyTorch,
// "Numerical accuracy", MI200).
static f32 dot_operand(f16 value) { return fabsf((f32)value) < 0x1p-14f ? 0.0f : (f32)value; }
static f32 dot_sum(f32 value) { return fabsf(value) < 0x1p-126f ? copysignf(0.0f, value) : value; }

// Products of f16 are exact in f32; each sum rounds (CDNA3 ISA guide: first the low product, then
// the high one).
static void dot_f16(Wavefront *w, const Instruction *in, const Operand *third) {
  Row ra, rb, rc, part[4], result;
  const u32 *a = packed_source(w, in, &in->a, TYPE_f16, &ra);
  const u32 *b = packed_source(w, in, &in->b, TYPE_f16, &rb);
  const u32 *c = source(w, in, third, TYPE_f32, &rc);
  const u32 *a0 = part_of(in, 0, 0, a, TYPE_f16, &part[0]);
  const u32 *a1 = part_of(in, 0, 1, a, TYPE_f16, &part[1]);
  const u32 *b0 = part_of(in, 1, 0, b, TYPE_f16, &part[2]);
  const u32 *b1 = part_of(in, 1, 1, b, TYPE_f16, &part[3]);
  FOR_LANES {
    f32 sum = dot_sum(get_f32(c, lane));
    sum = dot_sum(sum + dot_operand(get_f16(a0, lane)) * dot_operand(get_f16(b0, lane)));
    sum = dot_sum(sum + dot_operand(get_f16(a1, lane)) * dot_operand(get_f16(b1, lane)));
    put_f32(&result, lane, in->clamp ? clamp_unit(sum) : sum);
  }
  commit(w, in, TYPE_u32, &result);
}

// Handlers from the table.
#define PART(FUNCTION, T, SOURCES, THIRD, RESULT)                                                  \
  static void FUNCTION##_part(const u32 *pa, const u32 *pb, const u32 *pc, Row *result) {          \
    FOR_LANES {                                                                                    \
      T a = get_##T(pa, lane), b = get_##T(pb, lane), c = SOURCES == 3 ? get_##T(pc, lane) : 0;    \
      (void)c;                                                                                     \
      put_##T(result, lane, RESULT);                                                               \
    }                                                                                              \
  }                                                                                                \
  static void FUNCTION(Wavefront *w, const Instruction *in) {                                      \
    packed(w, in, TYPE_##T, SOURCES, &in->THIRD, FUNCTION##_part);                                 \
  }
#define PACKED2(NAME, T, COUNTER, TIME, RESULT) PART(do_##NAME, T, 2, c, RESULT)
#define PACKED3(NAME, T, COUNTER, TIME, RESULT) PART(do_##NAME, T, 3, c, RESULT)
#define PACKED2ACC(NAME, T, COUNTER, TIME, RESULT) PART(do_##NAME, T, 3, d, RESULT)
#define PACKED2CLAMP(NAME, T, COUNTER, TIME, RESULT) PART(do_##NAME##_clamp, T, 2, c, RESULT)
#define PACKED3CLAMP(NAME, T, COUNTER, TIME, RESULT) PART(do_##NAME##_clamp, T, 3, c, RESULT)
#define MIX(NAME, KIND)                                                                            \
  static void do_##NAME(Wavefront *w, const Instruction *in) { mix(w, in, KIND); }
#define DOT_F16(NAME, THIRD)                                                                       \
  static void do_##NAME(Wavefront *w, const Instruction *in) { dot_f16(w, in, &in->THIRD); }
#define DOT(NAME, THIRD, BITS, T)                                                                  \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rb, rc, result;                                                                        \
    const u32 *a = source(w, in, &in->a, TYPE_u32, &ra),                                           \
              *b = source(w, in, &in->b, TYPE_u32, &rb);                                           \
    const u32 *c = source(w, in, &in->THIRD, TYPE_u32, &rc);                                       \
    FOR_LANES {                                                                                    \
      T sum = third_##T(c[lane]);                                                                  \
      for (int i = 0; i < 32 / BITS; i++)                                                          \
        sum += element_##T(a[lane], shift_of(in, 0, i, BITS), BITS) *                              \
               element_##T(b[lane], shift_of(in, 1, i, BITS), BITS);                               \
      result.word[lane] = (u32)(in->clamp ? saturate_##T(sum) : sum);                              \
    }                                                                                              \
    commit(w, in, TYPE_u32, &result);                                                              \
  }
#define CALL(NAME, OPERANDS)
#include "instructions_packed.def"
#undef PACKED2
#undef PACKED3
#undef PACKED2ACC
#undef PACKED2CLAMP
#undef PACKED3CLAMP
#undef MIX
#undef DOT_F16
#undef DOT
#undef CALL

#define SQ_INSTS_VALU_OTHER SQ_INSTS
#define ROW(MNEMONIC, FUNCTION, OPERANDS, DAB, C, PARTS, COUNTER, TIME)                            \
  {MNEMONIC,                                                                                       \
   FUNCTION,                                                                                       \
   OPERANDS,                                                                                       \
   DAB,                                                                                            \
   DAB,                                                                                            \
   DAB,                                                                                            \
   C,                                                                                              \
   UNIT_VALU,                                                                                      \
   TIME,                                                                                           \
   PARTS,                                                                                          \
   MEMORY_NONE,                                                                                    \
   false,                                                                                          \
   SQ_INSTS_VALU_##COUNTER},
#define WHOLE(T) (TYPE_##T == TYPE_f32 ? TYPE_u64 : TYPE_u32)
#define PACKED2(NAME, T, COUNTER, TIME, RESULT)                                                    \
  ROW(#NAME, do_##NAME, "dab", WHOLE(T), TYPE_NONE, PARTS_PACKED, COUNTER, TIME)
#define PACKED3(NAME, T, COUNTER, TIME, RESULT)                                                    \
  ROW(#NAME, do_##NAME, "dabc", WHOLE(T), WHOLE(T), PARTS_PACKED, COUNTER, TIME)
#define PACKED2ACC(NAME, T, COUNTER, TIME, RESULT)                                                 \
  ROW(#NAME, do_##NAME, "dab", WHOLE(T), WHOLE(T), PARTS_FIXED, COUNTER, TIME)
#define PACKED2CLAMP(NAME, T, COUNTER, TIME, RESULT)                                               \
  ROW(#NAME " clamp", do_##NAME##_clamp, "dab", WHOLE(T), TYPE_NONE, PARTS_PACKED, COUNTER, TIME)
#define PACKED3CLAMP(NAME, T, COUNTER, TIME, RESULT)                                               \
  ROW(#NAME " clamp", do_##NAME##_clamp, "dabc", WHOLE(T), WHOLE(T), PARTS_PACKED, COUNTER, TIME)
#define MIX(NAME, KIND)                                                                            \
  ROW(#NAME, do_##NAME, "dabc", TYPE_u32, TYPE_u32, PARTS_MIXED, FMA_F32, FULL_RATE)
// Dot products with a third operand are VOP3P, those that accumulate in the destination VOP2.
#define OPERANDS_c "dabc"
#define OPERANDS_d "dab"
#define PARTS_c PARTS_PACKED
#define PARTS_d PARTS_FIXED
#define DOT_ROW(NAME, THIRD, C)                                                                    \
  ROW(#NAME, do_##NAME, OPERANDS_##THIRD, TYPE_u32, C, PARTS_##THIRD, OTHER, FULL_RATE)
#define DOT_F16(NAME, THIRD) DOT_ROW(NAME, THIRD, TYPE_f32)
#define DOT(NAME, THIRD, BITS, T) DOT_ROW(NAME, THIRD, TYPE_u32)
#define CALL(NAME, OPERANDS)                                                                       \
  ROW(#NAME, do_##NAME, OPERANDS, TYPE_u64, TYPE_NONE, PARTS_PACKED, OTHER, FULL_RATE)
const InstructionInfo packed_instructions[] = {
#include "instructions_packed.def"
};
const size_t packed_instruction_count = sizeof packed_instructions / sizeof *packed_instructions;
