// Instructions that go over the whole wave: see block_wave.h.
#include "block_wave.h"

#include <string.h>

const WaveCode *code_wave_of(const BlockCode *t, const Instruction *in) {
  static const WaveCode *const code[] = {&code_loads,  &code_permute,    &code_lds_loads,
                                         &code_stores, &code_few_stores, &code_lds_stores,
                                         &code_updates};
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

// Offsets of all lanes, and behind them a place that nobody reads for each, as long as what it moves, on the stack of the function.
static LLVMValueRef room_for_offsets(BlockCode *t) {
  if (!t->offsets)
    t->offsets = code_rows(t, 2 * SPANS + 1, 32);
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

typedef struct {
  const Instruction *in;
  LLVMValueRef base, room;
  WriteLane *write;
  void *context;
} EachLane;

static LLVMValueRef place_of_lane(const BlockCode *t, const EachLane *each, LLVMValueRef offset) {
  LLVMValueRef far =
      code_load(t->lanes, code_integer(32), code_beside(t->lanes, each->room, offset), 4);
  return code_beside(t->lanes, each->base, LLVMBuildZExt(t->lanes, far, code_integer(64), ""));
}

// Each has its own: atomics on one place would wait for each other.
static LLVMValueRef nowhere(const BlockCode *t, const EachLane *each, LLVMValueRef offset) {
  return code_beside(t->lanes, wave_room_row(t, each->room, SPANS), offset);
}

// A loop whose rounds have a value of 64 bits, until it is the last one: no round has that.
typedef struct {
  LLVMBasicBlockRef head, after;
  LLVMValueRef value;
} Rounds;

static Rounds begin_rounds(BlockCode *t, LLVMValueRef first, uint64_t last) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(t->lanes), round = rows_new_block(t);
  Rounds rounds = {.head = rows_new_block(t), .after = rows_new_block(t)};
  LLVMBuildBr(t->lanes, rounds.head);
  LLVMPositionBuilderAtEnd(t->lanes, rounds.head);
  rounds.value = LLVMBuildPhi(t->lanes, code_integer(64), "");
  LLVMAddIncoming(rounds.value, &first, &before, 1);
  LLVMValueRef over = LLVMBuildICmp(t->lanes, LLVMIntEQ, rounds.value, code_number(64, last), "");
  LLVMBuildCondBr(t->lanes, over, rounds.after, round);
  LLVMPositionBuilderAtEnd(t->lanes, round);
  return rounds;
}

static void end_rounds(BlockCode *t, const Rounds *rounds, LLVMValueRef next) {
  LLVMBasicBlockRef end = LLVMGetInsertBlock(t->lanes);
  LLVMAddIncoming(rounds->value, &next, &end, 1);
  LLVMBuildBr(t->lanes, rounds->head);
  LLVMPositionBuilderAtEnd(t->lanes, rounds->after);
}

// A span each round. Where not all lanes are on, those that are off go nowhere.
static void write_all_lanes(BlockCode *t, const EachLane *each, LLVMValueRef exec) {
  LLVMBuilderRef lanes = t->lanes;
  const Rounds rounds = begin_rounds(t, code_number(64, 0), 4 * LANES);
  LLVMValueRef first = LLVMBuildLShr(lanes, rounds.value, code_number(64, 2), ""),
               bits = exec ? LLVMBuildLShr(lanes, exec, first, "") : NULL;
  for (unsigned lane = 0; lane < SPAN; lane++) {
    LLVMValueRef offset = LLVMBuildAdd(lanes, rounds.value, code_number(64, 4 * lane), ""),
                 place = place_of_lane(t, each, offset);
    if (exec) {
      LLVMValueRef bit = LLVMBuildAnd(lanes, bits, code_number(64, 1u << lane), ""),
                   off = LLVMBuildICmp(lanes, LLVMIntEQ, bit, code_number(64, 0), "");
      place = LLVMBuildSelect(lanes, off, nowhere(t, each, offset), place, "");
    }
    each->write(t, each->in, &(WaveLane){place, offset}, each->context);
  }
  end_rounds(t, &rounds, LLVMBuildAdd(lanes, rounds.value, code_number(64, 4 * SPAN), ""));
}

// The lowest bit that is left is a lane each round.
LLVMValueRef wave_each_active(BlockCode *t, LLVMValueRef exec, EachActive *each, void *context) {
  LLVMBuilderRef lanes = t->lanes;
  const Rounds rounds = begin_rounds(t, exec, 0);
  LLVMValueRef lane = code_count_bits(t, lanes, "llvm.cttz", rounds.value),
               fits = each(t, LLVMBuildShl(lanes, lane, code_number(64, 2), ""), context),
               others = LLVMBuildAnd(lanes, rounds.value,
                                     LLVMBuildSub(lanes, rounds.value, code_number(64, 1), ""), "");
  if (!fits) {
    end_rounds(t, &rounds, others);
    return NULL;
  }
  LLVMBasicBlockRef end = LLVMGetInsertBlock(lanes), from[] = {rounds.head, end};
  LLVMValueRef all[] = {code_number(1, 1), code_number(1, 0)};
  LLVMAddIncoming(rounds.value, &others, &end, 1);
  LLVMBuildCondBr(lanes, fits, rounds.head, rounds.after);
  LLVMPositionBuilderAtEnd(lanes, rounds.after);
  LLVMValueRef result = LLVMBuildPhi(lanes, code_integer(1), "");
  LLVMAddIncoming(result, all, from, 2);
  return result;
}

LLVMValueRef wave_few_active(const BlockCode *t, LLVMValueRef exec, unsigned most) {
  LLVMValueRef count = code_count_bits(t, t->lanes, "llvm.ctpop", exec);
  return LLVMBuildICmp(t->lanes, LLVMIntULE, count, code_number(64, most), "");
}

static LLVMValueRef write_lane(BlockCode *t, LLVMValueRef offset, void *context) {
  const EachLane *each = context;
  each->write(t, each->in, &(WaveLane){place_of_lane(t, each, offset), offset}, each->context);
  return NULL;
}

static void write_some_lanes(BlockCode *t, EachLane *each) {
  enum { FEW = 24 }; // lanes that take as long one by one
  LLVMValueRef exec = code_read(t, &t->sgpr, SGPR_EXEC, 64);
  LLVMBasicBlockRef few = rows_new_block(t), many = rows_new_block(t), after = rows_new_block(t);
  LLVMBuildCondBr(t->lanes, wave_few_active(t, exec, FEW), few, many);
  LLVMPositionBuilderAtEnd(t->lanes, few);
  wave_each_active(t, exec, write_lane, each);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, many);
  write_all_lanes(t, each, exec);
  LLVMBuildBr(t->lanes, after);
  LLVMPositionBuilderAtEnd(t->lanes, after);
}

void wave_each_lane(BlockCode *t, const Instruction *in, const LanePlaces *places, WriteLane *write,
                    void *context) {
  EachLane each = {in, places->base, room_for_offsets(t), write, context};
  for (unsigned s = 0; s < SPANS; s++)
    code_store(t->lanes, places->offset[s], wave_room_row(t, each.room, s), 8);
  if (t->all_lanes)
    write_all_lanes(t, &each, NULL);
  else
    write_some_lanes(t, &each);
}

LLVMValueRef wave_word(const BlockCode *t, const WaveLane *lane, int index) {
  return code_load(t->lanes, code_integer(32), code_row(t, t->lanes, lane->offset, index), 4);
}

LLVMValueRef wave_pair(const BlockCode *t, LLVMValueRef low, LLVMValueRef high) {
  LLVMTypeRef wide = code_integer(64);
  high = LLVMBuildShl(t->lanes, LLVMBuildZExt(t->lanes, high, wide, ""), code_number(64, 32), "");
  return LLVMBuildOr(t->lanes, LLVMBuildZExt(t->lanes, low, wide, ""), high, "");
}
