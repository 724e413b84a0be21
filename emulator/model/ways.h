// The ways of a set: which of them holds a line, and in which order they were used.
//
// An order is a number of four bits for each of up to 16 ways, the one used last lowest, so that a
// set takes few cache lines of the host and a use no branch. Sets of more ways have a byte for
// each. All zero, an order has not begun.
#ifndef EMULATOR_MODEL_WAYS_H
#define EMULATOR_MODEL_WAYS_H

#include <stdint.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { WAYS_AT_ONCE = 8, WAYS_PACKED = 16, WAYS_MAX = 64 };

// Places for tags, of which some are no ways.
static inline uint32_t ways_padded(uint32_t ways) {
  return (ways + WAYS_AT_ONCE - 1) / WAYS_AT_ONCE * WAYS_AT_ONCE;
}

// The ways that have this tag, a bit each. The host compares WAYS_AT_ONCE at once.
static inline uint64_t ways_with(const uint64_t *tag, uint32_t padded, uint64_t wanted) {
  uint64_t found = 0;
  for (uint32_t i = 0; i < padded; i += WAYS_AT_ONCE) {
#ifdef __AVX512F__
    __m512i all = _mm512_set1_epi64((long long)wanted);
    found |= (uint64_t)_mm512_cmpeq_epi64_mask(_mm512_load_si512(tag + i), all) << i;
#else
    for (uint32_t k = i; k < i + WAYS_AT_ONCE; k++)
      found |= (uint64_t)(tag[k] == wanted) << k;
#endif
  }
  return found;
}

static inline uint32_t order_bytes(uint32_t ways) {
  return ways > WAYS_PACKED ? ways_padded(ways) : sizeof(uint64_t);
}

// The ways from the last to the first, as they are filled.
static inline void order_begin(uint64_t *order, uint32_t ways) {
  if (ways > WAYS_PACKED) {
    for (uint32_t i = 0; i < ways; i++)
      ((uint8_t *)order)[i] = (uint8_t)(ways - 1 - i);
    return;
  }
  for (uint32_t way = 0; way < ways; way++)
    *order = *order << 4 | way;
  *order &= ways < WAYS_PACKED ? (1ull << 4 * ways) - 1 : ~0ull;
}

// The way at a place of the order; place 0 was used last.
static inline uint32_t order_at(const uint64_t *order, uint32_t ways, uint32_t place) {
  return ways > WAYS_PACKED ? ((const uint8_t *)order)[place] : *order >> 4 * place & 15;
}

static inline void order_use_bytes(uint8_t *order, uint32_t way) {
  uint32_t place = 0;
  while (order[place] != way)
    place++;
  memmove(order + 1, order, place);
  order[0] = (uint8_t)way;
}

static inline void order_use(uint64_t *order, uint32_t ways, uint32_t way) {
  const uint64_t ones = 0x1111111111111111ull;
  if (ways > WAYS_PACKED) {
    order_use_bytes((uint8_t *)order, way);
    return;
  }
  uint64_t other = *order ^ ones * way;               // four zeros where the way stands
  uint64_t zero = (other - ones) & ~other & 8 * ones; // lowest bit: of its four the highest
  uint64_t upto = zero ^ (zero - 1);                  // its four and those below
  *order = (*order & ~upto) | (*order << 4 & upto) | way;
}

#endif
