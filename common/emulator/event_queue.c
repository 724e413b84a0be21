// Event queue: see event_queue.h.
#include "event_queue.h"

#include <stdlib.h>

enum { CHILDREN = 4 };

bool event_queue_create(EventQueue *queue, uint32_t capacity) {
  *queue = (EventQueue){.heap = malloc(capacity * sizeof(Event)), .capacity = capacity};
  return queue->heap;
}

void event_queue_destroy(EventQueue *queue) { free(queue->heap); }

static bool before(Event a, Event b) {
  return a.time < b.time || (a.time == b.time && a.key < b.key);
}

void event_queue_push(EventQueue *queue, Ticks time, uint32_t key) {
  Event event = {time, key};
  uint32_t i = queue->count++;
  while (i > 0 && before(event, queue->heap[(i - 1) / CHILDREN])) {
    queue->heap[i] = queue->heap[(i - 1) / CHILDREN];
    i = (i - 1) / CHILDREN;
  }
  queue->heap[i] = event;
}

Event event_queue_pop(EventQueue *queue) {
  Event first = queue->heap[0], last = queue->heap[--queue->count];
  uint32_t i = 0;
  for (;;) {
    uint32_t child = CHILDREN * i + 1, end = child + CHILDREN, least = child;
    if (child >= queue->count)
      break;
    end = end < queue->count ? end : queue->count;
    for (uint32_t k = child + 1; k < end; k++)
      if (before(queue->heap[k], queue->heap[least]))
        least = k;
    if (!before(queue->heap[least], last))
      break;
    queue->heap[i] = queue->heap[least];
    i = least;
  }
  queue->heap[i] = last;
  return first;
}
