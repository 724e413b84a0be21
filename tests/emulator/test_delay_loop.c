// Whether a loop only lets time pass.
//
// In: machine code, word by word, with one instruction that reads the clock. Out: delay_loop of that.
#include "delay_loop.h"

#include "code_object.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define CLOCK 0xc0900100, 0                         // s_memtime s[4:5]
#define MOV 0x7e020280                              // v_mov_b32 v1, 0
#define LOAD 0xdc508000, 0x017f0004                 // global_load_dword v1, v[4:5], off
#define IN_LDS 0xd86c0000, 0x01000002               // ds_read_b32 v1, v2
#define IF(WORDS) (0xbf850000 | (0xffff & (WORDS))) // s_cbranch_scc1
#define JUMP(WORDS) (0xbf820000 | (0xffff & (WORDS)))
#define SWAPPC 0xbe9e1e04 // s_swappc_b64 s[30:31], s[4:5]
#define SETPC 0xbe801d04  // s_setpc_b64 s[4:5]
#define GETPC 0xbe841c00  // s_getpc_b64 s[4:5]
#define END 0xbf810000
#define NOTHING 0xffffffff

static bool delays(const uint32_t *code, size_t words) {
  static const uint32_t clock[] = {CLOCK};
  CodeObject object = {.text_address = (uint64_t)code, .text_size = 4 * words};
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  size_t at = 0;
  while (code[at] != clock[0])
    at++;
  const bool found = delay_loop(object.program, program_at(object.program, (uint64_t)(code + at)));
  program_close(&object);
  return found;
}

#define DELAYS(...)                                                                                \
  delays((const uint32_t[]){__VA_ARGS__},                                                          \
         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

Test(delay_loop, touches_no_memory) {
  cr_assert(DELAYS(CLOCK, IF(-3), END));
  cr_assert(DELAYS(MOV, GETPC, CLOCK, MOV, IF(-6), END));
  cr_assert(not(DELAYS(CLOCK, LOAD, IF(-5), END)));
  cr_assert(not(DELAYS(LOAD, CLOCK, IF(-5), END)));
  cr_assert(not(DELAYS(CLOCK, IN_LDS, IF(-5), END)));
}

Test(delay_loop, has_several_ways) {
  cr_assert(DELAYS(IF(4), CLOCK, IF(1), JUMP(-5), END));
  cr_assert(DELAYS(CLOCK, IF(2), MOV, JUMP(-5), MOV, JUMP(-7), END), "both ways lead back");
  cr_assert(not(DELAYS(CLOCK, IF(3), LOAD, JUMP(-6), MOV, JUMP(-8), END)));
  cr_assert(not(DELAYS(CLOCK, IF(2), MOV, JUMP(-5), LOAD, JUMP(-8), END)),
            "behind the first branch that leads back");
}

Test(delay_loop, has_ways_out) {
  cr_assert(DELAYS(CLOCK, IF(3), LOAD, JUMP(2), MOV, JUMP(-8), END));
  cr_assert(DELAYS(CLOCK, IF(3), LOAD, END, MOV, JUMP(-8), END));
}

Test(delay_loop, is_the_innermost) {
  cr_assert(DELAYS(MOV, CLOCK, IF(-3), LOAD, IF(-7), END));
  cr_assert(DELAYS(LOAD, CLOCK, IF(-3), MOV, IF(-7), END));
  cr_assert(DELAYS(CLOCK, IF(-3), LOAD, END), "what follows a loop is not in it");
  cr_assert(DELAYS(CLOCK, MOV, IF(-2), IF(-5), END), "one beside the clock");
  cr_assert(not(DELAYS(CLOCK, LOAD, MOV, IF(-2), IF(-7), END)));
}

Test(delay_loop, calls_nothing) {
  cr_assert(not(DELAYS(CLOCK, SWAPPC, IF(-4), END)));
  cr_assert(DELAYS(CLOCK, IF(2), MOV, SETPC, JUMP(-6), END), "a return is a way out");
}

Test(delay_loop, is_a_loop) {
  cr_assert(not(DELAYS(CLOCK, END)));
  cr_assert(not(DELAYS(MOV, IF(-2), CLOCK, END)));
  cr_assert(not(DELAYS(CLOCK, MOV, IF(-2), END)));
  cr_assert(not(DELAYS(CLOCK, IF(1), JUMP(-4), NOTHING)), "nobody knows");
}

Test(delay_loop, is_short) {
  enum { LONG = 1100 };
  uint32_t code[LONG + 4] = {CLOCK};
  for (int i = 2; i < LONG; i++)
    code[i] = MOV;
  code[LONG] = IF(-(LONG + 1));
  code[LONG + 1] = END;
  cr_assert(not(delays(code, LONG + 2)));
  code[900] = IF(-901);
  cr_assert(delays(code, LONG + 2));
}
