// LDS: loads, stores and atomics of the workgroup's local memory. Rows in instructions_lds.def.
//
// In: byte addresses in a VGPR. LDS works in unaligned mode, as amdhsa sets it: plain accesses may
// begin at any byte, atomics must be naturally aligned. Lanes take effect in ascending order.
#include "instruction_table.h"
#include "lds_pattern.h"
#include "sanitizer.h"
#include "vector_access.h"
#include "vector_math.h"

typedef int8_t i8;

// ---- addresses ----

// A lane's place is at byte[lane] + move, modulo 2^32.
typedef struct {
  const u32 *byte;
  u32 move;
  const LdsPattern *pattern; // in which active lanes lie; NULL: lane by lane
  u32 clocks;                // that the banks take
  bool inside;               // all of them, of what the workgroup asked for
  u32 directed[LANES];       // where active lanes go instead if they are not
} Addresses;

static inline u32 place_of(const Addresses *addresses, int lane) {
  return addresses->byte[lane] + addresses->move;
}

static bool all_inside(const Wavefront *w, const Addresses *addresses, u32 bytes) {
  const LdsPattern *pattern = addresses->pattern;
  const u32 asked = w->thread->launch->lds_bytes;
  if (pattern) {
    const u32 begin = place_of(addresses, __builtin_ctzll(w->exec)) + pattern->lowest;
    return begin <= asked && (u64)pattern->reach + bytes <= asked - begin;
  }
  bool outside = false;
  FOR_LANES_OF(w->exec) outside |= (u64)place_of(addresses, lane) + bytes > asked;
  return !outside;
}

// Every active lane's bytes lie in what the workgroup asked for, or it is told where they go.
static __attribute__((noinline)) void direct(Wavefront *w, const Instruction *in,
                                             Addresses *addresses, u32 bytes) {
  FOR_LANES addresses->directed[lane] = place_of(addresses, lane);
  FOR_LANES_OF(w->exec) {
    u32 *byte = &addresses->directed[lane];
    *byte = lds_access_check(w, lane, *byte, bytes, in->info->action);
  }
  addresses->pattern = NULL;
  addresses->byte = addresses->directed;
  addresses->move = 0;
}

static inline void check_bounds(Wavefront *w, const Instruction *in, Addresses *addresses,
                                u32 bytes) {
  addresses->inside = all_inside(w, addresses, bytes);
  if (__builtin_expect(!addresses->inside, 0))
    direct(w, in, addresses, bytes);
}

// Spans of a pattern that all lanes have; false if they lie otherwise.
static bool spans_of_pattern(const Addresses *addresses, Spans *spans) {
  enum { ALL_SPANS = (1 << SPANS) - 1, FARTHEST = 4096 };
  const LdsPattern *pattern = addresses->pattern;
  if (!pattern || pattern->whole != ALL_SPANS || pattern->stride > FARTHEST)
    return false;
  const u64 step = SPAN * (u64)pattern->stride;
  SpanBases apart = {0, step, 2 * step, 3 * step};
  spans->stride = pattern->stride;
  spans->base = (SpanBases){place_of(addresses, 0), place_of(addresses, SPAN),
                            place_of(addresses, 2 * SPAN), place_of(addresses, 3 * SPAN)};
  apart ^= spans->base - spans->base[0];
  spans->even = !(apart[1] | apart[2] | apart[3]);
  return true;
}

static void show_sanitizer(Wavefront *w, const Addresses *addresses, u32 bytes) {
  Access all;
  u32 byte[LANES] __attribute__((aligned(64)));
  const bool may_be_regular = addresses->inside && w->in->info->action != MEMORY_ATOMIC;
  all.bytes = bytes;
  all.scratch = false;
  all.regular = may_be_regular && spans_of_pattern(addresses, &all.spans);
  if (!all.regular) {
    FOR_LANES byte[lane] = place_of(addresses, lane);
    all.regular = may_be_regular && spans_of(w, byte, NULL, bytes, &all.spans) &&
                  all.spans.base[0] <= w->thread->launch->lds_bytes;
  }
  if (all.regular)
    all.spans.base += (u64)w->group->lds;
  else
    FOR_LANES all.address[lane] = (u64)w->group->lds + byte[lane];
  sanitizer_touch(w, &all, w->exec);
}

static void check_alignment(Wavefront *w, const Addresses *addresses, u32 bytes) {
  u32 bits = 0;
  expand_exec(w);
  FOR_LANES bits |= place_of(addresses, lane) & w->exec_lanes[lane];
  if (bits % bytes == 0)
    return;
  FOR_LANES_OF(w->exec)
  if (place_of(addresses, lane) % bytes)
    wavefront_fault(w, FAULT_LDS, lane,
                    "an LDS atomic of %u bytes at address %u, which is no multiple of %u: "
                    "misaligned atomics are not possible",
                    bytes, place_of(addresses, lane), bytes);
}

// Only LDS is modelled; global data share (GDS) is out of HIP's reach.
static void refuse_gds(Wavefront *w, const Instruction *in) {
  if (in->gds)
    wavefront_fault(w, FAULT_GAP, -1,
                    "%s works on the global data share (gds), which the emulator does not model",
                    in->info->mnemonic);
}

// ---- time ----

// Two SIMDs share a port of 64 B a clk in each direction: 64 addresses, or a dword of 64 lanes, take a
// quad-cycle. What is stored follows its address, what is loaded comes back while the next addresses
// go in (ROCm Compute Profiler, pipeline descriptions: stores of 4 B take 8 clk, of 16 B 20).
static u32 port_quads(const Instruction *in, u32 words) {
  return in->info->action == MEMORY_LOAD ? words : 1 + words;
}

static u32 words_of(u32 bytes) { return bytes > 4 ? bytes / 4 : 1; }

static inline void count_clocks(Wavefront *w, u32 clocks, u32 bytes) {
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  const u32 words = words_of(bytes), lanes = lds_lanes_at_once(words);
  profile->lds_clocks += clocks;
  profile->lds_conflicts += clocks - (u32)(LANES / lanes);
  if (!w->trace.off)
    trace_event(&w->trace, EVENT_LDS, trace_lds(clocks, port_quads(w->in, words)));
}

// What so few lanes access is looked at lane by lane: their patterns hardly come again.
static bool goes_by_lane(u64 lanes, u32 words) {
  enum { FEW_WORDS = 16 };
  return (u32)__builtin_popcountll(lanes) * words <= FEW_WORDS;
}

// Translated code makes of it what it calls.
static __attribute__((noinline)) void note_lanes(Wavefront *w, const Instruction *in, u8 met) {
  __atomic_or_fetch(&program_slot(w->thread->program, in)->lanes_met, met, __ATOMIC_RELAXED);
}

// What a register and the offset make of all lanes, and how the active ones lie to each other.
static inline __attribute__((always_inline)) void
form_addresses(Wavefront *w, const Instruction *in, u32 offset, u32 bytes, Row *ra, Addresses *to) {
  const u32 words = words_of(bytes);
  to->byte = source(w, in, &in->a, TYPE_u32, ra);
  to->move = offset;
  to->pattern = NULL;
  refuse_gds(w, in);
  if (goes_by_lane(w->exec, words)) {
    to->clocks = traffic_wanted(w) ? lds_clocks_of_few(w, w->exec, to->byte, offset, words) : 0;
    return;
  }
  to->pattern = lds_pattern_of(w, to->byte, offset, words);
  to->clocks = to->pattern ? to->pattern->clocks : lds_clocks(w, w->exec, to->byte, offset, words);
  const u8 met = to->pattern ? to->pattern->met : LANES_OTHER;
  if (w->exec == ~0ull && !(__atomic_load_n(&in->lanes_met, __ATOMIC_RELAXED) & met))
    note_lanes(w, in, met);
}

// Their bounds are checked, and they are counted.
static inline __attribute__((always_inline)) void touch(Wavefront *w, const Instruction *in,
                                                        u32 bytes, Addresses *to) {
  check_bounds(w, in, to, bytes);
  if (__builtin_expect(!to->inside, 0))
    to->clocks = lds_clocks(w, w->exec, to->byte, to->move, words_of(bytes));
  if (traffic_wanted(w))
    count_clocks(w, to->clocks, bytes);
  if (__builtin_expect(w->shadow != NULL, 0))
    show_sanitizer(w, to, bytes);
}

static inline __attribute__((always_inline)) void
addresses_of(Wavefront *w, const Instruction *in, u32 offset, u32 bytes, Row *ra, Addresses *to) {
  form_addresses(w, in, offset, bytes, ra, to);
  touch(w, in, bytes, to);
}

// Forms with two addresses have two offsets of 8 bits in the place of one of 16. They count whole
// elements, so lanes lie to each other alike at both places.
static inline __attribute__((always_inline)) void addresses_of_both(Wavefront *w,
                                                                    const Instruction *in,
                                                                    u32 bytes, u32 stride, Row *ra,
                                                                    Addresses place[2]) {
  const u32 first = (u32)in->offset & 0xff, second = (u32)in->offset >> 8;
  form_addresses(w, in, first * stride, bytes, ra, &place[0]);
  place[1].byte = place[0].byte;
  place[1].move = second * stride;
  place[1].pattern = place[0].pattern;
  place[1].clocks = place[0].clocks;
  touch(w, in, bytes, &place[0]);
  touch(w, in, bytes, &place[1]);
}

static inline __attribute__((always_inline)) void
atomic_addresses_of(Wavefront *w, const Instruction *in, u32 bytes, Row *ra, Addresses *to) {
  form_addresses(w, in, (u32)in->offset, bytes, ra, to);
  check_alignment(w, to, bytes);
  touch(w, in, bytes, to);
}

// Whether all active lanes are at one place.
static bool all_at_one(const Addresses *addresses) {
  return addresses->pattern && addresses->pattern->reach == 0;
}

// The spans that move as blocks of elements of so many bytes, a bit each.
static u32 blocks_of(const Addresses *addresses, u32 bytes) {
  const LdsPattern *pattern = addresses->pattern;
  return pattern && pattern->stride == bytes ? pattern->whole : 0;
}
enum { ALL_SPANS = (1 << SPANS) - 1 };
static u64 lanes_of_span(int s) { return ((1ull << SPAN) - 1) << SPAN * s; }

// ---- data ----

// Active lanes of rows of registers from LDS. One of the rows may have the addresses.
static inline __attribute__((always_inline)) void
read_words(const Wavefront *w, const Addresses *from, int words, u32 *row) {
  const u8 *lds = w->group->lds;
  const LdsPattern *pattern = from->pattern;
  const u32 whole = pattern ? pattern->whole : 0;
  if (whole == ALL_SPANS) {
    const Spans spans = {.base = {place_of(from, 0), place_of(from, SPAN), place_of(from, 2 * SPAN),
                                  place_of(from, 3 * SPAN)},
                         .stride = pattern->stride};
    rows_of_spans(&spans, (u64)lds, words, row);
    return;
  }
  u64 lanes = w->exec;
  for (int s = 0; whole && s < SPANS; s++)
    if (whole >> s & 1) {
      rows_of_span(lds + place_of(from, SPAN * s), pattern->stride, words, row + SPAN * s);
      lanes &= ~lanes_of_span(s);
    }
  FOR_LANES_OF(lanes) {
    const u8 *place = lds + place_of(from, lane);
    for (int i = 0; i < words; i++)
      memcpy(&row[lane + i * LANES], place + 4 * i, 4);
  }
}

static inline __attribute__((always_inline)) void write_lanes(u64 lanes, const u32 *row, int words,
                                                              const Addresses *to, u8 *lds) {
  FOR_LANES_OF(lanes) {
    for (int i = 0; i < words; i++)
      memcpy(lds + place_of(to, lane) + 4 * i, &row[lane + i * LANES], 4);
  }
}

// Span after span, because of lanes at one place the last one stays.
static inline __attribute__((always_inline)) void write_words(Wavefront *w, const Operand *operand,
                                                              const Addresses *to, int words) {
  u8 *lds = w->group->lds;
  const u32 *row = w->vgpr[operand->index], blocks = blocks_of(to, 4 * (u32)words);
  if (!blocks) {
    write_lanes(w->exec, row, words, to, lds);
    return;
  }
  for (int s = 0; s < SPANS; s++)
    if (blocks >> s & 1)
      block_of_rows(row + SPAN * s, words, lds + place_of(to, SPAN * s));
    else
      write_lanes(w->exec & lanes_of_span(s), row, words, to, lds);
}

static inline __attribute__((always_inline)) void do_read2(Wavefront *w, const Instruction *in,
                                                           int words, u32 stride) {
  Row ra;
  Addresses from[2];
  u32 *row = w->vgpr[in->d.index], byte[LANES] __attribute__((aligned(64)));
  addresses_of_both(w, in, 4 * (u32)words, stride, &ra, from);
  memcpy(byte, from[1].byte, sizeof byte); // what is read first may be written over it
  from[1].byte = byte;
  read_words(w, &from[0], words, row);
  read_words(w, &from[1], words, row + words * LANES);
}

static inline __attribute__((always_inline)) void do_write2(Wavefront *w, const Instruction *in,
                                                            int words, u32 stride) {
  Row ra;
  Addresses to[2];
  addresses_of_both(w, in, 4 * (u32)words, stride, &ra, to);
  write_words(w, &in->c, &to[0], words);
  write_words(w, &in->e, &to[1], words);
}

// Reads and writes both places lane by lane, because lanes may meet at one of them.
static inline __attribute__((always_inline)) void do_exchange2(Wavefront *w, const Instruction *in,
                                                               int words, u32 stride) {
  Row before, ra;
  const Operand *operand[] = {&in->c, &in->e};
  Addresses place[2];
  addresses_of_both(w, in, 4 * (u32)words, stride, &ra, place);
  for (int k = 0; k < 2; k++)
    check_alignment(w, &place[k], 4 * (u32)words);
  FOR_LANES_OF(w->exec) {
    u8 *at[] = {w->group->lds + place_of(&place[0], lane),
                w->group->lds + place_of(&place[1], lane)};
    for (int i = 0; i < 2 * words; i++)
      memcpy(&before.word[lane + i * LANES], at[i / words] + 4 * (i % words), 4);
    for (int i = 0; i < 2 * words; i++)
      memcpy(at[i / words] + 4 * (i % words), &w->vgpr[operand[i / words]->index + i % words][lane],
             4);
  }
  commit_registers(w, &in->d, 2 * words, &before);
}

// M0 is added to the address instead of a VGPR; each lane has its own dword.
static void addresses_by_lane(Wavefront *w, const Instruction *in, Addresses *addresses) {
  refuse_gds(w, in);
  addresses->byte = addresses->directed;
  addresses->move = 0;
  addresses->pattern = NULL;
  FOR_LANES addresses->directed[lane] = (w->m0 & 0xffff) + (u32)in->offset + 4 * (u32)lane;
  check_bounds(w, in, addresses, 4);
  if (w->shadow)
    show_sanitizer(w, addresses, 4);
}

static void do_ds_read_addtid_b32(Wavefront *w, const Instruction *in) {
  Addresses from;
  addresses_by_lane(w, in, &from);
  read_words(w, &from, 1, w->vgpr[in->d.index]);
}

static void do_ds_write_addtid_b32(Wavefront *w, const Instruction *in) {
  Addresses to;
  addresses_by_lane(w, in, &to);
  write_words(w, &in->c, &to, 1);
}

// ds_condxchg32_rtn_b64: each half of b with its top bit set replaces that half of a, without the
// bit.
static u64 exchange_flagged_halves(u64 a, u64 b) {
  u64 low = b & 1ull << 31 ? b & 0x7fffffff : a & 0xffffffff;
  u64 high = b & 1ull << 63 ? b >> 32 & 0x7fffffff : a >> 32;
  return low | high << 32;
}

static void do_ds_nop(Wavefront *w, const Instruction *in) { (void)w, (void)in; }

_Noreturn static void refuse_gws(Wavefront *w, const Instruction *in) {
  wavefront_fault(w, FAULT_GAP, -1,
                  "%s is a semaphore of the whole grid (global wave sync), which the emulator does "
                  "not model: end the kernel here and go on in a second one",
                  in->info->mnemonic);
}

// grid.sync() of a cooperative launch: one wave of each workgroup arrives, and all go on when the
// last has. The operand is the number of participants less one.
static void do_ds_gws_barrier(Wavefront *w, const Instruction *in) {
  if (!w->thread->launch->cooperative)
    wavefront_fault(w, FAULT_BARRIER, -1,
                    "a barrier across the grid (grid.sync()) in an ordinary launch: only "
                    "hipLaunchCooperativeKernel makes sure that all workgroups are there");
  w->thread->grid_participants =
      w->vgpr[in->a.index][w->exec ? __builtin_ctzll(w->exec) : 0] + 1ull;
  w->thread->at_grid_barrier++;
  w->state = WAVE_AT_GRID_BARRIER;
  w->yield = true;
}

// The runtime would set the barrier up before a cooperative launch; here it counts by itself.
static void do_ds_gws_init(Wavefront *w, const Instruction *in) { (void)w, (void)in; }

// Handlers from the table.
// One lane of a row of registers; a place holds elements side by side, of lanes from the first on.
#define READ_LANE(T, RESULT, FROM, LANE)                                                           \
  {                                                                                                \
    T a;                                                                                           \
    u32 d = row[LANE];                                                                             \
    (void)d;                                                                                       \
    memcpy(&a, FROM, sizeof a);                                                                    \
    row[LANE] = RESULT;                                                                            \
  }
#define READ(NAME, T, RESULT)                                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra;                                                                                        \
    Addresses from;                                                                                \
    addresses_of(w, in, (u32)in->offset, sizeof(T), &ra, &from);                                   \
    const u32 blocks = blocks_of(&from, sizeof(T));                                                \
    const u8 *lds = w->group->lds;                                                                 \
    u32 *row = w->vgpr[in->d.index];                                                               \
    u64 lanes = w->exec;                                                                           \
    for (int s = 0; blocks && s < SPANS; s++)                                                      \
      if (blocks >> s & 1) {                                                                       \
        T block[SPAN];                                                                             \
        memcpy(block, lds + place_of(&from, SPAN * s), sizeof block);                              \
        for (int lane = 0; lane < SPAN; lane++)                                                    \
          READ_LANE(T, RESULT, &block[lane], SPAN *s + lane)                                       \
        lanes &= ~lanes_of_span(s);                                                                \
      }                                                                                            \
    FOR_LANES_OF(lanes) READ_LANE(T, RESULT, lds + place_of(&from, lane), lane)                    \
  }
#define READ_WORDS(NAME, WORDS)                                                                    \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra;                                                                                        \
    Addresses from;                                                                                \
    addresses_of(w, in, (u32)in->offset, 4 * WORDS, &ra, &from);                                   \
    read_words(w, &from, WORDS, w->vgpr[in->d.index]);                                             \
  }
#define READ2(NAME, WORDS, STRIDE)                                                                 \
  static void do_##NAME(Wavefront *w, const Instruction *in) { do_read2(w, in, WORDS, STRIDE); }
// The same of what is stored.
#define WRITE_LANE(T, VALUE, TO, LANE)                                                             \
  {                                                                                                \
    u32 c = data[LANE];                                                                            \
    T value = (T)(VALUE);                                                                          \
    memcpy(TO, &value, sizeof value);                                                              \
  }
#define WRITE(NAME, T, VALUE)                                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra;                                                                                        \
    Addresses to;                                                                                  \
    addresses_of(w, in, (u32)in->offset, sizeof(T), &ra, &to);                                     \
    const u32 *data = w->vgpr[in->c.index], blocks = blocks_of(&to, sizeof(T));                    \
    u8 *lds = w->group->lds;                                                                       \
    for (int s = 0; s < SPANS; s++) {                                                              \
      const u64 lanes = w->exec & lanes_of_span(s);                                                \
      T block[SPAN];                                                                               \
      if (blocks >> s & 1) {                                                                       \
        for (int i = 0; i < SPAN; i++)                                                             \
          WRITE_LANE(T, VALUE, &block[i], i + SPAN * s)                                            \
        memcpy(lds + place_of(&to, SPAN * s), block, sizeof block);                                \
      } else                                                                                       \
        FOR_LANES_OF(lanes) WRITE_LANE(T, VALUE, lds + place_of(&to, lane), lane)                  \
    }                                                                                              \
  }
#define WRITE_WORDS(NAME, WORDS)                                                                   \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra;                                                                                        \
    Addresses to;                                                                                  \
    addresses_of(w, in, (u32)in->offset, 4 * WORDS, &ra, &to);                                     \
    write_words(w, &in->c, &to, WORDS);                                                            \
  }
#define WRITE2(NAME, WORDS, STRIDE)                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) { do_write2(w, in, WORDS, STRIDE); }
#define EXCHANGE2(NAME, WORDS, STRIDE)                                                             \
  static void do_##NAME(Wavefront *w, const Instruction *in) { do_exchange2(w, in, WORDS, STRIDE); }
// What one lane makes of the value a. THIRD: the second data operand, or the first again where there
// is but one.
#define UPDATE_LANE(T, RESULT)                                                                     \
  {                                                                                                \
    T b = get_##T(pb, lane), c = get_##T(pc, lane);                                                \
    (void)c;                                                                                       \
    put_##T(&before, lane, a);                                                                     \
    T updated = RESULT;                                                                            \
    a = updated;                                                                                   \
  }
#define UPDATE(NAME, SUFFIX, T, THIRD, RESULT)                                                     \
  static void do_##NAME##_##SUFFIX(Wavefront *w, const Instruction *in) {                          \
    Row before, ra;                                                                                \
    Addresses at;                                                                                  \
    T a;                                                                                           \
    atomic_addresses_of(w, in, sizeof(T), &ra, &at);                                               \
    u8 *lds = w->group->lds;                                                                       \
    const u32 *pb = w->vgpr[in->c.index], *pc = w->vgpr[in->THIRD.index];                          \
    if (all_at_one(&at)) {                                                                         \
      u8 *place = lds + place_of(&at, __builtin_ctzll(w->exec));                                   \
      memcpy(&a, place, sizeof a);                                                                 \
      FOR_LANES_OF(w->exec) UPDATE_LANE(T, RESULT) memcpy(place, &a, sizeof a);                    \
    } else {                                                                                       \
      FOR_LANES_OF(w->exec) {                                                                      \
        memcpy(&a, lds + place_of(&at, lane), sizeof a);                                           \
        UPDATE_LANE(T, RESULT)                                                                     \
        memcpy(lds + place_of(&at, lane), &a, sizeof a);                                           \
      }                                                                                            \
    }                                                                                              \
    if (in->d.kind != OPERAND_NONE)                                                                \
      commit_registers(w, &in->d, type_registers(TYPE_##T), &before);                              \
  }
#define ATOMIC(NAME, SUFFIX, T, RESULT) UPDATE(NAME, SUFFIX, T, c, RESULT)
#define ATOMIC2(NAME, SUFFIX, T, RESULT) UPDATE(NAME, SUFFIX, T, e, RESULT)
#define ATOMIC_RTN(NAME, SUFFIX, T, RESULT) UPDATE(NAME, SUFFIX, T, c, RESULT)
#define ATOMIC2_RTN(NAME, SUFFIX, T, RESULT) UPDATE(NAME, SUFFIX, T, e, RESULT)
// One update for the whole wave; every active lane gets the value before.
#define COUNT(NAME, RESULT)                                                                        \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row before;                                                                                    \
    Addresses at;                                                                                  \
    u32 a, active = (u32)__builtin_popcountll(w->exec);                                            \
    refuse_gds(w, in);                                                                             \
    if (!active)                                                                                   \
      return;                                                                                      \
    at.byte = at.directed;                                                                         \
    at.move = 0;                                                                                   \
    at.pattern = NULL;                                                                             \
    FOR_LANES at.directed[lane] = w->m0 + (u32)in->offset;                                         \
    check_alignment(w, &at, sizeof a);                                                             \
    check_bounds(w, in, &at, sizeof a);                                                            \
    memcpy(&a, w->group->lds + place_of(&at, __builtin_ctzll(w->exec)), sizeof a);                 \
    u32 updated = RESULT;                                                                          \
    memcpy(w->group->lds + place_of(&at, __builtin_ctzll(w->exec)), &updated, sizeof updated);     \
    FOR_LANES before.word[lane] = a;                                                               \
    commit_registers(w, &in->d, 1, &before);                                                       \
  }
#define CALL(NAME, OPERANDS, ACTION)
#define GWS(NAME, OPERANDS, FUNCTION)
#include "instructions_lds.def"
#undef READ
#undef READ_LANE
#undef UPDATE
#undef UPDATE_LANE
#undef READ_WORDS
#undef READ2
#undef WRITE
#undef WRITE_LANE
#undef WRITE_WORDS
#undef WRITE2
#undef EXCHANGE2
#undef ATOMIC
#undef ATOMIC2
#undef ATOMIC_RTN
#undef ATOMIC2_RTN
#undef COUNT
#undef CALL
#undef GWS

#define ROW(MNEMONIC, FUNCTION, OPERANDS, D, C, ACTION)                                            \
  {MNEMONIC, FUNCTION, OPERANDS,       D,      TYPE_u32, TYPE_u32, C,                              \
   UNIT_LDS, 0,        PARTS_SELECTED, ACTION, false,    SQ_INSTS},
#define WORDS_TYPE(WORDS) ((WORDS) == 1 ? TYPE_u32 : TYPE_u64)
#define READ(NAME, T, RESULT) ROW(#NAME, do_##NAME, "da", TYPE_u32, TYPE_NONE, MEMORY_LOAD)
#define READ_WORDS(NAME, WORDS)                                                                    \
  ROW(#NAME, do_##NAME, "da", WORDS_TYPE(WORDS), TYPE_NONE, MEMORY_LOAD)
#define READ2(NAME, WORDS, STRIDE) ROW(#NAME, do_##NAME, "da", TYPE_u64, TYPE_NONE, MEMORY_LOAD)
#define WRITE(NAME, T, VALUE) ROW(#NAME, do_##NAME, "ac", TYPE_NONE, TYPE_u32, MEMORY_STORE)
#define WRITE_WORDS(NAME, WORDS)                                                                   \
  ROW(#NAME, do_##NAME, "ac", TYPE_NONE, WORDS_TYPE(WORDS), MEMORY_STORE)
#define WRITE2(NAME, WORDS, STRIDE)                                                                \
  ROW(#NAME, do_##NAME, "ace", TYPE_NONE, WORDS_TYPE(WORDS), MEMORY_STORE)
#define EXCHANGE2(NAME, WORDS, STRIDE)                                                             \
  ROW(#NAME, do_##NAME, "dace", TYPE_u64, WORDS_TYPE(WORDS), MEMORY_ATOMIC)
#define RTN(NAME, SUFFIX, T, OPERANDS)                                                             \
  ROW("ds_" #NAME "_rtn_" #SUFFIX, do_##NAME##_##SUFFIX, OPERANDS, TYPE_##T, TYPE_##T,             \
      MEMORY_ATOMIC)
#define NO_RTN(NAME, SUFFIX, T, OPERANDS)                                                          \
  ROW("ds_" #NAME "_" #SUFFIX, do_##NAME##_##SUFFIX, OPERANDS, TYPE_NONE, TYPE_##T, MEMORY_ATOMIC)
#define ATOMIC(NAME, SUFFIX, T, RESULT) NO_RTN(NAME, SUFFIX, T, "ac") RTN(NAME, SUFFIX, T, "dac")
#define ATOMIC2(NAME, SUFFIX, T, RESULT) NO_RTN(NAME, SUFFIX, T, "ace") RTN(NAME, SUFFIX, T, "dace")
#define ATOMIC_RTN(NAME, SUFFIX, T, RESULT) RTN(NAME, SUFFIX, T, "dac")
#define ATOMIC2_RTN(NAME, SUFFIX, T, RESULT) RTN(NAME, SUFFIX, T, "dace")
#define COUNT(NAME, RESULT) ROW(#NAME, do_##NAME, "d", TYPE_u32, TYPE_NONE, MEMORY_ATOMIC)
#define CALL(NAME, OPERANDS, ACTION) ROW(#NAME, do_##NAME, OPERANDS, TYPE_u32, TYPE_u32, ACTION)
#define GWS(NAME, OPERANDS, FUNCTION)                                                              \
  ROW(#NAME, FUNCTION, OPERANDS, TYPE_NONE, TYPE_NONE, MEMORY_NONE)
const InstructionInfo lds_instructions[] = {
#include "instructions_lds.def"
};
const size_t lds_instruction_count = sizeof lds_instructions / sizeof *lds_instructions;
