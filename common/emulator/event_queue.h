// Events in time order: a heap with four children per node. Equal times come out in the order of
// their keys, so that replays repeat.
#ifndef EMULATOR_EVENT_QUEUE_H
#define EMULATOR_EVENT_QUEUE_H

#include "model.h"

typedef struct {
  Ticks time;
  uint32_t key;
} Event;

typedef struct {
  Event *heap;
  uint32_t count, capacity;
} EventQueue;

bool event_queue_create(EventQueue *queue, uint32_t capacity);
void event_queue_destroy(EventQueue *queue);
void event_queue_push(EventQueue *queue, Ticks time,
                      uint32_t key);      // the caller keeps within the capacity
Event event_queue_pop(EventQueue *queue); // not on an empty queue

// True if an event lies before time.
static inline bool event_queue_has_before(const EventQueue *queue, Ticks time) {
  return queue->count && queue->heap[0].time < time;
}

#endif
