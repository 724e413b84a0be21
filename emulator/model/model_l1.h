// The vector L1 of one compute unit: which lines it holds and when those under way arrive.
//
// In: numbers of pieces of 64 B, as traces have them. A line is one piece, or two (l1_line_bytes).
#ifndef EMULATOR_MODEL_L1_H
#define EMULATOR_MODEL_L1_H

#include "division.h"
#include "parameters.h"
#include "ticks.h"
#include "ways.h"

typedef struct {
  uint64_t *tag;    // of each set, `padded` places: line number + 1; 0 is empty
  Ticks *ready;     // of the same places: when its data is there
  uint64_t *leaves; // of each set: ways that go first, the lowest before the others, a bit each
  uint64_t *order;  // of each set, `words` of them: ways.h
  uint32_t sets, ways, padded, words;
  uint32_t line_shift; // from a piece's number to its line's
  Divisor by_sets;
} L1;

bool l1_create(L1 *l1, const Parameters *parameters);
void l1_destroy(L1 *l1);

// The rest is asked for every line, so callers have it without a call.

static inline uint32_t l1_set(const L1 *l1, uint64_t line) {
  return (uint32_t)rest((uint32_t)line, l1->by_sets);
}

static inline void l1_use(L1 *l1, uint32_t set, uint32_t way) {
  l1->leaves[set] &= ~(1ull << way);
  order_use(&l1->order[set * l1->words], l1->ways, way);
}

// When the piece's line is there, if it is present or under way, and marks it as used; else NULL.
static inline const Ticks *l1_find(L1 *l1, uint64_t piece) {
  const uint64_t line = piece >> l1->line_shift;
  uint32_t set = l1_set(l1, line);
  uint64_t found = ways_with(&l1->tag[set * l1->padded], l1->padded, line + 1);
  if (!found)
    return NULL;
  uint32_t way = (uint32_t)__builtin_ctzll(found);
  l1_use(l1, set, way);
  return &l1->ready[set * l1->padded + way];
}

// Replaces the least recently used line of the set. Nontemporal lines (MISS_EVICT) are the next to
// go.
static inline void l1_insert(L1 *l1, uint64_t piece, Ticks ready, bool stream) {
  const uint64_t line = piece >> l1->line_shift;
  uint32_t set = l1_set(l1, line), way;
  if (l1->leaves[set])
    way = (uint32_t)__builtin_ctzll(l1->leaves[set]);
  else
    way = order_at(&l1->order[set * l1->words], l1->ways, l1->ways - 1);
  l1->tag[set * l1->padded + way] = line + 1;
  l1->ready[set * l1->padded + way] = ready;
  if (stream)
    l1->leaves[set] |= 1ull << way;
  else
    l1_use(l1, set, way);
}

// Write-through without allocation: a stored line leaves the cache.
static inline void l1_drop(L1 *l1, uint64_t piece) {
  const uint64_t line = piece >> l1->line_shift;
  uint32_t set = l1_set(l1, line);
  uint64_t found = ways_with(&l1->tag[set * l1->padded], l1->padded, line + 1);
  if (!found)
    return;
  l1->tag[set * l1->padded + (uint32_t)__builtin_ctzll(found)] = 0;
  l1->leaves[set] |= found;
}

#endif
