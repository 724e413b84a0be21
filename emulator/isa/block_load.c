// Loads from global memory in translated code of waves that have lanes off, where those that are on lie as 64 do that follow each
// other: mostly an `if` took the others away, whose registers have addresses, too. Where the host gathers, block_gather.h serves.
#include "block_gather.h"
#include "block_global.h"
#include "block_places.h"
#include "global_span.h"
#include "settings.h"

#include <string.h>

// A dword of each lane, or two; 0 of other instructions.
static unsigned bytes_of(const Instruction *in) {
  return strcmp(in->info->mnemonic, "global_load_dword") == 0     ? 4
         : strcmp(in->info->mnemonic, "global_load_dwordx2") == 0 ? 8
                                                                  : 0;
}

static bool can_load(const BlockCode *t, const Instruction *in) {
  const unsigned bytes = in->info->unit == UNIT_GLOBAL ? bytes_of(in) : 0;
  return bytes && !t->all_lanes && !gather_possible(bytes, false) && !in->glc &&
         in->a.kind == OPERAND_VGPR && in->d.kind == OPERAND_VGPR &&
         (in->b.kind == OPERAND_NONE || in->b.kind == OPERAND_SGPR) &&
         code_some_mostly_follow(in) && !settings()->xnack;
}

static LLVMValueRef follow(BlockCode *t, const Instruction *in, LLVMValueRef first[MOST_PLACES]) {
  return places_follow_in_memory(t, in, bytes_of(in), first);
}

// Every second word of two rows.
static LLVMValueRef words_of(const BlockCode *t, const LLVMValueRef row[2], unsigned word) {
  LLVMValueRef from[SPAN];
  for (unsigned i = 0; i < SPAN; i++)
    from[i] = code_number(32, 2 * i + word);
  return LLVMBuildShuffleVector(t->lanes, row[0], row[1], LLVMConstVector(from, SPAN), "");
}

static void write_block(BlockCode *t, const Instruction *in, LLVMValueRef first[MOST_PLACES]) {
  const unsigned words = bytes_of(in) / 4;
  for (unsigned s = 0; s < SPANS; s++) {
    LLVMValueRef row[2];
    for (unsigned i = 0; i < words; i++)
      row[i] = code_load(t->lanes, code_span(32), wave_room_row(t, first[0], s * words + i), 1);
    for (unsigned i = 0; i < words; i++)
      wave_write(t, s, in->d.index + (int)i, words == 1 ? row[0] : words_of(t, row, i));
  }
}

const WaveCode code_loads = {
    .can = can_load, .follow = follow, .write_block = write_block, .other = global_access_any};
