// The allocations that a launch accesses: with its arguments they decide what it does.
//
// In: each allocation when a host thread first meets it. Out: a list without repetitions, or the word that it does
// not tell all.
#ifndef EMULATOR_ACCESSED_MEMORY_H
#define EMULATOR_ACCESSED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t begin, end; // of a live allocation
  bool shared;         // with the host program or other processes, which may update it meanwhile
  bool outside;        // and other processes, or who else maps it, may do so unseen
} AddressRange;

enum { ACCESSED_PARTS = 32 };

typedef struct {
  AddressRange part[ACCESSED_PARTS];
  uint32_t count;
  bool hosts;  // the host program, too, may write some of them
  bool others; // there are more, or some of others, or what lies behind one
} AccessedMemory;

void accessed_memory_add(AccessedMemory *accessed, const AddressRange *range);
void accessed_memory_add_all(AccessedMemory *accessed, const AccessedMemory *more);

#endif
