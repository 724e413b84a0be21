// The Infinity Cache between L2 and HBM: which lines of 128 B it holds, and which of them were written.
//
// In: parameters; lines that L2 reads and writes back. Out: whether a line is there, and whether one that was
// written had to leave for it. A device whose infinity_bytes is 0 has none.
#ifndef EMULATOR_MODEL_INFINITY_H
#define EMULATOR_MODEL_INFINITY_H

#include "division.h"
#include "parameters.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t *tag, *order; // of each set: INFINITY_WAYS line numbers + 1, ways.h
  uint16_t *dirty;       // of each set: ways, a bit each
  uint32_t sets;         // 0: no such cache
  Divisor by_sets;
} Infinity;

bool infinity_create(Infinity *infinity, const Parameters *parameters);
void infinity_destroy(Infinity *infinity);
// Whether the line was there; it is from now on. hash: of the line, which decides its set.
bool infinity_access(Infinity *infinity, uint64_t line, uint64_t hash, bool written,
                     bool *leaves_dirty);

#endif
