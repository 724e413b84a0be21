// Checks and counts of memory accesses: see vector_memory.h.
#include "vector_memory.h"

#include "device_memory.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- which addresses are allowed
// ---------------------------------------------------------------------------------

static bool in_recent_range(const HostThread *thread, u64 begin, u64 end) {
  for (int i = 0; i < RANGE_CACHE; i++)
    if (begin >= thread->ranges[i].begin && end <= thread->ranges[i].end)
      return true;
  return false;
}

// Looks the range up and, if it is live, remembers its allocation, the oldest of the recent ones
// making room.
static bool allowed(HostThread *thread, u64 address, u32 bytes) {
  if (in_recent_range(thread, address, address + bytes))
    return true;
  const Allocation *allocation = device_memory_find(address, bytes);
  if (!allocation)
    return false;
  memmove(thread->ranges + 1, thread->ranges, sizeof thread->ranges - sizeof *thread->ranges);
  thread->ranges[0] = (AddressRange){allocation->address, allocation->address + allocation->size};
  return true;
}

static bool mapped_in_host(u64 address) {
  unsigned char resident;
  u64 page = (u64)sysconf(_SC_PAGESIZE);
  return mincore((void *)(address & ~(page - 1)), 1, &resident) == 0;
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
  if (address < NULL_PAGE)
    snprintf(text, size, "a null pointer%s", address ? " plus an offset" : "");
  else if (!nearest || distance < -far || distance > far)
    snprintf(text, size, "%s",
             mapped_in_host(address)
                 ? "which is host memory that the device cannot reach: copy it with hipMemcpy, or "
                   "allocate it with hipHostMalloc"
                 : "which lies in no allocation and near none");
  else {
    u64 end = nearest->address + nearest->size;
    const char *freed = nearest->live ? "" : "freed ";
    if (distance < 0)
      snprintf(text, size, "%llu bytes before the begin of", nearest->address - address + 0ull);
    else if (address == end)
      snprintf(text, size, "directly behind the end of");
    else if (address > end)
      snprintf(text, size, "%llu bytes behind the end of", address - end + 0ull);
    else if (nearest->live)
      snprintf(text, size, "%llu bytes too many at the end of", address + bytes - end + 0ull);
    else
      snprintf(text, size, "%llu bytes into", address - nearest->address + 0ull);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " the %s%s of %llu bytes at 0x%llx", freed, name_of(nearest),
             nearest->size + 0ull, nearest->address + 0ull);
  }
}

_Noreturn static void refuse(Wavefront *w, int lane, u64 address, u32 bytes, const char *verb) {
  char place[256];
  describe_place(address, bytes, place, sizeof place);
  wavefront_fault(w, FAULT_ADDRESS, lane, "%s %u bytes at address 0x%llx, %s", verb, bytes,
                  address + 0ull, place);
}

static const char *verb_of(MemoryAction action) {
  return action == MEMORY_LOAD ? "reads" : action == MEMORY_STORE ? "writes" : "updates";
}

void access_check(Wavefront *w, const Access *access, MemoryAction action) {
  u32 bytes = access->bytes;
  u64 first = access->address[0];
  if (access->contiguous && in_recent_range(w->thread, first, first + LANES * bytes))
    return;
  FOR_LANES if ((access->lanes >> lane & 1) && !allowed(w->thread, access->address[lane], bytes))
      refuse(w, lane, access->address[lane], bytes, verb_of(action));
}

void scalar_access_check(Wavefront *w, u64 address, u32 bytes) {
  if (!allowed(w->thread, address, bytes))
    refuse(w, -1, address, bytes, verb_of(MEMORY_LOAD));
}

// ---- what the address unit (TA) and the vector L1 (TCP) count
// -----------------------------------------------------

// Looks a 64 B line up in the L1; on a miss it replaces the least recently used line of its set.
// True on a hit.
static bool l1_lookup(L1 *l1, u64 line) {
  u64 *way = l1->tag[line % L1_SETS];
  if (way[0] == line)
    return true;
  int found = 1;
  while (found < L1_WAYS - 1 && way[found] != line)
    found++;
  bool hit = way[found] == line;
  memmove(way + 1, way, (size_t)found * sizeof *way);
  way[0] = line;
  return hit;
}

enum { QUAD = 4, COALESCED = 16 }; // lanes that one step takes

// Distinct 64 B lines of one wave instruction, in the order of its lanes.
typedef struct {
  u64 line[2 * LANES];
  int count;
} Lines;

static void add_line(Lines *lines, u64 line) {
  for (int i = lines->count - 1; i >= 0; i--) // neighbours repeat: the newest is the likeliest
    if (lines->line[i] == line)
      return;
  lines->line[lines->count++] = line;
}

// The address unit takes `width` consecutive lanes in one step and looks up each 64 B line that
// they touch once. Returns the number of look-ups and collects the lines of the whole instruction.
static u64 step(const Access *access, int begin, int width, Lines *lines) {
  Lines here = {.count = 0};
  for (int lane = begin; lane < begin + width; lane++)
    if (access->lanes >> lane & 1) {
      u64 first = access->address[lane] / DEVICE_L1_LINE,
          last = (access->address[lane] + access->bytes - 1) / DEVICE_L1_LINE;
      for (u64 line = first; line <= last; line++)
        add_line(&here, line);
    }
  for (int i = 0; i < here.count; i++)
    add_line(lines, here.line[i]);
  return (u64)here.count;
}

// Accesses of up to 4 B coalesce over 16 lanes where these lie side by side, wider ones over quads
// of 4 lanes.
static int step_width(const Access *access, int lane) {
  if (access->bytes > 4 || lane % COALESCED)
    return QUAD;
  for (int i = 1; i < COALESCED; i++)
    if (access->address[lane + i] != access->address[lane] + (u64)i * access->bytes)
      return QUAD;
  return (access->lanes >> lane & 0xffff) == 0xffff ? COALESCED : QUAD;
}

// The same for 64 lanes side by side, where a step is simply a range of bytes.
static u64 step_contiguous(const Access *access, Lines *lines) {
  u64 first = access->address[0], end = first + LANES * access->bytes, lookups = 0;
  u64 bytes = (access->bytes > 4 ? QUAD : COALESCED) * access->bytes;
  for (u64 begin = first; begin < end; begin += bytes)
    lookups += (begin + bytes - 1) / DEVICE_L1_LINE - begin / DEVICE_L1_LINE + 1;
  for (u64 line = first / DEVICE_L1_LINE; line <= (end - 1) / DEVICE_L1_LINE; line++)
    lines->line[lines->count++] = line;
  return lookups;
}

void access_count(Wavefront *w, const Access *access, MemoryAction action) {
  InstructionProfile *profile = &w->thread->profile[w->in->id];
  if (!access->lanes)
    return;
  profile->executed_active++;
  if (action == MEMORY_ATOMIC) { // one look-up and one L2 request per lane, even to one address
    u64 lanes = (u64)__builtin_popcountll(access->lanes);
    profile->pixels += LANES;
    profile->tag_lookups += lanes;
    profile->l2_requests += lanes;
    return;
  }
  Lines lines;
  lines.count = 0;
  u64 lookups = 0, steps = 0;
  if (access->contiguous) {
    lookups = step_contiguous(access, &lines);
    steps = access->bytes > 4 ? LANES / QUAD : LANES / COALESCED;
  } else {
    for (int lane = 0; lane < LANES; steps++) {
      int width = step_width(access, lane);
      lookups += step(access, lane, width, &lines);
      lane += width;
    }
  }
  profile->pixels += 4 * steps;
  profile->tag_lookups += lookups;
  if (action == MEMORY_STORE)
    profile->l2_requests += (u64)lines.count;
  else
    for (int i = 0; i < lines.count; i++)
      profile->l2_requests += !l1_lookup(&w->group->l1, lines.line[i]);
}
