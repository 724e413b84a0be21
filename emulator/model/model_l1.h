// The vector L1 of one compute unit: which 64 B lines it holds and when those under way arrive.
#ifndef EMULATOR_MODEL_L1_H
#define EMULATOR_MODEL_L1_H

#include "division.h"
#include "parameters.h"
#include "ticks.h"

enum { L1_STRIDE = 8 }; // ways that are searched at once

// L1_STRIDE ways of a set. Arrays rather than lines, so that the host compares several at once.
typedef struct {
  uint64_t tag[L1_STRIDE];  // line number + 1; 0 is empty, and also of places that are no ways
  uint64_t used[L1_STRIDE]; // larger is more recent; the low 8 bits are the way's number
  Ticks ready[L1_STRIDE];   // when its data is there
} L1Ways;

typedef struct {
  L1Ways *part; // sets * parts
  uint32_t sets, ways, parts;
  Divisor by_sets;
  uint64_t clock;
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
