// Checks of memory accesses: see vector_access.h.
#include "vector_access.h"

#include "device_memory.h"
#include "host_memory.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static bool holds_arguments(const Launch *launch, u64 begin, u64 end) {
  const u64 arguments = (u64)launch->kernarg;
  return (arguments >= begin && arguments < end) ||
         (launch->packet >= begin && launch->packet < end);
}

// The oldest of the recent ranges makes room.
static const AddressRange *remember(HostThread *thread, AddressRange range) {
  memmove(thread->ranges + 1, thread->ranges, sizeof thread->ranges - sizeof *thread->ranges);
  thread->ranges[0] = range;
  if (!holds_arguments(thread->launch, range.begin, range.end))
    accessed_memory_add(&thread->accessed, &thread->ranges[0]);
  return &thread->ranges[0];
}

// Where the range of these bytes is kept: allocations begin at multiples of 256 B.
static AddressRange *table_place(const HostThread *thread, u64 address) {
  return &thread->range_table[(address >> 8) * 0x9e3779b97f4a7c15ull >> (64 - RANGE_TABLE_BITS)];
}

static const AddressRange *find_in_table(const HostThread *thread, u64 address, u32 bytes) {
  const AddressRange *kept = thread->range_table ? table_place(thread, address) : NULL;
  return kept && address >= kept->begin && address + bytes <= kept->end && bytes ? kept : NULL;
}

static void keep_in_table(HostThread *thread, u64 address, const AddressRange *range) {
  if (!thread->range_table && thread->ranges[RANGE_CACHE - 1].end)
    thread->range_table = calloc(1 << RANGE_TABLE_BITS, sizeof *thread->range_table);
  if (thread->range_table)
    *table_place(thread, address) = *range;
}

const AddressRange *access_range(HostThread *thread, u64 address, u32 bytes) {
  const AddressRange *seen = find_in_table(thread, address, bytes);
  if (!seen)
    seen = access_seen(thread, address, address + bytes);
  if (seen)
    return seen;
  const Allocation *allocation = device_memory_find(address, bytes);
  if (!allocation || !device_memory_reaches(thread->launch->device, allocation))
    return NULL;
  seen = remember(thread, (AddressRange){.begin = allocation->address,
                                         .end = allocation->address + allocation->size,
                                         .shared = device_memory_shared(allocation),
                                         .outside = allocation->registered});
  keep_in_table(thread, address, seen);
  return seen;
}

// With HSA_XNACK=1 the device shares the host's page tables: it reaches all that the host may.
static bool shared_with_host(HostThread *thread, u64 address, u32 bytes, MemoryAction action) {
  HostMapping mapping;
  const AddressRange *seen = &thread->readable;
  if (action == MEMORY_LOAD && address >= seen->begin && address + bytes <= seen->end && seen->end)
    return true;
  if (!settings()->xnack || device_memory_reserved(address) ||
      !host_memory_mapping(address, &mapping) || address + bytes > mapping.end ||
      (action != MEMORY_LOAD && !mapping.writable))
    return false;
  if (mapping.writable)
    remember(thread, (AddressRange){mapping.begin, mapping.end, .shared = true, .outside = true});
  else
    thread->readable =
        (AddressRange){.begin = mapping.begin, .end = mapping.end, .shared = true, .outside = true};
  return true;
}

void access_forget(HostThread *thread) {
  memset(thread->ranges, 0, sizeof thread->ranges);
  thread->readable = (AddressRange){0};
  memset(thread->spans_met, 0, sizeof thread->spans_met);
  if (thread->range_table)
    memset(thread->range_table, 0, sizeof *thread->range_table << RANGE_TABLE_BITS);
}

static const char *describe_host(u64 address) {
  unsigned char resident;
  const u64 page = (u64)sysconf(_SC_PAGESIZE);
  HostMapping mapping;
  if (mincore((void *)(address & ~(page - 1)), 1, &resident) != 0)
    return "which lies in no allocation and near none";
  if (settings()->xnack && host_memory_mapping(address, &mapping) && !mapping.writable)
    return "which is host memory that is read-only";
  return "which is host memory that the device cannot reach: copy it with hipMemcpy, or "
         "allocate it with hipHostMalloc";
}

static const char *name_of(const Allocation *allocation) {
  return allocation->name ? allocation->name : "allocation";
}

// Where an address outside every live allocation lies.
static void describe_place(u64 address, u32 bytes, char *text, size_t size) {
  enum { NULL_PAGE = 65536 };
  const i64 far = 1ll << 30; // bytes; beyond it "the nearest allocation" says nothing
  i64 distance = 0;
  const Allocation *nearest = device_memory_nearest(address, &distance);
  if (address >> 32 == SHARED_APERTURE)
    snprintf(
        text, size,
        "which is in LDS; but the register alone, without the instruction's offset, is not, and "
        "by that the device takes it for global memory. Compilers before clang 22 make "
        "p[i + 1] so where p + i lies before the array");
  else if (address < NULL_PAGE)
    snprintf(text, size, "a null pointer%s", address ? " plus an offset" : "");
  else if (!nearest || distance < -far || distance > far)
    snprintf(text, size, "%s", describe_host(address));
  else {
    u64 end = nearest->address + nearest->size;
    const char *freed = nearest->live ? "" : "freed ";
    if (distance < 0)
      snprintf(text, size, "%llu bytes before the begin of", nearest->address - address + 0ull);
    else if (address == end)
      snprintf(text, size, "directly behind the end of");
    else if (address > end)
      snprintf(text, size, "%llu bytes behind the end of", address - end + 0ull);
    else if (nearest->live && address + bytes <= end)
      snprintf(text, size,
               "which only device %d reaches before hipDeviceEnablePeerAccess(%d, 0) on the "
               "kernel's, in",
               nearest->device, nearest->device);
    else if (nearest->live)
      snprintf(text, size, "%llu bytes too many at the end of", address + bytes - end + 0ull);
    else
      snprintf(text, size, "%llu bytes into", address - nearest->address + 0ull);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " the %s%s of %llu bytes at 0x%llx", freed, name_of(nearest),
             nearest->size + 0ull, nearest->address + 0ull);
  }
}

static const char *verb_of(MemoryAction action) {
  return action == MEMORY_LOAD ? "reads" : action == MEMORY_STORE ? "writes" : "updates";
}

_Noreturn void access_refuse(Wavefront *w, int lane, u64 address, u32 bytes, MemoryAction action) {
  char place[320];
  describe_place(address, bytes, place, sizeof place);
  wavefront_fault(w, FAULT_ADDRESS, lane, "%s %u bytes at address 0x%llx, %s", verb_of(action),
                  bytes, address + 0ull, place);
}

void access_note_missing(const Wavefront *w, u64 address) {
  const Allocation *allocation = device_memory_find(address, 1);
  char place[160] = "host memory that the program";
  if (allocation)
    snprintf(place, sizeof place,
             "%llu bytes into the %s of %llu bytes at 0x%llx, which the program",
             address - allocation->address + 0ull,
             allocation->registered ? "registered host memory" : name_of(allocation),
             allocation->size + 0ull, allocation->address + 0ull);
  wavefront_note_fault(
      w, FAULT_ADDRESS,
      "reads or writes address 0x%llx, %s has freed, unmapped or protected against "
      "writing, or which is behind the end of a mapped file. Call "
      "hipDeviceSynchronize, and hipHostUnregister, before free()",
      address + 0ull, place);
}

bool access_tolerated(Wavefront *w, int lane, u64 address, u32 bytes, MemoryAction action) {
  if (access_range(w->thread, address, bytes))
    return true;
  w->thread->accessed.others = true;
  if (shared_with_host(w->thread, address, bytes, action))
    return true;
  const bool of_other_device = device_memory_find(address, bytes);
  if (of_other_device || !device_memory_beyond(address, bytes) || settings()->sanitize)
    return false;
  char place[320];
  describe_place(address, bytes, place, sizeof place);
  wavefront_notice(
      w, lane,
      "%s %u bytes at address 0x%llx, %s. The device maps whole pages, does not notice "
      "and goes on; EMULATOR_SANITIZE=1 ends the launch here",
      verb_of(action), bytes, address + 0ull, place);
  return true;
}

// An address that perhaps lies in no allocation.
static void require(Wavefront *w, int lane, u64 address, u32 bytes, MemoryAction action) {
  if (!access_tolerated(w, lane, address, bytes, action))
    access_refuse(w, lane, address, bytes, action);
}

void access_spread(Access *access) {
  if (!access->regular) {
    FOR_LANES access->address[lane] = access->base + access->offset[lane];
    return;
  }
  const u64 stride = access->spans.stride;
  const Eighth ramp = {0,          stride,     2 * stride, 3 * stride,
                       4 * stride, 5 * stride, 6 * stride, 7 * stride};
  for (int s = 0; s < SPANS; s++) {
    EighthInMemory *span = (EighthInMemory *)&access->address[s * SPAN];
    span[0] = ramp + access->spans.base[s];
    span[1] = ramp + access->spans.base[s] + EIGHTH * stride;
  }
}

bool access_whole_row(Wavefront *w, const Access *access) {
  u64 begin, end;
  spans_reach(&access->spans, ~0ull, access->bytes, &begin, &end);
  return !settings()->xnack && access_range(w->thread, begin, (u32)(end - begin));
}

static inline Eighth lower_of(Eighth a, Eighth b) {
  const Eighth lower = (Eighth)(a < b);
  return (a & lower) | (b & ~lower);
}

// By halves, because the host waits where a vector is stored in pieces and loaded whole.
static inline u64 lowest_of(Eighth all) {
  all = lower_of(all, __builtin_shufflevector(all, all, 4, 5, 6, 7, 0, 1, 2, 3));
  all = lower_of(all, __builtin_shufflevector(all, all, 2, 3, 0, 1, 6, 7, 4, 5));
  return all[0] < all[1] ? all[0] : all[1];
}

// Memory from the first byte that active lanes access to behind the last one.
static void reach(const Access *access, u64 *begin, u64 *end) {
  if (access->regular) {
    spans_reach(&access->spans, access->lanes, access->bytes, begin, end);
    return;
  }
  if (few_lanes(access->lanes)) {
    u64 first = UINT64_MAX, last = 0;
    FOR_LANES_OF(access->lanes) {
      const u64 address = access->address[lane];
      first = address < first ? address : first;
      last = address > last ? address : last;
    }
    *begin = first;
    *end = last + access->bytes;
    return;
  }
  if (access->lanes == ~0ull) {
    u64 first = UINT64_MAX, last = 0;
    FOR_LANES {
      first = access->address[lane] < first ? access->address[lane] : first;
      last = access->address[lane] > last ? access->address[lane] : last;
    }
    *begin = first;
    *end = last + access->bytes;
    return;
  }
  Eighth lowest = {0}, not_highest = {0}; // its complement
  lowest = not_highest = ~lowest;
  const int behind = spans_end(access->lanes);
  for (int lane = 0; lane < behind; lane += EIGHTH) {
    Eighth address, active;
    eighth_of(access, lane, &address, &active);
    lowest = lower_of(lowest, address | ~active);
    not_highest = lower_of(not_highest, ~address | ~active);
  }
  *begin = lowest_of(lowest);
  *end = ~lowest_of(not_highest) + access->bytes;
}

void access_check(Wavefront *w, Access *access, MemoryAction action) {
  u64 begin, end;
  reach(access, &begin, &end);
  const AddressRange *range =
      end - begin <= UINT32_MAX ? access_range(w->thread, begin, (u32)(end - begin)) : NULL;
  access->shared = !range || range->shared;
  if (range)
    return;
  if (access->regular)
    access_spread(access);
  FOR_LANES_OF(access->lanes) { require(w, lane, access->address[lane], access->bytes, action); }
}

// Whether offsets lie in the range, each by itself.
static bool each_inside(const Access *access, const u32 *active, const AddressRange *range) {
  const u64 lowest = range->begin > access->base ? range->begin - access->base : 0,
            behind = range->end - access->bytes - access->base,
            highest = behind < UINT32_MAX ? behind : UINT32_MAX;
  const u32 reach = (u32)(highest - lowest);
  u32 outside = 0;
  FOR_LANES
  outside |= (access->offset[lane] - (u32)lowest > reach) & active[lane];
  return !outside;
}

bool access_behind_base(Wavefront *w, Access *access, const u32 *high, u32 misaligned) {
  const int lane = __builtin_ctzll(access->lanes);
  const u32 first = access->offset[lane], *active = w->exec == ~0ull ? NULL : w->exec_lanes;
  expand_exec(w);
  const u32 bits = off_ramp(access->offset, LANES, first, 0, active),
            pages = high ? off_ramp(high, LANES, high[lane], 0, active) : 0;
  if (pages || ((u32)access->base | first | bits) & misaligned)
    return false;
  access->block = bits ? ~0u >> __builtin_clz(bits) : 0;
  const u64 begin = access->base + (first & ~access->block),
            end = access->base + (first | access->block) + access->bytes;
  const AddressRange *range = access_seen(w->thread, begin, end);
  if (!range) {
    range = access_range(w->thread, access->base + first, access->bytes);
    if (!range || access->base >= range->end || !each_inside(access, w->exec_lanes, range))
      return false;
  }
  access->range = *range;
  access->shared = range->shared;
  return true;
}

void scalar_access_check(Wavefront *w, u64 address, u32 bytes) {
  const Allocation *beyond =
      access_range(w->thread, address, bytes) ? NULL : device_memory_beyond(address, bytes);
  enum { WIDENED = 16 }; // bytes: the compiler makes of three dwords four, of parts of one that one
  const bool may_be_widened = bytes == 4 || bytes >= WIDENED;
  w->thread->accessed.others |= beyond != NULL;
  if (!access_range(w->thread, address, bytes) &&
      !(beyond && address - beyond->address < beyond->size && may_be_widened))
    require(w, -1, address, bytes, MEMORY_LOAD);
}

// Kernels in assembly turn reads off by an address that no LDS has (Tensile's, in rocBLAS and hipBLASLt, by 0xf00000). A
// negative index of LDS is farther. In a kernel of one's own it is a wrong index: the sanitizer makes no difference.
static bool reads_zeros(const Wavefront *w, u64 byte, MemoryAction action) {
  return action == MEMORY_LOAD && w->in->info->unit == UNIT_LDS && byte >= DEVICE_LDS_BYTES &&
         byte <= INT32_MAX && !settings()->sanitize;
}

// As far as the number of bytes that there are. Addresses have 32 bits.
static void describe_lds_place(u64 byte, u32 bytes, u32 asked, char *text, size_t size) {
  if (byte > INT32_MAX)
    snprintf(text, size, "-%llu, by a negative index, before the %u bytes",
             UINT32_MAX + 1ull - byte, asked);
  else
    snprintf(text, size, "%llu, which end %llu bytes beyond the %u bytes", byte + 0ull,
             byte + bytes - asked + 0ull, asked);
}

u32 lds_access_check(Wavefront *w, int lane, u64 byte, u32 bytes, MemoryAction action) {
  const u32 asked = w->thread->launch->lds_bytes, allocated = w->group->lds_bytes;
  const bool speculative = action == MEMORY_LOAD && byte + bytes > allocated;
  if (byte + bytes <= asked)
    return (u32)byte;
  if (allocated == 0)
    wavefront_fault(w, FAULT_LDS, lane,
                    "%s %u bytes at LDS address %llu, but the kernel declares no __shared__ memory "
                    "and the launch asks for no dynamic shared memory",
                    verb_of(action), bytes, byte + 0ull);
  if (reads_zeros(w, byte, action)) {
    if (program_first_zeros(w->thread->program))
      wavefront_notice(w, lane,
                       "reads %u bytes at LDS address %llu, where no LDS is. The device reads 0 "
                       "there, and kernels in assembly mean it; else it is a wrong index. Other "
                       "such reads of this code object are not told; EMULATOR_SANITIZE=1 ends the "
                       "launch at the first",
                       bytes, byte + 0ull);
    return DEVICE_LDS_BYTES;
  }
  char where[128];
  describe_lds_place(byte, bytes, asked, where, sizeof where);
  if ((byte + bytes > allocated && !speculative) || settings()->sanitize)
    wavefront_fault(
        w, FAULT_LDS, lane,
        "%s %u bytes at LDS address %s that the workgroup has (static and dynamic shared memory)",
        verb_of(action), bytes, where);
  wavefront_notice(w, lane,
                   "%s %u bytes at LDS address %s that the workgroup asked for. The device gives "
                   "%u, %s and goes on; EMULATOR_SANITIZE=1 ends the launch here",
                   verb_of(action), bytes, where, allocated,
                   speculative ? "reads 0 behind them" : "does not notice");
  return speculative ? DEVICE_LDS_BYTES : (u32)byte;
}
