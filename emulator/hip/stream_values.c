// Values in memory: see stream_values.h. Codes: hipamd hip_stream_ops.cpp.
#define _GNU_SOURCE
#include "stream_values.h"

#include "defined_memory.h"
#include "device_memory.h"
#include "missing_memory.h"
#include "outside_writes.h"
#include "runtime.h"
#include "stream.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
  void *address;
  uint64_t value, mask, now; // what load() found
  unsigned condition;
  size_t width;
  time_t since; // when it was first looked at
  bool told;
} Value;

static bool is_value(uint64_t address, const void *data) {
  const Value *v = data;
  return address - (uint64_t)v->address < v->width;
}

static void tell_missing(const Value *v, const char *does) {
  Fault fault = {.kind = FAULT_ADDRESS};
  fault_append(&fault,
               "a stream %s the value of %zu bytes at %p, which is not there any more: the memory "
               "is freed, unmapped or protected.",
               does, v->width, v->address);
  runtime_fault(&fault);
}

// The value there becomes `now`.
static void load(void *data) {
  Value *v = data;
  v->now = v->width == 4 ? __atomic_load_n((uint32_t *)v->address, __ATOMIC_ACQUIRE)
                         : __atomic_load_n((uint64_t *)v->address, __ATOMIC_ACQUIRE);
}

static void store(void *data) {
  const Value *v = data;
  if (v->width == 4)
    __atomic_store_n((uint32_t *)v->address, (uint32_t)v->value, __ATOMIC_RELEASE);
  else
    __atomic_store_n((uint64_t *)v->address, v->value, __ATOMIC_RELEASE);
}

// Nobody waits behind a fault.
static bool met(Value *v) {
  if (!missing_memory_reach(load, is_value, v, false)) {
    tell_missing(v, "waits for");
    return true;
  }
  const uint64_t now = v->now & v->mask, value = v->value & v->mask;
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
  Value v = *(const Value *)data;
  free(data);
  if (runtime_fault_code() != hipSuccess)
    return;
  outside_write_begin();
  if (missing_memory_reach(store, is_value, &v, false))
    defined_memory_written(v.address, v.width);
  else
    tell_missing(&v, "writes");
  outside_write_end();
}

static hipError_t check_value(const Value *v) {
  return v->condition > hipStreamWaitValueNor || (uint64_t)v->address % v->width ||
                 !device_memory_find((uint64_t)v->address, v->width)
             ? hipErrorInvalidValue
             : hipSuccess;
}

static Value *kept(Value v) {
  Value *copy = malloc(sizeof *copy);
  if (copy)
    *copy = v;
  return copy;
}

static hipError_t wait_value(QueueStream stream, Value v) {
  if (queue_idle(stream) && met(&v))
    return hipSuccess;
  Value *copy = kept(v);
  if (copy && queue_submit_until(stream, met_at_last, copy))
    return hipSuccess;
  free(copy);
  return hipErrorOutOfMemory;
}

static hipError_t write_value(QueueStream stream, Value v) {
  Value *copy = kept(v);
  if (!copy)
    return hipErrorOutOfMemory;
  if (queue_idle(stream))
    write(copy);
  else
    queue_submit(stream, QUEUE_DEVICE, write, copy);
  return hipSuccess;
}

// What a call says of its stream, and of its values unless these are wrong; hipSuccess: it may go on.
static hipError_t check_call(hipStream_t stream, hipError_t of_values) {
  return !stream_live(stream)       ? hipErrorContextIsDestroyed
         : of_values != hipSuccess  ? of_values
         : stream_capturing(stream) ? hipErrorStreamCaptureUnsupported
                                    : hipSuccess;
}

static hipError_t one(hipStream_t stream, Value v, hipError_t (*submit)(QueueStream, Value)) {
  const hipError_t error = check_call(stream, check_value(&v));
  return error == hipSuccess ? submit(stream_order(stream), v) : error;
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *address, uint32_t value,
                                unsigned condition, uint32_t mask) {
  SERVE(one(
      stream,
      (Value){.address = address, .value = value, .mask = mask, .condition = condition, .width = 4},
      wait_value));
}
hipError_t hipStreamWaitValue64(hipStream_t stream, void *address, uint64_t value,
                                unsigned condition, uint64_t mask) {
  SERVE(one(
      stream,
      (Value){.address = address, .value = value, .mask = mask, .condition = condition, .width = 8},
      wait_value));
}
hipError_t hipStreamWriteValue32(hipStream_t stream, void *address, uint32_t value,
                                 unsigned flags) {
  (void)flags; // reserved
  SERVE(one(stream, (Value){.address = address, .value = value, .width = 4}, write_value));
}
hipError_t hipStreamWriteValue64(hipStream_t stream, void *address, uint64_t value,
                                 unsigned flags) {
  (void)flags;
  SERVE(one(stream, (Value){.address = address, .value = value, .width = 8}, write_value));
}

// ---- in batches ----

enum { WAIT_32 = 1, WRITE_32 = 2, WAIT_64 = 4, WRITE_64 = 5 };
EXPORT hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count,
                                      const BatchOperation *operations, unsigned flags);

static bool waits(const BatchOperation *o) {
  return o->value.operation == WAIT_32 || o->value.operation == WAIT_64;
}

static Value value_of(const BatchOperation *o) {
  const bool wide = o->value.operation == WAIT_64 || o->value.operation == WRITE_64;
  return (Value){.address = o->value.address,
                 .value = wide ? o->value.value : (uint32_t)o->value.value,
                 .mask = wide ? UINT64_MAX : UINT32_MAX,
                 .condition = waits(o) ? o->value.flags : 0,
                 .width = wide ? 8 : 4};
}

static hipError_t check_operation(const BatchOperation *o) {
  const int operation = o->value.operation;
  const Value value = value_of(o);
  if (waits(o) || operation == WRITE_32 || operation == WRITE_64)
    return check_value(&value);
  runtime_say("%d is no operation to wait for, or to write, 32 or 64 bits.", operation);
  return hipErrorNotSupported;
}

hipError_t batch_check(unsigned count, const BatchOperation *operations) {
  enum { MOST = 256 }; // as CLR's hip_stream_ops.cpp
  hipError_t error = operations && count && count <= MOST ? hipSuccess : hipErrorInvalidValue;
  for (unsigned i = 0; error == hipSuccess && i < count; i++)
    error = check_operation(&operations[i]);
  return error;
}

hipError_t batch_submit(QueueStream stream, unsigned count, const BatchOperation *operations) {
  hipError_t error = hipSuccess;
  for (unsigned i = 0; error == hipSuccess && i < count; i++)
    error = (waits(&operations[i]) ? wait_value : write_value)(stream, value_of(&operations[i]));
  return error;
}

// All or none.
static hipError_t batch(hipStream_t stream, unsigned count, const BatchOperation *operations,
                        unsigned flags) {
  const hipError_t error =
      check_call(stream, flags ? hipErrorInvalidValue : batch_check(count, operations));
  return error == hipSuccess ? batch_submit(stream_order(stream), count, operations) : error;
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count, const BatchOperation *operations,
                               unsigned flags) {
  SERVE(batch(stream, count, operations, flags));
}
