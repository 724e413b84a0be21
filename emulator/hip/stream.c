// Streams: see stream.h. Codes: hipamd hip_stream.cpp.
#define _GNU_SOURCE
#include "stream.h"

#include "device_memory.h"
#include "devices.h"
#include "gfx90a.h"
#include "handle.h"
#include "parameters.h"
#include "program_abi.h"
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

Stream *streams;
_Thread_local hipStreamCaptureMode stream_mode = hipStreamCaptureModeGlobal;

// Another name of the null stream, from ROCm 6.3 on: hipStreamLegacy.
bool stream_is_null(hipStream_t stream) { return (uintptr_t)stream <= 1; }

static bool is_live(hipStream_t stream) {
  return stream_is_null(stream) || stream == hipStreamPerThread ||
         handle_live(HANDLE_STREAM, stream);
}

bool stream_live(hipStream_t stream) {
  static hipStream_t told; // many calls ask twice
  const bool live = is_live(stream);
  if (!live && stream != told)
    runtime_say("the stream %p was destroyed, or never created.", (void *)stream);
  told = live ? NULL : stream;
  return live;
}

static Stream *new_stream(void) {
  static uint64_t last_id;
  Stream *object = calloc(1, sizeof *object);
  if (object)
    object->id = ++last_id;
  return object;
}

// A thread's own stream is an object only to record; it stays in the list of streams.
static Stream *thread_object(void) {
  static _Thread_local Stream *own;
  if (!own) {
    own = new_stream();
    if (!own)
      return NULL;
    own->of_thread = true;
    own->next = streams;
    streams = own;
  }
  if (!own->capture)
    own->device = device_current();
  return own;
}

Stream *stream_object(hipStream_t stream) {
  return stream_is_null(stream)         ? NULL
         : stream == hipStreamPerThread ? thread_object()
                                        : (Stream *)stream;
}

Stream *stream_capturing(hipStream_t stream) {
  Stream *object = stream_object(stream);
  return object && object->capture ? object : NULL;
}

// ---- calls that recordings do not allow ----

bool stream_capture_broken(uint64_t capture_id) {
  bool any = false;
  for (Stream *stream = streams; stream; stream = stream->next)
    if (stream->capture && stream->capture_id == capture_id) {
      any = true;
      stream->invalid = true;
    }
  if (any)
    runtime_say("no stream may record during this call: what is recorded now is lost, and "
                "hipStreamEndCapture will fail.");
  return any;
}

typedef bool Offended(const Stream *recording);

static bool offended(Offended *by) {
  bool any = false;
  for (const Stream *stream = streams; stream; stream = stream->next)
    if (stream->capture && by(stream))
      any = stream_capture_broken(stream->capture_id);
  return any;
}

static bool by_everything(const Stream *recording) { return recording; }

static bool in_order_with_null(const Stream *recording) {
  return !(recording->flags & hipStreamNonBlocking);
}

static bool by_null_stream(const Stream *recording) {
  return in_order_with_null(recording) || (recording->mode == hipStreamCaptureModeGlobal &&
                                           stream_mode != hipStreamCaptureModeRelaxed);
}

static bool by_unsafe_call(const Stream *recording) {
  return stream_mode != hipStreamCaptureModeRelaxed &&
         recording->mode != hipStreamCaptureModeRelaxed &&
         (recording->recorder == stream_thread() ||
          (recording->mode == hipStreamCaptureModeGlobal &&
           stream_mode == hipStreamCaptureModeGlobal));
}

// Breaks no recording.
static bool would_offend(Offended *by) {
  const Stream *stream = streams;
  while (stream && !(stream->capture && by(stream)))
    stream = stream->next;
  return stream;
}

bool stream_null_ambiguous(void) { return would_offend(in_order_with_null); }
bool stream_recorded(void) { return would_offend(by_unsafe_call); }

bool stream_null_in_use(void) { return offended(by_null_stream); }
bool stream_forbidden(void) { return offended(by_unsafe_call); }

const void *stream_thread(void) {
  static _Thread_local char own;
  return &own;
}

int stream_device(hipStream_t stream) {
  const bool of_thread = stream_is_null(stream) || stream == hipStreamPerThread;
  return of_thread ? device_current() : ((const Stream *)stream)->device;
}

// A thread that ends waits for its own stream (hipamd hip_stream.cpp, ~stream_per_thread).
static pthread_key_t at_end;
static void wait_at_end(void *thread) {
  for (int device = 0; device < device_count(); device++)
    queue_wait_stream((QueueStream){thread, true, device});
}
static void make_key(void) { pthread_key_create(&at_end, wait_at_end); }

static const void *thread_with_stream(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
  pthread_setspecific(at_end, stream_thread());
  return stream_thread();
}

QueueStream stream_order(hipStream_t stream) {
  const int device = stream_device(stream);
  if (stream == hipStreamPerThread)
    return (QueueStream){thread_with_stream(), true, device};
  const Stream *object = stream_is_null(stream) ? NULL : (const Stream *)stream;
  return (QueueStream){object, !object || !(object->flags & hipStreamNonBlocking), device};
}

void stream_wait(hipStream_t stream) {
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  const bool live = is_live(stream); // if not, the call that waits says so
  const QueueStream order = live ? stream_order(stream) : (QueueStream){0};
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  if (live)
    queue_wait_stream(order);
}

static uint64_t device_of_memory(const void *address) {
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  return allocation && allocation->kind == MEMORY_DEVICE ? 1ull << allocation->device : 0;
}

static void wait_for_devices(uint64_t devices) {
  for (int device = 0; devices; device++, devices >>= 1)
    if (devices & 1)
      queue_wait_stream((QueueStream){NULL, true, device});
}

void stream_wait_for(const void *to, const void *from) {
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  const uint64_t devices = 1ull << device_current() | device_of_memory(to) | device_of_memory(from);
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  wait_for_devices(devices);
}

void stream_wait_for_all(void) { wait_for_devices((1ull << device_count()) - 1); }

static hipError_t create_stream(hipStream_t *stream, unsigned flags, int priority) {
  if (!stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
    return hipErrorInvalidValue;
  Stream *object = new_stream();
  if (!object || !handle_add(HANDLE_STREAM, object)) {
    free(object);
    return hipErrorOutOfMemory;
  }
  object->flags = flags;
  object->device = device_current();
  object->next = streams;
  streams = object;
  object->priority = priority < -1 ? -1 : priority > 1 ? 1 : priority;
  *stream = (hipStream_t)object;
  return hipSuccess;
}

hipError_t hipStreamCreate(hipStream_t *stream) {
  SERVE(create_stream(stream, hipStreamDefault, 0));
}
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  SERVE(create_stream(stream, flags, 0));
}
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority) {
  SERVE(create_stream(stream, flags, priority));
}

// All compute units serve every stream: the mask restricts performance, not results.
static hipError_t create_masked(hipStream_t *stream, uint32_t words, const uint32_t *mask) {
  const hipError_t error =
      words && mask ? create_stream(stream, hipStreamDefault, 0) : hipErrorInvalidValue;
  if (error != hipSuccess)
    return error;
  Stream *object = (Stream *)*stream;
  memset(object->mask, 0xff, sizeof object->mask);
  for (uint32_t i = 0; i < words; i++) {
    if (i < STREAM_MASK_WORDS)
      object->mask[i] = mask[i];
    object->masked |= mask[i] != 0; // none is all, as in hipamd
  }
  return hipSuccess;
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t words, const uint32_t *mask) {
  SERVE(create_masked(stream, words, mask));
}

static hipError_t get_mask(hipStream_t stream, uint32_t words, uint32_t *mask) {
  const bool of_thread = stream_is_null(stream) || stream == hipStreamPerThread;
  const Stream *masked = !of_thread && ((Stream *)stream)->masked ? (Stream *)stream : NULL;
  const uint32_t units = (uint32_t)parameters_device()->compute_units;
  if (!mask || words * 32 < units)
    return hipErrorInvalidValue;
  for (uint32_t i = 0; i * 32 < units; i++)
    mask[i] = (units - i * 32 >= 32 ? UINT32_MAX : (1u << (units - i * 32)) - 1) &
              (masked && i < STREAM_MASK_WORDS ? masked->mask[i] : UINT32_MAX);
  return hipSuccess;
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t words, uint32_t *mask) {
  SERVE(stream_live(stream) ? get_mask(stream, words, mask) : hipErrorContextIsDestroyed);
}

static hipError_t destroy_stream(hipStream_t stream) {
  if (stream_is_null(stream))
    return hipErrorInvalidHandle;
  if (stream == hipStreamPerThread)
    return hipErrorInvalidResourceHandle;
  if (!handle_remove(HANDLE_STREAM, stream))
    return hipErrorContextIsDestroyed;
  for (Stream **link = &streams; *link; link = &(*link)->next)
    if (*link == (Stream *)stream) {
      *link = (*link)->next;
      break;
    }
  node_list_clear(&((Stream *)stream)->after);
  node_list_clear(&((Stream *)stream)->released);
  free(stream);
  return hipSuccess;
}

// ROCm's waits, too (rocclr commandqueue.cpp, HostQueue::terminate).
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!stream_is_null(stream))
    stream_wait(stream);
  SERVE(destroy_stream(stream));
}

void streams_destroy_all(void) {
  for (Stream *stream = streams, *next; stream; stream = next) {
    next = stream->next;
    if (stream->device != device_current())
      continue;
    if (stream->of_thread) // its thread still knows it
      stream->capture = NULL;
    else
      destroy_stream((hipStream_t)stream);
  }
}

static hipError_t synchronize(hipStream_t stream) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  const Stream *capturing = stream_capturing(stream);
  const bool refused =
      capturing ? stream_capture_broken(capturing->capture_id) : stream_forbidden();
  return refused ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

static hipError_t query(hipStream_t stream) {
  hipError_t error = synchronize(stream);
  return error != hipSuccess || queue_empty(stream_order(stream)) ? error : hipErrorNotReady;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), synchronize(stream));
}
hipError_t hipStreamQuery(hipStream_t stream) { SERVE(query(stream)); }

static hipError_t stream_flags(hipStream_t stream, unsigned *flags) {
  if (!flags || stream_is_null(stream))
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  *flags = stream == hipStreamPerThread ? hipStreamDefault : ((Stream *)stream)->flags;
  return hipSuccess;
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) {
  SERVE(stream_flags(stream, flags));
}

static hipError_t stream_priority(hipStream_t stream, int *priority) {
  if (!priority)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  *priority =
      stream_is_null(stream) || stream == hipStreamPerThread ? 0 : ((Stream *)stream)->priority;
  return hipSuccess;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
  SERVE(stream_priority(stream, priority));
}

static hipError_t priority_range(int *least, int *greatest) {
  if (least)
    *least = 1;
  if (greatest)
    *greatest = -1;
  return hipSuccess;
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  SERVE(priority_range(least, greatest));
}

int hipGetStreamDeviceId(hipStream_t stream) {
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  int device = stream_live(stream) ? stream_device(stream) : -1;
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  return device;
}

typedef struct {
  hipStream_t stream;
  hipStreamCallback_t function;
  void *data;
} Callback;

static void call(void *data) {
  const Callback callback = *(const Callback *)data;
  free(data);
  callback.function(callback.stream, runtime_fault_code(), callback.data);
}

static hipError_t call_back(hipStream_t stream, hipStreamCallback_t function, void *data,
                            unsigned flags) {
  if (!function || flags)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (stream_capturing(stream))
    return hipErrorStreamCaptureUnsupported;
  if (program_abi() >= 7 && stream_null_in_use())
    return hipErrorStreamCaptureImplicit;
  Callback *callback = malloc(sizeof *callback);
  if (!callback)
    return hipErrorOutOfMemory;
  *callback = (Callback){stream, function, data};
  queue_submit(stream_order(stream), QUEUE_HOST, call, callback);
  return hipSuccess;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function, void *data,
                                unsigned flags) {
  SERVE(call_back(stream, function, data, flags));
}

typedef struct {
  hipHostFn_t function;
  void *data;
} HostFunction;

static void call_host(void *data) {
  const HostFunction host = *(const HostFunction *)data;
  free(data);
  if (runtime_fault_code() == hipSuccess)
    host.function(host.data);
}

hipError_t stream_call(hipStream_t stream, hipHostFn_t function, void *data) {
  HostFunction *host = malloc(sizeof *host);
  if (!host)
    return hipErrorOutOfMemory;
  *host = (HostFunction){function, data};
  queue_submit(stream_order(stream), QUEUE_HOST, call_host, host);
  return hipSuccess;
}

hipError_t hipDeviceSynchronize(void) {
  SERVE_AFTER(queue_wait_device(device_current()),
              offended(by_everything) ? hipErrorStreamCaptureUnsupported : hipSuccess);
}
