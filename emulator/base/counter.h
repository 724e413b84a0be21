// The counters of one kernel launch: the hardware's under rocprof's names, and the emulator's own.
//
// In: dispatch, the profile of each instruction and the memory model add to a Counters. Out: the
// values that counters.h publishes, with the metrics that follow from them. Meaning of each:
// rocprofiler gfx_metrics.xml; semantics as AMD's own MI210 runs of vecCopy show
// (tests/emulator/kernels/counters_vcopy.hip).
#ifndef EMULATOR_COUNTER_H
#define EMULATOR_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

// EMULATOR_GLOBAL_BYTES_*, which no hardware has, sum what each active lane moves, whatever the width
// of the instruction and however many lanes share the bytes. An atomic stores, and loads if it
// returns what was there. Private memory (scratch: spills and stack) is left out.
#define COUNTERS(X)                                                                                \
  X(SQ_WAVES)       /* wavefronts launched */                                                      \
  X(SQ_WAVES_EQ_64) /* wavefronts with all 64 lanes */                                             \
  X(SQ_WAVES_LT_64)                                                                                \
  X(SQ_WAVES_LT_48)                                                                                \
  X(SQ_WAVES_LT_32)                                                                                \
  X(SQ_WAVES_LT_16)                                                                                \
  X(SQ_ITEMS) /* work-items launched */                                                            \
  X(SQ_INSTS) /* wave instructions issued, s_waitcnt and s_endpgm included */                      \
  X(SQ_INSTS_VALU)                                                                                 \
  X(SQ_INSTS_VALU_ADD_F16)                                                                         \
  X(SQ_INSTS_VALU_MUL_F16)                                                                         \
  X(SQ_INSTS_VALU_FMA_F16)                                                                         \
  X(SQ_INSTS_VALU_TRANS_F16)                                                                       \
  X(SQ_INSTS_VALU_ADD_F32)                                                                         \
  X(SQ_INSTS_VALU_MUL_F32)                                                                         \
  X(SQ_INSTS_VALU_FMA_F32)                                                                         \
  X(SQ_INSTS_VALU_TRANS_F32)                                                                       \
  X(SQ_INSTS_VALU_ADD_F64)                                                                         \
  X(SQ_INSTS_VALU_MUL_F64)                                                                         \
  X(SQ_INSTS_VALU_FMA_F64)                                                                         \
  X(SQ_INSTS_VALU_TRANS_F64)                                                                       \
  X(SQ_INSTS_VALU_INT32)                                                                           \
  X(SQ_INSTS_VALU_INT64)                                                                           \
  X(SQ_INSTS_VALU_CVT)                                                                             \
  X(SQ_INSTS_MFMA)                                                                                 \
  X(SQ_VALU_MFMA_BUSY_CYCLES) /* clk that they take, summed over SIMDs */                          \
  X(SQ_INSTS_SALU)                                                                                 \
  X(SQ_INSTS_SMEM)                                                                                 \
  X(SQ_INSTS_SMEM_NORM) /* SMEM weighted by 2, as measured on vecCopy */                           \
  X(SQ_INSTS_VMEM)                                                                                 \
  X(SQ_INSTS_VMEM_RD)                                                                              \
  X(SQ_INSTS_VMEM_WR)                                                                              \
  X(SQ_INSTS_FLAT) /* global_* count as FLAT */                                                    \
  X(SQ_INSTS_FLAT_LDS_ONLY)                                                                        \
  X(SQ_INSTS_LDS)                                                                                  \
  X(SQ_LDS_IDX_ACTIVE)    /* clk that LDS instructions take */                                     \
  X(SQ_LDS_BANK_CONFLICT) /* of these, clk lost to bank conflicts */                               \
  X(SQ_INSTS_GDS)                                                                                  \
  X(SQ_INSTS_BRANCH)                                                                               \
  X(SQ_INSTS_SENDMSG) /* s_sendmsg and s_endpgm */                                                 \
  X(SQ_INST_CYCLES_SALU)                                                                           \
  X(SQ_INST_CYCLES_SMEM)                                                                           \
  X(SQ_THREAD_CYCLES_VALU) /* active lanes summed over VALU instructions */                        \
  X(TA_TOTAL_WAVEFRONTS)   /* vector memory instructions that reached the address unit */          \
  X(TA_FLAT_WAVEFRONTS)                                                                            \
  X(TA_FLAT_READ_WAVEFRONTS)                                                                       \
  X(TA_FLAT_WRITE_WAVEFRONTS)                                                                      \
  X(TA_FLAT_ATOMIC_WAVEFRONTS)                                                                     \
  X(TA_BUFFER_WAVEFRONTS) /* scratch: spills and stack */                                          \
  X(TA_BUFFER_READ_WAVEFRONTS)                                                                     \
  X(TA_BUFFER_WRITE_WAVEFRONTS)                                                                    \
  X(TA_BUFFER_ATOMIC_WAVEFRONTS)                                                                   \
  X(TCP_TOTAL_ACCESSES)                                                                            \
  X(TCP_TOTAL_READ)                                                                                \
  X(TCP_TOTAL_WRITE)                                                                               \
  X(TCP_TOTAL_CACHE_ACCESSES) /* tag look-ups */                                                   \
  X(TCP_TCC_WRITE_REQ)        /* 64 B requests to L2 */                                            \
  X(TCP_TCC_ATOMIC_WITH_RET_REQ)                                                                   \
  X(TCP_TCC_ATOMIC_WITHOUT_RET_REQ)                                                                \
  X(EMULATOR_GLOBAL_BYTES_LOADED) /* of lanes, see below */                                        \
  X(EMULATOR_GLOBAL_BYTES_STORED)

// What follows from the memory model: published only for launches that were modelled.
#define MODELLED_COUNTERS(X)                                                                       \
  X(GRBM_COUNT) /* engine clk of the launch */                                                     \
  X(GRBM_GUI_ACTIVE)                                                                               \
  X(SQ_BUSY_CYCLES) /* summed over shader engines */                                               \
  X(SQ_WAVE_CYCLES) /* residence of waves, quad-cycles */                                          \
  X(SQ_WAIT_ANY)    /* of these, waiting for memory, quad-cycles */                                \
  X(TA_TA_BUSY)                                                                                    \
  X(TCP_UTCL1_TRANSLATION_MISS) /* pages whose address a compute unit had to ask for */            \
  X(TCP_TCC_READ_REQ)           /* 64 B requests to L2 */                                          \
  X(TCP_TCC_READ_REQ_LATENCY)   /* clk summed over them */                                         \
  X(TCC_REQ)                                                                                       \
  X(TCC_READ) /* merged 64 B reads count once */                                                   \
  X(TCC_WRITE)                                                                                     \
  X(TCC_ATOMIC)                                                                                    \
  X(TCC_STREAMING_REQ)                                                                             \
  X(TCC_HIT)                                                                                       \
  X(TCC_MISS)     /* 128 B lines allocated */                                                      \
  X(TCC_EA_RDREQ) /* 64 B reads from HBM */                                                        \
  X(TCC_EA_WRREQ) /* writes to HBM, the flush at the kernel's end included */                      \
  X(TCC_EA_WRREQ_64B)                                                                              \
  X(TCC_NORMAL_WRITEBACK)       /* 128 B lines, before the kernel's end */                         \
  X(TCC_ALL_TC_OP_WB_WRITEBACK) /* 128 B lines, by the flush at the kernel's end */                \
  X(TCC_NORMAL_EVICT)

typedef enum {
#define X(NAME) NAME,
  COUNTERS(X) EXACT_COUNTERS,
  BEFORE_MODELLED = EXACT_COUNTERS - 1,
  MODELLED_COUNTERS(X)
#undef X
      COUNTER_COUNT
} CounterName;

// Counters that tell how lanes lie to each other in memory, and how many are active there. Finding that out takes time.
static inline bool counter_of_traffic(CounterName counter) {
  return counter == SQ_LDS_IDX_ACTIVE || counter == SQ_LDS_BANK_CONFLICT ||
         (counter >= TA_TOTAL_WAVEFRONTS && counter <= EMULATOR_GLOBAL_BYTES_STORED);
}

typedef struct {
  uint64_t value[COUNTER_COUNT];
  bool modelled;        // the memory model ran: counters from EXACT_COUNTERS on are valid
  bool traffic_unknown; // those of counter_of_traffic() were not counted
  double modelled_ms;   // kernel time; 0 without the model
  uint64_t clock_read;  // the latest of the engine's clock that a wave read, 0: none did
} Counters;

#endif
