// Long rows of bits, one for each byte of some memory.
#ifndef EMULATOR_BITS_H
#define EMULATOR_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Sets bits [first, first + count). Neighbours in a byte may be another thread's.
static inline void bits_set(uint8_t *bits, uint64_t first, uint64_t count) {
  while (count) {
    const uint64_t shift = first % 8, here = count < 8 - shift ? count : 8 - shift,
                   whole = here == 8 ? count / 8 : 0;
    if (whole)
      memset(bits + first / 8, 0xff, whole);
    else
      __atomic_fetch_or(&bits[first / 8], (uint8_t)((0xff >> (8 - here)) << shift),
                        __ATOMIC_RELAXED);
    first += whole ? 8 * whole : here;
    count -= whole ? 8 * whole : here;
  }
}

// Clears those of the bits from `first` on that are set in `which`.
static inline void bits_clear(uint8_t *bits, uint64_t first, uint32_t which) {
  for (; which; which >>= 1, first++)
    if (which & 1)
      __atomic_fetch_and(&bits[first / 8], (uint8_t) ~(1u << first % 8), __ATOMIC_RELAXED);
}

static inline bool bit_is_set(const uint8_t *bits, uint64_t at) {
  return bits[at / 8] >> at % 8 & 1;
}

// Those of up to 32 bits that are not set.
static inline uint32_t bits_missing(const uint8_t *bits, uint64_t first, uint32_t count) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < count; i++)
    missing |= (uint32_t)!bit_is_set(bits, first + i) << i;
  return missing;
}

static inline bool bits_all_set(const uint8_t *bits, uint64_t first, uint64_t count) {
  for (; count && first % 8; first++, count--)
    if (!bit_is_set(bits, first))
      return false;
  uint64_t word;
  for (; count >= 64; first += 64, count -= 64)
    if (memcpy(&word, bits + first / 8, 8), word != ~0ull)
      return false;
  for (; count; first++, count--)
    if (!bit_is_set(bits, first))
      return false;
  return true;
}

#endif
