// Accesses to LDS that need not be looked at yet, for EMULATOR_SANITIZE=1. Between two barriers the waves of
// most kernels touch each a part of LDS of its own, or only read. As long as that is so nothing can race, and
// it is enough to remember who touched what from where to where. lds_race.c looks at all of it, in its order, when
// that is not so any more.
//
// In: accesses of dwords by lanes that lie at one distance. Out: whether one may wait; those that wait.
#ifndef EMULATOR_LDS_LOG_H
#define EMULATOR_LDS_LOG_H

#include "shadow.h"

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

struct LdsLog {
  bool open;   // until the next barrier: no access had to be looked at yet
  bool closed; // as long as the workgroup runs: something but barriers orders its waves
  u32 count;
  LdsRanges reads, writes;
  LdsEntry entry[LOG_ALL];
  u8 changed[LOG_WRITES][LANES * LANE_BYTES / 4];
};

// At the begin of a workgroup and behind each barrier.
void lds_log_begin(LdsLog *log);

// Adds the accesses of an instruction under way. False, and nothing is done, where one is otherwise, or
// meets what another wave has changed, or would change.
bool lds_log_add(Wavefront *w, const Instruction *in);

#endif
