// Lanes side by side, which global loads and stores move as one block: against flat ones, which form
// the address of each lane. And rows of a tile, whose loads are counted at once, and a lane alone: against
// step by step.
//
// In: places of every alignment, all lanes or some of them. Out: both have left the same registers,
// memory, counts and trace.
#include "device_memory.h"
#include "run.h"
#include "vector_access.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  ADDRESS = 0,
  LOADED = 4,
  STORED = 8,
  SCALAR = 4,
  BYTES = 32768,
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
  uint8_t *memory, fresh[BYTES]; // what is in it before
  int64_t place[LANES];          // of each lane in memory
  bool in_lds;                   // which is LDS then, and addresses are generic
  bool is_private;               // which is a wave's, each lane at an offset of its `own`
  uint32_t own[LANES];
  uint32_t offset; // of the instruction
  bool by_scalar;  // global loads: places count from `base` bytes of memory, in a register
  int64_t base;
  uint64_t seen; // bytes of memory that are known to be live
  bool met;      // and that the instruction went to them before
  uint32_t into; // loads: first register, if not LOADED
  bool told;     // that an access is misaligned, or that it reaches too far
  Result result[FORMS];
} Machine;

// Opcodes of loads and stores (CDNA2 ISA guide, FLAT), which follow each other.
enum {
  LOAD_UBYTE = 0x10, // sbyte, ushort, sshort, dword
  LOAD_DWORD = 0x14,
  STORE_BYTE = 0x18, // byte_d16_hi, short, short_d16_hi, dword
  STORE_DWORD = 0x1c,
  LOAD_UBYTE_D16 = 0x20, // ubyte_d16_hi, sbyte_d16, sbyte_d16_hi, short_d16, short_d16_hi
  LOAD_SHORT_D16 = 0x24,
  LAST_OPCODE = 0x25
};

// global_load_dword v[4...], v[0:1], off, or global_store_dword v[0:1], v[8...], off: and so on up to
// four dwords; flat: the same as flat_load_dword. Of one or two dwords global_atomic_add v[0:1], v[8...], off.
// words: or the opcode of what moves less than a dword.
static void write_code(uint32_t *code, MemoryAction action, uint32_t words, bool flat) {
  const uint32_t opcode = words > MOST_WORDS       ? words
                          : action == MEMORY_STORE ? STORE_DWORD + words - 1
                                                   : LOAD_DWORD + words - 1;
  code[0] =
      (action == MEMORY_ATOMIC ? words * 0x00800000 + 0xdc880000 : 0xdc000000 | opcode << 18) |
      (flat ? 0 : 0x8000);
  code[1] = (flat ? 0 : 0x7f0000) |
            (action == MEMORY_LOAD ? (uint32_t)LOADED << 24 : (uint32_t)STORED << 8);
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
  machine->seen = BYTES;
  machine->into = LOADED;
  machine->object = (CodeObject){.text_address = (uint64_t)code, .text_size = 12};
  machine->kernel = (Kernel){.object = &machine->object, .name = "side", .entry = (uint64_t)code};
  machine->launch = (Launch){.kernel = &machine->kernel, .block = {LANES, 1, 1}, .grid = {1, 1, 1}};
  machine->group = (Workgroup){.size = {LANES, 1, 1}};
  machine->wave.thread = &machine->thread;
  machine->wave.group = &machine->group;
  machine->wave.mode = 0xf0; // rounds to nearest, keeps denormals
  for (uint32_t i = 0; i < BYTES; i++)
    machine->fresh[i] = (uint8_t)(i * 7);
  return machine;
}

// The same by a buffer: buffer_load_dword v4, v0, s[4:7], 0 offen.
static void write_private(uint32_t *code, uint32_t offset) {
  const uint32_t opcode = code[0] >> 18 & 0x7f,
                 data = opcode >= STORE_BYTE && opcode <= STORE_DWORD ? STORED : LOADED;
  code[0] = 0xe0001000 | opcode << 18 | offset;
  code[1] = 0x80000000 | SCALAR / 4 << 16 | data << 8 | ADDRESS;
}

// Those of a trial are forgotten and not freed: under ASan, whose shadow of so large a block is mapped anew each time, that
// took most of the suite's time.
static Footprint *footprints;
static void keep_forgotten(Footprint *all) {
  footprints = all;
  if (all)
    memset(all, 0, malloc_usable_size(all));
}

// False if it faults.
static bool executes(Machine *machine, MemoryAction action, uint32_t words, uint64_t exec,
                     bool traced, bool flat, Result *result) {
  Wavefront *w = &machine->wave;
  InstructionProfile profile[4] = {0};
  MemoryProfile report[4] = {0};
  write_code((uint32_t *)machine->object.text_address, action, words, flat);
  *(uint32_t *)machine->object.text_address |= machine->offset;
  if (action == MEMORY_LOAD && machine->into != LOADED)
    ((uint32_t *)machine->object.text_address)[1] ^= (LOADED ^ machine->into) << 24;
  const bool by_scalar = machine->by_scalar && !flat;
  if (by_scalar)
    ((uint32_t *)machine->object.text_address)[1] ^= 0x7f0000 ^ SCALAR << 16;
  const uint64_t base = (uint64_t)machine->memory + (uint64_t)machine->base;
  w->sgpr[SCALAR] = (uint32_t)base;
  w->sgpr[SCALAR + 1] = (uint32_t)(base >> 32) | (machine->is_private ? 1u << 31 : 0); // swizzled
  w->sgpr[SCALAR + 2] = UINT32_MAX;
  w->sgpr[SCALAR + 3] = 0x00e00000; // by lane
  w->scratch = machine->is_private ? machine->memory : NULL;
  w->scratch_bytes = machine->is_private ? machine->seen : 0;
  w->scratch_used = 0;
  if (machine->is_private)
    write_private((uint32_t *)machine->object.text_address, machine->offset);
  cr_assert(program_open(&machine->object));
  machine->thread = (HostThread){
      .launch = &machine->launch,
      .program = machine->object.program,
      .budget = 1000,
      .profile = profile,
      .memory = traced ? report : NULL,
      .footprints = footprints,
      .ranges = {{(uint64_t)machine->memory, (uint64_t)machine->memory + machine->seen}}};
  if (machine->met)
    machine->thread.spans_met[0] = (SpanRange){(uint64_t)machine->memory, machine->seen};
  memcpy(machine->memory, machine->fresh, BYTES);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    const uint64_t elsewhere = lane % 2 ? 0xbeef0000dead : (uint64_t)machine->memory + 64;
    const uint64_t address = !(exec >> lane & 1) && !machine->by_scalar ? elsewhere
                             : machine->in_lds
                                 ? (uint64_t)SHARED_APERTURE << 32 | (uint64_t)machine->place[lane]
                                 : (uint64_t)machine->memory + (uint64_t)machine->place[lane];
    w->vgpr[ADDRESS][lane] = (uint32_t)(by_scalar ? address - base : address);
    w->vgpr[ADDRESS + 1][lane] = (uint32_t)(address >> 32);
    if (machine->is_private)
      w->vgpr[ADDRESS][lane] = machine->own[lane];
    for (uint32_t r = ADDRESS + 2; r < STORED + MOST_WORDS; r++)
      w->vgpr[r][lane] = 1000003 * r + 0x10001 * lane;
  }
  w->exec = exec;
  w->state = WAVE_RUNNING;
  w->issued = 0;
  w->trace.off = !traced;
  w->trace.count = 0;
  w->trace.used = (Uses){0};
  w->next = program_at(machine->object.program, machine->object.text_address);
  const bool runs = setjmp(machine->thread.on_fault) == 0;
  if (runs)
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
  keep_forgotten(machine->thread.footprints);
  machine->told = !program_first_notice(machine->object.program, 0);
  program_close(&machine->object);
  return runs;
}

static void execute(Machine *machine, MemoryAction action, uint32_t words, uint64_t exec,
                    bool traced, bool flat, Result *result) {
  cr_assert(executes(machine, action, words, exec, traced, flat, result), "it faults");
}

static void compare(MemoryAction action, uint64_t exec, bool traced) {
  Machine *machine = machine_new();
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (uint32_t begin = 0; begin <= FARTHEST; begin += 4) {
      for (uint32_t lane = 0; lane < LANES; lane++)
        machine->place[lane] = begin + 4 * words * lane;
      for (int flat = 0; flat < FORMS; flat++)
        execute(machine, action, words, exec, traced, flat, &machine->result[flat]);
      cr_assert(zero(int, memcmp(&machine->result[0], &machine->result[1], sizeof(Result))),
                "%u dwords, %u bytes from the begin", words, begin);
      cr_assert(eq(u64, machine->result[0].profile.executed_active, 1));
    }
  free(machine->wave.trace.word);
  free(machine);
}

// What a load of less than a dword leaves of a register that held `old`.
static uint32_t widened(uint32_t opcode, const uint8_t *from, uint32_t bytes, uint32_t old) {
  const bool half = opcode >= LOAD_UBYTE_D16, sign = half ? opcode / 2 % 2 : opcode % 2;
  const uint32_t number = from[0] | (bytes > 1 ? (uint32_t)from[1] << 8 : 0);
  if (half && opcode >= LOAD_SHORT_D16)
    return opcode % 2 ? number << 16 | (old & 0xffff) : number | (old & 0xffff0000);
  if (!half && opcode >= LOAD_UBYTE + 2)
    return sign ? (uint32_t)(int16_t)number : number;
  const uint32_t byte = sign ? (uint32_t)(int8_t)from[0] : from[0];
  if (!half)
    return byte;
  return opcode % 2 ? byte << 16 | (old & 0xffff) : (byte & 0xffff) | (old & 0xffff0000);
}

// What one load or store of less than a dword has left, against lane by lane.
static void check_narrow(const Machine *machine, uint32_t opcode, uint32_t bytes, uint64_t exec) {
  const Result *result = &machine->result[0];
  uint8_t memory[BYTES];
  memcpy(memory, machine->fresh, BYTES);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    const uint32_t place = machine->place[lane], old = 1000003 * LOADED + 0x10001 * lane,
                   stored = (1000003 * STORED + 0x10001 * lane) >> (opcode % 2 ? 16 : 0);
    const bool active = exec >> lane & 1, store = opcode >= STORE_BYTE && opcode < STORE_DWORD;
    cr_assert(eq(u32, result->vgpr[LOADED][lane],
                 active && !store ? widened(opcode, memory + place, bytes, old) : old),
              "opcode 0x%x, lane %u at %u", opcode, lane, place);
    if (active && store)
      memcpy(memory + place, &stored, bytes);
  }
  cr_assert(zero(int, memcmp(result->memory, memory, BYTES)), "opcode 0x%x", opcode);
}

// Bytes and halves of a dword, at each address that is aligned: side by side, in rows of a tile, with gaps, all
// at one place.
typedef enum { BESIDE, TILE, GAPS, ONE_PLACE, PATTERNS } Pattern;
static void compare_narrow(uint32_t opcode, uint64_t exec, bool traced, Pattern pattern) {
  const bool store = opcode >= STORE_BYTE && opcode < STORE_DWORD;
  const uint32_t bytes =
      opcode >= LOAD_UBYTE_D16 ? 1 + (opcode >= LOAD_SHORT_D16) : 1 + opcode / 2 % 2;
  Machine *machine = machine_new();
  for (uint32_t begin = 0; begin <= FARTHEST; begin += bytes) {
    for (uint32_t lane = 0; lane < LANES; lane++)
      machine->place[lane] = begin + bytes * lane * (pattern == GAPS ? 3 : pattern != ONE_PLACE) +
                             (pattern == TILE ? (lane / 16) * (lane / 16) * 170 : 0);
    for (int flat = 0; flat < FORMS; flat++)
      execute(machine, store ? MEMORY_STORE : MEMORY_LOAD, opcode, exec, traced, flat,
              &machine->result[flat]);
    cr_assert(zero(int, memcmp(&machine->result[0], &machine->result[1], sizeof(Result))),
              "opcode 0x%x, %u bytes from the begin", opcode, begin);
    cr_assert(eq(u64, machine->result[0].profile.global_bytes,
                 bytes * (uint64_t)__builtin_popcountll(exec)));
    check_narrow(machine, opcode, bytes, exec);
  }
  free(machine->wave.trace.word);
  free(machine);
}

static void load_and_store(uint64_t exec, bool traced) {
  compare(MEMORY_LOAD, exec, traced);
  compare(MEMORY_STORE, exec, traced);
  for (uint32_t opcode = LOAD_UBYTE; opcode <= LAST_OPCODE; opcode++)
    if (opcode < LOAD_DWORD || opcode >= LOAD_UBYTE_D16 ||
        (opcode >= STORE_BYTE && opcode < STORE_DWORD))
      for (Pattern pattern = BESIDE; pattern < PATTERNS; pattern++)
        compare_narrow(opcode, exec, traced, pattern);
}

Test(side_by_side, all_lanes) { load_and_store(~0ull, false); }
Test(side_by_side, all_lanes_traced) { load_and_store(~0ull, true); }
Test(side_by_side, one_run_of_lanes) { load_and_store(~0ull << 3 & ~0ull >> 1, false); }
Test(side_by_side, first_lane_alone) { load_and_store(1, false); }
Test(side_by_side, scattered_lanes) { load_and_store(0x8123f00ff0001248, true); }

// What an access counts without a trace and with one.
static void count_both_ways(Machine *machine, MemoryAction action, uint64_t exec, uint32_t words,
                            uint32_t stride, uint32_t begin) {
  Result *result = machine->result;
  for (int traced = 0; traced < 2; traced++)
    execute(machine, action, words, exec, traced, false, &result[traced]);
  cr_assert(
      zero(int, memcmp(&result[0].profile, &result[1].profile, sizeof result->profile)),
      "%u dwords, %u bytes apart, the last row %u bytes from the begin: %llu look-ups in %llu "
      "steps, traced %llu in %llu",
      words, stride, begin, (unsigned long long)result[0].profile.tag_lookups,
      (unsigned long long)result[0].profile.pixels / 4,
      (unsigned long long)result[1].profile.tag_lookups,
      (unsigned long long)result[1].profile.pixels / 4);
  cr_assert(zero(int, memcmp(result[0].vgpr, result[1].vgpr, sizeof result->vgpr)));
}

// Lanes side by side, of which some are off: here and there, or whole steps.
static void masks(MemoryAction action) {
  enum { TRIALS = 1500 };
  Machine *machine = machine_new();
  srand(2);
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    const uint32_t words = trial % 4 ? 1 : trial / 4 % MOST_WORDS + 1,
                   begin = (uint32_t)rand() % 32 * (trial % 3 ? 16 : 4);
    uint64_t exec = 0;
    for (int lane = 0; lane < LANES; lane += 16) {
      const uint64_t some[] = {0, 0xffff, (uint64_t)rand() & 0xffff, 0x00f0 << rand() % 5};
      exec |= some[rand() % 4] << lane;
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
      machine->place[lane] = begin + 4 * words * lane;
    if (exec)
      count_both_ways(machine, action, exec, words, 4 * words, begin);
  }
  free(machine->wave.trace.word);
  free(machine);
}

Test(masked_lanes, loads_count_the_same_at_once_and_step_by_step) { masks(MEMORY_LOAD); }
Test(masked_lanes, stores_count_the_same_at_once_and_step_by_step) { masks(MEMORY_STORE); }

Test(rows_of_a_tile, count_the_same_at_once_and_step_by_step) {
  enum { ROWS = 4, ROW = LANES / ROWS };
  Machine *machine = machine_new();
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (uint32_t stride = 0; stride <= 80; stride += 4)
      for (uint32_t begin = 0; begin <= FARTHEST; begin += 4) {
        const uint32_t row[ROWS] = {0, 508 + begin % 12, 1024, 1024 + 320 + begin};
        for (uint32_t lane = 0; lane < LANES; lane++)
          machine->place[lane] = row[lane / ROW] + lane % ROW * stride;
        count_both_ways(machine, MEMORY_LOAD, ~0ull, words, stride, begin);
        count_both_ways(machine, MEMORY_STORE, ~0ull, words, stride, begin);
      }
  free(machine->wave.trace.word);
  free(machine);
}

// Blocks of 4 x 4 and 8 x 5 threads, whose only wave ends early.
Test(rows_of_a_small_block, count_the_same_at_once_and_step_by_step) {
  Machine *machine = machine_new();
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (uint32_t row = 4; row <= 8; row += 4)
      for (uint32_t begin = 0; begin <= FARTHEST; begin += 4) {
        const uint64_t exec = row == 4 ? 0xffff : ~0ull >> 24;
        for (uint32_t lane = 0; lane < LANES; lane++)
          machine->place[lane] = begin + lane / row * 132 + 4 * words * (lane % row);
        count_both_ways(machine, MEMORY_LOAD, exec, words, 4 * words, begin);
      }
  free(machine->wave.trace.word);
  free(machine);
}

// One lane alone, wherever it is: its data may cross a line, but an atomic's is aligned.
static void lone_lane(MemoryAction action, uint32_t most_words, uint32_t aligned) {
  Machine *machine = machine_new();
  for (uint32_t words = 1; words <= most_words; words++)
    for (uint32_t lane = 0; lane < LANES; lane += 7)
      for (uint32_t begin = 0; begin <= FARTHEST; begin += aligned) {
        machine->place[lane] = begin;
        count_both_ways(machine, action, 1ull << lane, words, lane, begin);
        const InstructionProfile *profile = &machine->result[0].profile;
        cr_assert(eq(u64, profile->tag_lookups, begin % 64 + 4 * words > 64 ? 2 : 1));
      }
  free(machine->wave.trace.word);
  free(machine);
}

Test(lane_alone, loads_count_the_same_at_once_and_step_by_step) { lone_lane(MEMORY_LOAD, 4, 4); }
Test(lane_alone, stores_count_the_same_at_once_and_step_by_step) { lone_lane(MEMORY_STORE, 4, 4); }
Test(lane_alone, atomics_count_the_same_at_once_and_step_by_step) {
  lone_lane(MEMORY_ATOMIC, 2, 8);
}

static uint64_t some_lanes(void) {
  const uint64_t some = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
  const uint64_t masks[] = {
      ~0ull,      some | 2,  some & some << 7 & some << 13, 1ull << rand() % LANES,
      0xffffffff, ~0xffffull};
  const uint64_t mask = masks[rand() % 6];
  return mask ? mask : 1;
}

// Even, anywhere, within few bytes, the same for each quad, the same for all but one.
static void place_anywhere(Machine *machine, uint32_t trial) {
  const int pattern = trial % 5, stride = 16 + rand() % 64 * 4,
            begin = rand() % (BYTES / 2) / 4 * 4;
  for (int lane = 0; lane < LANES; lane++)
    machine->place[lane] = pattern == 0   ? stride * lane
                           : pattern == 1 ? rand() % (BYTES - 32) / 4 * 4
                           : pattern == 2 ? begin + rand() % 20 * 4
                           : pattern == 3 ? begin + (lane / 4 * 28 % 64) * 64
                                          : begin + (lane == (int)trial % LANES) * 4096;
}

// Against lane by lane. The data of lanes at one place is that of the last, and their updates add up.
static void check_words(const Machine *machine, MemoryAction action, uint32_t words,
                        uint64_t exec) {
  const Result *result = &machine->result[0];
  uint8_t memory[BYTES];
  memcpy(memory, machine->fresh, BYTES);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    uint8_t *at = memory + machine->place[lane] + machine->offset;
    const bool active = exec >> lane & 1;
    uint64_t sum, added = 0;
    for (uint32_t i = 0; i < words; i++) {
      const uint32_t r = machine->into + i, old = 1000003 * r + 0x10001 * lane;
      const uint32_t stored = 1000003 * (STORED + i) + 0x10001 * lane;
      uint32_t loaded = old;
      if (active && action == MEMORY_LOAD)
        memcpy(&loaded, at + 4 * i, 4);
      if (active && action == MEMORY_STORE)
        memcpy(at + 4 * i, &stored, 4);
      added |= i < 2 ? (uint64_t)stored << 32 * i : 0; // atomics have no more
      if (active || r >= ADDRESS + 2)
        cr_assert(eq(u32, result->vgpr[r][lane], loaded), "lane %u at %ld, dword %u", lane,
                  (long)machine->place[lane], i);
    }
    if (active && action == MEMORY_ATOMIC) {
      memcpy(&sum, at, 4 * words);
      sum += added;
      memcpy(at, &sum, 4 * words);
    }
  }
  cr_assert(zero(int, memcmp(result->memory, memory, BYTES)));
}

// Behind whole addresses or a scalar one, which may lie far before; into registers of their own or those of the addresses.
static void check_anywhere(MemoryAction action, uint32_t most_words) {
  enum { TRIALS = 12000 };
  Machine *machine = machine_new();
  srand(3);
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    const uint32_t words = trial % most_words + 1;
    const uint64_t exec = some_lanes();
    place_anywhere(machine, trial / 4);
    if (action == MEMORY_ATOMIC)
      for (int lane = 0; lane < LANES; lane++)
        machine->place[lane] = machine->place[lane] / 8 * 8;
    machine->by_scalar = trial / 32 % 2;
    machine->base = trial / 64 % 2 ? -(3ll << 30) : 0;
    machine->offset = action == MEMORY_ATOMIC ? 0 : trial / 7 % 3 * 4;
    machine->into = action == MEMORY_LOAD && trial / 128 % 2 ? trial / 256 % 2 : LOADED;
    machine->launch.traffic_unwanted = trial / 512 % 2;
    execute(machine, action, words, exec, false, action != MEMORY_ATOMIC && trial / 16 % 2 == 1,
            &machine->result[0]);
    check_words(machine, action, words, exec);
    cr_assert(
        eq(int, machine->result[0].profile.global_bytes == 0, machine->launch.traffic_unwanted));
  }
  free(machine->wave.trace.word);
  free(machine);
}

Test(lanes_anywhere, loads_are_those_of_each_lane) { check_anywhere(MEMORY_LOAD, MOST_WORDS); }
Test(lanes_anywhere, stores_are_those_of_each_lane) { check_anywhere(MEMORY_STORE, MOST_WORDS); }
Test(lanes_anywhere, atomics_are_those_of_each_lane) { check_anywhere(MEMORY_ATOMIC, 2); }

// ---- loads from one line behind a scalar address, as from a small table ----

// 16 lanes anywhere on the line, at one place of it, in order, in order but for one; now and then behind it.
static void place_in_line(Machine *machine, int64_t line) {
  const int words = rand() % 6 ? 16 : 20;
  for (int s = 0; s < LANES / 16; s++) {
    const int kind = rand() % 4, same = rand() % 16;
    for (int i = 0; i < 16; i++)
      machine->place[16 * s + i] = line + 4 * (kind == 0   ? rand() % words
                                               : kind == 1 ? same
                                               : kind == 2 ? i
                                                           : i ^ (i == 7));
  }
}

Test(one_line, loads_are_those_of_flat_ones) {
  enum { TRIALS = 20000 };
  Machine *machine = machine_new();
  machine->by_scalar = true;
  srand(5);
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t line = 64 * (1 + rand() % 8);
    const uint64_t exec = some_lanes();
    place_in_line(machine, line);
    machine->offset = 4 * (uint32_t)(rand() % 3);
    machine->base = line - (trial % 9 ? 4 * (rand() % 20) : 0x80000010ll);
    for (int flat = 0; flat < FORMS; flat++) {
      execute(machine, MEMORY_LOAD, 1 + trial % 11 / 10, exec, exec == ~0ull && trial % 3 == 0,
              flat, &machine->result[flat]);
      memset(machine->result[flat].vgpr[ADDRESS], 0, sizeof machine->result[flat].vgpr[0]);
    }
    cr_assert(zero(int, memcmp(&machine->result[0], &machine->result[1], sizeof(Result))),
              "trial %d", trial);
  }
  free(machine->wave.trace.word);
  free(machine);
}

// Known to be live is memory that no allocation has: what lies behind faults.
Test(one_line, loads_behind_the_memory_fault) {
  static uint8_t beside[64 + BYTES] __attribute__((aligned(64)));
  Machine *machine = machine_new();
  machine->by_scalar = true;
  machine->memory = beside;
  machine->seen = 36;
  for (int lane = 0; lane < LANES; lane++)
    machine->place[lane] = 4 * (lane * 5 % 9);
  cr_assert(executes(machine, MEMORY_LOAD, 1, ~0ull, false, false, &machine->result[0]));
  for (int lane = 0; lane < LANES; lane++) {
    machine->place[lane] += 4 * (9 - lane * 5 % 9);
    cr_assert(not(executes(machine, MEMORY_LOAD, 1, ~0ull, false, false, &machine->result[0])));
    machine->place[lane] = 0;
  }
  free(machine->wave.trace.word);
  free(machine);
}

// A table that begins or ends where the host has nothing.
Test(one_line, loads_read_nothing_beside_the_memory) {
  enum { PAGE = 4096 };
  uint8_t *pages = mmap(NULL, PAGE + BYTES + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, pages, MAP_FAILED));
  cr_assert(zero(int, mprotect(pages + PAGE, BYTES, PROT_READ | PROT_WRITE)));
  Machine *machine = machine_new();
  machine->memory = pages + PAGE;
  for (int bytes = 4; bytes <= 64; bytes += 4)
    for (int shift = 0; shift < 64; shift += 4)
      for (int at_end = 0; at_end < 2; at_end++) {
        const int begin = at_end ? BYTES - bytes : 0;
        machine->by_scalar = shift > 0;
        machine->base = begin - shift;
        for (int lane = 0; lane < LANES; lane++)
          machine->place[lane] = begin + lane * 20 % bytes;
        execute(machine, MEMORY_LOAD, 1, ~0ull, false, false, machine->result);
        check_words(machine, MEMORY_LOAD, 1, ~0ull);
      }
  munmap(pages, PAGE + BYTES + PAGE);
  free(machine->wave.trace.word);
  free(machine);
}

// The offset of a lane has no sign: one before the scalar address is one 4 GiB behind it.
Test(one_line, loads_before_the_scalar_address_fault) {
  Machine *machine = machine_new();
  machine->by_scalar = true;
  machine->base = 640 + 16;
  for (int lane = 0; lane < LANES; lane++)
    machine->place[lane] = 640 + 16 + lane % 8 * 4;
  cr_assert(executes(machine, MEMORY_LOAD, 1, ~0ull, false, false, &machine->result[0]));
  machine->place[9] = 640 + 12;
  cr_assert(not(executes(machine, MEMORY_LOAD, 1, ~0ull, false, false, &machine->result[0])));
  free(machine->wave.trace.word);
  free(machine);
}

// ---- generic addresses of LDS, which mostly lie at one distance, too ----

static Machine *machine_in_lds(uint32_t bytes) {
  Machine *machine = machine_new();
  machine->in_lds = true;
  machine->offset = 8;
  machine->group.lds = machine->memory;
  machine->group.lds_bytes = machine->launch.lds_bytes = bytes;
  return machine;
}

// Against lane by lane. The data of lanes at one place is that of the last.
static void check_in_lds(const Machine *machine, uint32_t words, bool store, uint64_t exec) {
  const Result *result = &machine->result[0];
  uint8_t memory[BYTES];
  memcpy(memory, machine->fresh, BYTES);
  for (uint32_t lane = 0; lane < LANES; lane++)
    for (uint32_t i = 0; i < words; i++) {
      uint8_t *at = memory + machine->place[lane] + machine->offset + 4 * i;
      const bool active = exec >> lane & 1;
      uint32_t loaded = 1000003 * (LOADED + i) + 0x10001 * lane;
      if (active && store)
        memcpy(at, &result->vgpr[STORED + i][lane], 4);
      else if (active)
        memcpy(&loaded, at, 4);
      cr_assert(eq(u32, result->vgpr[LOADED + i][lane], loaded), "lane %u, dword %u", lane, i);
    }
  cr_assert(zero(int, memcmp(result->memory, memory, BYTES)));
  cr_assert(zero(u64, result->profile.pixels + result->profile.tag_lookups +
                          result->profile.l2_requests + result->profile.global_bytes));
}

static void compare_in_lds(bool store) {
  const uint64_t masks[] = {~0ull, ~0ull << 5, 0xffff0000ffff, 0x00ff00ff00ff00f1, 1ull << 40};
  Machine *machine = machine_in_lds(BYTES);
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (Pattern pattern = BESIDE; pattern < PATTERNS; pattern++)
      for (uint32_t begin = 0; begin <= FARTHEST; begin += 4)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
          for (uint32_t lane = 0; lane < LANES; lane++)
            machine->place[lane] = begin +
                                   4 * words * lane * (pattern == GAPS ? 3 : pattern != ONE_PLACE) +
                                   (pattern == TILE ? (lane / 16) * (lane / 16) * 172 : 0);
          execute(machine, store ? MEMORY_STORE : MEMORY_LOAD, words, masks[m], false, true,
                  &machine->result[0]);
          check_in_lds(machine, words, store, masks[m]);
        }
  free(machine);
}

Test(generic_lds, loads_are_those_of_each_lane) { compare_in_lds(false); }
Test(generic_lds, stores_are_those_of_each_lane) { compare_in_lds(true); }

// Up to the last byte that the workgroup has, and one dword further.
Test(generic_lds, stores_behind_the_end_fault) {
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (int masked = 0; masked < 2; masked++) {
      const uint64_t exec = masked ? 0xfffffffffff0ffff : ~0ull;
      Machine *machine = machine_in_lds(16 + 8 + 4 * words * LANES);
      for (uint32_t lane = 0; lane < LANES; lane++)
        machine->place[lane] = 16 + 4 * words * lane;
      cr_assert(executes(machine, MEMORY_STORE, words, exec, false, true, &machine->result[0]));
      machine->group.lds_bytes = machine->launch.lds_bytes -= 4;
      cr_assert(
          not(executes(machine, MEMORY_STORE, words, exec, false, true, &machine->result[0])));
      free(machine);
    }
}

// One lane far before or behind the allocation, all lanes on or most of them.
Test(lanes_anywhere, one_outside_faults) {
  Machine *machine = machine_new();
  for (int outside = 0; outside < 2 * LANES; outside++)
    for (int off = 0; off < 2; off++) {
      const uint64_t exec = off ? ~(1ull << (outside + 5) % LANES) : ~0ull;
      for (int lane = 0; lane < LANES; lane++)
        machine->place[lane] = 512 + lane * 37 % LANES * 4;
      cr_assert(executes(machine, MEMORY_LOAD, 1, exec, false, false, machine->result));
      machine->place[outside % LANES] = outside < LANES ? -(1ll << 35) : 1ll << 35;
      cr_assert(not(executes(machine, MEMORY_LOAD, 1, exec, false, false, machine->result)),
                "lane %d", outside % LANES);
    }
  free(machine->wave.trace.word);
  free(machine);
}

// One lane that touches what lies directly before or behind memory that is known to be live; the others come near.
static void check_ends(uint32_t words, bool by_scalar, int32_t live) {
  enum { BEFORE = 1024 };
  static uint8_t beside[BEFORE + BYTES] __attribute__((aligned(BEFORE)));
  Machine *machine = machine_new();
  machine->memory = beside + BEFORE;
  machine->seen = (uint64_t)live;
  machine->by_scalar = by_scalar;
  machine->base = -BEFORE;
  for (int lane = 0; lane < LANES; lane++)
    machine->place[lane] =
        lane * 37 % LANES * 4 * (lane % 3) + lane % 2 * (live - 768 - 4 * (int32_t)words);
  for (int wrong = 0; wrong < 2 * LANES; wrong++) {
    const uint64_t exec = wrong % 5 ? ~0ull : ~(1ull << (wrong + 5) % LANES);
    int64_t *place = &machine->place[wrong % LANES];
    const int64_t inside = *place;
    *place = wrong < LANES ? 0 : live - 4 * (int32_t)words;
    cr_assert(executes(machine, MEMORY_STORE, words, exec, false, false, machine->result));
    *place += wrong < LANES ? -4 : 4;
    cr_assert(not(executes(machine, MEMORY_STORE, words, exec, false, false, machine->result)),
              "%u dwords, lane %d", words, wrong % LANES);
    *place = inside;
  }
  free(machine->wave.trace.word);
  free(machine);
}

Test(lanes_anywhere, one_beside_the_memory_faults) {
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (int by_scalar = 0; by_scalar < 2; by_scalar++) {
      check_ends(words, by_scalar, 1000);
      check_ends(words, by_scalar, 1024);
    }
}

// Side by side, from the first byte and to the last one, and a dword beside.
Test(side_by_side, blocks_beside_the_memory_fault) {
  enum { BEFORE = 1024, LIVE = 4096 };
  static uint8_t beside[BEFORE + BYTES] __attribute__((aligned(BEFORE)));
  Machine *machine = machine_new();
  machine->memory = beside + BEFORE;
  machine->seen = LIVE;
  for (uint32_t words = 1; words <= MOST_WORDS; words++)
    for (int trial = 0; trial < 8; trial++) {
      const bool at_end = trial & 1;
      const MemoryAction action = trial & 2 ? MEMORY_LOAD : MEMORY_STORE;
      machine->met = trial & 4;
      for (uint32_t lane = 0; lane < LANES; lane++)
        machine->place[lane] =
            (at_end ? LIVE - 4 * (int64_t)words * LANES : 0) + 4 * (int64_t)words * lane;
      cr_assert(executes(machine, action, words, ~0ull, false, false, machine->result));
      for (int lane = 0; lane < LANES; lane++)
        machine->place[lane] += at_end ? 4 : -4;
      cr_assert(not(executes(machine, action, words, ~0ull, false, false, machine->result)),
                "%u dwords, trial %d", words, trial);
    }
  free(machine->wave.trace.word);
  free(machine);
}

Test(lanes_anywhere, one_misaligned_atomic_faults) {
  Machine *machine = machine_new();
  for (uint32_t words = 1; words <= 2; words++)
    for (int lane = 0; lane < LANES; lane++) {
      machine->place[lane] = 512 + lane * 37 % LANES * 8;
      cr_assert(executes(machine, MEMORY_ATOMIC, words, ~0ull, false, false, machine->result));
      machine->place[lane] += 2 * words;
      cr_assert(not(executes(machine, MEMORY_ATOMIC, words, ~0ull, false, false, machine->result)));
      machine->place[lane] -= 2 * words;
    }
  free(machine->wave.trace.word);
  free(machine);
}

// ---- all lanes at one place, which is seen at once where nobody counts ----

// At one place, but perhaps for one lane, which is apart by a dword or by the high half of its address; aligned, or not;
// sometimes at the end of the memory, or behind it.
static void place_at_one(Machine *machine, uint32_t words) {
  const int64_t end = BYTES - 4 * (int64_t)words,
                place = rand() % 4 ? rand() % (end / 4) * 4 : end + rand() % 2 * 4;
  for (int lane = 0; lane < LANES; lane++)
    machine->place[lane] = place + (rand() % 64 ? 0 : rand() % 4);
  if (rand() % 2)
    for (int lane = 0; lane < LANES; lane++)
      machine->place[lane] = place;
  if (rand() % 4 == 0)
    machine->place[rand() % LANES] += rand() % 2 ? 4 : 1ll << 33;
}

Test(one_place, loads_are_those_that_are_counted) {
  enum { TRIALS = 20000 };
  Machine *machine = machine_new();
  Result *result = machine->result;
  machine->kernel.code_size = machine->object.text_size;
  srand(4);
  for (int trial = 0; trial < TRIALS; trial++) {
    const uint32_t words = (uint32_t)rand() % MOST_WORDS + 1;
    const uint64_t exec = some_lanes();
    const bool flat = rand() % 2;
    bool runs[2], told[2];
    place_at_one(machine, words);
    machine->by_scalar = !flat && rand() % 2;
    machine->seen = rand() % 4 ? BYTES : BYTES / 2;
    machine->met = rand() % 2;
    machine->into = rand() % 4 ? LOADED : ADDRESS;
    machine->offset = (uint32_t)rand() % 4 * 4;
    for (int counted = 0; counted < 2; counted++) {
      machine->launch.traffic_unwanted = !counted;
      runs[counted] = executes(machine, MEMORY_LOAD, words, exec, false, flat, &result[counted]);
      told[counted] = machine->told;
    }
    cr_assert(eq(int, runs[0], runs[1]), "trial %d: %s", trial, machine->thread.fault.text);
    cr_assert(eq(int, told[0], told[1]), "trial %d", trial);
    if (runs[0])
      cr_assert(zero(int, memcmp(result[0].vgpr, result[1].vgpr, sizeof result->vgpr)), "trial %d",
                trial);
    if (exec && runs[1])
      cr_assert(eq(u64, result[1].profile.executed_active, 1), "trial %d", trial);
  }
  free(machine->wave.trace.word);
  free(machine);
}

// ---- private memory, of which consecutive dwords of a lane lie a row apart ----

static uint64_t last_byte(const Machine *machine, uint32_t bytes, uint64_t exec) {
  int64_t last = 0;
  for (int lane = 0; lane < LANES; lane++)
    if (exec >> lane & 1)
      last = machine->place[lane] > last ? machine->place[lane] : last;
  return (uint64_t)last + bytes;
}

// Lanes at one offset of theirs, or each at its own, which the instruction's may wrap.
static void place_private(Machine *machine, uint32_t bytes, uint32_t begin, bool same) {
  const uint32_t rows = (BYTES - begin) / 256, one = (uint32_t)rand() % (4 * rows) / bytes * bytes;
  for (uint32_t lane = 0; lane < LANES; lane++) {
    const uint32_t at = same ? one : (uint32_t)rand() % (4 * rows) / bytes * bytes;
    machine->own[lane] = at - machine->offset;
    machine->place[lane] = begin + at / 4 * 256 + 4 * lane + at % 4;
  }
}

Test(private_memory, is_that_of_each_lane) {
  enum { TRIALS = 30000 };
  Machine *machine = machine_new();
  machine->is_private = true;
  srand(7);
  for (int trial = 0; trial < TRIALS; trial++) {
    const uint32_t opcode = LOAD_UBYTE + (uint32_t)rand() % (LAST_OPCODE + 1 - LOAD_UBYTE);
    const bool store = opcode >= STORE_BYTE && opcode <= STORE_DWORD,
               dword = opcode == LOAD_DWORD || opcode == STORE_DWORD;
    if ((opcode > LOAD_DWORD && opcode < STORE_BYTE) ||
        (opcode > STORE_DWORD && opcode < LOAD_UBYTE_D16))
      continue; // more than a dword
    const uint32_t bytes = dword                      ? 4
                           : opcode >= LOAD_UBYTE_D16 ? 1 + (opcode >= LOAD_SHORT_D16)
                                                      : 1 + opcode / 2 % 2;
    const uint64_t exec = some_lanes();
    const MemoryAction action = store ? MEMORY_STORE : MEMORY_LOAD;
    machine->base = rand() % 3 * 256;
    machine->offset = (uint32_t)rand() % 2 * 64;
    machine->launch.traffic_unwanted = rand() % 2;
    place_private(machine, bytes, (uint32_t)machine->base, rand() % 2);
    execute(machine, action, dword ? 1 : opcode, exec, false, true, &machine->result[0]);
    const uint64_t used = machine->wave.scratch_used, last = last_byte(machine, bytes, exec);
    cr_assert(ge(u64, used, last));
    cr_assert(lt(u64, used, last + 4));
    machine->offset = 0; // is in the places
    if (dword)
      check_words(machine, action, 1, exec);
    else
      check_narrow(machine, opcode, bytes, exec);
  }
  free(machine->wave.trace.word);
  free(machine);
}

Test(private_memory, one_lane_outside_faults) {
  Machine *machine = machine_new();
  machine->is_private = true;
  for (int same = 0; same < 2; same++)
    for (int wrong = 0; wrong < LANES; wrong++)
      for (uint32_t outside = 0; outside < 3; outside++) {
        const uint64_t exec = wrong % 2 ? ~(1ull << (wrong + 9) % LANES)
                                        : ~(0xffffull << (wrong / 16 + 1) % 4 * 16); // a span
        machine->base = outside == 0 ? 0 : 512;
        place_private(machine, 1, (uint32_t)machine->base, same);
        cr_assert(executes(machine, MEMORY_STORE, STORE_BYTE, exec, false, true, machine->result));
        machine->own[wrong] = outside == 2 ? -4u : 4 * (BYTES - (uint32_t)machine->base) / 256;
        cr_assert(
            not(executes(machine, MEMORY_STORE, STORE_BYTE, exec, false, true, machine->result)));
      }
  free(machine->wave.trace.word);
  free(machine);
}

Test(private_memory, over_the_end_of_a_dword_it_is_still_that_lanes) {
  Machine *machine = machine_new();
  machine->is_private = true;
  machine->kernel.code_size = machine->object.text_size; // of functions nothing is told
  for (uint32_t lane = 0; lane < LANES; lane += 21) {
    place_private(machine, 4, 0, false);
    machine->own[lane] = 30;
    execute(machine, MEMORY_LOAD, 1, ~0ull, false, true, machine->result);
    const uint8_t *in_row = machine->fresh + 30 / 4 * 256 + 4 * lane;
    uint32_t loaded;
    memcpy(&loaded, machine->result->vgpr[machine->into] + lane, sizeof loaded);
    cr_assert(eq(u32, loaded,
                 in_row[2] | in_row[3] << 8 | in_row[256] << 16 | (uint32_t)in_row[257] << 24));
    cr_assert(ge(u64, machine->wave.scratch_used, 32 / 4 * 256 + 4 * lane + 2));
    cr_assert(not(machine->told)); // compilers do so
    machine->own[lane] = 4 * BYTES / 256 - 2;
    cr_assert(not(executes(machine, MEMORY_LOAD, LOAD_DWORD, ~0ull, false, true, machine->result)));
  }
  free(machine->wave.trace.word);
  free(machine);
}

// Few lines, so that lanes of a quad share some; aligned, where none crosses a line, or not; with a
// window of lanes side by side, whose last one may cross a line, or without.
static void anywhere(MemoryAction action, uint32_t most_words) {
  enum { TRIALS = 3000, NEAR = 6 * 64 };
  Machine *machine = machine_new();
  srand(1);
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    const uint32_t words = trial % most_words + 1,
                   align = trial / 4 % 3             ? 16
                           : action == MEMORY_ATOMIC ? 4 * words
                                                     : 4,
                   far = trial % 5 ? NEAR : BYTES - 16,
                   begin = 64 + (action == MEMORY_ATOMIC ? 0 : trial / 96 % 4 * 2);
    const uint64_t some = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
    const bool window = trial / 12 % 2;
    for (uint32_t lane = 0; lane < LANES; lane++)
      machine->place[lane] = window && lane / 16 == trial / 24 % 4
                                 ? begin + 4 * words * lane
                                 : (uint32_t)rand() % far / align * align;
    count_both_ways(machine, action, rand() % 2 ? ~0ull : some | 1, words, align, trial);
    cr_assert(zero(int, memcmp(machine->result[0].memory, machine->result[1].memory,
                               sizeof machine->result[0].memory)));
  }
  free(machine->wave.trace.word);
  free(machine);
}

Test(lanes_anywhere, loads_count_the_same_at_once_and_step_by_step) { anywhere(MEMORY_LOAD, 4); }
Test(lanes_anywhere, stores_count_the_same_at_once_and_step_by_step) { anywhere(MEMORY_STORE, 4); }
Test(lanes_anywhere, atomics_count_the_same_at_once_and_step_by_step) {
  anywhere(MEMORY_ATOMIC, 2);
}
