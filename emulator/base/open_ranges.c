// Freed memory that is still accessible: see open_ranges.h.
#define _GNU_SOURCE
#include "open_ranges.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LONG_BYTES (32ull << 20) // of a run that is worth a mapping: some tens of allocations
enum { FEW = 4096 };

typedef struct {
  uint64_t begin, end;
} Range;

static struct {
  Range *range;
  size_t count, capacity;
  size_t due; // when to look for long runs
} open;

void open_ranges_close_one(uint64_t begin, uint64_t end) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap((void *)begin, end - begin, PROT_NONE, flags, -1, 0) == MAP_FAILED)
    madvise((void *)begin, end - begin, MADV_DONTNEED);
}

static int by_address(const void *a, const void *b) {
  const Range *one = a, *other = b;
  return (one->begin > other->begin) - (one->begin < other->begin);
}

// Neighbours become one range.
static void join(void) {
  size_t kept = 0;
  qsort(open.range, open.count, sizeof *open.range, by_address);
  for (size_t i = 0; i < open.count; i++)
    if (kept && open.range[kept - 1].end == open.range[i].begin)
      open.range[kept - 1].end = open.range[i].end;
    else
      open.range[kept++] = open.range[i];
  open.count = kept;
}

static void close_from(uint64_t bytes) {
  size_t kept = 0;
  join();
  for (size_t i = 0; i < open.count; i++)
    if (open.range[i].end - open.range[i].begin >= bytes)
      open_ranges_close_one(open.range[i].begin, open.range[i].end);
    else
      open.range[kept++] = open.range[i];
  open.count = kept;
  open.due = kept < FEW ? 2 * FEW : 2 * kept;
}

void open_ranges_close_all(void) {
  if (open.count)
    close_from(0);
}

static int grow(void) {
  const size_t capacity = open.capacity ? 2 * open.capacity : FEW;
  Range *range = realloc(open.range, capacity * sizeof *range);
  if (!range)
    return 0;
  open.range = range;
  open.capacity = capacity;
  return 1;
}

void open_ranges_add(uint64_t begin, uint64_t end) {
  if (open.count == open.capacity && !grow()) {
    open_ranges_close_one(begin, end);
    return;
  }
  madvise((void *)begin, end - begin, MADV_DONTNEED);
  open.range[open.count++] = (Range){begin, end};
  if (open.count >= 2 * FEW && open.count >= open.due)
    close_from(LONG_BYTES);
}
