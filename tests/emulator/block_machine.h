// One wavefront with its surroundings that runs code which a test writes, interpreted or translated; and the random numbers of such tests.
//
// In: machine code in device memory; registers, memories and EXEC, which the test sets before each run. Out: what the run leaves
// of them, and whether it ended with a fault.
#ifndef TESTS_EMULATOR_BLOCK_MACHINE_H
#define TESTS_EMULATOR_BLOCK_MACHINE_H

#include "block.h"
#include "device_memory.h"
#include "gfx90a.h"
#include "run.h"
#include "spans.h"
#include "vector_access.h"
#include "watched_handlers.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  CodeObject object;
  Kernel kernel;
  Launch launch;
  HostThread thread;
  Workgroup group;
  Wavefront wave;
} Machine;

// hot: how often a block is interpreted before it is translated; 0: always. Nobody counts what it does to caches and banks.
static inline Machine *machine_new(void *code, size_t bytes, uint32_t lds_bytes, uint32_t hot) {
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  memset(machine, 0, sizeof *machine);
  machine->object = (CodeObject){.text_address = (uint64_t)code, .text_size = bytes};
  cr_assert(program_open(&machine->object));
  machine->kernel = (Kernel){
      .object = &machine->object, .name = "test", .entry = (uint64_t)code, .code_size = bytes};
  machine->launch = (Launch){.kernel = &machine->kernel,
                             .block = {LANES, 1, 1},
                             .grid = {1, 1, 1},
                             .lds_bytes = lds_bytes,
                             .traffic_unwanted = true};
  machine->thread = (HostThread){
      .launch = &machine->launch, .program = machine->object.program, .budget = 10000, .hot = hot};
  machine->thread.profile =
      calloc(program_slots(machine->object.program) + 1, sizeof *machine->thread.profile);
  machine->group = (Workgroup){.lds = calloc(1, DEVICE_LDS_BYTES + LDS_BEHIND),
                               .lds_bytes = lds_bytes,
                               .size = {LANES, 1, 1}};
  machine->wave.thread = &machine->thread;
  machine->wave.group = &machine->group;
  return machine;
}

static inline void machine_free(Machine *machine) {
  free(machine->thread.lds_patterns);
  free(machine->thread.profile);
  free(machine->group.lds);
  program_close(&machine->object);
  free(machine);
}

static inline const Instruction *machine_first(const Machine *machine) {
  return program_at(machine->object.program, machine->object.text_address);
}

// From the first instruction to the end, in turns of so many instructions. Returns how many turns that were; 0: it ended with a
// fault. The profile is this run's alone.
static inline int machine_run(Machine *machine, uint64_t exec, uint32_t turn) {
  Wavefront *w = &machine->wave;
  volatile int turns = 0;
  w->exec = exec;
  w->state = WAVE_RUNNING;
  w->issued = 0;
  w->mode = 0xf0; // denormals as they are
  w->trace.off = true;
  w->next = machine_first(machine);
  memset(&machine->thread.fault, 0, sizeof machine->thread.fault);
  memset(machine->thread.profile, 0,
         (program_slots(machine->object.program) + 1) * sizeof *machine->thread.profile);
  if (setjmp(machine->thread.on_fault))
    return 0;
  for (; w->state == WAVE_RUNNING; turns = turns + 1)
    wavefront_run(w, turn);
  profile_share_blocks(machine->object.program, machine->thread.profile);
  return turns;
}

// Whether the first block is machine code of the better kind. Another thread may make it.
static inline bool machine_translated(const Machine *machine, int variant) {
  const Block *block = __atomic_load_n(&machine_first(machine)->block, __ATOMIC_ACQUIRE);
  return block && __atomic_load_n(&block->code[variant][JIT_BEST].address, __ATOMIC_ACQUIRE);
}

// ---- random numbers, the same in each run ----

static inline uint32_t random_word(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

// Some of the lanes, of whole spans of 16 or of any.
static inline uint64_t random_lanes(void) {
  const uint64_t any = (uint64_t)random_word() << 33 ^ (uint64_t)random_word() << 15,
                 spans = ((1ull << SPAN) - 1) << random_word() % SPANS * SPAN;
  const uint64_t on = random_word() % 2 ? any : random_word() % 2 ? spans : ~spans;
  return on && ~on ? on : spans;
}

#endif
