// Memory that graphs allocate: addresses which nodes name, and behind which there is memory from the launch
// that allocates until something frees it.
//
// In: sizes, from nodes; launches of graphs, the device's progress, hipFree. Out: device memory
// (device_memory.h) at these addresses while a launch or the program uses it. What a launch does not free is the
// program's. Memory that one launch uses while another one frees it stays, with what is in it.
#ifndef EMULATOR_GRAPH_MEMORY_H
#define EMULATOR_GRAPH_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

// NULL without room for it. It is forgotten once no step names it and nobody uses it.
void *graph_memory_new(uint64_t size, int device);
// Which other devices may use it when it is there: a bit for each.
void graph_memory_invite(const void *address, uint32_t devices);
// Whether the address lies in such memory, there or not.
bool graph_memory_has(const void *address);
// Counts the steps that name the address; false if it is none of these.
bool graph_memory_name(const void *address);
void graph_memory_unname(const void *address);

// What only one may do at a time: a graph's node frees it, an executable graph allocates it, or frees it.
typedef enum { CLAIM_NODE_FREES = 1, CLAIM_ALLOCATES = 2, CLAIM_FREES = 4 } MemoryClaim;
bool graph_memory_claim(const void *address, MemoryClaim claim); // false if another does
void graph_memory_disclaim(const void *address, MemoryClaim claim);

// A launch uses it, until graph_memory_end, which any thread may call. False without memory.
bool graph_memory_begin(const void *address);
void graph_memory_end(const void *address);

// Whether the program has it, because the launch that allocated it did not free it.
bool graph_memory_kept(const void *address);
void graph_memory_set_kept(const void *address, bool kept);
// What hipFree does: false if the program does not have it.
bool graph_memory_free(const void *address);

#endif
