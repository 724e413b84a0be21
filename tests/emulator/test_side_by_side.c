// Lanes side by side, which global loads and stores move as one block: against flat ones, which form
// the address of each lane.
//
// In: places of every alignment, all lanes or some of them. Out: both have left the same registers,
// memory, counts and trace.
#include "device_memory.h"
#include "run.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  ADDRESS = 0,
  LOADED = 4,
  STORED = 8,
  BYTES = 4096,
  FARTHEST = 256,
  MOST_WORDS = 4,
  FORMS = 2
};

// What one instruction leaves behind.
typedef struct {
  uint32_t vgpr[STORED + MOST_WORDS][LANES];
  uint8_t memory[BYTES];
  InstructionProfile profile;
  MemoryProfile report;
  uint32_t traced;
  uint64_t trace[2 * LANES];
} Result;

typedef struct {
  CodeObject object;
  Kernel kernel;
  Launch launch;
  HostThread thread;
  Workgroup group;
  Wavefront wave;
  uint8_t *memory;
  Result result[FORMS];
} Machine;

// global_load_dword v[4...], v[0:1], off, or global_store_dword v[0:1], v[8...], off: and so on up to
// four dwords; flat: the same as flat_load_dword.
static void write_code(uint32_t *code, MemoryAction action, uint32_t words, bool flat) {
  const uint32_t load[] = {0xdc500000, 0xdc540000, 0xdc580000, 0xdc5c0000};
  const uint32_t store = action == MEMORY_STORE ? 0x00200000 : 0;
  code[0] = (load[words - 1] + store) | (flat ? 0 : 0x8000);
  code[1] = (flat ? 0 : 0x7f0000) | (store ? STORED << 8 : (uint32_t)LOADED << 24);
  code[2] = 0xbf810000; // s_endpgm
}

static Machine *machine_new(void) {
  Machine *machine = aligned_alloc(64, (sizeof *machine + 63) / 64 * 64);
  void *code, *memory;
  cr_assert(machine != NULL);
  memset(machine, 0, sizeof *machine);
  cr_assert(eq(int, device_memory_allocate(16, MEMORY_CODE, 0, &code), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_DEVICE, 0, &memory), MEMORY_OK));
  machine->memory = memory;
  machine->object = (CodeObject){.text_address = (uint64_t)code, .text_size = 12};
  machine->kernel = (Kernel){.object = &machine->object, .name = "side", .entry = (uint64_t)code};
  machine->launch = (Launch){.kernel = &machine->kernel, .block = {LANES, 1, 1}, .grid = {1, 1, 1}};
  machine->wave.thread = &machine->thread;
  machine->wave.group = &machine->group;
  machine->wave.mode = 0xf0; // rounds to nearest, keeps denormals
  return machine;
}

static void execute(Machine *machine, MemoryAction action, uint32_t words, const uint64_t *place,
                    uint64_t exec, bool traced, bool flat) {
  Wavefront *w = &machine->wave;
  Result *result = &machine->result[flat];
  InstructionProfile profile[4] = {0};
  MemoryProfile report[4] = {0};
  write_code((uint32_t *)machine->object.text_address, action, words, flat);
  cr_assert(program_open(&machine->object));
  machine->thread =
      (HostThread){.launch = &machine->launch,
                   .program = machine->object.program,
                   .budget = 1000,
                   .profile = profile,
                   .memory = traced ? report : NULL,
                   .ranges = {{(uint64_t)machine->memory, (uint64_t)machine->memory + BYTES}}};
  for (uint32_t i = 0; i < BYTES; i++)
    machine->memory[i] = (uint8_t)(i * 7);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    const uint64_t elsewhere = lane % 2 ? 0xbeef0000dead : (uint64_t)machine->memory + 64;
    const uint64_t address = exec >> lane & 1 ? (uint64_t)machine->memory + place[lane] : elsewhere;
    w->vgpr[ADDRESS][lane] = (uint32_t)address;
    w->vgpr[ADDRESS + 1][lane] = (uint32_t)(address >> 32);
    for (uint32_t r = ADDRESS + 2; r < STORED + MOST_WORDS; r++)
      w->vgpr[r][lane] = 1000 * r + lane;
  }
  w->exec = exec;
  w->state = WAVE_RUNNING;
  w->issued = 0;
  w->trace.off = !traced;
  w->trace.count = 0;
  w->trace.used = (Uses){0};
  w->next = program_at(machine->object.program, machine->object.text_address);
  cr_assert(zero(int, setjmp(machine->thread.on_fault)), "it faults");
  wavefront_run(w, 1);
  memcpy(result->vgpr, w->vgpr, sizeof result->vgpr);
  memcpy(result->memory, machine->memory, BYTES);
  result->profile = profile[0];
  result->report = report[0];
  result->traced = w->trace.count;
  memset(result->trace, 0, sizeof result->trace);
  cr_assert(w->trace.count <= 2 * LANES);
  if (w->trace.count)
    memcpy(result->trace, w->trace.word, w->trace.count * sizeof *w->trace.word);
  free(machine->thread.footprints);
  program_close(&machine->object);
}

static void compare(MemoryAction action, uint64_t exec, bool traced) {
  Machine *machine = machine_new();
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (uint64_t begin = 0; begin <= FARTHEST; begin += 4) {
      uint64_t place[LANES];
      for (uint32_t lane = 0; lane < LANES; lane++)
        place[lane] = begin + 4ull * words * lane;
      for (int flat = 0; flat < FORMS; flat++)
        execute(machine, action, words, place, exec, traced, flat);
      cr_assert(zero(int, memcmp(&machine->result[0], &machine->result[1], sizeof(Result))),
                "%u dwords, %llu bytes from the begin", words, (unsigned long long)begin);
      cr_assert(eq(u64, machine->result[0].profile.executed_active, 1));
    }
  free(machine->wave.trace.word);
  free(machine);
}

static void load_and_store(uint64_t exec, bool traced) {
  compare(MEMORY_LOAD, exec, traced);
  compare(MEMORY_STORE, exec, traced);
}

// What is counted without a trace, from bases or eight lanes at once, is what is counted with one.
static void count_alike(Machine *machine, uint32_t words, const uint64_t *place, uint64_t exec,
                        uint64_t trial) {
  execute(machine, MEMORY_LOAD, words, place, exec, true, false);
  const InstructionProfile lanes = machine->result[0].profile, *bases = &machine->result[0].profile;
  execute(machine, MEMORY_LOAD, words, place, exec, false, false);
  cr_assert(eq(u64, bases->pixels, lanes.pixels), "%u dwords, trial %llu", words,
            (unsigned long long)trial);
  cr_assert(eq(u64, bases->tag_lookups, lanes.tag_lookups), "%u dwords, trial %llu", words,
            (unsigned long long)trial);
}

// Four rows of a tile of 16 columns.
static void count_rows(Machine *machine, uint32_t words, uint64_t stride, uint64_t begin) {
  enum { COLUMNS = 16, PITCH = 516 };
  uint64_t place[LANES];
  for (uint32_t lane = 0; lane < LANES; lane++)
    place[lane] = begin + lane / COLUMNS * PITCH + lane % COLUMNS * stride;
  count_alike(machine, words, place, ~0ull, begin << 32 | stride);
}

Test(side_by_side, rows_of_a_tile) {
  const uint64_t strides[] = {0, 4, 8, 12, 16, 20, 32, 60, 64, 68, 128};
  Machine *machine = machine_new();
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
      for (uint64_t begin = 0; begin < 2 * 64; begin += 4)
        count_rows(machine, words, strides[i], begin);
  free(machine->wave.trace.word);
  free(machine);
}

// Few lines, so that lanes of a quad share some; aligned, where none crosses a line, or not.
Test(side_by_side, lanes_anywhere) {
  enum { TRIALS = 3000, LINES = 6 * 64 };
  Machine *machine = machine_new();
  srand(1);
  for (uint64_t trial = 0; trial < TRIALS; trial++) {
    const uint32_t words = trial % MOST_WORDS + 1, align = trial / 4 % 3 ? 16 : 4;
    const uint64_t some = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
    uint64_t place[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
      place[lane] = trial / 12 % 2 && lane / 16 == trial / 24 % 4
                        ? 64 + 4 * lane
                        : (uint64_t)rand() % LINES / align * align;
    count_alike(machine, words, place, rand() % 2 ? ~0ull : some | 1, trial);
  }
  free(machine->wave.trace.word);
  free(machine);
}

Test(side_by_side, all_lanes) { load_and_store(~0ull, false); }
Test(side_by_side, all_lanes_traced) { load_and_store(~0ull, true); }
Test(side_by_side, one_run_of_lanes) { load_and_store(~0ull << 3 & ~0ull >> 1, false); }
Test(side_by_side, first_lane_alone) { load_and_store(1, false); }
Test(side_by_side, scattered_lanes) { load_and_store(0x8123f00ff0001248, true); }
