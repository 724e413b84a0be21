// State and conventions that the files of the HIP runtime share.
//
// In: HIP API calls, any thread. Out: memory, launches and queries on the one emulated device.
// Each API function is one line: SERVE(body). SERVE takes the runtime's mutex, refuses the call if
// there is no device or an earlier kernel faulted, evaluates the body, and records the result for
// hipGetLastError. As in ROCm 5.2 every call overwrites the last error, a successful one too. Error
// codes are those of ROCm 5.2 (hipamd: hip_module.cpp, hip_memory.cpp, hip_event.cpp,
// hip_stream.cpp, hip_platform.cpp); where a code alone would leave a learner guessing, runtime_say
// adds a sentence on stderr.
#ifndef EMULATOR_RUNTIME_H
#define EMULATOR_RUNTIME_H

#include "code_object.h"
#include "device_memory.h"
#include "dispatch.h"
#include "gfx90a.h"

#include <hip/hip_runtime_api.h>

#define EXPORT __attribute__((visibility("default")))

// The variants for the per-thread default stream do the same: work is complete when a call returns.
#define PER_THREAD_VARIANT(NAME)                                                                   \
  extern __typeof__(NAME) NAME##_spt __attribute__((alias(#NAME), visibility("default")))

// Errors and the mutex: runtime_error.c.
typedef enum { CALL_NEEDS_HEALTHY_DEVICE, CALL_NEEDS_DEVICE, CALL_NEEDS_NOTHING } CallNeeds;
hipError_t runtime_enter(const char *call,
                         CallNeeds needs);   // returns with the mutex held, whatever the result
hipError_t runtime_leave(hipError_t result); // records the result, releases the mutex
#define SERVE_IF(NEEDS, BODY)                                                                      \
  do {                                                                                             \
    hipError_t result_ = runtime_enter(__func__, NEEDS);                                           \
    return runtime_leave(result_ == hipSuccess ? (BODY) : result_);                                \
  } while (0)
#define SERVE(BODY) SERVE_IF(CALL_NEEDS_HEALTHY_DEVICE, BODY)

// Prints "emulator: <API call>: <sentence>" to stderr.
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void runtime_fault(const Fault *fault); // prints its text; every later call fails
bool runtime_faulted(void);
void runtime_forget_fault(void); // hipDeviceReset

// The device is visible unless HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES hides it.
bool runtime_device_visible(void);

// Handles that the program holds: a pointer is looked up before it is dereferenced, so a stale one
// is an error, not a crash.
typedef enum {
  HANDLE_STREAM,
  HANDLE_EVENT,
  HANDLE_MODULE,
  HANDLE_GRAPH,
  HANDLE_GRAPH_NODE,
  HANDLE_GRAPH_EXEC,
  HANDLE_POOL
} HandleKind;
bool handle_add(HandleKind kind, void *object);
bool handle_live(HandleKind kind, const void *object);
bool handle_remove(HandleKind kind, void *object); // false if it was not live

// Registered kernels and variables: runtime_register.c.
hipError_t runtime_kernel(const void *host_function,
                          const Kernel **kernel); // hipErrorInvalidDeviceFunction, ...
hipError_t runtime_variable(const void *symbol, uint64_t *address,
                            size_t *size); // hipErrorInvalidSymbol, ...
CodeObject *runtime_load(const void *image, size_t size, hipError_t *error); // says why it failed
void runtime_unload(CodeObject *object);
const Kernel *kernel_of(hipFunction_t function); // NULL if the handle is not live

// Memory: runtime_memory.c. Bytes; a copy between two ranges where each is inside one allocation or
// ordinary host memory.
hipError_t memory_copy(void *to, const void *from, size_t size, hipMemcpyKind kind);
hipError_t memory_copy_3d(const hipMemcpy3DParms *parameters);
hipError_t memory_set(void *to, uint32_t value, size_t width,
                      size_t count); // width 1, 2 or 4 bytes

// Launch: runtime_launch.c.
typedef struct {
  const Kernel *kernel;
  dim3 grid, block; // workgroups, work-items
  size_t dynamic_lds_bytes;
  bool cooperative;
  uint8_t *arguments; // explicit kernel arguments, laid out as in the segment; owned by the caller
} LaunchCall;
hipError_t launch_validate(const LaunchCall *call);
hipError_t launch_gather(LaunchCall *call, void **parameters,
                         void **extra); // allocates and fills arguments
hipError_t launch_run(const LaunchCall *call);
// Time that kernels have taken so far, ms: modelled, or the host's where a launch was not modelled.
extern double runtime_device_ms;

// Streams and capture: runtime_stream.c, runtime_graph.c.
typedef struct Graph Graph;
typedef struct GraphNode GraphNode;
typedef struct Stream {
  struct Stream *next; // of all streams
  unsigned flags;
  int priority;
  Graph *capture;      // graph being recorded, NULL if none
  uint64_t capture_id; // of that recording, never used twice
  GraphNode *last;     // recorded last on this stream
  bool origin;         // hipStreamBeginCapture was called on this stream
  bool global;         // hipStreamCaptureModeGlobal: forbids calls that wait for the device
} Stream;
extern Stream *streams;
bool stream_live(hipStream_t stream);         // NULL and hipStreamPerThread are
Stream *stream_capturing(hipStream_t stream); // NULL if its calls are to be executed
bool capture_active(void);                    // on any stream, in global mode
void streams_destroy_all(void);
hipError_t event_record(hipEvent_t event, hipStream_t stream);

// While a stream records, these add a node to its graph instead of executing.
hipError_t capture_launch(Stream *stream, const LaunchCall *call);
hipError_t capture_copy(Stream *stream, void *to, const void *from, size_t size,
                        hipMemcpyKind kind);
hipError_t capture_set(Stream *stream, void *to, uint32_t value, size_t width, size_t count);
// The stream waits for an event that was recorded after a node (NULL: at the begin) of this
// recording.
hipError_t capture_join(Stream *stream, uint64_t capture_id, GraphNode *after);

#endif
