// Pages of freed memory: see used_pages.h.
#define _GNU_SOURCE
#include "used_pages.h"

#include "open_ranges.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  RANGES = 64,             // that are kept at most
  HUGE_PAGE = 2 << 20,     // bytes; ranges move in whole ones
  PAGE = 4096,             // bytes
  MOST_UNTOUCHED_PART = 8, // of a range; what nobody touched would be cleared in vain
};

typedef struct {
  uint64_t begin, end;
} Range;

static Range kept[RANGES]; // the oldest first
static int count;

uint64_t used_pages_bytes(void) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++)
    bytes += kept[i].end - kept[i].begin;
  return bytes;
}

static void drop(int place) {
  if (kept[place].begin < kept[place].end)
    open_ranges_close_one(kept[place].begin, kept[place].end);
  memmove(&kept[place], &kept[place + 1], (size_t)(--count - place) * sizeof *kept);
}

void used_pages_drop_all(void) {
  while (count)
    drop(count - 1);
}

static bool is_mostly_touched(uint64_t begin, uint64_t end) {
  const uint64_t pages = (end - begin) / PAGE;
  unsigned char *there = malloc(pages);
  uint64_t touched = 0;
  if (there && mincore((void *)begin, end - begin, there) == 0)
    for (uint64_t i = 0; i < pages; i++)
      touched += there[i] & 1;
  free(there);
  return touched >= pages - pages / MOST_UNTOUCHED_PART;
}

bool used_pages_keep(uint64_t begin, uint64_t end, uint64_t most) {
  const uint64_t size = end - begin;
  if (begin % HUGE_PAGE || size < HUGE_PAGE || size > most || !is_mostly_touched(begin, end) ||
      mprotect((void *)begin, size, PROT_NONE) != 0)
    return false;
  while (count && (count == RANGES || used_pages_bytes() + size > most))
    drop(0);
  kept[count++] = (Range){begin, end};
  return true;
}

bool used_pages_take_back(uint64_t begin, uint64_t end) {
  for (int i = 0; i < count; i++) {
    if (kept[i].begin != begin || kept[i].end != end)
      continue;
    if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0)
      return false;
    kept[i].begin = kept[i].end; // nothing is left to close
    drop(i);
    return true;
  }
  return false;
}

// Of the same size, else the largest.
static int best_for(uint64_t size) {
  int best = 0;
  for (int i = 0; i < count; i++) {
    const uint64_t bytes = kept[i].end - kept[i].begin;
    if (bytes == size)
      return i;
    if (bytes > kept[best].end - kept[best].begin)
      best = i;
  }
  return best;
}

static void map_fresh(void *begin, uint64_t size) {
  mmap(begin, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
}

// Moves the first pages of what is kept. False if Linux cannot (before 5.7, or with more mappings than a process may have):
// then the range is fresh, as before.
static bool move(Range *from, uint64_t to, uint64_t size) {
  void *const old = (void *)from->begin, *const fresh = (void *)to;
  const bool moved =
      mremap(old, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, fresh) == fresh &&
      mprotect(fresh, size, PROT_READ | PROT_WRITE) == 0;
  if (!moved) {
    map_fresh(fresh, size);
    return false;
  }
  open_ranges_close_one(from->begin, from->begin + size);
  from->begin += size;
  memset(fresh, 0, size);
  return true;
}

// How much of what is kept the beginning of a range takes: all, or whole huge pages.
static uint64_t share_of(const Range *from, uint64_t wanted) {
  const uint64_t there = from->end - from->begin, most = there < wanted ? there : wanted;
  return there == wanted ? there : most / HUGE_PAGE * HUGE_PAGE;
}

void used_pages_give(uint64_t begin, uint64_t end) {
  while (count && begin < end) {
    const int place = best_for(end - begin);
    const uint64_t size = share_of(&kept[place], end - begin);
    if (!size)
      return;
    if (!move(&kept[place], begin, size)) {
      used_pages_drop_all();
      return;
    }
    begin += size;
    if (kept[place].end - kept[place].begin < HUGE_PAGE)
      drop(place);
  }
}
