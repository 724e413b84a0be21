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
#include "block_scalar_load.h"
#include "block_vector.h"
#include "block_wave.h"
#include "lane_function.h"
#include "register_loop.h"
#include "sanitizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  const bool vector = code_vector_copy(in) != NULL;
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
    return code_accumulates(in) || in->dst_preserve ? READ : OVERWRITTEN;
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

// ---- scalar instructions ----

static bool saves_exec(const Instruction *in) { return strstr(in->info->mnemonic, "saveexec"); }

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

static void load_scalar(BlockCode *t, const Instruction *in) {
  if (t->loads_global)
    close_loop(t);
  leave_masks(t, in);
  code_load_scalar(t, in);
}

// One way of several to what follows: if this is so.
static void begin_way(BlockCode *t, LLVMValueRef condition, LLVMBasicBlockRef *other) {
  LLVMBasicBlockRef way = rows_new_block(t);
  *other = rows_new_block(t);
  LLVMBuildCondBr(t->straight, condition, way, *other);
  LLVMPositionBuilderAtEnd(t->straight, way);
}

static void end_way(BlockCode *t, LLVMBasicBlockRef other, LLVMBasicBlockRef after) {
  LLVMBuildBr(t->straight, after);
  LLVMPositionBuilderAtEnd(t->straight, other);
}

// What the first of them asks all may use, and what comes behind them: of scalar registers and LDS the others find nothing that it
// has not found.
static void write_ways(BlockCode *t, const Instruction *in, const WaveCode *code) {
  WavePlaces places = {0};
  LLVMValueRef first[MOST_PLACES] = {0};
  LLVMBasicBlockRef other, after = rows_new_block(t);
  LLVMValueRef follow = code->follow ? code->follow(t, in, first) : NULL;
  if (follow) {
    begin_way(t, follow, &other);
    code->write_block(t, in, first);
    end_way(t, other, after);
  }
  if (code->may) {
    begin_way(t, code->may(t, in, places), &other);
    code->write(t, in, places);
    end_way(t, other, after);
  }
  if (code->may || !code->write)
    call_with(t, (const void *)(code->other ? code->other : in->execute), code_address(in));
  else
    code->write(t, in, places);
  end_way(t, after, after);
}

static void write_wave(BlockCode *t, const Instruction *in, const WaveCode *code) {
  LLVMBuilderRef lanes = t->lanes;
  close_loop(t);
  code_store_scalars(t);
  code_set_pointer(t, offsetof(Wavefront, in), in);
  t->lanes = t->straight;
  write_ways(t, in, code);
  t->lanes = lanes;
}

static void copy_vector(BlockCode *t, const Instruction *in, CodeSpan *copy) {
  if (t->loop && !code_vector_masks_fit(t, in))
    close_loop(t);
  code_open_loop(t);
  code_each_span(t, in, copy);
}

static void translate_instruction(BlockCode *t, const Instruction *in) {
  CodeSpan *copy = code_vector_copy(in);
  const WaveCode *wave = t->stays ? NULL : code_wave_of(t, in);
  Waits waits;
  t->used += in->uses;
  if (waits_of(in, &waits))
    t->waits = waits_of_both(t->waits, waits);
  if (copy)
    copy_vector(t, in, copy);
  else if (can_copy_scalar(in))
    copy_scalar(t, in);
  else if (code_can_load_scalar(t, in))
    load_scalar(t, in);
  else if (code_can_load_lds(t, in))
    load_lds(t, in);
  else if (code_can_load_global(t, in))
    load_global(t, in);
  else if (wave)
    write_wave(t, in, wave);
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
    if (!code_vector_copy(in) && !can_copy_scalar(in) && !code_can_load_lds(t, in) &&
        !code_can_load_global(t, in) && !code_can_load_scalar(t, in) && !branch_of(in) &&
        !begins_with(in, "s_waitcnt"))
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
