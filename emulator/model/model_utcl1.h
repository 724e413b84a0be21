// The address translations that one compute unit keeps (UTCL1): which pages it has seen lately.
//
// In: line numbers of 64 B in the order of the accesses. Out: whether the page's translation is at
// hand; if not, it replaces the one that was used least recently.
#ifndef EMULATOR_MODEL_UTCL1_H
#define EMULATOR_MODEL_UTCL1_H

#include "division.h"
#include "parameters.h"

#include <stdbool.h>
#include <stdint.h>

enum { UTCL1_MAX_ENTRIES = 64 };

typedef struct {
  uint64_t page[UTCL1_MAX_ENTRIES]; // page number + 1, the most recently used first
  Divisor by_page;                  // lines of a page
  uint32_t entries;
} Utcl1;

void utcl1_create(Utcl1 *utcl1, const Parameters *parameters);
// For a page that is not the one used last.
bool utcl1_find_older(Utcl1 *utcl1, uint64_t page);

static inline bool utcl1_find(Utcl1 *utcl1, uint64_t line) {
  uint64_t page = quotient(line, utcl1->by_page) + 1;
  return utcl1->page[0] == page || utcl1_find_older(utcl1, page);
}

#endif
