// Loads from two windows: see block_windows.h.
#include "block_windows.h"

#include <string.h>

// What is picked at once: dwords, or pairs where lanes have whole ones.
static unsigned element_bytes(unsigned bytes) { return rows_bits(bytes) / BYTE; }

bool windows_possible(unsigned bytes) { return bytes >= 4 && __builtin_cpu_supports("avx512f"); }

static LLVMValueRef lane_of(const BlockCode *t, LLVMValueRef row, unsigned lane) {
  return LLVMBuildExtractElement(t->lanes, row, code_number(32, lane), "");
}

static LLVMValueRef all_of(const BlockCode *t, LLVMValueRef truth) {
  return LLVMBuildICmp(t->lanes, LLVMIntEQ,
                       LLVMBuildBitCast(t->lanes, truth, code_integer(SPAN), ""),
                       LLVMConstAllOnes(code_integer(SPAN)), "");
}

static LLVMValueRef call(const BlockCode *t, const char *name, LLVMTypeRef type,
                         LLVMValueRef *argument, unsigned count) {
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(
      t->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, type ? 1 : 0);
  return LLVMBuildCall2(t->lanes, LLVMGlobalGetValueType(function), function, argument, count, "");
}

Windows windows_of(const BlockCode *t, LLVMValueRef place, unsigned bytes) {
  LLVMBuilderRef lanes = t->lanes;
  const unsigned element = element_bytes(bytes), before = WINDOW - bytes;
  LLVMValueRef first = lane_of(t, place, 0), last = lane_of(t, place, SPAN - 1),
               most = code_splat_number(32, before), none = LLVMConstNull(code_span(32)),
               behind = LLVMBuildSub(lanes, place, code_splat(lanes, first), ""),
               missing = LLVMBuildSub(lanes, code_splat(lanes, last), place, ""),
               in_first = LLVMBuildICmp(lanes, LLVMIntULE, behind, most, ""),
               in_second = LLVMBuildICmp(lanes, LLVMIntULE, missing, most, ""),
               odd = LLVMBuildAnd(lanes, behind, code_splat_number(32, element - 1), ""),
               whole = LLVMBuildICmp(lanes, LLVMIntEQ, odd, none, ""),
               in_some =
                   LLVMBuildAnd(lanes, LLVMBuildOr(lanes, in_first, in_second, ""), whole, ""),
               reached = LLVMBuildSelect(lanes, in_first, behind, none, ""),
               of_second = LLVMBuildSub(lanes, code_splat_number(32, WINDOW + before), missing, ""),
               byte = LLVMBuildSelect(lanes, in_first, behind, of_second, "");
  return (Windows){.bytes = bytes,
                   .first = first,
                   .last = last,
                   .usual = all_of(t, in_some),
                   .one = all_of(t, in_first),
                   .reach = call(t, "llvm.vector.reduce.umax", code_span(32), &reached, 1),
                   .element =
                       LLVMBuildLShr(lanes, byte, code_splat_number(32, element == 8 ? 3 : 2), "")};
}

// A dword of each lane.
static LLVMValueRef pick_words(const BlockCode *t, LLVMValueRef first, LLVMValueRef second,
                               LLVMValueRef element) {
  LLVMValueRef argument[] = {code_load(t->lanes, code_span(32), first, 1), element,
                             code_load(t->lanes, code_span(32), second, 1)};
  return call(t, "llvm.x86.avx512.vpermi2var.d.512", NULL, argument, 3);
}

static LLVMValueRef part_of(const BlockCode *t, LLVMValueRef row, unsigned begin, unsigned count) {
  LLVMValueRef from[SPAN];
  for (unsigned i = 0; i < count; i++)
    from[i] = code_number(32, begin + i);
  return LLVMBuildShuffleVector(t->lanes, row, LLVMGetUndef(LLVMTypeOf(row)),
                                LLVMConstVector(from, count), "");
}

// A pair of each lane, for which the host takes two halves of the span.
static LLVMValueRef pick_pairs(const BlockCode *t, LLVMValueRef first, LLVMValueRef second,
                               LLVMValueRef element) {
  enum { HALF = SPAN / 2 };
  LLVMTypeRef type = LLVMVectorType(code_integer(64), HALF);
  LLVMValueRef half[2], all[SPAN], a = code_load(t->lanes, type, first, 1),
                                   b = code_load(t->lanes, type, second, 1);
  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef argument[] = {
        a, LLVMBuildZExt(t->lanes, part_of(t, element, i * HALF, HALF), type, ""), b};
    half[i] = call(t, "llvm.x86.avx512.vpermi2var.q.512", NULL, argument, 3);
  }
  for (unsigned i = 0; i < SPAN; i++)
    all[i] = code_number(32, i);
  return LLVMBuildShuffleVector(t->lanes, half[0], half[1], LLVMConstVector(all, SPAN), "");
}

Rows windows_rows(const BlockCode *t, const Windows *windows, LLVMValueRef first,
                  LLVMValueRef second) {
  const unsigned bits = rows_bits(windows->bytes);
  Rows rows = {0};
  for (unsigned k = 0; k < rows_values(windows->bytes, bits); k++) {
    LLVMValueRef element = LLVMBuildAdd(t->lanes, windows->element, code_splat_number(32, k), "");
    rows.value[k] =
        bits == 64 ? pick_pairs(t, first, second, element) : pick_words(t, first, second, element);
  }
  return rows;
}
