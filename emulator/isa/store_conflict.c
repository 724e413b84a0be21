// Stores of different workgroups: see store_conflict.h. Beside each line of device memory stands which of its
// dwords were changed last, and by whom. Mostly one store changes all of a line. Where several have, beside each
// dword stands who.
#include "store_conflict.h"

#include "device_memory.h"

#include <stdio.h>
#include <sys/mman.h>

// Who changed a dword: launch, workgroup, thread and instruction, in these bits.
enum { LAUNCH_BITS = 8, GROUP_BITS = 26, THREAD_BITS = 10, INSTRUCTION_BITS = 20 };
enum { GROUP_SHIFT = THREAD_BITS + INSTRUCTION_BITS, LAUNCH_SHIFT = GROUP_SHIFT + GROUP_BITS };

enum { PAGE = 4096, LINE = 64, LINE_DWORDS = LINE / 4 }; // bytes

// The latest store that changed dwords of a line, or several. Other threads may be between the two words, so
// what is told is true of the first alone.
typedef struct {
  u64 what; // launch and workgroup as above, SEVERAL, which dwords, and how threads follow each other
  u64 who; // who() of the dword that FIRST dwords are before
} Line;
enum { FIRST_SHIFT = 16, STEP_SHIFT = 21, SEVERAL_SHIFT = 23, ALL_OF_ONE = 3 };

static Line *lines; // NULL: nothing is compared
static u64 *record; // of each dword, where the line says SEVERAL
static u8 *stored;  // of each page, the latest launch that stored there
static u64 begin, end;
static u64 launch; // 1 and up; kernels run one after the other
static bool active;

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

void store_conflict_begin(bool ordered) {
  if (!lines)
    map_records();
  launch++;
  if (lines && launch >> LAUNCH_BITS) { // the numbers begin again
    madvise(lines, places(LINE) * sizeof *lines, MADV_DONTNEED);
    madvise(record, places(4) * sizeof *record, MADV_DONTNEED);
    madvise(stored, places(PAGE), MADV_DONTNEED);
    launch = 1;
  }
  active = lines && !ordered;
}

bool store_conflict_watches(void) { return active; }

void store_conflict_expect(const Places *at) {
  enum { FETCHED = 64 / sizeof(Line) * LINE }; // bytes whose lines are in one of the host's
  if (!active)
    return;
  for (int i = 0; i < at->pieces; i++)
    for (u32 byte = 0; byte < at->piece[i].bytes; byte += FETCHED)
      __builtin_prefetch(&lines[(at->piece[i].begin + byte - begin) / LINE], 1);
  for (u64 lanes = at->pieces ? 0 : at->lanes; lanes; lanes &= lanes - 1) {
    const u64 offset = place_of(at, __builtin_ctzll(lanes)) - begin;
    __builtin_prefetch(&lines[offset / LINE], 1);
    __builtin_prefetch(&record[offset / 4], 1);
  }
}

static u64 mine(const Wavefront *w, const Instruction *in, int lane) {
  return launch << LAUNCH_SHIFT | w->group->index << GROUP_SHIFT |
         (w->number * LANES + (u64)lane) << INSTRUCTION_BITS | in->id;
}

// Who changed the dword, and where.
static void describe(const Wavefront *w, u64 other, char *text, size_t size) {
  const Program *program = w->thread->program;
  const Launch *asked = w->thread->launch;
  const u32 thread = other >> INSTRUCTION_BITS & ((1u << THREAD_BITS) - 1),
            id = other & ((1u << INSTRUCTION_BITS) - 1);
  const u64 group = other >> GROUP_SHIFT & ((1u << GROUP_BITS) - 1);
  char line[160], name[64];
  shadow_line(w, program_instruction(program, id), line, sizeof line);
  shadow_thread(w->group, thread / LANES, (int)(thread % LANES), name, sizeof name);
  snprintf(text, size, "block (%u, %u, %u), %s has written another value at %s",
           (u32)(group % asked->grid[0]), (u32)(group / asked->grid[0] % asked->grid[1]),
           (u32)(group / asked->grid[0] / asked->grid[1]), name, line);
}

_Noreturn static void refuse(Wavefront *w, int lane, u64 address, u64 other) {
  char who[300];
  describe(w, other, who, sizeof who);
  wavefront_fault(w, FAULT_SANITIZER, lane,
                  "writes to address 0x%llx, where %s: which of the two stays is up to the order "
                  "in which blocks run",
                  address + 0ull, who);
}

// Pages into which some workgroup of this launch has stored: most loads are from others.
static bool was_stored(u64 address, u64 bytes) {
  bool some = false;
  for (u64 page = (address - begin) / PAGE; page <= (address + bytes - 1 - begin) / PAGE; page++)
    some = some || __atomic_load_n(&stored[page], __ATOMIC_RELAXED) == launch;
  return some;
}

static void note_pages(u64 address, u64 bytes) {
  for (u64 page = (address - begin) / PAGE; page <= (address + bytes - 1 - begin) / PAGE; page++)
    __atomic_store_n(&stored[page], (u8)launch, __ATOMIC_RELAXED);
}

// Whether another workgroup of this launch has changed the dword.
static inline bool of_others(u64 other, u64 now) {
  return (other >> LAUNCH_SHIFT == launch) & ((other ^ now) >> GROUP_SHIFT != 0);
}

// ---- lines ----

static u32 dwords_of(u64 what) { return what & 0xffff; }
static bool of_several(u64 what) { return what >> SEVERAL_SHIFT & 1; }

// Who changed a dword of a line that one store has changed; 0: nobody.
static inline u64 who_of(u64 what, u64 who, u32 dword) {
  const u32 first = what >> FIRST_SHIFT & 31, step = what >> STEP_SHIFT & 3,
            shift = step == ALL_OF_ONE ? 31 : step;
  const u64 found = who + ((u64)((first + dword) >> shift) << INSTRUCTION_BITS);
  return (what >> dword & 1) && !((what ^ found) >> GROUP_SHIFT) ? found : 0;
}

// Who changed a dword last in this launch; 0: nobody.
static u64 latest(u64 address) {
  const Line *line = &lines[(address - begin) / LINE];
  const u64 what = __atomic_load_n(&line->what, __ATOMIC_RELAXED),
            who = __atomic_load_n(&line->who, __ATOMIC_RELAXED);
  if (what >> LAUNCH_SHIFT != launch)
    return 0;
  return of_several(what) ? __atomic_load_n(&record[(address - begin) / 4], __ATOMIC_RELAXED)
                          : who_of(what, who, (address - begin) / 4 % LINE_DWORDS);
}

// From now on who changed it stands beside each dword of the line. What stands there of other dwords is of older
// launches.
static void split(Line *line, u64 *dword, u64 what) {
  const u64 who = __atomic_load_n(&line->who, __ATOMIC_RELAXED);
  for (u32 dwords = dwords_of(what); dwords; dwords &= dwords - 1) {
    const u32 i = (u32)__builtin_ctz(dwords);
    __atomic_store_n(&dword[i], who_of(what, who, i), __ATOMIC_RELAXED);
  }
  __atomic_store_n(&line->what, launch << LAUNCH_SHIFT | 1ull << SEVERAL_SHIFT, __ATOMIC_RELAXED);
}

// ---- stores ----

// A store changes dwords of the line at this address. Two threads of the host may miss each other here;
// what they find is certain.
static void note_line(Wavefront *w, u64 address, const Line *now) {
  const u64 number = (address - begin) / LINE;
  Line *line = &lines[number];
  u64 *dword = &record[number * LINE_DWORDS];
  const u64 before = __atomic_load_n(&line->what, __ATOMIC_RELAXED);
  const bool fresh = before >> LAUNCH_SHIFT != launch,
             mine_too = !of_several(before) && !((before ^ now->what) >> GROUP_SHIFT);
  if (fresh || (mine_too && !(dwords_of(before) & ~dwords_of(now->what)))) {
    __atomic_store_n(&line->who, now->who, __ATOMIC_RELAXED);
    __atomic_store_n(&line->what, now->what, __ATOMIC_RELAXED);
    return;
  }
  if (!of_several(before))
    split(line, dword, before);
  for (u32 dwords = dwords_of(now->what); dwords; dwords &= dwords - 1) {
    const u32 i = (u32)__builtin_ctz(dwords);
    const u64 me = who_of(now->what, now->who, i),
              other = __atomic_load_n(&dword[i], __ATOMIC_RELAXED);
    if (of_others(other, me))
      refuse(w, (int)(me >> INSTRUCTION_BITS & (LANES - 1)), begin + number * LINE + 4 * i, other);
    __atomic_store_n(&dword[i], me, __ATOMIC_RELAXED);
  }
}

// Bits of bytes that are 0 or 1.
static u32 bits_of(const u8 *bytes, u32 count) {
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

// Dwords side by side. Their threads are counted from what would be a line before the first of them.
static void note_piece(Wavefront *w, const Instruction *in, const Piece *piece, const u8 *changed) {
  const u32 words = piece->bytes / 4, start = (piece->begin - begin) / 4 % LINE_DWORDS,
            step = piece->shift < ALL_OF_ONE ? piece->shift : ALL_OF_ONE,
            shift = step == ALL_OF_ONE ? 31 : step;
  if (piece->begin < begin || piece->begin + piece->bytes > end) // LDS and private memory
    return;
  const u64 first = mine(w, in, piece->lane);
  const u64 what = first >> GROUP_SHIFT << GROUP_SHIFT | (u64)step << STEP_SHIFT |
                   (u64)(LINE_DWORDS - start) << FIRST_SHIFT;
  note_pages(piece->begin, piece->bytes);
  for (u32 i = 0, here, from = start; i < words; i += here, from = 0) {
    here = LINE_DWORDS - from < words - i ? LINE_DWORDS - from : words - i;
    const u32 dwords = bits_of(changed + i, here) << from;
    const u64 lanes = ((i + start - from) >> shift) - (u64)(LINE_DWORDS >> shift);
    const Line now = {what | dwords, first + (lanes << INSTRUCTION_BITS)};
    if (dwords)
      note_line(w, piece->begin + 4ull * i, &now);
  }
}

static void note_stored(Wavefront *w, const Instruction *in, const Touched *touched) {
  const Places *at = &touched->at;
  const bool pieces = at->dwords && at->pieces;
  for (int i = 0; pieces && i < at->pieces; i++)
    note_piece(w, in, &at->piece[i], touched->changed + at->piece[i].lane * at->bytes / 4);
  for (u64 lanes = pieces ? 0 : at->lanes; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctzll(lanes);
    const Piece alone = {place_of(at, lane), at->bytes / 4 * 4, (u8)lane, ALL_OF_ONE};
    if (alone.begin % 4 == 0 && alone.bytes)
      note_piece(w, in, &alone, touched->changed + (u32)lane * at->bytes / 4);
  }
}

// ---- loads ----

// Whether some line from here to there was changed by several, or by another workgroup.
static bool some_of_others(u64 address, u64 bytes, u64 now) {
  u64 some = 0;
  for (u64 line = (address - begin) / LINE; line <= (address + bytes - 1 - begin) / LINE; line++) {
    const u64 what = __atomic_load_n(&lines[line].what, __ATOMIC_RELAXED);
    some |=
        (what >> LAUNCH_SHIFT == launch) & (of_several(what) | ((what ^ now) >> GROUP_SHIFT != 0));
  }
  return some;
}

// Tells of the first dword of a lane that another workgroup has changed.
static void look_at(Wavefront *w, const Instruction *in, int lane, u64 address, u32 bytes) {
  const u64 now = mine(w, in, lane);
  for (u64 at = address; at + 4 <= address + bytes; at += 4) {
    const u64 other = latest(at);
    char who[300];
    if (!of_others(other, now))
      continue;
    describe(w, other, who, sizeof who);
    wavefront_notice(w, lane,
                     "reads 4 bytes at address 0x%llx, where %s: which of the two it reads is up "
                     "to the order in which blocks run",
                     at + 0ull, who);
    return;
  }
}

static bool inside(u64 address, u32 bytes) {
  return address >= begin && address + bytes <= end && address % 4 == 0;
}

static void look_at_loaded(Wavefront *w, const Instruction *in, const Places *at) {
  bool some = !at->pieces;
  for (int i = 0; i < at->pieces; i++)
    some = some || !inside(at->piece[i].begin, at->piece[i].bytes) ||
           (was_stored(at->piece[i].begin, at->piece[i].bytes) &&
            some_of_others(at->piece[i].begin, at->piece[i].bytes, mine(w, in, 0)));
  for (u64 lanes = some ? at->lanes : 0; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctzll(lanes);
    if (inside(place_of(at, lane), at->bytes) && was_stored(place_of(at, lane), at->bytes))
      look_at(w, in, lane, place_of(at, lane), at->bytes);
  }
}

void store_conflict_note(Wavefront *w, const Instruction *in) {
  if (!active || !w->shadow->accesses)
    return;
  const Touched *touched = &w->shadow->touched[0];
  if (in->info->action == MEMORY_STORE)
    note_stored(w, in, touched);
  else if (in->info->action == MEMORY_LOAD && in->info->unit != UNIT_LDS &&
           in->info->unit != UNIT_SMEM) // which the compiler widens
    look_at_loaded(w, in, &touched->at);
}
