// Event queue: see event_queue.h.
#include "event_queue.h"

#include <stdlib.h>
#include <string.h>

bool event_queue_create(EventQueue *queue, uint32_t keys) {
  uint32_t due = keys / 64 + 1, words = due / 64 + 1;
  *queue = (EventQueue){.entry = calloc(keys, sizeof *queue->entry),
                        .due = calloc(due, sizeof *queue->due),
                        .due_words = calloc(words, sizeof *queue->due_words),
                        .words = words,
                        .now = UINT64_MAX,
                        .alone = NO_EVENT};
  memset(queue->first, 0xff, sizeof queue->first); // NO_EVENT
  return queue->entry && queue->due && queue->due_words;
}

void event_queue_destroy(EventQueue *queue) {
  free(queue->entry);
  free(queue->due);
  free(queue->due_words);
}

static void make_due(EventQueue *queue, uint32_t key) {
  queue->due[key / 64] |= 1ull << key % 64;
  queue->due_words[key / 4096] |= 1ull << key / 64 % 64;
}

static void take_due(EventQueue *queue, uint32_t key) {
  if (!(queue->due[key / 64] &= ~(1ull << key % 64)))
    queue->due_words[key / 4096] &= ~(1ull << key / 64 % 64);
}

static bool any_due(const EventQueue *queue) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < queue->words; i++)
    any |= queue->due_words[i];
  return any;
}

static void put_in_calendar(EventQueue *queue, uint32_t key) {
  uint32_t slot = (uint32_t)(queue->entry[key].time % CALENDAR_TICKS);
  queue->entry[key].next = queue->first[slot];
  queue->first[slot] = key;
  queue->occupied[slot / 64] |= 1ull << slot % 64;
}

// What was to come next comes later.
static void put_back_due(EventQueue *queue) {
  if (queue->alone != NO_EVENT)
    put_in_calendar(queue, queue->alone);
  while (queue->alone == NO_EVENT && any_due(queue)) {
    uint32_t key = event_queue_first(queue);
    take_due(queue, key);
    put_in_calendar(queue, key);
  }
}

static void join_due(EventQueue *queue, uint32_t key) {
  if (queue->alone != NO_EVENT)
    make_due(queue, queue->alone);
  queue->alone = NO_EVENT;
  make_due(queue, key);
}

void event_queue_push(EventQueue *queue, Ticks time, uint32_t key) {
  queue->entry[key].time = time;
  queue->count++;
  if (time > queue->now) {
    put_in_calendar(queue, key);
  } else if (time == queue->now) {
    join_due(queue, key);
  } else {
    put_back_due(queue);
    queue->now = time;
    queue->alone = key;
  }
}

// The first occupied slot at or behind `slot`, going round; there is one.
static uint32_t next_occupied(const EventQueue *queue, uint32_t slot) {
  uint32_t word = slot / 64;
  uint64_t bits = queue->occupied[word] & ~0ull << slot % 64;
  while (!bits) {
    word = (word + 1) % (CALENDAR_TICKS / 64);
    bits = queue->occupied[word];
  }
  return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

// Makes the slot's events of this time due. Returns the earliest time of the others.
static Ticks take_out(EventQueue *queue, uint32_t slot) {
  uint32_t *link = &queue->first[slot];
  Ticks earliest = UINT64_MAX;
  for (uint32_t key = *link; key != NO_EVENT; key = *link) {
    EventEntry *entry = &queue->entry[key];
    if (entry->time == queue->now) {
      *link = entry->next;
      make_due(queue, key);
    } else {
      link = &entry->next;
      earliest = entry->time < earliest ? entry->time : earliest;
    }
  }
  if (queue->first[slot] == NO_EVENT)
    queue->occupied[slot / 64] &= ~(1ull << slot % 64);
  return earliest;
}

// Takes the slot's event out if it is the only one and of this time.
static bool take_alone(EventQueue *queue, uint32_t slot) {
  uint32_t key = queue->first[slot];
  if (queue->entry[key].next != NO_EVENT || queue->entry[key].time != queue->now)
    return false;
  queue->alone = key;
  queue->first[slot] = NO_EVENT;
  queue->occupied[slot / 64] &= ~(1ull << slot % 64);
  return true;
}

// Moves on to the earliest event. A slot met on the way may only hold events of a later round of the
// calendar; if a whole round has none of its own, the earliest of all is next.
static void find_next(EventQueue *queue) {
  Ticks end = queue->now + CALENDAR_TICKS, earliest = UINT64_MAX;
  for (Ticks time = queue->now + 1; time <= end; time++) {
    uint32_t from = (uint32_t)(time % CALENDAR_TICKS), slot = next_occupied(queue, from);
    time += (slot - from) % CALENDAR_TICKS;
    queue->now = time;
    if (take_alone(queue, slot))
      return;
    Ticks later = take_out(queue, slot);
    if (any_due(queue))
      return;
    earliest = later < earliest ? later : earliest;
  }
  queue->now = earliest;
  take_out(queue, (uint32_t)(earliest % CALENDAR_TICKS));
}

uint32_t event_queue_pop(EventQueue *queue, Ticks *time) {
  uint32_t key = event_queue_first(queue);
  *time = queue->now;
  bool last = queue->alone != NO_EVENT;
  queue->alone = NO_EVENT;
  if (!last)
    take_due(queue, key);
  if (--queue->count == 0)
    queue->now = UINT64_MAX;
  else if (last || !any_due(queue))
    find_next(queue);
  return key;
}
