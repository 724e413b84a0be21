// The replay: workgroups on compute units, their waves' events in time order. See model.h and
// docs/memory-model.md.
#include "model.h"

#include "event_queue.h"
#include "model_l1.h"
#include "model_l2.h"
#include "model_utcl1.h"
#include "ticks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  SIMDS = 4,    // per compute unit
  COUNTED = 64, // vector memory accesses that vmcnt can count
  NONE = UINT32_MAX,
  SCRATCH_REGION =
      40, // bit of the line number that sets private memory apart from all other addresses
};

// A wave in its slot. Slots are numbered through all compute units. What every event needs is in one
// cache line of the host.
typedef struct {
  _Alignas(64) const uint64_t *next; // event to come
  uint64_t header;                   // its first word, read early
  uint64_t order;                    // of launch
  Ticks born, last_done, scalar_done;
  uint32_t unit, next_waiting;
  uint8_t first, last; // accesses under way
  uint8_t simd;
  bool told; // the instructions before the event to come have been accounted for
  uint32_t group;
  Ticks done[COUNTED]; // when they complete, in order: [first % COUNTED] to [last % COUNTED)
} Wave;
_Static_assert(offsetof(Wave, done) == 64, "what every event needs is in one cache line");

typedef struct {
  GroupTrace *trace;
  uint32_t left, arrived;
} Group;

typedef struct {
  L1 l1;
  Utcl1 utcl1;
  Ticks utcl1_free; // when it has fetched what it misses
  Ticks memory_free, lds_free, port_free[SIMDS / 2], unit_free[SIMDS][USES];
  Ticks *outstanding;      // when each of the last l1_outstanding requests comes back
  uint32_t request;        // the oldest of them
  uint32_t waiting[SIMDS]; // waves that want to issue to memory
  uint32_t waiting_count, turn, groups, simd_waves[SIMDS];
  bool scheduled; // an event of this compute unit is queued
} ComputeUnit;

struct Model {
  Parameters p;
  Launch launch;
  ModelResult result;
  InstructionTraffic *traffic;
  ComputeUnit *unit;
  Group *group;
  Wave *wave;
  L2 l2;
  EventQueue queue;
  GroupTrace *fed; // the group that waits for its compute unit
  uint64_t dispatched, waves_started;
  uint32_t units, engines, engine_turn;
  uint32_t *engine_places; // free ones for groups
  Ticks *engine_free;
  Ticks now, end, l1_half, l1_fill, utcl1_miss, issue, scalar_latency, lds_latency, group_launch,
      wave_launch, wave_start, dispatcher_free;
  uint32_t merge_percent, merge_credit, outstanding, issue_order;
};

static Ticks ticks(double clocks) { return (Ticks)(clocks * TICKS_PER_CLOCK); }
static Ticks later(Ticks a, Ticks b) { return a > b ? a : b; }

// ---- memory instructions ----

typedef struct {
  ComputeUnit *unit;
  InstructionTraffic *traffic;
  TraceAccess access;
  Ticks begin; // of the instruction in the address unit; moves when the requests under way are too
               // many
  Ticks done;  // when its last line is there
  uint32_t fills; // pieces of 64 B that come into L1
} Flight;

// Time at which an access that comes at `at` has its address translated. One translation is fetched at
// a time; accesses whose translations are at hand go on meanwhile.
static Ticks translate(Model *m, Flight *f, uint64_t line, Ticks at) {
  if (utcl1_find(&f->unit->utcl1, line))
    return at;
  m->result.utcl1_misses++;
  f->unit->utcl1_free = later(f->unit->utcl1_free, at) + m->utcl1_miss;
  return f->unit->utcl1_free;
}

// Waits until one more request may be under way, and notes when it will be back.
static Ticks *request_slot(const Model *m, Flight *f, Ticks *at) {
  Ticks *slot = &f->unit->outstanding[f->unit->request];
  __builtin_prefetch(slot + 8, 1);
  f->unit->request = f->unit->request + 1 < m->outstanding ? f->unit->request + 1 : 0;
  if (*slot > *at) {
    f->begin += *slot - *at;
    *at = *slot;
  }
  return slot;
}

// Two 64 B halves of an L2 line that miss together mostly travel as one request.
static bool merges(Model *m) {
  m->merge_credit += m->merge_percent;
  if (m->merge_credit < 100)
    return false;
  m->merge_credit -= 100;
  return true;
}

static Ticks read_from_l2(Model *m, Flight *f, uint64_t line, uint32_t sectors, Ticks at) {
  bool hit;
  uint32_t fetched;
  Ticks back =
      l2_read(&m->l2, line / 2, sectors, f->access.stream, at + m->l1_half, &hit, &fetched) +
      m->l1_half;
  f->traffic->l2_requests++;
  f->traffic->l2_hits += hit;
  f->traffic->fetched_bytes += fetched;
  return back;
}

static uint32_t half_sectors(uint64_t line) { return line & 1 ? 12 : 3; }

static void miss(Model *m, Flight *f, uint64_t line, Ticks at, Ticks back) {
  const uint32_t pieces = 1u << f->unit->l1.line_shift;
  m->result.tcp_read_req += pieces;
  m->result.tcp_read_latency += pieces * (back - at) / TICKS_PER_CLOCK;
  f->fills += pieces;
  l1_insert(&f->unit->l1, line, back, f->access.stream);
  f->done = later(f->done, back);
}

// The lines of an instruction, one after the other.
typedef struct {
  uint64_t word;        // of the line at hand, which tells how many more are in its run
  const uint64_t *next; // run
  uint64_t base;        // added to all numbers
  uint32_t left, all;   // lines, with the one at hand
} Lines;

static Lines lines_of(const uint64_t *runs, uint32_t count, uint64_t base) {
  Lines lines = {.word = *runs, .next = runs + 1, .base = base};
  for (uint32_t i = 0; i < count; i++)
    lines.all += trace_line_more(runs[i]) + 1;
  lines.left = lines.all;
  return lines;
}
static uint64_t number_of(const Lines *lines) {
  return lines->base + trace_line_number(lines->word);
}
static uint64_t word_behind(const Lines *lines) {
  return trace_line_more(lines->word) ? lines->word + 1 - (1ull << TRACE_MORE) : *lines->next;
}
static void go_on(Lines *lines) {
  bool same_run = trace_line_more(lines->word);
  if (--lines->left) // behind the last there is no word
    lines->word = word_behind(lines);
  lines->next += !same_run;
}

// Loads a line and, if it is the other half of the same L2 line and misses too, the next one.
// Returns whether it took that, too.
static bool load_line(Model *m, Flight *f, const Lines *lines, Ticks at) {
  uint64_t line = number_of(lines);
  uint32_t lookups = trace_line_lookups(lines->word);
  const Ticks *ready = l1_find(&f->unit->l1, line);
  if (ready) {
    f->traffic->l1_hits += lookups;
    f->done = later(f->done, later(*ready, at + 2 * m->l1_half));
    return false;
  }
  f->traffic->l1_hits += lookups - 1; // look-ups behind the first find the line under way
  uint64_t behind = lines->left > 1 && line % 2 == 0 ? word_behind(lines) : 0;
  bool pair = behind && lines->base + trace_line_number(behind) == line + 1 &&
              !l1_find(&f->unit->l1, line + 1);
  Ticks *slot = request_slot(m, f, &at);
  if (f->unit->l1.line_shift) { // both halves are one line, which comes at once
    *slot = read_from_l2(m, f, line, L2_ALL_SECTORS, at);
    miss(m, f, line, at, *slot);
    return false;
  }
  if (pair && merges(m)) {
    Ticks back = read_from_l2(m, f, line, L2_ALL_SECTORS, at);
    *slot = back;
    miss(m, f, line, at, back);
    miss(m, f, line + 1, at,
         back); // both travel at once, but each takes a place among those under way
    f->traffic->l1_hits += trace_line_lookups(behind) - 1;
    *request_slot(m, f, &at) = back;
    return true;
  }
  *slot = read_from_l2(m, f, line, half_sectors(line), at);
  miss(m, f, line, at, *slot);
  return false;
}

static void store_line(Model *m, Flight *f, const Lines *lines, Ticks at) {
  uint64_t line = number_of(lines);
  uint32_t shift = line & 1 ? 2 : 0;
  bool hit;
  m->result.tcp_write_req++;
  l1_drop(&f->unit->l1, line);
  Ticks back =
      l2_write(&m->l2, line / 2, trace_line_touched(lines->word) << shift,
               trace_line_full(lines->word) << shift, f->access.stream, at + m->l1_half, &hit) +
      m->l1_half;
  f->traffic->l2_requests++;
  f->traffic->l2_hits += hit;
  f->done = later(f->done, back);
}

// Atomics bypass L1: one request per lane.
static void update_line(Model *m, Flight *f, const Lines *lines, Ticks at) {
  uint64_t line = number_of(lines);
  l1_drop(&f->unit->l1, line);
  for (uint32_t i = 0; i < trace_line_lookups(lines->word); i++) {
    bool hit;
    uint32_t fetched;
    Ticks back = l2_atomic(&m->l2, line / 2, trace_line_touched(lines->word) << (line & 1 ? 2 : 0),
                           at + m->l1_half, &hit, &fetched) +
                 m->l1_half;
    m->result.tcp_atomic_req++;
    f->traffic->l2_requests++;
    f->traffic->l2_hits += hit;
    f->traffic->fetched_bytes += fetched;
    f->done = later(f->done, back);
  }
}

static uint64_t scratch_base(const Model *m, const Wave *w) {
  enum { LINE = 64 };
  uint64_t slot = (uint64_t)(w - m->wave);
  return (1ull << SCRATCH_REGION) + slot * (m->launch.scratch_bytes / LINE);
}

static TraceAccess access_of(const Wave *w) {
  TraceAccess access;
  memcpy(&access, w->next + 1, sizeof access);
  return access;
}

static uint64_t base_of(const Model *m, const Wave *w, TraceAccess access) {
  return access.scratch ? scratch_base(m, w) : 0;
}

// Tells the host what the wave's memory instruction will need of L2.
static void expect_lines(const Model *m, const Wave *w) {
  uint32_t runs = trace_payload(w->header);
  const uint64_t *run = w->next + 2;
  uint64_t base = base_of(m, w, access_of(w)), last = UINT64_MAX;
  for (uint32_t i = 0; i < runs; i++) {
    uint64_t begin = base + trace_line_number(run[i]), end = begin + trace_line_more(run[i]);
    for (uint64_t line = begin / 2; line <= end / 2; line++)
      if (line != last)
        l2_expect(&m->l2, last = line);
  }
}

// Goes on to the event there. Its words are needed when the wave's turn comes again.
static void advance(Wave *w, const uint64_t *to) {
  __builtin_prefetch(to + 8);
  w->next = to;
  w->header = *to;
  w->told = false;
}

static void memory_instruction(Model *m, ComputeUnit *unit, Wave *w, Ticks at) {
  uint32_t runs = trace_payload(w->header);
  const uint64_t *words = w->next + 2;
  Flight f = {.unit = unit, .access = access_of(w), .begin = at};
  Lines lines = lines_of(words, runs, base_of(m, w, f.access));
  f.traffic = &m->traffic[f.access.instruction];
  for (uint32_t i = 0; i < runs; i++)
    f.traffic->lookups += trace_line_lookups(words[i]) * (trace_line_more(words[i]) + 1);
  advance(w, words + runs);
  uint32_t busy = f.access.clocks * TICKS_PER_CLOCK;
  while (lines.left) {
    uint32_t before = lines.all - lines.left;
    Ticks now = translate(m, &f, number_of(&lines), f.begin + busy * before / lines.all);
    if (f.access.kind == ACCESS_LOAD) {
      if (load_line(m, &f, &lines, now))
        go_on(&lines);
    } else if (f.access.kind == ACCESS_STORE) {
      store_line(m, &f, &lines, now);
    } else {
      update_line(m, &f, &lines, now);
    }
    go_on(&lines);
  }
  unit->memory_free = f.begin + busy + f.fills * m->l1_fill;
  m->result.ta_busy += (unit->memory_free - at) / TICKS_PER_CLOCK;
  w->last_done = later(w->last_done, f.done); // accesses complete in order
  if (w->first == w->last)
    w->first = w->last = 0; // stays in few cache lines of the host
  w->done[w->last++ % COUNTED] = w->last_done;
  m->end = later(m->end, w->last_done);
}

// ---- events ----

static void schedule_wave(Model *m, uint32_t wave, Ticks time) {
  event_queue_push(&m->queue, time, m->units + wave);
}

// The SIMD whose turn it is; one has a wave that waits.
static uint32_t next_turn(const ComputeUnit *unit) {
  uint32_t turn = unit->turn;
  do
    turn = (turn + 1) % SIMDS;
  while (unit->waiting[turn] == NONE);
  return turn;
}

static void schedule_unit(Model *m, uint32_t number, Ticks time) {
  ComputeUnit *unit = &m->unit[number];
  unit->scheduled = true;
  event_queue_push(&m->queue, time, number);
  expect_lines(m, &m->wave[unit->waiting[next_turn(unit)]]);
}

// Whether wave a, which waits, issues to memory before b, which comes.
static bool goes_before(const Model *m, uint32_t a, uint32_t b) {
  enum { OLDEST = 1, LOWEST_SLOT = 2 };
  if (m->issue_order == LOWEST_SLOT)
    return a < b;
  return m->issue_order != OLDEST || m->wave[a].order < m->wave[b].order;
}

// Queues the wave at its compute unit.
static void want_memory(Model *m, Wave *w, Ticks now) {
  uint32_t index = (uint32_t)(w - m->wave), number = w->unit;
  ComputeUnit *unit = &m->unit[number];
  uint32_t *link = &unit->waiting[w->simd];
  while (*link != NONE && goes_before(m, *link, index))
    link = &m->wave[*link].next_waiting;
  w->next_waiting = *link;
  *link = index;
  unit->waiting_count++;
  if (!unit->scheduled)
    schedule_unit(m, number, later(now, unit->memory_free));
}

// One memory instruction of the SIMD whose turn it is.
static void run_unit(Model *m, uint32_t number, Ticks now) {
  ComputeUnit *unit = &m->unit[number];
  unit->scheduled = false;
  unit->turn = next_turn(unit);
  uint32_t wave = unit->waiting[unit->turn];
  unit->waiting[unit->turn] = m->wave[wave].next_waiting;
  unit->waiting_count--;
  memory_instruction(m, unit, &m->wave[wave], now);
  schedule_wave(m, wave, now + m->issue);
  if (unit->waiting_count)
    schedule_unit(m, number, unit->memory_free);
}

static void end_wave(Model *m, Wave *w, Ticks now) {
  Group *group = &m->group[w->group];
  ComputeUnit *unit = &m->unit[w->unit];
  m->end = later(m->end, now);
  m->result.wave_clocks += (now - w->born) / TICKS_PER_CLOCK;
  unit->simd_waves[w->simd]--;
  if (--group->left)
    return;
  free(group->trace);
  group->trace = NULL;
  unit->groups--;
  m->engine_places[w->unit % m->engines]++;
}

static void arrive_at_barrier(Model *m, Wave *w, Ticks now) {
  Group *group = &m->group[w->group];
  uint32_t first = w->group * m->launch.waves_per_workgroup;
  group->arrived++;
  if (group->arrived < group->trace->waves)
    return;
  group->arrived = 0;
  for (uint32_t i = 0; i < group->trace->waves; i++)
    schedule_wave(m, first + i, now);
}

// Instructions since the event before: each takes one of the wave's issue slots; the vector ALU, the
// matrix unit and the scalar unit's turn for its SIMD serve one wave after the other.
static Ticks issue(Model *m, Wave *w, uint64_t header, Ticks now) {
  Ticks slot = m->issue, *unit_free = m->unit[w->unit].unit_free[w->simd];
  Ticks end = now + trace_used(header, USE_ISSUE) * slot;
  for (Use unit = USE_ISSUE + 1; unit < USES; unit++) { // no branches: nobody could foretell them
    uint32_t quads = trace_used(header, unit);
    Ticks until = later(unit_free[unit], now) + quads * slot;
    m->result.simd_clocks += unit == USE_SCALAR ? 0 : quads * slot / TICKS_PER_CLOCK;
    unit_free[unit] = quads ? until : unit_free[unit];
    end = later(end, quads ? until : 0);
  }
  return end;
}

// Accesses of the wave.
static uint32_t under_way(const Wave *w) { return (uint8_t)(w->last - w->first); }

static Ticks wait_for_counters(Model *m, Wave *w, uint32_t payload, Ticks now) {
  uint32_t vmcnt = payload & 63, lgkmcnt = payload >> 6;
  Ticks until = now;
  if (under_way(w) > vmcnt) { // the last of them completes last
    w->first = (uint8_t)(w->last - vmcnt);
    until = later(until, w->done[(uint8_t)(w->first - 1) % COUNTED]);
  }
  if (lgkmcnt < 15)
    until = later(until, w->scalar_done);
  m->result.wait_clocks += (until - now) / TICKS_PER_CLOCK;
  return until;
}

// Two SIMDs, 0 and 1 or 2 and 3, share a port to the LDS.
static Ticks use_lds(Model *m, Wave *w, uint32_t payload, Ticks now) {
  ComputeUnit *unit = &m->unit[w->unit];
  Ticks *lds_free = &unit->lds_free, *port_free = &unit->port_free[w->simd / 2];
  Ticks begin = later(now, later(*lds_free, *port_free));
  *lds_free = later(now, *lds_free) + (Ticks)trace_lds_clocks(payload) * TICKS_PER_CLOCK;
  *port_free = later(now, *port_free) + trace_lds_port(payload) * m->issue;
  w->scalar_done = later(w->scalar_done, later(*lds_free, *port_free) + m->lds_latency);
  return begin;
}

// What a wave does there, when all instructions before have been issued. False if it does not go on by
// itself.
static bool do_event(Model *m, uint32_t index, Ticks *now) {
  Wave *w = &m->wave[index];
  uint64_t header = w->header;
  EventKind kind = trace_kind(header);
  if (kind == EVENT_MEMORY) {
    if (under_way(w) == COUNTED)
      *now = later(*now, w->done[w->first++ % COUNTED]);
    want_memory(m, w, *now);
    return false;
  }
  if (kind == EVENT_END) {
    end_wave(m, w, *now);
    return false;
  }
  advance(w, w->next + 1);
  if (kind == EVENT_SCALAR)
    w->scalar_done = *now + m->scalar_latency;
  else if (kind == EVENT_LDS)
    *now = use_lds(m, w, trace_payload(header), *now);
  else if (kind == EVENT_WAIT)
    *now = wait_for_counters(m, w, trace_payload(header), *now);
  else if (kind == EVENT_BARRIER) {
    arrive_at_barrier(m, w, *now);
    return false;
  }
  return true;
}

// Goes on with a wave until it must wait for something, or until another event comes first: what waves
// share is given to them in the order of time.
static void run_wave(Model *m, uint32_t index, Ticks now) {
  Wave *w = &m->wave[index];
  while (!event_queue_has_before(&m->queue, now)) {
    if (!w->told) {
      w->told = true;
      now = issue(m, w, w->header, now);
    } else if (!do_event(m, index, &now)) {
      return;
    }
  }
  schedule_wave(m, index, now);
}

// ---- dispatch ----

// The emptiest compute unit of the shader engine. Units are dealt to engines in turn.
static uint32_t emptiest_unit(const Model *m, uint32_t engine) {
  uint32_t best = engine;
  for (uint32_t i = engine; i < m->units; i += m->engines)
    if (m->unit[i].groups < m->unit[best].groups)
      best = i;
  return best;
}

static void start_group(Model *m, uint32_t number, GroupTrace *trace, Ticks at) {
  ComputeUnit *unit = &m->unit[number];
  uint32_t place = number * m->launch.workgroups_per_cu;
  while (m->group[place].trace)
    place++;
  m->group[place] = (Group){.trace = trace, .left = trace->waves};
  unit->groups++;
  for (uint32_t i = 0; i < trace->waves; i++) {
    uint32_t index = place * m->launch.waves_per_workgroup + i;
    uint8_t simd = 0;
    for (uint8_t s = 1; s < SIMDS; s++)
      if (unit->simd_waves[s] < unit->simd_waves[simd])
        simd = s;
    unit->simd_waves[simd]++;
    Ticks born = at + i * m->wave_launch + m->wave_start;
    const uint64_t *first = trace->words + trace->begin[i];
    Wave *w = &m->wave[index];
    memset(w, 0, offsetof(Wave, done));
    w->next = first;
    w->header = *first;
    w->order = m->waves_started++;
    w->group = place;
    w->unit = number;
    w->simd = simd;
    w->next_waiting = NONE;
    w->born = born;
    schedule_wave(m, index, born);
  }
}

// Places the next group on a compute unit of the shader engine whose turn it is.
static void dispatch_next(Model *m) {
  uint32_t engine = m->engine_turn, number = emptiest_unit(m, engine);
  m->engine_turn = (engine + 1) % m->engines;
  GroupTrace *trace = m->fed;
  m->fed = NULL;
  Ticks handed = later(m->now, m->dispatcher_free), at = later(handed, m->engine_free[engine]);
  m->dispatcher_free = handed + m->group_launch;
  m->engine_free[engine] = at + trace->waves * m->wave_launch;
  start_group(m, number, trace, at);
  m->engine_places[engine]--;
  m->dispatched++;
}

// Tells the host which wave will be needed next.
static void expect_next(const Model *m) {
  uint32_t key = m->queue.count ? event_queue_first(&m->queue) : 0;
  if (key >= m->units)
    __builtin_prefetch(&m->wave[key - m->units]);
}

// Replays as far as what has been fed allows. One dispatcher hands groups out in order and shader
// engines take turns: a full one is waited for. While the next group has a place and has not been
// fed, time must not go on.
static void replay(Model *m) {
  for (;;) {
    if (m->engine_places[m->engine_turn] && m->dispatched < m->launch.workgroups) {
      if (!m->fed)
        return;
      dispatch_next(m);
      continue;
    }
    if (!m->queue.count)
      return;
    uint32_t key = event_queue_pop(&m->queue, &m->now);
    expect_next(m);
    if (key < m->units)
      run_unit(m, key, m->now);
    else
      run_wave(m, key - m->units, m->now);
  }
}

// ---- life ----

static bool create_units(Model *m) {
  for (uint32_t i = 0; i < m->units; i++) {
    ComputeUnit *unit = &m->unit[i];
    for (uint32_t s = 0; s < SIMDS; s++)
      unit->waiting[s] = NONE;
    m->engine_places[i % m->engines] += m->launch.workgroups_per_cu;
    utcl1_create(&unit->utcl1, &m->p);
    unit->outstanding = calloc((size_t)m->p.l1_outstanding, sizeof *unit->outstanding);
    if (!l1_create(&unit->l1, &m->p) || !unit->outstanding)
      return false;
  }
  return true;
}

Model *model_begin(const Parameters *parameters, const Launch *launch) {
  Model *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  m->p = *parameters;
  m->launch = *launch;
  m->units = (uint32_t)parameters->compute_units;
  m->engines = (uint32_t)parameters->shader_engines;
  m->engines = m->engines < m->units ? m->engines : m->units;
  m->l1_half = ticks(parameters->l1_latency_clk) / 2;
  m->l1_fill = ticks(parameters->l1_fill_clk);
  m->utcl1_miss = ticks(parameters->utcl1_miss_clk);
  m->issue = ticks(parameters->issue_clk);
  m->scalar_latency = ticks(parameters->scalar_latency_clk);
  m->lds_latency = ticks(parameters->lds_latency_clk);
  m->group_launch = ticks(parameters->group_launch_clk);
  m->wave_launch = ticks(parameters->wave_launch_clk);
  m->wave_start = ticks(parameters->wave_start_clk);
  m->merge_percent = (uint32_t)parameters->l2_merge_percent;
  m->outstanding = (uint32_t)parameters->l1_outstanding;
  m->issue_order = (uint32_t)parameters->issue_order;
  uint32_t places = m->units * launch->workgroups_per_cu;
  size_t waves = (size_t)places * launch->waves_per_workgroup;
  m->unit = calloc(m->units, sizeof *m->unit);
  m->group = calloc(places, sizeof *m->group);
  m->wave = aligned_alloc(_Alignof(Wave), waves * sizeof *m->wave); // written where one starts
  m->traffic = calloc(launch->instructions + 1, sizeof *m->traffic);
  m->engine_free = calloc(m->engines, sizeof *m->engine_free);
  m->engine_places = calloc(m->engines, sizeof *m->engine_places);
  bool ready = m->unit && m->group && m->wave && m->traffic && m->engine_free && m->engine_places &&
               create_units(m);
  ready = event_queue_create(&m->queue, (uint32_t)waves + m->units) &&
          l2_create(&m->l2, parameters, &m->result) && ready;
  if (ready)
    return m;
  model_abandon(m);
  return NULL;
}

// Replay only ever stops with a free place, or with all groups placed, so one group is all that can
// wait.
void model_feed(Model *model, GroupTrace *group) {
  enum { HOST_LINE = 8, MOST = 512 }; // words; it was written long ago, or by another thread
  for (uint32_t i = 0; i < group->begin[group->waves] && i < MOST; i += HOST_LINE)
    __builtin_prefetch(group->words + i);
  model->fed = group;
  replay(model);
}

void model_abandon(Model *m) {
  for (uint32_t i = 0; m->unit && i < m->units; i++) {
    l1_destroy(&m->unit[i].l1);
    free(m->unit[i].outstanding);
  }
  for (uint32_t i = 0; m->group && i < m->units * m->launch.workgroups_per_cu; i++)
    free(m->group[i].trace);
  free(m->fed);
  l2_destroy(&m->l2);
  event_queue_destroy(&m->queue);
  free(m->unit);
  free(m->group);
  free(m->wave);
  free(m->traffic);
  free(m->engine_free);
  free(m->engine_places);
  free(m);
}

void model_end(Model *model, ModelResult *result, InstructionTraffic *traffic) {
  replay(model);
  l2_flush(&model->l2);
  model->result.clocks = model->end / TICKS_PER_CLOCK;
  *result = model->result;
  if (traffic)
    memcpy(traffic, model->traffic, model->launch.instructions * sizeof *traffic);
  model_abandon(model);
}
