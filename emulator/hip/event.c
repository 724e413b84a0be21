// Events: see event.h. Codes: hipamd hip_event.cpp.
#define _GNU_SOURCE
#include "event.h"

#include "capture.h"
#include "event_object.h"
#include "handle.h"
#include "model_switch.h"
#include "program_abi.h"
#include "runtime.h"
#include "stream.h"

#include <unistd.h>

static hipError_t create_event(hipEvent_t *event, unsigned flags) {
  const unsigned release = hipEventReleaseToDevice | hipEventReleaseToSystem;
  const unsigned shared = hipEventInterprocess | hipEventDisableTiming;
  enum { DISABLE_SYSTEM_FENCE = 0x20000000 }; // from 5.3 on
  const unsigned known = hipEventBlockingSync | shared | release | DISABLE_SYSTEM_FENCE;
  if (!event || (flags & ~known) ||
      __builtin_popcount(flags & (release | DISABLE_SYSTEM_FENCE)) > 1 ||
      (flags & shared) == hipEventInterprocess)
    return hipErrorInvalidValue;
  *event = (hipEvent_t)event_make(flags);
  return *event ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipEventCreate(hipEvent_t *event) { SERVE(create_event(event, 0)); }
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  SERVE(create_event(event, flags));
}

static hipError_t destroy_event(hipEvent_t event) {
  if (!handle_remove(HANDLE_EVENT, event))
    return hipErrorInvalidHandle;
  node_list_clear(&((Event *)event)->after);
  if (((Event *)event)->shared && ((Event *)event)->descriptor >= 0)
    close(((Event *)event)->descriptor);
  event_let_go((Event *)event);
  return hipSuccess;
}

static void wait(hipEvent_t event) {
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  const bool live = handle_live(HANDLE_EVENT, event);
  const uint64_t work = live ? ((const Event *)event)->work : 0;
  const SharedCounts *shared = live ? ((const Event *)event)->shared : NULL;
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  queue_wait_number(work);
  event_wait_elsewhere(shared);
}

hipError_t hipEventDestroy(hipEvent_t event) { SERVE(destroy_event(event)); }

hipError_t event_record(hipEvent_t handle, hipStream_t stream) {
  if (!handle_live(HANDLE_EVENT, handle) || !stream_live(stream))
    return hipErrorInvalidHandle;
  Event *event = (Event *)handle;
  const Stream *capturing = stream_capturing(stream);
  if (!capturing && event->device != stream_device(stream)) {
    runtime_say("an event of device %d cannot be recorded on a stream of device %d.", event->device,
                stream_device(stream));
    return hipErrorInvalidHandle;
  }
  event->capture_id = capturing ? capturing->capture_id : 0;
  node_list_clear(&event->after);
  if (capturing)
    return node_list_add_all(&event->after, &capturing->after) ? hipSuccess : hipErrorOutOfMemory;
  return event_mark(event, stream_order(stream)) ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  SERVE(event_record(event, stream));
}

static hipError_t event_state(hipEvent_t event) {
  if (!handle_live(HANDLE_EVENT, event))
    return hipErrorInvalidHandle;
  const Event *object = (const Event *)event;
  return object->capture_id && stream_capture_broken(object->capture_id)
             ? hipErrorCapturedEvent
             : hipSuccess; // also of an event never recorded
}

static hipError_t query(hipEvent_t handle) {
  hipError_t error = event_state(handle);
  const Event *event = (const Event *)handle;
  return error != hipSuccess || (queue_done(event->work) && event_done_elsewhere(event->shared))
             ? error
             : hipErrorNotReady;
}

hipError_t hipEventSynchronize(hipEvent_t event) { SERVE_AFTER(wait(event), event_state(event)); }
hipError_t hipEventQuery(hipEvent_t event) { SERVE_UNRECORDED_7(query(event)); }

// How long a GPU takes for copies, or for launches without the model, nobody knows.
static void tell_time_of_host(void) {
  static bool told;
  if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
    runtime_say(
        "note: between the two events there is no launch with a modelled time%s. The time that "
        "the program gets is what this computer took, and says nothing of a GPU. Copies have "
        "no modelled time. This is told once.",
        model_switch_on() ? ""
                          : ", since EMULATOR_MODEL=0 or emulator_use_model(0) has "
                            "switched the model off");
}

static hipError_t elapsed_time(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  if (!milliseconds)
    return hipErrorInvalidValue;
  if (!handle_live(HANDLE_EVENT, start) || !handle_live(HANDLE_EVENT, stop))
    return hipErrorInvalidHandle;
  const Event *from = (const Event *)start, *to = (const Event *)stop;
  if (from->device != to->device) {
    runtime_say("there is no time from an event of device %d to one of device %d.", from->device,
                to->device);
    return hipErrorInvalidHandle;
  }
  if (!from->recorded || !to->recorded) {
    runtime_say("the %s event was never recorded; call hipEventRecord on it first.",
                from->recorded ? "stop" : "start");
    return hipErrorInvalidHandle;
  }
  if ((from->flags | to->flags) & hipEventDisableTiming) {
    runtime_say("an event was created with hipEventDisableTiming.");
    return hipErrorInvalidHandle;
  }
  if (!queue_done(from->work) || !queue_done(to->work))
    return hipErrorNotReady;
  const double modelled = to->launches.modelled_ms - from->launches.modelled_ms,
               spared = to->launches.spared_ms - from->launches.spared_ms,
               host = (double)(to->time.tv_sec - from->time.tv_sec) * 1e3 +
                      (double)(to->time.tv_nsec - from->time.tv_nsec) * 1e-6;
  if (modelled == 0 && from != to)
    tell_time_of_host();
  *milliseconds = (float)(modelled != 0 ? modelled : host + spared);
  return hipSuccess;
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  SERVE(elapsed_time(milliseconds, start, stop));
}

// An event recorded on a capturing stream pulls the waiting stream into the capture.
static hipError_t wait_event(hipStream_t stream, hipEvent_t handle, unsigned flags) {
  if (!handle_live(HANDLE_EVENT, handle))
    return hipErrorInvalidHandle;
  if (flags)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  const Event *event = (const Event *)handle;
  if (!event->capture_id) {
    event_hold_back(event, stream_order(stream));
    return hipSuccess;
  }
  Stream *joining = stream_object(stream);
  return joining ? capture_join(joining, event->capture_id, &event->after) : hipSuccess;
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  SERVE(wait_event(stream, event, flags));
}
