// Memory that nothing writes for a while, told by Linux without reading it: it keeps for each page whether it was
// written since it was watched, whoever wrote it, kernels, copies or the host program through a pointer. Gigabytes
// take it a millisecond; to compare them takes half a second.
//
// In: ranges of memory of this process alone that hold still while these functions run (device_memory_hold). Out: a
// number for each watch of a range. Linux before 6.7 cannot tell; then nothing is watched. Write accesses to watched
// pages are slower once. In a child of fork() nothing counts as unwritten.
#ifndef EMULATOR_UNWRITTEN_MEMORY_H
#define EMULATOR_UNWRITTEN_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

// From now on. Returns what unwritten_since wants, 0 if the range cannot be watched.
uint64_t unwritten_watch(uint64_t address, uint64_t size);

// True if nothing has written the pages of the range since the call that returned this watch. False if something has,
// or if nobody knows.
bool unwritten_since(uint64_t address, uint64_t size, uint64_t watch);

// Of up to so many pages of private memory from the address on: whether each was never written, and so is zero without
// being read. Some kernels give memory to pages that are only read. False where nobody knows.
enum { MOST_PAGES = 512 };
void unwritten_pages(uint64_t address, uint32_t count, bool *unwritten);

#endif
