// Memory of the host program that no HIP call knows: what the device reaches with HSA_XNACK=1.
//
// In: an address. Out: the mapping of this process that it lies in, and its rights.
#ifndef EMULATOR_HOST_MEMORY_H
#define EMULATOR_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t begin, end;
  bool writable, shared; // shared: with other processes, or a file
} HostMapping;

// False if the address lies in no mapping that the host may read.
bool host_memory_mapping(uint64_t address, HostMapping *mapping);

#endif
