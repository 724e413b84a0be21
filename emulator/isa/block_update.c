// Atomics in LDS in translated code, one lane after the other: a workgroup has but one thread of the host.
#include "block_places.h"

#include <stdio.h>
#include <string.h>

typedef enum { ADD, SUB, AND, OR, XOR, SMIN, SMAX, UMIN, UMAX, FADD, EXCHANGE, COMPARE } Operation;

// ds_NAME_TYPE, and ds_NAME_rtn_TYPE, which returns what was there before.
typedef struct {
  const char *name, *type;
  unsigned bits;
  Operation operation;
} Form;

static bool is_form(const Instruction *in, const Form *form) {
  char plain[32], returns[32];
  snprintf(plain, sizeof plain, "ds_%s_%s", form->name, form->type);
  snprintf(returns, sizeof returns, "ds_%s_rtn_%s", form->name, form->type);
  return strcmp(in->info->mnemonic, plain) == 0 || strcmp(in->info->mnemonic, returns) == 0;
}

static const Form *form_of(const Instruction *in) {
  static const Form form[] = {
      {"add", "u32", 32, ADD},  {"sub", "u32", 32, SUB},         {"and", "b32", 32, AND},
      {"or", "b32", 32, OR},    {"xor", "b32", 32, XOR},         {"min", "i32", 32, SMIN},
      {"max", "i32", 32, SMAX}, {"min", "u32", 32, UMIN},        {"max", "u32", 32, UMAX},
      {"add", "f32", 32, FADD}, {"wrxchg", "b32", 32, EXCHANGE}, {"cmpst", "b32", 32, COMPARE},
      {"add", "u64", 64, ADD},  {"sub", "u64", 64, SUB},         {"and", "b64", 64, AND},
      {"or", "b64", 64, OR},    {"xor", "b64", 64, XOR},         {"min", "i64", 64, SMIN},
      {"max", "i64", 64, SMAX}, {"min", "u64", 64, UMIN},        {"max", "u64", 64, UMAX},
      {"add", "f64", 64, FADD}, {"wrxchg", "b64", 64, EXCHANGE}, {"cmpst", "b64", 64, COMPARE}};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++)
    if (is_form(in, &form[i]))
      return &form[i];
  return NULL;
}

static bool can_update(const BlockCode *t, const Instruction *in) {
  (void)t;
  return in->info->unit == UNIT_LDS && in->info->action == MEMORY_ATOMIC && !in->gds &&
         in->a.kind == OPERAND_VGPR && in->c.kind == OPERAND_VGPR && form_of(in);
}

static LLVMValueRef may_update(BlockCode *t, const Instruction *in, WavePlaces places) {
  const unsigned bytes = form_of(in)->bits / BYTE;
  return places_in_lds(t, in, bytes, 0, bytes, places);
}

// ---- one lane ----

static LLVMValueRef sum(const BlockCode *t, LLVMValueRef a, LLVMValueRef b, unsigned bits) {
  LLVMTypeRef type =
      bits == 64 ? LLVMDoubleTypeInContext(jit_context()) : LLVMFloatTypeInContext(jit_context());
  LLVMValueRef added = LLVMBuildFAdd(t->lanes, LLVMBuildBitCast(t->lanes, a, type, ""),
                                     LLVMBuildBitCast(t->lanes, b, type, ""), "");
  return LLVMBuildBitCast(t->lanes, added, code_integer(bits), "");
}

static LLVMValueRef one_of(const BlockCode *t, LLVMIntPredicate a_wins, LLVMValueRef a,
                           LLVMValueRef b) {
  return LLVMBuildSelect(t->lanes, LLVMBuildICmp(t->lanes, a_wins, a, b, ""), a, b, "");
}

// c: of COMPARE, what is stored if a is b.
static LLVMValueRef result_of(const BlockCode *t, const Form *form, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef c) {
  switch (form->operation) {
  case ADD:
    return LLVMBuildAdd(t->lanes, a, b, "");
  case SUB:
    return LLVMBuildSub(t->lanes, a, b, "");
  case AND:
    return LLVMBuildAnd(t->lanes, a, b, "");
  case OR:
    return LLVMBuildOr(t->lanes, a, b, "");
  case XOR:
    return LLVMBuildXor(t->lanes, a, b, "");
  case SMIN:
    return one_of(t, LLVMIntSLT, a, b);
  case SMAX:
    return one_of(t, LLVMIntSGT, a, b);
  case UMIN:
    return one_of(t, LLVMIntULT, a, b);
  case UMAX:
    return one_of(t, LLVMIntUGT, a, b);
  case FADD:
    return sum(t, a, b, form->bits);
  case EXCHANGE:
    return b;
  default:
    return LLVMBuildSelect(t->lanes, LLVMBuildICmp(t->lanes, LLVMIntEQ, a, b, ""), c, a, "");
  }
}

static LLVMValueRef register_of(const BlockCode *t, const Form *form, const WaveLane *lane,
                                const Operand *operand) {
  LLVMValueRef low = wave_word(t, lane, operand->index);
  return form->bits == 32 ? low : wave_pair(t, low, wave_word(t, lane, operand->index + 1));
}

// before: rows of what was there, on the stack; NULL: nobody wants it.
static void update_lane(BlockCode *t, const Instruction *in, const WaveLane *lane, void *before) {
  const Form *form = form_of(in);
  const unsigned bytes = form->bits / BYTE;
  LLVMValueRef a = code_load(t->lanes, code_integer(form->bits), lane->place, bytes),
               b = register_of(t, form, lane, &in->c),
               c = form->operation == COMPARE ? register_of(t, form, lane, &in->e) : NULL;
  code_store(t->lanes, result_of(t, form, a, b, c), lane->place, bytes);
  for (unsigned i = 0; before && i < bytes / 4; i++) {
    LLVMValueRef word = LLVMBuildLShr(t->lanes, a, code_number(form->bits, 32 * i), ""),
                 row = code_beside(t->lanes, before, code_number(64, i * LANES * 4));
    code_store(t->lanes, LLVMBuildTrunc(t->lanes, word, code_integer(32), ""),
               code_beside(t->lanes, row, lane->offset), 4);
  }
}

static void write_update(BlockCode *t, const Instruction *in, WavePlaces places) {
  const unsigned words = form_of(in)->bits / 32;
  LLVMValueRef before = in->d.kind == OPERAND_NONE ? NULL : wave_room(t, 0);
  wave_each_lane(t, in, &places[0], update_lane, before);
  for (unsigned i = 0; before && i < SPANS * words; i++)
    wave_write(t, i % SPANS, in->d.index + (int)(i / SPANS),
               code_load(t->lanes, code_span(32), wave_room_row(t, before, i), 8));
}

const WaveCode code_updates = {.can = can_update, .may = may_update, .write = write_update};
