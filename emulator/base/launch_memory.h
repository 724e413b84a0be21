// Memory of the runtime's own that launches need on the device: arguments, dispatch packets. It serves one launch after the
// other, since to allocate it takes longer than a short kernel.
//
// In: sizes in bytes. Out: device memory, aligned to a page, that holds what the one before has left.
#ifndef EMULATOR_LAUNCH_MEMORY_H
#define EMULATOR_LAUNCH_MEMORY_H

#include <stdint.h>

// NULL if the host has none.
void *launch_memory_take(uint32_t size);

// Ends the use of what was taken; NULL is ignored.
void launch_memory_give(void *memory);

#endif
