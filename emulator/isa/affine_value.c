// Affine values in a loop that stays in registers: see affine_value.h.
#include "affine_value.h"

// Numbers of lanes lie no further apart, so that sums of two distances do not wrap.
enum { MOST_EXTENT = 1 << 29, MOST_STEP = 1 << 20 };

static LLVMValueRef number(uint64_t value) { return code_number(32, value); }

static AffineValue same_value(LLVMValueRef base) {
  LLVMValueRef none = number(0);
  return (AffineValue){base, {none, none, none, none}, none, none, true};
}

static AffineValue value_of(BlockCode *t, const Operand *operand) {
  if (operand->kind != OPERAND_VGPR)
    return same_value(code_scalar(t, operand, 32));
  const AffineValue *value = &t->stays->value[operand->index];
  if (value->base)
    return *value;
  t->stays->failed = true;
  return same_value(number(0));
}

// ---- distances, before the loop ----

static void require_extent(BlockCode *t, LLVMValueRef extent) {
  code_enter_if(t, LLVMBuildICmp(t->stays->once, LLVMIntULT, extent, number(MOST_EXTENT), ""));
}

static AffineValue sum_of(BlockCode *t, const AffineValue *a, const AffineValue *b) {
  LLVMBuilderRef once = t->stays->once;
  LLVMValueRef base = LLVMBuildAdd(t->straight, a->base, b->base, "");
  AffineValue sum = a->same ? *b : *a;
  sum.base = base;
  if (a->same || b->same)
    return sum;
  for (unsigned i = 0; i < SPANS; i++)
    sum.behind[i] = LLVMBuildAdd(once, a->behind[i], b->behind[i], "");
  sum.step = LLVMBuildAdd(once, a->step, b->step, "");
  sum.extent = LLVMBuildAdd(once, a->extent, b->extent, "");
  require_extent(t, sum.extent);
  return sum;
}

static AffineValue shifted_distances(BlockCode *t, const AffineValue *value, uint64_t by) {
  LLVMBuilderRef once = t->stays->once;
  AffineValue shifted = *value;
  if (value->same)
    return shifted;
  code_enter_if(t, LLVMBuildICmp(once, LLVMIntULT, value->extent, number(MOST_EXTENT >> by), ""));
  for (unsigned i = 0; i < SPANS; i++)
    shifted.behind[i] = LLVMBuildShl(once, value->behind[i], number(by), "");
  shifted.step = LLVMBuildShl(once, value->step, number(by), "");
  shifted.extent = LLVMBuildShl(once, value->extent, number(by), "");
  return shifted;
}

static AffineValue shifted_value(BlockCode *t, const AffineValue *value, uint64_t by) {
  AffineValue shifted = shifted_distances(t, value, by);
  shifted.base = LLVMBuildShl(t->straight, value->base, number(by), "");
  return shifted;
}

static void require_same(BlockCode *t, const AffineValue *value) {
  if (!value->same)
    code_enter_if(t, LLVMBuildICmp(t->stays->once, LLVMIntEQ, value->extent, number(0), ""));
}

// ---- bases, in each round ----

void affine_value_wraps_not(BlockCode *t, const AffineValue *value) {
  if (value->same)
    return;
  LLVMValueRef most = LLVMBuildNot(t->stays->once, value->extent, "");
  code_leave_unless(t, LLVMBuildICmp(t->straight, LLVMIntULE, value->base, most, ""));
}

static LLVMValueRef wide(BlockCode *t, LLVMValueRef word) {
  return LLVMBuildZExt(t->straight, word, code_integer(64), "");
}

// What is carried is the same in all lanes if no lane wraps alone.
static void write_carry(BlockCode *t, const Operand *mask, LLVMValueRef sum) {
  LLVMValueRef carry = LLVMBuildICmp(t->straight, LLVMIntUGT, sum, code_number(64, UINT32_MAX), "");
  LLVMValueRef lanes = code_splat(t->straight, carry);
  for (unsigned i = 0; i < SPANS; i++)
    t->spans[i].mask[mask->index] = lanes;
  t->stays->carry[mask->index].carry = carry;
  t->stays->carry[mask->index].mask = lanes;
}

static LLVMValueRef carry_of(BlockCode *t, const Operand *mask) {
  if (mask->kind == OPERAND_SGPR && t->stays->carry[mask->index].mask &&
      t->spans[0].mask[mask->index] == t->stays->carry[mask->index].mask)
    return t->stays->carry[mask->index].carry;
  t->stays->failed = true;
  return code_number(1, 0);
}

static void add_carry(BlockCode *t, const Instruction *in, const AffineValue *a,
                      const AffineValue *b) {
  affine_value_wraps_not(t, a);
  affine_value_wraps_not(t, b);
  const AffineValue sum = sum_of(t, a, b);
  affine_value_wraps_not(t, &sum);
  write_carry(t, &in->m, LLVMBuildAdd(t->straight, wide(t, a->base), wide(t, b->base), ""));
  code_write_affine(t, in->d.index, &sum);
}

// High halves, the same in all lanes.
static void add_both(BlockCode *t, const Instruction *in, const AffineValue *a,
                     const AffineValue *b) {
  require_same(t, a);
  require_same(t, b);
  LLVMValueRef carry = wide(t, carry_of(t, &in->e)),
               whole = LLVMBuildAdd(t->straight, wide(t, a->base), wide(t, b->base), "");
  whole = LLVMBuildAdd(t->straight, whole, carry, "");
  AffineValue sum = sum_of(t, a, b);
  sum.base = LLVMBuildTrunc(t->straight, whole, code_integer(32), "");
  write_carry(t, &in->m, whole);
  code_write_affine(t, in->d.index, &sum);
}

static void shift_pair(BlockCode *t, const Instruction *in) {
  const Operand high_half = {.kind = OPERAND_VGPR, .index = (uint16_t)(in->b.index + 1)};
  const AffineValue low = value_of(t, &in->b), high = value_of(t, &high_half);
  require_same(t, &high);
  affine_value_wraps_not(t, &low);
  LLVMValueRef whole = LLVMBuildShl(t->straight, wide(t, high.base), code_number(64, 32), "");
  whole = LLVMBuildOr(t->straight, whole, wide(t, low.base), "");
  whole = LLVMBuildShl(t->straight, whole, code_number(64, in->a.value), "");
  AffineValue shifted = shifted_distances(t, &low, in->a.value);
  shifted.base = LLVMBuildTrunc(t->straight, whole, code_integer(32), "");
  affine_value_wraps_not(t, &shifted);
  whole = LLVMBuildLShr(t->straight, whole, code_number(64, 32), "");
  const AffineValue upper = same_value(LLVMBuildTrunc(t->straight, whole, code_integer(32), ""));
  code_write_affine(t, in->d.index, &shifted);
  code_write_affine(t, in->d.index + 1, &upper);
}

// All lanes have the sign of the first and the greatest.
static AffineValue sign_of(BlockCode *t, const AffineValue *value) {
  affine_value_wraps_not(t, value);
  LLVMValueRef greatest = LLVMBuildAdd(t->straight, value->base, value->extent, ""),
               differ = LLVMBuildXor(t->straight, value->base, greatest, "");
  code_leave_unless(t, LLVMBuildICmp(t->straight, LLVMIntSGE, differ, number(0), ""));
  return same_value(LLVMBuildAShr(t->straight, value->base, number(31), ""));
}

// ---- an instruction ----

void affine_value_follow(BlockCode *t, uint32_t i) {
  const Instruction *in = t->stays->affine.in[i];
  const AffineOperation operation = affine_operation(in);
  if (operation == AFFINE_SHIFT_PAIR) {
    shift_pair(t, in);
    return;
  }
  const AffineValue a = value_of(t, &in->a),
                    b = in->b.kind == OPERAND_NONE ? a : value_of(t, &in->b),
                    c = in->c.kind == OPERAND_NONE ? a : value_of(t, &in->c);
  AffineValue result = a;
  switch (operation) {
  case AFFINE_ADD_CARRY:
    add_carry(t, in, &a, &b);
    return;
  case AFFINE_ADD_BOTH:
    add_both(t, in, &a, &b);
    return;
  case AFFINE_ADD:
    result = sum_of(t, &a, &b);
    break;
  case AFFINE_ADD_THREE:
    result = sum_of(t, &a, &b);
    result = sum_of(t, &result, &c);
    break;
  case AFFINE_SHIFT:
    result = shifted_value(t, &b, in->a.value);
    break;
  case AFFINE_SHIFT_ADD:
    result = shifted_value(t, &a, in->b.value);
    result = sum_of(t, &result, &c);
    break;
  case AFFINE_ADD_SHIFT:
    result = sum_of(t, &a, &b);
    result = shifted_value(t, &result, in->c.value);
    break;
  case AFFINE_SIGN:
    result = sign_of(t, &b);
    break;
  default:
    break;
  }
  code_write_affine(t, in->d.index, &result);
}

void affine_value_spread(BlockCode *t, const Instruction *in) {
  const Operand *operand[] = {&in->d, &in->a, &in->b, &in->c};
  for (int k = 0; k < 4; k++) {
    if (operand[k]->kind != OPERAND_VGPR && operand[k]->kind != OPERAND_VGPR_MODIFIED)
      continue;
    const int end = operand[k]->index + (operand[k]->registers ? operand[k]->registers : 2);
    for (int row = operand[k]->index; row < end && row < VGPRS; row++)
      for (unsigned i = 0; i < SPANS && t->stays->value[row].base; i++) {
        t->span = &t->spans[i];
        code_read(t, &t->span->vgpr, row, 32);
      }
  }
  t->span = t->spans;
}

// ---- where the loop begins ----

static LLVMValueRef lane_of(LLVMBuilderRef once, LLVMValueRef row, unsigned lane) {
  return LLVMBuildExtractElement(once, row, number(lane), "");
}

static void enter(BlockCode *t, int index) {
  RegisterLoop *loop = t->stays;
  LLVMBuilderRef once = loop->once;
  LLVMValueRef row[SPANS], first = NULL;
  AffineValue value = {.extent = number(0)};
  for (unsigned i = 0; i < SPANS; i++) {
    row[i] = code_load(once, code_span(32), code_row(t, once, t->spans[i].offset, index), 64);
    LLVMValueRef begins = lane_of(once, row[i], 0);
    first = first ? first : begins;
    value.behind[i] = LLVMBuildSub(once, begins, first, "");
  }
  value.step = LLVMBuildSub(once, lane_of(once, row[0], 1), first, "");
  code_enter_if(t, LLVMBuildICmp(once, LLVMIntULT, value.step, number(MOST_STEP), ""));
  value.base = code_at_head(loop, first);
  for (unsigned i = 0; i < SPANS; i++) {
    LLVMValueRef farther = LLVMBuildICmp(once, LLVMIntUGT, value.behind[i], value.extent, "");
    value.extent = LLVMBuildSelect(once, farther, value.behind[i], value.extent, "");
    AffineValue expected = value;
    expected.base = first;
    LLVMValueRef alike =
        LLVMBuildICmp(once, LLVMIntEQ, row[i], code_affine_row(t, once, &expected, i), "");
    alike = LLVMBuildBitCast(once, alike, code_integer(SPAN), "");
    code_enter_if(t,
                  LLVMBuildICmp(once, LLVMIntEQ, alike, LLVMConstAllOnes(code_integer(SPAN)), ""));
  }
  LLVMValueRef last = LLVMBuildMul(once, value.step, number(SPAN - 1), "");
  require_extent(t, value.extent);
  value.extent = LLVMBuildAdd(once, value.extent, last, "");
  require_extent(t, value.extent);
  loop->value[index] = value;
  loop->kept[loop->kept_count++] = (Kept){KEPT_AFFINE, index, 0, value.base};
}

void affine_value_enter(BlockCode *t) {
  for (int i = 0; i < VGPRS; i++)
    if (t->stays->affine.enters[i])
      enter(t, i);
}
