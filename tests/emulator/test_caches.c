// L1, its address translations, L2 and the HBM behind them, each on cases whose answer follows from its rules alone.
#include "default_parameters.h"
#include "model_l1.h"
#include "model_l2.h"
#include "model_utcl1.h"

#include <math.h>
#include <string.h>

// ---- L1 ----

static void keeps_what_was_used_last(uint32_t ways) {
  Parameters p = defaults();
  p.l1_ways = ways;
  p.l1_bytes = ways * 4 * 64;
  L1 l1;
  cr_assert(l1_create(&l1, &p));
  for (uint64_t i = 0; i < l1.ways; i++)
    l1_insert(&l1, i * l1.sets, 0, false); // fills one set
  for (uint64_t i = 0; i < l1.ways; i += 2)
    cr_assert(l1_find(&l1, i * l1.sets) != NULL);
  l1_insert(&l1, l1.ways * l1.sets, 0, false);
  cr_assert(l1_find(&l1, 0) != NULL);
  cr_assert(l1_find(&l1, l1.sets) == NULL);
  l1_drop(&l1, 0);
  cr_assert(l1_find(&l1, 0) == NULL);
  l1_destroy(&l1);
}

Test(l1, keeps_what_was_used_last) {
  const uint32_t ways[] = {4, 15, 16, 17, 64};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    keeps_what_was_used_last(ways[i]);
}

// Pieces 0 and 1 of 64 B are one line, 2 is of another set; a store to either half drops the line.
Test(l1, a_line_may_have_two_halves) {
  Parameters p = defaults();
  const double bytes = p.l1_line_bytes;
  p.l1_line_bytes = 2 * bytes;
  L1 l1;
  cr_assert(l1_create(&l1, &p));
  cr_assert(eq(u32, l1.sets, (uint32_t)(p.l1_bytes / p.l1_ways / bytes) / 2));
  l1_insert(&l1, 1, 7, false);
  cr_assert(l1_find(&l1, 0) && l1_find(&l1, 1) && !l1_find(&l1, 2));
  for (uint64_t i = 1; i <= l1.ways; i++) // as many others of its set
    l1_insert(&l1, 2 * i * l1.sets, 0, false);
  cr_assert(l1_find(&l1, 0) == NULL);
  l1_insert(&l1, 0, 7, false);
  l1_drop(&l1, 1);
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

// ---- address translations of a compute unit ----

// Of so many pages, each accessed once a round, those that miss in the second round.
static uint32_t misses_of_second_round(uint32_t pages) {
  Parameters p = defaults();
  Utcl1 utcl1;
  utcl1_create(&utcl1, &p);
  uint32_t misses = 0;
  for (uint32_t i = 0; i < 2 * pages; i++) {
    const uint64_t first_line = i % pages * (uint64_t)p.utcl1_page_bytes / 64;
    misses += !utcl1_find(&utcl1, first_line) && i >= pages;
    cr_assert(utcl1_find(&utcl1, first_line + (uint64_t)p.utcl1_page_bytes / 64 - 1));
  }
  return misses;
}

Test(utcl1, as_many_pages_as_it_has_entries_stay) {
  Parameters p = defaults();
  cr_assert(eq(u32, misses_of_second_round((uint32_t)p.utcl1_entries), 0));
}

Test(utcl1, one_more_and_each_is_gone_when_it_comes_again) {
  Parameters p = defaults();
  const uint32_t pages = (uint32_t)p.utcl1_entries + 1;
  cr_assert(eq(u32, misses_of_second_round(pages), pages));
}

// Accesses as many pages as it has entries, in order. Returns the lines of a page.
static uint64_t fill(Utcl1 *utcl1) {
  Parameters p = defaults();
  utcl1_create(utcl1, &p);
  const uint64_t page = (uint64_t)p.utcl1_page_bytes / 64;
  for (uint64_t i = 0; i < utcl1->entries; i++)
    utcl1_find(utcl1, i * page);
  return page;
}

Test(utcl1, one_that_is_found_drives_no_other_out) {
  Utcl1 utcl1;
  const uint64_t page = fill(&utcl1);
  cr_assert(utcl1_find(&utcl1, 10 * page)); // neither the oldest nor the youngest
  for (uint64_t i = 0; i < utcl1.entries; i++)
    cr_assert(utcl1_find(&utcl1, i * page));
}

Test(utcl1, what_was_used_last_stays) {
  Utcl1 utcl1;
  const uint64_t page = fill(&utcl1);
  cr_assert(utcl1_find(&utcl1, 0));                         // now the youngest
  cr_assert(not(utcl1_find(&utcl1, utcl1.entries * page))); // takes the place of page 1
  cr_assert(utcl1_find(&utcl1, 0));
  cr_assert(not(utcl1_find(&utcl1, page)));
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
  const Ticks data = t->l2.hbm_sectors[4];
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
    p.hbm_gbs = 1; // slow, so that times are many ticks
    p.hbm_row_miss_clk = 1000;
    L2Test *t = l2_of(&p);
    const uint64_t row_lines = (uint64_t)p.hbm_row_bytes / 128;
    for (uint64_t i = 0; i < READS; i++)
      read_all(t, i % 2 * row_lines + i, 0);
    const Ticks data = t->l2.hbm_sectors[4];
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
      if (t->l2.tag[i * t->l2.padded + way] == line + 1) {
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

// ---- Infinity Cache ----

static Parameters with_infinity(void) {
  Parameters p = defaults();
  p.infinity_bytes = 16 * 128; // one set
  p.infinity_latency_clk = 100;
  p.infinity_gbs = p.hbm_gbs * 4;
  p.hbm_latency_clk = 1000;
  p.hbm_row_miss_clk = 0;
  return p;
}

static bool in_infinity(Infinity *infinity, uint64_t line, bool written, bool *leaves_dirty) {
  return infinity_access(infinity, line, 0, written, leaves_dirty);
}

Test(infinity, keeps_what_was_used_last_and_tells_what_was_written) {
  const Parameters p = with_infinity();
  Infinity infinity;
  bool dirty;
  cr_assert(infinity_create(&infinity, &p));
  for (uint64_t line = 0; line < 16; line++)
    cr_assert(all(zero(int, in_infinity(&infinity, line, line == 1, &dirty)), zero(int, dirty)));
  cr_assert(in_infinity(&infinity, 0, false, &dirty));
  cr_assert(zero(int, in_infinity(&infinity, 16, false, &dirty)));
  cr_assert(dirty); // line 1 left
  cr_assert(zero(int, in_infinity(&infinity, 1, false, &dirty)));
  cr_assert(zero(int, dirty)); // line 2 left, clean
  cr_assert(in_infinity(&infinity, 0, false, &dirty));
  infinity_destroy(&infinity);
}

// When the answer of a lone read leaves L2, in clocks.
static double read_clk(L2 *l2, uint64_t line) {
  bool hit;
  uint32_t fetched;
  static Ticks now;
  const Ticks at = now += 1000000 * (Ticks)TICKS_PER_CLOCK;
  return (double)(l2_read(l2, line, L2_ALL_SECTORS, false, at, &hit, &fetched) - at) /
         TICKS_PER_CLOCK;
}

Test(infinity, saves_the_way_to_hbm) {
  Parameters p = with_infinity();
  p.infinity_bytes = 1 << 20;
  p.l2_bytes = 65536, p.l2_channels = 1, p.l2_ways = 2, p.l2_unused_ways = 0; // 512 lines
  L2 l2;
  ModelResult count = {0};
  cr_assert(l2_create(&l2, &p, &count));
  const double from_hbm = read_clk(&l2, 0);
  for (uint64_t line = 1; line < 2048; line++)
    read_clk(&l2, line);
  const uint64_t misses = count.tcc_miss;
  const double again = read_clk(&l2, 0);
  cr_assert(eq(ulong, count.tcc_miss, misses + 1), "L2 still holds it");
  cr_assert(epsilon_eq(dbl, from_hbm - again, 1000 - 100, 0.01));
  l2_destroy(&l2);
}

Test(infinity, is_not_there_unless_the_device_has_one) {
  const Parameters p = defaults();
  L2 l2;
  ModelResult count = {0};
  cr_assert(l2_create(&l2, &p, &count));
  cr_assert(zero(uint, l2.infinity.sets));
  l2_destroy(&l2);
}
