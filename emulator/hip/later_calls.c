// Calls that releases after ROCm 5.2 added and that need nothing new.
//
// In: HIP calls of ROCm 5.3 to 7. Out: what the older ones beside them do.
#define _GNU_SOURCE
#include "code_object.h"
#include "event.h"
#include "handle.h"
#include "runtime.h"
#include "stream.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

EXPORT hipError_t hipDrvGetErrorName(hipError_t code, const char **name);
EXPORT hipError_t hipDrvGetErrorString(hipError_t code, const char **text);
EXPORT hipError_t hipExtGetLastError(void);
EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
EXPORT hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
EXPORT hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module);
EXPORT hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);
EXPORT hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                                    int *status);

static hipError_t give_text(const char **target, const char *text) {
  if (!target)
    return hipErrorInvalidValue;
  *target = text;
  return hipSuccess;
}

hipError_t hipDrvGetErrorName(hipError_t code, const char **name) {
  return give_text(name, hipGetErrorName(code));
}
hipError_t hipDrvGetErrorString(hipError_t code, const char **text) {
  return give_text(text, hipGetErrorString(code));
}
hipError_t hipExtGetLastError(void) { return hipGetLastError(); }

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
  enum { EXTERNAL = 1 };
  SERVE(flags > EXTERNAL ? hipErrorInvalidValue : event_record(event, stream));
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  SERVE(handle_live(HANDLE_GRAPH_EXEC, exec) && stream_live(stream) ? hipSuccess
                                                                    : hipErrorInvalidValue);
}

static hipError_t count_functions(unsigned *count, hipModule_t module) {
  if (!count || !handle_live(HANDLE_MODULE, module))
    return hipErrorInvalidValue;
  *count = (unsigned)((const CodeObject *)module)->kernel_count;
  return hipSuccess;
}

hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module) {
  SERVE(count_functions(count, module));
}

static hipError_t stream_id(hipStream_t stream, unsigned long long *id) {
  if (!id)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  *id = (unsigned long long)stream_order(stream).id;
  return hipSuccess;
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id) {
  SERVE(stream_id(stream, id));
}

// Of the two layouts of device properties the program means its own.
static void *function_named(const char *name) {
  char own[64];
  snprintf(own, sizeof own, "%sR0600", name);
  const bool has_own = !strcmp(name, "hipGetDeviceProperties") || !strcmp(name, "hipChooseDevice");
  return dlsym(RTLD_DEFAULT, has_own ? own : name);
}

static hipError_t find_function(const char *name, void **function, int *status) {
  enum { FOUND = 0, NOT_FOUND = 1 };
  if (!name || !function)
    return hipErrorInvalidValue;
  *function = strncmp(name, "hip", strlen("hip")) == 0 ? function_named(name) : NULL;
  if (status)
    *status = *function ? FOUND : NOT_FOUND;
  return *function ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                             int *status) {
  (void)version, (void)flags; // one of each
  SERVE_IF(CALL_NEEDS_NOTHING, find_function(name, function, status));
}
