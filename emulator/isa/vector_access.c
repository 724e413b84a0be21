// Checks and counts of memory accesses: see vector_access.h.
#include "vector_access.h"

#include "device_memory.h"
#include "host_memory.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- which addresses are allowed ----

// The oldest of the recent ranges makes room.
static const AddressRange *remember(HostThread *thread, u64 begin, u64 end, bool shared) {
  memmove(thread->ranges + 1, thread->ranges, sizeof thread->ranges - sizeof *thread->ranges);
  thread->ranges[0] = (AddressRange){begin, end, shared};
  return &thread->ranges[0];
}

// Looks the range up and, if it is live, remembers its allocation. NULL if it is not.
static const AddressRange *allowed(HostThread *thread, u64 address, u32 bytes) {
  const AddressRange *seen = access_seen(thread, address, address + bytes);
  if (seen)
    return seen;
  const Allocation *allocation = device_memory_find(address, bytes);
  if (!allocation || !device_memory_reaches(thread->launch->device, allocation))
    return NULL;
  return remember(thread, allocation->address, allocation->address + allocation->size,
                  device_memory_shared(allocation));
}

// With HSA_XNACK=1 the device shares the host's page tables: it reaches all that the host may.
static bool shared_with_host(HostThread *thread, u64 address, u32 bytes, MemoryAction action) {
  HostMapping mapping;
  if (!settings()->xnack || device_memory_reserved(address) ||
      !host_memory_mapping(address, &mapping) || address + bytes > mapping.end ||
      (action != MEMORY_LOAD && !mapping.writable))
    return false;
  if (mapping.writable)
    remember(thread, mapping.begin, mapping.end, true);
  return true;
}

void access_forget(HostThread *thread) { memset(thread->ranges, 0, sizeof thread->ranges); }

static bool mapped_in_host(u64 address) {
  unsigned char resident;
  u64 page = (u64)sysconf(_SC_PAGESIZE);
  return mincore((void *)(address & ~(page - 1)), 1, &resident) == 0;
}

static const char *name_of(const Allocation *allocation) {
  return allocation->name ? allocation->name : "allocation";
}

// Where an address outside every live allocation lies.
static void describe_place(u64 address, u32 bytes, char *text, size_t size) {
  enum { NULL_PAGE = 65536 };
  const i64 far = 1ll << 30; // bytes; beyond it "the nearest allocation" says nothing
  i64 distance = 0;
  const Allocation *nearest = device_memory_nearest(address, &distance);
  if (address >> 32 == SHARED_APERTURE)
    snprintf(
        text, size,
        "which is in LDS; but the register alone, without the instruction's offset, is not, and "
        "by that the device takes it for global memory. Compilers before clang 22 make "
        "p[i + 1] so where p + i lies before the array");
  else if (address < NULL_PAGE)
    snprintf(text, size, "a null pointer%s", address ? " plus an offset" : "");
  else if (!nearest || distance < -far || distance > far)
    snprintf(text, size, "%s",
             mapped_in_host(address)
                 ? "which is host memory that the device cannot reach: copy it with hipMemcpy, or "
                   "allocate it with hipHostMalloc"
                 : "which lies in no allocation and near none");
  else {
    u64 end = nearest->address + nearest->size;
    const char *freed = nearest->live ? "" : "freed ";
    if (distance < 0)
      snprintf(text, size, "%llu bytes before the begin of", nearest->address - address + 0ull);
    else if (address == end)
      snprintf(text, size, "directly behind the end of");
    else if (address > end)
      snprintf(text, size, "%llu bytes behind the end of", address - end + 0ull);
    else if (nearest->live && address + bytes <= end)
      snprintf(text, size,
               "which only device %d reaches before hipDeviceEnablePeerAccess(%d, 0) on the "
               "kernel's, in",
               nearest->device, nearest->device);
    else if (nearest->live)
      snprintf(text, size, "%llu bytes too many at the end of", address + bytes - end + 0ull);
    else
      snprintf(text, size, "%llu bytes into", address - nearest->address + 0ull);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " the %s%s of %llu bytes at 0x%llx", freed, name_of(nearest),
             nearest->size + 0ull, nearest->address + 0ull);
  }
}

_Noreturn static void refuse(Wavefront *w, int lane, u64 address, u32 bytes, const char *verb) {
  char place[320];
  describe_place(address, bytes, place, sizeof place);
  wavefront_fault(w, FAULT_ADDRESS, lane, "%s %u bytes at address 0x%llx, %s", verb, bytes,
                  address + 0ull, place);
}

static const char *verb_of(MemoryAction action) {
  return action == MEMORY_LOAD ? "reads" : action == MEMORY_STORE ? "writes" : "updates";
}

// An address that lies in no allocation.
static void outside(Wavefront *w, int lane, u64 address, u32 bytes, MemoryAction action) {
  if (shared_with_host(w->thread, address, bytes, action))
    return;
  const bool of_other_device = device_memory_find(address, bytes);
  if (of_other_device || !device_memory_beyond(address, bytes) || settings()->sanitize)
    refuse(w, lane, address, bytes, verb_of(action));
  char place[320];
  describe_place(address, bytes, place, sizeof place);
  wavefront_notice(
      w, lane,
      "%s %u bytes at address 0x%llx, %s. The device maps whole pages, does not notice "
      "and goes on; EMULATOR_SANITIZE=1 ends the launch here",
      verb_of(action), bytes, address + 0ull, place);
}

void access_spread(Access *access) {
  FOR_LANES access->address[lane] =
      access->spans.base[lane / SPAN] + (u64)(lane % SPAN) * access->spans.stride;
}

bool access_whole_row(Wavefront *w, const Access *access) {
  u64 begin, end;
  spans_reach(&access->spans, ~0ull, access->bytes, &begin, &end);
  return !settings()->xnack && allowed(w->thread, begin, (u32)(end - begin));
}

// Memory from the first byte that active lanes access to behind the last one.
static void reach(const Access *access, u64 *begin, u64 *end) {
  if (access->regular) {
    spans_reach(&access->spans, access->lanes, access->bytes, begin, end);
    return;
  }
  if (few_lanes(access->lanes)) {
    u64 first = UINT64_MAX, last = 0;
    FOR_LANES_OF(access->lanes) {
      const u64 address = access->address[lane];
      first = address < first ? address : first;
      last = address > last ? address : last;
    }
    *begin = first;
    *end = last + access->bytes;
    return;
  }
  Eighth lowest = {0}, highest = {0};
  lowest = ~lowest;
  const int behind = spans_end(access->lanes);
  for (int lane = 0; lane < behind; lane += EIGHTH) {
    Eighth address, active;
    eighth_of(access, lane, &address, &active);
    const Eighth low = address | ~active, high = address & active;
    const Eighth lower = (Eighth)(low < lowest), higher = (Eighth)(high > highest);
    lowest = (low & lower) | (lowest & ~lower);
    highest = (high & higher) | (highest & ~higher);
  }
  *begin = lowest[0];
  *end = highest[0];
  for (int i = 1; i < EIGHTH; i++) {
    *begin = lowest[i] < *begin ? lowest[i] : *begin;
    *end = highest[i] > *end ? highest[i] : *end;
  }
  *end += access->bytes;
}

void access_check(Wavefront *w, Access *access, MemoryAction action) {
  u64 begin, end;
  reach(access, &begin, &end);
  const AddressRange *range =
      end - begin <= UINT32_MAX ? allowed(w->thread, begin, (u32)(end - begin)) : NULL;
  access->shared = !range || range->shared;
  if (range)
    return;
  if (access->regular)
    access_spread(access);
  FOR_LANES if ((access->lanes >> lane & 1) &&
                !allowed(w->thread, access->address[lane], access->bytes))
      outside(w, lane, access->address[lane], access->bytes, action);
}

void scalar_access_check(Wavefront *w, u64 address, u32 bytes) {
  const Allocation *beyond =
      allowed(w->thread, address, bytes) ? NULL : device_memory_beyond(address, bytes);
  if (!allowed(w->thread, address, bytes) && !(beyond && address - beyond->address < beyond->size))
    outside(w, -1, address, bytes, MEMORY_LOAD);
}

u32 lds_access_check(Wavefront *w, int lane, u64 byte, u32 bytes, MemoryAction action) {
  const u32 asked = w->thread->launch->lds_bytes, allocated = w->group->lds_bytes;
  const bool speculative = action == MEMORY_LOAD && byte + bytes > allocated;
  if (byte + bytes <= asked)
    return (u32)byte;
  if (allocated == 0)
    wavefront_fault(w, FAULT_LDS, lane,
                    "%s %u bytes at LDS address %llu, but the kernel declares no __shared__ memory "
                    "and the launch asks for no dynamic shared memory",
                    verb_of(action), bytes, byte + 0ull);
  if ((byte + bytes > allocated && !speculative) || settings()->sanitize)
    wavefront_fault(
        w, FAULT_LDS, lane,
        "%s %u bytes at LDS address %llu, which end %llu bytes beyond the %u bytes that "
        "the workgroup has (static and dynamic shared memory)",
        verb_of(action), bytes, byte + 0ull, byte + bytes - asked + 0ull, asked);
  wavefront_notice(w, lane,
                   "%s %u bytes at LDS address %llu, which end %llu bytes beyond the %u bytes that "
                   "the workgroup asked for. The device gives %u, %s and goes on; "
                   "EMULATOR_SANITIZE=1 ends the launch here",
                   verb_of(action), bytes, byte + 0ull, byte + bytes - asked + 0ull, asked,
                   allocated, speculative ? "reads 0 behind them" : "does not notice");
  return speculative ? DEVICE_LDS_BYTES : (u32)byte;
}

// ---- what the address unit (TA) and the vector L1 (TCP) see ----

enum { QUAD = 4, COALESCED = 16 }; // lanes that one step of the address unit takes

// 64 B lines of one wave instruction, in the order of its lanes.
typedef struct {
  u64 number[2 * LANES];
  u64 bytes[2 * LANES]; // which bytes of the line are accessed, a bit each
  u8 lookups[2 * LANES];
  int count;
} Lines;

static u64 byte_mask(u64 begin, u64 end) { // of a line; 0 <= begin < end <= 64
  return (~0ull >> (64 - (end - begin))) << begin;
}

// Adds bytes [begin, end) of memory, all in one line, to the lines from `from` on; a line not among
// them is appended.
static void add_bytes(Lines *lines, int from, u64 begin, u64 end) {
  u64 number = begin / DEVICE_L1_LINE,
      mask = byte_mask(begin % DEVICE_L1_LINE, end - number * DEVICE_L1_LINE);
  for (int i = lines->count - 1; i >= from; i--) // neighbours repeat: the newest is the likeliest
    if (lines->number[i] == number) {
      lines->bytes[i] |= mask;
      return;
    }
  lines->number[lines->count] = number;
  lines->lookups[lines->count] = 1;
  lines->bytes[lines->count++] = mask;
}

static void add_lane(Lines *lines, int from, u64 address, u32 bytes) {
  u64 end = address + bytes, border = (address / DEVICE_L1_LINE + 1) * DEVICE_L1_LINE;
  add_bytes(lines, from, address, end < border ? end : border);
  if (end > border)
    add_bytes(lines, from, border, end);
}

// Whether these lanes are all accessed and lie side by side, or all at one address.
static bool side_by_side(const Access *access, int begin, int width) {
  u64 lanes = ((1ull << width) - 1) << begin, first = access->address[begin],
      stride = access->address[begin + 1] - first;
  if ((access->lanes & lanes) != lanes || (stride != 0 && stride != access->bytes))
    return false;
  for (int i = 2; i < width; i++)
    if (access->address[begin + i] != first + (u64)i * stride)
      return false;
  return true;
}

// Accesses of up to 4 B coalesce over 16 lanes, wider ones over quads.
static int step_width(const Access *access, int lane) {
  bool coalesced =
      access->bytes <= 4 && lane % COALESCED == 0 && side_by_side(access, lane, COALESCED);
  return coalesced ? COALESCED : QUAD;
}

// Joins the line at the end with an earlier one of the same number: stores leave as one request per
// line, loads of neighbouring steps find the line they have just looked up.
static void join_last(Lines *lines, int before, bool store) {
  int last = lines->count - 1, lowest = store ? 0 : before - 1;
  for (int i = before - 1; i >= 0 && i >= lowest; i--)
    if (lines->number[i] == lines->number[last]) {
      lines->lookups[i] += lines->lookups[last];
      lines->bytes[i] |= lines->bytes[last];
      lines->count--;
      return;
    }
}

// ---- how long the address unit and the L1 take for it ----

enum { TAG_BANKS = 4, DATA_BANKS = 8, WORD = 8 };

// Different things that a quad wants of each bank; a bank serves one a clk.
typedef struct {
  u64 item[DATA_BANKS][QUAD];
  u32 count[DATA_BANKS];
} Banks;

static u32 ask(Banks *banks, u64 bank, u64 item) { // returns how many the bank has to serve now
  u64 *items = banks->item[bank];
  u32 count = banks->count[bank];
  for (u32 i = 0; i < count; i++)
    if (items[i] == item)
      return count;
  items[count] = item;
  return banks->count[bank] = count + 1;
}

// Clocks of four lanes, `apart` from each other. Tags lie in 4 banks by the line's number, data in 8
// banks of 8 B by the place in the line. Lanes that need different lines of one tag bank, or
// different words of one data bank, take turns. These rules give all strides that RRZE's gpu-strides
// measured on an MI210 as long as nothing misses (docs/memory-model.md).
static u64 quad_clocks(const Access *access, int begin, int apart) {
  if (apart == 1 && side_by_side(access, begin, QUAD))
    return 1;
  Banks tags, data;
  memset(tags.count, 0, sizeof tags.count);
  memset(data.count, 0, sizeof data.count);
  u32 most = 1;
  for (int lane = begin; lane < begin + QUAD * apart; lane += apart) {
    if (!(access->lanes >> lane & 1))
      continue;
    u64 last = access->address[lane] + access->bytes - 1;
    for (u64 word = access->address[lane] / WORD; word <= last / WORD; word++) {
      u64 line = word * WORD / DEVICE_L1_LINE;
      u32 in_tags = ask(&tags, line % TAG_BANKS, line),
          in_data = ask(&data, word % DATA_BANKS, word);
      u32 more = in_tags > in_data ? in_tags : in_data;
      most = more > most ? more : most;
    }
  }
  return most;
}

// Clocks of 16 lanes with up to 4 B each: one where all lie side by side, on one line or two, and so
// on for halves and quarters. Other lanes go in fours, every fourth of them together.
static u64 window_clocks(const Access *access, int begin) {
  for (int width = COALESCED; width >= QUAD; width /= 2) {
    int group = begin;
    while (group < begin + COALESCED && side_by_side(access, group, width))
      group += width;
    if (group == begin + COALESCED)
      return (u64)(COALESCED / width);
  }
  u64 clocks = 0;
  for (int lane = begin; lane < begin + COALESCED / QUAD; lane++)
    clocks += quad_clocks(access, lane, COALESCED / QUAD);
  return clocks;
}

static u64 scattered_clocks(const Access *access) {
  u64 clocks = 0;
  if (access->bytes <= 4)
    for (int lane = 0; lane < LANES; lane += COALESCED)
      clocks += window_clocks(access, lane);
  else
    for (int lane = 0; lane < LANES; lane += QUAD)
      clocks += quad_clocks(access, lane, 1);
  return clocks;
}

// ---- one instruction, step by step ----

// One step looks up each line that its lanes touch once.
static void step(const Access *access, int begin, int width, bool store, Lines *lines) {
  Lines here;
  here.count = 0;
  for (int lane = begin; lane < begin + width; lane++)
    if (access->lanes >> lane & 1)
      add_lane(&here, 0, access->address[lane], access->bytes);
  for (int i = 0; i < here.count; i++) {
    int before = lines->count;
    lines->number[before] = here.number[i];
    lines->bytes[before] = here.bytes[i];
    lines->lookups[before] = 1;
    lines->count++;
    join_last(lines, before, store);
  }
}

// 64 lanes side by side: a step is simply a range of bytes.
static void step_contiguous(const Access *access, Lines *lines) {
  u64 first = access->spans.base[0], end = first + LANES * access->bytes;
  u64 width = (access->bytes > 4 ? QUAD : COALESCED) * access->bytes;
  for (u64 line = first / DEVICE_L1_LINE; line <= (end - 1) / DEVICE_L1_LINE; line++) {
    u64 begin = line * DEVICE_L1_LINE, stop = begin + DEVICE_L1_LINE;
    begin = begin < first ? first : begin;
    stop = stop > end ? end : stop;
    lines->number[lines->count] = line;
    lines->bytes[lines->count] = byte_mask(begin % DEVICE_L1_LINE, stop - line * DEVICE_L1_LINE);
    lines->lookups[lines->count++] = (u8)((stop - 1 - first) / width - (begin - first) / width + 1);
  }
}

// Atomics: one look-up and one L2 request per lane, even to one address. Lanes that follow each
// other on a line share a word of the trace.
static void step_atomic(const Access *access, Lines *lines) {
  for (int lane = 0; lane < LANES; lane++) {
    if (!(access->lanes >> lane & 1))
      continue;
    int before = lines->count;
    u64 number = access->address[lane] / DEVICE_L1_LINE;
    add_lane(lines, before, access->address[lane], access->bytes);
    if (before > 0 && lines->number[before - 1] == number)
      join_last(lines, before, false);
  }
}

// 32 B sectors of a line of which any byte, or every byte, is accessed.
static unsigned sectors_touched(u64 bytes) {
  return ((u32)bytes != 0) | (unsigned)(bytes >> 32 != 0) << 1;
}
static unsigned sectors_full(u64 bytes) {
  return ((u32)bytes == UINT32_MAX) | (unsigned)(bytes >> 32 == UINT32_MAX) << 1;
}

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

// For the report by source line.
static void keep_for_report(const Wavefront *w, const Lines *lines, u64 first) {
  MemoryProfile *profile = &w->thread->memory[w->in->id];
  count_distinct(profile, lines);
  if (!profile->sample && is_sampled(w))
    profile->sample = first;
}

// ---- what an instruction does to the address unit and the L1 ----

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
  Lines lines;         // numbers from the begin of the ALIGNED bytes
  u64 steps, lookups, clocks;
};

// All 64 lanes, each right behind the one before.
static bool contiguous(const Access *access) {
  return access->regular && access->spans.even && access->spans.stride == access->bytes &&
         access->lanes == ~0ull;
}

static void compute(Footprint *to, const Access *access) {
  Lines *lines = &to->lines;
  lines->count = 0;
  to->steps = LANES / QUAD;
  to->lookups = 0;
  if (to->action == MEMORY_ATOMIC) {
    step_atomic(access, lines);
  } else if (contiguous(access)) { // which never meet in a bank
    step_contiguous(access, lines);
    to->clocks = to->steps = access->bytes > 4 ? LANES / QUAD : LANES / COALESCED;
  } else {
    to->steps = 0;
    for (int lane = 0, width; lane < LANES; lane += width, to->steps++)
      step(access, lane, width = step_width(access, lane), to->action == MEMORY_STORE, lines);
    to->clocks = to->timed ? scattered_clocks(access) : 0;
  }
  for (int i = 0; i < lines->count; i++)
    to->lookups += lines->lookups[i];
  if (to->action == MEMORY_ATOMIC)
    to->clocks = to->lookups;
}

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
  compute(kept, access);
  for (int i = 0; i < kept->lines.count; i++)
    kept->lines.number[i] -= (first - kept->place) / DEVICE_L1_LINE;
  return kept;
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

// Lines on which the bytes of each lane begin and end; NO_LINE where a lane accesses nothing.
#define NO_LINE UINT64_MAX
typedef struct {
  u64 first[LANES], last[LANES];
  bool crossed; // somewhere they differ
} LinesOfLanes;

// Different lines of four lanes.
static u64 distinct_lines(const LinesOfLanes *lines, int begin) {
  const u64 *at = &lines->first[begin], *end = &lines->last[begin];
  const u64 a = at[0], b = at[1], c = at[2], d = at[3];
  u64 count = (a != NO_LINE) + (b != NO_LINE && b != a) + (c != NO_LINE && c != a && c != b) +
              (d != NO_LINE && d != a && d != b && d != c);
  for (int i = 0; lines->crossed && i < QUAD; i++) {
    bool seen = end[i] == a || end[i] == b || end[i] == c || end[i] == d;
    for (int k = 0; k < i; k++)
      seen = seen || end[k] == end[i];
    count += !seen;
  }
  return count;
}

// The same of few lanes, of which no step takes 16: for each quad that has one, from line to line
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

static void count_crossing_load(InstructionProfile *profile, const Access *access) {
  LinesOfLanes lines;
  u64 apart = 0, steps = 0, lookups = 0;
  const int end = spans_end(access->lanes);
  for (int lane = 0; lane < end; lane++) {
    const u64 address = access->address[lane], inactive = (access->lanes >> lane & 1) - 1;
    lines.first[lane] = address / DEVICE_L1_LINE | inactive;
    lines.last[lane] = (address + access->bytes - 1) / DEVICE_L1_LINE | inactive;
    apart |= lines.first[lane] ^ lines.last[lane];
  }
  lines.crossed = apart;
  steps = (u64)(LANES - end) / QUAD;
  for (int lane = 0, width; lane < end; lane += width, steps++) {
    width = step_width(access, lane);
    lookups += width == QUAD ? distinct_lines(&lines, lane)
                             : 1 + (lines.first[lane] != lines.last[lane + COALESCED - 1]);
  }
  profile->pixels += QUAD * steps;
  profile->tag_lookups += lookups;
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

// Counts active lanes of two quads that are the first of theirs on a line.
static void count_new_lines(const Access *access, int begin, Eighth *count) {
  const Eighth not_first = {0, ~0ull, ~0ull, ~0ull, 0, ~0ull, ~0ull, ~0ull};
  Eighth address, active;
  eighth_of(access, begin, &address, &active);
  const Eighth line = address / DEVICE_L1_LINE | ~active;
  const Eighth seen =
      (Eighth)(line == __builtin_shufflevector(line, line, 0, 0, 1, 2, 4, 4, 5, 6)) |
      (Eighth)(line == __builtin_shufflevector(line, line, 0, 0, 0, 1, 4, 4, 4, 5)) |
      (Eighth)(line == __builtin_shufflevector(line, line, 0, 0, 0, 0, 4, 4, 4, 4));
  *count -= active & ~(seen & not_first);
}

// A load of which nobody wants more than counters: its steps and look-ups, without which bytes of
// which line.
static void count_scattered_load(InstructionProfile *profile, const Access *access) {
  if (few_lanes(access->lanes)) {
    profile->pixels += LANES;
    profile->tag_lookups += lines_of_few(access);
    return;
  }
  if (crosses_line(access)) {
    count_crossing_load(profile, access);
    return;
  }
  u64 steps = 0, lookups = 0;
  Eighth lines = {0};
  for (int lane = 0; lane < LANES; lane += COALESCED) {
    if (step_width(access, lane) == COALESCED) {
      steps++;
      lookups += 1 + (access->address[lane] / DEVICE_L1_LINE !=
                      access->address[lane + COALESCED - 1] / DEVICE_L1_LINE);
    } else {
      steps += COALESCED / QUAD;
      count_new_lines(access, lane, &lines);
      count_new_lines(access, lane + EIGHTH, &lines);
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

// Addresses that are not even hardly come twice, so that what they do is not worth keeping.
static bool counted_as_load(Wavefront *w, Access *access, MemoryAction action) {
  if (!w->trace.off || w->thread->memory || action != MEMORY_LOAD)
    return false;
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  if (access->regular && access->lanes == ~0ull && access->spans.stride <= DEVICE_L1_LINE) {
    count_load_of_spans(profile, access);
    return true;
  }
  if (access->regular && access->spans.even)
    return false;
  if (access->regular)
    access_spread(access);
  count_scattered_load(profile, access);
  return true;
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

void access_count(Wavefront *w, Access *access, MemoryAction action) {
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  if (!access->lanes)
    return;
  profile->executed_active++;
  profile->global_bytes +=
      access->scratch ? 0 : (u64)__builtin_popcountll(access->lanes) * access->bytes;
  if (counted_as_lone(w, access, action) || counted_as_load(w, access, action))
    return;
  u64 first =
      access->regular ? access->spans.base[0] : access->address[__builtin_ctzll(access->lanes)];
  const Footprint *print = footprint(w, access, action, first);
  const Lines *lines = &print->lines;
  profile->pixels += QUAD * print->steps;
  profile->tag_lookups += print->lookups;
  profile->l2_requests += action == MEMORY_ATOMIC  ? print->lookups
                          : action == MEMORY_STORE ? (u64)lines->count
                                                   : 0;
  if (w->thread->memory)
    keep_for_report(w, lines, first);
  static const AccessKind kind[] = {
      [MEMORY_LOAD] = ACCESS_LOAD, [MEMORY_STORE] = ACCESS_STORE, [MEMORY_ATOMIC] = ACCESS_ATOMIC};
  trace_lines(w, lines, (first - print->place) / DEVICE_L1_LINE,
              (TraceAccess){.instruction = w->in->id,
                            .kind = (u8)kind[action],
                            .clocks = (u8)print->clocks,
                            .stream = w->in->glc && w->in->slc && action != MEMORY_ATOMIC,
                            .scratch = access->scratch});
}

static __attribute__((noinline)) void count_block(Wavefront *w, u64 begin, u32 bytes,
                                                  MemoryAction action) {
  const u64 step = SPAN * (u64)bytes;
  Access access;
  access.spans = (Spans){.base = {begin, begin + step, begin + 2 * step, begin + 3 * step},
                         .stride = bytes,
                         .even = true};
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
  if (!access_seen(w->thread, begin, end) || (w->exec != ~0ull && settings()->xnack))
    return false;
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
