// Stores of different workgroups: see store_conflict.h. Beside each dword of device memory stands who
// changed it last.
#include "store_conflict.h"

#include "device_memory.h"

#include <stdio.h>
#include <sys/mman.h>

// Of a dword: launch, workgroup, thread and instruction, in these bits.
enum { LAUNCH_BITS = 8, GROUP_BITS = 26, THREAD_BITS = 10, INSTRUCTION_BITS = 20 };
enum { GROUP_SHIFT = THREAD_BITS + INSTRUCTION_BITS, LAUNCH_SHIFT = GROUP_SHIFT + GROUP_BITS };

static u64 *record; // NULL: nothing is compared
enum { PAGE = 4096 };
static u8 *stored; // of each page of device memory, the latest launch that stored there
static u64 begin, end;
static u64 launch; // 1 and up; kernels run one after the other
static bool active;

static void *map(u64 bytes) {
  void *mapped =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static void map_records(void) {
  device_memory_range(&begin, &end);
  stored = begin < end ? map((end - begin) / PAGE + 1) : NULL;
  record = stored ? map(2 * (end - begin)) : NULL;
  if (record)
    madvise(record, 2 * (end - begin), MADV_HUGEPAGE); // fewer faults where much is stored
}

void store_conflict_begin(bool ordered) {
  if (!record)
    map_records();
  launch++;
  if (record && launch >> LAUNCH_BITS) { // the numbers begin again
    madvise(record, 2 * (end - begin), MADV_DONTNEED);
    madvise(stored, (end - begin) / PAGE + 1, MADV_DONTNEED);
    launch = 1;
  }
  active = record && !ordered;
}

bool store_conflict_watches(void) { return active; }

// The lines that stores to these places are noted in are fetched meanwhile.
void store_conflict_expect(const Places *at) {
  enum { LINE = 64 / sizeof *record * 4 }; // bytes whose records are in a line of the host's cache
  for (int i = 0; active && i < at->pieces; i++)
    for (u32 byte = 0; byte < at->piece[i].bytes; byte += LINE)
      __builtin_prefetch(&record[(at->piece[i].begin + byte - begin) / 4], 1);
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

// Two threads of the host may miss each other here; what they find is certain.
static void note_word(Wavefront *w, const Instruction *in, int lane, u64 address,
                      const u8 *before) {
  u32 was, is;
  memcpy(&was, before, 4);
  memcpy(&is, (const void *)address, 4);
  if (was == is)
    return;
  u64 *place = &record[(address - begin) / 4];
  const u64 now = mine(w, in, lane), other = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (of_others(other, now))
    refuse(w, lane, address, other);
  note_pages(address, 4);
  __atomic_store_n(place, now, __ATOMIC_RELAXED);
}

// Dwords side by side, as above; false, and nothing is done, if another workgroup has changed one.
static bool note_piece(const Wavefront *w, const Instruction *in, const Piece *piece,
                       const u8 *changed) {
  const u32 words = piece->bytes / 4;
  const u64 now = mine(w, in, piece->lane);
  u64 *place = &record[(piece->begin - begin) / 4];
  u64 some = 0;
  if (piece->begin >= end || piece->begin + piece->bytes <= begin) // LDS and private memory
    return true;
  if (piece->begin < begin || piece->begin + piece->bytes > end)
    return false;
  if (was_stored(piece->begin, piece->bytes))
    for (u32 i = 0; i < words; i++)
      some |= changed[i] & of_others(place[i], now);
  note_pages(piece->begin, piece->bytes);
  for (u32 i = 0; !some && i < words; i++)
    place[i] = changed[i] ? now + ((u64)(i >> piece->shift) << INSTRUCTION_BITS) : place[i];
  return !some;
}

static void note_stored(Wavefront *w, const Instruction *in, const Touched *touched) {
  const Places *at = &touched->at;
  int noted = 0;
  while (at->dwords && noted < at->pieces &&
         note_piece(w, in, &at->piece[noted],
                    touched->changed + at->piece[noted].lane * at->bytes / 4))
    noted++;
  if (noted && noted == at->pieces)
    return;
  for (u64 lanes = at->lanes; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctzll(lanes);
    const u64 address = place_of(at, lane);
    for (u32 i = 0; i + 4 <= at->bytes && address % 4 == 0; i += 4)
      if (address + i >= begin && address + i < end)
        note_word(w, in, lane, address + i, touched->before + (u32)lane * at->bytes + i);
  }
}

// ---- loads ----

static bool any_of_others(const u64 *place, u32 words, u64 now) {
  u64 some = 0;
  for (u32 i = 0; i < words; i++)
    some |= of_others(place[i], now);
  return some;
}

// Tells of the first dword of a lane that another workgroup has changed.
static void look_at(Wavefront *w, const Instruction *in, int lane, u64 address, u32 bytes) {
  const u64 now = mine(w, in, lane);
  for (u64 at = address; at + 4 <= address + bytes; at += 4) {
    const u64 other = record[(at - begin) / 4];
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
            any_of_others(&record[(at->piece[i].begin - begin) / 4], at->piece[i].bytes / 4,
                          mine(w, in, at->piece[i].lane)));
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
