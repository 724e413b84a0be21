// Dispatch: see dispatch.h. Workgroups go to host threads in the order of their index; a
// workgroup's waves take turns on its thread.
#include "dispatch.h"

#include "decoder.h"
#include "device_memory.h"
#include "line_report.h"
#include "modelled_launch.h"
#include "profile.h"
#include "wavefront.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SLICE = 1 << 16,        // instructions of a wave before another gets its turn
  PATIENCE = 64,          // slices that a workgroup may use before one more is started beside it
  MAX_THREADS = 64,       // host threads
  SCRATCH_GRANULE = 1024, // bytes per wave, COMPUTE_TMPRING_SIZE.WAVESIZE
  DYNAMIC_STACK =
      16384, // bytes per work-item for kernels whose stack size the compiler could not bound
  LDS_POISON = 0xff, // LDS is not cleared between workgroups on the device; as floats this is NaN
};
#define DEFAULT_BUDGET                                                                             \
  50000000ull // wave instructions: some seconds of emulation, 0.1 s on the device

// AQL kernel dispatch packet, HSA Platform System Architecture 1.2, section 2.9.6.
typedef struct {
  uint16_t header, setup, workgroup_size[3], reserved0;
  uint32_t grid_size[3]; // work-items
  uint32_t private_segment_size, group_segment_size;
  uint64_t kernel_object, kernarg_address, reserved1, completion_signal;
} DispatchPacket;

// One launch, shared by its host threads.
typedef struct {
  const Launch *launch;
  uint64_t total, next; // workgroups; next is taken atomically
  uint64_t fault_index; // lowest workgroup that faulted, or UINT64_MAX
  Fault *fault;         // its fault
  pthread_mutex_t lock; // of the two above
  uint32_t waves_per_group, lds_bytes;
  uint64_t scratch_bytes;  // per wave
  uint64_t resident_limit; // workgroups that one host thread keeps under way at once
  uint64_t packet, queue;  // device-visible addresses
  uint64_t budget;
  ModelledLaunch *modelled; // NULL: not modelled
} Run;

typedef struct {
  Run *run;
  HostThread thread;
  Counters waves; // what is known at launch: SQ_WAVES..., SQ_ITEMS
  Workgroup **parked;
  uint64_t parked_count, patience;
} Worker;

// ---- occupancy
// ---------------------------------------------------------------------------------------------------

static uint32_t round_up(uint32_t value, uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

uint32_t dispatch_workgroups_per_cu(const Kernel *kernel, uint32_t block_size,
                                    uint32_t dynamic_lds_bytes) {
  uint32_t waves = (block_size + LANES - 1) / LANES;
  uint32_t lds = round_up(kernel->group_segment_size + dynamic_lds_bytes, DEVICE_LDS_GRANULE);
  if (block_size == 0 || block_size > kernel->max_workgroup_size || lds > DEVICE_LDS_BYTES)
    return 0;
  uint32_t per_simd = DEVICE_WAVES_PER_SIMD,
           by_vgprs = DEVICE_VGPRS_PER_SIMD_LANE / kernel->allocated_vgprs;
  uint32_t by_sgprs =
      DEVICE_SGPRS_PER_SIMD / round_up(kernel->allocated_sgprs, DEVICE_SGPR_GRANULE);
  per_simd = by_vgprs < per_simd ? by_vgprs : per_simd;
  per_simd = by_sgprs < per_simd ? by_sgprs : per_simd;
  uint32_t groups = per_simd * DEVICE_SIMDS_PER_CU / waves;
  if (waves > 1 && groups > DEVICE_BARRIERS_PER_CU)
    groups = DEVICE_BARRIERS_PER_CU;
  if (lds && DEVICE_LDS_BYTES / lds < groups)
    groups = DEVICE_LDS_BYTES / lds;
  return groups;
}

// ---- initial registers (AMDGPUUsage.rst, "Initial Kernel Execution State")
// ------------------------------------------

static void push_u64(Wavefront *w, int *next, uint64_t value) {
  w->sgpr[(*next)++] = (uint32_t)value;
  w->sgpr[(*next)++] = (uint32_t)(value >> 32);
}

// Buffer descriptor of the private segment, as ROCr's FillBufRsrcWord0 to 3 build it: swizzled,
// lane id added, 4 B elements, 64 lanes.
static void push_private_buffer(Wavefront *w, int *next) {
  enum {
    SWIZZLE = 1u << 31,
    ADD_LANE_INDEX_64_ELEMENT_4 = 0x00e00000 | 1u << 19,
    FORMAT_UINT32 = 4u << 12 | 4u << 15
  };
  push_u64(w, next, ((uint64_t)w->scratch & 0xffffffffffffull) | (uint64_t)SWIZZLE << 32);
  w->sgpr[(*next)++] = (uint32_t)w->scratch_bytes;
  w->sgpr[(*next)++] = ADD_LANE_INDEX_64_ELEMENT_4 | FORMAT_UINT32;
}

static void set_scalars(const Run *run, Wavefront *w) {
  const Kernel *kernel = run->launch->kernel;
  enum {
    PRIVATE_BUFFER = 1,
    DISPATCH_PTR = 2,
    QUEUE_PTR = 4,
    KERNARG_PTR = 8,
    DISPATCH_ID = 16,
    FLAT_SCRATCH_INIT = 32,
    PRIVATE_SIZE = 64
  };
  uint16_t wanted = kernel->code_properties;
  int next = 0;
  if (wanted & PRIVATE_BUFFER)
    push_private_buffer(w, &next);
  if (wanted & DISPATCH_PTR)
    push_u64(w, &next, run->packet);
  if (wanted & QUEUE_PTR)
    push_u64(w, &next, run->queue);
  if (wanted & KERNARG_PTR)
    push_u64(w, &next, (uint64_t)run->launch->kernarg);
  if (wanted & DISPATCH_ID)
    push_u64(w, &next, 0);
  if (wanted & FLAT_SCRATCH_INIT)
    push_u64(w, &next, (uint64_t)w->scratch);
  if (wanted & PRIVATE_SIZE)
    w->sgpr[next++] = kernel->private_segment_size;
  for (int axis = 0; axis < 3; axis++) // COMPUTE_PGM_RSRC2 bits 7 to 9: workgroup ids
    if (kernel->rsrc2 >> (7 + axis) & 1)
      w->sgpr[next++] = w->group->id[axis];
  if (kernel->rsrc2 >> 10 & 1) // workgroup info
    w->sgpr[next++] = 0;
  if (kernel->rsrc2 &
      1) // private segment wave byte offset: each wave's descriptor begins at its own scratch
    w->sgpr[next++] = 0;
}

// Work-item ids are packed into v0 on gfx90a: 10 bits each for x, y and z.
static void set_lanes(const Run *run, Wavefront *w) {
  const uint32_t *block = run->launch->block;
  uint32_t items = block[0] * block[1] * block[2], first = w->number * LANES;
  uint32_t x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];
  for (uint32_t lane = 0; lane < LANES; lane++) {
    w->vgpr[0][lane] = x | y << 10 | z << 20;
    if (++x == block[0]) {
      x = 0;
      if (++y == block[1]) {
        y = 0;
        z++;
      }
    }
  }
  w->exec = items - first >= LANES ? ~0ull : (1ull << (items - first)) - 1;
}

static void start_wave(Worker *worker, Workgroup *group, uint32_t number) {
  const Run *run = worker->run;
  const Kernel *kernel = run->launch->kernel;
  Wavefront *w = &group->waves[number];
  uint8_t *scratch = w->scratch;
  Trace trace = {.word = w->trace.word, .capacity = w->trace.capacity, .off = !run->modelled};
  memset(w, 0, offsetof(Wavefront, vgpr));
  uint32_t arch = kernel->accum_offset < kernel->allocated_vgprs ? kernel->accum_offset
                                                                 : kernel->allocated_vgprs;
  memset(w->vgpr, 0, arch * sizeof w->vgpr[0]);
  memset(w->vgpr[AGPR_BASE], 0, (kernel->allocated_vgprs - arch) * sizeof w->vgpr[0]);
  w->thread = &worker->thread;
  w->group = group;
  w->number = number;
  w->scratch = scratch;
  w->trace = trace;
  w->scratch_bytes = run->scratch_bytes;
  memset(scratch, 0, run->scratch_bytes);
  w->mode = kernel->rsrc1 >> 12 & 0xff; // FLOAT_MODE
  w->next = program_at(kernel->object->program, kernel->entry);
  set_scalars(run, w);
  set_lanes(run, w);
  int lanes = __builtin_popcountll(w->exec);
  uint64_t *count = worker->waves.value;
  count[SQ_WAVES]++;
  count[SQ_ITEMS] += (uint64_t)lanes;
  count[SQ_WAVES_EQ_64] += lanes == 64;
  count[SQ_WAVES_LT_64] += lanes < 64;
  count[SQ_WAVES_LT_48] += lanes < 48;
  count[SQ_WAVES_LT_32] += lanes < 32;
  count[SQ_WAVES_LT_16] += lanes < 16;
}

// ---- workgroups
// --------------------------------------------------------------------------------------------------

static void workgroup_free(Workgroup *group) {
  if (!group)
    return;
  for (uint32_t i = 0; i < group->wave_count; i++)
    free(group->waves[i].trace.word);
  free(group->waves[0].scratch);
  free(group->waves);
  free(group->lds);
  free(group);
}

// Memory for one workgroup under way. NULL if the host has none.
static Workgroup *workgroup_allocate(const Run *run) {
  Workgroup *group = calloc(1, sizeof *group);
  if (!group)
    return NULL;
  group->wave_count = run->waves_per_group;
  group->waves =
      aligned_alloc(4096, round_up((uint32_t)(run->waves_per_group * sizeof(Wavefront)), 4096));
  group->lds = malloc(DEVICE_LDS_BYTES);
  uint8_t *scratch =
      aligned_alloc(4096, (run->waves_per_group * run->scratch_bytes + 8191) / 4096 * 4096);
  if (!group->waves || !group->lds || !scratch) {
    free(scratch);
    free(group->waves);
    free(group->lds);
    free(group);
    return NULL;
  }
  for (uint32_t i = 0; i < run->waves_per_group; i++) {
    group->waves[i].scratch = scratch + i * run->scratch_bytes;
    group->waves[i].trace = (Trace){0};
  }
  return group;
}

static void workgroup_start(Worker *worker, Workgroup *group, uint64_t index) {
  const Run *run = worker->run;
  const uint32_t *grid = run->launch->grid;
  group->index = index;
  group->id[0] = (uint32_t)(index % grid[0]);
  group->id[1] = (uint32_t)(index / grid[0] % grid[1]);
  group->id[2] = (uint32_t)(index / grid[0] / grid[1]);
  group->lds_bytes = run->lds_bytes;
  memset(group->lds, LDS_POISON, run->lds_bytes);
  for (uint32_t i = 0; i < group->wave_count; i++)
    start_wave(worker, group, i);
}

typedef enum { GROUP_DONE, GROUP_PARKED, GROUP_FAULTED } GroupState;

// Gives every wave one turn, releasing barriers as they fill (a wave that ended counts as arrived),
// until all waves are done or some still run after their turn: these may be waiting for others, so
// the workgroup is parked.
static GroupState workgroup_run(Workgroup *group) {
  for (;;) {
    uint32_t running = 0, waiting = 0, at_grid_barrier = 0;
    for (uint32_t i = 0; i < group->wave_count; i++) {
      Wavefront *w = &group->waves[i];
      if (w->state == WAVE_RUNNING)
        wavefront_run(w, SLICE);
      running += w->state == WAVE_RUNNING;
      waiting += w->state == WAVE_AT_BARRIER;
      at_grid_barrier += w->state == WAVE_AT_GRID_BARRIER;
    }
    if (running || at_grid_barrier)
      return GROUP_PARKED;
    if (!waiting)
      return GROUP_DONE;
    for (uint32_t i = 0; i < group->wave_count; i++)
      if (group->waves[i].state == WAVE_AT_BARRIER)
        group->waves[i].state = WAVE_RUNNING;
  }
}

static GroupState workgroup_run_guarded(HostThread *thread, Workgroup *group) {
  if (setjmp(thread->on_fault))
    return GROUP_FAULTED;
  return workgroup_run(group);
}

static void note_fault(Run *run, uint64_t index, const Fault *fault) {
  pthread_mutex_lock(&run->lock);
  if (index < run->fault_index) {
    run->fault_index = index;
    *run->fault = *fault;
  }
  pthread_mutex_unlock(&run->lock);
}

static uint64_t fault_index(Run *run) {
  pthread_mutex_lock(&run->lock);
  uint64_t index = run->fault_index;
  pthread_mutex_unlock(&run->lock);
  return index;
}

// One turn of one workgroup. True if it is over and its memory free for the next.
static bool advance(Worker *worker, Workgroup *group) {
  GroupState state = workgroup_run_guarded(&worker->thread, group);
  if (state == GROUP_FAULTED)
    note_fault(worker->run, group->index, &worker->thread.fault);
  if (state == GROUP_DONE && worker->run->modelled)
    modelled_launch_deposit(worker->run->modelled, group);
  return state != GROUP_PARKED;
}

static void park(Worker *worker, Workgroup *group) {
  worker->parked[worker->parked_count++] = group;
  worker->patience = PATIENCE;
}

// Gives every parked workgroup one turn, oldest first; finished ones are handed back through *spare
// or freed.
static void advance_parked(Worker *worker, Workgroup **spare) {
  uint64_t kept = 0, stop = fault_index(worker->run);
  bool asleep = true;
  for (uint64_t i = 0; i < worker->parked_count; i++) {
    Workgroup *group = worker->parked[i];
    if (group->index > stop || advance(worker, group)) {
      workgroup_free(*spare);
      *spare = group;
    } else {
      worker->parked[kept++] = group;
      for (uint32_t k = 0; k < group->wave_count; k++)
        asleep = asleep && (group->waves[k].state != WAVE_RUNNING || group->waves[k].yield);
    }
  }
  worker->parked_count = kept;
  worker->patience = asleep || worker->patience == 0 ? 0 : worker->patience - 1;
}

static bool has_running_wave(const Workgroup *group) {
  for (uint32_t i = 0; i < group->wave_count; i++)
    if (group->waves[i].state == WAVE_RUNNING)
      return true;
  return false;
}

// Lets all waves at the grid barrier go on once every participant has arrived. If nobody is left
// who could arrive, the launch ends with a fault.
static void release_grid_barrier(Worker *worker) {
  HostThread *thread = &worker->thread;
  Run *run = worker->run;
  if (!thread->at_grid_barrier || worker->parked_count == 0)
    return;
  bool complete = thread->at_grid_barrier >= thread->grid_participants, running = false;
  for (uint64_t i = 0; i < worker->parked_count; i++) {
    Workgroup *group = worker->parked[i];
    for (uint32_t k = 0; complete && k < group->wave_count; k++)
      if (group->waves[k].state == WAVE_AT_GRID_BARRIER)
        group->waves[k].state = WAVE_RUNNING;
    running = running || has_running_wave(group);
  }
  if (complete)
    thread->at_grid_barrier = 0;
  if (running || __atomic_load_n(&run->next, __ATOMIC_RELAXED) < run->total)
    return;
  Fault fault = {.kind = FAULT_BARRIER};
  fault_append(&fault,
               "kernel %s, block %llu: %llu of %llu participants wait at a barrier across the grid "
               "(grid.sync()), and no workgroup is left that could still arrive; every workgroup "
               "must pass it.",
               run->launch->kernel->name, (unsigned long long)worker->parked[0]->index,
               (unsigned long long)thread->at_grid_barrier,
               (unsigned long long)thread->grid_participants);
  note_fault(run, 0, &fault);
  worker->parked_count = 0;
}

static void *work(void *argument) {
  Worker *worker = argument;
  Run *run = worker->run;
  Workgroup *spare = NULL;
  for (;;) {
    uint64_t stop = fault_index(run), index = run->total;
    bool room = worker->parked_count == 0 ||
                (worker->patience == 0 && worker->parked_count < run->resident_limit);
    if (room && __atomic_load_n(&run->next, __ATOMIC_RELAXED) < run->total)
      index = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
    if (index < run->total && index < stop) {
      Workgroup *group = spare ? spare : workgroup_allocate(run);
      spare = NULL;
      if (!group) {
        Fault fault = {.kind = FAULT_MEMORY};
        fault_append(&fault,
                     "kernel %s, block %llu: the host has no memory for one more workgroup.",
                     run->launch->kernel->name, (unsigned long long)index);
        note_fault(run, index, &fault);
        continue;
      }
      workgroup_start(worker, group, index);
      if (advance(worker, group))
        spare = group;
      else
        park(worker, group);
    } else if (worker->parked_count == 0)
      break;
    if (worker->parked_count)
      advance_parked(worker, &spare);
    release_grid_barrier(worker);
  }
  workgroup_free(spare);
  return NULL;
}

// ---- the launch
// --------------------------------------------------------------------------------------------------

static uint64_t environment_number(const char *name, uint64_t fallback) {
  const char *text = getenv(name);
  char *end;
  uint64_t value = text ? strtoull(text, &end, 10) : 0;
  return text && *text && *end == 0 && text[0] != '-' && value > 0 ? value : fallback;
}

static uint32_t thread_count(const Run *run) {
  enum { GROUPS_WORTH_A_THREAD = 8 };
  uint64_t threads =
               environment_number("EMULATOR_THREADS", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN)),
           useful = run->total / GROUPS_WORTH_A_THREAD + 1;
  const Launch *launch = run->launch;
  if (launch->cooperative || program_needs_order(launch->kernel->object->program, launch->kernel))
    return 1; // atomics in a fixed order: the same result on every run
  threads = threads < useful ? threads : useful;
  return (uint32_t)(threads < MAX_THREADS ? threads : MAX_THREADS);
}

// The dispatch packet and a zeroed stand-in for the queue live in one page that the device can
// read.
static bool write_packet(Run *run) {
  static uint8_t *page;
  enum { QUEUE_OFFSET = 2048, PAGE = 4096 };
  void *memory = NULL;
  if (!page && device_memory_allocate(PAGE, MEMORY_RUNTIME, 0, &memory) != MEMORY_OK)
    return false;
  page = page ? page : memory;
  const Launch *launch = run->launch;
  DispatchPacket packet = {.setup = 3,
                           .private_segment_size = launch->kernel->private_segment_size,
                           .group_segment_size =
                               launch->kernel->group_segment_size + launch->dynamic_lds_bytes,
                           .kernel_object = launch->kernel->descriptor,
                           .kernarg_address = (uint64_t)launch->kernarg};
  for (int axis = 0; axis < 3; axis++) {
    packet.workgroup_size[axis] = (uint16_t)launch->block[axis];
    packet.grid_size[axis] = launch->grid[axis] * launch->block[axis];
  }
  memcpy(page, &packet, sizeof packet);
  run->packet = (uint64_t)page;
  run->queue = (uint64_t)(page + QUEUE_OFFSET);
  return true;
}

static bool prepare(Run *run, const Launch *launch, Fault *fault) {
  const Kernel *kernel = launch->kernel;
  uint32_t items = launch->block[0] * launch->block[1] * launch->block[2];
  uint32_t lane_bytes = kernel->dynamic_stack ? DYNAMIC_STACK : kernel->private_segment_size;
  *run = (Run){.launch = launch,
               .total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
               .fault_index = UINT64_MAX,
               .fault = fault,
               .waves_per_group = (items + LANES - 1) / LANES,
               .lds_bytes = round_up(kernel->group_segment_size + launch->dynamic_lds_bytes,
                                     DEVICE_LDS_GRANULE),
               .scratch_bytes = round_up(lane_bytes * LANES, SCRATCH_GRANULE),
               .budget = environment_number("EMULATOR_INSTRUCTION_BUDGET", DEFAULT_BUDGET)};
  uint32_t per_cu = dispatch_workgroups_per_cu(kernel, items, launch->dynamic_lds_bytes);
  run->resident_limit = (uint64_t)(per_cu ? per_cu : 1) * DEVICE_COMPUTE_UNITS;
  if (!kernel->object->program && !decoder_attach(kernel->object)) {
    *fault = (Fault){.kind = FAULT_INSTRUCTION};
    fault_append(
        fault,
        "kernel %s: LLVM's AMDGPU disassembler could not be started; is libLLVM-15 complete?",
        kernel->name);
    return false;
  }
  if (!write_packet(run)) {
    *fault = (Fault){.kind = FAULT_MEMORY};
    fault_append(fault, "kernel %s: the host has no memory for the dispatch packet.", kernel->name);
    return false;
  }
  pthread_mutex_init(&run->lock, NULL);
  ModelledLaunchSize size = {.launch = launch,
                             .workgroups = run->total,
                             .waves_per_workgroup = run->waves_per_group,
                             .workgroups_per_cu = per_cu ? per_cu : 1,
                             .scratch_bytes = run->scratch_bytes};
  return modelled_launch_begin(&size, &run->modelled, fault);
}

static bool worker_init(Worker *worker, Run *run) {
  Program *program = run->launch->kernel->object->program;
  size_t slots = program_slots(program) + 1;
  *worker = (Worker){.run = run,
                     .thread = {.launch = run->launch, .program = program, .budget = run->budget}};
  worker->thread.profile = calloc(slots, sizeof(InstructionProfile));
  worker->parked = calloc(run->resident_limit + 1, sizeof *worker->parked);
  bool wanted = line_report_wanted();
  worker->thread.memory = wanted ? calloc(slots, sizeof(MemoryProfile)) : NULL;
  return worker->thread.profile && worker->parked && (worker->thread.memory || !wanted);
}

static void worker_free(Worker *worker) {
  free(worker->thread.profile);
  free(worker->thread.memory);
  free(worker->parked);
}

static void run_on_threads(Worker *workers, uint32_t threads) {
  pthread_t handles[MAX_THREADS];
  uint32_t started = 0;
  for (uint32_t i = 1; i < threads; i++)
    if (pthread_create(&handles[started], NULL, work, &workers[i]) == 0)
      started++; // a thread that cannot be had is only slower
  work(&workers[0]);
  for (uint32_t i = 0; i < started; i++)
    pthread_join(handles[i], NULL);
}

// Sums up what the host threads counted, in the first of them.
static void collect(Worker *workers, uint32_t threads, Counters *counters) {
  HostThread *all = &workers[0].thread;
  uint32_t instructions = program_instruction_count(all->program);
  for (uint32_t i = 0; i < threads; i++)
    counters_add(counters, &workers[i].waves);
  for (uint32_t i = 1; i < threads; i++) {
    profile_add(all->profile, workers[i].thread.profile, instructions);
    if (all->memory)
      profile_add_memory(all->memory, workers[i].thread.memory, instructions);
  }
  profile_count(all->program, all->profile, counters);
}

// Ends the replay of a launch that went well, and writes the report by source line if it is wanted.
static void finish(Run *run, const HostThread *all, Counters *counters) {
  InstructionTraffic *traffic =
      all->memory ? calloc(program_slots(all->program), sizeof *traffic) : NULL;
  if (run->modelled)
    modelled_launch_end(run->modelled, counters, traffic);
  if (all->memory)
    line_report_write(run->launch->kernel, all->profile, all->memory,
                      counters->modelled ? traffic : NULL);
  free(traffic);
}

bool dispatch_run(const Launch *launch, Counters *counters, Fault *fault) {
  Run run;
  *counters = (Counters){0};
  *fault = (Fault){.kind = FAULT_NONE};
  if (!prepare(&run, launch, fault))
    return false;
  uint32_t threads = thread_count(&run);
  Worker *workers = calloc(threads, sizeof *workers);
  bool ready = workers != NULL;
  for (uint32_t i = 0; i < threads && ready; i++)
    ready = worker_init(&workers[i], &run);
  if (ready) {
    run_on_threads(workers, threads);
    collect(workers, threads, counters);
  } else {
    fault->kind = FAULT_MEMORY;
    fault_append(fault, "kernel %s: the host has no memory to run it.", launch->kernel->name);
  }
  if (fault->kind == FAULT_NONE)
    finish(&run, &workers[0].thread, counters);
  else if (run.modelled)
    modelled_launch_abandon(run.modelled);
  for (uint32_t i = 0; i < threads && workers; i++)
    worker_free(&workers[i]);
  free(workers);
  pthread_mutex_destroy(&run.lock);
  return fault->kind == FAULT_NONE;
}
