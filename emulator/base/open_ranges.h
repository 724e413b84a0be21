// Ranges of freed device memory that are still accessible.
//
// In: ranges that were freed, in any order. Out: mappings without access rights in their place, of as
// many neighbours as possible at once: Linux allows a process 65530 mappings.
// The caller sees to it that no two threads are in here at once.
#ifndef EMULATOR_OPEN_RANGES_H
#define EMULATOR_OPEN_RANGES_H

#include <stdint.h>

// Takes access rights and pages away; where no mapping is left to split, the pages alone.
void open_ranges_close_one(uint64_t begin, uint64_t end);

// Gives the pages back and keeps the range in mind. Now and then long runs are closed.
void open_ranges_add(uint64_t begin, uint64_t end);

// Closes all that was added.
void open_ranges_close_all(void);

#endif
