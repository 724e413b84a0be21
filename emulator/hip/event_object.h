// What an event is: when it was recorded last, and behind which work.
//
// In: a live event, the place of its stream in the device's queue. Out: the time at which that work was done.
#ifndef EMULATOR_EVENT_OBJECT_H
#define EMULATOR_EVENT_OBJECT_H

#include "node_list.h"
#include "queue.h"

#include <time.h>

typedef struct {
  unsigned flags;
  bool recorded;
  uint64_t work;        // of the last record, in the device's queue
  struct timespec time; // CLOCK_MONOTONIC
  double device_ms;     // time that kernels had taken until then
  uint64_t capture_id;  // recorded on a capturing stream: which recording, after which nodes
  NodeList after;
} Event;

void event_mark(Event *event, QueueStream stream);

#endif
