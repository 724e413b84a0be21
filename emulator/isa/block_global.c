// Loads from global memory in translated code: see block_global.h.
#include "block_global.h"

#include "affine_value.h"
#include "block_gather.h"
#include "block_windows.h"
#include "global_span.h"
#include "settings.h"

#include <string.h>

typedef struct {
  const char *mnemonic;
  unsigned bytes;
  bool has_sign;
} Form;

static const Form *form_of(const Instruction *in) {
  static const Form form[] = {
      {"global_load_ubyte", 1, false},    {"global_load_sbyte", 1, true},
      {"global_load_ushort", 2, false},   {"global_load_sshort", 2, true},
      {"global_load_dword", 4, false},    {"global_load_dwordx2", 8, false},
      {"global_load_dwordx3", 12, false}, {"global_load_dwordx4", 16, false}};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++)
    if (strcmp(in->info->mnemonic, form[i].mnemonic) == 0)
      return &form[i];
  return NULL;
}

static unsigned sampled(const Instruction *in, int how) {
  return __atomic_load_n(&in->sampled[how], __ATOMIC_RELAXED);
}

static bool most_of(unsigned some, unsigned all) { return some >= 3 * (all - some); }

// How lanes mostly lie. Four calls for spans that lie otherwise take as long as three loads by themselves save. Those at one
// place, or so many bytes side by side as two windows have, are near to the first or the last, too.
static unsigned usual_lanes(const Instruction *in) {
  unsigned all = 0,
           near = sampled(in, __builtin_ctz(LANES_NEAR)) + sampled(in, __builtin_ctz(LANES_AT_ONE));
  for (int way = 0; way < LANES_WAYS; way++)
    all += sampled(in, way);
  if (!all)
    return __atomic_load_n(&in->lanes_met, __ATOMIC_RELAXED);
  for (int way = 0; way < LANES_WAYS; way++)
    if (most_of(sampled(in, way), all))
      return 1u << way;
  if (form_of(in)->bytes <= 2 * WINDOW / SPAN)
    near += sampled(in, __builtin_ctz(LANES_FOLLOW));
  return most_of(near, all) ? LANES_NEAR : LANES_OTHER;
}

bool code_some_mostly_follow(const Instruction *in) {
  const unsigned follow = __atomic_load_n(&in->some_follow, __ATOMIC_RELAXED),
                 apart = __atomic_load_n(&in->some_apart, __ATOMIC_RELAXED);
  return follow >= 3 * apart;
}

// Whether block_load.c has code for them.
static bool served_as_block(const Instruction *in, unsigned bytes) {
  return (bytes == 4 || bytes == 8) && code_some_mostly_follow(in);
}

// Bytes from lane to lane where they lie as mostly; NEAR: to the first or the last; APART: each by itself; IN_TURN: the same
// one after the other, where the host does not gather; ANY: in no way that is loaded without a call. Of waves that have lanes
// off nothing is known.
enum { NEAR = 61, APART, IN_TURN, ANY };
static unsigned usual_distance(const Instruction *in, bool all_lanes) {
  const unsigned bytes = form_of(in)->bytes,
                 apart = gather_possible(bytes, false)                              ? APART
                         : bytes <= 8 && (all_lanes || !served_as_block(in, bytes)) ? IN_TURN
                                                                                    : ANY;
  switch (all_lanes ? usual_lanes(in) : LANES_OTHER) {
  case LANES_AT_ONE:
    return 0;
  case LANES_FOLLOW:
    return form_of(in)->bytes;
  case LANES_SLIDE:
    return 4;
  case LANES_SLIDE_BY_PAIRS:
    return 8;
  case LANES_NEAR:
    return windows_possible(form_of(in)->bytes) ? NEAR : apart;
  case 0:
    return ANY;
  default:
    return apart;
  }
}

// The same where other threads of the host may have met others since then: every way is looked at before it is taken.
static unsigned distance_of(const BlockCode *t, const Instruction *in) {
  const unsigned usual = usual_distance(in, t->all_lanes);
  return usual == ANY ? 0 : usual;
}

static unsigned alignment_of(const Form *form) { return form->bytes > 4 ? 4 : form->bytes; }

// Lanes that slide by a dword have no pairs side by side.
static unsigned bits_of(const Form *form, unsigned distance) {
  return distance == 4 ? 32 : rows_bits(form->bytes);
}

// A load that others' stores may pass, glc, waits for all lanes of those before it.
bool code_can_load_global(const BlockCode *t, const Instruction *in) {
  return t->goes_on && t->uncounted && in->info->unit == UNIT_GLOBAL && form_of(in) && !in->glc &&
         in->a.kind == OPERAND_VGPR && in->d.kind == OPERAND_VGPR &&
         (in->b.kind == OPERAND_NONE || in->b.kind == OPERAND_SGPR) &&
         usual_distance(in, t->all_lanes) != ANY && !settings()->xnack;
}

// ---- where lanes are ----

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

typedef struct {
  LLVMValueRef base;      // of all lanes, 64 bits
  LLVMValueRef low, high; // of each lane: what it adds, or its halves; high: NULL if it has none
  LLVMValueRef upper;     // what the first lane adds above 32 bits
  LLVMValueRef first;     // address of the first
  LLVMValueRef usual;     // whether they lie as they did
  Windows windows;        // NEAR
  LLVMValueRef second;    // the same: where the second window begins
  LLVMValueRef apart;     // APART: address of each lane
} Places;

static LLVMValueRef address_of(const BlockCode *t, const Places *places, LLVMValueRef low) {
  LLVMValueRef address = LLVMBuildZExt(t->lanes, low, code_integer(64), "");
  return LLVMBuildAdd(t->lanes, LLVMBuildAdd(t->lanes, address, places->upper, ""), places->base,
                      "");
}

static void find_row(const BlockCode *t, Places *places, unsigned distance) {
  LLVMValueRef low = first_of(t, places->low), most = code_number(32, UINT32_MAX - SPAN * distance);
  places->first = address_of(t, places, low);
  places->usual = LLVMBuildAnd(t->lanes, lie_at(t, places->low, low, distance),
                               LLVMBuildICmp(t->lanes, LLVMIntULE, low, most, ""), "");
}

static void find_windows(const BlockCode *t, Places *places, unsigned bytes) {
  places->windows = windows_of(t, places->low, bytes);
  LLVMValueRef first = places->windows.first, last = places->windows.last,
               before = code_number(32, WINDOW - bytes),
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

static LLVMValueRef addresses_of(const BlockCode *t, const Places *places) {
  LLVMValueRef address =
      LLVMBuildAdd(t->lanes, widened(t, places->low), code_splat(t->lanes, places->base), "");
  if (!places->high)
    return address;
  LLVMValueRef upper =
      LLVMBuildShl(t->lanes, widened(t, places->high), code_splat_number(64, 32), "");
  return LLVMBuildAdd(t->lanes, address, upper, "");
}

static LLVMValueRef thread_of(const BlockCode *t) {
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
      code_beside(t->straight, thread_of(t), code_number(64, span_range_place(in)));
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

static Offsets offsets_inside(const BlockCode *t, const Instruction *in, LLVMValueRef base) {
  LLVMBuilderRef lanes = t->lanes;
  const Range range = range_of(t, in);
  LLVMValueRef none = code_number(64, 0), most = code_number(64, UINT32_MAX),
               own = code_number(64, form_of(in)->bytes),
               least = LLVMBuildSub(lanes, range.begin, base, ""),
               greatest = LLVMBuildAdd(lanes, least, LLVMBuildSub(lanes, range.bytes, own, ""), ""),
               before = LLVMBuildICmp(lanes, LLVMIntSLT, least, none, ""),
               beyond = LLVMBuildICmp(lanes, LLVMIntSGT, greatest, most, "");
  least = LLVMBuildSelect(lanes, before, none, least, "");
  greatest = LLVMBuildSelect(lanes, beyond, most, greatest, "");
  return (Offsets){least, greatest, LLVMBuildICmp(lanes, LLVMIntSLE, least, greatest, "")};
}

// Lanes lie by offsets of 32 bits behind one base, each inside and aligned. Those that are off go to the least.
static void find_turns(BlockCode *t, const Instruction *in, Places *places) {
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
  const Offsets inside = offsets_inside(t, in, places->first);
  LLVMValueRef least = code_splat(lanes, narrowed(t, inside.least)),
               room = LLVMBuildSub(lanes, inside.greatest, inside.least, ""),
               behind = LLVMBuildSub(lanes, places->low, least, ""),
               fits = LLVMBuildICmp(lanes, LLVMIntULE, behind, code_splat(lanes, narrowed(t, room)),
                                    ""),
               end = LLVMBuildAdd(lanes, places->low, code_splat(lanes, narrowed(t, places->first)),
                                  ""),
               odd = LLVMBuildAnd(lanes, end, code_splat_number(32, alignment_of(form_of(in)) - 1),
                                  ""),
               whole = LLVMBuildICmp(lanes, LLVMIntEQ, odd, LLVMConstNull(code_span(32)), "");
  fits = LLVMBuildAnd(lanes, LLVMBuildAnd(lanes, fits, whole, ""), alike, "");
  places->usual = LLVMBuildAnd(lanes, inside.any, gather_all(t, fits), "");
  if (!t->all_lanes)
    places->low = LLVMBuildSelect(lanes, t->span->active, places->low, least, "");
}

// Lanes whose low halves wrap lie in no usual way.
static Places places_of(BlockCode *t, const Instruction *in, LLVMValueRef base, unsigned distance) {
  Places places = {.base = base,
                   .low = code_read(t, &t->span->vgpr, in->a.index, 32),
                   .upper = code_number(64, 0)};
  LLVMValueRef high = NULL;
  if (in->b.kind == OPERAND_NONE)
    places.high = code_read(t, &t->span->vgpr, in->a.index + 1, 32);
  if (distance == APART) {
    places.apart = addresses_of(t, &places);
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
    find_windows(t, &places, form_of(in)->bytes);
  else
    find_row(t, &places, distance);
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

// ---- an instruction ----

// The next wave mostly loads what lies behind.
static void fetch_behind(const BlockCode *t, LLVMValueRef at, unsigned bytes) {
  LLVMTypeRef pointer = code_pointer();
  LLVMValueRef fetch = LLVMGetIntrinsicDeclaration(
      t->module, LLVMLookupIntrinsicID("llvm.prefetch", strlen("llvm.prefetch")), &pointer, 1);
  for (unsigned byte = 0; byte < SPAN * bytes; byte += DEVICE_L1_LINE) {
    LLVMValueRef argument[] = {rows_part(t, at, LANES * bytes + byte), code_number(32, 0),
                               code_number(32, 3), code_number(32, 1)};
    LLVMBuildCall2(t->lanes, LLVMGlobalGetValueType(fetch), fetch, argument, 4, "");
  }
}

static Rows load_usual(const BlockCode *t, const Form *form, LLVMValueRef first,
                       unsigned distance) {
  LLVMValueRef at = LLVMBuildIntToPtr(t->lanes, first, code_pointer(), "");
  if (!distance)
    return rows_at_one(t, at, form->bytes, form->has_sign);
  fetch_behind(t, at, distance);
  if (distance < form->bytes)
    return rows_that_slide(t, at, form->bytes, bits_of(form, distance));
  return rows_that_follow(t, at, form->bytes, form->has_sign);
}

// The same of each lane that is on, wherever it lies.
static LLVMValueRef are_apart_inside(const BlockCode *t, const Instruction *in,
                                     LLVMValueRef address, const Form *form) {
  LLVMBuilderRef lanes = t->lanes;
  const Range range = range_of(t, in);
  LLVMValueRef own = code_number(64, form->bytes - 1),
               fits = LLVMBuildICmp(lanes, LLVMIntUGT, range.bytes, own, ""),
               places = LLVMBuildSelect(lanes, fits, LLVMBuildSub(lanes, range.bytes, own, ""),
                                        code_number(64, 0), ""),
               behind = LLVMBuildSub(lanes, address, code_splat(lanes, range.begin), ""),
               inside = LLVMBuildICmp(lanes, LLVMIntULT, behind, code_splat(lanes, places), ""),
               low =
                   LLVMBuildAnd(lanes, address, code_splat_number(64, alignment_of(form) - 1), ""),
               aligned = LLVMBuildICmp(lanes, LLVMIntEQ, low, code_splat_number(64, 0), "");
  return gather_all(t, LLVMBuildAnd(lanes, inside, aligned, ""));
}

static LLVMValueRef are_inside(const BlockCode *t, const Instruction *in, const Places *places,
                               unsigned distance) {
  const Form *form = form_of(in);
  const unsigned alignment = alignment_of(form);
  if (distance == IN_TURN)
    return places->usual;
  if (distance == APART)
    return are_apart_inside(t, in, places->apart, form);
  if (distance != NEAR)
    return code_is_inside(t, in, places->first, (SPAN - 1) * distance + form->bytes, alignment);
  return LLVMBuildAnd(t->lanes, code_is_inside(t, in, places->first, WINDOW, alignment),
                      code_is_inside(t, in, places->second, WINDOW, alignment), "");
}

static LLVMValueRef pointer_to(const BlockCode *t, LLVMValueRef address) {
  return LLVMBuildIntToPtr(t->lanes, address, code_pointer(), "");
}

static Rows load_places(const BlockCode *t, const Form *form, const Places *places,
                        unsigned distance) {
  if (distance == APART)
    return gather_rows(t, places->apart, form->bytes, form->has_sign);
  if (distance == IN_TURN)
    return (Rows){{gather_in_turn(t, pointer_to(t, places->first), places->low, form->bytes,
                                  form->has_sign)}};
  return distance == NEAR ? windows_rows(t, &places->windows, pointer_to(t, places->first),
                                         pointer_to(t, places->second))
                          : load_usual(t, form, places->first, distance);
}

static Rows load_any(BlockCode *t, const Instruction *in, const Form *form, const Places *places,
                     unsigned bits) {
  LLVMValueRef addresses = code_rows(t, 1, 64),
               array = code_rows(t, (int)rows_values(form->bytes, bits), bits),
               lane = LLVMBuildTrunc(
                   t->lanes, LLVMBuildLShr(t->lanes, t->span->offset, code_number(64, 2), ""),
                   code_integer(32), "");
  code_store(t->lanes, places->apart ? places->apart : addresses_of(t, places), addresses, 8);
  const unsigned how = (form->has_sign ? SPAN_HAS_SIGN : 0) | (bits == 64 ? SPAN_OF_PAIRS : 0);
  LLVMValueRef argument[] = {
      t->wave, code_address(in), addresses, array, lane, code_number(32, form->bytes | how)};
  rows_seldom_call(t, (const void *)global_load_span, argument, 6);
  return rows_of_array(t, array, form->bytes, bits);
}

static void write_rows(BlockCode *t, const Instruction *in, const Form *form, const Rows *rows,
                       unsigned bits) {
  for (unsigned k = 0; k < rows_values(form->bytes, bits); k++) {
    const int index = in->d.index + (int)(k * bits / 32);
    code_write(t, &t->span->vgpr, index, bits, gather_active(t, index, bits, rows->value[k]));
  }
}

static LLVMValueRef base_of(BlockCode *t, const Instruction *in) {
  LLVMValueRef base = code_number(64, (uint64_t)(int64_t)in->offset);
  return in->b.kind == OPERAND_NONE
             ? base
             : LLVMBuildAdd(t->straight, code_scalar(t, &in->b, 64), base, "");
}

static void load_span(BlockCode *t, const Instruction *in) {
  const Form *form = form_of(in);
  const unsigned distance = distance_of(t, in), bits = bits_of(form, distance);
  const Places places = places_of(t, in, base_of(t, in), distance);
  LLVMValueRef quickly = are_inside(t, in, &places, distance);
  if (places.usual)
    quickly = LLVMBuildAnd(t->lanes, places.usual, quickly, "");
  if (t->stays) {
    code_leave_unless(t, quickly);
    const Rows rows = load_places(t, form, &places, distance);
    write_rows(t, in, form, &rows, bits);
    return;
  }
  LLVMBasicBlockRef usual = rows_new_block(t), other = rows_new_block(t), after = rows_new_block(t);
  LLVMBuildCondBr(t->lanes, quickly, usual, other);
  LLVMPositionBuilderAtEnd(t->lanes, usual);
  const Rows quick = load_places(t, form, &places, distance);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, other);
  const Rows slow = load_any(t, in, form, &places, bits);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, after);
  Rows either = {0};
  for (unsigned k = 0; k < rows_values(form->bytes, bits); k++)
    either.value[k] = rows_either(t, quick.value[k], usual, slow.value[k], other);
  write_rows(t, in, form, &either, bits);
}

// ---- of an affine address ----

// Whether all lanes of the wave are in the allocation that the load went to last, where that was so when the loop was entered.
static LLVMValueRef is_wave_inside(BlockCode *t, const Instruction *in, LLVMValueRef first,
                                   LLVMValueRef reach) {
  LLVMBuilderRef once = t->stays->once;
  LLVMTypeRef wide = code_integer(64);
  LLVMValueRef thread = code_load(once, code_pointer(),
                                  code_field(t, once, offsetof(Wavefront, thread)), sizeof(void *)),
               range = code_beside(once, thread, code_number(64, span_range_place(in))),
               begin = code_load(once, wide, range, 8),
               bytes = code_load(once, wide, code_beside(once, range, code_number(64, 8)), 8);
  code_enter_if(t, LLVMBuildICmp(once, LLVMIntULE, reach, bytes, ""));
  return LLVMBuildICmp(t->straight, LLVMIntULE, LLVMBuildSub(t->straight, first, begin, ""),
                       LLVMBuildSub(once, bytes, reach, ""), "");
}

static LLVMValueRef is_aligned(LLVMBuilderRef builder, LLVMValueRef value, unsigned alignment) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMValueRef low = LLVMBuildAnd(builder, value, LLVMConstInt(type, alignment - 1, false), "");
  return LLVMBuildICmp(builder, LLVMIntEQ, low, LLVMConstNull(type), "");
}

static bool load_affine(BlockCode *t, const Instruction *in) {
  const Form *form = form_of(in);
  const unsigned distance = distance_of(t, in);
  const AffineValue low = t->stays->value[in->a.index], high = t->stays->value[in->a.index + 1];
  LLVMBuilderRef once = t->stays->once;
  LLVMTypeRef wide = code_integer(64);
  if (distance >= NEAR || !low.base || (in->b.kind == OPERAND_NONE && !high.base))
    return false;
  code_enter_if(t, LLVMBuildICmp(once, LLVMIntEQ, low.step, code_number(32, distance), ""));
  affine_value_wraps_not(t, &low);
  LLVMValueRef first = LLVMBuildZExt(t->straight, low.base, wide, "");
  if (in->b.kind == OPERAND_NONE) {
    code_enter_if(t, LLVMBuildICmp(once, LLVMIntEQ, high.extent, code_number(32, 0), ""));
    LLVMValueRef upper = LLVMBuildZExt(t->straight, high.base, wide, "");
    upper = LLVMBuildShl(t->straight, upper, code_number(64, 32), "");
    first = LLVMBuildOr(t->straight, first, upper, "");
  }
  first = LLVMBuildAdd(t->straight, first, base_of(t, in), "");
  LLVMValueRef reach = LLVMBuildAdd(once, LLVMBuildZExt(once, low.extent, wide, ""),
                                    code_number(64, form->bytes), "");
  code_leave_unless(t, is_wave_inside(t, in, first, reach));
  code_leave_unless(t, is_aligned(t->straight, first, alignment_of(form)));
  for (unsigned i = 0; i < SPANS; i++) {
    t->span = &t->spans[i];
    code_enter_if(t, is_aligned(once, low.behind[i], alignment_of(form)));
    LLVMValueRef begins =
        LLVMBuildAdd(t->straight, first, LLVMBuildZExt(once, low.behind[i], wide, ""), "");
    const Rows rows = load_usual(t, form, begins, distance);
    write_rows(t, in, form, &rows, bits_of(form, distance));
  }
  t->span = t->spans;
  return true;
}

void code_load_global(BlockCode *t, const Instruction *in) {
  if (t->stays && load_affine(t, in))
    return;
  code_open_loop(t);
  t->loads_global = !t->stays;
  code_each_span(t, in, load_span);
}

int code_global_address_registers(const Instruction *in) {
  const unsigned distance = form_of(in) ? usual_distance(in, true) : ANY;
  if (in->info->unit != UNIT_GLOBAL || distance >= NEAR)
    return 0;
  return in->b.kind == OPERAND_NONE ? 2 : 1;
}

void code_raise_late_fault(BlockCode *t) {
  if (!t->loads_global)
    return;
  t->loads_global = false;
  LLVMBasicBlockRef fault = rows_new_block(t), after = rows_new_block(t);
  LLVMValueRef late = code_load(t->straight, code_integer(64),
                                code_beside(t->straight, thread_of(t),
                                            code_number(64, offsetof(HostThread, late.in))),
                                8),
               none = LLVMBuildICmp(t->straight, LLVMIntEQ, late, code_number(64, 0), "");
  LLVMBuildCondBr(t->straight, none, after, fault);
  LLVMPositionBuilderAtEnd(t->straight, fault);
  LLVMTypeRef parameter = code_pointer(),
              type = LLVMFunctionType(LLVMVoidTypeInContext(jit_context()), &parameter, 1, false);
  LLVMBuildCall2(t->straight, type, code_address((const void *)global_fault), &t->wave, 1, "");
  LLVMBuildBr(t->straight, after);
  LLVMPositionBuilderAtEnd(t->straight, after);
}
