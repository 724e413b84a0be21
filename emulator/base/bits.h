// Long rows of bits, one for each byte of some memory.
#ifndef EMULATOR_BITS_H
#define EMULATOR_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Those of byte first / 8 that [first, first + count) has in it; how many goes to *here.
static inline uint8_t bits_of_byte(uint64_t first, uint64_t count, uint64_t *here) {
  *here = count < 8 - first % 8 ? count : 8 - first % 8;
  return (uint8_t)(0xff >> (8 - *here) << first % 8);
}

// Sets bits [first, first + count). Neighbours in a byte may be another thread's.
static inline void bits_set(uint8_t *bits, uint64_t first, uint64_t count) {
  for (uint64_t here; count; first += here, count -= here) {
    const uint8_t mask = bits_of_byte(first, count, &here);
    uint8_t *byte = &bits[first / 8];
    if (here == 8)
      memset(byte, 0xff, count / 8);
    else if ((__atomic_load_n(byte, __ATOMIC_RELAXED) & mask) != mask)
      __atomic_fetch_or(byte, mask, __ATOMIC_RELAXED);
    if (here == 8)
      here = count / 8 * 8;
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
  uint32_t missing = 0, done = 0;
  for (uint64_t here; done < count; done += (uint32_t)here) {
    const uint8_t mask = bits_of_byte(first + done, count - done, &here);
    missing |= (uint32_t)((uint8_t)(~bits[(first + done) / 8] & mask) >> (first + done) % 8)
               << done;
  }
  return missing;
}

static inline bool bits_all_set(const uint8_t *bits, uint64_t first, uint64_t count) {
  for (uint64_t here; count; first += here, count -= here) {
    uint64_t word = 0;
    if (first % 8 == 0 && count >= 64) {
      memcpy(&word, bits + first / 8, sizeof word);
      here = 64;
      if (word != ~0ull)
        return false;
    } else {
      const uint8_t mask = bits_of_byte(first, count, &here);
      if ((bits[first / 8] & mask) != mask)
        return false;
    }
  }
  return true;
}

#endif
