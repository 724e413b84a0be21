// Events in time order: a calendar with one slot per tick.
//
// In: at most one event per key at a time. Out: the earliest first, equal times in the order of
// their keys, so that replays repeat. A slot is a list without order; ticks that lie a whole
// calendar apart share it. When its tick comes and it has several events, as at the begin of a launch
// thousands, the list becomes a set of bits, one for each key.
#ifndef EMULATOR_EVENT_QUEUE_H
#define EMULATOR_EVENT_QUEUE_H

#include "ticks.h"

#include <stdbool.h>

enum { CALENDAR_TICKS = 32768, NO_EVENT = UINT32_MAX };

typedef struct {
  Ticks time;
  uint32_t next; // key of another event of the slot
} EventEntry;

typedef struct {
  EventEntry *entry;                      // by key
  uint64_t *due;                          // keys of the events that come next, a bit each
  uint64_t *due_words;                    // which words of `due` are not 0, a bit each
  Ticks now;                              // their time; the largest there is if there is no event
  uint32_t alone;                         // the one that comes next, or NO_EVENT: those of `due`
  uint32_t count;                         // of all events
  uint32_t words;                         // of due_words
  uint64_t occupied[CALENDAR_TICKS / 64]; // slots with events, a bit each
  uint32_t first[CALENDAR_TICKS];         // key of one event of each slot
} EventQueue;

bool event_queue_create(EventQueue *queue, uint32_t keys);
void event_queue_destroy(EventQueue *queue);
void event_queue_push(EventQueue *queue, Ticks time, uint32_t key);
uint32_t event_queue_pop(EventQueue *queue, Ticks *time); // the key; not on an empty queue

// True if an event lies before time.
static inline bool event_queue_has_before(const EventQueue *queue, Ticks time) {
  return queue->now < time;
}

// The key of the earliest event; not of an empty queue.
static inline uint32_t event_queue_first(const EventQueue *queue) {
  if (queue->alone != NO_EVENT)
    return queue->alone;
  uint32_t i = 0;
  while (!queue->due_words[i])
    i++;
  uint32_t word = i * 64 + (uint32_t)__builtin_ctzll(queue->due_words[i]);
  return word * 64 + (uint32_t)__builtin_ctzll(queue->due[word]);
}

#endif
