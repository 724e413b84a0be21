// Loads from global memory in translated code: see block_global.h.
#include "block_global.h"

#include "affine_value.h"
#include "block_gather.h"
#include "global_span.h"
#include "settings.h"
#include "span_places.h"

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

// Bytes from lane to lane where they lie as mostly, or a distance that is no number of bytes. Of waves that have lanes off
// nothing is known.
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

static LLVMValueRef pointer_to(const BlockCode *t, LLVMValueRef address) {
  return LLVMBuildIntToPtr(t->lanes, address, code_pointer(), "");
}

static Rows load_places(const BlockCode *t, const Form *form, const SpanPlaces *places,
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

static Rows load_any(BlockCode *t, const Instruction *in, const Form *form,
                     const SpanPlaces *places, unsigned bits) {
  LLVMValueRef addresses = code_rows(t, 1, 64),
               array = code_rows(t, (int)rows_values(form->bytes, bits), bits),
               lane = LLVMBuildTrunc(
                   t->lanes, LLVMBuildLShr(t->lanes, t->span->offset, code_number(64, 2), ""),
                   code_integer(32), "");
  code_store(t->lanes, span_addresses(t, places), addresses, 8);
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
  const SpanPlaces places = span_places_of(t, in, base_of(t, in), form->bytes, distance);
  LLVMValueRef quickly = span_inside(t, in, &places);
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
  code_leave_unless(t, is_aligned(t->straight, first, span_alignment(form->bytes)));
  for (unsigned i = 0; i < SPANS; i++) {
    t->span = &t->spans[i];
    code_enter_if(t, is_aligned(once, low.behind[i], span_alignment(form->bytes)));
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
                                code_beside(t->straight, span_thread(t),
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
