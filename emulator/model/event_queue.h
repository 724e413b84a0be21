// Events in time order: a calendar whose days are a few ticks long.
//
// In: at most one event per key at a time. Out: the earliest first, equal times in the order of
// their keys, so that replays repeat. The events of a later day are a list without order; when
// their day comes they are sorted. Days that lie a whole calendar apart share a list.
#ifndef EMULATOR_EVENT_QUEUE_H
#define EMULATOR_EVENT_QUEUE_H

#include "ticks.h"

#include <stdbool.h>

enum { CALENDAR_DAYS = 8192, DAY_BITS = 2, NO_EVENT = UINT32_MAX };

typedef struct {
  Ticks time;
  uint32_t next; // key of another event of the same day or of one a calendar apart
} EventEntry;

typedef struct {
  EventEntry *entry;                     // by key
  uint32_t *sorted;                      // today's events: tick of the day and key in one number
  uint32_t from, to;                     // of those, to come
  uint32_t count;                        // of all events
  uint64_t today;                        // counted from the begin of time; the earliest with events
  uint64_t occupied[CALENDAR_DAYS / 64]; // later days with events, a bit each
  uint32_t first[CALENDAR_DAYS];         // key of one of each day's events
} EventQueue;

enum { KEY_BITS = 32 - DAY_BITS };

bool event_queue_create(EventQueue *queue, uint32_t keys); // at most 1 << KEY_BITS
void event_queue_destroy(EventQueue *queue);
void event_queue_push(EventQueue *queue, Ticks time, uint32_t key);
uint32_t event_queue_pop(EventQueue *queue, Ticks *time); // the key; not on an empty queue

static inline uint32_t event_key(uint32_t sorted) { return sorted & ((1u << KEY_BITS) - 1); }

// True if an event lies before time.
static inline bool event_queue_has_before(const EventQueue *queue, Ticks time) {
  return queue->count && (queue->today << DAY_BITS | queue->sorted[queue->from] >> KEY_BITS) < time;
}

// The key of the event that comes `later` events behind the next one, if it is on the same day, or
// NO_EVENT.
static inline uint32_t event_queue_peek(const EventQueue *queue, uint32_t later) {
  uint32_t at = queue->from + later;
  return at < queue->to ? event_key(queue->sorted[at]) : NO_EVENT;
}

#endif
