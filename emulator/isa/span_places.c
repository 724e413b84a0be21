// Where the lanes of a span are that load from global memory: see span_places.h.
#include "span_places.h"

#include "block_gather.h"
#include "global_span.h"

unsigned span_alignment(unsigned bytes) { return bytes > 4 ? 4 : bytes; }

// ---- how they lie ----

static LLVMValueRef ramp(unsigned distance) {
  LLVMValueRef lane[SPAN];
  for (unsigned i = 0; i < SPAN; i++)
    lane[i] = code_number(32, i * distance);
  return LLVMConstVector(lane, SPAN);
}

static LLVMValueRef first_of(const BlockCode *t, LLVMValueRef row) {
  return LLVMBuildExtractElement(t->lanes, row, code_number(32, 0), "");
}

// Whether lanes lie at this distance behind the first.
static LLVMValueRef lie_at(const BlockCode *t, LLVMValueRef row, LLVMValueRef first,
                           unsigned distance) {
  LLVMValueRef apart = LLVMBuildSub(t->lanes, row, code_splat(t->lanes, first), ""),
               alike = LLVMBuildICmp(t->lanes, LLVMIntEQ, apart, ramp(distance), "");
  return LLVMBuildICmp(t->lanes, LLVMIntEQ,
                       LLVMBuildBitCast(t->lanes, alike, code_integer(SPAN), ""),
                       LLVMConstAllOnes(code_integer(SPAN)), "");
}

static LLVMValueRef address_of(const BlockCode *t, const SpanPlaces *places, LLVMValueRef low) {
  LLVMValueRef address = LLVMBuildZExt(t->lanes, low, code_integer(64), "");
  return LLVMBuildAdd(t->lanes, LLVMBuildAdd(t->lanes, address, places->upper, ""), places->base,
                      "");
}

static void find_row(const BlockCode *t, SpanPlaces *places) {
  LLVMValueRef low = first_of(t, places->low),
               most = code_number(32, UINT32_MAX - SPAN * places->distance);
  places->first = address_of(t, places, low);
  places->usual = LLVMBuildAnd(t->lanes, lie_at(t, places->low, low, places->distance),
                               LLVMBuildICmp(t->lanes, LLVMIntULE, low, most, ""), "");
}

static void find_windows(const BlockCode *t, SpanPlaces *places) {
  places->windows = windows_of(t, places->low, places->bytes);
  LLVMValueRef first = places->windows.first, last = places->windows.last,
               before = code_number(32, WINDOW - places->bytes),
               whole = LLVMBuildAnd(t->lanes, LLVMBuildICmp(t->lanes, LLVMIntUGE, last, before, ""),
                                    LLVMBuildICmp(t->lanes, LLVMIntULE, first,
                                                  code_number(32, UINT32_MAX - WINDOW), ""),
                                    "");
  places->first = address_of(t, places, first);
  places->second = address_of(t, places, LLVMBuildSub(t->lanes, last, before, ""));
  places->usual = LLVMBuildAnd(t->lanes, places->windows.usual, whole, "");
}

static LLVMValueRef widened(const BlockCode *t, LLVMValueRef row) {
  return LLVMBuildZExt(t->lanes, row, code_span(64), "");
}

LLVMValueRef span_addresses(const BlockCode *t, const SpanPlaces *places) {
  if (places->apart)
    return places->apart;
  LLVMValueRef address =
      LLVMBuildAdd(t->lanes, widened(t, places->low), code_splat(t->lanes, places->base), "");
  if (!places->high)
    return address;
  LLVMValueRef upper =
      LLVMBuildShl(t->lanes, widened(t, places->high), code_splat_number(64, 32), "");
  return LLVMBuildAdd(t->lanes, address, upper, "");
}

// ---- in the allocation ----

LLVMValueRef span_thread(const BlockCode *t) {
  return code_load(t->straight, code_pointer(),
                   code_field(t, t->straight, offsetof(Wavefront, thread)), sizeof(void *));
}

// Of the allocation that the load went to last.
typedef struct {
  LLVMValueRef begin, bytes;
} Range;

static Range range_of(const BlockCode *t, const Instruction *in) {
  LLVMTypeRef wide = code_integer(64);
  LLVMValueRef range =
      code_beside(t->straight, span_thread(t), code_number(64, span_range_place(in)));
  return (Range){code_load(t->lanes, wide, range, 8),
                 code_load(t->lanes, wide, rows_part(t, range, 8), 8)};
}

// What it is in the first lane that is on; of two spans of a round one may have none.
static LLVMValueRef first_active(const BlockCode *t, LLVMValueRef row) {
  if (t->all_lanes)
    return first_of(t, row);
  LLVMValueRef exec = LLVMBuildOr(t->lanes, t->span->exec, code_number(SPAN, 1u << (SPAN - 1)), "");
  return LLVMBuildExtractElement(t->lanes, row, code_count_bits(t, t->lanes, "llvm.cttz", exec),
                                 "");
}

static LLVMValueRef narrowed(const BlockCode *t, LLVMValueRef wide) {
  return LLVMBuildTrunc(t->lanes, wide, code_integer(32), "");
}

// The least offset behind the base and the greatest that lie in the allocation, if there are any.
typedef struct {
  LLVMValueRef least, greatest, any;
} Offsets;

static Offsets offsets_inside(const BlockCode *t, const Instruction *in, LLVMValueRef base,
                              unsigned bytes) {
  LLVMBuilderRef lanes = t->lanes;
  const Range range = range_of(t, in);
  LLVMValueRef none = code_number(64, 0), most = code_number(64, UINT32_MAX),
               own = code_number(64, bytes), least = LLVMBuildSub(lanes, range.begin, base, ""),
               greatest = LLVMBuildAdd(lanes, least, LLVMBuildSub(lanes, range.bytes, own, ""), ""),
               before = LLVMBuildICmp(lanes, LLVMIntSLT, least, none, ""),
               beyond = LLVMBuildICmp(lanes, LLVMIntSGT, greatest, most, "");
  least = LLVMBuildSelect(lanes, before, none, least, "");
  greatest = LLVMBuildSelect(lanes, beyond, most, greatest, "");
  return (Offsets){least, greatest, LLVMBuildICmp(lanes, LLVMIntSLE, least, greatest, "")};
}

// Lanes lie by offsets of 32 bits behind one base, each inside and aligned. Those that are off go to the least.
static void find_turns(BlockCode *t, const Instruction *in, SpanPlaces *places) {
  LLVMBuilderRef lanes = t->lanes;
  LLVMValueRef alike = LLVMConstAllOnes(code_span(1));
  places->first = places->base;
  if (places->high) {
    LLVMValueRef high = first_active(t, places->high),
                 upper = LLVMBuildZExt(lanes, high, code_integer(64), "");
    upper = LLVMBuildShl(lanes, upper, code_number(64, 32), "");
    places->first = LLVMBuildAdd(lanes, places->base, upper, "");
    alike = LLVMBuildICmp(lanes, LLVMIntEQ, places->high, code_splat(lanes, high), "");
  }
  const Offsets inside = offsets_inside(t, in, places->first, places->bytes);
  LLVMValueRef least = code_splat(lanes, narrowed(t, inside.least)),
               room = LLVMBuildSub(lanes, inside.greatest, inside.least, ""),
               behind = LLVMBuildSub(lanes, places->low, least, ""),
               fits = LLVMBuildICmp(lanes, LLVMIntULE, behind, code_splat(lanes, narrowed(t, room)),
                                    ""),
               end = LLVMBuildAdd(lanes, places->low, code_splat(lanes, narrowed(t, places->first)),
                                  ""),
               odd = LLVMBuildAnd(lanes, end,
                                  code_splat_number(32, span_alignment(places->bytes) - 1), ""),
               whole = LLVMBuildICmp(lanes, LLVMIntEQ, odd, LLVMConstNull(code_span(32)), "");
  fits = LLVMBuildAnd(lanes, LLVMBuildAnd(lanes, fits, whole, ""), alike, "");
  places->usual = LLVMBuildAnd(lanes, inside.any, gather_all(t, fits), "");
  if (!t->all_lanes)
    places->low = LLVMBuildSelect(lanes, t->span->active, places->low, least, "");
}

// Lanes whose low halves wrap lie in no usual way.
SpanPlaces span_places_of(BlockCode *t, const Instruction *in, LLVMValueRef base, unsigned bytes,
                          unsigned distance) {
  SpanPlaces places = {.bytes = bytes,
                       .distance = distance,
                       .base = base,
                       .low = code_read(t, &t->span->vgpr, in->a.index, 32),
                       .upper = code_number(64, 0)};
  LLVMValueRef high = NULL;
  if (in->b.kind == OPERAND_NONE)
    places.high = code_read(t, &t->span->vgpr, in->a.index + 1, 32);
  if (distance == APART) {
    places.apart = span_addresses(t, &places);
    return places;
  }
  if (distance == IN_TURN) {
    find_turns(t, in, &places);
    return places;
  }
  if (places.high) {
    high = first_of(t, places.high);
    places.upper = LLVMBuildShl(t->lanes, LLVMBuildZExt(t->lanes, high, code_integer(64), ""),
                                code_number(64, 32), "");
  }
  if (distance == NEAR)
    find_windows(t, &places);
  else
    find_row(t, &places);
  if (high)
    places.usual = LLVMBuildAnd(t->lanes, places.usual, lie_at(t, places.high, high, 0), "");
  return places;
}

LLVMValueRef code_is_inside(const BlockCode *t, const Instruction *in, LLVMValueRef first,
                            unsigned reach, unsigned alignment) {
  const Range range = range_of(t, in);
  LLVMValueRef distance = LLVMBuildSub(t->lanes, first, range.begin, ""),
               end = LLVMBuildAdd(t->lanes, distance, code_number(64, reach), ""),
               low = LLVMBuildAnd(t->lanes, first, code_number(64, alignment - 1), ""),
               inside = LLVMBuildAnd(t->lanes,
                                     LLVMBuildICmp(t->lanes, LLVMIntULT, distance, range.bytes, ""),
                                     LLVMBuildICmp(t->lanes, LLVMIntULE, end, range.bytes, ""), "");
  return LLVMBuildAnd(t->lanes, inside,
                      LLVMBuildICmp(t->lanes, LLVMIntEQ, low, code_number(64, 0), ""), "");
}

// The same of each lane that is on, wherever it lies.
static LLVMValueRef are_apart_inside(const BlockCode *t, const Instruction *in,
                                     const SpanPlaces *all) {
  LLVMBuilderRef lanes = t->lanes;
  const Range range = range_of(t, in);
  LLVMValueRef address = all->apart, own = code_number(64, all->bytes - 1),
               fits = LLVMBuildICmp(lanes, LLVMIntUGT, range.bytes, own, ""),
               places = LLVMBuildSelect(lanes, fits, LLVMBuildSub(lanes, range.bytes, own, ""),
                                        code_number(64, 0), ""),
               behind = LLVMBuildSub(lanes, address, code_splat(lanes, range.begin), ""),
               inside = LLVMBuildICmp(lanes, LLVMIntULT, behind, code_splat(lanes, places), ""),
               low = LLVMBuildAnd(lanes, address,
                                  code_splat_number(64, span_alignment(all->bytes) - 1), ""),
               aligned = LLVMBuildICmp(lanes, LLVMIntEQ, low, code_splat_number(64, 0), "");
  return gather_all(t, LLVMBuildAnd(lanes, inside, aligned, ""));
}

LLVMValueRef span_inside(const BlockCode *t, const Instruction *in, const SpanPlaces *places) {
  const unsigned alignment = span_alignment(places->bytes),
                 reach = (SPAN - 1) * places->distance + places->bytes;
  if (places->distance == IN_TURN)
    return places->usual;
  if (places->distance == APART)
    return are_apart_inside(t, in, places);
  LLVMValueRef inside =
      places->distance == NEAR
          ? LLVMBuildAnd(t->lanes, code_is_inside(t, in, places->first, WINDOW, alignment),
                         code_is_inside(t, in, places->second, WINDOW, alignment), "")
          : code_is_inside(t, in, places->first, reach, alignment);
  return LLVMBuildAnd(t->lanes, places->usual, inside, "");
}
