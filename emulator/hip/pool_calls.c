// Calls on memory pools, and allocation in the order of streams.
//
// In: the HIP calls. Out: what pool.h does; which pool a device takes from when none is named.
// Codes: hipamd hip_mempool.cpp.
#define _GNU_SOURCE
#include "capture.h"
#include "device_memory.h"
#include "devices.h"
#include "handle.h"
#include "pool.h"
#include "program_abi.h"
#include "runtime.h"
#include "settings.h"
#include "stream.h"

#include <string.h>

static Pool
    *chosen[SETTINGS_MOST_DEVICES][2]; // of device and managed memory; NULL: the device's own

enum { MANAGED = 2 }; // hipMemAllocationTypeManaged of ROCm 7

static Pool *pool_of(hipMemPool_t handle) {
  Pool *pool = (Pool *)handle;
  if (handle_live(HANDLE_POOL, pool))
    return pool;
  for (int device = 0; pool && device < device_count(); device++)
    if (pool == pool_default(device, MEMORY_DEVICE) || pool == pool_default(device, MEMORY_MANAGED))
      return pool;
  return NULL;
}

static Pool *current_pool(int device, MemoryKind kind) {
  Pool *pool = chosen[device][kind == MEMORY_MANAGED];
  return pool ? pool : pool_default(device, kind);
}

static hipError_t get_pool(hipMemPool_t *target, int device, bool own) {
  if (!target)
    return hipErrorInvalidValue;
  if (!device_known(device))
    return hipErrorInvalidDevice;
  *target = (hipMemPool_t)(own ? pool_default(device, MEMORY_DEVICE)
                               : current_pool(device, MEMORY_DEVICE));
  return hipSuccess;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device) {
  SERVE(get_pool(pool, device, true));
}
hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device) {
  SERVE(get_pool(pool, device, false));
}

static hipError_t choose_pool(int device, MemoryKind kind, hipMemPool_t pool) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (!pool_of(pool) || pool_process(pool_of(pool)) || pool_kind(pool_of(pool)) != kind)
    return hipErrorInvalidValue;
  if (kind == MEMORY_DEVICE && pool_device(pool_of(pool)) != device)
    return hipErrorInvalidDevice;
  chosen[device][kind == MEMORY_MANAGED] = pool_of(pool);
  return hipSuccess;
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  SERVE_APART_7(choose_pool(device, MEMORY_DEVICE, pool));
}

// ---- of ROCm 7: which pool a place has for a type of memory ----

EXPORT hipError_t hipMemGetMemPool(hipMemPool_t *pool, const hipMemLocation *location, int type);
EXPORT hipError_t hipMemGetDefaultMemPool(hipMemPool_t *pool, hipMemLocation *location, int type);
EXPORT hipError_t hipMemSetMemPool(const hipMemLocation *location, int type, hipMemPool_t pool);

static bool kind_of(int type, MemoryKind *kind) {
  *kind = type == MANAGED ? MEMORY_MANAGED : MEMORY_DEVICE;
  return type == MANAGED || type == hipMemAllocationTypePinned;
}

static bool a_pools_place(const hipMemLocation *location, int type, MemoryKind *kind) {
  return location && location->type == hipMemLocationTypeDevice && device_known(location->id) &&
         kind_of(type, kind);
}

static hipError_t get_pool_at(hipMemPool_t *target, const hipMemLocation *location, int type,
                              bool own) {
  MemoryKind kind;
  if (!target || !a_pools_place(location, type, &kind))
    return hipErrorInvalidValue;
  *target =
      (hipMemPool_t)(own ? pool_default(location->id, kind) : current_pool(location->id, kind));
  return hipSuccess;
}

static hipError_t choose_pool_at(const hipMemLocation *location, int type, hipMemPool_t pool) {
  MemoryKind kind;
  if (!a_pools_place(location, type, &kind))
    return hipErrorInvalidValue;
  const hipError_t error = choose_pool(location->id, kind, pool);
  return error == hipErrorInvalidDevice ? hipErrorInvalidValue : error;
}

hipError_t hipMemGetMemPool(hipMemPool_t *pool, const hipMemLocation *location, int type) {
  SERVE(get_pool_at(pool, location, type, false));
}
hipError_t hipMemGetDefaultMemPool(hipMemPool_t *pool, hipMemLocation *location, int type) {
  SERVE(get_pool_at(pool, location, type, true));
}
hipError_t hipMemSetMemPool(const hipMemLocation *location, int type, hipMemPool_t pool) {
  SERVE(choose_pool_at(location, type, pool));
}

// Releases from 6 on have the most that a pool may hold in what was reserved before.
static uint64_t limit_of(const hipMemPoolProps *properties) {
  uint64_t limit = 0;
  if (program_abi() >= 6)
    memcpy(&limit, properties->reserved, sizeof limit);
  return limit;
}

static hipError_t create(hipMemPool_t *target, const hipMemPoolProps *properties) {
  MemoryKind kind;
  if (!target || !properties || !a_pools_place(&properties->location, properties->allocType, &kind))
    return hipErrorInvalidValue;
  if (kind == MEMORY_MANAGED && properties->handleTypes) {
    runtime_say("a pool of managed memory cannot be shared with other processes: handleTypes must "
                "be hipMemHandleTypeNone.");
    return hipErrorInvalidValue;
  }
  Pool *pool = pool_create(properties->location.id, kind, limit_of(properties));
  if (!pool || !handle_add(HANDLE_POOL, pool))
    return hipErrorOutOfMemory;
  pool_share_by(pool, (int)properties->handleTypes);
  *target = (hipMemPool_t)pool;
  return hipSuccess;
}

hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *properties) {
  SERVE_APART_7(create(pool, properties));
}

static hipError_t destroy(hipMemPool_t handle) {
  if (!handle_remove(HANDLE_POOL, handle))
    return hipErrorInvalidValue;
  for (int device = 0; device < SETTINGS_MOST_DEVICES; device++)
    for (int managed = 0; managed < 2; managed++)
      if (chosen[device][managed] == (Pool *)handle)
        chosen[device][managed] = NULL;
  pool_destroy((Pool *)handle);
  return hipSuccess;
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) { SERVE_APART_7(destroy(pool)); }

static hipError_t trim(hipMemPool_t pool, size_t keep) {
  if (!pool_of(pool))
    return hipErrorInvalidValue;
  pool_trim(pool_of(pool), keep);
  return hipSuccess;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep) { SERVE(trim(pool, keep)); }

// HIP gives back what a pool does not keep when the program waits for the device, here pools hold it
// until others want it: it does not count.
static hipError_t set_attribute(Pool *pool, hipMemPoolAttr attribute, const void *value) {
  if (!pool || !value)
    return hipErrorInvalidValue;
  if (attribute == hipMemPoolAttrReservedMemHigh)
    pools_trim();
  return pool_set(pool, attribute, value);
}

static hipError_t get_attribute(const Pool *pool, hipMemPoolAttr attribute, void *value) {
  if (!pool || !value)
    return hipErrorInvalidValue;
  if (attribute == hipMemPoolAttrReservedMemCurrent)
    pools_trim();
  return pool_get(pool, attribute, value);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
  SERVE(set_attribute(pool_of(pool), attribute, value));
}
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
  SERVE(get_attribute(pool_of(pool), attribute, value));
}

// Besides the peers of hipDeviceEnablePeerAccess, who are let in to all memory.
static hipError_t let_in(hipMemPool_t pool, const hipMemAccessDesc *list, size_t count) {
  if (!pool_of(pool) || !list || !count)
    return hipErrorInvalidValue;
  if (count > (size_t)device_count())
    return hipErrorInvalidDevice;
  for (size_t i = 0; i < count; i++) {
    const hipMemLocation at = list[i].location;
    const bool own = at.id == pool_device(pool_of(pool));
    if (at.type != hipMemLocationTypeDevice ||
        (unsigned)list[i].flags > hipMemAccessFlagsProtReadWrite)
      return hipErrorInvalidValue;
    if (!device_known(at.id) || (own && list[i].flags != hipMemAccessFlagsProtReadWrite))
      return hipErrorInvalidDevice; // its own cannot be shut out
  }
  for (size_t i = 0; i < count; i++)
    if (list[i].location.id != pool_device(pool_of(pool)))
      pool_invite(pool_of(pool), list[i].location.id, list[i].flags);
  return hipSuccess;
}

static hipError_t who_is_in(hipMemAccessFlags *flags, hipMemPool_t pool, const hipMemLocation *at) {
  if (!flags || !pool_of(pool) || !at || at->type != hipMemLocationTypeDevice ||
      !device_known(at->id))
    return hipErrorInvalidValue;
  *flags = pool_access(pool_of(pool), at->id);
  return hipSuccess;
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list, size_t count) {
  SERVE(let_in(pool, list, count));
}
hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool,
                               hipMemLocation *location) {
  SERVE(who_is_in(flags, pool, location));
}

// A stream that records makes a node of the call. HIP's reference wants no new memory of an imported
// pool, but ROCm gives it, and programs take it.
static hipError_t take(void **address, size_t size, Pool *pool, hipStream_t stream) {
  if (!address || !pool)
    return hipErrorInvalidValue;
  if (stream_capturing(stream))
    return capture_allocate(stream_capturing(stream), address, size);
  *address = size ? pool_take(pool, size, stream_order(stream)) : NULL;
  if (*address || !size)
    return hipSuccess;
  runtime_say("the pool has no room for %zu bytes: %llu of the device's %llu bytes are in use, and "
              "the host must have the pages too.",
              size, (unsigned long long)device_memory_used(pool_device(pool)),
              (unsigned long long)device_memory_size());
  return hipErrorOutOfMemory;
}

hipError_t hipMallocAsync(void **address, size_t size, hipStream_t stream) {
  SERVE(stream_live(stream)
            ? take(address, size, current_pool(stream_device(stream), MEMORY_DEVICE), stream)
            : hipErrorInvalidHandle);
}

hipError_t hipMallocFromPoolAsync(void **address, size_t size, hipMemPool_t pool,
                                  hipStream_t stream) {
  SERVE(stream_live(stream) ? take(address, size, pool_of(pool), stream) : hipErrorInvalidValue);
}

// hipErrorNotReady: memory of hipMalloc, whose free waits for the device.
static hipError_t give(void *address, hipStream_t stream) {
  SERVE(!stream_live(stream)       ? hipErrorInvalidValue
        : !address                 ? program_abi() >= 7 ? hipSuccess : hipErrorInvalidValue
        : stream_capturing(stream) ? capture_free(stream_capturing(stream), address)
        : pool_give(address, stream_order(stream)) ? hipSuccess
                                                   : hipErrorNotReady);
}

hipError_t hipFreeAsync(void *address, hipStream_t stream) {
  const hipError_t error = give(address, stream);
  return error == hipErrorNotReady ? hipFree(address) : error;
}
