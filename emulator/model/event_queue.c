// Event queue: see event_queue.h.
#include "event_queue.h"

#include <stdlib.h>
#include <string.h>

bool event_queue_create(EventQueue *queue, uint32_t keys) {
  *queue = (EventQueue){.entry = calloc(keys, sizeof *queue->entry),
                        .sorted = calloc(keys, sizeof *queue->sorted)};
  memset(queue->first, 0xff, sizeof queue->first); // NO_EVENT
  return queue->entry && queue->sorted;
}

void event_queue_destroy(EventQueue *queue) {
  free(queue->entry);
  free(queue->sorted);
}

static uint64_t day_of(Ticks time) { return time >> DAY_BITS; }

static void put_in_calendar(EventQueue *queue, uint32_t key) {
  uint32_t slot = (uint32_t)(day_of(queue->entry[key].time) % CALENDAR_DAYS);
  queue->entry[key].next = queue->first[slot];
  queue->first[slot] = key;
  queue->occupied[slot / 64] |= 1ull << slot % 64;
}

// Adds an event of today. Most come late in the day.
static void sort_in(EventQueue *queue, Ticks time, uint32_t key) {
  uint32_t event = (uint32_t)(time % (1u << DAY_BITS)) << KEY_BITS | key, at = queue->to;
  while (at > queue->from && queue->sorted[at - 1] > event) {
    queue->sorted[at] = queue->sorted[at - 1];
    at--;
  }
  queue->sorted[at] = event;
  queue->to++;
}

// Another day becomes today, as empty as it is at first.
static void turn_to(EventQueue *queue, uint64_t day) {
  queue->today = day;
  queue->from = queue->to = 0;
}

void event_queue_push(EventQueue *queue, Ticks time, uint32_t key) {
  uint64_t day = day_of(time);
  queue->entry[key].time = time;
  if (queue->count++ == 0) {
    turn_to(queue, day);
  } else if (day < queue->today) {
    for (uint32_t i = queue->from; i < queue->to; i++)
      put_in_calendar(queue, event_key(queue->sorted[i]));
    turn_to(queue, day);
  }
  if (day == queue->today)
    sort_in(queue, time, key);
  else
    put_in_calendar(queue, key);
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

// Takes the slot's events of today out of the calendar. Returns the earliest day of the others.
static uint64_t take_out(EventQueue *queue, uint32_t slot) {
  uint32_t *link = &queue->first[slot];
  uint64_t earliest = UINT64_MAX;
  for (uint32_t key = *link; key != NO_EVENT; key = *link) {
    EventEntry *entry = &queue->entry[key];
    uint64_t day = day_of(entry->time);
    if (day == queue->today) {
      *link = entry->next;
      sort_in(queue, entry->time, key);
    } else {
      link = &entry->next;
      earliest = day < earliest ? day : earliest;
    }
  }
  if (queue->first[slot] == NO_EVENT)
    queue->occupied[slot / 64] &= ~(1ull << slot % 64);
  return earliest;
}

// Moves on to the day of the earliest event. A slot met on the way may only hold events of a later
// round of the calendar; if a whole round has none of its own, the earliest of all is next.
static void find_today(EventQueue *queue) {
  uint64_t end = queue->today + CALENDAR_DAYS, earliest = UINT64_MAX;
  for (uint64_t day = queue->today + 1; day <= end; day++) {
    uint32_t from = (uint32_t)(day % CALENDAR_DAYS), slot = next_occupied(queue, from);
    day += (slot - from) % CALENDAR_DAYS;
    turn_to(queue, day);
    uint64_t later = take_out(queue, slot);
    if (queue->to)
      return;
    earliest = later < earliest ? later : earliest;
  }
  turn_to(queue, earliest);
  take_out(queue, (uint32_t)(earliest % CALENDAR_DAYS));
}

uint32_t event_queue_pop(EventQueue *queue, Ticks *time) {
  uint32_t event = queue->sorted[queue->from++];
  *time = queue->today << DAY_BITS | event >> KEY_BITS;
  if (--queue->count && queue->from == queue->to)
    find_today(queue);
  return event_key(event);
}
