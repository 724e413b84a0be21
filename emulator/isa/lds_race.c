// Races in LDS: see lds_race.h. Each wave has a clock for every wave: what it knows of it. An access is
// remembered with its wave's own clock; another wave knows of it once its clock for that wave is as far.
#include "lds_race.h"

#include "bits.h"
#include "flag_load.h"
#include "group_order.h"
#include "lds_log.h"
#include "source_line.h"

#include <stdio.h>

// ---- one dword ----

enum { BYTES_BITS = 4, THREAD_BITS = 16, WAVE_MASK = (1 << STAMP_WAVE_BITS) - 1 };
enum { ALL_BYTES = (1 << BYTES_BITS) - 1, MOST_THREADS = MAX_WAVES * LANES };
// Of the bits for the thread one says: the bytes are of this one and of those behind it, in order.
static const u64 SPREAD = (u64)MOST_THREADS << BYTES_BITS;

static u32 stamp_now(const Wavefront *w) {
  return w->shadow->clock[w->number] << STAMP_WAVE_BITS | w->number;
}
static u64 who(const Wavefront *w, const Instruction *in, int lane, u32 bytes) {
  return ((u64)in->id << THREAD_BITS | (w->number * LANES + (u32)lane)) << BYTES_BITS | bytes;
}
static const Instruction *instruction_of(const Wavefront *w, u64 who) {
  return program_instruction(w->thread->program, (u32)(who >> (THREAD_BITS + BYTES_BITS)));
}
static u32 bytes_of(u64 who) { return who & ALL_BYTES; }
static u32 first_thread_of(u64 who) { return who >> BYTES_BITS & (MOST_THREADS - 1); }

// Whose the byte is that lies so far in the dword.
static u32 thread_of(const Wavefront *w, u64 who, u32 byte) {
  const u32 bytes_of_each = strstr(instruction_of(w, who)->info->mnemonic, "16") ? 2 : 1;
  return first_thread_of(who) +
         (who & SPREAD ? (byte - (u32)__builtin_ctz(bytes_of(who))) / bytes_of_each : 0);
}

// Of another wave, and not certainly before what this one does.
static inline u32 may_meet(u32 stamp, u32 settled, u32 me) {
  return (stamp > settled) & ((stamp & WAVE_MASK) != me);
}

// Everything that all waves know of is at or below this stamp.
static u32 settled_stamp(const GroupShadow *shadow) {
  return shadow->settled << STAMP_WAVE_BITS | WAVE_MASK;
}

// What an action of this kind may come at the same time as. Atomics among themselves never race.
static inline bool some_may_meet(const Wavefront *w, u64 word, MemoryAction action) {
  const GroupShadow *shadow = w->group->shadow;
  const u32 settled = settled_stamp(shadow), me = w->number;
  return may_meet(shadow->write.stamp[word], settled, me) ||
         (action != MEMORY_ATOMIC && (may_meet(shadow->update.stamp[word], settled, me) ||
                                      may_meet(shadow->update_also.stamp[word], settled, me))) ||
         (action != MEMORY_LOAD && (may_meet(shadow->read.stamp[word], settled, me) ||
                                    may_meet(shadow->read_also.stamp[word], settled, me)));
}

// Whether what this wave does with these bytes may come at the same time as that.
static bool meets(const Wavefront *w, const LdsAccesses *others, u64 word, u32 bytes) {
  const u32 stamp = others->stamp[word];
  return (others->who[word] & bytes) &&
         w->shadow->clock[stamp & WAVE_MASK] < stamp >> STAMP_WAVE_BITS;
}

// ---- order ----

// The compiler leaves generic addresses to volatile accesses, and where it does not know better. Volatile loads have glc set;
// stores show nothing, but come with such loads.
static bool is_volatile(const Wavefront *w, const Instruction *in) {
  if (in->info->unit != UNIT_FLAT || in->info->action == MEMORY_ATOMIC)
    return false;
  return in->info->action == MEMORY_LOAD
             ? in->glc
             : group_order_has_volatile(w->thread->program, w->thread->launch->kernel);
}

static void learn(u32 *of, const u32 *from) {
  for (int i = 0; i < MAX_WAVES; i++)
    of[i] = from[i] > of[i] ? from[i] : of[i];
}

// What waves of this workgroup have handed on by a dword of LDS.
static u32 *released_at(GroupShadow *shadow, u64 word) {
  if (shadow->released_in[word] != shadow->begun + 1) {
    memset(shadow->released_at[word], 0, sizeof *shadow->released_at);
    shadow->released_in[word] = shadow->begun + 1;
  }
  return shadow->released_at[word];
}

// Calls for the place of each lane, the same one after the other but once: of a dword of LDS, or of all global memory.
#define FOR_PLACES(W, TOUCHED, PLACE)                                                              \
  for (u32 * PLACE, *last = NULL, next = 1; next; next = 0)                                        \
    FOR_LANES_OF((TOUCHED)->at.lanes)                                                              \
  if ((PLACE = handed_on_at(W, place_of(&(TOUCHED)->at, lane))) != last && (last = PLACE))

static u32 *handed_on_at(const Wavefront *w, u64 address) {
  GroupShadow *shadow = w->group->shadow;
  const u64 byte = address - (u64)w->group->lds;
  return byte < DEVICE_LDS_BYTES ? released_at(shadow, byte / 4) : shadow->released;
}

static void acquire(Wavefront *w, const Touched *touched) {
  FOR_PLACES(w, touched, place) learn(w->shadow->clock, place);
}

static void release(Wavefront *w, const Touched *touched) {
  FOR_PLACES(w, touched, place) learn(place, w->shadow->clock);
}

static void tick(Wavefront *w) {
  GroupShadow *shadow = w->group->shadow;
  u32 *clock = &w->shadow->clock[w->number];
  if (*clock < MOST_CLOCK) // a wave that comes so far is told less
    ++*clock;
  shadow->latest = *clock > shadow->latest ? *clock : shadow->latest;
}

// ---- findings ----

_Noreturn static void refuse(Wavefront *w, int lane, const char *does, u64 byte, const char *did,
                             u64 other) {
  char thread[64], line[160];
  const u32 who = thread_of(w, other, byte % 4);
  shadow_thread(w->group, who / LANES, (int)(who % LANES), thread, sizeof thread);
  source_line(w->thread->program, w->thread->launch->kernel, instruction_of(w, other), line,
              sizeof line);
  wavefront_fault(
      w, FAULT_SANITIZER, lane,
      "%s LDS byte %llu, which %s %s at %s, and no barrier stands between the two: a "
      "race, __syncthreads() is missing. Atomic loads and stores look like plain ones in "
      "machine code: if both are atomic, make the variable volatile, too",
      does, byte + 0ull, thread, did, line);
}

// All that the wave of a stamp did and knew until then. What it does from now on is told apart.
static void learn_until(Wavefront *w, u32 stamp, u64 word) {
  const u32 number = stamp & WAVE_MASK, clock = stamp >> STAMP_WAVE_BITS;
  Wavefront *other = &w->group->waves[number];
  u32 *known = &w->shadow->clock[number], before = *known;
  learn(w->shadow->clock, other->shadow->clock);
  learn(w->shadow->clock, released_at(w->group->shadow, word));
  *known = clock > before ? clock : before;
  tick(other);
}

static LoadRole role_of(const Wavefront *w, const Instruction *load, u64 word) {
  return flag_load_role(w, w->thread->program, load, (u32)(4 * word) - (u32)load->offset);
}

// Whether one of the two is only the first guess of a loop of compare-and-swap. Where that is a function of its own, as
// without optimisation, nobody sees the loop.
static bool only_guesses(const Wavefront *w, const Instruction *in, const Instruction *other,
                         u64 word) {
  const Instruction *load = in->info->action == MEMORY_LOAD ? in : other,
                    *update = load == in ? other : in;
  Program *program = w->thread->program;
  if (load->info->action != MEMORY_LOAD || update->info->action != MEMORY_ATOMIC)
    return false;
  return role_of(w, load, word) == LOAD_GUESSES ||
         (compares_and_swaps(update) && program_calls(program, w->thread->launch->kernel));
}

// Whether one of the two only waits for the other: see flag_load.h. Then it is atomic, or a fence stands behind
// it, and who loads knows from now on what the other has done so far.
static bool waits_for_other(Wavefront *w, const Instruction *in, u32 other_stamp,
                            const Instruction *other, u64 word) {
  const Workgroup *group = w->group;
  if (in->info->action != MEMORY_STORE && role_of(w, in, word) == LOAD_WAITS) {
    learn_until(w, other_stamp, word);
    return true;
  }
  if (other->info->action != MEMORY_LOAD || role_of(w, other, word) != LOAD_WAITS)
    return false;
  for (u32 i = 0; i < group->wave_count; i++) // they read it again
    bits_clear(group->waves[i].shadow->lds_read, word, 1);
  w->shadow->raised_flag = true;
  return true;
}

static void check(Wavefront *w, const Instruction *in, int lane, const char *does, u64 byte,
                  u32 bytes, MemoryAction action) {
  const GroupShadow *shadow = w->group->shadow;
  const struct {
    const LdsAccesses *others;
    const char *did;
    bool matters;
  } kind[] = {{&shadow->write, "writes", true},
              {&shadow->update, "updates", action != MEMORY_ATOMIC},
              {&shadow->update_also, "updates", action != MEMORY_ATOMIC},
              {&shadow->read, "reads", action != MEMORY_LOAD},
              {&shadow->read_also, "reads", action != MEMORY_LOAD}};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
    if (!kind[i].matters || !meets(w, kind[i].others, byte / 4, bytes))
      continue;
    const u64 who = kind[i].others->who[byte / 4];
    const Instruction *other = instruction_of(w, who);
    const bool left_it = other->info->action == MEMORY_STORE && *kind[i].did == 'r';
    if (!(is_volatile(w, in) && is_volatile(w, other)) && !only_guesses(w, in, other, byte / 4) &&
        !waits_for_other(w, in, kind[i].others->stamp[byte / 4], other, byte / 4))
      refuse(w, lane, does, byte / 4 * 4 + (u32)__builtin_ctz(bytes_of(who) & bytes),
             left_it ? "writes, with the value that it has," : kind[i].did, who);
  }
}

static bool was_updated(const GroupShadow *shadow, u64 word) {
  return shadow->update.stamp[word] >> STAMP_WAVE_BITS > shadow->begun;
}

// By an atomic that brings the old value back, as one that takes a lock does. A store there may open it: the compiler makes it
// of atomicExch().
static bool may_be_locked(const Wavefront *w, u64 word) {
  const GroupShadow *shadow = w->group->shadow;
  return was_updated(shadow, word) &&
         instruction_of(w, shadow->update.who[word])->info->action == MEMORY_ATOMIC &&
         instruction_of(w, shadow->update.who[word])->d.kind != OPERAND_NONE;
}

// Whether the bytes of `next` come behind those of `first` as their threads do, and the same instruction touches both.
static bool is_next(u64 first, u64 next) {
  const u32 bytes = bytes_of(next),
            apart = (u32)__builtin_ctz(bytes) - (u32)__builtin_ctz(bytes_of(first));
  return first >> (THREAD_BITS + BYTES_BITS) == next >> (THREAD_BITS + BYTES_BITS) &&
         first_thread_of(next) > first_thread_of(first) && bytes != ALL_BYTES &&
         apart == (first_thread_of(next) - first_thread_of(first)) * (u32)__builtin_popcount(bytes);
}

// Bytes of a dword that a wave touches one after the other, between the same events, are remembered together.
static void stamp_bytes(LdsAccesses *accesses, u64 word, u32 now, u64 who) {
  const u64 before = accesses->stamp[word] == now ? accesses->who[word] : 0;
  accesses->stamp[word] = now;
  if (before && is_next(before, who))
    accesses->who[word] = before | bytes_of(who) | SPREAD;
  else
    accesses->who[word] = bytes_of(who) & ~bytes_of(before) ? who | bytes_of(before) : before;
}

// The latest of another wave is kept as well.
static inline void stamp_with(LdsAccesses *latest, LdsAccesses *also, u64 word, u32 now, u64 who) {
  if ((latest->stamp[word] ^ now) & WAVE_MASK) {
    also->stamp[word] = latest->stamp[word];
    also->who[word] = latest->who[word];
  }
  stamp_bytes(latest, word, now, who);
}
static inline void stamp_read(GroupShadow *shadow, u64 word, u32 now, u64 who) {
  stamp_with(&shadow->read, &shadow->read_also, word, now, who);
}
static inline void stamp_update(GroupShadow *shadow, u64 word, u32 now, u64 who) {
  stamp_with(&shadow->update, &shadow->update_also, word, now, who);
}

// The part of a lane's access that lies in one dword.
static void note_word(Wavefront *w, const Instruction *in, int lane, u64 byte, u32 count) {
  static const char *const does[] = {
      [MEMORY_LOAD] = "reads", [MEMORY_STORE] = "writes", [MEMORY_ATOMIC] = "updates"};
  GroupShadow *shadow = w->group->shadow;
  const u64 word = byte / 4;
  const u32 bytes = ((1u << count) - 1) << byte % 4;
  const MemoryAction is = in->info->action,
                     action = is == MEMORY_STORE && may_be_locked(w, word) ? MEMORY_ATOMIC : is;
  if (some_may_meet(w, word, action))
    check(w, in, lane, does[is], byte, bytes, action);
  const u64 me = who(w, in, lane, bytes);
  if (action == MEMORY_LOAD)
    stamp_read(shadow, word, stamp_now(w), me);
  else if (action == MEMORY_STORE)
    stamp_bytes(&shadow->write, word, stamp_now(w), me);
  else
    stamp_update(shadow, word, stamp_now(w), me);
}

// ---- dwords that this wave has read ----

// Since it last met the others. Nobody can have changed them since without being refused for it.
static bool has_read(const Wavefront *w, u64 word, u32 words) {
  return bits_all_set(w->shadow->lds_read, word, words);
}

static void set_read(Wavefront *w, u64 word, u32 words) {
  if (words >= 8) {
    bits_set(w->shadow->lds_read, word, words);
    return;
  }
  for (u64 i = word; i < word + words; i++) // no other thread of the host sees them
    w->shadow->lds_read[i / 8] |= (u8)(1u << i % 8);
}

// A store that leaves the bytes as they are counts as a load: it meets neither loads nor stores of the same value, but one of another
// value, and this wave loads what it stored itself, whoever stored it, too.
static inline void stamp_left(Wavefront *w, u64 word, u32 now, u64 who) {
  stamp_read(w->group->shadow, word, now, who);
  if (bytes_of(who) == ALL_BYTES)
    set_read(w, word, 1);
}

static void forget_older_reads(Wavefront *w) {
  Shadow *shadow = w->shadow;
  if (shadow->read_clock == shadow->clock[w->number])
    return;
  memset(shadow->lds_read, 0, (w->group->lds_bytes + 31) / 32);
  shadow->read_clock = shadow->clock[w->number];
}

// ---- one lane ----

static bool changed(const u8 *before, const u8 *now, u64 bytes) {
  u32 was, is;
  if (bytes != sizeof was)
    return memcmp(before, now, bytes) != 0;
  memcpy(&was, before, sizeof was);
  memcpy(&is, now, sizeof is);
  return was != is;
}

static void note_lane(Wavefront *w, const Instruction *in, const Touched *touched, int lane) {
  const u32 bytes = touched->at.bytes;
  const u64 begin = place_of(&touched->at, lane) - (u64)w->group->lds, end = begin + bytes;
  const bool loads = in->info->action == MEMORY_LOAD, whole = !((begin | bytes) % 4),
             stores = in->info->action == MEMORY_STORE, stores_whole = whole && stores;
  if (begin >= DEVICE_LDS_BYTES || (loads && whole && has_read(w, begin / 4, bytes / 4)))
    return;
  for (u64 byte = begin, next; byte < end; byte = next) {
    next = byte / 4 * 4 + 4 < end ? byte / 4 * 4 + 4 : end;
    const u64 from = (u32)lane * bytes + (byte - begin);
    if (!stores ||
        (stores_whole ? touched->changed[from / 4]
                      : changed(touched->before + from, w->group->lds + byte, next - byte)))
      note_word(w, in, lane, byte, (u32)(next - byte));
    else
      stamp_left(w, byte / 4, stamp_now(w),
                 who(w, in, lane, ((1u << (next - byte)) - 1) << byte % 4));
  }
  if (loads && whole)
    set_read(w, begin / 4, bytes / 4);
}

// ---- lanes side by side ----

// Notes them; false, and nothing is done, where each must be looked at.
static bool note_loaded(Wavefront *w, const Instruction *in, const Piece *piece, u64 word) {
  GroupShadow *shadow = w->group->shadow;
  const u32 settled = settled_stamp(shadow), me = w->number, words = piece->bytes / 4,
            now = stamp_now(w);
  const u64 mine = who(w, in, piece->lane, 15);
  u32 some = 0;
  if (has_read(w, word, words))
    return true;
  for (u32 i = 0; i < words; i++)
    some |= may_meet(shadow->write.stamp[word + i], settled, me) |
            may_meet(shadow->update.stamp[word + i], settled, me) |
            may_meet(shadow->update_also.stamp[word + i], settled, me);
  if (some)
    return false;
  for (u32 i = 0; i < words; i++) {
    const u32 before = shadow->read.stamp[word + i];
    const bool others = (before & WAVE_MASK) != me;
    shadow->read_also.stamp[word + i] = others ? before : shadow->read_also.stamp[word + i];
    shadow->read_also.who[word + i] =
        others ? shadow->read.who[word + i] : shadow->read_also.who[word + i];
    shadow->read.stamp[word + i] = now;
    shadow->read.who[word + i] = mine + ((u64)(i >> piece->shift) << BYTES_BITS);
  }
  set_read(w, word, words);
  return true;
}

// What is stored as it was counts as no change.
static bool note_stored(Wavefront *w, const Instruction *in, const Piece *piece, u64 word,
                        const u8 *changes) {
  GroupShadow *shadow = w->group->shadow;
  const u32 settled = settled_stamp(shadow), me = w->number, words = piece->bytes / 4,
            now = stamp_now(w), never = shadow->begun << STAMP_WAVE_BITS | WAVE_MASK;
  const u64 mine = who(w, in, piece->lane, 15);
  u32 some = 0, same = 0;
  for (u32 i = 0; i < words; i++)
    some |= changes[i] & ((shadow->update.stamp[word + i] > never) |
                          may_meet(shadow->write.stamp[word + i], settled, me) |
                          may_meet(shadow->read.stamp[word + i], settled, me) |
                          may_meet(shadow->read_also.stamp[word + i], settled, me));
  for (u32 i = 0; !some && i < words; i++) {
    shadow->write.stamp[word + i] = changes[i] ? now : shadow->write.stamp[word + i];
    shadow->write.who[word + i] =
        changes[i] ? mine + ((u64)(i >> piece->shift) << BYTES_BITS) : shadow->write.who[word + i];
    same |= !changes[i];
  }
  for (u32 i = 0; same && i < words; i++)
    if (!changes[i])
      stamp_left(w, word + i, now, mine + ((u64)(i >> piece->shift) << BYTES_BITS));
  return !some;
}

static bool note_piece(Wavefront *w, const Instruction *in, const Touched *touched,
                       const Piece *piece) {
  const u64 byte = piece->begin - (u64)w->group->lds;
  if (!touched->at.dwords || byte >= DEVICE_LDS_BYTES)
    return false;
  return in->info->action == MEMORY_LOAD
             ? note_loaded(w, in, piece, byte / 4)
             : note_stored(w, in, piece, byte / 4,
                           touched->changed + piece->lane * touched->at.bytes / 4);
}

// ---- dwords of lanes that lie apart ----

// What this wave must not come at the same time as, of a dword that it changes if it does not load.
static inline u32 dword_may_meet(const GroupShadow *shadow, u64 word, MemoryAction action,
                                 u32 settled, u32 me) {
  const u32 never = shadow->begun << STAMP_WAVE_BITS | WAVE_MASK;
  u32 some = may_meet(shadow->write.stamp[word], settled, me);
  if (action == MEMORY_LOAD)
    return some | may_meet(shadow->update.stamp[word], settled, me) |
           may_meet(shadow->update_also.stamp[word], settled, me);
  if (action == MEMORY_STORE)
    some |= shadow->update.stamp[word] > never; // it may open a lock
  return some | may_meet(shadow->read.stamp[word], settled, me) |
         may_meet(shadow->read_also.stamp[word], settled, me);
}

static inline void stamp_dword(GroupShadow *shadow, u64 word, MemoryAction action, u32 now,
                               u64 who) {
  if (action == MEMORY_LOAD) {
    stamp_read(shadow, word, now, who);
  } else if (action == MEMORY_ATOMIC) {
    stamp_update(shadow, word, now, who);
  } else {
    shadow->write.stamp[word] = now;
    shadow->write.who[word] = who;
  }
}

// Whether dword i of a lane has to be noted: one that the wave has not read yet, or may have changed.
static inline bool counts(const Touched *touched, MemoryAction action, bool is_read, int lane,
                          u32 words, u32 i) {
  return action == MEMORY_LOAD    ? !is_read
         : action == MEMORY_STORE ? touched->changed[(u32)lane * words + i]
                                  : true; // that nothing changes is luck
}

// As above. Where nothing but atomics came since the last barrier they meet nothing.
static inline __attribute__((always_inline)) bool note_dwords(Wavefront *w, const Instruction *in,
                                                              const Touched *touched, u32 words) {
  const Places *at = &touched->at;
  GroupShadow *shadow = w->group->shadow;
  const MemoryAction action = in->info->action;
  const bool loads = action == MEMORY_LOAD, free = action == MEMORY_ATOMIC && !shadow->plain;
  const u32 settled = settled_stamp(shadow), me = w->number, now = stamp_now(w);
  const u64 lds = (u64)w->group->lds, mine = who(w, in, 0, 15);
  u32 some = 0;
  FOR_LANES_OF(at->lanes) {
    const u64 byte = place_of(at, lane) - lds;
    const bool elsewhere = byte > DEVICE_LDS_BYTES - 4 * words || byte % 4;
    const u64 word = elsewhere ? 0 : byte / 4;
    const bool is_read = loads && has_read(w, word, words);
    some |= elsewhere;
    for (u32 i = 0; !free && i < words; i++)
      some |= counts(touched, action, is_read, lane, words, i) &
              dword_may_meet(shadow, word + i, action, settled, me);
  }
  if (some)
    return false;
  FOR_LANES_OF(at->lanes) {
    const u64 word = (place_of(at, lane) - lds) / 4;
    const bool is_read = loads && has_read(w, word, words);
    for (u32 i = 0; i < words; i++)
      if (counts(touched, action, is_read, lane, words, i))
        stamp_dword(shadow, word + i, action, now, mine + ((u64)lane << BYTES_BITS));
      else if (action == MEMORY_STORE)
        stamp_left(w, word + i, now, mine + ((u64)lane << BYTES_BITS));
    if (loads)
      set_read(w, word, words);
  }
  return true;
}

static bool note_lanes(Wavefront *w, const Instruction *in, const Touched *touched) {
  const u32 bytes = touched->at.bytes;
  if (bytes == 4)
    return note_dwords(w, in, touched, 1);
  return in->info->action != MEMORY_ATOMIC && (bytes == 8 || bytes == 16) &&
         note_dwords(w, in, touched, bytes / 4);
}

// Pieces are noted in their order up to one that is not clear; then the lanes of all, which changes
// nothing where that was done.
static void note_access(Wavefront *w, const Instruction *in, const Touched *touched) {
  int noted = 0;
  forget_older_reads(w);
  w->group->shadow->plain |= in->info->action != MEMORY_ATOMIC;
  while (noted < touched->at.pieces && note_piece(w, in, touched, &touched->at.piece[noted]))
    noted++;
  if ((noted && noted == touched->at.pieces) || note_lanes(w, in, touched))
    return;
  for (u64 lanes = touched->at.lanes; lanes; lanes &= lanes - 1)
    note_lane(w, in, touched, __builtin_ctzll(lanes));
}

// Whether the instruction is a store where others take a lock.
static bool opens_lock(const Wavefront *w, const Instruction *in) {
  const Shadow *shadow = w->shadow;
  if (in->info->action != MEMORY_STORE || !w->exec || !shadow->accesses)
    return false;
  const u64 byte = place_of(&shadow->touched[0].at, __builtin_ctzll(w->exec)) - (u64)w->group->lds;
  return byte < DEVICE_LDS_BYTES && may_be_locked(w, byte / 4);
}

// Looks at all that has waited. Nothing of it races, but what comes now may race with it.
static void look_at_log(Workgroup *group) {
  LdsLog *log = &group->shadow->log;
  Touched touched;
  for (u32 i = 0; i < log->count; i++) {
    const LdsEntry *entry = &log->entry[i];
    touched.at = entry->at;
    if (entry->in->info->action == MEMORY_STORE)
      memcpy(touched.changed, log->changed[entry->write], sizeof touched.changed);
    note_access(&group->waves[entry->wave], entry->in, &touched);
  }
  shadow_begin_log(log);
  log->open = false;
}

// An atomic that brings the old value back comes behind the store of another wave only if something else orders the two,
// or it waits for that store.
static void check_old_values(Wavefront *w, const Instruction *in, const Touched *touched) {
  const GroupShadow *shadow = w->group->shadow;
  const u32 settled = settled_stamp(shadow);
  FOR_LANES_OF(touched->at.lanes) {
    const u64 byte = place_of(&touched->at, lane) - (u64)w->group->lds;
    if (byte < DEVICE_LDS_BYTES && may_meet(shadow->write.stamp[byte / 4], settled, w->number))
      check(w, in, lane, "updates", byte, ALL_BYTES, MEMORY_ATOMIC);
  }
}

void lds_race_note(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  LdsLog *log = &w->group->shadow->log;
  if (w->group->wave_count == 1 || !w->exec || !shadow->accesses)
    return;
  const bool updates = in->info->action == MEMORY_ATOMIC, elsewhere = in->info->unit == UNIT_GLOBAL,
             orders = (updates || is_volatile(w, in) || opens_lock(w, in)) &&
                      group_order_of_waves(w->thread->program, w->thread->launch->kernel);
  if (!orders && (elsewhere || (!updates && lds_log_add(w, in))))
    return;
  log->closed = log->closed || orders;
  if (log->open)
    look_at_log(w->group);
  if (updates && in->d.kind != OPERAND_NONE)
    check_old_values(w, in, &shadow->touched[0]);
  if (orders && in->d.kind != OPERAND_NONE)
    acquire(w, &shadow->touched[0]);
  shadow->raised_flag = false;
  for (int k = 0; !elsewhere && k < shadow->accesses; k++)
    note_access(w, in, &shadow->touched[k]);
  if (shadow->raised_flag)
    tick(w);
  if (orders && in->info->action != MEMORY_LOAD) {
    release(w, &shadow->touched[0]);
    tick(w);
  }
}

// It is looked at as the store that it is there; the log, which keeps instructions, has no room for it.
void lds_race_note_brought(Wavefront *w, const Instruction *in) {
  InstructionInfo there = *in->info;
  Instruction store = *in;
  if (w->group->wave_count == 1)
    return;
  there.unit = UNIT_LDS;
  there.action = MEMORY_STORE;
  store.info = &there;
  if (w->group->shadow->log.open)
    look_at_log(w->group);
  note_access(w, &store, &w->shadow->touched[1]);
}

void lds_race_barrier(Workgroup *group) {
  GroupShadow *shadow = group->shadow;
  shadow_begin_log(&shadow->log);
  shadow->plain = false;
  shadow->settled = shadow->latest;
  for (u32 i = 0; i < group->wave_count; i++) {
    for (int k = 0; k < MAX_WAVES; k++)
      group->waves[i].shadow->clock[k] = shadow->settled;
    tick(&group->waves[i]);
  }
}
