// ds_bpermute_b32 in translated code: each lane reads a register of the lane that it names, 0 of one that is off.
#include "block_wave.h"

#include <string.h>

static bool can_permute(const BlockCode *t, const Instruction *in) {
  (void)t;
  return strcmp(in->info->mnemonic, "ds_bpermute_b32") == 0 && in->a.kind == OPERAND_VGPR &&
         in->c.kind == OPERAND_VGPR;
}

// The register as all lanes may read it: itself, or on the stack, with zeros.
static LLVMValueRef table_of(BlockCode *t, int index) {
  if (t->all_lanes)
    return code_row(t, t->lanes, code_number(64, 0), index);
  LLVMValueRef table = wave_room(t, 1), none = LLVMConstNull(code_span(32));
  for (unsigned s = 0; s < SPANS; s++)
    code_store(t->lanes,
               LLVMBuildSelect(t->lanes, wave_active(t, s), wave_row(t, s, index), none, ""),
               wave_room_row(t, table, s), 8);
  return table;
}

static void read_lane(BlockCode *t, const Instruction *in, const WaveLane *lane, void *result) {
  (void)in;
  code_store(t->lanes, code_load(t->lanes, code_integer(32), lane->place, 4),
             code_beside(t->lanes, result, lane->offset), 4);
}

static void write_permute(BlockCode *t, const Instruction *in, WavePlaces unused) {
  (void)unused;
  LanePlaces from = {.base = table_of(t, in->c.index)};
  LLVMValueRef result = wave_room(t, 0);
  for (unsigned s = 0; s < SPANS; s++) {
    LLVMValueRef byte = LLVMBuildAdd(t->lanes, wave_row(t, s, in->a.index),
                                     code_splat_number(32, (uint32_t)in->offset), "");
    from.offset[s] = LLVMBuildAnd(t->lanes, byte, code_splat_number(32, 4 * (LANES - 1)), "");
  }
  wave_each_lane(t, in, &from, read_lane, result);
  for (unsigned s = 0; s < SPANS; s++)
    wave_write(t, s, in->d.index,
               code_load(t->lanes, code_span(32), wave_room_row(t, result, s), 8));
}

const WaveCode code_permute = {.can = can_permute, .write = write_permute};
