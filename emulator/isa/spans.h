// How the addresses of a memory instruction lie to each other. Mostly lane follows lane at one
// distance, at least within the spans of 16 lanes that a row of a tile gives: then the instruction is
// four bases and a stride instead of 64 addresses.
//
// In: the register with the addresses, or with their low halves, and then the one with the high ones,
// which must be the same for all lanes. Out: Spans, and the way of the data
// between memory and registers as blocks. Vector types keep all of it in the host's registers.
#ifndef EMULATOR_SPANS_H
#define EMULATOR_SPANS_H

#include "lanes.h"

enum { SPAN = 16, SPANS = LANES / SPAN };
typedef u32 SpanWords __attribute__((vector_size(4 * SPAN), may_alias));
typedef SpanWords MemoryWords __attribute__((aligned(1)));
typedef u64 SpanBases __attribute__((vector_size(8 * SPANS), aligned(8)));

typedef struct {
  SpanBases base; // of each span's first lane
  u32 stride;     // from lane to lane, bytes
  bool even;      // from span to span, too
} Spans;

// words: those of a table of SPAN, by their places, of which the low bits count.
static inline void pick_words(SpanWords *words, const MemoryWords *table, const SpanWords *place) {
#ifdef __clang__ // builds the fuzzer, and knows no shuffle by places that vary
  for (int i = 0; i < SPAN; i++)
    (*words)[i] = (*table)[(*place)[i] % SPAN];
#else
  *words = __builtin_shuffle(*table, *place);
#endif
}

// The same of a table of two spans.
static inline void pick_of_two(SpanWords *words, const SpanWords *table, const SpanWords *place) {
#ifdef __clang__
  for (int i = 0; i < SPAN; i++)
    (*words)[i] = table[(*place)[i] / SPAN % 2][(*place)[i] % SPAN];
#else
  *words = __builtin_shuffle(table[0], table[1], *place);
#endif
}

// Behind the last span that has an active lane: waves of small blocks end early.
static inline int spans_end(u64 lanes) {
  return lanes ? (LANES - 1 - __builtin_clzll(lanes)) / SPAN * SPAN + SPAN : 0;
}

// What `count` lanes differ by from a ramp, those that are active; active: NULL if all are. Lane by lane, for compilers to make
// vectors of the host's own width: gcc 12 keeps wider ones in memory.
static inline u32 off_ramp(const u32 *row, u32 count, u32 begin, u32 stride, const u32 *active) {
  u32 apart = 0;
  if (active)
    for (u32 lane = 0; lane < count; lane++, begin += stride)
      apart |= (row[lane] ^ begin) & active[lane];
  else
    for (u32 lane = 0; lane < count; lane++, begin += stride)
      apart |= row[lane] ^ begin;
  return apart;
}

// Whether all lanes of a span lie in the WINDOW bytes that begin at the first one or in those that end with the last, at a
// distance of whole dwords, or of pairs where they have such.
static inline bool lanes_lie_near(const u32 *place, u32 bytes) {
  const u32 first = place[0], last = place[SPAN - 1], most = WINDOW - bytes,
            whole = bytes % 8 ? 4 : 8;
  u32 outside = 0;
  for (int lane = 0; lane < SPAN; lane++)
    outside |= (u32)((place[lane] - first > most) & (last - place[lane] > most)) |
               (place[lane] - first) % whole;
  return !outside;
}

// From the first active lane to the next: what two neighbours tell, and lanes apart that are in one place. Others are
// taken to lie side by side.
static inline u32 stride_of(u64 exec, const u32 *offset, int first, u32 bytes) {
  if (exec >> first & 2)
    return offset[first + 1] - offset[first];
  const u64 behind = exec & (exec - 1);
  return behind && offset[__builtin_ctzll(behind)] == offset[first] ? 0 : bytes;
}

// Whether the active lanes lie so. Where not all are active they must be even, and bases are where
// lanes would be. high: NULL if there are no high halves, which the bases leave out.
static inline bool spans_of(Wavefront *w, const u32 *offset, const u32 *high, u32 bytes,
                            Spans *spans) {
  enum { FARTHEST = 4096 };
  const u32 *active = w->exec == ~0ull ? NULL : w->exec_lanes;
  if (!w->exec)
    return false;
  if (active)
    expand_exec(w);
  const int first = __builtin_ctzll(w->exec);
  const u32 stride = stride_of(w->exec, offset, first, bytes);
  const u32 begin = offset[first] - (u32)first * stride, step = SPAN * stride;
  const u32 other = active ? LANES - 1 - (u32)__builtin_clzll(w->exec) : SPAN - 1;
  if (offset[other] != begin + other * stride)
    return false; // before all are looked at
  u32 apart = high ? off_ramp(high, LANES, high[first], 0, active) : 0;
  spans->stride = stride;
  spans->even = !(apart | off_ramp(offset, LANES, begin, stride, active));
  spans->base = (SpanBases){begin, begin + step, begin + 2 * step, begin + 3 * step};
  if (spans->even || active)
    return spans->even && stride <= FARTHEST;
  for (int s = 0; s < SPANS; s++) {
    const u32 *span = offset + SPAN * s;
    spans->base[s] = span[0];
    apart |= off_ramp(span, SPAN, span[0], stride, NULL);
  }
  return stride <= FARTHEST && !apart;
}

// Of all lanes side by side, `bytes` each.
static inline Spans spans_of_block(u64 begin, u32 bytes) {
  const u64 step = SPAN * (u64)bytes;
  return (Spans){.base = {begin, begin + step, begin + 2 * step, begin + 3 * step},
                 .stride = bytes,
                 .even = true};
}

// Whether both lie alike, wherever they begin.
static inline bool spans_alike(const Spans *a, const Spans *b) {
  SpanBases apart = (a->base - a->base[0]) ^ (b->base - b->base[0]);
  return a->stride == b->stride && !(apart[1] | apart[2] | apart[3]);
}

// The bytes from the first to behind the last that active lanes access.
static inline void spans_reach(const Spans *spans, u64 lanes, u32 bytes, u64 *begin, u64 *end) {
  if (spans->even) {
    *begin = spans->base[0] + (u64)__builtin_ctzll(lanes) * spans->stride;
    *end = spans->base[0] + (LANES - 1 - (u64)__builtin_clzll(lanes)) * spans->stride + bytes;
    return;
  }
  u64 lowest = spans->base[0], highest = lowest;
  for (int s = 1; s < SPANS; s++) {
    lowest = spans->base[s] < lowest ? spans->base[s] : lowest;
    highest = spans->base[s] > highest ? spans->base[s] : highest;
  }
  *begin = lowest;
  *end = highest + (SPAN - 1) * (u64)spans->stride + bytes;
}

// `words` dwords of 16 lanes that follow each other in memory, from and to rows of registers. Four lanes at a time, which every
// host has vectors for: whatever it does, 8 and 16 bytes of a lane move at once, as another host thread may look. (Aligned, they are
// one access where there is AVX: Intel's manual, volume 3, 9.1.1; AMD's, volume 2, 7.3.2.) What is read as volatile is read
// once: of two uses of a vector gcc makes two loads.
typedef u32 Four __attribute__((vector_size(16), may_alias));
typedef Four MemoryFour __attribute__((aligned(1)));
typedef u64 MemoryPair __attribute__((aligned(1), may_alias));
enum { FOUR = 4, FOURS = LANES / FOUR };
#define SHUFFLED __builtin_shufflevector

// Four vectors of four words, `from_step` apart: word i of vector j becomes word j of vector i.
static inline __attribute__((always_inline)) void
transpose(const volatile MemoryFour *from, int from_step, MemoryFour *to, int to_step) {
  const Four a = from[0], b = from[from_step], c = from[2 * from_step], d = from[3 * from_step],
             low_of_two = SHUFFLED(a, b, 0, 4, 1, 5), low_of_others = SHUFFLED(c, d, 0, 4, 1, 5),
             high_of_two = SHUFFLED(a, b, 2, 6, 3, 7), high_of_others = SHUFFLED(c, d, 2, 6, 3, 7);
  to[0] = SHUFFLED(low_of_two, low_of_others, 0, 1, 4, 5);
  to[to_step] = SHUFFLED(low_of_two, low_of_others, 2, 3, 6, 7);
  to[2 * to_step] = SHUFFLED(high_of_two, high_of_others, 0, 1, 4, 5);
  to[3 * to_step] = SHUFFLED(high_of_two, high_of_others, 2, 3, 6, 7);
}

static inline __attribute__((always_inline)) void rows_of_four(const volatile MemoryFour *from,
                                                               int words, MemoryFour *to) {
  if (words == 2) {
    const Four a = from[0], b = from[1];
    to[0] = SHUFFLED(a, b, 0, 2, 4, 6);
    to[FOURS] = SHUFFLED(a, b, 1, 3, 5, 7);
  } else if (words == 3) {
    const Four a = from[0], b = from[1], c = from[2], first = SHUFFLED(a, b, 0, 3, 6, 6),
               second = SHUFFLED(a, b, 1, 4, 7, 7), third = SHUFFLED(a, b, 2, 5, 5, 5);
    to[0] = SHUFFLED(first, c, 0, 1, 2, 5);
    to[FOURS] = SHUFFLED(second, c, 0, 1, 2, 6);
    to[2 * FOURS] = SHUFFLED(third, c, 0, 1, 4, 7);
  } else {
    transpose(from, 1, to, FOURS);
  }
}

static inline __attribute__((always_inline)) void four_of_rows(const MemoryFour *from, int words,
                                                               MemoryFour *to) {
  if (words == 2) {
    const Four a = from[0], b = from[FOURS];
    to[0] = SHUFFLED(a, b, 0, 4, 1, 5);
    to[1] = SHUFFLED(a, b, 2, 6, 3, 7);
  } else if (words == 3) {
    const Four a = from[0], b = from[FOURS], c = from[2 * FOURS],
               first = SHUFFLED(a, b, 0, 4, 1, 1), second = SHUFFLED(a, b, 5, 2, 6, 6),
               third = SHUFFLED(a, b, 3, 7, 7, 7);
    to[0] = SHUFFLED(first, c, 0, 1, 4, 2);
    to[1] = SHUFFLED(second, c, 0, 5, 1, 2);
    to[2] = SHUFFLED(third, c, 6, 0, 1, 7);
  } else {
    transpose(from, FOURS, to, 1);
  }
}
#undef SHUFFLED

// What one lane has there.
static inline Four value_at(const u8 *at, int words) {
  if (words == 4)
    return *(const volatile MemoryFour *)at;
  u32 third = 0;
  u64 pair = 0;
  if (words == 1)
    memcpy(&pair, at, 4);
  else
    pair = *(const volatile MemoryPair *)at;
  if (words == 3)
    memcpy(&third, at + sizeof pair, sizeof third);
  return (Four){(u32)pair, (u32)(pair >> 32), third};
}

static inline __attribute__((always_inline)) void rows_of_block(const u8 *block, int words,
                                                                u32 *row) {
  if (words == 1)
    *(SpanWords *)row = *(const MemoryWords *)block;
  else
    for (int lane = 0; lane < SPAN; lane += FOUR)
      rows_of_four((const volatile MemoryFour *)(block + 4 * words * lane), words,
                   (MemoryFour *)(row + lane));
}

static inline __attribute__((always_inline)) void block_of_rows(const u32 *row, int words,
                                                                u8 *block) {
  if (words == 1)
    *(MemoryWords *)block = *(const SpanWords *)row;
  else
    for (int lane = 0; lane < SPAN; lane += FOUR)
      four_of_rows((const MemoryFour *)(row + lane), words,
                   (MemoryFour *)(block + 4 * words * lane));
}

// Values of less than a dword each, side by side in memory, from and to a register's row. By way of 16
// bits: gcc 12 has no way of its own from bytes to dwords.
typedef int8_t i8;
typedef i32 SpanNumbers __attribute__((vector_size(4 * SPAN)));
#define SPAN_OF(T, HALF)                                                                           \
  typedef T SpanOf_##T __attribute__((vector_size(sizeof(T) * SPAN), aligned(1), may_alias));      \
  typedef HALF SpanHalf_##T __attribute__((vector_size(2 * SPAN)));                                \
  static inline void words_of_##T(const void *block, SpanWords *words) {                           \
    const SpanHalf_##T half = __builtin_convertvector(*(const SpanOf_##T *)block, SpanHalf_##T);   \
    *words = (SpanWords) __builtin_convertvector(half, SpanNumbers);                               \
  }                                                                                                \
  static inline void T##_of_words(const SpanWords *words, void *block) {                           \
    const SpanHalf_##T half = __builtin_convertvector((SpanNumbers)*words, SpanHalf_##T);          \
    *(SpanOf_##T *)block = __builtin_convertvector(half, SpanOf_##T);                              \
  }
SPAN_OF(u8, u16)
SPAN_OF(i8, i16)
SPAN_OF(u16, u16)
SPAN_OF(i16, i16)
#undef SPAN_OF

static inline __attribute__((always_inline)) bool spans_blocks(const Spans *spans, int words) {
  return spans->stride == 4 * (u32)words;
}

// `words` dwords of 16 lanes that lie at one distance.
static inline __attribute__((always_inline)) void rows_of_span(const u8 *block, u32 stride,
                                                               int words, u32 *row) {
  if (stride == 4 * (u32)words) {
    rows_of_block(block, words, row);
  } else if (stride == 0) {
    const Four value = value_at(block, words);
    for (int i = 0; i < words; i++)
      *(SpanWords *)(row + i * LANES) = (SpanWords){0} + value[i];
  } else if (words == 4 && stride == 8) { // each lane and its neighbour
    rows_of_block(block, 2, row);
    rows_of_block(block + 8, 2, row + 2 * LANES);
  } else if (words == 1) {
    for (u32 lane = 0; lane < SPAN; lane++)
      memcpy(&row[lane], block + lane * stride, 4);
  } else {
    for (int lane = 0; lane < SPAN; lane++, block += stride) {
      const Four value = value_at(block, words);
      for (int i = 0; i < words; i++)
        row[lane + i * LANES] = value[i];
    }
  }
}

// Of all lanes, from memory to rows of registers. Bases count from the address `memory`.
static inline __attribute__((always_inline)) void rows_of_spans(const Spans *spans, u64 memory,
                                                                int words, u32 *row) {
  for (int s = 0; s < SPANS; s++)
    rows_of_span((const u8 *)(memory + spans->base[s]), spans->stride, words, row + SPAN * s);
}

// The way back, of lanes that follow each other in each span.
static inline __attribute__((always_inline)) void spans_of_rows(const u32 *row, int words,
                                                                const Spans *spans, u64 memory) {
  for (int s = 0; s < SPANS; s++)
    block_of_rows(row + SPAN * s, words, (u8 *)(memory + spans->base[s]));
}

#endif
