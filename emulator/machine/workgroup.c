// Workgroups under way: see workgroup.h.
#include "workgroup.h"

#include "device_memory.h"
#include "float_mode.h"
#include "initial_state.h"
#include "missing_memory.h"
#include "progress.h"
#include "sanitizer.h"
#include "settings.h"
#include "shadow.h"
#include "vector_access.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  PAGE = 4096,       // bytes
  LDS_POISON = 0xff, // LDS is not cleared between workgroups on the device; as floats this is NaN
  LONGEST_TURN = 1 << 20, // instructions of a workgroup
};

static size_t round_up(size_t value, size_t granule) {
  return (value + granule - 1) / granule * granule;
}

static size_t scratch_pages(const Workgroup *group) { // bytes
  return round_up(group->wave_count * group->scratch_bytes + 1, PAGE);
}

// Fresh pages are zero and cost nothing until they are touched: kernels whose stack the compiler could
// not bound have a lot of them.
static uint8_t *allocate_scratch(const Workgroup *group) {
  uint8_t *scratch = mmap(NULL, scratch_pages(group), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return scratch == MAP_FAILED ? NULL : scratch;
}

void workgroup_free(Workgroup *group) {
  if (!group)
    return;
  for (uint32_t i = 0; i < group->wave_count; i++)
    trace_free(&group->waves[i].trace);
  shadow_free(group);
  munmap(group->waves[0].scratch, scratch_pages(group));
  free(group->waves);
  free(group->lds);
  free(group);
}

// Of earlier launches. A program may launch a kernel a million times, and without these most of the
// time would go to the host's pages.
enum { MOST_KEPT = 4, LARGEST_KEPT = 8 << 20 }; // bytes of scratch and registers
static Workgroup *kept[MOST_KEPT];

static Workgroup *exchange_kept(int place, Workgroup *group) {
  return __atomic_exchange_n(&kept[place], group, __ATOMIC_ACQ_REL);
}

void workgroup_keep(Workgroup *group) {
  static unsigned place;
  const size_t bytes = sizeof(Wavefront) + group->scratch_bytes;
  if (group->wave_count * bytes <= LARGEST_KEPT)
    group = exchange_kept(__atomic_fetch_add(&place, 1, __ATOMIC_RELAXED) % MOST_KEPT, group);
  workgroup_free(group);
}

static Workgroup *take_kept(const Launch *launch) {
  for (int i = 0; i < MOST_KEPT; i++) {
    Workgroup *group = exchange_kept(i, NULL);
    if (group && group->wave_count == launch->waves_per_workgroup &&
        group->scratch_bytes == launch->scratch_bytes)
      return group;
    workgroup_free(exchange_kept(i, group)); // another thread may have put one there meanwhile
  }
  return NULL;
}

Workgroup *workgroup_allocate(const Launch *launch) {
  Workgroup *group = take_kept(launch);
  if (group)
    return group;
  group = calloc(1, sizeof *group);
  if (!group)
    return NULL;
  group->wave_count = launch->waves_per_workgroup;
  group->scratch_bytes = launch->scratch_bytes;
  group->waves =
      aligned_alloc(PAGE, round_up(launch->waves_per_workgroup * sizeof(Wavefront), PAGE));
  group->lds = calloc(1, DEVICE_LDS_BYTES + LDS_BEHIND);
  uint8_t *scratch = allocate_scratch(group);
  if (!group->waves || !group->lds || !scratch) {
    if (scratch)
      munmap(scratch, scratch_pages(group));
    free(group->waves);
    free(group->lds);
    free(group);
    return NULL;
  }
  for (uint32_t i = 0; i < launch->waves_per_workgroup; i++) {
    group->waves[i].shadow = NULL;
    group->waves[i].scratch = scratch + (size_t)i * launch->scratch_bytes;
    group->waves[i].scratch_used = 0;
    group->waves[i].trace = (Trace){0};
    group->waves[i].expanded_exec = 0;
    memset(group->waves[i].exec_lanes, 0, sizeof group->waves[i].exec_lanes);
  }
  if (!shadow_allocate(launch, group)) {
    workgroup_free(group);
    return NULL;
  }
  return group;
}

// Whether what a wave leaves is looked at when it has ended: its trace, its shadow.
static bool asked_afterwards(const Launch *launch, const Workgroup *group) {
  return launch->traced || group->waves[0].shadow;
}

// Otherwise a wave begins when its first turn comes, and mostly in the memory of the one before it,
// which has ended and is still in the host's cache.
static Wavefront *begin_wave(HostThread *thread, Workgroup *group) {
  Wavefront *w = group->in_memory ? &group->waves[group->in_memory - 1] : NULL;
  if (!w || w->state != WAVE_DONE || asked_afterwards(thread->launch, group))
    w = &group->waves[group->in_memory++];
  else
    group->issued += w->issued;
  wave_start(thread->launch, thread, group, group->begun++, w);
  return w;
}

// Divisions take long, and most grids are lines.
void workgroup_id(const Launch *launch, uint64_t index, uint32_t *id) {
  const uint32_t *grid = launch->grid;
  const uint64_t rest = index < grid[0] ? 0 : index / grid[0];
  id[0] = (uint32_t)(index - rest * grid[0]);
  id[1] = (uint32_t)(rest < grid[1] ? rest : rest % grid[1]);
  id[2] = (uint32_t)(rest < grid[1] ? 0 : rest / grid[1]);
}

void workgroup_start(const Launch *launch, HostThread *thread, Workgroup *group, uint64_t index) {
  const uint32_t *grid = launch->grid;
  group->index = index;
  workgroup_id(launch, index, group->id);
  for (int axis = 0; axis < 3; axis++)
    group->size[axis] =
        launch->block[axis] - (group->id[axis] + 1 == grid[axis] ? launch->cut[axis] : 0);
  group->lds_bytes = launch->lds_allocated_bytes;
  if (launch->lds_allocated_bytes)
    memset(group->lds, LDS_POISON, launch->lds_allocated_bytes);
  if (group->shadow)
    shadow_start_group(group);
  group->begun = group->in_memory = 0;
  group->issued = group->barriers = group->look_at = group->waited_at = 0;
  group->waiting = false;
  while (asked_afterwards(launch, group) && group->begun < group->wave_count)
    begin_wave(thread, group);
}

static void give_turn(Wavefront *w) {
  w->thread->turn = w;
  if (w->state == WAVE_RUNNING)
    progress_turn(w);
}

static void give_turns(HostThread *thread, Workgroup *group) {
  if (group->begun == group->wave_count)
    for (uint32_t i = 0; i < group->in_memory; i++)
      give_turn(&group->waves[i]);
  while (group->begun < group->wave_count)
    give_turn(begin_wave(thread, group));
}

static GroupState take_turns(HostThread *thread, Workgroup *group) {
  const uint64_t end = workgroup_issued(group) + LONGEST_TURN;
  for (;;) {
    uint32_t running = 0, waiting = 0, at_grid_barrier = 0;
    give_turns(thread, group);
    for (uint32_t i = 0; i < group->in_memory; i++) {
      const Wavefront *w = &group->waves[i];
      running += w->state == WAVE_RUNNING;
      waiting += w->state == WAVE_AT_BARRIER;
      at_grid_barrier += w->state == WAVE_AT_GRID_BARRIER;
    }
    if (running || at_grid_barrier) {
      progress_check(thread, group);
      return GROUP_PARKED;
    }
    if (!waiting)
      return GROUP_DONE;
    sanitizer_barrier(group);
    for (uint32_t i = 0; i < group->in_memory; i++)
      if (group->waves[i].state == WAVE_AT_BARRIER)
        group->waves[i].state = WAVE_RUNNING;
    if (progress_waits(group) || workgroup_issued(group) > end) {
      progress_check(thread, group);
      return GROUP_PARKED;
    }
  }
}

// What the launch may access. With HSA_XNACK=1 that is more than the device's memory.
static bool is_of_program(uint64_t address, const void *unused) {
  (void)unused;
  return device_memory_find(address, 1) || (settings()->xnack && !device_memory_reserved(address));
}

GroupState workgroup_run(HostThread *thread, Workgroup *group) {
  const int cause = setjmp(thread->on_fault);
  if (cause) {
    missing_memory_unwatch();
    float_mode_reset(); // the fault may have come in the midst of an instruction
    if (cause == MISSING_MEMORY)
      access_note_missing(thread->turn, missing_memory_address());
    return GROUP_FAULTED;
  }
  missing_memory_watch(&thread->on_fault, is_of_program, NULL, false);
  const GroupState state = take_turns(thread, group);
  missing_memory_unwatch();
  return state;
}

uint64_t workgroup_issued(const Workgroup *group) {
  uint64_t issued = group->issued;
  for (uint32_t i = 0; i < group->in_memory; i++)
    issued += group->waves[i].issued;
  return issued;
}
