// Counts of memory instructions: see access_count.h.
#include "access_count.h"

#include "address_unit.h"
#include "settings.h"

#include <stdlib.h>

// ---- for the report by source line ----

// Loads and atomics may come back to a line in a later step: here it counts once.
static void count_distinct(MemoryProfile *profile, const Lines *lines) {
  Lines distinct;
  distinct.count = 0;
  u64 bytes = 0;
  for (int i = 0; i < lines->count; i++) {
    int k = distinct.count - 1;
    while (k >= 0 && distinct.number[k] != lines->number[i])
      k--;
    if (k < 0) {
      k = distinct.count++;
      distinct.number[k] = lines->number[i];
      distinct.bytes[k] = 0;
    }
    distinct.bytes[k] |= lines->bytes[i];
  }
  for (int k = 0; k < distinct.count; k++)
    bytes += (u64)__builtin_popcountll(distinct.bytes[k]);
  profile->lines += (u64)distinct.count;
  profile->fewest_lines += (bytes + DEVICE_L1_LINE - 1) / DEVICE_L1_LINE;
  profile->bytes += bytes;
}

// In the middle of the grid no boundary is near: there all of a kernel's accesses are made.
static bool is_sampled(const Wavefront *w) {
  const uint32_t *grid = w->thread->launch->grid, *id = w->group->id;
  return w->number == 0 && id[0] == grid[0] / 2 && id[1] == grid[1] / 2 && id[2] == grid[2] / 2;
}

static void keep_for_report(const Wavefront *w, const Lines *lines, u64 first) {
  MemoryProfile *profile = &w->thread->memory[w->in->id];
  count_distinct(profile, lines);
  if (!profile->sample && is_sampled(w))
    profile->sample = first;
}

// ---- footprints ----

// It depends on nothing but how the lanes lie to each other and to banks, and that is mostly as it
// was the last time.
enum { KEPT_BITS = 8, KEPT = 1 << KEPT_BITS, ALIGNED = TAG_BANKS * DEVICE_L1_LINE };

struct Footprint {
  bool known, timed; // clocks are known, too, which only a trace wants
  u32 bytes;
  bool regular;
  MemoryAction action;
  u64 lanes, place; // in ALIGNED bytes
  Spans spans;
  u64 distance[LANES]; // of active lanes from the first of them, unless they are regular
  AddressSteps unit;   // lines by number from the begin of the ALIGNED bytes
};

// Whether the footprint is that of an access which begins at `first`.
static bool fits(const Footprint *kept, const Access *access, MemoryAction action, u64 first) {
  if (!kept->known || kept->action != action || kept->lanes != access->lanes ||
      kept->place != first % ALIGNED || kept->bytes != access->bytes ||
      kept->regular != access->regular)
    return false;
  if (access->regular)
    return spans_alike(&kept->spans, &access->spans);
  u64 different = 0;
  FOR_LANES different |=
      access->lanes >> lane & 1 ? (access->address[lane] - first) ^ kept->distance[lane] : 0;
  return different == 0;
}

// Waves come to an instruction with a few masks and places; lanes that are even are so for many
// instructions.
static u64 slot_of(const Access *access, MemoryAction action, u32 instruction, u64 first) {
  bool even = access->regular && access->spans.even;
  u64 shape = even ? access->bytes | access->spans.stride << 8 : (u64)instruction << 24;
  u64 key = (shape << 10 | action << 8 | first % ALIGNED) * 0x9e3779b97f4a7c15ull ^ access->lanes;
  return (key * 0x9e3779b97f4a7c15ull) >> (64 - KEPT_BITS);
}

static const Footprint *footprint(Wavefront *w, Access *access, MemoryAction action, u64 first) {
  HostThread *thread = w->thread;
  if (!thread->footprints)
    thread->footprints = calloc(KEPT, sizeof *thread->footprints);
  if (!thread->footprints)
    wavefront_fault(w, FAULT_HOST, -1, "the host has no memory to count what an instruction does");
  Footprint *kept = &thread->footprints[slot_of(access, action, w->in->id, first)];
  if (fits(kept, access, action, first) && (kept->timed || w->trace.off))
    return kept;
  kept->known = true;
  kept->bytes = access->bytes;
  kept->regular = access->regular;
  kept->spans = access->spans;
  kept->action = action;
  kept->lanes = access->lanes;
  kept->place = first % ALIGNED;
  if (access->regular)
    access_spread(access);
  else
    FOR_LANES kept->distance[lane] = access->address[lane] - first;
  kept->timed = !w->trace.off;
  address_unit_steps(access, action, kept->timed, &kept->unit);
  for (int i = 0; i < kept->unit.lines.count; i++)
    kept->unit.lines.number[i] -= (first - kept->place) / DEVICE_L1_LINE;
  return kept;
}

// ---- for the memory model ----

// 32 B sectors of a line of which any byte, or every byte, is accessed.
static unsigned sectors_touched(u64 bytes) {
  return ((u32)bytes != 0) | (unsigned)(bytes >> 32 != 0) << 1;
}
static unsigned sectors_full(u64 bytes) {
  return ((u32)bytes == UINT32_MAX) | (unsigned)(bytes >> 32 == UINT32_MAX) << 1;
}

static void trace_lines(Wavefront *w, const Lines *lines, u64 base, TraceAccess access) {
  if (w->trace.off)
    return;
  base -= access.scratch ? (u64)w->scratch / DEVICE_L1_LINE : 0;
  u64 words[LANES * 2];
  for (int i = 0; i < lines->count; i++)
    words[i] = trace_line(base + lines->number[i], lines->lookups[i],
                          sectors_touched(lines->bytes[i]), sectors_full(lines->bytes[i]));
  trace_memory(&w->trace, access, words, (u32)lines->count);
}

// ---- without a footprint ----

#define NO_LINE UINT64_MAX

// Look-ups of few lanes, of which no step takes 16: for each quad that has one, from line to line
// without those that a lane before has.
static u64 lines_of_few(const Access *access) {
  u64 seen[2 * QUAD], lookups = 0;
  int count = 0, quad = -1;
  FOR_LANES_OF(access->lanes) {
    const u64 last = (access->address[lane] + access->bytes - 1) / DEVICE_L1_LINE;
    if (lane / QUAD != quad)
      count = 0;
    quad = lane / QUAD;
    for (u64 line = access->address[lane] / DEVICE_L1_LINE; line <= last; line++) {
      int i = 0;
      while (i < count && seen[i] != line)
        i++;
      if (i < count)
        continue;
      seen[count++] = line;
      lookups++;
    }
  }
  return lookups;
}

// Whether an active lane's bytes lie on two lines.
static bool crosses_line(const Access *access) {
  Eighth crossing = {0}, address, active;
  for (int lane = 0; lane < LANES; lane += EIGHTH) {
    eighth_of(access, lane, &address, &active);
    crossing |= (address % DEVICE_L1_LINE + access->bytes - 1) & active;
  }
  u64 any = 0;
  for (int i = 0; i < EIGHTH; i++)
    any |= crossing[i];
  return any / DEVICE_L1_LINE;
}

// Lanes of two quads that have the value of a lane before them in theirs.
static inline Eighth seen_before(Eighth value) {
  const Eighth not_first = {0, ~0ull, ~0ull, ~0ull, 0, ~0ull, ~0ull, ~0ull};
  return not_first &
         ((Eighth)(value == __builtin_shufflevector(value, value, 0, 0, 1, 2, 4, 4, 5, 6)) |
          (Eighth)(value == __builtin_shufflevector(value, value, 0, 0, 0, 1, 4, 4, 4, 5)) |
          (Eighth)(value == __builtin_shufflevector(value, value, 0, 0, 0, 0, 4, 4, 4, 4)));
}

// Lanes of two quads that have a value which any lane of their quad has in `other`.
static inline Eighth seen_among(Eighth value, Eighth other) {
  return (Eighth)(value == other) |
         (Eighth)(value == __builtin_shufflevector(other, other, 1, 2, 3, 0, 5, 6, 7, 4)) |
         (Eighth)(value == __builtin_shufflevector(other, other, 2, 3, 0, 1, 6, 7, 4, 5)) |
         (Eighth)(value == __builtin_shufflevector(other, other, 3, 0, 1, 2, 7, 4, 5, 6));
}

// Counts active lanes of two quads that are the first of theirs on a line, and again those that are on the line
// where their bytes end.
static void count_new_lines(const Access *access, int begin, bool crossing, Eighth *count) {
  Eighth address, active;
  eighth_of(access, begin, &address, &active);
  const Eighth first = address / DEVICE_L1_LINE;
  *count -= active & ~seen_before(first | ~active);
  if (!crossing)
    return;
  const Eighth last = (address + access->bytes - 1) / DEVICE_L1_LINE;
  *count -= active & ~(seen_among(last, first | ~active) | seen_before(last | ~active));
}

// An access of which nobody wants more than counters: its steps and look-ups, without which bytes of
// which line.
static void count_scattered(InstructionProfile *profile, const Access *access) {
  if (few_lanes(access->lanes)) {
    profile->pixels += LANES;
    profile->tag_lookups += lines_of_few(access);
    return;
  }
  const bool crossing = crosses_line(access);
  u64 steps = 0, lookups = 0;
  Eighth lines = {0};
  for (int lane = 0; lane < LANES; lane += COALESCED) {
    if (step_width(access, lane) == COALESCED) {
      steps++;
      lookups += 1 + (access->address[lane] / DEVICE_L1_LINE !=
                      (access->address[lane + COALESCED - 1] + access->bytes - 1) / DEVICE_L1_LINE);
    } else {
      steps += COALESCED / QUAD;
      count_new_lines(access, lane, crossing, &lines);
      count_new_lines(access, lane + EIGHTH, crossing, &lines);
    }
  }
  for (int i = 0; i < EIGHTH; i++)
    lookups += lines[i];
  profile->pixels += QUAD * steps;
  profile->tag_lookups += lookups;
}

// The same of lanes that leave out no line between them, at least in spans, as the rows of a tile: a step
// looks up the lines from its first byte to its last.
static void count_load_of_spans(InstructionProfile *profile, const Access *access) {
  const u64 stride = access->spans.stride,
            width =
                access->bytes <= 4 && (stride == 0 || stride == access->bytes) ? COALESCED : QUAD,
            last = (width - 1) * stride + access->bytes - 1;
  SpanBases lookups = {0}, begin = access->spans.base;
  for (u64 lane = 0; lane < SPAN; lane += width, begin += width * stride)
    lookups += (begin + last) / DEVICE_L1_LINE - begin / DEVICE_L1_LINE + 1;
  profile->pixels += QUAD * LANES / width;
  profile->tag_lookups += lookups[0] + lookups[1] + lookups[2] + lookups[3];
}

// Stores of such lanes, which look up as much and leave as one request for each line; false if a line is of two
// spans.
static bool count_store_of_spans(InstructionProfile *profile, const Access *access) {
  if (access->lanes != ~0ull || access->spans.stride > DEVICE_L1_LINE)
    return false;
  const u64 last_byte = (SPAN - 1) * (u64)access->spans.stride + access->bytes - 1;
  const SpanBases first = access->spans.base / DEVICE_L1_LINE,
                  last = (access->spans.base + last_byte) / DEVICE_L1_LINE,
                  lines = last - first + 1;
  for (int s = 1; s < SPANS; s++)
    for (int before = 0; before < s; before++)
      if (first[s] <= last[before] && first[before] <= last[s])
        return false;
  count_load_of_spans(profile, access);
  profile->l2_requests += lines[0] + lines[1] + lines[2] + lines[3];
  return true;
}

// Addresses that are not even hardly come twice, so that what they do is not worth keeping.
static bool count_load(InstructionProfile *profile, Access *access) {
  if (access->regular && access->lanes == ~0ull && access->spans.stride <= DEVICE_L1_LINE) {
    count_load_of_spans(profile, access);
    return true;
  }
  if (access->regular && access->spans.even)
    return false;
  if (access->regular)
    access_spread(access);
  count_scattered(profile, access);
  return true;
}

// Different lines of all lanes: a store sends one request for each.
static u64 lines_of_wave(const Access *access) {
  enum { PLACE_BITS = 8, PLACES = 1 << PLACE_BITS };
  u64 seen[1 + 2 * LANES] = {NO_LINE};
  u8 number[PLACES] = {0}; // of the line in `seen`; 0: none
  u32 count = 0;
  FOR_LANES_OF(access->lanes) {
    const u64 last = (access->address[lane] + access->bytes - 1) / DEVICE_L1_LINE;
    for (u64 line = access->address[lane] / DEVICE_L1_LINE; line <= last; line++) {
      u64 place = line * 0x9e3779b97f4a7c15ull >> (64 - PLACE_BITS);
      while (number[place] && seen[number[place]] != line)
        place = (place + 1) % PLACES;
      if (number[place])
        continue;
      seen[++count] = line;
      number[place] = (u8)count;
    }
  }
  return count;
}

static bool count_store(InstructionProfile *profile, const Access *access) {
  if (access->regular)
    return count_store_of_spans(profile, access);
  count_scattered(profile, access);
  profile->l2_requests += lines_of_wave(access);
  return true;
}

// A look-up and a request for each lane, which lies on one line where atomics are possible.
static bool count_atomic(InstructionProfile *profile, const Access *access) {
  if (access->scratch)
    return false;
  const u64 lanes = (u64)__builtin_popcountll(access->lanes);
  profile->pixels += LANES;
  profile->tag_lookups += lanes;
  profile->l2_requests += lanes;
  return true;
}

// Where nobody wants more than counters; false if it takes the lines, too.
static bool counted_without_lines(Wavefront *w, Access *access, MemoryAction action) {
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  return w->trace.off && !w->thread->memory &&
         (action == MEMORY_LOAD    ? count_load(profile, access)
          : action == MEMORY_STORE ? count_store(profile, access)
                                   : count_atomic(profile, access));
}

// One lane touches one line, or two, in one of the steps.
static bool counted_as_lone(Wavefront *w, const Access *access, MemoryAction action) {
  if ((access->lanes & (access->lanes - 1)) || !w->trace.off || w->thread->memory)
    return false;
  const u64 lane = (u64)__builtin_ctzll(access->lanes),
            begin = access->regular
                        ? access->spans.base[lane / SPAN] + lane % SPAN * access->spans.stride
                        : access->address[lane],
            lines = (begin + access->bytes - 1) / DEVICE_L1_LINE - begin / DEVICE_L1_LINE + 1;
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  profile->pixels += LANES;
  profile->tag_lookups += lines;
  profile->l2_requests += action == MEMORY_LOAD ? 0 : lines;
  return true;
}

// Different lines of lanes with 4 B each, lane 0 at a multiple of 16 B.
static u64 lines_of_mask(u64 lanes, u64 first) {
  const u64 before =
      first % DEVICE_L1_LINE / 4; // lanes that would lie on the first line before lane 0
  u64 lines = 0;
  for (u64 lane = 0; lane < LANES; lane += COALESCED)
    lines += (lanes << before >> lane & 0xffff) != 0;
  return lines + (before && lanes >> (LANES - before));
}

// Lanes with 4 B each side by side, some of them off, as where threads have branched: a step looks up what
// its lanes' bits say. Quads lie on one line each, all 16 lanes on one or two.
static bool counted_by_mask(Wavefront *w, const Access *access, MemoryAction action) {
  const u64 lanes = access->lanes, first = access->spans.base[0];
  if (!w->trace.off || w->thread->memory || action == MEMORY_ATOMIC || !access->regular ||
      !access->spans.even || access->spans.stride != 4 || access->bytes != 4 || first % 16)
    return false;
  const u64 pairs = lanes | lanes >> 1, quads = (pairs | pairs >> 2) & 0x1111111111111111;
  u64 steps = 0, lookups = 0;
  for (int lane = 0; lane < LANES; lane += COALESCED) {
    const bool coalesced = (lanes >> lane & 0xffff) == 0xffff;
    steps += coalesced ? 1 : COALESCED / QUAD;
    lookups += coalesced ? 1 + (first % DEVICE_L1_LINE != 0)
                         : (u64)__builtin_popcountll(quads >> lane & 0xffff);
  }
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  profile->pixels += QUAD * steps;
  profile->tag_lookups += lookups;
  profile->l2_requests += action == MEMORY_STORE ? lines_of_mask(lanes, first) : 0;
  return true;
}

// ---- an instruction ----

void access_count(Wavefront *w, Access *access, MemoryAction action) {
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  if (!access->lanes || !traffic_wanted(w))
    return;
  profile->executed_active++;
  profile->global_bytes +=
      access->scratch ? 0 : (u64)__builtin_popcountll(access->lanes) * access->bytes;
  if (counted_as_lone(w, access, action) || counted_by_mask(w, access, action) ||
      counted_without_lines(w, access, action))
    return;
  u64 first =
      access->regular ? access->spans.base[0] : access->address[__builtin_ctzll(access->lanes)];
  const Footprint *print = footprint(w, access, action, first);
  const Lines *lines = &print->unit.lines;
  profile->pixels += QUAD * print->unit.steps;
  profile->tag_lookups += print->unit.lookups;
  profile->l2_requests += action == MEMORY_ATOMIC  ? print->unit.lookups
                          : action == MEMORY_STORE ? (u64)lines->count
                                                   : 0;
  if (w->thread->memory)
    keep_for_report(w, lines, first);
  static const AccessKind kind[] = {
      [MEMORY_LOAD] = ACCESS_LOAD, [MEMORY_STORE] = ACCESS_STORE, [MEMORY_ATOMIC] = ACCESS_ATOMIC};
  trace_lines(w, lines, (first - print->place) / DEVICE_L1_LINE,
              (TraceAccess){.instruction = w->in->id,
                            .kind = (u8)kind[action],
                            .clocks = (u8)print->unit.clocks,
                            .stream = w->in->glc && w->in->slc && action != MEMORY_ATOMIC,
                            .scratch = access->scratch});
}

static __attribute__((noinline)) void count_block(Wavefront *w, u64 begin, u32 bytes,
                                                  MemoryAction action) {
  Access access;
  access.spans = spans_of_block(begin, bytes);
  access.lanes = w->exec;
  access.bytes = bytes;
  access.regular = true;
  access.scratch = false;
  access_count(w, &access, action);
}

// Lanes side by side, as step_contiguous counts them: a step that a line ends in looks up one more.
// Not for 12 B a lane, where both may end at one place.
bool access_block(Wavefront *w, u64 begin, u32 bytes, MemoryAction action) {
  const u64 end = begin + (u64)LANES * bytes;
  if (!access_seen_by(w->thread, w->in, begin, end) || (w->exec != ~0ull && settings()->xnack))
    return false;
  if (!traffic_wanted(w))
    return true;
  if (w->exec != ~0ull || !w->trace.off || w->thread->memory || (bytes & (bytes - 1))) {
    count_block(w, begin, bytes, action);
    return true;
  }
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  const u64 width = bytes > 4 ? QUAD : COALESCED, steps = LANES / width,
            lines = (end - 1) / DEVICE_L1_LINE - begin / DEVICE_L1_LINE + 1;
  profile->executed_active++;
  profile->global_bytes += LANES * bytes;
  profile->pixels += QUAD * steps;
  profile->tag_lookups += begin & (width * bytes - 1) ? steps + lines - 1 : steps;
  profile->l2_requests += action == MEMORY_STORE ? lines : 0;
  return true;
}
