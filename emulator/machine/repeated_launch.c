// Launches that repeat others: see repeated_launch.h. Whether a launch is worth it is known once it was executed. Of the
// third one like it is kept what was in its allocations before, and what it made of that, if a few words say that it may have
// found what the second one found; of the second one, where keeping takes next to no time; of a later one, where it takes long, for
// then many were executed already, and as many may follow. The one after that may repeat it.
#include "repeated_launch.h"

#include "defined_memory.h"
#include "device_memory.h"
#include "emulator.h"
#include "line_report.h"
#include "outside_writes.h"
#include "program_waits.h"
#include "settings.h"
#include "trace_file.h"
#include "unwritten_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
  LAUNCHES = 64, // that are known at most
  LEAST_MS = 2,  // of the host's processors: what takes less is not worth it
  BYTES_PER_MS =
      4000000,  // that the host copies into pages it has; a launch must take longer than its memory
  SAMPLES = 64, // words of each allocation
  // A launch that takes so many times as long is kept at once; into fresh pages a host may copy a tenth as fast.
  NEXT_TO_NOTHING = 100,
  MOST_GIB = 4,      // that are kept of all launches
  SHARE_OF_FREE = 4, // of the memory that the host has left, they may be a part
  MOST_MISSES = 6,   // then 4^MOST_MISSES launches pass before one is kept again
  // Keeping a launch may take this part of the time that those like it took: the more there were, the more may come.
  SHARE_OF_EXECUTED = 4,
  MOST_SLOW =
      3, // repetitions in a row that take longer than the launch; then it is always executed
  LEAST_WATCHED = 1 << 20, // bytes; fewer are compared as soon
  HUGE_PAGE_BYTES = 2 << 20,
  PIECE = 16 << 20, // bytes that are copied between two looks at the clock
};

// What decides, besides memory, what a launch does.
typedef struct {
  uint64_t entry; // of the kernel; addresses of code are never used twice
  uint64_t dynamic_lds_bytes;
  uint32_t grid[3], block[3], cut[3], stack_bytes;
  int device;
  bool cooperative, modelled, traffic_unwanted;
} Asked;

// What memory held once. Launches that find the same share it: an input of many kernels is kept once.
typedef struct {
  uint32_t uses;
  uint8_t *bytes;
} Copy;

typedef struct {
  uint64_t address, size;
  Copy *before, *after; // after: NULL where nothing was changed
  bool found;           // as before, once
  uint64_t found_at;    // the moment at which it was compared last, 0: none
  uint64_t watch;       // since it was found so again; 0: none
  bool written;         // since such a watch; then it is compared, every time
} Part;

typedef struct {
  Asked asked;
  uint8_t *arguments; // the segment of kernel->kernarg_size bytes
  double host_ms, cpu_ms;
  Counters counters;
  Part part[ACCESSED_PARTS];
  uint32_t parts;
  bool hosts;      // some of them the host program may write, too, unless it waits
  uint64_t sample; // of what the latest one found that was executed; 0: none
  bool kept;       // what it finds and leaves
  bool unsure;     // whether memory was as before: the program might have written it meanwhile
  bool busy;       // one like it is being executed, or has stepped aside for another launch
  uint32_t misses, passes; // times that memory was otherwise; launches until one is kept again
  uint32_t executed;       // launches since memory was otherwise
  uint32_t slow;           // repetitions in a row that took longer than the launch
  uint64_t latest, before; // the numbers of the latest like it, and of the one before that
} Known;

static Known *known[LAUNCHES];
static uint64_t kept_bytes, launches,
    executed;           // launches: all, and those of them that were not repeated
static size_t repeated; // changed atomically

static double now_ms(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// ---- what was asked ----

static Asked asked_of(const Launch *launch) {
  Asked asked;
  memset(&asked, 0, sizeof asked); // between the fields, too: it is compared as bytes
  asked.entry = launch->kernel->entry;
  asked.dynamic_lds_bytes = launch->dynamic_lds_bytes;
  memcpy(asked.grid, launch->grid, sizeof asked.grid);
  memcpy(asked.block, launch->block, sizeof asked.block);
  memcpy(asked.cut, launch->cut, sizeof asked.cut);
  asked.stack_bytes = launch->stack_bytes;
  asked.device = launch->device;
  asked.cooperative = launch->cooperative;
  asked.modelled = launch->modelled;
  asked.traffic_unwanted = launch->traffic_unwanted;
  return asked;
}

static Known **place_of(const Launch *launch) {
  const Asked asked = asked_of(launch);
  for (int i = 0; i < LAUNCHES; i++)
    if (known[i] && memcmp(&known[i]->asked, &asked, sizeof asked) == 0 &&
        memcmp(known[i]->arguments, launch->kernarg, launch->kernel->kernarg_size) == 0)
      return &known[i];
  return NULL;
}

// ---- rooms for copies ----

// Those of copies that came too late, with the pages that they have by then: mostly it is these that took long.
static struct {
  uint8_t *bytes;
  uint64_t size;
} spare[ACCESSED_PARTS];

static void spare_room(uint8_t *bytes, uint64_t size) {
  for (int i = 0; i < ACCESSED_PARTS; i++)
    if (!spare[i].bytes) {
      spare[i].bytes = bytes;
      spare[i].size = size;
      return;
    }
  free(bytes);
}

static uint8_t *take_spare_room(uint64_t size) {
  for (int i = 0; i < ACCESSED_PARTS; i++)
    if (spare[i].bytes && spare[i].size == size) {
      uint8_t *bytes = spare[i].bytes;
      spare[i].bytes = NULL;
      return bytes;
    }
  return NULL;
}

// Large ones in huge pages: one by one, small pages take the host longer than what is put there.
static uint8_t *room_for(uint64_t size) {
  uint8_t *room = take_spare_room(size);
  if (room || size < HUGE_PAGE_BYTES)
    return room ? room : malloc(size);
  const uint64_t whole = (size + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
  room = aligned_alloc(HUGE_PAGE_BYTES, whole);
  if (room)
    madvise(room, whole, MADV_HUGEPAGE);
  return room;
}

// ---- what is kept of a launch ----

static void let_go(Copy **copy, uint64_t size, bool keeps_room) {
  Copy *one = *copy;
  *copy = NULL;
  if (!one || --one->uses)
    return;
  kept_bytes -= size;
  if (keeps_room)
    spare_room(one->bytes, size);
  else
    free(one->bytes);
  free(one);
}

static void forget_copies(Known *one, bool keeps_rooms) {
  for (uint32_t i = 0; i < one->parts; i++) {
    let_go(&one->part[i].before, one->part[i].size, keeps_rooms);
    let_go(&one->part[i].after, one->part[i].size, keeps_rooms);
  }
  one->kept = false;
}

static void forget_memory(Known *one) { forget_copies(one, false); }

static void forget(Known **place) {
  forget_memory(*place);
  free((*place)->arguments);
  free(*place);
  *place = NULL;
}

// Of all, or of those that keep memory; NULL if there is none.
static Known **oldest(bool keeps_memory) {
  Known **found = NULL;
  for (int i = 0; i < LAUNCHES; i++)
    if (known[i] && !known[i]->busy && (known[i]->kept || !keeps_memory) &&
        (!found || known[i]->latest < (*found)->latest))
      found = &known[i];
  return found;
}

static uint64_t bytes_of(const Known *one) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < one->parts; i++)
    bytes += one->part[i].size;
  return bytes;
}

static bool holds(const Part *part, const Copy *copy) {
  return memcmp((const void *)part->address, copy->bytes, part->size) == 0;
}

// What another launch found there, if that is there now; NULL if not.
static Copy *found_by_another(const Part *part) {
  for (int i = 0; i < LAUNCHES; i++)
    for (uint32_t k = 0; known[i] && known[i]->kept && k < known[i]->parts; k++) {
      const Part *other = &known[i]->part[k];
      if (other->address == part->address && other->size == part->size &&
          holds(part, other->before))
        return other->before;
    }
  return NULL;
}

// What keeping a launch may take: bytes of all that are kept, and this thread's processor time, after which it would cost more
// than it can save. Fresh pages are dear on some hosts, above all in virtual machines: only the clock tells.
typedef struct {
  uint64_t most;
  double until_ms;
  bool late; // it ran out of time
} Allowance;

static bool copy_bytes(uint8_t *to, const uint8_t *from, uint64_t size, Allowance *allowance) {
  for (uint64_t at = 0, piece; at < size; at += piece) {
    allowance->late = now_ms(CLOCK_THREAD_CPUTIME_ID) > allowance->until_ms;
    if (allowance->late)
      return false;
    piece = size - at < PIECE ? size - at : PIECE;
    memcpy(to + at, from + at, piece);
  }
  return true;
}

// NULL if the host has no room for it, or takes too long.
static Copy *copy_of(const Part *part, Allowance *allowance) {
  Copy *copy = found_by_another(part);
  if (!copy) {
    copy = kept_bytes + part->size <= allowance->most ? calloc(1, sizeof *copy) : NULL;
    if (!copy || !(copy->bytes = room_for(part->size)) ||
        !copy_bytes(copy->bytes, (const uint8_t *)part->address, part->size, allowance)) {
      if (copy && copy->bytes)
        spare_room(copy->bytes, part->size);
      free(copy);
      return NULL;
    }
    kept_bytes += part->size;
  }
  copy->uses++;
  return copy;
}

// And within reach of the kernel's device.
static bool still_there(const Known *one) {
  for (uint32_t i = 0; i < one->parts; i++) {
    const Allocation *allocation = device_memory_find(one->part[i].address, one->part[i].size);
    if (!allocation || !device_memory_reaches(one->asked.device, allocation))
      return false;
  }
  return true;
}

// A sanitized launch says nothing new where an equal one found the same, all of which somebody had written.
static bool is_written(const Known *one) {
  for (uint32_t i = 0; i < one->parts && settings()->sanitize == SANITIZE_ALL; i++)
    if (!defined_memory_all(one->part[i].address, one->part[i].size))
      return false;
  return true;
}

static bool copy_before(Known *one, Allowance *allowance) {
  for (uint32_t i = 0; i < one->parts; i++)
    if (!(one->part[i].before = copy_of(&one->part[i], allowance)))
      return false;
  return true;
}

static bool is_as_before(const Part *part) { return holds(part, part->before); }

static bool copy_after(Known *one, Allowance *allowance) {
  for (uint32_t i = 0; i < one->parts; i++)
    if (!is_as_before(&one->part[i]) && !(one->part[i].after = copy_of(&one->part[i], allowance)))
      return false;
  return true;
}

static bool has_part_of(const Known *one, uint64_t size) {
  for (uint32_t i = 0; i < one->parts; i++)
    if (one->part[i].size == size)
      return true;
  return false;
}

static void free_spare_rooms_but_of(const Known *one) {
  for (int i = 0; i < ACCESSED_PARTS; i++)
    if (spare[i].bytes && !has_part_of(one, spare[i].size)) {
      free(spare[i].bytes);
      spare[i].bytes = NULL;
    }
}

// How many bytes may be kept of all launches with this one. Older ones make room.
static uint64_t make_room(const Known *one) {
  const uint64_t bytes = bytes_of(one), limit = (uint64_t)MOST_GIB << 30,
                 left = kept_bytes + device_memory_left(one->asked.device) / SHARE_OF_FREE,
                 most = left < limit ? left : limit;
  for (Known **other; kept_bytes + bytes > most && (other = oldest(true));)
    forget_memory(*other);
  free_spare_rooms_but_of(one);
  return most;
}

// How many times as long as one of them keeping a launch may take.
static double share_of(const Known *one) {
  return one->executed > SHARE_OF_EXECUTED ? (double)one->executed / SHARE_OF_EXECUTED : 1;
}

// How many times as long as copying its memory it takes.
static double worth_of(const Known *one) {
  return one->cpu_ms * BYTES_PER_MS / ((double)bytes_of(one) + 1);
}

static uint64_t add_sample(uint64_t sum, const Part *part) {
  const uint64_t words = part->size / sizeof sum, step = words / SAMPLES + 1;
  for (uint64_t i = 0; i < words; i += step)
    sum = (sum ^ ((const uint64_t *)part->address)[i]) * 0x100000001b3; // FNV's prime
  return sum;
}

// Whether a few words say that the launch finds what the one before it found. Most memory that changes from launch to launch
// changes everywhere, and copying all of that in vain takes longer than many a launch.
static bool finds_samples(Known *one) {
  uint64_t sum = 1;
  device_memory_hold();
  const bool there = still_there(one);
  for (uint32_t i = 0; there && i < one->parts; i++)
    sum = add_sample(sum, &one->part[i]);
  device_memory_let_go();
  const bool same = there && one->sample == (sum | 1);
  one->sample = there ? sum | 1 : 0;
  return same;
}

// The program may free memory at any time.
static bool keep_before(Known *one, Allowance *allowance) {
  device_memory_hold();
  const bool keeps = still_there(one) && is_written(one) && copy_before(one, allowance);
  device_memory_let_go();
  return keeps;
}

static bool keep_after(Known *one, Allowance *allowance) {
  device_memory_hold();
  const bool keeps = still_there(one) && copy_after(one, allowance);
  device_memory_let_go();
  return keeps;
}

// ---- launches ----

typedef struct {
  const Launch *launch;
  Counters *counters;
  Fault *fault;
  double *host_ms;
  bool is_known; // then it is long enough to ask Linux for its time
  double
      cpu_ms; // of all threads, which copying is compared with; of one that is not known as host_ms
  AccessedMemory accessed;
} Run;

// True if nothing but arguments and the allocations that it accessed can have decided what it did: no clock, no memory
// that others share. Where the host program shares some, this needs that it waits.
static bool execute(Run *run, bool *went_well) {
  const double begin = now_ms(CLOCK_MONOTONIC),
               cpu_begin = run->is_known ? now_ms(CLOCK_PROCESS_CPUTIME_ID) : 0;
  *went_well = dispatch_run(run->launch, run->counters, run->fault, &run->accessed);
  executed++;
  *run->host_ms = now_ms(CLOCK_MONOTONIC) - begin;
  run->cpu_ms = run->is_known ? now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin : *run->host_ms;
  return *went_well && !run->accessed.others && !run->counters->clock_read;
}

static void set_parts(Known *one, const AccessedMemory *accessed) {
  forget_memory(one);
  one->sample = 0;
  one->hosts = accessed->hosts;
  one->parts = accessed->count;
  for (uint32_t i = 0; i < accessed->count; i++)
    one->part[i] = (Part){.address = accessed->part[i].begin,
                          .size = accessed->part[i].end - accessed->part[i].begin};
}

static bool has_part(const Known *one, const AddressRange *range) {
  for (uint32_t i = 0; i < one->parts; i++)
    if (one->part[i].address == range->begin &&
        one->part[i].address + one->part[i].size == range->end)
      return true;
  return false;
}

static bool has_all_parts(const Known *one, const AccessedMemory *accessed) {
  for (uint32_t i = 0; i < accessed->count; i++)
    if (!has_part(one, &accessed->part[i]))
      return false;
  return true;
}

static void get_to_know(const Run *run) {
  const uint32_t size = run->launch->kernel->kernarg_size;
  Known *one = calloc(1, sizeof *one), **place = &known[0];
  if (!one || !(one->arguments = malloc(size + 1u))) {
    free(one);
    return;
  }
  memcpy(one->arguments, run->launch->kernarg, size);
  one->asked = asked_of(run->launch);
  one->host_ms = *run->host_ms;
  one->cpu_ms = run->cpu_ms;
  one->latest = launches;
  set_parts(one, &run->accessed);
  while (*place && place < &known[LAUNCHES - 1])
    place++;
  if (*place)
    forget(place = oldest(false));
  *place = one;
}

static bool execute_first(Run *run) {
  bool went_well;
  if (execute(run, &went_well) && run->cpu_ms >= LEAST_MS)
    get_to_know(run);
  return went_well;
}

// Memory that the program may write, too, is left to the launch while it waits: then another number after each time that it did not.
static uint64_t waits_for(const Known *one) { return one->hosts ? program_waits() : 1; }

// Memory that changes from launch to launch is looked at more and more seldom. Once it mostly is another kernel that was checked before.
static void miss(Known *one) {
  forget_memory(one);
  one->misses += one->misses < MOST_MISSES;
  one->passes = (1u << 2 * (one->misses - 1)) - 1;
  one->executed = 0;
}

// Where keeping took too long, it may take twice as long when twice as many were executed.
static void postpone(Known *one) {
  forget_copies(one, true);
  one->passes = one->executed;
}

// Of a launch that is executed sooner than what it leaves is put there, none is kept any more.
static void give_up(Known *one) {
  forget_memory(one);
  one->passes = UINT32_MAX;
}

static bool execute_and_keep(Run *run, Known **place) {
  Known *one = *place;
  const double share = share_of(one), begin = now_ms(CLOCK_THREAD_CPUTIME_ID);
  const uint64_t most = make_room(one), writes = outside_writes(), waits = waits_for(one);
  Allowance allowance = {.most = most, .until_ms = begin + one->cpu_ms * share};
  const bool keeps = waits && keep_before(one, &allowance);
  const double spent = now_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
  bool went_well;
  if (!execute(run, &went_well)) {
    forget(place);
    return went_well;
  }
  one->host_ms = *run->host_ms;
  one->cpu_ms = run->cpu_ms;
  one->counters = *run->counters;
  allowance.until_ms = now_ms(CLOCK_THREAD_CPUTIME_ID) + one->cpu_ms * share - spent;
  const bool same_parts = has_all_parts(one, &run->accessed);
  if (!same_parts)
    set_parts(one, &run->accessed);
  one->kept = same_parts && keeps && keep_after(one, &allowance) && writes &&
              writes == outside_writes() &&
              waits == waits_for(one); // what was copied or written meanwhile is not the kernel's
  if (allowance.late)
    postpone(one);
  else if (!one->kept)
    miss(one);
  return went_well;
}

// Whether since the launch before this one any changed what is there, or may have.
static bool is_changed_meanwhile(const Known *one, const Part *part) {
  for (int i = 0; i < LAUNCHES; i++)
    for (uint32_t k = 0; known[i] && known[i]->latest >= one->before && k < known[i]->parts; k++)
      if (known[i]->part[k].address == part->address &&
          (!known[i]->kept || known[i]->part[k].after))
        return true;
  return false;
}

// Not what launches change, nor memory that the host program is meant to write: under a watch its next writes are slow, in
// a virtual machine of ours 36 times and more (memset, GB/s), and slower for ever.
static bool is_worth_a_watch(const Known *one, const Part *part) {
  return part->found && part->size >= LEAST_WATCHED && !part->written &&
         !is_changed_meanwhile(one, part) &&
         device_memory_find(part->address, part->size)->kind == MEMORY_DEVICE;
}

// While the program waits: another number after whatever may have changed memory, but launches that were put back; 0: something may
// at any time.
static uint64_t moment(uint64_t waits) {
  const uint64_t writes = outside_writes();
  return waits && writes ? waits + writes + executed : 0;
}

// Most inputs stay as they are from launch to launch: then Linux tells so, or that the program has not ceased to wait, and they are
// not read. The watch begins before memory is compared, so that nothing is written between the two.
static bool finds_part(const Known *one, Part *part, uint64_t now) {
  if (now && part->found_at == now && !is_changed_meanwhile(one, part))
    return true;
  if (part->watch && unwritten_since(part->address, part->size, part->watch))
    return true;
  part->written |= part->watch != 0;
  part->watch = is_worth_a_watch(one, part) ? unwritten_watch(part->address, part->size) : 0;
  part->found_at = now;
  return part->found = is_as_before(part);
}

static bool finds_the_same(Known *one) {
  const uint64_t waits = one->hosts ? program_waits() : 0, now = moment(waits);
  one->unsure = one->hosts && !waits;
  if (one->unsure)
    return false;
  for (uint32_t i = 0; i < one->parts; i++)
    if (!finds_part(one, &one->part[i], now))
      return false;
  return true;
}

static void leave_the_same(const Known *one) {
  for (uint32_t i = 0; i < one->parts; i++)
    if (one->part[i].after)
      memcpy((void *)one->part[i].address, one->part[i].after->bytes, one->part[i].size);
}

// False if memory is otherwise than what is kept.
static bool repeat(Known *one, Run *run) {
  one->unsure = false;
  if (!one->kept)
    return false;
  device_memory_hold();
  outside_writes_stop();
  const bool same = still_there(one) && is_written(one) && finds_the_same(one);
  if (same)
    leave_the_same(one);
  outside_writes_go_on();
  device_memory_let_go();
  if (!same)
    return false;
  *run->counters = one->counters;
  *run->fault = (Fault){.kind = FAULT_NONE};
  *run->host_ms = one->host_ms;
  __atomic_add_fetch(&repeated, 1, __ATOMIC_RELAXED);
  return true;
}

static bool execute_again(Run *run, Known *one) {
  bool went_well;
  execute(run, &went_well);
  one->cpu_ms =
      run->cpu_ms; // the first one may have been slow: memory that was never touched, no machine code
  return went_well;
}

static bool execute_known(Run *run, Known **place) {
  Known *one = *place;
  if (one->kept && one->unsure)
    return execute_again(run, one);
  if (one->kept)
    miss(one);
  const bool may_be_the_same = finds_samples(one);
  one->executed += one->executed < UINT32_MAX;
  if (!one->passes && worth_of(one) * share_of(one) >= 1 &&
      (may_be_the_same || worth_of(one) >= NEXT_TO_NOTHING) && waits_for(one))
    return execute_and_keep(run, place);
  one->passes -= one->passes > 0;
  return execute_again(run, one);
}

static bool run_known(Run *run, Known **place) {
  Known *one = *place;
  one->before = one->latest;
  one->latest = launches;
  const double begin = now_ms(CLOCK_THREAD_CPUTIME_ID);
  if (repeat(one, run)) {
    const bool is_slow = now_ms(CLOCK_THREAD_CPUTIME_ID) - begin > one->cpu_ms;
    one->misses = 0;
    one->slow = is_slow ? one->slow + 1 : 0;
    if (one->slow == MOST_SLOW)
      give_up(one);
    return true;
  }
  one->busy = true;
  const bool went_well = execute_known(run, place);
  if (*place == one)
    one->busy = false;
  return went_well;
}

bool repeated_launch_run(const Launch *launch, Counters *counters, Fault *fault, double *host_ms) {
  Run run = {.launch = launch, .counters = counters, .fault = fault, .host_ms = host_ms};
  const bool may_repeat =
      settings()->reuse && !launch->together.count && !line_report_wanted() && !trace_file_wanted();
  Known **place = may_repeat ? place_of(launch) : NULL;
  bool went_well;
  launches++;
  run.is_known = place != NULL;
  if (place && !(*place)->busy)
    return run_known(&run, place);
  if (may_repeat && !place)
    return execute_first(&run);
  execute(&run, &went_well);
  return went_well;
}

__attribute__((visibility("default"))) size_t emulator_repeated_launches(void) {
  return __atomic_load_n(&repeated, __ATOMIC_RELAXED);
}
