// HIP calls that the emulated device does not serve.
//
// In: unsupported.def. Out: one exported function for each line. The first call prints a sentence;
// every call fails.
#define _GNU_SOURCE
#include "runtime.h"

#include <stdint.h>

// Why, and what to do instead.
#define ARRAYS "its arrays are whole and copied with hipMemcpy3D"
#define BATCHES "free the memory, or fetch what is there with hipMemPrefetchBatchAsync"
#define COMPILING "hiprtc compiles the headers with each program"
#define GRAPHICS "it has no graphics interface"
#define GRAPHS                                                                                     \
  "its graphs hold kernels, copies, fills, values, host functions, events, memory and graphs"
#define PARTS "its kernels have all compute units"
#define PROFILING "read its counters with EMULATOR_COUNTERS=FILE.csv instead"
#define SHARING "share what hipMalloc gave by hipIpcGetMemHandle, pools by file descriptors"

// Results as the caller's type has them in a register.
#define RETURNS_ERROR hipErrorNotSupported
#define RETURNS_TEXT (intptr_t) "not served by the emulated device"

static intptr_t refuse(const char *call, bool *told, const char *advice, intptr_t result) {
  runtime_enter(call, CALL_NEEDS_NOTHING);
  if (!*told)
    runtime_say("not served by the emulated device: %s.", advice);
  *told = true;
  runtime_leave(CALL_NEEDS_NOTHING, hipErrorNotSupported);
  return result;
}

#define X(NAME, RESULT, ADVICE)                                                                    \
  EXPORT intptr_t unsupported_##NAME(void) __asm__(#NAME);                                         \
  intptr_t unsupported_##NAME(void) {                                                              \
    static bool told;                                                                              \
    return refuse(#NAME, &told, ADVICE, RESULT);                                                   \
  }
#include "unsupported.def"
