// Scalar loads in machine code against the interpreter: wherever they go, in a block that ends and in one that leads to itself.
//
// In: loads of each width, by a constant, by a register, and into the registers of their own address, run until they are machine
// code of the better kind. Out: both engines leave the same registers, or end with the same fault; loads that go where they
// mostly do call no handler.
#include "block_machine.h"

enum { BYTES = 65536, WARM = 100, HOT = 1, TRIALS = 4000, ROUNDS = 40 };
// Scalar registers: two addresses, the second of which is loaded over; an offset; what the first one moves by in the loop, and
// how often.
enum { FIRST = 4, OFFSET = 6, SECOND = 8, STEP = 10, LEFT = 12, LOADED = 16, WIDE = 24 };

static uint8_t *memory;

// SMEM: CDNA2 ISA guide, 13.2. width: 0 of a dword, 1 of two, up to 4 of sixteen.
static uint32_t *write_load(uint32_t *at, uint32_t width, uint32_t to, uint32_t base,
                            int32_t offset) {
  *at++ = 0xc0020000 | width << 18 | to << 6 | base / 2;
  *at++ = (uint32_t)offset & 0x1fffff;
  return at;
}

static uint32_t *write_load_by_register(uint32_t *at, uint32_t width, uint32_t to, uint32_t base,
                                        uint32_t offset) {
  *at++ = 0xc0000000 | width << 18 | to << 6 | base / 2;
  *at++ = offset;
  return at;
}

// What lanes make of them: v1 = 3 v1 + s[register], with the carry of the sum in s[64:65].
static uint32_t *write_use(uint32_t *at, uint32_t loaded) {
  *at++ = 0xd1fd0001; // v_lshl_add_u32 v1, v1, 1, v1
  *at++ = 0x04050301;
  *at++ = 0xd1194001; // v_add_co_u32 v1, s[64:65], s, v1
  *at++ = 0x00020200 | loaded;
  return at;
}

static uint32_t *write_once(uint32_t *at) {
  at = write_load(at, 0, LOADED, FIRST, 16);
  at = write_use(at, LOADED);
  at = write_load_by_register(at, 1, LOADED + 2, FIRST, OFFSET);
  at = write_use(at, LOADED + 2);
  at = write_load(at, 1, SECOND, SECOND, -8); // an address of memory
  at = write_load(at, 2, WIDE, SECOND, 0);
  at = write_load(at, 3, WIDE + 4, SECOND, 32);
  at = write_load(at, 4, WIDE + 12, FIRST, 64);
  at = write_load(at, 1, SGPR_VCC, FIRST, 8);
  at = write_load(at, 0, LOADED + 1, FIRST, 4);
  at = write_use(at, LOADED + 1);
  *at++ = 0xbf820000; // s_branch to the next
  *at++ = 0xbf810000; // s_endpgm
  return at;
}

static uint32_t *write_loop(uint32_t *at) {
  const uint32_t *first = at;
  at = write_load(at, 0, LOADED, FIRST, 16);
  at = write_use(at, LOADED);
  at = write_load_by_register(at, 2, WIDE, FIRST, OFFSET);
  at = write_use(at, WIDE + 3);
  *at++ = 0x80000000 | FIRST << 16 | STEP << 8 | FIRST;                   // s_add_u32
  *at++ = 0x82000000 | (FIRST + 1) << 16 | (STEP + 1) << 8 | (FIRST + 1); // s_addc_u32
  *at++ = 0x80800000 | LEFT << 16 | 129 << 8 | LEFT;                      // s_sub_u32 LEFT, LEFT, 1
  *at++ = 0xbf070000 | 128 << 8 | LEFT;                                   // s_cmp_lg_u32 LEFT, 0
  *at = 0xbf850000 | ((uint32_t)(first - at - 1) & 0xffff);               // s_cbranch_scc1 first
  at++;
  *at++ = 0xbf810000; // s_endpgm
  return at;
}

// ---- where they go ----

typedef struct {
  uint64_t first, second, step; // addresses, and bytes
  uint32_t offset, rounds;
} Trial;

// Within the allocation, at a distance from its ends at which no load leaves it.
static void place_usual(Trial *trial) {
  const uint32_t inside = BYTES / 2, margin = 4096;
  trial->first = (uint64_t)memory + margin + random_word() % inside / 4 * 4;
  trial->second = (uint64_t)memory + margin + random_word() % inside / 8 * 8;
  trial->step = random_word() % 4 * 8;
  trial->offset = random_word() % 512 * 4;
  trial->rounds = 1 + random_word() % ROUNDS;
}

// Not aligned, at an end of the allocation, over it in some round, or where nothing is.
static void place_elsewhere(Trial *trial) {
  place_usual(trial);
  switch (random_word() % 7) {
  case 0:
    trial->first += random_word() % 4;
    break;
  case 1:
    trial->first = (uint64_t)memory + BYTES - random_word() % 256 * 4;
    break;
  case 2:
    trial->first = (uint64_t)memory - random_word() % 32 * 4;
    break;
  case 3:
    trial->step = random_word() % 2 ? 8192 : -8192ull;
    break;
  case 4: // which is no negative number
    trial->offset = -4 * (random_word() % 512);
    break;
  case 5:
    trial->step = 1ull << 40 | 4;
    break;
  default:
    trial->second += random_word() % 2 ? 1ull << 41 : 4;
  }
}

// ---- both engines ----

static void set_registers(Wavefront *w, const Trial *trial) {
  for (int r = 0; r < SGPR_VCC; r++)
    w->sgpr[r] = 0x01010101u * (uint32_t)r;
  memcpy(&w->sgpr[FIRST], &trial->first, sizeof trial->first);
  memcpy(&w->sgpr[SECOND], &trial->second, sizeof trial->second);
  memcpy(&w->sgpr[STEP], &trial->step, sizeof trial->step);
  w->sgpr[OFFSET] = trial->offset;
  w->sgpr[LEFT] = trial->rounds;
  for (uint32_t lane = 0; lane < LANES; lane++)
    w->vgpr[1][lane] = lane * 0x9e3779b1u;
}

// False if it ends with a fault.
static bool run(Machine *machine, const Trial *trial) {
  set_registers(&machine->wave, trial);
  return machine_run(machine, ~0ull, 1000);
}

// What is behind the first instruction with a fault was not to be executed, and no one looks at it.
static bool compare(Machine *a, Machine *b, const Trial *trial, int number) {
  const bool ends = run(a, trial);
  cr_assert(eq(int, run(b, trial), ends), "trial %d: %s%s", number, a->thread.fault.text,
            b->thread.fault.text);
  if (!ends) {
    cr_assert(eq(str, a->thread.fault.text, b->thread.fault.text), "trial %d", number);
    return false;
  }
  for (int r = 0; r < SGPR_COUNT; r++)
    cr_assert(eq(u32, a->wave.sgpr[r], b->wave.sgpr[r]), "trial %d, s%d", number, r);
  for (int lane = 0; lane < LANES; lane++)
    cr_assert(eq(u32, a->wave.vgpr[1][lane], b->wave.vgpr[1][lane]), "trial %d, lane %d", number,
              lane);
  cr_assert(eq(u64, a->wave.issued, b->wave.issued), "trial %d", number);
  return true;
}

static bool is_load(const Instruction *in) { return in->info->unit == UNIT_SMEM; }

// Until the block is machine code of the better kind.
static void warm(Machine *interpreted, Machine *translated) {
  Trial trial;
  for (int i = 0; i < WARM; i++) {
    place_usual(&trial);
    cr_assert(compare(interpreted, translated, &trial, i));
    if (i == 0)
      watch_handlers(translated->object.program, is_load);
  }
  cr_assert(machine_translated(translated, BLOCK_UNCOUNTED | BLOCK_ALL_LANES));
}

// In every second place an address of memory, as one that is loaded.
static void *new_code(void) {
  void *code, *place;
  cr_assert(eq(int, device_memory_allocate(4096, MEMORY_CODE, 0, &code), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_DEVICE, 0, &place), MEMORY_OK));
  memory = place;
  for (uint64_t i = 0; i < BYTES / 8; i++) {
    const uint64_t address = (uint64_t)memory + i * 8 * 7919 % (BYTES / 2) / 8 * 8;
    memcpy(memory + 8 * i, &address, sizeof address);
  }
  return code;
}

static void compare_engines(uint32_t *(*write)(uint32_t *)) {
  Trial trial;
  uint32_t *code = new_code();
  const size_t bytes = (size_t)(write(code) - code) * sizeof *code;
  Machine *interpreted = machine_new(code, bytes, 0, 0),
          *translated = machine_new(code, bytes, 0, HOT);
  warm(interpreted, translated);
  forget_handlers();
  for (int i = 0; i < 100; i++) {
    place_usual(&trial);
    cr_assert(compare(interpreted, translated, &trial, WARM + i));
  }
  cr_assert(eq(int, handlers_called(), 0));
  int faults = 0;
  for (int i = 0; i < TRIALS; i++) {
    place_elsewhere(&trial);
    faults += !compare(interpreted, translated, &trial, i);
  }
  cr_assert(lt(int, TRIALS / 4, faults));
  cr_assert(lt(int, faults, 3 * TRIALS / 4));

  place_usual(&trial); // and none of what was freed
  cr_assert(compare(interpreted, translated, &trial, TRIALS));
  cr_assert(device_memory_free(memory, MEMORY_DEVICE));
  access_forget(&interpreted->thread);
  access_forget(&translated->thread);
  cr_assert(not(compare(interpreted, translated, &trial, TRIALS + 1)));
  machine_free(interpreted);
  machine_free(translated);
}

// The last bytes of an allocation are told of where a load goes on behind them, in either engine.
Test(block_scalar_load, loads_over_the_end_of_an_allocation_are_told) {
  Trial trial;
  uint32_t *code = new_code();
  const size_t bytes = (size_t)(write_once(code) - code) * sizeof *code;
  Machine *interpreted = machine_new(code, bytes, 0, 0),
          *translated = machine_new(code, bytes, 0, HOT);
  warm(interpreted, translated);
  place_usual(&trial);
  trial.offset = (uint32_t)((uint64_t)memory + BYTES - 4 - trial.first);
  cr_assert(compare(interpreted, translated, &trial, WARM));
  int told = 0;
  for (uint32_t id = 0; id < program_instruction_count(interpreted->object.program); id++) {
    const bool was_told = !program_first_notice(interpreted->object.program, id);
    cr_assert(eq(int, !program_first_notice(translated->object.program, id), was_told), "id %u",
              id);
    told += was_told;
  }
  cr_assert(eq(int, told, 1)); // the pair by a register
  machine_free(interpreted);
  machine_free(translated);
}

Test(block_scalar_load, loads_as_the_interpreter_does) { compare_engines(write_once); }
Test(block_scalar_load, loads_in_a_loop_as_the_interpreter_does) { compare_engines(write_loop); }
