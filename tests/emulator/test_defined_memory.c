// Which bytes of device memory were written: random stores, copies and look-ups beside a model that has a flag for each byte.
#include "defined_memory.h"
#include "device_memory.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 6000, ROUNDS = 60, STEPS = 3000, LANES = 64 };

static uint64_t random_state = 1;
static uint32_t below(uint32_t limit) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33) % limit;
}

typedef struct {
  uint64_t begin;
  bool written[BYTES];
} Memory;

static bool all_written(const Memory *memory, uint32_t first, uint32_t count) {
  return !memchr(memory->written + first, false, count);
}

static void write_some(Memory *memory) {
  const uint32_t first = below(BYTES), most = below(4) ? BYTES / 8 : BYTES,
                 count = below(most < BYTES - first ? most : BYTES - first) + 1;
  defined_memory_written((const void *)(memory->begin + first), count);
  memset(memory->written + first, true, count);
}

static void copy_some(Memory *memory) {
  const uint32_t half = BYTES / 2, count = below(half) + 1, from = below(half - count + 1),
                 to = half + below(half - count + 1);
  defined_memory_copied((const void *)(memory->begin + to), (const void *)(memory->begin + from),
                        count);
  memcpy(memory->written + to, memory->written + from, count);
}

static void forget_some(Memory *memory) {
  const uint32_t first = below(BYTES - 16), bytes = below(1 << 16);
  defined_memory_forget(memory->begin + first, bytes);
  for (uint32_t i = 0; i < 16; i++)
    memory->written[first + i] = memory->written[first + i] && !(bytes >> i & 1);
}

static void store_or_look_at_lanes(Memory *memory, bool store) {
  const uint32_t size = 1u << below(5), near = below(BYTES - 1100);
  uint64_t address[LANES], lanes = 0;
  bool all = true;
  for (int lane = 0; lane < LANES; lane++) {
    const uint32_t first = near + below(1100 - size);
    address[lane] = memory->begin + first;
    lanes |= (uint64_t)below(2) << lane;
    all = all && (!(lanes >> lane & 1) || all_written(memory, first, size));
    if (store && (lanes >> lane & 1))
      memset(memory->written + first, true, size);
  }
  if (store)
    defined_memory_written_all(address, lanes, size);
  else
    cr_assert(eq(int, defined_memory_all_of(address, lanes, size), all));
}

static void look_at_some(const Memory *memory) {
  const uint32_t first = below(BYTES - 16), count = below(16) + 1;
  const uint32_t many = below(BYTES - first) + 1;
  uint32_t missing = 0;
  for (uint32_t i = 0; i < count; i++)
    missing |= (uint32_t)!memory->written[first + i] << i;
  cr_assert(eq(u32, defined_memory_missing(memory->begin + first, count), missing));
  cr_assert(eq(int, defined_memory_all(memory->begin + first, count), !missing));
  cr_assert(
      eq(int, defined_memory_all(memory->begin + first, many), all_written(memory, first, many)));
}

Test(defined_memory, is_what_a_flag_for_each_byte_tells) {
  setenv("EMULATOR_SANITIZE", "1", 1);
  for (int round = 0; round < ROUNDS; round++) {
    static Memory memory;
    void *block;
    cr_assert(eq(int, device_memory_allocate(BYTES, MEMORY_DEVICE, 0, &block), MEMORY_OK));
    memory = (Memory){.begin = (uint64_t)block};
    for (int step = 0; step < STEPS; step++)
      switch (below(8)) {
      case 0:
        write_some(&memory);
        break;
      case 1:
        store_or_look_at_lanes(&memory, true);
        break;
      case 2: // late, and seldom: by then parts are known to be written as a whole
        if (step > STEPS / 2 && below(100) == 0)
          forget_some(&memory);
        break;
      case 3:
        if (step > STEPS / 2 && below(100) == 0)
          copy_some(&memory);
        break;
      case 4:
        look_at_some(&memory);
        break;
      default:
        store_or_look_at_lanes(&memory, false);
      }
  }
}
