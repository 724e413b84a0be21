// Occupancy queries: how many blocks of a kernel a compute unit holds, and which block size fills
// it.
//
// In: a kernel, a block size in work-items, dynamic LDS in bytes. Out: blocks per compute unit,
// block and grid sizes. The suggested block size never exceeds the kernel's launch bound;
// hipamd 5.2 ignores the bound there, and its suggestion then fails to launch.
#define _GNU_SOURCE
#include "devices.h"
#include "gfx90a.h"
#include "launch_configuration.h"
#include "loaded_object.h"
#include "occupancy.h"
#include "parameters.h"
#include "registration.h"
#include "runtime.h"

#include <string.h>

enum { DISABLE_CACHING_OVERRIDE = 1 }; // the one flag, of releases after 5.2

static uint32_t resident(const Kernel *kernel, uint32_t block, size_t lds) {
  return lds > DEVICE_LDS_BYTES ? 0 : occupancy_workgroups_per_cu(kernel, block, (uint32_t)lds);
}

static hipError_t active_blocks(int *blocks, const Kernel *kernel, int block, size_t lds) {
  if (!blocks || !kernel || block <= 0)
    return hipErrorInvalidValue;
  *blocks = block > DEVICE_MAX_WORKGROUP_SIZE ? 0 : (int)resident(kernel, (uint32_t)block, lds);
  return hipSuccess;
}

static hipError_t best_block(int *grid, int *block, const Kernel *kernel, size_t lds, int limit) {
  if (!grid || !block || !kernel)
    return hipErrorInvalidValue;
  uint32_t best =
      limit <= 0 || limit > DEVICE_MAX_WORKGROUP_SIZE ? DEVICE_MAX_WORKGROUP_SIZE : (uint32_t)limit;
  best = (best + DEVICE_WAVEFRONT_SIZE - 1) / DEVICE_WAVEFRONT_SIZE * DEVICE_WAVEFRONT_SIZE;
  if (best > kernel->max_workgroup_size)
    best = kernel->max_workgroup_size;
  while (best > DEVICE_WAVEFRONT_SIZE && !resident(kernel, best, lds))
    best -= DEVICE_WAVEFRONT_SIZE;
  *block = (int)best;
  *grid = (int)((uint32_t)parameters_device()->compute_units * resident(kernel, best, lds));
  return hipSuccess;
}

// The flag changes nothing on this device.
static hipError_t active_blocks_of(int *blocks, const void *function, int block, size_t lds,
                                   unsigned flags) {
  const Kernel *kernel = NULL;
  if (!blocks || flags > DISABLE_CACHING_OVERRIDE)
    return hipErrorInvalidValue;
  const hipError_t error = registered_kernel(function, device_current(), &kernel);
  return error == hipSuccess ? active_blocks(blocks, kernel, block, lds) : error;
}

static hipError_t active_blocks_with(int *blocks, hipFunction_t function, int block, size_t lds,
                                     unsigned flags) {
  return flags > DISABLE_CACHING_OVERRIDE
             ? hipErrorInvalidValue
             : active_blocks(blocks, loaded_kernel(function), block, lds);
}

// NULL, and so hipErrorInvalidValue, for an unknown function.
static const Kernel *kernel_at(const void *function) {
  const Kernel *kernel = NULL;
  return registered_kernel(function, device_current(), &kernel) == hipSuccess ? kernel : NULL;
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                        int block, size_t lds) {
  SERVE(active_blocks_of(blocks, function, block, lds, hipOccupancyDefault));
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                 int block, size_t lds,
                                                                 unsigned flags) {
  SERVE(active_blocks_of(blocks, function, block, lds, flags));
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function,
                                                              int block, size_t lds) {
  SERVE(active_blocks(blocks, loaded_kernel(function), block, lds));
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                       hipFunction_t function,
                                                                       int block, size_t lds,
                                                                       unsigned flags) {
  SERVE(active_blocks_with(blocks, function, block, lds, flags));
}
EXPORT hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                           int blocks, int block);

// The most that each of so many blocks of a compute unit may ask for, in whole granules.
static hipError_t available_lds(size_t *bytes, const void *function, int blocks, int block) {
  const Kernel *kernel = NULL;
  if (!bytes || blocks <= 0 || block <= 0 || block > DEVICE_MAX_WORKGROUP_SIZE)
    return hipErrorInvalidValue;
  const hipError_t error = registered_kernel(function, device_current(), &kernel);
  if (error != hipSuccess)
    return error;
  if (resident(kernel, (uint32_t)block, 0) < (uint32_t)blocks)
    return hipErrorInvalidValue;
  size_t least = 0, most = DEVICE_LDS_BYTES + 1; // fits, and does not
  while (most - least > 1) {
    const size_t middle = (least + most) / 2;
    *(resident(kernel, (uint32_t)block, middle) >= (uint32_t)blocks ? &least : &most) = middle;
  }
  *bytes = least;
  return hipSuccess;
}

hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                    int block) {
  SERVE(available_lds(bytes, function, blocks, block));
}
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *function,
                                             size_t lds, int limit) {
  SERVE(best_block(grid, block, kernel_at(function), lds, limit));
}
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t function,
                                                   size_t lds, int limit) {
  SERVE(best_block(grid, block, loaded_kernel(function), lds, limit));
}
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                            hipFunction_t function, size_t lds,
                                                            int limit, unsigned flags) {
  SERVE(flags > DISABLE_CACHING_OVERRIDE
            ? hipErrorInvalidValue
            : best_block(grid, block, loaded_kernel(function), lds, limit));
}

// ---- clusters of blocks, of 6.5: here one is one block (hipamd hip_platform.cpp) ----

enum { INVALID_CLUSTER_SIZE = 1054, MOST_OF_AN_ENGINE = 15 };
EXPORT hipError_t hipOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                      const LaunchConfiguration *launch);
EXPORT hipError_t hipOccupancyMaxActiveClusters(int *clusters, const void *function,
                                                const LaunchConfiguration *launch);

static uint64_t items_of(dim3 block) { return (uint64_t)block.x * block.y * block.z; }

// Whether clusters were asked for, as the last attribute about them says, and have one block.
static bool wants_single_blocks(const LaunchConfiguration *launch) {
  const LaunchAttribute *last = NULL;
  for (unsigned i = 0; launch->attributes && i < launch->count; i++)
    if (launch->attributes[i].id == LAUNCH_CLUSTER)
      last = &launch->attributes[i];
  const unsigned one[3] = {1, 1, 1};
  return last && memcmp(last->value.cluster, one, sizeof one) == 0;
}

static hipError_t largest_cluster(int *size, const void *function,
                                  const LaunchConfiguration *launch) {
  if (!size || !launch)
    return hipErrorInvalidValue;
  *size = 0;
  const Kernel *kernel = kernel_at(function);
  if (!kernel)
    return hipErrorInvalidDeviceFunction;
  if (kernel->group_segment_size + launch->lds > DEVICE_LDS_BYTES)
    return hipSuccess;
  if (items_of(launch->block) > DEVICE_MAX_WORKGROUP_SIZE)
    return hipErrorInvalidValue;
  *size = 1;
  return hipSuccess;
}

static hipError_t active_clusters(int *clusters, const void *function,
                                  const LaunchConfiguration *launch) {
  const Parameters *p = parameters_device();
  const Kernel *kernel = kernel_at(function);
  int blocks = 0;
  if (!clusters || !launch)
    return hipErrorInvalidValue;
  if (!kernel)
    return hipErrorInvalidDeviceFunction;
  if (!wants_single_blocks(launch))
    return (hipError_t)INVALID_CLUSTER_SIZE;
  if (items_of(launch->block) > DEVICE_MAX_WORKGROUP_SIZE)
    return hipErrorInvalidValue;
  const hipError_t error =
      active_blocks(&blocks, kernel, (int)items_of(launch->block), launch->lds);
  const int engines = (int)p->shader_engines, in_one = blocks * ((int)p->compute_units / engines);
  if (error == hipSuccess)
    *clusters = engines * (in_one < MOST_OF_AN_ENGINE ? in_one : MOST_OF_AN_ENGINE);
  return error;
}

hipError_t hipOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                               const LaunchConfiguration *launch) {
  SERVE(largest_cluster(size, function, launch));
}
hipError_t hipOccupancyMaxActiveClusters(int *clusters, const void *function,
                                         const LaunchConfiguration *launch) {
  SERVE(active_clusters(clusters, function, launch));
}
