// Kernel launches: see kernel_launch.h. Codes and their order: hipamd hip_module.cpp
// (ihipLaunchKernel_validate); LDS: ROCclr kernel.cpp (KernelParameters::capture).
#define _GNU_SOURCE
#include "kernel_launch.h"

#include "code_object.h"
#include "counters.h"
#include "device_memory.h"
#include "gfx90a.h"
#include "hostcall.h"
#include "launch_memory.h"
#include "launch_plan.h"
#include "limits.h"
#include "model_switch.h"
#include "parameters.h"
#include "repeated_launch.h"
#include "runtime.h"
#include "unawaited.h"

#include <stdio.h>
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

static hipError_t validate_grid(const Launch *launch) {
  const uint32_t *grid = launch->grid, *block = launch->block;
  for (int axis = 0; axis < 3; axis++)
    if (grid[axis] > INT32_MAX) {
      runtime_say("launch of %s: %u blocks in %c, which is %d as an int; the device takes at most "
                  "%d. Was the number computed from something that overflowed or failed?",
                  launch->kernel->name, grid[axis], 'x' + axis, (int)grid[axis], INT32_MAX);
      return hipErrorInvalidConfiguration;
    }
  for (int axis = 0; axis < 3; axis++)
    if ((uint64_t)grid[axis] * block[axis] > UINT32_MAX) {
      runtime_say("launch of %s: %u blocks of %u work-items in %c are %llu work-items; the packet "
                  "holds at most %u.",
                  launch->kernel->name, grid[axis], block[axis], 'x' + axis,
                  (unsigned long long)grid[axis] * block[axis], UINT32_MAX);
      return hipErrorInvalidConfiguration;
    }
  for (int axis = 0; axis < 3; axis++)
    if (!grid[axis] || !block[axis]) {
      runtime_say("launch of %s: grid %u x %u x %u, block %u x %u x %u: every dimension must be at "
                  "least 1.",
                  launch->kernel->name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
      return hipErrorInvalidConfiguration;
    }
  return hipSuccess;
}

static hipError_t validate_block(const Launch *launch) {
  const char *name = launch->kernel->name;
  const uint32_t *block = launch->block;
  __uint128_t items = (__uint128_t)block[0] * block[1] * block[2];
  if (items > DEVICE_MAX_WORKGROUP_SIZE) {
    runtime_say(
        "launch of %s: block %u x %u x %u has %s%llu work-items; the device takes at most %d.",
        name, block[0], block[1], block[2], items > UINT64_MAX ? "more than " : "",
        items > UINT64_MAX ? UINT64_MAX : (unsigned long long)items, DEVICE_MAX_WORKGROUP_SIZE);
    return hipErrorInvalidConfiguration;
  }
  if (items > launch->kernel->max_workgroup_size) {
    runtime_say("launch of %s: block %u x %u x %u has %llu work-items, but the kernel was compiled "
                "for at most %u "
                "(__launch_bounds__); launch at most %u or raise the bound.",
                name, block[0], block[1], block[2], (unsigned long long)items,
                launch->kernel->max_workgroup_size, launch->kernel->max_workgroup_size);
    return hipErrorLaunchFailure;
  }
  return hipSuccess;
}

static hipError_t validate_lds(const Launch *launch) {
  size_t fixed = launch->kernel->group_segment_size, dynamic = launch->dynamic_lds_bytes;
  if (dynamic <= DEVICE_LDS_BYTES && fixed + dynamic <= DEVICE_LDS_BYTES)
    return hipSuccess;
  runtime_say(
      "launch of %s: %zu bytes of dynamic and %zu bytes of static LDS exceed the %d bytes of "
      "a compute unit.",
      launch->kernel->name, dynamic, fixed, DEVICE_LDS_BYTES);
  return hipErrorInvalidValue;
}

static hipError_t validate_cooperative(const Launch *launch) {
  if (validate_lds(launch) != hipSuccess) // then no block is resident
    return hipErrorCooperativeLaunchTooLarge;
  uint64_t resident = (uint64_t)parameters_device()->compute_units * launch->workgroups_per_cu;
  if (launch->workgroups <= resident)
    return hipSuccess;
  runtime_say("cooperative launch of %s: all blocks must be resident at once, and the device holds "
              "%llu of this size.",
              launch->kernel->name, (unsigned long long)resident);
  return hipErrorCooperativeLaunchTooLarge;
}

// The device would run what lies behind.
static hipError_t validate_code(const Launch *launch) {
  if (launch->kernel->code_size)
    return hipSuccess;
  runtime_say("launch of %s: the kernel has no code. The compiler found that it always does what "
              "C++ does not define, as to make an int of an infinity or to fall out of a function "
              "that returns a value, and left nothing of it. Compiled with -O0, it has code.",
              launch->kernel->name);
  return hipErrorLaunchFailure;
}

hipError_t launch_validate(Launch *launch) {
  hipError_t error = validate_code(launch);
  if (error == hipSuccess)
    error = validate_grid(launch);
  if (error == hipSuccess)
    error = validate_block(launch);
  launch->stack_bytes = limit_of_stack();
  if (error == hipSuccess)
    launch_plan(launch);
  if (error == hipSuccess && launch->cooperative)
    error = validate_cooperative(launch);
  return error == hipSuccess ? validate_lds(launch) : error;
}

// The buffer of hipModuleLaunchKernel's `extra`: pointer and size between markers.
static hipError_t gather_buffer(Launch *launch, void **extra) {
  if (extra[0] != HIP_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != HIP_LAUNCH_PARAM_BUFFER_SIZE ||
      extra[4] != HIP_LAUNCH_PARAM_END)
    return hipErrorInvalidValue;
  const size_t *given = extra[3];
  uint32_t needed = explicit_size(launch->kernel);
  if (!extra[1] || !given || *given < needed) {
    runtime_say("launch of %s: the argument buffer has %zu bytes, the kernel takes %u.",
                launch->kernel->name, given ? *given : 0, needed);
    return hipErrorInvalidValue;
  }
  memcpy(launch->arguments, extra[1], needed);
  return hipSuccess;
}

static hipError_t gather_parameters(Launch *launch, void **parameters) {
  for (size_t i = 0; i < launch->kernel->explicit_count; i++) {
    const KernelArgument *argument = &launch->kernel->arguments[i];
    if (!parameters || !parameters[i]) {
      runtime_say("launch of %s: no value for argument %zu of %zu.", launch->kernel->name, i + 1,
                  launch->kernel->explicit_count);
      return hipErrorInvalidValue;
    }
    memcpy(launch->arguments + argument->offset, parameters[i], argument->size);
  }
  return hipSuccess;
}

hipError_t launch_gather(Launch *launch, void **parameters, void **extra) {
  if (parameters && extra) {
    runtime_say("launch of %s: pass kernelParams or extra, not both.", launch->kernel->name);
    return hipErrorInvalidValue;
  }
  launch->arguments = calloc(1, launch->kernel->kernarg_size + 1u);
  if (!launch->arguments)
    return hipErrorOutOfMemory;
  return extra ? gather_buffer(launch, extra) : gather_parameters(launch, parameters);
}

// What this_multi_grid() of a kernel reads (struct mg_info of ockl cg.cl), and the words at which the grids wait for each
// other (struct mg_sync).
typedef struct {
  uint64_t barrier;
  uint32_t number, count;
  uint64_t items_before, items;
} MultiGrid;
struct MultiGridBarrier {
  uint32_t words[2];
  uint32_t grids; // that have not ended
};

hipError_t launch_together_begin(Launch *launch, uint32_t grids) {
  struct MultiGridBarrier *barrier = launch_memory_take(sizeof *barrier);
  if (barrier)
    *barrier = (struct MultiGridBarrier){.grids = grids};
  launch->together.barrier = barrier;
  return barrier ? hipSuccess : hipErrorOutOfMemory;
}

void launch_together_end(const Launch *launch, uint32_t grids) {
  struct MultiGridBarrier *barrier = launch->together.barrier;
  if (barrier && __atomic_sub_fetch(&barrier->grids, grids, __ATOMIC_ACQ_REL) == 0)
    launch_memory_give(barrier);
}

// Behind the arguments.
static uint32_t multigrid_offset(const Kernel *kernel) {
  return (kernel->kernarg_size + 15u) & ~15u;
}

static uint64_t multigrid_words(const Launch *launch, uint8_t *segment) {
  MultiGrid *words = (MultiGrid *)(segment + multigrid_offset(launch->kernel));
  *words = (MultiGrid){.barrier = (uint64_t)launch->together.barrier,
                       .number = launch->together.number,
                       .count = launch->together.count,
                       .items_before = launch->together.items_before,
                       .items = launch->together.items};
  return (uint64_t)words;
}

// Whoever prints finds no room there, and goes on (__printf_alloc of ROCm's device library).
static uint64_t full_printf_buffer(const Kernel *kernel) {
  static bool told;
  if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
    fprintf(stderr,
            "emulator: note: kernel %s: its printf prints nothing here, for it was compiled with "
            "-mprintf-kind=buffered, which the emulator does not serve. Compile without that "
            "option.\n",
            kernel->name);
  return (uint64_t)hostcall_full_buffer();
}

// Hidden arguments: LLVM AMDGPUUsage.rst, code object v4 and v5 metadata.
static uint64_t hidden_value(ArgumentKind kind, const Launch *launch, uint8_t *segment) {
  const uint32_t *grid = launch->grid, *block = launch->block;
  switch (kind) {
  case ARGUMENT_HIDDEN_HOSTCALL_BUFFER:
    return (uint64_t)hostcall_buffer();
  case ARGUMENT_HIDDEN_PRINTF_BUFFER:
    return full_printf_buffer(launch->kernel);
  case ARGUMENT_HIDDEN_MULTIGRID_SYNC: // 1: this grid can wait for itself; more is an address
    return launch->together.count ? multigrid_words(launch, segment) : launch->cooperative;
  case ARGUMENT_HIDDEN_BLOCK_COUNT_X:
  case ARGUMENT_HIDDEN_BLOCK_COUNT_Y:
  case ARGUMENT_HIDDEN_BLOCK_COUNT_Z: { // of whole blocks
    const int axis = kind - ARGUMENT_HIDDEN_BLOCK_COUNT_X;
    return grid[axis] - (launch->cut[axis] > 0);
  }
  case ARGUMENT_HIDDEN_REMAINDER_X:
  case ARGUMENT_HIDDEN_REMAINDER_Y:
  case ARGUMENT_HIDDEN_REMAINDER_Z: {
    const int axis = kind - ARGUMENT_HIDDEN_REMAINDER_X;
    return launch->cut[axis] ? block[axis] - launch->cut[axis] : 0;
  }
  case ARGUMENT_HIDDEN_GROUP_SIZE_X:
  case ARGUMENT_HIDDEN_GROUP_SIZE_Y:
  case ARGUMENT_HIDDEN_GROUP_SIZE_Z:
    return block[kind - ARGUMENT_HIDDEN_GROUP_SIZE_X];
  case ARGUMENT_HIDDEN_GRID_DIMS:
    return grid[2] > 1 || block[2] > 1 ? 3 : grid[1] > 1 || block[1] > 1 ? 2 : 1;
  case ARGUMENT_HIDDEN_HEAP:
    return (uint64_t)hostcall_heap();
  case ARGUMENT_HIDDEN_DYNAMIC_LDS_SIZE:
    return launch->dynamic_lds_bytes;
  default:
    return 0;
  }
}

// Those that would tell kernels of memory which is not there.
static bool needs_memory(ArgumentKind kind) {
  return kind == ARGUMENT_HIDDEN_HOSTCALL_BUFFER || kind == ARGUMENT_HIDDEN_PRINTF_BUFFER ||
         kind == ARGUMENT_HIDDEN_HEAP;
}

static uint8_t *fill_segment(const Launch *launch) {
  const Kernel *kernel = launch->kernel;
  uint8_t *segment = launch_memory_take(multigrid_offset(kernel) + sizeof(MultiGrid));
  if (!segment)
    return NULL;
  memset(segment, 0, kernel->kernarg_size);
  memcpy(segment, launch->arguments, explicit_size(kernel));
  for (size_t i = kernel->explicit_count; i < kernel->argument_count; i++) {
    const KernelArgument *argument = &kernel->arguments[i];
    uint64_t value = hidden_value(argument->kind, launch, segment);
    if (!value && needs_memory(argument->kind)) {
      launch_memory_give(segment);
      return NULL;
    }
    memcpy(segment + argument->offset, &value,
           argument->size < sizeof value ? argument->size : sizeof value);
  }
  return segment;
}

static LaunchTimes so_far;

LaunchTimes launch_times(void) { return so_far; }

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// Without a modelled time, that of an average wave alone.
static uint64_t clock_after(const Launch *launch, const Counters *counters) {
  const uint64_t *count = counters->value, waves = count[SQ_WAVES] ? count[SQ_WAVES] : 1,
                 took = counters->modelled ? count[GRBM_COUNT] : 4 * (count[SQ_INSTS] / waves),
                 end = launch->clock + took;
  return end > counters->clock_read ? end : counters->clock_read;
}

// A fault does not fail the launch, which is asynchronous on a real device, but every call after
// it.
static void run(const Launch *asked) {
  static uint64_t clock = 1; // never goes back; 0 would be none
  Counters counters;
  Fault fault;
  double host_ms;
  Launch launch = *asked;
  device_memory_choose(asked->device);
  launch.clock = clock;
  launch.kernarg = fill_segment(asked);
  if (!launch.kernarg) {
    fault = (Fault){.kind = FAULT_HOST};
    fault_append(&fault,
                 "kernel %s: the host has no memory for its arguments, or for the "
                 "buffers of its printf and malloc.",
                 launch.kernel->name);
    runtime_fault(&fault);
    return;
  }
  const double begin = now_ms();
  if (repeated_launch_run(&launch, &counters, &fault, &host_ms)) {
    so_far.spared_ms += host_ms - (now_ms() - begin);
    so_far.modelled_ms += counters.modelled ? counters.modelled_ms : 0;
    const uint64_t end = clock_after(&launch, &counters);
    clock = end > clock ? end : clock; // others may have ended while it had stepped aside
    counters_publish(&counters, &launch);
  } else {
    runtime_fault(&fault);
  }
  launch_memory_give((void *)launch.kernarg);
}

static void run_queued(void *data) {
  Launch *launch = data;
  if (runtime_fault_code() == hipSuccess)
    run(launch);
  launch_together_end(launch, 1);
  free(launch->arguments);
  free(launch);
}

hipError_t launch_submit(Launch *asked, QueueStream stream) {
  Launch *launch = malloc(sizeof *launch);
  if (!launch)
    return hipErrorOutOfMemory;
  *launch = *asked;
  launch->modelled = model_switch_on();
  launch->traffic_unwanted = !launch->modelled && !counters_wanted();
  asked->arguments = NULL;
  const bool managed = unawaited_concerns(launch, explicit_size(launch->kernel));
  const uint64_t number = queue_submit(stream, QUEUE_DEVICE, run_queued, launch);
  if (managed)
    unawaited_note(asked->kernel, number);
  return hipSuccess;
}
