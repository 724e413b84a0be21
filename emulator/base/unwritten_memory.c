// Memory that nothing writes: see unwritten_memory.h. userfaultfd protects pages, asynchronously: the first write makes
// Linux take the protection away and go on. PAGEMAP_SCAN tells which pages have lost it. To protect a range again makes
// them all unwritten, so earlier watches of any part of it must end before that.
#define _GNU_SOURCE
#include "unwritten_memory.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  WATCHES = 64, // at most; the oldest ends
  REGIONS = 16, // runs of pages alike that are asked for at once
};

// Of Linux's uapi headers since 6.7 (linux/fs.h, linux/userfaultfd.h).
enum { WRITTEN = 1 << 1, PRESENT = 1 << 3, SWAPPED = 1 << 4, OF_A_FILE = 1 << 2 };
enum { IF_WATCHED = 1 << 1, WP_UNPOPULATED = 1 << 13, WP_ASYNC = 1 << 15, OF_USER_MODE = 1 };

typedef struct {
  uint64_t begin, end, categories;
} Region;

typedef struct {
  uint64_t size, flags, begin, end, walk_end, regions, region_count, most_pages;
  uint64_t inverted, all_of, any_of, told;
} Scan;

#define SCAN_PAGES _IOWR('f', 16, Scan)

typedef struct {
  uint64_t begin, end, number;
} Watch;

static Watch watches[WATCHES];
static uint64_t numbers;
static int faults = -1, pages = -1; // descriptors
static struct stat of_pages;        // by which the descriptor is known again
static pid_t opened_by;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static void open_both(void) {
  struct uffdio_api api = {.api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED};
  opened_by = getpid();
  faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | OF_USER_MODE);
  pages = open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages >= 0 && fstat(pages, &of_pages) != 0)
    pages = -1;
  if (faults >= 0 && (pages < 0 || ioctl(faults, UFFDIO_API, &api) != 0)) {
    close(faults);
    faults = -1;
  }
}

// A daemon closes all descriptors that it inherited; then files of its own get their numbers.
static bool is_open(void) {
  struct stat now;
  return pages >= 0 && fstat(pages, &now) == 0 && now.st_dev == of_pages.st_dev &&
         now.st_ino == of_pages.st_ino;
}

// The descriptors mean the memory of the process that opened them.
static bool are_mine(void) {
  pthread_mutex_lock(&opening);
  if (!opened_by)
    open_both();
  pthread_mutex_unlock(&opening);
  return opened_by == getpid() && is_open();
}

static bool is_served(void) { return are_mine() && faults >= 0; }

// Linux, Documentation/admin-guide/mm/pagemap.rst: 64 bits for each page.
void unwritten_pages(uint64_t address, uint32_t count, bool *unwritten) {
  enum { PRESENT_BIT = 63, SWAPPED_BIT = 62 };
  uint64_t entry[MOST_PAGES];
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const ssize_t bytes = count * (ssize_t)sizeof *entry;
  const off_t at = (off_t)(address / page * sizeof *entry);
  const bool known = are_mine() && pread(pages, entry, (size_t)bytes, at) == bytes;
  for (uint32_t i = 0; i < count; i++)
    unwritten[i] = known && !(entry[i] >> PRESENT_BIT & 1) && !(entry[i] >> SWAPPED_BIT & 1);
}

// The pages that the range touches.
static Watch pages_of(uint64_t address, uint64_t size) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return (Watch){.begin = address / page * page, .end = (address + size + page - 1) / page * page};
}

// Each page must be there, for then it holds what it held, and be of this process alone.
static bool is_unwritten(const Watch *range) {
  Region region[REGIONS];
  Scan scan = {.size = sizeof scan,
               .flags = IF_WATCHED,
               .end = range->end,
               .regions = (uintptr_t)region,
               .region_count = REGIONS,
               .told = WRITTEN | PRESENT | SWAPPED | OF_A_FILE};
  for (uint64_t at = range->begin; at < range->end;) {
    scan.begin = at;
    const int count = ioctl(pages, SCAN_PAGES, &scan);
    if (count <= 0)
      return false;
    for (int i = 0; i < count; at = region[i++].end)
      if (region[i].begin != at ||
          (region[i].categories != PRESENT && region[i].categories != SWAPPED))
        return false;
  }
  return true;
}

static bool overlap(const Watch *a, const Watch *b) {
  return a->begin < b->end && b->begin < a->end;
}

static bool same_pages(const Watch *a, const Watch *b) {
  return a->begin == b->begin && a->end == b->end;
}

// The number of a watch that still holds for these pages, 0 if there is none.
static uint64_t holding(const Watch *range) {
  for (int i = 0; i < WATCHES; i++)
    if (watches[i].number && same_pages(&watches[i], range))
      return is_unwritten(range) ? watches[i].number : 0;
  return 0;
}

static bool protect(const Watch *range) {
  const struct uffdio_range of = {.start = range->begin, .len = range->end - range->begin};
  struct uffdio_register registered = {.range = of, .mode = UFFDIO_REGISTER_MODE_WP};
  struct uffdio_writeprotect protection = {.range = of, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
  return ioctl(faults, UFFDIO_REGISTER, &registered) == 0 &&
         ioctl(faults, UFFDIO_WRITEPROTECT, &protection) == 0;
}

// Room for one more: watches that share pages with it end, as does the oldest if none is free.
static Watch *place_for(const Watch *range) {
  Watch *place = &watches[0];
  for (int i = 0; i < WATCHES; i++) {
    if (watches[i].number && overlap(&watches[i], range))
      watches[i].number = 0;
    if (watches[i].number < place->number)
      place = &watches[i];
  }
  return place;
}

uint64_t unwritten_watch(uint64_t address, uint64_t size) {
  Watch range = pages_of(address, size);
  if (!size || !is_served())
    return 0;
  const uint64_t number = holding(&range);
  if (number)
    return number;
  Watch *place = place_for(&range);
  place->number = 0;
  if (!protect(&range))
    return 0;
  range.number = ++numbers;
  *place = range;
  return range.number;
}

bool unwritten_since(uint64_t address, uint64_t size, uint64_t watch) {
  const Watch range = pages_of(address, size);
  for (int i = 0; i < WATCHES; i++)
    if (watch && watches[i].number == watch && same_pages(&watches[i], &range))
      return is_served() && is_unwritten(&range);
  return false;
}
