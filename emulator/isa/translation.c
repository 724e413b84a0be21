// Translation of blocks: see translation.h.
//
// A block becomes machine code without branches but for its loops. Vector instructions that follow
// each other are the body of a loop over spans of 16 lanes, so that registers of the wave are
// registers of the host from one instruction to the next; what an instruction computes is a copy of
// its row's function. Scalar ones stand before the loop, in their order, unless they touch a lane
// mask that it writes. Whatever has no such function is a call of the interpreter's.
#include "translation.h"

#include "affine_value.h"
#include "block_code.h"
#include "block_end.h"
#include "block_global.h"
#include "block_lds.h"
#include "lane_function.h"
#include "register_loop.h"
#include "sanitizer.h"
#include "vector_math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- vector instructions ----

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

// Results that are limited, multiplied or put into a part of a register; halves are left to the interpreter.
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

static bool saves_exec(const Instruction *in) { return strstr(in->info->mnemonic, "saveexec"); }

// ---- what is read again ----

typedef enum { READ, OVERWRITTEN, LEFT_ALONE } Fate;

static bool covers(const Operand *operand, unsigned index, bool vgpr) {
  const bool same_file =
      vgpr ? operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED
           : operand->kind == OPERAND_SGPR;
  const unsigned mask = 2, last = index + (vgpr ? 1 : mask),
                 registers = operand->registers ? operand->registers : mask;
  return same_file && operand->index < last && index < operand->index + registers;
}

static bool accumulates(const Instruction *in) { // needs the destination before
  LLVMValueRef function = begins_with(in, "v_pk_") ? part_function(in) : lane_function(in->info);
  return begins_with(in, "v_fma_mixlo") || begins_with(in, "v_fma_mixhi") ||
         (function && LLVMCountParams(function) > strlen(in->info->operands));
}

// Whether its operands name all registers that it reads.
static bool names_sources(const Instruction *in) {
  const Unit unit = in->info->unit;
  return unit == UNIT_VALU || unit == UNIT_MFMA || unit == UNIT_SMEM ||
         (touches_memory(in) && unit != UNIT_IMAGE) ||
         (unit == UNIT_SALU && lane_function(in->info));
}

static bool loads_whole_registers(const Instruction *in) {
  return touches_memory(in) && !strstr(in->info->mnemonic, "d16");
}

// What an instruction does to a register, a VGPR or a lane mask. Those that say in their operands
// what they read are known; any other might read it.
static Fate fate(const Instruction *in, unsigned index, bool vgpr) {
  const bool vector =
      can_copy_packed(in) || can_copy_mixed(in) || can_copy_quotient(in) || can_copy_vector(in);
  if (begins_with(in, "s_endpgm") || in->info->unit == UNIT_INTERNAL)
    return LEFT_ALONE;
  if (!names_sources(in))
    return READ;
  const Operand *source[] = {&in->a, &in->b, &in->c, &in->e, condition_of(in)};
  for (int i = 0; i < 5; i++)
    if (covers(source[i], index, vgpr) || source[i]->kind == OPERAND_SPECIAL)
      return READ;
  if (!vector)
    return !covers(&in->d, index, vgpr)        ? LEFT_ALONE
           : vgpr && loads_whole_registers(in) ? OVERWRITTEN
                                               : READ;
  if (covers(&in->d, index, vgpr))
    return accumulates(in) || in->dst_preserve ? READ : OVERWRITTEN;
  return !vgpr && in->m.kind == OPERAND_SGPR && in->m.index == index ? OVERWRITTEN : LEFT_ALONE;
}

static bool read_again(const BlockCode *t, unsigned index, bool vgpr) {
  const Instruction *in = t->next;
  for (uint32_t i = 0; i < t->left; i++, in += in->words) {
    const Fate here = fate(in, index, vgpr);
    if (here != LEFT_ALONE)
      return here == READ;
  }
  return !t->ends;
}

// What nobody reads any more.
static void drop_unread(BlockCode *t, const Instruction *none) {
  (void)none;
  for (unsigned i = 0; i < VGPRS; i++)
    t->span->vgpr.changed[i] = t->span->vgpr.changed[i] && read_again(t, i, true);
  for (unsigned i = 0; i < SGPR_COUNT; i++)
    if (t->span->mask[i] && !read_again(t, i, false))
      t->span->mask[i] = NULL;
}

static void close_loop(BlockCode *t) {
  if (t->loop)
    code_each_span(t, NULL, drop_unread);
  code_close_loop(t);
  code_raise_late_fault(t);
  t->loads_lds = false;
}

// ---- copies ----

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

// The result limited to [0, 1], NaN as 0, after it was multiplied: see modify_float.
static LLVMValueRef modified_float(BlockCode *t, const Instruction *in, LLVMValueRef value) {
  static const double factor[] = {1.0, 2.0, 4.0, 0.5};
  LLVMTypeRef type = LLVMTypeOf(value), one_lane = LLVMGetElementType(type);
  LLVMValueRef zero = LLVMConstNull(type), lanes[SPAN], number[2];
  for (int i = 0; i < 2; i++) {
    for (int lane = 0; lane < SPAN; lane++)
      lanes[lane] = LLVMConstReal(one_lane, i ? factor[in->omod] : 1.0);
    number[i] = LLVMConstVector(lanes, SPAN);
  }
  if (in->omod)
    value = LLVMBuildFMul(t->lanes, value, number[1], "");
  if (!in->clamp)
    return value;
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
  if (is_float(type) && (in->clamp || in->omod))
    value = modified_float(t, in, value);
  if (in->dst_select == SELECT_DWORD)
    return value;
  value = LLVMBuildBitCast(t->lanes, value, code_span(code_bits(type)), "");
  if (code_bits(type) == 16)
    value = LLVMBuildZExt(t->lanes, value, code_span(32), "");
  return placed(t, in, value);
}

static void write_mask(BlockCode *t, unsigned index, LLVMValueRef bytes) {
  LLVMValueRef truth = lane_truth(bytes);
  if (!truth)
    truth = LLVMBuildICmp(t->lanes, LLVMIntNE, bytes, LLVMConstNull(code_span(BYTE)), "");
  t->span->mask[index] = LLVMBuildAnd(t->lanes, truth, t->span->active, "");
}

// A mask may be read where it was written, and written again, but not in part.
static bool masks_fit(const BlockCode *t, const Instruction *in) {
  const Operand *scalar[] = {&in->a, &in->b, &in->c}, *mask[] = {&in->m, &in->e, condition_of(in)};
  for (int i = 0; i < 3; i++)
    if (code_names_mask(t, scalar[i]))
      return false;
  for (int i = 0; i < 3; i++)
    if (code_names_mask(t, mask[i]) && !t->span->mask[mask[i]->index])
      return false;
  return true;
}

static void copy_vector(BlockCode *t, const Instruction *in) {
  if (t->loop && !masks_fit(t, in))
    close_loop(t);
  code_open_loop(t);
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
  if (accumulates(in))
    last->in = vector_source(t, &in->d, info->type_d);
  lane_function_copy(t->lanes, function, argument);
  if (m)
    write_mask(t, in->m.index, m->out);
  if (!d)
    return;
  const bool word = in->dst_select != SELECT_DWORD;
  write_result(t, in->d.index, word ? TYPE_u32 : info->type_d, modified(t, in, d->out));
}

// ---- quotients ----

static void copy_quotient(BlockCode *t, const Instruction *in) {
  if (t->loop && !masks_fit(t, in))
    close_loop(t);
  code_open_loop(t);
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
  if (t->loop && !masks_fit(t, in))
    close_loop(t);
  code_open_loop(t);
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
  if (t->loop && !masks_fit(t, in))
    close_loop(t);
  code_open_loop(t);
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

// ---- scalar instructions ----

// Not those of the wave's other state.
static bool can_copy_scalar(const Instruction *in) {
  return in->info->unit <= UNIT_SMEM && lane_function(in->info) && in->a.kind != OPERAND_SPECIAL &&
         in->b.kind != OPERAND_SPECIAL;
}

// Scalar instructions stand before the loop, so they must not meet its masks.
static void leave_masks(BlockCode *t, const Instruction *in) {
  if (code_names_mask(t, &in->a) || code_names_mask(t, &in->b) || code_names_mask(t, &in->d) ||
      names_exec(&in->d) || saves_exec(in))
    close_loop(t);
}

static void copy_scalar(BlockCode *t, const Instruction *in) {
  static const Operand exec = {.kind = OPERAND_SGPR, .registers = 2, .index = SGPR_EXEC};
  leave_masks(t, in);
  const InstructionInfo *info = in->info;
  LaneArgument argument[LANE_ARGUMENTS] = {0}, *last = argument, *d = NULL;
  LLVMValueRef function = lane_function(info);
  if (LLVMCountParams(function) == 0)
    return;
  for (const char *letter = info->operands; *letter; letter++, last++)
    if (*letter == 'd') {
      d = last;
      d->in = code_scalar(t, &in->d, code_bits(info->type_d));
    } else if (*letter == 'x') {
      last->in = code_number(32, (uint64_t)in->offset);
    } else {
      last->in = *letter == 'a' ? code_scalar(t, &in->a, code_bits(info->type_a))
                                : code_scalar(t, &in->b, code_bits(info->type_b));
    }
  last->in = code_read_scc(t);
  if (saves_exec(in))
    last[1].in = code_scalar(t, &exec, 64);
  lane_function_copy(t->straight, function, argument);
  if (d)
    code_write(t, &t->sgpr, in->d.index, code_bits(info->type_d), d->out);
  if (saves_exec(in))
    code_write(t, &t->sgpr, SGPR_EXEC, 64, last[1].out);
  code_write_scc(t, last->out);
}

// ---- all others ----

static void tell_used(BlockCode *t) {
  if (!t->traced)
    return;
  LLVMValueRef use[USES];
  for (int i = 0; i < USES; i++)
    use[i] = code_number(32, t->used[i]);
  LLVMValueRef used = code_field(t, t->straight, offsetof(Wavefront, trace.used)),
               before = code_load(t->straight, LLVMVectorType(code_integer(32), USES), used, 16);
  code_store(t->straight, LLVMBuildAdd(t->straight, before, LLVMConstVector(use, USES), ""), used,
             16);
  t->used = (Uses){0};
}

static void call_with(BlockCode *t, const void *function, LLVMValueRef value) {
  LLVMTypeRef parameter[] = {code_pointer(), LLVMTypeOf(value)},
              type = LLVMFunctionType(LLVMVoidTypeInContext(jit_context()), parameter, 2, false);
  LLVMValueRef argument[] = {t->wave, value};
  LLVMBuildCall2(t->straight, type, code_address(function), argument, 2, "");
}

static Execute *handler_of(const BlockCode *t, const Instruction *in) {
  if (t->sanitized && touches_memory(in))
    return sanitizer_touch_memory;
  return t->sanitized && is_barrier(in) ? sanitizer_execute : in->execute;
}

// What was waited for since the sanitizer was last told.
static void tell_waits(BlockCode *t) {
  if (t->sanitized && (t->waits.vm != NO_WAIT || t->waits.lgkm != NO_WAIT))
    call_with(t, (const void *)sanitizer_wait,
              code_number(64, t->waits.vm | (uint64_t)t->waits.lgkm << 32));
  t->waits = (Waits){NO_WAIT, NO_WAIT};
}

static void call(BlockCode *t, const Instruction *in) {
  if (t->stays) { // other waves may have met lanes of a load elsewhere since the loop was begun
    t->stays->failed = true;
    return;
  }
  const bool waits = begins_with(in, "s_waitcnt");
  if (in->info->unit == UNIT_SMEM && !t->loads_global)
    leave_masks(t, in);
  else if (!waits)
    close_loop(t);
  if (!waits)
    code_store_scalars(t);
  tell_used(t);
  if (!waits)
    tell_waits(t);
  code_set_pointer(t, offsetof(Wavefront, in), in);
  call_with(t, (const void *)handler_of(t, in), code_address(in));
  if (in->info->action == MEMORY_NONE && in->info->unit != UNIT_LDS && !waits)
    code_forget_scalars(t);
}

// Loads whose faults come in the order of the lanes, and those whose faults wait for the end of the loop, do not share one.
static void load_lds(BlockCode *t, const Instruction *in) {
  if (t->loads_global)
    close_loop(t);
  code_load_lds(t, in);
  t->loads_lds = true;
}

static void load_global(BlockCode *t, const Instruction *in) {
  if (t->loads_lds || code_names_mask(t, &in->b))
    close_loop(t);
  code_load_global(t, in);
}

// How a vector instruction is copied; NULL: it is not.
static CodeSpan *copy_of(const Instruction *in) {
  return in->info->unit != UNIT_VALU ? NULL
         : can_copy_packed(in)       ? copy_packed
         : can_copy_mixed(in)        ? copy_mixed
         : can_copy_quotient(in)     ? copy_quotient
         : can_copy_vector(in)       ? copy_vector
                                     : NULL;
}

static void translate_instruction(BlockCode *t, const Instruction *in) {
  CodeSpan *copy = copy_of(in);
  Waits waits;
  t->used += in->uses;
  if (waits_of(in, &waits))
    t->waits = waits_of_both(t->waits, waits);
  if (copy)
    code_each_span(t, in, copy);
  else if (can_copy_scalar(in))
    copy_scalar(t, in);
  else if (code_can_load_lds(t, in))
    load_lds(t, in);
  else if (code_can_load_global(t, in))
    load_global(t, in);
  else if (!branch_of(in) &&                             // which the block's end has
           (t->traced || !begins_with(in, "s_waitcnt"))) // without a trace nobody waits
    call(t, in);
}

// ---- a loop that stays in registers ----

static int address_registers(const Instruction *in) {
  return code_global_address_registers(in) + code_lds_address_registers(in);
}

// Whether no instruction of the loop is a call.
static bool stays_in_registers(const BlockCode *t, const Instruction *in) {
  uint32_t left = in->block->count;
  if (!register_loop_fits(t, in, left))
    return false;
  for (; left; left--, in += in->words)
    if (!copy_of(in) && !can_copy_scalar(in) && !code_can_load_lds(t, in) &&
        !code_can_load_global(t, in) && !branch_of(in) && !begins_with(in, "s_waitcnt"))
      return false;
  return true;
}

static void write_register_loop(BlockCode *t, const Instruction *first, LLVMBasicBlockRef enter,
                                LLVMBasicBlockRef other) {
  const Instruction *in = first, *last = block_last(first, first->block->count);
  LLVMBuilderRef lanes = t->lanes;
  t->lanes = t->straight;
  if (register_loop_begin(t, first, first->block->count, enter, address_registers)) {
    for (uint32_t i = 0; i < first->block->count; i++, in += in->words) {
      if (t->stays->affine.follow[i]) {
        affine_value_follow(t, i);
      } else {
        affine_value_spread(t, in);
        translate_instruction(t, in);
      }
    }
    register_loop_end(t, first, last, other);
  } else {
    LLVMPositionBuilderAtEnd(t->straight, enter);
    LLVMBuildBr(t->straight, other);
  }
  t->lanes = lanes;
}

// ---- a whole block ----

static void begin(BlockCode *t, const char *name) {
  LLVMContextRef context = jit_context();
  LLVMTypeRef parameter = code_pointer();
  t->module = LLVMModuleCreateWithNameInContext(name, context);
  t->function = LLVMAddFunction(
      t->module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), &parameter, 1, false));
  LLVMAttributeRef no_unwind = LLVMCreateEnumAttribute(
      context, LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind")), 0);
  LLVMAddAttributeAtIndex(t->function, LLVMAttributeFunctionIndex, no_unwind);
  t->wave = LLVMGetParam(t->function, 0);
  t->straight = LLVMCreateBuilderInContext(context);
  t->lanes = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(t->straight, LLVMAppendBasicBlockInContext(context, t->function, ""));
}

// The host computes a second span while the first waits, unless the block is so short that it comes to that one by itself; then
// loads of two spans only stand in each other's way. What the banks of LDS wait is counted from span to span.
static unsigned spans_at_once(BlockCode *t, const Instruction *in, uint32_t count) {
  enum { LEAST_COMPUTED = 12, LEAST_BESIDE_LOADS = 40 };
  unsigned computed = 0, least = LEAST_COMPUTED;
  t->at_once = 1;
  for (; count; count--, in += in->words) {
    computed += in->info->unit == UNIT_VALU;
    if (code_can_load_lds(t, in) && !t->uncounted)
      return 1;
    if (code_can_load_lds(t, in) || code_can_load_global(t, in))
      least = LEAST_BESIDE_LOADS;
  }
  return t->goes_on && computed >= least ? 2 : 1;
}

static void know_nothing(BlockCode *t, const Instruction *first) {
  t->written = first;
  t->sgpr = (CodeRegisters){0};
  t->span = t->spans;
  t->scc = NULL;
  t->lds = (CodeLds){0};
  t->waits = (Waits){NO_WAIT, NO_WAIT};
}

static void write_block(BlockCode *t, const Instruction *in, uint32_t count) {
  const Instruction *last = block_last(in, count);
  know_nothing(t, in);
  t->at_once = spans_at_once(t, in, count);
  t->ends = begins_with(last, "s_endpgm");
  for (t->left = count; t->left; t->left--, in += in->words) {
    t->next = in;
    if (in == last)
      code_set_pointer(t, offsetof(Wavefront, next), in + in->words); // unless it jumps
    translate_instruction(t, in);
  }
  close_loop(t);
  code_store_scalars(t);
  tell_used(t);
  tell_waits(t);
  code_set_pointer(t, offsetof(Wavefront, in), last);
  code_end_block(t, last);
}

JitCode translation_of(const Instruction *const *first, uint32_t blocks, int variant,
                       JitLevel level, bool sanitized) {
  BlockCode *t = calloc(1, sizeof *t);
  if (!t)
    return (JitCode){0};
  t->all_lanes = variant & BLOCK_ALL_LANES;
  t->traced = variant & BLOCK_TRACED;
  t->uncounted = variant & BLOCK_UNCOUNTED;
  t->sanitized = sanitized;
  t->goes_on = level == JIT_BEST && !sanitized;
  static unsigned translated; // no two functions have the same name
  char name[32];
  snprintf(name, sizeof name, "block_%u", translated++);
  begin(t, name);
  code_begin_blocks(t, first, blocks, stays_in_registers);
  for (uint32_t i = 0; i < blocks; i++) {
    if (t->enter[i] != t->begin[i]) {
      know_nothing(t, first[i]);
      write_register_loop(t, first[i], t->enter[i], t->begin[i]);
    }
    LLVMPositionBuilderAtEnd(t->straight, t->begin[i]);
    write_block(t, first[i], first[i]->block->count);
  }
  LLVMDisposeBuilder(t->straight);
  LLVMDisposeBuilder(t->lanes);
  JitCode code = jit_compile(t->module, name, level);
  free(t);
  return code;
}
