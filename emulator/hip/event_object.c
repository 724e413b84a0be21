// What an event is: see event_object.h.
#define _GNU_SOURCE
#include "event_object.h"

#include "devices.h"
#include "handle.h"

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

// One record, under way.
typedef struct {
  Event *event;
  uint64_t number; // of all that processes made of a shared one, 0: it is not shared
} Mark;

static void stamp(Mark mark) {
  clock_gettime(CLOCK_MONOTONIC, &mark.event->time);
  mark.event->launches = launch_times();
  if (mark.number)
    __atomic_store_n(&mark.event->shared->done[mark.number % SHARED_RECORDS], mark.number,
                     __ATOMIC_RELEASE);
  event_let_go(mark.event);
}

static void stamp_later(void *mark) {
  stamp(*(Mark *)mark);
  free(mark);
}

void event_let_go(Event *event) {
  if (__atomic_sub_fetch(&event->users, 1, __ATOMIC_ACQ_REL) == 0)
    free(event);
}

bool event_mark(Event *event, QueueStream stream) {
  const bool idle = queue_idle(stream);
  Mark *later = idle ? NULL : malloc(sizeof *later);
  if (!idle && !later)
    return false; // with the call's locks nothing may be waited for
  event->recorded = true;
  event->work = 0;
  __atomic_add_fetch(&event->users, 1, __ATOMIC_RELAXED);
  Mark mark = {.event = event};
  if (event->shared)
    mark.number = __atomic_add_fetch(&event->shared->recorded, 1, __ATOMIC_RELAXED);
  if (later) {
    *later = mark;
    event->work = queue_submit(stream, QUEUE_DEVICE, stamp_later, later);
  } else {
    stamp(mark);
  }
  return true;
}

enum { LOOK_AGAIN = 200 }; // microseconds

// A record of this number is done.
typedef struct {
  const SharedCounts *shared;
  uint64_t number;
} Reached;

static bool reached(void *data) {
  const Reached *wanted = data;
  return __atomic_load_n(&wanted->shared->done[wanted->number % SHARED_RECORDS],
                         __ATOMIC_ACQUIRE) >= wanted->number;
}

// The last one until now: what is recorded later is another matter.
static Reached last_recorded(const SharedCounts *shared) {
  return (Reached){shared, __atomic_load_n(&shared->recorded, __ATOMIC_RELAXED)};
}

bool event_done_elsewhere(const SharedCounts *shared) {
  if (!shared)
    return true;
  Reached wanted = last_recorded(shared);
  return reached(&wanted);
}

void event_wait_elsewhere(const SharedCounts *shared) {
  if (!shared)
    return;
  Reached wanted = last_recorded(shared);
  while (!reached(&wanted))
    usleep(LOOK_AGAIN);
}

void event_hold_back(const Event *event, QueueStream stream) {
  queue_submit_wait(stream, event->work);
  if (event_done_elsewhere(event->shared))
    return;
  Reached *wanted = malloc(sizeof *wanted);
  if (wanted)
    *wanted = last_recorded(event->shared);
  if (!wanted || !queue_submit_until(stream, reached, wanted)) {
    free(wanted);
    event_wait_elsewhere(event->shared);
  }
}
