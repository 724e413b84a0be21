// Loads from LDS in translated code: see block_lds.h.
#include "block_lds.h"

#include "block_gather.h"
#include "block_windows.h"
#include "lds_span.h"

#include <string.h>

// A load of one place, or of two whose offsets of 8 bits count so many bytes.
typedef struct {
  const char *mnemonic;
  unsigned words, stride; // stride: 0: one place, and an offset of 16 bits
} Form;

static const Form *form_of(const Instruction *in) {
  static const Form form[] = {{"ds_read_b32", 1, 0},           {"ds_read_b64", 2, 0},
                              {"ds_read_b128", 4, 0},          {"ds_read2_b32", 1, 4},
                              {"ds_read2st64_b32", 1, 4 * 64}, {"ds_read2_b64", 2, 8},
                              {"ds_read2st64_b64", 2, 8 * 64}};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++)
    if (strcmp(in->info->mnemonic, form[i].mnemonic) == 0)
      return &form[i];
  return NULL;
}

static unsigned met_lanes(const Instruction *in) {
  return __atomic_load_n(&in->lanes_met, __ATOMIC_RELAXED);
}

// Bytes from lane to lane as they were met; NEAR: to the first or the last; APART: each lies by itself; ANY: in no way that
// is loaded without a call. Of waves that have lanes off nothing is known.
enum { NEAR = 63, APART, ANY }; // no distances of lanes that follow each other
static unsigned met_distance(const Instruction *in, unsigned words, bool all_lanes) {
  const unsigned lanes = all_lanes ? met_lanes(in) : LANES_OTHER,
                 also = LANES_NEAR | LANES_AT_ONE | (words < 4 ? LANES_FOLLOW : 0);
  return !lanes                                            ? ANY
         : lanes == LANES_AT_ONE                           ? 0
         : lanes == LANES_FOLLOW                           ? 4 * words
         : !(lanes & ~also) && windows_possible(4 * words) ? NEAR
         : gather_possible(4 * words, true)                ? APART
                                                           : ANY;
}

bool code_can_load_lds(const BlockCode *t, const Instruction *in) {
  if (in->info->unit != UNIT_LDS || !form_of(in))
    return false;
  const unsigned distance = met_distance(in, form_of(in)->words, t->all_lanes);
  return t->goes_on && !t->traced && (t->uncounted || t->at_once == 1) && !in->gds &&
         in->a.kind == OPERAND_VGPR && in->d.kind == OPERAND_VGPR && distance != ANY &&
         (distance < NEAR || t->uncounted);
}

// The same where other threads of the host may have met others since then: every way is looked at before it is taken.
static unsigned distance_of(const BlockCode *t, const Instruction *in, unsigned words) {
  const unsigned met = met_distance(in, words, t->all_lanes);
  return met == ANY || (met >= NEAR && !t->uncounted) ? 0 : met;
}

// ---- how the lanes of a span lie to each other ----

// Places of lanes that follow each other at a distance of so many bytes, from the first of them.
static LLVMValueRef ramp(unsigned bytes) {
  LLVMValueRef lane[SPAN];
  for (unsigned i = 0; i < SPAN; i++)
    lane[i] = code_number(32, i * bytes);
  return LLVMConstVector(lane, SPAN);
}

// Whether the first lanes of this span and of the one before are so near to each other that 32 banks hold a dword of
// each lane of both.
static LLVMValueRef is_near(BlockCode *t, LLVMValueRef first) {
  const unsigned most = SPAN * sizeof(uint32_t);
  LLVMTypeRef type = code_integer(32);
  LLVMValueRef before = code_rows(t, 1, 32),
               apart = LLVMBuildSub(t->lanes, first, code_load(t->lanes, type, before, 4), "");
  code_store(t->lanes, first, before, 4);
  return LLVMBuildICmp(t->lanes, LLVMIntULE,
                       LLVMBuildAdd(t->lanes, apart, code_number(32, most), ""),
                       code_number(32, 2 * most), "");
}

// What the banks wait follows from how a span lies to the one before, where a dword of each lane is loaded.
static bool counts_waits(const BlockCode *t, unsigned words) { return words == 1 && !t->uncounted; }

// Of an address in a register, once for all loads of the loop that go by it. It is looked at whether lanes lie as those of
// the instruction did.
static const LdsLanes *lanes_of(BlockCode *t, const Instruction *in, LLVMValueRef address,
                                unsigned words) {
  for (unsigned i = 0; i < LDS_ADDRESSES; i++) {
    const LdsLanes *known = &t->lds.lanes[i];
    if (known->head == t->head && known->address == address && known->words == words)
      return known;
  }
  const unsigned distance = distance_of(t, in, words);
  LdsLanes *lanes = &t->lds.lanes[t->lds.known++ % LDS_ADDRESSES];
  *lanes = (LdsLanes){.head = t->head, .address = address, .words = words, .distance = distance};
  if (distance == APART)
    return lanes;
  if (distance == NEAR) {
    lanes->windows = windows_of(t, address, 4 * words);
    lanes->first = lanes->windows.first;
    lanes->usual = lanes->windows.usual;
    return lanes;
  }
  lanes->first = LLVMBuildExtractElement(t->lanes, address, code_number(32, 0), "");
  LLVMValueRef apart = LLVMBuildSub(t->lanes, address, code_splat(t->lanes, lanes->first), ""),
               as_seen = LLVMBuildICmp(t->lanes, LLVMIntEQ, apart, ramp(distance), "");
  as_seen = LLVMBuildBitCast(t->lanes, as_seen, code_integer(SPAN), "");
  lanes->usual =
      LLVMBuildICmp(t->lanes, LLVMIntEQ, as_seen, LLVMConstAllOnes(code_integer(SPAN)), "");
  lanes->near = counts_waits(t, words) ? is_near(t, lanes->first) : NULL;
  return lanes;
}

// ---- where LDS is ----

static LLVMValueRef behind(const BlockCode *t, LLVMValueRef pointer, size_t offset,
                           LLVMTypeRef type, unsigned bytes) {
  LLVMBuilderRef builder = t->stays ? t->stays->once : t->straight;
  return code_load(builder, type, code_beside(builder, pointer, code_number(64, offset)), bytes);
}

static LLVMValueRef thread_of(const BlockCode *t) {
  return behind(t, t->wave, offsetof(Wavefront, thread), code_pointer(), sizeof(void *));
}

void code_find_lds(BlockCode *t) {
  if (t->lds.begin)
    return;
  LLVMValueRef group = behind(t, t->wave, offsetof(Wavefront, group), code_pointer(), 8),
               launch = behind(t, thread_of(t), offsetof(HostThread, launch), code_pointer(), 8),
               bytes = behind(t, launch, offsetof(Launch, lds_bytes), code_integer(32), 4);
  t->lds.begin = behind(t, group, offsetof(Workgroup, lds), code_pointer(), 8);
  t->lds.bytes =
      LLVMBuildZExt(t->stays ? t->stays->once : t->straight, bytes, code_integer(64), "");
}

// The clocks that a wave takes whose lanes do not wait for each other.
static void count_clocks(const BlockCode *t, const Instruction *in, unsigned clocks) {
  const size_t entry =
      sizeof(InstructionProfile) * in->id + offsetof(InstructionProfile, lds_clocks);
  LLVMTypeRef type = code_integer(64);
  LLVMValueRef profile = behind(t, thread_of(t), offsetof(HostThread, profile), code_pointer(), 8),
               place = code_beside(t->straight, profile, code_number(64, entry)),
               before = code_load(t->straight, type, place, 8);
  code_store(t->straight, LLVMBuildAdd(t->straight, before, code_number(64, clocks), ""), place, 8);
}

// ---- the data of a span ----

static Rows load_any(BlockCode *t, const Instruction *in, LLVMValueRef places, unsigned words) {
  const unsigned bits = rows_bits(4 * words);
  LLVMValueRef array = code_rows(t, (int)rows_values(4 * words, bits), bits),
               lane = LLVMBuildTrunc(
                   t->lanes, LLVMBuildLShr(t->lanes, t->span->offset, code_number(64, 2), ""),
                   code_integer(32), "");
  LLVMValueRef argument[] = {t->wave, code_address(in),      places, array,
                             lane,    code_number(32, words)};
  rows_seldom_call(t, (const void *)lds_load_span, argument, 6);
  return rows_of_array(t, array, 4 * words, bits);
}

// ---- an instruction ----

// What the banks wait where a dword of each lane is loaded, 32 lanes at once: known behind the second of two spans.
static void count_waits(BlockCode *t, const Instruction *in, LLVMValueRef both,
                        const LdsLanes *lanes, LLVMValueRef odd) {
  LLVMTypeRef bit = code_integer(1), byte = code_integer(BYTE);
  LLVMValueRef kept = code_rows(t, 1, 32),
               before = LLVMBuildTrunc(t->lanes, code_load(t->lanes, byte, kept, 1), bit, ""),
               second = LLVMBuildAnd(t->lanes, t->span->offset, code_number(64, SPAN * 4), ""),
               waits = LLVMBuildOr(t->lanes, LLVMBuildOr(t->lanes, odd, before, ""),
                                   LLVMBuildNot(t->lanes, lanes->near, ""), "");
  code_store(t->lanes, LLVMBuildZExt(t->lanes, odd, byte, ""), kept, 1);
  second = LLVMBuildICmp(t->lanes, LLVMIntNE, second, code_number(64, 0), "");
  LLVMBasicBlockRef count = rows_new_block(t), after = rows_new_block(t);
  LLVMBuildCondBr(t->lanes, LLVMBuildAnd(t->lanes, second, waits, ""), count, after);
  LLVMPositionBuilderAtEnd(t->lanes, count);
  LLVMValueRef argument[] = {t->wave, code_address(in), both};
  rows_seldom_call(t, (const void *)lds_count_pass, argument, 3);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, after);
}

static void store_places(const BlockCode *t, LLVMValueRef address, unsigned move,
                         LLVMValueRef places) {
  code_store(t->lanes, LLVMBuildAdd(t->lanes, address, code_splat_number(32, move), ""), places, 4);
}

static LLVMValueRef are_inside(const BlockCode *t, LLVMValueRef place, unsigned bytes) {
  LLVMValueRef end = LLVMBuildAdd(t->lanes, place, code_splat_number(64, bytes), "");
  return gather_all(
      t, LLVMBuildICmp(t->lanes, LLVMIntULE, end, code_splat(t->lanes, t->lds.bytes), ""));
}

static Rows load_apart(const BlockCode *t, LLVMValueRef place, unsigned bytes) {
  LLVMValueRef begin = LLVMBuildPtrToInt(t->lanes, t->lds.begin, code_integer(64), "");
  return gather_rows(t, LLVMBuildAdd(t->lanes, place, code_splat(t->lanes, begin), ""), bytes,
                     false);
}

// Whether lanes whose first one is so many bytes in LDS lie inside, of those that lie as usual; APART: lanes, each of which is.
static LLVMValueRef is_inside(const BlockCode *t, const LdsLanes *lanes, LLVMValueRef first,
                              LLVMValueRef last) {
  LLVMTypeRef wide = code_integer(64);
  const unsigned bytes = 4 * lanes->words;
  const bool near = lanes->distance == NEAR;
  if (lanes->distance == APART)
    return are_inside(t, first, bytes);
  LLVMValueRef reach = near ? LLVMBuildAdd(t->lanes,
                                           LLVMBuildZExt(t->lanes, lanes->windows.reach, wide, ""),
                                           code_number(64, bytes), "")
                            : code_number(64, (SPAN - 1) * lanes->distance + bytes),
               inside = LLVMBuildICmp(t->lanes, LLVMIntULE,
                                      LLVMBuildAdd(t->lanes, first, reach, ""), t->lds.bytes, "");
  if (!near)
    return inside;
  LLVMValueRef end = LLVMBuildAdd(t->lanes, last, code_number(64, bytes), ""),
               begin = LLVMBuildICmp(t->lanes, LLVMIntUGE, end, code_number(64, WINDOW), ""),
               ends = LLVMBuildICmp(t->lanes, LLVMIntULE, end, t->lds.bytes, "");
  begin = LLVMBuildOr(t->lanes, begin, lanes->windows.one, "");
  return LLVMBuildAnd(t->lanes, LLVMBuildAnd(t->lanes, inside, ends, ""), begin, "");
}

// The second window begins in LDS, though no lane be in it.
static Rows load_near(const BlockCode *t, const LdsLanes *lanes, LLVMValueRef first,
                      LLVMValueRef last) {
  const unsigned before = WINDOW - 4 * lanes->words;
  LLVMValueRef least = code_number(64, before),
               low = LLVMBuildICmp(t->lanes, LLVMIntULT, last, least, ""),
               second = LLVMBuildSub(t->lanes, LLVMBuildSelect(t->lanes, low, least, last, ""),
                                     least, "");
  return windows_rows(t, &lanes->windows, code_beside(t->lanes, t->lds.begin, first),
                      code_beside(t->lanes, t->lds.begin, second));
}

// Lanes from so many bytes in LDS on.
static Rows load_quick(const BlockCode *t, LLVMValueRef first, unsigned words, unsigned distance) {
  LLVMValueRef place = code_beside(t->lanes, t->lds.begin, first);
  return distance ? rows_that_follow(t, place, 4 * words, false)
                  : rows_at_one(t, place, 4 * words, false);
}

static Rows load_usual(const BlockCode *t, const LdsLanes *lanes, LLVMValueRef first,
                       LLVMValueRef last) {
  return lanes->distance == APART  ? load_apart(t, first, 4 * lanes->words)
         : lanes->distance == NEAR ? load_near(t, lanes, first, last)
                                   : load_quick(t, first, lanes->words, lanes->distance);
}

static LLVMValueRef place_behind(const BlockCode *t, LLVMValueRef address, unsigned move) {
  return LLVMBuildZExt(t->lanes, LLVMBuildAdd(t->lanes, address, code_number(32, move), ""),
                       code_integer(64), "");
}

static LLVMValueRef places_behind(const BlockCode *t, LLVMValueRef address, unsigned move) {
  return LLVMBuildZExt(t->lanes, LLVMBuildAdd(t->lanes, address, code_splat_number(32, move), ""),
                       code_span(64), "");
}

static void write_rows(BlockCode *t, int index, unsigned words, const Rows *rows) {
  const unsigned bits = rows_bits(4 * words);
  for (unsigned k = 0; k < rows_values(4 * words, bits); k++)
    code_write(t, &t->span->vgpr, index + 2 * (int)k, bits,
               gather_active(t, index + 2 * (int)k, bits, rows->value[k]));
}

// From the lanes' addresses and a distance to registers from `index` on.
static void load_place(BlockCode *t, const Instruction *in, LLVMValueRef address, unsigned words,
                       unsigned move, int index) {
  const LdsLanes *lanes = lanes_of(t, in, address, words);
  const unsigned distance = lanes->distance;
  LLVMBasicBlockRef usual = rows_new_block(t), other = rows_new_block(t), after = rows_new_block(t);
  LLVMValueRef both = code_rows(t, 2, 32), places = both,
               first = distance == APART ? places_behind(t, address, move)
                                         : place_behind(t, lanes->first, move),
               last = distance == NEAR ? place_behind(t, lanes->windows.last, move) : NULL;
  if (counts_waits(t, words)) // the span's half of what banks serve at once
    places = code_beside(t->lanes, both,
                         LLVMBuildAnd(t->lanes, t->span->offset, code_number(64, SPAN * 4), ""));
  if (counts_waits(t, words))
    store_places(t, address, move, places);
  LLVMValueRef quickly = is_inside(t, lanes, first, last);
  if (distance != APART)
    quickly = LLVMBuildAnd(t->lanes, lanes->usual, quickly, "");
  if (t->stays) {
    code_leave_unless(t, quickly);
    const Rows rows = load_usual(t, lanes, first, last);
    write_rows(t, index, words, &rows);
    return;
  }
  LLVMBuildCondBr(t->lanes, quickly, usual, other);
  LLVMPositionBuilderAtEnd(t->lanes, usual);
  const Rows quick = load_usual(t, lanes, first, last);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, other);
  if (!counts_waits(t, words))
    store_places(t, address, move, places);
  Rows slow = load_any(t, in, places, words), either = {0};
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, after);
  LLVMValueRef yes = code_number(1, 1), no = code_number(1, 0);
  LLVMValueRef odd = rows_either(t, no, usual, yes, other);
  for (unsigned k = 0; k < rows_values(4 * words, rows_bits(4 * words)); k++)
    either.value[k] = rows_either(t, quick.value[k], usual, slow.value[k], other);
  write_rows(t, index, words, &either);
  if (counts_waits(t, words))
    count_waits(t, in, both, lanes, odd);
}

static unsigned places_of(const Form *form) { return form->stride ? 2 : 1; }

// How many bytes behind the address place i is.
static unsigned offset_of(const Instruction *in, const Form *form, unsigned i) {
  const unsigned offset = (unsigned)in->offset;
  return form->stride ? (offset >> 8 * i & 0xff) * form->stride : offset;
}

static void load_span(BlockCode *t, const Instruction *in) {
  const Form *form = form_of(in);
  LLVMValueRef address = code_read(t, &t->span->vgpr, in->a.index, 32);
  for (unsigned i = 0; i < places_of(form); i++)
    load_place(t, in, address, form->words, offset_of(in, form, i),
               in->d.index + (int)(i * form->words));
}

// ---- of an affine address ----

static void load_affine_place(BlockCode *t, const AffineValue *address, unsigned words,
                              unsigned distance, unsigned move, int index) {
  LLVMBuilderRef once = t->stays->once;
  LLVMTypeRef wide = code_integer(64);
  LLVMValueRef reach = LLVMBuildAdd(once, LLVMBuildZExt(once, address->extent, wide, ""),
                                    code_number(64, move + 4 * words), ""),
               first = LLVMBuildZExt(t->straight, address->base, wide, "");
  code_enter_if(t, LLVMBuildICmp(once, LLVMIntULE, reach, t->lds.bytes, ""));
  code_leave_unless(t, LLVMBuildICmp(t->straight, LLVMIntULE, first,
                                     LLVMBuildSub(once, t->lds.bytes, reach, ""), ""));
  for (unsigned i = 0; i < SPANS; i++) {
    LLVMValueRef behind_first =
                     LLVMBuildAdd(once, LLVMBuildZExt(once, address->behind[i], wide, ""),
                                  code_number(64, move), ""),
                 from = LLVMBuildAdd(t->straight, first, behind_first, "");
    const Rows rows = load_quick(t, from, words, distance);
    t->span = &t->spans[i];
    write_rows(t, index, words, &rows);
  }
  t->span = t->spans;
}

static bool load_affine(BlockCode *t, const Instruction *in) {
  const Form *form = form_of(in);
  const AffineValue address = t->stays->value[in->a.index];
  const unsigned distance = distance_of(t, in, form->words);
  if (!address.base || distance >= NEAR)
    return false;
  code_enter_if(
      t, LLVMBuildICmp(t->stays->once, LLVMIntEQ, address.step, code_number(32, distance), ""));
  for (unsigned i = 0; i < places_of(form); i++)
    load_affine_place(t, &address, form->words, distance, offset_of(in, form, i),
                      in->d.index + (int)(i * form->words));
  return true;
}

int code_lds_address_registers(const Instruction *in) {
  const unsigned distance =
      in->info->unit == UNIT_LDS && form_of(in) ? met_distance(in, form_of(in)->words, true) : NEAR;
  return distance != NEAR && distance != APART;
}

void code_load_lds(BlockCode *t, const Instruction *in) {
  const Form *form = form_of(in);
  code_open_loop(t);
  code_find_lds(t);
  if (t->stays && load_affine(t, in))
    return;
  if (!t->uncounted)
    count_clocks(t, in, places_of(form) * LANES / lds_lanes_at_once(form->words));
  code_each_span(t, in, load_span);
}
