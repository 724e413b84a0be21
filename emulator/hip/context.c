// Contexts of the driver-style API: another way to say which device a thread works on.
//
// In: hipInit, hipCtx*, hipDevicePrimaryCtx*. Out: one context of each device. Codes: hipamd
// hip_context.cpp.
#define _GNU_SOURCE
#include "devices.h"
#include "runtime.h"
#include "settings.h"

static char contexts[SETTINGS_MOST_DEVICES]; // the address of one stands for a device's context

// The current one of this thread is that of its device; below it lie those it was pushed on.
enum { DEEPEST = 64 };
static _Thread_local struct {
  int device[DEEPEST];
  int depth;
} pushed;

hipError_t hipInit(unsigned flags) {
  SERVE_IF(CALL_NEEDS_DEVICE, flags ? hipErrorInvalidValue : hipSuccess);
}

static int device_of(hipCtx_t context) {
  for (int device = 0; device < device_count(); device++)
    if (context == (hipCtx_t)&contexts[device])
      return device;
  return -1;
}

static hipError_t give_context(hipCtx_t *target, int device) {
  if (!target)
    return hipErrorInvalidValue;
  *target = (hipCtx_t)&contexts[device];
  return hipSuccess;
}

static void push_device(int device) {
  if (pushed.depth < DEEPEST)
    pushed.device[pushed.depth] = device_current();
  pushed.depth++;
  device_select(device);
}

static void pop_device(void) {
  pushed.depth--;
  if (pushed.depth < DEEPEST)
    device_select(pushed.device[pushed.depth]);
}

static hipError_t create_context(hipCtx_t *target, unsigned flags, hipDevice_t device) {
  if (!target || !device_known(device))
    return hipErrorInvalidValue;
  push_device(device);
  device_set_flags(flags);
  return give_context(target, device);
}

static hipError_t push_context(hipCtx_t context) {
  if (device_of(context) < 0)
    return hipErrorInvalidContext;
  push_device(device_of(context));
  return hipSuccess;
}

static hipError_t pop_context(hipCtx_t *popped) {
  if (!pushed.depth)
    return hipErrorInvalidContext;
  hipError_t error = popped ? give_context(popped, device_current()) : hipSuccess;
  pop_device();
  return error;
}

// NULL takes the current one away.
static hipError_t set_context(hipCtx_t context) {
  if (context && device_of(context) < 0)
    return hipErrorInvalidContext;
  if (!context && pushed.depth)
    pop_device();
  if (context && !pushed.depth)
    push_device(device_of(context));
  if (context)
    device_select(device_of(context));
  return hipSuccess;
}

static hipError_t destroy_context(hipCtx_t context) {
  if (device_of(context) < 0)
    return hipErrorInvalidValue;
  if (pushed.depth)
    pop_device();
  return hipSuccess;
}

hipError_t hipCtxCreate(hipCtx_t *target, unsigned flags, hipDevice_t device) {
  SERVE(create_context(target, flags, device));
}
hipError_t hipCtxDestroy(hipCtx_t destroyed) { SERVE(destroy_context(destroyed)); }
hipError_t hipCtxGetCurrent(hipCtx_t *target) { SERVE(give_context(target, device_current())); }
hipError_t hipCtxSetCurrent(hipCtx_t current) { SERVE(set_context(current)); }
hipError_t hipCtxPushCurrent(hipCtx_t pushed) { SERVE(push_context(pushed)); }
hipError_t hipCtxPopCurrent(hipCtx_t *popped) { SERVE(pop_context(popped)); }

// ROCm has these calls and does nothing in them.
static hipError_t refuse(const char *instead) {
  runtime_say("ROCm serves no such call of a context, and neither does this device: call %s.",
              instead);
  return hipErrorNotSupported;
}

hipError_t hipCtxGetFlags(unsigned *flags) {
  (void)flags;
  SERVE(refuse("hipGetDeviceFlags"));
}
hipError_t hipCtxGetApiVersion(hipCtx_t context, int *version) {
  (void)context, (void)version;
  SERVE(refuse("hipDriverGetVersion"));
}
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *configuration) {
  (void)configuration;
  SERVE(refuse("hipDeviceGetCacheConfig"));
}
hipError_t hipCtxSetCacheConfig(hipFuncCache_t configuration) {
  SERVE((unsigned)configuration > hipFuncCachePreferEqual ? hipErrorInvalidValue
                                                          : refuse("hipDeviceSetCacheConfig"));
}
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig configuration) {
  (void)configuration;
  SERVE(refuse("hipDeviceSetSharedMemConfig"));
}
hipError_t hipCtxSynchronize(void) { SERVE(refuse("hipDeviceSynchronize")); }

// There a success in any case.
hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags) {
  (void)flags;
  if (device_of(peer) >= 0 && device_of(peer) != device_current())
    (void)hipDeviceEnablePeerAccess(device_of(peer), 0);
  SERVE(hipSuccess);
}
hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
  (void)peer;
  SERVE(hipSuccess);
}

static hipError_t primary_state(hipDevice_t device, unsigned *flags, int *active) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (flags)
    *flags = 0;
  if (active)
    *active = 1;
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active) {
  SERVE(primary_state(device, flags, active));
}
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *target, hipDevice_t device) {
  SERVE(device_known(device) ? give_context(target, device) : hipErrorInvalidDevice);
}
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
  SERVE(device_known(device) ? hipSuccess : hipErrorInvalidDevice);
}
hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
  SERVE(device_known(device) ? hipSuccess : hipErrorInvalidDevice);
}
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags) {
  (void)flags;
  SERVE(device_known(device) ? hipErrorContextAlreadyInUse : hipErrorInvalidDevice);
}
