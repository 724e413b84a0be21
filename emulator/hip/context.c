// Contexts of the driver-style API, and peers.
//
// In: hipInit, hipCtx*, hipDevicePrimaryCtx*, peer access. Out: the one context of the one device,
// which has no peers. Codes: hipamd hip_context.cpp, hip_peer.cpp.
#define _GNU_SOURCE
#include "queue.h"
#include "runtime.h"

static char context;                       // its address stands for the device's context
static _Thread_local unsigned stack_depth; // contexts pushed by this thread

hipError_t hipInit(unsigned flags) {
  SERVE_IF(CALL_NEEDS_DEVICE, flags ? hipErrorInvalidValue : hipSuccess);
}

static hipError_t give_context(hipCtx_t *target) {
  if (!target)
    return hipErrorInvalidValue;
  *target = (hipCtx_t)&context;
  return hipSuccess;
}

static hipError_t create_context(hipCtx_t *target, hipDevice_t device) {
  if (!target || device)
    return hipErrorInvalidValue;
  stack_depth++;
  return give_context(target);
}

static hipError_t push_context(hipCtx_t pushed) {
  if (pushed != (hipCtx_t)&context)
    return hipErrorInvalidContext;
  stack_depth++;
  return hipSuccess;
}

static hipError_t pop_context(hipCtx_t *popped) {
  if (!stack_depth)
    return hipErrorInvalidContext;
  stack_depth--;
  return popped ? give_context(popped) : hipSuccess;
}

static hipError_t set_context(hipCtx_t current) {
  if (current && current != (hipCtx_t)&context)
    return hipErrorInvalidContext;
  stack_depth = current ? (stack_depth ? stack_depth : 1) : (stack_depth ? stack_depth - 1 : 0);
  return hipSuccess;
}

static hipError_t destroy_context(hipCtx_t destroyed) {
  if (destroyed != (hipCtx_t)&context)
    return hipErrorInvalidValue;
  if (stack_depth)
    stack_depth--;
  return hipSuccess;
}

hipError_t hipCtxCreate(hipCtx_t *target, unsigned flags, hipDevice_t device) {
  (void)flags;
  SERVE(create_context(target, device));
}
hipError_t hipCtxDestroy(hipCtx_t destroyed) { SERVE(destroy_context(destroyed)); }
hipError_t hipCtxGetCurrent(hipCtx_t *target) { SERVE(give_context(target)); }
hipError_t hipCtxSetCurrent(hipCtx_t current) { SERVE(set_context(current)); }
hipError_t hipCtxPushCurrent(hipCtx_t pushed) { SERVE(push_context(pushed)); }
hipError_t hipCtxPopCurrent(hipCtx_t *popped) { SERVE(pop_context(popped)); }
hipError_t hipCtxSynchronize(void) { SERVE_AFTER(queue_wait_all(), hipSuccess); }

static hipError_t primary_state(hipDevice_t device, unsigned *flags, int *active) {
  if (device)
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
  SERVE(device ? hipErrorInvalidDevice : give_context(target));
}
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
  SERVE(device ? hipErrorInvalidDevice : hipSuccess);
}
hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
  SERVE(device ? hipErrorInvalidDevice : hipSuccess);
}
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags) {
  (void)flags;
  SERVE(device ? hipErrorInvalidDevice : hipErrorContextAlreadyInUse);
}

static hipError_t can_access_peer(int *can, int device, int peer) {
  if (!can)
    return hipErrorInvalidValue;
  *can = 0; // a device is no peer of itself
  return device || peer ? hipErrorInvalidDevice : hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  SERVE(can_access_peer(can, device, peer));
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  SERVE(flags ? hipErrorInvalidValue : hipErrorInvalidDevice); // there is no second device
  (void)peer;
}
hipError_t hipDeviceDisablePeerAccess(int peer) {
  SERVE(peer ? hipErrorInvalidDevice : hipErrorPeerAccessNotEnabled);
}
