// Who changed the dwords of a line of memory last: two words for all 16 where their threads follow each other, else a word
// for each (store_conflict.c).
//
// In: the words of a line, and of one more change. Out: who changed a dword; the words of both changes, if two are enough.
#ifndef EMULATOR_CHANGED_LINE_H
#define EMULATOR_CHANGED_LINE_H

#include "lanes.h"

// Who changed a dword: launch, workgroup, thread, which of its bytes, whether other workgroups have updated it atomically, too,
// whether its value stayed as it was, and instruction, in these bits.
enum { LAUNCH_BITS = 6, GROUP_BITS = 24, THREAD_BITS = 10, BYTES_BITS = 4, INSTRUCTION_BITS = 18 };
enum {
  SHARED_SHIFT = INSTRUCTION_BITS,
  SAME_SHIFT,
  BYTES_SHIFT,
  THREAD_SHIFT = BYTES_SHIFT + BYTES_BITS,
  GROUP_SHIFT = THREAD_SHIFT + THREAD_BITS,
  LAUNCH_SHIFT = GROUP_SHIFT + GROUP_BITS
};
static const u64 SHARED = 1ull << SHARED_SHIFT, SAME = 1ull << SAME_SHIFT;
enum { ALL_BYTES = (1 << BYTES_BITS) - 1 };

enum { LINE = 64, LINE_DWORDS = LINE / 4 }; // bytes

// What changed dwords of a line last: stores of one instruction in a workgroup, or several. A thread has DISTANCE + 1 dwords,
// and the next one of the line is APART threads behind it; of threads that share a dword the first is meant. Another thread of the host may be between the two words.
typedef struct {
  u64 what; // launch and workgroup (or MIXED) as above, SEVERAL, which dwords, and the order of their threads
  u64 who; // mine() of the thread with the dword that lies FIRST dwords before the line
} Line;
enum { FIRST_SHIFT = 16, DISTANCE_SHIFT = 20, APART_SHIFT = 24, SEVERAL_SHIFT = 29 };
enum { NEGATIVE = 16, NEXT = 1 }; // of what APART says: 0, or 1 + the logarithm of a power of two
static const u64 ALL_OF_ONE = (LINE_DWORDS - 1) << DISTANCE_SHIFT,
                 ORDER = (1ull << SEVERAL_SHIFT) - (1ull << FIRST_SHIFT),
                 SEVERAL = 1ull << SEVERAL_SHIFT |
                           ((1ull << LINE_DWORDS) - 1); // any dword may be changed
static const u64 MIXED = (1ull << GROUP_BITS) - 1; // no workgroup has this number: several of them

// ---- a word ----

static inline u64 with_bytes(u64 who, u32 bytes) {
  return (who & ~((u64)ALL_BYTES << BYTES_SHIFT)) | (u64)bytes << BYTES_SHIFT;
}
static inline u32 bytes_of(u64 who) { return who >> BYTES_SHIFT & ALL_BYTES; }

static inline int lane_of(u64 me) { return (int)(me >> THREAD_SHIFT & (LANES - 1)); }

// Bytes of a dword that a workgroup changes one after the other add up.
static inline u64 with_own_bytes(u64 me, u64 other) {
  return other >> GROUP_SHIFT == me >> GROUP_SHIFT ? with_bytes(me, bytes_of(me) | bytes_of(other))
                                                   : me;
}

// ---- a line ----

static inline u32 dwords_of(u64 what) { return what & 0xffff; }
static inline bool of_several(u64 what) { return what >> SEVERAL_SHIFT & 1; }

static inline i64 apart_of(u64 what) {
  const u32 code = what >> APART_SHIFT & (2 * NEGATIVE - 1), size = code % NEGATIVE;
  const i64 apart = size ? 1ll << (size - 1) : 0;
  return code & NEGATIVE ? -apart : apart;
}

// The same as a code; false if it has none.
static inline bool code_apart(i64 apart, u64 *code) {
  const u64 size = (u64)(apart < 0 ? -apart : apart);
  *code = (apart < 0 ? NEGATIVE : 0) | (u64)(__builtin_ctzll(size | 1ull << 63) + 1);
  return size && !(size & (size - 1));
}

static inline u64 moved(u64 who, i64 threads) { return who + ((u64)threads << THREAD_SHIFT); }

// Of a number below 32 by one up to 16, which hosts take long for.
static inline u32 divided(u32 number, u32 by) {
  enum { ONE = 512 };
  static const u16 part[] = {0,  512, 256, 171, 128, 103, 86, 74, 64,
                             57, 52,  47,  43,  40,  37,  35, 32}; // ONE / by, rounded up
  return number * part[by] / ONE;
}

// Which one of the line's threads has a dword.
static inline u32 place_in_order(u64 what, u32 dword) {
  const u32 first = what >> FIRST_SHIFT & (LINE_DWORDS - 1),
            distance = (what >> DISTANCE_SHIFT & (LINE_DWORDS - 1)) + 1;
  return divided(first + dword, distance);
}

// Who changed a dword of a line that one instruction has changed, if both words are of one workgroup; else 0: nobody.
static inline u64 who_of(const Line *line, u32 dword) {
  const u64 found = moved(line->who, apart_of(line->what) * place_in_order(line->what, dword));
  return (line->what >> dword & 1) && !((line->what ^ found) >> GROUP_SHIFT) ? found : 0;
}

// Nothing where another thread of the host is at it.
static inline Line read_line(const Line *line) {
  const u64 what = __atomic_load_n(&line->what, __ATOMIC_ACQUIRE),
            who = __atomic_load_n(&line->who, __ATOMIC_ACQUIRE);
  return __atomic_load_n(&line->what, __ATOMIC_RELAXED) == what ? (Line){what, who} : (Line){0, 0};
}

// From now on who changed it stands beside each dword of the line, which was of one workgroup. What stands there of other dwords
// is of older launches.
static inline void split(Line *line, u64 *dword) {
  Line before = read_line(line);
  if (of_several(before.what)) // another thread of the host has done it
    return;
  for (u32 dwords = dwords_of(before.what); dwords; dwords &= dwords - 1) {
    const u32 i = (u32)__builtin_ctz(dwords);
    __atomic_store_n(&dword[i], who_of(&before, i), __ATOMIC_RELAXED);
  }
  __atomic_compare_exchange_n(&line->what, &before.what,
                              before.what >> GROUP_SHIFT << GROUP_SHIFT | SEVERAL, false,
                              __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static inline void write_line(Line *line, u64 what, u64 who) {
  __atomic_store_n(&line->who, who, __ATOMIC_RELEASE);
  __atomic_store_n(&line->what, what, __ATOMIC_RELEASE);
}

// The order of two threads, of which the first has the dwords before those of the second; false if a line cannot tell it.
static inline bool order_of_two(const Line *a, const Line *b, Line *both) {
  const u32 first = (u32)__builtin_ctz(dwords_of(a->what)),
            next = (u32)__builtin_ctz(dwords_of(b->what)), distance = next - first;
  const i64 apart = (i64)(b->who - a->who) >> THREAD_SHIFT;
  u64 code;
  if (next <= first || dwords_of(a->what) >> next || dwords_of(b->what) >> next >> distance ||
      !code_apart(apart, &code))
    return false;
  const u32 whole = divided(first + distance - 1, distance), before = whole * distance - first;
  both->what = ((a->what | b->what) & ~ORDER) | (u64)before << FIRST_SHIFT |
               (u64)(distance - 1) << DISTANCE_SHIFT | code << APART_SHIFT;
  both->who = moved(a->who, -apart * whole);
  return true;
}

// Whether dwords of this thread go on in the order of those before them.
static inline bool goes_on(const Line *before, const Line *now) {
  const u32 dwords = dwords_of(now->what),
            place = place_in_order(before->what, (u32)__builtin_ctz(dwords));
  return place == place_in_order(before->what, 31 - (u32)__builtin_clz(dwords)) &&
         moved(before->who, apart_of(before->what) * place) == now->who;
}

// The workgroup changes more dwords of a line, which still need no words of their own if this is true.
static inline bool join(Line *line, const Line *now) {
  const Line before = read_line(line);
  Line both;
  if ((before.what ^ now->what) >> GROUP_SHIFT || of_several(before.what))
    return false;
  const bool alone = (now->what & ORDER) == ALL_OF_ONE,
             alike = before.who == now->who && !((before.what ^ now->what) & ORDER);
  if (alike || (alone && goes_on(&before, now))) {
    __atomic_store_n(&line->what, before.what | dwords_of(now->what), __ATOMIC_RELEASE);
    return true;
  }
  if (!alone || (before.what & ORDER) != ALL_OF_ONE ||
      (before.who ^ now->who) << (64 - THREAD_SHIFT) ||
      !(order_of_two(&before, now, &both) || order_of_two(now, &before, &both)))
    return false;
  __atomic_store_n(&line->what, 0, __ATOMIC_RELAXED); // until both words are there
  write_line(line, both.what, both.who);
  return true;
}

#endif
