// The memory model's parts, each on cases whose answer follows from its rules alone.
#include "event_queue.h"
#include "model.h"
#include "model_l1.h"
#include "model_l2.h"
#include "parameters.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Parameters defaults(void) {
  Parameters p;
  char message[512];
  cr_assert(parameters_read(&p, message, sizeof message), "%s", message);
  return p;
}

// ---- parameters ----

Test(parameters, built_in_device_is_an_mi250x_gcd) {
  Parameters p = defaults();
  cr_assert(eq(str, p.name, "AMD Instinct MI250X"));
  cr_assert(eq(dbl, p.compute_units, 110));
  cr_assert(eq(dbl, p.l2_bytes, 8 << 20));
  cr_assert(eq(dbl, p.l1_bytes, 16384));
}

Test(parameters, a_built_in_device_is_found_by_name) {
  Parameters mi250x = defaults();
  setenv("EMULATOR_DEVICE", "mi210", 1);
  Parameters p = defaults();
  cr_assert(eq(str, p.name, "AMD Instinct MI210"));
  cr_assert(eq(dbl, p.compute_units, 104));
  // nothing else differs, so rows published for an MI210 validate the die of both
  memcpy(p.name, mi250x.name, sizeof p.name);
  p.compute_units = mi250x.compute_units;
#define X(NAME, LEAST, MOST) cr_assert(eq(dbl, p.NAME, mi250x.NAME), #NAME);
  PARAMETERS(X)
#undef X
  setenv("EMULATOR_DEVICE", "mi250x", 1);
  cr_assert(eq(dbl, defaults().compute_units, 110));
}

Test(parameters, an_unknown_device_is_refused_with_the_list) {
  Parameters p;
  char message[512] = "";
  setenv("EMULATOR_DEVICE", "mi211", 1);
  cr_assert(not(parameters_read(&p, message, sizeof message)));
  cr_assert(strstr(message, "EMULATOR_DEVICE=mi211 is neither a device that is built in (") != NULL,
            "%s", message);
  cr_assert(strstr(message, "mi210, ") && strstr(message, "mi250x"), "%s", message);
  setenv("EMULATOR_DEVICE", "/tmp", 1);
  cr_assert(not(parameters_read(&p, message, sizeof message)), "a folder");
  setenv("EMULATOR_DEVICE", "/dev/null", 1);
  cr_assert(not(parameters_read(&p, message, sizeof message)), "a file that sets nothing");
}

Test(parameters, the_process_has_one_device) {
  setenv("EMULATOR_SET", "compute_units=7", 1);
  cr_assert(eq(dbl, parameters_device()->compute_units, 7));
  cr_assert(eq(ptr, (void *)parameters_refused(), NULL));
  setenv("EMULATOR_SET", "compute_units=8", 1);
  cr_assert(eq(dbl, parameters_device()->compute_units, 7));
}

Test(parameters, refused_ones_leave_the_default_device) {
  setenv("EMULATOR_SET", "compute_units=7 l2_ways=99", 1);
  cr_assert(ne(ptr, strstr(parameters_refused(), "1 to 32 is allowed"), NULL));
  cr_assert(eq(dbl, parameters_device()->compute_units, 110));
}

static void refused(const char *set, const char *phrase) {
  Parameters p;
  char message[512] = "";
  setenv("EMULATOR_SET", set, 1);
  cr_expect(not(parameters_read(&p, message, sizeof message)), "\"%s\" was accepted", set);
  cr_expect(strstr(message, phrase) != NULL, "\"%s\": \"%s\" is missing in: %s", set, phrase,
            message);
}

Test(parameters, pairs_change_the_device) {
  setenv("EMULATOR_SET", "l2_bytes=4194304, nontemporal=0 l2_page_bytes=5120", 1);
  Parameters p = defaults();
  cr_assert(eq(dbl, p.l2_bytes, 4 << 20));
  cr_assert(eq(dbl, p.nontemporal, 0));
  cr_assert(eq(dbl, p.l2_page_bytes, 5120), "pages need be no power of two");
}

Test(parameters, nonsense_is_refused_with_the_range) {
  refused("l2_bytes=1", "65536 to 2.68435e+08 is allowed");
  refused("l2_bytes=nan", "is out of range");
  refused("l2_byte=65536", "no parameter \"l2_byte\"");
  refused("l2_bytes", "not of the form NAME = VALUE");
  refused("l2_bytes=8388608x", "not of the form NAME = VALUE");
  refused("compute_units=0", "1 to 256 is allowed");
  refused("compute_units=1.5", "must be whole numbers");
  refused("waves_per_simd=4.5", "must be whole numbers");
  refused("waves_per_simd=3", "4 to 16 is allowed");
  refused("l2_bytes=", "not of the form NAME = VALUE");
  refused("=5", "not of the form NAME = VALUE");
  refused("hbm_bytes=1048576.5", "must be whole numbers");
  refused("name=AMD_Instinct_MI250X_with_a_name_that_nobody_would_give_to_any_device_at_all",
          "longer than 63 bytes");
  refused("l2_bytes=8388609", "whole number of sets");
  refused("l1_ways=3", "l1_bytes must be a whole number of sets");
  refused("l2_unused_ways=0.5", "l2_unused_ways must be a whole number below l2_ways");
  refused("l2_unused_ways=16", "l2_unused_ways must be a whole number below l2_ways");
  refused("l2_interleave_bytes=192 l2_page_bytes=3840",
          "l2_interleave_bytes must be a multiple of 128");
  refused("l2_page_bytes=4224", "and l2_page_bytes one of it");
  refused("hbm_open_rows=1.5", "hbm_open_rows must be whole");
  refused("hbm_row_bytes=2000", "hbm_row_bytes a multiple of 128");
  refused("issue_order=3", "0 to 2 is allowed");
  refused("issue_order=0.5", "issue_order must be 0, 1 or 2");
}

Test(parameters, a_file_is_refused_with_the_line) {
  char path[] = "/tmp/device-XXXXXX", message[512] = "";
  FILE *file = fdopen(mkstemp(path), "w");
  fputs("; a smaller device\n[l2]\nname = Half a device ; its name\nl2_ways = 99\n", file);
  fclose(file);
  setenv("EMULATOR_DEVICE", path, 1);
  Parameters p;
  cr_assert(not(parameters_read(&p, message, sizeof message)));
  cr_assert(strstr(message, "line 4: l2_ways") != NULL, "%s", message);
  cr_assert(strstr(message, "1 to 32 is allowed") != NULL, "%s", message);
  cr_assert(eq(str, p.name, "Half a device"));
  unlink(path);
  cr_assert(not(parameters_read(&p, message, sizeof message)));
  cr_assert(strstr(message, "nor a file that can be read") != NULL, "%s", message);
}

// ---- event queue ----

Test(event_queue, comes_out_in_order_of_time_then_key) {
  enum { KEYS = 5000 };
  EventQueue queue;
  cr_assert(event_queue_create(&queue, KEYS));
  uint64_t state = 1, previous = 0, popped = 0;
  uint32_t previous_key = 0;
  for (uint32_t key = 0; key < KEYS; key++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    event_queue_push(&queue, (state >> 33) % (40000000), key); // many rounds of the calendar
  }
  while (queue.count) {
    Ticks time;
    uint32_t key = event_queue_pop(&queue, &time);
    cr_assert(time > previous || (time == previous && key >= previous_key));
    previous = time;
    previous_key = key;
    if (popped++ < 20000) // goes on as a replay does: the event's owner schedules its next one
      event_queue_push(&queue, time + popped * 7919 % 300000, key);
  }
  cr_assert(eq(u64, popped, KEYS + 20000));
  event_queue_destroy(&queue);
}

// ---- L1 ----

Test(l1, keeps_what_was_used_last) {
  Parameters p = defaults();
  L1 l1;
  cr_assert(l1_create(&l1, &p));
  for (uint64_t i = 0; i < l1.ways; i++)
    l1_insert(&l1, i * l1.sets, 0, false); // fills one set
  cr_assert(l1_find(&l1, 0) != NULL);
  l1_insert(&l1, l1.ways * l1.sets, 0, false);
  cr_assert(l1_find(&l1, 0) != NULL);
  cr_assert(l1_find(&l1, l1.sets) == NULL);
  l1_drop(&l1, 0);
  cr_assert(l1_find(&l1, 0) == NULL);
  l1_destroy(&l1);
}

Test(l1, nontemporal_lines_leave_first) {
  Parameters p = defaults();
  L1 l1;
  cr_assert(l1_create(&l1, &p));
  for (uint64_t i = 0; i < l1.ways; i++)
    l1_insert(&l1, i * l1.sets, 0, i == l1.ways - 1);
  l1_insert(&l1, l1.ways * l1.sets, 0, false);
  cr_assert(l1_find(&l1, (l1.ways - 1) * l1.sets) == NULL);
  cr_assert(l1_find(&l1, 0) != NULL);
  l1_destroy(&l1);
}

// ---- L2 ----

typedef struct {
  L2 l2;
  ModelResult count;
  bool hit;
  uint32_t fetched;
} L2Test;

static L2Test *l2_test(void) {
  static L2Test test;
  Parameters p = defaults();
  memset(&test, 0, sizeof test);
  cr_assert(l2_create(&test.l2, &p, &test.count));
  return &test;
}

static Ticks read_all(L2Test *t, uint64_t line, Ticks at) {
  return l2_read(&t->l2, line, L2_ALL_SECTORS, false, at, &t->hit, &t->fetched);
}

Test(l2, a_miss_fetches_128_bytes_and_a_second_read_hits) {
  L2Test *t = l2_test();
  Ticks first = read_all(t, 7, 0);
  cr_assert(not(t->hit));
  cr_assert(eq(u32, t->fetched, 128));
  Ticks second = read_all(t, 7, first);
  cr_assert(t->hit);
  cr_assert(second - first < first, "a hit takes less time than a miss");
  cr_assert(eq(u64, t->count.tcc_ea_rdreq, 2));
  cr_assert(eq(u64, t->count.tcc_hit, 1));
  cr_assert(eq(u64, t->count.tcc_miss, 1));
}

Test(l2, a_hit_on_a_line_under_way_waits_for_it) {
  L2Test *t = l2_test();
  Ticks first = read_all(t, 7, 0), second = read_all(t, 7, 0);
  cr_assert(t->hit);
  cr_assert(eq(u64, second, first));
}

static void read_fetches(L2Test *t, uint64_t line, uint32_t sectors, bool hit, uint32_t bytes) {
  uint64_t requests = t->count.tcc_ea_rdreq;
  l2_read(&t->l2, line, sectors, false, 0, &t->hit, &t->fetched);
  cr_assert(eq(int, t->hit, hit));
  cr_assert(eq(u32, t->fetched, bytes));
  cr_assert(eq(u64, t->count.tcc_ea_rdreq - requests, bytes / 64));
}

Test(l2, a_write_miss_does_not_fetch_and_its_sectors_can_be_read) {
  L2Test *t = l2_test();
  l2_write(&t->l2, 9, 3, 3, false, 0, &t->hit);
  cr_assert(not(t->hit));
  cr_assert(eq(u64, t->count.tcc_ea_rdreq, 0));
  read_fetches(t, 9, 3, true, 0);
}

// The TCC counts a hit wherever it finds the line.
Test(l2, a_read_fetches_the_halves_that_are_not_there) {
  L2Test *t = l2_test();
  read_fetches(t, 7, 3, false, 64); // one half
  read_fetches(t, 7, 12, true, 64); // the other
  read_fetches(t, 7, 15, true, 0);
  l2_write(&t->l2, 9, 12, 12, false, 0, &t->hit);
  read_fetches(t, 9, 15, true, 64); // what was written need not be fetched
  l2_write(&t->l2, 11, 1, 1, false, 0, &t->hit);
  read_fetches(t, 11, 1, true, 0);
  read_fetches(t, 11, 2, true, 64); // a sector brings its half
  l2_write(&t->l2, 13, 5, 5, false, 0, &t->hit);
  read_fetches(t, 13, 15, true, 128);
  cr_assert(eq(u64, t->count.tcc_hit, 6));
  cr_assert(eq(u64, t->count.tcc_miss, 4));
}

Test(l2, who_needs_both_halves_waits_for_the_later_one) {
  L2Test *t = l2_test();
  read_fetches(t, 7, 3, false, 64);
  const Ticks at = 100000; // the first half is there
  Ticks later = l2_read(&t->l2, 7, 12, false, at, &t->hit, &t->fetched);
  cr_assert(eq(u64, read_all(t, 7, at), later));
}

Test(l2, halves_leave_as_64_bytes_and_single_sectors_as_32) {
  L2Test *t = l2_test();
  l2_write(&t->l2, 1, 15, 15, false, 0, &t->hit); // both halves
  l2_write(&t->l2, 2, 3, 2, false, 0, &t->hit);   // both sectors of a half, one of them in part
  l2_write(&t->l2, 3, 1, 0, false, 0, &t->hit);   // part of one sector
  l2_write(&t->l2, 4, 1, 1, false, 0, &t->hit);   // the two sectors of a half, one after the other
  l2_write(&t->l2, 4, 2, 2, false, 0, &t->hit);
  l2_flush(&t->l2);
  cr_assert(eq(u64, t->count.flushed_lines, 4));
  cr_assert(eq(u64, t->count.flushed_wrreq, 5));
  cr_assert(eq(u64, t->count.flushed_wrreq_64b, 4));
}

Test(l2, a_stream_twice_its_size_finds_nothing_again) {
  L2Test *t = l2_test();
  const uint64_t lines = 2 * (8 << 20) / 128;
  for (int round = 0; round < 2; round++)
    for (uint64_t line = 0; line < lines; line++)
      read_all(t, line, 0);
  cr_assert(t->count.tcc_hit < lines / 50, "%llu of %llu lines were still there",
            (unsigned long long)t->count.tcc_hit, (unsigned long long)lines);
}

Test(l2, what_fits_twice_over_stays) {
  L2Test *t = l2_test();
  const uint64_t lines = (4 << 20) / 128;
  for (int round = 0; round < 2; round++)
    for (uint64_t line = 0; line < lines; line++)
      read_all(t, line, 0);
  cr_assert(t->count.tcc_hit > lines * 95 / 100);
}

Test(l2, nontemporal_lines_make_room_before_others) {
  L2Test *t = l2_test();
  const uint64_t kept = (4 << 20) / 128, streamed = 4 * kept;
  for (uint64_t line = 0; line < kept; line++)
    read_all(t, line, 0);
  for (uint64_t line = kept; line < kept + streamed; line++)
    l2_write(&t->l2, line, 15, 15, true, 0, &t->hit);
  uint64_t before = t->count.tcc_hit;
  for (uint64_t line = 0; line < kept; line++)
    read_all(t, line, 0);
  cr_assert(t->count.tcc_hit - before > kept * 90 / 100);
}

// One channel with one set of four lines, which writes nothing back before it must.
static Parameters one_set(void) {
  Parameters p = defaults();
  p.l2_channels = 1;
  p.l2_ways = 4;
  p.l2_unused_ways = 0;
  p.l2_bytes = 4 * 128;
  p.l2_clean_age = 64;
  p.hbm_open_rows = 1;
  return p;
}

static L2Test *l2_of(const Parameters *p) {
  static L2Test test;
  memset(&test, 0, sizeof test);
  cr_assert(l2_create(&test.l2, p, &test.count));
  return &test;
}

Test(l2, a_channel_serves_one_request_after_the_other) {
  Parameters p = one_set();
  L2Test *t = l2_of(&p);
  Ticks there = read_all(t, 0, 0);
  Ticks first = read_all(t, 0, there), second = read_all(t, 0, there);
  cr_assert(eq(u64, second - first, (Ticks)(p.l2_request_clk * TICKS_PER_CLOCK)));
}

Test(l2, a_single_sector_takes_half_of_a_halfs_time_in_hbm) {
  Parameters p = one_set();
  p.hbm_gbs = 1; // slow, so that times are many ticks
  Ticks free[2];
  for (uint32_t whole = 0; whole < 2; whole++) {
    L2Test *t = l2_of(&p);
    l2_write(&t->l2, 0, whole ? 3 : 1, 0, false, 0, &t->hit);
    for (uint64_t line = 1; line <= 4; line++) // the fourth of these pushes line 0 out
      l2_write(&t->l2, line, 0, 0, false, 0, &t->hit);
    free[whole] = t->l2.hbm_free[0];
  }
  cr_assert(eq(u64, free[1] - free[0], (Ticks)(32 * 1.7 * TICKS_PER_CLOCK))); // 1.7 clk a byte
}

Test(l2, a_read_pays_for_a_row_that_is_not_open) {
  Parameters p = one_set();
  L2Test *t = l2_of(&p);
  const Ticks data = (Ticks)(t->l2.hbm_ticks_per_byte * 128);
  const Ticks opening = (Ticks)(p.hbm_row_miss_clk * TICKS_PER_CLOCK);
  const uint64_t other_row = (uint64_t)p.hbm_row_bytes / 128;
  read_all(t, 0, 0);
  cr_assert(eq(u64, t->l2.hbm_free[0], opening + data));
  Ticks before = t->l2.hbm_free[0];
  read_all(t, 1, before);
  cr_assert(le(u64, t->l2.hbm_free[0] - before, data + 1), "the row is open");
  before = t->l2.hbm_free[0];
  read_all(t, other_row, before);
  cr_assert(ge(u64, t->l2.hbm_free[0] - before, data + opening), "another row");
}

Test(l2, a_half_takes_half_of_a_lines_time_in_hbm) {
  Parameters p = one_set();
  p.hbm_gbs = 1; // slow, so that times are many ticks
  p.hbm_row_miss_clk = 0;
  L2Test *t = l2_of(&p);
  read_fetches(t, 0, 3, false, 64);
  cr_assert(eq(u64, t->l2.hbm_free[0], (Ticks)(64 * 1.7 * TICKS_PER_CLOCK))); // 1.7 clk a byte
}

// Two rows in turn: where one is open each read opens its own, where many are only the first two do.
Test(l2, a_channel_has_so_many_rows_open) {
  enum { READS = 10 };
  for (int many = 0; many < 2; many++) {
    Parameters p = one_set();
    p.hbm_open_rows = many ? 64 : 1;
    L2Test *t = l2_of(&p);
    const uint64_t row_lines = (uint64_t)p.hbm_row_bytes / 128;
    for (uint64_t i = 0; i < READS; i++)
      read_all(t, i % 2 * row_lines + i, 0);
    const Ticks data = (Ticks)(t->l2.hbm_ticks_per_byte * 128);
    const Ticks opening = (Ticks)(p.hbm_row_miss_clk * TICKS_PER_CLOCK);
    cr_assert(eq(u64, t->l2.hbm_free[0], READS * data + (many ? 2 : READS) * opening));
  }
}

Test(l2, nontemporal_lines_are_ordinary_if_the_device_has_no_such) {
  for (int has = 0; has < 2; has++) {
    Parameters p = one_set();
    p.nontemporal = has;
    L2Test *t = l2_of(&p);
    for (uint64_t line = 0; line < 4; line++)
      l2_read(&t->l2, line, L2_ALL_SECTORS, line == 3, 0, &t->hit, &t->fetched);
    read_all(t, 4, 0);
    read_all(t, 3, 0);
    cr_assert(eq(int, t->hit, !has), "nontemporal=%d", has);
  }
}

Test(l2, a_dirty_line_is_written_back_at_its_age) {
  Parameters p = one_set();
  p.l2_clean_age = 2;
  L2Test *t = l2_of(&p);
  l2_write(&t->l2, 0, 15, 15, false, 0, &t->hit);
  read_all(t, 1, 0);
  cr_assert(eq(u64, t->count.tcc_normal_writeback, 0));
  read_all(t, 2, 0);
  cr_assert(eq(u64, t->count.tcc_normal_writeback, 1));
}

typedef enum { NOT, READ, WRITE, STREAM_READ, STREAM_WRITE } Touch;

static void touch(L2Test *t, uint64_t line, Touch how) {
  if (how == READ || how == STREAM_READ)
    l2_read(&t->l2, line, L2_ALL_SECTORS, how == STREAM_READ, 0, &t->hit, &t->fetched);
  else if (how != NOT)
    l2_write(&t->l2, line, L2_ALL_SECTORS, L2_ALL_SECTORS, how == STREAM_WRITE, 0, &t->hit);
}

// The set's lines are OLDEST, WRITTEN, and two OTHERS that push WRITTEN to the age at which it is
// cleaned. Who leaves then: WRITTEN, or OLDEST as usual?
Test(l2, what_is_cleaned_before_anyone_read_it_leaves_first) {
  enum { OLDEST = 10, WRITTEN = 20, OTHERS = 30, FORMER = 40 };
  static const struct {
    Touch before, after; // the cleaning
    bool leaves;
  } row[] = {{NOT, NOT, true},          {READ, NOT, false},        {NOT, READ, false},
             {NOT, WRITE, false},       {READ, WRITE, false},      {NOT, STREAM_READ, true},
             {NOT, STREAM_WRITE, true}, {STREAM_READ, NOT, false}, {READ, STREAM_WRITE, true}};
  enum { ROWS = sizeof row / sizeof *row };
  Parameters p = one_set();
  p.l2_clean_age = 2;
  for (size_t n = 0; n < 2 * ROWS; n++) {
    p.nontemporal = n < ROWS; // without it a stream is like any other access
    const bool leaves = row[n % ROWS].leaves && (p.nontemporal || row[n % ROWS].after == NOT);
    L2Test *t = l2_of(&p);
    for (uint64_t i = 0; i < 4;
         i++) // were read, but that was before WRITTEN took a place of theirs
      read_all(t, FORMER + i, 0);
    read_all(t, OLDEST, 0);
    touch(t, WRITTEN, WRITE);
    touch(t, WRITTEN, row[n % ROWS].before);
    read_all(t, OTHERS, 0);
    read_all(t, OTHERS + 1, 0);
    cr_assert(eq(u64, t->count.tcc_normal_writeback, 1), "row %zu: it is cleaned", n);
    touch(t, WRITTEN, row[n % ROWS].after);
    read_all(t, OTHERS + 2, 0);
    read_all(t, leaves ? OLDEST : WRITTEN, 0);
    cr_assert(t->hit, "row %zu: the wrong line left", n);
  }
}

// Of four ways some are not used: so many fewer lines stay, in as many sets as before.
Test(l2, ways_that_are_not_used_hold_nothing) {
  for (uint32_t unused = 0; unused < 4; unused++) {
    Parameters p = one_set();
    p.l2_unused_ways = unused;
    L2Test *t = l2_of(&p);
    cr_assert(eq(u32, t->l2.sets, 1));
    for (uint64_t line = 0; line < 4; line++)
      read_all(t, line, 0);
    for (uint64_t line = unused; line < 4; line++)
      read_all(t, line, 0);
    cr_assert(eq(u64, t->count.tcc_hit, 4 - unused), "%u unused", unused);
    read_all(t, 0, 0);
    cr_assert(eq(int, t->hit, !unused), "%u unused", unused);
  }
}

// Where a line lies: its channel and the set in it.
static void find_place(L2Test *t, uint64_t line, uint32_t *channel, uint32_t *set) {
  read_all(t, line, 0);
  for (uint32_t i = 0; i < t->l2.channels * t->l2.sets; i++)
    for (uint32_t way = 0; way < t->l2.ways; way++)
      if (t->l2.set[i].tag[way] == line + 1) {
        *channel = i / t->l2.sets;
        *set = i % t->l2.sets;
        return;
      }
  cr_assert(false, "line %d is nowhere", (int)line);
}

Test(l2, chunks_of_a_page_go_to_one_channel_after_the_other) {
  Parameters p = defaults();
  p.l2_interleave_bytes = 256;
  p.l2_page_bytes = 3 * 32 * 256; // each channel three times
  L2Test *t = l2_of(&p);
  const uint32_t page_lines = 192;
  uint32_t first_channel = 0, first_set = 0, channel, set;
  for (uint32_t inside = 0; inside < page_lines; inside++) {
    find_place(t, 5 * page_lines + inside, &channel, &set);
    if (inside == 0) {
      first_channel = channel;
      first_set = set;
    }
    cr_assert(eq(u32, channel, (first_channel + inside / 2) % 32));
    cr_assert(eq(u32, set, (first_set + inside / 64 * 2 + inside % 2) % t->l2.sets));
  }
}

Test(l2, pages_begin_in_any_channel_and_set) {
  enum { PAGES = 256 };
  Parameters p = defaults();
  p.l2_page_bytes = 5120; // 40 lines, no power of two
  L2Test *t = l2_of(&p);
  bool channels[32] = {0}, sets[128] = {0};
  uint32_t different_channels = 0, different_sets = 0, channel, set;
  cr_assert(le(u32, t->l2.sets, 128));
  for (uint64_t page = 0; page < PAGES; page++) {
    find_place(t, page * 40, &channel, &set);
    different_channels += !channels[channel];
    different_sets += !sets[set];
    channels[channel] = sets[set] = true;
  }
  cr_assert(eq(u32, different_channels, 32));
  cr_assert(ge(u32, different_sets, 96)); // 128 * (1 - exp(-2)) would be 111
}

Test(event_queue, finds_lonely_events_rounds_away) {
  enum { KEYS = 50 };
  EventQueue queue;
  cr_assert(event_queue_create(&queue, KEYS));
  for (uint32_t key = 0; key < KEYS; key++) // later keys earlier, each in a round of its own
    event_queue_push(&queue, (Ticks)(KEYS - key) * 1000003, key);
  for (uint32_t i = 0; i < KEYS; i++) {
    Ticks time;
    cr_assert(eq(u32, event_queue_pop(&queue, &time), KEYS - 1 - i));
    cr_assert(eq(u64, time, (Ticks)(i + 1) * 1000003));
  }
  event_queue_destroy(&queue);
}

// ---- replay ----

// A workgroup whose waves have these traces.
static GroupTrace *group_of(const Trace *traces, uint32_t waves) {
  size_t words = 0;
  for (uint32_t i = 0; i < waves; i++)
    words += traces[i].count;
  GroupTrace *group = malloc(sizeof *group + words * sizeof *group->words);
  group->waves = waves;
  group->begin[0] = 0;
  for (uint32_t i = 0; i < waves; i++) {
    memcpy(group->words + group->begin[i], traces[i].word, traces[i].count * sizeof *group->words);
    group->begin[i + 1] = group->begin[i] + traces[i].count;
    free(traces[i].word);
  }
  return group;
}

enum { INSTRUCTIONS_TRACED = 3 }; // ids are below it

static ModelResult replay_on(const Parameters *p, const Trace *traces, uint32_t waves,
                             InstructionTraffic *traffic) {
  Launch launch = {.workgroups = 1,
                   .workgroups_per_cu = 2,
                   .waves_per_workgroup = waves,
                   .instructions = INSTRUCTIONS_TRACED};
  Model *model = model_begin(p, &launch);
  cr_assert(model != NULL);
  model_feed(model, group_of(traces, waves));
  ModelResult result;
  model_end(model, &result, traffic);
  return result;
}

static ModelResult replay_one(const Trace *traces, uint32_t waves, InstructionTraffic *traffic) {
  Parameters p = defaults();
  return replay_on(&p, traces, waves, traffic);
}

static void near(uint64_t clocks, double expected) {
  cr_assert(clocks + 8 > expected && clocks < expected + 8, "%llu clk instead of %.0f",
            (unsigned long long)clocks, expected);
}

enum { WAIT_VMCNT_0 = 0 | 15 << 6, WAIT_LGKMCNT_0 = 63 };

// One wave that loads a line, waits, loads it again, waits and ends.
Test(replay, a_lonely_wave_sees_the_published_latencies) {
  Trace trace = {0};
  for (int i = 0; i < 2; i++) {
    trace.used = (Uses){1};
    trace_event(&trace, EVENT_MEMORY, 1);
    trace_access(&trace, (TraceAccess){.kind = ACCESS_LOAD, .clocks = 1});
    trace_word(&trace, trace_line(1000, 1, 3, 0));
    trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  }
  trace_event(&trace, EVENT_END, 0);
  Parameters p = defaults();
  InstructionTraffic traffic[INSTRUCTIONS_TRACED];
  ModelResult result = replay_one(&trace, 1, traffic);
  near(result.clocks,
       p.wave_start_clk + 587 + 125 + 3 * p.issue_clk); // HBM and L1: RRZE gpu-latency
  cr_assert(eq(u64, traffic[0].lookups, 2));
  cr_assert(eq(u64, traffic[0].l1_hits, 1));
  cr_assert(eq(u64, traffic[0].fetched_bytes, 64));
}

enum { FILLING = 20 }; // lines of a load, in pairs of which each is one L2 line

// A wave that loads FILLING lines, the same again if asked to, and then one that nobody has.
static ModelResult replay_fills(double fill_clocks, bool again) {
  Trace trace = {0};
  for (int i = 0; i < 2 + again; i++) {
    const bool last = i == 1 + again;
    trace.used = (Uses){1};
    trace_event(&trace, EVENT_MEMORY, last ? 1 : FILLING);
    trace_access(&trace, (TraceAccess){.kind = ACCESS_LOAD, .clocks = 1});
    for (uint64_t line = 0; line < (last ? 1 : FILLING); line++)
      trace_word(&trace, trace_line(last ? 9000 : 1000 + line, 1, 3, 0));
  }
  trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  trace_event(&trace, EVENT_END, 0);
  Parameters p = defaults();
  p.l1_fill_clk = fill_clocks;
  return replay_on(&p, &trace, 1, NULL);
}

Test(replay, lines_that_come_into_l1_keep_its_look_ups_busy) {
  enum { CLOCKS = 50 };
  ModelResult free_of_charge = replay_fills(0, false), result = replay_fills(CLOCKS, false);
  cr_assert(eq(u64, result.ta_busy - free_of_charge.ta_busy, (FILLING + 1) * CLOCKS));
  Parameters p = defaults(); // the second load waits, from its issue on
  near(result.clocks - free_of_charge.clocks, FILLING * CLOCKS - 2 * p.issue_clk);
  result = replay_fills(CLOCKS, true); // what is there already is not filled again
  near(result.ta_busy, (FILLING + 1) * CLOCKS);
}

Test(replay, a_scalar_load_takes_its_latency) {
  Trace trace = {.used = {1}};
  trace_event(&trace, EVENT_SCALAR, 0);
  trace_event(&trace, EVENT_WAIT, WAIT_LGKMCNT_0);
  trace_event(&trace, EVENT_END, 0);
  Parameters p = defaults();
  near(replay_one(&trace, 1, NULL).clocks, p.wave_start_clk + p.issue_clk + p.scalar_latency_clk);
}

Test(replay, waves_share_the_lds_of_their_compute_unit) {
  enum { WAVES = 2, BUSY = 100 }; // on two SIMDs
  Trace traces[WAVES] = {{.used = {1}}, {.used = {1}}};
  for (int i = 0; i < WAVES; i++) {
    trace_event(&traces[i], EVENT_LDS, trace_lds(BUSY, 1));
    trace_event(&traces[i], EVENT_WAIT, WAIT_LGKMCNT_0);
    trace_event(&traces[i], EVENT_END, 0);
  }
  Parameters p = defaults();
  near(replay_one(traces, WAVES, NULL).clocks,
       p.wave_start_clk + p.issue_clk + WAVES * BUSY + p.lds_latency_clk);
}

// Waves go to SIMDs in turn: 0 and 1 have one port, 2 and 3 the other.
Test(replay, two_simds_share_a_port_to_the_lds) {
  enum { WAVES = 3, QUADS = 15 };
  double clocks[2];
  for (int apart = 0; apart < 2; apart++) { // which waves use the LDS: 0 and 1, or 0 and 2
    Trace traces[WAVES] = {0};
    for (int i = 0; i < WAVES; i++) {
      traces[i].used = (Uses){i == 0 ? 3 : 1}; // all at once
      if (i == 0 || i == 1 + apart)
        trace_event(&traces[i], EVENT_LDS, trace_lds(2, QUADS));
      trace_event(&traces[i], EVENT_WAIT, WAIT_LGKMCNT_0);
      trace_event(&traces[i], EVENT_END, 0);
    }
    clocks[apart] = (double)replay_one(traces, WAVES, NULL).clocks;
  }
  Parameters p = defaults();
  near((uint64_t)(clocks[0] - clocks[1]), QUADS * p.issue_clk);
}

enum { INSTRUCTIONS = 10000 }; // more than a header of the trace can tell of one unit

// clk of waves that issue INSTRUCTIONS, of which each takes a quad-cycle of its unit (USE_ISSUE: of
// none), from the begin of the last.
static double issue_clocks(const Use *unit, uint32_t waves) {
  Trace traces[MODEL_MAX_WAVES] = {0};
  for (uint32_t i = 0; i < waves; i++) {
    traces[i].used[USE_ISSUE] = INSTRUCTIONS;
    traces[i].used[unit[i]] = INSTRUCTIONS;
    trace_event(&traces[i], EVENT_END, 0);
  }
  Parameters p = defaults();
  return (double)replay_one(traces, waves, NULL).clocks - p.wave_start_clk -
         (waves - 1) * p.wave_launch_clk;
}

static void issues_in(const Use *unit, uint32_t waves, double instructions) {
  Parameters p = defaults();
  double clocks = issue_clocks(unit, waves), expected = instructions * p.issue_clk;
  cr_assert(fabs(clocks - expected) < MODEL_MAX_WAVES * p.wave_launch_clk, "%.0f clk, not %.0f",
            clocks, expected);
}

// Eight waves, two on each of four SIMDs.
Test(replay, waves_share_each_unit_of_their_simd) {
  for (Use unit = USE_ISSUE + 1; unit < USES; unit++) {
    Use of_wave[8];
    for (int i = 0; i < 8; i++)
      of_wave[i] = unit;
    issues_in(of_wave, 8, 2 * INSTRUCTIONS);
  }
}

Test(replay, waves_of_different_units_issue_at_once) {
  issues_in((const Use[]){USE_VALU, USE_VALU, USE_VALU, USE_VALU, USE_SCALAR, USE_MATRIX,
                          USE_SCALAR, USE_MATRIX},
            8, INSTRUCTIONS);
}

Test(replay, instructions_of_no_unit_wait_for_nobody) {
  Use none[MODEL_MAX_WAVES] = {USE_ISSUE};
  issues_in(none, MODEL_MAX_WAVES, INSTRUCTIONS);
}

// Waves 0 and 4 share a SIMD. Wave 0 will want its vector ALU when its scalar load is back; until then
// it is free for wave 4.
Test(replay, who_waits_holds_no_unit) {
  enum { WAVES = 5, MANY = 1000 };
  Trace traces[WAVES] = {0};
  trace_event(&traces[0], EVENT_SCALAR, 0);
  trace_event(&traces[0], EVENT_WAIT, WAIT_LGKMCNT_0);
  for (int i = 0; i < WAVES; i++) {
    if (i == 0 || i == 4)
      traces[i].used = (Uses){MANY, MANY};
    trace_event(&traces[i], EVENT_END, 0);
  }
  Parameters p = defaults();
  near(replay_one(traces, WAVES, NULL).clocks,
       p.wave_start_clk + 4 * p.wave_launch_clk + 2 * MANY * p.issue_clk);
}

Test(trace, what_a_header_cannot_hold_is_told_before_in_equal_parts) {
  Trace trace = {.used = {20000, 20000, 5, 0}};
  trace_event(&trace, EVENT_WAIT, 77);
  Uses sum = {0};
  for (uint32_t i = 0; i < trace.count; i++) {
    uint64_t header = trace.word[i];
    bool last = i + 1 == trace.count;
    cr_assert(eq(int, trace_kind(header), last ? EVENT_WAIT : EVENT_ISSUE));
    cr_assert(eq(u32, trace_payload(header), last ? 77 : 0));
    cr_assert(eq(u32, trace_used(header, USE_VALU), trace_used(header, USE_ISSUE)));
    for (Use use = 0; use < USES; use++)
      sum[use] += trace_used(header, use);
  }
  cr_assert(eq(u32, sum[USE_ISSUE], 20000));
  cr_assert(eq(u32, sum[USE_VALU], 20000));
  cr_assert(eq(u32, sum[USE_MATRIX], 5));
  cr_assert(eq(u32, sum[USE_SCALAR], 0));
  free(trace.word);
}

Test(replay, a_barrier_holds_the_fast_for_the_slow) {
  Trace traces[2] = {{.used = {1}}, {.used = {5000}}};
  for (int i = 0; i < 2; i++) {
    trace_event(&traces[i], EVENT_BARRIER, 0);
    traces[i].used = (Uses){100};
    trace_event(&traces[i], EVENT_END, 0);
  }
  Parameters p = defaults();
  ModelResult result = replay_one(traces, 2, NULL);
  near(result.clocks, p.wave_start_clk + p.wave_launch_clk + 5100 * p.issue_clk);
  cr_assert(result.wave_clocks > 2 * 5000 * p.issue_clk, "both were there all the time");
}

Test(replay, a_barrier_holds_every_time) {
  Trace traces[2] = {{.used = {1}}, {.used = {1}}};
  for (int i = 0; i < 2; i++) {
    trace_event(&traces[i], EVENT_BARRIER, 0);
    traces[i].used = (Uses){i == 0 ? 5000 : 1}; // each time the other wave is the slow one
    trace_event(&traces[i], EVENT_BARRIER, 0);
    traces[i].used = (Uses){i == 0 ? 1 : 3000};
    trace_event(&traces[i], EVENT_END, 0);
  }
  Parameters p = defaults();
  near(replay_one(traces, 2, NULL).clocks,
       p.wave_start_clk + p.wave_launch_clk + 8001 * p.issue_clk);
}

enum { OLD = 1, YOUNG = 2 }; // ids of the two loads that compete

// A wave that issues so many instructions, then, if it has an id, loads a line in so many clk.
static Trace loader(uint32_t instructions, uint32_t id, uint64_t line, uint8_t clocks) {
  Trace trace = {.used = {instructions}};
  if (clocks) {
    trace_event(&trace, EVENT_MEMORY, 1);
    trace_access(&trace, (TraceAccess){.instruction = id, .kind = ACCESS_LOAD, .clocks = clocks});
    trace_word(&trace, trace_line(line, 1, 3, 0));
  }
  trace_event(&trace, EVENT_END, 0);
  return trace;
}

// Three workgroups of four waves on a compute unit that holds two. The first ends at once, so its
// slots, the lowest, go to the third. While wave 1 of the second keeps the address unit busy, wave 0
// of the second (OLD) and wave 0 of the third (YOUNG, in a lower slot), both of SIMD 0, ask for it.
// Both want the same line: the one that issues second finds it in L1. Returns whether YOUNG is first.
static bool young_issues_first(int issue_order, bool young_asks_first) {
  enum { GROUPS = 3, WAVES = 4, SAME = 1000, OTHER = 5000 };
  Trace traces[GROUPS][WAVES];
  for (uint32_t group = 0; group < GROUPS; group++)
    for (uint32_t wave = 0; wave < WAVES; wave++)
      traces[group][wave] = loader(group == 0 ? 1 : 300, 0, 0, 0);
  free(traces[1][0].word), free(traces[1][1].word), free(traces[2][0].word);
  traces[1][0] = loader(young_asks_first ? 150 : 50, OLD, SAME, 1);
  traces[1][1] = loader(1, 0, OTHER, 200);
  traces[2][0] = loader(100, YOUNG, SAME, 1);
  Parameters p = defaults();
  p.compute_units = p.issue_clk = 1;
  p.wave_start_clk = p.group_launch_clk = p.wave_launch_clk = p.l1_fill_clk = 0;
  p.issue_order = issue_order;
  Launch launch = {.workgroups = GROUPS,
                   .workgroups_per_cu = 2,
                   .waves_per_workgroup = WAVES,
                   .instructions = INSTRUCTIONS_TRACED};
  Model *model = model_begin(&p, &launch);
  cr_assert(model != NULL);
  for (uint32_t group = 0; group < GROUPS; group++)
    model_feed(model, group_of(traces[group], WAVES));
  ModelResult result;
  InstructionTraffic traffic[INSTRUCTIONS_TRACED];
  model_end(model, &result, traffic);
  cr_assert(eq(u64, traffic[OLD].l1_hits + traffic[YOUNG].l1_hits, 1));
  return traffic[OLD].l1_hits;
}

Test(replay, waves_of_a_simd_issue_to_memory_in_the_order_that_the_device_has) {
  enum { LONGEST_WAITING, OLDEST, LOWEST_SLOT };
  for (int young_asks_first = 0; young_asks_first < 2; young_asks_first++) {
    cr_assert(eq(int, young_issues_first(LONGEST_WAITING, young_asks_first), young_asks_first));
    cr_assert(eq(int, young_issues_first(OLDEST, young_asks_first), false));
    cr_assert(eq(int, young_issues_first(LOWEST_SLOT, young_asks_first), true));
  }
}
