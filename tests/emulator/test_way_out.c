// Whether a wave can come to the end of its kernel.
//
// In: machine code, word by word. Out: way_out, from the first word on.
#include "way_out.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MOV 0x7e020280                              // v_mov_b32 v1, 0
#define LOAD 0xdc508000, 0x017f0004                 // global_load_dword v1, v[4:5], off
#define IF(WORDS) (0xbf850000 | (0xffff & (WORDS))) // s_cbranch_scc1
#define JUMP(WORDS) (0xbf820000 | (0xffff & (WORDS)))
#define GETPC 0xbe841c00  // s_getpc_b64 s[4:5]
#define SETPC 0xbe801d04  // s_setpc_b64 s[4:5]
#define SWAPPC 0xbe9e1e04 // s_swappc_b64 s[30:31], s[4:5]
#define TRAP 0xbf920002
#define END 0xbf810000
#define NOTHING 0xffffffff

static bool found(const uint32_t *code, size_t words) {
  CodeObject object = {.text_address = (uint64_t)code, .text_size = 4 * words};
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  const bool out = way_out(&object, program_at(object.program, (uint64_t)code));
  program_close(&object);
  return out;
}

#define FOUND(...)                                                                                 \
  found((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

Test(way_out, is_any_jump_out_of_a_loop) {
  cr_assert(FOUND(MOV, END));
  cr_assert(FOUND(LOAD, IF(-3), END));
  cr_assert(FOUND(LOAD, IF(1), JUMP(-4), END));
  cr_assert(FOUND(IF(3), MOV, IF(-2), JUMP(-4), IF(-2), END));
}

Test(way_out, is_missing_where_all_jumps_lead_back) {
  cr_assert(not(FOUND(JUMP(-1), END)));
  cr_assert(not(FOUND(LOAD, JUMP(-3), END)));
  cr_assert(not(FOUND(LOAD, IF(1), JUMP(-4), JUMP(-5), END)));
  cr_assert(not(FOUND(GETPC, JUMP(-2), END)));
  cr_assert(not(FOUND(JUMP(1), END, MOV, IF(-2), JUMP(-3))));
}

// A function comes back to the kernel.
Test(way_out, is_the_end_of_a_function_of_another_object) {
  const uint32_t kernel[] = {JUMP(-1), END}, function[] = {MOV, SETPC};
  CodeObject object = {.text_address = (uint64_t)kernel, .text_size = sizeof kernel},
             other = {.text_address = (uint64_t)function, .text_size = sizeof function};
  cr_assert(program_open(&object));
  code_object_enter(&other);
  const Instruction *from = program_elsewhere(object.program, other.text_address);
  cr_assert(from && way_out(&object, from));
  code_object_leave(&other);
  cr_assert(eq(ptr, (void *)program_elsewhere(object.program, other.text_address), NULL));
  program_close(&object);
}

Test(way_out, is_what_nobody_knows) {
  cr_assert(FOUND(SWAPPC, JUMP(-2), END));
  cr_assert(FOUND(SETPC, JUMP(-2), END));
  cr_assert(FOUND(TRAP, JUMP(-2), END));
  cr_assert(FOUND(IF(1), JUMP(-2), NOTHING));
  cr_assert(FOUND(MOV)); // on into what lies behind the code
  cr_assert(FOUND(IF(100), JUMP(-2), END));
}
