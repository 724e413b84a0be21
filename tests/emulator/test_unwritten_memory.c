// Memory that nothing writes: whoever writes a page of it ends the watch, and so does whatever else makes it unknown.
//
// Where Linux is older than 6.7 nothing can be watched, and there is nothing to test.
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unwritten_memory.h"

enum { PAGE = 4096, PAGES = 64, BYTES = PAGES * PAGE };

static uint8_t *memory_of(int flags) {
  uint8_t *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  cr_assert(memory != MAP_FAILED);
  memset(memory, 1, BYTES);
  return memory;
}

static uint64_t watch(const uint8_t *memory, uint64_t size) {
  const uint64_t number = unwritten_watch((uintptr_t)memory, size);
  if (!number)
    cr_skip("this Linux does not tell which pages were written");
  return number;
}

static bool unwritten(const uint8_t *memory, uint64_t size, uint64_t number) {
  return unwritten_since((uintptr_t)memory, size, number);
}

Test(unwritten_memory, stays_so_while_it_is_read) {
  uint8_t *memory = memory_of(MAP_PRIVATE), copy[BYTES];
  const uint64_t number = watch(memory, BYTES);
  memcpy(copy, memory, BYTES);
  for (int i = 0; i < 3; i++)
    cr_assert(unwritten(memory, BYTES, number));
}

Test(unwritten_memory, a_write_of_any_page_ends_it) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  for (int page = 0; page < PAGES; page++) {
    const uint64_t number = watch(memory, BYTES);
    cr_assert(unwritten(memory, BYTES, number));
    memory[page * PAGE + page] = 1; // the value that is there
    cr_assert(not(unwritten(memory, BYTES, number)));
  }
}

Test(unwritten_memory, alternating_pages_end_it) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  const uint64_t number = watch(memory, BYTES);
  for (int page = 1; page < PAGES; page += 2)
    memory[page * PAGE] = 1;
  cr_assert(not(unwritten(memory, BYTES, number)));
}

Test(unwritten_memory, what_linux_writes_counts) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  const uint64_t number = watch(memory, BYTES);
  const int zeros = open("/dev/zero", O_RDONLY);
  cr_assert(eq(long, read(zeros, memory + PAGE, 8), 8));
  close(zeros);
  cr_assert(not(unwritten(memory, BYTES, number)));
}

Test(unwritten_memory, pages_that_were_given_back_count_as_written) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  const uint64_t number = watch(memory, BYTES);
  madvise(memory + PAGE, PAGE, MADV_DONTNEED);
  cr_assert(not(unwritten(memory, BYTES, number)));
}

Test(unwritten_memory, pages_that_are_gone_count_as_written) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  const uint64_t number = watch(memory, BYTES);
  munmap(memory + PAGE, PAGE);
  cr_assert(not(unwritten(memory, BYTES, number)));
}

Test(unwritten_memory, memory_mapped_anew_counts_as_written) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  const uint64_t number = watch(memory, BYTES);
  mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memset(memory, 2, BYTES);
  cr_assert(not(unwritten(memory, BYTES, number)));
}

// Others may write it where nobody here sees it.
Test(unwritten_memory, shared_memory_counts_as_written) {
  uint8_t *memory = memory_of(MAP_SHARED);
  const uint64_t number = unwritten_watch((uintptr_t)memory, BYTES);
  cr_assert(not(unwritten(memory, BYTES, number)));
}

Test(unwritten_memory, a_later_watch_of_written_pages_ends_earlier_ones) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  const uint64_t all = watch(memory, BYTES), same = watch(memory, BYTES);
  cr_assert(unwritten(memory, BYTES, all));
  cr_assert(unwritten(memory, BYTES, same));
  memory[PAGE] = 2;
  const uint64_t part = watch(memory + PAGE / 2, PAGE);
  cr_assert(not(unwritten(memory, BYTES, all)));
  cr_assert(not(unwritten(memory, BYTES, same)));
  cr_assert(unwritten(memory + PAGE / 2, PAGE, part));
  const uint64_t again = watch(memory, BYTES);
  cr_assert(not(unwritten(memory + PAGE / 2, PAGE, part)));
  cr_assert(not(unwritten(memory, BYTES, all)));
  cr_assert(unwritten(memory, BYTES, again));
  cr_assert(not(unwritten(memory, BYTES - PAGE, again)));
}

Test(unwritten_memory, more_watches_than_are_kept_end_the_oldest) {
  uint8_t *memory = memory_of(MAP_PRIVATE), *more = memory_of(MAP_PRIVATE);
  const uint64_t first = watch(memory, PAGE);
  uint64_t number[PAGES];
  for (int page = 0; page < PAGES; page++)
    number[page] = watch(more + page * PAGE, PAGE);
  cr_assert(not(unwritten(memory, PAGE, first)));
  for (int page = 0; page < PAGES; page++)
    cr_assert(unwritten(more + page * PAGE, PAGE, number[page]));
}

Test(unwritten_memory, nothing_is_known_in_a_child) {
  uint8_t *memory = memory_of(MAP_PRIVATE);
  const uint64_t number = watch(memory, BYTES);
  const pid_t child = fork();
  if (child == 0) {
    memory[0] = 2; // the child's own page; the parent's stays as it is
    _exit(unwritten(memory, BYTES, number) || unwritten_watch((uintptr_t)memory, BYTES));
  }
  int status;
  waitpid(child, &status, 0);
  cr_assert(zero(int, status));
  cr_assert(unwritten(memory, BYTES, number));
}

// A daemon closes all it inherited. What it opens then gets the numbers: zeros would tell that no page was written.
static bool zeros_tell_of(const uint8_t *memory) {
  bool before[1], after[1];
  unwritten_pages((uintptr_t)memory, 1, before);
  for (int i = 3; i < 256; i++)
    close(i);
  for (int i = 0; i < 16; i++)
    open("/dev/zero", O_RDONLY);
  unwritten_pages((uintptr_t)memory, 1, after);
  return before[0] || after[0];
}

Test(unwritten_memory, a_file_under_the_number_of_a_closed_one_tells_nothing) {
  int status;
  const uint8_t *memory = memory_of(MAP_PRIVATE);
  const pid_t child = fork(); // the test has descriptors of its own
  if (child == 0)
    _exit(zeros_tell_of(memory) ? 1 : 0);
  waitpid(child, &status, 0);
  cr_assert(zero(int, status));
}
