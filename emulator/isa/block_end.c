// How the machine code of a block is entered and left: see block_end.h.
//
// A branch of the wave is one of the host, which foresees it; an address that is computed it would wait for.
#include "block_end.h"

#include "block.h"

#include <string.h>

static LLVMBasicBlockRef new_block(const BlockCode *t) {
  return LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
}

static LLVMValueRef load_field(const BlockCode *t, size_t offset) {
  return code_load(t->straight, code_integer(64), code_field(t, t->straight, offset),
                   sizeof(uint64_t));
}

void code_begin_blocks(BlockCode *t, const Instruction *const *first, uint32_t blocks,
                       Stays *stays) {
  t->first = first;
  t->blocks = blocks;
  for (uint32_t i = 0; i < blocks; i++) {
    t->begin[i] = new_block(t);
    t->enter[i] = stays(t, first[i]) ? new_block(t) : t->begin[i];
  }
  LLVMValueRef next = load_field(t, offsetof(Wavefront, next)),
               begin = LLVMBuildSwitch(t->straight, next, t->enter[0], blocks - 1);
  for (uint32_t i = 1; i < blocks; i++)
    LLVMAddCase(begin, code_number(64, (uint64_t)first[i]), t->enter[i]);
}

// ---- to the next block ----

static LLVMValueRef lanes_of(const BlockCode *t, LLVMValueRef exec) {
  return t->all_lanes ? code_number(64, LANES)
                      : code_count_bits(t, t->straight, "llvm.ctpop", exec);
}

static void add(const BlockCode *t, LLVMValueRef place, LLVMValueRef more) {
  LLVMValueRef before = code_load(t->straight, code_integer(64), place, sizeof(uint64_t));
  code_store(t->straight, LLVMBuildAdd(t->straight, before, more, ""), place, sizeof(uint64_t));
}

LLVMValueRef code_profile(const BlockCode *t, LLVMBuilderRef builder, const Instruction *in,
                          size_t offset) {
  LLVMValueRef thread =
                   code_load(builder, code_pointer(),
                             code_field(t, builder, offsetof(Wavefront, thread)), sizeof(void *)),
               profile = code_load(
                   builder, code_pointer(),
                   code_beside(builder, thread, code_number(64, offsetof(HostThread, profile))),
                   sizeof(void *));
  return code_beside(builder, profile,
                     code_number(64, sizeof(InstructionProfile) * in->id + offset));
}

// In the profile, as the instruction loop does.
static void count_block(const BlockCode *t, const Instruction *first, LLVMValueRef exec) {
  add(t, code_profile(t, t->straight, first, offsetof(InstructionProfile, blocks)),
      code_number(64, 1));
  add(t, code_profile(t, t->straight, first, offsetof(InstructionProfile, block_lanes)),
      lanes_of(t, exec));
}

static bool is_loop(const Instruction *first) {
  const Instruction *to[2];
  for (int places = block_leads_to(block_last(first, first->block->count), to); places--;)
    if (to[places] == first)
      return true;
  return false;
}

// Whether a wave stays in this code for the block though it has all its lanes on, or in that of all lanes though it has not: there
// only if the block has no vector instruction. Such blocks are around what is in `if`. To leave one code for the other twice takes
// longer than a few instructions under a mask; but a wave that goes round in a loop would never come back to the code of all lanes.
static bool serves_other_lanes(const BlockCode *t, const Instruction *first) {
  enum { FEW = 6 };
  unsigned vectors = 0;
  bool changes = false;
  const Instruction *in = first;
  for (uint32_t left = first->block->count; left--; in += in->words) {
    if (in->info->unit > UNIT_VALU)
      return false;
    vectors += in->info->unit == UNIT_VALU;
    changes = changes || changes_lanes(in);
  }
  return !is_loop(first) && (!vectors || (!t->all_lanes && changes && vectors <= FEW));
}

// Goes on with the block, or behind this code where the wave may not.
static void try_block(BlockCode *t, const Instruction *first, LLVMBasicBlockRef begin) {
  LLVMBasicBlockRef go = new_block(t), stay = new_block(t);
  LLVMValueRef exec = load_field(t, offsetof(Wavefront, exec)),
               sum = LLVMBuildAdd(t->straight, load_field(t, offsetof(Wavefront, issued)),
                                  code_number(64, first->block->count), ""),
               fits = LLVMBuildICmp(t->straight, LLVMIntULE, sum,
                                    load_field(t, offsetof(Wavefront, go_on_until)), ""),
               variant = serves_other_lanes(t, first)
                             ? code_number(1, 1)
                             : LLVMBuildICmp(t->straight, t->all_lanes ? LLVMIntEQ : LLVMIntNE,
                                             exec, LLVMConstAllOnes(code_integer(64)), "");
  LLVMBuildCondBr(t->straight, LLVMBuildAnd(t->straight, fits, variant, ""), go, stay);
  LLVMPositionBuilderAtEnd(t->straight, go);
  code_store(t->straight, sum, code_field(t, t->straight, offsetof(Wavefront, issued)),
             sizeof(uint64_t));
  count_block(t, first, exec);
  LLVMBuildBr(t->straight, begin);
  LLVMPositionBuilderAtEnd(t->straight, stay);
}

static void go_to(BlockCode *t, const Instruction *next) {
  for (uint32_t i = 0; i < t->blocks; i++)
    if (t->goes_on && t->first[i] == next)
      try_block(t, next, next == t->written ? t->begin[i] : t->enter[i]);
  code_set_pointer(t, offsetof(Wavefront, next), next);
  LLVMBuildRetVoid(t->straight);
}

LLVMValueRef code_branch_taken(BlockCode *t, const Branch *branch) {
  LLVMValueRef value =
      branch->condition == ON_SCC
          ? code_read_scc(t)
          : code_read(t, &t->sgpr, branch->condition == ON_VCC ? SGPR_VCC : SGPR_EXEC, 64);
  return LLVMBuildICmp(t->straight, branch->on_zero ? LLVMIntEQ : LLVMIntNE, value,
                       LLVMConstNull(LLVMTypeOf(value)), "");
}

void code_end_block(BlockCode *t, const Instruction *last) {
  const Instruction *to[2];
  const int places = block_leads_to(last, to);
  if (places == 0) {
    LLVMBuildRetVoid(t->straight);
  } else if (places == 1) {
    go_to(t, to[0]);
  } else {
    LLVMBasicBlockRef jump = new_block(t), on = new_block(t);
    LLVMBuildCondBr(t->straight, code_branch_taken(t, branch_of(last)), jump, on);
    LLVMPositionBuilderAtEnd(t->straight, jump);
    go_to(t, to[0]);
    LLVMPositionBuilderAtEnd(t->straight, on);
    go_to(t, to[1]);
  }
}
