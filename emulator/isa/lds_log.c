// Accesses to LDS that wait: see lds_log.h.
#include "lds_log.h"

typedef struct {
  u16 first, last, wave;
} Range;

// Whether a range of another wave has a dword in common with this one.
static bool meets(const LdsRanges *ranges, const Range *range) {
  u16 some = 0;
  for (u32 i = 0; i < ranges->count; i++)
    some |= (u16)((ranges->first[i] <= range->last) & (ranges->last[i] >= range->first) &
                  (ranges->wave[i] != range->wave));
  return some;
}

static void add(LdsRanges *ranges, const Range *range) {
  const u32 i = ranges->count++;
  ranges->first[i] = range->first;
  ranges->last[i] = range->last;
  ranges->wave[i] = range->wave;
}

// The dwords that the places lie among; false if they are none, or lie otherwise.
static bool range_of(const Wavefront *w, const Places *at, Range *range) {
  const u64 lds = (u64)w->group->lds;
  u64 begin, end;
  if (!at->regular || !at->lanes || at->bytes % 4)
    return false;
  const SpanBases base = at->spans.base - lds;
  if ((base[0] | base[1] | base[2] | base[3] | at->spans.stride) % 4)
    return false;
  spans_reach(&at->spans, at->lanes, at->bytes, &begin, &end);
  if (begin < lds || end > lds + DEVICE_LDS_BYTES)
    return false;
  *range = (Range){(u16)((begin - lds) / 4), (u16)((end - lds) / 4 - 1), (u16)w->number};
  return true;
}

static bool may_wait(const LdsLog *log, const Range *range, bool writes) {
  return !meets(&log->writes, range) && !(writes && meets(&log->reads, range));
}

bool lds_log_add(Wavefront *w, const Instruction *in) {
  LdsLog *log = &w->group->shadow->log;
  const Shadow *shadow = w->shadow;
  const bool writes = in->info->action == MEMORY_STORE;
  Range range[MAX_ACCESSES];
  if (!log->open || log->reads.count + MAX_ACCESSES > LOG_READS ||
      log->writes.count + MAX_ACCESSES > LOG_WRITES)
    return false;
  for (int k = 0; k < shadow->accesses; k++)
    if (!range_of(w, &shadow->touched[k].at, &range[k]) || !may_wait(log, &range[k], writes))
      return false;
  for (int k = 0; k < shadow->accesses; k++) {
    const Touched *touched = &shadow->touched[k];
    LdsRanges *ranges = writes ? &log->writes : &log->reads;
    log->entry[log->count++] =
        (LdsEntry){.in = in, .at = touched->at, .wave = w->number, .write = ranges->count};
    if (writes)
      memcpy(log->changed[ranges->count], touched->changed, LANES * touched->at.bytes / 4);
    add(ranges, &range[k]);
  }
  return true;
}
