// Vector ALU: arithmetic, moves and conversions of 64 lanes. Rows in instructions_vector.def.
#include "float_mode.h"
#include "instruction_table.h"
#include "vector_math.h"

static void do_v_nop(Wavefront *w, const Instruction *in) { (void)w, (void)in; }
static void do_v_clrexcp(Wavefront *w, const Instruction *in) { (void)w, (void)in; }

static void do_v_swap_b32(Wavefront *w, const Instruction *in) {
  Row d, a;
  memcpy(d.word, w->vgpr[in->d.index], sizeof w->vgpr[0]);
  memcpy(a.word, w->vgpr[in->a.index], sizeof w->vgpr[0]);
  commit_registers(w, &in->d, 1, &a);
  commit_registers(w, &in->a, 1, &d);
}

// Lane masks as source and destination: lanes outside EXEC read as given and are written as 0.
static void carry_in(Wavefront *w, const Operand *operand, uint8_t *truth) {
  bytes_of_mask(scalar_u64(w, operand), truth);
}
static void carry_out(Wavefront *w, const Instruction *in, const uint8_t *truth) {
  set_scalar_u64(w, &in->m, mask_of_bytes(truth) & w->exec);
}

// A quotient that must be scaled back is rare.
#define DIVIDE(T)                                                                                  \
  static void do_v_div_fmas_##T(Wavefront *w, const Instruction *in) {                             \
    Row ra, rb, rc, result;                                                                        \
    const u32 *pa = source(w, in, &in->a, TYPE_##T, &ra),                                          \
              *pb = source(w, in, &in->b, TYPE_##T, &rb);                                          \
    const u32 *pc = source(w, in, &in->c, TYPE_##T, &rc);                                          \
    if (!(w->vcc & w->exec))                                                                       \
      FOR_LANES put_##T(                                                                           \
          &result, lane,                                                                           \
          div_fmas_##T(get_##T(pa, lane), get_##T(pb, lane), get_##T(pc, lane), false));           \
    else                                                                                           \
      FOR_LANES put_##T(&result, lane,                                                             \
                        div_fmas_##T(get_##T(pa, lane), get_##T(pb, lane), get_##T(pc, lane),      \
                                     w->vcc >> lane & 1));                                         \
    commit(w, in, TYPE_##T, &result);                                                              \
  }
DIVIDE(f32)
DIVIDE(f64)

// In a mode that limits, what is too large becomes the largest number, the same bits in both formats; else the only NaN.
static u32 limited_f8(const Wavefront *w, f32 value, u32 byte) {
  enum { NAN_F8 = 0x80, LARGEST = 0x7f };
  return w->mode & FLOAT_MODE_LIMITS && byte == NAN_F8 && value == value
             ? LARGEST | bits_of_f32(value) >> 31 << 7
             : byte;
}

// Two 8-bit values into one half of the destination, which op_sel chooses; the other stays.
static void convert_pair_f8(Wavefront *w, const Instruction *in, int fraction_bits) {
  Row ra, rb, result;
  const u32 *pa = source(w, in, &in->a, TYPE_f32, &ra), *pb = source(w, in, &in->b, TYPE_f32, &rb);
  const int shift = in->op_sel & 4 ? 16 : 0;
  FOR_LANES {
    const f32 a = get_f32(pa, lane), b = get_f32(pb, lane);
    const u32 pair =
        limited_f8(w, a, f8_of(a, fraction_bits)) | limited_f8(w, b, f8_of(b, fraction_bits)) << 8;
    result.word[lane] = (w->vgpr[in->d.index][lane] & ~(0xffffu << shift)) | pair << shift;
  }
  commit_registers(w, &in->d, 1, &result);
}
static void do_v_cvt_pk_fp8_f32(Wavefront *w, const Instruction *in) { convert_pair_f8(w, in, 3); }
static void do_v_cvt_pk_bf8_f32(Wavefront *w, const Instruction *in) { convert_pair_f8(w, in, 2); }

// One into the byte of the destination that the last two bits of op_sel choose.
static void convert_f8_randomly(Wavefront *w, const Instruction *in, int fraction_bits) {
  Row ra, rb, result;
  const u32 *pa = source(w, in, &in->a, TYPE_f32, &ra), *pb = source(w, in, &in->b, TYPE_u32, &rb);
  const int shift = 8 * (in->op_sel >> 2 & 3);
  FOR_LANES {
    const f32 a = get_f32(pa, lane);
    const u32 byte = limited_f8(w, a, f8_of_randomly(a, pb[lane], fraction_bits));
    result.word[lane] = (w->vgpr[in->d.index][lane] & ~(0xffu << shift)) | byte << shift;
  }
  commit_registers(w, &in->d, 1, &result);
}
static void do_v_cvt_sr_fp8_f32(Wavefront *w, const Instruction *in) {
  convert_f8_randomly(w, in, 3);
}
static void do_v_cvt_sr_bf8_f32(Wavefront *w, const Instruction *in) {
  convert_f8_randomly(w, in, 2);
}

// As v_mqsad_pk_u16_u8, but the four sums and what they are added to have a register each.
static void do_v_mqsad_u32_u8(Wavefront *w, const Instruction *in) {
  Row ra, rb, result;
  const u32 *pa = source(w, in, &in->a, TYPE_u64, &ra), *pb = source(w, in, &in->b, TYPE_u32, &rb);
  for (int i = 0; i < 4; i++) {
    const u32 *sums = w->vgpr[in->c.index + i];
    FOR_LANES result.word[lane + i * LANES] =
        masked_sum_of_differences_u8((u32)(get_u64(pa, lane) >> (8 * i)), pb[lane]) + sums[lane];
  }
  commit_registers(w, &in->d, 4, &result);
}

// Handlers from the table.
#define V1(NAME, D, A, COUNTER, TIME, RESULT)                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, result;                                                                                \
    const u32 *pa = source(w, in, &in->a, TYPE_##A, &ra);                                          \
    FOR_LANES {                                                                                    \
      A a = get_##A(pa, lane);                                                                     \
      put_##D(&result, lane, RESULT);                                                              \
    }                                                                                              \
    commit(w, in, TYPE_##D, &result);                                                              \
  }
#define BINARY(FUNCTION, D, A, B, RESULT)                                                          \
  static void FUNCTION(Wavefront *w, const Instruction *in) {                                      \
    Row ra, rb, result;                                                                            \
    const u32 *pa = source(w, in, &in->a, TYPE_##A, &ra),                                          \
              *pb = source(w, in, &in->b, TYPE_##B, &rb);                                          \
    FOR_LANES {                                                                                    \
      A a = get_##A(pa, lane);                                                                     \
      B b = get_##B(pb, lane);                                                                     \
      put_##D(&result, lane, RESULT);                                                              \
    }                                                                                              \
    commit(w, in, TYPE_##D, &result);                                                              \
  }
#define V2(NAME, D, A, B, COUNTER, TIME, RESULT) BINARY(do_##NAME, D, A, B, RESULT)
#define V2CLAMP(NAME, D, A, B, COUNTER, TIME, RESULT) BINARY(do_##NAME##_clamp, D, A, B, RESULT)
#define TERNARY(NAME, D, A, B, C, THIRD, RESULT)                                                   \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rb, rc, result;                                                                        \
    const u32 *pa = source(w, in, &in->a, TYPE_##A, &ra),                                          \
              *pb = source(w, in, &in->b, TYPE_##B, &rb);                                          \
    const u32 *pc = source(w, in, THIRD, TYPE_##C, &rc);                                           \
    FOR_LANES {                                                                                    \
      A a = get_##A(pa, lane);                                                                     \
      B b = get_##B(pb, lane);                                                                     \
      C c = get_##C(pc, lane);                                                                     \
      put_##D(&result, lane, RESULT);                                                              \
    }                                                                                              \
    commit(w, in, TYPE_##D, &result);                                                              \
  }
#define V3(NAME, D, A, B, C, COUNTER, TIME, RESULT) TERNARY(NAME, D, A, B, C, &in->c, RESULT)
#define V2ACC(NAME, D, A, B, COUNTER, TIME, RESULT) TERNARY(NAME, D, A, B, D, &in->d, RESULT)
#define WITH_CARRY(NAME, BEFORE, RESULT, CARRY)                                                    \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rb, result;                                                                            \
    const u32 *pa = source(w, in, &in->a, TYPE_u32, &ra),                                          \
              *pb = source(w, in, &in->b, TYPE_u32, &rb);                                          \
    uint8_t truth[LANES], before[LANES];                                                           \
    BEFORE;                                                                                        \
    FOR_LANES {                                                                                    \
      u32 a = pa[lane], b = pb[lane], c = before[lane];                                            \
      (void)c;                                                                                     \
      result.word[lane] = RESULT;                                                                  \
      truth[lane] = CARRY;                                                                         \
    }                                                                                              \
    carry_out(w, in, truth);                                                                       \
    commit(w, in, TYPE_u32, &result);                                                              \
  }
#define VCARRY(NAME, RESULT, CARRY)                                                                \
  WITH_CARRY(NAME, memset(before, 0, sizeof before), RESULT, CARRY)
#define VCARRY_IN(NAME, RESULT, CARRY) WITH_CARRY(NAME, carry_in(w, &in->e, before), RESULT, CARRY)
#define VSELECT(NAME, RESULT)                                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rb, result;                                                                            \
    const u32 *pa = source(w, in, &in->a, TYPE_f32, &ra),                                          \
              *pb = source(w, in, &in->b, TYPE_f32, &rb);                                          \
    uint8_t truth[LANES];                                                                          \
    carry_in(w, &in->e, truth);                                                                    \
    FOR_LANES {                                                                                    \
      u32 a = pa[lane], b = pb[lane], c = truth[lane];                                             \
      result.word[lane] = RESULT;                                                                  \
    }                                                                                              \
    commit(w, in, TYPE_u32, &result);                                                              \
  }
#define VCARRY_64(NAME, T32, T64, CARRY)                                                           \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rb, rc, result;                                                                        \
    const u32 *pa = source(w, in, &in->a, TYPE_##T32, &ra),                                        \
              *pb = source(w, in, &in->b, TYPE_##T32, &rb);                                        \
    const u32 *pc = source(w, in, &in->c, TYPE_##T64, &rc);                                        \
    uint8_t truth[LANES];                                                                          \
    FOR_LANES {                                                                                    \
      T64 product = (T64)get_##T32(pa, lane) * get_##T32(pb, lane), c = get_##T64(pc, lane);       \
      u64 sum = (u64)product + (u64)c;                                                             \
      truth[lane] = CARRY;                                                                         \
      put_u64(&result, lane, sum);                                                                 \
    }                                                                                              \
    carry_out(w, in, truth);                                                                       \
    commit(w, in, TYPE_##T64, &result);                                                            \
  }
#define VSCALE(NAME, T)                                                                            \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rb, rc, result;                                                                        \
    const u32 *pa = source(w, in, &in->a, TYPE_##T, &ra),                                          \
              *pb = source(w, in, &in->b, TYPE_##T, &rb);                                          \
    const u32 *pc = source(w, in, &in->c, TYPE_##T, &rc);                                          \
    uint8_t truth[LANES];                                                                          \
    FOR_LANES {                                                                                    \
      bool scaled;                                                                                 \
      T d = div_scale_##T(get_##T(pa, lane), get_##T(pb, lane), get_##T(pc, lane), &scaled);       \
      put_##T(&result, lane, d);                                                                   \
      truth[lane] = scaled;                                                                        \
    }                                                                                              \
    carry_out(w, in, truth);                                                                       \
    commit(w, in, TYPE_##T, &result);                                                              \
  }
#define VCALL(NAME, OPERANDS, D, A, B, C, COUNTER, TIME)
#include "instructions_vector.def"
#undef V1
#undef V2
#undef V2CLAMP
#undef V3
#undef V2ACC
#undef VCARRY
#undef VCARRY_IN
#undef VCARRY_64
#undef VSCALE
#undef VSELECT
#undef VCALL

#define SQ_INSTS_VALU_OTHER SQ_INSTS
#define ROW(MNEMONIC, FUNCTION, OPERANDS, D, A, B, C, COUNTER, TIME)                               \
  {MNEMONIC,                                                                                       \
   FUNCTION,                                                                                       \
   OPERANDS,                                                                                       \
   TYPE_##D,                                                                                       \
   TYPE_##A,                                                                                       \
   TYPE_##B,                                                                                       \
   TYPE_##C,                                                                                       \
   UNIT_VALU,                                                                                      \
   TIME,                                                                                           \
   PARTS_SELECTED,                                                                                 \
   MEMORY_NONE,                                                                                    \
   false,                                                                                          \
   SQ_INSTS_VALU_##COUNTER},
#define V1(NAME, D, A, COUNTER, TIME, RESULT)                                                      \
  ROW(#NAME, do_##NAME, "da", D, A, NONE, NONE, COUNTER, TIME)
#define V2(NAME, D, A, B, COUNTER, TIME, RESULT)                                                   \
  ROW(#NAME, do_##NAME, "dab", D, A, B, NONE, COUNTER, TIME)
#define V2CLAMP(NAME, D, A, B, COUNTER, TIME, RESULT)                                              \
  ROW(#NAME " clamp", do_##NAME##_clamp, "dab", D, A, B, NONE, COUNTER, TIME)
#define V2ACC(NAME, D, A, B, COUNTER, TIME, RESULT)                                                \
  ROW(#NAME, do_##NAME, "dab", D, A, B, D, COUNTER, TIME)
#define V3(NAME, D, A, B, C, COUNTER, TIME, RESULT)                                                \
  ROW(#NAME, do_##NAME, "dabc", D, A, B, C, COUNTER, TIME)
#define VCARRY(NAME, RESULT, CARRY)                                                                \
  ROW(#NAME, do_##NAME, "dmab", u32, u32, u32, NONE, INT32, FULL_RATE)
#define VCARRY_IN(NAME, RESULT, CARRY)                                                             \
  ROW(#NAME, do_##NAME, "dmabe", u32, u32, u32, NONE, INT32, FULL_RATE)
#define VSELECT(NAME, RESULT) ROW(#NAME, do_##NAME, "dabe", u32, f32, f32, NONE, OTHER, FULL_RATE)
#define VCARRY_64(NAME, T32, T64, CARRY)                                                           \
  ROW(#NAME, do_##NAME, "dmabc", T64, T32, T32, T64, INT64, 4)
#define VSCALE(NAME, T) ROW(#NAME, do_##NAME, "dmabc", T, T, T, T, OTHER, FULL_RATE)
#define VCALL(NAME, OPERANDS, D, A, B, C, COUNTER, TIME)                                           \
  ROW(#NAME, do_##NAME, OPERANDS, D, A, B, C, COUNTER, TIME)
const InstructionInfo vector_instructions[] = {
#include "instructions_vector.def"
};
const size_t vector_instruction_count = sizeof vector_instructions / sizeof *vector_instructions;
