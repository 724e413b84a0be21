// Pages that freed memory leaves to fresh memory.
//
// In: ranges of this process, touched or not. Out: which have pages afterwards, and what they hold. Each test is a process.
#define _GNU_SOURCE
#include "used_pages.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { MB = 1 << 20, RANGE = 64 * MB, PAGE = 4096 };
#define MOST (1ull << 40)

// From a huge page on, not touched yet.
static uint64_t fresh(void) {
  const uint64_t begin = (uint64_t)mmap(NULL, RANGE + 2 * MB, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return (begin + 2 * MB - 1) / (2 * MB) * (2 * MB);
}

static uint64_t touched(uint64_t bytes) {
  const uint64_t begin = fresh();
  memset((void *)begin, 7, bytes);
  return begin;
}

static uint64_t pages_in(uint64_t begin, uint64_t bytes) {
  static unsigned char there[RANGE / PAGE];
  uint64_t pages = 0;
  cr_assert(zero(int, mincore((void *)begin, bytes, there)));
  for (uint64_t i = 0; i < bytes / PAGE; i++)
    pages += there[i] & 1;
  return pages;
}

static void keep(uint64_t bytes) {
  const uint64_t begin = touched(bytes);
  cr_assert(used_pages_keep(begin, begin + bytes, MOST));
}

// Bytes that have pages in a fresh range after it was given some; all hold zero.
static uint64_t given(uint64_t bytes) {
  const uint64_t begin = fresh();
  used_pages_give(begin, begin + bytes);
  const uint64_t pages = pages_in(begin, bytes);
  for (uint64_t i = 0; i < pages * PAGE; i++)
    cr_assert(zero(u8, ((uint8_t *)begin)[i]));
  memset((void *)begin, 1, bytes);
  return pages * PAGE;
}

Test(used_pages, move_as_a_whole) {
  keep(6 * MB + PAGE);
  cr_assert(eq(u64, used_pages_bytes(), 6 * MB + PAGE));
  cr_assert(eq(u64, given(6 * MB + PAGE), 6 * MB + PAGE));
  cr_assert(zero(u64, used_pages_bytes()));
  cr_assert(zero(u64, given(6 * MB)));
}

Test(used_pages, serve_several) {
  keep(16 * MB);
  cr_assert(eq(u64, given(6 * MB), 6 * MB));
  cr_assert(eq(u64, given(5 * MB), 4 * MB), "whole huge pages");
  cr_assert(eq(u64, given(8 * MB), 6 * MB));
  cr_assert(zero(u64, used_pages_bytes()));
}

Test(used_pages, come_from_several) {
  keep(4 * MB);
  keep(2 * MB + PAGE);
  keep(8 * MB);
  cr_assert(eq(u64, given(40 * MB), 14 * MB));
  cr_assert(zero(u64, used_pages_bytes()), "what is left of less than a huge page goes");
}

Test(used_pages, of_the_same_size_come_first) {
  keep(16 * MB);
  keep(4 * MB);
  cr_assert(eq(u64, given(4 * MB), 4 * MB));
  cr_assert(eq(u64, used_pages_bytes(), 16 * MB));
}

Test(used_pages, are_not_kept_where_it_is_not_worth_it) {
  const uint64_t begin = touched(32 * MB);
  cr_assert(not(used_pages_keep(begin, begin + 40 * MB, MOST)), "a fifth was never touched");
  cr_assert(not(used_pages_keep(begin, begin + MB, MOST)));
  cr_assert(not(used_pages_keep(begin + MB, begin + 32 * MB, MOST)));
  cr_assert(not(used_pages_keep(begin, begin + 32 * MB, 31 * MB)));
  cr_assert(zero(u64, used_pages_bytes()));
  cr_assert(eq(u8, *(uint8_t *)begin, 7), "nothing has changed");
  cr_assert(used_pages_keep(begin, begin + 34 * MB, MOST), "a seventeenth was never touched");
}

Test(used_pages, that_are_old_make_room) {
  const uint64_t old = touched(8 * MB), other = touched(8 * MB);
  cr_assert(used_pages_keep(old, old + 8 * MB, 12 * MB));
  cr_assert(used_pages_keep(other, other + 8 * MB, 12 * MB));
  cr_assert(eq(u64, used_pages_bytes(), 8 * MB));
  cr_assert(zero(u64, pages_in(old, 8 * MB)));
  for (int i = 0; i < 100; i++)
    keep(2 * MB);
  cr_assert(eq(u64, used_pages_bytes(), 64 * 2 * MB));
  used_pages_drop_all();
  cr_assert(zero(u64, used_pages_bytes()));
  cr_assert(zero(u64, given(4 * MB)));
}

#ifdef __SANITIZE_ADDRESS__
#define ENDS_BY_SEGV .exit_code = 1
#else
#define ENDS_BY_SEGV .signal = SIGSEGV
#endif

Test(used_pages, that_are_kept_cannot_be_touched, ENDS_BY_SEGV) {
  const uint64_t begin = touched(4 * MB);
  used_pages_keep(begin, begin + 4 * MB, MOST);
  *(volatile uint8_t *)begin = 1;
}

Test(used_pages, that_moved_leave_nothing_to_touch, ENDS_BY_SEGV) {
  const uint64_t begin = touched(4 * MB);
  cr_assert(used_pages_keep(begin, begin + 4 * MB, MOST));
  cr_assert(eq(u64, given(4 * MB), 4 * MB));
  *(volatile uint8_t *)begin = 1;
}
