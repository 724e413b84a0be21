// Which bytes of device memory were written: see defined_memory.h. A bit for each byte of the
// reservation that allocations come from; its pages appear as they are written.
#include "defined_memory.h"

#include "bits.h"
#include "device_memory.h"
#include "settings.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static uint8_t *bits; // NULL: not wanted, or there is no room for it
static uint64_t begin, end;
static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;

static uint8_t *map_bits(void) {
  pthread_mutex_lock(&mapping);
  device_memory_range(&begin, &end);
  if (!bits && begin < end) {
    void *mapped = mmap(NULL, (end - begin) / 8 + sizeof(uint32_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    __atomic_store_n(&bits, mapped == MAP_FAILED ? NULL : mapped, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mapping);
  return bits;
}

static uint8_t *wanted_bits(void) {
  uint8_t *there = __atomic_load_n(&bits, __ATOMIC_ACQUIRE);
  return there ? there : settings()->sanitize == SANITIZE_ALL ? map_bits() : NULL;
}

static bool inside(uint64_t address) { return address >= begin && address < end; }

void defined_memory_written(const void *address, uint64_t size) {
  uint8_t *to = wanted_bits();
  if (to && inside((uint64_t)address))
    bits_set(to, (uint64_t)address - begin, size);
}

bool defined_memory_all(uint64_t address, uint64_t size) {
  const uint8_t *in = wanted_bits();
  return !in || !inside(address) || bits_all_set(in, address - begin, size);
}

// The bits of an address lie in a word: pages go on behind the last.
bool defined_memory_all_of(const uint64_t *address, uint64_t wanted, uint32_t size) {
  const uint8_t *in = wanted_bits();
  const uint32_t all = (1u << size) - 1;
  uint32_t missing = 0;
  for (; in && wanted; wanted &= wanted - 1) {
    const uint64_t at = address[__builtin_ctzll(wanted)] - begin;
    uint32_t word = ~0u;
    if (at < end - begin)
      memcpy(&word, in + at / 8, sizeof word);
    missing |= ~(word >> at % 8) & (at < end - begin ? all : 0);
  }
  return !missing;
}

uint32_t defined_memory_missing(uint64_t address, uint32_t size) {
  uint8_t *in = wanted_bits();
  uint32_t missing = 0;
  if (!in || !inside(address) || bits_all_set(in, address - begin, size))
    return 0;
  const Allocation *allocation = device_memory_find(address, size);
  const bool counts = allocation && allocation->kind == MEMORY_DEVICE;
  for (uint32_t i = 0; i < size; i++) {
    if (bit_is_set(in, address - begin + i))
      continue;
    if (counts && !((const uint8_t *)address)[i])
      missing |= 1u << i;
    else
      bits_set(in, address - begin + i, 1);
  }
  return missing;
}

void defined_memory_forget(uint64_t address, uint32_t bytes) {
  uint8_t *in = wanted_bits();
  if (in && inside(address))
    bits_clear(in, address - begin, bytes);
}

void defined_memory_copied(const void *to, const void *from, uint64_t size) {
  if (!wanted_bits() || !inside((uint64_t)to))
    return;
  defined_memory_written(to, size);
  if (!inside((uint64_t)from) || defined_memory_all((uint64_t)from, size))
    return;
  enum { STEP = 16 };
  for (uint64_t i = 0; i < size; i += STEP) {
    const uint32_t here = size - i < STEP ? (uint32_t)(size - i) : STEP;
    const uint32_t missing = defined_memory_missing((uint64_t)from + i, here);
    if (missing)
      defined_memory_forget((uint64_t)to + i, missing);
  }
}
