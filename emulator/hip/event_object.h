// What an event is: when it was recorded last, and behind which work.
//
// In: a live event, the place of its stream in the device's queue. Out: the time at which that work
// was done; what other processes do with an event that they share is waited for by looking at it
// again and again.
#ifndef EMULATOR_EVENT_OBJECT_H
#define EMULATOR_EVENT_OBJECT_H

#include "kernel_launch.h"
#include "node_list.h"
#include "queue.h"

#include <time.h>

// How often an event that processes share was recorded, and which of these records are done: the latest of each place.
enum { SHARED_RECORDS = 256 };
typedef struct {
  uint64_t recorded,
      done[SHARED_RECORDS]; // changed atomically; a record's place: its number modulo that
} SharedCounts;

typedef struct {
  unsigned flags;
  int device; // where it was made, and is recorded
  bool recorded;
  uint64_t work;        // of the last record, in the device's queue
  struct timespec time; // CLOCK_MONOTONIC
  LaunchTimes launches; // until then
  uint64_t capture_id;  // recorded on a capturing stream: which recording, after which nodes
  NodeList after;
  SharedCounts *shared; // NULL: of this process alone; lasts as long as the process
  int descriptor;       // of their file, where the event was made
  unsigned users;       // the program and the marks to come, changed atomically
} Event;

Event *event_make(unsigned flags);                 // a live one; NULL: no memory
bool event_mark(Event *event, QueueStream stream); // false: no memory
void event_let_go(Event *event);                   // by one of its users; the last one frees it
// Whether all that was recorded elsewhere until now is done; waits for it.
bool event_done_elsewhere(const SharedCounts *shared);
void event_wait_elsewhere(const SharedCounts *shared);
// What the stream is asked for from now on waits for the event.
void event_hold_back(const Event *event, QueueStream stream);

#endif
