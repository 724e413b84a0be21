// What a program knows of a kernel before it runs: whether its workgroups must run in order, and whether
// they may wait for each other.
//
// In: machine code, word by word. Out: program_calls, and what group_order.h tells.
#include "group_order.h"
#include "reached_code.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

typedef bool Question(Program *program, const Kernel *kernel);

static bool answer_of(Question *question, const uint32_t *code, size_t words, size_t kernel_words) {
  CodeObject object = {.text_address = (uint64_t)code, .text_size = 4 * words, .kernel_count = 1};
  Kernel kernel = {.object = &object, .entry = (uint64_t)code, .code_size = 4 * kernel_words};
  object.kernels = &kernel;
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  bool is = question(object.program, &kernel);
  cr_assert(eq(int, question(object.program, &kernel), is)); // which is known by then
  program_close(&object);
  return is;
}

static bool answer(Question *question, const uint32_t *code, size_t words) {
  return answer_of(question, code, words, words);
}

#define ANSWER(QUESTION, ...)                                                                      \
  answer(QUESTION, (const uint32_t[]){__VA_ARGS__},                                                \
         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define NEEDS_ORDER(...) ANSWER(group_order_by_atomics, __VA_ARGS__)
#define MAY_KNOW(...) ANSWER(group_order_by_values, __VA_ARGS__)

Test(needs_order, not_for_loads_and_stores) {
  cr_assert(not(NEEDS_ORDER(0xdc508000, 0x007f0000,    // global_load_dword v0, v[0:1], off
                            0xdc708000, 0x007f0000,    // global_store_dword v[0:1], v0, off
                            0xd8000000, 0x00000100))); // ds_add_u32 v0, v1: of one workgroup
}

Test(needs_order, for_atomics) {
  cr_assert(NEEDS_ORDER(0xbf800000, 0xdd088000, 0x007f0200)); // global_atomic_add v[0:1], v2, off
}

// What they call may hold an atomic.
Test(needs_order, for_calls) {
  cr_assert(NEEDS_ORDER(0xbe9e1e04)); // s_swappc_b64 s[30:31], s[4:5]
  cr_assert(NEEDS_ORDER(0xba9e0001)); // s_call_b64 s[30:31], 1
}

Test(needs_order, not_for_jumps) {
  cr_assert(not(NEEDS_ORDER(0xbe9e1c00))); // s_getpc_b64 s[30:31]
  cr_assert(not(NEEDS_ORDER(0xbe801d1e))); // s_setpc_b64 s[30:31]
  cr_assert(not(NEEDS_ORDER(0xbf820001))); // s_branch
}

#define CALLED_AT(WORD)                      /* by s[4:5], of a kernel that begins with it */      \
  0xbe841c00,                                /* s_getpc_b64 s[4:5] */                              \
      0x80048004 | ((WORD)-1) * 4 << 8,      /* s_add_u32 s4, s4, distance */                      \
      0x82058005                             /* s_addc_u32 s5, s5, 0 */
#define CALL_S4 0xbe9e1e04                   // s_swappc_b64 s[30:31], s[4:5]
#define END 0xbf810000                       // s_endpgm
#define RETURN 0xbe801d1e                    // s_setpc_b64 s[30:31]
#define ATOMIC 0xdd088000, 0x007f0200        // global_atomic_add v[0:1], v2, off
#define VOLATILE_LOAD 0xdc518000, 0x007f0000 // global_load_dword v0, v[0:1], off glc

Test(needs_order, by_what_the_called_function_does) {
  cr_assert(not(NEEDS_ORDER(CALLED_AT(5), CALL_S4, END, RETURN)));
  cr_assert(NEEDS_ORDER(CALLED_AT(5), CALL_S4, END, ATOMIC, RETURN));
  cr_assert(not(NEEDS_ORDER(CALLED_AT(7), CALL_S4, END, ATOMIC, RETURN))); // which nobody calls
  cr_assert(NEEDS_ORDER(CALLED_AT(5), CALL_S4, END, 0xbf850001, RETURN, ATOMIC,
                        RETURN));                       // s_cbranch_scc1 past the return
  cr_assert(not(NEEDS_ORDER(0xba9e0001, END, RETURN))); // s_call_b64 s[30:31], 1
  cr_assert(NEEDS_ORDER(0xba9e0001, END, ATOMIC, RETURN));
}

Test(needs_order, for_calls_of_what_no_instruction_names) {
  cr_assert(not(NEEDS_ORDER(CALLED_AT(6), 0xbe860104,   // s_mov_b64 s[6:7], s[4:5]
                            0xbe9e1e06, END, RETURN))); // s_swappc_b64 s[30:31], s[6:7]
  cr_assert(NEEDS_ORDER(CALLED_AT(6), 0xbe840009,       // s_mov_b32 s4, s9
                        CALL_S4, END, RETURN));
  cr_assert(NEEDS_ORDER(CALLED_AT(5), CALL_S4, END, 0xbe801d08)); // s_setpc_b64 s[8:9]: no return
  // Two ways lead to the call, one with another address.
  cr_assert(NEEDS_ORDER(CALLED_AT(8), 0xbf850002, // s_cbranch_scc1 to the move
                        CALL_S4, END, 0xbe840102, // s_mov_b64 s[4:5], s[2:3]
                        0xbf82fffc, RETURN));     // s_branch to the call
}

// Neither answer is taken for the other.
Test(calls, beside_the_other_question) {
  const uint32_t code[] = {0xdd088000, 0x007f0200}; // global_atomic_add v[0:1], v2, off
  CodeObject object = {.text_address = (uint64_t)code, .text_size = sizeof code, .kernel_count = 1};
  Kernel kernel = {.object = &object, .entry = (uint64_t)code, .code_size = sizeof code};
  object.kernels = &kernel;
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  cr_assert(group_order_by_atomics(object.program, &kernel));
  cr_assert(not(program_calls(object.program, &kernel)));
  cr_assert(group_order_by_atomics(object.program, &kernel));
  program_close(&object);
}

Test(may_know, by_volatile_loads_and_old_values) {
  cr_assert(MAY_KNOW(0xbf800000, 0xdc518000, 0x007f0000)); // global_load_dword ... glc
  cr_assert(not(MAY_KNOW(0xdc538000, 0x007f0000)));        // glc slc: nontemporal
  cr_assert(not(MAY_KNOW(0xdc508000, 0x007f0000,           // plain
                         0xdd088000, 0x007f0200)));        // an atomic that returns nothing
  cr_assert(MAY_KNOW(0xdd098000, 0x007f0200));             // one that returns something
}

// But for functions that wait for the host.
Test(may_know, by_what_the_called_function_does) {
  const uint32_t message = 0xbf900001; // s_sendmsg
  cr_assert(MAY_KNOW(CALLED_AT(5), CALL_S4, END, VOLATILE_LOAD, RETURN));
  cr_assert(not(MAY_KNOW(CALLED_AT(5), CALL_S4, END, VOLATILE_LOAD, message, RETURN)));
  cr_assert(not(MAY_KNOW(CALLED_AT(5), CALL_S4, END, RETURN, VOLATILE_LOAD, RETURN)));
  cr_assert(MAY_KNOW(CALLED_AT(7), VOLATILE_LOAD, CALL_S4, message, RETURN));
}

// Its begin is not reached before the rest.
Test(may_know, by_a_loop_that_is_entered_in_its_middle) {
  cr_assert(MAY_KNOW(CALLED_AT(5), CALL_S4, END, 0xbf820001, // s_branch to the swap
                     0xbf800000,                             // s_nop
                     0xdd058000, 0x007f0200,                 // global_atomic_cmpswap ... glc
                     0xbf85fffc, RETURN));                   // s_cbranch_scc1 to s_nop
}

// The kernel ends with a call that does not come back, as assert() is; behind it stands another function.
Test(may_know, nothing_of_what_stands_behind_the_kernel) {
  const uint32_t code[] = {CALLED_AT(6), CALL_S4, VOLATILE_LOAD, END};
  cr_assert(not(answer_of(group_order_by_values, code, sizeof code / 4, 4)));
  cr_assert(answer_of(group_order_by_values, code, sizeof code / 4, 6));
}

static bool is_load(Program *program, const Instruction *in) {
  (void)program;
  return in->info->action == MEMORY_LOAD;
}

// The function ends so, and behind it stands another kernel.
Test(may_know, nothing_of_kernels_behind_a_function) {
  const uint32_t code[] = {CALLED_AT(5), CALL_S4, END, CALL_S4, VOLATILE_LOAD, END};
  Kernel kernels[2];
  CodeObject object = {.text_address = (uint64_t)code,
                       .text_size = sizeof code,
                       .kernels = kernels,
                       .kernel_count = 2};
  for (int i = 0; i < 2; i++)
    kernels[i] =
        (Kernel){.object = &object, .entry = (uint64_t)(code + 6 * i), .code_size = i ? 12 : 20};
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  const Reaches reaches = reached_code_has(object.program, &kernels[0], is_load, true);
  cr_assert(ne(int, reaches, REACHES_ONE));
  program_close(&object);
}
