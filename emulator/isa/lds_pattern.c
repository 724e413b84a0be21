// Patterns of LDS addresses: see lds_pattern.h.
#include "lds_pattern.h"

#include <stdlib.h>

enum { BANKS = 32 };

// The LDS serves 128 B per clk from 32 banks of 4 B: 32 lanes of 4 B at once, 16 of 8 B, 8 of 16 B.
// Lanes that meet in a bank at different addresses wait for each other; equal addresses are read
// once. A pass takes one clk even without active lanes, as the bank-conflict example of the ROCm
// Compute Profiler shows (k lanes on one bank: k + 1 clk, k - 1 of them conflicts).
static inline __attribute__((always_inline)) u32 pass_clocks(u64 lanes, const u32 *byte, u32 move,
                                                             u32 words, bool *seen) {
  u8 count[BANKS] = {0};
  u32 most = 1;
  FOR_LANES_OF(lanes)
  for (u32 i = 0; i < words; i++) {
    const u32 word = (byte[lane] + move) / 4 + i, bank = word % BANKS;
    count[bank] += !seen[word % LDS_SEEN];
    seen[word % LDS_SEEN] = true;
    most = count[bank] > most ? count[bank] : most;
  }
  FOR_LANES_OF(lanes)
  for (u32 i = 0; i < words; i++)
    seen[((byte[lane] + move) / 4 + i) % LDS_SEEN] = false;
  return most;
}

static inline __attribute__((always_inline)) u32 all_passes(Wavefront *w, u64 lanes,
                                                            const u32 *byte, u32 move, u32 words) {
  const u32 at_once = lds_lanes_at_once(words);
  u32 clocks = 0;
  for (u32 begin = 0; begin < LANES; begin += at_once) {
    const u64 these = lanes & ((1ull << at_once) - 1) << begin;
    clocks += these & (these - 1) ? pass_clocks(these, byte, move, words, w->thread->lds_seen) : 1;
  }
  return clocks;
}

u32 lds_clocks(Wavefront *w, u64 lanes, const u32 *byte, u32 move, u32 words) {
  return words == 1   ? all_passes(w, lanes, byte, move, 1)
         : words == 2 ? all_passes(w, lanes, byte, move, 2)
                      : all_passes(w, lanes, byte, move, words);
}

// As long as nobody waits, one word of each bank is all there is to know.
u32 lds_clocks_of_few(Wavefront *w, u64 lanes, const u32 *byte, u32 move, u32 words) {
  const u32 at_once = lds_lanes_at_once(words);
  u32 word_of[BANKS], taken = 0, end = 0;
  if (!(lanes & (lanes - 1)))
    return LANES / at_once;
  FOR_LANES_OF(lanes) {
    if ((u32)lane >= end) {
      end = (u32)lane / at_once * at_once + at_once;
      taken = 0;
    }
    for (u32 i = 0; i < words; i++) {
      const u32 word = (byte[lane] + move) / 4 + i, bank = word % BANKS;
      if ((taken >> bank & 1) && word_of[bank] != word)
        return lds_clocks(w, lanes, byte, move, words);
      taken |= 1u << bank;
      word_of[bank] = word;
    }
  }
  return LANES / at_once;
}

LdsPattern *lds_patterns_new(void) { return calloc(1 << LDS_PATTERN_BITS, sizeof(LdsPattern)); }

// Spans of which all lanes are active and lie at one distance upwards, that of the first such.
static void learn_spans(LdsPattern *kept) {
  const u64 span = (1u << SPAN) - 1;
  kept->whole = 0;
  for (int s = 0; s < SPANS; s++) {
    const u32 *distance = kept->distance + SPAN * s, stride = distance[1] - distance[0];
    if ((kept->lanes >> SPAN * s & span) != span ||
        off_ramp(distance, SPAN, distance[0], stride, NULL) || stride > DEVICE_LDS_BYTES ||
        (kept->whole && stride != kept->stride))
      continue;
    kept->stride = stride;
    kept->whole |= 1u << s;
  }
}

// Lanes that follow each other never meet in a bank, and all at one place are served together.
static bool no_lane_waits(const LdsPattern *kept) {
  const u32 bytes = 4 * kept->words;
  bool follow = kept->stride == bytes;
  for (u32 s = 0; s < SPANS; s++)
    follow &= kept->whole >> s & 1 && kept->distance[SPAN * s] == SPAN * s * bytes;
  return kept->reach == 0 || follow;
}

// Span by span.
static bool lie_near(const LdsPattern *kept) {
  bool near = true;
  for (int s = 0; near && s < SPANS; s++)
    near = lanes_lie_near(kept->distance + SPAN * s, 4 * kept->words);
  return near;
}

void lds_pattern_learn(Wavefront *w, const u32 *byte, u32 move, u32 words, LdsPattern *kept) {
  const u32 first = byte[__builtin_ctzll(w->exec)];
  i32 lowest = 0, highest = 0;
  expand_exec(w);
  FOR_LANES {
    const i32 distance = (i32)((byte[lane] - first) & w->exec_lanes[lane]);
    kept->distance[lane] = (u32)distance;
    lowest = distance < lowest ? distance : lowest;
    highest = distance > highest ? distance : highest;
  }
  kept->lanes = w->exec;
  kept->words = words;
  kept->phase = (first + move) % 4;
  kept->lowest = (u32)lowest;
  kept->reach = (u32)highest - (u32)lowest;
  learn_spans(kept);
  const bool whole =
      kept->whole == (1 << SPANS) - 1; // then translated code wants to know whether lanes wait
  kept->clocks = no_lane_waits(kept)          ? LANES / lds_lanes_at_once(words)
                 : whole || traffic_wanted(w) ? lds_clocks(w, w->exec, byte, move, words)
                                              : 0;
  const bool waits = kept->clocks != LANES / lds_lanes_at_once(words);
  kept->met = whole && !waits && kept->stride == 0           ? LANES_AT_ONE
              : whole && !waits && kept->stride == 4 * words ? LANES_FOLLOW
              : kept->lanes == ~0ull && lie_near(kept)       ? LANES_NEAR
                                                             : LANES_OTHER;
}
