// Traces: see trace.h.
#include "trace.h"

#include <stdlib.h>
#include <string.h>

static bool grow(Trace *trace) {
  enum { FIRST = 256, LARGEST = 1 << 25 }; // words; 256 MiB for one wave
  uint32_t capacity = trace->capacity ? 2 * trace->capacity : FIRST;
  uint64_t *word = capacity <= LARGEST ? realloc(trace->word, capacity * sizeof *word) : NULL;
  if (!word) {
    trace->exhausted = true;
    return false;
  }
  trace->word = word;
  trace->capacity = capacity;
  return true;
}

void trace_word(Trace *trace, uint64_t word) {
  if (trace->off || (trace->count == trace->capacity && !grow(trace)))
    return;
  trace->word[trace->count++] = word;
}

void trace_access(Trace *trace, TraceAccess access) {
  uint64_t word;
  _Static_assert(sizeof access == sizeof word, "an access is one word of the trace");
  memcpy(&word, &access, sizeof word);
  trace_word(trace, word);
}

static uint64_t header_of(Uses used, EventKind kind, uint32_t payload) {
  uint64_t header = (uint64_t)payload << trace_shift(USES) | kind;
  for (Use use = 0; use < USES; use++)
    header |= (uint64_t)used[use] << trace_shift(use);
  return header;
}

// Uses beyond the header's bits are told before, in equal parts, so that each part takes its share of
// every unit.
void trace_event(Trace *trace, EventKind kind, uint32_t payload) {
  if (trace->off)
    return;
  uint32_t parts = 1;
  for (Use use = 0; use < USES; use++) {
    uint32_t needed = (trace->used[use] >> trace_bits(use)) + 1;
    parts = needed > parts ? needed : parts;
  }
  for (; parts > 1; parts--) {
    Uses part = trace->used / parts;
    trace_word(trace, header_of(part, EVENT_ISSUE, 0));
    trace->used -= part;
  }
  trace_word(trace, header_of(trace->used, kind, payload));
  trace->used = (Uses){0};
}
