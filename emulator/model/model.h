// The memory model: replays the traces of all wavefronts in device time.
//
// In: the traces of one launch, workgroup by workgroup in the order of their index, and the
// device's parameters. Out: rocprof's cache, memory and time counters, and for each memory
// instruction what it hit. It knows nothing of instructions and data; see docs/memory-model.md. A
// replay is one sequence of events in time order, so equal traces and parameters give equal
// results.
#ifndef EMULATOR_MODEL_H
#define EMULATOR_MODEL_H

#include "launch.h"
#include "parameters.h"
#include "trace.h"
#include "traffic.h"

#include <stddef.h>

// Time on the device, in sixteenths of an engine clock.
typedef uint64_t Ticks;
enum { TICKS_PER_CLOCK = 16 };

// Traces of one workgroup: wave i has words[begin[i]] to words[begin[i + 1] - 1]. One block of
// memory, from malloc.
enum { MODEL_MAX_WAVES = 16 };
typedef struct {
  uint32_t waves;
  uint32_t begin[MODEL_MAX_WAVES + 1];
  uint64_t words[];
} GroupTrace;

typedef struct {
  // L1 (TCP)
  uint64_t tcp_read_req, tcp_write_req, tcp_atomic_req; // 64 B requests to L2
  uint64_t tcp_read_latency;                            // clk summed over read requests
  uint64_t ta_busy;                                     // clk summed over compute units
  // L2 (TCC)
  uint64_t tcc_req, tcc_read, tcc_write, tcc_atomic, tcc_hit, tcc_miss, tcc_streaming;
  uint64_t tcc_ea_rdreq, tcc_ea_wrreq, tcc_ea_wrreq_64b; // before the flush at the end
  uint64_t tcc_normal_writeback, tcc_normal_evict;
  uint64_t flushed_wrreq, flushed_wrreq_64b, flushed_lines; // dirty lines left at the end
  // time
  uint64_t clocks;      // engine clk from the first wave's launch to the last access's end
  uint64_t wave_clocks; // residence summed over waves, clk
  uint64_t wait_clocks; // of that, waiting at s_waitcnt or for the memory pipeline
} ModelResult;

typedef struct Model Model;

// NULL if the host has no memory.
Model *model_begin(const Parameters *parameters, const Launch *launch);
// Takes the group over and replays as far as is possible without the groups that follow.
void model_feed(Model *model, GroupTrace *group);
// Replays to the end. traffic has launch.instructions entries, or is NULL. Frees the model.
void model_end(Model *model, ModelResult *result, InstructionTraffic *traffic);
// Frees the model of a launch that faulted.
void model_abandon(Model *model);

#endif
