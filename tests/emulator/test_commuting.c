// Which launches with atomics may spread over host threads: only those whose results cannot depend on
// the order of workgroups. And what host threads gather for memory.
//
// In: machine code, word by word, with two pointers as arguments. Out: atomics_commute, updates.
#include "commuting.h"
#include "device_memory.h"
#include "updates.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

enum { KERNARG_PTR = 8, BYTES = 4096 };

// s[0:1] is the first argument, s[2:3] the second, from the argument segment at s[0:1].
#define ARGUMENTS 0xc00a0000, 0x00000000               // s_load_dwordx4 s[0:3], s[0:1], 0x0
#define LOAD_0 0xdc508000, 0x01000000                  // global_load_dword v1, v0, s[0:1]
#define LOAD_1 0xdc508000, 0x01020000                  // global_load_dword v1, v0, s[2:3]
#define ADD_0 0xdd088000, 0x00000201                   // global_atomic_add v1, v2, s[0:1]
#define ADD_1 0xdd088000, 0x00020201                   // global_atomic_add v1, v2, s[2:3]
#define SMIN_1 0xdd108000, 0x00020201                  // global_atomic_smin v1, v2, s[2:3]
#define SMIN_0 0xdd108000, 0x00000201                  // global_atomic_smin v1, v2, s[0:1]
#define ADD_RETURNING 0xdd098000, 0x03020201           // global_atomic_add v3, v1, v2, s[2:3] glc
#define INC 0xdd2c8000, 0x00020201                     // global_atomic_inc v1, v2, s[2:3]
#define ADD_F32 0xdd348000, 0x00020201                 // global_atomic_add_f32 v1, v2, s[2:3]
#define ADDRESS_0 0x7e0a0201, 0x32080000, 0x380a0a80   // v[4:5] = s[0:1] + v0
#define ADDRESS_1 0x7e0a0203, 0x32080002, 0x380a0a80   // v[4:5] = s[2:3] + v0
#define LOAD_V 0xdc508000, 0x017f0004                  // global_load_dword v1, v[4:5], off
#define FLAT_LOAD 0xdc500000, 0x01000004               // flat_load_dword v1, v[4:5]
#define SOME_LANES 0xbefe0108                          // s_mov_b64 exec, s[8:9]
#define BACK(WORDS) (0xbf850000 | (0xffff & -(WORDS))) // s_cbranch_scc1
#define GETPC 0xbe821c00                               // s_getpc_b64 s[2:3]
#define END 0xbf810000                                 // s_endpgm

static void *allocation(void) {
  void *address = NULL;
  cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_DEVICE, 0, &address), MEMORY_OK));
  return address;
}

enum { APART = 1, TOGETHER = 2 }; // answers: where two arguments lead to two allocations, or to one

// What is answered of a kernel that is launched with these, one after the other.
static int answers_to(const uint32_t *code, size_t words, const bool *one_allocation,
                      int launches) {
  KernelArgument argument[] = {{.offset = 0, .size = 8, .is_pointer = true},
                               {.offset = 8, .size = 8, .is_pointer = true}};
  CodeObject object = {.text_address = (uint64_t)code, .text_size = 4 * words};
  Kernel kernel = {.object = &object,
                   .entry = (uint64_t)code,
                   .code_size = 4 * words,
                   .arguments = argument,
                   .argument_count = 2,
                   .code_properties = KERNARG_PTR};
  object.kernels = &kernel;
  object.kernel_count = 1;
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  int answers = 0;
  for (int i = 0; i < launches; i++) {
    char *first = allocation();
    const void *arguments[] = {first, one_allocation[i] ? first + BYTES / 2 : allocation()};
    if (atomics_commute(object.program, &kernel, arguments))
      answers |= one_allocation[i] ? TOGETHER : APART;
  }
  program_close(&object);
  return answers;
}

static bool commute(const uint32_t *code, size_t words, bool one_allocation) {
  return answers_to(code, words, &one_allocation, 1) != 0;
}

#define COMMUTE(ONE, ...)                                                                          \
  commute((const uint32_t[]){ARGUMENTS, __VA_ARGS__, END},                                         \
          sizeof((const uint32_t[]){ARGUMENTS, __VA_ARGS__, END}) / sizeof(uint32_t), ONE)

Test(commuting, counts_of_what_is_loaded_elsewhere) {
  cr_assert(COMMUTE(false, LOAD_0, ADD_1));
  cr_assert(COMMUTE(false, ADDRESS_0, LOAD_V, ADD_1, SMIN_0) == false); // a min of what is loaded
  cr_assert(COMMUTE(false, ADDRESS_0, LOAD_V, ADD_1));
}

Test(commuting, not_where_the_same_memory_is_loaded) {
  cr_assert(not(COMMUTE(false, LOAD_1, ADD_1)));
  cr_assert(not(COMMUTE(false, ADDRESS_1, LOAD_V, ADD_1)));
  cr_assert(not(COMMUTE(true, LOAD_0, ADD_1))); // two pointers into one allocation
}

Test(commuting, not_if_the_value_before_is_wanted) {
  cr_assert(not(COMMUTE(false, LOAD_0, ADD_RETURNING)));
}

Test(commuting, not_where_order_decides_the_result) {
  cr_assert(not(COMMUTE(false, INC)));
  cr_assert(not(COMMUTE(false, ADD_F32)));
}

Test(commuting, different_operations_only_on_different_memory) {
  cr_assert(COMMUTE(false, ADD_0, SMIN_1));
  cr_assert(not(COMMUTE(false, ADD_1, SMIN_1)));
  cr_assert(not(COMMUTE(true, ADD_0, SMIN_1)));
}

// What is known of the code is kept, not where arguments lead.
Test(commuting, each_launch_by_its_own_arguments) {
  static const uint32_t code[] = {ARGUMENTS, ADD_0, SMIN_1, END};
  const size_t words = sizeof code / sizeof *code;
  cr_assert(eq(int, answers_to(code, words, (const bool[]){false, true, false}, 3), APART));
  cr_assert(eq(int, answers_to(code, words, (const bool[]){true, false, true}, 3), APART));
}

// Lanes that were off when v[4:5] was written the second time still hold the second pointer.
Test(commuting, a_register_keeps_what_lanes_that_are_off_had) {
  cr_assert(COMMUTE(false, ADDRESS_1, ADDRESS_0, LOAD_V, ADD_1));
  cr_assert(not(COMMUTE(false, ADDRESS_1, SOME_LANES, ADDRESS_0, SOME_LANES, LOAD_V, ADD_1)));
}

// The second time round, v[4:5] holds what is written behind the load.
Test(commuting, loops_lead_values_back) {
  cr_assert(not(COMMUTE(false, ADDRESS_0, LOAD_V, ADDRESS_1, BACK(6), ADD_1)));
  cr_assert(COMMUTE(false, ADDRESS_0, LOAD_V, ADDRESS_0, BACK(6), ADD_1));
}

Test(commuting, not_if_an_address_is_not_understood) {
  cr_assert(not(COMMUTE(false, ADDRESS_0, FLAT_LOAD, ADD_1)));
  cr_assert(not(COMMUTE(false, GETPC, ADD_1)));
}

// ---- what is gathered ----

static void add(uint64_t address, uint64_t value) { *(uint64_t *)address += value; }

static void gather(Updates *updates, uint64_t *place, uint64_t value) {
  bool fresh;
  Update *update = updates_of(updates, (uint64_t)place, add, &fresh);
  update->value = fresh ? value : update->value + value;
}

Test(updates, each_place_gets_all_of_its_own) {
  enum { PLACES = 3 * UPDATES, ROUNDS = 4 }; // places share slots
  static Updates updates;
  static uint64_t memory[PLACES];
  for (int round = 1; round <= ROUNDS; round++) {
    for (int i = 0; i < PLACES; i++) {
      gather(&updates, &memory[i], (uint64_t)i);
      gather(&updates, &memory[i], 1);
    }
    updates_apply(&updates);
    for (int i = 0; i < PLACES; i++)
      cr_assert(eq(u64, memory[i], (uint64_t)(round * (i + 1))));
  }
}
