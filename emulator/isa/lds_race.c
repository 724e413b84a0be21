// Races in LDS: see lds_race.h. Each wave has a clock for every wave: what it knows of it. An access is
// remembered with its wave's own clock; another wave knows of it once its clock for that wave is as far.
#include "lds_race.h"

#include <stdio.h>

// Whether what this wave does with these bytes may come at the same time as that.
static bool meets(const Wavefront *w, const LdsAccess *other, u8 bytes) {
  const u32 wave = other->thread / LANES;
  return other->clock && (other->bytes & bytes) && wave != w->number &&
         w->shadow->clock[wave] < other->clock;
}

_Noreturn static void refuse(Wavefront *w, int lane, const char *does, u64 byte, const char *did,
                             const LdsAccess *other) {
  char thread[64], line[160];
  shadow_thread(w->group, other->thread / LANES, other->thread % LANES, thread, sizeof thread);
  shadow_line(w, other->in, line, sizeof line);
  wavefront_fault(w, FAULT_SANITIZER, lane,
                  "%s LDS byte %llu, which %s %s at %s, and no barrier stands between the two: a "
                  "race, __syncthreads() is missing",
                  does, byte + 0ull, thread, did, line);
}

static void check(Wavefront *w, int lane, const char *does, const LdsWord *word, u64 byte, u8 bytes,
                  MemoryAction action) {
  if (meets(w, &word->write, bytes))
    refuse(w, lane, does, byte, "writes", &word->write);
  if (action != MEMORY_ATOMIC && meets(w, &word->update, bytes))
    refuse(w, lane, does, byte, "updates", &word->update);
  if (action != MEMORY_LOAD && meets(w, &word->read, bytes))
    refuse(w, lane, does, byte, "reads", &word->read);
  if (action != MEMORY_LOAD && meets(w, &word->read_also, bytes))
    refuse(w, lane, does, byte, "reads", &word->read_also);
}

// A store where others update atomically opens a lock: the compiler makes it of atomicExch().
static MemoryAction action_on(const LdsWord *word, const Instruction *in) {
  const MemoryAction action = in->info->action;
  return action == MEMORY_STORE && word->update.clock ? MEMORY_ATOMIC : action;
}

// The part of a lane's access that lies in one dword.
static void note_word(Wavefront *w, const Instruction *in, int lane, u64 byte, u32 bytes) {
  static const char *const does[] = {
      [MEMORY_LOAD] = "reads", [MEMORY_STORE] = "writes", [MEMORY_ATOMIC] = "updates"};
  LdsWord *word = &w->group->shadow->word[byte / 4];
  const MemoryAction action = action_on(word, in);
  const LdsAccess now = {.in = in,
                         .clock = w->shadow->clock[w->number],
                         .thread = (u16)(w->number * LANES + (u32)lane),
                         .bytes = (u8)(((1u << bytes) - 1) << byte % 4)};
  check(w, lane, does[in->info->action], word, byte, now.bytes, action);
  if (action == MEMORY_LOAD && word->read.thread / LANES != w->number)
    word->read_also = word->read;
  *(action == MEMORY_LOAD    ? &word->read
    : action == MEMORY_STORE ? &word->write
                             : &word->update) = now;
}

static void note_lane(Wavefront *w, const Instruction *in, const Touched *touched, int lane) {
  const u64 begin = touched->at.address[lane] - (u64)w->group->lds, end = begin + touched->at.bytes;
  for (u64 byte = begin, next; byte < end; byte = next) {
    next = byte / 4 * 4 + 4 < end ? byte / 4 * 4 + 4 : end;
    if (in->info->action == MEMORY_LOAD ||
        memcmp(touched->before + (u32)lane * touched->at.bytes + (byte - begin),
               w->group->lds + byte, next - byte) != 0)
      note_word(w, in, lane, byte, (u32)(next - byte));
  }
}

// Whether this wave has read these dwords since it last met the others. Nobody can have changed them
// since without being refused for it. Notes that it has now.
static bool read_already(Wavefront *w, u64 byte, u32 bytes) {
  Shadow *shadow = w->shadow;
  bool all = true;
  if ((byte | bytes) % 4)
    return false;
  if (shadow->read_clock != shadow->clock[w->number]) {
    memset(shadow->lds_read, 0, (w->group->lds_bytes + 31) / 32);
    shadow->read_clock = shadow->clock[w->number];
  }
  for (u64 word = byte / 4; word < (byte + bytes) / 4; word++) {
    all = all && shadow->lds_read[word / 8] >> word % 8 & 1;
    shadow->lds_read[word / 8] |= (u8)(1u << word % 8);
  }
  return all;
}

static void learn(u32 *of, const u32 *from) {
  for (int i = 0; i < MAX_WAVES; i++)
    of[i] = from[i] > of[i] ? from[i] : of[i];
}

static void note_lanes(Wavefront *w, const Instruction *in) {
  const bool loads = in->info->action == MEMORY_LOAD;
  for (int k = 0; k < w->shadow->accesses; k++) {
    const Touched *touched = &w->shadow->touched[k];
    for (u64 lanes = touched->at.lanes; lanes; lanes &= lanes - 1) {
      const int lane = __builtin_ctzll(lanes);
      const u64 byte = touched->at.address[lane] - (u64)w->group->lds;
      if (byte < DEVICE_LDS_BYTES && !(loads && read_already(w, byte, touched->at.bytes)))
        note_lane(w, in, touched, lane);
    }
  }
}

// Whether the instruction is a store where others update atomically.
static bool opens_lock(const Wavefront *w, const Instruction *in) {
  const Shadow *shadow = w->shadow;
  if (in->info->action != MEMORY_STORE || !w->exec || !shadow->accesses)
    return false;
  const u64 byte = shadow->touched[0].at.address[__builtin_ctzll(w->exec)] - (u64)w->group->lds;
  return byte < DEVICE_LDS_BYTES && w->group->shadow->word[byte / 4].update.clock;
}

void lds_race_note(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const bool is_volatile = in->info->unit == UNIT_FLAT && in->info->action != MEMORY_ATOMIC,
             orders =
                 w->exec && (is_volatile || in->info->action == MEMORY_ATOMIC || opens_lock(w, in));
  if (w->group->wave_count == 1)
    return;
  if (orders && in->d.kind != OPERAND_NONE)
    learn(shadow->clock, w->group->shadow->released);
  if (!is_volatile)
    note_lanes(w, in);
  if (orders && in->info->action != MEMORY_LOAD) {
    learn(w->group->shadow->released, shadow->clock);
    shadow->clock[w->number]++;
  }
}

void lds_race_barrier(Workgroup *group) {
  u32 all[MAX_WAVES] = {0};
  for (u32 i = 0; i < group->wave_count; i++)
    learn(all, group->waves[i].shadow->clock);
  for (u32 i = 0; i < group->wave_count; i++) {
    memcpy(group->waves[i].shadow->clock, all, sizeof all);
    group->waves[i].shadow->clock[i]++;
  }
}
