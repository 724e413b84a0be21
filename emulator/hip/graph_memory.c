// Memory that graphs allocate: see graph_memory.h. ROCm 6: hipDeviceGetGraphMemAttribute and its like.
#define _GNU_SOURCE
#include "graph_memory.h"

#include "device_memory.h"
#include "devices.h"
#include "runtime.h"
#include "settings.h"
#include "shared_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct Memory {
  struct Memory *next;
  uint64_t address, size;
  int device;
  uint32_t guests;       // a bit for each other device that may use it
  unsigned named, users; // steps; launches that are not done, and the program
  unsigned claims;       // of MemoryClaim
  bool kept;
} Memory;

// Of the host's threads and the device's. Its holders change memory.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Memory *all;

// Bytes of a device. Reserved is what was in use since the last hipDeviceGraphMemTrim.
typedef struct {
  uint64_t used, most_used, reserved, most_reserved;
} Sums;
static Sums sums[SETTINGS_MOST_DEVICES];

// The system gives whole pages.
static uint64_t pages(const Memory *memory) {
  return (memory->size + SHARED_PAGE - 1) / SHARED_PAGE * SHARED_PAGE;
}

static Memory **find(const void *address) {
  Memory **link = &all;
  while (*link && (*link)->address != (uint64_t)address)
    link = &(*link)->next;
  return link;
}

static void forget_unused(Memory **link) {
  Memory *memory = *link;
  if (memory->named || memory->users)
    return;
  *link = memory->next;
  free(memory);
}

void *graph_memory_new(uint64_t size, int device) {
  void *address;
  Memory *made = malloc(sizeof *made);
  if (!made || device_memory_reserve(size, 0, &address) != MEMORY_OK) {
    free(made);
    return NULL;
  }
  device_memory_lock(&lock);
  *made = (Memory){.next = all, .address = (uint64_t)address, .size = size, .device = device};
  all = made;
  pthread_mutex_unlock(&lock);
  return address;
}

bool graph_memory_has(const void *address) {
  device_memory_lock(&lock);
  const Memory *memory = all;
  while (memory && (uint64_t)address - memory->address >= memory->size)
    memory = memory->next;
  pthread_mutex_unlock(&lock);
  return memory;
}

void graph_memory_invite(const void *address, uint32_t devices) {
  device_memory_lock(&lock);
  Memory *memory = *find(address);
  if (memory)
    memory->guests = devices;
  pthread_mutex_unlock(&lock);
}

bool graph_memory_name(const void *address) {
  device_memory_lock(&lock);
  Memory *memory = *find(address);
  if (memory)
    memory->named++;
  pthread_mutex_unlock(&lock);
  return memory;
}

void graph_memory_unname(const void *address) {
  device_memory_lock(&lock);
  Memory **link = find(address);
  (*link)->named--;
  forget_unused(link);
  pthread_mutex_unlock(&lock);
}

bool graph_memory_claim(const void *address, MemoryClaim claim) {
  device_memory_lock(&lock);
  Memory *memory = *find(address);
  const bool free = memory && !(memory->claims & claim);
  if (free)
    memory->claims |= claim;
  pthread_mutex_unlock(&lock);
  return free;
}

void graph_memory_disclaim(const void *address, MemoryClaim claim) {
  device_memory_lock(&lock);
  (*find(address))->claims &= ~(unsigned)claim;
  pthread_mutex_unlock(&lock);
}

// ---- memory comes and goes ----

static void count_more(Sums *sum, uint64_t size) {
  sum->used += size;
  sum->reserved = sum->used > sum->reserved ? sum->used : sum->reserved;
  sum->most_used = sum->used > sum->most_used ? sum->used : sum->most_used;
  sum->most_reserved = sum->reserved > sum->most_reserved ? sum->reserved : sum->most_reserved;
}

static bool map(const Memory *memory) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  void *address = (void *)memory->address;
  device_memory_choose(memory->device);
  const bool fits = device_memory_take(pages(memory));
  device_memory_choose(device_current());
  if (!fits)
    return false;
  if (mmap(address, pages(memory), PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED &&
      device_memory_place(address, memory->size, MEMORY_DEVICE, memory->device)) {
    device_memory_invite(address, memory->guests);
    count_more(&sums[memory->device], pages(memory));
    return true;
  }
  device_memory_give_back(pages(memory), memory->device);
  return false;
}

static void unmap(const Memory *memory) {
  device_memory_free((void *)memory->address, MEMORY_DEVICE);
  shared_memory_hide(memory->address, pages(memory));
  device_memory_give_back(pages(memory), memory->device);
  sums[memory->device].used -= pages(memory);
}

bool graph_memory_begin(const void *address) {
  device_memory_lock(&lock);
  Memory *memory = *find(address);
  const bool there = memory->users || map(memory);
  memory->users += there;
  pthread_mutex_unlock(&lock);
  return there;
}

static void end(Memory **link) {
  if (--(*link)->users == 0)
    unmap(*link);
  forget_unused(link);
}

void graph_memory_end(const void *address) {
  device_memory_lock(&lock);
  end(find(address));
  pthread_mutex_unlock(&lock);
}

bool graph_memory_kept(const void *address) {
  device_memory_lock(&lock);
  const Memory *memory = *find(address);
  const bool kept = memory && memory->kept;
  pthread_mutex_unlock(&lock);
  return kept;
}

void graph_memory_set_kept(const void *address, bool kept) {
  device_memory_lock(&lock);
  (*find(address))->kept = kept;
  pthread_mutex_unlock(&lock);
}

bool graph_memory_free(const void *address) {
  device_memory_lock(&lock);
  Memory **link = find(address);
  const bool kept = *link && (*link)->kept;
  if (kept) {
    (*link)->kept = false;
    end(link);
  }
  pthread_mutex_unlock(&lock);
  return kept;
}

// ---- what is told of it ----

enum { USED, MOST_USED, RESERVED, MOST_RESERVED }; // hipGraphMemAttributeType

EXPORT hipError_t hipDeviceGetGraphMemAttribute(int device, int attribute, void *value);
EXPORT hipError_t hipDeviceSetGraphMemAttribute(int device, int attribute, void *value);
EXPORT hipError_t hipDeviceGraphMemTrim(int device);

static hipError_t get_attribute(int device, int attribute, uint64_t *value) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (!value || attribute < USED || attribute > MOST_RESERVED)
    return hipErrorInvalidValue;
  device_memory_lock(&lock);
  const Sums *sum = &sums[device];
  *value = attribute == USED        ? sum->used
           : attribute == MOST_USED ? sum->most_used
           : attribute == RESERVED  ? sum->reserved
                                    : sum->most_reserved;
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

// The most there was may be set to 0, from which it begins again.
static hipError_t set_attribute(int device, int attribute, const uint64_t *value) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (!value || (attribute != MOST_USED && attribute != MOST_RESERVED) || *value)
    return hipErrorInvalidValue;
  device_memory_lock(&lock);
  *(attribute == MOST_USED ? &sums[device].most_used : &sums[device].most_reserved) = 0;
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

static hipError_t trim(int device) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  device_memory_lock(&lock);
  sums[device].reserved = sums[device].used;
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

hipError_t hipDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
  SERVE(get_attribute(device, attribute, value));
}
hipError_t hipDeviceSetGraphMemAttribute(int device, int attribute, void *value) {
  SERVE(set_attribute(device, attribute, value));
}
// What a launched graph frees is free: as every call that gives memory back, it waits.
hipError_t hipDeviceGraphMemTrim(int device) { SERVE_AFTER(queue_wait_all(), trim(device)); }
