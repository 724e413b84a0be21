// Stores of different workgroups: see store_conflict.h. Beside each line of device memory stands which of its
// dwords were changed last, and by whom. Mostly one instruction of a workgroup changes all of a line, thread after thread. Where
// others have, beside each dword stands who.
#include "store_conflict.h"

#include "changed_line.h"
#include "device_memory.h"
#include "group_order.h"
#include "hostcall.h"
#include "source_line.h"
#include "way_out.h"

#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096 }; // bytes

static Line *lines;         // NULL: nothing is compared
static u64 *record;         // of each dword, where the line says SEVERAL
static u8 *stored;          // of each page, the latest launch that stored there
static u64 lowest, highest; // pages that this launch has stored in lie from here to there
static u64 begin, end;
static u64 launch; // 1 and up; kernels run one after the other
static bool active;
enum { ORDER_UNKNOWN, ORDERED, NOT_ORDERED };
static u64 latest_store; // launch that has stored something plainly
static int by_flags;     // whether workgroups wait for flags

static void *map(u64 bytes) {
  void *mapped =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static u64 places(u64 bytes) { return (end - begin) / bytes + 1; }

static void map_records(void) {
  device_memory_range(&begin, &end);
  stored = begin < end ? map(places(PAGE)) : NULL;
  record = stored ? map(places(4) * sizeof *record) : NULL;
  lines = record ? map(places(LINE) * sizeof *lines) : NULL;
  if (lines)
    madvise(lines, places(LINE) * sizeof *lines,
            MADV_HUGEPAGE); // fewer faults where much is stored
}

static void tell_unwatched(const Launch *asked, bool *told, const char *why) {
  if (!*told)
    fprintf(stderr,
            "emulator: note: kernel %s: EMULATOR_SANITIZE=1 does not look for races between its "
            "blocks, %s\n",
            asked->kernel->name, why);
  *told = true;
}

// Whether there are records for that many workgroups.
static bool can_watch(const Launch *asked) {
  static bool told_room, told_groups;
  if (!lines)
    tell_unwatched(asked, &told_room,
                   "because the system gives the process no room to note who wrote what: raise its "
                   "limit (ulimit -v), or allow it to reserve more than there is "
                   "(vm.overcommit_memory = 1).");
  const bool few = asked->workgroups >> GROUP_BITS == 0;
  if (!few)
    tell_unwatched(asked, &told_groups,
                   "which are more than 16 million: choose a smaller size to have them looked at.");
  return lines && few;
}

void store_conflict_begin(const Launch *asked, bool ordered) {
  if (!lines)
    map_records();
  launch++;
  if (lines && launch >> LAUNCH_BITS) { // the numbers begin again
    madvise(lines, places(LINE) * sizeof *lines, MADV_DONTNEED);
    madvise(record, places(4) * sizeof *record, MADV_DONTNEED);
    madvise(stored, places(PAGE), MADV_DONTNEED);
    launch = 1;
    latest_store = 0;
  }
  active = !ordered && can_watch(asked);
  by_flags = ORDER_UNKNOWN;
  lowest = UINT64_MAX;
  highest = 0;
}

bool store_conflict_watches(void) { return active; }

// All bytes of a dword.
static u64 mine(const Wavefront *w, const Instruction *in, int lane) {
  return with_bytes(launch << LAUNCH_SHIFT | w->group->index << GROUP_SHIFT |
                        (w->number * LANES + (u64)lane) << THREAD_SHIFT |
                        (in->id & ((1u << INSTRUCTION_BITS) - 1)),
                    ALL_BYTES);
}

static const Instruction *instruction_of(const Wavefront *w, u64 who) {
  return program_instruction(w->thread->program, who & ((1u << INSTRUCTION_BITS) - 1));
}

// Whether it was an atomic: those do not disturb each other.
static bool updates(const Wavefront *w, u64 who) {
  return instruction_of(w, who)->info->action == MEMORY_ATOMIC;
}

// Whether it stored parts of dwords.
static bool stored_parts(const Wavefront *w, u64 who) {
  const char *mnemonic = instruction_of(w, who)->info->mnemonic;
  return strstr(mnemonic, "_byte") || strstr(mnemonic, "_short");
}

// Whether workgroups may know of each other by flags that plain loads wait for: looked at once, where something is found.
static bool ordered_by_flags(const Wavefront *w) {
  int order = __atomic_load_n(&by_flags, __ATOMIC_RELAXED);
  if (order == ORDER_UNKNOWN) {
    const bool waits = group_order_by_flags(w->thread->program, w->thread->launch->kernel);
    order = waits ? ORDERED : NOT_ORDERED;
    __atomic_store_n(&by_flags, order, __ATOMIC_RELAXED);
  }
  return order == ORDERED;
}

// Who changed the dword, which `now` comes to, and where.
static void describe(const Wavefront *w, u64 other, u64 now, char *text, size_t size) {
  const Launch *asked = w->thread->launch;
  const u32 thread = other >> THREAD_SHIFT & ((1u << THREAD_BITS) - 1);
  const u64 group = other >> GROUP_SHIFT & ((1u << GROUP_BITS) - 1);
  char line[160], name[64];
  source_line(w->thread->program, w->thread->launch->kernel, instruction_of(w, other), line,
              sizeof line);
  shadow_thread(w->group, thread / LANES, (int)(thread % LANES), name, sizeof name);
  if (other >> GROUP_SHIFT == now >> GROUP_SHIFT)
    snprintf(text, size, "other blocks have updated memory atomically, as this one has at %s",
             line);
  else
    snprintf(text, size, "block (%u, %u, %u), %s has %s at %s", (u32)(group % asked->grid[0]),
             (u32)(group / asked->grid[0] % asked->grid[1]),
             (u32)(group / asked->grid[0] / asked->grid[1]), name,
             updates(w, other) ? "updated memory atomically"
             : other & SAME    ? "written the value that was there"
                               : "written another value",
             line);
}

_Noreturn static void refuse(Wavefront *w, u64 me, u64 address, u64 other) {
  char who[320];
  describe(w, other, me, who, sizeof who);
  wavefront_fault(w, FAULT_SANITIZER, lane_of(me),
                  "%s address 0x%llx, where %s: a race, what stays is up to the order in which "
                  "blocks run. To count "
                  "or to add up, use atomicAdd; else each thread needs a place of its own, or what "
                  "comes second a "
                  "kernel of its own%s",
                  updates(w, me) ? "updates atomically" : "writes to", address + 0ull, who,
                  updates(w, me) || updates(w, other)
                      ? " (an atomicExch whose result nobody uses is a store, too)"
                      : "");
}

// Whether some workgroup of this launch has stored in the page: most loads are from others.
static inline bool has_stored(u64 address) {
  return __atomic_load_n(&stored[(address - begin) / PAGE], __ATOMIC_RELAXED) == (u8)launch;
}

// Of up to as many bytes as a page has.
static inline bool was_stored(u64 address, u64 bytes) {
  return has_stored(address) | has_stored(address + bytes - 1);
}

static void note_new_page(u64 page) {
  u64 low = __atomic_load_n(&lowest, __ATOMIC_RELAXED),
      high = __atomic_load_n(&highest, __ATOMIC_RELAXED);
  while (page < low && !__atomic_compare_exchange_n(&lowest, &low, page, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
  }
  while (page > high && !__atomic_compare_exchange_n(&highest, &high, page, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
  __atomic_store_n(&stored[page], (u8)launch, __ATOMIC_RELAXED);
}

static inline void note_page(u64 address) {
  if (!has_stored(address)) // else it stays in the caches of all
    note_new_page((address - begin) / PAGE);
}

// Whether another workgroup of this launch has changed the dword.
static inline bool of_others(u64 other, u64 now) {
  return (other >> LAUNCH_SHIFT == launch) &
         (((other ^ now) >> GROUP_SHIFT != 0) | ((other & SHARED) != 0));
}

static inline bool inside(u64 address, u64 bytes) { // not in LDS or private memory
  return address - begin <= end - begin - bytes && address % 4 == 0;
}

// Who changed a dword last in this launch; 0: nobody.
static u64 latest(u64 address) {
  const Line line = read_line(&lines[(address - begin) / LINE]);
  if (line.what >> LAUNCH_SHIFT != launch)
    return 0;
  return of_several(line.what) ? __atomic_load_n(&record[(address - begin) / 4], __ATOMIC_RELAXED)
                               : who_of(&line, (address - begin) / 4 % LINE_DWORDS);
}

// ---- stores ----

// Whether another workgroup has stored in the line, in this launch.
static bool is_of_others(const Wavefront *w, u64 address) {
  const u64 mine = launch << (LAUNCH_SHIFT - GROUP_SHIFT) | w->group->index;
  if (address - begin > end - begin)
    return false;
  const u64 what = __atomic_load_n(&lines[(address - begin) / LINE].what, __ATOMIC_ACQUIRE);
  return what >> LAUNCH_SHIFT == launch && what >> GROUP_SHIFT != mine;
}

// Bytes of a dword that a lane touches, from `first` to before `end`, as bits.
static u32 touched_bytes(u64 dword, u64 first, u64 end) {
  const u32 from = first > dword ? (u32)(first - dword) : 0,
            to = end < dword + 4 ? (u32)(end - dword) : 4;
  return (1u << to) - (1u << from);
}

static void find_theirs(const Wavefront *w, Places *at) {
  const u64 now = launch << LAUNCH_SHIFT | (u64)w->group->index << GROUP_SHIFT;
  memset(at->theirs, 0, sizeof at->theirs);
  FOR_LANES_OF(at->lanes) {
    const u64 first = place_of(at, lane), behind = first + at->bytes;
    u64 dword = first & ~3ull;
    for (int i = 0; dword < behind; i++, dword += 4) {
      const u64 other = inside(dword, 4) ? latest(dword) : 0;
      if (of_others(other, now) && (bytes_of(other) & touched_bytes(dword, first, behind)))
        at->theirs[i] |= 1ull << lane;
    }
  }
}

// Whether others had stored in this dword of the wave's lane.
static bool was_theirs(const Places *at, int lane, u64 dword) {
  const u64 first = place_of(at, lane) & ~3ull;
  return at->others && at->theirs[(dword - first) / 4] >> lane & 1;
}

// Another thread of the host may store the same value at the same time: then this one has changed nothing, though what stood
// there before was another value.
void store_conflict_expect(const Wavefront *w, Places *at) {
  at->others = false;
  if (!active)
    return;
  for (int i = 0; i < at->pieces; i++) {
    for (u32 byte = 0; byte < at->piece[i].bytes; byte += LINE)
      at->others |= is_of_others(w, at->piece[i].begin + byte);
    at->others |= is_of_others(w, at->piece[i].begin + at->piece[i].bytes - 1);
  }
  FOR_LANES_OF(at->pieces ? 0 : at->lanes) {
    const u64 address = place_of(at, lane);
    at->others |= is_of_others(w, address);
    if (address % LINE + at->bytes > LINE)
      at->others |= is_of_others(w, address + at->bytes - 1);
  }
  if (at->others)
    find_theirs(w, at);
}

// Beside each dword of the line, which nobody but its workgroup has changed.
static void note_own_record(u64 *dword, const Line *now) {
  for (u32 dwords = dwords_of(now->what); dwords; dwords &= dwords - 1) {
    const u32 i = (u32)__builtin_ctz(dwords);
    __atomic_store_n(&dword[i],
                     with_own_bytes(who_of(now, i), __atomic_load_n(&dword[i], __ATOMIC_RELAXED)),
                     __ATOMIC_RELAXED);
  }
}

// The same of a line that others have changed, too.
static void note_mixed_record(Wavefront *w, u64 number, u64 *dword, const Line *now) {
  for (u32 dwords = dwords_of(now->what); dwords; dwords &= dwords - 1) {
    const u32 i = (u32)__builtin_ctz(dwords);
    const u64 me = who_of(now, i), other = __atomic_load_n(&dword[i], __ATOMIC_RELAXED);
    const bool certain = updates(w, me) || was_theirs(&w->shadow->touched[0].at, lane_of(me),
                                                      begin + number * LINE + 4 * i),
               meets = of_others(other, me) && (bytes_of(other) & bytes_of(me)) && certain,
               both_update = meets && updates(w, other) && updates(w, me);
    if (meets && !both_update && !ordered_by_flags(w))
      refuse(w, me, begin + number * LINE + 4 * i, other);
    __atomic_store_n(&dword[i], with_own_bytes(me, other) | (both_update ? SHARED : 0),
                     __ATOMIC_RELAXED);
  }
}

static __attribute__((noinline)) void note_record(Wavefront *w, u64 number, const Line *now) {
  Line *line = &lines[number];
  u64 *dword = &record[number * LINE_DWORDS];
  while (!of_several(__atomic_load_n(&line->what, __ATOMIC_RELAXED)))
    split(line, dword);
  if (__atomic_load_n(&line->what, __ATOMIC_RELAXED) >> GROUP_SHIFT == now->what >> GROUP_SHIFT) {
    note_own_record(dword, now);
    return;
  }
  __atomic_store_n(&line->what, launch << LAUNCH_SHIFT | MIXED << GROUP_SHIFT | SEVERAL,
                   __ATOMIC_RELEASE);
  note_mixed_record(w, number, dword, now);
}

// A store changes dwords of a line that other stores of this launch have changed. Two threads of the host may miss each other
// here; what they find is certain.
static __attribute__((noinline)) void note_used_line(Wavefront *w, u64 number, u64 what, u64 who) {
  Line *line = &lines[number];
  const Line now = {what, who};
  const u64 before = __atomic_load_n(&line->what, __ATOMIC_RELAXED);
  const bool mine_too = !((before ^ what) >> GROUP_SHIFT);
  if (mine_too && !(dwords_of(before) & ~dwords_of(what)) && bytes_of(who) == ALL_BYTES)
    write_line(line, what, who);
  else if (!mine_too || !join(line, &now))
    note_record(w, number, &now);
}

// The same of any line at this address.
static inline void note_line(Wavefront *w, u64 address, u64 what, u64 who) {
  const u64 number = (address - begin) / LINE;
  Line *line = &lines[number];
  if (__atomic_load_n(&line->what, __ATOMIC_RELAXED) >> LAUNCH_SHIFT == launch)
    note_used_line(w, number, what, who);
  else
    write_line(line, what, who);
}

// What a store leaves as it was counts where nobody has changed anything yet: others may come and do so.
static inline void note_same(u64 address, u64 what, u64 who) {
  Line *line = &lines[(address - begin) / LINE];
  if (__atomic_load_n(&line->what, __ATOMIC_RELAXED) >> LAUNCH_SHIFT != launch)
    write_line(line, what, who | SAME);
}

// Bits of bytes that are 0 or 1.
static inline u32 bits_of(const u8 *bytes, u32 count) {
  u32 bits = 0;
  if (count == LINE_DWORDS)
    for (int i = 0; i < 2; i++) {
      u64 eight;
      memcpy(&eight, bytes + 8 * i, sizeof eight);
      bits |= (u32)(eight * 0x0102040810204080ull >> 56) << (8 * i);
    }
  else
    for (u32 i = 0; i < count; i++)
      bits |= (u32)bytes[i] << i;
  return bits;
}

// Dwords side by side, so many of each lane, or each of so many lanes.
static void note_piece(Wavefront *w, const Instruction *in, const Piece *piece, u32 of_each,
                       u32 lanes, const u8 *changed) {
  const u32 words = piece->bytes / 4, start = (piece->begin - begin) / 4 % LINE_DWORDS;
  u64 apart;
  if (!inside(piece->begin, piece->bytes))
    return;
  code_apart(lanes, &apart);
  u32 first = (LINE_DWORDS * of_each - start) % of_each; // dwords before the line
  const u64 me = mine(w, in, piece->lane), what = me >> GROUP_SHIFT << GROUP_SHIFT |
                                                  (u64)(of_each - 1) << DISTANCE_SHIFT |
                                                  apart << APART_SHIFT;
  u64 who = moved(me, -(i64)((first + start) / of_each * lanes));
  note_page(piece->begin);
  note_page(piece->begin + piece->bytes - 1);
  for (u32 i = 0, here, from = start; i < words; i += here, from = 0) {
    here = LINE_DWORDS - from < words - i ? LINE_DWORDS - from : words - i;
    const u32 dwords = bits_of(changed + i, here) << from, all = ((1u << here) - 1) << from;
    const u64 order = what | (u64)first << FIRST_SHIFT;
    if (dwords)
      note_line(w, piece->begin + 4ull * i, order | dwords, who);
    else
      note_same(piece->begin + 4ull * i, order | all, who);
    who = moved(who, (first + LINE_DWORDS) / of_each * lanes);
    first = (first + LINE_DWORDS) % of_each;
  }
}

// Which dwords of a lane were changed, a bit each. Nobody has looked where global memory lies apart.
static inline u32 changes_of(const Instruction *in, const Touched *touched, int lane, u64 address,
                             u32 words) {
  const u32 first = (u32)lane * touched->at.bytes;
  u32 bits = 0;
  if (in->info->unit != UNIT_GLOBAL)
    return bits_of(touched->changed + first / 4, words);
  for (u32 i = 0; i < words; i++) {
    u32 was, is;
    memcpy(&was, touched->before + first + 4 * i, sizeof was);
    memcpy(&is, (const void *)(address + 4ull * i), sizeof is);
    bits |= (u32)(was != is) << i;
  }
  return bits;
}

// So many of each lane.
static inline __attribute__((always_inline)) void note_lanes(Wavefront *w, const Instruction *in,
                                                             const Touched *touched, u32 words) {
  const Places *at = &touched->at;
  const u64 of_wave = mine(w, in, 0), what = of_wave >> GROUP_SHIFT << GROUP_SHIFT | ALL_OF_ONE;
  FOR_LANES_OF(at->lanes) {
    const u64 address = place_of(at, lane), me = moved(of_wave, lane);
    if (!inside(address, 4 * words))
      continue;
    const u32 changed = changes_of(in, touched, lane, address, words),
              from = (address - begin) / 4 % LINE_DWORDS, dwords = changed << from;
    if (!changed && from + words <= LINE_DWORDS)
      note_same(address, what | ((1u << words) - 1) << from, me);
    if (!changed)
      continue;
    note_page(address);
    if (address % PAGE > PAGE - 4 * words)
      note_page(address + 4 * words - 1);
    if (dwords % (1u << LINE_DWORDS))
      note_line(w, address, what | dwords % (1u << LINE_DWORDS), me);
    if (dwords >> LINE_DWORDS)
      note_line(w, address + LINE, what | dwords >> LINE_DWORDS, me);
  }
}

// Which bytes of a dword a lane has changed: of the part of it that it stores, from `first` on.
static u32 changed_bytes(const Touched *touched, int lane, u64 place, u64 first, u32 bytes) {
  const u8 *before = touched->before + (u32)lane * touched->at.bytes + (first - place);
  u32 changed = 0;
  for (u32 i = 0; i < bytes; i++)
    changed |= (u32)(before[i] != ((const u8 *)first)[i]) << (first % 4 + i);
  return changed;
}

// Where others may have changed bytes beside them: each byte of its own.
static void note_bytes(Wavefront *w, const Instruction *in, const Touched *touched) {
  FOR_LANES_OF(touched->at.lanes) {
    const u64 place = place_of(&touched->at, lane), behind = place + touched->at.bytes;
    for (u64 first = place, next; first < behind; first = next) {
      next = (first & ~3ull) + 4 < behind ? (first & ~3ull) + 4 : behind;
      const u64 dword = first & ~3ull;
      const u32 changed =
          inside(dword, 4) ? changed_bytes(touched, lane, place, first, (u32)(next - first)) : 0;
      if (!changed)
        continue;
      const u64 me = with_bytes(mine(w, in, lane), changed);
      note_page(dword);
      note_line(w, dword,
                me >> GROUP_SHIFT << GROUP_SHIFT | ALL_OF_ONE |
                    1u << (dword - begin) / 4 % LINE_DWORDS,
                me);
    }
  }
}

static bool has_record(const Places *at, int lane) {
  const u64 address = place_of(at, lane);
  return inside(address, 4) &&
         of_several(__atomic_load_n(&lines[(address - begin) / LINE].what, __ATOMIC_RELAXED));
}

// Words beside dwords that lie apart are fetched side by side, if those of the first or the last lane are in use.
static void fetch_records(const Places *at) {
  if (!at->lanes || !(has_record(at, __builtin_ctzll(at->lanes)) ||
                      has_record(at, LANES - 1 - __builtin_clzll(at->lanes))))
    return;
  FOR_LANES_OF(at->lanes) {
    if (has_record(at, lane))
      __builtin_prefetch(&record[(place_of(at, lane) - begin) / 4], 1);
  }
}

static void note_stored(Wavefront *w, const Instruction *in, const Touched *touched) {
  const Places *at = &touched->at;
  const u32 words = at->bytes / 4;
  if (__atomic_load_n(&latest_store, __ATOMIC_RELAXED) != launch)
    __atomic_store_n(&latest_store, launch, __ATOMIC_RELAXED);
  if (at->others) {
    note_bytes(w, in, touched);
    return;
  }
  if (at->pieces && at->bytes % 4 == 0) {
    for (int i = 0; i < at->pieces; i++)
      note_piece(w, in, &at->piece[i], words, 1, touched->changed + at->piece[i].lane * words);
    return;
  }
  if (at->pieces == 1 && at->bytes < 4 && (at->piece[0].begin | at->piece[0].bytes) % 4 == 0) {
    note_piece(w, in, &at->piece[0], 1, 4u / at->bytes,
               touched->changed + at->piece[0].lane * at->bytes / 4);
    return;
  }
  if (words)
    fetch_records(at);
  switch (words) { // constants, so that no lane takes a loop
  case 0:
    note_bytes(w, in, touched);
    break;
  case 1:
    note_lanes(w, in, touched, 1);
    break;
  case 2:
    note_lanes(w, in, touched, 2);
    break;
  case 3:
    note_lanes(w, in, touched, 3);
    break;
  case 4:
    note_lanes(w, in, touched, 4);
  }
}

// Whether the workgroup has stored there in this launch: an update of another one disturbs that, and its own does not
// undo it.
static bool has_stored_itself(const Wavefront *w, u64 address, u64 me) {
  if (__atomic_load_n(&latest_store, __ATOMIC_RELAXED) != launch) // sums alone
    return false;
  const u64 other = latest(address);
  return other >> GROUP_SHIFT == me >> GROUP_SHIFT && !updates(w, other);
}

// A dword that the same instruction has updated last, where several workgroups have changed the line: mostly so in a
// histogram. False if it is another one.
static inline bool note_updated_again(u64 address, u64 me) {
  const u64 several = launch << LAUNCH_SHIFT | MIXED << GROUP_SHIFT | SEVERAL,
            other_threads = ((1ull << (LAUNCH_SHIFT - THREAD_SHIFT)) - 1) << THREAD_SHIFT;
  u64 *dword = &record[(address - begin) / 4];
  if (__atomic_load_n(&lines[(address - begin) / LINE].what, __ATOMIC_RELAXED) != several)
    return false;
  const u64 other = __atomic_load_n(dword, __ATOMIC_RELAXED);
  if ((other ^ me) & ~(other_threads | SHARED))
    return false;
  __atomic_store_n(dword, of_others(other, me) ? me | SHARED : me, __ATOMIC_RELAXED);
  return true;
}

// An atomic changes all of its dwords: what it makes of them is up to what stands there.
static void note_updated(Wavefront *w, const Instruction *in, const Places *at) {
  const u32 dwords = (1u << at->bytes / 4) - 1;
  const u64 of_wave = mine(w, in, 0);
  FOR_LANES_OF(at->lanes) {
    const u64 address = place_of(at, lane), me = moved(of_wave, lane);
    if (!inside(address, at->bytes) || (dwords == 1 && note_updated_again(address, me)) ||
        has_stored_itself(w, address, me))
      continue;
    note_page(address);
    note_line(w, address,
              me >> GROUP_SHIFT << GROUP_SHIFT | ALL_OF_ONE |
                  dwords << (address - begin) / 4 % LINE_DWORDS,
              me);
  }
}

// ---- loads ----

// Whether another workgroup has changed some line from here to there.
static bool some_of_others(u64 address, u64 bytes, u64 now) {
  u64 some = 0;
  for (u64 line = (address - begin) / LINE; line <= (address + bytes - 1 - begin) / LINE; line++) {
    const u64 what = __atomic_load_n(&lines[line].what, __ATOMIC_RELAXED);
    some |= (what >> LAUNCH_SHIFT == launch) & ((what ^ now) >> GROUP_SHIFT != 0);
  }
  return some;
}

// Whether the wave may still update something behind this load: then it may look whether that is worth it, and what others
// update meanwhile is no harm. Else it takes a sum for complete.
static bool looks_before_update(const Wavefront *w, const Instruction *in) {
  static _Thread_local struct {
    const Instruction *in;
    u64 launch;
    bool looks;
  } known[16];
  const u64 place = in->id % (sizeof known / sizeof *known);
  if (known[place].in != in || known[place].launch != launch) {
    known[place].in = in;
    known[place].launch = launch;
    known[place].looks = way_to_update(program_object(w->thread->program, in), in);
  }
  return known[place].looks;
}

// Of a dword of which a lane reads these bytes; true if there is something to tell. A scalar load of parts is made one of dwords.
static bool look_at_dword(Wavefront *w, const Instruction *in, int lane, u64 address, u32 bytes) {
  const u64 now = mine(w, in, lane), other = latest(address);
  const bool widened = in->info->unit == UNIT_SMEM && stored_parts(w, other);
  char who[320];
  if (!of_others(other, now) || !(bytes_of(other) & bytes) || (other & SAME) || widened ||
      (updates(w, other) && looks_before_update(w, in)))
    return false;
  if (ordered_by_flags(w))
    return true;
  describe(w, other, now, who, sizeof who);
  wavefront_notice(
      w, lane,
      "reads %d bytes at address 0x%llx, where %s: what it reads is up to the order in "
      "which blocks run",
      __builtin_popcount(bytes), address + (u32)__builtin_ctz(bytes) + 0ull, who);
  return true;
}

// Tells of the first dword of a lane that another workgroup has changed.
static void look_at(Wavefront *w, const Instruction *in, int lane, u64 address, u32 bytes) {
  bool told = bytes < 4 && look_at_dword(w, in, lane, address & ~3ull,
                                         ((1u << bytes) - 1) << address % 4 & ALL_BYTES);
  for (u64 at = address; !told && at + 4 <= address + bytes; at += 4)
    told = look_at_dword(w, in, lane, at, ALL_BYTES);
}

static bool look_at_pieces(const Wavefront *w, const Instruction *in, const Places *at) {
  bool some = false;
  for (int i = 0; i < at->pieces; i++)
    some = some || !inside(at->piece[i].begin & ~3ull, at->piece[i].bytes) ||
           (was_stored(at->piece[i].begin, at->piece[i].bytes) &&
            some_of_others(at->piece[i].begin, at->piece[i].bytes, mine(w, in, 0)));
  return some;
}

// Dwords, or parts of one.
static inline bool may_be_of_others(u64 address, u32 bytes) {
  return inside(bytes < 4 ? address & ~3ull : address, bytes) && was_stored(address, bytes);
}

// Whether a lane reaches anything between the pages that were stored in: mostly loads are from other allocations.
static bool some_between(const Places *at) {
  const u64 low = __atomic_load_n(&lowest, __ATOMIC_RELAXED),
            pages = __atomic_load_n(&highest, __ATOMIC_RELAXED) - low + 1,
            from = begin + low * PAGE - (at->bytes - 1u);
  u64 some = 0;
  if (low == UINT64_MAX)
    return false;
  if (at->regular)
    return true;
  FOR_LANES some |= at->address[lane] - from < pages * PAGE + at->bytes - 1u;
  return some;
}

static bool look_at_lanes(const Places *at) {
  bool stored_there = false;
  if (!some_between(at))
    return false;
  FOR_LANES_OF(at->lanes) {
    const u64 address = place_of(at, lane);
    stored_there |= may_be_of_others(address, at->bytes);
  }
  return stored_there;
}

// The compiler makes three scalar dwords four. What was told once is not looked for any more.
static void look_at_loaded(Wavefront *w, const Instruction *in, const Places *at) {
  if ((in->info->unit == UNIT_SMEM && at->bytes > 8) ||
      program_noticed(w->thread->program, in->id) ||
      !(at->pieces ? look_at_pieces(w, in, at) : look_at_lanes(at)))
    return;
  FOR_LANES_OF(at->lanes) {
    const u64 address = place_of(at, lane);
    if (may_be_of_others(address, at->bytes) && some_of_others(address, at->bytes, mine(w, in, 0)))
      look_at(w, in, lane, address, at->bytes);
  }
}

// Workgroups hand on to each other there what they print, by the device library's functions alone.
static bool is_of_runtime(const Places *at) {
  return at->lanes && hostcall_has(place_of(at, __builtin_ctzll(at->lanes)));
}

void store_conflict_note(Wavefront *w, const Instruction *in) {
  if (!active || !w->shadow->accesses)
    return;
  const Touched *touched = &w->shadow->touched[0];
  if (is_of_runtime(&touched->at))
    return;
  if (in->info->action == MEMORY_STORE)
    note_stored(w, in, touched);
  else if (in->info->action == MEMORY_ATOMIC && in->info->unit != UNIT_LDS)
    note_updated(w, in, &touched->at);
  else if ((in->info->action == MEMORY_LOAD && in->info->unit != UNIT_LDS) ||
           in->info->unit == UNIT_SMEM)
    look_at_loaded(w, in, &touched->at);
}
