// Limits: see limits.h. Codes and the largest stack: hipamd hip_device_runtime.cpp, ROCclr
// rocdevice.cpp (UpdateStackSize).
#define _GNU_SOURCE
#include "limits.h"

#include "device_memory.h"
#include "runtime.h"

#include <stddef.h>

// Memory for printf and malloc() of kernels is there as it is needed: these limits are only kept.
enum { OF_STACK, OF_PRINTF, OF_HEAP, LIMITS }; // the first one from 5.3 on
static size_t limits[LIMITS] = {[OF_STACK] = 1024, [OF_PRINTF] = 1 << 20};

enum { LARGEST_STACK = 128 * 1024 - 16 }; // what the register for a wave's scratch can say

uint32_t limit_of_stack(void) { return (uint32_t)limits[OF_STACK]; }

static hipError_t get_limit(size_t *value, enum hipLimit_t limit) {
  if (!value)
    return hipErrorInvalidValue;
  if ((unsigned)limit >= LIMITS)
    return hipErrorUnsupportedLimit;
  *value = limits[limit] ? limits[limit] : device_memory_size();
  return hipSuccess;
}

static hipError_t set_limit(enum hipLimit_t limit, size_t value) {
  if ((unsigned)limit >= LIMITS)
    return hipErrorUnsupportedLimit;
  if ((unsigned)limit == OF_STACK && value > LARGEST_STACK) {
    runtime_say("a stack of %zu bytes a thread: the device has at most %d.", value, LARGEST_STACK);
    return hipErrorInvalidValue;
  }
  limits[limit] = value;
  return hipSuccess;
}

hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
  SERVE_IF(CALL_NEEDS_DEVICE, get_limit(value, limit));
}

EXPORT hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
  SERVE_IF(CALL_NEEDS_DEVICE, set_limit(limit, value));
}
