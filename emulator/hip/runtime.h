// How an API call is served: the mutex, the last error, a fault that sticks, sentences on stderr.
//
// In: HIP API calls, any thread. Out: one call at a time on the one emulated device.
// Each API function is one line: SERVE(body). SERVE takes the runtime's mutex, refuses the call if
// there is no device or an earlier kernel faulted, evaluates the body, and records the result for
// hipGetLastError. The device goes on working meanwhile, but for SERVE_ALONE. As in ROCm up to 6
// every call overwrites the last error, a successful one too. Error codes are those of ROCm 5.2 (hipamd:
// hip_module.cpp, hip_memory.cpp, hip_event.cpp, hip_stream.cpp, hip_platform.cpp); where a code
// alone would leave a learner guessing, runtime_say adds a sentence on stderr.
#ifndef EMULATOR_RUNTIME_H
#define EMULATOR_RUNTIME_H

#include "fault.h"
#include "queue.h"

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

// A function that some releases declare as one of C++, by the name that it has there.
#define CXX_NAME(NAME, MANGLED)                                                                    \
  extern __typeof__(NAME) NAME##_cxx __asm__(MANGLED)                                              \
      __attribute__((alias(#NAME), visibility("default")))

// CALL_NEEDS_QUIET_DEVICE keeps the device from working meanwhile: the call takes away, or changes,
// what a kernel might be using. The others leave it alone.
typedef enum {
  CALL_NEEDS_QUIET_DEVICE,
  CALL_NEEDS_HEALTHY_DEVICE,
  CALL_NEEDS_DEVICE,
  CALL_NEEDS_NOTHING
} CallNeeds;
// Returns with the mutex held, whatever the result.
hipError_t runtime_enter(const char *call, CallNeeds needs);
// Records the result, releases what runtime_enter took.
hipError_t runtime_leave(CallNeeds needs, hipError_t result);
#define SERVE_IF(NEEDS, BODY)                                                                      \
  do {                                                                                             \
    hipError_t result_ = runtime_enter(__func__, NEEDS);                                           \
    return runtime_leave(NEEDS, result_ == hipSuccess ? (BODY) : result_);                         \
  } while (0)
#define SERVE(BODY) SERVE_IF(CALL_NEEDS_HEALTHY_DEVICE, BODY)
// Waits first, for all work or for that of a stream (stream.h), with no lock held.
#define SERVE_AFTER(WAIT, BODY)                                                                    \
  do {                                                                                             \
    WAIT;                                                                                          \
    SERVE(BODY);                                                                                   \
  } while (0)

// Waits for all work, and lets none begin.
#define SERVE_ALONE(BODY)                                                                          \
  do {                                                                                             \
    queue_wait_all();                                                                              \
    SERVE_IF(CALL_NEEDS_QUIET_DEVICE, BODY);                                                       \
  } while (0)

// The same of a call that gives something back: for nothing it need not wait.
#define SERVE_RELEASE(WHAT, BODY)                                                                  \
  do {                                                                                             \
    if (!(WHAT))                                                                                   \
      SERVE(BODY);                                                                                 \
    SERVE_ALONE(BODY);                                                                             \
  } while (0)

// Prints "emulator: <API call>: <sentence>" to stderr.
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void runtime_fault(const Fault *fault); // prints its text; every later call fails
hipError_t runtime_fault_code(void);    // hipSuccess: none so far
hipError_t
runtime_no_device(void);    // hipErrorNoDevice; the first time it says which variable hides them
bool runtime_refused(void); // whether the environment has something that cannot be; says so once
void runtime_forget_fault(void); // hipDeviceReset, in programs up to ROCm 6

#endif
