// Loads from LDS in translated code whose lanes lie in no usual way, one lane after the other: where the host has no instruction that
// gathers (block_gather.h), and of what it does not gather.
#include "block_places.h"

#include <string.h>

// Into the low half of a register, the high one, or all of it. Of one place, or of two whose offsets of 8 bits count
// so many bytes.
typedef struct {
  const char *mnemonic;
  unsigned bytes;
  enum { UNSIGNED, SIGNED } sign;
  enum { WHOLE, LOW, HIGH } part;
  unsigned stride;
} Form;

static const Form *form_of(const Instruction *in) {
  static const Form form[] = {
      {"ds_read_u8", 1, UNSIGNED, WHOLE, 0},    {"ds_read_i8", 1, SIGNED, WHOLE, 0},
      {"ds_read_u16", 2, UNSIGNED, WHOLE, 0},   {"ds_read_i16", 2, SIGNED, WHOLE, 0},
      {"ds_read_u8_d16", 1, UNSIGNED, LOW, 0},  {"ds_read_u8_d16_hi", 1, UNSIGNED, HIGH, 0},
      {"ds_read_i8_d16", 1, SIGNED, LOW, 0},    {"ds_read_i8_d16_hi", 1, SIGNED, HIGH, 0},
      {"ds_read_u16_d16", 2, UNSIGNED, LOW, 0}, {"ds_read_u16_d16_hi", 2, UNSIGNED, HIGH, 0},
      {"ds_read_b32", 4, UNSIGNED, WHOLE, 0},   {"ds_read_b64", 8, UNSIGNED, WHOLE, 0},
      {"ds_read_b96", 12, UNSIGNED, WHOLE, 0},  {"ds_read_b128", 16, UNSIGNED, WHOLE, 0},
      {"ds_read2_b32", 4, UNSIGNED, WHOLE, 4},  {"ds_read2st64_b32", 4, UNSIGNED, WHOLE, 4 * 64},
      {"ds_read2_b64", 8, UNSIGNED, WHOLE, 8},  {"ds_read2st64_b64", 8, UNSIGNED, WHOLE, 8 * 64}};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++)
    if (strcmp(in->info->mnemonic, form[i].mnemonic) == 0)
      return &form[i];
  return NULL;
}

static bool can_load(const BlockCode *t, const Instruction *in) {
  (void)t;
  return in->info->unit == UNIT_LDS && in->info->action == MEMORY_LOAD && !in->gds &&
         in->a.kind == OPERAND_VGPR && in->d.kind == OPERAND_VGPR && form_of(in);
}

static LLVMValueRef are_inside(BlockCode *t, const Instruction *in, WavePlaces places) {
  return places_in_lds(t, in, form_of(in)->bytes, form_of(in)->stride, 1, places);
}

static void keep_word(const BlockCode *t, LLVMValueRef rows, const WaveLane *lane, unsigned i,
                      LLVMValueRef word) {
  LLVMValueRef row = code_beside(t->lanes, rows, code_number(64, i * LANES * 4));
  code_store(t->lanes, word, code_beside(t->lanes, row, lane->offset), 4);
}

static void keep_narrow(const BlockCode *t, const Form *form, const WaveLane *lane,
                        LLVMValueRef rows) {
  LLVMValueRef value = code_load(t->lanes, code_integer(BYTE * form->bytes), lane->place, 1);
  keep_word(t, rows, lane, 0,
            form->sign == SIGNED ? LLVMBuildSExt(t->lanes, value, code_integer(32), "")
                                 : LLVMBuildZExt(t->lanes, value, code_integer(32), ""));
}

static void load_lane(BlockCode *t, const Instruction *in, const WaveLane *lane, void *rows) {
  const Form *form = form_of(in);
  LLVMTypeRef word = code_integer(32);
  if (form->bytes < 4) {
    keep_narrow(t, form, lane, rows);
    return;
  }
  for (unsigned i = 0; i < form->bytes / 4; i++)
    keep_word(
        t, rows, lane, i,
        code_load(t->lanes, word, code_beside(t->lanes, lane->place, code_number(64, 4 * i)), 1));
}

// A register that keeps one of its halves.
static LLVMValueRef merged(const BlockCode *t, const Form *form, LLVMValueRef value,
                           LLVMValueRef before) {
  const bool low = form->part == LOW;
  if (form->part == WHOLE)
    return value;
  value = low ? LLVMBuildAnd(t->lanes, value, code_splat_number(32, 0xffff), "")
              : LLVMBuildShl(t->lanes, value, code_splat_number(32, 16), "");
  before = LLVMBuildAnd(t->lanes, before, code_splat_number(32, low ? 0xffff0000 : 0xffff), "");
  return LLVMBuildOr(t->lanes, value, before, "");
}

static void write_load(BlockCode *t, const Instruction *in, WavePlaces places) {
  const Form *form = form_of(in);
  const unsigned words = form->bytes > 4 ? form->bytes / 4 : 1;
  LLVMValueRef rows[MOST_PLACES];
  for (unsigned i = 0; i < places_count(form->stride); i++) {
    rows[i] = wave_room(t, i);
    wave_each_lane(t, in, &places[i], load_lane, rows[i]);
  }
  for (unsigned k = 0; k < places_count(form->stride) * words * SPANS; k++) {
    const int index = in->d.index + (int)(k / SPANS);
    LLVMValueRef row = wave_room_row(t, rows[k / SPANS / words], k % (SPANS * words)),
                 value = code_load(t->lanes, code_span(32), row, 8);
    wave_write(t, k % SPANS, index, merged(t, form, value, wave_row(t, k % SPANS, index)));
  }
}

const WaveCode code_lds_loads = {.can = can_load, .may = are_inside, .write = write_load};
