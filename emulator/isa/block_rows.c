// Rows of a span from memory: see block_rows.h.
#include "block_rows.h"

#include <string.h>

unsigned rows_bits(unsigned bytes) { return bytes == 8 || bytes == 16 ? 64 : 32; }
unsigned rows_values(unsigned bytes, unsigned bits) {
  return bytes <= 4 ? 1 : bytes / (bits / BYTE);
}

LLVMValueRef rows_part(const BlockCode *t, LLVMValueRef place, unsigned bytes) {
  return code_beside(t->lanes, place, code_number(64, bytes));
}

// Less than a dword becomes one.
static LLVMValueRef widened(const BlockCode *t, LLVMValueRef value, unsigned bytes, bool has_sign) {
  if (bytes >= 4)
    return value;
  return has_sign ? LLVMBuildSExt(t->lanes, value, code_span(32), "")
                  : LLVMBuildZExt(t->lanes, value, code_span(32), "");
}

static unsigned bits_in_memory(unsigned bytes) {
  return bytes < 4 ? bytes * BYTE : rows_bits(bytes);
}

Rows rows_at_one(const BlockCode *t, LLVMValueRef place, unsigned bytes, bool has_sign) {
  const unsigned bits = bits_in_memory(bytes);
  Rows rows = {0};
  for (unsigned i = 0; i < rows_values(bytes, rows_bits(bytes)); i++) {
    LLVMValueRef one =
        code_load(t->lanes, code_integer(bits), rows_part(t, place, i * bits / BYTE), 1);
    rows.value[i] = widened(t, code_splat(t->lanes, one), bytes, has_sign);
  }
  return rows;
}

static LLVMValueRef picked(const BlockCode *t, LLVMValueRef a, LLVMValueRef b, unsigned count,
                           unsigned first, unsigned step) {
  LLVMValueRef from[2 * SPAN];
  for (unsigned i = 0; i < count; i++)
    from[i] = code_number(32, first + step * i);
  return LLVMBuildShuffleVector(t->lanes, a, b, LLVMConstVector(from, count), "");
}

// Two pairs of registers, which lie in turns. Vectors of eight pairs are what the host has.
static Rows load_turns(const BlockCode *t, LLVMValueRef place) {
  enum { HALF = SPAN / 2 };
  LLVMTypeRef type = LLVMVectorType(code_integer(64), HALF);
  LLVMValueRef piece[4];
  Rows rows;
  for (unsigned i = 0; i < 4; i++)
    piece[i] = code_load(t->lanes, type, rows_part(t, place, i * HALF * 8), 1);
  for (unsigned i = 0; i < 2; i++)
    rows.value[i] = picked(t, picked(t, piece[0], piece[1], HALF, i, 2),
                           picked(t, piece[2], piece[3], HALF, i, 2), SPAN, 0, 1);
  return rows;
}

// Three registers, whose dwords lie in turns.
static Rows load_threes(const BlockCode *t, LLVMValueRef place) {
  LLVMValueRef piece[3], first, last;
  Rows rows;
  for (unsigned i = 0; i < 3; i++)
    piece[i] = code_load(t->lanes, code_span(32), rows_part(t, place, i * SPAN * 4), 1);
  first = picked(t, piece[0], piece[1], 2 * SPAN, 0, 1);
  last = picked(t, piece[2], piece[2], 2 * SPAN, 0, 1);
  for (unsigned i = 0; i < 3; i++)
    rows.value[i] = picked(t, first, last, SPAN, i, 3);
  return rows;
}

Rows rows_that_follow(const BlockCode *t, LLVMValueRef place, unsigned bytes, bool has_sign) {
  if (bytes == 16)
    return load_turns(t, place);
  if (bytes == 12)
    return load_threes(t, place);
  LLVMValueRef row = code_load(t->lanes, code_span(bits_in_memory(bytes)), place, 1);
  return (Rows){{widened(t, row, bytes, has_sign)}};
}

Rows rows_that_slide(const BlockCode *t, LLVMValueRef place, unsigned bytes, unsigned bits) {
  Rows rows = {0};
  for (unsigned i = 0; i < rows_values(bytes, bits); i++)
    rows.value[i] = code_load(t->lanes, code_span(bits), rows_part(t, place, i * bits / BYTE), 1);
  return rows;
}

Rows rows_of_array(const BlockCode *t, LLVMValueRef array, unsigned bytes, unsigned bits) {
  Rows rows = {0};
  for (unsigned i = 0; i < rows_values(bytes, bits); i++)
    rows.value[i] = code_load(t->lanes, code_span(bits),
                              rows_part(t, array, i * SPAN * bits / BYTE), sizeof(uint64_t));
  return rows;
}

LLVMValueRef rows_either(const BlockCode *t, LLVMValueRef a, LLVMBasicBlockRef from_a,
                         LLVMValueRef b, LLVMBasicBlockRef from_b) {
  LLVMValueRef either = LLVMBuildPhi(t->lanes, LLVMTypeOf(a), "");
  LLVMAddIncoming(either, &a, &from_a, 1);
  LLVMAddIncoming(either, &b, &from_b, 1);
  return either;
}

void rows_seldom_call(const BlockCode *t, const void *function, LLVMValueRef *argument,
                      unsigned count) {
  LLVMTypeRef parameter[6], nothing = LLVMVoidTypeInContext(jit_context());
  for (unsigned i = 0; i < count; i++)
    parameter[i] = LLVMTypeOf(argument[i]);
  LLVMValueRef made = LLVMBuildCall2(t->lanes, LLVMFunctionType(nothing, parameter, count, false),
                                     code_address(function), argument, count, "");
  const unsigned cold = LLVMGetEnumAttributeKindForName("cold", strlen("cold"));
  LLVMAddCallSiteAttribute(made, LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(jit_context(), cold, 0));
}

LLVMBasicBlockRef rows_new_block(const BlockCode *t) {
  return LLVMAppendBasicBlockInContext(jit_context(), t->function, "");
}
