// Vector memory: GLOBAL, FLAT, SCRATCH and BUFFER loads, stores and atomics. Rows in instructions_memory.def.
//
// In: where the lanes go (memory_address.h). Out: data in registers and memory, moved by one function for
// all encodings.
#include "access_count.h"
#include "buffer.h"
#include "defined_memory.h"
#include "device_memory.h"
#include "instruction_table.h"
#include "memory_address.h"
#include "parameters.h"
#include "private_bytes.h"
#include "sanitizer.h"
#include "vector_math.h"

// A lane's dwords, a row of registers apart from each other. Elsewhere two or four of them move as one:
// a value of 64 or 128 bits that another workgroup changes meanwhile is the old or the new one, never
// half of each.
static inline __attribute__((always_inline)) void load_lane(u64 address, bool private, int words,
                                                            u32 *row) {
  if (!private && words == 4) {
    const Four four = *(const volatile MemoryFour *)address;
    for (int i = 0; i < words; i++)
      row[i * LANES] = four[i];
    return;
  }
  for (int i = 0; i < words; i++)
    if (!private && i + 1 < words) {
      u64 pair;
      memcpy(&pair, (const void *)(address + 4 * (u64)i), sizeof pair);
      row[i * LANES] = (u32)pair;
      row[++i * LANES] = (u32)(pair >> 32);
    } else {
      memcpy(&row[i * LANES], (const void *)(address + (u64)i * (private ? 4 * LANES : 4)), 4);
    }
}
static inline __attribute__((always_inline)) void store_lane(u64 address, bool private, int words,
                                                             const u32 *row) {
  if (!private && words == 4) {
    *(volatile MemoryFour *)address = (Four){row[0], row[LANES], row[2 * LANES], row[3 * LANES]};
    return;
  }
  for (int i = 0; i < words; i++)
    if (!private && i + 1 < words) {
      const u64 pair = row[i * LANES] | (u64)row[(i + 1) * LANES] << 32;
      memcpy((void *)(address + 4 * (u64)i++), &pair, sizeof pair);
    } else {
      memcpy((void *)(address + (u64)i * (private ? 4 * LANES : 4)), &row[i * LANES], 4);
    }
}

// A statement about the `address` of each active `lane`; without a look at each bit where all are.
#define EACH_ADDRESS(ACCESS, MASK, STATEMENT)                                                      \
  do {                                                                                             \
    const u64 base = (ACCESS)->base;                                                               \
    const u32 *offset = (ACCESS)->offset;                                                          \
    if (!offset)                                                                                   \
      FOR_LANES_OF(MASK) {                                                                         \
        const u64 address = (ACCESS)->address[lane];                                               \
        STATEMENT;                                                                                 \
      }                                                                                            \
    else if ((MASK) != ~0ull)                                                                      \
      FOR_LANES_OF(MASK) {                                                                         \
        const u64 address = base + offset[lane];                                                   \
        STATEMENT;                                                                                 \
      }                                                                                            \
    else                                                                                           \
      FOR_LANES {                                                                                  \
        const u64 address = base + offset[lane];                                                   \
        STATEMENT;                                                                                 \
      }                                                                                            \
  } while (0)

// The same of four lanes in the host's registers. What a lane has moves as one, too.
typedef u64 TwoPairs __attribute__((vector_size(16)));
static inline void load_ones(const u64 *address, u32 *row) {
  u32 word[4];
  for (int i = 0; i < 4; i++)
    memcpy(&word[i], (const void *)address[i], sizeof *word);
  *(Four *)row = (Four){word[0], word[1], word[2], word[3]};
}
static inline Four two_pairs(const u64 *address) {
  u64 pair[2];
  memcpy(&pair[0], (const void *)address[0], sizeof *pair);
  memcpy(&pair[1], (const void *)address[1], sizeof *pair);
  return (Four)(TwoPairs){pair[0], pair[1]};
}
static inline void load_pairs(const u64 *address, u32 *row) {
  const Four first = two_pairs(address), last = two_pairs(address + 2);
  *(Four *)row = __builtin_shufflevector(first, last, 0, 2, 4, 6);
  *(Four *)(row + LANES) = __builtin_shufflevector(first, last, 1, 3, 5, 7);
}
static inline void load_wide(const u64 *address, int words, u32 *row) {
  const Four a = value_at((const u8 *)address[0], words),
             b = value_at((const u8 *)address[1], words),
             c = value_at((const u8 *)address[2], words),
             d = value_at((const u8 *)address[3], words),
             low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
             low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
             high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7),
             high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(Four *)row = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
  *(Four *)(row + LANES) = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
  *(Four *)(row + 2 * LANES) = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
  if (words == 4)
    *(Four *)(row + 3 * LANES) = __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7);
}

// Dwords of 64 B, as lanes find them that load from a small table. False if they do not.
static inline bool load_from_table(const Access *access, const u32 *offset, u32 *row) {
  enum { BYTES = sizeof(SpanWords) };
  const u64 table = access->base + (offset[0] & ~(BYTES - 1u));
  if (access->block >= BYTES || table < access->range.begin || table + BYTES > access->range.end)
    return false;
  const SpanWords words = *(const MemoryWords *)table;
  for (int s = 0; s < SPANS; s++) {
    const SpanWords place = ((const SpanWords *)offset)[s] / 4;
    pick_words((SpanWords *)row + s, (const MemoryWords *)&words, &place);
  }
  return true;
}

// What all lanes load from behind a base. The row may be that of the offsets.
static inline __attribute__((always_inline)) void
load_lanes(const Access *access, const u32 *offset, int words, u32 *row) {
  const u64 base = access->base;
  if (words == 1 && load_from_table(access, offset, row))
    return;
  for (int lane = 0; lane < LANES; lane += 4) {
    const u64 address[] = {base + offset[lane], base + offset[lane + 1], base + offset[lane + 2],
                           base + offset[lane + 3]};
    if (words == 1)
      load_ones(address, row + lane);
    else if (words == 2)
      load_pairs(address, row + lane);
    else
      load_wide(address, words, row + lane);
  }
}

// What active lanes load from behind a base. Others load what the first of those does, and nobody takes it.
static inline __attribute__((always_inline)) void
load_behind_base(Wavefront *w, const Instruction *in, const Access *access, int words) {
  u32 *row = w->vgpr[in->d.index];
  if (w->exec == ~0ull) {
    load_lanes(access, access->offset, words, row);
    return;
  }
  if (few_lanes(w->exec)) {
    EACH_ADDRESS(access, w->exec, load_lane(address, false, words, row + lane));
    return;
  }
  Row result;
  SpanWords offset[SPANS];
  const u32 first = access->offset[__builtin_ctzll(w->exec)];
  expand_exec(w);
  for (int s = 0; s < SPANS; s++) {
    const SpanWords active = ((const SpanWords *)w->exec_lanes)[s];
    offset[s] = (((const SpanWords *)access->offset)[s] & active) | (first & ~active);
  }
  load_lanes(access, (const u32 *)offset, words, result.word);
  commit_registers(w, &in->d, words, &result);
}

// Of lanes that end behind a buffer's records dword `i`, where it lies inside. What they touch the sanitizer
// is not shown: it counts as defined.
static u64 resolve_word(Wavefront *w, const Instruction *in, const Access *whole, int i,
                        MemoryAction action, Access *access) {
  const Buffer buffer = buffer_of(w, in);
  *access = *whole;
  access->bytes = 4;
  access->lanes = 0;
  FOR_LANES_OF(whole->parts) {
    access->address[lane] += 4 * (u64)i;
    if ((u64)i < buffer_words(&buffer, whole, lane))
      access->lanes |= 1ull << lane;
  }
  if (access->lanes) {
    memory_require_alignment(w, access, action);
    access_check(w, access, action);
    access_count(w, access, action);
  }
  return access->lanes;
}

static __attribute__((noinline)) void load_parts(Wavefront *w, const Instruction *in,
                                                 const Access *whole, int words, Row *result) {
  Access access;
  for (int i = 0; i < words; i++)
    FOR_LANES_OF(resolve_word(w, in, whole, i, MEMORY_LOAD, &access)) {
      memcpy(&result->word[i * LANES + lane], (const void *)access.address[lane], 4);
    }
}

static __attribute__((noinline)) void store_parts(Wavefront *w, const Instruction *in,
                                                  const Access *whole, int words, const u32 *data) {
  Access access;
  for (int i = 0; i < words; i++)
    FOR_LANES_OF(resolve_word(w, in, whole, i, MEMORY_STORE, &access)) {
      memcpy((void *)access.address[lane], &data[i * LANES + lane], 4);
      defined_memory_written((const void *)access.address[lane], 4);
    }
}

static __attribute__((noinline)) void show_block(Wavefront *w, u64 begin, u32 bytes) {
  Access access;
  access.spans = spans_of_block(begin, bytes);
  access.bytes = bytes;
  access.regular = true;
  sanitizer_touch(w, &access, w->exec);
}

// The common case, seen at the price of a comparison: active lanes side by side, aligned, in an
// allocation seen lately. `block` is where lane 0 is, or would be.
static inline __attribute__((always_inline)) bool
one_block(Wavefront *w, const Instruction *in, u32 bytes, MemoryAction action, u64 *block) {
  if (in->info->unit != UNIT_GLOBAL || !w->exec)
    return false;
  const u32 *low = w->vgpr[in->a.index], *active = NULL;
  if (w->exec != ~0ull) {
    expand_exec(w);
    active = w->exec_lanes;
  }
  const u32 first = (u32)__builtin_ctzll(w->exec), begin = low[first] - first * bytes;
  if (!active && low[LANES - 1] != begin + (LANES - 1) * bytes)
    return false; // before the others are looked at: mostly rows of a tile
  u32 apart = off_ramp(low, LANES, begin, bytes, active);
  u64 base;
  if (in->b.kind == OPERAND_NONE) {
    apart |= off_ramp(low + LANES, LANES, low[LANES + first], 0, active);
    base = (u64)low[LANES + first] << 32;
  } else {
    base = scalar_u64(w, &in->b);
  }
  *block = base + begin + (u64)(i64)in->offset;
  const u32 misaligned = (bytes < 4 ? bytes : 4) - 1;
  if (begin > UINT32_MAX - LANES * bytes || (*block & misaligned) || apart ||
      !access_block(w, *block, bytes, action))
    return false;
  if (__builtin_expect(w->shadow != NULL, 0))
    show_block(w, *block, bytes);
  return true;
}

// The next wave mostly accesses what lies behind. The host finds that out by itself, but not where a
// page ends.
static inline __attribute__((always_inline)) void fetch_behind(u64 block, int bytes, bool store) {
  const u8 *behind = (const u8 *)block + LANES * bytes;
  for (int line = 0; line < LANES * bytes; line += DEVICE_L1_LINE)
    if (store)
      __builtin_prefetch(behind + line, 1);
    else
      __builtin_prefetch(behind + line, 0);
}

enum { TILES_AHEAD = 2 };

// The rows of the next tiles, which the host's own prefetching does not follow.
static inline __attribute__((always_inline)) void fetch_tiles_behind(const Spans *spans,
                                                                     int words) {
  if (spans->even || !spans_blocks(spans, words))
    return;
  for (int s = 0; s < SPANS; s++)
    for (int tile = 1; tile <= TILES_AHEAD; tile++)
      __builtin_prefetch((const u8 *)(spans->base[s] + tile * SPAN * spans->stride));
}

static inline __attribute__((always_inline)) void rows_of_blocks(u64 block, int words, u32 *row) {
  fetch_behind(block, 4 * words, false);
  for (int s = 0; s < SPANS; s++)
    rows_of_block((const u8 *)block + 4 * SPAN * words * s, words, row + SPAN * s);
}

// Span by span, by their low halves.
static __attribute__((noinline)) bool lie_near(const Access *access) {
  const Spans *spans = &access->spans;
  bool near = true;
  for (u32 s = 0; near && s < SPANS; s++) {
    u32 place[SPAN];
    for (u32 i = 0, lane = s * SPAN; i < SPAN; i++, lane++)
      place[i] = (u32)(access->regular  ? spans->base[s] + i * spans->stride
                       : access->offset ? access->offset[lane]
                                        : access->address[lane]);
    near = lanes_lie_near(place, access->bytes);
  }
  return near;
}

// The first ones decide: each is a write to what all host threads read.
static __attribute__((noinline)) void sample_lanes(Instruction *in, const Access *access, u8 met) {
  for (int i = 0; i < LANES_WAYS; i++)
    if (__atomic_load_n(&in->sampled[i], __ATOMIC_RELAXED) == UINT8_MAX)
      return;
  if (met == LANES_OTHER && lie_near(access))
    met = LANES_NEAR;
  __atomic_fetch_add(&in->sampled[__builtin_ctz(met)], 1, __ATOMIC_RELAXED);
}

// Translated code makes of it what it does by itself. One load in so many is counted: a prime number, so that it is not
// always the same one of a loop. access: where lanes are; NULL if not LANES_OTHER.
enum { LOADS_FOR_A_SAMPLE = 17, SAMPLES_OF_SOME = 64 };
static inline void note_lanes(Wavefront *w, const Instruction *in, const Access *access, u8 met) {
  if (w->exec != ~0ull)
    return;
  if (!(__atomic_load_n(&in->lanes_met, __ATOMIC_RELAXED) & met))
    __atomic_or_fetch(&program_slot(w->thread->program, in)->lanes_met, met, __ATOMIC_RELAXED);
  if (++w->thread->loads_met % LOADS_FOR_A_SAMPLE == 0)
    sample_lanes(program_slot(w->thread->program, in), access, met);
}

// The same of waves that have lanes off.
static inline void note_some(Wavefront *w, const Instruction *in, bool follow) {
  if (++w->thread->loads_met % LOADS_FOR_A_SAMPLE)
    return;
  Instruction *slot = program_slot(w->thread->program, in);
  uint8_t *times = follow ? &slot->some_follow : &slot->some_apart;
  if (__atomic_load_n(times, __ATOMIC_RELAXED) < SAMPLES_OF_SOME)
    __atomic_fetch_add(times, 1, __ATOMIC_RELAXED);
}

static inline void note_access(Wavefront *w, const Instruction *in, const Access *access) {
  note_lanes(w, in, access,
             !access->regular                                       ? LANES_OTHER
             : access->spans.stride == access->bytes                ? LANES_FOLLOW
             : access->spans.stride == 0                            ? LANES_AT_ONE
             : !lanes_slide(access->spans.stride, 1, access->bytes) ? LANES_OTHER
             : access->spans.stride == 4                            ? LANES_SLIDE
                                                                    : LANES_SLIDE_BY_PAIRS);
}

// Where that is so of all lanes: apart from load_words, of which it needs no stack.
static inline __attribute__((always_inline)) bool load_block(Wavefront *w, const Instruction *in,
                                                             int words) {
  u64 block;
  if (w->exec != ~0ull || !one_block(w, in, 4 * (u32)words, MEMORY_LOAD, &block))
    return false;
  note_lanes(w, in, NULL, LANES_FOLLOW);
  rows_of_blocks(block, words, w->vgpr[in->d.index]);
  return true;
}

// Elements of a list that every work-item goes through, by a reference, or where some have left the loop.
static inline __attribute__((always_inline)) bool load_one_place(Wavefront *w,
                                                                 const Instruction *in, int words) {
  if (!w->exec || !ends_alike(w, w->vgpr[in->a.index]))
    return false; // without a call: most do not
  const u64 address = memory_one_place(w, in, 4 * (u32)words);
  if (!address)
    return false;
  note_lanes(w, in, NULL, LANES_AT_ONE);
  const Four value = value_at((const u8 *)address, words);
  expand_exec(w);
  for (int i = 0; i < words; i++) {
    u32 *row = w->vgpr[in->d.index + i];
    FOR_LANES row[lane] ^= (row[lane] ^ value[i]) & w->exec_lanes[lane];
  }
  return true;
}

static inline __attribute__((always_inline)) void load_words(Wavefront *w, const Instruction *in,
                                                             int words) {
  Access access;
  Row result;
  u64 block;
  if (w->exec != ~0ull && one_block(w, in, 4 * (u32)words, MEMORY_LOAD, &block)) {
    note_some(w, in, true);
    rows_of_blocks(block, words, result.word);
    commit_registers(w, &in->d, words, &result);
    return;
  }
  access.bytes = 4 * (u32)words;
  const u64 rows = in->info->unit == UNIT_FLAT ? memory_private_rows(w, in, access.bytes) : 0;
  if (rows) {
    memcpy(result.word, (const void *)rows, access.bytes * LANES);
    commit_registers(w, &in->d, words, &result);
    return;
  }
  if (load_one_place(w, in, words))
    return;
  u64 lanes = memory_resolve(w, in, &access, MEMORY_LOAD);
  if (w->exec == ~0ull)
    note_access(w, in, &access);
  else
    note_some(w, in, false);
  const bool all = access.regular && lanes == ~0ull;
  if (all && (words < 4 || spans_blocks(&access.spans, words) || access.spans.stride <= 8)) {
    fetch_tiles_behind(&access.spans, words);
    rows_of_spans(&access.spans, 0, words, w->vgpr[in->d.index]);
    return;
  }
  if (access.regular && !all && (access.scratch || access_whole_row(w, &access))) {
    rows_of_spans(&access.spans, 0, words, result.word);
  } else if (access.offset) {
    load_behind_base(w, in, &access, words);
    return;
  } else {
    const bool global = in->info->unit == UNIT_GLOBAL;
    if (access.regular)
      access_spread(&access);
    memset(result.word, 0, 4 * LANES * (size_t)words); // lanes beyond a buffer's records
    FOR_LANES_OF(lanes) {
      load_lane(access.address[lane], !global && is_private(w, access.address[lane]), words,
                &result.word[lane]);
    }
    if (access.parts)
      load_parts(w, in, &access, words, &result);
  }
  commit_registers(w, &in->d, words, &result);
}

// Stores nothing between active lanes: that may be another thread's. Loops that compilers make the host's masked stores of.
typedef u64 WordPair __attribute__((aligned(4), may_alias));
static inline void store_active_words(u32 *restrict to, const u32 *restrict from,
                                      const u32 *restrict active) {
  FOR_LANES if (active[lane]) to[lane] = from[lane];
}
static inline void store_active_pairs(WordPair *restrict to, const u64 *restrict pair,
                                      const u32 *restrict active) {
  FOR_LANES if (active[lane]) to[lane] = pair[lane];
}

static inline __attribute__((always_inline)) void blocks_of_rows(const Wavefront *w, const u32 *row,
                                                                 int words, u64 block) {
  Row all;
  u8 *to = w->exec == ~0ull ? (u8 *)block : (u8 *)all.word;
  const size_t bytes = 4 * (size_t)words;
  fetch_behind(block, 4 * words, true);
  if (w->exec != ~0ull && words == 1) {
    store_active_words((u32 *)block, row, w->exec_lanes);
    return;
  }
  for (int s = 0; s < SPANS; s++)
    block_of_rows(row + SPAN * s, words, to + SPAN * bytes * (size_t)s);
  if (w->exec == ~0ull)
    return;
  if (words == 2)
    store_active_pairs((WordPair *)block, (const u64 *)all.word, w->exec_lanes);
  else if (words == 4)
    FOR_LANES_OF(w->exec) {
      ((volatile MemoryFour *)block)[lane] = ((const Four *)all.word)[lane]; // at once, see spans.h
    }
  else
    FOR_LANES_OF(w->exec)
  memcpy((u8 *)block + (size_t)lane * bytes, to + (size_t)lane * bytes, bytes);
}

// Other lanes of private memory keep what they have; no other wave sees it.
static void store_private_rows(Wavefront *w, const u32 *data, int words, u32 *rows) {
  expand_exec(w);
  for (int i = 0; i < words; i++)
    FOR_LANES {
      u32 *to = &rows[i * LANES + lane];
      *to ^= (*to ^ data[i * LANES + lane]) & w->exec_lanes[lane];
    }
}

static inline __attribute__((always_inline)) void store_words(Wavefront *w, const Instruction *in,
                                                              int words) {
  const u32 *data = w->vgpr[in->c.index];
  u64 block;
  if (one_block(w, in, 4 * (u32)words, MEMORY_STORE, &block)) {
    blocks_of_rows(w, data, words, block);
    return;
  }
  Access access;
  access.bytes = 4 * (u32)words;
  const u64 rows = in->info->unit == UNIT_FLAT ? memory_private_rows(w, in, access.bytes) : 0;
  if (rows) {
    store_private_rows(w, data, words, (u32 *)rows);
    return;
  }
  u64 lanes = memory_resolve(w, in, &access, MEMORY_STORE);
  if (access.regular && lanes == ~0ull && spans_blocks(&access.spans, words)) {
    spans_of_rows(data, words, &access.spans, 0);
    return;
  }
  if (access.regular && access.scratch) {
    store_private_rows(w, data, words, (u32 *)access.spans.base[0]);
    return;
  }
  if (access.regular && !access.offset)
    access_spread(&access);
  EACH_ADDRESS(&access, lanes,
               store_lane(address, !offset && is_private(w, address), words, &data[lane]));
  if (access.parts)
    store_parts(w, in, &access, words, data);
  if (access.copied)
    private_bytes_scatter(w, &access);
}

static void merge_halves(Wavefront *w, const Instruction *in, int merge, Row *result) {
  const u32 *old = w->vgpr[in->d.index];
  FOR_LANES {
    u32 half = result->word[lane] & 0xffff;
    result->word[lane] =
        merge == 1 ? (old[lane] & 0xffff0000) | half : (old[lane] & 0xffff) | half << 16;
  }
}

static inline bool side_by_side_in_spans(const Access *access, u64 lanes) {
  return access->regular && lanes == ~0ull && access->spans.stride == access->bytes;
}

// What is loaded, where a destination keeps one of its halves.
static inline void merge_span(SpanWords *row, const SpanWords *value, int merge) {
  if (merge == 1)
    *row = (*row & 0xffff0000) | (*value & 0xffff);
  else if (merge == 2)
    *row = (*row & 0xffff) | *value << 16;
  else
    *row = *value;
}

// Values of less than a dword.
#define NARROW(T)                                                                                  \
  static inline u32 load_##T(u64 address) {                                                        \
    T value;                                                                                       \
    memcpy(&value, (const void *)address, sizeof value);                                           \
    return (u32)(i32)value;                                                                        \
  }                                                                                                \
  static inline void load_##T##_behind_base(const Access *access, u32 *row) {                      \
    const u64 base = access->base;                                                                 \
    const u32 *offset = access->offset;                                                            \
    for (int i = 0; i < LANES; i += 4)                                                             \
      *(Four *)(row + i) = (Four){load_##T(base + offset[i]), load_##T(base + offset[i + 1]),      \
                                  load_##T(base + offset[i + 2]), load_##T(base + offset[i + 3])}; \
  }                                                                                                \
  static inline void store_##T(u64 address, u32 word) {                                            \
    const T value = (T)word;                                                                       \
    memcpy((void *)address, &value, sizeof value);                                                 \
  }                                                                                                \
  static inline void load_##T##_of_spans(const Spans *spans, u32 *row, int merge) {                \
    for (u32 s = 0; s < SPANS; s++) {                                                              \
      SpanWords value;                                                                             \
      words_of_##T((const void *)spans->base[s], &value);                                          \
      merge_span((SpanWords *)row + s, &value, merge);                                             \
    }                                                                                              \
  }                                                                                                \
  static inline void store_##T##_of_spans(const Spans *spans, const u32 *row, int shift) {         \
    for (u32 s = 0; s < SPANS; s++) {                                                              \
      const SpanWords shifted = ((const SpanWords *)row)[s] >> shift;                              \
      T##_of_words(&shifted, (void *)spans->base[s]);                                              \
    }                                                                                              \
  }                                                                                                \
  /* The same part of each lane's dword: a row of private memory, from where the first's lies. */  \
  static inline void load_##T##_of_row(u64 first, u32 *row) {                                      \
    const u64 place = first % 4;                                                                   \
    for (u32 s = 0; s < SPANS; s++) {                                                              \
      const SpanWords high = ((const MemoryWords *)(first - place))[s]                             \
                             << (32 - 8 * (place + sizeof(T)));                                    \
      ((SpanWords *)row)[s] = (T)-1 < 0 ? (SpanWords)((SpanNumbers)high >> (32 - 8 * sizeof(T)))   \
                                        : high >> (32 - 8 * sizeof(T));                            \
    }                                                                                              \
  }                                                                                                \
  static inline void store_##T##_of_row(Wavefront *w, u64 first, const u32 *row, int shift) {      \
    const u64 place = first % 4;                                                                   \
    const u32 part = (u32)(~0u >> (32 - 8 * sizeof(T))) << 8 * place;                              \
    expand_exec(w);                                                                                \
    for (u32 s = 0; s < SPANS; s++) {                                                              \
      MemoryWords *to = (MemoryWords *)(first - place) + s;                                        \
      const SpanWords value = ((const SpanWords *)row)[s] >> shift << 8 * place;                   \
      *to ^= (*to ^ value) & part & ((const SpanWords *)w->exec_lanes)[s];                         \
    }                                                                                              \
  }
NARROW(u8)
NARROW(i8)
NARROW(u16)
NARROW(i16)
#undef NARROW

static void put_atomic_u32(Row *row, int lane, u32 value) { row->word[lane] = value; }
static void put_atomic_i32(Row *row, int lane, i32 value) { put_i32(row, lane, value); }
static void put_atomic_f32(Row *row, int lane, f32 value) { put_f32(row, lane, value); }
static void put_atomic_u64(Row *row, int lane, u64 value) { put_u64(row, lane, value); }
static void put_atomic_i64(Row *row, int lane, i64 value) { put_i64(row, lane, value); }
static void put_atomic_f64(Row *row, int lane, f64 value) { put_f64(row, lane, value); }

// Loads into LDS give each lane a dword of its own, from here on. The instruction's offset counts there,
// too.
static u64 begin_in_lds(Wavefront *w, const Instruction *in) {
  const u64 begin = (u32)((i32)(w->sgpr[SGPR_M0] & 0xffff) + in->offset);
  FOR_LANES_OF(w->exec)
  (void)lds_access_check(w, lane, begin + 4 * (u64)lane, 4, MEMORY_STORE);
  if (w->shadow && w->exec)
    sanitizer_touch_lds(w, (u64)w->group->lds + begin);
  return begin;
}

#define LOAD(NAME, T, MERGE)                                                                       \
  static bool block_##NAME(Wavefront *w, const Instruction *in) {                                  \
    u64 block;                                                                                     \
    if (w->exec != ~0ull || !one_block(w, in, sizeof(T), MEMORY_LOAD, &block))                     \
      return false;                                                                                \
    note_lanes(w, in, NULL, LANES_FOLLOW);                                                         \
    fetch_behind(block, sizeof(T), false);                                                         \
    const Spans spans = spans_of_block(block, sizeof(T));                                          \
    load_##T##_of_spans(&spans, w->vgpr[in->d.index], MERGE);                                      \
    return true;                                                                                   \
  }                                                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    if (block_##NAME(w, in))                                                                       \
      return;                                                                                      \
    Access access;                                                                                 \
    access.bytes = sizeof(T);                                                                      \
    u64 lanes = memory_resolve(w, in, &access, MEMORY_LOAD);                                       \
    note_access(w, in, &access);                                                                   \
    if (side_by_side_in_spans(&access, lanes)) {                                                   \
      load_##T##_of_spans(&access.spans, w->vgpr[in->d.index], MERGE);                             \
      return;                                                                                      \
    }                                                                                              \
    Row result;                                                                                    \
    if (access.regular && access.scratch) {                                                        \
      load_##T##_of_row(access.spans.base[0], result.word);                                        \
    } else {                                                                                       \
      if (access.regular && !access.offset)                                                        \
        access_spread(&access);                                                                    \
      if (lanes != ~0ull)                                                                          \
        FOR_LANES result.word[lane] = 0;                                                           \
      if (lanes == ~0ull && access.offset)                                                         \
        load_##T##_behind_base(&access, result.word);                                              \
      else                                                                                         \
        EACH_ADDRESS(&access, lanes, result.word[lane] = load_##T(address));                       \
    }                                                                                              \
    if (MERGE)                                                                                     \
      merge_halves(w, in, MERGE, &result);                                                         \
    commit_registers(w, &in->d, 1, &result);                                                       \
  }
#define LOAD_WORDS(NAME, WORDS)                                                                    \
  static __attribute__((noinline)) void do_any_##NAME(Wavefront *w, const Instruction *in) {       \
    load_words(w, in, WORDS);                                                                      \
  }                                                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    if (!load_block(w, in, WORDS))                                                                 \
      do_any_##NAME(w, in);                                                                        \
  }
#define STORE(NAME, T, SHIFT)                                                                      \
  static bool block_##NAME(Wavefront *w, const Instruction *in) {                                  \
    u64 block;                                                                                     \
    if (w->exec != ~0ull || !one_block(w, in, sizeof(T), MEMORY_STORE, &block))                    \
      return false;                                                                                \
    fetch_behind(block, sizeof(T), true);                                                          \
    const Spans spans = spans_of_block(block, sizeof(T));                                          \
    store_##T##_of_spans(&spans, w->vgpr[in->c.index], SHIFT);                                     \
    return true;                                                                                   \
  }                                                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    if (block_##NAME(w, in))                                                                       \
      return;                                                                                      \
    Access access;                                                                                 \
    access.bytes = sizeof(T);                                                                      \
    u64 lanes = memory_resolve(w, in, &access, MEMORY_STORE);                                      \
    const u32 *data = w->vgpr[in->c.index];                                                        \
    if (side_by_side_in_spans(&access, lanes)) {                                                   \
      store_##T##_of_spans(&access.spans, data, SHIFT);                                            \
      return;                                                                                      \
    }                                                                                              \
    if (access.regular && access.scratch) {                                                        \
      store_##T##_of_row(w, access.spans.base[0], data, SHIFT);                                    \
      return;                                                                                      \
    }                                                                                              \
    if (access.regular && !access.offset)                                                          \
      access_spread(&access);                                                                      \
    EACH_ADDRESS(&access, lanes, store_##T(address, data[lane] >> SHIFT));                         \
    if (access.copied)                                                                             \
      private_bytes_scatter(w, &access);                                                           \
  }
#define STORE_WORDS(NAME, WORDS)                                                                   \
  static void do_##NAME(Wavefront *w, const Instruction *in) { store_words(w, in, WORDS); }
// Those of the lanes whose atomic of floats gets lost: gfx90a has no such operation on coherent memory
// of the host, leaves the memory as it is and returns 0.
static __attribute__((noinline)) u64 lost_lanes(Wavefront *w, const Access *access, u64 lanes) {
  u64 lost = 0;
  if (parameters_device()->architecture->float_atomics_of_host)
    return 0;
  FOR_LANES_OF(lanes) {
    const Allocation *allocation = device_memory_find(access->address[lane], access->bytes);
    if (allocation && device_memory_coherent(allocation))
      lost |= 1ull << lane;
  }
  if (lost)
    wavefront_notice(w, __builtin_ctzll(lost),
                     "updates coherent memory of the host (hipHostMalloc, hipHostRegister) by an "
                     "atomic of floats, which this "
                     "device does not do there: memory stays as it is, and 0 comes back. Take "
                     "hipHostMallocNonCoherent or "
                     "hipMalloc, or neither unsafeAtomicAdd nor -munsafe-fp-atomics");
  return lost;
}

// Kernels with atomics run on one host thread (group_order_by_atomics), so that lanes update memory in
// a fixed order and plain loads and stores suffice; where their order is no matter, several host
// threads gather what they update. The host program does not keep that order: of memory that is also
// its own, a place is updated atomically. cmpswap holds the new value in its first registers and the value
// to compare with behind it.
static f32 sum_in_memory(f32 a, f32 b) {
  return parameters_device()->architecture->keeps_sums ? a + b : flushed(flushed(a) + flushed(b));
}
#define ATOMIC(NAME, T, RESULT) UPDATE(NAME, T, RESULT, false)
#define FLOAT_ATOMIC(NAME, T, RESULT) UPDATE(NAME, T, RESULT, true)
#define UPDATE(NAME, T, RESULT, FLOATS)                                                            \
  static void apply_##NAME(u64 address, u64 value) {                                               \
    T a, b, compare = 0, updated, *place = (T *)address;                                           \
    (void)compare;                                                                                 \
    __atomic_load(place, &a, __ATOMIC_RELAXED);                                                    \
    memcpy(&b, &value, sizeof b);                                                                  \
    do                                                                                             \
      updated = RESULT;                                                                            \
    while (!__atomic_compare_exchange(place, &a, &updated, false, __ATOMIC_RELAXED,                \
                                      __ATOMIC_RELAXED));                                          \
  }                                                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Access access;                                                                                 \
    access.bytes = sizeof(T);                                                                      \
    u64 lanes = memory_resolve_lanes(w, in, &access, MEMORY_ATOMIC);                               \
    if (FLOATS && access.shared)                                                                   \
      lanes &= ~lost_lanes(w, &access, lanes);                                                     \
    const u32 *data = w->vgpr[in->c.index], *second = data + LANES * (sizeof(T) / 4);              \
    Row before;                                                                                    \
    if (lanes != w->exec)                                                                          \
      memset(&before, 0, sizeof before); /* beyond a buffer's records, or lost */                  \
    FOR_LANES_OF(lanes) {                                                                          \
      T a, b = get_##T(data, lane),                                                                \
           compare = in->c.registers > sizeof(T) / 4 ? get_##T(second, lane) : 0;                  \
      (void)compare;                                                                               \
      void *place = (void *)access.address[lane];                                                  \
      if (w->thread->updates) {                                                                    \
        bool fresh;                                                                                \
        place = &updates_of(w->thread->updates, (u64)place, apply_##NAME, &fresh)->value;          \
        if (fresh) {                                                                               \
          memcpy(place, &b, sizeof b);                                                             \
          continue;                                                                                \
        }                                                                                          \
      }                                                                                            \
      memcpy(&a, place, sizeof a);                                                                 \
      T updated = RESULT;                                                                          \
      if (!access.shared || w->thread->updates)                                                    \
        memcpy(place, &updated, sizeof updated);                                                   \
      else                                                                                         \
        while (!__atomic_compare_exchange((T *)place, &a, &updated, false, __ATOMIC_RELAXED,       \
                                          __ATOMIC_RELAXED))                                       \
          updated = RESULT;                                                                        \
      put_atomic_##T(&before, lane, a);                                                            \
    }                                                                                              \
    if (in->d.kind != OPERAND_NONE)                                                                \
      commit_registers(w, &in->d, sizeof(T) / 4, &before);                                         \
  }
#define FLOAT_ATOMIC_WITHOUT_BUFFER(NAME, T, RESULT) FLOAT_ATOMIC(NAME, T, RESULT)
#define LOAD_LDS(NAME, T)                                                                          \
  static void do_load_lds_##NAME(Wavefront *w, const Instruction *in) {                            \
    Access access;                                                                                 \
    access.bytes = sizeof(T);                                                                      \
    const u64 lanes = memory_resolve_lanes(w, in, &access, MEMORY_LOAD);                           \
    const u64 begin = begin_in_lds(w, in);                                                         \
    FOR_LANES_OF(w->exec) {                                                                        \
      T value = 0;                                                                                 \
      if (lanes >> lane & 1)                                                                       \
        memcpy(&value, (const void *)access.address[lane], sizeof value);                          \
      const u32 word = (u32)(i32)value;                                                            \
      memcpy(w->group->lds + begin + 4 * (u64)lane, &word, sizeof word);                           \
    }                                                                                              \
  }
#define CACHE(NAME)                                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) { (void)w, (void)in; }
#include "instructions_memory.def"
#undef LOAD
#undef LOAD_WORDS
#undef STORE
#undef STORE_WORDS
#undef ATOMIC
#undef FLOAT_ATOMIC
#undef FLOAT_ATOMIC_WITHOUT_BUFFER
#undef LOAD_LDS
#undef CACHE

#define ROW(PREFIX, NAME, OPERANDS, UNIT, ACTION)                                                  \
  {PREFIX #NAME, do_##NAME, OPERANDS,       TYPE_u32, TYPE_u64, TYPE_u64, TYPE_u32,                \
   UNIT,         0,         PARTS_SELECTED, ACTION,   false,    SQ_INSTS},
#define ROWS(NAME, GLOBAL, FLAT, BUFFER, ACTION)                                                   \
  ROW("global_", NAME, GLOBAL, UNIT_GLOBAL, ACTION)                                                \
  ROW("flat_", NAME, FLAT, UNIT_FLAT, ACTION)                                                      \
  ROW("scratch_", NAME, GLOBAL, UNIT_SCRATCH, ACTION)                                              \
  ROW("buffer_", NAME, BUFFER, UNIT_BUFFER, ACTION)
#define LOAD(NAME, T, MERGE) ROWS(NAME, "dab", "da", "dabe", MEMORY_LOAD)
#define LOAD_WORDS(NAME, WORDS) LOAD(NAME, , )
#define STORE(NAME, T, SHIFT) ROWS(NAME, "acb", "ac", "cabe", MEMORY_STORE)
#define STORE_WORDS(NAME, WORDS) STORE(NAME, , )
#define FLOAT_ATOMIC_WITHOUT_BUFFER(NAME, T, RESULT)                                               \
  ROW("global_", NAME, "dacb", UNIT_GLOBAL, MEMORY_ATOMIC)                                         \
  ROW("flat_", NAME, "dac", UNIT_FLAT, MEMORY_ATOMIC)
#define ATOMIC(NAME, T, RESULT)                                                                    \
  FLOAT_ATOMIC_WITHOUT_BUFFER(NAME, T, RESULT)                                                     \
  ROW("buffer_", NAME, "cabe", UNIT_BUFFER, MEMORY_ATOMIC)
#define FLOAT_ATOMIC(NAME, T, RESULT) ATOMIC(NAME, T, RESULT)
#define LDS_ROW(MNEMONIC, NAME, OPERANDS, UNIT)                                                    \
  {MNEMONIC, do_load_lds_##NAME, OPERANDS,    TYPE_u32, TYPE_u64, TYPE_u64, TYPE_u32, UNIT,        \
   0,        PARTS_SELECTED,     MEMORY_LOAD, false,    SQ_INSTS},
#define LOAD_LDS(NAME, T)                                                                          \
  LDS_ROW("global_load_lds_" #NAME, NAME, "ab", UNIT_GLOBAL)                                       \
  LDS_ROW("global_load_" #NAME " lds", NAME, "ab", UNIT_GLOBAL)                                    \
  LDS_ROW("scratch_load_lds_" #NAME, NAME, "ab", UNIT_SCRATCH)                                     \
  LDS_ROW("buffer_load_" #NAME " lds", NAME, "abe", UNIT_BUFFER)
#define CACHE(NAME)                                                                                \
  {#NAME, do_##NAME,      "",          TYPE_NONE, TYPE_NONE, TYPE_NONE, TYPE_NONE, UNIT_BUFFER,    \
   0,     PARTS_SELECTED, MEMORY_NONE, false,     SQ_INSTS},
const InstructionInfo memory_instructions[] = {
#include "instructions_memory.def"
};
const size_t memory_instruction_count = sizeof memory_instructions / sizeof *memory_instructions;
