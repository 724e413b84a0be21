// Loops of compare-and-swap whose rounds are made at once, against the interpreter, which makes each.
//
// In: loops as compilers write them, some that only look so; lanes that meet at few places or at many, add nothing, are off, or have
// only few instructions before another wave's turn. Out: registers, memory and counts are the same; who is no such loop is not taken
// for one.
#include "block_machine.h"
#include "cas_loop.h"
#include "lanes.h"

enum {
  WORDS = 12,
  PLACES = 256,
  BYTES = 8 * PLACES,
  TRIALS = 4000,
  REGISTERS = 16,
  TURN = 1 << 20
};
enum { BASE = 4, ADDEND = 6, MASK = 0 }; // SGPRs
enum {
  ADDRESS = 0,
  EXPECTED = 3,
  VALUE = 4,
  OFFSET = 8
}; // VGPRs, but for what a loop has otherwise

typedef struct {
  const char *name;
  bool pairs;        // f64
  unsigned expected; // VGPR
  unsigned value;    // VGPR of the addend
  uint32_t code[WORDS];
} Loop;

// Made by llvm-mc.
static const Loop loops[] = {
    // v_add_f32 v2, v3, v4; global_atomic_cmpswap v2, v[0:1], v[2:3], off glc; v_cmp_eq_u32 vcc, v2, v3; ...; v_mov_b32 v3, v2
    {"by addresses",
     false,
     EXPECTED,
     VALUE,
     {0xbf8c0f70, 0x02040903, 0xdd058000, 0x027f0200, 0xbf8c0f70, 0x7d940702, 0x8780006a,
      0x7e060302, 0x89fe007e, 0xbf89fff6, 0xbf810000}},
    // v_mov_b32 v5, v6; v_add_f32 v4, v7, v5; global_atomic_cmpswap v6, v8, v[4:5], s[4:5] offset:16 glc; v_cmp_eq_u32 s[2:3], v5, v6
    {"a copy first",
     false,
     6,
     7,
     {0x7e0a0306, 0x02080b07, 0xdd058010, 0x06040408, 0xbf8c0f70, 0xd0ca0002, 0x00020d05,
      0x87800200, 0x89fe007e, 0xbf89fff6, 0xbf810000}},
    // v_add_f64 v[0:1], v[2:3], v[4:5]; global_atomic_cmpswap_x2 v[0:1], v8, v[0:3], s[4:5] glc; ...; v_pk_mov_b32 v[2:3], v[0:1], v[0:1]
    {"pairs",
     true,
     2,
     VALUE,
     {0xd2800000, 0x00020902, 0xdd858000, 0x00040008, 0xbf8c0f70, 0x7dd40500, 0x8780006a,
      0xd3b35002, 0x18020100, 0x89fe007e, 0xbf89fff5, 0xbf810000}},
    // v_add_f32 v2, s6, v3; flat_atomic_cmpswap v2, v[0:1], v[2:3] glc
    {"a scalar",
     false,
     EXPECTED,
     VALUE,
     {0x02040606, 0xdd050000, 0x02000200, 0xbf8c0f70, 0x7d940702, 0x8780006a, 0x7e060302,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
    // v_add_f32 v2, 1.0, v3
    {"a constant",
     false,
     EXPECTED,
     VALUE,
     {0x020406f2, 0xdd058000, 0x02040208, 0xbf8c0f70, 0x7d940702, 0x8780006a, 0x7e060302,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
};
enum { LOOPS = sizeof loops / sizeof *loops };

static const Loop others[] = {
    // v_mov_b32 v4, v3 behind the sum: the addend changes
    {"another addend",
     false,
     EXPECTED,
     VALUE,
     {0x02040903, 0x7e080303, 0xdd058000, 0x02040208, 0xbf8c0f70, 0x7d940702, 0x8780006a,
      0x7e060302, 0x89fe007e, 0xbf89fff6, 0xbf810000}},
    // v_mov_b32 v9, v2: what is expected stays
    {"never expected",
     false,
     EXPECTED,
     VALUE,
     {0x02040903, 0xdd058000, 0x02040208, 0xbf8c0f70, 0x7d940702, 0x8780006a, 0x7e120302,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
    // global_atomic_cmpswap v0, v[0:1], v[2:3], off glc: the address changes
    {"another place",
     false,
     EXPECTED,
     VALUE,
     {0x02040903, 0xdd058000, 0x007f0200, 0xbf8c0f70, 0x7d940700, 0x8780006a, 0x7e060300,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
    // v_add_f32 v2, v3, v3: twice
    {"itself",
     false,
     EXPECTED,
     VALUE,
     {0x02040703, 0xdd058000, 0x02040208, 0xbf8c0f70, 0x7d940702, 0x8780006a, 0x7e060302,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
    // v_add_f32 v2, v5, v4: nothing that memory may hold
    {"of others",
     false,
     EXPECTED,
     VALUE,
     {0x02040905, 0xdd058000, 0x02040208, 0xbf8c0f70, 0x7d940702, 0x8780006a, 0x7e060302,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
    // v_mul_f32 v2, v3, v4
    {"a product",
     false,
     EXPECTED,
     VALUE,
     {0x0a040903, 0xdd058000, 0x02040208, 0xbf8c0f70, 0x7d940702, 0x8780006a, 0x7e060302,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
    // global_atomic_cmpswap without glc
    {"nothing comes back",
     false,
     EXPECTED,
     VALUE,
     {0x02040903, 0xdd048000, 0x02040208, 0xbf8c0f70, 0x7d940702, 0x8780006a, 0x7e060302,
      0x89fe007e, 0xbf89fff7, 0xbf810000}},
};

static uint8_t *memory;
static Machine *new_machine(void *code, uint32_t hot) {
  Machine *machine = machine_new(code, sizeof loops->code, 0, hot);
  machine->thread.budget = TURN;
  return machine;
}

static int turns; // that the latest wave took

static bool is_swap(const Instruction *in) { return strstr(in->info->mnemonic, "cmpswap"); }

// ---- a trial ----

typedef struct {
  uint32_t place[LANES]; // number
  uint64_t exec, mask;
  uint64_t turn; // instructions
  uint64_t value[LANES], expected[LANES];
  uint8_t memory[BYTES];
} Trial;

static uint64_t number(const Loop *loop, uint32_t value) {
  return loop->pairs ? bits_of_f64(value / 7.0) : bits_of_f32((f32)value / 7.0f);
}

static void place_lanes(const Loop *loop, Trial *trial) {
  const uint32_t places = random_word() % 2 ? 1 : 1 + random_word() % PLACES;
  const uint64_t any = (uint64_t)random_word() << 33 ^ (uint64_t)random_word() << 15;
  const bool stale = random_word() % 4 == 0, idle = random_word() % 2;
  trial->exec = random_word() % 2   ? ~0ull
                : random_word() % 4 ? any | 1
                                    : 1ull << random_word() % 64;
  trial->mask = ~trial->exec & any;
  if (random_word() % 16 == 0)
    trial->mask = any;
  trial->turn = random_word() % 4 ? TURN : 10 + random_word() % 600;
  for (int i = 0; i < PLACES; i++) {
    const uint64_t value = number(loop, random_word() % 1000);
    memcpy(trial->memory + 8 * i, &value, sizeof value);
  }
  for (int lane = 0; lane < LANES; lane++) {
    const uint32_t place = random_word() % places;
    trial->place[lane] = place;
    trial->value[lane] = idle && random_word() % 2 ? 0 : number(loop, random_word() % 1000);
    memcpy(&trial->expected[lane], trial->memory + 8 * place, sizeof *trial->expected);
    if (stale && (random_word() % 8 == 0 || places == 1))
      trial->expected[lane] = number(loop, 5000 + place);
  }
}

static void set_lane(Wavefront *w, unsigned vgpr, int lane, uint64_t value, bool pair) {
  w->vgpr[vgpr][lane] = (uint32_t)value;
  if (pair)
    w->vgpr[vgpr + 1][lane] = (uint32_t)(value >> 32);
}

static void set_registers(Wavefront *w, const Loop *loop, const Trial *trial) {
  const uint64_t base = (uint64_t)memory,
                 scalar = base - (loop->expected == 6 ? 16 : 0); // which that one's offset adds
  for (uint32_t r = 0; r < REGISTERS; r++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      w->vgpr[r][lane] = r * LANES + lane;
  for (int lane = 0; lane < LANES; lane++) {
    if (!loop->pairs)
      set_lane(w, ADDRESS, lane, base + 8 * trial->place[lane], true);
    set_lane(w, loop->expected, lane, trial->expected[lane], loop->pairs);
    set_lane(w, loop->value, lane, trial->value[lane], loop->pairs);
    w->vgpr[OFFSET][lane] = 8 * trial->place[lane];
  }
  memset(w->sgpr, 0, sizeof w->sgpr);
  memcpy(&w->sgpr[BASE], &scalar, sizeof scalar);
  w->sgpr[ADDEND] = bits_of_f32(2.5f);
  memcpy(&w->sgpr[MASK], &trial->mask, sizeof trial->mask);
}

// False if it ends with a fault.
static bool run(Machine *machine, const Loop *loop, const Trial *trial) {
  Wavefront *w = &machine->wave;
  memcpy(memory, trial->memory, sizeof trial->memory);
  set_registers(w, loop, trial);
  w->scc = true;
  turns = machine_run(machine, trial->exec, trial->turn);
  return turns;
}

static void compare(Machine *a, Machine *b, const Loop *loop, const Trial *trial, int i) {
  static uint8_t left[BYTES];
  cr_assert(run(a, loop, trial), "%s: %s", loop->name, a->thread.fault.text);
  const int others_had_turns = turns;
  memcpy(left, memory, sizeof left);
  cr_assert(run(b, loop, trial), "%s: %s", loop->name, b->thread.fault.text);
  cr_assert(eq(int, turns, others_had_turns), "%s, trial %d", loop->name, i);
  cr_assert(zero(int, memcmp(left, memory, sizeof left)), "%s, trial %d", loop->name, i);
  cr_assert(zero(int, memcmp(a->wave.sgpr, b->wave.sgpr, sizeof a->wave.sgpr)), "%s, trial %d",
            loop->name, i);
  cr_assert(all(eq(u64, a->wave.issued, b->wave.issued), eq(int, a->wave.scc, b->wave.scc)),
            "%s, trial %d", loop->name, i);
  for (int r = 0; r < REGISTERS; r++)
    for (int lane = 0; lane < LANES; lane++)
      cr_assert(eq(u32, a->wave.vgpr[r][lane], b->wave.vgpr[r][lane]), "%s, trial %d, v%d, lane %d",
                loop->name, i, r, lane);
  for (uint32_t id = 0; id < program_instruction_count(a->object.program); id++)
    cr_assert(all(eq(u64, a->thread.profile[id].executions, b->thread.profile[id].executions),
                  eq(u64, a->thread.profile[id].lanes, b->thread.profile[id].lanes)),
              "%s, trial %d, instruction %u", loop->name, i, id);
}

static uint32_t *new_code(const Loop *loop) {
  void *code, *place;
  cr_assert(eq(int, device_memory_allocate(4096, MEMORY_CODE, 0, &code), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_DEVICE, 0, &place), MEMORY_OK));
  memory = place;
  memcpy(code, loop->code, sizeof loop->code);
  return code;
}

// And each adds something.
static void let_all_meet(const Loop *loop, Trial *trial) {
  place_lanes(loop, trial);
  for (int lane = 0; lane < LANES; lane++) {
    trial->place[lane] = 0;
    trial->value[lane] = number(loop, 1 + (uint32_t)lane);
    memcpy(&trial->expected[lane], trial->memory, sizeof *trial->expected);
  }
  trial->exec = ~0ull;
  trial->mask = 0;
  trial->turn = TURN;
}

Test(cas_loop, makes_all_rounds_at_once_as_one_by_one, .timeout = 100) {
  static Trial trial;
  for (int k = 0; k < LOOPS; k++) {
    const Loop *loop = &loops[k];
    uint32_t *code = new_code(loop);
    Machine *interpreted = new_machine(code, 0), *translated = new_machine(code, 1);
    for (int i = 0; i < TRIALS; i++) {
      place_lanes(loop, &trial);
      compare(interpreted, translated, loop, &trial, i);
    }
    cr_assert(ne(ptr, machine_first(translated)->block->adds, NULL), "%s", loop->name);

    let_all_meet(loop, &trial);
    watch_handlers(translated->object.program, is_swap);
    forget_handlers();
    cr_assert(run(translated, loop, &trial));
    cr_assert(zero(int, handlers_called()), "%s", loop->name);
    machine_free(interpreted);
    machine_free(translated);
  }
}

Test(cas_loop, is_not_what_looks_like_it) {
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    uint32_t *code = new_code(&others[k]);
    Machine *machine = new_machine(code, 0);
    uint32_t count = 0;
    char message[200];
    const Instruction *first = machine_first(machine), *last = NULL;
    while (!last || !branch_of(last)) {
      last = last ? last + last->words : first;
      cr_assert(program_decode(machine->object.program, last, message, sizeof message), "%s",
                message);
      count++;
    }
    cr_assert(eq(ptr, cas_loop_of(first, count), NULL), "%s", others[k].name);
    machine_free(machine);
  }
}

// Memory that the host shares is left to each round: the host may change it.
Test(cas_loop, lets_the_host_change_memory_between_rounds) {
  static Trial trial;
  const Loop *loop = &loops[0];
  uint32_t *code = new_code(loop);
  void *place;
  Machine *translated = new_machine(code, 1);
  let_all_meet(loop, &trial);
  for (int i = 0; i < 20; i++) // until it is machine code
    cr_assert(run(translated, loop, &trial));
  cr_assert(ne(ptr, machine_first(translated)->block->adds, NULL));
  watch_handlers(translated->object.program, is_swap);
  forget_handlers();
  cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_HOST, 0, &place), MEMORY_OK));
  memory = place;
  cr_assert(run(translated, loop, &trial));
  cr_assert(lt(int, 0, handlers_called()));
  machine_free(translated);
}
