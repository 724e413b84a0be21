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

void trace_event(Trace *trace, EventKind kind, uint32_t payload) {
  enum { MOST = (1 << 20) - 1 };
  while (trace->issued > MOST || trace->valu > MOST) {
    uint32_t issued = trace->issued < MOST ? trace->issued : MOST,
             valu = trace->valu < MOST ? trace->valu : MOST;
    trace_word(trace, (uint64_t)issued << 4 | (uint64_t)valu << 24 | EVENT_ISSUE);
    trace->issued -= issued;
    trace->valu -= valu;
  }
  trace_word(trace, (uint64_t)trace->issued << 4 | (uint64_t)trace->valu << 24 |
                        (uint64_t)payload << 44 | kind);
  trace->issued = trace->valu = 0;
}
