// LDS: loads, stores and atomics of the workgroup's local memory. Rows in instructions_lds.def.
//
// In: byte addresses in a VGPR. LDS works in unaligned mode, as amdhsa sets it: plain accesses may
// begin at any byte, atomics must be naturally aligned. Lanes take effect in ascending order.
#include "instruction_table.h"
#include "sanitizer.h"
#include "spans.h"
#include "vector_access.h"
#include "vector_math.h"

#include <stdlib.h>

typedef int8_t i8;

// ---- addresses ----

typedef struct {
  u32 byte[LANES]; // unless they are regular
  Spans spans;     // if they are: all of them within what the workgroup asked for
  bool regular;
} Addresses;

static void spread(Addresses *addresses) {
  FOR_LANES addresses->byte[lane] =
      (u32)addresses->spans.base[lane / SPAN] + (u32)(lane % SPAN) * addresses->spans.stride;
}

// Every active lane's [byte, byte + bytes) lies in what the workgroup asked for, or is told.
static void check_bounds(Wavefront *w, const Instruction *in, Addresses *addresses, u32 bytes) {
  u32 asked = w->thread->launch->lds_bytes, last = asked - bytes, outside = 0;
  expand_exec(w);
  FOR_LANES outside |= w->exec_lanes[lane] & -(u32)(addresses->byte[lane] > last);
  if (asked < bytes || outside)
    FOR_LANES if (w->exec >> lane & 1) addresses->byte[lane] =
        lds_access_check(w, lane, addresses->byte[lane], bytes, in->info->action);
}

static void show_sanitizer(Wavefront *w, const Addresses *addresses, u32 bytes) {
  Access all;
  all.bytes = bytes;
  all.regular = addresses->regular;
  all.scratch = false;
  all.spans = addresses->spans;
  all.spans.base += (u64)w->group->lds;
  if (!addresses->regular)
    FOR_LANES all.address[lane] = (u64)w->group->lds + addresses->byte[lane];
  sanitizer_touch(w, &all, w->exec);
}

static void check_alignment(Wavefront *w, const Addresses *addresses, u32 bytes) {
  FOR_LANES if ((w->exec >> lane & 1) && addresses->byte[lane] % bytes)
      wavefront_fault(w, FAULT_LDS, lane,
                      "an LDS atomic of %u bytes at address %u, which is no multiple of %u: "
                      "misaligned atomics are not possible",
                      bytes, addresses->byte[lane], bytes);
}

// Only LDS is modelled; global data share (GDS) is out of HIP's reach.
static void refuse_gds(Wavefront *w, const Instruction *in) {
  if (in->gds)
    wavefront_fault(w, FAULT_GAP, -1,
                    "%s works on the global data share (gds), which the emulator does not model",
                    in->info->mnemonic);
}

// ---- time ----

// The LDS serves 128 B per clk from 32 banks of 4 B: 32 lanes of 4 B at once, 16 of 8 B, 8 of 16 B.
// Lanes that meet in a bank at different addresses wait for each other; equal addresses are read
// once. A pass takes one clk even without active lanes, as the bank-conflict example of the ROCm
// Compute Profiler shows (k lanes on one bank: k + 1 clk, k - 1 of them conflicts).
static u32 pass_clocks(const Wavefront *w, const Addresses *addresses, int begin, int end,
                       u32 words) {
  enum { BANKS = 32 };
  u32 seen[LANES][BANKS], count[BANKS], taken = 0, most = 1; // taken: a bit for each bank
  const u64 lanes = w->exec & ((1ull << (end - begin)) - 1) << begin;
  FOR_LANES_OF(lanes) {
    for (u32 i = 0; i < words; i++) {
      const u32 word = addresses->byte[lane] / 4 + i, bank = word % BANKS;
      u32 k = 0;
      if (!(taken >> bank & 1)) { // mostly
        taken |= 1u << bank;
        count[bank] = 0;
      }
      while (k < count[bank] && seen[k][bank] != word)
        k++;
      if (k < count[bank])
        continue;
      seen[count[bank]++][bank] = word;
      most = count[bank] > most ? count[bank] : most;
    }
  }
  return most;
}

// Two SIMDs share a port of 64 B a clk in each direction: 64 addresses, or a dword of 64 lanes, take a
// quad-cycle. What is stored follows its address, what is loaded comes back while the next addresses
// go in (ROCm Compute Profiler, pipeline descriptions: stores of 4 B take 8 clk, of 16 B 20).
static u32 port_quads(const Instruction *in, u32 words) {
  return in->info->action == MEMORY_LOAD ? words : 1 + words;
}

// The clocks of the latest patterns of addresses: banks repeat every 128 B, and an instruction mostly
// comes with the pattern that it had.
enum { KEPT_BITS = 8, KEPT = 1 << KEPT_BITS, BANKS_BYTES = 128 };

struct LdsPattern {
  u64 lanes;
  u32 place, words; // in BANKS_BYTES; 0 words: none
  bool regular;
  Spans spans;
  u32 distance[LANES]; // of active lanes from the first of them, unless they are regular
  u32 clocks;
};

static u32 count_passes(const Wavefront *w, Addresses *addresses, u32 words, int lanes) {
  u32 clocks = 0;
  if (addresses->regular)
    spread(addresses);
  for (int begin = 0; begin < LANES; begin += lanes)
    clocks += pass_clocks(w, addresses, begin, begin + lanes, words);
  return clocks;
}

static bool fits(const Wavefront *w, const LdsPattern *kept, const Addresses *addresses, u32 first,
                 u32 words) {
  if (kept->words != words || kept->place != first % BANKS_BYTES || kept->lanes != w->exec ||
      kept->regular != addresses->regular)
    return false;
  if (addresses->regular)
    return spans_alike(&kept->spans, &addresses->spans);
  u32 different = 0;
  FOR_LANES different |=
      ((addresses->byte[lane] - first) ^ kept->distance[lane]) & w->exec_lanes[lane];
  return !different;
}

static u32 pattern_clocks(Wavefront *w, Addresses *addresses, u32 words, int lanes) {
  HostThread *thread = w->thread;
  if (!thread->lds_patterns)
    thread->lds_patterns = calloc(KEPT, sizeof *thread->lds_patterns);
  if (!thread->lds_patterns || !w->exec)
    return count_passes(w, addresses, words, lanes);
  u32 first = addresses->regular ? (u32)addresses->spans.base[0]
                                 : addresses->byte[__builtin_ctzll(w->exec)];
  u64 key = ((u64)w->in->id << 8 ^ first % BANKS_BYTES) * 0x9e3779b97f4a7c15ull;
  LdsPattern *kept =
      &thread->lds_patterns[(key ^ w->exec) * 0x9e3779b97f4a7c15ull >> (64 - KEPT_BITS)];
  if (fits(w, kept, addresses, first, words))
    return kept->clocks;
  kept->lanes = w->exec;
  kept->place = first % BANKS_BYTES;
  kept->words = words;
  kept->regular = addresses->regular;
  kept->spans = addresses->spans;
  if (!addresses->regular)
    FOR_LANES kept->distance[lane] = addresses->byte[lane] - first;
  return kept->clocks = count_passes(w, addresses, words, lanes);
}

// Lanes that follow each other, the common case, never meet in a bank, and all at one address are served
// together.
static bool no_lane_waits(const Wavefront *w, const Addresses *addresses, u32 words) {
  const Spans *spans = &addresses->spans;
  return addresses->regular && spans->even &&
         (spans->stride == 0 || (spans_blocks(spans, (int)words) && w->exec == ~0ull));
}

static void count_clocks(Wavefront *w, Addresses *addresses, u32 bytes) {
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  u32 words = bytes > 4 ? bytes / 4 : 1;
  int lanes = words > 2 ? 8 : words > 1 ? 16 : 32;
  u32 clocks = (u32)(LANES / lanes);
  if (!no_lane_waits(w, addresses, words))
    clocks = pattern_clocks(w, addresses, words, lanes);
  profile->lds_clocks += clocks;
  profile->lds_conflicts += clocks - (u32)(LANES / lanes);
  trace_event(&w->trace, EVENT_LDS, trace_lds(clocks, port_quads(w->in, words)));
}

// Whether the spans, moved by the offset, lie in what the workgroup asked for.
static inline bool move_inside(const Wavefront *w, Spans *spans, u32 offset, u32 bytes) {
  const u32 asked = w->thread->launch->lds_bytes;
  u64 begin, end;
  spans->base = (spans->base + offset) & UINT32_MAX;
  spans_reach(spans, w->exec, bytes, &begin, &end);
  return spans->base[0] <= asked && begin <= asked && end <= asked;
}

// Addresses that a register gives, as lanes or spans.
static void form_addresses(Wavefront *w, const Instruction *in, u32 bytes, Addresses *to) {
  Row ra;
  const u32 *a = source(w, in, &in->a, TYPE_u32, &ra);
  refuse_gds(w, in);
  to->regular = spans_of(w, a, NULL, bytes, &to->spans);
  if (!to->regular)
    memcpy(to->byte, a, sizeof to->byte);
}

// The same moved by an offset, allowed and counted.
static inline __attribute__((always_inline)) void place(Wavefront *w, const Instruction *in,
                                                        const Addresses *from, u32 offset,
                                                        u32 bytes, Addresses *to) {
  to->regular = from->regular;
  if (from->regular) {
    to->spans = from->spans;
    to->regular = move_inside(w, &to->spans, offset, bytes);
  }
  if (!to->regular) {
    if (from->regular)
      spread(to);
    else
      FOR_LANES to->byte[lane] = from->byte[lane] + offset;
    check_bounds(w, in, to, bytes);
  }
  count_clocks(w, to, bytes);
  if (__builtin_expect(w->shadow != NULL, 0))
    show_sanitizer(w, to, bytes);
}

static inline __attribute__((always_inline)) void
addresses_of(Wavefront *w, const Instruction *in, u32 offset, u32 bytes, Addresses *to) {
  Addresses from;
  form_addresses(w, in, bytes, &from);
  place(w, in, &from, offset, bytes, to);
}

// For instructions that look at each lane's address.
static Addresses lanes_of(Wavefront *w, const Instruction *in, u32 offset, u32 bytes) {
  Addresses addresses;
  addresses_of(w, in, offset, bytes, &addresses);
  if (addresses.regular)
    spread(&addresses);
  return addresses;
}

static Addresses atomic_addresses_of(Wavefront *w, const Instruction *in, u32 bytes) {
  Addresses addresses;
  Row ra;
  const u32 *a = source(w, in, &in->a, TYPE_u32, &ra);
  refuse_gds(w, in);
  addresses.regular = false;
  FOR_LANES addresses.byte[lane] = a[lane] + (u32)in->offset;
  check_alignment(w, &addresses, bytes);
  check_bounds(w, in, &addresses, bytes);
  count_clocks(w, &addresses, bytes);
  if (w->shadow)
    show_sanitizer(w, &addresses, bytes);
  return addresses;
}

// ---- data ----

// Rows of registers from LDS; of inactive lanes they are undefined.
static inline __attribute__((always_inline)) void read_words(const Wavefront *w, Addresses *from,
                                                             int words, u32 *row) {
  const u8 *lds = w->group->lds;
  if (from->regular && w->exec == ~0ull) {
    rows_of_spans(&from->spans, (u64)lds, words, row);
    return;
  }
  if (from->regular)
    spread(from);
  if (few_lanes(w->exec)) {
    FOR_LANES_OF(w->exec) {
      for (int i = 0; i < words; i++)
        memcpy(&row[lane + i * LANES], lds + from->byte[lane] + 4 * i, 4);
    }
    return;
  }
  FOR_LANES for (int i = 0; i < words; i++)
      memcpy(&row[lane + i * LANES], lds + (from->byte[lane] & w->exec_lanes[lane]) + 4 * i, 4);
}

// Where what is read goes: to the registers, or first to `result`, from which finish_read takes what
// active lanes have read.
static u32 *begin_read(Wavefront *w, const Instruction *in, Row *result) {
  return w->exec == ~0ull ? w->vgpr[in->d.index] : result->word;
}
static void finish_read(Wavefront *w, const Instruction *in, int words, const Row *result) {
  if (w->exec != ~0ull)
    commit_registers(w, &in->d, words, result);
}

static inline __attribute__((always_inline)) void write_words(Wavefront *w, const Operand *operand,
                                                              Addresses *to, int words) {
  u8 *lds = w->group->lds;
  const u32 *data = w->vgpr[operand->index];
  if (to->regular && w->exec == ~0ull && spans_blocks(&to->spans, words)) {
    spans_of_rows(data, words, &to->spans, (u64)lds);
    return;
  }
  if (to->regular)
    spread(to);
  FOR_LANES_OF(w->exec) {
    for (int i = 0; i < words; i++)
      memcpy(lds + to->byte[lane] + 4 * i, &data[lane + i * LANES], 4);
  }
}

// Forms with two addresses have two offsets of 8 bits in the place of one of 16.
static u32 first_offset(const Instruction *in) { return (u32)in->offset & 0xff; }
static u32 second_offset(const Instruction *in) { return (u32)in->offset >> 8; }

static inline __attribute__((always_inline)) void do_read2(Wavefront *w, const Instruction *in,
                                                           int words, u32 stride) {
  Row result;
  Addresses from, first, second;
  form_addresses(w, in, 4 * (u32)words, &from);
  place(w, in, &from, first_offset(in) * stride, 4 * (u32)words, &first);
  place(w, in, &from, second_offset(in) * stride, 4 * (u32)words, &second);
  u32 *row = begin_read(w, in, &result);
  read_words(w, &first, words, row);
  read_words(w, &second, words, row + words * LANES);
  finish_read(w, in, 2 * words, &result);
}

static inline __attribute__((always_inline)) void do_write2(Wavefront *w, const Instruction *in,
                                                            int words, u32 stride) {
  Addresses from, first, second;
  form_addresses(w, in, 4 * (u32)words, &from);
  place(w, in, &from, first_offset(in) * stride, 4 * (u32)words, &first);
  place(w, in, &from, second_offset(in) * stride, 4 * (u32)words, &second);
  write_words(w, &in->c, &first, words);
  write_words(w, &in->e, &second, words);
}

// Reads and writes both places lane by lane, because lanes may meet at one of them.
static inline __attribute__((always_inline)) void do_exchange2(Wavefront *w, const Instruction *in,
                                                               int words, u32 stride) {
  Row before;
  const Operand *operand[] = {&in->c, &in->e};
  Addresses place[] = {lanes_of(w, in, first_offset(in) * stride, 4 * (u32)words),
                       lanes_of(w, in, second_offset(in) * stride, 4 * (u32)words)};
  for (int k = 0; k < 2; k++)
    check_alignment(w, &place[k], 4 * (u32)words);
  FOR_LANES_OF(w->exec) {
    u8 *at[] = {w->group->lds + place[0].byte[lane], w->group->lds + place[1].byte[lane]};
    for (int i = 0; i < 2 * words; i++)
      memcpy(&before.word[lane + i * LANES], at[i / words] + 4 * (i % words), 4);
    for (int i = 0; i < 2 * words; i++)
      memcpy(at[i / words] + 4 * (i % words), &w->vgpr[operand[i / words]->index + i % words][lane],
             4);
  }
  commit_registers(w, &in->d, 2 * words, &before);
}

// M0 is added to the address instead of a VGPR; each lane has its own dword.
static Addresses addresses_by_lane(Wavefront *w, const Instruction *in) {
  Addresses addresses;
  refuse_gds(w, in);
  addresses.regular = false;
  FOR_LANES addresses.byte[lane] = (w->m0 & 0xffff) + (u32)in->offset + 4 * (u32)lane;
  check_bounds(w, in, &addresses, 4);
  if (w->shadow)
    show_sanitizer(w, &addresses, 4);
  return addresses;
}

static void do_ds_read_addtid_b32(Wavefront *w, const Instruction *in) {
  Row result;
  Addresses from = addresses_by_lane(w, in);
  read_words(w, &from, 1, begin_read(w, in, &result));
  finish_read(w, in, 1, &result);
}

static void do_ds_write_addtid_b32(Wavefront *w, const Instruction *in) {
  Addresses to = addresses_by_lane(w, in);
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
#define READ(NAME, T, RESULT)                                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row result;                                                                                    \
    Addresses from = lanes_of(w, in, (u32)in->offset, sizeof(T));                                  \
    const u32 *old = w->vgpr[in->d.index];                                                         \
    FOR_LANES_OF(w->exec) {                                                                        \
      T a;                                                                                         \
      u32 d = old[lane];                                                                           \
      (void)d;                                                                                     \
      memcpy(&a, w->group->lds + from.byte[lane], sizeof a);                                       \
      result.word[lane] = RESULT;                                                                  \
    }                                                                                              \
    commit_registers(w, &in->d, 1, &result);                                                       \
  }
#define READ_WORDS(NAME, WORDS)                                                                    \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row result;                                                                                    \
    Addresses from;                                                                                \
    addresses_of(w, in, (u32)in->offset, 4 * WORDS, &from);                                        \
    read_words(w, &from, WORDS, begin_read(w, in, &result));                                       \
    finish_read(w, in, WORDS, &result);                                                            \
  }
#define READ2(NAME, WORDS, STRIDE)                                                                 \
  static void do_##NAME(Wavefront *w, const Instruction *in) { do_read2(w, in, WORDS, STRIDE); }
#define WRITE(NAME, T, VALUE)                                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Addresses to = lanes_of(w, in, (u32)in->offset, sizeof(T));                                    \
    const u32 *data = w->vgpr[in->c.index];                                                        \
    FOR_LANES_OF(w->exec) {                                                                        \
      u32 c = data[lane];                                                                          \
      T value = (T)(VALUE);                                                                        \
      memcpy(w->group->lds + to.byte[lane], &value, sizeof value);                                 \
    }                                                                                              \
  }
#define WRITE_WORDS(NAME, WORDS)                                                                   \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Addresses to;                                                                                  \
    addresses_of(w, in, (u32)in->offset, 4 * WORDS, &to);                                          \
    write_words(w, &in->c, &to, WORDS);                                                            \
  }
#define WRITE2(NAME, WORDS, STRIDE)                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) { do_write2(w, in, WORDS, STRIDE); }
#define EXCHANGE2(NAME, WORDS, STRIDE)                                                             \
  static void do_##NAME(Wavefront *w, const Instruction *in) { do_exchange2(w, in, WORDS, STRIDE); }
// THIRD: the second data operand, or the first again where there is but one.
#define UPDATE(NAME, SUFFIX, T, THIRD, RESULT)                                                     \
  static void do_##NAME##_##SUFFIX(Wavefront *w, const Instruction *in) {                          \
    Row before;                                                                                    \
    Addresses at = atomic_addresses_of(w, in, sizeof(T));                                          \
    const u32 *pb = w->vgpr[in->c.index], *pc = w->vgpr[in->THIRD.index];                          \
    FOR_LANES_OF(w->exec) {                                                                        \
      T a, b = get_##T(pb, lane), c = get_##T(pc, lane);                                           \
      (void)c;                                                                                     \
      memcpy(&a, w->group->lds + at.byte[lane], sizeof a);                                         \
      T updated = RESULT;                                                                          \
      memcpy(w->group->lds + at.byte[lane], &updated, sizeof updated);                             \
      put_##T(&before, lane, a);                                                                   \
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
    FOR_LANES at.byte[lane] = w->m0 + (u32)in->offset;                                             \
    check_alignment(w, &at, sizeof a);                                                             \
    check_bounds(w, in, &at, sizeof a);                                                            \
    memcpy(&a, w->group->lds + at.byte[0], sizeof a);                                              \
    u32 updated = RESULT;                                                                          \
    memcpy(w->group->lds + at.byte[0], &updated, sizeof updated);                                  \
    FOR_LANES before.word[lane] = a;                                                               \
    commit_registers(w, &in->d, 1, &before);                                                       \
  }
#define CALL(NAME, OPERANDS, ACTION)
#define GWS(NAME, OPERANDS, FUNCTION)
#include "instructions_lds.def"
#undef READ
#undef READ_WORDS
#undef READ2
#undef WRITE
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
