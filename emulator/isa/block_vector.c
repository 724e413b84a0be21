// Vector instructions in the machine code of a block: see block_vector.h.
#include "block_vector.h"

#include "block.h"
#include "block_gather.h"
#include "lane_function.h"
#include "vector_math.h"

#include <stdio.h>
#include <string.h>

// ---- which are copied ----

static bool can_copy_operand(const Instruction *in, const Operand *operand) {
  switch ((OperandKind)operand->kind) {
  case OPERAND_VGPR_MODIFIED:
    return in->dpp_control == DPP_NONE;
  case OPERAND_SPECIAL:
    return false;
  default:
    return true;
  }
}

// Results that are limited or put into a part of a register; halves are left to the interpreter.
static bool modifies_words(const Instruction *in) {
  return in->dpp_control == DPP_NONE && (in->info->type_d != TYPE_f16 || !(in->clamp || in->omod));
}

static bool can_copy_vector(const Instruction *in) {
  return in->info->unit == UNIT_VALU && (in->plain || modifies_words(in)) &&
         in->d.kind != OPERAND_SGPR && can_copy_operand(in, &in->a) &&
         can_copy_operand(in, &in->b) && can_copy_operand(in, &in->c) &&
         (in->e.kind == OPERAND_NONE || in->e.kind == OPERAND_SGPR) && !names_exec(&in->m) &&
         lane_function(in->info);
}

// What a packed instruction makes of a part of each operand; NULL if it is none.
static LLVMValueRef part_function(const Instruction *in) {
  char name[64];
  snprintf(name, sizeof name, "%s_part", in->info->mnemonic);
  return lane_function_named(name);
}

static bool moves_parts(const Instruction *in) { return begins_with(in, "v_pk_mov_b32"); }

static bool can_copy_packed(const Instruction *in) {
  return begins_with(in, "v_pk_") && (moves_parts(in) || part_function(in)) && !in->clamp &&
         in->d.kind == OPERAND_VGPR && can_copy_operand(in, &in->a) &&
         can_copy_operand(in, &in->b) && can_copy_operand(in, &in->c);
}

// Multiply-adds of f32 and f16 operands.
static bool can_copy_mixed(const Instruction *in) {
  return in->info->parts == PARTS_MIXED && !in->clamp && in->d.kind == OPERAND_VGPR &&
         can_copy_operand(in, &in->a) && can_copy_operand(in, &in->b) &&
         can_copy_operand(in, &in->c);
}

// v_div_fmas, which is a sum of products but where a quotient must be scaled back.
static bool can_copy_quotient(const Instruction *in) {
  return divides(in) && in->plain && in->d.kind == OPERAND_VGPR && can_copy_operand(in, &in->a) &&
         can_copy_operand(in, &in->b) && can_copy_operand(in, &in->c);
}

bool code_accumulates(const Instruction *in) {
  LLVMValueRef function = begins_with(in, "v_pk_") ? part_function(in) : lane_function(in->info);
  return begins_with(in, "v_fma_mixlo") || begins_with(in, "v_fma_mixhi") ||
         (function && LLVMCountParams(function) > strlen(in->info->operands));
}

bool code_vector_masks_fit(const BlockCode *t, const Instruction *in) {
  const Operand *scalar[] = {&in->a, &in->b, &in->c}, *mask[] = {&in->m, &in->e, condition_of(in)};
  for (int i = 0; i < 3; i++)
    if (code_names_mask(t, scalar[i]))
      return false;
  for (int i = 0; i < 3; i++)
    if (code_names_mask(t, mask[i]) && !t->span->mask[mask[i]->index])
      return false;
  return true;
}

// ---- one result a lane ----

static bool is_float(Type type) { return type == TYPE_f16 || type == TYPE_f32 || type == TYPE_f64; }

static unsigned select_shift(unsigned select) {
  return (const uint8_t[]){0, 0, 8, 16, 24, 0, 16}[select];
}
static unsigned select_bits(unsigned select) {
  return (const uint8_t[]){32, 8, 8, 8, 8, 16, 16}[select];
}

static LLVMValueRef select_part(const BlockCode *t, const Operand *operand, LLVMValueRef value) {
  if (operand->select == SELECT_DWORD)
    return value;
  unsigned bits = select_bits(operand->select), up = 32 - select_shift(operand->select) - bits;
  value = LLVMBuildShl(t->lanes, value, code_splat_number(32, up), "");
  LLVMValueRef down = code_splat_number(32, 32 - bits);
  return operand->modifiers & MODIFIER_SEXT ? LLVMBuildAShr(t->lanes, value, down, "")
                                            : LLVMBuildLShr(t->lanes, value, down, "");
}

// The operand's values in a span, as integers of the type's size.
static LLVMValueRef vector_source(BlockCode *t, const Operand *operand, Type type) {
  unsigned bits = code_bits(type), whole = bits == 64 ? 64 : 32;
  bool vgpr = operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
  LLVMValueRef value = vgpr ? code_read(t, &t->span->vgpr, operand->index, whole)
                            : code_splat(t->lanes, code_scalar(t, operand, whole));
  if (whole == 32)
    value = select_part(t, operand, value);
  if (bits == 16)
    value = LLVMBuildTrunc(t->lanes, value, code_span(16), "");
  uint64_t sign = 1ull << (bits - 1);
  if (is_float(type) && (operand->modifiers & MODIFIER_ABS))
    value = LLVMBuildAnd(t->lanes, value, code_splat_number(bits, ~sign), "");
  if (is_float(type) && (operand->modifiers & MODIFIER_NEG))
    value = LLVMBuildXor(t->lanes, value, code_splat_number(bits, sign), "");
  return value;
}

static LLVMValueRef mask_truth(BlockCode *t, const Operand *operand) {
  if (t->span->mask[operand->index])
    return t->span->mask[operand->index];
  LLVMValueRef bits = code_scalar(t, operand, 64),
               first = LLVMBuildLShr(t->lanes, t->span->offset, code_number(64, 2), "");
  bits = LLVMBuildTrunc(t->lanes, LLVMBuildLShr(t->lanes, bits, first, ""), code_integer(SPAN), "");
  return code_truth(t, bits);
}

static LLVMValueRef mask_source(BlockCode *t, const Operand *operand) {
  return LLVMBuildZExt(t->lanes, mask_truth(t, operand), code_span(BYTE), "");
}

static void write_result(BlockCode *t, int index, Type type, LLVMValueRef value) {
  value = LLVMBuildBitCast(t->lanes, value, code_span(code_bits(type)), "");
  unsigned bits = code_bits(type) == 64 ? 64 : 32;
  if (code_bits(type) == 16)
    value = LLVMBuildZExt(t->lanes, value, code_span(32), "");
  if (!t->all_lanes)
    value = LLVMBuildSelect(t->lanes, t->span->active, value,
                            code_read(t, &t->span->vgpr, index, bits), "");
  code_write(t, &t->span->vgpr, index, bits, value);
}

// The result limited to [0, 1], NaN as 0: see modify_float. In the mode that blocks know omod multiplies nothing.
static LLVMValueRef limited(BlockCode *t, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value), one_lane = LLVMGetElementType(type);
  LLVMValueRef zero = LLVMConstNull(type), lanes[SPAN], number[2];
  for (int i = 0; i < 2; i++) {
    for (int lane = 0; lane < SPAN; lane++)
      lanes[lane] = LLVMConstReal(one_lane, 1.0);
    number[i] = LLVMConstVector(lanes, SPAN);
  }
  LLVMValueRef above_0 = LLVMBuildFCmp(t->lanes, LLVMRealOGT, value, zero, ""),
               below_1 = LLVMBuildFCmp(t->lanes, LLVMRealOLT, value, number[0], "");
  value = LLVMBuildSelect(t->lanes, below_1, value, number[0], "");
  return LLVMBuildSelect(t->lanes, above_0, value, zero, "");
}

// The result's low bits in a part of the register: see place_bits.
static LLVMValueRef placed(BlockCode *t, const Instruction *in, LLVMValueRef value) {
  const unsigned shift = select_shift(in->dst_select), bits = select_bits(in->dst_select);
  const uint32_t mask = (uint32_t)((1ull << bits) - 1) << shift;
  LLVMValueRef up = code_splat_number(32, 32 - bits),
               down = code_splat_number(32, 32 - bits - shift);
  value = LLVMBuildShl(t->lanes, value, up, "");
  value = in->dst_sext ? LLVMBuildAShr(t->lanes, value, down, "")
                       : LLVMBuildLShr(t->lanes, value, down, "");
  if (!in->dst_preserve)
    return value;
  LLVMValueRef rest = LLVMBuildAnd(t->lanes, code_read(t, &t->span->vgpr, in->d.index, 32),
                                   code_splat_number(32, ~mask), "");
  return LLVMBuildOr(t->lanes, value, rest, "");
}

static LLVMValueRef modified(BlockCode *t, const Instruction *in, LLVMValueRef value) {
  const Type type = in->info->type_d;
  if (is_float(type) && in->clamp)
    value = limited(t, value);
  if (in->dst_select == SELECT_DWORD)
    return value;
  value = LLVMBuildBitCast(t->lanes, value, code_span(code_bits(type)), "");
  if (code_bits(type) == 16)
    value = LLVMBuildZExt(t->lanes, value, code_span(32), "");
  return placed(t, in, value);
}

static LLVMValueRef truth_of(const BlockCode *t, LLVMValueRef bytes) {
  LLVMValueRef truth = lane_truth(bytes);
  return truth ? truth
               : LLVMBuildICmp(t->lanes, LLVMIntNE, bytes, LLVMConstNull(code_span(BYTE)), "");
}

// What a copied instruction leaves: registers, as the row's type has them, and truth values.
typedef struct {
  LLVMValueRef d, m;
} Results;

static Results copied(BlockCode *t, const Instruction *in) {
  const InstructionInfo *info = in->info;
  LaneArgument argument[LANE_ARGUMENTS] = {0}, *last = argument, *d = NULL, *m = NULL;
  for (const char *letter = info->operands; *letter; letter++, last++)
    switch (*letter) {
    case 'd':
      d = last;
      break;
    case 'm':
      m = last;
      break;
    case 'a':
      last->in = vector_source(t, &in->a, info->type_a);
      break;
    case 'b':
      last->in = vector_source(t, &in->b, info->type_b);
      break;
    case 'c':
      last->in = vector_source(t, &in->c, info->type_c);
      break;
    default:
      last->in = mask_source(t, &in->e);
    }
  LLVMValueRef function = lane_function(info);
  if (code_accumulates(in))
    last->in = vector_source(t, &in->d, info->type_d);
  lane_function_copy(t->lanes, function, argument);
  return (Results){.d = d ? d->out : NULL, .m = m ? truth_of(t, m->out) : NULL};
}

static void write_results(BlockCode *t, const Instruction *in, Results results) {
  if (results.m)
    t->span->mask[in->m.index] = results.m;
  if (!results.d)
    return;
  const bool word = in->dst_select != SELECT_DWORD;
  write_result(t, in->d.index, word ? TYPE_u32 : in->info->type_d, modified(t, in, results.d));
}

static void copy_vector(BlockCode *t, const Instruction *in) {
  write_results(t, in, copied(t, in));
}

// ---- quotients ----

static void copy_quotient(BlockCode *t, const Instruction *in) {
  const Type type = in->info->type_d;
  const bool wide = type == TYPE_f64;
  LaneArgument argument[LANE_ARGUMENTS] = {0};
  LLVMValueRef row[] = {vector_source(t, &in->a, type), vector_source(t, &in->b, type),
                        vector_source(t, &in->c, type)},
               scaled =
                   LLVMBuildAnd(t->lanes, mask_truth(t, condition_of(in)), t->span->active, "");
  for (int i = 0; i < 3; i++)
    argument[i + 1].in = row[i];
  lane_function_copy(t->lanes, lane_function_named(wide ? "v_fma_f64" : "v_fma_f32"), argument);
  LLVMValueRef sum = LLVMBuildBitCast(t->lanes, argument[0].out, code_span(code_bits(type)), ""),
               some = LLVMBuildBitCast(t->lanes, scaled, code_integer(SPAN), "");
  const void *call = wide ? (const void *)div_fmas_some_f64 : (const void *)div_fmas_some_f32;
  write_result(t, in->d.index, type, code_rare_call(t, some, sum, call, row, 3, code_bits(type)));
}

// ---- lanes of a mask before each lane ----

static bool can_copy_count(const Instruction *in) {
  return begins_with(in, "v_mbcnt_") && in->plain && in->d.kind == OPERAND_VGPR &&
         can_copy_operand(in, &in->a) && can_copy_operand(in, &in->b);
}

// Of the low half of all lanes or of the high one, whose lanes' bits are those of the operand: a bit for each before this lane.
static LLVMValueRef bits_before(const BlockCode *t, bool high) {
  LLVMBuilderRef lanes = t->lanes;
  LLVMValueRef number[SPAN], first = LLVMBuildLShr(lanes, t->span->offset, code_number(64, 2), "");
  for (unsigned i = 0; i < SPAN; i++)
    number[i] = code_number(32, i);
  first = code_splat(lanes, LLVMBuildTrunc(lanes, first, code_integer(32), ""));
  LLVMValueRef lane = LLVMBuildAdd(lanes, first, LLVMConstVector(number, SPAN), ""),
               half = code_splat_number(32, LANES / 2),
               is_high = LLVMBuildICmp(lanes, LLVMIntUGE, lane, half, ""),
               below = LLVMBuildAnd(lanes, lane, code_splat_number(32, LANES / 2 - 1), "");
  below = LLVMBuildShl(lanes, code_splat_number(32, 1), below, "");
  below = LLVMBuildSub(lanes, below, code_splat_number(32, 1), "");
  return high ? LLVMBuildSelect(lanes, is_high, below, code_splat_number(32, 0), "")
              : LLVMBuildSelect(lanes, is_high, code_splat_number(32, UINT32_MAX), below, "");
}

static void copy_count(BlockCode *t, const Instruction *in) {
  LLVMValueRef mask = vector_source(t, &in->a, TYPE_u32), more = vector_source(t, &in->b, TYPE_u32);
  mask = LLVMBuildAnd(t->lanes, mask, bits_before(t, begins_with(in, "v_mbcnt_hi")), "");
  write_result(t, in->d.index, TYPE_u32,
               LLVMBuildAdd(t->lanes, code_count_bits(t, t->lanes, "llvm.ctpop", mask), more, ""));
}

// ---- what divisions do to numbers that are neither large nor small, and to zeros that are divided ----

static bool scales(const Instruction *in) { return begins_with(in, "v_div_scale"); }
static bool fixes_up(const Instruction *in) {
  return begins_with(in, "v_div_fixup_f32") || begins_with(in, "v_div_fixup_f64");
}
static bool can_copy_division(const Instruction *in) {
  return (scales(in) || fixes_up(in)) && in->plain && can_copy_vector(in);
}

// Bits of a number's exponent, and how far it may be from 1: then none is a zero, and the exponents of the two operands of a
// division differ by less than what scales them (vector_math.h).
typedef struct {
  unsigned bits, significand, bias, reach;
} Middle;
static Middle middle_of(const Instruction *in) {
  return in->info->type_d == TYPE_f64 ? (Middle){64, 52, 1023, 300} : (Middle){32, 23, 127, 40};
}

static LLVMValueRef is_middle(const BlockCode *t, LLVMValueRef number, Middle middle) {
  const uint64_t one = 1ull << middle.significand, first = (middle.bias - middle.reach) * one;
  LLVMValueRef size = LLVMBuildShl(t->lanes, number, code_splat_number(middle.bits, 1), "");
  size = LLVMBuildSub(t->lanes, size, code_splat_number(middle.bits, 2 * first), "");
  return LLVMBuildICmp(t->lanes, LLVMIntULT, size,
                       code_splat_number(middle.bits, 4 * middle.reach * one), "");
}

// The quotient's size with the sign of both.
static LLVMValueRef with_sign(const BlockCode *t, LLVMValueRef size, LLVMValueRef a, LLVMValueRef b,
                              Middle middle) {
  const uint64_t sign = 1ull << (middle.bits - 1);
  LLVMValueRef signs = LLVMBuildAnd(t->lanes, LLVMBuildXor(t->lanes, a, b, ""),
                                    code_splat_number(middle.bits, sign), "");
  size = LLVMBuildAnd(t->lanes, size, code_splat_number(middle.bits, ~sign), "");
  return LLVMBuildOr(t->lanes, size, signs, "");
}

static LLVMValueRef is_zero(const BlockCode *t, LLVMValueRef number, Middle middle) {
  LLVMValueRef size = LLVMBuildShl(t->lanes, number, code_splat_number(middle.bits, 1), "");
  return LLVMBuildICmp(t->lanes, LLVMIntEQ, size, code_splat_number(middle.bits, 0), "");
}

enum { DENOMINATOR, NUMERATOR, VALUE, NUMBERS };

// v_div_scale leaves such numbers as they are, and gives NaN where a zero is divided: all bits of the exponent and the highest
// one of the significand.
static LLVMValueRef scaled(const BlockCode *t, const LLVMValueRef number[], LLVMValueRef zero,
                           Middle middle) {
  const uint64_t nan = (2ull << (middle.bits - middle.significand - 1)) - 1;
  return LLVMBuildSelect(t->lanes, zero,
                         code_splat_number(middle.bits, nan << (middle.significand - 1)),
                         number[VALUE], "");
}

// v_div_fixup changes but the sign of such a quotient, and puts a zero in for that of a zero.
static LLVMValueRef fixed_up(const BlockCode *t, const LLVMValueRef number[], LLVMValueRef zero,
                             Middle middle) {
  LLVMValueRef size =
      LLVMBuildSelect(t->lanes, zero, code_splat_number(middle.bits, 0), number[VALUE], "");
  return with_sign(t, size, number[DENOMINATOR], number[NUMERATOR], middle);
}

static void copy_division(BlockCode *t, const Instruction *in) {
  const Middle middle = middle_of(in);
  const Type type = in->info->type_d;
  const LLVMValueRef number[NUMBERS] = {vector_source(t, &in->b, type),
                                        vector_source(t, &in->c, type),
                                        vector_source(t, &in->a, type)};
  LLVMValueRef zero = is_zero(t, number[NUMERATOR], middle),
               fits = is_middle(t, number[NUMERATOR], middle), value;
  if (fixes_up(in))
    fits = LLVMBuildAnd(t->lanes, fits, is_middle(t, number[VALUE], middle), "");
  fits = LLVMBuildAnd(t->lanes, LLVMBuildOr(t->lanes, fits, zero, ""),
                      is_middle(t, number[DENOMINATOR], middle), "");
  LLVMValueRef quick = gather_all(t, fits);
  value = scales(in) ? scaled(t, number, zero, middle) : fixed_up(t, number, zero, middle);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->lanes), other = rows_new_block(t),
                    after = rows_new_block(t);
  LLVMBuildCondBr(t->lanes, quick, after, other);
  LLVMPositionBuilderAtEnd(t->lanes, other);
  Results results = copied(t, in);
  results.d = LLVMBuildBitCast(t->lanes, results.d, code_span(middle.bits), "");
  other = LLVMGetInsertBlock(t->lanes);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, after);
  results.d = rows_either(t, value, before, results.d, other);
  if (results.m)
    results.m = rows_either(t, LLVMConstNull(code_span(1)), before, results.m, other);
  write_results(t, in, results);
}

// ---- packed instructions ----

// A register of the operand, or its packed constant.
static LLVMValueRef packed_word(BlockCode *t, const Operand *operand, int index, Type part) {
  if (operand->kind == OPERAND_CONSTANT)
    return code_splat_number(32, (uint32_t)(packed_constant(operand->value, part) >> 32 * index));
  return operand->kind == OPERAND_SGPR
             ? code_splat(t->lanes, code_read(t, &t->sgpr, operand->index + index, 32))
             : code_read(t, &t->span->vgpr, operand->index + index, 32);
}

static LLVMValueRef half_of(const BlockCode *t, LLVMValueRef word, bool high) {
  if (high)
    word = LLVMBuildLShr(t->lanes, word, code_splat_number(32, 16), "");
  return LLVMBuildTrunc(t->lanes, word, code_span(16), "");
}

// The low part or the high one. Only floats have signs to flip.
static LLVMValueRef packed_part(BlockCode *t, const Operand *operand, Type part, bool high,
                                bool negative) {
  const unsigned bits = part == TYPE_f32 ? 32 : 16;
  LLVMValueRef value = bits == 32 ? packed_word(t, operand, high, part)
                                  : half_of(t, packed_word(t, operand, 0, part), high);
  return negative && is_float(part)
             ? LLVMBuildXor(t->lanes, value, code_splat_number(bits, 1ull << (bits - 1)), "")
             : value;
}

static Type part_type(const Instruction *in) {
  return strstr(in->info->mnemonic, "f32")   ? TYPE_f32
         : strstr(in->info->mnemonic, "f16") ? TYPE_f16
                                             : TYPE_u16;
}

// The low result (half 0) or the high one. Of v_pk_mov_b32 the low one is a part of a, the high one
// of b, and op_sel picks both.
static LLVMValueRef packed_half(BlockCode *t, const Instruction *in, int half) {
  LLVMValueRef function = part_function(in);
  const Operand *operand[] = {&in->a, &in->b, in->c.kind == OPERAND_NONE ? &in->d : &in->c};
  if (moves_parts(in))
    return packed_word(t, operand[half], in->op_sel >> half & 1, TYPE_f32);
  LaneArgument argument[LANE_ARGUMENTS] = {0};
  for (unsigned i = 0; i + 1 < LLVMCountParams(function); i++)
    argument[i + 1].in =
        packed_part(t, operand[i], part_type(in), (half ? in->op_sel_hi : in->op_sel) >> i & 1,
                    (half ? in->neg_hi : in->neg_lo) >> i & 1);
  lane_function_copy(t->lanes, function, argument);
  return argument[0].out;
}

// Two halves of 16 bits as one register.
static LLVMValueRef of_halves(const BlockCode *t, LLVMValueRef low, LLVMValueRef high) {
  LLVMValueRef half[] = {low, high};
  for (int i = 0; i < 2; i++)
    half[i] = LLVMBuildZExt(t->lanes, LLVMBuildBitCast(t->lanes, half[i], code_span(16), ""),
                            code_span(32), "");
  half[1] = LLVMBuildShl(t->lanes, half[1], code_splat_number(32, 16), "");
  return LLVMBuildOr(t->lanes, half[0], half[1], "");
}

static void copy_packed(BlockCode *t, const Instruction *in) {
  LLVMValueRef low = packed_half(t, in, 0), high = packed_half(t, in, 1);
  if (moves_parts(in) || part_type(in) == TYPE_f32) {
    write_result(t, in->d.index, TYPE_u32, low);
    write_result(t, in->d.index + 1, TYPE_u32, high);
  } else {
    write_result(t, in->d.index, TYPE_u32, of_halves(t, low, high));
  }
}

// ---- mixed precision ----

// What the row of that name computes of its operands.
static LLVMValueRef result_of(const BlockCode *t, const char *mnemonic, LLVMValueRef a,
                              LLVMValueRef b, LLVMValueRef c) {
  LaneArgument argument[LANE_ARGUMENTS] = {{0}, {.in = a}, {.in = b}, {.in = c}};
  lane_function_copy(t->lanes, lane_function_named(mnemonic), argument);
  return argument[0].out;
}

// Operand i as f32: op_sel_hi says that it is f16, op_sel which half; then |x|, then -x.
static LLVMValueRef mixed_source(BlockCode *t, const Instruction *in, int i) {
  const Operand *operand = (const Operand *const[]){&in->a, &in->b, &in->c}[i];
  const Type type = in->op_sel_hi >> i & 1 ? TYPE_f16 : TYPE_u32;
  LLVMValueRef value = packed_word(t, operand, 0, type);
  if (type == TYPE_f16)
    value = result_of(t, "v_cvt_f32_f16", half_of(t, value, in->op_sel >> i & 1), NULL, NULL);
  value = LLVMBuildBitCast(t->lanes, value, code_span(32), "");
  if (operand->modifiers & MODIFIER_ABS)
    value = LLVMBuildAnd(t->lanes, value, code_splat_number(32, 0x7fffffff), "");
  if (operand->modifiers & MODIFIER_NEG)
    value = LLVMBuildXor(t->lanes, value, code_splat_number(32, 0x80000000), "");
  return value;
}

static void copy_mixed(BlockCode *t, const Instruction *in) {
  LLVMValueRef sum = result_of(t, "v_fma_f32", mixed_source(t, in, 0), mixed_source(t, in, 1),
                               mixed_source(t, in, 2));
  if (!begins_with(in, "v_fma_mix_f32")) {
    LLVMValueRef half = result_of(t, "v_cvt_f16_f32", sum, NULL, NULL),
                 before = code_read(t, &t->span->vgpr, in->d.index, 32);
    const bool low = begins_with(in, "v_fma_mixlo");
    sum =
        of_halves(t, low ? half : half_of(t, before, false), low ? half_of(t, before, true) : half);
  }
  write_result(t, in->d.index, TYPE_u32, sum);
}

// ---- all of them ----

CodeSpan *code_vector_copy(const Instruction *in) {
  return in->info->unit != UNIT_VALU ? NULL
         : can_copy_packed(in)       ? copy_packed
         : can_copy_mixed(in)        ? copy_mixed
         : can_copy_quotient(in)     ? copy_quotient
         : can_copy_count(in)        ? copy_count
         : can_copy_division(in)     ? copy_division
         : can_copy_vector(in)       ? copy_vector
                                     : NULL;
}
