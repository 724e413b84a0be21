// Pages of freed memory for allocations to come. Programs allocate, launch and free in loops, and fresh pages take the host
// longer than clearing used ones: in a virtual machine of ours a loop of these took a third less.
//
// In: ranges of freed memory, and of fresh memory. Out: pages that move from one to the other. Nobody can access them
// meanwhile, so that stale pointers stay found. Callers see to it that one thread at a time is here.
#ifndef EMULATOR_USED_PAGES_H
#define EMULATOR_USED_PAGES_H

#include <stdbool.h>
#include <stdint.h>

// Keeps the pages of [begin, end), which then is inaccessible, if most of them were ever touched, and it is so large that this
// is worth it; of all ranges no more than `most` bytes, for which older ones go. False: the range is as it was.
bool used_pages_keep(uint64_t begin, uint64_t end, uint64_t most);

// Gives pages, cleared, to the beginning of [begin, end), accessible memory that nobody touched yet, as many as there are.
void used_pages_give(uint64_t begin, uint64_t end);

// Makes [begin, end) accessible with the pages that are kept of it, as they are. False if they are not, or not all.
bool used_pages_take_back(uint64_t begin, uint64_t end);

uint64_t used_pages_bytes(void); // that are kept
void used_pages_drop_all(void);

#endif
