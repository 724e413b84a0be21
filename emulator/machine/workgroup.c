// Workgroups under way: see workgroup.h.
#include "workgroup.h"

#include "float_mode.h"
#include "initial_state.h"
#include "progress.h"
#include "sanitizer.h"
#include "shadow.h"
#include "vector_access.h"

#include <stdlib.h>
#include <string.h>

enum {
  PAGE = 4096,       // bytes
  LDS_POISON = 0xff, // LDS is not cleared between workgroups on the device; as floats this is NaN
};

static size_t round_up(size_t value, size_t granule) {
  return (value + granule - 1) / granule * granule;
}

void workgroup_free(Workgroup *group) {
  if (!group)
    return;
  for (uint32_t i = 0; i < group->wave_count; i++)
    free(group->waves[i].trace.word);
  shadow_free(group);
  free(group->waves[0].scratch);
  free(group->waves);
  free(group->lds);
  free(group);
}

Workgroup *workgroup_allocate(const Launch *launch) {
  Workgroup *group = calloc(1, sizeof *group);
  if (!group)
    return NULL;
  group->wave_count = launch->waves_per_workgroup;
  group->waves =
      aligned_alloc(PAGE, round_up(launch->waves_per_workgroup * sizeof(Wavefront), PAGE));
  group->lds = calloc(1, DEVICE_LDS_BYTES + LDS_ZEROES);
  uint8_t *scratch = aligned_alloc(
      PAGE, round_up((size_t)launch->waves_per_workgroup * launch->scratch_bytes + 1, PAGE));
  if (!group->waves || !group->lds || !scratch) {
    free(scratch);
    free(group->waves);
    free(group->lds);
    free(group);
    return NULL;
  }
  for (uint32_t i = 0; i < launch->waves_per_workgroup; i++) {
    group->waves[i].shadow = NULL;
    group->waves[i].scratch = scratch + (size_t)i * launch->scratch_bytes;
    group->waves[i].trace = (Trace){0};
  }
  if (!shadow_allocate(launch, group)) {
    workgroup_free(group);
    return NULL;
  }
  return group;
}

void workgroup_start(const Launch *launch, HostThread *thread, Workgroup *group, uint64_t index) {
  const uint32_t *grid = launch->grid;
  group->index = index;
  group->id[0] = (uint32_t)(index % grid[0]);
  group->id[1] = (uint32_t)(index / grid[0] % grid[1]);
  group->id[2] = (uint32_t)(index / grid[0] / grid[1]);
  for (int axis = 0; axis < 3; axis++)
    group->size[axis] =
        launch->block[axis] - (group->id[axis] + 1 == grid[axis] ? launch->cut[axis] : 0);
  group->lds_bytes = launch->lds_allocated_bytes;
  if (launch->lds_allocated_bytes)
    memset(group->lds, LDS_POISON, launch->lds_allocated_bytes);
  shadow_start_group(group);
  for (uint32_t i = 0; i < group->wave_count; i++)
    wave_start(launch, thread, group, i);
}

static GroupState take_turns(Workgroup *group) {
  for (;;) {
    uint32_t running = 0, waiting = 0, at_grid_barrier = 0;
    for (uint32_t i = 0; i < group->wave_count; i++) {
      Wavefront *w = &group->waves[i];
      if (w->state == WAVE_RUNNING)
        progress_turn(w);
      running += w->state == WAVE_RUNNING;
      waiting += w->state == WAVE_AT_BARRIER;
      at_grid_barrier += w->state == WAVE_AT_GRID_BARRIER;
    }
    if (running)
      progress_check(group->waves[0].thread, group);
    if (running || at_grid_barrier)
      return GROUP_PARKED;
    if (!waiting)
      return GROUP_DONE;
    sanitizer_barrier(group);
    for (uint32_t i = 0; i < group->wave_count; i++)
      if (group->waves[i].state == WAVE_AT_BARRIER)
        group->waves[i].state = WAVE_RUNNING;
  }
}

GroupState workgroup_run(HostThread *thread, Workgroup *group) {
  if (setjmp(thread->on_fault)) {
    float_mode_reset(); // the fault may have come in the midst of an instruction
    return GROUP_FAULTED;
  }
  return take_turns(group);
}
