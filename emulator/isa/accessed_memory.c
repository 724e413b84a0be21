// Lists of allocations: see accessed_memory.h.
#include "accessed_memory.h"

void accessed_memory_add(AccessedMemory *accessed, const AddressRange *range) {
  uint32_t i = 0;
  if (accessed->others && accessed->count == ACCESSED_PARTS)
    return;
  while (i < accessed->count &&
         (accessed->part[i].begin != range->begin || accessed->part[i].end != range->end))
    i++;
  accessed->hosts |= range->shared;
  accessed->others |= range->outside || i == ACCESSED_PARTS;
  if (i == accessed->count && i < ACCESSED_PARTS)
    accessed->part[accessed->count++] = *range;
}

void accessed_memory_add_all(AccessedMemory *accessed, const AccessedMemory *more) {
  for (uint32_t i = 0; i < more->count; i++)
    accessed_memory_add(accessed, &more->part[i]);
  accessed->others |= more->others;
}
