// Stores to global memory and to LDS in translated code: 64 lanes that follow each other as a block, else lane by lane,
// of which the last one stays where several have one place.
#include "block_places.h"
#include "global_span.h"
#include "settings.h"

#include <string.h>

// From a register's bit on. LDS: of one place, or of two whose offsets of 8 bits count so many bytes.
typedef struct {
  const char *mnemonic;
  unsigned bytes, shift, stride;
} Form;

static const Form *form_of(const Instruction *in) {
  static const Form form[] = {
      {"global_store_byte", 1, 0, 0},     {"global_store_byte_d16_hi", 1, 16, 0},
      {"global_store_short", 2, 0, 0},    {"global_store_short_d16_hi", 2, 16, 0},
      {"global_store_dword", 4, 0, 0},    {"global_store_dwordx2", 8, 0, 0},
      {"global_store_dwordx3", 12, 0, 0}, {"global_store_dwordx4", 16, 0, 0},
      {"ds_write_b8", 1, 0, 0},           {"ds_write_b8_d16_hi", 1, 16, 0},
      {"ds_write_b16", 2, 0, 0},          {"ds_write_b16_d16_hi", 2, 16, 0},
      {"ds_write_b32", 4, 0, 0},          {"ds_write_b64", 8, 0, 0},
      {"ds_write_b96", 12, 0, 0},         {"ds_write_b128", 16, 0, 0},
      {"ds_write2_b32", 4, 0, 4},         {"ds_write2st64_b32", 4, 0, 4 * 64},
      {"ds_write2_b64", 8, 0, 8},         {"ds_write2st64_b64", 8, 0, 8 * 64}};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++)
    if (strcmp(in->info->mnemonic, form[i].mnemonic) == 0)
      return &form[i];
  return NULL;
}

static bool can_store(const Instruction *in) {
  return in->info->action == MEMORY_STORE && in->a.kind == OPERAND_VGPR &&
         in->c.kind == OPERAND_VGPR && form_of(in);
}

static bool can_store_in_lds(const BlockCode *t, const Instruction *in) {
  (void)t;
  return in->info->unit == UNIT_LDS && !in->gds && can_store(in);
}

static bool can_store_in_memory(const Instruction *in) {
  return in->info->unit == UNIT_GLOBAL && !settings()->xnack && can_store(in) &&
         (in->b.kind == OPERAND_NONE || in->b.kind == OPERAND_SGPR);
}

static bool can_store_all(const BlockCode *t, const Instruction *in) {
  return t->all_lanes && can_store_in_memory(in);
}

static bool can_store_few(const BlockCode *t, const Instruction *in) {
  return !t->all_lanes && can_store_in_memory(in);
}

// ---- where lanes go ----

static bool moves_as_block(const BlockCode *t, const Instruction *in) {
  return t->all_lanes && form_of(in)->bytes != 12;
}

static LLVMValueRef follow_in_lds(BlockCode *t, const Instruction *in,
                                  LLVMValueRef first[MOST_PLACES]) {
  const Form *form = form_of(in);
  return moves_as_block(t, in) ? places_follow_in_lds(t, in, form->bytes, form->stride, first)
                               : NULL;
}

static LLVMValueRef follow_in_memory(BlockCode *t, const Instruction *in,
                                     LLVMValueRef first[MOST_PLACES]) {
  return moves_as_block(t, in) ? places_follow_in_memory(t, in, form_of(in)->bytes, first) : NULL;
}

static LLVMValueRef are_in_lds(BlockCode *t, const Instruction *in, WavePlaces places) {
  return places_in_lds(t, in, form_of(in)->bytes, form_of(in)->stride, 1, places);
}

static LLVMValueRef are_in_memory(BlockCode *t, const Instruction *in, WavePlaces places) {
  return places_in_memory(t, in, form_of(in)->bytes, places);
}

// ---- the data ----

typedef struct {
  const Form *form;
  int index; // of the first register
} Data;

static LLVMValueRef part_of(const BlockCode *t, const Form *form, LLVMValueRef word,
                            LLVMTypeRef type, LLVMValueRef shift) {
  if (form->shift)
    word = LLVMBuildLShr(t->lanes, word, shift, "");
  return LLVMBuildTrunc(t->lanes, word, type, "");
}

// What a lane stores moves as one, as in execute_memory.c: another workgroup finds the old or the new, never half of each.
static void store_lane(BlockCode *t, const Instruction *in, const WaveLane *lane, void *context) {
  (void)in;
  const Data *data = context;
  const unsigned bytes = data->form->bytes, words = bytes > 4 ? bytes / 4 : 1;
  LLVMValueRef word[4];
  for (unsigned i = 0; i < words; i++)
    word[i] = wave_word(t, lane, data->index + (int)i);
  if (bytes < 4)
    word[0] = part_of(t, data->form, word[0], code_integer(BYTE * bytes),
                      code_number(32, data->form->shift));
  if (words == 4) {
    LLVMValueRef four = LLVMGetUndef(LLVMVectorType(code_integer(32), 4));
    for (unsigned i = 0; i < words; i++)
      four = LLVMBuildInsertElement(t->lanes, four, word[i], code_number(32, i), "");
    word[0] = four;
  } else if (words > 1) {
    word[0] = wave_pair(t, word[0], word[1]);
  }
  code_store(t->lanes, word[0], lane->place, 1);
  if (words == 3)
    code_store(t->lanes, word[2], code_beside(t->lanes, lane->place, code_number(64, 8)), 1);
}

// Elements of two rows in turns, from the low or the high half of both.
static LLVMValueRef in_turns(const BlockCode *t, LLVMValueRef a, LLVMValueRef b, unsigned count,
                             bool high) {
  LLVMValueRef from[SPAN];
  for (unsigned i = 0; i < count; i++)
    from[i] = code_number(32, (high ? count / 2 : 0) + i / 2 + (i % 2) * count);
  return LLVMBuildShuffleVector(t->lanes, a, b, LLVMConstVector(from, count), "");
}

// Vectors as long as the host's registers.
static void store_rows_in_turns(const BlockCode *t, const LLVMValueRef row[4], unsigned bytes,
                                LLVMValueRef to) {
  LLVMTypeRef pairs = LLVMVectorType(code_integer(64), SPAN / 2);
  for (unsigned half = 0; half < 2; half++) {
    LLVMValueRef low = in_turns(t, row[0], row[1], SPAN, half);
    LLVMValueRef at = code_beside(t->lanes, to, code_number(64, half * SPAN / 2 * bytes));
    if (bytes == 8) {
      code_store(t->lanes, low, at, 1);
      continue;
    }
    LLVMValueRef high = in_turns(t, row[2], row[3], SPAN, half);
    low = LLVMBuildBitCast(t->lanes, low, pairs, "");
    high = LLVMBuildBitCast(t->lanes, high, pairs, "");
    for (unsigned quarter = 0; quarter < 2; quarter++)
      code_store(t->lanes, in_turns(t, low, high, SPAN / 2, quarter),
                 code_beside(t->lanes, at, code_number(64, quarter * SPAN / 4 * bytes)), 1);
  }
}

static void store_block(const BlockCode *t, const Form *form, int index, LLVMValueRef begin) {
  for (unsigned s = 0; s < SPANS; s++) {
    LLVMValueRef row[4],
        to = code_beside(t->lanes, begin, code_number(64, (uint64_t)s * SPAN * form->bytes));
    for (unsigned i = 0; i < (form->bytes + 3) / 4; i++)
      row[i] = wave_row(t, s, index + (int)i);
    if (form->bytes > 4) {
      store_rows_in_turns(t, row, form->bytes, to);
      continue;
    }
    if (form->bytes < 4)
      row[0] = part_of(t, form, row[0], code_span(BYTE * form->bytes),
                       code_splat_number(32, form->shift));
    code_store(t->lanes, row[0], to, 1);
  }
}

static int data_of(const Instruction *in, unsigned place) {
  return place ? in->e.index : in->c.index;
}

static void write_block(BlockCode *t, const Instruction *in, LLVMValueRef first[MOST_PLACES]) {
  for (unsigned i = 0; i < places_count(form_of(in)->stride); i++)
    store_block(t, form_of(in), data_of(in, i), first[i]);
}

static void write_store(BlockCode *t, const Instruction *in, WavePlaces places) {
  for (unsigned i = 0; i < places_count(form_of(in)->stride); i++) {
    Data data = {form_of(in), data_of(in, i)};
    wave_each_lane(t, in, &places[i], store_lane, &data);
  }
}

// ---- of few lanes ----

typedef struct {
  const Instruction *in;
  Data data;
  LLVMValueRef base;
} FewStore;

static LLVMValueRef is_lane_inside(BlockCode *t, LLVMValueRef offset, void *context) {
  const FewStore *store = context;
  return place_in_memory(t, store->in, store->data.form->bytes, store->base, offset,
                         &(LLVMValueRef){NULL});
}

static LLVMValueRef store_few(BlockCode *t, LLVMValueRef offset, void *context) {
  FewStore *store = context;
  WaveLane lane = {.offset = offset};
  place_in_memory(t, store->in, store->data.form->bytes, store->base, offset, &lane.place);
  store_lane(t, store->in, &lane, &store->data);
  return NULL;
}

static FewStore few_store(BlockCode *t, const Instruction *in) {
  return (FewStore){in, {form_of(in), in->c.index}, places_base(t, in)};
}

static LLVMValueRef exec_of(BlockCode *t) { return code_read(t, &t->sgpr, SGPR_EXEC, 64); }

// Where more are on the handler is faster: it stores rows under a mask.
static LLVMValueRef are_few_inside(BlockCode *t, const Instruction *in, WavePlaces places) {
  (void)places;
  FewStore store = few_store(t, in);
  LLVMValueRef exec = exec_of(t), few = wave_few_active(t, exec, GLOBAL_FEW);
  LLVMBasicBlockRef some = rows_new_block(t), after = rows_new_block(t),
                    before = LLVMGetInsertBlock(t->lanes);
  LLVMBuildCondBr(t->lanes, few, some, after);
  LLVMPositionBuilderAtEnd(t->lanes, some);
  LLVMValueRef inside = wave_each_active(t, exec, is_lane_inside, &store);
  LLVMBasicBlockRef end = LLVMGetInsertBlock(t->lanes);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, after);
  return rows_either(t, code_number(1, 0), before, inside, end);
}

static void write_few(BlockCode *t, const Instruction *in, WavePlaces places) {
  (void)places;
  FewStore store = few_store(t, in);
  wave_each_active(t, exec_of(t), store_few, &store);
}

const WaveCode code_stores = {.can = can_store_all,
                              .follow = follow_in_memory,
                              .write_block = write_block,
                              .may = are_in_memory,
                              .write = write_store,
                              .other = global_access_any};
const WaveCode code_few_stores = {
    .can = can_store_few, .may = are_few_inside, .write = write_few, .other = global_access_few};
const WaveCode code_lds_stores = {.can = can_store_in_lds,
                                  .follow = follow_in_lds,
                                  .write_block = write_block,
                                  .may = are_in_lds,
                                  .write = write_store};
