// Pools: see pool.h. Attributes: hipamd hip_mempool_impl.cpp.
#define _GNU_SOURCE
#include "pool.h"

#include "device_memory.h"
#include "devices.h"
#include "settings.h"

#include <search.h>
#include <stdlib.h>

typedef struct Block {
  struct Block *next; // of those that the pool has back
  void *address;
  uint64_t size; // of its memory; a program may have asked for less
  Pool *pool;
  const void *stream; // on which it was given back
  uint64_t work;      // that says the device has reached the free
  // Changed atomically:
  uint32_t generation; // counts its uses
  uint32_t frees;      // that the device has not reached, on whatever streams
} Block;

struct Pool {
  Pool *next; // of all
  int device;
  MemoryKind kind;
  uint64_t limit, threshold;
  int reuse[hipMemPoolReuseAllowInternalDependencies + 1]; // switches
  uint64_t used, used_high, reserved, reserved_high;       // bytes
  Block *given;                                            // back, to be had again
  hipMemAccessFlags guests[SETTINGS_MOST_DEVICES];         // what other devices may do
  int handle_types;                                        // by which it is shared
  int32_t process;                                         // that it was imported from, or 0
  bool destroyed; // lasts until programs have given all back
};

static Pool *pools, *defaults[SETTINGS_MOST_DEVICES][2]; // of device and managed memory
static void *taken; // tree of blocks that programs hold, by address

static int compare(const void *a, const void *b) {
  const char *x = ((const Block *)a)->address, *y = ((const Block *)b)->address;
  return x < y ? -1 : x > y;
}

static Block *block_at(void *address) {
  Block **found = tfind(&(Block){.address = address}, &taken, compare);
  return found ? *found : NULL;
}

Pool *pool_create(int device, MemoryKind kind, uint64_t limit) {
  Pool *pool = calloc(1, sizeof *pool);
  if (!pool)
    return NULL;
  *pool =
      (Pool){.next = pools, .device = device, .kind = kind, .limit = limit, .reuse = {0, 1, 1, 1}};
  return pools = pool;
}

Pool *pool_default(int device, MemoryKind kind) {
  Pool **slot = &defaults[device][kind == MEMORY_MANAGED];
  if (!*slot)
    *slot = pool_create(device, kind, 0);
  return *slot;
}

MemoryKind pool_kind(const Pool *pool) { return pool->kind; }

int pool_device(const Pool *pool) { return pool->device; }

static uint32_t guests_of(const Pool *pool) {
  uint32_t guests = 0;
  for (int i = 0; i < SETTINGS_MOST_DEVICES; i++)
    guests |= (uint32_t)(pool->guests[i] != hipMemAccessFlagsProtNone) << i;
  return guests;
}

static void invite_to(const void *node, VISIT visit, void *pool) {
  const Block *block = *(Block *const *)node;
  if ((visit == preorder || visit == leaf) && block->pool == pool)
    device_memory_invite(block->address, guests_of(pool));
}

void pool_invite(Pool *pool, int device, hipMemAccessFlags flags) {
  pool->guests[device] = flags;
  for (const Block *block = pool->given; block; block = block->next)
    device_memory_invite(block->address, guests_of(pool));
  twalk_r(taken, invite_to, pool);
}

hipMemAccessFlags pool_access(const Pool *pool, int device) {
  return device == pool->device ? hipMemAccessFlagsProtReadWrite : pool->guests[device];
}

void pool_share_by(Pool *pool, int handle_types) { pool->handle_types = handle_types; }
int pool_handle_types(const Pool *pool) { return pool->handle_types; }

Pool *pool_import(int32_t process) {
  Pool *pool = pool_create(device_current(), MEMORY_DEVICE, 0);
  if (pool)
    pool->process = process;
  return pool;
}

int32_t pool_process(const Pool *pool) { return pool->process; }

static void forget_when_empty(Pool *pool) {
  if (!pool->destroyed || pool->reserved)
    return;
  Pool **link = &pools;
  while (*link != pool)
    link = &(*link)->next;
  *link = pool->next;
  free(pool);
}

// Takes the block out of the list that the link is in.
static void give_back_to_device(Pool *pool, Block **link) {
  Block *block = *link;
  *link = block->next;
  pool->reserved -= block->size;
  device_memory_wake(block->address, block->size);
  device_memory_free(block->address, pool->kind);
  free(block);
}

void pool_trim(Pool *pool, uint64_t keep) {
  for (Block **link = &pool->given; *link && pool->reserved > keep;)
    if (!__atomic_load_n(&(*link)->frees, __ATOMIC_ACQUIRE))
      give_back_to_device(pool, link);
    else
      link = &(*link)->next;
  forget_when_empty(pool);
}

void pools_trim(void) {
  for (Pool *pool = pools, *next; pool; pool = next) {
    next = pool->next;
    pool_trim(pool, pool->threshold);
  }
}

void pools_give_up(void) {
  for (Pool *pool = pools, *next; pool; pool = next) {
    next = pool->next;
    pool_trim(pool, 0);
  }
}

void pool_destroy(Pool *pool) {
  pool->destroyed = true;
  pool->threshold = 0;
  pool_trim(pool, 0);
}

static bool may_have(const Pool *pool, const Block *block, QueueStream stream) {
  return block->stream == stream.id ||
         (pool->reuse[hipMemPoolReuseAllowOpportunistic] && queue_done(block->work)) ||
         (pool->reuse[hipMemPoolReuseFollowEventDependencies] &&
          queue_waits_for(stream, block->work));
}

// The smallest that holds the size, and is at most an eighth larger: as MemoryPool's heap of hip_mempool_impl.cpp. Its end is
// where the size ends, so that an access behind it is still one.
static Block *take_again(Pool *pool, uint64_t size, QueueStream stream) {
  Block **best = NULL;
  for (Block **link = &pool->given; *link; link = &(*link)->next) {
    const Block *block = *link;
    if (block->size >= size && block->size - size <= size / 8 &&
        (!best || block->size < (*best)->size) && may_have(pool, block, stream))
      best = link;
  }
  if (!best)
    return NULL;
  Block *block = *best;
  *best = block->next;
  __atomic_add_fetch(&block->generation, 1, __ATOMIC_ACQ_REL);
  device_memory_wake(block->address, size);
  return block;
}

// Where there is no room, what pools keep for later goes first.
static bool allocate(const Pool *pool, Block *block, uint64_t size) {
  if (device_memory_allocate(size, pool->kind, 0, &block->address) == MEMORY_OK)
    return true;
  pools_give_up();
  return device_memory_allocate(size, pool->kind, 0, &block->address) == MEMORY_OK;
}

static Block *take_anew(Pool *pool, uint64_t size) {
  Block *block = calloc(1, sizeof *block);
  pool_trim(pool, pool->threshold);
  device_memory_choose(pool->device);
  if (!block || (pool->limit && size > pool->limit - pool->reserved) ||
      !allocate(pool, block, size)) {
    free(block);
    block = NULL;
  } else {
    block->size = size;
    block->pool = pool;
    pool->reserved += size;
    device_memory_invite(block->address, guests_of(pool));
  }
  device_memory_choose(device_current());
  return block;
}

static void raise(uint64_t *high, uint64_t value) { *high = value > *high ? value : *high; }

void *pool_take(Pool *pool, uint64_t size, QueueStream stream) {
  Block *block = take_again(pool, size, stream);
  if (!block)
    block = take_anew(pool, size);
  if (!block || !tsearch(block, &taken, compare))
    return NULL;
  pool->used += block->size;
  raise(&pool->used_high, pool->used);
  raise(&pool->reserved_high, pool->reserved);
  return block->address;
}

typedef struct {
  Block *block;
  void *address;
  uint32_t generation;
} Free;

// The device has reached the free. Meanwhile somebody may have the memory again, at any moment.
static void reach(void *data) {
  const Free free_ = *(const Free *)data;
  free(data);
  if (__atomic_load_n(&free_.block->generation, __ATOMIC_ACQUIRE) == free_.generation) {
    device_memory_rest(free_.address);
    if (__atomic_load_n(&free_.block->generation, __ATOMIC_ACQUIRE) != free_.generation)
      device_memory_wake(free_.address, 0);
  }
  __atomic_sub_fetch(&free_.block->frees, 1, __ATOMIC_RELEASE); // from here on it may go
}

bool pool_give(void *address, QueueStream stream) {
  Block *block = block_at(address);
  Free *free_ = block ? malloc(sizeof *free_) : NULL;
  if (!free_)
    return false;
  Pool *pool = block->pool;
  tdelete(block, &taken, compare);
  pool->used -= block->size;
  *free_ = (Free){block, address, block->generation};
  __atomic_add_fetch(&block->frees, 1, __ATOMIC_RELAXED);
  block->stream = stream.id;
  block->work = 0;
  if (queue_idle(stream))
    reach(free_);
  else
    block->work = queue_submit(stream, QUEUE_DEVICE, reach, free_);
  block->next = pool->given;
  pool->given = block;
  if (pool->destroyed)
    pool_trim(pool, 0);
  return true;
}

bool pool_release(void *address) {
  Block *block = block_at(address);
  if (!block)
    return false;
  Pool *pool = block->pool;
  tdelete(block, &taken, compare);
  pool->used -= block->size;
  block->next = NULL;
  give_back_to_device(pool, &(Block *){block});
  forget_when_empty(pool);
  return true;
}

static void pick_block(const void *node, VISIT visit, void *picked) {
  Block *block = *(Block *const *)node, **result = picked;
  if ((visit == preorder || visit == leaf) && block->pool->device == device_current() &&
      block->pool->kind == MEMORY_DEVICE)
    *result = block;
}

static Block *any_taken(void) {
  Block *block = NULL;
  twalk_r(taken, pick_block, &block);
  return block;
}

void pools_empty(void) {
  for (Block *block; (block = any_taken());)
    pool_release(block->address);
  for (Pool *pool = pools, *next; pool; pool = next) {
    next = pool->next;
    if (pool->device == device_current())
      pool_trim(pool, 0);
  }
}

// ---- attributes: 1 to 3 are int switches, the others 64-bit counts of bytes ----

hipError_t pool_get(const Pool *pool, hipMemPoolAttr attribute, void *value) {
  switch (attribute) {
  case hipMemPoolReuseFollowEventDependencies:
  case hipMemPoolReuseAllowOpportunistic:
  case hipMemPoolReuseAllowInternalDependencies:
    *(int *)value = pool->reuse[attribute];
    return hipSuccess;
  case hipMemPoolAttrReleaseThreshold:
    *(uint64_t *)value = pool->threshold;
    return hipSuccess;
  case hipMemPoolAttrReservedMemCurrent:
    *(uint64_t *)value = pool->reserved;
    return hipSuccess;
  case hipMemPoolAttrReservedMemHigh:
    *(uint64_t *)value = pool->reserved_high;
    return hipSuccess;
  case hipMemPoolAttrUsedMemCurrent:
    *(uint64_t *)value = pool->used;
    return hipSuccess;
  case hipMemPoolAttrUsedMemHigh:
    *(uint64_t *)value = pool->used_high;
    return hipSuccess;
  default:
    return hipErrorInvalidValue;
  }
}

// The highest counts can only begin anew.
static hipError_t begin_anew(uint64_t *high, uint64_t now, uint64_t asked) {
  if (asked)
    return hipErrorInvalidValue;
  *high = now;
  return hipSuccess;
}

hipError_t pool_set(Pool *pool, hipMemPoolAttr attribute, const void *value) {
  switch (attribute) {
  case hipMemPoolReuseFollowEventDependencies:
  case hipMemPoolReuseAllowOpportunistic:
  case hipMemPoolReuseAllowInternalDependencies:
    pool->reuse[attribute] = *(const int *)value;
    return hipSuccess;
  case hipMemPoolAttrReleaseThreshold:
    pool->threshold = *(const uint64_t *)value;
    return hipSuccess;
  case hipMemPoolAttrReservedMemHigh:
    return begin_anew(&pool->reserved_high, pool->reserved, *(const uint64_t *)value);
  case hipMemPoolAttrUsedMemHigh:
    return begin_anew(&pool->used_high, pool->used, *(const uint64_t *)value);
  default:
    return hipErrorInvalidValue;
  }
}
