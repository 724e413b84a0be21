// Events in time order: a calendar with one day per engine clock.
//
// In: at most one event per key at a time. Out: the earliest first, equal times in the order of
// their keys, so that replays repeat. A day's events are a sorted list; days that lie a whole
// calendar apart share a list, the later ones behind.
#ifndef EMULATOR_EVENT_QUEUE_H
#define EMULATOR_EVENT_QUEUE_H

#include "ticks.h"

#include <stdbool.h>

enum { CALENDAR_DAYS = 8192, NO_EVENT = UINT32_MAX };

typedef struct {
  Ticks time;
  uint32_t next; // key of the event behind this one in its day's list
} EventEntry;

typedef struct {
  EventEntry *entry;                     // by key
  uint32_t first[CALENDAR_DAYS];         // key of each day's earliest event
  uint64_t occupied[CALENDAR_DAYS / 64]; // days with events, a bit each
  uint64_t today;                        // of the earliest event, counted from the begin of time
  Ticks earliest;                        // time of the earliest event, if there is one
  uint32_t count;
} EventQueue;

bool event_queue_create(EventQueue *queue, uint32_t keys);
void event_queue_destroy(EventQueue *queue);
void event_queue_push(EventQueue *queue, Ticks time, uint32_t key);
uint32_t event_queue_pop(EventQueue *queue, Ticks *time); // the key; not on an empty queue

// True if an event lies before time.
static inline bool event_queue_has_before(const EventQueue *queue, Ticks time) {
  return queue->count && queue->earliest < time;
}

// The key of the earliest event; not of an empty queue.
static inline uint32_t event_queue_first(const EventQueue *queue) {
  return queue->first[queue->today % CALENDAR_DAYS];
}

#endif
