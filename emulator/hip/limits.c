// Limits: see limits.h. Codes and the largest stack: hipamd hip_device_runtime.cpp, ROCclr
// rocdevice.cpp (UpdateStackSize). Scratch: ROCr amd_gpu_agent.h and .cpp.
#define _GNU_SOURCE
#include "limits.h"

#include "device_memory.h"
#include "parameters.h"
#include "program_abi.h"
#include "runtime.h"

#include <stddef.h>

// Memory for printf and malloc() of kernels is there as it is needed: these limits are only kept.
enum { OF_STACK, OF_PRINTF, OF_HEAP, LIMITS }; // the first one from 5.3 on
static size_t limits[LIMITS] = {[OF_STACK] = 1024, [OF_PRINTF] = 1 << 20};

// From 6.4 on: how many bytes of scratch a queue may keep for its next kernel. Here queues keep none:
// this limit, too, is only told again.
enum { SCRATCH_MIN = 0x1000, SCRATCH_MAX, SCRATCH_CURRENT, NO_LIMIT };
static const size_t most_scratch = (size_t)4 << 30; // of an XCD, of which no device here has more
static size_t scratch = (size_t)3 << 30;

enum { LARGEST_STACK = 128 * 1024 - 16 }; // what the register for a wave's scratch can say

uint32_t limit_of_stack(void) { return (uint32_t)limits[OF_STACK]; }

static bool scratch_is_limited(void) { return parameters_device()->architecture->limits_scratch; }

static hipError_t no_such_limit(unsigned limit) {
  return limit >= NO_LIMIT && program_abi() >= 6 ? hipErrorInvalidValue : hipErrorUnsupportedLimit;
}

static hipError_t get_limit(size_t *value, unsigned limit) {
  if (!value)
    return hipErrorInvalidValue;
  if (limit < LIMITS)
    *value = limits[limit] ? limits[limit] : device_memory_size();
  else if (limit == SCRATCH_MIN)
    *value = 0;
  else if (limit == SCRATCH_MAX)
    *value = most_scratch;
  else if (limit == SCRATCH_CURRENT)
    *value = scratch_is_limited() ? scratch : 0;
  else
    return no_such_limit(limit);
  return hipSuccess;
}

static hipError_t set_scratch(size_t value) {
  if (scratch_is_limited() && value <= most_scratch) {
    scratch = value;
    return hipSuccess;
  }
  runtime_say("a limit of scratch, %zu bytes: the device has %s.", value,
              scratch_is_limited() ? "at most 4 GiB" : "none to set, as those before gfx942");
  return hipErrorInvalidValue;
}

static hipError_t set_limit(unsigned limit, size_t value) {
  if (limit == SCRATCH_CURRENT)
    return set_scratch(value);
  if (limit >= LIMITS)
    return no_such_limit(limit);
  if (limit == OF_STACK && value > LARGEST_STACK) {
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
