// What the memory model finds for each static memory instruction of a launch, and the report by
// source line prints.
#ifndef EMULATOR_TRAFFIC_H
#define EMULATOR_TRAFFIC_H

#include <stdint.h>

typedef struct {
  uint64_t lookups, l1_hits; // tag look-ups of the vector L1
  uint64_t l2_requests, l2_hits;
  uint64_t fetched_bytes; // from HBM
} InstructionTraffic;

#endif
