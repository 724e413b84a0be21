// Which bytes of device memory were written: see defined_memory.h. A bit for each byte of the
// reservation that allocations come from; its pages appear as they are written. Of a part of it that is known to be written as a
// whole no bit is looked at.
#include "defined_memory.h"

#include "bits.h"
#include "device_memory.h"
#include "settings.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { PART = 1024 }; // bytes

// What is known of a part: that all of it is written; that bytes were forgotten, so that nobody finds out that any more; that
// a thread looks at it right now; else how often it was asked for, and each time that this is a power of two it is looked at.
enum { MOST_ASKED = 128, LOOKED_AT, SPOILT, WHOLE };

static uint8_t *bits; // NULL: not wanted, or there is no room for it
static uint8_t *part;
static uint64_t begin, end;
static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;

static void *map(uint64_t size) {
  void *mapped =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static uint8_t *map_bits(void) {
  pthread_mutex_lock(&mapping);
  device_memory_range(&begin, &end);
  if (!bits && begin < end) {
    part = part ? part : map((end - begin) / PART + 2);
    void *mapped = part ? map((end - begin) / 8 + sizeof(uint32_t)) : NULL;
    __atomic_store_n(&bits, mapped, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mapping);
  return bits;
}

static uint8_t *wanted_bits(void) {
  uint8_t *there = __atomic_load_n(&bits, __ATOMIC_ACQUIRE);
  return there ? there : settings()->sanitize == SANITIZE_ALL ? map_bits() : NULL;
}

static bool inside(uint64_t address) { return address >= begin && address < end; }

// ---- parts ----

static bool is_whole(uint64_t number) {
  return __atomic_load_n(&part[number], __ATOMIC_RELAXED) == WHOLE;
}

static bool is_spoilt(uint64_t number) {
  return __atomic_load_n(&part[number], __ATOMIC_RELAXED) == SPOILT;
}

// Of up to as many bytes as a part has, from `first` on.
static bool are_whole(uint64_t first, uint64_t size) {
  return is_whole(first / PART) & is_whole((first + size - 1) / PART);
}

static bool changes(uint64_t number, uint8_t from, uint8_t to) {
  return __atomic_load_n(&part[number], __ATOMIC_RELAXED) == from &&
         __atomic_compare_exchange_n(&part[number], &from, to, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED);
}

// Somebody asked for bytes of the part, and found them written. Who forgets some meanwhile comes before the last step,
// which then fails.
static void ask_for(const uint8_t *in, uint64_t number) {
  const uint8_t asked = __atomic_load_n(&part[number], __ATOMIC_RELAXED);
  if (asked >= MOST_ASKED)
    return;
  if (asked & (asked + 1)) {
    changes(number, asked, asked + 1);
  } else if (changes(number, asked, LOOKED_AT)) {
    const bool whole = bits_all_set(in, number * PART, PART);
    changes(number, LOOKED_AT, whole ? WHOLE : asked + 1);
  }
}

// ---- bytes ----

// From `at` on, counted from the first of the reservation. What is written anew makes a part worth to be looked at again.
static void set_written(uint8_t *to, uint64_t at, uint64_t size) {
  if (size <= PART && are_whole(at, size))
    return;
  if (size <= PART && bits_all_set(to, at, size)) {
    ask_for(to, at / PART);
    return;
  }
  bits_set(to, at, size);
  for (uint64_t number = at / PART; number <= (at + size - 1) / PART; number++)
    changes(number, MOST_ASKED, 0);
}

void defined_memory_written(const void *address, uint64_t size) {
  uint8_t *to = wanted_bits();
  if (to && size && inside((uint64_t)address))
    set_written(to, (uint64_t)address - begin, size);
}

void defined_memory_written_all(const uint64_t *address, uint64_t lanes, uint32_t size) {
  uint8_t *to = wanted_bits();
  for (; to && lanes; lanes &= lanes - 1) {
    const uint64_t at = address[__builtin_ctzll(lanes)] - begin;
    if (at < end - begin && !are_whole(at, size))
      set_written(to, at, size);
  }
}

bool defined_memory_all(uint64_t address, uint64_t size) {
  const uint8_t *in = wanted_bits();
  const uint64_t at = address - begin;
  if (!in || !inside(address) || (size <= PART && are_whole(at, size)))
    return true;
  const bool all = bits_all_set(in, at, size);
  if (all)
    ask_for(in, at / PART);
  return all;
}

// The bits of an address lie in a word: pages go on behind the last.
bool defined_memory_all_of(const uint64_t *address, uint64_t wanted, uint32_t size) {
  const uint8_t *in = wanted_bits();
  const uint32_t all = (1u << size) - 1;
  for (; in && wanted; wanted &= wanted - 1) {
    const uint64_t at = address[__builtin_ctzll(wanted)] - begin;
    if (at >= end - begin || are_whole(at, size))
      continue;
    uint32_t word;
    memcpy(&word, in + at / 8, sizeof word);
    if (~(word >> at % 8) & all)
      return false;
    ask_for(in, at / PART);
  }
  return true;
}

// Whether the host wrote the byte, or one beside it in its dword, by a plain pointer: nobody told of them, and it is not 0 as
// fresh memory is. Nothing is known close to what was forgotten.
static bool seems_written(const uint8_t *in, uint64_t at) {
  const uint8_t *memory = (const uint8_t *)begin;
  bool some = memory[at];
  for (uint64_t other = at / 4 * 4; other < at / 4 * 4 + 4; other++)
    some = some || (memory[other] && !bit_is_set(in, other));
  return some && !is_spoilt(at / PART);
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
    if (counts && !seems_written(in, address - begin + i))
      missing |= 1u << i;
  }
  for (uint32_t i = 0; i < size; i++)
    if (!(missing >> i & 1))
      bits_set(in, address - begin + i, 1);
  return missing;
}

void defined_memory_forget(uint64_t address, uint32_t bytes) {
  uint8_t *in = wanted_bits();
  if (in && inside(address))
    bits_clear(in, address - begin, bytes);
  for (uint64_t at = address - begin; in && inside(address) && bytes; bytes >>= 1, at++)
    if (bytes & 1)
      __atomic_store_n(&part[at / PART], SPOILT, __ATOMIC_SEQ_CST);
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
