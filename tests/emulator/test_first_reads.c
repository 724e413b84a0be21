// Which registers need a value when a wave begins: those that it may read in lanes it has not written.
//
// In: machine code, word by word; v0 is given. Out: first_reads.
#include "first_reads.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MOV_1 0x7e020280                  // v_mov_b32 v1, 0
#define MOV_2_FROM_1 0x7e040301           // v_mov_b32 v2, v1
#define MOV_1_FROM_2 0x7e020302           // v_mov_b32 v1, v2
#define MAC_1 0x2c020100                  // v_mac_f32 v1, v0, v0
#define BYTE_1 0x7e0202f9, 0x00061100     // v_mov_b32_sdwa v1, v0, byte 1, others preserved
#define MIX_1 0xd3a20001, 0x04020100      // v_fma_mixhi_f16 v1, v0, v0, v0
#define LANE_1 0xd28a0001, 0x00010604     // v_writelane_b32 v1, s4, 3
#define CMPX 0x7db40100                   // v_cmpx_eq_u32 vcc, v0, v0
#define SWAP_1_2 0x7e02a302               // v_swap_b32 v1, v2
#define LOAD_1 0xdc508000, 0x017f0004     // global_load_dword v1, v[4:5], off
#define HALF_1 0xdc908000, 0x017f0004     // global_load_short_d16 v1, v[4:5], off
#define STORE_1 0xdc708000, 0x007f0104    // global_store_dword v[4:5], v1, off
#define LDS_1 0xd86c0000, 0x01000000      // ds_read_b32 v1, v0
#define READLANE_1 0xd2890004, 0x00010701 // v_readlane_b32 s4, v1, 3
#define DPP_1 0x7e0602fa, 0xff011101      // v_mov_b32_dpp v3, v1 row_shr:1
#define PERMUTE_1 0xd87e0000, 0x03000100  // ds_bpermute_b32 v3, v0, v1
#define COUNT_1 0xd28c0001, 0x000200c1    // v_mbcnt_lo_u32_b32 v1, -1, v0
#define MFMA_1 0xd3c28000, 0x04020300     // v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]
#define TO_A5 0xd3d94005, 0x18000100      // v_accvgpr_write_b32 a5, v0
#define FROM_A5 0xd3d84001, 0x18000105    // v_accvgpr_read_b32 v1, a5
#define SAVE 0xbe82206a                   // s_and_saveexec_b64 s[2:3], vcc
#define ANDN2 0x89fe027e                  // s_andn2_b64 exec, exec, s[2:3]
#define RESTORE 0x87fe027e                // s_or_b64 exec, exec, s[2:3]
#define OTHERS 0x88fe027e                 // s_xor_b64 exec, exec, s[2:3]
#define IF(WORDS) (0xbf850000 | (0xffff & (WORDS))) // s_cbranch_scc1
#define JUMP(WORDS) (0xbf820000 | (0xffff & (WORDS)))
#define END 0xbf810000

enum { V1 = 2, V2 = 4, V3 = 8, V4_5 = 48, NOT_FOLLOWED = -1 };

// Bits of the registers up to v30; AccVGPRs are bit 31.
static int64_t reads(const uint32_t *code, size_t words) {
  CodeObject object = {.text_address = (uint64_t)code, .text_size = 4 * words, .kernel_count = 1};
  Kernel kernel = {.object = &object, .entry = (uint64_t)code, .code_size = 4 * words};
  object.kernels = &kernel;
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  const Instruction *entry = program_at(object.program, kernel.entry);
  const RegisterList *list = first_reads(object.program, &kernel, entry, 1);
  int64_t set = list ? 0 : NOT_FOLLOWED;
  for (uint32_t i = 0; list && i < list->count; i++)
    set |= 1ll << (list->number[i] < 31 ? list->number[i] : 31);
  cr_assert(eq(ptr, (void *)list, (void *)first_reads(object.program, &kernel, entry, 1)));
  program_close(&object);
  return set;
}

#define READS(...)                                                                                 \
  reads((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

Test(first_reads, of_what_was_not_written) {
  cr_assert(eq(i64, READS(MOV_1, MOV_2_FROM_1, END), 0));
  cr_assert(eq(i64, READS(MOV_2_FROM_1, MOV_1, END), V1));
  cr_assert(eq(i64, READS(MAC_1, END), V1));
  cr_assert(eq(i64, READS(MOV_1, MAC_1, END), 0));
  cr_assert(eq(i64, READS(MOV_1, SWAP_1_2, END), V2));
  cr_assert(eq(i64, READS(STORE_1, END), V1 | V4_5));
  cr_assert(eq(i64, READS(LOAD_1, STORE_1, END), V4_5));
  cr_assert(eq(i64, READS(LDS_1, MOV_2_FROM_1, END), 0));
  cr_assert(eq(i64, READS(COUNT_1, MOV_2_FROM_1, END), 0));
  cr_assert(eq(i64, READS(TO_A5, FROM_A5, END), 0));
  cr_assert(eq(i64, READS(FROM_A5, END), 1ll << 31));
}

Test(first_reads, of_what_an_instruction_leaves) {
  cr_assert(eq(i64, READS(BYTE_1, END), V1));
  cr_assert(eq(i64, READS(MIX_1, END), V1));
  cr_assert(eq(i64, READS(LANE_1, END), V1));
  cr_assert(eq(i64, READS(HALF_1, END), V1 | V4_5));
}

Test(first_reads, not_while_lanes_are_only_switched_off) {
  cr_assert(eq(i64, READS(SAVE, MOV_1, MOV_2_FROM_1, END), 0));
  cr_assert(eq(i64, READS(SAVE, MOV_1, ANDN2, MOV_2_FROM_1, END), 0));
}

Test(first_reads, in_lanes_that_are_switched_on_later) {
  cr_assert(eq(i64, READS(SAVE, MOV_1, RESTORE, MOV_2_FROM_1, END), V1));
  cr_assert(eq(i64, READS(SAVE, MOV_1, OTHERS, MOV_2_FROM_1, END), V1));
  cr_assert(eq(i64, READS(CMPX, MOV_1, RESTORE, MOV_2_FROM_1, END), V1));
  cr_assert(eq(i64, READS(MOV_1, SAVE, RESTORE, MOV_2_FROM_1, END), 0));
}

Test(first_reads, of_lanes_that_are_off) {
  cr_assert(eq(i64, READS(SAVE, MOV_1, READLANE_1, END), V1));
  cr_assert(eq(i64, READS(SAVE, MOV_1, DPP_1, END), V1 | V3));
  cr_assert(eq(i64, READS(SAVE, MOV_1, PERMUTE_1, END), V1 | V3));
  cr_assert(eq(i64, READS(SAVE, MOV_1, MFMA_1, END), V1 | 1ll << 31));
  cr_assert(eq(i64, READS(MOV_1, SAVE, READLANE_1, END), 0));
}

// What only one way has written may be read behind the place where they meet.
Test(first_reads, behind_branches) {
  cr_assert(eq(i64, READS(IF(1), MOV_1, MOV_2_FROM_1, END), V1));
  cr_assert(eq(i64, READS(IF(2), MOV_1, JUMP(1), MOV_1, MOV_2_FROM_1, END), 0));
  cr_assert(eq(i64, READS(IF(2), MOV_1, END, MOV_2_FROM_1, END), V1));
  // a loop: what its end reads, its begin has not written in the first round
  cr_assert(eq(i64, READS(MOV_1_FROM_2, MOV_2_FROM_1, IF(-3), END), V2));
  // lanes are switched on in the second round
  cr_assert(eq(i64, READS(SAVE, MOV_1, MOV_2_FROM_1, RESTORE, IF(-3), END), V1));
}

Test(first_reads, is_not_known_of_code_that_goes_elsewhere) {
  cr_assert(eq(i64, READS(0xbe801d1e, END), NOT_FOLLOWED));           // s_setpc_b64 s[30:31]
  cr_assert(eq(i64, READS(0xbe9e1e04, END), NOT_FOLLOWED));           // s_swappc_b64
  cr_assert(eq(i64, READS(0xbf110100, MOV_1, END), NOT_FOLLOWED));    // s_set_gpr_idx_on s0, 1
  cr_assert(eq(i64, READS(MOV_1), NOT_FOLLOWED));                     // runs off its end
  cr_assert(eq(i64, READS(JUMP(7), END), NOT_FOLLOWED));              // out of the kernel
  cr_assert(eq(i64, READS(JUMP(1), LOAD_1, END, END), NOT_FOLLOWED)); // into an instruction
}
