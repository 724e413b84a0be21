// Values in memory that streams wait for or write, one by one or in batches.
//
// In: HIP calls, nodes of graphs. Out: work in the order of a stream.
#ifndef EMULATOR_STREAM_VALUES_H
#define EMULATOR_STREAM_VALUES_H

#include "queue.h"

#include <hip/hip_runtime_api.h>
#include <stdint.h>

// hipStreamBatchMemOpParams of ROCm 6.4.
typedef union {
  struct {
    int operation;
    void *address;
    uint64_t value; // 32 bits of it, or all
    unsigned flags;
  } value;
  uint64_t bytes[6];
} BatchOperation;

// Whether each of them can be done now: hipErrorInvalidValue, with a sentence hipErrorNotSupported.
hipError_t batch_check(unsigned count, const BatchOperation *operations);
// Does what batch_check approved, one behind the other.
hipError_t batch_submit(QueueStream stream, unsigned count, const BatchOperation *operations);

#endif
