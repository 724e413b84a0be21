// Loads from any addresses: see block_gather.h.
#include "block_gather.h"

#include <string.h>

bool gather_possible(unsigned bytes, bool alone) {
  const bool as_one = bytes <= 4 || bytes == 8;
  return (as_one || (alone && bytes == 16)) && __builtin_cpu_supports("avx512f");
}

// So many bits of each lane, 32 or 64.
static LLVMValueRef gather(const BlockCode *t, LLVMValueRef address, unsigned bits) {
  static const char name[] = "llvm.masked.gather";
  LLVMTypeRef pointers = LLVMVectorType(code_pointer(), SPAN), row = code_span(bits),
              type[] = {row, pointers};
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(
                   t->module, LLVMLookupIntrinsicID(name, strlen(name)), type, 2),
               argument[] = {LLVMBuildIntToPtr(t->lanes, address, pointers, ""), code_number(32, 4),
                             t->span->active, LLVMGetUndef(row)};
  return LLVMBuildCall2(t->lanes, LLVMGlobalGetValueType(function), function, argument, 4, "");
}

static LLVMValueRef behind(const BlockCode *t, LLVMValueRef address, unsigned bytes) {
  return LLVMBuildAdd(t->lanes, address, code_splat_number(64, bytes), "");
}

// Less than a dword, out of the one that has it.
static LLVMValueRef gather_part(const BlockCode *t, LLVMValueRef address, unsigned bytes,
                                bool has_sign) {
  LLVMBuilderRef lanes = t->lanes;
  LLVMValueRef whole = LLVMBuildAnd(lanes, address, code_splat_number(64, ~3ull), ""),
               byte = LLVMBuildAnd(lanes, LLVMBuildTrunc(lanes, address, code_span(32), ""),
                                   code_splat_number(32, 3), ""),
               bit = LLVMBuildShl(lanes, byte, code_splat_number(32, 3), ""),
               word = LLVMBuildLShr(lanes, gather(t, whole, 32), bit, ""),
               unused = code_splat_number(32, 32 - BYTE * bytes);
  word = LLVMBuildShl(lanes, word, unused, "");
  return has_sign ? LLVMBuildAShr(lanes, word, unused, "") : LLVMBuildLShr(lanes, word, unused, "");
}

LLVMValueRef gather_in_turn(const BlockCode *t, LLVMValueRef base, LLVMValueRef offset,
                            unsigned bytes, bool has_sign) {
  LLVMTypeRef type = code_integer(rows_bits(bytes));
  LLVMValueRef row = LLVMGetUndef(code_span(rows_bits(bytes)));
  for (unsigned i = 0; i < SPAN; i++) {
    LLVMValueRef lane = code_number(32, i),
                 behind =
                     LLVMBuildZExt(t->lanes, LLVMBuildExtractElement(t->lanes, offset, lane, ""),
                                   code_integer(64), ""),
                 value = code_load(t->lanes, code_integer(BYTE * bytes),
                                   code_beside(t->lanes, base, behind), bytes > 4 ? 4 : bytes);
    if (bytes < 4)
      value = has_sign ? LLVMBuildSExt(t->lanes, value, type, "")
                       : LLVMBuildZExt(t->lanes, value, type, "");
    row = LLVMBuildInsertElement(t->lanes, row, value, lane, "");
  }
  return row;
}

Rows gather_rows(const BlockCode *t, LLVMValueRef address, unsigned bytes, bool has_sign) {
  const unsigned bits = rows_bits(bytes);
  Rows rows = {0};
  if (bytes < 4) {
    rows.value[0] = gather_part(t, address, bytes, has_sign);
    return rows;
  }
  for (unsigned k = 0; k < rows_values(bytes, bits); k++)
    rows.value[k] = gather(t, behind(t, address, k * bits / BYTE), bits);
  return rows;
}

LLVMValueRef gather_active(BlockCode *t, int index, unsigned bits, LLVMValueRef value) {
  return t->all_lanes ? value
                      : LLVMBuildSelect(t->lanes, t->span->active, value,
                                        code_read(t, &t->span->vgpr, index, bits), "");
}

LLVMValueRef gather_all(const BlockCode *t, LLVMValueRef truth) {
  if (!t->all_lanes)
    truth = LLVMBuildOr(t->lanes, truth, LLVMBuildNot(t->lanes, t->span->active, ""), "");
  return LLVMBuildICmp(t->lanes, LLVMIntEQ,
                       LLVMBuildBitCast(t->lanes, truth, code_integer(SPAN), ""),
                       LLVMConstAllOnes(code_integer(SPAN)), "");
}
