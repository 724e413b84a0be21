// Patterns of LDS addresses: what is kept of one access is told of no other that differs from it.
#include "lds_pattern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

enum { TRIALS = 40000, SHAPES = 24, BYTES = 4096, MOST_WORDS = 4 };

static uint32_t random_word(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

// Lanes side by side, in steps, anywhere.
static uint32_t shape(uint32_t number, uint32_t lane) {
  return number < SHAPES / 2 ? number * lane * 2 : number * lane * lane * 7919 % BYTES;
}

// Mostly all lanes but one or two, so that many masks hold others.
static uint64_t random_lanes(void) {
  const uint64_t without = 1ull << random_word() % LANES | 1ull << random_word() % LANES;
  return random_word() % 4 ? ~without : 1ull << random_word() % LANES;
}

// Thousands of accesses share the few places where patterns are kept.
Test(lds_pattern, is_of_its_own_lanes_and_places) {
  static Wavefront w;
  static Launch launch;
  static HostThread thread = {.launch = &launch};
  _Alignas(64) uint32_t byte[LANES];
  w.thread = &thread;
  for (int trial = 0; trial < TRIALS; trial++) {
    const uint32_t number = random_word() % SHAPES, begin = random_word() % 8,
                   move = random_word() % 8, words = random_word() % MOST_WORDS + 1;
    uint32_t lowest = UINT32_MAX, highest = 0;
    w.exec = random_lanes();
    for (uint32_t lane = 0; lane < LANES; lane++) {
      byte[lane] = begin + shape(number, lane);
      if (!(w.exec >> lane & 1))
        continue;
      lowest = byte[lane] < lowest ? byte[lane] : lowest;
      highest = byte[lane] > highest ? byte[lane] : highest;
    }
    const LdsPattern *pattern = lds_pattern_of(&w, byte, move, words);
    cr_assert(ne(ptr, (void *)pattern, NULL));
    const uint32_t first = byte[__builtin_ctzll(w.exec)];
    cr_assert(all(eq(u64, pattern->lanes, w.exec), eq(u32, pattern->reach, highest - lowest),
                  eq(u32, first + pattern->lowest, lowest),
                  eq(u32, pattern->clocks, lds_clocks(&w, w.exec, byte, move, words))),
              "trial %d", trial);
  }
  free(thread.lds_patterns);
}

// Both have the same place among the kept: their lanes, ends and first step are alike.
Test(lds_pattern, tells_lanes_in_the_middle_apart) {
  static Wavefront w;
  static Launch launch;
  static HostThread thread = {.launch = &launch};
  _Alignas(64) uint32_t byte[LANES];
  const uint64_t lanes[] = {~0ull, ~(1ull << 40)};
  w.thread = &thread;
  for (size_t n = 0; n < sizeof lanes / sizeof *lanes; n++)
    for (uint32_t middle = 20; middle < 22; middle++) {
      w.exec = lanes[n];
      for (uint32_t lane = 0; lane < LANES; lane++)
        byte[lane] = 4 * (lane == 20 ? middle : lane);
      const LdsPattern *pattern = lds_pattern_of(&w, byte, 0, 1);
      cr_assert(all(eq(u32, pattern->distance[20], 4 * middle), eq(u64, pattern->lanes, lanes[n])));
    }
  free(thread.lds_patterns);
}

// Span by span at one place, side by side, in rows of 8, in steps; and at one place, but two spans wait for each other.
Test(lds_pattern, tells_how_lanes_lie) {
  static Wavefront w = {.exec = ~0ull};
  static Launch launch = {.traffic_unwanted = true};
  static HostThread thread = {.launch = &launch};
  _Alignas(64) uint32_t byte[LANES];
  const uint8_t met[] = {LANES_AT_ONE, LANES_FOLLOW, LANES_NEAR, LANES_OTHER, LANES_NEAR};
  w.thread = &thread;
  for (uint32_t way = 0; way < sizeof met; way++) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
      const uint32_t of[] = {lane / 16 * 4, lane * 4, lane / 8 * 512 + lane % 8 * 4, lane * 132,
                             lane / 16 * 128};
      byte[lane] = of[way];
    }
    cr_assert(eq(u8, lds_pattern_of(&w, byte, 0, 1)->met, met[way]), "way %u", way);
  }
  free(thread.lds_patterns);
}
