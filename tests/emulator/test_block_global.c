// Loads from global memory in machine code against the interpreter, for lanes that lie as when it was made, in part, or
// otherwise, inside and outside, and for waves that have lanes off.
//
// In: one block with every such load, by registers of 64 bits and behind a scalar, run until it is machine code of the better
// kind. Out: both engines leave the same registers, or end with the same fault.
#include "block_machine.h"

enum { BYTES = 65536, WARM = 2500, HOT = 500, TRIALS = 4000, SHAPES = 12, MARGIN = 8192 };
enum { BASE = 4, BAD = 6, TO = 8 }; // scalar registers: of the lanes' base, and of a scalar load

// GLOBAL: CDNA2 ISA guide, 13.6. ubyte, sbyte, ushort, sshort, dword, x2, x3, x4.
static const uint8_t bytes_of[] = {1, 1, 2, 2, 4, 8, 12, 16};
enum { LOADS = sizeof bytes_of, FIRST_OPERATION = 0x10, REGISTERS = 256, LAST = REGISTERS - 1 };

// Windows that slide by less than their width from lane to lane.
static const struct {
  int load;
  uint32_t distance;
} slide[] = {{5, 4}, {6, 4}, {7, 4}, {7, 8}};
enum { SLIDES = sizeof slide / sizeof *slide };

// Lanes at one place, side by side at the distance of each width, and sliding: offsets, and whole addresses behind them.
enum {
  PLACES = 1 + LOADS + SLIDES,
  ADDRESSES = PLACES,
  FIRST_LOADED = PLACES + 2 * PLACES,
  ALL_LOADS = 4 * LOADS + 2 * SLIDES,
  NEAR_WIDE_LOADS = 2 * 2,    // of those that place_usual places so, the ones of more than 8 bytes
  WIDE_LOADS = 4 * 2 + 2 * 3, // of 12 and 16 bytes, which must move as one
  FOLLOWING_LOADS = 2 * 2     // of 4 and 8 bytes side by side
};

// How lanes lie while the block is made, and whether some are off.
typedef enum { USUAL, NEAR, APART, SOME_OFF } Way;

static uint8_t *memory;

static uint32_t *write_load(uint32_t *at, int load, uint32_t place, bool whole, uint32_t to) {
  const uint32_t address = whole ? ADDRESSES + 2 * place : place,
                 offset = (uint32_t)(16 * (load - 4)) & 0x1fff;
  *at++ = 0xdc008000 | (FIRST_OPERATION + (uint32_t)load) << 18 | offset;
  *at++ = address | (whole ? 0x7f0000 : BASE << 16) | to << 24;
  *at++ = 0x34u << 25 | (uint32_t)LAST << 17 | to << 9 | (256 + to); // v_add_u32 v255, vTO, vTO
  return at;
}

// Blocks that compute for as long have two spans at once, unless they load from LDS.
enum { COMPUTED = 64 };

static uint32_t registers_of(int load) { return bytes_of[load] < 4 ? 1 : bytes_of[load] / 4u; }

// Each load in each way; between them a load by a scalar, and one from LDS, or much to compute. Returns the bytes.
static size_t write_code(uint32_t *code, bool computes) {
  uint32_t *at = code, to = FIRST_LOADED;
  for (int way = 0; way < 4; way++) {
    for (int load = 0; load < LOADS; load++) {
      at = write_load(at, load, way & 1 ? 1 + (uint32_t)load : 0, way & 2, to);
      to += registers_of(load);
    }
    if (way == 1) { // s_load_dword sTO, s[BAD:BAD+1], 0
      *at++ = 0xc0020000 | TO << 6 | BAD / 2;
      *at++ = 0;
    }
    for (int i = 0; computes && way == 2 && i < COMPUTED; i++) // v_add_u32 v255, v255, v255
      *at++ = 0x34u << 25 | (uint32_t)LAST << 17 | LAST << 9 | (256 + LAST);
    if (way == 2 && !computes) { // ds_read_b32 v254, v254
      *at++ = 0x36u << 26 | 54u << 17;
      *at++ = 254u << 24 | 254u;
    }
  }
  for (uint32_t i = 0; i < 2 * SLIDES; i++) {
    at = write_load(at, slide[i / 2].load, 1 + LOADS + i / 2, i % 2, to);
    to += registers_of(slide[i / 2].load);
  }
  cr_assert(le(u32, to, 254));
  *at++ = 0xbf820000; // s_branch to the next
  *at++ = 0xbf810000; // s_endpgm
  return (size_t)(at - code) * sizeof *code;
}

// ---- where lanes go ----

// Of each lane from the begin of memory; signed where lanes may lie before it.
typedef struct {
  int64_t byte[PLACES][LANES];
  int64_t scalar; // where s_load goes
  bool wraps;     // the base is so low that offsets wrap at MARGIN
  uint64_t off;   // lanes
} Trial;

static uint32_t distance_of(int place) {
  return place > LOADS ? slide[place - LOADS - 1].distance : place ? bytes_of[place - 1] : 0;
}

// In steps, all aligned.
static void place_apart(Trial *trial) {
  *trial = (Trial){0};
  for (int place = 0; place < PLACES; place++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      trial->byte[place][lane] = 256 + lane * 132;
}

// Anywhere in 64 bytes from the first lane on, or, from lane `split` on, in those that end with the last.
static void place_near(int64_t *byte, uint32_t bytes, int64_t begin, int64_t apart,
                       uint32_t split) {
  const uint32_t most = 64 / bytes - 1;
  for (uint32_t lane = 0; lane < SPAN; lane++) {
    const uint32_t element = lane == 0 ? 0 : lane == SPAN - 1 ? most : random_word() % (most + 1);
    byte[lane] = begin + (lane >= split ? apart : 0) + element * bytes;
  }
}

// Side by side; or near to the first or the last, where a lane has a dword or more.
static void place_usual(Trial *trial, bool near) {
  *trial = (Trial){0};
  const uint32_t begin = random_word() % 64 * 16 + 256;
  for (int place = 0; place < PLACES; place++) {
    const uint32_t bytes = distance_of(place);
    for (uint32_t lane = 0; lane < LANES; lane++)
      trial->byte[place][lane] = begin + lane * bytes;
    for (uint32_t s = 0; near && s < SPANS && place <= LOADS && bytes >= 4; s++)
      place_near(&trial->byte[place][SPAN * s], bytes, begin, 16 * random_word() % 64,
                 1 + random_word() % SPAN);
  }
}

// Near to the first or the last, with one of them too far, with windows that begin before the allocation, end behind it.
static void place_span_near(int64_t *byte, int shape, uint32_t bytes, int64_t begin) {
  const uint32_t split = 1 + random_word() % (SPAN - 1);
  const int64_t apart = random_word() % 64 * 16;
  if (shape <= 8)
    place_near(byte, bytes, begin, apart, split);
  if (shape == 8)
    byte[random_word() % SPAN] += 64;
  if (shape == 9)
    place_near(byte, bytes, 0, apart, split);
  if (shape == 10)
    place_near(byte, bytes, BYTES - 64 - apart, apart, split);
  if (shape == 11)
    for (uint32_t lane = 0; lane < SPAN; lane++)
      byte[lane] = lane < split ? BYTES - 64 : lane & 1 ? 32 : -16;
}

// A span of lanes: at one place, side by side, of these all but one lane, in steps, anywhere, not aligned, near to others.
static void place_span(int64_t *byte, int shape, uint32_t bytes, int64_t begin) {
  const uint32_t other = random_word() % SPAN;
  if (shape > 6 && bytes >= 4) {
    place_span_near(byte, shape, bytes, begin);
    return;
  }
  for (uint32_t lane = 0; lane < SPAN; lane++)
    byte[lane] = shape == 0   ? begin
                 : shape <= 2 ? begin + lane * bytes
                 : shape == 3 ? begin + lane * 2 * bytes
                 : shape == 4 ? begin + lane * 132
                 : shape == 5 ? 256 + random_word() % (BYTES - 1024) / 16 * 16
                              : begin + lane * bytes + 1;
  if (shape == 2)
    byte[other] += 16;
}

// Side by side at a base so low that offsets of the last of them wrap, in one place.
static void place_wrapping(Trial *trial) {
  const uint32_t place = 1 + random_word() % (PLACES - 1), bytes = distance_of((int)place);
  place_usual(trial, false);
  trial->wraps = true;
  const int64_t begin = MARGIN - bytes * (1 + random_word() % (LANES - 1));
  for (uint32_t lane = 0; lane < LANES; lane++)
    trial->byte[place][lane] = begin + lane * bytes;
}

static void place_any(Trial *trial) {
  *trial = (Trial){0};
  for (int place = 0; place < PLACES; place++) {
    const int shape = (int)(random_word() % SHAPES);
    const uint32_t bytes = distance_of(place);
    int64_t begin = 256 + random_word() % (BYTES - MARGIN) / 16 * 16;
    for (uint32_t s = 0; s < SPANS; s++, begin += random_word() % 2 ? 64 : SPAN * bytes)
      place_span(&trial->byte[place][SPAN * s],
                 random_word() % 4 ? shape : (int)(random_word() % SHAPES), bytes, begin);
  }
}

// Some lanes, or whole spans, far outside, and perhaps the scalar. Or it is only the high halves of their addresses.
static void place_outside(Trial *trial) {
  const int64_t outside[] = {-100000, BYTES + 100000, -(int64_t)(uint64_t)memory, 1ll << 40};
  const bool high_halves = random_word() % 2;
  for (uint32_t i = 1 + random_word() % 3; i--;) {
    int64_t *byte = trial->byte[random_word() % PLACES];
    const uint32_t first = random_word() % LANES, many = random_word() % 2 ? 1 : SPAN;
    const int64_t there = outside[random_word() % 4];
    for (uint32_t lane = first; lane < first + many && lane < LANES; lane++)
      byte[lane] = high_halves ? byte[lane] + (1ll << 40) : there + 16 * lane;
  }
  if (random_word() % 4 == 0)
    trial->scalar = 1ll << 40;
}

// ---- both engines ----

static void set_registers(Wavefront *w, const Trial *trial) {
  const uint64_t begin = (uint64_t)memory,
                 base = begin - (trial->wraps ? (1ull << 32) - MARGIN : 0),
                 scalar = begin + (uint64_t)trial->scalar;
  for (uint32_t r = 0; r < REGISTERS; r++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      w->vgpr[r][lane] = r == 254 ? 4 * lane : r * LANES + lane;
  for (int place = 0; place < PLACES; place++)
    for (uint32_t lane = 0; lane < LANES; lane++) {
      const uint64_t address = begin + (uint64_t)trial->byte[place][lane];
      w->vgpr[place][lane] = (uint32_t)(address - base);
      w->vgpr[ADDRESSES + 2 * place][lane] = (uint32_t)address;
      w->vgpr[ADDRESSES + 2 * place + 1][lane] = (uint32_t)(address >> 32);
    }
  memcpy(&w->sgpr[BASE], &base, sizeof base);
  memcpy(&w->sgpr[BAD], &scalar, sizeof scalar);
}

// False if it ends with a fault.
static bool run(Machine *machine, const Trial *trial) {
  set_registers(&machine->wave, trial);
  return machine_run(machine, ~trial->off, 1000);
}

// What is behind the first instruction with a fault was not to be executed, and no one looks at it. The message names
// instruction, lane and address.
static bool compare(Machine *a, Machine *b, const Trial *trial, int number) {
  const bool ends = run(a, trial);
  cr_assert(eq(int, run(b, trial), ends), "trial %d: %s%s", number, a->thread.fault.text,
            b->thread.fault.text);
  if (!ends) {
    cr_assert(eq(str, a->thread.fault.text, b->thread.fault.text), "trial %d", number);
    return false;
  }
  for (int r = 0; r < REGISTERS; r++)
    for (int lane = 0; lane < LANES; lane++)
      cr_assert(eq(u32, a->wave.vgpr[r][lane], b->wave.vgpr[r][lane]), "trial %d, v%d, lane %d",
                number, r, lane);
  return true;
}

// Each load of more than a byte tells of it, once, in either engine.
static void compare_misaligned(Machine *a, Machine *b, int number, uint64_t off) {
  static Trial trial;
  int told = 0;
  place_usual(&trial, false);
  trial.off = off;
  for (int place = 0; place < PLACES; place++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      trial.byte[place][lane]++;
  cr_assert(compare(a, b, &trial, number));
  for (uint32_t id = 0; id < program_instruction_count(a->object.program); id++) {
    const bool was_told = !program_first_notice(a->object.program, id);
    cr_assert(eq(int, !program_first_notice(b->object.program, id), was_told), "id %u", id);
    told += was_told;
  }
  cr_assert(eq(int, told, ALL_LOADS - 4 * 2));
}

// ---- the interpreter's handlers, which translated code calls for some loads ----

static bool is_load(const Instruction *in) { return in->info->unit == UNIT_GLOBAL; }

// A host without AVX-512 loads in turn what another gathers, but for lanes that mostly follow each other where some are off.
static int handlers_needed(Way way) {
  const bool gathers = __builtin_cpu_supports("avx512f");
  switch (way) {
  case USUAL:
    return 0;
  case NEAR:
    return gathers ? 0 : NEAR_WIDE_LOADS;
  case APART:
    return WIDE_LOADS;
  default:
    return WIDE_LOADS + (gathers ? 0 : FOLLOWING_LOADS);
  }
}

static void *new_code(void) {
  void *code, *place;
  cr_assert(eq(int, device_memory_allocate(4096, MEMORY_CODE, 0, &code), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_DEVICE, 0, &place), MEMORY_OK));
  memory = place;
  for (int i = 0; i < BYTES; i++)
    memory[i] = (uint8_t)((uint32_t)i * 0x9e3779b1u >> 13);
  return code;
}

// Until the block is machine code of the better kind, which another thread makes; in one run of ten, or in each other one if lanes
// shall mostly be apart, they lie otherwise.
static void warm(Machine *interpreted, Machine *translated, Way way) {
  static Trial trial;
  const int otherwise = way == APART ? 2 : 10,
            variant = BLOCK_UNCOUNTED | (way == SOME_OFF ? 0 : BLOCK_ALL_LANES);
  for (int i = 0; i < WARM || (!machine_translated(translated, variant) && i < 100 * WARM); i++) {
    place_usual(&trial, way == NEAR);
    if (i % otherwise == otherwise - 1)
      place_apart(&trial);
    trial.off = way == SOME_OFF ? random_lanes() : 0;
    cr_assert(compare(interpreted, translated, &trial, i));
    if (i == 0)
      watch_handlers(translated->object.program, is_load);
  }
  cr_assert(machine_translated(translated, variant));
  forget_handlers();
}

static void compare_engines(bool computes, Way way) {
  static Trial trial;
  void *code = new_code();
  const size_t bytes = write_code(code, computes);
  Machine *interpreted = machine_new(code, bytes, 4 * LANES, 0),
          *translated = machine_new(code, bytes, 4 * LANES, HOT);
  warm(interpreted, translated, way);
  compare_misaligned(interpreted, translated, WARM, way == SOME_OFF ? random_lanes() : 0);
  int faults = 0;
  for (int i = 0; i < TRIALS; i++) {
    if (i % 8 == 0)
      place_wrapping(&trial);
    else
      place_any(&trial);
    if (i % 2)
      place_outside(&trial);
    trial.off = way == SOME_OFF ? random_lanes() : 0;
    faults += !compare(interpreted, translated, &trial, WARM + i);
  }
  cr_assert(lt(int, TRIALS / 4, faults));
  cr_assert(eq(int, handlers_called(), handlers_needed(way)));

  place_usual(&trial, false); // and none of what was freed
  trial.off = way == SOME_OFF ? random_lanes() : 0;
  cr_assert(compare(interpreted, translated, &trial, WARM + TRIALS));
  cr_assert(device_memory_free(memory, MEMORY_DEVICE));
  access_forget(&interpreted->thread);
  access_forget(&translated->thread);
  cr_assert(not(compare(interpreted, translated, &trial, WARM + TRIALS + 1)));
  machine_free(interpreted);
  machine_free(translated);
}

Test(block_global, loads_as_the_interpreter_does) { compare_engines(false, USUAL); }
Test(block_global, loads_of_two_spans_at_once_as_the_interpreter_does) {
  compare_engines(true, USUAL);
}
Test(block_global, loads_near_to_others_as_the_interpreter_does) { compare_engines(false, NEAR); }
Test(block_global, loads_apart_from_others_as_the_interpreter_does) {
  compare_engines(false, APART);
}
Test(block_global, loads_of_some_lanes_as_the_interpreter_does) {
  compare_engines(false, SOME_OFF);
}
Test(block_global, loads_of_some_lanes_of_two_spans_at_once_as_the_interpreter_does) {
  compare_engines(true, SOME_OFF);
}

// The last bytes of an allocation are told of where a load goes on behind them, in either engine.
Test(block_global, loads_over_the_end_of_an_allocation_are_told) {
  static Trial trial;
  enum { FIRST_PAIR = 5, OFFSET = 16 }; // of the loads of 8 bytes
  void *code = new_code();
  const size_t bytes = write_code(code, false);
  Machine *interpreted = machine_new(code, bytes, 4 * LANES, 0),
          *translated = machine_new(code, bytes, 4 * LANES, HOT);
  warm(interpreted, translated, APART);
  place_apart(&trial);
  trial.byte[1 + FIRST_PAIR][LANES - 1] = BYTES - 4 - OFFSET;
  cr_assert(compare(interpreted, translated, &trial, WARM));
  int told = 0;
  for (uint32_t id = 0; id < program_instruction_count(interpreted->object.program); id++) {
    const bool was_told = !program_first_notice(interpreted->object.program, id);
    cr_assert(eq(int, !program_first_notice(translated->object.program, id), was_told), "id %u",
              id);
    told += was_told;
  }
  cr_assert(eq(int, told, 2)); // by an address, and by an offset
  machine_free(interpreted);
  machine_free(translated);
}
