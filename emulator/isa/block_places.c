// Where the lanes of the wave go: see block_places.h.
#include "block_places.h"

#include "block_lds.h"
#include "global_span.h"

unsigned places_count(unsigned stride) { return stride ? MOST_PLACES : 1; }

unsigned places_move(const Instruction *in, unsigned stride, unsigned i) {
  const unsigned offset = (unsigned)in->offset;
  return stride ? (offset >> 8 * i & 0xff) * stride : offset;
}

static LLVMValueRef widened(const BlockCode *t, LLVMValueRef word) {
  return LLVMBuildZExt(t->lanes, word, code_integer(64), "");
}

static LLVMValueRef low_of(const BlockCode *t, LLVMValueRef wide) {
  return LLVMBuildTrunc(t->lanes, wide, code_integer(32), "");
}

// What all addresses of an instruction to global memory have in common.
LLVMValueRef places_base(BlockCode *t, const Instruction *in) {
  LLVMValueRef base = code_number(64, (uint64_t)(int64_t)in->offset);
  return in->b.kind == OPERAND_NONE ? base
                                    : LLVMBuildAdd(t->lanes, base, code_scalar(t, &in->b, 64), "");
}

// The allocation that it went to last.
typedef struct {
  LLVMValueRef begin, bytes;
} Range;

static Range range_of(const BlockCode *t, const Instruction *in) {
  LLVMTypeRef wide = code_integer(64);
  LLVMValueRef thread = code_load(t->lanes, code_pointer(),
                                  code_field(t, t->lanes, offsetof(Wavefront, thread)), 8),
               place = code_beside(t->lanes, thread, code_number(64, span_range_place(in)));
  return (Range){
      .begin = code_load(t->lanes, wide, place, 8),
      .bytes = code_load(t->lanes, wide, code_beside(t->lanes, place, code_number(64, 8)), 8)};
}

static unsigned alignment_of(unsigned bytes) { return bytes > 4 ? 4 : bytes; }

static LLVMValueRef is_aligned(const BlockCode *t, LLVMValueRef address, unsigned bytes) {
  LLVMValueRef part = LLVMBuildAnd(t->lanes, address, code_number(64, alignment_of(bytes) - 1), "");
  return LLVMBuildICmp(t->lanes, LLVMIntEQ, part, code_number(64, 0), "");
}

// Whether so many bytes from here on lie in a range of so many; both of 64 bits.
static LLVMValueRef fits(const BlockCode *t, LLVMValueRef begin, unsigned bytes,
                         LLVMValueRef range) {
  LLVMValueRef own = code_number(64, bytes),
               room = LLVMBuildICmp(t->lanes, LLVMIntUGE, range, own, ""),
               last = LLVMBuildSub(t->lanes, range, own, "");
  return LLVMBuildAnd(t->lanes, room, LLVMBuildICmp(t->lanes, LLVMIntULE, begin, last, ""), "");
}

// ---- 64 lanes that follow each other ----

// Where the first lane goes, of those that follow each other.
static LLVMValueRef first_in_lds(BlockCode *t, const Instruction *in, unsigned move, unsigned bytes,
                                 LLVMValueRef *first) {
  LLVMValueRef byte =
      widened(t, LLVMBuildAdd(t->lanes, wave_first(t, in->a.index), code_number(32, move), ""));
  *first = code_beside(t->lanes, t->lds.begin, byte);
  return fits(t, byte, LANES * bytes, t->lds.bytes);
}

LLVMValueRef places_follow_in_lds(BlockCode *t, const Instruction *in, unsigned bytes,
                                  unsigned stride, LLVMValueRef first[MOST_PLACES]) {
  LLVMValueRef yes = wave_follows(t, in->a.index, bytes);
  code_find_lds(t);
  for (unsigned i = 0; i < places_count(stride); i++)
    yes = LLVMBuildAnd(t->lanes, yes,
                       first_in_lds(t, in, places_move(in, stride, i), bytes, &first[i]), "");
  return yes;
}

// Low halves that wrap have an end before their begin.
LLVMValueRef places_follow_in_memory(BlockCode *t, const Instruction *in, unsigned lane_bytes,
                                     LLVMValueRef *first) {
  const unsigned bytes = LANES * lane_bytes;
  const Range range = range_of(t, in);
  LLVMBuilderRef lanes = t->lanes;
  LLVMValueRef low = wave_first(t, in->a.index), most = code_number(32, UINT32_MAX - bytes),
               yes = LLVMBuildAnd(lanes, wave_follows(t, in->a.index, lane_bytes),
                                  LLVMBuildICmp(lanes, LLVMIntULE, low, most, ""), ""),
               address = LLVMBuildAdd(lanes, widened(t, low), places_base(t, in), "");
  if (in->b.kind == OPERAND_NONE) {
    LLVMValueRef high = widened(t, wave_first(t, in->a.index + 1));
    yes = LLVMBuildAnd(lanes, yes, wave_follows(t, in->a.index + 1, 0), "");
    high = LLVMBuildShl(lanes, high, code_number(64, 32), "");
    address = LLVMBuildAdd(lanes, address, high, "");
  }
  LLVMValueRef inside = fits(t, LLVMBuildSub(lanes, address, range.begin, ""), bytes, range.bytes);
  *first = LLVMBuildIntToPtr(lanes, address, code_pointer(), "");
  yes = LLVMBuildAnd(lanes, yes, is_aligned(t, address, lane_bytes), "");
  return LLVMBuildAnd(lanes, yes, inside, "");
}

// ---- a lane ----

LLVMValueRef place_in_memory(BlockCode *t, const Instruction *in, unsigned bytes, LLVMValueRef base,
                             LLVMValueRef offset, LLVMValueRef *place) {
  LLVMBuilderRef lanes = t->lanes;
  LLVMTypeRef word = code_integer(32);
  LLVMValueRef address =
      widened(t, code_load(lanes, word, code_row(t, lanes, offset, in->a.index), 4));
  if (in->b.kind == OPERAND_NONE) {
    LLVMValueRef high =
        widened(t, code_load(lanes, word, code_row(t, lanes, offset, in->a.index + 1), 4));
    high = LLVMBuildShl(lanes, high, code_number(64, 32), "");
    address = LLVMBuildOr(lanes, address, high, "");
  }
  address = LLVMBuildAdd(lanes, address, base, "");
  *place = LLVMBuildIntToPtr(lanes, address, code_pointer(), "");
  const Range range = range_of(t, in);
  return LLVMBuildAnd(lanes, is_aligned(t, address, bytes),
                      fits(t, LLVMBuildSub(lanes, address, range.begin, ""), bytes, range.bytes),
                      "");
}

// ---- any lanes ----

static LLVMValueRef place_in_lds(BlockCode *t, const Instruction *in, unsigned move, unsigned bytes,
                                 unsigned alignment, LanePlaces *places) {
  LLVMBuilderRef lanes = t->lanes;
  LLVMValueRef bad[SPANS];
  LLVMValueRef end = LLVMBuildTrunc(lanes, t->lds.bytes, code_integer(32), ""),
               least = code_number(32, bytes),
               enough = LLVMBuildICmp(lanes, LLVMIntUGE, end, least, ""),
               last = code_splat(lanes, LLVMBuildSub(lanes, end, least, ""));
  places->base = t->lds.begin;
  for (unsigned s = 0; s < SPANS; s++) {
    LLVMValueRef byte = LLVMBuildAdd(lanes, wave_row(t, s, in->a.index),
                                     code_splat_number(32, move), ""),
                 low = LLVMBuildAnd(lanes, byte, code_splat_number(32, alignment - 1), "");
    places->offset[s] = byte;
    bad[s] = LLVMBuildOr(lanes, LLVMBuildICmp(lanes, LLVMIntUGT, byte, last, ""),
                         LLVMBuildICmp(lanes, LLVMIntNE, low, code_splat_number(32, 0), ""), "");
  }
  return LLVMBuildAnd(lanes, enough, wave_none(t, bad), "");
}

LLVMValueRef places_in_lds(BlockCode *t, const Instruction *in, unsigned bytes, unsigned stride,
                           unsigned alignment, WavePlaces places) {
  LLVMValueRef inside = code_number(1, 1);
  code_find_lds(t);
  for (unsigned i = 0; i < places_count(stride); i++)
    inside = LLVMBuildAnd(
        t->lanes, inside,
        place_in_lds(t, in, places_move(in, stride, i), bytes, alignment, &places[i]), "");
  return inside;
}

// Distances of lanes from the begin of the allocation, which has less than 4 GiB.
LLVMValueRef places_in_memory(BlockCode *t, const Instruction *in, unsigned bytes,
                              WavePlaces places) {
  LLVMBuilderRef lanes = t->lanes;
  const Range range = range_of(t, in);
  LLVMValueRef before = LLVMBuildSub(lanes, range.begin, places_base(t, in), ""),
               low = code_splat(lanes, low_of(t, before)),
               high = code_splat(lanes,
                                 low_of(t, LLVMBuildLShr(lanes, before, code_number(64, 32), ""))),
               own = code_number(64, bytes), last = LLVMBuildSub(lanes, range.bytes, own, ""),
               small = LLVMBuildICmp(lanes, LLVMIntULE, last, code_number(64, UINT32_MAX), ""),
               bad[SPANS];
  last = code_splat(lanes, low_of(t, last));
  places->base = LLVMBuildIntToPtr(lanes, range.begin, code_pointer(), "");
  for (unsigned s = 0; s < SPANS; s++) {
    LLVMValueRef address = wave_row(t, s, in->a.index),
                 upper = in->b.kind == OPERAND_NONE ? wave_row(t, s, in->a.index + 1)
                                                    : code_splat_number(32, 0),
                 borrow = LLVMBuildZExt(lanes, LLVMBuildICmp(lanes, LLVMIntULT, address, low, ""),
                                        code_span(32), "");
    places->offset[s] = LLVMBuildSub(lanes, address, low, "");
    upper = LLVMBuildSub(lanes, upper, LLVMBuildAdd(lanes, high, borrow, ""), "");
    LLVMValueRef part = LLVMBuildAnd(lanes, places->offset[s],
                                     code_splat_number(32, alignment_of(bytes) - 1), ""),
                 odd = LLVMBuildICmp(lanes, LLVMIntNE, part, code_splat_number(32, 0), ""),
                 far = LLVMBuildICmp(lanes, LLVMIntNE, upper, code_splat_number(32, 0), ""),
                 behind = LLVMBuildICmp(lanes, LLVMIntUGT, places->offset[s], last, "");
    bad[s] = LLVMBuildOr(lanes, odd, LLVMBuildOr(lanes, far, behind, ""), "");
  }
  return LLVMBuildAnd(lanes, small, wave_none(t, bad), "");
}
