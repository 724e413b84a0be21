// Plans: see launch_plan.h.
#include "launch_plan.h"

#include "gfx90a.h"
#include "occupancy.h"

enum {
  SCRATCH_GRANULE = 1024, // bytes per wave, COMPUTE_TMPRING_SIZE.WAVESIZE
  DYNAMIC_STACK = 16384,  // bytes per work-item at least for kernels whose stack size the compiler
                          // could not bound
};

static uint32_t round_up(uint32_t value, uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t stack_of_item(const Launch *launch) {
  const uint32_t known = launch->kernel->private_segment_size;
  return launch->kernel->dynamic_stack ? larger(known, larger(DYNAMIC_STACK, launch->stack_bytes))
                                       : known;
}

void launch_plan(Launch *launch) {
  const Kernel *kernel = launch->kernel;
  const uint32_t items = launch->block[0] * launch->block[1] * launch->block[2];
  const __uint128_t workgroups = (__uint128_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  launch->workgroups = workgroups < UINT64_MAX ? (uint64_t)workgroups : UINT64_MAX;
  launch->items = 1;
  for (int axis = 0; axis < 3; axis++)
    launch->items *= (uint64_t)launch->grid[axis] * launch->block[axis] - launch->cut[axis];
  launch->items_per_workgroup = items;
  launch->waves_per_workgroup = (items + DEVICE_WAVEFRONT_SIZE - 1) / DEVICE_WAVEFRONT_SIZE;
  launch->scratch_bytes = round_up(stack_of_item(launch) * DEVICE_WAVEFRONT_SIZE, SCRATCH_GRANULE);
  launch->lds_bytes = kernel->group_segment_size + (uint32_t)launch->dynamic_lds_bytes;
  launch->lds_allocated_bytes = round_up(launch->lds_bytes, DEVICE_LDS_GRANULE);
  launch->workgroups_per_cu =
      launch->dynamic_lds_bytes > DEVICE_LDS_BYTES
          ? 0
          : occupancy_workgroups_per_cu(kernel, items, (uint32_t)launch->dynamic_lds_bytes);
}
