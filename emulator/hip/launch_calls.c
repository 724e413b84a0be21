// The calls that launch kernels: run, or written down on a stream that records.
//
// In: HIP calls. Out: launches (kernel_launch.h), or nodes of a graph (capture.h).
#define _GNU_SOURCE
#include "capture.h"
#include "code_object.h"
#include "device_memory.h"
#include "devices.h"
#include "event.h"
#include "gfx90a.h"
#include "handle.h"
#include "kernel_launch.h"
#include "launch_configuration.h"
#include "loaded_object.h"
#include "program_abi.h"
#include "registration.h"
#include "runtime.h"
#include "settings.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

// Validates, then records on a capturing stream or runs; the stream is live. function: as the program
// named the kernel.
static hipError_t launch(Launch *asked, const void *function, void **parameters, void **extra,
                         hipStream_t stream) {
  asked->arguments = NULL;
  hipError_t error = launch_validate(asked);
  if (error == hipSuccess)
    error = launch_gather(asked, parameters, extra);
  if (error == hipSuccess) {
    Stream *capturing = stream_capturing(stream);
    // A graph launches many times, and the place where grids wait for each other serves one launch.
    if (capturing && asked->together.count)
      error = hipErrorStreamCaptureUnsupported;
    else
      error = capturing ? capture_launch(capturing, asked, function)
                        : launch_submit(asked, stream_order(stream));
  }
  free(asked->arguments);
  return error;
}

static hipError_t launch_asked(Launch asked, const void *function, void **arguments,
                               hipStream_t stream) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  asked.device = stream_device(stream);
  hipError_t error = registered_kernel(function, asked.device, &asked.kernel);
  return error == hipSuccess ? launch(&asked, function, arguments, NULL, stream) : error;
}

static hipError_t launch_function(const void *function, dim3 grid, dim3 block, void **arguments,
                                  size_t lds, hipStream_t stream, bool cooperative) {
  return launch_asked((Launch){.grid = {grid.x, grid.y, grid.z},
                               .block = {block.x, block.y, block.z},
                               .dynamic_lds_bytes = lds,
                               .cooperative = cooperative},
                      function, arguments, stream);
}

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                           size_t lds, hipStream_t stream) {
  SERVE(stream_live(stream) ? launch_function(function, grid, block, arguments, lds, stream, false)
                            : hipErrorInvalidValue);
}

hipError_t hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                      unsigned lds, hipStream_t stream) {
  SERVE(stream_live(stream)  ? launch_function(function, grid, block, arguments, lds, stream, true)
        : program_abi() >= 7 ? hipErrorInvalidHandle
                             : hipErrorInvalidValue);
}

static hipError_t launch_host(hipStream_t stream, hipHostFn_t function, void *data) {
  if (!function)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  Stream *capturing = stream_capturing(stream);
  return capturing ? capture_host(capturing, function, data) : stream_call(stream, function, data);
}

EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data) {
  SERVE(launch_host(stream, function, data));
}

static hipError_t launch_timed(const void *function, dim3 grid, dim3 block, void **arguments,
                               size_t lds, hipStream_t stream, hipEvent_t start, hipEvent_t stop) {
  if (!stream_live(stream) || (start && !handle_live(HANDLE_EVENT, start)) ||
      (stop && !handle_live(HANDLE_EVENT, stop)))
    return hipErrorInvalidValue;
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

// A module has its code and its variables on one device.
static hipError_t check_device(const Launch *asked) {
  const Allocation *code = device_memory_find(asked->kernel->entry, 1);
  if (!code || code->device == asked->device)
    return hipSuccess;
  runtime_say("launch of %s: its module was loaded on device %d, and the stream is of device %d; "
              "load it there, too.",
              asked->kernel->name, code->device, asked->device);
  return hipErrorInvalidHandle;
}

static hipError_t launch_loaded(Launch asked, hipFunction_t function, void **parameters,
                                void **extra, hipStream_t stream) {
  asked.kernel = loaded_kernel(function);
  if (!asked.kernel) {
    runtime_say("%p is no kernel of a loaded module; get it from hipModuleGetFunction.",
                (void *)function);
    return hipErrorInvalidHandle;
  }
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  asked.device = stream_device(stream);
  hipError_t error = check_device(&asked);
  if (error == hipSuccess)
    error = launch(&asked, function, parameters, extra, stream);
  // More LDS than there is has a code of its own only in hipLaunchCooperativeKernel.
  return error == hipErrorCooperativeLaunchTooLarge && asked.dynamic_lds_bytes > DEVICE_LDS_BYTES
             ? hipErrorInvalidValue
             : error;
}

static hipError_t launch_module(hipFunction_t function, dim3 grid, dim3 block, dim3 cut, size_t lds,
                                hipStream_t stream, void **parameters, void **extra,
                                bool cooperative) {
  return launch_loaded((Launch){.grid = {grid.x, grid.y, grid.z},
                                .block = {block.x, block.y, block.z},
                                .cut = {cut.x, cut.y, cut.z},
                                .cooperative = cooperative,
                                .dynamic_lds_bytes = lds},
                       function, parameters, extra, stream);
}

// The driver-style calls know no wrong configuration, only wrong values.
static hipError_t of_values(hipError_t error) {
  return error == hipErrorInvalidConfiguration ? hipErrorInvalidValue : error;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned lds, hipStream_t stream,
                                 void **parameters, void **extra) {
  SERVE(of_values(launch_module(function, (dim3){grid_x, grid_y, grid_z},
                                (dim3){block_x, block_y, block_z}, (dim3){0, 0, 0}, lds, stream,
                                parameters, extra, false)));
}

// C++, for programs that define HIP_TEMPLATE_KERNEL_LAUNCH.
EXPORT void launch_template(uintptr_t function, const dim3 *grid, const dim3 *block, uint32_t lds,
                            hipStream_t stream,
                            void **extra) __asm__("_ZN8hip_impl22hipLaunchKernelGGLImplEmRK"
                                                  "4dim3S2_jP12ihipStream_tPPv");

static hipError_t launch_packed(const void *function, dim3 grid, dim3 block, uint32_t lds,
                                hipStream_t stream, void **extra) {
  const Kernel *kernel = NULL;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  hipError_t error = registered_kernel(function, stream_device(stream), &kernel);
  return error == hipSuccess ? launch_module((hipFunction_t)kernel, grid, block, (dim3){0, 0, 0},
                                             lds, stream, NULL, extra, false)
                             : error;
}

static hipError_t serve_launch(const void *function, dim3 grid, dim3 block, uint32_t lds,
                               hipStream_t stream, void **extra) {
  SERVE(launch_packed(function, grid, block, lds, stream, extra));
}

void launch_template(uintptr_t function, const dim3 *grid, const dim3 *block, uint32_t lds,
                     hipStream_t stream, void **extra) {
  serve_launch((const void *)function, *grid, *block, lds, stream, extra);
}

EXPORT hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                                   unsigned grid_y, unsigned grid_z,
                                                   unsigned block_x, unsigned block_y,
                                                   unsigned block_z, unsigned lds,
                                                   hipStream_t stream, void **parameters);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z, unsigned lds,
                                            hipStream_t stream, void **parameters) {
  SERVE(of_values(launch_module(function, (dim3){grid_x, grid_y, grid_z},
                                (dim3){block_x, block_y, block_z}, (dim3){0, 0, 0}, lds, stream,
                                parameters, NULL, true)));
}

static uint32_t blocks_for(uint32_t items, uint32_t block) {
  return block ? (uint32_t)(((uint64_t)items + block - 1) / block) : 0;
}

// The grid of these older calls is given in work-items; the last block of an axis takes what is left.
static hipError_t launch_items(hipFunction_t function, dim3 items, dim3 block, size_t lds,
                               hipStream_t stream, void **parameters, void **extra,
                               hipEvent_t start, hipEvent_t stop) {
  if (!items.x || !items.y || !items.z)
    return hipErrorInvalidValue;
  dim3 grid = {blocks_for(items.x, block.x), blocks_for(items.y, block.y),
               blocks_for(items.z, block.z)};
  dim3 cut = {grid.x * block.x - items.x, grid.y * block.y - items.y, grid.z * block.z - items.z};
  hipError_t error = start ? event_record(start, stream) : hipSuccess;
  if (error == hipSuccess)
    error = launch_module(function, grid, block, cut, lds, stream, parameters, extra, false);
  return error == hipSuccess && stop ? event_record(stop, stream) : error;
}

// hip_ext.h and hip_hcc.h declare these as functions of C++ in ROCm 5, and of C from 6 on.
EXPORT hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x,
                                           uint32_t items_y, uint32_t items_z, uint32_t block_x,
                                           uint32_t block_y, uint32_t block_z, size_t lds,
                                           hipStream_t stream, void **parameters, void **extra,
                                           hipEvent_t start, hipEvent_t stop, uint32_t flags);
EXPORT hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x,
                                           uint32_t items_y, uint32_t items_z, uint32_t block_x,
                                           uint32_t block_y, uint32_t block_z, size_t lds,
                                           hipStream_t stream, void **parameters, void **extra,
                                           hipEvent_t start, hipEvent_t stop);
CXX_NAME(hipExtModuleLaunchKernel, "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_"
                                   "tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j");
CXX_NAME(hipHccModuleLaunchKernel, "_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_"
                                   "tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_");

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t lds, hipStream_t stream,
                                    void **parameters, void **extra, hipEvent_t start,
                                    hipEvent_t stop, uint32_t flags) {
  (void)flags;
  SERVE(launch_items(function, (dim3){items_x, items_y, items_z}, (dim3){block_x, block_y, block_z},
                     lds, stream, parameters, extra, start, stop));
}
hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t lds, hipStream_t stream,
                                    void **parameters, void **extra, hipEvent_t start,
                                    hipEvent_t stop) {
  SERVE(launch_items(function, (dim3){items_x, items_y, items_z}, (dim3){block_x, block_y, block_z},
                     lds, stream, parameters, extra, start, stop));
}

// ---- with attributes ----

// HIP_LAUNCH_CONFIG.
typedef struct {
  unsigned grid[3], block[3], lds;
  hipStream_t stream;
  const LaunchAttribute *attributes;
  unsigned count;
} DriverConfiguration;
EXPORT hipError_t hipLaunchKernelExC(const LaunchConfiguration *configuration, const void *function,
                                     void **arguments);
EXPORT hipError_t hipDrvLaunchKernelEx(const DriverConfiguration *configuration,
                                       hipFunction_t function, void **parameters, void **extra);

// Of all attributes but these two a launch does not depend.
static hipError_t read_attributes(const LaunchAttribute *list, unsigned count, bool *cooperative) {
  *cooperative = false;
  if (count && !list)
    return hipErrorInvalidValue;
  for (unsigned i = 0; i < count; i++) {
    const unsigned *cluster = list[i].value.cluster;
    if (list[i].id == LAUNCH_COOPERATIVE)
      *cooperative = list[i].value.cooperative;
    if (list[i].id == LAUNCH_CLUSTER && (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)) {
      runtime_say("no device of this family has clusters of blocks.");
      return hipErrorNotSupported;
    }
  }
  return hipSuccess;
}

static hipError_t launch_as(const LaunchConfiguration *c, const void *function, void **arguments) {
  bool cooperative;
  hipError_t error =
      c ? read_attributes(c->attributes, c->count, &cooperative) : hipErrorInvalidValue;
  return error == hipSuccess ? launch_function(function, c->grid, c->block, arguments, c->lds,
                                               c->stream, cooperative)
                             : error;
}

static hipError_t launch_module_as(const DriverConfiguration *c, hipFunction_t function,
                                   void **parameters, void **extra) {
  bool cooperative;
  hipError_t error =
      c ? read_attributes(c->attributes, c->count, &cooperative) : hipErrorInvalidValue;
  return error == hipSuccess
             ? launch_module(function, (dim3){c->grid[0], c->grid[1], c->grid[2]},
                             (dim3){c->block[0], c->block[1], c->block[2]}, (dim3){0, 0, 0}, c->lds,
                             c->stream, parameters, extra, cooperative)
             : error;
}

hipError_t hipLaunchKernelExC(const LaunchConfiguration *configuration, const void *function,
                              void **arguments) {
  SERVE(launch_as(configuration, function, arguments));
}
hipError_t hipDrvLaunchKernelEx(const DriverConfiguration *configuration, hipFunction_t function,
                                void **parameters, void **extra) {
  SERVE(launch_module_as(configuration, function, parameters, extra));
}

// ---- in three calls ----

enum { MOST_ARGUMENT_BYTES = 4096 }; // of a kernel

// The arguments of this thread's next hipLaunchByPtr. Its grid is where that of <<<>>> is. Each thread of the program has
// this on its stack, so the bytes themselves are elsewhere.
static _Thread_local struct {
  uint8_t *arguments; // NULL: none
  size_t size;
} configured;

static void forget_arguments(void) {
  free(configured.arguments);
  configured.arguments = NULL;
  configured.size = 0;
}

static hipError_t set_argument(const void *argument, size_t size, size_t offset) {
  if (!argument || size > MOST_ARGUMENT_BYTES || offset > MOST_ARGUMENT_BYTES - size)
    return hipErrorInvalidValue;
  if (!configured.arguments && !(configured.arguments = calloc(1, MOST_ARGUMENT_BYTES)))
    return hipErrorOutOfMemory;
  memcpy(configured.arguments + offset, argument, size);
  configured.size = offset + size > configured.size ? offset + size : configured.size;
  return hipSuccess;
}

static hipError_t launch_configured(const void *function) {
  dim3 grid, block;
  size_t lds, size = configured.size;
  hipStream_t stream;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, configured.arguments,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  hipError_t error = __hipPopCallConfiguration(&grid, &block, &lds, &stream);
  if (error != hipSuccess)
    return error;
  Launch asked = {.grid = {grid.x, grid.y, grid.z},
                  .block = {block.x, block.y, block.z},
                  .dynamic_lds_bytes = lds};
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  asked.device = stream_device(stream);
  error = registered_kernel(function, asked.device, &asked.kernel);
  if (error == hipSuccess)
    error = launch(&asked, function, NULL, extra, stream);
  forget_arguments();
  return error;
}

hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
  forget_arguments();
  SERVE(__hipPushCallConfiguration(grid, block, lds, stream));
}
hipError_t hipSetupArgument(const void *argument, size_t size, size_t offset) {
  SERVE(set_argument(argument, size, offset));
}
hipError_t hipLaunchByPtr(const void *function) { SERVE(launch_configured(function)); }

// ---- on several devices at once ----

static uint64_t items_of(const hipLaunchParams *p) {
  return (uint64_t)p->gridDim.x * p->gridDim.y * p->gridDim.z * p->blockDim.x * p->blockDim.y *
         p->blockDim.z;
}

// Each on a stream of another device.
static hipError_t check_devices(const hipLaunchParams *list, int count) {
  uint32_t seen = 0;
  if (!list || count <= 0 || count > device_count()) // hipamd hip_module.cpp
    return hipErrorInvalidValue;
  for (int i = 0; i < count; i++) {
    if (!list[i].stream || !stream_live(list[i].stream))
      return hipErrorInvalidResourceHandle;
    const uint32_t device = 1u << stream_device(list[i].stream);
    if (seen & device)
      return hipErrorInvalidDevice;
    seen |= device;
  }
  return hipSuccess;
}

static bool same_extent(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Of modules, each on its device.
static bool same_name(const void *a, const void *b) {
  const Kernel *one = loaded_kernel((hipFunction_t)a), *other = loaded_kernel((hipFunction_t)b);
  return one && other && strcmp(one->name, other->name) == 0;
}

static hipError_t check_alike(const hipLaunchParams *list, int count, bool of_modules) {
  for (int i = 1; i < count; i++)
    if (!(of_modules ? same_name(list[i].func, list->func) : list[i].func == list->func) ||
        !same_extent(list[i].gridDim, list->gridDim) ||
        !same_extent(list[i].blockDim, list->blockDim) || list[i].sharedMem != list->sharedMem) {
      runtime_say("launch %d of %d differs from the first in its kernel, grid, block or LDS; only "
                  "their streams and arguments may differ.",
                  i + 1, count);
      return hipErrorInvalidValue;
    }
  return hipSuccess;
}

// The flags say which streams need not be waited for: none of these launches waits for other work.
static hipError_t launch_together(const hipLaunchParams *list, int count, unsigned flags,
                                  bool cooperative, bool of_modules) {
  const unsigned known =
      hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
  uint64_t items = 0, before = 0;
  Launch shared = {.cooperative = cooperative};
  hipError_t error = flags & ~known ? hipErrorInvalidValue : check_devices(list, count);
  if (error == hipSuccess)
    error = check_alike(list, count, of_modules);
  for (int i = 0; error == hipSuccess && i < count; i++)
    items += items_of(&list[i]);
  if (error == hipSuccess && cooperative)
    error = launch_together_begin(&shared, (uint32_t)count);
  for (int i = 0; error == hipSuccess && i < count; i++) {
    const hipLaunchParams *p = &list[i];
    Launch asked = shared;
    memcpy(asked.grid, (uint32_t[]){p->gridDim.x, p->gridDim.y, p->gridDim.z}, sizeof asked.grid);
    memcpy(asked.block, (uint32_t[]){p->blockDim.x, p->blockDim.y, p->blockDim.z},
           sizeof asked.block);
    asked.dynamic_lds_bytes = p->sharedMem;
    if (cooperative) {
      asked.together.number = (uint32_t)i;
      asked.together.count = (uint32_t)count;
      asked.together.items_before = before;
      asked.together.items = items;
    }
    error = of_modules ? launch_loaded(asked, (hipFunction_t)p->func, p->args, NULL, p->stream)
                       : launch_asked(asked, p->func, p->args, p->stream);
    if (error != hipSuccess)
      launch_together_end(&asked, (uint32_t)(count - i));
    before += items_of(p);
  }
  return error;
}

// hipFunctionLaunchParams of ROCm 5.5.
typedef struct {
  hipFunction_t function;
  unsigned grid[3], block[3], lds;
  hipStream_t stream;
  void **parameters;
} FunctionParameters;
EXPORT hipError_t hipModuleLaunchCooperativeKernelMultiDevice(const FunctionParameters *list,
                                                              unsigned count, unsigned flags);

static hipError_t launch_functions_together(const FunctionParameters *list, unsigned count,
                                            unsigned flags) {
  hipLaunchParams launches[SETTINGS_MOST_DEVICES];
  if (!list || count > SETTINGS_MOST_DEVICES)
    return hipErrorInvalidValue;
  for (unsigned i = 0; i < count; i++)
    launches[i] =
        (hipLaunchParams){.func = list[i].function,
                          .gridDim = {list[i].grid[0], list[i].grid[1], list[i].grid[2]},
                          .blockDim = {list[i].block[0], list[i].block[1], list[i].block[2]},
                          .args = list[i].parameters,
                          .sharedMem = list[i].lds,
                          .stream = list[i].stream};
  return launch_together(launches, (int)count, flags, true, true);
}

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(const FunctionParameters *list,
                                                       unsigned count, unsigned flags) {
  SERVE(of_values(launch_functions_together(list, count, flags)));
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *list, int count, unsigned flags) {
  SERVE(launch_together(list, count, flags, true, false));
}
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *list, int count, unsigned flags) {
  SERVE(launch_together(list, count, flags, false, false));
}
