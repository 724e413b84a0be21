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

LLVMValueRef code_count_bits(const BlockCode *t, LLVMBuilderRef builder, const char *how,
                             LLVMValueRef bits) {
  LLVMTypeRef type = LLVMTypeOf(bits);
  LLVMValueRef count = LLVMGetIntrinsicDeclaration(
                   t->module, LLVMLookupIntrinsicID(how, strlen(how)), &type, 1),
               argument[] = {bits, code_number(1, 1)};
  type = LLVMGlobalGetValueType(count);
  return LLVMBuildCall2(builder, type, count, argument, LLVMCountParamTypes(type), "");
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

LLVMValueRef code_at_head(const RegisterLoop *loop, LLVMValueRef first) {
  LLVMBuilderRef head = LLVMCreateBuilderInContext(jit_context());
  LLVMValueRef before = LLVMGetFirstInstruction(loop->head);
  if (before)
    LLVMPositionBuilderBefore(head, before);
  else
    LLVMPositionBuilderAtEnd(head, loop->head);
  LLVMValueRef value = LLVMBuildPhi(head, LLVMTypeOf(first), "");
  LLVMBasicBlockRef entry = LLVMGetInsertBlock(loop->once);
  LLVMAddIncoming(value, &first, &entry, 1);
  LLVMDisposeBuilder(head);
  return value;
}

static bool is_scalar(const BlockCode *t, const CodeRegisters *file) { return file == &t->sgpr; }

LLVMValueRef code_row(const BlockCode *t, LLVMBuilderRef builder, LLVMValueRef span, int index) {
  return code_beside(
      builder, code_beside(builder, t->wave, span),
      code_number(64, offsetof(Wavefront, vgpr) + sizeof(uint32_t) * LANES * (size_t)index));
}

LLVMValueRef code_sgpr(const BlockCode *t, LLVMBuilderRef builder, int index) {
  return code_field(t, builder, offsetof(Wavefront, sgpr) + sizeof(uint32_t) * (size_t)index);
}

LLVMValueRef code_scc(const BlockCode *t, LLVMBuilderRef builder) {
  return code_field(t, builder, offsetof(Wavefront, scc));
}

// What a loop begins with, which then stays in registers.
static LLVMValueRef keep(const BlockCode *t, Kept kept, LLVMValueRef first) {
  RegisterLoop *loop = t->stays;
  kept.value = code_at_head(loop, first);
  loop->kept[loop->kept_count++] = kept;
  return kept.value;
}

static LLVMValueRef from_memory(const BlockCode *t, const CodeRegisters *file, int index,
                                unsigned bits) {
  const bool scalar = is_scalar(t, file);
  if (t->stays && file->changed[index])
    t->stays->failed = true;
  LLVMBuilderRef builder = t->stays ? t->stays->once : scalar ? t->straight : t->lanes;
  LLVMValueRef place =
      scalar ? code_sgpr(t, builder, index) : code_row(t, builder, t->span->offset, index);
  LLVMTypeRef type = scalar ? code_integer(bits) : code_span(bits);
  const unsigned alignment = scalar ? 4 : 64;
  const Kept kept = {.what = scalar ? KEPT_SGPR : KEPT_VGPR,
                     .index = index,
                     .span = (unsigned)(t->span - t->spans)};
  LLVMValueRef value = code_load(builder, type, place, alignment);
  return t->stays ? keep(t, kept, value) : value;
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

static LLVMValueRef taken(LLVMBuilderRef builder, LLVMValueRef a, LLVMValueRef b,
                          const uint8_t *places, unsigned count) {
  LLVMValueRef from[SPAN];
  for (unsigned i = 0; i < count; i++)
    from[i] = code_number(32, places[i]);
  return LLVMBuildShuffleVector(builder, a, b, LLVMConstVector(from, count), "");
}

// A span's pairs are as long as two of the host's registers: LLVM is faster if it need not find out
// by itself which words each half has.
LLVMValueRef code_word_of_pairs(LLVMBuilderRef builder, LLVMValueRef pairs, unsigned first) {
  LLVMTypeRef words = code_span(32);
  LLVMValueRef low = taken(builder, pairs, pairs, first_8, SPAN / 2),
               high = taken(builder, pairs, pairs, last_8, SPAN / 2);
  return taken(builder, LLVMBuildBitCast(builder, low, words, ""),
               LLVMBuildBitCast(builder, high, words, ""), every_second[first], SPAN);
}

static LLVMValueRef pairs_of(LLVMBuilderRef builder, LLVMValueRef low, LLVMValueRef high) {
  LLVMTypeRef half = LLVMVectorType(code_integer(64), SPAN / 2);
  LLVMValueRef first = taken(builder, low, high, in_turns[0], SPAN),
               last = taken(builder, low, high, in_turns[1], SPAN);
  return taken(builder, LLVMBuildBitCast(builder, first, half, ""),
               LLVMBuildBitCast(builder, last, half, ""), all_16, SPAN);
}

static LLVMValueRef word_of(const BlockCode *t, const CodeRegisters *file, LLVMValueRef pair,
                            unsigned first) {
  if (!is_scalar(t, file))
    return code_word_of_pairs(t->lanes, pair, first);
  return LLVMBuildTrunc(t->straight,
                        LLVMBuildLShr(t->straight, pair, code_number(64, 32 * first), ""),
                        code_integer(32), "");
}

static LLVMValueRef joined(const BlockCode *t, const CodeRegisters *file, LLVMValueRef low,
                           LLVMValueRef high) {
  if (!is_scalar(t, file))
    return pairs_of(t->lanes, low, high);
  low = LLVMBuildZExt(t->straight, low, code_integer(64), "");
  high = LLVMBuildZExt(t->straight, high, code_integer(64), "");
  high = LLVMBuildShl(t->straight, high, code_number(64, 32), "");
  return LLVMBuildOr(t->straight, low, high, "");
}

static bool is_affine(const BlockCode *t, const CodeRegisters *file, int index) {
  return t->stays && !is_scalar(t, file) && t->stays->value[index].base;
}

static LLVMValueRef read_word(BlockCode *t, CodeRegisters *file, int index) {
  if (!file->word[index])
    file->word[index] =
        file->pair[index]                ? word_of(t, file, file->pair[index], 0)
        : index && file->pair[index - 1] ? word_of(t, file, file->pair[index - 1], 1)
        : is_affine(t, file, index)
            ? code_affine_row(t, t->lanes, &t->stays->value[index], (unsigned)(t->span - t->spans))
            : from_memory(t, file, index, 32);
  return file->word[index];
}

static bool known(const CodeRegisters *file, int index) {
  return file->word[index] || file->pair[index] || (index && file->pair[index - 1]);
}

// Whether what a round leaves in two registers was written as one.
static bool end_as_pair(const AffineLoop *loop, int index) {
  bool pair = true;
  for (uint32_t i = 0; i < loop->count; i++) {
    const Instruction *in = loop->in[i];
    const int first = in->d.index, end = first + in->d.registers;
    if (in->d.kind == OPERAND_VGPR && first <= index + 1 && end > index)
      pair = (touches_memory(in) || code_bits(in->info->type_d) == 64) && first <= index &&
             (index - first) % 2 == 0 && end > index + 1;
  }
  return pair;
}

// Of a loop, which has their words nowhere yet.
static bool stays_as_pair(const BlockCode *t, const CodeRegisters *file, int index) {
  return t->stays && !is_scalar(t, file) && !known(file, index) && !known(file, index + 1) &&
         !file->changed[index] && !file->changed[index + 1] && !is_affine(t, file, index) &&
         !is_affine(t, file, index + 1) && end_as_pair(&t->stays->affine, index);
}

static LLVMValueRef keep_pair(const BlockCode *t, int index) {
  LLVMBuilderRef once = t->stays->once;
  LLVMValueRef word[2];
  for (int i = 0; i < 2; i++)
    word[i] = code_load(once, code_span(32), code_row(t, once, t->span->offset, index + i), 64);
  return keep(t, (Kept){.what = KEPT_PAIR, .index = index, .span = (unsigned)(t->span - t->spans)},
              pairs_of(once, word[0], word[1]));
}

static LLVMValueRef read_pair(BlockCode *t, CodeRegisters *file, int index) {
  if (stays_as_pair(t, file, index))
    file->pair[index] = keep_pair(t, index);
  if (!t->stays && is_scalar(t, file) && !known(file, index) && !known(file, index + 1))
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
    if (is_affine(t, file, i))
      t->stays->value[i].base = NULL;
  }
  file->pair[index] = count == 2 ? value : NULL;
}

void code_write_affine(BlockCode *t, int index, const AffineValue *value) {
  for (unsigned i = 0; i < t->at_once; i++) {
    t->span = &t->spans[i];
    code_write(t, &t->span->vgpr, index, 32, NULL);
  }
  t->span = t->spans;
  t->stays->value[index] = *value;
}

// Distances from lane to lane do not change in the loop.
LLVMValueRef code_affine_row(const BlockCode *t, LLVMBuilderRef builder, const AffineValue *value,
                             unsigned span) {
  LLVMBuilderRef once = t->stays->once;
  if (value->same)
    return code_splat(builder, value->base);
  LLVMValueRef lane[SPAN];
  for (unsigned i = 0; i < SPAN; i++)
    lane[i] = code_number(32, i);
  LLVMValueRef behind =
      LLVMBuildMul(once, code_splat(once, value->step), LLVMConstVector(lane, SPAN), "");
  behind = LLVMBuildAdd(once, behind, code_splat(once, value->behind[span]), "");
  return LLVMBuildAdd(builder, code_splat(builder, value->base), behind, "");
}

void code_leave_unless(BlockCode *t, LLVMValueRef condition) {
  LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMBuildCondBr(t->straight, condition, on, t->stays->leave);
  LLVMPositionBuilderAtEnd(t->straight, on);
}

void code_enter_if(BlockCode *t, LLVMValueRef condition) {
  t->stays->may = LLVMBuildAnd(t->stays->once, t->stays->may, condition, "");
}

// ---- scalar registers ----

LLVMValueRef code_read_scc(BlockCode *t) {
  LLVMTypeRef type = code_integer(BYTE);
  if (!t->scc) {
    LLVMBuilderRef builder = t->stays ? t->stays->once : t->straight;
    t->scc = code_load(builder, type, code_scc(t, builder), 1);
    if (t->stays)
      t->scc = keep(t, (Kept){.what = KEPT_SCC}, t->scc);
  }
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
    code_store(t->straight, code_read(t, &t->sgpr, i, pair ? 64 : 32), code_sgpr(t, t->straight, i),
               4);
    i += pair;
  }
  if (t->scc_changed)
    code_store(t->straight, t->scc, code_scc(t, t->straight), 1);
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
    if (t->span->mask[i])
      return true;
  return false;
}

// ---- the loop over spans ----

// The span's 16 bits of a mask whose 64 bits stand in memory, as an address.
static LLVMValueRef span_bits(const BlockCode *t, LLVMValueRef mask) {
  return code_beside(t->lanes, mask,
                     LLVMBuildLShr(t->lanes, t->span->offset, code_number(64, 5), ""));
}

// Without AVX-512 LLVM takes bits out one by one, unless each lane looks at its own.
LLVMValueRef code_truth(const BlockCode *t, LLVMValueRef bits) {
  if (__builtin_cpu_supports("avx512f"))
    return LLVMBuildBitCast(t->lanes, bits, code_span(1), "");
  LLVMValueRef bit[SPAN];
  for (unsigned i = 0; i < SPAN; i++)
    bit[i] = code_number(32, 1u << i);
  LLVMValueRef own = LLVMConstVector(bit, SPAN),
               all = code_splat(t->lanes, LLVMBuildZExt(t->lanes, bits, code_integer(32), ""));
  return LLVMBuildICmp(t->lanes, LLVMIntEQ, LLVMBuildAnd(t->lanes, all, own, ""), own, "");
}

void code_each_span(BlockCode *t, const Instruction *in, CodeSpan *write) {
  for (unsigned i = 0; i < t->at_once; i++) {
    t->span = &t->spans[i];
    write(t, in);
  }
  t->span = t->spans;
}

static void begin_span(BlockCode *t, const Instruction *none) {
  (void)none;
  const uint64_t behind = (uint64_t)(t->span - t->spans) * SPAN * sizeof(uint32_t);
  if (behind)
    t->span->offset = LLVMBuildAdd(t->lanes, t->spans[0].offset, code_number(64, behind), "");
  t->span->active = LLVMConstAllOnes(code_span(1));
  if (t->all_lanes)
    return;
  LLVMValueRef exec = span_bits(t, code_field(t, t->lanes, offsetof(Wavefront, exec)));
  t->span->exec = code_load(t->lanes, code_integer(SPAN), exec, 2);
}

static void begin_active(BlockCode *t, const Instruction *none) {
  (void)none;
  t->span->active = code_truth(t, t->span->exec);
}

void code_open_loop(BlockCode *t) {
  if (t->loop)
    return;
  SpanCode *writing = t->span;
  t->head = t->loop = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMPositionBuilderAtEnd(t->lanes, t->head);
  t->spans[0].offset = LLVMBuildPhi(t->lanes, code_integer(64), "");
  code_each_span(t, NULL, begin_span);
  if (!t->all_lanes) {
    t->loop = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
    LLVMPositionBuilderAtEnd(t->lanes, t->loop);
    code_each_span(t, NULL, begin_active);
  }
  t->span = writing;
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

void code_store_rows(BlockCode *t, const Instruction *none) {
  (void)none;
  for (int i = 0; i < VGPRS; i++)
    if (t->span->vgpr.changed[i])
      code_store(t->lanes, read_word(t, &t->span->vgpr, i),
                 code_row(t, t->lanes, t->span->offset, i), 64);
}

// Without AVX-512 hosts take the bits of eight lanes at once.
static LLVMValueRef bits_of_truth(const BlockCode *t, LLVMValueRef truth) {
  LLVMTypeRef all = code_integer(SPAN);
  if (__builtin_cpu_supports("avx512f"))
    return LLVMBuildBitCast(t->lanes, truth, all, "");
  LLVMValueRef half[2];
  for (int i = 0; i < 2; i++) {
    half[i] = taken(t->lanes, truth, truth, i ? last_8 : first_8, SPAN / 2);
    half[i] = LLVMBuildBitCast(t->lanes, half[i], code_integer(SPAN / 2), "");
    half[i] = LLVMBuildZExt(t->lanes, half[i], all, "");
  }
  return LLVMBuildOr(t->lanes, half[0],
                     LLVMBuildShl(t->lanes, half[1], code_number(SPAN, SPAN / 2), ""), "");
}

// A mask's bits of all spans of a round: of lanes that are off none is set.
static LLVMValueRef round_bits(const BlockCode *t, int index) {
  LLVMTypeRef type = code_integer(SPAN * t->at_once);
  LLVMValueRef all = LLVMConstNull(type);
  for (unsigned i = 0; i < t->at_once; i++) {
    LLVMValueRef bits = bits_of_truth(t, t->spans[i].mask[index]);
    if (!t->all_lanes)
      bits = LLVMBuildAnd(t->lanes, bits, t->spans[i].exec, "");
    bits = LLVMBuildShl(t->lanes, LLVMBuildZExt(t->lanes, bits, type, ""),
                        code_number(SPAN * t->at_once, SPAN * i), "");
    all = LLVMBuildOr(t->lanes, all, bits, "");
  }
  return all;
}

// The same where a round ends: none if it was passed over.
static LLVMValueRef bits_at_end(BlockCode *t, LLVMValueRef bits, LLVMBasicBlockRef last) {
  if (t->head == t->loop)
    return bits;
  LLVMValueRef either = LLVMBuildPhi(t->lanes, LLVMTypeOf(bits), ""),
               none = LLVMConstNull(LLVMTypeOf(bits));
  LLVMAddIncoming(either, &bits, &last, 1);
  LLVMAddIncoming(either, &none, &t->head, 1);
  return either;
}

// The 64 bits of a mask, as each round of the loop shifts in its own.
static LLVMValueRef whole_mask(BlockCode *t, LLVMValueRef bits, LLVMBasicBlockRef before,
                               LLVMBasicBlockRef end) {
  LLVMTypeRef type = code_integer(64);
  const unsigned lanes = SPAN * t->at_once;
  LLVMPositionBuilderBefore(t->lanes, LLVMGetFirstInstruction(t->head));
  LLVMValueRef so_far = LLVMBuildPhi(t->lanes, type, ""), none = code_number(64, 0);
  LLVMPositionBuilderAtEnd(t->lanes, end);
  LLVMValueRef own = LLVMBuildShl(t->lanes, LLVMBuildZExt(t->lanes, bits, type, ""),
                                  code_number(64, LANES - lanes), "");
  LLVMValueRef mask =
      LLVMBuildOr(t->lanes, LLVMBuildLShr(t->lanes, so_far, code_number(64, lanes), ""), own, "");
  LLVMAddIncoming(so_far, &none, &before, 1);
  LLVMAddIncoming(so_far, &mask, &end, 1);
  return mask;
}

// Where a round ends: behind the loop, or, of one without active lanes, behind its head.
static LLVMBasicBlockRef end_of_round(const BlockCode *t) {
  if (t->head == t->loop)
    return LLVMGetInsertBlock(t->lanes);
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMBuildBr(t->lanes, end);
  LLVMPositionBuilderAtEnd(t->lanes, t->head);
  LLVMValueRef active = t->spans[0].exec;
  for (unsigned i = 1; i < t->at_once; i++)
    active = LLVMBuildOr(t->lanes, active, t->spans[i].exec, "");
  LLVMValueRef nobody = LLVMBuildICmp(t->lanes, LLVMIntEQ, active, code_number(SPAN, 0), "");
  LLVMBuildCondBr(t->lanes, nobody, end, t->loop);
  return end;
}

// What lanes made of masks becomes registers.
static void settle_masks(BlockCode *t) {
  for (int i = 0; i < SGPR_COUNT; i++) {
    if (!t->spans[0].mask[i])
      continue;
    code_write(t, &t->sgpr, i, 64, round_bits(t, i));
    for (unsigned k = 0; k < t->at_once; k++)
      t->spans[k].mask[i] = NULL;
  }
}

void code_close_loop(BlockCode *t) {
  if (!t->loop)
    return;
  if (t->stays) {
    settle_masks(t);
    return;
  }
  LLVMValueRef mask[SGPR_COUNT] = {0};
  code_each_span(t, NULL, code_store_rows);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (t->spans[0].mask[i])
      mask[i] = round_bits(t, i);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->straight), last = LLVMGetInsertBlock(t->lanes),
                    end = end_of_round(t);
  LLVMPositionBuilderAtEnd(t->lanes, end);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (mask[i])
      mask[i] = bits_at_end(t, mask[i], last);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (mask[i])
      mask[i] = whole_mask(t, mask[i], before, end);
  LLVMValueRef offset = t->spans[0].offset, none = code_number(64, 0),
               next = LLVMBuildAdd(t->lanes, offset,
                                   code_number(64, SPAN * sizeof(uint32_t) * t->at_once), "");
  LLVMAddIncoming(offset, (LLVMValueRef[]){none, next}, (LLVMBasicBlockRef[]){before, end}, 2);
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
  LLVMValueRef done =
      LLVMBuildICmp(t->lanes, LLVMIntEQ, next, code_number(64, LANES * sizeof(uint32_t)), "");
  LLVMBuildCondBr(t->lanes, done, after, t->head);
  LLVMBuildBr(t->straight, t->head);
  LLVMPositionBuilderAtEnd(t->straight, after);
  for (int i = 0; i < SGPR_COUNT; i++)
    if (mask[i])
      code_write(t, &t->sgpr, i, 64, mask[i]);
  t->loop = NULL;
  memset(t->spans, 0, sizeof t->spans);
}
