// Loads from LDS in machine code against the interpreter, for lanes that lie as when it was made, in part, or otherwise, and
// for waves that have lanes off.
//
// In: one block with every such load, run until it is machine code of the better kind. Out: both engines leave the same
// registers and counts, wherever lanes go.
#include "block_machine.h"
enum { ASKED = 8000, ZEROES = 64, WARM = 40, TRIALS = 3000, SHAPES = 13 };
enum {
  COMPUTED = 64
}; // instructions: of such a block two spans are computed at once where nobody counts what banks wait
enum { ADDRESSES = 8 }; // registers, from v0 on; the loads write from v8 on

// A register of addresses for each width, of lanes side by side, and one for all of them, of lanes at one place.
typedef struct {
  uint8_t operation, words, places;
} Load;

// DS: CDNA2 ISA guide, 13.3.
static const Load loads[] = {{118, 2, 1}, {54, 1, 1},  {255, 4, 1}, {55, 1, 2},
                             {56, 1, 2},  {119, 2, 2}, {120, 2, 2}};
enum { LOADS = sizeof loads / sizeof *loads, REGISTERS = 256 };

// How lanes lie while the block is made, and whether some are off.
typedef enum { USUAL, NEAR, APART, SOME_OFF } Way;

static uint32_t address_register(const Load *load, bool follow) {
  return follow ? 2u * (uint32_t)__builtin_ctz(load->words) + 1 : 0;
}

// By calls: loads behind instructions whose result they overwrite in part, or go by.
static uint32_t *write_overwriting(uint32_t *at) {
  enum { HALF = 91, ADDRESS = 54, FROM = 250 }; // ds_read_u16_d16_hi, ds_read_b32
  static const uint8_t operation[] = {HALF, ADDRESS};
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t to = FROM + i;
    *at++ = 0x34u << 25 | to << 17 | (i ? 0u : 249u) << 9 | 128; // v_add_u32 vTO, 0, ..
    *at++ = 0x36u << 26 | (uint32_t)operation[i] << 17;
    *at++ = to << 24 | i * to;
  }
  return at;
}

// Each load by both registers, and a v_add_u32 of what it loaded. Returns the bytes.
static size_t write_code(uint32_t *code) {
  uint32_t *at = write_overwriting(code), to = ADDRESSES;
  for (int i = 0; i < LOADS; i++)
    for (int follow = 0; follow < 2; follow++) {
      const Load *load = &loads[i];
      const uint32_t offset =
          load->places == 2 ? (1 + 2 * (uint32_t)i) | 3u << 8 : 16u * (uint32_t)i;
      *at++ = 0x36u << 26 | (uint32_t)load->operation << 17 | offset;
      *at++ = to << 24 | address_register(load, follow);
      *at++ = 0x34u << 25 | 255u << 17 | to << 9 | (256 + to); // v_add_u32 v255, vTO, vTO
      to += load->words * load->places;
    }
  cr_assert(le(u32, to, REGISTERS - 1));
  for (int i = 0; i < COMPUTED; i++) // v_add_u32 v255, v255, v255
    *at++ = 0x34u << 25 | 255u << 17 | 255u << 9 | (256 + 255);
  *at++ = 0xbf820000; // s_branch to the next
  *at++ = 0xbf810000; // s_endpgm
  return (size_t)(at - code) * sizeof *code;
}

static Machine *new_machine(void *code, size_t bytes, uint32_t hot, bool counted) {
  Machine *machine = machine_new(code, bytes, ASKED, hot);
  machine->launch.traffic_unwanted = !counted;
  for (int i = 0; i < DEVICE_LDS_BYTES; i++)
    machine->group.lds[i] = (uint8_t)(i * 0x9e3779b1u >> 13);
  return machine;
}

// ---- where lanes go ----

// Anywhere in 64 bytes from the first lane on, or, from lane `split` on, in those that end with the last.
static void place_near(uint32_t *byte, uint32_t bytes, uint32_t begin, uint32_t apart,
                       uint32_t split) {
  const uint32_t most = 64 / bytes - 1;
  for (uint32_t lane = 0; lane < SPAN; lane++) {
    const uint32_t element = lane == 0 ? 0 : lane == SPAN - 1 ? most : random_word() % (most + 1);
    byte[lane] = begin + (lane >= split ? apart : 0) + element * bytes;
  }
}

// So, with one of them too far, with the last at the end or behind it, with the first at 0, with some before it, with the
// first before the end.
static void place_span_near(uint32_t *byte, int shape, uint32_t bytes, uint32_t begin) {
  const uint32_t split = 1 + random_word() % (SPAN - 1), apart = random_word() % 64 * 16,
                 other = random_word() % SPAN;
  if (shape <= 8)
    place_near(byte, bytes, begin, apart, split);
  if (shape == 8)
    byte[other] += 64;
  if (shape == 9)
    place_near(byte, bytes, ASKED - 64 - apart + random_word() % 2 * 4, apart, split);
  if (shape == 10)
    place_near(byte, bytes, 0, random_word() % 3 * 16, split);
  if (shape == 11)
    place_near(byte, bytes, 4096, 0u - 4096 - random_word() % 3 * 16, split);
  if (shape == 12)
    place_near(byte, bytes, ASKED - 16 - random_word() % 4 * 16, -1024u, split);
}

// A span of lanes, `bytes` each: at one place, side by side, of these all but one lane, in steps, anywhere, to the end,
// near to the first or the last.
static void place_span(uint32_t *byte, int shape, uint32_t bytes, uint32_t begin) {
  const uint32_t other = random_word() % SPAN;
  if (shape > 6) {
    place_span_near(byte, shape, bytes, begin);
    return;
  }
  for (uint32_t lane = 0; lane < SPAN; lane++)
    byte[lane] = shape == 0   ? begin
                 : shape <= 2 ? begin + lane * bytes
                 : shape == 3 ? begin + lane * 2 * bytes
                 : shape == 4 ? begin + lane * 132
                 : shape == 5 ? random_word() % ASKED
                              : ASKED - SPAN * bytes + lane * bytes;
  if (shape == 2 || shape == 6)
    byte[other] += 4;
}

// As when the code was made: no two lanes wait, or all are near to the first or the last; all lie inside, whatever the offset.
static void place_usual(uint32_t (*v)[LANES], bool near) {
  const uint32_t begin = random_word() % 64 * 4;
  for (int r = 0; r < ADDRESSES; r++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      v[r][lane] = begin + (r % 2 ? lane * (4u << r / 2) : 0);
  for (int r = 1; near && r < 6; r += 2)
    for (uint32_t s = 0; s < SPANS; s++)
      place_near(&v[r][SPAN * s], 4u << r / 2, begin, 16 * s, 1 + random_word() % SPAN);
}

// Aligned, with each lane in a bank of its own choice.
static void place_apart(uint32_t (*v)[LANES]) {
  for (int r = 0; r < ADDRESSES; r++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      v[r][lane] = random_word() % (ASKED - 4096) / 16 * 16;
}

static void place_any(uint32_t (*v)[LANES]) {
  for (int r = 0; r < ADDRESSES; r++) {
    const int shape = (int)(random_word() % SHAPES);
    const uint32_t bytes = 4u << r / 2, apart = random_word() % 40 * 4;
    uint32_t begin =
        random_word() % (ASKED - 4096) / 4 * 4 + (random_word() % 8 == 0 ? random_word() % 4 : 0);
    for (uint32_t s = 0; s < SPANS; s++, begin += random_word() % 2 ? apart : SPAN * bytes)
      place_span(&v[r][SPAN * s], random_word() % 4 ? shape : (int)(random_word() % SHAPES), bytes,
                 begin);
  }
}

// ---- both engines ----

static void run(Machine *machine, uint32_t (*byte)[LANES], uint64_t exec) {
  Wavefront *w = &machine->wave;
  for (uint32_t r = 0; r < REGISTERS; r++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      w->vgpr[r][lane] = r < ADDRESSES ? byte[r][lane] : r * LANES + lane;
  cr_assert(machine_run(machine, exec, 1000), "%s", machine->thread.fault.text);
}

static void compare(Machine *a, Machine *b, int trial) {
  for (int r = 0; r < REGISTERS; r++)
    for (int lane = 0; lane < LANES; lane++)
      cr_assert(eq(u32, a->wave.vgpr[r][lane], b->wave.vgpr[r][lane]), "trial %d, v%d, lane %d",
                trial, r, lane);
  for (uint32_t id = 0; id < program_instruction_count(a->object.program); id++) {
    const InstructionProfile *p = &a->thread.profile[id], *q = &b->thread.profile[id];
    cr_assert(all(eq(u64, p->lds_clocks, q->lds_clocks),
                  eq(u64, p->lds_conflicts, q->lds_conflicts),
                  eq(u64, p->executions, q->executions)),
              "trial %d, instruction %u", trial, id);
  }
}

// ---- the interpreter's handlers ----

// But for loads that translated code always leaves to them.
static bool is_load(const Instruction *in) {
  return in->info->unit == UNIT_LDS && in->d.index < REGISTERS - 6;
}

// A host without AVX-512 neither picks nor gathers: then handlers are called for lanes outside (block_lane_load.c), which each load has.
static int handlers_needed(Way way) {
  if (way == USUAL || __builtin_cpu_supports("avx512f"))
    return 0;
  return way == NEAR ? LOADS : 2 * LOADS;
}

static void compare_engines(bool counted, Way way) {
  static uint32_t byte[ADDRESSES][LANES];
  void *code;
  cr_assert(eq(int, device_memory_allocate(4096, MEMORY_CODE, 0, &code), MEMORY_OK));
  const size_t bytes = write_code(code);
  Machine *interpreted = new_machine(code, bytes, 0, counted),
          *translated = new_machine(code, bytes, 1, counted);
  for (int i = 0; i < WARM + TRIALS; i++) {
    const uint64_t exec = way == SOME_OFF ? random_lanes() : ~0ull;
    if (i >= WARM)
      place_any(byte);
    else if (way == APART)
      place_apart(byte);
    else
      place_usual(byte, way == NEAR);
    if (i == WARM)
      forget_handlers();
    run(interpreted, byte, exec);
    run(translated, byte, exec);
    compare(interpreted, translated, i);
    if (i == 0)
      watch_handlers(translated->object.program, is_load);
  }
  const int variant = (way == SOME_OFF ? 0 : BLOCK_ALL_LANES) | (counted ? 0 : BLOCK_UNCOUNTED);
  cr_assert(machine_translated(translated, variant));
  cr_assert(eq(int, handlers_called(), handlers_needed(way)));
  machine_free(interpreted);
  machine_free(translated);
}

Test(block_lds, loads_as_the_interpreter_does) { compare_engines(true, USUAL); }
Test(block_lds, uncounted_loads_as_the_interpreter_does) { compare_engines(false, USUAL); }
Test(block_lds, loads_near_to_others_as_the_interpreter_does) { compare_engines(false, NEAR); }
Test(block_lds, loads_apart_from_others_as_the_interpreter_does) { compare_engines(false, APART); }
Test(block_lds, loads_of_some_lanes_as_the_interpreter_does) { compare_engines(false, SOME_OFF); }
