// Traces: see trace.h.
#include "trace.h"

#include "device_memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t taken; // bytes, by all threads

// Two threads that ask first at the same time find about the same.
bool trace_take_room(uint64_t bytes) {
  enum { SHARE = 4 };
  static uint64_t most;
  if (!__atomic_load_n(&most, __ATOMIC_RELAXED))
    __atomic_store_n(&most, device_memory_host_left() / SHARE, __ATOMIC_RELAXED);
  const uint64_t limit = __atomic_load_n(&most, __ATOMIC_RELAXED);
  if (__atomic_add_fetch(&taken, bytes, __ATOMIC_RELAXED) <= limit)
    return true;
  trace_give_room(bytes);
  return false;
}

void trace_give_room(uint64_t bytes) { __atomic_sub_fetch(&taken, bytes, __ATOMIC_RELAXED); }

static bool grow(Trace *trace) {
  enum { FIRST = 256, LARGEST = 1 << 25 }; // words; 256 MiB for one wave
  const uint32_t capacity = trace->capacity ? 2 * trace->capacity : FIRST;
  const uint64_t more = (uint64_t)(capacity - trace->capacity) * sizeof *trace->word;
  if (trace->exhausted || capacity > LARGEST || !trace_take_room(more)) {
    trace->exhausted = true;
    return false;
  }
  uint64_t *word = realloc(trace->word, capacity * sizeof *word);
  if (!word) {
    trace_give_room(more);
    trace->exhausted = true;
    return false;
  }
  trace->word = word;
  trace->capacity = capacity;
  return true;
}

void trace_free(Trace *trace) {
  free(trace->word);
  trace_give_room((uint64_t)trace->capacity * sizeof *trace->word);
  *trace = (Trace){0};
}

void trace_word(Trace *trace, uint64_t word) {
  if (trace->off || (trace->count == trace->capacity && !grow(trace)))
    return;
  trace->word[trace->count++] = word;
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

// Whether a line goes on where a run ends that is shorter than can be told.
static bool goes_on(uint64_t run, uint64_t line) {
  const uint64_t longest = ~0ull << TRACE_MORE, more = run >> TRACE_MORE;
  return run < longest && line == (run & ~longest) + more + 1;
}

void trace_memory(Trace *trace, TraceAccess access, const uint64_t *lines, uint32_t count) {
  if (trace->off)
    return;
  uint64_t word, runs = 0;
  _Static_assert(sizeof access == sizeof word, "an access is one word of the trace");
  memcpy(&word, &access, sizeof word);
  trace_event(trace, EVENT_MEMORY, 0);
  uint32_t header = trace->count - 1;
  trace_word(trace, word);
  for (uint32_t i = 0; i < count; i += (uint32_t)(word >> TRACE_MORE) + 1, runs++) {
    word = lines[i];
    for (uint32_t k = i + 1; k < count && goes_on(word, lines[k]); k++)
      word += 1ull << TRACE_MORE;
    trace_word(trace, word);
  }
  if (!trace->exhausted)
    trace->word[header] |= runs << trace_shift(USES);
}
