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

// Uniform in [-1, 1). The same seed, mixed, serves all positions: random_at(splitmix64(seed), n).
static inline double random_at(uint64_t mixed_seed, uint64_t position) {
  return (double)(int64_t)(splitmix64(mixed_seed + position) >> 11) * 0x1p-52 - 1.0;
}

// Slice k of a random field, its padding too, so that reading an element of that by mistake shows.
void random_slice(const Grid *grid, uint64_t seed, int k, double *slice);

#endif
