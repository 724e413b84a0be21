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
#include "shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUDGET "500" // instructions of a wave: more is an endless loop
enum { MEMORY = 4096, MOST_CODE = 512 };

static uint8_t *device_block(void) {
  static void *block;
  if (!block && device_memory_allocate(MEMORY, MEMORY_DEVICE, 0, &block) != MEMORY_OK)
    abort();
  return block;
}

// ---- code objects ----

static void launch(const Kernel *kernel) {
  static Counters counters;
  static Fault fault;
  uint8_t *segment = calloc(1, kernel->kernarg_size + 1u);
  Launch asked = {
      .kernel = kernel,
      .grid = {2, 1, 1},
      .block = {kernel->max_workgroup_size < 96 ? kernel->max_workgroup_size : 96, 1, 1},
      .kernarg = segment,
      .modelled = true};
  launch_plan(&asked);
  if (segment && asked.block[0] && asked.workgroups_per_cu)
    dispatch_run(&asked, &counters, &fault);
  free(segment);
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
  uint8_t lds[DEVICE_LDS_BYTES + LDS_ZEROES], scratch[64 * LANES];
  Shadow *shadow;
} Machine;

// libFuzzer learns nothing from what is the same in every input.
#ifdef __clang__
#define UNWATCHED __attribute__((no_sanitize("coverage", "address", "undefined")))
#else
#define UNWATCHED
#endif

// Pointers in all pairs of registers, or offsets, or numbers of any kind; all lanes or some; 32: sanitized.
UNWATCHED static void fill_registers(Wavefront *w, uint8_t choice) {
  uint64_t state = choice, block = (uint64_t)device_block();
  bool pointers = choice & 1, small = choice & 2;
  for (int r = 0; r < 512; r++)
    for (int lane = 0; lane < LANES; lane++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint32_t any = small ? (uint32_t)lane * 8 : (uint32_t)(state >> 32);
      uint64_t pointer = block + 16u * (uint32_t)lane;
      w->vgpr[r][lane] = !pointers ? any : r & 1 ? (uint32_t)(pointer >> 32) : (uint32_t)pointer;
    }
  for (int r = 0; r < SGPR_COUNT; r++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t any = small ? (uint32_t)r : (uint32_t)(state >> 32);
    w->sgpr[r] = !pointers && !(choice & 4) ? any
                 : r & 1                    ? (uint32_t)(block >> 32)
                                            : (uint32_t)block;
  }
  w->exec = choice & 8 ? ~0ull : state;
}

static void run_once(Machine *machine, uint8_t choice) {
  Wavefront *w = &machine->wave;
  Trace trace = {.word = w->trace.word, .capacity = w->trace.capacity, .off = choice & 16};
  memset(w, 0, offsetof(Wavefront, vgpr));
  w->trace = trace;
  w->shadow = machine->shadow;
  w->thread = &machine->thread;
  w->group = &machine->group;
  w->scratch = machine->scratch;
  w->scratch_bytes = sizeof machine->scratch;
  w->mode = 0xf0;
  w->next = program_at(machine->object.program, machine->object.text_address);
  fill_registers(w, choice);
  shadow_start_group(&machine->group);
  shadow_start_wave(w, SGPR_VCC / 2);
  machine->thread.fault = (Fault){.kind = FAULT_NONE};
  if (setjmp(machine->thread.on_fault))
    return;
  while (w->state == WAVE_RUNNING)
    wavefront_run(w, 1 << 20);
}

static void run_code(const uint8_t *bytes, size_t size, uint32_t hot) {
  static Machine *machine;
  static void *code;
  if (!machine && (!(machine = aligned_alloc(_Alignof(Machine), sizeof *machine)) ||
                   device_memory_allocate(MOST_CODE, MEMORY_CODE, 0, &code) != MEMORY_OK))
    abort();
  if (size < 5)
    return;
  const uint8_t choice = *bytes++;
  size = (size - 1 < MOST_CODE ? size - 1 : MOST_CODE) / 4 * 4;
  memcpy(code, bytes, size);
  memset(machine, 0, sizeof *machine);
  machine->object = (CodeObject){.text_address = (uint64_t)code, .text_size = size};
  if (!program_open(&machine->object))
    abort();
  machine->kernel = (Kernel){.object = &machine->object,
                             .name = "fuzz",
                             .entry = (uint64_t)code,
                             .code_size = size,
                             .accum_offset = 256,
                             .allocated_vgprs = 512};
  machine->launch = (Launch){.kernel = &machine->kernel,
                             .block = {LANES, 1, 1},
                             .lds_bytes = 4096,
                             .lds_allocated_bytes = 4096};
  machine->thread = (HostThread){
      .launch = &machine->launch, .program = machine->object.program, .budget = 500, .hot = hot};
  machine->thread.profile =
      calloc(program_slots(machine->object.program) + 1, sizeof *machine->thread.profile);
  machine->group = (Workgroup){.size = {LANES, 1, 1},
                               .lds = machine->lds,
                               .lds_bytes = 4096,
                               .wave_count = 1,
                               .waves = &machine->wave};
  machine->launch.scratch_bytes = sizeof machine->scratch;
  if ((choice & 32) && !hot && !shadow_allocate(&machine->launch, &machine->group))
    abort();
  machine->shadow = machine->wave.shadow;
  for (int pass = 0; pass < (hot ? 3 : 1); pass++)
    run_once(machine, choice);
  profile_share_blocks(machine->object.program, machine->thread.profile);
  machine->wave.shadow = machine->shadow;
  shadow_free(&machine->group);
  free(machine->wave.trace.word);
  free(machine->thread.profile);
  free(machine->thread.footprints);
  free(machine->thread.lds_patterns);
  program_close(&machine->object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  setenv("EMULATOR_INSTRUCTION_BUDGET", BUDGET, 1);
  setenv("EMULATOR_THREADS", "1", 1);
  setenv("EMULATOR_SANITIZE", "1", 1); // launches have it, and registers with bit 5 of their choice
  if (size == 0)
    return 0;
  switch (*data) {
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
