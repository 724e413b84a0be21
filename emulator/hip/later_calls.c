// Calls that releases after ROCm 5.2 added and that need nothing new.
//
// In: HIP calls of ROCm 5.3 to 7. Out: what the older ones beside them do.
#define _GNU_SOURCE
#include "code_object.h"
#include "devices.h"
#include "event.h"
#include "handle.h"
#include "runtime.h"
#include "stream.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

EXPORT hipError_t hipDrvGetErrorName(hipError_t code, const char **name);
EXPORT hipError_t hipDrvGetErrorString(hipError_t code, const char **text);
EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
EXPORT hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
EXPORT hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module);
EXPORT hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);
EXPORT hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                                    int *status);

static hipError_t give_text(const char **target, hipError_t code, const char *text) {
  const bool unknown = code != hipErrorUnknown && !strcmp(hipGetErrorName(code), "hipErrorUnknown");
  if (!target || unknown)
    return hipErrorInvalidValue;
  *target = text;
  return hipSuccess;
}

hipError_t hipDrvGetErrorName(hipError_t code, const char **name) {
  return give_text(name, code, hipGetErrorName(code));
}
hipError_t hipDrvGetErrorString(hipError_t code, const char **text) {
  return give_text(text, code, hipGetErrorString(code));
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
  enum { EXTERNAL = 1 };
  SERVE(flags > EXTERNAL ? hipErrorInvalidValue : event_record(event, stream));
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  SERVE(handle_live(HANDLE_GRAPH_EXEC, exec) && stream_live(stream) ? hipSuccess
                                                                    : hipErrorInvalidValue);
}

static hipError_t count_functions(unsigned *count, hipModule_t module) {
  if (!count)
    return hipErrorInvalidValue;
  if (!handle_live(HANDLE_MODULE, module))
    return hipErrorInvalidHandle;
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
  const Stream *object = stream_object(stream);
  *id = object ? object->id : 0;
  return hipSuccess;
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id) {
  SERVE(stream_id(stream, id));
}

// hipDriverProcAddressQueryFlags: which stream 0 is.
enum { OWN_STREAM = 2 };

// Of the two layouts of device properties the program means its own.
static void *function_named(const char *name, uint64_t flags) {
  const bool has_own = !strcmp(name, "hipGetDeviceProperties") || !strcmp(name, "hipChooseDevice");
  char own[128];
  snprintf(own, sizeof own, "%s%s", name, has_own ? "R0600" : "_spt");
  void *function = has_own || flags == OWN_STREAM ? dlsym(RTLD_DEFAULT, own) : NULL;
  return function ? function : dlsym(RTLD_DEFAULT, name);
}

static hipError_t find_function(const char *name, void **function, uint64_t flags, int *status) {
  enum { FOUND = 0, NOT_FOUND = 1 };
  if (!name || !function || flags > OWN_STREAM)
    return hipErrorInvalidValue;
  const char *letters = name + strspn(name, "_");
  *function = strncmp(letters, "hip", strlen("hip")) == 0 ? function_named(name, flags) : NULL;
  if (status)
    *status = *function ? FOUND : NOT_FOUND;
  return *function ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                             int *status) {
  (void)version; // of which there is one
  SERVE_IF(CALL_NEEDS_NOTHING, find_function(name, function, flags, status));
}
EXPORT hipError_t hipGetProcAddress_spt(const char *name, void **function, int version,
                                        uint64_t flags, int *status);
hipError_t hipGetProcAddress_spt(const char *name, void **function, int version, uint64_t flags,
                                 int *status) {
  return hipGetProcAddress(name, function, version, flags ? flags : OWN_STREAM, status);
}

EXPORT hipError_t hipGetDriverEntryPoint(const char *name, void **function,
                                         unsigned long long flags, int *status);
hipError_t hipGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                  int *status) {
  SERVE_IF(CALL_NEEDS_NOTHING, find_function(name, function, flags, status));
}
EXPORT hipError_t hipGetDriverEntryPoint_spt(const char *name, void **function,
                                             unsigned long long flags, int *status);
hipError_t hipGetDriverEntryPoint_spt(const char *name, void **function, unsigned long long flags,
                                      int *status) {
  return hipGetDriverEntryPoint(name, function, flags ? flags : OWN_STREAM, status);
}

// ---- a log of calls, which the emulated device does not write ----

EXPORT hipError_t hipExtSetLoggingParams(size_t level, size_t size, size_t mask);
EXPORT hipError_t hipExtEnableLogging(void);
EXPORT hipError_t hipExtDisableLogging(void);

static hipError_t begin_log(void) {
  static bool told;
  if (!told)
    runtime_say("the emulated device writes no log of calls.");
  told = true;
  return hipSuccess;
}

hipError_t hipExtSetLoggingParams(size_t level, size_t size, size_t mask) {
  (void)level, (void)size, (void)mask;
  SERVE(hipSuccess);
}
hipError_t hipExtEnableLogging(void) { SERVE(begin_log()); }
hipError_t hipExtDisableLogging(void) { SERVE(hipSuccess); }

// ---- what the older calls beside them do ----

EXPORT hipError_t hipChooseDeviceR0000(int *device, const hipDeviceProp_t *wanted);
EXPORT hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t *properties, int device);
EXPORT hipError_t hipExtHostAlloc(void **address, size_t size, unsigned flags);
EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
EXPORT hipError_t hipSetValidDevices(const int *devices, int count);
EXPORT hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                      const hipChannelFormatDesc *descriptor,
                                                      int device);

hipError_t hipChooseDeviceR0000(int *device, const hipDeviceProp_t *wanted) {
  return hipChooseDevice(device, wanted);
}
hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t *properties, int device) {
  return hipGetDeviceProperties(properties, device);
}
hipError_t hipExtHostAlloc(void **address, size_t size, unsigned flags) {
  return hipHostMalloc(address, size, flags);
}

static hipError_t device_of(hipStream_t stream, hipDevice_t *device) {
  if (!device)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  *device = stream_device(stream);
  return hipSuccess;
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) {
  SERVE(device_of(stream, device));
}

// Of those that a program allows the first is what threads begin with.
static hipError_t allow_devices(const int *devices, int count) {
  if (count < 0 || count > device_count() || (count && !devices))
    return hipErrorInvalidValue;
  for (int i = 0; i < count; i++)
    if (!device_known(devices[i]))
      return hipErrorInvalidDevice;
  device_begin_with(count ? devices[0] : 0);
  return hipSuccess;
}

hipError_t hipSetValidDevices(const int *devices, int count) {
  SERVE(allow_devices(devices, count));
}

// As many elements as a buffer's descriptor can count.
static hipError_t widest_line(size_t *width, const hipChannelFormatDesc *descriptor, int device) {
  if (!width || !descriptor || descriptor->x <= 0)
    return hipErrorInvalidValue;
  if (!device_known(device))
    return hipErrorInvalidDevice;
  *width = UINT32_MAX;
  return hipSuccess;
}

hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                               const hipChannelFormatDesc *descriptor, int device) {
  SERVE(widest_line(width, descriptor, device));
}
