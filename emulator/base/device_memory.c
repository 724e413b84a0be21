// Device memory: address ranges out of one reservation, and a sorted table of who owns which range.
//
// In: allocation, registration and free requests. Out: zeroed memory behind inaccessible gaps;
// look-ups by address.
//
// One large range without access rights is reserved at the first request.
// Allocations take it from low to high addresses and nothing is handed out twice, so new records go
// to the end of the table and freed ones stay findable. Registered host memory lies elsewhere; its
// records are inserted at their place and leave with hipHostUnregister, because its owner may then
// use the addresses for something else.
#define _GNU_SOURCE
#include "device_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host_limits.h"
#include "open_ranges.h"
#include "parameters.h"
#include "settings.h"
#include "used_pages.h"

#define ARENA_BYTES (32ull << 40)          // a quarter of the 47-bit address space of a process
#define SANITIZED_ARENA_BYTES (4ull << 40) // beside it stand records of more than twice its size
#define SANITIZED_PART 4                   // of limited addresses, so that the records fit, too
#define HOST_MARGIN_BYTES (256ull << 20)   // left to the host program
#define HOST_RECHECK_BYTES (16ull << 20)   // smaller requests trust the last reading
#define MOST_USED_BYTES (2ull << 30)       // pages of freed memory that are kept
enum {
  PAGE_BYTES = 4096,
  HUGE_PAGE_BYTES = 2 << 20,
  FREED_KEPT = 16384,  // freed ranges that can still be named, at least
  SHARE_USED = 8,      // of what the host has left, pages of freed memory may be a part
  GUARDED_LIVE = 8192, // live allocations between gaps that stop the host too
  FREED_AT_HAND = 64,  // of what was freed, the latest
  TURNS_TOLD = 4,      // of a size that is freed and asked for again; from there on it is handed on
  FREES_TOLD = 256,    // of a program; what it frees from there on is handed on, too
};

static struct {
  uint64_t begin, size, used; // bytes
  uint64_t reach;             // where what the last allocation may access ends
} arena;

static struct {
  Allocation *entry; // by ascending address, never overlapping
  size_t count, capacity;
  size_t freed; // entries that are not live
} table;

static struct {
  uint64_t address[FREED_AT_HAND]; // 0: none
  uint64_t frees;
} at_hand;

static uint64_t device_bytes[SETTINGS_MOST_DEVICES]; // live, of the kinds that take its memory
static _Thread_local int chosen;                     // device
static uint32_t reached[SETTINGS_MOST_DEVICES];      // by a device: a bit for each peer
static uint64_t all_bytes;                           // live, everything in the arena
static uint64_t host_bytes; // what the host could give when the arena was last empty

// Who looks up, reads; who changes, writes and does not wait for ever behind readers that come anew.
static pthread_rwlock_t changes = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static _Thread_local unsigned held; // how often by this thread

void device_memory_hold(void) {
  if (held++ == 0)
    pthread_rwlock_rdlock(&changes);
}

void device_memory_let_go(void) {
  if (--held == 0)
    pthread_rwlock_unlock(&changes);
}

void device_memory_lock(pthread_mutex_t *lock) {
  if (held)
    pthread_rwlock_unlock(&changes);
  pthread_mutex_lock(lock);
  if (held)
    pthread_rwlock_rdlock(&changes);
}

static void begin_change(void) {
  if (held)
    pthread_rwlock_unlock(&changes);
  pthread_rwlock_wrlock(&changes);
}

static void end_change(void) {
  pthread_rwlock_unlock(&changes);
  if (held)
    pthread_rwlock_rdlock(&changes);
}

void device_memory_before_fork(void) { begin_change(); }

void device_memory_after_fork(bool child) {
  if (child) // its thread has another number, by which the lock would not know it
    changes = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  if (child && held)
    pthread_rwlock_rdlock(&changes);
  if (!child)
    end_change();
}

static uint64_t round_up(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

uint64_t device_memory_host_left(void) {
  const uint64_t bytes = host_memory_left();
  return (bytes > HOST_MARGIN_BYTES ? bytes - HOST_MARGIN_BYTES : 0) + used_pages_bytes();
}

// Pages are committed when they are first touched, long after the request: so the sum of all
// requests must fit into what was free before the first one, and a large request also into what is
// free now.
static bool host_memory_fits(uint64_t size) {
  if (all_bytes == 0 && (host_bytes == 0 || size >= HOST_RECHECK_BYTES))
    host_bytes = device_memory_host_left();
  if (all_bytes > host_bytes || size > host_bytes - all_bytes)
    return false;
  return size < HOST_RECHECK_BYTES || size <= device_memory_host_left();
}

// Bytes that the device maps for an allocation of ours.
static uint64_t mapped_bytes(uint64_t size) {
  return round_up(size, PAGE_BYTES) + (size < HUGE_PAGE_BYTES ? PAGE_BYTES : 0);
}

// Where what the host may access of it ends: at the last huge page's end, if that leaves the gap alone. Four hundred small
// pages take as long as two hundred huge ones.
static uint64_t accessible_end(uint64_t begin, uint64_t size) {
  const uint64_t end = begin + mapped_bytes(size), huge = round_up(end, HUGE_PAGE_BYTES);
  return size >= HUGE_PAGE_BYTES && huge - end < DEVICE_MEMORY_GAP ? huge : end;
}

// Inaccessible memory costs no page: a system that limits address space gets a smaller arena. Its
// place is always the same where it is free, because the memory model's sets depend on addresses
// and a program should be modelled alike on every run.
static bool arena_reserve(void) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *const usual =
      (void *)0x200000000000; // above what ASan reserves, far below stacks and libraries
  const bool sanitized = settings()->sanitize == SANITIZE_ALL;
  const uint64_t wanted = sanitized ? SANITIZED_ARENA_BYTES : ARENA_BYTES,
                 share = host_address_space_share() / (sanitized ? SANITIZED_PART : 1),
                 fits = share / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES,
                 most = wanted < fits ? wanted : fits;
  for (uint64_t size = most; !arena.begin && size >= HUGE_PAGE_BYTES; size /= 2) {
    void *begin = mmap(usual, size, PROT_NONE, flags, -1, 0);
    if (begin != MAP_FAILED) {
      arena.begin = (uint64_t)begin;
      arena.size = size;
    }
  }
  return arena.begin;
}

// Entries that begin at or below address; the last of them is the only one that can contain it.
static size_t entries_up_to(uint64_t address) {
  size_t low = 0, high = table.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table.entry[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool table_insert(Allocation allocation) {
  if (table.count == table.capacity) {
    size_t capacity = table.capacity ? 2 * table.capacity : 256;
    Allocation *entry = realloc(table.entry, capacity * sizeof *entry);
    if (!entry)
      return false;
    table.entry = entry;
    table.capacity = capacity;
  }
  size_t place = entries_up_to(allocation.address);
  memmove(&table.entry[place + 1], &table.entry[place],
          (table.count - place) * sizeof *table.entry);
  table.entry[place] = allocation;
  table.count++;
  return true;
}

static void table_remove(size_t place) {
  table.count--;
  memmove(&table.entry[place], &table.entry[place + 1],
          (table.count - place) * sizeof *table.entry);
}

// Drops all but the FREED_KEPT highest freed ranges: a program that allocates in a loop keeps a
// small table.
static void table_forget_old(void) {
  size_t surplus = table.freed - FREED_KEPT, kept = 0;
  for (size_t i = 0; i < table.count; i++) {
    if (!table.entry[i].live && !table.entry[i].resting && surplus > 0)
      surplus--;
    else
      table.entry[kept++] = table.entry[i];
  }
  table.count = kept;
  table.freed = FREED_KEPT;
}

static bool counts_as_device(MemoryKind kind) {
  return kind == MEMORY_DEVICE || kind == MEMORY_MANAGED || kind == MEMORY_HEAP;
}

// ---- what loops of hipMalloc and hipFree get again ----
//
// Most programs free seldom, and a stale pointer of theirs is told. In a loop that frees again and again fresh addresses cost
// fresh pages, and no launch would find its memory where the one before it did. A loop is told by its turns: something was
// freed, of the same size is asked for, that is freed, and so on.

static Allocation *allocation_at(void *address) {
  const size_t below = entries_up_to((uint64_t)address);
  Allocation *allocation = below ? &table.entry[below - 1] : NULL;
  return allocation && allocation->address == (uint64_t)address ? allocation : NULL;
}

static void lay_at_hand(const Allocation *freed) {
  at_hand.frees++;
  if (freed->kind == MEMORY_DEVICE && !freed->exported && freed->opened == freed->address &&
      !settings()->sanitize)
    at_hand.address[at_hand.frees % FREED_AT_HAND] = freed->address;
}

// The lowest of that size, so that the order in which others were freed does not matter.
static Allocation *take_from_hand(uint64_t size) {
  Allocation *found = NULL;
  int place = 0;
  for (int i = 0; i < FREED_AT_HAND; i++) {
    Allocation *freed = at_hand.address[i] ? allocation_at((void *)at_hand.address[i]) : NULL;
    if (freed && !freed->live && freed->size == size &&
        (!found || freed->address < found->address)) {
      found = freed;
      place = i;
    }
  }
  if (found)
    at_hand.address[place] = 0;
  return found;
}

static bool is_handed_on(const Allocation *freed) {
  return freed->turns >= TURNS_TOLD || at_hand.frees > FREES_TOLD;
}

static bool allocate_again(Allocation *again, unsigned flags, void **address) {
  const uint64_t begin = again->address, size = again->size,
                 accessible = accessible_end(begin, size);
  if (!used_pages_take_back(begin, accessible) &&
      mprotect((void *)begin, accessible - begin, PROT_READ | PROT_WRITE) != 0)
    return false;
  *again = (Allocation){.address = begin,
                        .size = size,
                        .opened = begin,
                        .kind = MEMORY_DEVICE,
                        .live = true,
                        .turns = again->turns,
                        .flags = flags,
                        .device = chosen};
  table.freed--;
  all_bytes += size;
  device_bytes[chosen] += size;
  *address = (void *)begin;
  return true;
}

static MemoryStatus allocate(uint64_t size, MemoryKind kind, unsigned flags, void **address) {
  if (!arena_reserve() || size > arena.size)
    return MEMORY_EXHAUSTED;
  if (counts_as_device(kind) && size > device_memory_size() - device_bytes[chosen])
    return MEMORY_EXHAUSTED;
  if (!host_memory_fits(size))
    return MEMORY_EXHAUSTED;

  Allocation *freed = kind == MEMORY_DEVICE ? take_from_hand(size) : NULL;
  if (freed && is_handed_on(freed) && allocate_again(freed, flags, address))
    return MEMORY_OK;
  const uint32_t turns = freed ? freed->turns + 1 : 0;

  const uint64_t align = size >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : PAGE_BYTES;
  const uint64_t begin = round_up(arena.begin + arena.used + DEVICE_MEMORY_GAP, align);
  const uint64_t end = begin + round_up(size, PAGE_BYTES);
  if (end + DEVICE_MEMORY_GAP > arena.begin + arena.size)
    return MEMORY_EXHAUSTED;
  // Beyond GUARDED_LIVE the gap becomes accessible as well, so that neighbours share one mapping:
  // Linux allows a process 65530 of them.
  const bool guarded = table.count - table.freed < GUARDED_LIVE;
  const uint64_t used = arena.begin + arena.used;
  const uint64_t opened = guarded ? begin : used > arena.reach ? used : arena.reach;
  const uint64_t accessible = accessible_end(begin, size); // reaches into the gap behind
  if (mprotect((void *)opened, accessible - opened, PROT_READ | PROT_WRITE))
    return MEMORY_EXHAUSTED;
  if (!table_insert((Allocation){.address = begin,
                                 .size = size,
                                 .opened = opened,
                                 .kind = kind,
                                 .live = true,
                                 .turns = turns,
                                 .flags = flags,
                                 .device = chosen})) {
    mprotect((void *)opened, accessible - opened, PROT_NONE);
    return MEMORY_EXHAUSTED;
  }
  if (size >= HUGE_PAGE_BYTES)
    madvise((void *)begin, accessible - begin, MADV_HUGEPAGE); // fewer TLB misses in strided access
  used_pages_give(begin, accessible);
  arena.used = end - arena.begin;
  arena.reach = accessible;
  all_bytes += size;
  device_bytes[chosen] += counts_as_device(kind) ? size : 0;
  *address = (void *)begin;
  return MEMORY_OK;
}

MemoryStatus device_memory_allocate(uint64_t size, MemoryKind kind, unsigned flags,
                                    void **address) {
  begin_change();
  const MemoryStatus status = allocate(size, kind, flags, address);
  end_change();
  return status;
}

// Memory of the caller: what is known of it but its address and size.
static bool add_registered(void *address, uint64_t size, Allocation known) {
  const uint64_t begin = (uint64_t)address, end = begin + size;
  if (size == 0 || end < begin)
    return false;
  begin_change();
  const size_t below = entries_up_to(end - 1);
  const bool overlaps =
      below > 0 && table.entry[below - 1].address + table.entry[below - 1].size > begin;
  known.address = begin;
  known.size = size;
  known.live = known.registered = true;
  const bool added = !overlaps && table_insert(known);
  end_change();
  return added;
}

bool device_memory_register(void *address, uint64_t size, unsigned flags) {
  const uint64_t begin = (uint64_t)address;
  const bool reserved = begin < arena.begin + arena.size && begin + size > arena.begin;
  return !reserved &&
         add_registered(address, size,
                        (Allocation){.kind = MEMORY_HOST, .flags = flags, .device = chosen});
}

bool device_memory_place(void *address, uint64_t size, MemoryKind kind, int device) {
  return add_registered(address, size, (Allocation){.kind = kind, .device = device});
}

MemoryStatus device_memory_reserve(uint64_t size, uint64_t alignment, void **address) {
  MemoryStatus status = MEMORY_EXHAUSTED;
  begin_change();
  if (arena_reserve() && size <= arena.size && alignment <= arena.size) {
    const uint64_t align = alignment > HUGE_PAGE_BYTES ? alignment : HUGE_PAGE_BYTES;
    const uint64_t begin = round_up(arena.begin + arena.used + DEVICE_MEMORY_GAP, align);
    const uint64_t end = begin + round_up(size, PAGE_BYTES);
    if (end + DEVICE_MEMORY_GAP <= arena.begin + arena.size) {
      arena.used = end - arena.begin;
      *address = (void *)begin;
      status = MEMORY_OK;
    }
  }
  end_change();
  return status;
}

bool device_memory_take(uint64_t size) {
  begin_change();
  const bool fits = size <= device_memory_size() - device_bytes[chosen] && host_memory_fits(size);
  all_bytes += fits ? size : 0;
  device_bytes[chosen] += fits ? size : 0;
  end_change();
  return fits;
}

void device_memory_give_back(uint64_t size, int device) {
  begin_change();
  all_bytes -= size;
  device_bytes[device] -= size;
  end_change();
}

static Allocation *live_allocation_at(void *address) {
  Allocation *allocation = allocation_at(address);
  return allocation && allocation->live ? allocation : NULL;
}

// What others have as well is theirs.
static bool keeps_pages(const Allocation *allocation, uint64_t accessible) {
  if (allocation->size < HUGE_PAGE_BYTES || allocation->exported ||
      allocation->opened != allocation->address)
    return false;
  const uint64_t left = device_memory_host_left() / SHARE_USED;
  return used_pages_keep(allocation->address, accessible,
                         left < MOST_USED_BYTES ? left : MOST_USED_BYTES);
}

static bool release(void *address, MemoryKind kind) {
  Allocation *allocation = live_allocation_at(address);
  if (!allocation || allocation->kind != kind)
    return false;
  free(allocation->hints);
  allocation->hints = NULL;
  if (allocation->registered) {
    table_remove((size_t)(allocation - table.entry));
    return true;
  }
  // An inaccessible mapping in its place stops the host's stale pointers, too. Of many allocations
  // that are freed anywhere each would split a mapping.
  const uint64_t accessible = accessible_end(allocation->address, allocation->size);
  if (table.count - table.freed > GUARDED_LIVE) {
    open_ranges_add(allocation->opened, accessible);
  } else {
    if (!keeps_pages(allocation, accessible))
      open_ranges_close_one(allocation->opened, accessible);
    open_ranges_close_all();
    lay_at_hand(allocation);
  }
  allocation->live = false;
  all_bytes -= allocation->size;
  device_bytes[allocation->device] -= counts_as_device(kind) ? allocation->size : 0;
  if (++table.freed > 2 * FREED_KEPT)
    table_forget_old();
  return true;
}

bool device_memory_free(void *address, MemoryKind kind) {
  begin_change();
  const bool freed = release(address, kind);
  end_change();
  return freed;
}

void device_memory_free_all(int device) {
  begin_change();
  for (size_t i = 0; i < table.count; i++) {
    const Allocation allocation = table.entry[i];
    if (!allocation.live || allocation.registered || allocation.kind != MEMORY_DEVICE ||
        allocation.device != device)
      continue;
    release((void *)allocation.address, MEMORY_DEVICE);
    i = entries_up_to(allocation.address) - 1; // old entries may have been forgotten
  }
  end_change();
}

// size: 0 leaves it as it is.
static void set_resting(void *address, bool resting, uint64_t size) {
  begin_change();
  Allocation *allocation = allocation_at(address);
  if (allocation) {
    allocation->live = !resting;
    allocation->resting = resting;
    allocation->size = size ? size : allocation->size;
  }
  end_change();
}

void device_memory_rest(void *address) { set_resting(address, true, 0); }
void device_memory_wake(void *address, uint64_t size) { set_resting(address, false, size); }

static bool has_partners; // atomic

void device_memory_export(void *address) {
  Allocation *allocation = live_allocation_at(address);
  if (!allocation)
    return;
  allocation->exported = true;
  __atomic_store_n(&has_partners, true, __ATOMIC_RELAXED);
}

bool device_memory_has_partners(void) { return __atomic_load_n(&has_partners, __ATOMIC_RELAXED); }

bool device_memory_shared(const Allocation *allocation) {
  return allocation->kind == MEMORY_HOST || allocation->kind == MEMORY_MANAGED ||
         allocation->registered || allocation->exported;
}

bool device_memory_coherent(const Allocation *allocation) {
  enum { MAPPED = 0x2, NUMA_USER = 0x20000000, COHERENT = 0x40000000, COARSE_REGISTERED = 0x8 };
  if (allocation->kind != MEMORY_HOST)
    return false;
  return allocation->registered
             ? !(allocation->flags & COARSE_REGISTERED)
             : !allocation->flags || allocation->flags & (MAPPED | NUMA_USER | COHERENT);
}

void device_memory_set_name(void *address, const char *name) {
  Allocation *allocation = live_allocation_at(address);
  if (allocation)
    allocation->name = name;
}

const Allocation *device_memory_find(uint64_t address, uint64_t size) {
  const size_t below = entries_up_to(address);
  if (below == 0)
    return NULL;
  const Allocation *allocation = &table.entry[below - 1];
  const uint64_t offset = address - allocation->address;
  const bool inside = offset < allocation->size && size <= allocation->size - offset;
  return inside && allocation->live ? allocation : NULL;
}

bool device_memory_reserved(uint64_t address) { return address - arena.begin < arena.size; }

void device_memory_range(uint64_t *begin, uint64_t *end) {
  *begin = arena.begin;
  *end = arena.begin + arena.size;
}

const Allocation *device_memory_beyond(uint64_t address, uint64_t size) {
  const size_t below = entries_up_to(address);
  const Allocation *a = below ? &table.entry[below - 1] : NULL;
  if (!a || !a->live)
    return NULL;
  const uint64_t end = a->registered ? round_up(a->address + a->size, PAGE_BYTES)
                                     : a->address + mapped_bytes(a->size);
  return address < end && size <= end - address ? a : NULL;
}

static MemoryHints *new_hints(size_t pages) {
  MemoryHints *hints = calloc(pages, sizeof *hints);
  for (size_t i = 0; hints && i < pages; i++)
    hints[i].preferred = hints[i].prefetched = MEMORY_NO_DEVICE;
  return hints;
}

MemoryHints *device_memory_hints(uint64_t address, uint64_t size, size_t *pages) {
  Allocation *a = size ? (Allocation *)device_memory_find(address, size) : NULL;
  if (!a || (a->kind != MEMORY_MANAGED && !(a->kind == MEMORY_HOST && a->registered)))
    return NULL;
  if (!a->hints)
    a->hints = new_hints((a->size + PAGE_BYTES - 1) / PAGE_BYTES);
  const uint64_t first = (address - a->address) / PAGE_BYTES;
  *pages = (address - a->address + size + PAGE_BYTES - 1) / PAGE_BYTES - first;
  return a->hints ? a->hints + first : NULL;
}

const Allocation *device_memory_nearest(uint64_t address, int64_t *distance) {
  const size_t below = entries_up_to(address);
  const Allocation *before = below > 0 ? &table.entry[below - 1] : NULL;
  const Allocation *after = below < table.count ? &table.entry[below] : NULL;
  uint64_t past = 0, short_of = after ? after->address - address : UINT64_MAX;
  if (before) {
    const uint64_t last = before->address + before->size - 1;
    past = address > last ? address - last : 0;
  }
  *distance = 0;
  if (before && past <= short_of) {
    *distance = past < INT64_MAX ? (int64_t)past : INT64_MAX;
    return before;
  }
  if (after)
    *distance = short_of < INT64_MAX ? -(int64_t)short_of : -INT64_MAX;
  return after;
}

uint64_t device_memory_size(void) { return (uint64_t)parameters_device()->hbm_bytes; }

uint64_t device_memory_used(int device) { return device_bytes[device]; }

bool device_memory_addresses_ran_out(uint64_t size) {
  const uint64_t needed = size + 2 * DEVICE_MEMORY_GAP + HUGE_PAGE_BYTES;
  return size <= device_memory_size() && needed > arena.size - arena.used;
}

// Programs fill what they are told is free, and need memory of the host beside it; so do others, and what is known of each byte
// that is sanitized.
static uint64_t told_at_first(void) {
  enum { QUARTERS = 3, SANITIZED_COST = 2 };
  const uint64_t told = device_memory_host_left() / 4 * QUARTERS;
  return settings()->sanitize == SANITIZE_ALL ? told / SANITIZED_COST : told;
}

uint64_t device_memory_left(int device) {
  static uint64_t at_first; // so that what other processes do meanwhile looks like no leak
  uint64_t taken = 0;
  begin_change();
  for (int i = 0; i < SETTINGS_MOST_DEVICES; i++)
    taken += device_bytes[i];
  if (at_first == 0)
    at_first = told_at_first() + taken;
  const uint64_t of_device = device_memory_size() - device_bytes[device];
  const uint64_t of_host = taken < at_first ? at_first - taken : 0;
  end_change();
  return of_device < of_host ? of_device : of_host;
}

void device_memory_choose(int device) { chosen = device; }

void device_memory_open(int device, int peer, bool open) {
  reached[device] = (reached[device] & ~(1u << peer)) | (uint32_t)open << peer;
}

bool device_memory_reaches(int device, const Allocation *allocation) {
  return allocation->kind != MEMORY_DEVICE || allocation->device == device ||
         ((reached[device] >> allocation->device | allocation->guests >> device) & 1);
}

void device_memory_invite(void *address, uint32_t devices) {
  begin_change();
  Allocation *allocation = allocation_at(address);
  if (allocation)
    allocation->guests = devices;
  end_change();
}
