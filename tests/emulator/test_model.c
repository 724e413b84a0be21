// The replay of waves and its event queue, on cases whose answer follows from the rules alone.
#include "default_parameters.h"
#include "device_memory.h"
#include "event_queue.h"
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

Test(event_queue, equal_times_come_in_the_order_of_their_keys) {
  enum { KEYS = 9001, STEP = 4999, TIMES = 3 }; // STEP goes through all keys
  EventQueue queue;
  cr_assert(event_queue_create(&queue, KEYS));
  for (uint32_t i = 0, key = 0; i < KEYS; i++, key = (key + STEP) % KEYS)
    event_queue_push(&queue, 1000 - key % TIMES, key); // the last times first
  uint32_t expected = TIMES - 1;
  for (uint32_t i = 0; i < KEYS; i++, expected += TIMES) {
    Ticks time;
    if (expected >= KEYS)
      expected = expected % TIMES - 1;
    cr_assert(eq(u32, event_queue_pop(&queue, &time), expected));
    cr_assert(eq(u64, time, 1000 - expected % TIMES));
  }
  event_queue_destroy(&queue);
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

enum { MOST_LINES = 600 };
enum { WAIT_VMCNT_0 = 0 | 15 << 6, WAIT_LGKMCNT_0 = 63 };

static const TraceAccess A_LOAD = {.kind = ACCESS_LOAD, .clocks = 1};

// A load of lines that follow each other.
static void load_lines(Trace *trace, uint64_t first, uint32_t count) {
  uint64_t lines[MOST_LINES];
  for (uint32_t i = 0; i < count; i++)
    lines[i] = trace_line(first + i, 1, 3, 0);
  trace_memory(trace, A_LOAD, lines, count);
}

// ---- runs of lines in a trace ----

Test(trace, lines_that_follow_each_other_are_one_run) {
  enum { LINES = 5, WORDS = 2 + 3 };
  Trace trace = {0};
  const uint64_t lines[LINES] = {trace_line(70, 4, 3, 3), trace_line(71, 4, 3, 3),
                                 trace_line(72, 4, 1, 0), trace_line(74, 4, 1, 0),
                                 trace_line(75, 4, 1, 0)};
  trace_memory(&trace, A_LOAD, lines, LINES);
  cr_assert(eq(u32, trace.count, WORDS));
  cr_assert(eq(u32, trace_payload(trace.word[0]), 3));
  const uint32_t first[] = {0, 2, 3}, more[] = {1, 0, 1};
  for (int i = 0; i < 3; i++) {
    cr_assert(eq(u32, trace_line_more(trace.word[2 + i]), more[i]));
    cr_assert(eq(u64, trace.word[2 + i] - ((uint64_t)more[i] << TRACE_MORE), lines[first[i]]));
  }
  free(trace.word);
}

Test(trace, a_run_is_no_longer_than_can_be_told) {
  Trace trace = {0};
  load_lines(&trace, 1000, MOST_LINES);
  cr_assert(eq(u32, trace_payload(trace.word[0]), 2));
  cr_assert(eq(u32, trace_line_more(trace.word[2]), 511));
  cr_assert(
      eq(u64, trace.word[3], trace_line(1512, 1, 3, 0) + ((MOST_LINES - 513ull) << TRACE_MORE)));
  free(trace.word);
}

// ---- replay of one wave ----

// One wave that loads a line, waits, loads it again, waits and ends.
Test(replay, a_lonely_wave_sees_the_published_latencies) {
  Trace trace = {0};
  for (int i = 0; i < 2; i++) {
    trace.used = (Uses){1};
    load_lines(&trace, 1000, 1);
    trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  }
  trace_event(&trace, EVENT_END, 0);
  Parameters p = defaults();
  InstructionTraffic traffic[INSTRUCTIONS_TRACED];
  ModelResult result = replay_one(&trace, 1, traffic);
  near(result.clocks, p.wave_start_clk + p.utcl1_miss_clk + 587 + 125 +
                          3 * p.issue_clk); // the page is new; HBM and L1: RRZE gpu-latency
  cr_assert(eq(u64, result.utcl1_misses, 1));
  cr_assert(eq(u64, traffic[0].lookups, 2));
  cr_assert(eq(u64, traffic[0].l1_hits, 1));
  cr_assert(eq(u64, traffic[0].fetched_bytes, 64));
}

// Clocks that a wave waits until at most `left` of two loads are under way: of a line in L1, then of one
// that nobody has.
static uint64_t wait_for_all_but(uint32_t left) {
  enum { SAME_PAGE = 1500 };
  Trace trace = {0};
  load_lines(&trace, 1000, 1);
  trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  load_lines(&trace, 1000, 1);
  load_lines(&trace, SAME_PAGE, 1);
  trace_event(&trace, EVENT_WAIT, left | 15 << 6);
  trace_event(&trace, EVENT_END, 0);
  return replay_one(&trace, 1, NULL).wait_clocks;
}

Test(replay, a_wait_lasts_until_so_many_accesses_are_left) {
  const double issue = defaults().issue_clk; // between two loads, and before the wait
  cr_assert(eq(u64, wait_for_all_but(2), wait_for_all_but(63)));
  near(wait_for_all_but(1) - wait_for_all_but(2), 125 - 2 * issue);   // L1
  near(wait_for_all_but(0) - wait_for_all_but(1), 587 - 125 + issue); // HBM
}

enum { FILLING = 20 }; // lines of a load, in pairs of which each is one L2 line

// A wave that loads FILLING lines, the same again if asked to, and then one that nobody has.
static ModelResult replay_fills(double fill_clocks, bool again) {
  Trace trace = {0};
  for (int i = 0; i < 2 + again; i++) {
    const bool last = i == 1 + again;
    trace.used = (Uses){1};
    load_lines(&trace, last ? 9000 : 1000, last ? 1 : FILLING);
  }
  trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  trace_event(&trace, EVENT_END, 0);
  Parameters p = defaults();
  p.l1_fill_clk = fill_clocks;
  p.utcl1_miss_clk = 0;
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

// Where a line has both halves, a load of either brings both, by one request.
Test(replay, a_line_of_two_halves_comes_at_once) {
  enum { SECOND_HALF = 1001, CLOCKS = 50 };
  Trace trace = {0};
  load_lines(&trace, SECOND_HALF, 1);
  trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  load_lines(&trace, SECOND_HALF - 1, 2 + 1); // both halves, and the first one of the next line
  trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  trace_event(&trace, EVENT_END, 0);
  Parameters p = defaults();
  p.l1_line_bytes = 128;
  p.l1_fill_clk = CLOCKS;
  p.utcl1_miss_clk = 0;
  InstructionTraffic traffic[INSTRUCTIONS_TRACED];
  const ModelResult result = replay_on(&p, &trace, 1, traffic);
  cr_assert(eq(u64, traffic[0].lookups, 4));
  cr_assert(eq(u64, traffic[0].l1_hits, 2));
  cr_assert(eq(u64, result.tcp_read_req, 2 * 2)); // counted in 64 B
  cr_assert(eq(u64, traffic[0].fetched_bytes, 2 * 128));
  near(result.ta_busy, 2 * 2 * CLOCKS); // as long as two lines of 64 B each
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

enum { MOST_PAGES = 8 };

// A wave that loads a line of each of so many pages at once.
static ModelResult replay_pages(uint32_t pages, double miss_clocks) {
  Parameters p = defaults();
  p.utcl1_miss_clk = miss_clocks;
  const uint64_t page_lines = (uint64_t)p.utcl1_page_bytes / 64;
  Trace trace = {.used = {1}};
  uint64_t lines[MOST_PAGES];
  for (uint64_t page = 0; page < pages; page++)
    lines[page] = trace_line(page * page_lines, 1, 3, 0);
  trace_memory(&trace, A_LOAD, lines, pages);
  trace_event(&trace, EVENT_WAIT, WAIT_VMCNT_0);
  trace_event(&trace, EVENT_END, 0);
  return replay_on(&p, &trace, 1, NULL);
}

Test(replay, an_access_waits_for_each_page_that_is_not_at_hand) {
  enum { PAGES = 5, CLOCKS = 1000 };
  ModelResult free_of_charge = replay_pages(PAGES, 0), result = replay_pages(PAGES, CLOCKS);
  cr_assert(eq(u64, result.utcl1_misses, PAGES));
  near(result.clocks - free_of_charge.clocks, PAGES * CLOCKS);
  near(result.ta_busy, free_of_charge.ta_busy); // the address unit goes on with others
}

// A wave that issues so many instructions, then, if it has an id, loads a line in so many clk.
static Trace loader(uint32_t instructions, uint32_t id, uint64_t line, uint8_t clocks) {
  Trace trace = {.used = {instructions}};
  if (clocks) {
    const uint64_t word = trace_line(line, 1, 3, 0);
    trace_memory(&trace, (TraceAccess){.instruction = id, .kind = ACCESS_LOAD, .clocks = clocks},
                 &word, 1);
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

// Two shader engines of one compute unit each, which holds one workgroup. The first group keeps the first
// engine; the second ends at once; the third is the first engine's and waits for it.
Test(replay, a_group_waits_for_the_shader_engine_whose_turn_it_is) {
  enum { GROUPS = 3 };
  static const uint32_t INSTRUCTIONS[GROUPS] = {5000, 1, 3000};
  Parameters p = defaults();
  p.compute_units = p.shader_engines = 2;
  p.wave_start_clk = 0;
  Launch launch = {.workgroups = GROUPS, .workgroups_per_cu = 1, .waves_per_workgroup = 1};
  Model *model = model_begin(&p, &launch);
  cr_assert(model != NULL);
  for (int group = 0; group < GROUPS; group++) {
    Trace trace = loader(INSTRUCTIONS[group], 0, 0, 0);
    model_feed(model, group_of(&trace, 1));
  }
  ModelResult result;
  model_end(model, &result, NULL);
  near(result.clocks, (INSTRUCTIONS[0] + INSTRUCTIONS[2]) * p.issue_clk);
}

// ---- traces ----

// Thousands of waves that spin would else take all memory of the host.
Test(model, traces_take_a_share_of_the_hosts_memory) {
  enum { STEP = 1 << 20, EVENTS = 1000 };
  Trace before = {0}, beyond = {0}, after = {0};
  trace_event(&before, EVENT_ISSUE, 0);
  uint64_t taken = 0;
  while (trace_take_room(STEP))
    taken += STEP;
  while (trace_take_room(1))
    taken++;
  cr_assert(all(lt(u64, STEP, taken), le(u64, taken, device_memory_host_left() / 3)));
  for (int i = 0; i < EVENTS; i++)
    trace_event(&before, EVENT_ISSUE, 0), trace_event(&beyond, EVENT_ISSUE, 0);
  cr_assert(all(eq(int, before.exhausted, true), eq(u32, before.count, before.capacity),
                eq(int, beyond.exhausted, true), eq(u32, beyond.count, 0)));
  trace_give_room(taken);
  trace_free(&before);
  trace_free(&beyond);
  for (int i = 0; i < EVENTS; i++)
    trace_event(&after, EVENT_ISSUE, 0);
  cr_assert(all(eq(int, after.exhausted, false), eq(u32, after.count, EVENTS)));
  trace_free(&after);
  cr_assert(trace_take_room(taken)); // nothing of them is counted any more
  trace_give_room(taken);
}
