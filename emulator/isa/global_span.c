// Loads from global memory that translated code leaves: see global_span.h.
#include "global_span.h"

#include "memory_address.h"

static void keep_fault(Wavefront *w, const Instruction *in, int lane, u64 address, u32 bytes) {
  LateFault *late = &w->thread->late;
  if (!late->in || in < late->in || (in == late->in && lane < late->lane))
    *late = (LateFault){.in = in, .address = address, .bytes = bytes, .lane = lane};
}

_Noreturn void global_fault(Wavefront *w) {
  const LateFault late = w->thread->late;
  w->thread->late.in = NULL;
  w->in = late.in;
  access_refuse(w, late.lane, late.address, late.bytes, MEMORY_LOAD);
}

// Tells of lanes that are not aligned.
static __attribute__((noinline)) void tell_alignment(Wavefront *w, const u64 *address, u32 first,
                                                     u32 bytes) {
  Access access = {.lanes = w->exec & ((1ull << SPAN) - 1) << first, .bytes = bytes};
  memcpy(&access.address[first], address, SPAN * sizeof *address);
  memory_require_alignment(w, &access, MEMORY_LOAD);
}

static inline __attribute__((always_inline)) void load_lane(u64 address, u32 bytes, u32 form,
                                                            u32 lane, u8 *row) {
  const u32 size = form & SPAN_OF_PAIRS ? 8 : 4;
  if (bytes < 4) {
    u32 value = 0;
    memcpy(&value, (const void *)address, bytes);
    const u32 unused = 32 - 8 * bytes;
    value = form & SPAN_HAS_SIGN ? (u32)((i32)(value << unused) >> unused) : value;
    memcpy(row + lane * size, &value, sizeof value);
    return;
  }
  for (u32 part = 0; part < bytes; part += size)
    memcpy(row + part * SPAN + lane * size, (const void *)(address + part), size);
}

static inline __attribute__((always_inline)) void load_lanes(const u64 *address, u32 bytes,
                                                             u32 form, u8 *row) {
  for (u32 lane = 0; lane < SPAN; lane++)
    load_lane(address[lane], bytes, form, lane, row);
}

static void keep_range(Wavefront *w, const Instruction *in, const AddressRange *seen) {
  w->thread->spans_met[in->id % SPANS_MET] = (SpanRange){seen->begin, seen->end - seen->begin};
}

// All of the span in one live allocation. False if it is not.
static bool load_near(Wavefront *w, const Instruction *in, const u64 *address, u8 *row, u32 bytes,
                      u32 form) {
  u64 lowest = address[0], highest = address[0];
  for (u32 lane = 1; lane < SPAN; lane++) {
    lowest = address[lane] < lowest ? address[lane] : lowest;
    highest = address[lane] > highest ? address[lane] : highest;
  }
  const AddressRange *seen = highest - lowest <= UINT32_MAX - bytes
                                 ? access_range(w->thread, lowest, (u32)(highest - lowest) + bytes)
                                 : NULL;
  if (!seen)
    return false;
  if (bytes == 4) // constants, so that no lane takes a loop
    load_lanes(address, 4, 0, row);
  else if (bytes == 8 && form == SPAN_OF_PAIRS)
    load_lanes(address, 8, SPAN_OF_PAIRS, row);
  else if (bytes == 16 && form == SPAN_OF_PAIRS)
    load_lanes(address, 16, SPAN_OF_PAIRS, row);
  else
    load_lanes(address, bytes, form, row);
  keep_range(w, in, seen);
  return true;
}

// Lanes that are off go where the first does that is on.
static void send_along(u64 *address, u32 active) {
  const u64 first = address[__builtin_ctz(active)];
  for (u32 lane = 0; lane < SPAN; lane++)
    address[lane] = active >> lane & 1 ? address[lane] : first;
}

void global_load_span(Wavefront *w, const Instruction *in, u64 *address, u8 *row, u32 first,
                      u32 bytes_and_form) {
  const u32 bytes = bytes_and_form % SPAN_HAS_SIGN, form = bytes_and_form - bytes,
            active = (u32)(w->exec >> first) & ((1u << SPAN) - 1);
  u64 low = 0;
  w->in = in;
  send_along(address, active);
  for (u32 lane = 0; lane < SPAN; lane++)
    low |= address[lane];
  if (low & ((bytes > 4 ? 4 : bytes) - 1))
    tell_alignment(w, address, first, bytes);
  if (load_near(w, in, address, row, bytes, form))
    return;
  memset(row, 0, SPAN * (bytes > 4 ? bytes : 4));
  for (u32 lane = 0; lane < SPAN; lane++)
    if (!(active >> lane & 1))
      continue;
    else if (access_tolerated(w, (int)(first + lane), address[lane], bytes, MEMORY_LOAD))
      load_lane(address[lane], bytes, form, lane, row);
    else
      keep_fault(w, in, (int)(first + lane), address[lane], bytes);
}

// Where the first lane goes that is on.
static u64 first_place(const Wavefront *w, const Instruction *in) {
  const int lane = __builtin_ctzll(w->exec);
  const u64 low = w->vgpr[in->a.index][lane];
  return (in->b.kind == OPERAND_NONE ? (u64)w->vgpr[in->a.index + 1][lane] << 32 | low
                                     : scalar_u64(w, &in->b) + low) +
         (u64)(i64)in->offset;
}

void global_access_any(Wavefront *w, const Instruction *in) {
  in->execute(w, in);
  const AddressRange *seen = w->exec ? access_range(w->thread, first_place(w, in), 1) : NULL;
  if (seen)
    keep_range(w, in, seen);
}

void global_access_few(Wavefront *w, const Instruction *in) {
  if (__builtin_popcountll(w->exec) <= GLOBAL_FEW)
    global_access_any(w, in);
  else
    in->execute(w, in);
}
