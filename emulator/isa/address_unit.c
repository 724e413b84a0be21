// What the address unit makes of an instruction: see address_unit.h.
#include "address_unit.h"

// ---- lines ----

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

// All 64 lanes, each right behind the one before.
static bool contiguous(const Access *access) {
  return access->regular && access->spans.even && access->spans.stride == access->bytes &&
         access->lanes == ~0ull;
}

void address_unit_steps(const Access *access, MemoryAction action, bool timed, AddressSteps *to) {
  Lines *lines = &to->lines;
  lines->count = 0;
  to->steps = LANES / QUAD;
  to->lookups = 0;
  if (action == MEMORY_ATOMIC) {
    step_atomic(access, lines);
  } else if (contiguous(access)) { // which never meet in a bank
    step_contiguous(access, lines);
    to->clocks = to->steps = access->bytes > 4 ? LANES / QUAD : LANES / COALESCED;
  } else {
    to->steps = 0;
    for (int lane = 0, width; lane < LANES; lane += width, to->steps++)
      step(access, lane, width = step_width(access, lane), action == MEMORY_STORE, lines);
    to->clocks = timed ? scattered_clocks(access) : 0;
  }
  for (int i = 0; i < lines->count; i++)
    to->lookups += lines->lookups[i];
  if (action == MEMORY_ATOMIC)
    to->clocks = to->lookups;
}
