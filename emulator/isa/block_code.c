// The function of a block, being written: see block_code.h.
#include "block_code.h"

#include <string.h>

LLVMTypeRef code_integer(unsigned bits) { return LLVMIntTypeInContext(jit_context(), bits); }
LLVMTypeRef code_span(unsigned bits) { return LLVMVectorType(code_integer(bits), SPAN); }
LLVMTypeRef code_pointer(void) { return LLVMPointerTypeInContext(jit_context(), 0); }
LLVMValueRef code_number(unsigned bits, uint64_t value) {
  return LLVMConstInt(code_integer(bits), value, false);
}
LLVMValueRef code_address(const void *place) {
  return LLVMConstIntToPtr(code_number(64, (uint64_t)place), code_pointer());
}

static LLVMValueRef beside(LLVMBuilderRef builder, LLVMValueRef base, LLVMValueRef bytes) {
  return LLVMBuildGEP2(builder, code_integer(BYTE), base, &bytes, 1, "");
}

LLVMValueRef code_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef from,
                       unsigned alignment) {
  LLVMValueRef value = LLVMBuildLoad2(builder, type, from, "");
  LLVMSetAlignment(value, alignment);
  return value;
}

void code_store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef to, unsigned alignment) {
  LLVMSetAlignment(LLVMBuildStore(builder, value, to), alignment);
}

LLVMValueRef code_field(const BlockCode *t, LLVMBuilderRef builder, size_t offset) {
  return beside(builder, t->wave, code_number(64, offset));
}

LLVMValueRef code_splat(LLVMBuilderRef builder, LLVMValueRef value) {
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), SPAN);
  LLVMValueRef first =
      LLVMBuildInsertElement(builder, LLVMGetUndef(type), value, code_number(32, 0), "");
  return LLVMBuildShuffleVector(builder, first, LLVMGetUndef(type),
                                LLVMConstNull(LLVMVectorType(code_integer(32), SPAN)), "");
}

LLVMValueRef code_splat_number(unsigned bits, uint64_t value) {
  LLVMValueRef lane[SPAN];
  for (int i = 0; i < SPAN; i++)
    lane[i] = code_number(bits, value);
  return LLVMConstVector(lane, SPAN);
}

// ---- scalar registers ----

LLVMValueRef code_sgpr(const BlockCode *t, LLVMBuilderRef builder, unsigned index) {
  return code_field(t, builder, offsetof(Wavefront, sgpr) + sizeof(uint32_t) * index);
}

unsigned code_bits(Type type) {
  return type >= TYPE_u64 ? 64 : type >= TYPE_u32 || type == TYPE_NONE ? 32 : 16;
}

LLVMValueRef code_scalar(const BlockCode *t, const Operand *operand, unsigned bits) {
  return operand->kind == OPERAND_SGPR ? code_load(t->straight, code_integer(bits),
                                                   code_sgpr(t, t->straight, operand->index), 4)
                                       : code_number(bits, operand->value);
}

bool code_names_mask(const BlockCode *t, const Operand *operand) {
  if (operand->kind != OPERAND_SGPR)
    return false;
  int end = operand->index + (operand->registers ? operand->registers : 2);
  for (int i = operand->index ? operand->index - 1 : 0; i < end && i < SGPR_COUNT; i++)
    if (t->mask[i])
      return true;
  return false;
}

// ---- vector registers ----

static LLVMValueRef row(const BlockCode *t, int index) {
  return beside(
      t->lanes, beside(t->lanes, t->wave, t->offset),
      code_number(64, offsetof(Wavefront, vgpr) + sizeof(uint32_t) * LANES * (size_t)index));
}

// Every second one of the span's 32 words, from `first` on.
static LLVMValueRef half_of(const BlockCode *t, LLVMValueRef pair, uint64_t first) {
  LLVMValueRef from[SPAN];
  for (uint64_t i = 0; i < SPAN; i++)
    from[i] = code_number(32, 2 * i + first);
  LLVMTypeRef words = LLVMVectorType(code_integer(32), 2 * SPAN);
  return LLVMBuildShuffleVector(t->lanes, LLVMBuildBitCast(t->lanes, pair, words, ""),
                                LLVMGetUndef(words), LLVMConstVector(from, SPAN), "");
}

static LLVMValueRef joined(const BlockCode *t, LLVMValueRef low, LLVMValueRef high) {
  LLVMValueRef from[2 * SPAN];
  for (uint64_t i = 0; i < SPAN; i++) {
    from[2 * i] = code_number(32, i);
    from[2 * i + 1] = code_number(32, i + SPAN);
  }
  LLVMValueRef words =
      LLVMBuildShuffleVector(t->lanes, low, high, LLVMConstVector(from, 2 * SPAN), "");
  return LLVMBuildBitCast(t->lanes, words, code_span(64), "");
}

LLVMValueRef code_read_word(BlockCode *t, int index) {
  if (!t->word[index])
    t->word[index] = t->pair[index] ? half_of(t, t->pair[index], 0)
                     : index && t->pair[index - 1]
                         ? half_of(t, t->pair[index - 1], 1)
                         : code_load(t->lanes, code_span(32), row(t, index), 64);
  return t->word[index];
}

LLVMValueRef code_read_pair(BlockCode *t, int index) {
  if (!t->pair[index])
    t->pair[index] = joined(t, code_read_word(t, index), code_read_word(t, index + 1));
  return t->pair[index];
}

// The words beside [index, index + count) no longer stand in pairs with words of it.
static void part(BlockCode *t, int index, int count) {
  if (index && t->pair[index - 1]) {
    code_read_word(t, index - 1);
    t->pair[index - 1] = NULL;
  }
  int last = index + count - 1;
  if (t->pair[last]) {
    code_read_word(t, last + 1);
    t->pair[last] = NULL;
  }
}

void code_write_word(BlockCode *t, int index, LLVMValueRef value) {
  part(t, index, 1);
  t->word[index] = value;
  t->changed[index] = true;
}

void code_write_pair(BlockCode *t, int index, LLVMValueRef value) {
  part(t, index, 2);
  t->word[index] = t->word[index + 1] = NULL;
  t->pair[index] = value;
  t->changed[index] = t->changed[index + 1] = true;
}

// ---- the loop over spans ----

// The span's 16 bits of a mask whose 64 bits stand in memory, as an address.
static LLVMValueRef span_bits(const BlockCode *t, LLVMValueRef mask) {
  return beside(t->lanes, mask, LLVMBuildLShr(t->lanes, t->offset, code_number(64, 5), ""));
}

LLVMValueRef code_truth(const BlockCode *t, LLVMValueRef bits) {
  return LLVMBuildBitCast(t->lanes, bits, code_span(1), "");
}

void code_open_loop(BlockCode *t) {
  if (t->loop)
    return;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->straight);
  t->loop = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMPositionBuilderAtEnd(t->lanes, t->loop);
  t->offset = LLVMBuildPhi(t->lanes, code_integer(64), "");
  LLVMValueRef first = code_number(64, 0);
  LLVMAddIncoming(t->offset, &first, &before, 1);
  LLVMValueRef exec = span_bits(t, code_field(t, t->lanes, offsetof(Wavefront, exec)));
  t->active = t->all_lanes ? LLVMConstAllOnes(code_span(1))
                           : code_truth(t, code_load(t->lanes, code_integer(SPAN), exec, 2));
}

static void store_changes(BlockCode *t) {
  for (int i = 0; i < VGPRS; i++)
    if (t->changed[i])
      code_store(t->lanes, code_read_word(t, i), row(t, i), 64);
  for (unsigned i = 0; i < SGPR_COUNT; i++)
    if (t->mask[i])
      code_store(t->lanes, LLVMBuildBitCast(t->lanes, t->mask[i], code_integer(SPAN), ""),
                 span_bits(t, code_sgpr(t, t->lanes, i)), 2);
}

void code_close_loop(BlockCode *t) {
  if (!t->loop)
    return;
  store_changes(t);
  LLVMValueRef next =
      LLVMBuildAdd(t->lanes, t->offset, code_number(64, SPAN * sizeof(uint32_t)), "");
  LLVMAddIncoming(t->offset, &next, &t->loop, 1);
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMValueRef done =
      LLVMBuildICmp(t->lanes, LLVMIntEQ, next, code_number(64, LANES * sizeof(uint32_t)), "");
  LLVMBuildCondBr(t->lanes, done, after, t->loop);
  LLVMBuildBr(t->straight, t->loop);
  LLVMPositionBuilderAtEnd(t->straight, after);
  t->loop = NULL;
  memset(t->word, 0, sizeof t->word);
  memset(t->pair, 0, sizeof t->pair);
  memset(t->changed, 0, sizeof t->changed);
  memset(t->mask, 0, sizeof t->mask);
}
