// Pools: device memory that comes and goes in the order of streams.
//
// In: requests with the place of their stream in the device's queue. Out: memory of hipMallocAsync; what hipFreeAsync gave back
// stays with its pool, so that the next request of that size, or of up to an eighth less, gets it at once: on the same stream
// always, on another one when the device has reached the free, or when it waits for an event behind the free. What is not
// wanted again goes back to the device when more than the pool's threshold is held, or when there is no room for something
// else. Until then a kernel that touches it faults, as after hipFree.
#ifndef EMULATOR_POOL_H
#define EMULATOR_POOL_H

#include "device_memory.h"
#include "queue.h"

#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Pool Pool;

// Of MEMORY_DEVICE or MEMORY_MANAGED. NULL: no memory.
Pool *pool_default(int device, MemoryKind kind);
Pool *pool_create(int device, MemoryKind kind, uint64_t limit); // in bytes, 0: none
MemoryKind pool_kind(const Pool *pool);
void pool_destroy(Pool *pool); // what programs still hold of it stays theirs
int pool_device(const Pool *pool);

// What another device may do with its memory, hipMemAccessFlags; reading alone is not told apart.
void pool_invite(Pool *pool, int device, hipMemAccessFlags flags);
hipMemAccessFlags pool_access(const Pool *pool, int device); // of any device

// How it may be shared (hipMemAllocationHandleType), and the process that it was imported from, or 0.
void pool_share_by(Pool *pool, int handle_types);
int pool_handle_types(const Pool *pool);
Pool *pool_import(int32_t process); // NULL: no memory
int32_t pool_process(const Pool *pool);

void *pool_take(Pool *pool, uint64_t size, QueueStream stream); // NULL: no room
// In the order of the stream. False if no pool gave the memory, or it has it back already.
bool pool_give(void *address, QueueStream stream);
// At once, the memory returns to the device; false as above.
bool pool_release(void *address);

// Down to so many bytes, as far as the device has reached the frees; all pools to their thresholds.
void pool_trim(Pool *pool, uint64_t keep);
void pools_trim(void);
// All that they keep for later, of all pools: where no room is left.
void pools_give_up(void);
// Of the current device, which has nothing to do: programs lose what they hold.
void pools_empty(void);

hipError_t pool_get(const Pool *pool, hipMemPoolAttr attribute, void *value);
hipError_t pool_set(Pool *pool, hipMemPoolAttr attribute, const void *value);

#endif
