// Event queue: see event_queue.h.
#include "event_queue.h"

#include <stdlib.h>
#include <string.h>

bool event_queue_create(EventQueue *queue, uint32_t keys) {
  *queue = (EventQueue){.entry = calloc(keys, sizeof *queue->entry)};
  memset(queue->first, 0xff, sizeof queue->first); // NO_EVENT
  return queue->entry;
}

void event_queue_destroy(EventQueue *queue) { free(queue->entry); }

static uint64_t day_of(Ticks time) { return time / TICKS_PER_CLOCK; }

void event_queue_push(EventQueue *queue, Ticks time, uint32_t key) {
  EventEntry *entry = queue->entry;
  uint64_t day = day_of(time);
  uint32_t slot = (uint32_t)(day % CALENDAR_DAYS), *link = &queue->first[slot];
  while (*link != NO_EVENT &&
         (entry[*link].time < time || (entry[*link].time == time && *link < key)))
    link = &entry[*link].next;
  entry[key] = (EventEntry){.time = time, .next = *link};
  *link = key;
  queue->occupied[slot / 64] |= 1ull << slot % 64;
  if (queue->count++ == 0 || time < queue->earliest) {
    queue->today = day;
    queue->earliest = time;
  }
}

// The first occupied slot at or behind `slot`, going round; there is one.
static uint32_t next_occupied(const EventQueue *queue, uint32_t slot) {
  uint32_t word = slot / 64;
  uint64_t bits = queue->occupied[word] & ~0ull << slot % 64;
  while (!bits) {
    word = (word + 1) % (CALENDAR_DAYS / 64);
    bits = queue->occupied[word];
  }
  return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

// Moves on to the day of the earliest event. A slot met on the way may only hold events of a later
// round of the calendar; if a whole round has none of its own, the earliest of all slots' first
// events is next.
static void find_today(EventQueue *queue) {
  uint64_t end = queue->today + CALENDAR_DAYS, earliest = UINT64_MAX;
  for (uint64_t day = queue->today; day < end;) {
    uint32_t from = (uint32_t)(day % CALENDAR_DAYS), slot = next_occupied(queue, from);
    day += (slot - from) % CALENDAR_DAYS;
    uint64_t first = day_of(queue->entry[queue->first[slot]].time);
    if (first == day) {
      queue->today = day;
      return;
    }
    earliest = first < earliest ? first : earliest;
    day++;
  }
  queue->today = earliest;
}

uint32_t event_queue_pop(EventQueue *queue, Ticks *time) {
  uint32_t slot = (uint32_t)(queue->today % CALENDAR_DAYS), key = queue->first[slot];
  *time = queue->entry[key].time;
  queue->first[slot] = queue->entry[key].next;
  if (queue->first[slot] == NO_EVENT)
    queue->occupied[slot / 64] &= ~(1ull << slot % 64);
  if (--queue->count && (queue->first[slot] == NO_EVENT ||
                         day_of(queue->entry[queue->first[slot]].time) != queue->today))
    find_today(queue);
  if (queue->count)
    queue->earliest = queue->entry[event_queue_first(queue)].time;
  return key;
}
