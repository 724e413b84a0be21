// Instructions that go over the whole wave: see block_wave.h.
#include "block_wave.h"

const WaveCode *code_wave_of(const BlockCode *t, const Instruction *in) {
  static const WaveCode *const code[] = {&code_permute, &code_lds_loads, &code_stores,
                                         &code_lds_stores, &code_updates};
  for (size_t i = 0; t->goes_on && t->uncounted && i < sizeof code / sizeof *code; i++)
    if (code[i]->can(t, in))
      return code[i];
  return NULL;
}

static LLVMValueRef place_of(const BlockCode *t, unsigned s, int index) {
  return code_row(t, t->lanes, code_number(64, s * SPAN * sizeof(uint32_t)), index);
}

LLVMValueRef wave_row(const BlockCode *t, unsigned s, int index) {
  return code_load(t->lanes, code_span(32), place_of(t, s, index), 64);
}

LLVMValueRef wave_active(BlockCode *t, unsigned s) {
  if (t->all_lanes)
    return LLVMConstAllOnes(code_span(1));
  LLVMValueRef bits =
      LLVMBuildLShr(t->lanes, code_read(t, &t->sgpr, SGPR_EXEC, 64), code_number(64, s * SPAN), "");
  return code_truth(t, LLVMBuildTrunc(t->lanes, bits, code_integer(SPAN), ""));
}

void wave_write(BlockCode *t, unsigned s, int index, LLVMValueRef value) {
  if (!t->all_lanes)
    value = LLVMBuildSelect(t->lanes, wave_active(t, s), value, wave_row(t, s, index), "");
  code_store(t->lanes, value, place_of(t, s, index), 64);
}

LLVMValueRef wave_none(BlockCode *t, LLVMValueRef truth[SPANS]) {
  LLVMValueRef some = LLVMConstNull(code_span(1));
  for (unsigned s = 0; s < SPANS; s++)
    some = LLVMBuildOr(t->lanes, some, LLVMBuildAnd(t->lanes, truth[s], wave_active(t, s), ""), "");
  return LLVMBuildICmp(t->lanes, LLVMIntEQ,
                       LLVMBuildBitCast(t->lanes, some, code_integer(SPAN), ""),
                       code_number(SPAN, 0), "");
}

LLVMValueRef wave_first(const BlockCode *t, int index) {
  return code_load(t->lanes, code_integer(32), place_of(t, 0, index), 4);
}

LLVMValueRef wave_follows(BlockCode *t, int index, unsigned distance) {
  LLVMValueRef first = code_splat(t->lanes, wave_first(t, index)), apart[SPANS];
  for (unsigned s = 0; s < SPANS; s++) {
    LLVMValueRef ramp[SPAN];
    for (unsigned i = 0; i < SPAN; i++)
      ramp[i] = code_number(32, (s * SPAN + i) * distance);
    LLVMValueRef should = LLVMBuildAdd(t->lanes, first, LLVMConstVector(ramp, SPAN), "");
    apart[s] = LLVMBuildICmp(t->lanes, LLVMIntNE, wave_row(t, s, index), should, "");
  }
  return wave_none(t, apart);
}

// ---- lane by lane ----

// Offsets of all lanes, and a place for those that are off, on the stack of the function.
static LLVMValueRef room_for_offsets(BlockCode *t) {
  if (!t->offsets)
    t->offsets = code_rows(t, SPANS + 1, 32);
  return t->offsets;
}

LLVMValueRef wave_room_row(const BlockCode *t, LLVMValueRef room, unsigned row) {
  return code_beside(t->lanes, room, code_number(64, row * SPAN * sizeof(uint32_t)));
}

LLVMValueRef wave_room(BlockCode *t, unsigned place) {
  const unsigned rows = MOST_WORDS * SPANS;
  if (!t->rows)
    t->rows = code_rows(t, (int)(MOST_PLACES * rows), 32);
  return wave_room_row(t, t->rows, place * rows);
}

// A round of the loop over lanes. nowhere: NULL: all lanes are on.
typedef struct {
  LLVMValueRef base, room, nowhere;
  LLVMValueRef span, exec; // offset of the span's first dword in a row, bytes; which lanes are on
} LanesRound;

static void write_lane(BlockCode *t, const Instruction *in, const LanesRound *round, unsigned lane,
                       WriteLane *write, void *context) {
  LLVMBuilderRef lanes = t->lanes;
  LLVMValueRef offset = LLVMBuildAdd(lanes, round->span, code_number(64, 4 * lane), ""),
               far = code_load(lanes, code_integer(32), code_beside(lanes, round->room, offset), 4),
               place =
                   code_beside(lanes, round->base, LLVMBuildZExt(lanes, far, code_integer(64), ""));
  if (round->nowhere) {
    LLVMValueRef bit = LLVMBuildAnd(lanes, round->exec, code_number(64, 1u << lane), ""),
                 off = LLVMBuildICmp(lanes, LLVMIntEQ, bit, code_number(64, 0), "");
    place = LLVMBuildSelect(lanes, off, round->nowhere, place, "");
  }
  write(t, in, &(WaveLane){place, offset}, context);
}

static LLVMBasicBlockRef begin_rounds(BlockCode *t, LanesRound *round) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->lanes), head = rows_new_block(t);
  LLVMValueRef zero = code_number(64, 0);
  LLVMBuildBr(t->lanes, head);
  LLVMPositionBuilderAtEnd(t->lanes, head);
  round->span = LLVMBuildPhi(t->lanes, code_integer(64), "");
  LLVMAddIncoming(round->span, &zero, &before, 1);
  LLVMValueRef first = LLVMBuildLShr(t->lanes, round->span, code_number(64, 2), "");
  if (round->nowhere)
    round->exec = LLVMBuildLShr(t->lanes, code_read(t, &t->sgpr, SGPR_EXEC, 64), first, "");
  return head;
}

static void end_rounds(BlockCode *t, const LanesRound *round, LLVMBasicBlockRef head) {
  LLVMBasicBlockRef after = rows_new_block(t);
  LLVMValueRef next = LLVMBuildAdd(t->lanes, round->span, code_number(64, 4 * SPAN), ""),
               done = LLVMBuildICmp(t->lanes, LLVMIntEQ, next, code_number(64, 4 * LANES), "");
  LLVMAddIncoming(round->span, &next, &head, 1);
  LLVMBuildCondBr(t->lanes, done, after, head);
  LLVMPositionBuilderAtEnd(t->lanes, after);
}

void wave_each_lane(BlockCode *t, const Instruction *in, const LanePlaces *places, WriteLane *write,
                    void *context) {
  LanesRound round = {.base = places->base, .room = room_for_offsets(t)};
  for (unsigned s = 0; s < SPANS; s++)
    code_store(t->lanes, places->offset[s],
               code_beside(t->lanes, round.room, code_number(64, s * SPAN * 4)), 8);
  if (!t->all_lanes) {
    round.nowhere = code_beside(t->lanes, round.room, code_number(64, LANES * 4));
    code_read(t, &t->sgpr, SGPR_EXEC, 64);
  }
  LLVMBasicBlockRef head = begin_rounds(t, &round);
  for (unsigned lane = 0; lane < SPAN; lane++)
    write_lane(t, in, &round, lane, write, context);
  end_rounds(t, &round, head);
}

LLVMValueRef wave_word(const BlockCode *t, const WaveLane *lane, int index) {
  return code_load(t->lanes, code_integer(32), code_row(t, t->lanes, lane->offset, index), 4);
}

LLVMValueRef wave_pair(const BlockCode *t, LLVMValueRef low, LLVMValueRef high) {
  LLVMTypeRef wide = code_integer(64);
  high = LLVMBuildShl(t->lanes, LLVMBuildZExt(t->lanes, high, wide, ""), code_number(64, 32), "");
  return LLVMBuildOr(t->lanes, LLVMBuildZExt(t->lanes, low, wide, ""), high, "");
}
