// Division by a number that stays the same and mostly is a power of two.
#ifndef EMULATOR_MODEL_DIVISION_H
#define EMULATOR_MODEL_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t by;
  uint32_t shift;
  bool power; // by is 1 << shift
} Divisor;

static inline Divisor divisor(uint64_t by) {
  return (Divisor){.by = by, .shift = (uint32_t)__builtin_ctzll(by), .power = (by & (by - 1)) == 0};
}
static inline uint64_t quotient(uint64_t of, Divisor d) {
  return d.power ? of >> d.shift : of / d.by;
}
static inline uint64_t rest(uint64_t of, Divisor d) {
  return d.power ? of & (d.by - 1) : of % d.by;
}

#endif
