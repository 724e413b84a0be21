// Random numbers that are a pure function of seed and position, so that any part of an input can be
// made again at any time, in any order.
#ifndef RANDOM_H
#define RANDOM_H

#include "grid.h"

#include <stdint.h>

// splitmix64 (Steele, Lea, Flood 2014): a bijective mix whose outputs at counters 0, 1, 2, ... pass
// BigCrush.
static inline uint64_t splitmix64(uint64_t counter) {
  uint64_t x = counter * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// What a seed comes to. The second key keeps a field from being continued: who sees some elements
// and undoes the outer mix still has a sum of two unknowns for each, where one alone would give the
// rest of the field away, and with it a kernel that loads nothing.
typedef struct {
  uint64_t inner, outer;
} RandomKeys;

static inline RandomKeys random_keys(uint64_t seed) {
  return (RandomKeys){splitmix64(seed), splitmix64(~seed)};
}

// Uniform in [-1, 1).
static inline double random_at(RandomKeys keys, uint64_t position) {
  const uint64_t bits = splitmix64(keys.outer ^ splitmix64(keys.inner + position));
  return (double)(int64_t)(bits >> 11) * 0x1p-52 - 1.0;
}

// Slice k of a random field, its padding too, so that reading an element of that by mistake shows.
void random_slice(const Grid *grid, uint64_t seed, int k, double *slice);

#endif
