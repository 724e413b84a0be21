// Instructions that machine code does for the whole wave, stores, updates of LDS, loads from LDS lane by lane and permutes, against
// the interpreter: lanes that follow each other, lie anywhere, meet at one place, are off, lie outside or odd.
//
// In: one block with every such instruction, run until it is machine code of the better kind. Out: both engines leave the
// same registers, LDS, memory and faults; handlers are called for lanes that may not go where they want, and for no others.
#include "block_machine.h"
#include "global_span.h"

// Operands of an instruction: what it reads besides its address, and how many dwords it returns.
typedef struct {
  enum { DS, OFFSETS, WHOLE } unit; // GLOBAL: offsets to a scalar base, or whole addresses
  uint8_t operation, bytes, data, returned;
  bool pair; // of places
  bool odd;  // need not be aligned
} Form;

// DS: CDNA2 ISA guide, 13.3; GLOBAL: 13.6.
#define UPDATE(OPERATION, BYTES)                                                                   \
  {DS, OPERATION, BYTES, 1, 0, false, false}, {                                                    \
    DS, (OPERATION) + 32, BYTES, 1, (BYTES) / 4, false, false                                      \
  }
#define PLAIN(OPERATION, BYTES, DATA, RETURNED)                                                    \
  { DS, OPERATION, BYTES, DATA, RETURNED, false, true }
#define PAIR(OPERATION, BYTES, DATA, RETURNED)                                                     \
  { DS, OPERATION, BYTES, DATA, RETURNED, true, true }
#define STORE(OPERATION, BYTES)                                                                    \
  {OFFSETS, OPERATION, BYTES, 1, 0, false, false}, { WHOLE, OPERATION, BYTES, 1, 0, false, false }
static const Form forms[] = {
    // add, sub, min and max with sign and without, and, or, xor, add of floats, exchange, compare and swap
    UPDATE(0, 4),
    UPDATE(1, 4),
    UPDATE(5, 4),
    UPDATE(6, 4),
    UPDATE(7, 4),
    UPDATE(8, 4),
    UPDATE(9, 4),
    UPDATE(10, 4),
    UPDATE(11, 4),
    UPDATE(21, 4),
    UPDATE(64, 8),
    UPDATE(65, 8),
    UPDATE(69, 8),
    UPDATE(70, 8),
    UPDATE(71, 8),
    UPDATE(72, 8),
    UPDATE(73, 8),
    UPDATE(74, 8),
    UPDATE(75, 8),
    UPDATE(92, 8),
    {DS, 45, 4, 1, 1, false, false},
    {DS, 109, 8, 1, 2, false, false},
    {DS, 16, 4, 2, 0, false, false},
    {DS, 48, 4, 2, 1, false, false},
    {DS, 80, 8, 2, 0, false, false},
    {DS, 112, 8, 2, 2, false, false},
    // bpermute
    PLAIN(63, 1, 1, 1),
    // stores of bytes, halves, of high halves; of one to four dwords; two of them
    PLAIN(30, 1, 1, 0),
    PLAIN(31, 2, 1, 0),
    PLAIN(84, 1, 1, 0),
    PLAIN(85, 2, 1, 0),
    PLAIN(13, 4, 1, 0),
    PLAIN(77, 8, 1, 0),
    PLAIN(222, 12, 1, 0),
    PLAIN(223, 16, 1, 0),
    PAIR(14, 4, 2, 0),
    PAIR(15, 4, 2, 0),
    PAIR(78, 8, 2, 0),
    PAIR(79, 8, 2, 0),
    // loads of bytes and halves, into halves; of three dwords
    PLAIN(57, 1, 0, 1),
    PLAIN(58, 1, 0, 1),
    PLAIN(59, 2, 0, 1),
    PLAIN(60, 2, 0, 1),
    PLAIN(86, 1, 0, 1),
    PLAIN(87, 1, 0, 1),
    PLAIN(88, 1, 0, 1),
    PLAIN(89, 1, 0, 1),
    PLAIN(90, 2, 0, 1),
    PLAIN(91, 2, 0, 1),
    PLAIN(254, 12, 0, 3),
    // stores to memory, the same
    STORE(24, 1),
    STORE(25, 1),
    STORE(26, 2),
    STORE(27, 2),
    STORE(28, 4),
    STORE(29, 8),
    STORE(30, 12),
    STORE(31, 16)};
#undef UPDATE
#undef PLAIN
#undef PAIR
#undef STORE
enum { FORMS = sizeof forms / sizeof *forms };

// VGPRs: an address of each form, of whole ones the high halves behind all of them; data; results; lanes that were loaded by a
// register that they then overwrite.
enum {
  HIGHS = FORMS,
  DATA = HIGHS + 8,
  DATA_WORDS = 8,
  RESULTS = DATA + DATA_WORDS,
  REGISTERS = 256
};
enum { BASE = 10 }; // s[10:11]
enum { ASKED = 8192, BYTES = 65536, WARM = 40, TRIALS = 1000, LONGEST = 4096 };

static uint8_t *memory;

// ---- the block ----

static uint32_t *write_form(uint32_t *at, const Form *form, uint32_t address, uint32_t to) {
  const uint32_t data = form->data ? DATA : 0, second = form->data > 1 ? DATA + 4 : 0;
  if (form->unit == DS) {
    *at++ = 0x36u << 26 | (uint32_t)form->operation << 17 | (form->pair ? 1 | 2u << 8 : 24u);
    *at++ = (form->returned ? to : 0) << 24 | second << 16 | data << 8 | address;
    return at;
  }
  *at++ = 0xdc008000 | (uint32_t)form->operation << 18 |
          (uint32_t)(form->unit == OFFSETS ? 32 : -32 & 0x1fff);
  *at++ = data << 8 | address | (form->unit == OFFSETS ? BASE : 0x7fu) << 16;
  return at;
}

// Whole addresses are formed in two registers side by side: v_mov_b32 of the low half and the high one.
static uint32_t *write_whole(uint32_t *at, uint32_t low, uint32_t high) {
  *at++ = 0x7e000200 | (REGISTERS - 2) << 17 | (256 + low);
  *at++ = 0x7e000200 | (REGISTERS - 1) << 17 | (256 + high);
  return at;
}

static size_t write_code(uint32_t *code) {
  uint32_t *at = code, to = RESULTS, high = HIGHS;
  for (uint32_t i = 0; i < FORMS; i++) {
    const bool whole = forms[i].unit == WHOLE;
    if (whole)
      at = write_whole(at, i, high++);
    at = write_form(at, &forms[i], whole ? REGISTERS - 2 : i, to);
    to += forms[i].returned;
  }
  cr_assert(le(u32, high, DATA));
  cr_assert(le(u32, to, REGISTERS - 2));
  *at++ = 0xbf820000; // s_branch to the next
  *at++ = 0xbf810000; // s_endpgm
  return (size_t)(at - code) * sizeof *code;
}

// ---- where lanes go ----

typedef struct {
  int64_t byte[FORMS][LANES]; // from the begin of LDS or of memory on
  uint32_t data[DATA_WORDS][LANES];
  uint64_t exec;
  int64_t base; // of what has offsets, from the begin of memory on
} Trial;

static uint32_t alignment_of(const Form *form) {
  return form->unit != DS && form->bytes > 4 ? 4 : form->odd ? 1 : form->bytes;
}

// Side by side, at one place, in four groups, of which each is where the others are, anywhere. The last one is never side by side: what
// it went to only the code that was left knows.
static void place_inside(Trial *trial, uint32_t f) {
  const Form *form = &forms[f];
  const uint32_t bytes = form->bytes, alignment = alignment_of(form), most = ASKED - 1200,
                 begin = 64 + random_word() % 2048 / alignment * alignment,
                 shape = f == FORMS - 1 ? 4 : random_word() % 5;
  for (uint32_t lane = 0; lane < LANES; lane++)
    trial->byte[f][lane] = shape == 0   ? begin + lane * bytes
                           : shape == 1 ? begin
                           : shape == 2 ? begin + lane / 16 * 160 + lane % 16 * bytes
                           : shape == 3 ? begin + lane % 16 * bytes
                                        : 64 + random_word() % most / alignment * alignment;
  if (shape == 0 && random_word() % 2) // but for one
    trial->byte[f][random_word() % LANES] = begin + random_word() % 8 * 16;
}

// How many lanes are on: of few the machine code stores to memory by itself, of more the handlers do, which is faster.
typedef enum { ALL_ON, SOME_OFF, FEW_ON } Way;

static uint64_t lanes_on(Way way) {
  static const uint64_t special[] = {1ull << 63, 0xffff, 0};
  const uint64_t any = (uint64_t)random_word() << 33 ^ (uint64_t)random_word() << 15;
  uint64_t few = 0;
  for (int lane = 0; lane < GLOBAL_FEW; lane++)
    few |= 1ull << random_word() % LANES;
  return way == ALL_ON       ? ~0ull
         : way == FEW_ON     ? few
         : random_word() % 2 ? any
         : random_word() % 2 ? any & any >> 21
                             : special[random_word() % 3];
}

// Floats without NaN, of which hosts keep one or the other; values that LDS may have, for compare and swap.
static void place_all(Trial *trial, Way way) {
  for (uint32_t f = 0; f < FORMS; f++)
    place_inside(trial, f);
  for (int i = 0; i < DATA_WORDS; i++)
    for (int lane = 0; lane < LANES; lane++)
      trial->data[i][lane] = random_word() % 3 ? random_word() & 0xbfffffff : 0x01010101;
  trial->base = random_word() % 2 ? -4096 : 48;
  trial->exec = lanes_on(way);
}

// Low halves of addresses follow each other, high ones are not alike.
static void place_apart_by_high_halves(Trial *trial, uint32_t f, uint32_t first) {
  for (uint32_t lane = 0; lane < LANES; lane++)
    trial->byte[f][lane] = 1024 + lane * forms[f].bytes + (lane < first ? 0 : 1ll << 32);
}

// One lane of one instruction, or many. Negative places in LDS wrap behind its end.
static void place_outside(Trial *trial) {
  static const int64_t in_lds[] = {ASKED - 1, ASKED, -48, -1, ASKED + 4096, 1 << 20},
                       in_memory[] = {BYTES, BYTES + 4096, -4096, 1ll << 33, -(1ll << 32)};
  const uint32_t f = random_word() % FORMS, first = random_word() % LANES,
                 many = random_word() % 2 ? 1 : LANES;
  if (random_word() % 8 == 0) {
    place_apart_by_high_halves(trial, FORMS - 1 - random_word() % 8 * 2, first);
    return;
  }
  for (uint32_t lane = first; lane < first + many && lane < LANES; lane++)
    trial->byte[f][lane] =
        forms[f].unit == DS ? in_lds[random_word() % 6] : in_memory[random_word() % 5];
}

// ---- both engines ----

static void fill(uint8_t *to, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i++)
    to[i] = i % 7 ? (uint8_t)(i * 0x9e3779b1u >> 13) & 0xbf : 1;
}

static void set_registers(Wavefront *w, const Trial *trial) {
  const uint64_t begin = (uint64_t)memory, base = begin + (uint64_t)trial->base;
  uint32_t high = HIGHS;
  for (uint32_t r = 0; r < REGISTERS; r++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      w->vgpr[r][lane] = r * LANES + lane;
  memcpy(w->vgpr[DATA], trial->data, sizeof trial->data);
  for (uint32_t f = 0; f < FORMS; f++, high += forms[f - 1].unit == WHOLE)
    for (uint32_t lane = 0; lane < LANES; lane++) {
      const uint64_t address = begin + (uint64_t)trial->byte[f][lane];
      w->vgpr[f][lane] = forms[f].unit == DS        ? (uint32_t)trial->byte[f][lane]
                         : forms[f].unit == OFFSETS ? (uint32_t)(address - base)
                                                    : (uint32_t)address;
      if (forms[f].unit == WHOLE)
        w->vgpr[high][lane] = (uint32_t)(address >> 32);
    }
  memcpy(&w->sgpr[BASE], &base, sizeof base);
}

// False if it ends with a fault.
static bool run(Machine *machine, const Trial *trial) {
  set_registers(&machine->wave, trial);
  fill(machine->group.lds, ASKED);
  fill(memory, BYTES);
  return machine_run(machine, trial->exec, 1000);
}

static bool compare(Machine *a, Machine *b, const Trial *trial, int number) {
  static uint8_t left[BYTES];
  const bool ends = run(a, trial);
  memcpy(left, memory, BYTES);
  cr_assert(eq(int, run(b, trial), ends), "trial %d: %s%s", number, a->thread.fault.text,
            b->thread.fault.text);
  cr_assert(eq(str, a->thread.fault.text, b->thread.fault.text), "trial %d", number);
  for (int r = 0; r < REGISTERS; r++)
    for (int lane = 0; lane < LANES; lane++)
      cr_assert(eq(u32, a->wave.vgpr[r][lane], b->wave.vgpr[r][lane]), "trial %d, v%d, lane %d",
                number, r, lane);
  for (int i = 0; i < ASKED; i++)
    cr_assert(eq(u8, a->group.lds[i], b->group.lds[i]), "trial %d, byte %d of LDS", number, i);
  for (int i = 0; i < BYTES; i++)
    cr_assert(eq(u8, left[i], memory[i]), "trial %d, byte %d of memory", number, i);
  return ends;
}

// Each access to memory of more than a byte tells of it, once, in either engine.
static void compare_misaligned(Machine *a, Machine *b, Way way) {
  static Trial trial;
  int told = 0, wide = 0;
  place_all(&trial, way);
  trial.exec |= 1;
  for (int f = 0; f < FORMS; f++) {
    wide += forms[f].unit != DS && forms[f].bytes > 1;
    for (int lane = 0; lane < LANES; lane++)
      trial.byte[f][lane] += forms[f].unit != DS;
  }
  cr_assert(compare(a, b, &trial, WARM));
  for (uint32_t id = 0; id < program_instruction_count(a->object.program); id++) {
    const bool was_told = !program_first_notice(a->object.program, id);
    cr_assert(eq(int, !program_first_notice(b->object.program, id), was_told), "id %u", id);
    told += was_told;
  }
  cr_assert(eq(int, told, wide));
}

static bool touches(const Instruction *in) {
  return in->info->unit == UNIT_LDS || in->info->unit == UNIT_GLOBAL;
}

static int handlers_expected(Way way) {
  int count = 0;
  for (int f = 0; f < FORMS; f++)
    count += way == SOME_OFF && forms[f].unit != DS;
  return count;
}

static void compare_engines(Way way) {
  static Trial trial;
  void *code, *place;
  cr_assert(eq(int, device_memory_allocate(LONGEST, MEMORY_CODE, 0, &code), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_DEVICE, 0, &place), MEMORY_OK));
  memory = place;
  const size_t bytes = write_code(code);
  Machine *interpreted = machine_new(code, bytes, ASKED, 0),
          *translated = machine_new(code, bytes, ASKED, 1);
  for (int i = 0; i < WARM + TRIALS; i++) {
    place_all(&trial, way);
    cr_assert(compare(interpreted, translated, &trial, i), "%s", interpreted->thread.fault.text);
    if (i == 0)
      watch_handlers(translated->object.program, touches);
    if (i == WARM)
      forget_handlers();
  }
  const int variant = BLOCK_UNCOUNTED | (way == ALL_ON ? BLOCK_ALL_LANES : 0);
  cr_assert(machine_translated(translated, variant));
  cr_assert(eq(int, handlers_called(), handlers_expected(way)));
  compare_misaligned(interpreted, translated, way);
  int faults = 0;
  for (int i = 0; i < TRIALS; i++) {
    place_all(&trial, way);
    place_outside(&trial);
    faults += !compare(interpreted, translated, &trial, WARM + TRIALS + i);
  }
  cr_assert(lt(int, TRIALS / 8, faults));
  cr_assert(lt(int, FORMS / 2, handlers_called()));
  machine_free(interpreted);
  machine_free(translated);
}

Test(block_wave, all_lanes_as_the_interpreter_does) { compare_engines(ALL_ON); }
Test(block_wave, some_lanes_as_the_interpreter_does) { compare_engines(SOME_OFF); }
Test(block_wave, few_lanes_as_the_interpreter_does) { compare_engines(FEW_ON); }
