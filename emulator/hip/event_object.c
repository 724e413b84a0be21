// What an event is: see event_object.h.
#define _GNU_SOURCE
#include "event_object.h"

#include "devices.h"
#include "handle.h"
#include "kernel_launch.h"

#include <stdlib.h>
#include <unistd.h>

Event *event_make(unsigned flags) {
  Event *event = calloc(1, sizeof *event);
  if (!event || !handle_add(HANDLE_EVENT, event)) {
    free(event);
    return NULL;
  }
  event->flags = flags;
  event->device = device_current();
  event->users = 1;
  return event;
}

static void stamp(void *data) {
  Event *event = data;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  event->device_ms = launch_device_ms();
  if (event->shared)
    __atomic_add_fetch(&event->shared->done, 1, __ATOMIC_RELEASE);
  event_let_go(event);
}

void event_let_go(Event *event) {
  if (__atomic_sub_fetch(&event->users, 1, __ATOMIC_ACQ_REL) == 0)
    free(event);
}

void event_mark(Event *event, QueueStream stream) {
  event->recorded = true;
  event->work = 0;
  __atomic_add_fetch(&event->users, 1, __ATOMIC_RELAXED);
  if (event->shared)
    __atomic_add_fetch(&event->shared->recorded, 1, __ATOMIC_RELAXED);
  if (queue_idle(stream))
    stamp(event);
  else
    event->work = queue_submit(stream, QUEUE_DEVICE, stamp, event);
}

enum { LOOK_AGAIN = 200 }; // microseconds

// So many of an event's records are done.
typedef struct {
  const SharedCounts *shared;
  uint64_t count;
} Reached;

static bool reached(void *data) {
  const Reached *wanted = data;
  return __atomic_load_n(&wanted->shared->done, __ATOMIC_ACQUIRE) >= wanted->count;
}

// Those until now: what is recorded later is another matter.
static Reached all_recorded(const SharedCounts *shared) {
  return (Reached){shared, __atomic_load_n(&shared->recorded, __ATOMIC_RELAXED)};
}

bool event_done_elsewhere(const SharedCounts *shared) {
  if (!shared)
    return true;
  Reached wanted = all_recorded(shared);
  return reached(&wanted);
}

void event_wait_elsewhere(const SharedCounts *shared) {
  if (!shared)
    return;
  Reached wanted = all_recorded(shared);
  while (!reached(&wanted))
    usleep(LOOK_AGAIN);
}

void event_hold_back(const Event *event, QueueStream stream) {
  queue_submit_wait(stream, event->work);
  if (event_done_elsewhere(event->shared))
    return;
  Reached *wanted = malloc(sizeof *wanted);
  if (wanted)
    *wanted = all_recorded(event->shared);
  if (!wanted || !queue_submit_until(stream, reached, wanted)) {
    free(wanted);
    event_wait_elsewhere(event->shared);
  }
}
