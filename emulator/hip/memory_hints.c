// Hints about managed memory: where it is wanted, who reads it.
//
// In: hipMemAdvise, hipMemPrefetchAsync. Out: what hipMemRangeGetAttribute gives back; nothing else.
#define _GNU_SOURCE
#include "device_memory.h"
#include "host_memory.h"
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

static hipError_t advise(const void *address, size_t size, hipMemoryAdvise advice, int device) {
  MemoryHints *hints = size ? device_memory_hints((uint64_t)address, size) : NULL;
  if (!hints)
    return hint(address, size);
  switch ((int)advice) {
  case hipMemAdviseSetReadMostly:
  case hipMemAdviseUnsetReadMostly:
    hints->read_mostly = advice == hipMemAdviseSetReadMostly;
    return hipSuccess;
  case hipMemAdviseSetPreferredLocation:
  case hipMemAdviseUnsetPreferredLocation:
    hints->preferred = advice == hipMemAdviseSetPreferredLocation ? device : MEMORY_NO_DEVICE;
    return hipSuccess;
  case hipMemAdviseSetAccessedBy:
  case hipMemAdviseUnsetAccessedBy:
    hints->accessed_by = advice == hipMemAdviseSetAccessedBy ? device : MEMORY_NO_DEVICE;
    return hipSuccess;
  case hipMemAdviseSetCoarseGrain:
  case hipMemAdviseUnsetCoarseGrain:
    hints->coarse = advice == hipMemAdviseSetCoarseGrain;
    return hipSuccess;
  default:
    return hipErrorInvalidValue;
  }
}

static hipError_t prefetch(const void *address, size_t size, int device) {
  MemoryHints *hints = size ? device_memory_hints((uint64_t)address, size) : NULL;
  if (hints)
    hints->prefetched = device;
  return hint(address, size);
}

hipError_t hipMemPrefetchAsync(const void *address, size_t size, int device, hipStream_t stream) {
  (void)stream;
  SERVE(prefetch(address, size, device));
}

hipError_t hipMemAdvise(const void *address, size_t size, hipMemoryAdvise advice, int device) {
  SERVE(advise(address, size, advice, device));
}

EXPORT hipError_t hipMemPrefetchAsync_v2(const void *address, size_t size, hipMemLocation location,
                                         unsigned flags, hipStream_t stream);
EXPORT hipError_t hipMemAdvise_v2(const void *address, size_t size, hipMemoryAdvise advice,
                                  hipMemLocation location);

// The device of a location; the host and its nodes (types of ROCm 7) are hipCpuDeviceId.
static int device_at(hipMemLocation location) {
  return location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId;
}

hipError_t hipMemPrefetchAsync_v2(const void *address, size_t size, hipMemLocation location,
                                  unsigned flags, hipStream_t stream) {
  (void)stream;
  SERVE(flags ? hipErrorInvalidValue : prefetch(address, size, device_at(location)));
}
hipError_t hipMemAdvise_v2(const void *address, size_t size, hipMemoryAdvise advice,
                           hipMemLocation location) {
  SERVE(advise(address, size, advice, device_at(location)));
}

// Hints are kept for whole allocations. Of devices that access a range there is a list.
static hipError_t range_attribute(int *data, size_t data_size, hipMemRangeAttribute attribute,
                                  const void *address, size_t size) {
  const MemoryHints *hints = size ? device_memory_hints((uint64_t)address, size) : NULL;
  const size_t count = data_size / sizeof *data;
  const bool list = attribute == hipMemRangeAttributeAccessedBy;
  if (!hints || !data || !count || data_size % sizeof *data || (!list && count != 1))
    return hipErrorInvalidValue;
  switch ((int)attribute) {
  case hipMemRangeAttributeReadMostly:
    *data = hints->read_mostly;
    return hipSuccess;
  case hipMemRangeAttributePreferredLocation:
    *data = hints->preferred;
    return hipSuccess;
  case hipMemRangeAttributeAccessedBy:
    for (size_t i = 0; i < count; i++)
      data[i] = i ? MEMORY_NO_DEVICE : hints->accessed_by;
    return hipSuccess;
  case hipMemRangeAttributeLastPrefetchLocation:
    *data = hints->prefetched;
    return hipSuccess;
  case hipMemRangeAttributeCoherencyMode:
    *data = hints->coarse ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
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

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *address, size_t length,
                                   unsigned flags) {
  (void)flags;
  SERVE(!stream_live(stream) ? hipErrorContextIsDestroyed : hint(address, length ? length : 1));
}
