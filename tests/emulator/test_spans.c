// Spans: addresses that are bases and a stride are recognised, no others, and data moves as lane by lane.
#include "spans.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 16, TRIALS = 400 };

static uint32_t random_word(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

static Wavefront *wave(uint64_t exec) {
  static Wavefront w;
  w.exec = exec;
  return &w;
}

static const uint32_t strides[] = {0, 1, 4, 8, 12, 16, 20, 132};
enum { STRIDES = sizeof strides / sizeof *strides };

// Addresses of spans at random places, or of one ramp through all of them.
static void fill(uint32_t *offset, uint32_t stride, bool even) {
  uint32_t base = 0;
  for (int lane = 0; lane < LANES; lane++) {
    if (lane % SPAN == 0)
      base = lane && even ? base + SPAN * stride : random_word() % (BYTES / 4) & ~3u;
    offset[lane] = base + (uint32_t)(lane % SPAN) * stride;
  }
}

static uint32_t address(const Spans *spans, int lane) {
  return (uint32_t)spans->base[lane / SPAN] + (uint32_t)(lane % SPAN) * spans->stride;
}

Test(spans, are_the_addresses) {
  _Alignas(64) uint32_t offset[LANES];
  for (int trial = 0; trial < TRIALS; trial++) {
    uint64_t exec = trial % 2 ? ~0ull : random_word() | (uint64_t)random_word() << 32 | 1;
    bool even = trial % 4 >= 2 || exec != ~0ull;
    fill(offset, strides[trial % STRIDES], even);
    for (int lane = 0; lane < LANES; lane++)
      if (!(exec >> lane & 1))
        offset[lane] = random_word();
    Spans spans;
    uint64_t begin, end, lowest = UINT64_MAX, highest = 0;
    bool found = spans_of(wave(exec), offset, NULL, 4, &spans);
    // the stride is that of the first two lanes: where the second is left out, it may not be seen
    cr_assert(found || !(exec & 2), "trial %d", trial);
    for (int lane = 0; found && lane < LANES; lane++)
      if (exec >> lane & 1) {
        cr_assert(eq(u32, address(&spans, lane), offset[lane]));
        lowest = offset[lane] < lowest ? offset[lane] : lowest;
        highest = offset[lane] + 4 > highest ? offset[lane] + 4 : highest;
      }
    if (!found)
      continue;
    spans_reach(&spans, exec, 4, &begin, &end);
    cr_assert(eq(u64, begin, lowest));
    cr_assert(eq(u64, end, highest));
  }
}

Test(spans, other_addresses_are_none) {
  _Alignas(64) uint32_t offset[LANES];
  for (int lane = 0; lane < LANES; lane++) {
    Spans spans;
    fill(offset, 8, lane % 2);
    offset[lane] += 4;
    cr_assert(not(spans_of(wave(~0ull), offset, NULL, 4, &spans)), "lane %d", lane);
  }
  fill(offset, 8, false); // where not all lanes are active, spans must be even
  cr_assert(not(spans_of(wave(~1ull), offset, NULL, 4, &(Spans){0})));
  cr_assert(not(spans_of(wave(0), offset, NULL, 4, &(Spans){0})));
}

Test(spans, are_alike_wherever_they_begin) {
  _Alignas(64) uint32_t offset[LANES];
  Spans a, b;
  fill(offset, 8, false);
  cr_assert(spans_of(wave(~0ull), offset, NULL, 4, &a));
  for (int lane = 0; lane < LANES; lane++)
    offset[lane] += 64;
  cr_assert(spans_of(wave(~0ull), offset, NULL, 4, &b));
  cr_assert(spans_alike(&a, &b));
  for (int s = 1; s < SPANS; s++) {
    Spans other = b;
    other.base[s] += 4;
    cr_assert(not(spans_alike(&a, &other)), "span %d", s);
  }
  b.stride = 4;
  cr_assert(not(spans_alike(&a, &b)));
}

Test(spans, share_one_high_half) {
  _Alignas(64) uint32_t offset[LANES], high[LANES];
  Spans spans;
  for (int lane = 0; lane < LANES; lane++) {
    fill(offset, 8, lane % 2);
    for (int i = 0; i < LANES; i++)
      high[i] = 7;
    cr_assert(spans_of(wave(~0ull), offset, high, 4, &spans));
    high[lane] = 8;
    cr_assert(not(spans_of(wave(~0ull), offset, high, 4, &spans)), "lane %d", lane);
    fill(offset, 8, true);
    cr_assert(spans_of(wave(~(1ull << lane)), offset, high, 4, &spans) || lane < 2);
  }
}

// Loads of all widths, and stores of lanes that follow each other.
#define MOVE(WORDS)                                                                                \
  static void move_##WORDS(const Spans *spans, uint8_t *memory, uint32_t *row) {                   \
    rows_of_spans(spans, (uint64_t)memory, WORDS, row);                                            \
    for (int lane = 0; lane < LANES; lane++)                                                       \
      for (int i = 0; i < WORDS; i++)                                                              \
        cr_assert(zero(memcmp(&row[lane + i * LANES], memory + address(spans, lane) + 4 * i, 4))); \
    if (!spans_blocks(spans, WORDS))                                                               \
      return;                                                                                      \
    for (int i = 0; i < WORDS * LANES; i++)                                                        \
      row[i] = random_word();                                                                      \
    spans_of_rows(row, WORDS, spans, (uint64_t)memory);                                            \
    for (int lane = LANES - SPAN; lane < LANES; lane++) /* spans may lie on each other */          \
      for (int i = 0; i < WORDS; i++)                                                              \
        cr_assert(zero(memcmp(&row[lane + i * LANES], memory + address(spans, lane) + 4 * i, 4))); \
  }
MOVE(1)
MOVE(2)
MOVE(3)
MOVE(4)

Test(spans, move_what_lanes_would) {
  static void (*const move[])(const Spans *, uint8_t *, uint32_t *) = {move_1, move_2, move_3,
                                                                       move_4};
  _Alignas(64) static uint32_t offset[LANES], row[4 * LANES];
  static uint8_t memory[BYTES];
  for (int trial = 0; trial < TRIALS; trial++) {
    for (int i = 0; i < BYTES; i++)
      memory[i] = (uint8_t)random_word();
    Spans spans;
    fill(offset, strides[trial % STRIDES], trial / STRIDES % 2);
    cr_assert(spans_of(wave(~0ull), offset, NULL, 4, &spans));
    move[trial / STRIDES / 2 % 4](&spans, memory, row);
  }
}
