// The fuzzer's target: see target.h.
#define _GNU_SOURCE // memfd_create
#include "target.h"

#include "code_object_load.h"
#include "device_memory.h"
#include "dispatch.h"
#include "launch_plan.h"
#include "parameters.h"
#include "program.h"
#include "run.h"
#include "settings.h"
#include "shadow.h"

#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUDGET "500" // instructions of a wave: more is an endless loop
#define SMALL_DEVICE "compute_units=2 l2_channels=2 l2_bytes=65536" // soon made
enum { MEMORY = 4096, MOST_CODE = 512, LDS = 4096 };

static uint8_t *device_block(void) {
  static void *block;
  if (!block && device_memory_allocate(MEMORY, MEMORY_DEVICE, 0, &block) != MEMORY_OK)
    abort();
  return block;
}

// ---- code objects ----

// Arguments are pointers to themselves.
static uint8_t *kernel_arguments(void) {
  uint64_t *segment = (uint64_t *)device_block();
  for (int i = 0; i < MEMORY / 8; i++)
    segment[i] = (uint64_t)segment;
  return (uint8_t *)segment;
}

static void launch(const Kernel *kernel) {
  static Counters counters;
  static Fault fault;
  Launch asked = {
      .kernel = kernel,
      .grid = {2, 1, 1},
      .block = {kernel->max_workgroup_size < 96 ? kernel->max_workgroup_size : 96, 1, 1},
      .kernarg = kernel_arguments(),
      .modelled = true};
  launch_plan(&asked);
  // Kernels without code are refused when they are launched, before dispatch.
  if (kernel->code_size && kernel->kernarg_size <= MEMORY && asked.block[0] &&
      asked.workgroups_per_cu)
    dispatch_run(&asked, &counters, &fault, NULL);
}

static void load_object(const uint8_t *bytes, size_t size) {
  char message[512];
  bool no_binary;
  uint8_t *exact = malloc(size ? size : 1); // so that one byte too far is seen
  memcpy(exact, bytes, size);
  CodeObject *object =
      size ? code_object_load(exact, size, message, sizeof message, &no_binary) : NULL;
  free(exact);
  for (size_t i = 0; object && i < object->kernel_count && i < 4; i++)
    launch(&object->kernels[i]);
  if (!object)
    return;
  program_close(object);
  code_object_unload(object);
}

// ---- devices ----

static void read_ini(const uint8_t *text, size_t size) {
  char path[64], message[512];
  Parameters parameters;
  int file = memfd_create("device", 0);
  if (file < 0 || write(file, text, size) != (ssize_t)size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  setenv("EMULATOR_DEVICE", path, 1);
  parameters_read(&parameters, message, sizeof message);
  unsetenv("EMULATOR_DEVICE");
  close(file);
}

// ---- machine code ----

typedef struct {
  CodeObject object;
  Kernel kernel;
  Launch launch;
  HostThread thread;
  Workgroup group;
  Wavefront wave;
  uint8_t lds[DEVICE_LDS_BYTES + LDS_BEHIND], scratch[64 * LANES];
  Shadow *shadow;
  GroupShadow *group_shadow;
} Machine;

// What the wave begins with: 16 kinds of registers, and how far apart lanes are, because translated loads and
// stores differ by that. The bits of an input's choice behind the kind mean 16: not traced, 32: sanitized,
// 64: nobody wants to know what loads cost.
enum { REGISTER_KINDS = 16, LANES_APART = 4, ALL_LANES = 8, SOME_LANES = 3 };
typedef struct {
  uint32_t vgpr[512][LANES], sgpr[SGPR_COUNT];
  uint64_t exec;
} Registers;

// libFuzzer learns nothing from what is the same in every input.
#ifdef __clang__
#define UNWATCHED __attribute__((no_sanitize("coverage", "address", "undefined")))
#else
#define UNWATCHED
#endif

// Bytes from the first lane's place to this one's: aside, side by side, all at one place, anywhere.
UNWATCHED static uint32_t lane_offset(int lane, int apart) {
  const uint32_t offset[LANES_APART] = {16u * (uint32_t)lane, 4u * (uint32_t)lane, 0,
                                        (uint32_t)lane * 2654435761u % (MEMORY / 4) * 4};
  return offset[apart];
}

// Pointers in all pairs of registers, or offsets, or numbers of any kind; all lanes or some.
UNWATCHED static void fill_registers(Registers *to, uint8_t choice, int apart) {
  uint64_t state = choice + (uint64_t)REGISTER_KINDS * (uint64_t)apart;
  uint64_t block = (uint64_t)device_block();
  bool pointers = choice & 1, small = choice & 2;
  for (int r = 0; r < 512; r++)
    for (int lane = 0; lane < LANES; lane++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint32_t any = small ? lane_offset(lane, apart) / 2 : (uint32_t)(state >> 32);
      uint64_t pointer = block + lane_offset(lane, apart);
      to->vgpr[r][lane] = !pointers ? any : r & 1 ? (uint32_t)(pointer >> 32) : (uint32_t)pointer;
    }
  for (int r = 0; r < SGPR_COUNT; r++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t any = small ? (uint32_t)r : (uint32_t)(state >> 32);
    to->sgpr[r] = !pointers && !(choice & 4) ? any
                  : r & 1                    ? (uint32_t)(block >> 32)
                                             : (uint32_t)block;
  }
  to->exec = choice & ALL_LANES ? ~0ull : state;
}

// Filled once for each choice: filling takes longer than most inputs.
static const Registers *registers_of(uint8_t choice, int apart) {
  static Registers *filled[REGISTER_KINDS][LANES_APART];
  const uint8_t kind = choice % REGISTER_KINDS;
  Registers **place = &filled[kind][apart];
  if (!*place) {
    if (!(*place = malloc(sizeof **place)))
      abort();
    fill_registers(*place, kind, apart);
  }
  return *place;
}

static unsigned long long waves; // that ran machine code that is an input itself

// Of some lanes: all of these, a few, one.
static uint64_t lanes_on(uint64_t exec, int some) {
  const uint64_t few = exec & exec >> 7 & exec >> 19 & exec >> 40, one = exec & -exec;
  return exec == ~0ull || some == 0 ? exec : some == 1 && few ? few : one;
}

static void run_once(Machine *machine, uint8_t choice, int apart, int some) {
  Wavefront *w = &machine->wave;
  const Registers *registers = registers_of(choice, apart);
  waves++;
  Trace trace = {.word = w->trace.word, .capacity = w->trace.capacity, .off = choice & 16};
  memset(w, 0, offsetof(Wavefront, vgpr));
  memcpy(w->vgpr, registers->vgpr, sizeof w->vgpr);
  memcpy(w->sgpr, registers->sgpr, sizeof w->sgpr);
  w->exec = lanes_on(registers->exec, some);
  w->trace = trace;
  w->thread = &machine->thread;
  w->group = &machine->group;
  w->shadow = machine->group.shadow ? machine->shadow : NULL;
  w->scratch = machine->scratch;
  w->scratch_bytes = sizeof machine->scratch;
  w->mode = 0xf0;
  w->next = program_at(machine->object.program, machine->object.text_address);
  machine->thread.budget = settings()->budget;
  shadow_start_group(&machine->group);
  shadow_start_wave(w, SGPR_VCC / 2, 1);
  machine->thread.fault = (Fault){.kind = FAULT_NONE};
  if (setjmp(machine->thread.on_fault))
    return;
  while (w->state == WAVE_RUNNING)
    wavefront_run(w, 1 << 20);
}

// What stays the same from input to input.
static Machine *machine_create(void) {
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  void *code;
  if (!machine || device_memory_allocate(MOST_CODE, MEMORY_CODE, 0, &code) != MEMORY_OK)
    abort();
  memset(machine, 0, sizeof *machine);
  machine->object.text_address = (uint64_t)code;
  machine->kernel = (Kernel){.object = &machine->object,
                             .name = "fuzz",
                             .entry = (uint64_t)code,
                             .accum_offset = 256,
                             .allocated_vgprs = 512};
  machine->launch = (Launch){.kernel = &machine->kernel,
                             .block = {LANES, 1, 1},
                             .lds_bytes = LDS,
                             .lds_allocated_bytes = LDS,
                             .scratch_bytes = sizeof machine->scratch};
  machine->group = (Workgroup){.size = {LANES, 1, 1},
                               .lds = machine->lds,
                               .lds_bytes = LDS,
                               .wave_count = 1,
                               .waves = &machine->wave};
  if (!shadow_allocate(&machine->launch, &machine->group))
    abort();
  machine->shadow = machine->wave.shadow;
  machine->group_shadow = machine->group.shadow;
  // The workgroup was given no more.
  ASAN_POISON_MEMORY_REGION(machine->lds + LDS, sizeof machine->lds - LDS);
  return machine;
}

// As if all of it had been interpreted, so that what faults is translated, too.
static void make_hot(Program *program, uint64_t address, size_t size) {
  char message[512];
  for (size_t offset = 0; offset < size; offset += 4) {
    Instruction *slot = program_slot(program, program_at(program, address + offset));
    if (!program_decode(program, slot, message, sizeof message))
      continue;
    slot->interpreted = 1;
    offset += 4 * (slot->words - 1u);
  }
}

static void run_code(const uint8_t *bytes, size_t size, uint32_t hot) {
  static Machine *machine;
  if (!machine)
    machine = machine_create();
  if (size < 5)
    return;
  const uint8_t choice = *bytes++;
  size = (size - 1 < MOST_CODE ? size - 1 : MOST_CODE) / 4 * 4;
  memcpy((void *)machine->object.text_address, bytes, size);
  memset(machine->lds, 0, LDS);
  memset(machine->scratch, 0, sizeof machine->scratch);
  machine->object.text_size = machine->kernel.code_size = size;
  if (!program_open(&machine->object))
    abort();
  machine->thread =
      (HostThread){.launch = &machine->launch, .program = machine->object.program, .hot = hot};
  machine->thread.profile =
      calloc(program_slots(machine->object.program) + 1, sizeof *machine->thread.profile);
  machine->group.shadow = choice & 32 ? machine->group_shadow : NULL;
  machine->launch.traffic_unwanted = choice & 64;
  if (hot)
    make_hot(machine->object.program, machine->object.text_address, size);
  // Translating takes far longer than running: what is translated runs from all registers.
  for (int apart = 0; apart < (hot ? LANES_APART : 1); apart++)
    for (uint8_t kind = 0; kind < (hot ? REGISTER_KINDS : 1); kind++)
      for (int some = 0; some < (hot && !((choice ^ kind) & ALL_LANES) ? SOME_LANES : 1); some++)
        run_once(machine, choice ^ kind, apart, some);
  profile_share_blocks(machine->object.program, machine->thread.profile);
  free(machine->thread.profile);
  free(machine->thread.footprints);
  free(machine->thread.lds_patterns);
  program_close(&machine->object);
}

// ---- all of them ----

static const char kinds[] = "oimt";
static const char *wanted = kinds; // FUZZ_KINDS; a process of one kind does not drift to others
static unsigned long long inputs[sizeof kinds];

static void tell_executions(void) {
  for (size_t i = 0; kinds[i]; i++)
    printf("inputs of kind %c: %llu\n", kinds[i], inputs[i]); // make fuzz closes stderr
  printf("waves that ran machine code of kinds m and t: %llu\n", waves);
}

static void start(void) {
  static bool started;
  if (started)
    return;
  started = true;
  setenv("EMULATOR_INSTRUCTION_BUDGET", BUDGET, 1);
  setenv("EMULATOR_THREADS", "1", 1);
  setenv("EMULATOR_SANITIZE", "1", 1); // launches have it, and registers with bit 5 of their choice
  setenv("EMULATOR_SET", SMALL_DEVICE, 1);
  settings();
  parameters_device(); // EMULATOR_DEVICE says which machine code it is
  unsetenv("EMULATOR_SET");
  if (getenv("FUZZ_KINDS"))
    wanted = getenv("FUZZ_KINDS");
  atexit(tell_executions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  start();
  const char *kind = size ? memchr(kinds, *data, sizeof kinds - 1) : NULL;
  if (!kind || !strchr(wanted, *kind))
    return 0;
  inputs[kind - kinds]++;
  switch (*kind) {
  case 'o':
    load_object(data + 1, size - 1);
    break;
  case 'i':
    read_ini(data + 1, size - 1);
    break;
  case 'm':
    run_code(data + 1, size - 1, 0);
    break;
  case 't':
    run_code(data + 1, size - 1, 1);
    break;
  }
  return 0;
}
