// Which registers are read behind a block.
//
// In: a few instructions each. Out: what every way overwrites as a whole before it is read, and that alone, is left out.
#include "device_memory.h"
#include "jit.h"
#include "lane_function.h"
#include "program.h"
#include "translation.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

// Encodings: CDNA2 ISA guide, 13. The s_getreg_b32 might read all registers.
#define V_MOV(D) (0x7e000280u | (D) << 17)
#define V_MOV_FROM(D, S) (0x7e000300u | (D) << 17 | (S))
#define S_BRANCH(WORDS) (0xbf820000u | (WORDS))
#define S_CBRANCH_SCC0(WORDS) (0xbf840000u | (WORDS))
#define DS_READ(OPERATION, D, ADDRESS) (0xd8000000u | (OPERATION) << 17), ((D) << 24 | (ADDRESS))
enum { S_NOP = 0xbf800000, S_GETREG = 0xb880f801, S_ENDPGM = 0xbf810000, S_MOV_EXEC = 0xbefe0100 };
enum { U16_D16 = 90, B64 = 118 };

static bool moves(const Instruction *in) { return strcmp(in->info->mnemonic, "v_mov_b32") == 0; }

// At the first of these words, of which all are decoded but the last `unknown`; or behind a block of some.
static LiveRegisters live(const uint32_t *word, size_t words, size_t unknown, uint32_t block) {
  void *code;
  char message[512];
  cr_assert(jit_start() && lane_functions_start());
  cr_assert(eq(int, device_memory_allocate(4096, MEMORY_CODE, 0, &code), MEMORY_OK));
  memcpy(code, word, words * sizeof *word);
  CodeObject object = {.text_address = (uint64_t)code, .text_size = words * sizeof *word};
  cr_assert(program_open(&object));
  const Instruction *first = program_at(object.program, object.text_address), *in = first;
  for (; in < first + words - unknown; in += in->words)
    cr_assert(program_decode(object.program, in, message, sizeof message), "%s", message);
  const LiveRegisters registers =
      block ? live_behind(first, block, moves) : translation_live_at(first);
  program_close(&object);
  return registers;
}
#define COUNT(...) (sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))
#define LIVE(UNKNOWN, ...) live((const uint32_t[]){__VA_ARGS__}, COUNT(__VA_ARGS__), UNKNOWN, 0)
#define BEHIND(BLOCK, ...) live((const uint32_t[]){__VA_ARGS__}, COUNT(__VA_ARGS__), 0, BLOCK)

Test(block_live, what_is_overwritten_before_it_is_read_is_left_out) {
  const LiveRegisters at =
      LIVE(0, V_MOV_FROM(1, 2u), V_MOV(2), V_MOV_FROM(3, 3u), S_GETREG, S_ENDPGM);
  cr_assert(zero(u8, at.vgpr[1]));
  cr_assert(at.vgpr[2] && at.vgpr[3] && at.vgpr[4] && at.vgpr[AGPR_BASE]);
}

Test(block_live, at_the_end_of_a_wave_there_is_none) {
  const LiveRegisters at = LIVE(0, V_MOV_FROM(1, 2u), S_ENDPGM);
  cr_assert(at.vgpr[2] && !at.vgpr[3]);
}

Test(block_live, what_is_not_decoded_might_read_all) {
  const LiveRegisters at = LIVE(1, V_MOV(1), S_ENDPGM);
  cr_assert(at.vgpr[2] && !at.vgpr[1]);
}

Test(block_live, under_another_exec_only_a_part_is_overwritten) {
  const LiveRegisters at = LIVE(0, V_MOV(1), S_MOV_EXEC, V_MOV(2), S_GETREG, S_ENDPGM);
  cr_assert(at.vgpr[2] && !at.vgpr[1]);
}

Test(block_live, of_two_ways_each_must_overwrite_it) {
  const LiveRegisters at = LIVE(0, S_CBRANCH_SCC0(2), S_NOP, S_BRANCH(2), V_MOV(1), S_BRANCH(0),
                                V_MOV(3), S_GETREG, S_ENDPGM),
                      other = LIVE(0, S_CBRANCH_SCC0(2), V_MOV(1), S_BRANCH(2), S_NOP, S_BRANCH(0),
                                   V_MOV(3), S_GETREG, S_ENDPGM);
  cr_assert(at.vgpr[1] && !at.vgpr[3]);
  cr_assert(other.vgpr[1] && !other.vgpr[3]);
}

Test(block_live, loads_overwrite_whole_registers_or_keep_a_half) {
  const LiveRegisters at = LIVE(0, DS_READ(B64, 2u, 0u), DS_READ(U16_D16, 4u, 0u), S_ENDPGM);
  cr_assert(at.vgpr[0] && !at.vgpr[2] && !at.vgpr[3] && at.vgpr[4]);
}

Test(block_live, behind_a_block_that_changes_exec_as_well) {
  const LiveRegisters at = BEHIND(2, V_MOV(1), S_BRANCH(0), V_MOV(2), S_GETREG, S_ENDPGM),
                      other = BEHIND(2, S_MOV_EXEC, S_BRANCH(0), V_MOV(2), S_GETREG, S_ENDPGM);
  cr_assert(at.vgpr[1] && !at.vgpr[2]);
  cr_assert(eq(u8, other.vgpr[2], true));
}
