// The vector L1 of one compute unit: which 64 B lines it holds and when those under way arrive.
#ifndef EMULATOR_MODEL_L1_H
#define EMULATOR_MODEL_L1_H

#include "parameters.h"
#include "ticks.h"

typedef struct {
  uint64_t tag;  // line number + 1; 0 is empty
  uint64_t used; // larger is more recent
  Ticks ready;   // when its data is there
} L1Line;

typedef struct {
  L1Line *line; // sets * ways
  uint32_t sets, ways;
  uint64_t clock;
} L1;

bool l1_create(L1 *l1, const Parameters *parameters);
void l1_destroy(L1 *l1);

// The line if it is present or under way, marked as used; else NULL.
L1Line *l1_find(L1 *l1, uint64_t line);
// Replaces the least recently used line of the set. Nontemporal lines (MISS_EVICT) are the next to
// go.
void l1_insert(L1 *l1, uint64_t line, Ticks ready, bool stream);
// Write-through without allocation: a stored line leaves the cache.
void l1_drop(L1 *l1, uint64_t line);

#endif
