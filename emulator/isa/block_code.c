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

LLVMValueRef code_beside(LLVMBuilderRef builder, LLVMValueRef base, LLVMValueRef bytes) {
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
  return code_beside(builder, t->wave, code_number(64, offset));
}

void code_set_pointer(const BlockCode *t, size_t offset, const void *value) {
  code_store(t->straight, code_address(value), code_field(t, t->straight, offset), sizeof value);
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

// ---- registers ----

static bool is_scalar(const BlockCode *t, const CodeRegisters *file) { return file == &t->sgpr; }

static LLVMValueRef row(const BlockCode *t, int index) {
  return code_beside(
      t->lanes, code_beside(t->lanes, t->wave, t->offset),
      code_number(64, offsetof(Wavefront, vgpr) + sizeof(uint32_t) * LANES * (size_t)index));
}

static LLVMValueRef sgpr(const BlockCode *t, int index) {
  return code_field(t, t->straight, offsetof(Wavefront, sgpr) + sizeof(uint32_t) * (size_t)index);
}

static LLVMValueRef from_memory(const BlockCode *t, const CodeRegisters *file, int index,
                                unsigned bits) {
  return is_scalar(t, file) ? code_load(t->straight, code_integer(bits), sgpr(t, index), 4)
                            : code_load(t->lanes, code_span(bits), row(t, index), 64);
}

// Places in two values that follow each other.
static const uint8_t first_8[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const uint8_t last_8[] = {8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t all_16[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t every_second[][SPAN] = {
    {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
    {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31}};
static const uint8_t in_turns[][SPAN] = {
    {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
    {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31}};

static LLVMValueRef taken(const BlockCode *t, LLVMValueRef a, LLVMValueRef b, const uint8_t *places,
                          unsigned count) {
  LLVMValueRef from[SPAN];
  for (unsigned i = 0; i < count; i++)
    from[i] = code_number(32, places[i]);
  return LLVMBuildShuffleVector(t->lanes, a, b, LLVMConstVector(from, count), "");
}

// A span's pairs are as long as two of the host's registers: LLVM is faster if it need not find out
// by itself which words each half has.
static LLVMValueRef word_of(const BlockCode *t, const CodeRegisters *file, LLVMValueRef pair,
                            uint64_t first) {
  if (is_scalar(t, file))
    return LLVMBuildTrunc(t->straight,
                          LLVMBuildLShr(t->straight, pair, code_number(64, 32 * first), ""),
                          code_integer(32), "");
  LLVMTypeRef words = code_span(32);
  LLVMValueRef low = taken(t, pair, pair, first_8, SPAN / 2),
               high = taken(t, pair, pair, last_8, SPAN / 2);
  return taken(t, LLVMBuildBitCast(t->lanes, low, words, ""),
               LLVMBuildBitCast(t->lanes, high, words, ""), every_second[first], SPAN);
}

static LLVMValueRef joined(const BlockCode *t, const CodeRegisters *file, LLVMValueRef low,
                           LLVMValueRef high) {
  if (is_scalar(t, file)) {
    low = LLVMBuildZExt(t->straight, low, code_integer(64), "");
    high = LLVMBuildZExt(t->straight, high, code_integer(64), "");
    high = LLVMBuildShl(t->straight, high, code_number(64, 32), "");
    return LLVMBuildOr(t->straight, low, high, "");
  }
  LLVMTypeRef half = LLVMVectorType(code_integer(64), SPAN / 2);
  LLVMValueRef first = taken(t, low, high, in_turns[0], SPAN),
               last = taken(t, low, high, in_turns[1], SPAN);
  return taken(t, LLVMBuildBitCast(t->lanes, first, half, ""),
               LLVMBuildBitCast(t->lanes, last, half, ""), all_16, SPAN);
}

static LLVMValueRef read_word(BlockCode *t, CodeRegisters *file, int index) {
  if (!file->word[index])
    file->word[index] = file->pair[index] ? word_of(t, file, file->pair[index], 0)
                        : index && file->pair[index - 1]
                            ? word_of(t, file, file->pair[index - 1], 1)
                            : from_memory(t, file, index, 32);
  return file->word[index];
}

static bool known(const CodeRegisters *file, int index) {
  return file->word[index] || file->pair[index] || (index && file->pair[index - 1]);
}

static LLVMValueRef read_pair(BlockCode *t, CodeRegisters *file, int index) {
  if (is_scalar(t, file) && !known(file, index) && !known(file, index + 1))
    file->pair[index] = from_memory(t, file, index, 64);
  if (!file->pair[index]) {
    LLVMValueRef low = read_word(t, file, index);
    file->pair[index] = joined(t, file, low, read_word(t, file, index + 1));
  }
  return file->pair[index];
}

LLVMValueRef code_read(BlockCode *t, CodeRegisters *file, int index, unsigned bits) {
  return bits == 64 ? read_pair(t, file, index) : read_word(t, file, index);
}

// The words beside [index, index + count) no longer stand in pairs with words of it.
static void part(BlockCode *t, CodeRegisters *file, int index, int count) {
  if (index && file->pair[index - 1]) {
    read_word(t, file, index - 1);
    file->pair[index - 1] = NULL;
  }
  int last = index + count - 1;
  if (file->pair[last]) {
    read_word(t, file, last + 1);
    file->pair[last] = NULL;
  }
}

void code_write(BlockCode *t, CodeRegisters *file, int index, unsigned bits, LLVMValueRef value) {
  int count = bits == 64 ? 2 : 1;
  part(t, file, index, count);
  for (int i = index; i < index + count; i++) {
    file->word[i] = count == 1 ? value : NULL;
    file->changed[i] = true;
  }
  file->pair[index] = count == 2 ? value : NULL;
}

// ---- scalar registers ----

static LLVMValueRef scc(const BlockCode *t) {
  return code_field(t, t->straight, offsetof(Wavefront, scc));
}

LLVMValueRef code_read_scc(BlockCode *t) {
  if (!t->scc)
    t->scc = code_load(t->straight, code_integer(BYTE), scc(t), 1);
  return t->scc;
}

void code_write_scc(BlockCode *t, LLVMValueRef value) {
  t->scc = value;
  t->scc_changed = true;
}

// A pair goes as one: a host that loads it before it has reached the cache would wait for two stores.
void code_store_scalars(BlockCode *t) {
  for (int i = 0; i < SGPR_COUNT; i++) {
    if (!t->sgpr.changed[i])
      continue;
    const bool pair = t->sgpr.pair[i] && t->sgpr.changed[i + 1];
    code_store(t->straight, code_read(t, &t->sgpr, i, pair ? 64 : 32), sgpr(t, i), 4);
    i += pair;
  }
  if (t->scc_changed)
    code_store(t->straight, t->scc, scc(t), 1);
  memset(t->sgpr.changed, 0, sizeof t->sgpr.changed);
  t->scc_changed = false;
}

void code_forget_scalars(BlockCode *t) {
  t->sgpr = (CodeRegisters){0};
  t->scc = NULL;
}

unsigned code_bits(Type type) {
  return type >= TYPE_u64 ? 64 : type >= TYPE_u32 || type == TYPE_NONE ? 32 : 16;
}

LLVMValueRef code_scalar(BlockCode *t, const Operand *operand, unsigned bits) {
  return operand->kind == OPERAND_SGPR ? code_read(t, &t->sgpr, operand->index, bits)
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

// ---- the loop over spans ----

// The span's 16 bits of a mask whose 64 bits stand in memory, as an address.
static LLVMValueRef span_bits(const BlockCode *t, LLVMValueRef mask) {
  return code_beside(t->lanes, mask, LLVMBuildLShr(t->lanes, t->offset, code_number(64, 5), ""));
}

LLVMValueRef code_truth(const BlockCode *t, LLVMValueRef bits) {
  return LLVMBuildBitCast(t->lanes, bits, code_span(1), "");
}

void code_open_loop(BlockCode *t) {
  if (t->loop)
    return;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->straight);
  t->head = t->loop = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMPositionBuilderAtEnd(t->lanes, t->head);
  t->offset = LLVMBuildPhi(t->lanes, code_integer(64), "");
  LLVMValueRef first = code_number(64, 0);
  LLVMAddIncoming(t->offset, &first, &before, 1);
  t->active = LLVMConstAllOnes(code_span(1));
  if (t->all_lanes)
    return;
  LLVMValueRef exec = span_bits(t, code_field(t, t->lanes, offsetof(Wavefront, exec)));
  t->exec = code_load(t->lanes, code_integer(SPAN), exec, 2);
  t->loop = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMPositionBuilderAtEnd(t->lanes, t->loop);
  t->active = code_truth(t, t->exec);
}

LLVMValueRef code_rows(const BlockCode *t, int rows, unsigned bits) {
  LLVMBuilderRef entry = LLVMCreateBuilderInContext(jit_context());
  LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(t->function);
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  if (first)
    LLVMPositionBuilderBefore(entry, first);
  else
    LLVMPositionBuilderAtEnd(entry, block);
  LLVMValueRef array = LLVMBuildAlloca(entry, LLVMArrayType(code_span(bits), (unsigned)rows), "");
  LLVMSetAlignment(array, sizeof(uint64_t));
  LLVMDisposeBuilder(entry);
  return array;
}

LLVMValueRef code_rare_call(BlockCode *t, LLVMValueRef some, LLVMValueRef usual,
                            const void *function, LLVMValueRef *row, int rows, unsigned bits) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->lanes),
                    rare = LLVMAppendBasicBlockInContext(jit_context(), t->function, ""),
                    after = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMValueRef array = code_rows(t, rows, bits),
               any = LLVMBuildICmp(t->lanes, LLVMIntNE, some, code_number(SPAN, 0), "");
  LLVMBuildCondBr(t->lanes, any, rare, after);
  LLVMPositionBuilderAtEnd(t->lanes, rare);
  for (int i = 0; i < rows; i++)
    code_store(t->lanes, row[i],
               code_beside(t->lanes, array, code_number(64, (uint64_t)i * SPAN * bits / BYTE)),
               sizeof(uint64_t));
  LLVMValueRef argument[] = {array, LLVMBuildZExt(t->lanes, some, code_integer(32), "")};
  LLVMTypeRef parameter[] = {code_pointer(), code_integer(32)},
              type = LLVMFunctionType(LLVMVoidTypeInContext(jit_context()), parameter, 2, false);
  LLVMBuildCall2(t->lanes, type, code_address(function), argument, 2, "");
  LLVMValueRef unusual = code_load(t->lanes, code_span(bits), array, sizeof(uint64_t));
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, after);
  LLVMValueRef either = LLVMBuildPhi(t->lanes, code_span(bits), "");
  LLVMAddIncoming(either, &usual, &before, 1);
  LLVMAddIncoming(either, &unusual, &rare, 1);
  return either;
}

static void store_changes(BlockCode *t) {
  for (int i = 0; i < VGPRS; i++)
    if (t->vgpr.changed[i])
      code_store(t->lanes, read_word(t, &t->vgpr, i), row(t, i), 64);
}

// A span's bits of a mask where it ends: none if it was passed over.
static LLVMValueRef bits_at_end(BlockCode *t, LLVMValueRef bits, LLVMBasicBlockRef last) {
  if (t->head == t->loop)
    return bits;
  LLVMValueRef either = LLVMBuildPhi(t->lanes, code_integer(SPAN), ""), none = code_number(SPAN, 0);
  LLVMAddIncoming(either, &bits, &last, 1);
  LLVMAddIncoming(either, &none, &t->head, 1);
  return either;
}

// The 64 bits of a mask, as each round of the loop shifts in its span's.
static LLVMValueRef whole_mask(BlockCode *t, LLVMValueRef bits, LLVMBasicBlockRef before,
                               LLVMBasicBlockRef end) {
  LLVMTypeRef type = code_integer(64);
  LLVMPositionBuilderBefore(t->lanes, LLVMGetFirstInstruction(t->head));
  LLVMValueRef so_far = LLVMBuildPhi(t->lanes, type, ""), none = code_number(64, 0);
  LLVMPositionBuilderAtEnd(t->lanes, end);
  LLVMValueRef span = LLVMBuildShl(t->lanes, LLVMBuildZExt(t->lanes, bits, type, ""),
                                   code_number(64, LANES - SPAN), "");
  LLVMValueRef mask =
      LLVMBuildOr(t->lanes, LLVMBuildLShr(t->lanes, so_far, code_number(64, SPAN), ""), span, "");
  LLVMAddIncoming(so_far, &none, &before, 1);
  LLVMAddIncoming(so_far, &mask, &end, 1);
  return mask;
}

// Where a span ends: behind the loop, or, of one without active lanes, behind its head.
static LLVMBasicBlockRef end_of_span(const BlockCode *t) {
  if (t->head == t->loop)
    return LLVMGetInsertBlock(t->lanes);
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMBuildBr(t->lanes, end);
  LLVMPositionBuilderAtEnd(t->lanes, t->head);
  LLVMValueRef nobody = LLVMBuildICmp(t->lanes, LLVMIntEQ, t->exec, code_number(SPAN, 0), "");
  LLVMBuildCondBr(t->lanes, nobody, end, t->loop);
  return end;
}

void code_close_loop(BlockCode *t) {
  if (!t->loop)
    return;
  store_changes(t);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (t->mask[i])
      t->mask[i] = LLVMBuildBitCast(t->lanes, t->mask[i], code_integer(SPAN), "");
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->straight), last = LLVMGetInsertBlock(t->lanes),
                    end = end_of_span(t);
  LLVMPositionBuilderAtEnd(t->lanes, end);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (t->mask[i])
      t->mask[i] = bits_at_end(t, t->mask[i], last);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (t->mask[i])
      t->mask[i] = whole_mask(t, t->mask[i], before, end);
  LLVMValueRef next =
      LLVMBuildAdd(t->lanes, t->offset, code_number(64, SPAN * sizeof(uint32_t)), "");
  LLVMAddIncoming(t->offset, &next, &end, 1);
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMValueRef done =
      LLVMBuildICmp(t->lanes, LLVMIntEQ, next, code_number(64, LANES * sizeof(uint32_t)), "");
  LLVMBuildCondBr(t->lanes, done, after, t->head);
  LLVMBuildBr(t->straight, t->head);
  LLVMPositionBuilderAtEnd(t->straight, after);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (t->mask[i])
      code_write(t, &t->sgpr, i, 64, t->mask[i]);
  t->loop = NULL;
  t->vgpr = (CodeRegisters){0};
  memset(t->mask, 0, sizeof t->mask);
}
