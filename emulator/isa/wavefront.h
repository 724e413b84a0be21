// The state of one wavefront, and of the workgroup and host thread it runs in.
//
// In: dispatch sets up registers as the ABI demands. Out: the interpreter changes them instruction
// by instruction.
#ifndef EMULATOR_WAVEFRONT_H
#define EMULATOR_WAVEFRONT_H

#include "accessed_memory.h"
#include "fault.h"
#include "gfx90a.h"
#include "launch.h"
#include "program.h"
#include "trace.h"
#include "updates.h"

#include <setjmp.h>

enum { LANES = DEVICE_WAVEFRONT_SIZE };

typedef enum { WAVE_RUNNING, WAVE_AT_BARRIER, WAVE_AT_GRID_BARRIER, WAVE_DONE } WaveState;

// What one static instruction did during a launch; counters and the per-line report are sums of
// these.
typedef struct {
  uint64_t executions;      // wave instructions issued
  uint64_t lanes;           // vector ALU only: EXEC bits summed over the executions
  uint64_t executed_active; // memory instructions only: executions with at least one active lane
  uint64_t pixels;          // TCP_TOTAL_ACCESSES
  uint64_t tag_lookups;     // TCP_TOTAL_CACHE_ACCESSES
  uint64_t l2_requests;     // of stores and atomics: 64 B requests to L2
  uint64_t global_bytes;    // of vector memory instructions, summed over lanes, without scratch
  uint64_t lds_clocks;      // SQ_LDS_IDX_ACTIVE
  uint64_t lds_conflicts;   // SQ_LDS_BANK_CONFLICT
  uint64_t blocks;          // runs of the translated block that begins here, not yet shared out
  uint64_t block_lanes;     // EXEC bits summed over them
} InstructionProfile;

// Further figures of a vector memory instruction, kept only for the report by source line.
typedef struct {
  uint64_t lines;        // 64 B lines, distinct ones of each execution
  uint64_t fewest_lines; // that could hold the same bytes
  uint64_t bytes;        // accessed, each counted once an execution
  uint64_t sample;       // what the first active lane of the middle workgroup's first wave accessed
                         // first; 0: nothing
} MemoryProfile;

// Lanes that the LDS takes at once, `words` dwords each: it serves 128 B per clk (CDNA2 guide).
static inline uint32_t lds_lanes_at_once(uint32_t words) {
  return words > 2 ? 8 : words > 1 ? 16 : 32;
}

enum { LDS_SEEN = 2 * DEVICE_LDS_BYTES / 4 }; // no two as near to each other as in LDS are one
enum { RANGE_CACHE = 24 };                    // more arrays than most kernels have
enum { RANGE_TABLE_BITS = 11 }; // 48 KiB, of kernels with an allocation for each row of a matrix
enum { SPANS_MET = 256 };       // instructions of a kernel that do not share a place

// The allocation that a memory instruction went to last, live. No bytes: none.
typedef struct {
  uint64_t begin, bytes;
} SpanRange;

// A load by translated code from where it must not: of all in a loop the first, by instruction and lane. NULL: none.
typedef struct {
  const Instruction *in;
  uint64_t address;
  uint32_t bytes;
  int lane;
} LateFault;

// What memory instructions did last: of vector_access.c and lds_pattern.c.
typedef struct Footprint Footprint;
typedef struct LdsPattern LdsPattern;

// What EMULATOR_SANITIZE=1 knows besides, see shadow.h.
typedef struct Shadow Shadow;
typedef struct GroupShadow GroupShadow;

// Of lanes whose bytes do not lie side by side, see private_bytes.h.
typedef struct {
  uint8_t bytes[LANES][16];
  uint64_t address[LANES];
} PrivateCopies;

// Everything one host thread owns while it runs workgroups.
typedef struct {
  const Launch *launch;
  Program *program;
  uint64_t budget;             // instructions a wave may issue: EMULATOR_INSTRUCTION_BUDGET
  uint32_t hot;                // interpreted instructions that make translation pay; 0: none is
  InstructionProfile *profile; // by Instruction.id
  MemoryProfile *memory;       // the same; NULL: nobody wants the report by source line
  AddressRange ranges[RANGE_CACHE]; // live allocations hit recently
  AddressRange
      readable; // of the host's memory that must not be written, met last; with HSA_XNACK=1
  SpanRange spans_met[SPANS_MET]; // by Instruction.id
  uint32_t loads_met;             // whose lanes could be looked at (note_lanes)
  LateFault late;
  AccessedMemory accessed;
  uint64_t clock_read;       // the latest that its waves read, 0: none
  AddressRange *range_table; // more live allocations, by address; NULL: `ranges` has room for all
  Updates *updates;          // of memory; NULL: other host threads update none meanwhile
  struct Progress *progress; // of the launch
  Footprint *footprints;     // NULL before the first; whoever owns the thread keeps or frees them
  LdsPattern *lds_patterns;  // the same
  bool lds_seen[LDS_SEEN];   // dwords of LDS that lds_clocks has met, while it counts
  PrivateCopies private_copies; // of the present instruction
  uint64_t at_grid_barrier;     // waves that wait at ds_gws_barrier
  uint64_t grid_participants;   // that it waits for
  Wavefront *turn;              // whose it is
  Fault fault;
  jmp_buf on_fault; // wavefront_fault jumps here
} HostThread;

typedef struct {
  uint32_t id[3];     // of the workgroup in the grid
  uint32_t size[3];   // work-items along x, y, z; the last workgroup may have fewer than others
  uint64_t index;     // linear, x fastest
  uint8_t *lds;       // DEVICE_LDS_BYTES
  uint32_t lds_bytes; // allocated to this workgroup: static + dynamic, in granules
  uint32_t wave_count;
  uint64_t scratch_bytes; // of each wave
  Wavefront *waves;
  uint32_t begun;     // of the waves
  uint32_t in_memory; // of `waves`: those that began and whose memory no other has taken
  uint64_t issued;    // by those whose memory another has taken
  // Whether it gets anywhere from one barrier to the next, see progress.h.
  bool waiting;               // it comes back to a barrier with all registers as they were
  uint64_t barriers, look_at; // so far; the one at which it was looked at, or will be
  uint64_t waited_at;         // the one at which it was last seen to wait; 0: it never was
  uint64_t scalars, vectors;  // prints of its registers there
  GroupShadow *shadow;        // NULL: nobody wants it
} Workgroup;

struct Wavefront {
  // One 128-entry scalar register file, addressed as in the encoding, with names for what the
  // hardware names.
  union {
    uint32_t sgpr[SGPR_COUNT];
    struct {
      uint32_t sgprs[SGPR_VCC];
      uint64_t vcc;
      uint32_t ttmp[SGPR_M0 - SGPR_TTMP0];
      uint32_t m0, unused;
      uint64_t exec;
    };
  };
  bool scc;
  uint8_t state;          // WaveState
  bool yield;             // leave the run loop after this instruction
  uint8_t gpr_index_mode; // s_set_gpr_idx_on: bits 0 to 2 add M0 to the VGPR numbers of sources a b
                          // c, bit 3 to the destination's
  const Instruction *next; // the instruction to execute next
  const Instruction *in;   // the one being executed
  HostThread *thread;
  Workgroup *group;
  uint32_t number;      // in the workgroup
  Trace trace;          // for the memory model
  uint64_t issued;      // instructions so far: the clock that s_memtime reads
  uint64_t go_on_until; // so many issued, translated code goes from one block to the next
  // Whether the wave gets anywhere, see progress.h.
  bool waiting;            // it repeats the loop below without changing a register
  const Instruction *loop; // where it was looked at last
  uint64_t looked;         // instructions issued until then
  uint32_t look_after;     // how many more until it is looked at again; 0 at first
  uint32_t loop_length;    // instructions of a round
  // Delays that read the clock, see do_s_memtime.
  const Instruction *clock_reader; // the latest
  uint64_t clock_read, clock_ahead, delay_begin;
  uint32_t clock_distance, clock_reads;
  bool clock_delays; // its loop does nothing else
  Shadow *shadow;    // NULL: nobody wants it
  uint8_t *scratch;  // private segment of this wave, swizzled as the hardware does
  uint64_t scratch_bytes, scratch_used; // of it and, from its begin, of what was accessed
  uint32_t mode;                        // HW_REG_MODE
  uint64_t expanded_exec;               // EXEC value that exec_lanes stands for
  uint32_t exec_lanes[LANES] __attribute__((aligned(64))); // ~0 for active lanes
  uint32_t vgpr[512][LANES]
      __attribute__((aligned(64))); // ArchVGPRs 0..255, AccVGPRs from AGPR_BASE
};

// Whether anyone wants to know what memory instructions cost: the banks of LDS, the address unit, requests.
static inline bool traffic_wanted(const Wavefront *w) {
  return !w->thread->launch->traffic_unwanted;
}

// Ends the launch with a fault: writes what happened (format), where (kernel, block, wave, lane >=
// 0 as thread, instruction, source line) and hands control back to dispatch. Does not return.
_Noreturn void wavefront_fault(Wavefront *w, FaultKind kind, int lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Writes such a fault down for one who has control already, and does not know where in its code the wave is.
void wavefront_note_fault(const Wavefront *w, FaultKind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Tells of something that the device tolerates but the programmer surely did not mean; once per
// instruction, on stderr.
void wavefront_notice(Wavefront *w, int lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same each time.
void wavefront_tell(Wavefront *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

// False in functions that the kernel calls.
bool wavefront_in_kernel(const Wavefront *w);

#endif
