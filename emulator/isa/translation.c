// Translation of blocks: see translation.h.
//
// A block becomes one function without branches but for its loops. Vector instructions that follow
// each other are the body of a loop over spans of 16 lanes, so that registers of the wave are
// registers of the host from one instruction to the next; what an instruction computes is a copy of
// its row's function. Scalar ones stand before the loop, in their order, unless they touch a lane
// mask that it writes. Whatever has no such function is a call of the interpreter's.
#include "translation.h"

#include "block_code.h"
#include "lane_function.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 3 }; // instructions of a block that is worth it

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

static bool can_copy_vector(const Instruction *in) {
  return in->info->unit == UNIT_VALU && in->plain && in->d.kind != OPERAND_SGPR &&
         can_copy_operand(in, &in->a) && can_copy_operand(in, &in->b) &&
         can_copy_operand(in, &in->c) &&
         (in->e.kind == OPERAND_NONE || in->e.kind == OPERAND_SGPR) && !names_exec(&in->m) &&
         lane_function(in->info);
}

static bool is_float(Type type) { return type == TYPE_f16 || type == TYPE_f32 || type == TYPE_f64; }

static LLVMValueRef select_part(const BlockCode *t, const Operand *operand, LLVMValueRef value) {
  static const struct {
    uint8_t shift, bits;
  } part[] = {{0, 32}, {0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}};
  if (operand->select == SELECT_DWORD)
    return value;
  unsigned bits = part[operand->select].bits, up = 32 - part[operand->select].shift - bits;
  value = LLVMBuildShl(t->lanes, value, code_splat_number(32, up), "");
  LLVMValueRef down = code_splat_number(32, 32 - bits);
  return operand->modifiers & MODIFIER_SEXT ? LLVMBuildAShr(t->lanes, value, down, "")
                                            : LLVMBuildLShr(t->lanes, value, down, "");
}

// The operand's values in a span, as integers of the type's size.
static LLVMValueRef vector_source(BlockCode *t, const Operand *operand, Type type) {
  unsigned bits = code_bits(type), whole = bits == 64 ? 64 : 32;
  bool vgpr = operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
  LLVMValueRef value = !vgpr         ? code_splat(t->lanes, code_scalar(t, operand, whole))
                       : whole == 64 ? code_read_pair(t, operand->index)
                                     : code_read_word(t, operand->index);
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

static LLVMValueRef mask_source(const BlockCode *t, const Operand *operand) {
  LLVMValueRef truth = t->mask[operand->index];
  if (!truth) {
    LLVMValueRef bits = code_scalar(t, operand, 64),
                 first = LLVMBuildLShr(t->lanes, t->offset, code_number(64, 2), "");
    bits =
        LLVMBuildTrunc(t->lanes, LLVMBuildLShr(t->lanes, bits, first, ""), code_integer(SPAN), "");
    truth = code_truth(t, bits);
  }
  return LLVMBuildZExt(t->lanes, truth, code_span(BYTE), "");
}

static void write_result(BlockCode *t, int index, Type type, LLVMValueRef value) {
  value = LLVMBuildBitCast(t->lanes, value, code_span(code_bits(type)), "");
  bool pair = code_bits(type) == 64;
  if (code_bits(type) == 16)
    value = LLVMBuildZExt(t->lanes, value, code_span(32), "");
  if (!t->all_lanes)
    value = LLVMBuildSelect(t->lanes, t->active, value,
                            pair ? code_read_pair(t, index) : code_read_word(t, index), "");
  if (pair)
    code_write_pair(t, index, value);
  else
    code_write_word(t, index, value);
}

static void write_mask(BlockCode *t, unsigned index, LLVMValueRef bytes) {
  LLVMValueRef truth = lane_truth(bytes);
  if (!truth)
    truth = LLVMBuildICmp(t->lanes, LLVMIntNE, bytes, LLVMConstNull(code_span(BYTE)), "");
  t->mask[index] = LLVMBuildAnd(t->lanes, truth, t->active, "");
}

// A mask may be read where it was written, and written again, but not in part.
static bool masks_fit(const BlockCode *t, const Instruction *in) {
  const Operand *scalar[] = {&in->a, &in->b, &in->c}, *mask[] = {&in->m, &in->e};
  for (int i = 0; i < 3; i++)
    if (code_names_mask(t, scalar[i]))
      return false;
  for (int i = 0; i < 2; i++)
    if (code_names_mask(t, mask[i]) && !t->mask[mask[i]->index])
      return false;
  return true;
}

static void copy_vector(BlockCode *t, const Instruction *in) {
  if (t->loop && !masks_fit(t, in))
    code_close_loop(t);
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
  if (last < argument + LLVMCountParams(function)) // the destination before
    last->in = vector_source(t, &in->d, info->type_d);
  lane_function_copy(t->lanes, function, argument);
  if (m)
    write_mask(t, in->m.index, m->out);
  if (d)
    write_result(t, in->d.index, info->type_d, d->out);
}

// ---- scalar instructions ----

// Scalar instructions stand before the loop, so they must not meet its masks.
static void leave_masks(BlockCode *t, const Instruction *in) {
  if (code_names_mask(t, &in->a) || code_names_mask(t, &in->b) || code_names_mask(t, &in->d) ||
      names_exec(&in->d))
    code_close_loop(t);
}

static void copy_scalar(BlockCode *t, const Instruction *in) {
  leave_masks(t, in);
  const InstructionInfo *info = in->info;
  LaneArgument argument[LANE_ARGUMENTS] = {0}, *last = argument, *d = NULL;
  LLVMValueRef function = lane_function(info),
               scc = code_field(t, t->straight, offsetof(Wavefront, scc));
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
  last->in = code_load(t->straight, code_integer(BYTE), scc, 1);
  lane_function_copy(t->straight, function, argument);
  if (d)
    code_store(t->straight, d->out, code_sgpr(t, t->straight, in->d.index), 4);
  code_store(t->straight, last->out, scc, 1);
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

static void set_pointer(BlockCode *t, size_t offset, const void *value) {
  code_store(t->straight, code_address(value), code_field(t, t->straight, offset), sizeof value);
}

static void call(BlockCode *t, const Instruction *in) {
  bool scalar = in->info->unit == UNIT_SMEM;
  if (scalar)
    leave_masks(t, in);
  else if (!begins_with(in, "s_waitcnt"))
    code_close_loop(t);
  tell_used(t);
  set_pointer(t, offsetof(Wavefront, in), in);
  LLVMTypeRef parameter[] = {code_pointer(), code_pointer()},
              type = LLVMFunctionType(LLVMVoidTypeInContext(jit_context()), parameter, 2, false);
  LLVMValueRef argument[] = {t->wave, code_address(in)};
  LLVMBuildCall2(t->straight, type, code_address((const void *)in->execute), argument, 2, "");
}

static void translate_instruction(BlockCode *t, const Instruction *in) {
  Unit unit = in->info->unit;
  t->used += in->uses;
  if (unit == UNIT_VALU && can_copy_vector(in))
    copy_vector(t, in);
  else if (unit <= UNIT_SMEM && lane_function(in->info))
    copy_scalar(t, in);
  else if (t->traced || !begins_with(in, "s_waitcnt")) // without a trace nobody waits
    call(t, in);
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

static JitCode translate(const Instruction *in, uint32_t count, int variant) {
  BlockCode *t = calloc(1, sizeof *t);
  if (!t)
    return (JitCode){0};
  t->all_lanes = variant & BLOCK_ALL_LANES;
  t->traced = variant & BLOCK_TRACED;
  static unsigned translated; // no two functions have the same name
  char name[32];
  snprintf(name, sizeof name, "block_%u", translated++);
  begin(t, name);
  const Instruction *last = in;
  for (uint32_t i = 0; i < count; i++, in += in->words) {
    last = in;
    if (i == count - 1)
      set_pointer(t, offsetof(Wavefront, next), in + in->words); // unless it jumps
    translate_instruction(t, in);
  }
  code_close_loop(t);
  tell_used(t);
  set_pointer(t, offsetof(Wavefront, in), last);
  LLVMBuildRetVoid(t->straight);
  LLVMDisposeBuilder(t->straight);
  LLVMDisposeBuilder(t->lanes);
  JitCode code = jit_compile(t->module, name);
  free(t);
  return code;
}

// ---- when ----

// LLVM has one state: a thread that finds another translating goes on interpreting.
static pthread_mutex_t translating = PTHREAD_MUTEX_INITIALIZER;

static Block *new_block(const Instruction *in, uint32_t shortest) {
  Block *block = calloc(1, sizeof *block);
  if (block && jit_start() && lane_functions_start())
    block->count = block_length(in);
  if (block && block->count < shortest)
    block->count = 0;
  return block;
}

static int variant_of(const Wavefront *w) {
  return (w->exec == ~0ull ? BLOCK_ALL_LANES : BLOCK_ANY_LANES) | (w->trace.off ? 0 : BLOCK_TRACED);
}

RunBlock *translation_find(const Wavefront *w, const Block *block) {
  return __atomic_load_n(&block->run[variant_of(w)], __ATOMIC_ACQUIRE);
}

// Whether the block has all that it will ever have for a wave as this one.
static bool settled(const Wavefront *w, const Block *block) {
  return block && (!block->count || block->failed || translation_find(w, block));
}

static void make(const Wavefront *w, Instruction *slot) {
  if (!slot->block)
    __atomic_store_n(&slot->block, new_block(slot, w->thread->hot > 1 ? SHORTEST : 1),
                     __ATOMIC_RELEASE);
  Block *block = slot->block;
  if (!block || settled(w, block))
    return;
  const int variant = variant_of(w);
  JitCode code = translate(slot, block->count, variant);
  block->code[variant] = code;
  block->failed = !code.address;
  __atomic_store_n(&block->run[variant], (RunBlock *)code.address, __ATOMIC_RELEASE);
}

// What was interpreted since the last translation was of variants that are missing, so a wave of
// another one leaves the count as it is.
void translation_worth(const Wavefront *w, const Instruction *in) {
  Instruction *slot = program_slot(w->thread->program, in);
  if (__atomic_load_n(&slot->interpreted, __ATOMIC_RELAXED) < w->thread->hot ||
      settled(w, __atomic_load_n(&slot->block, __ATOMIC_ACQUIRE)) ||
      pthread_mutex_trylock(&translating) != 0)
    return;
  make(w, slot);
  __atomic_store_n(&slot->interpreted, 0,
                   __ATOMIC_RELAXED); // the next variant must be worth it, too
  pthread_mutex_unlock(&translating);
}

void translation_interpreted(const Wavefront *w, const Instruction *in, uint64_t instructions) {
  Instruction *slot = program_slot(w->thread->program, in);
  uint64_t sum = __atomic_load_n(&slot->interpreted, __ATOMIC_RELAXED) + instructions;
  __atomic_store_n(&slot->interpreted, sum,
                   __ATOMIC_RELAXED); // what another thread adds may be lost
}
