// Hints about managed and registered memory: where it is wanted, who reads it.
//
// In: hipMemAdvise, hipMemPrefetchAsync. Out: what hipMemRangeGetAttribute gives back; nothing else.
#define _GNU_SOURCE
#include "device_memory.h"
#include "devices.h"
#include "host_memory.h"
#include "program_abi.h"
#include "runtime.h"
#include "settings.h"
#include "stream.h"

// Placement hints change nothing where host and device share their pages.
static hipError_t hint(const void *address, size_t size) {
  HostMapping mapping;
  bool known = device_memory_find((uint64_t)address, size) ||
               (settings()->xnack && host_memory_mapping((uint64_t)address, &mapping));
  return size && known ? hipSuccess : hipErrorInvalidValue;
}

static bool is_place(int device) { return device == MEMORY_OF_HOST || device_known(device); }

// The bit of a device, or of the host, among those that access a page.
static uint16_t bit_of(int device) {
  return (uint16_t)(1u << (device == MEMORY_OF_HOST ? 15 : device));
}

static void advise_page(MemoryHints *page, int advice, int device) {
  switch (advice) {
  case hipMemAdviseSetReadMostly:
  case hipMemAdviseUnsetReadMostly:
    page->read_mostly = advice == hipMemAdviseSetReadMostly;
    break;
  case hipMemAdviseSetPreferredLocation:
  case hipMemAdviseUnsetPreferredLocation:
    page->preferred =
        (int8_t)(advice == hipMemAdviseSetPreferredLocation ? device : MEMORY_NO_DEVICE);
    break;
  case hipMemAdviseSetAccessedBy:
    page->accessed_by |= bit_of(device);
    break;
  case hipMemAdviseUnsetAccessedBy:
    page->accessed_by &= (uint16_t)~bit_of(device);
    break;
  default:
    page->coarse = advice == hipMemAdviseSetCoarseGrain;
  }
}

static bool is_advice(int advice) {
  return (advice >= hipMemAdviseSetReadMostly && advice <= hipMemAdviseUnsetAccessedBy) ||
         advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain;
}

static hipError_t advise(const void *address, size_t size, hipMemoryAdvise advice, int device) {
  size_t count = 0;
  MemoryHints *pages = device_memory_hints((uint64_t)address, size, &count);
  const bool of_place =
      advice != hipMemAdviseSetReadMostly && advice != hipMemAdviseUnsetReadMostly;
  if (!is_advice((int)advice) || (!pages && device_memory_find((uint64_t)address, 1)))
    return hipErrorInvalidValue;
  if (of_place && !is_place(device))
    return hipErrorInvalidDevice;
  for (size_t i = 0; i < count; i++)
    advise_page(&pages[i], (int)advice, device);
  return pages ? hipSuccess : hint(address, size);
}

static hipError_t prefetch(const void *address, size_t size, int device, hipStream_t stream) {
  size_t count = 0;
  MemoryHints *pages = device_memory_hints((uint64_t)address, size, &count);
  const hipError_t error = hint(address, size);
  if (error != hipSuccess)
    return error;
  if (!is_place(device))
    return hipErrorInvalidDevice;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  for (size_t i = 0; i < count; i++)
    pages[i].prefetched = (int8_t)device;
  return hipSuccess;
}

hipError_t hipMemPrefetchAsync(const void *address, size_t size, int device, hipStream_t stream) {
  SERVE(prefetch(address, size, device, stream));
}

hipError_t hipMemAdvise(const void *address, size_t size, hipMemoryAdvise advice, int device) {
  SERVE_UNRECORDED_7(advise(address, size, advice, device));
}

EXPORT hipError_t hipMemPrefetchAsync_v2(const void *address, size_t size, hipMemLocation location,
                                         unsigned flags, hipStream_t stream);
EXPORT hipError_t hipMemAdvise_v2(const void *address, size_t size, hipMemoryAdvise advice,
                                  hipMemLocation location);

static bool is_location(hipMemLocation location) {
  enum { LAST_TYPE = 4 }; // hipMemLocationTypeHostNumaCurrent
  return (int)location.type >= 0 && (int)location.type <= LAST_TYPE;
}

// The device of a location; the host and its nodes (types of ROCm 7) are hipCpuDeviceId.
static int device_at(hipMemLocation location) {
  return location.type == hipMemLocationTypeDevice ? location.id : MEMORY_OF_HOST;
}

hipError_t hipMemPrefetchAsync_v2(const void *address, size_t size, hipMemLocation location,
                                  unsigned flags, hipStream_t stream) {
  SERVE(flags || !is_location(location) ? hipErrorInvalidValue
                                        : prefetch(address, size, device_at(location), stream));
}
hipError_t hipMemAdvise_v2(const void *address, size_t size, hipMemoryAdvise advice,
                           hipMemLocation location) {
  SERVE(is_location(location) ? advise(address, size, advice, device_at(location))
                              : hipErrorInvalidValue);
}

EXPORT hipError_t hipMemPrefetchBatchAsync(void **addresses, size_t *sizes, size_t count,
                                           hipMemLocation *locations, size_t *first_of_location,
                                           size_t location_count, unsigned long long flags,
                                           hipStream_t stream);

// A location is that of all ranges from the one it names to the one that the next location names.
static hipError_t prefetch_batch(void **addresses, const size_t *sizes, size_t count,
                                 const hipMemLocation *locations, const size_t *first_of_location,
                                 size_t location_count, hipStream_t stream) {
  if (!addresses || !sizes || !count || !locations || !first_of_location || !location_count ||
      location_count > count || first_of_location[0])
    return hipErrorInvalidValue;
  for (size_t place = 0; place < location_count; place++)
    if (!is_location(locations[place]) || !is_place(device_at(locations[place])) ||
        first_of_location[place] >= count ||
        (place && first_of_location[place] <= first_of_location[place - 1]))
      return hipErrorInvalidValue;
  hipError_t error = hipSuccess;
  for (size_t i = 0, place = 0; i < count && error == hipSuccess; i++) {
    while (place + 1 < location_count && first_of_location[place + 1] <= i)
      place++;
    error = prefetch(addresses[i], sizes[i], device_at(locations[place]), stream);
  }
  return error;
}

hipError_t hipMemPrefetchBatchAsync(void **addresses, size_t *sizes, size_t count,
                                    hipMemLocation *locations, size_t *first_of_location,
                                    size_t location_count, unsigned long long flags,
                                    hipStream_t stream) {
  SERVE(flags ? hipErrorInvalidValue
              : prefetch_batch(addresses, sizes, count, locations, first_of_location,
                               location_count, stream));
}

// What holds for all pages, and nothing where they differ.
static MemoryHints common(const MemoryHints *pages, size_t count) {
  MemoryHints all = pages[0];
  for (size_t i = 1; i < count; i++) {
    all.read_mostly = all.read_mostly && pages[i].read_mostly;
    all.coarse = all.coarse && pages[i].coarse;
    all.accessed_by &= pages[i].accessed_by;
    if (pages[i].preferred != all.preferred)
      all.preferred = MEMORY_NO_DEVICE;
    if (pages[i].prefetched != all.prefetched)
      all.prefetched = MEMORY_NO_DEVICE;
  }
  return all;
}

static void list_places(int *places, size_t count, uint16_t accessed_by) {
  size_t filled = 0;
  for (int device = 0; device < SETTINGS_MOST_DEVICES && filled < count; device++)
    if (accessed_by & bit_of(device))
      places[filled++] = device;
  if (filled < count && accessed_by & bit_of(MEMORY_OF_HOST)) // last, as in hipamd
    places[filled++] = MEMORY_OF_HOST;
  while (filled < count)
    places[filled++] = MEMORY_NO_DEVICE;
}

// Memory of a device takes no advice, but tells whether it is coherent: hipMalloc's is not.
static hipError_t coherency_of_device(int *mode, const void *address, size_t size) {
  const Allocation *allocation = size ? device_memory_find((uint64_t)address, size) : NULL;
  if (!allocation || allocation->kind != MEMORY_DEVICE)
    return hipErrorInvalidValue;
  const bool fine = allocation->flags == hipDeviceMallocFinegrained;
  *mode = fine ? hipMemRangeCoherencyModeFineGrain : hipMemRangeCoherencyModeCoarseGrain;
  return hipSuccess;
}

// Of devices that access a range there is a list.
static hipError_t range_attribute(int *data, size_t data_size, hipMemRangeAttribute attribute,
                                  const void *address, size_t size) {
  size_t pages = 0;
  const MemoryHints *hints = device_memory_hints((uint64_t)address, size, &pages);
  const size_t count = data_size / sizeof *data;
  const bool list = attribute == hipMemRangeAttributeAccessedBy;
  if (!data || !count || data_size % sizeof *data || (!list && count != 1))
    return hipErrorInvalidValue;
  if (!hints && attribute == hipMemRangeAttributeCoherencyMode)
    return coherency_of_device(data, address, size);
  if (!hints)
    return hipErrorInvalidValue;
  const MemoryHints all = common(hints, pages);
  switch ((int)attribute) {
  case hipMemRangeAttributeReadMostly:
    *data = all.read_mostly;
    return hipSuccess;
  case hipMemRangeAttributePreferredLocation:
    *data = all.preferred;
    return hipSuccess;
  case hipMemRangeAttributeAccessedBy:
    list_places(data, count, all.accessed_by);
    return hipSuccess;
  case hipMemRangeAttributeLastPrefetchLocation:
    *data = all.prefetched;
    return hipSuccess;
  case hipMemRangeAttributeCoherencyMode:
    *data = all.coarse ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
    return hipSuccess;
  default:
    return hipErrorInvalidValue;
  }
}

static hipError_t range_attributes(void **data, const size_t *data_sizes,
                                   const hipMemRangeAttribute *attributes, size_t count,
                                   const void *address, size_t size) {
  if (!data || !data_sizes || !attributes || !count)
    return hipErrorInvalidValue;
  hipError_t error = hipSuccess;
  for (size_t i = 0; i < count && error == hipSuccess; i++)
    error = range_attribute(data[i], data_sizes[i], attributes[i], address, size);
  return error;
}

hipError_t hipMemRangeGetAttribute(void *data, size_t data_size, hipMemRangeAttribute attribute,
                                   const void *address, size_t size) {
  SERVE(range_attribute(data, data_size, attribute, address, size));
}
hipError_t hipMemRangeGetAttributes(void **data, size_t *data_sizes,
                                    hipMemRangeAttribute *attributes, size_t count,
                                    const void *address, size_t size) {
  SERVE(range_attributes(data, data_sizes, attributes, count, address, size));
}

// One of three flags, and all of the allocation.
static hipError_t attach(const void *address, size_t length, unsigned flags) {
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  const bool whole = !length || !allocation ||
                     (allocation->address == (uint64_t)address && allocation->size == length);
  if (!whole ||
      (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle))
    return hipErrorInvalidValue;
  return hint(address, length ? length : 1);
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *address, size_t length,
                                   unsigned flags) {
  SERVE(stream_live(stream) ? attach(address, length, flags) : hipErrorContextIsDestroyed);
}
