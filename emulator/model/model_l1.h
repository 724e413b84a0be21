// The vector L1 of one compute unit: which 64 B lines it holds and when those under way arrive.
#ifndef EMULATOR_MODEL_L1_H
#define EMULATOR_MODEL_L1_H

#include "division.h"
#include "parameters.h"
#include "ticks.h"

typedef struct {
  uint64_t *tag;    // of each set, `padded` places: line number + 1; 0 is empty
  Ticks *ready;     // of the same places: when its data is there
  uint64_t *leaves; // of each set: ways that go first, the lowest before the others, a bit each
  uint64_t *order;  // of each set, `words` of them: ways.h
  uint32_t sets, ways, padded, words;
  Divisor by_sets;
} L1;

bool l1_create(L1 *l1, const Parameters *parameters);
void l1_destroy(L1 *l1);

// When the line's data is there, if it is present or under way, and marks it as used; else NULL.
const Ticks *l1_find(L1 *l1, uint64_t line);
// Replaces the least recently used line of the set. Nontemporal lines (MISS_EVICT) are the next to
// go.
void l1_insert(L1 *l1, uint64_t line, Ticks ready, bool stream);
// Write-through without allocation: a stored line leaves the cache.
void l1_drop(L1 *l1, uint64_t line);

#endif
