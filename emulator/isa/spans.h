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

// `words` dwords of 16 lanes that follow each other in memory, from and to rows of registers. The host's
// shuffles take words of two vectors.
#define SHUFFLED __builtin_shufflevector
static inline __attribute__((always_inline)) void rows_of_block(const u8 *block, int words,
                                                                u32 *row) {
  const MemoryWords *from = (const MemoryWords *)block;
  SpanWords *to = (SpanWords *)row; // LANES / SPAN apart
  if (words == 1) {
    *to = *from;
  } else if (words == 2) {
    const SpanWords a = from[0], b = from[1];
    to[0] = SHUFFLED(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    to[SPANS] = SHUFFLED(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  } else if (words == 3) {
    const SpanWords a = from[0], b = from[1], c = from[2],
                    first = SHUFFLED(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0),
                    second = SHUFFLED(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0),
                    third = SHUFFLED(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
    to[0] = SHUFFLED(first, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
    to[SPANS] = SHUFFLED(second, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
    to[2 * SPANS] = SHUFFLED(third, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
  } else {
    SpanWords low[2], high[2]; // of 8 lanes, words 0 and 1, words 2 and 3
    for (int half = 0; half < 2; half++) {
      const SpanWords a = from[2 * half], b = from[2 * half + 1];
      low[half] = SHUFFLED(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
      high[half] = SHUFFLED(a, b, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    }
    to[0] = SHUFFLED(low[0], low[1], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    to[SPANS] =
        SHUFFLED(low[0], low[1], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    to[2 * SPANS] =
        SHUFFLED(high[0], high[1], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    to[3 * SPANS] =
        SHUFFLED(high[0], high[1], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
}
static inline __attribute__((always_inline)) void block_of_rows(const u32 *row, int words,
                                                                u8 *block) {
  MemoryWords *to = (MemoryWords *)block;
  const SpanWords *from = (const SpanWords *)row;
  if (words == 1) {
    *to = *from;
  } else if (words == 2) {
    const SpanWords a = from[0], b = from[SPANS];
    to[0] = SHUFFLED(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    to[1] = SHUFFLED(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  } else if (words == 3) {
    const SpanWords a = from[0], b = from[SPANS], c = from[2 * SPANS],
                    first = SHUFFLED(a, b, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5),
                    second = SHUFFLED(a, b, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26),
                    third =
                        SHUFFLED(a, b, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    to[0] = SHUFFLED(first, c, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
    to[1] = SHUFFLED(second, c, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
    to[2] = SHUFFLED(third, c, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
  } else {
    const SpanWords a = from[0], b = from[SPANS], c = from[2 * SPANS], d = from[3 * SPANS];
    const SpanWords low[] = {
        SHUFFLED(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
        SHUFFLED(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)};
    const SpanWords high[] = {
        SHUFFLED(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
        SHUFFLED(c, d, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)};
    for (int half = 0; half < 2; half++) {
      to[2 * half] =
          SHUFFLED(low[half], high[half], 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
      to[2 * half + 1] = SHUFFLED(low[half], high[half], 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28,
                                  29, 14, 15, 30, 31);
    }
  }
}
#undef SHUFFLED

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
    for (int i = 0; i < words; i++) {
      u32 word;
      memcpy(&word, block + 4 * i, 4);
      *(SpanWords *)(row + i * LANES) = (SpanWords){0} + word;
    }
  } else if (words == 4 && stride == 8) { // each lane and its neighbour
    rows_of_block(block, 2, row);
    rows_of_block(block + 8, 2, row + 2 * LANES);
  } else {
    for (int i = 0; i < words; i++, block += 4)
      for (u32 lane = 0; lane < SPAN; lane++)
        memcpy(&row[lane + (u32)i * LANES], block + lane * stride, 4);
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
