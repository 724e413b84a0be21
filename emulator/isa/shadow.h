// What EMULATOR_SANITIZE=1 knows of a wave, its workgroup and its launch besides their registers and
// memory. Everything of it is NULL or unused without.
//
// In: workgroups and waves begin here. Out: undefined.h, lds_race.h, pending.h and store_conflict.h
// each keep their part of it.
#ifndef EMULATOR_SHADOW_H
#define EMULATOR_SHADOW_H

#include "lanes.h"
#include "vector_access.h"

enum {
  MAX_WAVES = DEVICE_MAX_WORKGROUP_SIZE / LANES,
  MAX_ACCESSES = 2,
  LDS_DWORDS = DEVICE_LDS_BYTES / 4
};

// Where an undefined value came from.
typedef struct {
  const Instruction *in; // NULL: nothing was ever written to the register
  u64 address;           // that it read; of LDS a byte of the workgroup's
} Origin;

enum { LANE_DWORDS = 5 }; // that a lane touches: 16 bytes, not aligned

// Lanes that lie side by side in memory, or of a load all at one place.
typedef struct {
  u64 begin;
  u32 bytes; // of all
  u8 lane;   // whose the first byte is; at one place the last of them
  u8 shift;  // dword i belongs to lane + (i >> shift)
} Piece;

// Places of an instruction in memory, as addresses of the host.
typedef struct {
  u64 lanes;
  Spans spans;        // where the lanes are, if they are regular,
  const u64 *address; // else these
  u32 bytes;          // of each lane
  int pieces;         // 0: they lie otherwise
  bool regular;
  bool dwords;             // the pieces are whole dwords
  bool others;             // before a store: other workgroups had stored in some of its lines
  bool fresh;              // before a store: some byte was not written yet
  u64 unwritten;           // lanes whose place nobody had written before an atomic update
  u64 theirs[LANE_DWORDS]; // if so: lanes of which they had stored in that dword, some of the bytes
  Piece piece[SPANS];
} Places;

static inline u64 place_of(const Places *at, int lane) {
  return at->regular ? at->spans.base[lane / SPAN] + (u64)(lane % SPAN) * at->spans.stride
                     : at->address[lane];
}

enum { LANE_BYTES = 16 }; // at most

// And what it does to memory there.
typedef struct {
  Places at;
  u64 address[LANES];
  u8 before[LANES * LANE_BYTES];      // of stores and atomics, at.bytes for each lane
  u8 changed[LANES * LANE_BYTES / 4]; // of stores of dwords, which of them, in the order of lanes
} Touched;

// Instructions of one counter that were issued and of which s_waitcnt said they were done.
typedef struct {
  u32 issued, done;
  u32 any_order; // the latest of them that may come before and after others
} Outstanding;

struct Shadow {
  u32 sgpr[SGPR_COUNT];           // undefined bits
  bool sgpr_computed[SGPR_COUNT]; // went through arithmetic, as `computed` below
  bool scc, scc_computed;         // scc: undefined
  Origin scc_origin, sgpr_origin[SGPR_COUNT];
  bool scalar_load[SGPR_COUNT]; // still on their way: they come in any order

  // Order among the waves of the workgroup: what this wave knows that the others have done.
  u32 clock[MAX_WAVES]; // goes on from workgroup to workgroup
  u32 read_clock;       // its own, when the bits of lds_read were set
  bool raised_flag;     // the instruction under way stores what another wave waits for

  u64 alive,
      missed; // lanes at the begin; those that were not there when the wave came to a barrier
  const Instruction *missed_at;

  // What the instruction under way does to memory.
  int accesses;
  Touched touched[MAX_ACCESSES]; // from here on nothing is cleared between waves

  // Results that are still on their way: the number of the instruction whose they are.
  Outstanding vm, lgkm;
  u32 vm_result[512], lgkm_result[512];
  const Instruction *loader[512], *scalar_loader[SGPR_COUNT];

  // Registers: lanes with an undefined bit; those of which all bits are; else which bits. `computed` are
  // those that went through arithmetic.
  u64 undefined[512], whole[512], computed[512];
  Origin origin[512];
  u32 bits[512][LANES];
  u8 lds_read[DEVICE_LDS_BYTES / 32]; // a bit for each dword of LDS that the wave has read since
  u8 *scratch_written;                // a bit for each byte of the wave's scratch
  u8 *scratch_computed;               // a bit for each dword of it, where a byte is not written
};

// The undefined bits of a lane that has some.
static inline u32 shadow_bits(const Shadow *shadow, int r, int lane) {
  return shadow->whole[r] >> lane & 1 ? ~0u : shadow->bits[r][lane];
}

// The latest access of a kind to each dword of LDS: the clock of its wave and which wave, as a stamp, and
// instruction, thread and bytes.
enum { STAMP_WAVE_BITS = 4, MOST_CLOCK = (1u << (32 - STAMP_WAVE_BITS)) - 1 };
typedef struct {
  u32 stamp[LDS_DWORDS];
  u64 who[LDS_DWORDS];
} LdsAccesses;

// Accesses to LDS that wait to be looked at, see lds_log.h.
enum { LOG_READS = 1024, LOG_WRITES = 128, LOG_ALL = LOG_READS + LOG_WRITES };

// From the first dword to the last, in columns: they are compared all at once.
typedef struct {
  u32 count;
  u16 first[LOG_READS], last[LOG_READS], wave[LOG_READS];
} LdsRanges;

typedef struct {
  const Instruction *in;
  Places at;
  u32 wave, write; // a write: which one
} LdsEntry;

typedef struct {
  bool open;   // until the next barrier: no access had to be looked at yet
  bool closed; // as long as the workgroup runs: something but barriers orders its waves
  u32 count;
  LdsRanges reads, writes;
  LdsEntry entry[LOG_ALL];
  u8 changed[LOG_WRITES][LANES * LANE_BYTES / 4];
} LdsLog;

struct GroupShadow {
  LdsLog log;
  LdsAccesses write;
  LdsAccesses update, update_also; // atomic ones: the latest, and the latest of another wave
  LdsAccesses read, read_also;     // the same of loads
  u32 released_in
      [LDS_DWORDS]; // workgroup, by the clock of its begin + 1, of which released_at speaks
  bool plain;       // some access since all waves were at a barrier was no atomic one
  u32 begun, settled, latest; // clocks: all workgroups before were at it; all waves know of what
                              // came until it; no wave is farther
  u8 written[DEVICE_LDS_BYTES / 8 + sizeof(u32)]; // a bit for each byte; may be read as words
  u8 computed[LDS_DWORDS /
              8]; // a bit for each dword of which a byte is not written: arithmetic made it
  u32 released[MAX_WAVES];    // what waves knew that updated something atomically in global memory
  const Instruction *barrier; // that the first wave waits at
  u32 barrier_wave;
  u32 released_at[LDS_DWORDS][MAX_WAVES]; // what waves knew that updated the dword atomically
};

// At the begin of a workgroup and behind each barrier.
static inline void shadow_begin_log(LdsLog *log) {
  log->open = !log->closed;
  log->count = log->reads.count = log->writes.count = 0;
}

// A load straight into LDS touches memory, and then LDS.
static inline bool shadow_loads_into_lds(const Shadow *shadow, const Instruction *in) {
  return shadow->accesses == 2 && in->info->action == MEMORY_LOAD && in->info->unit != UNIT_LDS;
}

// Whether an address of the host is in the workgroup's LDS, or in the wave's private memory.
static inline bool wavefront_in_lds(const Wavefront *w, u64 address) {
  return address - (u64)w->group->lds < DEVICE_LDS_BYTES;
}
static inline bool wavefront_in_scratch(const Wavefront *w, u64 address) {
  return address - (u64)w->scratch < w->scratch_bytes;
}

// Memory for the workgroup's waves; false if the host has none. Nothing without EMULATOR_SANITIZE=1.
bool shadow_allocate(const Launch *launch, Workgroup *group);
void shadow_free(Workgroup *group);

// The workgroup, and then each of its waves, begin. scalars, vectors: how many registers are set up.
void shadow_start_group(Workgroup *group);
void shadow_start_wave(Wavefront *w, int scalars, int vectors);

// "thread (x, y, z)" of a lane of a wave of this workgroup.
void shadow_thread(const Workgroup *group, u32 wave, int lane, char *text, size_t size);

#endif
