// Kernel launches: validation, the kernel-argument segment, and what happens after a fault.
//
// In: a kernel, grid, block, arguments, from any of the HIP launch calls. Out: the completed launch
// and its counters, an error code with a sentence, or a fault that later calls report. Codes and
// their order: hipamd hip_module.cpp (ihipLaunchKernel_validate); LDS: ROCclr kernel.cpp
// (KernelParameters::capture).
#define _GNU_SOURCE
#include "counters.h"
#include "hostcall.h"
#include "occupancy.h"
#include "parameters.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// The end of the explicit arguments, bytes from the begin of the segment.
static uint32_t explicit_size(const Kernel *kernel) {
  uint32_t end = 0;
  for (size_t i = 0; i < kernel->explicit_count; i++)
    if (kernel->arguments[i].offset + kernel->arguments[i].size > end)
      end = kernel->arguments[i].offset + kernel->arguments[i].size;
  return end;
}

static uint64_t block_items(const LaunchCall *call) {
  return (uint64_t)call->block.x * call->block.y * call->block.z;
}

static hipError_t validate_grid(const LaunchCall *call) {
  const uint32_t grid[3] = {call->grid.x, call->grid.y, call->grid.z};
  const uint32_t block[3] = {call->block.x, call->block.y, call->block.z};
  for (int axis = 0; axis < 3; axis++)
    if ((uint64_t)grid[axis] * block[axis] > UINT32_MAX) {
      runtime_say("launch of %s: %u blocks of %u work-items in %c are %llu work-items; the packet "
                  "holds at most %u.",
                  call->kernel->name, grid[axis], block[axis], 'x' + axis,
                  (unsigned long long)grid[axis] * block[axis], UINT32_MAX);
      return hipErrorInvalidConfiguration;
    }
  for (int axis = 0; axis < 3; axis++)
    if (!grid[axis] || !block[axis]) {
      runtime_say("launch of %s: grid %u x %u x %u, block %u x %u x %u: every dimension must be at "
                  "least 1.",
                  call->kernel->name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
      return hipErrorInvalidValue;
    }
  return hipSuccess;
}

static hipError_t validate_block(const LaunchCall *call) {
  uint64_t items = block_items(call);
  const char *name = call->kernel->name;
  dim3 block = call->block;
  if (items > DEVICE_MAX_WORKGROUP_SIZE) {
    runtime_say(
        "launch of %s: block %u x %u x %u has %llu work-items; the device takes at most %d.", name,
        block.x, block.y, block.z, (unsigned long long)items, DEVICE_MAX_WORKGROUP_SIZE);
    return hipErrorInvalidConfiguration;
  }
  if (items > call->kernel->max_workgroup_size) {
    runtime_say("launch of %s: block %u x %u x %u has %llu work-items, but the kernel was compiled "
                "for at most %u "
                "(__launch_bounds__); launch at most %u or raise the bound.",
                name, block.x, block.y, block.z, (unsigned long long)items,
                call->kernel->max_workgroup_size, call->kernel->max_workgroup_size);
    return hipErrorLaunchFailure;
  }
  return hipSuccess;
}

static hipError_t validate_cooperative(const LaunchCall *call) {
  uint64_t resident = (uint64_t)parameters_device()->compute_units *
                      occupancy_workgroups_per_cu(call->kernel, (uint32_t)block_items(call),
                                                  (uint32_t)call->dynamic_lds_bytes);
  __uint128_t blocks = (__uint128_t)call->grid.x * call->grid.y * call->grid.z;
  if (blocks <= resident)
    return hipSuccess;
  runtime_say("cooperative launch of %s: all blocks must be resident at once, and the device holds "
              "%llu of this size.",
              call->kernel->name, (unsigned long long)resident);
  return hipErrorCooperativeLaunchTooLarge;
}

hipError_t launch_validate(const LaunchCall *call) {
  hipError_t error = validate_grid(call);
  if (error == hipSuccess)
    error = validate_block(call);
  if (error == hipSuccess && call->cooperative)
    error = validate_cooperative(call);
  uint64_t fixed = call->kernel->group_segment_size;
  if (error == hipSuccess && (call->dynamic_lds_bytes > DEVICE_LDS_BYTES ||
                              fixed + call->dynamic_lds_bytes > DEVICE_LDS_BYTES)) {
    runtime_say("launch of %s: %zu bytes of dynamic and %llu bytes of static LDS exceed the %d "
                "bytes of a compute unit.",
                call->kernel->name, call->dynamic_lds_bytes, (unsigned long long)fixed,
                DEVICE_LDS_BYTES);
    return hipErrorOutOfMemory;
  }
  return error;
}

// The buffer of hipModuleLaunchKernel's `extra`: pointer and size between markers.
static hipError_t gather_buffer(LaunchCall *call, void **extra) {
  if (extra[0] != HIP_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != HIP_LAUNCH_PARAM_BUFFER_SIZE ||
      extra[4] != HIP_LAUNCH_PARAM_END)
    return hipErrorNotInitialized;
  const size_t *given = extra[3];
  uint32_t needed = explicit_size(call->kernel);
  if (!extra[1] || !given || *given < needed) {
    runtime_say("launch of %s: the argument buffer has %zu bytes, the kernel takes %u.",
                call->kernel->name, given ? *given : 0, needed);
    return hipErrorInvalidValue;
  }
  memcpy(call->arguments, extra[1], needed);
  return hipSuccess;
}

static hipError_t gather_parameters(LaunchCall *call, void **parameters) {
  for (size_t i = 0; i < call->kernel->explicit_count; i++) {
    const KernelArgument *argument = &call->kernel->arguments[i];
    if (!parameters || !parameters[i]) {
      runtime_say("launch of %s: no value for argument %zu of %zu.", call->kernel->name, i + 1,
                  call->kernel->explicit_count);
      return hipErrorInvalidValue;
    }
    memcpy(call->arguments + argument->offset, parameters[i], argument->size);
  }
  return hipSuccess;
}

hipError_t launch_gather(LaunchCall *call, void **parameters, void **extra) {
  if (parameters && extra) {
    runtime_say("launch of %s: pass kernelParams or extra, not both.", call->kernel->name);
    return hipErrorInvalidValue;
  }
  call->arguments = calloc(1, call->kernel->kernarg_size + 1u);
  if (!call->arguments)
    return hipErrorOutOfMemory;
  return extra ? gather_buffer(call, extra) : gather_parameters(call, parameters);
}

// Hidden arguments: LLVM AMDGPUUsage.rst, code object v4 and v5 metadata. HIP grids are whole
// workgroups, so the remainders are 0.
static uint64_t hidden_value(ArgumentKind kind, const LaunchCall *call) {
  switch (kind) {
  case ARGUMENT_HIDDEN_HOSTCALL_BUFFER:
    return (uint64_t)hostcall_buffer();
  case ARGUMENT_HIDDEN_BLOCK_COUNT_X:
    return call->grid.x;
  case ARGUMENT_HIDDEN_BLOCK_COUNT_Y:
    return call->grid.y;
  case ARGUMENT_HIDDEN_BLOCK_COUNT_Z:
    return call->grid.z;
  case ARGUMENT_HIDDEN_GROUP_SIZE_X:
    return call->block.x;
  case ARGUMENT_HIDDEN_GROUP_SIZE_Y:
    return call->block.y;
  case ARGUMENT_HIDDEN_GROUP_SIZE_Z:
    return call->block.z;
  case ARGUMENT_HIDDEN_GRID_DIMS:
    return call->grid.z > 1 || call->block.z > 1   ? 3
           : call->grid.y > 1 || call->block.y > 1 ? 2
                                                   : 1;
  default:
    return 0;
  }
}

// Launches run one after another, so one segment serves them all; it grows with the largest.
static uint8_t *argument_segment(uint32_t size) {
  static void *segment;
  static uint32_t capacity;
  if (size > capacity) {
    if (segment)
      device_memory_free(segment, MEMORY_RUNTIME);
    capacity = (size + 4095) & ~4095u;
    if (device_memory_allocate(capacity, MEMORY_RUNTIME, 0, &segment) != MEMORY_OK) {
      segment = NULL;
      capacity = 0;
    }
  }
  return segment;
}

static uint8_t *fill_segment(const LaunchCall *call) {
  const Kernel *kernel = call->kernel;
  uint8_t *segment = argument_segment(kernel->kernarg_size ? kernel->kernarg_size : 1);
  if (!segment)
    return NULL;
  memset(segment, 0, kernel->kernarg_size);
  memcpy(segment, call->arguments, explicit_size(kernel));
  for (size_t i = kernel->explicit_count; i < kernel->argument_count; i++) {
    const KernelArgument *argument = &kernel->arguments[i];
    uint64_t value = hidden_value(argument->kind, call);
    memcpy(segment + argument->offset, &value,
           argument->size < sizeof value ? argument->size : sizeof value);
  }
  return segment;
}

double runtime_device_ms;

static double milliseconds_since(const struct timespec *begin) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begin->tv_sec) * 1e3 + (double)(now.tv_nsec - begin->tv_nsec) * 1e-6;
}

// A fault does not fail the launch, which is asynchronous on a real device, but every call after
// it.
hipError_t launch_run(const LaunchCall *call) {
  const uint8_t *segment = fill_segment(call);
  if (!segment)
    return hipErrorOutOfMemory;
  Launch launch = {.kernel = call->kernel,
                   .grid = {call->grid.x, call->grid.y, call->grid.z},
                   .block = {call->block.x, call->block.y, call->block.z},
                   .dynamic_lds_bytes = (uint32_t)call->dynamic_lds_bytes,
                   .kernarg = segment,
                   .cooperative = call->cooperative};
  static Counters counters;
  static Fault fault;
  memset(&counters, 0, sizeof counters);
  memset(&fault, 0, sizeof fault);
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (dispatch_run(&launch, &counters, &fault)) {
    runtime_device_ms += counters.modelled ? counters.modelled_ms : milliseconds_since(&begin);
    counters_publish(&counters, call->kernel,
                     (uint64_t)call->grid.x * call->grid.y * call->grid.z * block_items(call),
                     (uint32_t)block_items(call),
                     call->kernel->group_segment_size + (uint32_t)call->dynamic_lds_bytes);
  } else {
    runtime_fault(&fault);
  }
  return hipSuccess;
}

// Validates, then records on a capturing stream or runs.
static hipError_t launch(LaunchCall *call, void **parameters, void **extra, hipStream_t stream) {
  call->arguments = NULL;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  hipError_t error = launch_validate(call);
  if (error == hipSuccess)
    error = launch_gather(call, parameters, extra);
  if (error == hipSuccess) {
    Stream *capturing = stream_capturing(stream);
    error = capturing ? capture_launch(capturing, call) : launch_run(call);
  }
  free(call->arguments);
  return error;
}

static hipError_t launch_function(const void *function, dim3 grid, dim3 block, void **arguments,
                                  size_t lds, hipStream_t stream, bool cooperative) {
  LaunchCall call = {
      .grid = grid, .block = block, .dynamic_lds_bytes = lds, .cooperative = cooperative};
  hipError_t error = runtime_kernel(function, &call.kernel);
  return error == hipSuccess ? launch(&call, arguments, NULL, stream) : error;
}

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                           size_t lds, hipStream_t stream) {
  SERVE(launch_function(function, grid, block, arguments, lds, stream, false));
}
PER_THREAD_VARIANT(hipLaunchKernel);

hipError_t hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                      unsigned lds, hipStream_t stream) {
  SERVE(stream_live(stream) ? launch_function(function, grid, block, arguments, lds, stream, true)
                            : hipErrorInvalidValue);
}
PER_THREAD_VARIANT(hipLaunchCooperativeKernel);

static hipError_t launch_timed(const void *function, dim3 grid, dim3 block, void **arguments,
                               size_t lds, hipStream_t stream, hipEvent_t start, hipEvent_t stop) {
  hipError_t error = start ? event_record(start, stream) : hipSuccess;
  if (error == hipSuccess)
    error = launch_function(function, grid, block, arguments, lds, stream, false);
  return error == hipSuccess && stop ? event_record(stop, stream) : error;
}

hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                              size_t lds, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                              int flags) {
  (void)flags; // hipExtAnyOrderLaunch allows reordering, it does not ask for it
  SERVE(launch_timed(function, grid, block, arguments, lds, stream, start, stop));
}

static hipError_t launch_module(hipFunction_t function, dim3 grid, dim3 block, size_t lds,
                                hipStream_t stream, void **parameters, void **extra) {
  LaunchCall call = {
      .kernel = kernel_of(function), .grid = grid, .block = block, .dynamic_lds_bytes = lds};
  if (!function)
    return hipErrorInvalidImage;
  if (!call.kernel) {
    runtime_say("%p is no kernel of a loaded module; get it from hipModuleGetFunction.",
                (void *)function);
    return hipErrorInvalidHandle;
  }
  return launch(&call, parameters, extra, stream);
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned lds, hipStream_t stream,
                                 void **parameters, void **extra) {
  SERVE(launch_module(function, (dim3){grid_x, grid_y, grid_z}, (dim3){block_x, block_y, block_z},
                      lds, stream, parameters, extra));
}

// The grid of these older calls is given in work-items.
static hipError_t launch_items(hipFunction_t function, dim3 items, dim3 block, size_t lds,
                               hipStream_t stream, void **parameters, void **extra,
                               hipEvent_t start, hipEvent_t stop) {
  if (!block.x || !block.y || !block.z || items.x % block.x || items.y % block.y ||
      items.z % block.z) {
    runtime_say("%u x %u x %u work-items are not whole blocks of %u x %u x %u.", items.x, items.y,
                items.z, block.x, block.y, block.z);
    return hipErrorInvalidValue;
  }
  dim3 grid = {items.x / block.x, items.y / block.y, items.z / block.z};
  hipError_t error = start ? event_record(start, stream) : hipSuccess;
  if (error == hipSuccess)
    error = launch_module(function, grid, block, lds, stream, parameters, extra);
  return error == hipSuccess && stop ? event_record(stop, stream) : error;
}

// The names below are C++ functions in the real library's headers (hip_ext.h, hip_hcc.h,
// functional_grid_launch.hpp).
EXPORT hipError_t hipExtModuleLaunchKernel(
    hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z, uint32_t block_x,
    uint32_t block_y, uint32_t block_z, size_t lds, hipStream_t stream, void **parameters,
    void **extra, hipEvent_t start, hipEvent_t stop,
    uint32_t flags) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_"
                            "tPPvS4_P11ihipEvent_tS6_j");

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t lds, hipStream_t stream,
                                    void **parameters, void **extra, hipEvent_t start,
                                    hipEvent_t stop, uint32_t flags) {
  (void)flags;
  SERVE(launch_items(function, (dim3){items_x, items_y, items_z}, (dim3){block_x, block_y, block_z},
                     lds, stream, parameters, extra, start, stop));
}

EXPORT hipError_t hipHccModuleLaunchKernel(
    hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z, uint32_t block_x,
    uint32_t block_y, uint32_t block_z, size_t lds, hipStream_t stream, void **parameters,
    void **extra, hipEvent_t start,
    hipEvent_t stop) __asm__("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_"
                             "tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_");

hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t lds, hipStream_t stream,
                                    void **parameters, void **extra, hipEvent_t start,
                                    hipEvent_t stop) {
  SERVE(launch_items(function, (dim3){items_x, items_y, items_z}, (dim3){block_x, block_y, block_z},
                     lds, stream, parameters, extra, start, stop));
}
