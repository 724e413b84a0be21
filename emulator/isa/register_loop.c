// Loops that stay in registers: see register_loop.h.
//
//     before: where lanes of addresses lie -- enter --> round <-- again
//                      |                                 |  \_ the wave goes elsewhere: store, the block's end
//                      \-- other code of the block <-----/ leave: store what the round began with
#include "register_loop.h"

#include "affine_value.h"
#include "block.h"
#include "block_end.h"

#include <stdlib.h>
#include <string.h>

bool register_loop_fits(const BlockCode *t, const Instruction *first, uint32_t count) {
  const Instruction *last = block_last(first, count), *to[2];
  return t->goes_on && t->all_lanes && t->uncounted && !t->traced && count <= LONGEST_LOOP &&
         block_leads_to(last, to) == 2 && to[0] == first;
}

static LLVMValueRef wave_field(const BlockCode *t, LLVMBuilderRef builder, size_t offset) {
  return code_load(builder, code_integer(64), code_field(t, builder, offset), sizeof(uint64_t));
}

static LLVMBasicBlockRef new_block(const BlockCode *t) {
  return LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
}

static void list_instructions(AffineLoop *loop, const Instruction *in, uint32_t count) {
  for (loop->count = 0; loop->count < count; in += in->words)
    loop->in[loop->count++] = in;
}

bool register_loop_begin(BlockCode *t, const Instruction *first, uint32_t count,
                         LLVMBasicBlockRef enter, AddressRegisters *address_registers) {
  RegisterLoop *loop = calloc(1, sizeof *loop);
  if (!loop)
    return false;
  list_instructions(&loop->affine, first, count);
  affine_find(&loop->affine, address_registers);
  loop->once = LLVMCreateBuilderInContext(jit_context());
  LLVMPositionBuilderAtEnd(loop->once, enter);
  loop->head = new_block(t);
  loop->leave = new_block(t);
  loop->may = code_number(1, 1);
  loop->issued = code_at_head(loop, wave_field(t, loop->once, offsetof(Wavefront, issued)));
  t->stays = loop;
  t->at_once = SPANS;
  t->head = t->loop = loop->head;
  LLVMPositionBuilderAtEnd(t->straight, loop->head);
  for (unsigned i = 0; i < SPANS; i++) {
    t->spans[i].offset = code_number(64, (uint64_t)i * SPAN * sizeof(uint32_t));
    t->spans[i].active = LLVMConstAllOnes(code_span(1));
  }
  affine_value_enter(t);
  return true;
}

// ---- where it ends ----

// Of a pair either both words have or none.
static bool has_changed(const BlockCode *t, const Kept *kept) {
  return kept->what == KEPT_SCC    ? t->scc_changed
         : kept->what == KEPT_SGPR ? t->sgpr.changed[kept->index]
                                   : t->spans[kept->span].vgpr.changed[kept->index];
}

static LLVMValueRef value_now(BlockCode *t, const Kept *kept) {
  switch (kept->what) {
  case KEPT_VGPR:
    return code_read(t, &t->spans[kept->span].vgpr, kept->index, 32);
  case KEPT_PAIR:
    return code_read(t, &t->spans[kept->span].vgpr, kept->index, 64);
  case KEPT_AFFINE:
    return t->stays->value[kept->index].base;
  case KEPT_SGPR:
    return code_read(t, &t->sgpr, kept->index, 32);
  default:
    return code_read_scc(t);
  }
}

static void store_kept(BlockCode *t, LLVMBuilderRef builder, const Kept *kept) {
  if (kept->what == KEPT_SCC) {
    code_store(builder, kept->value, code_scc(t, builder), 1);
  } else if (kept->what == KEPT_SGPR) {
    code_store(builder, kept->value, code_sgpr(t, builder, kept->index), 4);
  } else if (kept->what == KEPT_VGPR) {
    code_store(builder, kept->value, code_row(t, builder, t->spans[kept->span].offset, kept->index),
               64);
  } else if (kept->what == KEPT_PAIR) {
    for (unsigned i = 0; i < 2; i++)
      code_store(builder, code_word_of_pairs(builder, kept->value, i),
                 code_row(t, builder, t->spans[kept->span].offset, kept->index + (int)i), 64);
  } else {
    AffineValue began = t->stays->value[kept->index];
    began.base = kept->value;
    for (unsigned i = 0; i < SPANS; i++)
      code_store(builder, code_affine_row(t, builder, &began, i),
                 code_row(t, builder, t->spans[i].offset, kept->index), 64);
  }
}

static void add_to(LLVMBuilderRef builder, LLVMValueRef place, LLVMValueRef more) {
  LLVMValueRef before = code_load(builder, code_integer(64), place, sizeof(uint64_t));
  code_store(builder, LLVMBuildAdd(builder, before, more, ""), place, sizeof(uint64_t));
}

// The rounds behind the first one: what led here has counted that.
static void count_rounds(const BlockCode *t, LLVMBuilderRef builder, const Instruction *first) {
  LLVMValueRef issued = code_field(t, builder, offsetof(Wavefront, issued)),
               before = code_load(builder, code_integer(64), issued, sizeof(uint64_t)),
               more = LLVMBuildSub(builder, t->stays->issued, before, ""),
               rounds = LLVMBuildUDiv(builder, more, code_number(64, first->block->count), "");
  code_store(builder, t->stays->issued, issued, sizeof(uint64_t));
  add_to(builder, code_profile(t, builder, first, offsetof(InstructionProfile, blocks)), rounds);
  add_to(builder, code_profile(t, builder, first, offsetof(InstructionProfile, block_lanes)),
         LLVMBuildMul(builder, rounds, code_number(64, LANES), ""));
}

static void write_leave(BlockCode *t, const Instruction *first, LLVMBasicBlockRef other) {
  RegisterLoop *loop = t->stays;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(jit_context());
  LLVMPositionBuilderAtEnd(builder, loop->leave);
  for (unsigned i = 0; i < loop->kept_count; i++)
    if (has_changed(t, &loop->kept[i]))
      store_kept(t, builder, &loop->kept[i]);
  count_rounds(t, builder, first);
  LLVMBuildBr(builder, other);
  LLVMDisposeBuilder(builder);
}

// Whether there is another round: the wave jumps, may go on, and all its lanes are on.
static LLVMValueRef goes_again(BlockCode *t, const Instruction *last, LLVMValueRef issued) {
  LLVMValueRef until = wave_field(t, t->stays->once, offsetof(Wavefront, go_on_until)),
               again = LLVMBuildAnd(t->straight, code_branch_taken(t, branch_of(last)),
                                    LLVMBuildICmp(t->straight, LLVMIntULE, issued, until, ""), "");
  if (!t->sgpr.changed[SGPR_EXEC] && !t->sgpr.changed[SGPR_EXEC + 1])
    return again;
  LLVMValueRef exec = code_read(t, &t->sgpr, SGPR_EXEC, 64);
  return LLVMBuildAnd(
      t->straight, again,
      LLVMBuildICmp(t->straight, LLVMIntEQ, exec, LLVMConstAllOnes(code_integer(64)), ""), "");
}

static void write_again(BlockCode *t, const Instruction *first, const Instruction *last) {
  RegisterLoop *loop = t->stays;
  LLVMValueRef more = code_number(64, first->block->count),
               issued = LLVMBuildAdd(t->straight, loop->issued, more, ""),
               again = goes_again(t, last, issued);
  LLVMBasicBlockRef end = new_block(t), from = LLVMGetInsertBlock(t->straight);
  LLVMAddIncoming(loop->issued, &issued, &from, 1);
  for (unsigned i = 0; i < loop->kept_count; i++) {
    t->span = &t->spans[loop->kept[i].span];
    LLVMValueRef now = value_now(t, &loop->kept[i]);
    LLVMAddIncoming(loop->kept[i].value, &now, &from, 1);
  }
  t->span = t->spans;
  LLVMBuildCondBr(t->straight, again, loop->head, end);
  LLVMPositionBuilderAtEnd(t->straight, end);
}

void register_loop_end(BlockCode *t, const Instruction *first, const Instruction *last,
                       LLVMBasicBlockRef other) {
  RegisterLoop *loop = t->stays;
  code_close_loop(t);
  write_again(t, first, last);
  write_leave(t, first, other);
  code_each_span(t, NULL, code_store_rows);
  code_store_scalars(t);
  count_rounds(t, t->straight, first);
  code_set_pointer(t, offsetof(Wavefront, next), last + last->words); // unless it jumps
  code_set_pointer(t, offsetof(Wavefront, in), last);
  code_end_block(t, last);
  LLVMValueRef may = loop->failed ? code_number(1, 0) : loop->may;
  LLVMBuildCondBr(loop->once, may, loop->head, other);
  LLVMDisposeBuilder(loop->once);
  t->stays = NULL;
  t->loop = NULL;
  memset(t->spans, 0, sizeof t->spans);
  free(loop);
}
