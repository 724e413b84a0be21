// Device memory: placement, look-up, use after free, limits.
//
// Each test runs in its own process, so each starts with an empty device.
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_memory.h"
#include "gfx90a.h"
#include "host_limits.h"

static uint64_t allocate(uint64_t size, MemoryKind kind) {
  void *address = NULL;
  cr_assert(eq(int, device_memory_allocate(size, kind, 0, &address), MEMORY_OK));
  return (uint64_t)address;
}

Test(device_memory, fresh_memory_is_zero_and_aligned) {
  const uint64_t sizes[] = {1, 4096, 4097, (2 << 20) - 1, 2 << 20, (8 << 20) + 8};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint64_t address = allocate(sizes[i], MEMORY_DEVICE);
    cr_assert(zero(u64, address % (sizes[i] < 2 << 20 ? 4096 : 2 << 20)));
    for (uint64_t b = 0; b < sizes[i]; b++)
      cr_assert(zero(u8, ((uint8_t *)address)[b]));
    *(uint8_t *)(address + sizes[i] - 1) = 1;
  }
}

Test(device_memory, finds_exactly_the_bytes_asked_for) {
  uint64_t a = allocate(100, MEMORY_DEVICE), b = allocate(100, MEMORY_MANAGED);
  cr_assert(ge(u64, b, a + 100 + DEVICE_MEMORY_GAP));
  cr_assert(eq(u64, device_memory_find(a, 100)->address, a));
  cr_assert(eq(u64, device_memory_find(a + 92, 8)->address, a));
  cr_assert(eq(u64, device_memory_find(b + 99, 1)->address, b));
  cr_assert(eq(ptr, (void *)device_memory_find(a + 93, 8), NULL), "straddles the end");
  cr_assert(eq(ptr, (void *)device_memory_find(a + 100, 1), NULL));
  cr_assert(eq(ptr, (void *)device_memory_find(a - 1, 2), NULL));
  cr_assert(eq(ptr, (void *)device_memory_find(0, 8), NULL));
  cr_assert(eq(ptr, (void *)device_memory_find(a + 8, UINT64_MAX - 4), NULL), "size wraps around");
  cr_assert(eq(ptr, (void *)device_memory_find(UINT64_MAX, 8), NULL));
}

Test(device_memory, nearest_tells_side_and_distance) {
  int64_t distance = 7;
  cr_assert(eq(ptr, (void *)device_memory_nearest(4096, &distance), NULL));
  uint64_t a = allocate(100, MEMORY_DEVICE), b = allocate(100, MEMORY_DEVICE);
  const struct {
    uint64_t address, nearest;
    int64_t distance;
  } cases[] = {
      {a, a, 0},           {a + 99, a, 0},
      {a + 100, a, 1},     {a + 107, a, 8},
      {a - 1, a, -1},      {b - 8, b, -8},
      {b + 100, b, 1},     {b + 4096, b, 3997},
      {0, a, -(int64_t)a}, {UINT64_MAX, b, INT64_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const Allocation *nearest = device_memory_nearest(cases[i].address, &distance);
    cr_assert(eq(u64, nearest->address, cases[i].nearest), "case %zu", i);
    cr_assert(eq(i64, distance, cases[i].distance), "case %zu", i);
  }
}

Test(device_memory, freed_range_is_known_and_never_used_again) {
  uint64_t a = allocate(1000, MEMORY_DEVICE);
  device_memory_set_name((void *)a, "a");
  cr_assert(eq(str, (char *)device_memory_find(a, 1)->name, "a"));
  cr_assert(not(device_memory_free((void *)(a + 8), MEMORY_DEVICE)), "not its begin");
  cr_assert(not(device_memory_free((void *)a, MEMORY_HOST)), "not its kind");
  cr_assert(device_memory_free((void *)a, MEMORY_DEVICE));
  cr_assert(not(device_memory_free((void *)a, MEMORY_DEVICE)), "freed twice");
  cr_assert(eq(ptr, (void *)device_memory_find(a, 8), NULL));
  int64_t distance;
  const Allocation *freed = device_memory_nearest(a + 8, &distance);
  cr_assert(eq(u64, freed->address, a));
  cr_assert(zero(i64, distance));
  cr_assert(not(freed->live));
  cr_assert(eq(str, (char *)freed->name, "a"));
  cr_assert(lt(u64, a + 1000, allocate(1000, MEMORY_DEVICE)));
}

// The address sanitizer turns the signal into its own report, which is just as much an end of the
// process.
#ifdef __SANITIZE_ADDRESS__
#define ENDS_BY_SEGV .exit_code = 1
#else
#define ENDS_BY_SEGV .signal = SIGSEGV
#endif

Test(device_memory, host_cannot_touch_freed_memory, ENDS_BY_SEGV) {
  volatile uint8_t *a = (uint8_t *)allocate(1 << 20, MEMORY_DEVICE);
  a[5] = 1;
  device_memory_free((void *)a, MEMORY_DEVICE);
  a[5] = 2;
}

// Bytes that have pages.
static uint64_t resident(uint64_t address, uint64_t size) {
  static unsigned char there[1 << 16];
  uint64_t bytes = 0;
  cr_assert(zero(int, mincore((void *)address, size, there)));
  for (uint64_t i = 0; i < size / 4096; i++)
    bytes += there[i] & 1 ? 4096 : 0;
  return bytes;
}

enum { LARGE = 16 << 20 };

Test(device_memory, pages_of_freed_memory_come_back_cleared) {
  const uint64_t a = allocate(LARGE, MEMORY_DEVICE);
  memset((void *)a, 1, LARGE);
  cr_assert(device_memory_free((void *)a, MEMORY_DEVICE));
  const uint64_t b = allocate(LARGE, MEMORY_DEVICE);
  cr_assert(ne(u64, b, a));
  cr_assert(eq(u64, resident(b, LARGE), LARGE));
  for (uint64_t i = 0; i < LARGE; i++)
    cr_assert(zero(u8, ((uint8_t *)b)[i]));
  memset((void *)b, 1, LARGE);
}

Test(device_memory, pages_that_nobody_touched_or_others_have_do_not) {
  const uint64_t untouched = allocate(LARGE, MEMORY_DEVICE),
                 shared = allocate(LARGE, MEMORY_DEVICE);
  *(uint8_t *)untouched = 1;
  memset((void *)shared, 1, LARGE);
  device_memory_export((void *)shared);
  cr_assert(device_memory_free((void *)untouched, MEMORY_DEVICE));
  cr_assert(device_memory_free((void *)shared, MEMORY_DEVICE));
  cr_assert(zero(u64, resident(allocate(LARGE, MEMORY_DEVICE), LARGE)));
}

Test(device_memory, host_cannot_touch_what_is_kept_of_freed_memory, ENDS_BY_SEGV) {
  const uint64_t a = allocate(LARGE, MEMORY_DEVICE);
  memset((void *)a, 1, LARGE);
  device_memory_free((void *)a, MEMORY_DEVICE);
  *(volatile uint8_t *)(a + 4096) = 1;
}

// Of three that a loop frees in any order the lowest comes first, with what it held where its pages were kept.
Test(device_memory, loops_get_again_what_they_freed_last) {
  enum { LARGE = 4 << 20, FREES = 256 };
  for (int i = 0; i < FREES; i++)
    cr_assert(device_memory_free((void *)allocate(LARGE, MEMORY_DEVICE), MEMORY_DEVICE));
  const uint64_t a = allocate(LARGE, MEMORY_DEVICE), b = allocate(LARGE, MEMORY_DEVICE),
                 small = allocate(100, MEMORY_DEVICE), managed = allocate(100, MEMORY_MANAGED);
  for (int i = 0; i < 3; i++) {
    memset((void *)a, 1, LARGE);
    memset((void *)b, 2, LARGE);
    memset((void *)small, 3, 100);
    cr_assert(device_memory_free((void *)(i % 2 ? a : b), MEMORY_DEVICE));
    cr_assert(device_memory_free((void *)(i % 2 ? b : a), MEMORY_DEVICE));
    cr_assert(device_memory_free((void *)small, MEMORY_DEVICE));
    cr_assert(eq(ptr, (void *)device_memory_find(a, 1), NULL));
    cr_assert(eq(u64, allocate(LARGE, MEMORY_DEVICE), a));
    cr_assert(eq(u64, allocate(100, MEMORY_DEVICE), small));
    cr_assert(eq(u64, allocate(LARGE, MEMORY_DEVICE), b));
    const uint64_t fresh = allocate(LARGE, MEMORY_DEVICE);
    cr_assert(ne(u64, fresh, b));
    cr_assert(all(eq(u8, ((uint8_t *)a)[LARGE - 1], 1), eq(u8, ((uint8_t *)b)[0], 2)));
  }
  cr_assert(device_memory_free((void *)managed, MEMORY_MANAGED));
  cr_assert(ne(u64, allocate(100, MEMORY_MANAGED), managed));
  cr_assert(ne(u64, allocate(100, MEMORY_DEVICE), managed));
}

// Turn by turn: until then each address is told when it is used after its end. Of two in each turn each has its own.
Test(device_memory, a_size_that_is_freed_and_asked_for_again_five_times_is_handed_on) {
  enum { TURNS = 5 };
  uint64_t a = allocate(1000, MEMORY_DEVICE), b = allocate(1000, MEMORY_DEVICE);
  const uint64_t other = allocate(500, MEMORY_DEVICE);
  cr_assert(device_memory_free((void *)other, MEMORY_DEVICE));
  for (int turn = 1; turn <= TURNS + 2; turn++) {
    cr_assert(device_memory_free((void *)a, MEMORY_DEVICE));
    cr_assert(device_memory_free((void *)b, MEMORY_DEVICE));
    const uint64_t c = allocate(1000, MEMORY_DEVICE), d = allocate(1000, MEMORY_DEVICE);
    cr_assert(eq(int, c == a, turn >= TURNS), "turn %d", turn);
    cr_assert(eq(int, d == b, turn >= TURNS), "turn %d", turn);
    a = c;
    b = d;
  }
  cr_assert(ne(u64, allocate(500, MEMORY_DEVICE), other)); // of its size it is the first turn
}

Test(device_memory, a_sanitized_loop_never_does) {
  setenv("EMULATOR_SANITIZE", "1", 1);
  for (int i = 0; i < 300; i++) {
    const uint64_t before = allocate(100, MEMORY_DEVICE);
    cr_assert(device_memory_free((void *)before, MEMORY_DEVICE));
    const uint64_t next = allocate(100, MEMORY_DEVICE);
    cr_assert(ne(u64, next, before));
  }
}

Test(device_memory, host_cannot_touch_the_gap, ENDS_BY_SEGV) {
  volatile uint8_t *a = (uint8_t *)allocate(4096, MEMORY_DEVICE);
  a[2 * 4096] = 1; // of a small allocation the device maps one page more
}

// The last huge page of a large allocation may reach into the gap, but not to what comes behind.
Test(device_memory, a_large_allocation_leaves_its_neighbours_alone) {
  enum { HUGE = 2 << 20, STEP = 64 << 10 };
  for (uint64_t size = HUGE; size < 2 * HUGE; size += STEP) {
    const uint64_t large = allocate(size, MEMORY_DEVICE), small = allocate(100, MEMORY_DEVICE);
    *(uint8_t *)(large + size - 1) = 1;
    *(uint8_t *)small = 2;
    cr_assert(device_memory_free((void *)large, MEMORY_DEVICE));
    cr_assert(eq(u8, *(uint8_t *)small, 2));
    *(uint8_t *)small = 3;
    const uint64_t next = allocate(size, MEMORY_DEVICE);
    cr_assert(zero(u8, *(uint8_t *)(next + size - 1)));
    cr_assert(device_memory_free((void *)small, MEMORY_DEVICE));
    *(uint8_t *)(next + size - 1) = 4;
  }
}

Test(device_memory, what_a_device_does_not_notice) {
  uint64_t a = allocate(100, MEMORY_DEVICE), large = allocate((2 << 20) + 100, MEMORY_DEVICE);
  cr_assert(eq(u64, device_memory_beyond(a + 100, 8)->address, a));
  cr_assert(eq(u64, device_memory_beyond(a + 8184, 8)->address, a));
  cr_assert(eq(ptr, (void *)device_memory_beyond(a + 8185, 8), NULL));
  cr_assert(eq(ptr, (void *)device_memory_beyond(a - 1, 1), NULL));
  cr_assert(eq(u64, device_memory_beyond(large + (2 << 20) + 4095, 1)->address, large));
  cr_assert(eq(ptr, (void *)device_memory_beyond(large + (2 << 20) + 4096, 1), NULL));
  *(volatile uint8_t *)(a + 8191) = 1;
  cr_assert(device_memory_free((void *)a, MEMORY_DEVICE));
  cr_assert(eq(ptr, (void *)device_memory_beyond(a + 100, 8), NULL));
}

Test(device_memory, requests_beyond_the_device_or_the_host_are_exhausted) {
  void *address = NULL;
  const uint64_t sizes[] = {device_memory_size() + 1, 1ull << 45, 1ull << 63, UINT64_MAX - 4095,
                            UINT64_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (MemoryKind kind = MEMORY_DEVICE; kind <= MEMORY_RUNTIME; kind++) {
      if (sizes[i] == device_memory_size() + 1 && kind != MEMORY_DEVICE && kind != MEMORY_MANAGED)
        continue; // a big host may have it
      cr_assert(eq(int, device_memory_allocate(sizes[i], kind, 0, &address), MEMORY_EXHAUSTED));
    }
  }
  cr_assert(zero(u64, device_memory_used(0)));
}

Test(device_memory, requests_share_the_device) {
  setenv("EMULATOR_SET", "hbm_bytes=16777216", 1); // less than any host has
  void *address = NULL;
  const uint64_t part = 10 << 20;
  cr_assert(eq(int, device_memory_allocate(part, MEMORY_DEVICE, 0, &address), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(part, MEMORY_DEVICE, 0, &address), MEMORY_EXHAUSTED));
  cr_assert(eq(int, device_memory_allocate(part, MEMORY_MANAGED, 0, &address), MEMORY_EXHAUSTED));
  cr_assert(eq(int, device_memory_allocate(part, MEMORY_HOST, 0, &address), MEMORY_OK));
}

Test(device_memory, untouched_requests_add_up) {
  void *address;
  uint64_t sum = 0;
  while (device_memory_allocate(1ull << 30, MEMORY_DEVICE, 0, &address) == MEMORY_OK)
    sum += 1ull << 30;
  cr_assert(eq(u64, device_memory_used(0), sum));
  cr_assert(le(u64, sum, device_memory_size()));
  cr_assert(le(u64, sum, (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE)));
  if (sum > 0) {
    cr_assert(device_memory_free(address, MEMORY_DEVICE));
    cr_assert(eq(int, device_memory_allocate(1ull << 30, MEMORY_DEVICE, 0, &address), MEMORY_OK));
  }
}

Test(device_memory, registered_host_memory_comes_and_goes) {
  uint64_t device = allocate(64, MEMORY_DEVICE);
  char *host = malloc(4096);
  cr_assert(device_memory_register(host + 64, 1024, 5));
  cr_assert(not(device_memory_register(host, 65, 0)), "overlaps by a byte");
  cr_assert(not(device_memory_register(host + 1087, 8, 0)));
  cr_assert(not(device_memory_register(host + 128, 8, 0)));
  cr_assert(device_memory_register(host, 64, 0), "touches, does not overlap");
  cr_assert(not(device_memory_register((void *)device, 8, 0)), "device memory");
  cr_assert(not(device_memory_register(host + 2048, 0, 0)));
  cr_assert(not(device_memory_register(host + 2048, UINT64_MAX, 0)));
  const Allocation *found = device_memory_find((uint64_t)host + 100, 8);
  cr_assert(found->registered);
  cr_assert(eq(u32, found->flags, 5));
  cr_assert(zero(u64, device_memory_find(device, 64)->flags));
  cr_assert(device_memory_free(host + 64, MEMORY_HOST));
  cr_assert(eq(ptr, (void *)device_memory_find((uint64_t)host + 100, 8), NULL));
  host[100] = 1;
  cr_assert(device_memory_register(host + 100, 8, 0));
  free(host);
}

static void *allocate_elsewhere(void *done) {
  allocate(64, MEMORY_DEVICE);
  __atomic_store_n((bool *)done, true, __ATOMIC_RELEASE);
  return NULL;
}

Test(device_memory, changes_wait_until_others_let_go, .timeout = 60) {
  pthread_t thread;
  bool done = false;
  device_memory_hold();
  device_memory_hold();
  uint64_t own = allocate(64, MEMORY_DEVICE); // what this thread holds itself is no hindrance
  const Allocation *found = device_memory_find(own, 64);
  cr_assert(zero(int, pthread_create(&thread, NULL, allocate_elsewhere, &done)));
  usleep(50000);
  device_memory_let_go();
  usleep(50000);
  cr_assert(not(__atomic_load_n(&done, __ATOMIC_ACQUIRE)), "this thread still holds it");
  cr_assert(eq(u64, found->address, own));
  device_memory_let_go();
  cr_assert(zero(int, pthread_join(thread, NULL)));
  cr_assert(done);
}

Test(device_memory, many_allocations_stay_fast, .timeout = 60) {
  uint64_t last = 0;
  for (int i = 0; i < 100000; i++) {
    uint64_t address = allocate(8 + i, MEMORY_DEVICE); // of a size that none had before
    cr_assert(lt(u64, last, address));
    last = address;
    device_memory_free((void *)address, MEMORY_DEVICE);
  }
  int64_t distance;
  device_memory_nearest(last, &distance);
  cr_assert(zero(i64, distance), "the latest freed range is still known");
  uint64_t first = allocate(8, MEMORY_DEVICE);
  for (int i = 0; i < 70000; i++) // more than the kernel's limit of mappings
    *(uint64_t *)allocate(8, MEMORY_DEVICE) = i;
  cr_assert(eq(u64, device_memory_used(0), 70001 * 8));
  cr_assert(ne(ptr, (void *)device_memory_find(first, 8), NULL));
}

static int mappings(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  int lines = 0;
  cr_assert(ne(ptr, maps, NULL));
  for (int c; (c = getc(maps)) != EOF;)
    lines += c == '\n';
  fclose(maps);
  return lines;
}

// Linux allows a process 65530; whatever else needs one fails then, too.
Test(device_memory, many_that_are_freed_anywhere_leave_the_process_its_mappings, .timeout = 60) {
  enum { COUNT = 1 << 16, LIVE = 10000 };
  static uint64_t address[COUNT];
  const int before = mappings();
  for (int i = 0; i < COUNT; i++)
    address[i] = allocate(16, MEMORY_DEVICE);
  for (int i = 0; i < COUNT; i++) {
    cr_assert(device_memory_free((void *)address[i * 7919l % COUNT], MEMORY_DEVICE));
    if (i % (COUNT / 16) == 0)
      cr_assert(lt(int, mappings(), 40000), "%d freed", i);
  }
  cr_assert(lt(int, mappings(), before + 100));
  for (int i = 0; i < LIVE; i++)
    *(int *)allocate(16, MEMORY_DEVICE) = i;
  for (int i = 0; i < COUNT; i++) {
    address[0] = allocate(16, MEMORY_DEVICE);
    *(int *)address[0] = i;
    cr_assert(device_memory_free((void *)address[0], MEMORY_DEVICE));
  }
  cr_assert(lt(int, mappings(), 40000), "a loop beside many");
}

static void write_file(const char *folder, const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *c = path + 1; (c = strchr(c, '/')); *c++ = '/') {
    *c = 0;
    mkdir(path, 0700);
  }
  FILE *file = fopen(path, "w");
  cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
  (void)status, (void)type, (void)at;
  return remove(path);
}

// As Slurm and systemd make them: the limit is that of a group above, or of the group itself.
Test(device_memory, control_groups_limit_it_on_the_way_up) {
  char folder[] = "/tmp/groups-XXXXXX", listing[64];
  cr_assert(mkdtemp(folder) != NULL);
  snprintf(listing, sizeof listing, "%s/listing", folder);
  cr_assert(eq(u64, host_control_group_limit(listing, folder), UINT64_MAX));
  write_file(folder, "listing", "12:cpu,cpuacct:/\n4:memory:/job/step\n0::/user/session\n");
  cr_assert(eq(u64, host_control_group_limit(listing, folder), UINT64_MAX));
  write_file(folder, "user/session/memory.max", "max\n");
  write_file(folder, "user/memory.max", "9000\n");
  cr_assert(eq(u64, host_control_group_limit(listing, folder), 9000));
  write_file(folder, "memory/job/step/memory.limit_in_bytes", "8000\n");
  cr_assert(eq(u64, host_control_group_limit(listing, folder), 8000));
  write_file(folder, "memory.max", "7000\n");
  cr_assert(eq(u64, host_control_group_limit(listing, folder), 7000));
  write_file(folder, "memory/memory.limit_in_bytes", "6000\n");
  cr_assert(eq(u64, host_control_group_limit(listing, folder), 6000));
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
