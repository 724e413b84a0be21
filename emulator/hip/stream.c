// Streams: see stream.h. Codes: hipamd hip_stream.cpp.
#define _GNU_SOURCE
#include "stream.h"

#include "device_memory.h"
#include "devices.h"
#include "gfx90a.h"
#include "handle.h"
#include "parameters.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

Stream *streams;
_Thread_local hipStreamCaptureMode stream_mode = hipStreamCaptureModeGlobal;

// Another name of the null stream, from ROCm 6.3 on: hipStreamLegacy.
bool stream_is_null(hipStream_t stream) { return (uintptr_t)stream <= 1; }

bool stream_live(hipStream_t stream) {
  return stream_is_null(stream) || stream == hipStreamPerThread ||
         handle_live(HANDLE_STREAM, stream);
}

// A thread's own stream is an object only to record; it stays in the list of streams.
static Stream *thread_object(void) {
  static _Thread_local Stream *own;
  if (!own) {
    own = calloc(1, sizeof *own);
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

static bool by_null_stream(const Stream *recording) {
  return !(recording->flags & hipStreamNonBlocking) ||
         (recording->mode == hipStreamCaptureModeGlobal &&
          stream_mode != hipStreamCaptureModeRelaxed);
}

static bool by_unsafe_call(const Stream *recording) {
  return stream_mode != hipStreamCaptureModeRelaxed &&
         recording->mode != hipStreamCaptureModeRelaxed &&
         (recording->recorder == stream_thread() ||
          (recording->mode == hipStreamCaptureModeGlobal &&
           stream_mode == hipStreamCaptureModeGlobal));
}

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

QueueStream stream_order(hipStream_t stream) {
  if (stream == hipStreamPerThread)
    return (QueueStream){stream_thread(), true};
  const Stream *object = stream_is_null(stream) ? NULL : (const Stream *)stream;
  return (QueueStream){object, !object || !(object->flags & hipStreamNonBlocking)};
}

void stream_wait(hipStream_t stream) {
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  const bool live = stream_live(stream);
  const QueueStream order = live ? stream_order(stream) : (QueueStream){0};
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  if (live)
    queue_wait_stream(order);
}

static hipError_t create_stream(hipStream_t *stream, unsigned flags, int priority) {
  if (!stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
    return hipErrorInvalidValue;
  Stream *object = calloc(1, sizeof *object);
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
  uint32_t *kept = ((Stream *)*stream)->mask;
  memset(kept, 0xff, sizeof((Stream *)*stream)->mask);
  memcpy(kept, mask, (words < STREAM_MASK_WORDS ? words : STREAM_MASK_WORDS) * sizeof *mask);
  ((Stream *)*stream)->masked = true;
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

hipError_t hipStreamDestroy(hipStream_t stream) { SERVE(destroy_stream(stream)); }

void streams_destroy_all(void) {
  for (Stream *stream = streams, *next; stream; stream = next) {
    next = stream->next;
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
PER_THREAD_VARIANT(hipStreamSynchronize);
hipError_t hipStreamQuery(hipStream_t stream) { SERVE(query(stream)); }
PER_THREAD_VARIANT(hipStreamQuery);

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
PER_THREAD_VARIANT(hipStreamGetFlags);

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
PER_THREAD_VARIANT(hipStreamGetPriority);

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
PER_THREAD_VARIANT(hipStreamAddCallback);

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

// ---- values in memory ----

typedef struct {
  void *address;
  uint64_t value, mask;
  unsigned condition;
  size_t width;
  time_t since; // when it was first looked at
  bool told;
} Value;

static bool met(const Value *v) {
  const uint64_t now = (v->width == 4 ? __atomic_load_n((uint32_t *)v->address, __ATOMIC_ACQUIRE)
                                      : __atomic_load_n((uint64_t *)v->address, __ATOMIC_ACQUIRE)) &
                       v->mask;
  const uint64_t value = v->value & v->mask;
  return v->condition == hipStreamWaitValueGte   ? (int64_t)(now - value) >= 0
         : v->condition == hipStreamWaitValueEq  ? now == value
         : v->condition == hipStreamWaitValueAnd ? (now & value) != 0
                                                 : (~(now | value) & v->mask) != 0;
}

// A wait without end looks like a program that hangs.
static bool met_at_last(void *data) {
  enum { TELL = 4 }; // seconds
  Value *v = data;
  if (met(v))
    return true;
  const time_t now = time(NULL);
  if (!v->since)
    v->since = now;
  if (now - v->since > TELL && !v->told) {
    runtime_say(
        "for %d s a stream waits for the value at %p to become what hipStreamWaitValue asks "
        "for (0x%llx).",
        TELL, v->address, (unsigned long long)v->value);
    v->told = true;
  }
  return false;
}

static void write(void *data) {
  const Value v = *(const Value *)data;
  free(data);
  if (runtime_fault_code() != hipSuccess)
    return;
  if (v.width == 4)
    __atomic_store_n((uint32_t *)v.address, (uint32_t)v.value, __ATOMIC_RELEASE);
  else
    __atomic_store_n((uint64_t *)v.address, v.value, __ATOMIC_RELEASE);
}

static hipError_t check_value(hipStream_t stream, const Value *v) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (v->condition > hipStreamWaitValueNor || (uint64_t)v->address % v->width ||
      !device_memory_find((uint64_t)v->address, v->width))
    return hipErrorInvalidValue;
  return stream_capturing(stream) ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

static Value *kept(Value v) {
  Value *copy = malloc(sizeof *copy);
  if (copy)
    *copy = v;
  return copy;
}

static hipError_t wait_value(hipStream_t stream, Value v) {
  hipError_t error = check_value(stream, &v);
  if (error != hipSuccess || (queue_idle(stream_order(stream)) && met(&v)))
    return error;
  Value *copy = kept(v);
  if (copy && queue_submit_until(stream_order(stream), met_at_last, copy))
    return hipSuccess;
  free(copy);
  return hipErrorOutOfMemory;
}

static hipError_t write_value(hipStream_t stream, Value v) {
  hipError_t error = check_value(stream, &v);
  Value *copy = error == hipSuccess ? kept(v) : NULL;
  if (!copy)
    return error == hipSuccess ? hipErrorOutOfMemory : error;
  if (queue_idle(stream_order(stream)))
    write(copy);
  else
    queue_submit(stream_order(stream), QUEUE_DEVICE, write, copy);
  return hipSuccess;
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *address, uint32_t value,
                                unsigned condition, uint32_t mask) {
  SERVE(wait_value(stream, (Value){address, value, mask, condition, 4, 0, false}));
}
hipError_t hipStreamWaitValue64(hipStream_t stream, void *address, uint64_t value,
                                unsigned condition, uint64_t mask) {
  SERVE(wait_value(stream, (Value){address, value, mask, condition, 8, 0, false}));
}
hipError_t hipStreamWriteValue32(hipStream_t stream, void *address, uint32_t value,
                                 unsigned flags) {
  (void)flags; // reserved
  SERVE(write_value(stream, (Value){.address = address, .value = value, .width = 4}));
}
hipError_t hipStreamWriteValue64(hipStream_t stream, void *address, uint64_t value,
                                 unsigned flags) {
  (void)flags;
  SERVE(write_value(stream, (Value){.address = address, .value = value, .width = 8}));
}

// hipStreamBatchMemOpParams of ROCm 6.4.
typedef union {
  struct {
    int operation;
    void *address;
    uint64_t value; // 32 bits of it, or all
    unsigned flags;
  } value;
  uint64_t bytes[6];
} BatchOperation;
enum { WAIT_32 = 1, WRITE_32 = 2, WAIT_64 = 4, WRITE_64 = 5 };
EXPORT hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count,
                                      const BatchOperation *operations, unsigned flags);

static Value value_of(const BatchOperation *o) {
  const bool wide = o->value.operation == WAIT_64 || o->value.operation == WRITE_64;
  const bool waits = o->value.operation == WAIT_32 || o->value.operation == WAIT_64;
  return (Value){.address = o->value.address,
                 .value = wide ? o->value.value : (uint32_t)o->value.value,
                 .mask = wide ? UINT64_MAX : UINT32_MAX,
                 .condition = waits ? o->value.flags : 0,
                 .width = wide ? 8 : 4};
}

static hipError_t check_operation(hipStream_t stream, const BatchOperation *o) {
  const int operation = o->value.operation;
  const Value value = value_of(o);
  if (operation == WAIT_32 || operation == WAIT_64 || operation == WRITE_32 ||
      operation == WRITE_64)
    return check_value(stream, &value);
  runtime_say("%d is no operation to wait for, or to write, 32 or 64 bits.", operation);
  return hipErrorNotSupported;
}

// All or none.
static hipError_t batch(hipStream_t stream, unsigned count, const BatchOperation *operations,
                        unsigned flags) {
  hipError_t error = operations && count && !flags ? hipSuccess : hipErrorInvalidValue;
  for (unsigned i = 0; error == hipSuccess && i < count; i++)
    error = check_operation(stream, &operations[i]);
  for (unsigned i = 0; error == hipSuccess && i < count; i++) {
    const int operation = operations[i].value.operation;
    const Value value = value_of(&operations[i]);
    error = operation == WAIT_32 || operation == WAIT_64 ? wait_value(stream, value)
                                                         : write_value(stream, value);
  }
  return error;
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count, const BatchOperation *operations,
                               unsigned flags) {
  SERVE(batch(stream, count, operations, flags));
}

hipError_t hipDeviceSynchronize(void) {
  SERVE_AFTER(queue_wait_all(),
              offended(by_everything) ? hipErrorStreamCaptureUnsupported : hipSuccess);
}
