// Runs golden cases: see golden_machine.h; the text format is described in golden/casefile.py.
#include "golden_machine.h"

#include "device_memory.h"
#include "run.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- where a key of a case points ----

typedef enum { PLACE_VGPR, PLACE_SGPR, PLACE_BYTES, PLACE_OTHER } PlaceKind;

typedef struct {
  PlaceKind kind;
  uint32_t first, count; // 32-bit registers
  uint8_t *bytes;        // of a memory, in a GoldenState
} Place;

static bool register_place(const char *key, Place *place) {
  static const struct {
    const char *name;
    uint32_t first, count;
  } named[] = {{"vcc", SGPR_VCC, 2},
               {"exec", SGPR_EXEC, 2},
               {"m0", SGPR_M0, 1},
               {"flat_scratch", SGPR_FLAT_SCRATCH, 2}};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (strcmp(key, named[i].name) == 0) {
      *place = (Place){.kind = PLACE_SGPR, .first = named[i].first, .count = named[i].count};
      return true;
    }
  unsigned first, last;
  char file, end;
  if (sscanf(key, "%c[%u:%u%c", &file, &first, &last, &end) != 4) {
    if (sscanf(key, "%c%u%c", &file, &first, &end) != 2)
      return false;
    last = first;
  }
  *place = (Place){.kind = file == 's' ? PLACE_SGPR : PLACE_VGPR,
                   .first = first + (file == 'a' ? AGPR_BASE : 0),
                   .count = last - first + 1};
  return strchr("vas", file) && place->count <= 2;
}

static Place place_of(GoldenState *state, const char *key) {
  Place place = {.kind = PLACE_OTHER};
  unsigned offset;
  if (sscanf(key, "mem@%x", &offset) == 1)
    place = (Place){.kind = PLACE_BYTES, .bytes = state->memory + offset};
  else if (sscanf(key, "lds@%x", &offset) == 1)
    place = (Place){.kind = PLACE_BYTES, .bytes = state->lds + offset};
  else if (sscanf(key, "scratch@%x", &offset) == 1)
    place = (Place){.kind = PLACE_BYTES, .bytes = state->scratch + offset};
  else
    register_place(key, &place);
  return place;
}

// ---- values ----

typedef enum { VALUE_BITS, VALUE_SAME, VALUE_ANY, VALUE_NAN, VALUE_NAN16, VALUE_NEAR } ValueKind;

typedef struct {
  ValueKind kind;
  uint64_t bits;
  int width; // VALUE_NEAR: 16, 32 or 64 bits
} Value;

static Value value_of(const GoldenMachine *machine, uint64_t pc, const char *text, uint32_t count) {
  const struct {
    const char *prefix;
    uint64_t base;
  } relative[] = {{"mem+", (uint64_t)machine->memory},
                  {"page+", (uint64_t)machine->memory >> 8},
                  {"scratch+", (uint64_t)machine->scratch},
                  {"pc+", pc}};
  for (size_t i = 0; i < sizeof relative / sizeof *relative; i++) {
    size_t length = strlen(relative[i].prefix);
    if (strncmp(text, relative[i].prefix, length) == 0)
      return (Value){VALUE_BITS, relative[i].base + strtoull(text + length, NULL, 16), 0};
  }
  if (*text == '-')
    return (Value){VALUE_SAME, 0, 0};
  if (strncmp(text, "any", 3) == 0)
    return (Value){VALUE_ANY, 0, 0};
  if (strncmp(text, "nan16", 5) == 0)
    return (Value){VALUE_NAN16, 0, 16};
  if (strncmp(text, "nan", 3) == 0)
    return (Value){VALUE_NAN, 0, count == 2 ? 64 : 32};
  if (strncmp(text, "~16:", 4) == 0)
    return (Value){VALUE_NEAR, strtoull(text + 4, NULL, 16), 16};
  if (*text == '~')
    return (Value){VALUE_NEAR, strtoull(text + 1, NULL, 16), count == 2 ? 64 : 32};
  return (Value){VALUE_BITS, strtoull(text, NULL, 16), 0};
}

// Position on the line of all floats of a width: neighbours differ by 1, both zeros are 0.
static int64_t ordinal(uint64_t bits, int width) {
  uint64_t sign = 1ull << (width - 1), size = bits & (sign - 1);
  return bits & sign ? -(int64_t)size : (int64_t)size;
}

static bool is_nan(uint64_t bits, int width) {
  static const uint64_t infinity[] = {0x7c00, 0x7f800000, 0x7ff0000000000000};
  return (bits & ((1ull << (width - 1)) - 1)) > infinity[width / 32] && bits >> (width - 1) <= 1;
}

// Whether a register holds what the case asks for. SAME never gets here.
static bool accepts(Value value, uint64_t bits) {
  switch (value.kind) {
  case VALUE_ANY:
    return true;
  case VALUE_NAN:
  case VALUE_NAN16:
    return is_nan(bits, value.width);
  case VALUE_NEAR:
    return llabs(ordinal(bits, value.width) - ordinal(value.bits, value.width)) <= 1 &&
           (value.width == 64 || bits >> (value.width - 1) <= 1);
  default:
    return bits == value.bits;
  }
}

// "x*5,y" as lanes of a register, or as consecutive dwords of a memory.
enum { MAX_LIST = 512 };

typedef struct {
  const char *text[MAX_LIST];
  int count;
} List;

static List split_list(const char *text) {
  List list = {.count = 0};
  while (*text && list.count < MAX_LIST) {
    size_t length = strcspn(text, ",");
    const char *star = memchr(text, '*', length);
    for (long repeat = star ? strtol(star + 1, NULL, 10) : 1; repeat > 0 && list.count < MAX_LIST;
         repeat--)
      list.text[list.count++] = text;
    text += length + (text[length] == ',');
  }
  return list;
}

// ---- a machine ----

GoldenMachine *golden_machine_new(const GoldenFile *file) {
  GoldenMachine *machine = aligned_alloc(_Alignof(GoldenMachine), sizeof *machine);
  void *code, *memory, *scratch;
  size_t code_size = (file->count + 1) * GOLDEN_SLOT;
  setenv("EMULATOR_SANITIZE", "2", 1); // an access that is not allowed is a fault
  if (!machine || device_memory_allocate(code_size, MEMORY_CODE, 0, &code) != MEMORY_OK ||
      device_memory_allocate(GOLDEN_MEMORY, MEMORY_DEVICE, 0, &memory) != MEMORY_OK ||
      device_memory_allocate(GOLDEN_PRIVATE * LANES, MEMORY_RUNTIME, 0, &scratch) != MEMORY_OK)
    cr_fatal("no memory for the cases of %s", file->path);
  memset(machine, 0, sizeof *machine);
  machine->file = file;
  machine->code = (uint64_t)code;
  machine->memory = memory;
  machine->scratch = scratch;
  for (size_t i = 0; i < code_size; i += 4)
    memcpy((uint8_t *)code + i, &(uint32_t){0xbf800000}, 4); // s_nop 0
  for (size_t i = 0; i < file->count; i++)
    memcpy((uint8_t *)code + i * GOLDEN_SLOT + GOLDEN_SLOT_BEGIN, file->cases[i].code,
           file->cases[i].code_size);
  machine->object = (CodeObject){.text_address = machine->code, .text_size = code_size};
  if (!program_open(&machine->object))
    cr_fatal("LLVM has no AMDGPU target");
  machine->kernel = (Kernel){.object = &machine->object, .name = "golden", .entry = machine->code};
  machine->launch = (Launch){.kernel = &machine->kernel, .grid = {1, 1, 1}, .block = {64, 1, 1}};
  machine->thread.launch = &machine->launch;
  machine->thread.program = machine->object.program;
  machine->thread.budget = 1000;
  machine->thread.profile =
      calloc(program_slots(machine->object.program) + 1, sizeof *machine->thread.profile);
  machine->group.lds = machine->lds;
  machine->group.waves = &machine->wave;
  machine->group.size[0] = 64;
  machine->group.size[1] = machine->group.size[2] = 1;

  GoldenState *pattern = &machine->pattern;
  pattern->mode = 0xf0; // rounds to nearest, keeps denormals
  for (uint32_t r = 0; r < 512; r++)
    for (uint32_t lane = 0; lane < LANES; lane++)
      pattern->vgpr[r][lane] = 0x9e3779b1u * (r * 64 + lane + 1);
  for (uint32_t r = 0; r < SGPR_COUNT; r++)
    pattern->sgpr[r] = 0x9e3779b1u * ((512 + r) * 64 + 1);
  for (uint32_t i = 0; i < DEVICE_LDS_BYTES; i++)
    pattern->lds[i] = (uint8_t)(0x9e3779b1u * (i + 1) >> 13);
  memcpy(pattern->memory, pattern->lds, sizeof pattern->memory);
  memcpy(pattern->scratch, pattern->lds, sizeof pattern->scratch);
  return machine;
}

void golden_machine_free(GoldenMachine *machine) {
  free(machine->wave.trace.word);
  program_close(&machine->object);
  free(machine->thread.profile);
  free(machine->thread.footprints);
  free(machine->thread.lds_patterns);
  free(machine);
}

// element: lane of a vector register, dword of a memory.
static void store(GoldenState *state, Place place, int element, uint64_t bits) {
  if (place.kind == PLACE_BYTES)
    memcpy(place.bytes + 4 * element, &(uint32_t){(uint32_t)bits}, 4);
  for (uint32_t i = 0; i < place.count; i++) {
    uint32_t word = (uint32_t)(bits >> (32 * i));
    if (place.kind == PLACE_SGPR)
      state->sgpr[place.first + i] = word;
    else
      state->vgpr[place.first + i][element] = word;
  }
}

static uint64_t load(const GoldenState *state, Place place, int element) {
  uint64_t bits = 0;
  if (place.kind == PLACE_BYTES)
    memcpy(&bits, place.bytes + 4 * element, 4);
  for (uint32_t i = 0; i < place.count; i++)
    bits |= (uint64_t)(place.kind == PLACE_SGPR ? state->sgpr[place.first + i]
                                                : state->vgpr[place.first + i][element])
            << (32 * i);
  return bits;
}

static int elements(Place place, const List *list) {
  return place.kind == PLACE_VGPR ? LANES : place.kind == PLACE_SGPR ? 1 : list->count;
}

static void to_machine(GoldenMachine *machine, const GoldenState *state) {
  Wavefront *w = &machine->wave;
  memcpy(w->vgpr, state->vgpr, sizeof w->vgpr);
  memcpy(w->sgpr, state->sgpr, sizeof w->sgpr);
  memcpy(machine->memory, state->memory, sizeof state->memory);
  memcpy(machine->lds, state->lds, machine->group.lds_bytes);
  memcpy(machine->scratch, state->scratch, sizeof state->scratch);
  w->scc = state->scc;
  w->gpr_index_mode = state->index_mode;
  w->mode = state->mode;
}

static void from_machine(const GoldenMachine *machine, GoldenState *state) {
  const Wavefront *w = &machine->wave;
  memcpy(state->vgpr, w->vgpr, sizeof w->vgpr);
  memcpy(state->sgpr, w->sgpr, sizeof w->sgpr);
  memcpy(state->memory, machine->memory, sizeof state->memory);
  memcpy(state->lds, machine->lds, sizeof state->lds);
  memcpy(state->scratch, machine->scratch, sizeof state->scratch);
  state->scc = w->scc;
  state->index_mode = w->gpr_index_mode;
  state->mode = w->mode;
}

// ---- one case ----

static uint64_t case_address(const GoldenMachine *machine, size_t index) {
  return machine->code + index * GOLDEN_SLOT + GOLDEN_SLOT_BEGIN;
}

__attribute__((format(printf, 3, 4))) static bool differs(const GoldenMachine *machine,
                                                          size_t index, const char *format, ...) {
  const GoldenCase *one = &machine->file->cases[index];
  fprintf(stderr, "%s:%d: %s: ", machine->file->path, one->line, one->instruction);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return false;
}

static void prepare(GoldenMachine *machine, size_t index) {
  const GoldenCase *one = &machine->file->cases[index];
  GoldenState *state = &machine->expected;
  *state = machine->pattern;
  machine->group.lds_bytes = machine->launch.lds_bytes = GOLDEN_LDS;
  machine->group.wave_count = 1;
  machine->launch.cooperative = false;
  machine->kernel.accum_offset = AGPR_BASE;
  for (size_t i = 0; i < one->before_count; i++) {
    const char *key = one->before[i].key, *value = golden_list(machine->file, one->before[i].value);
    Place place = place_of(state, key);
    List list = split_list(value);
    if (strcmp(key, "scc") == 0)
      state->scc = *value == '1';
    else if (strcmp(key, "index") == 0)
      state->index_mode = (uint8_t)strtoul(value, NULL, 16);
    else if (strcmp(key, "mode") == 0)
      state->mode = (uint32_t)strtoul(value, NULL, 16);
    else if (strcmp(key, "group") == 0)
      machine->group.lds_bytes = machine->launch.lds_bytes = (uint32_t)strtoul(value, NULL, 16);
    else if (strcmp(key, "vgprs") == 0)
      machine->kernel.accum_offset = (uint32_t)strtoul(value, NULL, 16);
    else if (strcmp(key, "cooperative") == 0)
      machine->launch.cooperative = *value == '1';
    else if (place.kind == PLACE_OTHER)
      cr_fatal("%s:%d: what is %s?", machine->file->path, one->line, key);
    machine->kernel.allocated_vgprs = machine->kernel.accum_offset + AGPR_BASE;
    for (int k = 0; place.kind != PLACE_OTHER && k < elements(place, &list); k++) {
      const char *text = list.text[k % list.count];
      store(state, place, k, value_of(machine, case_address(machine, index), text, 0).bits);
    }
  }
  to_machine(machine, state);
  const Instruction *in = program_at(machine->object.program, case_address(machine, index));
  if (in->execute) // it ran before
    memset(&machine->thread.profile[in->id], 0, sizeof *machine->thread.profile);
}

static FaultKind step(GoldenMachine *machine, size_t index) {
  Wavefront *w = &machine->wave;
  w->thread = &machine->thread;
  w->group = &machine->group;
  w->state = WAVE_RUNNING;
  w->issued = 0;
  w->scratch = machine->scratch;
  w->scratch_bytes = GOLDEN_PRIVATE * LANES;
  w->trace.count = 0;
  w->trace.used = (Uses){0};
  w->expanded_exec = 0;
  memset(w->exec_lanes, 0, sizeof w->exec_lanes);
  w->next = program_at(machine->object.program, case_address(machine, index));
  machine->thread.fault = (Fault){.kind = FAULT_NONE};
  if (setjmp(machine->thread.on_fault) == 0)
    wavefront_run(w, 1);
  return machine->thread.fault.kind;
}

// Checks one item of the state after, and makes `expected` agree where it holds.
static bool check_item(GoldenMachine *machine, size_t index, const GoldenItem *item,
                       const GoldenState *got) {
  GoldenState *expected = &machine->expected;
  Place place = place_of(expected, item->key);
  List list = split_list(item->value);
  int count = elements(place, &list);
  if (list.count != count)
    cr_fatal("%s:%d: %s lists %d values", machine->file->path, machine->file->cases[index].line,
             item->key, list.count);
  Place there = place; // the same place in `got`
  if (place.kind == PLACE_BYTES)
    there.bytes = (uint8_t *)got + (place.bytes - (uint8_t *)expected);
  for (int k = 0; k < count; k++) {
    Value value = value_of(machine, case_address(machine, index), list.text[k], place.count);
    uint64_t bits = load(got, there, k);
    if (value.kind == VALUE_SAME)
      continue;
    if (!accepts(value, bits))
      return differs(machine, index, "%s lane (or dword) %d: expected %.*s, got %llx", item->key, k,
                     (int)strcspn(list.text[k], ",*"), list.text[k], (unsigned long long)bits);
    store(expected, place, k, bits);
  }
  return true;
}

static bool check_unnamed(const GoldenMachine *machine, size_t index, const GoldenState *got) {
  const GoldenState *expected = &machine->expected;
  for (int r = 0; r < 512; r++)
    if (memcmp(got->vgpr[r], expected->vgpr[r], sizeof got->vgpr[r]))
      for (int lane = 0; lane < LANES; lane++)
        if (got->vgpr[r][lane] != expected->vgpr[r][lane])
          return differs(machine, index, "%c%d lane %d must stay %x, got %x",
                         r < AGPR_BASE ? 'v' : 'a', r % AGPR_BASE, lane, expected->vgpr[r][lane],
                         got->vgpr[r][lane]);
  for (int r = 0; r < SGPR_COUNT; r++)
    if (got->sgpr[r] != expected->sgpr[r])
      return differs(machine, index, "s%d must stay %x, got %x", r, expected->sgpr[r],
                     got->sgpr[r]);
  if (got->scc != expected->scc)
    return differs(machine, index, "scc: expected %d", expected->scc);
  if (got->index_mode != expected->index_mode)
    return differs(machine, index, "index mode: expected %x, got %x", expected->index_mode,
                   got->index_mode);
  if (got->mode != expected->mode)
    return differs(machine, index, "mode: expected %x, got %x", expected->mode, got->mode);
  const struct {
    const char *name;
    const uint8_t *got, *expected;
    size_t size;
  } memory[] = {{"mem", got->memory, expected->memory, sizeof got->memory},
                {"lds", got->lds, expected->lds, machine->group.lds_bytes},
                {"scratch", got->scratch, expected->scratch, sizeof got->scratch}};
  for (size_t m = 0; m < sizeof memory / sizeof *memory; m++)
    for (size_t i = 0; i < memory[m].size; i++)
      if (memory[m].got[i] != memory[m].expected[i])
        return differs(machine, index, "byte %s@%zx must be %02x, got %02x", memory[m].name, i,
                       memory[m].expected[i], memory[m].got[i]);
  return true;
}

// ---- time ----

enum { TIME_VALU, TIME_MATRIX, TIME_SCALAR, TIME_LDS, TIME_PORT, TIME_CONFLICTS, TIMES };
static const char *const time_key[] = {"valu",    "matrix",   "scalar",
                                       "lds_clk", "lds_port", "conflicts"};

// Which time a key names, TIMES if none.
static int time_of(const char *key) {
  int t = 0;
  while (t < TIMES && strcmp(key, time_key[t]) != 0)
    t++;
  return t;
}

// What the instruction told the memory model, which makes time of it, and the counters.
static bool check_times(const GoldenMachine *machine, size_t index) {
  const GoldenCase *one = &machine->file->cases[index];
  const Trace *trace = &machine->wave.trace;
  const InstructionProfile *profile = &machine->thread.profile[machine->wave.in->id];
  uint64_t expected[TIMES + 1] = {0};
  static const Use use_of[] = {
      [TIME_VALU] = USE_VALU, [TIME_MATRIX] = USE_MATRIX, [TIME_SCALAR] = USE_SCALAR};
  uint64_t got[TIMES] = {[TIME_CONFLICTS] = profile->lds_conflicts};
  for (int t = TIME_VALU; t <= TIME_SCALAR; t++)
    got[t] = trace->used[use_of[t]];
  for (uint32_t i = 0; i < trace->count; i++) {
    uint64_t header = trace->word[i];
    for (int t = TIME_VALU; t <= TIME_SCALAR; t++)
      got[t] += trace_used(header, use_of[t]);
    if (trace_kind(header) == EVENT_LDS) {
      got[TIME_LDS] += trace_lds_clocks(trace_payload(header));
      got[TIME_PORT] += trace_lds_port(trace_payload(header));
    }
    i += trace_kind(header) == EVENT_MEMORY ? 1 + trace_payload(header) : 0;
  }
  for (size_t i = 0; i < one->after_count; i++)
    expected[time_of(one->after[i].key)] = strtoull(one->after[i].value, NULL, 16);
  for (int t = 0; t < TIMES; t++)
    if (got[t] != expected[t])
      return differs(machine, index, "%s: expected %llx, got %llx", time_key[t],
                     (unsigned long long)expected[t], (unsigned long long)got[t]);
  if (profile->lds_clocks != got[TIME_LDS])
    return differs(machine, index, "the counter says %llx clk of the LDS, the trace %llx",
                   (unsigned long long)profile->lds_clocks, (unsigned long long)got[TIME_LDS]);
  return true;
}

// ---- control ----

// fault=, state=, pc=, scc=, index=, mode=: what is no register and no memory.
static bool check_control(GoldenMachine *machine, size_t index, FaultKind fault) {
  static const char *const fault_name[] = {
      [FAULT_NONE] = "none",       [FAULT_ADDRESS] = "address",         [FAULT_LDS] = "lds",
      [FAULT_SCRATCH] = "scratch", [FAULT_INSTRUCTION] = "instruction", [FAULT_GAP] = "gap",
      [FAULT_BUDGET] = "budget",   [FAULT_BARRIER] = "barrier",         [FAULT_HOST] = "host",
      [FAULT_TRAP] = "trap",       [FAULT_SANITIZER] = "sanitizer"};
  static const char *const state_name[] = {[WAVE_RUNNING] = "running",
                                           [WAVE_AT_BARRIER] = "barrier",
                                           [WAVE_AT_GRID_BARRIER] = "grid",
                                           [WAVE_DONE] = "done"};
  const GoldenCase *one = &machine->file->cases[index];
  const char *wanted_fault = "none", *wanted_state = "running";
  long pc = 0;
  for (size_t i = 0; i < one->after_count; i++) {
    const char *key = one->after[i].key, *value = one->after[i].value;
    if (strcmp(key, "fault") == 0)
      wanted_fault = value;
    else if (strcmp(key, "state") == 0)
      wanted_state = value;
    else if (strcmp(key, "pc") == 0)
      pc = strtol(value, NULL, 10);
    else if (strcmp(key, "scc") == 0)
      machine->expected.scc = *value == '1';
    else if (strcmp(key, "index") == 0)
      machine->expected.index_mode = (uint8_t)strtoul(value, NULL, 16);
    else if (strcmp(key, "mode") == 0)
      machine->expected.mode = (uint32_t)strtoul(value, NULL, 16);
    else if (time_of(key) == TIMES && place_of(&machine->expected, key).kind == PLACE_OTHER)
      cr_fatal("%s:%d: what is %s?", machine->file->path, one->line, key);
  }
  if (strcmp(wanted_fault, fault_name[fault]) != 0)
    return differs(machine, index, "expected fault %s, got %s: %s", wanted_fault, fault_name[fault],
                   machine->thread.fault.text);
  if (fault != FAULT_NONE)
    return true;
  if (strcmp(wanted_state, state_name[machine->wave.state]) != 0)
    return differs(machine, index, "expected state %s, got %s", wanted_state,
                   state_name[machine->wave.state]);
  uint64_t next = case_address(machine, index) + one->code_size + 4 * (uint64_t)pc;
  if (machine->wave.next != program_at(machine->object.program, next))
    return differs(machine, index, "the next instruction is %lld words off",
                   (long long)(machine->wave.next - program_at(machine->object.program, next)));
  return true;
}

bool golden_run(GoldenMachine *machine, size_t index) {
  const GoldenCase *one = &machine->file->cases[index];
  static GoldenState got; // 200 KiB: too much for a stack
  prepare(machine, index);
  FaultKind fault = step(machine, index);
  if (!check_control(machine, index, fault))
    return false;
  if (fault != FAULT_NONE)
    return true;
  if (!check_times(machine, index))
    return false;
  from_machine(machine, &got);
  for (size_t i = 0; i < one->after_count; i++)
    if (place_of(&machine->expected, one->after[i].key).kind != PLACE_OTHER &&
        !check_item(machine, index, &one->after[i], &got))
      return false;
  return check_unnamed(machine, index, &got);
}
