// Virtual memory management: address ranges and memory that the program gets apart, and maps where
// it likes.
//
// In: HIP calls. Out: memory that kernels may use (device_memory.h) where it is mapped and access
// was set. Ranges that follow each other are one for an access or a copy across them. Read-only
// access is not told from read and write. Codes: hipamd hip_vm.cpp.
#define _GNU_SOURCE
#include "defined_memory.h"
#include "device_memory.h"
#include "devices.h"
#include "handle.h"
#include "runtime.h"
#include "shared_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECOMMENDED = 2 << 20 };          // bytes
enum { TYPE_UNCACHED = 0x40000000 };     // hipMemAllocationTypeUncached of ROCm 7
enum { FIRST_OF_HOST = 2, OF_HOST = 3 }; // and its hipMemLocationTypes of the host: how many

typedef struct {
  hipMemAllocationProp properties;
  uint64_t size;
  int descriptor;
  unsigned references; // of the program, and of each mapping
  bool known;          // others may know what is in it: it is imported, or was mapped before
} Memory;

typedef struct Mapping {
  struct Mapping *next; // by address
  uint64_t begin, size;
  Memory *memory;
  unsigned long long access; // hipMemAccessFlags
  uint32_t guests;           // a bit for each other device that may use it
} Mapping;

typedef struct Reservation {
  struct Reservation *next;
  uint64_t begin, size;
  Mapping *mappings;
} Reservation;

static Reservation *reservations;

static bool whole_pages(uint64_t size) { return size && size % SHARED_PAGE == 0; }

static Reservation *reservation_of(uint64_t begin, uint64_t size) {
  for (Reservation *r = reservations; r; r = r->next)
    if (begin >= r->begin && size <= r->size && begin - r->begin <= r->size - size)
      return r;
  return NULL;
}

// ---- address ranges ----

static hipError_t reserve(void **target, uint64_t size, uint64_t alignment,
                          unsigned long long flags) {
  if (!target || flags || !whole_pages(size) || (alignment & (alignment - 1)))
    return hipErrorInvalidValue;
  Reservation *r = calloc(1, sizeof *r);
  void *address;
  if (!r || device_memory_reserve(size, alignment, &address) != MEMORY_OK) {
    free(r);
    return hipErrorOutOfMemory;
  }
  *r = (Reservation){.next = reservations, .begin = (uint64_t)address, .size = size};
  reservations = r;
  *target = address;
  return hipSuccess;
}

static hipError_t free_range(const void *address, uint64_t size) {
  for (Reservation **link = &reservations; *link; link = &(*link)->next) {
    Reservation *r = *link;
    if (r->begin != (uint64_t)address || r->size != size)
      continue;
    if (r->mappings) {
      runtime_say("memory is still mapped at %p; call hipMemUnmap first.",
                  (void *)r->mappings->begin);
      return hipErrorInvalidValue;
    }
    *link = r->next;
    free(r);
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}

hipError_t hipMemAddressReserve(void **address, size_t size, size_t alignment, void *wanted,
                                unsigned long long flags) {
  (void)wanted; // a hint
  SERVE(reserve(address, size, alignment, flags));
}
hipError_t hipMemAddressFree(void *address, size_t size) { SERVE_ALONE(free_range(address, size)); }

// ---- memory ----

static bool of_host(const hipMemLocation *location) {
  return (unsigned)location->type - FIRST_OF_HOST < OF_HOST;
}

static bool same_place(const hipMemLocation *a, const hipMemLocation *b) {
  return of_host(a) == of_host(b) && (of_host(a) || a->id == b->id);
}

static hipError_t check_properties(const hipMemAllocationProp *p) {
  if (!p || (p->type != hipMemAllocationTypePinned && (int)p->type != TYPE_UNCACHED) ||
      (p->location.type != hipMemLocationTypeDevice && !of_host(&p->location)))
    return hipErrorInvalidValue;
  return of_host(&p->location) || device_known(p->location.id) ? hipSuccess : hipErrorInvalidDevice;
}

// Takes over the descriptor, also on failure.
static hipError_t add(hipMemGenericAllocationHandle_t *target, Memory about) {
  const int device = about.properties.location.id;
  const bool elsewhere = of_host(&about.properties.location);
  Memory *memory = malloc(sizeof *memory);
  if (!elsewhere)
    device_memory_choose(device);
  const bool fits = elsewhere || device_memory_take(about.size);
  if (fits && memory && handle_add(HANDLE_MEMORY, memory)) {
    *memory = about;
    memory->references = 1;
    *target = (hipMemGenericAllocationHandle_t)memory;
    return hipSuccess;
  }
  if (fits && !elsewhere)
    device_memory_give_back(about.size, device);
  else if (!fits)
    runtime_say("no room for %llu bytes.", (unsigned long long)about.size);
  close(about.descriptor);
  free(memory);
  return hipErrorOutOfMemory;
}

static hipError_t create(hipMemGenericAllocationHandle_t *target, uint64_t size,
                         const hipMemAllocationProp *p, unsigned long long flags) {
  const hipError_t error = check_properties(p);
  if (!target || flags || !whole_pages(size) || error != hipSuccess)
    return error == hipErrorInvalidDevice ? error : hipErrorInvalidValue;
  const int descriptor = shared_memory_new(size);
  if (descriptor < 0) {
    runtime_say("Linux gives no file for this memory (%s): each handle here is an open file; "
                "release some, or raise ulimit -n.",
                strerror(errno));
    return hipErrorOutOfMemory;
  }
  return add(target, (Memory){.properties = *p, .size = size, .descriptor = descriptor});
}

static void drop(Memory *memory) {
  if (--memory->references)
    return;
  handle_remove(HANDLE_MEMORY, memory);
  close(memory->descriptor);
  if (!of_host(&memory->properties.location))
    device_memory_give_back(memory->size, memory->properties.location.id);
  free(memory);
}

static hipError_t release(hipMemGenericAllocationHandle_t handle) {
  if (!handle_live(HANDLE_MEMORY, handle))
    return hipErrorInvalidValue;
  drop((Memory *)handle);
  return hipSuccess;
}

static hipError_t granularity_of(size_t *granularity, const hipMemAllocationProp *p,
                                 hipMemAllocationGranularity_flags option) {
  if (!granularity || check_properties(p) != hipSuccess ||
      (unsigned)option > hipMemAllocationGranularityRecommended)
    return hipErrorInvalidValue;
  *granularity = option == hipMemAllocationGranularityMinimum ? SHARED_PAGE : RECOMMENDED;
  return hipSuccess;
}

static hipError_t properties_of(hipMemAllocationProp *p, hipMemGenericAllocationHandle_t handle) {
  if (!p || !handle_live(HANDLE_MEMORY, handle))
    return hipErrorInvalidValue;
  *p = ((const Memory *)handle)->properties;
  return hipSuccess;
}

// What is written is kept by address: wherever the memory is mapped, now or later, it counts as written.
static void count_as_written(const Memory *memory) {
  for (const Reservation *r = reservations; r; r = r->next)
    for (const Mapping *m = r->mappings; m; m = m->next)
      if (m->memory == memory)
        defined_memory_written((const void *)m->begin, m->size);
}

// Another process, or this one, imports the descriptor; it belongs to the program.
static hipError_t share(int *target, hipMemGenericAllocationHandle_t handle, int type,
                        unsigned long long flags) {
  if (!target || flags || !handle_live(HANDLE_MEMORY, handle))
    return hipErrorInvalidValue;
  if (type != hipMemHandleTypePosixFileDescriptor) {
    runtime_say("memory is shared by file descriptors: hipMemHandleTypePosixFileDescriptor.");
    return hipErrorInvalidValue;
  }
  Memory *memory = (Memory *)handle;
  memory->known = true; // who imports it may write it
  count_as_written(memory);
  *target = dup(memory->descriptor);
  return *target < 0 ? hipErrorOutOfMemory : hipSuccess;
}

static hipError_t import(hipMemGenericAllocationHandle_t *target, const void *handle, int type) {
  struct stat status;
  if (!target || type != hipMemHandleTypePosixFileDescriptor)
    return hipErrorInvalidValue;
  const int given = shared_memory_descriptor(handle);
  if (fstat(given, &status) != 0 || !whole_pages((uint64_t)status.st_size)) {
    runtime_say("%d is no file descriptor of hipMemExportToShareableHandle.", given);
    return hipErrorInvalidValue;
  }
  const int own = dup(given);
  return own < 0 ? hipErrorOutOfMemory
                 : add(target, (Memory){.properties = {.type = hipMemAllocationTypePinned,
                                                       .requestedHandleType = type,
                                                       .location = {hipMemLocationTypeDevice,
                                                                    device_current()}},
                                        .size = (uint64_t)status.st_size,
                                        .descriptor = own,
                                        .known = true});
}

hipError_t hipMemExportToShareableHandle(void *target, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type,
                                         unsigned long long flags) {
  SERVE(share(target, handle, (int)type, flags));
}
hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *given,
                                           hipMemAllocationHandleType type) {
  SERVE(import(handle, given, (int)type));
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
                        const hipMemAllocationProp *properties, unsigned long long flags) {
  SERVE(create(handle, size, properties, flags));
}
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) { SERVE_ALONE(release(handle)); }
hipError_t hipMemGetAllocationGranularity(size_t *granularity,
                                          const hipMemAllocationProp *properties,
                                          hipMemAllocationGranularity_flags option) {
  SERVE(granularity_of(granularity, properties, option));
}
hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *properties,
                                                   hipMemGenericAllocationHandle_t handle) {
  SERVE(properties_of(properties, handle));
}

// ---- which memory stands where ----

static Mapping *mapping_at(uint64_t address) {
  const Reservation *r = reservation_of(address, 1);
  Mapping *m = r ? r->mappings : NULL;
  while (m && address - m->begin >= m->size)
    m = m->next;
  return m;
}

// The mappings of [begin, end) from the first on, if they cover it and none reaches beyond.
static Mapping *mappings_of(uint64_t begin, uint64_t end) {
  Mapping *first = mapping_at(begin);
  uint64_t next = begin;
  for (const Mapping *m = first; m && next < end && m->begin == next; m = m->next)
    next += m->size;
  return first && next == end ? first : NULL;
}

static MemoryKind kind_of(const Memory *memory) {
  return of_host(&memory->properties.location) ? MEMORY_HOST : MEMORY_DEVICE;
}

static bool usable(const Mapping *m) { return m->access || m->guests; }

// Whose it is for the kernels: of the device that has the memory, or, where only others may use it, of the first of them.
static int device_of(const Mapping *m) {
  if (of_host(&m->memory->properties.location))
    return 0;
  return m->access ? m->memory->properties.location.id : __builtin_ctz(m->guests);
}

static bool joins(const Mapping *m, const Mapping *next) {
  return next && usable(next) && next->guests == m->guests && next->begin == m->begin + m->size &&
         device_of(next) == device_of(m) &&
         same_place(&next->memory->properties.location, &m->memory->properties.location);
}

// Tells the device anew what it may use of the reservation: one range for all that follows each
// other.
static hipError_t tell_device(const Reservation *r) {
  bool told = true;
  for (const Mapping *m = r->mappings; m; m = m->next) // those that begin a range
    device_memory_free((void *)m->begin, kind_of(m->memory));
  for (const Mapping *m = r->mappings; m; m = m->next) {
    const uint64_t begin = m->begin;
    if (!usable(m))
      continue;
    while (joins(m, m->next))
      m = m->next;
    told = told && device_memory_place((void *)begin, m->begin + m->size - begin,
                                       kind_of(m->memory), device_of(m));
    device_memory_invite((void *)begin, m->guests);
  }
  return told ? hipSuccess : hipErrorOutOfMemory;
}

static bool is_free(const Reservation *r, uint64_t begin, uint64_t size) {
  for (const Mapping *m = r->mappings; m; m = m->next)
    if (begin < m->begin + m->size && m->begin < begin + size)
      return false;
  return true;
}

static hipError_t map(const void *address, uint64_t size, uint64_t offset,
                      hipMemGenericAllocationHandle_t handle, unsigned long long flags) {
  const uint64_t begin = (uint64_t)address;
  Reservation *r = reservation_of(begin, size);
  Memory *memory = (Memory *)handle;
  if (!r || flags || !handle_live(HANDLE_MEMORY, handle) || !whole_pages(size) ||
      begin % SHARED_PAGE || offset % SHARED_PAGE || offset > memory->size ||
      size > memory->size - offset || !is_free(r, begin, size))
    return hipErrorInvalidValue;
  Mapping *added = malloc(sizeof *added), **link = &r->mappings;
  if (!added || !shared_memory_show(memory->descriptor, offset, begin, size)) {
    free(added);
    return hipErrorOutOfMemory;
  }
  while (*link && (*link)->begin < begin)
    link = &(*link)->next;
  *added = (Mapping){*link, begin, size, memory, hipMemAccessFlagsProtNone, 0};
  *link = added;
  memory->references++;
  if (memory->known)
    count_as_written(memory);
  memory->known = true;
  return hipSuccess;
}

static hipError_t unmap(const void *address, uint64_t size) {
  const uint64_t begin = (uint64_t)address, end = begin + size;
  Reservation *r = reservation_of(begin, size);
  if (!r || !size || !mappings_of(begin, end)) {
    runtime_say("%llu bytes at %p are not what hipMemMap mapped, as a whole.",
                (unsigned long long)size, address);
    return hipErrorInvalidValue;
  }
  for (Mapping *m = r->mappings; m; m = m->next)
    m->access = m->begin >= begin && m->begin < end ? 0 : m->access;
  hipError_t error = tell_device(r);
  for (Mapping **link = &r->mappings; *link;) {
    Mapping *m = *link;
    if (m->begin < begin || m->begin >= end) {
      link = &m->next;
      continue;
    }
    *link = m->next;
    shared_memory_hide(m->begin, m->size);
    drop(m->memory);
    free(m);
  }
  return error;
}

static bool known(const hipMemLocation *location) {
  return of_host(location) ||
         (location->type == hipMemLocationTypeDevice && device_known(location->id));
}

static bool serves(const Memory *memory, int device) {
  return of_host(&memory->properties.location) || memory->properties.location.id == device;
}

// Memory of a device cannot be opened to the host.
static bool open_to_host(const Mapping *first, uint64_t end, const hipMemAccessDesc *list,
                         size_t count) {
  for (size_t i = 0; i < count; i++)
    for (const Mapping *m = first; m && m->begin < end; m = m->next)
      if (of_host(&list[i].location) && !of_host(&m->memory->properties.location)) {
        runtime_say("the memory is device %d's, the host may not use it; copy it, or create it as "
                    "memory of the host.",
                    m->memory->properties.location.id);
        return false;
      }
  return true;
}

static Mapping with_access(Mapping m, const hipMemAccessDesc *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int device = list[i].location.id;
    if (of_host(&list[i].location)) // may use all of its own
      continue;
    if (serves(m.memory, device))
      m.access = list[i].flags;
    else
      m.guests = (m.guests & ~(1u << device)) | (uint32_t)(list[i].flags != 0) << device;
  }
  return m;
}

static hipError_t set_access(const void *address, uint64_t size, const hipMemAccessDesc *list,
                             size_t count) {
  const uint64_t begin = (uint64_t)address, end = begin + size;
  Mapping *first = mappings_of(begin, end);
  if (!first || !size || !list || !count)
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; i++)
    if (!known(&list[i].location) || (unsigned)list[i].flags > hipMemAccessFlagsProtReadWrite)
      return hipErrorInvalidValue;
  if (!open_to_host(first, end, list, count))
    return hipErrorInvalidValue;
  for (Mapping *m = first; m && m->begin < end; m = m->next)
    *m = with_access(*m, list, count);
  return tell_device(reservation_of(begin, size));
}

static hipError_t get_access(unsigned long long *flags, const hipMemLocation *location,
                             const void *address) {
  const Mapping *m = mapping_at((uint64_t)address);
  if (!flags || !location || !m || !known(location))
    return hipErrorInvalidValue;
  *flags = of_host(location)                 ? hipMemAccessFlagsProtReadWrite
           : serves(m->memory, location->id) ? m->access
           : m->guests >> location->id & 1   ? hipMemAccessFlagsProtReadWrite
                                             : hipMemAccessFlagsProtNone;
  return hipSuccess;
}

static hipError_t retain(hipMemGenericAllocationHandle_t *handle, const void *address) {
  const Mapping *m = mapping_at((uint64_t)address);
  if (!handle || !m)
    return hipErrorInvalidValue;
  m->memory->references++;
  *handle = (hipMemGenericAllocationHandle_t)m->memory;
  return hipSuccess;
}

hipError_t hipMemMap(void *address, size_t size, size_t offset,
                     hipMemGenericAllocationHandle_t handle, unsigned long long flags) {
  SERVE(map(address, size, offset, handle, flags));
}
hipError_t hipMemUnmap(void *address, size_t size) { SERVE_ALONE(unmap(address, size)); }
hipError_t hipMemSetAccess(void *address, size_t size, const hipMemAccessDesc *list, size_t count) {
  SERVE_ALONE(set_access(address, size, list, count));
}
hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location,
                           void *address) {
  SERVE(get_access(flags, location, address));
}
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *address) {
  SERVE(retain(handle, address));
}
