// What the memory model counts in one launch, summed over the device.
#ifndef EMULATOR_MODEL_RESULT_H
#define EMULATOR_MODEL_RESULT_H

#include <stdint.h>

typedef struct {
  // L1 (TCP)
  uint64_t tcp_read_req, tcp_write_req, tcp_atomic_req; // 64 B requests to L2
  uint64_t tcp_read_latency;                            // clk summed over read requests
  uint64_t utcl1_misses;                                // address translations fetched
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
  uint64_t simd_clocks; // of vector ALUs and matrix units, clk in which they were busy, summed
} ModelResult;

#endif
